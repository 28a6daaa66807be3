// SPDX-License-Identifier: Apache-2.0
/* whatif/job/replay.c: the order in which the nodes of a job can be evaluated, found once, and a replay: one pass in that order. Events at
 * the same time have no order of their own, so it follows from the edges: each node comes after all that it waits for. */
#include "whatif/job/job.h"

#include <math.h>

void tfp_job_edge_add(tfp_job *j, uint32_t from, uint32_t to, double lag, unsigned flags)
{
    if (!tfp_push(&j->graph.edges, ((tfp_job_edge){ from, to, lag, (uint8_t)flags })) ||
        j->graph.edges.size >= TFP_NONE)
        j->failed = true;
}

/* Sorts edges by node. */
static bool sort_edges(tfp_job *j)
{
    uint32_t *first = TFP_NEW(j->arena, uint32_t, j->graph.node_count + 2);
    tfp_job_edge *sorted = malloc((j->graph.edges.size + 1) * sizeof *sorted);
    if (!first || !sorted) return free(sorted), false;
    for (size_t i = 0; i < j->graph.edges.size; i++) first[j->graph.edges.at[i].to + 1]++;
    for (uint32_t n = 0; n < j->graph.node_count; n++) first[n + 1] += first[n];
    uint32_t *at = malloc((j->graph.node_count + 1) * sizeof *at);
    if (!at) return free(sorted), false;
    memcpy(at, first, j->graph.node_count * sizeof *at);
    for (size_t i = 0; i < j->graph.edges.size; i++) sorted[at[j->graph.edges.at[i].to]++] = j->graph.edges.at[i];
    free(at);
    free(j->graph.edges.at);
    j->graph.edges.at = sorted;
    j->graph.edges.capacity = j->graph.edges.size + 1;
    j->graph.edge_from = first;
    return true;
}

uint32_t tfp_job_source(const tfp_job *j, const tfp_job_edge *e)
{
    uint32_t joint = tfp_job_from_end(j, e) ? j->activities[e->from].ends_with : TFP_NONE;
    return joint == TFP_NONE ? e->from : tfp_job_joint_node(j, joint);
}

typedef struct ordering {
    tfp_job *j;
    uint32_t *next_of; /* for each node: its first index in `next` */
    uint32_t *next;    /* nodes that wait for it */
    uint32_t *open;    /* for each node: how many nodes it still waits for */
} ordering;

static bool find_next(ordering *o)
{
    const tfp_job *j = o->j;
    o->next_of = calloc(j->graph.node_count + 2, sizeof *o->next_of);
    o->open = calloc(j->graph.node_count + 1, sizeof *o->open);
    o->next = malloc((j->graph.edges.size + 1) * sizeof *o->next);
    if (!o->next_of || !o->open || !o->next) return false;
    for (size_t i = 0; i < j->graph.edges.size; i++) {
        o->next_of[tfp_job_source(j, &j->graph.edges.at[i]) + 1]++;
        o->open[j->graph.edges.at[i].to]++;
    }
    for (uint32_t n = 0; n < j->graph.node_count; n++) o->next_of[n + 1] += o->next_of[n];
    uint32_t *at = malloc((j->graph.node_count + 1) * sizeof *at);
    if (!at) return false;
    memcpy(at, o->next_of, j->graph.node_count * sizeof *at);
    for (size_t i = 0; i < j->graph.edges.size; i++)
        o->next[at[tfp_job_source(j, &j->graph.edges.at[i])]++] = j->graph.edges.at[i].to;
    free(at);
    return true;
}

static double recorded_time(const tfp_job *j, uint32_t node)
{
    if (node < j->activity_count) return j->activities[node].start;
    node -= j->activity_count;
    return node < j->anchors.count ? j->anchors.list[node].at : j->joints.at[node - j->anchors.count].end;
}

static bool recorded_before(const void *ctx, uint32_t a, uint32_t b)
{
    return recorded_time(ctx, a) < recorded_time(ctx, b);
}

/* Takes all nodes that can follow those at order[from...]. Returns how many there are afterwards. */
static uint32_t follow(ordering *o, uint32_t from, uint32_t count)
{
    for (; from < count; from++) {
        uint32_t node = o->j->graph.order[from];
        for (uint32_t i = o->next_of[node]; i < o->next_of[node + 1]; i++)
            if (o->open[o->next[i]] && --o->open[o->next[i]] == 0) o->j->graph.order[count++] = o->next[i];
    }
    return count;
}

/* Contradicting times may make cycles: in a cycle the node that was first in the recording goes first. */
static bool break_circles(ordering *o, uint32_t count)
{
    tfp_job *j = o->j;
    uint32_t *left = malloc((j->graph.node_count + 1) * sizeof *left), left_count = 0;
    if (!left) return false;
    for (uint32_t n = 0; n < j->graph.node_count; n++)
        if (o->open[n]) left[left_count++] = n;
    bool ok = tfp_sort(left, left_count, recorded_before, j);
    for (uint32_t i = 0; ok && i < left_count; i++) {
        if (!o->open[left[i]]) continue;
        o->open[left[i]] = 0;
        j->graph.order[count] = left[i];
        count = follow(o, count, count + 1);
    }
    free(left);
    return ok;
}

bool tfp_job_order(tfp_job *j)
{
    ordering o = { .j = j };
    uint32_t count = 0;
    j->graph.order = TFP_NEW(j->arena, uint32_t, j->graph.node_count + 1);
    bool ok = j->graph.order && sort_edges(j) && find_next(&o);
    for (uint32_t n = 0; ok && n < j->graph.node_count; n++)
        if (!o.open[n]) j->graph.order[count++] = n;
    if (ok) count = follow(&o, 0, count);
    ok = ok && (count == j->graph.node_count || break_circles(&o, count));
    free(o.next_of);
    free(o.next);
    free(o.open);
    return ok;
}

