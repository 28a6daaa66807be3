/* flops/rules/math.c: operations on single elements: arithmetic, comparisons, logic, bits, complex numbers, special
 * functions and the gradients of these. The registry's way of counting is kept throughout: one unit for a function of
 * one element, whatever the type; what is made of several such steps counts each. */
#include "flops/rules/rule.h"

/* ---- shapes ---- */

/* Equal and NotEqual may be told to answer for shapes that do not fit, with one false: then they must be known to fit. */
static void equality(tfp_op *op)
{
    tfp_dims a = tfp_in(op, 0), b = tfp_in(op, 1);
    if (!tfp_attr_bool(op, "incompatible_shape_error", true) && (a.rank < 0 || b.rank < 0)) return;
    int rank = tfp_attr_bool(op, "incompatible_shape_error", true) ? 0 : a.rank > b.rank ? a.rank : b.rank;
    for (int i = rank; i > 0; i--) { /* dims from behind, the first one first */
        int64_t x = i > a.rank ? 1 : tfp_dim(a, -i), y = i > b.rank ? 1 : tfp_dim(b, -i);
        if (x == 1 || y == 1 || x == y) continue;
        if (x >= 0 && y >= 0) tfp_set(op, 0, TFP_SCALAR_DIMS);
        return;
    }
    tfp_broadcast_inputs(op);
}

/* Both are of one shape; TensorFlow then gives the first one's alone. */
static void approximate(tfp_op *op)
{
    tfp_dims both = tfp_merge(op, tfp_in(op, 0), tfp_in(op, 1));
    tfp_set(op, 0, op->importer ? tfp_in(op, 0) : both);
}

static void merged_pair(tfp_op *op) { tfp_set(op, 0, tfp_merge(op, tfp_in(op, 0), tfp_in(op, 1))); }

/* Scalars go with every shape, all others are of one shape. */
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

/* Handles of one kind on both sides stay known. */
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

static void given_shape(tfp_op *op) { tfp_set(op, 0, tfp_attr_shape(op, "shape")); }

static void same_with_held(tfp_op *op)
{
    const tfp_held *held = tfp_in_held(op, 0);
    if (held) tfp_set_held(op, 0, held->shape, held->dtype);
    tfp_same_as_input(op);
}

/* ---- counts ---- */

static tfp_cost count_addends(const tfp_op *op)
{
    int64_t n = tfp_elements(tfp_out(op, 0));
    if (n < 0) n = tfp_elements(tfp_in(op, 0));
    return tfp_cost_of(tfp_times(n, (int64_t)op->in_count - 1));
}

/* Halving the sorted boundaries until one place is left. */
static tfp_cost count_bucketize(const tfp_op *op)
{
    uint64_t places = (uint64_t)tfp_attr_members(op, "boundaries")->size + 1;
    int64_t steps = 0;
    while (steps < 63 && ((uint64_t)1 << steps) < places) steps++;
    return tfp_cost_of(tfp_times(steps, tfp_elements(tfp_in(op, 0))));
}

static tfp_cost count_composition(const tfp_op *op)
{
    return tfp_cost_of(tfp_times((int64_t)tfp_attr_members(op, "op_names")->size, tfp_elements(tfp_in(op, 0))));
}

/* The last three members of rows; sources. */
#define REGISTRY TFP_EACH_OUT(1, "registry")
#define FUNCTION TFP_EACH_OUT(1, "one function an element, as the registry counts Log")
#define STEP TFP_EACH_OUT(1, "one step an element, as the registry counts Add")
#define TRUTH TFP_EACH_OUT(1, "one answer an element, as the registry counts Less")

