// SPDX-License-Identifier: Apache-2.0
/* compare/diff_columns.c: the columns that a comparison has: those of -select, otherwise those that its sides have. */
#include "compare/diff.h"
#include "compare/steps.h"
#include "options/options.h"
#include "views/core/kinds.h"

static uint64_t columns_of_text(const tfp_scopetext *t)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < t->column_count; i++) bits |= UINT64_C(1) << t->columns[i];
    return bits;
}

/* The columns that all texts have; ~0: no text has legends. */
static uint64_t columns_of_texts(const tfp_diff_work *d)
{
    uint64_t bits = ~UINT64_C(0);
    for (size_t i = 0; i < d->count; i++)
        if (d->sides->at.at[i].text) bits &= columns_of_text(d->sides->at.at[i].text);
    return bits;
}

/* The columns if none was selected: those of the texts; in the script's form, memory. */
static uint64_t default_columns(const tfp_diff_work *d)
{
    uint64_t of_texts = columns_of_texts(d), bytes = UINT64_C(1) << TFP_C_BYTES;
    /* "-select micros" prints three columns; its two parts are compared only when they are selected */
    uint64_t parts = UINT64_C(1) << TFP_C_ACCELERATOR_MICROS | UINT64_C(1) << TFP_C_CPU_MICROS;
    if (tfp_diff_is_table(d)) return UINT64_C(1) << TFP_C_MICROS;
    if (of_texts == ~UINT64_C(0)) return d->script ? bytes : d->options->select;
    if (of_texts >> TFP_C_MICROS & 1) of_texts &= ~parts;
    return d->script && (of_texts & bytes) ? bytes : of_texts;
}

tfp_status tfp_diff_choose_columns(tfp_diff_work *d, tfp_error *err)
{
    bool chosen = tfp_options_chosen(d->options, "select");
    uint64_t bits = chosen ? d->options->select : default_columns(d);
    tfp_column_id selected[TFP_COLUMNS_MAX];
    size_t count = chosen ? tfp_options_selected(d->options, selected) : 0;
    for (int i = 0; i < tfp_column_count && !chosen; i++)
        if (bits >> i & 1) selected[count++] = (tfp_column_id)i;
    for (size_t i = 0; i < count; i++)
        if (tfp_kinds[tfp_columns[selected[i]].kind].number) d->columns[d->column_count++] = selected[i];
    for (size_t c = 0; c < d->column_count; c++)
        if (!tfp_kinds[tfp_columns[d->columns[c]].kind].of_sums)
            return tfp_fail(err, TFP_BADARG, "option -select: %s is about runs; only sums are compared step by step",
                            tfp_columns[d->columns[c]].name);
    bool by_step = d->view->compared == TFP_COMPARED_STEPS;
    uint64_t there = by_step ? TFP_STEP_COLUMNS : UINT64_C(1) << TFP_C_MICROS;
    for (size_t c = 0; c < d->column_count && tfp_diff_is_table(d); c++)
        if (!(there >> d->columns[c] & 1))
            return tfp_fail(err, TFP_BADARG, "option -select: %s: rows of %s have micros%s",
                            tfp_columns[d->columns[c]].name, d->view->name, by_step ? " and occurrence" : "");
    if (d->column_count == 0)
        return tfp_fail(err, TFP_BADARG,
                        bits ? "option -select: none of these columns is a number, so there is nothing to compare"
                             : "the texts have no column in common");
    if (d->script && d->column_count > 1) {
        if (chosen) return tfp_fail(err, TFP_BADARG, "option -select: the script form compares one column");
        d->column_count = 1;
    }
    return TFP_OK;
}
