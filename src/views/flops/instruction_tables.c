// SPDX-License-Identifier: Apache-2.0
/* views/flops/instruction_tables.c: the report `flops` of a compiled program (HLO) or of a trace: totals, by op, the
 * most expensive instructions, by scope, and what has no count. work_facts.c has the totals, roofline.c the peaks. */
#include "flops/aten/aten.h"
#include "model/tables/graph.h"
#include "model/tables/instructions.h"
#include "model/tables/read.h"
#include "options/options.h"
#include "query/order.h"
#include "views/core/handle.h"
#include "views/core/notes.h"
#include "views/core/texts.h"
#include "views/flops/flops.h"
#include "views/flops/work.h"

#include <math.h>

enum { TOP_ROWS = 10, OPS_SHOWN = 15 };

/* ---- rows ---- */

static void plus(int64_t *to, int64_t n) { *to = tfp_add(*to, n, NULL); }

static void work_add(tfp_work_row *row, const tfp_instruction_sum *n)
{
    row->instructions++;
    row->counted += n->counted;
    plus(&row->runs, n->runs);
    plus(&row->float_ops, n->float_ops);
    plus(&row->macs, n->macs);
    plus(&row->bytes, n->bytes);
    row->moves |= n->moves;
    if (n->moves) plus(&row->moved_float_ops, n->float_ops);
    plus(&row->in_steps.float_ops, n->step_float_ops);
    plus(&row->in_steps.macs, n->step_macs);
    plus(&row->in_steps.bytes, n->step_bytes);
    plus(&row->ns, n->ns);
    plus(&row->device_ns, n->device_ns);
    plus(&row->working_ns, n->device_ns ? n->device_ns : n->ns);
    for (int i = 0; i < TFP_FLOAT_TYPES; i++) plus(&row->of_type[i], n->of_type[i]);
}

static bool finish_row(const tfp_work_tables *t, tfp_work_row *row)
{
    row->share = t->all.float_ops > 0 ? (double)row->float_ops / (double)t->all.float_ops : NAN;
    if (!row->moves) row->bytes = TFP_ABSENT;
    row->rates.intensity = row->bytes > 0 ? (double)row->moved_float_ops / (double)row->bytes : NAN;
    return tfp_work_roof(t, row);
}

static const tfp_sort_key most_first[] = {
    TFP_DOWN(tfp_work_row, float_ops), TFP_DOWN(tfp_work_row, bytes), TFP_UP(tfp_work_row, name), { 0 }
};

/* clang-format off */
#define WORK_COLUMNS \
    TFP_COLUMN(tfp_work_row, "runs", INT, LABEL, runs, "How often they ran; without recorded runs, how often in one run of the module."), \
    TFP_COLUMN(tfp_work_row, "float_ops", INT, NUMBER, float_ops, "Float operations of all runs."), \
    TFP_COLUMN(tfp_work_row, "share", REAL, SHARE, share, "Share of the float operations of all rows."), \
    TFP_COLUMN(tfp_work_row, "macs", INT, NUMBER, macs, "Multiply-adds of all runs."), \
    TFP_COLUMN(tfp_work_row, "bytes_moved", INT, SIZE, bytes, "Bytes read and written; for a fusion those of its operands and results."), \
    TFP_COLUMN(tfp_work_row, "intensity", REAL, NUMBER, rates.intensity, "Float operations for each byte moved."), \
    TFP_COLUMN_ONLY(tfp_work_row, "type", TEXT, LABEL, types, "Types of the inputs; tf32: fp32 that tensor cores multiply.", TFP_WORK_TYPES), \
    TFP_COLUMN_ONLY(tfp_work_row, "bound", TEXT, LABEL, bound, "What limits it on the device: memory or compute.", TFP_WORK_BOUND), \
    TFP_COLUMN_ONLY(tfp_work_row, "attainable", REAL, NUMBER, rates.attainable, "Float operations a second that the device could do.", TFP_WORK_PEAK), \
    TFP_COLUMN_ONLY(tfp_work_row, "micros", NANO, MICROS, ns, "Measured time, without nested instructions.", TFP_WORK_TIMES), \
    TFP_COLUMN_ONLY(tfp_work_row, "accelerator_micros", NANO, MICROS, device_ns, "The part of it on accelerators.", TFP_WORK_DEVICE), \
    TFP_COLUMN_ONLY(tfp_work_row, "flops_per_second", REAL, NUMBER, rates.rate, "Float operations a second of measured time, of that of the accelerators if there is any.", TFP_WORK_TIMES), \
    TFP_COLUMN_ONLY(tfp_work_row, "of_attainable", REAL, SHARE, rates.attained, "Share of the rate that the device could reach.", TFP_WORK_ATTAINED)

