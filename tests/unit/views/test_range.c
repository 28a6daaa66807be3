// SPDX-License-Identifier: Apache-2.0
/* tests/unit/views/test_range.c: reports on a time range of a recording: times are clipped, and nothing counts
 * twice. */
#include "model/event_builder.h"

#include "model/builder.h"
#include "model/tables/lanes.h"
#include "model/tables/processes.h"
#include "model/tables/spans.h"
#include "support.h"

typedef struct traced {
    tfp_profile *p;
    tfp_builder b;
    uint32_t thread, stream;
} traced;

static void event(traced *x, uint32_t lane, tfp_span_kind kind, const char *name, int64_t start_us, int64_t us)
{
    tfp_event e = { .lane = lane,
                    .name = tfp_build_string(&x->b, tfp_str_of(name)),
                    .start_ns = start_us * 1000,
                    .duration_ns = us * 1000,
                    .kind = kind,
                    .correlation = tfp_build_key(&x->b, 0, 0, (uint64_t)us),
                    .stats = TFP_NONE,
                    .trace = TFP_NONE };
    tfp_build_event(&x->b, &e);
}

/* outer 0-100 contains inner 20-60; the launch at 30 starts a kernel at 50-110 */
static traced made(void)
{
    traced x = { .p = tfp_profile_new() };
    x.b = (tfp_builder){ .p = x.p, .file = "trace" };
    uint32_t process = tfp_build_process(&x.b, &(tfp_process){ .pid = 7, .rank = -1 });
    x.stream = tfp_build_event_lane(&x.b, process, TFP_ROLE_STREAM, TFP_STR("gpu:0/stream:7"), TFP_STR(""));
    x.thread = tfp_build_event_lane(&x.b, process, TFP_ROLE_THREAD, TFP_STR("cpu/thread:1"), TFP_STR("main"));
    event(&x, x.thread, TFP_SPAN_OP, "outer", 1000, 100);
    event(&x, x.thread, TFP_SPAN_OP, "inner", 1020, 40);
    event(&x, x.stream, TFP_SPAN_ACTIVITY, "kernel", 1050, 60);
    assert_int_equal(tfp_build_finish(&x.b, NULL), TFP_OK);
    return x;
}

static char *answer(const traced *x, const char *view, const char *range)
{
    tfp_options *o = tfp_options_new();
    tfp_report *r = NULL;
    assert_int_equal(tfp_options_set(o, "range", range, NULL), TFP_OK);
    assert_int_equal(tfp_options_set(o, "select", "cpu_micros,accelerator_micros,occurrence", NULL), TFP_OK);
    assert_int_equal(tfp_report_build(x->p, view, o, &r, NULL), TFP_OK);
    char *text = written(r, "csv");
    tfp_report_free(r);
    tfp_options_free(o);
    return text;
}

static void expect(const traced *x, const char *view, const char *range, const char *line)
{
    char *text = answer(x, view, range);
    if (!strstr(text, line)) fail_msg("%s -range %s: no %s in\n%s", view, range, line, text);
    free(text);
}

static void spans_count_with_the_part_inside(void **state)
{
    (void)state;
    traced x = made();
    expect(&x, "kernel", "60:80", "kernel,compute,1,20,20,20,20,");
    expect(&x, "kernel", "100:", "kernel,compute,1,10,10,10,10,");
    expect(&x, "op", "30:50", "inner,");
    tfp_profile_free(x.p);
}

static void what_nests_counts_once(void **state)
{
    (void)state;
    traced x = made();
    char *text = answer(&x, "op", "10:50"); /* of these 40 us, 10 are outer's own and 30 inner's */
    assert_non_null(strstr(text, "outer,"));
    assert_non_null(strstr(text, ",40,"));
    assert_non_null(strstr(text, ",30,"));
    free(text);
    tfp_profile_free(x.p);
}

static void what_lies_outside_is_in_no_row(void **state)
{
    (void)state;
    traced x = made();
    char *text = answer(&x, "kernel", "0:50");
    assert_null(strstr(text, "kernel,compute"));
    free(text);
    tfp_profile_free(x.p);
}

static void the_profile_stays_whole(void **state)
{
    (void)state;
    traced x = made();
    free(answer(&x, "op", "10:50"));
    expect(&x, "kernel", "", "kernel,compute,1,60,60,60,60,");
    tfp_profile_free(x.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spans_count_with_the_part_inside),
        cmocka_unit_test(what_nests_counts_once),
        cmocka_unit_test(what_lies_outside_is_in_no_row),
        cmocka_unit_test(the_profile_stays_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
