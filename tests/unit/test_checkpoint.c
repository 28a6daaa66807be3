// SPDX-License-Identifier: Apache-2.0
/* tests/unit/test_checkpoint.c: checkpoints: checksums and keys, what TensorFlow wrote, and what nobody should. */
#include "support.h"

#include "base/crc32c.h"
#include "formats/tensor.h"
#include "outputs/tensor_text.h"
#include "wire/orderedcode.h"
#include "wire/proto.h"
#include "wire/sstable.h"

#include <math.h>
#include <pthread.h>
#include <sys/stat.h>

#define DATA TEST_DATA "/checkpoints/"

/* ---- opening ---- */

/* A profile with that checkpoint, or NULL with err saying why. */
static tfp_profile *open_checkpoint(const char *path, tfp_error *err)
{
    tfp_profile *p = tfp_profile_new();
    assert_non_null(p);
    if (tfp_profile_add_file(p, "checkpoint", path, err) == TFP_OK) return p;
    tfp_profile_free(p);
    return NULL;
}

static void put_double(tfp_buf *b, double v)
{
    if (isnan(v))
        tfp_buf_text(b, " nan");
    else
        tfp_buf_printf(b, " %.17g", v);
}

static void put_hex(tfp_buf *b, tfp_str s)
{
    for (size_t i = 0; i < s.size; i++) tfp_buf_printf(b, "%02x", (unsigned char)s.data[i]);
}

/* One line of tests/data/checkpoints/NAME.txt. */
static void put_tensor(tfp_buf *b, tfp_str name, const tfp_tensor *t)
{
    put_hex(b, name);
    tfp_buf_printf(b, " %s ", tfp_dtype_name(t->dtype));
    for (size_t i = 0; i < t->dim_count; i++) tfp_buf_printf(b, "%s%lld", i ? "x" : "", (long long)t->dims[i]);
    if (t->dim_count == 0) tfp_buf_char(b, '-');
    for (size_t i = 0; i < t->count; i++) {
        if (t->strings)
            tfp_buf_text(b, t->strings[i].size ? " " : " -"), put_hex(b, t->strings[i]);
        else if (t->ints)
            tfp_buf_printf(b, " %lld", (long long)t->ints[i]);
        else if (t->kind == TFP_VALUES_DOUBLE)
            put_double(b, t->doubles[i]);
        else
            put_double(b, t->doubles[2 * i]), put_double(b, t->doubles[2 * i + 1]);
    }
    tfp_buf_char(b, '\n');
}

/* All tensors as text; counts those that fail, each of which must say why. */
static size_t read_all(const tfp_checkpoint *c, tfp_buf *text)
{
    tfp_error *err = tfp_error_new();
    size_t failed = 0;
    for (size_t i = 0; i < tfp_checkpoint_count(c); i++) {
        tfp_str name = tfp_checkpoint_name(c, i);
        tfp_tensor t;
        tfp_error_clear(err);
        tfp_status s = tfp_checkpoint_read(c, name, &t, err);
        if (s == TFP_OK)
            put_tensor(text, name, &t);
        else
            assert_int_not_equal(*tfp_error_message(err), 0);
        failed += s != TFP_OK;
        tfp_tensor_free(&t);
    }
    tfp_error_free(err);
    return failed;
}

static tfp_buf content_of(const char *path)
{
    tfp_buf b = { 0 };
    assert_int_equal(tfp_read_file(path, 1 << 20, &b, NULL), TFP_OK);
    return b;
}

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
    assert_int_equal(read_all(q->checkpoint, &got), tfp_checkpoint_count(q->checkpoint)); /* only names are in it */
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

/* ---- tables written here ---- */

typedef struct table {
    tfp_buf file, block, index;
    tfp_str index_key; /* of the next block; last_key when empty */
    char last_key[64];
    size_t last_size;
} table;

static void put32(tfp_buf *b, uint32_t v)
{
    for (int i = 0; i < 4; i++) tfp_buf_char(b, (char)(v >> 8 * i));
}

