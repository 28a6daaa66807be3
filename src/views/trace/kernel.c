// SPDX-License-Identifier: Apache-2.0
/* views/trace/kernel.c: the table `kernel`: activities of devices by name and class: how often, how long, and which ops launched
 * them. */
#include "model/graphs.h"
#include "model/slim.h"
#include "model/tables/events.h"
#include "model/tables/graph.h"
#include "model/tables/lanes.h"
#include "model/tables/read.h"
#include "views/core/coverage.h"
#include "views/core/handle.h"
#include "views/core/notes.h"
#include "views/core/view.h"
#include "views/trace/tables.h"

#include <math.h>
#include <stdlib.h>

#define OPS_SHOWN 3

typedef struct kernel_row {
    int64_t rank;
    tfp_str name, class, ops, certainty;
    int64_t count, total_ns, min_ns, max_ns, bytes;
    int64_t by_certainty[TFP_CERTAINTIES]; /* its time for each certainty */
    double mean_us, share, occupancy, attributed;
    uint32_t certainties;    /* bits: the certainties that occur */
    uint32_t unit, first_op; /* first_op: index in ops */
    bool async;
} kernel_row;

typedef struct op_count {
    tfp_strid op;
    uint32_t row, next;
    int64_t count;
} op_count;

typedef struct occupied { /* time of a row's activities with the same occupancy */
    uint32_t row;
    double percent;
    int64_t count, total_ns;
} occupied;

typedef struct kernels {
    tfp_report *r;
    const tfp_trace_index *x;
    tfp_bytes_keys bytes;
    tfp_occupancy_keys occupancy;
    tfp_map64 row_by_name; /* hash of unit, class, lane role and name -> index in rows */
    tfp_map64 op_by_row;   /* row << 32 | op -> index in ops */
    TFP_VEC(kernel_row) rows;
    TFP_VEC(tfp_strid) names; /* for each row: its name in the profile */
    TFP_VEC(op_count) ops;
    TFP_VEC(occupied) occupied;
    tfp_map64 occupied_by_row;
} kernels;

/* One activity, or several equal ones. */
typedef struct alike {
    uint32_t unit;
    tfp_strid name, op; /* op: TFP_NONE: they have no node */
    tfp_told told;
    bool async;
    uint8_t certainty;
    int64_t count, total_ns, min_ns, max_ns;
} alike;

/* Adds time with an occupancy, in whole numbers, so that the mean does not depend on the order of activities. */
static bool add_occupancy(kernels *t, const alike *a, uint32_t row)
{
    double percent;
    if (!tfp_told_occupancy(t->x->p, a->told.stats, &t->occupancy, &percent)) return true;
    uint64_t bits;
    memcpy(&bits, &percent, sizeof bits);
    uint64_t words[] = { row, bits };
    for (uint64_t key = tfp_hash(words, sizeof words);; key++) {
        uint32_t at = tfp_map64_get(&t->occupied_by_row, key);
        if (at == TFP_NONE) {
            occupied o = { row, percent, a->count, a->total_ns };
            return tfp_map64_put(&t->occupied_by_row, key, (uint32_t)t->occupied.size) && tfp_push(&t->occupied, o);
        }
        occupied *o = &t->occupied.at[at];
        if (o->row != row || o->percent != percent) continue;
        o->count = tfp_add(o->count, a->count, NULL);
        o->total_ns = tfp_add(o->total_ns, a->total_ns, NULL);
        return true;
    }
}

/* ---- rows ---- */

static const char *class_name(unsigned class)
{
    static const char *const names[] = { [TFP_CLASS_COMPUTE] = "compute",
                                         [TFP_CLASS_COMMUNICATION] = "communication",
                                         [TFP_CLASS_COPY] = "copy",
                                         [TFP_CLASS_SET] = "set" };
    return names[class & 3];
}

/* The row of a name and class, added if it is new; TFP_NONE: out of memory. */
static uint32_t row_of(kernels *t, const alike *a)
{
    const char *class = class_name(a->told.class);
    uint32_t words[] = { a->unit, a->told.class, a->async, a->name };
    for (uint64_t key = tfp_hash(words, sizeof words);; key++) {
        uint32_t at = tfp_map64_get(&t->row_by_name, key);
        if (at == TFP_NONE) {
            at = (uint32_t)t->rows.size;
            kernel_row row = { .rank = t->x->units[a->unit].rank,
                               .class = tfp_str_of(class),
                               .min_ns = INT64_MAX,
                               .bytes = TFP_ABSENT,
                               .unit = a->unit,
                               .first_op = TFP_NONE,
                               .async = a->async };
            return tfp_push(&t->rows, row) && tfp_push(&t->names, a->name) && tfp_map64_put(&t->row_by_name, key, at)
                       ? at
                       : TFP_NONE;
        }
        const kernel_row *row = &t->rows.at[at];
        if (row->unit == a->unit && row->async == a->async && t->names.at[at] == a->name &&
            tfp_str_eq(row->class, tfp_str_of(class)))
            return at;
    }
}

