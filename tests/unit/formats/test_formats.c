// SPDX-License-Identifier: Apache-2.0
/* tests/unit/formats/test_formats.c: files of any format: which are refused, the positions of errors, the meaning of
 * names and paths. */
#include "formats_made.h"

#include "formats/graph/tfdevice.h"

#define UNUSED (void)state

/* ---- any file ---- */

static void files_of_another_kind_are_refused(void **state)
{
    UNUSED;
    static const char *const wrong[] = { "run_meta", "op_log", "profile" };
    for (size_t i = 0; i < 3; i++) {
        made m;
        start(&m);
        for (int k = 0; k < 5; k++) graph_node("layer/weights", "VariableV2", "layer/input");
        add(&m, wrong[i]);
        assert_int_equal(m.s, TFP_BADFILE);
        assert_non_null(strstr(tfp_error_message(&m.err), "looks like a GraphDef, not a"));
        drop(&m);
    }
}

static void empty_files_are_refused_and_files_without_data_are_told(void **state)
{
    UNUSED;
    static const char *const formats[] = { "graph", "run_meta", "op_log", "profile" };
    for (size_t i = 0; i < 4; i++) {
        made m;
        start(&m);
        add(&m, formats[i]);
        assert_int_equal(m.s, TFP_BADFILE);
        assert_non_null(strstr(tfp_error_message(&m.err), "empty file"));
        drop(&m);
        start(&m);
        number(77, 5);
        add(&m, formats[i]);
        assert_int_equal(m.s, TFP_BADFILE);
        drop(&m);
    }
    made m;
    start(&m);
    size_t versions = open_field(4);
    number(1, 27);
    close_field(versions);
    add(&m, "graph");
    finish(&m);
    assert_true(warned(&m, "graph: all of its nodes are in earlier files"));
    drop(&m);
}

static void every_cut_of_a_profile_ends_as_an_error_or_a_whole_profile(void **state)
{
    UNUSED;
    made m;
    start(&m);
    profile_node(1, "a", 5);
    profile_node(2, "b", 7);
    steps();
    tfp_buf whole = bytes;
    bytes = (tfp_buf){ 0 };
    drop(&m);
    for (size_t size = 1; size < whole.size; size++) {
        start(&m);
        tfp_buf_add(&bytes, whole.data, size);
        add(&m, "profile");
        assert_true(m.s == TFP_BADFILE || tfp_profile_finish(m.p, NULL) == TFP_OK);
        if (m.s) assert_non_null(strstr(tfp_error_message(&m.err), "profile:"));
        drop(&m);
    }
    tfp_buf_free(&whole);
}

static void a_fault_tells_its_place(void **state)
{
    UNUSED;
    made m;
    start(&m);
    profile_node(0, "a", 5);
    size_t entry, node = open_node(1, "b", &entry), exec = open_field(12), value = open_field(2);
    size_t memory = open_field(7);
    tfp_buf_add(&bytes, "\x30\x80", 2);
    close_field(memory);
    close_field(value);
    close_field(exec);
    close_field(node);
    close_field(entry);
    char expected[100];
    snprintf(expected, sizeof expected, "profile: node 1: memory_execs: varint cut short at byte %zu", bytes.size - 1);
    add(&m, "profile");
    assert_int_equal(m.s, TFP_BADFILE);
    assert_string_equal(tfp_error_message(&m.err), expected);
    drop(&m);
}

/* ---- names of devices ---- */

