// SPDX-License-Identifier: Apache-2.0
/* tests/unit/flops/test_parameters.c: which variables are parameters of the model; each counts once, trained or not. */
#include "model/tables/graph.h"

#include "flops/core/parameters.h"
#include "support.h"

typedef struct found {
    tfp_profile *p;
    tfp_arena arena;
    tfp_parameter_counts c;
} found;

static found find(const char *format, const char *text)
{
    found f = { .p = tfp_profile_new() };
    tfp_error err = { 0 };
    assert_non_null(f.p);
    if (tfp_profile_add_bytes(f.p, format, "input", text, strlen(text), &err)) fail_msg("%s", tfp_error_message(&err));
    if (tfp_profile_finish(f.p, &err)) fail_msg("%s", tfp_error_message(&err));
    if (tfp_parameters(f.p, &f.arena, &f.c, &err)) fail_msg("%s", tfp_error_message(&err));
    return f;
}

static void drop(found *f)
{
    tfp_arena_free(&f->arena);
    tfp_profile_free(f->p);
}

static tfp_parameter_kind kind_of(const found *f, const char *name)
{
    uint32_t node = tfp_find_node(f->p, tfp_str_of(name));
    if (node == TFP_NONE) fail_msg("no node %s", name);
    return (tfp_parameter_kind)f->c.kinds[node];
}

static bool has_type(const found *f, const char *name, const char *type)
{
    for (const char *const *t = tfp_parameter_types(kind_of(f, name)); *t; t++)
        if (strcmp(*t, type) == 0) return true;
    return false;
}

#define DIM(n) "dim { size: " #n " } "
#define VARIABLE(op, name, dims, more)                                                                                 \
    "node { name: '" name "' op: '" op "' attr { key: 'shape' value { shape { " dims "} } } "                          \
    "attr { key: 'dtype' value { type: DT_FLOAT } } " more "} "
#define HANDLE(name, dims) VARIABLE("VarHandleOp", name, dims, "")
#define COUNTER(name)                                                                                                  \
    "node { name: '" name "' op: 'VarHandleOp' attr { key: 'shape' value { shape { } } } "                             \
    "attr { key: 'dtype' value { type: DT_INT64 } } } "
#define SHARED(name, shared, dims)                                                                                     \
    VARIABLE("VarHandleOp", name, dims, "attr { key: 'shared_name' value { s: '" shared "' } } ")

static void variables_count_and_placeholders_do_not(void **state)
{
    (void)state;
    found f = find("graph", VARIABLE("Placeholder", "x", DIM(7), "") HANDLE("w", DIM(2) DIM(3)) HANDLE("s", "")
                                VARIABLE("VariableV2", "v", DIM(5), "") HANDLE("unknown", DIM(-1)));
    assert_int_equal(f.c.total, 12);
    assert_int_equal(f.c.elements[TFP_PARAMETER], 12);
    assert_int_equal(f.c.unknown, 1);
    assert_int_equal(kind_of(&f, "x"), TFP_NO_PARAMETER);
    assert_true(has_type(&f, "w", "_model_variables"));
    assert_false(has_type(&f, "x", "_model_variables"));
    drop(&f);
}

static void handles_of_one_shared_name_count_once(void **state)
{
    (void)state;
    found f = find("graph", SHARED("a", "one", DIM(4)) SHARED("b", "one", DIM(4)) SHARED("c", "other", DIM(4)));
    assert_int_equal(f.c.total, 8);
    assert_int_equal(kind_of(&f, "b"), TFP_UNUSED);
    drop(&f);
}

static void what_optimizers_apply_is_trained_and_the_rest_of_it_is_theirs(void **state)
{
    (void)state;
    found f = find(
        "graph",
        HANDLE("w", DIM(4)) HANDLE("slot", DIM(4)) HANDLE("rate", "") HANDLE(
            "fixed", DIM(3)) "node { name: 'read' op: 'ReadVariableOp' input: 'rate' } node { name: 'g' op: 'Mul' } "
                             "node { name: 'train' op: 'ResourceApplyMomentum' input: 'w' input: 'slot' input: 'read' "
                             "  input: 'g' input: '^fixed' } ");
    assert_int_equal(kind_of(&f, "w"), TFP_TRAINED);
    assert_int_equal(kind_of(&f, "slot"), TFP_SLOT);
    assert_int_equal(kind_of(&f, "rate"), TFP_SLOT);
    assert_int_equal(kind_of(&f, "fixed"), TFP_FIXED);
    assert_int_equal(f.c.total, 7);
    assert_true(has_type(&f, "w", "_trainable_variables"));
    assert_true(has_type(&f, "slot", "_optimizer_variables"));
    assert_true(has_type(&f, "fixed", "_non_trainable_variables"));
    drop(&f);
}

#define NODE(name, op, in) "node { name: '" name "' op: '" op "' input: '" in "' } "

