// SPDX-License-Identifier: Apache-2.0
/* flops/rules/math/collective.c: communication between devices, hosts and programs (collectives, sends, infeeds), and
 * XLA's ops that move data; ops of TPUs are in tpu.c. A reduction over devices counts the work of one device, which
 * adds each of its elements about once (in a ring of d devices (d-1)/d of them). */
#include "flops/rules/math/collective.h"
#include "wire/proto.h"

/* Where TensorFlow needs a known shape it takes an unknown rank for a scalar. */
static tfp_dims certain(tfp_dims d) { return d.rank < 0 ? TFP_SCALAR_DIMS : d; }

static void set_certain(tfp_op *op, const char *name)
{
    if (tfp_attr_given(op, name)) tfp_set(op, 0, certain(tfp_attr_shape(op, name)));
}

void tfp_shape_certain(tfp_op *op) { set_certain(op, "shape"); }
static void shape_full(tfp_op *op) { set_certain(op, "full_shape"); }

static void shape_listed(tfp_op *op) { tfp_set_listed(op, "shapes"); }
static void shape_module(tfp_op *op) { tfp_set_listed(op, "Sout"); }
static void shape_custom_calls(tfp_op *op)
{
    size_t n = tfp_set_listed(op, "result_shapes");
    for (uint32_t i = 0; i < op->out_count && i < n; i++) tfp_set(op, i, certain(tfp_out(op, i)));
}

void tfp_shape_each_as_input(tfp_op *op)
{
    for (uint32_t i = 0; i < op->out_count; i++) tfp_set(op, i, tfp_in(op, i));
}

/* ---- collectives ---- */

/* Divides the scattered dimension by the size of a group, which is a row of the assignment. */
static void shape_reduce_scatter(tfp_op *op)
{
    tfp_dims d = tfp_in(op, 0), groups = tfp_in(op, 1);
    int64_t at;
    if (d.rank < 0 || !tfp_in_int(op, 2, &at)) return;
    if (groups.rank != 2) tfp_wrong(op, "the groups are no matrix");
    if (at < 0 || at >= d.rank || op->wrong) {
        tfp_set(op, 0, d);
        return;
    }
    int64_t size = d.at[at], group = tfp_dim(groups, 1);
    if (size > 0 && group > 0 && size % group) tfp_wrong(op, "a dimension that cannot be divided");
    tfp_set(op, 0, tfp_with_dim(op, d, (int)at, tfp_over(size, group)));
}

static void shape_gather_v1(tfp_op *op)
{
    tfp_dims d = tfp_at_least(op, tfp_in(op, 0), 1);
    if (d.rank < 1) return;
    tfp_set(op, 0, tfp_with_dim(op, d, 0, tfp_times(d.at[0], tfp_attr_int(op, "group_size", TFP_UNKNOWN))));
}

static void shape_all_to_all(tfp_op *op)
{
    tfp_dims d = tfp_in(op, 0);
    int64_t joined = tfp_attr_int(op, "concat_dimension", -1), split = tfp_attr_int(op, "split_dimension", -1);
    int64_t parts = tfp_attr_int(op, "split_count", 0);
    if (d.rank < 0) return;
    if (tfp_wrong_if(op, joined < 0 || joined >= d.rank || split < 0 || split >= d.rank || parts < 1,
                     "no such dimension"))
        return;
    if (d.at[joined] < 0 || d.at[split] < 0) return;
    if (joined != split) {
        if (d.at[split] % parts) tfp_wrong(op, "a dimension that cannot be divided");
        int64_t part = d.at[split] / parts;
        d = tfp_with_dim(op, d, (int)joined, tfp_times(d.at[joined], parts));
        d = tfp_with_dim(op, d, (int)split, part);
    }
    if (!op->wrong) tfp_set(op, 0, d);
}

/* ---- XLA ---- */

static void shape_dynamic_slice(tfp_op *op)
{
    tfp_shape_pattern(op, "*, *, #S -> S");
    int rank = tfp_in(op, 0).rank;
    if (tfp_out(op, 0).rank < 0 && rank >= 0 && !op->wrong) tfp_set(op, 0, tfp_any_of_rank(op, rank));
}

