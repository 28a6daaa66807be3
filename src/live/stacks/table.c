// SPDX-License-Identifier: Apache-2.0
/* live/stacks/table.c: the tables `stacks`, one row per function with its samples, and `threads`, one row per frame. */
#include "live/stacks/parts.h"
#include "query/order.h"
#include "views/core/grid.h"
#include "views/core/notes.h"
#include "views/core/handle.h"

/* ---- the table of functions ---- */

typedef struct stacks_row {
    tfp_str name, kind;
    int64_t self, total;
    double self_share, total_share;
} stacks_row;

/* clang-format off */
static const tfp_table_column stacks_columns[] = {
    TFP_COLUMN(stacks_row, "name", TEXT, LABEL, name, "FILE:LINE:FUNCTION; the line is that of the def. Of native code LIBRARY:FUNCTION."),
    TFP_COLUMN(stacks_row, "kind", TEXT, LABEL, kind, "python, native"),
    TFP_COLUMN(stacks_row, "self", INT, NUMBER, self, "Samples in which it was the innermost."),
    TFP_COLUMN(stacks_row, "total", INT, NUMBER, total, "Samples in which it was on the stack."),
    TFP_COLUMN(stacks_row, "self_share", REAL, SHARE, self_share, "Of all samples."),
    TFP_COLUMN(stacks_row, "total_share", REAL, SHARE, total_share, "Of all samples."),
    { NULL, TFP_CELL_INT, TFP_LABEL, 0, NULL, 0 },
};
/* clang-format on */

static const tfp_sort_key most_self[] = {
    TFP_DOWN(stacks_row, self), TFP_DOWN(stacks_row, total), TFP_UP(stacks_row, name), { 0 }
};

static bool keep_moments(tfp_sampler *s, tfp_stacks *all)
{
    tfp_arena *a = tfp_arena_of(s->r);
    tfp_stack_thread *threads = TFP_NEW(a, tfp_stack_thread, s->threads.list.size + 1);
    tfp_stack_moment *moments = TFP_NEW(a, tfp_stack_moment, s->stacks.moments.size + 1);
    if (!threads || !moments) return false;
    for (size_t i = 0; i < s->threads.list.size; i++) {
        tfp_str name = tfp_strtab_get(&s->functions.names, s->threads.list.at[i].name);
        threads[i] = (tfp_stack_thread){ s->threads.list.at[i].tid, { tfp_arena_copy(a, name), name.size } };
        if (!threads[i].name.data) return false;
    }
    for (size_t i = 0; i < s->stacks.moments.size; i++) {
        moments[i] = s->stacks.moments.at[i];
        moments[i].stack--; /* key 0 is the empty string */
    }
    all->threads = threads;
    all->thread_count = s->threads.list.size;
    all->moments = moments;
    all->moment_count = s->stacks.moments.size;
    return true;
}

tfp_stacks *tfp_stacks_keep(tfp_sampler *s)
{
    tfp_arena *a = tfp_arena_of(s->r);
    tfp_stacks *all = TFP_NEW(a, tfp_stacks, 1);
    tfp_stack *stacks = TFP_NEW(a, tfp_stack, s->stacks.keys.count + 1);
    tfp_stack_function *functions = TFP_NEW(a, tfp_stack_function, s->functions.list.size + 1);
    if (!all || !stacks || !functions) return NULL;
    if (s->functions.list.size) memcpy(functions, s->functions.list.at, s->functions.list.size * sizeof *functions);
    for (size_t i = 0; i < s->functions.list.size;
         i++) { /* names are copied, because their table is freed before the report */
        const char *name = tfp_arena_copy(a, functions[i].name);
        if (!name) return NULL;
        functions[i].name.data = name;
    }
    for (size_t i = 1; i < s->stacks.keys.count; i++) { /* 0 is the empty string */
        tfp_str key = tfp_strtab_get(&s->stacks.keys, (tfp_strid)i);
        size_t count = key.size / sizeof(uint32_t);
        uint32_t *ids = TFP_NEW(a, uint32_t, count);
        if (!ids) return NULL;
        memcpy(ids, key.data, key.size);
        tfp_str thread = tfp_strtab_get(&s->functions.names, ids[0]);
        const char *name = tfp_arena_copy(a, thread);
        if (!name) return NULL;
        stacks[i - 1] = (tfp_stack){ { name, thread.size }, ids + 1, count - 1, s->stacks.counts.at[i] };
    }
    *all = (tfp_stacks){ .functions = functions,
                         .stacks = stacks,
                         .function_count = s->functions.list.size,
                         .stack_count = s->stacks.keys.count ? s->stacks.keys.count - 1 : 0,
                         .samples = s->stacks.samples };
    return keep_moments(s, all) ? all : NULL;
}

