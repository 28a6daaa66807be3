// SPDX-License-Identifier: Apache-2.0
/* views/trace/kernel.c: the table `kernel`: activities of devices by name and class: how often, how long, and which ops launched
 * them. */
#include "model/graphs.h"
#include "model/tables/graph.h"
#include "model/tables/lanes.h"
#include "model/tables/read.h"
#include "model/trace/scan.h"
#include "options/options.h"
#include "query/groups.h"
#include "query/mix.h"
#include "query/order.h"
#include "views/core/coverage.h"
#include "views/core/handle.h"
#include "views/core/notes.h"
#include "views/core/view.h"
#include "views/spans/doubts.h"
#include "views/spans/places.h"
#include "views/trace/tables.h"

#include <math.h>
#include <stdlib.h>

#define OPS_SHOWN 3

typedef struct kernel_row {
    int64_t rank;
    tfp_str name, class, ops, certainty, lines, modules;
    tfp_str short_line; /* for people */
    tfp_fold ns;
    int64_t bytes;
    int64_t by_certainty[TFP_CERTAINTIES]; /* its time for each certainty */
    double mean_us, share, occupancy, attributed;
    uint32_t certainties; /* bits: the certainties that occur */
    uint32_t unit;
    bool async;
} kernel_row;

typedef struct op_count { /* how often an op launched activities of a row */
    uint32_t row;
    int64_t count;
    tfp_str op;
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
    tfp_groups rows;             /* kernel_row by unit, class, lane role and name */
    tfp_groups ops, occupied;    /* op_count by row and op; occupied by row and percent */
    bool has_lines, has_modules; /* the trace has some */
    tfp_span_places of;
    tfp_mix lines, modules;
} kernels;

static bool has_places(const kernels *t) { return t->has_lines || t->has_modules; }

/* One activity, or several equal ones. */
typedef struct alike {
    uint32_t unit;
    tfp_strid name, op; /* op: TFP_NONE: they have no node */
    tfp_stated stated;
    bool async;
    uint8_t certainty;
    tfp_str line, module; /* empty: not known */
    tfp_fold ns;
} alike;

/* Adds time with an occupancy, in whole numbers, so that the mean does not depend on the order of activities. */
static bool add_occupancy(kernels *t, const alike *a, uint32_t row)
{
    double percent;
    if (!tfp_stated_occupancy(t->x->p, a->stated.stats, &t->occupancy, &percent)) return true;
    uint64_t bits;
    memcpy(&bits, &percent, sizeof bits);
    occupied *o = TFP_GROUP(&t->occupied, row, bits);
    if (!o) return false;
    *o = (occupied){ row, percent, tfp_add(o->count, a->ns.count, NULL), tfp_add(o->total_ns, a->ns.total, NULL) };
    return true;
}

/* ---- rows ---- */

static bool add_op(kernels *t, const alike *a, uint32_t row)
{
    if (a->op == TFP_NONE) return true;
    op_count *op = TFP_GROUP(&t->ops, row, a->op);
    if (op) *op = (op_count){ row, tfp_add(op->count, a->ns.count, NULL), tfp_text(t->x->p, a->op) };
    return op != NULL;
}

static bool add(kernels *t, const alike *a)
{
    kernel_row *row = TFP_GROUP(&t->rows, a->unit, a->stated.class, a->async, a->name);
    int64_t bytes;
    if (!row) return false;
    if (t->rows.added)
        *row = (kernel_row){ .rank = t->x->units[a->unit].rank,
                             .name = tfp_text(t->x->p, a->name),
                             .class = tfp_str_of(tfp_span_class_name(a->stated.class)),
                             .bytes = TFP_ABSENT,
                             .unit = a->unit,
                             .occupancy = NAN,
                             .async = a->async };
    tfp_fold_join(&row->ns, &a->ns);
    row->by_certainty[a->certainty] = tfp_add(row->by_certainty[a->certainty], a->ns.total, NULL);
    row->certainties |= 1u << a->certainty;
    if (tfp_stated_bytes(t->x->p, &a->stated, &t->bytes, &bytes))
        row->bytes = tfp_add(row->bytes == TFP_ABSENT ? 0 : row->bytes, tfp_mul(bytes, a->ns.count, NULL), NULL);
    uint32_t at = tfp_group_index(&t->rows, row);
    if (t->has_lines && !tfp_mix_add(&t->lines, at, a->line, a->ns.total)) return false;
    if (t->has_modules && !tfp_mix_add(&t->modules, at, a->module, a->ns.total)) return false;
    return add_op(t, a, at) && add_occupancy(t, a, at);
}

