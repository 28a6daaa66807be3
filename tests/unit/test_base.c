// SPDX-License-Identifier: Apache-2.0
/* tests/unit/test_base.c: memory, strings, errors, escaping, numbers, sorting, inputs and outputs. */
#include "support.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define UNUSED (void)state

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

/* ---- sorting ---- */

static uint32_t seed = 1;
static uint32_t chance(uint32_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

static bool less_tens(const void *ctx, uint32_t a, uint32_t b)
{
    (void)ctx;
    return a / 10 < b / 10;
}

static void sorting_is_stable(void **state)
{
    UNUSED;
    static const size_t sizes[] = { 0, 1, 2, 7, 8, 9, 16, 17, 100, 1023, 5000 };
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t n = sizes[s];
        uint32_t *items = malloc((n + 1) * sizeof *items), *place = calloc(1000, sizeof *place);
        uint32_t *came = malloc((n + 1) * sizeof *came);
        for (size_t i = 0; i < n; i++) came[i] = items[i] = chance(1000);
        assert_true(tfp_sort(items, n, less_tens, NULL));
        for (size_t i = 1; i < n; i++) assert_true(items[i - 1] / 10 <= items[i] / 10);
        for (uint32_t ten = 0; ten < 100; ten++) { /* within a group the order in which they came */
            size_t at = 0;
            for (size_t i = 0; i < n; i++) {
                if (came[i] / 10 != ten) continue;
                while (items[at] / 10 != ten) at++;
                assert_int_equal(items[at++], came[i]);
            }
        }
        free(items);
        free(came);
        free(place);
    }
}

static void strings_sort_as_bytes_whatever_their_shape(void **state)
{
    UNUSED;
    enum { COUNT = 4000 };
    tfp_arena a = { 0 };
    tfp_str *strings = TFP_NEW(&a, tfp_str, COUNT);
    uint32_t items[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        size_t size = chance(40);
        char *s = tfp_arena_alloc(&a, size + 1);
        /* few letters, zero bytes among them: long common beginnings, many equal ones */
        for (size_t k = 0; k < size; k++) s[k] = "\0/ab\xff"[k < 16 ? chance(20) ? 2 : 3 : chance(5)];
        strings[i] = (tfp_str){ s, size };
        items[i] = i;
    }
    assert_true(tfp_sort_strings(items, COUNT, strings));
    for (size_t i = 1; i < COUNT; i++) {
        int order = tfp_str_cmp(strings[items[i - 1]], strings[items[i]]);
        assert_true(order < 0 || (order == 0 && items[i - 1] < items[i]));
    }
    tfp_arena_free(&a);
}

/* ---- inputs ---- */

static tfp_buf pattern(size_t size)
{
    tfp_buf b = { 0 };
    for (size_t i = 0; i < size; i++) tfp_buf_char(&b, (char)(i * 7 + (i >> 8) * 13 + (i >> 16)));
    return b;
}

static tfp_buf packed(const void *data, size_t size)
{
    tfp_buf out = { 0 };
    z_stream z = { 0 };
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    size_t room = deflateBound(&z, size) + 64;
    tfp_buf_fill(&out, 0, room);
    z.next_in = (Bytef *)(uintptr_t)data;
    z.avail_in = (uInt)size;
    z.next_out = (Bytef *)out.data;
    z.avail_out = (uInt)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    out.size = z.total_out;
    deflateEnd(&z);
    return out;
}

/* Reads all of it in pieces of odd sizes and compares. */
static void reads_as(tfp_input *in, tfp_str want)
{
    size_t at = 0;
    assert_int_equal(in->total, want.size);
    while (at < want.size) {
        tfp_str piece;
        size_t ask = chance(5) ? 1 + chance(5000) : 1 + chance(3 << 20);
        assert_int_equal(tfp_input_peek(in, ask, &piece, NULL), TFP_OK);
        assert_true(piece.size >= ask || piece.size == want.size - at);
        if (ask > piece.size) ask = piece.size;
        assert_memory_equal(piece.data, want.data + at, ask);
        assert_int_equal(tfp_input_skip(in, ask, NULL), TFP_OK);
        at += ask;
        assert_int_equal(tfp_input_at(in), at);
        assert_int_equal(tfp_input_left(in), want.size - at);
    }
    tfp_str rest;
    assert_int_equal(tfp_input_peek(in, 10, &rest, NULL), TFP_OK);
    assert_int_equal(rest.size, 0);
    tfp_input_close(in);
}

