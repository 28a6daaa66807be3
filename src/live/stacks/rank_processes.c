// SPDX-License-Identifier: Apache-2.0
/* live/stacks/rank_processes.c: the processes of the ranks that words mean. A word is a rank's number, the number of a
 * launcher (the ranks below it), or the name of a script or program (all its ranks). Workers of a rank inherit its
 * RANK, and a shell may be between the launcher and a rank: a rank is the outermost Python process with a RANK. */
#include "live/stacks/rank_processes.h"
#include "live/jobs/top.h"
#include "live/proc/proc.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ABOVE_MOST 64 /* most processes above one that are looked at */

typedef struct process {
    int64_t pid, parent;
    bool ranked, python, kept;
} process;

typedef struct processes {
    TFP_VEC(process) list;
    tfp_map64 by_pid; /* index in list */
} processes;

static bool is_python(int64_t pid)
{
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/%lld/exe", (long long)pid);
    ssize_t n = readlink(link, path, sizeof path - 1);
    if (n <= 0) return false;
    path[n] = 0;
    const char *name = strrchr(path, '/');
    return strstr(name ? name + 1 : path, "python") != NULL;
}

static bool list_all(processes *p)
{
    DIR *d = opendir("/proc");
    bool ok = true;
    for (struct dirent *e; ok && d && (e = readdir(d));) {
        process x = { 0 };
        tfp_proc_stat stat;
        char rank[20];
        if (!isdigit((unsigned char)*e->d_name) || !tfp_parse_int64(tfp_str_of(e->d_name), &x.pid)) continue;
        if (x.pid == getpid() || !tfp_proc_stat_read(x.pid, &stat) || stat.state == 'Z' || stat.state == 'X') continue;
        x.parent = stat.parent;
        x.ranked = tfp_proc_setting(x.pid, "RANK", rank, sizeof rank) && isdigit((unsigned char)*rank);
        x.python = x.ranked && is_python(x.pid);
        ok = tfp_map64_put(&p->by_pid, (uint64_t)x.pid, (uint32_t)p->list.size) && tfp_push(&p->list, x);
    }
    if (d) closedir(d);
    return ok;
}

static process *above(const processes *p, const process *x)
{
    uint32_t at = x->parent > 0 ? tfp_map64_get(&p->by_pid, (uint64_t)x->parent) : TFP_NONE;
    return at == TFP_NONE ? NULL : &p->list.at[at];
}

static bool same_setting(int64_t a, int64_t b, const char *name)
{
    char x[256] = "", y[256] = "";
    tfp_proc_setting(a, name, x, sizeof x);
    tfp_proc_setting(b, name, y, sizeof y);
    return !strcmp(x, y);
}

/* Whether the process that started this one has ended, and it is no rank but a worker of one: it was given to a process
 * that is above the launcher of the other ranks. */
static bool is_orphan(const processes *p, const process *x)
{
    for (size_t i = 0; i < p->list.size; i++) {
        const process *other = &p->list.at[i], *launcher = above(p, other), *up = launcher ? above(p, launcher) : NULL;
        if (!other->kept || other == x || !launcher || launcher->pid == x->parent) continue;
        for (int k = 0; up && up->pid != x->parent && k < ABOVE_MOST; k++) up = above(p, up);
        if (up && same_setting(x->pid, other->pid, "WORLD_SIZE") && same_setting(x->pid, other->pid, "MASTER_PORT"))
            return true;
    }
    return false;
}

/* Keeps the processes that are ranks. */
static void find_ranks(processes *p)
{
    for (size_t i = 0; i < p->list.size; i++) {
        process *x = &p->list.at[i], *up = above(p, x);
        x->kept = x->ranked && x->python;
        for (int k = 0; x->kept && up && k < ABOVE_MOST; k++, up = above(p, up)) x->kept = !up->python;
    }
    for (size_t i = 0; i < p->list.size; i++)
        if (p->list.at[i].kept && is_orphan(p, &p->list.at[i])) p->list.at[i].kept = false;
    /* A rank that runs no Python gets a row that says so; a program that a rank started and left behind is none. */
    for (size_t i = 0; i < p->list.size; i++) {
        process *x = &p->list.at[i], *up = above(p, x);
        bool inner = !x->ranked || x->python || is_orphan(p, x);
        for (int k = 0; !inner && up && k < ABOVE_MOST; k++, up = above(p, up)) inner = up->ranked;
        for (size_t m = 0; !inner && m < p->list.size; m++) {
            const process *other = &p->list.at[m];
            if (!other->python || !other->kept) continue;
            for (up = above(p, other); up && up != x;) up = above(p, up);
            inner = up == x;
        }
        if (!inner) x->kept = true;
    }
}

