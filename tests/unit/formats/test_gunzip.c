// SPDX-License-Identifier: Apache-2.0
/* tests/unit/formats/test_gunzip.c: gzip unpacked in windows gives the same bytes, errors and profile as gzip unpacked
 * at once. */
#include "model/tables/profile.h"

#include "formats/files/format.h"
#include "model/tables/sources.h"
#include "support.h"

#include "tfprof/tfprof.h"

/* Text of a few words: it compresses well, and no two parts of it are equal. */
static tfp_buf text_of(size_t size)
{
    tfp_buf b = { 0 };
    for (uint32_t i = 1, dice = 7; b.size < size; i++) {
        dice = dice * 1664525 + 1013904223;
        tfp_buf_printf(&b, "%u word_%u ", i, dice >> 28);
    }
    assert_false(b.failed);
    b.size = size;
    return b;
}

/* Reads everything in pieces of several sizes, and discards some of them. */
static tfp_status read_all(tfp_input *in, tfp_buf *out, tfp_error *err)
{
    static const size_t asked[] = { 1, 700000, 4096, 3000000, 17 };
    tfp_buf own = { 0 };
    tfp_status s = TFP_OK;
    for (size_t i = 0; !s && tfp_input_left(in); i++) {
        tfp_str piece;
        size_t ask = asked[i % 5];
        if ((s = tfp_input_peek(in, ask, &piece, err))) break;
        assert_true(piece.size >= ask || piece.size == tfp_input_left(in));
        if (ask > piece.size) ask = piece.size;
        s = i % 3 ? tfp_input_give(in, ask, &own, &piece, err) : tfp_input_skip(in, ask, err);
        tfp_buf_add(out, piece.data, ask);
    }
    tfp_buf_free(&own);
    return s;
}

static void assert_same_bytes(tfp_buf got, tfp_buf want)
{
    assert_int_equal(got.size, want.size);
    if (want.size) assert_memory_equal(got.data, want.data, want.size);
}

static void windows_give_all_bytes_of_all_members(void **state)
{
    (void)state;
    tfp_buf text = text_of(5000000), gz = gzip_of(text.data, text.size), got = { 0 }, two = { 0 }, twice = { 0 };
    tfp_input in;
    assert_int_equal(tfp_input_windows(&in, "one", gz.data, gz.size, NULL), TFP_OK);
    assert_int_equal(in.total, TFP_TOTAL_UNKNOWN);
    assert_int_equal(read_all(&in, &got, NULL), TFP_OK);
    assert_int_equal(in.total, text.size);
    assert_int_equal(tfp_input_check_whole(&in, NULL), TFP_OK);
    assert_true(in.capacity < 5000000);
    assert_same_bytes(got, text);
    tfp_input_close(&in);

    tfp_buf_add(&two, gz.data, gz.size);
    tfp_buf_fill(&two, 0, 600);
    tfp_buf_add(&two, gz.data, gz.size);
    tfp_buf_fill(&two, 0, 600000); /* zero bytes, as tape blocks leave them */
    tfp_buf_add(&twice, text.data, text.size);
    tfp_buf_add(&twice, text.data, text.size);
    got.size = 0;
    assert_int_equal(tfp_input_windows(&in, "two", two.data, two.size, NULL), TFP_OK);
    assert_int_equal(read_all(&in, &got, NULL), TFP_OK);
    assert_same_bytes(got, twice);
    tfp_input_close(&in);
    tfp_buf_free(&text);
    tfp_buf_free(&gz);
    tfp_buf_free(&got);
    tfp_buf_free(&two);
    tfp_buf_free(&twice);
}

