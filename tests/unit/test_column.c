// SPDX-License-Identifier: Apache-2.0
/* tests/unit/test_column.c: a new column needs one row, and a new table one list of columns. The column table and the
 * registry are compiled again with one more of each; outputs, options, help, the manual, completion and the page's
 * lists must all know them. */
#include "model/tables/graph.h"

#include "compare/sides.h"
#include "model/tables/profile.h"
#include "support.h"

#include "../../cli/cli.h"
#include "options/options.h"
#include "outputs/data/arrow.h"
#include "registry.h"
#include "api/routes.h"
#include "views/core/grid.h"
#include "views/core/view.h"

enum { TFP_C_EXTRA = TFP_C_COUNT, TFP_C_EXTRA_RATIO, TFP_C_EXTRA_STATISTIC, EXTRA = 3 };
static double shortest_of_runs(const tfp_ranked_part *runs) { return (double)tfp_ranked_at(runs, 0); }
#define TFP_EXTRA_COLUMNS "extra_column.def"
#include "options/columns.c"

/* ---- the table, written as docs/recipes/view.md says ---- */

typedef struct name_row {
    tfp_str name;
    int64_t length, wait_ns;
    double share;
} name_row;

static const tfp_table_column name_columns[] = {
    TFP_COLUMN(name_row, "node", TEXT, LABEL, name, "The node."),
    TFP_COLUMN(name_row, "length", INT, NUMBER, length, "Characters of its name."),
    TFP_COLUMN(name_row, "wait_us", NANO, MICROS, wait_ns, "A time; the first node has none."),
    TFP_COLUMN(name_row, "share", REAL, SHARE, share, "Of all characters."),
    { 0 }
};

static tfp_status build_names(tfp_report *r, tfp_error *err)
{
    const tfp_profile *p = r->profile;
    name_row *rows = TFP_NEW(&r->arena, name_row, p->graph->nodes.size + 1);
    if (!rows) return tfp_nomem(err);
    for (uint32_t i = 0; i < p->graph->nodes.size; i++) {
        tfp_str name = tfp_text(p, p->graph->nodes.at[i].name);
        rows[i] = (name_row){ name, (int64_t)name.size, i ? 7000 * i : TFP_ABSENT, (double)name.size / 8 };
    }
    return tfp_grid_of(r, &(tfp_row_table){ name_columns, rows, sizeof *rows, p->graph->nodes.size, 0 }, err);
}

static const tfp_view zz_names = { "zz_names", "Lengths of names.", TFP_REPORT_GRID, NULL, NULL, build_names, 0, NULL };

#define tfp_view_advise tfp_view_advise, &zz_names /* one more name than the registry's list has */
#include "registry.c"
#undef tfp_view_advise

/* ---- the column ---- */

#define LINES "a/x Conv2D 3us\na/y MatMul 4us\nb MatMul 5us\n"
#define UNSORTED "b Conv2D 3us\nz/x MatMul 4us\nz/y MatMul 5us\n"

static bool is_listed(tfp_table table, const char *name)
{
    for (size_t i = 0; tfp_list(table, i); i++)
        if (strcmp(tfp_list(table, i), name) == 0) return true;
    return false;
}

static void shows(const char *view, const char *options, const char *output, const char *part)
{
    tfp_report *r = report_of(view, LINES, options);
    char *text = written(r, output);
    if (!strstr(text, part)) fail_msg("%s -format %s lacks \"%s\":\n%s", view, output, part, text);
    free(text);
    drop_report(r);
}

static void has_rows(const char *lines, const char *options, const char *wanted)
{
    tfp_report *r = report_of("scope", lines, options);
    char *rows = rows_of(r);
    assert_string_equal(rows, wanted);
    free(rows);
    drop_report(r);
}

static void counts_in_statistics(const char *column, const char *head)
{
    tfp_options *o = tfp_options_new();
    tfp_profile *p = profile_of(LINES);
    tfp_report *r = NULL;
    assert_int_equal(tfp_options_set(o, "select", column, NULL), TFP_OK);
    assert_int_equal(tfp_stats(p, "scope", o, &r, NULL), TFP_OK);
    char *text = written(r, "csv");
    assert_non_null(strstr(text, head));
    free(text);
    tfp_report_free(r);
    tfp_profile_free(p);
    tfp_options_free(o);
}

