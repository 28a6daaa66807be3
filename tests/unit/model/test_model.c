// SPDX-License-Identifier: Apache-2.0
/* tests/unit/model/test_model.c: the builder's functions and the queries of the model, without any file. */
#include "model/tables/code.h"

#include "model/builder.h"
#include "model/tables/graph.h"
#include "model/tables/profile.h"
#include "model/tables/runs.h"
#include "model/tables/sources.h"
#include "support.h"

typedef struct built {
    tfp_profile *p;
    tfp_builder b;
} built;

static built start(void)
{
    built x = { .p = tfp_profile_new() };
    assert_non_null(x.p);
    x.b = (tfp_builder){ .p = x.p, .file = "test" };
    return x;
}

static void finish(built *x)
{
    assert_int_equal(tfp_build_finish(&x->b, NULL), TFP_OK);
    assert_int_equal(x->b.status, TFP_OK);
}

static uint32_t new_node(built *x, const char *name)
{
    return tfp_build_node(&x->b, tfp_str_of(name), TFP_STR("Op"), true);
}

/* ---- times ---- */

static void times_of_files_in_microseconds_are_clamped_at_292_years(void **state)
{
    (void)state;
    built x = start();
    assert_int_equal(tfp_build_micros(&x.b, 12), 12000);
    assert_int_equal(tfp_build_micros(&x.b, INT64_MAX / 1000), INT64_MAX / 1000 * 1000);
    assert_int_equal(x.p->files->warnings.size, 0);
    assert_int_equal(tfp_build_micros(&x.b, INT64_MAX), INT64_MAX / 1000 * 1000);
    assert_int_equal(x.p->files->warnings.size, 1);
    tfp_profile_free(x.p);
}

/* A node that took 10 us in one step and 5.5 us in another. */
static tfp_node_stats mean_with_grain(int64_t grain_ns)
{
    built x = start();
    x.p->about.time_grain_ns = grain_ns;
    uint32_t node = new_node(&x, "a"), lane = lane_named(&x.b, "/device:cpu:0");
    tfp_build_span(&x.b, tfp_build_exec(&x.b, node, tfp_build_step(&x.b, 0, true)), lane, 1000, 10000);
    tfp_build_span(&x.b, tfp_build_exec(&x.b, node, tfp_build_step(&x.b, 1, true)), lane, 1000, 5500);
    finish(&x);
    tfp_node_stats s;
    tfp_node_stats_at(x.p, node, tfp_step_of_id(-1), &s);
    tfp_profile_free(x.p);
    return s;
}

static void means_are_cut_to_the_grain_of_the_files_times(void **state)
{
    (void)state;
    assert_int_equal(mean_with_grain(1000).cpu_ns, 7000);
    assert_int_equal(mean_with_grain(1000).total_ns, 7000);
    assert_int_equal(mean_with_grain(1).cpu_ns, 7750);
}

static void thousandths_have_as_many_decimals_as_they_need(void **state)
{
    (void)state;
    static const struct {
        int64_t n;
        const char *text;
    } cases[] = {
        { 0, "0" },
        { 12000, "12" },
        { 12300, "12.3" },
        { 12340, "12.34" },
        { 12345, "12.345" },
        { 5, "0.005" },
        { -5, "-0.005" },
        { -1500, "-1.5" },
        { INT64_MAX, "9223372036854775.807" },
        { INT64_MIN, "-9223372036854775.808" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tfp_buf b = { 0 };
        tfp_buf_thousandths(&b, cases[i].n);
        tfp_buf_char(&b, 0);
        assert_string_equal(b.data, cases[i].text);
        tfp_buf_free(&b);
    }
}

/* ---- executions ---- */

typedef struct shape_of_steps {
    bool announced; /* all steps are declared before the first execution */
    bool by_node;   /* node by node, not step by step */
    bool back;      /* each step comes in two parts, with the next step between them */
} shape_of_steps;

/* `steps` steps of 20 nodes; each execution is requested twice. */
static void many_steps(void *ctx, size_t steps)
{
    enum { NODES = 20 };
    const shape_of_steps *how = ctx;
    built x = start();
    for (size_t n = 0; n < NODES; n++) {
        char name[] = { (char)('a' + n), 0 };
        new_node(&x, name);
    }
    for (size_t s = 0; how->announced && s < steps; s++) tfp_build_step(&x.b, (int64_t)s, true);
    for (size_t i = 0; i < steps * NODES; i++) {
        size_t step = how->by_node ? i % steps : i / NODES, node = how->by_node ? i / steps : i % NODES;
        uint32_t exec = tfp_build_exec(&x.b, (uint32_t)node, tfp_build_step(&x.b, (int64_t)step, true));
        if (how->back && step) tfp_build_exec(&x.b, (uint32_t)node, tfp_build_step(&x.b, (int64_t)step - 1, true));
        assert_int_equal(tfp_build_exec(&x.b, (uint32_t)node, tfp_build_step(&x.b, (int64_t)step, true)), exec);
    }
    assert_int_equal(x.p->runs->execs.size, steps * NODES);
    finish(&x);
    for (uint32_t n = 0; n < NODES; n++) {
        tfp_node_stats s;
        tfp_node_stats_at(x.p, n, tfp_step_of_id(-1), &s);
    }
    tfp_profile_free(x.p);
}

static void executions_are_found_in_time_linear_in_their_number(void **state)
{
    (void)state;
    static const shape_of_steps all[] = { { 0 },
                                          { .announced = true },
                                          { .by_node = true },
                                          { .back = true },
                                          { .announced = true, .by_node = true, .back = true } };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) assert_linear(many_steps, (void *)(uintptr_t)&all[i], 2000);
}

