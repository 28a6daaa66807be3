// SPDX-License-Identifier: Apache-2.0
/* model/join/nodes.c: finds the places of host ops in the model, and makes nodes. */
#include "model/event_builder.h"
#include "model/graphs.h"
#include "model/join/join.h"
#include "model/tables/graph.h"
#include "model/tables/processes.h"
#include "model/tables/profile.h"
#include "query/order.h"

/* Paths up to this length are kept complete; when all paths together have become long, only shorter ones are. Otherwise
 * a few thousand levels of nesting would take memory quadratic in their number. */
#define PATH_MAX_WHOLE ((size_t)16 << 10)
#define PATH_MAX_LATER ((size_t)512)
#define PATH_MAX_KEPT                                                                                                  \
    ((size_t)4 << 10) /* the limit of length in that case; spans inside longer paths belong to a node further up */
#define PATHS_MANY ((size_t)48 << 20)

/* ---- places ---- */

/* The place below which the contents of a place are added. */
static uint32_t attach_of(const tfp_join *x, uint32_t place)
{
    const tfp_place *p = &x->places.list.at[place];
    bool is_long = x->places.path_bytes > PATHS_MANY && x->places.list.at[p->attach].length > PATH_MAX_KEPT;
    return is_long ? p->later : p->attach;
}

static uint32_t place_below(tfp_join *x, uint32_t parent, tfp_strid name)
{
    if (x->b->status) return 0;
    size_t most = x->places.path_bytes > PATHS_MANY ? PATH_MAX_LATER : PATH_MAX_WHOLE;
    parent = attach_of(x, parent);
    uint64_t key = (uint64_t)parent << 32 | name;
    uint32_t at = tfp_map64_get(&x->places.by_name, key);
    if (at != TFP_NONE) return at;
    at = (uint32_t)x->places.list.size;
    size_t above = x->places.list.at[parent].length;
    tfp_place place = { .parent = parent, .attach = at, .later = at, .name = name, .node = TFP_NONE };
    place.length = above + (above > 0) + tfp_text(x->p, name).size;
    if (place.length > most) place.attach = parent;
    if (place.length > PATH_MAX_LATER) place.later = x->places.list.at[parent].later;
    return tfp_join_keep(x, tfp_push(&x->places.list, place) && tfp_map64_put(&x->places.by_name, key, at)) ? at : 0;
}

static bool is_scope(unsigned kind) { return kind == TFP_SPAN_ANNOTATION || kind == TFP_SPAN_MODULE; }

/* Finds annotations and modules around each span: the place of a backward op is that of its forward op. */
static bool find_models(tfp_join *x)
{
    const tfp_span_columns *s = &x->t->spans;
    x->places.model = calloc(x->count + 1, sizeof *x->places.model);
    if (!tfp_join_keep(x, x->places.model != NULL)) return false;
    for (size_t k = 0; k < x->count && !x->b->status; k++) {
        uint32_t i = x->order[k], parent = s->parent[i], above = parent == TFP_NONE ? 0 : x->places.model[parent];
        x->places.model[i] = is_scope(s->kind[i]) ? place_below(x, above, s->name[i]) : above;
    }
    return !x->b->status;
}

typedef struct forwards { /* forward ops sorted by process and number, then in the order of spans */
    uint32_t *at;
    uint64_t *keys; /* for each span */
    size_t count;
} forwards;

static bool is_forward(const tfp_span_columns *s, uint32_t i)
{
    return s->kind[i] == TFP_SPAN_OP && s->sequence[i] && !(s->marks[i] & TFP_MARK_BACKWARD);
}

static bool find_forwards(const tfp_join *x, forwards *f)
{
    const tfp_span_columns *s = &x->t->spans;
    uint64_t *starts = malloc((x->count + 1) * sizeof *starts);
    f->keys = malloc((x->count + 1) * sizeof *f->keys);
    f->at = malloc((x->count + 1) * sizeof *f->at);
    bool ok = starts && f->keys && f->at;
    for (size_t k = 0; ok && k < x->count; k++) {
        uint32_t i = x->order[k];
        if (!is_forward(s, i)) continue;
        f->at[f->count++] = i;
        starts[i] = (uint64_t)s->start_ns[i] ^ UINT64_C(1) << 63;
        f->keys[i] = tfp_in_process(x, i, s->sequence[i]);
    }
    ok = ok && tfp_sort_keys(f->at, f->count, starts) && tfp_sort_keys(f->at, f->count, f->keys);
    free(starts);
    return ok;
}

