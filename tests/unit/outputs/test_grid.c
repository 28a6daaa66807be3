// SPDX-License-Identifier: Apache-2.0
/* tests/unit/outputs/test_grid.c: tables that a report defines itself, in every output. */
#include "support.h"

#include "outputs/data/arrow.h"
#include "views/core/table.h"

/* tfp_report_value is deprecated, and stays. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* A tree of three rows without a profile: a number, a real, a text and a boolean, some of them absent. */
static tfp_report *made_grid(bool tree)
{
    tfp_report *r = tfp_report_new("test", NULL);
    assert_non_null(r);
    r->grid->row_count = 3;
    r->grid->tree = tree;
    static const char *const names[] = { "_TFProfRoot", "=a|b", "=a|b/\x01\xff" };
    for (uint32_t i = 0; i < 3 && tree; i++) {
        tfp_row row = { .name = tfp_str_of(names[i]), .parent = i ? i - 1 : 0, .depth = i };
        assert_true(tfp_push(&r->tree->rows, row));
    }
    tfp_table_column columns[] = {
        { .name = "n,1", .type = 'i', .unit = TFP_MICROS },
        { .name = "=x\"y", .type = 'r', .unit = TFP_SIZE },
        { .name = "s", .type = 's', .unit = TFP_LABEL },
        { .name = "b", .type = 'b', .unit = TFP_LABEL },
    };
    for (size_t i = 0; i < 4; i++) {
        tfp_table_column *c = &columns[i];
        c->absent = TFP_NEW(&r->arena, uint8_t, 3);
        c->absent[i % 3] = 1;
        c->ints = TFP_NEW(&r->arena, int64_t, 3);
        c->reals = TFP_NEW(&r->arena, double, 3);
        c->texts = TFP_NEW(&r->arena, tfp_str, 3);
        for (int k = 0; k < 3; k++) {
            c->ints[k] = c->type == 'b' ? k == 1 : (k - 1) * 1500;
            c->reals[k] = (k + 1) / 4.0;
            c->texts[k] = TFP_STR("t <\n>");
        }
        if (c->type != 's') c->texts = NULL;
        if (c->type != 'r') c->reals = NULL;
        if (c->type == 's' || c->type == 'r') c->ints = NULL;
        assert_true(tfp_push(&r->grid->columns, *c));
    }
    return r;
}

static void is_written(const tfp_report *r, const char *output, const char *wanted)
{
    char *got = written(r, output);
    assert_string_equal(got, wanted);
    free(got);
}

static void a_grid_is_written_in_every_form(void **state)
{
    (void)state;
    tfp_report *r = made_grid(false);
    is_written(r, "csv",
               "\"n,1\",\"'=x\"\"y\",s,b\r\n"
               ",0.25,t <\\x0a>,\r\n"
               "0,,t <\\x0a>,1\r\n"
               "1500,0.75,,0\r\n");
    is_written(r, "text",
               "    n,1    =x\"y  s           b\n"
               "         0.25 B  t <\\x0a>\n"
               "   0 \xc2\xb5s          t <\\x0a>  yes\n"
               "1.50 ms  0.75 B             no\n");
    is_written(r, "md",
               "| n,1 | \\=x\"y | s | b |\n| ---: | ---: | --- | ---: |\n"
               "|  | 0.25 B | t &lt;\\\\x0a&gt; |  |\n"
               "| 0 \xc2\xb5s |  | t &lt;\\\\x0a&gt; | yes |\n"
               "| 1.50 ms | 0.75 B |  | no |\n");
    is_written(r, "json",
               "{\"schema\":\"tfprof.table\",\"version\":1,\"view\":\"test\",\"columns\":["
               "{\"name\":\"n,1\",\"type\":\"int\",\"unit\":\"us\"},{\"name\":\"=x\\\"y\",\"type\":\"real\","
               "\"unit\":\"bytes\"},{\"name\":\"s\",\"type\":\"text\",\"unit\":null},"
               "{\"name\":\"b\",\"type\":\"bool\",\"unit\":null}],\"rows\":["
               "{\"n,1\":null,\"=x\\\"y\":0.25,\"s\":\"t <\\\\x0a>\",\"b\":null},"
               "{\"n,1\":0,\"=x\\\"y\":null,\"s\":\"t <\\\\x0a>\",\"b\":true},"
               "{\"n,1\":1500,\"=x\\\"y\":0.75,\"s\":null,\"b\":false}]}\n");
    drop_report(r);
}

