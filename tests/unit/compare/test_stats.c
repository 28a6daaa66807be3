// SPDX-License-Identifier: Apache-2.0
/* tests/unit/compare/test_stats.c: the statistics over steps, which have a table of their own. */
#include "support.h"

#include "compare/stats.h"

#include <math.h>

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
    /* a value that does not depend on the step is the same in each */
    assert_true(cell(r, 3, "params_mean") == 6 && cell(r, 3, "params_cv") == 0);
    assert_true(cell(r, 3, "float_ops_min") == 9 && cell(r, 3, "float_ops_max") == 9);
    tfp_report_free(r);
    /* MatMul matches two patterns with the CPU and three with its device: its times count once for each pattern, its
     * runs once */
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
        cmocka_unit_test(a_spread_is_numpys),
        cmocka_unit_test(steps_without_a_run_count_as_nothing),
        cmocka_unit_test(stats_refuse_what_they_cannot_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
