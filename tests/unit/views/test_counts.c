// SPDX-License-Identifier: Apache-2.0
/* tests/unit/views/test_counts.c: float operations in reports: the options that select them, ratios of sums, the flops
 * report. tests/flops checks the numbers of each operation. */
#include "support.h"

#include "options/options.h"
#include "views/flops/left_out.h"

#include <math.h>
#include <string.h>

/* A product of [?,3] and [3,4], an activation, and an unknown operation, as a text GraphDef. */
static const char graph_text[] =
    "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } }"
    " attr { key: 'shape' value { shape { dim { size: -1 } dim { size: 3 } } } } }\n"
    "node { name: 'w' op: 'VariableV2' attr { key: 'dtype' value { type: DT_FLOAT } }"
    " attr { key: 'shape' value { shape { dim { size: 3 } dim { size: 4 } } } } }\n"
    "node { name: 'a/product' op: 'MatMul' input: 'x' input: 'w' attr { key: 'T' value { type: DT_FLOAT } } }\n"
    "node { name: 'a/relu' op: 'Relu' input: 'a/product' attr { key: 'T' value { type: DT_FLOAT } } }\n"
    "node { name: 'b/odd' op: 'NobodyKnowsIt' input: 'a/relu' }\n";

static tfp_profile *graph_of(const char *text, unsigned keep)
{
    tfp_profile *p = tfp_profile_new();
    assert_int_equal(tfp_profile_keep(p, keep), TFP_OK);
    assert_int_equal(tfp_profile_add_bytes(p, "graph", "g", text, strlen(text), NULL), TFP_OK);
    assert_int_equal(tfp_profile_finish(p, NULL), TFP_OK);
    return p;
}

/* A report of that graph; `words` are "name value name value". */
static tfp_report *counted(const char *view, const char *words)
{
    tfp_profile *p = graph_of(graph_text, TFP_KEEP_PROGRAM);
    tfp_options *o = tfp_options_new();
    tfp_report *r = NULL;
    char *copy = strdup(words), *rest = copy;
    for (char *name, *value; (name = strtok_r(NULL, " ", &rest)) && (value = strtok_r(NULL, " ", &rest));)
        assert_int_equal(tfp_options_set(o, name, value, NULL), TFP_OK);
    assert_int_equal(tfp_report_build(p, view, o, &r, NULL), TFP_OK);
    tfp_options_free(o);
    free(copy);
    return r;
}

static double real(const tfp_report *r, const char *row, const char *column)
{
    double x = NAN;
    for (size_t i = 0; i < tfp_report_row_count(r); i++)
        if (strcmp(tfp_report_row_name(r, i), row) == 0) tfp_report_real(r, i, column, &x);
    return x;
}

/* ---- options ---- */

static void assumed_shapes_are_names_and_dims(void **state)
{
    (void)state;
    tfp_str rest = tfp_str_of("in=32,224,224,3;b:0=?x3;;scalar=;c=d=-1,None,0;bad;=3;e=1,,2;f=1x");
    tfp_assumed_text t;
    assert_true(tfp_assumed_next(&rest, &t) && !t.wrong);
    assert_str(t.name, "in");
    assert_int_equal(t.rank, 4);
    assert_int_equal(t.dims[3], 3);
    assert_true(tfp_assumed_next(&rest, &t) && !t.wrong);
    assert_str(t.name, "b");
    assert_true(t.rank == 2 && t.dims[0] == -1 && t.dims[1] == 3);
    assert_true(tfp_assumed_next(&rest, &t) && !t.wrong);
    assert_int_equal(t.rank, 0);
    assert_true(tfp_assumed_next(&rest, &t) && !t.wrong);
    assert_str(t.name, "c=d");
    assert_true(t.rank == 3 && t.dims[0] == -1 && t.dims[1] == -1 && t.dims[2] == 0);
    for (int i = 0; i < 4; i++) assert_true(tfp_assumed_next(&rest, &t) && t.wrong);
    assert_false(tfp_assumed_next(&rest, &t));
}

static void shapes_have_at_most_254_dimensions(void **state)
{
    (void)state;
    char text[2000] = "n=1";
    for (int i = 1; i < 254; i++) strcat(text, ",1");
    tfp_str rest = tfp_str_of(text);
    tfp_assumed_text t;
    assert_true(tfp_assumed_next(&rest, &t) && !t.wrong && t.rank == 254);
    strcat(text, ",1");
    rest = tfp_str_of(text);
    assert_true(tfp_assumed_next(&rest, &t) && t.wrong);
}

