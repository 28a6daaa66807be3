// SPDX-License-Identifier: Apache-2.0
/* model/tensors.h: what the views ask of a checkpoint: its variables, and a tensor's values on demand. The model owns this
 * face; formats/checkpoint/checkpoint.c is behind it. */
#ifndef TFP_TENSORS_H
#define TFP_TENSORS_H

#include "base/base.h"

typedef struct tfp_checkpoint tfp_checkpoint;

/* A tensor's values, row-major, widened: floats (half, bfloat16, float8 too) to double, integers to int64. */
typedef enum tfp_value_kind { TFP_VALUES_NONE, TFP_VALUES_DOUBLE, TFP_VALUES_INT, TFP_VALUES_STRING } tfp_value_kind;
typedef struct tfp_tensor {
    int dtype; /* DataType number */
    int64_t *dims;
    size_t dim_count, count; /* elements */
    tfp_value_kind kind;     /* NONE: a dtype whose values are not shown (bool, complex, resource ...) */
    double *doubles;         /* complex: pairs re, im follow each other and kind is NONE */
    int64_t *ints;
    tfp_str *strings;
    struct tfp_tensor_block *owned; /* all of it, block by block: most tensors are too small for an arena */
} tfp_tensor;

size_t tfp_checkpoint_count(const tfp_checkpoint *c);
tfp_str tfp_checkpoint_name(const tfp_checkpoint *c, size_t i); /* sorted by name; whole variables, no slices */
int tfp_checkpoint_dtype(const tfp_checkpoint *c, size_t i);    /* DataType, 0 past the end */
const int64_t *tfp_checkpoint_dims(const tfp_checkpoint *c, size_t i, size_t *count);
bool tfp_checkpoint_has(const tfp_checkpoint *c, tfp_str name);
/* Reads, checks and widens one tensor. TFP_NOTFOUND when the name is not in it; TFP_BADFILE (with the shard's path)
 * when its bytes are missing, inconsistent or fail their CRC. Free with tfp_tensor_free, also after an error.
 * Threads: may be called from several at a time. */
tfp_status tfp_checkpoint_read(const tfp_checkpoint *c, tfp_str name, tfp_tensor *out, tfp_error *err);
void tfp_tensor_free(tfp_tensor *t);
const char *tfp_dtype_name(int dtype); /* "float32", "bfloat16", ...; "dtype 77" is "?" */

#endif
