/* views/trace_path.c: the critical path of each step: from the end of its window backwards to whatever the present moment had
 * to wait for: a stream waits for its launch, the activity before, or another stream; a synchronising call for the device;
 * a thread for what runs in it, or for another thread. What is on the path bounds the step; the rest ran beside it. */
#include "views/trace_path.h"
#include "views/grid.h"

#include <math.h>

#define EVENT_WAIT_NS 10000 /* an activity that starts so soon after one of another stream waited for it */

typedef struct row {
    int64_t rank;
    tfp_str class, name;
    int64_t count, total_ns;
    double share, gain_us;
    uint32_t unit;
} row;

/* A piece of a thread's time and the innermost span that it belongs to; TFP_NONE: nothing recorded. */
typedef struct piece {
    int64_t start, end;
    uint32_t span;
} piece;

typedef struct range {
    size_t first, count;
} range;

typedef struct path {
    tfp_report *r;
    const tfp_trace_index *x;
    piece *pieces;
    size_t piece_count;
    range *threads;      /* by lane: -> pieces */
    uint32_t *by_end;    /* activities by unit, then end */
    range *ends_of_unit; /* -> by_end */
    uint32_t *lane_end;  /* activities by lane, then end */
    range *streams;      /* by lane: -> lane_end */
    size_t activity_count;
    uint32_t *ops;      /* outermost host ops by unit, then end */
    range *ops_of_unit; /* -> ops */
    size_t op_count;
    tfp_strtab names; /* unit, class and name as one text -> rows, from 1 */
    TFP_VEC(row) rows;
    uint32_t unit;
    int64_t *path_ns;    /* by unit: length of all its paths */
    int64_t *step_count; /* by unit */
    uint32_t *home;      /* by unit: -> lanes */
} path;

static int64_t end_of(const path *t, uint32_t span)
{
    return tfp_add(t->x->s->start_ns[span], t->x->s->duration_ns[span], NULL);
}

/* ---- threads as pieces ---- */

static bool in_threads(uint32_t kind)
{
    return kind == TFP_SPAN_OP || kind == TFP_SPAN_CALL || kind == TFP_SPAN_ANNOTATION || kind == TFP_SPAN_MODULE ||
           kind == TFP_SPAN_FRAME;
}

static bool nests(const void *ctx, uint32_t a, uint32_t b)
{
    const tfp_span_columns *s = ctx;
    if (s->lane[a] != s->lane[b]) return s->lane[a] < s->lane[b];
    if (s->start_ns[a] != s->start_ns[b]) return s->start_ns[a] < s->start_ns[b];
    return s->duration_ns[a] > s->duration_ns[b];
}

static void put_piece(path *t, uint32_t lane, int64_t start, int64_t end, uint32_t span)
{
    range *of = &t->threads[lane];
    if (end <= start) return;
    if (!of->count) of->first = t->piece_count;
    t->pieces[t->piece_count++] = (piece){ start, end, span };
    of->count++;
}

/* The spans of one lane, outer before inner: what is innermost at any time becomes a piece. */
static void cut_lane(path *t, const uint32_t *items, size_t count, uint32_t *open)
{
    size_t depth = 0;
    int64_t at = INT64_MIN;
    uint32_t lane = count ? t->x->s->lane[items[0]] : 0;
    for (size_t i = 0; i <= count; i++) {
        int64_t start = i < count ? t->x->s->start_ns[items[i]] : INT64_MAX;
        while (depth && end_of(t, open[depth - 1]) <= start) {
            int64_t end = end_of(t, open[depth - 1]);
            put_piece(t, lane, at, end, open[depth - 1]);
            if (end > at) at = end;
            depth--;
        }
        if (i == count) break;
        if (depth) put_piece(t, lane, at, start, open[depth - 1]);
        if (start > at) at = start;
        open[depth++] = items[i];
    }
}

static bool is_outermost_op(const tfp_span_columns *s, uint32_t span)
{
    uint32_t parent = s->parent[span];
    if (s->kind[span] != TFP_SPAN_OP && s->kind[span] != TFP_SPAN_CALL) return false;
    return parent == TFP_NONE || s->kind[parent] != TFP_SPAN_OP;
}

