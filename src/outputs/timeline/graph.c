// SPDX-License-Identifier: Apache-2.0
/* outputs/timeline/graph.c: the graph view over time: one process for each device (or stream), regions in lanes, and flows
 * from a node to its consumers on other devices. Regions are sorted once by device and start; lanes are found with a tree of
 * their last ends, flows with lists made once for each source: the cost grows with the output only. */
#include "model/tables/details.h"
#include "model/tables/graph.h"
#include "model/tables/lanes.h"
#include "model/tables/read.h"
#include "outputs/timeline/timeline.h"
#include "query/order.h"
#include "views/core/rows.h"

#include <stdlib.h>

typedef struct region {
    int64_t start_ns, duration_ns;
    uint32_t lane, node, tid;
} region;

typedef struct graph {
    const tfp_report *r;
    const tfp_profile *p;
    tfp_trace_out *t;
    /* at first in the order found, then sorted by device name and start, one for each start */
    TFP_VEC(region) regions;
    uint32_t *rank, *pid; /* per lane of the profile: its rank by name; its process or TFP_NONE */
    /* the lane that stands for all lanes of its name, because a file may have two kinds of lanes with one name */
    uint32_t *device;
    uint32_t *lane_first;        /* by rank: its first region; one more at the end */
    TFP_VEC(uint32_t) processes; /* lanes by pid */
    TFP_VEC(uint32_t) fresh;     /* lanes that the current node is the first to use */
    TFP_VEC(uint64_t) flows;     /* source << 32 | target, regions */
} graph;

/* ---- regions ---- */

static bool lane_less(const void *ctx, uint32_t a, uint32_t b)
{
    const graph *g = ctx;
    return g->rank[a] < g->rank[b];
}

static bool rank_lanes(graph *g)
{
    size_t n = tfp_lanes_of(g->p)->size;
    uint32_t *order = malloc((n + 1) * sizeof *order);
    bool ok = order && tfp_rank_lanes(g->p, order, g->rank);
    for (size_t i = 0; ok && i < n; i++) {
        const tfp_lane *l = &tfp_lanes_of(g->p)->at[order[i]];
        bool same = i && l->name == tfp_lanes_of(g->p)->at[order[i - 1]].name;
        g->device[order[i]] = same ? g->device[order[i - 1]] : order[i];
        g->pid[i] = TFP_NONE;
    }
    free(order);
    return ok;
}

/* Regions of one kind of a node's lanes; lanes not used before are recorded. */
static bool add_spans(graph *g, uint32_t node, uint32_t exec, tfp_lane_kind kind)
{
    for (TFP_EACH(tfp_details_of(g->p)->spans, i, tfp_detail(g->p, exec)->span_first)) {
        const tfp_span *s = &tfp_details_of(g->p)->spans.at[i];
        uint32_t device = g->device[s->lane];
        if (tfp_lanes_of(g->p)->at[s->lane].kind != kind) continue;
        if (g->pid[device] == TFP_NONE) {
            g->pid[device] = 0; /* marks it as listed */
            if (!tfp_push(&g->fresh, device)) return false;
        }
        region x = { s->start_ns, s->duration_ns, device, node, 0 };
        if (!tfp_push(&g->regions, x)) return false;
    }
    return true;
}

/* Processes are numbered in the order of first use: row by row, and the lanes of a row by name. Where a file has both
 * kinds of time for one device the accelerator's comes first. */
static bool add_node(graph *g, uint32_t node, uint32_t exec)
{
    g->fresh.size = 0;
    if (!add_spans(g, node, exec, TFP_LANE_ACCELERATOR) || !add_spans(g, node, exec, TFP_LANE_CPU)) return false;
    if (!tfp_sort(g->fresh.at, g->fresh.size, lane_less, g)) return false;
    for (size_t i = 0; i < g->fresh.size; i++) {
        g->pid[g->fresh.at[i]] = (uint32_t)g->processes.size;
        if (!tfp_push(&g->processes, g->fresh.at[i])) return false;
    }
    return true;
}