static void rates_have_prefixes_and_units(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double flops, bandwidth; /* 0: refused */
    } cases[] = { { "19.5T", 19.5e12, 19.5e12 },
                  { "312TFLOPS", 312e12, 0 },
                  { "2TB/s", 0, 2e12 },
                  { "1.5e12", 1.5e12, 1.5e12 },
                  { "900 GB/s", 0, 900e9 },
                  { "5 GFLOP/s", 5e9, 0 },
                  { "7", 7, 7 },
                  { "1e400", 0, 0 },
                  { "", 0, 0 },
                  { "-3T", 0, 0 },
                  { "nan", 0, 0 },
                  { "inf", 0, 0 },
                  { "0x10", 0, 0 },
                  { "0", 0, 0 },
                  { "3Q", 0, 0 },
                  { "3TB/h", 0, 0 },
                  { "T", 0, 0 },
                  { "1e1e1", 0, 0 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double x = 0;
        tfp_str text = tfp_str_of(cases[i].text);
        bool flops = tfp_rate_parse(text, tfp_flops_units, &x);
        if (flops != (cases[i].flops > 0) || (flops && x != cases[i].flops)) fail_msg("flops %s", cases[i].text);
        bool bandwidth = tfp_rate_parse(text, tfp_bandwidth_units, &x);
        if (bandwidth != (cases[i].bandwidth > 0) || (bandwidth && x != cases[i].bandwidth))
            fail_msg("bandwidth %s", cases[i].text);
    }
}

static void options_keep_what_was_assumed(void **state)
{
    (void)state;
    tfp_options *o = tfp_options_new();
    tfp_error *err = tfp_error_new();
    const char *const list[] = { "a=1", "b=2,3" };
    assert_int_equal(tfp_options_set(o, "assume-shape", "x=1", err), TFP_OK);
    assert_int_equal(tfp_options_set(o, "assume_shape", "y=2", err), TFP_OK);
    assert_string_equal(tfp_options_get(o, "assume_shape"), "x=1;y=2");
    assert_int_equal(tfp_options_set_list(o, "assume_shape", list, 2, err), TFP_OK);
    assert_string_equal(tfp_options_get(o, "assume_shape"), "a=1;b=2,3");
    tfp_options *copy = tfp_options_copy(o);
    assert_int_equal(tfp_options_set(o, "assume_shape", "", err), TFP_OK);
    assert_string_equal(tfp_options_get(o, "assume_shape"), "");
    assert_string_equal(tfp_options_get(copy, "assume_shape"), "a=1;b=2,3");
    assert_fails(tfp_options_set(o, "assume_shape", "x", err), err, TFP_BADARG,
                 "option -assume_shape: value 'x': not NAME=");
    assert_fails(tfp_options_set(o, "assume_batch", "-1", err), err, TFP_BADARG, "at least 0");
    assert_fails(tfp_options_set(o, "float_ops_source", "mine", err), err, TFP_BADARG, "files, tensorflow, own");
    assert_fails(tfp_options_set(o, "peak_flops", "2TB/s", err), err, TFP_BADARG, "312TFLOPS");
    tfp_options_free(copy);
    tfp_options_free(o);
    tfp_error_free(err);
}

static void only_what_needs_the_graph_asks_for_it(void **state)
{
    (void)state;
    tfp_options *o = tfp_options_new();
    assert_false(tfp_options_work_out(NULL));
    tfp_options_set(o, "select", "float_ops,macs", NULL);
    assert_false(tfp_options_work_out(o));
    tfp_options_set(o, "float_ops_source", "tensorflow", NULL);
    assert_true(tfp_options_work_out(o));
    tfp_options_set(o, "select", "micros", NULL);
    assert_false(tfp_options_work_out(o));
    tfp_options_set(o, "min_float_ops", "1", NULL);
    assert_true(tfp_options_work_out(o));
    tfp_options_free(o);
}

/* ---- columns ---- */

static void ratios_are_of_sums(void **state)
{
    (void)state;
    tfp_report *r =
        counted("scope", "float_ops_source own assume_batch 2 select float_ops,macs,bytes_moved,coverage,intensity");
    assert_int_equal(own(r, "a/product", "float_ops"), 2 * 2 * 3 * 4);
    assert_int_equal(own(r, "a/product", "macs"), 2 * 3 * 4);
    assert_int_equal(own(r, "a/product", "bytes_moved"), 4 * (2 * 3 + 3 * 4 + 2 * 4));
    assert_int_equal(total(r, "a", "float_ops"), 48 + 8);
    assert_true(real(r, "_TFProfRoot", "total_coverage") == 4.0 / 5);
    assert_true(real(r, "a", "total_coverage") == 1);
    assert_true(isnan(real(r, "a", "coverage")));
    assert_true(real(r, "b/odd", "coverage") == 0);
    double moved = (double)total(r, "a", "bytes_moved");
    assert_true(fabs(real(r, "a", "total_intensity") - 56 / moved) < 1e-12);
    assert_true(strstr(tfp_report_note(r, 0), "4 of 5 operations have a count"));
    drop_report(r);
}

