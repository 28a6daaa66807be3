// SPDX-License-Identifier: Apache-2.0
/* flops/flops.c: the entry of the engine: one call infers a whole program. */
#include "flops/engine/engine.h"
#include "model/program.h"
#include "model/tables/graph.h"
#include "model/tables/read.h"
#include "model/tables/runs.h"

/* Bounds work and output, so that a hostile file cannot make either endless: a few times what its nodes can sensibly
 * need. */
#define WORK_FLOOR UINT64_C(4000000) /* steps; body.c adds what the bodies need */
#define OUTS_FLOOR UINT64_C(1000000)
#define OUTS_PER_NODE 16
#define MEMORY_FLOOR ((size_t)224 << 20)
#define MEMORY_PER_NODE 512

static tfp_status check_assumed(const tfp_engine *e, tfp_error *err)
{
    for (size_t i = 0; e->assume && i < e->assume->shape_count; i++) {
        tfp_str name = e->assume->shapes[i].name;
        tfp_strid id = tfp_strtab_find(tfp_strings_of(e->profile), name);
        const tfp_program_body *main = &e->program->bodies.at[0];
        bool found = false;
        for (uint32_t k = 0; id != TFP_NONE && !found && k < main->node_count; k++)
            found = e->program->nodes.at[main->node_first + k].name == id;
        if (!found)
            return tfp_fail(err, TFP_NOTFOUND, "%s: no node '%.*s' whose shape could be assumed",
                            tfp_source_of_graph(e->profile), (int)name.size, name.data);
    }
    return TFP_OK;
}

/* The signature that is counted by default: serving_default, or the first one that is not the model's
 * initialisation. */
static uint32_t default_signature(const tfp_engine *e)
{
    uint32_t first = TFP_NONE;
    for (uint32_t i = 0; i < e->program->signatures.size; i++) {
        tfp_str key = tfp_text(e->profile, e->program->signatures.at[i].key);
        if (tfp_str_eq(key, TFP_STR("serving_default"))) return i;
        bool sets_up = key.size > 2 && memcmp(key.data, "__", 2) == 0;
        tfp_str before = first == TFP_NONE ? key : tfp_text(e->profile, e->program->signatures.at[first].key);
        if (!sets_up && (first == TFP_NONE || tfp_str_cmp(key, before) < 0)) first = i;
    }
    return first;
}

/* Run metadata shows which nodes ran: then the whole graph counts, each node as often as it ran. */
static tfp_status choose_signature(tfp_engine *e, tfp_error *err)
{
    tfp_str wanted = e->assume ? e->assume->signature : (tfp_str){ "", 0 };
    e->signature = TFP_NONE;
    if (!wanted.size) {
        if (!tfp_executions_of(e->profile)->execs.size && e->source == TFP_FLOPS_OWN)
            e->signature = default_signature(e);
        return TFP_OK;
    }
    for (uint32_t i = 0; i < e->program->signatures.size; i++)
        if (tfp_str_eq(tfp_text(e->profile, e->program->signatures.at[i].key), wanted)) e->signature = i;
    if (e->signature != TFP_NONE || tfp_str_eq(wanted, TFP_STR("all"))) return TFP_OK;
    tfp_buf known = { 0 };
    for (uint32_t i = 0; i < e->program->signatures.size && known.size < 200; i++) {
        tfp_buf_char(&known, ' ');
        tfp_buf_str(&known, tfp_text(e->profile, e->program->signatures.at[i].key));
    }
    tfp_status s =
        tfp_fail(err, TFP_NOTFOUND, "%s: no signature '%.*s' (signatures:%.*s)", tfp_source_of_graph(e->profile),
                 (int)wanted.size, wanted.data, known.size ? (int)known.size : 5, known.size ? known.data : " none");
    tfp_buf_free(&known);
    return s;
}

