// SPDX-License-Identifier: Apache-2.0
/* tests/unit/formats/test_hlo.c: HLO modules as proto and text: the cost of instructions and how often they run. */
#include "model/tables/graph.h"

#include "formats/hlo/hlo.h"
#include "model/tables/instructions.h"
#include "model/tables/profile.h"
#include "support.h"

#define SAMPLE TEST_DATA "/sample/xplane/"

/* The cost of the instruction r in a module of these lines: its float operations and bytes. */
static tfp_hlo_cost cost_of(const char *before, const char *lines)
{
    tfp_profile *p = tfp_profile_new();
    tfp_builder b = { .p = p, .file = "test" };
    tfp_error *err = tfp_error_new();
    tfp_hlo_module m;
    tfp_buf text = { 0 };
    tfp_buf_printf(&text, "HloModule m\n\n%sENTRY e {\n%s}\n", before, lines);
    if (tfp_hlo_read_text(&b, (tfp_str){ text.data, text.size }, &m, err)) fail_msg("%s", tfp_error_message(err));
    uint32_t at = tfp_hlo_find(&m, tfp_build_string(&b, TFP_STR("r")));
    assert_true(at != TFP_NONE);
    tfp_hlo_cost cost = m.instructions.at[at].cost;
    tfp_hlo_free(&m);
    tfp_buf_free(&text);
    tfp_error_free(err);
    tfp_profile_free(p);
    return cost;
}

#define SUM "s {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}\n\n"