static bool cut_threads(path *t)
{
    const tfp_span_columns *s = t->x->s;
    tfp_arena *a = &t->r->arena;
    uint32_t *items = TFP_NEW(a, uint32_t, s->size + 1), *open = TFP_NEW(a, uint32_t, s->size + 1);
    size_t count = 0;
    t->pieces = TFP_NEW(a, piece, 2 * s->size + 2);
    if (!items || !open || !t->pieces) return false;
    for (uint32_t i = 0; i < s->size; i++)
        if (in_threads(s->kind[i]) && tfp_trace_unit_of(t->x, i) != TFP_NONE) items[count++] = i;
    if (!tfp_sort(items, count, nests, s)) return false;
    for (size_t first = 0, i = 1; i <= count; i++) {
        if (i < count && s->lane[items[i]] == s->lane[items[first]]) continue;
        cut_lane(t, items + first, i - first, open);
        first = i;
    }
    t->ops = items; /* what is left of them, in place */
    for (size_t i = 0; i < count; i++)
        if (is_outermost_op(s, items[i])) t->ops[t->op_count++] = items[i];
    return true;
}

/* ---- activities and ops by their ends ---- */

static bool ends_before(const path *t, uint32_t a, uint32_t b) { return end_of(t, a) < end_of(t, b); }

static bool unit_ends_before(const void *ctx, uint32_t a, uint32_t b)
{
    const path *t = ctx;
    uint32_t x = tfp_trace_unit_of(t->x, a), y = tfp_trace_unit_of(t->x, b);
    return x != y ? x < y : ends_before(t, a, b);
}

static bool lane_ends_before(const void *ctx, uint32_t a, uint32_t b)
{
    const path *t = ctx;
    uint32_t x = t->x->s->lane[a], y = t->x->s->lane[b];
    return x != y ? x < y : ends_before(t, a, b);
}

/* Where each unit's part of a list begins, and how long it is. */
static void find_units(const path *t, const uint32_t *items, size_t count, range *of)
{
    for (size_t i = 0; i < count; i++) {
        range *r = &of[tfp_trace_unit_of(t->x, items[i])];
        if (!r->count++) r->first = i;
    }
}

static bool sort_by_ends(path *t)
{
    const tfp_span_columns *s = t->x->s;
    tfp_arena *a = &t->r->arena;
    t->by_end = TFP_NEW(a, uint32_t, t->x->item_count + 1);
    t->lane_end = TFP_NEW(a, uint32_t, t->x->item_count + 1);
    t->ends_of_unit = TFP_NEW(a, range, t->x->unit_count + 1);
    t->ops_of_unit = TFP_NEW(a, range, t->x->unit_count + 1);
    if (!t->by_end || !t->lane_end || !t->ends_of_unit || !t->ops_of_unit) return false;
    for (size_t i = 0; i < t->x->item_count; i++)
        if (s->kind[t->x->items[i]] == TFP_SPAN_ACTIVITY) t->by_end[t->activity_count++] = t->x->items[i];
    memcpy(t->lane_end, t->by_end, t->activity_count * sizeof *t->by_end);
    if (!tfp_sort(t->by_end, t->activity_count, unit_ends_before, t) ||
        !tfp_sort(t->lane_end, t->activity_count, lane_ends_before, t) ||
        !tfp_sort(t->ops, t->op_count, unit_ends_before, t))
        return false;
    find_units(t, t->by_end, t->activity_count, t->ends_of_unit);
    find_units(t, t->ops, t->op_count, t->ops_of_unit);
    for (size_t i = 0; i < t->activity_count; i++) {
        range *r = &t->streams[s->lane[t->lane_end[i]]];
        if (!r->count++) r->first = i;
    }
    return true;
}

