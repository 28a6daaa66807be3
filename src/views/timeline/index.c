// SPDX-License-Identifier: Apache-2.0
/* views/timeline/index.c: assigns spans to lanes and rows. A span goes into the first row of its lane that is free when it
 * starts, so that nested spans are in the row of their depth, and overlapping spans are below each other. */
#include "model/order.h"
#include "model/tables/details.h"
#include "model/tables/events.h"
#include "model/tables/graph.h"
#include "model/tables/lanes.h"
#include "model/tables/processes.h"
#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "query/order.h"
#include "views/timeline/timeline.h"

#include <stdlib.h>

/* ---- the spans to lay out, in the order of the profile ---- */

typedef struct item_list { /* columns of length capacity */
    size_t count;
    uint32_t *span, *node,
        *lane; /* lane: index in lane_list, later in tfp_timeline.lanes; node: only in timelines of executions */
    int64_t *start_ns, *duration_ns;
} item_list;

static void free_items(item_list *x)
{
    free(x->span);
    free(x->node);
    free(x->lane);
    free(x->start_ns);
    free(x->duration_ns);
}

static bool reserve_items(item_list *x, size_t count, bool nodes)
{
    x->span = malloc((count + 1) * sizeof *x->span);
    x->lane = malloc((count + 1) * sizeof *x->lane);
    x->start_ns = malloc((count + 1) * sizeof *x->start_ns);
    x->duration_ns = malloc((count + 1) * sizeof *x->duration_ns);
    x->node = nodes ? malloc((count + 1) * sizeof *x->node) : NULL;
    return x->span && x->lane && x->start_ns && x->duration_ns && (x->node || !nodes);
}

static void add_item(item_list *x, uint32_t span, uint32_t node, uint32_t lane, int64_t start_ns, int64_t duration_ns)
{
    size_t at = x->count++;
    x->span[at] = span;
    x->lane[at] = lane;
    x->start_ns[at] = start_ns;
    x->duration_ns[at] = duration_ns;
    if (x->node) x->node[at] = node;
}

/* ---- lanes ---- */

/* Compares numbers in names as numbers: stream:7 comes before stream:20. */
static int compare_names(tfp_str a, tfp_str b)
{
    size_t i = 0, j = 0;
    while (i < a.size && j < b.size) {
        size_t m = i, n = j;
        while (m < a.size && a.data[m] >= '0' && a.data[m] <= '9') m++;
        while (n < b.size && b.data[n] >= '0' && b.data[n] <= '9') n++;
        if (m > i && n > j && m - i != n - j) return m - i < n - j ? -1 : 1;
        if (a.data[i] != b.data[j]) return (unsigned char)a.data[i] < (unsigned char)b.data[j] ? -1 : 1;
        i++;
        j++;
    }
    return i < a.size ? 1 : j < b.size ? -1 : 0;
}

/* How unimportant a thread is: threads with a name do the work more often than those with only a number, or without
 * any. */
static int obscurity(const tfp_profile *p, const tfp_lane *l)
{
    tfp_str name = tfp_text(p, l->name);
    bool none = name.size && name.data[name.size - 1] == ':';
    return none ? 2 : !l->label;
}

static bool lane_before(const void *ctx, uint32_t a, uint32_t b)
{
    const tfp_profile *p = ctx;
    const tfp_lane *x = &tfp_lanes_of(p)->at[a], *y = &tfp_lanes_of(p)->at[b];
    if (x->process != y->process) {
        int32_t rank_x = x->process == TFP_NONE ? -1 : tfp_events_of(p)->processes.at[x->process].rank;
        int32_t rank_y = y->process == TFP_NONE ? -1 : tfp_events_of(p)->processes.at[y->process].rank;
        return rank_x != rank_y ? rank_x < rank_y : x->process < y->process;
    }
    int order = x->device == y->device ? obscurity(p, x) - obscurity(p, y)
                                       : compare_names(tfp_text(p, x->device), tfp_text(p, y->device));
    if (!order) order = compare_names(tfp_text(p, x->name), tfp_text(p, y->name));
    return order ? order < 0 : a < b;
}

