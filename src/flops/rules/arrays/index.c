// SPDX-License-Identifier: Apache-2.0
/* flops/rules/arrays/index.c: ops that read or write at indexes: gathers, scatters, partitions and stitches.
 * TensorFlow's shape functions: tensorflow/core/ops/array_ops.cc, state_ops.cc, resource_variable_ops.cc,
 * data_flow_ops.cc, framework/common_shape_fns.cc. */
#include "base/dtype.h"
#include "flops/rules/shared/array.h"

/* The shape of input 0, or of the variable that it holds. */
static tfp_dims params_of(const tfp_op *op)
{
    const tfp_held *held = tfp_in_held(op, 0);
    if (held) return held->shape;
    return tfp_in_type(op, 0) == TFP_DT_RESOURCE ? TFP_ANY_DIMS
                                                 : tfp_in(op, 0); /* a resource of which nothing is known */
}

/* ---- reading ---- */

/* Only the rank is known. TensorFlow subtracts batch dimensions counted from the end, and so adds them. */
static void gather_any_axis(tfp_op *op, tfp_dims in, tfp_dims indices)
{
    int64_t batch = tfp_attr_int(op, "batch_dims", 0);
    if (in.rank < 0 || indices.rank < 0 || (batch < 0 && !op->importer)) return;
    int64_t rank = (int64_t)in.rank + indices.rank - 1 - batch;
    if (rank >= 0 && rank <= TFP_RANK_MOST) tfp_set(op, 0, tfp_any_of_rank(op, (int)rank));
}

static bool batch_dims(tfp_op *op, tfp_dims in, tfp_dims indices, int64_t *batch)
{
    *batch = tfp_attr_int(op, "batch_dims", 0);
    if (*batch < 0 && indices.rank < 0) return false;
    if (*batch < 0) *batch += indices.rank;
    if (*batch < 0 || *batch >= TFP_RANK_MOST) return tfp_wrong(op, "more batch dimensions than there are"), false;
    tfp_at_least(op, indices, (int)*batch);
    tfp_at_least(op, in, (int)*batch + 1);
    return !op->wrong;
}

static void gather_v2(tfp_op *op)
{
    tfp_dims in = tfp_at_least(op, tfp_in(op, 0), 1), indices = tfp_in(op, 1);
    int64_t axis, batch;
    tfp_merge_rank(op, tfp_in(op, 2), 0);
    if (op->wrong || !batch_dims(op, in, indices, &batch)) return;
    if (!tfp_in_int(op, 2, &axis)) {
        gather_any_axis(op, in, indices);
        return;
    }
    if (axis < -TFP_RANK_MOST || axis >= TFP_RANK_MOST) tfp_wrong(op, "an axis outside of the rank");
    if (op->wrong) return;
    int at = (int)axis;
    tfp_at_least(op, in, at < 0 ? -at : at + 1);
    tfp_dims out = tfp_joined(op, tfp_part(op, in, 0, at), tfp_part(op, indices, (int)batch, TFP_TO_END));
    if (at != -1) out = tfp_joined(op, out, tfp_part(op, in, at + 1, TFP_TO_END));
    tfp_set(op, 0, out);
}

static void resource_gather(tfp_op *op)
{
    tfp_dims in = params_of(op), indices = tfp_in(op, 1);
    int64_t batch;
    if (tfp_attr_int(op, "batch_dims", 0) < 0) tfp_wrong(op, "a negative number of batch dimensions");
    if (op->wrong || !batch_dims(op, in, indices, &batch)) return;
    int at = (int)batch;
    tfp_dims out = tfp_joined(op, tfp_part(op, in, 0, at), tfp_part(op, indices, at, TFP_TO_END));
    tfp_set(op, 0, tfp_joined(op, out, tfp_part(op, in, at + 1, TFP_TO_END)));
}

static void gather_nd(tfp_op *op)
{
    tfp_dims in = params_of(op), indices = tfp_at_least(op, tfp_in(op, 1), 1);
    int64_t depth = tfp_dim(indices, -1);
    if (op->wrong || in.rank < 0 || depth < 0) return;
    if (depth > in.rank)
        tfp_wrong(op, "indexes of more dimensions than there are");
    else
        tfp_set(op, 0, tfp_joined(op, tfp_part(op, indices, 0, -1), tfp_part(op, in, (int)depth, TFP_TO_END)));
}

/* ---- writing: rows ---- */

static void check_rows(tfp_op *op, tfp_dims variable)
{
    tfp_dims updates = tfp_in(op, 2);
    tfp_dims row = variable.rank < 0 ? variable : tfp_part(op, tfp_at_least(op, variable, 1), 1, TFP_TO_END);
    if (updates.rank != 0) tfp_merge(op, tfp_joined(op, tfp_in(op, 1), row), updates);
}

static void scatter_rows(tfp_op *op)
{
    check_rows(op, tfp_in(op, 0));
    tfp_set(op, 0, tfp_in(op, 0));
}

static void resource_scatter_rows(tfp_op *op) { check_rows(op, params_of(op)); }

/* One operation for each update; one number may update every element of a slice. */
static tfp_cost count_scatter(const tfp_op *op)
{
    tfp_dims updates = tfp_in(op, 2), variable = params_of(op);
    if (updates.rank != 0) return tfp_cost_of(tfp_elements(updates));
    if (variable.rank < 1) return tfp_cost_of(TFP_UNKNOWN);
    tfp_dims row = { variable.rank - 1, variable.at + 1 };
    return tfp_cost_of(tfp_times(tfp_in_size(op, 1), tfp_elements(row)));
}

/* ---- writing: by indexes of several dimensions ---- */

