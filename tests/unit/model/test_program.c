// SPDX-License-Identifier: Apache-2.0
/* tests/unit/model/test_program.c: what the profile's program keeps of a graph: nodes, inputs, attributes, functions,
 * variables. */
#include "model/tables/graph.h"

#include "model/program.h"
#include "model/tables/profile.h"
#include "support.h"
#include "wire/proto.h"

typedef struct loaded {
    tfp_profile *p;
    const tfp_program *g;
} loaded;

static loaded load(const char *text)
{
    tfp_error err = { 0 };
    loaded l = { .p = tfp_profile_new() };
    assert_non_null(l.p);
    if (tfp_profile_add_bytes(l.p, "graph", "graph", text, strlen(text), &err)) fail_msg("%s", tfp_error_message(&err));
    if (tfp_profile_finish(l.p, &err)) fail_msg("%s", tfp_error_message(&err));
    l.g = l.p->program;
    assert_non_null(l.g);
    return l;
}

static void add(loaded *l, const char *text)
{
    tfp_error err = { 0 };
    if (tfp_profile_add_bytes(l->p, "graph", "graph", text, strlen(text), &err))
        fail_msg("%s", tfp_error_message(&err));
    if (tfp_profile_finish(l->p, &err)) fail_msg("%s", tfp_error_message(&err));
    l->g = l->p->program;
}

static const char *text(const loaded *l, tfp_strid id) { return tfp_text(l->p, id).data; }

/* "a:Op(x,y:1,^z,n:out:2){T,N}" for each node of a body, one blank between them. */
static char *nodes_of(const loaded *l, uint32_t body)
{
    tfp_buf out = { 0 };
    const tfp_program_body *b = &l->g->bodies.at[body];
    for (uint32_t i = 0; i < b->node_count; i++) {
        const tfp_program_node *n = &l->g->nodes.at[b->node_first + i];
        tfp_buf_printf(&out, "%s%s:%s(", i ? " " : "", text(l, n->name), text(l, n->op));
        for (uint32_t k = 0; k < n->input_count; k++) {
            const tfp_program_input *e = &l->g->inputs.at[n->input_first + k];
            tfp_buf_printf(&out, "%s%s%s", k ? "," : "", e->control ? "^" : "", text(l, e->source));
            if (e->output) tfp_buf_printf(&out, ":%s", text(l, e->output));
            if (e->index || e->output) tfp_buf_printf(&out, ":%d", (int)e->index);
        }
        tfp_buf_printf(&out, "){");
        for (uint32_t k = 0; k < n->attr_count; k++)
            tfp_buf_printf(&out, "%s%s", k ? "," : "", text(l, l->g->attrs.at[n->attr_first + k].name));
        tfp_buf_printf(&out, "}");
    }
    tfp_buf_char(&out, '\0');
    assert_false(out.failed);
    return out.data;
}

static void assert_nodes(const loaded *l, uint32_t body, const char *wanted)
{
    char *got = nodes_of(l, body);
    assert_string_equal(got, wanted);
    free(got);
}

static void assert_shape(const loaded *l, uint32_t shape, const char *wanted)
{
    tfp_buf out = { 0 };
    if (shape == TFP_NONE) {
        tfp_buf_text(&out, "none");
    } else {
        const tfp_shape *s = &l->p->graph->shapes.at[shape];
        for (uint32_t i = 0; i < s->count && !s->scalar; i++)
            tfp_buf_printf(&out, "%s%lld", i ? "x" : "", (long long)l->p->graph->dims.at[s->first + i]);
        if (!s->count) tfp_buf_text(&out, "?");
    }
    tfp_buf_char(&out, '\0');
    assert_string_equal(out.data, wanted);
    tfp_buf_free(&out);
}

static void inputs_keep_their_output_and_what_is_malformed_is_said(void **state)
{
    (void)state;
    loaded l = load("node { name: 'a' op: 'Op' } "
                    "node { name: 'b' op: 'Op' input: 'a' input: 'a:3' input: '^a' input: '' input: ':' input: 'a:x' "
                    "input: 'a:1:2' input: 'a:99999999999' attr { key: 'T' value { type: DT_FLOAT } } }");
    assert_nodes(&l, 0, "a:Op(){} b:Op(a,a:3,^a,,:-1,a:-1,a:-1,a:-1){T}");
    tfp_profile_free(l.p);
}

