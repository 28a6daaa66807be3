// SPDX-License-Identifier: Apache-2.0
/* tests/unit/model/test_growing.c: a growing profile: inputs are added after it was finished, with views in between,
 * step by step. */
#include "model/tables/profile.h"

#include "support.h"
#include "wire/proto.h"

/* ---- inputs ---- */

typedef struct growing {
    tfp_profile *p;
    tfp_error err;
} growing;

static void start(growing *g)
{
    memset(g, 0, sizeof *g);
    g->p = tfp_profile_new();
    assert_non_null(g->p);
    assert_int_equal(tfp_profile_keep(g->p, TFP_KEEP_ALL), TFP_OK);
}

static void add(growing *g, const char *format, tfp_str bytes)
{
    if (tfp_profile_add_bytes(g->p, format, format, bytes.data, bytes.size, &g->err))
        fail_msg("%s", tfp_error_message(&g->err));
}

static void add_sample(growing *g, const char *format, const char *file)
{
    tfp_buf b = sample_file(file);
    add(g, format, (tfp_str){ b.data, b.size });
    tfp_buf_free(&b);
}

static void finish(growing *g)
{
    if (tfp_profile_finish(g->p, &g->err)) fail_msg("%s", tfp_error_message(&g->err));
}

/* A RunMetadata in which one node ran that long on the CPU. */
static void add_run(growing *g, const char *node, int64_t us)
{
    tfp_buf b = { 0 };
    size_t stats = tfp_put_open(&b, 1), device = tfp_put_open(&b, 1);
    tfp_put_bytes(&b, 1, TFP_STR("/device:cpu:0"));
    size_t entry = tfp_put_open(&b, 2);
    tfp_put_bytes(&b, 1, tfp_str_of(node));
    tfp_put_int(&b, 2, 1000);
    tfp_put_int(&b, 4, us);
    tfp_put_int(&b, 5, us);
    tfp_put_close(&b, entry);
    tfp_put_close(&b, device);
    tfp_put_close(&b, stats);
    add(g, "run_meta", (tfp_str){ b.data, b.size });
    tfp_buf_free(&b);
}

static void add_graph(growing *g, const char *text) { add(g, "graph", tfp_str_of(text)); }

/* ---- what a profile shows ---- */

static tfp_options *options_of(const char *step)
{
    tfp_options *o = tfp_options_new();
    assert_non_null(o);
    static const char *const set[][2] = { { "max_depth", "100" },
                                          { "account_type_regexes", ".*" },
                                          { "select", "params,bytes,micros,float_ops,occurrence,device,op_types,"
                                                      "input_shapes,peak_bytes,residual_bytes,output_bytes" } };
    for (size_t i = 0; i < 3; i++) assert_int_equal(tfp_options_set(o, set[i][0], set[i][1], NULL), TFP_OK);
    assert_int_equal(tfp_options_set(o, "step", step, NULL), TFP_OK);
    return o;
}

/* Prints every view of a step in every output; a refused one is printed with its error. */
static void put_reports(tfp_buf *b, const tfp_profile *p, const char *step)
{
    tfp_options *o = options_of(step);
    tfp_error err = { 0 };
    for (size_t v = 0; tfp_list(TFP_VIEWS, v); v++) {
        tfp_report *r = NULL;
        tfp_status s = tfp_report_build(p, tfp_list(TFP_VIEWS, v), o, &r, &err);
        if (s) tfp_buf_printf(b, "%s: %s\n", tfp_list(TFP_VIEWS, v), tfp_error_message(&err));
        for (size_t i = 0; !s && tfp_list(TFP_OUTPUTS, i); i++) {
            tfp_buf_printf(b, "== %s %s\n", tfp_list(TFP_VIEWS, v), tfp_list(TFP_OUTPUTS, i));
            if (tfp_report_write(r, tfp_list(TFP_OUTPUTS, i), collect, b, &err))
                tfp_buf_printf(b, "%s\n", tfp_error_message(&err));
        }
        tfp_report_free(r);
    }
    tfp_options_free(o);
}

