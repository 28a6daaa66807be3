// SPDX-License-Identifier: Apache-2.0
/* views/hang/view.c: the table `hang`: which rank keeps a job waiting, from dumps of PyTorch's flight recorder. The first row is
 * the verdict; the text form also begins with it as a sentence. */
#include "model/files/flights.h"
#include "model/tables/read.h"
#include "query/order.h"
#include "views/core/handle.h"
#include "views/core/notes.h"
#include "views/core/view.h"
#include "views/hang/hang.h"

/* clang-format off */
static const tfp_table_column columns[] = {
    TFP_COLUMN(hang_row, "finding", TEXT, LABEL, finding, "order, size, dtype: ranks called something else; skipped: what the others call next; missing: ranks never came; dead: ranks without a dump; stuck: all are in it; waits: ranks are in it, its other members are unknown."),
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
    { NULL, TFP_CELL_INT, TFP_LABEL, 0, NULL, 0 },
};
/* clang-format on */

/* Rows without a cause come first. Within both kinds rows are sorted by sequence number, those without a number last, then by
 * group. */
static const tfp_sort_key first[] = { TFP_UP(hang_row, has_cause),
                                      { TFP_ORDER_U64, false, NULL, offsetof(hang_row, sequence) }, /* absent: last */
                                      TFP_UP(hang_row, group),
                                      { 0 } };

static tfp_status build(tfp_report *r, tfp_error *err)
{
    hang h = { .r = r };
    if (!tfp_flights_of(tfp_profile_of(r))->dumps.size) {
        tfp_fail(err, TFP_BADFILE, "no dump of PyTorch's flight recorder, which hang compares");
        return tfp_within_file(err, TFP_BADFILE, tfp_first_source(tfp_profile_of(r)));
    }
    bool ok = hang_ranks_of(&h);
    if (ok && !h.unknown.size) ok = hang_groups_of(&h) && hang_find(&h) && hang_judge(&h);
    for (size_t i = 0; i < h.rows.size; i++) h.rows.at[i].has_cause = h.rows.at[i].cause.size != 0;
    hang_row *rows = ok ? tfp_ordered(tfp_arena_of(r), h.rows.at, sizeof *rows, h.rows.size, first) : NULL;
    ok = rows && hang_say(&h, rows);
    tfp_row_table of = { columns, rows, sizeof *rows, h.rows.size, 0 };
    tfp_table_of(r)->sentences = true;
    tfp_status s = ok ? tfp_grid_fill(r, tfp_table_of(r), &of, err) : tfp_nomem(err);
    if (!s && h.inferred)
        s = tfp_report_note_add(
            r, TFP_NOTE_RANKS_INFERRED, err,
            "the numbers in the names of the files are not the ranks of the job: ranks are inferred "
            "from the members of the groups");
    tfp_vec_free(&h.rows);
    return s;
}

const tfp_view tfp_view_hang = {
    "hang",
    "Which rank keeps a job waiting, of a running job or from dumps of PyTorch's flight recorder: the collective, the "
    "ranks missing in it, what disagrees.",
    TFP_REPORT_GRID,
    NULL,
    NULL,
    build,
    TFP_TAKES_SNAPSHOTS | TFP_TAKES_SOUND,
    columns,
    NULL,
    TFP_ROWS_OTHER,
};