static void a_tree_shows_its_names(void **state)
{
    (void)state;
    tfp_report *r = made_grid(true);
    is_written(r, "csv",
               "name,row,parent,depth,\"n,1\",\"'=x\"\"y\",s,b\r\n"
               "_TFProfRoot,0,,0,,0.25,t <\\x0a>,\r\n"
               "'=a|b,1,0,1,0,,t <\\x0a>,1\r\n"
               "'=a|b/\\x01\\xff,2,1,2,1500,0.75,,0\r\n");
    char *text = written(r, "text"), *lines = written(r, "jsonl"), *md = written(r, "md");
    assert_non_null(strstr(text, "\n  =a|b           0 \xc2\xb5s"));
    assert_non_null(strstr(text, "\n    \\x01\\xff  1.50 ms  0.75 B"));
    assert_non_null(strstr(md, "| &nbsp;&nbsp;\\=a\\|b | 0 \xc2\xb5s |"));
    assert_non_null(strstr(lines, "]}\n{\"row\":0,\"parent\":null,\"depth\":0,\"name\":\"_TFProfRoot\",\"n,1\":null"));
    assert_non_null(
        strstr(lines, "}\n{\"row\":2,\"parent\":1,\"depth\":2,\"name\":\"=a|b/\\\\x01\\\\xff\",\"n,1\":1500"));
    free(text);
    free(lines);
    free(md);
    drop_report(r);
}

static void what_a_grid_cannot_be_is_refused(void **state)
{
    (void)state;
    tfp_report *r = made_grid(true);
    static const char *const outputs[] = { "proto", "timeline", "pprof" };
    for (size_t i = 0; i < 3; i++) {
        tfp_error err = { 0 };
        tfp_buf b = { 0 };
        assert_fails(tfp_report_write(r, outputs[i], collect, &b, &err), &err, TFP_BADARG, outputs[i]);
        assert_int_equal(b.size, 0);
        if (i == 0) continue;
        char value[64];
        snprintf(value, sizeof value, "%s:outfile=x", outputs[i]);
        assert_int_equal(tfp_options_set(r->options, "output", value, NULL), TFP_OK);
        assert_fails(tfp_report_put(r, collect, &b, &err), &err, TFP_BADARG, outputs[i]);
    }
    drop_report(r);
}

static void cells_are_read_by_name(void **state)
{
    (void)state;
    tfp_report *r = made_grid(true);
    int64_t n = 7;
    double x = 7;
    char text[32];
    assert_int_equal(tfp_report_is_table(r), 1);
    assert_int_equal(tfp_report_is_table(NULL), 0);
    assert_int_equal(tfp_report_row_count(r), 3);
    assert_string_equal(tfp_report_row_name(r, 1), "=a|b");
    assert_string_equal(tfp_report_column(r, 0), "name");
    assert_string_equal(tfp_report_column(r, 5), "=x\"y");
    assert_null(tfp_report_column(r, 8));
    assert_int_equal(tfp_report_column_type(r, "=x\"y"), 'r');
    assert_int_equal(tfp_report_column_type(r, "micros"), 0);
    assert_int_equal(tfp_report_int(r, 0, "n,1", &n), 0);
    assert_int_equal(tfp_report_real(r, 1, "=x\"y", &x), 0);
    assert_int_equal(tfp_report_int(r, 0, "=x\"y", &n), 0);
    assert_int_equal(tfp_report_int(r, 3, "n,1", &n), 0);
    assert_true(n == 7 && x == 7);
    assert_int_equal(tfp_report_real(r, 2, "=x\"y", &x), 1);
    assert_true(x == 0.75);
    assert_int_equal(tfp_report_real(r, 2, "n,1", &x), 1);
    assert_true(x == 1500);
    assert_int_equal(tfp_report_int(r, 2, "n,1", &n), 1);
    assert_int_equal(n, 1500);
    assert_int_equal(tfp_report_string(r, 0, "s", text, sizeof text), 8);
    assert_string_equal(text, "t <\\x0a>");
    assert_int_equal(tfp_report_string(r, 2, "s", text, sizeof text), 0);
    assert_int_equal(tfp_report_value(r, 1, "micros", 1), 0);
    assert_int_equal(tfp_report_finding_count(r, NULL), 0);
    drop_report(r);
}

