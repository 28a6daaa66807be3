// SPDX-License-Identifier: Apache-2.0
/* tests/unit/formats/checkpoint/test_checkpoint.c: checkpoints that TensorFlow wrote: their checksums, keys and
 * values. */
#include "checkpoint_read.h"

#include "base/crc32c.h"
#include "model/tables/profile.h"
#include "wire/orderedcode.h"

#include <pthread.h>

#define DATA TEST_DATA "/checkpoints/"

/* ---- checksums and keys ---- */

static void crc32c_is_castagnolis_with_and_without_the_instruction(void **state)
{
    (void)state;
    char bytes[300];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (char)(i * 7);
    assert_int_equal(tfp_crc32c(0, "123456789", 9), 0xe3069283);
    assert_int_equal(tfp_crc32c(tfp_crc32c(0, "1234", 4), "56789", 5), 0xe3069283);
    for (size_t start = 0; start < 9; start++)
        for (size_t size = 0; size < 280; size++)
            assert_int_equal(tfp_crc32c(5, bytes + start, size), tfp_crc32c_table(5, bytes + start, size));
}

static void ordered_codes_are_those_of_tensorflow(void **state)
{
    (void)state;
    static const struct {
        int64_t value;
        const char *code;
    } cases[] = { { 0, "80" },
                  { -1, "7f" },
                  { 63, "bf" },
                  { 64, "c040" },
                  { -64, "40" },
                  { -65, "3fbf" },
                  { 8191, "dfff" },
                  { 8192, "e02000" },
                  { INT64_C(1) << 52, "ff10000000000000" },
                  { (INT64_C(1) << 55) - 1, "ff7fffffffffffff" },
                  { INT64_C(1) << 55, "ff8080000000000000" },
                  { INT64_MAX, "ffc07fffffffffffffff" },
                  { INT64_MIN, "003f8000000000000000" } };
    tfp_buf b = { 0 }, hex = { 0 };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        b.size = hex.size = 0;
        tfp_put_ordered_int(&b, cases[i].value);
        put_hex(&hex, (tfp_str){ b.data, b.size });
        tfp_buf_char(&hex, '\0');
        assert_string_equal(hex.data, cases[i].code);
    }
    b.size = 0;
    tfp_put_ordered_uint(&b, 0);
    tfp_put_ordered_uint(&b, 256);
    tfp_put_ordered_bytes(&b, TFP_STR("a\0\xff"));
    assert_int_equal(b.size, 1 + 3 + 5 + 2);
    assert_memory_equal(b.data, "\0\2\1\0a\0\xff\xff\0\0\1", b.size);
    tfp_buf_free(&b);
    tfp_buf_free(&hex);
}

/* ---- what TensorFlow wrote ---- */

static void assert_holds(const char *path, const char *expected)
{
    tfp_error *err = tfp_error_new();
    tfp_profile *p = open_checkpoint(path, err);
    if (!p) fail_msg("%s", tfp_error_message(err));
    tfp_buf got = { 0 }, wanted = content_of(expected);
    assert_int_equal(read_all(p->checkpoint, &got), 0);
    tfp_buf_char(&got, '\0');
    tfp_buf_char(&wanted, '\0');
    assert_string_equal(got.data, wanted.data);
    tfp_buf_free(&got);
    tfp_buf_free(&wanted);
    tfp_profile_free(p);
    tfp_error_free(err);
}

static void every_type_reads_as_tensorflow_reads_it(void **state)
{
    (void)state;
    assert_holds(DATA "types", DATA "types.txt");
    assert_holds(DATA "types_v1", DATA "types_v1.txt");
    assert_holds(DATA "snappy_v1", DATA "snappy_v1.txt");
    assert_holds(DATA "big_endian", DATA "big_endian.txt");
}

static void slices_make_up_their_variable(void **state)
{
    (void)state;
    assert_holds(DATA "slices", DATA "slices.txt");
    assert_holds(DATA "slices_v1", DATA "slices_v1.txt");
    assert_holds(DATA "slices_v1-?????"
                      "-of-?????",
                 DATA "slices_v1.txt");
}

