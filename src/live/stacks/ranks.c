// SPDX-License-Identifier: Apache-2.0
/* live/stacks/ranks.c: the stacks of all ranks of a running job, one row per rank: the collective that the main thread
 * is in, and the line of the user's code. RANK and WORLD_SIZE come from the environment that launchers set. */
#include "live/stacks/ranks.h"
#include "live/stacks/parts.h"
#include "live/stacks/rank_processes.h"
#include "live/stacks/ranks_dumps.h"
#include "live/stacks/ranks_ras.h"
#include "live/stacks/torch_group.h"
#include "model/frames/kinds.h"
#include "query/order.h"
#include "views/core/engine.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define RANKS_MOST 4096
#define LOOK_NS ((int64_t)1000000000) /* how long ranks are looked at */
#define LOOK_EVERY_NS 240000000
#define SWITCHES 20                   /* a thread that waits in one collective does not go to sleep so often */
#define BUSY_NS 50000000              /* CPU time of a thread that does something */
#define STACK_MOST ((size_t)64 << 10) /* most bytes of a stack as text */

/* clang-format off */
const tfp_table_column tfp_rank_columns[] = {
    TFP_COLUMN(tfp_rank_row, "rank", INT, LABEL, rank, "RANK of its environment."),
    TFP_COLUMN(tfp_rank_row, "world", INT, LABEL, world, "WORLD_SIZE of its environment: how many ranks the job has."),
    TFP_COLUMN(tfp_rank_row, "pid", INT, LABEL, pid, "The process; empty: it has ended."),
    TFP_COLUMN(tfp_rank_row, "finding", TEXT, LABEL, finding, "waits: it is where most are in a collective; missing: it is in none; order: in another one, or at another line; crossed: ranks wait for one another in a circle of groups; elsewhere: no rank is in one, and most are at another line; moves: it went on while it was looked at; stopped, ended: the process; unread: it was not read, see why."),
    TFP_COLUMN(tfp_rank_row, "collective", TEXT, LABEL, collective, "The function of torch.distributed that its main thread is in."),
    TFP_COLUMN(tfp_rank_row, "line", TEXT, LABEL, line, "FILE:LINE:FUNCTION of the innermost frame of the user's own code."),
    TFP_COLUMN(tfp_rank_row, "state", TEXT, LABEL, state, "Of the main thread: running, sleeping, waiting (for a device), stopped, traced."),
    TFP_COLUMN(tfp_rank_row, "dump", TEXT, LABEL, dump, "What its flight recorder wrote since it began; tfprof hang compares the dumps of all ranks."),
    TFP_COLUMN_PROGRAMS(tfp_rank_row, "why", why, "Why the process was not read.", 0),
    TFP_COLUMN_PROGRAMS(tfp_rank_row, "stack", stack, "The whole stack, the outermost frame first.", 0),
    { NULL, TFP_CELL_INT, TFP_LABEL, 0, NULL, 0 },
};
/* clang-format on */

typedef struct ranks {
    tfp_report *r;
    tfp_rank_list rows;
    TFP_VEC(tfp_rank_looks) looks; /* at the first rows */
    size_t read;                   /* of the processes */
    char why[400];                 /* the reason for the last one that was not read */
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

/* Takes one frame of the main thread; frames come innermost first. The collective is the outermost function of
 * torch.distributed, the one that user code called. */
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
    const tfp_table_column *tid = tfp_grid_find(tfp_table_of(threads), "tid"),
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

/* Ranks with the same meeting point and size are of one job. */
static uint64_t job_of(int64_t pid)
{
    static const char *const names[] = { "MASTER_ADDR", "MASTER_PORT", "TORCHELASTIC_RUN_ID", "WORLD_SIZE" };
    tfp_buf text = { 0 };
    char value[256];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (tfp_proc_setting(pid, names[i], value, sizeof value)) tfp_buf_text(&text, value);
        tfp_buf_char(&text, '\n');
    }
    uint64_t job = text.failed ? 0 : tfp_hash(text.data, text.size);
    tfp_buf_free(&text);
    return job;
}

