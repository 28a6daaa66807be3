// SPDX-License-Identifier: Apache-2.0
/* tests/unit/formats/test_stablehlo.c: StableHLO text, in the pretty and the generic form. */
#include "model/tables/code.h"
#include "model/tables/graph.h"
#include "model/tables/instructions.h"
#include "model/tables/profile.h"
#include "support.h"

#define SAMPLE TEST_DATA "/sample/xplane/"

static tfp_profile *read_file(const char *name)
{
    tfp_profile *p = tfp_profile_new();
    tfp_error *err = tfp_error_new();
    if (tfp_profile_add_file(p, NULL, name, err) || tfp_profile_finish(p, err)) fail_msg("%s", tfp_error_message(err));
    tfp_error_free(err);
    return p;
}

static tfp_profile *read_text(const char *text)
{
    tfp_profile *p = tfp_profile_new();
    tfp_error *err = tfp_error_new();
    if (tfp_profile_add_bytes(p, NULL, "m.mlir", text, strlen(text), err)) fail_msg("%s", tfp_error_message(err));
    assert_int_equal(tfp_profile_finish(p, err), TFP_OK);
    tfp_error_free(err);
    return p;
}

/* Float operations of the instruction with that name. */
static int64_t flops_of(const tfp_profile *p, const char *name)
{
    for (size_t i = 0; i < p->instructions->size; i++)
        if (tfp_str_eq(tfp_text(p, p->instructions->at[i].name), tfp_str_of(name)))
            return p->instructions->at[i].counted ? p->instructions->at[i].float_ops : -1;
    fail_msg("no instruction %s", name);
    return -1;
}

static int64_t check(const char *text, const char *name)
{
    tfp_profile *p = read_text(text);
    int64_t n = flops_of(p, name);
    tfp_profile_free(p);
    return n;
}

#define FUNCTION(arguments, body)                                                                                      \
    "module @m {\n  func.func public @main(" arguments ") -> tensor<f32> {\n" body "  }\n}\n"