/* The span that ends last of those that end at or before a time; TFP_NONE: none. */
static uint32_t last_ended(const path *t, const uint32_t *list, range of, int64_t at)
{
    const uint32_t *items = list + of.first;
    size_t low = 0, high = of.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (end_of(t, items[middle]) <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? items[low - 1] : TFP_NONE;
}

/* ---- the walk ---- */

typedef struct place { /* where the walk stands: on a device when `activity`, else on a thread */
    uint32_t activity, lane;
    int64_t at;
} place;

/* Puts a stretch of the path into the row of its class and name. */
static bool take(path *t, uint32_t span, const char *class, int64_t from, int64_t to)
{
    if (to <= from) return true;
    tfp_str name = span == TFP_NONE ? TFP_STR("(nothing recorded)") : tfp_span_name(t->x->p, span);
    tfp_buf key = { 0 };
    tfp_buf_printf(&key, "%u\037%s\037", t->unit, class);
    size_t skip = key.size;
    tfp_buf_str(&key, name);
    tfp_strid id = key.failed ? TFP_NONE : tfp_intern(&t->names, (tfp_str){ key.data, key.size });
    tfp_buf_free(&key);
    if (id == TFP_NONE) return false;
    if (id > t->rows.size) {
        row new_row = { .rank = t->x->units[t->unit].rank,
                        .class = tfp_str_of(class),
                        .name = { tfp_strtab_get(&t->names, id).data + skip, name.size },
                        .unit = t->unit };
        if (!tfp_push(&t->rows, new_row)) return false;
    }
    row *to_row = &t->rows.at[id - 1];
    to_row->count++;
    to_row->total_ns = tfp_add(to_row->total_ns, to - from, NULL);
    return true;
}

static const char *class_name(const path *t, uint32_t span)
{
    static const char *const names[] = { [TFP_CLASS_COMPUTE] = "compute",
                                         [TFP_CLASS_COMMUNICATION] = "communication",
                                         [TFP_CLASS_COPY] = "copy",
                                         [TFP_CLASS_SET] = "copy" };
    return names[t->x->s->class[span] & 3];
}

/* Before an activity: what ended last of its launch, the activity before it in its stream, and one of another stream. */
static bool from_activity(path *t, place *p, int64_t start)
{
    const tfp_span_columns *s = t->x->s;
    uint32_t span = p->activity, launch = s->launch[span];
    int64_t begin = s->start_ns[span] > start ? s->start_ns[span] : start;
    if (!take(t, span, class_name(t, span), begin, p->at)) return false;
    uint32_t before = last_ended(t, t->lane_end, t->streams[s->lane[span]], begin);
    uint32_t other = last_ended(t, t->by_end, t->ends_of_unit[t->unit], begin);
    int64_t before_end = before == TFP_NONE || before == span ? INT64_MIN : end_of(t, before);
    int64_t launch_end = launch == TFP_NONE || end_of(t, launch) > begin ? INT64_MIN : end_of(t, launch);
    if (other != TFP_NONE && other != span && end_of(t, other) > before_end && end_of(t, other) > launch_end &&
        begin - end_of(t, other) <= EVENT_WAIT_NS) {
        before = other;
        before_end = end_of(t, other);
    }
    int64_t since = before_end > launch_end ? before_end : launch_end;
    p->at = since > start ? since : start;
    if (!take(t, span, before_end > launch_end ? "gap" : "launch", p->at, begin)) return false;
    p->activity = before_end > launch_end ? before : TFP_NONE;
    if (p->activity == TFP_NONE && launch != TFP_NONE) p->lane = s->lane[launch];
    return true;
}

/* The piece of a thread that holds the moment just before a time, or the gap before it. */
static piece piece_before(const path *t, uint32_t lane, int64_t at)
{
    const range *of = &t->threads[lane];
    size_t low = 0, high = of->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (t->pieces[of->first + middle].start < at)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low) return (piece){ INT64_MIN, at, TFP_NONE };
    piece found = t->pieces[of->first + low - 1];
    if (found.end >= at) return (piece){ found.start, at, found.span };
    return (piece){ found.end, at, TFP_NONE };
}

/* A synchronising call waited for the activity that ended last before the call's end, if that was within the call. */
static bool from_sync(path *t, place *p, const piece *now)
{
    uint32_t activity = last_ended(t, t->by_end, t->ends_of_unit[t->unit], p->at);
    if (activity == TFP_NONE || end_of(t, activity) <= now->start) return false;
    p->activity = activity;
    return true;
}

/* A thread in which nothing runs, or only Python, waits for an op of another thread that ends meanwhile. */
static uint32_t awaited(const path *t, const place *p, const piece *now)
{
    uint32_t op = last_ended(t, t->ops, t->ops_of_unit[t->unit], p->at - 1);
    if (op == TFP_NONE || t->x->s->lane[op] == p->lane || end_of(t, op) <= now->start) return TFP_NONE;
    return t->x->s->start_ns[op] >= now->start || now->span == TFP_NONE ? op : TFP_NONE;
}