static void put_entry(tfp_buf *block, size_t shared, tfp_str key, tfp_str value)
{
    tfp_put_varint(block, shared);
    tfp_put_varint(block, key.size);
    tfp_put_varint(block, value.size);
    tfp_buf_str(block, key);
    tfp_buf_str(block, value);
}

static void add(table *t, tfp_str key, tfp_str value)
{
    put_entry(&t->block, 0, key, value);
    memcpy(t->last_key, key.data, key.size);
    t->last_size = key.size;
}

/* Puts a block as it is into the file, with its trailer; its handle goes into `handle`. */
static void put_block(table *t, tfp_str block, char compression, tfp_buf *handle)
{
    size_t at = t->file.size;
    tfp_put_varint(handle, at);
    tfp_put_varint(handle, block.size);
    tfp_buf_str(&t->file, block);
    tfp_buf_char(&t->file, compression);
    put32(&t->file, tfp_crc32c_mask(tfp_crc32c(0, t->file.data + at, block.size + 1)));
}

static void end_block(table *t)
{
    tfp_buf handle = { 0 };
    put32(&t->block, 0);
    put32(&t->block, 1);
    put_block(t, (tfp_str){ t->block.data, t->block.size }, 0, &handle);
    tfp_str key = t->index_key.size ? t->index_key : (tfp_str){ t->last_key, t->last_size };
    put_entry(&t->index, 0, key, (tfp_str){ handle.data, handle.size });
    tfp_buf_free(&handle);
    t->block.size = 0;
}

static void end_table(table *t)
{
    tfp_buf handles = { 0 };
    put_block(t, TFP_STR("\0\0\0\0"), 0, &handles);
    put32(&t->index, 0);
    put32(&t->index, 1);
    put_block(t, (tfp_str){ t->index.data, t->index.size }, 0, &handles);
    tfp_buf_fill(&handles, 0, 40 - handles.size);
    tfp_buf_add(&handles, "\x57\xfb\x80\x8b\x24\x75\x47\xdb", 8);
    tfp_buf_str(&t->file, (tfp_str){ handles.data, handles.size });
    tfp_buf_free(&handles);
}

static void drop_table(table *t)
{
    tfp_buf_free(&t->file);
    tfp_buf_free(&t->block);
    tfp_buf_free(&t->index);
}

/* That status from the load or from the first bad tensor, with that in the message. */
static void assert_table_fails(const table *t, tfp_status wanted, const char *part)
{
    tfp_error *err = tfp_error_new();
    tfp_profile *p = tfp_profile_new();
    tfp_status s = tfp_profile_add_bytes(p, "checkpoint", "c", t->file.data, t->file.size, err);
    for (size_t i = 0; s == TFP_OK && i < tfp_checkpoint_count(p->checkpoint); i++) {
        tfp_tensor tensor;
        s = tfp_checkpoint_read(p->checkpoint, tfp_checkpoint_name(p->checkpoint, i), &tensor, err);
        tfp_tensor_free(&tensor);
    }
    if (s != wanted || !strstr(tfp_error_message(err), part))
        fail_msg("status %d and \"%s\", not %d and \"%s\"", s, tfp_error_message(err), wanted, part);
    tfp_profile_free(p);
    tfp_error_free(err);
}

/* ---- version 2 that nobody should write ---- */

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
    assert_int_equal(p->warnings.size, 1);
    assert_int_equal(p->warnings.at[0].count, 2);
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

/* ---- version 1 that nobody should write ---- */

/* A SavedSliceMeta of int32 with slices of one dimension: start and length follow each other, length 0 ends it. */
static void put_meta(tfp_buf *b, const char *name, int64_t dim, const int64_t *slices)
{
    size_t tensor = tfp_put_open(b, 1);
    tfp_put_bytes(b, 1, tfp_str_of(name));
    size_t shape = tfp_put_open(b, 2), size = tfp_put_open(b, 2);
    tfp_put_int(b, 1, dim);
    tfp_put_close(b, size);
    tfp_put_close(b, shape);
    tfp_put_int(b, 3, 3);
    for (; slices[1]; slices += 2) {
        size_t slice = tfp_put_open(b, 4), extent = tfp_put_open(b, 1);
        tfp_put_int(b, 1, slices[0]);
        tfp_put_int(b, 2, slices[1]);
        tfp_put_close(b, extent);
        tfp_put_close(b, slice);
    }
    tfp_put_close(b, tensor);
}

