// SPDX-License-Identifier: Apache-2.0
/* tests/unit/outputs/test_outputs_timeline.c: timelines of profiles made by hand: lanes, flows, memory. */
#include "outputs_made.h"

#include "outputs/core/output.h"

static void timeline_of_scopes_puts_siblings_one_after_another(void **state)
{
    (void)state;
    writes(
        "scope", "a/x Op 3us\na/y Op 4us\nb Op\n", "", "timeline",
        "{\"traceEvents\":["
        "{\"args\":{\"name\":\"Scope:0\"},\"name\":\"process_name\",\"ph\":\"M\",\"pid\":0},"
        "{\"args\":{\"name\":\"_TFProfRoot\",\"op\":\"_TFProfRoot\"},\"cat\":\"Op\",\"dur\":7,\"name\":\"_TFProfRoot\","
        "\"ph\":\"X\",\"pid\":0,\"tid\":0,\"ts\":0},"
        "{\"args\":{\"name\":\"Scope:1\"},\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1},"
        "{\"args\":{\"name\":\"a\",\"op\":\"a\"},\"cat\":\"Op\",\"dur\":7,\"name\":\"a\",\"ph\":\"X\",\"pid\":1,"
        "\"tid\":0,"
        "\"ts\":0},"
        "{\"args\":{\"name\":\"Scope:2\"},\"name\":\"process_name\",\"ph\":\"M\",\"pid\":2},"
        "{\"args\":{\"name\":\"a/x\",\"op\":\"a/x\"},\"cat\":\"Op\",\"dur\":3,\"name\":\"a/x\",\"ph\":\"X\",\"pid\":2,"
        "\"tid\":0,\"ts\":0},"
        "{\"args\":{\"name\":\"a/y\",\"op\":\"a/y\"},\"cat\":\"Op\",\"dur\":4,\"name\":\"a/y\",\"ph\":\"X\",\"pid\":2,"
        "\"tid\":0,\"ts\":3}]}\n");
}

static void op_view_has_no_timeline(void **state)
{
    (void)state;
    tfp_report *r = report_of("op", "a A 1us\n", "");
    tfp_buf b = { 0 };
    tfp_error *err = tfp_error_new();
    assert_fails(tfp_report_write(r, "timeline", collect, &b, err), err, TFP_BADARG, "op view has no timeline");
    assert_fails(tfp_report_write(r, "pprof", collect, &b, err), err, TFP_BADARG, "op view has no pprof");
    tfp_error_free(err);
    tfp_buf_free(&b);
    drop_report(r);
}

static tfp_report *graph_at_step_0(tfp_profile *p)
{
    tfp_report *r = NULL;
    tfp_options *o = tfp_options_new();
    assert_int_equal(tfp_profile_finish(p, NULL), TFP_OK);
    assert_int_equal(tfp_options_set(o, "step", "0", NULL), TFP_OK);
    assert_int_equal(tfp_options_set(o, "max_depth", "1000000", NULL), TFP_OK);
    assert_int_equal(tfp_report_build(p, "graph", o, &r, NULL), TFP_OK);
    tfp_options_free(o);
    return r;
}

static size_t count_of(const char *text, const char *part)
{
    /* not strstr: under the address sanitizer each call of it checks the whole text */
    size_t n = 0, size = strlen(part);
    for (; *text; text++) n += *text == *part && strncmp(text, part, size) == 0;
    return n;
}

#define CPU1 "/job:a/replica:0/task:0/device:cpu:1"

static void timeline_opens_a_lane_when_all_are_taken(void **state)
{
    (void)state;
    tfp_builder b;
    tfp_profile *p = empty_profile(&b);
    ran(&b, "a", CPU0, 1, 100, 0, 10);
    ran(&b, "b", CPU0, 1, 105, 0, 10);
    ran(&b, "c", CPU0, 1, 110, 0, 10); /* begins at the end of a */
    ran(&b, "d", CPU0, 1, 111, 0, 10);
    tfp_report *r = graph_at_step_0(p);
    char *text = written(r, "timeline");
    has(text, "\"name\":\"a\",\"ph\":\"X\",\"pid\":0,\"tid\":0,\"ts\":100}");
    has(text, "\"name\":\"b\",\"ph\":\"X\",\"pid\":0,\"tid\":1,\"ts\":105}");
    has(text, "\"name\":\"c\",\"ph\":\"X\",\"pid\":0,\"tid\":0,\"ts\":110}");
    has(text, "\"name\":\"d\",\"ph\":\"X\",\"pid\":0,\"tid\":2,\"ts\":111}");
    free(text);
    drop_report(r);
}