static bool from_thread(path *t, place *p, uint32_t home, int64_t start)
{
    const tfp_span_columns *s = t->x->s;
    piece now = piece_before(t, p->lane, p->at);
    int64_t begin = now.start > start ? now.start : start;
    uint32_t kind = now.span == TFP_NONE ? TFP_SPAN_NONE : s->kind[now.span], op;
    if (kind == TFP_SPAN_CALL && tfp_trace_waits(t->x, now.span) && from_sync(t, p, &now)) {
        int64_t end = end_of(t, p->activity) > start ? end_of(t, p->activity) : start;
        bool ok = take(t, now.span, "synchronize", end, p->at);
        p->at = end;
        return ok;
    }
    if (kind != TFP_SPAN_OP && kind != TFP_SPAN_CALL && (op = awaited(t, p, &now)) != TFP_NONE) {
        int64_t end = end_of(t, op) > start ? end_of(t, op) : start;
        bool ok = take(t, now.span, "host", end, p->at);
        p->at = end;
        p->lane = s->lane[op];
        return ok;
    }
    if (now.span == TFP_NONE && p->lane != home) { /* what another thread did before is what let this one begin */
        p->lane = home;
        return true;
    }
    bool ok = take(t, now.span, "host", begin, p->at);
    p->at = begin;
    return ok;
}

static bool walk(path *t, uint32_t home, int64_t start, int64_t end)
{
    place p = { TFP_NONE, home, end };
    size_t most = 4 * (t->x->s->size + 16); /* time never goes forward, and threads are changed once a moment */
    while (p.at > start && most-- > 0)
        if (!(p.activity != TFP_NONE ? from_activity(t, &p, start) : from_thread(t, &p, home, start))) return false;
    return true;
}

/* The thread that steps are driven from, by unit: where their marks stand, else where most is recorded. */
static bool find_homes(path *t)
{
    const tfp_profile *p = t->x->p;
    int64_t *most = TFP_NEW(&t->r->arena, int64_t, t->x->unit_count + 1);
    t->home = TFP_NEW(&t->r->arena, uint32_t, t->x->unit_count + 1);
    if (!most || !t->home) return false;
    for (size_t i = 0; i < t->x->unit_count; i++) t->home[i] = TFP_NONE;
    for (uint32_t lane = 0; lane < p->lanes.size; lane++) {
        const range *of = &t->threads[lane];
        int64_t sum = 0;
        for (size_t i = 0; i < of->count; i++) sum += t->pieces[of->first + i].end - t->pieces[of->first + i].start;
        uint32_t unit = of->count ? t->x->unit_of_process[p->lanes.at[lane].process] : TFP_NONE;
        if (unit == TFP_NONE || sum <= most[unit]) continue;
        most[unit] = sum;
        t->home[unit] = lane;
    }
    for (size_t i = 0; i < p->events.step_marks.size; i++) {
        const tfp_step_mark *m = &p->events.step_marks.at[i];
        uint32_t unit = tfp_trace_unit_of(t->x, m->span), lane = t->x->s->lane[m->span];
        bool used = unit != TFP_NONE && p->events.processes.at[p->lanes.at[lane].process].steps == m->source;
        if (used && t->threads[lane].count) t->home[unit] = lane;
    }
    return true;
}

/* ---- windows ---- */

static bool window_before(const void *ctx, uint32_t a, uint32_t b)
{
    const path *t = ctx;
    const tfp_step_window *w = t->x->p->events.windows.at;
    uint32_t x = t->x->unit_of_process[w[a].process], y = t->x->unit_of_process[w[b].process];
    return x != y ? x < y : w[a].start_ns < w[b].start_ns;
}

static bool walk_window(path *t, const tfp_step_window *w, int64_t end)
{
    if (end <= w->start_ns || (t->r->step != TFP_NONE && w->step != t->r->step)) return true;
    uint32_t home = t->home[t->unit];
    if (home == TFP_NONE) return true;
    t->step_count[t->unit]++;
    t->path_ns[t->unit] = tfp_add(t->path_ns[t->unit], end - w->start_ns, NULL);
    return walk(t, home, w->start_ns, end);
}

