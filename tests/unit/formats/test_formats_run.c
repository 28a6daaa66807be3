// SPDX-License-Identifier: Apache-2.0
/* tests/unit/formats/test_formats_run.c: what the profile gets from run metadata, and the messages about invalid
 * ones. */
#include "formats_made.h"
#include "model/tables/graph.h"
#include "model/tables/lanes.h"
#include "model/tables/profile.h"

#define UNUSED (void)state

static void run_entry(const char *name, int64_t start_us, int64_t run_us)
{
    size_t at = open_field(2);
    text(1, name);
    number(2, start_us);
    number(4, run_us);
    close_field(at);
}

static void runs_are_numbered_by_their_files(void **state)
{
    UNUSED;
    made m;
    one_node_graph(&m);
    for (int64_t i = 0; i < 3; i++) {
        size_t step = open_field(1), device = open_field(1);
        text(1, "/device:CPU:0");
        run_entry("a:Const", 100, i);
        close_field(device);
        close_field(step);
        add(&m, "run_meta");
    }
    finish(&m);
    assert_int_equal(tfp_profile_step_count(m.p), 3);
    assert_int_equal(micros(&m, "a", 0), 1); /* the shortest time is a microsecond */
    assert_int_equal(micros(&m, "a", 2), 2);
    assert_str(tfp_text(m.p, node_of(&m, "a")->device), "/device:cpu:0");
    assert_int_equal((int)(100 * tfp_profile_coverage(m.p, 2) + 0.5), 100);
    drop(&m);
}

static void entries_of_unknown_nodes_make_nodes_but_for_bookkeeping(void **state)
{
    UNUSED;
    made m;
    one_node_graph(&m);
    size_t step = open_field(1), device = open_field(1);
    text(1, "/cpu:0");
    run_entry("new", 100, 5);
    run_entry("a", 100, 5);
    run_entry("RecvTensor", 100, 5);
    run_entry("_SOURCE", 100, 5);
    run_entry("x_MEMCPY_y", 100, 5);
    close_field(device);
    close_field(step);
    add(&m, "run_meta");
    finish(&m);
    assert_int_equal(m.p->graph->nodes.size, 2);
    assert_int_equal(node_of(&m, "new")->flags, TFP_NODE_INVENTED | TFP_NODE_ON_CPU);
    assert_int_equal((int)(100 * tfp_profile_coverage(m.p, 0) + 0.5), 50);
    drop(&m);
}

static void what_a_node_did_on_a_second_device_is_left_out_and_streams_are_kept(void **state)
{
    UNUSED;
    static const char *const devices[] = { "/device:GPU:0", "/device:CPU:1", "/device:GPU:0/stream:all" };
    made m;
    one_node_graph(&m);
    size_t step = open_field(1);
    for (size_t i = 0; i < 3; i++) {
        size_t device = open_field(1);
        text(1, devices[i]);
        run_entry("a", 100, 10);
        close_field(device);
    }
    close_field(step);
    add(&m, "run_meta");
    finish(&m);
    assert_int_equal(micros(&m, "a", 0), 20);
    assert_str(tfp_text(m.p, node_of(&m, "a")->device), "/device:gpu:0");
    assert_str(tfp_text(m.p, node_of(&m, "a")->host_device), "/device:cpu:0");
    assert_true(warned(&m, "second device, left out: 1 (a)"));
    assert_false(m.p->about.miss_accelerator_stream);
    drop(&m);
}

static void memory_of_a_run_is_summed_and_saturates(void **state)
{
    UNUSED;
    made m;
    one_node_graph(&m);
    size_t step = open_field(1), device = open_field(1), entry, part;
    text(1, "/cpu:0");
    entry = open_field(2);
    text(1, "a");
    number(2, 100);
    for (int i = 0; i < 2; i++) {
        part = open_field(6);
        number(2, 7);
        number(3, INT64_MAX);
        number(4, -3);
        close_field(part);
    }
    part = open_field(12);
    number(1, 100);
    number(3, 1000);
    close_field(part);
    close_field(entry);
    close_field(device);
    close_field(step);
    add(&m, "run_meta");
    finish(&m);
    tfp_node_stats s;
    tfp_node_stats_at(m.p, 0, tfp_step_of_row(0, 0), &s);
    assert_int_equal(s.requested_bytes, 14 + 1100);
    assert_true(s.peak_bytes == INT64_MAX);
    assert_int_equal(s.residual_bytes, 1000);
    assert_true(warned(&m, "negative byte counts"));
    assert_true(warned(&m, "too big for 64 bits"));
    drop(&m);
}

