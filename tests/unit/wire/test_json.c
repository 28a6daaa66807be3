// SPDX-License-Identifier: Apache-2.0
/* tests/unit/wire/test_json.c: wire/json.c writes JSON that every reader accepts, whatever bytes the strings
 * contain. */
#include "support.h"

#include <math.h>

#include "wire/json.h"

static char *ended(tfp_buf *b)
{
    tfp_buf_char(b, 0);
    assert_false(b->failed);
    return b->data;
}

static void commas_stand_between_values_and_members(void **state)
{
    (void)state;
    tfp_buf b = { 0 };
    tfp_json j = tfp_json_start(&b);
    tfp_json_open(&j, '{');
    tfp_json_key(&j, "a");
    tfp_json_open(&j, '[');
    tfp_json_int(&j, 1);
    tfp_json_null(&j);
    tfp_json_open(&j, '[');
    tfp_json_close(&j, ']');
    tfp_json_bool(&j, true);
    tfp_json_close(&j, ']');
    tfp_json_key(&j, "b");
    tfp_json_open(&j, '{');
    tfp_json_close(&j, '}');
    tfp_json_key(&j, "c");
    tfp_json_text(&j, NULL);
    tfp_json_close(&j, '}');
    assert_string_equal(ended(&b), "{\"a\":[1,null,[],true],\"b\":{},\"c\":null}");
    tfp_buf_free(&b);
}

static void shown_as(const char *raw, size_t size, const char *wanted)
{
    tfp_buf b = { 0 };
    tfp_json j = tfp_json_start(&b);
    tfp_json_str(&j, (tfp_str){ raw, size });
    assert_string_equal(ended(&b), wanted);
    tfp_buf_free(&b);
}
#define SHOWN(raw, wanted) shown_as(raw, sizeof(raw) - 1, wanted)

static void quotes_and_backslashes_are_escaped_once(void **state)
{
    (void)state;
    SHOWN("", "\"\"");
    SHOWN("a/b_1:0", "\"a/b_1:0\"");
    SHOWN("say \"hi\"", "\"say \\\"hi\\\"\"");
    SHOWN("C:\\x", "\"C:\\\\x\"");
}

static void controls_and_bad_bytes_read_as_in_text(void **state)
{
    (void)state;
    SHOWN("a\nb", "\"a\\\\x0ab\"");
    SHOWN("nul\0end", "\"nul\\\\x00end\"");
    SHOWN("\x7f", "\"\\\\x7f\"");
    SHOWN("\xff", "\"\\\\xff\"");
    SHOWN("\xc3", "\"\\\\xc3\"");                       /* truncated */
    SHOWN("\xed\xa0\x80", "\"\\\\xed\\\\xa0\\\\x80\""); /* a surrogate */
    SHOWN("\xe2\x80\xae", "\"\\\\u{202E}\"");           /* changes the reading direction */
    SHOWN("\xc2\x85", "\"\\\\u{0085}\"");
}

static void other_letters_stay(void **state)
{
    (void)state;
    SHOWN("caf\xc3\xa9 \xe5\xb1\x82 \xf0\x9f\x94\xa5", "\"caf\xc3\xa9 \xe5\xb1\x82 \xf0\x9f\x94\xa5\"");
}

static void lines_of_our_own_text_stay_lines(void **state)
{
    (void)state;
    tfp_buf b = { 0 };
    tfp_json j = tfp_json_start(&b);
    tfp_json_lines(&j, TFP_STR("one\ntwo\r"));
    assert_string_equal(ended(&b), "\"one\\ntwo\\\\x0d\"");
    tfp_buf_free(&b);
}

static void numbers_read_back_equal(void **state)
{
    (void)state;
    tfp_buf b = { 0 };
    tfp_json j = tfp_json_start(&b);
    tfp_json_open(&j, '[');
    tfp_json_int(&j, INT64_MIN);
    tfp_json_int(&j, INT64_MAX);
    tfp_json_double(&j, 0.1);
    tfp_json_double(&j, 1e300);
    tfp_json_double(&j, 1.0 / 3);
    tfp_json_double(&j, -0.0);
    tfp_json_double(&j, 3);
    tfp_json_close(&j, ']');
    assert_string_equal(ended(&b), "[-9223372036854775808,9223372036854775807,0.1,1e+300,0.3333333333333333,-0,3]");
    tfp_buf_free(&b);
}

static void numbers_that_json_lacks_are_words(void **state)
{
    (void)state;
    tfp_buf b = { 0 };
    tfp_json j = tfp_json_start(&b);
    tfp_json_open(&j, '[');
    tfp_json_double(&j, NAN);
    tfp_json_double(&j, INFINITY);
    tfp_json_double(&j, -INFINITY);
    tfp_json_close(&j, ']');
    assert_string_equal(ended(&b), "[\"NaN\",\"Infinity\",\"-Infinity\"]");
    tfp_buf_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commas_stand_between_values_and_members),
        cmocka_unit_test(quotes_and_backslashes_are_escaped_once),
        cmocka_unit_test(controls_and_bad_bytes_read_as_in_text),
        cmocka_unit_test(other_letters_stay),
        cmocka_unit_test(lines_of_our_own_text_stay_lines),
        cmocka_unit_test(numbers_read_back_equal),
        cmocka_unit_test(numbers_that_json_lacks_are_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