static bool is_below(const processes *p, const process *x, int64_t root)
{
    for (int k = 0; x && k < ABOVE_MOST; k++, x = above(p, x))
        if (x->pid == root) return true;
    return false;
}

static bool add(tfp_rank_pids *out, int64_t pid)
{
    for (size_t i = 0; i < out->size; i++)
        if (out->at[i] == pid) return true;
    return tfp_push(out, pid);
}

/* The ranks below a process; itself where there are none. */
static bool add_below(const processes *p, int64_t root, tfp_rank_pids *out)
{
    size_t before = out->size;
    bool ok = true;
    for (size_t i = 0; i < p->list.size && ok; i++)
        if (p->list.at[i].kept && is_below(p, &p->list.at[i], root)) ok = add(out, p->list.at[i].pid);
    return ok && (out->size > before || add(out, root));
}

/* The ranks of a name: those that have it, and those below a launcher that has it. */
static tfp_status add_named(const processes *p, const char *name, tfp_rank_pids *out, tfp_error *err)
{
    tfp_rank_pids plain = { 0 };
    size_t before = out->size;
    bool ok = true;
    for (size_t i = 0; i < p->list.size && ok; i++) {
        const process *x = &p->list.at[i];
        if (!tfp_proc_is_called(x->pid, name)) continue;
        size_t had = out->size;
        if (x->kept)
            ok = add(out, x->pid);
        else if (!x->ranked)
            ok = add_below(p, x->pid, out);
        if (ok && out->size == had + 1 && out->at[had] == x->pid && !x->kept) { /* neither a rank nor a launcher */
            out->size = had;
            ok = tfp_push(&plain, x->pid);
        }
    }
    tfp_status s = !ok ? tfp_nomem(err)
                   : out->size == before && !plain.size
                       ? tfp_fail(err, TFP_BADFILE, "%s: no such process or file", name)
                       : TFP_OK;
    for (size_t i = 0; !s && out->size == before && i < 1; i++) ok = add(out, plain.at[i]);
    tfp_vec_free(&plain);
    return !s && !ok ? tfp_nomem(err) : s;
}

tfp_status tfp_rank_processes(const char *const *words, size_t count, tfp_rank_pids *out, tfp_rank_gone *gone,
                              tfp_error *err)
{
    processes p = { 0 };
    tfp_status s = list_all(&p) ? TFP_OK : tfp_nomem(err);
    find_ranks(&p);
    for (size_t i = 0; i < p.list.size && !count && !s; i++)
        if (p.list.at[i].kept && !add(out, p.list.at[i].pid)) s = tfp_nomem(err);
    for (size_t i = 0; i < count && !s; i++) {
        int64_t pid;
        char rank[20];
        if (words[i][strspn(words[i], "0123456789")]) {
            s = add_named(&p, words[i], out, err);
            continue;
        }
        s = tfp_live_find(words[i], &pid, err);
        if (s == TFP_BADFILE && gone && count > 1) {
            if (!gone->count++) snprintf(gone->why, sizeof gone->why, "%s", tfp_error_message(err));
            tfp_error_clear(err);
            s = TFP_OK;
            continue;
        }
        bool is_rank = !s && tfp_proc_setting(pid, "RANK", rank, sizeof rank);
        if (!s && !(is_rank ? add(out, pid) : add_below(&p, pid, out))) s = tfp_nomem(err);
    }
    if (!s && gone && gone->count && !out->size) s = tfp_fail(err, TFP_BADFILE, "%s", gone->why);
    tfp_map64_free(&p.by_pid);
    tfp_vec_free(&p.list);
    return s;
}
