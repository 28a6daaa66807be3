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

/* A job is watched from its first import on, which takes longer than all steps until the fault. */
static void the_start_of_a_job_is_not_compared_with(void **state)
{
    (void)state;
    simulation s = SIMULATED;
    s.culprit = 2, s.start_looks = 1000, s.extra = 0.25;
    run_simulation(&s, 900);
    assert_int_equal(s.found, 1);
    assert_string_equal(s.findings[0].line, "train.py:9:fault");
    assert_string_equal(s.findings[0].cause, "input");
}

/* The steps of a healthy history in other orders meet the rule (almost) never; of a rank that is late in runs, often. */
static void the_chance_is_looked_up_in_the_history_too(void **state)
{
    (void)state;
    simulation s = SIMULATED;
    s.culprit = 2;
    run_simulation(&s, 900);
    assert_int_equal(s.found, 1);
    assert_true(s.findings[0].windows > 5000);
    assert_true(s.findings[0].met >= 0 && s.findings[0].met < 5);
}

/* The GPU of a rank runs at a lower clock, and the lines of its forward take longer by the same factor. */
static void a_slow_clock_is_throttled(void **state)
{
    (void)state;
    simulation s = SIMULATED;
    s.culprit = 1, s.doing = TFP_WATCH_COMPUTE, s.clock = 1400;
    run_simulation(&s, 900);
    assert_int_equal(s.found, 1);
    assert_string_equal(s.findings[0].cause, "throttled");
    s = (simulation)SIMULATED;
    s.culprit = 1, s.doing = TFP_WATCH_COMPUTE;
    run_simulation(&s, 900);
    assert_string_equal(s.findings[0].cause, "compute");
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

/* Other processes that take the CPU of a rank for seven seconds are no finding; when they stay, they are one. */
static void a_neighbour_that_goes_away_is_no_finding(void **state)
{
    (void)state;
    for (int stays = 0; stays < 2; stays++) {
        simulation s = SIMULATED;
        s.culprit = 1;
        s.doing = TFP_WATCH_COMPUTE;
        s.delay = 1;
        s.until = stays ? 1000000 : 700;
        run_simulation(&s, 1100);
        assert_int_equal(s.found, stays);
        if (!stays) continue;
        assert_string_equal(s.findings[0].cause, "neighbour");
        assert_in_range(s.findings[0].since_step, 595, 601);
        assert_true(s.findings[0].found_us < 1000000000 + 600 * 55000 + 15000000);
    }
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
    int count = wanted ? atoi(wanted) : 42, right = 0, causes = 0, in_time = 0, more = 0;
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
        causes += found && !strcmp(s.findings[0].cause, kinds[i % 7].cause);
        more += s.found > 1;
        if (wanted && (!found || strcmp(s.findings[0].cause, kinds[i % 7].cause)))
            print_message("%d: %d ranks, %s, extra %.2f, rank %d: %d findings, %s of %lld by %s, certainty %.2f\n", i,
                          s.ranks, kinds[i % 7].cause, s.extra, s.culprit, s.found, s.findings[0].kind,
                          (long long)s.findings[0].rank, s.findings[0].cause, s.findings[0].certainty);
        in_time += found;
    }
    if (wanted)
        print_message("faults %d: rank %d, rank and cause %d, more than one finding %d\n", count, right, causes, more);
    assert_true(right * 100 >= count * 95);
    assert_true(causes * 100 >= count * 95);
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

/* One finding, of this kind, rank and cause. */
static void assert_found(const simulation *s, const char *kind, int64_t rank, const char *why)
{
    assert_int_equal(s->found, 1);
    assert_string_equal(s->findings[0].kind, kind);
    assert_int_equal(s->findings[0].rank, rank);
    assert_string_equal(s->findings[0].cause, why);
}

static void a_job_that_becomes_slower_is_slow(void **state)
{
    (void)state;
    static const struct {
        const char *cause;
        tfp_watch_class doing;
        int delay;
    } kinds[] = { { "collective", TFP_WATCH_WAIT, 0 },
                  { "input", TFP_WATCH_INPUT, 0 },
                  { "storage", TFP_WATCH_STORAGE, 0 },
                  { "neighbour", TFP_WATCH_COMPUTE, 1 },
                  { "throttled", TFP_WATCH_COMPUTE, 2 } };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        simulation s = SIMULATED;
        s.from = 2500;
        s.culprit = RANKS;
        s.doing = kinds[i].doing;
        s.delay = kinds[i].delay;
        s.extra = 0.2;
        run_simulation(&s, 2800);
        assert_found(&s, "slow", TFP_ABSENT, kinds[i].cause);
        assert_true(fabs(s.findings[0].gain - 0.2 / 1.2) < 0.05);
        assert_true(s.findings[0].chance < 1e-4);
        assert_true(s.findings[0].windows > 1000 && s.findings[0].met == 0);
    }
}