static void instructions_have_costs(void **state)
{
    (void)state;
    static const struct {
        const char *before, *lines;
        int64_t flops, bytes;
        bool counted;
    } rows[] = {
        { "",
          "  x = f32[8,16]{1,0} parameter(0)\n  y = f32[16,4] parameter(1)\n"
          "  ROOT r = f32[8,4] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n",
          2 * 8 * 4 * 16, 4 * (128 + 64 + 32), true },
        { "",
          "  x = f32[2,12,12,3] parameter(0)\n  k = f32[3,3,3,6] parameter(1)\n"
          "  ROOT r = f32[2,10,10,6] convolution(x, k), window={size=3x3}, dim_labels=b01f_01io->b01f\n",
          2 * 1200 * 9 * 3, 4 * (864 + 162 + 1200), true },
        { "",
          "  x = f32[4,8] parameter(0)\n  k = f32[3,1,8] parameter(1)\n"
          "  ROOT r = f32[4,8] convolution(x, k), window={size=3 pad=1_1}, dim_labels=0f_0io->0f, "
          "feature_group_count=8\n",
          2 * 32 * 3, 4 * (32 + 24 + 32), true },
        { "", "  x = f32[10] parameter(0)\n  ROOT r = f32[10] tanh(x)\n", 10, 80, true },
        { "",
          "  x = f32[8, 16]{1,0} parameter(0)\n  y = f32[ 16 ,4]\n    parameter(1)\n"
          "  ROOT r = f32[8,4] dot(\n    x, // left\n    y)\n  , lhs_contracting_dims={1} ,\r\n\n"
          "    /* a {comment\n of two lines */ rhs_contracting_dims={0}\n",
          2 * 8 * 4 * 16, 4 * (128 + 64 + 32), true },
        { "",
          "  x = bf16[2,7,8,64] parameter(0)\n  k = bf16[2,9,2,64] parameter(1)\n  v = bf16[2,9,2,32] parameter(2)\n"
          "  ROOT r = bf16[2,7,8,32] custom-call(x, k, v), custom_call_target=\"te_fused_attn_forward_ffi\", "
          "backend_config={attn_heads = 8 : i64, input_batch = 2 : i64, kv_max_seqlen = 9 : i64, q_max_seqlen = 7 : "
          "i64, qk_head_dim = 64 : i64, v_head_dim = 32 : i64}\n",
          2 * 2 * 8 * 7 * 9 * (64 + 32), 2 * (7168 + 2304 + 1152 + 3584), true },
        { "",
          "  x = bf16[2,7,8,64] parameter(0)\n"
          "  ROOT r = bf16[2,7,8,64] custom-call(x), custom_call_target=\"te_fused_attn_backward_ffi\", "
          "backend_config={attn_heads = 8 : i64, input_batch = 2 : i64, kv_max_seqlen = 9 : i64, q_max_seqlen = 7 : "
          "i64, qk_head_dim = 64 : i64, v_head_dim = 32 : i64}\n",
          2 * 2 * 8 * 7 * 9 * (3 * 64 + 2 * 32), 2 * 2 * 7168, true },
        { "",
          "  x = f32[12,16] parameter(0)\n  y = f32[3,16,4] parameter(1)\n  g = s32[3] parameter(2)\n"
          "  ROOT r = f32[12,4] ragged-dot(x, y, g), lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
          "lhs_ragged_dims={0}, rhs_group_dims={0}\n",
          2 * 12 * 4 * 16, 4 * (192 + 192 + 3 + 48), true },
        { "", "  x = s32[10] parameter(0)\n  ROOT r = s32[10] add(x, x)\n", 0, 120, true },
        { "", "  x = f32[10] parameter(0)\n  ROOT r = pred[10] compare(x, x), direction=LT\n", 10, 90, true },
        { SUM,
          "  x = f32[10,3] parameter(0)\n  z = f32[] constant(0)\n"
          "  ROOT r = f32[3] reduce(x, z), dimensions={0}, to_apply=s\n",
          27, 4 * (30 + 1 + 3), true },
        { SUM,
          "  x = f32[16] parameter(0)\n  z = f32[] constant(0)\n"
          "  ROOT r = f32[8] reduce-window(x, z), window={size=2 stride=2}, to_apply=s\n",
          8, 4 * (16 + 1 + 8), true },
        { "", "  x = c64[64] parameter(0)\n  ROOT r = c64[64] fft(x), fft_type=FFT, fft_length={64}\n", 5 * 64 * 6,
          1024, true },
        { "", "  x = f32[64] parameter(0)\n  ROOT r = c64[33] fft(x), fft_type=RFFT, fft_length={64}\n", 5 * 64 * 6 / 2,
          4 * 64 + 8 * 33, true },
        { "", "  x = f32[9,9] parameter(0)\n  ROOT r = f32[9,9] cholesky(x)\n", 243, 648, true },
        { "", "  x = bf16[64] parameter(0)\n  ROOT r = bf16[64] all-reduce(x), replica_groups={}\n", 64, 256, true },
        { "",
          "  x = f32[8,16] parameter(0)\n  y = f32[16,4] parameter(1)\n"
          "  ROOT r = (f32[8,4], s8[99]) custom-call(x, y), custom_call_target=\"__cublas$gemm\", "
          "backend_config={\"dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"1\"]}}\n",
          1024, 4 * (128 + 64 + 32) + 99, true },
        { "", "  x = f32[8] parameter(0)\n  ROOT r = f32[8] custom-call(x), custom_call_target=\"mine\"\n", 0, 64,
          false },
        { "",
          "  q = bf16[2,4,32,16] parameter(0)\n  k = bf16[2,4,64,16] parameter(1)\n  v = bf16[2,4,64,16] parameter(2)\n"
          "  ROOT r = (bf16[2,4,32,16], u8[9]) custom-call(q, k, v), custom_call_target=\"__cudnn$fmhaSoftmax\", "
          "backend_config={\"bmm1_dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"3\"],"
          "\"lhs_batch_dimensions\":[\"0\",\"1\"]}}\n",
          2 * 2 * 2 * 4 * 32 * 64 * 16, 2 * 2 * 4 * 16 * (32 + 64 + 64 + 32) + 9, true },
        { "",
          "  a = f32[8,8] parameter(0)\n  b = f32[8,3] parameter(1)\n"
          "  ROOT r = f32[8,3] custom-call(a, b), custom_call_target=\"blas_strsm_ffi\"\n",
          8 * 8 * 3, 4 * (64 + 24 + 24), true },
        { "",
          "  a = f32[9,9] parameter(0)\n  ROOT r = (f32[9,9], s32[]) custom-call(a), "
          "custom_call_target=\"lapack_spotrf_ffi\"\n",
          243, 4 * (81 + 81 + 1), true },
        { "",
          "  x = f32[8] parameter(0)\n  ROOT r = f32[8] custom-call(x), custom_call_target=\"tpu_custom_call\", "
          "backend_config={\"custom_call_config\":{\"cost_estimate\":{\"transcendentals\":\"7\",\"flops\":\"42\"}}}\n",
          42, 64, true },
        { "f {\n  p = f32[8] parameter(0)\n  ROOT q = f32[8] multiply(p, p)\n}\n\n",
          "  x = f32[8] parameter(0)\n  ROOT r = f32[8] custom-call(x), custom_call_target=\"__triton\", "
          "called_computations={f}\n",
          8, 64, true },
        { "", "  x = f32[8] parameter(0)\n  ROOT r = f32[8] something-new(x)\n", 0, 64, false },
        { "f {\n  p = f32[8] parameter(0)\n  q = f32[8] multiply(p, p)\n  ROOT o = f32[8] exponential(q)\n}\n\n",
          "  x = f32[8] parameter(0)\n  ROOT r = f32[8] fusion(x), kind=kLoop, calls=f\n", 16, 64, true },
        { "b {\n  p = f32[8] parameter(0)\n  ROOT q = f32[8] multiply(p, p)\n}\n\n"
          "c {\n  p.1 = f32[8] parameter(0)\n  ROOT t = pred[] constant(true)\n}\n\n",
          "  x = f32[8] parameter(0)\n  ROOT r = f32[8] while(x), condition=c, body=b\n", 0, 0, true },
        { "",
          "  x = f32[100] parameter(0)\n  i = s32[] parameter(1)\n"
          "  ROOT r = f32[4] dynamic-slice(x, i), dynamic_slice_sizes={4}\n",
          0, 32, true },
        { "", "  x = f32[4611686018427387904,4] parameter(0)\n  ROOT r = f32[4611686018427387904,4] add(x, x)\n", 0,
          TFP_UNKNOWN, false },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tfp_hlo_cost c = cost_of(rows[i].before, rows[i].lines);
        assert_int_equal(c.flops, rows[i].flops);
        assert_int_equal(c.bytes, rows[i].bytes);
        assert_int_equal(c.counted, rows[i].counted);
    }
}

