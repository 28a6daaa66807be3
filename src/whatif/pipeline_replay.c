// SPDX-License-Identifier: Apache-2.0
/* whatif/pipeline_replay.c: replays the steps of a pipeline: a member of a group ends when the last member has started
 * and the member's own transfer time is over. */
#include "views/core/handle.h"
#include "whatif/pipeline.h"

#include <math.h>

/* The source of an edge: the node, or the group that ends the node. */
static uint32_t source_of(const tfp_pipeline *p, uint32_t node)
{
    uint32_t group = p->nodes.at[node].group;
    return group == TFP_NONE ? node : (uint32_t)p->nodes.size + group;
}

typedef struct pairs {
    const uint32_t *keys, *values;
    size_t count;
} pairs;

/* Sorts values by key: those of key k begin at out[first[k]]. */
static bool gather(tfp_arena *a, pairs x, size_t key_count, uint32_t **first, uint32_t **out)
{
    *first = TFP_NEW(a, uint32_t, key_count + 2);
    *out = TFP_NEW(a, uint32_t, x.count + 1);
    uint32_t *at = TFP_NEW(a, uint32_t, key_count + 1);
    if (!*first || !*out || !at) return false;
    for (size_t i = 0; i < x.count; i++) (*first)[x.keys[i] + 1]++;
    for (size_t k = 0; k < key_count; k++) (*first)[k + 1] += (*first)[k];
    memcpy(at, *first, key_count * sizeof *at);
    for (size_t i = 0; i < x.count; i++) (*out)[at[x.keys[i]]++] = x.values[i];
    return true;
}

/* Finds an order in which each node or group comes after those that it waits for; a cycle is cut where it is found. */
static bool find_order(tfp_pipeline *p, const uint32_t *from, const uint32_t *to, size_t count)
{
    size_t items = p->nodes.size + p->groups.size;
    uint32_t *first, *next, *open = TFP_NEW(tfp_arena_of(p->r), uint32_t, items + 1);
    p->order = TFP_NEW(tfp_arena_of(p->r), uint32_t, items + 1);
    if (!open || !p->order || !gather(tfp_arena_of(p->r), (pairs){ from, to, count }, items, &first, &next))
        return false;
    for (size_t i = 0; i < count; i++) open[to[i]]++;
    size_t done = 0;
    for (uint32_t i = 0; i < items; i++)
        if (!open[i]) p->order[p->order_count++] = i;
    for (uint32_t left = 0; left <= items; left++) {
        for (; done < p->order_count; done++)
            for (uint32_t k = first[p->order[done]]; k < first[p->order[done] + 1]; k++)
                if (open[next[k]] && --open[next[k]] == 0) p->order[p->order_count++] = next[k];
        if (left == items || !open[left]) continue;
        open[left] = 0;
        p->order[p->order_count++] = left;
    }
    return true;
}

bool tfp_pipeline_order(tfp_pipeline *p)
{
    size_t nodes = p->nodes.size, count = p->edges.size, places = p->ranks.size * nodes;
    tfp_arena *a = tfp_arena_of(p->r);
    uint32_t *from = TFP_NEW(a, uint32_t, count + nodes + 1), *to = TFP_NEW(a, uint32_t, count + nodes + 1);
    uint32_t *before = TFP_NEW(a, uint32_t, count + 1);
    p->starts = TFP_NEW(a, double, places + 1);
    p->ends = TFP_NEW(a, double, places + 1);
    p->latest = TFP_NEW(a, double, p->ranks.size + 1);
    if (!from || !to || !before || !p->starts || !p->ends || !p->latest) return false;
    for (size_t i = 0; i < count; i++) {
        before[i] = p->edges.at[i].from;
        to[i] = p->edges.at[i].to;
    }
    if (!gather(a, (pairs){ to, before, count }, nodes, &p->into, &p->from)) return false;
    for (size_t i = 0; i < count; i++) from[i] = source_of(p, before[i]);
    uint32_t *members = TFP_NEW(a, uint32_t, nodes + 1), *groups = TFP_NEW(a, uint32_t, nodes + 1), joined = 0;
    if (!members || !groups) return false;
    for (uint32_t n = 0; n < nodes; n++) {
        if (p->nodes.at[n].group == TFP_NONE) continue;
        from[count + joined] = members[joined] = n;
        groups[joined] = p->nodes.at[n].group;
        to[count + joined] = (uint32_t)nodes + groups[joined];
        joined++;
    }
    return gather(a, (pairs){ groups, members, joined }, p->groups.size, &p->group_first, &p->members) &&
           find_order(p, from, to, count + joined);
}

/* ---- a replay ---- */

