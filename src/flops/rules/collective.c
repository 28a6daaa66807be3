/* flops/rules/collective.c: what passes between devices, hosts and programs (collectives, sends, infeeds, TPUs), and
 * XLA's ops that move data. A reduction over devices counts what one device does: it takes in about each of its
 * elements once (a ring of d devices: (d-1)/d of them). */
#include "flops/rules/rule.h"
#include "wire/proto.h"

static void shape_by_attr(tfp_op *op) { tfp_set(op, 0, tfp_attr_shape(op, "shape")); }

/* Where a shape must be known TensorFlow takes one of an unknown rank for a scalar's. */
static tfp_dims certain(tfp_dims d) { return d.rank < 0 ? TFP_SCALAR_DIMS : d; }

static void set_certain(tfp_op *op, const char *name)
{
    if (tfp_attr_given(op, name)) tfp_set(op, 0, certain(tfp_attr_shape(op, name)));
}

static void shape_certain(tfp_op *op) { set_certain(op, "shape"); }
static void shape_full(tfp_op *op) { set_certain(op, "full_shape"); }

static void shape_listed(tfp_op *op) { tfp_set_listed(op, "shapes"); }
static void shape_module(tfp_op *op) { tfp_set_listed(op, "Sout"); }
static void shape_custom_calls(tfp_op *op)
{
    size_t n = tfp_set_listed(op, "result_shapes");
    for (uint32_t i = 0; i < op->out_count && i < n; i++) tfp_set(op, i, certain(tfp_out(op, i)));
}

/* Each output has the shape of the input with its number. */
static void shape_each_as_input(tfp_op *op)
{
    for (uint32_t i = 0; i < op->out_count; i++) tfp_set(op, i, tfp_in(op, i));
}

/* ---- collectives ---- */

/* Part of the dimension that is divided: one for each of a group, which is a row of the assignment. */
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
    if (joined < 0 || joined >= d.rank || split < 0 || split >= d.rank || parts < 1) {
        tfp_wrong(op, "no such dimension");
        return;
    }
    if (d.at[joined] < 0 || d.at[split] < 0) return;
    if (joined != split) {
        if (d.at[split] % parts) tfp_wrong(op, "a dimension that cannot be divided");
        int64_t part = d.at[split] / parts;
        d = tfp_with_dim(op, d, (int)joined, tfp_times(d.at[joined], parts));
        d = tfp_with_dim(op, d, (int)split, part);
    }
    if (!op->wrong) tfp_set(op, 0, d);
}

/* ---- TPUs ---- */

enum { PARTS_MOST = 16 };

static void shape_partitioned_input(tfp_op *op)
{
    int64_t at = tfp_attr_int(op, "partition_dim", 0);
    tfp_merged_inputs(op);
    tfp_dims d = tfp_out(op, 0);
    if (d.rank < 0 || at < 0) return;
    if (at >= d.rank) tfp_wrong(op, "no such dimension");
    if (!op->wrong) tfp_set(op, 0, tfp_with_dim(op, d, (int)at, tfp_times(d.at[at], op->in_count)));
}

static void shape_partitioned_output(tfp_op *op)
{
    int64_t at = tfp_attr_int(op, "partition_dim", 0), parts = op->out_count;
    tfp_same_as_input(op);
    tfp_dims d = tfp_in(op, 0);
    if (d.rank < 0 || at < 0 || parts == 0) return;
    if (at >= d.rank || (d.at[at] > 0 && d.at[at] % parts)) tfp_wrong(op, "a dimension that cannot be divided");
    if (op->wrong) return;
    d = tfp_with_dim(op, d, (int)at, tfp_over(d.at[at], parts));
    for (uint32_t i = 0; i < op->out_count; i++) tfp_set(op, i, d);
}