/* The CPU time and the voluntary switches of the main thread. */
static void read_clock(tfp_rank_row *row)
{
    char name[64], text[4096];
    snprintf(name, sizeof name, "task/%lld/schedstat", (long long)row->pid);
    long n = tfp_proc_read(row->pid, name, text, sizeof text);
    row->cpu_ns = n > 0 ? strtoll(text, NULL, 10) : 0;
    snprintf(name, sizeof name, "task/%lld/status", (long long)row->pid);
    n = tfp_proc_read(row->pid, name, text, sizeof text);
    const char *at = n > 0 ? strstr(text, "\nvoluntary_ctxt_switches:") : NULL;
    row->waits = at ? strtoll(strchr(at, ':') + 1, NULL, 10) : 0;
}

/* Reads where the process is. TFP_BADFILE: it cannot be read, and the error says why. */
static tfp_status look(ranks *x, const tfp_live *l, tfp_rank_row *row)
{
    char text[24];
    tfp_report *threads = NULL;
    snprintf(text, sizeof text, "%lld", (long long)row->pid);
    read_clock(row);
    tfp_status s = tfp_live_stacks(l, text, NULL, NULL, NULL, &threads, x->err);
    if (!s && !take_frames(x, threads, row)) s = tfp_nomem(x->err);
    tfp_report_free(threads);
    return s;
}

/* Adds the row of a process, also of one that cannot be read. */
static tfp_status add_process(ranks *x, const tfp_live *l, int64_t pid)
{
    tfp_rank_row row = {
        .rank = number_of(pid, "RANK"), .world = number_of(pid, "WORLD_SIZE"), .pid = pid, .job = job_of(pid)
    };
    tfp_status s = look(x, l, &row);
    if (s == TFP_BADFILE) {
        snprintf(x->why, sizeof x->why, "%s", tfp_error_message(x->err));
        tfp_error_clear(x->err);
        s = keep(x, tfp_str_of(x->why), &row.why) ? TFP_OK : tfp_nomem(x->err);
    } else if (!s) {
        x->read++;
    }
    if (!s && (!find_dump(x, &row) || !tfp_push(&x->rows, row))) s = tfp_nomem(x->err);
    return s;
}

/* ---- further looks ---- */

/* Looks at a rank again, and notes what changed since the last look. */
static tfp_status look_again(ranks *x, const tfp_live *l, tfp_rank_row *row, tfp_rank_looks *all)
{
    tfp_rank_row now = { .pid = row->pid };
    tfp_status s = look(x, l, &now);
    if (s == TFP_BADFILE) tfp_error_clear(x->err);
    if (s) return s == TFP_BADFILE ? TFP_OK : s;
    bool inside = row->collective.size && tfp_str_eq(row->collective, now.collective);
    all->passed |= inside && now.waits - row->waits >= SWITCHES;
    row->runs |= !tfp_str_eq(row->stack, now.stack) || (!inside && now.cpu_ns - row->cpu_ns >= BUSY_NS);
    row->line = now.line;
    row->collective = now.collective;
    row->state = now.state;
    row->stack = now.stack;
    tfp_rank_add_look(all, row);
    return TFP_OK;
}

/* Looks at all ranks for a second. */
static tfp_status watch(ranks *x, const tfp_live *l, int64_t began_ns)
{
    tfp_status s = tfp_reserve(&x->looks, x->rows.size) ? TFP_OK : tfp_nomem(x->err);
    for (size_t i = 0; i < x->rows.size && !s; i++) {
        x->looks.at[x->looks.size++] = (tfp_rank_looks){ .count = 0 };
        if (x->rows.at[i].pid != TFP_ABSENT && !x->rows.at[i].why.size)
            tfp_rank_add_look(&x->looks.at[i], &x->rows.at[i]);
    }
    do {
        struct timespec pause = { 0, LOOK_EVERY_NS };
        nanosleep(&pause, NULL);
        for (size_t i = 0; i < x->looks.size && !s; i++)
            if (x->looks.at[i].count) s = look_again(x, l, &x->rows.at[i], &x->looks.at[i]);
    } while (!s && tfp_now_ns() - began_ns < LOOK_NS);
    tfp_ranks_settle(x->rows.at, x->looks.at, x->looks.size);
    return s;
}