/* The line of an operation, as a graph or the compiler says it. */
static tfp_str line_of_node(kernels *t, uint32_t node)
{
    uint32_t trace = node == TFP_NONE ? TFP_NONE : tfp_graph_of(t->x->p)->nodes.at[node].trace;
    return trace == TFP_NONE ? (tfp_str){ 0 } : tfp_place_name(&t->of, tfp_place_of_trace(&t->of, trace));
}

static uint32_t op_of(const tfp_profile *p, uint32_t node)
{
    return node == TFP_NONE ? TFP_NONE : tfp_graph_of(p)->nodes.at[node].op;
}

static bool is_on_tpu(const tfp_profile *p, uint32_t lane)
{
    return tfp_is_tpu(tfp_text(p, tfp_lanes_of(p)->at[lane].device));
}

static bool add_row(kernels *t, const tfp_scan_row *row)
{
    const tfp_profile *p = t->x->p;
    alike a = { .unit = t->x->one_file ? 0 : t->x->unit_of_process[row->process],
                .name = row->name,
                .op = op_of(p, row->node),
                .stated = { .stats = row->stats,
                            .call_stats = row->call_stats,
                            .class = row->class,
                            .tpu = is_on_tpu(p, row->lane) },
                .async = tfp_lanes_of(p)->at[row->lane].role == TFP_ROLE_ASYNC,
                .certainty = (uint8_t)tfp_scan_certainty(p, row),
                .ns = row->self_ns };
    if (has_places(t)) {
        tfp_activity_place place = tfp_place_of_row(&t->of, row);
        a.line = place.line.size ? place.line : line_of_node(t, row->node);
        a.module = tfp_module_class(place.module);
    }
    return add(t, &a);
}

/* ---- the texts of rows ---- */

static const tfp_sort_key frequent_first[] = {
    TFP_UP(op_count, row), TFP_DOWN(op_count, count), TFP_UP(op_count, op), { 0 }
};
static const tfp_sort_key by_percent[] = { TFP_UP(occupied, row), TFP_UP(occupied, percent), { 0 } };

/* Joins each row's most frequent ops by '|'. */
static bool name_ops(kernels *t)
{
    kernel_row *rows = t->rows.rows;
    const op_count *ops = t->ops.rows, *end = ops + t->ops.count;
    if (!tfp_order_rows(t->ops.rows, sizeof *ops, t->ops.count, frequent_first)) return false;
    while (ops < end) {
        uint32_t row = ops->row;
        tfp_buf text = { 0 };
        for (int shown = 0; ops < end && ops->row == row; ops++) {
            if (shown++ >= OPS_SHOWN) continue;
            if (shown > 1) tfp_buf_char(&text, '|');
            tfp_buf_str(&text, ops->op);
        }
        rows[row].ops = tfp_buf_move(&text, tfp_arena_of(t->r));
        if (!rows[row].ops.data) return false;
    }
    return true;
}