static void files_of_a_checkpoint_stand_for_all_of_it(void **state)
{
    (void)state;
    assert_holds(DATA "slices.index", DATA "slices.txt");
    assert_holds(DATA "slices.data-00001-of-00002", DATA "slices.txt");
    assert_string_equal(tfp_recognise_file(DATA "types", NULL), "checkpoint");
    assert_string_equal(tfp_recognise_file(DATA "types.index", NULL), "checkpoint");
    assert_string_equal(tfp_recognise_file(DATA "types_v1", NULL), "checkpoint");
    assert_string_equal(tfp_recognise_file(DATA "slices_v1", NULL), "checkpoint");
    assert_null(tfp_recognise_file(DATA "types.txt", NULL));
}

static void keys_of_large_slices_are_found(void **state)
{
    (void)state;
    tfp_error *err = tfp_error_new();
    tfp_profile *p = open_checkpoint(DATA "keys", err);
    if (!p) fail_msg("%s", tfp_error_message(err));
    tfp_tensor t;
    assert_true(tfp_checkpoint_has(p->checkpoint, TFP_STR("huge")));
    assert_false(tfp_checkpoint_has(p->checkpoint, TFP_STR("hug")));
    assert_fails(tfp_checkpoint_read(p->checkpoint, TFP_STR("huge"), &t, err), err, TFP_LIMIT, "more than 256 MB");
    tfp_tensor_free(&t);
    assert_int_equal(tfp_checkpoint_read(p->checkpoint, TFP_STR("hug"), &t, err), TFP_NOTFOUND);
    tfp_tensor_free(&t);
    tfp_profile_free(p);
    tfp_error_free(err);
}

static void tables_in_memory_read_like_files(void **state)
{
    (void)state;
    tfp_error *err = tfp_error_new();
    tfp_buf table = content_of(DATA "snappy_v1"), index = content_of(DATA "types.index"), got = { 0 };
    tfp_profile *p = tfp_profile_new(), *q = tfp_profile_new();
    assert_int_equal(tfp_profile_add_bytes(p, NULL, "snappy", table.data, table.size, err), TFP_OK);
    tfp_buf_free(&table);
    assert_int_equal(read_all(p->checkpoint, &got), 0);
    assert_int_equal(tfp_profile_add_bytes(q, "checkpoint", "index", index.data, index.size, err), TFP_OK);
    tfp_buf_free(&index);
    assert_int_equal(read_all(q->checkpoint, &got), tfp_checkpoint_count(q->checkpoint)); /* the file has only names */
    assert_fails(tfp_profile_add_file(p, "checkpoint", DATA "types", err), err, TFP_BADARG, "second checkpoint");
    tfp_buf_free(&got);
    tfp_profile_free(p);
    tfp_profile_free(q);
    tfp_error_free(err);
}

static void *read_in_a_thread(void *checkpoint)
{
    tfp_buf *text = calloc(1, sizeof *text);
    for (int i = 0; i < 20; i++) {
        text->size = 0;
        if (read_all(checkpoint, text)) return NULL;
    }
    return text;
}

static void threads_may_read_values_together(void **state)
{
    (void)state;
    tfp_profile *p = open_checkpoint(DATA "slices_v1", NULL);
    pthread_t threads[4];
    tfp_buf *texts[4];
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, read_in_a_thread, p->checkpoint);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], (void **)&texts[i]);
    for (int i = 0; i < 4; i++) {
        assert_non_null(texts[i]);
        assert_int_equal(texts[i]->size, texts[0]->size);
        assert_memory_equal(texts[i]->data, texts[0]->data, texts[0]->size);
    }
    for (int i = 0; i < 4; i++) {
        tfp_buf_free(texts[i]);
        free(texts[i]);
    }
    tfp_profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crc32c_is_castagnolis_with_and_without_the_instruction),
        cmocka_unit_test(ordered_codes_are_those_of_tensorflow),
        cmocka_unit_test(every_type_reads_as_tensorflow_reads_it),
        cmocka_unit_test(slices_make_up_their_variable),
        cmocka_unit_test(files_of_a_checkpoint_stand_for_all_of_it),
        cmocka_unit_test(keys_of_large_slices_are_found),
        cmocka_unit_test(tables_in_memory_read_like_files),
        cmocka_unit_test(threads_may_read_values_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
