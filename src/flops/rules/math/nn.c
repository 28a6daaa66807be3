// SPDX-License-Identifier: Apache-2.0
/* flops/rules/math/nn.c: biases, activations, losses, top-k, decoders of speech, samplers of classes. */
#include "flops/rules/shared/layers.h"

#include <math.h>

/* ---- shapes ---- */

/* The dimension that a bias belongs to; false when the input's rank is not known. */
static bool bias_dim(tfp_op *op, tfp_dims in, int *out)
{
    bool first = tfp_str_eq(tfp_attr_text(op, "data_format", "NHWC"), tfp_str_of("NCHW"));
    tfp_at_least(op, in, first ? 3 : 2);
    *out = first ? 1 : in.rank - 1;
    return in.rank > *out && in.rank >= 2;
}

void tfp_bias_shape(tfp_op *op)
{
    int dim;
    tfp_dims in = tfp_in(op, 0), bias = tfp_merge_rank(op, tfp_in(op, 1), 1);
    if (bias_dim(op, in, &dim))
        tfp_set(op, 0, tfp_with_dim(op, in, dim, tfp_merge_dim(op, tfp_dim(in, dim), tfp_dim(bias, 0))));
}

static void bias_grad_shape(tfp_op *op)
{
    int dim;
    tfp_dims in = tfp_in(op, 0);
    bool known = bias_dim(op, in, &dim);
    tfp_set(op, 0, tfp_vector_of(op, known ? tfp_dim(in, dim) : TFP_DIM_UNKNOWN));
}

static void cross_entropy_shape(tfp_op *op)
{
    tfp_dims a = tfp_in(op, 0), b = tfp_in(op, 1), out;
    bool same = (a.rank < 0 || a.rank == 2) && (b.rank < 0 || b.rank == 2);
    for (int i = 0; same && i < 2; i++) {
        int64_t m = tfp_dim(a, i), n = tfp_dim(b, i);
        same = m < 0 || n < 0 || m == n;
    }
    out = same ? tfp_merge(op, tfp_merge_rank(op, a, 2), b) : tfp_broadcast(op, a, b);
    out = tfp_merge_rank(op, out, 2);
    tfp_set(op, 0, tfp_vector_of(op, tfp_dim(out, 0)));
    tfp_set(op, 1, out);
}

/* The number of wanted elements: input 1, or the attribute k. */
static int64_t wanted(tfp_op *op)
{
    int64_t k = TFP_DIM_UNKNOWN;
    bool given = op->in_count < 2;
    if (given)
        k = tfp_attr_int(op, "k", -1);
    else {
        tfp_merge_rank(op, tfp_in(op, 1), 0);
        given = tfp_in_int(op, 1, &k);
    }
    if (given && k < 0) tfp_wrong(op, "a negative number is wanted");
    return given ? k : TFP_DIM_UNKNOWN;
}

static void top_shape(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0);
    int64_t k = wanted(op), last = tfp_dim(in, -1);
    tfp_at_least(op, in, 1);
    if (last >= 0 && k > last) tfp_wrong(op, "more are wanted than there are");
    if (in.rank < 1) return;
    tfp_dims out = tfp_with_dim(op, in, -1, k);
    tfp_set(op, 0, out);
    tfp_set(op, 1, out);
}

static void top_unique_shape(tfp_op *op)
{
    tfp_dims in = tfp_merge_rank(op, tfp_in(op, 0), 2);
    int64_t k = tfp_attr_int(op, "k", -1);
    if (k < 0) tfp_wrong(op, "a negative number is wanted");
    tfp_dims out = tfp_matrix_of(op, tfp_dim(in, 0), k);
    tfp_set(op, 0, out);
    tfp_set(op, 1, out);
}

static void nth_shape(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0);
    int64_t n = wanted(op), last = tfp_dim(in, -1);
    tfp_at_least(op, in, 1);
    if (last >= 0 && n >= last) tfp_wrong(op, "there is no such place");
    tfp_set(op, 0, tfp_part(op, in, 0, -1));
}

static int64_t floor_log2(int64_t n) { return n < 1 ? 0 : 63 - __builtin_clzll((unsigned long long)n); }
static int64_t ceil_over(int64_t a, int64_t b) { return a / b + (a % b != 0); }

/* How many of `n` candidates are left before the best k are gathered: the bins of a TPU's tile. */
static int64_t approximate_size(const tfp_op *op, int64_t n, int rank, int64_t k)
{
    int64_t tile = rank == 1 ? 1024 : 128, override = tfp_attr_int(op, "reduction_input_size_override", -1);
    double recall = tfp_attr_real(op, "recall_target", (double)0.95F);
    if (n <= tile || recall == 1) return n; /* all are kept, because none may be missed */
    if (!(recall > 0 && recall <= 1) || (override >= 0 && override < n)) return TFP_DIM_UNKNOWN;
    if (k == 1) return tile;
    double bins = (1.0 - (double)k) / log(recall);
    int64_t least = bins > (double)tile ? (bins < (double)n ? (int64_t)bins : n) : tile;
    int64_t halvings = floor_log2((override >= 0 ? override : n) / least), tiles = ceil_over(n, tile);
    if (halvings == 0) return n;
    int64_t most = tfp_log2_up(n / tile);
    return ceil_over(tiles, (int64_t)1 << (halvings < most ? halvings : most)) * tile;
}

