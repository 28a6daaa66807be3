// SPDX-License-Identifier: Apache-2.0
/* flops/rules/math/random.c: random numbers. Making random bits is integer work and not counted; the arithmetic that
 * turns bits into numbers of a distribution is counted, with one round where values may be rejected. */
#include "flops/rules/shared/rule.h"

/* The parameters are broadcast, but the output has the shape asked for. */
static void shape_truncated(tfp_op *op)
{
    tfp_dims d = tfp_in(op, 2);
    for (uint32_t i = 3; i < 6; i++) d = tfp_broadcast(op, d, tfp_in(op, i));
    tfp_shape_pattern(op, "#S, 2 -> S");
}

static void shape_crop(tfp_op *op)
{
    tfp_dims image = tfp_merge_rank(op, tfp_in(op, 0), 3);
    const double *size = tfp_in_elements(op, 1);
    bool known = size && tfp_in_size(op, 1) == 2 && size[0] >= 0 && size[1] >= 0;
    int64_t rows = known ? (int64_t)size[0] : TFP_DIM_UNKNOWN, columns = known ? (int64_t)size[1] : TFP_DIM_UNKNOWN;
    tfp_set(op, 0, tfp_shape_of(op, (int64_t[]){ rows, columns, tfp_dim(image, 2) }, 3));
}

/* Scalars and vectors of one length may be combined: index, seed (three numbers, or three for each index), largest
 * index. */
static void shape_index_shuffle(tfp_op *op)
{
    tfp_dims index = tfp_in(op, 0), seed = tfp_in(op, 1), most = tfp_in(op, 2);
    if (tfp_wrong_if(op, index.rank > 1 || seed.rank == 0 || seed.rank > 2 || most.rank > 1,
                     "an input of another rank than it must have"))
        return;
    if (index.rank == 1 || seed.rank == 2 || most.rank == 1) {
        int64_t n = index.rank == 1 ? tfp_dim(index, 0) : TFP_DIM_UNKNOWN;
        if (n < 0 && seed.rank == 2) n = tfp_dim(seed, 0);
        if (n < 0 && most.rank == 1) n = tfp_dim(most, 0);
        tfp_set(op, 0, tfp_vector_of(op, n));
    } else if (index.rank == 0 && seed.rank == 1 && most.rank == 0) {
        tfp_set(op, 0, TFP_SCALAR_DIMS);
    }
}

/* A running sum of exp(logit - max) for every row, then a search for each sample. */
static tfp_cost count_multinomial(const tfp_op *op)
{
    int64_t logits = tfp_times(3, tfp_in_size(op, 0)), samples = tfp_times(2, tfp_out_size(op, 0));
    return tfp_cost_of(tfp_plus(logits, samples));
}

static const char uniform[] = "bits to [0, 1): one subtraction";
static const char between[] = "bits to a range: remainder and addition";
static const char normal[] = "Box-Muller: ten operations a pair";
static const char truncated[] = "Box-Muller and one comparison; one round";
static const char parameterized[] = "Box-Muller, two comparisons, scaled and moved; one round";
static const char gamma_rounds[] = "Marsaglia and Tsang's method; one round";
static const char rejection[] = "Hormann's transformed rejection; one round";
static const char multinomial[] = "exp(logit - max) summed up; a random number scaled for each sample";

