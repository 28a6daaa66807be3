// SPDX-License-Identifier: Apache-2.0
/* flops/rules/math/math.c: operations on single elements: arithmetic, comparisons, logic, bits, complex numbers,
 * special functions and their gradients. All count as in TensorFlow's registry: one operation for a function of one
 * element, whatever the type; a function composed of several such steps counts each of them. */
#include "flops/rules/shared/rule.h"

/* ---- shapes ---- */

/* Equal and NotEqual can be asked to answer a single false for incompatible shapes; the output's shape then needs both
 * known. */
static void equality(tfp_op *op)
{
    tfp_dims a = tfp_in(op, 0), b = tfp_in(op, 1);
    if (!tfp_attr_bool(op, "incompatible_shape_error", true) && (a.rank < 0 || b.rank < 0)) return;
    int rank = tfp_attr_bool(op, "incompatible_shape_error", true) ? 0 : a.rank > b.rank ? a.rank : b.rank;
    for (int i = rank; i > 0; i--) { /* aligned at the last dim, starting with the first */
        int64_t x = i > a.rank ? 1 : tfp_dim(a, -i), y = i > b.rank ? 1 : tfp_dim(b, -i);
        if (x == 1 || y == 1 || x == y) continue;
        if (x >= 0 && y >= 0) tfp_set(op, 0, TFP_SCALAR_DIMS);
        return;
    }
    tfp_broadcast_inputs(op);
}

/* Scalars combine with any shape; all other inputs have one shape. */
static void betainc(tfp_op *op)
{
    tfp_dims out = TFP_ANY_DIMS, last = TFP_ANY_DIMS;
    int scalars = 0;
    for (uint32_t i = 0; i < 3; i++) {
        tfp_dims in = tfp_in(op, i);
        if (in.rank < 0) {
            last = in;
        } else if (in.rank == 0) {
            scalars++;
        } else {
            last = out = tfp_merge(op, out, in);
        }
    }
    if (scalars == 2) out = last;
    if (scalars == 3) out = TFP_SCALAR_DIMS;
    tfp_set(op, 0, out);
}

/* If both inputs are handles with the same type of value, so is the output. */
static void chosen_held(tfp_op *op)
{
    const tfp_held *a = tfp_in_held(op, 1), *b = tfp_in_held(op, 2);
    if (a && b && a->dtype == b->dtype) tfp_set_held(op, 0, tfp_merge(op, a->shape, b->shape), a->dtype);
}

/* The condition is a scalar, of the same shape, or a vector that chooses along the first dimension. */
static void select_old(tfp_op *op)
{
    tfp_dims condition = tfp_in(op, 0), out = tfp_merge(op, tfp_in(op, 1), tfp_in(op, 2));
    chosen_held(op);
    if (condition.rank > 1 || (condition.rank == 1 && out.rank == 0)) {
        if (out.rank >= 0) out = tfp_merge(op, out, condition);
    } else if (condition.rank == 1 && out.rank > 0) {
        tfp_merge_dim(op, tfp_dim(condition, 0), tfp_dim(out, 0));
    }
    tfp_set(op, 0, out);
}

static void select_new(tfp_op *op)
{
    chosen_held(op);
    tfp_set(op, 0, tfp_broadcast(op, tfp_in(op, 0), tfp_broadcast(op, tfp_in(op, 1), tfp_in(op, 2))));
}

static void same_with_held(tfp_op *op)
{
    const tfp_held *held = tfp_in_held(op, 0);
    if (held) tfp_set_held(op, 0, held->shape, held->dtype);
    tfp_same_as_input(op);
}

/* ---- counts ---- */

static tfp_cost count_addends(const tfp_op *op)
{
    int64_t n = tfp_out_size(op, 0);
    if (n < 0) n = tfp_in_size(op, 0);
    return tfp_cost_of(tfp_times(n, (int64_t)op->in_count - 1));
}

/* A binary search in the sorted boundaries. */
static tfp_cost count_bucketize(const tfp_op *op)
{
    int64_t places = (int64_t)tfp_attr_members(op, "boundaries")->size + 1;
    return tfp_cost_of(tfp_times(tfp_log2_up(places), tfp_in_size(op, 0)));
}

static tfp_cost count_composition(const tfp_op *op)
{
    return tfp_cost_of(tfp_times((int64_t)tfp_attr_members(op, "op_names")->size, tfp_in_size(op, 0)));
}

/* The last members of rows in the table below: count and source. */
#define REGISTRY TFP_EACH_OUT(1, "registry")
#define FUNCTION TFP_EACH_OUT(1, "one function an element, as the registry counts Log")
#define STEP TFP_EACH_OUT(1, "one step an element, as the registry counts Add")
#define TRUTH TFP_EACH_OUT(1, "one answer an element, as the registry counts Less")

