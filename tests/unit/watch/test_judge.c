// SPDX-License-Identifier: Apache-2.0
/* tests/unit/watch/test_judge.c: the rules of `watch` on simulated jobs: the right rank and cause, and nothing about
 * healthy jobs. */
#include "simulated.h"

static void a_slow_loader_is_late_by_input(void **state)
{
    (void)state;
    simulation s = SIMULATED;
    s.culprit = 2;
    run_simulation(&s, 900);
    assert_int_equal(s.found, 1);
    assert_string_equal(s.findings[0].kind, "late");
    assert_string_equal(s.findings[0].cause, "input");
    assert_string_equal(s.findings[0].line, "train.py:9:fault");
    assert_int_equal(s.findings[0].rank, 2);
    assert_in_range(s.findings[0].since_step, 595, 601);
    assert_true(s.findings[0].chance <= 1e-6);
    assert_true(s.findings[0].certainty >= 0.8);
    assert_true(fabs(s.findings[0].gain - 1.0 / 3) < 0.05);
    assert_true(fabs(s.findings[0].late_us - 25000) < 3000);
    assert_true(s.lateness > 15000);
}

static void a_late_rank_that_recovers_ends_its_finding(void **state)
{
    (void)state;
    simulation s = SIMULATED;
    s.culprit = 1;
    s.until = 900;
    run_simulation(&s, 1100);
    assert_int_equal(s.found, 1);
    assert_int_equal(s.ended, 1);
}

/* Faults of 10 to 100 % of a step, of all kinds, in jobs of 2 to 32 ranks. TFPROF_SIMULATIONS: how many. */
static void rank_and_cause_are_right(void **state)
{
    (void)state;
    static const struct {
        const char *cause;
        tfp_watch_class doing;
        int delay;
    } kinds[] = { { "input", TFP_WATCH_INPUT, 0 },      { "gc", TFP_WATCH_GC, 0 },
                  { "lock", TFP_WATCH_LOCK, 0 },        { "storage", TFP_WATCH_STORAGE, 0 },
                  { "compute", TFP_WATCH_COMPUTE, 0 },  { "neighbour", TFP_WATCH_COMPUTE, 1 },
                  { "throttled", TFP_WATCH_COMPUTE, 2 } };
    static const int ranks[] = { 2, 3, 4, 8, 16, 32 };
    const char *wanted = getenv("TFPROF_SIMULATIONS");
    int count = wanted ? atoi(wanted) : 42, right = 0, cause = 0, in_time = 0, more = 0;
    for (int i = 0; i < count; i++) {
        simulation s = SIMULATED;
        s.seed = (uint64_t)i * 7919 + 1;
        s.ranks = ranks[i % 6];
        s.culprit = (i / 6) % s.ranks;
        s.doing = kinds[i % 7].doing;
        s.delay = kinds[i % 7].delay;
        s.extra = 0.1 + 0.9 * (double)((i * 37) % 100) / 99;
        run_simulation(&s, 1000);
        bool found = s.found > 0 && s.findings[0].rank == s.culprit && !strcmp(s.findings[0].kind, "late");
        right += found;
        cause += found && !strcmp(s.findings[0].cause, kinds[i % 7].cause);
        more += s.found > 1;
        if (wanted && (!found || strcmp(s.findings[0].cause, kinds[i % 7].cause)))
            print_message("%d: %d ranks, %s, extra %.2f, rank %d: %d findings, %s of %lld by %s, certainty %.2f\n", i,
                          s.ranks, kinds[i % 7].cause, s.extra, s.culprit, s.found, s.findings[0].kind,
                          (long long)s.findings[0].rank, s.findings[0].cause, s.findings[0].certainty);
        in_time += found;
    }
    if (wanted)
        print_message("faults %d: rank %d, rank and cause %d, more than one finding %d\n", count, right, cause, more);
    assert_true(right * 100 >= count * 95);
    assert_true(cause * 100 >= count * 95);
    assert_true(more * 100 <= count);
}

/* Healthy jobs with evaluations, checkpoints, longer batches and noise with a heavy tail. */
static void healthy_jobs_get_no_finding(void **state)
{
    (void)state;
    const char *wanted = getenv("TFPROF_SIMULATIONS");
    int count = wanted ? atoi(wanted) : 8, alarms = 0;
    int64_t steps = 0;
    for (int i = 0; i < count; i++) {
        simulation s = SIMULATED;
        s.seed = (uint64_t)i * 104729 + 5;
        s.ranks = (int[]){ 2, 4, 8, 32 }[i % 4];
        s.noise = 0.02 + 0.1 * (i % 5);
        s.tail = i % 3 ? 0.01 : 0.05;
        s.spread = 0.3 * (i % 2);
        s.evaluate_every = i % 2 ? 150 : 0;
        s.checkpoint_every = i % 3 ? 0 : 97;
        s.longer = i % 4 == 3 ? 1.5 : 0;
        s.rate = 2;
        run_simulation(&s, 2000);
        for (int k = 0; k < s.found; k++) alarms += strcmp(s.findings[k].kind, "change") != 0;
        if (wanted && s.found)
            print_message("%d: %s of %lld by %s\n", i, s.findings[0].kind, (long long)s.findings[0].rank,
                          s.findings[0].cause);
        steps += 2000;
    }
    if (wanted) print_message("%lld healthy steps of jobs, %d alarms\n", (long long)steps, alarms);
    assert_int_equal(alarms, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slow_loader_is_late_by_input),
        cmocka_unit_test(a_late_rank_that_recovers_ends_its_finding),
        cmocka_unit_test(rank_and_cause_are_right),
        cmocka_unit_test(healthy_jobs_get_no_finding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
