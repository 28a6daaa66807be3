// SPDX-License-Identifier: Apache-2.0
/* views/timeline/window.c: the visible spans of a window of a timeline at a width in pixels, and an overview in few
 * rows. */
#include "model/tables/events.h"
#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "views/core/grid.h"
#include "views/core/handle.h"
#include "views/core/notes.h"
#include "views/timeline/timeline.h"

#include <math.h>
#include <stdlib.h>

/* ---- a window ---- */

typedef struct seen_row {
    int64_t row, span, count, found, start_ns, duration_ns, busy_ns, self_ns, parent, launch;
    tfp_str name, short_name, kind, class;
} seen_row;

enum { SHOWS_FOUND = 1 };
static const tfp_table_column seen_columns[] = {
    TFP_COLUMN_WHOLE(seen_row, "row", INT, NUMBER, row, "its row, counted over all lanes"),
    TFP_COLUMN_WHOLE(seen_row, "span", INT, NUMBER, span, "its number; of several the first"),
    TFP_COLUMN_WHOLE(seen_row, "count", INT, NUMBER, count, "1, or how many spans narrower than a pixel are one here"),
    TFP_COLUMN_WHOLE(seen_row, "start_us", NANO, MICROS, start_ns, "from the start of the timeline"),
    TFP_COLUMN_WHOLE(seen_row, "duration_us", NANO, MICROS, duration_ns,
                     "of several from the first start to the last end"),
    TFP_COLUMN_WHOLE(seen_row, "busy_us", NANO, MICROS, busy_ns, "of that something ran"),
    TFP_COLUMN_WHOLE(seen_row, "name", TEXT, LABEL, name, "of several the longest one's"),
    TFP_COLUMN_WHOLE(seen_row, "kind", TEXT, LABEL, kind,
                     "op, call, frame, activity ...; of executions the type of the node"),
    TFP_COLUMN(seen_row, "short", TEXT, LABEL, short_name, "its short name, if it has one"),
    TFP_COLUMN(seen_row, "class", TEXT, LABEL, class, "of activities: compute, communication, copy or set"),
    TFP_COLUMN(seen_row, "self_us", NANO, MICROS, self_ns, "without what nests in it"),
    TFP_COLUMN(seen_row, "parent", INT, NUMBER, parent, "-> spans: what is around it"),
    TFP_COLUMN(seen_row, "launch", INT, NUMBER, launch, "-> spans: of an activity the call that launched it"),
    TFP_COLUMN_OF(seen_row, "found", INT, NUMBER, found, "how many have a name with the text searched for",
                  .only = SHOWS_FOUND, .whole = true),
    { 0 }
};

typedef struct window {
    const tfp_timeline *t;
    int64_t from_ns, to_ns;
    double pixels; /* pixels per nanosecond */
    const uint8_t *found;
    TFP_VEC(seen_row) rows;
} window;

static int64_t reference(uint32_t span) { return span == TFP_NONE ? TFP_ABSENT : (int64_t)span; }

/* Spans of a row that are drawn as one. */
typedef struct together {
    uint32_t first, end, longest;
    int64_t busy_ns, found;
} together;

static bool add_seen(window *w, uint32_t row, const together *g)
{
    const tfp_timeline *t = w->t;
    uint32_t first = g->first, end = g->end, longest = g->longest;
    uint32_t span = t->span[first];
    seen_row x = { .row = row,
                   .span = span,
                   .count = end - first,
                   .found = g->found,
                   .start_ns = t->start_ns[first],
                   .duration_ns = t->end_ns[end - 1] - t->start_ns[first],
                   .busy_ns = g->busy_ns,
                   .self_ns = TFP_ABSENT,
                   .parent = TFP_ABSENT,
                   .launch = TFP_ABSENT,
                   .name = tfp_text(t->p, tfp_timeline_name(t, longest)),
                   .short_name = tfp_timeline_short(t, tfp_timeline_name(t, longest)),
                   .kind = tfp_timeline_kind(t, longest),
                   .class = tfp_timeline_class(t, longest) };
    if (end - first == 1 && !t->runs) {
        x.self_ns = tfp_timeline_self(t, span);
        x.parent = reference(tfp_events_of(t->p)->spans.parent[span]);
        x.launch = reference(tfp_events_of(t->p)->spans.launch[span]);
    }
    return tfp_push(&w->rows, x);
}

/* Adds a row. Spans narrower than a pixel that start in the same pixel are drawn as one. */
static bool see_row(window *w, uint32_t row)
{
    const tfp_timeline *t = w->t;
    uint32_t last = t->row_first[row + 1];
    for (uint32_t i = tfp_timeline_after(t, row, w->from_ns), end; i < last && t->start_ns[i] < w->to_ns; i = end) {
        double pixel = floor((double)(t->start_ns[i] - w->from_ns) * w->pixels) + 1; /* NaN if no span is narrow */
        uint32_t longest = i;
        int64_t busy_ns = 0, found = 0;
        for (end = i; end < last; end++) {
            int64_t duration_ns = t->end_ns[end] - t->start_ns[end];
            bool narrow = (double)duration_ns * w->pixels < 1;
            if (end > i && (!narrow || (double)(t->start_ns[end] - w->from_ns) * w->pixels >= pixel)) break;
            busy_ns += duration_ns;
            if (duration_ns > t->end_ns[longest] - t->start_ns[longest]) longest = end;
            if (w->found) found += w->found[tfp_timeline_name(t, end)];
            if (!narrow) {
                end++;
                break;
            }
        }
        if (!add_seen(w, row, &(together){ i, end, longest, busy_ns, found })) return false;
    }
    return true;
}

