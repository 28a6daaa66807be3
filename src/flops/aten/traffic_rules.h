// SPDX-License-Identifier: Apache-2.0
/* flops/aten/traffic_rules.h: shared by the files of the rules of compulsory traffic. */
#ifndef TFP_ATEN_TRAFFIC_RULES_H
#define TFP_ATEN_TRAFFIC_RULES_H

#include "flops/aten/count.h"
#include "flops/aten/traffic.h"

/* What `how` of a rule holds beside the number of an argument. */
enum {
    ARGUMENT = 63,
    SCALED_TYPE = 64,   /* product: the type of the result is argument 6 */
    LENGTH_FIRST = 64,  /* attention: dimensions are batch, length, heads, width */
    OUT_LATER = 128,    /* attention, backward: the result of the forward pass is argument 5, not 4 */
    OUT_AT_6 = 256,     /* with OUT_LATER: 6 */
    NORM_PART = 3,      /* elementwise: tfp_norm_part */
    MAKES_BOOL = 64,    /* elementwise, reduction */
    MAKES_FLOATS = 128, /* elementwise: of integers, too */
    CHOOSES = 256,      /* elementwise: the first argument only chooses between the others */
    AS_FIRST = 512,     /* elementwise: the result has the type of the first argument */
    WITH_MASK = 1024,   /* elementwise: it also makes a mask of bytes */
    WITH_INDEXES = 128, /* reduction: it also makes indexes */
    MAKES_LONG = 256,
    KEEPS_THIRD = 512,   /* reduction: whether dimensions are kept is two arguments after the dimensions, not one */
    ROWS_OF_TABLE = 128, /* gather: argument 1 has the numbers of rows */
    ALONG = 64,          /* gather: argument 1 is the dimension */
    FIRST_WRITTEN = 64,  /* each: the first list is only written */
    READS_ONLY = 128,    /* each: the results have one element each */
    OPTIMIZER = 256,     /* each: all lists but the gradients are written */
    /* convolution: where stride, padding, dilation and groups are */
    PLAIN = 10,
    CUDNN,
    MIOPEN,
    BACKWARD
};

typedef struct tfp_traffic_work { /* one call */
    const tfp_aten_call *c;
    tfp_traffic *t;
    int list_size;
    bool in_place;
} tfp_traffic_work;

typedef struct tfp_traffic_rule {
    const char *names; /* without "aten::", separated by blanks */
    tfp_work_class class;
    void (*of)(tfp_traffic_work *w, int how); /* leaves bytes unknown where a size or a type is */
    int how;
} tfp_traffic_rule;

/* ---- traffic_tensors.c ---- */
/* Elements of a tensor itself: dimensions with stride 0 count as 1. */
int64_t tfp_traffic_own(const tfp_aten_input *in);
/* Adds what is read: nothing of scalars and of tensors without dimensions. */
void tfp_traffic_reads(tfp_traffic_work *w, const tfp_aten_input *in);
void tfp_traffic_reads_all(tfp_traffic_work *w);
/* Sets and adds what is written. */
void tfp_traffic_writes(tfp_traffic_work *w, int rank, const int64_t *dims, unsigned scalar);
void tfp_traffic_writes_as(tfp_traffic_work *w, const tfp_aten_input *in);
/* The type that an argument names by its number in PyTorch. */
unsigned tfp_traffic_type(const tfp_aten_call *c, int argument, unsigned otherwise);

/* ---- traffic_products.c ---- */
void tfp_traffic_multiply(tfp_traffic_work *w, int how);
void tfp_traffic_linear(tfp_traffic_work *w, int how);
void tfp_traffic_convolution(tfp_traffic_work *w, int how);
void tfp_traffic_convolution_backward(tfp_traffic_work *w, int how);
void tfp_traffic_attention(tfp_traffic_work *w, int how);
void tfp_traffic_attention_backward(tfp_traffic_work *w, int how);
void tfp_traffic_grouped(tfp_traffic_work *w, int how);

/* ---- traffic_windows.c ---- */
void tfp_traffic_pool(tfp_traffic_work *w, int how);
void tfp_traffic_pool_backward(tfp_traffic_work *w, int how);
void tfp_traffic_resize(tfp_traffic_work *w, int how);
void tfp_traffic_sort(tfp_traffic_work *w, int how);

/* ---- traffic_lists.c ---- */
void tfp_traffic_cat(tfp_traffic_work *w, int how);
void tfp_traffic_each(tfp_traffic_work *w, int how);
void tfp_traffic_index(tfp_traffic_work *w, int how);

#endif