/* The last forward op with this number that starts before the span. */
static uint32_t forward_of(const tfp_join *x, const forwards *f, uint32_t span)
{
    const tfp_span_columns *s = &x->t->spans;
    uint64_t key = tfp_in_process(x, span, s->sequence[span]);
    size_t i;
    TFP_LOWER_BOUND(i, 0, f->count,
                    f->keys[f->at[i]] < key || (f->keys[f->at[i]] == key && s->start_ns[f->at[i]] < s->start_ns[span]));
    return i && f->keys[f->at[i - 1]] == key ? f->at[i - 1] : TFP_NONE;
}

/* The place of a host op, or the place around the contents of an annotation or module. */
static uint32_t place_around(tfp_join *x, uint32_t i, const forwards *f, tfp_strid word)
{
    const tfp_span_columns *s = &x->t->spans;
    uint32_t parent = s->parent[i], above = parent == TFP_NONE ? 0 : x->places.scope[parent];
    if (!x->places.backward) return above;
    x->places.backward[i] = parent != TFP_NONE && x->places.backward[parent];
    if (s->kind[i] != TFP_SPAN_OP || !(s->marks[i] & TFP_MARK_BACKWARD) || x->places.backward[i]) return above;
    x->places.backward[i] = 1;
    uint32_t forward = forward_of(x, f, i);
    if (forward == TFP_NONE) return above;
    tfp_build_link(x->b, TFP_FLOW_BACKWARD, forward, i);
    return place_below(x, x->places.model[forward], word);
}

/* ---- nodes ---- */

static void join_type(tfp_join *x, uint32_t node, tfp_strid type)
{
    if (node == TFP_NONE || !type || x->nodes.last_type.at[node] == type) return;
    x->nodes.last_type.at[node] = type;
    tfp_build_type(x->b, node, type);
}

static bool grow_nodes(tfp_join *x)
{
    size_t from = x->nodes.last_exec.size, to = x->p->graph->nodes.size;
    if (!tfp_join_keep(x, tfp_reserve(&x->nodes.last_exec, to) && tfp_reserve(&x->nodes.last_type, to) &&
                              tfp_reserve(&x->nodes.ran, to)))
        return false;
    for (size_t i = from; i < to; i++) {
        x->nodes.last_exec.at[i] = TFP_NONE;
        x->nodes.last_type.at[i] = 0;
        x->nodes.ran.at[i] = 0;
    }
    x->nodes.last_exec.size = x->nodes.last_type.size = x->nodes.ran.size = to;
    return true;
}

/* The node with that path and op. If a graph was given with the trace, the op comes from the graph. */
static uint32_t node_named(tfp_join *x, tfp_strid path, tfp_strid op)
{
    uint64_t key = (uint64_t)path << 32 | op;
    uint32_t node = tfp_map64_get(&x->places.node_by_name_op, key);
    if (node != TFP_NONE || x->b->status) return node;
    node = tfp_named_node(x->p, path);
    if (node != TFP_NONE && x->p->graph->nodes.at[node].op != op && x->p->graph->nodes.at[node].flags & TFP_NODE_TRACED)
        node = TFP_NONE; /* it has another op: it is "a/b" alone, not "b" in "a" */
    if (node == TFP_NONE) {
        bool twin = tfp_named_node(x->p, path) != TFP_NONE;
        uint32_t first = twin ? tfp_named_node(x->p, path) : TFP_NONE;
        node = tfp_build_node(x->b, tfp_text(x->p, path), tfp_text(x->p, op), true);
        if (node == TFP_NONE) return TFP_NONE;
        x->p->graph->nodes.at[node].flags |= TFP_NODE_TRACED;
        if (twin) {
            x->p->graph->node_by_name.at[path] = first;
            tfp_join_keep(x, tfp_push(&x->t->twins, node));
        }
    }
    if (!grow_nodes(x)) return TFP_NONE;
    tfp_join_keep(x, tfp_map64_put(&x->places.node_by_name_op, key, node));
    return node;
}

