// SPDX-License-Identifier: Apache-2.0
/* views/limits/table.c: calls summed by operator, module, line or kernel. A kernel has the part of its calls' ideal time
 * that it has of their time. */
#include "model/tables/read.h"
#include "model/tables/spans.h"
#include "query/groups.h"
#include "query/order.h"
#include "views/core/handle.h"
#include "views/limits/tables.h"
#include "views/spans/trace.h"
#include "views/spans/places.h"

#include <math.h>

const char *const tfp_limits_by_words[] = { "op", "module", "layer", "line", "kernel", "shape", "chain", NULL };

/* clang-format off */
const tfp_table_column tfp_limit_columns[] = {
    TFP_COLUMN_ONLY(tfp_limit_row, "rank", INT, NUMBER, rank, "Rank of the process.", TFP_SHOWN_RANKS),
    TFP_COLUMN_KERNELS(tfp_limit_row, "name", name, "The operator, path of modules, line of the user's code, or kernel."),
    TFP_COLUMN(tfp_limit_row, "class", TEXT, LABEL, class, "product, convolution, attention, normalization, reduction, elementwise, movement, collective, transfer or other: that of most time."),
    TFP_COLUMN(tfp_limit_row, "calls", INT, NUMBER, calls, "Judged calls."),
    TFP_COLUMN(tfp_limit_row, "device_us", NANO, MICROS, device_ns, "Time on the device."),
    TFP_COLUMN(tfp_limit_row, "share", REAL, SHARE, share, "Share of the device's time of all rows."),
    TFP_COLUMN(tfp_limit_row, "ideal_us", REAL, MICROS, ideal_us, "The time that judged calls would take at the limits of the device."),
    TFP_COLUMN(tfp_limit_row, "loss_us", REAL, MICROS, loss_us, "The time of judged calls beyond that."),
    TFP_COLUMN(tfp_limit_row, "loss_share", REAL, SHARE, loss_share, "Share of the loss of all rows."),
    TFP_COLUMN(tfp_limit_row, "efficiency", REAL, SHARE, efficiency, "The ideal time of judged calls divided by their time."),
    TFP_COLUMN(tfp_limit_row, "bound", TEXT, LABEL, bound, "What limits most of the ideal time: compute, memory, or latency, which is about the shortest time of a kernel."),
    TFP_COLUMN(tfp_limit_row, "float_ops", INT, NUMBER, float_ops, "Float operations of judged calls."),
    TFP_COLUMN(tfp_limit_row, "bytes_moved", INT, SIZE, bytes_moved, "Bytes that judged calls must read and write once."),
    TFP_COLUMN(tfp_limit_row, "flops_per_second", REAL, NUMBER, flops_per_second, "Float operations a second of judged time."),
    TFP_COLUMN(tfp_limit_row, "bytes_per_second", REAL, SIZE, bytes_per_second, "Bytes moved a second of judged time."),
    TFP_COLUMN(tfp_limit_row, "latency_calls", INT, NUMBER, latency_calls, "Judged calls with less work than the shortest kernel could do."),
    TFP_COLUMN(tfp_limit_row, "latency_us", REAL, MICROS, latency_us, "Their time on the device."),
    TFP_COLUMN(tfp_limit_row, "not_judged_us", NANO, MICROS, not_judged_ns, "Time of calls that are not judged."),
    TFP_COLUMN(tfp_limit_row, "why", TEXT, LABEL, why, "Why they are not judged, most time first: no launch, no op, no shapes, no rule, no peak, graph, triton, collective, transfer."),
    { 0 },
};
/* clang-format on */

typedef struct table {
    const tfp_limits *l;
    tfp_limits_by by;
    tfp_span_places places;
    tfp_groups rows;    /* of tfp_limit_row */
    tfp_groups layers;  /* of layer */
    tfp_map64 layer_of; /* module -> index in layers */
} table;

typedef struct layer { /* modules whose paths differ only in numbers */
    uint32_t module;   /* the first one */
    bool several;
    tfp_str name;
} layer;

static void plus(int64_t *to, int64_t n) { *to = tfp_add(*to, n, NULL); }

/* ---- names ---- */

static uint32_t place_of_call(const table *t, const tfp_limit_call *c)
{
    const uint32_t *of = t->by == TFP_LIMITS_BY_LINE ? t->places.line : t->places.module;
    uint32_t at = c->op;
    if (at == TFP_NONE) at = t->l->s->launch[t->l->parts.at[c->first].span];
    if (at == TFP_NONE) return 0;
    if (of[at]) return of[at];
    uint32_t forward = tfp_limits_forward(t->l, at);
    return forward == TFP_NONE ? 0 : of[forward];
}

/* A module's layer as a number from 1 on; TFP_NONE: out of memory. */
static uint32_t layer_of(table *t, uint32_t module)
{
    uint32_t known = module ? tfp_map64_get(&t->layer_of, module) : 0;
    if (known != TFP_NONE) return known;
    tfp_str name = tfp_limits_layer(tfp_place_name(&t->places, module), tfp_arena_of(t->l->r));
    layer *at = name.data ? TFP_GROUP(&t->layers, tfp_group_text(&t->layers, name)) : NULL;
    if (!at) return TFP_NONE;
    if (t->layers.added) *at = (layer){ .module = module, .name = name };
    at->several |= at->module != module;
    known = tfp_group_index(&t->layers, at) + 1;
    return tfp_map64_put(&t->layer_of, module, known) ? known : TFP_NONE;
}

