// SPDX-License-Identifier: Apache-2.0
/* tests/unit/outputs/test_outputs.c: json, jsonl, csv, md and proto of reports made by hand, and the files that are
 * written. */
#include "outputs_made.h"

#include "wire/proto.h"

/* ---- json ---- */

static void json_says_what_it_is(void **state)
{
    (void)state;
    tfp_report *r = report_of("scope", "a Conv2D 3us\n", "select params step 0 format json");
    char *text = written(r, "json");
    has(text,
        "{\"schema\":\"tfprof.report\",\"version\":1,\"view\":\"scope\",\"step\":0,\"columns\":[{\"name\":\"params\","
        "\"field\":\"parameters\",\"total_field\":\"total_parameters\",\"unit\":\"count\"}],\"root\":{");
    assert_int_equal(text[strlen(text) - 1], '\n');
    free(text);
    drop_report(r);
}

static void json_holds_the_tree_and_every_number(void **state)
{
    (void)state;
    tfp_report *r = report_of("scope", "a/x Conv2D 3us 2x3\na/y MatMul 4us 5B\nb Const\n", "format json");
    char *text = written(r, "json");
    const char *a = strstr(text, "{\"name\":\"a\","), *x = strstr(text, "{\"name\":\"a/x\","),
               *b = strstr(text, "{\"name\":\"b\",");
    assert_true(a && x && b && a < x && x < b);
    has(a, "\"exec_micros\":0,\"total_exec_micros\":7,");
    has(x, "\"parameters\":6,\"total_parameters\":6,");
    has(x,
        "\"op_types\":[\"/job:localhost/replica:0/task:0/device:cpu:0\",\"Conv2D\"],\"shape\":[2,3],\"children\":[]}");
    has(text, "\"requested_bytes\":5,\"total_requested_bytes\":5,");
    free(text);
    drop_report(r);
}

static void json_lists_op_types_side_by_side(void **state)
{
    (void)state;
    tfp_report *r = report_of("op", "a Conv2D 3us\nb MatMul 4us\n", "order_by micros format json");
    char *text = written(r, "json");
    const char *first = strstr(text, "{\"name\":\"MatMul\""), *second = strstr(text, "{\"name\":\"Conv2D\"");
    assert_true(first && second && first < second);
    assert_memory_equal(second - strlen("\"children\":[]},"), "\"children\":[]},", strlen("\"children\":[]},"));
    free(text);
    drop_report(r);
}

/* ---- json lines ---- */

static void jsonl_is_the_report_and_then_a_line_a_row(void **state)
{
    (void)state;
    tfp_report *r = report_of("scope", "a/b/x Conv2D 3us 2x3\na/y MatMul 4us\n", "select micros step 0 format jsonl");
    char *text = written(r, "jsonl");
    static const char *const lines[] = {
        "{\"schema\":\"tfprof.report\",\"version\":1,\"view\":\"scope\",\"step\":0,\"columns\":[{\"name\":\"micros\",",
        "{\"row\":0,\"parent\":null,\"depth\":0,\"name\":\"_TFProfRoot\",",
        "{\"row\":1,\"parent\":0,\"depth\":1,\"name\":\"a\",",
        "{\"row\":2,\"parent\":1,\"depth\":2,\"name\":\"a/b\",",
        "{\"row\":3,\"parent\":2,\"depth\":3,\"name\":\"a/b/x\",",
        "{\"row\":4,\"parent\":1,\"depth\":2,\"name\":\"a/y\",",
    };
    const char *at = text;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const char *end = strchr(at, '\n');
        assert_non_null(end);
        if (strncmp(at, lines[i], strlen(lines[i])) != 0) fail_msg("line %zu is %.200s", i, at);
        assert_int_equal(end[-1], '}');
        at = end + 1;
    }
    assert_string_equal(at, "");
    assert_null(strstr(text, "children"));
    assert_null(strstr(text, "\"root\""));
    free(text);
    drop_report(r);
}

/* Checks the members of a row from its name on, except its children. */
static void has_row_of(const char *tree, const char *line)
{
    const char *from = strstr(line, "\"name\""), *end = strstr(from, "}\n");
    char *members = strndup(from, (size_t)(end - from));
    has(tree, members);
    free(members);
}

