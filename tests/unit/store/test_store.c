// SPDX-License-Identifier: Apache-2.0
/* tests/unit/store/test_store.c: files of `tfprof convert`: invalid ones are refused, and tables and columns keep their
 * numbers. tests/golden/converted.py checks that views show the same for such a file, and the fuzz targets check it for
 * every input. */
#include "model/graphs.h"

#include "base/crc32c.h"
#include "model/tables/sources.h"
#include "store/store.h"
#include "support.h"
#include "wire/proto.h"

#include <libdeflate.h>

#define KEEP (TFP_KEEP_ALL | TFP_KEEP_PROGRAM)

/* A sample as `tfprof convert` writes it. */
static tfp_buf saved(const char *file)
{
    char path[4096];
    tfp_error err = { 0 };
    tfp_buf b = { 0 };
    tfp_profile *p = tfp_profile_new();
    snprintf(path, sizeof path, "%s/sample/%s", TEST_DATA, file);
    tfp_status s = tfp_profile_keep(p, KEEP);
    if (!s) s = tfp_profile_add_file(p, NULL, path, &err);
    if (!s) s = tfp_profile_finish(p, &err);
    if (!s) s = tfp_profile_save(p, collect, &b, &err);
    if (s) fail_msg("%s", tfp_error_message(&err));
    tfp_profile_free(p);
    return b;
}

static tfp_status open_bytes(tfp_str bytes, tfp_profile **out, tfp_error *err)
{
    tfp_profile *p = tfp_profile_new();
    tfp_status s = tfp_profile_keep(p, KEEP);
    if (!s) s = tfp_profile_add_bytes(p, "tfprof", "saved", bytes.data, bytes.size, err);
    if (!s) s = tfp_profile_finish(p, err);
    if (out && !s)
        *out = p;
    else
        tfp_profile_free(p);
    return s;
}

static tfp_str all(const tfp_buf *b) { return (tfp_str){ b->data, b->size }; }

/* The checksums cover every byte of a file. */
static void a_changed_byte_is_refused(void **state)
{
    (void)state;
    tfp_buf b = saved("traces/kineto.json");
    for (size_t i = 0; i < b.size; i++) {
        tfp_error err = { 0 };
        b.data[i] ^= 0x41;
        assert_int_not_equal(open_bytes(all(&b), NULL, &err), TFP_OK);
        assert_true(*tfp_error_message(&err));
        b.data[i] ^= 0x41;
    }
    tfp_buf_free(&b);
}

static void a_file_that_was_cut_is_refused(void **state)
{
    (void)state;
    tfp_buf b = saved("traces/kineto.json");
    for (size_t size = 8; size < b.size; size++) {
        tfp_error err = { 0 };
        assert_fails(open_bytes((tfp_str){ b.data, size }, NULL, &err), &err, TFP_BADFILE, "cut short");
    }
    tfp_buf_free(&b);
}

static void other_versions_and_byte_orders_are_refused_by_name(void **state)
{
    (void)state;
    tfp_error err = { 0 };
    tfp_buf b = saved("traces/kineto.json");
    b.data[8] = 3;
    assert_fails(open_bytes(all(&b), NULL, &err), &err, TFP_BADFILE,
                 "of version 3, where this tfprof reads versions 1 and 2");
    b.data[8] = 2;
    memcpy(b.data + 12, "\1\2\3\4", 4);
    assert_fails(open_bytes(all(&b), NULL, &err), &err, TFP_BADFILE, "another byte order");
    tfp_buf_free(&b);
}

/* A file of version 1 with an unpacked column that has one byte for each letter. */
static void a_column_that_changed_is_named(void **state)
{
    (void)state;
    tfp_error err = { 0 };
    tfp_buf b = { 0 };
    assert_int_equal(tfp_read_file(TEST_DATA "/sample/converted/version_1.tfprof", 1 << 20, &b, &err), TFP_OK);
    assert_int_equal(open_bytes(all(&b), NULL, &err), TFP_OK);
    size_t at = tfp_str_find(all(&b), TFP_STR("aten::")); /* of the first column, which has the strings */
    assert_true(at < b.size);
    b.data[at] = 'b';
    assert_fails(open_bytes(all(&b), NULL, &err), &err, TFP_BADFILE, "damaged: strings.value has another checksum");
    tfp_buf_free(&b);
}

