// SPDX-License-Identifier: Apache-2.0
/* tests/unit/options/test_options_lists.c: options from bindings: lists of items that are not split again, and every
 * value. */
#include "options_asked.h"

#include <pthread.h>

/* ---- lists ---- */

static void set_list_takes_each_pattern_whole(void **state)
{
    (void)state;
    asked a;
    start(&a);
    const char *const items[] = { "a{1,2}", "x,y", "" };
    assert_int_equal(tfp_options_set_list(a.o, "show-name-regexes", items, 3, &a.err), TFP_OK);
    is(&a, "show_name_regexes", "a{1,2},x,y,");
    shows(&a, "a Relu\naa Relu\naaa Relu\nx Relu\nx,y Relu\n", "_TFProfRoot a aa x,y");
    tfp_options *copy = tfp_options_copy(a.o);
    tfp_options_free(a.o);
    a.o = copy;
    shows(&a, "a Relu\naaa Relu\nx,y Relu\n", "_TFProfRoot a x,y");
    drop(&a);
}

static void a_list_of_none_is_empty(void **state)
{
    (void)state;
    asked a;
    start(&a);
    static const char *const lists[] = { "show_name_regexes", "select" };
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(tfp_options_set_list(a.o, lists[i], NULL, 0, &a.err), TFP_OK);
        is(&a, lists[i], "");
    }
    assert_int_equal(tfp_options_set_list(a.o, "checkers", NULL, 0, &a.err), TFP_OK);
    assert_int_equal(findings(&a, NULL), 0);
    drop(&a);
}

static void other_options_take_the_items_joined(void **state)
{
    (void)state;
    asked a;
    start(&a);
    const char *const columns[] = { "micros", "params,bytes" }, *const depth[] = { "7" }, *const two[] = { "1", "2" };
    assert_int_equal(tfp_options_set_list(a.o, "select", columns, 2, &a.err), TFP_OK);
    is(&a, "select", "bytes,micros,params");
    assert_int_equal(tfp_options_set_list(a.o, "max_depth", depth, 1, &a.err), TFP_OK);
    assert_fails(tfp_options_set_list(a.o, "max_depth", two, 2, &a.err), &a.err, TFP_BADARG, "'1,2'");
    assert_fails(tfp_options_set_list(a.o, "max_depth", NULL, 0, &a.err), &a.err, TFP_BADARG, "-max_depth");
    is(&a, "max_depth", "7");
    drop(&a);
}

static void a_list_that_is_refused_leaves_the_old_one_but_for_patterns(void **state)
{
    (void)state;
    asked a;
    start(&a);
    const char *const columns[] = { "params", "nope" }, *const patterns[] = { "b", "a(" };
    assert_fails(tfp_options_set_list(a.o, "select", columns, 2, &a.err), &a.err, TFP_BADARG, "no column 'nope'");
    is(&a, "select", "micros");
    assert_fails(tfp_options_set_list(a.o, "show_name_regexes", patterns, 2, &a.err), &a.err, TFP_BADARG, "a(");
    shows(&a, "a Relu\nb Relu\n", "_TFProfRoot b");
    drop(&a);
}

/* ---- every value ---- */

static void every_value_adds_numbers_and_no_columns(void **state)
{
    (void)state;
    const char *nodes = "a/x Conv2D 3us 2x3 5B\na/y MatMul 4us\n";
    static const char *const outputs[] = { "text", "csv", "md" };
    for (size_t i = 0; i < 3; i++) {
        tfp_report *few = report_of("scope", nodes, "select params"), *all = NULL;
        tfp_options *o = tfp_options_copy(few->options);
        tfp_options_every_value(o, 1);
        assert_int_equal(tfp_report_build(few->profile, "scope", o, &all, NULL), TFP_OK);
        assert_int_equal(total(few, "a", "micros"), 0);
        assert_int_equal(total(all, "a", "micros"), 7);
        assert_int_equal(total(all, "a", "bytes"), 5);
        char *one = written(few, outputs[i]), *other = written(all, outputs[i]);
        assert_string_equal(one, other);
        free(one);
        free(other);
        tfp_report_free(all);
        tfp_options_every_value(o, 0);
        assert_int_equal(tfp_report_build(few->profile, "scope", o, &all, NULL), TFP_OK);
        assert_int_equal(total(all, "a", "micros"), 0);
        tfp_report_free(all);
        tfp_options_free(o);
        drop_report(few);
    }
    tfp_options_every_value(NULL, 1);
}

/* ---- reading ---- */

static void *read_often(void *options)
{
    for (int i = 0; i < 500; i++) {
        const char *depth = tfp_options_get(options, "max_depth"), *select = tfp_options_get(options, "select");
        if (!depth || !select || strcmp(depth, "7") != 0 || strcmp(select, "bytes") != 0) return "another value";
    }
    return NULL;
}

static void threads_may_read_the_same_options(void **state)
{
    (void)state;
    tfp_options *o = tfp_options_new();
    pthread_t threads[4];
    void *wrong;
    assert_int_equal(tfp_options_set(o, "max_depth", "7", NULL), TFP_OK);
    assert_int_equal(tfp_options_set(o, "select", "bytes", NULL), TFP_OK);
    for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&threads[i], NULL, read_often, o), 0);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        assert_null(wrong);
    }
    tfp_options_free(o);
}

static void a_value_may_be_set_from_one_that_was_read(void **state)
{
    (void)state;
    tfp_options *o = tfp_options_new();
    assert_int_equal(tfp_options_set(o, "max_depth", "7", NULL), TFP_OK);
    assert_int_equal(tfp_options_set(o, "top", tfp_options_get(o, "max_depth"), NULL), TFP_OK);
    assert_string_equal(tfp_options_get(o, "top"), "7");
    tfp_options_free(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(set_list_takes_each_pattern_whole),
        cmocka_unit_test(a_list_of_none_is_empty),
        cmocka_unit_test(other_options_take_the_items_joined),
        cmocka_unit_test(a_list_that_is_refused_leaves_the_old_one_but_for_patterns),
        cmocka_unit_test(every_value_adds_numbers_and_no_columns),
        cmocka_unit_test(threads_may_read_the_same_options),
        cmocka_unit_test(a_value_may_be_set_from_one_that_was_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