static void updates_that_are_written_out_are_known_by_their_scope(void **state)
{
    (void)state;
    found f =
        find("graph", HANDLE("w", DIM(4)) HANDLE("mean", DIM(3)) HANDLE("v", DIM(4)) HANDLE("loss", "")
                          NODE("net/read", "ReadVariableOp", "w") NODE("net/norm/assign", "AssignVariableOp", "mean")
                              NODE("a/adam_w_1/AssignSubVariableOp", "AssignSubVariableOp", "w")
                                  NODE("a/adam_w_1/Mul/read", "ReadVariableOp", "v")
                                      NODE("a/adam_w_1/AssignAddVariableOp", "AssignAddVariableOp", "v")
                                          NODE("metric/AssignAdd", "AssignAddVariableOp", "loss"));
    assert_int_equal(kind_of(&f, "w"), TFP_TRAINED);
    assert_int_equal(kind_of(&f, "v"), TFP_SLOT);
    assert_int_equal(kind_of(&f, "mean"), TFP_FIXED);
    assert_int_equal(f.c.elements[TFP_TRAINED], 4);
    assert_int_equal(f.c.elements[TFP_FIXED], 4);
    drop(&f);
}

static void names_tell_slots_optimizers_and_bookkeeping(void **state)
{
    (void)state;
    found f = find("graph", HANDLE("w", DIM(4)) HANDLE("w/Adam", DIM(4)) HANDLE("w/Adam_1", DIM(4))
                                HANDLE("w/bias", DIM(4)) HANDLE("v/Adam", DIM(4)) COUNTER("adam/iteration")
                                    HANDLE("adam/dense_velocity", DIM(9)) COUNTER("net/iteration")
                                        HANDLE("net/w", DIM(2)) HANDLE("beta1_power_1", "") HANDLE("global_step", ""));
    assert_int_equal(kind_of(&f, "w"), TFP_TRAINED);
    assert_int_equal(kind_of(&f, "w/Adam"), TFP_SLOT);
    assert_int_equal(kind_of(&f, "w/Adam_1"), TFP_SLOT);
    assert_int_equal(kind_of(&f, "w/bias"), TFP_PARAMETER);
    assert_int_equal(kind_of(&f, "v/Adam"), TFP_PARAMETER); /* there is no variable v */
    assert_int_equal(kind_of(&f, "adam/dense_velocity"), TFP_SLOT);
    assert_int_equal(kind_of(&f, "net/iteration"), TFP_BOOKKEEPING);
    assert_int_equal(kind_of(&f, "net/w"), TFP_PARAMETER); /* `net` is not the name of an optimizer */
    assert_int_equal(kind_of(&f, "beta1_power_1"), TFP_BOOKKEEPING);
    assert_int_equal(kind_of(&f, "global_step"), TFP_BOOKKEEPING);
    drop(&f);
}

#define OBJECT(name, dims, trainable)                                                                                  \
    "nodes { variable { dtype: DT_FLOAT shape { " dims "} trainable: " trainable " name: '" name "' } } "
#define EXPORT                                                                                                         \
    "graph_def { " HANDLE("w", DIM(4)) HANDLE("w_1", DIM(3)) HANDLE("Variable", DIM(4)) HANDLE(                        \
        "w_2", DIM(4)) "  node { name: 'call' op: 'StatefulPartitionedCall' input: 'w_2' input: 'w_1' input: '^w' } "  \
                       "  node { name: 'save' op: 'StatefulPartitionedCall' input: 'Variable' } } "                    \
                       "signature_def { key: '__saved_model_init_op' value { outputs { key: 'i' value { name: 'save' " \
                       "} } } } "                                                                                      \
                       "object_graph_def { nodes { user_object { } } " OBJECT("w", DIM(4), "true")                     \
                           OBJECT("w", DIM(3), "false") "} "

static void only_what_a_signature_takes_is_the_model(void **state)
{
    (void)state;
    found f =
        find("graph", EXPORT "signature_def { key: 'serve' value { outputs { key: 'o' value { name: 'call:0' } } } } ");
    assert_int_equal(f.c.total, 7);
    assert_int_equal(kind_of(&f, "w"), TFP_UNUSED);
    assert_int_equal(kind_of(&f, "Variable"), TFP_UNUSED);
    assert_int_equal(kind_of(&f, "w_2"), TFP_TRAINED);
    assert_int_equal(kind_of(&f, "w_1"), TFP_FIXED);
    drop(&f);
}

static void without_a_signature_the_object_graph_tells(void **state)
{
    (void)state;
    found f = find("graph", EXPORT);
    assert_int_equal(kind_of(&f, "w"), TFP_TRAINED);
    assert_int_equal(kind_of(&f, "w_1"), TFP_FIXED);
    assert_int_equal(kind_of(&f, "Variable"), TFP_UNUSED);
    drop(&f);
}

