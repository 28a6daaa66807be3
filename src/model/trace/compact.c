// SPDX-License-Identifier: Apache-2.0
/* model/trace/compact.c: compact rows, which stand for spans where only sums are needed. They are added with their nesting, as in
 * join/nest.c, or turned back into spans. */
#include "model/trace/compact.h"

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

uint32_t tfp_build_compact_kind(tfp_builder *b, const tfp_compact_kind *k)
{
    if (b->status || !APPEND(b, events->compact->kinds, *k)) return TFP_NONE;
    return (uint32_t)b->p->events->compact->kinds.size - 1;
}

bool tfp_compact_begin(tfp_compact_writer *f, tfp_builder *b, uint32_t lane, tfp_nesting nesting, bool is_new)
{
    tfp_compact_tables *all = b->p->events->compact;
    tfp_compact_lane *known = tfp_compact_lane_of(b->p->events, lane);
    bool goes_on = known && !known->expanded && known->nesting == TFP_NESTING_FLAT && nesting == TFP_NESTING_FLAT;
    if (!is_new && !goes_on) {
        if (known) tfp_compact_expand(b, (uint32_t)(known - all->lanes.at));
        return false;
    }
    *f = (tfp_compact_writer){ .b = b, .lane = known, .start_ns = INT64_MIN, .holders = f->holders };
    f->at = known ? (uint32_t)(known - all->lanes.at) : (uint32_t)all->lanes.size;
    f->holders.size = 0;
    if (b->status || known) return true;
    tfp_compact_lane row = { .lane = lane, .nesting = nesting, .start_ns = INT64_MAX, .end_ns = INT64_MIN };
    if (!APPEND(b, events->compact->lanes, row)) return true;
    f->lane = &all->lanes.at[f->at];
    check(b, tfp_map64_put(&all->by_lane, lane, f->at)); /* inserted last, so that it never refers beyond the table */
    return true;
}

/* ---- rows ---- */

static bool new_block(tfp_builder *b, tfp_compact_lane *x, int64_t base_ns)
{
    uint32_t capacity = x->last ? x->last->size * 2 : BLOCK_FIRST;
    capacity = capacity < BLOCK_FIRST ? BLOCK_FIRST : capacity > BLOCK_MOST ? BLOCK_MOST : capacity;
    size_t bytes = sizeof(tfp_compact_block) + capacity * sizeof(tfp_compact_row);
    tfp_compact_block *block = malloc(bytes);
    if (!block) return check(b, false);
    *block = (tfp_compact_block){ .base_ns = base_ns, .capacity = capacity };
    b->p->events->compact->bytes += bytes;
    if (x->last)
        x->last->next = block;
    else
        x->first = block;
    x->last = block;
    return true;
}

static tfp_compact_row *new_row(tfp_builder *b, tfp_compact_lane *x, const tfp_compact_event *e)
{
    tfp_compact_block *block = x->last;
    if (!block || block->size == block->capacity || e->start_ns < block->base_ns ||
        e->start_ns - block->base_ns > UINT32_MAX) {
        if (!new_block(b, x, e->start_ns)) return NULL;
        block = x->last;
    }
    tfp_compact_row *row = &block->rows[block->size];
    *row = (tfp_compact_row){ (uint32_t)(e->start_ns - block->base_ns), TFP_COMPACT_LONG, 0, e->kind };
    if (e->duration_ns < TFP_COMPACT_LONG) {
        row->duration = (uint32_t)e->duration_ns;
        row->rest = x->nesting == TFP_NESTING_FLAT ? e->correlation : row->duration;
    } else {
        row->rest = (uint32_t)x->longs.size;
        tfp_compact_long l = { e->duration_ns, e->duration_ns, e->correlation };
        if (!check(b, x->longs.size < TFP_NONE - 1 && tfp_push(&x->longs, l))) return NULL;
    }
    block->size++;
    return row;
}

/* ---- nesting ---- */

static void take_off(const tfp_compact_lane *x, tfp_compact_row *row, int64_t duration_ns)
{
    if (row->duration == TFP_COMPACT_LONG) {
        int64_t *self = &x->longs.at[row->rest].self_ns;
        *self = duration_ns < *self ? *self - duration_ns : 0;
    } else {
        row->rest = duration_ns < row->rest ? row->rest - (uint32_t)duration_ns : 0;
    }
}

