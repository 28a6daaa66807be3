// SPDX-License-Identifier: Apache-2.0
/* live/stacks/ranks_graph.c: the wait-for graph of a running job whose process groups are known: a rank waits in its
 * group for the members that are not in it. If all ranks are in a collective, and each group misses a rank that is in
 * another one, the ranks wait in a circle: the groups are used in different orders. */
#include "live/stacks/ranks_graph.h"

enum { GROUPS_MOST = 64 };

typedef struct waiting { /* a group in which ranks wait */
    const tfp_rank_row *first;
    size_t ranks;
    size_t next; /* index of the group in which the first missing member waits; SIZE_MAX: no member is missing */
    const tfp_rank_row *missing;
} waiting;

typedef struct graph {
    tfp_rank_row **rows;
    size_t count, groups;
    waiting at[GROUPS_MOST];
} graph;

static bool same_group(const tfp_rank_row *a, const tfp_rank_row *b)
{
    return tfp_str_eq(a->group, b->group) && a->member_count == b->member_count &&
           !memcmp(a->members, b->members, a->member_count * sizeof *a->members);
}

static bool is_member(const tfp_rank_row *of, int64_t rank)
{
    return bsearch(&rank, of->members, of->member_count, sizeof *of->members, tfp_by_int) != NULL;
}

static size_t group_of(const graph *g, const tfp_rank_row *row)
{
    for (size_t i = 0; i < g->groups; i++)
        if (same_group(g->at[i].first, row)) return i;
    return SIZE_MAX;
}

/* False: a rank is in no collective, or its group is unknown, so that the graph does not tell more than their lines. */
static bool find_groups(graph *g)
{
    for (size_t i = 0; i < g->count; i++) {
        const tfp_rank_row *row = g->rows[i];
        if (!row->collective.size || !row->member_count || row->why.size || tfp_rank_has_ended(row)) return false;
        size_t at = group_of(g, row);
        if (at == SIZE_MAX && g->groups == GROUPS_MOST) return false;
        if (at == SIZE_MAX) g->at[at = g->groups++] = (waiting){ .first = row, .next = SIZE_MAX };
        g->at[at].ranks++;
    }
    for (size_t i = 0; i < g->groups; i++) {
        waiting *w = &g->at[i];
        size_t members = 0;
        for (size_t k = 0; k < g->count; k++) {
            const tfp_rank_row *row = g->rows[k];
            if (!is_member(w->first, row->rank)) continue;
            members++;
            if (w->missing || same_group(w->first, row)) continue;
            w->missing = row;
            w->next = group_of(g, row);
        }
        if (members < w->first->member_count) return false; /* others are not among these processes */
    }
    return g->groups > 1;
}

/* ---- the sentence ---- */

static void put(tfp_buf *b, const char *before, tfp_str text)
{
    tfp_buf_text(b, before);
    tfp_escape(b, text);
}

static void put_ranks(tfp_buf *b, const graph *g, const waiting *w)
{
    bool any = false;
    tfp_buf_text(b, "rank ");
    for (size_t i = 0; i < g->count; i++) {
        if (!same_group(w->first, g->rows[i])) continue;
        if (any) tfp_buf_char(b, '|');
        tfp_buf_int(b, g->rows[i]->rank);
        any = true;
    }
}

static void put_place(tfp_buf *b, const waiting *w)
{
    put(b, "", w->first->collective);
    put(b, " of group ", w->first->group);
}

static void put_circle(tfp_buf *b, const graph *g, size_t start)
{
    size_t before = start, at = start;
    while (g->at[before].next != start) before = g->at[before].next;
    int64_t first = g->at[before].missing->rank;
    tfp_buf_printf(b, "; each waits for the next: %lld", (long long)first);
    do {
        put(b, " → group ", g->at[at].first->group);
        tfp_buf_printf(b, " → %lld", (long long)g->at[at].missing->rank);
        at = g->at[at].next;
    } while (at != start);
}

static void set_findings(const graph *g, const waiting *w, const char *finding)
{
    for (size_t i = 0; i < g->count; i++)
        if (!w || same_group(w->first, g->rows[i])) g->rows[i]->finding = tfp_str_of(finding);
}

/* The order of the minority is at fault. */
static void judge_circle(const graph *g, size_t start, tfp_buf *b)
{
    size_t odd = start, at = g->at[start].next;
    bool tie = false;
    for (; at != start; at = g->at[at].next) {
        if (g->at[at].ranks > g->at[odd].ranks) continue;
        tie = g->at[at].ranks == g->at[odd].ranks;
        odd = at;
    }
    if (tie) odd = start;
    set_findings(g, NULL, tie ? "crossed" : "waits");
    set_findings(g, &g->at[odd], "crossed");
    if (tie) tfp_buf_text(b, "no rank alone: ");
    at = odd;
    do {
        const waiting *w = &g->at[at];
        bool culprit = tie || at == odd;
        if (at != odd) tfp_buf_text(b, tie ? ", " : ", and ");
        put_ranks(b, g, w);
        if (culprit) put(b, " is at ", w->first->line);
        tfp_buf_text(b, culprit ? ", in " : " waits in ");
        put_place(b, w);
        if (!culprit) put(b, " at ", w->first->line);
        at = w->next;
    } while (at != odd);
    put_circle(b, g, odd);
}

bool tfp_ranks_graph(tfp_rank_row **rows, size_t count, tfp_buf *b)
{
    graph g = { .rows = rows, .count = count };
    size_t at = 0;
    if (!count || !find_groups(&g)) return false;
    for (size_t n = 0; n < g.groups && g.at[at].next != SIZE_MAX; n++) at = g.at[at].next;
    if (g.at[at].next != SIZE_MAX) { /* on a circle now */
        judge_circle(&g, at, b);
        return true;
    }
    set_findings(&g, NULL, "waits"); /* the end of the chain: all members are in it */
    put_ranks(b, &g, &g.at[at]);
    tfp_buf_text(b, " waits in ");
    put_place(b, &g.at[at]);
    put(b, " at ", g.at[at].first->line);
    tfp_buf_text(b, ", in which all of its ranks are: network or device");
    return true;
}
