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

/* ---- math.c: what is done with a pair of elements ---- */
double tfp_fold_add(int dtype, double a, double b);
double tfp_fold_maximum(int dtype, double a, double b);
double tfp_fold_minimum(int dtype, double a, double b);
double tfp_fold_and(int dtype, double a, double b);
double tfp_fold_or(int dtype, double a, double b);

/* ---- move.c ---- */
int64_t tfp_fold_product(tfp_dims d, int from, int to); /* of the dims [from, to) */
bool tfp_fold_axis(int64_t axis, int rank, int *out);   /* made non-negative; false when out of range */
/* Index in input 0 of the element for coordinates `at` of the walked dims; -1 when there is none. */
typedef int64_t (*tfp_place_fn)(const void *ctx, const int64_t *at);
/* Output 0 has as many elements as `walked`; `place` gives the index in `in` of each. */
void tfp_fold_rearrange(tfp_op *op, const double *in, tfp_dims walked, tfp_place_fn place, const void *ctx);

#endif