/* Adds the values 1, 2, 3 ... of one slice. */
static void add_values(table *t, const char *name, const char *says, int64_t start, int64_t length, int64_t values)
{
    static const int64_t ones[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    tfp_buf key = { 0 }, value = { 0 };
    tfp_put_ordered_uint(&key, 0);
    tfp_put_ordered_bytes(&key, tfp_str_of(name));
    tfp_put_ordered_uint(&key, 1);
    tfp_put_ordered_int(&key, start);
    tfp_put_ordered_int(&key, length);
    size_t slice = tfp_put_open(&value, 2);
    tfp_put_bytes(&value, 1, tfp_str_of(says));
    size_t data = tfp_put_open(&value, 3);
    tfp_put_packed_ints(&value, 7, ones, (size_t)values);
    tfp_put_close(&value, data);
    tfp_put_close(&value, slice);
    add(t, (tfp_str){ key.data, key.size }, (tfp_str){ value.data, value.size });
    tfp_buf_free(&key);
    tfp_buf_free(&value);
}

static void bad_slices_are_refused(void **state)
{
    (void)state;
    static const struct {
        int64_t dim, slices[8]; /* listed */
        const char *says_name;
        int64_t values;   /* in each */
        const char *says; /* NULL: it is fine */
    } cases[] = {
        { 4, { 0, 2, 2, 2 }, "v", 2, NULL },
        { 4, { 0, 2, 0, 2 }, "v", 2, "slices overlap" },
        { 4, { 0, 2, 2, 3 }, "v", 2, "slice 1: 3 elements from 2 on in a dimension of 4" },
        { 4, { 0, 2, -1, 2 }, "v", 2, "from -1 on" },
        { 4, { 0, 2, 2, -2 }, "v", 2, "-2 elements" },
        { 4, { 0, 2 }, "v", 2, "do not make up all of it" },
        { 4, { 0 }, "v", 2, "do not make up all of it" },
        { 4, { 0, 2, 2, 2, 0, 2 }, "v", 2, "slices overlap" },
        { 4, { 0, 1, 1, 3 }, "v", 2, "values are missing" },
        { 4, { 0, 2, 2, 2 }, "w", 2, "another variable" },
        { 4, { 0, 2, 2, 2 }, "v", 3, "3 values for 2 elements of int32" },
        { 4, { 0, 2, 2, 2 }, "v", 1, "1 values for 2 elements of int32" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        table t = { 0 };
        tfp_buf meta = { 0 };
        size_t at = tfp_put_open(&meta, 1);
        put_meta(&meta, "v", cases[i].dim, cases[i].slices);
        tfp_put_close(&meta, at);
        add(&t, TFP_STR(""), (tfp_str){ meta.data, meta.size });
        add_values(&t, "v", cases[i].says_name, 0, 2, cases[i].values);
        add_values(&t, "v", cases[i].says_name, 2, 2, cases[i].values);
        end_block(&t);
        end_table(&t);
        if (cases[i].says)
            assert_table_fails(&t, TFP_BADFILE, cases[i].says);
        else
            assert_table_fails(&t, TFP_OK, "");
        tfp_buf_free(&meta);
        drop_table(&t);
    }
}

static void variables_may_not_be_listed_twice(void **state)
{
    (void)state;
    static const int64_t slices[] = { 0, 2, 0, 0 };
    for (int64_t dim = 2; dim < 4; dim++) {
        table t = { 0 };
        tfp_buf meta = { 0 };
        size_t at = tfp_put_open(&meta, 1);
        put_meta(&meta, "v", 2, slices);
        put_meta(&meta, "v", dim, slices);
        tfp_put_close(&meta, at);
        add(&t, TFP_STR(""), (tfp_str){ meta.data, meta.size });
        end_block(&t);
        end_table(&t);
        assert_table_fails(&t, TFP_BADFILE, dim == 2 ? "v is listed twice" : "different types or shapes");
        tfp_buf_free(&meta);
        drop_table(&t);
    }
}

static void a_small_file_can_not_claim_to_be_much(void **state)
{
    (void)state;
    static const int64_t slices[] = { 0, 1 << 24, 0, 0 };
    table t = { 0 };
    tfp_buf meta = { 0 };
    size_t at = tfp_put_open(&meta, 1);
    put_meta(&meta, "v", 1 << 24, slices);
    tfp_put_close(&meta, at);
    add(&t, TFP_STR(""), (tfp_str){ meta.data, meta.size });
    end_block(&t);
    end_table(&t);
    assert_table_fails(&t, TFP_LIMIT, "unpack to 128 MB");
    tfp_buf_free(&meta);
    drop_table(&t);
}

/* A V1 list of variables with one of that shape message. */
static void assert_shape_fails(tfp_str shape_message, const char *part)
{
    table t = { 0 };
    tfp_buf meta = { 0 };
    size_t at = tfp_put_open(&meta, 1), tensor = tfp_put_open(&meta, 1);
    tfp_put_bytes(&meta, 1, TFP_STR("v"));
    tfp_put_bytes(&meta, 2, shape_message);
    tfp_put_int(&meta, 3, 1);
    tfp_put_close(&meta, tensor);
    tfp_put_close(&meta, at);
    add(&t, TFP_STR(""), (tfp_str){ meta.data, meta.size });
    end_block(&t);
    end_table(&t);
    assert_table_fails(&t, TFP_BADFILE, part);
    tfp_buf_free(&meta);
    drop_table(&t);
}

static void shapes_are_known_and_of_few_dimensions(void **state)
{
    (void)state;
    char many[255 * 4];
    for (size_t i = 0; i < sizeof many; i += 4) memcpy(many + i, "\x12\x02\x08\x01", 4);
    assert_shape_fails(TFP_STR("\x18\x01"), "unknown rank");
    assert_shape_fails((tfp_str){ many, sizeof many }, "more than 254 dimensions");
    assert_shape_fails(TFP_STR("\x12\x05"), "shape: ");
}

static void values_may_stand_in_any_field_of_their_type(void **state)
{
    (void)state;
    double doubles[3];
    int64_t ints[2];
    tfp_error *err = tfp_error_new();
    assert_int_equal(tfp_widen_proto(1, TFP_STR("\x22\x08\0\0\x80\x3f\0\0\0\xc0"), 2, doubles, err), TFP_OK);
    assert_true(doubles[0] == 1 && doubles[1] == -2); /* tensor_content */
    assert_int_equal(tfp_widen_proto(25, TFP_STR("\x92\x01\x03\x38\xb8\x7e"), 3, doubles, err), TFP_OK);
    assert_true(doubles[0] == 1 && doubles[1] == -1 && doubles[2] == 448); /* float8_val */
    assert_int_equal(tfp_widen_proto(9, TFP_STR("\x50\x05\x50\x07"), 2, ints, err), TFP_OK);
    assert_true(ints[0] == 5 && ints[1] == 7); /* int64_val, not packed */
    assert_fails(tfp_widen_proto(1, TFP_STR("\x22\x05\0\0\x80\x3f\0"), 1, doubles, err), err, TFP_BADFILE,
                 "5 bytes for 1");
    assert_fails(tfp_widen_proto(1, TFP_STR("\x2a\x05\0\0\x80\x3f\0"), 1, doubles, err), err, TFP_BADFILE, "");
    tfp_error_free(err);
}

/* ---- tables that nobody should write ---- */

static const tfp_str v1_meta = { "\x0a\x02\x12\x00", 4 }; /* no variables */

static void bad_blocks_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *block;
        size_t size;
        char compression;
        const char *says;
    } cases[] = {
        { "\0\0\0\0", 4, 0, "no entry" },
        { "\0\0\0", 3, 0, "restart points" },
        { "\xff\xff\xff\xff", 4, 0, "restart points" },
        { "\2\0\0\0", 4, 0, "restart points" },
        { "\0\0\5"
          "abc\0\0\0\0",
          10, 0, "cut short" },
        { "\0\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\0\0\0\0", 16, 0, "cut short" },
        { "\1\1\0a\0\0\0\0", 8, 0, "shares more" },
        { "\0\0\0\0\0\0\0\0\0\0", 10, 0, "ascend" },
        { "\0\0\0\0", 4, 2, "compression 2" },
        { "\xff\xff\xff\xff\xff\xff", 6, 1, "snappy" },
        { "\xff\xff\xff\xff\x0f\0", 6, 1, "grows to 4294967295" },
        { "\x10\x00"
          "a\xfe\x00\x00",
          6, 1, "snappy" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        table t = { 0 };
        tfp_buf handle = { 0 };
        put_block(&t, (tfp_str){ cases[i].block, cases[i].size }, cases[i].compression, &handle);
        put_entry(&t.index, 0, TFP_STR("zz"), (tfp_str){ handle.data, handle.size });
        end_table(&t);
        assert_table_fails(&t, TFP_BADFILE, cases[i].says);
        tfp_buf_free(&handle);
        drop_table(&t);
    }
}

static void bad_indexes_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *keys[2], *handles[2];
        const char *says;
    } cases[] = {
        { { "b", "a" }, { "\x00\x05", "\x20\x05" }, "ascend" },
        { { "a", "a" }, { "\x00\x05", "\x20\x05" }, "ascend" },
        { { "a", "b" }, { "\x20\x05", "\x01\x05" }, "overlap" },
        { { "a", "b" }, { "\x01\x05", "\x01\x05" }, "overlap" },
        { { "a", "b" }, { "\x01\x05", "\xff\x05" }, "outside" },
        { { "a", "b" }, { "\x01\x05", "\x05" }, "outside" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        table t = { 0 };
        add(&t, TFP_STR(""), v1_meta);
        tfp_buf_fill(&t.file, 'x', 100);
        for (int k = 0; k < 2; k++) {
            size_t size = cases[i].handles[k][0] ? strlen(cases[i].handles[k]) : 2;
            put_entry(&t.index, 0, tfp_str_of(cases[i].keys[k]), (tfp_str){ cases[i].handles[k], size });
        }
        end_table(&t);
        assert_table_fails(&t, TFP_BADFILE, cases[i].says);
        drop_table(&t);
    }
}

