// SPDX-License-Identifier: Apache-2.0
/* tests/unit/model/test_whose.c: whose code a file is by its path, and which frame stands for a stack. */
#include "model/frames/kinds.h"
#include "model/frames/whose.h"
#include "model/span_names.h"
#include "support.h"

#define SITE "/opt/venv/lib/python3.12/site-packages/"

static void expect(tfp_code_kind kind, const char *const *paths)
{
    for (; *paths; paths++)
        if (tfp_code_kind_of(tfp_str_of(*paths)) != kind) fail_msg("%s is not of kind %d", *paths, (int)kind);
}
#define EXPECT(kind, ...) expect(kind, (const char *const[]){ __VA_ARGS__, NULL })

static void kernels_by_package(void **state)
{
    (void)state;
    EXPECT(TFP_CODE_OF_KERNELS, "aiter/tuned_gemm.py", "flash_mla.py", "torch_guard.py", SITE "flashinfer/decode.py",
           "/usr/lib/python3/dist-packages/xformers/ops/rope.py", "/src/aiter/aiter/ops/gemm.py", "vllm/_custom_ops.py",
           SITE "vllm/_custom_ops.py", "_custom_ops.py", "csrc/build.py", SITE "cuda/core.py", "quack/rmsnorm.py");
}

static void own_files_with_such_names(void **state)
{
    (void)state;
    EXPECT(TFP_CODE_OWN, "vllm/v1/attention/backends/flashinfer.py", "/src/engine/backends/flash_attn.py",
           "/work/cuda/train.py", "/home/mori/x/model.py", "sglang/srt/models/qwen3.py",
           "transformers/models/qwen2/modeling_qwen2.py", "train.py", "requests.py", SITE "vllm/v1/worker.py",
           "<ipython-input-3-a>", "C:\\work\\net.py", "/srv/json/net.py", "my_custom_ops.py", "");
}

static void frameworks_and_installed_packages(void **state)
{
    (void)state;
    EXPECT(TFP_CODE_OF_FRAMEWORK, "torch/nn/modules/linear.py", "/src/pytorch/torch/nn/functional.py",
           SITE "torch/_ops.py", "typing.py", "vllm/compilation/caching.py", SITE "vllm/compilation/caching.py",
           "/src/sglang/python/sglang/srt/compilation/backend.py", "<eval_with_key>.50",
           "/tmp/torchinductor_me/ab/cabc.py", "requests/api.py", "C:\\src\\torch\\nn\\functional.py", "$builtins");
    EXPECT(TFP_CODE_INSTALLED, SITE "requests/api.py", SITE "fancy/block.py", SITE "einops.py");
    assert_string_equal(tfp_package_of(TFP_STR(SITE "fancy/block.py")).data, "fancy/block.py");
    assert_int_equal(tfp_package_of(TFP_STR(SITE "einops.py")).size, 6);
    assert_null(tfp_package_of(TFP_STR("train.py")).data);
}

/* The index of the frame that stands for a stack of files, outermost first; -1: none. */
static int line_of(const char *const *files)
{
    tfp_stack_line line = TFP_STACK_TOP;
    for (uint32_t i = 0; files[i]; i++)
        line = tfp_stack_below(line, tfp_whose_frame(NULL, tfp_str_of(files[i]), TFP_STR("f")), i);
    return line.at == TFP_NONE ? -1 : (int)line.at;
}
#define LINE_OF(...) line_of((const char *const[]){ __VA_ARGS__, NULL })

static void the_innermost_own_frame_outside_of_ops(void **state)
{
    (void)state;
    assert_int_equal(LINE_OF("main.py", "net.py", "aiter/gemm.py", "torch/_ops.py", "torch/nn/functional.py"), 1);
    assert_int_equal(LINE_OF("main.py", "torch/_ops.py", "impl.py", "torch/_ops.py", "inner.py"), 0);
    assert_int_equal(LINE_OF("threading.py", "torch/_library/custom_ops.py", "impl.py", "inner.py"), 3);
    assert_int_equal(LINE_OF("runpy.py", "aiter/gemm.py", "torch/nn/functional.py"), 1);
    assert_int_equal(LINE_OF("runpy.py", SITE "flashinfer/decode.py"), -1);
    assert_int_equal(LINE_OF("main.py", "mytorch/_ops.py", "net.py"), 2);
}

static void functions_that_torch_calls_for_ops(void **state)
{
    (void)state;
    assert_true(tfp_whose_frame(NULL, TFP_STR("watch.py"), TFP_STR("__torch_dispatch__")) & TFP_FRAME_OP);
    assert_false(tfp_whose_frame(NULL, TFP_STR("watch.py"), TFP_STR("dispatch")) & TFP_FRAME_OP);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(kernels_by_package),
                                        cmocka_unit_test(own_files_with_such_names),
                                        cmocka_unit_test(frameworks_and_installed_packages),
                                        cmocka_unit_test(the_innermost_own_frame_outside_of_ops),
                                        cmocka_unit_test(functions_that_torch_calls_for_ops) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
