// SPDX-License-Identifier: Apache-2.0
/* whatif/pipeline_model.c: finds what each operation of a pipeline waits for, by StragglerAnalysis' dependency model,
 * and an order in which operations and groups can be evaluated. */
#include "query/order.h"
#include "views/core/handle.h"
#include "whatif/pipeline.h"

#define APART_NS                                                                                                       \
    50000 /* a receive this long after the last computation, or a send this long before the first, belongs to none */

typedef struct list { /* operations of one type and stage, sorted by start */
    const uint32_t *at;
    size_t count;
} list;

typedef struct model {
    tfp_pipeline *p;
    uint32_t *sorted;  /* nodes sorted by stage, type and start */
    list *lists;       /* for each stage and type */
    uint32_t *compute; /* computations of the current stage, sorted by start */
    size_t compute_count;
    bool *real;     /* for each node: whether it is a send or receive with a peer */
    int64_t chunks; /* number of the model's chunks on one stage */
    bool failed;
} model;

static list *list_of(const model *m, uint32_t stage, uint8_t type) { return &m->lists[stage * TFP_STAGE_TYPES + type]; }

static void wait_for(model *m, uint32_t node, uint32_t before)
{
    if (!tfp_push(&m->p->edges, ((tfp_pipe_edge){ before, node }))) m->failed = true;
}

static const tfp_sort_key by_place[] = {
    TFP_UP(tfp_pipe_node, stage), TFP_UP(tfp_pipe_node, type), TFP_UP(tfp_pipe_node, start_ns), { 0 }
};

static const tfp_sort_key by_start[] = { TFP_UP(tfp_pipe_node, start_ns), { 0 } };

static bool make_lists(model *m)
{
    tfp_pipeline *p = m->p;
    size_t count = p->nodes.size;
    m->sorted = TFP_NEW(tfp_arena_of(p->r), uint32_t, count + 1);
    m->compute = TFP_NEW(tfp_arena_of(p->r), uint32_t, count + 1);
    m->real = TFP_NEW(tfp_arena_of(p->r), bool, count + 1);
    m->lists = TFP_NEW(tfp_arena_of(p->r), list, (size_t)p->stage_count * TFP_STAGE_TYPES + 1);
    if (!m->sorted || !m->compute || !m->real || !m->lists) return false;
    for (uint32_t i = 0; i < count; i++) {
        m->sorted[i] = i;
        if (p->nodes.at[i].chunk >= m->chunks && p->nodes.at[i].chunk < INT32_MAX) m->chunks = p->nodes.at[i].chunk + 1;
    }
    if (!tfp_order_items(m->sorted, count, by_place, p->nodes.at, sizeof *p->nodes.at)) return false;
    for (size_t i = 0; i < count; i++) {
        const tfp_pipe_node *n = &p->nodes.at[m->sorted[i]];
        list *l = list_of(m, n->stage, n->type);
        if (!l->count++) l->at = m->sorted + i;
    }
    return true;
}

/* Makes each wait for the previous one. */
static void chain(model *m, const uint32_t *at, size_t count)
{
    for (size_t i = 1; i < count; i++) wait_for(m, at[i], at[i - 1]);
}

/* The forward and backward computations of a stage, in order of start. */
static void chain_computes(model *m, uint32_t stage)
{
    m->compute_count = 0;
    for (uint8_t type = TFP_FORWARD_COMPUTE; type <= TFP_BACKWARD_COMPUTE; type++) {
        const list *l = list_of(m, stage, type);
        for (size_t i = 0; i < l->count; i++) m->compute[m->compute_count++] = l->at[i];
    }
    if (!tfp_order_items(m->compute, m->compute_count, by_start, m->p->nodes.at, sizeof *m->p->nodes.at))
        m->failed = true;
    chain(m, m->compute, m->compute_count);
}

/* ---- sends and receives ---- */

/* The place of a computation in the whole model: its first and last have no peers on one side. */
static bool is_end(const model *m, uint32_t compute, bool last)
{
    const tfp_pipe_node *n = &m->p->nodes.at[compute];
    int64_t place = n->chunk * (int64_t)m->p->stage_count + n->stage;
    return place == (last ? m->chunks * (int64_t)m->p->stage_count - 1 : 0);
}

static void link_receives(model *m, const list *computes, const list *receives, bool forward)
{
    const tfp_pipe_node *n = m->p->nodes.at;
    for (size_t i = 0; i < receives->count && i < computes->count; i++) {
        uint32_t node = receives->at[i];
        if (n[node].start_ns > n[computes->at[computes->count - 1]].start_ns + APART_NS) break;
        wait_for(m, computes->at[i], node);
        if (i) wait_for(m, node, computes->at[i - 1]);
        m->real[node] = !is_end(m, computes->at[i], !forward);
    }
}

