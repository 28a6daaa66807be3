// SPDX-License-Identifier: Apache-2.0
/* tests/unit/formats/checkpoint/checkpoint_read.h: opens checkpoints and reads their tensors as text. */
#ifndef TFP_TEST_CHECKPOINT_READ_H
#define TFP_TEST_CHECKPOINT_READ_H

#include "support.h"

#include "formats/checkpoint/tensor.h"

#include <math.h>

/* A profile with that checkpoint, or NULL with the reason in err. */
static inline tfp_profile *open_checkpoint(const char *path, tfp_error *err)
{
    tfp_profile *p = tfp_profile_new();
    assert_non_null(p);
    if (tfp_profile_add_file(p, "checkpoint", path, err) == TFP_OK) return p;
    tfp_profile_free(p);
    return NULL;
}

static inline void put_double(tfp_buf *b, double v)
{
    if (isnan(v))
        tfp_buf_text(b, " nan");
    else
        tfp_buf_printf(b, " %.17g", v);
}

static inline void put_hex(tfp_buf *b, tfp_str s)
{
    for (size_t i = 0; i < s.size; i++) tfp_buf_printf(b, "%02x", (unsigned char)s.data[i]);
}

/* One line of tests/data/checkpoints/NAME.txt. */
static inline void put_tensor(tfp_buf *b, tfp_str name, const tfp_tensor *t)
{
    put_hex(b, name);
    tfp_buf_printf(b, " %s ", tfp_dtype_name(t->dtype));
    for (size_t i = 0; i < t->dim_count; i++) tfp_buf_printf(b, "%s%lld", i ? "x" : "", (long long)t->dims[i]);
    if (t->dim_count == 0) tfp_buf_char(b, '-');
    for (size_t i = 0; i < t->count; i++) {
        if (t->strings)
            tfp_buf_text(b, t->strings[i].size ? " " : " -"), put_hex(b, t->strings[i]);
        else if (t->ints)
            tfp_buf_printf(b, " %lld", (long long)t->ints[i]);
        else if (t->kind == TFP_VALUES_DOUBLE)
            put_double(b, t->doubles[i]);
        else
            put_double(b, t->doubles[2 * i]), put_double(b, t->doubles[2 * i + 1]);
    }
    tfp_buf_char(b, '\n');
}

/* All tensors as text; counts those that fail. Each failure must have a message. */
static inline size_t read_all(const tfp_checkpoint *c, tfp_buf *text)
{
    tfp_error *err = tfp_error_new();
    size_t failed = 0;
    for (size_t i = 0; i < tfp_checkpoint_count(c); i++) {
        tfp_str name = tfp_checkpoint_name(c, i);
        tfp_tensor t;
        tfp_error_clear(err);
        tfp_status s = tfp_checkpoint_read(c, name, &t, err);
        if (s == TFP_OK)
            put_tensor(text, name, &t);
        else
            assert_int_not_equal(*tfp_error_message(err), 0);
        failed += s != TFP_OK;
        tfp_tensor_free(&t);
    }
    tfp_error_free(err);
    return failed;
}

static inline tfp_buf content_of(const char *path)
{
    tfp_buf b = { 0 };
    assert_int_equal(tfp_read_file(path, 1 << 20, &b, NULL), TFP_OK);
    return b;
}

#endif
