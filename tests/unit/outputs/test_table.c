// SPDX-License-Identifier: Apache-2.0
/* tests/unit/outputs/test_table.c: a report as a flat table: its columns and single cells. */
#include "model/tables/profile.h"

#include "model/tables/runs.h"
#include "views/core/table.h"
#include "outputs/data/arrow.h"
#include "table_parts.h"

/* tfp_report_value is deprecated, and stays. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* ---- the table ---- */

static void every_column_of_select_has_flat_columns(void **state)
{
    (void)state;
    tfp_report *r = report_of("scope", net, "");
    for (int c = 0; c < tfp_column_count; c++) {
        char name[64];
        const char *plain = c == TFP_C_OCCURRENCE ? "runs" : tfp_columns[c].name;
        const tfp_table_column *f = tfp_table_find(r, plain);
        if (!f) fail_msg("no flat column %s", plain);
        assert_int_equal(f->select, c);
        int value = tfp_value_of(&tfp_columns[c]);
        if (value < 0) continue;
        assert_int_equal(f->value, value);
        snprintf(name, sizeof name, "total_%s", plain);
        if (!(f = tfp_table_find(r, name))) fail_msg("no flat column %s", name);
        assert_int_equal(f->select, c);
        assert_int_equal(f->value, value);
    }
    drop_report(r);
}

static void rows_of_a_list_are_below_its_root(void **state)
{
    (void)state;
    tfp_report *r = report_of("op", net, "max_depth 10");
    size_t rows = tfp_report_table_rows(r);
    assert_true(rows > 2);
    assert_int_equal(rows, tfp_report_row_count(r));
    for (size_t row = 1; row < rows; row++) {
        int64_t parent = -1;
        assert_int_equal(tfp_report_int(r, row, "parent", &parent), 1);
        assert_int_equal(parent, 0);
    }
    drop_report(r);
}

static void the_names_of_a_table_are_those_of_its_columns(void **state)
{
    (void)state;
    static const char *const views[] = { "scope", "op", "advise" };
    for (size_t v = 0; v < 3; v++) {
        tfp_report *r = report_of(views[v], net, "select micros,device");
        tfp_column_vec columns = { 0 };
        assert_true(tfp_table_columns(r, false, &columns));
        for (size_t i = 0; i < columns.size; i++) assert_string_equal(columns.at[i].name, tfp_table_name(r, i));
        assert_null(tfp_table_name(r, columns.size));
        tfp_vec_free(&columns);
        assert_true(tfp_table_columns(r, true, &columns));
        assert_int_equal(columns.size, v == 2 ? 7 : 8); /* with `accounted`, which CSV has not */
        tfp_vec_free(&columns);
        drop_report(r);
    }
}

/* A profile with finer times: 12,345 ns and 500 ns. */
static tfp_report *fine_report(const char *options, tfp_error *err)
{
    tfp_profile *p = profile_of("a/x Conv2D 3us\na/y MatMul 4us\n");
    p->about.time_grain_ns = 1;
    p->runs->execs.at[0].cpu_ns = 12345;
    p->runs->execs.at[1].cpu_ns = 500;
    tfp_options *o = tfp_options_new();
    tfp_report *r = NULL;
    assert_int_equal(tfp_options_set(o, "select", "micros,flops_per_second", err), TFP_OK);
    if (*options) assert_int_equal(tfp_options_set(o, "min_micros", options, err), TFP_OK);
    assert_int_equal(tfp_report_build(p, "scope", o, &r, err), TFP_OK);
    tfp_options_free(o);
    return r;
}