/* The groups of the ranks that stand in a collective. */
static tfp_status find_groups(ranks *x)
{
    for (size_t i = 0; i < x->rows.size; i++) {
        tfp_rank_row *row = &x->rows.at[i];
        tfp_torch_group g = { 0 };
        bool ok = true;
        if (row->pid != TFP_ABSENT && row->collective.size && !row->moved &&
            tfp_torch_group_read(row->pid, row->world, &g)) {
            int64_t *members = TFP_NEW(tfp_arena_of(x->r), int64_t, g.ranks.size);
            ok = members && keep(x, (tfp_str){ g.name.data, g.name.size }, &row->group);
            if (ok) memcpy(members, g.ranks.at, g.ranks.size * sizeof *members);
            row->members = members;
            row->member_count = ok ? g.ranks.size : 0;
        }
        tfp_torch_group_free(&g);
        if (!ok) return tfp_nomem(x->err);
    }
    return TFP_OK;
}

/* ---- ranks that have ended ---- */

/* Whether it is the name of this machine, with or without its domain. */
static bool is_own_name(const char *address)
{
    char own[256];
    if (gethostname(own, sizeof own - 1)) return false;
    own[sizeof own - 1] = '\0';
    size_t size = strcspn(own, ".");
    return size && size == strcspn(address, ".") && strncasecmp(own, address, size) == 0;
}

/* Whether all ranks of the job are on this machine: its environment says so, or it says nothing and most of them are.
 * A meeting point here says nothing: ranks of other machines may come to it. here: how many are. */
static bool is_local(int64_t pid, int64_t world, int64_t here)
{
    char address[256];
    int64_t local = number_of(pid, "LOCAL_WORLD_SIZE"), nodes = number_of(pid, "SLURM_NNODES");
    if (local != TFP_ABSENT) return local == world;
    if (tfp_proc_setting(pid, "MASTER_ADDR", address, sizeof address)) {
        if (!strcmp(address, "localhost") || !strcmp(address, "::1") || !strncmp(address, "127.", 4)) return true;
        if (!is_own_name(address)) return false;
    }
    return nodes == 1 || (nodes == TFP_ABSENT && here > world / 2);
}

/* Marks the ranks of the job that a process of this machine is. Returns how many are marked. */
static int64_t mark_living(const tfp_rank_pids *all, uint64_t job, bool *lives, int64_t world)
{
    int64_t count = 0;
    for (size_t i = 0; i < all->size; i++) {
        int64_t rank = number_of(all->at[i], "RANK");
        if (rank < 0 || rank >= world || lives[rank] || job_of(all->at[i]) != job) continue;
        lives[rank] = true;
        count++;
    }
    return count;
}

/* Adds a row for each rank of a job that has no process, when all of them should be here. *added: how many. */
static tfp_status add_ended(ranks *x, size_t *added)
{
    size_t found = x->rows.size;
    tfp_rank_pids all = { 0 };
    tfp_status s = tfp_rank_processes(NULL, 0, &all, NULL, x->err);
    for (size_t i = 0; i < found && !s; i++) {
        const tfp_rank_row first = x->rows.at[i];
        bool seen = first.rank == TFP_ABSENT || first.world == TFP_ABSENT || first.world > RANKS_MOST;
        for (size_t k = 0; k < i && !seen; k++) seen = x->rows.at[k].job == first.job;
        if (seen) continue;
        bool lives[RANKS_MOST] = { false };
        if (!is_local(first.pid, first.world, mark_living(&all, first.job, lives, first.world))) continue;
        for (int64_t rank = 0; rank < first.world && !s; rank++) {
            bool there = false;
            for (size_t k = i; k < found && !there; k++)
                there = x->rows.at[k].job == first.job && x->rows.at[k].rank == rank;
            if (there || lives[rank]) continue;
            tfp_rank_row row = { .rank = rank, .world = first.world, .pid = TFP_ABSENT, .job = first.job };
            if (!tfp_push(&x->rows, row)) s = tfp_nomem(x->err);
            ++*added;
        }
    }
    tfp_vec_free(&all);
    return s;
}

