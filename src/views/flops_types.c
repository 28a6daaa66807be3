// SPDX-License-Identifier: Apache-2.0
/* views/flops_types.c: the flops report's own table: operation types, those that count most first. With times what they
 * achieve, with the device's peaks a roofline: what they could, and what bounds them. */
#include "views/flops.h"

typedef struct op_type {
    tfp_strid op;
    int64_t nodes, runs, counted_nodes;
    int64_t float_ops, macs, bytes;
    int64_t moved_float_ops, moved_nodes; /* of nodes whose bytes are known */
    int64_t macs_nodes;                   /* whose macs are known */
    int64_t ns, micros, timed_float_ops;  /* micros: of ns, in the end */
} op_type;

typedef struct op_types {
    op_type *at;
    size_t count;
    uint32_t *order;
    const tfp_profile *p;
} op_types;

static void plus(int64_t *to, int64_t n) { *to = tfp_add(*to, n, NULL); }

static int64_t times(int64_t n, int64_t runs) { return n > 0 ? tfp_mul(n, runs, NULL) : 0; }

/* What was measured of a node: its own float operations in the time that it took. */
static void add_measured(const tfp_flops_table *w, op_type *t, uint32_t node, const tfp_own_count *c)
{
    uint32_t at = w->profile_node[node];
    tfp_node_stats s;
    if (at == TFP_NONE || w->p->nodes.at[at].exec_first == TFP_NONE) return;
    tfp_node_stats_at(w->p, at, w->r->step, &s);
    plus(&t->ns, s.total_ns);
    if (s.total_ns > 0) plus(&t->timed_float_ops, times(c->flops, s.run_count));
}

static void add_node(const tfp_flops_table *w, op_type *t, uint32_t node)
{
    int64_t runs = tfp_flops_runs(w, node), bytes = w->f->nodes[node].bytes;
    tfp_own_count c = tfp_flops_own(w, node);
    t->nodes++;
    plus(&t->runs, runs);
    t->counted_nodes += c.state == TFP_COUNTED;
    plus(&t->float_ops, times(c.flops, runs));
    plus(&t->macs, times(c.macs, runs));
    t->macs_nodes += c.macs >= 0;
    if (c.state == TFP_COUNTED && bytes >= 0) {
        t->moved_nodes++;
        plus(&t->bytes, times(bytes, runs));
        plus(&t->moved_float_ops, times(c.flops, runs));
    }
    add_measured(w, t, node, &c);
}

/* By float operations, then nodes, then names. */
static bool goes_before(const void *ctx, uint32_t a, uint32_t b)
{
    const op_types *x = ctx;
    const op_type *s = &x->at[a], *t = &x->at[b];
    if (s->float_ops != t->float_ops) return s->float_ops > t->float_ops;
    if (s->nodes != t->nodes) return s->nodes > t->nodes;
    return tfp_str_cmp(tfp_text(x->p, s->op), tfp_text(x->p, t->op)) < 0;
}

/* What no run reaches counts nothing, and is not there. */
static bool find_types(tfp_flops_table *w, op_types *x)
{
    tfp_map64 by_op = { 0 };
    size_t n = w->g->nodes.size;
    x->p = w->p;
    x->at = TFP_NEW(&w->arena, op_type, n);
    bool ok = x->at != NULL;
    for (uint32_t i = 0; ok && i < n; i++) {
        if (tfp_flops_runs(w, i) == 0) continue;
        tfp_strid op = w->g->nodes.at[i].op;
        uint32_t type = tfp_map64_get(&by_op, op);
        if (type == TFP_NONE) {
            type = (uint32_t)x->count++;
            x->at[type].op = op;
            ok = tfp_map64_put(&by_op, op, type);
        }
        add_node(w, &x->at[type], i);
    }
    tfp_map64_free(&by_op);
    x->order = TFP_NEW(&w->arena, uint32_t, x->count);
    if (!ok || !x->order) return false;
    for (uint32_t i = 0; i < x->count; i++) x->order[i] = i;
    return tfp_sort(x->order, x->count, goes_before, x);
}

/* ---- columns: each a cell of a type ---- */

typedef struct peaks {
    double flops, bandwidth; /* 0: not given */
    double whole;            /* float operations of all types */
} peaks;

static bool intensity(const op_type *t, const peaks *k, double *out)
{
    (void)k;
    *out = t->bytes > 0 ? (double)t->moved_float_ops / (double)t->bytes : 0;
    return t->bytes > 0;
}

static bool share(const op_type *t, const peaks *k, double *out)
{
    *out = k->whole > 0 ? (double)t->float_ops / k->whole : 0;
    return k->whole > 0;
}

static bool rate(const op_type *t, const peaks *k, double *out)
{
    (void)k;
    *out = t->ns > 0 ? (double)t->timed_float_ops / ((double)t->ns / 1000) * 1e6 : 0;
    return t->ns > 0;
}

/* What the device could do: its peak, or what its memory feeds it; unknown without a type's intensity. */
static bool attainable(const op_type *t, const peaks *k, double *out)
{
    double x;
    if (!intensity(t, k, &x) || t->float_ops == 0) return false;
    double fed = k->bandwidth > 0 ? x * k->bandwidth : k->flops;
    *out = k->flops > 0 && k->flops < fed ? k->flops : fed;
    return true;
}

static bool attained(const op_type *t, const peaks *k, double *out)
{
    double most, real;
    if (!attainable(t, k, &most) || !rate(t, k, &real) || most <= 0) return false;
    *out = real / most;
    return true;
}