static const tfp_table_column op_columns[] = {
    TFP_COLUMN(tfp_work_row, "op", TEXT, LABEL, name, "Operation of the framework."),
    TFP_COLUMN_ONLY(tfp_work_row, "opcode", TEXT, LABEL, opcode, "What XLA computes for it: the HLO opcodes that count most, at most three; a fusion has the opcode that counts most in it added.", TFP_WORK_OPCODE),
    TFP_COLUMN(tfp_work_row, "nodes", INT, LABEL, instructions, "Instructions of it; fusions count as one."),
    TFP_COLUMN(tfp_work_row, "counted", INT, LABEL, counted, "Of these, those that have a count."),
    WORK_COLUMNS, { 0 }
};
static const tfp_table_column scope_columns[] = {
    TFP_COLUMN(tfp_work_row, "scope", TEXT, LABEL, name, "Place in the model."),
    TFP_COLUMN(tfp_work_row, "nodes", INT, LABEL, instructions, "Instructions in it."),
    WORK_COLUMNS, { 0 }
};
static const tfp_table_column instruction_columns[] = {
    TFP_COLUMN(tfp_work_row, "node", TEXT, LABEL, name, "The instruction."),
    TFP_COLUMN(tfp_work_row, "op", TEXT, LABEL, op, "Operation of the framework."),
    TFP_COLUMN_ONLY(tfp_work_row, "opcode", TEXT, LABEL, opcode, "Its HLO opcode; a fusion has the opcode that counts most in it added.", TFP_WORK_OPCODE),
    TFP_COLUMN(tfp_work_row, "output_shapes", TEXT, LABEL, shapes, "Shapes of its results."),
    WORK_COLUMNS, { 0 }
};
static const tfp_table_column node_columns[] = {
    TFP_COLUMN(tfp_work_row, "function", TEXT, LABEL, module, "The module."),
    TFP_COLUMN(tfp_work_row, "name", TEXT, LABEL, name, "The instruction."),
    TFP_COLUMN(tfp_work_row, "op", TEXT, LABEL, op, "Operation of the framework."),
    TFP_COLUMN_ONLY(tfp_work_row, "opcode", TEXT, LABEL, opcode, "Its HLO opcode; a fusion has the opcode that counts most in it added.", TFP_WORK_OPCODE),
    TFP_COLUMN(tfp_work_row, "scope", TEXT, LABEL, scope, "Place in the model."),
    TFP_COLUMN(tfp_work_row, "output_shapes", TEXT, LABEL, shapes, "Shapes of its results."),
    TFP_COLUMN(tfp_work_row, "runs", INT, LABEL, runs, "How often it ran; without recorded runs, how often in one run of the module."),
    TFP_COLUMN(tfp_work_row, "float_ops", INT, NUMBER, float_ops, "Float operations of one execution."),
    TFP_COLUMN(tfp_work_row, "macs", INT, NUMBER, macs, "Multiply-adds of one execution."),
    TFP_COLUMN(tfp_work_row, "bytes_moved", INT, SIZE, bytes, "Bytes that one execution reads and writes."),
    TFP_COLUMN_ONLY(tfp_work_row, "micros", NANO, MICROS, ns, "Measured time of all runs.", TFP_WORK_TIMES),
    TFP_COLUMN(tfp_work_row, "source", TEXT, LABEL, source, "formula, or none."),
    { 0 }
};
static const tfp_table_column gap_columns[] = {
    TFP_COLUMN(tfp_work_row, "op", TEXT, LABEL, name, "Operation of the framework."),
    TFP_COLUMN(tfp_work_row, "nodes", INT, LABEL, instructions, "Instructions without a count."),
    TFP_COLUMN(tfp_work_row, "first", TEXT, LABEL, op, "The first of them."),
    { 0 }
};
/* clang-format on */

/* ---- names ---- */

static tfp_str text(const tfp_work_tables *t, tfp_strid id) { return tfp_text(tfp_profile_of(t->r), id); }

/* The path up to its last slash; without a slash the model's root. */
static tfp_str scope_of(const tfp_work_tables *t, uint32_t node)
{
    tfp_str path = text(t, tfp_graph_of(tfp_profile_of(t->r))->nodes.at[node].name);
    while (path.size && path.data[path.size - 1] != '/') path.size--;
    if (path.size > 1) path.size--;
    return path.size ? path : TFP_STR("(top)");
}