static void operations_count_in_both_forms(void **state)
{
    (void)state;
    static const struct {
        const char *text, *name;
        int64_t flops;
    } rows[] = {
        { FUNCTION("%a: tensor<8x16xf32>, %b: tensor<16x4xf32>",
                   "%0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xf32>, "
                   "tensor<16x4xf32>) -> tensor<8x4xf32>\n"),
          "dot_general.2", 2 * 8 * 16 * 4 },
        { FUNCTION("%a: tensor<5x8x16xbf16>, %b: tensor<5x16x4xbf16>",
                   "%0 = \"mhlo.dot_general\"(%a, %b) <{dot_dimension_numbers = "
                   "#mhlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], "
                   "lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>}> : (tensor<5x8x16xbf16>, "
                   "tensor<5x16x4xbf16>) -> tensor<5x8x4xbf16>\n"),
          "dot_general.2", 2 * 5 * 8 * 16 * 4 },
        { FUNCTION("%a: tensor<3xf32>, %b: tensor<3xf32>",
                   "%0 = stablehlo.dot %a, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>\n"),
          "dot.2", 6 },
        { FUNCTION("%a: tensor<2x16x16x3xf32>, %k: tensor<3x5x3x8xf32>",
                   "%0 = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = "
                   "{stride = [1, 1]} {feature_group_count = 1 : i64} : (tensor<2x16x16x3xf32>, tensor<3x5x3x8xf32>) "
                   "-> tensor<2x14x12x8xf32>\n"),
          "convolution.2", (int64_t)2 * 2 * 14 * 12 * 8 * 3 * 5 * 3 },
        { FUNCTION("%a: tensor<4x16xf32>, %z: tensor<f32>",
                   "%0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0, 1] : "
                   "(tensor<4x16xf32>, tensor<f32>) -> tensor<f32>\n"),
          "reduce.2", 63 },
        { FUNCTION("%a: tensor<4x16xf32>, %z: tensor<f32>",
                   "%0 = \"stablehlo.reduce\"(%a, %z) <{dimensions = array<i64: 0, 1>}> ({\n"
                   "^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
                   "%1 = stablehlo.maximum %x, %y : tensor<f32>\n"
                   "%2 = stablehlo.abs %1 : tensor<f32>\n"
                   "stablehlo.return %2 : tensor<f32>\n"
                   "}) : (tensor<4x16xf32>, tensor<f32>) -> tensor<f32>\n"),
          "reduce.2", 2 * 63 },
        { FUNCTION("%a: tensor<4x8xcomplex<f32>>",
                   "%0 = stablehlo.fft %a, type = FFT, length = [8] : (tensor<4x8xcomplex<f32>>) -> "
                   "tensor<4x8xcomplex<f32>>\n"),
          "fft.1", 5 * 4 * 8 * 3 },
        { FUNCTION("%a: tensor<7xi32>, %b: tensor<7xi1>", "%0 = stablehlo.add %a, %a : tensor<7xi32>\n"), "add.2", 0 },
        { FUNCTION("%p: tensor<i1>, %a: tensor<7xf32>",
                   "%0 = stablehlo.select %p, %a, %a : tensor<i1>, tensor<7xf32>\n"),
          "select.2", 7 },
        { FUNCTION("%a: tensor<7xf32>", "%0 = chlo.erf_inv %a : tensor<7xf32> -> tensor<7xf32>\n"), "erf_inv.1", 7 },
        { FUNCTION("%a: tensor<7xf32>", "%0 = chlo.unheard_of %a : tensor<7xf32> -> tensor<7xf32>\n"), "unheard_of.1",
          -1 },
        { FUNCTION("%a: tensor<7xf32>, %b: tensor<f32>",
                   "%0 = chlo.broadcast_multiply %a, %b : (tensor<7xf32>, tensor<f32>) -> tensor<7xf32>\n"),
          "broadcast_multiply.2", 7 },
        { FUNCTION("%a: tensor<7xf32>",
                   "%0 = stablehlo.custom_call @mhlo.erf(%a) : (tensor<7xf32>) -> tensor<7xf32>\n"),
          "custom_call.1", 7 },
        { FUNCTION("%a: tensor<12x16xf32>, %b: tensor<3x16x4xf32>, %g: tensor<3xi32>",
                   "%0 = \"chlo.ragged_dot\"(%a, %b, %g) <{ragged_dot_dimension_numbers = "
                   "#chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], "
                   "lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<12x16xf32>, "
                   "tensor<3x16x4xf32>, tensor<3xi32>) -> tensor<12x4xf32>\n"),
          "ragged_dot.3", 2 * 12 * 16 * 4 },
        { FUNCTION("%a: tensor<?x4xf32>", "%0 = stablehlo.tanh %a : tensor<?x4xf32>\n"), "tanh.1", -1 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (check(rows[i].text, rows[i].name) != rows[i].flops)
            fail_msg("row %zu: %s: %lld", i, rows[i].name, (long long)check(rows[i].text, rows[i].name));
}

static void both_forms_of_a_program_say_the_same(void **state)
{
    (void)state;
    tfp_profile *p[] = { read_file(SAMPLE "scan.mlir"), read_file(SAMPLE "scan.generic.mlir") };
    int64_t sums[2] = { 0 };
    for (int k = 0; k < 2; k++) {
        for (size_t i = 0; i < p[k]->graph->nodes.size; i++) sums[k] += p[k]->graph->nodes.at[i].float_ops;
        assert_int_equal(sums[k], 7 * (2 * 4 * 16 * 16 + 4 * 16 + 63)); /* seven iterations */
    }
    tfp_profile_free(p[0]);
    tfp_profile_free(p[1]);
}

static void names_are_those_of_the_calls_around_them(void **state)
{
    (void)state;
    tfp_profile *p = read_file(SAMPLE "scan.mlir");
    uint32_t tanh = tfp_find_node(p, TFP_STR("jit(scan)/while/body/closed_call/tanh"));
    assert_int_not_equal(tanh, TFP_NONE);
    const tfp_trace *t = &p->code->traces.at[p->graph->nodes.at[tanh].trace];
    const tfp_code_frame *inner = &p->code->frames.at[p->code->trace_frames.at[t->first + t->count - 1]];
    assert_str(tfp_text(p, inner->function), "scan.<locals>.body");
    assert_int_equal(inner->line, 13);
    tfp_profile_free(p);
}

/* "%values, %indices = " and "%a:2, %b = ": each name is a value of its own. */
static void each_result_has_its_name(void **state)
{
    (void)state;
    tfp_profile *p = read_text(
        FUNCTION("%a: tensor<8x16xf32>, %w: tensor<4x5xf32>, %k: tensor<4xui64>",
                 "%values, %indices = chlo.top_k(%a, k = 4) : tensor<8x16xf32> -> (tensor<8x4xf32>, tensor<8x4xi32>)\n"
                 "%f = stablehlo.convert %indices : (tensor<8x4xi32>) -> tensor<8x4xf32>\n"
                 "%0 = stablehlo.dot_general %values, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, "
                 "tensor<4x5xf32>) -> tensor<8x5xf32>\n"
                 "%three:2, %last = \"stablehlo.sort\"(%a, %a, %w) ({\n"
                 "^bb0(%x: tensor<f32>, %y: tensor<f32>):\n"
                 "  %c = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
                 "  stablehlo.return %c : tensor<i1>\n"
                 "}) : (tensor<8x16xf32>, tensor<8x16xf32>, tensor<4x5xf32>) -> "
                 "(tensor<8x16xf32>, tensor<7x16xf32>, tensor<4x5xf32>)\n"
                 "%1 = stablehlo.tanh %three#1 : tensor<7x16xf32>\n"
                 "%2 = stablehlo.dot_general %last, %w, contracting_dims = [1] x [1] : (tensor<4x5xf32>, "
                 "tensor<4x5xf32>) -> tensor<4x4xf32>\n"));
    int64_t sum = 0;
    for (size_t i = 0; i < p->instructions->size; i++) sum += p->instructions->at[i].macs;
    assert_int_equal(sum, 8 * 5 * 4 + 4 * 4 * 5);
    tfp_profile_free(p);
}

/* The body of a composite operation is a function. */
static void composites_count_as_calls(void **state)
{
    (void)state;
    tfp_profile *p = read_text("module @m {\n  func.func public @main(%a: tensor<8x16xf32>) -> tensor<8x8xf32> {\n"
                               "    %0 = stablehlo.composite \"my.op\" %a {decomposition = @impl} : "
                               "(tensor<8x16xf32>) -> tensor<8x8xf32>\n    return %0 : tensor<8x8xf32>\n  }\n"
                               "  func.func private @impl(%a: tensor<8x16xf32>) -> tensor<8x8xf32> {\n"
                               "    %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [1] : "
                               "(tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x8xf32>\n"
                               "    return %0 : tensor<8x8xf32>\n  }\n}\n");
    int64_t sum = 0;
    for (size_t i = 0; i < p->instructions->size; i++) sum += p->instructions->at[i].macs * p->instructions->at[i].runs;
    assert_int_equal(sum, 8 * 8 * 16);
    tfp_profile_free(p);
}

static void what_is_wrong_is_told_with_its_place(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        { "module @m {\n", "the text is cut short" },
        { "module @m {\n}\n", "no instructions" },
        { "module @m {\n}\n}\n", "3:1: neither a module nor a function" },
        { FUNCTION("%a: tensor<f32>", "    %0 = stablehlo.add %a, %b : tensor<f32>\n"),
          "3:28: a value that no operation defines" },
        { FUNCTION("%a: tensor<f32>", "%0 = stablehlo.add %a#1, %a : tensor<f32>\n"),
          "a value that no operation defines" },
        { FUNCTION("%a: tensor<f32>", "cond {\n"), "3:1: a region of no operation" },
        { FUNCTION("%a: tensor<f32>", "= 7\n"), "neither an operation nor a region" },
        { FUNCTION("%a: tensor<f32>", "func.func @g() {\n"), "a function in a function" },
        { FUNCTION("%a: tensor<f32>", "%0 = stablehlo.abs %a : tensor<f32>\n^bb1(%b: tensor<f32>):\n"),
          "4:1: a second block" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tfp_profile *p = tfp_profile_new();
        tfp_error *err = tfp_error_new();
        assert_fails(tfp_profile_add_bytes(p, "hlo", "m.mlir", rows[i][0], strlen(rows[i][0]), err), err, TFP_BADFILE,
                     rows[i][1]);
        tfp_error_free(err);
        tfp_profile_free(p);
    }
}

/* Nested regions are refused long before the stack or the memory is exhausted. */
static void deep_regions_are_refused(void **state)
{
    (void)state;
    tfp_buf text = { 0 };
    tfp_buf_text(&text, "module @m {\nfunc.func @main(%a: tensor<f32>) {\n");
    for (int i = 0; i < 10000; i++) tfp_buf_text(&text, "\"stablehlo.case\"(%a) ({\n");
    tfp_profile *p = tfp_profile_new();
    tfp_error *err = tfp_error_new();
    assert_fails(tfp_profile_add_bytes(p, "hlo", "m.mlir", text.data, text.size, err), err, TFP_BADFILE, "too deeply");
    tfp_error_free(err);
    tfp_profile_free(p);
    tfp_buf_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_count_in_both_forms),
        cmocka_unit_test(both_forms_of_a_program_say_the_same),
        cmocka_unit_test(names_are_those_of_the_calls_around_them),
        cmocka_unit_test(each_result_has_its_name),
        cmocka_unit_test(composites_count_as_calls),
        cmocka_unit_test(what_is_wrong_is_told_with_its_place),
        cmocka_unit_test(deep_regions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
