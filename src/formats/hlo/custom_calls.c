// SPDX-License-Identifier: Apache-2.0
/* formats/hlo/custom_calls.c: float operations of the kernels that XLA calls by name: of cuBLAS, cuDNN, oneDNN, LAPACK
 * and Triton. What a kernel computes follows from its name, its shapes and the backend_config, which is JSON. For a
 * kernel with an unknown name the estimate in its config counts, otherwise the sum of its called computations;
 * otherwise the number is unknown. Names: xla/service/gpu/cublas_cudnn.cc, xla/service/cpu/onednn_*.cc, jaxlib's FFI
 * targets. */
#include "formats/hlo/count.h"
#include "model/tables/profile.h"

typedef enum custom_rule {
    NOTHING, /* a note for the compiler, or moves data only */
    MATMUL,
    CONVOLUTION,
    CONVOLUTION_FILTER, /* gradient of the kernel: the result is the kernel */
    CONVOLUTION_INPUT,  /* gradient of the input: operand 0 is the gradient of the output */
    ATTENTION,          /* two products */
    ATTENTION_BACKWARD, /* five products */
    SIZED_ATTENTION,    /* of TransformerEngine: the sizes are in the config */
    SIZED_ATTENTION_BACKWARD,
    CHOLESKY,
    LU,
    TRIANGULAR,
    SORT,
    SOFTMAX,
    ELEMENTS, /* a function of each element: JAX writes some of chlo's as calls of mhlo's */
    UNKNOWN
} custom_rule;

/* clang-format off */
static const struct {
    const char *begin; /* beginning of the target's name; the first matching row counts */
    custom_rule rule;
} rules[] = {
    { "__cublas$triangularSolve", TRIANGULAR }, { "__cublas$", MATMUL },
    { "__cudnn$convBackwardFilter", CONVOLUTION_FILTER }, { "__cudnn$convBackwardInput", CONVOLUTION_INPUT },
    { "__cudnn$convReorder", NOTHING }, { "__cudnn$conv", CONVOLUTION },
    { "__cudnn$fmhaSoftmaxBackward", ATTENTION_BACKWARD }, { "__cudnn$fmhaScaleBiasSoftmaxBackward", ATTENTION_BACKWARD },
    { "__cudnn$fmhaSoftmaxDropoutBackward", ATTENTION_BACKWARD },
    { "__cudnn$fmhaScaleBiasSoftmaxDropoutBackward", ATTENTION_BACKWARD },
    { "__cudnn$fmhaSoftmax", ATTENTION }, { "__cudnn$fmhaScaleBiasSoftmax", ATTENTION },
    { "te_fused_attn_forward", SIZED_ATTENTION }, { "te_fused_attn_backward", SIZED_ATTENTION_BACKWARD },
    { "__onednn$matmul_reorder", NOTHING }, { "__onednn$matmul", MATMUL }, { "__onednn$convolution", CONVOLUTION },
    { "__onednn$softmax", SOFTMAX },
    { "__cusolver$cholesky", CHOLESKY }, { "cusolver_potrf", CHOLESKY }, { "lapack_spotrf", CHOLESKY },
    { "lapack_dpotrf", CHOLESKY }, { "cusolver_getrf", LU }, { "lapack_sgetrf", LU }, { "lapack_dgetrf", LU },
    { "lapack_strsm", TRIANGULAR }, { "lapack_dtrsm", TRIANGULAR }, { "blas_strsm", TRIANGULAR },
    { "blas_dtrsm", TRIANGULAR }, { "__cub$DeviceRadixSort", SORT }, { "TopK", SORT }, { "__gpu$TopK", SORT },
    { "mhlo.topk", SORT }, { "mhlo.", ELEMENTS }, { "xla.sdy.", NOTHING },
    { "Sharding", NOTHING }, { "SPMDFullToShardShape", NOTHING }, { "SPMDShardToFullShape", NOTHING },
    { "shape_assertion", NOTHING },
    { "AllocateBuffer", NOTHING }, { "LayoutConstraint", NOTHING }, { "MoveToHost", NOTHING },
    { "MoveToDevice", NOTHING }, { "annotate_device_placement", NOTHING },
};
/* clang-format on */

static custom_rule rule_of(tfp_str target)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (tfp_str_begins(target, tfp_str_of(rules[i].begin))) return rules[i].rule;
    return UNKNOWN;
}