static void lists_under_the_root_know_what_is_frozen(void **state)
{
    (void)state;
    found f = find(
        "graph",
        "graph_def { " HANDLE("a", DIM(4)) HANDLE("b", DIM(3))
            HANDLE("c", DIM(2)) "} "
                                "object_graph_def { nodes { children { node_id: 1 local_name: 'trainable_variables' } "
                                "    children { node_id: 2 local_name: 'non_trainable_variables' } } "
                                "  nodes { children { node_id: 3 local_name: '0' } } "
                                "  nodes { children { node_id: 4 local_name: '0' } children { node_id: 99 local_name: "
                                "'1' } } " OBJECT("a", DIM(4), "true") OBJECT("b", DIM(3), "true")
                                    OBJECT("c", DIM(2), "true") "} ");
    assert_int_equal(kind_of(&f, "a"), TFP_TRAINED);
    assert_int_equal(kind_of(&f, "b"), TFP_FIXED);
    assert_int_equal(kind_of(&f, "c"), TFP_PARAMETER);
    assert_int_equal(f.c.total, 9);
    drop(&f);
}

static void captured_variables_have_the_shape_of_what_reads_them(void **state)
{
    (void)state;
    found f = find(
        "graph",
        "node { name: 'a' op: 'Placeholder' attr { key: 'dtype' value { type: DT_RESOURCE } } } "
        "node { name: 'r' op: 'ReadVariableOp' input: 'a' attr { key: 'dtype' value { type: DT_FLOAT } } "
        "  attr { key: '_output_shapes' value { list { shape { " DIM(
            6) "} } } } } "
               "node { name: 'b' op: 'Placeholder' attr { key: 'dtype' value { type: DT_RESOURCE } } } "
               "node { name: 'c' op: 'PartitionedCall' input: 'r' input: 'b' "
               "  attr { key: 'f' value { func { name: 'fn' } } } } "
               "library { function { signature { name: 'fn' input_arg { name: 'x' type: DT_FLOAT } "
               "  input_arg { name: 'v' type: DT_RESOURCE handle_data { dtype: DT_FLOAT shape { " DIM(7) "} } "
                                                                                                         "} } } }");
    assert_int_equal(f.c.total, 13);
    assert_int_equal(f.c.unknown, 0);
    drop(&f);
}

static void absurd_shapes_are_unknown_and_sums_do_not_wrap(void **state)
{
    (void)state;
    found f = find("graph", HANDLE("a", DIM(4611686018427387904) DIM(4)) HANDLE("b", DIM(9223372036854775807)));
    assert_int_equal(f.c.total, INT64_MAX);
    assert_int_equal(f.c.unknown, 1);
    assert_false(f.c.clamped);
    drop(&f);
    f = find("graph", HANDLE("a", DIM(1)) HANDLE("b", DIM(9223372036854775807)));
    assert_int_equal(f.c.total, INT64_MAX);
    assert_true(f.c.clamped);
    drop(&f);
}

static void a_checkpoint_alone_shows_its_variables(void **state)
{
    (void)state;
    tfp_error err = { 0 };
    found f = { .p = tfp_profile_new() };
    assert_non_null(f.p);
    const char *path = TEST_DATA "/sample/dense/ckpt_v2/model.ckpt-3";
    if (tfp_profile_add_file(f.p, "checkpoint", path, &err)) fail_msg("%s", tfp_error_message(&err));
    if (tfp_profile_finish(f.p, &err)) fail_msg("%s", tfp_error_message(&err));
    if (tfp_parameters(f.p, &f.arena, &f.c, &err)) fail_msg("%s", tfp_error_message(&err));
    assert_true(f.c.elements[TFP_TRAINED] > 0);
    assert_int_equal(f.c.elements[TFP_SLOT], f.c.elements[TFP_TRAINED]); /* momentum has a slot for each parameter */
    assert_int_equal(f.c.total, f.c.elements[TFP_TRAINED]);
    drop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variables_count_and_placeholders_do_not),
        cmocka_unit_test(handles_of_one_shared_name_count_once),
        cmocka_unit_test(what_optimizers_apply_is_trained_and_the_rest_of_it_is_theirs),
        cmocka_unit_test(updates_that_are_written_out_are_known_by_their_scope),
        cmocka_unit_test(names_tell_slots_optimizers_and_bookkeeping),
        cmocka_unit_test(only_what_a_signature_takes_is_the_model),
        cmocka_unit_test(without_a_signature_the_object_graph_tells),
        cmocka_unit_test(lists_under_the_root_know_what_is_frozen),
        cmocka_unit_test(captured_variables_have_the_shape_of_what_reads_them),
        cmocka_unit_test(absurd_shapes_are_unknown_and_sums_do_not_wrap),
        cmocka_unit_test(a_checkpoint_alone_shows_its_variables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
