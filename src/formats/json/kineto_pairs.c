// SPDX-License-Identifier: Apache-2.0
/* formats/json/kineto_pairs.c: events that begin and end a span: B and E of a thread, b and e of an id. They are paired in
 * the order of the file, which is nearly always the order of time. Where an end is found before its begin, or times go
 * back, all are paired again in the order of time. */
#include "formats/json/kineto.h"
#include "model/tables/events.h"
#include "model/tables/profile.h"

#include <stdlib.h>

#define CROSSING 64 /* an end that crosses more ranges closes the innermost one */

static void remember(tfp_kineto_reader *r, bool async, const tfp_kineto_moment *moment)
{
    tfp_kineto_moment m = *moment;
    m.number = (uint32_t)r->pairs.all.size << 1 | async;
    tfp_build_keep(r->b, r->pairs.all.size < INT32_MAX && tfp_push(&r->pairs.all, m));
}

static int64_t start_of(const tfp_kineto_reader *r, uint32_t span)
{
    const tfp_span_columns *spans = &r->b->p->events->spans;
    return span < spans->size ? spans->start_ns[span] : INT64_MIN;
}

static void begin(tfp_kineto_reader *r, bool async, uint64_t key, uint32_t span)
{
    tfp_map64 *by = async ? &r->pairs.by_id : &r->pairs.by_lane;
    if (r->b->status) return;
    tfp_kineto_open o = { .span = span, .below = tfp_map64_get_any(by, key), .inner_end_ns = INT64_MIN };
    if (o.below != TFP_NONE && start_of(r, span) < start_of(r, r->pairs.open.at[o.below].span))
        r->pairs.disordered = true;
    tfp_build_keep(r->b, tfp_push(&r->pairs.open, o) && tfp_map64_put_any(by, key, (uint32_t)r->pairs.open.size - 1));
}

/* The range that an end closes: the innermost open one with its name, otherwise the innermost one. *inner: the one in
 * it that stays open; TFP_NONE: there is none. */
static uint32_t closes(const tfp_kineto_reader *r, uint32_t top, tfp_strid name, uint32_t *inner)
{
    const tfp_span_columns *spans = &r->b->p->events->spans;
    uint32_t before = TFP_NONE, at = top;
    *inner = TFP_NONE;
    for (int n = 0; name && at != TFP_NONE && n < CROSSING; n++, before = at, at = r->pairs.open.at[at].below) {
        uint32_t span = r->pairs.open.at[at].span;
        if (span >= spans->size || spans->name[span] != name) continue;
        *inner = before;
        return at;
    }
    return top;
}

static void end(tfp_kineto_reader *r, bool async, const tfp_kineto_moment *m)
{
    tfp_map64 *by = async ? &r->pairs.by_id : &r->pairs.by_lane;
    int64_t end_ns = m->at_ns;
    uint32_t inner, at = closes(r, tfp_map64_get_any(by, m->key), m->name, &inner);
    if (r->b->status) return;
    if (at == TFP_NONE) {
        r->pairs.alone++;
        r->pairs.disordered = true;
        return;
    }
    tfp_kineto_open *o = &r->pairs.open.at[at];
    tfp_span_columns *spans = &r->b->p->events->spans;
    if (o->span < spans->size) {
        int64_t start = spans->start_ns[o->span];
        spans->duration_ns[o->span] = end_ns > start ? end_ns - start : 0;
        r->pairs.negative += end_ns < start;
        r->pairs.disordered |= end_ns < start || end_ns < o->inner_end_ns;
        spans->marks[o->span] &= (uint8_t)~TFP_MARK_CLAMPED;
        o->span = TFP_NONE;
    }
    if (o->below != TFP_NONE) {
        tfp_kineto_open *around = &r->pairs.open.at[o->below];
        if (around->inner_end_ns < end_ns) around->inner_end_ns = end_ns;
    }
    if (inner != TFP_NONE)
        r->pairs.open.at[inner].below = o->below;
    else
        tfp_build_keep(r->b, tfp_map64_put_any(by, m->key, o->below));
}

void tfp_kineto_begin(tfp_kineto_reader *r, bool async, uint64_t key, uint32_t span)
{
    if (span == TFP_NONE) return;
    remember(r, async, &(tfp_kineto_moment){ .key = key, .at_ns = start_of(r, span), .span = span });
    begin(r, async, key, span);
}

void tfp_kineto_end_of(tfp_kineto_reader *r, bool async, uint64_t key, int64_t end_ns, tfp_strid name)
{
    tfp_kineto_moment m = { .key = key, .at_ns = end_ns, .span = TFP_NONE, .name = name };
    remember(r, async, &m);
    end(r, async, &m);
}

/* At one time spans end before others begin; otherwise the order of the file holds. */
static int by_time(const void *a, const void *b)
{
    const tfp_kineto_moment *x = a, *y = b;
    if ((x->number & 1) != (y->number & 1)) return (x->number & 1) ? 1 : -1;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    if (x->at_ns != y->at_ns) return x->at_ns < y->at_ns ? -1 : 1;
    if ((x->span == TFP_NONE) != (y->span == TFP_NONE)) return x->span == TFP_NONE ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static int by_key(const void *a, const void *b)
{
    const tfp_kineto_moment *x = a, *y = b;
    if ((x->number & 1) != (y->number & 1)) return (x->number & 1) ? 1 : -1;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* The events of one thread or id; in the order of time unless they are in it. */
static void pair_group(tfp_kineto_reader *r, tfp_kineto_moment *at, size_t count)
{
    tfp_span_columns *spans = &r->b->p->events->spans;
    bool ordered = true;
    for (size_t i = 1; i < count; i++) ordered &= at[i - 1].at_ns <= at[i].at_ns;
    if (!ordered) qsort(at, count, sizeof *at, by_time);
    for (size_t i = 0; i < count; i++) {
        if (at[i].span < spans->size) spans->marks[at[i].span] |= TFP_MARK_CLAMPED;
        if (at[i].span < spans->size) spans->duration_ns[at[i].span] = 0;
    }
    for (size_t i = 0; i < count; i++) {
        if (at[i].span != TFP_NONE)
            begin(r, at[i].number & 1, at[i].key, at[i].span);
        else
            end(r, at[i].number & 1, &at[i]);
    }
}

static void pair_again(tfp_kineto_reader *r)
{
    tfp_kineto_pairs *p = &r->pairs;
    p->open.size = 0;
    p->alone = p->negative = 0;
    tfp_map64_free(&p->by_lane);
    tfp_map64_free(&p->by_id);
    p->by_lane = p->by_id = (tfp_map64){ 0 };
    qsort(p->all.at, p->all.size, sizeof *p->all.at, by_key);
    for (size_t first = 0, i = 1; i <= p->all.size; i++) {
        bool same = i < p->all.size && p->all.at[i].key == p->all.at[first].key &&
                    (p->all.at[i].number & 1) == (p->all.at[first].number & 1);
        if (same) continue;
        pair_group(r, p->all.at + first, i - first);
        first = i;
    }
}

int64_t tfp_kineto_pairs_end(tfp_kineto_reader *r)
{
    int64_t open = 0;
    if (r->pairs.disordered && r->pairs.all.size && !r->b->status) pair_again(r);
    for (size_t i = 0; i < r->pairs.open.size; i++) open += r->pairs.open.at[i].span != TFP_NONE;
    return open;
}

void tfp_kineto_pairs_free(tfp_kineto_pairs *p)
{
    tfp_vec_free(&p->open);
    tfp_vec_free(&p->all);
    tfp_map64_free(&p->by_lane);
    tfp_map64_free(&p->by_id);
}
