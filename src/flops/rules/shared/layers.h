// SPDX-License-Identifier: Apache-2.0
/* flops/rules/shared/layers.h: shared by the rules of convolutions, pools, norms and their fused and quantized forms:
 * the dimensions of an image, the positions of a window, and operations fused after a product. */
#ifndef TFP_LAYERS_H
#define TFP_LAYERS_H

#include "flops/rules/shared/rule.h"

/* The dimensions of a tensor of images, by data_format. */
typedef struct tfp_layout {
    int rank, spatials;
    int batch, depth, spatial[3];
    int inner; /* NCHW_VECT_C: the dimension of four channels each; -1 in all others */
} tfp_layout;
bool tfp_layout_of(const tfp_op *op, int spatials, tfp_layout *out); /* false: unknown data_format */

/* The windows of an op; arrays are by dimension of the layout. */
typedef enum tfp_pad { TFP_PAD_VALID, TFP_PAD_SAME, TFP_PAD_EXPLICIT } tfp_pad;
enum { TFP_WINDOW_RANK = 5 };
typedef struct tfp_window {
    tfp_layout at;
    tfp_pad pad;
    int64_t strides[TFP_WINDOW_RANK], dilations[TFP_WINDOW_RANK];
    int64_t around[TFP_WINDOW_RANK]; /* explicit padding, before and after together */
} tfp_window;
/* Reads the attributes data_format, strides, dilations, padding, explicit_paddings; false and tfp_wrong when they are
 * invalid. */
enum {
    TFP_STRIDES_GIVEN = 1, /* strides are not an attribute: the caller sets them */
    TFP_PADDING_LIST = 2   /* use the attribute padding_list of quantized ops instead of the padding */
};
bool tfp_window_read(tfp_op *op, int spatials, unsigned how, tfp_window *out);
/* Positions of a window of `size` along a dimension of size `in`; calls tfp_wrong when it does not fit. */
int64_t tfp_window_out(tfp_op *op, const tfp_window *w, int dim, int64_t in, int64_t size);

/* Reads an attribute that is a list of exactly `count` 32-bit numbers. When it is absent or empty each is `fallback`;
 * with fallback 0 it is required. */
bool tfp_attr_of_dims(tfp_op *op, const char *name, size_t count, int64_t fallback, int64_t *out);

int64_t tfp_dim_quarter(tfp_op *op, int64_t a); /* not divisible by 4: wrong */

/* Shapes shared by the plain op and its fused and quantized forms. */
void tfp_conv_shape(tfp_op *op, int spatials);
void tfp_depthwise_shape(tfp_op *op);
void tfp_avg_pool_shape(tfp_op *op, int spatials);
void tfp_max_pool_shape(tfp_op *op);
void tfp_bias_shape(tfp_op *op);
void tfp_uniform_conv_shape(tfp_op *op); /* math/uniform_conv.c */
/* For gradients: output 0 has the shape of input i, or the shape that input i holds; the rule's `per` is the number of
 * spatial dimensions. */
void tfp_image_as(tfp_op *op, uint32_t i);
void tfp_image_said(tfp_op *op, uint32_t i);

/* ---- counts ---- */
int64_t tfp_conv_macs(const tfp_op *op, int spatials);
int64_t tfp_depthwise_macs(const tfp_op *op);
int64_t tfp_uniform_conv_macs(const tfp_op *op);
int64_t tfp_attr_product(const tfp_op *op,
                         const char *name); /* product of a list of numbers; unknown when it is empty */
#define TFP_FUSED_MAX 8                     /* names in fused_ops; oneDNN takes fewer */
/* Float operations for each output element of everything that the attribute fused_ops names. */
int64_t tfp_fused_per_element(const tfp_op *op);
/* Multiply-adds, and other float operations besides. */
tfp_cost tfp_cost_mixed(int64_t macs, int64_t more);

/* The names of oneDNN's forms of an op, with which TensorFlow's graph optimiser replaces it. */
#define TFP_ONEDNN(op) " _Mkl" op " _MklNative" op

#endif
