// SPDX-License-Identifier: Apache-2.0
/* The formulas of cost/cost.h against loops that do the operation and count. */
#include "cost/cost.h"

#include "support.h"

static void windows_stand_where_all_their_elements_are_inside(void **state)
{
    (void)state;
    for (int code = 0; code < 10 * 5 * 3 * 3 * 5; code++) {
        tfp_window_axis a = { .size = code % 10, .window = 1 + code / 10 % 5, .stride = 1 + code / 50 % 3 };
        a.dilation = 1 + code / 150 % 3;
        a.padding = code / 450;
        int64_t count = 0;
        for (int64_t at = 0; at + a.dilation * (a.window - 1) < a.size + a.padding; at += a.stride) count++;
        assert_int_equal(tfp_window_positions(&a), count);
    }
}

static void attention_backward_has_five_products(void **state)
{
    (void)state;
    enum { QUERIES = 3, KEYS = 5, WIDTH = 7, VALUE_WIDTH = 2 };
    int64_t scores = 0, values = 0;
    for (int q = 0; q < QUERIES; q++) {
        for (int k = 0; k < KEYS; k++) {
            for (int i = 0; i < WIDTH; i++) scores++;       /* a score; the gradients of its query and of its key */
            for (int i = 0; i < VALUE_WIDTH; i++) values++; /* a value; the gradients of the score and of the value */
        }
    }
    assert_int_equal(tfp_attention_macs(QUERIES * KEYS, WIDTH, VALUE_WIDTH, false), scores + values);
    assert_int_equal(tfp_attention_macs(QUERIES * KEYS, WIDTH, VALUE_WIDTH, true), 3 * scores + 2 * values);
}

static void convolutions_meet_each_weight_at_each_position(void **state)
{
    (void)state;
    enum { IMAGES = 2, SIZE = 6, WINDOW = 3, IN = 4, OUT = 5 };
    int64_t macs = 0;
    for (int image = 0; image < IMAGES; image++)
        for (int at = 0; at + WINDOW <= SIZE; at++)
            for (int out = 0; out < OUT; out++)
                for (int in = 0; in < IN; in++) macs += WINDOW;
    tfp_window_axis a = { .size = SIZE, .window = WINDOW, .stride = 1, .dilation = 1 };
    assert_int_equal(tfp_convolution_macs(WINDOW * IN * OUT, IMAGES, tfp_window_positions(&a)), macs);
}

/* Float operations of Cholesky's algorithm on one matrix. */
static int64_t cholesky_steps(int64_t n)
{
    int64_t steps = 0;
    for (int64_t j = 0; j < n; j++) {
        steps += 2 * j + 1; /* the root of what is left on the diagonal */
        for (int64_t i = j + 1; i < n; i++) steps += 2 * j + 1;
    }
    return steps;
}

static int64_t lu_steps(int64_t n)
{
    int64_t steps = 0;
    for (int64_t k = 0; k < n; k++)
        for (int64_t i = k + 1; i < n; i++) steps += 1 + 2 * (n - k - 1); /* a quotient, and a row less its multiple */
    return steps;
}

static void decompositions_are_counted_but_for_squares_of_n(void **state)
{
    (void)state;
    for (int64_t n = 1; n < 200; n += 13) {
        int64_t cholesky = tfp_decomposition_flops(3 * n * n, n, 1), lu = tfp_decomposition_flops(3 * n * n, n, 2);
        assert_true(llabs(cholesky - 3 * cholesky_steps(n)) <= 3 * n * n);
        assert_true(llabs(lu - 3 * lu_steps(n)) <= 3 * n * n);
    }
}

/* Comparisons of a merge sort that goes through all n elements on each level. */
static void sorts_compare_each_element_on_each_level(void **state)
{
    (void)state;
    for (int64_t n = 1; n < 300; n++) {
        int64_t steps = 0;
        for (int64_t sorted = 1; sorted < n; sorted *= 2) steps += n;
        assert_int_equal(tfp_sort_flops(n), steps);
    }
}

static void unknown_and_overflow_stay_unknown(void **state)
{
    (void)state;
    assert_int_equal(tfp_times(0, TFP_UNKNOWN), TFP_UNKNOWN);
    assert_int_equal(tfp_times(INT64_C(1) << 32, INT64_C(1) << 31), TFP_UNKNOWN);
    assert_int_equal(tfp_times(INT64_C(1) << 31, INT64_C(1) << 31), INT64_C(1) << 62);
    assert_int_equal(tfp_plus(INT64_MAX, 1), TFP_UNKNOWN);
    assert_int_equal(tfp_minus(3, 4), TFP_UNKNOWN);
    assert_int_equal(tfp_over(3, 0), TFP_UNKNOWN);
    assert_int_equal(tfp_attention_macs(TFP_UNKNOWN, 1, 1, false), TFP_UNKNOWN);
    assert_int_equal(tfp_sort_flops(TFP_UNKNOWN), TFP_UNKNOWN);
    assert_int_equal(tfp_decomposition_flops(INT64_MAX / 2, 4, 1), TFP_UNKNOWN);
    static const tfp_window_axis wrong[] = { { TFP_UNKNOWN, 3, 1, 1, 0 }, { 9, TFP_UNKNOWN, 1, 1, 0 },
                                             { 9, 3, 0, 1, 0 },           { 9, 3, 1, -1, 0 },
                                             { 9, 3, 1, 1, -2 },          { INT64_MAX, 3, 1, 1, 1 },
                                             { 9, INT64_MAX, 1, 3, 0 } };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(tfp_window_positions(&wrong[i]), TFP_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_stand_where_all_their_elements_are_inside),
        cmocka_unit_test(attention_backward_has_five_products),
        cmocka_unit_test(convolutions_meet_each_weight_at_each_position),
        cmocka_unit_test(decompositions_are_counted_but_for_squares_of_n),
        cmocka_unit_test(sorts_compare_each_element_on_each_level),
        cmocka_unit_test(unknown_and_overflow_stay_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