static bool name_certainties(const kernels *t, kernel_row *row)
{
    double known = (double)row->ns.total - (double)row->by_certainty[TFP_SURE_BY_NONE];
    row->attributed = row->ns.total ? known / (double)row->ns.total : NAN;
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

/* The mean occupancy is weighted by the activities' durations, or not weighted if none has a duration. */
static bool finish_occupancy(kernels *t)
{
    kernel_row *rows = t->rows.rows;
    const occupied *o = t->occupied.rows, *end = o + t->occupied.count;
    if (!tfp_order_rows(t->occupied.rows, sizeof *o, t->occupied.count, by_percent)) return false;
    while (o < end) {
        double weighted = 0, weight = 0, plain = 0, count = 0;
        uint32_t row = o->row;
        for (; o < end && o->row == row; o++) {
            weighted += o->percent * (double)o->total_ns;
            weight += (double)o->total_ns;
            plain += o->percent * (double)o->count;
            count += (double)o->count;
        }
        rows[row].occupancy = weight > 0 ? weighted / weight : plain / count;
    }
    return true;
}

static bool name_places(kernels *t)
{
    kernel_row *rows = t->rows.rows;
    tfp_arena *arena = tfp_arena_of(t->r);
    size_t count = t->rows.count;
    tfp_str *lines = TFP_NEW(arena, tfp_str, count + 1), *modules = TFP_NEW(arena, tfp_str, count + 1),
            *first = TFP_NEW(arena, tfp_str, count + 1);
    if (!lines || !modules || !first || !tfp_mix_texts(&t->lines, arena, count, lines, first) ||
        !tfp_mix_texts(&t->modules, arena, count, modules, NULL))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (t->has_lines) rows[i].lines = lines[i];
        if (t->has_modules) rows[i].modules = modules[i];
        rows[i].short_line = tfp_str_last_part(first[i]); /* "llama.py:52:attend" */
    }
    return true;
}

static bool finish_rows(kernels *t)
{
    kernel_row *rows = t->rows.rows, *end = rows + t->rows.count;
    int64_t *all = TFP_NEW(tfp_arena_of(t->r), int64_t, t->x->unit_count + 1);
    if (!all || !name_ops(t) || !finish_occupancy(t) || !name_places(t)) return false;
    for (const kernel_row *row = rows; row < end; row++)
        if (!row->async) all[row->unit] = tfp_add(all[row->unit], row->ns.total, NULL);
    for (kernel_row *row = rows; row < end; row++) {
        row->mean_us = (double)row->ns.total / 1000 / (double)row->ns.count;
        row->share = row->async || !all[row->unit] ? NAN : (double)row->ns.total / (double)all[row->unit];
        row->name = tfp_activity_shown(tfp_arena_of(t->r), row->name, row->async);
        if (!row->name.data || !name_certainties(t, row)) return false;
    }
    return true;
}

static const tfp_sort_key longest_first[] = {
    TFP_UP(kernel_row, unit), TFP_DOWN(kernel_row, ns.total), TFP_UP(kernel_row, name), TFP_UP(kernel_row, class), { 0 }
};

/* ---- the table ---- */

/* clang-format off */
static const tfp_table_column columns[] = {
    TFP_COLUMN_ONLY(kernel_row, "rank", INT, NUMBER, rank, "Rank of the process.", TFP_SHOWN_RANKS),
    TFP_COLUMN_KERNELS(kernel_row, "name", name, "Kernel, copy or instruction."),
    TFP_COLUMN(kernel_row, "class", TEXT, LABEL, class, "compute, communication, copy or set."),
    TFP_COLUMN(kernel_row, "count", INT, NUMBER, ns.count, "How often it ran."),
    TFP_COLUMN(kernel_row, "total_us", NANO, MICROS, ns.total, "Its total time on the device."),
    TFP_COLUMN(kernel_row, "mean_us", REAL, MICROS, mean_us, "Its mean time."),
    TFP_COLUMN(kernel_row, "min_us", NANO, MICROS, ns.min, "Its shortest time."),
    TFP_COLUMN(kernel_row, "max_us", NANO, MICROS, ns.max, "Its longest time."),
    TFP_COLUMN(kernel_row, "share", REAL, SHARE, share, "Share of the time of all rows of the rank."),
    TFP_COLUMN(kernel_row, "bytes", INT, SIZE, bytes, "Copied, set or accessed."),
    TFP_COLUMN(kernel_row, "occupancy", REAL, NUMBER, occupancy, "Estimated achieved occupancy in percent, weighted by time."),
    TFP_COLUMN(kernel_row, "ops", TEXT, LABEL, ops, "The ops that launched it, the most frequent first; at most three."),
    TFP_COLUMN(kernel_row, "attributed", REAL, SHARE, attributed, "The share of its time whose place in the model is known."),
    TFP_COLUMN(kernel_row, "certainty", TEXT, LABEL, certainty, "How the places are known, most time first: launch, id, unique, order, partial, name, annotated, eager, similar, none."),
    TFP_COLUMN(kernel_row, "lines", TEXT, LABEL, lines, "The lines of your code that launched it, with their shares of its time, the longest first; at most three. (none): no line is known. Empty: the trace has no code."),
    TFP_COLUMN(kernel_row, "modules", TEXT, LABEL, modules, "The classes of the modules that launched it, in the same form."),
    { 0 }
};
/* clang-format on */