static void longer_batches_are_a_change(void **state)
{
    (void)state;
    simulation s = SIMULATED;
    s.from = 2500;
    s.longer = 1.4;
    s.spread = 0.2;
    run_simulation(&s, 3000);
    assert_found(&s, "change", TFP_ABSENT, "longer");
}

static void without_arrivals_the_rank_that_waits_least_is_late(void **state)
{
    (void)state;
    simulation s = SIMULATED;
    s.arrivals = false;
    s.culprit = 3;
    run_simulation(&s, 1100);
    assert_found(&s, "late", 3, "input");
}

static void jobs_are_not_mixed(void **state)
{
    (void)state;
    simulation s[2] = { SIMULATED, SIMULATED };
    tfp_watch_judge *j;
    tfp_watch_heard heard = { simulated_found, simulated_late, &s[0] };
    assert_int_equal(tfp_watch_judge_new(&heard, &j, NULL), TFP_OK);
    s[0].culprit = 1;
    simulate(&s[0], j, 1, 900);
    simulate(&s[1], j, 2, 900); /* its findings would come to s[0] */
    tfp_watch_judge_free(j);
    assert_found(&s[0], "late", 1, "input");
}

/* ---- hang ---- */

typedef struct ticking {
    simulation seen;
    tfp_watch_judge *j;
    tfp_watch_rank ranks[4];
    tfp_watch_fact facts[4];
    int64_t now_us;
} ticking;

/* A job of four ranks after 100 seconds of progress; all are in the same collective. */
static void begin(ticking *t)
{
    *t = (ticking){ .seen = SIMULATED, .now_us = 1000000000 };
    tfp_watch_heard heard = { simulated_found, NULL, &t->seen };
    assert_int_equal(tfp_watch_judge_new(&heard, &t->j, NULL), TFP_OK);
    for (int i = 0; i < 4; i++) {
        t->ranks[i] = (tfp_watch_rank){
            .number = (uint64_t)i + 1, .job = 1, .pid = 50 + i, .rank = i, .world = 4, .name = TFP_STR("job")
        };
        t->facts[i] = (tfp_watch_fact){ .rank = &t->ranks[i],
                                        .state = 'S',
                                        .doing = TFP_WATCH_WAIT,
                                        .cpu_ns = 5,
                                        .other_cpu_ns = 5,
                                        .collectives = 0,
                                        .hits = 0,
                                        .collective = TFP_STR("all_reduce"),
                                        .line = TFP_STR("train.py:30:reduce"),
                                        .stack = 9 };
    }
}

/* Ticks for so many seconds; `runs`: these ranks use CPU time at this many different stacks. */
static void tick(ticking *t, int seconds, bool progress, int runner, uint64_t stacks)
{
    for (int i = 0; i < seconds; i++) {
        t->now_us += 1000000;
        t->seen.now_us = t->now_us;
        for (int r = 0; r < 4; r++) {
            if (progress) t->facts[r].collectives++, t->facts[r].hits += 2;
            if (r == runner)
                t->facts[r].cpu_ns += 900000000, t->facts[r].stack = (uint64_t)i % stacks, t->facts[r].state = 'R';
        }
        assert_int_equal(tfp_watch_judge_tick(t->j, t->facts, 4, t->now_us, t->now_us + 1000000000000000), TFP_OK);
    }
}

static void miss(ticking *t, int rank, tfp_watch_class doing)
{
    t->facts[rank].collective = (tfp_str){ NULL, 0 };
    t->facts[rank].doing = doing;
    t->facts[rank].line = TFP_STR("train.py:9:fault");
}

static void a_rank_that_stands_outside_hangs_the_job(void **state)
{
    (void)state;
    static const struct {
        const char *cause;
        tfp_watch_class doing;
        char state;
        bool ended;
        int runner;
    } kinds[] = { { "input", TFP_WATCH_INPUT, 'S', false, -1 },     { "lock", TFP_WATCH_LOCK, 'S', false, -1 },
                  { "storage", TFP_WATCH_COMPUTE, 'D', false, -1 }, { "missing", TFP_WATCH_COMPUTE, 'S', false, -1 },
                  { "stopped", TFP_WATCH_COMPUTE, 'T', false, -1 }, { "ended", TFP_WATCH_COMPUTE, 'X', true, -1 },
                  { "compute", TFP_WATCH_COMPUTE, 'R', false, 2 } };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        ticking t;
        begin(&t);
        tick(&t, 100, true, -1, 1);
        miss(&t, 2, kinds[i].doing);
        t.facts[2].state = kinds[i].state;
        t.facts[2].ended = kinds[i].ended;
        tick(&t, 9, false, kinds[i].runner, 3);
        assert_found(&t.seen, "hang", 2, kinds[i].cause);
        assert_true(t.seen.findings[0].found_us - 1100000000 <= 8000000);
        if (!kinds[i].ended) assert_string_equal(t.seen.findings[0].line, "train.py:9:fault");
        tfp_watch_judge_free(t.j);
    }
}

