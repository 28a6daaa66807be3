// SPDX-License-Identifier: Apache-2.0
/* tests/unit/model/test_graphs.c: joins replays of CUDA graphs with their captures: which names match, places, stack
 * lines, the limit of comparisons; and small traces with captures and replays, with the place of each activity. */
#include "model/tables/code.h"
#include "model/tables/profile.h"

#include "model/graphs/parts.h"
#include "support.h"

#include <string.h>

/* ---- names ---- */

static void names_tell_the_kind_of_a_node(void **state)
{
    (void)state;
    assert_int_equal(tfp_kind_of_name(TFP_STR("hipMemcpyAsync")), TFP_LAUNCHES_COPY);
    assert_int_equal(tfp_kind_of_name(TFP_STR("__amd_rocclr_copyBuffer")), TFP_LAUNCHES_COPY);
    assert_int_equal(tfp_kind_of_name(TFP_STR("MEMSET")), TFP_LAUNCHES_SET);
    assert_int_equal(tfp_kind_of_name(TFP_STR("__amd_rocclr_fillBufferAligned.kd")), TFP_LAUNCHES_SET);
    assert_int_equal(tfp_kind_of_name(TFP_STR("gemm")), TFP_LAUNCHES_KERNEL);
    assert_int_equal(tfp_kernel_plain(TFP_STR("gemm.kd")).size, 4);
    assert_int_equal(tfp_kernel_plain(TFP_STR("gemm.kdx")).size, 8);
}

static void calls_that_add_a_node(void **state)
{
    (void)state;
    static const char *const do_add[] = { "cudaLaunchKernel", "hipModuleLaunchKernel", "cuLaunchKernelEx",
                                          "cudaMemcpyAsync", "hipMemsetAsync" };
    static const char *const do_not[] = { "cudaGraphLaunch", "cudaLaunchHostFunc", "cudaMemcpy", "cudaMalloc",
                                          "cudaEventRecord" };
    for (size_t i = 0; i < sizeof do_add / sizeof *do_add; i++)
        assert_true(tfp_is_captured_call(tfp_str_of(do_add[i])));
    for (size_t i = 0; i < sizeof do_not / sizeof *do_not; i++)
        assert_false(tfp_is_captured_call(tfp_str_of(do_not[i])));
}

/* How an operator, whose kernel has no name in CUDA's record, agrees with an activity. */
static tfp_agreement agreement(const char *op, const char *kernel)
{
    tfp_graph_sign launch = { .family = (uint8_t)tfp_family_of_op(tfp_str_of(op)) };
    tfp_graph_sign activity = { .kernel = 1,
                                .kind = (uint8_t)tfp_kind_of_name(tfp_str_of(kernel)),
                                .family = (uint8_t)tfp_family_of_kernel(tfp_str_of(kernel)) };
    return tfp_signs_agree(&launch, &activity);
}

static void families_agree_or_contradict(void **state)
{
    (void)state;
    assert_int_equal(agreement("aten::addmm", "ampere_bf16_s16816gemm"), TFP_AGREES);
    assert_int_equal(agreement("aten::cudnn_convolution", "cutlass_conv2d"), TFP_AGREES);
    assert_int_equal(agreement("c10d::allreduce_", "ncclDevKernel_AllReduce"), TFP_AGREES);
    assert_int_equal(agreement("aten::mul_", "vectorized_Elementwise_kernel"), TFP_AGREES);
    assert_int_equal(agreement("aten::sum", "reduce_kernel<512, 1>"), TFP_AGREES);
    assert_int_equal(agreement("aten::addmm", "ncclDevKernel_AllReduce"), TFP_CONTRADICTS);
    assert_int_equal(agreement("aten::addmm", "vectorized_elementwise_kernel"), TFP_CONTRADICTS);
    assert_int_equal(agreement("aten::addmm", "flash_fwd_kernel"), TFP_SAYS_NOTHING);
    assert_int_equal(agreement("aten::sum", "elementwise_kernel"), TFP_SAYS_NOTHING);
    assert_int_equal(agreement("my::op", "gemm"), TFP_SAYS_NOTHING);
    assert_int_equal(agreement("aten::addmm", "Memcpy DtoD"), TFP_CONTRADICTS);
}

static void a_known_name_decides(void **state)
{
    (void)state;
    tfp_graph_sign launch = { .kernel = 7, .family = 1 }, same = { .kernel = 7, .family = 2 },
                   other = { .kernel = 8, .family = 1 };
    assert_int_equal(tfp_signs_agree(&launch, &same), TFP_AGREES);
    assert_int_equal(tfp_signs_agree(&launch, &other), TFP_CONTRADICTS);
}

/* ---- effort ---- */

static void effort_ends(void **state)
{
    (void)state;
    tfp_effort e = { .left = 10 };
    assert_true(tfp_effort_take(&e, 7));
    assert_true(tfp_effort_take(&e, 3));
    assert_true(tfp_effort_take(&e, 0));
    assert_false(tfp_effort_take(&e, 1));
    assert_false(
        tfp_effort_take(&e, 0)); /* once refused, always refused: a later part alone would give a wrong result */
    tfp_effort vast = { .left = 10 };
    assert_false(tfp_effort_take(&vast, UINT64_MAX));
}

