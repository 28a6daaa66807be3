// SPDX-License-Identifier: Apache-2.0
/* flops/fold/fold.h: shared by the parts of constant folding.
 * Each element is known or unknown on its own, so a tensor may be known in part. TensorFlow's importer knows less, and
 * so does this code when op->importer is set (tensorflow/core/common_runtime/eval_const_tensor.cc, shape_refiner.cc).
 * The importer computes a tensor as a whole or not at all, from constants and from fully known shapes; only elements of
 * Shape are evaluated one by one. Where it needs a shape, the tensor may be known in part, through Shape, ShapeN,
 * VariableShape, Pack, Concat, Cast and simple slices of those; such elements are marked TFP_AS_SHAPE_ONLY. A value
 * that comes through Enter may be used but not folded: TFP_NO_FOLD.
 *
 * Differences from TensorFlow: tensors of more than TFP_FOLD_MAX elements (floats: TFP_FOLD_FLOATS_MAX) are not kept;
 * the results of BroadcastGradientArgs, ListDiff, Where and Unique have the shape of their values, where TensorFlow's
 * static shape is unknown. */
#ifndef TFP_FOLD_H
#define TFP_FOLD_H

#include "flops/rules/shared/array.h"

#define TFP_FOLD_FLOATS_MAX 64

/* Room for the elements of output i, all zero; NULL when its shape is not known or it has too many elements. */
double *tfp_fold_new(tfp_op *op, uint32_t i);
/* Elements of input i to compute with; NAN where unknown, never in the importer. NULL: none. */
const double *tfp_fold_in(const tfp_op *op, uint32_t i);
/* The value converted to a type: rounded, NAN when the type cannot represent it or it is not known exactly. */
double tfp_fold_fit(int dtype, double x);
/* An element as a number to compute with: NAN for an integer beyond 2^53, which a double holds inexactly. */
double tfp_fold_exact(int dtype, double x);
/* Index in input `in` of the element that is broadcast to element k of `out`. */
int64_t tfp_fold_broadcast(tfp_dims in, tfp_dims out, int64_t k);
void tfp_fold_unflatten(int64_t k, tfp_dims d, int64_t *at); /* coordinates of element k */
int64_t tfp_fold_flatten(tfp_dims d, const int64_t *at);

/* ---- fold.c ---- */
void tfp_fold_const(tfp_op *op);
void tfp_fold_same(tfp_op *op); /* output 0 has the elements of input 0 */
void tfp_fold_size(tfp_op *op);

/* ---- math.c ---- */
void tfp_fold_cast(tfp_op *op);
void tfp_fold_add(tfp_op *op);
void tfp_fold_sub(tfp_op *op);
void tfp_fold_mul(tfp_op *op);
void tfp_fold_div(tfp_op *op);
void tfp_fold_div_no_nan(tfp_op *op);
void tfp_fold_floor_div(tfp_op *op);
void tfp_fold_floor_mod(tfp_op *op);
void tfp_fold_mod(tfp_op *op);
void tfp_fold_maximum(tfp_op *op);
void tfp_fold_minimum(tfp_op *op);
void tfp_fold_pow(tfp_op *op);
void tfp_fold_squared_difference(tfp_op *op);
void tfp_fold_greater(tfp_op *op);
void tfp_fold_greater_equal(tfp_op *op);
void tfp_fold_less(tfp_op *op);
void tfp_fold_less_equal(tfp_op *op);
void tfp_fold_equal(tfp_op *op);
void tfp_fold_not_equal(tfp_op *op);
void tfp_fold_and(tfp_op *op);
void tfp_fold_or(tfp_op *op);
void tfp_fold_not(tfp_op *op);
void tfp_fold_neg(tfp_op *op);
void tfp_fold_abs(tfp_op *op);
void tfp_fold_sign(tfp_op *op);
void tfp_fold_floor(tfp_op *op);
void tfp_fold_ceil(tfp_op *op);
void tfp_fold_round(tfp_op *op);
void tfp_fold_sqrt(tfp_op *op);
void tfp_fold_square(tfp_op *op);
void tfp_fold_clip(tfp_op *op);
void tfp_fold_select(tfp_op *op);
void tfp_fold_add_n(tfp_op *op);
void tfp_fold_broadcast_args(tfp_op *op);

/* ---- reduce.c ---- */
void tfp_fold_sum(tfp_op *op);
void tfp_fold_prod(tfp_op *op);
void tfp_fold_max(tfp_op *op);
void tfp_fold_min(tfp_op *op);
void tfp_fold_mean(tfp_op *op);
void tfp_fold_all(tfp_op *op);
void tfp_fold_any(tfp_op *op);
void tfp_fold_arg_max(tfp_op *op);
void tfp_fold_arg_min(tfp_op *op);
void tfp_fold_cumsum(tfp_op *op);
void tfp_fold_cumprod(tfp_op *op);

/* ---- move.c ---- */
int64_t tfp_fold_product(tfp_dims d, int from, int to); /* of the dims [from, to) */
bool tfp_fold_axis(int64_t axis, int rank, int *out);   /* made non-negative; false when out of range */
/* Index in input 0 of the element for coordinates `at` of the walked dims; -1 when there is none. */
typedef int64_t (*tfp_place_fn)(const void *ctx, const int64_t *at);
/* Output 0 has as many elements as `walked`; `place` gives the index in `in` of each. */
void tfp_fold_rearrange(tfp_op *op, const double *in, tfp_dims walked, tfp_place_fn place, const void *ctx);
void tfp_fold_pack(tfp_op *op);
void tfp_fold_unpack(tfp_op *op);
void tfp_fold_concat(tfp_op *op);
void tfp_fold_concat_v2(tfp_op *op);
void tfp_fold_concat_offset(tfp_op *op);
void tfp_fold_split(tfp_op *op);
void tfp_fold_split_v(tfp_op *op);
void tfp_fold_slice(tfp_op *op);
void tfp_fold_strided_slice(tfp_op *op);
void tfp_fold_transpose(tfp_op *op);
void tfp_fold_tile(tfp_op *op);
void tfp_fold_broadcast_to(tfp_op *op);
void tfp_fold_reverse(tfp_op *op);
void tfp_fold_pad(tfp_op *op);

/* ---- index.c ---- */
void tfp_fold_gather(tfp_op *op);
void tfp_fold_gather_v2(tfp_op *op);
void tfp_fold_invert_permutation(tfp_op *op);
void tfp_fold_dynamic_stitch(tfp_op *op);
void tfp_fold_scatter(tfp_op *op);
void tfp_fold_fill(tfp_op *op);
void tfp_fold_range(tfp_op *op);
void tfp_fold_lin_space(tfp_op *op);
void tfp_fold_one_hot(tfp_op *op);

#endif
