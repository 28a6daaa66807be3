// SPDX-License-Identifier: Apache-2.0
/* tests/unit/views/test_timeline.c: time windows of a recording: rows, merged spans, links, and search. */
#include "model/event_builder.h"

#include "model/builder.h"
#include "model/tables/events.h"
#include "model/tables/lanes.h"
#include "model/tables/processes.h"
#include "model/tables/profile.h"
#include "model/tables/spans.h"
#include "support.h"

typedef struct traced {
    tfp_profile *p;
    tfp_builder b;
    uint32_t thread, stream;
} traced;

static traced start(void)
{
    traced x = { .p = tfp_profile_new() };
    assert_non_null(x.p);
    x.b = (tfp_builder){ .p = x.p, .file = "trace" };
    uint32_t process = tfp_build_process(&x.b, &(tfp_process){ .pid = 7, .rank = -1 });
    x.stream = tfp_build_event_lane(&x.b, process, TFP_ROLE_STREAM, TFP_STR("gpu:0/stream:20"), TFP_STR(""));
    tfp_build_event_lane(&x.b, process, TFP_ROLE_STREAM, TFP_STR("gpu:0/stream:7"), TFP_STR(""));
    x.thread = tfp_build_event_lane(&x.b, process, TFP_ROLE_THREAD, TFP_STR("cpu/thread:1"), TFP_STR("main"));
    return x;
}

static uint32_t event(traced *x, uint32_t lane, tfp_span_kind kind, const char *name, int64_t start_ns, int64_t ns)
{
    tfp_event e = { .lane = lane,
                    .name = tfp_build_string(&x->b, tfp_str_of(name)),
                    .start_ns = start_ns,
                    .duration_ns = ns,
                    .kind = kind,
                    .stats = TFP_NONE,
                    .trace = TFP_NONE };
    return tfp_build_event(&x->b, &e);
}

static tfp_timeline *laid_out(traced *x)
{
    tfp_timeline *t = NULL;
    assert_int_equal(tfp_build_finish(&x->b, NULL), TFP_OK);
    assert_int_equal(tfp_timeline_new(x->p, &t, NULL), TFP_OK);
    return t;
}

static void drop(tfp_timeline *t, traced *x)
{
    tfp_timeline_free(t);
    tfp_profile_free(x->p);
}

/* The table as CSV, without its head and with plain line ends; freed by the caller. */
static char *rows(tfp_report *r, const char *head)
{
    char *all = written(r, "csv"), *line = strchr(all, '\n'), *to = all;
    assert_non_null(line);
    if (head) assert_memory_equal(all, head, strlen(head));
    for (char *at = line + 1; *at; at++)
        if (*at != '\r') *to++ = *at;
    *to = '\0';
    tfp_report_free(r);
    return all;
}

static tfp_report *window(const tfp_timeline *t, int64_t from, int64_t to, int width, const char *search)
{
    tfp_report *r = NULL;
    assert_int_equal(tfp_timeline_spans(t, from, to, width, NULL, search, &r, NULL), TFP_OK);
    return r;
}

static void assert_rows(tfp_report *r, const char *want)
{
    char *got = rows(r, NULL);
    assert_string_equal(got, want);
    free(got);
}

static void what_nests_stands_in_the_row_of_its_depth(void **state)
{
    (void)state;
    traced x = start();
    event(&x, x.thread, TFP_SPAN_OP, "inner", 2000, 3000);
    event(&x, x.thread, TFP_SPAN_OP, "outer", 1000, 9000);
    event(&x, x.thread, TFP_SPAN_OP, "next", 6000, 1000);
    event(&x, x.thread, TFP_SPAN_OP, "beside", 11000, 1000);
    tfp_timeline *t = laid_out(&x);
    assert_rows(window(t, 0, 20000, 20, NULL), "0,1,1,0,9,9,outer,op,,,5,,\n"
                                               "0,3,1,10,1,1,beside,op,,,1,,\n"
                                               "1,0,1,1,3,3,inner,op,,,3,1,\n"
                                               "1,2,1,5,1,1,next,op,,,1,1,\n");
    drop(t, &x);
}

