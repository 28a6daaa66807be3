// SPDX-License-Identifier: Apache-2.0
/* sql/rows.c: rows of op and scope for queries: the position in the tree, then the numbers of the column table, own and
 * in total. */
#include "sql/rows.h"

#include "options/options.h"
#include "views/core/handle.h"
#include "views/core/kinds.h"
#include "views/core/view.h"

static const struct {
    const char *name, *type, *help;
} places[] = {
    { "row", "integer", "number of the row in its profile; 0: the whole" },
    { "parent", "integer", "-> row of the same profile; NULL: of the whole" },
    { "depth", "integer", "rows above it" },
    { "name", "text", "operation type, or full name with its scopes" },
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

bool sql_row_column_at(size_t i, const char **name, const char **type, const char **help)
{
    bool total, place = i < PLACES;
    const tfp_column *c = place ? NULL : number_at(i - PLACES, &total);
    *name = place ? places[i].name : !c ? NULL : total ? c->total : c->name;
    *type = place ? places[i].type : c && c->kind == TFP_COLUMN_IS_SUM && c->unit != TFP_MICROS ? "integer" : "real";
    *help = place ? places[i].help : c ? c->help : NULL;
    return *name != NULL;
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

sql_row_cell sql_row_cell_at(const tfp_report *r, size_t row, size_t column)
{
    const tfp_row *at = tfp_row_at(r, row);
    bool total;
    double number;
    switch (column) {
    case 0: return (sql_row_cell){ .type = 'i', .number = (int64_t)row };
    case 1: return (sql_row_cell){ .type = row ? 'i' : 'n', .number = at->parent };
    case 2: return (sql_row_cell){ .type = 'i', .number = at->depth };
    case 3: return (sql_row_cell){ .type = 's', .text = at->name };
    default: break;
    }
    const tfp_column *c = number_at(column - PLACES, &total);
    int v = tfp_value_of(c);
    if (v >= 0 && !(total ? tfp_tree_of(r)->total[v] : tfp_tree_of(r)->own[v])) return (sql_row_cell){ .type = 'n' };
    if (v >= 0 && !tfp_is_time(v))
        return (sql_row_cell){ .type = 'i',
                               .number = total ? tfp_total(r, (uint32_t)row, (tfp_value)v)
                                               : tfp_own(r, (uint32_t)row, (tfp_value)v) };
    if (!tfp_cell_number(r, (uint32_t)row, (tfp_column_id)(c - tfp_columns), total, &number))
        return (sql_row_cell){ .type = 'n' };
    return (sql_row_cell){ .type = 'r', .real = number };
}