static void a_column_is_in_the_lists_and_the_help(void **state)
{
    (void)state;
    assert_int_equal(tfp_column_count, TFP_C_COUNT + EXTRA);
    assert_true(is_listed(TFP_COLUMNS, "zz_nodes"));
    assert_true(is_listed(TFP_ORDERS, "zz_nodes"));
    assert_true(is_listed(TFP_OPTIONS, "min_zz_nodes"));
    assert_string_equal(tfp_help(TFP_COLUMNS, "zz_nodes"), "Nodes, those of functions included.");
    assert_string_equal(tfp_help(TFP_OPTIONS, "min_zz_nodes"), "Show rows with at least this many nodes.");
    assert_string_equal(tfp_help(TFP_ORDERS, "zz_nodes"), "By the column's total, the biggest first.");
}

static void a_column_is_in_every_output(void **state)
{
    (void)state;
    shows("scope", "select zz_nodes", "text", "zz nodes: Nodes, those of functions included.\n");
    shows("scope", "select zz_nodes,micros", "text",
          "node name | total execution time | # nodes | accelerator execution time");
    shows("scope", "select zz_nodes", "text", "_TFProfRoot (--/3 nodes)\n  a (0/2 nodes)\n    a/x (1/1 nodes)");
    shows("op", "select zz_nodes", "text", "node name | # nodes\nConv2D");
    shows("op", "select zz_nodes", "text", "2 nodes (66.67%, 66.67%)");
    shows("scope", "select zz_nodes", "csv",
          "name,row,parent,depth,zz_nodes,total_zz_nodes\r\n_TFProfRoot,0,,0,0,3\r\n");
    shows("scope", "select zz_nodes", "md", "| name | zz_nodes | total zz_nodes |\n| --- | ---: | ---: |\n");
    shows("scope", "select zz_nodes", "json",
          "{\"name\":\"zz_nodes\",\"field\":\"node_count\",\"total_field\":\"total_node_count\",\"unit\":\"count\"}");
    shows("scope", "select zz_nodes format json", "json", "\"node_count\":0,\"total_node_count\":3");
    shows("scope", "select zz_nodes format jsonl", "jsonl", "\"node_count\":1,\"total_node_count\":1");
}

static void a_ratio_is_in_every_output(void **state)
{
    (void)state;
    shows("scope", "select zz_time_each", "text", "zz time each: Time of a node.\n");
    shows("scope", "select zz_time_each", "text", "_TFProfRoot (--/4 \u00b5s each)\n  a (--/3.50 \u00b5s each)");
    shows("op", "select zz_time_each", "text", "4.50 \u00b5s each");
    shows("scope", "select zz_time_each", "csv", "name,row,parent,depth,zz_time_each,total_zz_time_each\r\n");
    shows("scope", "select zz_time_each", "csv", "a,1,0,1,,3.5\r\n");
    shows("scope", "select zz_time_each", "md",
          "| name | zz_time_each | total zz_time_each |\n| --- | ---: | ---: |\n");
    shows("scope", "select zz_time_each", "json",
          "{\"name\":\"zz_time_each\",\"field\":\"zz_time_each\",\"total_field\":\"total_zz_time_each\",");
    shows("scope", "select zz_time_each format json", "json", "\"zz_time_each\":null,\"total_zz_time_each\":3.5");
}

static void a_ratio_sorts_and_counts_in_statistics(void **state)
{
    (void)state;
    has_rows(UNSORTED, "order_by zz_time_each", "_TFProfRoot z z/y z/x b");
    counts_in_statistics("zz_time_each", "name,op,zz_time_each_mean,zz_time_each_cv,");
}

static void a_statistic_is_in_every_output(void **state)
{
    (void)state;
    shows("scope", "select zz_shortest", "text", "zz shortest: The shortest run.\n");
    shows("scope", "select zz_shortest", "text", "_TFProfRoot (--/3 \u00b5s at least)\n  a (--/3 \u00b5s at least)");
    shows("op", "select zz_shortest", "text", "4 \u00b5s at least");
    shows("scope", "select zz_shortest", "csv", "name,row,parent,depth,zz_shortest,total_zz_shortest\r\n");
    shows("scope", "select zz_shortest", "csv", "a,1,0,1,,3\r\na/x,2,1,2,3,3\r\n");
    shows("op", "select zz_shortest", "csv", "Conv2D,1,0,1,3,3\r\nMatMul,2,0,1,4,4\r\n");
    shows("scope", "select zz_shortest", "md", "| name | zz_shortest | total zz_shortest |\n| --- | ---: | ---: |\n");
    shows("scope", "select zz_shortest", "json",
          "{\"name\":\"zz_shortest\",\"field\":\"zz_shortest\",\"total_field\":\"total_zz_shortest\",");
    shows("scope", "select zz_shortest format json", "json", "\"zz_shortest\":null,\"total_zz_shortest\":3");
}