/* low + high + n + interior between neighbours. */
static int64_t padded(tfp_op *op, int64_t n, double low, double high, double interior)
{
    const double most = 9007199254740992.0;
    bool fits = low > -most && low < most && high > -most && high < most && interior < most;
    if (n < 0 || !fits) return TFP_DIM_UNKNOWN;
    if (interior < 0) tfp_wrong(op, "a negative padding between elements");
    int64_t between = tfp_times(n > 0 ? n - 1 : 0, (int64_t)interior), edges = (int64_t)low + (int64_t)high;
    if (op->wrong || between < 0) return TFP_DIM_UNKNOWN;
    int64_t sum = tfp_plus(tfp_plus(n, between), edges > 0 ? edges : 0);
    if (edges < 0 && sum >= 0 && sum < -edges) tfp_wrong(op, "a negative dimension");
    return edges < 0 ? tfp_minus(sum, -edges) : sum;
}

static void shape_pad(tfp_op *op)
{
    tfp_dims d = tfp_in(op, 0), value = tfp_in(op, 1);
    if (value.rank > 0) tfp_wrong(op, "the padding is no scalar");
    if (d.rank < 0 || op->wrong) return;
    const double *pads[3];
    bool known = true;
    for (uint32_t i = 0; i < 3; i++) {
        pads[i] = tfp_in_elements(op, i + 2);
        known &= pads[i] && tfp_in_size(op, i + 2) == d.rank;
    }
    int64_t dims[TFP_RANK_MOST];
    for (int i = 0; i < d.rank; i++)
        dims[i] = known ? padded(op, d.at[i], pads[0][i], pads[1][i], pads[2][i]) : TFP_DIM_UNKNOWN;
    tfp_set(op, 0, tfp_shape_of(op, dims, d.rank));
}

/* GatherDimensionNumbers, as far as shapes depend on them. */
typedef struct gather {
    bool offset[TFP_RANK_MOST]; /* dims of the result that come from the slice */
    bool left[TFP_RANK_MOST];   /* dims of the slice that the result lacks */
    int64_t index_dim;
} gather;

static bool read_gather(tfp_str bytes, gather *g)
{
    *g = (gather){ 0 };
    tfp_wire w = tfp_wire_start(bytes);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 4 && f.type == TFP_VARINT) g->index_dim = (int64_t)f.value;
        bool *marks = f.number == 1 ? g->offset : f.number == 2 || f.number == 5 ? g->left : NULL;
        uint64_t value;
        if (!marks) continue;
        for (tfp_packed p = tfp_packed_start(&w, &f, TFP_VARINT); tfp_packed_next(&w, &p, &value);) {
            if (value >= TFP_RANK_MOST) return false;
            marks[value] = true;
        }
    }
    return !w.fault;
}

/* Offset dims come from the slices, the others from the indices, in order. */
static void shape_gather(tfp_op *op)
{
    gather g;
    tfp_dims operand = tfp_in(op, 0), indices = tfp_in(op, 1);
    const double *sizes = tfp_in_elements(op, 2);
    if (operand.rank < 0 || indices.rank < 0 || !sizes || tfp_in_size(op, 2) != operand.rank) return;
    if (op->importer && !tfp_dims_known(operand)) return;
    if (!read_gather(tfp_attr_text(op, "dimension_numbers", ""), &g)) return;
    int64_t dims[TFP_RANK_MOST];
    int rank = 0, slice = 0, index = 0;
    for (;; rank++) {
        while (slice < operand.rank && g.left[slice]) slice++;
        if (index == g.index_dim && index < indices.rank) index++;
        if (slice == operand.rank && index == indices.rank) break;
        if (rank == TFP_RANK_MOST) return;
        if (g.offset[rank] && slice < operand.rank)
            dims[rank] = sizes[slice] >= 0 && sizes[slice] < 9007199254740992.0 ? (int64_t)sizes[slice] : -1, slice++;
        else if (!g.offset[rank] && index < indices.rank)
            dims[rank] = indices.at[index++];
        else
            return;
    }
    tfp_set(op, 0, tfp_shape_of(op, dims, rank));
}

