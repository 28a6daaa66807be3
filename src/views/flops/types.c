// SPDX-License-Identifier: Apache-2.0
/* views/flops/types.c: the flops report's own table: operation types, the most expensive first. If times are known, it
 * shows what they achieve; with the device's peaks also a roofline: what they could achieve, and what limits them. */
#include "model/tables/graph.h"
#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "options/options.h"
#include "query/groups.h"
#include "views/core/handle.h"
#include "views/flops/flops.h"

#include <math.h>

typedef struct op_type {
    tfp_str name;
    int64_t nodes, runs, counted_nodes;
    int64_t float_ops, macs, bytes;
    int64_t moved_float_ops, moved_nodes; /* sums over nodes with known bytes */
    int64_t macs_nodes;                   /* number of nodes whose macs are known */
    int64_t ns, timed_float_ops;
} op_type;

typedef struct op_types {
    const op_type *at;
    size_t count;
} op_types;

static void plus(int64_t *to, int64_t n) { *to = tfp_add(*to, n, NULL); }

/* Adds a node's own float operations and time to the measurements. */
static void add_measured(const tfp_flops_table *w, op_type *t, uint32_t node, const tfp_own_count *c)
{
    uint32_t at = w->profile_node[node];
    tfp_node_stats s;
    if (at == TFP_NONE || tfp_graph_of(w->p)->nodes.at[at].exec_first == TFP_NONE) return;
    tfp_node_stats_at(w->p, at, tfp_step_of(w->r), &s);
    plus(&t->ns, s.total_ns);
    if (s.total_ns > 0) plus(&t->timed_float_ops, c->flops > 0 ? tfp_mul(c->flops, s.run_count, NULL) : 0);
}

static void add_node(const tfp_flops_table *w, op_type *t, uint32_t node)
{
    tfp_own_count c = tfp_flops_own(w, node);
    tfp_run_sums sums = tfp_flops_sums(w, node);
    t->nodes++;
    plus(&t->runs, tfp_flops_runs(w, node));
    t->counted_nodes += c.state == TFP_COUNTED;
    plus(&t->float_ops, sums.flops);
    plus(&t->macs, sums.macs);
    t->macs_nodes += tfp_flops_has_macs(w, node);
    if (c.state == TFP_COUNTED && sums.bytes >= 0) {
        t->moved_nodes++;
        plus(&t->bytes, sums.bytes);
        plus(&t->moved_float_ops, sums.flops);
    }
    add_measured(w, t, node, &c);
}

static const tfp_sort_key most_first[] = {
    TFP_DOWN(op_type, float_ops), TFP_DOWN(op_type, nodes), TFP_UP(op_type, name), { 0 }
};

/* Nodes that no run reaches are not counted and not listed; nodes in the cheaper branch are listed with 0 runs. */
static bool find_types(tfp_flops_table *w, op_types *x)
{
    tfp_groups types = { .row_size = sizeof(op_type) }; /* by op */
    for (uint32_t i = 0; i < w->g->nodes.size; i++) {
        if (!tfp_flops_reached(w, i)) continue;
        tfp_strid op = w->g->nodes.at[i].op;
        op_type *type = TFP_GROUP(&types, op);
        if (!type) break;
        if (types.added) type->name = tfp_text(w->p, op);
        add_node(w, type, i);
    }
    x->at = tfp_groups_end(&types, &w->arena, most_first, &x->count);
    return x->at != NULL;
}

/* ---- rows ---- */

typedef struct peaks {
    double flops, bandwidth; /* 0: not given */
    double whole;            /* float operations of all types together */
} peaks;

typedef struct type_row {
    tfp_str op, bound;
    int64_t nodes, counted, runs, float_ops, macs, bytes_moved, micros;
    double share, intensity, attainable, flops_per_second, of_attainable;
} type_row;

