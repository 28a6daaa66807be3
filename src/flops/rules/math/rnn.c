// SPDX-License-Identifier: Apache-2.0
/* flops/rules/math/rnn.c: recurrent cells and whole recurrent layers: the products with the weights, and a few
 * float operations for each unit and step for gates and states, where a sigmoid is 4 and a hyperbolic tangent 1. */
#include "flops/rules/shared/layers.h"

/* ---- shapes ---- */

static bool attr_is(const tfp_op *op, const char *name, const char *fallback, const char *value)
{
    return tfp_str_eq(tfp_attr_text(op, name, fallback), tfp_str_of(value));
}

static bool is_lstm(const tfp_op *op) { return attr_is(op, "rnn_mode", "lstm", "lstm"); }
static int64_t directions(const tfp_op *op)
{
    return attr_is(op, "direction", "unidirectional", "bidirectional") ? 2 : 1;
}

/* per: the version of the op. Version 3 gives the last cell state the shape of the initial one; the others give it that
 * of the output state, which differs when the output is projected. */
static void cudnn_shape(tfp_op *op)
{
    tfp_dims in = tfp_merge_rank(op, tfp_in(op, 0), 3), h = tfp_in(op, 1);
    tfp_merge_rank(op, h, 3);
    tfp_merge_rank(op, tfp_in(op, 3), 1);
    if (op->rule->per == 3) tfp_merge_rank(op, tfp_in(op, 4), 1);
    int64_t out[3] = { tfp_dim(in, 0), tfp_dim(in, 1), tfp_dim_times(op, tfp_dim(h, 2), directions(op)) };
    tfp_set(op, 0, tfp_shape_of(op, out, 3));
    tfp_set(op, 1, h);
    if (!is_lstm(op))
        tfp_set(op, 2, TFP_SCALAR_DIMS);
    else
        tfp_set(op, 2, op->rule->per == 3 ? tfp_in(op, 2) : h);
}

/* The number of weights, which are the first outputs, is an attribute. */
static void cudnn_parts_shape(tfp_op *op)
{
    int64_t weights = tfp_attr_int(op, tfp_attr_given(op, "num_params") ? "num_params" : "num_params_weights", 0);
    tfp_merge_rank(op, tfp_in(op, 3), 1);
    for (uint32_t i = 0; i < op->out_count; i++) tfp_set(op, i, tfp_any_of_rank(op, i < weights ? 2 : 1));
}

static void block_lstm_shape(tfp_op *op)
{
    tfp_dims x = tfp_merge_rank(op, tfp_in(op, 1), 3);
    tfp_dims bias = tfp_merge_rank(op, tfp_in(op, op->in_count - 1), 1);
    int64_t dims[3] = { tfp_dim(x, 0), tfp_dim(x, 1), tfp_dim_quarter(op, tfp_dim(bias, 0)) };
    tfp_dims out = tfp_shape_of(op, dims, 3);
    for (uint32_t i = 0; i < op->out_count; i++) tfp_set(op, i, out);
}

static void lstm_cell_grad_shape(tfp_op *op)
{
    tfp_dims x = tfp_merge_rank(op, tfp_in(op, 0), 2), state = tfp_merge_rank(op, tfp_in(op, 1), 2);
    int64_t batch = tfp_dim(x, 0), units = tfp_dim(state, 1);
    tfp_set(op, 0, tfp_matrix_of(op, batch, units));
    tfp_set(op, 1, tfp_matrix_of(op, batch, tfp_dim_times(op, units, 4)));
    for (uint32_t i = 2; i < 5; i++) tfp_set(op, i, tfp_vector_of(op, units));
}

/* ---- counts ---- */

/* For each unit and step of one of TensorFlow's own cells; peepholes are three products and sums. */
enum {
    LSTM_UNIT = 23,
    LSTM_GRAD_UNIT = 22,
    PEEPHOLES = 6,
    PEEPHOLES_GRAD = 12,
    CLIP = 2,
    GRU_UNIT = 17,
    GRU_GRAD_UNIT = 18
};

static int64_t lstm_unit(const tfp_op *op)
{
    int64_t per = LSTM_UNIT;
    if (tfp_attr_bool(op, "use_peephole", false)) per += PEEPHOLES;
    if (tfp_attr_real(op, "cell_clip", op->rule->per) > 0) per += CLIP;
    return per;
}

