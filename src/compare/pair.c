// SPDX-License-Identifier: Apache-2.0
/* compare/pair.c: compares a side with the base in one column of one row: the test over steps, its result, and the gate. */
#include "compare/diff.h"

static size_t steps_of(const tfp_loaded *l, uint32_t item) { return l->counts ? l->counts[item] : l->steps; }

static tfp_sample sample_of(const tfp_differ *d, size_t side, size_t column, uint32_t item)
{
    const tfp_loaded *l = &d->w.loaded[side];
    return (tfp_sample){ l->mean[column][item], l->squares[column][item], steps_of(l, item) };
}

/* Whether the spread of both sides is known for this row. */
bool tfp_pair_is_tested(const tfp_differ *d, const tfp_pairing *p, uint32_t item)
{
    return p->tested && !isnan(tfp_differ_value(d, p->side, p->column, item)) &&
           !isnan(tfp_differ_value(d, d->base, p->column, item)) &&
           steps_of(&d->w.loaded[p->side], item) >= TFP_STEPS_LEAST &&
           steps_of(&d->w.loaded[d->base], item) >= TFP_STEPS_LEAST;
}

tfp_welch tfp_pair_test(const tfp_differ *d, const tfp_pairing *p, uint32_t item)
{
    return tfp_welch_test(sample_of(d, d->base, p->column, item), sample_of(d, p->side, p->column, item));
}

tfp_verdict tfp_pair_verdict(const tfp_differ *d, const tfp_pairing *p, uint32_t item)
{
    if (!tfp_pair_is_tested(d, p, item)) return TFP_UNKNOWN;
    return tfp_pair_test(d, p, item).p <= p->limit ? TFP_REAL : TFP_NOISE;
}

tfp_extremes tfp_differ_extremes(const tfp_differ *d, size_t column, uint32_t item)
{
    tfp_extremes e = { 0 };
    for (size_t i = 0; i < d->w.count; i++) {
        double v = tfp_differ_value(d, i, column, item);
        if (isnan(v)) continue;
        if (!e.there || v < e.least) e.least = v;
        if (!e.there || v > e.most) e.most = v;
        e.there++;
    }
    return e;
}

/* Whether growth exceeds the limit. A row that was absent, or took nothing, grew by more than any share. */
bool tfp_pair_is_over(const tfp_differ *d, const tfp_pairing *p, uint32_t item)
{
    if (!d->gate) return false;
    double grown = tfp_pair_difference(d, p, item), from = tfp_or_zero(tfp_differ_value(d, d->base, p->column, item));
    tfp_unit unit = d->fail_over.unit;
    if (tfp_differ_extremes(d, p->column, item).most < d->gate_min[p->column]) return false;
    if (d->fail_over.percent) return grown > d->gate_floor[p->column] && grown * 100 > fabs(from) * d->fail_over.value;
    return (unit == TFP_LABEL || unit == tfp_columns[d->w.columns[p->column]].unit) && grown > d->fail_over.value;
}
