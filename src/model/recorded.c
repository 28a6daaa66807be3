// SPDX-License-Identifier: Apache-2.0
/* model/recorded.c: builds a graph from recorded calls. The producer of a tensor is the outermost call that returned it
 * and had ended before its consumer began. A call that returns a tensor made by a call inside it takes it from there.
 * Ids of calls increase in the order of their starts, so one pass in that order, with the open calls of each thread,
 * finds all edges. */
#include "model/build.h"
#include "model/event_builder.h"
#include "model/recorded.h"
#include "model/tables/events.h"
#include "model/tables/graph.h"
#include "model/tables/profile.h"
#include "query/order.h"

#define PATH_MOST 2048 /* bytes: a file of deeply nested calls must not become one of long paths */

typedef struct edge {
    uint32_t node, source;
    int32_t position, slot;
    uint32_t order;
} edge;

typedef struct maker {
    tfp_builder *b;
    tfp_profile *p;
    tfp_recorded_op *ops; /* the ops of all files */
    uint32_t first, end;  /* range of this file's ops */
    uint32_t *order;      /* ops sorted by id */
    uint32_t *below;      /* indexed by op - first: the next open call below it on its thread's stack */
    /* id -> op; thread -> innermost open call; tensor -> its last output (index in makers) */
    tfp_map64 by_id, open, made;
    TFP_VEC(uint64_t) makers; /* op << 32 | slot */
    tfp_map64 seen;           /* node << 32 | source: set when the edge exists */
    TFP_VEC(edge) edges;
    int64_t last_thread;
    bool refused; /* it is of another run, and a warning says so */
} maker;

/* ---- what a reader tells of a call ---- */

void tfp_recorded_put(tfp_recorded_texts *t, tfp_str dims, tfp_str type, tfp_str value)
{
    tfp_buf *all[] = { &t->dims, &t->types, &t->values };
    for (size_t i = 0; i < 3; i++) tfp_buf_char(all[i], all[i]->size ? ',' : '[');
    tfp_buf_str(&t->dims, dims);
    tfp_buf_char(&t->types, '"');
    tfp_buf_str(&t->types, type);
    tfp_buf_char(&t->types, '"');
    tfp_buf_char(&t->values, '"');
    tfp_buf_str(&t->values, value);
    tfp_buf_char(&t->values, '"');
}

static tfp_strid take_list(tfp_builder *b, tfp_buf *list)
{
    if (!check(b, !list->failed) || !list->size) return 0; /* a list that could not grow is empty */
    tfp_buf_char(list, ']');
    tfp_strid id = check(b, !list->failed) ? tfp_build_made_string(b, (tfp_str){ list->data, list->size }) : 0;
    list->size = 0;
    return id;
}

void tfp_recorded_take(tfp_builder *b, tfp_recorded_texts *t, tfp_recorded_op *op)
{
    op->dims = take_list(b, &t->dims);
    op->types = take_list(b, &t->types);
    op->values = take_list(b, &t->values);
}

void tfp_recorded_texts_free(tfp_recorded_texts *t)
{
    tfp_buf_free(&t->dims);
    tfp_buf_free(&t->types);
    tfp_buf_free(&t->values);
}

/* ---- calls become a graph ---- */

static const tfp_sort_key by_id[] = { TFP_UP(tfp_recorded_op, id), { 0 } };

static void start(maker *m)
{
    size_t count = m->end - m->first;
    m->order = malloc((count + 1) * sizeof *m->order);
    m->below = malloc((count + 1) * sizeof *m->below);
    if (!check(m->b, m->order && m->below)) return;
    for (uint32_t i = 0; i < count; i++) m->order[i] = m->first + i;
    check(m->b, tfp_order_items(m->order, count, by_id, m->ops, sizeof *m->ops));
    for (uint32_t i = 0; i < count && !m->b->status; i++) {
        tfp_recorded_op *x = &m->ops[m->order[i]];
        x->above = x->parent < x->id ? tfp_map64_get(&m->by_id, x->parent) : TFP_NONE;
        if (i && m->ops[m->order[i - 1]].id == x->id)
            tfp_build_warn(m->b, "operators of one id", tfp_text(m->p, x->name));
        else
            check(m->b, tfp_map64_put(&m->by_id, x->id, m->order[i]));
    }
}

/* ---- nodes ---- */

typedef struct matched { /* calls of an execution trace whose numbers a trace has */
    size_t there, same;  /* same: with the same name */
} matched;