static void times_below_a_microsecond_are_kept(void **state)
{
    (void)state;
    static const struct {
        const char *output, *part;
    } wanted[] = { { "text", "a (0us/12us, 0us/0us, 0us/12us" },
                   { "json",
                     "\"name\":\"a/x\",\"accounted\":true,\"exec_micros\":12.345,\"total_exec_micros\":12.345" },
                   { "csv", "a/y,3,1,2,0,0,0.5,0.5\r\n" },
                   { "md", "| 12.3 \xc2\xb5s | 12.3 \xc2\xb5s |" } };
    tfp_report *r = fine_report("", NULL);
    double x = 0;
    int64_t n = 0;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        char *text = written(r, wanted[i].output);
        if (!strstr(text, wanted[i].part)) fail_msg("%s lacks %s:\n%s", wanted[i].output, wanted[i].part, text);
        free(text);
    }
    assert_int_equal(tfp_report_column_type(r, "total_micros"), 'r');
    assert_int_equal(tfp_report_real(r, 0, "total_micros", &x), 1);
    assert_true(x == 12.845);
    assert_int_equal(tfp_report_int(r, 0, "total_micros", &n), 0);
    assert_int_equal(tfp_report_value(r, 0, "micros", 1), 12);
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    assert_int_equal(tfp_report_arrow(r, &stream, NULL), TFP_OK);
    assert_int_equal(stream.get_schema(&stream, &schema), 0);
    for (int64_t i = 0; i < schema.n_children; i++)
        if (strstr(schema.children[i]->name, "micros")) assert_string_equal(schema.children[i]->format, "g");
    schema.release(&schema);
    tfp_arrow_release(&stream);
    drop_report(r);
}

static void minimums_of_time_are_microseconds(void **state)
{
    (void)state;
    tfp_report *r = fine_report("12", NULL);
    assert_true(has_row(r, "a/x"));
    assert_false(has_row(r, "a/y"));
    drop_report(r);
    r = fine_report("13", NULL);
    assert_false(has_row(r, "a/x"));
    drop_report(r);
}

static void columns_are_named_in_the_order_of_csv(void **state)
{
    (void)state;
    static const char *const views[] = { "scope", "graph", "op", "advise" };
    for (size_t v = 0; v < sizeof views / sizeof *views; v++) {
        tfp_report *r = report_of(views[v], net, EVERY_COLUMN);
        char *csv = written(r, "csv");
        tfp_buf names = { 0 };
        for (size_t i = 0; tfp_report_column(r, i); i++) {
            if (i) tfp_buf_char(&names, ',');
            tfp_buf_text(&names, tfp_report_column(r, i));
        }
        assert_memory_equal(csv, names.data, names.size);
        assert_int_equal(csv[names.size], '\r');
        tfp_buf_free(&names);
        free(csv);
        drop_report(r);
    }
    assert_null(tfp_report_column(NULL, 0));
}

/* ---- cells ---- */

static int64_t int_at(const tfp_report *r, size_t row, const char *column)
{
    int64_t n = 0;
    if (!tfp_report_int(r, row, column, &n)) fail_msg("row %zu has no %s", row, column);
    return n;
}

static void cells_are_there_whatever_is_selected(void **state)
{
    (void)state;
    tfp_report *r = report_of("scope", net, "select micros format json");
    size_t x = 2; /* _TFProfRoot a a/x a/y b */
    is(string_at(r, x, "name"), "a/x");
    is(string_at(r, x, "device"), "/job:localhost/replica:0/task:0/device:cpu:0");
    is(string_at(r, x, "op_types"), "/job:localhost/replica:0/task:0/device:cpu:0|Conv2D|mine");
    is(string_at(r, x, "shape"), "2x3");
    is(string_at(r, x + 1, "shape"), "");
    is(string_at(r, x + 1, "input_shapes"), "0:unknown");
    is(string_at(r, 0, "op_types"), "");
    assert_int_equal(int_at(r, x, "row"), 2);
    assert_int_equal(int_at(r, x, "parent"), 1);
    assert_int_equal(int_at(r, x, "depth"), 2);
    assert_int_equal(int_at(r, x, "accounted"), 1);
    assert_int_equal(int_at(r, 0, "accounted"), 0);
    assert_int_equal(int_at(r, x, "micros"), 3);
    assert_int_equal(int_at(r, 1, "micros"), 0);
    assert_int_equal(int_at(r, 1, "total_micros"), 7);
    assert_int_equal(int_at(r, 0, "total_bytes"), 5);
    assert_int_equal(int_at(r, 0, "total_params"), 6);
    assert_int_equal(int_at(r, x, "float_ops"), 7);
    assert_int_equal(int_at(r, 0, "total_runs"), 2);
    assert_int_equal(int_at(r, 0, "total_definitions"), 4); /* the generated parent too */
    assert_int_equal(int_at(r, x, "num_hidden_ops"), 0);
    drop_report(r);
}