tfp_status tfp_stacks_fill(tfp_report *r, const tfp_stacks *all, tfp_error *err)
{
    stacks_row *rows = TFP_NEW(tfp_arena_of(r), stacks_row, all->function_count + 1);
    size_t *mark = TFP_NEW(tfp_arena_of(r), size_t, all->function_count + 1);
    double samples = (double)all->samples;
    if (!rows || !mark) return tfp_nomem(err);
    for (size_t i = 0; i < all->stack_count; i++) {
        const tfp_stack *x = &all->stacks[i];
        rows[x->functions[0]].self += x->count;
        for (size_t k = 0; k < x->depth; k++) {
            uint32_t f = x->functions[k];
            if (mark[f] == i + 1) continue; /* a recursive function counts once per stack */
            mark[f] = i + 1;
            rows[f].total += x->count;
        }
    }
    for (size_t i = 0; i < all->function_count; i++) {
        rows[i].name = all->functions[i].name;
        rows[i].kind = all->functions[i].kind;
        rows[i].self_share = samples > 0 ? (double)rows[i].self / samples : 0;
        rows[i].total_share = samples > 0 ? (double)rows[i].total / samples : 0;
    }
    size_t count = 0; /* functions seen only in torn stacks have no sample */
    for (size_t i = 0; i < all->function_count; i++)
        if (rows[i].total) rows[count++] = rows[i];
    stacks_row *sorted = tfp_ordered(tfp_arena_of(r), rows, sizeof *rows, count, most_self);
    if (!sorted) return tfp_nomem(err);
    return tfp_grid_of(r, &(tfp_row_table){ stacks_columns, sorted, sizeof *sorted, count, 0 }, err);
}

/* ---- one reading of every thread ---- */

#define WITH_LOCALS 1U

/* clang-format off */
static const tfp_table_column threads_columns[] = {
    TFP_COLUMN(threads_row, "tid", INT, LABEL, tid, "The kernel's number of the thread."),
    TFP_COLUMN(threads_row, "thread", TEXT, LABEL, thread, "The kernel's name of the thread."),
    TFP_COLUMN(threads_row, "state", TEXT, LABEL, state, "running, sleeping, waiting (for a device), stopped, traced"),
    TFP_COLUMN(threads_row, "depth", INT, LABEL, depth, "0: the innermost frame."),
    TFP_COLUMN(threads_row, "name", TEXT, LABEL, name, "FILE:LINE:FUNCTION; the line is the one at which it is. Of native code LIBRARY:FUNCTION."),
    TFP_COLUMN(threads_row, "kind", TEXT, LABEL, kind, "python, native, kernel"),
    TFP_COLUMN_ONLY(threads_row, "locals", TEXT, LABEL, locals, "Its local variables: numbers and texts, sizes of containers, types of others.", WITH_LOCALS),
    { NULL, TFP_CELL_INT, TFP_LABEL, 0, NULL, 0 },
};
/* clang-format on */

tfp_status tfp_threads_fill(tfp_report *r, const threads_rows *rows, bool locals, tfp_error *err)
{
    threads_row *all = TFP_NEW(tfp_arena_of(r), threads_row, rows->size + 1);
    if (!all) return tfp_nomem(err);
    if (rows->size) memcpy(all, rows->at, rows->size * sizeof *all);
    return tfp_grid_of(r, &(tfp_row_table){ threads_columns, all, sizeof *all, rows->size, locals ? WITH_LOCALS : 0 },
                       err);
}

bool tfp_stacks_over(const tfp_sampler *s) { return s->nomem || s->full || tfp_now_ns() > s->looks.until_ns; }

tfp_status tfp_stacks_note_limits(tfp_sampler *s, tfp_error *err)
{
    tfp_status status = TFP_OK;
    if (s->full) status = tfp_report_note_add(s->r, TFP_NOTE_SAMPLING_ENDED, err, "it ended early: %s", s->full);
    if (!status && s->threads.too_many)
        status = tfp_report_note_add(s->r, TFP_NOTE_THREADS_NOT_READ, err,
                                     "only %d of its Python threads were looked at", TFP_PYTHON_THREADS);
    if (!status && s->stacks.cut)
        status = tfp_report_note_add(
            s->r, TFP_NOTE_STACKS_CUT, err, "%lld stack%s more than %d frames: the others are left out",
            (long long)s->stacks.cut, s->stacks.cut == 1 ? " has" : "s have", TFP_PYTHON_DEPTH);
    if (!status && s->processes.unread)
        status = tfp_report_note_add(s->r, TFP_NOTE_PROCESSES_NOT_READ, err,
                                     "%zu of the processes that it started are not looked at; %s", s->processes.unread,
                                     s->processes.unread_why);
    return status;
}
