// SPDX-License-Identifier: Apache-2.0
/* views/hang/verdict.c: the verdict of `hang` as a sentence. It begins with the ranks at fault ("rank 1|3 ..."), "no
 * rank", "all N ranks", "nothing hangs" or "unknown". */
#include "model/files/flights.h"
#include "model/tables/read.h"
#include "views/core/handle.h"
#include "views/core/view.h"
#include "views/hang/hang.h"

enum { FILES_MOST = 16 }; /* most files of unknown ranks in the verdict */

static void put(tfp_buf *b, const char *before, tfp_str text)
{
    tfp_buf_text(b, before);
    tfp_escape(b, text);
}

static void put_place(tfp_buf *b, const hang *h, const hang_row *row)
{
    put(b, "", row->collective);
    tfp_buf_printf(b, " (number %lld of group ", (long long)row->sequence);
    put(b, "", row->group);
    put(b, ", ", row->about);
    tfp_buf_char(b, ')');
    if (!h->groups[row->group_at].known) tfp_buf_text(b, ", whose members are unknown");
}

static void put_missing(tfp_buf *b, const hang *h, const hang_row *row)
{
    bool known = h->groups[row->group_at].known;
    put(b, "rank ", row->ranks);
    tfp_buf_text(b, known ? " never came to " : " waits nowhere, while others wait in ");
    put_place(b, h, row);
    put(b, known ? ", in which rank " : ": rank ", row->others);
    if (known) tfp_buf_text(b, " waits");
    if (row->have.size) put(b, "; the last it entered was ", row->have);
}

static size_t count_of(const int64_t *ranks)
{
    size_t n = 0;
    while (ranks[n] >= 0) n++;
    return n;
}

static void put_stuck(tfp_buf *b, const hang *h, const hang_row *row)
{
    size_t stuck = count_of(row->who), done = count_of(row->waiting);
    if (done) {
        put(b, "rank ", row->ranks);
        tfp_buf_text(b, " waits in ");
    } else {
        tfp_buf_printf(b, "all %zu ranks wait in ", stuck);
    }
    put_place(b, h, row);
    tfp_buf_text(b, done ? ", which all have entered alike" : ", and call it in the same way: network or device");
    if (done) put(b, " and which ended on rank ", row->others);
}

static void put_row(tfp_buf *b, const hang *h, const hang_row *row)
{
    if (tfp_str_eq(row->finding, TFP_STR("missing"))) {
        put_missing(b, h, row);
    } else if (tfp_str_eq(row->finding, TFP_STR("dead"))) {
        put(b, "rank ", row->ranks);
        tfp_buf_text(b, " left no dump");
        if (row->sequence != TFP_ABSENT) tfp_buf_text(b, ", and all others wait in "), put_place(b, h, row);
    } else if (tfp_str_eq(row->finding, TFP_STR("stuck"))) {
        put_stuck(b, h, row);
    } else if (tfp_str_eq(row->finding, TFP_STR("waits"))) {
        put(b, "no rank is known to be late: rank ", row->ranks);
        tfp_buf_text(b, " waits in ");
        put_place(b, h, row);
    } else if (!h->groups[row->group_at].known && tfp_str_eq(row->finding, TFP_STR("order"))) {
        put(b, "rank ", row->ranks);
        put(b, " is in ", row->have);
        put(b, ", and rank ", row->others);
        tfp_buf_text(b, " waits in ");
        put_place(b, h, row);
    } else {
        bool skipped = tfp_str_eq(row->finding, TFP_STR("skipped"));
        put(b, "rank ", row->ranks);
        if (skipped) put(b, " skipped ", row->want), tfp_buf_text(b, " and");
        put(b, " called ", row->have);
        put(b, " where rank ", row->others);
        put(b, " called ", row->want);
        tfp_buf_text(b, ": ");
        put_place(b, h, row);
    }
    if (row->line.size) put(b, ", at ", row->line);
}

/* ---- circles ---- */

/* The row whose cause is this one, in a circle. */
static const hang_row *waiter_of(const hang *h, const hang_row *row)
{
    for (size_t i = 0; i < h->rows.size; i++)
        if (h->rows.at[i].in_circle && &h->rows.at[h->rows.at[i].cause_at] == row) return &h->rows.at[i];
    return row;
}