static void approximate_top_shape(tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0);
    int64_t k = tfp_attr_int(op, "k", -1), axis = tfp_attr_int(op, "reduction_dimension", -1);
    if (tfp_wrong_if(op, in.rank < 0 || k < 0 || axis < -in.rank || axis >= in.rank, "nothing to reduce"))
        return; /* TensorFlow also refuses an unknown rank */
    if (axis < 0) axis += in.rank;
    int64_t n = in.at[axis];
    if (tfp_wrong_if(op, n < k, "more are wanted than there are"))
        return; /* like TensorFlow, an unknown dimension counts as none */
    bool gathered = tfp_attr_bool(op, "aggregate_to_topk", true);
    tfp_dims out = tfp_with_dim(op, in, (int)axis, gathered ? k : approximate_size(op, n, in.rank, k));
    tfp_set(op, 0, out);
    tfp_set(op, 1, out);
}

/* top_paths each of: indices, values, and the sparse shape; then the log probabilities. */
static void beam_shape(tfp_op *op)
{
    tfp_dims in = tfp_merge_rank(op, tfp_in(op, 0), 3), lengths = tfp_merge_rank(op, tfp_in(op, 1), 1);
    int64_t batch = tfp_merge_dim(op, tfp_dim(in, 1), tfp_dim(lengths, 0));
    uint32_t paths = op->out_count / 3;
    for (uint32_t i = 0; i < paths; i++) {
        tfp_set(op, i, tfp_matrix_of(op, TFP_DIM_UNKNOWN, 2));
        tfp_set(op, paths + i, tfp_any_of_rank(op, 1));
        tfp_set(op, 2 * paths + i, tfp_vector_of(op, 2));
    }
    if (op->out_count > 3 * paths) tfp_set(op, 3 * paths, tfp_matrix_of(op, batch, paths));
}

static void sampler_shape(tfp_op *op)
{
    int64_t sampled = tfp_attr_int(op, "num_sampled", -1), classes = tfp_attr_int(op, "num_true", -1);
    tfp_dims in = tfp_merge_rank(op, tfp_in(op, 0), 2);
    if (sampled < 1 || classes < 1) tfp_wrong(op, "nothing to sample");
    tfp_set(op, 0, tfp_vector_of(op, sampled));
    tfp_set(op, 1, tfp_matrix_of(op, tfp_dim(in, 0), classes));
    tfp_set(op, 2, tfp_vector_of(op, sampled));
}

/* ---- counts ---- */

static tfp_cost l2_count(const tfp_op *op) { return tfp_cost_of(tfp_minus(tfp_times(3, tfp_in_size(op, 0)), 1)); }

static tfp_cost bias_grad_count(const tfp_op *op)
{
    return tfp_cost_of(tfp_minus(tfp_in_size(op, 0), tfp_out_size(op, 0)));
}

static tfp_cost cross_entropy_count(const tfp_op *op) { return tfp_cost_of(tfp_times(9, tfp_out_size(op, 1))); }

/* Softmax; then for each step and state (the labels and the blanks around them) log sums of four operations, forwards,
 * backwards and in the gradient. */
static tfp_cost ctc_count(const tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0);
    int64_t states = tfp_plus(tfp_times(2, tfp_in_size(op, 2)), tfp_dim(in, 1));
    return tfp_cost_of(tfp_plus(tfp_times(6, tfp_elements(in)), tfp_times(23, tfp_times(tfp_dim(in, 0), states))));
}

static tfp_cost beam_count(const tfp_op *op)
{
    int64_t per = tfp_plus(5, tfp_times(2, tfp_attr_int(op, "beam_width", -1)));
    return tfp_cost_of(tfp_times(per, tfp_in_size(op, 0)));
}

static tfp_cost sampler_count(const tfp_op *op)
{
    return tfp_cost_of(tfp_times(op->rule->per, tfp_plus(tfp_out_size(op, 0), tfp_out_size(op, 1))));
}

#define SAMPLER(per)                                                                                                   \
    sampler_count, (per), #per " * (num_sampled + n(true_classes))",                                                   \
        "the probability of each class, and how often it is expected"
