// SPDX-License-Identifier: Apache-2.0
/* flops/engine/body.c: prepares a body of the program: its inputs as numbers, its outputs with their types, the
 * functions it calls, and an order in which sources come before users. Done once for each body, however often it is
 * called. */
#include "flops/engine/engine.h"
#include "model/tables/read.h"

/* ---- calls ---- */

/* TensorFlow 1's form of calls: an op that has the name of a function. */
static const tfp_call_op named_call = { NULL, TFP_CALL_PLAIN, { NULL }, NULL, 0, 0 };

static uint32_t body_named(const tfp_engine *e, tfp_str name)
{
    tfp_strid id = tfp_strtab_find(tfp_strings_of(e->profile), name);
    return id == TFP_NONE || !name.size ? TFP_NONE : tfp_map64_get(&e->program->body_by_name, id);
}

#define WORK_PER_STEP 8 /* how often, on average, a body may be worked out before the engine stops */

typedef struct maker { /* of one body */
    tfp_engine *e;
    tfp_body *b;
    tfp_op op; /* the node at hand, for its attributes */
    bool no_memory;
} maker;

static void add_call(maker *m, tfp_local *l, tfp_str function)
{
    if (!tfp_push(&m->b->calls, body_named(m->e, function))) m->no_memory = true;
    l->call_count++;
}

static void find_calls(maker *m, tfp_local *l)
{
    tfp_str op = tfp_text(m->e->profile, m->op.node->op);
    l->call_first = (uint32_t)m->b->calls.size;
    l->call = l->rules->call;
    if (!l->call && !l->rules->rule && body_named(m->e, op) != TFP_NONE) {
        l->call = &named_call;
        add_call(m, l, op);
        return;
    }
    if (!l->call) return;
    for (size_t i = 0; i < 2 && l->call->functions[i]; i++)
        add_call(m, l, tfp_attr_function(&m->op, l->call->functions[i]));
    if (!l->call->list) return;
    const tfp_attr_list *listed = tfp_attr_members(&m->op, l->call->list);
    for (size_t i = 0; i < listed->function_count; i++) add_call(m, l, listed->functions[i]);
}

/* ---- outputs: from the op's definition and the node's attributes ---- */

#define OUTPUTS_OF_UNKNOWN 1024 /* an op without a definition has as many outputs as are used, up to this limit */

typedef struct out_item { /* one "N*NAME:TYPE" of a definition */
    tfp_str name;
    int64_t count;
    int dtype;
    const int64_t *types; /* for a list; else NULL */
} out_item;

/* "N" or "N=2": the attribute's name, and the default value. */
static const char *attr_with_default(tfp_str text, char name[64], int64_t *fallback)
{
    const char *equals = memchr(text.data, '=', text.size);
    size_t n = equals ? (size_t)(equals - text.data) : text.size;
    *fallback = 0;
    if (equals) tfp_parse_int64((tfp_str){ equals + 1, text.size - n - 1 }, fallback);
    if (n > 63) n = 63;
    memcpy(name, text.data, n);
    name[n] = 0;
    return name;
}

static int item_type(maker *m, tfp_str text, out_item *item)
{
    char name[64];
    int64_t fallback;
    if (text.size > 2 && text.data[text.size - 1] == ']') {
        attr_with_default((tfp_str){ text.data, text.size - 2 }, name, &fallback);
        item->types = tfp_attr_members(&m->op, name)->numbers;
        item->count = (int64_t)tfp_attr_members(&m->op, name)->number_count;
        return 0;
    }
    if (text.size && text.data[0] >= '0' && text.data[0] <= '9')
        return tfp_parse_int64(text, &fallback) ? (int)fallback : 0;
    attr_with_default(text, name, &fallback);
    return tfp_attr_type(&m->op, name, (int)fallback);
}

/* The next item of a definition; false at its end. */
static bool next_item(maker *m, const char **at, out_item *item)
{
    while (**at == ' ' || **at == '!') (*at)++;
    if (!**at) return false;
    size_t size = strcspn(*at, " ");
    tfp_str text = { *at, size };
    *at += size;
    *item = (out_item){ .count = 1 };
    const char *star = memchr(text.data, '*', text.size);
    if (star) {
        char name[64];
        int64_t fallback;
        attr_with_default((tfp_str){ text.data, (size_t)(star - text.data) }, name, &fallback);
        item->count = tfp_attr_int(&m->op, name, fallback);
        text = (tfp_str){ star + 1, text.size - (size_t)(star + 1 - text.data) };
    }
    const char *colon = memchr(text.data, ':', text.size);
    item->name = (tfp_str){ text.data, colon ? (size_t)(colon - text.data) : text.size };
    if (colon) item->dtype = item_type(m, (tfp_str){ colon + 1, text.size - item->name.size - 1 }, item);
    if (item->count < 0) item->count = 0;
    return true;
}

