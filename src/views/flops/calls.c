// SPDX-License-Identifier: Apache-2.0
/* views/flops/calls.c: the float operations of PyTorch's traces, as sums by node for instructions.c. In: the
 * operations of each call (src/flops/aten). Everything that runs inside a counted operator, also kernels, is counted
 * as its time. */
#include "flops/aten/captured.h"
#include "model/graphs.h"
#include "model/tables/events.h"
#include "model/tables/graph.h"
#include "model/tables/lanes.h"
#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "views/core/handle.h"
#include "views/flops/instructions.h"
#include "views/spans/trace.h"

static void add(int64_t *to, int64_t n) { *to = tfp_add(*to, n > 0 ? n : 0, NULL); }

static tfp_instruction_sum *sum_of(const tfp_profile *p, tfp_groups *sums, uint32_t node)
{
    tfp_instruction_sum *sum = TFP_GROUP(sums, node);
    if (sums->added)
        *sum = (tfp_instruction_sum){ .name = tfp_graph_of(p)->nodes.at[node].name, .node = node, .counted = true };
    return sum;
}

/* Whether it is a kernel, including those that communicate; copies are not counted as work. */
static bool is_work(const tfp_profile *p, uint32_t span)
{
    const tfp_span_columns *s = &tfp_events_of(p)->spans;
    if (s->kind[span] != TFP_SPAN_ACTIVITY || tfp_lanes_of(p)->at[s->lane[span]].role == TFP_ROLE_ASYNC) return false;
    return s->class[span] == TFP_CLASS_COMPUTE || s->class[span] == TFP_CLASS_COMMUNICATION;
}

/* The operator for which a span's time was spent; TFP_NONE: none. */
static uint32_t spent_for(const tfp_profile *p, const tfp_aten_work *w, uint32_t span)
{
    const tfp_span_columns *s = &tfp_events_of(p)->spans;
    if (s->kind[span] == TFP_SPAN_ACTIVITY) {
        if (!is_work(p, span)) return TFP_NONE;
        span = s->owner[span];
    } else if (s->kind[span] != TFP_SPAN_OP) {
        return TFP_NONE;
    }
    if (span == TFP_NONE) return TFP_NONE;
    return w->cover[span] == TFP_NONE ? span : w->cover[span];
}

/* Whether a kernel uses tf32, by its name: libraries name kernels after what tensor cores multiply, tf32 or the
 * instruction for it, s1688. */
static bool uses_tf32(const tfp_profile *p, uint32_t span)
{
    tfp_str name = tfp_text(p, tfp_events_of(p)->spans.name[span]);
    return tfp_str_has_caseless(name, TFP_STR("tf32")) || tfp_str_has(name, TFP_STR("s1688"));
}

static bool add_span(const tfp_profile *p, const tfp_aten_work *w, uint32_t span, tfp_groups *sums)
{
    const tfp_span_columns *s = &tfp_events_of(p)->spans;
    uint32_t op = spent_for(p, w, span);
    if (op == TFP_NONE || s->node[op] == TFP_NONE) return true;
    if (w->state[op] == TFP_ATEN_INSIDE && w->cover[op] == TFP_NONE)
        return true; /* it was only captured: nothing ran */
    tfp_instruction_sum *sum = sum_of(p, sums, s->node[op]);
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

/* If a node's kernels multiply in tf32, its fp32 operations count as tf32. */
static void settle_types(const tfp_groups *sums)
{
    for (tfp_instruction_sum *sum = sums->rows; sum && sum < (tfp_instruction_sum *)sums->rows + sums->count; sum++) {
        int64_t *of = sum->of_type;
        if (!sum->tf32) continue;
        of[TFP_FLOAT_TF32] = of[TFP_FLOAT_FP32];
        of[TFP_FLOAT_FP32] = 0;
    }
}

/* Counts the operations of a captured call once per replay. */
static void add_call(const tfp_profile *p, uint32_t span, const tfp_captured_call *call, tfp_instruction_sum *sum)
{
    sum->runs++;
    if (call->state == TFP_ATEN_PARTS) return;
    add(&sum->float_ops, call->float_ops);
    add(&sum->of_type[call->type], call->float_ops);
    add(&sum->macs, call->macs);
    add(&sum->bytes, call->bytes);
    sum->moves |= call->bytes >= 0;
    if (tfp_in_a_step(p, span)) tfp_instruction_step(sum, call->float_ops, call->macs, call->bytes);
}

/* Adds the time of a replayed activity at its place; the call that it belongs to may be unknown. */
static bool add_replayed(tfp_replayed *r, uint32_t span, tfp_groups *sums)
{
    const tfp_profile *p = r->p;
    const tfp_captured_call *call = tfp_replayed_call(p, span);
    int first;
    if (!tfp_replayed_first(r, span, &first)) return false;
    tfp_instruction_sum *sum = sum_of(p, sums, tfp_events_of(p)->spans.node[span]);
    if (!sum) return false;
    add(&sum->ns, tfp_events_of(p)->spans.self_ns[span]);
    add(&sum->device_ns, tfp_events_of(p)->spans.self_ns[span]);
    sum->tf32 |= uses_tf32(p, span);
    sum->counted &= call && call->state != TFP_ATEN_NO_SHAPE && call->state != TFP_ATEN_NO_FORMULA;
    if (first) add_call(p, span, call, sum);
    return true;
}

static bool is_replayed(const tfp_profile *p, uint32_t span)
{
    const tfp_span_columns *s = &tfp_events_of(p)->spans;
    if (!is_work(p, span) || s->node[span] == TFP_NONE || s->attribution[span] == TFP_NONE) return false;
    return tfp_events_of(p)->attributions.at[s->attribution[span]].certainty != TFP_SURE_BY_LAUNCH;
}

static bool add_any(const tfp_aten_work *w, tfp_replayed *r, uint32_t span, tfp_groups *sums)
{
    if (is_replayed(r->p, span)) return add_replayed(r, span, sums);
    return add_span(r->p, w, span, sums);
}

bool tfp_calls_collect(const tfp_report *r, bool every, tfp_groups *sums)
{
    const tfp_profile *p = tfp_profile_of(r);
    tfp_aten_work w;
    tfp_replayed replayed = { 0 };
    if (!tfp_aten_work_out(p, &w)) return false;
    bool ok = tfp_replayed_begin(p, &replayed);
    tfp_aten_leave_captured(p, &w);
    for (uint32_t i = 0; ok && i < tfp_events_of(p)->spans.size; i++)
        if (every || tfp_span_in_step(r, i)) ok = add_any(&w, &replayed, i, sums);
    settle_types(sums);
    tfp_replayed_end(&replayed);
    tfp_aten_work_free(&w);
    return ok;
}

bool tfp_in_a_step(const tfp_profile *p, uint32_t span)
{
    uint32_t step = tfp_events_of(p)->spans.step[span];
    return step != TFP_NONE && tfp_executions_of(p)->steps.at[step].listed;
}

void tfp_instruction_step(tfp_instruction_sum *sum, int64_t flops, int64_t macs, int64_t bytes)
{
    add(&sum->step_float_ops, flops);
    add(&sum->step_macs, macs);
    add(&sum->step_bytes, bytes);
}