static void modules_that_call_themselves_end(void **state)
{
    (void)state;
    tfp_hlo_cost c = cost_of("f {\n  p = f32[8] parameter(0)\n  ROOT o = f32[8] call(p), to_apply=g\n}\n\n"
                             "g {\n  p2 = f32[8] parameter(0)\n  ROOT o2 = f32[8] call(p2), to_apply=f\n}\n\n",
                             "  x = f32[8] parameter(0)\n  ROOT r = f32[8] call(x), to_apply=f\n");
    assert_int_equal(c.flops, 0);
}

/* The instruction `name` in a profile of the text, with its runs and float operations. */
static const tfp_instruction *instruction_of(const tfp_profile *p, const char *name)
{
    for (size_t i = 0; i < p->instructions->size; i++)
        if (strcmp(tfp_text(p, p->instructions->at[i].name).data, name) == 0) return &p->instructions->at[i];
    fail_msg("no instruction %s", name);
    return NULL;
}

static void computations_run_as_often_as_they_are_called(void **state)
{
    (void)state;
    static const char text[] =
        "HloModule m\n\n"
        "square {\n  p = f32[8] parameter(0)\n  ROOT sq = f32[8] multiply(p, p)\n}\n\n"
        "cond {\n  c = f32[8] parameter(0)\n  ROOT t = pred[] constant(true)\n}\n\n"
        "body {\n  b = f32[8] parameter(0)\n  ROOT s = f32[8] call(b), to_apply=square\n}\n\n"
        "cheap {\n  d = f32[8] parameter(0)\n  e = f32[8] negate(d)\n  ROOT g = f32[8] negate(e)\n}\n\n"
        "dear {\n  h = f32[8] parameter(0)\n  ROOT w = f32[8] while(h), condition=cond, body=body, "
        "backend_config={\"known_trip_count\":{\"n\":\"5\"}}\n}\n\n"
        "f {\n  q = f32[8] parameter(0)\n  ROOT in = f32[8] tanh(q)\n}\n\n"
        "ENTRY main {\n  x = f32[8] parameter(0)\n  i = s32[] parameter(1)\n  one = f32[8] call(x), to_apply=square\n"
        "  two = f32[8] conditional(i, one, one), branch_computations={cheap, dear}\n"
        "  ROOT r = f32[8] fusion(two), kind=kLoop, calls=f\n}\n";
    tfp_profile *p = tfp_profile_new();
    tfp_error *err = tfp_error_new();
    if (tfp_profile_add_bytes(p, "hlo", "m.txt", text, sizeof text - 1, err)) fail_msg("%s", tfp_error_message(err));
    /* once for the call from the entry, and once in each iteration */
    assert_int_equal(instruction_of(p, "sq")->runs, 1 + 5);
    assert_int_equal(instruction_of(p, "e")->runs, 0); /* the other branch, with the loop, costs more */
    assert_int_equal(instruction_of(p, "w")->runs, 1);
    assert_int_equal(instruction_of(p, "r")->float_ops, 8); /* a fusion includes its instructions, */
    assert_int_equal(instruction_of(p, "r")->own_float_ops, 0);
    assert_int_equal(instruction_of(p, "in")->own_float_ops, 8); /* and each of them is also a node */
    assert_true(instruction_of(p, "in")->inside && !instruction_of(p, "sq")->inside);
    assert_int_equal(instruction_of(p, "one")->float_ops, 0); /* the called computation is counted by itself */
    tfp_error_free(err);
    tfp_profile_free(p);
}