static void timeline_draws_flows_between_devices_only(void **state)
{
    (void)state;
    tfp_builder b;
    tfp_profile *p = empty_profile(&b);
    ran(&b, "x", CPU0, 1, 100, 0, 10);
    uint32_t y = ran(&b, "y", CPU0, 1, 120, 0, 10), z = ran(&b, "z", CPU1, 2, 130, 50, 10);
    tfp_build_input(&b, y, 0, tfp_build_string(&b, TFP_STR("x")), 0);
    tfp_build_input(&b, z, 0, tfp_build_string(&b, TFP_STR("x")), 0);
    tfp_report *r = graph_at_step_0(p);
    char *text = written(r, "timeline");
    assert_int_equal(count_of(text, "\"ph\":\"s\""), 2); /* to both runs of z */
    has(text, "{\"cat\":\"DataFlow\",\"id\":1,\"name\":\"x_flow\",\"ph\":\"s\",\"pid\":");
    has(text, "\"ph\":\"t\"");
    assert_null(strstr(text, "otherData"));
    free(text);
    drop_report(r);
}

static void timeline_of_endless_pairs_stops_and_says_so(void **state)
{
    (void)state;
    tfp_builder b;
    tfp_profile *p = empty_profile(&b);
    ran(&b, "x", CPU0, 3000, 100, 1, 1);
    uint32_t z = ran(&b, "z", CPU1, 3000, 100, 1, 1);
    tfp_build_input(&b, z, 0, tfp_build_string(&b, TFP_STR("x")), 0);
    tfp_report *r = graph_at_step_0(p);
    char *text = written(r, "timeline");
    assert_int_equal(count_of(text, "\"ph\":\"s\""), 1000000);
    has(text, "\"otherData\":{\"tfprof.flows\":\"only the first 1000000 flows are here\"}");
    free(text);
    drop_report(r);
}

static void timeline_shows_who_holds_a_gpus_memory(void **state)
{
    (void)state;
    tfp_builder b;
    tfp_profile *p = empty_profile(&b);
    uint32_t x = ran(&b, "x", GPU0, 1, 1000, 0, 10), y = ran(&b, "y", GPU0, 1, 2000, 0, 10);
    memory(&b, x, 1000, 5000000);
    memory(&b, x, 1050, 9000000); /* too close to its neighbour to be drawn, except that it is the peak */
    memory(&b, y, 2000, 3000000);
    tfp_build_allocation(&b, tfp_node_exec(p, x, 0), 900000, 2000000);
    tfp_build_allocation(&b, tfp_node_exec(p, x, 0), 1500000, -1500000);
    tfp_build_allocation(&b, tfp_node_exec(p, y, 0), 950000, 4000000);
    tfp_report *r = graph_at_step_0(p);
    char *text = written(r, "timeline");
    has(text, "{\"args\":{\"Not Displayed\":\"1.00 MB\",\"Top Allocation 00\":\"4 MB from y\",\"Top Allocation "
              "01\":\"N/A\",");
    has(text, "{\"args\":{\"Not Displayed\":\"2.50 MB\",\"Top Allocation 00\":\"0.5 MB from x\",\"Top Allocation "
              "01\":\"N/A\",");
    assert_int_equal(count_of(text, "\"Allocated Bytes\""), 2);
    tfp_buf peaks = { 0 };
    tfp_timeline_peaks(r, &peaks);
    tfp_buf_char(&peaks, 0);
    assert_string_equal(peaks.data, GPU0 " peak memory: 9.00 MB\n");
    tfp_buf_free(&peaks);
    free(text);
    drop_report(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(timeline_of_scopes_puts_siblings_one_after_another),
        cmocka_unit_test(op_view_has_no_timeline),
        cmocka_unit_test(timeline_opens_a_lane_when_all_are_taken),
        cmocka_unit_test(timeline_draws_flows_between_devices_only),
        cmocka_unit_test(timeline_of_endless_pairs_stops_and_says_so),
        cmocka_unit_test(timeline_shows_who_holds_a_gpus_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