static bool start_less(const void *ctx, uint32_t a, uint32_t b)
{
    const graph *g = ctx;
    const region *x = &g->regions.at[a], *y = &g->regions.at[b];
    if (x->lane != y->lane) return g->rank[x->lane] < g->rank[y->lane];
    return x->start_ns < y->start_ns;
}

/* If several runs begin at the same time on a device, only the first is drawn. */
static bool sort_regions(graph *g)
{
    size_t n = g->regions.size, kept = 0;
    uint32_t *order = malloc((n + 1) * sizeof *order);
    region *sorted = malloc((n + 1) * sizeof *sorted);
    bool ok = order && sorted && n < TFP_NONE;
    for (size_t i = 0; ok && i < n; i++) order[i] = (uint32_t)i;
    ok = ok && tfp_sort(order, n, start_less, g);
    for (size_t i = 0; ok && i < n; i++) {
        region x = g->regions.at[order[i]];
        if (kept && sorted[kept - 1].lane == x.lane && sorted[kept - 1].start_ns == x.start_ns) continue;
        sorted[kept++] = x;
    }
    if (ok && n) memcpy(g->regions.at, sorted, kept * sizeof *sorted);
    if (ok) g->regions.size = kept;
    free(order);
    free(sorted);
    return ok;
}

/* lane_first[rank] .. lane_first[rank + 1]: the regions of the lane of that rank. */
static void index_regions(graph *g)
{
    size_t lanes = tfp_lanes_of(g->p)->size, at = 0;
    for (size_t rank = 0; rank <= lanes; rank++) {
        while (at < g->regions.size && g->rank[g->regions.at[at].lane] < rank) at++;
        g->lane_first[rank] = (uint32_t)at;
    }
    g->lane_first[lanes] = (uint32_t)g->regions.size;
}

static bool collect(graph *g)
{
    for (size_t i = 1; i < tfp_row_count(g->r); i++) {
        uint32_t node = tfp_row_at(g->r, i)->node, exec = tfp_timeline_exec(g->r, node);
        if (exec != TFP_NONE && !add_node(g, node, exec)) return false;
    }
    if (!sort_regions(g)) return false;
    index_regions(g);
    return true;
}

/* ---- lanes ---- */

/* A region takes the first lane whose last region has ended. ends: a tree over the lanes' last ends, in which each inner node
 * has the smaller of its two children; `size` leaves, at most one for each region, so that a free lane always exists. */
static uint32_t take_lane(int64_t *ends, size_t size, int64_t start, int64_t end)
{
    size_t at = 1;
    while (at < size) at = 2 * at + (ends[2 * at] > start);
    size_t lane = at - size;
    for (ends[at] = end, at /= 2; at; at /= 2) {
        int64_t a = ends[2 * at], b = ends[2 * at + 1];
        ends[at] = a < b ? a : b;
    }
    return (uint32_t)lane;
}

static bool assign_lanes(graph *g)
{
    int64_t *ends = malloc((4 * g->regions.size + 4) * sizeof *ends);
    if (!ends) return false;
    for (size_t rank = 0; rank < tfp_lanes_of(g->p)->size; rank++) {
        uint32_t first = g->lane_first[rank], last = g->lane_first[rank + 1];
        size_t size = 1;
        while (size < last - first) size *= 2;
        for (size_t i = 0; i < 2 * size; i++) ends[i] = INT64_MIN;
        for (uint32_t i = first; i < last; i++) {
            region *x = &g->regions.at[i];
            int64_t end = tfp_add(x->start_ns, x->duration_ns, NULL);
            x->tid = take_lane(ends, size, x->start_ns, end);
        }
    }
    free(ends);
    return true;
}

/* ---- flows ---- */

/* Lists that are made once for each node: the regions in which its runs are drawn. */
typedef struct sources {
    uint32_t *first, *count;   /* by node, into list; first is TFP_NONE before the list is made */
    TFP_VEC(uint32_t) list;    /* regions in ascending order, so those of one device together */
    TFP_VEC(uint32_t) live;    /* inputs of the current node that are drawn anywhere */
    uint32_t *own_first, *own; /* by node, into own: the node's own regions */
} sources;

