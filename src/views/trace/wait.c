// SPDX-License-Identifier: Apache-2.0
/* views/trace/wait.c: the table `wait`: what the host waits for (synchronisation, reads of a device's value, data), and
 * the gaps of each stream by what ended them. */
#include "model/frames/kinds.h"
#include "model/span_names.h"
#include "model/tables/lanes.h"
#include "model/tables/read.h"
#include "model/tables/spans.h"
#include "query/groups.h"
#include "query/order.h"
#include "views/core/handle.h"
#include "views/core/own_frame.h"
#include "views/core/texts.h"
#include "views/core/view.h"
#include "views/spans/nest.h"
#include "views/spans/waiting.h"
#include "views/trace/facts.h"

#include <math.h>

#define FRAME_WAIT_NS 10000 /* a shorter call got its lock at once */
#define QUEUE_GAP_NS 30000  /* longer gaps are not the device's own delay between activities */

typedef struct wait_row {
    int64_t rank;
    tfp_str cause, where;
    tfp_fold ns;
    tfp_covered covered; /* time in which such a wait goes on; waits come by start */
    double mean_us, share;
    tfp_str example;
    uint32_t unit;
} wait_row;

typedef struct waited {
    int64_t start_ns, ns;
} waited;

typedef struct wait_table {
    tfp_report *r;
    const tfp_trace_index *x;
    tfp_own_lines *own; /* of frames that wait */
    tfp_doubted_steps doubted;
    tfp_strtab texts; /* causes and places */
    tfp_groups rows;  /* by unit, cause and place */
} wait_table;

/* ---- rows ---- */

static bool add(wait_table *t, uint32_t unit, const char *cause, tfp_str where, waited w, tfp_str example)
{
    tfp_strid place = tfp_intern(&t->texts, where), because = tfp_intern(&t->texts, tfp_str_of(cause));
    bool ok = place != TFP_NONE && because != TFP_NONE;
    wait_row *to = ok ? TFP_GROUP(&t->rows, unit, because, place) : NULL;
    if (!to) return false;
    if (t->rows.added)
        *to = (wait_row){ .rank = t->x->units[unit].rank,
                          .cause = tfp_str_of(cause),
                          .where = tfp_strtab_get(&t->texts, place),
                          .unit = unit };
    tfp_covered_add(&to->covered, w.start_ns, tfp_add(w.start_ns, w.ns, NULL));
    if (tfp_fold_add(&to->ns, w.ns)) to->example = example;
    return true;
}

/* ---- the host's waits ---- */

static bool add_host_wait(wait_table *t, uint32_t span, const char *cause)
{
    tfp_buf where = { 0 };
    tfp_str name = tfp_span_name(t->x->p, span);
    tfp_span_path(t->x->p, span, &where);
    uint32_t unit = tfp_trace_unit_of(t->x, span);
    bool ok = !where.failed && add(t, unit, cause, (tfp_str){ where.data, where.size },
                                   (waited){ t->x->s->start_ns[span], t->x->s->duration_ns[span] }, name);
    tfp_buf_free(&where);
    return ok;
}

static bool collect_host(wait_table *t)
{
    static const char *const causes[] = { NULL, "synchronize", "item", "data", "queue", "barrier", "lock" };
    const uint8_t *found = tfp_host_waits(t->r, t->x);
    uint32_t *list = found ? TFP_NEW(tfp_arena_of(t->r), uint32_t, t->x->s->size + 1) : NULL;
    size_t count = 0;
    for (uint32_t i = 0; list && i < t->x->s->size; i++)
        if (found[i] && tfp_span_in_step(t->r, i) && tfp_trace_unit_of(t->x, i) != TFP_NONE) list[count++] = i;
    bool ok = list && tfp_order_items(list, count, (tfp_sort_key[]){ TFP_UP_IN(t->x->s->start_ns), { 0 } }, NULL, 0);
    for (size_t i = 0; ok && i < count; i++) ok = add_host_wait(t, list[i], causes[found[list[i]]]);
    return ok;
}

/* ---- frames that wait ---- */

/* The outermost frame that waits around one that does: a queue's `get` around the lock that it takes. */
static uint32_t outermost(const tfp_nest *n, const tfp_waiting *w, uint32_t span)
{
    for (uint32_t at = n->parent[span]; at != TFP_NONE && w->waits[at]; at = n->parent[at]) span = at;
    return span;
}

static bool frame_of(const tfp_profile *p, uint32_t span, tfp_python_frame *f)
{
    if (span == TFP_NONE || !tfp_is_frame(p, span) || !tfp_python_frame_of(tfp_span_name(p, span), f)) return false;
    if (tfp_events_of(p)->spans.kind[span] == TFP_SPAN_ANNOTATION) f->file = tfp_path_of_bare_file(f->file);
    return true;
}

/* Of a frame that waits: the line of the user's code that called it, else the innermost frame that does not wait; of another thread than
 * that of the steps the thread, too. */
