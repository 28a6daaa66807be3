// SPDX-License-Identifier: Apache-2.0
/* tests/unit/formats/checkpoint/test_checkpoint_v2.c: invalid checkpoints of version 2. */
#include "checkpoint_read.h"
#include "checkpoint_tables.h"
#include "model/tables/profile.h"
#include "model/tables/sources.h"

/* ---- invalid entries of version 2 ---- */

typedef struct made_entry {
    const char *key;
    int dtype;
    int64_t dims[3]; /* ended by -9 */
    int64_t shard, offset, size;
    bool bad_crc, sliced;
} made_entry;

typedef struct made_header {
    int64_t shards, endianness, min_consumer, bad_consumer;
} made_header;

enum { DATA_SIZE = 64 };

static const char data_bytes[DATA_SIZE + 1] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+-";

static void put_header(tfp_buf *b, made_header h)
{
    tfp_put_int(b, 1, h.shards);
    tfp_put_int(b, 2, h.endianness);
    size_t at = tfp_put_open(b, 3);
    tfp_put_int(b, 1, 1);
    tfp_put_int(b, 2, h.min_consumer);
    if (h.bad_consumer) tfp_put_int(b, 3, h.bad_consumer);
    tfp_put_close(b, at);
}

static void put_made_entry(tfp_buf *b, const made_entry *e)
{
    tfp_put_int(b, 1, e->dtype);
    size_t shape = tfp_put_open(b, 2);
    for (size_t i = 0; i < 3 && e->dims[i] != -9; i++) {
        size_t dim = tfp_put_open(b, 2);
        tfp_put_int(b, 1, e->dims[i]);
        tfp_put_close(b, dim);
    }
    tfp_put_close(b, shape);
    tfp_put_int(b, 3, e->shard);
    tfp_put_int(b, 4, e->offset);
    tfp_put_int(b, 5, e->size);
    bool inside = e->offset >= 0 && e->size >= 0 && e->offset <= DATA_SIZE && e->size <= DATA_SIZE - e->offset;
    uint32_t crc = inside ? tfp_crc32c_mask(tfp_crc32c(0, data_bytes + e->offset, (size_t)e->size)) : 0;
    tfp_put_tag(b, 6, TFP_FIXED32);
    put32(b, crc + e->bad_crc);
    if (e->sliced) tfp_put_bytes_always(b, 7, TFP_STR("\x0a\x00")); /* one whole dimension */
}

