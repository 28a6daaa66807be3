// SPDX-License-Identifier: Apache-2.0
/* Captures after a finding. They start this test program in place of `tfprof capture`: it has no test of that name, so each capture
 * fails with status 2. */
#include "support.h"

#include "../../../cli/watch/after.h"

static const int64_t pids[] = { 1, 2, 3 };

static void a_capture_that_fails_is_noted_at_the_end(void **state)
{
    (void)state;
    after a = { 0 };
    after_start(&a, pids, 2, "out");
    assert_true(a.child > 0);
    assert_string_equal(after_end(&a), "capture: 0 incomplete (manifest.json in its folder says why), 1 not made");
    assert_int_equal(a.child, 0);
}

static void one_capture_takes_two_processes(void **state)
{
    (void)state;
    after a = { 0 };
    after_start(&a, pids, 3, "out"); /* more processes than one capture takes */
    assert_int_equal(a.child, 0);
    assert_int_equal(a.failed, 1);
}

static void without_captures_nothing_is_noted(void **state)
{
    (void)state;
    after a = { 0 };
    assert_null(after_end(&a));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_capture_that_fails_is_noted_at_the_end),
        cmocka_unit_test(one_capture_takes_two_processes),
        cmocka_unit_test(without_captures_nothing_is_noted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