#define GRAD(per, source) TFP_SHAPE("A, A -> A"), TFP_EACH_OUT(per, source)
#define EACH(per, source) tfp_same_as_input, TFP_EACH_OUT(per, source)
const tfp_op_rule tfp_rules_nn[] = {
    { "BiasAdd", tfp_bias_shape, TFP_EACH_IN(1, "registry") },
    { "BiasAddV1", tfp_bias_shape, TFP_EACH_IN(1, "as BiasAdd") },
    { "BiasAddGrad", bias_grad_shape, bias_grad_count, 0, "n(in0) - n(out)", "registry" },
    { "Relu", EACH(1, "a comparison") },
    { "ReluGrad LeakyReluGrad", GRAD(2, "a comparison, a product") },
    { "Relu6", EACH(2, "two comparisons") },
    { "Relu6Grad", GRAD(3, "two comparisons, a product") },
    { "LeakyRelu", EACH(2, "a product, a comparison") },
    { "Elu", EACH(3, "a comparison, exp, a difference") },
    { "EluGrad SeluGrad", GRAD(3, "a comparison, a sum, a product") },
    { "Selu", EACH(4, "a comparison, exp, a difference, a product") },
    { "Softplus", EACH(3, "exp, a sum, log") },
    { "SoftplusGrad", GRAD(4, "negation, exp, a sum, a division") },
    { "Softsign", EACH(3, "abs, a sum, a division") },
    { "SoftsignGrad", GRAD(4, "abs, a sum, a square, a division") },
    { "Softmax", TFP_SHAPE("Bn -> Bn"), TFP_EACH_IN(5, "registry") },
    { "LogSoftmax", TFP_SHAPE("Bn -> Bn"), TFP_EACH_IN(5, "as Softmax: largest, difference, exp, sum, difference") },
    { "SoftmaxCrossEntropyWithLogits", cross_entropy_shape, cross_entropy_count, 0, "9 * n(backprop)",
      "largest, difference, exp, sum 4, loss 3, gradient 2" },
    { "SparseSoftmaxCrossEntropyWithLogits", TFP_SHAPE("nd, n -> n, nd"),
      TFP_EACH_IN(6, "largest, difference, exp, sum 4, gradient 2") },
    { "L2Loss", tfp_scalar_outputs, l2_count, 0, "3 * n(in0) - 1", "registry" },
    { "TopK TopKV2", top_shape, TFP_EACH_IN(1, "a comparison with the least of the best") },
    { "TopKUnique TopKWithUnique", top_unique_shape, TFP_EACH_IN(1, "a comparison with the least of the best") },
    { "ApproxTopK", approximate_top_shape, TFP_EACH_IN(1, "a comparison with the best of its bin") },
    { "InTopK InTopKV2", TFP_SHAPE("nd, n -> n"), TFP_EACH_IN(1, "a comparison with the target's") },
    { "NthElement", nth_shape, TFP_EACH_IN(1, "a comparison") },
    { "IsotonicRegression", TFP_SHAPE("A -> A, A"), TFP_EACH_IN(4, "a comparison, a sum, a mean of a block") },
    { "CTCLoss CTCLossV2", TFP_SHAPE("tbc, l2, l, b -> b, tbc"), ctc_count, 0,
      "6 * n(inputs) + 23 * time * (2 * n(labels) + batch)",
      "softmax and its gradient; forwards 9, backwards 9, gradient 5 a step and state" },
    { "CTCGreedyDecoder", TFP_SHAPE("tbc, b -> _2, _, 2, b1"), TFP_EACH_IN(1, "a comparison with the best class") },
    { "CTCBeamSearchDecoder", beam_shape, beam_count, 0, "n(inputs) * (5 + 2 * beam_width)",
      "softmax; a sum and a comparison an element and beam" },
    { "LogUniformCandidateSampler", sampler_shape, SAMPLER(10) },
    { "UniformCandidateSampler LearnedUnigramCandidateSampler ThreadUnsafeUnigramCandidateSampler "
      "FixedUnigramCandidateSampler",
      sampler_shape, SAMPLER(5) },
    { "AllCandidateSampler", sampler_shape, TFP_MOVES },
    { "ComputeAccidentalHits", TFP_SHAPE("_<num_true>, _ -> _, _, _"), TFP_EACH_IN(1, "one look-up a true class") },
    { "_MklRelu", EACH(1, "as Relu") },
    { "_MklReluGrad", GRAD(2, "as ReluGrad") },
    { "_MklRelu6", EACH(2, "as Relu6") },
    { "_MklRelu6Grad", GRAD(3, "as Relu6Grad") },
    { "_MklLeakyRelu", EACH(2, "as LeakyRelu") },
    { "_MklLeakyReluGrad", GRAD(2, "as LeakyReluGrad") },
    { "_MklElu", EACH(3, "as Elu") },
    { "_MklEluGrad", GRAD(3, "as EluGrad") },
    { "_MklSoftmax", TFP_SHAPE("Bn -> Bn"), TFP_EACH_IN(5, "registry, as Softmax") },
    { "_MklSwish", EACH(5, "a sigmoid 4, a product") },
    { "_MklFusedMish", EACH(5, "softplus 3, tanh, a product") },
    { NULL },
};
