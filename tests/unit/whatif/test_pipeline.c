// SPDX-License-Identifier: Apache-2.0
/* The replay of a pipeline: of schedules whose length is known by a formula, and of random graphs against times that are raised until
 * nothing waits any more. */
#include "whatif/pipeline.h"

#include "support.h"

#include <math.h>

enum { NODES = 40, GROUPS = 6, RANKS = 3 };

static uint32_t seed = 5;
static uint32_t chance(uint32_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

static uint32_t add_node(tfp_pipeline *p, tfp_stage_type type, uint32_t stage, int64_t start_ns)
{
    tfp_pipe_node n = {
        .start_ns = start_ns, .end_ns = start_ns + 1, .stage = stage, .group = TFP_NONE, .type = (uint8_t)type
    };
    assert_true(tfp_push(&p->nodes, n));
    return (uint32_t)p->nodes.size - 1;
}

/* A pipeline with these numbers of ranks, and one step. */
static tfp_pipeline pipeline_of(tfp_report *r, size_t ranks)
{
    tfp_pipeline p = { .r = r };
    for (size_t i = 0; i < ranks; i++) assert_true(tfp_push(&p.ranks, (int64_t)i));
    assert_true(tfp_push(&p.steps, 0));
    return p;
}

/* ---- known schedules ---- */

/* One forward and one backward in turn (1F1B): a stage runs as many forwards first as stages follow it. */
static void add_stage(tfp_pipeline *p, uint32_t stage, uint32_t stages, uint32_t batches)
{
    uint32_t ahead = stages - stage < batches ? stages - stage : batches, forward = 0, backward = 0;
    int64_t at = 0;
    while (backward < batches) {
        bool goes_ahead = forward < batches && forward - backward < ahead;
        tfp_stage_type type = goes_ahead ? TFP_FORWARD_COMPUTE : TFP_BACKWARD_COMPUTE;
        *(goes_ahead ? &forward : &backward) += 1;
        at += 1000;
        add_node(p, type, stage, at);
        if (goes_ahead ? stage > 0 : stage + 1 < stages)
            add_node(p, goes_ahead ? TFP_FORWARD_RECV : TFP_BACKWARD_RECV, stage, at - 300);
        if (goes_ahead ? stage + 1 < stages : stage > 0)
            add_node(p, goes_ahead ? TFP_FORWARD_SEND : TFP_BACKWARD_SEND, stage, at + 300);
    }
    add_node(p, TFP_OPTIMIZER, stage, at + 1000);
}

/* The first forward reaches the last stage after stages - 1 others, the last backward the first stage in the same way: together
 * (batches + stages - 1) * (forward + backward). */
static void one_forward_one_backward_has_the_known_bubble(void **state)
{
    (void)state;
    const double forward = 10, backward = 20, optimizer = 7;
    for (uint32_t stages = 1; stages <= 5; stages++) {
        for (uint32_t batches = stages; batches <= 12; batches++) {
            tfp_report *r = report_of("op", "a MatMul 4us\n", NULL);
            tfp_pipeline p = pipeline_of(r, 1);
            p.stage_count = stages;
            for (uint32_t s = 0; s < stages; s++) add_stage(&p, s, stages, batches);
            double *taken = p.taken = calloc(p.nodes.size + 1, sizeof *taken);
            assert_non_null(taken);
            for (size_t i = 0; i < p.nodes.size; i++) {
                uint8_t type = p.nodes.at[i].type;
                taken[i] = type == TFP_FORWARD_COMPUTE    ? forward
                           : type == TFP_BACKWARD_COMPUTE ? backward
                           : type == TFP_OPTIMIZER        ? optimizer
                                                          : 0;
            }
            assert_true(tfp_pipeline_model(&p));
            double us = tfp_pipeline_replay(&p, &(tfp_pipe_scenario){ .step = 0 });
            assert_true(fabs(us - ((batches + stages - 1) * (forward + backward) + optimizer)) < 1e-6);
            tfp_pipeline_free(&p);
            drop_report(r);
        }
    }
}

/* ---- random graphs ---- */

/* Raises times until every node and group has what it waits for: as many rounds as there are nodes at most. */
static double by_rounds(const tfp_pipeline *p)
{
    double start[RANKS][NODES] = { { 0 } }, end[RANKS][NODES] = { { 0 } }, last = 0;
    for (size_t round = 0; round < 2 * (NODES + GROUPS); round++) {
        for (size_t rank = 0; rank < RANKS; rank++)
            for (size_t i = 0; i < p->edges.size; i++) {
                const tfp_pipe_edge *e = &p->edges.at[i];
                start[rank][e->to] = fmax(start[rank][e->to], end[rank][e->from]);
            }
        for (size_t rank = 0; rank < RANKS; rank++)
            for (size_t n = 0; n < NODES; n++) {
                double from = start[rank][n];
                for (size_t other = 0; other < NODES * RANKS && p->nodes.at[n].group != TFP_NONE; other++) {
                    uint32_t group = p->nodes.at[other % NODES].group;
                    bool same = group == p->nodes.at[n].group && (other / NODES == rank || p->groups.at[group]);
                    if (same) from = fmax(from, start[other / NODES][other % NODES]);
                }
                end[rank][n] = from + p->taken[rank * NODES + n];
            }
    }
    for (size_t rank = 0; rank < RANKS; rank++)
        for (size_t n = 0; n < NODES; n++)
            if (p->nodes.at[n].type == TFP_OPTIMIZER) last = fmax(last, end[rank][n]);
    return last;
}

/* Nodes of a group are neighbours, so that no edge between others makes a group wait for itself. */
static void random_graph(tfp_pipeline *p)
{
    for (uint32_t i = 0; i < NODES; i++) {
        add_node(p, i % 7 == 6 ? TFP_OPTIMIZER : TFP_FORWARD_COMPUTE, 0, i);
        for (uint32_t rank = 0; rank < RANKS; rank++) p->taken[rank * NODES + i] = chance(50);
    }
    for (uint32_t g = 0; g < GROUPS; g++) {
        assert_true(tfp_push(&p->groups, (uint8_t)chance(2)));
        for (uint32_t k = 0; k < 3; k++) p->nodes.at[g * 6 + k].group = g;
    }
    for (uint32_t i = 0; i < 2 * NODES; i++) {
        uint32_t from = chance(NODES), to = chance(NODES), group = p->nodes.at[from].group;
        if (from >= to || (group != TFP_NONE && group == p->nodes.at[to].group)) continue;
        assert_true(tfp_push(&p->edges, ((tfp_pipe_edge){ from, to })));
    }
}

static void a_replay_is_the_least_time_in_which_all_waits_hold(void **state)
{
    (void)state;
    for (int round = 0; round < 200; round++) {
        tfp_report *r = report_of("op", "a MatMul 4us\n", NULL);
        tfp_pipeline p = pipeline_of(r, RANKS);
        p.taken = calloc(RANKS * NODES, sizeof *p.taken);
        assert_non_null(p.taken);
        random_graph(&p);
        assert_true(tfp_pipeline_order(&p));
        double us = tfp_pipeline_replay(&p, &(tfp_pipe_scenario){ .step = 0 });
        assert_true(fabs(us - by_rounds(&p)) < 1e-6);
        tfp_pipeline_free(&p);
        drop_report(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_forward_one_backward_has_the_known_bubble),
        cmocka_unit_test(a_replay_is_the_least_time_in_which_all_waits_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
