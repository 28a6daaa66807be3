// SPDX-License-Identifier: Apache-2.0
/* views/flops/flops.c: how many float operations a model needs, computed from its graph: the most expensive parts, what is
 * unknown and why, and how much of the work is covered. */
#include "model/program.h"
#include "model/tables/graph.h"
#include "options/options.h"
#include "views/core/handle.h"
#include "views/flops/flops.h"
#include "views/flops/instructions.h"

/* ---- the work ---- */

static bool link_nodes(tfp_flops_table *w)
{
    w->body = TFP_NEW(&w->arena, uint32_t, w->g->nodes.size);
    w->profile_node = TFP_NEW(&w->arena, uint32_t, w->g->nodes.size);
    if (!w->body || !w->profile_node) return false;
    memset(w->profile_node, 0xff, w->g->nodes.size * sizeof *w->profile_node); /* TFP_NONE */
    for (uint32_t b = 0; b < w->g->bodies.size; b++)
        for (uint32_t i = 0; i < w->g->bodies.at[b].node_count; i++) w->body[w->g->bodies.at[b].node_first + i] = b;
    for (uint32_t i = 0; i < tfp_graph_of(w->p)->nodes.size; i++)
        if (w->f->program_node[i] != TFP_NONE) w->profile_node[w->f->program_node[i]] = i;
    return true;
}

tfp_status tfp_flops_coverage_of(tfp_report *r, tfp_flops *f, tfp_flops_share *out, tfp_error *err)
{
    tfp_flops_table w = { .r = r, .p = tfp_profile_of(r), .g = f->program, .f = f, .source = TFP_FLOPS_OWN };
    tfp_status s = link_nodes(&w) ? tfp_flops_coverage(&w, out, err) : tfp_nomem(err);
    tfp_arena_free(&w.arena);
    return s;
}

static tfp_status summary(tfp_flops_table *w, tfp_error *err)
{
    tfp_status s = tfp_flops_types(w, err);
    if (!s) s = tfp_flops_top_nodes(w, err);
    if (!s) s = tfp_flops_signatures(w, err);
    if (!s) s = tfp_flops_gaps(w, err);
    return s ? s : tfp_flops_facts(w, err);
}

static tfp_status build_flops(tfp_report *r, tfp_error *err)
{
    const tfp_options *o = tfp_options_of(r);
    bool chosen = tfp_options_chosen(o, "float_ops_source");
    tfp_flops_table w = { .r = r,
                          .p = tfp_profile_of(r),
                          .source = chosen ? (tfp_flops_source)o->flops.float_ops_source : TFP_FLOPS_OWN };
    if (!tfp_program_of(tfp_profile_of(r)) && w.source != TFP_FLOPS_TENSORFLOW &&
        tfp_has_instructions(tfp_profile_of(r)))
        return tfp_flops_instructions(r, err);
    /* shapes are computed in any case */
    tfp_flops_source engine = w.source == TFP_FLOPS_FILES ? TFP_FLOPS_OWN : w.source;
    tfp_status s = tfp_flops_of(tfp_profile_of(r), engine, o, &w.f, err);
    if (s) return s;
    w.g = w.f->program;
    s = link_nodes(&w) ? TFP_OK : tfp_nomem(err);
    if (!s && o->flops.nodes) s = tfp_flops_nodes(&w, err);
    if (!s && !o->flops.nodes) s = summary(&w, err);
    tfp_flops_free(w.f);
    tfp_arena_free(&w.arena);
    return s;
}

const tfp_view tfp_view_flops = {
    "flops",
    "Float operations computed from the graph: totals, the most expensive parts, and how much of the work is covered.",
    TFP_REPORT_GRID,
    NULL,
    NULL,
    build_flops,
    TFP_NEEDS_PROGRAM,
    .row_traits = TFP_ADDS_ATTRIBUTION,
    .reads = TFP_READS_PROGRAM | TFP_READS_TIMES | TFP_READS_EACH_STEP,
};
