// SPDX-License-Identifier: Apache-2.0
/* flops/rules/math/optimizer.c: optimizers' updates of variables. The formula in a row's source is counted for each
 * element of the gradient: + - * / sqrt pow exp sign abs max, ^2 and comparisons are one operation each, rsqrt two (a
 * root and a division). Values that are the same for all elements (1 - b1, lr*l1) are not counted. A sparse update
 * touches only the rows of its gradient. */
#include "flops/rules/shared/rule.h"

/* Inputs are the variable and its slots, as refs or resources; then scalars, the gradient, more scalars. A sparse
 * gradient has n rows and an index for each. */

/* Number of updated elements; the row's `of` is the gradient's input. A dense gradient has the shape of the variable. */
static int64_t updated(const tfp_op *op)
{
    int64_t n = tfp_in_size(op, op->rule->of);
    if (n >= 0 || strstr(op->rule->ops, "Sparse")) return n;
    const tfp_held *held = tfp_in_held(op, 0);
    if (held) return tfp_elements(held->shape);
    return strstr(op->rule->ops, "Resource") ? TFP_UNKNOWN : tfp_in_size(op, 0);
}

static tfp_cost count(const tfp_op *op, int64_t more)
{
    return tfp_cost_of(tfp_times(op->rule->per + more, updated(op)));
}

static int64_t nesterov(const tfp_op *op, int64_t more) { return tfp_attr_bool(op, "use_nesterov", false) ? more : 0; }

static tfp_cost plain(const tfp_op *op) { return count(op, 0); }
static tfp_cost with_slots(const tfp_op *op) { return count(op, tfp_attr_bool(op, "update_slots", true) ? 0 : -2); }
static tfp_cost with_nesterov(const tfp_op *op) { return count(op, nesterov(op, 3)); }
static tfp_cost with_keras_nesterov(const tfp_op *op) { return count(op, nesterov(op, 2)); }

/* Stochastic dual coordinate ascent: outputs the state, and the weights in their input shapes. */
static void shape_sdca(tfp_op *op)
{
    int64_t sparse = tfp_attr_int(op, "num_sparse_features", 0);
    int64_t with_values = tfp_attr_int(op, "num_sparse_features_with_values", 0);
    int64_t dense = tfp_attr_int(op, "num_dense_features", 0);
    int64_t weights = tfp_plus(tfp_times(3, sparse), tfp_plus(with_values, tfp_plus(dense, 2)));
    tfp_set(op, 0, tfp_matrix_of(op, TFP_DIM_UNKNOWN, 4));
    if (weights < 0 || weights > op->in_count) return;
    for (uint32_t i = 1; i < op->out_count; i++) tfp_set(op, i, tfp_in(op, (uint32_t)weights + i - 1));
}

/* clang-format off */
static const char gradient_descent[] = "var -= lr*g";
static const char proximal_gradient_descent[] = "p = var - lr*g; var = sign(p)*max(|p| - lr*l1, 0)/(1 + lr*l2)";
static const char adadelta[] = "a = rho*a + (1-rho)*g^2; u = sqrt(b + eps)*rsqrt(a + eps)*g; "
    "b = rho*b + (1-rho)*u^2; var -= lr*u";
static const char adagrad[] = "a += g^2; var -= lr*g*rsqrt(a)";
static const char adagrad_v2[] = "a += g^2; var -= lr*g/(sqrt(a) + eps)";
static const char proximal_adagrad[] = "a += g^2; r = lr*rsqrt(a); p = var - r*g; "
    "var = sign(p)*max(|p| - r*l1, 0)/(1 + r*l2)";
static const char adagrad_da[] = "s += g; q += g^2; var = -lr*sign(s)*max(|s| - c, 0)/(d + sqrt(q))";
static const char ftrl[] = "b = a + g^2; z += g - (b^p - a^p)/lr*var; "
    "var = |z| > l1 ? (sign(z)*l1 - z)/(b^p/lr + 2*l2) : 0";
static const char ftrl_v2[] = "as Ftrl, with g + 2*shrinkage*var for g in z";
static const char momentum[] = "a = a*m + g; var -= lr*a";
static const char keras_momentum[] = "a = a*m - lr*g; var += a";
static const char adam[] = "m += (g - m)*(1-b1); v += (g^2 - v)*(1-b2); var -= m*lr/(sqrt(v) + eps)";
static const char adam_with_amsgrad[] = "as Adam, with w = max(w, v) below the root";
static const char ada_max[] = "m += (g - m)*(1-b1); v = max(b2*v, |g|); var -= lr*m/(v + eps)";
static const char rms_prop[] = "s += (g^2 - s)*(1-rho); m = m*momentum + lr*g*rsqrt(s + eps); var -= m";
static const char centered_rms_prop[] = "s += (g^2 - s)*(1-rho); h += (g - h)*(1-rho); "
    "m = m*momentum + lr*g*rsqrt(s - h^2 + eps); var -= m";
static const char add_sign[] = "m = m*beta + g*(1-beta); var -= lr*(alpha + decay*sign(g)*sign(m))*g";
static const char power_sign[] = "m = m*beta + g*(1-beta); var -= lr*exp(logbase*decay*sign(g)*sign(m))*g";