static uint32_t find_region(const graph *g, uint32_t lane, int64_t start)
{
    uint32_t rank = g->rank[lane], low, end = g->lane_first[rank + 1];
    TFP_LOWER_BOUND(low, g->lane_first[rank], g->lane_first[rank + 1], g->regions.at[low].start_ns < start);
    return low < end && g->regions.at[low].start_ns == start ? low : TFP_NONE;
}

static bool number_less(const void *ctx, uint32_t a, uint32_t b)
{
    (void)ctx;
    return a < b;
}

/* A flow begins at each accounted input that ran, even if it is not shown, provided that a region is drawn where the input starts. */
static bool list_sources(graph *g, sources *s, uint32_t node)
{
    s->first[node] = (uint32_t)s->list.size;
    s->count[node] = 0;
    if (tfp_tree_of(g->r)->node_accounted && !tfp_tree_of(g->r)->node_accounted[node]) return true;
    uint32_t exec = tfp_timeline_exec(g->r, node);
    if (exec == TFP_NONE) return true;
    for (TFP_EACH(tfp_details_of(g->p)->spans, i, tfp_detail(g->p, exec)->span_first)) {
        const tfp_span *x = &tfp_details_of(g->p)->spans.at[i];
        const tfp_lane *l = &tfp_lanes_of(g->p)->at[x->lane];
        if (l->kind != TFP_LANE_CPU || !l->is_device) continue;
        uint32_t at = find_region(g, g->device[x->lane], x->start_ns);
        if (at != TFP_NONE && !tfp_push(&s->list, at)) return false;
    }
    s->count[node] = (uint32_t)(s->list.size - s->first[node]);
    return s->count[node] < 2 || tfp_sort(s->list.at + s->first[node], s->count[node], number_less, NULL);
}

static bool list_inputs(graph *g, sources *s, uint32_t node)
{
    s->live.size = 0;
    for (TFP_EACH(tfp_graph_of(g->p)->inputs, i, tfp_graph_of(g->p)->nodes.at[node].input_first)) {
        uint32_t from = tfp_graph_of(g->p)->inputs.at[i].node;
        if (from == TFP_NONE) continue;
        if (s->first[from] == TFP_NONE && !list_sources(g, s, from)) return false;
        if (s->count[from] && !tfp_push(&s->live, from)) return false;
    }
    return true;
}

/* From every drawn run of one source to the drawn runs of the target on one device, but not within that device. */
static bool add_flows(graph *g, const sources *s, uint32_t from, const uint32_t *targets, size_t count)
{
    uint32_t rank = g->rank[g->regions.at[targets[0]].lane];
    uint32_t skip_from = g->lane_first[rank], skip_to = g->lane_first[rank + 1];
    const uint32_t *list = s->list.at + s->first[from];
    for (size_t i = 0, n = s->count[from]; i < n; i++) {
        if (list[i] >= skip_from && list[i] < skip_to) {
            if (list[n - 1] < skip_to) break; /* only this device is left */
            size_t low;
            TFP_LOWER_BOUND(low, i, n, list[low] < skip_to);
            i = low;
        }
        for (size_t k = 0; k < count; k++) {
            if (g->flows.size >= TFP_TIMELINE_FLOWS) {
                g->t->flows_cut = true;
                return true;
            }
            if (!tfp_push(&g->flows, (uint64_t)list[i] << 32 | targets[k])) return false;
        }
    }
    return true;
}

/* Connects the regions of one node, device by device. An input that is drawn only on the same device gives no flow there;
 * every other pair gives one, so the work is bounded by inputs and flows. */
static bool connect_node(graph *g, sources *s, uint32_t node)
{
    const uint32_t *own = s->own + s->own_first[node];
    size_t count = s->own_first[node + 1] - s->own_first[node];
    if (count == 0) return true;
    if (!list_inputs(g, s, node)) return false;
    for (size_t i = 0, end; i < count && s->live.size; i = end) {
        uint32_t lane = g->regions.at[own[i]].lane;
        for (end = i; end < count && g->regions.at[own[end]].lane == lane; end++) {}
        if (!tfp_lanes_of(g->p)->at[lane].is_device) continue;
        for (size_t k = 0; k < s->live.size && !g->t->flows_cut; k++)
            if (!add_flows(g, s, s->live.at[k], own + i, end - i)) return false;
    }
    return true;
}

