// SPDX-License-Identifier: Apache-2.0
/* views/memory/allocator_table.c: the table `memory` of PyTorch's memory snapshots: by line of the code at the peak, over time, by
 * kind of segment, and what ran out of memory. */
#include "model/files/allocator.h"
#include "model/tables/read.h"
#include "options/options.h"
#include "views/core/handle.h"
#include "views/core/view.h"
#include "views/memory/allocator.h"

typedef enum grouping { BY_LINE, BY_TIME, BY_SEGMENT, BY_OOM, GROUPINGS } grouping;
static const char *const words[GROUPINGS + 1] = { "line", "time", "segment", "oom", NULL };

typedef struct time_row {
    tfp_str device;
    int64_t at_us, held, change, in_use;
} time_row;

typedef struct segment_row {
    tfp_str device, pool, type;
    int64_t stream, segments, total, allocated, active, free, largest_free;
} segment_row;

typedef struct oom_row {
    tfp_str device, line;
    int64_t at_us, requested, device_free, held, reserved;
} oom_row;

/* clang-format off */
static const tfp_table_column line_columns[] = {
    TFP_COLUMN(tfp_heap_line, "device", TEXT, LABEL, device, "Where the memory is."),
    TFP_COLUMN(tfp_heap_line, "line", TEXT, LABEL, line, "The line of the user's code that allocated it."),
    TFP_COLUMN(tfp_heap_line, "bytes", INT, SIZE, bytes, "Held when the device held most."),
    TFP_COLUMN(tfp_heap_line, "share", REAL, SHARE, share, "Share of all that was held then."),
    TFP_COLUMN(tfp_heap_line, "holders", INT, NUMBER, holders, "Allocations."),
    TFP_COLUMN(tfp_heap_line, "at_us", INT, MICROS, at_us, "When that was, from the earliest time of the file."),
    { NULL, TFP_CELL_INT, TFP_LABEL, 0, NULL, 0 },
};
static const tfp_table_column time_columns[] = {
    TFP_COLUMN(time_row, "device", TEXT, LABEL, device, "Where the memory is."),
    TFP_COLUMN(time_row, "at_us", INT, MICROS, at_us, "When, from the earliest time of the file."),
    TFP_COLUMN(time_row, "held_bytes", INT, SIZE, held, "Held from then on."),
    TFP_COLUMN(time_row, "change_bytes", INT, SIZE, change, "More, or less, than before."),
    TFP_COLUMN(time_row, "in_use_bytes", INT, SIZE, in_use, "What the allocator had reserved on the device."),
    { NULL, TFP_CELL_INT, TFP_LABEL, 0, NULL, 0 },
};
static const tfp_table_column segment_columns[] = {
    TFP_COLUMN(segment_row, "device", TEXT, LABEL, device, "Where the memory is."),
    TFP_COLUMN(segment_row, "stream", INT, LABEL, stream, "The stream that its blocks are for."),
    TFP_COLUMN(segment_row, "pool", TEXT, LABEL, pool, "The private pool, such as that of a CUDA graph; 0,0 is the common pool."),
    TFP_COLUMN(segment_row, "type", TEXT, LABEL, type, "For small allocations (up to 1 MB) or large ones."),
    TFP_COLUMN(segment_row, "segments", INT, NUMBER, segments, "How many at the end of the recording."),
    TFP_COLUMN(segment_row, "total_bytes", INT, SIZE, total, "Reserved on the device."),
    TFP_COLUMN(segment_row, "allocated_bytes", INT, SIZE, allocated, "In blocks that tensors hold."),
    TFP_COLUMN(segment_row, "active_bytes", INT, SIZE, active, "In blocks that tensors hold or a stream still uses."),
    TFP_COLUMN(segment_row, "free_bytes", INT, SIZE, free, "In free blocks."),
    TFP_COLUMN(segment_row, "largest_free_bytes", INT, SIZE, largest_free, "The largest free block: a bigger allocation needs a new segment."),
    { NULL, TFP_CELL_INT, TFP_LABEL, 0, NULL, 0 },
};
static const tfp_table_column oom_columns[] = {
    TFP_COLUMN(oom_row, "device", TEXT, LABEL, device, "Which device was out of memory."),
    TFP_COLUMN(oom_row, "at_us", INT, MICROS, at_us, "When, from the earliest time of the file."),
    TFP_COLUMN(oom_row, "requested_bytes", INT, SIZE, requested, "What was asked for."),
    TFP_COLUMN(oom_row, "device_free_bytes", INT, SIZE, device_free, "What the device had free."),
    TFP_COLUMN(oom_row, "held_bytes", INT, SIZE, held, "Held by tensors then."),
    TFP_COLUMN(oom_row, "reserved_bytes", INT, SIZE, reserved, "Reserved by the allocator then."),
    TFP_COLUMN(oom_row, "line", TEXT, LABEL, line, "The line of the user's code that asked."),
    { NULL, TFP_CELL_INT, TFP_LABEL, 0, NULL, 0 },
};
/* clang-format on */

