// SPDX-License-Identifier: Apache-2.0
/* Compulsory traffic of PyTorch's operators, and shapes as texts, from the arguments that a trace records. */
#include "flops/aten/traffic.h"

#include "support.h"

typedef struct one {
    const char *name, *dims, *types, *strides, *values;
    int list_size;
    int64_t flops, bytes; /* -1: unknown */
    const char *shape, *transposed;
} one;

static void check_call(const one *t)
{
    const struct tfp_traffic_rule *rule = tfp_traffic_find(tfp_str_of(t->name));
    tfp_aten_call *c = calloc(1, sizeof *c);
    tfp_traffic *traffic = calloc(1, sizeof *traffic);
    tfp_buf shape = { 0 };
    char transposed[3];
    assert_non_null(c);
    assert_non_null(traffic);
    assert_non_null(rule);
    assert_true(tfp_aten_read(c, tfp_str_of(t->dims), tfp_str_of(t->types), tfp_str_of(t->values)));
    tfp_aten_read_strides(c, tfp_str_of(t->strides));
    tfp_traffic_of(tfp_str_of(t->name), rule, c, t->list_size, traffic);
    if (traffic->flops != t->flops || traffic->bytes != t->bytes)
        print_message("%s: %lld %lld\n", t->name, (long long)traffic->flops, (long long)traffic->bytes);
    assert_int_equal(traffic->bytes, t->bytes);
    if (t->bytes >= 0) assert_int_equal(traffic->flops, t->flops);
    tfp_traffic_shape(rule, c, &shape, transposed);
    tfp_buf_char(&shape, 0);
    assert_string_equal(shape.data, t->shape ? t->shape : "");
    assert_string_equal(transposed, t->transposed ? t->transposed : "");
    tfp_buf_free(&shape);
    free(traffic);
    free(c);
}

#define BF "c10::BFloat16"
#define TWO(a, b) "[\"" a "\",\"" b "\"]"
#define THREE(a, b, c) "[\"" a "\",\"" b "\",\"" c "\"]"

static void tensors_count_by_their_own_size(void **state)
{
    (void)state;
    static const one calls[] = {
        /* a broadcast input, an expanded one, a scalar, a tensor without dimensions */
        { "aten::mul", "[[8,16],[16]]", TWO(BF, BF), "[[16,1],[1]]", "", 0, 128, 2 * (128 + 16 + 128), NULL, NULL },
        { "aten::mul", "[[8,16],[8,16]]", TWO(BF, BF), "[[16,1],[1,0]]", "", 0, 128, 2 * (128 + 8 + 128), NULL, NULL },
        { "aten::add", "[[8,16],[],[]]", THREE("float", "float", "Scalar"), "[[16,1],[],[]]", "", 0, 128, 4 * 256, NULL,
          NULL },
        /* types of results */
        { "aten::mul", "[[8],[8]]", TWO(BF, "float"), "", "", 0, 8, 8 * (2 + 4 + 4), NULL, NULL },
        { "aten::gt", "[[8],[]]", TWO(BF, "Scalar"), "", "", 0, 8, 8 * 2 + 8, NULL, NULL },
        { "aten::where", "[[8],[8],[8]]", THREE("bool", BF, BF), "", "", 0, 8, 8 * (1 + 2 + 2 + 2), NULL, NULL },
        { "aten::div", "[[8],[]]", TWO("long int", "Scalar"), "", "", 0, 8, 8 * (8 + 4), NULL, NULL },
        { "aten::mul", "[[8],[8]]", TWO("float", "quint7"), "", "", 0, -1, -1, NULL, NULL },
        /* in place */
        { "aten::add_", "[[8,16],[16]]", TWO(BF, "float"), "", "", 0, 128, 2 * 256 + 64, NULL, NULL },
        { "aten::fill_", "[[8,16],[]]", TWO(BF, "Scalar"), "", "", 0, 0, 256, NULL, NULL },
        { "aten::copy_", "[[8,16],[16]]", TWO(BF, "float"), "", "", 0, 0, 256 + 64, NULL, NULL },
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) check_call(&calls[i]);
}

