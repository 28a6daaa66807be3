// SPDX-License-Identifier: Apache-2.0
/* whatif/ideal.c: a job without stragglers: every duration is the median over its peers on the other ranks. */
#include "model/tables/lanes.h"
#include "model/tables/spans.h"
#include "query/groups.h"
#include "query/order.h"
#include "whatif/change.h"
#include "whatif/job/step_thread.h"

#include <math.h>

/* A value that is compared with its peers: those with the same key and number on other ranks. */
typedef struct peer {
    uint64_t key;
    uint32_t number, unit;
    double *value, *other; /* other: its second part, which only shares the place; NULL: none */
} peer;

typedef struct peers {
    const tfp_job *j;
    TFP_VEC(peer) list;
    double *values;
    size_t ranks;
} peers;

static const tfp_sort_key by_peer[] = { TFP_UP(peer, key), TFP_UP(peer, number), TFP_UP(peer, unit), { 0 } };

/* Whether peers can be compared: if ranks differ in number, or fewer than half of them have the value, each keeps its
 * own. */
static bool comparable(const peers *p, const uint32_t *order, size_t count, size_t *ranks)
{
    const peer *list = p->list.at;
    *ranks = 0;
    while (*ranks < count && list[order[*ranks]].number == 0) ++*ranks;
    if (*ranks < 2 || count % *ranks || *ranks * 2 < p->ranks) return false;
    for (size_t i = 0; i < count; i += *ranks)
        if (list[order[i]].number != list[order[i + *ranks - 1]].number || list[order[i]].number != i / *ranks)
            return false;
    return true;
}

static void even_out(peers *p, const uint32_t *order, size_t count, bool other, int64_t kept)
{
    const peer *list = p->list.at;
    for (size_t i = 0; i < count; i++) p->values[i] = *(other ? list[order[i]].other : list[order[i]].value);
    double middle = tfp_job_quantile(p->values, count, 0.5);
    for (size_t i = 0; i < count; i++) {
        const peer *x = &list[order[i]];
        if (kept < 0 || p->j->units[x->unit].rank != kept) *(other ? x->other : x->value) = middle;
    }
}

static bool even_out_all(peers *p, int64_t kept)
{
    size_t count = p->list.size, ranks;
    uint32_t *order = malloc((count + 1) * sizeof *order);
    p->values = malloc((count + 1) * sizeof *p->values);
    bool ok = order && p->values;
    for (uint32_t i = 0; ok && i < count; i++) order[i] = i;
    ok = ok && tfp_order_items(order, count, by_peer, p->list.at, sizeof *p->list.at);
    for (size_t i = 0, end; ok && i < count; i = end) {
        for (end = i; end < count && p->list.at[order[end]].key == p->list.at[order[i]].key;) end++;
        if (!comparable(p, order + i, end - i, &ranks)) continue;
        for (size_t k = i; k < end; k += ranks) {
            even_out(p, order + k, ranks, false, kept);
            if (p->list.at[order[k]].other) even_out(p, order + k, ranks, true, kept);
        }
    }
    free(order);
    free(p->values);
    return ok;
}

/* Adds a value with the next number of its key on its rank. */
static bool add(peers *p, tfp_groups *numbers, peer one)
{
    uint32_t *next = TFP_GROUP(numbers, one.unit, one.key);
    if (next) one.number = (*next)++;
    return next && tfp_push(&p->list, one);
}

static bool add_activities(peers *p, tfp_variant *v)
{
    const tfp_job *j = p->j;
    tfp_groups numbers = { .row_size = sizeof(uint32_t) };
    bool ok = true;
    for (uint32_t s = 0; ok && s < j->streams.count; s++) {
        const tfp_job_stream *stream = &j->streams.list[s];
        for (uint32_t i = stream->first; ok && i < stream->first + stream->count; i++) {
            const tfp_job_activity *a = &j->activities[i];
            uint64_t key[4] = { 1, tfp_lanes_of(j->p)->at[a->lane].name, j->s->name[a->span], a->step };
            if (a->joint == TFP_NONE)
                ok = add(p, &numbers,
                         (peer){ .key = tfp_hash(key, sizeof key), .unit = stream->unit, .value = &v->duration[i] });
        }
    }
    tfp_groups_free(&numbers);
    return ok;
}

/* ---- points of the threads of the steps ---- */

/* Ranks wait in different places for collectives of hosts, so their anchors differ although their points do not. */
typedef struct point_work {
    tfp_step_thread thread;
    double *at, *recorded, *ideal; /* for each point of all units: its time, and the work since the previous point */
    size_t *first;                 /* for each unit */
} point_work;

static void free_points(point_work *w)
{
    tfp_step_thread_free(&w->thread);
    free(w->at);
    free(w->recorded);
    free(w->ideal);
    free(w->first);
}

