// SPDX-License-Identifier: Apache-2.0
/* model/tables/compact.c: finds compact lanes, counts their memory, and frees them. */
#include "model/tables/compact.h"

#include "model/tables/events.h"

#include <stdlib.h>

uint32_t tfp_compact_of_lane(const tfp_event_tables *t, uint32_t lane)
{
    return t->compact->lanes.size ? tfp_map64_get(&t->compact->by_lane, lane) : TFP_NONE;
}

tfp_compact_lane *tfp_compact_lane_of(const tfp_event_tables *t, uint32_t lane)
{
    uint32_t at = tfp_compact_of_lane(t, lane);
    return at == TFP_NONE ? NULL : &t->compact->lanes.at[at];
}

bool tfp_has_compact(const tfp_event_tables *t)
{
    for (size_t i = 0; i < t->compact->lanes.size; i++)
        if (!t->compact->lanes.at[i].expanded) return true;
    return false;
}

tfp_lane_rows tfp_lane_rows_of(const tfp_event_tables *t, const tfp_compact_lane *x)
{
    return (tfp_lane_rows){ .kinds = t->compact->kinds.at, .lane = x, .block = x ? x->first : NULL };
}

void tfp_compact_free_rows(tfp_event_tables *t, tfp_compact_lane *x)
{
    for (tfp_compact_block *b = x->first, *next; b; b = next) {
        next = b->next;
        t->compact->bytes -= sizeof *b + b->capacity * sizeof *b->rows;
        free(b);
    }
    x->first = x->last = NULL;
    tfp_vec_free(&x->longs);
    tfp_vec_free(&x->calls);
}

size_t tfp_compact_memory(const tfp_event_tables *t)
{
    const tfp_compact_tables *all = t->compact;
    size_t bytes =
        all->bytes + all->lanes.capacity * sizeof *all->lanes.at + all->kinds.capacity * sizeof *all->kinds.at;
    for (size_t i = 0; i < all->lanes.size; i++) {
        const tfp_compact_lane *x = &all->lanes.at[i];
        bytes += x->longs.capacity * sizeof *x->longs.at + x->calls.capacity * sizeof *x->calls.at;
    }
    return bytes;
}

void tfp_compact_free(tfp_event_tables *t)
{
    for (size_t i = 0; i < t->compact->lanes.size; i++) {
        tfp_compact_free_rows(t, &t->compact->lanes.at[i]);
        tfp_vec_free(&t->compact->lanes.at[i].sums);
        tfp_vec_free(&t->compact->lanes.at[i].ran);
    }
    tfp_vec_free(&t->compact->lanes);
    tfp_vec_free(&t->compact->kinds);
    tfp_map64_free(&t->compact->by_lane);
    free(t->compact->outer_ns);
}