static bool add_op(kernels *t, uint32_t row, const alike *a)
{
    if (a->op == TFP_NONE) return true;
    uint64_t key = (uint64_t)row << 32 | a->op;
    uint32_t at = tfp_map64_get(&t->op_by_row, key);
    if (at != TFP_NONE) {
        t->ops.at[at].count += a->count;
        return true;
    }
    op_count new_op = { a->op, row, t->rows.at[row].first_op, a->count };
    t->rows.at[row].first_op = (uint32_t)t->ops.size;
    return tfp_map64_put(&t->op_by_row, key, (uint32_t)t->ops.size) && tfp_push(&t->ops, new_op);
}

static bool add(kernels *t, const alike *a)
{
    uint32_t at = row_of(t, a);
    int64_t bytes;
    if (at == TFP_NONE || !add_op(t, at, a)) return false;
    kernel_row *row = &t->rows.at[at];
    row->count += a->count;
    row->total_ns = tfp_add(row->total_ns, a->total_ns, NULL);
    row->by_certainty[a->certainty] = tfp_add(row->by_certainty[a->certainty], a->total_ns, NULL);
    row->certainties |= 1u << a->certainty;
    if (a->min_ns < row->min_ns) row->min_ns = a->min_ns;
    if (a->max_ns > row->max_ns) row->max_ns = a->max_ns;
    if (tfp_told_bytes(t->x->p, &a->told, &t->bytes, &bytes))
        row->bytes = tfp_add(row->bytes == TFP_ABSENT ? 0 : row->bytes, tfp_mul(bytes, a->count, NULL), NULL);
    return add_occupancy(t, a, at);
}

static uint32_t op_of(const tfp_profile *p, uint32_t node)
{
    return node == TFP_NONE ? TFP_NONE : tfp_graph_of(p)->nodes.at[node].op;
}

static bool is_on_tpu(const tfp_profile *p, uint32_t lane)
{
    return tfp_is_tpu(tfp_text(p, tfp_lanes_of(p)->at[lane].device));
}

static bool add_span(kernels *t, uint32_t span)
{
    const tfp_profile *p = t->x->p;
    const tfp_span_columns *s = t->x->s;
    int64_t ns = s->self_ns[span];
    uint32_t launch = s->launch[span], lane = s->lane[span];
    alike a = { .unit = t->x->one_file ? 0 : tfp_trace_unit_of(t->x, span),
                .name = s->name[span],
                .op = op_of(p, s->node[span]),
                .told = { .stats = s->stats[span],
                          .call_stats = launch == TFP_NONE ? TFP_NONE : s->stats[launch],
                          .class = s->class[span],
                          .tpu = is_on_tpu(p, lane) },
                .async = tfp_lanes_of(p)->at[lane].role == TFP_ROLE_ASYNC,
                .certainty = tfp_span_attribution(p, span).certainty,
                .count = 1,
                .total_ns = ns,
                .min_ns = ns,
                .max_ns = ns };
    return add(t, &a);
}

static bool add_group(kernels *t, uint32_t lane, const tfp_slim_group *g)
{
    const tfp_profile *p = t->x->p;
    const tfp_slim_kind *k = &tfp_events_of(p)->slim->slim_kinds.at[g->kind];
    uint32_t process = tfp_lanes_of(p)->at[lane].process;
    if (k->kind != TFP_SPAN_ACTIVITY || process == TFP_NONE || !tfp_step_takes(tfp_step_of(t->r), g->step)) return true;
    alike a = { .unit = t->x->one_file ? 0 : t->x->unit_of_process[process],
                .name = k->name,
                .op = op_of(p, g->node),
                .told = { .stats = k->stats,
                          .call_stats =
                              g->call == TFP_NONE ? TFP_NONE : tfp_events_of(p)->slim->slim_kinds.at[g->call].stats,
                          .class = g->class,
                          .tpu = is_on_tpu(p, lane) },
                .async = tfp_lanes_of(p)->at[lane].role == TFP_ROLE_ASYNC,
                .certainty = (uint8_t)tfp_certainty_of_own(p, lane, k->path),
                .count = g->count,
                .total_ns = g->self_ns,
                .min_ns = g->min_ns,
                .max_ns = g->max_ns };
    return add(t, &a);
}

/* ---- the texts of rows ---- */

