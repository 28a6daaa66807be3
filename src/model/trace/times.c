// SPDX-License-Identifier: Apache-2.0
/* model/trace/times.c: scans for times: spans in columns come in the order that the caller knows; compact lanes are merged with a
 * heap, a lane whose rows are not in order is sorted first. */
#include "model/launches.h"
#include "model/tables/compact.h"
#include "model/tables/events.h"
#include "model/tables/lanes.h"
#include "model/tables/profile.h"
#include "model/trace/scan.h"

#include <stdlib.h>

tfp_extent tfp_scan_extent(const tfp_profile *p, uint32_t lane, unsigned kinds)
{
    const tfp_event_tables *t = p->events;
    tfp_extent none = { INT64_MAX, INT64_MIN }, out = none;
    const tfp_compact_lane *f = tfp_compact_lane_of(t, lane);
    if (!f || !f->first) return none;
    if (!kinds) return (tfp_extent){ f->start_ns, f->end_ns };
    if (kinds & TFP_SPANS(ACTIVITY))
        return f->nesting == TFP_NESTING_HOST ? none : (tfp_extent){ f->start_ns, f->end_ns };
    for (tfp_lane_rows r = tfp_lane_rows_of(t, f); tfp_lane_rows_next(&r);) {
        if (!(kinds >> r.kind->kind & 1)) continue;
        if (r.start_ns < out.start_ns) out.start_ns = r.start_ns;
        if (r.start_ns + r.duration_ns > out.end_ns) out.end_ns = r.start_ns + r.duration_ns;
    }
    return out;
}

/* ---- compact lanes by start ---- */

typedef struct placed { /* for a lane that is sorted */
    int64_t start_ns;
    const tfp_compact_row *row;
} placed;

typedef struct tfp_time_stream {
    const tfp_compact_lane *lane;
    const tfp_compact_block *block;
    uint32_t next; /* index in the block */
    placed *sorted;
    size_t at, count;
    int64_t start_ns; /* start of the next row */
    const tfp_compact_row *row;
    unsigned kinds;
} tfp_time_stream;

static int by_start(const void *a, const void *b)
{
    const placed *x = a, *y = b;
    return x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

static bool sort_lane(tfp_time_stream *s)
{
    bool ordered = true;
    int64_t last = INT64_MIN;
    size_t count = 0;
    for (const tfp_compact_block *b = s->lane->first; b; b = b->next) {
        count += b->size;
        for (uint32_t i = 0; i < b->size; i++) {
            int64_t start = b->base_ns + b->rows[i].start;
            ordered &= start >= last;
            last = start;
        }
    }
    if (ordered) return true;
    s->sorted = malloc(count * sizeof *s->sorted);
    if (!s->sorted) return false;
    for (const tfp_compact_block *b = s->lane->first; b; b = b->next)
        for (uint32_t i = 0; i < b->size; i++)
            s->sorted[s->count++] = (placed){ b->base_ns + b->rows[i].start, &b->rows[i] };
    qsort(s->sorted, s->count, sizeof *s->sorted, by_start);
    return true;
}

static bool counts(const tfp_profile *p, const tfp_compact_row *row, unsigned kinds)
{
    return kinds >> p->events->compact->kinds.at[row->kind].kind & 1;
}

/* Moves to the next row that counts; false at the end. */
static bool advance(const tfp_profile *p, tfp_time_stream *s)
{
    while (s->sorted ? s->at < s->count : s->block != NULL) {
        if (s->sorted) {
            s->row = s->sorted[s->at].row;
            s->start_ns = s->sorted[s->at++].start_ns;
        } else {
            s->row = &s->block->rows[s->next];
            s->start_ns = s->block->base_ns + s->row->start;
            if (++s->next == s->block->size) {
                s->block = s->block->next;
                s->next = 0;
            }
        }
        if (counts(p, s->row, s->kinds)) return true;
    }
    return false;
}

/* Restores the heap: the stream at the top starts first. */
static void sink(tfp_time_scan *m)
{
    size_t i = 0;
    for (;;) {
        size_t least = i;
        for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < m->stream_count; child++)
            if (m->streams[child].start_ns < m->streams[least].start_ns) least = child;
        if (least == i) return;
        tfp_time_stream moved = m->streams[i];
        m->streams[i] = m->streams[least];
        m->streams[least] = moved;
        i = least;
    }
}