/* Builds a place's path from its end. */
static tfp_strid path_of(tfp_join *x, uint32_t place)
{
    size_t length = x->places.list.at[place].length;
    x->places.text.size = 0;
    tfp_buf_fill(&x->places.text, '/', length);
    if (!tfp_join_keep(x, !x->places.text.failed)) return 0;
    size_t at = length;
    for (uint32_t i = place; i; i = x->places.list.at[i].parent) {
        tfp_str name = tfp_text(x->p, x->places.list.at[i].name);
        at -= name.size;
        if (name.size) memcpy(x->places.text.data + at, name.data, name.size);
        at -= at > 0; /* skips the slash */
    }
    x->places.path_bytes += length;
    return tfp_build_string(x->b, (tfp_str){ x->places.text.data, length });
}

static uint32_t node_of_place(tfp_join *x, uint32_t place)
{
    if (x->b->status) return TFP_NONE;
    if (x->places.list.at[place].node == TFP_NONE)
        x->places.list.at[place].node = node_named(x, path_of(x, place), x->places.list.at[place].name);
    return x->b->status ? TFP_NONE : x->places.list.at[place].node;
}

typedef struct words {
    tfp_strid backward, runtime, communication;
} words;

typedef struct host_run { /* what a host span contributes to its node */
    uint32_t node, lane, trace;
    unsigned kind, marks;
    bool backward, collective;
} host_run;

static void host_types(tfp_join *x, const host_run *h, const words *w)
{
    uint32_t node = h->node;
    if (node == TFP_NONE || x->b->status) return;
    const tfp_lane *lane = &x->p->lanes->at[h->lane];
    if (!x->nodes.ran.at[node]) { /* once for each node */
        join_type(x, node, lane->device);
        if (h->kind == TFP_SPAN_CALL) tfp_build_type(x->b, node, w->runtime);
        tfp_build_node_device(x->b, node, lane->device, lane->on);
        x->p->graph->nodes.at[node].host_device = lane->device;
        if (h->trace != TFP_NONE) x->p->graph->nodes.at[node].trace = h->trace;
        x->nodes.ran.at[node] = 1;
    }
    if (h->collective || h->marks & TFP_MARK_COLLECTIVE) tfp_build_type(x->b, node, w->communication);
    if (h->backward) tfp_build_type(x->b, node, w->backward);
}

const char tfp_join_cut_paths[] = "spans nested so deep that their paths were shortened";

static void warn_cut(tfp_join *x, uint32_t process)
{
    uint32_t source = process < x->t->processes.size ? x->t->processes.at[process].source : TFP_NONE;
    tfp_build_warn_source(x->b, source, tfp_join_cut_paths);
}

static void host_node(tfp_join *x, uint32_t i, const forwards *f, const words *w)
{
    tfp_span_columns *s = &x->t->spans;
    unsigned kind = s->kind[i];
    uint32_t above = place_around(x, i, f, w->backward);
    x->places.scope[i] = above;
    if (tfp_is_host_op(kind) && s->path[i]) {
        s->node[i] = node_named(x, s->path[i], s->op[i] ? s->op[i] : s->name[i]);
    } else if (tfp_is_host_op(kind) || is_scope(kind)) {
        uint32_t place = place_below(x, above, s->name[i]);
        if (attach_of(x, above) != above) warn_cut(x, tfp_span_process(x, i));
        if (kind != TFP_SPAN_CALL) x->places.scope[i] = place;
        if (tfp_is_host_op(kind)) s->node[i] = node_of_place(x, place);
    }
    host_run run = { .node = s->node[i],
                     .lane = s->lane[i],
                     .trace = s->trace[i],
                     .kind = kind,
                     .marks = s->marks[i],
                     .backward = x->places.backward && x->places.backward[i],
                     .collective = s->class[i] == TFP_CLASS_COMMUNICATION };
    host_types(x, &run, w);
}