/* Prints everything that a profile can show. */
static tfp_buf shown(const tfp_profile *p)
{
    tfp_buf b = { 0 };
    char step[24];
    put_reports(&b, p, "-1");
    for (size_t i = 0; i < tfp_profile_step_count(p); i++) {
        snprintf(step, sizeof step, "%lld", (long long)tfp_profile_step(p, i));
        put_reports(&b, p, step);
    }
    for (size_t i = 0; tfp_profile_coverage(p, i) >= 0; i++) tfp_buf_printf(&b, "%.17g\n", tfp_profile_coverage(p, i));
    for (size_t i = 0; tfp_profile_warning(p, i); i++) tfp_buf_printf(&b, "%s\n", tfp_profile_warning(p, i));
    assert_int_equal(tfp_profile_write(p, collect, &b, NULL), TFP_OK);
    assert_false(b.failed);
    return b;
}

static void look(const growing *g)
{
    tfp_buf b = shown(g->p);
    tfp_buf_free(&b);
}

/* Checks that both show the same; frees both. */
static void same(growing *one, growing *other)
{
    tfp_buf a = shown(one->p), b = shown(other->p);
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.data, b.data, a.size);
    tfp_buf_free(&a);
    tfp_buf_free(&b);
    tfp_profile_free(one->p);
    tfp_profile_free(other->p);
}

static int64_t micros(const growing *g, const char *node, const char *step)
{
    tfp_options *o = options_of(step);
    tfp_report *r = NULL;
    if (tfp_report_build(g->p, "scope", o, &r, NULL)) fail_msg("no report of step %s", step);
    int64_t us = has_row(r, node) ? own(r, node, "micros") : -1;
    tfp_report_free(r);
    tfp_options_free(o);
    return us;
}

/* ---- adding after finish ---- */

/* Adds the graph, two runs as steps 7 and 3, and the op log of a sample. */
static void grow(growing *g, const char *const files[4], bool between)
{
    static const char *const formats[] = { "graph", "run_meta", "run_meta", "op_log" };
    static const int64_t steps[] = { 0, 7, 3, 0 };
    start(g);
    for (size_t i = 0; i < 4; i++) {
        if (i == 1 || i == 2) assert_int_equal(tfp_profile_next_step(g->p, steps[i]), TFP_OK);
        add_sample(g, formats[i], files[i]);
        if (!between || i == 2) continue; /* the second run and the op log are added together */
        finish(g);
        look(g);
    }
    finish(g);
}

static void a_profile_grown_in_parts_is_the_one_read_at_once(void **state)
{
    (void)state;
    static const char *const samples[][4] = {
        { "dense/graph.pb", "dense/run_meta_3", "dense/run_meta_0", "dense/tfprof_log.gz" },
        { "odd/graph.pbtxt", "odd/run_meta_1", "odd/run_meta_0", "odd/tfprof_log_1" },
    };
    for (size_t i = 0; i < 2; i++) {
        growing parts, whole;
        grow(&parts, samples[i], true);
        grow(&whole, samples[i], false);
        assert_int_equal(tfp_profile_step_count(parts.p), 2);
        assert_int_equal(tfp_profile_step(parts.p, 0), 3);
        assert_int_equal(tfp_profile_step(parts.p, 1), 7);
        same(&parts, &whole);
    }
}

static void a_graph_may_come_in_parts_that_name_each_other(void **state)
{
    (void)state;
    growing parts, whole;
    start(&parts);
    start(&whole);
    static const char *const graph[] = { "node { name: 'a' op: 'Const' } node { name: 'b' op: 'Relu' input: 'a' }",
                                         "node { name: 'c' op: 'Add' input: 'b' input: 'a' }" };
    for (size_t i = 0; i < 2; i++) {
        add_graph(&parts, graph[i]);
        add_graph(&whole, graph[i]);
        finish(&parts);
        look(&parts);
    }
    finish(&whole);
    assert_null(tfp_profile_warning(parts.p, 0));
    same(&parts, &whole);
}

