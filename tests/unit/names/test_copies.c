// SPDX-License-Identifier: Apache-2.0
/* tests/unit/names/test_copies.c: directions of copies in the spellings of all recorders. */
#include "support.h"

#include "names/copies.h"

static void every_recorder_s_spelling_gives_the_direction(void **state)
{
    (void)state;
    static const struct {
        const char *text, *name;
    } cases[] = { { "Memcpy HtoD (Pageable -> Device)", "HtoD" },
                  { "MemcpyD2H", "DtoH" },
                  { "CopyDeviceToDevice", "DtoD" },
                  { "MEMORY_COPY_HOST_TO_HOST", "HtoH" },
                  { "zeCommandListAppendMemoryCopy(M2D)", "HtoD" },
                  { "CUDA_MEMCPY_KIND_PTOP", "PtoP" },
                  { "Memcpy HtoA (Pinned -> Array)", "unknown" },
                  { "void gemm()", "unknown" },
                  { "", "unknown" } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(tfp_direction_name(tfp_direction_of(tfp_str_of(cases[i].text))), cases[i].name);
    assert_int_equal(tfp_direction_at_start(TFP_STR("DtoH pageable")), TFP_DTOH);
    assert_int_equal(tfp_direction_at_start(TFP_STR("MemcpyD2H")), TFP_UNKNOWN_DIRECTION);
    assert_false(tfp_copy_needs_link(TFP_STR("Memcpy DtoD (Device -> Device)")));
    assert_true(tfp_copy_needs_link(TFP_STR("copy")));
}

static void only_names_that_are_a_direction_are_replaced(void **state)
{
    (void)state;
    static const char *const cases[][2] = { { "MEMORY_COPY_HOST_TO_DEVICE", "Memcpy HtoD" },
                                            { "CopyDeviceToHost", "Memcpy DtoH" },
                                            { "CopyDeviceToHostAsync", "CopyDeviceToHostAsync" },
                                            { "MEMORY_COPY_NONE", "MEMORY_COPY_NONE" },
                                            { "Memcpy HtoD (Pinned -> Device)", "Memcpy HtoD (Pinned -> Device)" } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tfp_str name = tfp_copy_name(tfp_str_of(cases[i][0]));
        assert_true(tfp_str_eq(name, tfp_str_of(cases[i][1])));
    }
}

static void pageable_memory_counts_before_pinned_memory(void **state)
{
    (void)state;
    const tfp_str none = TFP_STR("");
    assert_string_equal(tfp_copy_memory(TFP_STR("Memcpy HtoD (Pageable -> Device)"), none), "pageable");
    assert_string_equal(tfp_copy_memory(TFP_STR("MemcpyH2D"), TFP_STR("kind_src:pinned")), "pinned");
    assert_string_equal(tfp_copy_memory(TFP_STR("HtoH (Pinned -> Pageable)"), none), "pageable");
    assert_null(tfp_copy_memory(TFP_STR("MemcpyH2D"), none));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_recorder_s_spelling_gives_the_direction),
        cmocka_unit_test(only_names_that_are_a_direction_are_replaced),
        cmocka_unit_test(pageable_memory_counts_before_pinned_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
