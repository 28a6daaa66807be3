// SPDX-License-Identifier: Apache-2.0
/* tests/unit/options/test_amounts.c: values of options: amounts with units, real numbers, columns in the order
 * asked. */
#include "options/options.h"
#include "support.h"

#include <math.h>

#define US "\xc2\xb5s" /* microseconds */

static void amounts_have_units(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
        tfp_unit unit;
        bool percent;
    } good[] = {
        { "1000", 1000, TFP_LABEL, false },
        { "1.5", 1.5, TFP_LABEL, false },
        { "0", 0, TFP_LABEL, false },
        { ".5", .5, TFP_LABEL, false },
        { "5%", 5, TFP_LABEL, true },
        { "0.5%", .5, TFP_LABEL, true },
        { "7B", 7, TFP_SIZE, false },
        { "2KB", 2e3, TFP_SIZE, false },
        { "1MB", 1e6, TFP_SIZE, false },
        { "1.5GB", 1.5e9, TFP_SIZE, false },
        { "9us", 9, TFP_MICROS, false },
        { "10ms", 1e4, TFP_MICROS, false },
        { "3s", 3e6, TFP_MICROS, false },
        { "3sec", 3e6, TFP_MICROS, false },
        { "2k", 2e3, TFP_NUMBER, false },
        { "2m", 2e6, TFP_NUMBER, false },
        { "2b", 2e9, TFP_NUMBER, false },
        { "2t", 2e12, TFP_NUMBER, false },
        { "1 MB", 1e6, TFP_SIZE, false },
        { "2 kB", 2e3, TFP_SIZE, false },
        { "5 \xc2\xb5s", 5, TFP_MICROS, false },
        { "5 ns", 5e-3, TFP_MICROS, false },
        { "2 M", 2e6, TFP_NUMBER, false },
        { "3G", 3e9, TFP_NUMBER, false },
        { "5 %", 5, TFP_LABEL, true },
    };
    static const char *const bad[] = {
        "",   "MB",  "-1",    "1e3", "1  MB",
        "1 ", "1mb", "1.2.3", ".",   "0x10",
        "%",  "1%%", "1KiB",  "nan", "inf",
        "+1", "1,5", "1MB ",  "..",  "1111111111111111111111111111111111111111111111111111111111111111111111"
    };
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
    assert_true(tfp_option_changes("select", "scope") && tfp_option_changes("min_micros", "op"));
    assert_true(tfp_option_changes("format", "kernel") && tfp_option_changes("delta", "diff"));
    assert_false(tfp_option_changes("select", "kernel") || tfp_option_changes("min_micros", "kernel"));
    assert_false(tfp_option_changes("delta", "scope") || tfp_option_changes("nope", "scope"));
    assert_false(tfp_option_changes(NULL, NULL));
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

