// SPDX-License-Identifier: Apache-2.0
/* views/core/rows.c: what can be asked of a row. */
#include "views/core/rows.h"
#include "views/core/report.h"

tfp_report_tree *tfp_tree_of(const tfp_report *r) { return r->tree; }

size_t tfp_row_count(const tfp_report *r) { return r->tree->rows.size; }

tfp_row *tfp_row_at(const tfp_report *r, uint32_t row) { return &r->tree->rows.at[row]; }

tfp_str tfp_shown_name(const tfp_report *r, uint32_t row)
{
    tfp_str name = r->tree->rows.at[row].name;
    uint32_t at = r->tree->short_at.count ? tfp_map64_get(&r->tree->short_at, (uintptr_t)name.data) : TFP_NONE;
    return at == TFP_NONE ? name : r->tree->shorts[at];
}

const int64_t *tfp_own_of(const tfp_report *r, uint32_t row, tfp_value v)
{
    return r->tree->own[v] ? &r->tree->own[v][r->tree->rows.at[row].own_at] : NULL;
}

const int64_t *tfp_total_of(const tfp_report *r, uint32_t row, tfp_value v)
{
    return r->tree->total[v] ? &r->tree->total[v][r->tree->rows.at[row].total_at] : NULL;
}

int64_t tfp_own(const tfp_report *r, uint32_t row, tfp_value v)
{
    return (unsigned)v < TFP_V_COUNT && r->tree->own[v] ? *tfp_own_of(r, row, v) : 0;
}

int64_t tfp_total(const tfp_report *r, uint32_t row, tfp_value v)
{
    return (unsigned)v < TFP_V_COUNT && r->tree->total[v] ? *tfp_total_of(r, row, v) : 0;
}
