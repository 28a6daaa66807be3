// SPDX-License-Identifier: Apache-2.0
/* tests/unit/test_grid.c: tables of a report's own in every output, the statistics that fill one, and the options that
 * they alone take: names rewritten as sed does, amounts with units. */
#include "support.h"

#include "compare/stats.h"
#include "options/rewrite.h"
#include "outputs/arrow.h"
#include "outputs/table.h"

#include <math.h>

/* ---- rewriting ---- */

static char *rewritten(const char *const *expressions, const char *name)
{
    tfp_rewrites *w = NULL;
    for (; *expressions; expressions++) {
        tfp_rewrites *more = NULL;
        tfp_str one = tfp_str_of(*expressions);
        tfp_error err = { 0 };
        if (tfp_rewrites_new(w, &one, 1, &more, &err) != TFP_OK) fail_msg("%s: %s", *expressions, err.text);
        tfp_rewrites_free(w);
        w = more;
    }
    tfp_buf out = { 0 }, scratch = { 0 };
    tfp_rewrites_apply(w, tfp_str_of(name), &out, &scratch);
    tfp_buf_char(&out, 0);
    assert_false(out.failed);
    tfp_buf_free(&scratch);
    tfp_rewrites_free(w);
    return out.data;
}

/* Answers of GNU sed -E. */
static void names_change_as_in_sed(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        { "s/a/b/", "aaa", "baa" },
        { "s/a/b/g", "aaa", "bbb" },
        { "s/x/b/g", "aaa", "aaa" },
        { "s/a//g", "banana", "bnn" },
        { "s/b*/X/g", "abc", "XaXcX" },
        { "s/b*/X/", "abc", "Xabc" },
        { "s/x*/-/g", "abc", "-a-b-c-" },
        { "s/x*/-/g", "", "-" },
        { "s/^/> /g", "a/b", "> a/b" },
        { "s/$/!/g", "a/b", "a/b!" },
        { "s/^a/b/g", "aaa", "baa" },
        { "s/(a)(b)?/[\\1\\2]/g", "abac", "[ab][a]c" },
        { "s/a\\/b/x/", "a/b/c", "x/c" },
        { "s|a/|<&>|", "a/b", "<a/>b" },
        { "s,/,\\,,g", "a/b/c", "a,b,c" },
        { "s/b/\\&\\\\&/", "abc", "a&\\bc" },
        { "s/(.)(.)(.)(.)(.)(.)(.)(.)(.)(.)/\\9\\1/", "abcdefghij", "ia" },
        { "s|a\\|b|x|", "a|b", "x" }, /* an escaped mark means itself */
        { "sxaxbx", "aaa", "baa" },
        { "s.a\\.b.x.", "a.b acb", "x acb" },
        { "s/\xc3\xa4*/-/g", "\xc3\xb6", "-\xc3\xb6-" }, /* whole characters are stepped over */
        { "s/a/\\0\\0/", "xay", "xaay" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *expressions[] = { cases[i][0], NULL };
        char *got = rewritten(expressions, cases[i][1]);
        if (strcmp(got, cases[i][2]) != 0) fail_msg("%s of %s gives %s", cases[i][0], cases[i][1], got);
        free(got);
    }
}

static void changes_follow_one_another(void **state)
{
    (void)state;
    static const char *const three[] = { "s/a/b/g", "s/b/c/", "s/^c(.*)/\\1c/", NULL }, *const none[] = { NULL };
    char *got = rewritten(three, "aab");
    assert_string_equal(got, "bbc");
    free(got);
    got = rewritten(none, "a/b");
    assert_string_equal(got, "a/b");
    free(got);
}

static void expressions_that_are_none_are_refused(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "", "form" },
        { "s", "form" },
        { "y/a/b/", "form" },
        { "s/a", "pattern" },
        { "s/a\\/b", "pattern" },
        { "s/a/b", "text" },
        { "s/a/b\\/", "text" },
        { "s/a/b/gg", "only g" },
        { "s/a/b/ ", "only g" },
        { "s/(/b/", "regex" },
        { "s/a/\\1/", "0 groups" },
        { "s/(a)/\\2/", "1 group" },
        { "s\\a\\b\\", "mark" },
        { "s/a/\x03/", "control" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tfp_str one = tfp_str_of(cases[i][0]);
        tfp_rewrites *w = NULL;
        tfp_error err = { 0 };
        tfp_status s = one.size ? tfp_rewrites_new(NULL, &one, 1, &w, &err) : TFP_BADARG;
        assert_int_equal(s, TFP_BADARG);
        assert_null(w);
        if (one.size && !strstr(err.text, cases[i][1])) fail_msg("%s: %s", cases[i][0], err.text);
    }
}