static void blocks_must_keep_to_their_index_keys(void **state)
{
    (void)state;
    table t = { 0 };
    add(&t, TFP_STR(""), v1_meta);
    add(&t, TFP_STR("c"), TFP_STR(""));
    t.index_key = TFP_STR("b");
    end_block(&t);
    end_table(&t);
    tfp_sstable s;
    tfp_source source = tfp_source_memory((tfp_str){ t.file.data, t.file.size });
    tfp_error *err = tfp_error_new();
    assert_int_equal(tfp_sstable_read(&s, &source, err), TFP_OK);
    tfp_walk w = tfp_walk_start(&s, &source);
    assert_true(tfp_walk_next(&w, err));
    assert_true(tfp_walk_next(&w, err));
    assert_false(tfp_walk_next(&w, err));
    assert_int_equal(w.status, TFP_BADFILE);
    assert_non_null(strstr(tfp_error_message(err), "beyond its index key"));
    tfp_walk_free(&w);
    tfp_sstable_free(&s);
    tfp_error_free(err);
    drop_table(&t);
}

static void blocks_must_follow_each_other(void **state)
{
    (void)state;
    table t = { 0 };
    add(&t, TFP_STR(""), v1_meta);
    t.index_key = TFP_STR("b");
    end_block(&t);
    add(&t, TFP_STR("a"), TFP_STR(""));
    t.index_key = TFP_STR("c");
    end_block(&t);
    end_table(&t);
    tfp_sstable s;
    tfp_source source = tfp_source_memory((tfp_str){ t.file.data, t.file.size });
    tfp_error *err = tfp_error_new();
    assert_int_equal(tfp_sstable_read(&s, &source, err), TFP_OK);
    tfp_walk w = tfp_walk_start(&s, &source);
    assert_true(tfp_walk_next(&w, err));
    assert_false(tfp_walk_next(&w, err));
    assert_non_null(strstr(tfp_error_message(err), "first key is not beyond"));
    tfp_walk_free(&w);
    tfp_sstable_free(&s);
    tfp_error_free(err);
    drop_table(&t);
}