static bool fill(kernels *t)
{
    tfp_scan_ask activities = { .kinds = TFP_SPANS(ACTIVITY), .step = tfp_step_of(t->r) };
    for (tfp_scan s = tfp_scan_of(t->x->p, &activities); tfp_scan_next(&s);)
        for (size_t i = 0; i < s.count; i++)
            if (!add_row(t, &s.rows[i])) return false;
    return finish_rows(t);
}

/* People see the first line in place of the occupancy. */
static tfp_status show_lines(tfp_report *r, const kernel_row *rows, size_t count, bool has_lines, tfp_error *err)
{
    static const char *const details[] = { "occupancy", "modules", NULL }, *const without[] = { "lines", "modules",
                                                                                                NULL };
    tfp_grid *g = tfp_table_of(r);
    tfp_grid_for_programs(g, has_lines ? details : without);
    if (!has_lines || tfp_options_of(r)->to.full_names) return TFP_OK;
    for (size_t i = 0; i < g->columns.size; i++) {
        tfp_table_column *c = &g->columns.at[i];
        if (strcmp(c->name, "lines") != 0) continue;
        c->shorts = TFP_NEW(tfp_arena_of(r), tfp_str, count + 1);
        if (!c->shorts) return tfp_nomem(err);
        for (size_t k = 0; k < count; k++) c->shorts[k] = rows[k].short_line;
    }
    return TFP_OK;
}

static tfp_status build(tfp_report *r, tfp_error *err)
{
    tfp_trace_index x;
    tfp_status s = tfp_trace_index_new(r, &x, err);
    if (s) return s;
    const tfp_profile *p = tfp_profile_of(r);
    kernels t = { .r = r,
                  .x = &x,
                  .bytes = tfp_bytes_keys_of(p),
                  .occupancy = tfp_occupancy_keys_of(p),
                  .rows.row_size = sizeof(kernel_row),
                  .ops.row_size = sizeof(op_count),
                  .occupied.row_size = sizeof(occupied) };
    size_t count;
    tfp_places_known(p, &t.has_lines, &t.has_modules);
    t.rows.failed |= (has_places(&t) && !tfp_span_places_of(r, &t.of)) || !fill(&t) || t.of.failed;
    kernel_row *rows = tfp_groups_end(&t.rows, tfp_arena_of(r), longest_first, &count);
    unsigned shown = x.one_file ? 0 : tfp_trace_shown(&x);
    s = rows ? tfp_grid_of(r, &(tfp_row_table){ columns, rows, sizeof *rows, count, shown }, err) : tfp_nomem(err);
    if (!s) s = show_lines(r, rows, count, t.has_lines, err);
    if (!s && x.one_file && x.unit_count > 1)
        s = tfp_report_note_add(r, TFP_NOTE_RANKS_TOGETHER, err, "the kernels of %zu ranks of one file are added",
                                x.unit_count);
    if (!s) s = tfp_note_lost(r, err);
    tfp_groups_free(&t.ops);
    tfp_groups_free(&t.occupied);
    tfp_mix_free(&t.lines);
    tfp_mix_free(&t.modules);
    if (has_places(&t)) tfp_span_places_free(&t.of);
    return s;
}

const tfp_view tfp_view_kernel = {
    "kernel",
    "Kernels, copies and collectives of devices: how often, how long, which ops launch them.",
    TFP_REPORT_GRID,
    NULL,
    NULL,
    build,
    TFP_NEEDS_SPANS,
    columns,
    "no kernel, copy or collective of a device",
    .row_traits = TFP_ADDS_ATTRIBUTION,
    .reads = TFP_READS_TIMES | TFP_READS_EACH_STEP,
};