static void check_nd(tfp_op *op, tfp_dims indices, tfp_dims updates, tfp_dims target)
{
    tfp_at_least(op, indices, 1);
    int64_t depth = tfp_dim(indices, -1);
    if (tfp_elements(target) == 0 && (tfp_elements(indices) > 0 || tfp_elements(updates) > 0))
        tfp_wrong(op, "indexes into what is empty");
    if (op->wrong || indices.rank < 0 || updates.rank < 0 || depth < 0) return;
    int outer = indices.rank - 1;
    if (tfp_wrong_if(op, outer > updates.rank || (target.rank >= 0 && depth > target.rank),
                     "indexes, updates and the updated tensor do not fit together"))
        return;
    tfp_merge(op, tfp_part(op, indices, 0, outer), tfp_part(op, updates, 0, outer));
    if (target.rank >= 0)
        tfp_merge(op, tfp_part(op, target, (int)depth, TFP_TO_END), tfp_part(op, updates, outer, TFP_TO_END));
}

static void scatter_nd(tfp_op *op)
{
    tfp_merge_rank(op, tfp_in(op, 2), 1);
    tfp_dims out = tfp_in_as_shape(op, 2);
    check_nd(op, tfp_in(op, 0), tfp_in(op, 1), out);
    tfp_set(op, 0, out);
}

static void scatter_nd_into(tfp_op *op)
{
    check_nd(op, tfp_in(op, 1), tfp_in(op, 2), params_of(op));
    tfp_set(op, 0, tfp_in(op, 0));
}

static void tensor_scatter(tfp_op *op)
{
    tfp_at_least(op, tfp_in(op, 0), 1);
    scatter_nd_into(op);
}

/* ---- partitions and stitches ---- */

/* `data` begins with the dims of `indices`; returns the dims after them, any when not known. */
static tfp_dims beyond(tfp_op *op, tfp_dims data, tfp_dims indices)
{
    if (data.rank < 0 || indices.rank < 0) return TFP_ANY_DIMS;
    tfp_at_least(op, data, indices.rank);
    tfp_merge(op, tfp_part(op, data, 0, indices.rank), indices);
    return tfp_part(op, data, indices.rank, TFP_TO_END);
}

static void dynamic_partition(tfp_op *op)
{
    tfp_dims rest = beyond(op, tfp_in(op, 0), tfp_in(op, 1));
    tfp_dims out = tfp_joined(op, tfp_vector_of(op, TFP_DIM_UNKNOWN), rest);
    for (uint32_t i = 0; i < op->out_count; i++) tfp_set(op, i, out);
}

/* The largest index of input i; INT64_MIN when not known. */
static int64_t largest(tfp_op *op, uint32_t i)
{
    int64_t n = tfp_in_size(op, i), most = -1;
    if (!tfp_in_all(op, i)) return n == 0 ? -1 : INT64_MIN;
    for (int64_t k = 0; k < n; k++) {
        int64_t at = tfp_in_at(op, i, k);
        if (at == INT64_MIN) return at;
        if (at > most) most = at;
    }
    return most;
}

static void dynamic_stitch(tfp_op *op)
{
    uint32_t count = op->in_count / 2;
    int64_t size = 0;
    tfp_dims rest = TFP_ANY_DIMS;
    for (uint32_t i = 0; i < count; i++) {
        rest = tfp_merge(op, rest, beyond(op, tfp_in(op, count + i), tfp_in(op, i)));
        int64_t most = largest(op, i);
        size = most == INT64_MIN || size < 0 ? TFP_DIM_UNKNOWN : most >= size ? most + 1 : size;
    }
    tfp_set(op, 0, tfp_joined(op, tfp_vector_of(op, size), rest));
}

#define SCATTERS count_scatter, 0, "n(updates)", "one operation an update"
#define UPDATES TFP_EACH_OF(2, 1, "n(updates)", "one operation an update")

const tfp_op_rule tfp_rules_index[] = {
    /* op                        shape                  count */
    { "Gather", TFP_SHAPE("vT, I -> IT"), TFP_MOVES },
    { "GatherV2", gather_v2, TFP_MOVES },
    { "GatherNd ResourceGatherNd", gather_nd, TFP_MOVES },
    { "ResourceGather", resource_gather, TFP_MOVES },

    { "ScatterUpdate", scatter_rows, TFP_MOVES },
    { "ScatterAdd ScatterSub ScatterMul ScatterDiv ScatterMin ScatterMax", scatter_rows, SCATTERS },
    { "ResourceScatterUpdate", resource_scatter_rows, TFP_MOVES },
    { "ResourceScatterAdd ResourceScatterSub ResourceScatterMul ResourceScatterDiv ResourceScatterMin "
      "ResourceScatterMax",
      resource_scatter_rows, SCATTERS },

    { "ScatterNd", scatter_nd, TFP_EACH_OF(1, 1, "n(updates)", "equal indexes are added up") },
    { "ScatterNdUpdate ResourceScatterNdUpdate", scatter_nd_into, TFP_MOVES },
    { "ScatterNdAdd ScatterNdSub ScatterNdMin ScatterNdMax ResourceScatterNdAdd ResourceScatterNdSub "
      "ResourceScatterNdMin ResourceScatterNdMax",
      scatter_nd_into, UPDATES },
    { "TensorScatterUpdate", tensor_scatter, TFP_MOVES },
    { "TensorScatterAdd TensorScatterSub TensorScatterMin TensorScatterMax ScatterNdNonAliasingAdd", tensor_scatter,
      UPDATES },

    { "DynamicPartition", dynamic_partition, TFP_MOVES },
    { "DynamicStitch ParallelDynamicStitch", dynamic_stitch, TFP_MOVES },
    { NULL },
};
