// SPDX-License-Identifier: Apache-2.0
/* formats/checkpoint/tensor.h: tensor types, and the conversion of values from a file's bytes to wide numbers, for both
 * versions of checkpoints. Views use checkpoint.h. */
#ifndef TFP_TENSOR_H
#define TFP_TENSOR_H

#include "model/tensors.h"

#define TFP_TENSOR_MAX ((uint64_t)1 << 28) /* most bytes of one tensor */

typedef enum tfp_dtype_class {
    TFP_DTYPE_OPAQUE, /* resource, variant, and unknown types: they have no values */
    TFP_DTYPE_FLOAT,
    TFP_DTYPE_INT,
    TFP_DTYPE_UINT,
    TFP_DTYPE_BOOL,
    TFP_DTYPE_COMPLEX,
    TFP_DTYPE_STRING
} tfp_dtype_class;

/* How a float of less than 32 bits represents infinity and NaN. */
typedef enum tfp_float_style {
    TFP_FLOAT_IEEE,
    TFP_FLOAT_FN,    /* no infinity; all ones is NaN */
    TFP_FLOAT_FNUZ,  /* no infinity; minus zero is NaN */
    TFP_FLOAT_FINITE /* neither infinity nor NaN */
} tfp_float_style;

typedef struct tfp_dtype {
    const char *name;
    tfp_dtype_class class;
    uint8_t size;  /* bytes of an element in a file; 0: they differ */
    uint8_t field; /* field of TensorProto that holds such values one by one; 0: none */
    uint8_t bits;  /* used bits: all of an integer, those of the exponent of a float */
    uint8_t bias;  /* exponent bias, for small floats only */
    tfp_float_style style;
} tfp_dtype;

/* Never NULL: an unknown number gives an opaque type named "?". */
const tfp_dtype *tfp_dtype_of(int dtype);

/* Product of the dims, all of which must be known. False when one is negative or the product exceeds int64. */
bool tfp_dims_count(const int64_t *dims, size_t count, uint64_t *out);

/* Makes *t a tensor of that shape, without values yet. */
tfp_status tfp_tensor_shape(tfp_tensor *t, int dtype, const int64_t *dims, size_t dim_count, tfp_error *err);
/* Bytes of an element among the wide values: 8, or 16 for strings and complex numbers, 0 for opaque types. */
size_t tfp_tensor_unit(int dtype);
/* Memory that lives as long as the tensor; NULL when there is none. */
void *tfp_tensor_alloc(tfp_tensor *t, size_t size);
/* Makes room for the values and sets `kind` and the matching pointer. Returns where they start; NULL: out of memory. */
void *tfp_tensor_values(tfp_tensor *t);

/* Widens `count` elements of fixed size, which must fill `bytes` exactly. */
tfp_status tfp_widen(int dtype, tfp_str bytes, bool big_endian, size_t count, void *to, tfp_error *err);
/* The same from a TensorProto, whose dtype and shape are ignored; its strings are views into `proto`. */
tfp_status tfp_widen_proto(int dtype, tfp_str proto, size_t count, void *to, tfp_error *err);

#endif