static bool new_points(const tfp_job *j, point_work *w)
{
    *w = (point_work){ .first = calloc(j->unit_count + 1, sizeof *w->first) };
    if (!tfp_step_thread_new(j, &w->thread) || !w->first) return false;
    for (size_t u = 0; u < j->unit_count; u++) w->first[u + 1] = 2 * (size_t)w->thread.first[u + 1];
    size_t all = w->first[j->unit_count] + 1;
    w->at = malloc(all * sizeof *w->at);
    w->recorded = malloc(all * sizeof *w->recorded);
    w->ideal = malloc(all * sizeof *w->ideal);
    return w->at && w->recorded && w->ideal;
}

static bool read_points(const tfp_job *j, point_work *w)
{
    for (uint32_t u = 0; u < j->unit_count; u++) {
        if (!tfp_step_thread_read(&w->thread, u)) return false;
        for (size_t i = 0; i < w->thread.points.size; i++) {
            size_t at = w->first[u] + i;
            w->at[at] = tfp_job_time(j, u, w->thread.points.at[i].at);
            w->recorded[at] = i ? w->at[at] - w->at[at - 1] : 0;
        }
    }
    for (uint32_t i = 0; i < j->hosted.gap_count; i++)
        w->recorded[w->first[j->hosted.gaps[i].unit] + j->hosted.gaps[i].point] =
            j->hosted.gaps[i].to - j->hosted.gaps[i].last;
    memcpy(w->ideal, w->recorded, w->first[j->unit_count] * sizeof *w->ideal);
    return true;
}

/* Adds each point once, even where windows overlap. */
static bool add_points(peers *p, const point_work *w)
{
    const tfp_job *j = p->j;
    bool ok = true;
    size_t done = 0;
    for (uint32_t i = 0; ok && i < j->steps.window_count; i++) {
        const tfp_job_window *s = &j->steps.windows[i];
        uint64_t key[2] = { 3, s->step };
        size_t at, end = w->first[s->unit + 1];
        TFP_LOWER_BOUND(at, w->first[s->unit], end, w->at[at] <= s->start);
        at = at > done ? at : done;
        for (uint32_t number = 0; ok && at < end && w->at[at] <= s->end; at++, number++)
            ok = tfp_push(&p->list, ((peer){ tfp_hash(key, sizeof key), number, s->unit, &w->ideal[at], NULL }));
        done = at;
    }
    return ok;
}

/* The anchors of a thread get the gains of its points. */
static void take_points(const tfp_job *j, const point_work *w, tfp_variant *v)
{
    size_t at = 0;
    for (uint32_t i = 0; i < j->anchors.count; i++) {
        const tfp_job_anchor *a = &j->anchors.list[i];
        double more = 0;
        if (a->lane != j->units[a->unit].step_lane) continue;
        if (a->first) at = w->first[a->unit];
        for (; at < w->first[a->unit + 1] && w->at[at] <= a->at; at++) more += w->ideal[at] - w->recorded[at];
        if (a->first || a->waits || a->floor > -INFINITY) continue;
        double *work = a->handoff_from == TFP_NONE ? &v->own[i] : &v->handoff[i];
        *work = *work + more > 0 ? *work + more : 0;
    }
}

static bool even_out_points(const tfp_job *j, int64_t kept, tfp_variant *v)
{
    point_work w;
    peers p = { .j = j, .ranks = j->unit_count };
    bool ok = new_points(j, &w) && read_points(j, &w) && add_points(&p, &w) && even_out_all(&p, kept);
    if (ok) take_points(j, &w, v);
    free_points(&w);
    tfp_vec_free(&p.list);
    return ok;
}

/* ---- anchors ---- */

/* The number of a thread on its rank: the thread of the steps is the first. */
static bool add_anchors(peers *p, tfp_variant *v)
{
    const tfp_job *j = p->j;
    tfp_groups numbers = { .row_size = sizeof(uint32_t) };
    uint64_t thread = 0, threads = 0;
    bool ok = true;
    for (uint32_t i = 0; ok && i < j->anchors.count; i++) {
        const tfp_job_anchor *a = &j->anchors.list[i];
        if (!i || a->unit != a[-1].unit) threads = 0;
        if (a->first) thread = a->lane == j->units[a->unit].step_lane ? 0 : ++threads;
        if (j->hosted.gap_count && !thread) continue; /* the step thread is compared by its points instead */
        uint64_t key[3] = { 2, thread, a->step };
        peer one = { .key = tfp_hash(key, sizeof key), .unit = a->unit, .value = &v->own[i], .other = &v->handoff[i] };
        ok = add(p, &numbers, one);
    }
    tfp_groups_free(&numbers);
    return ok;
}

bool tfp_apply_ideal(tfp_changer *c, int64_t kept_rank)
{
    const tfp_job *j = c->j;
    peers p = { .j = j, .ranks = j->unit_count };
    bool ok = add_activities(&p, c->v) && add_anchors(&p, c->v) && even_out_all(&p, kept_rank);
    if (j->hosted.gap_count) ok = ok && even_out_points(j, kept_rank, c->v);
    for (uint32_t i = 0; ok && i < j->anchors.count; i++)
        if (c->v->own[i] != j->anchors.list[i].own || c->v->handoff[i] != j->anchors.list[i].handoff)
            c->v->touched[i] = j->anchors.list[i].own + j->anchors.list[i].handoff;
    tfp_vec_free(&p.list);
    return ok;
}
