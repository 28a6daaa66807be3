// SPDX-License-Identifier: Apache-2.0
/* views/files/params.c: the table `params`: the model's variables by block: how many elements (trained, not trained, of
 * optimizers), and how many bytes of which type. A block is a scope; -max_depth sets its depth. In: tfp_parameters. */
#include "flops/core/parameters.h"
#include "model/program.h"
#include "model/tables/graph.h"
#include "model/tables/read.h"
#include "model/tables/sources.h"
#include "model/tensors.h"
#include "options/options.h"
#include "query/groups.h"
#include "views/core/grid.h"
#include "views/core/handle.h"
#include "views/core/notes.h"
#include "views/core/view.h"

#include <math.h>

typedef struct block_row {
    tfp_str block;
    int64_t variables, params, trainable, fixed, slots, bytes, slot_bytes;
    double share;
} block_row;

typedef struct dtype_row {
    tfp_str dtype;
    int64_t variables, params, slots, bytes, slot_bytes;
} dtype_row;

typedef struct table {
    tfp_report *r;
    tfp_parameter_counts counts;
    tfp_groups blocks, dtypes; /* block_row by name, dtype_row by DataType */
    bool unsized;              /* the size of some variable's type is unknown */
} table;

/* Bytes of an element of a DataType; 0 for texts, resources and unknown types. */
static int64_t size_of(int32_t dtype)
{
    static const struct {
        int8_t dtype, size;
    } sizes[] = { { 1, 4 },   { 2, 8 },  { 3, 4 },  { 4, 1 },  { 5, 2 },  { 6, 1 },  { 8, 8 },  { 9, 8 },
                  { 10, 1 },  { 11, 1 }, { 12, 1 }, { 13, 4 }, { 14, 2 }, { 15, 2 }, { 16, 2 }, { 17, 2 },
                  { 18, 16 }, { 19, 2 }, { 22, 4 }, { 23, 8 }, { 24, 1 }, { 25, 1 } };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i].dtype == dtype) return sizes[i].size;
    return 0;
}

static bool is_of_model(tfp_parameter_kind k) { return k == TFP_TRAINED || k == TFP_FIXED || k == TFP_PARAMETER; }
static bool is_shown(tfp_parameter_kind k) { return is_of_model(k) || k == TFP_SLOT; }

/* The scopes of a name down to a depth. A name with fewer scopes belongs to the block of all its scopes. */
static tfp_str block_name(tfp_str name, int64_t depth)
{
    size_t end = 0;
    for (size_t i = 0; i < name.size && depth > 0; i++)
        if (name.data[i] == '/') end = i, depth--;
    return end ? (tfp_str){ name.data, end } : (tfp_str){ "(no scope)", 10 };
}

/* The first depth with more than one block, so that a model inside a single scope is not shown as one row. */
static int64_t depth_of(const table *t)
{
    const tfp_profile *p = tfp_profile_of(t->r);
    if (tfp_options_chosen(tfp_options_of(t->r), "max_depth"))
        return tfp_options_of(t->r)->max_depth < 1 ? 1 : tfp_options_of(t->r)->max_depth;
    for (int64_t depth = 1; depth < 10; depth++) {
        tfp_str first = { NULL, 0 };
        for (size_t i = 0; i < tfp_graph_of(p)->nodes.size; i++) {
            if (!is_of_model((tfp_parameter_kind)t->counts.kinds[i])) continue;
            tfp_str block = block_name(tfp_text(p, tfp_graph_of(p)->nodes.at[i].name), depth);
            if (!first.data) first = block;
            if (!tfp_str_eq(first, block)) return depth;
        }
    }
    return 1;
}

static block_row *find_block(table *t, tfp_str name)
{
    block_row *row = TFP_GROUP(&t->blocks, tfp_group_text(&t->blocks, name));
    if (t->blocks.added) row->block = name;
    return row;
}

static dtype_row *find_dtype(table *t, int32_t dtype)
{
    dtype_row *row = TFP_GROUP(&t->dtypes, (uint32_t)dtype);
    if (t->dtypes.added)
        row->dtype = dtype < 0 ? tfp_text(tfp_profile_of(t->r), (tfp_strid)(-1 - dtype))
                               : tfp_str_of(dtype > 0 ? tfp_dtype_name(dtype) : "unknown");
    return row;
}

static void more(int64_t *sum, int64_t n) { *sum = tfp_add(*sum, n, NULL); }

