// SPDX-License-Identifier: Apache-2.0
/* Float operations of PyTorch's operators, from the arguments that a trace records for their calls. */
#include "flops/aten/aten.h"

#include "support.h"

typedef struct one {
    const char *name, *dims, *types, *values;
    int64_t flops, macs, bytes; /* -1: not known */
} one;

static void check_call(const one *t)
{
    const tfp_aten_rule *rule = tfp_aten_find(tfp_str_of(t->name));
    tfp_aten_call *c = calloc(1, sizeof *c);
    assert_non_null(c);
    assert_non_null(rule);
    bool read = tfp_aten_read(c, tfp_str_of(t->dims), tfp_str_of(t->types), tfp_str_of(t->values));
    assert_true(read);
    tfp_aten_cost cost = rule->count(c, rule);
    if (cost.flops != t->flops || cost.macs != t->macs || cost.bytes != t->bytes)
        print_message("%s: %lld %lld %lld\n", t->name, (long long)cost.flops, (long long)cost.macs,
                      (long long)cost.bytes);
    assert_int_equal(cost.flops, t->flops);
    assert_int_equal(cost.macs, t->macs);
    assert_int_equal(cost.bytes, t->bytes);
    free(c);
}

#define FF "[\"float\",\"float\"]"
#define HHH "[\"c10::Half\",\"c10::Half\",\"c10::Half\"]"
#define CONV_TYPES                                                                                                     \
    "[\"float\",\"float\",\"\",\"ScalarList\",\"ScalarList\",\"ScalarList\",\"Scalar\",\"ScalarList\",\"Scalar\"]"

static void collectives_move_data_only(void **state)
{
    (void)state;
    static const char *const names[] = { "c10d::allreduce_", "_c10d_functional::all_gather_into_tensor" };
    for (size_t i = 0; i < 2; i++) {
        const tfp_aten_rule *rule = tfp_aten_find(tfp_str_of(names[i]));
        assert_non_null(rule);
        assert_null(rule->count);
    }
    assert_null(tfp_aten_find(TFP_STR("c10dx::allreduce_")));
    assert_null(tfp_aten_find(TFP_STR("fbgemm::permute_sparse_features")));
}