/* Bounds the outputs: a small file must not make millions of them. */
static uint32_t room_for(maker *m, int64_t count)
{
    if (count <= 0) return 0;
    if (m->e->outs_used + (uint64_t)count > m->e->outs_most) return 1;
    m->e->outs_used += (uint64_t)count;
    return (uint32_t)count;
}

static void add_outputs(maker *m, tfp_local *l, int64_t count, int dtype, const int64_t *types)
{
    uint32_t n = room_for(m, count);
    for (uint32_t i = 0; i < n; i++)
        if (!tfp_push(&m->b->types, types ? (int)types[i] : dtype)) m->no_memory = true;
    l->out_count += n;
}

/* Adds the outputs of a function that is called by its name: its results. */
static void add_result_outputs(maker *m, tfp_local *l)
{
    uint32_t body = m->b->calls.at[l->call_first];
    add_outputs(m, l, m->e->program->bodies.at[body].result_count, 0, NULL);
}

static void find_outputs(maker *m, tfp_local *l, const uint32_t *used)
{
    const char *at = l->rules->outputs;
    if (l->call == &named_call) {
        add_result_outputs(m, l);
    } else if (at) {
        for (out_item item; next_item(m, &at, &item);) add_outputs(m, l, item.count, item.dtype, item.types);
    } else {
        size_t stated = tfp_attr_members(&m->op, "_output_shapes")->shape_count;
        uint32_t count = *used > stated ? *used : (uint32_t)(stated < OUTPUTS_OF_UNKNOWN ? stated : OUTPUTS_OF_UNKNOWN);
        const tfp_attr_list *types = tfp_attr_members(&m->op, "_output_types");
        if (count > OUTPUTS_OF_UNKNOWN) count = OUTPUTS_OF_UNKNOWN;
        add_outputs(m, l, count, 0, types->number_count >= count ? types->numbers : NULL);
    }
}

/* The index of a function's result with that name. */
static uint32_t result_named(maker *m, uint32_t body, tfp_strid name)
{
    tfp_engine *e = m->e;
    const tfp_program_body *f = &e->program->bodies.at[body];
    for (uint32_t i = f->result_count; i-- > 0 && !e->named[body];) /* the first result of a name wins */
        if (!tfp_map64_put(&e->result_slots, (uint64_t)body << 32 | e->program->results.at[f->result_first + i].name,
                           i))
            m->no_memory = true;
    e->named[body] = true;
    return tfp_map64_get(&e->result_slots, (uint64_t)body << 32 | name);
}

/* The offset of the named output among a node's outputs; TFP_NONE when it has none of that name. */
static uint32_t slot_named(maker *m, const tfp_local *l, tfp_strid id)
{
    uint32_t slot = 0;
    if (l->call == &named_call) return result_named(m, m->b->calls.at[l->call_first], id);
    tfp_str name = tfp_text(m->e->profile, id);
    const char *at = l->rules->outputs;
    if (!at) return 0;
    for (out_item item; next_item(m, &at, &item);) {
        if (!item.name.size || tfp_str_eq(item.name, name)) return slot;
        slot += (uint32_t)(item.count < (int64_t)l->out_count ? item.count : l->out_count);
    }
    return TFP_NONE;
}

/* ---- inputs ---- */

static void at_node(maker *m, uint32_t local)
{
    m->op.node = tfp_node_of(m->e, m->b, local);
    m->op.rule = NULL;
}

static tfp_edge edge_of(maker *m, const tfp_program_input *in)
{
    tfp_edge edge = { TFP_NONE, 0, false };
    uint32_t from = in->source < tfp_strings_of(m->e->profile)->count ? m->e->local_by_name[in->source] : TFP_NONE;
    if (from == TFP_NONE || in->index < 0) return edge;
    uint32_t slot = (uint32_t)in->index;
    const tfp_local *l = &m->b->locals[from];
    if (in->output && from >= m->b->arg_count) {
        const tfp_program_node *here = m->op.node;
        at_node(m, from);
        uint32_t first = slot_named(m, l, in->output);
        m->op.node = here;
        if (first == TFP_NONE) return edge;
        slot += first;
    }
    if (slot < l->out_count) edge = (tfp_edge){ from, slot, false };
    return edge;
}

static void find_edges(maker *m, uint32_t local)
{
    tfp_local *l = &m->b->locals[local];
    l->edge_first = (uint32_t)m->b->edges.size;
    for (uint32_t i = 0; i < m->op.node->input_count; i++) {
        const tfp_program_input *in = &m->e->program->inputs.at[m->op.node->input_first + i];
        if (in->control) continue;
        tfp_edge edge = edge_of(m, in);
        edge.back = l->rules->merge && edge.from != TFP_NONE && m->b->locals[edge.from].rules->next;
        m->b->loops |= edge.back;
        if (!tfp_push(&m->b->edges, edge)) m->no_memory = true;
        l->edge_count++;
    }
}

