// SPDX-License-Identifier: Apache-2.0
/* views/flops_instruction_tables.c: the report `flops` of a compiled program (HLO), or of a trace: totals, by op, the
 * instructions that count most, by scope, and what has no count. With the device's peaks, which the options or the trace
 * tell, a roofline. */
#include "views/flops.h"
#include "views/flops_instructions.h"
#include "views/trace.h"

#include <math.h>
#include <stdio.h>

enum { TOP_ROWS = 10, OPS_SHOWN = 15 };
enum { SHOW_TIMES = 1, SHOW_PEAK = 2, SHOW_BOUND = 4, SHOW_ATTAINED = 8 }; /* tfp_row_table.shown */

/* ---- rows ---- */

typedef struct work_row { /* an op, a scope, or an instruction */
    tfp_str name, op, module, scope, shapes, source, bound;
    int64_t instructions, counted, runs;
    int64_t float_ops, macs, bytes;
    int64_t moved_float_ops; /* of instructions whose bytes are known */
    int64_t ns;
    double share, intensity, attainable, rate, attained;
} work_row;

typedef struct tables {
    tfp_report *r;
    tfp_instruction_sums sums;
    work_row all;
    int64_t uncounted_bytes, counted_ns, loops;
    tfp_strid first_loop;
    double peak_flops, peak_bandwidth; /* 0: not known */
    const tfp_device_info *device;     /* that the trace tells the peaks of; NULL */
    unsigned shown;
} tables;

static void plus(int64_t *to, int64_t n) { *to = tfp_add(*to, n, NULL); }

static void add_sum(work_row *row, const tfp_instruction_sum *n)
{
    row->instructions++;
    row->counted += n->counted;
    plus(&row->runs, n->runs);
    plus(&row->float_ops, n->float_ops);
    plus(&row->macs, n->macs);
    plus(&row->bytes, n->bytes);
    if (n->moves) plus(&row->moved_float_ops, n->float_ops);
    plus(&row->ns, n->ns);
}

/* What the row achieves, and what the device could: its peak, or what its memory feeds it. */
static void finish_row(const tables *t, work_row *row)
{
    double x = row->bytes > 0 ? (double)row->moved_float_ops / (double)row->bytes : NAN;
    row->share = t->all.float_ops > 0 ? (double)row->float_ops / (double)t->all.float_ops : NAN;
    row->intensity = x;
    row->rate = row->ns > 0 ? (double)row->float_ops / ((double)row->ns / 1e9) : NAN;
    row->attainable = row->attained = NAN;
    if (isnan(x) || !row->float_ops || !(t->shown & SHOW_PEAK)) return;
    double fed = t->peak_bandwidth > 0 ? x * t->peak_bandwidth : t->peak_flops;
    row->attainable = t->peak_flops > 0 && t->peak_flops < fed ? t->peak_flops : fed;
    row->attained = row->rate / row->attainable;
    if (t->shown & SHOW_BOUND) row->bound = fed < t->peak_flops ? TFP_STR("memory") : TFP_STR("compute");
}

static bool more_first(const void *rows, uint32_t a, uint32_t b)
{
    const work_row *x = (const work_row *)rows + a, *y = (const work_row *)rows + b;
    if (x->float_ops != y->float_ops) return x->float_ops > y->float_ops;
    if (x->bytes != y->bytes) return x->bytes > y->bytes;
    return tfp_str_cmp(x->name, y->name) < 0;
}

/* clang-format off */
#define WORK_COLUMNS \
    TFP_COLUMN(work_row, "runs", INT, LABEL, runs, "How often they ran, or run in one run of the module."), \
    TFP_COLUMN(work_row, "float_ops", INT, NUMBER, float_ops, "Float operations of all runs."), \
    TFP_COLUMN(work_row, "share", REAL, SHARE, share, "Of the float operations of all rows."), \
    TFP_COLUMN(work_row, "macs", INT, NUMBER, macs, "Multiply-adds of all runs."), \
    TFP_COLUMN(work_row, "bytes_moved", INT, SIZE, bytes, "Bytes read and written; of a fusion at its edges."), \
    TFP_COLUMN(work_row, "intensity", REAL, NUMBER, intensity, "Float operations for each byte moved."), \
    TFP_COLUMN_ONLY(work_row, "bound", TEXT, LABEL, bound, "What limits it on the device: memory or compute.", SHOW_BOUND), \
    TFP_COLUMN_ONLY(work_row, "attainable", REAL, NUMBER, attainable, "Float operations a second that the device could do.", SHOW_PEAK), \
    TFP_COLUMN_ONLY(work_row, "micros", NANO, MICROS, ns, "Measured time, without what is nested in it.", SHOW_TIMES), \
    TFP_COLUMN_ONLY(work_row, "flops_per_second", REAL, NUMBER, rate, "Float operations a second of measured time.", SHOW_TIMES), \
    TFP_COLUMN_ONLY(work_row, "of_attainable", REAL, SHARE, attained, "Of what the device could do.", SHOW_ATTAINED)