/* ---- places and lines ---- */

static void places_are_stored_once_and_share_what_is_above(void **state)
{
    (void)state;
    tfp_profile *p = tfp_profile_new();
    tfp_builder b = { .p = p, .file = "test" };
    tfp_strid net = tfp_build_string(&b, TFP_STR("Net")), one = tfp_build_string(&b, TFP_STR("L_1")),
              two = tfp_build_string(&b, TFP_STR("L_2"));
    uint32_t top = tfp_graph_place_below(&b, 0, net), first = tfp_graph_place_below(&b, top, one),
             second = tfp_graph_place_below(&b, top, two);
    uint32_t deep = tfp_graph_place_below(&b, second, one);
    assert_int_equal(tfp_graph_place_below(&b, top, one), first);
    assert_int_not_equal(first, second);
    assert_int_equal(tfp_graph_place_shared(p->captures, first, deep), top);
    assert_int_equal(tfp_graph_place_shared(p->captures, second, deep), second);
    assert_int_equal(tfp_graph_place_shared(p->captures, first, 0), 0);
    tfp_str text = tfp_text(p, tfp_graph_place_text(&b, deep));
    assert_true(tfp_str_eq(text, TFP_STR("Net/L_2/L_1")));
    for (int i = 0; i < 1000; i++)
        deep = tfp_graph_place_below(&b, deep, net); /* of too deep nesting the outer levels are kept */
    assert_true(p->captures->places.at[deep].depth <= 256);
    assert_int_equal(b.status, TFP_OK);
    tfp_profile_free(p);
}

static void a_traceback_tells_the_innermost_own_line(void **state)
{
    (void)state;
    tfp_profile *p = tfp_profile_new();
    tfp_builder b = { .p = p, .file = "test" };
    tfp_kernel_line line = tfp_line_of_traceback(
        &b, TFP_STR("  File \"/app/net.py\", line 10, in forward\n    x = self.up(x)\n"
                    "  File \"/usr/lib/python3.11/site-packages/torch/nn/linear.py\", line 125, in forward\n"
                    "    return F.linear(x)\n"));
    assert_true(tfp_str_eq(tfp_text(p, line.line), TFP_STR("/app/net.py:10:forward")));
    assert_int_equal(p->code->traces.at[line.trace].count, 2);
    assert_int_equal(tfp_line_of_traceback(&b, TFP_STR("no stack at all")).line, 0);
    assert_int_equal(
        tfp_line_of_traceback(
            &b, TFP_STR("  File \"/app/net.py\", line -1, in f\n  File \"/app/net.py\", line 9999999999999"))
            .line,
        0);
    tfp_profile_free(p);
}

/* ---- whole joins ---- */

typedef struct recording {
    tfp_buf text;
    int now, number;
} recording;

static void put(recording *r, const char *category, const char *name, int start, int lasts, const char *args)
{
    tfp_buf_printf(&r->text,
                   "%s{\"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", \"pid\": 1, \"tid\": %d, \"ts\": %d, \"dur\": "
                   "%d, \"args\": {%s}}",
                   r->text.size ? ",\n" : "", category, name, strcmp(category, "kernel") ? 1 : 7, start, lasts, args);
}

/* Letters stand for kernels: `ab` is a graph of the kernels a and b. Each capture is in a module named after it. */
static void capture(recording *r, const char *module, const char *kernels)
{
    char name[64], args[64];
    int start = r->now;
    put(r, "cuda_runtime", "hipStreamBeginCapture", start, 1, "");
    for (const char *k = kernels; *k; k++) {
        snprintf(args, sizeof args, "\"kernel\": \"%c\"", *k);
        snprintf(name, sizeof name, "op::%c%d", *k, (int)(k - kernels));
        put(r, "cpu_op", name, r->now + 4, 4, "");
        put(r, "cuda_runtime", "hipModuleLaunchKernel", r->now + 5, 2, args);
        r->now += 6;
    }
    snprintf(name, sizeof name, "nn.Module: %s", module);
    put(r, "python_function", name, start + 2, r->now - start + 2, "");
    put(r, "cuda_runtime", "hipStreamEndCapture", r->now + 6, 1, "");
    r->now += 20;
}

static void replay(recording *r, const char *kernels)
{
    char name[2] = { 0 }, args[96];
    snprintf(args, sizeof args, "\"correlation\": %d, \"stream\": 7, \"device\": 0", ++r->number);
    put(r, "cuda_runtime", "hipGraphLaunch", r->now, 2, args);
    for (const char *k = kernels; *k; k++) {
        name[0] = *k;
        put(r, "kernel", name, r->now + 3 + 2 * (int)(k - kernels), 1, args);
    }
    r->now += 10 + 2 * (int)strlen(kernels);
}

