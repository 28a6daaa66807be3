// SPDX-License-Identifier: Apache-2.0
/* tests/unit/outputs/test_tensor_text.c: tensors as text in TensorFlow's form. */
#include "support.h"

#include "formats/checkpoint/tensor.h"
#include "outputs/core/tensor_text.h"

#include <math.h>

static char *text_of(tfp_tensor t)
{
    static const int64_t ones[20000];
    tfp_buf b = { 0 };
    if (!t.kind) t.kind = TFP_VALUES_INT;
    if (!t.ints) t.ints = (int64_t *)(uintptr_t)ones;
    tfp_tensor_text(&t, &b);
    tfp_buf_char(&b, '\0');
    assert_false(b.failed);
    return b.data;
}

static void assert_text(tfp_tensor t, const char *wanted)
{
    char *got = text_of(t);
    assert_string_equal(got, wanted);
    free(got);
}

static void tensors_print_as_tensorflow_prints_them(void **state)
{
    (void)state;
    int64_t ints[] = { 1, -2, 3, 4, 5, 6 };
    double doubles[] = { 1234567.891, 2.675, -0.0, 1e-310, NAN, -INFINITY };
    tfp_str strings[] = { TFP_STR("it's"), TFP_STR("a\nb") };
    assert_text((tfp_tensor){ .dtype = 3, .count = 1, .ints = ints }, "[1 ],\n");
    assert_text((tfp_tensor){ .dtype = 9, .count = 2, .ints = ints, .dim_count = 1, .dims = (int64_t[]){ 2 } },
                "[1 -2 ],\n");
    assert_text((tfp_tensor){ .dtype = 3, .count = 6, .ints = ints, .dim_count = 2, .dims = (int64_t[]){ 2, 3 } },
                "[[1 -2 3 ],\n[4 5 6 ],\n],\n");
    assert_text((tfp_tensor){ .dtype = 3, .count = 2, .ints = ints, .dim_count = 3, .dims = (int64_t[]){ 2, 1, 1 } },
                "[[[1 ],\n],\n[[-2 ],\n],\n],\n");
    assert_text((tfp_tensor){ .dtype = 2,
                              .count = 6,
                              .kind = TFP_VALUES_DOUBLE,
                              .doubles = doubles,
                              .dim_count = 1,
                              .dims = (int64_t[]){ 6 } },
                "[1234570.00 2.67 -0.00 0.00 nan -inf ],\n");
    assert_text((tfp_tensor){ .dtype = 7,
                              .count = 2,
                              .kind = TFP_VALUES_STRING,
                              .strings = strings,
                              .dim_count = 1,
                              .dims = (int64_t[]){ 2 } },
                "['it's' 'a\\x0ab' ],\n");
}

static void empty_tensors_and_other_types_print_little(void **state)
{
    (void)state;
    assert_text((tfp_tensor){ .dtype = 3, .dim_count = 1, .dims = (int64_t[]){ 0 } }, "[],\n");
    assert_text((tfp_tensor){ .dtype = 3, .dim_count = 2, .dims = (int64_t[]){ 2, 0 } }, "[[],\n[],\n],\n");
    assert_text((tfp_tensor){ .dtype = 3, .dim_count = 2, .dims = (int64_t[]){ 0, 2 } }, "[],\n");
    assert_text((tfp_tensor){ .dtype = 10, .count = 1, .dim_count = 1, .dims = (int64_t[]){ 1 } }, "");
    assert_text((tfp_tensor){ .dtype = 4, .count = 1, .dim_count = 1, .dims = (int64_t[]){ 1 } }, "");
}

/* The text has "[", then "0 " for each element; it is cut at 10,000 characters before the last bracket. */
static void long_tensors_are_cut(void **state)
{
    (void)state;
    static const char tail[] = "],\n...omitted from display\n\n";
    static const struct {
        int64_t count;
        size_t size;
        bool omitted;
    } cases[] = { { 4997, 1 + 2 * 4997 + 3, false },
                  { 4998, 1 + 2 * 4998 + 3, true },
                  { 4999, 1 + 2 * 4999 + 3, true },
                  { 5000, 10000 + 3, true },
                  { 20000, 10000 + 3, true } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *got = text_of((tfp_tensor){
            .dtype = 3, .count = (size_t)cases[i].count, .dim_count = 1, .dims = (int64_t[]){ cases[i].count } });
        assert_int_equal(strlen(got), cases[i].size + (cases[i].omitted ? strlen(tail) - 3 : 0));
        assert_int_equal(strstr(got, "omitted") != NULL, cases[i].omitted);
        free(got);
    }
    int64_t deep[200];
    for (size_t i = 0; i < 200; i++) deep[i] = 1;
    deep[0] = INT64_C(1) << 50; /* no elements, but the brackets alone would take days */
    deep[199] = 0;
    char *got = text_of((tfp_tensor){ .dtype = 3, .dim_count = 200, .dims = deep });
    assert_int_equal(strlen(got), 10000 + strlen(tail));
    assert_string_equal(got + 10000, tail);
    free(got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tensors_print_as_tensorflow_prints_them),
        cmocka_unit_test(empty_tensors_and_other_types_print_little),
        cmocka_unit_test(long_tensors_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