static const tfp_row_column op_columns[] = {
    TFP_COLUMN(work_row, "op", TEXT, LABEL, name, "Operation of the framework."),
    TFP_COLUMN(work_row, "nodes", INT, LABEL, instructions, "Instructions of it; fusions count as one."),
    TFP_COLUMN(work_row, "counted", INT, LABEL, counted, "Of these, those that have a count."),
    WORK_COLUMNS, { 0 }
};
static const tfp_row_column scope_columns[] = {
    TFP_COLUMN(work_row, "scope", TEXT, LABEL, name, "Place in the model."),
    TFP_COLUMN(work_row, "nodes", INT, LABEL, instructions, "Instructions in it."),
    WORK_COLUMNS, { 0 }
};
static const tfp_row_column instruction_columns[] = {
    TFP_COLUMN(work_row, "node", TEXT, LABEL, name, "The instruction."),
    TFP_COLUMN(work_row, "op", TEXT, LABEL, op, "Operation of the framework."),
    TFP_COLUMN(work_row, "output_shapes", TEXT, LABEL, shapes, "Shapes of its results."),
    WORK_COLUMNS, { 0 }
};
static const tfp_row_column node_columns[] = {
    TFP_COLUMN(work_row, "function", TEXT, LABEL, module, "The module."),
    TFP_COLUMN(work_row, "name", TEXT, LABEL, name, "The instruction."),
    TFP_COLUMN(work_row, "op", TEXT, LABEL, op, "Operation of the framework."),
    TFP_COLUMN(work_row, "scope", TEXT, LABEL, scope, "Place in the model."),
    TFP_COLUMN(work_row, "output_shapes", TEXT, LABEL, shapes, "Shapes of its results."),
    TFP_COLUMN(work_row, "runs", INT, LABEL, runs, "How often it ran, or runs in one run of the module."),
    TFP_COLUMN(work_row, "float_ops", INT, NUMBER, float_ops, "Float operations of one execution."),
    TFP_COLUMN(work_row, "macs", INT, NUMBER, macs, "Multiply-adds of one execution."),
    TFP_COLUMN(work_row, "bytes_moved", INT, SIZE, bytes, "Bytes that one execution reads and writes."),
    TFP_COLUMN_ONLY(work_row, "micros", NANO, MICROS, ns, "Measured time of all runs.", SHOW_TIMES),
    TFP_COLUMN(work_row, "source", TEXT, LABEL, source, "formula, or none."),
    { 0 }
};
static const tfp_row_column gap_columns[] = {
    TFP_COLUMN(work_row, "op", TEXT, LABEL, name, "Operation of the framework."),
    TFP_COLUMN(work_row, "nodes", INT, LABEL, instructions, "Instructions without a count."),
    TFP_COLUMN(work_row, "first", TEXT, LABEL, op, "The first of them."),
    { 0 }
};
/* clang-format on */

/* ---- names ---- */

static tfp_str text(const tables *t, tfp_strid id) { return tfp_text(t->r->profile, id); }

/* The path up to its last slash, the model's root without one. */
static tfp_str scope_of(const tables *t, uint32_t node)
{
    tfp_str path = text(t, t->r->profile->nodes.at[node].name);
    while (path.size && path.data[path.size - 1] != '/') path.size--;
    if (path.size > 1) path.size--;
    return path.size ? path : TFP_STR("(top)");
}

/* As 0:8x4|1:16, of the node's first instruction. */
static bool put_shapes(const tables *t, uint32_t node, tfp_str *out)
{
    const tfp_profile *p = t->r->profile;
    tfp_buf b = { 0 };
    for (TFP_EACH(outputs, o, p->nodes.at[node].output_first, p)) {
        if (b.size) tfp_buf_char(&b, '|');
        tfp_buf_int(&b, p->outputs.at[o].slot);
        tfp_buf_char(&b, ':');
        tfp_shape_text(p, p->outputs.at[o].shape, &b);
    }
    char *copy = b.failed ? NULL : tfp_arena_copy(&t->r->arena, (tfp_str){ b.data, b.size });
    *out = (tfp_str){ copy, b.size };
    tfp_buf_free(&b);
    return copy != NULL;
}

/* ---- tables ---- */

