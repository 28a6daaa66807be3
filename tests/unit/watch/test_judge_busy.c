// SPDX-License-Identifier: Apache-2.0
/* tests/unit/watch/test_judge_busy.c: what a busy machine, and the job's own history, change in findings of `watch`. */
#include "simulated.h"

#include "watch/judge/parts.h"

/* On a machine where a thread that slept waits 5 or 20 ms for a CPU, causes are those of an idle one. */
static void a_busy_machine_changes_no_cause(void **state)
{
    (void)state;
    static const struct {
        const char *cause;
        tfp_watch_class doing;
        int delay;
    } kinds[] = { { "input", TFP_WATCH_INPUT, 0 },
                  { "lock", TFP_WATCH_LOCK, 0 },
                  { "storage", TFP_WATCH_STORAGE, 0 },
                  { "compute", TFP_WATCH_COMPUTE, 0 },
                  { "neighbour", TFP_WATCH_COMPUTE, 1 } };
    const char *wanted = getenv("TFPROF_SIMULATIONS");
    int count = wanted ? atoi(wanted) : 40, found = 0, right = 0;
    for (int i = 0; i < count; i++) {
        simulation s = SIMULATED;
        s.seed = (uint64_t)i * 6101 + 3;
        s.busy_us = i % 2 ? 5000 : 20000;
        s.culprit = i % 4;
        s.doing = kinds[i % 5].doing;
        s.delay = kinds[i % 5].delay;
        s.extra = 0.5 + 0.5 * (double)((i * 37) % 100) / 99;
        run_simulation(&s, 1200);
        bool fine = s.found > 0 && s.findings[0].rank == s.culprit && !strcmp(s.findings[0].cause, kinds[i % 5].cause);
        found += s.found > 0;
        right += fine;
        if (wanted && !fine)
            print_message("%d: busy %.0f, %s, extra %.2f, rank %d: %d findings, %s of %lld by %s, certainty %.2f\n", i,
                          s.busy_us, kinds[i % 5].cause, s.extra, s.culprit, s.found, s.findings[0].kind,
                          (long long)s.findings[0].rank, s.findings[0].cause, s.findings[0].certainty);
    }
    if (wanted) print_message("busy machine, %d faults: %d found, rank and cause %d\n", count, found, right);
    assert_true(found * 100 >= count * 85); /* lateness within three MADs of such noise is no finding */
    assert_int_equal(right, found);
}

/* Places are counted from the 31st window on; a shorter history has none. */
static void the_chance_of_a_slow_job_is_counted_in_its_history(void **state)
{
    (void)state;
    double calm[60], steep[60];
    size_t met, places;
    for (int i = 0; i < 60; i++) calm[i] = 50000 + i % 7 * 100, steep[i] = i < 4 ? 90000 + i : 50000 + i % 7 * 100;
    assert_false(judge_slow_permuted(calm, 33, &met, &places));
    assert_true(judge_slow_permuted(calm, 60, &met, &places));
    assert_int_equal(met, 0);
    assert_int_equal(places, 400 * 27);
    assert_true(judge_slow_permuted(steep, 34, &met, &places)); /* the four are the last ones in 1 of 46,376 orders */
    assert_int_equal(met, 0);
    assert_int_equal(places, 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_busy_machine_changes_no_cause),
        cmocka_unit_test(the_chance_of_a_slow_job_is_counted_in_its_history),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