static void the_option_adds_and_an_empty_one_clears(void **state)
{
    (void)state;
    tfp_options *o = tfp_options_new();
    assert_int_equal(tfp_options_set(o, "rewrite", "s/a/b/", NULL), TFP_OK);
    tfp_options *copy = tfp_options_copy(o);
    assert_int_equal(tfp_options_set(o, "rewrite", "s/b,c/d/", NULL), TFP_OK);
    assert_string_equal(tfp_options_get(o, "rewrite"), "s/a/b/ s/b,c/d/");
    assert_string_equal(tfp_options_get(copy, "rewrite"), "s/a/b/");
    assert_int_equal(tfp_options_set(o, "rewrite", "s/(/d/", NULL), TFP_BADARG);
    assert_string_equal(tfp_options_get(o, "rewrite"), "s/a/b/ s/b,c/d/");
    const char *items[] = { "s/x/y/" };
    assert_int_equal(tfp_options_set_list(o, "rewrite", items, 1, NULL), TFP_OK);
    assert_string_equal(tfp_options_get(o, "rewrite"), "s/x/y/");
    assert_int_equal(tfp_options_set_list(o, "rewrite", items, 0, NULL), TFP_OK);
    assert_string_equal(tfp_options_get(o, "rewrite"), "");
    assert_int_equal(tfp_options_set(copy, "rewrite", "", NULL), TFP_OK);
    assert_string_equal(tfp_options_get(copy, "rewrite"), "");
    tfp_options_free(o);
    tfp_options_free(copy);
}

/* ---- amounts and numbers ---- */

static void amounts_have_units(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
        tfp_unit unit;
        bool percent;
    } good[] = {
        { "1000", 1000, TFP_LABEL, false },  { "1.5", 1.5, TFP_LABEL, false },   { "0", 0, TFP_LABEL, false },
        { ".5", .5, TFP_LABEL, false },      { "5%", 5, TFP_LABEL, true },       { "0.5%", .5, TFP_LABEL, true },
        { "7B", 7, TFP_SIZE, false },        { "2KB", 2e3, TFP_SIZE, false },    { "1MB", 1e6, TFP_SIZE, false },
        { "1.5GB", 1.5e9, TFP_SIZE, false }, { "9us", 9, TFP_MICROS, false },    { "10ms", 1e4, TFP_MICROS, false },
        { "3s", 3e6, TFP_MICROS, false },    { "3sec", 3e6, TFP_MICROS, false }, { "2k", 2e3, TFP_NUMBER, false },
        { "2m", 2e6, TFP_NUMBER, false },    { "2b", 2e9, TFP_NUMBER, false },   { "2t", 2e12, TFP_NUMBER, false },
    };
    static const char *const bad[] = { "",
                                       "MB",
                                       "-1",
                                       "1e3",
                                       "1 MB",
                                       "1mb",
                                       "1.2.3",
                                       ".",
                                       "0x10",
                                       "%",
                                       "1%%",
                                       "1KiB",
                                       "nan",
                                       "inf",
                                       "+1",
                                       "1,5",
                                       "1MB ",
                                       "..",
                                       "1111111111111111111111111111111111111111111111111111111111111111111111" };
    tfp_amount a;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        if (!tfp_amount_parse(tfp_str_of(good[i].text), &a)) fail_msg("%s is refused", good[i].text);
        assert_true(a.value == good[i].value && a.unit == good[i].unit && a.percent == good[i].percent);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (tfp_amount_parse(tfp_str_of(bad[i]), &a)) fail_msg("%s is taken", bad[i]);
}

