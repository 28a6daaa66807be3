// SPDX-License-Identifier: Apache-2.0
/* tests/unit/wire/test_wire.c: the protobuf wire format: reading, positions of errors, windows, writing; and how tfprof
 * tells the messages that it reads apart. */
#include "support.h"
#include "formats/graph/sniff.h"
#include "wire/proto.h"

#include <stdio.h>

#define UNUSED (void)state
#define WIRE(literal) tfp_wire_start(TFP_STR(literal))

/* Reads all fields, until the end or an error; returns the error's message, or "". */
static const char *walk(tfp_wire w, size_t *count)
{
    static tfp_error err;
    size_t n = 0;
    for (tfp_field f; tfp_wire_next(&w, &f);) n++;
    if (count) *count = n;
    tfp_error_clear(&err);
    tfp_wire_end(&w, &err);
    return tfp_error_message(&err);
}

static uint64_t first_varint(const void *bytes, size_t size)
{
    tfp_wire w = tfp_wire_start((tfp_str){ bytes, size });
    tfp_field f;
    assert_true(tfp_wire_next(&w, &f));
    uint64_t v = tfp_field_uint(&w, &f);
    assert_int_equal(tfp_wire_end(&w, NULL), TFP_OK);
    return v;
}

/* ---- fields ---- */

static void a_field_has_its_number_type_and_value(void **state)
{
    UNUSED;
    tfp_wire w = WIRE("\x08\x05\x12\x02hi\x19\x01\0\0\0\0\0\0\x80\x25\0\0\x80\x3f");
    tfp_field f;
    assert_true(tfp_wire_next(&w, &f));
    assert_int_equal(f.number, 1);
    assert_int_equal(tfp_field_int(&w, &f), 5);
    assert_true(tfp_wire_next(&w, &f));
    assert_int_equal(f.number, 2);
    assert_true(tfp_str_eq(tfp_field_bytes(&w, &f), TFP_STR("hi")));
    assert_true(tfp_wire_next(&w, &f));
    assert_int_equal(f.number, 3);
    assert_true(f.type == TFP_FIXED64 && f.value == UINT64_C(0x8000000000000001));
    assert_true(tfp_wire_next(&w, &f));
    assert_true(tfp_field_fixed32(&w, &f) == 0x3f800000);
    assert_false(tfp_wire_next(&w, &f));
    assert_int_equal(tfp_wire_end(&w, NULL), TFP_OK);
}

static void an_empty_message_has_no_fields(void **state)
{
    UNUSED;
    size_t count;
    assert_string_equal(walk(tfp_wire_start((tfp_str){ NULL, 0 }), &count), "");
    assert_int_equal(count, 0);
}

static void a_varint_of_every_length_is_read_near_the_end_and_far_from_it(void **state)
{
    UNUSED;
    for (unsigned bits = 0; bits <= 64; bits++) {
        uint64_t v = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
        for (size_t tail = 0; tail <= 16; tail += 16) {
            tfp_buf b = { 0 };
            tfp_put_int_always(&b, 1, (int64_t)v);
            size_t size = b.size;
            for (size_t i = 0; i < tail; i += 2) tfp_put_int_always(&b, 2, 1);
            assert_true(first_varint(b.data, size + tail) == v);
            tfp_buf_free(&b);
        }
    }
}

static void a_varint_may_be_longer_than_it_needs_to_be(void **state)
{
    UNUSED;
    assert_int_equal(first_varint("\x08\x85\x80\x80\x00", 5), 5);
    assert_int_equal(first_varint("\x08\x85\x80\x80\x80\x80\x80\x80\x80\x80\x00", 11), 5);
}

static void an_int32_is_the_low_half_of_its_varint(void **state)
{
    UNUSED;
    tfp_wire w = WIRE("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x08\xff\xff\xff\xff\x0f");
    tfp_field f;
    while (tfp_wire_next(&w, &f)) assert_int_equal(tfp_field_int32(&w, &f), -1);
    assert_int_equal(tfp_wire_end(&w, NULL), TFP_OK);
}

