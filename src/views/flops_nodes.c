/* views/flops_nodes.c: the flops report with -nodes: a row for every node of the graph, then for those of each function,
 * with the shapes of its outputs and what one execution of it counts. */
#include "views/flops.h"

void tfp_flops_shape_text(tfp_buf *b, tfp_dims d)
{
    if (d.rank < 0) tfp_buf_text(b, "unknown");
    for (int i = 0; i < d.rank; i++) {
        if (i) tfp_buf_char(b, 'x');
        if (d.at[i] < 0)
            tfp_buf_char(b, '?');
        else
            tfp_buf_int(b, d.at[i]);
    }
}

/* 0:32x112x112x64|1:?x3, a scalar is "0:". */
bool tfp_flops_shapes(const tfp_flops_table *w, uint32_t node, tfp_str *out)
{
    const tfp_node_flops *n = &w->f->nodes[node];
    tfp_buf b = { 0 };
    for (uint32_t i = 0; i < n->out_count; i++) {
        if (i) tfp_buf_char(&b, '|');
        tfp_buf_int(&b, i);
        tfp_buf_char(&b, ':');
        tfp_flops_shape_text(&b, n->outs[i].shape);
    }
    char *copy = b.failed ? NULL : tfp_arena_copy(&w->r->arena, (tfp_str){ b.data, b.size });
    *out = (tfp_str){ copy, b.size };
    tfp_buf_free(&b);
    return copy != NULL;
}

enum { FUNCTION, NAME, OP, SHAPES, FLOAT_OPS, MACS, SOURCE, COLUMN_COUNT };

static bool add_columns(tfp_report *r)
{
    static const struct {
        const char *name;
        char type;
    } columns[COLUMN_COUNT] = { { "function", 's' },  { "name", 's' }, { "op", 's' },    { "output_shapes", 's' },
                                { "float_ops", 'i' }, { "macs", 'i' }, { "source", 's' } };
    for (int i = 0; i < COLUMN_COUNT; i++)
        if (!tfp_grid_add(r, &r->grid, columns[i].name, columns[i].type,
                          columns[i].type == 'i' ? TFP_NUMBER : TFP_LABEL, columns[i].type == 'i'))
            return false;
    return true;
}

static void put_number(tfp_grid_column *c, size_t row, bool known, int64_t n)
{
    c->absent[row] = !known;
    c->ints[row] = known ? n : 0;
}

static bool put_row(const tfp_flops_table *w, size_t row, uint32_t node, tfp_str function)
{
    static const char *const sources[] = {
        [TFP_COUNTED] = "formula", [TFP_NO_FORMULA] = "none", [TFP_NO_SHAPE] = "no_shape"
    };
    tfp_grid_column *c = w->r->grid.columns.at;
    const tfp_program_node *n = &w->g->nodes.at[node];
    tfp_own_count count = tfp_flops_own(w, node);
    c[FUNCTION].texts[row] = function;
    c[NAME].texts[row] = tfp_text(w->p, n->name);
    c[OP].texts[row] = tfp_text(w->p, n->op);
    put_number(&c[FLOAT_OPS], row, count.state == TFP_COUNTED, count.flops);
    put_number(&c[MACS], row, count.macs >= 0, count.macs);
    c[SOURCE].texts[row] = tfp_str_of(sources[count.state]);
    return tfp_flops_shapes(w, node, &c[SHAPES].texts[row]);
}

tfp_status tfp_flops_nodes(tfp_flops_table *w, tfp_error *err)
{
    tfp_report *r = w->r;
    size_t row = 0;
    for (size_t b = 0; b < w->g->bodies.size; b++) r->grid.row_count += w->g->bodies.at[b].node_count;
    bool ok = add_columns(r);
    for (size_t b = 0; ok && b < w->g->bodies.size; b++) {
        const tfp_program_body *body = &w->g->bodies.at[b];
        tfp_str function = b ? tfp_text(w->p, body->name) : (tfp_str){ 0 };
        for (uint32_t i = 0; ok && i < body->node_count; i++) ok = put_row(w, row++, body->node_first + i, function);
    }
    return ok ? TFP_OK : tfp_nomem(err);
}
