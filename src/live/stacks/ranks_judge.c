// SPDX-License-Identifier: Apache-2.0
/* live/stacks/ranks_judge.c: which ranks of a running job the others wait for. A rank is in a collective when a public function
 * of torch.distributed is on its stack. If no rank is in one, source lines are compared. */
#include "live/stacks/ranks.h"
#include "views/core/engine.h"
#include "views/core/notes.h"

static tfp_rank_row *row_at(const tfp_rank_rows *all, size_t i)
{
    return (tfp_rank_row *)(void *)(all->rows + i * all->row_size + all->offset);
}

typedef tfp_str (*place_of)(const tfp_rank_row *row);

static tfp_str collective_of(const tfp_rank_row *row) { return row->collective; }
static tfp_str line_of(const tfp_rank_row *row) { return row->line; }

/* The place where most rows are, among rows that have one; in a tie the place of the first row. Also gives how many
 * rows are there. */
static tfp_str most_common(const tfp_rank_rows *all, place_of place, size_t *most)
{
    tfp_map64 count_of = { 0 };
    tfp_str best = { NULL, 0 };
    *most = 0;
    for (size_t i = 0; i < all->count; i++) {
        tfp_str p = place(row_at(all, i));
        uint64_t key = tfp_hash(p.data ? p.data : "", p.size);
        uint32_t count = tfp_map64_get(&count_of, key);
        if (!p.size) continue;
        count = count == TFP_NONE ? 1 : count + 1;
        if (!tfp_map64_put(&count_of, key, count)) break;
        if (count > *most) *most = count, best = p;
    }
    tfp_map64_free(&count_of);
    return best;
}

static size_t unread(const tfp_rank_rows *all)
{
    size_t n = 0;
    for (size_t i = 0; i < all->count; i++) n += row_at(all, i)->why.size != 0;
    return n;
}

/* Sets the finding of each row. collective, line: those where most ranks are. */
static void find(const tfp_rank_rows *all, tfp_str collective, tfp_str line, size_t at_line)
{
    size_t read = all->count - unread(all);
    for (size_t i = 0; i < all->count; i++) {
        tfp_rank_row *row = row_at(all, i);
        if (row->why.size)
            row->finding = TFP_STR("unread");
        else if (collective.size)
            row->finding = !row->collective.size                     ? TFP_STR("missing")
                           : tfp_str_eq(row->collective, collective) ? TFP_STR("waits")
                                                                     : TFP_STR("order");
        else if (at_line * 2 > read && !tfp_str_eq(row->line, line))
            row->finding = TFP_STR("elsewhere");
        else
            row->finding = (tfp_str){ NULL, 0 };
    }
}

static bool has(const tfp_rank_row *row, const char *finding) { return tfp_str_eq(row->finding, tfp_str_of(finding)); }

/* Writes the ranks with this finding, such as "0|2"; returns the first of their rows. */
static const tfp_rank_row *put_ranks(tfp_buf *b, const tfp_rank_rows *all, const char *finding)
{
    const tfp_rank_row *first = NULL;
    for (size_t i = 0; i < all->count; i++) {
        const tfp_rank_row *row = row_at(all, i);
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

static void put(tfp_buf *b, const char *before, tfp_str text)
{
    tfp_buf_text(b, before);
    tfp_escape(b, text);
}

static size_t count_of(const tfp_rank_rows *all, const char *finding)
{
    size_t n = 0;
    for (size_t i = 0; i < all->count; i++) n += has(row_at(all, i), finding);
    return n;
}

static void put_verdict(tfp_buf *b, const tfp_rank_rows *all, tfp_str collective, tfp_str line)
{
    static const char *const odd[] = { "missing", "order", "elsewhere" };
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        if (!count_of(all, odd[i])) continue;
        tfp_buf_text(b, "rank ");
        const tfp_rank_row *first = put_ranks(b, all, odd[i]);
        put(b, " is at ", first->line);
        if (first->collective.size) put(b, ", in ", first->collective);
        if (!collective.size) {
            put(b, ", where most are at ", line);
            return;
        }
        tfp_buf_text(b, ", and rank ");
        put_ranks(b, all, "waits");
        put(b, " waits in ", collective);
        return;
    }
    if (collective.size)
        put(b, unread(all) ? "all that were read wait in " : "all wait in ", collective);
    else if (line.size && all->count - unread(all) > 1)
        tfp_buf_text(b, "no rank is in a collective");
    else
        tfp_buf_text(b, "nothing to compare");
}

/* Writes the ranks of the job that have no process here. */
static void put_absent(tfp_buf *b, const tfp_rank_rows *all)
{
    int64_t world = 0, there = 0;
    for (size_t i = 0; i < all->count; i++) {
        const tfp_rank_row *row = row_at(all, i);
        if (row->world != TFP_ABSENT && row->world > world) world = row->world;
        there += row->rank != TFP_ABSENT;
    }
    if (there && world > there)
        tfp_buf_printf(b, "; %lld of %lld ranks are not among these processes", (long long)(world - there),
                       (long long)world);
}

/* Agents may send any text as the reason. */
static tfp_status tell_unread(tfp_report *r, const tfp_rank_rows *all, tfp_error *err)
{
    size_t last = all->count;
    while (last && !row_at(all, last - 1)->why.size) last--;
    if (!last) return TFP_OK;
    tfp_str why = row_at(all, last - 1)->why;
    return tfp_report_note_add(r, TFP_NOTE_PROCESSES_NOT_READ, err, "processes that were not read: %zu; %.*s",
                               unread(all), why.size < 400 ? (int)why.size : 400, why.data);
}

tfp_status tfp_ranks_judge(tfp_report *r, const tfp_rank_rows *all, tfp_error *err)
{
    tfp_buf b = { 0 };
    size_t in_it, at_line;
    tfp_str collective = most_common(all, collective_of, &in_it), line = most_common(all, line_of, &at_line);
    find(all, collective, line, at_line);
    put_verdict(&b, all, collective, line);
    put_absent(&b, all);
    return tfp_fact_buf(r, "verdict", "verdict", &b) ? tell_unread(r, all, err) : tfp_nomem(err);
}
