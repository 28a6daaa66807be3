// SPDX-License-Identifier: Apache-2.0
/* tests/unit/names/test_names.c: readable names of kernels. */
#include "support.h"

#include "names/names.h"

#include <stdlib.h>

#define DOT " \xc2\xb7 "
#define X "\xc3\x97"
#define TO "\xe2\x86\x92"
#define NATIVE "void at::native::"

static void is_short(const char *full, const char *wanted)
{
    tfp_buf b = { 0 };
    if (!tfp_kernel_short(tfp_str_of(full), &b)) tfp_buf_text(&b, full);
    tfp_buf_char(&b, 0);
    if (strcmp(b.data, wanted) != 0) fail_msg("%.200s is \"%s\", not \"%s\"", full, b.data, wanted);
    tfp_buf_free(&b);
}

static void names_tell_what_a_kernel_does(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclDevComm*, unsigned long)", "SendRecv int8 ring" DOT "nccl" },
        { "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)", "AllReduce sum float ring LL" DOT "nccl" },
        { "ncclDevKernel_ReduceScatter_Max_bf16_TREE_LL128(x)", "ReduceScatter max bf16 tree LL128" DOT "nccl" },
        { "void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_256x64_16x4_tn_align1>(cutlass_80::Params)",
          "gemm tf32 256" X "64 tn" DOT "cutlass" },
        { "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_128x128_32x5_tn_align8>(x)",
          "gemm bf16 128" X "128 tn relu" DOT "cutlass" },
        { "volta_sgemm_32x32_sliced1x4_tn", "gemm float 32" X "32 tn sliced" DOT "volta" },
        { "turing_h1688gemm_128x128_ldg8_stages_32x1_nn", "gemm half 128" X "128 nn" DOT "turing" },
        { "sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize128x128x16_stage4_kernel_cudnn",
          "conv forward tf32 128" X "128" X "16" DOT "cudnn" },
        { "nvjet_tst_192x8_64x8_4x1_v_bz_TNT", "gemm bf16 192" X "8 tn" DOT "nvjet" },
        { "Cijk_Alik_Bljk_HHS_BH_Bias_HA_S_SAV_UserArgs_MT64x32x128_MI32x32x1_SN",
          "gemm half 64" X "32" X "128 tn bias" DOT "tensile" },
        { "bmm_MxE4m3_MxE2m1MxE4m3_Fp32_t128x16x256u2_s3_et128x16_m128x16x32_rM_TN_transOut_bN_clmp_swiGlu_sm100f",
          "bmm mxfp4" X "mxfp8 128" X "16" X "256 tn swiglu" DOT "trtllm" },
        { "gemm_Bfloat16_E4m3_Fp32_t128x64x128_s4_rM_TN_sm100a", "gemm fp8 128" X "64" X "128 tn" DOT "trtllm" },
        /* the form of Nsight Systems */
        { "void at::native::vectorized_elementwise_kernel<(int)4, void at::native::<unnamed>::pow_kernel_impl<float, "
          "float>("
          "at::TensorIteratorBase &, T2)::[lambda(float) (instance 1)], std::array<char *, (unsigned long)2>>(int, T2, "
          "T3)",
          "pow float" DOT "vectorized" },
        { "void at::native::elementwise_kernel<(int)128, (int)2, void at::native::gpu_kernel_impl_nocast<"
          "at::native::BinaryFunctor<float, float, float, at::native::binary_internal::MulFunctor<float>>>("
          "at::TensorIteratorBase &, const T1 &)::[lambda(int) (instance 1)]>(int, T3)",
          "mul float" DOT "elementwise" },
        { "void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda(at::TensorIteratorBase &)::"
          "[lambda() (instance 3)]::operator ()() const::[lambda() (instance 4)]::operator ()() const::"
          "[lambda(long) (instance 1)], std::array<char *, (unsigned long)2>, (int)4>(int, T1)",
          "copy long" DOT "unrolled" },
        { "bmm_of_mine_sm100", "bmm_of_mine_sm100" },
        { NATIVE
          "(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous namespace)::TensorListMetadata<4>, "
          "at::native::(anonymous namespace)::AdamFunctor<float>, float, float>(int)",
          "Adam float" DOT "multi-tensor" },
        { "void multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctor<float>, float, float, adamMode_t, "
          "int>(int)",
          "Adam float" DOT "multi-tensor" },
        { NATIVE "multi_tensor_apply_kernel<TensorListMetadata<2>, BinaryOpScalarFunctor<float, 2, 1, 1>, "
                 "std::multiplies<float>, "
                 "float>(int)",
          "mul float by scalar" DOT "multi-tensor" },
        { NATIVE
          "vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, at::detail::Array<char*, 3> >(int)",
          "add float" DOT "vectorized" },
        { NATIVE "vectorized_elementwise_kernel<4, at::native::AUnaryFunctor<float, float, float, "
                 "at::native::MulFunctor<float> >, "
                 "at::detail::Array<char*, 2> >(int)",
          "mul float by scalar" DOT "vectorized" },
        { NATIVE "elementwise_kernel<128, 2, "
                 "at::native::gpu_kernel_impl<at::native::direct_copy_kernel_cuda(at::T&)::{lambda()#3}::"
                 "operator()() const::{lambda()#7}::operator()() const::{lambda(float)#1}>(at::T&, X "
                 "const&)::{lambda(int)#1}>(int, X)",
          "copy float" DOT "elementwise" },
        { NATIVE "reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::func_wrapper_t<float, "
                 "at::native::sum_functor<float, "
                 "float, float>::operator()(at::T&)::{lambda(float, float)#1}>, unsigned int, float, 4> >(x)",
          "sum float" DOT "reduce" },
        { NATIVE "reduce_kernel<512, 1, at::native::ReduceOp<c10::Half, at::native::MeanOps<c10::Half, float, float, "
                 "c10::Half>, "
                 "unsigned int, c10::Half, 4> >(x)",
          "mean half" DOT "reduce" },
        { NATIVE "(anonymous namespace)::CatArrayBatchedCopy<float, unsigned int, 2, 128, 1>(float*)", "cat float 2d" },
        { "void fbgemm_gpu::permute_2D_data_kernel<false, int, int, float>(int)", "permute_2D_data int" DOT "fbgemm" },
        { "void cub::DeviceRadixSortOnesweepKernel<cub::DeviceRadixSortPolicy<long, X<8>, int>::Policy800, false, "
          "long, int>(x)",
          "radix sort long" DOT "cub" },
        { "void cudnn::ops::nchwToNhwcKernel<float, float, float, false, true>(x)",
          "nchw" TO "nhwc float" DOT "cudnn" },
        { "triton__0d1d2d3d4d5d6d", "triton 7 args" },
        { "triton_poi_fused_add_mul_3", "add_mul 3" DOT "triton pointwise" },
        { "Memcpy HtoD (Pinned -> Device)", "copy host" TO "device" DOT "pinned" },
        { "Memcpy DtoD (Device -> Device)", "copy device" TO "device" },
        { "Memset (Device)", "set device" },
        { "_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi256EEEvPT0_", "add_rmsnorm_quant bf16" DOT "aiter" },
        { "_ZN7ck_tile6kentryILi2ENS_38FmhaBatchPrefillWithPagedKVCacheKernelINS_40Block",
          "FmhaBatchPrefillWithPagedKVCache" DOT "ck_tile" },
        { "_ZN7ck_tile6kentryILi1EvE", "kentry" DOT "ck_tile" },
        { "void (anonymous namespace)::softmax_warp_forward<float, float, float, 9, true>(x)",
          "softmax_warp_forward float" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) is_short(cases[i][0], cases[i][1]);
}