static void searches_find_every_key_and_no_other(void **state)
{
    (void)state;
    tfp_error *err = tfp_error_new();
    tfp_buf file = content_of(DATA "types_v1");
    tfp_source source = tfp_source_memory((tfp_str){ file.data, file.size });
    tfp_sstable s;
    assert_int_equal(tfp_sstable_read(&s, &source, err), TFP_OK);
    tfp_walk all = tfp_walk_start(&s, &source), one = tfp_walk_start(&s, &source);
    size_t count = 0;
    char longer[200];
    while (tfp_walk_next(&all, err)) {
        assert_int_equal(tfp_walk_find(&one, &source, all.key, err), TFP_OK);
        assert_int_equal(one.value.size, all.value.size);
        assert_memory_equal(one.value.data, all.value.data, all.value.size);
        assert_true(all.key.size < sizeof longer);
        memcpy(longer, all.key.data, all.key.size);
        longer[all.key.size] = 0;
        assert_int_equal(tfp_walk_find(&one, &source, (tfp_str){ longer, all.key.size + 1 }, err), TFP_NOTFOUND);
        count++;
    }
    assert_int_equal(all.status, TFP_OK);
    assert_true(count > 15);
    assert_int_equal(tfp_walk_find(&one, &source, TFP_STR("\xff\xff"), err), TFP_NOTFOUND);
    tfp_walk_free(&all);
    tfp_walk_free(&one);
    tfp_sstable_free(&s);
    tfp_buf_free(&file);
    tfp_error_free(err);
}