const tfp_op_rule tfp_rules_math[] = {
    /* arithmetic of two */
    { "Add AddV2 Sub Mul RealDiv Maximum Minimum Pow", tfp_broadcast_inputs, REGISTRY },
    { "SquaredDifference", tfp_broadcast_inputs, TFP_EACH_OUT(2, "registry") },
    { "Div DivNoNan MulNoNan FloorDiv TruncateDiv Mod FloorMod TruncateMod NextAfter Xdivy", tfp_broadcast_inputs,
      STEP },
    { "Xlogy Xlog1py", tfp_broadcast_inputs, TFP_EACH_OUT(2, "a logarithm and a multiply an element") },
    { "Atan2 Igamma Igammac IgammaGradA Zeta Polygamma", tfp_broadcast_inputs, FUNCTION },
    { "RiscAdd RiscSub RiscMul RiscDiv RiscRem RiscMax RiscMin RiscPow RiscBinaryArithmetic", tfp_same_as_input, STEP },

    /* comparisons and logic */
    { "Greater GreaterEqual Less LessEqual", tfp_broadcast_inputs, REGISTRY },
    { "Equal NotEqual", equality, REGISTRY },
    { "ApproximateEqual", TFP_SHAPE("A, A -> A"),
      TFP_EACH_OUT(3, "a difference, its size and a comparison an element") },
    { "LogicalAnd LogicalOr", tfp_broadcast_inputs, TRUTH },
    { "LogicalNot IsNan IsInf IsFinite RiscBinaryComparison RiscLogicalNot RiscIsFinite", tfp_same_as_input, TRUTH },
    { "BitwiseAnd BitwiseOr BitwiseXor LeftShift RightShift", tfp_broadcast_inputs, STEP },
    { "Invert PopulationCount", tfp_same_as_input, STEP },
    { "RiscLogicalAnd RiscLogicalOr", tfp_unknown_outputs, TRUTH },

    /* choosing and bounding */
    { "Select", select_old, TFP_EACH_OUT(1, "one choice an element") },
    { "SelectV2", select_new, TFP_EACH_OUT(1, "one choice an element") },
    { "ClipByValue", tfp_same_as_input, TFP_EACH_OUT(2, "a maximum and a minimum an element") },
    { "Bucketize", tfp_same_as_input, count_bucketize, 0, "ceil(log2(boundaries + 1)) * n(in0)", "binary search" },

    /* sums of several */
    { "AddN", tfp_merged_inputs, count_addends, 0, "(inputs - 1) * n(out)", "registry; control inputs are no addends" },
    { "AccumulateNV2", TFP_SHAPE("-> $shape"), count_addends, 0, "(inputs - 1) * n(out)", "as AddN" },

    /* functions of one */
    { "Neg Reciprocal Square Log", tfp_same_as_input, REGISTRY },
    { "Rsqrt", tfp_same_as_input, TFP_EACH_OUT(2, "registry") },
    { "Abs Inv Sign Floor Ceil Rint Round RiscAbs RiscNeg RiscSign RiscFloor RiscCeil", tfp_same_as_input, STEP },
    { "Sqrt Exp Expm1 Log1p Sin Cos Tan Asin Acos Atan Sinh Cosh Tanh Asinh Acosh Atanh Erf Erfc Erfinv Ndtri Lgamma "
      "Digamma BesselI0 BesselI0e BesselI1 BesselI1e BesselJ0 BesselJ1 BesselK0 BesselK0e BesselK1 BesselK1e BesselY0 "
      "BesselY1 Dawsn Expint FresnelCos FresnelSin Spence RiscExp RiscLog RiscCos RiscUnary _MklTanh",
      tfp_same_as_input, FUNCTION },
    { "Sigmoid", tfp_same_as_input, TFP_EACH_OUT(4, "1 / (1 + exp(-x)): four steps an element") },
    { "Betainc", betainc, FUNCTION },
    { "_UnaryOpsComposition", tfp_same_as_input, count_composition, 0, "functions * n(in0)", "one step a function" },

    /* gradients of functions of one */
    { "RsqrtGrad", tfp_same_as_input, TFP_EACH_OUT(4, "registry") },
    { "InvGrad ReciprocalGrad", tfp_same_as_input, TFP_EACH_OUT(3, "-dy * y * y") },
    { "SqrtGrad", tfp_same_as_input, TFP_EACH_OUT(2, "dy * 0.5 / y") },
    { "TanhGrad", tfp_same_as_input, TFP_EACH_OUT(3, "dy * (1 - y * y)") },
    { "SigmoidGrad", tfp_same_as_input, TFP_EACH_OUT(3, "dy * y * (1 - y)") },
    { "_MklTanhGrad", TFP_SHAPE("A, A -> A"), TFP_EACH_OUT(3, "dy * (1 - y * y)") },

    /* complex numbers and types */
    { "ComplexAbs", tfp_same_as_input, TFP_EACH_OUT(4, "sqrt(re * re + im * im)") },
    { "Angle", tfp_same_as_input, FUNCTION },
    { "Conj", same_with_held, STEP },
    { "Complex", tfp_broadcast_inputs, TFP_MOVES },
    { "Real Imag RiscReal RiscImag RiscCast", tfp_same_as_input, TFP_MOVES },
    { "Cast _HostCast", same_with_held, TFP_MOVES },
    { "StochasticCastToInt", tfp_same_as_input, TFP_EACH_OUT(2, "a random number is added, the sum rounded") },
    { "XlaReducePrecision", tfp_same_as_input, STEP },
    { NULL },
};
