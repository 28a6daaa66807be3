// SPDX-License-Identifier: Apache-2.0
/* Families of kernels (views/triage/families.c). */
#include "model/tables/span_kinds.h"
#include "support.h"
#include "views/triage/triage.h"

static void families_go_by_op_then_module_then_kernel(void **state)
{
    (void)state;
    static const struct {
        const char *op, *module, *kernel, *family;
    } are[] = {
        { "aten::mm", "Attention", "nvjet_tst", "matmul" },
        { "vllm::unified_attention_with_output", "", "flash_fwd", "attention" },
        { "_C::dynamic_scaled_fp8_quant", "FusedMoE", "kernel_e", "quantization" }, /* inside of experts */
        { "vllm::fused_experts", "", "fused_moe_kernel", "moe" },
        { "_C::rotary_embedding", "", "kernel", "rope" },                   /* no embedding */
        { "_C_cache_ops::reshape_and_cache_flash", "", "kernel", "cache" }, /* no attention */
        { "sgl_kernel::silu_and_mul", "", "act_and_mul", "activation" },
        { "aten::index_select", "VocabEmbedding", "vectorized_kernel", "embedding" },
        { "aten::softmax", "Sampler", "softmax", "sampling" },
        { "aten::add", "Attention", "elementwise_kernel", "elementwise" },
        { "aten::ADD", "", "", "elementwise" },
        { "aten::addcmul", "", "", "other" }, /* whole names of elementwise operators */
        { "aten::copy_", "", "unrolled_elementwise_kernel", "copy" },
        { "", "", "_matmul_ogs_NNT_swiglu", "moe" },
        { "", "", "Cijk_Alik_Bljk_silu", "matmul" }, /* a product with an activation after it */
        { "hipGraphLaunch", "", "fmha_cutlassF_bf16", "attention" },
        { "", "", "add_rmsnorm_quant_kernel", "norm" },
        { "", "", "mystery", "other" },
        { "", "", "", "other" },
    };
    for (size_t i = 0; i < sizeof are / sizeof *are; i++)
        assert_string_equal(tfp_family_of(TFP_CLASS_COMPUTE, tfp_str_of(are[i].op), tfp_str_of(are[i].module),
                                          tfp_str_of(are[i].kernel)),
                            are[i].family);
    assert_string_equal(tfp_family_of(TFP_CLASS_COMMUNICATION, TFP_STR("aten::mm"), TFP_STR(""), TFP_STR("nccl")),
                        "collective");
    assert_string_equal(tfp_family_of(TFP_CLASS_SET, TFP_STR(""), TFP_STR(""), TFP_STR("Memset")), "copy");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(families_go_by_op_then_module_then_kernel) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
