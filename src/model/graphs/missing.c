// SPDX-License-Identifier: Apache-2.0
/* model/graphs/missing.c: replays that lack some of their graph's nodes, which other replays have: the recorder lost them.
 * With ids of nodes, where at least half of the graph's replays are whole; without ids, a rare replay whose activities are
 * a part of those of a common one that the same place launches, in the same order. In: replays and their patterns. Out:
 * rows of doubts. */
#include "model/graphs/parts.h"
#include "model/tables/doubts.h"
#include "model/tables/profile.h"

#define COMMON 4      /* a common replay occurs at least so many times for each rare one */
#define CANDIDATES 32 /* a rare replay is compared with at most so many common ones */

typedef struct pattern_use {
    uint32_t replays, whole; /* number of its replays, and of those with all its nodes */
    uint32_t place;          /* string: the name around its launches; TFP_NONE: several */
    uint32_t lacks;          /* how many nodes each of its replays lacks */
    uint64_t nodes;          /* hash of the nodes of a replay that is not whole */
    bool varies;             /* these nodes are not the same in all such replays */
    bool grouped;            /* it is the union of the replays of a graph with an id */
} pattern_use;

typedef struct seeker {
    tfp_builder *b;
    const tfp_replays *r;
    const tfp_span_columns *s;
    pattern_use *uses;
    tfp_effort effort;
    tfp_map64 rows; /* process and step -> row */
} seeker;

static uint32_t place_of(const seeker *k, const tfp_replay *replay)
{
    uint32_t around = k->s->parent[replay->launch];
    while (around != TFP_NONE && (k->s->kind[around] == TFP_SPAN_STEP || k->s->kind[around] == TFP_SPAN_CALL))
        around = k->s->parent[around];
    return around == TFP_NONE ? 0 : k->s->name[around];
}

static void count_uses(seeker *k)
{
    for (size_t i = 0; i < k->r->at.size; i++) {
        const tfp_replay *replay = &k->r->at.at[i];
        pattern_use *use = &k->uses[replay->pattern];
        uint32_t place = place_of(k, replay);
        if (!use->replays++) use->place = place;
        if (use->place != place) use->place = TFP_NONE;
        bool whole = replay->count == k->r->patterns.at[replay->pattern].count;
        uint64_t nodes = tfp_hash(k->r->position + replay->first, replay->count * sizeof *k->r->position);
        use->grouped |= replay->group != TFP_NONE;
        use->whole += whole;
        use->varies |= !whole && use->nodes && use->nodes != nodes;
        if (!whole) use->nodes = nodes;
    }
}

/* Whether the signs of a are among those of b, in the same order. */
static bool is_part(seeker *k, const tfp_pattern *a, const tfp_pattern *b)
{
    uint32_t found = 0;
    if (!tfp_effort_take(&k->effort, b->count)) return false;
    for (uint32_t i = 0; i < b->count && found < a->count; i++)
        found += memcmp(&k->r->signs.at[a->first + found], &k->r->signs.at[b->first + i], sizeof *k->r->signs.at) == 0;
    return found == a->count;
}

static bool may_lack(const seeker *k, size_t rare, size_t common)
{
    const tfp_pattern *a = &k->r->patterns.at[rare], *b = &k->r->patterns.at[common];
    const pattern_use *x = &k->uses[rare], *y = &k->uses[common];
    return a->count < b->count && a->count * 2 >= b->count && a->owner == b->owner && x->place == y->place &&
           x->place != TFP_NONE && y->replays / COMMON >= x->replays;
}

/* Finds patterns without ids that lack nodes of a more common one. */
static void compare_patterns(seeker *k)
{
    uint32_t common[CANDIDATES];
    size_t count = 0;
    for (uint32_t p = 0; p < k->r->patterns.size; p++) { /* the patterns with most replays */
        if (k->uses[p].grouped || k->uses[p].replays < COMMON) continue;
        size_t at = count < CANDIDATES ? count++ : CANDIDATES;
        for (; at && k->uses[common[at - 1]].replays < k->uses[p].replays; at--)
            if (at < CANDIDATES) common[at] = common[at - 1];
        if (at < CANDIDATES) common[at] = p;
    }
    for (size_t p = 0; p < k->r->patterns.size; p++) {
        if (k->uses[p].grouped || !k->uses[p].replays) continue;
        for (size_t c = 0; c < count && !k->uses[p].lacks; c++)
            if (may_lack(k, p, common[c]) && is_part(k, &k->r->patterns.at[p], &k->r->patterns.at[common[c]]))
                k->uses[p].lacks = k->r->patterns.at[common[c]].count - k->r->patterns.at[p].count;
    }
}

/* How many nodes a replay lacks. */
static uint32_t lacks(const seeker *k, const tfp_replay *replay)
{
    const pattern_use *use = &k->uses[replay->pattern];
    if (!use->grouped) return use->lacks;
    bool branch = use->replays - use->whole > 1 && !use->varies; /* the graph may have a condition */
    return use->whole * 2 >= use->replays && !branch ? k->r->patterns.at[replay->pattern].count - replay->count : 0;
}

static tfp_doubt *row_of(seeker *k, const tfp_replay *replay, uint32_t step)
{
    tfp_event_tables *t = k->b->p->events;
    uint64_t key = (uint64_t)replay->process << 32 | step;
    uint32_t at = tfp_map64_get(&k->rows, key);
    if (at == TFP_NONE) {
        tfp_doubt row = {
            .kind = TFP_DOUBT_LOST_NODES, .process = replay->process, .step = step, .name = k->s->name[replay->launch]
        };
        at = (uint32_t)t->doubts.size;
        if (!tfp_build_keep(k->b, tfp_map64_put(&k->rows, key, at) && tfp_push(&t->doubts, row))) return NULL;
    }
    return &t->doubts.at[at];
}

/* Adds a row for each step in which nodes are missing; those of the other steps are counted outside of all steps. */
static void add_rows(seeker *k)
{
    bool any = false;
    for (size_t i = 0; i < k->r->at.size && !k->b->status; i++) {
        const tfp_replay *replay = &k->r->at.at[i];
        tfp_doubt *row = lacks(k, replay) ? row_of(k, replay, k->s->step[replay->launch]) : NULL;
        if (row) row->count += lacks(k, replay);
        any |= row != NULL;
    }
    for (size_t i = 0; i < k->r->at.size && any && !k->b->status; i++) {
        const tfp_replay *replay = &k->r->at.at[i];
        uint32_t step = k->s->step[replay->launch];
        bool known = tfp_map64_get(&k->rows, (uint64_t)replay->process << 32 | step) != TFP_NONE;
        tfp_doubt *row = row_of(k, replay, known ? step : TFP_NONE);
        if (row) row->of += replay->count + lacks(k, replay);
    }
}

bool tfp_replays_missing(tfp_builder *b, const tfp_replays *r)
{
    seeker k = { .b = b, .r = r, .s = &b->p->events->spans, .effort = tfp_effort_of(b->p->captures, r) };
    k.uses = calloc(r->patterns.size + 1, sizeof *k.uses);
    if (!k.uses) return false;
    count_uses(&k);
    compare_patterns(&k);
    add_rows(&k);
    free(k.uses);
    tfp_map64_free(&k.rows);
    return true;
}