static int64_t lstm_grad_unit(const tfp_op *op)
{
    return LSTM_GRAD_UNIT + (tfp_attr_bool(op, "use_peephole", false) ? PEEPHOLES_GRAD : 0);
}

/* All steps together are `rows` vectors of `inputs` numbers; each unit has `gates` rows of weights. */
static int64_t gate_macs(int64_t rows, int64_t inputs, int64_t units, int64_t gates)
{
    return tfp_times(tfp_times(rows, tfp_plus(inputs, units)), tfp_times(gates, units));
}

static tfp_cost lstm_cell_count(const tfp_op *op)
{
    int64_t rows = tfp_dim(tfp_in(op, 0), 0), units = tfp_dim(tfp_in(op, 1), 1);
    int64_t macs = gate_macs(rows, tfp_dim(tfp_in(op, 0), 1), units, 4);
    return tfp_cost_mixed(macs, tfp_times(lstm_unit(op), tfp_times(rows, units)));
}

/* The products for the gradients of the weights are separate ops. */
static tfp_cost lstm_cell_grad_count(const tfp_op *op)
{
    return tfp_cost_of(tfp_times(lstm_grad_unit(op), tfp_out_size(op, 0)));
}

static tfp_cost gru_cell_count(const tfp_op *op)
{
    int64_t rows = tfp_dim(tfp_in(op, 0), 0), units = tfp_dim(tfp_in(op, 1), 1);
    int64_t macs = gate_macs(rows, tfp_dim(tfp_in(op, 0), 1), units, 3);
    return tfp_cost_mixed(macs, tfp_times(op->rule->per, tfp_times(rows, units)));
}

static int64_t steps_of(tfp_dims x) { return tfp_times(tfp_dim(x, 0), tfp_dim(x, 1)); }

static tfp_cost block_lstm_count(const tfp_op *op)
{
    tfp_dims x = tfp_in(op, 1);
    int64_t rows = steps_of(x), units = tfp_dim(tfp_out(op, 0), 2);
    return tfp_cost_mixed(gate_macs(rows, tfp_dim(x, 2), units, 4), tfp_times(lstm_unit(op), tfp_times(rows, units)));
}

static tfp_cost block_lstm_grad_count(const tfp_op *op)
{
    tfp_dims x = tfp_in(op, 1);
    int64_t rows = steps_of(x), units = tfp_dim(tfp_in(op, 2), 1);
    int64_t more = tfp_times(lstm_grad_unit(op) + 4, tfp_times(rows, units)); /* 4: sums of the bias */
    return tfp_cost_mixed(tfp_times(2, gate_macs(rows, tfp_dim(x, 2), units, 4)), more);
}

/* ---- cuDNN: layers, directions, modes ---- */

static const struct {
    const char *mode;
    int64_t gates,
        per; /* per: float operations for each unit and step besides the products: two biases, gates, states */
} modes[] = { { "lstm", 4, 30 }, { "gru", 3, 23 }, { "rnn_relu", 1, 4 }, { "rnn_tanh", 1, 4 } };

/* One direction of one layer. */
static tfp_cost cudnn_layer(const tfp_op *op, size_t mode, int64_t rows, int64_t inputs, int64_t units)
{
    int64_t projected = tfp_attr_int(op, "num_proj", 0), back = projected > 0 ? projected : units;
    int64_t gates = tfp_times(modes[mode].gates, units);
    int64_t macs = tfp_times(rows, tfp_times(gates, tfp_plus(inputs, back)));
    if (projected > 0) macs = tfp_plus(macs, tfp_times(rows, tfp_times(units, projected)));
    return tfp_cost_mixed(macs, tfp_times(modes[mode].per, tfp_times(rows, units)));
}

static tfp_cost times_cost(int64_t n, tfp_cost a) { return (tfp_cost){ tfp_times(n, a.flops), tfp_times(n, a.macs) }; }