static void operators_count_by_their_shapes(void **state)
{
    (void)state;
    static const one calls[] = {
        { "aten::mm", "[[2,3],[3,5]]", FF, "", 60, 30, 4 * (6 + 15 + 10) },
        { "aten::mm", "[[2,3],[4,5]]", FF, "", -1, -1, -1 },
        { "aten::addmm", "[[5],[2,3],[3,5],[],[]]", "[\"float\",\"float\",\"float\",\"Scalar\",\"Scalar\"]", "", 60, 30,
          4 * (5 + 6 + 15 + 10) },
        /* one number stands for all dimensions */
        { "aten::conv1d", "[[2,10,64],[4,10,3],[4],[],[],[]]",
          "[\"float\",\"float\",\"float\",\"Scalar\",\"Scalar\",\"Scalar\"]", "[\"\",\"\",\"\",\"1\",\"0\",\"1\"]",
          2 * 14880, 14880, 4 * (1280 + 120 + 4 + 496) },
        { "aten::bmm", "[[7,2,3],[7,3,5]]", FF, "", 420, 210, 4 * 7 * (6 + 15 + 10) },
        { "aten::linear", "[[4,2,3],[5,3],[5]]", "[\"float\",\"float\",\"float\"]", "", 240, 120,
          4 * (24 + 15 + 5 + 40) },
        { "aten::matmul", "[[2,1,3,4],[6,4,5]]", FF, "", 2 * 2 * 6 * 3 * 4 * 5, 2 * 6 * 3 * 4 * 5,
          4 * (24 + 120 + 2 * 6 * 3 * 5) },
        { "aten::matmul", "[[2,3,4],[3,4,5]]", FF, "", -1, -1, -1 },
        { "aten::einsum", "[[],[[2,3,4],[2,4,5]]]", "[\"Scalar\",\"TensorList\"]", "[\"bij, bjk -> bik\",\"\"]", 240,
          120, -1 },
        { "aten::einsum", "[[],[[2,3],[4]]]", "[\"Scalar\",\"TensorList\"]", "[\"ij,k->ijk\",\"\"]", 24, 0, -1 },
        { "aten::einsum", "[[],[[2,3],[4,4]]]", "[\"Scalar\",\"TensorList\"]", "[\"ij,jk\",\"\"]", -1, -1, -1 },
        { "aten::tensordot", "[[3,4,5],[4,5,6],[],[]]", "[\"float\",\"float\",\"ScalarList\",\"ScalarList\"]",
          "[\"\",\"\",\"[1, 2]\",\"[0, 1]\"]", 720, 360, -1 },
        { "aten::lstm", "[[7,3,16],[[1,3,32],[1,3,32]],[[128,16],[128,32],[128],[128]]]",
          "[\"float\",\"TensorList\",\"TensorList\"]", "", 2 * 21 * 6144, 21 * 6144, -1 },
        { "aten::conv2d", "[[2,3,9,11],[4,3,3,3],[],[],[],[],[]]",
          "[\"float\",\"float\",\"\",\"ScalarList\",\"Scalar\",\"ScalarList\",\"Scalar\"]",
          "[\"\",\"\",\"\",\"[1, 1]\",\"same\",\"[2]\",\"1\"]", 2 * 2 * 99 * 108, 2 * 99 * 108,
          4 * (594 + 108 + 2 * 4 * 99) },
        { "aten::conv_transpose2d", "[[4,6,6],[4,3,3,3]]", FF, "", 2 * 36 * 108, 36 * 108, -1 },
        { "aten::matmul", "[[4,2,3],[3,5]]", FF, "", 240, 120, 4 * (24 + 15 + 40) },
        { "aten::index_add_", "[[9],[],[4],[4],[]]", "[\"float\",\"Scalar\",\"long\",\"float\",\"Scalar\"]", "", 4, 0,
          4 * 9 + 8 * 4 + 4 * 4 + 4 * 4 },
        { "aten::scatter_add_", "[[9],[],[4],[4]]", "[\"float\",\"Scalar\",\"long\",\"float\"]", "", 4, 0,
          4 * 9 + 8 * 4 + 4 * 4 + 4 * 4 },
        { "aten::mv", "[[4,3],[3]]", FF, "", 24, 12, 4 * (12 + 3 + 4) },
        { "aten::convolution", "[[2,3,8,8],[4,3,3,3],[],[],[],[],[],[],[]]", CONV_TYPES,
          "[\"\",\"\",\"\",\"[2, 2]\",\"[1, 1]\",\"[1, 1]\",\"False\",\"[0, 0]\",\"1\"]", 2 * 2 * 16 * 108,
          2 * 16 * 108, 4 * (384 + 108 + 2 * 4 * 16) },
        { "aten::convolution", "[[2,3,8,8],[3,4,3,3],[],[],[],[],[],[],[]]", CONV_TYPES,
          "[\"\",\"\",\"\",\"[2, 2]\",\"[1, 1]\",\"[1, 1]\",\"True\",\"[0, 0]\",\"1\"]", 2 * 2 * 64 * 108, 2 * 64 * 108,
          -1 },
        { "aten::convolution", "[[2,3,8,8],[4,3,3,3],[],[],[],[],[],[],[]]", CONV_TYPES, "", -1, -1, -1 },
        { "aten::cudnn_convolution", "[[1,4,9],[6,2,3],[],[],[],[]]",
          "[\"float\",\"float\",\"ScalarList\",\"ScalarList\",\"ScalarList\",\"Scalar\"]",
          "[\"\",\"\",\"[0]\",\"[2]\",\"[1]\",\"2\"]", 2 * 4 * 36, 4 * 36, 4 * (36 + 36 + 24) },
        { "aten::_scaled_dot_product_flash_attention", "[[2,4,8,16],[2,4,10,16],[2,4,10,32]]", HHH, "",
          2 * 2 * 4 * 8 * 10 * 48, 2 * 4 * 8 * 10 * 48, 2 * (1024 + 1280 + 2560 + 2048) },
        { "aten::_scaled_dot_product_flash_attention_backward", "[[2,4,8,16],[2,4,8,16],[2,4,8,16],[2,4,8,16]]",
          "[\"c10::Half\",\"c10::Half\",\"c10::Half\",\"c10::Half\"]", "", 2 * 5 * 2 * 4 * 8 * 8 * 16,
          5 * 2 * 4 * 8 * 8 * 16, 2 * (4 * 1024 + 3 * 1024) },
        { "aten::add_", "[[4,1,3],[2,1],[]]", "[\"float\",\"float\",\"Scalar\"]", "", 24, 0, 4 * (12 + 2 + 24) },
        { "aten::relu", "[[2,3]]", "[\"c10::BFloat16\"]", "", 6, 0, 24 },
        { "aten::relu", "[[2,3]]", "[\"Unknown\"]", "", 6, 0, -1 },
        { "aten::sum", "[[2,3]]", "[\"double\"]", "", 6, 0, 48 },
        { "aten::max_pool2d_with_indices", "[[1,2,8,8],[],[],[],[],[]]",
          "[\"float\",\"ScalarList\",\"ScalarList\",\"ScalarList\",\"ScalarList\",\"Scalar\"]",
          "[\"\",\"[2, 2]\",\"[]\",\"[0, 0]\",\"[1, 1]\",\"False\"]", 128, 0, 4 * (128 + 32) },
        { "aten::native_batch_norm", "[[2,3,4],[3],[3],[3],[3],[],[],[]]",
          "[\"float\",\"float\",\"float\",\"float\",\"float\",\"Scalar\",\"Scalar\",\"Scalar\"]",
          "[\"\",\"\",\"\",\"\",\"\",\"True\",\"0.1\",\"1e-05\"]", 144, 0, 4 * (24 + 12 + 24) },
        { "aten::_foreach_addcdiv_", "[[[2,3],[4]],[[2,3],[4]],[[2,3],[4]],[]]",
          "[\"TensorList\",\"TensorList\",\"TensorList\",\"Scalar\"]", "", 30, 0, -1 },
        { "aten::_fused_adam_", "[[[2,3],[4]]]", "[\"TensorList\"]", "", 120, 0, -1 },
        { "aten::_cudnn_rnn", "[[5,2,8],[[32,8],[32,8],[32],[32]]]", "[\"float\",\"TensorList\"]", "", 2 * 10 * 512,
          10 * 512, -1 },
        { "aten::mm", "[[9223372036854775807,9223372036854775807],[9223372036854775807,2]]", FF, "", -1, -1, -1 },
        { "aten::relu", "[[-3]]", "[\"float\"]", "", -1, 0, -1 },
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) check_call(&calls[i]);
}

