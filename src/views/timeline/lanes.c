// SPDX-License-Identifier: Apache-2.0
/* views/timeline/lanes.c: the lanes of a timeline, the times of its steps, and functions that its queries share. */
#include "model/tables/events.h"
#include "model/tables/graph.h"
#include "model/tables/lanes.h"
#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "model/tables/step_marks.h"
#include "query/order.h"
#include "views/core/grid.h"
#include "views/core/handle.h"
#include "views/core/notes.h"
#include "views/spans/doubts.h"
#include "views/timeline/timeline.h"

#include <stdlib.h>

/* ---- places ---- */

int64_t tfp_timeline_self(const tfp_timeline *t, uint32_t span)
{
    if (t->runs) return TFP_ABSENT;
    switch (tfp_events_of(t->p)->spans.kind[span]) {
    case TFP_SPAN_OP:
    case TFP_SPAN_CALL:
    case TFP_SPAN_ACTIVITY:
    case TFP_SPAN_OTHER: return tfp_events_of(t->p)->spans.self_ns[span];
    default: return TFP_ABSENT;
    }
}

tfp_str tfp_timeline_kind(const tfp_timeline *t, uint32_t place)
{
    if (t->runs) return tfp_text(t->p, tfp_graph_of(t->p)->nodes.at[t->node[place]].op);
    return tfp_str_of(tfp_span_kind_name(tfp_events_of(t->p)->spans.kind[t->span[place]]));
}

tfp_str tfp_timeline_class(const tfp_timeline *t, uint32_t place)
{
    static const tfp_str none = { 0 };
    if (t->runs || tfp_events_of(t->p)->spans.kind[t->span[place]] != TFP_SPAN_ACTIVITY) return none;
    return tfp_str_of(tfp_span_class_name(tfp_events_of(t->p)->spans.class[t->span[place]]));
}

/* The last i in [0, count) with first[i] <= n; `first` begins with 0. */
static uint32_t row_at(const uint32_t *first, size_t count, uint32_t n)
{
    uint32_t after;
    TFP_LOWER_BOUND(after, 1, count ? count : 1, first[after] <= n);
    return after - 1;
}

uint32_t tfp_timeline_row(const tfp_timeline *t, uint32_t place) { return row_at(t->row_first, t->row_count, place); }

const tfp_timeline_lane *tfp_timeline_lane_of(const tfp_timeline *t, uint32_t row)
{
    size_t after;
    TFP_LOWER_BOUND(after, 1, t->lane_count, t->lanes[after].first_row <= row);
    return &t->lanes[after - 1];
}

/* The first item of a row that ends after a time, or is at this time without a duration; the row's end if there is
 * none. */
uint32_t tfp_timeline_after(const tfp_timeline *t, uint32_t row, int64_t time_ns)
{
    uint32_t low;
    TFP_LOWER_BOUND(low, t->row_first[row], t->row_first[row + 1],
                    t->end_ns[low] < time_ns || (t->end_ns[low] == time_ns && t->start_ns[low] < time_ns));
    return low;
}

/* ---- lists of rows ---- */

#define ROW_DIGITS 18 /* most digits of a row's number: it fits in 64 bits */

/* Reads the number of a row, and moves *at behind it. */
static bool take_row_number(const char **at, unsigned long long *out)
{
    size_t digits = strspn(*at, "0123456789");
    *out = strtoull(*at, NULL, 10);
    *at += digits;
    return digits && digits <= ROW_DIGITS;
}

bool tfp_timeline_is_list(const char *rows)
{
    unsigned long long first, last;
    bool more = rows != NULL;
    while (more) {
        if (!take_row_number(&rows, &first)) return false;
        if (*rows == '-' && (rows++, !take_row_number(&rows, &last) || last < first)) return false;
        more = *rows++ == ',';
        if (!more && rows[-1]) return false;
    }
    return true;
}

uint32_t tfp_timeline_next_row(const tfp_timeline *t, const char *rows, uint32_t row)
{
    unsigned long long best = t->row_count;
    if (!rows) return row < t->row_count ? row : (uint32_t)t->row_count;
    for (const char *at = rows; *at;) {
        char *end;
        unsigned long long first = strtoull(at, &end, 10), last = first;
        if (*end == '-') last = strtoull(end + 1, &end, 10);
        if (row <= last && (first > row ? first : row) < best) best = first > row ? first : row;
        at = *end ? end + 1 : end;
    }
    return (uint32_t)best;
}

