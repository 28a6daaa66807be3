// SPDX-License-Identifier: Apache-2.0
/* views/hang/ranks.c: the rank of each dump. It is the last number in the file's name, unless two files have the same
 * number, or a group of the dump does not list it: then the names count the ranks of a host, or nothing.
 * The members of the groups that a dump is in then tell its rank: with the members 2 and 3 the files of local ranks 0
 * and 1 are ranks 2 and 3. Where they do not, no rank is known and nothing is judged. */
#include "model/files/flights.h"
#include "model/span_names.h"
#include "model/tables/read.h"
#include "model/tables/sources.h"
#include "query/order.h"
#include "views/core/handle.h"
#include "views/hang/hang.h"

#include <stdlib.h>

typedef struct place { /* a dump, and the ranks that it may be */
    int64_t *members;  /* sorted; those of all its groups; NULL: no group lists its members */
    size_t count;
    bool sound;     /* all groups of the dump have these ranks in common */
    int64_t number; /* in its name; -1: none */
    const char *name;
} place;

const char *hang_name_of(const hang *h, size_t dump)
{
    const tfp_profile *p = tfp_profile_of(h->r);
    const char *path = tfp_sources_of(p)->sources.at[tfp_flights_of(p)->dumps.at[dump].source];
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool lists(const int64_t *sorted, size_t count, int64_t rank)
{
    return count && bsearch(&rank, sorted, count, sizeof *sorted, tfp_by_int) != NULL;
}

/* ---- members ---- */

/* Keeps the ranks that are in the list as well. */
static bool meet(hang *h, place *at, const hang_ranks *list)
{
    if (!at->members) {
        at->members = TFP_NEW(tfp_arena_of(h->r), int64_t, list->size + 1);
        if (!at->members) return false;
        for (size_t i = 0; i < list->size; i++) at->members[i] = list->at[i];
        at->count = list->size;
        qsort(at->members, at->count, sizeof *at->members, tfp_by_int);
        return true;
    }
    int64_t *other = malloc((list->size + 1) * sizeof *other);
    size_t kept = 0;
    if (!other) return false;
    for (size_t i = 0; i < list->size; i++) other[i] = list->at[i];
    qsort(other, list->size, sizeof *other, tfp_by_int);
    for (size_t i = 0; i < at->count; i++)
        if (lists(other, list->size, at->members[i])) at->members[kept++] = at->members[i];
    at->count = kept;
    free(other);
    return true;
}

/* Meets the members of the groups of each dump: a process lists the groups that it is in. If no rank is in all of them,
 * those without entries do not count. */
static bool find_members(hang *h, place *places, bool all)
{
    const tfp_profile *p = tfp_profile_of(h->r);
    const tfp_flight_tables *t = tfp_flights_of(p);
    unsigned char *entered = calloc(t->groups.size + 1, 1);
    bool ok = entered != NULL;
    for (size_t i = 0; ok && i < t->entries.size; i++) entered[t->entries.at[i].group] = 1;
    for (size_t i = 0; ok && i < t->groups.size; i++) {
        const tfp_flight_group *g = &t->groups.at[i];
        hang_ranks list = { 0 };
        if (!g->members || (!all && !entered[i]) || (!all && places[g->dump].sound)) continue;
        ok = hang_parse_ranks(tfp_text(p, g->members), &list) && meet(h, &places[g->dump], &list);
        tfp_vec_free(&list);
    }
    free(entered);
    for (size_t i = 0; all && i < t->dumps.size; i++) {
        places[i].sound = places[i].count > 0;
        if (!places[i].sound) places[i].members = NULL;
    }
    return ok;
}

/* ---- ranks ---- */

/* Whether each dump has a number of its own. */
static bool are_distinct(const int64_t *numbers, size_t count, size_t *again, size_t *first, bool *ok)
{
    tfp_map64 seen = { 0 };
    bool distinct = true;
    for (size_t i = 0; i < count && *ok && distinct; i++) {
        uint32_t at = tfp_map64_get(&seen, (uint64_t)numbers[i]);
        distinct = at == TFP_NONE;
        if (!distinct) *again = i, *first = at;
        *ok = tfp_map64_put(&seen, (uint64_t)numbers[i], (uint32_t)i);
    }
    tfp_map64_free(&seen);
    return distinct;
}

static bool same_members(const place *a, const place *b)
{
    return a->count == b->count && !memcmp(a->members, b->members, a->count * sizeof *a->members);
}

/* The rank of a dump among those with the same members: its number, if all their numbers are members, else the member
 * at that place. -1: unknown. */
static int64_t rank_of(const place *places, size_t count, const place *at)
{
    bool global = true, local = true;
    if (!at->members || !at->count) return -1;
    if (at->count == 1) return at->members[0];
    for (size_t i = 0; i < count; i++) {
        const place *other = &places[i];
        if (!other->members || !same_members(other, at)) continue;
        global = global && lists(other->members, other->count, other->number);
        local = local && other->number >= 0 && (size_t)other->number < other->count;
    }
    if (global) return at->number;
    return local ? at->members[at->number] : -1;
}

static bool say_unknown(hang *h, const place *places, size_t again, size_t first)
{
    tfp_buf b = { 0 };
    const place *a = &places[first], *at = &places[again];
    if (a != at && at->number < 0)
        tfp_buf_printf(&b, "no rank is in the names of %s and %s", a->name, at->name);
    else if (a != at)
        tfp_buf_printf(&b, "two files claim rank %lld (%s, %s)", (long long)at->number, a->name, at->name);
    else if (at->number < 0)
        tfp_buf_printf(&b, "no rank is in the name of %s", at->name);
    else
        tfp_buf_printf(&b, "rank %lld of %s is in none of its groups", (long long)at->number, at->name);
    tfp_buf_text(&b, ", and the members of the groups do not tell which rank it is");
    h->unknown = tfp_buf_move(&b, tfp_arena_of(h->r));
    return h->unknown.data != NULL;
}

static bool infer(hang *h, const place *places, size_t count, size_t again, size_t first)
{
    bool known = true, ok = true;
    size_t x = 0, y = 0;
    for (size_t i = 0; i < count && known; i++) {
        h->rank_of_dump[i] = rank_of(places, count, &places[i]);
        known = h->rank_of_dump[i] >= 0;
    }
    known = known && are_distinct(h->rank_of_dump, count, &x, &y, &ok);
    if (!known) return ok && say_unknown(h, places, again, first);
    h->inferred = true;
    return ok;
}

bool hang_ranks_of(hang *h)
{
    size_t count = tfp_flights_of(tfp_profile_of(h->r))->dumps.size, again = 0, first = 0;
    place *places = calloc(count + 1, sizeof *places);
    h->rank_of_dump = TFP_NEW(tfp_arena_of(h->r), int64_t, count + 1);
    bool ok = places && h->rank_of_dump, sound = true;
    for (size_t i = 0; ok && i < count; i++) {
        places[i].name = hang_name_of(h, i);
        places[i].number = h->rank_of_dump[i] = tfp_number_in_name(places[i].name);
    }
    ok = ok && find_members(h, places, true) && find_members(h, places, false);
    sound = ok && are_distinct(h->rank_of_dump, count, &again, &first, &ok);
    for (size_t i = 0; ok && sound && i < count; i++) {
        const place *at = &places[i];
        sound = at->number >= 0 && (!at->members || lists(at->members, at->count, at->number));
        if (!sound) again = first = i;
    }
    if (ok && !sound) ok = infer(h, places, count, again, first);
    free(places);
    return ok;
}
