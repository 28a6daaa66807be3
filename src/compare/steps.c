// SPDX-License-Identifier: Apache-2.0
/* compare/steps.c: the table `steps` as rows of one number each. The table has a row for each step of a device; here
 * each of its columns becomes a row of that device, so that a growth of one of them is reported, and fails a gate,
 * like that of any other row. */
#include "compare/steps.h"

#include "options/options.h"
#include "options/regex.h"
#include "views/core/engine.h"
#include "views/core/grid.h"
#include "views/core/rows.h"
#include "views/core/view.h"

#include <stdlib.h>

typedef struct maker {
    tfp_report *r;                                           /* the table */
    const tfp_table_column *step, *device, *rank, *duration; /* rank: NULL if there is one rank */
    const tfp_table_column *paces;                           /* NULL: each step takes as long as its window */
    TFP_VEC(tfp_step_values) values;
    TFP_VEC(tfp_str) names; /* of all rows, for notes about filters */
    uint64_t select;
} maker;

static bool is_all(const maker *m, size_t row) { return tfp_str_eq(m->step->texts[row], TFP_STR("all")); }

/* The end of the device's rows that begin here: its steps, and the row `all` if all steps were requested. */
static size_t end_of_device(const maker *m, size_t first)
{
    size_t end = first;
    do {
        if (is_all(m, end++)) break;
    } while (end < tfp_table_of(m->r)->row_count && tfp_str_eq(m->device->texts[end], m->device->texts[first]) &&
             (!m->rank || m->rank->ints[end] == m->rank->ints[first]));
    return end;
}

static bool add_row(maker *m, tfp_str name, tfp_step_values values)
{
    tfp_row row = {
        .name = name, .depth = tfp_row_count(m->r) != 0, .node = TFP_NONE, .item = TFP_NONE, .tensor = TFP_NONE
    };
    return tfp_report_add_row(m->r, &row) != TFP_NONE && tfp_push(&m->values, values);
}

/* ---- rows of devices ---- */

static tfp_str name_of(maker *m, size_t row, const tfp_table_column *c)
{
    tfp_buf b = { 0 };
    if (m->rank) tfp_buf_printf(&b, "rank %lld/", (long long)m->rank->ints[row]);
    tfp_buf_add(&b, m->device->texts[row].data, m->device->texts[row].size);
    tfp_buf_printf(&b, "/%s", c->name);
    return tfp_buf_move(&b, tfp_arena_of(m->r));
}

static bool is_shown(const maker *m, tfp_str name)
{
    return tfp_filter_matches(tfp_options_of(m->r)->filters[TFP_F_SHOW], name) &&
           !tfp_filter_matches(tfp_options_of(m->r)->filters[TFP_F_HIDE], name);
}

static bool add_column(maker *m, size_t first, size_t end, const tfp_table_column *c)
{
    tfp_step_values values = { .column = c->unit == TFP_MICROS ? TFP_C_MICROS : TFP_C_OCCURRENCE };
    if (!(m->select >> values.column & 1)) return true;
    tfp_str name = name_of(m, first, c);
    values.at = TFP_NEW(tfp_arena_of(m->r), double, end - first);
    if (!name.data || !values.at || !tfp_push(&m->names, name)) return false;
    for (size_t row = first; row < end; row++)
        if (!is_all(m, row) && !(m->paces && m->paces->ints[row] < 0))
            values.count += tfp_cell_real_at(c, row, &values.at[values.count]);
    return !values.count || !is_shown(m, name) || add_row(m, name, values);
}

/* The start of a step is not a measure of its length. */
static bool is_measure(const maker *m, const tfp_table_column *c)
{
    return (c->type == 'i' || c->type == 'r') && c != m->rank && c != m->paces && strcmp(c->name, "start_us") != 0;
}

