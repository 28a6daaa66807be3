// SPDX-License-Identifier: Apache-2.0
/* live/stacks/ranks_judge.c: which ranks of a running job the others wait for, or that it goes on. A rank is in a
 * collective when a public function of torch.distributed is on its stack; two ranks are at one place if the collective
 * and the line that calls it are the same. If no rank is in one, source lines are compared. */
#include "live/stacks/ranks_judge.h"
#include "live/stacks/ranks_graph.h"
#include "query/groups.h"
#include "views/core/engine.h"
#include "views/core/notes.h"
#include "views/core/grid.h"

#include <ctype.h>

static tfp_rank_row *row_at(const tfp_rank_rows *all, size_t i)
{
    return (tfp_rank_row *)(void *)(all->rows + i * all->row_size + all->offset);
}

/* ---- looks ---- */

enum { LOOKS_LEAST = 4 }; /* fewer looks cannot tell a loop from a slow step */

/* A hash of a stack's functions: ":LINE:" of each frame is left out. */
static uint64_t functions_of(tfp_str stack)
{
    uint64_t hash = stack.size != 0;
    for (size_t i = 0; i < stack.size;) {
        if (i && stack.data[i - 1] == ':')
            while (i < stack.size && isdigit((unsigned char)stack.data[i])) i++;
        if (i < stack.size) hash = hash * 1099511628211u + (unsigned char)stack.data[i++];
    }
    return hash;
}

void tfp_rank_add_look(tfp_rank_looks *all, const tfp_rank_row *row)
{
    all->inside |= row->collective.size != 0;
    if (all->count < TFP_RANK_LOOKS)
        all->at[all->count++] = (tfp_rank_look){ functions_of(row->stack), row->line, row->stack };
}

/* The look whose functions were seen most often. */
static const tfp_rank_look *most_often(const tfp_rank_looks *all, size_t *times)
{
    const tfp_rank_look *best = NULL;
    *times = 0;
    for (size_t i = 0; i < all->count; i++) {
        size_t n = 0;
        for (size_t k = 0; k < all->count; k++) n += all->at[k].functions == all->at[i].functions;
        if (n > *times) *times = n, best = &all->at[i];
    }
    return best;
}

/* Whether all other ranks of its job stand in a collective. */
static bool others_stand(const tfp_rank_row *rows, size_t count, const tfp_rank_row *row)
{
    size_t others = 0;
    for (const tfp_rank_row *other = rows; other < rows + count; other++) {
        if (other == row || other->job != row->job) continue;
        if (!other->collective.size || other->moved || other->runs) return false;
        others++;
    }
    return others > 0;
}

/* Says which ranks moved. One that others wait for, and whose functions differed in one look only, is in a loop that calls functions from
 * time to time; in an evaluation or a step functions differ more often. */
void tfp_ranks_settle(tfp_rank_row *rows, const tfp_rank_looks *looks, size_t count)
{
    size_t times;
    for (size_t i = 0; i < count; i++)
        if (most_often(&looks[i], &times)) rows[i].moved = looks[i].passed || times < looks[i].count;
    for (size_t i = 0; i < count; i++) {
        const tfp_rank_looks *all = &looks[i];
        const tfp_rank_look *usual = most_often(all, &times);
        bool rarely = !all->inside && all->count >= LOOKS_LEAST && times + 1 >= all->count;
        if (!rows[i].moved || !rarely || !others_stand(rows, count, &rows[i])) continue;
        rows[i].moved = false;
        rows[i].runs = true;
        rows[i].line = usual->line;
        rows[i].stack = usual->stack;
    }
}

/* ---- places ---- */

typedef struct group { /* the rows of one job */
    const tfp_rank_rows *all;
    uint64_t job;
    size_t count, unread;
    const tfp_rank_row *place,
        *line; /* rows at the place in a collective, and at the line, where most are; NULL: none */
    size_t at_place, at_line, missing; /* missing: ranks that are read and in no collective */
    bool tie;                          /* as many are at another place in a collective */
} group;

