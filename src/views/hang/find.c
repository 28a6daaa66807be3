// SPDX-License-Identifier: Apache-2.0
/* views/hang/find.c: finds in each group the first collective with a fault: ranks that called another one, or with other sizes or
 * types, ranks that never came, or all ranks waiting for something else. Rules: docs/live/hang.md. */
#include "model/files/flights.h"
#include "model/tables/read.h"
#include "views/core/handle.h"
#include "views/core/own_frame.h"
#include "views/hang/hang.h"

typedef struct sequence { /* the entries of one collective, the first of each rank */
    const uint32_t *entries;
    size_t count;
    int64_t number;
} sequence;

typedef hang_ranks ranks;

static const tfp_flight_entry *entry_of(const hang *h, uint32_t i)
{
    return &tfp_flights_of(tfp_profile_of(h->r))->entries.at[i];
}

/* Writes the ranks as text, "0|1|2"; *numbers receives them as an array ended by -1, for the search for causes. */
tfp_str hang_list(hang *h, const ranks *of, int64_t **numbers)
{
    tfp_buf b = { 0 };
    *numbers = TFP_NEW(tfp_arena_of(h->r), int64_t, of->size + 1);
    if (!*numbers) return (tfp_str){ 0 };
    for (size_t i = 0; i < of->size; i++) {
        tfp_buf_printf(&b, "%s%lld", i ? "|" : "", (long long)of->at[i]);
        (*numbers)[i] = of->at[i];
    }
    (*numbers)[of->size] = -1;
    return tfp_buf_move(&b, tfp_arena_of(h->r));
}

tfp_str hang_line_of(hang *h, uint32_t entry)
{
    uint32_t trace = entry == TFP_NONE ? TFP_NONE : entry_of(h, entry)->trace;
    return trace == TFP_NONE ? TFP_STR("") : tfp_own_line(h->r, trace);
}

/* Adds a row with its finding, its group's number, and found and expected values. */
static bool add_row(hang *h, hang_row *row, const sequence *s, const ranks *who, const ranks *waiting, uint32_t shown)
{
    const tfp_profile *p = tfp_profile_of(h->r);
    const hang_group *g = &h->groups[row->group_at];
    const tfp_flight_entry *e = shown == TFP_NONE ? NULL : entry_of(h, shown);
    tfp_str none = TFP_STR("");
    row->group = g->name;
    row->about = g->about.data ? g->about : none;
    row->collective = e ? tfp_text(p, e->name) : none;
    row->state = e ? tfp_text(p, e->state) : none;
    row->ranks = hang_list(h, who, &row->who);
    row->others = hang_list(h, waiting, &row->waiting);
    row->sequence = s ? s->number : TFP_ABSENT;
    row->cause = none;
    row->cause_at = SIZE_MAX;
    if (!row->have.data) row->have = none;
    if (!row->want.data) row->want = none;
    if (!row->line.data) row->line = none;
    return row->ranks.data && row->others.data && tfp_push(&h->rows, *row);
}

/* ---- entries that differ ---- */

static tfp_strid value_of(const tfp_flight_entry *e, size_t what, bool shown)
{
    return what == 0 ? e->name : what == 1 ? (shown ? e->sizes : e->must_agree) : e->types;
}

/* The value that most ranks have; in a tie that of the lowest rank. */
static uint32_t most_common(const hang *h, const sequence *s, size_t what, bool *ok)
{
    tfp_map64 count = { 0 };
    uint32_t best = s->entries[0], most = 0;
    for (size_t i = 0; i < s->count && *ok; i++) {
        tfp_strid v = value_of(entry_of(h, s->entries[i]), what, false);
        uint32_t n = tfp_map64_get(&count, v);
        *ok = tfp_map64_put(&count, v, n == TFP_NONE ? 1 : n + 1);
    }
    for (size_t i = 0; i < s->count && *ok; i++) {
        uint32_t n = tfp_map64_get(&count, value_of(entry_of(h, s->entries[i]), what, false));
        if (n > most) most = n, best = s->entries[i];
    }
    tfp_map64_free(&count);
    return best;
}

static bool same_call(const tfp_flight_entry *a, const tfp_flight_entry *b)
{
    return a->name == b->name && a->must_agree == b->must_agree && a->types == b->types;
}

