// SPDX-License-Identifier: Apache-2.0
/* tests/unit/base/test_base.c: memory, strings, errors, escaping and numbers. */
#include "support.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

#define UNUSED (void)state

/* ---- the version ---- */

static void the_headers_have_the_version_of_the_build(void **state)
{
    UNUSED;
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", TFP_VERSION_MAJOR, TFP_VERSION_MINOR, TFP_VERSION_PATCH);
    assert_string_equal(text, tfp_version()); /* the version in meson.build */
    assert_int_equal(tfp_version_number(), TFP_VERSION_NUMBER);
}

/* ---- arena and arrays ---- */

static void arena_gives_aligned_memory_that_does_not_overlap(void **state)
{
    UNUSED;
    tfp_arena a = { 0 };
    char *last = NULL;
    for (size_t size = 0; size < 3000; size += 7) {
        char *at = tfp_arena_alloc(&a, size);
        assert_non_null(at);
        assert_int_equal((uintptr_t)at % 16, 0);
        memset(at, (int)(size & 0xff), size);
        if (last && size >= 14) assert_int_equal((unsigned char)last[0], (size - 7) & 0xff);
        last = at;
    }
    tfp_arena_free(&a);
}

static void arena_takes_pieces_bigger_than_a_block(void **state)
{
    UNUSED;
    tfp_arena a = { 0 };
    char *small = tfp_arena_alloc(&a, 10), *big = tfp_arena_alloc(&a, (size_t)9 << 20),
         *after = tfp_arena_alloc(&a, 10);
    memset(small, 1, 10);
    memset(big, 2, (size_t)9 << 20);
    memset(after, 3, 10);
    assert_int_equal(small[9], 1);
    assert_int_equal(big[((size_t)9 << 20) - 1], 2);
    tfp_arena_free(&a);
}

#ifdef __SANITIZE_ADDRESS__
static void arena_poisons_what_is_beside_a_piece(void **state)
{
    (void)state;
    tfp_arena a = { 0 };
    char *piece = tfp_arena_alloc(&a, 10), *text = tfp_arena_copy(&a, TFP_STR("abc"));
    assert_false(__asan_address_is_poisoned(piece + 9));
    assert_true(__asan_address_is_poisoned(piece + 10));
    assert_false(__asan_address_is_poisoned(text + 3));
    assert_true(__asan_address_is_poisoned(text + 4));
    assert_true(__asan_address_is_poisoned(text - 1));
    tfp_arena_free(&a);
}
#endif

static void arena_refuses_more_than_its_limit_and_more_than_there_can_be(void **state)
{
    UNUSED;
    tfp_arena a = { .limit = 1 << 20 };
    assert_null(tfp_arena_alloc(&a, 2 << 20));
    assert_null(tfp_arena_alloc(&a, SIZE_MAX));
    assert_null(tfp_arena_alloc(&a, SIZE_MAX - 8));
    assert_null(tfp_arena_zero(&a, SIZE_MAX / 2, 3));
    assert_non_null(tfp_arena_alloc(&a, 100));
    tfp_arena_free(&a);
}

static void arena_zeroes_and_copies(void **state)
{
    UNUSED;
    tfp_arena a = { 0 };
    memset(tfp_arena_alloc(&a, 1000), 0xff, 1000);
    int64_t *v = TFP_NEW(&a, int64_t, 100);
    for (int i = 0; i < 100; i++) assert_int_equal(v[i], 0);
    assert_string_equal(tfp_arena_copy(&a, (tfp_str){ "abcdef", 3 }), "abc");
    assert_string_equal(tfp_arena_copy(&a, (tfp_str){ NULL, 0 }), "");
    tfp_arena_free(&a);
    tfp_arena_free(&a);
}