/* Writes the shapes of the node's first instruction, as 0:8x4|1:16. */
static bool put_shapes(const tfp_work_tables *t, uint32_t node, tfp_str *out)
{
    const tfp_profile *p = tfp_profile_of(t->r);
    tfp_buf b = { 0 };
    for (TFP_EACH(tfp_graph_of(p)->outputs, o, tfp_graph_of(p)->nodes.at[node].output_first)) {
        if (b.size) tfp_buf_char(&b, '|');
        tfp_buf_int(&b, tfp_graph_of(p)->outputs.at[o].slot);
        tfp_buf_char(&b, ':');
        tfp_shape_text(p, tfp_graph_of(p)->outputs.at[o].shape, &b);
    }
    *out = tfp_buf_move(&b, tfp_arena_of(t->r));
    return out->data != NULL;
}

/* ---- tfp_work_tables ---- */

/* Rows of a table, and its columns. */
typedef struct work_rows {
    const tfp_table_column *columns;
    const tfp_work_row *at;
    size_t count;
} work_rows;

/* Puts sorted rows into a grid; people see `few` of them. */
static tfp_status put(const tfp_work_tables *t, tfp_grid *g, work_rows rows, size_t few, tfp_error *err)
{
    const tfp_work_row *sorted = tfp_ordered(tfp_arena_of(t->r), rows.at, sizeof *rows.at, rows.count, most_first);
    if (!sorted) return tfp_nomem(err);
    tfp_status s =
        tfp_grid_fill(t->r, g, &(tfp_row_table){ rows.columns, sorted, sizeof *sorted, rows.count, t->shown }, err);
    g->few = few < rows.count ? few : rows.count;
    return s;
}

static tfp_status put_part(const tfp_work_tables *t, const char *name, const char *title, work_rows rows,
                           tfp_error *err)
{
    if (!rows.count) return TFP_OK;
    tfp_grid *g = tfp_grid_part_add(t->r, name, title);
    return g ? put(t, g, rows, TOP_ROWS, err) : tfp_nomem(err);
}

typedef struct groups {
    tfp_map64 by_name; /* name, or index of a text -> index in rows */
    TFP_VEC(tfp_work_row) rows;
} groups;

static tfp_work_row *group_of(groups *g, uint64_t key, tfp_str name)
{
    uint32_t at = tfp_map64_get(&g->by_name, key);
    if (at != TFP_NONE) return &g->rows.at[at];
    at = (uint32_t)g->rows.size;
    tfp_work_row row = { .name = name };
    return tfp_push(&g->rows, row) && tfp_map64_put(&g->by_name, key, at) ? &g->rows.at[at] : NULL;
}

static void groups_free(groups *g)
{
    tfp_map64_free(&g->by_name);
    tfp_vec_free(&g->rows);
}

/* Sums by op, the most expensive first. */
static bool more_of_op(const void *ctx, uint32_t a, uint32_t b)
{
    const tfp_work_tables *t = ctx;
    const tfp_instruction_sum *x = &t->sums.at[a], *y = &t->sums.at[b];
    tfp_strid op = tfp_graph_of(tfp_profile_of(t->r))->nodes.at[x->node].op,
              other = tfp_graph_of(tfp_profile_of(t->r))->nodes.at[y->node].op;
    if (op != other) return op < other;
    return x->float_ops != y->float_ops ? x->float_ops > y->float_ops : x->opcode < y->opcode;
}

/* Writes the distinct opcodes of an op's instructions, at most three: "dot|fusion(dot)". */
static bool put_opcodes(const tfp_work_tables *t, const uint32_t *sums, size_t count, tfp_str *out)
{
    enum { MOST = 3 };
    tfp_strid listed[MOST] = { 0 };
    size_t n = 0;
    tfp_buf b = { 0 };
    for (size_t i = 0; i < count && n < MOST; i++) {
        tfp_strid opcode = t->sums.at[sums[i]].opcode;
        bool known = !opcode;
        for (size_t k = 0; k < n; k++) known |= listed[k] == opcode;
        if (known) continue;
        tfp_buf_text(&b, n ? "|" : "");
        tfp_buf_str(&b, text(t, opcode));
        listed[n++] = opcode;
    }
    *out = tfp_buf_move(&b, tfp_arena_of(t->r));
    return out->data != NULL;
}