static void bad_bundles_are_refused(void **state)
{
    (void)state;
    static const struct {
        made_header header;
        made_entry entries[2];
        tfp_status status;
        const char *says;
    } cases[] = {
        { { 1, 0, 2, 0 }, { { 0 } }, TFP_BADFILE, "min_consumer" },
        { { 1, 0, 1, 1 }, { { 0 } }, TFP_BADFILE, "bad_consumers" },
        { { 1, 2, 1, 0 }, { { 0 } }, TFP_BADFILE, "byte order" },
        { { 1, 0, 1, 0 }, { { "a", 1, { 2, -9 }, 1, 0, 8 } }, TFP_BADFILE, "shard 1 of 1" },
        { { 1, 0, 1, 0 }, { { "a", 1, { 2, -9 }, -1, 0, 8 } }, TFP_BADFILE, "shard -1 of 1" },
        { { 2, 0, 1, 0 }, { { "a", 1, { 2, -9 }, 1, 0, 8 } }, TFP_BADFILE, "data-00001-of-00002" },
        { { 1, 0, 1, 0 }, { { "a", 1, { 2, -9 }, 0, 60, 8 } }, TFP_BADFILE, "reach outside" },
        { { 1, 0, 1, 0 }, { { "a", 1, { 2, -9 }, 0, -4, 8 } }, TFP_BADFILE, "reach outside" },
        { { 1, 0, 1, 0 }, { { "a", 1, { 2, -9 }, 0, INT64_MAX, 8 } }, TFP_BADFILE, "reach outside" },
        { { 1, 0, 1, 0 }, { { "a", 1, { 2, -9 }, 0, 0, 9 } }, TFP_BADFILE, "9 bytes for 2 elements" },
        { { 1, 0, 1, 0 }, { { "a", 1, { 2, -9 }, 0, 0, -8 } }, TFP_BADFILE, "-8 bytes for 2 elements" },
        { { 1, 0, 1, 0 }, { { "a", 1, { -1, -9 }, 0, 0, 8 } }, TFP_BADFILE, "negative dimension" },
        { { 1, 0, 1, 0 }, { { "a", 1, { INT64_MAX, 3, -9 }, 0, 0, 8 } }, TFP_BADFILE, "impossible shape" },
        { { 1, 0, 1, 0 }, { { "a", 0, { 2, -9 }, 0, 0, 8 } }, TFP_BADFILE, "type 0" },
        { { 1, 0, 1, 0 }, { { "a", 1, { 2, -9 }, 0, 0, 8, true } }, TFP_BADFILE, "checksum of bytes 0 to 8" },
        { { 1, 0, 1, 0 }, { { "a", 7, { 2, -9 }, 0, 0, 5 } }, TFP_BADFILE, "5 bytes for 2 elements of string" },
        { { 1, 0, 1, 0 }, { { "a", 7, { 2, -9 }, 0, 0, 16 } }, TFP_BADFILE, "string" },
        { { 1, 0, 1, 0 }, { { "a", 7, { INT64_C(1) << 60, -9 }, 0, 0, 16 } }, TFP_BADFILE, "of string" },
        { { 1, 0, 1, 0 }, { { "a", 1, { 2, -9 }, 0, 0, 8, false, true } }, TFP_BADFILE, "slice 0: has no entry" },
        { { 1, 0, 1, 0 }, { { "a", 1, { 2, 2, -9 }, 0, 0, 16, false, true } }, TFP_BADFILE, "1 dimensions" },
        { { 1, 0, 1, 0 },
          { { "a", 1, { 2, -9 }, 0, 0, 8 }, { "b", 3, { 1, -9 }, 0, 4, 4 } },
          TFP_BADFILE,
          "overlap at byte 4" },
        { { 1, 0, 1, 0 },
          { { "b", 1, { 2, -9 }, 0, 0, 8 }, { "a", 1, { 1, -9 }, 0, 8, 4 } },
          TFP_BADFILE,
          "do not ascend" },
        { { 1, 0, 1, 0 },
          { { "a", 1, { 2, -9 }, 0, 0, 8 }, { "a", 1, { 1, -9 }, 0, 8, 4 } },
          TFP_BADFILE,
          "do not ascend" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        table t = { 0 };
        tfp_buf value = { 0 };
        put_header(&value, cases[i].header);
        add(&t, TFP_STR(""), (tfp_str){ value.data, value.size });
        for (size_t k = 0; k < 2 && cases[i].entries[k].key; k++) {
            value.size = 0;
            put_made_entry(&value, &cases[i].entries[k]);
            add(&t, tfp_str_of(cases[i].entries[k].key), (tfp_str){ value.data, value.size });
        }
        t.index_key = TFP_STR("zz");
        end_block(&t);
        end_table(&t);
        tfp_error *err = tfp_error_new();
        char *folder = new_folder(), *index = file_in(folder, "c.index", t.file.data, t.file.size);
        char *data = file_in(folder, "c.data-00000-of-00001", data_bytes, DATA_SIZE);
        tfp_profile *p = tfp_profile_new();
        tfp_status s = tfp_profile_add_file(p, "checkpoint", index, err);
        tfp_tensor tensor = { 0 };
        if (!s) s = tfp_checkpoint_read(p->checkpoint, TFP_STR("a"), &tensor, err);
        if (s != cases[i].status || !strstr(tfp_error_message(err), cases[i].says))
            fail_msg("case %zu: status %d and \"%s\", not \"%s\"", i, s, tfp_error_message(err), cases[i].says);
        tfp_tensor_free(&tensor);
        tfp_profile_free(p);
        drop_folder(folder);
        free(index);
        free(data);
        tfp_buf_free(&value);
        drop_table(&t);
        tfp_error_free(err);
    }
}

static void types_without_values_are_names_with_a_warning(void **state)
{
    (void)state;
    static const made_entry resource = { "r", 20, { -9 }, 0, 0, 0 }, later = { "x", 77, { 3, -9 }, 0, 0, 5 };
    table t = { 0 };
    tfp_buf value = { 0 };
    put_header(&value, (made_header){ 1, 0, 0, 0 });
    add(&t, TFP_STR(""), (tfp_str){ value.data, value.size });
    value.size = 0;
    put_made_entry(&value, &resource);
    add(&t, TFP_STR("r"), (tfp_str){ value.data, value.size });
    value.size = 0;
    put_made_entry(&value, &later);
    add(&t, TFP_STR("x"), (tfp_str){ value.data, value.size });
    end_block(&t);
    end_table(&t);
    char *folder = new_folder(), *index = file_in(folder, "c.index", t.file.data, t.file.size);
    char *data = file_in(folder, "c.data-00000-of-00001", data_bytes, DATA_SIZE);
    tfp_profile *p = open_checkpoint(index, NULL);
    assert_non_null(p);
    assert_int_equal(p->files->warnings.size, 1);
    assert_int_equal(p->files->warnings.at[0].count, 2);
    tfp_tensor tensor;
    assert_int_equal(tfp_checkpoint_read(p->checkpoint, TFP_STR("x"), &tensor, NULL), TFP_OK);
    assert_int_equal(tensor.kind, TFP_VALUES_NONE);
    tfp_tensor_free(&tensor);
    tfp_profile_free(p);
    drop_folder(folder);
    free(index);
    free(data);
    tfp_buf_free(&value);
    drop_table(&t);
}

/* ---- invalid tables ---- */

/* Each entry has two bytes of name, which repeat a name of 100,000 bytes: a small file that would need much memory. */
static void names_can_not_fill_memory(void **state)
{
    (void)state;
    table t = { 0 };
    tfp_buf name = { 0 }, value = { 0 };
    static const made_entry nothing = { "r", 20, { -9 }, 0, 0, 0 };
    put_header(&value, (made_header){ 1, 0, 0, 0 });
    put_entry(&t.block, 0, TFP_STR(""), (tfp_str){ value.data, value.size });
    tfp_buf_fill(&name, 'a', 100000);
    value.size = 0;
    put_made_entry(&value, &nothing);
    put_entry(&t.block, 0, (tfp_str){ name.data, name.size }, (tfp_str){ value.data, value.size });
    for (int i = 0; i < 60000; i++) {
        char rest[2] = { (char)(i >> 8), (char)i };
        put_entry(&t.block, 100000, (tfp_str){ rest, 2 }, (tfp_str){ value.data, value.size });
    }
    t.index_key = TFP_STR("zz");
    end_block(&t);
    end_table(&t);
    char *folder = new_folder(), *index = file_in(folder, "c.index", t.file.data, t.file.size);
    char *data = file_in(folder, "c.data-00000-of-00001", data_bytes, DATA_SIZE);
    tfp_error *err = tfp_error_new();
    assert_null(open_checkpoint(index, err));
    assert_non_null(strstr(tfp_error_message(err), "too many names"));
    drop_folder(folder);
    free(index);
    free(data);
    tfp_buf_free(&name);
    tfp_buf_free(&value);
    tfp_error_free(err);
    drop_table(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_bundles_are_refused),
        cmocka_unit_test(types_without_values_are_names_with_a_warning),
        cmocka_unit_test(names_can_not_fill_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
