// SPDX-License-Identifier: Apache-2.0
/* gate.c: the public functions of the gate for CI: they take runs and return a verdict. */
#include "compare/gate/gate.h"
#include "model/tables/read.h"
#include "views/core/handle.h"
#include "views/core/view.h"

#include <math.h>
#include <stdlib.h>

struct tfp_gate {
    tfp_gate_runs sides[2];
};

tfp_gate *tfp_gate_new(void)
{
    tfp_gate *g = calloc(1, sizeof *g);
    for (int i = 0; g && i < 2; i++)
        if (tfp_gate_runs_init(&g->sides[i], NULL)) {
            tfp_gate_free(g);
            return NULL;
        }
    return g;
}

void tfp_gate_free(tfp_gate *g)
{
    for (int i = 0; g && i < 2; i++) tfp_gate_runs_free(&g->sides[i]);
    free(g);
}

static bool is_side(tfp_gate_side side) { return side == TFP_GATE_BASE || side == TFP_GATE_NEW; }

/* Takes the numbers of operations: for a profile with steps, their medians. */
static tfp_status take_ops(tfp_gate_runs *runs, const tfp_profile *p, tfp_error *err)
{
    bool steps = tfp_profile_step_count(p) > 0;
    tfp_report *r = NULL;
    tfp_options *o = tfp_options_new();
    tfp_status s =
        o ? tfp_options_set(o, "select", "micros,occurrence,float_ops,bytes,peak_bytes,params", err) : tfp_nomem(err);
    if (!s) s = tfp_options_set(o, "max_depth", "1000000000", err);
    if (!s) s = steps ? tfp_stats(p, "op", o, &r, err) : tfp_report_build(p, "op", o, &r, err);
    if (!s) s = tfp_gate_take_ops(runs, r, err);
    if (!s) s = tfp_gate_take_doubts(runs, r, err);
    tfp_report_free(r);
    tfp_options_free(o);
    return s;
}

tfp_status tfp_gate_add(tfp_gate *g, tfp_gate_side side, const char *name, const tfp_profile *p, tfp_error *err)
{
    tfp_error_clear(err);
    if (!g || !is_side(side) || !p || !tfp_is_finished(p))
        return tfp_fail(err, TFP_BADARG, "no gate, or no finished profile");
    tfp_gate_runs *runs = &g->sides[side];
    tfp_status s = tfp_gate_run_add(runs, tfp_str_of(name ? name : tfp_first_source(p)), err);
    if (!s) s = tfp_gate_take_steps(runs, p, err);
    if (!s) s = take_ops(runs, p, err);
    if (!s) s = tfp_gate_take_lines(runs, p, err);
    return s;
}

int tfp_is_baseline(const void *data, size_t size) { return data && tfp_gate_is_baseline((tfp_str){ data, size }); }

tfp_status tfp_gate_add_baseline(tfp_gate *g, tfp_gate_side side, const char *name, const void *data, size_t size,
                                 tfp_error *err)
{
    tfp_error_clear(err);
    if (!g || !is_side(side) || !data) return tfp_fail(err, TFP_BADARG, "no gate, or no bytes");
    tfp_status s = tfp_gate_read(&g->sides[side], (tfp_str){ data, size }, err);
    return s && name ? tfp_within_file(err, s, name) : s;
}

tfp_status tfp_gate_save(const tfp_gate *g, tfp_gate_side side, tfp_write_fn fn, void *ctx, tfp_error *err)
{
    tfp_error_clear(err);
    if (!g || !is_side(side) || !fn || !g->sides[side].runs.size) return tfp_fail(err, TFP_BADARG, "no runs to save");
    if (!g->sides[side].rows.size)
        return tfp_fail(
            err, TFP_NOTFOUND,
            "no step, operation or counter was recorded in these runs: nothing could be compared with them");
    tfp_buf b = { 0 };
    tfp_gate_write(&g->sides[side], &b);
    tfp_status s = b.failed ? tfp_nomem(err) : TFP_OK;
    if (!s && fn(ctx, b.data, b.size)) s = tfp_fail(err, TFP_BADOUTPUT, "the baseline could not be written");
    tfp_buf_free(&b);
    return s;
}

static tfp_status judge(const tfp_gate *g, tfp_report *r, tfp_gate_result *x, tfp_error *err)
{
    const tfp_gate_runs *base = &g->sides[TFP_GATE_BASE], *now = &g->sides[TFP_GATE_NEW];
    tfp_status s = tfp_gate_compare(base, now, x, err);
    return s ? s : tfp_gate_tell(r, x, base, now, err);
}

static tfp_gate_verdict told(tfp_gated verdict)
{
    return verdict == TFP_GATE_FAILED   ? TFP_GATE_IS_FAILED
           : verdict == TFP_GATE_PASSED ? TFP_GATE_IS_PASSED
                                        : TFP_GATE_IS_UNKNOWN;
}

tfp_status tfp_gate_calibrate(tfp_gate *g, double rate, const tfp_options *o, tfp_report **out,
                              tfp_gate_verdict *verdict, tfp_error *err)
{
    tfp_error_clear(err);
    if (out) *out = NULL;
    if (!g || !out) return tfp_fail(err, TFP_BADARG, "no gate, or nowhere to put the report");
    tfp_gate_runs *base = &g->sides[TFP_GATE_BASE];
    if (rate == 0) rate = base->rate > 0 ? base->rate : TFP_GATE_RATE;
    if (!(rate > 0) || rate > 0.5) return tfp_fail(err, TFP_BADARG, "the rate of false alarms is no share up to 0.5");
    if (!base->runs.size) return tfp_fail(err, TFP_BADARG, "there are no runs");
    tfp_report *r = tfp_report_new("calibration", o);
    if (!r) return tfp_nomem(err);
    tfp_gated got = TFP_GATE_UNKNOWN;
    tfp_status s = tfp_gate_limits(base, &g->sides[TFP_GATE_NEW], rate, r, &got, err);
    if (!s && verdict) *verdict = told(got);
    return tfp_report_give(r, s, out);
}

tfp_status tfp_gate_judge(const tfp_gate *g, double limit, int pairs, const tfp_options *o, tfp_report **out,
                          tfp_gate_verdict *verdict, tfp_error *err)
{
    tfp_error_clear(err);
    if (out) *out = NULL;
    if (!g || !out) return tfp_fail(err, TFP_BADARG, "no gate, or nowhere to put the report");
    if (!(limit >= 0) || !isfinite(limit)) return tfp_fail(err, TFP_BADARG, "the limit is no share of 0 or more");
    if (!g->sides[0].runs.size || !g->sides[1].runs.size) return tfp_fail(err, TFP_BADARG, "a side has no runs");
    tfp_report *r = tfp_report_new("gate", o);
    if (!r) return tfp_nomem(err);
    tfp_gate_result x = { .limit = limit, .pairs = pairs != 0 };
    tfp_status s = judge(g, r, &x, err);
    if (!s && verdict) *verdict = told(x.verdict);
    tfp_vec_free(&x.rows);
    return tfp_report_give(r, s, out);
}