static void put_line(const wait_table *t, const tfp_nest *n, const tfp_waiting *w, uint32_t span, tfp_buf *out)
{
    const tfp_profile *p = t->x->p;
    tfp_outward own = { 0 };
    uint32_t other = TFP_NONE;
    tfp_python_frame f;
    for (uint32_t at = span; at != TFP_NONE; at = n->parent[at]) {
        if (!frame_of(p, at, &f)) continue;
        tfp_outward_add(&own, tfp_frame_here(t->own, f.file, f.function), at);
        if (other == TFP_NONE && !w->waits[at]) other = at;
    }
    uint32_t best = tfp_outward_best(&own);
    bool found = frame_of(p, best == TFP_NONE ? other : best, &f);
    if (w->threads[t->x->s->lane[span]] != TFP_THREAD_LEADS) {
        tfp_lane_put(p, t->x->s->lane[span], out);
        tfp_buf_text(out, found ? ": " : "");
    }
    if (found) tfp_put_line(out, f.file, f.line, f.function);
}

static bool add_frame(wait_table *t, const tfp_nest *n, const tfp_waiting *w, uint32_t span, int64_t ns)
{
    tfp_buf where = { 0 };
    put_line(t, n, w, span, &where);
    bool ok =
        !where.failed && add(t, tfp_trace_unit_of(t->x, span), tfp_frame_wait_word((tfp_frame_wait)w->waits[span]),
                             (tfp_str){ where.data ? where.data : "", where.size },
                             (waited){ t->x->s->start_ns[span], ns }, tfp_span_name(t->x->p, span));
    tfp_buf_free(&where);
    return ok;
}

static bool collect_frames(wait_table *t)
{
    const tfp_span_columns *s = t->x->s;
    tfp_waiting w;
    tfp_nest n;
    tfp_arena *arena = tfp_arena_of(t->r);
    if (!tfp_waiting_of(t->x->p, t->x->cut, arena, &w)) return false;
    if (!w.waits) return true;
    int64_t *waits_ns = TFP_NEW(arena, int64_t, s->size + 1); /* of outermost frames: with those inside */
    bool ok = waits_ns && tfp_nest_of(t->x->p, arena, &n) && (t->own = tfp_own_lines_of(t->r, &n));
    for (uint32_t i = 0; ok && i < s->size; i++) {
        if (!w.waits[i] || w.own_ns[i] <= 0 || !tfp_span_in_step(t->r, i)) continue;
        uint32_t top = outermost(&n, &w, i);
        waits_ns[top] = tfp_add(waits_ns[top], w.own_ns[i], NULL);
    }
    uint32_t *list = ok ? TFP_NEW(arena, uint32_t, s->size + 1) : NULL;
    size_t count = 0;
    for (uint32_t i = 0; list && i < s->size; i++)
        if (waits_ns[i] >= FRAME_WAIT_NS && tfp_trace_unit_of(t->x, i) != TFP_NONE) list[count++] = i;
    ok = list && tfp_order_items(list, count, (tfp_sort_key[]){ TFP_UP_IN(s->start_ns), { 0 } }, NULL, 0);
    for (size_t i = 0; ok && i < count; i++) ok = add_frame(t, &n, &w, list[i], waits_ns[list[i]]);
    return ok;
}

/* ---- gaps of streams ---- */

static const char *cause_of_gap(const wait_table *t, uint32_t span, int64_t since)
{
    const tfp_span_columns *s = t->x->s;
    uint32_t launch = t->doubted.clocks ? TFP_NONE : s->launch[span];
    if (launch != TFP_NONE && s->start_ns[launch] > since) return "host";
    return s->start_ns[span] - since <= QUEUE_GAP_NS ? "kernel" : "other";
}

static bool collect_device(wait_table *t, const tfp_trace_device *d, int64_t *last_end, uint8_t *seen)
{
    const tfp_span_columns *s = t->x->s;
    for (size_t i = 0; i < d->count; i++) {
        uint32_t span = t->x->items[d->first + i], lane = s->lane[span];
        int64_t since = last_end[lane], start = s->start_ns[span], end = tfp_span_end(s, span);
        bool gap = seen[lane] && start > since && tfp_span_in_step(t->r, span);
        if (!seen[lane] || end > since) last_end[lane] = end;
        seen[lane] = 1;
        if (!gap) continue;
        tfp_str where = tfp_text(t->x->p, tfp_lanes_of(t->x->p)->at[lane].name);
        if (!add(t, d->unit, cause_of_gap(t, span, since), where, (waited){ since, start - since },
                 tfp_span_name(t->x->p, span)))
            return false;
    }
    return true;
}

static bool collect_devices(wait_table *t)
{
    size_t lanes = tfp_lanes_of(t->x->p)->size;
    int64_t *last_end = TFP_NEW(tfp_arena_of(t->r), int64_t, lanes + 1);
    uint8_t *seen = TFP_NEW(tfp_arena_of(t->r), uint8_t, lanes + 1);
    if (!last_end || !seen) return false;
    for (size_t i = 0; i < t->x->device_count; i++) {
        const tfp_trace_device *d = &t->x->devices[i];
        if (d->host || tfp_is_tpu(d->name)) continue; /* a TPU's lines are no queues */
        if (!collect_device(t, d, last_end, seen)) return false;
    }
    return true;
}