/* The next row of the group from `at` on; NULL: there is none. */
static tfp_rank_row *next(const group *g, size_t *at)
{
    while (*at < g->all->count) {
        tfp_rank_row *row = row_at(g->all, (*at)++);
        if (row->job == g->job) return row;
    }
    return NULL;
}

static bool same_place(const tfp_rank_row *a, const tfp_rank_row *b)
{
    return tfp_str_eq(a->collective, b->collective) && (a->by_count || tfp_str_eq(a->line, b->line));
}

typedef struct common_place {
    const tfp_rank_row *first;
    size_t count;
} common_place;

static uint64_t hash_of(tfp_str text) { return tfp_hash(text.data ? text.data : "", text.size); }

/* The first row at the place where most rows are, of those in a collective, or of all by their lines. */
static const tfp_rank_row *most_common(const group *g, bool collective, size_t *most, bool *tie)
{
    tfp_groups places = { .row_size = sizeof(common_place) };
    const tfp_rank_row *best = NULL;
    size_t at = 0;
    *most = 0;
    for (const tfp_rank_row *row; (row = next(g, &at));) {
        if (collective ? !row->collective.size : !row->line.size) continue;
        common_place *x = TFP_GROUP(&places, collective && row->by_count ? 0 : hash_of(row->line),
                                    collective ? hash_of(row->collective) : 0);
        if (!x) break;
        if (!x->count++) x->first = row;
    }
    for (const common_place *x = places.rows, *end = x + places.count; x < end; x++) {
        if (x->count < *most) continue;
        *tie = x->count == *most;
        if (!*tie) *most = x->count, best = x->first;
    }
    tfp_groups_free(&places);
    return best;
}

/* ---- findings ---- */

static bool has(const tfp_rank_row *row, const char *finding) { return tfp_str_eq(row->finding, tfp_str_of(finding)); }

static size_t count_of(const group *g, const char *finding)
{
    size_t n = 0, at = 0;
    for (const tfp_rank_row *row; (row = next(g, &at));) n += has(row, finding);
    return n;
}

static bool is_stopped(const tfp_rank_row *row)
{
    return tfp_str_eq(row->state, TFP_STR("stopped")) || tfp_str_eq(row->state, TFP_STR("traced"));
}

/* Whether the job goes on: a rank moved, or one runs while none stands in a collective. */
static bool goes_on(const group *g)
{
    bool moved = false, runs = false, stands = false;
    size_t at = 0;
    for (const tfp_rank_row *row; (row = next(g, &at));) {
        moved |= row->moved || has(row, "moves"); /* an agent's row has the finding */
        runs |= row->runs;
        stands |= row->collective.size && !row->moved && !row->runs;
        if (is_stopped(row)) return false;
    }
    return moved || (runs && !stands);
}

/* Ranks that wait in another group are not in the wrong order: it is known for whom they wait. */
static bool in_other_group(const tfp_rank_row *a, const tfp_rank_row *b)
{
    return a->member_count && b->member_count && !tfp_str_eq(a->group, b->group);
}

static tfp_str finding_of(const group *g, const tfp_rank_row *row, bool moves)
{
    size_t read = g->count - g->unread;
    if (row->why.size) return TFP_STR("unread");
    if (tfp_rank_has_ended(row)) return TFP_STR("ended");
    if (is_stopped(row)) return TFP_STR("stopped");
    if (moves && (row->moved || row->runs || has(row, "moves"))) return TFP_STR("moves");
    if (g->place) {
        if (!row->collective.size) return moves ? (tfp_str){ NULL, 0 } : TFP_STR("missing");
        if (in_other_group(row, g->place)) return TFP_STR("waits");
        return same_place(row, g->place) && (moves || !g->tie || g->missing) ? TFP_STR("waits")
               : moves                                                       ? (tfp_str){ NULL, 0 }
                                                                             : TFP_STR("order");
    }
    if (g->line && !moves && g->at_line * 2 > read && !tfp_str_eq(row->line, g->line->line))
        return TFP_STR("elsewhere");
    return (tfp_str){ NULL, 0 };
}