/* For each lane of the profile: its position among all, in display order. */
static uint32_t *rank_lanes(const tfp_profile *p)
{
    uint32_t *order = malloc((tfp_lanes_of(p)->size + 1) * sizeof *order),
             *rank = malloc((tfp_lanes_of(p)->size + 1) * sizeof *rank);
    for (uint32_t i = 0; order && i < tfp_lanes_of(p)->size; i++) order[i] = i;
    bool ok = order && rank && tfp_sort(order, tfp_lanes_of(p)->size, lane_before, p);
    for (uint32_t i = 0; ok && i < tfp_lanes_of(p)->size; i++) rank[order[i]] = i;
    free(order);
    if (ok) return rank;
    free(rank);
    return NULL;
}

typedef struct lane_list { /* lanes that have items, in order of appearance */
    TFP_VEC(uint64_t)
    keys; /* group << 32 | position among all lanes; an execution's group is its step's index in step_order */
    tfp_map64 number; /* key -> index */
} lane_list;

static uint32_t number_lane(lane_list *l, uint64_t key)
{
    uint32_t at = tfp_map64_get(&l->number, key);
    if (at != TFP_NONE) return at;
    at = (uint32_t)l->keys.size;
    return tfp_push(&l->keys, key) && tfp_map64_put(&l->number, key, at) ? at : TFP_NONE;
}

/* Sorts the lanes by key; the items' numbers become indexes in t->lanes. */
static bool make_lanes(tfp_timeline *t, item_list *x, const lane_list *l, const uint32_t *rank)
{
    size_t count = l->keys.size, lanes = tfp_lanes_of(t->p)->size;
    uint32_t *order = malloc((count + 1) * sizeof *order), *place = malloc((count + 1) * sizeof *place);
    uint32_t *lane_at = malloc((lanes + 1) * sizeof *lane_at);
    t->lanes = calloc(count + 1, sizeof *t->lanes);
    bool ok = order && place && lane_at && t->lanes;
    for (uint32_t i = 0; ok && i < count; i++) order[i] = i;
    for (uint32_t i = 0; ok && i < lanes; i++) lane_at[rank[i]] = i;
    ok = ok && tfp_sort_keys(order, count, l->keys.at);
    for (uint32_t i = 0; ok && i < count; i++) {
        uint64_t key = l->keys.at[order[i]];
        place[order[i]] = i;
        t->lanes[i].lane = lane_at[(uint32_t)key];
        t->lanes[i].step = t->runs ? tfp_executions_of(t->p)->step_order.at[key >> 32] : TFP_NONE;
    }
    if (ok) t->lane_count = count;
    for (size_t i = 0; ok && i < x->count; i++) x->lane[i] = place[x->lane[i]];
    free(order);
    free(place);
    free(lane_at);
    return ok;
}

static bool take_events(tfp_timeline *t, item_list *x, lane_list *l, const uint32_t *rank)
{
    const tfp_span_columns *s = &tfp_events_of(t->p)->spans;
    uint32_t *number =
        malloc((tfp_lanes_of(t->p)->size + 1) * sizeof *number); /* for each lane; TFP_NONE: not seen yet */
    bool ok = number && reserve_items(x, s->size, false);
    for (size_t i = 0; ok && i < tfp_lanes_of(t->p)->size; i++) number[i] = TFP_NONE;
    for (uint32_t i = 0; ok && i < s->size; i++) {
        uint32_t lane = s->lane[i], process = tfp_lanes_of(t->p)->at[lane].process;
        int64_t offset = process == TFP_NONE ? 0 : t->offset_ns[process];
        if (number[lane] == TFP_NONE) number[lane] = number_lane(l, rank[lane]);
        ok = number[lane] != TFP_NONE;
        add_item(x, i, TFP_NONE, number[lane], tfp_add(s->start_ns[i], offset, NULL), s->duration_ns[i]);
    }
    free(number);
    return ok;
}