static bool find_opcodes(const tfp_work_tables *t, groups *g)
{
    size_t n = t->sums.size;
    uint32_t *order = t->shown & TFP_WORK_OPCODE ? TFP_NEW(tfp_arena_of(t->r), uint32_t, n + 1) : NULL;
    if (!order) return !(t->shown & TFP_WORK_OPCODE);
    for (uint32_t i = 0; i < n; i++) order[i] = i;
    bool ok = tfp_sort(order, n, more_of_op, t);
    for (size_t first = 0, end; ok && first < n; first = end) {
        tfp_strid op = tfp_graph_of(tfp_profile_of(t->r))->nodes.at[t->sums.at[order[first]].node].op;
        for (end = first + 1;
             end < n && tfp_graph_of(tfp_profile_of(t->r))->nodes.at[t->sums.at[order[end]].node].op == op;)
            end++;
        uint32_t at = tfp_map64_get(&g->by_name, op);
        ok = at == TFP_NONE || put_opcodes(t, order + first, end - first, &g->rows.at[at].opcode);
    }
    return ok;
}

static tfp_status put_ops(const tfp_work_tables *t, tfp_error *err)
{
    groups g = { 0 };
    bool ok = true;
    size_t few = 0;
    for (size_t i = 0; ok && i < t->sums.size; i++) {
        tfp_strid op = tfp_graph_of(tfp_profile_of(t->r))->nodes.at[t->sums.at[i].node].op;
        tfp_work_row *row = group_of(&g, op, text(t, op));
        if ((ok = row != NULL)) work_add(row, &t->sums.at[i]);
    }
    ok = ok && find_opcodes(t, &g);
    for (size_t i = 0; ok && i < g.rows.size; i++) {
        ok = finish_row(t, &g.rows.at[i]);
        few += g.rows.at[i].float_ops > 0;
    }
    if (!few || few > OPS_SHOWN) few = OPS_SHOWN;
    tfp_status s =
        ok ? put(t, tfp_table_of(t->r), (work_rows){ op_columns, g.rows.at, g.rows.size }, few, err) : tfp_nomem(err);
    groups_free(&g);
    return s;
}

static tfp_status put_scopes(const tfp_work_tables *t, tfp_error *err)
{
    groups g = { 0 };
    bool ok = true;
    for (size_t i = 0; ok && i < t->sums.size; i++) {
        tfp_str scope = scope_of(t, t->sums.at[i].node);
        tfp_work_row *row = group_of(&g, tfp_hash(scope.data, scope.size), scope);
        if ((ok = row != NULL)) work_add(row, &t->sums.at[i]);
    }
    for (size_t i = 0; ok && i < g.rows.size; i++) ok = finish_row(t, &g.rows.at[i]);
    tfp_status s =
        ok ? put_part(t, "scopes", "places in the model", (work_rows){ scope_columns, g.rows.at, g.rows.size }, err)
           : tfp_nomem(err);
    groups_free(&g);
    return s;
}

static tfp_status put_gaps(const tfp_work_tables *t, tfp_error *err)
{
    groups g = { 0 };
    bool ok = true;
    for (size_t i = 0; ok && i < t->sums.size; i++) {
        const tfp_instruction_sum *n = &t->sums.at[i];
        tfp_strid op = tfp_graph_of(tfp_profile_of(t->r))->nodes.at[n->node].op;
        if (n->counted) continue;
        tfp_work_row *row = group_of(&g, op, text(t, op));
        if (!(ok = row != NULL)) break;
        if (!row->instructions) row->op = text(t, n->name);
        work_add(row, n);
    }
    tfp_status s = ok ? put_part(t, "no_formula", "operations without a count",
                                 (work_rows){ gap_columns, g.rows.at, g.rows.size }, err)
                      : tfp_nomem(err);
    groups_free(&g);
    return s;
}

/* One row per instruction, with the names that distinguish instructions, and shapes. */
static tfp_work_row *instruction_rows(const tfp_work_tables *t)
{
    tfp_work_row *rows = TFP_NEW(tfp_arena_of(t->r), tfp_work_row, t->sums.size + 1);
    for (size_t i = 0; rows && i < t->sums.size; i++) {
        const tfp_instruction_sum *n = &t->sums.at[i];
        rows[i].name = text(t, n->name);
        rows[i].op = text(t, tfp_graph_of(tfp_profile_of(t->r))->nodes.at[n->node].op);
        if (n->opcode) rows[i].opcode = text(t, n->opcode);
        work_add(&rows[i], n);
    }
    return rows;
}

