// SPDX-License-Identifier: Apache-2.0
/* fleet/tree_rows.c: rows from the trees of a trace: operations, modules, lines of code. */
#include "fleet/views.h"
#include "model/tables/graph.h"
#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "options/columns.h"
#include "views/core/grid.h"
#include "views/core/rows.h"

static void put_us(tfp_batch *b, int64_t ns) { tfp_batch_real(b, (double)ns / 1000); }

/* ---- operations ---- */

/* The time of a row's nodes on accelerators, within listed steps. */
static int64_t in_steps(const tfp_report *r, const tfp_row *row)
{
    const tfp_profile *p = tfp_profile_of(r);
    int64_t ns = 0;
    for (uint32_t i = 0; i < row->member_count; i++) {
        const tfp_node *node = &tfp_graph_of(p)->nodes.at[tfp_tree_of(r)->members[row->member_first + i]];
        for (TFP_EACH(tfp_executions_of(p)->execs, e, node->exec_first))
            if (tfp_executions_of(p)->steps.at[tfp_executions_of(p)->execs.at[e].step].listed)
                ns = tfp_add(ns, tfp_executions_of(p)->execs.at[e].accelerator_ns, NULL);
    }
    return ns;
}

static void put_op(tfp_batch *b, const tfp_report *r, uint32_t row, const tfp_fleet_run *run)
{
    tfp_fleet_put_key(b, run);
    tfp_batch_text(b, tfp_row_at(r, row)->name);
    tfp_batch_int(b, tfp_own(r, row, TFP_V_RUNS));
    put_us(b, tfp_own(r, row, TFP_V_CPU_MICROS));
    put_us(b, tfp_own(r, row, TFP_V_ACCELERATOR_MICROS));
    put_us(b, in_steps(r, tfp_row_at(r, row)));
    tfp_batch_int_if(b, tfp_total(r, 0, TFP_V_BYTES) != 0,
                     tfp_own(r, row, TFP_V_BYTES)); /* a total of 0 means unknown */
    tfp_batch_int_if(b, tfp_total(r, 0, TFP_V_FLOAT_OPS) != 0, tfp_own(r, row, TFP_V_FLOAT_OPS));
}

static bool put_ops(tfp_fleet_rows *rows, const tfp_report *r, const tfp_fleet_run *run)
{
    for (uint32_t i = 1; i < tfp_row_count(r); i++) put_op(&rows->tables[TFP_FLEET_OPS], r, i, run);
    return true;
}

/* ---- modules ---- */

static void put_module(tfp_batch *b, const tfp_report *r, uint32_t row, const tfp_fleet_run *run)
{
    tfp_fleet_put_key(b, run);
    tfp_batch_text(b, tfp_row_at(r, row)->name);
    tfp_batch_int(b, tfp_total(r, row, TFP_V_RUNS));
    put_us(b, tfp_total(r, row, TFP_V_CPU_MICROS));
    put_us(b, tfp_total(r, row, TFP_V_ACCELERATOR_MICROS));
}

static bool put_modules(tfp_fleet_rows *rows, const tfp_report *r, const tfp_fleet_run *run)
{
    for (uint32_t i = 1; i + 1 < tfp_row_count(r); i++) /* the first child of a row follows it */
        if (tfp_row_at(r, i + 1)->parent == i) put_module(&rows->tables[TFP_FLEET_MODULES], r, i, run);
    return true;
}

/* ---- lines ---- */

typedef struct line_place {
    tfp_str file, function;
    int64_t line; /* -1: unknown */
} line_place;

/* Splits "model.py:20:forward" or "model.py:20". The colon of "C:\..." is not followed by a number. */
static line_place split_line(tfp_str name)
{
    line_place out = { .file = name, .line = -1 };
    for (size_t i = 0; i + 1 < name.size && out.line < 0; i++) {
        size_t end = i + 1;
        int64_t n = 0;
        if (name.data[i] != ':') continue;
        while (end < name.size && end - i <= 9 && name.data[end] >= '0' && name.data[end] <= '9')
            n = n * 10 + (name.data[end++] - '0');
        if (end == i + 1 || (end < name.size && name.data[end] != ':')) continue;
        out.file.size = i;
        out.line = n;
        if (end < name.size) out.function = (tfp_str){ name.data + end + 1, name.size - end - 1 };
    }
    return out;
}

static void put_line(tfp_batch *b, const tfp_report *r, size_t row, const tfp_fleet_run *run)
{
    tfp_str file = tfp_fleet_text_at(r, "file", row);
    line_place at = split_line(tfp_fleet_text_at(r, "line", row));
    tfp_fleet_put_key(b, run);
    tfp_batch_text(b, file.size ? file : at.file);
    tfp_batch_int_if(b, at.line >= 0, at.line);
    tfp_batch_text(b, at.function);
    tfp_batch_real(b, tfp_fleet_real_at(r, "self_us", row));
    tfp_batch_real(b, tfp_fleet_real_at(r, "total_us", row));
    tfp_batch_real(b, tfp_fleet_real_at(r, "accelerator_us", row));
}

static bool put_lines(tfp_fleet_rows *rows, const tfp_report *r, const tfp_fleet_run *run)
{
    for (size_t i = 0; i < tfp_table_of(r)->row_count; i++) put_line(&rows->tables[TFP_FLEET_LINES], r, i, run);
    return true;
}

static bool has_stacks(const tfp_profile *p) { return tfp_profile_has(p, TFP_HAS_STACKS); }

/* ---- the views ---- */

#define ALL_ROWS "step", "all", "max_depth", "1000000000", "output", "none"
static const char *const of_ops[] = {
    ALL_ROWS, "select", "micros,bytes,float_ops,occurrence", "order_by", "name", NULL
};
static const char *const of_modules[] = { ALL_ROWS, "select", "micros,occurrence", NULL };
static const char *const of_lines[] = { "step", "all", NULL };

const tfp_fleet_source tfp_fleet_of_trees[] = {
    { TFP_FLEET_BIT(TFP_FLEET_OPS), &tfp_view_op, of_ops, NULL, put_ops },
    { TFP_FLEET_BIT(TFP_FLEET_MODULES), &tfp_view_scope, of_modules, NULL, put_modules },
    { TFP_FLEET_BIT(TFP_FLEET_LINES), &tfp_view_lines, of_lines, has_stacks, put_lines },
    { 0, NULL, NULL, NULL, NULL },
};