/* Numbers have the form that people write: three digits, a blank, the unit. */
static void numbers_are_as_people_write_them(void **state)
{
    (void)state;
    static const struct {
        tfp_unit unit;
        double x;
        const char *text;
    } cases[] = {
        { TFP_MICROS, 2040000, "2.04 s" },
        { TFP_MICROS, 189960, "190 ms" },
        { TFP_MICROS, 0.00595, "5.95 ns" },
        { TFP_NUMBER, 7.69e9, "7.69 G" },
        { TFP_SIZE, 12.4e9, "12.4 GB" },
        { TFP_MICROS, 0, "0 " US },
        { TFP_MICROS, 999, "999 " US },
        { TFP_MICROS, 999.4, "999 " US },
        { TFP_MICROS, 999.5, "1.00 ms" },
        { TFP_MICROS, 1500, "1.50 ms" },
        { TFP_MICROS, 9.999, "10.0 " US },
        { TFP_MICROS, 99.97, "100 " US },
        { TFP_MICROS, 12.5, "12.5 " US },
        { TFP_MICROS, 0.25, "250 ns" },
        { TFP_MICROS, 0.9996, "1.00 " US },
        { TFP_MICROS, 3.6e9, "3600 s" },
        { TFP_MICROS, -1500, "-1.50 ms" },
        { TFP_MICROS, 1e-9, "1e-06 ns" },
        { TFP_SIZE, 1234567, "1.23 MB" },
        { TFP_SIZE, 1e10, "10.0 GB" },
        { TFP_SIZE, 999.999, "1.00 kB" },
        { TFP_SIZE, 9e18, "9.00 EB" },
        { TFP_NUMBER, 1280, "1,280" },
        { TFP_NUMBER, 999.7, "1,000" },
        { TFP_NUMBER, 999999, "999,999" },
        { TFP_NUMBER, 999999.6, "1.00 M" },
        { TFP_NUMBER, 2, "2" },
        { TFP_NUMBER, 2.5, "2.50" },
        { TFP_NUMBER, 0.00123, "0.00123" },
        { TFP_SHARE, 0.4234, "42.3%" },
        { TFP_SHARE, 1, "100%" },
        { TFP_SHARE, 0.99996, "100%" },
        { TFP_SHARE, 0.0001, "<0.1%" },
        { TFP_SHARE, 0, "0%" },
        { TFP_PERCENT, 213.65, "214%" },
        { TFP_SHARE, -0.05, "-5.0%" },
        { TFP_LABEL, 57.735, "57.73" },
        { TFP_LABEL, 1234567, "1234567" },
        { TFP_LABEL, 0.00123, "0.00123" },
        { TFP_LABEL, 1e300, "1e+300" },
        { TFP_LABEL, NAN, "nan" },
        { TFP_LABEL, -INFINITY, "-inf" },
        { TFP_LABEL, -0.0, "0" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tfp_buf b = { 0 };
        tfp_format_real(&b, cases[i].unit, cases[i].x);
        tfp_buf_char(&b, 0);
        if (strcmp(b.data, cases[i].text) != 0) fail_msg("%g is %s, not %s", cases[i].x, b.data, cases[i].text);
        tfp_buf_free(&b);
    }
}

/* Decimals are rounded like those of printf, ties included. */
static void decimals_round_like_printf(void **state)
{
    (void)state;
    for (int64_t i = 1; i < 200000; i++) {
        double x = 1 + (double)(i * 7919 % 1000003) / (double)(i % 2 ? 1 << i % 12 : 1000);
        char text[40];
        tfp_buf b = { 0 };
        tfp_format_real(&b, TFP_LABEL, x);
        tfp_buf_char(&b, 0);
        snprintf(text, sizeof text, x == floor(x) ? "%.0f" : "%.2f", x);
        if (strcmp(b.data, text) != 0) fail_msg("%.17g is %s, not %s", x, b.data, text);
        tfp_buf_free(&b);
    }
}

/* A whole number has the same text as the same number stored as a real. */
static void whole_numbers_read_like_reals(void **state)
{
    (void)state;
    static const int64_t all[] = { 0, 7, -7, 999, 1000, -1500, 61706, 1234567, 7690000000, INT64_MAX };
    static const tfp_unit of[] = { TFP_MICROS, TFP_SIZE, TFP_NUMBER };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (size_t u = 0; u < sizeof of / sizeof *of; u++) {
            tfp_buf a = { 0 }, b = { 0 };
            tfp_format_amount(&a, of[u], all[i]);
            tfp_format_real(&b, of[u], (double)all[i]);
            assert_true(tfp_str_eq((tfp_str){ a.data, a.size }, (tfp_str){ b.data, b.size }));
            tfp_buf_free(&a);
            tfp_buf_free(&b);
        }
}

/* Column heads do not repeat the unit that the cells show. */
static void heads_have_no_units(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        tfp_unit unit;
        const char *head;
    } cases[] = {
        { "total_us", TFP_MICROS, "total" },
        { "micros", TFP_MICROS, "time" },
        { "cpu_micros", TFP_MICROS, "cpu_time" },
        { "micros_mean", TFP_MICROS, "time_mean" },
        { "micros_cv", TFP_PERCENT, "time_cv" },
        { "accelerator_micros", TFP_MICROS, "device_time" },
        { "bytes", TFP_SIZE, "bytes" },
        { "_us", TFP_MICROS, "_us" },
        { "bonus", TFP_MICROS, "bonus" },
        { "status_us", TFP_NUMBER, "status_us" },
        { "microscope", TFP_MICROS, "microscope" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tfp_buf b = { 0 };
        tfp_head_put(&b, cases[i].name, cases[i].unit);
        tfp_buf_char(&b, 0);
        assert_string_equal(b.data, cases[i].head);
        assert_true(tfp_is_head(tfp_str_of(cases[i].head), cases[i].name, cases[i].unit));
        tfp_buf_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(amounts_have_units),           cmocka_unit_test(options_check_amounts),
        cmocka_unit_test(columns_keep_the_order_asked), cmocka_unit_test(numbers_are_as_people_write_them),
        cmocka_unit_test(decimals_round_like_printf),   cmocka_unit_test(whole_numbers_read_like_reals),
        cmocka_unit_test(heads_have_no_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