static void a_file_is_read_through_windows(void **state)
{
    UNUSED;
    char *folder = new_folder();
    static const size_t sizes[] = { 1, 2, 1000, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 5000001 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        tfp_buf data = pattern(sizes[i]);
        char *path = file_in(folder, "file", data.data, data.size);
        tfp_input in;
        assert_int_equal(tfp_input_open(&in, path, NULL), TFP_OK);
        reads_as(&in, (tfp_str){ data.data, data.size });
        tfp_str all;
        assert_int_equal(tfp_input_open(&in, path, NULL), TFP_OK);
        assert_int_equal(tfp_input_all(&in, &all, NULL), TFP_OK);
        assert_true(tfp_str_eq(all, (tfp_str){ data.data, data.size }));
        tfp_input_close(&in);
        free(path);
        tfp_buf_free(&data);
    }
    drop_folder(folder);
}

static void gzip_is_unpacked_wherever_it_comes_from(void **state)
{
    UNUSED;
    char *folder = new_folder();
    tfp_buf data = pattern(3000001), gz = packed(data.data, data.size);
    char *path = file_in(folder, "file.gz", gz.data, gz.size);
    tfp_input in;
    assert_int_equal(tfp_input_open(&in, path, NULL), TFP_OK);
    reads_as(&in, (tfp_str){ data.data, data.size });
    assert_int_equal(tfp_input_memory(&in, "bytes", gz.data, gz.size, NULL), TFP_OK);
    reads_as(&in, (tfp_str){ data.data, data.size });
    /* two members, and zeros behind them, as tape blocks leave them */
    tfp_buf two = { 0 }, twice = { 0 };
    tfp_buf_add(&two, gz.data, gz.size);
    tfp_buf_add(&two, gz.data, gz.size);
    tfp_buf_fill(&two, 0, 600);
    tfp_buf_add(&twice, data.data, data.size);
    tfp_buf_add(&twice, data.data, data.size);
    assert_int_equal(tfp_input_memory(&in, "bytes", two.data, two.size, NULL), TFP_OK);
    reads_as(&in, (tfp_str){ twice.data, twice.size });
    tfp_buf_free(&two);
    tfp_buf_free(&twice);
    tfp_buf_free(&gz);
    tfp_buf_free(&data);
    free(path);
    drop_folder(folder);
}

static void damaged_gzip_is_refused_and_a_cut_one_is_known(void **state)
{
    UNUSED;
    tfp_buf data = pattern(20000), gz = packed(data.data, data.size);
    tfp_input in;
    tfp_error *err = tfp_error_new();
    for (size_t size = 2; size < gz.size; size += size < 40 ? 1 : 997) {
        assert_int_equal(tfp_input_memory(&in, "cut", gz.data, size, err), TFP_OK);
        assert_fails(tfp_input_check_whole(&in, err), err, TFP_BADFILE, "cut short after byte");
        assert_memory_equal(in.buffer ? in.buffer : "", data.data, in.total);
        if (size + 8 >= gz.size) assert_int_equal(in.total, data.size);
        tfp_input_close(&in);
    }
    for (size_t at = 3; at < gz.size; at += 101) {
        gz.data[at] ^= 0x10;
        tfp_status s = tfp_input_memory(&in, "bit", gz.data, gz.size, err);
        /* flags and the time stamp in the header say nothing about the content */
        if (s == TFP_OK && !in.cut_at && at >= 10) fail_msg("a changed byte %zu was taken", at);
        tfp_input_close(&in);
        gz.data[at] ^= 0x10;
    }
    tfp_buf_char(&gz, 'x');
    assert_fails(tfp_input_memory(&in, "more", gz.data, gz.size, err), err, TFP_BADFILE, "gzip");
    tfp_input_close(&in);
    tfp_error_free(err);
    tfp_buf_free(&gz);
    tfp_buf_free(&data);
}

static void gzip_that_unpacks_without_end_meets_the_limit(void **state)
{
    UNUSED;
    size_t size = (size_t)TFP_STREAM_LIMIT + (8 << 20);
    char *zeros = calloc(1, size);
    assert_non_null(zeros);
    tfp_buf gz = packed(zeros, size);
    free(zeros);
    tfp_input in;
    tfp_error *err = tfp_error_new();
    assert_fails(tfp_input_memory(&in, "bomb", gz.data, gz.size, err), err, TFP_LIMIT, "unpack to more than 64 MB");
    tfp_input_close(&in);
    tfp_error_free(err);
    tfp_buf_free(&gz);
}

static void what_cannot_be_read_says_why(void **state)
{
    UNUSED;
    char *folder = new_folder();
    tfp_input in;
    tfp_error *err = tfp_error_new();
    assert_fails(tfp_input_open(&in, "/nowhere/at/all", err), err, TFP_BADFILE, "No such file");
    assert_fails(tfp_input_open(&in, folder, err), err, TFP_BADFILE, "folder");
    char *fifo = file_in(folder, "fifo", "", 0);
    unlink(fifo);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_fails(tfp_input_open(&in, fifo, err), err, TFP_BADFILE, "no data");
    free(fifo);
    tfp_error_free(err);
    drop_folder(folder);
}