static void other_names_stay(void **state)
{
    (void)state;
    static const char *const names[] = { "aten::mm",
                                         "fusion.3",
                                         "fusion.3 (async)",
                                         "all-reduce.1",
                                         "copy-start",
                                         "",
                                         "my kernel",
                                         "reduce_segments",
                                         "<",
                                         ">>>",
                                         "((",
                                         "void ",
                                         "_ZN99999999999999999999x",
                                         "triton_",
                                         "nccl",
                                         "Memcpy ",
                                         "Cijk_",
                                         "::",
                                         "a::",
                                         "x<y",
                                         "f<(>(" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        tfp_buf b = { 0 };
        bool is = tfp_kernel_short(tfp_str_of(names[i]), &b);
        assert_true(is == (b.size > 0));
        if (i < 8) assert_false(is);
        tfp_buf_free(&b);
    }
}

static void a_short_name_has_at_most_64_letters(void **state)
{
    (void)state;
    char name[4000] = "void lib::";
    memset(name + 10, 'n', 3000);
    strcpy(name + 3010, "<float>(int)");
    tfp_buf b = { 0 };
    assert_true(tfp_kernel_short(tfp_str_of(name), &b));
    assert_true(b.size <= 64 + 3); /* an ellipsis and a dot need more than one byte */
    assert_true(tfp_str_ends((tfp_str){ b.data, b.size }, TFP_STR("lib")));
    tfp_buf_free(&b);
}

static void equal_names_are_told_apart(void **state)
{
    (void)state;
    const tfp_str full[] = {
        TFP_STR("void cutlass::Kernel<cutlass_80_simt_sgemm_128x64_8x4_nn_align1>(x)"),
        TFP_STR("plain"),
        TFP_STR("void cutlass::Kernel<cutlass_80_simt_sgemm_128x64_8x5_nn_align1>(x)"),
        TFP_STR("void cutlass::Kernel<cutlass_80_simt_sgemm_128x64_8x4_nn_align1>(x)"),
    };
    tfp_str shorts[4];
    tfp_arena arena = { 0 };
    assert_true(tfp_kernel_shorts(&arena, full, 4, shorts));
    assert_true(tfp_str_ends(shorts[0], TFP_STR(" (8x4)")));
    assert_true(tfp_str_ends(shorts[2], TFP_STR(" (8x5)")));
    assert_true(tfp_str_eq(shorts[0], shorts[3]) && tfp_str_eq(shorts[1], full[1]));
    tfp_str same[2] = { full[0], full[0] };
    assert_true(tfp_kernel_shorts(&arena, same, 2, shorts));
    assert_false(tfp_str_has(shorts[0], TFP_STR("(")));
    tfp_arena_free(&arena);
}

/* Deeply nested and unbalanced names do not hang the reader, and long names give short ones. */
static void hostile_names_end(void **state)
{
    (void)state;
    size_t size = 1 << 20;
    char *name = malloc(size + 1);
    static const char *const units[] = { "<", "(", "at::native::AUnaryFunctor<", "{lambda(", "gpu_kernel_impl<", "::",
                                         ">", "1" };
    for (size_t i = 0; name && i < sizeof units / sizeof *units; i++) {
        size_t n = strlen(units[i]);
        for (size_t at = 0; at < size; at++) name[at] = units[i][at % n];
        memcpy(name, "void elementwise_kernel<", 24);
        name[size] = 0;
        tfp_buf b = { 0 };
        tfp_kernel_short(tfp_str_of(name), &b);
        assert_true(b.size <= 80);
        tfp_buf_free(&b);
    }
    free(name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_tell_what_a_kernel_does),
        cmocka_unit_test(other_names_stay),
        cmocka_unit_test(a_short_name_has_at_most_64_letters),
        cmocka_unit_test(equal_names_are_told_apart),
        cmocka_unit_test(hostile_names_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