static void jsonl_has_the_members_of_json(void **state)
{
    (void)state;
    static const char *const views[] = { "scope", "graph", "op" };
    for (size_t i = 0; i < 3; i++) {
        tfp_report *r =
            report_of(views[i], "a Conv2D 3us 2x3 5B\nb/c MatMul 4us 9f <a\nd Const <gone\n", "format json");
        char *lines = written(r, "jsonl"), *tree = written(r, "json");
        size_t rows = 0;
        for (char *at = strchr(lines, '\n') + 1; *at; at = strchr(at, '\n') + 1, rows++) has_row_of(tree, at);
        assert_int_equal(rows, tfp_report_row_count(r));
        free(lines);
        free(tree);
        drop_report(r);
    }
}

static void jsonl_lists_op_types_under_the_root(void **state)
{
    (void)state;
    tfp_report *r = report_of("op", "a Conv2D 3us\nb MatMul 4us\n", "order_by micros format jsonl");
    char *text = written(r, "jsonl");
    has(text, "{\"row\":1,\"parent\":0,\"depth\":1,\"name\":\"MatMul\",");
    has(text, "{\"row\":2,\"parent\":0,\"depth\":");
    free(text);
    drop_report(r);
}

static void jsonl_of_a_long_chain_nests_nothing(void **state)
{
    (void)state;
    tfp_buf b = { 0 };
    for (int i = 0; i < 20000; i++) tfp_buf_printf(&b, "n%d Relu 1us <n%d\n", i, i + 1);
    tfp_buf_char(&b, 0);
    tfp_report *r = report_of("graph", b.data, "max_depth 100000 format jsonl");
    assert_int_equal(tfp_report_row_count(r), 20001);
    char *text = written(r, "jsonl");
    has(text, "{\"row\":20000,\"parent\":19999,\"depth\":20000,\"name\":\"n19999\",");
    assert_null(strstr(text, "}}}}"));
    free(text);
    drop_report(r);
    tfp_buf_free(&b);
}

/* ---- csv ---- */

static void csv_has_a_header_and_a_line_a_row(void **state)
{
    (void)state;
    writes("scope", "a/x Conv2D 3us\na/y MatMul 4us\n", "select micros", "csv",
           "name,row,parent,depth,micros,total_micros\r\n"
           "_TFProfRoot,0,,0,0,7\r\n"
           "a,1,0,1,0,7\r\n"
           "a/x,2,1,2,3,3\r\n"
           "a/y,3,1,2,4,4\r\n");
}

static void csv_quotes_and_disarms_text(void **state)
{
    (void)state;
    writes("scope", "=1+1 Const\n@x,\"y Const\n", "select op_types", "csv",
           "name,row,parent,depth,op_types\r\n"
           "_TFProfRoot,0,,0,\r\n"
           "'=1+1,1,0,1,Const\r\n"
           "\"'@x,\"\"y\",2,0,1,Const\r\n");
}

/* ---- md ---- */

static void md_is_a_table_that_names_cannot_leave(void **state)
{
    (void)state;
    writes("scope", "a|b Const 2000us\n__init__ <b>\n", "select micros,op_types", "md",
           "| name | time | total time | op_types |\n"
           "| --- | ---: | ---: | --- |\n"
           "| \\_TFProfRoot | 0 \xc2\xb5s | 2.00 ms |  |\n"
           "| &nbsp;&nbsp;\\_\\_init\\_\\_ | 0 \xc2\xb5s | 0 \xc2\xb5s | &lt;b&gt; |\n"
           "| &nbsp;&nbsp;a\\|b | 2.00 ms | 2.00 ms | /job:localhost/replica:0/task:0/device:cpu:0, Const |\n");
}

/* ---- proto ---- */

/* Follows the only child of each message and returns the number of levels below the first. */
static size_t chain_length(tfp_str message, uint32_t children)
{
    size_t n = 0;
    for (bool found = true; found;) {
        tfp_wire w = tfp_wire_start(message);
        found = false;
        for (tfp_field f; tfp_wire_next(&w, &f);) {
            if (f.number != children) continue;
            message = tfp_field_bytes(&w, &f);
            found = true;
        }
        assert_int_equal(tfp_wire_end(&w, NULL), TFP_OK);
        n += found;
    }
    return n;
}

static tfp_buf proto_of(const tfp_report *r)
{
    tfp_buf b = { 0 };
    assert_int_equal(tfp_report_write(r, "proto", collect, &b, NULL), TFP_OK);
    return b;
}

static void proto_nests_deep_graphs_without_recursion(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    tfp_buf lines = { 0 };
    for (int i = 0; i < COUNT; i++) {
        tfp_buf_printf(&lines, "n%06d Op", i);
        if (i + 1 < COUNT) tfp_buf_printf(&lines, " <n%06d", i + 1);
        tfp_buf_char(&lines, '\n');
    }
    tfp_buf_char(&lines, 0);
    tfp_report *r = report_of("graph", lines.data, "max_depth 100000 proto_out x");
    tfp_buf b = proto_of(r);
    assert_int_equal(chain_length((tfp_str){ b.data, b.size }, 12), COUNT);
    tfp_buf_free(&b);
    tfp_buf_free(&lines);
    drop_report(r);
}