/* What the rank of this entry calls after it: the next one, or what followed the last same call before it. TFP_NONE: not
 * recorded. */
static uint32_t call_after(const hang *h, const hang_group *g, uint32_t entry)
{
    const tfp_flight_entry *e = entry_of(h, entry);
    int64_t rank = hang_rank_of(h, entry);
    uint32_t next = TFP_NONE;
    for (size_t i = g->entry_count; i-- > 0;) {
        const tfp_flight_entry *x = entry_of(h, g->entries[i]);
        if (hang_rank_of(h, g->entries[i]) != rank) continue;
        if (x->sequence == e->sequence && next != TFP_NONE) return next;
        if (x->sequence < e->sequence && same_call(x, e)) return next;
        next = g->entries[i];
    }
    return TFP_NONE;
}

/* Whether the odd call is the one that the others make next: the rank skipped one. */
static bool is_skipped(const hang *h, size_t group, uint32_t odd, uint32_t common)
{
    uint32_t next = call_after(h, &h->groups[group], common);
    return next != TFP_NONE && next != common && same_call(entry_of(h, odd), entry_of(h, next));
}

static bool find_difference(hang *h, size_t group, const sequence *s, bool *found)
{
    static const char *const findings[] = { "order", "size", "dtype" };
    bool ok = true;
    for (size_t what = 0; what < 3 && !*found && ok; what++) {
        uint32_t common = most_common(h, s, what, &ok), odd = TFP_NONE;
        tfp_strid want = value_of(entry_of(h, common), what, false);
        ranks who = { 0 }, agree = { 0 };
        for (size_t i = 0; i < s->count && ok; i++) {
            bool same = value_of(entry_of(h, s->entries[i]), what, false) == want;
            ok = tfp_push(same ? &agree : &who, hang_rank_of(h, s->entries[i]));
            if (!same && odd == TFP_NONE) odd = s->entries[i];
        }
        *found = who.size > 0;
        if (*found && ok) {
            hang_row row = { .finding = tfp_str_of(findings[what]),
                             .group_at = group,
                             .have = tfp_text(tfp_profile_of(h->r), value_of(entry_of(h, odd), what, true)),
                             .want = tfp_text(tfp_profile_of(h->r), value_of(entry_of(h, common), what, true)),
                             .line = hang_line_of(h, odd) };
            if (what == 0 && is_skipped(h, group, odd, common)) row.finding = TFP_STR("skipped");
            ok = add_row(h, &row, s, &who, &agree, common);
        }
        tfp_vec_free(&who);
        tfp_vec_free(&agree);
    }
    return ok;
}

/* ---- ranks that are not there ---- */

tfp_str hang_told(hang *h, uint32_t entry)
{
    tfp_buf b = { 0 };
    if (entry == TFP_NONE) return TFP_STR("");
    const tfp_flight_entry *e = entry_of(h, entry);
    tfp_buf_str(&b, h->groups[h->group_of[entry]].name);
    tfp_buf_printf(&b, "#%lld ", (long long)e->sequence);
    tfp_buf_str(&b, tfp_text(tfp_profile_of(h->r), e->name));
    tfp_buf_char(&b, ' ');
    tfp_buf_str(&b, tfp_text(tfp_profile_of(h->r), e->state));
    return tfp_buf_move(&b, tfp_arena_of(h->r));
}

static bool find_missing(hang *h, size_t group, const sequence *s, bool *found)
{
    const hang_group *g = &h->groups[group];
    ranks who = { 0 }, there = { 0 };
    uint32_t dump = TFP_NONE;
    bool ok = true;
    for (size_t i = 0; i < g->member_count && ok; i++) {
        const hang_member *m = &g->members[i];
        if (m->dump == TFP_NONE || m->last >= s->number) continue;
        if (!who.size) dump = m->dump;
        ok = tfp_push(&who, m->rank);
    }
    *found = who.size > 0;
    for (size_t i = 0; i < s->count && ok && *found; i++) ok = tfp_push(&there, hang_rank_of(h, s->entries[i]));
    if (*found && ok) {
        uint32_t last = h->last_of_dump[dump];
        hang_row row = {
            .finding = TFP_STR("missing"), .group_at = group, .have = hang_told(h, last), .line = hang_line_of(h, last)
        };
        ok = add_row(h, &row, s, &who, &there, s->entries[0]);
    }
    tfp_vec_free(&who);
    tfp_vec_free(&there);
    return ok;
}

