// SPDX-License-Identifier: Apache-2.0
/* whatif/longest.c: the longest path of a replay: walked backwards from the end of the last step to the begin of the
 * first, always along the edge that determined a node's time. */
#include "whatif/change.h"

#include <math.h>

/* The time that an edge represents, and the part of it that the variant's changes concern. */
static double length_of(const tfp_job *j, const tfp_variant *v, const tfp_job_edge *e, double *touched)
{
    double length = 0;
    *touched = 0;
    if (tfp_job_from_end(j, e)) {
        const tfp_job_activity *a = &j->activities[e->from];
        bool joined = a->ends_with != TFP_NONE;
        length = joined ? j->joints.at[a->joint].pure : a->duration;
        bool changed = v->removed[e->from] || (joined ? v->pure[a->joint] != j->joints.at[a->joint].pure
                                                      : v->duration[e->from] != a->duration);
        *touched = changed ? length : 0;
    }
    if (e->flags & (TFP_EDGE_HOST | TFP_EDGE_HANDOFF)) {
        const tfp_job_anchor *a = &j->anchors.list[e->to - j->activity_count];
        double own = e->flags & TFP_EDGE_HOST ? a->own : a->handoff, part = v->touched[e->to - j->activity_count];
        *touched += part < own ? part : own;
        return length + own + e->lag;
    }
    if (e->to < j->activity_count && v->removed[e->to]) *touched += e->lag;
    return length + e->lag;
}

/* The edge that determined a node's time; TFP_NONE: none. */
static uint32_t edge_of(const tfp_job *j, const tfp_variant *v, const double *at, uint32_t node, uint32_t *from)
{
    uint32_t best = TFP_NONE;
    double latest = -INFINITY;
    for (uint32_t k = j->graph.edge_from[node]; k < j->graph.edge_from[node + 1]; k++) {
        const tfp_job_edge *e = &j->graph.edges.at[k];
        if (!tfp_job_has_edge(j, v, e)) continue;
        double time = tfp_job_arrival(j, v, at, e);
        if (!(time > latest)) continue;
        latest = time;
        best = k;
        *from = tfp_job_source(j, e);
    }
    return best;
}

/* The end of the last step: an activity, whose own time is in no edge, or an anchor. */
bool tfp_longest_of(const tfp_job *j, const tfp_variant *unchanged, const tfp_replayed *replay, tfp_longest *out)
{
    TFP_VEC(uint32_t) edges = { 0 };
    uint32_t node = out->last = replay->last;
    bool ok = true;
    for (uint32_t most = j->graph.node_count; ok && node != TFP_NONE && most && replay->at[node] > replay->from;
         most--) {
        uint32_t from = TFP_NONE, edge = edge_of(j, unchanged, replay->at, node, &from);
        if (edge == TFP_NONE) break;
        double touched, length = length_of(j, unchanged, &j->graph.edges.at[edge], &touched),
                        inside = replay->at[node] - replay->from;
        out->length += length < inside ? length : inside;
        ok = tfp_push(&edges, edge);
        node = from;
    }
    out->edges = TFP_NEW(j->arena, uint32_t, edges.size + 1);
    ok = ok && out->edges;
    if (ok && edges.size) memcpy(out->edges, edges.at, edges.size * sizeof *edges.at);
    out->count = ok ? edges.size : 0;
    tfp_vec_free(&edges);
    return ok;
}

double tfp_longest_share(const tfp_job *j, const tfp_longest *path, const tfp_variant *v)
{
    double all = 0, touched;
    for (size_t i = 0; i < path->count; i++) {
        length_of(j, v, &j->graph.edges.at[path->edges[i]], &touched);
        all += touched;
    }
    double share = all / path->length; /* the first edge may begin before the first step */
    if (!(path->length > 0)) return NAN;
    return share < 1 ? share : 1;
}

static bool has_pacing_loader(const tfp_job *j)
{
    for (size_t u = 0; u < j->unit_count; u++)
        if (j->units[u].loader.paces) return true;
    return false;
}

const char *tfp_longest_limit(const tfp_job *j, const tfp_longest *path)
{
    double host = 0, device = 0, communication = 0;
    for (size_t i = 0; i <= path->count; i++) { /* first the activity with which the path ends */
        const tfp_job_edge *e = i ? &j->graph.edges.at[path->edges[i - 1]] : NULL;
        uint32_t from = !e ? path->last : tfp_job_from_end(j, e) ? e->from : TFP_NONE;
        if (from < j->activity_count) {
            const tfp_job_activity *a = &j->activities[from];
            *(a->collective ? &communication : &device) +=
                a->ends_with == TFP_NONE ? a->duration : j->joints.at[a->joint].pure;
        }
        if (e && e->flags & TFP_EDGE_HOST) host += j->anchors.list[e->to - j->activity_count].own;
        if (e && e->flags & TFP_EDGE_HANDOFF) host += j->anchors.list[e->to - j->activity_count].handoff;
    }
    if (host >= device && host >= communication) return has_pacing_loader(j) ? "the data loader" : "the host";
    return device >= communication ? "the device" : "communication";
}
