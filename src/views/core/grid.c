// SPDX-License-Identifier: Apache-2.0
/* views/core/grid.c: makes a grid, one array per column, from an array of row structs and its list of columns. All grids are
 * sorted by -order_by and cut by -top here. */
#include "views/core/grid.h"

#include "names/names.h"
#include "options/options.h"
#include "views/core/report.h"
#include "views/core/texts.h"

#include <math.h>
#include <stdlib.h>

/* Adds a column with one cell per row, none absent so far. False: out of memory. */
static bool add_column(tfp_report *r, tfp_grid *g, const tfp_table_column *about)
{
    tfp_table_column c = *about;
    if (c.type == TFP_CELL_NANO) c.type = tfp_fine_times(r->profile) ? TFP_CELL_REAL : TFP_CELL_INT;
    c.whole |= c.type == TFP_CELL_BOOL;
    return tfp_column_room(&c, &r->arena, g->row_count) && tfp_push(&g->columns, c);
}

/* ---- from row structs ---- */

static bool is_absent(const void *field, tfp_cell_type type)
{
    switch (type) {
    case TFP_CELL_INT:
    case TFP_CELL_NANO: return *(const int64_t *)field == TFP_ABSENT;
    case TFP_CELL_REAL: return isnan(*(const double *)field);
    case TFP_CELL_TEXT: return !((const tfp_str *)field)->data;
    default: return false;
    }
}

static void put(tfp_table_column *out, size_t row, const void *field, tfp_cell_type type)
{
    if (out->absent && is_absent(field, type)) {
        out->absent[row] = 1;
        if (type == TFP_CELL_TEXT) out->texts[row] = TFP_STR("");
        return;
    }
    switch (type) {
    case TFP_CELL_INT: out->ints[row] = *(const int64_t *)field; break;
    case TFP_CELL_NANO:
        if (out->reals)
            out->reals[row] = (double)*(const int64_t *)field / 1000;
        else
            out->ints[row] = tfp_micros(*(const int64_t *)field);
        break;
    case TFP_CELL_REAL: out->reals[row] = *(const double *)field; break;
    case TFP_CELL_TEXT: out->texts[row] = *(const tfp_str *)field; break;
    default: out->ints[row] = *(const bool *)field;
    }
}

static bool shorten(tfp_report *r, tfp_table_column *c, size_t count)
{
    if (r->options && r->options->to.full_names) return true;
    return (c->shorts = TFP_NEW(&r->arena, tfp_str, count)) != NULL &&
           tfp_kernel_shorts(&r->arena, c->texts, count, c->shorts);
}

tfp_status tfp_grid_begin(tfp_report *r, tfp_grid *g, const tfp_row_table *t, tfp_error *err)
{
    g->row_count = t->row_count;
    for (const tfp_table_column *c = t->columns; c->name; c++)
        if ((!c->only || c->only & t->shown) && !add_column(r, g, c)) return tfp_nomem(err);
    return TFP_OK;
}

void tfp_grid_put(tfp_grid *g, const tfp_row_table *t, size_t row, const void *from)
{
    tfp_table_column *out = g->columns.at;
    for (const tfp_table_column *c = t->columns; c->name; c++)
        if (!c->only || c->only & t->shown) put(out++, row, (const char *)from + c->offset, c->type);
}

tfp_status tfp_grid_fill(tfp_report *r, tfp_grid *g, const tfp_row_table *t, tfp_error *err)
{
    tfp_status s = tfp_grid_begin(r, g, t, err);
    for (size_t i = 0; i < t->row_count && !s; i++) tfp_grid_put(g, t, i, (const char *)t->rows + i * t->row_size);
    for (size_t i = 0; i < g->columns.size && !s; i++)
        if (g->columns.at[i].kernels && !shorten(r, &g->columns.at[i], t->row_count)) s = tfp_nomem(err);
    return s;
}

tfp_status tfp_grid_of(tfp_report *r, const tfp_row_table *t, tfp_error *err)
{
    return tfp_grid_fill(r, r->grid, t, err);
}

tfp_grid *tfp_grid_part_add(tfp_report *r, const char *name, const char *title)
{
    tfp_report_part part = { .name = name, .title = title };
    return tfp_push(&r->parts, part) ? &r->parts.at[r->parts.size - 1].grid : NULL;
}

tfp_status tfp_grid_part(tfp_report *r, const char *name, const char *title, const tfp_row_table *t, size_t few,
                         tfp_error *err)
{
    tfp_grid *g = tfp_grid_part_add(r, name, title);
    if (!g) return tfp_nomem(err);
    g->few = few < t->row_count ? few : t->row_count;
    return tfp_grid_fill(r, g, t, err);
}

/* ---- columns that depend on the question ---- */

static const char *name_of(tfp_report *r, const tfp_row_group *group, const char *part)
{
    tfp_buf name = { 0 };
    tfp_buf_printf(&name, "%s%s%s", group->subject, *part ? "_" : "", part);
    return tfp_buf_move(&name, &r->arena).data;
}

