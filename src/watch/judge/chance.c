// SPDX-License-Identifier: Apache-2.0
/* watch/judge/chance.c: how often the rules are met in the job's own healthy history when blocks of 50 steps are
 * put in another order: the formulas are right only where ranks and steps can be exchanged. The order is
 * pseudorandom, and the same for the same history. */
#include "watch/judge/parts.h"

#include <math.h>

enum { BLOCK = 50, BLOCKS_LEAST = 2, TRIES = 400, RANKS_USED = 64 };

typedef struct history {
    double *late;  /* of each rank n steps, after its usual lateness */
    double *least; /* of each rank: what counts as late */
    size_t ranks, n;
} history;

static uint32_t next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

static void shuffle(uint32_t *order, size_t count, uint64_t *state)
{
    for (size_t i = 0; i < count; i++) order[i] = (uint32_t)i;
    for (size_t i = count; i > 1; i--) {
        size_t k = next(state) % i;
        uint32_t x = order[i - 1];
        order[i - 1] = order[k];
        order[k] = x;
    }
}

/* The healthy steps before a moment, of a rank; returns how many. */
static size_t healthy_steps(const member *m, int64_t until_us, double out[PAST])
{
    size_t n = 0;
    const unit *x;
    for (size_t back = 0; (x = judge_unit(m, back)); back++)
        if (!x->off && x->end <= until_us && !isnan(x->late)) out[n++] = x->late - m->usual.late;
    return n;
}

/* False: too short, or out of memory. */
static bool take_history(const job *of, int64_t until_us, history *h)
{
    double steps[PAST];
    size_t ranks = of->members.size < RANKS_USED ? of->members.size : RANKS_USED;
    *h = (history){ .n = PAST };
    h->late = calloc(ranks * PAST, sizeof *h->late);
    h->least = calloc(ranks, sizeof *h->least);
    if (!h->late || !h->least) return false;
    for (size_t i = 0; i < ranks; i++) {
        const member *m = of->members.at[i];
        size_t n = m->gone || isnan(m->usual.late) ? 0 : healthy_steps(m, until_us, steps);
        if (!n) continue;
        if (n < h->n) h->n = n;
        memcpy(h->late + h->ranks * PAST, steps, n * sizeof *steps);
        h->least[h->ranks++] = judge_least_lateness(m);
    }
    h->n -= h->n % BLOCK;
    return h->ranks > 1 && h->n >= BLOCKS_LEAST * BLOCK;
}

/* How many windows of `needed` steps in a row meet the rule `late` in one order of the blocks. */
static size_t count_met(const history *h, const uint32_t *order, size_t needed)
{
    size_t met = 0, row = 0, over = 0, before = h->ranks;
    for (size_t t = 0; t < h->n; t++) {
        size_t last = 0;
        double most = -INFINITY;
        for (size_t r = 0; r < h->ranks; r++) {
            double late = h->late[r * PAST + order[r * (PAST / BLOCK + 1) + t / BLOCK] * BLOCK + t % BLOCK];
            if (late > most) most = late, last = r;
        }
        if (last != before) row = over = 0;
        before = last;
        row++;
        over += most > h->least[last];
        if (row < needed) continue;
        met += 2 * over > needed; /* the median is late */
        row = over = 0;
    }
    return met;
}

bool judge_late_permuted(const job *of, size_t needed, int64_t until_us, size_t *met, size_t *windows)
{
    history h;
    uint32_t order[RANKS_USED * (PAST / BLOCK + 1)];
    uint64_t state = 1;
    bool ok = take_history(of, until_us, &h);
    *met = *windows = 0;
    for (size_t i = 0; i < TRIES && ok; i++) {
        for (size_t r = 0; r < h.ranks; r++) shuffle(order + r * (PAST / BLOCK + 1), h.n / BLOCK, &state);
        *met += count_met(&h, order, needed);
        *windows += h.n / needed;
    }
    free(h.late);
    free(h.least);
    return ok && *windows;
}

/* Whether the rule `slow` is met by the four windows from `at` on. */
static bool slow_at(const double *medians, size_t at)
{
    double before[EARLIER], was, largest = 0;
    for (size_t i = 0; i < at; i++) largest = fmax(largest, medians[i]);
    for (size_t i = at; i < at + IN_A_ROW; i++) {
        if (medians[i] <= largest) return false; /* most often: nothing is sorted */
        memcpy(before, medians, at * sizeof *before);
        if (!judge_is_slower(medians[i], before, at, &was, &largest)) return false;
    }
    return true;
}

bool judge_slow_permuted(const double *medians, size_t count, size_t *met, size_t *places)
{
    uint32_t order[EARLIER];
    double shuffled[EARLIER];
    uint64_t state = 1;
    *met = *places = 0;
    if (count < EARLIER_LEAST + IN_A_ROW) return false;
    for (size_t i = 0; i < TRIES; i++) {
        shuffle(order, count, &state);
        for (size_t k = 0; k < count; k++) shuffled[k] = medians[order[k]];
        for (size_t at = EARLIER_LEAST; at + IN_A_ROW <= count; at++) *met += slow_at(shuffled, at), ++*places;
    }
    return true;
}
