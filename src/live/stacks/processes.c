// SPDX-License-Identifier: Apache-2.0
/* live/stacks/processes.c: the processes whose stacks are sampled: the one that was named, and with --subprocesses the processes
 * that it started, which are looked for repeatedly. */
#include "live/stacks/parts.h"

#include <dirent.h>
#include <stdio.h>

#define LOOK_NS 250000000 /* between two looks for new processes */
#define ABOVE_MOST 64     /* most ancestors of a process that are followed */

static bool add(tfp_sampler *s, const tfp_python *python)
{
    tfp_stacked *p = calloc(1, sizeof *p);
    if (p) p->python = *python;
    if (!p || !tfp_push(&s->processes.list, p)) {
        free(p);
        s->nomem = true;
        return false;
    }
    if (!tfp_map64_put(&s->processes.by_pid, (uint64_t)python->pid, (uint32_t)s->processes.list.size - 1))
        s->nomem = true;
    return !s->nomem;
}

bool tfp_stacks_begin(tfp_sampler *s, const tfp_python *python)
{
    if (!add(s, python)) return false;
    tfp_stacks_go_to(s, 0);
    return true;
}

void tfp_stacks_go_to(tfp_sampler *s, size_t process)
{
    s->at = s->processes.list.at[process];
    s->python = &s->at->python;
}

static void forget_codes(tfp_stacked *p)
{
    for (size_t i = 0; i < p->codes.size; i++) tfp_vec_free(&p->codes.at[i].copy.bytes);
    p->codes.size = 0;
    tfp_map64_clear(&p->by_code);
}

/* Looks at a process of the family: it may be new, have ended, or run another program now. */
static void look_at(tfp_sampler *s, int64_t pid)
{
    tfp_python python;
    tfp_method refusal;
    uint32_t at = tfp_map64_get(&s->processes.by_pid, (uint64_t)pid);
    if (at != TFP_NONE && !s->processes.list.at[at]->ended) return;
    if (s->processes.list.size == TFP_STACKS_PROCESSES_MOST && at == TFP_NONE) {
        s->processes.unread++;
        snprintf(s->processes.unread_why, sizeof s->processes.unread_why, "only %d processes are looked at",
                 TFP_STACKS_PROCESSES_MOST);
        return;
    }
    if (!tfp_python_open(pid, &python, &refusal)) {
        if (strcmp(refusal.code, "not-python") == 0 || strcmp(refusal.code, "gone") == 0) return;
        s->processes.unread++;
        snprintf(s->processes.unread_why, sizeof s->processes.unread_why, "%lld: %s", (long long)pid, refusal.message);
        return;
    }
    if (at == TFP_NONE) {
        add(s, &python);
        return;
    }
    forget_codes(s->processes.list.at[at]);
    s->processes.list.at[at]->python = python;
    s->processes.list.at[at]->ended = false;
}

typedef TFP_VEC(uint32_t) numbers;

/* Lists all processes with their parents; false: out of memory. */
static bool list_processes(numbers *pids, tfp_map64 *parents)
{
    DIR *d = opendir("/proc");
    bool ok = true;
    for (struct dirent *e; ok && d && (e = readdir(d));) {
        int64_t pid;
        tfp_proc_stat stat;
        if (!tfp_parse_int64(tfp_str_of(e->d_name), &pid) || !tfp_proc_stat_read(pid, &stat) || stat.parent <= 0)
            continue;
        ok = tfp_push(pids, (uint32_t)pid) && tfp_map64_put(parents, (uint64_t)pid, (uint32_t)stat.parent);
    }
    if (d) closedir(d);
    return ok;
}

static bool descends(const tfp_map64 *parents, uint32_t pid, int64_t from)
{
    for (int i = 0; i < ABOVE_MOST && pid != TFP_NONE; i++) {
        pid = tfp_map64_get(parents, pid);
        if (pid == (uint32_t)from) return true;
    }
    return false;
}

void tfp_stacks_find_children(tfp_sampler *s, bool now)
{
    int64_t time = tfp_now_ns(), root = s->processes.list.at[0]->python.pid;
    if (!s->processes.children || (!now && time < s->processes.looked_ns + LOOK_NS)) return;
    tfp_map64 parents = { 0 };
    numbers pids = { 0 };
    if (!list_processes(&pids, &parents)) s->nomem = true;
    s->processes.unread = 0;
    for (size_t i = 0; i < pids.size && !tfp_stacks_over(s); i++)
        if (descends(&parents, pids.at[i], root)) look_at(s, pids.at[i]);
    tfp_vec_free(&pids);
    tfp_map64_free(&parents);
    s->processes.looked_ns = tfp_now_ns();
}

long tfp_stacks_list(tfp_sampler *s)
{
    long count = s->at->ended ? -1 : tfp_python_threads(s->python, s->seen, TFP_PYTHON_THREADS);
    s->at->ended = count < 0;
    s->threads.too_many |= count == TFP_PYTHON_THREADS;
    return count;
}

void tfp_stacks_end(tfp_sampler *s)
{
    for (size_t i = 0; i < s->processes.list.size; i++) {
        tfp_stacked *p = s->processes.list.at[i];
        forget_codes(p);
        tfp_vec_free(&p->codes);
        tfp_map64_free(&p->by_code);
        free(p);
    }
    tfp_vec_free(&s->processes.list);
    tfp_map64_free(&s->processes.by_pid);
}
