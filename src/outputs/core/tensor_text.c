// SPDX-License-Identifier: Apache-2.0
/* outputs/core/tensor_text.c: a tensor's values as TensorFlow's tool prints them under a node.
 * TensorFlow builds the whole text level by level and cuts it to 10,000 characters at the end of each level. Stopping
 * at that many characters and closing the last bracket gives the same text, and that is done here. */
#include "base/dtype.h"
#include "outputs/core/tensor_text.h"

#include <stdio.h>
#include <stdlib.h>

#define SHOWN_MAX 10000 /* characters before the cut */
#define CLOSE TFP_STR("],\n")

/* Text with a limit; characters are counted as TensorFlow does, before escaping. */
typedef struct writer {
    tfp_buf *out;
    size_t left;
} writer;

static tfp_str cut(writer *w, tfp_str s)
{
    if (s.size > w->left) s.size = w->left;
    w->left -= s.size;
    return s;
}

static void put(writer *w, tfp_str s) { tfp_buf_str(w->out, cut(w, s)); }

/* The number that TensorFlow prints and stores in its protos for a double: six significant digits of it. */
static double tensor_shown(double value)
{
    char text[40];
    snprintf(text, sizeof text, "%g", value);
    return strtod(text, NULL);
}

static void put_element(writer *w, const tfp_tensor *t, size_t i)
{
    char text[400]; /* the longest double has 309 digits before the point */
    switch (t->kind) {
    case TFP_VALUES_DOUBLE:
        put(w, (tfp_str){ text, (size_t)snprintf(text, sizeof text, "%.2f ", tensor_shown(t->doubles[i])) });
        break;
    case TFP_VALUES_INT:
        put(w, (tfp_str){ text, (size_t)snprintf(text, sizeof text, "%lld ", (long long)t->ints[i]) });
        break;
    case TFP_VALUES_STRING:
        put(w, TFP_STR("'"));
        tfp_escape(w->out, cut(w, t->strings[i]));
        put(w, TFP_STR("' "));
        break;
    case TFP_VALUES_NONE: break;
    }
}

/* Whether TensorFlow prints tensors of this type. */
static bool tensor_is_shown(const tfp_tensor *t)
{
    switch (t->dtype) {
    case TFP_DT_FLOAT:
    case TFP_DT_DOUBLE:
    case TFP_DT_INT32:
    case TFP_DT_STRING:
    case TFP_DT_INT64: return t->kind != TFP_VALUES_NONE;
    default: return false;
    }
}

/* Opens and closes the levels around the elements, in order; at[] counts through every dimension. */
static void put_levels(writer *w, const tfp_tensor *t, int64_t *at)
{
    size_t depth = 0, element = 0;
    put(w, TFP_STR("["));
    while (w->left) {
        if (at[depth] == t->dims[depth]) {
            if (depth-- == 0) return;
            put(w, CLOSE);
        } else if (at[depth]++, depth + 1 == t->dim_count) {
            put_element(w, t, element++);
        } else {
            at[++depth] = 0;
            put(w, TFP_STR("["));
        }
    }
}

void tfp_tensor_text(const tfp_tensor *t, tfp_buf *out)
{
    if (!tensor_is_shown(t)) return;
    int64_t at_few[16] = { 0 }, *at = t->dim_count > 16 ? calloc(t->dim_count, sizeof *at) : at_few;
    writer w = { .out = out, .left = SHOWN_MAX };
    if (!at) {
        out->failed = true;
        return;
    }
    if (t->dim_count == 0) {
        put(&w, TFP_STR("["));
        put_element(&w, t, 0);
    } else {
        put_levels(&w, t, at);
    }
    if (at != at_few) free(at);
    tfp_buf_str(out, CLOSE);
    if (SHOWN_MAX - w.left + CLOSE.size >= SHOWN_MAX) tfp_buf_text(out, "...omitted from display\n\n");
}