static tfp_status put_top(const tfp_work_tables *t, tfp_error *err)
{
    tfp_work_row *rows = instruction_rows(t);
    if (!rows) return tfp_nomem(err);
    size_t count = 0;
    double most = 0;
    for (size_t i = 0; i < t->sums.size; i++) {
        if (!rows[i].float_ops) continue;
        rows[count] = rows[i];
        bool ok = finish_row(t, &rows[count]);
        if (rows[count].rates.attained > most) most = rows[count].rates.attained;
        if (!ok || !put_shapes(t, t->sums.at[i].node, &rows[count++].shapes)) return tfp_nomem(err);
    }
    tfp_status s = tfp_work_check_peaks(t, most, err);
    if (s) return s;
    const char *title = t->operators ? "operators that count most" : "instructions that count most";
    return put_part(t, "top_nodes", title, (work_rows){ instruction_columns, rows, count }, err);
}

/* -nodes: rows in the order of the file. */
static tfp_status put_nodes(const tfp_work_tables *t, tfp_error *err)
{
    tfp_work_row *rows = instruction_rows(t);
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

/* ---- the report ---- */

static void add_uncounted(tfp_work_tables *t, const tfp_instruction_sum *n)
{
    tfp_str op = text(t, n->opcode ? n->opcode : tfp_graph_of(tfp_profile_of(t->r))->nodes.at[n->node].op);
    plus(&t->uncounted_bytes, n->bytes);
    if (tfp_is_left_out(op, !t->operators || tfp_aten_find(op))) tfp_left_out_add(&t->left, op);
}

static void find_totals(tfp_work_tables *t)
{
    for (size_t i = 0; i < t->sums.size; i++) {
        const tfp_instruction_sum *n = &t->sums.at[i];
        work_add(&t->all, n);
        if (n->counted)
            plus(&t->counted_ns, n->ns);
        else
            add_uncounted(t, n);
        t->bytes_missing |= !n->counted && !n->moves;
        t->bytes_least |= n->counted && n->float_ops > 0 && !n->moves;
        if (n->opcode) t->shown |= TFP_WORK_OPCODE;
        if (n->trips_unknown && t->loops++ == 0) t->first_loop = n->name;
    }
}

/* Whether some instruction has a size that is open, as in tensor<?x64xf32>. */
static bool has_open_sizes(const tfp_work_tables *t)
{
    const tfp_node_tables *g = tfp_graph_of(tfp_profile_of(t->r));
    for (size_t i = 0; i < t->sums.size; i++)
        for (TFP_EACH(g->outputs, o, g->nodes.at[t->sums.at[i].node].output_first)) {
            const tfp_shape *s = &g->shapes.at[g->outputs.at[o].shape];
            for (uint32_t k = 0; k < s->count; k++)
                if (g->dims.at[s->first + k] < 0) return true;
        }
    return false;
}

tfp_status tfp_flops_instructions(tfp_report *r, tfp_error *err)
{
    tfp_work_tables t = { .r = r,
                          .operators = tfp_aten_recorded(tfp_profile_of(r)),
                          .shown = tfp_has(tfp_profile_of(r), TFP_HAS_TRACE) ? TFP_WORK_TIMES : 0 };
    const tfp_options *o = tfp_options_of(r);
    tfp_status s = tfp_instructions_of(r, &t.sums, err);
    if (!s) find_totals(&t);
    if (!s) s = tfp_work_find_peaks(&t, err);
    if (!s && o->flops.nodes) s = put_nodes(&t, err);
    if (!s && !o->flops.nodes) {
        s = put_ops(&t, err);
        if (!s) s = put_top(&t, err);
        if (!s) s = put_scopes(&t, err);
        if (!s) s = tfp_work_types(&t, err);
        if (!s) s = put_gaps(&t, err);
        if (!s && !tfp_work_facts(&t)) s = tfp_nomem(err);
        if (!s) s = tfp_work_utilization(&t, err);
    }
    if (!s && (o->flops.assume_batch > 0 || o->flops.assume_shape || o->flops.signature))
        s = tfp_report_note_add(r, TFP_NOTE_OPTION_IGNORED, err,
                                "assume_batch, assume_shape and signature are for graphs of TensorFlow and ONNX: %s",
                                t.operators ? "the shapes of a trace are those that were recorded"
                                : has_open_sizes(&t)
                                    ? "this program has open sizes (?); lower it with sizes for a count"
                                    : "the shapes of a compiled program are fixed");
    return s;
}