static void shape_partitioned_input_v2(tfp_op *op)
{
    int64_t parts[PARTS_MOST];
    size_t n = tfp_attr_numbers(op, "partition_dims", parts, PARTS_MOST);
    tfp_dims d = tfp_in(op, 0);
    for (int i = 0; i < d.rank && (size_t)i < n && i < PARTS_MOST; i++)
        d = tfp_with_dim(op, d, i, tfp_times(d.at[i], parts[i]));
    tfp_set(op, 0, d);
}

static void shape_partitioned_output_v2(tfp_op *op)
{
    int64_t parts[PARTS_MOST];
    size_t n = tfp_attr_numbers(op, "partition_dims", parts, PARTS_MOST);
    tfp_dims d = tfp_in(op, 0);
    if (d.rank > PARTS_MOST || (d.rank >= 0 && n < (size_t)d.rank)) tfp_wrong(op, "a dimension without its partition");
    if (op->wrong || d.rank < 0) return;
    for (int i = 0; i < d.rank; i++) {
        if (parts[i] < 1 || (d.at[i] > 0 && d.at[i] % parts[i])) tfp_wrong(op, "a dimension that cannot be divided");
        d = tfp_with_dim(op, d, i, tfp_over(d.at[i], parts[i]));
    }
    for (uint32_t i = 0; i < op->out_count; i++) tfp_set(op, i, d);
}

/* Replicas of a variable hold the same. */
static void shape_replicated_input(tfp_op *op)
{
    const tfp_held *held = tfp_in_held(op, 0);
    tfp_merged_inputs(op);
    if (held) tfp_set_held(op, 0, held->shape, held->dtype);
}

static void shape_replicated_output(tfp_op *op)
{
    const tfp_held *held = tfp_in_held(op, 0);
    tfp_same_as_input(op);
    for (uint32_t i = 0; held && i < op->out_count; i++) tfp_set_held(op, i, held->shape, held->dtype);
}

/* A status, then keys of programs, then what may be modified by each. */
static void shape_compile(tfp_op *op)
{
    int64_t programs = tfp_attr_int(op, "num_computations", 1);
    for (uint32_t i = 0; i < op->out_count; i++)
        tfp_set(op, i, i >= 1 && i <= programs ? tfp_vector_of(op, 3) : TFP_SCALAR_DIMS);
}

static void shape_vectors(tfp_op *op)
{
    for (uint32_t i = 0; i < op->out_count; i++) tfp_set(op, i, tfp_any_of_rank(op, 1));
}

/* Row pointers (of each core for every core, padded to eights), then ids, columns and gains, then three sizes. */
static void shape_minibatches(tfp_op *op)
{
    int64_t cores = tfp_attr_int(op, "num_sc_per_chip", TFP_UNKNOWN);
    int64_t every = tfp_times(tfp_attr_int(op, "num_replica", TFP_UNKNOWN), cores);
    int64_t rows = tfp_times(tfp_over(tfp_plus(every, 7), 8), 8);
    int64_t pointers = tfp_times(tfp_attr_int(op, "max_minibatches_per_sc", TFP_UNKNOWN), tfp_times(cores, rows));
    int64_t per_core = tfp_attr_int(op, "sample_count_per_sc", TFP_UNKNOWN);
    int64_t samples = per_core >= 0 ? tfp_times(per_core, cores) : tfp_attr_int(op, "sample_count", TFP_UNKNOWN);
    int64_t ids = tfp_times(samples, tfp_attr_int(op, "max_ids_per_chip_per_sample", TFP_UNKNOWN));
    tfp_set(op, 0, tfp_vector_of(op, pointers));
    for (uint32_t i = 1; i < op->out_count; i++) tfp_set(op, i, i < 4 ? tfp_vector_of(op, ids) : TFP_SCALAR_DIMS);
}

/* Tables of an embedding, their size is known to the TPU. */
static void shape_tables(tfp_op *op)
{
    for (uint32_t i = 0; i < op->out_count; i++) tfp_set(op, i, tfp_any_of_rank(op, 2));
}