static void entries_without_a_start_have_no_time(void **state)
{
    UNUSED;
    made m;
    one_node_graph(&m);
    size_t step = open_field(1), device = open_field(1);
    text(1, "/cpu:0");
    run_entry("a", 0, 10);
    close_field(device);
    close_field(step);
    add(&m, "run_meta");
    finish(&m);
    assert_int_equal(micros(&m, "a", 0), 0);
    assert_true(warned(&m, "without a start time"));
    drop(&m);
}

static void run_metadata_without_step_stats_is_no_step(void **state)
{
    UNUSED;
    made m;
    one_node_graph(&m);
    size_t at = open_field(3);
    graph_node("p", "Const", NULL);
    close_field(at);
    add(&m, "run_meta");
    finish(&m);
    assert_int_equal(tfp_profile_step_count(m.p), 0);
    assert_true(warned(&m, "which is no step"));
    drop(&m);
}

static void group(uint32_t number)
{
    tfp_put_tag(&bytes, number, TFP_GROUP);
    tfp_put_tag(&bytes, 3, TFP_VARINT);
    tfp_put_varint(&bytes, 5);
    tfp_put_tag(&bytes, number, TFP_GROUP_END);
}

/* Fields may come in any order, with other fields between them, and of two names the last one counts, even if the
 * message is split. The input also has a device without entries and a step_stats without devices. */
static void run_metadata_is_the_same_in_any_order_of_its_fields(void **state)
{
    UNUSED;
    static const char *const sharings[] = { "1", "2/10", "3/30" };
    for (size_t i = 0; i < sizeof sharings / sizeof *sharings; i++) {
        assert_int_equal(setenv("TFPROF_THREADS", sharings[i], 1), 0);
        made m;
        one_node_graph(&m);
        number(9, 1);
        size_t step = open_field(1);
        group(7);
        size_t device = open_field(1);
        text(1, "/cpu:7");
        run_entry("a", 100, 5);
        group(8);
        run_entry("b", 100, 6);
        number(3, 7);
        text(1, "/cpu:0");
        run_entry("a", 200, 7);
        close_field(device);
        device = open_field(1);
        text(1, "/gpu:1/stream:all");
        close_field(device);
        close_field(step);
        step = open_field(1);
        close_field(step);
        group(3);
        add(&m, "run_meta");
        finish(&m);
        assert_int_equal(tfp_profile_step_count(m.p), 1);
        assert_int_equal(micros(&m, "a", 0), 12);
        assert_int_equal(micros(&m, "b", 0), 6);
        assert_str(tfp_text(m.p, node_of(&m, "b")->device), "/cpu:0");
        assert_int_equal(m.p->lanes->size, 2);
        assert_null(tfp_profile_warning(m.p, 0));
        drop(&m);
    }
    unsetenv("TFPROF_THREADS");
}

static void a_fault_of_run_metadata_tells_its_place_in_any_number_of_pieces(void **state)
{
    UNUSED;
    static const char *const sharings[] = { "1", "2/10", "3/30" };
    for (size_t i = 0; i < sizeof sharings / sizeof *sharings; i++) {
        assert_int_equal(setenv("TFPROF_THREADS", sharings[i], 1), 0);
        made m;
        one_node_graph(&m);
        size_t step = open_field(1), device = open_field(1);
        text(1, "/cpu:0");
        for (int k = 0; k < 5; k++) run_entry("a", 100 + k, 5);
        size_t entry = open_field(2);
        text(2, "a time");
        close_field(entry);
        run_entry("a", 300, 5);
        close_field(device);
        close_field(step);
        add(&m, "run_meta");
        assert_int_equal(m.s, TFP_BADFILE);
        assert_non_null(strstr(tfp_error_message(&m.err), "step_stats: device 0: node_stats 5: "));
        drop(&m);
    }
    unsetenv("TFPROF_THREADS");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_are_numbered_by_their_files),
        cmocka_unit_test(entries_of_unknown_nodes_make_nodes_but_for_bookkeeping),
        cmocka_unit_test(what_a_node_did_on_a_second_device_is_left_out_and_streams_are_kept),
        cmocka_unit_test(memory_of_a_run_is_summed_and_saturates),
        cmocka_unit_test(entries_without_a_start_have_no_time),
        cmocka_unit_test(run_metadata_without_step_stats_is_no_step),
        cmocka_unit_test(run_metadata_is_the_same_in_any_order_of_its_fields),
        cmocka_unit_test(a_fault_of_run_metadata_tells_its_place_in_any_number_of_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