static void options_check_amounts(void **state)
{
    (void)state;
    tfp_options *o = tfp_options_new();
    tfp_error err = { 0 };
    assert_string_equal(tfp_options_get(o, "min_size"), "1MB");
    assert_string_equal(tfp_options_get(o, "delta"), "0.1");
    assert_int_equal(tfp_options_set(o, "min-size", "500", NULL), TFP_OK);
    assert_string_equal(tfp_options_get(o, "min_size"), "500");
    assert_fails(tfp_options_set(o, "min_size", "5%", &err), &err, TFP_BADARG, "min_size");
    assert_int_equal(tfp_options_set(o, "fail_over", "5%", NULL), TFP_OK);
    assert_fails(tfp_options_set(o, "fail_over", "much", &err), &err, TFP_BADARG, "much");
    assert_int_equal(tfp_options_set(o, "fail_over", "", NULL), TFP_OK);
    assert_int_equal(tfp_options_set(o, "delta", "0.25", NULL), TFP_OK);
    assert_string_equal(tfp_options_get(o, "delta"), "0.25");
    static const char *const bad[] = { "", "x", "-1", "nan", "inf", "1x", "1e301" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(tfp_options_set(o, "delta", bad[i], NULL), TFP_BADARG);
    assert_string_equal(tfp_options_commands("delta"), "diff");
    assert_string_equal(tfp_options_commands("view"), "diff stats");
    assert_null(tfp_options_commands("max_depth"));
    assert_null(tfp_options_commands("nope"));
    assert_null(tfp_options_commands(NULL));
    tfp_options_free(o);
}

static void columns_keep_the_order_asked(void **state)
{
    (void)state;
    tfp_column_id got[TFP_COLUMNS_MAX];
    tfp_options *o = tfp_options_new();
    assert_int_equal(tfp_options_selected(o, got), 1);
    assert_int_equal(tfp_options_set(o, "select", "params,bytes,params,,accelerator_micros", NULL), TFP_OK);
    assert_int_equal(tfp_options_selected(o, got), 3);
    assert_int_equal(got[0], TFP_C_PARAMS);
    assert_int_equal(got[1], TFP_C_BYTES);
    assert_int_equal(got[2], TFP_C_ACCELERATOR_MICROS);
    assert_int_equal(tfp_options_set(o, "select", "params,nope", NULL), TFP_BADARG);
    assert_int_equal(tfp_options_selected(o, got), 3);
    assert_int_equal(tfp_options_set(o, "select", "", NULL), TFP_OK);
    assert_int_equal(tfp_options_selected(o, got), 0);
    tfp_options_free(o);
}

static void reals_read_like_whole_numbers(void **state)
{
    (void)state;
    static const struct {
        tfp_unit unit;
        double x;
        const char *text;
    } cases[] = {
        { TFP_MICROS, 0, "0us" },
        { TFP_MICROS, 999, "999us" },
        { TFP_MICROS, 1500, "1.50ms" },
        { TFP_MICROS, 12.5, "12.50us" },
        { TFP_MICROS, 0.25, "0.25us" },
        { TFP_MICROS, 3611111, "3.61sec" },
        { TFP_MICROS, -1500, "-1.50ms" },
        { TFP_SIZE, 1234567, "1.23MB" },
        { TFP_SIZE, 1e10, "10.00GB" },
        { TFP_SIZE, 999.999, "1.00KB" },
        { TFP_NUMBER, 1280, "1.28k" },
        { TFP_NUMBER, 17.63e9, "17.63b" },
        { TFP_NUMBER, 2, "2" },
        { TFP_LABEL, 57.735, "57.73" },
        { TFP_LABEL, 1234567, "1234567" },
        { TFP_LABEL, 0.00123, "0.00123" },
        { TFP_LABEL, 1e300, "1e+300" },
        { TFP_LABEL, NAN, "nan" },
        { TFP_LABEL, -INFINITY, "-inf" },
        { TFP_LABEL, -0.0, "0" },
        { TFP_MICROS, 1e-9, "1e-09us" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tfp_buf b = { 0 };
        tfp_format_real(&b, cases[i].unit, cases[i].x);
        tfp_buf_char(&b, 0);
        if (strcmp(b.data, cases[i].text) != 0) fail_msg("%g is %s, not %s", cases[i].x, b.data, cases[i].text);
        tfp_buf_free(&b);
    }
}

/* ---- grids ---- */

/* A tree of three rows: a number, a real, a text and a truth, of which some are absent; no profile. */
static tfp_report *made_grid(bool tree)
{
    tfp_report *r = calloc(1, sizeof *r);
    assert_non_null(r);
    r->view = "test";
    r->kind = TFP_REPORT_GRID;
    r->options = tfp_options_new();
    r->grid.row_count = 3;
    r->grid.tree = tree;
    static const char *const names[] = { "_TFProfRoot", "=a|b", "=a|b/\x01\xff" };
    for (uint32_t i = 0; i < 3 && tree; i++) {
        tfp_row row = { .name = tfp_str_of(names[i]), .parent = i ? i - 1 : 0, .depth = i };
        assert_true(tfp_push(&r->rows, row));
    }
    tfp_grid_column columns[] = {
        { .name = "n,1", .type = 'i', .unit = TFP_MICROS },
        { .name = "=x\"y", .type = 'r', .unit = TFP_SIZE },
        { .name = "s", .type = 's', .unit = TFP_LABEL },
        { .name = "b", .type = 'b', .unit = TFP_LABEL },
    };
    for (size_t i = 0; i < 4; i++) {
        tfp_grid_column *c = &columns[i];
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
        assert_true(tfp_push(&r->grid.columns, *c));
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
               "   n,1   =x\"y  s           b\n"
               "        0.25B  t <\\x0a>     \n"
               "   0us         t <\\x0a>  yes\n"
               "1.50ms  0.75B             no\n");
    is_written(r, "md",
               "| n,1 | \\=x\"y | s | b |\n| ---: | ---: | --- | ---: |\n"
               "|  | 0.25B | t &lt;\\\\x0a&gt; |  |\n"
               "| 0us |  | t &lt;\\\\x0a&gt; | yes |\n"
               "| 1.50ms | 0.75B |  | no |\n");
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
    assert_non_null(strstr(text, "\n  =a|b                0us"));
    assert_non_null(strstr(text, "\n    =a|b/\\x01\\xff  1.50ms  0.75B"));
    assert_non_null(strstr(md, "| &nbsp;&nbsp;\\=a\\|b | 0us |"));
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
    tfp_report *r = calloc(1, sizeof *r);
    r->view = "wide";
    r->kind = TFP_REPORT_GRID;
    r->options = tfp_options_new();
    r->grid.row_count = 1;
    for (int64_t i = 0; i < WIDE; i++) {
        tfp_grid_column c = { .name = "same", .type = 'i', .unit = TFP_LABEL, .ints = TFP_NEW(&r->arena, int64_t, 1) };
        c.ints[0] = i;
        assert_true(tfp_push(&r->grid.columns, c));
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

/* ---- statistics ---- */

static void a_spread_is_numpys(void **state)
{
    (void)state;
    int64_t one[] = { 5 }, two[] = { 3, 1 }, six[] = { 9, 2, 4, 4, 0, 100 }, zero[] = { 0, 0, 0 };
    tfp_spread s = tfp_spread_of(one, 1);
    assert_true(s.mean == 5 && s.cv == 0 && s.min == 5 && s.median == 5 && s.p95 == 5 && s.max == 5);
    s = tfp_spread_of(two, 2);
    assert_true(s.mean == 2 && s.cv == 50 && s.min == 1 && s.median == 2 && s.p95 == 2.9 && s.max == 3);
    s = tfp_spread_of(six, 6); /* numpy.percentile(x, 95) is 77.25 */
    assert_true(s.median == 4 && s.p95 == 77.25 && s.min == 0 && s.max == 100);
    assert_true(fabs(s.cv - 181.28876643347013) < 1e-9);
    s = tfp_spread_of(zero, 3);
    assert_true(s.mean == 0 && s.cv == 0 && s.p95 == 0);
    int64_t big[] = { INT64_MAX, INT64_MAX, INT64_MIN };
    s = tfp_spread_of(big, 3);
    assert_true(s.median == (double)INT64_MAX && isfinite(s.cv) && fabs(s.mean - 3074457345618258602.0) < 2000);
}

static double cell(const tfp_report *r, size_t row, const char *column)
{
    double x;
    assert_int_equal(tfp_report_real(r, row, column, &x), 1);
    return x;
}

static tfp_report *stats_of(tfp_profile *p, const char *view, const char *select)
{
    tfp_report *r = NULL;
    tfp_error err = { 0 };
    tfp_options *o = tfp_options_new();
    assert_int_equal(tfp_options_set(o, "select", select, NULL), TFP_OK);
    assert_int_equal(tfp_options_set(o, "account_type_regexes", ".*Mul,M.*,.*cpu.*", NULL), TFP_OK);
    if (tfp_stats(p, view, o, &r, &err)) fail_msg("%s", err.text);
    tfp_options_free(o);
    return r;
}

static void steps_without_a_run_count_as_nothing(void **state)
{
    (void)state;
    tfp_profile *p = profile_of("a/x MatMul @1 3us 7f\na/y Conv2D @1 10us @3 20us 5f\nb MatMul 9f 2x3\n");
    tfp_report *r = stats_of(p, "scope", "micros,occurrence,params,float_ops");
    char text[16];
    assert_int_equal(tfp_report_row_count(r), 4); /* a, a/x, a/y, b */
    assert_int_equal(tfp_report_string(r, 1, "op", text, sizeof text), 1);
    assert_string_equal(text, "x");
    assert_int_equal(tfp_report_string(r, 3, "name", text, sizeof text), 1);
    assert_string_equal(text, "b");
    assert_true(cell(r, 0, "micros_mean") == 16.5 && cell(r, 0, "micros_min") == 13 && cell(r, 0, "micros_max") == 20);
    assert_true(cell(r, 1, "micros_mean") == 1.5 && cell(r, 1, "micros_cv") == 100 && cell(r, 1, "micros_min") == 0);
    assert_true(cell(r, 1, "occurrence_mean") == 0.5 && cell(r, 1, "float_ops_max") == 7);
    /* what no step has a part in is the same in each */
    assert_true(cell(r, 3, "params_mean") == 6 && cell(r, 3, "params_cv") == 0);
    assert_true(cell(r, 3, "float_ops_min") == 9 && cell(r, 3, "float_ops_max") == 9);
    tfp_report_free(r);
    /* two patterns match MatMul on the CPU, three with its device: times are counted that often, runs once */
    r = stats_of(p, "op", "micros,occurrence");
    assert_int_equal(tfp_report_row_count(r), 2);
    assert_true(cell(r, 1, "micros_max") == 9 && cell(r, 1, "occurrence_max") == 1);
    tfp_report_free(r);
    tfp_profile_free(p);
}

static void stats_refuse_what_they_cannot_do(void **state)
{
    (void)state;
    tfp_profile *p = profile_of("a MatMul 3us\n"), *none = profile_of("a MatMul\n"), *unfinished = tfp_profile_new();
    tfp_report *r = NULL;
    tfp_error err = { 0 };
    tfp_options *o = tfp_options_new();
    assert_int_equal(tfp_stats(p, NULL, NULL, &r, &err), TFP_OK);
    assert_string_equal(tfp_report_column(r, 2), "micros_mean");
    tfp_report_free(r);
    assert_int_equal(tfp_stats(NULL, "scope", NULL, &r, &err), TFP_BADARG);
    assert_null(r);
    assert_int_equal(tfp_stats(p, "scope", NULL, NULL, &err), TFP_BADARG);
    assert_int_equal(tfp_stats(unfinished, "scope", NULL, &r, &err), TFP_BADARG);
    assert_fails(tfp_stats(p, "nope", NULL, &r, &err), &err, TFP_NOTFOUND, "nope");
    assert_fails(tfp_stats(p, "advise", NULL, &r, &err), &err, TFP_BADARG, "advise");
    assert_fails(tfp_stats(p, "code", NULL, &r, &err), &err, TFP_NOTFOUND, "code");
    assert_fails(tfp_stats(none, NULL, NULL, &r, &err), &err, TFP_NOTFOUND, "steps");
    assert_int_equal(tfp_options_set(o, "select", "device", NULL), TFP_OK);
    assert_fails(tfp_stats(p, NULL, o, &r, &err), &err, TFP_BADARG, "-select");
    assert_int_equal(tfp_report_put(NULL, collect, NULL, &err), TFP_BADARG);
    tfp_options_free(o);
    tfp_profile_free(p);
    tfp_profile_free(none);
    tfp_profile_free(unfinished);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_change_as_in_sed),
        cmocka_unit_test(changes_follow_one_another),
        cmocka_unit_test(expressions_that_are_none_are_refused),
        cmocka_unit_test(the_option_adds_and_an_empty_one_clears),
        cmocka_unit_test(amounts_have_units),
        cmocka_unit_test(options_check_amounts),
        cmocka_unit_test(columns_keep_the_order_asked),
        cmocka_unit_test(reals_read_like_whole_numbers),
        cmocka_unit_test(a_grid_is_written_in_every_form),
        cmocka_unit_test(a_tree_shows_its_names),
        cmocka_unit_test(what_a_grid_cannot_be_is_refused),
        cmocka_unit_test(cells_are_read_by_name),
        cmocka_unit_test(a_grid_is_an_arrow_stream_that_outlives_it),
        cmocka_unit_test(a_wide_grid_is_no_trouble),
        cmocka_unit_test(a_spread_is_numpys),
        cmocka_unit_test(steps_without_a_run_count_as_nothing),
        cmocka_unit_test(stats_refuse_what_they_cannot_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
