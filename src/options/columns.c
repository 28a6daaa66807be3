/* options/columns.c: the column table. -select, -order_by, -min_*, the legend, the JSON key, the CSV header and the
 * help of a column all come from its row. */
#include "options/options.h"

/* clang-format off */
const tfp_column tfp_columns[TFP_C_COUNT] = {
    [TFP_C_ACCELERATOR_MICROS] = { "accelerator_micros", "accelerator execution time", "accelerator execution time", NULL,
        TFP_MICROS, TFP_V_ACCELERATOR_MICROS, NULL,
        "Time that kernels ran on accelerators, as the device's own tracing measured it (devices named stream:all).", NULL, { 0 } },
    [TFP_C_BYTES] = { "bytes", "requested bytes", "requested bytes", NULL,
        TFP_SIZE, TFP_V_BYTES, NULL,
        "Memory that the operation asked its allocators for, in all: every allocation counts, freed or not; temporary "
        "and persistent memory included.", NULL, { 0 } },
    [TFP_C_BYTES_MOVED] = { "bytes_moved", "bytes moved", "bytes moved", NULL,
        TFP_SIZE, TFP_V_BYTES_MOVED, NULL,
        "Bytes that the operation reads and writes: its inputs and outputs, from their shapes and types, worked out from "
        "the graph; times the runs as float_ops.", NULL, { 0 } },
    [TFP_C_COVERAGE] = { "coverage", "coverage", "coverage", NULL,
        TFP_SHARE, -1, "coverage",
        "Share of the operations that have a count of float operations: what moves data counts 0 and has one; what has no "
        "formula, or lacks a shape, has none.", NULL, { TFP_V_COUNTED_OPS, TFP_V_OPS, 1 } },
    [TFP_C_CPU_MICROS] = { "cpu_micros", "cpu execution time", "cpu execution time", NULL,
        TFP_MICROS, TFP_V_CPU_MICROS, NULL,
        "Time from an operation's start to its end on the host, waiting included; for operations on an accelerator it is "
        "the time to schedule them.", NULL, { 0 } },
    [TFP_C_DEVICE] = { "device", "device", "assigned devices", NULL,
        TFP_LABEL, -1, "devices",
        "Where the operation ran, from run metadata; unknown when it never did.", NULL, { 0 } },
    [TFP_C_FLOAT_OPS] = { "float_ops", "flops", "# float_ops", NULL,
        TFP_NUMBER, TFP_V_FLOAT_OPS, NULL,
        "Float operations, a multiply and an add counted as two, from the op log, or worked out from the graph "
        "(-float_ops_source); times the runs of the step where there is run metadata, so an operation that did not run "
        "counts 0.", " flops", { 0 } },
    [TFP_C_FLOPS_PER_SECOND] = { "flops_per_second", "flops per second", "flops per second", NULL,
        TFP_NUMBER, -1, "flops_per_second",
        "Float operations of what has a time, divided by the total execution time.", " flops/s",
        { TFP_V_TIMED_FLOAT_OPS, TFP_V_MICROS, 1e6 } },
    [TFP_C_INPUT_SHAPES] = { "input_shapes", "input shape", "input shapes", NULL,
        TFP_LABEL, -1, "input_shapes",
        "Shapes of the input tensors by position, from the attribute _output_shapes of the nodes they come from.", NULL, { 0 } },
    [TFP_C_INTENSITY] = { "intensity", "intensity", "flops per byte", NULL,
        TFP_NUMBER, -1, "intensity",
        "Arithmetic intensity: float operations for each byte moved, of the operations of which both are known.", " flops/byte",
        { TFP_V_MOVED_FLOAT_OPS, TFP_V_BYTES_MOVED, 1 } },
    [TFP_C_MACS] = { "macs", "macs", "# macs", NULL,
        TFP_NUMBER, TFP_V_MACS, NULL,
        "Multiply-adds, worked out from the graph; each is two of the float operations. Times the runs as float_ops.",
        " macs", { 0 } },
    [TFP_C_MICROS] = { "micros", "total execution time", "total execution time", NULL,
        TFP_MICROS, TFP_V_MICROS, NULL,
        "Accelerator time plus host time of all runs in the step.", NULL, { 0 } },
    [TFP_C_NUM_HIDDEN_OPS] = { "num_hidden_ops", "num_hidden_ops", NULL, NULL,
        TFP_LABEL, -1, NULL,
        "How many operations were left out on the way to a row; the graph view of -compat 1.0 shows it.", NULL, { 0 } },
    [TFP_C_OCCURRENCE] = { "occurrence", "occurrence", "op count (run|defined)", "op occurrence (run|defined)",
        TFP_NUMBER, TFP_V_RUNS, NULL,
        "How often it ran in the step (a while-loop's body often more than once), and how many nodes define it.", NULL, { 0 } },
    [TFP_C_OP_TYPES] = { "op_types", "op_types", "op types", NULL,
        TFP_LABEL, -1, NULL,
        "What -account_type_regexes looks at: the operation, its device, and types that the user gave in the op log.", NULL, { 0 } },
    [TFP_C_OUTPUT_BYTES] = { "output_bytes", "output bytes", "output bytes", NULL,
        TFP_SIZE, TFP_V_OUTPUT_BYTES, NULL,
        "Size of the operation's output tensors, whoever allocated them.", NULL, { 0 } },
    [TFP_C_PARAMS] = { "params", "param", "# parameters", NULL,
        TFP_NUMBER, TFP_V_PARAMS, NULL,
        "Elements of the variable: the product of the attribute shape; 0 when a dimension is unknown.", " params", { 0 } },
    [TFP_C_PEAK_BYTES] = { "peak_bytes", "peak bytes", "peak bytes", NULL,
        TFP_SIZE, TFP_V_PEAK_BYTES, NULL,
        "Most memory that the operation held at one time while it ran.", NULL, { 0 } },
    [TFP_C_RESIDUAL_BYTES] = { "residual_bytes", "residual bytes", "residual bytes", NULL,
        TFP_SIZE, TFP_V_RESIDUAL_BYTES, NULL,
        "Memory still held when the operation had ended: outputs and persistent tensors.", NULL, { 0 } },
    [TFP_C_TENSOR_VALUE] = { "tensor_value", "tensor_value", NULL, NULL,
        TFP_LABEL, -1, "tensor_value",
        "Values of the tensor with the node's name, from --checkpoint_path.", NULL, { 0 } },
};
/* clang-format on */

