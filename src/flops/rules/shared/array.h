// SPDX-License-Identifier: Apache-2.0
/* flops/rules/shared/array.h: shared by the rules for arrays and constant folding: values of constants, arithmetic of
 * dimensions, and the plan of a strided slice. */
#ifndef TFP_ARRAY_H
#define TFP_ARRAY_H

#include "flops/rules/shared/rule.h"

/* ---- elements ---- */
bool tfp_whole(double x, int64_t *out);                         /* an integer below 2^53 */
const double *tfp_in_all(const tfp_op *op, uint32_t i);         /* the elements when all are known, else NULL */
int64_t tfp_in_at(const tfp_op *op, uint32_t i, int64_t index); /* one element; INT64_MIN when it is not known */

/* ---- dimensions; unknown stays unknown unless the other operand decides ---- */
int64_t tfp_dim_over(tfp_op *op, int64_t a, int64_t b); /* must divide evenly */

/* ---- strided slices ---- */
typedef struct tfp_stride {
    int64_t begin, stride, count; /* count: TFP_DIM_UNKNOWN when not known; begin is then meaningless */
    bool placed;                  /* begin and stride are known */
} tfp_stride;
typedef struct tfp_strided {
    int rank, out_rank;
    tfp_stride at[TFP_RANK_MOST]; /* by dimension of the input; a dropped one has a count of 1 */
    int64_t out[TFP_RANK_MOST];   /* the dimensions of the result */
} tfp_strided;
/* Begin, end and strides are inputs 1, 2 and 3, masks are attributes. False when not even the rank is known. */
bool tfp_strided_plan(tfp_op *op, tfp_dims input, tfp_strided *out);

/* ---- shapes; arrays/slice.c ---- */
void tfp_shape_slice(tfp_op *op);
void tfp_shape_strided_slice(tfp_op *op);
void tfp_shape_concat(tfp_op *op);    /* the axis is input 0 */
void tfp_shape_concat_v2(tfp_op *op); /* the axis is the last input */
void tfp_shape_pack(tfp_op *op);
void tfp_shape_unpack(tfp_op *op);
void tfp_shape_split(tfp_op *op);
void tfp_shape_split_v(tfp_op *op);
void tfp_shape_pad(tfp_op *op);
void tfp_shape_mirror_pad_grad(tfp_op *op);
void tfp_shape_tile(tfp_op *op);
void tfp_shape_tile_grad(tfp_op *op);

/* ---- shapes; arrays/value.c ---- */
void tfp_shape_broadcast_gradient_args(tfp_op *op);
void tfp_shape_list_diff(tfp_op *op);
void tfp_shape_where(tfp_op *op);
void tfp_shape_unique(tfp_op *op);
void tfp_shape_unique_v2(tfp_op *op);

/* ---- shapes; arrays/space.c ---- */
void tfp_shape_space_to_batch_nd(tfp_op *op);
void tfp_shape_space_to_batch(tfp_op *op);
void tfp_shape_batch_to_space_nd(tfp_op *op);
void tfp_shape_batch_to_space(tfp_op *op);
void tfp_shape_space_to_depth(tfp_op *op);
void tfp_shape_depth_to_space(tfp_op *op);
void tfp_shape_image_patches(tfp_op *op);
void tfp_shape_volume_patches(tfp_op *op);

#endif
