// SPDX-License-Identifier: Apache-2.0
/* formats/json/kineto_parts.c: parts of a file that may be traces of several ranks: arrays of events, places at which the
 * names of processes come again, and ranks that args tell. Their lanes are told apart until it is known. */
#include "formats/json/kineto.h"
#include "model/event_builder.h"
#include "model/tables/events.h"
#include "model/tables/lanes.h"
#include "model/tables/profile.h"

#include <stdlib.h>

#define MOVED (UINT32_C(1) << 31)
#define WITHIN 20 /* one of so many numbers may come again within a part */

/* ---- numbers ---- */

typedef struct counter {
    uint32_t *place_of; /* for each lane of the profile */
    tfp_map64 seen;     /* kind and number -> place plus 1 */
    size_t numbers, across, within;
} counter;

static bool list_places(const tfp_kineto_reader *r, counter *c)
{
    c->place_of = calloc(r->b->p->lanes->size + 1, sizeof *c->place_of);
    for (size_t i = 0; c->place_of && i < r->lanes.list.size; i++)
        if (r->lanes.of.at[i] != TFP_NONE)
            c->place_of[r->lanes.of.at[i]] = tfp_kineto_place_of(r->lanes.list.at[i].part);
    return c->place_of != NULL;
}

/* Counts a number of a launch or an operator, with its name, because some calls contain others with the same number. */
static bool count(counter *c, uint32_t number, uint32_t name, uint32_t place)
{
    const uint32_t key[2] = { number, name };
    uint64_t hash = tfp_hash(key, sizeof key);
    uint32_t known = tfp_map64_get(&c->seen, hash);
    c->numbers += known == TFP_NONE;
    c->within += known == place;
    c->across += known != TFP_NONE && known != place;
    return known == place || tfp_map64_put(&c->seen, hash, place);
}

static bool repeat(const tfp_kineto_reader *r, bool launches)
{
    const tfp_span_columns *s = &r->b->p->events->spans;
    counter c = { 0 };
    bool ok = list_places(r, &c);
    for (size_t i = r->first_span; ok && i < s->size; i++) {
        uint32_t number = launches ? s->correlation[i] : s->external[i];
        if (number && s->kind[i] == (launches ? TFP_SPAN_CALL : TFP_SPAN_OP))
            ok = count(&c, number, launches ? s->name[i] : 0, c.place_of[s->lane[i]]);
    }
    free(c.place_of);
    tfp_map64_free(&c.seen);
    return tfp_build_keep(r->b, ok) && c.across * 4 >= c.numbers && c.across > c.within * WITHIN;
}

bool tfp_kineto_numbers_repeat(const tfp_kineto_reader *r) { return repeat(r, true) || repeat(r, false); }

/* ---- lanes ---- */

static void strip(const tfp_kineto_reader *r, tfp_kineto_lane *lane, tfp_kineto_unite what)
{
    uint32_t place = tfp_kineto_place_of(lane->part), rank = tfp_kineto_rank_in(lane->part);
    if (what == TFP_KINETO_UNITE_ALL) {
        lane->pid = lane->part = 0;
        lane->words &= 3;
    } else {
        if (what == TFP_KINETO_UNITE_PLACES) place = place < r->lanes.arrays.size ? r->lanes.arrays.at[place] : 0;
        lane->part = tfp_kineto_part(place, what == TFP_KINETO_UNITE_RANKS ? 0 : rank);
    }
}

/* Finds for each lane of the profile the first one that is now the same. */
static bool find_first(tfp_kineto_reader *r, tfp_kineto_unite what, uint32_t *to)
{
    tfp_map64 first = { 0 };
    bool ok = true;
    for (uint32_t i = 0; ok && i < r->lanes.list.size; i++) {
        tfp_kineto_lane lane = r->lanes.list.at[i];
        strip(r, &lane, what);
        if (what != TFP_KINETO_UNITE_ALL) r->lanes.list.at[i] = lane;
        uint32_t of = r->lanes.of.at[i], known;
        if (of == TFP_NONE) continue;
        uint64_t key = tfp_hash(&lane, sizeof lane);
        known = tfp_map64_get(&first, key);
        if (known == TFP_NONE) ok = tfp_map64_put(&first, key, known = of);
        to[of] = r->lanes.of.at[i] = known;
    }
    tfp_map64_free(&first);
    return ok;
}

/* Removes lanes that became another one, and names the others as they are called without parts. now: for each lane of the
 * profile its number afterwards; on entry the lane that it became. */
static void drop_lanes(tfp_kineto_reader *r, uint32_t *now)
{
    tfp_lane_list *lanes = r->b->p->lanes;
    uint32_t kept = 0;
    bool ok = true;
    for (uint32_t i = 0; i < lanes->size;
         i++) { /* a lane becomes one that was there before it, or is listed before it */
        if (now[i] != i) continue;
        lanes->at[kept] = lanes->at[i];
        now[i] = kept++ | MOVED;
    }
    for (uint32_t i = 0; i < lanes->size; i++)
        if (!(now[i] & MOVED)) now[i] = now[now[i]];
    for (uint32_t i = 0; i < lanes->size; i++) now[i] &= ~MOVED;
    lanes->size = kept;
    for (uint32_t i = 0; i < r->lanes.list.size && !r->b->status; i++) {
        uint32_t *of = &r->lanes.of.at[i];
        if (*of == TFP_NONE) continue;
        *of = now[*of];
        tfp_kineto_name_lane(r, i);
        uint64_t key = (uint64_t)lanes->at[*of].process << 32 | lanes->at[*of].name;
        ok = ok && tfp_map64_put(&r->b->p->events->lane_by_name, key, *of);
    }
    tfp_build_keep(r->b, ok);
}

void tfp_kineto_unite_lanes(tfp_kineto_reader *r, tfp_kineto_unite what)
{
    tfp_event_tables *t = r->b->p->events;
    size_t count = r->b->p->lanes->size;
    uint32_t *to = malloc((count + 1) * sizeof *to);
    if (!to) {
        tfp_build_keep(r->b, false);
        return;
    }
    for (uint32_t i = 0; i < count; i++) to[i] = i;
    if (tfp_build_keep(r->b, find_first(r, what, to))) {
        if (what != TFP_KINETO_UNITE_ALL) drop_lanes(r, to);
        for (size_t i = r->first_span; i < t->spans.size; i++) t->spans.lane[i] = to[t->spans.lane[i]];
        for (size_t i = 0; i < t->memory.size; i++)
            if (t->memory.at[i].lane < count) t->memory.at[i].lane = to[t->memory.at[i].lane];
        for (size_t i = 0; i < r->links.flows.size; i++) r->links.flows.at[i].lane = to[r->links.flows.at[i].lane];
    }
    if (what == TFP_KINETO_UNITE_PLACES && r->lanes.arrays.size) r->lanes.part = r->lanes.arrays.at[r->lanes.part];
    free(to);
}
