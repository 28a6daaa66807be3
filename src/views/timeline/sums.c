// SPDX-License-Identifier: Apache-2.0
/* views/timeline/sums.c: the time of a window of a timeline, by name, kind, lane or op. Each moment of a thread counts once, to the
 * innermost span that runs then; each activity of a device counts with all of its time inside the window. Spans of lanes
 * that are derived of others do not count, nor do annotations on devices. */
#include "model/tables/events.h"
#include "model/tables/graph.h"
#include "views/core/report.h"
#include "views/core/grid.h"
#include "views/timeline/timeline.h"

#include <stdlib.h>

typedef enum sum_by { BY_NAME, BY_KIND, BY_LANE, BY_OP } sum_by;
static const char *const groupings[] = { [BY_NAME] = "name", [BY_KIND] = "kind", [BY_LANE] = "lane", [BY_OP] = "op" };
enum { GROUPINGS = BY_OP + 1 };

typedef struct sum_row {
    tfp_str name, short_name, kind;
    bool on_device;
    int64_t count, total_ns, mean_ns, min_ns, max_ns, span;
    double share;
} sum_row;

static const tfp_row_column sum_columns[] = {
    TFP_COLUMN_WHOLE(sum_row, "name", TEXT, LABEL, name, "of spans, of their kind, of their lane, or of their op"),
    TFP_COLUMN(sum_row, "short", TEXT, LABEL, short_name, "of a kernel what people see for it"),
    TFP_COLUMN_WHOLE(sum_row, "kind", TEXT, LABEL, kind,
                     "compute, communication, copy, set; of the host op, call, frame ...; by lane or op: device, host"),
    TFP_COLUMN_WHOLE(sum_row, "device", BOOL, NUMBER, on_device, "whether it is time of a device"),
    TFP_COLUMN_WHOLE(sum_row, "count", INT, NUMBER, count, "how many run for some time in the window"),
    TFP_COLUMN_WHOLE(sum_row, "total_us", NANO, MICROS, total_ns,
                     "time in the window; of the host only where they are innermost"),
    TFP_COLUMN_WHOLE(sum_row, "mean_us", NANO, MICROS, mean_ns, "of one"),
    TFP_COLUMN_WHOLE(sum_row, "min_us", NANO, MICROS, min_ns, "the shortest"),
    TFP_COLUMN_WHOLE(sum_row, "max_us", NANO, MICROS, max_ns, "the longest"),
    TFP_COLUMN_WHOLE(sum_row, "share", REAL, NUMBER, share, "of all time of the device, or of the host, in the window"),
    TFP_COLUMN_WHOLE(sum_row, "span", INT, NUMBER, span, "one of them: the longest in the window"),
    { 0 }
};

typedef struct open_span { /* a span of a thread that is open at the time of the sweep */
    uint32_t place, op;    /* op: the name of the innermost op around it, or its own; TFP_NONE: none */
    int64_t end_ns, leaf_ns;
} open_span;

typedef struct sums {
    const tfp_timeline *t;
    int64_t from_ns, to_ns, all_ns[2]; /* all_ns: of the host, of devices, whatever was searched for */
    sum_by by;
    const uint8_t *found; /* NULL: all */
    TFP_VEC(sum_row) rows;
    tfp_map64 at; /* by key */
    TFP_VEC(open_span) open;
    tfp_arena *arena;
    bool ok;
} sums;

/* ---- groups ---- */

typedef struct group {
    uint64_t key;
    tfp_str name;
} group;

static tfp_str lane_name(const sums *x, const tfp_timeline_lane *lane)
{
    tfp_lane_title title = tfp_timeline_title(x->t, lane, x->arena);
    if (!title.detail.size) return title.title;
    tfp_buf both = { 0 };
    tfp_buf_printf(&both, "%.*s · %.*s", (int)title.title.size, title.title.data, (int)title.detail.size,
                   title.detail.data);
    tfp_str name = { both.failed ? NULL : tfp_arena_copy(x->arena, (tfp_str){ both.data, both.size }), both.size };
    tfp_buf_free(&both);
    return name;
}

static tfp_str kind_of(const sums *x, uint32_t place)
{
    tfp_str class = tfp_timeline_class(x->t, place);
    return class.data ? class : tfp_timeline_kind(x->t, place);
}

static tfp_strid name_of(const sums *x, uint32_t place)
{
    return x->t->runs ? x->t->p->graph->nodes.at[x->t->node[place]].op : tfp_timeline_name(x->t, place);
}