/* clang-format off */
static const tfp_table_column columns[] = {
    TFP_COLUMN_ONLY(wait_row, "rank", INT, NUMBER, rank, "Rank in the job, or the position of the file if it names no rank.", TFP_SHOWN_RANKS),
    TFP_COLUMN(wait_row, "cause", TEXT, LABEL, cause, "Host: synchronize, item (a value is read from a device), data; in RunMetadata data, queue, barrier, lock; Python frames: lock, queue, sleep, poll (a pipe, a socket). Stream: host (launched too late), kernel (turn-around of at most 30 us), other (an event, another stream, the queue)."),
    TFP_COLUMN(wait_row, "where", TEXT, LABEL, where, "Path of the waiting op, the line of your code that waits, the thread that only waits, or the stream."),
    TFP_COLUMN(wait_row, "count", INT, NUMBER, ns.count, "How often."),
    TFP_COLUMN(wait_row, "total_us", NANO, MICROS, ns.total, "Total time."),
    TFP_COLUMN(wait_row, "mean_us", REAL, MICROS, mean_us, "Mean time."),
    TFP_COLUMN(wait_row, "max_us", NANO, MICROS, ns.max, "Longest time."),
    TFP_COLUMN(wait_row, "share", REAL, SHARE, share, "total_us as share of the time from the first span of the trace to the end of its last; where several threads wait at once and longer than that together, the share in which at least one of them waits."),
    TFP_COLUMN(wait_row, "example", TEXT, LABEL, example, "The longest wait's name, or the activity after the longest gap."),
    { NULL, TFP_CELL_INT, TFP_LABEL, 0, NULL, 0 },
};
/* clang-format on */

static const tfp_sort_key longest_first[] = { TFP_UP(wait_row, unit), TFP_DOWN(wait_row, ns.total), { 0 } };

/* By unit, longest time first. False: out of memory. */
static bool wait_rows(tfp_report *r, const tfp_trace_index *x, wait_row **rows, size_t *count)
{
    wait_table t = { .r = r, .x = x, .rows.row_size = sizeof **rows };
    bool ok = tfp_doubted_steps_of(r, x, &t.doubted) && tfp_strtab_init(&t.texts, tfp_arena_of(r)) == TFP_OK &&
              collect_host(&t) && collect_frames(&t) && collect_devices(&t);
    t.rows.failed |= !ok;
    *rows = tfp_groups_end(&t.rows, tfp_arena_of(r), longest_first, count);
    tfp_strtab_free(&t.texts);
    for (wait_row *out = *rows; out && out < *rows + *count; out++) {
        const tfp_trace_unit *u = &x->units[out->unit];
        int64_t all = u->end_ns - u->origin_ns;
        out->share = all > 0 ? (double)(out->ns.total > all ? out->covered.length : out->ns.total) / (double)all : NAN;
        out->mean_us = (double)out->ns.total / 1000 / (double)out->ns.count;
    }
    return *rows != NULL;
}

/* Adds the part that affects a step, as in `summary`: the rows sum calls of all threads, inside and outside steps. */
static tfp_status add_parts(tfp_report *r, tfp_error *err)
{
    tfp_part_row parts[TFP_PARTS_MOST];
    const tfp_trace_facts *f;
    tfp_status s = tfp_trace_facts_of(r, &f, err);
    if (s == TFP_LIMIT) { /* there are more steps than allowed rows: the waits are shown without them */
        tfp_error_clear(err);
        return TFP_OK;
    }
    if (s || !f->step_row_count) return s;
    tfp_row_table t = { tfp_part_columns, parts, sizeof *parts, tfp_wait_parts(f, parts), 0 };
    return tfp_grid_part(r, "step_parts", "of the mean step, as tfprof summary has it", &t, 0, err);
}

static tfp_status build(tfp_report *r, tfp_error *err)
{
    tfp_trace_index x;
    wait_row *rows;
    size_t count;
    tfp_status s = tfp_trace_index_new(r, &x, err);
    if (s) return s;
    if (!wait_rows(r, &x, &rows, &count)) return tfp_nomem(err);
    s = tfp_grid_of(r, &(tfp_row_table){ columns, rows, sizeof *rows, count, tfp_trace_shown(&x) }, err);
    if (!s) s = tfp_note_doubts(r, x.p, NULL, err);
    return s ? s : add_parts(r, err);
}

const tfp_view tfp_view_wait = {
    "wait",
    "What the host and the streams wait for: synchronisation, reads of values, data, late launches.",
    TFP_REPORT_GRID,
    NULL,
    NULL,
    build,
    TFP_NEEDS_SPANS,
    columns,
    "no span of the trace is known to wait",
};