/* ---- answers ---- */

tfp_status tfp_timeline_ask(const tfp_timeline *t, const char *name, tfp_report **r, tfp_report **out, tfp_error *err)
{
    tfp_error_clear(err);
    if (out) *out = NULL;
    if (!t || !out) return tfp_fail(err, TFP_BADARG, "no timeline, or no place for the answer");
    *r = tfp_report_of_table(t->p, name);
    return *r ? TFP_OK : tfp_nomem(err);
}

tfp_status tfp_timeline_refuse(tfp_report *r, tfp_error *err)
{
    tfp_report_free(r);
    return tfp_fail(err, TFP_BADARG, "a window needs a start, an end after it, and a width");
}

tfp_status tfp_timeline_refuse_rows(tfp_report *r, const char *rows, tfp_error *err)
{
    tfp_report_free(r);
    return tfp_fail(err, TFP_BADARG, "rows '%s': not a list of rows such as 0-24,33", rows);
}

/* ---- lanes ---- */

typedef struct lane_row {
    int64_t step, rank, first_row, rows, spans, start_ns, end_ns, busy_ns;
    tfp_str process, device, lane, label, title, detail, kind, classes;
} lane_row;

static const tfp_table_column lane_columns[] = {
    TFP_COLUMN(lane_row, "step", INT, NUMBER, step, "of executions: the step; each has lanes of its own"),
    TFP_COLUMN(lane_row, "rank", INT, NUMBER, rank, "of several ranks: which"),
    TFP_COLUMN(lane_row, "process", TEXT, LABEL, process, "the host or process, when the file names it"),
    TFP_COLUMN(lane_row, "device", TEXT, LABEL, device, "the device; cpu: host threads"),
    TFP_COLUMN_WHOLE(lane_row, "lane", TEXT, LABEL, lane, "thread, stream, or device"),
    TFP_COLUMN(lane_row, "label", TEXT, LABEL, label, "what the file calls it"),
    TFP_COLUMN_WHOLE(lane_row, "title", TEXT, LABEL, title, "what people call it: compute, comm., copies, main ..."),
    TFP_COLUMN(lane_row, "detail", TEXT, LABEL, detail, "its number: stream 7, 4515"),
    TFP_COLUMN_WHOLE(lane_row, "kind", TEXT, LABEL, kind,
                     "what takes most of its time: compute, communication, copy, host; derived: shown, never counted"),
    TFP_COLUMN_WHOLE(lane_row, "first_row", INT, NUMBER, first_row, "its first row, counted over all lanes"),
    TFP_COLUMN_WHOLE(lane_row, "rows", INT, NUMBER, rows,
                     "how many rows it has: spans that overlap are in different rows"),
    TFP_COLUMN_WHOLE(lane_row, "spans", INT, NUMBER, spans, "how many it has"),
    TFP_COLUMN_WHOLE(lane_row, "start_us", NANO, MICROS, start_ns, "of the first one, from the start of the timeline"),
    TFP_COLUMN_WHOLE(lane_row, "end_us", NANO, MICROS, end_ns, "of the last one"),
    TFP_COLUMN_WHOLE(lane_row, "busy_us", NANO, MICROS, busy_ns, "how long anything ran"),
    TFP_COLUMN(lane_row, "classes", TEXT, LABEL, classes, "all kinds that its activities have, joined by |"),
    { 0 }
};

static void describe_lane(const tfp_timeline *t, const tfp_timeline_lane *l, tfp_arena *arena, lane_row *out)
{
    static const tfp_str none = { 0 };
    const tfp_profile *p = t->p;
    const tfp_lane *lane = &tfp_lanes_of(p)->at[l->lane];
    const tfp_process *process = lane->process == TFP_NONE ? NULL : &tfp_events_of(p)->processes.at[lane->process];
    bool several = tfp_events_of(p)->processes.size > 1;
    tfp_lane_title title = tfp_timeline_title(t, l, arena);
    const char *classes = tfp_track_classes_name(l->classes);
    tfp_strid about = process ? (process->host ? process->host : process->name) : 0;
    *out = (lane_row){ .step = l->step == TFP_NONE ? TFP_ABSENT : tfp_executions_of(p)->steps.at[l->step].id,
                       .rank = process && several && process->rank >= 0 ? process->rank : TFP_ABSENT,
                       .first_row = l->first_row,
                       .rows = l->row_count,
                       .spans = (int64_t)l->count,
                       .start_ns = l->start_ns,
                       .end_ns = l->end_ns,
                       .busy_ns = l->busy_ns,
                       .process = about ? tfp_text(p, about) : none,
                       .device = lane->device ? tfp_text(p, lane->device) : none,
                       .lane = tfp_text(p, lane->name),
                       .label = lane->label ? tfp_text(p, lane->label) : none,
                       .title = title.title,
                       .detail = title.detail,
                       .kind = tfp_str_of(tfp_track_kind_name(l->kind)),
                       .classes = classes ? tfp_str_of(classes) : none };
}

