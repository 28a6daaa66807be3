// SPDX-License-Identifier: Apache-2.0
/* tests/unit/advise/test_advise.c: findings are true by default; -compat tensorflow repeats those of TensorFlow's
 * tool. */
#include "model/tables/profile.h"

#include "model/tables/runs.h"
#include "support.h"
#include "views/core/findings.h"
#include "views/core/view.h"

#define GPU0 "/job:localhost/replica:0/task:0/device:gpu:0"

static bool finds(const tfp_report *r, const char *part)
{
    bool found = false;
    for (size_t i = 0; i < r->findings.size; i++) found |= tfp_str_has(r->findings.at[i].text, tfp_str_of(part));
    return found;
}

/* The findings of one checker, or of all; one of them must contain `part` (NULL: there must be no finding). */
static void advises(const char *lines, const char *options, const char *part)
{
    tfp_report *r = report_of("advise", lines, options);
    if (part && !finds(r, part)) fail_msg("no finding has \"%s\"", part);
    if (!part && r->findings.size) fail_msg("found \"%s\"", r->findings.at[0].text.data);
    drop_report(r);
}

/* ---- OperationChecker ---- */

static void a_fused_batch_norm_is_no_finding(void **state)
{
    (void)state;
    static const char fused[] = "net/BatchNorm/FusedBatchNormV3 FusedBatchNormV3 3us\n";
    advises(fused, "checkers OperationChecker", NULL);
    advises(fused, "compat tensorflow checkers OperationChecker",
            "Maybe use faster FusedBatchNorm instead of BatchNorm");
}

/* A batch normalisation of a tensor of that rank, as tf.nn.batch_normalization builds it. */
static tfp_report *advice_on_norm(const int64_t *dims, size_t rank)
{
    tfp_profile *p = tfp_profile_new();
    tfp_builder b = { .p = p };
    tfp_build_node(&b, TFP_STR("net/batchnorm/Rsqrt"), TFP_STR("Rsqrt"), true);
    uint32_t scaled = tfp_build_node(&b, TFP_STR("net/batchnorm/mul_1"), TFP_STR("Mul"), true);
    if (rank) tfp_build_output(&b, scaled, 0, tfp_build_shape(&b, dims, rank, false));
    assert_int_equal(tfp_build_finish(&b, NULL), TFP_OK);
    tfp_options *o = tfp_options_new();
    tfp_report *r = NULL;
    assert_int_equal(tfp_options_set(o, "checkers", "OperationChecker", NULL), TFP_OK);
    assert_int_equal(tfp_report_build(p, "advise", o, &r, NULL), TFP_OK);
    tfp_options_free(o);
    return r;
}

static void batch_norm_is_found_where_the_fused_operation_would_do(void **state)
{
    (void)state;
    static const int64_t dims[] = { 8, 4, 4, 3, 2, 2 };
    for (size_t rank = 0; rank <= 6; rank++) {
        tfp_report *r = advice_on_norm(dims, rank);
        assert_int_equal(r->findings.size, rank == 4 || rank == 5);
        if (r->findings.size) assert_true(finds(r, "1 batch normalisation is not fused: net/batchnorm/Rsqrt"));
        drop_report(r);
    }
}

/* ---- ExpensiveOperationChecker ---- */

static void an_operation_type_over_half_of_the_time_is_found(void **state)
{
    (void)state;
    static const char one[] = "a/x Conv2D 60us\na/y MatMul 10us\nb/x Add 10us\nb/y Add 10us\n";
    advises(one, "checkers ExpensiveOperationChecker",
            "operation type Conv2D takes 66.67% of all time with 1 of the 4 operations that ran, cpu: 60us");
    advises(one, "checkers ExpensiveOperationChecker", "scope a/x takes 66.67%");
}

static void even_times_are_no_finding(void **state)
{
    (void)state;
    static const char even[] = "v/a Conv2D 10us\nv/b MatMul 10us\nv/c Add 10us\nv/d Sub 10us\n";
    advises(even, "checkers ExpensiveOperationChecker", NULL);
    advises(even, "compat tensorflow checkers ExpensiveOperationChecker", "top 1 operation type: ");
}

static void many_operations_of_one_type_are_no_finding(void **state)
{
    (void)state;
    advises("a Conv2D 40us\nb Conv2D 30us\nc Add 10us\nd Sub 10us\ne Mul 9us\n", "checkers ExpensiveOperationChecker",
            NULL);
}

/* ---- AcceleratorUtilizationChecker ---- */

/* Two steps with one kernel each, which is busy for busy_us of the step's span_us. */
static tfp_report *advice_on_gpu(int64_t busy_us, int64_t span_us, const char *compat)
{
    tfp_profile *p = tfp_profile_new();
    tfp_builder b = { .p = p };
    uint32_t x = tfp_build_node(&b, TFP_STR("x"), TFP_STR("Conv2D"), true);
    runs_on(&b, x, GPU0);
    for (int64_t step = 0; step < 2; step++) {
        uint32_t e = tfp_build_exec(&b, x, tfp_build_step(&b, step, true));
        int64_t start = 1000000 * (step + 1);
        tfp_build_span(&b, e, lane_named(&b, GPU0), start * 1000, span_us * 1000);
        tfp_build_span(&b, e, lane_named(&b, GPU0 "/stream:all"), start * 1000, busy_us * 1000);
        p->runs->execs.at[e].run_count = 1;
        p->runs->execs.at[e].start_ns = start * 1000;
        p->runs->execs.at[e].end_ns = (start + span_us) * 1000;
    }
    assert_int_equal(tfp_build_finish(&b, NULL), TFP_OK);
    tfp_options *o = tfp_options_new();
    tfp_report *r = NULL;
    assert_int_equal(tfp_options_set(o, "checkers", "AcceleratorUtilizationChecker", NULL), TFP_OK);
    assert_int_equal(tfp_options_set(o, "compat", compat, NULL), TFP_OK);
    assert_int_equal(tfp_report_build(p, "advise", o, &r, NULL), TFP_OK);
    tfp_options_free(o);
    return r;
}

static void only_an_idle_accelerator_is_found(void **state)
{
    (void)state;
    tfp_report *busy = advice_on_gpu(900, 1000, ""), *idle = advice_on_gpu(200, 1000, ""),
               *untraced = advice_on_gpu(0, 1000, ""), *tensorflow = advice_on_gpu(900, 1000, "tensorflow");
    assert_int_equal(busy->findings.size, 0);
    assert_int_equal(untraced->findings.size, 0);
    assert_true(finds(idle, "device: " GPU0 " low utilization: 0.20 (kernels ran 200us of 1.00ms, mean of all steps)"));
    assert_true(finds(tensorflow, " utilization: 0.90"));
    drop_report(busy);
    drop_report(idle);
    drop_report(untraced);
    drop_report(tensorflow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fused_batch_norm_is_no_finding),
        cmocka_unit_test(batch_norm_is_found_where_the_fused_operation_would_do),
        cmocka_unit_test(an_operation_type_over_half_of_the_time_is_found),
        cmocka_unit_test(even_times_are_no_finding),
        cmocka_unit_test(many_operations_of_one_type_are_no_finding),
        cmocka_unit_test(only_an_idle_accelerator_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