/* The number of iterations of a loop whose counter begins at `first`, is advanced by `stride` and compared with
 * `limit`. */
static int64_t trips_of(const char *first, const char *stride, const char *limit, const char *direction)
{
    tfp_profile *p = tfp_profile_new();
    tfp_builder b = { .p = p, .file = "test" };
    tfp_error *err = tfp_error_new();
    tfp_hlo_module m;
    tfp_buf text = { 0 };
    tfp_buf_printf(&text,
                   "HloModule m\n\nb {\n  t = (f32[], s32[]) parameter(0)\n  x = f32[] get-tuple-element(t), index=0\n"
                   "  i = s32[] get-tuple-element(t), index=1\n  s = s32[] constant(%s)\n  n = s32[] add(s, i)\n"
                   "  ROOT o = (f32[], s32[]) tuple(x, n)\n}\n\n"
                   "c {\n  u = (f32[], s32[]) parameter(0)\n  j = s32[] get-tuple-element(u), index=1\n"
                   "  l = s32[] constant(%s)\n  ROOT q = pred[] compare(j, l), direction=%s\n}\n\n"
                   "ENTRY e {\n  y = f32[] parameter(0)\n  f = s32[] constant(%s)\n"
                   "  a = (f32[], s32[]) tuple(y, f)\n  ROOT r = (f32[], s32[]) while(a), condition=c, body=b\n}\n",
                   stride, limit, direction, first);
    if (tfp_hlo_read_text(&b, (tfp_str){ text.data, text.size }, &m, err)) fail_msg("%s", tfp_error_message(err));
    int64_t trips = m.instructions.at[tfp_hlo_find(&m, tfp_build_string(&b, TFP_STR("r")))].trips;
    tfp_hlo_free(&m);
    tfp_buf_free(&text);
    tfp_error_free(err);
    tfp_profile_free(p);
    return trips;
}

static void loops_that_count_have_trips(void **state)
{
    (void)state;
    assert_int_equal(trips_of("0", "1", "20", "LT"), 20);
    assert_int_equal(trips_of("3", "2", "10", "LT"), 4);
    assert_int_equal(trips_of("3", "2", "9", "LE"), 4);
    assert_int_equal(trips_of("5", "1", "5", "LT"), 0);
    assert_int_equal(trips_of("-3", "1", "3", "LT"), 6);
    assert_int_equal(trips_of("0", "0", "20", "LT"), -1);
    assert_int_equal(trips_of("0", "-1", "20", "LT"), -1);
    assert_int_equal(trips_of("0", "1", "20", "NE"), -1);
    assert_int_equal(trips_of("0", "1.5", "20", "LT"), -1);
    assert_int_equal(trips_of("-9223372036854775808", "1", "9223372036854775807", "LT"), -1);
    assert_int_equal(trips_of("0", "1", "9223372036854775807", "LE"), -1);
}

