// SPDX-License-Identifier: Apache-2.0
/* views/flops/work_facts.c: the facts above the tables of the report `flops` for compiled programs and traces: the totals and
 * their coverage. */
#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "views/core/handle.h"
#include "views/flops/flops.h"
#include "views/flops/work.h"

#include <stdio.h>

#define ALMOST_ALL 0.9995 /* a share that people see as 100 % */

/* Whether the totals are a lower bound. */
static bool is_least(const tfp_work_tables *t) { return t->left.ops || t->loops; }

static bool add_loops(const tfp_work_tables *t)
{
    tfp_str name = tfp_text(tfp_profile_of(t->r), t->first_loop);
    if (!t->loops) return true;
    return tfp_fact_int(t->r, "loops_counted_once", "loops counted once", TFP_LABEL, t->loops) &&
           tfp_work_say(t, "the iterations are not known (first: %.*s)", (int)(name.size < 150 ? name.size : 150),
                        name.data);
}

/* Adds the share of the bytes that instructions with a count move, if all shapes are known. */
static bool add_coverage(const tfp_work_tables *t)
{
    bool ok = tfp_fact_int(t->r, "ops", NULL, TFP_LABEL, t->all.instructions) &&
              tfp_fact_int(t->r, "counted_ops", NULL, TFP_LABEL, t->all.counted) &&
              tfp_fact_share(t->r, "total_coverage", "coverage", (double)t->all.bytes - (double)t->uncounted_bytes,
                             t->all.counted == t->all.instructions ? 0 : (double)t->all.bytes);
    if (!ok) return false;
    tfp_fact *f = tfp_fact_last(t->r);
    char left[200] = "";
    if (t->all.counted == t->all.instructions && t->all.instructions) f->absent = false, f->real = 1;
    if (is_least(t) && (f->absent || f->real > ALMOST_ALL)) { /* its bytes say nothing of its work */
        f->absent = true;
        tfp_left_out_say(&t->left, left, sizeof left);
    }
    const char *rows = t->operators ? "operators" : "instructions";
    ok = tfp_work_say(t, "%s%s; %lld of %lld %s have a count", *left ? left : "of the bytes moved",
                      (t->bytes_missing || t->bytes_least) && !*left ? ", as far as they are known" : "",
                      (long long)t->all.counted, (long long)t->all.instructions, rows);
    if (!ok || !(t->shown & TFP_WORK_TIMES)) return ok;
    return tfp_fact_share(t->r, "time_coverage", "time covered", (double)t->counted_ns, (double)t->all.ns) &&
           tfp_work_say(t, "of the measured time was in %s that have a count", rows);
}

/* The exact number of a big total, and whether it is a lower bound. */
static bool say_total(const tfp_work_tables *t, int64_t n)
{
    char exact[40];
    const char *least = is_least(t) ? "at least" : "";
    tfp_flops_exact(exact, n);
    if (n >= 1000000) return tfp_work_say(t, "%s%s(%s)", least, *least ? " " : "", exact);
    return !*least || tfp_work_say(t, "%s", least);
}

static bool add_mean(const tfp_work_tables *t, const char *name, const char *label, tfp_unit unit, int64_t sum)
{
    return tfp_fact_real(t->r, name, label, unit,
                         (double)sum / (double)tfp_executions_of(tfp_profile_of(t->r))->step_order.size);
}

/* Adds the number for one step before that for all steps: other tables and papers have the former. */
static bool add_steps(const tfp_work_tables *t)
{
    size_t steps = tfp_executions_of(tfp_profile_of(t->r))->step_order.size;
    if (!(t->shown & TFP_WORK_TIMES) || tfp_step_of(t->r).which == TFP_STEP_ONE || !steps || !t->all.in_steps.float_ops)
        return true;
    return add_mean(t, "step_float_ops", "float operations a step", TFP_NUMBER, t->all.in_steps.float_ops) &&
           tfp_work_say(t, "%sthe mean of %zu step%s; below, all that was recorded", is_least(t) ? "at least; " : "",
                        steps, steps == 1 ? "" : "s") &&
           add_mean(t, "step_macs", "multiply-adds a step", TFP_NUMBER, t->all.in_steps.macs) &&
           (!is_least(t) || tfp_work_say(t, "at least")) &&
           add_mean(t, "step_bytes_moved", "bytes moved a step", TFP_SIZE, t->all.in_steps.bytes);
}

bool tfp_work_facts(const tfp_work_tables *t)
{
    tfp_str source = t->shown & TFP_WORK_TIMES                      ? TFP_STR("trace")
                     : tfp_has_recorded_calls(tfp_profile_of(t->r)) ? TFP_STR("execution_trace")
                                                                    : TFP_STR("hlo");
    bool ok = tfp_fact_text(t->r, "float_ops_source", NULL, source) && add_steps(t) &&
              tfp_fact_int(t->r, "total_float_ops", "float operations", TFP_NUMBER, t->all.float_ops);
    ok = ok && say_total(t, t->all.float_ops) &&
         tfp_fact_int(t->r, "total_macs", "multiply-adds", TFP_NUMBER, t->all.macs) && say_total(t, t->all.macs) &&
         tfp_left_out_fact(t->r, is_least(t));
    ok = ok && tfp_fact_int(t->r, "total_bytes_moved", "bytes moved", TFP_SIZE, t->all.bytes) &&
         (!t->bytes_least || tfp_work_say(t, "at least"));
    return ok && add_coverage(t) && add_loops(t) && tfp_work_peak_facts(t);
}
