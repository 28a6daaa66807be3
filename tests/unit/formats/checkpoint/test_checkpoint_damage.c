// SPDX-License-Identifier: Apache-2.0
/* tests/unit/formats/checkpoint/test_checkpoint_damage.c: damaged checkpoints: truncated, with flipped bits, with
 * missing or changed files. */
#include "checkpoint_read.h"
#include "model/tables/profile.h"

#include <sys/stat.h>

#define DATA TEST_DATA "/checkpoints/"

static void a_bundle_cut_anywhere_is_refused(void **state)
{
    (void)state;
    tfp_buf index = content_of(DATA "big_endian.index"), data = content_of(DATA "big_endian.data-00000-of-00001");
    tfp_error *err = tfp_error_new();
    char *folder = new_folder();
    free(file_in(folder, "c.data-00000-of-00001", data.data, data.size));
    for (size_t size = 0; size < index.size; size++) {
        char *path = file_in(folder, "c.index", index.data, size);
        tfp_error_clear(err);
        assert_null(open_checkpoint(path, err));
        assert_int_not_equal(*tfp_error_message(err), 0);
        free(path);
    }
    char *path = file_in(folder, "c.index", index.data, index.size);
    for (size_t size = 0; size < data.size; size++) {
        free(file_in(folder, "c.data-00000-of-00001", data.data, size));
        assert_null(open_checkpoint(path, err));
        assert_non_null(strstr(tfp_error_message(err), "c.data-00000-of-00001"));
    }
    free(path);
    drop_folder(folder);
    tfp_buf_free(&index);
    tfp_buf_free(&data);
    tfp_error_free(err);
}

static void every_turned_bit_of_the_data_is_seen(void **state)
{
    (void)state;
    tfp_buf index = content_of(DATA "big_endian.index"), data = content_of(DATA "big_endian.data-00000-of-00001");
    tfp_buf text = { 0 };
    char *folder = new_folder(), *path = file_in(folder, "c.index", index.data, index.size);
    for (size_t bit = 0; bit < data.size * 8; bit++) {
        data.data[bit / 8] ^= (char)(1 << bit % 8);
        free(file_in(folder, "c.data-00000-of-00001", data.data, data.size));
        tfp_profile *p = open_checkpoint(path, NULL);
        assert_non_null(p);
        assert_int_equal(read_all(p->checkpoint, &text), 1);
        tfp_profile_free(p);
        data.data[bit / 8] ^= (char)(1 << bit % 8);
    }
    drop_folder(folder);
    free(path);
    tfp_buf_free(&index);
    tfp_buf_free(&data);
    tfp_buf_free(&text);
}

/* Only the padding of the footer is not checked. */
static void turned_bits_of_a_table_never_go_unseen(void **state)
{
    (void)state;
    tfp_buf table_bytes = content_of(DATA "snappy_v1"), text = { 0 }, wanted = content_of(DATA "snappy_v1.txt");
    for (size_t i = 0; i < table_bytes.size; i++) {
        table_bytes.data[i] ^= (char)(1 << i % 8);
        tfp_profile *p = tfp_profile_new();
        tfp_status s = tfp_profile_add_bytes(p, "checkpoint", "c", table_bytes.data, table_bytes.size, NULL);
        text.size = 0;
        if (s == TFP_OK && read_all(p->checkpoint, &text) == 0) {
            assert_true(i >= table_bytes.size - 48);
            assert_int_equal(text.size, wanted.size);
            assert_memory_equal(text.data, wanted.data, wanted.size);
        }
        tfp_profile_free(p);
        table_bytes.data[i] ^= (char)(1 << i % 8);
    }
    tfp_buf_free(&table_bytes);
    tfp_buf_free(&text);
    tfp_buf_free(&wanted);
}

static void missing_files_are_named(void **state)
{
    (void)state;
    tfp_error *err = tfp_error_new();
    tfp_buf shard = content_of(DATA "slices_v1-00001-of-00002"), index = content_of(DATA "types.index");
    char *folder = new_folder(), path[4096];
    free(file_in(folder, "v-00001-of-00002", shard.data, shard.size));
    free(file_in(folder, "w.index", index.data, index.size));
    free(file_in(folder, "short.index", index.data, index.size - 1));
    snprintf(path, sizeof path, "%s/v", folder);
    assert_null(open_checkpoint(path, err));
    assert_non_null(strstr(tfp_error_message(err), "shard 0 is missing"));
    snprintf(path, sizeof path, "%s/w", folder);
    assert_null(open_checkpoint(path, err));
    assert_non_null(strstr(tfp_error_message(err), "w.data-00000-of-00001"));
    snprintf(path, sizeof path, "%s/short", folder);
    assert_null(open_checkpoint(path, err));
    assert_non_null(strstr(tfp_error_message(err), "short.index: not a checkpoint's table"));
    snprintf(path, sizeof path, "%s/x", folder);
    assert_null(open_checkpoint(path, err));
    assert_non_null(strstr(tfp_error_message(err), "/x: "));
    assert_null(open_checkpoint(folder, err));
    assert_null(open_checkpoint("", err));
    drop_folder(folder);
    tfp_buf_free(&shard);
    tfp_buf_free(&index);
    tfp_error_free(err);
}

static void files_must_stay_as_they_were(void **state)
{
    (void)state;
    tfp_error *err = tfp_error_new();
    tfp_buf index = content_of(DATA "big_endian.index"), data = content_of(DATA "big_endian.data-00000-of-00001");
    char *folder = new_folder(), *path = file_in(folder, "c.index", index.data, index.size);
    char *shard = file_in(folder, "c.data-00000-of-00001", data.data, data.size);
    tfp_profile *p = open_checkpoint(path, err);
    tfp_tensor t;
    assert_non_null(p);
    free(file_in(folder, "c.data-00000-of-00001", data.data, data.size - 1));
    assert_fails(tfp_checkpoint_read(p->checkpoint, TFP_STR("d"), &t, err), err, TFP_BADFILE,
                 "of-00001: d: changed since");
    tfp_tensor_free(&t);
    assert_int_equal(remove(shard), 0);
    assert_fails(tfp_checkpoint_read(p->checkpoint, TFP_STR("d"), &t, err), err, TFP_BADFILE, "cannot open");
    tfp_tensor_free(&t);
    assert_int_equal(mkfifo(shard, 0600), 0);
    assert_fails(tfp_checkpoint_read(p->checkpoint, TFP_STR("d"), &t, err), err, TFP_BADFILE, "not a regular file");
    tfp_tensor_free(&t);
    tfp_profile_free(p);
    drop_folder(folder);
    free(path);
    free(shard);
    tfp_buf_free(&index);
    tfp_buf_free(&data);
    tfp_error_free(err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bundle_cut_anywhere_is_refused),
        cmocka_unit_test(every_turned_bit_of_the_data_is_seen),
        cmocka_unit_test(turned_bits_of_a_table_never_go_unseen),
        cmocka_unit_test(missing_files_are_named),
        cmocka_unit_test(files_must_stay_as_they_were),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