static bool is_kept(const tfp_pipeline *p, const tfp_pipe_node *n, uint32_t rank, const tfp_change *keep)
{
    if (!keep) return false;
    if (keep->keep == TFP_KEPT_STAGE) return n->stage == keep->number;
    if (keep->keep == TFP_KEPT_DP || keep->keep == TFP_KEPT_RANK) return (double)p->ranks.at[rank] == keep->number;
    bool forward = n->type == TFP_FORWARD_SEND || n->type == TFP_FORWARD_RECV;
    bool backward = n->type == TFP_BACKWARD_SEND || n->type == TFP_BACKWARD_RECV;
    if (forward && tfp_str_eq(keep->pattern, TFP_STR("forward-pp-comm"))) return true;
    if (backward && tfp_str_eq(keep->pattern, TFP_STR("backward-pp-comm"))) return true;
    return tfp_str_eq(keep->pattern, tfp_str_of(tfp_stage_type_names[n->type]));
}

/* An operation that a step lacks takes the ideal time. */
static double time_of(const tfp_pipeline *p, const double *taken, const tfp_pipe_scenario *s, uint32_t rank,
                      uint32_t node)
{
    const tfp_pipe_node *n = &p->nodes.at[node];
    double own = taken[rank * p->nodes.size + node];
    if (isnan(own) || (s->ideal && !is_kept(p, n, rank, s->keep))) return p->ideal[n->type];
    return own;
}

static void start_node(tfp_pipeline *p, const double *taken, const tfp_pipe_scenario *s, uint32_t node)
{
    for (uint32_t rank = 0; rank < p->ranks.size; rank++) {
        size_t row = rank * p->nodes.size;
        double start = 0;
        for (uint32_t k = p->into[node]; k < p->into[node + 1]; k++)
            if (p->ends[row + p->from[k]] > start) start = p->ends[row + p->from[k]];
        p->starts[row + node] = start;
        if (p->nodes.at[node].group == TFP_NONE) p->ends[row + node] = start + time_of(p, taken, s, rank, node);
    }
}

static void end_group(tfp_pipeline *p, const double *taken, const tfp_pipe_scenario *s, uint32_t group)
{
    double all = 0;
    for (uint32_t rank = 0; rank < p->ranks.size; rank++) {
        double latest = 0;
        for (uint32_t k = p->group_first[group]; k < p->group_first[group + 1]; k++) {
            double start = p->starts[rank * p->nodes.size + p->members[k]];
            if (start > latest) latest = start;
        }
        p->latest[rank] = latest;
        if (latest > all) all = latest;
    }
    for (uint32_t rank = 0; rank < p->ranks.size; rank++)
        for (uint32_t k = p->group_first[group]; k < p->group_first[group + 1]; k++) {
            uint32_t node = p->members[k];
            double latest = p->groups.at[group] ? all : p->latest[rank];
            p->ends[rank * p->nodes.size + node] = latest + time_of(p, taken, s, rank, node);
        }
}

/* Returns the length of a step, up to the end of the last optimizer. */
static double replay_step(tfp_pipeline *p, uint32_t step, const tfp_pipe_scenario *s)
{
    size_t places = p->ranks.size * p->nodes.size;
    const double *taken = p->taken + step * places;
    double last = 0;
    memset(p->ends, 0, places * sizeof *p->ends);
    for (uint32_t i = 0; i < p->order_count; i++) {
        uint32_t item = p->order[i];
        if (item < p->nodes.size)
            start_node(p, taken, s, item);
        else
            end_group(p, taken, s, item - (uint32_t)p->nodes.size);
    }
    for (size_t i = 0; i < places; i++)
        if (p->nodes.at[i % p->nodes.size].type == TFP_OPTIMIZER && p->ends[i] > last) last = p->ends[i];
    return last;
}

double tfp_pipeline_replay(tfp_pipeline *p, const tfp_pipe_scenario *s)
{
    double sum = 0;
    if (s->step != TFP_NONE) return replay_step(p, s->step, s);
    for (uint32_t step = 0; step < p->steps.size; step++) sum += replay_step(p, step, s);
    return sum / (double)p->steps.size;
}

double tfp_pipeline_recorded(const tfp_pipeline *p, uint32_t only)
{
    double sum = 0;
    size_t count = 0;
    for (uint32_t step = 0; step < p->steps.size; step++) {
        if ((only != TFP_NONE && step != only) || p->last_ns[step] <= p->first_ns[step]) continue;
        sum += (double)(p->last_ns[step] - p->first_ns[step]) / 1000;
        count++;
    }
    return count ? sum / (double)count : 0;
}
