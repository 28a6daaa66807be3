// SPDX-License-Identifier: Apache-2.0
/* model/executions.c: how readers add steps, executions (a node in a step) and the details of an execution: spans in
 * lanes, memory, buffers and allocations. */
#include "model/build.h"
#include "model/tables/details.h"
#include "model/tables/graph.h"
#include "model/tables/lanes.h"
#include "model/tables/profile.h"
#include "model/tables/runs.h"

static const tfp_exec_detail no_detail = { TFP_NONE, TFP_NONE, TFP_NONE, TFP_NONE, TFP_NONE, TFP_NONE };

/* ---- steps and executions ---- */

uint32_t tfp_build_step(tfp_builder *b, int64_t id, bool listed)
{
    tfp_profile *p = b->p;
    uint32_t at = tfp_find_step(p, id);
    if (at != TFP_NONE) {
        p->runs->steps.at[at].listed |= listed;
        return at;
    }
    if (b->status || !APPEND(b, runs->steps, ((tfp_step){ id, listed, (uint32_t)p->runs->execs.size })))
        return TFP_NONE;
    at = (uint32_t)p->runs->steps.size - 1;
    return check(b, tfp_map64_put(&p->runs->step_by_id, (uint64_t)id, at)) ? at : TFP_NONE;
}

/* Makes a table of executions by node and step, and keeps it up to date from then on. Files that come step by step do
 * not need it, and it would take more memory than the executions. */
static bool index_execs(tfp_builder *b)
{
    tfp_profile *p = b->p;
    if (p->runs->execs_indexed == p->runs->execs.size) return true;
    for (uint32_t n = 0; n < p->graph->nodes.size; n++)
        for (TFP_EACH(p->runs->execs, e, p->graph->nodes.at[n].exec_first))
            if (!check(b, tfp_map64_put(&p->runs->exec_by_step, tfp_exec_key(n, p->runs->execs.at[e].step), e)))
                return false;
    p->runs->execs_indexed = p->runs->execs.size;
    return true;
}

uint32_t tfp_build_exec(tfp_builder *b, uint32_t node, uint32_t step)
{
    if (b->status) return TFP_NONE;
    tfp_profile *p = b->p;
    tfp_node *n = tfp_build_row(b, node);
    /* Files come step by step, so the node's last execution is of this step or older than the step itself. */
    if (n->exec_first == TFP_NONE || n->exec_last < p->runs->steps.at[step].exec_from)
        return tfp_build_new_exec(b, node, step);
    if (p->runs->execs.at[n->exec_last].step == step) return n->exec_last;
    if (!index_execs(b)) return TFP_NONE;
    uint32_t exec = tfp_map64_get(&p->runs->exec_by_step, tfp_exec_key(node, step));
    return exec != TFP_NONE ? exec : tfp_build_new_exec(b, node, step);
}

/* The heads of an execution's chains; NULL when details are not kept. */
static tfp_exec_detail *build_detail(tfp_builder *b, uint32_t exec)
{
    tfp_profile *p = b->p;
    if (!(p->reads & TFP_READS_RUNS)) return NULL;
    while (p->detail->details.size <= exec)
        if (!check(b, tfp_push(&p->detail->details, no_detail))) return NULL;
    return &p->detail->details.at[exec];
}

uint32_t tfp_build_new_exec(tfp_builder *b, uint32_t node, uint32_t step)
{
    if (b->status) return TFP_NONE;
    tfp_profile *p = b->p;
    tfp_node *n = tfp_build_row(b, node);
    tfp_exec x = { .step = step, .next = TFP_NONE };
    if (!APPEND(b, runs->execs, x)) return TFP_NONE;
    CHAIN(p, runs->execs, n->exec_first, n->exec_last);
    if (p->runs->execs_indexed && p->runs->execs_indexed == p->runs->execs.size - 1 &&
        check(b, tfp_map64_put(&p->runs->exec_by_step, tfp_exec_key(node, step), n->exec_last)))
        p->runs->execs_indexed++;
    build_detail(b, n->exec_last);
    return b->status ? TFP_NONE : n->exec_last;
}