/* ---- numbers in JSON ---- */

/* Iterates over the numbers of ["1","2"] or [1,2] after "key": in JSON; false at the end. */
typedef struct number_list {
    tfp_str rest;
} number_list;

static number_list numbers_behind(tfp_str json, const char *key)
{
    size_t at = tfp_str_find(json, tfp_str_of(key));
    if (at == SIZE_MAX) return (number_list){ { "", 0 } };
    at += strlen(key);
    return (number_list){ { json.data + at, json.size - at } };
}

static bool next_number(number_list *l, int64_t *out)
{
    size_t at = 0;
    while (at < l->rest.size && (l->rest.data[at] < '0' || l->rest.data[at] > '9')) {
        if (l->rest.data[at] == ']' || l->rest.data[at] == '}') return false;
        at++;
    }
    if (at == l->rest.size) return false;
    for (*out = 0; at < l->rest.size && l->rest.data[at] >= '0' && l->rest.data[at] <= '9'; at++)
        *out = tfp_add(tfp_mul(*out, 10, NULL), l->rest.data[at] - '0', NULL);
    l->rest = (tfp_str){ l->rest.data + at, l->rest.size - at };
    return true;
}

int64_t tfp_hlo_trips(tfp_str config)
{
    number_list l = numbers_behind(config, "known_trip_count");
    int64_t n;
    return next_number(&l, &n) ? n : -1;
}

static int64_t of_matmul(const tfp_hlo_counter *c, const tfp_hlo_instruction *i)
{
    const tfp_hlo_array *left = tfp_hlo_first_array(c, tfp_hlo_operand(c, i, 0));
    number_list l = numbers_behind(i->config, "lhs_contracting_dimensions");
    int64_t contracted = 1, at;
    bool any = false;
    for (; next_number(&l, &at); any = true) contracted = tfp_times(contracted, tfp_hlo_dim(c, left, at));
    if (!any) contracted = tfp_hlo_dim(c, left, -1);
    return tfp_times(tfp_hlo_elements_of(c, i), contracted);
}

/* ---- rules ---- */

/* Multiply-adds of attention's first product: each query with each key. */
static int64_t of_attention(const tfp_hlo_counter *c, const tfp_hlo_instruction *i)
{
    const tfp_hlo_array *query = tfp_hlo_first_array(c, tfp_hlo_operand(c, i, 0));
    number_list batch = numbers_behind(i->config, "lhs_batch_dimensions");
    number_list contract = numbers_behind(i->config, "lhs_contracting_dimensions");
    int64_t shared = 1, at;
    bool any = false;
    while (next_number(&batch, &at)) shared = tfp_times(shared, tfp_hlo_dim(c, query, at));
    for (; next_number(&contract, &at); any = true) shared = tfp_times(shared, tfp_hlo_dim(c, query, at));
    int64_t all =
        tfp_times(tfp_hlo_elements_of(c, tfp_hlo_operand(c, i, 0)), tfp_hlo_elements_of(c, tfp_hlo_operand(c, i, 1)));
    return any && shared > 0 && all >= 0 ? all / shared : TFP_UNKNOWN;
}

/* The number of a config such as {attn_heads = 8 : i64, ...}. */
static int64_t config_number(const tfp_hlo_instruction *i, const char *key)
{
    number_list l = numbers_behind(i->config, key);
    int64_t n;
    return next_number(&l, &n) ? n : TFP_UNKNOWN;
}

/* Attention whose sizes are in the config. Masks take nothing off. */
static int64_t of_sized_attention(const tfp_hlo_instruction *i, bool backward)
{
    int64_t key_size = config_number(i, "qk_head_dim"), value_size = config_number(i, "v_head_dim");
    if (key_size < 0) key_size = value_size = config_number(i, "head_dim"); /* of older versions */
    int64_t pairs = tfp_times(config_number(i, "q_max_seqlen"), config_number(i, "kv_max_seqlen"));
    pairs = tfp_times(pairs, tfp_times(config_number(i, "input_batch"), config_number(i, "attn_heads")));
    return tfp_attention_macs(pairs, key_size, value_size, backward);
}