/* Two bytes of name for each entry, each of which repeats a name of 100,000 bytes: little that would be much. */
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

/* ---- damage ---- */

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

/* Only the padding of the footer is not looked at. */
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

/* ---- text ---- */

static char *text_of(tfp_tensor t)
{
    static const int64_t ones[20000];
    tfp_buf b = { 0 };
    if (!t.kind) t.kind = TFP_VALUES_INT;
    if (!t.ints) t.ints = (int64_t *)(uintptr_t)ones;
    tfp_tensor_text(&t, &b);
    tfp_buf_char(&b, '\0');
    assert_false(b.failed);
    return b.data;
}

static void assert_text(tfp_tensor t, const char *wanted)
{
    char *got = text_of(t);
    assert_string_equal(got, wanted);
    free(got);
}

static void tensors_print_as_tensorflow_prints_them(void **state)
{
    (void)state;
    int64_t ints[] = { 1, -2, 3, 4, 5, 6 };
    double doubles[] = { 1234567.891, 2.675, -0.0, 1e-310, NAN, -INFINITY };
    tfp_str strings[] = { TFP_STR("it's"), TFP_STR("a\nb") };
    assert_text((tfp_tensor){ .dtype = 3, .count = 1, .ints = ints }, "[1 ],\n");
    assert_text((tfp_tensor){ .dtype = 9, .count = 2, .ints = ints, .dim_count = 1, .dims = (int64_t[]){ 2 } },
                "[1 -2 ],\n");
    assert_text((tfp_tensor){ .dtype = 3, .count = 6, .ints = ints, .dim_count = 2, .dims = (int64_t[]){ 2, 3 } },
                "[[1 -2 3 ],\n[4 5 6 ],\n],\n");
    assert_text((tfp_tensor){ .dtype = 3, .count = 2, .ints = ints, .dim_count = 3, .dims = (int64_t[]){ 2, 1, 1 } },
                "[[[1 ],\n],\n[[-2 ],\n],\n],\n");
    assert_text((tfp_tensor){ .dtype = 2,
                              .count = 6,
                              .kind = TFP_VALUES_DOUBLE,
                              .doubles = doubles,
                              .dim_count = 1,
                              .dims = (int64_t[]){ 6 } },
                "[1234570.00 2.67 -0.00 0.00 nan -inf ],\n");
    assert_text((tfp_tensor){ .dtype = 7,
                              .count = 2,
                              .kind = TFP_VALUES_STRING,
                              .strings = strings,
                              .dim_count = 1,
                              .dims = (int64_t[]){ 2 } },
                "['it's' 'a\\x0ab' ],\n");
}