static void narrow_spans_of_one_pixel_are_one_with_their_count_and_busy_time(void **state)
{
    (void)state;
    traced x = start();
    for (int i = 0; i < 100; i++)
        event(&x, x.stream, TFP_SPAN_OTHER, i == 42 ? "long" : "short", i * 1000, i == 42 ? 900 : 500);
    tfp_timeline *t = laid_out(&x);
    assert_rows(window(t, 0, 100000, 2, "on"), "0,0,50,0,49.5,25.4,long,other,,,,,,1\n"
                                               "0,50,50,50,49.5,25,short,other,,,,,,0\n");
    char *fine = rows(window(t, 0, 100000, 1000, NULL), NULL);
    size_t lines = 0;
    for (const char *at = fine; *at; at++) lines += *at == '\n';
    assert_int_equal(lines, 100);
    free(fine);
    assert_rows(window(t, 42100, 42200, 10, NULL), "0,42,1,42,0.9,0.9,long,other,,,0.9,,\n");
    drop(t, &x);
}

static void all_of_it_is_exact_until_it_is_too_much(void **state)
{
    (void)state;
    traced x = start();
    for (int i = 0; i < 1000; i++) event(&x, x.thread, TFP_SPAN_OTHER, "x", i * 1000, 10);
    tfp_timeline *t = laid_out(&x);
    tfp_report *r = NULL;
    assert_int_equal(tfp_timeline_whole(t, -1, 1000, &r, NULL), TFP_OK);
    assert_int_equal(tfp_report_row_count(r), 1000);
    assert_null(tfp_report_note(r, 0));
    tfp_report_free(r);
    assert_int_equal(tfp_timeline_whole(t, -1, 100, &r, NULL), TFP_OK);
    assert_in_range(tfp_report_row_count(r), 32, 100);
    assert_non_null(strstr(tfp_report_note(r, 0), "1000 spans"));
    tfp_report_free(r);
    drop(t, &x);
}

static void lanes_stand_by_the_numbers_in_their_names(void **state)
{
    (void)state;
    traced x = start();
    event(&x, x.stream, TFP_SPAN_ACTIVITY, "k", 5000, 1000);
    /* overlaps another span: it goes to another row, and the busy time counts once */
    event(&x, x.stream, TFP_SPAN_ACTIVITY, "k", 5500, 1000);
    event(&x, x.stream + 1, TFP_SPAN_ACTIVITY, "k", 5000, 1000);
    event(&x, x.thread, TFP_SPAN_OP, "op", 1000, 2000);
    tfp_timeline *t = laid_out(&x);
    tfp_report *r = NULL;
    assert_int_equal(tfp_timeline_lanes(t, -1, &r, NULL), TFP_OK);
    assert_rows(r, ",,,cpu,cpu/thread:1,main,main,1,host,0,1,1,0,2,2,\n"
                   ",,,gpu:0,gpu:0/stream:7,,compute,stream 7,compute,1,1,1,4,5,1,compute\n"
                   ",,,gpu:0,gpu:0/stream:20,,compute,stream 20,compute,2,2,2,4,5.5,1.5,compute\n");
    drop(t, &x);
}

static void threads_that_the_recording_names_stand_first(void **state)
{
    (void)state;
    static const char *const unnamed[] = { "cpu/thread:", "cpu/thread:-5" };
    traced x = start();
    event(&x, x.thread, TFP_SPAN_OP, "op", 1000, 2000);
    for (size_t i = 0; i < 2; i++)
        event(&x, tfp_build_event_lane(&x.b, 0, TFP_ROLE_THREAD, tfp_str_of(unnamed[i]), TFP_STR("")), TFP_SPAN_OP,
              "op", 1000, 2000);
    event(&x, tfp_build_event_lane(&x.b, 0, TFP_ROLE_THREAD, TFP_STR("cpu/thread:-9"), TFP_STR("worker")), TFP_SPAN_OP,
          "op", 1000, 2000);
    tfp_timeline *t = laid_out(&x);
    tfp_report *r = NULL;
    assert_int_equal(tfp_timeline_lanes(t, -1, &r, NULL), TFP_OK);
    assert_rows(r, ",,,cpu,cpu/thread:-9,worker,worker,,host,0,1,1,0,2,2,\n"
                   ",,,cpu,cpu/thread:1,main,main,1,host,1,1,1,0,2,2,\n"
                   ",,,cpu,cpu/thread:-5,,thread,,host,2,1,1,0,2,2,\n"
                   ",,,cpu,cpu/thread:,,thread,,host,3,1,1,0,2,2,\n");
    drop(t, &x);
}