/* Splits into parts of equal size in row-major order, and joins them. TensorFlow has no shape function for these. */
static void shape_split_nd(tfp_op *op) { tfp_split_nd(op, tfp_in(op, 0)); }

static void shape_concat_nd(tfp_op *op)
{
    int64_t parts[TFP_PARTS_MAX], pads[TFP_PARTS_MAX];
    size_t n = tfp_attr_numbers(op, "num_concats", parts, TFP_PARTS_MAX);
    size_t padded_count = tfp_attr_numbers(op, "paddings", pads, TFP_PARTS_MAX);
    tfp_merged_inputs(op);
    tfp_dims d = tfp_out(op, 0);
    bool fits = d.rank >= 0 && d.rank <= TFP_PARTS_MAX && n == (size_t)d.rank && (!padded_count || padded_count == n);
    if (!fits) {
        tfp_set(op, 0, TFP_ANY_DIMS);
        return;
    }
    int64_t whole[TFP_PARTS_MAX];
    for (int i = 0; i < d.rank; i++) whole[i] = tfp_minus(tfp_times(d.at[i], parts[i]), padded_count ? pads[i] : 0);
    tfp_set(op, 0, tfp_shape_of(op, whole, d.rank));
}

/* ---- counts ---- */

static tfp_cost count_nccl_reduce(const tfp_op *op)
{
    return tfp_cost_of(tfp_times(op->in_count ? op->in_count - 1 : 0, tfp_out_size(op, 0)));
}

static tfp_cost count_select_scatter(const tfp_op *op)
{
    const double *window = tfp_in_elements(op, 1);
    int64_t rank = tfp_in_size(op, 1), size = window ? 1 : TFP_UNKNOWN;
    for (int64_t i = 0; window && i < rank; i++)
        size = tfp_times(size, window[i] >= 1 && window[i] < 9007199254740992.0 ? (int64_t)window[i] : TFP_UNKNOWN);
    return tfp_cost_of(tfp_times(size, tfp_in_size(op, 4)));
}

static const char over_devices[] = "one step for each element of this device";

