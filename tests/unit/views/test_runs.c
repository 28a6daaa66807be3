// SPDX-License-Identifier: Apache-2.0
/* tests/unit/views/test_runs.c: tables of a trace for RunMetadata: the rows of its devices, streams, copies and sent
 * tensors. */
#include "support.h"

#define CPU0 "/job:localhost/replica:0/task:0/device:CPU:0"
#define GPU0 "/job:localhost/replica:0/task:0/device:GPU:0"
#define PS "/job:ps/replica:0/task:1/device:CPU:0"
#define WORKER "/job:worker/replica:0/task:0/device:CPU:0"
#define ENTRY(name, start, end, label)                                                                                 \
    "node_stats{node_name:'" name "' all_start_micros:" #start " op_end_rel_micros:" #end " timeline_label:'" label    \
    "' output{tensor_description{allocation_description{requested_bytes:64}}}}"
#define DEVICE(name, entries) "dev_stats{device:'" name "' " entries "}"

/* The report, as CSV, of a step with these devices; freed by the caller. */
static char *table(const char *view, const char *devices, unsigned keep)
{
    tfp_error *err = tfp_error_new();
    tfp_profile *p = tfp_profile_new();
    tfp_options *o = tfp_options_new();
    tfp_report *r = NULL;
    tfp_buf text = { 0 };
    tfp_buf_printf(&text, "step_stats{%s}", devices);
    assert_int_equal(tfp_profile_keep(p, keep), TFP_OK);
    assert_int_equal(tfp_profile_add_bytes(p, "run_meta", "run", text.data, text.size, err), TFP_OK);
    assert_int_equal(tfp_profile_finish(p, err), TFP_OK);
    tfp_status s = tfp_report_build(p, view, o, &r, err);
    char *out = s ? strdup(tfp_error_message(err)) : written(r, "csv");
    tfp_buf_free(&text);
    tfp_report_free(r);
    tfp_options_free(o);
    tfp_profile_free(p);
    tfp_error_free(err);
    return out;
}

static void has(const char *view, const char *devices, const char *part)
{
    char *got = table(view, devices, TFP_KEEP_MEMORY);
    if (!strstr(got, part)) fail_msg("%s has no\n%s\nbut is\n%s", view, part, got);
    free(got);
}

static void has_not(const char *view, const char *devices, const char *part)
{
    char *got = table(view, devices, TFP_KEEP_MEMORY);
    if (strstr(got, part)) fail_msg("%s has\n%s\nin\n%s", view, part, got);
    free(got);
}

static void a_kernel_in_stream_all_and_its_own_stream_counts_once(void **state)
{
    (void)state;
    static const char gpu[] =
        DEVICE(GPU0, ENTRY("a", 100, 5, "")) DEVICE(GPU0 "/stream:all", ENTRY("a:MatMul", 110, 20, ""))
            DEVICE(GPU0 "/stream:13", ENTRY("a:MatMul", 110, 20, ""));
    has("steps", gpu, "0,gpu:0,0,30,20,20,0,0,0,0,10,1,5\r\n");
    has("kernel", gpu, "a,compute,1,20,20,20,20,1,,,a,1,launch,,\r\n");
}

static void without_streams_of_their_own_kernels_count_from_stream_all(void **state)
{
    (void)state;
    has("kernel", DEVICE(GPU0 "/stream:all", ENTRY("a:MatMul", 110, 20, "")), "a,compute,1,20,");
}

static void an_activity_belongs_to_the_last_launch_of_its_node_before_it(void **state)
{
    (void)state;
    static const char loop[] = DEVICE(GPU0, ENTRY("a", 100, 5, "") ENTRY("a", 200, 5, ""))
        DEVICE(GPU0 "/stream:1", ENTRY("a:MatMul", 110, 20, "") ENTRY("a:MatMul", 215, 20, ""));
    has("steps", loop, ",2,7.5\r\n"); /* they start 5 and 10 after the ends of their launches */
}

static void copies_have_direction_and_bytes(void **state)
{
    (void)state;
    static const char copies[] = DEVICE(GPU0 "/stream:all", ENTRY("x:MEMCPYHtoD", 100, 10, ""))
        DEVICE(GPU0 "/memcpy", ENTRY("x:MEMCPYHtoD", 100, 10, "MEMCPYHtoD 4000 bytes (Pinned to Device)"));
    has("transfer", copies, "HtoD,gpu:0,,,1,4000,10,0.4,");
    has_not("transfer", copies, "HtoD,gpu:0,,,2,");
}

