// SPDX-License-Identifier: Apache-2.0
/* tests/unit/test_column.c: a column is one row. The column table is compiled again with a row more, in place of the
 * library's own, and everything that shows or takes columns must know the new one. */
#include "support.h"

#include "options/options.h"
#include "outputs/arrow.h"
#include "registry.h"
#include "views/view.h"

enum { TFP_C_EXTRA = TFP_C_COUNT };
#define TFP_EXTRA_COLUMNS "extra_column.def"
#include "options/columns.c"

#define LINES "a/x Conv2D 3us\na/y MatMul 4us\nb MatMul 5us\n"

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

static void a_column_is_in_the_lists_and_the_help(void **state)
{
    (void)state;
    assert_int_equal(tfp_column_count, TFP_C_COUNT + 1);
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

static void a_column_sorts_and_has_a_minimum(void **state)
{
    (void)state;
    tfp_report *r = report_of("scope", "b Conv2D 3us\nz/x MatMul 4us\nz/y MatMul 5us\n", "order_by zz_nodes");
    char *rows = rows_of(r);
    assert_string_equal(rows, "_TFProfRoot z z/x z/y b");
    free(rows);
    drop_report(r);
    r = report_of("scope", LINES, "min_zz_nodes 2");
    rows = rows_of(r);
    assert_string_equal(rows, "_TFProfRoot a");
    free(rows);
    drop_report(r);
    r = report_of("op", LINES, "min_zz_nodes 3");
    assert_int_equal(tfp_report_row_count(r), 2); /* the first type, whose total holds the second */
    drop_report(r);
}

/* -view knows its words below the views: they are those of the registry all the same. Of tables `steps` alone is known. */
static void the_views_with_numbers_are_those_that_can_be_compared(void **state)
{
    (void)state;
    size_t at = 0, found;
    for (size_t i = 0; tfp_views[i]; i++) {
        bool numbers = tfp_views[i]->kind != TFP_REPORT_FINDINGS && tfp_views[i]->kind != TFP_REPORT_GRID;
        numbers = numbers && strcmp(tfp_views[i]->name, "calls") != 0; /* its rows are no nodes */
        numbers |= strcmp(tfp_views[i]->name, "steps") == 0;
        bool known = tfp_word_find(tfp_str_of(tfp_views[i]->name), tfp_compared_views, &found);
        assert_int_equal(known, numbers);
        if (known) assert_int_equal(found, at++);
        assert_ptr_equal(tfp_compared_view(tfp_views[i]->name), known ? tfp_views[i] : NULL);
    }
    assert_null(tfp_compared_views[at]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_column_is_in_the_lists_and_the_help),
        cmocka_unit_test(a_column_is_in_every_output),
        cmocka_unit_test(a_column_is_in_arrow_and_single_cells),
        cmocka_unit_test(a_column_sorts_and_has_a_minimum),
        cmocka_unit_test(the_views_with_numbers_are_those_that_can_be_compared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