static void proto_of_the_op_view_is_a_chain(void **state)
{
    (void)state;
    tfp_report *r = report_of("op", "a A 1us\nb B 2us\nc C 3us\n", "proto_out x");
    tfp_buf b = proto_of(r);
    assert_int_equal(chain_length((tfp_str){ b.data, b.size }, 11), 3);
    tfp_buf_free(&b);
    drop_report(r);
}

static void proto_of_a_report_without_every_column_is_refused(void **state)
{
    (void)state;
    tfp_report *r = report_of("scope", "a A 1us\n", "select micros");
    tfp_buf b = { 0 };
    tfp_error *err = tfp_error_new();
    assert_fails(tfp_report_write(r, "proto", collect, &b, err), err, TFP_BADARG, "needs every column");
    tfp_error_free(err);
    tfp_buf_free(&b);
    drop_report(r);
}

/* ---- files ---- */

static char *content(const char *path)
{
    tfp_buf b = { 0 };
    char piece[4096];
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    for (size_t n; (n = fread(piece, 1, sizeof piece, f)) > 0;) tfp_buf_add(&b, piece, n);
    fclose(f);
    tfp_buf_char(&b, 0);
    return b.data;
}

static void a_report_in_a_file_is_the_one_written(void **state)
{
    (void)state;
    tfp_report *r = report_of("scope", "a/x Conv2D 3us\n", "format json");
    char *folder = new_folder(), *path = file_in(folder, "report", "old and longer than that", 24);
    static const char *const outputs[] = { "csv", "jsonl", "text" };
    for (size_t i = 0; i < 3; i++) {
        tfp_error err = { 0 };
        assert_int_equal(tfp_report_write_file(r, outputs[i], path, &err), TFP_OK);
        char *file = content(path), *wanted = written(r, outputs[i]);
        assert_string_equal(file, wanted);
        free(file);
        free(wanted);
    }
    free(path);
    drop_folder(folder);
    drop_report(r);
}

static void a_report_that_cannot_be_written_leaves_the_file(void **state)
{
    (void)state;
    tfp_report *r = report_of("op", "a Conv2D 3us\n", "");
    char *folder = new_folder(), *path = file_in(folder, "report", "old", 3), *inside;
    tfp_error err = { 0 };
    assert_fails(tfp_report_write_file(r, "nope", path, &err), &err, TFP_NOTFOUND, "nope");
    assert_fails(tfp_report_write_file(r, "timeline", path, &err), &err, TFP_BADARG, "timeline");
    assert_fails(tfp_report_write_file(r, NULL, path, &err), &err, TFP_BADARG, "");
    assert_int_equal(tfp_report_write_file(NULL, "text", path, &err), TFP_BADARG);
    assert_int_equal(tfp_report_write_file(r, "text", NULL, &err), TFP_BADARG);
    assert_true(asprintf(&inside, "%s/report/x", folder) > 0); /* not a folder */
    assert_fails(tfp_report_write_file(r, "text", inside, &err), &err, TFP_BADOUTPUT, "report/x");
    char *file = content(path);
    assert_string_equal(file, "old");
    free(file);
    free(inside);
    free(path);
    drop_folder(folder); /* fails if another file is left beside this one, such as a temporary file */
    drop_report(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_says_what_it_is),
        cmocka_unit_test(json_holds_the_tree_and_every_number),
        cmocka_unit_test(json_lists_op_types_side_by_side),
        cmocka_unit_test(jsonl_is_the_report_and_then_a_line_a_row),
        cmocka_unit_test(jsonl_has_the_members_of_json),
        cmocka_unit_test(jsonl_lists_op_types_under_the_root),
        cmocka_unit_test(jsonl_of_a_long_chain_nests_nothing),
        cmocka_unit_test(csv_has_a_header_and_a_line_a_row),
        cmocka_unit_test(csv_quotes_and_disarms_text),
        cmocka_unit_test(md_is_a_table_that_names_cannot_leave),
        cmocka_unit_test(proto_nests_deep_graphs_without_recursion),
        cmocka_unit_test(proto_of_the_op_view_is_a_chain),
        cmocka_unit_test(proto_of_a_report_without_every_column_is_refused),
        cmocka_unit_test(a_report_in_a_file_is_the_one_written),
        cmocka_unit_test(a_report_that_cannot_be_written_leaves_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