static void find(const group *g, bool moves)
{
    size_t at = 0;
    for (tfp_rank_row *row; (row = next(g, &at));) row->finding = finding_of(g, row, moves);
}

/* ---- the verdict ---- */

static void put(tfp_buf *b, const char *before, tfp_str text)
{
    tfp_buf_text(b, before);
    tfp_escape(b, text);
}

/* Writes the ranks with this finding, such as "0|2"; returns the first of their rows. */
static const tfp_rank_row *put_ranks(tfp_buf *b, const group *g, const char *finding)
{
    const tfp_rank_row *first = NULL;
    size_t at = 0;
    for (const tfp_rank_row *row; (row = next(g, &at));) {
        if (!has(row, finding)) continue;
        if (first) tfp_buf_char(b, '|');
        if (row->rank == TFP_ABSENT)
            tfp_buf_printf(b, "of process %lld", (long long)row->pid);
        else
            tfp_buf_int(b, row->rank);
        if (!first) first = row;
    }
    return first;
}

/* Writes who waits in which collective, at which line if it is asked for. */
static void put_waiting(tfp_buf *b, const group *g, bool line)
{
    if (!g->place || !count_of(g, "waits")) return;
    tfp_buf_text(b, ", and rank ");
    const tfp_rank_row *first = put_ranks(b, g, "waits");
    put(b, " waits in ", first->collective);
    if (line) put(b, " at ", first->line);
}

/* Each rank with its own place: no place has most ranks. */
static void put_tie(tfp_buf *b, const group *g)
{
    size_t at = 0, n = 0;
    tfp_buf_text(b, "no rank alone: ");
    for (const tfp_rank_row *row; (row = next(g, &at)) && n < 8;) {
        if (!has(row, "order")) continue;
        tfp_buf_printf(b, "%srank %lld is at ", n++ ? ", " : "", (long long)row->rank);
        put(b, "", row->line);
        put(b, " in ", row->collective);
    }
}

static size_t ranks_of(const group *g, int64_t *world)
{
    size_t at = 0, there = 0;
    *world = 0;
    for (const tfp_rank_row *row; (row = next(g, &at));) {
        if (row->world != TFP_ABSENT && row->world > *world) *world = row->world;
        there += row->rank != TFP_ABSENT;
    }
    return there;
}

static void put_all_wait(tfp_buf *b, const group *g)
{
    int64_t world;
    size_t there = ranks_of(g, &world), waiting = count_of(g, "waits");
    bool absent = there && world > (int64_t)there;
    if (absent)
        tfp_buf_printf(b, "unknown: %lld of %lld ranks are not among these processes",
                       (long long)world - (long long)there, (long long)world);
    else if (g->unread)
        tfp_buf_printf(b, "unknown: %zu of %zu ranks were not read", g->unread, g->count);
    else
        tfp_buf_printf(b, "all %zu ranks wait in ", waiting);
    if (absent || g->unread)
        put_waiting(b, g, false);
    else
        tfp_escape(b, g->place->collective);
    if (g->place->line.size) put(b, ", at ", g->place->line);
}

/* The verdict by process groups, if all ranks are in collectives of several known ones. */
static bool judge_groups(const group *g, tfp_buf *b)
{
    tfp_rank_row **rows = calloc(g->count + 1, sizeof *rows);
    size_t n = 0, at = 0;
    for (tfp_rank_row *row; rows && (row = next(g, &at));) rows[n++] = row;
    bool told = rows && !count_of(g, "stopped") && tfp_ranks_graph(rows, n, b);
    b->failed |= !rows;
    free(rows);
    return told;
}

