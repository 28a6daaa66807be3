// SPDX-License-Identifier: Apache-2.0
/* views/hang/groups.c: the process groups of a job. Each dump lists its own groups; groups with the same name and members are
 * one, but one name may belong to several. Members come from the dumps' settings, which are texts; without these they are the
 * ranks with entries. */
#include "model/files/flights.h"
#include "model/tables/read.h"
#include "query/order.h"
#include "views/core/handle.h"
#include "views/hang/hang.h"

int64_t hang_rank_of(const hang *h, uint32_t entry)
{
    const tfp_flight_tables *t = tfp_flights_of(tfp_profile_of(h->r));
    return h->rank_of_dump[t->groups.at[t->entries.at[entry].group].dump];
}

bool hang_parse_ranks(tfp_str text, hang_ranks *out)
{
    bool ok = true, digits = false;
    int64_t n = 0;
    for (size_t i = 0; i <= text.size && ok; i++) {
        char c = i < text.size ? text.data[i] : ',';
        bool digit = c >= '0' && c <= '9';
        if (digit && n < INT32_MAX) n = n * 10 + (c - '0');
        if (!digit && digits) ok = tfp_push(out, n), n = 0;
        digits = digit;
    }
    return ok;
}

/* Sets the sorted, distinct members. */
static bool set_members(hang *h, hang_group *g, const hang_ranks *of)
{
    uint32_t *order = TFP_NEW(tfp_arena_of(h->r), uint32_t, of->size + 1);
    g->members = TFP_NEW(tfp_arena_of(h->r), hang_member, of->size + 1);
    if (!order || !g->members) return false;
    for (size_t i = 0; i < of->size; i++) order[i] = (uint32_t)i;
    if (!tfp_order_items(order, of->size, (tfp_sort_key[]){ TFP_UP_IN(of->at), { 0 } }, NULL, 0)) return false;
    for (size_t i = 0; i < of->size; i++) {
        int64_t rank = of->at[order[i]];
        if (g->member_count && g->members[g->member_count - 1].rank == rank) continue;
        g->members[g->member_count++] = (hang_member){ rank, TFP_NONE, -1, -1 };
    }
    return true;
}

static hang_member *member_of(const hang_group *g, int64_t rank)
{
    size_t low;
    TFP_LOWER_BOUND(low, 0, g->member_count, g->members[low].rank < rank);
    return low < g->member_count && g->members[low].rank == rank ? &g->members[low] : NULL;
}

/* ---- which of the dumps' groups are one ---- */

typedef struct joining {
    hang *h;
    uint32_t *group_of;  /* for each group in a dump: index in groups, or TFP_NONE */
    hang_ranks *entered; /* for each group: its members, or the ranks with entries, if its members are unknown */
} joining;

static bool number_groups(joining *j)
{
    const tfp_profile *p = tfp_profile_of(j->h->r);
    const tfp_flight_tables *t = tfp_flights_of(p);
    tfp_map64 known = { 0 };
    bool ok = true;
    for (size_t i = 0; i < t->groups.size && ok; i++) {
        const tfp_flight_group *g = &t->groups.at[i];
        uint64_t key = (uint64_t)g->name << 32 | g->members;
        uint32_t at = g->name ? tfp_map64_get(&known, key) : TFP_NONE;
        if (g->name && at == TFP_NONE) {
            at = (uint32_t)j->h->group_count++;
            ok = tfp_map64_put(&known, key, at);
            j->h->groups[at] = (hang_group){ .name = tfp_text(p, g->name) };
        }
        j->group_of[i] = at;
        if (at != TFP_NONE && !j->h->groups[at].about.size) j->h->groups[at].about = tfp_text(p, g->about);
    }
    tfp_map64_free(&known);
    return ok;
}

/* PyTorch's names of the group of all ranks. */
static bool is_world(const hang_group *g)
{
    return tfp_str_eq(g->about, TFP_STR("default_pg")) || (!g->about.size && tfp_str_eq(g->name, TFP_STR("0")));
}

/* The ranks with dumps: what is known of the members of the group of all ranks where no dump lists them. */
static bool enter_all(joining *j, hang_ranks *entered)
{
    size_t count = tfp_flights_of(tfp_profile_of(j->h->r))->dumps.size;
    bool ok = true;
    for (size_t i = 0; i < count && ok; i++) ok = tfp_push(entered, j->h->rank_of_dump[i]);
    return ok;
}

static bool find_members(joining *j)
{
    const tfp_profile *p = tfp_profile_of(j->h->r);
    const tfp_flight_tables *t = tfp_flights_of(p);
    bool ok = true;
    for (size_t i = 0; i < t->groups.size && ok; i++) {
        uint32_t at = j->group_of[i];
        if (at == TFP_NONE) continue;
        if (!t->groups.at[i].members)
            ok = tfp_push(&j->entered[at], j->h->rank_of_dump[t->groups.at[i].dump]);
        else if (!j->entered[at].size)
            ok = hang_parse_ranks(tfp_text(p, t->groups.at[i].members), &j->entered[at]);
        j->h->groups[at].known |= t->groups.at[i].members != 0;
    }
    for (size_t g = 0; g < j->h->group_count && ok; g++) {
        hang_group *of = &j->h->groups[g];
        if (of->known || !is_world(of)) continue;
        of->known = true;
        ok = enter_all(j, &j->entered[g]);
    }
    for (size_t g = 0; g < j->h->group_count && ok; g++) ok = set_members(j->h, &j->h->groups[g], &j->entered[g]);
    return ok;
}

/* ---- dumps and entries ---- */

