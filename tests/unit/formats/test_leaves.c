// SPDX-License-Identifier: Apache-2.0
/* tests/unit/formats/test_leaves.c: rows that are read from a SQLite file's pages are those that SQLite itself reads. */
#include "formats/sqlite/db.h"
#include "support.h"

#include <stdio.h>

static void make(const char *path, const char *sql)
{
    const sql_api *api;
    sqlite3 *db;
    assert_int_equal(sql_api_load(&api, NULL), TFP_OK);
    assert_int_equal(api->open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL), SQLITE_OK);
    assert_int_equal(api->exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    api->close(db);
}

/* Writes the values of all rows as text. */
static tfp_status all_rows(tfp_db *d, const char *columns, tfp_buf *out, bool *direct)
{
    tfp_db_rows rows;
    tfp_status s = tfp_db_start(&rows, d, "t", columns, NULL);
    *direct = rows.direct;
    while (!s && tfp_db_next(&rows)) {
        for (int i = 0; i < rows.count; i++) {
            int64_t n;
            tfp_str text;
            bool is_int = tfp_db_int(&rows, i, &n), is_text = tfp_db_text(&rows, i, &text);
            tfp_buf_printf(out, "%d %lld %d ", is_int, (long long)n, is_text);
            tfp_buf_add(out, text.data, text.size);
            tfp_buf_add(out, "|", 1);
        }
        tfp_buf_add(out, "\n", 1);
    }
    return tfp_db_end(&rows, s, NULL);
}

static bool reads_alike(const char *path, const char *columns)
{
    tfp_buf rows[2] = { { 0 }, { 0 } };
    bool direct[2];
    for (int i = 0; i < 2; i++) {
        tfp_input in;
        tfp_db d;
        assert_int_equal(tfp_input_open(&in, path, NULL), TFP_OK);
        assert_int_equal(tfp_db_open(&d, &in, NULL), TFP_OK);
        if (i) d.has_pages = false;
        assert_int_equal(all_rows(&d, columns, &rows[i], &direct[i]), TFP_OK);
        tfp_db_close(&d);
        tfp_input_close(&in);
    }
    assert_false(direct[1]);
    assert_true(rows[0].size > 0);
    assert_int_equal(rows[0].size, rows[1].size);
    assert_memory_equal(rows[0].data, rows[1].data, rows[0].size);
    for (int i = 0; i < 2; i++) tfp_buf_free(&rows[i]);
    return direct[0];
}

#define MANY "WITH RECURSIVE n(i) AS (VALUES(0) UNION ALL SELECT i + 1 FROM n WHERE i < 20000) INSERT INTO t SELECT "

static void check(const char *sql, const char *columns, bool direct)
{
    char path[300];
    char *folder = new_folder();
    snprintf(path, sizeof path, "%s/db", folder);
    make(path, sql);
    assert_int_equal(reads_alike(path, columns), direct);
    drop_folder(folder);
}

/* All sizes of numbers, texts on overflow pages, and a tree of several levels of small and of large pages. */
static void values_of_all_types_are_those_of_sqlite(void **state)
{
    (void)state;
    static const int pages[] = { 512, 4096, 65536 };
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        char sql[1000];
        snprintf(
            sql, sizeof sql,
            "PRAGMA page_size=%d; CREATE TABLE t(id INTEGER PRIMARY KEY, a, b TEXT, c INTEGER, d, e);" MANY
            "i * 3, CASE i %% 11 WHEN 0 THEN NULL WHEN 1 THEN 0 WHEN 2 THEN 1 WHEN 3 THEN -i WHEN 4 THEN i * 7 WHEN 5 "
            "THEN i << 20 WHEN 6 THEN -(i << 30) WHEN 7 THEN i << 45 WHEN 8 THEN i * 0.5 WHEN 9 THEN x'00ff' ELSE '17' "
            "END, CASE WHEN i %% 97 = 0 THEN printf('%%.*c', i, 'x') ELSE 'n' || i END, i, 'end', -9223372036854775807 "
            "+ i "
            "FROM n; DELETE FROM t WHERE id %% 5 = 0;",
            pages[i]);
        check(sql, "id a b c d e missing a", true);
        check(sql, "B ID", true);
    }
}

static void rows_older_than_a_column_have_its_default(void **state)
{
    (void)state;
    static const char none[] = "CREATE TABLE t(a, b);" MANY "i, 'x' || i FROM n; ALTER TABLE t ADD c;"
                               "INSERT INTO t VALUES(1, 2, 3);";
    static const char seven[] = "CREATE TABLE t(a, b);" MANY "i, 'x' || i FROM n; ALTER TABLE t ADD c DEFAULT 7;";
    check(none, "a b c", true);
    check(seven, "a b c", false);
    check(seven, "a b", true);
}

/* SQLite reads tables whose stored values are not what a query of them gives. */
static void other_tables_are_left_to_sqlite(void **state)
{
    (void)state;
    check("CREATE TABLE t(a INTEGER PRIMARY KEY, b) WITHOUT ROWID;" MANY "i, 'x' || i FROM n;", "a b", false);
    check("CREATE TABLE t(a REAL, b);" MANY "i, 'x' || i FROM n;", "a b", false);
    check("CREATE TABLE t(a, b AS (a + 1), c);" MANY "i, 'x' || i FROM n;", "a b c", false);
    check("PRAGMA encoding='UTF-16'; CREATE TABLE t(a, b);" MANY "i, 'x' || i FROM n;", "a b", false);
    check("CREATE TABLE t(a, b);" MANY "i, 'x' || i FROM n;", "rowid a b", false);
}

/* A page of the tree that is written over is an error, or has other rows; it never reads beyond its page. */
static void damaged_pages_end_the_rows(void **state)
{
    (void)state;
    char path[300];
    char *folder = new_folder();
    tfp_buf whole = { 0 };
    unsigned seed = 7;
    size_t failed = 0;
    snprintf(path, sizeof path, "%s/db", folder);
    make(path, "PRAGMA page_size=512; CREATE TABLE t(a, b);" MANY "i, printf('%.*c', i % 1200, 'x') FROM n LIMIT 900;");
    assert_int_equal(tfp_read_file(path, 64 << 20, &whole, NULL), TFP_OK);
    for (int i = 0; i < 300; i++) {
        tfp_input in;
        tfp_db d;
        tfp_buf rows = { 0 }, own = { 0 };
        bool direct;
        tfp_buf_add(&own, whole.data, whole.size);
        for (int k = 0; k < 40; k++) {
            seed = seed * 1103515245 + 12345;
            size_t page = 1 + (seed >> 8) % (whole.size / 512 - 1), at = (seed >> 4) % 24;
            own.data[page * 512 + at] = (char)(seed >> 16);
        }
        assert_int_equal(tfp_input_memory(&in, "db", own.data, own.size, NULL), TFP_OK);
        assert_int_equal(tfp_db_open(&d, &in, NULL), TFP_OK);
        failed += all_rows(&d, "a b", &rows, &direct) != TFP_OK;
        tfp_db_close(&d);
        tfp_input_close(&in);
        tfp_buf_free(&rows);
        tfp_buf_free(&own);
    }
    assert_true(failed > 200);
    tfp_buf_free(&whole);
    drop_folder(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_all_types_are_those_of_sqlite),
        cmocka_unit_test(rows_older_than_a_column_have_its_default),
        cmocka_unit_test(other_tables_are_left_to_sqlite),
        cmocka_unit_test(damaged_pages_end_the_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