static bool add_variable(table *t, uint32_t node, int64_t depth)
{
    const tfp_profile *p = tfp_profile_of(t->r);
    tfp_parameter_kind kind = (tfp_parameter_kind)t->counts.kinds[node];
    int64_t n = t->counts.elements_of[node], size = size_of(t->counts.dtype[node]);
    int64_t bytes = t->counts.bytes_of ? t->counts.bytes_of[node] : tfp_mul(n, size, NULL);
    block_row *b = find_block(t, block_name(tfp_text(p, tfp_graph_of(p)->nodes.at[node].name), depth));
    dtype_row *d = b ? find_dtype(t, t->counts.dtype[node]) : NULL;
    if (!d) return false;
    t->unsized |= n && !size && !t->counts.bytes_of;
    more(kind == TFP_SLOT ? &b->slots : &b->params, n);
    more(kind == TFP_SLOT ? &d->slots : &d->params, n);
    more(kind == TFP_SLOT ? &b->slot_bytes : &b->bytes, bytes);
    more(kind == TFP_SLOT ? &d->slot_bytes : &d->bytes, bytes);
    b->variables++;
    d->variables++;
    if (kind == TFP_TRAINED || kind == TFP_PARAMETER) more(&b->trainable, n);
    if (kind == TFP_FIXED) more(&b->fixed, n);
    return true;
}

/* ---- the table ---- */

enum { KINDS_KNOWN = 1 };

/* clang-format off */
static const tfp_table_column block_columns[] = {
    TFP_COLUMN(block_row, "block", TEXT, LABEL, block, "A scope of the model, as deep as -max_depth says."),
    TFP_COLUMN(block_row, "variables", INT, NUMBER, variables, "How many it has, including those of optimizers."),
    TFP_COLUMN(block_row, "params", INT, NUMBER, params, "Elements of the model's variables."),
    TFP_COLUMN(block_row, "share", REAL, SHARE, share, "Share of all parameters of the model."),
    TFP_COLUMN_ONLY(block_row, "trainable_params", INT, NUMBER, trainable, "Those that are trained.", KINDS_KNOWN),
    TFP_COLUMN_ONLY(block_row, "fixed_params", INT, NUMBER, fixed, "Those that are not.", KINDS_KNOWN),
    TFP_COLUMN(block_row, "slot_params", INT, NUMBER, slots, "Elements of optimizers' variables, which are no parameters."),
    TFP_COLUMN(block_row, "bytes", INT, SIZE, bytes, "Of the model's variables."),
    TFP_COLUMN(block_row, "slot_bytes", INT, SIZE, slot_bytes, "Of the optimizers'."),
    { NULL, TFP_CELL_INT, TFP_LABEL, 0, NULL, 0 },
};
static const tfp_table_column dtype_columns[] = {
    TFP_COLUMN(dtype_row, "dtype", TEXT, LABEL, dtype, "Type of the elements."),
    TFP_COLUMN(dtype_row, "variables", INT, NUMBER, variables, "How many have it."),
    TFP_COLUMN(dtype_row, "params", INT, NUMBER, params, "Elements of the model's variables."),
    TFP_COLUMN(dtype_row, "slot_params", INT, NUMBER, slots, "Elements of optimizers' variables."),
    TFP_COLUMN(dtype_row, "bytes", INT, SIZE, bytes, "Of the model's variables."),
    TFP_COLUMN(dtype_row, "slot_bytes", INT, SIZE, slot_bytes, "Of the optimizers'."),
    { NULL, TFP_CELL_INT, TFP_LABEL, 0, NULL, 0 },
};
/* clang-format on */

static bool say(tfp_report *r, const char *name, const char *label, tfp_unit unit, int64_t n, int64_t exact)
{
    tfp_fact *f = tfp_fact_add(r, name, label, TFP_CELL_INT, unit);
    if (!f) return false;
    f->number = n;
    if (unit != TFP_NUMBER || exact < 1000000) return true;
    tfp_buf b = { 0 };
    tfp_buf_printf(&b, "(%lld)", (long long)exact);
    f->more = tfp_buf_move(&b, tfp_arena_of(r));
    return f->more.data != NULL;
}

static bool say_totals(table *t)
{
    const tfp_parameter_counts *c = &t->counts;
    int64_t bytes = 0, slot_bytes = 0, trained = c->elements[TFP_TRAINED], fixed = c->elements[TFP_FIXED];
    for (const dtype_row *row = t->dtypes.rows; row < (const dtype_row *)t->dtypes.rows + t->dtypes.count; row++) {
        more(&bytes, row->bytes);
        more(&slot_bytes, row->slot_bytes);
    }
    bool ok = say(t->r, "params", "parameters", TFP_NUMBER, c->total, c->total);
    if (!c->elements[TFP_PARAMETER])
        ok = ok && say(t->r, "trainable_params", "  trainable", TFP_NUMBER, trained, trained) &&
             say(t->r, "fixed_params", "  not trainable", TFP_NUMBER, fixed, fixed);
    ok = ok && say(t->r, "bytes", "  bytes", TFP_SIZE, bytes, 0);
    if (c->elements[TFP_SLOT])
        ok = ok &&
             say(t->r, "slot_params", "of optimizers", TFP_NUMBER, c->elements[TFP_SLOT], c->elements[TFP_SLOT]) &&
             say(t->r, "slot_bytes", "  bytes", TFP_SIZE, slot_bytes, 0);
    if (c->idle) ok = ok && say(t->r, "unused_params", "in no signature", TFP_NUMBER, c->idle, c->idle);
    return ok;
}