static bool take_runs(tfp_timeline *t, item_list *x, lane_list *l, const uint32_t *rank)
{
    const tfp_profile *p = t->p;
    uint32_t *place = malloc((tfp_executions_of(p)->steps.size + 1) *
                             sizeof *place); /* for each step: its index in step_order; TFP_NONE: not listed */
    bool ok = place && reserve_items(x, tfp_details_of(p)->spans.size, true);
    for (size_t i = 0; ok && i < tfp_executions_of(p)->steps.size; i++) place[i] = TFP_NONE;
    for (uint32_t i = 0; ok && i < tfp_executions_of(p)->step_order.size; i++)
        place[tfp_executions_of(p)->step_order.at[i]] = i;
    for (uint32_t n = 0; ok && n < tfp_graph_of(p)->nodes.size; n++)
        for (TFP_EACH(tfp_executions_of(p)->execs, e, tfp_graph_of(p)->nodes.at[n].exec_first)) {
            uint64_t group = place[tfp_executions_of(p)->execs.at[e].step];
            if (group == TFP_NONE) continue;
            for (TFP_EACH(tfp_details_of(p)->spans, i, tfp_detail(p, e)->span_first)) {
                const tfp_span *s = &tfp_details_of(p)->spans.at[i];
                if (s->start_ns <= 0) continue; /* a span without a time only tells where the node was */
                uint32_t lane = number_lane(l, group << 32 | rank[s->lane]);
                ok &= lane != TFP_NONE;
                add_item(x, i, n, lane, s->start_ns, s->duration_ns > 0 ? s->duration_ns : 0);
            }
        }
    free(place);
    return ok;
}

/* ---- rows ---- */

typedef struct free_rows { /* a binary tree with the minimum of the times at which a lane's rows become free */
    int64_t *at;           /* 2 * room elements; the second half are the rows */
    size_t room, used;     /* room: a power of two */
} free_rows;

static bool grow_rows(free_rows *f)
{
    size_t room = f->room ? 2 * f->room : 8;
    int64_t *at = malloc(2 * room * sizeof *at);
    if (!at) return false;
    for (size_t i = 0; i < room; i++) at[room + i] = i < f->used ? f->at[f->room + i] : INT64_MIN;
    for (size_t i = room - 1; i; i--) at[i] = at[2 * i] < at[2 * i + 1] ? at[2 * i] : at[2 * i + 1];
    free(f->at);
    f->at = at;
    f->room = room;
    return true;
}

/* Finds the first row that is free at `start`, and takes it until `end`. TFP_NONE: out of memory. */
static uint32_t take_row(free_rows *f, int64_t start, int64_t end)
{
    if ((!f->room || f->at[1] > start) && !grow_rows(f)) return TFP_NONE;
    size_t i = 1;
    while (i < f->room) i = 2 * i + (f->at[2 * i] > start);
    uint32_t row = (uint32_t)(i - f->room);
    if (row >= f->used) f->used = row + 1;
    f->at[i] = end;
    for (i /= 2; i; i /= 2) f->at[i] = f->at[2 * i] < f->at[2 * i + 1] ? f->at[2 * i] : f->at[2 * i + 1];
    return row;
}

typedef struct layout {
    tfp_timeline *t;
    const item_list *x;
    uint32_t *order; /* items sorted by lane, start, longest first */
    uint32_t *row;   /* for each span in `order`: its row among all rows */
    free_rows rows;
} layout;

static bool order_lane(const item_list *x, uint32_t *items, size_t count, const uint64_t *keys)
{
    tfp_sort_key longest_first[] = { TFP_DOWN_IN(x->duration_ns), { 0 } };
    if (!tfp_sort_keys(items, count, keys)) return false;
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && keys[items[end]] == keys[items[i]];) end++;
        if (end - i > 1 && !tfp_order_items(items + i, end - i, longest_first, NULL, 0)) return false;
    }
    return true;
}