/* TFP_NONE: out of memory. */
static uint32_t key_of(table *t, const tfp_limit_call *c, uint32_t span)
{
    switch (t->by) {
    case TFP_LIMITS_BY_LAYER: return layer_of(t, place_of_call(t, c));
    case TFP_LIMITS_BY_KERNEL: return t->l->s->name[span];
    case TFP_LIMITS_BY_OP: return c->op == TFP_NONE ? 0 : t->l->s->name[c->op];
    default: return place_of_call(t, c);
    }
}

static tfp_str name_of(const table *t, uint32_t key)
{
    static const char *const none[] = { "(no op)", "(no module)", "(no module)", "(no line)", "" };
    bool place = tfp_limits_by_place(t->by);
    if (!key) return tfp_str_of(none[t->by]);
    if (t->by == TFP_LIMITS_BY_LAYER) return ((const layer *)t->layers.rows)[key - 1].name;
    return place ? tfp_place_name(&t->places, key) : tfp_text(t->l->p, key);
}

/* A layer of one module has its whole name. */
static void name_alone(table *t)
{
    tfp_limit_row *rows = t->rows.rows;
    for (size_t i = 0; i < t->rows.count; i++) {
        const layer *at = TFP_GROUP(&t->layers, tfp_group_text(&t->layers, rows[i].name));
        if (at && at->module && !at->several) rows[i].name = tfp_place_name(&t->places, at->module);
    }
}

static tfp_limit_row *row_of(table *t, uint32_t unit, uint32_t key)
{
    if (t->l->x->one_file) unit = 0;
    if (key == TFP_NONE) return NULL;
    tfp_limit_row *row = TFP_GROUP(&t->rows, unit, key);
    if (!row || row->name.data) return row;
    row->rank = t->l->x->units[unit].rank;
    row->name = name_of(t, key);
    row->unit = unit;
    return row;
}

/* ---- sums ---- */

/* The part of a number of the whole call that one activity has. */
static int64_t part_of(int64_t n, double share) { return share >= 1 ? n : (int64_t)((double)n * share + 0.5); }

/* Adds `ns` of a call's time. `first`: it is the first part of this call in the row. */
static void add(const table *t, tfp_limit_row *row, const tfp_limit_call *c, int64_t ns, bool first)
{
    double share = c->ns > 0 ? (double)ns / (double)c->ns : 1;
    plus(&row->device_ns, ns);
    plus(&row->class_ns[c->class], ns);
    if (c->why) {
        plus(&row->not_judged_ns, ns);
        plus(&row->why_ns[c->why], ns);
        return;
    }
    const tfp_call_kind *k = &t->l->kinds.at[c->kind];
    row->calls += first;
    plus(&row->float_ops, part_of(k->flops, share));
    plus(&row->bytes_moved, part_of(k->bytes, share));
    row->ideal_us += c->ideal_us * share;
    row->loss_us += c->loss_us * share;
    row->bound_us[c->bound] += c->ideal_us * share;
    if (!c->latency) return;
    row->latency_calls += first;
    row->latency_us += (double)ns / 1000;
}

static bool add_calls(table *t)
{
    const tfp_limits *l = t->l;
    for (uint32_t i = 0; i < l->calls.size; i++) {
        const tfp_limit_call *c = &l->calls.at[i];
        tfp_limit_row *row = row_of(t, c->unit, key_of(t, c, TFP_NONE));
        if (!row) return false;
        add(t, row, c, c->ns, true);
    }
    return true;
}

static bool add_parts(table *t)
{
    const tfp_limits *l = t->l;
    for (uint32_t i = 0; i < l->calls.size; i++) {
        const tfp_limit_call *c = &l->calls.at[i];
        for (uint32_t part = c->first; part != TFP_NONE; part = l->parts.at[part].next) {
            uint32_t span = l->parts.at[part].span;
            tfp_limit_row *row = row_of(t, c->unit, key_of(t, c, span));
            if (!row) return false;
            add(t, row, c, l->s->self_ns[span], row->last != i + 1);
            row->last = i + 1;
        }
    }
    return true;
}

/* ---- the rows ---- */

void tfp_limits_put_why(const int64_t why_ns[TFP_WHYS], const char *between, tfp_buf *out)
{
    int64_t left[TFP_WHYS];
    memcpy(left, why_ns, sizeof left);
    for (int n = 0; n < TFP_WHYS; n++) {
        int best = 0;
        for (int i = 1; i < TFP_WHYS; i++)
            if (left[i] > left[best]) best = i;
        if (!best) return;
        if (n) tfp_buf_text(out, between);
        tfp_buf_text(out, tfp_why_names[best]);
        left[best] = 0;
    }
}

