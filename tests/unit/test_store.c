// SPDX-License-Identifier: Apache-2.0
/* tests/unit/test_store.c: files of `tfprof convert`: what is refused, and that docs/formats.md names all that is in them.
 * That views tell the same from them is checked by tests/golden/converted.py and, of every input, by the fuzz targets. */
#include "model/graphs.h"

#include "base/crc32c.h"
#include "model/tables/sources.h"
#include "store/store.h"
#include "support.h"

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

/* Only bytes between columns may change without notice: they are no part of anything. */
static void a_changed_byte_is_refused_or_changes_nothing(void **state)
{
    (void)state;
    tfp_buf b = saved("traces/kineto.json");
    size_t taken = 0;
    for (size_t i = 0; i < b.size; i++) {
        tfp_error err = { 0 };
        tfp_profile *p = NULL;
        tfp_buf again = { 0 };
        b.data[i] ^= 0x41;
        if (open_bytes(all(&b), &p, &err)) {
            assert_true(*tfp_error_message(&err));
        } else {
            assert_int_equal(tfp_profile_save(p, collect, &again, NULL), TFP_OK);
            assert_int_equal(b.data[i], 0x41); /* it was padding */
            again.data[i] ^= 0x41;
            assert_true(tfp_str_eq(all(&again), all(&b)));
            taken++;
        }
        b.data[i] ^= 0x41;
        tfp_profile_free(p);
        tfp_buf_free(&again);
    }
    assert_true(taken < b.size / 4);
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
    b.data[8] = 2;
    assert_fails(open_bytes(all(&b), NULL, &err), &err, TFP_BADFILE, "of version 2, where this tfprof reads version 1");
    b.data[8] = 1;
    memcpy(b.data + 12, "\1\2\3\4", 4);
    assert_fails(open_bytes(all(&b), NULL, &err), &err, TFP_BADFILE, "another byte order");
    tfp_buf_free(&b);
}

static void a_column_that_changed_is_named(void **state)
{
    (void)state;
    tfp_error err = { 0 };
    tfp_buf b = saved("traces/kineto.json");
    size_t at = tfp_str_find(all(&b), TFP_STR("aten::")); /* of the first column: the strings */
    assert_true(at < b.size);
    b.data[at] = 'b';
    assert_fails(open_bytes(all(&b), NULL, &err), &err, TFP_BADFILE, "damaged: strings.value has another checksum");
    tfp_buf_free(&b);
}

/* Puts a number into a column and makes the checksums fit, as whoever crafts a file would. */
static void craft(tfp_buf *b, const char *table, const char *column, size_t row, uint64_t number)
{
    tfp_store_foot foot;
    tfp_store_entry e;
    char *end = b->data + b->size - sizeof foot, *at;
    memcpy(&foot, end, sizeof foot);
    for (at = b->data + foot.directory; at < end; at += sizeof e) {
        memcpy(&e, at, sizeof e);
        if (strcmp(e.table, table) == 0 && strcmp(e.column, column) == 0) break;
    }
    assert_true(at < end && row < e.rows);
    memcpy(b->data + e.offset + row * e.width, &number, e.width); /* the machine has the lowest byte first */
    e.crc = tfp_crc32c(0, b->data + e.offset, (size_t)e.size);
    memcpy(at, &e, sizeof e);
    foot.crc = tfp_crc32c(0, b->data, sizeof(tfp_store_head));
    foot.crc = tfp_crc32c(foot.crc, b->data + foot.directory, (size_t)foot.entries * sizeof e);
    foot.crc = tfp_crc32c(foot.crc, &foot, offsetof(tfp_store_foot, crc));
    memcpy(end, &foot, sizeof foot);
}

