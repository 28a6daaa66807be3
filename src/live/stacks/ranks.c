// SPDX-License-Identifier: Apache-2.0
/* live/stacks/ranks.c: the stacks of all ranks of a running job, one row per rank: the collective that the main thread is in, and the line of
 * the user's code. RANK and WORLD_SIZE come from the environment that launchers set. */
#include "live/stacks/ranks.h"
#include "live/stacks/parts.h"
#include "model/span_names.h"
#include "views/core/engine.h"

#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

#define RANKS_MOST 4096
#define STACK_MOST ((size_t)64 << 10) /* most bytes of a stack as text */

/* clang-format off */
const tfp_row_column tfp_rank_columns[] = {
    TFP_COLUMN(tfp_rank_row, "rank", INT, LABEL, rank, "RANK of its environment."),
    TFP_COLUMN(tfp_rank_row, "world", INT, LABEL, world, "WORLD_SIZE of its environment: how many ranks the job has."),
    TFP_COLUMN(tfp_rank_row, "pid", INT, LABEL, pid, "The process."),
    TFP_COLUMN(tfp_rank_row, "finding", TEXT, LABEL, finding, "waits: it is in the collective in which most are; missing: it is in none; order: in another one; elsewhere: no rank is in one, and most are at another line; unread: it was not read, see why."),
    TFP_COLUMN(tfp_rank_row, "collective", TEXT, LABEL, collective, "The function of torch.distributed that its main thread is in."),
    TFP_COLUMN(tfp_rank_row, "line", TEXT, LABEL, line, "FILE:LINE:FUNCTION of the innermost frame of the user's own code."),
    TFP_COLUMN(tfp_rank_row, "state", TEXT, LABEL, state, "Of the main thread: running, sleeping, waiting (for a device), stopped, traced."),
    TFP_COLUMN(tfp_rank_row, "dump", TEXT, LABEL, dump, "What its flight recorder wrote since it began; tfprof hang compares the dumps of all ranks."),
    TFP_COLUMN_PROGRAMS(tfp_rank_row, "why", why, "Why the process was not read.", 0),
    TFP_COLUMN_PROGRAMS(tfp_rank_row, "stack", stack, "The whole stack, the outermost frame first.", 0),
    { NULL, TFP_T_INT, TFP_LABEL, 0, NULL, 0 },
};
/* clang-format on */

typedef struct ranks {
    tfp_report *r;
    TFP_VEC(tfp_rank_row) rows;
    size_t read;   /* of the processes */
    char why[400]; /* the reason for the last one that was not read */
    tfp_error *err;
} ranks;

static bool keep(ranks *x, tfp_str text, tfp_str *out)
{
    const char *copy = tfp_arena_copy(tfp_arena_of(x->r), text);
    *out = (tfp_str){ copy, copy ? text.size : 0 };
    return copy != NULL;
}

static int64_t number_of(int64_t pid, const char *name)
{
    char text[20];
    int64_t n;
    return tfp_proc_setting(pid, name, text, sizeof text) && tfp_parse_int64(tfp_str_of(text), &n) && n >= 0
               ? n
               : TFP_ABSENT;
}

/* When a process began, in seconds since 1970. */
static double begin_of(int64_t pid)
{
    tfp_proc_stat stat;
    struct timespec now;
    if (!tfp_proc_stat_read(pid, &stat)) return HUGE_VAL;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9 - tfp_proc_age(&stat);
}

/* The file that PyTorch's flight recorder writes at a timeout, if it was written after the process began. */
static bool find_dump(ranks *x, tfp_rank_row *row)
{
    char prefix[2000], path[2100];
    struct stat st;
    if (row->rank == TFP_ABSENT) return true;
    if (!tfp_proc_setting(row->pid, "TORCH_FR_DUMP_TEMP_FILE", prefix, sizeof prefix) &&
        !tfp_proc_setting(row->pid, "TORCH_NCCL_DEBUG_INFO_TEMP_FILE", prefix, sizeof prefix))
        snprintf(prefix, sizeof prefix, "/tmp/nccl_trace_rank_");
    snprintf(path, sizeof path, "%s%lld", prefix, (long long)row->rank);
    bool there = *path == '/' && stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
                 (double)st.st_mtim.tv_sec + 1 >= begin_of(row->pid);
    return !there || keep(x, tfp_str_of(path), &row->dump);
}

/* Cuts FILE and FUNCTION out of FILE:LINE:FUNCTION. */
static bool cut_frame(tfp_str name, tfp_str *file, tfp_str *function)
{
    size_t at = name.size, line;
    while (at && name.data[at - 1] != ':') at--;
    for (line = at ? at - 1 : 0; line && name.data[line - 1] != ':';) line--;
    if (!at || !line) return false;
    *function = (tfp_str){ name.data + at, name.size - at };
    *file = (tfp_str){ name.data, line - 1 };
    return true;
}

/* Takes one frame of the main thread; frames come innermost first. The collective is the outermost function of torch.distributed, the one that
 * user code called. */
static bool take_frame(ranks *x, tfp_rank_row *row, tfp_str name, bool *own)
{
    tfp_str file, function;
    if (!cut_frame(name, &file, &function)) return true;
    bool library = tfp_is_library_file(file);
    if (tfp_str_ends(file, TFP_STR("torch/distributed/distributed_c10d.py")) && function.size &&
        *function.data != '_' && !keep(x, function, &row->collective))
        return false;
    if (*own || (library && row->line.size)) return true;
    *own = !library;
    return keep(x, name, &row->line);
}

