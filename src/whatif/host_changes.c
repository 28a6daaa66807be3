// SPDX-License-Identifier: Apache-2.0
/* whatif/host_changes.c: changes of the time of host threads: faster spans, cheaper launches, no wait for input. */
#include "model/tables/spans.h"
#include "query/order.h"
#include "whatif/change.h"
#include "whatif/gains.h"

#include <math.h>

static void touch(tfp_variant *v, const tfp_job *j, uint32_t i, double length)
{
    double all = j->anchors.list[i].own + j->anchors.list[i].handoff;
    v->touched[i] = v->touched[i] + length < all ? v->touched[i] + length : all;
}

/* ---- time inside of spans ---- */

typedef struct piece {
    uint32_t unit, lane;
    double start, end, before; /* before: the length of all pieces before it */
} piece;

typedef struct cover {
    TFP_VEC(piece) pieces; /* disjoint, sorted by unit, thread and time */
} cover;

static bool piece_before(const void *ctx, uint32_t a, uint32_t b)
{
    const piece *p = ctx;
    if (p[a].unit != p[b].unit) return p[a].unit < p[b].unit;
    if (p[a].lane != p[b].lane) return p[a].lane < p[b].lane;
    return p[a].start < p[b].start;
}

static bool merge(cover *o)
{
    size_t count = o->pieces.size, kept = 0;
    uint32_t *order = malloc((count + 1) * sizeof *order);
    piece *sorted = malloc((count + 1) * sizeof *sorted);
    bool ok = order && sorted;
    for (uint32_t i = 0; ok && i < count; i++) order[i] = i;
    ok = ok && tfp_sort(order, count, piece_before, o->pieces.at);
    for (size_t i = 0; ok && i < count; i++) {
        piece p = o->pieces.at[order[i]], *last = kept ? &sorted[kept - 1] : NULL;
        if (last && last->unit == p.unit && last->lane == p.lane && p.start <= last->end) {
            if (p.end > last->end) last->end = p.end;
            continue;
        }
        p.before = last ? last->before + last->end - last->start : 0;
        sorted[kept++] = p;
    }
    if (ok && kept) memcpy(o->pieces.at, sorted, kept * sizeof *sorted);
    o->pieces.size = ok ? kept : 0;
    free(order);
    free(sorted);
    return ok;
}

/* The length of all pieces up to a time of a thread. */
static double length_to(const cover *o, uint32_t unit, uint32_t lane, double at)
{
    piece two[2] = { [1] = { .unit = unit, .lane = lane, .start = at } };
    size_t i;
    TFP_LOWER_BOUND(i, 0, o->pieces.size, (two[0] = o->pieces.at[i], piece_before(two, 0, 1)));
    if (!i) return 0;
    const piece *p = &o->pieces.at[i - 1];
    double end = p->unit != unit || p->lane != lane || p->end < at ? p->end : at;
    return p->before + end - p->start;
}

static bool add_spans(cover *o, tfp_changer *c, tfp_faster *f)
{
    const tfp_job *j = c->j;
    for (uint32_t i = 0; i < j->s->size; i++) {
        uint32_t unit = tfp_job_is_host(j, i) ? tfp_job_unit_of(j, i) : TFP_NONE;
        if (unit == TFP_NONE || !tfp_job_of_rank(j, unit, f->rank) || !tfp_named_has(&f->named, i)) continue;
        c->found = true;
        piece p = { unit, j->s->lane[i], tfp_job_time(j, unit, j->s->start_ns[i]),
                    tfp_job_time(j, unit, tfp_span_end(j->s, i)), 0 };
        if (!tfp_push(&o->pieces, p)) return false;
    }
    for (uint32_t i = 0; i < j->anchors.turn_count; i++) { /* what another thread does meanwhile is inside too */
        const tfp_job_handoff *t = &j->anchors.handoffs[i];
        if (!tfp_job_of_rank(j, t->unit, f->rank) || !tfp_named_inside(&f->named, t->around)) continue;
        if (!tfp_push(&o->pieces, ((piece){ t->unit, t->lane, t->first, t->last, 0 }))) return false;
    }
    return true;
}

/* Whether an anchor is in a call that loads the code of its kernel, which it does once, however it is launched. */
static bool loads(const tfp_job *j, const tfp_job_anchor *a)
{
    return a->call != TFP_NONE && j->s->marks[j->anchors.list[a->call].span] & TFP_MARK_LOADS;
}

/* Shortens the time before an anchor, or the time since the anchor of another thread that it waits for; the time counts in
 * the thread that spends it. */
static void shorten(tfp_changer *c, const cover *o, uint32_t i, double factor)
{
    const tfp_job *j = c->j;
    const tfp_job_anchor *a = &j->anchors.list[i];
    bool turned = a->handoff_from != TFP_NONE;
    if (a->first || a->waits || loads(j, a)) return;
    uint32_t lane = turned ? j->units[a->unit].step_lane : a->lane;
    double from = turned ? j->anchors.list[a->handoff_from].at : a[-1].at, all = a->at - from;
    if (!(all > 0)) return;
    double inside = length_to(o, a->unit, lane, a->at) - length_to(o, a->unit, lane, from);
    double left = factor == 0 ? 0 : 1 / factor, times = 1 - inside / all * (1 - left);
    if (turned)
        c->v->handoff[i] *= times;
    else
        c->v->own[i] *= times;
    touch(c->v, j, i, inside);
}

