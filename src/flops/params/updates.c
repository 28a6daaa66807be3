// SPDX-License-Identifier: Apache-2.0
/* flops/params/updates.c: the variables that a graph's optimizers train, and those that they keep for themselves. */
#include "flops/params/finder.h"
#include "model/tables/read.h"

/* The variable of input k: the handle itself, or a read of its value. NULL for anything else. */
static tfp_model_variable *variable_at(tfp_finder *f, const tfp_program_node *n, uint32_t k)
{
    static const char *const reads[] = { "Identity", "ReadVariableOp" };
    const tfp_program_input *e = k < n->input_count ? tfp_input_of(f, n, k) : NULL;
    uint32_t at = e ? f->node_of[e->source] : TFP_NONE;
    for (size_t i = 0; at != TFP_NONE && i < 2; i++) {
        const tfp_program_node *source = tfp_main_node(f, at);
        if (!tfp_str_eq(tfp_text(f->p, source->op), tfp_str_of(reads[i])) || !source->input_count) continue;
        e = tfp_input_of(f, source, 0);
        at = e ? f->node_of[e->source] : TFP_NONE;
        break;
    }
    uint32_t v = at == TFP_NONE ? TFP_NONE : f->variable_of[at];
    return v == TFP_NONE ? NULL : &f->all.at[v];
}

/* ---- operations made for an optimizer ---- */

static bool is_apply(tfp_str op)
{
    static const char *const starts[] = { "ResourceApply", "ResourceSparseApply", "Apply", "SparseApply" };
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        size_t size = strlen(starts[i]);
        if (op.size > size && memcmp(op.data, starts[i], size) == 0) return true;
    }
    return false;
}

/* The first input is trained; other variables among the inputs belong to the optimizer. */
void tfp_mark_applied(tfp_finder *f)
{
    for (int rest = 0; rest < 2; rest++) {
        for (uint32_t i = 0; i < tfp_main_graph(f)->node_count; i++) {
            const tfp_program_node *n = tfp_main_node(f, i);
            if (!is_apply(tfp_text(f->p, n->op))) continue;
            f->trains = true;
            for (uint32_t k = rest ? 1 : 0; k < (rest ? n->input_count : 1); k++) {
                tfp_model_variable *v = variable_at(f, n, k);
                if (!v) continue;
                if (!rest)
                    v->kind = TFP_TRAINED;
                else if (v->kind == TFP_NO_PARAMETER)
                    v->kind = TFP_SLOT;
            }
        }
    }
}

/* ---- updates written out as ordinary operations: Keras 3 ---- */

typedef enum use { READ_OUTSIDE = 1, READ_INSIDE = 2, WRITTEN_OUTSIDE = 4, WRITTEN_INSIDE = 8 } use;

/* Whether a node is in a scope with the name of an optimizer. */
static bool is_inside(tfp_str name)
{
    for (size_t i = 0, start = 0; i < name.size; i++) {
        if (name.data[i] != '/') continue;
        if (tfp_is_optimizer((tfp_str){ name.data + start, i - start })) return true;
        start = i + 1;
    }
    return false;
}

static use use_of(tfp_str op, bool inside)
{
    static const char *const writes[] = { "AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp" };
    for (size_t i = 0; i < sizeof writes / sizeof *writes; i++)
        if (tfp_str_eq(op, tfp_str_of(writes[i]))) return inside ? WRITTEN_INSIDE : WRITTEN_OUTSIDE;
    return inside ? READ_INSIDE : READ_OUTSIDE;
}

/* For each variable, bits of how it is used. */
static void find_uses(tfp_finder *f, uint8_t *uses)
{
    for (uint32_t i = 0; i < tfp_main_graph(f)->node_count; i++) {
        const tfp_program_node *n = tfp_main_node(f, i);
        uint8_t bit = 0;
        for (uint32_t k = 0; k < n->input_count; k++) {
            const tfp_program_input *e = tfp_input_of(f, n, k);
            uint32_t at = e ? f->node_of[e->source] : TFP_NONE;
            uint32_t v = at == TFP_NONE ? TFP_NONE : f->variable_of[at];
            if (v == TFP_NONE) continue;
            if (!bit) bit = (uint8_t)use_of(tfp_text(f->p, n->op), is_inside(tfp_text(f->p, n->name)));
            uses[v] |= bit;
        }
    }
}

/* A variable that the optimizer writes is trained when the model reads it; otherwise, or when nothing else uses it, it
 * is the optimizer's own. */
bool tfp_mark_updated(tfp_finder *f)
{
    uint8_t *uses = TFP_NEW(&f->arena, uint8_t, f->all.size);
    if (!uses) return false;
    find_uses(f, uses);
    for (size_t i = 0; i < f->all.size; i++) {
        tfp_model_variable *v = &f->all.at[i];
        bool inside = uses[i] & (READ_INSIDE | WRITTEN_INSIDE), outside = uses[i] & (READ_OUTSIDE | WRITTEN_OUTSIDE);
        if (v->kind != TFP_NO_PARAMETER || !inside) continue;
        if (!outside)
            v->kind = TFP_SLOT;
        else if (uses[i] & WRITTEN_INSIDE && uses[i] & READ_OUTSIDE)
            v->kind = TFP_TRAINED;
        f->trains |= v->kind == TFP_TRAINED;
    }
    return true;
}