static void device_names_say_what_they_are(void **state)
{
    UNUSED;
    const unsigned cpu = TFP_NODE_ON_CPU, gpu = TFP_NODE_ON_ACCELERATOR;
    const struct {
        const char *name;
        bool canonical;
        unsigned on;
        tfp_lane_kind kind;
        tfp_lane_role role;
    } cases[] = {
        { "/job:w/replica:0/task:0/device:gpu:0", true, gpu, TFP_LANE_CPU, TFP_ROLE_THREAD },
        { "/gpu:12", true, gpu, TFP_LANE_CPU, TFP_ROLE_THREAD },
        { "/job:w/cpu:0", true, cpu, TFP_LANE_CPU, TFP_ROLE_THREAD },
        { "cpu:0", false, cpu, TFP_LANE_OTHER, TFP_ROLE_THREAD },
        { "/device:gpu:", false, gpu, TFP_LANE_OTHER, TFP_ROLE_THREAD },
        { "/a\n/gpu:0", false, gpu, TFP_LANE_OTHER, TFP_ROLE_THREAD },
        { "/gpu:0/stream:all", false, gpu, TFP_LANE_ACCELERATOR, TFP_ROLE_STREAM },
        { "/gpu:0/stream:3", false, gpu, TFP_LANE_OTHER, TFP_ROLE_STREAM },
        { "/device:tpu:0", false, 0, TFP_LANE_OTHER, TFP_ROLE_THREAD },
        { "", false, 0, TFP_LANE_OTHER, TFP_ROLE_THREAD },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tfp_tf_device d = tfp_tf_device_of(tfp_str_of(cases[i].name));
        assert_int_equal(d.canonical, cases[i].canonical);
        assert_int_equal(d.on, cases[i].on);
        assert_int_equal(d.kind, cases[i].kind);
        assert_int_equal(d.role, cases[i].role);
    }
}

/* ---- how files combine ---- */

static void formats_say_how_their_files_stand_together(void **state)
{
    UNUSED;
    assert_true(tfp_format_is("profile", TFP_FORMAT_WHOLE) && !tfp_format_is("graph", TFP_FORMAT_WHOLE));
    assert_true(tfp_format_is("checkpoint", TFP_FORMAT_BESIDE_WHOLE) && tfp_format_is("checkpoint", TFP_FORMAT_PREFIX));
    assert_true(tfp_format_is("graph", TFP_FORMAT_LEADS) && tfp_format_is("run_meta", TFP_FORMAT_FOLLOWS));
    assert_true(tfp_format_is("run_meta", TFP_FORMAT_SEVERAL) && !tfp_format_is("op_log", TFP_FORMAT_SEVERAL));
    assert_true(tfp_format_is("op_log", TFP_FORMAT_PART) && !tfp_format_is("run_meta", TFP_FORMAT_PART));
    assert_false(tfp_format_is("none", TFP_FORMAT_WHOLE) || tfp_format_is(NULL, TFP_FORMAT_WHOLE));
    assert_false(tfp_format_is("profile", (tfp_format_fact)99));
    assert_string_equal(tfp_format_ending(NULL, 0), ".index");
    assert_string_equal(tfp_format_ending("checkpoint", 1), "-00000-of-00001");
    assert_null(tfp_format_ending("checkpoint", 2));
    assert_null(tfp_format_ending("graph", 0));
    assert_int_equal(tfp_format_name_size("checkpoint", "a/b.index"), 3);
    assert_int_equal(tfp_format_name_size("checkpoint", ".index"), 6);
    assert_int_equal(tfp_format_name_size("graph", "b.index"), 7);
}

static void paths_say_what_they_are_part_of(void **state)
{
    UNUSED;
    const char *parts[] = { "a/b.data-00000-of-00002", "b-00001-of-00002", "x/checkpoint", "m/fingerprint.pb" };
    const char *others[] = {
        "b-00000-of-00002", "x/checkpoint/a", "fingerprint.pb.txt", "m/saved_model.pb", "-of-", ""
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) assert_true(tfp_path_is(parts[i], TFP_PATH_PART));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) assert_false(tfp_path_is(others[i], TFP_PATH_PART));
    assert_true(tfp_path_is("m/saved_model.pbtxt", TFP_PATH_FOLDER) && tfp_path_is("saved_model.pb", TFP_PATH_FOLDER));
    assert_false(tfp_path_is("m/graph.pb", TFP_PATH_FOLDER) || tfp_path_is(NULL, TFP_PATH_FOLDER));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(device_names_say_what_they_are),
        cmocka_unit_test(formats_say_how_their_files_stand_together),
        cmocka_unit_test(paths_say_what_they_are_part_of),
        cmocka_unit_test(files_of_another_kind_are_refused),
        cmocka_unit_test(empty_files_are_refused_and_files_without_data_are_told),
        cmocka_unit_test(every_cut_of_a_profile_ends_as_an_error_or_a_whole_profile),
        cmocka_unit_test(a_fault_tells_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