static void reductions_and_movement(void **state)
{
    (void)state;
    static const one calls[] = {
        { "aten::mean", "[[8,16],[],[],[]]", "[\"float\",\"ScalarList\",\"Scalar\",\"\"]", "",
          "[\"\",\"[-1]\",\"True\",\"\"]", 0, 128, 4 * (128 + 8), NULL, NULL },
        { "aten::sum", "[[8,16]]", "[\"float\"]", "", "[\"\"]", 0, 128, 4 * 129, NULL, NULL },
        { "aten::max", "[[8,16],[],[]]", THREE(BF, "Scalar", "Scalar"), "", "[\"\",\"0\",\"False\"]", 0, 128,
          256 + 16 * (2 + 8), NULL, NULL },
        { "aten::sum", "[[8,16],[],[],[]]", "[\"float\",\"ScalarList\",\"Scalar\",\"\"]", "",
          "[\"\",\"[9]\",\"True\",\"\"]", 0, -1, -1, NULL, NULL },
        { "aten::cat", "[[[4,2],[4,6]],[]]", TWO("TensorList", "Scalar"), "", "[\"\",\"1\"]", 2, 0, 2 * 2 * 32, NULL,
          NULL },
        { "aten::cat", "[[[4,2],[4,6]],[]]", TWO("TensorList", "Scalar"), "", "[\"\",\"1\"]", 0, -1, -1, NULL, NULL },
        { "aten::embedding", "[[1000,16],[4,2]]", TWO(BF, "long int"), "", "", 0, 0, 8 * 8 + 2 * 2 * 128, NULL, NULL },
        { "aten::_softmax", "[[4,8],[],[]]", THREE(BF, "Scalar", "Scalar"), "", "[\"\",\"-1\",\"True\"]", 0, 160,
          32 * (2 + 4), NULL, NULL },
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) check_call(&calls[i]);
}

static void products_convolutions_and_attention(void **state)
{
    (void)state;
    static const one calls[] = {
        { "aten::mm", "[[2,3],[3,5]]", TWO(BF, BF), "[[3,1],[1,3]]", "", 0, 60, 2 * (6 + 15 + 10), "2x5x3", "nt" },
        { "aten::addmm", "[[5],[2,3],[3,5]]", THREE("float", "float", "float"), "[[1],[1,2],[5,1]]", "", 0, 60,
          4 * (5 + 6 + 15 + 10), "2x5x3", "tn" },
        { "aten::bmm", "[[7,2,3],[7,3,5]]", TWO(BF, BF), "", "", 0, 420, 2 * 7 * 31, "7x2x5x3", "" },
        { "aten::linear", "[[4,2,3],[5,3]]", TWO(BF, BF), "[[6,3,1],[3,1]]", "", 0, 240, 2 * (24 + 15 + 40), "8x5x3",
          "nt" },
        { "aten::mm", "[[2,3],[4,5]]", TWO(BF, BF), "", "", 0, -1, -1, "", "" },
        { "aten::convolution", "[[2,4,8,8],[6,2,3,3],[6],[],[],[],[],[],[]]",
          "[\"float\",\"float\",\"float\",\"ScalarList\",\"ScalarList\",\"ScalarList\",\"Scalar\",\"ScalarList\","
          "\"Scalar\"]",
          "", "[\"\",\"\",\"\",\"[2, 1]\",\"[1, 1]\",\"[1, 1]\",\"False\",\"[0, 0]\",\"2\"]", 0, 2 * 2 * 108 * 32,
          4 * (512 + 108 + 6 + 2 * 6 * 32), "2x4x8x8>6x3x3 s2,1 p1 d1 g2", "" },
        { "aten::_scaled_dot_product_flash_attention", "[[2,4,6,8],[2,2,6,8],[2,2,6,8],[],[]]",
          "[\"" BF "\",\"" BF "\",\"" BF "\",\"Scalar\",\"Scalar\"]", "", "[\"\",\"\",\"\",\"0.\",\"True\"]", 0,
          4 * 2 * 4 * 21 * 8, 2 * (384 + 192 + 192 + 384), "2x4/2x6x6x8 causal", "" },
        { "aten::_scaled_dot_product_flash_attention", "[[2,4,1,8],[2,4,6,8],[2,4,6,8],[],[]]",
          "[\"" BF "\",\"" BF "\",\"" BF "\",\"Scalar\",\"Scalar\"]", "", "[\"\",\"\",\"\",\"0.\",\"True\"]", 0,
          4 * 2 * 4 * 6 * 8, 2 * (64 + 384 + 384 + 64), "2x4x1x6x8", "" },
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) check_call(&calls[i]);
}