bool tfp_row_columns_add(tfp_column_vec *list, tfp_report *r, const tfp_row_group *group)
{
    for (const tfp_table_column *part = group->columns; part->name; part++) {
        if (part->only && !(part->only & group->shown)) continue;
        tfp_table_column column = *part;
        column.offset += group->offset;
        column.only = 0;
        column.whole |= group->whole;
        if (group->subject) {
            column.name = name_of(r, group, part->name);
            if (part->unit == TFP_NUMBER) column.unit = group->unit;
        }
        if (!column.name || !tfp_push(list, column)) return false;
    }
    return true;
}

tfp_status tfp_grid_of_list(tfp_report *r, tfp_column_vec *list, const void *rows, size_t row_size, size_t row_count,
                            tfp_error *err)
{
    if (!tfp_push(list, (tfp_table_column){ 0 })) return tfp_nomem(err);
    return tfp_grid_of(r, &(tfp_row_table){ list->at, rows, row_size, row_count, 0 }, err);
}

void tfp_grid_for_programs(tfp_grid *g, const char *const *names)
{
    for (; *names; names++)
        for (size_t i = 0; i < g->columns.size; i++)
            if (strcmp(g->columns.at[i].name, *names) == 0) g->columns.at[i].programs = true;
}

/* ---- -order_by and -top ---- */

/* Numbers in descending order, texts in ascending order, absent cells last. */
static bool goes_before(const void *ctx, uint32_t a, uint32_t b)
{
    const tfp_table_column *c = ctx;
    bool no_a = tfp_cell_absent(c, a), no_b = tfp_cell_absent(c, b);
    if (no_a || no_b) return !no_a && no_b;
    if (c->type == TFP_CELL_TEXT) return tfp_str_cmp(c->texts[a], c->texts[b]) < 0;
    return c->type == TFP_CELL_REAL ? c->reals[a] > c->reals[b] : c->ints[a] > c->ints[b];
}

static void permute(void *items, size_t size, const uint32_t *order, size_t count, char *scratch)
{
    if (!items) return;
    for (size_t i = 0; i < count; i++) memcpy(scratch + i * size, (const char *)items + order[i] * size, size);
    memcpy(items, scratch, count * size);
}

static tfp_status sort(tfp_grid *g, const tfp_table_column *by, tfp_error *err)
{
    size_t n = g->row_count;
    uint32_t *order = malloc((n + 1) * sizeof *order);
    char *scratch = malloc((n + 1) * sizeof(tfp_str));
    bool ok = order && scratch;
    for (uint32_t i = 0; ok && i < n; i++) order[i] = i;
    ok = ok && tfp_sort(order, n, goes_before, by);
    for (size_t i = 0; ok && i < g->columns.size; i++) {
        const tfp_table_column *c = &g->columns.at[i];
        permute(c->ints, sizeof *c->ints, order, n, scratch);
        permute(c->reals, sizeof *c->reals, order, n, scratch);
        permute(c->texts, sizeof *c->texts, order, n, scratch);
        permute(c->shorts, sizeof *c->shorts, order, n, scratch);
        permute(c->absent, sizeof *c->absent, order, n, scratch);
    }
    free(order);
    free(scratch);
    return ok ? TFP_OK : tfp_nomem(err);
}

static tfp_status no_column(const tfp_report *r, const char *name, tfp_error *err)
{
    tfp_buf names = { 0 };
    for (size_t i = 0; i < r->grid->columns.size; i++)
        tfp_buf_printf(&names, "%s%s", i ? ", " : "", r->grid->columns.at[i].name);
    tfp_status s = tfp_fail(err, TFP_BADARG, "option -order_by: value '%s': no such column of %s (%.*s)", name, r->view,
                            (int)names.size, names.size ? names.data : "");
    tfp_buf_free(&names);
    return s;
}

/* Finds a column by its name, or by the heading that people see. */
static const tfp_table_column *find_by_any_name(const tfp_grid *g, const char *name)
{
    const tfp_table_column *c = tfp_grid_find(g, name);
    for (size_t i = 0; i < g->columns.size && !c; i++)
        if (tfp_is_head(tfp_str_of(name), g->columns.at[i].name, g->columns.at[i].unit)) c = &g->columns.at[i];
    return c;
}

tfp_status tfp_grid_arrange(tfp_report *r, tfp_error *err)
{
    const tfp_options *o = r->options;
    tfp_grid *g = r->grid;
    const char *by = o->order_column;
    if (!by && !r->grid->keeps_order && tfp_options_chosen(o, "order_by")) by = o->order.name;
    const tfp_table_column *column = by ? find_by_any_name(g, by) : NULL;
    if (o->order_column && (!column || g->tree)) return no_column(r, by, err);
    tfp_status s = column && !g->tree ? sort(g, column, err) : TFP_OK;
    if (o->top > 0 && g->tree) return tfp_fail(err, TFP_BADARG, "option -top: the rows of %s are a tree", r->view);
    if (o->top > 0) {
        g->few = 0;
        if ((uint64_t)o->top < g->row_count) g->row_count = (size_t)o->top;
    }
    return s;
}