static void a_reader_goes_to_any_place(void **state)
{
    (void)state;
    static const size_t places[] = { 2999990, 5, 0, 1500000, 1499999, 3000000, 700000 };
    tfp_buf text = text_of(3000000), gz = gzip_of(text.data, text.size);
    tfp_error *err = tfp_error_new();
    tfp_input in;
    assert_int_equal(tfp_input_windows(&in, "text", gz.data, gz.size, NULL), TFP_OK);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        tfp_str seen;
        assert_int_equal(tfp_input_seek(&in, places[i], err), TFP_OK);
        assert_int_equal(tfp_input_at(&in), places[i]);
        assert_int_equal(tfp_input_peek(&in, 10, &seen, err), TFP_OK);
        size_t there = text.size - places[i] < 10 ? text.size - places[i] : 10;
        assert_true(seen.size >= there);
        if (there) assert_memory_equal(seen.data, text.data + places[i], there);
    }
    assert_fails(tfp_input_seek(&in, 3000001, err), err, TFP_BADFILE, "shorter");
    tfp_input_close(&in);
    tfp_error_free(err);
    tfp_buf_free(&text);
    tfp_buf_free(&gz);
}

/* Reads damaged data in both ways; both must fail alike. */
static void fails_alike(const char *data, size_t size, const tfp_buf *text)
{
    tfp_input whole, windows;
    tfp_error *err = tfp_error_new(), *other = tfp_error_new();
    tfp_buf got = { 0 };
    tfp_status want = tfp_input_memory(&whole, "gz", data, size, err);
    tfp_status s = tfp_input_windows(&windows, "gz", data, size, other);
    if (!s) s = read_all(&windows, &got, other);
    assert_int_equal(s, want);
    assert_string_equal(tfp_error_message(err), tfp_error_message(other));
    assert_int_equal(windows.cut_at, whole.cut_at);
    if (!s) assert_int_equal(got.size, whole.total);
    if (!s && got.size) assert_memory_equal(got.data, whole.buffer, got.size);
    assert_true(got.size <= text->size);
    tfp_buf_free(&got);
    tfp_input_close(&whole);
    tfp_input_close(&windows);
    tfp_error_free(err);
    tfp_error_free(other);
}

static void damage_is_found_as_in_one_piece(void **state)
{
    (void)state;
    tfp_buf text = text_of(900000), gz = gzip_of(text.data, text.size);
    for (size_t size = 2; size < gz.size; size += size < 40 || size > gz.size - 20 ? 1 : gz.size / 60)
        fails_alike(gz.data, size, &text);
    for (size_t at = 2; at < gz.size; at += at < 20 || at > gz.size - 12 ? 1 : gz.size / 60) {
        gz.data[at] ^= 0x10; /* the last eight bytes are the checksum and the size */
        fails_alike(gz.data, gz.size, &text);
        gz.data[at] ^= 0x10;
    }
    tfp_buf_text(&gz, "more");
    fails_alike(gz.data, gz.size, &text);
    tfp_buf_free(&text);
    tfp_buf_free(&gz);
}

/* A decompression bomb is refused after little of it was read, however large it is. */
static void repetition_without_end_is_refused_early(void **state)
{
    (void)state;
    enum { MEMBER = 32 << 20, MEMBERS = 40 };
    char *blanks = malloc(MEMBER);
    assert_non_null(blanks);
    memset(blanks, ' ', MEMBER);
    tfp_buf one = gzip_of(blanks, MEMBER), gz = { 0 }, start = gzip_of("{\"traceEvents\":[", 16);
    free(blanks);
    tfp_buf_add(&gz, start.data, start.size);
    for (int i = 0; i < MEMBERS; i++) tfp_buf_add(&gz, one.data, one.size);
    tfp_error *err = tfp_error_new();
    tfp_input in;
    assert_int_equal(tfp_input_windows(&in, "bomb", gz.data, gz.size, err), TFP_OK);
    tfp_status s = TFP_OK;
    for (tfp_str seen; !s;) {
        s = tfp_input_peek(&in, 1 << 20, &seen, err);
        if (!s) s = tfp_input_skip(&in, 1 << 20, err);
        assert_true(tfp_input_at(&in) < 80 << 20);
    }
    assert_fails(s, err, TFP_LIMIT, "unpack to more than 64 MB");
    tfp_input_close(&in);
    tfp_profile *p = tfp_profile_new();
    assert_fails(tfp_profile_add_bytes(p, NULL, "bomb", gz.data, gz.size, err), err, TFP_LIMIT, "unpack to more than");
    tfp_profile_free(p);
    tfp_error_free(err);
    tfp_buf_free(&start);
    tfp_buf_free(&one);
    tfp_buf_free(&gz);
}

