// SPDX-License-Identifier: Apache-2.0
/* flops/aten/count.h: shared by the files that count PyTorch's operators: the arguments of a call, and products. */
#ifndef TFP_ATEN_COUNT_H
#define TFP_ATEN_COUNT_H

#include "flops/aten/aten.h"
#include "flops/rules/shared/rule.h"

#define UNKNOWN TFP_ATEN_UNKNOWN
static const tfp_aten_cost unknown = { UNKNOWN, UNKNOWN, UNKNOWN };

static inline const tfp_aten_input *arg(const tfp_aten_call *c, int i)
{
    static const tfp_aten_input none = { .elements = UNKNOWN };
    return i < c->count ? &c->in[i] : &none;
}

/* Dim i of a tensor; negative i counts from the last. */
static inline int64_t dim(const tfp_aten_input *in, int i)
{
    if (i < 0) i += in->rank;
    return in->tensor && i >= 0 && i < in->rank ? in->dims[i] : UNKNOWN;
}

static inline int64_t elements(const tfp_aten_input *in) { return in->tensor || in->list ? in->elements : UNKNOWN; }

/* Product of the dims [from, to). */
static inline int64_t product(const tfp_aten_input *in, int from, int to)
{
    int64_t n = 1;
    for (int i = from; i < to; i++) n = tfp_times(n, dim(in, i));
    return n;
}

/* Bytes of all tensors that are read, and of `out` elements of the first one's type; TFP_ATEN_UNKNOWN without a type. */
int64_t tfp_aten_moved(const tfp_aten_call *c, int64_t out);
/* A cost of multiply-adds: every tensor is read, and `out` elements of the first one's type are written. */
tfp_aten_cost tfp_aten_products(const tfp_aten_call *c, int64_t macs, int64_t out);

/* ---- contract.c ---- */
typedef struct tfp_factors { /* of a product: B times M x K and K x N */
    int64_t b, m, n, k;
} tfp_factors;
/* The sizes of a product, a linear layer, a product of groups; false when the shapes do not fit. */
bool tfp_aten_product_of(const tfp_aten_input *a, const tfp_aten_input *b, tfp_factors *f);
bool tfp_aten_linear_of(const tfp_aten_input *x, const tfp_aten_input *weights, tfp_factors *f);
bool tfp_aten_grouped_of(const tfp_aten_input *a, const tfp_aten_input *b, tfp_factors *f);
tfp_aten_cost tfp_aten_count_matmul(const tfp_aten_call *c, const tfp_aten_rule *r);
tfp_aten_cost tfp_aten_count_grouped(const tfp_aten_call *c, const tfp_aten_rule *r);
tfp_aten_cost tfp_aten_count_tensordot(const tfp_aten_call *c, const tfp_aten_rule *r);
tfp_aten_cost tfp_aten_count_inner(const tfp_aten_call *c, const tfp_aten_rule *r);
tfp_aten_cost tfp_aten_count_einsum(const tfp_aten_call *c, const tfp_aten_rule *r);

#endif