static void array_grows_and_keeps_its_items(void **state)
{
    UNUSED;
    TFP_VEC(uint64_t) v = { 0 };
    for (uint64_t i = 0; i < 10000; i++) assert_true(tfp_push(&v, i * i));
    assert_int_equal(v.size, 10000);
    for (uint64_t i = 0; i < 10000; i++) assert_int_equal(v.at[i], i * i);
    assert_false(tfp_reserve(&v, SIZE_MAX / 4));
    assert_int_equal(v.at[99], 99 * 99);
    tfp_vec_free(&v);
    assert_null(v.at);
}

/* ---- strings ---- */

static void strings_compare_as_bytes(void **state)
{
    UNUSED;
    assert_true(tfp_str_cmp(TFP_STR("a"), TFP_STR("b")) < 0);
    assert_true(tfp_str_cmp(TFP_STR("ab"), TFP_STR("a")) > 0);
    assert_true(tfp_str_cmp(TFP_STR("a\xff"), TFP_STR("a\x01")) > 0);
    assert_true(tfp_str_cmp(TFP_STR(""), TFP_STR("a")) < 0);
    assert_int_equal(tfp_str_cmp(TFP_STR("a\0b"), TFP_STR("a\0b")), 0);
    assert_true(tfp_str_eq(tfp_str_of(NULL), TFP_STR("")));
}

static void strings_are_found_inside_strings(void **state)
{
    UNUSED;
    assert_int_equal(tfp_str_find(TFP_STR("gradients/x_grad/y"), TFP_STR("_grad/")), 11);
    assert_int_equal(tfp_str_find(TFP_STR("aaab"), TFP_STR("aab")), 1);
    assert_int_equal(tfp_str_find(TFP_STR("abc"), TFP_STR("abcd")), SIZE_MAX);
    assert_int_equal(tfp_str_find(TFP_STR("abc"), TFP_STR("")), 0);
    assert_int_equal(tfp_str_find(TFP_STR(""), TFP_STR("a")), SIZE_MAX);
    assert_int_equal(tfp_str_find(TFP_STR("a\0b"), TFP_STR("\0b")), 1);
}

static void same_string_gets_the_same_id(void **state)
{
    UNUSED;
    tfp_arena a = { 0 };
    tfp_strtab t;
    assert_int_equal(tfp_strtab_init(&t, &a), TFP_OK);
    char name[32];
    for (uint32_t i = 0; i < 5000; i++) {
        tfp_str s = { name, (size_t)snprintf(name, sizeof name, "layer_%u/kernel", i) };
        assert_int_equal(tfp_intern(&t, s), i + 1);
    }
    for (uint32_t i = 0; i < 5000; i += 13) {
        tfp_str s = { name, (size_t)snprintf(name, sizeof name, "layer_%u/kernel", i) };
        assert_int_equal(tfp_intern(&t, s), i + 1);
        assert_int_equal(tfp_strtab_find(&t, s), i + 1);
        assert_true(tfp_str_eq(tfp_strtab_get(&t, i + 1), s));
    }
    assert_int_equal(tfp_intern(&t, TFP_STR("")), 0);
    assert_int_equal(tfp_strtab_find(&t, TFP_STR("gone")), TFP_NONE);
    assert_int_not_equal(tfp_intern(&t, TFP_STR("a\0b")), tfp_intern(&t, TFP_STR("a\0c")));
    assert_int_equal(tfp_strtab_get(&t, 1).data[tfp_strtab_get(&t, 1).size], '\0');
    tfp_strtab_free(&t);
    tfp_arena_free(&a);
}

static void map_keeps_the_last_value_of_each_key(void **state)
{
    UNUSED;
    tfp_map64 m = { 0 };
    assert_int_equal(tfp_map64_get(&m, 0), TFP_NONE);
    for (uint64_t k = 0; k < 3000; k++) assert_true(tfp_map64_put(&m, k << 40, (uint32_t)k));
    assert_true(tfp_map64_put(&m, (uint64_t)7 << 40, 70));
    assert_true(tfp_map64_put(&m, UINT64_MAX, 5));
    assert_int_equal(tfp_map64_get(&m, 0), 0);
    assert_int_equal(tfp_map64_get(&m, (uint64_t)7 << 40), 70);
    assert_int_equal(tfp_map64_get(&m, (uint64_t)2999 << 40), 2999);
    assert_int_equal(tfp_map64_get(&m, UINT64_MAX), 5);
    assert_int_equal(tfp_map64_get(&m, 1), TFP_NONE);
    assert_int_equal(m.count, 3001);
    tfp_map64_free(&m);
}

