// SPDX-License-Identifier: Apache-2.0
/* views/limits/shapes.c: products, convolutions and attention by class, operator, shape, type and transposition. */
#include "model/tables/read.h"
#include "query/groups.h"
#include "query/order.h"
#include "views/core/handle.h"
#include "views/limits/shapes.h"
#include "views/limits/tables.h"
#include "views/spans/trace.h"

#include <math.h>

enum { KERNELS = 3 }; /* names of kernels that are shown */

/* clang-format off */
const tfp_table_column tfp_limit_shape_columns[] = {
    TFP_COLUMN_ONLY(tfp_limit_shape_row, "rank", INT, NUMBER, rank, "Rank of the process.", TFP_SHOWN_RANKS),
    TFP_COLUMN(tfp_limit_shape_row, "class", TEXT, LABEL, class, "product, convolution or attention."),
    TFP_COLUMN(tfp_limit_shape_row, "op", TEXT, LABEL, op, "The operator."),
    TFP_COLUMN(tfp_limit_shape_row, "shape", TEXT, LABEL, shape, "A product's MxNxK, batch first; a convolution's NxCxHxW>KxRxS with stride, padding, dilation and groups; attention's BxHxSqxSkvxD."),
    TFP_COLUMN(tfp_limit_shape_row, "type", TEXT, LABEL, type, "Type of the inputs."),
    TFP_COLUMN(tfp_limit_shape_row, "transposed", TEXT, LABEL, transposed, "For each factor of a product n, if its last dimension has stride 1, else t."),
    TFP_COLUMN(tfp_limit_shape_row, "calls", INT, NUMBER, calls, "How often it ran."),
    TFP_COLUMN(tfp_limit_shape_row, "device_us", NANO, MICROS, device_ns, "Time on the device."),
    TFP_COLUMN(tfp_limit_shape_row, "share", REAL, SHARE, share, "Share of the device's time."),
    TFP_COLUMN(tfp_limit_shape_row, "mean_us", REAL, MICROS, mean_us, "Mean time of a call."),
    TFP_COLUMN(tfp_limit_shape_row, "min_us", NANO, MICROS, ns.min, "Shortest time of a call."),
    TFP_COLUMN(tfp_limit_shape_row, "max_us", NANO, MICROS, ns.max, "Longest time of a call."),
    TFP_COLUMN(tfp_limit_shape_row, "ideal_us", REAL, MICROS, ideal_us, "The time at the limits of the device."),
    TFP_COLUMN(tfp_limit_shape_row, "loss_us", REAL, MICROS, loss_us, "The time beyond that."),
    TFP_COLUMN(tfp_limit_shape_row, "efficiency", REAL, SHARE, efficiency, "The ideal time divided by the time."),
    TFP_COLUMN(tfp_limit_shape_row, "bound", TEXT, LABEL, bound, "What limits it: compute, memory or latency."),
    TFP_COLUMN(tfp_limit_shape_row, "float_ops", INT, NUMBER, float_ops, "Float operations."),
    TFP_COLUMN(tfp_limit_shape_row, "bytes_moved", INT, SIZE, bytes_moved, "Bytes that must be read and written once."),
    TFP_COLUMN(tfp_limit_shape_row, "tflops_mean", REAL, NUMBER, tflops.mean, "10^12 float operations a second of its time."),
    TFP_COLUMN(tfp_limit_shape_row, "tflops_min", REAL, NUMBER, tflops.min, "Those of the slowest call."),
    TFP_COLUMN(tfp_limit_shape_row, "tflops_max", REAL, NUMBER, tflops.max, "Those of the fastest call."),
    TFP_COLUMN(tfp_limit_shape_row, "of_peak", REAL, SHARE, tflops.of_peak, "The mean as a share of the peak of the type."),
    TFP_COLUMN(tfp_limit_shape_row, "kernels", TEXT, LABEL, kernels, "Names of its kernels, at most three."),
    { 0 },
};
/* clang-format on */

typedef struct shapes {
    const tfp_limits *l;
    tfp_strtab names;
    tfp_map64 row_of_kind; /* unit << 32 | kind -> index in rows */
    tfp_groups rows;       /* of tfp_limit_shape_row */
} shapes;

static bool has_shape(unsigned class)
{
    return class == TFP_WORK_PRODUCT || class == TFP_WORK_CONVOLUTION || class == TFP_WORK_ATTENTION;
}

/* The shape of a kind and its transposition, as strings of names. False: out of memory. */
static bool find_texts(shapes *t, const tfp_call_kind *k, tfp_strid *shape, tfp_strid *transposed)
{
    tfp_aten_call call;
    tfp_buf b = { 0 };
    char letters[3] = "";
    if (tfp_limits_arguments(t->l, k, &call)) tfp_traffic_shape(k->rule, &call, &b, letters);
    *shape = b.failed ? TFP_NONE : tfp_intern(&t->names, (tfp_str){ b.data ? b.data : "", b.size });
    *transposed = tfp_intern(&t->names, tfp_str_of(letters));
    tfp_buf_free(&b);
    return *shape != TFP_NONE && *transposed != TFP_NONE;
}