/* ---- readers that use windows ---- */

/* A trace in which some strings look like the end of an event, so that some pieces are split at wrong places, and with
 * members after the events. */
static tfp_buf trace_of(int events)
{
    tfp_buf b = { 0 };
    tfp_buf_text(&b, "{\"schemaVersion\":1,\"traceEvents\":[");
    for (int i = 0; i < events; i++) {
        tfp_buf_printf(
            &b, "%s\n{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"op%d\",\"pid\":1,\"tid\":%d,\"ts\":%d,\"dur\":5,",
            i ? "," : "", i % 50, i % 3, 10 * i);
        tfp_buf_printf(&b, "\"args\":{\"note\":\"%s\",\"External id\":%d}}", i % 997 ? "" : "}, {'ph':1 {}, {}", i + 1);
    }
    tfp_buf_printf(&b, "],\"traceName\":\"t\",\"filler\":\"%*s\"}", 300000, "");
    assert_false(b.failed);
    return b;
}

static tfp_buf saved(tfp_input *in, tfp_status opened, tfp_error *err)
{
    tfp_buf out = { 0 };
    tfp_profile *p = tfp_profile_new();
    assert_non_null(p);
    tfp_profile_keep(p, TFP_KEEP_MEMORY | TFP_KEEP_PROGRAM);
    char *name = tfp_arena_copy(&p->arena, TFP_STR("trace"));
    assert_true(name && tfp_push(&p->files->sources, name) && tfp_push(&p->files->formats, "kineto"));
    tfp_builder b = { .p = p, .file = "trace" };
    if (!opened) opened = tfp_format_kineto.read(&b, in, err);
    if (!opened) opened = tfp_profile_finish(p, err);
    if (!opened) opened = tfp_profile_save(p, collect, &out, err);
    tfp_buf_printf(&out, "%d %s %zu", opened, tfp_error_message(err), p->files->warnings.size);
    tfp_input_close(in);
    tfp_profile_free(p);
    return out;
}

static void a_trace_in_windows_is_the_same_profile(void **state)
{
    (void)state;
    static const char *const sharing[] = { "1", "2/5000", "3/5000", "7/5000", "2/60000", NULL };
    tfp_buf text = trace_of(6000), gz = gzip_of(text.data, text.size);
    tfp_error *err = tfp_error_new();
    const size_t sizes[] = { gz.size, gz.size / 2, gz.size - 3 };
    tfp_input in;
    for (size_t k = 0; k < 3; k++) {
        tfp_buf want = saved(&in, tfp_input_memory(&in, "trace", gz.data, sizes[k], err), err);
        for (size_t i = 0; sharing[i]; i++) {
            setenv("TFPROF_THREADS", sharing[i], 1);
            tfp_error_clear(err);
            tfp_buf got = saved(&in, tfp_input_windows(&in, "trace", gz.data, sizes[k], err), err);
            assert_same_bytes(got, want);
            tfp_buf_free(&got);
        }
        unsetenv("TFPROF_THREADS");
        tfp_buf_free(&want);
    }
    tfp_error_free(err);
    tfp_buf_free(&text);
    tfp_buf_free(&gz);
}

/* Readers that need all bytes at once report it. */
static void what_needs_the_size_refuses_windows(void **state)
{
    (void)state;
    tfp_buf gz = gzip_of("text", 4);
    tfp_error *err = tfp_error_new();
    tfp_input in;
    tfp_str all;
    assert_int_equal(tfp_input_windows(&in, "text", gz.data, gz.size, err), TFP_OK);
    assert_fails(tfp_input_all(&in, &all, err), err, TFP_LIMIT, "more than 256 MB from a pipe or a gzip file");
    tfp_input_close(&in);
    tfp_error_free(err);
    tfp_buf_free(&gz);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_give_all_bytes_of_all_members),
        cmocka_unit_test(a_reader_goes_to_any_place),
        cmocka_unit_test(damage_is_found_as_in_one_piece),
        cmocka_unit_test(repetition_without_end_is_refused_early),
        cmocka_unit_test(a_trace_in_windows_is_the_same_profile),
        cmocka_unit_test(what_needs_the_size_refuses_windows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