/* Rows of samples, columns of the table; table and values stand where the op has them. */
static void set_embedded(tfp_op *op, uint32_t table)
{
    int64_t rows = tfp_attr_int(op, "input_size", TFP_DIM_UNKNOWN);
    tfp_dims d = tfp_merge_rank(op, tfp_in(op, table), 2);
    bool silent = op->importer && tfp_in(op, table).rank < 0; /* TensorFlow says nothing */
    if (!silent) tfp_set(op, 0, tfp_matrix_of(op, rows, tfp_dim(d, 1)));
}

static void shape_embedding(tfp_op *op)
{
    set_embedded(op, 4);
    for (uint32_t i = 1; i < op->out_count; i++) tfp_set(op, i, tfp_any_of_rank(op, 1));
}

static void shape_embedding_combined(tfp_op *op)
{
    int64_t rows = tfp_attr_int(op, "input_size", TFP_DIM_UNKNOWN);
    int64_t most = tfp_attr_int(op, "max_valency", TFP_DIM_UNKNOWN);
    set_embedded(op, 5);
    tfp_set(op, 1, tfp_vector_of(op, rows));
    tfp_set(op, 2, tfp_shape_of(op, (int64_t[]){ rows, most, tfp_dim(tfp_in(op, 5), 1) }, 3));
}

static tfp_cost count_embedding(const tfp_op *op) /* per: the number of the values' input, which the table's follows */
{
    uint32_t values = (uint32_t)op->rule->per;
    bool offsets = tfp_op_is(op, "XlaSparseDenseMatmul"); /* they stand between */
    tfp_dims table = tfp_in(op, values + 1 + offsets);
    return tfp_cost_macs(tfp_times(tfp_elements(tfp_in(op, values)), tfp_dim(table, 1)));
}

/* Outputs are updates of inputs; the numbers of those. */
#define UPDATED(name, ...)                                                                                             \
    static void name(tfp_op *op)                                                                                       \
    {                                                                                                                  \
        static const uint32_t from[] = { __VA_ARGS__ };                                                                \
        for (uint32_t i = 0; i < op->out_count && i < sizeof from / sizeof *from; i++)                                 \
            tfp_set(op, i, tfp_in(op, from[i]));                                                                       \
    }
UPDATED(shape_tables_from_5, 5, 6, 7, 8, 9, 10, 11, 12)
UPDATED(shape_tables_from_6, 6, 7, 8)
UPDATED(shape_core_adagrad, 4, 3)
UPDATED(shape_core_adagrad_momentum, 7, 5, 6)
UPDATED(shape_core_adam, 0, 5, 4)
UPDATED(shape_core_ftrl, 0, 1, 2)
UPDATED(shape_core_sgd, 3)

/* ---- XLA ---- */

static void shape_dynamic_slice(tfp_op *op)
{
    tfp_shape_pattern(op, "*, *, #S -> S");
    int rank = tfp_in(op, 0).rank;
    if (tfp_out(op, 0).rank < 0 && rank >= 0 && !op->wrong) tfp_set(op, 0, tfp_any_of_rank(op, rank));
}

/* low + high + n + interior between each two. */
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
        known &= pads[i] && tfp_elements(tfp_in(op, i + 2)) == d.rank;
    }
    int64_t dims[TFP_RANK_MOST];
    for (int i = 0; i < d.rank; i++)
        dims[i] = known ? padded(op, d.at[i], pads[0][i], pads[1][i], pads[2][i]) : TFP_DIM_UNKNOWN;
    tfp_set(op, 0, tfp_shape_of(op, dims, d.rank));
}