static void a_statistic_sorts_and_is_refused_where_only_sums_are(void **state)
{
    (void)state;
    has_rows(UNSORTED, "order_by zz_shortest", "_TFProfRoot z z/y z/x b");
    tfp_options *o = tfp_options_new();
    tfp_profile *p = profile_of(LINES);
    tfp_report *r = NULL;
    tfp_error *err = tfp_error_new();
    assert_int_equal(tfp_options_set(o, "select", "zz_shortest", NULL), TFP_OK);
    assert_int_equal(tfp_stats(p, "scope", o, &r, err), TFP_BADARG);
    assert_non_null(strstr(tfp_error_message(err), "zz_shortest is about runs"));
    assert_int_equal(tfp_options_set(o, "compat", "1.0", NULL), TFP_OK);
    assert_int_equal(tfp_report_build(p, "scope", o, &r, err), TFP_NOTFOUND);
    assert_string_equal(tfp_error_message(err), "zz_shortest: -compat 1.0 knows sums only");
    tfp_error_free(err);
    tfp_profile_free(p);
    tfp_options_free(o);
}

static void a_column_is_in_arrow_and_single_cells(void **state)
{
    (void)state;
    tfp_report *r = report_of("scope", LINES, "select zz_nodes");
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    assert_int_equal(tfp_report_arrow(r, &stream, NULL), TFP_OK);
    assert_int_equal(stream.get_schema(&stream, &schema), 0);
    assert_int_equal(schema.n_children, 7);
    assert_string_equal(schema.children[5]->name, "zz_nodes");
    assert_string_equal(schema.children[6]->name, "total_zz_nodes");
    schema.release(&schema);
    tfp_arrow_release(&stream);
    int64_t n = -1;
    assert_int_equal(tfp_report_int(r, 0, "total_zz_nodes", &n), 1);
    assert_int_equal(n, 3);
    drop_report(r);
}

static void each_kind_is_in_arrow(void **state)
{
    (void)state;
    tfp_report *r = report_of("scope", LINES, "select zz_time_each,zz_shortest");
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    assert_int_equal(tfp_report_arrow(r, &stream, NULL), TFP_OK);
    assert_int_equal(stream.get_schema(&stream, &schema), 0);
    assert_int_equal(schema.n_children, 9);
    static const char *const names[] = { "zz_time_each", "total_zz_time_each", "zz_shortest", "total_zz_shortest" };
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(schema.children[5 + i]->name, names[i]);
        assert_string_equal(schema.children[5 + i]->format, "g"); /* float64 */
    }
    schema.release(&schema);
    tfp_arrow_release(&stream);
    drop_report(r);
}

static void each_kind_is_in_the_pages_columns(void **state)
{
    (void)state;
    tfp_report *r = report_of("op", LINES, "select zz_nodes,zz_time_each,zz_shortest");
    tfp_buf b = { 0 };
    assert_int_equal(tfp_report_write(r, "columns", collect, &b, NULL), TFP_OK);
    static const char *const parts[] = { "\"zz_nodes\",\"unit\":\"count\"", "\"total_zz_time_each\",\"unit\":\"us\"",
                                         "\"total_zz_shortest\",\"unit\":\"us\"" };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!memmem(b.data, b.size, parts[i], strlen(parts[i]))) fail_msg("lacks %s", parts[i]);
    tfp_buf_free(&b);
    drop_report(r);
}

static void query_gives(const char *sql, const char *wanted)
{
    tfp_options *o = tfp_options_new();
    tfp_profile *p = profile_of(LINES);
    tfp_report *r = NULL;
    tfp_error *err = tfp_error_new();
    if (tfp_query((const tfp_profile *const *)&p, NULL, 1, sql, o, &r, err) != TFP_OK)
        fail_msg("%s", tfp_error_message(err));
    char *text = written(r, "csv");
    assert_string_equal(text, wanted);
    free(text);
    tfp_report_free(r);
    tfp_error_free(err);
    tfp_profile_free(p);
    tfp_options_free(o);
}

static void each_kind_is_in_queries(void **state)
{
    (void)state;
    query_gives(
        "SELECT name,total_zz_nodes,total_zz_time_each,zz_shortest,total_zz_shortest FROM scope WHERE depth < 2",
        "name,total_zz_nodes,total_zz_time_each,zz_shortest,total_zz_shortest\r\n"
        "_TFProfRoot,3,4,,3\r\na,2,3.5,,3\r\nb,1,5,5,5\r\n");
    query_gives("SELECT name, zz_nodes, zz_time_each, zz_shortest FROM op WHERE row ORDER BY zz_nodes DESC",
                "name,zz_nodes,zz_time_each,zz_shortest\r\nMatMul,2,4.5,4\r\nConv2D,1,3,3\r\n");
    query_gives("SELECT name, type, help FROM columns WHERE table_name = 'op' AND name LIKE 'zz%' ORDER BY name",
                "name,type,help\r\nzz_nodes,integer,\"Nodes, those of functions included.\"\r\n"
                "zz_shortest,real,The shortest run.\r\nzz_time_each,real,Time of a node.\r\n");
}