/* A trace of 20,000 spans in three blocks, with columns that are not in the directory. */
static tfp_buf saved_long(void)
{
    tfp_error err = { 0 };
    tfp_buf text = { 0 }, b = { 0 };
    tfp_buf_text(&text, "[");
    for (int i = 0; i < 20000; i++)
        tfp_buf_printf(&text, "%s{\"ph\":\"X\",\"name\":\"f%d\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d}",
                       i ? "," : "", i % 9, i * 10, i * 7919 % 9);
    tfp_buf_text(&text, "]");
    tfp_profile *p = tfp_profile_new();
    tfp_status s = tfp_profile_keep(p, KEEP);
    if (!s) s = tfp_profile_add_bytes(p, NULL, "long.json", text.data, text.size, &err);
    if (!s) s = tfp_profile_finish(p, &err);
    if (!s) s = tfp_profile_save(p, collect, &b, &err);
    if (s) fail_msg("%s", tfp_error_message(&err));
    tfp_profile_free(p);
    tfp_buf_free(&text);
    return b;
}

static void blocks_that_changed_are_named(void **state)
{
    (void)state;
    tfp_buf b = saved_long();
    tfp_store_foot foot;
    memcpy(&foot, b.data + b.size - sizeof foot, sizeof foot);
    assert_int_equal(open_bytes(all(&b), NULL, NULL), TFP_OK);
    assert_in_range(foot.directory, 200, b.size);
    for (size_t i = sizeof(tfp_store_head); i < foot.directory; i++) {
        tfp_error err = { 0 };
        b.data[i] ^= 0x41;
        assert_fails(open_bytes(all(&b), NULL, &err), &err, TFP_BADFILE, " has another checksum: convert the original");
        assert_non_null(strstr(tfp_error_message(&err), "damaged: spans."));
        b.data[i] ^= 0x41;
    }
    tfp_buf_free(&b);
}

/* A copy of the file whose directory, from foot->directory on, is replaced. */
static void put_directory(tfp_buf *b, tfp_str directory)
{
    tfp_store_foot foot;
    memcpy(&foot, b->data + b->size - sizeof foot, sizeof foot);
    struct libdeflate_compressor *d = libdeflate_alloc_compressor(6);
    size_t room = libdeflate_deflate_compress_bound(d, directory.size);
    char *packed = malloc(room);
    size_t size = libdeflate_deflate_compress(d, directory.data, directory.size, packed, room);
    libdeflate_free_compressor(d);
    foot.entries = directory.size;
    foot.crc = tfp_crc32c(tfp_crc32c(0, b->data, sizeof(tfp_store_head)), packed, size);
    foot.crc = tfp_crc32c(foot.crc, &foot, offsetof(tfp_store_foot, crc));
    b->size = (size_t)foot.directory;
    tfp_buf_add(b, packed, size);
    tfp_buf_add(b, &foot, sizeof foot);
    free(packed);
}

/* Writes a number into a column and recomputes sizes and checksums, as an attacker would. */
static void craft(tfp_buf *b, const char *table, const char *column, size_t row, uint64_t number)
{
    tfp_store_file f = { .in = tfp_source_memory(all(b)) };
    assert_int_equal(tfp_store_read_directory(&f, NULL), TFP_OK);
    const tfp_store_entry *e = tfp_store_entry_find(&f, table, column);
    assert_true(e && !e->size && row < e->rows);
    uint64_t numbers[1024] = { 0 };
    unsigned char block[TFP_PACK_MOST];
    tfp_unpacker u;
    tfp_pack_numbers n = { numbers, NULL, (size_t)e->rows, e->width };
    assert_true(tfp_unpacker_start(&u) && tfp_unpack_block(&u, e->here, &n, numbers));
    memcpy((char *)numbers + row * e->width, &number, e->width); /* the machine is little-endian */
    size_t size = tfp_pack_split(&n, TFP_PACK_PLAIN, block), at = (size_t)(e->here.data - f.directory);
    tfp_store_foot foot;
    memcpy(&foot, b->data + b->size - sizeof foot, sizeof foot);
    tfp_buf directory = { 0 };
    tfp_buf_add(&directory, f.directory, at);
    tfp_buf_add(&directory, block, size);
    tfp_buf_add(&directory, f.directory + at + e->here.size, (size_t)foot.entries - at - e->here.size);
    put_directory(b, all(&directory));
    tfp_buf_free(&directory);
    tfp_unpacker_free(&u);
    tfp_vec_free(&f.entries);
    free(f.directory);
}

