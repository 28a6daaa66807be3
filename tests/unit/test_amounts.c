// SPDX-License-Identifier: Apache-2.0
/* tests/unit/test_amounts.c: values of options: amounts with units, real numbers, columns in the order asked. */
#include "support.h"

#include <math.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(amounts_have_units),
        cmocka_unit_test(options_check_amounts),
        cmocka_unit_test(columns_keep_the_order_asked),
        cmocka_unit_test(reals_read_like_whole_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