static void a_file_that_shrinks_is_an_error(void **state)
{
    UNUSED;
    char *folder = new_folder();
    tfp_buf data = pattern(4 << 20);
    char *path = file_in(folder, "file", data.data, data.size);
    tfp_input in;
    tfp_str piece;
    tfp_error *err = tfp_error_new();
    assert_int_equal(tfp_input_open(&in, path, err), TFP_OK);
    assert_int_equal(tfp_input_peek(&in, 100, &piece, err), TFP_OK);
    assert_int_equal(truncate(path, 1000), 0);
    assert_fails(tfp_input_peek(&in, 3 << 20, &piece, err), err, TFP_BADFILE, "shorter");
    tfp_input_close(&in);
    tfp_error_free(err);
    tfp_buf_free(&data);
    free(path);
    drop_folder(folder);
}

static int stop_at_half(void *ctx, uint64_t done, uint64_t total)
{
    ++*(int *)ctx;
    return done * 2 > total;
}

static void the_progress_callback_can_stop_a_load(void **state)
{
    UNUSED;
    tfp_buf data = pattern(8 << 20);
    tfp_input in;
    int calls = 0;
    assert_int_equal(tfp_input_memory(&in, "bytes", data.data, data.size, NULL), TFP_OK);
    in.progress = stop_at_half;
    in.progress_ctx = &calls;
    tfp_status s = TFP_OK;
    while (!s && tfp_input_left(&in)) s = tfp_input_skip(&in, 1 << 16, NULL);
    assert_int_equal(s, TFP_CANCELLED);
    assert_in_range(calls, 2, 8);
    tfp_input_close(&in);
    tfp_buf_free(&data);
}

/* ---- outputs ---- */

static int fail_third(void *ctx, const void *data, size_t size)
{
    (void)data;
    (void)size;
    return ++*(int *)ctx == 3;
}

static void a_sink_collects_and_keeps_the_first_failure(void **state)
{
    UNUSED;
    tfp_buf got = { 0 };
    tfp_sink s;
    tfp_sink_start(&s, collect, &got);
    for (int i = 0; i < 200000; i++) {
        tfp_buf_text(&s.buf, "0123456789");
        tfp_sink_flush_if_full(&s);
    }
    assert_int_equal(tfp_sink_end(&s, NULL), TFP_OK);
    assert_int_equal(got.size, 2000000);
    tfp_buf_free(&got);

    int calls = 0;
    tfp_error *err = tfp_error_new();
    tfp_sink_start(&s, fail_third, &calls);
    for (int i = 0; i < 200000; i++) {
        tfp_buf_text(&s.buf, "0123456789");
        tfp_sink_flush_if_full(&s);
    }
    assert_int_equal(tfp_sink_end(&s, err), TFP_BADOUTPUT);
    assert_int_equal(calls, 3);
    tfp_error_free(err);
}

static tfp_buf content(const char *path)
{
    tfp_buf b = { 0 };
    assert_int_equal(tfp_read_file(path, 1 << 20, &b, NULL), TFP_OK);
    tfp_buf_char(&b, '\0');
    return b;
}

static void a_file_appears_when_it_is_finished_and_not_before(void **state)
{
    UNUSED;
    char *folder = new_folder(), *path = file_in(folder, "out", "old", 3);
    tfp_outfile f;
    assert_int_equal(tfp_outfile_open(&f, path, NULL), TFP_OK);
    assert_int_equal(tfp_outfile_write(&f, "new words", 9), 0);
    tfp_buf before = content(path);
    assert_string_equal(before.data, "old");
    assert_int_equal(tfp_outfile_finish(&f, NULL), TFP_OK);
    tfp_outfile_abandon(&f);
    tfp_buf after = content(path);
    assert_string_equal(after.data, "new words");
    tfp_buf_free(&before);
    tfp_buf_free(&after);

    assert_int_equal(tfp_outfile_open(&f, path, NULL), TFP_OK);
    tfp_outfile_write(&f, "half", 4);
    tfp_outfile_abandon(&f);
    tfp_outfile_abandon(&f);
    after = content(path);
    assert_string_equal(after.data, "new words");
    tfp_buf_free(&after);
    unlink(path);
    assert_int_equal(rmdir(folder), 0); /* no part file is left */
    free(path);
    free(folder);
}