/* Directories with false sizes: each is refused with one line, before the promised memory is allocated. */
static void directories_that_lie_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        const char *told;
    } cases[] = {
        { "", 0, "entry 0 of its directory" },
        { "\1\3\0", 3, "profile.graph_file is not there" },                             /* one string and no table */
        { "\1\xff\xff\xff\xff\xff\xff\xff\xff\x7f\1", 11, "entry 0 of its directory" }, /* texts of exabytes */
        { "\xff\xff\xff\xff\x0f\3\0", 7, "entry " },                  /* an impossible number of strings */
        { "\1\3\0\xff\x7f\1\1", 7, "only a newer tfprof reads" },     /* an unknown table */
        { "\1\3\0\0\1\x80\x80\x04", 8, "only a newer tfprof reads" }, /* an unknown column */
        { "\1\3\0\0\1\1\7\0", 8, "entry " },                          /* an unknown packing method */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tfp_error err = { 0 };
        tfp_buf b = saved("traces/kineto.json");
        put_directory(&b, (tfp_str){ cases[i].bytes, cases[i].size });
        assert_fails(open_bytes(all(&b), NULL, &err), &err, TFP_BADFILE, cases[i].told);
        tfp_buf_free(&b);
    }
}

/* 4 KB that unpack to a table with more rows than the memory limit of a profile allows. */
static void tables_beyond_the_memory_of_a_profile_are_refused(void **state)
{
    (void)state;
    tfp_error err = { 0 };
    tfp_buf b = saved("traces/kineto.json"), d = { 0 };
    tfp_buf_add(&d, "\1\3\0", 3);
    tfp_buf_char(&d, TFP_TABLE_NODES);
    tfp_put_varint(&d, 100000000);
    tfp_buf_char(&d, 0);
    put_directory(&b, all(&d));
    assert_int_not_equal(open_bytes(all(&b), NULL, &err), TFP_OK);
    assert_true(*tfp_error_message(&err));
    tfp_buf_free(&d);
    tfp_buf_free(&b);
}

