// SPDX-License-Identifier: Apache-2.0
/* model/graphs/choose.c: selects, among captured graphs that look alike, those that the order of the replays allows.
 * Graphs are replayed in the order of their capture, one round after the other; a trace may begin anywhere. The best
 * assignments are those in which most neighbouring replays have neighbouring graphs. Seen from either end, the best
 * scores of one replay's candidates differ by at most one, so it is enough to keep the set with the higher score: T
 * counted from the first replay, U counted from the last. */
#include "model/graphs/parts.h"

enum { WORD = 64 };
#define WORDS_MOST ((size_t)8 << 20) /* most memory for the sets of a process, in words */
#define MANY ((size_t)4 << 20)       /* most choices; with more, a replay keeps all of its candidates */

typedef struct sets {
    const tfp_matches *m;
    const tfp_candidates *c; /* of the current replays, which all have one owner and so the same graphs */
    size_t words;
    const uint64_t *own; /* candidates of the current replay */
    uint64_t *lists;     /* candidates of each pattern */
    size_t list_count;
    tfp_map64 list_by_pattern;
} sets;

static const tfp_candidates *candidates_of(const tfp_matches *m, size_t replay)
{
    return &m->candidates.at[m->r->at.at[replay].pattern];
}

static void put(uint64_t *set, uint32_t i) { set[i / WORD] |= UINT64_C(1) << i % WORD; }
static bool has(const uint64_t *set, uint32_t i) { return set[i / WORD] >> i % WORD & 1; }

/* Makes a set of each pattern's candidates, once. False: out of memory. */
static bool look_at(sets *s, size_t replay)
{
    const tfp_candidates *c = candidates_of(s->m, replay);
    uint32_t at = tfp_map64_get(&s->list_by_pattern, c->like);
    if (at == TFP_NONE) {
        uint64_t *set = s->lists + s->list_count * s->words;
        at = (uint32_t)s->list_count++;
        for (size_t i = 0; i < c->count; i++) put(set, s->m->list.at[c->first + i] - c->base);
        if (!tfp_map64_put(&s->list_by_pattern, c->like, at)) return false;
    }
    s->own = s->lists + at * s->words;
    return true;
}

/* to = the neighbours of `from` in the order of rounds; forward: the next ones. */
static void turn(const sets *s, const uint64_t *from, uint64_t *to, bool forward)
{
    uint32_t all = s->c->all, last = all - 1;
    for (size_t w = 0; w < s->words; w++) {
        uint64_t before = w ? from[w - 1] >> (WORD - 1) : 0, behind = w + 1 < s->words ? from[w + 1] << (WORD - 1) : 0;
        to[w] = forward ? from[w] << 1 | before : from[w] >> 1 | behind;
    }
    if (all % WORD) to[s->words - 1] &= (UINT64_C(1) << all % WORD) - 1;
    if (forward ? has(from, last) : has(from, 0)) put(to, forward ? 0 : last);
}

/* Finds the best candidates of a replay, given the best ones of the neighbouring replay; neighbour NULL: there is
 * none. */
static void step(const sets *s, const uint64_t *neighbour, uint64_t *best, bool forward)
{
    bool any = false;
    if (neighbour) {
        turn(s, neighbour, best, forward);
        for (size_t w = 0; w < s->words; w++) any |= (best[w] &= s->own[w]) != 0;
    }
    if (!any) memcpy(best, s->own, s->words * sizeof *best);
}

static bool is_own(const sets *s, const uint64_t *t, const uint64_t *u, bool both)
{
    for (size_t w = 0; w < s->words; w++)
        if ((both ? t[w] & u[w] : t[w] | u[w]) != s->own[w]) return false;
    return true;
}

static bool add_choice(const sets *s, tfp_choices *c, const uint64_t *t, const uint64_t *u)
{
    bool both = false;
    for (size_t w = 0; w < s->words; w++) both |= (t[w] & u[w]) != 0;
    tfp_choice choice = { .first = (uint32_t)c->list.size, .all = is_own(s, t, u, both) || c->list.size > MANY };
    for (size_t w = 0; w < s->words && !choice.all; w++)
        for (uint64_t left = both ? t[w] & u[w] : t[w] | u[w]; left; left &= left - 1) {
            uint32_t place = s->c->base + (uint32_t)(w * WORD) + (uint32_t)__builtin_ctzll(left);
            if (!tfp_push(&c->list, place)) return false;
            choice.count++;
        }
    return tfp_push(&c->at, choice);
}

/* Keeps all candidates, because the sets would take too much memory. */
static bool choose_all(tfp_choices *c, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!tfp_push(&c->at, ((tfp_choice){ .all = true }))) return false;
    return true;
}

/* Chooses for the replays of one process. The set U is kept for each replay; the set T is needed only from one replay
 * to the next. */
static bool choose_sets(sets *s, size_t first, size_t count, uint64_t *u, tfp_choices *c)
{
    uint64_t *t = u + s->words * count, *last_t = t + s->words;
    for (size_t i = count; i-- > 0;) {
        if (!look_at(s, first + i)) return false;
        step(s, i + 1 < count ? u + (i + 1) * s->words : NULL, u + i * s->words, false);
    }
    for (size_t i = 0; i < count; i++) {
        if (!look_at(s, first + i)) return false;
        step(s, i ? last_t : NULL, t, true);
        if (!add_choice(s, c, t, u + i * s->words)) return false;
        memcpy(last_t, t, s->words * sizeof *t);
    }
    return true;
}

static bool choose(const tfp_matches *m, size_t first, size_t end, tfp_choices *c)
{
    sets s = { .m = m, .c = candidates_of(m, first) };
    size_t count = end - first;
    s.words = ((size_t)s.c->all + WORD - 1) / WORD;
    if (!s.words || count > WORDS_MOST / s.words) return choose_all(c, count);
    s.lists = calloc(s.words * count, sizeof *s.lists);
    uint64_t *u = calloc(s.words * (count + 2), sizeof *u);
    bool ok = s.lists && u && choose_sets(&s, first, count, u, c);
    free(s.lists);
    free(u);
    tfp_map64_free(&s.list_by_pattern);
    return ok;
}

bool tfp_choices_find(const tfp_matches *m, tfp_choices *c)
{
    const tfp_replays *r = m->r;
    bool ok = true;
    *c = (tfp_choices){ 0 };
    for (size_t i = 0, end; ok && i < r->at.size; i = end) {
        for (end = i; end < r->at.size && r->at.at[end].process == r->at.at[i].process; end++) {}
        ok = choose(m, i, end, c);
    }
    return ok;
}