/* ---- the order ---- */

/* Puts sources first; nodes of a cycle that is no loop come last, in the order of the file. */
static bool find_order(tfp_body *b, tfp_arena *arena)
{
    uint32_t *waits = calloc((size_t)b->count + 1, sizeof *waits), *first = calloc((size_t)b->count + 2, sizeof *first);
    uint32_t *users = calloc(b->edges.size + 1, sizeof *users);
    b->order = TFP_NEW(arena, uint32_t, b->count);
    bool ok = waits && first && users && b->order;
    for (uint32_t i = 0; ok && i < b->count; i++)
        for (uint32_t k = 0; k < b->locals[i].edge_count; k++) {
            tfp_edge edge = b->edges.at[b->locals[i].edge_first + k];
            if (edge.from == TFP_NONE || edge.back) continue;
            waits[i]++;
            first[edge.from + 1]++;
        }
    for (uint32_t i = 0; ok && i < b->count; i++) first[i + 1] += first[i];
    if (ok) first[b->count + 1] = first[b->count];
    for (uint32_t i = b->count; ok && i-- > 0;)
        for (uint32_t k = 0; k < b->locals[i].edge_count; k++) {
            tfp_edge edge = b->edges.at[b->locals[i].edge_first + k];
            if (edge.from != TFP_NONE && !edge.back) users[--first[edge.from + 1]] = i;
        }
    uint32_t done = 0; /* first[n + 1] is now where n's users begin, first[n + 2] where they end */
    for (uint32_t i = 0, at = 0; ok && i < b->count; i++) { /* close to the order of the file, for locality */
        if (!waits[i]) b->order[done++] = i;
        for (; at < done; at++)
            for (uint32_t n = b->order[at], u = first[n + 1]; u < first[n + 2]; u++)
                if (--waits[users[u]] == 0 && users[u] <= i)
                    b->order[done++] = users[u]; /* the edge back into a loop does not delay its users */
    }
    for (uint32_t i = 0; ok && i < b->count && done < b->count; i++)
        if (waits[i]) b->order[done++] = i;
    free(waits);
    free(first);
    free(users);
    return ok;
}

/* ---- the cost of visiting a node ---- */

/* Bytes of an attribute that a rule may have to read. */
static uint64_t attr_bytes(const tfp_program_attr *a)
{
    switch (a->kind) {
    case TFP_ATTR_TEXT: return a->text.size;
    case TFP_ATTR_TENSOR: return a->tensor->proto.size;
    case TFP_ATTR_LIST: return 8 * a->list->size;
    default: return 0;
    }
}

static uint32_t weight_of(const tfp_engine *e, const tfp_local *l, const tfp_program_node *n)
{
    enum { ITSELF = 8, BYTES_A_STEP = 8 };
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < n->attr_count; i++) bytes += attr_bytes(&e->program->attrs.at[n->attr_first + i]);
    uint64_t weight = ITSELF + l->edge_count + l->out_count + bytes / BYTES_A_STEP;
    return weight < UINT32_MAX ? (uint32_t)weight : UINT32_MAX;
}

/* ---- nodes that only forward their input ---- */

static bool passes(const tfp_engine *e, const tfp_body *b, uint32_t local)
{
    const tfp_program_node *n = tfp_node_of(e, b, local);
    return n && tfp_is_word(tfp_text(e->profile, n->op), "Identity Snapshot Switch RefSwitch LoopCond StopGradient");
}

/* In the body's order the origin of an input is known before it is needed; in a cycle the input itself counts as the
 * origin. */
static bool find_origins(const tfp_engine *e, tfp_body *b)
{
    const tfp_edge none = { TFP_NONE, 0, false };
    b->origins = TFP_NEW(e->arena, tfp_edge, b->count + 1);
    for (uint32_t i = 0; b->origins && i < b->count; i++) b->origins[i] = (tfp_edge){ i, 0, false };
    for (uint32_t k = 0; b->origins && k < b->count; k++) {
        uint32_t i = b->order[k];
        if (!passes(e, b, i)) continue;
        tfp_edge in = b->locals[i].edge_count ? b->edges.at[b->locals[i].edge_first] : none;
        b->origins[i] = in.from == TFP_NONE ? none : tfp_origin(b, in);
    }
    return b->origins != NULL;
}

/* ---- a body ---- */