/* The span with a call's number plus a shift; TFP_NONE: there is none. */
static uint32_t span_at(maker *m, const tfp_map64 *span_of, const tfp_recorded_op *x, int64_t shift)
{
    bool known = x->call && (shift >= 0 || x->call > (uint64_t)-shift);
    return known ? tfp_map64_get(span_of, tfp_build_key(m->b, 0, 0, x->call + (uint64_t)shift)) : TFP_NONE;
}

static matched count_matches(maker *m, const tfp_map64 *span_of, int64_t shift)
{
    matched c = { 0 };
    for (uint32_t i = m->first; i < m->end && !m->b->status; i++) {
        uint32_t span = span_at(m, span_of, &m->ops[i], shift);
        c.there += span != TFP_NONE;
        c.same += span != TFP_NONE && m->p->events->spans.name[span] == m->ops[i].name;
    }
    return c;
}

static bool matches_well(matched c) { return c.same > 0 && c.same >= c.there - c.there / 10; }

/* The most frequent difference between the first numbers of calls with one name; 0: there is none. */
static int64_t likely_shift(maker *m)
{
    const tfp_span_columns *s = &m->p->events->spans;
    tfp_map64 first = { 0 }, seen = { 0 }; /* name -> the smallest small number of a span */
    TFP_VEC(int64_t) shifts = { 0 };
    TFP_VEC(uint32_t) order = { 0 };
    int64_t best = 0;
    for (uint32_t i = 0; i < s->size && !m->b->status; i++) {
        uint32_t number = s->external[i] - 1, known = tfp_map64_get(&first, s->name[i]);
        if (s->kind[i] != TFP_SPAN_OP || !s->external[i] || number >= INT32_MAX || known <= number) continue;
        check(m->b, tfp_map64_put(&first, s->name[i], number));
    }
    for (uint32_t i = 0; i < m->end - m->first && !m->b->status; i++) { /* in the order of their beginnings */
        const tfp_recorded_op *x = &m->ops[m->order[i]];
        uint32_t number = tfp_map64_get(&first, x->name);
        if (!x->call || x->call > INT32_MAX || number == TFP_NONE || tfp_map64_get(&seen, x->name) != TFP_NONE)
            continue;
        check(m->b, tfp_map64_put(&seen, x->name, 1) && tfp_push(&order, (uint32_t)shifts.size) &&
                        tfp_push(&shifts, (int64_t)number - (int64_t)x->call));
    }
    check(m->b, !order.size ||
                    tfp_order_items(order.at, order.size, (tfp_sort_key[]){ TFP_UP_IN(shifts.at), { 0 } }, NULL, 0));
    for (size_t i = 0, most = 0, count = 0; i < order.size && !m->b->status; i++) {
        count = i && shifts.at[order.at[i]] == shifts.at[order.at[i - 1]] ? count + 1 : 1;
        if (count > most) most = count, best = shifts.at[order.at[i]];
    }
    tfp_map64_free(&first);
    tfp_map64_free(&seen);
    tfp_vec_free(&shifts);
    tfp_vec_free(&order);
    return best;
}

/* By how much the numbers of the trace are above those of the execution trace: 0, unless most names then differ and at
 * another shift agree. False: they agree at none. */
static bool find_shift(maker *m, const tfp_map64 *span_of, int64_t *shift)
{
    matched as_is = count_matches(m, span_of, 0);
    *shift = 0;
    if (matches_well(as_is)) return true;
    *shift = likely_shift(m);
    matched moved = *shift ? count_matches(m, span_of, *shift) : as_is;
    tfp_buf text = { 0 };
    bool well = matches_well(moved) && moved.same > as_is.same;
    if (!well) *shift = 0;
    if (!well && as_is.same && as_is.same >= as_is.there / 2) return true; /* `External id`s count other things too */
    if (well)
        tfp_buf_printf(&text, "%+lld, %zu calls match", (long long)*shift, moved.same);
    else
        tfp_buf_printf(&text, "%zu of %zu calls match", as_is.same, as_is.there);
    tfp_str told = { text.data ? text.data : "", text.size };
    if (well)
        tfp_build_warn(m->b, "execution traces with numbers that are shifted against the trace's", told);
    else if (as_is.there)
        tfp_build_warn(m->b, "execution traces of another run, not used: numbers have other names in the trace", told);
    m->refused = !well && as_is.there;
    tfp_buf_free(&text);
    return well;
}