enum { SHOWN = 10, SHOWN_TIMES = 40 };

static tfp_status fill_lines(tfp_heap *p, tfp_grid *g, bool at_end, tfp_error *err)
{
    tfp_heap_lines rows = { 0 };
    tfp_heap_holders of = { 0 };
    bool ok = true;
    for (size_t i = 0; i < p->device_count && ok; i++) {
        const tfp_heap_device *d = &p->devices[i];
        const tfp_heap_point *at = at_end ? &d->end : &d->peak;
        ok = tfp_heap_holders_at(p, d, at->done, &of);
        size_t kept = 0;
        for (size_t k = 0; k < of.size; k++) /* for the end: only what the recording added */
            if (!at_end || of.at[k].recorded) of.at[kept++] = of.at[k];
        of.size = kept;
        ok = ok && tfp_heap_add_lines(p, d, at, &of, &rows);
    }
    g->few = SHOWN;
    tfp_row_table of_lines = { line_columns, rows.at, sizeof *rows.at, rows.size, 0 };
    tfp_status s = ok ? tfp_grid_fill(p->r, g, &of_lines, err) : tfp_nomem(err);
    tfp_vec_free(&rows);
    tfp_vec_free(&of);
    return s;
}

typedef struct time_rows {
    tfp_grid *grid; /* NULL: the rows are only counted */
    tfp_row_table of;
    size_t count;
} time_rows;

static void add_time(time_rows *to, const time_row *row)
{
    if (to->grid) tfp_grid_put(to->grid, &to->of, to->count, row);
    to->count++;
}

/* A row for each time that changed something. */
static void add_times(const tfp_heap *p, const tfp_heap_device *d, time_rows *to)
{
    tfp_heap_point now = d->before;
    time_row row = { 0 };
    for (size_t k = 0; k < d->entry_count; k++) {
        const tfp_allocator_entry *e = tfp_heap_entry(p, d, k);
        int64_t at_us = tfp_heap_time(p, e), held = now.held;
        tfp_heap_step(&now, e);
        if (e->action == TFP_ALLOCATOR_OOM) continue;
        if (row.device.data && row.at_us != at_us) add_time(to, &row);
        if (!row.device.data || row.at_us != at_us) row = (time_row){ d->name, at_us, 0, 0, 0 };
        row.held = now.held;
        row.change = tfp_add(row.change, tfp_add(now.held, -held, NULL), NULL);
        row.in_use = now.reserved;
    }
    if (row.device.data) add_time(to, &row);
}

/* Counted first and then put in place one by one: a snapshot may have a row for each of its entries. */
static tfp_status fill_times(tfp_heap *p, tfp_grid *g, tfp_error *err)
{
    time_rows rows = { .of = { .columns = time_columns } };
    for (size_t i = 0; i < p->device_count; i++) add_times(p, &p->devices[i], &rows);
    g->few = SHOWN_TIMES;
    rows.of.row_count = rows.count;
    tfp_status s = tfp_grid_begin(p->r, g, &rows.of, err);
    if (s) return s;
    rows.grid = g;
    rows.count = 0;
    for (size_t i = 0; i < p->device_count; i++) add_times(p, &p->devices[i], &rows);
    return TFP_OK;
}