static bool order_items(layout *l)
{
    const item_list *x = l->x;
    tfp_timeline *t = l->t;
    uint64_t *keys = malloc((x->count + 1) * sizeof *keys);
    bool ok = keys != NULL;
    for (size_t i = 0; ok && i < x->count; i++) {
        keys[i] = (uint64_t)x->start_ns[i] ^ UINT64_C(1) << 63;
        t->lanes[x->lane[i]].count++;
    }
    for (size_t i = 1; ok && i < t->lane_count; i++) t->lanes[i].first = t->lanes[i - 1].first + t->lanes[i - 1].count;
    for (size_t i = 0; i < t->lane_count; i++) t->lanes[i].count = 0;
    for (uint32_t i = 0; ok && i < x->count; i++) {
        tfp_timeline_lane *lane = &t->lanes[x->lane[i]];
        l->order[lane->first + lane->count++] = i;
    }
    for (size_t i = 0; ok && i < t->lane_count; i++)
        ok = order_lane(x, l->order + t->lanes[i].first, t->lanes[i].count, keys);
    free(keys);
    return ok;
}

/* Whether a span makes its lane busy: on a stream of a device not what waits for others (Stream Sync). */
static bool works(const layout *l, const tfp_timeline_lane *lane, uint32_t item)
{
    return l->t->runs || tfp_lanes_of(l->t->p)->at[lane->lane].role != TFP_ROLE_STREAM ||
           tfp_events_of(l->t->p)->spans.kind[l->x->span[item]] != TFP_SPAN_OTHER;
}

static bool stack_lane(layout *l, tfp_timeline_lane *lane)
{
    int64_t until = INT64_MIN; /* the last end of what makes it busy */
    l->rows.used = 0;
    if (l->rows.room)
        for (size_t i = 0; i < 2 * l->rows.room; i++) l->rows.at[i] = INT64_MIN;
    lane->first_row = (uint32_t)l->t->row_count;
    for (size_t i = lane->first; i < lane->first + lane->count; i++) {
        int64_t start = l->x->start_ns[l->order[i]];
        int64_t end = tfp_add(start, l->x->duration_ns[l->order[i]], NULL);
        uint32_t row = take_row(&l->rows, start, end);
        if (row == TFP_NONE) return false;
        l->row[i] = lane->first_row + row;
        if (i == lane->first) lane->start_ns = lane->end_ns = start;
        if (end > until && works(l, lane, l->order[i])) {
            lane->busy_ns += end - (start > until ? start : until);
            until = end;
        }
        if (end > lane->end_ns) lane->end_ns = end;
    }
    lane->row_count = (uint32_t)l->rows.used;
    l->t->row_count += l->rows.used;
    return true;
}

static bool reserve_places(tfp_timeline *t, bool nodes)
{
    size_t spans = t->runs ? tfp_details_of(t->p)->spans.size : tfp_events_of(t->p)->spans.size;
    t->row_first = calloc(t->row_count + 2, sizeof *t->row_first);
    t->span = malloc((t->count + 1) * sizeof *t->span);
    t->node = nodes ? malloc((t->count + 1) * sizeof *t->node) : NULL;
    t->place_of = malloc((spans + 1) * sizeof *t->place_of);
    t->order = malloc((t->count + 1) * sizeof *t->order);
    t->start_ns = malloc((t->count + 1) * sizeof *t->start_ns);
    t->end_ns = malloc((t->count + 1) * sizeof *t->end_ns);
    if (!t->row_first || !t->span || (nodes && !t->node) || !t->place_of || !t->order || !t->start_ns || !t->end_ns)
        return false;
    for (size_t i = 0; i < spans; i++) t->place_of[i] = TFP_NONE;
    return true;
}

static int64_t since(int64_t time, int64_t origin)
{
    int64_t ns;
    return __builtin_sub_overflow(time, origin, &ns) ? INT64_MAX : ns;
}

