// SPDX-License-Identifier: Apache-2.0
/* tests/unit/outputs/table_parts.h: helpers of the tests of flat tables: nodes and columns of a report, and its
 * texts. */
#ifndef TFP_TEST_TABLE_PARTS_H
#define TFP_TEST_TABLE_PARTS_H

#include "support.h"

static inline void is(char *text, const char *wanted)
{
    assert_string_equal(text, wanted);
    free(text);
}

#define EVERY_COLUMN                                                                                                   \
    "select accelerator_micros,bytes,cpu_micros,device,float_ops,input_shapes,micros,num_hidden_ops,occurrence,"       \
    "op_types,output_bytes,params,peak_bytes,residual_bytes,tensor_value"

static const char net[] = "a/x Conv2D 3us 2x3 7f +mine\n"
                          "a/y MatMul 4us 5B <a/x\n"
                          "b Const\n";

static inline char *string_at(const tfp_report *r, size_t row, const char *column)
{
    size_t size = tfp_report_string(r, row, column, NULL, 0);
    char *text = malloc(size + 1);
    assert_non_null(text);
    assert_int_equal(tfp_report_string(r, row, column, text, size + 1), size);
    assert_int_equal(strlen(text), size);
    return text;
}

#endif
