/* views/grid.c: an array of row structs and its list of columns become a grid: one array a column. */
#include "views/grid.h"

#include <math.h>

static const void *field_of(const tfp_row_table *t, size_t row, const tfp_row_column *c)
{
    return (const char *)t->rows + row * t->row_size + c->offset;
}

static bool is_absent(const void *field, tfp_row_type type)
{
    switch (type) {
    case TFP_T_INT:
    case TFP_T_NANO: return *(const int64_t *)field == TFP_ABSENT;
    case TFP_T_REAL: return isnan(*(const double *)field);
    case TFP_T_TEXT: return !((const tfp_str *)field)->data;
    case TFP_T_BOOL: break;
    }
    return false;
}

static void put(tfp_grid_column *out, size_t row, const void *field, tfp_row_type type)
{
    if (is_absent(field, type)) {
        out->absent[row] = 1;
        if (type == TFP_T_TEXT) out->texts[row] = TFP_STR("");
        return;
    }
    switch (type) {
    case TFP_T_INT: out->ints[row] = *(const int64_t *)field; break;
    case TFP_T_NANO: out->reals[row] = (double)*(const int64_t *)field / 1000; break;
    case TFP_T_REAL: out->reals[row] = *(const double *)field; break;
    case TFP_T_TEXT: out->texts[row] = *(const tfp_str *)field; break;
    case TFP_T_BOOL: out->ints[row] = *(const bool *)field; break;
    }
}

static bool add_column(tfp_report *r, const tfp_row_table *t, const tfp_row_column *c)
{
    static const char types[] = {
        [TFP_T_INT] = 'i', [TFP_T_NANO] = 'r', [TFP_T_REAL] = 'r', [TFP_T_TEXT] = 's', [TFP_T_BOOL] = 'b'
    };
    size_t count = t->row_count ? t->row_count : 1;
    tfp_grid_column out = { .name = c->name, .type = types[c->type], .unit = c->unit };
    out.absent = TFP_NEW(&r->arena, uint8_t, count);
    if (out.type == 's')
        out.texts = TFP_NEW(&r->arena, tfp_str, count);
    else if (out.type == 'r')
        out.reals = TFP_NEW(&r->arena, double, count);
    else
        out.ints = TFP_NEW(&r->arena, int64_t, count);
    if (!out.absent || !(out.texts || out.reals || out.ints)) return false;
    for (size_t i = 0; i < t->row_count; i++) put(&out, i, field_of(t, i, c), c->type);
    return tfp_push(&r->grid.columns, out);
}

tfp_status tfp_grid_of(tfp_report *r, const tfp_row_table *t, tfp_error *err)
{
    r->grid.row_count = t->row_count;
    for (const tfp_row_column *c = t->columns; c->name; c++) {
        if (c->only && !(c->only & t->shown)) continue;
        if (!add_column(r, t, c)) return tfp_nomem(err);
    }
    return TFP_OK;
}