static void numbers_that_no_reader_makes_are_refused_behind_right_checksums(void **state)
{
    (void)state;
    static const struct {
        const char *file, *table, *column;
        size_t row;
        uint64_t number;
    } cases[] = {
        { "towers/profile_9.gz", "profile", "time_grain_ns", 0, 0 }, /* means are rounded down to multiples of it */
        { "towers/profile_9.gz", "profile", "time_grain_ns", 0, UINT64_MAX },
        { "functions/saved_model", "program_bodies", "node_first", 1, 0 },
        { "functions/saved_model", "program_bodies", "node_count", 0, 1 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tfp_error err = { 0 };
        tfp_buf b = saved(cases[i].file);
        craft(&b, cases[i].table, cases[i].column, cases[i].row, cases[i].number);
        assert_fails(open_bytes(all(&b), NULL, &err), &err, TFP_BADFILE, cases[i].table);
        tfp_buf_free(&b);
    }
}

static void nothing_but_a_checkpoint_is_added_to_it(void **state)
{
    (void)state;
    tfp_error err = { 0 };
    tfp_buf b = saved("odd/profile_5");
    tfp_profile *p = NULL;
    assert_int_equal(open_bytes(all(&b), &p, &err), TFP_OK);
    assert_fails(tfp_profile_add_file(p, NULL, TEST_DATA "/sample/odd/graph.pb", &err), &err, TFP_BADARG,
                 "convert the original files together with this one");
    tfp_profile_free(p);
    p = tfp_profile_new();
    assert_int_equal(tfp_profile_add_file(p, NULL, TEST_DATA "/sample/odd/graph.pb", &err), TFP_OK);
    assert_fails(tfp_profile_add_bytes(p, NULL, "saved", b.data, b.size, &err), &err, TFP_BADARG,
                 "convert the original files");
    tfp_profile_free(p);
    tfp_buf_free(&b);
}

static void functions_must_have_been_converted(void **state)
{
    (void)state;
    tfp_error err = { 0 };
    tfp_buf b = saved("functions/saved_model");
    tfp_profile *p = tfp_profile_new();
    tfp_profile_keep(p, KEEP | TFP_KEEP_FUNCTIONS);
    assert_fails(tfp_profile_add_bytes(p, NULL, "saved", b.data, b.size, &err), &err, TFP_BADFILE, "with --functions");
    tfp_profile_free(p);
    tfp_buf_free(&b);
}

static void a_checkpoint_alone_is_not_converted(void **state)
{
    (void)state;
    tfp_error err = { 0 };
    tfp_buf b = { 0 };
    tfp_profile *p = tfp_profile_new();
    tfp_profile_keep(p, KEEP);
    assert_int_equal(tfp_profile_add_file(p, NULL, TEST_DATA "/sample/dense/ckpt_v2/model.ckpt-3", &err), TFP_OK);
    assert_int_equal(tfp_profile_finish(p, &err), TFP_OK);
    assert_fails(tfp_profile_save(p, collect, &b, &err), &err, TFP_BADARG, "a checkpoint alone");
    assert_int_equal(b.size, 0);
    tfp_profile_free(p);
}

/* ---- the order of tables and columns ---- */

/* A table's index is its number in files, and a column's index is its bit. columns.txt has a line for each table with its columns
 * and their bytes, in this order: a new one goes to the end. */
static void tables_and_columns_keep_their_numbers(void **state)
{
    (void)state;
    tfp_buf list = { 0 }, line = { 0 };
    assert_int_equal(tfp_read_file(TEST_DATA "/../unit/store/columns.txt", 1 << 20, &list, NULL), TFP_OK);
    tfp_str rest = all(&list);
    for (size_t i = 0; i < TFP_TABLES; i++, rest.data += line.size, rest.size -= line.size) {
        const tfp_schema_table *t = &tfp_schema_tables[i];
        line.size = 0;
        tfp_buf_printf(&line, "%s:", t->name);
        for (size_t k = 0; k < t->column_count; k++) {
            const tfp_schema_column *c = &t->columns[k];
            tfp_buf_printf(&line, c->width ? " %s %zu" : " %s text", c->name, c->width);
        }
        tfp_buf_char(&line, '\n');
        if (!tfp_str_begins(rest, all(&line))) fail_msg("columns.txt lacks %.*s", (int)line.size, line.data);
    }
    assert_int_equal(rest.size, 0);
    tfp_buf_free(&line);
    tfp_buf_free(&list);
}

/* The columns of a table are stored as the bits of one number. */
static void columns_fit_into_the_directory(void **state)
{
    (void)state;
    for (size_t i = 0; i < TFP_TABLES; i++) assert_true(tfp_schema_tables[i].column_count < 64);
}

/* ---- the model ---- */

static void cover(bool *covered, size_t at, size_t size) { memset(covered + at, true, size); }

/* Marks the bytes of a row that are stored in a column, or computed when the file is read. */
static void cover_row(bool *covered, const tfp_schema_table *t)
{
    for (size_t k = 0; k < t->column_count; k++) {
        const tfp_schema_column *c = &t->columns[k];
        size_t text = c->rule == TFP_RULE_BYTES ? sizeof(tfp_str) : sizeof(char *);
        cover(covered, c->at, c->width ? c->width : text);
    }
    if (t == &tfp_schema_tables[TFP_TABLE_PROGRAM_ATTRS])
        cover(covered, offsetof(tfp_program_attr, text), sizeof(tfp_str)); /* stored in a table of its own */
}

/* A field of a struct that is written in C (schema/written.def) would be lost silently without its column. Padding has
 * less than 8 bytes. */
static void every_field_of_a_row_has_its_column(void **state)
{
    (void)state;
    for (size_t i = 0; i < TFP_TABLES; i++) {
        const tfp_schema_table *t = &tfp_schema_tables[i];
        bool covered[256] = { false };
        if (t->form != TFP_FORM_ROWS || !tfp_table_is_of_program(t)) continue;
        assert_true(t->item <= sizeof covered);
        cover_row(covered, t);
        for (size_t at = 0, bare = 0; at < t->item; at++) {
            bare = covered[at] ? 0 : bare + 1;
            if (bare >= 8) fail_msg("%s: no column holds the bytes before %zu of a row", t->name, at + 1);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_changed_byte_is_refused),
        cmocka_unit_test(a_file_that_was_cut_is_refused),
        cmocka_unit_test(other_versions_and_byte_orders_are_refused_by_name),
        cmocka_unit_test(a_column_that_changed_is_named),
        cmocka_unit_test(blocks_that_changed_are_named),
        cmocka_unit_test(directories_that_lie_are_refused),
        cmocka_unit_test(tables_beyond_the_memory_of_a_profile_are_refused),
        cmocka_unit_test(numbers_that_no_reader_makes_are_refused_behind_right_checksums),
        cmocka_unit_test(nothing_but_a_checkpoint_is_added_to_it),
        cmocka_unit_test(functions_must_have_been_converted),
        cmocka_unit_test(a_checkpoint_alone_is_not_converted),
        cmocka_unit_test(tables_and_columns_keep_their_numbers),
        cmocka_unit_test(columns_fit_into_the_directory),
        cmocka_unit_test(every_field_of_a_row_has_its_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
