// SPDX-License-Identifier: Apache-2.0
/* tests/unit/flops/test_branches.c: conditions of TensorFlow 1, and arguments that name the variable behind them. */
#include "support.h"

#include <string.h>

/* The multiply-adds of a graph in text form. */
static int64_t macs_of(const char *text, const char *source)
{
    tfp_profile *p = tfp_profile_new();
    tfp_options *o = tfp_options_new();
    tfp_report *r = NULL;
    tfp_error *err = tfp_error_new();
    assert_int_equal(tfp_profile_keep(p, TFP_KEEP_PROGRAM), TFP_OK);
    if (tfp_profile_add_bytes(p, "graph", "g", text, strlen(text), err) || tfp_profile_finish(p, err))
        fail_msg("%s", tfp_error_message(err));
    assert_int_equal(tfp_options_set(o, "float_ops_source", source, NULL), TFP_OK);
    assert_int_equal(tfp_report_build(p, "flops", o, &r, NULL), TFP_OK);
    char *json = written(r, "json");
    const char *key = strcmp(source, "own") == 0 ? "\"total_macs\":" : "\"total_float_ops\":", *at = strstr(json, key);
    assert_non_null(at);
    int64_t n = strtoll(at + strlen(key), NULL, 10);
    free(json);
    tfp_report_free(r);
    tfp_options_free(o);
    tfp_profile_free(p);
    tfp_error_free(err);
    return n;
}

#define F32 "attr { key: 'T' value { type: DT_FLOAT } } "
#define SHAPE(a, b)                                                                                                    \
    "attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: 'shape' value { shape { dim { size: " #a               \
    " } dim { size: " #b " } } } } "
#define MATMUL(name, x) "node { name: '" name "' op: 'MatMul' input: '" x "' input: '" x "' " F32 "}\n"
#define SWITCH(name, x, pred) "node { name: '" name "' op: 'Switch' input: '" x "' input: '" pred "' " F32 "}\n"
#define MERGE(name, a, b) "node { name: '" name "' op: 'Merge' input: '" a "' input: '" b "' " F32 "}\n"
#define BOOL(name)                                                                                                     \
    "node { name: '" name "' op: 'Placeholder' attr { key: 'dtype' value { type: DT_BOOL } } attr { key: 'shape' "     \
    "value { shape { } } } }\n"
#define START "node { name: 'x' op: 'Placeholder' " SHAPE(8, 8) "}\n" BOOL("p") BOOL("q")
#define ONE 512 /* of a product of 8 x 8 by 8 x 8 */

/* One product on one way, two on the other; what comes behind the Merge runs in any case. */
#define COND                                                                                                           \
    START SWITCH("s", "x", "p") MATMUL("a", "s:0") MATMUL("b", "s:1") MATMUL("c", "b") MERGE("m", "a", "c")            \
        MATMUL("d", "m")

static void the_more_expensive_way_counts(void **state)
{
    (void)state;
    assert_int_equal(macs_of(COND, "own"), 3 * ONE);
    assert_int_equal(macs_of(COND, "tensorflow"), 2 * 4 * ONE); /* its registry counts each node */
}

/* On way 0 of p a condition of two products against one, on way 1 one product: 2 against 1. The second condition with the same
 * predicate takes the same way. */
static void conditions_nest_and_agree(void **state)
{
    (void)state;
    static const char nested[] = START SWITCH("s", "x", "p") SWITCH("s0", "s:0", "q") MATMUL("a", "s0:0")
        MATMUL("b", "s0:1") MATMUL("c", "b") MERGE("m0", "a", "c") MATMUL("d", "s:1") MERGE("m", "m0", "d");
    assert_int_equal(macs_of(nested, "own"), 2 * ONE);
    static const char twice[] = START SWITCH("s", "x", "p") MATMUL("a", "s:0") MATMUL("b", "s:1") MATMUL("c", "b")
        MERGE("m", "a", "c") SWITCH("t", "m", "p") MATMUL("d", "t:0") MERGE("n", "d", "t:1");
    assert_int_equal(macs_of(twice, "own"), 2 * ONE);
    /* a Switch whose other way does nothing; operations of constants wait for the pivot of their way */
    static const char alone[] = START SWITCH("s", "x", "p") MATMUL("a", "s:1")
        MERGE("m", "s:0", "a") "node { name: 't' op: 'Identity' input: 's:0' " F32 "}\n"
                               "node { name: 'z' op: 'Placeholder' input: '^t' " SHAPE(4, 4) "}\n" MATMUL("e", "z");
    assert_int_equal(macs_of(alone, "own"), ONE);
}

static void arguments_know_their_variables(void **state)
{
    (void)state;
    static const char text[] =
        "node { name: 'w' op: '_Arg' attr { key: 'T' value { type: DT_RESOURCE } } attr { key: 'index' value { i: 0 } "
        "} "
        "attr { key: '_handle_dtypes' value { list { type: DT_FLOAT } } } "
        "attr { key: '_handle_shapes' value { list { shape { dim { size: 8 } dim { size: 8 } } } } } }\n"
        "node { name: 'r' op: 'ReadVariableOp' input: 'w' attr { key: 'dtype' value { type: DT_FLOAT } } }\n" MATMUL(
            "a", "r");
    assert_int_equal(macs_of(text, "own"), ONE);
    assert_int_equal(macs_of(text, "tensorflow"), 2 * ONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_more_expensive_way_counts),
        cmocka_unit_test(conditions_nest_and_agree),
        cmocka_unit_test(arguments_know_their_variables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