static int64_t of_matrix(const tfp_hlo_counter *c, const tfp_hlo_instruction *i, int64_t thirds)
{
    const tfp_hlo_instruction *in = tfp_hlo_operand(c, i, 0);
    return tfp_decomposition_flops(tfp_hlo_elements_of(c, in), tfp_hlo_dim(c, tfp_hlo_first_array(c, in), -1), thirds);
}

/* Each element of the right side takes a product with a row of the matrix. */
static int64_t of_triangular(const tfp_hlo_counter *c, const tfp_hlo_instruction *i)
{
    const tfp_hlo_array *a = tfp_hlo_first_array(c, tfp_hlo_operand(c, i, 0));
    return tfp_times(tfp_hlo_elements_of(c, tfp_hlo_operand(c, i, 1)), tfp_hlo_dim(c, a, -1));
}

static int64_t of_sort(const tfp_hlo_counter *c, const tfp_hlo_instruction *i)
{
    const tfp_hlo_array *a = tfp_hlo_first_array(c, tfp_hlo_operand(c, i, 0));
    int64_t n = a ? tfp_hlo_elements(c->m, a) : TFP_UNKNOWN;
    if (!a || !tfp_hlo_type_is_float(a->type)) return a ? 0 : TFP_UNKNOWN;
    return tfp_sort_flops(n);
}

/* An estimate of the kernel's author (Pallas), or the sum of the computation that it calls (Triton). */
static int64_t of_unknown(const tfp_hlo_counter *c, const tfp_hlo_instruction *i, int64_t *macs)
{
    number_list estimate = numbers_behind(i->config, "\"cost_estimate\"");
    number_list flops = numbers_behind(estimate.rest, "\"flops\"");
    int64_t n, sum = 0;
    if (next_number(&flops, &n)) return n;
    *macs = 0;
    for (uint32_t k = 0; k < i->called_count; k++) {
        uint32_t at = c->m->links.at[i->called_first + k];
        if (at == TFP_NONE || !c->inside[at].counted) return TFP_UNKNOWN;
        sum = tfp_add(sum, c->inside[at].flops, NULL);
        *macs = tfp_add(*macs, c->inside[at].macs, NULL);
    }
    return i->called_count ? sum : TFP_UNKNOWN;
}

int64_t tfp_hlo_custom_flops(const tfp_hlo_counter *c, const tfp_hlo_instruction *i, int64_t *macs)
{
    const tfp_hlo_instruction *left = tfp_hlo_operand(c, i, 0), *right = tfp_hlo_operand(c, i, 1);
    *macs = 0;
    switch (rule_of(tfp_text(c->b->p, i->target))) {
    case NOTHING: return 0;
    case MATMUL: return tfp_times(*macs = of_matmul(c, i), 2);
    case CONVOLUTION:
        *macs = tfp_hlo_window_macs(c, i, tfp_hlo_elements_of(c, i), tfp_hlo_first_array(c, right));
        return tfp_times(*macs, 2);
    case CONVOLUTION_FILTER:
        *macs = tfp_hlo_window_macs(c, i, tfp_hlo_elements_of(c, right), tfp_hlo_first_array(c, i));
        return tfp_times(*macs, 2);
    case CONVOLUTION_INPUT:
        *macs = tfp_hlo_window_macs(c, i, tfp_hlo_elements_of(c, left), tfp_hlo_first_array(c, right));
        return tfp_times(*macs, 2);
    case ATTENTION: return tfp_times(*macs = tfp_attention_macs(of_attention(c, i), 1, 1, false), 2);
    case ATTENTION_BACKWARD: return tfp_times(*macs = tfp_attention_macs(of_attention(c, i), 1, 1, true), 2);
    case SIZED_ATTENTION: return tfp_times(*macs = of_sized_attention(i, false), 2);
    case SIZED_ATTENTION_BACKWARD: return tfp_times(*macs = of_sized_attention(i, true), 2);
    case CHOLESKY: return of_matrix(c, i, 1);
    case LU: return of_matrix(c, i, 2);
    case TRIANGULAR: return of_triangular(c, i);
    case SORT: return of_sort(c, i);
    case ELEMENTS: return tfp_hlo_elements_of(c, i);
    case SOFTMAX: return tfp_times(tfp_hlo_elements_of(c, left), 5); /* largest, difference, exp, sum, quotient */
    case UNKNOWN: break;
    }
    return of_unknown(c, i, macs);
}