/* ---- text ---- */

static void buffer_writes_numbers_as_printf_does(void **state)
{
    UNUSED;
    static const int64_t numbers[] = { 0, 1, -1, 9, 10, 99, 100, -12345, 1234567890123, INT64_MAX, INT64_MIN };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char want[32];
        tfp_buf b = { 0 };
        tfp_buf_int(&b, numbers[i]);
        tfp_buf_char(&b, '\0');
        snprintf(want, sizeof want, "%lld", (long long)numbers[i]);
        assert_string_equal(b.data, want);
        tfp_buf_free(&b);
    }
}

static void buffer_grows_and_fills(void **state)
{
    UNUSED;
    tfp_buf b = { 0 };
    for (int i = 0; i < 1000; i++) tfp_buf_printf(&b, "%d,", i);
    tfp_buf_fill(&b, ' ', 5000);
    tfp_buf_text(&b, "end");
    tfp_buf_add(&b, NULL, 0);
    assert_int_equal(b.size, 3890 + 5000 + 3);
    assert_memory_equal(b.data + 3884, "8,999,", 6);
    assert_memory_equal(b.data + b.size - 4, " end", 4);
    assert_false(b.failed);
    tfp_buf_free(&b);
}

static void buffer_prints_text_longer_than_its_first_guess(void **state)
{
    UNUSED;
    char *word = malloc(9001);
    memset(word, 'x', 9000);
    word[9000] = '\0';
    tfp_buf b = { 0 };
    tfp_buf_printf(&b, "<%s>", word);
    assert_int_equal(b.size, 9002);
    assert_int_equal(b.data[9001], '>');
    tfp_buf_free(&b);
    free(word);
}

static void escaped(const char *in, size_t size, const char *want)
{
    tfp_buf b = { 0 };
    tfp_escape(&b, (tfp_str){ in, size });
    tfp_buf_char(&b, '\0');
    assert_string_equal(b.data, want);
    tfp_buf_free(&b);
}
#define ESCAPED(in, want) escaped((in), sizeof(in) - 1, (want))

static void control_characters_and_bad_utf8_are_shown_escaped(void **state)
{
    UNUSED;
    ESCAPED("", "");
    ESCAPED("plain / name_1 \\n", "plain / name_1 \\n");
    ESCAPED("a\nb\tc\x1b[31m", "a\\x0ab\\x09c\\x1b[31m");
    ESCAPED("\x7f\0", "\\x7f\\x00");
    ESCAPED("gr\xc3\xbc\xc3\x9f \xe6\x97\xa5 \xf0\x9f\x98\x80", "gr\xc3\xbc\xc3\x9f \xe6\x97\xa5 \xf0\x9f\x98\x80");
    ESCAPED("\xc3", "\\xc3");                            /* cut short */
    ESCAPED("\xc0\xaf", "\\xc0\\xaf");                   /* overlong */
    ESCAPED("\xed\xa0\x80", "\\xed\\xa0\\x80");          /* a surrogate */
    ESCAPED("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"); /* past the last code point */
    ESCAPED("\x80\xff", "\\x80\\xff");
    ESCAPED("\xc2\x85", "\\u{0085}"); /* C1 */
    ESCAPED("a\xe2\x80\xae"
            "b",
            "a\\u{202E}b"); /* right-to-left override */
    ESCAPED("\xe2\x81\xa6", "\\u{2066}");
}