void tfp_build_exec_again(tfp_builder *b, uint32_t exec)
{
    tfp_exec *x = &b->p->runs->execs.at[exec];
    *x = (tfp_exec){ .step = x->step, .next = x->next };
    if (exec < b->p->detail->details.size) b->p->detail->details.at[exec] = no_detail;
}

uint32_t tfp_build_find_lane(tfp_builder *b, tfp_strid name)
{
    return b->status ? TFP_NONE : tfp_map64_get(&b->p->detail->lane_by_name, name);
}

uint32_t tfp_build_lane(tfp_builder *b, const tfp_lane *row, bool named)
{
    tfp_profile *p = b->p;
    if (b->status || !ROOM(b, lanes[0]) || !check(b, tfp_push(p->lanes, *row))) return TFP_NONE;
    uint32_t lane = (uint32_t)p->lanes->size - 1;
    return !named || check(b, tfp_map64_put(&p->detail->lane_by_name, row->name, lane)) ? lane : TFP_NONE;
}

void tfp_build_span(tfp_builder *b, uint32_t exec, uint32_t lane, int64_t start_ns, int64_t duration_ns)
{
    if (b->status) return;
    tfp_exec *x = &b->p->runs->execs.at[exec];
    bool clamped = false;
    tfp_lane_kind kind = b->p->lanes->at[lane].kind;
    if (kind == TFP_LANE_CPU) x->cpu_ns = tfp_add(x->cpu_ns, duration_ns, &clamped);
    if (kind == TFP_LANE_ACCELERATOR) x->accelerator_ns = tfp_add(x->accelerator_ns, duration_ns, &clamped);
    if (clamped) tfp_build_warn(b, "sums of times too big for 64 bits, clamped", TFP_STR(""));
    tfp_exec_detail *d = build_detail(b, exec);
    if (d && APPEND(b, detail->spans, ((tfp_span){ lane, TFP_NONE, start_ns, duration_ns })))
        CHAIN(b->p, detail->spans, d->span_first, d->span_last);
}

void tfp_build_run_transfer(tfp_builder *b, const tfp_run_transfer *t)
{
    if (!b->status && (b->p->reads & TFP_READS_RUNS)) (void)APPEND(b, detail->run_transfers, *t);
}

uint32_t tfp_build_memory(tfp_builder *b, uint32_t exec, const tfp_memory *m)
{
    if (b->status) return TFP_NONE;
    tfp_exec *x = &b->p->runs->execs.at[exec];
    bool clamped = false;
    x->requested_bytes = tfp_add(x->requested_bytes, m->requested_bytes, &clamped);
    x->peak_bytes = tfp_add(x->peak_bytes, m->peak_bytes, &clamped);
    x->residual_bytes = tfp_add(x->residual_bytes, m->residual_bytes, &clamped);
    x->output_bytes = tfp_add(x->output_bytes, m->output_bytes, &clamped);
    if (clamped) tfp_build_warn(b, "sums of bytes too big for 64 bits, clamped", TFP_STR(""));
    tfp_exec_detail *d = build_detail(b, exec);
    if (!d) return TFP_NONE;
    tfp_memory row = *m;
    row.next = row.buffer_first = TFP_NONE;
    if (!APPEND(b, detail->memories, row)) return TFP_NONE;
    CHAIN(b->p, detail->memories, d->memory_first, d->memory_last);
    return d->memory_last;
}

void tfp_build_buffer(tfp_builder *b, uint32_t memory, int32_t slot, int64_t bytes, uint64_t address)
{
    if (b->status || memory == TFP_NONE) return;
    tfp_memory *m = &b->p->detail->memories.at[memory];
    if (APPEND(b, detail->buffers, ((tfp_buffer){ slot, TFP_NONE, bytes, address })))
        CHAIN(b->p, detail->buffers, m->buffer_first, m->buffer_last);
}

void tfp_build_allocation(tfp_builder *b, uint32_t exec, int64_t at_ns, int64_t bytes)
{
    tfp_exec_detail *d = b->status ? NULL : build_detail(b, exec);
    if (d && APPEND(b, detail->allocations, ((tfp_allocation){ at_ns, bytes, TFP_NONE })))
        CHAIN(b->p, detail->allocations, d->alloc_first, d->alloc_last);
}
