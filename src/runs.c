// SPDX-License-Identifier: Apache-2.0
/* runs.c: the public function that says which files of a profile are ranks of one job, and which are separate runs. It uses the facts
 * in the files (rank, number of ranks, host) and their paths. */
#include "base/base.h"
#include "model/tables/events.h"
#include "model/tables/processes.h"
#include "model/tables/sources.h"
#include "tfprof/tfprof.h"

#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

/* A file with processes: the facts about the first one. */
typedef struct traced {
    const char *path, *format;
    int64_t rank, rank_count; /* -1, 0: unknown */
    tfp_strid host;           /* 0: unknown */
    size_t run, before;       /* before: the one before it in its run; SIZE_MAX: none */
} traced;

typedef struct traces {
    traced *at;
    size_t *last; /* for each run, its last trace */
    size_t count, runs;
} traces;

static size_t folder_size(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* Finds the number of "rank12", "rank-12", "rank_12" or "rank=12" in a file's name; NULL: there is none. */
static const char *rank_in_name(const char *path)
{
    for (const char *p = path + folder_size(path); *p; p++) {
        if (strncasecmp(p, "rank", 4) != 0) continue;
        const char *digits = p + 4 + (p[4] == '-' || p[4] == '_' || p[4] == '=');
        if (isdigit((unsigned char)*digits)) return digits;
    }
    return NULL;
}

static tfp_str digits_at(const char *at, const char *end)
{
    const char *to = at;
    while (to < end && isdigit((unsigned char)*to)) to++;
    return (tfp_str){ at, (size_t)(to - at) };
}

static bool is_number(tfp_str digits, int64_t number)
{
    int64_t n;
    return tfp_parse_int64(digits, &n) && n == number;
}

/* Whether two paths, up to given lengths, differ in at most one number, which is the rank of each. */
static bool same_but_rank(const traced *x, size_t x_size, const traced *y, size_t y_size)
{
    const char *a = x->path, *a_end = a + x_size, *b = y->path, *b_end = b + y_size;
    size_t different = 0;
    while (a < a_end && b < b_end) {
        tfp_str m = digits_at(a, a_end), n = digits_at(b, b_end);
        if (!m.size || !n.size) {
            if (*a++ != *b++) return false;
            continue;
        }
        if (!tfp_str_eq(m, n)) {
            if (different++ || !is_number(m, x->rank) || !is_number(n, y->rank)) return false;
        }
        a += m.size;
        b += n.size;
    }
    return a == a_end && b == b_end;
}

static bool are_paths_alike(const traced *x, const traced *y)
{
    bool x_named = rank_in_name(x->path), y_named = rank_in_name(y->path);
    if (x_named != y_named) return false;
    return x_named ? same_but_rank(x, strlen(x->path), y, strlen(y->path))
                   : same_but_rank(x, folder_size(x->path), y, folder_size(y->path));
}

/* Whether two traces can be of one job. */
static bool are_one_job(const traced *x, const traced *y)
{
    if (strcmp(x->format, y->format) != 0) return false;
    if (x->rank_count && y->rank_count && x->rank_count != y->rank_count) return false;
    if (x->rank >= 0 && y->rank >= 0) return x->rank != y->rank && are_paths_alike(x, y);
    return x->host && y->host && x->host != y->host && are_paths_alike(x, y);
}

/* The first run to which a trace can belong: it is compared with each trace at most once. */
static size_t run_of(const traces *t, const traced *x)
{
    for (size_t run = 0; run < t->runs; run++) {
        size_t i = t->last[run];
        while (i != SIZE_MAX && are_one_job(&t->at[i], x)) i = t->at[i].before;
        if (i == SIZE_MAX) return run;
    }
    return t->runs;
}

static traced traced_of(const tfp_profile *p, const tfp_process *process)
{
    traced x = { .path = tfp_sources_of(p)->sources.at[process->source],
                 .format = tfp_sources_of(p)->formats.at[process->source],
                 .rank = -1 };
    const char *digits = rank_in_name(x.path);
    if (!x.format) x.format = "";
    if (!process->rank_guessed) x.rank = process->rank;
    if (x.rank < 0 && digits && !tfp_parse_int64(digits_at(digits, digits + strlen(digits)), &x.rank)) x.rank = -1;
    x.rank_count = process->rank_count;
    x.host = process->host;
    return x;
}

/* The files of a folder are listed after it, and their paths are in it. They are one run. */
static bool is_in(const char *folder, const char *path)
{
    size_t n = strlen(folder);
    while (n && folder[n - 1] == '/') n--;
    return strncmp(folder, path, n) == 0 && path[n] == '/';
}

/* Lists files, and folders whose files were added, each with the process of its first file. False if memory is out. */
static bool find_traces(const tfp_profile *p, traces *t)
{
    const char *folder = NULL; /* the last one */
    size_t next = 0;           /* -> processes, which are in the order of their files */
    t->at = calloc(tfp_sources_of(p)->sources.size + 1, sizeof *t->at);
    t->last = calloc(tfp_sources_of(p)->sources.size + 1, sizeof *t->last);
    for (size_t i = 0; t->at && t->last && i < tfp_sources_of(p)->sources.size; i++) {
        const char *path = tfp_sources_of(p)->sources.at[i];
        size_t first = next;
        while (next < tfp_events_of(p)->processes.size && tfp_events_of(p)->processes.at[next].source == i) next++;
        if (first == next) folder = path; /* it has no processes, so it may be a folder */
        if (first == next || (folder && is_in(folder, path) && t->count && t->at[t->count - 1].path == folder))
            continue;
        traced x = traced_of(p, &tfp_events_of(p)->processes.at[first]);
        if (folder && is_in(folder, path)) x.path = folder;
        x.run = run_of(t, &x);
        x.before = x.run == t->runs ? SIZE_MAX : t->last[x.run];
        t->runs += x.run == t->runs;
        t->last[x.run] = t->count;
        t->at[t->count++] = x;
    }
    return t->at && t->last;
}

static size_t same_start(const char *a, const char *b)
{
    size_t n = 0;
    while (a[n] && a[n] == b[n]) n++;
    return n;
}

static size_t run_like(const traces *t, const char *path)
{
    const traced *best = NULL;
    size_t longest = 0;
    for (size_t i = 0; i < t->count; i++) {
        const traced *x = &t->at[i];
        if (strcmp(x->path, path) == 0) return x->run;
        size_t n = same_start(x->path, path);
        if (best && n <= longest) continue;
        best = x;
        longest = n;
    }
    return best ? best->run : 0;
}

tfp_status tfp_profile_runs(const tfp_profile *p, size_t count, const char *const *paths, size_t *runs, tfp_error *err)
{
    traces t = { 0 };
    tfp_error_clear(err);
    if (!p || (count && (!paths || !runs))) return tfp_fail(err, TFP_BADARG, "no profile, or no paths");
    bool ok = find_traces(p, &t);
    for (size_t i = 0; i < count && ok; i++) runs[i] = run_like(&t, paths[i]);
    free(t.at);
    free(t.last);
    return ok ? TFP_OK : tfp_nomem(err);
}