static bool goes_before(const tfp_profile *p, const op_count *a, const op_count *b)
{
    if (a->count != b->count) return a->count > b->count;
    return tfp_str_cmp(tfp_text(p, a->op), tfp_text(p, b->op)) < 0;
}

/* The most frequent ops, joined by '|'. */
static bool name_ops(const kernels *t, kernel_row *row)
{
    const op_count *best[OPS_SHOWN];
    size_t count = 0;
    tfp_buf text = { 0 };
    for (uint32_t i = row->first_op; i != TFP_NONE; i = t->ops.at[i].next) {
        const op_count *op = &t->ops.at[i];
        size_t place = count;
        while (place > 0 && goes_before(t->x->p, op, best[place - 1])) place--;
        if (place >= OPS_SHOWN) continue;
        if (count < OPS_SHOWN) count++;
        for (size_t k = count - 1; k > place; k--) best[k] = best[k - 1];
        best[place] = op;
    }
    for (size_t i = 0; i < count; i++) {
        if (i) tfp_buf_char(&text, '|');
        tfp_buf_str(&text, tfp_text(t->x->p, best[i]->op));
    }
    tfp_str ops = tfp_buf_move(&text, tfp_arena_of(t->r));
    row->ops = count ? ops : (tfp_str){ 0 };
    return ops.data != NULL;
}

static bool name_certainties(const kernels *t, kernel_row *row)
{
    double known = (double)row->total_ns - (double)row->by_certainty[TFP_SURE_BY_NONE];
    row->attributed = row->total_ns ? known / (double)row->total_ns : NAN;
    return (row->certainty = tfp_certainties_text(tfp_arena_of(t->r), row->by_certainty, row->certainties)).data !=
           NULL;
}

tfp_str tfp_activity_shown(tfp_arena *arena, tfp_str name, bool async)
{
    tfp_str mark = TFP_STR(" (async)");
    if (!async || tfp_str_ends(name, mark)) return name;
    tfp_buf text = { 0 };
    tfp_buf_str(&text, name);
    tfp_buf_str(&text, mark);
    return tfp_buf_move(&text, arena);
}

static bool name_row(const kernels *t, kernel_row *row, tfp_str name)
{
    row->name = tfp_activity_shown(tfp_arena_of(t->r), name, row->async);
    return row->name.data != NULL;
}

static int by_percent(const void *a, const void *b)
{
    const occupied *x = a, *y = b;
    if (x->row != y->row) return x->row < y->row ? -1 : 1;
    return x->percent < y->percent ? -1 : x->percent > y->percent;
}

/* The mean occupancy is weighted by the activities' durations, or not weighted if none has a duration. */
static void finish_occupancy(kernels *t)
{
    for (size_t i = 0; i < t->rows.size; i++) t->rows.at[i].occupancy = NAN;
    if (t->occupied.size) qsort(t->occupied.at, t->occupied.size, sizeof *t->occupied.at, by_percent);
    for (size_t i = 0, end; i < t->occupied.size; i = end) {
        double weighted = 0, weight = 0, plain = 0, count = 0;
        uint32_t row = t->occupied.at[i].row;
        for (end = i; end < t->occupied.size && t->occupied.at[end].row == row; end++) {
            const occupied *o = &t->occupied.at[end];
            weighted += o->percent * (double)o->total_ns;
            weight += (double)o->total_ns;
            plain += o->percent * (double)o->count;
            count += (double)o->count;
        }
        t->rows.at[row].occupancy = weight > 0 ? weighted / weight : plain / count;
    }
}

static bool finish_rows(kernels *t)
{
    finish_occupancy(t);
    int64_t *all = TFP_NEW(tfp_arena_of(t->r), int64_t, t->x->unit_count + 1);
    if (!all) return false;
    for (size_t i = 0; i < t->rows.size; i++)
        if (!t->rows.at[i].async)
            all[t->rows.at[i].unit] = tfp_add(all[t->rows.at[i].unit], t->rows.at[i].total_ns, NULL);
    for (size_t i = 0; i < t->rows.size; i++) {
        kernel_row *row = &t->rows.at[i];
        row->mean_us = (double)row->total_ns / 1000 / (double)row->count;
        row->share = row->async || !all[row->unit] ? NAN : (double)row->total_ns / (double)all[row->unit];
        if (!name_row(t, row, tfp_text(t->x->p, t->names.at[i])) || !name_ops(t, row) || !name_certainties(t, row))
            return false;
    }
    return true;
}

static bool more_first(const void *ctx, uint32_t a, uint32_t b)
{
    const kernel_row *rows = ctx, *x = &rows[a], *y = &rows[b];
    if (x->unit != y->unit) return x->unit < y->unit;
    if (x->total_ns != y->total_ns) return x->total_ns > y->total_ns;
    int order = tfp_str_cmp(x->name, y->name);
    return order ? order < 0 : tfp_str_cmp(x->class, y->class) < 0;
}