static void of_nodes_with_one_name_the_first_counts(void **state)
{
    (void)state;
    loaded l = load("node { name: 'a' op: 'One' input: 'x' } node { name: 'a' op: 'Two' input: 'y' } "
                    "node { name: 'b' op: 'Op' input: 'z' }");
    assert_nodes(&l, 0, "a:One(x){} b:Op(z){}");
    tfp_profile_free(l.p);
}

#define FUNCTION                                                                                                       \
    "function { signature { name: 'f' "                                                                                \
    "  input_arg { name: 'x' type: DT_FLOAT } "                                                                        \
    "  input_arg { name: 'w' type: DT_RESOURCE handle_data { dtype: DT_FLOAT shape { dim { size: 3 } dim { size: 4 } " \
    "} } } "                                                                                                           \
    "  input_arg { name: 'k' type_attr: 'T' } "                                                                        \
    "  output_arg { name: 'first' type: DT_FLOAT } output_arg { name: 'second' type: DT_INT32 } } "                    \
    "node_def { name: 'r' op: 'ReadVariableOp' input: 'w' } "                                                          \
    "node_def { name: 'm' op: 'MatMul' input: 'x' input: 'r:value:0' input: '^r' attr { key: 'T' value { type: 1 } } " \
    "} "                                                                                                               \
    "node_def { name: 's' op: 'Split' input: 'm:product' input: 'm:output:7' } "                                       \
    "ret { key: 'second' value: 's:output:1' } ret { key: 'first' value: 'm:product:0' } "                             \
    "ret { key: 'nobody' value: 'm:product:0' } "                                                                      \
    "attr { key: '_noinline' value { b: true } } "                                                                     \
    "arg_attr { key: 0 value { attr { key: '_output_shapes' value { list { shape { dim { size: -1 } dim { size: 3 } "  \
    "} } } } } } "                                                                                                     \
    "arg_attr { key: 9 value { attr { key: '_output_shapes' value { list { shape { } } } } } } } "

static void functions_have_arguments_results_and_a_body(void **state)
{
    (void)state;
    loaded l = load("library { " FUNCTION " } node { name: 'call' op: 'PartitionedCall' }");
    assert_int_equal(l.g->bodies.size, 2);
    assert_nodes(&l, 0, "call:PartitionedCall(){}");
    assert_nodes(&l, 1, "r:ReadVariableOp(w){} m:MatMul(x,r:value:0,^r){T} s:Split(m:product:0,m:output:7){}");
    const tfp_program_body *f = &l.g->bodies.at[1];
    assert_string_equal(text(&l, f->name), "f");
    assert_int_equal(tfp_map64_get(&l.g->body_by_name, f->name), 1);
    assert_int_equal(f->arg_count, 3);
    const tfp_program_arg *a = &l.g->args.at[f->arg_first];
    assert_string_equal(text(&l, a[0].name), "x");
    assert_shape(&l, a[0].shape, "-1x3");
    assert_int_equal(a[1].dtype, 20);
    assert_int_equal(a[1].handle_dtype, 1);
    assert_shape(&l, a[1].handle_shape, "3x4");
    assert_shape(&l, a[1].shape, "none");
    assert_int_equal(a[2].dtype, 0);
    assert_int_equal(f->result_count, 2);
    const tfp_program_result *results = &l.g->results.at[f->result_first];
    assert_string_equal(text(&l, results[0].from.source), "m");
    assert_string_equal(text(&l, results[1].from.source), "s");
    assert_string_equal(text(&l, results[1].from.output), "output");
    assert_int_equal(results[1].from.index, 1);
    assert_int_equal(f->attr_count, 1);
    tfp_profile_free(l.p);
}