static void nest(tfp_compact_writer *f, tfp_compact_lane *x, tfp_compact_row *row, const tfp_compact_event *e)
{
    unsigned kind = f->b->p->events->compact->kinds.at[e->kind].kind;
    int64_t end_ns = e->start_ns + e->duration_ns;
    size_t holding = tfp_spans_holding(f->holders.at, f->holders.size, sizeof *f->holders.at, end_ns);
    const tfp_compact_holder *above = holding ? &f->holders.at[holding - 1] : NULL;
    tfp_compact_holder own = { end_ns, above ? above->op : NULL, above ? above->cpu_op : TFP_NONE, e->kind };
    if (kind == TFP_SPAN_CALL) {
        uint32_t owner = own.cpu_op == TFP_NONE ? e->kind : own.cpu_op;
        check(f->b, tfp_push(&x->calls, ((tfp_compact_call){ e->correlation, owner })));
    }
    if (kind == TFP_SPAN_OP) own.cpu_op = e->kind;
    if (kind == TFP_SPAN_OP || kind == TFP_SPAN_CALL || x->nesting == TFP_NESTING_DEVICE) {
        if (own.op) take_off(x, own.op, e->duration_ns);
        own.op = row;
    }
    while (f->holders.size && f->holders.at[f->holders.size - 1].end_ns <= end_ns) f->holders.size--;
    check(f->b, tfp_push(&f->holders, own));
}

bool tfp_compact_beside(tfp_compact_writer *f, int64_t start_ns, int64_t duration_ns)
{
    bool early = start_ns < f->start_ns || (start_ns == f->start_ns && duration_ns > f->duration_ns);
    if (early && f->lane->nesting != TFP_NESTING_FLAT) return false;
    f->start_ns = start_ns;
    f->duration_ns = duration_ns;
    return true;
}

bool tfp_compact_add(tfp_compact_writer *f, const tfp_compact_event *e)
{
    if (f->b->status) return true;
    if (!tfp_compact_beside(f, e->start_ns, e->duration_ns)) return false;
    tfp_compact_lane *x = f->lane;
    if (e->start_ns < x->start_ns) x->start_ns = e->start_ns;
    if (e->start_ns + e->duration_ns > x->end_ns) x->end_ns = e->start_ns + e->duration_ns;
    tfp_compact_row *row = new_row(f->b, x, e);
    if (row && x->nesting != TFP_NESTING_FLAT) nest(f, x, row, e);
    return true;
}

size_t tfp_compact_around(const tfp_compact_writer *f, int64_t end_ns, const tfp_compact_holder **out, size_t most)
{
    size_t holding = tfp_spans_holding(f->holders.at, f->holders.size, sizeof *f->holders.at, end_ns);
    size_t count = holding < most ? holding : most;
    for (size_t i = 0; i < count; i++) out[i] = &f->holders.at[holding - 1 - i];
    return count;
}

void tfp_compact_writer_free(tfp_compact_writer *f) { tfp_vec_free(&f->holders); }

/* ---- back to spans ---- */

void tfp_compact_expand(tfp_builder *b, uint32_t at)
{
    tfp_event_tables *t = b->p->events;
    if (b->status) return;
    tfp_compact_lane *x = &t->compact->lanes.at[at];
    for (tfp_lane_rows r = tfp_lane_rows_of(t, x); tfp_lane_rows_next(&r);) {
        tfp_event e = { .lane = x->lane,
                        .name = r.kind->name,
                        .start_ns = r.start_ns,
                        .duration_ns = r.duration_ns,
                        .kind = (tfp_span_kind)r.kind->kind,
                        .class = (tfp_span_class)r.kind->class,
                        .marks = r.kind->marks,
                        .stats = r.kind->stats,
                        .correlation = r.correlation,
                        .path = r.kind->path,
                        .op = r.kind->op,
                        .trace = r.kind->trace };
        tfp_build_event(b, &e);
    }
    tfp_compact_free_rows(t, x);
    x->expanded = true;
}

void tfp_compact_expand_process(tfp_builder *b, uint32_t process)
{
    const tfp_compact_tables *all = b->p->events->compact;
    for (uint32_t i = 0; i < all->lanes.size; i++)
        if (process == TFP_NONE || b->p->lanes->at[all->lanes.at[i].lane].process == process) tfp_compact_expand(b, i);
}