/* Finds the spans that recorded the same calls. Returns how many ops have one. */
static size_t match(maker *m)
{
    const tfp_event_tables *t = m->p->events;
    const tfp_span_columns *s = &t->spans;
    tfp_map64 span_of = { 0 };
    size_t found = 0;
    int64_t shift;
    for (uint32_t i = 0; i < s->size && !m->b->status; i++) {
        if (s->kind[i] != TFP_SPAN_OP || !s->external[i]) continue;
        check(m->b, tfp_map64_put(&span_of, s->external[i], i));
    }
    for (size_t i = 0; i < t->calls.size && !m->b->status; i++)
        check(m->b, tfp_map64_put(&span_of, tfp_build_key(m->b, 0, 0, t->calls.at[i].call), t->calls.at[i].span));
    bool fits = !m->b->status && find_shift(m, &span_of, &shift);
    for (uint32_t i = m->first; i < m->end && fits && !m->b->status; i++) {
        tfp_recorded_op *x = &m->ops[i];
        uint32_t span = span_at(m, &span_of, x, shift);
        /* another recording also counts from 1, so names must agree */
        if (span == TFP_NONE || s->name[span] != x->name) continue;
        x->node = s->node[span];
        x->span = span + 1;
        found += x->node != TFP_NONE;
    }
    tfp_map64_free(&span_of);
    return found;
}

static void add_path(maker *m, tfp_strid *path, uint32_t op, tfp_buf *text)
{
    const tfp_recorded_op *x = &m->ops[op];
    tfp_str above = { "", 0 }, name = tfp_text(m->p, x->name);
    if (x->above != TFP_NONE) above = tfp_text(m->p, path[x->above - m->first]);
    text->size = 0;
    if (above.size + name.size >= PATH_MOST) {
        tfp_build_warn(m->b, "operators nested so deeply that their path is cut", name);
        above = TFP_STR("(deep)");
    }
    tfp_buf_str(text, above);
    if (!x->root && above.size) tfp_buf_char(text, '/');
    if (!x->root) tfp_buf_str(text, name);
    if (check(m->b, !text->failed))
        path[op - m->first] = tfp_build_made_string(m->b, (tfp_str){ text->data ? text->data : "", text->size });
}

/* Makes nodes from the path of calls around a call, and its name. */
static void make_nodes(maker *m)
{
    size_t count = m->end - m->first;
    tfp_strid *path = calloc(count + 1, sizeof *path);
    tfp_buf text = { 0 };
    check(m->b, path != NULL);
    for (size_t i = 0; i < count && !m->b->status; i++) {
        uint32_t op = m->order[i];
        tfp_recorded_op *x = &m->ops[op];
        add_path(m, path, op, &text);
        if (x->scope || x->root || m->b->status) continue;
        tfp_strid name = path[op - m->first];
        x->node = tfp_named_node(m->p, name);
        if (x->node == TFP_NONE) x->node = tfp_build_node(m->b, tfp_text(m->p, name), tfp_text(m->p, x->name), true);
        if (!m->b->status) m->p->graph->nodes.at[x->node].calls++;
    }
    tfp_buf_free(&text);
    free(path);
    m->p->recorded->alone = true;
}

/* ---- edges ---- */

static void add_edge(maker *m, uint32_t op, int32_t position, uint64_t made)
{
    uint32_t node = m->ops[op].node, source = m->ops[made >> 32].node;
    if (node == TFP_NONE || source == TFP_NONE || node == source || m->b->status) return;
    uint64_t key = (uint64_t)node << 32 | source;
    if (tfp_map64_get(&m->seen, key) != TFP_NONE) return;
    edge e = { node, source, position, (int32_t)(uint32_t)made, (uint32_t)m->edges.size };
    check(m->b, m->edges.size < TFP_NONE && tfp_push(&m->edges, e) && tfp_map64_put(&m->seen, key, 0));
}

static bool is_inside(const maker *m, uint32_t op, uint32_t outer)
{
    return op < outer && m->ops[op].id > m->ops[outer].id; /* it ended before, and started later */
}

/* Handles the end of a call: from now on its outputs belong to it. */
static void end_call(maker *m, uint32_t op)
{
    const tfp_recorded_op *x = &m->ops[op];
    for (uint32_t i = 0; i < x->output_count && !m->b->status; i++) {
        const tfp_recorded_tensor *t = &m->p->recorded->tensors.at[x->tensors + x->input_count + i];
        uint32_t at = tfp_map64_get(&m->made, t->id);
        uint64_t mine = (uint64_t)op << 32 | (uint32_t)t->position;
        if (at != TFP_NONE && is_inside(m, (uint32_t)(m->makers.at[at] >> 32), op))
            add_edge(m, op, INT32_MAX, m->makers.at[at]); /* in order after its arguments */
        if (x->scope || x->root || x->node == TFP_NONE) continue;
        if (at != TFP_NONE)
            m->makers.at[at] = mine;
        else
            check(m->b, tfp_push(&m->makers, mine) && tfp_map64_put(&m->made, t->id, (uint32_t)m->makers.size - 1));
    }
}