static void a_grid_is_an_arrow_stream_that_outlives_it(void **state)
{
    (void)state;
    tfp_report *r = made_grid(true);
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray a;
    assert_int_equal(tfp_report_arrow(r, &stream, NULL), TFP_OK);
    drop_report(r);
    assert_int_equal(stream.get_schema(&stream, &schema), 0);
    assert_int_equal(stream.get_next(&stream, &a), 0);
    tfp_arrow_release(&stream);
    assert_int_equal(schema.n_children, 8);
    static const char *const formats[] = { "u", "l", "l", "l", "l", "g", "u", "b" };
    for (size_t i = 0; i < 8; i++) assert_string_equal(schema.children[i]->format, formats[i]);
    assert_string_equal(schema.children[5]->name, "=x\"y");
    assert_memory_equal(schema.children[5]->metadata + 12, "\5\0\0\0bytes", 9);
    assert_null(schema.children[6]->metadata);
    assert_int_equal(a.length, 3);
    for (size_t i = 4; i < 8; i++) {
        assert_int_equal(a.children[i]->null_count, 1);
        size_t absent = (i - 4) % 3;
        assert_int_equal(*(const uint8_t *)a.children[i]->buffers[0], 7 & ~(1 << absent));
    }
    assert_true(((const double *)a.children[5]->buffers[1])[2] == 0.75);
    assert_int_equal(((const int32_t *)a.children[6]->buffers[1])[3], 16);
    schema.release(&schema);
    a.release(&a);
}

static void a_wide_grid_is_no_trouble(void **state)
{
    (void)state;
    enum { WIDE = 500 };
    tfp_report *r = tfp_report_new("wide", NULL);
    r->grid->row_count = 1;
    for (int64_t i = 0; i < WIDE; i++) {
        tfp_table_column c = { .name = "same", .type = 'i', .unit = TFP_LABEL, .ints = TFP_NEW(&r->arena, int64_t, 1) };
        c.ints[0] = i;
        assert_true(tfp_push(&r->grid->columns, c));
    }
    char *csv = written(r, "csv"), *text = written(r, "text");
    assert_non_null(strstr(csv, ",498,499\r\n"));
    assert_non_null(strstr(text, "   498   499\n"));
    free(csv);
    free(text);
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    assert_int_equal(tfp_report_arrow(r, &stream, NULL), TFP_OK);
    assert_int_equal(stream.get_schema(&stream, &schema), 0);
    assert_int_equal(schema.n_children, WIDE);
    schema.release(&schema);
    tfp_arrow_release(&stream);
    drop_report(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grid_is_written_in_every_form),
        cmocka_unit_test(a_tree_shows_its_names),
        cmocka_unit_test(what_a_grid_cannot_be_is_refused),
        cmocka_unit_test(cells_are_read_by_name),
        cmocka_unit_test(a_grid_is_an_arrow_stream_that_outlives_it),
        cmocka_unit_test(a_wide_grid_is_no_trouble),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
