// SPDX-License-Identifier: Apache-2.0
/* tests/unit/compare/test_compare.c: differences of means, alignment of rows, and comparisons of steps. */
#include "support.h"

#include "compare/items.h"
#include "compare/welch.h"

#include <math.h>

/* ---- statistics ---- */

static void near(double got, double wanted, double apart)
{
    if (!(fabs(got - wanted) <= apart)) fail_msg("%.12g is not %.12g", got, wanted);
}

/* Expected values come from tables of Student's distribution (two-sided) and from closed forms: 1 degree of freedom is
 * the Cauchy distribution, 2 degrees are algebraic. */
static void quantiles_are_those_of_the_tables(void **state)
{
    (void)state;
    static const struct {
        double freedom, tail, t;
    } table[] = { { 1, 0.05, 12.706204736 },  { 2, 0.05, 4.302652730 },  { 3, 0.05, 3.182446305 },
                  { 4, 0.05, 2.776445105 },   { 10, 0.05, 2.228138852 }, { 30, 0.05, 2.042272456 },
                  { 120, 0.05, 1.979930405 }, { 10, 0.01, 3.169272667 }, { 1e7, 0.05, 1.959964 } };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        near(tfp_student_quantile(table[i].tail, table[i].freedom), table[i].t, 1e-6);
        near(tfp_student_tail(table[i].t, table[i].freedom), table[i].tail, 1e-7);
    }
    for (double t = 0; t < 50; t += 0.37) {
        near(tfp_student_tail(t, 1), 1 - 2 / 3.14159265358979323846 * atan(t), 1e-12);
        near(tfp_student_tail(t, 2), 1 - t / sqrt(2 + t * t), 1e-12);
        near(tfp_student_tail(t, 4), 1 - t * (6 + t * t) / pow(4 + t * t, 1.5), 1e-12);
    }
}

/* The samples 1 2 3 4 5 and 4 6 8 have means 3 and 6 and variances 2.5 and 4, so the error is sqrt(11/6), and there are
 * 3.5333 ... degrees of freedom. */
static void welchs_interval_is_that_of_the_textbook(void **state)
{
    (void)state;
    tfp_welch w = tfp_welch_test((tfp_sample){ 3, 10, 5 }, (tfp_sample){ 6, 8, 3 });
    double error = sqrt(11.0 / 6), freedom = 121.0 / 36 / (0.25 / 4 + 16.0 / 9 / 2);
    near((w.low + w.high) / 2, 3, 1e-12);
    near((w.high - w.low) / 2 / error, tfp_student_quantile(0.05, freedom), 1e-9);
    near(w.p, tfp_student_tail(3 / error, freedom), 1e-12);
    w = tfp_welch_test((tfp_sample){ 5, 0, 3 }, (tfp_sample){ 7, 0, 4 });
    assert_true(w.low == 2 && w.high == 2 && w.p == 0);
    w = tfp_welch_test((tfp_sample){ 5, 0, 3 }, (tfp_sample){ 5, 0, 4 });
    assert_true(w.low == 0 && w.high == 0 && w.p == 1);
    w = tfp_welch_test((tfp_sample){ 0, 2e-300, 3 }, (tfp_sample){ 0, 1e300, 4 });
    assert_true(isfinite(w.low) && isfinite(w.high) && w.p == 1);
}

/* The example of Benjamini and Hochberg's paper of 1995: four of fifteen hypotheses are rejected at 5 %. */
static void false_finds_are_held_as_in_the_paper(void **state)
{
    (void)state;
    double p[] = { 0.4262, 0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298,
                   0.0344, 0.0459, 0.3240, 0.5719, 0.6528, 0.7590, 1.0000 };
    near(tfp_false_finds(p, 15, 0.05), 0.0095, 1e-15);
    double none[] = { 0.2, 0.06, 0.9 };
    assert_true(tfp_false_finds(none, 3, 0.05) < 0);
    assert_true(tfp_false_finds(none, 0, 0.05) < 0);
}

/* ---- rows ---- */

static uint32_t path(tfp_items *x, const char *text) { return tfp_items_path(x, tfp_str_of(text)); }

static void paths_are_split_at_every_slash(void **state)
{
    (void)state;
    tfp_items x;
    assert_true(tfp_items_start(&x, tfp_str_of("root")));
    assert_int_equal(path(&x, ""), 0);
    uint32_t deep = path(&x, "a//b"), empty = x.at.at[deep].parent, a = x.at.at[empty].parent;
    assert_true(tfp_str_eq(x.at.at[empty].name, TFP_STR("a/")));
    assert_int_equal(x.at.at[deep].depth, 3);
    assert_int_equal(path(&x, "a"), a);
    assert_int_equal(path(&x, "a/"), empty);
    assert_int_equal(x.at.at[path(&x, "ab")].parent, 0);
    assert_int_not_equal(path(&x, "/"), 0);
    assert_int_equal(x.at.at[path(&x, "/")].depth, 2);
    assert_int_equal(path(&x, "a//b"), deep);
    assert_int_equal(tfp_items_path_below(&x, a, TFP_STR("a//b"), 1), deep);
    x.fixed = true;
    assert_true(path(&x, "a/new") == TFP_NONE);
    assert_int_equal(path(&x, "a//b"), deep);
    tfp_items_free(&x);
}

/* ---- reports ---- */