static void a_column_sorts_and_has_a_minimum(void **state)
{
    (void)state;
    has_rows(UNSORTED, "order_by zz_nodes", "_TFProfRoot z z/x z/y b");
    has_rows(LINES, "min_zz_nodes 2", "_TFProfRoot a");
    tfp_report *r = report_of("op", LINES, "min_zz_nodes 3");
    assert_int_equal(tfp_report_row_count(r), 2); /* the first type, whose total includes the second */
    drop_report(r);
}

static void a_column_with_fields_is_in_the_proto(void **state)
{
    (void)state;
    static const char root[] = "\xd0\x03\x03";                                /* field 58, a varint: 3 */
    tfp_report *r = report_of("scope", LINES, "select zz_nodes format json"); /* json with all numbers */
    tfp_buf b = { 0 };
    assert_int_equal(tfp_report_write(r, "proto", collect, &b, NULL), TFP_OK);
    assert_non_null(memmem(b.data, b.size, root, sizeof root - 1));
    tfp_buf_free(&b);
    drop_report(r);
}

static void a_column_counts_in_statistics(void **state)
{
    (void)state;
    counts_in_statistics("zz_nodes", "name,op,zz_nodes_mean,zz_nodes_cv,zz_nodes_min,");
}

/* ---- the program and the page ---- */

static void list_word(void *ctx, const char *word, size_t size) { tfp_buf_printf(ctx, "%.*s ", (int)size, word); }

static void completes(const char *line, const char *word)
{
    tfp_buf words = { 0 };
    cli_complete(NULL, line, strlen(line), SIZE_MAX, list_word, &words);
    tfp_buf_char(&words, 0);
    assert_string_equal(words.data, word);
    tfp_buf_free(&words);
}

static void tab_completes_both(void **state)
{
    (void)state;
    completes("scope -select micros,zz", "zz_nodes zz_time_each zz_shortest ");
    completes("scope -order_by zz", "zz_nodes zz_time_each zz_shortest ");
    completes("scope -min_zz", "-min_zz_nodes ");
    completes("zz", "zz_names ");
}

static void the_manual_and_help_tell_both(void **state)
{
    (void)state;
    tfp_buf text = { 0 };
    cli_out *out = calloc(1, sizeof *out);
    assert_non_null(out);
    *out = (cli_out){ .to = collect, .to_ctx = &text };
    cli c = { .out = out, .options = tfp_options_new(), .err = tfp_error_new() };
    assert_int_equal(cli_manual(&c), 0);
    char column[] = "zz_nodes", table[] = "zz_names", *words[] = { column, table };
    cli_call call = { .words = words, .word_count = 2 };
    assert_int_equal(cli_help(&c, &call, c.options), 0);
    assert_int_equal(cli_flush(out), 0);
    tfp_buf_char(&text, 0);
    static const char *const parts[] = { "\\fBzz_nodes\\fR", "min_zz_nodes", "zz_names",
                                         "\nNodes, those of functions included.\n", "\nLengths of names.\n" };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strstr(text.data, parts[i])) fail_msg("lacks \"%s\":\n%s", parts[i], text.data);
    tfp_buf_free(&text);
    tfp_options_free(c.options);
    tfp_error_free(c.err);
    free(out);
}

static void the_page_gets_both(void **state)
{
    (void)state;
    request asked = { .path = "/api/v1/tables" };
    question q = { .request = &asked };
    answer a = { .status = ANSWER_OK };
    routes_answer(&q, &a);
    answer_add(&a, "", 1);
    assert_int_equal(a.status, ANSWER_OK);
    assert_non_null(strstr(a.data, "{\"name\":\"zz_nodes\",\"help\":\"Nodes, those of functions included.\"}"));
    assert_non_null(strstr(a.data, "{\"name\":\"zz_nodes\",\"help\":\"By the column's total"));
    assert_non_null(strstr(a.data, "{\"name\":\"min_zz_nodes\","));
    assert_non_null(strstr(a.data, "{\"name\":\"zz_names\",\"help\":\"Lengths of names.\"}"));
    answer_free(&a);
}