static tfp_status fill_segments(tfp_heap *p, tfp_grid *g, tfp_error *err)
{
    const tfp_allocator_tables *t = tfp_allocator_of(tfp_profile_of(p->r));
    segment_row *rows = TFP_NEW(tfp_arena_of(p->r), segment_row, t->segments.size + 1);
    if (!rows) return tfp_nomem(err);
    for (size_t i = 0; i < t->segments.size; i++) {
        const tfp_allocator_segment *s = &t->segments.at[i];
        rows[i] = (segment_row){ p->devices[s->device].name,
                                 s->pool ? tfp_text(tfp_profile_of(p->r), s->pool) : (tfp_str){ 0 },
                                 s->type ? tfp_text(tfp_profile_of(p->r), s->type) : (tfp_str){ 0 },
                                 s->stream,
                                 s->count,
                                 s->total_bytes,
                                 s->allocated_bytes,
                                 s->active_bytes,
                                 s->free_bytes,
                                 s->largest_free_bytes };
    }
    g->few = SHOWN;
    return tfp_grid_fill(p->r, g, &(tfp_row_table){ segment_columns, rows, sizeof *rows, t->segments.size, 0 }, err);
}

static tfp_status fill_ooms(tfp_heap *p, tfp_grid *g, tfp_error *err)
{
    TFP_VEC(oom_row) rows = { 0 };
    bool ok = true;
    for (size_t i = 0; i < p->device_count && ok; i++) {
        const tfp_heap_device *d = &p->devices[i];
        tfp_heap_point now = d->before;
        for (size_t k = 0; k < d->entry_count && ok; k++) {
            const tfp_allocator_entry *e = tfp_heap_entry(p, d, k);
            tfp_heap_step(&now, e);
            if (e->action != TFP_ALLOCATOR_OOM) continue;
            oom_row x = { d->name,     tfp_heap_line_of(p, e->trace), tfp_heap_time(p, e),
                          e->bytes,    (int64_t)e->address,           now.held,
                          now.reserved };
            ok = x.line.data && tfp_push(&rows, x);
        }
    }
    tfp_row_table of = { oom_columns, rows.at, sizeof *rows.at, rows.size, 0 };
    tfp_status s = ok ? tfp_grid_fill(p->r, g, &of, err) : tfp_nomem(err);
    tfp_vec_free(&rows);
    return s;
}

static tfp_status fill(tfp_heap *p, tfp_grid *g, grouping by, tfp_error *err)
{
    switch (by) {
    case BY_TIME: return fill_times(p, g, err);
    case BY_SEGMENT: return fill_segments(p, g, err);
    case BY_OOM: return fill_ooms(p, g, err);
    default: return fill_lines(p, g, false, err);
    }
}

/* Without -by: the table by line, followed by what grew, the segments, and what ran out of memory. */
static tfp_status add_parts(tfp_heap *p, tfp_error *err)
{
    tfp_grid *g = tfp_grid_part_add(p->r, "growth", "allocated in the recording and held at its end");
    tfp_status s = g ? fill_lines(p, g, true, err) : tfp_nomem(err);
    if (!s) {
        g = tfp_grid_part_add(p->r, "segments", "segments at the end (-by segment)");
        s = g ? fill_segments(p, g, err) : tfp_nomem(err);
    }
    if (s || !tfp_heap_last_oom(p)) return s;
    g = tfp_grid_part_add(p->r, "ooms", "out of memory (-by oom); over time: -by time");
    return g ? fill_ooms(p, g, err) : tfp_nomem(err);
}

tfp_status tfp_memory_of_allocator(tfp_report *r, tfp_error *err)
{
    const char *by = tfp_options_of(r)->verb.by;
    size_t chosen = BY_LINE;
    tfp_heap p;
    if (by && !tfp_word_find(tfp_str_of(by), words, &chosen))
        return tfp_fail(err, TFP_BADARG, "option -by: value '%s': a memory snapshot has line, time, segment and oom",
                        by);
    tfp_status s = tfp_heap_new(r, &p, err);
    if (!s) s = tfp_heap_facts(&p, err);
    if (!s) s = fill(&p, tfp_table_of(r), (grouping)chosen, err);
    return s || by ? s : add_parts(&p, err);
}

static tfp_status build_held(tfp_report *r, tfp_error *err)
{
    tfp_heap p;
    if (!tfp_allocator_of(tfp_profile_of(r))->devices.size) return tfp_fail(err, TFP_NOTFOUND, "no memory snapshot");
    tfp_status s = tfp_heap_new(r, &p, err);
    return s ? s : fill_lines(&p, tfp_table_of(r), false, err);
}

/* For SQL: the table `held`. */
const tfp_view tfp_view_held = {
    "held",
    "Of memory snapshots: who held memory at the peak, by line.",
    TFP_REPORT_GRID,
    NULL,
    NULL,
    build_held,
    TFP_TAKES_SNAPSHOTS,
    line_columns,
    NULL,
    TFP_ROWS_OTHER,
};