/* Sorted rows into a grid; people see `few` of them. */
static tfp_status put(const tables *t, tfp_grid *g, const tfp_row_column *columns, const work_row *rows, size_t count,
                      size_t few, tfp_error *err)
{
    const work_row *sorted = tfp_rows_sorted(&t->r->arena, rows, sizeof *rows, count, more_first);
    if (!sorted) return tfp_nomem(err);
    tfp_status s = tfp_grid_fill(t->r, g, &(tfp_row_table){ columns, sorted, sizeof *sorted, count, t->shown }, err);
    g->few = few < count ? few : count;
    return s;
}

static tfp_status put_part(const tables *t, const char *name, const char *title, const tfp_row_column *columns,
                           const work_row *rows, size_t count, tfp_error *err)
{
    tfp_report_part part = { .name = name, .title = title };
    if (!count) return TFP_OK;
    tfp_status s = put(t, &part.grid, columns, rows, count, TOP_ROWS, err);
    if (s) tfp_vec_free(&part.grid.columns);
    if (s || tfp_push(&t->r->parts, part)) return s;
    tfp_vec_free(&part.grid.columns);
    return tfp_nomem(err);
}

typedef struct groups {
    tfp_map64 by_name; /* strid, or the place of a text -> rows */
    TFP_VEC(work_row) rows;
} groups;

static work_row *group_of(groups *g, uint64_t key, tfp_str name)
{
    uint32_t at = tfp_map64_get(&g->by_name, key);
    if (at != TFP_NONE) return &g->rows.at[at];
    at = (uint32_t)g->rows.size;
    work_row row = { .name = name };
    return tfp_push(&g->rows, row) && tfp_map64_put(&g->by_name, key, at) ? &g->rows.at[at] : NULL;
}

static void groups_free(groups *g)
{
    tfp_map64_free(&g->by_name);
    tfp_vec_free(&g->rows);
}

static tfp_status put_ops(const tables *t, tfp_error *err)
{
    groups g = { 0 };
    bool ok = true;
    size_t few = 0;
    for (size_t i = 0; ok && i < t->sums.size; i++) {
        tfp_strid op = t->r->profile->nodes.at[t->sums.at[i].node].op;
        work_row *row = group_of(&g, op, text(t, op));
        if ((ok = row != NULL)) add_sum(row, &t->sums.at[i]);
    }
    for (size_t i = 0; i < g.rows.size; i++) {
        finish_row(t, &g.rows.at[i]);
        few += g.rows.at[i].float_ops > 0;
    }
    if (!few || few > OPS_SHOWN) few = OPS_SHOWN;
    tfp_status s = ok ? put(t, &t->r->grid, op_columns, g.rows.at, g.rows.size, few, err) : tfp_nomem(err);
    groups_free(&g);
    return s;
}

static tfp_status put_scopes(const tables *t, tfp_error *err)
{
    groups g = { 0 };
    bool ok = true;
    for (size_t i = 0; ok && i < t->sums.size; i++) {
        tfp_str scope = scope_of(t, t->sums.at[i].node);
        work_row *row = group_of(&g, tfp_hash(scope.data, scope.size), scope);
        if ((ok = row != NULL)) add_sum(row, &t->sums.at[i]);
    }
    for (size_t i = 0; i < g.rows.size; i++) finish_row(t, &g.rows.at[i]);
    tfp_status s =
        ok ? put_part(t, "scopes", "places in the model", scope_columns, g.rows.at, g.rows.size, err) : tfp_nomem(err);
    groups_free(&g);
    return s;
}

static tfp_status put_gaps(const tables *t, tfp_error *err)
{
    groups g = { 0 };
    bool ok = true;
    for (size_t i = 0; ok && i < t->sums.size; i++) {
        const tfp_instruction_sum *n = &t->sums.at[i];
        tfp_strid op = t->r->profile->nodes.at[n->node].op;
        if (n->counted) continue;
        work_row *row = group_of(&g, op, text(t, op));
        if (!(ok = row != NULL)) break;
        if (!row->instructions) row->op = text(t, n->name);
        add_sum(row, n);
    }
    tfp_status s =
        ok ? put_part(t, "no_formula", "operations without a count", gap_columns, g.rows.at, g.rows.size, err)
           : tfp_nomem(err);
    groups_free(&g);
    return s;
}

/* Every instruction a row: the names that tell one from another, and its shapes. */
static work_row *instruction_rows(const tables *t)
{
    work_row *rows = TFP_NEW(&t->r->arena, work_row, t->sums.size + 1);
    for (size_t i = 0; rows && i < t->sums.size; i++) {
        const tfp_instruction_sum *n = &t->sums.at[i];
        rows[i].name = text(t, n->name);
        rows[i].op = text(t, t->r->profile->nodes.at[n->node].op);
        add_sum(&rows[i], n);
    }
    return rows;
}

