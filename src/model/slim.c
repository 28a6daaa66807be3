// SPDX-License-Identifier: Apache-2.0
/* model/slim.c: slim rows, which stand for spans where only sums are needed. They are added with their nesting, as in
 * join/nest.c, or turned back into spans. */
#include "model/slim.h"

#include "model/build.h"
#include "model/event_builder.h"
#include "model/tables/events.h"
#include "model/span_names.h"
#include "model/tables/lanes.h"
#include "model/tables/processes.h"
#include "model/tables/profile.h"

#include <stdlib.h>

#define BLOCK_FIRST 64u  /* rows */
#define BLOCK_MOST 4096u /* a lane that ends leaves at most this many rows unused */

uint32_t tfp_build_slim_kind(tfp_builder *b, const tfp_slim_kind *k)
{
    if (b->status || !APPEND(b, events->slim->slim_kinds, *k)) return TFP_NONE;
    return (uint32_t)b->p->events->slim->slim_kinds.size - 1;
}

void tfp_slim_begin(tfp_slim_writer *f, tfp_builder *b, uint32_t lane, tfp_slim_nesting nesting)
{
    tfp_event_tables *t = b->p->events;
    f->b = b;
    f->slim = tfp_slim_of_lane(t, lane);
    f->start_ns = INT64_MIN;
    f->duration_ns = 0;
    f->holders.size = 0;
    if (b->status) return;
    if (f->slim != TFP_NONE) {
        f->lane = &t->slim->slims.at[f->slim];
        return;
    }
    tfp_slim_lane row = { .lane = lane, .nesting = nesting, .start_ns = INT64_MAX, .end_ns = INT64_MIN };
    f->slim = (uint32_t)t->slim->slims.size;
    if (!APPEND(b, events->slim->slims, row)) return;
    f->lane = &t->slim->slims.at[f->slim];
    check(b, tfp_map64_put(&t->slim->slim_by_lane, lane,
                           f->slim)); /* inserted last, so that it never refers beyond the table */
}

uint32_t tfp_slim_of_lane(const tfp_event_tables *t, uint32_t lane)
{
    return tfp_map64_get(&t->slim->slim_by_lane, lane);
}

/* ---- rows ---- */

static bool new_block(tfp_builder *b, tfp_slim_lane *x, int64_t base_ns)
{
    uint32_t capacity = x->last ? x->last->size * 2 : BLOCK_FIRST;
    capacity = capacity < BLOCK_FIRST ? BLOCK_FIRST : capacity > BLOCK_MOST ? BLOCK_MOST : capacity;
    size_t bytes = sizeof(tfp_slim_block) + capacity * sizeof(tfp_slim_row);
    tfp_slim_block *block = malloc(bytes);
    if (!block) return check(b, false);
    *block = (tfp_slim_block){ .base_ns = base_ns, .capacity = capacity };
    b->p->events->slim->slim_bytes += bytes;
    if (x->last)
        x->last->next = block;
    else
        x->first = block;
    x->last = block;
    return true;
}

static tfp_slim_row *new_row(tfp_builder *b, tfp_slim_lane *x, const tfp_slim_event *e)
{
    tfp_slim_block *block = x->last;
    if (!block || block->size == block->capacity || e->start_ns < block->base_ns ||
        e->start_ns - block->base_ns > UINT32_MAX) {
        if (!new_block(b, x, e->start_ns)) return NULL;
        block = x->last;
    }
    tfp_slim_row *row = &block->rows[block->size];
    *row = (tfp_slim_row){ (uint32_t)(e->start_ns - block->base_ns), TFP_SLIM_LONG, 0, e->kind };
    if (e->duration_ns < TFP_SLIM_LONG) {
        row->duration = (uint32_t)e->duration_ns;
        row->rest = x->nesting == TFP_SLIM_FLAT ? e->correlation : row->duration;
    } else {
        row->rest = (uint32_t)x->longs.size;
        tfp_slim_long l = { e->duration_ns, e->duration_ns, e->correlation };
        if (!check(b, x->longs.size < TFP_NONE - 1 && tfp_push(&x->longs, l))) return NULL;
    }
    block->size++;
    return row;
}

/* ---- nesting ---- */

static void take_off(const tfp_slim_lane *x, tfp_slim_row *row, int64_t duration_ns)
{
    if (row->duration == TFP_SLIM_LONG) {
        int64_t *self = &x->longs.at[row->rest].self_ns;
        *self = duration_ns < *self ? *self - duration_ns : 0;
    } else {
        row->rest = duration_ns < row->rest ? row->rest - (uint32_t)duration_ns : 0;
    }
}