#define ROW(op, shape, count, grad, per, note, rule) \
    { op, TFP_SHAPE(shape), count, per, #per " * n(grad)" note, rule, .of = (grad) }
#define DENSE_RESOURCE(name, shape, count, grad, per, note, rule) ROW("ResourceApply" name, shape, count, grad, per, note, rule)
#define SPARSE_RESOURCE(name, shape, count, grad, per, note, rule) \
    ROW("ResourceSparseApply" name, shape, count, grad, per, note, rule)
#define DENSE(name, shape, count, grad, per, note, rule) \
    ROW("Apply" name, shape, count, grad, per, note, rule), DENSE_RESOURCE(name, shape, count, grad, per, note, rule)
#define SPARSE(name, shape, count, grad, per, note, rule) \
    ROW("SparseApply" name, shape, count, grad, per, note, rule), SPARSE_RESOURCE(name, shape, count, grad, per, note, rule)

const tfp_op_rule tfp_rules_optimizer[] = {
    DENSE("GradientDescent", "@V, (), V -> V", plain, 2, 2, "", gradient_descent),
    DENSE("ProximalGradientDescent", "@V, (), (), (), V -> V", plain, 4, 8, "", proximal_gradient_descent),
    SPARSE("ProximalGradientDescent", "@vT, (), (), (), nT, n -> vT", plain, 4, 8, "", proximal_gradient_descent),
    DENSE("Adadelta", "@V, @V, @V, (), (), (), V -> V", plain, 6, 17, "", adadelta),
    SPARSE("Adadelta", "@vT, @vT, @vT, (), (), (), nT, n -> vT", plain, 6, 17, "", adadelta),
    DENSE("Adagrad", "@V, @V, (), V -> V", with_slots, 3, 7, ", 2 less without update_slots", adagrad),
    SPARSE("Adagrad", "@vT, @vT, (), nT, n -> vT", with_slots, 3, 7, ", 2 less without update_slots", adagrad),
    DENSE("AdagradV2", "@V, @V, (), (), V -> V", with_slots, 4, 7, ", 2 less without update_slots", adagrad_v2),
    SPARSE("AdagradV2", "@vT, @vT, (), (), nT, n -> vT", with_slots, 4, 7, ", 2 less without update_slots", adagrad_v2),
    DENSE("ProximalAdagrad", "@V, @V, (), (), (), V -> V", plain, 5, 16, "", proximal_adagrad),
    SPARSE("ProximalAdagrad", "@vT, @vT, (), (), (), nT, n -> vT", plain, 5, 16, "", proximal_adagrad),
    DENSE("AdagradDA", "@V, @V, @V, V, (), (), (), () -> V", plain, 3, 12, "", adagrad_da),
    SPARSE("AdagradDA", "@vT, @vT, @vT, nT, n, (), (), (), () -> vT", plain, 3, 12, "", adagrad_da),
    DENSE("Ftrl", "@V, @V, @V, V, (), (), (), () -> V", plain, 3, 17, "", ftrl),
    SPARSE("Ftrl", "@vT, @vT, @vT, nT, n, (), (), (), () -> vT", plain, 3, 17, "", ftrl),
    DENSE("FtrlV2", "@V, @V, @V, V, (), (), (), () -> V", plain, 3, 19, "", ftrl_v2),
    SPARSE("FtrlV2", "@vT, @vT, @vT, nT, n, (), (), (), () -> vT", plain, 3, 19, "", ftrl_v2),
    DENSE("Momentum", "@V, @V, (), V, () -> V", with_nesterov, 3, 4, ", 3 more with use_nesterov", momentum),
    SPARSE("Momentum", "@vT, @vT, (), nT, n, () -> vT", with_nesterov, 3, 4, ", 3 more with use_nesterov", momentum),
    DENSE_RESOURCE("KerasMomentum", "@V, @V, (), V, () -> V", with_keras_nesterov, 3, 4, ", 2 more with use_nesterov", keras_momentum),
    SPARSE_RESOURCE("KerasMomentum", "@vT, @vT, (), nT, n, () -> vT", with_keras_nesterov, 3, 4, ", 2 more with use_nesterov", keras_momentum),
    DENSE("Adam", "@V, @V, @V, (), (), (), (), (), (), V -> V", with_nesterov, 9, 12, ", 3 more with use_nesterov", adam),
    DENSE_RESOURCE("AdamWithAmsgrad", "@V, @V, @V, @V, (), (), (), (), (), (), V -> V", plain, 10, 13, "", adam_with_amsgrad),
    DENSE("AdaMax", "@V, @V, @V, (), (), (), (), (), V -> V", plain, 8, 10, "", ada_max),
    DENSE("RMSProp", "@V, @V, @V, (), (), (), (), V -> V", plain, 7, 12, "", rms_prop),
    SPARSE("RMSProp", "@vT, @vT, @vT, (), (), (), (), nT, n -> vT", plain, 7, 12, "", rms_prop),
    DENSE("CenteredRMSProp", "@V, @V, @V, @V, (), (), (), (), V -> V", plain, 8, 17, "", centered_rms_prop),
    SPARSE("CenteredRMSProp", "@vT, @vT, @vT, @vT, (), (), (), (), nT, n -> vT", plain, 8, 17, "", centered_rms_prop),
    DENSE("AddSign", "@V, @V, (), (), (), (), V -> V", plain, 6, 11, "", add_sign),
    DENSE("PowerSign", "@V, @V, (), (), (), (), V -> V", plain, 6, 11, "", power_sign),
    { "SdcaOptimizer SdcaOptimizerV2", shape_sdca, TFP_NO_COUNT },
    { "SdcaShrinkL1", tfp_no_outputs, TFP_NO_COUNT },
    { "SdcaFprint", TFP_SHAPE("n -> n2"), TFP_MOVES },
    { NULL },
};
/* clang-format on */
