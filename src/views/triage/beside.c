// SPDX-License-Identifier: Apache-2.0
/* views/triage/beside.c: what runs on other streams of the device meanwhile, and the neighbours on the stream. One sweep over the starts
 * and ends of a device's activities integrates how long at least one, or a second, stream was at work. */
#include "model/tables/lanes.h"
#include "model/tables/spans.h"
#include "model/tables/read.h"
#include "query/order.h"
#include "views/triage/triage.h"

#include <stdlib.h>

enum { NEAR_NS = 5000 }; /* neighbours are at most so far away */

typedef struct streams { /* how many streams are at work; how long so far (ns) a second one was */
    uint32_t any, compute;
    int64_t second, one_compute, second_compute;
} streams;

typedef struct neighbour {
    uint32_t row;
    bool next;
    tfp_str name;
    int64_t count;
} neighbour;

typedef struct sweep {
    tfp_triage *t;
    const tfp_trace_device *d;
    uint32_t *order; /* starts and ends by time: item, or d->count + item */
    int64_t *at_ns;
    streams *from;           /* for each item: at its start */
    uint32_t *any, *compute; /* for each lane: its activities at work */
    uint32_t *last;          /* for each lane: the last activity so far; TFP_NONE */
    tfp_groups neighbours;
} sweep;

static uint32_t span_at(const sweep *w, size_t item) { return w->t->x->items[w->d->first + item]; }

static bool takes(const sweep *w, uint32_t span)
{
    return tfp_lanes_of(w->t->x->p)->at[w->t->x->s->lane[span]].role != TFP_ROLE_ASYNC;
}

static void change(streams *now, sweep *w, uint32_t span, bool starts)
{
    uint32_t lane = w->t->x->s->lane[span];
    bool compute = w->t->x->s->class[span] == TFP_CLASS_COMPUTE;
    if (starts) {
        now->any += w->any[lane]++ == 0;
        now->compute += compute && w->compute[lane]++ == 0;
    } else {
        now->any -= --w->any[lane] == 0;
        now->compute -= compute && --w->compute[lane] == 0;
    }
}

/* An activity's own stream is at work all the time; where it does not compute, another one computes when one does. */
static void give(sweep *w, size_t item, const streams *now)
{
    uint32_t span = span_at(w, item), row = w->t->row_of[span];
    const streams *from = &w->from[item];
    if (row == TFP_NONE) return;
    tfp_beside *b = &w->t->rows[row].beside;
    int64_t beside = now->second - from->second;
    bool computes = w->t->x->s->class[span] == TFP_CLASS_COMPUTE;
    int64_t compute = computes ? now->second_compute - from->second_compute : now->one_compute - from->one_compute;
    b->beside_ns = tfp_add(b->beside_ns, beside, NULL);
    b->beside_compute_ns = tfp_add(b->beside_compute_ns, compute < beside ? compute : beside, NULL);
    b->alone_ns = tfp_add(b->alone_ns, w->t->x->s->duration_ns[span] - beside, NULL);
}

static bool add_neighbour(sweep *w, uint32_t span, uint32_t other, bool next)
{
    uint32_t row = w->t->row_of[span];
    if (row == TFP_NONE) return true;
    tfp_strid name = w->t->x->s->name[other];
    neighbour *n = TFP_GROUP(&w->neighbours, row, next, name);
    if (!n) return false;
    if (w->neighbours.added) *n = (neighbour){ row, next, tfp_text(w->t->x->p, name), 0 };
    n->count++;
    return true;
}

static bool meet(sweep *w, uint32_t span)
{
    const tfp_span_columns *s = w->t->x->s;
    uint32_t *last = &w->last[s->lane[span]], before = *last;
    *last = span;
    if (before == TFP_NONE || tfp_add(s->start_ns[span], -tfp_span_end(s, before), NULL) > NEAR_NS) return true;
    return add_neighbour(w, span, before, false) && add_neighbour(w, before, span, true);
}