static const char *bound(const op_type *t, const peaks *k)
{
    double x;
    if (k->flops <= 0 || k->bandwidth <= 0 || !intensity(t, k, &x) || t->float_ops == 0) return "";
    return x * k->bandwidth < k->flops ? "memory" : "compute";
}

enum { ALWAYS, TIMED, PEAK, BOTH_PEAKS, TIMED_PEAK }; /* when a column is there */
typedef struct type_column {
    const char *name;
    int when;
    tfp_unit unit;
    size_t number;                                               /* of an int64 in op_type; 0: another */
    bool (*real)(const op_type *t, const peaks *k, double *out); /* false: absent */
    const char *(*text)(const op_type *t, const peaks *k);
    size_t needs; /* of an int64 in op_type: the number is absent where this is 0 */
} type_column;

/* clang-format off */
#define AT(field) offsetof(op_type, field)
static const type_column type_columns[] = {
    { "nodes",                       ALWAYS,     TFP_LABEL,  AT(nodes),         NULL,       NULL, 0 },
    { "counted",                     ALWAYS,     TFP_LABEL,  AT(counted_nodes), NULL,       NULL, 0 },
    { "runs",                        ALWAYS,     TFP_LABEL,  AT(runs),          NULL,       NULL, 0 },
    { "float_ops",                   ALWAYS,     TFP_NUMBER, AT(float_ops),     NULL,       NULL, 0 },
    { "share",                       ALWAYS,     TFP_SHARE,  0,                 share,      NULL, 0 },
    { "macs",                        ALWAYS,     TFP_NUMBER, AT(macs),          NULL,       NULL, AT(macs_nodes) },
    { "bytes_moved",                 ALWAYS,     TFP_SIZE,   AT(bytes),         NULL,       NULL, AT(moved_nodes) },
    { "intensity",                   ALWAYS,     TFP_NUMBER, 0,                 intensity,  NULL, 0 },
    { "bound",                       BOTH_PEAKS, TFP_LABEL,  0,                 NULL,       bound, 0 },
    { "attainable",                  PEAK,       TFP_NUMBER, 0,                 attainable, NULL, 0 },
    { "micros",                      TIMED,      TFP_MICROS, AT(micros),        NULL,       NULL, 0 },
    { "flops_per_second",            TIMED,      TFP_NUMBER, 0,                 rate,       NULL, 0 },
    { "of_attainable",         TIMED_PEAK, TFP_SHARE,  0,                 attained,   NULL, 0 },
};
/* clang-format on */

static bool is_there(int when, const peaks *k, bool timed)
{
    bool peak = k->flops > 0 || k->bandwidth > 0;
    switch (when) {
    case TIMED: return timed;
    case PEAK: return peak;
    case BOTH_PEAKS: return k->flops > 0 && k->bandwidth > 0;
    case TIMED_PEAK: return timed && peak;
    default: return true;
    }
}

static int64_t number_at(const op_type *t, size_t at) { return *(const int64_t *)((const char *)t + at); }

static bool put_column(tfp_report *r, const op_types *x, const peaks *k, const type_column *about)
{
    char type = about->text ? 's' : about->real ? 'r' : 'i';
    tfp_grid_column *c = tfp_grid_add(r, &r->grid, about->name, type, about->unit, about->real || about->needs);
    for (size_t i = 0; c && i < x->count; i++) {
        const op_type *t = &x->at[x->order[i]];
        if (about->text)
            c->texts[i] = tfp_str_of(about->text(t, k));
        else if (about->real)
            c->absent[i] = !about->real(t, k, &c->reals[i]);
        else
            c->ints[i] = number_at(t, about->number);
        if (about->needs) c->absent[i] = number_at(t, about->needs) == 0;
    }
    return c != NULL;
}

static bool put_names(tfp_report *r, const op_types *x)
{
    tfp_grid_column *c = tfp_grid_add(r, &r->grid, "op", 's', TFP_LABEL, false);
    for (size_t i = 0; c && i < x->count; i++) c->texts[i] = tfp_text(x->p, x->at[x->order[i]].op);
    return c != NULL;
}

tfp_status tfp_flops_types(tfp_flops_table *w, tfp_error *err)
{
    tfp_report *r = w->r;
    const tfp_options *o = r->options;
    op_types x = { 0 };
    peaks k = { 0 };
    bool timed = w->p->execs.size > 0;
    if (o->peak_flops) tfp_rate_parse(tfp_str_of(o->peak_flops), tfp_flops_units, &k.flops);
    if (o->peak_bandwidth) tfp_rate_parse(tfp_str_of(o->peak_bandwidth), tfp_bandwidth_units, &k.bandwidth);
    bool ok = find_types(w, &x);
    r->grid.row_count = x.count;
    for (size_t i = 0; i < x.count; i++) {
        x.at[i].micros = tfp_micros(x.at[i].ns);
        k.whole += (double)x.at[i].float_ops;
        r->grid.few += x.at[i].float_ops > 0;
    }
    if (r->grid.few > TFP_FLOPS_TYPES) r->grid.few = TFP_FLOPS_TYPES;
    ok = ok && put_names(r, &x);
    for (size_t i = 0; ok && i < sizeof type_columns / sizeof *type_columns; i++)
        if (is_there(type_columns[i].when, &k, timed)) ok = put_column(r, &x, &k, &type_columns[i]);
    return ok ? TFP_OK : tfp_nomem(err);
}
