// SPDX-License-Identifier: Apache-2.0
/* views/spans/rows.c: rows of slim lanes (model/slim.h) instead of spans: adds them to the index of a trace, and gives a
 * device's rows by start. Lanes are merged with a heap; a lane whose rows are not in order is sorted first. */
#include "model/slim.h"
#include "model/tables/events.h"
#include "model/tables/lanes.h"
#include "model/tables/step_marks.h"
#include "views/spans/rows.h"

#include <stdlib.h>

bool tfp_rows_are_used(const tfp_profile *p)
{
    for (size_t i = 0; i < tfp_events_of(p)->slim->slims.size; i++)
        if (!tfp_events_of(p)->slim->slims.at[i].wide) return true;
    return false;
}

static bool counts(const tfp_profile *p, const tfp_slim_row *row, bool host)
{
    unsigned kind = tfp_events_of(p)->slim->slim_kinds.at[row->kind].kind;
    return host ? kind == TFP_SPAN_OP || kind == TFP_SPAN_CALL : kind == TFP_SPAN_ACTIVITY;
}

void tfp_rows_extent(tfp_trace_index *x)
{
    const tfp_event_tables *t = tfp_events_of(x->p);
    for (size_t i = 0; i < t->slim->slims.size; i++) {
        const tfp_slim_lane *f = &t->slim->slims.at[i];
        uint32_t process = tfp_lanes_of(x->p)->at[f->lane].process;
        if (!f->first || process == TFP_NONE) continue;
        tfp_trace_unit *u = &x->units[x->unit_of_process[process]];
        if (f->start_ns < u->origin_ns) u->origin_ns = f->start_ns;
        if (f->end_ns > u->end_ns) u->end_ns = f->end_ns;
        u->has_devices |= f->nesting != TFP_SLIM_HOST;
    }
    for (size_t i = 0; i < t->step_marks.size && t->slim->slims.size; i++) { /* marks of steps need no rows */
        uint32_t span = t->step_marks.at[i].span, process = tfp_lanes_of(x->p)->at[t->spans.lane[span]].process;
        if (t->step_marks.at[i].source == TFP_STEPS_MODULES || process == TFP_NONE) continue;
        tfp_trace_unit *u = &x->units[x->unit_of_process[process]];
        if (t->spans.start_ns[span] < u->origin_ns) u->origin_ns = t->spans.start_ns[span];
        if (tfp_span_end(&t->spans, span) > u->end_ns) u->end_ns = tfp_span_end(&t->spans, span);
    }
}

bool tfp_rows_of_lane(const tfp_trace_index *x, const tfp_slim_lane *f, int64_t *start_ns, int64_t *end_ns)
{
    bool host = x->lane_on_host[f->lane], any = false;
    if (!host && f->nesting == TFP_SLIM_HOST) return false;
    if (!host) {
        *start_ns = f->start_ns;
        *end_ns = f->end_ns;
        return f->first != NULL;
    }
    for (const tfp_slim_block *b = f->first; b; b = b->next) {
        for (uint32_t i = 0; i < b->size; i++) {
            if (!counts(x->p, &b->rows[i], true)) continue;
            int64_t start = tfp_slim_start_of(b, &b->rows[i]), end = start + tfp_slim_duration(f, &b->rows[i]);
            if (!any || start < *start_ns) *start_ns = start;
            if (!any || end > *end_ns) *end_ns = end;
            any = true;
        }
    }
    return any;
}

/* ---- a device's rows by start ---- */

typedef struct placed { /* for a lane that is sorted */
    int64_t start_ns;
    const tfp_slim_row *row;
} placed;

struct tfp_row_stream {
    const tfp_slim_lane *lane;
    const tfp_slim_block *block;
    uint32_t next; /* index in the block */
    placed *sorted;
    size_t at, count;
    int64_t start_ns; /* start of the next row */
    const tfp_slim_row *row;
    bool host;
};