static void text_that_is_none_is_refused_with_its_place(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        { "HloModule m\n\nENTRY e {\n  x = f32[8] parameter(0)\n", "cut short" },
        { "HloModule m\n\nENTRY e {\n  x = f32[8\n}\n", "4:" },
        { "HloModule m\n\nENTRY e {\n  x f32[8] parameter(0)\n}\n", "4:5: no instruction" },
        { "HloModule m\n\nENTRY e {\n  x = f32[8] (0)\n}\n", "4:14: no operation" },
        { "HloModule m\nHloModule n\n", "2:11: a second module" },
        { "HloModule m\nwhat is this\n", "2:1: neither" },
        { "HloModule m\n", "no instructions" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tfp_profile *p = tfp_profile_new();
        tfp_error *err = tfp_error_new();
        assert_fails(tfp_profile_add_bytes(p, "hlo", "m.txt", rows[i][0], strlen(rows[i][0]), err), err, TFP_BADFILE,
                     rows[i][1]);
        tfp_error_free(err);
        tfp_profile_free(p);
    }
}

/* What people cut out of a dump: computations without HloModule, and comments before it. */
static void computations_alone_are_a_module(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "// made by hand\n/* two\n lines */\n\nHloModule m,\n  is_scheduled=true\n\nENTRY e {\n  ROOT x = f32[8] "
        "parameter(0)\n}\n",
        "e {\n  ROOT x = f32[8] parameter(0)\n}\n",
        "%f (a: f32[8],\n    b: f32[8]) -> f32[8] {\n  %a = f32[8] parameter(0)\n  ROOT %b = f32[8] parameter(1)\n}\n\n"
        "ENTRY %e (x: f32[8]) -> (f32[8]) {\n  %x = f32[8] parameter(0)\n  ROOT %t = (f32[8],\n  /*index=1*/f32[8]) "
        "tuple(%x, %x)\n}\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        tfp_profile *p = tfp_profile_new();
        assert_int_equal(tfp_profile_add_bytes(p, NULL, "m.txt", texts[i], strlen(texts[i]), NULL), TFP_OK);
        assert_true(p->graph->nodes.size >= 1);
        tfp_profile_free(p);
    }
}

static void proto_and_text_say_the_same(void **state)
{
    (void)state;
    tfp_profile *proto = profile_in_file(SAMPLE "step.hlo.pb"), *text = profile_in_file(SAMPLE "step.hlo.txt");
    assert_int_equal(proto->graph->nodes.size, text->graph->nodes.size);
    assert_int_equal(proto->graph->inputs.size, text->graph->inputs.size);
    for (size_t i = 0; i < proto->graph->nodes.size; i++) {
        const tfp_node *a = &proto->graph->nodes.at[i], *b = &text->graph->nodes.at[i];
        assert_string_equal(tfp_text(proto, a->name).data, tfp_text(text, b->name).data);
        assert_int_equal(a->float_ops, b->float_ops);
        assert_int_equal(a->trace, b->trace);
    }
    uint32_t tanh = tfp_find_node(proto, TFP_STR("jit(step)/while/body/tanh"));
    assert_int_equal(proto->graph->nodes.at[tanh].float_ops, 5 * 32); /* five iterations */
    tfp_profile_free(proto);
    tfp_profile_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_have_costs),
        cmocka_unit_test(modules_that_call_themselves_end),
        cmocka_unit_test(computations_run_as_often_as_they_are_called),
        cmocka_unit_test(loops_that_count_have_trips),
        cmocka_unit_test(text_that_is_none_is_refused_with_its_place),
        cmocka_unit_test(computations_alone_are_a_module),
        cmocka_unit_test(proto_and_text_say_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