/* ---- the table ---- */

/* clang-format off */
static const tfp_row_column columns[] = {
    TFP_COLUMN_ONLY(kernel_row, "rank", INT, NUMBER, rank, "Rank of the process.", TFP_SHOWN_RANKS),
    TFP_COLUMN_KERNELS(kernel_row, "name", name, "Kernel, copy or instruction."),
    TFP_COLUMN(kernel_row, "class", TEXT, LABEL, class, "compute, communication, copy or set."),
    TFP_COLUMN(kernel_row, "count", INT, NUMBER, count, "How often it ran."),
    TFP_COLUMN(kernel_row, "total_us", NANO, MICROS, total_ns, "Its total time on the device."),
    TFP_COLUMN(kernel_row, "mean_us", REAL, MICROS, mean_us, "Its mean time."),
    TFP_COLUMN(kernel_row, "min_us", NANO, MICROS, min_ns, "Its shortest time."),
    TFP_COLUMN(kernel_row, "max_us", NANO, MICROS, max_ns, "Its longest time."),
    TFP_COLUMN(kernel_row, "share", REAL, SHARE, share, "Share of the time of all rows of the rank."),
    TFP_COLUMN(kernel_row, "bytes", INT, SIZE, bytes, "Copied, set or accessed."),
    TFP_COLUMN(kernel_row, "occupancy", REAL, NUMBER, occupancy, "Estimated achieved occupancy in percent, weighted by time."),
    TFP_COLUMN(kernel_row, "ops", TEXT, LABEL, ops, "The ops that launched it, the most frequent first; at most three."),
    TFP_COLUMN(kernel_row, "attributed", REAL, SHARE, attributed, "The share of its time whose place in the model is known."),
    TFP_COLUMN(kernel_row, "certainty", TEXT, LABEL, certainty, "How the places are known, most time first: launch, id, unique, order, partial, name, annotated, none."),
    { 0 }
};
/* clang-format on */

static bool fill(kernels *t)
{
    const tfp_span_columns *s = t->x->s;
    for (uint32_t i = 0; i < s->size; i++) {
        if (s->kind[i] != TFP_SPAN_ACTIVITY || tfp_trace_unit_of(t->x, i) == TFP_NONE) continue;
        if (tfp_span_in_step(t->r, i) && !add_span(t, i)) return false;
    }
    for (size_t i = 0; i < tfp_events_of(t->x->p)->slim->slims.size; i++) {
        const tfp_slim_lane *f = &tfp_events_of(t->x->p)->slim->slims.at[i];
        for (size_t k = 0; k < f->groups.size && !f->wide; k++)
            if (!add_group(t, f->lane, &f->groups.at[k])) return false;
    }
    return finish_rows(t);
}

static tfp_status build(tfp_report *r, tfp_error *err)
{
    tfp_trace_index x;
    tfp_status s = tfp_trace_index_new(r, &x, err);
    if (s) return s;
    const tfp_profile *p = tfp_profile_of(r);
    kernels t = { .r = r, .x = &x, .bytes = tfp_bytes_keys_of(p), .occupancy = tfp_occupancy_keys_of(p) };
    kernel_row *rows =
        fill(&t) ? tfp_rows_sorted(tfp_arena_of(r), t.rows.at, sizeof *t.rows.at, t.rows.size, more_first) : NULL;
    unsigned shown = x.one_file ? 0 : tfp_trace_shown(&x);
    s = rows ? tfp_grid_of(r, &(tfp_row_table){ columns, rows, sizeof *rows, t.rows.size, shown }, err)
             : tfp_nomem(err);
    if (!s && x.one_file && x.unit_count > 1)
        s = tfp_report_note_add(r, TFP_NOTE_RANKS_TOGETHER, err, "the kernels of %zu ranks of one file are added",
                                x.unit_count);
    tfp_map64_free(&t.row_by_name);
    tfp_map64_free(&t.op_by_row);
    tfp_vec_free(&t.rows);
    tfp_vec_free(&t.names);
    tfp_vec_free(&t.ops);
    tfp_vec_free(&t.occupied);
    tfp_map64_free(&t.occupied_by_row);
    return s;
}

const tfp_view tfp_view_kernel = {
    "kernel",
    "Kernels, copies and collectives of devices: how often, how long, which ops launch them.",
    TFP_REPORT_GRID,
    NULL,
    NULL,
    build,
    TFP_NEEDS_SPANS | TFP_ROWS_DO,
    columns,
    "no kernel, copy or collective of a device",
    .row_traits = TFP_ADDS_ATTRIBUTION,
};