static int compare_flows(const void *a, const void *b)
{
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return x < y ? -1 : x > y;
}

/* own: the regions of each node, in the order of regions. */
static void index_own(const graph *g, sources *s)
{
    size_t nodes = tfp_graph_of(g->p)->nodes.size;
    for (size_t i = 0; i < g->regions.size; i++) s->own_first[g->regions.at[i].node + 1]++;
    for (size_t i = 0; i < nodes; i++) s->own_first[i + 1] += s->own_first[i];
    for (size_t i = 0; i < g->regions.size; i++) s->own[s->own_first[g->regions.at[i].node]++] = (uint32_t)i;
    for (size_t i = nodes; i > 0; i--) s->own_first[i] = s->own_first[i - 1]; /* filling moved each start to its end */
    s->own_first[0] = 0;
}

static bool connect(graph *g)
{
    size_t nodes = tfp_graph_of(g->p)->nodes.size;
    sources s = { 0 };
    s.first = malloc((nodes + 1) * sizeof *s.first);
    s.count = malloc((nodes + 1) * sizeof *s.count);
    s.own_first = calloc(nodes + 2, sizeof *s.own_first);
    s.own = malloc((g->regions.size + 1) * sizeof *s.own);
    bool ok = s.first && s.count && s.own_first && s.own;
    if (ok) {
        memset(s.first, 0xff, (nodes + 1) * sizeof *s.first); /* TFP_NONE */
        index_own(g, &s);
    }
    for (uint32_t node = 0; ok && node < nodes && !g->t->flows_cut; node++) ok = connect_node(g, &s, node);
    if (ok && g->flows.size) qsort(g->flows.at, g->flows.size, sizeof *g->flows.at, compare_flows);
    free(s.first);
    free(s.count);
    free(s.own_first);
    free(s.own);
    tfp_vec_free(&s.list);
    tfp_vec_free(&s.live);
    return ok;
}

/* ---- events ---- */

static bool place_less(const void *ctx, uint32_t a, uint32_t b)
{
    const graph *g = ctx;
    const region *x = &g->regions.at[a], *y = &g->regions.at[b];
    if (x->lane != y->lane) return g->pid[x->lane] < g->pid[y->lane];
    return x->tid < y->tid; /* the order so far is by start */
}

static tfp_str name_of(const tfp_profile *p, uint32_t n) { return tfp_text(p, tfp_graph_of(p)->nodes.at[n].name); }

static void put_flow_end(graph *g, tfp_str name, int64_t id, const char *phase, const region *at, int64_t ts_ns)
{
    tfp_json *j = &g->t->j;
    tfp_json_open(j, '{');
    tfp_json_text_at(j, "cat", "DataFlow");
    tfp_json_int_at(j, "id", id);
    tfp_json_str_at(j, "name", name);
    tfp_json_text_at(j, "ph", phase);
    tfp_json_int_at(j, "pid", g->pid[at->lane]);
    tfp_json_int_at(j, "tid", at->tid);
    tfp_json_key(j, "ts");
    tfp_json_thousandths(j, ts_ns);
    tfp_json_close(j, '}');
}

static void put_flows(graph *g, const uint32_t *order)
{
    tfp_buf name = { 0 }, room = { 0 };
    size_t *first = calloc(g->regions.size + 2, sizeof *first);
    if (!first) g->t->j.out->failed = true;
    for (size_t i = 0; first && i < g->flows.size; i++) first[(g->flows.at[i] >> 32) + 1]++;
    for (size_t i = 0; first && i < g->regions.size; i++) first[i + 1] += first[i];
    int64_t id = 1;
    for (size_t i = 0; first && i < g->regions.size && !g->t->sink->status; i++) {
        const region *from = &g->regions.at[order[i]];
        for (size_t k = first[order[i]]; k < first[order[i] + 1]; k++, id++) {
            const region *to = &g->regions.at[(uint32_t)g->flows.at[k]];
            name.size = 0;
            tfp_buf_str(&name, tfp_trace_name(g->t, name_of(g->p, from->node), &room));
            tfp_buf_text(&name, "_flow");
            tfp_str shown = { name.data, name.size };
            put_flow_end(g, shown, id, "s", from, tfp_add(from->start_ns, from->duration_ns, NULL));
            put_flow_end(g, shown, id, "t", to, to->start_ns);
            tfp_sink_flush_if_full(g->t->sink);
        }
    }
    if (name.failed) g->t->j.out->failed = true;
    free(first);
    tfp_buf_free(&name);
    tfp_buf_free(&room);
}