static bool take_frames(ranks *x, const tfp_report *threads, tfp_rank_row *row)
{
    const tfp_grid_column *tid = tfp_grid_find(tfp_table_of(threads), "tid"),
                          *name = tfp_grid_find(tfp_table_of(threads), "name"),
                          *state = tfp_grid_find(tfp_table_of(threads), "state");
    tfp_buf stack = { 0 };
    bool own = false, ok = tid && name && state;
    size_t first = 0, end;
    while (ok && first < tfp_table_of(threads)->row_count && tid->ints[first] != row->pid) first++;
    for (end = first; ok && end < tfp_table_of(threads)->row_count && tid->ints[end] == row->pid; end++)
        ok = take_frame(x, row, name->texts[end], &own);
    if (ok && end > first) ok = keep(x, state->texts[first], &row->state);
    for (size_t i = end; ok && i-- > first && stack.size < STACK_MOST;) {
        if (stack.size) tfp_buf_char(&stack, ';');
        tfp_buf_str(&stack, name->texts[i]);
    }
    ok = ok && !stack.failed && keep(x, (tfp_str){ stack.data ? stack.data : "", stack.size }, &row->stack);
    tfp_buf_free(&stack);
    return ok;
}

/* Adds the row of a process, also of one that cannot be read. */
static tfp_status add_process(ranks *x, const tfp_live *l, int64_t pid)
{
    char text[24];
    tfp_report *threads = NULL;
    tfp_rank_row row = { .rank = number_of(pid, "RANK"), .world = number_of(pid, "WORLD_SIZE"), .pid = pid };
    snprintf(text, sizeof text, "%lld", (long long)pid);
    tfp_status s = tfp_live_stacks(l, text, NULL, NULL, NULL, &threads, x->err);
    if (s == TFP_BADFILE) {
        snprintf(x->why, sizeof x->why, "%s", tfp_error_message(x->err));
        tfp_error_clear(x->err);
        s = keep(x, tfp_str_of(x->why), &row.why) ? TFP_OK : tfp_nomem(x->err);
    } else if (!s) {
        x->read++;
        if (!take_frames(x, threads, &row)) s = tfp_nomem(x->err);
    }
    if (!s && (!find_dump(x, &row) || !tfp_push(&x->rows, row))) s = tfp_nomem(x->err);
    tfp_report_free(threads);
    return s;
}

/* Adds all processes of jobs that have a rank. */
static tfp_status add_jobs(ranks *x, const tfp_live *l)
{
    tfp_report *top = NULL;
    tfp_live *jobs = tfp_live_new();
    tfp_status s = jobs ? tfp_live_set(jobs, "processes", NULL, x->err) : tfp_nomem(x->err);
    if (!s) s = tfp_live_set(jobs, "python", NULL, x->err);
    if (!s) s = tfp_live_sample(jobs, x->err);
    if (!s) s = tfp_live_top(jobs, NULL, &top, x->err);
    const tfp_grid_column *pid = s ? NULL : tfp_grid_find(tfp_table_of(top), "pid");
    for (size_t i = 0; pid && !s && i < tfp_table_of(top)->row_count && x->rows.size < RANKS_MOST; i++)
        if (number_of(pid->ints[i], "RANK") != TFP_ABSENT) s = add_process(x, l, pid->ints[i]);
    tfp_report_free(top);
    tfp_live_free(jobs);
    return s;
}

static bool lower_rank(const void *rows, uint32_t a, uint32_t b)
{
    const tfp_rank_row *x = (const tfp_rank_row *)rows + a, *y = (const tfp_rank_row *)rows + b;
    return x->rank != y->rank ? x->rank < y->rank : x->pid < y->pid;
}

/* Fills the table with the rows. */
static tfp_status fill(ranks *x)
{
    tfp_rank_row *rows = tfp_rows_sorted(tfp_arena_of(x->r), x->rows.at, sizeof *rows, x->rows.size, lower_rank);
    const tfp_rank_rows all = { (char *)rows, sizeof *rows, 0, x->rows.size };
    tfp_status s = rows ? tfp_ranks_judge(x->r, &all, x->err) : tfp_nomem(x->err);
    return s ? s : tfp_grid_of(x->r, &(tfp_row_table){ tfp_rank_columns, rows, sizeof *rows, x->rows.size, 0 }, x->err);
}

static tfp_status add_all(ranks *x, const char *const *targets, size_t count)
{
    tfp_live *l = tfp_live_new();
    tfp_status s = l ? tfp_live_set(l, "once", NULL, x->err) : tfp_nomem(x->err);
    if (!s && !count) s = add_jobs(x, l);
    for (size_t i = 0; i < count && !s; i++) {
        int64_t pid;
        s = tfp_live_find(targets[i], &pid, x->err);
        if (!s) s = add_process(x, l, pid);
    }
    if (!s && count && !x->read) s = tfp_fail(x->err, TFP_BADFILE, "%s", x->why);
    tfp_live_free(l);
    return s;
}

tfp_status tfp_live_hang(const char *const *targets, size_t count, const tfp_options *o, tfp_report **out,
                         tfp_error *err)
{
    tfp_error_clear(err);
    if (out) *out = NULL;
    if (!out || (count && !targets) || count > RANKS_MOST)
        return tfp_fail(err, TFP_BADARG, "hang takes at most " TFP_QUOTED(RANKS_MOST) " processes");
    tfp_report *r = tfp_report_new("hang", o);
    if (!r) return tfp_nomem(err);
    tfp_table_of(r)->sentences = true;
    ranks x = { .r = r, .err = err };
    tfp_status s = add_all(&x, targets, count);
    if (!s) s = fill(&x);
    if (!s) s = tfp_grid_arrange(r, err);
    tfp_vec_free(&x.rows);
    return tfp_report_give(r, s, out);
}