/* Moves items to the positions of their rows; from here on times are relative to the first start. */
static bool put_places(layout *l)
{
    tfp_timeline *t = l->t;
    const item_list *x = l->x;
    t->count = x->count;
    if (!reserve_places(t, x->node != NULL)) return false;
    t->origin_ns = t->lane_count ? INT64_MAX : 0;
    for (size_t i = 0; i < t->lane_count; i++)
        if (t->lanes[i].start_ns < t->origin_ns) t->origin_ns = t->lanes[i].start_ns;
    for (size_t i = 0; i < t->lane_count; i++) {
        t->lanes[i].start_ns = since(t->lanes[i].start_ns, t->origin_ns);
        t->lanes[i].end_ns = since(t->lanes[i].end_ns, t->origin_ns);
        if (t->lanes[i].end_ns > t->whole_ns) t->whole_ns = t->lanes[i].end_ns;
    }
    for (size_t i = 0; i < t->count; i++) t->row_first[l->row[i] + 2]++;
    for (size_t i = 2; i <= t->row_count; i++) t->row_first[i] += t->row_first[i - 1];
    for (size_t i = 0; i < t->count; i++) {
        uint32_t item = l->order[i], place = t->row_first[l->row[i] + 1]++;
        t->span[place] = x->span[item];
        t->start_ns[place] = since(x->start_ns[item], t->origin_ns);
        t->end_ns[place] = tfp_add(t->start_ns[place], x->duration_ns[item], NULL);
        t->place_of[x->span[item]] = place;
        t->order[i] = place;
        if (t->node) t->node[place] = x->node[item];
    }
    return true;
}

static bool lay_out(tfp_timeline *t, const item_list *x)
{
    layout l = { .t = t, .x = x };
    l.order = malloc((x->count + 1) * sizeof *l.order);
    l.row = malloc((x->count + 1) * sizeof *l.row);
    bool ok = l.order && l.row && order_items(&l);
    for (size_t i = 0; ok && i < t->lane_count; i++) ok = stack_lane(&l, &t->lanes[i]);
    ok = ok && put_places(&l);
    free(l.order);
    free(l.row);
    free(l.rows.at);
    return ok;
}

static bool make(tfp_timeline *t)
{
    item_list items = { 0 };
    lane_list lanes = { 0 };
    uint32_t *rank = rank_lanes(t->p);
    bool ok = rank && tfp_timeline_set_clocks(t) && (t->runs ? take_runs : take_events)(t, &items, &lanes, rank);
    ok = ok && make_lanes(t, &items, &lanes, rank) && lay_out(t, &items) && tfp_timeline_set_names(t);
    free_items(&items);
    tfp_vec_free(&lanes.keys);
    tfp_map64_free(&lanes.number);
    free(rank);
    return ok;
}

tfp_status tfp_timeline_new(const tfp_profile *p, tfp_timeline **out, tfp_error *err)
{
    tfp_error_clear(err);
    if (out) *out = NULL;
    if (!p || !tfp_is_finished(p) || !out) return tfp_fail(err, TFP_BADARG, "no finished profile");
    if (tfp_only_sums(p)) return tfp_no_spans(err);
    bool runs = !tfp_events_of(p)->processes.size;
    if (runs && tfp_details_of(p)->details.size < tfp_executions_of(p)->execs.size)
        return tfp_fail(err, TFP_BADARG, "a timeline needs a profile read with %s", tfp_reads_name(TFP_READS_RUNS));
    tfp_timeline *t = calloc(1, sizeof *t);
    if (t) t->p = p;
    if (t) t->runs = runs;
    if (t && make(t)) {
        *out = t;
        return TFP_OK;
    }
    tfp_timeline_free(t);
    return tfp_nomem(err);
}

void tfp_timeline_free(tfp_timeline *t)
{
    if (!t) return;
    free(t->lanes);
    free(t->row_first);
    free(t->span);
    free(t->node);
    free(t->place_of);
    free(t->start_ns);
    free(t->end_ns);
    free(t->order);
    free(t->offset_ns);
    tfp_map64_free(&t->short_at);
    tfp_arena_free(&t->arena);
    free(t);
}

uint64_t tfp_timeline_memory(const tfp_timeline *t)
{
    if (!t) return 0;
    uint64_t one = sizeof *t->span + sizeof *t->place_of + sizeof *t->order + sizeof *t->start_ns + sizeof *t->end_ns;
    return sizeof *t + t->count * one + t->row_count * sizeof *t->row_first + t->lane_count * sizeof *t->lanes;
}