static void put_regions(graph *g, const uint32_t *order)
{
    for (size_t i = 0; i < g->processes.size; i++) {
        const tfp_lane *l = &tfp_lanes_of(g->p)->at[g->processes.at[i]];
        bool stream = l->role == TFP_ROLE_STREAM;
        tfp_trace_process(g->t, (int64_t)i,
                          stream ? "Op execution threads: " : "Op scheduling threads: ", tfp_text(g->p, l->name), "");
    }
    for (size_t i = 0; i < g->regions.size && !g->t->sink->status; i++) {
        const region *x = &g->regions.at[order[i]];
        tfp_trace_region box = { name_of(g->p, x->node), x->start_ns, x->duration_ns, g->pid[x->lane], x->tid };
        tfp_trace_put_region(g->t, &box, false);
    }
}

static tfp_status put_memory(graph *g, const tfp_used_devices *d, bool processes, tfp_error *err)
{
    tfp_status s = TFP_OK;
    for (size_t i = 0; !s && i < d->at.size; i++) {
        int64_t pid = (int64_t)(g->processes.size + 2 * i);
        tfp_str name = tfp_text(g->p, d->at.at[i].name);
        if (processes) {
            tfp_trace_process(g->t, pid, "mem usage on:", name, "");
            tfp_trace_process(g->t, pid + 1, "mem usage on:", name, " allocations");
        } else {
            s = tfp_memory_counters(g->r, &d->at.at[i], pid, g->t, err);
        }
    }
    return s;
}

static tfp_status put_events(graph *g, tfp_error *err)
{
    tfp_used_devices devices = { 0 };
    uint32_t *order = malloc((g->regions.size + 1) * sizeof *order);
    tfp_status s = order && tfp_timeline_devices(g->r, &devices) ? TFP_OK : tfp_nomem(err);
    for (size_t i = 0; !s && i < g->regions.size; i++) order[i] = (uint32_t)i;
    if (!s && !tfp_sort(order, g->regions.size, place_less, g)) s = tfp_nomem(err);
    if (!s) {
        put_regions(g, order);
        put_memory(g, &devices, true, err);
        put_flows(g, order);
        s = put_memory(g, &devices, false, err);
    }
    tfp_used_devices_free(&devices);
    free(order);
    return s;
}

tfp_status tfp_timeline_graph(const tfp_report *r, tfp_trace_out *t, tfp_error *err)
{
    graph g = { .r = r, .p = tfp_profile_of(r), .t = t };
    size_t lanes = tfp_lanes_of(tfp_profile_of(r))->size;
    g.rank = malloc((lanes + 1) * sizeof *g.rank);
    g.pid = malloc((lanes + 1) * sizeof *g.pid);
    g.device = malloc((lanes + 1) * sizeof *g.device);
    g.lane_first = malloc((lanes + 2) * sizeof *g.lane_first);
    bool ok = g.rank && g.pid && g.device && g.lane_first;
    ok = ok && rank_lanes(&g) && collect(&g) && assign_lanes(&g) && connect(&g);
    tfp_status s = ok ? put_events(&g, err) : tfp_nomem(err);
    free(g.rank);
    free(g.pid);
    free(g.device);
    free(g.lane_first);
    tfp_vec_free(&g.regions);
    tfp_vec_free(&g.processes);
    tfp_vec_free(&g.fresh);
    tfp_vec_free(&g.flows);
    return s;
}