static void an_input_finds_the_node_that_a_later_graph_brings(void **state)
{
    (void)state;
    growing g;
    start(&g);
    add_graph(&g, "node { name: 'b' op: 'Relu' input: 'a' }");
    finish(&g);
    assert_non_null(tfp_profile_warning(g.p, 0));
    add_graph(&g, "node { name: 'a' op: 'Const' }");
    finish(&g);
    tfp_options *o = options_of("-1");
    tfp_report *r = NULL;
    assert_int_equal(tfp_report_build(g.p, "graph", o, &r, NULL), TFP_OK);
    char *rows = rows_of(r);
    assert_string_equal(rows, "_TFProfRoot b a");
    assert_string_equal(tfp_report_row_name(r, tfp_report_row_parent(r, 2)), "b");
    free(rows);
    tfp_report_free(r);
    tfp_options_free(o);
    tfp_profile_free(g.p);
}

static void nothing_can_be_asked_between_adding_and_finishing(void **state)
{
    (void)state;
    growing g;
    start(&g);
    add_graph(&g, "node { name: 'a' op: 'Relu' }");
    finish(&g);
    add_run(&g, "a", 5);
    tfp_report *r = NULL;
    assert_fails(tfp_report_build(g.p, "scope", NULL, &r, &g.err), &g.err, TFP_BADARG, "finished");
    assert_null(r);
    finish(&g);
    assert_int_equal(micros(&g, "a", "0"), 5);
    tfp_profile_free(g.p);
}

static size_t warning_count(const tfp_profile *p)
{
    size_t n = 0;
    while (tfp_profile_warning(p, n)) n++;
    return n;
}

static void finishing_again_says_nothing_twice(void **state)
{
    (void)state;
    growing g;
    start(&g);
    add_graph(&g, "node { name: 'b' op: 'Relu' input: 'gone' } node { name: 'b' op: 'Add' }");
    for (int i = 0; i < 3; i++) {
        finish(&g);
        assert_int_equal(warning_count(g.p), 2);
    }
    for (size_t i = 0; i < 2; i++) assert_null(strstr(tfp_profile_warning(g.p, i), ": 2"));
    add_graph(&g, "node { name: 'b' op: 'Relu' input: 'gone' } node { name: 'c' op: 'Relu' input: 'lost' }");
    finish(&g);
    assert_int_equal(warning_count(g.p), 2);
    assert_string_equal(tfp_profile_warning(g.p, 0), "graph: nodes with the name of an earlier node, left out: 1 (b)");
    assert_string_equal(tfp_profile_warning(g.p, 1), "graph: inputs that name no node: 2 (first: gone)");
    tfp_profile_free(g.p);
}

static void what_is_known_already_takes_no_memory(void **state)
{
    (void)state;
    growing g;
    start(&g);
    add_sample(&g, "graph", "dense/graph.pb");
    add_sample(&g, "op_log", "dense/tfprof_log.gz");
    add_graph(&g, "node { name: 'warned about' op: 'Relu' input: 'gone' }");
    finish(&g);
    size_t before = tfp_profile_memory(g.p), nodes = tfp_profile_node_count(g.p), warnings;
    for (int i = 0; i < 5000; i++) finish(&g);
    assert_int_equal(tfp_profile_memory(g.p), before);
    warnings = warning_count(g.p);
    for (int i = 0; i < 20; i++) {
        add_sample(&g, "graph", "dense/graph.pb");
        add_sample(&g, "op_log", "dense/tfprof_log.gz");
        finish(&g);
    }
    assert_int_equal(tfp_profile_node_count(g.p), nodes);
    assert_int_equal(warning_count(g.p), warnings);
    assert_true(tfp_profile_memory(g.p) - before <= 64 << 10); /* the names of files: one block of the arena */
    tfp_profile_free(g.p);
}

/* ---- steps by number ---- */

static void a_number_is_that_of_the_next_run_only(void **state)
{
    (void)state;
    growing g;
    start(&g);
    add_graph(&g, "node { name: 'a' op: 'Relu' }");
    assert_int_equal(tfp_profile_next_step(g.p, 50), TFP_OK);
    assert_int_equal(tfp_profile_next_step(g.p, 100), TFP_OK); /* the last call counts */
    add_graph(&g, "node { name: 'b' op: 'Relu' }");            /* no run yet: the number is kept for the next one */
    add_run(&g, "a", 5);
    add_run(&g, "a", 7); /* the second run, found by its position */
    finish(&g);
    assert_int_equal(tfp_profile_step_count(g.p), 2);
    assert_int_equal(tfp_profile_step(g.p, 0), 1);
    assert_int_equal(tfp_profile_step(g.p, 1), 100);
    assert_int_equal(micros(&g, "a", "100"), 5);
    assert_int_equal(micros(&g, "a", "1"), 7);
    assert_int_equal(micros(&g, "a", "-1"), 6);
    tfp_profile_free(g.p);
}