uint32_t tfp_join_no_op(tfp_join *x)
{
    tfp_strid name = tfp_build_string(x->b, TFP_STR("(no op)"));
    if (x->nodes.no_op == TFP_NONE && !x->b->status) x->nodes.no_op = node_named(x, name, name);
    return x->nodes.no_op;
}

/* ---- what a graph replayed: its place in the capture, below the annotations around the launch of the replay ---- */

/* The place of the annotations around a span, including itself. It is computed once for each span. */
static uint32_t annotations_of(tfp_join *x, uint32_t span)
{
    const tfp_span_columns *s = &x->t->spans;
    TFP_VEC(uint32_t) path = { 0 };
    uint32_t place = 0;
    bool ok = true;
    if (!x->places.annotated) {
        x->places.annotated = malloc((x->count + 1) * sizeof *x->places.annotated);
        if (!tfp_join_keep(x, x->places.annotated != NULL)) return 0;
        memset(x->places.annotated, 0xff, (x->count + 1) * sizeof *x->places.annotated); /* TFP_NONE */
    }
    for (; span != TFP_NONE && ok; span = s->parent[span]) {
        place = x->places.annotated[span];
        if (place != TFP_NONE) break;
        ok = tfp_push(&path, span);
    }
    if (span == TFP_NONE || !tfp_join_keep(x, ok)) place = 0;
    while (path.size && !x->b->status) {
        span = path.at[--path.size];
        if (s->kind[span] == TFP_SPAN_ANNOTATION) place = place_below(x, place, s->name[span]);
        x->places.annotated[span] = place;
    }
    tfp_vec_free(&path);
    return place;
}

/* Finds or adds a captured place below a place of the trace. */
static uint32_t place_within(tfp_join *x, uint32_t above, uint32_t captured)
{
    const tfp_graph_tables *g = x->p->captures;
    TFP_VEC(uint32_t) path = { 0 };
    uint32_t place = above;
    bool ok = true;
    for (; captured && ok; captured = g->places.at[captured].parent) {
        uint32_t known = tfp_map64_get(&x->places.replayed, (uint64_t)above << 32 | captured);
        if (known != TFP_NONE) {
            place = known;
            break;
        }
        ok = tfp_push(&path, captured);
    }
    tfp_join_keep(x, ok);
    while (path.size && !x->b->status) {
        captured = path.at[--path.size];
        place = place_below(x, place, g->places.at[captured].name);
        tfp_join_keep(x, tfp_map64_put(&x->places.replayed, (uint64_t)above << 32 | captured, place));
    }
    tfp_vec_free(&path);
    return place;
}

static uint32_t replayed_node(tfp_join *x, uint32_t span)
{
    const tfp_span_columns *s = &x->t->spans;
    const tfp_attribution *a = &x->t->attributions.at[s->attribution[span]];
    uint32_t launch = s->launch[span];
    uint32_t place = place_within(x, a->outright ? 0 : annotations_of(x, s->parent[launch]), a->place);
    if (!a->op) place = place_below(x, place, s->name[launch]);
    return node_of_place(x, place);
}

/* ---- activities ---- */

static void activity_types(tfp_join *x, uint32_t node, const tfp_lane *lane, bool communication, const words *w)
{
    if (node == TFP_NONE || x->b->status) return;
    if (x->nodes.last_type.at[node] != lane->device) tfp_build_node_device(x->b, node, lane->device, lane->on);
    join_type(x, node, lane->device);
    if (communication) tfp_build_type(x->b, node, w->communication);
}

static void activity_node(tfp_join *x, uint32_t i, const words *w)
{
    tfp_span_columns *s = &x->t->spans;
    const tfp_lane *lane = &x->p->lanes->at[s->lane[i]];
    uint32_t owner = s->owner[i], told = s->attribution[i];
    if (lane->process >= x->t->processes.size) return;
    const tfp_attribution *a = told == TFP_NONE ? NULL : &x->t->attributions.at[told];
    if (a && a->path)
        s->node[i] = node_named(x, a->path, a->op);
    else if (a && a->place != TFP_NONE)
        s->node[i] = replayed_node(x, i);
    else if (s->path[i])
        s->node[i] = node_named(x, s->path[i], s->op[i] ? s->op[i] : s->name[i]);
    else
        s->node[i] = owner == TFP_NONE ? tfp_join_no_op(x) : s->node[owner];
    activity_types(x, s->node[i], lane, s->class[i] == TFP_CLASS_COMMUNICATION, w);
}