/* GatherDimensionNumbers, as far as shapes depend on them. */
typedef struct gather {
    bool offset[TFP_RANK_MOST]; /* dims of the result that are of the slice */
    bool left[TFP_RANK_MOST];   /* dims of the slice that the result has not */
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

/* Dims of the slices where the numbers say so, the others are those of the indices, in order. */
static void shape_gather(tfp_op *op)
{
    gather g;
    tfp_dims operand = tfp_in(op, 0), indices = tfp_in(op, 1);
    const double *sizes = tfp_in_elements(op, 2);
    if (operand.rank < 0 || indices.rank < 0 || !sizes || tfp_elements(tfp_in(op, 2)) != operand.rank) return;
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

/* Into parts, row-major, all of one size; and back. TensorFlow does not say. */
static void shape_split_nd(tfp_op *op)
{
    int64_t splits[PARTS_MOST], pads[PARTS_MOST];
    size_t n = tfp_attr_numbers(op, "num_splits", splits, PARTS_MOST);
    size_t padded_count = tfp_attr_numbers(op, "paddings", pads, PARTS_MOST);
    tfp_dims d = tfp_in(op, 0);
    if (d.rank < 0 || d.rank > PARTS_MOST || n != (size_t)d.rank) return;
    if (padded_count && padded_count != n) return;
    int64_t part[PARTS_MOST];
    for (int i = 0; i < d.rank; i++) {
        int64_t whole = tfp_plus(d.at[i], padded_count ? pads[i] : 0);
        part[i] = splits[i] > 0 && whole >= 0 && whole % splits[i] == 0 ? whole / splits[i] : TFP_DIM_UNKNOWN;
    }
    for (uint32_t i = 0; i < op->out_count; i++) tfp_set(op, i, tfp_shape_of(op, part, d.rank));
}

static void shape_concat_nd(tfp_op *op)
{
    int64_t parts[PARTS_MOST], pads[PARTS_MOST];
    size_t n = tfp_attr_numbers(op, "num_concats", parts, PARTS_MOST);
    size_t padded_count = tfp_attr_numbers(op, "paddings", pads, PARTS_MOST);
    tfp_merged_inputs(op);
    tfp_dims d = tfp_out(op, 0);
    bool fits = d.rank >= 0 && d.rank <= PARTS_MOST && n == (size_t)d.rank && (!padded_count || padded_count == n);
    if (!fits) {
        tfp_set(op, 0, TFP_ANY_DIMS);
        return;
    }
    int64_t whole[PARTS_MOST];
    for (int i = 0; i < d.rank; i++) whole[i] = tfp_minus(tfp_times(d.at[i], parts[i]), padded_count ? pads[i] : 0);
    tfp_set(op, 0, tfp_shape_of(op, whole, d.rank));
}

/* ---- counts ---- */

static tfp_cost count_nccl_reduce(const tfp_op *op)
{
    return tfp_cost_of(tfp_times(op->in_count ? op->in_count - 1 : 0, tfp_elements(tfp_out(op, 0))));
}

static tfp_cost count_updates(const tfp_op *op) { return tfp_cost_of(tfp_elements(tfp_in(op, 2))); }

static tfp_cost count_select_scatter(const tfp_op *op)
{
    const double *window = tfp_in_elements(op, 1);
    int64_t rank = tfp_elements(tfp_in(op, 1)), size = window ? 1 : TFP_UNKNOWN;
    for (int64_t i = 0; window && i < rank; i++)
        size = tfp_times(size, window[i] >= 1 && window[i] < 9007199254740992.0 ? (int64_t)window[i] : TFP_UNKNOWN);
    return tfp_cost_of(tfp_times(size, tfp_elements(tfp_in(op, 4))));
}

static const char over_devices[] = "one step for each element of this device";
static const char of_rows[] = "a multiply-add for each value and each column of the table";

/* clang-format off */
#define REDUCES TFP_EACH_IN(1, over_devices)
#define EMBEDS(values) count_embedding, values, "2 * n(values) * columns", of_rows
const tfp_op_rule tfp_rules_collective[] = {
    { "NcclAllReduce", tfp_same_as_input, REDUCES },
    { "NcclReduce", tfp_same_as_input, count_nccl_reduce, 1, "(inputs - 1) * n(out)",
      "one step for each but the first" },
    { "NcclBroadcast", tfp_same_as_input, TFP_MOVES },
    { "_NcclReduceSend", tfp_no_outputs, TFP_MOVES },
    { "_NcclReduceRecv", tfp_same_as_input, REDUCES },
    { "_NcclBroadcastSend", tfp_no_outputs, TFP_MOVES },
    { "_NcclBroadcastRecv", TFP_SHAPE("#S -> S"), TFP_MOVES },
    { "CollectiveReduce CollectiveReduceV2 CollectiveReduceV3", tfp_same_as_input, REDUCES },
    { "CollectiveReduceScatterV2", TFP_SHAPE("_T -> _T"), REDUCES },
    { "CollectiveGather", shape_gather_v1, TFP_MOVES },
    { "CollectiveGatherV2", TFP_SHAPE("_T -> _T"), TFP_MOVES },
    { "CollectiveBcastSend", shape_by_attr, TFP_MOVES },
    { "CollectiveBcastSendV2", tfp_same_as_input, TFP_MOVES },
    { "CollectiveBcastRecv", shape_by_attr, TFP_MOVES },
    { "CollectiveBcastRecvV2", TFP_SHAPE("*, *, *, #S -> S"), TFP_MOVES },
    { "CollectiveAllToAllV2 CollectiveAllToAllV3 CollectivePermute", tfp_same_as_input, TFP_MOVES },
    { "CollectiveAssignGroupV2", TFP_SHAPE("-> (), ()"), TFP_MOVES },
    { "CollectiveInitializeCommunicator", TFP_SHAPE("-> ()"), TFP_MOVES },
    { "CrossReplicaSum", tfp_same_as_input, REDUCES },
    { "AllToAll", shape_all_to_all, TFP_MOVES },
    { "DTensorAllReduce", tfp_same_as_input, REDUCES },
    { "DTensorReduceScatter", shape_reduce_scatter, REDUCES },
    { "DTensorAllGather DTensorAllScatter DTensorAllToAll", tfp_unknown_outputs, TFP_MOVES },
    { "DTensorRestoreV2", TFP_SHAPE("(), n, n ->"), TFP_MOVES },
    { "DTensorSetGlobalTPUArray", tfp_no_outputs, TFP_MOVES },
    { "Relayout RelayoutLike CopyToMesh CopyToMeshGrad", tfp_same_as_input, TFP_MOVES },

    { "Send _Send _HostSend", tfp_no_outputs, TFP_MOVES },
    { "Recv _Recv _HostRecv", tfp_unknown_outputs, TFP_MOVES },
    { "SyncDevice", tfp_no_outputs, TFP_MOVES },
    { "InfeedDequeue", shape_by_attr, TFP_MOVES },
    { "InfeedDequeueTuple", shape_listed, TFP_MOVES },
    { "InfeedEnqueue InfeedEnqueueTuple InfeedEnqueuePrelinearizedBuffer", tfp_no_outputs, TFP_MOVES },
    { "OutfeedDequeue OutfeedDequeueV2", shape_by_attr, TFP_MOVES },
    { "OutfeedDequeueTuple OutfeedDequeueTupleV2", shape_listed, TFP_MOVES },
    { "OutfeedEnqueue OutfeedEnqueueTuple", tfp_no_outputs, TFP_MOVES },
    { "Prelinearize PrelinearizeTuple", TFP_SHAPE("-> ()"), TFP_MOVES },

    { "XlaAllReduce", tfp_same_as_input, REDUCES },
    { "XlaReduceScatter", shape_reduce_scatter, REDUCES },
    { "XlaReplicaId", TFP_SHAPE("-> ()"), TFP_MOVES },
    { "XlaBroadcastHelper", tfp_unknown_outputs, TFP_MOVES },
    { "XlaClusterOutput", tfp_same_as_input, TFP_MOVES },
    { "XlaCallModule", shape_module, TFP_NO_COUNT },
    { "XlaCustomCall", shape_certain, TFP_NO_COUNT },
    { "XlaCustomCallV2", shape_custom_calls, TFP_NO_COUNT },
    { "XlaHostCompute XlaDequantize", tfp_unknown_outputs, TFP_NO_COUNT },
    { "XlaDynamicSlice", shape_dynamic_slice, TFP_MOVES },
    { "XlaDynamicUpdateSlice", tfp_same_as_input, TFP_MOVES },
    { "XlaGather", shape_gather, TFP_MOVES },
    { "XlaScatter", tfp_same_as_input, count_updates, 1, "n(in2)", "one step for each update" },
    { "XlaPad", shape_pad, TFP_MOVES },
    { "XlaSelectAndScatter", tfp_same_as_input, count_select_scatter, 1, "window * n(in4)",
      "window - 1 comparisons and one step for each element of the source" },
    { "XlaSort", tfp_same_as_input, TFP_MOVES },
    { "XlaKeyValueSort XlaVariadicSort XlaOptimizationBarrier", shape_each_as_input, TFP_MOVES },
    { "XlaSharding XlaSpmdFullToShardShape", tfp_same_as_input, TFP_MOVES },
    { "XlaSpmdShardToFullShape", shape_full, TFP_MOVES },
    { "XlaSplitND", shape_split_nd, TFP_MOVES },
    { "XlaConcatND", shape_concat_nd, TFP_MOVES },
    { "XlaSetBound", tfp_same_as_input, TFP_MOVES },
    { "XlaSetDynamicDimensionSize XlaRemoveDynamicDimensionSize", tfp_unknown_outputs, TFP_MOVES },
    { "XlaRngBitGenerator", TFP_SHAPE("(), k, #S -> k, S"), tfp_count_zero, 0, "0", "random bits, no arithmetic" },
    { "XlaSend", tfp_no_outputs, TFP_MOVES },
    { "XlaRecv", shape_certain, TFP_MOVES },
    { "XlaSendToHost", tfp_no_outputs, TFP_MOVES },
    { "XlaRecvFromHost", shape_by_attr, TFP_MOVES },
    { "_XlaRecvAtHost _XlaRecvAtHostV2", tfp_unknown_outputs, TFP_MOVES },
    { "_XlaSendFromHost _XlaSendFromHostV2", tfp_no_outputs, TFP_MOVES },
    { "_XlaCompileMlirPlaceholderProgramKey", TFP_SHAPE("-> 3"), TFP_MOVES },
    { "XlaIf XlaWhile", tfp_unknown_outputs, TFP_NO_COUNT },
    { "_XlaCompile", tfp_unknown_outputs, TFP_MOVES },
    { "_XlaRun _TPUReplicate", tfp_unknown_outputs, TFP_NO_COUNT },
    { "_XlaMerge", tfp_same_as_input, TFP_MOVES },

    { "XlaSparseDenseMatmul", shape_embedding, EMBEDS(2) },
    { "XlaSparseDenseMatmulWithCsrInput XlaSparseDenseMatmulWithStaticBufferSize", shape_embedding, EMBEDS(3) },
    { "XlaSparseDenseMatmulCustomCombinerOnTcWithCsrInput", shape_embedding_combined, EMBEDS(4) },
    { "XlaSparseDenseMatmulGradWithCsrInput", shape_tables_from_5, TFP_NO_COUNT },
    { "XlaSparseDenseMatmulGradWithSgdAndCsrInput XlaSparseDenseMatmulGradWithSgdAndStaticBufferSize "
      "XlaSparseDenseMatmulGradWithAdagradAndCsrInput XlaSparseDenseMatmulGradWithAdagradAndStaticBufferSize "
      "XlaSparseDenseMatmulGradWithAdagradMomentumAndCsrInput "
      "XlaSparseDenseMatmulGradWithAdagradMomentumAndStaticBufferSize XlaSparseDenseMatmulGradWithAdamAndCsrInput "
      "XlaSparseDenseMatmulGradWithAdamAndStaticBufferSize XlaSparseDenseMatmulGradWithFtrlAndCsrInput "
      "XlaSparseDenseMatmulGradWithFtrlAndStaticBufferSize", shape_tables_from_6, TFP_NO_COUNT },
    { "XlaSparseCoreSgd", shape_core_sgd, TFP_NO_COUNT },
    { "XlaSparseCoreAdagrad", shape_core_adagrad, TFP_NO_COUNT },
    { "XlaSparseCoreAdagradMomentum", shape_core_adagrad_momentum, TFP_NO_COUNT },
    { "XlaSparseCoreAdam", shape_core_adam, TFP_NO_COUNT },
    { "XlaSparseCoreFtrl", shape_core_ftrl, TFP_NO_COUNT },
    { "ConvertToCooTensor ConvertToListOfSparseCoreCooTensors", shape_vectors, TFP_MOVES },
    { "ConvertToSparseCoreCsrWrappedCooTensor GetMinibatchesInCsrWithPhysicalReplica", shape_minibatches, TFP_MOVES },
    { "SortListOfSparseCoreCooTensors", shape_vectors, TFP_MOVES },
    { "GetStatsFromListOfSparseCoreCooTensors", TFP_SHAPE("-> (), ()"), TFP_MOVES },
    { "GetMinibatchSplitsWithPhysicalReplica", TFP_SHAPE("-> _, _, _, (), _, (), ()"), TFP_MOVES },
    { "StoreMinibatchStatisticsInFdo", tfp_no_outputs, TFP_MOVES },
    { "GlobalIterId GetTpuTaskId", TFP_SHAPE("-> ()"), TFP_MOVES },
    { "UpdateTaskIdAndGlobalCoreArray", tfp_no_outputs, TFP_MOVES },
    { "TpuHandleToProtoKey", TFP_SHAPE("-> _"), TFP_MOVES },

    { "TPUReplicateMetadata", tfp_no_outputs, TFP_MOVES },
    { "TPUReplicatedInput", shape_replicated_input, TFP_MOVES },
    { "TPUReplicatedOutput", shape_replicated_output, TFP_MOVES },
    { "TPUPartitionedInput", shape_partitioned_input, TFP_MOVES },
    { "TPUPartitionedInputV2", shape_partitioned_input_v2, TFP_MOVES },
    { "TPUPartitionedOutput", shape_partitioned_output, TFP_MOVES },
    { "TPUPartitionedOutputV2", shape_partitioned_output_v2, TFP_MOVES },
    { "TPUDummyInput", shape_certain, TFP_MOVES },
    { "TPUAnnotateTensorsWithDynamicShape TPUCopyWithDynamicShape", shape_each_as_input, TFP_MOVES },
    { "TPUOrdinalSelector", TFP_SHAPE("-> _"), TFP_MOVES },
    { "TPURoundRobin TPUCompilationResult", TFP_SHAPE("-> ()"), TFP_MOVES },
    { "TPUCompile _TPUCompileMlir", shape_compile, TFP_MOVES },
    { "TPUCompileSucceededAssert TPUReshardVariables", tfp_no_outputs, TFP_MOVES },
    { "TPUExecute TPUExecuteAndUpdateVariables", tfp_unknown_outputs, TFP_NO_COUNT },
    { "ConfigureDistributedTPU", tfp_unknown_outputs, TFP_MOVES },
    { "ConfigureAndInitializeGlobalTPU", TFP_SHAPE("-> _"), TFP_MOVES },
    { "ConfigureTPUEmbedding", tfp_no_outputs, TFP_MOVES },
    { "ConfigureTPUEmbeddingHost ConfigureTPUEmbeddingMemory", TFP_SHAPE("-> ()"), TFP_MOVES },
    { "ConnectTPUEmbeddingHosts", tfp_no_outputs, TFP_MOVES },
    { "CollateTPUEmbeddingMemory ExecuteTPUEmbeddingPartitioner", TFP_SHAPE("-> ()"), TFP_MOVES },
    { "FinalizeTPUEmbedding", tfp_no_outputs, TFP_MOVES },
    { "FinalizeTPUEmbeddingV2", tfp_unknown_outputs, TFP_MOVES },
    { "IsTPUEmbeddingInitialized", TFP_SHAPE("-> ()"), TFP_MOVES },
    { "ShutdownDistributedTPU", tfp_no_outputs, TFP_MOVES },
    { "ShutdownTPUSystem _ConfigureDistributedTPU", TFP_SHAPE("-> ()"), TFP_MOVES },
    { "_DisconnectHostFromDistributedTPUSystem", tfp_unknown_outputs, TFP_MOVES },
    { "_InitializeHostForDistributedTPU", TFP_SHAPE("-> _"), TFP_MOVES },
    { "_SetGlobalTPUArray _ShutdownDistributedTPU", tfp_no_outputs, TFP_MOVES },
    { "_WaitForDistributedTPU", TFP_SHAPE("-> ()"), TFP_MOVES },

    { "TPUEmbeddingActivations", TFP_SHAPE("*, A -> A"), TFP_MOVES },
    { "RecvTPUEmbeddingActivations", tfp_unknown_outputs, TFP_MOVES },
    { "SendTPUEmbeddingGradients", tfp_no_outputs, TFP_MOVES },
    { "XlaRecvTPUEmbeddingActivations XlaRecvTPUEmbeddingActivationsV2", tfp_unknown_outputs, TFP_MOVES },
    { "XlaSendTPUEmbeddingGradients XlaSendTPUEmbeddingGradientsV2", tfp_no_outputs, TFP_MOVES },
    { "XlaRecvTPUEmbeddingDeduplicationData XlaRecvTPUEmbeddingDeduplicationDataV2 ComputeDedupDataSize "
      "ComputeDedupDataSizeV2", TFP_SHAPE("-> ()"), TFP_MOVES },
    { "ComputeDedupDataTupleMask ComputeDedupDataTupleMaskV2", TFP_SHAPE("-> __"), TFP_MOVES },
    { "MergeDedupData", TFP_SHAPE("-> ()"), TFP_MOVES },
    { "EnqueueTPUEmbeddingBatch EnqueueTPUEmbeddingIntegerBatch EnqueueTPUEmbeddingSparseBatch "
      "EnqueueTPUEmbeddingSparseTensorBatch EnqueueTPUEmbeddingRaggedTensorBatch "
      "EnqueueTPUEmbeddingArbitraryTensorBatch DynamicEnqueueTPUEmbeddingRaggedTensorBatch "
      "DynamicEnqueueTPUEmbeddingArbitraryTensorBatch LoadAllTPUEmbeddingParameters", tfp_no_outputs, TFP_MOVES },
#define TABLE(optimizer) \
    { "LoadTPUEmbedding" optimizer "Parameters", tfp_no_outputs, TFP_MOVES }, \
    { "RetrieveTPUEmbedding" optimizer "Parameters", shape_tables, TFP_MOVES }
    TABLE("ADAM"), TABLE("Adadelta"), TABLE("AdagradMomentum"), TABLE("Adagrad"), TABLE("CenteredRMSProp"),
    TABLE("FTRL"), TABLE("FrequencyEstimator"), TABLE("MDLAdagradLight"), TABLE("Momentum"), TABLE("ProximalAdagrad"),
    TABLE("ProximalYogi"), TABLE("RMSProp"), TABLE("StochasticGradientDescent"),
    { "RetrieveAllTPUEmbeddingParameters", tfp_unknown_outputs, TFP_MOVES },
    { NULL }
};
/* clang-format on */