static group group_of(const sums *x, const tfp_timeline_lane *lane, uint32_t place, uint32_t op)
{
    const tfp_profile *p = x->t->p;
    switch (x->by) {
    case BY_KIND: {
        tfp_str kind = kind_of(x, place);
        return (group){ x->t->runs ? name_of(x, place) : (uint64_t)(uintptr_t)kind.data, kind };
    }
    case BY_LANE: return (group){ (uint64_t)(lane - x->t->lanes), { 0 } };
    case BY_OP: return (group){ op, op == TFP_NONE ? TFP_STR("without op") : tfp_text(p, op) };
    default: return (group){ name_of(x, place), tfp_text(p, name_of(x, place)) };
    }
}

static sum_row *row_of(sums *x, const tfp_timeline_lane *lane, uint32_t place, uint32_t op, bool on_device)
{
    group g = group_of(x, lane, place, op);
    uint64_t key = g.key << 1 | on_device;
    uint32_t at = tfp_map64_get(&x->at, key);
    if (at != TFP_NONE) return &x->rows.at[at];
    bool sides = x->by == BY_LANE || x->by == BY_OP;
    sum_row fresh = { .name = x->by == BY_LANE ? lane_name(x, lane) : g.name,
                      .short_name = x->by == BY_NAME ? tfp_timeline_short(x->t, (tfp_strid)g.key) : (tfp_str){ 0 },
                      .kind = sides ? tfp_str_of(on_device ? "device" : "host") : kind_of(x, place),
                      .on_device = on_device,
                      .min_ns = INT64_MAX };
    x->ok = x->ok && fresh.name.data && tfp_map64_put(&x->at, key, (uint32_t)x->rows.size) && tfp_push(&x->rows, fresh);
    return x->ok ? &x->rows.at[x->rows.size - 1] : NULL;
}

static void count(sums *x, const tfp_timeline_lane *lane, uint32_t place, uint32_t op, int64_t leaf_ns)
{
    bool on_device = lane->kind != TFP_TRACK_HOST;
    x->all_ns[on_device] = tfp_add(x->all_ns[on_device], leaf_ns, NULL);
    if (x->found && !x->found[tfp_timeline_name(x->t, place)] && !(x->by == BY_OP && op != TFP_NONE && x->found[op]))
        return;
    sum_row *row = row_of(x, lane, place, op, on_device);
    if (!row) return;
    row->count++;
    row->total_ns = tfp_add(row->total_ns, leaf_ns, NULL);
    if (leaf_ns < row->min_ns) row->min_ns = leaf_ns;
    if (leaf_ns > row->max_ns || row->count == 1) row->span = x->t->span[place];
    if (leaf_ns > row->max_ns) row->max_ns = leaf_ns;
}

/* ---- lanes ---- */

static bool clip(const sums *x, uint32_t place, int64_t *start_ns, int64_t *end_ns)
{
    const tfp_timeline *t = x->t;
    *start_ns = t->start_ns[place] > x->from_ns ? t->start_ns[place] : x->from_ns;
    *end_ns = t->end_ns[place] < x->to_ns ? t->end_ns[place] : x->to_ns;
    return *end_ns > *start_ns;
}

static uint32_t op_of(const sums *x, uint32_t place, uint32_t around)
{
    const tfp_span_columns *s = &x->t->p->events->spans;
    if (x->t->runs) return x->t->p->graph->nodes.at[x->t->node[place]].op;
    uint32_t span = x->t->span[place];
    if (s->kind[span] == TFP_SPAN_ACTIVITY) return s->owner[span] == TFP_NONE ? TFP_NONE : s->name[s->owner[span]];
    return s->kind[span] == TFP_SPAN_OP ? s->name[span] : around;
}

static void sum_activities(sums *x, const tfp_timeline_lane *lane)
{
    int64_t start_ns, end_ns;
    for (size_t i = lane->first; x->ok && i < lane->first + lane->count; i++) {
        uint32_t place = x->t->order[i];
        if (x->t->start_ns[place] >= x->to_ns) break;
        if (!tfp_timeline_occupies(x->t, place) || !clip(x, place, &start_ns, &end_ns)) continue;
        count(x, lane, place, op_of(x, place, TFP_NONE), end_ns - start_ns);
    }
}

/* The spans that end until a time are closed: the time since `at_ns` is the innermost one's. */
static int64_t close_until(sums *x, const tfp_timeline_lane *lane, int64_t at_ns, int64_t until_ns)
{
    while (x->ok && x->open.size && x->open.at[x->open.size - 1].end_ns <= until_ns) {
        open_span o = x->open.at[--x->open.size];
        if (o.end_ns > at_ns) {
            o.leaf_ns += o.end_ns - at_ns;
            at_ns = o.end_ns;
        }
        count(x, lane, o.place, o.op, o.leaf_ns);
    }
    return at_ns;
}