static void graphs_of_one_state_add_up_and_the_next_state_takes_their_place(void **state)
{
    (void)state;
    static const char one[] = "node { name: 'a' op: 'Op' } library { " FUNCTION " }";
    static const char two[] =
        "node { name: 'a' op: 'Other' } node { name: 'b' op: 'Op' input: 'a' } library { " FUNCTION
        " function { signature { name: 'g' } node_def { name: 'n' op: 'NoOp' } } }";
    tfp_error err = { 0 };
    tfp_profile *p = tfp_profile_new();
    assert_non_null(p);
    assert_int_equal(tfp_profile_add_bytes(p, "graph", "one", one, strlen(one), &err), TFP_OK);
    assert_int_equal(tfp_profile_add_bytes(p, "graph", "two", two, strlen(two), &err), TFP_OK);
    assert_int_equal(tfp_profile_finish(p, &err), TFP_OK);
    loaded l = { p, p->program };
    assert_nodes(&l, 0, "a:Op(){} b:Op(a){}");
    assert_int_equal(l.g->bodies.size, 3);
    assert_nodes(&l, 1, "r:ReadVariableOp(w){} m:MatMul(x,r:value:0,^r){T} s:Split(m:product:0,m:output:7){}");
    assert_nodes(&l, 2, "n:NoOp(){}");
    add(&l, "node { name: 'c' op: 'Later' } node { name: 'a' op: 'Other' }");
    assert_nodes(&l, 0, "c:Later(){} a:Other(){}");
    assert_int_equal(l.g->bodies.size, 1);
    tfp_profile_free(p);
}

/* A Const whose tensor has this many bytes of tensor_content. */
static void big_tensors_lose_their_values_and_nothing_else(void **state)
{
    (void)state;
    tfp_buf b = { 0 };
    size_t node = tfp_put_open(&b, 1);
    tfp_put_bytes(&b, 1, TFP_STR("big"));
    tfp_put_bytes(&b, 2, TFP_STR("Const"));
    size_t attr = tfp_put_open(&b, 5);
    tfp_put_bytes(&b, 1, TFP_STR("value"));
    size_t value = tfp_put_open(&b, 2), tensor = tfp_put_open(&b, 8);
    tfp_put_int(&b, 1, 3);
    size_t shape = tfp_put_open(&b, 2), dim = tfp_put_open(&b, 2);
    tfp_put_int(&b, 1, 50000);
    tfp_put_close(&b, dim);
    tfp_put_close(&b, shape);
    size_t content = tfp_put_open(&b, 4);
    tfp_buf_fill(&b, 7, 200000);
    tfp_put_close(&b, content);
    tfp_put_close(&b, tensor);
    tfp_put_close(&b, value);
    tfp_put_close(&b, attr);
    tfp_put_close(&b, node);
    tfp_profile *p = tfp_profile_new();
    tfp_error err = { 0 };
    assert_non_null(p);
    if (tfp_profile_add_bytes(p, "graph", "graph", b.data, b.size, &err)) fail_msg("%s", tfp_error_message(&err));
    tfp_buf_free(&b);
    assert_int_equal(p->program->attrs.size, 1);
    const tfp_program_attr *a = &p->program->attrs.at[0];
    assert_int_equal(a->kind, TFP_ATTR_TENSOR);
    assert_int_equal(a->tensor->dtype, 3);
    assert_int_equal(a->tensor->shape.rank, 1);
    assert_int_equal(a->tensor->shape.at[0], 50000);
    assert_int_equal(a->tensor->proto.size, 0);
    tfp_profile_free(p);
}

#define META                                                                                                           \
    "graph_def { node { name: 'call' op: 'StatefulPartitionedCall' } node { name: 'other' op: 'Op' } } "               \
    "signature_def { key: 'serving_default' value { "                                                                  \
    "  outputs { key: 'z' value { name: 'other:0' } } outputs { key: 'b' value { name: 'call:1' } } } } "

static void signatures_name_the_node_of_their_first_output(void **state)
{
    (void)state;
    loaded l = load(META);
    assert_int_equal(l.g->signatures.size, 1);
    assert_string_equal(text(&l, l.g->signatures.at[0].key), "serving_default");
    assert_string_equal(text(&l, l.g->signatures.at[0].node), "call");
    tfp_profile_free(l.p);
}