static bool sweep_device(sweep *w)
{
    const tfp_span_columns *s = w->t->x->s;
    streams now = { 0 };
    size_t n = w->d->count, lanes = 0;
    for (uint32_t i = 0; i < n; i++) {
        w->order[i] = i, w->order[n + i] = (uint32_t)n + i;
        w->at_ns[i] = s->start_ns[span_at(w, i)];
        w->at_ns[n + i] = tfp_span_end(s, span_at(w, i));
    }
    if (!tfp_order_items(w->order, 2 * n, (tfp_sort_key[]){ TFP_UP_IN(w->at_ns), { 0 } }, NULL, 0)) return false;
    int64_t until = n ? w->at_ns[w->order[0]] : 0;
    for (size_t i = 0; i < 2 * n; i++) {
        bool starts = w->order[i] < n;
        size_t item = starts ? w->order[i] : w->order[i] - n;
        uint32_t span = span_at(w, item);
        int64_t at = w->at_ns[w->order[i]], passed = tfp_add(at, -until, NULL);
        if (!takes(w, span)) continue;
        if (now.any > 1) now.second += passed;
        if (now.compute > 0) now.one_compute += passed;
        if (now.compute > 1) now.second_compute += passed;
        until = at;
        if (starts) {
            w->from[item] = now;
            lanes += w->last[s->lane[span]] == TFP_NONE;
            if (!meet(w, span)) return false;
        } else {
            give(w, item, &now);
        }
        change(&now, w, span, starts);
    }
    if (lanes > 1) w->t->one_stream = false;
    return true;
}

static bool start(sweep *w, const tfp_trace_device *d)
{
    size_t lanes = tfp_lanes_of(w->t->x->p)->size, n = d->count;
    w->d = d;
    free(w->order);
    free(w->at_ns);
    free(w->from);
    w->order = malloc((2 * n + 1) * sizeof *w->order);
    w->at_ns = malloc((2 * n + 1) * sizeof *w->at_ns);
    w->from = malloc((n + 1) * sizeof *w->from);
    memset(w->any, 0, lanes * sizeof *w->any);
    memset(w->compute, 0, lanes * sizeof *w->compute);
    memset(w->last, 0xff, lanes * sizeof *w->last); /* TFP_NONE */
    return w->order && w->at_ns && w->from && 2 * n < TFP_NONE;
}

static const tfp_sort_key most_first[] = {
    TFP_UP(neighbour, row), TFP_UP(neighbour, next), TFP_DOWN(neighbour, count), TFP_UP(neighbour, name), { 0 }
};

static bool name_neighbours(sweep *w)
{
    const neighbour *n = w->neighbours.rows;
    if (!tfp_order_rows(w->neighbours.rows, sizeof *n, w->neighbours.count, most_first)) return false;
    for (size_t i = 0; i < w->neighbours.count; i++) {
        tfp_beside *b = &w->t->rows[n[i].row].beside;
        tfp_str *to = n[i].next ? &b->next : &b->previous;
        if (!to->data) *to = n[i].name;
    }
    return true;
}

static void judge(tfp_triage *t)
{
    for (size_t i = 0; i < t->count; i++) {
        tfp_beside *b = &t->rows[i].beside;
        double all = (double)b->alone_ns + (double)b->beside_ns;
        if (!(all > 0)) continue;
        b->verdict = tfp_str_of((double)b->beside_ns >= .8 * all  ? "hidden"
                                : (double)b->alone_ns >= .8 * all ? "exposed"
                                                                  : "partly");
    }
}

bool tfp_triage_beside(tfp_triage *t)
{
    size_t lanes = tfp_lanes_of(t->x->p)->size;
    sweep w = { .t = t,
                .any = malloc((lanes + 1) * sizeof *w.any),
                .compute = malloc((lanes + 1) * sizeof *w.compute),
                .last = malloc((lanes + 1) * sizeof *w.last),
                .neighbours.row_size = sizeof(neighbour) };
    bool ok = w.any && w.compute && w.last;
    t->one_stream = true;
    for (size_t i = 0; i < t->x->device_count && ok; i++)
        if (!t->x->devices[i].host) ok = start(&w, &t->x->devices[i]) && sweep_device(&w);
    ok = ok && name_neighbours(&w);
    if (ok) judge(t);
    free(w.order);
    free(w.at_ns);
    free(w.from);
    free(w.any);
    free(w.compute);
    free(w.last);
    tfp_groups_free(&w.neighbours);
    return ok;
}