/* ---- the table ---- */

static void a_table_is_in_every_output(void **state)
{
    (void)state;
    shows("zz_names", "", "text", "node  length   wait  share\na/x        3");
    shows("zz_names", "", "csv", "node,length,wait_us,share\r\na/x,3,,0.375\r\na/y,3,7,0.375\r\n");
    shows("zz_names", "", "md", "| node | length | wait | share |\n");
    shows("zz_names", "format json", "json", "{\"node\":\"a/x\",\"length\":3,\"wait_us\":null,\"share\":0.375}");
    shows("zz_names", "format jsonl", "jsonl", "{\"node\":\"a/y\",\"length\":3,\"wait_us\":7,\"share\":0.375}\n");
    shows("zz_names", "order_by node top 1", "csv", "share\r\na/x,");
}

static void a_table_is_in_the_pages_columns(void **state)
{
    (void)state;
    tfp_report *r = report_of("zz_names", LINES, "");
    tfp_buf b = { 0 };
    assert_int_equal(tfp_report_write(r, "columns", collect, &b, NULL), TFP_OK);
    static const char part[] = "\"name\":\"length\"";
    assert_non_null(memmem(b.data, b.size, part, sizeof part - 1));
    tfp_buf_free(&b);
    drop_report(r);
}

static void a_table_is_in_arrow_and_single_cells(void **state)
{
    (void)state;
    tfp_report *r = report_of("zz_names", LINES, "");
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    assert_int_equal(tfp_report_arrow(r, &stream, NULL), TFP_OK);
    assert_int_equal(stream.get_schema(&stream, &schema), 0);
    assert_int_equal(schema.n_children, 4);
    assert_string_equal(schema.children[2]->name, "wait_us");
    schema.release(&schema);
    tfp_arrow_release(&stream);
    int64_t n = -1;
    assert_int_equal(tfp_report_int(r, 2, "wait_us", &n), 1);
    assert_int_equal(n, 14);
    assert_int_equal(tfp_report_int(r, 0, "wait_us", &n), 0);
    assert_string_equal(tfp_report_column_help(r, "length"), "Characters of its name.");
    drop_report(r);
}

/* The option -view has its own list of the views, because its layer is below theirs; the list must equal the
 * registry's, without calls, whose rows are not nodes. Of the tables it has `steps`, `lines` and `triage`. */
static void the_views_with_numbers_are_those_that_can_be_compared(void **state)
{
    (void)state;
    size_t at = 0, found;
    static const char *const tables[] = { "lines", "steps", "triage", NULL };
    for (size_t i = 0; tfp_views[i]; i++) {
        bool numbers = tfp_report_kinds[tfp_views[i]->kind].numbers && strcmp(tfp_views[i]->name, "calls") != 0;
        numbers |= tfp_word_find(tfp_str_of(tfp_views[i]->name), tables, &found);
        bool known = tfp_word_find(tfp_str_of(tfp_views[i]->name), tfp_compared_views, &found);
        assert_int_equal(known, numbers);
        if (known) assert_int_equal(found, at++);
        assert_int_equal(tfp_views[i]->compared != TFP_NOT_COMPARED, known);
    }
    assert_null(tfp_compared_views[at]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_column_is_in_the_lists_and_the_help),
        cmocka_unit_test(a_column_is_in_every_output),
        cmocka_unit_test(a_ratio_is_in_every_output),
        cmocka_unit_test(a_ratio_sorts_and_counts_in_statistics),
        cmocka_unit_test(a_statistic_is_in_every_output),
        cmocka_unit_test(a_statistic_sorts_and_is_refused_where_only_sums_are),
        cmocka_unit_test(a_column_is_in_arrow_and_single_cells),
        cmocka_unit_test(each_kind_is_in_arrow),
        cmocka_unit_test(each_kind_is_in_the_pages_columns),
        cmocka_unit_test(each_kind_is_in_queries),
        cmocka_unit_test(a_column_sorts_and_has_a_minimum),
        cmocka_unit_test(a_column_with_fields_is_in_the_proto),
        cmocka_unit_test(a_column_counts_in_statistics),
        cmocka_unit_test(tab_completes_both),
        cmocka_unit_test(the_manual_and_help_tell_both),
        cmocka_unit_test(the_page_gets_both),
        cmocka_unit_test(a_table_is_in_every_output),
        cmocka_unit_test(a_table_is_in_the_pages_columns),
        cmocka_unit_test(a_table_is_in_arrow_and_single_cells),
        cmocka_unit_test(the_views_with_numbers_are_those_that_can_be_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