static void sum_thread(sums *x, const tfp_timeline_lane *lane)
{
    int64_t start_ns, end_ns, at_ns = x->from_ns;
    x->open.size = 0;
    for (size_t i = lane->first; x->ok && i < lane->first + lane->count; i++) {
        uint32_t place = x->t->order[i];
        if (x->t->start_ns[place] >= x->to_ns) break;
        if (!clip(x, place, &start_ns, &end_ns)) continue;
        at_ns = close_until(x, lane, at_ns, start_ns);
        open_span *around = x->open.size ? &x->open.at[x->open.size - 1] : NULL;
        if (around && start_ns > at_ns) around->leaf_ns += start_ns - at_ns;
        open_span fresh = { .place = place, .op = op_of(x, place, around ? around->op : TFP_NONE), .end_ns = end_ns };
        at_ns = start_ns;
        x->ok = tfp_push(&x->open, fresh);
    }
    close_until(x, lane, at_ns, INT64_MAX);
}

/* ---- the table ---- */

static int find_grouping(const char *by)
{
    if (!by || !*by) return BY_NAME;
    for (int i = 0; i < GROUPINGS; i++)
        if (strcmp(by, groupings[i]) == 0) return i;
    return -1;
}

static bool more_time(const void *rows, uint32_t a, uint32_t b)
{
    const sum_row *x = rows;
    return x[a].on_device != x[b].on_device ? x[a].on_device : x[a].total_ns > x[b].total_ns;
}

static tfp_status tell_all(const sums *x, tfp_report *r, tfp_error *err)
{
    static const char *const names[] = { "host_us", "device_us" }, *const labels[] = { "Host time", "Device time" };
    for (int i = 0; i < 2; i++) {
        tfp_fact *f = tfp_fact_add(r, names[i], labels[i], 'r', TFP_MICROS);
        if (!f) return tfp_nomem(err);
        f->real = (double)x->all_ns[i] / 1000;
    }
    return TFP_OK;
}

static tfp_status show(sums *x, tfp_report *r, tfp_error *err)
{
    for (size_t i = 0; i < x->rows.size; i++) {
        sum_row *row = &x->rows.at[i];
        int64_t all_ns = x->all_ns[row->on_device];
        row->mean_ns = row->total_ns / row->count;
        row->share = all_ns ? (double)row->total_ns / (double)all_ns : 0;
    }
    tfp_status s = x->ok ? tell_all(x, r, err) : tfp_nomem(err);
    sum_row *rows = s ? NULL : tfp_rows_sorted(&r->arena, x->rows.at, sizeof *x->rows.at, x->rows.size, more_time);
    if (s) return s;
    return rows ? tfp_grid_of(r, &(tfp_row_table){ sum_columns, rows, sizeof *rows, x->rows.size, 0 }, err)
                : tfp_nomem(err);
}

tfp_status tfp_timeline_sums(const tfp_timeline *t, int64_t from_ns, int64_t to_ns, const char *by, const char *search,
                             const char *rows, tfp_report **out, tfp_error *err)
{
    tfp_report *r = NULL;
    tfp_status s = tfp_timeline_ask(t, "sums", &r, out, err);
    if (s) return s;
    if (from_ns < 0 || to_ns <= from_ns) return tfp_timeline_refuse(r, err);
    if (find_grouping(by) < 0 || !tfp_timeline_is_list(rows)) {
        tfp_report_free(r);
        return tfp_fail(err, TFP_BADARG, "sums are by name, kind, lane or op, of rows such as 0-24,33");
    }
    uint8_t *found = search && *search ? tfp_timeline_matches(t, search) : NULL;
    sums x = {
        .t = t, .from_ns = from_ns, .to_ns = to_ns, .by = (sum_by)find_grouping(by), .found = found, .arena = &r->arena
    };
    x.ok = found || !search || !*search;
    for (size_t i = 0; x.ok && i < t->lane_count; i++) {
        const tfp_timeline_lane *lane = &t->lanes[i];
        if (lane->kind == TFP_TRACK_DERIVED || tfp_timeline_next_row(t, rows, lane->first_row) != lane->first_row)
            continue;
        (lane->kind == TFP_TRACK_HOST && !t->runs ? sum_thread : sum_activities)(&x, lane);
    }
    s = show(&x, r, err);
    free(found);
    tfp_vec_free(&x.rows);
    tfp_vec_free(&x.open);
    tfp_map64_free(&x.at);
    return tfp_timeline_give(r, s, out);
}
