// SPDX-License-Identifier: Apache-2.0
/* tests/unit/formats/test_nsys.c: numbers of calls in a recording of Nsight Systems are keys that processes do not share. */
#include "formats/sqlite/nsys.h"
#include "model/tables/profile.h"
#include "support.h"

#define PIDS 12 /* more than have ranges of their own */

static void calls_of_different_processes_have_different_keys(void **state)
{
    (void)state;
    static const int64_t numbers[] = { 1,         2,          33554431,   33554432,   268435456,  536870912, 805306367,
                                       805306368, 1073741823, 1073741824, 2147483646, 2147483647, 4294967296 };
    enum { NUMBERS = sizeof numbers / sizeof *numbers };
    uint32_t keys[PIDS * NUMBERS];
    tfp_profile *p = tfp_profile_new();
    tfp_builder b = { .p = p, .file = "test" };
    tfp_recording r = { .b = &b };
    tfp_nsys n = { .r = &r };
    for (int again = 0; again < 2; again++) {
        for (size_t i = 0; i < PIDS * NUMBERS; i++) {
            int64_t global = (int64_t)(100 + i / NUMBERS) << 24 | 7;
            uint32_t key = tfp_nsys_key(&n, global, numbers[i % NUMBERS]);
            if (again) assert_int_equal(keys[i], key);
            keys[i] = key;
            assert_true(key > 0);
        }
    }
    for (size_t i = 0; i < PIDS * NUMBERS; i++)
        for (size_t k = 0; k < i; k++) assert_int_not_equal(keys[i], keys[k]);
    assert_int_equal(tfp_nsys_key(&n, 100 << 24, 0), 0);
    assert_true(tfp_nsys_key(&n, 108 << 24, 33554431) < UINT32_C(1) << 31);
    assert_int_equal(b.status, TFP_OK);
    tfp_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_of_different_processes_have_different_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