static void big_field_numbers_are_read(void **state)
{
    UNUSED;
    tfp_wire w = WIRE("\xf8\xff\xff\xff\x0f\x07\x82\x01\x01x");
    tfp_field f;
    assert_true(tfp_wire_next(&w, &f));
    assert_int_equal(f.number, 536870911);
    assert_int_equal(f.value, 7);
    assert_true(tfp_wire_next(&w, &f));
    assert_int_equal(f.number, 16);
    assert_true(tfp_str_eq(f.bytes, TFP_STR("x")));
}

/* ---- faults ---- */

static void faults_are_named_with_their_byte(void **state)
{
    UNUSED;
    assert_string_equal(walk(WIRE("\x08\x01\x00\x01"), NULL), "field number 0 at byte 2");
    assert_string_equal(walk(WIRE("\x08\x01\x0e"), NULL), "unknown wire type at byte 2");
    assert_string_equal(walk(WIRE("\x08\x01\x0f"), NULL), "unknown wire type at byte 2");
    assert_string_equal(walk(WIRE("\x12\x05only"), NULL), "length past the end at byte 0");
    assert_string_equal(walk(WIRE("\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), NULL),
                        "length past the end at byte 0");
    assert_string_equal(walk(WIRE("\x08"), NULL), "varint cut short at byte 1");
    assert_string_equal(walk(WIRE("\x08\x80"), NULL), "varint cut short at byte 1");
    assert_string_equal(walk(WIRE("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), NULL),
                        "varint longer than 10 bytes at byte 1");
    assert_string_equal(walk(WIRE("\x09\x01\x02"), NULL), "number cut short at byte 0");
    assert_string_equal(walk(WIRE("\x0d\x01\x02\x03"), NULL), "number cut short at byte 0");
    assert_string_equal(walk(WIRE("\xff\xff\xff\xff\xff\xff\x01"), NULL), "field number too large at byte 0");
}

static void a_field_of_another_type_is_a_fault(void **state)
{
    UNUSED;
    tfp_error err;
    tfp_wire w = WIRE("\x1d\0\0\0\0");
    tfp_field f;
    tfp_error_clear(&err);
    assert_true(tfp_wire_next(&w, &f));
    assert_int_equal(tfp_field_int(&w, &f), 0);
    assert_int_equal(tfp_field_bytes(&w, &f).size, 0);
    assert_false(tfp_wire_next(&w, &f));
    assert_int_equal(tfp_wire_end(&w, &err), TFP_BADFILE);
    assert_string_equal(tfp_error_message(&err), "field 3 has wire type 5 before byte 5");
}

static void a_fault_in_a_nested_message_tells_its_place_in_the_file(void **state)
{
    UNUSED;
    tfp_error err;
    tfp_wire w = tfp_wire_start_at(TFP_STR("\x08\x01\x12\x04\x0a\x02\x08\x80"), 1000);
    tfp_field f;
    tfp_error_clear(&err);
    while (tfp_wire_next(&w, &f)) {
        if (f.number != 2) continue;
        tfp_wire inner = tfp_field_message(&w, &f);
        assert_true(tfp_wire_next(&inner, &f));
        tfp_wire innermost = tfp_field_message(&inner, &f);
        while (tfp_wire_next(&innermost, &f)) {}
        tfp_wire_join(&inner, &innermost, "memory");
        tfp_wire_join(&w, &inner, "device");
    }
    assert_int_equal(tfp_wire_end(&w, &err), TFP_BADFILE);
    assert_string_equal(tfp_error_message(&err), "device: memory: varint cut short at byte 1007");
}

/* ---- groups ---- */

static void groups_are_skipped_whole(void **state)
{
    UNUSED;
    size_t count;
    assert_string_equal(walk(WIRE("\x0b\x10\x01\x1a\x01x\x0c\x08\x05"), &count), "");
    assert_int_equal(count, 1);
    assert_string_equal(walk(WIRE("\x0b\x13\x14\x0c"), &count), "");
    assert_int_equal(count, 0);
    assert_string_equal(walk(WIRE("\x0b\x10\x01"), NULL), "group without an end at byte 3");
    assert_string_equal(walk(WIRE("\x0b\x14"), NULL), "end of another group at byte 1");
    assert_string_equal(walk(WIRE("\x0c"), NULL), "end of a group that was not begun at byte 0");
    assert_string_equal(walk(WIRE("\x0b\x12\x09x\x0c"), NULL), "length past the end at byte 3");
}

static void a_million_nested_groups_take_no_stack(void **state)
{
    UNUSED;
    tfp_buf b = { 0 };
    tfp_buf_fill(&b, '\x0b', 1000000);
    assert_string_equal(walk(tfp_wire_start((tfp_str){ b.data, b.size }), NULL),
                        "group without an end at byte 1000000");
    tfp_buf_fill(&b, '\x0c', 1000000);
    assert_string_equal(walk(tfp_wire_start((tfp_str){ b.data, b.size }), NULL), "");
    tfp_buf_free(&b);
}

/* ---- repeated scalars ---- */

static void packed_and_single_scalars_are_the_same(void **state)
{
    UNUSED;
    tfp_wire w = WIRE("\x0a\x03\x01\x80\x01\x08\x03\x0a\x00");
    uint64_t expected[] = { 1, 128, 3 }, v;
    size_t n = 0;
    for (tfp_field f; tfp_wire_next(&w, &f);)
        for (tfp_packed p = tfp_packed_start(&w, &f, TFP_VARINT); tfp_packed_next(&w, &p, &v); n++)
            assert_true(n < 3 && v == expected[n]);
    assert_int_equal(n, 3);
    assert_int_equal(tfp_wire_end(&w, NULL), TFP_OK);
}

static void packed_fixed_numbers_are_read(void **state)
{
    UNUSED;
    tfp_wire w = WIRE("\x0a\x08\x01\0\0\0\x02\0\0\0");
    uint64_t sum = 0, v;
    for (tfp_field f; tfp_wire_next(&w, &f);)
        for (tfp_packed p = tfp_packed_start(&w, &f, TFP_FIXED32); tfp_packed_next(&w, &p, &v);) sum += v;
    assert_int_equal(sum, 3);
}

static void a_cut_packed_number_is_a_fault_of_the_message(void **state)
{
    UNUSED;
    tfp_wire w = WIRE("\x0a\x02\x01\x80\x08\x01");
    uint64_t v;
    for (tfp_field f; tfp_wire_next(&w, &f);)
        for (tfp_packed p = tfp_packed_start(&w, &f, TFP_VARINT); tfp_packed_next(&w, &p, &v);) {}
    assert_int_equal(tfp_wire_end(&w, NULL), TFP_BADFILE);
}

/* ---- windows ---- */

static void the_top_level_of_an_input_is_read_field_by_field(void **state)
{
    UNUSED;
    tfp_input in;
    tfp_field f;
    tfp_status s = TFP_OK;
    static const char bytes[] = "\x0a\x02hi\x0b\x10\x01\x0c\x18\x07\x21\x01\0\0\0\0\0\0\0";
    assert_int_equal(tfp_input_memory(&in, "x", bytes, sizeof bytes - 1, NULL), TFP_OK);
    assert_true(tfp_wire_next_input(&in, &f, &s, NULL));
    assert_true(tfp_str_eq(f.bytes, TFP_STR("hi")));
    assert_true(tfp_wire_next_input(&in, &f, &s, NULL));
    assert_true(f.number == 3 && f.value == 7);
    assert_true(tfp_wire_next_input(&in, &f, &s, NULL));
    assert_true(f.number == 4 && f.type == TFP_FIXED64 && f.value == 1);
    assert_false(tfp_wire_next_input(&in, &f, &s, NULL));
    assert_int_equal(s, TFP_OK);
    tfp_input_close(&in);
}

static void every_fault_at_the_top_level_of_an_input_is_found(void **state)
{
    UNUSED;
    static const tfp_str bad[] = {
        { "\x0a\x05hi", 4 }, { "\x0a", 1 },     { "\x0a\x80", 2 },
        { "\x0b", 1 },       { "\x0c", 1 },     { "\x00\x01", 2 },
        { "\x0e", 1 },       { "\x09\x01", 2 }, { "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11 }
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        tfp_input in;
        tfp_field f;
        tfp_status s = TFP_OK;
        assert_int_equal(tfp_input_memory(&in, "x", bad[i].data, bad[i].size, NULL), TFP_OK);
        while (tfp_wire_next_input(&in, &f, &s, NULL)) {}
        assert_int_equal(s, TFP_BADFILE);
        tfp_input_close(&in);
    }
}

/* ---- writing ---- */

static void zeros_and_empty_strings_are_left_out_unless_asked_for(void **state)
{
    UNUSED;
    tfp_buf b = { 0 };
    tfp_put_int(&b, 1, 0);
    tfp_put_bytes(&b, 2, TFP_STR(""));
    tfp_put_packed_ints(&b, 4, NULL, 0);
    assert_int_equal(b.size, 0);
    tfp_put_int_always(&b, 1, 0);
    tfp_put_bytes_always(&b, 2, TFP_STR(""));
    assert_int_equal(b.size, 4);
    assert_memory_equal(b.data, "\x08\x00\x12\x00", 4);
    tfp_buf_free(&b);
}

static void nested_messages_of_every_size_get_their_length(void **state)
{
    UNUSED;
    for (size_t size = 0; size < 70000; size = size * 3 + 1) {
        tfp_buf b = { 0 };
        size_t outer = tfp_put_open(&b, 20), inner = tfp_put_open(&b, 1);
        tfp_buf_fill(&b, 'x', size);
        tfp_put_close(&b, inner);
        tfp_put_close(&b, outer);
        tfp_wire w = tfp_wire_start((tfp_str){ b.data, b.size });
        tfp_field f;
        assert_true(tfp_wire_next(&w, &f));
        assert_int_equal(f.number, 20);
        tfp_wire in = tfp_field_message(&w, &f);
        assert_true(tfp_wire_next(&in, &f));
        assert_int_equal(f.bytes.size, size);
        assert_false(tfp_wire_next(&in, &f));
        assert_false(tfp_wire_next(&w, &f));
        assert_int_equal(tfp_wire_end(&w, NULL), TFP_OK);
        tfp_buf_free(&b);
    }
}

static void what_is_written_is_read_again(void **state)
{
    UNUSED;
    static const int64_t ints[] = { 0, -1, 300, INT64_MIN, INT64_MAX };
    tfp_buf b = { 0 };
    tfp_put_packed_ints(&b, 1, ints, 5);
    tfp_buf_add(&b, "\x11\0\0\0\0\0\0\x04\xc0", 9); /* field 2, a double: -2.5 */
    tfp_wire w = tfp_wire_start((tfp_str){ b.data, b.size });
    tfp_field f;
    uint64_t v;
    size_t n = 0;
    assert_true(tfp_wire_next(&w, &f));
    for (tfp_packed p = tfp_packed_start(&w, &f, TFP_VARINT); tfp_packed_next(&w, &p, &v); n++)
        assert_true((int64_t)v == ints[n]);
    assert_int_equal(n, 5);
    assert_true(tfp_wire_next(&w, &f));
    assert_true(tfp_field_double(&w, &f) == -2.5);
    tfp_buf_free(&b);
}

/* ---- which message a file holds ---- */

static int score(tfp_str head, tfp_kind kind) { return tfp_sniff_score(head, head.size, TFP_KINDS(kind)); }

/* Checks that the head is recognised as this kind and no other. */
static void is_only(tfp_str head, tfp_kind kind)
{
    for (int k = 0; k < TFP_KIND_COUNT; k++) {
        if (k == (int)kind)
            assert_true(score(head, (tfp_kind)k) >= 60);
        else
            assert_true(score(head, (tfp_kind)k) < 60);
    }
}

static void messages_are_told_apart_by_their_nested_fields(void **state)
{
    UNUSED;
    is_only(TFP_STR("\x0a\x08\x0a\x01"
                    "a\x12\x03"
                    "Add"),
            TFP_KIND_GRAPH);
    is_only(TFP_STR("\x0a\x10\x0a\x0e\x0a\x04"
                    "/cpu\x12\x06\x0a\x02"
                    "ab\x10\x01"),
            TFP_KIND_RUN_META);
    is_only(TFP_STR("\x0a\x08\x0a\x01"
                    "a\x10\x05\x1a\x01"
                    "t"),
            TFP_KIND_OP_LOG);
    is_only(TFP_STR("\x0a\x09\x08\x01\x12\x05\x0a\x01"
                    "a\x68\x01\x10\x01"),
            TFP_KIND_PROFILE);
    is_only(TFP_STR("\x0a\x07\x22\x05train\x12\x0a\x0a\x08\x0a\x01"
                    "a\x12\x03"
                    "Add"),
            TFP_KIND_META_GRAPH);
    is_only(TFP_STR("\x08\x01\x12\x0c\x12\x0a\x0a\x08\x0a\x01"
                    "a\x12\x03"
                    "Add"),
            TFP_KIND_SAVED_MODEL);
}

static void texts_are_told_apart_by_their_first_name(void **state)
{
    UNUSED;
    is_only(TFP_STR("# a graph\nnode {\n  name: \"a\"\n}\n"), TFP_KIND_GRAPH);
    is_only(TFP_STR("step_stats { dev_stats { } }"), TFP_KIND_RUN_META);
    is_only(TFP_STR("log_entries < name: 'a' >"), TFP_KIND_OP_LOG);
    is_only(TFP_STR("meta_info_def { }"), TFP_KIND_META_GRAPH);
    is_only(TFP_STR("saved_model_schema_version: 1"), TFP_KIND_SAVED_MODEL);
    is_only(TFP_STR("nodes { key: 1 }"), TFP_KIND_PROFILE);
}

static void a_head_that_is_cut_is_still_known(void **state)
{
    UNUSED;
    static const char graph[] = "\x0a\x20\x0a\x05"
                                "layer\x12\x05"
                                "Const\x1a\x10inp";
    tfp_str head = { graph, sizeof graph - 1 };
    assert_true(tfp_sniff_score(head, 4000, TFP_KINDS(TFP_KIND_GRAPH)) >= 60);
}

static void random_bytes_are_nothing(void **state)
{
    UNUSED;
    uint64_t x = 88172645463325252u;
    for (int round = 0; round < 20000; round++) {
        char bytes[64];
        for (size_t i = 0; i < sizeof bytes; i++) {
            x ^= x << 13, x ^= x >> 7, x ^= x << 17;
            bytes[i] = (char)x;
        }
        assert_true(tfp_sniff_score((tfp_str){ bytes, sizeof bytes }, sizeof bytes, ~0u) < 60);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_field_has_its_number_type_and_value),
        cmocka_unit_test(an_empty_message_has_no_fields),
        cmocka_unit_test(a_varint_of_every_length_is_read_near_the_end_and_far_from_it),
        cmocka_unit_test(a_varint_may_be_longer_than_it_needs_to_be),
        cmocka_unit_test(an_int32_is_the_low_half_of_its_varint),
        cmocka_unit_test(big_field_numbers_are_read),
        cmocka_unit_test(faults_are_named_with_their_byte),
        cmocka_unit_test(a_field_of_another_type_is_a_fault),
        cmocka_unit_test(a_fault_in_a_nested_message_tells_its_place_in_the_file),
        cmocka_unit_test(groups_are_skipped_whole),
        cmocka_unit_test(a_million_nested_groups_take_no_stack),
        cmocka_unit_test(packed_and_single_scalars_are_the_same),
        cmocka_unit_test(packed_fixed_numbers_are_read),
        cmocka_unit_test(a_cut_packed_number_is_a_fault_of_the_message),
        cmocka_unit_test(the_top_level_of_an_input_is_read_field_by_field),
        cmocka_unit_test(every_fault_at_the_top_level_of_an_input_is_found),
        cmocka_unit_test(zeros_and_empty_strings_are_left_out_unless_asked_for),
        cmocka_unit_test(nested_messages_of_every_size_get_their_length),
        cmocka_unit_test(what_is_written_is_read_again),
        cmocka_unit_test(messages_are_told_apart_by_their_nested_fields),
        cmocka_unit_test(texts_are_told_apart_by_their_first_name),
        cmocka_unit_test(a_head_that_is_cut_is_still_known),
        cmocka_unit_test(random_bytes_are_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
