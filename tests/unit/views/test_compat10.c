// SPDX-License-Identifier: Apache-2.0
/* tests/unit/views/test_compat10.c: -compat 1.0: the rules of TensorFlow 1.0's views that differ from today's. */
#include "support.h"

/* The output of the view for a graph and a run in protobuf's text format (NULL: no run). Freed by the caller. */
static char *printed(const char *view, const char *graph, const char *run, const char *options)
{
    tfp_error *err = tfp_error_new();
    tfp_profile *p = tfp_profile_new();
    tfp_options *o = tfp_options_new();
    tfp_report *r = NULL;
    char words[512], *next = NULL;
    snprintf(words, sizeof words, "compat 1.0 %s", options);
    for (char *name = strtok_r(words, " ", &next); name; name = strtok_r(NULL, " ", &next)) {
        char *value = strtok_r(NULL, " ", &next);
        if (strcmp(value, "''") == 0) value = "";
        if (tfp_options_set(o, name, value, err)) fail_msg("%s", tfp_error_message(err));
    }
    if (tfp_profile_add_bytes(p, "graph", "graph", graph, strlen(graph), err) ||
        (run && tfp_profile_add_bytes(p, "run_meta", "run", run, strlen(run), err)) || tfp_profile_finish(p, err) ||
        tfp_report_build(p, view, o, &r, err))
        fail_msg("%s", tfp_error_message(err));
    char *text = written(r, "text");
    tfp_report_free(r);
    tfp_options_free(o);
    tfp_profile_free(p);
    tfp_error_free(err);
    return text;
}

static void check(const char *view, const char *graph, const char *run, const char *options, const char *wanted)
{
    char *text = printed(view, graph, run, options);
    assert_string_equal(text, wanted);
    free(text);
}

#define SHAPE(dims) " attr{key:'shape' value{shape{" dims "}}}"
#define VARIABLE(name, dims) "node{name:'" name "' op:'VariableV2'" SHAPE(dims) "}"
#define NODE(name, op, more) "node{name:'" name "' op:'" op "' " more "}"

static void rows_have_no_header_and_only_variables_by_default(void **state)
{
    (void)state;
    static const char graph[] = VARIABLE("a/w", "dim{size:2}dim{size:3}") VARIABLE("a/b", "dim{size:5}dim{size:-1}")
        VARIABLE("s", "") NODE("a/x", "MatMul", "");
    check("scope", graph, NULL, "",
          "_TFProfRoot (--/6 params)\n  a/b (5x-1, 0/0 params)\n  a/w (2x3, 6/6 params)\n  s (0/0 params)\n");
    check("scope", graph, NULL, "account_type_regexes .* max_depth 2",
          "_TFProfRoot (0/6 params)\n  a (0/6 params)\n  s (0/0 params)\n");
    check("scope", graph, NULL, "select op_types account_type_regexes nothing,.* max_depth 1",
          "_TFProfRoot (_kTFScopeParent)\n");
}

static void variables_of_resources_count_as_variables(void **state)
{
    (void)state;
    check("scope", NODE("v", "VarHandleOp", SHAPE("dim{size:4}")), NULL, "select params,op_types",
          "_TFProfRoot (--/4 params, _kTFScopeParent)\n  v (4, 4/4 params, VarHandleOp)\n");
}

static void nothing_selected_leaves_bare_names(void **state)
{
    (void)state;
    check("scope", VARIABLE("v", "dim{size:4}"), NULL, "select ''", "_TFProfRoot\n  v\n");
    check("scope", VARIABLE("v", "dim{size:4}"), NULL, "select num_hidden_ops", "_TFProfRoot ()\n  v ()\n");
}

static void the_start_comes_before_the_sums(void **state)
{
    (void)state;
    static const char graph[] = VARIABLE("a/w", "dim{size:2}") VARIABLE("b/w", "dim{size:3}");
    check("scope", graph, NULL, "start_name_regexes b", "_TFProfRoot (--/3 params)\n  b/w (3, 3/3 params)\n");
    check("scope", graph, NULL, "start_name_regexes c", "_TFProfRoot (--/0 params)\n");
}

static void hiding_and_depth_do_not_stop_the_walk_but_trim_does(void **state)
{
    (void)state;
    static const char graph[] =
        VARIABLE("a", "dim{size:1}") VARIABLE("a/b", "dim{size:2}") VARIABLE("a/b/c", "dim{size:3}");
    check("scope", graph, NULL, "hide_name_regexes a/b",
          "_TFProfRoot (--/6 params)\n  a (1, 1/6 params)\n    a/b/c (3, 3/3 params)\n");
    check("scope", graph, NULL, "trim_name_regexes a/b",
          "_TFProfRoot (--/6 params)\n  a (1, 1/6 params)\n    a/b (2, 2/5 params)\n");
    check("scope", graph, NULL, "hide_name_regexes a/b account_displayed_op_only true",
          "_TFProfRoot (--/4 params)\n  a (1, 1/4 params)\n    a/b/c (3, 3/3 params)\n");
    check("scope", graph, NULL, "min_params 3", "_TFProfRoot (--/6 params)\n  a/b/c (3, 3/3 params)\n");
}

