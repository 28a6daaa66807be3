// SPDX-License-Identifier: Apache-2.0
/* compare/lines.c: the table `lines` as rows with one number each: a line's own time, in traces per step. */
#include "compare/steps.h"

#include "model/tables/read.h"
#include "options/options.h"
#include "views/core/engine.h"
#include "views/core/grid.h"
#include "views/core/rows.h"
#include "views/core/view.h"

#include <stdlib.h>

static tfp_options *options_for(const tfp_options *o)
{
    tfp_options *table = tfp_options_copy(o);
    if (!table) return NULL;
    table->top = 0;
    free(table->order_column);
    table->order_column = NULL;
    tfp_order_at(0, &table->order);
    return table;
}

static bool add_row(tfp_report *r, tfp_step_values *values, tfp_str name, double us)
{
    tfp_row row = {
        .name = name, .depth = tfp_row_count(r) != 0, .node = TFP_NONE, .item = TFP_NONE, .tensor = TFP_NONE
    };
    uint32_t at = tfp_report_add_row(r, &row);
    double *value = TFP_NEW(tfp_arena_of(r), double, 1);
    if (at == TFP_NONE || !value) return false;
    *value = us;
    values[at] = (tfp_step_values){ TFP_C_MICROS, value, 1 };
    return true;
}

/* In a trace the table sums everything that was recorded. */
static double steps_of(const tfp_report *r)
{
    const tfp_profile *p = tfp_profile_of(r);
    size_t steps = tfp_profile_step_count(p);
    bool sums = tfp_has(p, TFP_HAS_TRACE) && tfp_options_of(r)->step.which != TFP_STEP_ONE;
    return sums && steps ? (double)steps : 1;
}

static bool fill(tfp_report *r, tfp_step_values *values)
{
    const tfp_table_column *line = tfp_grid_find(tfp_table_of(r), "line"),
                           *self = tfp_grid_find(tfp_table_of(r), "self_us");
    double steps = steps_of(r), all = 0;
    if (!line) line = tfp_grid_find(tfp_table_of(r), "function"); /* the rows are Python frames */
    if (!line || !self) return false;
    for (int pass = 0; pass < 2; pass++) {
        if (pass && !add_row(r, values, TFP_ROOT_NAME, all)) return false;
        for (size_t i = 0; i < tfp_table_of(r)->row_count; i++) {
            double us = 0;
            tfp_cell_real_at(self, i, &us);
            us /= steps;
            if (!pass)
                all += us;
            else if (!add_row(r, values, line->texts[i], us))
                return false;
        }
    }
    return true;
}

tfp_status tfp_line_table_of(const tfp_profile *p, const tfp_options *o, tfp_step_table *out, tfp_error *err)
{
    tfp_options *table = options_for(o);
    tfp_report *r = NULL;
    *out = (tfp_step_table){ NULL, NULL };
    tfp_status s = table ? tfp_view_build(p, &tfp_view_lines, table, &r, err) : tfp_nomem(err);
    tfp_options_free(table);
    if (s) return s;
    tfp_step_values *values = TFP_NEW(tfp_arena_of(r), tfp_step_values, tfp_table_of(r)->row_count + 1);
    if (!values || !fill(r, values)) {
        tfp_report_free(r);
        return tfp_nomem(err);
    }
    *out = (tfp_step_table){ r, values };
    return TFP_OK;
}