static void nest(tfp_slim_writer *f, tfp_slim_lane *x, tfp_slim_row *row, const tfp_slim_event *e)
{
    unsigned kind = f->b->p->events->slim->slim_kinds.at[e->kind].kind;
    int64_t end_ns = e->start_ns + e->duration_ns;
    size_t holding = tfp_spans_holding(f->holders.at, f->holders.size, sizeof *f->holders.at, end_ns);
    const tfp_slim_holder *above = holding ? &f->holders.at[holding - 1] : NULL;
    tfp_slim_holder own = { end_ns, above ? above->op : NULL, above ? above->cpu_op : TFP_NONE, e->kind };
    if (kind == TFP_SPAN_CALL) {
        uint32_t owner = own.cpu_op == TFP_NONE ? e->kind : own.cpu_op;
        check(f->b, tfp_push(&x->calls, ((tfp_slim_call){ e->correlation, owner })));
    }
    if (kind == TFP_SPAN_OP) own.cpu_op = e->kind;
    if (kind == TFP_SPAN_OP || kind == TFP_SPAN_CALL || x->nesting == TFP_SLIM_DEVICE) {
        if (own.op) take_off(x, own.op, e->duration_ns);
        own.op = row;
    }
    while (f->holders.size && f->holders.at[f->holders.size - 1].end_ns <= end_ns) f->holders.size--;
    check(f->b, tfp_push(&f->holders, own));
}

bool tfp_slim_pass(tfp_slim_writer *f, int64_t start_ns, int64_t duration_ns)
{
    bool early = start_ns < f->start_ns || (start_ns == f->start_ns && duration_ns > f->duration_ns);
    if (early && f->lane->nesting != TFP_SLIM_FLAT) return false;
    f->start_ns = start_ns;
    f->duration_ns = duration_ns;
    return true;
}

bool tfp_slim_add(tfp_slim_writer *f, const tfp_slim_event *e)
{
    if (f->b->status) return true;
    if (!tfp_slim_pass(f, e->start_ns, e->duration_ns)) return false;
    tfp_slim_lane *x = f->lane;
    if (e->start_ns < x->start_ns) x->start_ns = e->start_ns;
    if (e->start_ns + e->duration_ns > x->end_ns) x->end_ns = e->start_ns + e->duration_ns;
    tfp_slim_row *row = new_row(f->b, x, e);
    if (row && x->nesting != TFP_SLIM_FLAT) nest(f, x, row, e);
    return true;
}

size_t tfp_slim_around(const tfp_slim_writer *f, int64_t end_ns, const tfp_slim_holder **out, size_t most)
{
    size_t holding = tfp_spans_holding(f->holders.at, f->holders.size, sizeof *f->holders.at, end_ns);
    size_t count = holding < most ? holding : most;
    for (size_t i = 0; i < count; i++) out[i] = &f->holders.at[holding - 1 - i];
    return count;
}

void tfp_slim_writer_free(tfp_slim_writer *f) { tfp_vec_free(&f->holders); }

/* ---- back to spans ---- */

void tfp_slim_widen(tfp_builder *b, uint32_t slim)
{
    tfp_event_tables *t = b->p->events;
    if (b->status) return;
    tfp_slim_lane *x = &t->slim->slims.at[slim];
    size_t calls = 0;
    for (const tfp_slim_block *block = x->first; block; block = block->next) {
        for (uint32_t i = 0; i < block->size; i++) {
            const tfp_slim_row *row = &block->rows[i];
            const tfp_slim_kind *k = &t->slim->slim_kinds.at[row->kind];
            bool call = k->kind == TFP_SPAN_CALL;
            tfp_event e = { .lane = x->lane,
                            .name = k->name,
                            .start_ns = tfp_slim_start_of(block, row),
                            .duration_ns = tfp_slim_duration(x, row),
                            .kind = (tfp_span_kind)k->kind,
                            .class = (tfp_span_class)k->class,
                            .marks = k->marks,
                            .stats = k->stats,
                            .correlation = call ? x->calls.at[calls].correlation : tfp_slim_correlation(x, row),
                            .path = k->path,
                            .op = k->op,
                            .trace = k->trace };
            calls += call;
            tfp_build_event(b, &e);
        }
    }
    tfp_slim_free_rows(t, x);
    x->wide = true;
}

bool tfp_slims_have_rows(const tfp_event_tables *t)
{
    for (size_t i = 0; i < t->slim->slims.size; i++)
        if (!t->slim->slims.at[i].wide) return true;
    return false;
}
