// SPDX-License-Identifier: Apache-2.0
/* tests/unit/views/test_params.c: the table `params`: variables by block and by type. test_parameters.c checks which
 * variables count. */
#include "support.h"

#include <string.h>

#define VARIABLE(name, type, dims)                                                                                     \
    "node { name: '" name "' op: 'VarHandleOp' attr { key: 'shape' value { shape { " dims                              \
    " } } } attr { key: 'dtype' value { type: " type " } } } "
#define DIM(n) "dim { size: " #n " } "

static tfp_report *params_of(const char *graph, const char *depth)
{
    tfp_error err = { 0 };
    tfp_profile *p = tfp_profile_new();
    tfp_options *o = tfp_options_new();
    tfp_report *r = NULL;
    if (depth) assert_int_equal(tfp_options_set(o, "max_depth", depth, &err), TFP_OK);
    if (tfp_profile_keep(p, TFP_KEEP_PROGRAM) || tfp_profile_add_bytes(p, "graph", "g", graph, strlen(graph), &err) ||
        tfp_profile_finish(p, &err) || tfp_report_build(p, "params", o, &r, &err))
        fail_msg("%s", err.text);
    tfp_options_free(o);
    return r;
}

static void check_block(const tfp_report *r, size_t row, const char *wanted)
{
    char text[64];
    tfp_report_string(r, row, "block", text, sizeof text);
    assert_string_equal(text, wanted);
}

static int64_t number(const tfp_report *r, size_t row, const char *column)
{
    int64_t n = -1;
    assert_true(tfp_report_int(r, row, column, &n));
    return n;
}

static void blocks_are_scopes_and_the_biggest_comes_first(void **state)
{
    (void)state;
    tfp_report *r = params_of(VARIABLE("a/w", "DT_FLOAT", DIM(2)) VARIABLE("b/w", "DT_FLOAT", DIM(3) DIM(4))
                                  VARIABLE("b/b", "DT_FLOAT", DIM(4)) VARIABLE("alone", "DT_FLOAT", DIM(1)),
                              NULL);
    assert_int_equal(tfp_report_row_count(r), 3);
    check_block(r, 0, "b");
    assert_int_equal(number(r, 0, "variables"), 2);
    assert_int_equal(number(r, 0, "params"), 16);
    assert_int_equal(number(r, 0, "bytes"), 64);
    check_block(r, 1, "a");
    check_block(r, 2, "(no scope)");
    drop_report(r);
}

static void a_model_in_one_scope_is_told_by_what_is_below(void **state)
{
    (void)state;
    const char *graph = VARIABLE("m/a/w", "DT_FLOAT", DIM(2)) VARIABLE("m/b/w", "DT_FLOAT", DIM(3));
    tfp_report *r = params_of(graph, NULL);
    assert_int_equal(tfp_report_row_count(r), 2);
    check_block(r, 0, "m/b");
    drop_report(r);
    r = params_of(graph, "1"); /* except when a depth was asked for */
    assert_int_equal(tfp_report_row_count(r), 1);
    check_block(r, 0, "m");
    drop_report(r);
}

static void types_have_their_sizes_and_those_without_one_are_told(void **state)
{
    (void)state;
    tfp_report *r = params_of(VARIABLE("a/h", "DT_HALF", DIM(5)) VARIABLE("b/d", "DT_DOUBLE", DIM(3)), NULL);
    assert_int_equal(number(r, 0, "bytes") + number(r, 1, "bytes"), 5 * 2 + 3 * 8);
    assert_null(tfp_report_note(r, 1)); /* the only note: nothing shows which variables are trained */
    drop_report(r);
    r = params_of("node { name: 'a/w' op: 'VariableV2' attr { key: 'shape' value { shape { " DIM(5) "} } } }", NULL);
    bool told = false;
    for (size_t i = 0; tfp_report_note(r, i); i++) told |= strstr(tfp_report_note(r, i), "count no bytes") != NULL;
    assert_true(told);
    assert_int_equal(number(r, 0, "params"), 5);
    assert_int_equal(number(r, 0, "bytes"), 0);
    drop_report(r);
}

static void variables_of_optimizers_are_no_parameters(void **state)
{
    (void)state;
    tfp_report *r =
        params_of(VARIABLE("a/w", "DT_FLOAT", DIM(4)) VARIABLE("a/slot", "DT_FLOAT", DIM(4))
                      VARIABLE("b/fixed", "DT_FLOAT",
                               DIM(3)) "node { name: 'g' op: 'Mul' } node { name: 'train' op: 'ResourceApplyMomentum' "
                                       "  input: 'a/w' input: 'a/slot' input: 'g' input: 'g' input: '^b/fixed' } ",
                  NULL);
    check_block(r, 0, "a");
    assert_int_equal(number(r, 0, "params"), 4);
    assert_int_equal(number(r, 0, "trainable_params"), 4);
    assert_int_equal(number(r, 0, "slot_params"), 4);
    assert_int_equal(number(r, 0, "slot_bytes"), 16);
    assert_int_equal(number(r, 1, "fixed_params"), 3);
    double share = 0;
    assert_true(tfp_report_real(r, 0, "share", &share));
    assert_true(share > 0.571 && share < 0.572);
    drop_report(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_scopes_and_the_biggest_comes_first),
        cmocka_unit_test(a_model_in_one_scope_is_told_by_what_is_below),
        cmocka_unit_test(types_have_their_sizes_and_those_without_one_are_told),
        cmocka_unit_test(variables_of_optimizers_are_no_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
