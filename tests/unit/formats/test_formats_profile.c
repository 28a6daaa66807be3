// SPDX-License-Identifier: Apache-2.0
/* tests/unit/formats/test_formats_profile.c: what the profile gets from ProfileProtos, and the messages about invalid
 * ones. */
#include "formats_made.h"
#include "model/tables/code.h"
#include "model/tables/graph.h"
#include "model/tables/profile.h"
#include "model/tables/runs.h"

#define UNUSED (void)state

static void of_two_nodes_with_one_number_the_last_stays_and_of_one_name_the_first(void **state)
{
    UNUSED;
    made m;
    start(&m);
    profile_node(1, "a", 5);
    profile_node(1, "b", 7);
    profile_node(2, "a", 9);
    profile_node(3, "b", 11);
    steps();
    add(&m, "profile");
    finish(&m);
    assert_int_equal(tfp_profile_node_count(m.p), 2);
    assert_int_equal(micros(&m, "a", 0), 9);
    assert_int_equal(micros(&m, "b", 0), 7);
    assert_true(warned(&m, "node numbers that come twice"));
    assert_true(warned(&m, "nodes of the same name, the first kept: 1 (b)"));
    drop(&m);
}

static void a_step_that_comes_twice_in_a_node_starts_anew(void **state)
{
    UNUSED;
    made m;
    start(&m);
    size_t entry, node = open_node(1, "a", &entry);
    exec_of(0, 5);
    exec_of(4, 100);
    exec_of(0, 7);
    close_field(node);
    close_field(entry);
    steps();
    add(&m, "profile");
    finish(&m);
    assert_int_equal(micros(&m, "a", tfp_find_step(m.p, 0)), 7);
    assert_int_equal(micros(&m, "a", tfp_find_step(m.p, 4)), 100);
    assert_true(warned(&m, "steps that come twice"));
    drop(&m);
}

static void inputs_of_a_profile_may_name_nodes_that_come_later(void **state)
{
    UNUSED;
    made m;
    start(&m);
    size_t entry, node = open_node(1, "a", &entry);
    for (int64_t i = 2; i >= 0; i--) {
        size_t input = open_field(2);
        number(1, i);
        number(2, i == 2 ? 99 : 5);
        close_field(input);
    }
    size_t source = open_field(14);
    number(1, 5);
    number(2, 3);
    close_field(source);
    close_field(node);
    close_field(entry);
    profile_node(5, "b", 1);
    steps();
    add(&m, "profile");
    finish(&m);
    const tfp_input_edge *e = &m.p->graph->inputs.at[node_of(&m, "a")->input_first];
    assert_int_equal(m.p->graph->inputs.size, 2);
    assert_int_equal(e->position, 0);
    assert_int_equal(e->node, tfp_find_node(m.p, TFP_STR("b")));
    assert_int_equal(e->output_index, 3);
    assert_true(warned(&m, "profile: inputs that name no node: 1 (99)"));
    drop(&m);
}

static void strings_of_traces_come_after_the_nodes(void **state)
{
    UNUSED;
    made m;
    start(&m);
    size_t entry, node = open_node(1, "a", &entry), trace = open_field(10), frame = open_field(1);
    number(2, 3);
    number(6, 1);
    number(7, 8);
    close_field(frame);
    close_field(trace);
    close_field(node);
    close_field(entry);
    number(2, 1);
    size_t string = open_field(4);
    number(1, 1);
    text(2, "file.py");
    close_field(string);
    add(&m, "profile");
    finish(&m);
    const tfp_code_frame *f = &m.p->code->frames.at[0];
    assert_true(tfp_has(m.p, TFP_HAS_CODE));
    assert_str(tfp_text(m.p, f->file), "file.py");
    assert_str(tfp_text(m.p, f->function), "none");
    assert_int_equal(f->text, 0);
    assert_true(warned(&m, "strings of code traces that are missing, taken as none: 1 (8)"));
    drop(&m);
}

static void steps_that_are_not_listed_count_in_averages_only(void **state)
{
    UNUSED;
    made m;
    start(&m);
    profile_node(1, "a", 5);
    add(&m, "profile");
    finish(&m);
    assert_int_equal(micros(&m, "a", TFP_NONE), 5);
    assert_true(warned(&m, "steps that ran but are not listed"));
    drop(&m);
}

static void the_program_is_the_same_in_any_number_of_pieces(void **state)
{
    UNUSED;
    static const char *const sharings[] = { "1", "2/60", "3/200" };
    char *first = NULL;
    for (size_t i = 0; i < sizeof sharings / sizeof *sharings; i++) {
        assert_int_equal(setenv("TFPROF_THREADS", sharings[i], 1), 0);
        tfp_profile *p = tfp_profile_new();
        assert_int_equal(tfp_profile_keep(p, TFP_KEEP_PROGRAM), TFP_OK);
        assert_int_equal(tfp_profile_add_file(p, NULL, TEST_DATA "/sample/dense/profile_3.gz", NULL), TFP_OK);
        assert_int_equal(tfp_profile_finish(p, NULL), TFP_OK);
        tfp_options *o = tfp_options_new();
        tfp_report *r = NULL;
        tfp_options_set(o, "nodes", "true", NULL);
        assert_int_equal(tfp_report_build(p, "flops", o, &r, NULL), TFP_OK);
        char *text = written(r, "csv");
        assert_non_null(strstr(text, "MatMul"));
        if (!first) {
            first = text;
        } else {
            assert_string_equal(text, first);
            free(text);
        }
        tfp_report_free(r);
        tfp_options_free(o);
        tfp_profile_free(p);
    }
    free(first);
    unsetenv("TFPROF_THREADS");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_two_nodes_with_one_number_the_last_stays_and_of_one_name_the_first),
        cmocka_unit_test(a_step_that_comes_twice_in_a_node_starts_anew),
        cmocka_unit_test(inputs_of_a_profile_may_name_nodes_that_come_later),
        cmocka_unit_test(strings_of_traces_come_after_the_nodes),
        cmocka_unit_test(steps_that_are_not_listed_count_in_averages_only),
        cmocka_unit_test(the_program_is_the_same_in_any_number_of_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
