// SPDX-License-Identifier: Apache-2.0
/* tests/unit/wire/test_jsonscan.c: wire/jsonscan.c: exact times, accepted deviations, and values that need more
 * bytes. */
#include "support.h"

#include "wire/jsonscan.h"

static tfp_jscan_time micros(const char *text)
{
    tfp_jscan j = tfp_jscan_start(tfp_str_of(text));
    return tfp_jscan_micros(&j);
}

static void times_are_exact_nanoseconds_rounded_down(void **state)
{
    (void)state;
    assert_int_equal(micros("4458676522690.655,").ns, 4458676522690655);
    assert_int_equal(micros("1326e-3,").ns, 1326);
    assert_int_equal(micros("1.0000E3,").ns, 1000000);
    assert_int_equal(micros("0.0019,").ns, 1);
    assert_int_equal(micros("0.0019,").rest, 900000000);
    assert_int_equal(micros("-0.0019,").ns, -2);
    assert_false(micros("68.0,").fraction);
    assert_true(micros("68.25,").fraction);
}

/* Digits are read eight at a time if eight bytes are left, and one by one at the end of the window. */
static void whole_numbers_of_any_length_and_place(void **state)
{
    (void)state;
    const char *digits = "1234567890123456789";
    for (size_t count = 1; count <= 19; count++) {
        for (size_t behind = 1; behind < 12; behind++) {
            char text[40] = "";
            memcpy(text, digits, count);
            memcpy(text + count, ",9999999999/::", behind);
            /* a copy of its own, so that sanitizers see reads past its end */
            char *part = strndup(text, count + behind);
            tfp_jscan j = tfp_jscan_start((tfp_str){ part, count + behind });
            int64_t n = 0;
            assert_true(tfp_jscan_integer(&j, &n));
            text[count] = '\0';
            assert_int_equal(n, strtoll(text, NULL, 10));
            assert_int_equal(*j.at, ',');
            free(part);
        }
    }
    const char *others[] = { "12a4,      ", "\xff?345678,  ", "1/3,        ", "true,      " };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        tfp_jscan j = tfp_jscan_start(tfp_str_of(others[i]));
        int64_t n;
        assert_false(tfp_jscan_integer(&j, &n));
    }
}

static void a_known_text_is_taken_where_it_stands_only(void **state)
{
    (void)state;
    const char text[TFP_JSCAN_TEXT + 1] = ",\n    \"a key of so many\": \0\0\0\0\0\0";
    size_t size = strlen(text);
    for (size_t at = 0; at <= size + 2; at++) {
        for (size_t behind = 0; behind < 10; behind++) {
            char other[80];
            memset(other, '1', sizeof other);
            memcpy(other, text, size);
            if (at < size) other[at] ^= 1;
            /* a copy of its own, so that sanitizers see reads past its end */
            char *part = strndup(other, size + 2 + behind);
            tfp_jscan j = tfp_jscan_start((tfp_str){ part, size + 2 + behind });
            bool taken = tfp_jscan_take_text(&j, text, size);
            assert_int_equal(taken, at >= size && size + 2 + behind > TFP_JSCAN_TEXT);
            assert_int_equal(j.at - part, taken ? (ptrdiff_t)size : 0);
            free(part);
        }
    }
}

static void values_that_are_no_times_are_skipped(void **state)
{
    (void)state;
    const char *texts[] = { "\"soon\",", "NaN,", "-Infinity,", "null,", "[1,2],", "1e30," };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        tfp_jscan j = tfp_jscan_start(tfp_str_of(texts[i]));
        assert_false(tfp_jscan_micros(&j).known);
        assert_int_equal(j.fault, TFP_JSCAN_FINE);
        assert_int_equal(*j.at, ',');
    }
    assert_true(micros("1e30,").beyond);
}

static void a_window_that_ends_in_a_value_asks_for_more(void **state)
{
    (void)state;
    const char *text = "{\"a\\\"b\": [1, {\"c\": \"}]\"}], \"d\": -1.5e3} ";
    size_t size = strlen(text);
    for (size_t cut = 0; cut < size - 1; cut++) {
        char *part = strndup(text, cut); /* a copy of its own, so that sanitizers see reads past its end */
        tfp_jscan j = tfp_jscan_start((tfp_str){ part, cut });
        tfp_jscan_skip(&j);
        assert_int_equal(j.fault, TFP_JSCAN_MORE);
        free(part);
    }
    tfp_jscan j = tfp_jscan_start(tfp_str_of(text));
    tfp_jscan_skip(&j);
    assert_int_equal(j.fault, TFP_JSCAN_FINE);
}

