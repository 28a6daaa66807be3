// SPDX-License-Identifier: Apache-2.0
/* views/hang/view.c: the table `hang`: which rank keeps a job waiting, from dumps of PyTorch's flight recorder. The first row is
 * the verdict; the text form also begins with it as a sentence. */
#include "model/files/flights.h"
#include "model/tables/read.h"
#include "views/core/handle.h"
#include "views/core/view.h"
#include "views/hang/hang.h"

/* clang-format off */
static const tfp_row_column columns[] = {
    TFP_COLUMN(hang_row, "finding", TEXT, LABEL, finding, "order, size, dtype: ranks called something else; missing: ranks never came; dead: ranks without a dump; stuck: all are in it."),
    TFP_COLUMN(hang_row, "group", TEXT, LABEL, group, "The process group's name."),
    TFP_COLUMN(hang_row, "description", TEXT, LABEL, about, "What the program calls it."),
    TFP_COLUMN(hang_row, "seq", INT, LABEL, sequence, "The number of the collective in the group."),
    TFP_COLUMN(hang_row, "collective", TEXT, LABEL, collective, "What the others wait in."),
    TFP_COLUMN(hang_row, "ranks", TEXT, LABEL, ranks, "The ranks it is about."),
    TFP_COLUMN(hang_row, "others", TEXT, LABEL, others, "The ranks that agree, or wait."),
    TFP_COLUMN(hang_row, "have", TEXT, LABEL, have, "What the first of these ranks called instead, or last."),
    TFP_COLUMN(hang_row, "want", TEXT, LABEL, want, "What most ranks called."),
    TFP_COLUMN(hang_row, "state", TEXT, LABEL, state, "How far the collective is: scheduled, started, completed."),
    TFP_COLUMN(hang_row, "line", TEXT, LABEL, line, "The line of the user's code where the first of these ranks is."),
    TFP_COLUMN(hang_row, "cause", TEXT, LABEL, cause, "The finding in which these ranks wait themselves."),
    { NULL, TFP_T_INT, TFP_LABEL, 0, NULL, 0 },
};
/* clang-format on */

/* Rows without a cause come first. Within both kinds rows are sorted by sequence number, those without a number last, then by
 * group. */
static bool goes_first(const void *rows, uint32_t a, uint32_t b)
{
    const hang_row *x = (const hang_row *)rows + a, *y = (const hang_row *)rows + b;
    if (!x->cause.size != !y->cause.size) return !x->cause.size;
    int64_t p = x->sequence == TFP_ABSENT ? INT64_MAX : x->sequence,
            q = y->sequence == TFP_ABSENT ? INT64_MAX : y->sequence;
    if (p != q) return p < q;
    return tfp_str_cmp(x->group, y->group) < 0;
}

static void put(tfp_buf *b, const char *before, tfp_str text)
{
    tfp_buf_text(b, before);
    tfp_escape(b, text);
}

static void put_place(tfp_buf *b, const hang_row *row)
{
    put(b, "", row->collective);
    tfp_buf_printf(b, " (number %lld of group ", (long long)row->sequence);
    put(b, "", row->group);
    put(b, ", ", row->about);
    tfp_buf_char(b, ')');
}

static void put_missing(tfp_buf *b, const hang_row *row)
{
    put(b, "rank ", row->ranks);
    tfp_buf_text(b, " never came to ");
    put_place(b, row);
    put(b, ", in which rank ", row->others);
    tfp_buf_text(b, " waits");
    if (row->have.size) put(b, "; the last it entered was ", row->have);
}

static void put_verdict(tfp_buf *b, const hang_row *row)
{
    if (tfp_str_eq(row->finding, TFP_STR("missing"))) {
        put_missing(b, row);
    } else if (tfp_str_eq(row->finding, TFP_STR("dead"))) {
        put(b, "rank ", row->ranks);
        tfp_buf_text(b, " left no dump");
        if (row->sequence != TFP_ABSENT) tfp_buf_text(b, ", and all others wait in "), put_place(b, row);
    } else if (tfp_str_eq(row->finding, TFP_STR("stuck"))) {
        tfp_buf_text(b, "all are in ");
        put_place(b, row);
        put(b, " and call it in the same way, but it does not end on rank ", row->ranks);
    } else {
        put(b, "rank ", row->ranks);
        put(b, " called ", row->have);
        put(b, " where rank ", row->others);
        put(b, " called ", row->want);
        tfp_buf_text(b, ": ");
        put_place(b, row);
    }
    if (row->line.size) put(b, ", at ", row->line);
}

static bool say_verdict(hang *h, const hang_row *rows)
{
    size_t dumps = tfp_flights_of(tfp_profile_of(h->r))->dumps.size;
    tfp_buf b = { 0 };
    if (h->rows.size)
        put_verdict(&b, rows);
    else
        tfp_buf_printf(&b, "%zu dump%s in %zu collective%s of %zu group%s, which all ended", dumps,
                       dumps == 1 ? " agrees" : "s agree", h->compared, h->compared == 1 ? "" : "s", h->group_count,
                       h->group_count == 1 ? "" : "s");
    return tfp_fact_buf(h->r, "verdict", "verdict", &b);
}

static tfp_status build(tfp_report *r, tfp_error *err)
{
    hang h = { .r = r };
    if (!tfp_flights_of(tfp_profile_of(r))->dumps.size) {
        tfp_fail(err, TFP_BADFILE, "no dump of PyTorch's flight recorder, which hang compares");
        return tfp_within_file(err, TFP_BADFILE, tfp_first_source(tfp_profile_of(r)));
    }
    bool ok = hang_groups_of(&h) && hang_find(&h);
    hang_row *rows = ok ? tfp_rows_sorted(tfp_arena_of(r), h.rows.at, sizeof *rows, h.rows.size, goes_first) : NULL;
    ok = rows && say_verdict(&h, rows);
    tfp_row_table of = { columns, rows, sizeof *rows, h.rows.size, 0 };
    tfp_table_of(r)->sentences = true;
    tfp_status s = ok ? tfp_grid_fill(r, tfp_table_of(r), &of, err) : tfp_nomem(err);
    tfp_vec_free(&h.rows);
    return s;
}

const tfp_view tfp_view_hang = {
    "hang",
    "Which rank keeps a job waiting, from dumps of PyTorch's flight recorder: the collective, the ranks missing in it, "
    "what disagrees.",
    TFP_REPORT_GRID,
    NULL,
    NULL,
    build,
    TFP_TAKES_SNAPSHOTS | TFP_TAKES_SOUND,
    columns,
    NULL,
    TFP_ROWS_OTHER,
};