bool tfp_apply_host(tfp_changer *c, tfp_faster *f)
{
    cover o = { 0 };
    bool ok = add_spans(&o, c, f) && merge(&o);
    for (uint32_t i = 0; ok && o.pieces.size && i < c->j->anchors.count; i++) shorten(c, &o, i, f->factor);
    tfp_vec_free(&o.pieces);
    return ok;
}

static bool add_remedied(cover *o, tfp_changer *c, const tfp_remedy *remedy)
{
    const tfp_job *j = c->j;
    for (uint32_t i = 0; i < j->s->size; i++) {
        uint32_t unit = tfp_job_is_host(j, i) ? tfp_job_unit_of(j, i) : TFP_NONE;
        if (unit == TFP_NONE || !remedy->has(remedy->ctx, i, j->waits[i])) continue;
        piece p = { unit, j->s->lane[i], tfp_job_time(j, unit, j->s->start_ns[i]),
                    tfp_job_time(j, unit, tfp_span_end(j->s, i)), 0 };
        if (!tfp_push(&o->pieces, p)) return false;
    }
    return true;
}

/* Whether the end of a call is in one of the pieces. */
static bool ends_within(const tfp_job *j, const cover *o, uint32_t i)
{
    const tfp_job_anchor *a = &j->anchors.list[i];
    if (!a->ends || a->kind != TFP_ANCHOR_CALL) return false;
    double start = j->anchors.list[j->anchors.of_call[a->span]].at;
    return a->at > start && length_to(o, a->unit, a->lane, a->at) > length_to(o, a->unit, a->lane, start);
}

bool tfp_apply_remedy_host(tfp_changer *c, const tfp_remedy *remedy)
{
    const tfp_job *j = c->j;
    cover o = { 0 };
    for (uint32_t i = 0; !remedy->has && i < j->anchors.count; i++) {
        c->v->own[i] = c->v->handoff[i] = 0;
        touch(c->v, j, i, INFINITY);
    }
    bool ok = !remedy->has || (add_remedied(&o, c, remedy) && merge(&o));
    for (uint32_t i = 0; ok && o.pieces.size && i < j->anchors.count; i++) {
        shorten(c, &o, i, 0);
        if (!ends_within(j, &o, i)) continue;
        c->v->unsynced[i] = true;
        if (j->anchors.list[i].waits) c->v->own[i] = 0;
    }
    tfp_vec_free(&o.pieces);
    return ok;
}

/* ---- launches and input ---- */

/* Scales calls, or waits for data, that take longer than a limit down to it. `place`: the start of the span around an
 * anchor. */
static void limit(tfp_changer *c, double most, bool data)
{
    const tfp_job *j = c->j;
    for (uint32_t i = 0; i < j->anchors.count; i++) c->anchor_sums[i] = 0;
    for (uint32_t i = 0; i < j->anchors.count; i++) {
        uint32_t place = data ? j->anchors.list[i].data : j->anchors.list[i].call;
        if (place != TFP_NONE) c->anchor_sums[place] += c->v->own[i];
    }
    for (uint32_t i = 0; i < j->anchors.count; i++) {
        uint32_t place = data ? j->anchors.list[i].data : j->anchors.list[i].call;
        if (place == TFP_NONE || !(c->anchor_sums[place] > most)) continue;
        if (!data && (!j->anchors.list[place].launches || loads(j, &j->anchors.list[i]))) continue;
        c->v->own[i] *= most / c->anchor_sums[place];
        touch(c->v, j, i, j->anchors.list[i].own);
    }
}

/* A wait for data whose own work is less, because workers decided when it ended, takes the limit, too. */
static void fill_waits(tfp_changer *c, double most)
{
    const tfp_job *j = c->j;
    for (uint32_t i = 0; i < j->anchors.count; i++) {
        const tfp_job_anchor *a = &j->anchors.list[i];
        uint32_t start = a->ends && a->kind == TFP_ANCHOR_DATA ? j->anchors.of_call[a->span] : TFP_NONE;
        if (start == TFP_NONE || a->data != start) continue;
        double length = a->at - j->anchors.list[start].at, wanted = length < most ? length : most;
        if (wanted > c->anchor_sums[start]) c->v->own[i] += wanted - c->anchor_sums[start];
    }
}

/* On each thread in each step the first launch represents one graph with everything: the host time from its end to the end of the
 * last launch is removed. Waits for devices or data stay. */
static void make_graphs(tfp_changer *c)
{
    const tfp_job *j = c->j;
    uint32_t last = TFP_NONE;
    for (uint32_t i = 0; i < j->anchors.count; i++) {
        const tfp_job_anchor *a = &j->anchors.list[i];
        if (!a->launches || !a->ends) continue;
        bool same = last != TFP_NONE && j->anchors.list[last].lane == a->lane &&
                    j->anchors.list[last].unit == a->unit && j->anchors.list[last].step == a->step;
        for (uint32_t k = last + 1; same && k <= i; k++) {
            const tfp_job_anchor *between = &j->anchors.list[k];
            if (between->waits || between->data != TFP_NONE || loads(j, between)) continue;
            c->v->own[k] = c->v->handoff[k] = 0;
            touch(c->v, j, k, INFINITY);
        }
        last = i;
    }
}

void tfp_apply_launch(tfp_changer *c, const tfp_change *launch)
{
    if (launch->graph)
        make_graphs(c);
    else
        limit(c, launch->number, false);
}

void tfp_apply_input(tfp_changer *c, double most_us)
{
    limit(c, most_us, true);
    fill_waits(c, most_us);
    c->v->at_once = true;
}
