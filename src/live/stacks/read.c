// SPDX-License-Identifier: Apache-2.0
/* live/stacks/read.c: lists the threads of a process with their states, reads stacks, and counts samples, with equal stacks
 * counted together. */
#include "live/stacks/parts.h"
#include "views/core/grid.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define FILES_LEAST 4 /* descriptors that must stay free for other uses */

int64_t tfp_stacks_next_look(int64_t due_ns, int64_t step_ns, int64_t now_ns)
{
    enum { LATE_NS = 100000000 }; /* a sample that is later than this is skipped */
    return due_ns + step_ns < now_ns - LATE_NS ? now_ns - LATE_NS : due_ns + step_ns;
}

/* The kernel's name of a thread; with several processes, preceded by the number of its process. */
static tfp_strid name_of(tfp_sampler *s, int64_t tid)
{
    char path[64], name[64], text[128];
    snprintf(path, sizeof path, "task/%lld/comm", (long long)tid);
    long n = tid ? tfp_proc_read(s->python->pid, path, name, sizeof name) : 0;
    if (n > 0 && name[n - 1] == '\n') n--;
    if (n <= 0) n = snprintf(name, sizeof name, "?");
    int size = s->processes.children ? snprintf(text, sizeof text, "%lld/%.*s", (long long)s->python->pid, (int)n, name)
                                     : snprintf(text, sizeof text, "%.*s", (int)n, name);
    return tfp_intern(&s->functions.names, (tfp_str){ text, (size_t)size });
}

watched *tfp_stacks_thread(tfp_sampler *s, int64_t tid)
{
    char path[64];
    uint32_t at = tfp_map64_get(&s->threads.by_tid, (uint64_t)tid);
    if (at != TFP_NONE) return &s->threads.list.at[at];
    if (s->threads.list.size == TFP_STACKS_THREADS_MOST) {
        s->full = "it tells of more than " TFP_QUOTED(TFP_STACKS_THREADS_MOST) " threads";
        return NULL;
    }
    watched w = { .tid = tid, .fd = -1 };
    snprintf(path, sizeof path, "/proc/%lld/task/%lld/stat", (long long)s->python->pid, (long long)tid);
    if (tid && s->threads.list.size < 512) w.fd = open(path, O_RDONLY | O_CLOEXEC);
    /* without enough descriptors, states are read from /proc each time */
    if (w.fd >= 0 && !tfp_files_left(FILES_LEAST)) {
        close(w.fd);
        w.fd = -1;
    }
    w.name = name_of(s, tid);
    if (w.name == TFP_NONE || !tfp_push(&s->threads.list, w) ||
        !tfp_map64_put(&s->threads.by_tid, (uint64_t)tid, (uint32_t)s->threads.list.size - 1)) {
        s->nomem = true;
        return NULL;
    }
    return &s->threads.list.at[s->threads.list.size - 1];
}

char tfp_stacks_state(const tfp_sampler *s, const watched *w)
{
    char text[512], path[64];
    ssize_t n;
    if (w->fd >= 0) {
        n = pread(w->fd, text, sizeof text - 1, 0);
    } else {
        snprintf(path, sizeof path, "task/%lld/stat", (long long)w->tid);
        n = w->tid ? tfp_proc_read(s->python->pid, path, text, sizeof text) : 0;
    }
    if (n <= 0) return 0;
    text[n] = '\0';
    const char *end = strrchr(text, ')');
    return end && end[1] == ' ' ? end[2] : 0;
}

static bool is_late(tfp_sampler *s)
{
    s->looks.late |= tfp_now_ns() > s->looks.until_ns;
    return tfp_stacks_over(s);
}

long tfp_stacks_read(tfp_sampler *s, uint64_t state)
{
    for (int i = 0; i < TFP_STACKS_TRIES; i++) {
        if (is_late(s)) return 0;
        long depth = tfp_python_stack(s->python, state, s->frames, TFP_PYTHON_DEPTH);
        if (depth >= 0 && tfp_stacks_name(s, (size_t)depth)) {
            s->stacks.cut += depth == TFP_PYTHON_DEPTH;
            return depth;
        }
    }
    return tfp_stacks_over(s) ? 0 : -1;
}

/* ---- samples ---- */

tfp_strid tfp_stacks_count(tfp_sampler *s, tfp_strid thread, size_t depth, int64_t count)
{
    s->key[0] = thread;
    size_t before = s->stacks.keys.count;
    if (s->stacks.keys.arena->used > TFP_STACKS_KEYS_MOST || s->stacks.bytes > TFP_STACKS_TEXT_MOST) {
        s->full = "its stacks take more than 48 MB, or 256 MB written out";
        return TFP_NONE;
    }
    tfp_strid id = tfp_intern(&s->stacks.keys, (tfp_str){ (const char *)s->key, (depth + 1) * sizeof *s->key });
    if (id == TFP_NONE || (s->stacks.keys.count != before && !tfp_push(&s->stacks.counts, 0))) {
        s->nomem = true;
        return TFP_NONE;
    }
    if (s->stacks.keys.count != before)
        for (size_t i = 1; i <= depth; i++) s->stacks.bytes += s->functions.list.at[s->key[i]].name.size;
    s->stacks.counts.at[id] += count;
    s->stacks.samples += count;
    return id;
}

void tfp_stacks_moment(tfp_sampler *s, size_t thread, tfp_strid stack, uint32_t look, int64_t now_ns)
{
    tfp_stack_moment m = { now_ns - s->looks.begun_ns, look, (uint32_t)thread, stack };
    if (stack == TFP_NONE || s->stacks.moments.size == TFP_STACKS_MOMENTS_MOST) return;
    if (!tfp_push(&s->stacks.moments, m)) s->nomem = true;
}

bool tfp_stacks_row(tfp_sampler *s, int64_t tid, threads_row *out)
{
    watched *w = tfp_stacks_thread(s, tid);
    if (!w) return false;
    *out = (threads_row){ .tid = tid ? tid : TFP_ABSENT, .kind = TFP_STR("python") };
    out->state = tfp_str_of(tfp_state_name(tfp_stacks_state(s, w)));
    out->thread = tfp_stacks_kept(s, tfp_strtab_get(&s->functions.names, w->name));
    return !s->nomem;
}