/* For each activity a word: u, o, p, n for unique, order, partial, none, then its module. */
static void expect(recording *r, const char *want)
{
    tfp_error err = { 0 };
    tfp_buf whole = { 0 }, got = { 0 };
    tfp_profile *p = tfp_profile_new();
    tfp_buf_printf(&whole, "{\"schemaVersion\": 1, \"traceEvents\": [%.*s]}", (int)r->text.size, r->text.data);
    if (tfp_profile_keep(p, TFP_KEEP_ALL) ||
        tfp_profile_add_bytes(p, "kineto", "trace", whole.data, whole.size, &err) || tfp_profile_finish(p, &err))
        fail_msg("%s", err.text);
    for (uint32_t i = 0; i < p->events->spans.size; i++) {
        if (p->events->spans.kind[i] != TFP_SPAN_ACTIVITY) continue;
        tfp_attribution a = tfp_span_attribution(p, i);
        char sure = a.certainty == TFP_SURE_BY_UNIQUE    ? 'u'
                    : a.certainty == TFP_SURE_BY_ORDER   ? 'o'
                    : a.certainty == TFP_SURE_BY_PARTIAL ? 'p'
                                                         : 'n';
        tfp_buf_printf(&got, "%s%c:%.*s", got.size ? " " : "", sure, (int)tfp_text(p, a.module).size,
                       tfp_text(p, a.module).data);
    }
    tfp_buf_char(&got, '\0');
    assert_string_equal(got.data, want);
    tfp_buf_free(&got);
    tfp_buf_free(&whole);
    tfp_buf_free(&r->text);
    tfp_profile_free(p);
}

static void different_graphs_are_unique(void **state)
{
    (void)state;
    recording r = { 0 };
    capture(&r, "A", "ab");
    capture(&r, "B", "bb");
    replay(&r, "bb");
    replay(&r, "ab");
    expect(&r, "u:B u:B u:A u:A");
}

static void equal_graphs_need_their_order(void **state)
{
    (void)state;
    recording r = { 0 };
    capture(&r, "A", "x");
    capture(&r, "B", "ab");
    capture(&r, "C", "ab");
    replay(&r, "ab"); /* the trace begins in the middle of a round */
    replay(&r, "x");
    replay(&r, "ab");
    replay(&r, "ab");
    expect(&r, "o:C o:C u:A o:B o:B o:C o:C");
}

static void without_an_order_nothing_is_told(void **state)
{
    (void)state;
    recording r = { 0 };
    capture(&r, "A", "ab");
    capture(&r, "B", "ab");
    replay(&r, "ab");
    expect(&r, "p: p:"); /* both captures have the same op, but different modules */
}

static void nodes_that_did_not_run_leave_what_their_neighbours_say(void **state)
{
    (void)state;
    recording r = { 0 };
    capture(&r, "A", "abcdefghijkk");
    replay(&r, "abcdefghijk"); /* it is unknown which k was disabled */
    replay(&r, "bcdefghijkk");
    expect(&r, "u:A u:A u:A u:A u:A u:A u:A u:A u:A u:A p:A u:A u:A u:A u:A u:A u:A u:A u:A u:A u:A u:A");
}

static void other_graphs_do_not_match(void **state)
{
    (void)state;
    recording r = { 0 };
    capture(&r, "A", "abcd");
    replay(&r, "abce");
    replay(&r, "abc"); /* fewer than nine tenths of the nodes */
    replay(&r, "dcba");
    expect(&r, "n: n: n: n: n: n: n: n: n: n: n:");
}

/* Thousands of graphs that all match thousands of replays: the work must not be the product of both. */
static void look_alikes(void *ctx, size_t size)
{
    (void)ctx;
    recording r = { 0 };
    tfp_error err = { 0 };
    for (size_t i = 0; i < size; i++) capture(&r, "A", "ab");
    for (size_t i = 0; i < size; i++) replay(&r, "ab");
    tfp_buf whole = { 0 };
    tfp_profile *p = tfp_profile_new();
    tfp_buf_printf(&whole, "{\"schemaVersion\": 1, \"traceEvents\": [%.*s]}", (int)r.text.size, r.text.data);
    assert_int_equal(tfp_profile_add_bytes(p, "kineto", "trace", whole.data, whole.size, &err), TFP_OK);
    assert_int_equal(tfp_profile_finish(p, &err), TFP_OK);
    tfp_buf_free(&whole);
    tfp_buf_free(&r.text);
    tfp_profile_free(p);
}

static void look_alikes_take_linear_time(void **state)
{
    (void)state;
    assert_linear(look_alikes, NULL, 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_tell_the_kind_of_a_node),
        cmocka_unit_test(calls_that_add_a_node),
        cmocka_unit_test(families_agree_or_contradict),
        cmocka_unit_test(a_known_name_decides),
        cmocka_unit_test(effort_ends),
        cmocka_unit_test(places_are_stored_once_and_share_what_is_above),
        cmocka_unit_test(a_traceback_tells_the_innermost_own_line),
        cmocka_unit_test(different_graphs_are_unique),
        cmocka_unit_test(equal_graphs_need_their_order),
        cmocka_unit_test(without_an_order_nothing_is_told),
        cmocka_unit_test(nodes_that_did_not_run_leave_what_their_neighbours_say),
        cmocka_unit_test(other_graphs_do_not_match),
        cmocka_unit_test(look_alikes_take_linear_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