/* The first rank that waits in one row and is missed in another. */
static int64_t between(const hang_row *waits_in, const hang_row *missed_in)
{
    for (const int64_t *a = waits_in->waiting; *a >= 0; a++)
        for (const int64_t *c = missed_in->who; *c >= 0; c++)
            if (*a == *c) return *a;
    return waits_in->waiting[0];
}

/* "0 → group 1 → 2 → group 2 → 0": each rank waits in the group for the next one. */
static void put_circle(tfp_buf *b, const hang *h, const hang_row *start)
{
    const hang_row *row = start;
    int64_t first = between(row, waiter_of(h, row));
    tfp_buf_printf(b, "%lld", (long long)first);
    do {
        const hang_row *next = &h->rows.at[row->cause_at];
        put(b, " → group ", row->group);
        tfp_buf_printf(b, " → %lld", (long long)(next == start ? first : between(next, row)));
        row = next;
    } while (row != start);
}

/* The collective in which fewest ranks wait has the order of the minority; NULL: no single one has fewest. */
static const hang_row *minority(const hang *h, const hang_row *start)
{
    const hang_row *best = start, *row = &h->rows.at[start->cause_at];
    bool tie = false;
    for (; row != start; row = &h->rows.at[row->cause_at]) {
        size_t n = count_of(row->waiting), least = count_of(best->waiting);
        if (n <= least) tie = n == least, best = row;
    }
    return tie ? NULL : best;
}

static void put_crossed(tfp_buf *b, const hang *h, const hang_row *start)
{
    const hang_row *odd = minority(h, start), *from = odd ? odd : start, *row = from;
    tfp_buf_text(b, odd ? "" : "no rank alone: ");
    do {
        if (row != from) tfp_buf_text(b, ", ");
        put(b, "rank ", row->others);
        tfp_buf_text(b, " waits in ");
        put_place(b, h, row);
        const hang_row *missed = waiter_of(h, row);
        if (missed->line.size) put(b, " at ", missed->line);
        row = &h->rows.at[row->cause_at];
    } while (row != from);
    tfp_buf_text(b, "; each waits for the next: ");
    put_circle(b, h, from);
}

/* ---- the verdict ---- */

/* The first collective of a dump that did not end; NULL: all ended. */
static const tfp_flight_entry *unfinished(const tfp_flight_tables *t, uint32_t dump)
{
    for (size_t i = 0; i < t->entries.size; i++)
        if (!t->entries.at[i].done && t->groups.at[t->entries.at[i].group].dump == dump) return &t->entries.at[i];
    return NULL;
}

/* Says where the dumps are by the names of their files, because their ranks are not known. */
static void put_unknown(tfp_buf *b, const hang *h)
{
    const tfp_profile *p = tfp_profile_of(h->r);
    const tfp_flight_tables *t = tfp_flights_of(p);
    put(b, "unknown: ", h->unknown);
    tfp_buf_printf(b, "; name the %zu dump%s by the ranks of the job", t->dumps.size, t->dumps.size == 1 ? "" : "s");
    for (uint32_t i = 0; i < t->dumps.size && i < FILES_MOST; i++) {
        const tfp_flight_entry *e = unfinished(t, i);
        put(b, "; ", tfp_str_of(hang_name_of(h, i)));
        put(b, e ? " waits in " : " waits nowhere", e ? tfp_text(p, e->name) : TFP_STR(""));
        if (e) tfp_buf_printf(b, " (number %lld of group ", (long long)e->sequence);
        if (e) put(b, "", tfp_text(p, t->groups.at[e->group].name));
        if (e) tfp_buf_char(b, ')');
    }
}

bool hang_say(hang *h, const hang_row *rows)
{
    size_t dumps = tfp_flights_of(tfp_profile_of(h->r))->dumps.size;
    tfp_buf b = { 0 };
    if (h->unknown.size)
        put_unknown(&b, h);
    else if (!h->rows.size)
        tfp_buf_printf(&b, "nothing hangs: %zu dump%s in %zu collective%s of %zu group%s, which all ended", dumps,
                       dumps == 1 ? " agrees" : "s agree", h->compared, h->compared == 1 ? "" : "s", h->group_count,
                       h->group_count == 1 ? "" : "s");
    else if (rows[0].in_circle)
        put_crossed(&b, h, &h->rows.at[rows[0].cause_at]);
    else
        put_row(&b, h, rows);
    return tfp_fact_buf(h->r, "verdict", "verdict", &b);
}