static int by_start(const void *a, const void *b)
{
    const placed *x = a, *y = b;
    return x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

static bool sort_lane(tfp_row_stream *s)
{
    bool ordered = true;
    int64_t last = INT64_MIN;
    size_t count = 0;
    for (const tfp_slim_block *b = s->lane->first; b; b = b->next) {
        count += b->size;
        for (uint32_t i = 0; i < b->size; i++) {
            int64_t start = tfp_slim_start_of(b, &b->rows[i]);
            ordered &= start >= last;
            last = start;
        }
    }
    if (ordered) return true;
    s->sorted = malloc(count * sizeof *s->sorted);
    if (!s->sorted) return false;
    for (const tfp_slim_block *b = s->lane->first; b; b = b->next)
        for (uint32_t i = 0; i < b->size; i++)
            s->sorted[s->count++] = (placed){ tfp_slim_start_of(b, &b->rows[i]), &b->rows[i] };
    qsort(s->sorted, s->count, sizeof *s->sorted, by_start);
    return true;
}

/* Moves to the next row that counts; false at the end. */
static bool advance(const tfp_profile *p, tfp_row_stream *s)
{
    while (s->sorted ? s->at < s->count : s->block != NULL) {
        if (s->sorted) {
            s->row = s->sorted[s->at].row;
            s->start_ns = s->sorted[s->at++].start_ns;
        } else {
            s->row = &s->block->rows[s->next];
            s->start_ns = tfp_slim_start_of(s->block, s->row);
            if (++s->next == s->block->size) {
                s->block = s->block->next;
                s->next = 0;
            }
        }
        if (counts(p, s->row, s->host)) return true;
    }
    return false;
}

/* Restores the heap: the stream at the top starts first. */
static void sink(tfp_rows *m)
{
    size_t i = 0;
    for (;;) {
        size_t least = i;
        for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < m->count; child++)
            if (m->streams[child].start_ns < m->streams[least].start_ns) least = child;
        if (least == i) return;
        tfp_row_stream moved = m->streams[i];
        m->streams[i] = m->streams[least];
        m->streams[least] = moved;
        i = least;
    }
}

static void rise(tfp_rows *m)
{
    for (size_t i = m->count - 1; i; i = (i - 1) / 2) {
        size_t above = (i - 1) / 2;
        if (m->streams[above].start_ns <= m->streams[i].start_ns) return;
        tfp_row_stream moved = m->streams[i];
        m->streams[i] = m->streams[above];
        m->streams[above] = moved;
    }
}

bool tfp_rows_start(tfp_rows *m, const tfp_trace_index *x, uint32_t device)
{
    const tfp_event_tables *t = tfp_events_of(x->p);
    *m = (tfp_rows){ .p = x->p, .streams = calloc(t->slim->slims.size + 1, sizeof *m->streams) };
    if (!m->streams) return false;
    for (size_t i = 0; i < t->slim->slims.size; i++) {
        const tfp_slim_lane *f = &t->slim->slims.at[i];
        if (f->wide || x->device_of_lane[f->lane] != device) continue;
        tfp_row_stream *s = &m->streams[m->count];
        *s = (tfp_row_stream){ .lane = f, .block = f->first, .host = x->lane_on_host[f->lane] };
        if (f->nesting == TFP_SLIM_FLAT && !sort_lane(s)) return false;
        if (!advance(x->p, s)) {
            free(s->sorted);
            continue;
        }
        m->count++;
        rise(m);
    }
    return true;
}

bool tfp_rows_next(tfp_rows *m, tfp_row_found *out)
{
    if (!m->count) return false;
    tfp_row_stream *s = &m->streams[0];
    *out = (tfp_row_found){ s->lane, s->row, s->start_ns, s->start_ns + tfp_slim_duration(s->lane, s->row) };
    if (!advance(m->p, s)) {
        free(s->sorted);
        m->streams[0] = m->streams[--m->count];
    }
    if (m->count) sink(m);
    return true;
}

void tfp_rows_end(tfp_rows *m)
{
    for (size_t i = 0; i < m->count; i++) free(m->streams[i].sorted);
    free(m->streams);
    *m = (tfp_rows){ 0 };
}