static double real(const tfp_report *r, size_t row, const char *column)
{
    double x = NAN;
    tfp_report_real(r, row, column, &x);
    return x;
}

static tfp_report *compared(const char *a, const char *b, const char *name, const char *value)
{
    tfp_report *r = NULL;
    tfp_sides *s = tfp_sides_new();
    tfp_options *o = tfp_options_new();
    assert_int_equal(tfp_sides_add_text_bytes(s, "a", "A", a, strlen(a), NULL), TFP_OK);
    assert_int_equal(tfp_sides_add_text_bytes(s, "b", "B", b, strlen(b), NULL), TFP_OK);
    if (name) assert_int_equal(tfp_options_set(o, name, value, NULL), TFP_OK);
    assert_int_equal(tfp_diff(s, NULL, o, &r, NULL), TFP_OK);
    tfp_sides_free(s);
    tfp_options_free(o);
    return r;
}

static void a_row_on_one_side_is_told_as_such(void **state)
{
    (void)state;
    tfp_report *r = compared("_TFProfRoot (5MB)\nx (5MB)\n", "_TFProfRoot (6MB)\ny (6MB)\n", NULL, NULL);
    char text[8];
    int64_t n;
    assert_int_equal(tfp_report_row_count(r), 3);
    assert_string_equal(tfp_report_row_name(r, 1), "y");
    tfp_report_string(r, 1, "only", text, sizeof text);
    assert_string_equal(text, "b");
    assert_true(isnan(real(r, 1, "bytes_a")));
    near(real(r, 1, "bytes_difference"), 6e6, 0);
    near(real(r, 2, "bytes_ratio"), 0, 0);
    near(real(r, 0, "bytes_ratio"), 1.2, 1e-15);
    assert_int_equal(tfp_report_int(r, 0, "nothing", &n), 0);
    tfp_report_free(r);
}

static void a_limit_tells_what_grew_over_it(void **state)
{
    (void)state;
    const char *a = "_TFProfRoot (100B)\nx (100B)\n", *b = "_TFProfRoot (105B)\nx (106B)\n";
    tfp_report *r = compared(a, b, "fail_over", "5%");
    assert_string_equal(tfp_report_over(r, 0), "x: bytes 100 B in a, 106 B in b: +6 B (+6.0%)");
    assert_null(tfp_report_over(r, 1));
    tfp_report_free(r);
    r = compared(b, a, "fail_over", "5%");
    assert_null(tfp_report_over(r, 0));
    tfp_report_free(r);
}

static void a_deep_path_costs_its_length(void **state)
{
    (void)state;
    enum { DEPTH = 1 << 20 };
    char *text = malloc(2 * DEPTH + 64);
    size_t n = (size_t)sprintf(text, "_TFProfRoot (1MB)\n");
    for (size_t i = 0; i < DEPTH; i++) n += (size_t)sprintf(text + n, "%s", i ? "/a" : "a");
    strcpy(text + n, " (2MB)\n");
    tfp_sides *s = tfp_sides_new();
    tfp_options *o = tfp_options_new();
    tfp_report *r = NULL;
    for (int i = 0; i < 2; i++)
        assert_int_equal(tfp_sides_add_text_bytes(s, NULL, "A", text, i ? 18 : n + 7, NULL), TFP_OK);
    assert_int_equal(tfp_diff(s, NULL, o, &r, NULL), TFP_LIMIT);
    assert_int_equal(tfp_options_set(o, "max_depth", "3", NULL), TFP_OK);
    assert_int_equal(tfp_diff(s, NULL, o, &r, NULL), TFP_OK);
    assert_int_equal(tfp_report_row_count(r), 4);
    tfp_report_free(r);
    tfp_options_free(o);
    tfp_sides_free(s);
    free(text);
}

static void wrong_calls_are_refused(void **state)
{
    (void)state;
    tfp_report *r = NULL;
    tfp_sides *s = tfp_sides_new();
    assert_int_equal(tfp_diff(s, NULL, NULL, &r, NULL), TFP_BADARG);
    assert_int_equal(tfp_diff(NULL, NULL, NULL, &r, NULL), TFP_BADARG);
    assert_int_equal(tfp_sides_add(s, NULL, NULL, NULL, -1, NULL), TFP_BADARG);
    assert_int_equal(tfp_sides_add_text(s, NULL, NULL, NULL), TFP_BADARG);
    assert_int_equal(tfp_sides_add_text(s, NULL, "/nowhere", NULL), TFP_BADFILE);
    assert_int_equal(tfp_sides_add_text_bytes(s, NULL, "empty", NULL, 0, NULL), TFP_BADFILE);
    assert_int_equal(tfp_is_scope_text(NULL, 0), 0);
    assert_null(tfp_report_over(NULL, 0));
    tfp_sides_free(s);
    tfp_sides_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_are_those_of_the_tables),
        cmocka_unit_test(welchs_interval_is_that_of_the_textbook),
        cmocka_unit_test(false_finds_are_held_as_in_the_paper),
        cmocka_unit_test(paths_are_split_at_every_slash),
        cmocka_unit_test(a_row_on_one_side_is_told_as_such),
        cmocka_unit_test(a_limit_tells_what_grew_over_it),
        cmocka_unit_test(a_deep_path_costs_its_length),
        cmocka_unit_test(wrong_calls_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