/* Of two dumps of one rank the first counts. */
static bool find_dumps(hang *h)
{
    const tfp_flight_tables *t = tfp_flights_of(tfp_profile_of(h->r));
    tfp_map64 dump_of = { 0 };
    bool ok = true;
    for (size_t i = t->dumps.size; i-- > 0 && ok;)
        ok = tfp_map64_put(&dump_of, (uint64_t)h->rank_of_dump[i], (uint32_t)i);
    for (size_t g = 0; g < h->group_count && ok; g++)
        for (size_t i = 0; i < h->groups[g].member_count; i++) {
            hang_member *m = &h->groups[g].members[i];
            m->dump = tfp_map64_get(&dump_of, (uint64_t)m->rank);
            h->groups[g].with_dump += m->dump != TFP_NONE;
        }
    tfp_map64_free(&dump_of);
    return ok;
}

/* Finds what a rank enqueued last; that may be later than its last entry, and may be recorded only under the group's
 * number. */
static bool find_enqueued(const joining *j)
{
    const tfp_flight_tables *t = tfp_flights_of(tfp_profile_of(j->h->r));
    tfp_map64 group_of_number = { 0 };
    bool ok = true;
    for (size_t i = 0; i < t->groups.size && ok; i++)
        if (j->group_of[i] != TFP_NONE && t->groups.at[i].number >= 0)
            ok = tfp_map64_put(&group_of_number, (uint64_t)t->groups.at[i].number, j->group_of[i]);
    for (size_t i = 0; i < t->groups.size && ok; i++) {
        const tfp_flight_group *g = &t->groups.at[i];
        uint32_t at = j->group_of[i];
        if (at == TFP_NONE && g->number >= 0) at = tfp_map64_get(&group_of_number, (uint64_t)g->number);
        hang_member *m = at == TFP_NONE ? NULL : member_of(&j->h->groups[at], j->h->rank_of_dump[g->dump]);
        if (m && m->dump == g->dump && g->last > m->last) m->last = g->last;
    }
    tfp_map64_free(&group_of_number);
    return ok;
}

static bool entry_first(const void *ctx, uint32_t a, uint32_t b)
{
    const hang *h = ctx;
    const tfp_flight_entry *x = &tfp_flights_of(tfp_profile_of(h->r))->entries.at[a],
                           *y = &tfp_flights_of(tfp_profile_of(h->r))->entries.at[b];
    if (h->group_of[a] != h->group_of[b]) return h->group_of[a] < h->group_of[b];
    if (x->sequence != y->sequence) return x->sequence < y->sequence;
    int64_t p = hang_rank_of(h, a), q = hang_rank_of(h, b);
    return p != q ? p < q : a < b;
}

static void take_entry(hang *h, hang_group *g, uint32_t entry)
{
    const tfp_flight_tables *t = tfp_flights_of(tfp_profile_of(h->r));
    const tfp_flight_entry *e = &t->entries.at[entry];
    hang_member *m = member_of(g, hang_rank_of(h, entry));
    if (!m || m->dump != t->groups.at[e->group].dump) return;
    if (m->first < 0 || e->sequence < m->first) m->first = e->sequence;
    if (e->sequence > m->last) m->last = e->sequence;
}

static bool sort_entries(hang *h)
{
    size_t all = tfp_flights_of(tfp_profile_of(h->r))->entries.size, n = 0;
    uint32_t *order = TFP_NEW(tfp_arena_of(h->r), uint32_t, all + 1);
    if (!order) return false;
    for (size_t i = 0; i < all; i++) /* a damaged file may have entries of groups without a name */
        if (h->group_of[i] != TFP_NONE) order[n++] = (uint32_t)i;
    if (!tfp_sort(order, n, entry_first, h)) return false;
    for (size_t i = 0, end; i < n; i = end) {
        hang_group *g = &h->groups[h->group_of[order[i]]];
        for (end = i; end < n && h->group_of[order[end]] == h->group_of[order[i]]; end++) take_entry(h, g, order[end]);
        g->entries = order + i;
        g->entry_count = end - i;
    }
    return true;
}

bool hang_groups_of(hang *h)
{
    const tfp_flight_tables *t = tfp_flights_of(tfp_profile_of(h->r));
    tfp_arena *a = tfp_arena_of(h->r);
    joining j = { h, TFP_NEW(a, uint32_t, t->groups.size + 1), TFP_NEW(a, hang_ranks, t->groups.size + 1) };
    h->groups = TFP_NEW(a, hang_group, t->groups.size + 1);
    h->group_of = TFP_NEW(a, uint32_t, t->entries.size + 1);
    h->last_of_dump = TFP_NEW(a, uint32_t, t->dumps.size + 1);
    bool ok = j.group_of && j.entered && h->groups && h->group_of && h->last_of_dump;
    if (ok) memset(j.entered, 0, (t->groups.size + 1) * sizeof *j.entered);
    bool made = ok && number_groups(&j) && find_members(&j) && find_dumps(h);
    for (size_t i = 0; made && i < t->dumps.size; i++) h->last_of_dump[i] = TFP_NONE;
    for (size_t i = 0; made && i < t->entries.size; i++) {
        h->group_of[i] = j.group_of[t->entries.at[i].group];
        if (h->group_of[i] != TFP_NONE) h->last_of_dump[t->groups.at[t->entries.at[i].group].dump] = (uint32_t)i;
    }
    made = made && sort_entries(h) && find_enqueued(&j);
    for (size_t i = 0; ok && i < t->groups.size; i++) tfp_vec_free(&j.entered[i]);
    return made;
}
