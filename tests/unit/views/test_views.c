// SPDX-License-Identifier: Apache-2.0
/* tests/unit/views/test_views.c: views of one to three nodes. tests/golden and tests/compare check whole views. */
#include "support.h"

#include <string.h>

static void scope_adds_children_into_their_parent(void **state)
{
    (void)state;
    tfp_report *r = report_of("scope",
                              "a/x Conv2D 3us\n"
                              "a/y MatMul 4us\n",
                              "");
    assert_int_equal(total(r, "a", "micros"), 7);
    assert_int_equal(own(r, "a", "micros"), 0);
    drop_report(r);
}

static void scope_keeps_the_parents_of_what_is_accounted_and_nothing_else(void **state)
{
    (void)state;
    tfp_report *r = report_of("scope",
                              "a/x Conv2D 3us\n"
                              "a/y MatMul 4us\n"
                              "b/z Relu 5us\n",
                              "account_type_regexes MatMul");
    char *rows = rows_of(r);
    assert_string_equal(rows, "_TFProfRoot a a/y");
    assert_int_equal(total(r, "_TFProfRoot", "micros"), 4);
    free(rows);
    drop_report(r);
}

static void an_unaccounted_parent_that_stays_adds_its_own_numbers(void **state)
{
    (void)state;
    tfp_report *r = report_of("scope",
                              "a Conv2D 3us\n"
                              "a/y MatMul 4us\n",
                              "account_type_regexes MatMul");
    assert_int_equal(total(r, "a", "micros"), 7);
    drop_report(r);
}

static void hidden_rows_hand_their_children_up(void **state)
{
    (void)state;
    tfp_report *r = report_of("scope", "a/b/c Relu 1us\n", "hide_name_regexes a/b");
    char *rows = rows_of(r);
    assert_string_equal(rows, "_TFProfRoot a a/b/c");
    assert_string_equal(tfp_report_row_name(r, tfp_report_row_parent(r, 2)), "a");
    free(rows);
    drop_report(r);
}

static void totals_of_shown_rows_only_leave_out_the_hidden(void **state)
{
    (void)state;
    const char *nodes = "a/x Relu 3us\n"
                        "a/y Relu 4us\n";
    tfp_report *r = report_of("scope", nodes, "hide_name_regexes a/y account_displayed_op_only true");
    assert_int_equal(total(r, "a", "micros"), 3);
    drop_report(r);
}

static void graph_gives_a_shared_input_to_its_first_taker(void **state)
{
    (void)state;
    tfp_report *r = report_of("graph",
                              "a Add 1us <s\n"
                              "b Add 1us <s\n"
                              "s Const 5us\n",
                              "");
    assert_int_equal(total(r, "a", "micros"), 6);
    assert_int_equal(total(r, "b", "micros"), 1);
    drop_report(r);
}

static void graph_enters_a_cycle_without_a_taker_at_its_first_node(void **state)
{
    (void)state;
    static const char lines[] = "a Add 1us <b\n"
                                "b Add 1us <a\n"
                                "c Add 1us\n";
    tfp_report *r = report_of("graph", lines, "");
    assert_true(has_row(r, "a"));
    assert_true(has_row(r, "b"));
    assert_true(has_row(r, "c"));
    assert_non_null(tfp_report_note(r, 0));
    drop_report(r);
    r = report_of("graph", lines, "compat tensorflow");
    assert_false(has_row(r, "a"));
    assert_true(has_row(r, "c"));
    assert_non_null(tfp_report_note(r, 0));
    drop_report(r);
}

static void op_totals_hold_what_follows_in_the_list(void **state)
{
    (void)state;
    tfp_report *r = report_of("op",
                              "a Conv2D 3us\n"
                              "b MatMul 4us\n"
                              "c Conv2D 2us\n",
                              "order_by micros");
    char *rows = rows_of(r);
    assert_string_equal(rows, "_TFProfRoot Conv2D MatMul");
    assert_int_equal(own(r, "Conv2D", "micros"), 5);
    assert_int_equal(total(r, "Conv2D", "micros"), 9);
    assert_int_equal(total(r, "MatMul", "micros"), 4);
    free(rows);
    drop_report(r);
}

static void op_counts_a_node_for_each_pattern_that_it_matches(void **state)
{
    (void)state;
    tfp_report *r = report_of("op", "a MatMul 4us +mine\n", "account_type_regexes MatMul,mine");
    assert_int_equal(own(r, "MatMul", "micros"), 8);
    drop_report(r);
}

static void the_mean_is_over_the_steps_in_which_a_node_ran(void **state)
{
    (void)state;
    tfp_report *r = report_of("scope",
                              "a Relu @0 4us @1 7us\n"
                              "b Relu @1 9us\n",
                              "");
    assert_int_equal(own(r, "a", "micros"), 5);
    assert_int_equal(own(r, "b", "micros"), 9);
    drop_report(r);
}

static void float_ops_count_runs_where_there_are_runs(void **state)
{
    (void)state;
    tfp_report *r = report_of("scope",
                              "a MatMul 10f @1 1us\n"
                              "b MatMul 10f\n",
                              "select float_ops step 1");
    assert_int_equal(own(r, "a", "float_ops"), 10);
    assert_int_equal(own(r, "b", "float_ops"), 10);
    drop_report(r);
}

static void traits_say_what_programs_do_for_some_views(void **state)
{
    (void)state;
    const char *name;
    for (size_t i = 0; (name = tfp_list(TFP_VIEWS, i)); i++) {
        unsigned wanted = strcmp(name, "advise") == 0  ? TFP_VIEW_FINDINGS
                          : strcmp(name, "graph") == 0 ? TFP_VIEW_TIMELINE_OF_STEP
                                                       : 0;
        assert_int_equal(tfp_view_traits(name), wanted);
    }
    assert_int_equal(tfp_view_traits("no such view"), 0);
    assert_int_equal(tfp_view_traits(NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scope_adds_children_into_their_parent),
        cmocka_unit_test(scope_keeps_the_parents_of_what_is_accounted_and_nothing_else),
        cmocka_unit_test(an_unaccounted_parent_that_stays_adds_its_own_numbers),
        cmocka_unit_test(hidden_rows_hand_their_children_up),
        cmocka_unit_test(totals_of_shown_rows_only_leave_out_the_hidden),
        cmocka_unit_test(graph_gives_a_shared_input_to_its_first_taker),
        cmocka_unit_test(graph_enters_a_cycle_without_a_taker_at_its_first_node),
        cmocka_unit_test(op_totals_hold_what_follows_in_the_list),
        cmocka_unit_test(op_counts_a_node_for_each_pattern_that_it_matches),
        cmocka_unit_test(the_mean_is_over_the_steps_in_which_a_node_ran),
        cmocka_unit_test(float_ops_count_runs_where_there_are_runs),
        cmocka_unit_test(traits_say_what_programs_do_for_some_views),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