static void object_graphs_tell_of_variables(void **state)
{
    (void)state;
    loaded l = load(META "object_graph_def { nodes { user_object { identifier: 'x' } } "
                         "nodes { variable { dtype: DT_FLOAT shape { dim { size: 2 } dim { size: 5 } } trainable: true "
                         "  name: 'kernel' } } "
                         "nodes { variable { dtype: DT_INT64 shape { } name: 'steps:0' } } }");
    assert_int_equal(l.g->variables.size, 2);
    const tfp_program_variable *v = l.g->variables.at;
    assert_string_equal(text(&l, v[0].name), "kernel");
    assert_shape(&l, v[0].shape, "2x5");
    assert_int_equal(v[0].dtype, 1);
    assert_int_equal(v[0].trainable, TFP_TRAINABLE_YES);
    assert_string_equal(text(&l, v[1].name), "steps");
    assert_shape(&l, v[1].shape, "");
    assert_int_equal(v[1].trainable, TFP_TRAINABLE_NO);
    tfp_profile_free(l.p);
}

static void collections_tell_of_variables(void **state)
{
    (void)state;
    /* VariableDef: variable_name "w:0" and "step:0" */
    loaded l = load(META "collection_def { key: 'variables' value { bytes_list { value: '\\n\\003w:0' "
                         "  value: '\\n\\006step:0' } } } "
                         "collection_def { key: 'trainable_variables' value { bytes_list { value: '\\n\\003w:0' } } } "
                         "collection_def { key: 'cond_context' value { bytes_list { value: '\\377\\377' } } }");
    assert_int_equal(l.g->variables.size, 2);
    const tfp_program_variable *v = l.g->variables.at;
    assert_string_equal(text(&l, v[0].name), "w");
    assert_int_equal(v[0].trainable, TFP_TRAINABLE_YES);
    assert_string_equal(text(&l, v[1].name), "step");
    assert_int_equal(v[1].trainable, TFP_TRAINABLE_NO);
    tfp_profile_free(l.p);
}

static void a_program_is_kept_only_when_asked(void **state)
{
    (void)state;
    static const char graph[] = "node { name: 'a' op: 'Op' }";
    tfp_profile *p = tfp_profile_new();
    assert_non_null(p);
    assert_int_equal(tfp_profile_keep(p, TFP_KEEP_ALL | TFP_KEEP_FUNCTIONS | TFP_KEEP_PROGRAM), TFP_OK);
    assert_int_equal(tfp_profile_keep(p, 512), TFP_BADARG);
    assert_int_equal(tfp_profile_keep(p, TFP_KEEP_ALL), TFP_OK);
    assert_int_equal(tfp_profile_add_bytes(p, "graph", "graph", graph, strlen(graph), NULL), TFP_OK);
    assert_null(p->program);
    tfp_profile_free(p);
}

static void a_fault_in_a_function_tells_its_place_and_leaves_the_last_state(void **state)
{
    (void)state;
    static const char bad[] = "\x12\x11\x0a\x0f\x0a\x03\x0a\x01"
                              "f"
                              "\x1a\x08\x0a\x01"
                              "n"
                              "\x12\x02"
                              "Op"
                              "\x2f";
    loaded l = load("node { name: 'a' op: 'Op' }");
    tfp_error err = { 0 };
    assert_fails(tfp_profile_add_bytes(l.p, "graph", "bad", bad, sizeof bad - 1, &err), &err, TFP_BADFILE,
                 "library: function 0: node_def 0: ");
    l.g = l.p->program;
    assert_nodes(&l, 0, "a:Op(){}");
    tfp_profile_free(l.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_keep_their_output_and_what_is_malformed_is_said),
        cmocka_unit_test(of_nodes_with_one_name_the_first_counts),
        cmocka_unit_test(functions_have_arguments_results_and_a_body),
        cmocka_unit_test(graphs_of_one_state_add_up_and_the_next_state_takes_their_place),
        cmocka_unit_test(big_tensors_lose_their_values_and_nothing_else),
        cmocka_unit_test(signatures_name_the_node_of_their_first_output),
        cmocka_unit_test(object_graphs_tell_of_variables),
        cmocka_unit_test(collections_tell_of_variables),
        cmocka_unit_test(a_program_is_kept_only_when_asked),
        cmocka_unit_test(a_fault_in_a_function_tells_its_place_and_leaves_the_last_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