static void numbers_that_no_reader_makes_are_refused_behind_right_checksums(void **state)
{
    (void)state;
    static const struct {
        const char *file, *table, *column;
        size_t row;
        uint64_t number;
    } cases[] = {
        { "towers/profile_9.gz", "profile", "time_grain_ns", 0, 0 }, /* means are cut to multiples of it */
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
                 "convert it again, together with this file");
    tfp_profile_free(p);
    p = tfp_profile_new();
    assert_int_equal(tfp_profile_add_file(p, NULL, TEST_DATA "/sample/odd/graph.pb", &err), TFP_OK);
    assert_fails(tfp_profile_add_bytes(p, NULL, "saved", b.data, b.size, &err), &err, TFP_BADARG, "convert it again");
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

/* ---- the document ---- */

/* Lines that go on are one line. */
static tfp_buf document(void)
{
    tfp_buf text = { 0 }, doc = { 0 };
    assert_int_equal(tfp_read_file(TEST_DATA "/../../docs/formats.md", 1 << 20, &text, NULL), TFP_OK);
    for (size_t i = 0; i < text.size; i++) {
        bool goes_on = i + 3 < text.size && memcmp(text.data + i, "\n  ", 3) == 0;
        tfp_buf_char(&doc, goes_on ? ' ' : text.data[i]);
        i += goes_on ? 2 : 0;
    }
    tfp_buf_free(&text);
    return doc;
}

static void the_document_names_every_column(void **state)
{
    (void)state;
    tfp_buf doc = document();
    for (size_t i = 0; i < TFP_STORE_TABLES; i++) {
        const tfp_store_table *t = &tfp_store_tables[i];
        char begin[64], cell[64];
        snprintf(begin, sizeof begin, "\n- `%s`:", t->name);
        size_t at = tfp_str_find(all(&doc), tfp_str_of(begin));
        if (at == SIZE_MAX) fail_msg("docs/formats.md lacks the table %s", t->name);
        tfp_str rest = { doc.data + at + 1, doc.size - at - 1 };
        size_t end = tfp_str_find(rest, TFP_STR("\n- `")), last = tfp_str_find(rest, TFP_STR("\n\n"));
        tfp_str line = { rest.data, end < last ? end : last };
        for (size_t k = 0; k < t->column_count; k++) {
            const tfp_store_column *c = &t->columns[k];
            if (c->width)
                snprintf(cell, sizeof cell, "`%s` %zu", c->name, c->width);
            else
                snprintf(cell, sizeof cell, "`%s` text", c->name);
            if (!tfp_str_has(line, tfp_str_of(cell))) fail_msg("docs/formats.md: %s lacks %s", t->name, cell);
        }
    }
    tfp_buf_free(&doc);
}

/* Names in the directory are cut at their fields' ends. */
static void names_fit_into_the_directory(void **state)
{
    (void)state;
    for (size_t i = 0; i < TFP_STORE_TABLES; i++) {
        assert_true(strlen(tfp_store_tables[i].name) < sizeof((tfp_store_entry *)0)->table);
        for (size_t k = 0; k < tfp_store_tables[i].column_count; k++)
            assert_true(strlen(tfp_store_tables[i].columns[k].name) < sizeof((tfp_store_entry *)0)->column);
    }
}

/* ---- the model ---- */

static void cover(bool *covered, size_t at, size_t size) { memset(covered + at, true, size); }

/* The bytes of a row that a column holds, or that are made when the file is read. */
static void cover_row(bool *covered, const tfp_store_table *t)
{
    for (size_t k = 0; k < t->column_count; k++) {
        const tfp_store_column *c = &t->columns[k];
        size_t text = c->rule == TFP_STORE_BYTES ? sizeof(tfp_str) : sizeof(char *);
        cover(covered, c->at, c->width ? c->width : text);
    }
    if (t->chain.there) cover(covered, t->chain.next, sizeof(uint32_t));
    for (size_t k = 0; k < TFP_STORE_TABLES; k++) {
        const tfp_store_chain *c = &tfp_store_tables[k].chain;
        if (!c->there || &tfp_store_tables[c->owner] != t) continue;
        cover(covered, c->first, sizeof(uint32_t));
        cover(covered, c->last, sizeof(uint32_t));
    }
    if (t == &tfp_store_tables[TFP_STORE_WARNINGS]) {
        cover(covered, offsetof(tfp_warning, told), sizeof(size_t));
        cover(covered, offsetof(tfp_warning, line), sizeof(char *));
    }
    if (t == &tfp_store_tables[TFP_STORE_ATTRIBUTIONS]) {
        cover(covered, offsetof(tfp_attribution, place), sizeof(uint32_t)); /* both are of the join, which is over */
        cover(covered, offsetof(tfp_attribution, captured), sizeof(uint32_t));
    }
    if (t == &tfp_store_tables[TFP_STORE_PROGRAM_ATTRS])
        cover(covered, offsetof(tfp_program_attr, text), sizeof(tfp_str)); /* a table of its own */
}

/* A field that is added to the model and not to the list would be lost without a word. Padding has less than 8 bytes. */
static void every_field_of_a_row_has_its_column(void **state)
{
    (void)state;
    for (size_t i = 0; i < TFP_STORE_TABLES; i++) {
        const tfp_store_table *t = &tfp_store_tables[i];
        bool covered[256] = { false };
        if (t->form != TFP_STORE_ROWS) continue;
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
        cmocka_unit_test(a_changed_byte_is_refused_or_changes_nothing),
        cmocka_unit_test(a_file_that_was_cut_is_refused),
        cmocka_unit_test(other_versions_and_byte_orders_are_refused_by_name),
        cmocka_unit_test(a_column_that_changed_is_named),
        cmocka_unit_test(numbers_that_no_reader_makes_are_refused_behind_right_checksums),
        cmocka_unit_test(nothing_but_a_checkpoint_is_added_to_it),
        cmocka_unit_test(functions_must_have_been_converted),
        cmocka_unit_test(a_checkpoint_alone_is_not_converted),
        cmocka_unit_test(the_document_names_every_column),
        cmocka_unit_test(names_fit_into_the_directory),
        cmocka_unit_test(every_field_of_a_row_has_its_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