static void pauses_that_are_no_hang(void **state)
{
    (void)state;
    ticking t;
    begin(&t);
    tick(&t, 100, true, -1, 1);
    miss(&t, 1, TFP_WATCH_COMPUTE);
    tick(&t, 100, false, 1, 40); /* an evaluation of one rank, at many lines */
    assert_int_equal(t.seen.found, 0);
    tick(&t, 10, true, -1, 1);
    t.now_us += 500000000; /* the machine was suspended */
    tick(&t, 3, false, -1, 1);
    tick(&t, 10, true, -1, 1);
    assert_int_equal(t.seen.found, 0);
    tick(&t, 120, false, -1, 1); /* no longer than the pause that ended by itself, by half */
    assert_int_equal(t.seen.found, 0);
    tick(&t, 60, false, -1, 1);
    assert_int_equal(t.seen.found, 1);
    assert_int_equal(t.seen.findings[0].rank, 1);
    tick(&t, 1, true, -1, 1);
    assert_int_equal(t.seen.ended, 1);
    tfp_watch_judge_free(t.j);
}

static void a_job_that_ends_is_no_hang(void **state)
{
    (void)state;
    ticking t;
    begin(&t);
    tick(&t, 100, true, -1, 1);
    for (int r = 0; r < 4; r++) t.facts[r].ended = true;
    tick(&t, 100, false, -1, 1);
    assert_int_equal(t.seen.found, 0);
    tfp_watch_judge_free(t.j);
}

static void a_process_that_ended_is_noted(void **state)
{
    (void)state;
    ticking t;
    begin(&t);
    tick(&t, 100, true, -1, 1);
    t.facts[3].ended = true;
    tick(&t, 20, true, -1, 1);
    assert_found(&t.seen, "ended", 3, "ended");
    tfp_watch_judge_free(t.j);
}

/* Processes that come and go: what the judge keeps is bounded, and jobs that ended are forgotten. */
static void jobs_that_come_and_go_are_forgotten(void **state)
{
    (void)state;
    tfp_watch_judge *j;
    simulation s = SIMULATED;
    tfp_watch_heard heard = { simulated_found, NULL, &s };
    assert_int_equal(tfp_watch_judge_new(&heard, &j, NULL), TFP_OK);
    for (uint64_t i = 1; i < 20000; i++) {
        tfp_watch_rank who = { .number = i, .job = i, .pid = 9, .rank = TFP_ABSENT, .name = TFP_STR("x") };
        tfp_watch_fact f = {
            .rank = &who, .ended = i % 2, .state = 'S', .collectives = TFP_ABSENT, .hits = TFP_ABSENT, .stack = i
        };
        assert_int_equal(tfp_watch_judge_tick(j, &f, 1, (int64_t)i * 100000, (int64_t)i), TFP_OK);
    }
    assert_int_equal(s.found, 0);
    tfp_watch_judge_free(j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slow_loader_is_late_by_input),
        cmocka_unit_test(the_start_of_a_job_is_not_compared_with),
        cmocka_unit_test(the_chance_is_looked_up_in_the_history_too),
        cmocka_unit_test(a_slow_clock_is_throttled),
        cmocka_unit_test(a_late_rank_that_recovers_ends_its_finding),
        cmocka_unit_test(a_neighbour_that_goes_away_is_no_finding),
        cmocka_unit_test(rank_and_cause_are_right),
        cmocka_unit_test(healthy_jobs_get_no_finding),
        cmocka_unit_test(a_job_that_becomes_slower_is_slow),
        cmocka_unit_test(longer_batches_are_a_change),
        cmocka_unit_test(without_arrivals_the_rank_that_waits_least_is_late),
        cmocka_unit_test(jobs_are_not_mixed),
        cmocka_unit_test(a_rank_that_stands_outside_hangs_the_job),
        cmocka_unit_test(pauses_that_are_no_hang),
        cmocka_unit_test(a_job_that_ends_is_no_hang),
        cmocka_unit_test(a_process_that_ended_is_noted),
        cmocka_unit_test(jobs_that_come_and_go_are_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
