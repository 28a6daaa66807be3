// SPDX-License-Identifier: Apache-2.0
/* views/limits/memory.c: the memory of a call's result, and when it was freed, from the allocations that a trace
 * recorded (profile_memory=True). */
#include "model/tables/events.h"
#include "model/tables/lanes.h"
#include "model/tables/memory_events.h"
#include "model/tables/read.h"
#include "query/order.h"
#include "views/core/handle.h"
#include "views/limits/limits.h"

typedef struct tfp_blocks {
    const tfp_memory_event *at;
    const tfp_lane_list *lanes;
    uint32_t *by_lane;    /* allocations by lane and time, as indexes in `at` */
    uint32_t *by_address; /* frees by process, address and time */
    size_t lane_count, address_count;
} tfp_blocks;

static uint32_t process_of(const tfp_blocks *b, uint32_t event) { return b->lanes->at[b->at[event].lane].process; }

static bool address_before(const void *ctx, uint32_t a, uint32_t b)
{
    const tfp_blocks *t = ctx;
    const tfp_memory_event *x = &t->at[a], *y = &t->at[b];
    uint32_t p = process_of(t, a), q = process_of(t, b);
    if (p != q) return p < q;
    return x->address != y->address ? x->address < y->address : x->at_ns < y->at_ns;
}

bool tfp_limits_find_memory(tfp_limits *l)
{
    const tfp_event_tables *e = tfp_events_of(l->p);
    tfp_arena *arena = tfp_arena_of(l->r);
    size_t count = e->memory.size;
    if (!count) return true;
    tfp_blocks *b = TFP_NEW(arena, tfp_blocks, 1);
    if (!b) return false;
    *b = (tfp_blocks){ .at = e->memory.at,
                       .lanes = tfp_lanes_of(l->p),
                       .by_lane = TFP_NEW(arena, uint32_t, count),
                       .by_address = TFP_NEW(arena, uint32_t, count) };
    if (!b->by_lane || !b->by_address) return false;
    for (uint32_t i = 0; i < count; i++) {
        if (tfp_str_begins(tfp_text(l->p, b->at[i].device), TFP_STR("cpu"))) continue;
        if (b->at[i].bytes > 0) b->by_lane[b->lane_count++] = i;
        if (b->at[i].bytes < 0) b->by_address[b->address_count++] = i;
    }
    if (!b->lane_count) return true;
    l->memory = b;
    static const tfp_sort_key by_lane[] = { TFP_UP(tfp_memory_event, lane), TFP_UP(tfp_memory_event, at_ns), { 0 } };
    return tfp_order_items(b->by_lane, b->lane_count, by_lane, b->at, sizeof *b->at) &&
           tfp_sort(b->by_address, b->address_count, address_before, b);
}

/* How many allocations are on earlier lanes, or on this one up to a time. */
static size_t up_to(const tfp_blocks *b, uint32_t lane, int64_t at_ns)
{
    size_t i;
#define AT(i) b->at[b->by_lane[i]]
    TFP_LOWER_BOUND(i, 0, b->lane_count, AT(i).lane < lane || (AT(i).lane == lane && AT(i).at_ns <= at_ns));
#undef AT
    return i;
}

uint32_t tfp_limits_block(const tfp_limits *l, uint32_t op, int64_t bytes, bool before)
{
    enum { LOOKED_AT = 64 }; /* allocations before a copy */
    const tfp_blocks *b = l->memory;
    uint32_t lane = l->s->lane[op];
    int64_t start = l->s->start_ns[op], end = tfp_span_end(l->s, op);
    for (size_t i = up_to(b, lane, end), seen = 0; i-- > 0 && seen < LOOKED_AT;) {
        const tfp_memory_event *m = &b->at[b->by_lane[i]];
        if (m->lane != lane || (m->at_ns < start && !before)) break;
        if (m->at_ns < start) seen++;
        if (m->bytes >= bytes) return b->by_lane[i];
    }
    return TFP_NONE;
}

int64_t tfp_limits_allocated(const tfp_limits *l, uint32_t op, int64_t least)
{
    uint32_t block = tfp_limits_block(l, op, least, false);
    return block == TFP_NONE ? 0 : l->memory->at[block].bytes;
}

int64_t tfp_limits_freed(const tfp_limits *l, uint32_t block)
{
    const tfp_blocks *b = l->memory;
    size_t i; /* the first free that does not go before the allocation */
    TFP_LOWER_BOUND(i, 0, b->address_count, address_before(b, b->by_address[i], block));
    if (i == b->address_count) return INT64_MAX;
    const tfp_memory_event *m = &b->at[b->by_address[i]];
    bool same = m->address == b->at[block].address && process_of(b, b->by_address[i]) == process_of(b, block);
    return same ? m->at_ns : INT64_MAX;
}
