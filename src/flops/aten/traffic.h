// SPDX-License-Identifier: Apache-2.0
/* flops/aten/traffic.h: the compulsory traffic of PyTorch's operators: each input is read once and each output written
 * once, by the sizes of the tensors themselves. Also the class of an operator, and the tensors it reads and makes.
 * docs/limits.md has the table. */
#ifndef TFP_ATEN_TRAFFIC_H
#define TFP_ATEN_TRAFFIC_H

#include "flops/aten/aten.h"

typedef enum tfp_work_class {
    TFP_WORK_OTHER,
    TFP_WORK_PRODUCT,
    TFP_WORK_CONVOLUTION,
    TFP_WORK_ATTENTION,
    TFP_WORK_NORMALIZATION,
    TFP_WORK_REDUCTION,
    TFP_WORK_ELEMENTWISE,
    TFP_WORK_MOVEMENT,
    TFP_WORK_COLLECTIVE,
    TFP_WORK_TRANSFER,
    TFP_WORK_CLASSES
} tfp_work_class;
extern const char *const tfp_work_class_names[TFP_WORK_CLASSES];

/* What an elementwise operator may be in a norm written out: x.pow(2) or |x|; perhaps x * x; the root of the sum. */
typedef enum tfp_norm_part { TFP_NORM_NONE, TFP_NORM_POWER, TFP_NORM_PRODUCT, TFP_NORM_ROOT } tfp_norm_part;

/* A tensor that a call reads or makes. */
typedef struct tfp_sized {
    int64_t elements; /* dimensions with stride 0 count as 1 */
    int64_t bytes;
    int size;            /* bytes of an element */
    uint8_t scalar_type; /* TFP_SCALAR_TYPES: unknown, only `size` is known */
    uint8_t argument;    /* of an input: the argument that it is, or a part of */
} tfp_sized;

enum { TFP_TRAFFIC_INPUTS = 64 };

/* One call's work. */
typedef struct tfp_traffic {
    tfp_work_class class;
    tfp_float_type type;  /* of the inputs */
    int64_t flops, bytes; /* TFP_ATEN_UNKNOWN */
    tfp_sized in[TFP_TRAFFIC_INPUTS];
    int in_count;  /* how many inputs are read; those beyond TFP_TRAFFIC_INPUTS are only in `bytes` */
    tfp_sized out; /* what it makes */
    int rank;      /* of what it makes */
    int64_t dims[TFP_ATEN_RANK];
    tfp_norm_part norm;
    bool in_place; /* the result replaces the first argument */
    bool fusable;  /* it may be a part of a chain */
    bool whole;    /* a reduction to one element */
    bool causal;   /* attention that leaves out half of the pairs */
} tfp_traffic;

struct tfp_traffic_rule;
/* The rule of an operator; NULL: none. */
const struct tfp_traffic_rule *tfp_traffic_find(tfp_str name);
tfp_work_class tfp_traffic_class(const struct tfp_traffic_rule *rule);
/* Whether it is the inner operator of attention, whose work belongs to the one around it. */
bool tfp_traffic_is_inner(const struct tfp_traffic_rule *rule);

/* Works out a call. `list_size`: bytes of an element in lists of tensors, whose types no trace has; 0: unknown. */
void tfp_traffic_of(tfp_str name, const struct tfp_traffic_rule *rule, const tfp_aten_call *c, int list_size,
                    tfp_traffic *out);
/* Whether a call needs the size of the elements of a list of tensors; and how many elements it has. */
bool tfp_traffic_takes_lists(const struct tfp_traffic_rule *rule);
int64_t tfp_traffic_listed(const struct tfp_traffic_rule *rule, const tfp_aten_call *c);
/* The shape of a product, convolution or attention ("8x4x16", "64x3x224x224>64x7x7 s2 p3 d1 g1"), and how the factors
 * of a product lie in memory ("nt"; empty: unknown). */
void tfp_traffic_shape(const struct tfp_traffic_rule *rule, const tfp_aten_call *c, tfp_buf *shape, char transposed[3]);

#endif