static void a_new_file_has_the_usual_mode_and_an_old_one_keeps_its_own(void **state)
{
    UNUSED;
    char *folder = new_folder(), *path = file_in(folder, "out", "old", 3);
    struct stat st;
    mode_t mask = umask(022);
    assert_int_equal(chmod(path, 0640), 0);
    tfp_outfile f;
    assert_int_equal(tfp_outfile_open(&f, path, NULL), TFP_OK);
    assert_int_equal(tfp_outfile_finish(&f, NULL), TFP_OK);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
    unlink(path);
    assert_int_equal(tfp_outfile_open(&f, path, NULL), TFP_OK);
    assert_int_equal(tfp_outfile_finish(&f, NULL), TFP_OK);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0644);
    umask(mask);
    free(path);
    drop_folder(folder);
}

static void a_link_stays_and_what_it_names_is_replaced(void **state)
{
    UNUSED;
    char *folder = new_folder(), *path = file_in(folder, "out", "old", 3), *link = file_in(folder, "link", "", 0);
    unlink(link);
    assert_int_equal(symlink("out", link), 0);
    tfp_outfile f;
    assert_int_equal(tfp_outfile_open(&f, link, NULL), TFP_OK);
    tfp_outfile_write(&f, "new", 3);
    assert_int_equal(tfp_outfile_finish(&f, NULL), TFP_OK);
    struct stat st;
    assert_int_equal(lstat(link, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    tfp_buf got = content(path);
    assert_string_equal(got.data, "new");
    tfp_buf_free(&got);
    free(path);
    free(link);
    drop_folder(folder);
}

static void what_cannot_be_written_says_why_and_leaves_nothing(void **state)
{
    UNUSED;
    tfp_error *err = tfp_error_new();
    tfp_outfile f;
    char *folder = new_folder();
    assert_fails(tfp_outfile_open(&f, "/nowhere/at/all", err), err, TFP_BADOUTPUT, "/nowhere/at/all");
    assert_fails(tfp_outfile_open(&f, folder, err), err, TFP_BADOUTPUT, folder);
    assert_int_equal(tfp_outfile_open(&f, "/dev/full", err), TFP_OK);
    tfp_outfile_write(&f, "x", 1);
    assert_fails(tfp_outfile_finish(&f, err), err, TFP_BADOUTPUT, "/dev/full: cannot write: No space");
    assert_int_equal(rmdir(folder), 0);
    free(folder);
    tfp_error_free(err);
}

/* What the handler of SIGTERM does. */
static void parts_of_files_can_be_removed_at_any_time(void **state)
{
    (void)state;
    char *folder = new_folder(), path[300];
    tfp_outfile f;
    snprintf(path, sizeof path, "%s/out", folder);
    assert_int_equal(tfp_outfile_open(&f, path, NULL), TFP_OK);
    tfp_outfile_write(&f, "half", 4);
    assert_int_equal(access(f.part, F_OK), 0);
    tfp_remove_parts();
    assert_int_equal(access(f.part, F_OK), -1);
    assert_int_equal(tfp_outfile_finish(&f, NULL), TFP_BADOUTPUT);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(tfp_outfile_open(&f, path, NULL), TFP_OK);
    assert_int_equal(tfp_outfile_finish(&f, NULL), TFP_OK);
    tfp_remove_parts(); /* what is finished stays */
    assert_int_equal(access(path, F_OK), 0);
    drop_folder(folder);
}

/* A file cannot know which names fall together. */
static void hashes_are_keyed(void **state)
{
    (void)state;
    assert_true(tfp_hash("a", 1) == tfp_hash("a", 1));
    assert_false(tfp_hash("a", 1) == XXH3_64bits("a", 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_of_files_can_be_removed_at_any_time),
        cmocka_unit_test(hashes_are_keyed),
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
        cmocka_unit_test(sorting_is_stable),
        cmocka_unit_test(strings_sort_as_bytes_whatever_their_shape),
        cmocka_unit_test(a_file_is_read_through_windows),
        cmocka_unit_test(gzip_is_unpacked_wherever_it_comes_from),
        cmocka_unit_test(damaged_gzip_is_refused_and_a_cut_one_is_known),
        cmocka_unit_test(gzip_that_unpacks_without_end_meets_the_limit),
        cmocka_unit_test(what_cannot_be_read_says_why),
        cmocka_unit_test(a_file_that_shrinks_is_an_error),
        cmocka_unit_test(the_progress_callback_can_stop_a_load),
        cmocka_unit_test(a_sink_collects_and_keeps_the_first_failure),
        cmocka_unit_test(a_file_appears_when_it_is_finished_and_not_before),
        cmocka_unit_test(a_new_file_has_the_usual_mode_and_an_old_one_keeps_its_own),
        cmocka_unit_test(a_link_stays_and_what_it_names_is_replaced),
        cmocka_unit_test(what_cannot_be_written_says_why_and_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
