/* tests/unit/test_model.c: the builder's calls and the questions that the model answers, without any file. */
#include "support.h"

#include "model/builder.h"

typedef struct built {
    tfp_profile *p;
    tfp_builder b;
} built;

static built start(void)
{
    built x = { .p = tfp_profile_new() };
    assert_non_null(x.p);
    x.b = (tfp_builder){ .p = x.p, .file = "test" };
    return x;
}

static void finish(built *x)
{
    assert_int_equal(tfp_profile_finish(x->p, NULL), TFP_OK);
    assert_int_equal(x->b.status, TFP_OK);
}

static uint32_t new_node(built *x, const char *name)
{
    return tfp_build_node(&x->b, tfp_str_of(name), TFP_STR("Op"), true);
}

/* ---- times ---- */

static void times_of_files_in_microseconds_are_clamped_at_292_years(void **state)
{
    (void)state;
    built x = start();
    assert_int_equal(tfp_build_micros(&x.b, 12), 12000);
    assert_int_equal(tfp_build_micros(&x.b, INT64_MAX / 1000), INT64_MAX / 1000 * 1000);
    assert_int_equal(x.p->warnings.size, 0);
    assert_int_equal(tfp_build_micros(&x.b, INT64_MAX), INT64_MAX / 1000 * 1000);
    assert_int_equal(x.p->warnings.size, 1);
    tfp_profile_free(x.p);
}

/* One node that took 10 us in one step and 5.5 us in another. */
static tfp_node_stats mean_with_grain(int64_t grain_ns)
{
    built x = start();
    x.p->time_grain_ns = grain_ns;
    uint32_t node = new_node(&x, "a"), lane = tfp_build_lane(&x.b, TFP_STR("/device:cpu:0"));
    tfp_build_span(&x.b, tfp_build_exec(&x.b, node, tfp_build_step(&x.b, 0, true)), lane, 1000, 10000);
    tfp_build_span(&x.b, tfp_build_exec(&x.b, node, tfp_build_step(&x.b, 1, true)), lane, 1000, 5500);
    finish(&x);
    tfp_node_stats s;
    tfp_node_stats_at(x.p, node, TFP_NONE, &s);
    tfp_profile_free(x.p);
    return s;
}

static void means_are_cut_to_the_grain_of_the_files_times(void **state)
{
    (void)state;
    assert_int_equal(mean_with_grain(1000).cpu_ns, 7000);
    assert_int_equal(mean_with_grain(1000).total_ns, 7000);
    assert_int_equal(mean_with_grain(1).cpu_ns, 7750);
}

static void thousandths_have_as_many_decimals_as_they_need(void **state)
{
    (void)state;
    static const struct {
        int64_t n;
        const char *text;
    } cases[] = {
        { 0, "0" },
        { 12000, "12" },
        { 12300, "12.3" },
        { 12340, "12.34" },
        { 12345, "12.345" },
        { 5, "0.005" },
        { -5, "-0.005" },
        { -1500, "-1.5" },
        { INT64_MAX, "9223372036854775.807" },
        { INT64_MIN, "-9223372036854775.808" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tfp_buf b = { 0 };
        tfp_buf_thousandths(&b, cases[i].n);
        tfp_buf_char(&b, 0);
        assert_string_equal(b.data, cases[i].text);
        tfp_buf_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_of_files_in_microseconds_are_clamped_at_292_years),
        cmocka_unit_test(means_are_cut_to_the_grain_of_the_files_times),
        cmocka_unit_test(thousandths_have_as_many_decimals_as_they_need),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