static void a_span_knows_what_launched_it(void **state)
{
    (void)state;
    traced x = start();
    uint32_t op = event(&x, x.thread, TFP_SPAN_OP, "op", 0, 9000);
    uint32_t call = event(&x, x.thread, TFP_SPAN_CALL, "launch", 1000, 2000);
    uint32_t kernel = event(&x, x.stream, TFP_SPAN_ACTIVITY, "kernel", 5000, 4000);
    uint32_t key = tfp_build_key(&x.b, 0, 0, 11);
    x.p->events->spans.correlation[call] = x.p->events->spans.correlation[kernel] = key;
    tfp_timeline *t = laid_out(&x);
    tfp_report *r = NULL;
    assert_int_equal(op, 0);
    assert_int_equal(tfp_timeline_span(t, kernel, &r, NULL), TFP_OK);
    assert_rows(r, "launched by,1,1,launch,1,2\noperator,0,0,op,0,9\n");
    assert_int_equal(tfp_timeline_span(t, call, &r, NULL), TFP_OK);
    assert_rows(r, "parent,0,0,op,0,9\n"
                   "launches,2,2,kernel,5,4\n");
    tfp_error *err = tfp_error_new();
    assert_fails(tfp_timeline_span(t, 3, &r, err), err, TFP_NOTFOUND, "no span 3");
    assert_fails(tfp_timeline_span(t, -1, &r, err), err, TFP_NOTFOUND, "no span -1");
    assert_fails(tfp_timeline_spans(t, 5, 5, 9, NULL, NULL, &r, err), err, TFP_BADARG, "a window needs");
    tfp_error_free(err);
    drop(t, &x);
}

static void the_next_of_a_name_is_found_in_order_of_time(void **state)
{
    (void)state;
    traced x = start();
    event(&x, x.stream, TFP_SPAN_OTHER, "GEMM_b", 3000, 100);
    event(&x, x.thread, TFP_SPAN_OTHER, "gemm_a", 1000, 100);
    event(&x, x.thread, TFP_SPAN_OTHER, "relu", 2000, 100);
    tfp_timeline *t = laid_out(&x);
    tfp_report *r = NULL;
    assert_int_equal(tfp_timeline_find(t, "gemm", 0, 9, -1, 0, &r, NULL), TFP_OK);
    assert_rows(r, "1,0,0,0.1,gemm_a\n");
    assert_int_equal(tfp_timeline_find(t, "gemm", 0, 9, 1, 0, &r, NULL), TFP_OK);
    assert_rows(r, "0,1,2,0.1,GEMM_b\n");
    assert_int_equal(tfp_timeline_find(t, "gemm", 0, 9, 0, 1, &r, NULL), TFP_OK);
    assert_rows(r, "1,0,0,0.1,gemm_a\n");
    assert_int_equal(tfp_timeline_find(t, "gemm", 0, 9, 0, 0, &r, NULL), TFP_OK);
    assert_rows(r, "");
    drop(t, &x);
}

/* op 0..100 contains a frame 10..90, which contains the call b 20..60; op also has a kernel 30..130, and in parallel to
 * it a copy and an annotation. */
static tfp_timeline *nested(traced *x)
{
    *x = start();
    event(x, x->thread, TFP_SPAN_OP, "op", 0, 100);
    event(x, x->thread, TFP_SPAN_FRAME, "frame", 10, 80);
    event(x, x->thread, TFP_SPAN_OP, "b", 20, 40);
    event(x, x->stream, TFP_SPAN_ANNOTATION, "marked", 20, 200);
    event(x, x->stream, TFP_SPAN_ACTIVITY, "kernel", 30, 100);
    event(x, x->stream, TFP_SPAN_ACTIVITY, "kernel", 150, 20);
    return laid_out(x);
}

static void assert_sums(const tfp_timeline *t, int64_t from_ns, int64_t to_ns, const char *by, const char *search,
                        const char *which, const char *expected)
{
    tfp_report *r = NULL;
    assert_int_equal(tfp_timeline_sums(t, from_ns, to_ns, by, search, which, &r, NULL), TFP_OK);
    assert_rows(r, expected);
}