static void utf8_is_told_from_other_bytes(void **state)
{
    UNUSED;
    uint32_t code = 0;
    assert_int_equal(tfp_utf8(TFP_STR("\xe2\x82\xac!"), &code), 3);
    assert_int_equal(code, 0x20ac);
    assert_int_equal(tfp_utf8(TFP_STR("\xe2\x82"), &code), 0);
    assert_int_equal(tfp_utf8(TFP_STR(""), &code), 0);
    assert_true(tfp_utf8_valid(TFP_STR("a\xc3\xa9\xf0\x9f\x98\x80")));
    assert_false(tfp_utf8_valid(TFP_STR("a\xc3")));
    assert_true(tfp_is_plain(TFP_STR("abc ~")));
    assert_false(tfp_is_plain(TFP_STR("abc\x7f")));
    assert_false(tfp_is_plain(TFP_STR("\n")));
}

/* ---- errors ---- */

static void message_grows_on_the_way_up(void **state)
{
    UNUSED;
    tfp_error *err = tfp_error_new();
    assert_string_equal(tfp_error_message(err), "");
    tfp_status s = tfp_fail(err, TFP_BADFILE, "varint longer than %d bytes", 10);
    s = tfp_within(err, s, "device %d", 1);
    s = tfp_within_file(err, s, "run_meta_3.pb");
    assert_int_equal(s, TFP_BADFILE);
    assert_string_equal(tfp_error_message(err), "run_meta_3.pb: device 1: varint longer than 10 bytes");
    assert_int_equal(tfp_within(err, TFP_OK, "not said"), TFP_OK);
    tfp_error_clear(err);
    assert_string_equal(tfp_error_message(err), "");
    tfp_error_free(err);
}

static void message_has_line_and_column_behind_the_file(void **state)
{
    UNUSED;
    tfp_error *err = tfp_error_new();
    tfp_status s = tfp_fail_at(err, TFP_BADFILE, 12, 9, "no field \"nmae\"");
    s = tfp_within_file(err, s, "graph.pbtxt");
    assert_string_equal(tfp_error_message(err), "graph.pbtxt:12:9: no field \"nmae\"");
    assert_int_equal(s, TFP_BADFILE);
    tfp_error_free(err);
}

static void message_is_one_safe_line_of_bounded_length(void **state)
{
    UNUSED;
    tfp_error *err = tfp_error_new();
    char *word = malloc(20001);
    memset(word, 'x', 20000);
    word[20000] = '\0';
    tfp_fail(err, TFP_BADARG, "%s", word);
    assert_in_range(strlen(tfp_error_message(err)), 3900, 4000);
    assert_memory_equal(tfp_error_message(err) + strlen(tfp_error_message(err)) - 3, "\xe2\x80\xa6", 3);
    for (int i = 0; i < 5; i++) tfp_within(err, TFP_BADARG, "%s", word);
    assert_in_range(strlen(tfp_error_message(err)), 3900, 4000);
    memset(word, '\n', 20000);
    tfp_fail(err, TFP_BADARG, "%s", word);
    assert_null(strchr(tfp_error_message(err), '\n'));
    assert_in_range(strlen(tfp_error_message(err)), 3900, 4000);
    for (size_t i = 0; i + 1 < 20000; i += 2) memcpy(word + i, "\xc3\xa9", 2); /* cut between characters only */
    for (int shift = 0; shift < 2; shift++) {
        tfp_fail(err, TFP_BADARG, "%s%s", shift ? "x" : "", word);
        assert_true(tfp_utf8_valid(tfp_str_of(tfp_error_message(err))));
        assert_null(strstr(tfp_error_message(err), "\\x"));
    }
    free(word);
    tfp_error_free(err);
}

static void no_error_object_is_fine_everywhere(void **state)
{
    UNUSED;
    assert_int_equal(tfp_fail(NULL, TFP_BADARG, "x"), TFP_BADARG);
    assert_int_equal(tfp_within(NULL, TFP_LIMIT, "x"), TFP_LIMIT);
    assert_int_equal(tfp_within_file(NULL, TFP_LIMIT, "x"), TFP_LIMIT);
    assert_int_equal(tfp_nomem(NULL), TFP_NOMEM);
    tfp_error_clear(NULL);
    tfp_error_free(NULL);
    assert_string_equal(tfp_error_message(NULL), "");
}