static void runs_of_one_number_are_one_step(void **state)
{
    (void)state;
    growing g;
    start(&g);
    add_graph(&g, "node { name: 'a' op: 'Relu' } node { name: 'b' op: 'Relu' }");
    for (int64_t i = 0; i < 2; i++) {
        assert_int_equal(tfp_profile_next_step(g.p, INT64_MAX), TFP_OK);
        add_run(&g, i ? "b" : "a", 5 + i);
        finish(&g);
    }
    assert_int_equal(tfp_profile_step_count(g.p), 1);
    assert_int_equal(micros(&g, "a", "9223372036854775807"), 5);
    assert_int_equal(micros(&g, "b", "9223372036854775807"), 6);
    assert_true(tfp_profile_coverage(g.p, 0) < 0.51 && tfp_profile_coverage(g.p, 1) > 0.99);
    tfp_profile_free(g.p);
}

static void a_negative_step_counts_in_the_mean_only(void **state)
{
    (void)state;
    growing g;
    start(&g);
    add_graph(&g, "node { name: 'a' op: 'Relu' }");
    assert_int_equal(tfp_profile_next_step(g.p, -5), TFP_OK);
    add_run(&g, "a", 3);
    add_run(&g, "a", 7);
    finish(&g);
    assert_int_equal(tfp_profile_step(g.p, tfp_profile_step_count(g.p) - 1), 1);
    assert_int_equal(micros(&g, "a", "1"), 7);
    assert_int_equal(micros(&g, "a", "-1"), 5);
    assert_non_null(strstr(tfp_profile_warning(g.p, 0), "negative number"));
    tfp_profile_free(g.p);
    assert_int_equal(tfp_profile_next_step(NULL, 0), TFP_BADARG);
}

/* ---- how much memory it may take ---- */

static void every_input_raises_the_limit_by_its_size(void **state)
{
    (void)state;
    growing g;
    start(&g);
    tfp_buf b = sample_file("dense/graph.pb");
    tfp_str graph = { b.data, b.size };
    add(&g, "graph", graph);
    size_t limit = g.p->arena.limit;
    for (size_t i = 1; i <= 5; i++) {
        add(&g, "graph", graph);
        assert_int_equal(g.p->arena.limit, limit + i * 6 * graph.size);
    }
    limit = g.p->arena.limit;
    add_run(&g, "a", 1); /* although this run is small, it must not lower the limit */
    assert_true(g.p->arena.limit >= limit);
    tfp_buf_free(&b);
    tfp_profile_free(g.p);
}

static void a_packed_input_raises_it_by_its_packed_size(void **state)
{
    (void)state;
    growing g;
    start(&g);
    tfp_buf b = sample_file("dense/graph_shapes.pbtxt.gz");
    tfp_str graph = { b.data, b.size };
    add(&g, "graph", graph);
    size_t limit = g.p->arena.limit;
    add(&g, "graph", graph);
    assert_int_equal(g.p->arena.limit, limit + 6 * graph.size);
    tfp_buf_free(&b);
    tfp_profile_free(g.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_profile_grown_in_parts_is_the_one_read_at_once),
        cmocka_unit_test(a_graph_may_come_in_parts_that_name_each_other),
        cmocka_unit_test(an_input_finds_the_node_that_a_later_graph_brings),
        cmocka_unit_test(nothing_can_be_asked_between_adding_and_finishing),
        cmocka_unit_test(finishing_again_says_nothing_twice),
        cmocka_unit_test(what_is_known_already_takes_no_memory),
        cmocka_unit_test(a_number_is_that_of_the_next_run_only),
        cmocka_unit_test(runs_of_one_number_are_one_step),
        cmocka_unit_test(a_negative_step_counts_in_the_mean_only),
        cmocka_unit_test(every_input_raises_the_limit_by_its_size),
        cmocka_unit_test(a_packed_input_raises_it_by_its_packed_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