static void link_sends(model *m, const list *computes, const list *sends, bool forward)
{
    const tfp_pipe_node *n = m->p->nodes.at;
    size_t skip = 0;
    while (computes->count && skip < sends->count && n[sends->at[skip]].end_ns < n[computes->at[0]].end_ns - APART_NS)
        skip++;
    for (size_t i = 0; i + skip < sends->count && i < computes->count; i++) {
        wait_for(m, sends->at[i + skip], computes->at[i]);
        m->real[sends->at[i + skip]] = !is_end(m, computes->at[i], forward);
    }
}

/* The first receive and send of the backward pass also come after the forward computation two before the first
 * backward one. */
static void hold_backward(model *m, uint32_t stage)
{
    uint32_t forwards[2];
    size_t count = 0;
    for (size_t i = 0; i < m->compute_count; i++) {
        if (m->p->nodes.at[m->compute[i]].type == TFP_BACKWARD_COMPUTE) break;
        forwards[count++ % 2] = m->compute[i];
    }
    if (count < 2 || count == m->compute_count) return;
    uint32_t before = forwards[count % 2];
    for (uint8_t type = TFP_BACKWARD_SEND; type <= TFP_BACKWARD_RECV; type++)
        if (list_of(m, stage, type)->count) wait_for(m, list_of(m, stage, type)->at[0], before);
}

static void link_stage(model *m, uint32_t stage)
{
    const list *forward = list_of(m, stage, TFP_FORWARD_COMPUTE), *backward = list_of(m, stage, TFP_BACKWARD_COMPUTE);
    chain_computes(m, stage);
    for (uint8_t type = TFP_FORWARD_SEND; type <= TFP_BACKWARD_RECV; type++)
        chain(m, list_of(m, stage, type)->at, list_of(m, stage, type)->count);
    link_receives(m, forward, list_of(m, stage, TFP_FORWARD_RECV), true);
    link_sends(m, forward, list_of(m, stage, TFP_FORWARD_SEND), true);
    link_receives(m, backward, list_of(m, stage, TFP_BACKWARD_RECV), false);
    link_sends(m, backward, list_of(m, stage, TFP_BACKWARD_SEND), false);
    hold_backward(m, stage);
}

/* ---- data parallelism, and the end of a step ---- */

/* The first or last node of a chunk in a list; TFP_NONE: none. */
static uint32_t of_chunk(const model *m, const list *l, int64_t chunk, bool last)
{
    for (size_t i = 0; i < l->count; i++) {
        uint32_t node = l->at[last ? l->count - 1 - i : i];
        if (m->p->nodes.at[node].chunk == chunk) return node;
    }
    return TFP_NONE;
}

static bool overlaps(const model *m)
{
    for (uint32_t stage = 0; stage < m->p->stage_count; stage++)
        if (list_of(m, stage, TFP_SEPARATE_REDUCE)->count) return true;
    return false;
}

/* Parameters are gathered before a chunk's first computation; with overlap its gradients are reduced after its last. */
static void link_chunks(model *m, uint32_t stage, bool overlap)
{
    enum { CHUNKS_MOST = 256 };
    const list *gathers = list_of(m, stage, TFP_PARAMS_GATHER), *scatters = list_of(m, stage, TFP_GRADS_SCATTER);
    for (int64_t chunk = 0; chunk < m->chunks && chunk < CHUNKS_MOST; chunk++) {
        uint32_t gather = of_chunk(m, gathers, chunk, true),
                 first = of_chunk(m, list_of(m, stage, TFP_FORWARD_COMPUTE), chunk, false);
        if (gather != TFP_NONE && first != TFP_NONE) wait_for(m, first, gather);
        uint32_t scatter = overlap ? of_chunk(m, scatters, chunk, false) : TFP_NONE;
        uint32_t last = of_chunk(m, list_of(m, stage, TFP_BACKWARD_COMPUTE), chunk, true);
        if (scatter != TFP_NONE && last != TFP_NONE) wait_for(m, scatter, last);
    }
}

static void link_data_parallel(model *m, uint32_t stage, bool overlap)
{
    const list *gathers = list_of(m, stage, TFP_PARAMS_GATHER), *scatters = list_of(m, stage, TFP_GRADS_SCATTER);
    size_t count = 0;
    uint32_t *stream = malloc((gathers->count + scatters->count + 1) * sizeof *stream);
    if (!stream) {
        m->failed = true;
        return;
    }
    for (size_t i = 0; i < gathers->count; i++) stream[count++] = gathers->at[i];
    for (size_t i = 0; i < scatters->count; i++) stream[count++] = scatters->at[i];
    if (!tfp_order_items(stream, count, by_start, m->p->nodes.at, sizeof *m->p->nodes.at)) m->failed = true;
    chain(m, stream, count);
    free(stream);
    link_chunks(m, stage, overlap);
}