static void empty_tensors_and_other_types_print_little(void **state)
{
    (void)state;
    assert_text((tfp_tensor){ .dtype = 3, .dim_count = 1, .dims = (int64_t[]){ 0 } }, "[],\n");
    assert_text((tfp_tensor){ .dtype = 3, .dim_count = 2, .dims = (int64_t[]){ 2, 0 } }, "[[],\n[],\n],\n");
    assert_text((tfp_tensor){ .dtype = 3, .dim_count = 2, .dims = (int64_t[]){ 0, 2 } }, "[],\n");
    assert_text((tfp_tensor){ .dtype = 10, .count = 1, .dim_count = 1, .dims = (int64_t[]){ 1 } }, "");
    assert_text((tfp_tensor){ .dtype = 4, .count = 1, .dim_count = 1, .dims = (int64_t[]){ 1 } }, "");
}

/* "[" and "0 " for each element; cut at 10,000 characters before the last bracket. */
static void long_tensors_are_cut(void **state)
{
    (void)state;
    static const char tail[] = "],\n...omitted from display\n\n";
    static const struct {
        int64_t count;
        size_t size;
        bool omitted;
    } cases[] = { { 4997, 1 + 2 * 4997 + 3, false },
                  { 4998, 1 + 2 * 4998 + 3, true },
                  { 4999, 1 + 2 * 4999 + 3, true },
                  { 5000, 10000 + 3, true },
                  { 20000, 10000 + 3, true } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *got = text_of((tfp_tensor){
            .dtype = 3, .count = (size_t)cases[i].count, .dim_count = 1, .dims = (int64_t[]){ cases[i].count } });
        assert_int_equal(strlen(got), cases[i].size + (cases[i].omitted ? strlen(tail) - 3 : 0));
        assert_int_equal(strstr(got, "omitted") != NULL, cases[i].omitted);
        free(got);
    }
    int64_t deep[200];
    for (size_t i = 0; i < 200; i++) deep[i] = 1;
    deep[0] = INT64_C(1) << 50; /* without elements, but with brackets for days */
    deep[199] = 0;
    char *got = text_of((tfp_tensor){ .dtype = 3, .dim_count = 200, .dims = deep });
    assert_int_equal(strlen(got), 10000 + strlen(tail));
    assert_string_equal(got + 10000, tail);
    free(got);
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
        cmocka_unit_test(bad_bundles_are_refused),
        cmocka_unit_test(types_without_values_are_names_with_a_warning),
        cmocka_unit_test(bad_slices_are_refused),
        cmocka_unit_test(variables_may_not_be_listed_twice),
        cmocka_unit_test(a_small_file_can_not_claim_to_be_much),
        cmocka_unit_test(shapes_are_known_and_of_few_dimensions),
        cmocka_unit_test(values_may_stand_in_any_field_of_their_type),
        cmocka_unit_test(bad_blocks_are_refused),
        cmocka_unit_test(bad_indexes_are_refused),
        cmocka_unit_test(blocks_must_keep_to_their_index_keys),
        cmocka_unit_test(blocks_must_follow_each_other),
        cmocka_unit_test(searches_find_every_key_and_no_other),
        cmocka_unit_test(names_can_not_fill_memory),
        cmocka_unit_test(a_bundle_cut_anywhere_is_refused),
        cmocka_unit_test(every_turned_bit_of_the_data_is_seen),
        cmocka_unit_test(turned_bits_of_a_table_never_go_unseen),
        cmocka_unit_test(missing_files_are_named),
        cmocka_unit_test(files_must_stay_as_they_were),
        cmocka_unit_test(tensors_print_as_tensorflow_prints_them),
        cmocka_unit_test(empty_tensors_and_other_types_print_little),
        cmocka_unit_test(long_tensors_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
