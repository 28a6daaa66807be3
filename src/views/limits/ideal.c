// SPDX-License-Identifier: Apache-2.0
/* views/limits/ideal.c: the ideal time of each call: the longest of its float operations at the peak, its bytes at the
 * bandwidth, and the shortest time of a kernel. */
#include "views/limits/limits.h"

const char *const tfp_why_names[TFP_WHYS] = { "",        "no launch", "no op",  "no shapes",  "no rule",
                                              "no peak", "graph",     "triton", "collective", "transfer" };
const char *const tfp_bound_names[TFP_BOUNDS] = { "compute", "memory", "latency" };

/* Elements, reductions, norms and copies do not use tensor cores. */
static int peak_type(const tfp_call_kind *k)
{
    bool cores = k->class == TFP_WORK_PRODUCT || k->class == TFP_WORK_CONVOLUTION || k->class == TFP_WORK_ATTENTION;
    return cores ? k->type : TFP_FLOAT_FP32;
}

static void judge_kind(const tfp_limit_peaks *p, tfp_call_kind *k)
{
    if (k->why || !p->known) return;
    int type = peak_type(k);
    double peak = p->flops[type];
    bool needs = type != TFP_FLOAT_FP32 || k->class == TFP_WORK_PRODUCT || k->class == TFP_WORK_CONVOLUTION ||
                 k->class == TFP_WORK_ATTENTION;
    if (peak <= 0 && needs) {
        k->why = TFP_WHY_NO_PEAK;
        return;
    }
    if (peak > 0) k->compute_us = k->peak_us = (double)k->flops / peak * 1e6;
    k->memory_us = (double)k->bytes / p->bandwidth * 1e6;
}

static void judge_call(const tfp_limits *l, tfp_limit_call *c)
{
    const tfp_call_kind *k = c->kind == TFP_NONE ? NULL : &l->kinds.at[c->kind];
    if (!c->why && k) c->why = k->why;
    if (c->why || !k || !l->peaks.known) return;
    double us = (double)c->ns / 1000, latency = l->peaks.floor_us < us ? l->peaks.floor_us : us;
    double roof = k->compute_us > k->memory_us ? k->compute_us : k->memory_us;
    c->ideal_us = roof > latency ? roof : latency;
    c->loss_us = us > c->ideal_us ? us - c->ideal_us : 0;
    c->bound = k->compute_us >= c->ideal_us  ? TFP_BOUND_COMPUTE
               : k->memory_us >= c->ideal_us ? TFP_BOUND_MEMORY
                                             : TFP_BOUND_LATENCY;
    c->latency = roof < l->peaks.floor_us;
}

void tfp_limits_judge(tfp_limits *l)
{
    for (size_t i = 0; i < l->kinds.size; i++) judge_kind(&l->peaks, &l->kinds.at[i]);
    for (size_t i = 0; i < l->calls.size; i++) judge_call(l, &l->calls.at[i]);
}