static tfp_status put_top(const tables *t, tfp_error *err)
{
    work_row *rows = instruction_rows(t);
    if (!rows) return tfp_nomem(err);
    size_t count = 0;
    for (size_t i = 0; i < t->sums.size; i++) {
        if (!rows[i].float_ops) continue;
        rows[count] = rows[i];
        finish_row(t, &rows[count]);
        if (!put_shapes(t, t->sums.at[i].node, &rows[count++].shapes)) return tfp_nomem(err);
    }
    return put_part(t, "top_nodes", "instructions that count most", instruction_columns, rows, count, err);
}

/* -nodes: in the order of the file. */
static tfp_status put_nodes(const tables *t, tfp_error *err)
{
    work_row *rows = instruction_rows(t);
    for (size_t i = 0; rows && i < t->sums.size; i++) {
        const tfp_instruction_sum *n = &t->sums.at[i];
        rows[i].module = text(t, n->module);
        rows[i].scope = scope_of(t, n->node);
        rows[i].source = n->counted ? TFP_STR("formula") : TFP_STR("none");
        rows[i].float_ops = n->counted && n->runs ? n->float_ops / n->runs : TFP_ABSENT;
        rows[i].macs = n->counted && n->runs ? n->macs / n->runs : TFP_ABSENT;
        rows[i].bytes = n->moves && n->runs ? n->bytes / n->runs : TFP_ABSENT;
        if (!put_shapes(t, n->node, &rows[i].shapes)) return tfp_nomem(err);
    }
    if (!rows) return tfp_nomem(err);
    return tfp_grid_of(t->r, &(tfp_row_table){ node_columns, rows, sizeof *rows, t->sums.size, t->shown }, err);
}

/* ---- facts ---- */

static bool add_number(const tables *t, const char *name, const char *label, tfp_unit unit, int64_t n)
{
    tfp_fact *f = tfp_fact_add(t->r, name, label, 'i', unit);
    if (f) f->number = n;
    return f != NULL;
}

static bool say(const tables *t, const char *format, ...) TFP_PRINTF(2, 3);
/* Behind the last fact, for people. */
static bool say(const tables *t, const char *format, ...)
{
    char words[256];
    va_list args;
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    char *copy = tfp_arena_copy(&t->r->arena, tfp_str_of(words));
    if (copy) t->r->facts.at[t->r->facts.size - 1].more = tfp_str_of(copy);
    return copy != NULL;
}

static bool add_share(const tables *t, const char *name, const char *label, double over, double under)
{
    tfp_fact *f = tfp_fact_add(t->r, name, label, 'r', TFP_SHARE);
    if (!f) return false;
    f->absent = under <= 0;
    f->real = under > 0 ? over / under : 0;
    return true;
}

static bool add_peaks(const tables *t)
{
    const struct {
        const char *name, *label;
        double value;
    } peaks[] = { { "peak_flops", "peak float ops a second", t->peak_flops },
                  { "peak_bandwidth", "peak bytes a second", t->peak_bandwidth } };
    for (size_t i = 0; i < 2; i++) {
        if (peaks[i].value <= 0) continue;
        tfp_fact *f = tfp_fact_add(t->r, peaks[i].name, peaks[i].label, 'r', TFP_NUMBER);
        if (!f) return false;
        f->real = peaks[i].value;
        tfp_str name = t->device ? text(t, t->device->name) : (tfp_str){ "", 0 };
        bool told = t->device && (i ? !t->r->options->peak_bandwidth : !t->r->options->peak_flops);
        if (told && !say(t, "of %.*s, as the trace tells", name.size ? (int)(name.size < 100 ? name.size : 100) : 10,
                         name.size ? name.data : "the device"))
            return false;
    }
    return true;
}

static bool add_loops(const tables *t)
{
    tfp_str name = text(t, t->first_loop);
    if (!t->loops) return true;
    return add_number(t, "loops_counted_once", "loops counted once", TFP_LABEL, t->loops) &&
           say(t, "nobody knows how often they run (first: %.*s)", (int)(name.size < 150 ? name.size : 150), name.data);
}