static void tensors_sent_to_another_task_count_by_pair_of_devices(void **state)
{
    (void)state;
    static const char sent[] =
        DEVICE(WORKER, ENTRY("RecvTensor", 100, 10, "[64B] [51.2Mb/s] edge_1_a from " PS " to " WORKER)
                           ENTRY("RecvTensor", 105, 10, "[64B] [51.2Mb/s] edge_2_b from " PS " to " WORKER)
                               ENTRY("c", 110, 20, ""));
    has("transfer", sent, "RecvTensor,worker:0/cpu:0,ps:1/cpu:0 -> worker:0/cpu:0,,2,128,20,0.0064,,5,10,");
    has("steps", sent, "0,worker:0/cpu:0,0,30,30,20,15,0,10,0,0,");
}

static void a_receiving_op_counts_where_the_runtime_does_not_tell_of_it(void **state)
{
    (void)state;
    static const char op[] =
        DEVICE(CPU0, ENTRY("r", 100, 10, "[64B] r = _Recv(edge_1_a @/job:localhost/replica:0/task:0/device:CPU:1)"));
    has("transfer", op, "_Recv,cpu:0,cpu:1 -> cpu:0,,1,64,10,");
    static const char both[] = DEVICE(WORKER, ENTRY("r", 100, 10, "r = _Recv(edge_1_a @" PS ")")
                                                  ENTRY("RecvTensor", 101, 9, "[64B] edge_1_a from " PS " to " WORKER));
    has("transfer", both, "RecvTensor,worker:0/cpu:0,");
    has_not("transfer", both, "_Recv,");
}

static void ops_that_wait_are_waits(void **state)
{
    (void)state;
    static const char waits[] =
        DEVICE(CPU0, ENTRY("input/fifo_queue_Dequeue", 100, 30, "") ENTRY("sync/barrier/TakeMany", 200, 20, "")
                         ENTRY("IteratorGetNext", 300, 50, "") ENTRY("a", 360, 40, ""));
    has("wait", waits, "data,IteratorGetNext,1,50,50,50,");
    has("wait", waits, "queue,input/fifo_queue_Dequeue,1,30,30,30,");
    has("wait", waits, "barrier,sync/barrier/TakeMany,1,20,20,20,");
}

/* The kernels of a worker do not affect a parameter server, which has no kernels of its own. */
static void a_task_without_activities_has_rows_of_its_host(void **state)
{
    (void)state;
    static const char both[] = DEVICE(PS, ENTRY("v", 100, 10, ""))
        DEVICE("/job:worker/replica:0/task:0/device:GPU:0/stream:all", ENTRY("a:MatMul", 120, 30, ""));
    has("steps", both, "0,ps:1/cpu:0,0,50,10,");
    has("steps", both, "0,worker:0/gpu:0,0,50,30,");
}

static void ops_of_one_device_may_overlap(void **state)
{
    (void)state;
    static const char beside[] = DEVICE(CPU0, ENTRY("a", 100, 50, "") ENTRY("b", 120, 50, "") ENTRY("c", 125, 5, ""));
    has("steps", beside, "0,cpu:0,0,70,70,70,");
    has_not("check", beside, "overlap");
}

static void details_that_were_not_kept_are_missed(void **state)
{
    (void)state;
    char *got = table("steps", DEVICE(CPU0, ENTRY("a", 100, 50, "")), 0);
    assert_non_null(strstr(got, "no trace of events"));
    free(got);
    got = table("calls", DEVICE(CPU0, ENTRY("a", 100, 50, "")), TFP_KEEP_MEMORY);
    assert_non_null(strstr(got, "no trace of events"));
    free(got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_in_stream_all_and_its_own_stream_counts_once),
        cmocka_unit_test(without_streams_of_their_own_kernels_count_from_stream_all),
        cmocka_unit_test(an_activity_belongs_to_the_last_launch_of_its_node_before_it),
        cmocka_unit_test(copies_have_direction_and_bytes),
        cmocka_unit_test(tensors_sent_to_another_task_count_by_pair_of_devices),
        cmocka_unit_test(a_receiving_op_counts_where_the_runtime_does_not_tell_of_it),
        cmocka_unit_test(ops_that_wait_are_waits),
        cmocka_unit_test(a_task_without_activities_has_rows_of_its_host),
        cmocka_unit_test(ops_of_one_device_may_overlap),
        cmocka_unit_test(details_that_were_not_kept_are_missed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
