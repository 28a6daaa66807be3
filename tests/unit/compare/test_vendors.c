// SPDX-License-Identifier: Apache-2.0
/* Names that two vendors give to the same thing (compare/vendors.c). */
#include "compare/vendors.h"
#include "support.h"

static void calls_have_no_vendor(void **state)
{
    (void)state;
    static const struct {
        const char *call, *bare;
    } are[] = { { "cudaMemcpyAsync", "MemcpyAsync" },
                { "hipMemcpyAsync", "MemcpyAsync" },
                { "cuMemcpyAsync", "MemcpyAsync" },
                { "cudaLaunchKernelExC", "LaunchKernel" },
                { "hipExtModuleLaunchKernel", "LaunchKernel" },
                { "cuda", "cuda" },
                { "cudnnCreate", "cudnnCreate" },
                { "hipblasCreate", "hipblasCreate" },
                { "aten::mm", "aten::mm" },
                { "", "" } };
    for (size_t i = 0; i < sizeof are / sizeof *are; i++)
        assert_true(tfp_str_eq(tfp_call_without_vendor(tfp_str_of(are[i].call)), tfp_str_of(are[i].bare)));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(calls_have_no_vendor) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