static const tfp_sort_key by_rank[] = { TFP_UP(tfp_rank_row, rank), TFP_UP(tfp_rank_row, pid), { 0 } };

/* Fills the table with the rows. */
static tfp_status fill(ranks *x)
{
    tfp_rank_row *rows = tfp_ordered(tfp_arena_of(x->r), x->rows.at, sizeof *rows, x->rows.size, by_rank);
    const tfp_rank_rows all = { (char *)rows, sizeof *rows, 0, x->rows.size };
    tfp_status s = rows ? tfp_ranks_judge(x->r, &all, x->err) : tfp_nomem(x->err);
    return s ? s : tfp_grid_of(x->r, &(tfp_row_table){ tfp_rank_columns, rows, sizeof *rows, x->rows.size, 0 }, x->err);
}

static tfp_status add_all(ranks *x, const tfp_profile *dumps, const char *const *targets, size_t count)
{
    tfp_rank_pids pids = { 0 };
    tfp_rank_gone gone = { 0 };
    size_t ended = 0;
    int64_t began_ns = tfp_now_ns();
    tfp_live *l = tfp_live_new();
    tfp_status s = l ? tfp_live_set(l, "once", NULL, x->err) : tfp_nomem(x->err);
    if (!s) s = tfp_rank_processes(targets, count, &pids, &gone, x->err);
    for (size_t i = 0; i < pids.size && i < RANKS_MOST && !s; i++) s = add_process(x, l, pids.at[i]);
    if (!s && count && !x->read) s = tfp_fail(x->err, TFP_BADFILE, "%s", x->why);
    uint64_t job = x->rows.size ? x->rows.at[0].job : 0;
    if (!s && dumps && !tfp_ranks_add_dumps(dumps, job, tfp_arena_of(x->r), &x->rows)) s = tfp_nomem(x->err);
    if (!s && x->read) s = watch(x, l, began_ns);
    if (!s) s = find_groups(x);
    if (!s) s = tfp_ranks_ask_ras(x->rows.at, x->rows.size, tfp_arena_of(x->r), x->err);
    if (!s) s = add_ended(x, &ended);
    /* a number of no process is a rank that ended, or a mistake */
    if (!s && gone.count > ended) s = tfp_fail(x->err, TFP_BADFILE, "%s", gone.why);
    tfp_live_free(l);
    tfp_vec_free(&pids);
    return s;
}

tfp_status tfp_live_hang_with(const tfp_profile *dumps, const char *const *targets, size_t count, const tfp_options *o,
                              tfp_report **out, tfp_error *err)
{
    tfp_error_clear(err);
    if (out) *out = NULL;
    if (!out || (count && !targets) || count > RANKS_MOST)
        return tfp_fail(err, TFP_BADARG, "hang takes at most " TFP_QUOTED(RANKS_MOST) " processes");
    tfp_report *r = tfp_report_new("hang", o);
    if (!r) return tfp_nomem(err);
    tfp_table_of(r)->sentences = true;
    ranks x = { .r = r, .err = err };
    tfp_status s = add_all(&x, dumps, targets, count);
    if (!s) s = fill(&x);
    if (!s) s = tfp_grid_arrange(r, err);
    tfp_vec_free(&x.rows);
    tfp_vec_free(&x.looks);
    return tfp_report_give(r, s, out);
}

tfp_status tfp_live_hang(const char *const *targets, size_t count, const tfp_options *o, tfp_report **out,
                         tfp_error *err)
{
    return tfp_live_hang_with(NULL, targets, count, o, out, err);
}