/* ---- numbers ---- */

static void sums_and_products_stop_at_the_ends(void **state)
{
    UNUSED;
    bool clamped = false;
    assert_int_equal(tfp_add(1, 2, &clamped), 3);
    assert_int_equal(tfp_mul(-3, 4, &clamped), -12);
    assert_false(clamped);
    assert_true(tfp_add(INT64_MAX, 1, &clamped) == INT64_MAX && clamped);
    clamped = false;
    assert_true(tfp_add(INT64_MIN, -1, &clamped) == INT64_MIN && clamped);
    clamped = false;
    assert_true(tfp_mul(INT64_MAX, 2, &clamped) == INT64_MAX && clamped);
    clamped = false;
    assert_true(tfp_mul(INT64_MIN, -1, &clamped) == INT64_MAX && clamped);
    clamped = false;
    assert_true(tfp_mul(INT64_MAX, -2, &clamped) == INT64_MIN && clamped);
    assert_true(tfp_mul(INT64_MAX, INT64_MAX, NULL) == INT64_MAX);
}

static void numbers_are_read_whole_or_not_at_all(void **state)
{
    UNUSED;
    static const struct {
        const char *text;
        bool good;
        int64_t value;
    } cases[] = {
        { "0", true, 0 },
        { "-1", true, -1 },
        { "+5", true, 5 },
        { " 7 ", true, 7 },
        { "\t12\n", true, 12 },
        { "007", true, 7 },
        { "9223372036854775807", true, INT64_MAX },
        { "-9223372036854775808", true, INT64_MIN },
        { "9223372036854775808", false, 0 },
        { "-9223372036854775809", false, 0 },
        { "", false, 0 },
        { " ", false, 0 },
        { "-", false, 0 },
        { "1x", false, 0 },
        { "1 2", false, 0 },
        { "0x10", false, 0 },
        { "1.0", false, 0 },
        { "1e3", false, 0 },
        { "--1", false, 0 },
        { "+-1", false, 0 },
        { "99999999999999999999999", false, 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t n = 0;
        bool good = tfp_parse_int64(tfp_str_of(cases[i].text), &n);
        if (good != cases[i].good || (good && n != cases[i].value)) fail_msg("\"%s\"", cases[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_headers_have_the_version_of_the_build),
        cmocka_unit_test(arena_gives_aligned_memory_that_does_not_overlap),
        cmocka_unit_test(arena_takes_pieces_bigger_than_a_block),
#ifdef __SANITIZE_ADDRESS__
        cmocka_unit_test(arena_poisons_what_is_beside_a_piece),
#endif
        cmocka_unit_test(arena_refuses_more_than_its_limit_and_more_than_there_can_be),
        cmocka_unit_test(arena_zeroes_and_copies),
        cmocka_unit_test(array_grows_and_keeps_its_items),
        cmocka_unit_test(strings_compare_as_bytes),
        cmocka_unit_test(strings_are_found_inside_strings),
        cmocka_unit_test(same_string_gets_the_same_id),
        cmocka_unit_test(map_keeps_the_last_value_of_each_key),
        cmocka_unit_test(buffer_writes_numbers_as_printf_does),
        cmocka_unit_test(buffer_grows_and_fills),
        cmocka_unit_test(buffer_prints_text_longer_than_its_first_guess),
        cmocka_unit_test(control_characters_and_bad_utf8_are_shown_escaped),
        cmocka_unit_test(utf8_is_told_from_other_bytes),
        cmocka_unit_test(message_grows_on_the_way_up),
        cmocka_unit_test(message_has_line_and_column_behind_the_file),
        cmocka_unit_test(message_is_one_safe_line_of_bounded_length),
        cmocka_unit_test(no_error_object_is_fine_everywhere),
        cmocka_unit_test(sums_and_products_stop_at_the_ends),
        cmocka_unit_test(numbers_are_read_whole_or_not_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