static bool add_devices(maker *m)
{
    const tfp_grid *g = tfp_table_of(m->r);
    bool ok = true;
    for (size_t first = 0, end; first < g->row_count && ok; first = end) {
        end = end_of_device(m, first);
        for (size_t i = 0; i < g->columns.size && ok; i++)
            if (is_measure(m, &g->columns.at[i])) ok = add_column(m, first, end, &g->columns.at[i]);
    }
    return ok;
}

/* ---- the root ---- */

/* The duration of each step: the mean over the devices that have the step, or that of the slowest where the host runs
 * ahead of devices. */
static bool add_root(maker *m)
{
    size_t count = tfp_table_of(m->r)->row_count;
    tfp_map64 places = { 0 };
    tfp_step_values all = { TFP_C_MICROS, TFP_NEW(tfp_arena_of(m->r), double, count + 1), 0 };
    double *devices = TFP_NEW(tfp_arena_of(m->r), double, count + 1);
    bool ok = all.at && devices;
    for (size_t row = 0; row < count && ok; row++) {
        int64_t step;
        if (!tfp_parse_int64(m->step->texts[row], &step) || (m->paces && m->paces->ints[row] <= 0))
            continue; /* `all` */
        uint32_t place = tfp_map64_get(&places, (uint64_t)step);
        if (place == TFP_NONE) {
            place = (uint32_t)all.count++;
            ok = tfp_map64_put(&places, (uint64_t)step, place);
        }
        {
            double us = 0;
            tfp_cell_real_at(m->duration, row, &us);
            all.at[place] += us;
        }
        devices[place]++;
    }
    for (size_t i = 0; i < all.count && ok; i++) all.at[i] /= devices[i];
    tfp_map64_free(&places);
    return ok && add_row(m, TFP_ROOT_NAME, all);
}

/* ---- all of it ---- */

static tfp_options *options_for(const tfp_options *o)
{
    tfp_options *table = tfp_options_copy(o);
    if (!table) return NULL;
    table->verb.critical_path = table->verb.why = false;
    table->top = 0;
    free(table->order_column);
    table->order_column = NULL;
    tfp_order_at(0, &table->order);
    return table;
}

static tfp_status fill(maker *m, tfp_error *err)
{
    const tfp_options *o = tfp_options_of(m->r);
    unsigned failed = tfp_filter_failures(o->filters[TFP_F_SHOW]) + tfp_filter_failures(o->filters[TFP_F_HIDE]);
    m->step = tfp_grid_find(tfp_table_of(m->r), "step");
    m->device = tfp_grid_find(tfp_table_of(m->r), "device");
    m->rank = tfp_grid_find(tfp_table_of(m->r), "rank");
    m->paces = tfp_grid_find(tfp_table_of(m->r), "paces");
    m->duration = tfp_grid_find(tfp_table_of(m->r), m->paces ? "step_us" : "duration_us");
    bool ok = add_root(m) && add_devices(m);
    ok = ok && failed == tfp_filter_failures(o->filters[TFP_F_SHOW]) + tfp_filter_failures(o->filters[TFP_F_HIDE]);
    if (!ok) return tfp_nomem(err);
    return tfp_note_unmatched(m->r, m->names.at, m->names.size, err);
}

tfp_status tfp_step_table_of(const tfp_profile *p, const tfp_options *o, tfp_step_table *out, tfp_error *err)
{
    maker m = { .select = o->select };
    tfp_options *table = options_for(o);
    *out = (tfp_step_table){ NULL, NULL };
    tfp_status s = table ? tfp_view_build(p, &tfp_view_steps, table, &m.r, err) : tfp_nomem(err);
    if (!s) s = fill(&m, err);
    if (!s && !(out->rows = TFP_NEW(tfp_arena_of(m.r), tfp_step_values, m.values.size))) s = tfp_nomem(err);
    if (!s) {
        memcpy(out->rows, m.values.at, m.values.size * sizeof *out->rows);
        out->report = m.r;
    } else {
        tfp_report_free(m.r);
    }
    tfp_vec_free(&m.values);
    tfp_vec_free(&m.names);
    tfp_options_free(table);
    return s;
}
