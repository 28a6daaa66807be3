// SPDX-License-Identifier: Apache-2.0
/* model/tensors.h: what views may ask of a checkpoint: its variables, and a tensor's values on demand. The model
 * declares these functions; formats/checkpoint/checkpoint.c implements them. */
#ifndef TFP_TENSORS_H
#define TFP_TENSORS_H

#include "base/base.h"

typedef struct tfp_checkpoint tfp_checkpoint;

/* A tensor's values, row-major, widened: floats (also half, bfloat16, float8) to double, integers to int64. */
typedef enum tfp_value_kind { TFP_VALUES_NONE, TFP_VALUES_DOUBLE, TFP_VALUES_INT, TFP_VALUES_STRING } tfp_value_kind;
typedef struct tfp_tensor {
    int dtype; /* DataType number */
    int64_t *dims;
    size_t dim_count, count; /* elements */
    tfp_value_kind kind;     /* NONE: values of this dtype are not shown (bool, complex, resource ...) */
    double *doubles;         /* for complex: pairs of real and imaginary part, and kind is NONE */
    int64_t *ints;
    tfp_str *strings;
    struct tfp_tensor_block *owned; /* its memory, in blocks: most tensors are too small for an arena */
} tfp_tensor;

size_t tfp_checkpoint_count(const tfp_checkpoint *c);
tfp_str tfp_checkpoint_name(const tfp_checkpoint *c, size_t i); /* sorted by name; whole variables, no slices */
int tfp_checkpoint_dtype(const tfp_checkpoint *c, size_t i);    /* DataType; 0 past the end */
const int64_t *tfp_checkpoint_dims(const tfp_checkpoint *c, size_t i, size_t *count);
bool tfp_checkpoint_has(const tfp_checkpoint *c, tfp_str name);
/* Reads, checks and widens one tensor. TFP_NOTFOUND: there is no such name; TFP_BADFILE (with the shard's path): its
 * bytes are missing, inconsistent or fail their CRC. Free with tfp_tensor_free, also after an error. Several threads
 * may call it at a time. */
tfp_status tfp_checkpoint_read(const tfp_checkpoint *c, tfp_str name, tfp_tensor *out, tfp_error *err);
void tfp_tensor_free(tfp_tensor *t);
const char *tfp_dtype_name(int dtype); /* "float32", "bfloat16", ...; "?" for an unknown number such as 77 */

const tfp_checkpoint *tfp_checkpoint_of(const tfp_profile *p); /* NULL: none was added */

#endif