static void nesting_is_bounded_and_brackets_must_match(void **state)
{
    (void)state;
    char deep[2 * TFP_JSCAN_DEPTH + 4];
    memset(deep, '[', sizeof deep);
    tfp_jscan j = tfp_jscan_start((tfp_str){ deep, sizeof deep });
    tfp_jscan_skip(&j);
    assert_int_equal(j.fault, TFP_JSCAN_WRONG);
    j = tfp_jscan_start(TFP_STR("[{]} "));
    tfp_jscan_skip(&j);
    assert_int_equal(j.fault, TFP_JSCAN_WRONG);
}

static void decoded(const char *raw, const char *wanted)
{
    tfp_buf b = { 0 };
    tfp_jscan_decode(tfp_str_of(raw), &b);
    tfp_buf_char(&b, 0);
    assert_false(b.failed);
    assert_string_equal(b.data, wanted);
    tfp_buf_free(&b);
}

static void escapes_become_characters_and_raw_backslashes_stay(void **state)
{
    (void)state;
    decoded("a\\n\\u00e9\\ud83d\\ude00\\/", "a\n\xc3\xa9\xf0\x9f\x98\x80/");
    decoded("x\\ud800y", "x\xef\xbf\xbdy");
    decoded("C:\\Users\\q", "C:\\Users\\q");
    decoded("\\u12", "\\u12");
}

/* The end of the value at the start of `text`, found byte by byte. One counter is enough for nesting, because the
 * brackets match. */
static size_t end_of(tfp_str text)
{
    bool in_string = false;
    size_t depth = 0, at = 0;
    while (text.data[at] == ' ') at++;
    do {
        char c = text.data[at++];
        if (in_string) {
            at += c == '\\';
            in_string = c != '"';
        } else {
            in_string = c == '"';
            depth += c == '[' || c == '{';
            depth -= c == ']' || c == '}';
        }
    } while (depth || in_string);
    return at;
}

/* Skips the value at the start of a text in windows of a given size; a string longer than a window gets a longer
 * window. */
static size_t end_in_windows(tfp_str text, size_t size)
{
    tfp_jscan_nest nest = { .depth = 0 };
    for (size_t from = 0, want = size;; want += size) {
        size_t left = text.size - from;
        tfp_jscan j = tfp_jscan_start((tfp_str){ text.data + from, want < left ? want : left });
        tfp_jscan_skip_part(&j, &nest);
        size_t used = (size_t)(j.at - (text.data + from));
        from += used;
        if (used) want = 0;
        if (j.fault != TFP_JSCAN_MORE || left <= want) return j.fault ? 0 : from;
    }
}

/* Strings, escapes and brackets in strings are tested at every position within the blocks that are scanned at once. */
static void nested_values_end_where_they_do_byte_by_byte(void **state)
{
    (void)state;
    static const char *const words[] = { "1",
                                         "-2.5e3",
                                         "\"\"",
                                         "\"a\"",
                                         "\"]\"",
                                         "\"\\\"\"",
                                         "\"\\\\\"",
                                         "[]",
                                         "{}",
                                         "null",
                                         "[[7]]",
                                         "\"{[\"",
                                         "\"sixteen bytes..\"",
                                         "[\"}\"]" };
    uint32_t dice = 11;
    for (int round = 0; round < 4000; round++) {
        tfp_buf text = { 0 };
        tfp_buf_fill(&text, ' ', (size_t)round % 16);
        tfp_buf_char(&text, '[');
        for (int i = 0; i < round % 23; i++) {
            dice = dice * 1664525 + 1013904223;
            if (i) tfp_buf_char(&text, ',');
            tfp_buf_text(&text, words[(dice >> 16) % (sizeof words / sizeof *words)]);
        }
        tfp_buf_char(&text, ']');
        size_t end = end_of((tfp_str){ text.data, text.size });
        tfp_buf_text(&text, "]}\"behind it\"[");
        tfp_jscan j = tfp_jscan_start((tfp_str){ text.data, text.size });
        tfp_jscan_skip(&j);
        assert_int_equal(j.fault, TFP_JSCAN_FINE);
        assert_int_equal(j.at - text.data, end);
        size_t begin = (size_t)round % 16, size = (size_t)round % 41 + 1;
        tfp_str nested = { text.data + begin, text.size - begin };
        assert_int_equal(end_in_windows(nested, size), end - begin);
        j = tfp_jscan_start((tfp_str){ text.data, end - 1 });
        tfp_jscan_skip(&j);
        assert_int_equal(j.fault, TFP_JSCAN_MORE);
        tfp_buf_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_exact_nanoseconds_rounded_down),
        cmocka_unit_test(whole_numbers_of_any_length_and_place),
        cmocka_unit_test(a_known_text_is_taken_where_it_stands_only),
        cmocka_unit_test(values_that_are_no_times_are_skipped),
        cmocka_unit_test(a_window_that_ends_in_a_value_asks_for_more),
        cmocka_unit_test(nesting_is_bounded_and_brackets_must_match),
        cmocka_unit_test(nested_values_end_where_they_do_byte_by_byte),
        cmocka_unit_test(escapes_become_characters_and_raw_backslashes_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