/* m takes b and v; b takes v too and finishes first, so b gets the total of v, although the row of v stays where it was
 * first reached. */
static void the_first_consumer_that_finishes_takes_a_total(void **state)
{
    (void)state;
    static const char graph[] = NODE("m", "MatMul", "input:'v' input:'b:1' input:'^b'")
        NODE("b", "Add", "input:'v' input:'b'") VARIABLE("v", "dim{size:7}");
    check("graph", graph, NULL, "account_type_regexes .*",
          "_TFProfRoot (0/7 params)\n  m (0/7 params)\n    b (0/7 params)\n      v (7, 7/7 params)\n");
}

static void hidden_nodes_of_the_graph_are_counted(void **state)
{
    (void)state;
    static const char graph[] = NODE("z", "Sum", "input:'y'") NODE("y", "Sum", "input:'v' input:'c'")
        NODE("c", "Conv2D", "input:'w'") VARIABLE("v", "dim{size:7}") VARIABLE("w", "dim{size:2}");
    check("graph", graph, NULL, "select num_hidden_ops,params account_type_regexes Variable.*,Conv2D max_depth 9",
          "_TFProfRoot (--/9 params)\n"
          "  ...hidden 2...\n"
          "    c (0/2 params)\n"
          "      w (2, 2/2 params)\n"
          "  ...hidden 2...\n"
          "    v (7, 7/7 params)\n");
}

static void cycles_without_a_way_in_are_never_reached(void **state)
{
    (void)state;
    check("graph", NODE("a", "X", "input:'b'") NODE("b", "X", "input:'a'") NODE("c", "X", ""), NULL,
          "account_type_regexes .*", "_TFProfRoot (0/0 params)\n  c (0/0 params)\n");
}

#define RUN(node, us, bytes)                                                                                           \
    "node_stats{node_name:'" node "' all_start_micros:10 op_end_rel_micros:" us                                        \
    " output{tensor_description{allocation_description{requested_bytes:" bytes " allocated_bytes:999}}}}"

static void a_run_gives_bytes_of_outputs_and_no_nodes(void **state)
{
    (void)state;
    static const char graph[] =
        NODE("a/x", "MatMul", "device:'/device:CPU:0'") NODE("y", "Add", "device:'/device:CPU:1'");
    static const char run[] = "step_stats{dev_stats{device:'/job:w/device:CPU:0' " RUN("a/x:MatMul", "5", "24")
        RUN("a/x", "2", "8") RUN("a", "3", "1") RUN("b/c", "3", "1") "}}";
    check("scope", graph, run, "account_type_regexes .* select bytes,micros,device,op_types",
          "_TFProfRoot (0B/32B, 0us/7us, _kTFScopeParent)\n"
          "  a (0B/32B, 0us/7us, _kTFScopeParent)\n"
          "    a/x (32B/32B, 7us/7us, /job:w/device:cpu:0, /job:w/device:cpu:0|MatMul)\n"
          "  y (0B/0B, 0us/0us, /device:CPU:1, /device:CPU:1|Add)\n");
    check("scope", graph, run, "account_type_regexes .* device_regexes .*:1 select micros",
          "_TFProfRoot (0us/7us)\n  y (0us/0us)\n");
    check("graph", graph, run, "account_type_regexes .*CPU:1 select micros", "_TFProfRoot (--/0us)\n  y (0us/0us)\n");
}

static void deep_graphs_and_names_cost_no_stack(void **state)
{
    (void)state;
    enum { DEPTH = 50000 };
    tfp_buf chain = { 0 }, deep = { 0 };
    for (int i = 0; i < DEPTH; i++) tfp_buf_printf(&chain, "node{name:'n%d' op:'X' input:'n%d'}", i, i + 1);
    tfp_buf_text(&deep, "node{name:'");
    for (int i = 0; i < DEPTH / 10; i++) tfp_buf_text(&deep, "a/");
    tfp_buf_text(&deep, "' op:'X'}");
    tfp_buf_char(&chain, '\0');
    tfp_buf_char(&deep, '\0');
    check("graph", chain.data, NULL, "account_type_regexes .* max_depth 2",
          "_TFProfRoot (0/0 params)\n  n0 (0/0 params)\n");
    check("scope", deep.data, NULL, "account_type_regexes .* max_depth 2",
          "_TFProfRoot (0/0 params)\n  a (0/0 params)\n");
    tfp_buf_free(&chain);
    tfp_buf_free(&deep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_have_no_header_and_only_variables_by_default),
        cmocka_unit_test(variables_of_resources_count_as_variables),
        cmocka_unit_test(nothing_selected_leaves_bare_names),
        cmocka_unit_test(the_start_comes_before_the_sums),
        cmocka_unit_test(hiding_and_depth_do_not_stop_the_walk_but_trim_does),
        cmocka_unit_test(the_first_consumer_that_finishes_takes_a_total),
        cmocka_unit_test(hidden_nodes_of_the_graph_are_counted),
        cmocka_unit_test(cycles_without_a_way_in_are_never_reached),
        cmocka_unit_test(a_run_gives_bytes_of_outputs_and_no_nodes),
        cmocka_unit_test(deep_graphs_and_names_cost_no_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
