// SPDX-License-Identifier: Apache-2.0
/* views/flops/calls.c: the float operations of PyTorch's traces, as sums by node for instructions.c. In: what each call
 * takes (src/flops/aten). What runs inside of an operator that counts, kernels too, counts as its time. */
#include "flops/aten/aten.h"
#include "model/model.h"
#include "views/core/engine.h"
#include "views/flops/instructions.h"
#include "views/spans/trace.h"

static void add(int64_t *to, int64_t n) { *to = tfp_add(*to, n > 0 ? n : 0, NULL); }

static tfp_instruction_sum *sum_of(const tfp_profile *p, tfp_map64 *by_node, uint32_t node, tfp_instruction_sums *out)
{
    uint32_t at = tfp_map64_get(by_node, node);
    if (at != TFP_NONE) return &out->at[at];
    at = (uint32_t)out->size;
    tfp_instruction_sum sum = { .name = p->nodes.at[node].name, .node = node, .counted = true };
    return tfp_map64_put(by_node, node, at) && tfp_push(out, sum) ? &out->at[at] : NULL;
}

/* The operator that a span's time is spent for; TFP_NONE: it is no operator's. */
static uint32_t spent_for(const tfp_profile *p, const tfp_aten_work *w, uint32_t span)
{
    const tfp_span_columns *s = &p->events.spans;
    if (s->kind[span] == TFP_SPAN_ACTIVITY) {
        bool work = s->class[span] == TFP_CLASS_COMPUTE || s->class[span] == TFP_CLASS_COMMUNICATION;
        if (!work || p->lanes.at[s->lane[span]].role == TFP_ROLE_ASYNC) return TFP_NONE;
        span = s->owner[span];
    } else if (s->kind[span] != TFP_SPAN_OP) {
        return TFP_NONE;
    }
    if (span == TFP_NONE) return TFP_NONE;
    return w->cover[span] == TFP_NONE ? span : w->cover[span];
}

/* Libraries name their kernels by what tensor cores multiply: tf32, or s1688, which is the instruction for it. */
static bool uses_tf32(const tfp_profile *p, uint32_t span)
{
    tfp_str name = tfp_text(p, p->events.spans.name[span]);
    return tfp_str_has_caseless(name, TFP_STR("tf32")) || tfp_str_has(name, TFP_STR("s1688"));
}

static bool add_span(const tfp_profile *p, const tfp_aten_work *w, uint32_t span, tfp_map64 *by_node,
                     tfp_instruction_sums *out)
{
    const tfp_span_columns *s = &p->events.spans;
    uint32_t op = spent_for(p, w, span);
    if (op == TFP_NONE || s->node[op] == TFP_NONE) return true;
    tfp_instruction_sum *sum = sum_of(p, by_node, s->node[op], out);
    if (!sum) return false;
    add(&sum->ns, s->self_ns[span]);
    if (s->kind[span] == TFP_SPAN_ACTIVITY) {
        add(&sum->device_ns, s->self_ns[span]);
        sum->tf32 |= uses_tf32(p, span);
    }
    if (op != span) return true;
    sum->runs++;
    sum->counted &= w->state[span] != TFP_ATEN_NO_SHAPE && w->state[span] != TFP_ATEN_NO_FORMULA;
    if (w->state[span] == TFP_ATEN_PARTS) return true;
    const tfp_aten_set *set = &w->sets[w->set[span]];
    add(&sum->float_ops, set->cost.flops);
    add(&sum->of_type[set->type], set->cost.flops);
    add(&sum->macs, set->cost.macs);
    add(&sum->bytes, set->cost.bytes);
    sum->moves |= set->cost.bytes >= 0;
    if (tfp_in_a_step(p, span)) tfp_instruction_step(sum, set->cost.flops, set->cost.macs, set->cost.bytes);
    return true;
}

/* Where a node's kernels multiply in tf32, what it takes in fp32 counts as that. */
static void settle_types(tfp_instruction_sums *sums)
{
    for (size_t i = 0; i < sums->size; i++) {
        int64_t *of = sums->at[i].of_type;
        if (!sums->at[i].tf32) continue;
        of[TFP_FLOAT_TF32] = of[TFP_FLOAT_FP32];
        of[TFP_FLOAT_FP32] = 0;
    }
}

bool tfp_calls_collect(const tfp_report *r, bool every, tfp_instruction_sums *out)
{
    const tfp_profile *p = r->profile;
    tfp_aten_work w;
    tfp_map64 by_node = { 0 };
    if (!tfp_aten_work_out(p, &w)) return false;
    bool ok = true;
    for (uint32_t i = 0; ok && i < p->events.spans.size; i++)
        if (every || tfp_span_in_step(r, i)) ok = add_span(p, &w, i, &by_node, out);
    settle_types(out);
    tfp_map64_free(&by_node);
    tfp_aten_work_free(&w);
    return ok;
}

bool tfp_in_a_step(const tfp_profile *p, uint32_t span)
{
    uint32_t step = p->events.spans.step[span];
    return step != TFP_NONE && p->steps.at[step].listed;
}

void tfp_instruction_step(tfp_instruction_sum *sum, int64_t flops, int64_t macs, int64_t bytes)
{
    add(&sum->step_float_ops, flops);
    add(&sum->step_macs, macs);
    add(&sum->step_bytes, bytes);
}