/* Takes layers times directions, and units, from the initial state. */
static tfp_cost cudnn_forward(const tfp_op *op)
{
    tfp_dims in = tfp_in(op, 0), h = tfp_in(op, 1), c = tfp_in(op, 2);
    size_t mode = 0;
    while (mode < sizeof modes / sizeof *modes && !attr_is(op, "rnn_mode", "lstm", modes[mode].mode)) mode++;
    if (mode == sizeof modes / sizeof *modes) return tfp_cost_of(TFP_UNKNOWN);
    bool projected = tfp_attr_int(op, "num_proj", 0) > 0;
    int64_t stacked = tfp_dim(h, tfp_attr_bool(op, "time_major", true) ? 0 : 1), sides = directions(op);
    int64_t units = tfp_dim(projected ? c : h, 2), rows = steps_of(in), inputs = tfp_dim(in, 2);
    if (attr_is(op, "input_mode", "linear_input", "skip_input"))
        inputs = 0; /* the number of weights goes beyond the first layer */
    tfp_cost first = times_cost(sides, cudnn_layer(op, mode, rows, inputs, units));
    tfp_cost next = times_cost(sides, cudnn_layer(op, mode, rows, tfp_times(sides, tfp_dim(h, 2)), units));
    next = times_cost(tfp_minus(tfp_over(stacked, sides), 1), next);
    return (tfp_cost){ tfp_plus(first.flops, next.flops), tfp_plus(first.macs, next.macs) };
}

static tfp_cost cudnn_grad_count(const tfp_op *op) { return times_cost(2, cudnn_forward(op)); }

#define LSTM_CELL(clip)                                                                                                \
    lstm_cell_count, (clip),                                                                                           \
        "2 * batch * (inputs + units) * 4 * units + 23 * batch * units + 6 peepholes + 2 clipping",                    \
        "four gates' products; biases 5, sigmoids 12, tanh 2, states 4 a unit"
#define BLOCK_LSTM(clip) block_lstm_count, (clip), "as LSTMBlockCell, each step", "as LSTMBlockCell"
#define BLOCK_LSTM_GRAD                                                                                                \
    block_lstm_grad_count, 0,                                                                                          \
        "4 * time * batch * (inputs + units) * 4 * units + 26 * time * batch * units + 12 peepholes",                  \
        "gradients of inputs and of weights; 26 a unit and step"
#define CUDNN(version)                                                                                                 \
    cudnn_forward, (version),                                                                                          \
        "each step, layer, direction: 2 * batch * gates * units * (inputs + units) + batch * units * per",             \
        "gates: lstm 4, gru 3, else 1; per: lstm 30, gru 23, else 4"
#define CUDNN_GRAD cudnn_grad_count, 0, "2 * forward", "gradients of inputs and of weights"
const tfp_op_rule tfp_rules_rnn[] = {
    { "LSTMBlockCell", TFP_SHAPE("bi, cu -> bu, bu, bu, bu, bu, bu, bu"), LSTM_CELL(3) },
    { "LSTMBlockCellGrad", lstm_cell_grad_shape, lstm_cell_grad_count, 0, "22 * batch * units + 12 peepholes",
      "gates and states backwards; products are outside" },
    { "BlockLSTM", block_lstm_shape, BLOCK_LSTM(3) },
    { "BlockLSTMV2", block_lstm_shape, BLOCK_LSTM(0) },
    { "BlockLSTMGrad BlockLSTMGradV2", TFP_SHAPE("(), tbi, cu, de, fg, h, j, k, l -> tbi, cu, de, fg, h, j, k, l"),
      BLOCK_LSTM_GRAD },
    { "GRUBlockCell", TFP_SHAPE("bi, cu -> bu, bu, bu, bu"), gru_cell_count, GRU_UNIT,
      "2 * batch * (inputs + units) * 3 * units + 17 * batch * units",
      "three gates' products; biases 3, sigmoids 8, tanh 1, states 5 a unit" },
    { "GRUBlockCellGrad", TFP_SHAPE("bi, cu, dt -> bi, bu, bu, bt"), gru_cell_count, GRU_GRAD_UNIT,
      "2 * batch * (inputs + units) * 3 * units + 18 * batch * units", "gradients of inputs; 18 a unit" },
    { "CudnnRNN", cudnn_shape, CUDNN(1) },
    { "CudnnRNNV2", cudnn_shape, CUDNN(2) },
    { "CudnnRNNV3", cudnn_shape, CUDNN(3) },
    { "CudnnRNNBackprop CudnnRNNBackpropV2 CudnnRNNBackpropV3", TFP_SHAPE("A, B, C, D -> A, B, C, D"), CUDNN_GRAD },
    { "CudnnRNNParamsSize", TFP_SHAPE("(), (), () -> 1"), TFP_MOVES },
    { "CudnnRNNParamsToCanonical CudnnRNNParamsToCanonicalV2", cudnn_parts_shape, TFP_MOVES },
    { "CudnnRNNCanonicalToParams CudnnRNNCanonicalToParamsV2", TFP_SHAPE("-> _"), TFP_MOVES },
    { NULL },
};
