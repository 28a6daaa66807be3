// SPDX-License-Identifier: Apache-2.0
/* tests/unit/base/test_files.c: inputs of every source and compression, and outputs that are written completely or not
 * at all. */
#include "support.h"

#include "base/place.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define UNUSED (void)state

static uint32_t seed = 1;

static uint32_t chance(uint32_t below)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % below;
}

/* ---- inputs ---- */

static tfp_buf pattern(size_t size)
{
    tfp_buf b = { 0 };
    for (size_t i = 0; i < size; i++) tfp_buf_char(&b, (char)(i * 7 + (i >> 8) * 13 + (i >> 16)));
    return b;
}

/* Reads the whole input in pieces of odd sizes and compares it. */
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
    tfp_buf data = pattern(3000001), gz = gzip_of(data.data, data.size);
    char *path = file_in(folder, "file.gz", gz.data, gz.size);
    tfp_input in;
    assert_int_equal(tfp_input_open(&in, path, NULL), TFP_OK);
    reads_as(&in, (tfp_str){ data.data, data.size });
    assert_int_equal(tfp_input_memory(&in, "bytes", gz.data, gz.size, NULL), TFP_OK);
    reads_as(&in, (tfp_str){ data.data, data.size });
    /* two members, followed by zero bytes, as tape blocks leave them */
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
    tfp_buf data = pattern(20000), gz = gzip_of(data.data, data.size);
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
        /* flags and the time stamp in the header do not depend on the content */
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
    tfp_buf gz = gzip_of(zeros, size);
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
    assert_int_equal(rmdir(folder), 0); /* no temporary file is left */
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

/* A handler of SIGTERM calls tfp_remove_parts, which must work at any time. */
static void parts_of_files_can_be_removed_at_any_time(void **state)
{
    (void)state;
    char *folder = new_folder(), path[300];
    tfp_outfile f;
    snprintf(path, sizeof path, "%s/out", folder);
    assert_int_equal(tfp_outfile_open(&f, path, NULL), TFP_OK);
    tfp_outfile_write(&f, "half", 4);
    assert_int_equal(rmdir(folder), -1); /* the temporary file is still in it */
    tfp_remove_parts();
    int held = open(folder, O_RDONLY | O_DIRECTORY);
    assert_true(tfp_folder_is_empty(held));
    close(held);
    assert_int_equal(tfp_outfile_finish(&f, NULL), TFP_BADOUTPUT);
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(tfp_outfile_open(&f, path, NULL), TFP_OK);
    assert_int_equal(tfp_outfile_finish(&f, NULL), TFP_OK);
    tfp_remove_parts(); /* finished files stay */
    assert_int_equal(access(path, F_OK), 0);
    drop_folder(folder);
}

/* Hashes differ from process to process, so a file cannot be crafted to make its names collide. */
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
