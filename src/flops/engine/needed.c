// SPDX-License-Identifier: Apache-2.0
/* flops/engine/needed.c: the nodes that a body runs: those with an effect, those that its results need, and their
 * sources, as TensorFlow prunes a function before it runs it (tensorflow/core/common_runtime/function_utils.cc). In the
 * main graph the outputs of a signature are the results; without signatures any node may be fetched, so all of them
 * run. */
#include "flops/engine/engine.h"
#include "model/tables/read.h"

typedef struct walk {
    const tfp_engine *e;
    tfp_body *b;
    uint32_t *stack;
    size_t depth;
} walk;

static void need(walk *w, uint32_t local)
{
    if (local == TFP_NONE || w->b->needed[local]) return;
    w->b->needed[local] = true;
    w->stack[w->depth++] = local;
}

static void need_named(walk *w, tfp_strid name)
{
    if (name < tfp_strings_of(w->e->profile)->count) need(w, w->e->local_by_name[name]);
}

/* Operations that run whether their outputs are used or not: stateful ones, and TF1 control flow. */
static bool has_effect(const tfp_engine *e, const tfp_body *b, uint32_t local)
{
    const char *control = "Switch RefSwitch Merge RefMerge Enter RefEnter Exit RefExit LoopCond NextIteration "
                          "RefNextIteration";
    if (tfp_is_word(tfp_text(e->profile, tfp_node_of(e, b, local)->op), control)) return true;
    const char *outputs = b->locals[local].rules->outputs;
    return !outputs || outputs[0] == '!'; /* a custom operation may have any effect */
}

static void need_inputs(walk *w, uint32_t local)
{
    const tfp_program_node *n = tfp_node_of(w->e, w->b, local);
    for (uint32_t i = 0; n && i < n->input_count; i++)
        need_named(w, w->e->program->inputs.at[n->input_first + i].source);
}

static void start_function(walk *w)
{
    const tfp_body *b = w->b;
    const tfp_program *g = w->e->program;
    for (uint32_t i = 0; i < b->arg_count; i++) need(w, i);
    for (uint32_t i = 0; i < b->def->result_count; i++)
        need_named(w, g->results.at[b->def->result_first + i].from.source);
    for (uint32_t i = 0; i < b->def->control_count; i++) need_named(w, g->controls.at[b->def->control_first + i]);
    for (uint32_t i = b->arg_count; i < b->count; i++)
        if (has_effect(w->e, b, i)) need(w, i);
}

static void start_signature(walk *w)
{
    const tfp_program_signature *s = &w->e->program->signatures.at[w->e->signature];
    for (uint32_t i = 0; i < s->output_count; i++) need_named(w, w->e->program->outputs.at[s->output_first + i]);
}

bool tfp_find_needed(const tfp_engine *e, tfp_body *b)
{
    bool main_graph = b == e->bodies;
    if (main_graph && e->signature == TFP_NONE) return true;
    walk w = { e, b, malloc(((size_t)b->count + 1) * sizeof(uint32_t)), 0 };
    b->needed = TFP_NEW(e->arena, bool, b->count + 1);
    if (w.stack && b->needed) {
        if (main_graph)
            start_signature(&w);
        else
            start_function(&w);
        while (w.depth) need_inputs(&w, w.stack[--w.depth]);
    }
    bool ok = w.stack && b->needed;
    free(w.stack);
    return ok;
}