#define NUMBERS "\"ScalarList\""
static void windows_and_sorts(void **state)
{
    (void)state;
    static const one calls[] = {
        /* 8 x 8 places of 3 x 3 windows with stride 2 and padding 1: (16 + 2 - 3) / 2 + 1 = 8; indexes have 8 bytes */
        { "aten::max_pool2d_with_indices", "[[2,3,16,16],[],[],[],[],[]]",
          "[\"" BF "\"," NUMBERS "," NUMBERS "," NUMBERS "," NUMBERS ",\"Scalar\"]", "",
          "[\"\",\"[3, 3]\",\"[2, 2]\",\"[1, 1]\",\"[1, 1]\",\"False\"]", 0, 9 * 2 * 3 * 64,
          2 * 2 * 3 * 256 + 10 * 2 * 3 * 64, NULL, NULL },
        /* without stride: the window's. 5 -> 2 places, rounded up 3 */
        { "aten::avg_pool2d", "[[1,1,4,4],[],[],[],[]]", "[\"float\"," NUMBERS "," NUMBERS "," NUMBERS ",\"Scalar\"]",
          "", "[\"\",\"[2, 2]\",\"[]\",\"[0, 0]\",\"False\"]", 0, 16, 4 * (16 + 4), NULL, NULL },
        { "aten::avg_pool2d", "[[1,1,4,4],[],[],[],[]]", "[\"float\"," NUMBERS "," NUMBERS "," NUMBERS ",\"Scalar\"]",
          "", "[\"\",\"[2, 2, 2]\",\"[]\",\"[0, 0]\",\"False\"]", 0, -1, -1, NULL, NULL },
        /* the gradient of the result and the indexes are read, that of the input is written; the input is not read */
        { "aten::max_pool2d_with_indices_backward", "[[1,3,8,8],[1,3,16,16],[],[],[],[],[],[1,3,8,8]]",
          "[\"float\",\"float\"," NUMBERS "," NUMBERS "," NUMBERS "," NUMBERS ",\"Scalar\",\"long int\"]", "", "", 0,
          192, 192 * (4 + 8) + 768 * 4, NULL, NULL },
        { "aten::_adaptive_avg_pool2d", "[[10,512,7,7],[]]", "[\"" BF "\"," NUMBERS "]", "", "[\"\",\"[1, 1]\"]", 0,
          10 * 512 * 49, 2 * (10 * 512 * 49 + 5120), NULL, NULL },
        { "aten::upsample_nearest2d", "[[1,3,4,4],[],[],[]]", "[\"float\"," NUMBERS ",\"\",\"\"]", "",
          "[\"\",\"[8, 8]\",\"\",\"\"]", 0, 0, 4 * 3 * (16 + 64), NULL, NULL },
        { "aten::sort", "[[8,16],[],[]]", THREE("float", "Scalar", "Scalar"), "", "[\"\",\"-1\",\"False\"]", 0, 0,
          128 * (4 + 4 + 8), NULL, NULL },
        { "aten::topk", "[[8,16],[],[],[],[]]", "[\"float\",\"Scalar\",\"Scalar\",\"Scalar\",\"Scalar\"]", "",
          "[\"\",\"3\",\"-1\",\"True\",\"True\"]", 0, 0, 128 * 4 + 24 * 12, NULL, NULL },
        { "aten::topk", "[[8,16],[],[],[],[]]", "[\"float\",\"Scalar\",\"Scalar\",\"Scalar\",\"Scalar\"]", "",
          "[\"\",\"17\",\"-1\",\"True\",\"True\"]", 0, -1, -1, NULL, NULL },
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) check_call(&calls[i]);
}

