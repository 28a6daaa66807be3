// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/drive/drive_program.c: checks the program that graphs leave in a profile, and its computed shapes and
 * counts: indexes stay within their tables, and no graph makes the engine crash, hang, or return an impossible
 * number. */
#include "drive_program.h"
#include "flops/rules/shared/rule.h"
#include "model/tables/graph.h"
#include "model/tables/profile.h"

#include "flops/core/flops.h"

#include <stdio.h>
#include <stdlib.h>

static void need(bool kept, const char *promise)
{
    if (kept) return;
    fprintf(stderr, "broken promise: %s\n", promise);
    abort();
}

static bool within(uint32_t first, uint32_t count, size_t size) { return first <= size && count <= size - first; }
static bool is_shape(const tfp_profile *p, uint32_t shape)
{
    return shape == TFP_NONE || shape < p->graph->shapes.size;
}

static void check_body(const tfp_profile *p, const tfp_program_body *b)
{
    const tfp_program *g = p->program;
    need(within(b->node_first, b->node_count, g->nodes.size), "a body's nodes are in their table");
    need(within(b->arg_first, b->arg_count, g->args.size), "a body's arguments are in their table");
    need(within(b->result_first, b->result_count, g->results.size), "a body's results are in their table");
    need(within(b->attr_first, b->attr_count, g->attrs.size), "a body's attributes are in their table");
    for (uint32_t i = 0; i < b->arg_count; i++) {
        const tfp_program_arg *a = &g->args.at[b->arg_first + i];
        need(is_shape(p, a->shape) && is_shape(p, a->handle_shape), "shapes of arguments are in their table");
    }
}

static void check_rows(const tfp_profile *p)
{
    const tfp_program *g = p->program;
    size_t nodes = 0, names = p->strings.count;
    need(g->bodies.size > 0, "a program has a main graph");
    for (size_t i = 0; i < g->bodies.size; i++) {
        check_body(p, &g->bodies.at[i]);
        nodes += g->bodies.at[i].node_count;
    }
    need(nodes == g->nodes.size, "every node is of one body");
    for (size_t i = 0; i < g->nodes.size; i++) {
        const tfp_program_node *n = &g->nodes.at[i];
        need(n->name < names && n->op < names, "names of nodes are strings");
        need(within(n->input_first, n->input_count, g->inputs.size), "a node's inputs are in their table");
        need(within(n->attr_first, n->attr_count, g->attrs.size), "a node's attributes are in their table");
    }
    for (size_t i = 0; i < g->inputs.size; i++)
        need(g->inputs.at[i].source < names && g->inputs.at[i].output < names, "names of inputs are strings");
    for (size_t i = 0; i < g->variables.size; i++)
        need(g->variables.at[i].name < names && is_shape(p, g->variables.at[i].shape),
             "variables have names and shapes");
}

/* Whether a count is a possible one. */
static bool is_count(int64_t n, bool known) { return known ? n >= 0 : n == TFP_UNKNOWN; }

static void check_flops(const tfp_flops *f)
{
    for (size_t i = 0; i < f->program->nodes.size; i++) {
        const tfp_node_flops *n = &f->nodes[i];
        bool counted = n->state == TFP_COUNTED;
        need(is_count(n->flops, counted) && is_count(n->macs, counted), "float operations are counts, or unknown");
        need(n->all.counted >= 0 && n->all.counted <= n->all.ops, "what is counted is part of all");
        for (uint32_t k = 0; k < n->out_count; k++) {
            tfp_dims d = n->outs[k].shape;
            need(d.rank >= TFP_RANK_UNKNOWN && d.rank <= TFP_RANK_MOST, "ranks are ranks");
            for (int j = 0; j < d.rank; j++) need(d.at[j] >= TFP_DIM_UNKNOWN, "dimensions are not negative");
        }
    }
}

void drive_program(const tfp_profile *p, uint64_t pick)
{
    static const tfp_flops_source sources[] = { TFP_FLOPS_OWN, TFP_FLOPS_TENSORFLOW };
    if (!p->program) return;
    check_rows(p);
    for (size_t i = 0; i < 2; i++) {
        if (!drive_everything && i != pick % 2) continue;
        tfp_flops *f = NULL;
        tfp_assume assume = { .batch = pick % 3 ? 32 : 0 };
        tfp_status s = tfp_flops_new(p, sources[i], &assume, &f, NULL);
        need(s == TFP_OK || s == TFP_NOMEM || s == TFP_LIMIT, "any program can be worked out");
        if (!s) check_flops(f);
        tfp_flops_free(f);
    }
}