/* ---- compact lanes, whose spans all tell their paths ---- */

static uint32_t node_of_kind(tfp_join *x, const tfp_compact_kind *k)
{
    return node_named(x, k->path, k->op ? k->op : k->name);
}

static void compact_host_nodes(tfp_join *x, tfp_compact_lane *f, const words *w)
{
    for (size_t i = 0; i < f->sums.size && !x->b->status; i++) {
        tfp_compact_sum *g = &f->sums.at[i];
        const tfp_compact_kind *k = &x->t->compact->kinds.at[g->kind];
        if (!tfp_is_host_op(k->kind)) continue;
        g->node = node_of_kind(x, k);
        host_run run = { .node = g->node, .lane = f->lane, .trace = k->trace, .kind = k->kind, .marks = k->marks };
        host_types(x, &run, w);
    }
}

static void compact_activity_nodes(tfp_join *x, tfp_compact_lane *f, const words *w)
{
    for (size_t i = 0; i < f->sums.size && !x->b->status; i++) {
        tfp_compact_sum *g = &f->sums.at[i];
        const tfp_compact_kind *k = &x->t->compact->kinds.at[g->kind];
        if (k->kind != TFP_SPAN_ACTIVITY) continue;
        g->node = node_of_kind(x, k);
        activity_types(x, g->node, &x->p->lanes->at[f->lane], g->class == TFP_CLASS_COMMUNICATION, w);
    }
}

/* Finds the nodes of an earlier join that share their name. */
static bool recall_twins(tfp_join *x)
{
    for (size_t i = 0; i < x->t->twins.size; i++) {
        const tfp_node *n = &x->p->graph->nodes.at[x->t->twins.at[i]];
        if (!tfp_map64_put(&x->places.node_by_name_op, (uint64_t)n->name << 32 | n->op, x->t->twins.at[i]))
            return false;
    }
    return true;
}

void tfp_join_nodes(tfp_join *x)
{
    const tfp_span_columns *s = &x->t->spans;
    words w = { tfp_build_string(x->b, TFP_STR("backward")), tfp_build_string(x->b, TFP_STR("runtime")),
                tfp_build_string(x->b, TFP_STR("communication")) };
    forwards f = { 0 };
    bool backward = false;
    tfp_place root = { .node = TFP_NONE };
    for (size_t i = 0; i < x->count && !backward; i++) backward = s->marks[i] & TFP_MARK_BACKWARD;
    x->places.scope = calloc(x->count + 1, sizeof *x->places.scope);
    if (backward) x->places.backward = calloc(x->count + 1, 1);
    bool ok = x->places.scope && (!backward || x->places.backward) && tfp_push(&x->places.list, root) &&
              grow_nodes(x) && recall_twins(x);
    if (tfp_join_keep(x, ok) && backward) tfp_join_keep(x, find_models(x) && find_forwards(x, &f));
    for (uint32_t lane = 0; lane < x->p->lanes->size && !x->b->status; lane++) {
        tfp_compact_lane *compact = tfp_compact_lane_of(x->t, lane);
        for (size_t k = x->lane_first[lane]; k < x->lane_first[lane + 1] && !x->b->status; k++) {
            uint32_t i = x->order[k];
            if (s->kind[i] != TFP_SPAN_ACTIVITY && tfp_span_process(x, i) < x->t->processes.size)
                host_node(x, i, &f, &w);
        }
        if (compact) compact_host_nodes(x, compact, &w);
    }
    for (uint32_t lane = 0; lane < x->p->lanes->size && !x->b->status; lane++) {
        tfp_compact_lane *compact = tfp_compact_lane_of(x->t, lane);
        for (size_t k = x->lane_first[lane]; k < x->lane_first[lane + 1] && !x->b->status; k++)
            if (s->kind[x->order[k]] == TFP_SPAN_ACTIVITY) activity_node(x, x->order[k], &w);
        if (compact) compact_activity_nodes(x, compact, &w);
    }
    free(f.at);
    free(f.keys);
}