#define MULTINOMIAL count_multinomial, 0, "3 * n(in0) + 2 * n(out)", multinomial
#define BITS tfp_count_zero, 0, "0", "random bits, no arithmetic"
const tfp_op_rule tfp_rules_random[] = {
    { "RandomUniform", TFP_SHAPE("#S -> S"), TFP_EACH_OUT(1, uniform) },
    { "RandomUniformInt", TFP_SHAPE("#S, (), () -> S"), TFP_EACH_OUT(2, between) },
    { "RandomStandardNormal", TFP_SHAPE("#S -> S"), TFP_EACH_OUT(5, normal) },
    { "TruncatedNormal", TFP_SHAPE("#S -> S"), TFP_EACH_OUT(6, truncated) },
    { "ParameterizedTruncatedNormal", TFP_SHAPE("#S -> S"), TFP_EACH_OUT(9, parameterized) },
    { "RandomGamma", TFP_SHAPE("#S, P -> SP"), TFP_EACH_OUT(20, gamma_rounds) },
    { "RandomGammaGrad", tfp_broadcast_inputs, TFP_EACH_OUT(1, "a special function, as Igamma") },
    { "RandomPoisson RandomPoissonV2", TFP_SHAPE("#S, P -> SP"), TFP_EACH_OUT(20, rejection) },
    { "Multinomial", TFP_SHAPE("bc, #n -> bn"), MULTINOMIAL },
    { "RandomShuffle", tfp_same_as_input, TFP_MOVES },
    { "RandomCrop", shape_crop, TFP_MOVES },
    { "RandomIndexShuffle", shape_index_shuffle, BITS },
    { "NonDeterministicInts", TFP_SHAPE("#S -> S"), BITS },

    { "StatefulUniform", TFP_SHAPE("*, (), #S -> S"), TFP_EACH_OUT(1, uniform) },
    { "StatefulUniformFullInt", TFP_SHAPE("*, (), #S -> S"), BITS },
    { "StatefulUniformInt", TFP_SHAPE("*, (), #S, (), () -> S"), TFP_EACH_OUT(2, between) },
    { "StatefulStandardNormal", TFP_SHAPE("*, #S -> S"), TFP_EACH_OUT(5, normal) },
    { "StatefulStandardNormalV2", TFP_SHAPE("*, (), #S -> S"), TFP_EACH_OUT(5, normal) },
    { "StatefulTruncatedNormal", TFP_SHAPE("*, (), #S -> S"), TFP_EACH_OUT(6, truncated) },
    { "StatefulRandomBinomial", TFP_SHAPE("*, *, #S -> S"), TFP_EACH_OUT(20, rejection) },
    { "RngReadAndSkip", TFP_SHAPE("*, (), () -> 3"), TFP_MOVES },
    { "RngSkip", TFP_SHAPE("*, (), () ->"), TFP_MOVES },

    { "StatelessRandomUniform", TFP_SHAPE("#S, 2 -> S"), TFP_EACH_OUT(1, uniform) },
    { "StatelessRandomUniformInt", TFP_SHAPE("#S, 2, (), () -> S"), TFP_EACH_OUT(2, between) },
    { "StatelessRandomUniformFullInt", TFP_SHAPE("#S, 2 -> S"), BITS },
    { "StatelessRandomNormal", TFP_SHAPE("#S, 2 -> S"), TFP_EACH_OUT(5, normal) },
    { "StatelessTruncatedNormal", TFP_SHAPE("#S, 2 -> S"), TFP_EACH_OUT(6, truncated) },
    { "StatelessParameterizedTruncatedNormal", shape_truncated, TFP_EACH_OUT(9, parameterized) },
    { "StatelessRandomGammaV2", TFP_SHAPE("#S, 2 -> S"), TFP_EACH_OUT(20, gamma_rounds) },
    { "StatelessRandomPoisson StatelessRandomBinomial", TFP_SHAPE("#S, 2 -> S"), TFP_EACH_OUT(20, rejection) },
    { "StatelessMultinomial", TFP_SHAPE("bc, #n, 2 -> bn"), MULTINOMIAL },

    { "StatelessRandomUniformV2", TFP_SHAPE("#S, 1, _, () -> S"), TFP_EACH_OUT(1, uniform) },
    { "StatelessRandomUniformIntV2", TFP_SHAPE("#S, 1, _, (), (), () -> S"), TFP_EACH_OUT(2, between) },
    { "StatelessRandomUniformFullIntV2", TFP_SHAPE("#S, 1, _, () -> S"), BITS },
    { "StatelessRandomNormalV2", TFP_SHAPE("#S, 1, _, () -> S"), TFP_EACH_OUT(5, normal) },
    { "StatelessTruncatedNormalV2", TFP_SHAPE("#S, 1, _, () -> S"), TFP_EACH_OUT(6, truncated) },
    { "StatelessRandomGammaV3", TFP_SHAPE("#S, 1, _, () -> S"), TFP_EACH_OUT(20, gamma_rounds) },
    { "StatelessShuffle", tfp_same_as_input, TFP_MOVES },
    { "StatelessRandomGetAlg", TFP_SHAPE("-> ()"), TFP_MOVES },
    { "StatelessRandomGetKeyCounter", TFP_SHAPE("2 -> 1, 2"), TFP_MOVES },
    { "StatelessRandomGetKeyCounterAlg", TFP_SHAPE("2 -> 1, 2, ()"), TFP_MOVES },
    { NULL },
};