/* ---- a replay ---- */

/* Whether a launch call waits in it for room in the queue (sync.c). */
static bool is_full_queue(const tfp_job *j, const tfp_job_edge *e)
{
    return e->flags & TFP_EDGE_AFTER_START && e->to >= j->activity_count &&
           e->to < j->activity_count + j->anchors.count;
}

bool tfp_job_has_edge(const tfp_job *j, const tfp_variant *v, const tfp_job_edge *e)
{
    if (e->flags & TFP_EDGE_SYNC && (v->no_sync || v->unsynced[e->to - j->activity_count])) return false;
    if (is_full_queue(j, e) && v->unsynced[e->to - j->activity_count]) return false;
    if (e->flags & TFP_EDGE_COMM && v->overlap) return false;
    if (e->flags & TFP_EDGE_HANDOFF && v->at_once && j->anchors.list[e->to - j->activity_count].data != TFP_NONE)
        return false;
    if (e->flags & TFP_EDGE_BESIDE && !v->overlap) return false;
    if (e->flags & TFP_EDGE_LAUNCH && v->removed[e->to]) return false;
    return !(e->to >= j->activity_count + j->anchors.count && v->removed[e->from]); /* an edge from a collective */
}

double tfp_job_arrival(const tfp_job *j, const tfp_variant *v, const double *at, const tfp_job_edge *e)
{
    double lag = e->lag;
    if (e->flags & TFP_EDGE_HOST) lag += v->own[e->to - j->activity_count];
    if (e->flags & TFP_EDGE_HANDOFF) lag = v->handoff[e->to - j->activity_count];
    if (e->to < j->activity_count && v->removed[e->to]) lag = 0;
    return (tfp_job_from_end(j, e) ? tfp_job_end(j, v, at, e->from) : at[e->from]) + lag;
}

/* A batch is made after an earlier one was taken, so that it comes earlier if all steps before it end earlier. */
static double hold(const tfp_job_anchor *a, const tfp_variant *v, const tfp_replayed *out, double at)
{
    if (v->at_once) return at;
    double moved = a->floor_moves && out->behind[a->unit] > -INFINITY ? out->behind[a->unit] : 0;
    return a->floor + moved > at ? a->floor + moved : at;
}

static double finish(const tfp_job *j, const tfp_variant *v, const tfp_replayed *out, uint32_t node, double latest)
{
    if (node < j->activity_count) {
        const tfp_job_activity *a = &j->activities[node];
        return latest == -INFINITY ? a->start : latest + (v->removed[node] ? 0 : a->late);
    }
    uint32_t anchor = node - j->activity_count;
    if (anchor < j->anchors.count) {
        const tfp_job_anchor *a = &j->anchors.list[anchor];
        double at = latest == -INFINITY ? a->at : hold(a, v, out, latest);
        if (a->begins_step && at - a->at > out->behind[a->unit]) out->behind[a->unit] = at - a->at;
        return at;
    }
    const tfp_job_joint *joint = &j->joints.at[anchor - j->anchors.count];
    return latest == -INFINITY ? joint->end : latest + v->pure[anchor - j->anchors.count];
}

void tfp_job_replay(const tfp_job *j, const tfp_variant *v, tfp_replayed *out)
{
    for (uint32_t n = 0; n < j->graph.node_count; n++) out->at[n] = -INFINITY;
    for (size_t u = 0; u < j->unit_count; u++) out->behind[u] = -INFINITY;
    for (uint32_t i = 0; i < j->graph.node_count; i++) {
        uint32_t node = j->graph.order[i];
        double latest = -INFINITY;
        for (uint32_t k = j->graph.edge_from[node]; k < j->graph.edge_from[node + 1]; k++) {
            const tfp_job_edge *e = &j->graph.edges.at[k];
            if (!tfp_job_has_edge(j, v, e)) continue;
            double at = tfp_job_arrival(j, v, out->at, e);
            if (at > latest) latest = at;
        }
        out->at[node] = finish(j, v, out, node, latest);
    }
    out->last = TFP_NONE;
    out->step_us = tfp_job_step(j, v, out->at, out);
}

bool tfp_variant_new(const tfp_job *j, tfp_variant *v)
{
    tfp_arena *a = j->arena;
    *v = (tfp_variant){ .duration = TFP_NEW(a, double, j->activity_count + 1),
                        .removed = TFP_NEW(a, bool, j->activity_count + 1),
                        .pure = TFP_NEW(a, double, j->joints.size + 1),
                        .own = TFP_NEW(a, double, j->anchors.count + 1),
                        .handoff = TFP_NEW(a, double, j->anchors.count + 1),
                        .touched = TFP_NEW(a, double, j->anchors.count + 1),
                        .unsynced = TFP_NEW(a, bool, j->anchors.count + 1) };
    if (!v->duration || !v->removed || !v->pure || !v->own || !v->handoff || !v->touched || !v->unsynced) return false;
    tfp_variant_reset(j, v);
    return true;
}

void tfp_variant_reset(const tfp_job *j, tfp_variant *v)
{
    for (uint32_t i = 0; i < j->activity_count; i++) v->duration[i] = j->activities[i].duration;
    if (j->activity_count) memset(v->removed, 0, j->activity_count * sizeof *v->removed);
    for (size_t i = 0; i < j->joints.size; i++) v->pure[i] = j->joints.at[i].pure;
    for (uint32_t i = 0; i < j->anchors.count; i++) {
        v->own[i] = j->anchors.list[i].own;
        v->handoff[i] = j->anchors.list[i].handoff;
        v->touched[i] = 0;
        v->unsynced[i] = false;
    }
    v->no_sync = v->overlap = v->at_once = false;
}