int tfp_column_find(tfp_str name)
{
    for (int i = 0; i < TFP_C_COUNT; i++)
        if (tfp_str_eq(name, tfp_str_of(tfp_columns[i].name))) return i;
    return -1;
}

const tfp_value tfp_min_values[TFP_MIN_COUNT] = { TFP_V_BYTES,        TFP_V_PEAK_BYTES, TFP_V_RESIDUAL_BYTES,
                                                  TFP_V_OUTPUT_BYTES, TFP_V_MICROS,     TFP_V_ACCELERATOR_MICROS,
                                                  TFP_V_CPU_MICROS,   TFP_V_PARAMS,     TFP_V_FLOAT_OPS,
                                                  TFP_V_RUNS,         TFP_V_MACS,       TFP_V_BYTES_MOVED };

const tfp_order tfp_orders[] = {
    { "name", TFP_BY_NAME, 0 },
    { "bytes", TFP_V_BYTES, 0 },
    { "peak_bytes", TFP_V_PEAK_BYTES, 0 },
    { "residual_bytes", TFP_V_RESIDUAL_BYTES, 0 },
    { "output_bytes", TFP_V_OUTPUT_BYTES, 0 },
    { "micros", TFP_V_MICROS, 0 },
    { "accelerator_micros", TFP_V_ACCELERATOR_MICROS, 0 },
    { "cpu_micros", TFP_V_CPU_MICROS, 0 },
    { "params", TFP_V_PARAMS, 0 },
    { "float_ops", TFP_V_FLOAT_OPS, 0 },
    { "macs", TFP_V_MACS, 0 },
    { "bytes_moved", TFP_V_BYTES_MOVED, 0 },
    { "coverage", TFP_BY_RATIO, TFP_C_COVERAGE },
    { "flops_per_second", TFP_BY_RATIO, TFP_C_FLOPS_PER_SECOND },
    { "intensity", TFP_BY_RATIO, TFP_C_INTENSITY },
    { "occurrence", TFP_BY_OCCURRENCE, 0 },
    { "depth", TFP_BY_TRAVERSAL, 0 },
    { NULL, 0, 0 },
};