/* Returns the finding of the ranks that are at fault; no data: there is none. */
static tfp_str put_verdict(tfp_buf *b, const group *g, bool moves)
{
    static const struct {
        const char *finding, *is;
    } odd[] = { { "ended", " ended" },
                { "stopped", " is stopped at " },
                { "missing", " is at " },
                { "order", " is at " },
                { "elsewhere", " is at " } };
    if (moves) {
        tfp_buf_printf(b, "nothing hangs: %zu of %zu ranks moved", count_of(g, "moves"), g->count);
        put_waiting(b, g, false);
        return (tfp_str){ NULL, 0 };
    }
    if (judge_groups(g, b)) return count_of(g, "crossed") ? TFP_STR("crossed") : TFP_STR("waits");
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        if (!count_of(g, odd[i].finding)) continue;
        if (g->tie && tfp_str_eq(tfp_str_of(odd[i].finding), TFP_STR("order"))) {
            put_tie(b, g);
            return (tfp_str){ NULL, 0 };
        }
        tfp_buf_text(b, "rank ");
        const tfp_rank_row *first = put_ranks(b, g, odd[i].finding);
        put(b, odd[i].is, first->line);
        if (first->collective.size) put(b, ", in ", first->collective);
        if (first->runs) tfp_buf_text(b, ", where it runs");
        if (!g->place && i + 1 == sizeof odd / sizeof *odd) put(b, ", where most are at ", g->line->line);
        put_waiting(b, g, tfp_str_eq(tfp_str_of(odd[i].finding), TFP_STR("order")));
        return tfp_str_of(odd[i].finding);
    }
    if (g->place)
        put_all_wait(b, g);
    else if (g->line && g->count - g->unread > 1)
        tfp_buf_text(b, "no rank is in a collective");
    else
        tfp_buf_text(b, "nothing to compare");
    return g->place ? TFP_STR("waits") : (tfp_str){ NULL, 0 };
}

tfp_str tfp_ranks_verdict(const tfp_rank_rows *all, uint64_t job, tfp_buf *b)
{
    group g = { .all = all, .job = job };
    size_t at = 0;
    bool tie = false;
    for (const tfp_rank_row *row; (row = next(&g, &at));) {
        g.count++;
        g.unread += row->why.size != 0;
        g.missing += !row->why.size && !tfp_rank_has_ended(row) && !row->collective.size && !is_stopped(row);
    }
    g.place = most_common(&g, true, &g.at_place, &g.tie);
    g.line = most_common(&g, false, &g.at_line, &tie);
    bool moves = goes_on(&g);
    find(&g, moves);
    return put_verdict(b, &g, moves);
}

/* Agents may send any text as the reason. */
static tfp_status tell_unread(tfp_report *r, const tfp_rank_rows *all, tfp_error *err)
{
    tfp_str why = { 0 };
    size_t unread = 0;
    for (size_t i = 0; i < all->count; i++) {
        if (!row_at(all, i)->why.size) continue;
        why = row_at(all, i)->why;
        unread++;
    }
    if (!unread) return TFP_OK;
    return tfp_report_note_add(r, TFP_NOTE_PROCESSES_NOT_READ, err, "processes that were not read: %zu; %.*s", unread,
                               why.size < 400 ? (int)why.size : 400, why.data);
}

tfp_status tfp_ranks_judge(tfp_report *r, const tfp_rank_rows *all, tfp_error *err)
{
    tfp_buf b = { 0 };
    for (size_t i = 0; i < all->count; i++) {
        bool judged = false;
        for (size_t k = 0; k < i && !judged; k++) judged = row_at(all, k)->job == row_at(all, i)->job;
        if (judged) continue;
        if (b.size) tfp_buf_text(&b, "; ");
        tfp_ranks_verdict(all, row_at(all, i)->job, &b);
    }
    if (!all->count) tfp_buf_text(&b, "nothing to compare");
    return tfp_fact_buf(r, "verdict", "verdict", &b) ? tell_unread(r, all, err) : tfp_nomem(err);
}