/* The share of the bytes that instructions with a count move; it is told of all that has known shapes. */
static bool add_coverage(const tables *t)
{
    bool ok = add_number(t, "ops", NULL, TFP_LABEL, t->all.instructions) &&
              add_number(t, "counted_ops", NULL, TFP_LABEL, t->all.counted) &&
              add_share(t, "total_coverage", "coverage", (double)t->all.bytes - (double)t->uncounted_bytes,
                        t->all.counted == t->all.instructions ? 0 : (double)t->all.bytes);
    if (!ok) return false;
    tfp_fact *f = &t->r->facts.at[t->r->facts.size - 1];
    if (t->all.counted == t->all.instructions) f->absent = false, f->real = 1;
    ok = say(t, "of the bytes moved; %lld of %lld instructions have a count", (long long)t->all.counted,
             (long long)t->all.instructions);
    if (!ok || !(t->shown & SHOW_TIMES)) return ok;
    return add_share(t, "time_coverage", "time covered", (double)t->counted_ns, (double)t->all.ns) &&
           say(t, "of the measured time was in instructions that have a count");
}

static bool add_facts(const tables *t)
{
    char exact[40];
    tfp_fact *f = tfp_fact_add(t->r, "float_ops_source", NULL, 's', TFP_LABEL);
    if (f) f->text = t->shown & SHOW_TIMES ? TFP_STR("trace") : TFP_STR("hlo");
    bool ok = f && add_number(t, "total_float_ops", "float operations", TFP_NUMBER, t->all.float_ops);
    tfp_flops_exact(exact, t->all.float_ops);
    if (t->all.float_ops >= 1000) ok = ok && say(t, "(%s)", exact);
    ok = ok && add_number(t, "total_macs", "multiply-adds", TFP_NUMBER, t->all.macs);
    tfp_flops_exact(exact, t->all.macs);
    if (t->all.macs >= 1000) ok = ok && say(t, "(%s)", exact);
    ok = ok && add_number(t, "total_bytes_moved", "bytes moved", TFP_SIZE, t->all.bytes);
    return ok && add_coverage(t) && add_loops(t) && add_peaks(t);
}

/* ---- the report ---- */

/* The options' peaks, else those of the first device that tells them. */
static void find_peaks(tables *t)
{
    const tfp_options *o = t->r->options;
    const tfp_event_tables *e = &t->r->profile->events;
    for (size_t i = 0; i < e->devices.size && !t->device; i++)
        if (e->devices.at[i].peak_flops > 0 || e->devices.at[i].peak_bandwidth > 0) t->device = &e->devices.at[i];
    if (t->device) {
        t->peak_flops = t->device->peak_flops;
        t->peak_bandwidth = t->device->peak_bandwidth;
    }
    if (o->peak_flops) tfp_rate_parse(tfp_str_of(o->peak_flops), tfp_flops_units, &t->peak_flops);
    if (o->peak_bandwidth) tfp_rate_parse(tfp_str_of(o->peak_bandwidth), tfp_bandwidth_units, &t->peak_bandwidth);
    if (t->peak_flops > 0 || t->peak_bandwidth > 0) t->shown |= SHOW_PEAK;
    if (t->peak_flops > 0 && t->peak_bandwidth > 0) t->shown |= SHOW_BOUND;
    if (t->shown & SHOW_PEAK && t->shown & SHOW_TIMES) t->shown |= SHOW_ATTAINED;
}

static void find_totals(tables *t)
{
    for (size_t i = 0; i < t->sums.size; i++) {
        const tfp_instruction_sum *n = &t->sums.at[i];
        add_sum(&t->all, n);
        if (n->counted)
            plus(&t->counted_ns, n->ns);
        else
            plus(&t->uncounted_bytes, n->bytes);
        if (n->trips_unknown && t->loops++ == 0) t->first_loop = n->name;
    }
}

tfp_status tfp_flops_instructions(tfp_report *r, tfp_error *err)
{
    tables t = { .r = r, .shown = tfp_has(r->profile, TFP_HAS_TRACE) ? SHOW_TIMES : 0 };
    const tfp_options *o = r->options;
    tfp_status s = tfp_instructions_of(r, &t.sums, err);
    if (!s) find_totals(&t);
    if (!s) find_peaks(&t);
    if (!s && o->nodes) s = put_nodes(&t, err);
    if (!s && !o->nodes) {
        s = put_ops(&t, err);
        if (!s) s = put_top(&t, err);
        if (!s) s = put_scopes(&t, err);
        if (!s) s = put_gaps(&t, err);
        if (!s && !add_facts(&t)) s = tfp_nomem(err);
    }
    if (!s && (o->assume_batch > 0 || o->assume_shape || o->signature))
        s = tfp_report_note_add(r, err,
                                "assume_batch, assume_shape and signature are for graphs of TensorFlow: the shapes "
                                "of a compiled program are fixed");
    tfp_vec_free(&t.sums);
    return s;
}