static void lists_groups_and_indexes(void **state)
{
    (void)state;
    static const one calls[] = {
        /* in place: the first list is read and written; a second list is read; a scalar is nothing */
        { "aten::_foreach_mul_", "[[[4,2],[8]],[]]", TWO("TensorList", "Scalar"), "", "[\"\",\"0.9\"]", 4, 16,
          2 * 16 * 4, NULL, NULL },
        { "aten::_foreach_addcdiv_", "[[[4,2],[8]],[[4,2],[8]],[[4,2],[8]],[]]",
          "[\"TensorList\",\"TensorList\",\"TensorList\",\"ScalarList\"]", "", "", 4, 48, 4 * 16 * 4, NULL, NULL },
        { "aten::_foreach_copy_", "[[[4,2],[8]],[[4,2],[8]]]", TWO("TensorList", "TensorList"), "", "", 2, 0,
          2 * 16 * 2, NULL, NULL },
        { "aten::_foreach_mul_", "[[[4,2],[8]],[]]", TWO("TensorList", "Scalar"), "", "", 0, -1, -1, NULL, NULL },
        /* Adam: weights, two moments read and written, gradients read */
        { "aten::_fused_adamw_", "[[[16]],[[16]],[[16]],[[16]]]",
          "[\"TensorList\",\"TensorList\",\"TensorList\",\"TensorList\"]", "", "", 4, 12 * 16, 7 * 16 * 4, NULL, NULL },
        /* 6 rows in 2 groups, each with its own 3 x 5 factor */
        { "aten::_grouped_mm", "[[6,3],[2,3,5],[2]]", THREE(BF, BF, "int"), "", "", 0, 2 * 6 * 3 * 5,
          2 * (18 + 30 + 30) + 8, "6x5x3", "" },
        { "aten::_grouped_mm", "[[4,6],[6,5],[2]]", THREE(BF, BF, "int"), "", "", 0, 2 * 4 * 6 * 5,
          2 * (24 + 30 + 2 * 20) + 8, "4x5x6", "" },
        { "aten::_grouped_mm", "[[4,6],[7,5],[2]]", THREE(BF, BF, "int"), "", "", 0, -1, -1, NULL, NULL },
        /* x[i] and x[:, i]: the indexes, and the chosen elements read and written */
        { "aten::index", "[[10,16],[[4]]]", TWO("float", "TensorList"), "", "", 0, 0, 4 * 8 + 2 * 64 * 4, NULL, NULL },
        { "aten::index", "[[10,16],[[],[4]]]", TWO("float", "TensorList"), "", "", 0, 0, 4 * 8 + 2 * 40 * 4, NULL,
          NULL },
        { "aten::index", "[[10,16],[]]", TWO("float", ""), "", "", 0, -1, -1, NULL, NULL },
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) check_call(&calls[i]);
}

static void numbers_that_do_not_fit_are_unknown(void **state)
{
    (void)state;
    static const one calls[] = {
        { "aten::mm", "[[4000000000,4000000000],[4000000000,4000000000]]", TWO(BF, BF), "", "", 0, -1, -1,
          "4000000000x4000000000x4000000000", "" },
        { "aten::relu_", "[[9223372036854775807,9]]", "[\"float\"]", "", "", 0, -1, -1, NULL, NULL },
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) check_call(&calls[i]);
    assert_null(tfp_traffic_find(TFP_STR("aten::")));
    assert_null(tfp_traffic_find(TFP_STR("aten::_")));
    assert_null(tfp_traffic_find(TFP_STR("custom::mm")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tensors_count_by_their_own_size),
        cmocka_unit_test(reductions_and_movement),
        cmocka_unit_test(products_convolutions_and_attention),
        cmocka_unit_test(windows_and_sorts),
        cmocka_unit_test(lists_groups_and_indexes),
        cmocka_unit_test(numbers_that_do_not_fit_are_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