static void rows_can_be_sorted_by_a_ratio(void **state)
{
    (void)state;
    tfp_report *r = counted(
        "scope", "float_ops_source own assume_batch 2 select intensity order_by intensity start_name_regexes a/.*");
    char *rows = rows_of(r);
    assert_string_equal(rows, "_TFProfRoot a/product a/relu");
    free(rows);
    drop_report(r);
    r = counted("op", "float_ops_source own assume_batch 2 select coverage order_by coverage max_depth 100");
    rows = rows_of(r);
    assert_string_equal(rows, "_TFProfRoot MatMul Placeholder Relu VariableV2 NobodyKnowsIt");
    free(rows);
    drop_report(r);
}

static void minimums_look_at_macs(void **state)
{
    (void)state;
    tfp_report *r = counted("scope", "float_ops_source own assume_batch 2 select macs min_macs 1");
    char *rows = rows_of(r);
    assert_string_equal(rows, "_TFProfRoot a/product");
    free(rows);
    drop_report(r);
}

static void files_alone_say_no_macs(void **state)
{
    (void)state;
    tfp_report *r = counted("scope", "select float_ops,macs,coverage");
    int64_t n;
    assert_false(tfp_report_int(r, 0, "total_macs", &n));
    assert_true(real(r, "_TFProfRoot", "total_coverage") == 0);
    assert_true(strstr(tfp_report_note(r, 0), "-float_ops_source own"));
    drop_report(r);
    r = counted("scope", "select macs order_by macs min_macs 1"); /* without effect */
    assert_int_equal(tfp_report_row_count(r), 1);
    drop_report(r);
}

static void forms_have_the_new_columns(void **state)
{
    (void)state;
    tfp_report *r = counted("scope", "float_ops_source own assume_batch 2 select macs,coverage format json");
    char *text = written(r, "json");
    assert_true(strstr(text, "\"macs\":24,\"total_macs\":24,\"coverage\":1,\"total_coverage\":1"));
    free(text);
    text = written(r, "csv");
    assert_true(strstr(
        text, "name,row,parent,depth,coverage,total_coverage,macs,total_macs\r\n_TFProfRoot,0,,0,,0.8,0,24\r\n"));
    free(text);
    text = written(r, "text");
    assert_true(strstr(text, "_TFProfRoot (--/24 macs, --/80.0%)"));
    free(text);
    text = written(r, "md");
    assert_true(strstr(text, "| a/product | 100% | 100% | 24 | 24 |") ||
                strstr(text, "a/product | 100% | 100% | 24 | 24 |"));
    free(text);
    assert_int_equal(tfp_report_column_type(r, "total_coverage"), 'r');
    drop_report(r);
}

/* ---- the flops report ---- */

static void the_summary_says_what_is_covered(void **state)
{
    (void)state;
    tfp_report *r = counted("flops", "assume_batch 2");
    assert_true(tfp_report_is_table(r));
    char *text = written(r, "json");
    assert_true(strstr(text, "\"total_float_ops\":56,\"total_macs\":24,\"at_least\":true,\"total_parameters\":12"));
    assert_true(strstr(text, "\"ops\":5,\"counted_ops\":4,\"total_coverage\":null"));
    assert_true(strstr(text, "\"no_formula\":[{\"op\":\"NobodyKnowsIt\",\"nodes\":1,\"first\":\"b/odd\"}]"));
    free(text);
    drop_report(r);
    r = counted("flops", "assume_batch 2");
    text = written(r, "text");
    assert_true(strstr(text, "multiply-adds     24       at least"));
    assert_true(strstr(text, "the work of NobodyKnowsIt is not known"));
    free(text);
    drop_report(r);
}