static void each_moment_of_a_thread_counts_once_in_sums(void **state)
{
    (void)state;
    traced x;
    tfp_timeline *t = nested(&x);
    assert_sums(t, 0, 1000, NULL, NULL, NULL,
                "kernel,,compute,1,2,0.12,0.06,0.02,0.1,1,4\n"
                "b,,op,0,1,0.04,0.04,0.04,0.04,0.4,2\n"
                "frame,,frame,0,1,0.04,0.04,0.04,0.04,0.4,1\n"
                "op,,op,0,1,0.02,0.02,0.02,0.02,0.2,0\n");
    assert_sums(t, 50, 160, "name", NULL, NULL,
                "kernel,,compute,1,2,0.09,0.045,0.01,0.08,1,4\n"
                "frame,,frame,0,1,0.03,0.03,0.03,0.03,0.6,1\n"
                "b,,op,0,1,0.01,0.01,0.01,0.01,0.2,2\n"
                "op,,op,0,1,0.01,0.01,0.01,0.01,0.2,0\n");
    drop(t, &x);
}

static void sums_are_by_kind_lane_and_op_of_what_is_searched_for(void **state)
{
    (void)state;
    traced x;
    tfp_timeline *t = nested(&x);
    assert_sums(t, 0, 1000, "kind", "op", NULL, "op,,op,0,1,0.02,0.02,0.02,0.02,0.2,0\n");
    assert_sums(t, 0, 1000, "lane", NULL, "0", "main · 1,,host,0,3,0.1,0.033,0.02,0.04,1,2\n");
    assert_sums(t, 0, 1000, "op", NULL, NULL,
                "without op,,device,1,2,0.12,0.06,0.02,0.1,1,4\n"
                "op,,host,0,2,0.06,0.03,0.02,0.04,0.6,1\n"
                "b,,host,0,1,0.04,0.04,0.04,0.04,0.4,2\n");
    tfp_report *r = NULL;
    tfp_error *err = tfp_error_new();
    assert_fails(tfp_timeline_sums(t, 0, 9, "depth", NULL, NULL, &r, err), err, TFP_BADARG, "sums are by name");
    assert_fails(tfp_timeline_sums(t, 0, 9, NULL, NULL, "0;1", &r, err), err, TFP_BADARG, "rows '0;1': not a list");
    assert_fails(tfp_timeline_sums(t, 9, 9, NULL, NULL, NULL, &r, err), err, TFP_BADARG, "a window needs");
    tfp_error_free(err);
    drop(t, &x);
}

static void counters_and_memory_stand_on_the_clock_of_the_timeline(void **state)
{
    (void)state;
    traced x = start();
    event(&x, x.thread, TFP_SPAN_OP, "op", 1000, 9000);
    tfp_strid gpu = tfp_build_string(&x.b, TFP_STR("gpu:0")), cpu = tfp_build_string(&x.b, TFP_STR("cpu"));
    tfp_memory_event told = { .at_ns = 3000, .bytes = 5, .allocated_bytes = 25, .device = gpu, .lane = x.thread };
    tfp_build_memory_event(&x.b, &told);
    for (int i = 0; i < 2; i++) {
        tfp_memory_event summed = {
            .at_ns = 4000 + 1000 * i, .bytes = 7, .allocated_bytes = -1, .device = cpu, .lane = x.thread
        };
        tfp_build_memory_event(&x.b, &summed);
    }
    tfp_counter_sample power = { .at_ns = 2000,
                                 .value = 1.5,
                                 .name = tfp_build_string(&x.b, TFP_STR("power")),
                                 .series = tfp_build_string(&x.b, TFP_STR("W")) };
    tfp_build_counter(&x.b, &power);
    tfp_timeline *t = laid_out(&x);
    tfp_report *r = NULL;
    assert_int_equal(tfp_timeline_counters(t, &r, NULL), TFP_OK);
    assert_rows(r, ",gpu:0,bytes,2,25\n,cpu,bytes,3,7\n,cpu,bytes,4,14\n,power W,,1,1.5\n");
    drop(t, &x);
}