/* Reads the facts about the arguments from the signature: the shapes with which the function was traced. */
static bool find_args(maker *m)
{
    tfp_body *b = m->b;
    b->args = TFP_NEW(m->e->arena, tfp_known, b->arg_count + 1);
    m->op.out = b->args;
    m->op.out_count = b->args ? b->arg_count : 0;
    for (uint32_t i = 0; b->args && i < b->arg_count; i++) {
        const tfp_program_arg *a = &m->e->program->args.at[b->def->arg_first + i];
        b->args[i] = (tfp_known){ .shape = tfp_stored_shape(&m->op, a->shape), .dtype = a->dtype };
        if (a->handle_dtype) tfp_set_held(&m->op, i, tfp_stored_shape(&m->op, a->handle_shape), a->handle_dtype);
    }
    return b->args != NULL;
}

static void name_locals(maker *m, bool set)
{
    const tfp_program *g = m->e->program;
    const tfp_program_body *def = m->b->def;
    for (uint32_t i = def->node_count; i-- > 0;) { /* the first node of a name wins */
        tfp_strid name = g->nodes.at[def->node_first + i].name;
        m->e->local_by_name[name] = set ? def->arg_count + i : TFP_NONE;
    }
    for (uint32_t i = def->arg_count; i-- > 0;)
        m->e->local_by_name[g->args.at[def->arg_first + i].name] = set ? i : TFP_NONE;
}

/* How many outputs are used of each node without a definition: one more than the highest index. */
static uint32_t *find_used(maker *m)
{
    uint32_t *used = calloc((size_t)m->b->count + 1, sizeof *used);
    const tfp_program *g = m->e->program;
    const tfp_program_body *def = m->b->def;
    for (uint32_t i = 0; used && i < def->node_count; i++) {
        const tfp_program_node *n = &g->nodes.at[def->node_first + i];
        for (uint32_t k = 0; k < n->input_count; k++) {
            const tfp_program_input *in = &g->inputs.at[n->input_first + k];
            uint32_t from = m->e->local_by_name[in->source];
            if (from == TFP_NONE || in->control || in->index < 0) continue;
            if (used[from] < (uint32_t)in->index + 1) used[from] = (uint32_t)in->index + 1;
        }
    }
    return used;
}

static void make_locals(maker *m, const uint32_t *used)
{
    tfp_body *b = m->b;
    for (uint32_t i = 0; i < b->count && !m->no_memory; i++) {
        tfp_local *l = &b->locals[i];
        l->out_first = (uint32_t)b->types.size;
        l->rules = tfp_rule_index_find(&m->e->rules, (tfp_str){ "", 0 });
        if (i < b->arg_count) {
            add_outputs(m, l, 1, m->e->program->args.at[b->def->arg_first + i].dtype, NULL);
            continue;
        }
        at_node(m, i);
        l->rules = tfp_rule_index_find(&m->e->rules, tfp_text(m->e->profile, m->op.node->op));
        find_calls(m, l);
        find_outputs(m, l, &used[i]);
    }
    b->out_count = (uint32_t)b->types.size;
    for (uint32_t i = b->arg_count; i < b->count && !m->no_memory; i++) {
        at_node(m, i);
        find_edges(m, i);
        b->locals[i].weight = weight_of(m->e, &b->locals[i], m->op.node);
        m->e->work_most += WORK_PER_STEP * (uint64_t)b->locals[i].weight;
    }
    for (uint32_t i = 0; i < b->def->result_count && !m->no_memory; i++)
        b->results[i] = edge_of(m, &m->e->program->results.at[b->def->result_first + i].from);
}

tfp_status tfp_body_ready(tfp_engine *e, uint32_t body, tfp_error *err)
{
    tfp_body *b = &e->bodies[body];
    if (b->ready) return TFP_OK;
    b->def = &e->program->bodies.at[body];
    b->arg_count = b->def->arg_count;
    b->count = b->def->arg_count + b->def->node_count;
    maker m = { .e = e, .b = b };
    m.op = (tfp_op){ .profile = e->profile, .program = e->program, .arena = e->arena };
    b->locals = TFP_NEW(e->arena, tfp_local, b->count);
    b->results = TFP_NEW(e->arena, tfp_edge, b->def->result_count + 1);
    if (!b->locals || !b->results) return tfp_nomem(err);
    name_locals(&m, true);
    uint32_t *used = find_used(&m);
    if (used) make_locals(&m, used);
    if (used && !m.no_memory && !tfp_find_needed(e, b)) m.no_memory = true;
    bool ok = used && !m.no_memory && !m.op.no_memory && find_args(&m) && !m.op.no_memory && find_order(b, e->arena) &&
              find_origins(e, b);
    name_locals(&m, false);
    free(used);
    b->ready = ok;
    return ok ? TFP_OK : tfp_nomem(err);
}

void tfp_body_free(tfp_body *b)
{
    tfp_vec_free(&b->edges);
    tfp_vec_free(&b->types);
    tfp_vec_free(&b->calls);
}