#define REDUCES TFP_EACH_IN(1, over_devices)
const tfp_op_rule tfp_rules_collective[] = {
    { "NcclAllReduce _NcclReduceRecv CollectiveReduce CollectiveReduceV2 CollectiveReduceV3 CrossReplicaSum "
      "DTensorAllReduce",
      tfp_same_as_input, REDUCES },
    { "NcclReduce", tfp_same_as_input, count_nccl_reduce, 1, "(inputs - 1) * n(out)",
      "one step for each but the first" },
    { "NcclBroadcast CollectiveBcastSendV2 CollectiveAllToAllV2 CollectiveAllToAllV3 CollectivePermute Relayout "
      "RelayoutLike CopyToMesh CopyToMeshGrad",
      tfp_same_as_input, TFP_MOVES },
    { "_NcclReduceSend _NcclBroadcastSend DTensorSetGlobalTPUArray", tfp_no_outputs, TFP_MOVES },
    { "_NcclBroadcastRecv", TFP_SHAPE("#S -> S"), TFP_MOVES },
    { "CollectiveReduceScatterV2", TFP_SHAPE("_T -> _T"), REDUCES },
    { "CollectiveGather", shape_gather_v1, TFP_MOVES },
    { "CollectiveGatherV2", TFP_SHAPE("_T -> _T"), TFP_MOVES },
    { "CollectiveBcastSend CollectiveBcastRecv", TFP_SHAPE("-> $shape"), TFP_MOVES },
    { "CollectiveBcastRecvV2", TFP_SHAPE("*, *, *, #S -> S"), TFP_MOVES },
    { "CollectiveAssignGroupV2", TFP_SHAPE("-> (), ()"), TFP_MOVES },
    { "CollectiveInitializeCommunicator", TFP_SHAPE("-> ()"), TFP_MOVES },
    { "AllToAll", shape_all_to_all, TFP_MOVES },
    { "DTensorReduceScatter", shape_reduce_scatter, REDUCES },
    { "DTensorAllGather DTensorAllScatter DTensorAllToAll", tfp_unknown_outputs, TFP_MOVES },
    { "DTensorRestoreV2", TFP_SHAPE("(), n, n ->"), TFP_MOVES },

    { "Send _Send _HostSend SyncDevice InfeedEnqueue InfeedEnqueueTuple InfeedEnqueuePrelinearizedBuffer "
      "OutfeedEnqueue OutfeedEnqueueTuple",
      tfp_no_outputs, TFP_MOVES },
    { "Recv _Recv _HostRecv", tfp_unknown_outputs, TFP_MOVES },
    { "InfeedDequeue OutfeedDequeue OutfeedDequeueV2", TFP_SHAPE("-> $shape"), TFP_MOVES },
    { "InfeedDequeueTuple OutfeedDequeueTuple OutfeedDequeueTupleV2", shape_listed, TFP_MOVES },
    { "Prelinearize PrelinearizeTuple", TFP_SHAPE("-> ()"), TFP_MOVES },

    { "XlaAllReduce", tfp_same_as_input, REDUCES },
    { "XlaReduceScatter", shape_reduce_scatter, REDUCES },
    { "XlaReplicaId", TFP_SHAPE("-> ()"), TFP_MOVES },
    { "XlaBroadcastHelper XlaSetDynamicDimensionSize XlaRemoveDynamicDimensionSize _XlaRecvAtHost _XlaRecvAtHostV2 "
      "_XlaCompile",
      tfp_unknown_outputs, TFP_MOVES },
    { "XlaClusterOutput XlaDynamicUpdateSlice XlaSort XlaSharding XlaSpmdFullToShardShape XlaSetBound _XlaMerge",
      tfp_same_as_input, TFP_MOVES },
    { "XlaCallModule", shape_module, TFP_NO_COUNT },
    { "XlaCustomCall", tfp_shape_certain, TFP_NO_COUNT },
    { "XlaCustomCallV2", shape_custom_calls, TFP_NO_COUNT },
    { "XlaHostCompute XlaDequantize XlaIf XlaWhile _XlaRun _TPUReplicate", tfp_unknown_outputs, TFP_NO_COUNT },
    { "XlaDynamicSlice", shape_dynamic_slice, TFP_MOVES },
    { "XlaGather", shape_gather, TFP_MOVES },
    { "XlaScatter", tfp_same_as_input, TFP_EACH_OF(2, 1, "n(in2)", "one step for each update") },
    { "XlaPad", shape_pad, TFP_MOVES },
    { "XlaSelectAndScatter", tfp_same_as_input, count_select_scatter, 1, "window * n(in4)",
      "window - 1 comparisons and one step for each element of the source" },
    { "XlaKeyValueSort XlaVariadicSort XlaOptimizationBarrier", tfp_shape_each_as_input, TFP_MOVES },
    { "XlaSpmdShardToFullShape", shape_full, TFP_MOVES },
    { "XlaSplitND", shape_split_nd, TFP_MOVES },
    { "XlaConcatND", shape_concat_nd, TFP_MOVES },
    { "XlaRngBitGenerator", TFP_SHAPE("(), k, #S -> k, S"), tfp_count_zero, 0, "0", "random bits, no arithmetic" },
    { "XlaSend XlaSendToHost _XlaSendFromHost _XlaSendFromHostV2", tfp_no_outputs, TFP_MOVES },
    { "XlaRecv", tfp_shape_certain, TFP_MOVES },
    { "XlaRecvFromHost", TFP_SHAPE("-> $shape"), TFP_MOVES },
    { "_XlaCompileMlirPlaceholderProgramKey", TFP_SHAPE("-> 3"), TFP_MOVES },
    { NULL },
};
