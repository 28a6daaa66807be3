// SPDX-License-Identifier: Apache-2.0
/* tests/unit/watch/test_watch_steps.c: steps are found in sequences of calls, with evaluations, noise and calls that
 * all look alike. */
#include "support.h"

#include "watch/judge/steps.h"

static uint32_t seed;
static int64_t chance(int64_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (int64_t)(seed >> 8) % below;
}

/* A job whose steps have these calls ("ABA": three, of two kinds). Every `every` steps it evaluates: 20 other calls, or
 * the same as in a step if `alike`. Counts the steps that are found from step 100 on. */
static tfp_watch_rhythm run(const char *calls, int steps, int every, bool alike, int *found)
{
    tfp_watch_steps *s = tfp_watch_steps_new();
    assert_non_null(s);
    *found = 0;
    for (int i = 0; i < steps; i++) {
        for (const char *c = calls; *c; c++) {
            int64_t gap = c == calls ? 30000 + chance(8000) : 100 + chance(300);
            bool begins = tfp_watch_steps_take(s, (uint64_t)*c, gap);
            *found += begins && i >= 100;
        }
        for (int k = 0; every && i % every == every - 1 && k < 20; k++)
            *found += tfp_watch_steps_take(s, alike ? (uint64_t)calls[0] : 'z', alike ? 500 : 2000) && i >= 100;
    }
    tfp_watch_rhythm r = tfp_watch_steps_rhythm(s);
    tfp_watch_steps_free(s);
    return r;
}

static void the_shortest_period_is_a_step(void **state)
{
    (void)state;
    static const char *const jobs[] = { "ABA", "A", "AAA", "ABABABABABABABABABABABABABABABABABC", "AABB" };
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        int found;
        tfp_watch_rhythm r = run(jobs[i], 1000, 0, false, &found);
        assert_int_equal(r.calls, strlen(jobs[i]));
        assert_true(r.fit > 0.99);
        assert_int_equal(found, 900);
    }
}

static void evaluations_are_no_steps(void **state)
{
    (void)state;
    int found;
    tfp_watch_rhythm r = run("ABA", 2000, 200, false, &found);
    assert_int_equal(r.calls, 3);
    assert_in_range(found, 1900 - 10, 1900);
    r = run("AAA", 2000, 200, true, &found);
    assert_int_equal(r.calls, 3);
    assert_in_range(found, 1900 - 19, 1900 + 19);
    assert_true(r.fit >= 0.95);
}

static void calls_without_a_period_are_no_steps(void **state)
{
    (void)state;
    tfp_watch_steps *s = tfp_watch_steps_new();
    assert_non_null(s);
    for (int i = 0; i < 6000; i++) tfp_watch_steps_take(s, (uint64_t)chance(7), 1000 + chance(100));
    assert_true(tfp_watch_steps_rhythm(s).fit < 0.95);
    tfp_watch_steps_free(s);
}

static void a_changed_job_is_learned_again(void **state)
{
    (void)state;
    tfp_watch_steps *s = tfp_watch_steps_new();
    assert_non_null(s);
    for (int i = 0; i < 9000; i++) tfp_watch_steps_take(s, (uint64_t)(i % 3 == 0), 100);
    assert_int_equal(tfp_watch_steps_rhythm(s).calls, 3);
    for (int i = 0; i < 12000; i++) tfp_watch_steps_take(s, (uint64_t)(i % 5 == 0), 100);
    assert_int_equal(tfp_watch_steps_rhythm(s).calls, 5);
    assert_true(tfp_watch_steps_rhythm(s).fit >= 0.95);
    tfp_watch_steps_free(s);
}

/* Samples at random moments, 20 a second in the mean, of a step of about `step_us` whose first third is in line 7. */
static size_t sample_lines(tfp_watch_line_seen *out, size_t most, int64_t step_us)
{
    int64_t at_us = 0, begin_us = 0, whole_us = step_us;
    for (size_t n = 0; n < most; n++) {
        at_us += 25000 + chance(50000);
        while (at_us >= begin_us + whole_us) {
            begin_us += whole_us;
            whole_us = step_us + chance(step_us / 20);
        }
        bool first = at_us < begin_us + whole_us / 3;
        out[n] = (tfp_watch_line_seen){ at_us, first ? 7 : (uint32_t)(10 + chance(3)) };
    }
    return most;
}

static void lines_in_samples_have_a_period(void **state)
{
    (void)state;
    tfp_watch_line_seen seen[1200];
    size_t n = sample_lines(seen, 1200, 500000);
    tfp_watch_line_period p = tfp_watch_line_period_of(seen, n);
    assert_int_equal(p.line, 7);
    assert_in_range((int)p.us, 490000, 530000);
    assert_true(p.fit >= 0.95);
    for (size_t i = 0; i < n; i++) seen[i].line = (uint32_t)chance(5);
    assert_true(tfp_watch_line_period_of(seen, n).fit < 0.95);
    n = sample_lines(seen, 1200, 90000); /* too short to be seen */
    p = tfp_watch_line_period_of(seen, n);
    assert_true(p.fit < 0.95 || p.line == TFP_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_shortest_period_is_a_step),       cmocka_unit_test(evaluations_are_no_steps),
        cmocka_unit_test(calls_without_a_period_are_no_steps), cmocka_unit_test(a_changed_job_is_learned_again),
        cmocka_unit_test(lines_in_samples_have_a_period),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