static void lanes_are_named_by_what_they_do(void **state)
{
    (void)state;
    traced x = start();
    event(&x, x.thread, TFP_SPAN_STEP, "ProfilerStep#3", 0, 100);
    event(&x, x.stream, TFP_SPAN_ACTIVITY, "kernel", 30, 100);
    tfp_timeline *t = laid_out(&x);
    tfp_report *r = NULL;
    assert_int_equal(tfp_timeline_lanes(t, -1, &r, NULL), TFP_OK);
    char *all = rows(r, "step,rank,process,device,lane,label,title,detail,kind");
    assert_non_null(strstr(all, "cpu/thread:1,main,main,1,host"));
    assert_non_null(strstr(all, "gpu:0/stream:20,,compute,stream 20,compute"));
    free(all);
    drop(t, &x);
}

static void each_step_of_executions_has_lanes_of_its_own(void **state)
{
    (void)state;
    tfp_report *report = report_of("scope", "a/x Conv2D @3 3us @8 5us\nb MatMul <a/x @8 2us\n", "");
    tfp_timeline *t = NULL;
    assert_int_equal(tfp_timeline_new(report->profile, &t, NULL), TFP_OK);
    tfp_report *r = NULL;
    assert_int_equal(tfp_timeline_lanes(t, 8, &r, NULL), TFP_OK);
    char *lanes = rows(r, "step,rank");
    assert_memory_equal(lanes, "8,,", 3);
    assert_null(strstr(lanes, "\n3,"));
    free(lanes);
    tfp_timeline_free(t);
    drop_report(report);
}

/* Two ranks with two steps each; the clock of the second begins `later` microseconds later. */
static char *lanes_of_ranks(long long later)
{
    static const char form[] =
        "{\"schemaVersion\":1,\"distributedInfo\":{\"rank\":%d,\"world_size\":2},\"traceEvents\":["
        "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#%d\",\"pid\":1,\"tid\":1,"
        "\"ts\":%lld,\"dur\":90,\"args\":{}},"
        "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#%d\",\"pid\":1,\"tid\":1,"
        "\"ts\":%lld,\"dur\":90,\"args\":{}}]}";
    tfp_profile *p = tfp_profile_new();
    tfp_timeline *t = NULL;
    tfp_report *r = NULL;
    for (int rank = 0; rank < 2; rank++) {
        char text[1000], name[] = { 'a', (char)('0' + rank), '\0' };
        long long start = rank ? later : 1000;
        int size = snprintf(text, sizeof text, form, rank, rank, start, rank + 1, start + 100);
        assert_int_equal(tfp_profile_add_bytes(p, "kineto", name, text, (size_t)size, NULL), TFP_OK);
    }
    assert_int_equal(tfp_profile_finish(p, NULL), TFP_OK);
    assert_int_equal(tfp_timeline_new(p, &t, NULL), TFP_OK);
    assert_int_equal(tfp_timeline_lanes(t, -1, &r, NULL), TFP_OK);
    char *all = rows(r, "step,rank");
    tfp_timeline_free(t);
    tfp_profile_free(p);
    return all;
}

static void ranks_of_unrelated_clocks_stand_at_their_first_common_step(void **state)
{
    (void)state;
    char *far = lanes_of_ranks(9000000000), *near = lanes_of_ranks(1050);
    assert_non_null(strstr(far, ",100,290,180")); /* rank 1 is shifted to begin with step 1 of rank 0 */
    assert_non_null(strstr(near, ",50,240,180")); /* recordings that overlap in time are not shifted */
    free(far);
    free(near);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_nests_stands_in_the_row_of_its_depth),
        cmocka_unit_test(narrow_spans_of_one_pixel_are_one_with_their_count_and_busy_time),
        cmocka_unit_test(all_of_it_is_exact_until_it_is_too_much),
        cmocka_unit_test(lanes_stand_by_the_numbers_in_their_names),
        cmocka_unit_test(threads_that_the_recording_names_stand_first),
        cmocka_unit_test(a_span_knows_what_launched_it),
        cmocka_unit_test(the_next_of_a_name_is_found_in_order_of_time),
        cmocka_unit_test(each_moment_of_a_thread_counts_once_in_sums),
        cmocka_unit_test(sums_are_by_kind_lane_and_op_of_what_is_searched_for),
        cmocka_unit_test(counters_and_memory_stand_on_the_clock_of_the_timeline),
        cmocka_unit_test(lanes_are_named_by_what_they_do),
        cmocka_unit_test(each_step_of_executions_has_lanes_of_its_own),
        cmocka_unit_test(ranks_of_unrelated_clocks_stand_at_their_first_common_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