/* The one rule for the names of all frameworks. */
static void products_calls_and_bodies_are_work(void **state)
{
    (void)state;
    static const char *const work[] = { "MatMul",
                                        "dot",
                                        "aten::mm",
                                        "aten::linear",
                                        "aten::_grouped_mm",
                                        "Conv",
                                        "If",
                                        "StatefulPartitionedCall",
                                        "custom-call(x)",
                                        "fusion(dot)",
                                        "Attention",
                                        "com.microsoft::MultiHeadAttention",
                                        "higher_order::cond",
                                        "aten::lstm" };
    static const char *const light[] = { "Add",
                                         "aten::add",
                                         "add",
                                         "fusion(add)",
                                         "Resize",
                                         "convert",
                                         "LGamma",
                                         "aten::upsample_bilinear2d",
                                         "c10d::_communicate",
                                         "Sum" };
    for (size_t i = 0; i < sizeof work / sizeof *work; i++)
        if (!tfp_is_left_out(tfp_str_of(work[i]), true)) fail_msg("%s", work[i]);
    for (size_t i = 0; i < sizeof light / sizeof *light; i++)
        if (tfp_is_left_out(tfp_str_of(light[i]), true)) fail_msg("%s", light[i]);
    assert_true(tfp_is_left_out(TFP_STR("mine::op"), false));
    assert_false(tfp_is_left_out(TFP_STR("NonMaxSuppressionV3"), false));
}

static void what_is_missing_is_traced_to_its_beginning(void **state)
{
    (void)state;
    tfp_report *r = counted("flops", "");
    char *text = written(r, "text");
    assert_true(strstr(text, "x (Placeholder ?x3)"));
    assert_true(strstr(text, "--assume-batch 1"));
    free(text);
    drop_report(r);
}

static void every_node_is_a_line(void **state)
{
    (void)state;
    tfp_report *r = counted("flops", "nodes true assume_shape x=?,3");
    char *text = written(r, "csv");
    assert_string_equal(text, "function,name,op,output_shapes,float_ops,macs,source\r\n"
                              ",x,Placeholder,0:?x3,0,0,formula\r\n"
                              ",w,VariableV2,0:3x4,0,0,formula\r\n"
                              ",a/product,MatMul,0:?x4,,,no_shape\r\n"
                              ",a/relu,Relu,0:?x4,,,no_shape\r\n"
                              ",b/odd,NobodyKnowsIt,,,,none\r\n");
    free(text);
    drop_report(r);
}

static void without_a_graph_it_says_what_to_do(void **state)
{
    (void)state;
    tfp_report *r = NULL;
    tfp_error *err = tfp_error_new();
    tfp_options *o = tfp_options_new();
    tfp_options_set(o, "select", "macs", NULL);
    tfp_options_set(o, "float_ops_source", "own", NULL);
    tfp_profile *p = graph_of(graph_text, 0);
    assert_fails(tfp_report_build(p, "flops", NULL, &r, err), err, TFP_BADARG, "TFP_KEEP_PROGRAM");
    assert_null(r);
    assert_fails(tfp_report_build(p, "scope", o, &r, err), err, TFP_BADARG, "g: was read without its program");
    tfp_profile_free(p);
    p = tfp_profile_new();
    assert_int_equal(tfp_profile_finish(p, NULL), TFP_OK);
    assert_fails(tfp_report_build(p, "flops", NULL, &r, err), err, TFP_NOTFOUND, "give the graph file");
    tfp_profile_free(p);
    tfp_options_free(o);
    tfp_error_free(err);
}

static void operations_are_a_table(void **state)
{
    (void)state;
    assert_string_equal(tfp_help(TFP_OP_SOURCES, "MatMul"), "registry");
    assert_non_null(strstr(tfp_help(TFP_OPS, "MatMul"), "n(out)"));
    assert_string_equal(tfp_help(TFP_OPS, "PyFunc"), "no formula");
    assert_null(tfp_help(TFP_OPS, "NobodyKnowsIt"));
    for (size_t i = 0; tfp_list(TFP_OPS, i); i++) {
        assert_non_null(tfp_help(TFP_OPS, tfp_list(TFP_OPS, i)));
        assert_non_null(tfp_help(TFP_OP_SOURCES, tfp_list(TFP_OPS, i)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(assumed_shapes_are_names_and_dims),
        cmocka_unit_test(shapes_have_at_most_254_dimensions),
        cmocka_unit_test(rates_have_prefixes_and_units),
        cmocka_unit_test(options_keep_what_was_assumed),
        cmocka_unit_test(only_what_needs_the_graph_asks_for_it),
        cmocka_unit_test(ratios_are_of_sums),
        cmocka_unit_test(rows_can_be_sorted_by_a_ratio),
        cmocka_unit_test(minimums_look_at_macs),
        cmocka_unit_test(files_alone_say_no_macs),
        cmocka_unit_test(forms_have_the_new_columns),
        cmocka_unit_test(the_summary_says_what_is_covered),
        cmocka_unit_test(products_calls_and_bodies_are_work),
        cmocka_unit_test(what_is_missing_is_traced_to_its_beginning),
        cmocka_unit_test(every_node_is_a_line),
        cmocka_unit_test(without_a_graph_it_says_what_to_do),
        cmocka_unit_test(operations_are_a_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