typedef struct step_row {
    int64_t step, start_ns, end_ns;
} step_row;

static const tfp_table_column step_columns[] = {
    TFP_COLUMN_WHOLE(step_row, "step", INT, NUMBER, step, "its number"),
    TFP_COLUMN_WHOLE(step_row, "start_us", NANO, MICROS, start_ns, "from the start of the timeline"),
    TFP_COLUMN_WHOLE(step_row, "end_us", NANO, MICROS, end_ns, "of its last span, or of its window"),
    { 0 }
};

static void widen_step(step_row *x, int64_t start_ns, int64_t end_ns)
{
    if (x->end_ns < 0 || start_ns < x->start_ns) x->start_ns = start_ns;
    if (end_ns > x->end_ns) x->end_ns = end_ns;
}

/* Finds the time of each step, over all processes and devices. */
static tfp_status tell_steps(const tfp_timeline *t, tfp_report *r, tfp_error *err)
{
    const tfp_profile *p = t->p;
    step_row *all = TFP_NEW(tfp_arena_of(r), step_row, tfp_executions_of(p)->steps.size + 1),
             *rows = TFP_NEW(tfp_arena_of(r), step_row, tfp_executions_of(p)->steps.size + 1);
    size_t count = 0;
    if (!all || !rows) return tfp_nomem(err);
    for (size_t i = 0; i < tfp_executions_of(p)->steps.size; i++)
        all[i] = (step_row){ tfp_executions_of(p)->steps.at[i].id, 0, -1 };
    for (size_t i = 0; i < t->lane_count; i++)
        if (t->runs) widen_step(&all[t->lanes[i].step], t->lanes[i].start_ns, t->lanes[i].end_ns);
    for (size_t i = 0; i < tfp_events_of(p)->windows.size; i++) {
        const tfp_step_window *w = &tfp_events_of(p)->windows.at[i];
        int64_t offset = tfp_add(t->offset_ns[w->process], -t->origin_ns, NULL);
        widen_step(&all[w->step], tfp_add(w->start_ns, offset, NULL), tfp_add(w->end_ns, offset, NULL));
    }
    for (size_t i = 0; i < tfp_executions_of(p)->step_order.size; i++)
        if (all[tfp_executions_of(p)->step_order.at[i]].end_ns >= 0)
            rows[count++] = all[tfp_executions_of(p)->step_order.at[i]];
    return tfp_grid_part(r, "steps", "Steps", &(tfp_row_table){ step_columns, rows, sizeof *rows, count, 0 }, 0, err);
}

tfp_status tfp_timeline_lanes(const tfp_timeline *t, int64_t step, tfp_report **out, tfp_error *err)
{
    tfp_report *r = NULL;
    tfp_status s = tfp_timeline_ask(t, "lanes", &r, out, err);
    if (s) return s;
    lane_row *rows = calloc(t->lane_count + 1, sizeof *rows);
    size_t count = 0;
    for (size_t i = 0; rows && i < t->lane_count; i++) {
        describe_lane(t, &t->lanes[i], tfp_arena_of(r), &rows[count]);
        count += step < 0 || rows[count].step == TFP_ABSENT || rows[count].step == step;
    }
    s = rows ? tfp_grid_of(r, &(tfp_row_table){ lane_columns, rows, sizeof *rows, count, 0 }, err) : tfp_nomem(err);
    free(rows);
    if (!s) s = tell_steps(t, r, err);
    if (!s) s = tfp_note_recording(r, t->p, NULL, err);
    if (!s && t->moved)
        s = tfp_report_note_add(r, TFP_NOTE_CLOCKS_APART, err,
                                "the clocks of these files cannot be compared: the timeline aligns the files at the "
                                "first step that they have in common; tables show the files' own times");
    return tfp_report_give(r, s, out);
}