/* Kinds that differ in other arguments only have the same row. */
static tfp_limit_shape_row *row_of(shapes *t, const tfp_limit_call *c)
{
    const tfp_limits *l = t->l;
    const tfp_call_kind *k = &l->kinds.at[c->kind];
    uint32_t unit = l->x->one_file ? 0 : c->unit;
    uint64_t kind = (uint64_t)unit << 32 | c->kind;
    uint32_t at = tfp_map64_get(&t->row_of_kind, kind);
    tfp_strid shape, transposed;
    if (at != TFP_NONE) return (tfp_limit_shape_row *)t->rows.rows + at;
    if (!find_texts(t, k, &shape, &transposed)) return NULL;
    tfp_limit_shape_row *row = TFP_GROUP(&t->rows, unit, k->name, k->type, shape, transposed);
    if (!row || !tfp_map64_put(&t->row_of_kind, kind, (uint32_t)(row - (tfp_limit_shape_row *)t->rows.rows)))
        return NULL;
    if (!row->calls)
        *row = (tfp_limit_shape_row){ .rank = l->x->units[unit].rank,
                                      .unit = unit,
                                      .class = tfp_str_of(tfp_work_class_names[k->class]),
                                      .op = tfp_text(l->p, k->name),
                                      .shape = tfp_strtab_get(&t->names, shape),
                                      .transposed = tfp_strtab_get(&t->names, transposed),
                                      .type = tfp_str_of(tfp_float_names[k->type]),
                                      .float_type = k->type,
                                      .ns = { .min = INT64_MAX },
                                      .tflops = { .min = INFINITY } };
    return row;
}

static void add_kernel(tfp_limit_shape_row *row, tfp_strid name)
{
    for (int i = 0; i < KERNELS; i++) {
        if (row->names[i] == name) return;
        if (row->names[i]) continue;
        row->names[i] = name;
        return;
    }
}

static void add(const tfp_limits *l, tfp_limit_shape_row *row, const tfp_limit_call *c)
{
    const tfp_call_kind *k = &l->kinds.at[c->kind];
    double tera = c->ns > 0 ? (double)k->flops / (double)c->ns / 1e3 : 0;
    row->calls++;
    row->device_ns = tfp_add(row->device_ns, c->ns, NULL);
    if (c->ns < row->ns.min) row->ns.min = c->ns;
    if (c->ns > row->ns.max) row->ns.max = c->ns;
    if (tera < row->tflops.min) row->tflops.min = tera;
    if (tera > row->tflops.max) row->tflops.max = tera;
    row->ideal_us += c->ideal_us;
    row->loss_us += c->loss_us;
    row->bound_us[c->bound] += c->ideal_us;
    row->latency_us += c->latency ? (double)c->ns / 1000 : 0;
    row->float_ops = tfp_add(row->float_ops, k->flops, NULL);
    row->bytes_moved = tfp_add(row->bytes_moved, k->bytes, NULL);
    for (uint32_t part = c->first; part != TFP_NONE; part = l->parts.at[part].next)
        add_kernel(row, tfp_limit_part_name(l, part));
}

static bool finish(const tfp_limits *l, tfp_limit_shape_row *row, double all_ns)
{
    double us = (double)row->device_ns / 1000, peak = l->peaks.flops[row->float_type];
    tfp_buf b = { 0 };
    int bound = 0;
    for (int i = 1; i < TFP_BOUNDS; i++)
        if (row->bound_us[i] > row->bound_us[bound]) bound = i;
    row->share = all_ns > 0 ? (double)row->device_ns / all_ns : NAN;
    row->mean_us = us / (double)row->calls;
    row->tflops.mean = us > 0 ? (double)row->float_ops / us / 1e6 : NAN;
    row->tflops.of_peak = peak > 0 ? row->tflops.mean * 1e12 / peak : NAN;
    row->efficiency = l->peaks.known && us > 0 ? row->ideal_us / us : NAN;
    row->order_us = l->peaks.known ? row->loss_us : (double)row->device_ns;
    if (l->peaks.known)
        row->bound = tfp_str_of(tfp_bound_names[bound]);
    else
        row->ideal_us = row->loss_us = NAN;
    for (int i = 0; i < KERNELS && row->names[i]; i++) {
        if (i) tfp_buf_char(&b, '|');
        tfp_buf_str(&b, tfp_text(l->p, row->names[i]));
    }
    row->kernels = tfp_buf_move(&b, tfp_arena_of(l->r));
    return row->kernels.data != NULL;
}

bool tfp_limit_shape_rows(const tfp_limits *l, tfp_limit_shape_row **rows, size_t *count)
{
    static const tfp_sort_key biggest_first[] = { TFP_UP(tfp_limit_shape_row, unit),
                                                  TFP_DOWN(tfp_limit_shape_row, order_us),
                                                  TFP_UP(tfp_limit_shape_row, op),
                                                  TFP_UP(tfp_limit_shape_row, shape),
                                                  { 0 } };
    shapes t = { .l = l, .rows = { .row_size = sizeof(tfp_limit_shape_row) } };
    double all = 0;
    bool ok = tfp_strtab_init(&t.names, tfp_arena_of(l->r)) == TFP_OK;
    for (size_t i = 0; ok && i < l->calls.size; i++) {
        const tfp_limit_call *c = &l->calls.at[i];
        all += (double)c->ns;
        if (c->why || !has_shape(c->class)) continue;
        tfp_limit_shape_row *row = row_of(&t, c);
        if ((ok = row != NULL)) add(l, row, c);
    }
    for (size_t i = 0; ok && i < t.rows.count; i++) ok = finish(l, (tfp_limit_shape_row *)t.rows.rows + i, all);
    *count = t.rows.count;
    *rows = ok ? tfp_ordered(tfp_arena_of(l->r), t.rows.rows, t.rows.row_size, t.rows.count, biggest_first) : NULL;
    tfp_strtab_free(&t.names);
    tfp_map64_free(&t.row_of_kind);
    tfp_groups_free(&t.rows);
    return *rows != NULL;
}