static void cells_that_are_not_there_are_told_apart(void **state)
{
    (void)state;
    tfp_report *r = report_of("scope", net, "select micros");
    int64_t n = 77;
    char text[8] = "before";
    assert_int_equal(tfp_report_int(r, 0, "parent", &n), 0);
    assert_int_equal(tfp_report_int(r, 1, "bytes", &n), 0); /* not computed */
    assert_int_equal(tfp_report_int(r, 1, "name", &n), 0);
    assert_int_equal(tfp_report_int(r, 1, "nothing", &n), 0);
    assert_int_equal(tfp_report_int(r, 99, "micros", &n), 0);
    assert_int_equal(tfp_report_int(r, SIZE_MAX, "micros", &n), 0);
    assert_int_equal(tfp_report_int(r, 1, NULL, &n), 0);
    assert_int_equal(tfp_report_int(NULL, 1, "micros", &n), 0);
    assert_int_equal(tfp_report_int(r, 1, "micros", NULL), 1);
    assert_int_equal(n, 77);
    assert_int_equal(tfp_report_string(r, 99, "name", text, sizeof text), 0);
    assert_string_equal(text, "");
    assert_int_equal(tfp_report_string(r, 1, "micros", text, sizeof text), 0);
    assert_int_equal(tfp_report_string(NULL, 1, "name", text, sizeof text), 0);
    assert_int_equal(tfp_report_string(r, 2, NULL, NULL, 0), 0);
    assert_int_equal(tfp_report_column_type(r, "name"), 's');
    assert_int_equal(tfp_report_column_type(r, "total_bytes"), 'i');
    assert_int_equal(tfp_report_column_type(r, "accounted"), 'b');
    assert_int_equal(tfp_report_column_type(r, "report"), 0); /* only advise has this column */
    assert_int_equal(tfp_report_column_type(r, NULL), 0);
    assert_int_equal(tfp_report_column_type(NULL, "name"), 0);
    drop_report(r);
}

static void texts_are_escaped_and_cut_at_characters(void **state)
{
    (void)state;
    tfp_report *r = report_of("scope", "a\x1b\xc3\xa9z Const\n", "");
    char text[7];
    assert_int_equal(tfp_report_string(r, 1, "name", text, sizeof text), strlen("a\\x1b\xc3\xa9z"));
    assert_string_equal(text, "a\\x1b"); /* no room: the next character needs two bytes */
    assert_int_equal(tfp_report_string(r, 1, "name", text, 1), 8);
    assert_string_equal(text, "");
    drop_report(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_column_of_select_has_flat_columns),
        cmocka_unit_test(rows_of_a_list_are_below_its_root),
        cmocka_unit_test(the_names_of_a_table_are_those_of_its_columns),
        cmocka_unit_test(times_below_a_microsecond_are_kept),
        cmocka_unit_test(minimums_of_time_are_microseconds),
        cmocka_unit_test(columns_are_named_in_the_order_of_csv),
        cmocka_unit_test(cells_are_there_whatever_is_selected),
        cmocka_unit_test(cells_that_are_not_there_are_told_apart),
        cmocka_unit_test(texts_are_escaped_and_cut_at_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