/* Links the operations after the last computation, which run one after the other. */
static void link_end(model *m, uint32_t stage, bool parallel, bool overlap)
{
    const uint8_t types[] = {
        TFP_GC,   TFP_LAYERNORM_REDUCE, TFP_EMBEDDING_REDUCE, overlap ? TFP_SEPARATE_REDUCE : TFP_GRADS_SCATTER,
        TFP_CLIP, TFP_OPTIMIZER
    };
    const list *scatters = list_of(m, stage, TFP_GRADS_SCATTER);
    uint32_t before = m->compute_count ? m->compute[m->compute_count - 1] : TFP_NONE;
    for (size_t t = 0; t < sizeof types; t++) {
        const list *l = list_of(m, stage, types[t]);
        bool of_data = types[t] == TFP_SEPARATE_REDUCE || types[t] == TFP_GRADS_SCATTER;
        if (of_data && !parallel) continue;
        for (size_t i = 0; i < l->count; i++) {
            if (before != TFP_NONE) wait_for(m, l->at[i], before);
            if (types[t] == TFP_SEPARATE_REDUCE && scatters->count)
                wait_for(m, l->at[i], scatters->at[scatters->count - 1]);
            before = l->at[i];
        }
    }
}

/* ---- groups ---- */

static uint32_t new_group(model *m, bool ranks)
{
    if (!tfp_push(&m->p->groups, ranks)) m->failed = true;
    return (uint32_t)m->p->groups.size - 1;
}

/* The next node of a list that has a peer; TFP_NONE: none. */
static uint32_t next_real(const model *m, const list *l, size_t *at)
{
    while (*at < l->count && !m->real[l->at[*at]]) ++*at;
    return *at < l->count ? l->at[(*at)++] : TFP_NONE;
}

static void pair(model *m, const list *sends, const list *receives)
{
    size_t s = 0, r = 0;
    for (;;) {
        uint32_t send = next_real(m, sends, &s), receive = next_real(m, receives, &r);
        if (send == TFP_NONE || receive == TFP_NONE || m->failed) return;
        uint32_t group = new_group(m, false);
        m->p->nodes.at[send].group = m->p->nodes.at[receive].group = group;
    }
}

/* Makes groups of the n-th operations of a type on all stages. */
static void join_stages(model *m, uint8_t type, bool ranks)
{
    uint32_t groups = 0, first = (uint32_t)m->p->groups.size;
    for (uint32_t stage = 0; stage < m->p->stage_count; stage++) {
        const list *l = list_of(m, stage, type);
        for (uint32_t i = 0; i < l->count && !m->failed; i++) {
            if (i >= groups) {
                new_group(m, ranks);
                groups++;
            }
            m->p->nodes.at[l->at[i]].group = first + i;
        }
    }
}

static void make_groups(model *m)
{
    tfp_pipeline *p = m->p;
    uint32_t stages = p->stage_count;
    for (uint32_t stage = 0; stage < stages; stage++) {
        pair(m, list_of(m, stage, TFP_FORWARD_SEND), list_of(m, (stage + 1) % stages, TFP_FORWARD_RECV));
        pair(m, list_of(m, stage, TFP_BACKWARD_SEND), list_of(m, (stage + stages - 1) % stages, TFP_BACKWARD_RECV));
    }
    join_stages(m, TFP_EMBEDDING_REDUCE, false);
    join_stages(m, TFP_CLIP, true);
    for (uint32_t i = 0; i < p->nodes.size && !m->failed; i++) {
        uint8_t type = p->nodes.at[i].type;
        if (type == TFP_PARAMS_GATHER || type == TFP_GRADS_SCATTER || type == TFP_SEPARATE_REDUCE)
            p->nodes.at[i].group = new_group(m, true);
    }
}

bool tfp_pipeline_model(tfp_pipeline *p)
{
    model m = { .p = p };
    bool parallel = p->ranks.size > 1;
    if (!make_lists(&m)) return false;
    bool overlap = overlaps(&m);
    for (uint32_t stage = 0; stage < p->stage_count && !m.failed; stage++) {
        link_stage(&m, stage);
        if (parallel) link_data_parallel(&m, stage, overlap);
        link_end(&m, stage, parallel, overlap);
    }
    if (p->stage_count) make_groups(&m);
    return !m.failed && tfp_pipeline_order(p);
}
