// SPDX-License-Identifier: Apache-2.0
/* tests/unit/sql/test_query.c: values for the parameters of a query, the errno that goes with a message,
 * places of columns. */
#include "sql/tables.h"
#include "support.h"

#include <errno.h>

static tfp_report *answer(tfp_options *o, const char *sql)
{
    tfp_error err = { 0 };
    tfp_report *r = NULL;
    tfp_profile *p = tfp_profile_new();
    assert_int_equal(tfp_profile_finish(p, &err), TFP_OK);
    const tfp_profile *const one[] = { p };
    if (tfp_query(one, NULL, 1, sql, o, &r, &err) != TFP_OK) fail_msg("%s: %s", sql, err.text);
    tfp_profile_free(p);
    return r;
}

static void refused(tfp_options *o, const char *sql, const char *words)
{
    tfp_error err = { 0 };
    tfp_report *r = NULL;
    tfp_profile *p = tfp_profile_new();
    assert_int_equal(tfp_profile_finish(p, &err), TFP_OK);
    const tfp_profile *const one[] = { p };
    assert_int_equal(tfp_query(one, NULL, 1, sql, o, &r, &err), TFP_BADARG);
    assert_null(r);
    if (!strstr(err.text, words)) fail_msg("%s", err.text);
    tfp_profile_free(p);
}

static void values_reach_their_parameters(void **state)
{
    (void)state;
    tfp_options *o = tfp_options_new();
    assert_int_equal(tfp_options_bind_int(o, "1", INT64_MIN, NULL), TFP_OK);
    assert_int_equal(tfp_options_bind_real(o, "half", 0.5, NULL), TFP_OK);
    assert_int_equal(tfp_options_bind_text(o, "@t", "o'x", 3, NULL), TFP_OK);
    assert_int_equal(tfp_options_bind_text(o, "none", NULL, 0, NULL), TFP_OK);
    assert_int_equal(tfp_options_bind_int(o, "half", 3, NULL), TFP_OK); /* set twice: the last value counts */
    assert_int_equal(tfp_options_bind_real(o, "half", 0.25, NULL), TFP_OK);
    tfp_options *copy = tfp_options_copy(o);
    tfp_options_free(o);
    tfp_report *r = answer(copy, "SELECT ? AS i, :half AS r, @t AS s, $none AS n");
    int64_t whole = 0;
    double real = 0;
    char text[8];
    assert_true(tfp_report_int(r, 0, "i", &whole) && whole == INT64_MIN);
    assert_true(tfp_report_real(r, 0, "r", &real) && real == 0.25);
    assert_int_equal(tfp_report_string(r, 0, "s", text, sizeof text), 3);
    assert_string_equal(text, "o'x");
    assert_true(tfp_report_absent(r, 0, "n"));
    tfp_report_free(r);
    tfp_options_free(copy);
}

static void each_has_one(void **state)
{
    (void)state;
    tfp_options *o = tfp_options_new();
    refused(o, "SELECT ?, ?", "no value for parameter 1 of 2");
    refused(o, "SELECT :us", "no value for the parameter :us");
    assert_int_equal(tfp_options_bind_int(o, "2", 1, NULL), TFP_OK);
    refused(o, "SELECT ?, ?", "no value for parameter 1 of 2");
    refused(o, "SELECT ?", "a value for 2");
    assert_int_equal(tfp_options_bind_int(o, "0", 1, NULL), TFP_OK);
    refused(o, "SELECT ?, ?", "a value for 0");
    assert_int_equal(tfp_options_bind_int(o, "", 1, NULL), TFP_BADARG);
    assert_int_equal(tfp_options_bind_int(NULL, "1", 1, NULL), TFP_BADARG);
    assert_int_equal(tfp_options_bind_text(NULL, "1", "x", 1, NULL), TFP_BADARG);
    assert_int_equal(tfp_options_bind_real(o, NULL, 1, NULL), TFP_BADARG);
    tfp_options_free(o);
}

static void an_error_knows_its_errno(void **state)
{
    (void)state;
    tfp_error *err = tfp_error_new();
    tfp_profile *p = tfp_profile_new();
    assert_int_equal(tfp_profile_add_file(p, "profile", "/nothing/here", err), TFP_BADFILE);
    assert_int_equal(tfp_error_errno(err), ENOENT);
    assert_int_equal(tfp_profile_add_file(p, "checkpoint", "/nothing/here", err), TFP_BADFILE);
    assert_int_equal(tfp_error_errno(err), ENOENT);
    assert_int_equal(tfp_write_file("/nothing/here", "x", 1, err), TFP_BADOUTPUT);
    assert_int_equal(tfp_error_errno(err), ENOENT);
    assert_int_equal(tfp_profile_add_bytes(p, NULL, "x", "\xff\xff", 2, err), TFP_BADFILE);
    assert_int_equal(tfp_error_errno(err), 0);
    assert_int_equal(tfp_error_errno(NULL), 0);
    tfp_profile_free(p);
    tfp_error_free(err);
}

/* A column says its place itself (schema/words.h): a free place would end the list before the columns behind it. */
static void no_place_among_columns_is_free(void **state)
{
    (void)state;
    for (const sql_table *t = sql_tables; t < sql_tables + SQL_TABLE_COUNT; t++) {
        size_t count = 0;
        while (t->columns[count].name) count++;
        for (size_t i = count; i < SQL_COLUMN_MOST; i++)
            if (t->columns[i].name)
                fail_msg("%s: column %zu is %s, %zu is free", t->name, i, t->columns[i].name, count);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_reach_their_parameters),
        cmocka_unit_test(each_has_one),
        cmocka_unit_test(an_error_knows_its_errno),
        cmocka_unit_test(no_place_among_columns_is_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