static tfp_status note_gaps(table *t, tfp_error *err)
{
    const tfp_parameter_counts *c = &t->counts;
    tfp_status s = TFP_OK;
    if (c->unknown)
        s = tfp_report_note_add(t->r, TFP_NOTE_PARAMETERS_UNKNOWN, err,
                                "%zu variable%s of the model without a known shape count as 0 parameters", c->unknown,
                                c->unknown == 1 ? "" : "s");
    if (!s && c->elements[TFP_PARAMETER] && c->elements[TFP_PARAMETER] < c->total)
        s = tfp_report_note_add(t->r, TFP_NOTE_TRAINED_UNKNOWN, err,
                                "nothing in the files says whether %lld of the %lld parameters are trained",
                                (long long)c->elements[TFP_PARAMETER], (long long)c->total);
    else if (!s && c->elements[TFP_PARAMETER])
        s = tfp_report_note_add(t->r, TFP_NOTE_TRAINED_UNKNOWN, err,
                                "nothing in the files says which parameters are trained");
    if (!s && t->unsized)
        s = tfp_report_note_add(t->r, TFP_NOTE_BYTES_UNKNOWN, err,
                                "variables whose type is not known, or has no size, count no bytes");
    return s;
}

static const tfp_sort_key biggest_first[] = { TFP_DOWN(block_row, params), TFP_DOWN(block_row, slots), { 0 } };

enum { BLOCKS_SHOWN = 40 };

static tfp_status show(table *t, tfp_error *err)
{
    unsigned shown = t->counts.elements[TFP_PARAMETER] ? 0 : KINDS_KNOWN;
    tfp_status s = say_totals(t) ? note_gaps(t, err) : tfp_nomem(err);
    size_t count;
    block_row *sorted = tfp_groups_end(&t->blocks, tfp_arena_of(t->r), biggest_first, &count);
    tfp_row_table blocks = { block_columns, sorted, sizeof *sorted, count, shown };
    if (!sorted) return tfp_nomem(err);
    for (block_row *row = sorted; row < sorted + count; row++)
        row->share = t->counts.total ? (double)row->params / (double)t->counts.total : NAN;
    tfp_table_of(t->r)->few = BLOCKS_SHOWN;
    tfp_row_table dtypes = { dtype_columns, t->dtypes.rows, sizeof(dtype_row), t->dtypes.count, 0 };
    if (!s) s = tfp_grid_of(t->r, &blocks, err);
    return s ? s : tfp_grid_part(t->r, "dtypes", "by type", &dtypes, 0, err);
}

static tfp_status build(tfp_report *r, tfp_error *err)
{
    const tfp_profile *p = tfp_profile_of(r);
    table t = { .r = r, .blocks.row_size = sizeof(block_row), .dtypes.row_size = sizeof(dtype_row) };
    if (!tfp_program_of(p) && !tfp_parameters_once(p)) {
        bool torch = tfp_sources_of(p)->from & TFP_FROM_PYTORCH;
        tfp_fail(err, TFP_NOTFOUND, "no variables: %s",
                 torch ? "PyTorch's traces do not say which tensors are parameters; of TensorFlow, params needs the "
                         "graph file or SavedModel (--graph_path), or a checkpoint"
                       : "params needs the graph file or SavedModel (--graph_path), or a checkpoint");
        return tfp_within_file(err, TFP_NOTFOUND, tfp_first_source(p));
    }
    tfp_status s = tfp_parameters(p, tfp_arena_of(r), &t.counts, err);
    int64_t depth = s ? 0 : depth_of(&t);
    for (uint32_t i = 0; !s && i < tfp_graph_of(p)->nodes.size; i++)
        if (is_shown((tfp_parameter_kind)t.counts.kinds[i]) && !add_variable(&t, i, depth)) s = tfp_nomem(err);
    *tfp_clamped_of(r) |= t.counts.clamped;
    if (!s) s = show(&t, err);
    tfp_groups_free(&t.blocks);
    tfp_groups_free(&t.dtypes);
    return s;
}

const tfp_view tfp_view_params = {
    "params",
    "The model's variables by block: how many parameters, trained or not, of optimizers, bytes by type.",
    TFP_REPORT_GRID,
    NULL,
    NULL,
    build,
    .reads = TFP_READS_PROGRAM,
};
