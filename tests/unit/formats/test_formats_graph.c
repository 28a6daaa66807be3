// SPDX-License-Identifier: Apache-2.0
/* tests/unit/formats/test_formats_graph.c: what the profile gets from graphs and op logs, and the messages about
 * invalid ones. */
#include "formats_made.h"
#include "model/tables/code.h"
#include "model/tables/graph.h"
#include "model/tables/profile.h"

#define UNUSED (void)state

/* ---- graphs ---- */

static void an_input_names_its_source_however_it_is_written(void **state)
{
    UNUSED;
    static const char *const forms[] = { "a", "a:1", "^a" };
    for (size_t i = 0; i < 3; i++) {
        made m;
        start(&m);
        graph_node("b", "Add", forms[i]);
        graph_node("a", "Const", NULL);
        add(&m, "graph");
        finish(&m);
        const tfp_input_edge *e = &m.p->graph->inputs.at[node_of(&m, "b")->input_first];
        assert_int_equal(e->node, tfp_find_node(m.p, TFP_STR("a")));
        assert_int_equal(e->output_index, 0);
        assert_null(tfp_profile_warning(m.p, 0));
        drop(&m);
    }
}

static void malformed_inputs_are_told(void **state)
{
    UNUSED;
    static const char *const forms[] = { "a:x", "a:-1", "^^a", "", "^", "a:", "^a:0" };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        made m;
        start(&m);
        graph_node("a", "Const", forms[i]);
        add(&m, "graph");
        finish(&m);
        assert_true(warned(&m, "graph: malformed inputs"));
        drop(&m);
    }
}

static void inputs_without_a_node_are_told_with_the_graph_that_has_them(void **state)
{
    UNUSED;
    made m;
    start(&m);
    graph_node("a", "Const", "gone");
    add(&m, "graph");
    finish(&m);
    assert_true(warned(&m, "graph: inputs that name no node: 1 (gone)"));
    drop(&m);
}

static void of_two_graph_nodes_with_one_name_the_first_stays(void **state)
{
    UNUSED;
    made m;
    start(&m);
    graph_node("a", "Const", NULL);
    graph_node("a", "Add", NULL);
    add(&m, "graph");
    finish(&m);
    assert_int_equal(m.p->graph->nodes.size, 1);
    assert_str(tfp_text(m.p, node_of(&m, "a")->op), "Const");
    assert_true(warned(&m, "the name of an earlier node"));
    drop(&m);
}

static void a_scalar_shape_is_one_and_an_unknown_rank_is_empty(void **state)
{
    UNUSED;
    made m;
    start(&m);
    for (int unknown = 0; unknown < 2; unknown++) {
        size_t node = open_field(1);
        text(1, unknown ? "u" : "s");
        text(2, "Variable");
        size_t attr = open_field(5);
        text(1, "shape");
        size_t value = open_field(2), shape = open_field(7);
        if (unknown) number(3, 1);
        close_field(shape);
        close_field(value);
        close_field(attr);
        close_field(node);
    }
    add(&m, "graph");
    finish(&m);
    const tfp_shape *s = &m.p->graph->shapes.at[node_of(&m, "s")->shape],
                    *u = &m.p->graph->shapes.at[node_of(&m, "u")->shape];
    assert_true(s->scalar && s->count == 1 && m.p->graph->dims.at[s->first] == 1);
    assert_true(!u->scalar && u->count == 0);
    drop(&m);
}

/* ---- op logs ---- */

static void an_op_log_adds_types_and_float_ops_and_the_first_trace(void **state)
{
    UNUSED;
    made m;
    one_node_graph(&m);
    for (int i = 0; i < 2; i++) {
        size_t entry = open_field(1);
        text(1, "a");
        number(2, i ? 0 : 7);
        text(3, "T");
        size_t code = open_field(4), frame = open_field(1);
        text(1, "file.py");
        number(2, 10 + i);
        text(3, "f");
        text(4, "x = 1");
        close_field(frame);
        close_field(code);
        close_field(entry);
    }
    size_t unknown = open_field(1);
    text(1, "zz");
    close_field(unknown);
    add(&m, "op_log");
    finish(&m);
    const tfp_node *a = node_of(&m, "a");
    assert_int_equal(a->float_ops, 7);
    assert_int_equal(m.p->graph->types.size, 2);
    const tfp_code_frame *f = &m.p->code->frames.at[m.p->code->trace_frames.at[m.p->code->traces.at[a->trace].first]];
    assert_int_equal(f->line, 10);
    assert_str(tfp_text(m.p, f->text), "x = 1");
    assert_true(warned(&m, "not in the graph, left out: 1 (zz)"));
    drop(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_input_names_its_source_however_it_is_written),
        cmocka_unit_test(malformed_inputs_are_told),
        cmocka_unit_test(inputs_without_a_node_are_told_with_the_graph_that_has_them),
        cmocka_unit_test(of_two_graph_nodes_with_one_name_the_first_stays),
        cmocka_unit_test(a_scalar_shape_is_one_and_an_unknown_rank_is_empty),
        cmocka_unit_test(an_op_log_adds_types_and_float_ops_and_the_first_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