static tfp_status start(tfp_engine *e, tfp_error *err)
{
    const tfp_program *g = e->program;
    tfp_flops *f = e->f;
    size_t nodes = g->nodes.size, strings = tfp_strings_of(e->profile)->count;
    f->arena.limit = MEMORY_FLOOR + nodes * MEMORY_PER_NODE;
    f->nodes = TFP_NEW(&f->arena, tfp_node_flops, nodes + 1);
    f->wrong = TFP_NEW(&f->arena, const char *, nodes + 1);
    f->program_node = TFP_NEW(&f->arena, uint32_t, tfp_graph_of(e->profile)->nodes.size + 1);
    e->bodies = TFP_NEW(&f->arena, tfp_body, g->bodies.size + 1);
    e->named = TFP_NEW(&f->arena, bool, g->bodies.size + 1);
    e->profile_node = TFP_NEW(&f->arena, uint32_t, g->bodies.at[0].node_count + 1);
    e->local_by_name = TFP_NEW(&f->arena, uint32_t, strings + 1);
    e->work_most = WORK_FLOOR;
    e->outs_most = OUTS_FLOOR + nodes * OUTS_PER_NODE;
    if (!f->nodes || !f->wrong || !f->program_node || !e->bodies || !e->named || !e->profile_node ||
        !e->local_by_name || !tfp_rule_index_new(&e->rules, g->onnx, &f->arena))
        return tfp_nomem(err);
    memset(e->local_by_name, 0xff, (strings + 1) * sizeof *e->local_by_name);
    memset(f->program_node, 0xff, (tfp_graph_of(e->profile)->nodes.size + 1) * sizeof *f->program_node);
    tfp_status s = choose_signature(e, err);
    f->signature = e->signature;
    return s ? s : check_assumed(e, err);
}

/* Maps the profile's nodes: the main graph by name; functions, if they are kept, as FUNCTION/NODE. */
static tfp_status find_profile_nodes(tfp_engine *e, tfp_error *err)
{
    const tfp_program *g = e->program;
    const tfp_profile *p = e->profile;
    tfp_buf name = { 0 };
    bool with_functions = tfp_reads_of(p) & TFP_READS_FUNCTIONS;
    for (uint32_t k = 0; k < g->bodies.at[0].node_count; k++)
        e->profile_node[k] = tfp_named_node(p, g->nodes.at[g->bodies.at[0].node_first + k].name);
    for (size_t i = 0; i < g->bodies.size && (i == 0 || with_functions); i++) {
        const tfp_program_body *b = &g->bodies.at[i];
        for (uint32_t k = 0; k < b->node_count; k++) {
            uint32_t at = b->node_first + k, node = i ? TFP_NONE : e->profile_node[k];
            if (i) {
                name.size = 0;
                tfp_buf_str(&name, tfp_text(p, b->name));
                tfp_buf_char(&name, '/');
                tfp_buf_str(&name, tfp_text(p, g->nodes.at[at].name));
                node = tfp_find_node(p, (tfp_str){ name.data, name.size });
            }
            if (node != TFP_NONE && e->f->program_node[node] == TFP_NONE) e->f->program_node[node] = at;
        }
    }
    bool failed = name.failed;
    tfp_buf_free(&name);
    return failed ? tfp_nomem(err) : TFP_OK;
}

static void engine_free(tfp_engine *e)
{
    for (size_t i = 0; e->bodies && i < e->program->bodies.size; i++) tfp_body_free(&e->bodies[i]);
    for (size_t i = 0; i < e->instances.size; i++) tfp_vec_free(&e->instances.at[i].children);
    tfp_vec_free(&e->instances);
    tfp_vec_free(&e->finished);
    tfp_vec_free(&e->scratch);
    tfp_vec_free(&e->call_in);
    tfp_vec_free(&e->call_args);
    tfp_map64_free(&e->result_slots);
    tfp_map64_free(&e->instance_by_key);
}

tfp_status tfp_flops_new(const tfp_profile *p, tfp_flops_source source, const tfp_assume *assume, tfp_flops **out,
                         tfp_error *err)
{
    *out = NULL;
    if (!tfp_program_of(p) || !tfp_program_of(p)->bodies.size)
        return tfp_fail(err, TFP_BADARG, "%s: no graph was kept to work out float operations from",
                        tfp_source_of_graph(p));
    tfp_flops *f = calloc(1, sizeof *f);
    if (!f) return tfp_nomem(err);
    f->profile = p;
    f->program = tfp_program_of(p);
    tfp_engine e = { .f = f,
                     .arena = &f->arena,
                     .profile = p,
                     .program = tfp_program_of(p),
                     .source = source,
                     .assume = assume,
                     .importer = source == TFP_FLOPS_TENSORFLOW };
    tfp_status s = start(&e, err);
    if (!s) s = find_profile_nodes(&e, err);
    if (!s) s = tfp_infer_all(&e, err);
    if (!s) s = tfp_count_all(&e, err);
    f->cut_short = e.work > e.work_most;
    engine_free(&e);
    if (s)
        tfp_flops_free(f);
    else
        *out = f;
    return s;
}

void tfp_flops_free(tfp_flops *f)
{
    if (!f) return;
    tfp_arena_free(&f->arena);
    free(f);
}