/* Windows by start, from the last on; each ends where the next begins, so that no time is walked twice. */
static bool walk_all(path *t)
{
    const tfp_step_window *windows = t->x->p->events.windows.at, *next = NULL;
    size_t count = t->x->p->events.windows.size;
    uint32_t *order = TFP_NEW(&t->r->arena, uint32_t, count + 1), last_unit = TFP_NONE;
    if (!order) return false;
    for (uint32_t i = 0; i < count; i++) order[i] = i;
    if (!tfp_sort(order, count, window_before, t)) return false;
    for (size_t i = count; i-- > 0;) {
        const tfp_step_window *w = &windows[order[i]];
        t->unit = t->x->unit_of_process[w->process];
        if (t->unit != last_unit) next = NULL;
        last_unit = t->unit;
        if (next && next->step == w->step) continue; /* each device has a window of this step: one counts */
        if (!walk_window(t, w, next && next->start_ns < w->end_ns ? next->start_ns : w->end_ns)) return false;
        next = w;
    }
    return true;
}

static bool start(path *t)
{
    tfp_arena *a = &t->r->arena;
    t->threads = TFP_NEW(a, range, t->x->p->lanes.size + 1);
    t->streams = TFP_NEW(a, range, t->x->p->lanes.size + 1);
    t->path_ns = TFP_NEW(a, int64_t, t->x->unit_count + 1);
    t->step_count = TFP_NEW(a, int64_t, t->x->unit_count + 1);
    if (!t->threads || !t->streams || !t->path_ns || !t->step_count) return false;
    return !tfp_strtab_init(&t->names, a) && cut_threads(t) && sort_by_ends(t) && find_homes(t);
}

/* ---- the table ---- */

/* clang-format off */
static const tfp_row_column columns[] = {
    TFP_COLUMN_ONLY(row, "rank", INT, NUMBER, rank, "Rank of the job, or the file's place where no rank is told.", TFP_SHOWN_RANKS),
    TFP_COLUMN(row, "class", TEXT, LABEL, class, "host, synchronize, launch (from the end of the call to the start of the activity), compute, communication, copy, gap (between two activities)."),
    TFP_COLUMN(row, "name", TEXT, LABEL, name, "The op, call or kernel; of a launch or gap the activity that came after it."),
    TFP_COLUMN(row, "count", INT, NUMBER, count, "Stretches of the path."),
    TFP_COLUMN(row, "total_us", NANO, MICROS, total_ns, "How much of the path they are."),
    TFP_COLUMN(row, "share", REAL, SHARE, share, "The same by the length of the path, which is the length of the steps."),
    TFP_COLUMN(row, "gain_us", REAL, MICROS, gain_us, "By how much a step gets shorter at most if this took no time; of the ten first."),
    { NULL, TFP_T_INT, TFP_LABEL, 0, NULL, 0 },
};
/* clang-format on */

static bool by_time(const void *ctx, uint32_t a, uint32_t b)
{
    const row *rows = ctx;
    if (rows[a].unit != rows[b].unit) return rows[a].unit < rows[b].unit;
    return rows[a].total_ns > rows[b].total_ns;
}

static tfp_status make_grid(path *t, tfp_error *err)
{
    size_t count = t->rows.size, rank_in_unit = 0;
    uint32_t *order = TFP_NEW(&t->r->arena, uint32_t, count + 1);
    row *sorted = TFP_NEW(&t->r->arena, row, count + 1);
    if (!order || !sorted) return tfp_nomem(err);
    for (uint32_t i = 0; i < count; i++) order[i] = i;
    if (!tfp_sort(order, count, by_time, t->rows.at)) return tfp_nomem(err);
    for (size_t i = 0; i < count; i++) {
        row *out = &sorted[i];
        *out = t->rows.at[order[i]];
        if (i && out->unit != sorted[i - 1].unit) rank_in_unit = 0;
        double total = (double)out->total_ns, steps = (double)t->step_count[out->unit];
        out->share = t->path_ns[out->unit] ? total / (double)t->path_ns[out->unit] : NAN;
        out->gain_us = rank_in_unit++ < 10 && steps > 0 ? total / 1000 / steps : NAN;
    }
    tfp_row_table table = { columns, sorted, sizeof *sorted, count, tfp_trace_shown(t->x) };
    return tfp_grid_of(t->r, &table, err);
}

tfp_status tfp_trace_path(tfp_report *r, const tfp_trace_index *x, tfp_error *err)
{
    path t = { .r = r, .x = x };
    tfp_status s = start(&t) && walk_all(&t) ? make_grid(&t, err) : tfp_nomem(err);
    tfp_vec_free(&t.rows);
    tfp_strtab_free(&t.names);
    return s;
}