/* Ends open calls of a thread: up to `until`, or those that had ended before the call `before`. */
static void end_open(maker *m, int64_t thread, uint32_t until, uint32_t before)
{
    uint32_t top = tfp_map64_get_any(&m->open, (uint64_t)thread);
    while (top != TFP_NONE && top != until && top < before && !m->b->status) {
        end_call(m, top);
        top = m->below[top - m->first];
    }
    check(m->b, tfp_map64_put_any(&m->open, (uint64_t)thread, top));
}

static void begin_call(maker *m, uint32_t op)
{
    const tfp_recorded_op *x = &m->ops[op];
    if (x->thread != m->last_thread) end_open(m, m->last_thread, TFP_NONE, op);
    m->last_thread = x->thread;
    end_open(m, x->thread, x->above, TFP_NONE);
    for (uint32_t i = 0; i < x->input_count && !m->b->status; i++) {
        const tfp_recorded_tensor *t = &m->p->recorded->tensors.at[x->tensors + i];
        uint32_t at = tfp_map64_get(&m->made, t->id);
        if (at != TFP_NONE) add_edge(m, op, t->position, m->makers.at[at]);
    }
    m->below[op - m->first] = tfp_map64_get_any(&m->open, (uint64_t)x->thread);
    check(m->b, tfp_map64_put_any(&m->open, (uint64_t)x->thread, op));
}

static void find_edges(maker *m)
{
    size_t count = m->end - m->first;
    for (size_t i = 0; i < count && !m->b->status; i++) {
        if (!m->ops[m->order[i]].root) begin_call(m, m->order[i]);
    }
    for (size_t i = 0; i < count && !m->b->status; i++) /* calls that are still open */
        end_open(m, m->ops[m->order[i]].thread, TFP_NONE, TFP_NONE);
}

static const tfp_sort_key by_position[] = { TFP_UP(edge, node), TFP_UP(edge, position), TFP_UP(edge, order), { 0 } };

static void build_edges(maker *m)
{
    check(m->b, tfp_order_rows(m->edges.at, sizeof(edge), m->edges.size, by_position));
    int32_t position = 0;
    for (size_t i = 0; i < m->edges.size && !m->b->status; i++) {
        const edge *e = &m->edges.at[i];
        position = i && m->edges.at[i - 1].node == e->node ? position + 1 : 0;
        tfp_build_input(m->b, e->node, position, m->p->graph->nodes.at[e->source].name, e->slot);
        if (!m->b->status) m->p->graph->inputs.at[m->p->graph->inputs.size - 1].node = e->source;
    }
}

/* Sets the shapes of a node's outputs from its first call. */
static void build_outputs(maker *m)
{
    for (size_t i = 0; i < m->end - m->first && !m->b->status; i++) {
        const tfp_recorded_op *x = &m->ops[m->order[i]];
        if (x->node == TFP_NONE || m->p->graph->nodes.at[x->node].output_first != TFP_NONE) continue;
        for (uint32_t k = 0; k < x->output_count && !m->b->status; k++) {
            const tfp_recorded_tensor *t = &m->p->recorded->tensors.at[x->tensors + x->input_count + k];
            bool again = k && t[-1].position == t->position; /* the first tensor of a list counts */
            if (!again) tfp_build_output(m->b, x->node, t->position, t->shape);
        }
    }
}

static void link_file(tfp_builder *b, uint32_t first, uint32_t end)
{
    tfp_recorded_tables *t = b->p->recorded;
    maker m = { .b = b, .p = b->p, .ops = t->ops.at, .first = first, .end = end };
    start(&m);
    size_t found = b->status ? 0 : match(&m);
    if (!b->status && !b->p->events->spans.size)
        make_nodes(&m);
    else if (!b->status && !found && !m.refused)
        tfp_build_warn(b, "execution traces of another run: the trace has none of its operators", TFP_STR(""));
    if (!b->status) find_edges(&m);
    if (!b->status) build_edges(&m);
    if (!b->status) build_outputs(&m);
    if (found || t->alone) tfp_build_has(b, TFP_HAS_GRAPH);
    free(m.order);
    free(m.below);
    tfp_map64_free(&m.by_id);
    tfp_map64_free(&m.open);
    tfp_map64_free(&m.made);
    tfp_map64_free(&m.seen);
    tfp_vec_free(&m.makers);
    tfp_vec_free(&m.edges);
}

void tfp_build_recorded(tfp_builder *b)
{
    tfp_recorded_tables *t = b->p->recorded;
    for (; t->linked < t->files.size && !b->status; t->linked++)
        link_file(b, t->linked ? t->files.at[t->linked - 1] : 0, t->files.at[t->linked]);
}