static bool without_dump(const hang_group *g, ranks *out, ranks *with)
{
    bool ok = true;
    for (size_t i = 0; i < g->member_count && ok; i++)
        ok = tfp_push(g->members[i].dump == TFP_NONE ? out : with, g->members[i].rank);
    return ok;
}

/* Whether all ranks with a dump are in the collective and it does not end. Of a group whose members are unknown these
 * are only the ranks with entries. */
static bool find_stuck(hang *h, size_t group, const sequence *s, bool *found)
{
    const hang_group *g = &h->groups[group];
    ranks stuck = { 0 }, done = { 0 }, gone = { 0 }, with = { 0 };
    uint32_t first = TFP_NONE;
    bool ok = true;
    if (s->count < g->with_dump) return true;
    for (size_t i = 0; i < s->count && ok; i++) {
        bool is_done = entry_of(h, s->entries[i])->done;
        ok = tfp_push(is_done ? &done : &stuck, hang_rank_of(h, s->entries[i]));
        if (!is_done && first == TFP_NONE) first = s->entries[i];
    }
    *found = stuck.size > 0;
    hang_row row = { .finding = TFP_STR("dead"), .group_at = group };
    if (*found && ok) ok = without_dump(g, &gone, &with);
    if (*found && ok && gone.size) ok = add_row(h, &row, s, &gone, &with, first);
    if (*found && ok && !gone.size) {
        row.finding = g->known ? TFP_STR("stuck") : TFP_STR("waits");
        row.line = hang_line_of(h, first);
        ok = add_row(h, &row, s, &stuck, &done, first);
    }
    ranks *const all[] = { &stuck, &done, &gone, &with };
    for (size_t i = 0; i < 4; i++) tfp_vec_free(all[i]);
    return ok;
}

static bool find_dead(hang *h, size_t group)
{
    ranks gone = { 0 }, with = { 0 };
    hang_row row = { .finding = TFP_STR("dead"), .group_at = group };
    bool ok = without_dump(&h->groups[group], &gone, &with);
    if (ok && gone.size) ok = add_row(h, &row, NULL, &gone, &with, TFP_NONE);
    tfp_vec_free(&gone);
    tfp_vec_free(&with);
    return ok;
}

/* ---- groups ---- */

/* The entries with the next number, the first of each rank; they are stored in `room`. */
static size_t next_sequence(const hang *h, const hang_group *g, size_t from, uint32_t *room, sequence *out)
{
    size_t i = from;
    *out = (sequence){ room, 0, entry_of(h, g->entries[from])->sequence };
    for (; i < g->entry_count && entry_of(h, g->entries[i])->sequence == out->number; i++) {
        bool again = out->count && hang_rank_of(h, room[out->count - 1]) == hang_rank_of(h, g->entries[i]);
        if (!again) room[out->count++] = g->entries[i];
    }
    return i;
}

static bool find_in_group(hang *h, size_t group)
{
    const hang_group *g = &h->groups[group];
    uint32_t *room = TFP_NEW(tfp_arena_of(h->r), uint32_t, g->entry_count + 1);
    int64_t start = -1,
            all_came = INT64_MAX; /* all_came: every member with a dump entered the collectives up to this one */
    bool found = false, ok = room != NULL;
    for (size_t i = 0; i < g->member_count; i++) {
        const hang_member *m = &g->members[i];
        if (m->first > start) start = m->first;
        if (m->dump != TFP_NONE && m->last < all_came) all_came = m->last;
    }
    for (size_t i = 0; i < g->entry_count && ok && !found;) {
        sequence s;
        i = next_sequence(h, g, i, room, &s);
        if (s.number < start) continue;
        h->compared++;
        ok = find_difference(h, group, &s, &found);
        if (ok && !found && s.number > all_came) ok = find_missing(h, group, &s, &found);
        if (ok && !found) ok = find_stuck(h, group, &s, &found);
    }
    return ok && (found || find_dead(h, group));
}

bool hang_find(hang *h)
{
    bool ok = true;
    for (size_t g = 0; g < h->group_count && ok; g++) ok = find_in_group(h, g);
    return ok;
}