/* clang-format off */
const tfp_op_rule tfp_rules_math[] = {
    /* arithmetic of two */
    { "Add", tfp_broadcast_inputs, REGISTRY },
    { "AddV2", tfp_broadcast_inputs, REGISTRY },
    { "Sub", tfp_broadcast_inputs, REGISTRY },
    { "Mul", tfp_broadcast_inputs, REGISTRY },
    { "RealDiv", tfp_broadcast_inputs, REGISTRY },
    { "Maximum", tfp_broadcast_inputs, REGISTRY },
    { "Minimum", tfp_broadcast_inputs, REGISTRY },
    { "Pow", tfp_broadcast_inputs, REGISTRY },
    { "SquaredDifference", tfp_broadcast_inputs, TFP_EACH_OUT(2, "registry") },
    { "Div", tfp_broadcast_inputs, STEP },
    { "DivNoNan", tfp_broadcast_inputs, STEP },
    { "MulNoNan", tfp_broadcast_inputs, STEP },
    { "FloorDiv", tfp_broadcast_inputs, STEP },
    { "TruncateDiv", tfp_broadcast_inputs, STEP },
    { "Mod", tfp_broadcast_inputs, STEP },
    { "FloorMod", tfp_broadcast_inputs, STEP },
    { "TruncateMod", tfp_broadcast_inputs, STEP },
    { "NextAfter", tfp_broadcast_inputs, STEP },
    { "Xdivy", tfp_broadcast_inputs, STEP },
    { "Xlogy", tfp_broadcast_inputs, TFP_EACH_OUT(2, "a logarithm and a multiply an element") },
    { "Xlog1py", tfp_broadcast_inputs, TFP_EACH_OUT(2, "a logarithm and a multiply an element") },
    { "Atan2", tfp_broadcast_inputs, FUNCTION },
    { "Igamma", tfp_broadcast_inputs, FUNCTION },
    { "Igammac", tfp_broadcast_inputs, FUNCTION },
    { "IgammaGradA", tfp_broadcast_inputs, FUNCTION },
    { "Zeta", tfp_broadcast_inputs, FUNCTION },
    { "Polygamma", tfp_broadcast_inputs, FUNCTION },
    { "RiscAdd", tfp_same_as_input, STEP },
    { "RiscSub", tfp_same_as_input, STEP },
    { "RiscMul", tfp_same_as_input, STEP },
    { "RiscDiv", tfp_same_as_input, STEP },
    { "RiscRem", tfp_same_as_input, STEP },
    { "RiscMax", tfp_same_as_input, STEP },
    { "RiscMin", tfp_same_as_input, STEP },
    { "RiscPow", tfp_same_as_input, STEP },
    { "RiscBinaryArithmetic", tfp_same_as_input, STEP },

    /* comparisons and logic */
    { "Greater", tfp_broadcast_inputs, REGISTRY },
    { "GreaterEqual", tfp_broadcast_inputs, REGISTRY },
    { "Less", tfp_broadcast_inputs, REGISTRY },
    { "LessEqual", tfp_broadcast_inputs, REGISTRY },
    { "Equal", equality, REGISTRY },
    { "NotEqual", equality, REGISTRY },
    { "ApproximateEqual", approximate, TFP_EACH_OUT(3, "a difference, its size and a comparison an element") },
    { "LogicalAnd", tfp_broadcast_inputs, TRUTH },
    { "LogicalOr", tfp_broadcast_inputs, TRUTH },
    { "LogicalNot", tfp_same_as_input, TRUTH },
    { "IsNan", tfp_same_as_input, TRUTH },
    { "IsInf", tfp_same_as_input, TRUTH },
    { "IsFinite", tfp_same_as_input, TRUTH },
    { "BitwiseAnd", tfp_broadcast_inputs, STEP },
    { "BitwiseOr", tfp_broadcast_inputs, STEP },
    { "BitwiseXor", tfp_broadcast_inputs, STEP },
    { "LeftShift", tfp_broadcast_inputs, STEP },
    { "RightShift", tfp_broadcast_inputs, STEP },
    { "Invert", tfp_same_as_input, STEP },
    { "PopulationCount", tfp_same_as_input, STEP },
    { "RiscBinaryComparison", tfp_same_as_input, TRUTH },
    { "RiscLogicalAnd", tfp_unknown_outputs, TRUTH },
    { "RiscLogicalOr", tfp_unknown_outputs, TRUTH },
    { "RiscLogicalNot", tfp_same_as_input, TRUTH },
    { "RiscIsFinite", tfp_same_as_input, TRUTH },

    /* choosing and bounding */
    { "Select", select_old, TFP_EACH_OUT(1, "one choice an element") },
    { "SelectV2", select_new, TFP_EACH_OUT(1, "one choice an element") },
    { "ClipByValue", tfp_same_as_input, TFP_EACH_OUT(2, "a maximum and a minimum an element") },
    { "Bucketize", tfp_same_as_input, count_bucketize, 0, "ceil(log2(boundaries + 1)) * n(in0)", "binary search" },

    /* sums of several */
    { "AddN", tfp_merged_inputs, count_addends, 0, "(inputs - 1) * n(out)", "registry; control inputs are no addends" },
    { "AccumulateNV2", given_shape, count_addends, 0, "(inputs - 1) * n(out)", "as AddN" },

    /* functions of one */
    { "Neg", tfp_same_as_input, REGISTRY },
    { "Reciprocal", tfp_same_as_input, REGISTRY },
    { "Square", tfp_same_as_input, REGISTRY },
    { "Log", tfp_same_as_input, REGISTRY },
    { "Rsqrt", tfp_same_as_input, TFP_EACH_OUT(2, "registry") },
    { "Abs", tfp_same_as_input, STEP },
    { "Inv", tfp_same_as_input, STEP },
    { "Sign", tfp_same_as_input, STEP },
    { "Floor", tfp_same_as_input, STEP },
    { "Ceil", tfp_same_as_input, STEP },
    { "Rint", tfp_same_as_input, STEP },
    { "Round", tfp_same_as_input, STEP },
    { "Sqrt", tfp_same_as_input, FUNCTION },
    { "Exp", tfp_same_as_input, FUNCTION },
    { "Expm1", tfp_same_as_input, FUNCTION },
    { "Log1p", tfp_same_as_input, FUNCTION },
    { "Sin", tfp_same_as_input, FUNCTION },
    { "Cos", tfp_same_as_input, FUNCTION },
    { "Tan", tfp_same_as_input, FUNCTION },
    { "Asin", tfp_same_as_input, FUNCTION },
    { "Acos", tfp_same_as_input, FUNCTION },
    { "Atan", tfp_same_as_input, FUNCTION },
    { "Sinh", tfp_same_as_input, FUNCTION },
    { "Cosh", tfp_same_as_input, FUNCTION },
    { "Tanh", tfp_same_as_input, FUNCTION },
    { "Asinh", tfp_same_as_input, FUNCTION },
    { "Acosh", tfp_same_as_input, FUNCTION },
    { "Atanh", tfp_same_as_input, FUNCTION },
    { "Sigmoid", tfp_same_as_input, TFP_EACH_OUT(4, "1 / (1 + exp(-x)): four steps an element") },
    { "Erf", tfp_same_as_input, FUNCTION },
    { "Erfc", tfp_same_as_input, FUNCTION },
    { "Erfinv", tfp_same_as_input, FUNCTION },
    { "Ndtri", tfp_same_as_input, FUNCTION },
    { "Lgamma", tfp_same_as_input, FUNCTION },
    { "Digamma", tfp_same_as_input, FUNCTION },
    { "BesselI0", tfp_same_as_input, FUNCTION },
    { "BesselI0e", tfp_same_as_input, FUNCTION },
    { "BesselI1", tfp_same_as_input, FUNCTION },
    { "BesselI1e", tfp_same_as_input, FUNCTION },
    { "BesselJ0", tfp_same_as_input, FUNCTION },
    { "BesselJ1", tfp_same_as_input, FUNCTION },
    { "BesselK0", tfp_same_as_input, FUNCTION },
    { "BesselK0e", tfp_same_as_input, FUNCTION },
    { "BesselK1", tfp_same_as_input, FUNCTION },
    { "BesselK1e", tfp_same_as_input, FUNCTION },
    { "BesselY0", tfp_same_as_input, FUNCTION },
    { "BesselY1", tfp_same_as_input, FUNCTION },
    { "Dawsn", tfp_same_as_input, FUNCTION },
    { "Expint", tfp_same_as_input, FUNCTION },
    { "FresnelCos", tfp_same_as_input, FUNCTION },
    { "FresnelSin", tfp_same_as_input, FUNCTION },
    { "Spence", tfp_same_as_input, FUNCTION },
    { "Betainc", betainc, FUNCTION },
    { "_UnaryOpsComposition", tfp_same_as_input, count_composition, 0, "functions * n(in0)", "one step a function" },
    { "RiscAbs", tfp_same_as_input, STEP },
    { "RiscNeg", tfp_same_as_input, STEP },
    { "RiscSign", tfp_same_as_input, STEP },
    { "RiscFloor", tfp_same_as_input, STEP },
    { "RiscCeil", tfp_same_as_input, STEP },
    { "RiscExp", tfp_same_as_input, FUNCTION },
    { "RiscLog", tfp_same_as_input, FUNCTION },
    { "RiscCos", tfp_same_as_input, FUNCTION },
    { "RiscUnary", tfp_same_as_input, FUNCTION },
    { "_MklTanh", tfp_same_as_input, FUNCTION },

    /* gradients of functions of one */
    { "RsqrtGrad", tfp_same_as_input, TFP_EACH_OUT(4, "registry") },
    { "InvGrad", tfp_same_as_input, TFP_EACH_OUT(3, "-dy * y * y") },
    { "ReciprocalGrad", tfp_same_as_input, TFP_EACH_OUT(3, "-dy * y * y") },
    { "SqrtGrad", tfp_same_as_input, TFP_EACH_OUT(2, "dy * 0.5 / y") },
    { "TanhGrad", tfp_same_as_input, TFP_EACH_OUT(3, "dy * (1 - y * y)") },
    { "SigmoidGrad", tfp_same_as_input, TFP_EACH_OUT(3, "dy * y * (1 - y)") },
    { "_MklTanhGrad", merged_pair, TFP_EACH_OUT(3, "dy * (1 - y * y)") },

    /* complex numbers and types */
    { "ComplexAbs", tfp_same_as_input, TFP_EACH_OUT(4, "sqrt(re * re + im * im)") },
    { "Angle", tfp_same_as_input, FUNCTION },
    { "Conj", same_with_held, STEP },
    { "Complex", tfp_broadcast_inputs, TFP_MOVES },
    { "Real", tfp_same_as_input, TFP_MOVES },
    { "Imag", tfp_same_as_input, TFP_MOVES },
    { "RiscReal", tfp_same_as_input, TFP_MOVES },
    { "RiscImag", tfp_same_as_input, TFP_MOVES },
    { "Cast", same_with_held, TFP_MOVES },
    { "_HostCast", same_with_held, TFP_MOVES },
    { "RiscCast", tfp_same_as_input, TFP_MOVES },
    { "StochasticCastToInt", tfp_same_as_input, TFP_EACH_OUT(2, "a random number is added, the sum rounded") },
    { "XlaReducePrecision", tfp_same_as_input, STEP },
    { 0 },
};
/* clang-format on */
