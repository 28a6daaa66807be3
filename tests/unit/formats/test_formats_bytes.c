// SPDX-License-Identifier: Apache-2.0
/* tests/unit/formats/test_formats_bytes.c: detects the format of bytes that have no file name. */
#include "support.h"

static void bytes_are_known_by_their_content(void **state)
{
    (void)state;
    static const char *const all[][2] = {
        { "odd/profile_5", "profile" },
        { "dense/profile_3.gz", "profile" },
        { "odd/graph.pb", "graph" },
        { "odd/graph.pbtxt", "graph" },
        { "dense/graph_shapes.pbtxt.gz", "graph" },
        { "functions/saved_model/saved_model.pb", "graph" },
        { "odd/run_meta_0", "run_meta" },
        { "odd/tfprof_log", "op_log" },
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        tfp_buf b = sample_file(all[i][0]);
        tfp_error err = { 0 };
        const char *format = tfp_recognise_bytes("it", b.data, b.size, &err);
        if (!format) fail_msg("%s: %s", all[i][0], tfp_error_message(&err));
        assert_string_equal(format, all[i][1]);
        assert_string_equal(tfp_error_message(&err), "");
        tfp_buf_free(&b);
    }
}

static void bytes_of_no_format_are_named_in_the_message(void **state)
{
    (void)state;
    tfp_error err = { 0 };
    assert_null(tfp_recognise_bytes("it", "\xff\xff\xff\xff", 4, &err));
    assert_non_null(strstr(tfp_error_message(&err), "it: not of a known format (profile, "));
    assert_null(tfp_recognise_bytes("it", NULL, 0, &err));
    assert_string_equal(tfp_error_message(&err), "it: empty file");
    assert_null(tfp_recognise_bytes("it", "\x1f\x8b\x08", 3, &err));
    assert_string_not_equal(tfp_error_message(&err), "");
    assert_null(tfp_recognise_bytes(NULL, "x", 1, &err));
    assert_string_not_equal(tfp_error_message(&err), "");
    assert_null(tfp_recognise_bytes("it", NULL, 1, &err));
    assert_string_not_equal(tfp_error_message(&err), "");
}

/* The end of the group comes after the plane; bytes of the caller are never treated as a buffer that may grow. */
static void a_group_ends_in_its_plane(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        tfp_status status;
    } all[] = { { "\x0a\x0c\x12\x09/host:CPU\x0b\x0c\x22\x01h", 18, TFP_BADFILE },
                { "\x0a\x0d\x12\x09/host:CPU\x0b\x0c\x22\x01h", 18, TFP_OK } };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        tfp_profile *p = tfp_profile_new();
        tfp_error err = { 0 };
        assert_int_equal(tfp_profile_add_bytes(p, "xplane", "it", all[i].bytes, all[i].size, &err), all[i].status);
        if (all[i].status) assert_non_null(strstr(tfp_error_message(&err), "group without an end at byte 14"));
        tfp_profile_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_group_ends_in_its_plane),
        cmocka_unit_test(bytes_are_known_by_their_content),
        cmocka_unit_test(bytes_of_no_format_are_named_in_the_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