static void rise(tfp_time_scan *m)
{
    for (size_t i = m->stream_count - 1; i; i = (i - 1) / 2) {
        size_t above = (i - 1) / 2;
        if (m->streams[above].start_ns <= m->streams[i].start_ns) return;
        tfp_time_stream moved = m->streams[i];
        m->streams[i] = m->streams[above];
        m->streams[above] = moved;
    }
}

static bool start_streams(tfp_time_scan *m)
{
    const tfp_event_tables *t = m->p->events;
    m->streams = calloc(t->compact->lanes.size + 1, sizeof *m->streams);
    if (!m->streams) return false;
    for (size_t i = 0; i < t->compact->lanes.size; i++) {
        const tfp_compact_lane *f = &t->compact->lanes.at[i];
        if (f->expanded || m->ask.device_of_lane[f->lane] != m->ask.device) continue;
        tfp_time_stream *s = &m->streams[m->stream_count];
        *s = (tfp_time_stream){ .lane = f, .block = f->first, .kinds = tfp_device_kinds(m->ask.lane_on_host[f->lane]) };
        if (f->nesting == TFP_NESTING_FLAT && !sort_lane(s)) return false;
        if (!advance(m->p, s)) {
            free(s->sorted);
            continue;
        }
        m->stream_count++;
        rise(m);
    }
    return true;
}

static void add_compact(tfp_time_scan *m)
{
    tfp_time_stream *s = &m->streams[0];
    const tfp_profile *p = m->p;
    const tfp_launches *l = s->kinds & TFP_SPANS(ACTIVITY) ? p->events->launches : NULL;
    tfp_lane_rows r = { .kinds = p->events->compact->kinds.at, .lane = s->lane };
    tfp_lane_rows_read(&r, s->row, s->start_ns);
    uint32_t process = p->lanes->at[s->lane->lane].process;
    const tfp_launch *call = tfp_launch_of(l, process, r.correlation);
    tfp_time_row row = {
        .start_ns = r.start_ns, .end_ns = r.start_ns + r.duration_ns, .class = r.kind->class, .launched = call != NULL
    };
    if (call) {
        row.class = tfp_launch_class(l, call, row.class);
        row.call_start_ns = call->start_ns;
        row.call_end_ns = tfp_launch_end(p, l, call, (uint64_t)process << 32 | r.correlation);
    }
    m->rows[m->count++] = row;
    if (!advance(p, s)) {
        free(s->sorted);
        m->streams[0] = m->streams[--m->stream_count];
    }
    if (m->stream_count) sink(m);
}

/* ---- both ---- */

static void add_span(tfp_time_scan *m, uint32_t span)
{
    const tfp_span_columns *c = &m->p->events->spans;
    uint32_t launch = c->launch[span];
    tfp_time_row row = { .start_ns = c->start_ns[span],
                         .end_ns = tfp_span_end(c, span),
                         .class = c->class[span],
                         .launched = launch != TFP_NONE };
    if (row.launched) {
        row.call_start_ns = c->start_ns[launch];
        row.call_end_ns = tfp_span_end(c, launch);
    }
    m->rows[m->count++] = row;
}

tfp_time_scan tfp_time_scan_of(const tfp_profile *p, const tfp_time_ask *ask)
{
    tfp_time_scan m = { .p = p, .ask = *ask, .compact = tfp_has_compact(p->events) };
    m.failed = m.compact && !start_streams(&m);
    return m;
}

bool tfp_time_scan_next(tfp_time_scan *m)
{
    m->count = 0;
    while (!m->failed && m->compact && m->count < TFP_SCAN_BATCH && m->stream_count) add_compact(m);
    while (!m->compact && m->count < TFP_SCAN_BATCH && m->next < m->ask.span_count)
        add_span(m, m->ask.spans[m->next++]);
    return m->count > 0;
}

void tfp_time_scan_end(tfp_time_scan *m)
{
    for (size_t i = 0; i < m->stream_count; i++) free(m->streams[i].sorted);
    free(m->streams);
    m->streams = NULL;
}