static void operators_are_found_by_name_in_place_or_not(void **state)
{
    (void)state;
    assert_ptr_equal(tfp_aten_find(TFP_STR("aten::add_")), tfp_aten_find(TFP_STR("aten::add")));
    assert_non_null(tfp_aten_find(TFP_STR("aten::view")));
    assert_null(tfp_aten_find(TFP_STR("aten::view"))->count);
    assert_null(tfp_aten_find(TFP_STR("aten::no such")));
    assert_null(tfp_aten_find(TFP_STR("aten::")));
    assert_null(tfp_aten_find(TFP_STR("aten::_")));
    assert_null(tfp_aten_find(TFP_STR("mm")));
}

static void texts_that_are_no_shapes_have_no_count(void **state)
{
    (void)state;
    static const char *const wrong[] = { "", "7", "{}", "[[1,2", "[[1,[2" };
    tfp_aten_call *c = calloc(1, sizeof *c);
    assert_non_null(c);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(tfp_aten_read(c, tfp_str_of(wrong[i]), TFP_STR(""), TFP_STR("")));
    assert_true(tfp_aten_read(c, TFP_STR("[null,\"x\",[[1],2,[3,4]],[1,2]]"), TFP_STR("[1]"), TFP_STR("[")));
    assert_int_equal(c->count, 4);
    assert_int_equal(c->in[2].elements, 13);
    free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_count_by_their_shapes),
        cmocka_unit_test(collectives_move_data_only),
        cmocka_unit_test(operators_are_found_by_name_in_place_or_not),
        cmocka_unit_test(texts_that_are_no_shapes_have_no_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