/* Rows added without the builder, as pieces of a file are. */
static void an_execution_that_was_added_elsewhere_is_found(void **state)
{
    (void)state;
    built x = start();
    uint32_t a = new_node(&x, "a"), zero = tfp_build_step(&x.b, 0, true), one = tfp_build_step(&x.b, 1, true);
    uint32_t first = tfp_build_exec(&x.b, a, one);
    assert_int_equal(tfp_build_exec(&x.b, a, zero), first + 1); /* this call creates the table */
    uint32_t b = new_node(&x, "b");
    assert_true(tfp_push(&x.p->runs->execs, ((tfp_exec){ .step = zero, .next = first + 3 })));
    assert_true(tfp_push(&x.p->runs->execs, ((tfp_exec){ .step = one, .next = TFP_NONE })));
    tfp_build_row(&x.b, b)->exec_first = first + 2;
    tfp_build_row(&x.b, b)->exec_last = first + 3;
    assert_int_equal(tfp_node_exec(x.p, b, zero), first + 2);
    assert_int_equal(tfp_build_exec(&x.b, b, zero), first + 2);
    assert_int_equal(tfp_node_exec(x.p, b, one), first + 3);
    tfp_profile_free(x.p);
}

/* ---- contents ---- */

static void a_profile_says_what_it_has(void **state)
{
    (void)state;
    built x = start();
    for (int what = -1; what <= TFP_CONTENT_COUNT; what++) assert_false(tfp_profile_has(x.p, (tfp_content)what));
    uint32_t node = new_node(&x, "a"), exec = tfp_build_exec(&x.b, node, tfp_build_step(&x.b, 3, true));
    tfp_build_has(&x.b, TFP_HAS_CODE);
    tfp_build_has(&x.b, TFP_HAS_GRAPH);
    finish(&x);
    assert_true(tfp_profile_has(x.p, TFP_HAS_STEPS));
    assert_false(tfp_profile_has(x.p, TFP_HAS_SPANS));
    assert_false(tfp_profile_has(x.p, TFP_HAS_MEMORY));
    assert_false(tfp_profile_has(x.p, TFP_HAS_CODE));  /* there is no code trace */
    assert_false(tfp_profile_has(x.p, TFP_HAS_GRAPH)); /* no node has an input */
    tfp_build_span(&x.b, exec, lane_named(&x.b, "/device:cpu:0"), 1000, 1000);
    tfp_build_allocation(&x.b, exec, 1000, 5);
    tfp_build_input(&x.b, node, 0, tfp_build_string(&x.b, TFP_STR("a")), 0);
    tfp_code_frame frame = { .file = tfp_build_string(&x.b, TFP_STR("a.py")), .line = 1 };
    tfp_build_trace(&x.b, &frame, 1);
    finish(&x);
    assert_true(tfp_profile_has(x.p, TFP_HAS_SPANS));
    assert_true(tfp_profile_has(x.p, TFP_HAS_MEMORY));
    assert_true(tfp_profile_has(x.p, TFP_HAS_CODE));
    assert_true(tfp_profile_has(x.p, TFP_HAS_GRAPH));
    assert_false(tfp_profile_has(x.p, TFP_HAS_TENSORS));
    assert_false(tfp_profile_has(x.p, TFP_HAS_TRACE));
    assert_false(tfp_profile_has(x.p, TFP_HAS_SHAPES)); /* no activity of a device, no shapes */
    assert_false(tfp_profile_has(NULL, TFP_HAS_GRAPH));
    tfp_profile_free(x.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_of_files_in_microseconds_are_clamped_at_292_years),
        cmocka_unit_test(means_are_cut_to_the_grain_of_the_files_times),
        cmocka_unit_test(thousandths_have_as_many_decimals_as_they_need),
        cmocka_unit_test(executions_are_found_in_time_linear_in_their_number),
        cmocka_unit_test(an_execution_that_was_added_elsewhere_is_found),
        cmocka_unit_test(a_profile_says_what_it_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