/* Adds the visible spans of a range of rows, both ends included. */
static bool see(window *w, int64_t first_row, int64_t last_row)
{
    bool ok = true;
    for (int64_t i = first_row; ok && i <= last_row && i < (int64_t)w->t->row_count; i++) ok = see_row(w, (uint32_t)i);
    return ok;
}

static bool see_list(window *w, const char *rows)
{
    bool ok = true;
    for (uint32_t i = tfp_timeline_next_row(w->t, rows, 0); ok && i < w->t->row_count;
         i = tfp_timeline_next_row(w->t, rows, i + 1))
        ok = see_row(w, i);
    return ok;
}

/* Makes the report's table of the visible spans, and frees them. */
static tfp_status show_seen(window *w, bool ok, tfp_report *r, tfp_error *err)
{
    tfp_row_table table = { seen_columns, w->rows.at, sizeof *w->rows.at, w->rows.size, w->found ? SHOWS_FOUND : 0 };
    tfp_status s = ok ? tfp_grid_of(r, &table, err) : tfp_nomem(err);
    tfp_vec_free(&w->rows);
    return s;
}

tfp_status tfp_timeline_spans(const tfp_timeline *t, int64_t from_ns, int64_t to_ns, int width, const char *rows,
                              const char *search, tfp_report **out, tfp_error *err)
{
    tfp_report *r = NULL;
    tfp_status s = tfp_timeline_ask(t, "spans", &r, out, err);
    if (s) return s;
    if (from_ns < 0 || to_ns <= from_ns || width < 1) return tfp_timeline_refuse(r, err);
    if (!tfp_timeline_is_list(rows)) return tfp_timeline_refuse_rows(r, rows, err);
    window w = { .t = t, .from_ns = from_ns, .to_ns = to_ns, .pixels = width / ((double)to_ns - (double)from_ns) };
    uint8_t *found = search && *search ? tfp_timeline_matches(t, search) : NULL;
    w.found = found;
    bool ok = found || !search || !*search;
    s = show_seen(&w, ok && see_list(&w, rows), r, err);
    free(found);
    return tfp_report_give(r, s, out);
}

/* ---- all of it, in few rows ---- */

enum { WIDTH_FIRST = 8192, WIDTH_LEAST = 16 };

/* The range of a step's lanes, which are contiguous, and the number of their spans; for a trace all lanes. */
static int64_t rows_of_step(const tfp_timeline *t, int64_t step, int64_t *first_row, int64_t *last_row, window *w)
{
    int64_t spans = 0;
    *first_row = INT64_MAX, *last_row = -1;
    w->from_ns = INT64_MAX, w->to_ns = 0;
    for (size_t i = 0; i < t->lane_count; i++) {
        const tfp_timeline_lane *l = &t->lanes[i];
        if (step >= 0 && l->step != TFP_NONE && tfp_executions_of(t->p)->steps.at[l->step].id != step) continue;
        if (l->first_row < *first_row) *first_row = l->first_row;
        if (l->first_row + (int64_t)l->row_count - 1 > *last_row) *last_row = l->first_row + (int64_t)l->row_count - 1;
        if (l->start_ns < w->from_ns) w->from_ns = l->start_ns;
        if (l->end_ns >= w->to_ns) w->to_ns = l->end_ns < INT64_MAX ? l->end_ns + 1 : l->end_ns;
        spans += (int64_t)l->count;
    }
    return spans;
}

tfp_status tfp_timeline_whole(const tfp_timeline *t, int64_t step, int64_t most, tfp_report **out, tfp_error *err)
{
    tfp_report *r = NULL;
    tfp_status s = tfp_timeline_ask(t, "spans", &r, out, err);
    if (s) return s;
    window w = { .t = t };
    int64_t first_row, last_row, spans = rows_of_step(t, step, &first_row, &last_row, &w);
    w.pixels = INFINITY; /* no span is narrow */
    bool ok = true;
    for (int width = WIDTH_FIRST; ok; width /= 2) {
        if (spans > most) w.pixels = width / ((double)w.to_ns - (double)w.from_ns);
        w.rows.size = 0;
        ok = see(&w, first_row, last_row);
        if ((int64_t)w.rows.size <= most || width <= WIDTH_LEAST) break;
    }
    if (ok && spans > most)
        s = tfp_report_note_add(r, TFP_NOTE_SPANS_MERGED, err,
                                "a summary: %lld spans in %zu pieces, in which short ones side by side are one",
                                (long long)spans, w.rows.size);
    tfp_status shown = show_seen(&w, ok, r, err);
    return tfp_report_give(r, s ? s : shown, out);
}