/* clang-format off */
enum { TIMED = 1, PEAK = 2, BOTH_PEAKS = 4, TIMED_PEAK = 8 }; /* bits: which columns are present */
static const tfp_table_column type_columns[] = {
    TFP_COLUMN_WHOLE(type_row, "op", TEXT, LABEL, op, NULL),
    TFP_COLUMN_WHOLE(type_row, "nodes", INT, LABEL, nodes, NULL),
    TFP_COLUMN_WHOLE(type_row, "counted", INT, LABEL, counted, NULL),
    TFP_COLUMN_WHOLE(type_row, "runs", INT, LABEL, runs, NULL),
    TFP_COLUMN_WHOLE(type_row, "float_ops", INT, NUMBER, float_ops, NULL),
    TFP_COLUMN(type_row, "share", REAL, SHARE, share, NULL),
    TFP_COLUMN(type_row, "macs", INT, NUMBER, macs, NULL),
    TFP_COLUMN(type_row, "bytes_moved", INT, SIZE, bytes_moved, NULL),
    TFP_COLUMN(type_row, "intensity", REAL, NUMBER, intensity, NULL),
    TFP_COLUMN_OF(type_row, "bound", TEXT, LABEL, bound, NULL, .only = BOTH_PEAKS, .whole = true),
    TFP_COLUMN_ONLY(type_row, "attainable", REAL, NUMBER, attainable, NULL, PEAK),
    TFP_COLUMN_OF(type_row, "micros", INT, MICROS, micros, NULL, .only = TIMED, .whole = true),
    TFP_COLUMN_ONLY(type_row, "flops_per_second", REAL, NUMBER, flops_per_second, NULL, TIMED),
    TFP_COLUMN_ONLY(type_row, "of_attainable", REAL, SHARE, of_attainable, NULL, TIMED_PEAK),
    { 0 }
};
/* clang-format on */

static unsigned shown(const peaks *k, bool timed)
{
    bool peak = k->flops > 0 || k->bandwidth > 0, both = k->flops > 0 && k->bandwidth > 0;
    return (timed ? TIMED : 0u) | (peak ? PEAK : 0u) | (both ? BOTH_PEAKS : 0u) | (timed && peak ? TIMED_PEAK : 0u);
}

/* What the device could achieve: its peak, or what its memory bandwidth allows; unknown if the type's intensity is. */
static double attainable(const type_row *row, const peaks *k)
{
    if (isnan(row->intensity) || row->float_ops == 0) return NAN;
    double fed = k->bandwidth > 0 ? row->intensity * k->bandwidth : k->flops;
    return k->flops > 0 && k->flops < fed ? k->flops : fed;
}

static tfp_str bound(const type_row *row, const peaks *k)
{
    if (k->flops <= 0 || k->bandwidth <= 0 || isnan(row->intensity) || row->float_ops == 0) return TFP_STR("");
    return row->intensity * k->bandwidth < k->flops ? TFP_STR("memory") : TFP_STR("compute");
}

static type_row row_of(const op_type *t, const peaks *k)
{
    type_row row = { .op = t->name,
                     .nodes = t->nodes,
                     .counted = t->counted_nodes,
                     .runs = t->runs,
                     .float_ops = t->float_ops,
                     .macs = t->macs_nodes ? t->macs : TFP_ABSENT,
                     .bytes_moved = t->moved_nodes ? t->bytes : TFP_ABSENT,
                     .micros = tfp_micros(t->ns) };
    row.share = k->whole > 0 ? (double)t->float_ops / k->whole : NAN;
    row.intensity = t->bytes > 0 ? (double)t->moved_float_ops / (double)t->bytes : NAN;
    row.flops_per_second = t->ns > 0 ? (double)t->timed_float_ops / ((double)t->ns / 1000) * 1e6 : NAN;
    row.bound = bound(&row, k);
    row.attainable = attainable(&row, k);
    row.of_attainable = row.attainable > 0 ? row.flops_per_second / row.attainable : NAN;
    return row;
}

tfp_status tfp_flops_types(tfp_flops_table *w, tfp_error *err)
{
    tfp_report *r = w->r;
    const tfp_options *o = tfp_options_of(r);
    op_types x = { 0 };
    peaks k = { 0 };
    bool timed = tfp_executions_of(w->p)->execs.size > 0;
    if (o->flops.peak_flops) tfp_rate_parse(tfp_str_of(o->flops.peak_flops), tfp_flops_units, &k.flops);
    if (o->flops.peak_bandwidth) tfp_rate_parse(tfp_str_of(o->flops.peak_bandwidth), tfp_bandwidth_units, &k.bandwidth);
    if (!find_types(w, &x)) return tfp_nomem(err);
    for (size_t i = 0; i < x.count; i++) {
        k.whole += (double)x.at[i].float_ops;
        tfp_table_of(r)->few += x.at[i].float_ops > 0;
    }
    if (tfp_table_of(r)->few > TFP_FLOPS_TYPES) tfp_table_of(r)->few = TFP_FLOPS_TYPES;
    type_row *rows = TFP_NEW(&w->arena, type_row, x.count + 1);
    if (!rows) return tfp_nomem(err);
    for (size_t i = 0; i < x.count; i++) rows[i] = row_of(&x.at[i], &k);
    return tfp_grid_of(r, &(tfp_row_table){ type_columns, rows, sizeof *rows, x.count, shown(&k, timed) }, err);
}
