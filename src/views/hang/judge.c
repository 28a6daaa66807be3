// SPDX-License-Identifier: Apache-2.0
/* views/hang/judge.c: which finding is the cause of which. Ranks that are missing in one collective may wait in another
 * one; the finding about that one is then the cause, and a circle of causes has no first one. Where the members of a
 * group are unknown, as gloo's are, its ranks wait for someone who is not named: for the ranks that wait nowhere, if
 * there are any. */
#include "model/files/flights.h"
#include "views/core/handle.h"
#include "views/hang/hang.h"

#include <stdlib.h>

enum {
    MOST_COMPARED = 1000
}; /* most findings that are searched for causes, because each is compared with each other one */

static bool is(const hang_row *row, const char *finding) { return tfp_str_eq(row->finding, tfp_str_of(finding)); }

/* Whether a rank is in both lists; they are sorted, so one pass is enough. */
static bool share(const int64_t *a, const int64_t *b)
{
    while (*a >= 0 && *b >= 0) {
        if (*a == *b) return true;
        if (*a < *b)
            a++;
        else
            b++;
    }
    return false;
}

/* ---- groups whose members are unknown ---- */

/* The ranks whose dumps have no collective that did not end, sorted. *shown: the last entry of the first of them. */
static bool find_idle(const hang *h, hang_ranks *idle, uint32_t *shown)
{
    const tfp_flight_tables *t = tfp_flights_of(tfp_profile_of(h->r));
    unsigned char *waits = calloc(t->dumps.size + 1, 1);
    bool ok = waits != NULL;
    for (size_t i = 0; ok && i < t->entries.size; i++)
        if (!t->entries.at[i].done) waits[t->groups.at[t->entries.at[i].group].dump] = 1;
    for (size_t i = 0; ok && i < t->dumps.size; i++) {
        size_t k = idle->size;
        if (waits[i]) continue;
        ok = tfp_push(idle, h->rank_of_dump[i]);
        for (; ok && k && idle->at[k - 1] > h->rank_of_dump[i]; k--) idle->at[k] = idle->at[k - 1];
        if (ok) idle->at[k] = h->rank_of_dump[i];
        if (ok && !k) *shown = h->last_of_dump[i];
    }
    free(waits);
    return ok;
}

/* Whoever waits nowhere keeps these ranks waiting. */
static bool blame_idle(hang *h, hang_row *row, const hang_ranks *idle, uint32_t shown)
{
    row->finding = TFP_STR("missing");
    row->others = row->ranks;
    row->waiting = row->who;
    row->ranks = hang_list(h, idle, &row->who);
    row->have = hang_told(h, shown);
    row->line = hang_line_of(h, shown);
    return row->ranks.data && row->have.data && row->line.data;
}

/* No rank is without a collective: the ranks that others miss are in another collective than these. */
static bool order_of(hang *h, hang_row *waits)
{
    hang_row *missing = NULL;
    for (size_t i = 0; i < h->rows.size && i < MOST_COMPARED && !missing; i++)
        if (is(&h->rows.at[i], "missing") && share(h->rows.at[i].who, waits->who)) missing = &h->rows.at[i];
    if (!missing) return true;
    missing->finding = TFP_STR("order");
    missing->want = missing->collective;
    waits->cause_at = (size_t)(missing - h->rows.at);
    return true;
}

static bool judge_unknown(hang *h)
{
    hang_ranks idle = { 0 };
    uint32_t shown = TFP_NONE;
    bool any = false, ok = true;
    for (size_t i = 0; i < h->rows.size; i++) any |= is(&h->rows.at[i], "waits");
    if (any) ok = find_idle(h, &idle, &shown);
    for (size_t i = 0; i < h->rows.size && i < MOST_COMPARED && any && ok; i++)
        if (is(&h->rows.at[i], "waits"))
            ok = idle.size ? blame_idle(h, &h->rows.at[i], &idle, shown) : order_of(h, &h->rows.at[i]);
    tfp_vec_free(&idle);
    return ok;
}

/* ---- causes ---- */

static bool waits_in(const hang_row *row, const hang_row *other)
{
    bool both =
        is(other, "order") || is(other, "skipped") || is(other, "size") || is(other, "dtype") || is(other, "stuck");
    return share(row->who, other->waiting) || (both && share(row->who, other->who));
}

static bool is_before(const hang_row *a, const hang_row *b)
{
    int order = tfp_str_cmp(a->group, b->group);
    return order ? order < 0 : a->sequence != b->sequence ? a->sequence < b->sequence : a->group_at < b->group_at;
}

static void find_cause(hang *h, size_t i, size_t count)
{
    const hang_row *best = NULL;
    for (size_t k = 0; k < count; k++) {
        const hang_row *other = &h->rows.at[k];
        if (k != i && (!best || is_before(other, best)) && waits_in(&h->rows.at[i], other)) best = other;
    }
    if (best) h->rows.at[i].cause_at = (size_t)(best - h->rows.at);
}

static bool put_cause(hang *h, hang_row *row)
{
    tfp_buf b = { 0 };
    const hang_row *cause = &h->rows.at[row->cause_at];
    tfp_buf_str(&b, cause->group);
    if (cause->sequence != TFP_ABSENT) tfp_buf_printf(&b, "#%lld", (long long)cause->sequence);
    row->cause = tfp_buf_move(&b, tfp_arena_of(h->r));
    return row->cause.data != NULL;
}

/* Marks the rows whose causes lead back to them. */
static void find_circles(hang *h, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t at = h->rows.at[i].cause_at;
        for (size_t n = 0; n < count && at != SIZE_MAX && at != i; n++) at = h->rows.at[at].cause_at;
        h->rows.at[i].in_circle = at == i;
    }
}

bool hang_judge(hang *h)
{
    size_t count = h->rows.size < MOST_COMPARED ? h->rows.size : MOST_COMPARED;
    bool ok = judge_unknown(h);
    for (size_t i = 0; i < count && ok; i++)
        if (is(&h->rows.at[i], "missing")) find_cause(h, i, count);
    for (size_t i = 0; i < count && ok; i++)
        if (h->rows.at[i].cause_at != SIZE_MAX) ok = put_cause(h, &h->rows.at[i]);
    find_circles(h, count);
    return ok;
}
