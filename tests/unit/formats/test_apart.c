// SPDX-License-Identifier: Apache-2.0
/* tests/unit/formats/test_apart.c: which traces are ranks of one job, and which are separate runs. */
#include "support.h"

#include "tfprof/tfprof.h"

#include <stdio.h>
#include <string.h>

typedef struct trace {
    const char *path;
    int rank, ranks; /* -1: not in the file */
    size_t run;      /* the expected result */
} trace;

static void add_trace(tfp_profile *p, const trace *t)
{
    static const char events[] = "\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":1,"
                                 "\"tid\":1,\"ts\":1,\"dur\":2}]}";
    char text[512], told[128] = "";
    tfp_error *err = tfp_error_new();
    if (t->rank >= 0)
        snprintf(told, sizeof told, "\"distributedInfo\":{\"rank\":%d,\"world_size\":%d},", t->rank, t->ranks);
    int n = snprintf(text, sizeof text, "{\"schemaVersion\":1,%s%s", told, events);
    if (tfp_profile_add_bytes(p, "kineto", t->path, text, (size_t)n, err)) fail_msg("%s", tfp_error_message(err));
    tfp_error_free(err);
}

enum { MOST = 8 };

/* Checked before and after the end of adding, because the join gives ranks to files that have none. */
static void assert_runs(const trace *t, size_t count)
{
    tfp_profile *p = tfp_profile_new();
    const char *paths[MOST];
    size_t runs[MOST];
    for (size_t i = 0; i < count; i++) add_trace(p, &t[i]);
    for (size_t i = 0; i < count; i++) paths[i] = t[i].path;
    for (int finished = 0; finished < 2; finished++) {
        assert_int_equal(tfp_profile_runs(p, count, paths, runs, NULL), TFP_OK);
        for (size_t i = 0; i < count; i++)
            if (runs[i] != t[i].run) fail_msg("%s: run %zu", t[i].path, runs[i]);
        assert_int_equal(tfp_profile_finish(p, NULL), TFP_OK);
    }
    tfp_profile_free(p);
}

#define ASSERT_RUNS(...)                                                                                               \
    do {                                                                                                               \
        const trace traces_[] = { __VA_ARGS__ };                                                                       \
        assert_runs(traces_, sizeof traces_ / sizeof *traces_);                                                        \
    } while (0)

static void ranks_of_one_job_are_one_run(void **state)
{
    (void)state;
    ASSERT_RUNS({ "host1_17.pt.trace.json", 0, 2, 0 }, { "host2_99.pt.trace.json", 1, 2, 0 });
    ASSERT_RUNS({ "llm/rank=0/a.json", 0, 12, 0 }, { "llm/rank=0011/b.json", 11, 12, 0 });
    ASSERT_RUNS({ "rank-0.json", -1, 0, 0 }, { "rank-1.json", -1, 0, 0 });
    ASSERT_RUNS({ "x/Rank_0.json", -1, 0, 0 }, { "x/Rank_1.json", 1, 2, 0 });
}

static void files_of_one_rank_and_of_several_jobs_are_several_runs(void **state)
{
    (void)state;
    ASSERT_RUNS({ "monday.json", 0, 2, 0 }, { "tuesday.json", 0, 2, 1 });
    ASSERT_RUNS({ "a/t.json", 0, 2, 0 }, { "b/t.json", 1, 2, 1 });
    ASSERT_RUNS({ "t0.json", 0, 2, 0 }, { "t1.json", 1, 4, 1 });
    ASSERT_RUNS({ "old_rank0.json", 0, 2, 0 }, { "new_rank1.json", 1, 2, 1 });
    ASSERT_RUNS({ "t0.json", -1, 0, 0 }, { "t1.json", -1, 0, 1 });
    ASSERT_RUNS({ "job=0/rank=0/t.json", 0, 2, 0 }, { "job=1/rank=1/t.json", 1, 2, 1 });
    ASSERT_RUNS({ "t.json", 0, 2, 0 }, { "rank1.json", 1, 2, 1 });
}

static void each_trace_finds_the_ranks_of_its_own_job(void **state)
{
    (void)state;
    ASSERT_RUNS({ "a/rank0.json", 0, 2, 0 }, { "b/rank0.json", 0, 2, 1 }, { "b/rank1.json", 1, 2, 1 },
                { "a/rank1.json", 1, 2, 0 }, { "c/rank1.json", 1, 2, 2 });
}

static void bad_arguments_are_refused_and_unknown_paths_are_of_the_likest(void **state)
{
    (void)state;
    tfp_profile *p = tfp_profile_new();
    size_t run[2] = { 9, 9 };
    assert_int_equal(tfp_profile_runs(NULL, 0, NULL, NULL, NULL), TFP_BADARG);
    assert_int_equal(tfp_profile_runs(p, 1, NULL, run, NULL), TFP_BADARG);
    assert_int_equal(tfp_profile_runs(p, 1, &(const char *){ "x" }, run, NULL), TFP_OK);
    assert_int_equal(run[0], 0);
    add_trace(p, &(trace){ "a/t.json", 0, 1, 0 });
    add_trace(p, &(trace){ "b/t.json", 0, 1, 0 });
    assert_int_equal(tfp_profile_runs(p, 2, (const char *[]){ "b/snapshot.pickle", "c" }, run, NULL), TFP_OK);
    assert_int_equal(run[0], 1);
    assert_int_equal(run[1], 0);
    tfp_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_of_one_job_are_one_run),
        cmocka_unit_test(files_of_one_rank_and_of_several_jobs_are_several_runs),
        cmocka_unit_test(each_trace_finds_the_ranks_of_its_own_job),
        cmocka_unit_test(bad_arguments_are_refused_and_unknown_paths_are_of_the_likest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
