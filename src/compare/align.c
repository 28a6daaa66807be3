// SPDX-License-Identifier: Apache-2.0
/* compare/align.c: maps the rows of several reports of one view to items: in the scope view by path; in the graph and op
 * views by name; in the code view, and for tables, by name and the names above. */
#include "compare/align.h"

#include "views/core/rows.h"
#include "views/core/view.h"

void tfp_occurrences_free(tfp_occurrences *t)
{
    tfp_vec_free(&t->next);
    tfp_vec_free(&t->report);
}

static uint32_t next_occurrence(tfp_occurrences *t, uint32_t item)
{
    while (t->next.size <= item)
        if (!tfp_push(&t->next, 0) || !tfp_push(&t->report, 0)) return t->failed = true, TFP_NONE;
    if (t->report.at[item] != t->number) t->next.at[item] = 0;
    t->report.at[item] = t->number;
    return t->next.at[item]++;
}

static uint32_t nth_item(tfp_items *x, tfp_occurrences *t, uint32_t above, tfp_str name)
{
    uint32_t item = tfp_items_below(x, above, above, name, name.size, 0);
    uint32_t occurrence = item == TFP_NONE ? TFP_NONE : next_occurrence(t, item);
    return occurrence == 0 || occurrence == TFP_NONE ? (occurrence ? TFP_NONE : item)
                                                     : tfp_items_below(x, above, above, name, name.size, occurrence);
}

/* The item of a row whose parent has an item already. TFP_NONE: out of memory, or not among fixed items. */
static uint32_t row_item(tfp_items *x, const tfp_report *r, tfp_occurrences *t, const uint32_t *items, uint32_t at)
{
    const tfp_row *row = tfp_row_at(r, at);
    if (at == 0) return 0;
    uint32_t above = items[row->parent];
    if (tfp_kind_of(r)->list) return tfp_items_below(x, 0, 0, row->name, row->name.size, 0);
    if (tfp_kind_of(r)->table || tfp_kind_of(r)->groups)
        return above == TFP_NONE ? TFP_NONE : nth_item(x, t, above, row->name);
    if (tfp_view_of(r)->rows_are == TFP_ROWS_OF_SCOPES)
        return above == TFP_NONE ? TFP_NONE
                                 : tfp_items_path_below(x, above, row->name, tfp_row_at(r, row->parent)->name.size);
    return tfp_items_below(x, above == TFP_NONE ? 0 : above, 0, row->name, row->name.size, 0);
}

bool tfp_align(tfp_items *x, const tfp_report *r, tfp_occurrences *t, uint32_t *items)
{
    t->number++;
    for (uint32_t row = 0; row < tfp_row_count(r); row++) {
        items[row] = row_item(x, r, t, items, row);
        if (items[row] == TFP_NONE && !x->fixed) return false;
    }
    return !t->failed;
}