static bool put_why(const tfp_limits *l, tfp_limit_row *row)
{
    tfp_buf b = { 0 };
    tfp_limits_put_why(row->why_ns, "|", &b);
    if (!b.size) return !b.failed;
    row->why = tfp_buf_move(&b, tfp_arena_of(l->r));
    return row->why.data != NULL;
}

static int most_of(const int64_t *ns, int count)
{
    int best = 0;
    for (int i = 1; i < count; i++)
        if (ns[i] > ns[best]) best = i;
    return best;
}

static bool finish(const tfp_limits *l, tfp_limit_row *row, int64_t all_ns, double all_loss)
{
    double us = (double)(row->device_ns - row->not_judged_ns) / 1000;
    int bound = 0;
    for (int i = 1; i < TFP_BOUNDS; i++)
        if (row->bound_us[i] > row->bound_us[bound]) bound = i;
    row->class = tfp_str_of(tfp_work_class_names[most_of(row->class_ns, TFP_WORK_CLASSES)]);
    row->share = all_ns > 0 ? (double)row->device_ns / (double)all_ns : NAN;
    row->flops_per_second = row->calls && us > 0 ? (double)row->float_ops / us * 1e6 : NAN;
    row->bytes_per_second = row->calls && us > 0 ? (double)row->bytes_moved / us * 1e6 : NAN;
    bool judged = row->calls && l->peaks.known;
    if (judged) row->bound = tfp_str_of(tfp_bound_names[bound]);
    row->efficiency = judged && us > 0 ? row->ideal_us / us : NAN;
    row->loss_share = l->peaks.known && all_loss > 0 ? row->loss_us / all_loss : NAN;
    row->order_us = l->peaks.known ? row->loss_us : (double)row->device_ns;
    if (!l->peaks.known) {
        row->ideal_us = row->loss_us = row->latency_us = NAN;
        row->latency_calls = TFP_ABSENT;
    } else if (!row->calls)
        row->ideal_us = row->loss_us = NAN;
    return put_why(l, row);
}

bool tfp_limit_rows(const tfp_limits *l, tfp_limits_by by, tfp_limit_row **rows, size_t *count)
{
    static const tfp_sort_key biggest_first[] = { TFP_UP(tfp_limit_row, unit),
                                                  TFP_DOWN(tfp_limit_row, order_us),
                                                  TFP_DOWN(tfp_limit_row, not_judged_ns),
                                                  TFP_UP(tfp_limit_row, name),
                                                  { 0 } };
    table t = {
        .l = l, .by = by, .rows = { .row_size = sizeof(tfp_limit_row) }, .layers = { .row_size = sizeof(layer) }
    };
    bool place = tfp_limits_by_place(by);
    bool ok =
        (!place || tfp_span_places_of(l->r, &t.places)) && (by == TFP_LIMITS_BY_KERNEL ? add_parts : add_calls)(&t);
    tfp_limit_row *all = t.rows.rows;
    int64_t all_ns = 0;
    double all_loss = 0;
    for (size_t i = 0; i < t.rows.count; i++) {
        plus(&all_ns, all[i].device_ns);
        all_loss += all[i].loss_us;
    }
    for (size_t i = 0; ok && i < t.rows.count; i++) ok = finish(l, &all[i], all_ns, all_loss);
    if (ok && by == TFP_LIMITS_BY_LAYER) name_alone(&t);
    *count = t.rows.count;
    *rows = ok ? tfp_ordered(tfp_arena_of(l->r), all, sizeof *all, t.rows.count, biggest_first) : NULL;
    if (place) tfp_span_places_free(&t.places);
    tfp_groups_free(&t.rows);
    tfp_groups_free(&t.layers);
    tfp_map64_free(&t.layer_of);
    return *rows != NULL;
}

tfp_limit_sums tfp_limits_sum(const tfp_limits *l)
{
    tfp_limit_sums t = { 0 };
    for (size_t i = 0; i < l->calls.size; i++) {
        const tfp_limit_call *c = &l->calls.at[i];
        plus(&t.device_ns, c->ns);
        if (c->why) {
            plus(&t.why_ns[c->why], c->ns);
            continue;
        }
        const tfp_call_kind *k = &l->kinds.at[c->kind];
        double us = (double)c->ns / 1000;
        t.calls++;
        plus(&t.judged_ns, c->ns);
        plus(&t.float_ops, k->flops);
        plus(&t.bytes_moved, k->bytes);
        t.ideal_us += c->ideal_us;
        t.loss_us += c->loss_us;
        if (c->ns > 0 && c->ideal_us > us * 1.001) t.calls_over++, plus(&t.ns_over, c->ns);
        if (c->latency) t.latency_calls++, t.latency_us += us;
        if (c->class >= TFP_WORK_PRODUCT && c->class <= TFP_WORK_ATTENTION) {
            plus(&t.products[k->type].ns, c->ns);
            t.products[k->type].float_ops += (double)k->flops;
        }
        if (c->step == TFP_NONE) continue;
        t.peak_us += k->peak_us;
        t.memory_us += k->memory_us;
    }
    return t;
}
