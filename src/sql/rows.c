// SPDX-License-Identifier: Apache-2.0
/* sql/rows.c: rows of op and scope for queries: the position in the tree, then the numbers of the column table, own and
 * in total. */
#include "sql/rows.h"
#include "sql/cells.h"

#include "options/options.h"
#include "views/core/handle.h"
#include "views/core/kinds.h"
#include "views/core/view.h"

static const tfp_table_column places[] = {
    { .name = "row", .type = TFP_CELL_INT, .help = "number of the row in its profile; 0: the whole" },
    { .name = "parent", .type = TFP_CELL_INT, .help = "-> row of the same profile; NULL: of the whole" },
    { .name = "depth", .type = TFP_CELL_INT, .help = "rows above it" },
    { .name = "name", .type = TFP_CELL_TEXT, .help = "operation type, or full name with its scopes" },
};
#define PLACES (sizeof places / sizeof *places)

/* The numeric column at an index after the first columns: each number has two, its own value and the total. */
static const tfp_column *number_at(size_t i, bool *total)
{
    for (int c = 0; c < tfp_column_count; c++) {
        if (!tfp_kinds[tfp_columns[c].kind].number) continue;
        *total = i == 1;
        if (i < 2) return &tfp_columns[c];
        i -= 2;
    }
    return NULL;
}

bool sql_row_column_at(size_t i, tfp_table_column *out)
{
    bool total;
    if (i < PLACES) return *out = places[i], true;
    const tfp_column *c = number_at(i - PLACES, &total);
    if (!c) return false;
    bool whole = c->kind == TFP_COLUMN_IS_SUM && c->unit != TFP_MICROS;
    *out = (tfp_table_column){ .name = total ? c->total : c->name,
                               .type = whole ? TFP_CELL_INT : TFP_CELL_REAL,
                               .help = c->help };
    return true;
}

/* Selects every number and every row. */
static bool ask_for(tfp_options *o, bool statistics)
{
    tfp_buf select = { 0 };
    for (int c = 0; c < tfp_column_count; c++) {
        const tfp_kind_rules *kind = &tfp_kinds[tfp_columns[c].kind];
        if (kind->number && (kind->of_sums || statistics))
            tfp_buf_printf(&select, "%s%s", select.size ? "," : "", tfp_columns[c].name);
    }
    tfp_buf_char(&select, '\0');
    bool ok = !select.failed && !tfp_options_set(o, "select", select.data, NULL) &&
              !tfp_options_set(o, "order_by", "name", NULL) && !tfp_options_set(o, "max_depth", "1000000000", NULL) &&
              !tfp_options_set(o, "account_type_regexes", ".*", NULL);
    tfp_buf_free(&select);
    return ok;
}

tfp_status sql_rows_build(const tfp_profile *p, const tfp_view *view, tfp_moments range, tfp_report **out)
{
    tfp_status s = TFP_NOMEM;
    for (int statistics = 1; statistics >= 0; statistics--) {
        tfp_options *o = tfp_options_new();
        if (o) o->part.range = range;
        s = o && ask_for(o, statistics) ? tfp_view_build(p, view, o, out, NULL) : TFP_NOMEM;
        tfp_options_free(o);
        if (s != TFP_NOTFOUND && s != TFP_BADARG) break;
    }
    return s;
}

void sql_row_cell_at(const tfp_report *r, size_t row, size_t column, sql_cell *out)
{
    const tfp_row *at = tfp_row_at(r, (uint32_t)row);
    bool total;
    switch (column) {
    case 0: sql_put_int(out, (int64_t)row); return;
    case 1:
        if (row) sql_put_int(out, at->parent);
        return;
    case 2: sql_put_int(out, at->depth); return;
    case 3:
        out->type = 's';
        out->s = at->name;
        return;
    default: break;
    }
    const tfp_column *c = number_at(column - PLACES, &total);
    int v = tfp_value_of(c);
    const int64_t *n = v < 0 ? NULL : (total ? tfp_total_of : tfp_own_of)(r, (uint32_t)row, (tfp_value)v);
    if (n && !tfp_is_time(v))
        sql_put_int(out, *n);
    else if ((n || v < 0) && tfp_cell_number(r, (uint32_t)row, (tfp_column_id)(c - tfp_columns), total, &out->r))
        out->type = 'r';
}
