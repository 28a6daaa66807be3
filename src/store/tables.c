// SPDX-License-Identifier: Apache-2.0
/* store/tables.c: every table and column of a profile as the file holds them. A new field of the model is a row here;
 * what follows from other columns is not stored. */
#include "model/files/allocator.h"
#include "model/files/collectives.h"
#include "model/files/flights.h"
#include "model/files/weights.h"
#include "model/graphs.h"
#include "model/tables/code.h"
#include "model/tables/details.h"
#include "model/tables/devices.h"
#include "model/tables/doubts.h"
#include "model/tables/events.h"
#include "model/tables/graph.h"
#include "model/tables/instructions.h"
#include "model/tables/lanes.h"
#include "model/tables/memory_events.h"
#include "model/tables/profile.h"
#include "model/tables/runs.h"
#include "model/tables/samples.h"
#include "model/tables/sources.h"
#include "model/tables/stats.h"
#include "model/tables/step_marks.h"
#include "store/store.h"

const char tfp_store_magic[8] = { (char)0x89, 't', 'f', 'p', 'r', 'o', 'f', '\n' };

#define NUMBER(row, field, rule, arg)                                                                                  \
    {                                                                                                                  \
#field, offsetof(row, field), sizeof(((row *)0)->field), TFP_STORE_##rule, (arg), false                        \
    }
#define ANY(row, field) NUMBER(row, field, ANY, 0)
#define BESIDE(row, field)                                                                                             \
    {                                                                                                                  \
#field, offsetof(row, field), sizeof(((row *)0)->field), TFP_STORE_ANY, 0, true                                \
    }
#define STRING(row, field) NUMBER(row, field, STRING, 0)
#define BELOW(row, field, limit) NUMBER(row, field, BELOW, (limit))
#define IN(row, field, table) NUMBER(row, field, ROW, TFP_STORE_##table)
#define MAYBE_IN(row, field, table) NUMBER(row, field, ROW_OR_NONE, TFP_STORE_##table)
#define RANGE(row, first, count, table) NUMBER(row, first, RANGE, TFP_STORE_##table), ANY(row, count)
#define WORDS(row, field, rule)                                                                                        \
    {                                                                                                                  \
#field, offsetof(row, field), 0, TFP_STORE_##rule, 0, false                                                    \
    }
#define ALONE(type, rule, arg)                                                                                         \
    {                                                                                                                  \
        "value", 0, sizeof(type), TFP_STORE_##rule, (arg), false                                                       \
    } /* rows of one number */
#define ALONE_WORDS(rule)                                                                                              \
    {                                                                                                                  \
        "value", 0, 0, TFP_STORE_##rule, 0, false                                                                      \
    }

/* ---- columns ---- */
/* clang-format off */

static const tfp_store_column profile[] = {
    BELOW(tfp_profile_about, functions, 2), ANY(tfp_profile_about, has), ANY(tfp_profile_about, time_grain_ns), ANY(tfp_profile_about, inputs_warned),
    BELOW(tfp_profile_about, miss_accelerator_stream, 2), BELOW(tfp_profile_about, name_twice, 2),
    { "events.origin_unix_ns", offsetof(tfp_profile_about, origin_unix_ns), sizeof(int64_t), TFP_STORE_ANY, 0, false }, ANY(tfp_profile_about, sample_type), WORDS(tfp_profile_about, graph_file, TEXT_OR_NULL),
};
static const tfp_store_column texts[] = { ALONE_WORDS(TEXT) };
static const tfp_store_column texts_or_null[] = { ALONE_WORDS(TEXT_OR_NULL) };
static const tfp_store_column bytes[] = { ALONE_WORDS(BYTES) };
static const tfp_store_column numbers[] = { ALONE(int64_t, ANY, 0) };
static const tfp_store_column reals[] = { ALONE(double, ANY, 0) };
static const tfp_store_column strings[] = { ALONE(tfp_strid, STRING, 0) };
static const tfp_store_column node_by_name[] = { ALONE(uint32_t, ROW_OR_NONE, TFP_STORE_NODES) };
static const tfp_store_column warnings[] = {
    WORDS(tfp_warning, what, TEXT), WORDS(tfp_warning, file, TEXT), WORDS(tfp_warning, first, TEXT_OR_NULL),
    ANY(tfp_warning, count),
};

/* ---- the model ---- */
static const tfp_store_column nodes[] = {
    STRING(tfp_node, name), STRING(tfp_node, op), STRING(tfp_node, device), STRING(tfp_node, host_device),
    STRING(tfp_node, graph_device), STRING(tfp_node, data_format), MAYBE_IN(tfp_node, shape, SHAPES),
    MAYBE_IN(tfp_node, trace, TRACES), MAYBE_IN(tfp_node, attrs, ATTRS), ANY(tfp_node, flags), ANY(tfp_node, id),
    ANY(tfp_node, float_ops), NUMBER(tfp_node, calls, NOT_NEGATIVE, 0),
};
static const tfp_store_column types[] = { STRING(tfp_type, name) };
static const tfp_store_column inputs[] = {
    ANY(tfp_input_edge, position), ANY(tfp_input_edge, output_index), MAYBE_IN(tfp_input_edge, node, NODES),
    STRING(tfp_input_edge, name),
};
static const tfp_store_column outputs[] = { ANY(tfp_output, slot), MAYBE_IN(tfp_output, shape, SHAPES) };
static const tfp_store_column shapes[] = { RANGE(tfp_shape, first, count, DIMS), BELOW(tfp_shape, scalar, 2) };
static const tfp_store_column run_shapes[] = {
    IN(tfp_run_shape, node, NODES), ANY(tfp_run_shape, slot), IN(tfp_run_shape, shape, SHAPES),
};
static const tfp_store_column instructions[] = {
    STRING(tfp_instruction, name), STRING(tfp_instruction, module), STRING(tfp_instruction, opcode), IN(tfp_instruction, node, NODES),
    ANY(tfp_instruction, runs), ANY(tfp_instruction, float_ops), ANY(tfp_instruction, macs),
    ANY(tfp_instruction, own_float_ops), ANY(tfp_instruction, own_macs), ANY(tfp_instruction, bytes),
    BELOW(tfp_instruction, inside, 2), BELOW(tfp_instruction, counted, 2), BELOW(tfp_instruction, trips_unknown, 2),
};
static const tfp_store_column frames[] = {
    STRING(tfp_code_frame, file), STRING(tfp_code_frame, function), STRING(tfp_code_frame, text),
    ANY(tfp_code_frame, line), ANY(tfp_code_frame, function_line),
};
static const tfp_store_column trace_frames[] = { ALONE(uint32_t, ROW, TFP_STORE_FRAMES) };
static const tfp_store_column traces[] = { RANGE(tfp_trace, first, count, TRACE_FRAMES) };

/* runs */
static const tfp_store_column steps[] = { ANY(tfp_step, id), BELOW(tfp_step, listed, 2), ANY(tfp_step, exec_from) };
static const tfp_store_column execs[] = {
    IN(tfp_exec, step, STEPS), ANY(tfp_exec, run_count), ANY(tfp_exec, start_ns), BESIDE(tfp_exec, end_ns),
    ANY(tfp_exec, cpu_ns), ANY(tfp_exec, accelerator_ns), ANY(tfp_exec, requested_bytes), ANY(tfp_exec, peak_bytes),
    ANY(tfp_exec, residual_bytes), ANY(tfp_exec, output_bytes), ANY(tfp_exec, float_ops),
};
static const tfp_store_column lanes[] = {
    STRING(tfp_lane, name), BELOW(tfp_lane, kind, TFP_LANE_ACCELERATOR + 1), BELOW(tfp_lane, role, TFP_ROLE_COUNTER + 1),
    BELOW(tfp_lane, use, TFP_USE_MEMCPY + 1), STRING(tfp_lane, place), BELOW(tfp_lane, is_device, 2), ANY(tfp_lane, on),
    STRING(tfp_lane, label), STRING(tfp_lane, device), MAYBE_IN(tfp_lane, process, PROCESSES),
};
static const tfp_store_column run_spans[] = {
    IN(tfp_span, lane, LANES), ANY(tfp_span, start_ns), ANY(tfp_span, duration_ns),
};
static const tfp_store_column run_transfers[] = {
    IN(tfp_run_transfer, step, STEPS), IN(tfp_run_transfer, lane, LANES), MAYBE_IN(tfp_run_transfer, node, NODES),
    STRING(tfp_run_transfer, kind), STRING(tfp_run_transfer, name), STRING(tfp_run_transfer, from),
    STRING(tfp_run_transfer, to), ANY(tfp_run_transfer, start_ns), ANY(tfp_run_transfer, duration_ns),
    ANY(tfp_run_transfer, bytes),
};
static const tfp_store_column memories[] = {
    ANY(tfp_memory, at_ns), ANY(tfp_memory, host_temp_bytes), ANY(tfp_memory, host_persistent_bytes),
    ANY(tfp_memory, accelerator_temp_bytes), ANY(tfp_memory, accelerator_persistent_bytes),
    ANY(tfp_memory, requested_bytes), ANY(tfp_memory, peak_bytes), ANY(tfp_memory, residual_bytes),
    ANY(tfp_memory, output_bytes), ANY(tfp_memory, allocator_bytes_in_use),
};
static const tfp_store_column buffers[] = { ANY(tfp_buffer, slot), ANY(tfp_buffer, bytes), ANY(tfp_buffer, address) };
static const tfp_store_column allocations[] = { ANY(tfp_allocation, at_ns), ANY(tfp_allocation, bytes) };

static const tfp_store_column sample_types[] = { STRING(tfp_sample_type, type), STRING(tfp_sample_type, unit) };
static const tfp_store_column samples[] = {
    MAYBE_IN(tfp_stack_sample, trace, TRACES), IN(tfp_stack_sample, type, SAMPLE_TYPES),
    MAYBE_IN(tfp_stack_sample, labels, STAT_SETS), NUMBER(tfp_stack_sample, value, NOT_NEGATIVE, 0),
};

/* events of traces */
static const tfp_store_column processes[] = {
    STRING(tfp_process, host), STRING(tfp_process, name), ANY(tfp_process, pid), ANY(tfp_process, rank),
    ANY(tfp_process, rank_count), MAYBE_IN(tfp_process, source, SOURCES), ANY(tfp_process, clock_offset_ns),
    NUMBER(tfp_process, tolerance_ns, NOT_NEGATIVE, 0), BELOW(tfp_process, tasks, 2), BELOW(tfp_process, steps, TFP_STEPS_NONE + 1),
    NUMBER(tfp_process, work_ns, NOT_NEGATIVE, 0), NUMBER(tfp_process, work_in_steps_ns, NOT_NEGATIVE, 0),
    BELOW(tfp_process, work_of_devices, 2), ANY(tfp_process, part),
};
#define SPAN(field, rule, arg)                                                                                         \
    { #field, offsetof(tfp_span_columns, field), sizeof *((tfp_span_columns *)0)->field, TFP_STORE_##rule, (arg), false }
#define SPAN_BESIDE(field) { #field, offsetof(tfp_span_columns, field), sizeof *((tfp_span_columns *)0)->field, TFP_STORE_ANY, 0, true }
static const tfp_store_column spans[] = {
    SPAN(start_ns, ANY, 0), SPAN(duration_ns, NOT_NEGATIVE, 0), SPAN_BESIDE(self_ns), SPAN(lane, ROW, TFP_STORE_LANES),
    SPAN(name, STRING, 0), SPAN(kind, BELOW, TFP_SPAN_OTHER + 1), SPAN(class, BELOW, TFP_CLASS_SET + 1),
    SPAN(marks, ANY, 0), SPAN(stats, ROW_OR_NONE, TFP_STORE_STAT_SETS), SPAN(correlation, ANY, 0), SPAN(external, ANY, 0),
    SPAN(sequence, ANY, 0), SPAN(path, STRING, 0), SPAN(op, STRING, 0), SPAN(trace, ROW_OR_NONE, TFP_STORE_TRACES),
    SPAN(parent, ROW_OR_NONE, TFP_STORE_SPANS), SPAN(launch, ROW_OR_NONE, TFP_STORE_SPANS),
    SPAN(owner, ROW_OR_NONE, TFP_STORE_SPANS), SPAN(node, ROW_OR_NONE, TFP_STORE_NODES),
    SPAN(step, ROW_OR_NONE, TFP_STORE_STEPS), SPAN(attribution, ROW_OR_NONE, TFP_STORE_ATTRIBUTIONS),
};
#define ONE_COLUMN(type, name, none) +1
_Static_assert(sizeof spans / sizeof *spans == 0 TFP_SPAN_IN_COLUMNS(ONE_COLUMN) TFP_SPAN_JOIN_COLUMNS(ONE_COLUMN),
               "each column of a span has its rule here");
static const tfp_store_column attributions[] = {
    STRING(tfp_attribution, module), STRING(tfp_attribution, op), STRING(tfp_attribution, line),
    MAYBE_IN(tfp_attribution, trace, TRACES), MAYBE_IN(tfp_attribution, call, CAPTURED_CALLS),
    MAYBE_IN(tfp_attribution, stats, STAT_SETS), BELOW(tfp_attribution, certainty, TFP_CERTAINTIES),
    BELOW(tfp_attribution, reason, TFP_NO_PLACES), BELOW(tfp_attribution, line_from, TFP_LINE_OF_INDUCTOR + 1),
};
static const tfp_store_column captured_calls[] = {
    ANY(tfp_captured_call, float_ops), ANY(tfp_captured_call, macs), ANY(tfp_captured_call, bytes),
    MAYBE_IN(tfp_captured_call, span, SPANS), BELOW(tfp_captured_call, type, TFP_CALL_TYPES), BELOW(tfp_captured_call, state, TFP_CALL_STATES),
};
static const tfp_store_column flows[] = {
    IN(tfp_flow, from, SPANS), IN(tfp_flow, to, SPANS), BELOW(tfp_flow, kind, TFP_FLOW_OTHER + 1),
};
static const tfp_store_column stats[] = {
    STRING(tfp_stat, key), BELOW(tfp_stat, type, TFP_STAT_TEXT + 1), ANY(tfp_stat, value),
};
static const tfp_store_column stat_sets[] = { RANGE(tfp_stat_set, first, count, STATS) };
static const tfp_store_column memory_events[] = {
    ANY(tfp_memory_event, at_ns), ANY(tfp_memory_event, bytes), ANY(tfp_memory_event, allocated_bytes),
    ANY(tfp_memory_event, reserved_bytes), ANY(tfp_memory_event, address), IN(tfp_memory_event, lane, LANES),
    STRING(tfp_memory_event, device), MAYBE_IN(tfp_memory_event, span, SPANS),
};
static const tfp_store_column allocator_devices[] = {
    STRING(tfp_allocator_device, name), MAYBE_IN(tfp_allocator_device, source, SOURCES), ANY(tfp_allocator_device, origin_us),
    ANY(tfp_allocator_device, total_bytes),
};
static const tfp_store_column allocator_entries[] = {
    ANY(tfp_allocator_entry, at_us), ANY(tfp_allocator_entry, bytes), ANY(tfp_allocator_entry, address),
    IN(tfp_allocator_entry, device, ALLOCATOR_DEVICES), MAYBE_IN(tfp_allocator_entry, trace, TRACES),
    BELOW(tfp_allocator_entry, action, TFP_ALLOCATOR_OOM + 1),
};
static const tfp_store_column allocator_blocks[] = {
    ANY(tfp_allocator_block, address), ANY(tfp_allocator_block, bytes), IN(tfp_allocator_block, device, ALLOCATOR_DEVICES),
    MAYBE_IN(tfp_allocator_block, trace, TRACES),
};
static const tfp_store_column allocator_segments[] = {
    IN(tfp_allocator_segment, device, ALLOCATOR_DEVICES), STRING(tfp_allocator_segment, pool), STRING(tfp_allocator_segment, type),
    ANY(tfp_allocator_segment, stream), ANY(tfp_allocator_segment, count), ANY(tfp_allocator_segment, total_bytes),
    ANY(tfp_allocator_segment, allocated_bytes), ANY(tfp_allocator_segment, active_bytes),
    ANY(tfp_allocator_segment, free_bytes), ANY(tfp_allocator_segment, largest_free_bytes),
};
static const tfp_store_column flight_dumps[] = {
    IN(tfp_flight_dump, source, SOURCES), ANY(tfp_flight_dump, rank),
};
static const tfp_store_column flight_groups[] = {
    IN(tfp_flight_group, dump, FLIGHT_DUMPS), STRING(tfp_flight_group, name), STRING(tfp_flight_group, about),
    STRING(tfp_flight_group, members), ANY(tfp_flight_group, number), ANY(tfp_flight_group, last),
};
static const tfp_store_column flight_entries[] = {
    IN(tfp_flight_entry, group, FLIGHT_GROUPS), MAYBE_IN(tfp_flight_entry, trace, TRACES), STRING(tfp_flight_entry, name),
    STRING(tfp_flight_entry, state), STRING(tfp_flight_entry, sizes), STRING(tfp_flight_entry, must_agree),
    STRING(tfp_flight_entry, types), ANY(tfp_flight_entry, sequence), BELOW(tfp_flight_entry, done, 2),
};
static const tfp_store_column weights[] = {
    IN(tfp_weight, node, NODES), STRING(tfp_weight, type), NUMBER(tfp_weight, elements, NOT_NEGATIVE, 0),
    NUMBER(tfp_weight, bytes, NOT_NEGATIVE, 0), BELOW(tfp_weight, kind, TFP_WEIGHT_OF_OPTIMIZER + 1),
};
static const tfp_store_column timed[] = {
    ANY(tfp_timed_collective, rank), ANY(tfp_timed_collective, group_size), NUMBER(tfp_timed_collective, bytes, NOT_NEGATIVE, 0),
    NUMBER(tfp_timed_collective, duration_ns, NOT_NEGATIVE, 0), STRING(tfp_timed_collective, kind), STRING(tfp_timed_collective, group),
};
static const tfp_store_column counters[] = {
    ANY(tfp_counter_sample, at_ns), ANY(tfp_counter_sample, value), STRING(tfp_counter_sample, name),
    STRING(tfp_counter_sample, series), IN(tfp_counter_sample, process, PROCESSES),
};
static const tfp_store_column step_marks[] = {
    IN(tfp_step_mark, span, SPANS), BELOW(tfp_step_mark, source, TFP_STEPS_NAMED + 1), ANY(tfp_step_mark, number),
    STRING(tfp_step_mark, group), ANY(tfp_step_mark, run), ANY(tfp_step_mark, end_ns), ANY(tfp_step_mark, busy_ns),
};
static const tfp_store_column windows[] = {
    IN(tfp_step_window, step, STEPS), IN(tfp_step_window, process, PROCESSES), STRING(tfp_step_window, device),
    ANY(tfp_step_window, start_ns), ANY(tfp_step_window, end_ns),
};
static const tfp_store_column devices[] = {
    STRING(tfp_device_info, device), STRING(tfp_device_info, name), IN(tfp_device_info, process, PROCESSES),
    ANY(tfp_device_info, peak_flops), ANY(tfp_device_info, peak_bandwidth), ANY(tfp_device_info, memory_bytes),
    ANY(tfp_device_info, sm_count), ANY(tfp_device_info, clock_khz),
};
static const tfp_store_column findings[] = {
    WORDS(tfp_data_finding, severity, TEXT), WORDS(tfp_data_finding, what, TEXT), ANY(tfp_data_finding, count),
    STRING(tfp_data_finding, first),
};

static const tfp_store_column doubts[] = {
    BELOW(tfp_doubt, kind, TFP_DOUBT_KINDS), IN(tfp_doubt, process, PROCESSES), MAYBE_IN(tfp_doubt, step, STEPS),
    STRING(tfp_doubt, name), ANY(tfp_doubt, count), ANY(tfp_doubt, of), ANY(tfp_doubt, ns),
};

/* the program */
static const tfp_store_column program[] = {
    BELOW(tfp_program, has_objects, 2), BELOW(tfp_program, saved_model, 2), BELOW(tfp_program, onnx, 2),
};
static const tfp_store_column program_attrs[] = {
    STRING(tfp_program_attr, name), BELOW(tfp_program_attr, kind, TFP_ATTR_FUNCTION + 1),
};
static const tfp_store_column program_inputs[] = {
    STRING(tfp_program_input, source), STRING(tfp_program_input, output), ANY(tfp_program_input, index),
    BELOW(tfp_program_input, control, 2),
};
static const tfp_store_column program_nodes[] = {
    STRING(tfp_program_node, name), STRING(tfp_program_node, op),
    RANGE(tfp_program_node, input_first, input_count, PROGRAM_INPUTS),
    RANGE(tfp_program_node, attr_first, attr_count, PROGRAM_ATTRS),
};
static const tfp_store_column program_args[] = {
    STRING(tfp_program_arg, name), ANY(tfp_program_arg, dtype), MAYBE_IN(tfp_program_arg, shape, SHAPES),
    ANY(tfp_program_arg, handle_dtype), MAYBE_IN(tfp_program_arg, handle_shape, SHAPES),
};
static const tfp_store_column program_results[] = {
    STRING(tfp_program_result, name), STRING(tfp_program_result, from.source), STRING(tfp_program_result, from.output),
    ANY(tfp_program_result, from.index), BELOW(tfp_program_result, from.control, 2),
};
static const tfp_store_column program_bodies[] = {
    STRING(tfp_program_body, name), RANGE(tfp_program_body, node_first, node_count, PROGRAM_NODES),
    RANGE(tfp_program_body, arg_first, arg_count, PROGRAM_ARGS),
    RANGE(tfp_program_body, result_first, result_count, PROGRAM_RESULTS),
    RANGE(tfp_program_body, attr_first, attr_count, PROGRAM_ATTRS),
    RANGE(tfp_program_body, control_first, control_count, PROGRAM_CONTROLS),
};
static const tfp_store_column program_variables[] = {
    STRING(tfp_program_variable, name), ANY(tfp_program_variable, dtype),
    MAYBE_IN(tfp_program_variable, shape, SHAPES), BELOW(tfp_program_variable, trainable, TFP_TRAINABLE_YES + 1),
};
static const tfp_store_column program_signatures[] = {
    STRING(tfp_program_signature, key), STRING(tfp_program_signature, node),
    RANGE(tfp_program_signature, output_first, output_count, PROGRAM_OUTPUTS),
};

/* ---- tables ---- */

#define COLUMNS(list) (list), sizeof(list) / sizeof *(list)
#define ROWS_OF(field, columns)                                                                                        \
    TFP_STORE_ROWS, TFP_STORE_IN_PROFILE, offsetof(tfp_profile, field), 0, sizeof *((tfp_profile *)0)->field->at, COLUMNS(columns)
#define ROWS_IN(tables, name, field, columns)                                                                          \
    TFP_STORE_ROWS, TFP_STORE_IN_PROFILE, offsetof(tfp_profile, name), offsetof(tables, field), sizeof *((tables *)0)->field.at, COLUMNS(columns)
#define PROGRAM_OF(field, columns)                                                                                     \
    TFP_STORE_ROWS, TFP_STORE_IN_PROGRAM, 0, offsetof(tfp_program, field), sizeof *((tfp_program *)0)->field.at, COLUMNS(columns)
#define CHAIN(table, row, name, item)                                                                                  \
    { TFP_STORE_##table, offsetof(row, name##_first), offsetof(row, name##_last), offsetof(item, next), true }
#define NO_CHAIN { 0, 0, 0, 0, false }

const tfp_store_table tfp_store_tables[TFP_STORE_TABLES] = {
    [TFP_STORE_PROFILE] = { "profile", TFP_STORE_ONE, TFP_STORE_IN_PROFILE, 0, offsetof(tfp_profile, about), sizeof(tfp_profile_about), COLUMNS(profile), 0, NO_CHAIN },
    [TFP_STORE_SOURCES] = { "sources", ROWS_IN(tfp_source_tables, files, sources, texts), 0, NO_CHAIN },
    [TFP_STORE_FORMATS] = { "formats", ROWS_IN(tfp_source_tables, files, formats, texts_or_null), 0, NO_CHAIN },
    [TFP_STORE_WARNINGS] = { "warnings", ROWS_IN(tfp_source_tables, files, warnings, warnings), 0, NO_CHAIN },
    [TFP_STORE_COVERAGE] = { "coverage", ROWS_IN(tfp_run_tables, runs, coverage, reals), 0, NO_CHAIN },
    [TFP_STORE_NODE_BY_NAME] = { "node_by_name", ROWS_IN(tfp_node_tables, graph, node_by_name, node_by_name), 0, NO_CHAIN },
    [TFP_STORE_NODES] = { "nodes", ROWS_IN(tfp_node_tables, graph, nodes, nodes), 0, NO_CHAIN },
    [TFP_STORE_TYPES] = { "types", ROWS_IN(tfp_node_tables, graph, types, types), 0, CHAIN(NODES, tfp_node, type, tfp_type) },
    [TFP_STORE_INPUTS] = { "inputs", ROWS_IN(tfp_node_tables, graph, inputs, inputs), 0, CHAIN(NODES, tfp_node, input, tfp_input_edge) },
    [TFP_STORE_OUTPUTS] = { "outputs", ROWS_IN(tfp_node_tables, graph, outputs, outputs), 0, CHAIN(NODES, tfp_node, output, tfp_output) },
    [TFP_STORE_SHAPES] = { "shapes", ROWS_IN(tfp_node_tables, graph, shapes, shapes), 0, NO_CHAIN },
    [TFP_STORE_DIMS] = { "dims", ROWS_IN(tfp_node_tables, graph, dims, numbers), 0, NO_CHAIN },
    [TFP_STORE_ATTRS] = { "attrs", ROWS_IN(tfp_node_tables, graph, attrs, bytes), TFP_KEEP_ATTRS, NO_CHAIN },
    [TFP_STORE_RUN_SHAPES] = { "run_shapes", ROWS_IN(tfp_node_tables, graph, run_shapes, run_shapes), TFP_KEEP_PROGRAM, NO_CHAIN },
    [TFP_STORE_INSTRUCTIONS] = { "instructions", ROWS_OF(instructions, instructions), TFP_KEEP_PROGRAM, NO_CHAIN },
    [TFP_STORE_STEPS] = { "steps", ROWS_IN(tfp_run_tables, runs, steps, steps), 0, NO_CHAIN },
    [TFP_STORE_EXECS] = { "execs", ROWS_IN(tfp_run_tables, runs, execs, execs), 0, CHAIN(NODES, tfp_node, exec, tfp_exec) },
    [TFP_STORE_OUTPUT_BYTES] = { "output_bytes", ROWS_IN(tfp_run_tables, runs, run_output_bytes, numbers), 0, NO_CHAIN },
    [TFP_STORE_DETAILS] = { "details", TFP_STORE_ROWS, TFP_STORE_IN_PROFILE, offsetof(tfp_profile, detail), offsetof(tfp_detail_tables, details), sizeof(tfp_exec_detail), NULL, 0, TFP_KEEP_MEMORY, NO_CHAIN },
    [TFP_STORE_LANES] = { "lanes", ROWS_OF(lanes, lanes), 0, NO_CHAIN },
    [TFP_STORE_RUN_SPANS] = { "run_spans", ROWS_IN(tfp_detail_tables, detail, spans, run_spans), TFP_KEEP_MEMORY, CHAIN(DETAILS, tfp_exec_detail, span, tfp_span) },
    [TFP_STORE_RUN_TRANSFERS] = { "run_transfers", ROWS_IN(tfp_detail_tables, detail, run_transfers, run_transfers), TFP_KEEP_MEMORY, NO_CHAIN },
    [TFP_STORE_MEMORIES] = { "memories", ROWS_IN(tfp_detail_tables, detail, memories, memories), TFP_KEEP_MEMORY, CHAIN(DETAILS, tfp_exec_detail, memory, tfp_memory) },
    [TFP_STORE_BUFFERS] = { "buffers", ROWS_IN(tfp_detail_tables, detail, buffers, buffers), TFP_KEEP_MEMORY, CHAIN(MEMORIES, tfp_memory, buffer, tfp_buffer) },
    [TFP_STORE_ALLOCATIONS] = { "allocations", ROWS_IN(tfp_detail_tables, detail, allocations, allocations), TFP_KEEP_MEMORY, CHAIN(DETAILS, tfp_exec_detail, alloc, tfp_allocation) },
    [TFP_STORE_FRAMES] = { "frames", ROWS_IN(tfp_code_tables, code, frames, frames), 0, NO_CHAIN },
    [TFP_STORE_TRACE_FRAMES] = { "trace_frames", ROWS_IN(tfp_code_tables, code, trace_frames, trace_frames), 0, NO_CHAIN },
    [TFP_STORE_TRACES] = { "traces", ROWS_IN(tfp_code_tables, code, traces, traces), 0, NO_CHAIN },
    [TFP_STORE_SAMPLE_TYPES] = { "sample_types", ROWS_IN(tfp_sample_tables, sampled, sample_types, sample_types), 0, NO_CHAIN },
    [TFP_STORE_SAMPLES] = { "samples", ROWS_IN(tfp_sample_tables, sampled, samples, samples), 0, NO_CHAIN },
    [TFP_STORE_PROCESSES] = { "processes", ROWS_IN(tfp_event_tables, events, processes, processes), 0, NO_CHAIN },
    [TFP_STORE_SPANS] = { "spans", TFP_STORE_ARRAYS, TFP_STORE_IN_PROFILE, offsetof(tfp_profile, events), offsetof(tfp_event_tables, spans), 0, COLUMNS(spans), 0, NO_CHAIN },
    [TFP_STORE_ATTRIBUTIONS] = { "attributions", ROWS_IN(tfp_event_tables, events, attributions, attributions), 0, NO_CHAIN },
    [TFP_STORE_CAPTURED_CALLS] = { "captured_calls", ROWS_IN(tfp_graph_tables, captures, calls, captured_calls), 0, NO_CHAIN },
    [TFP_STORE_FLOWS] = { "flows", ROWS_IN(tfp_event_tables, events, flows, flows), 0, NO_CHAIN },
    [TFP_STORE_STATS] = { "stats", ROWS_IN(tfp_event_tables, events, stats, stats), 0, NO_CHAIN },
    [TFP_STORE_STAT_SETS] = { "stat_sets", ROWS_IN(tfp_event_tables, events, stat_sets, stat_sets), 0, NO_CHAIN },
    [TFP_STORE_MEMORY_EVENTS] = { "memory_events", ROWS_IN(tfp_event_tables, events, memory, memory_events), 0, NO_CHAIN },
    [TFP_STORE_ALLOCATOR_DEVICES] = { "allocator_devices", ROWS_IN(tfp_allocator_tables, allocator, devices, allocator_devices), 0, NO_CHAIN },
    [TFP_STORE_ALLOCATOR_ENTRIES] = { "allocator_entries", ROWS_IN(tfp_allocator_tables, allocator, entries, allocator_entries), 0, NO_CHAIN },
    [TFP_STORE_ALLOCATOR_BLOCKS] = { "allocator_blocks", ROWS_IN(tfp_allocator_tables, allocator, blocks, allocator_blocks), 0, NO_CHAIN },
    [TFP_STORE_ALLOCATOR_SEGMENTS] = { "allocator_segments", ROWS_IN(tfp_allocator_tables, allocator, segments, allocator_segments), 0, NO_CHAIN },
    [TFP_STORE_FLIGHT_DUMPS] = { "flight_dumps", ROWS_IN(tfp_flight_tables, flights, dumps, flight_dumps), 0, NO_CHAIN },
    [TFP_STORE_FLIGHT_GROUPS] = { "flight_groups", ROWS_IN(tfp_flight_tables, flights, groups, flight_groups), 0, NO_CHAIN },
    [TFP_STORE_FLIGHT_ENTRIES] = { "flight_entries", ROWS_IN(tfp_flight_tables, flights, entries, flight_entries), 0, NO_CHAIN },
    [TFP_STORE_WEIGHTS] = { "weights", ROWS_OF(weights, weights), 0, NO_CHAIN },
    [TFP_STORE_TIMED] = { "timed_collectives", ROWS_OF(timed, timed), 0, NO_CHAIN },
    [TFP_STORE_COUNTERS] = { "counters", ROWS_IN(tfp_event_tables, events, counters, counters), 0, NO_CHAIN },
    [TFP_STORE_STEP_MARKS] = { "step_marks", ROWS_IN(tfp_event_tables, events, step_marks, step_marks), 0, NO_CHAIN },
    [TFP_STORE_WINDOWS] = { "windows", ROWS_IN(tfp_event_tables, events, windows, windows), 0, NO_CHAIN },
    [TFP_STORE_DEVICES] = { "devices", ROWS_IN(tfp_event_tables, events, devices, devices), 0, NO_CHAIN },
    [TFP_STORE_FINDINGS] = { "findings", ROWS_IN(tfp_event_tables, events, findings, findings), 0, NO_CHAIN },
    [TFP_STORE_ABOUT] = { "about", ROWS_IN(tfp_event_tables, events, about, stats), 0, NO_CHAIN },
    [TFP_STORE_PROGRAM] = { "program", TFP_STORE_ONE, TFP_STORE_IN_PROGRAM, 0, 0, sizeof(tfp_program), COLUMNS(program), 0, NO_CHAIN },
    [TFP_STORE_PROGRAM_ATTRS] = { "program_attrs", PROGRAM_OF(attrs, program_attrs), 0, NO_CHAIN },
    [TFP_STORE_PROGRAM_VALUES] = { "program_values", TFP_STORE_ROWS, TFP_STORE_IN_VALUES, 0, offsetof(tfp_store_values, rows), sizeof(tfp_str), COLUMNS(bytes), 0, NO_CHAIN },
    [TFP_STORE_PROGRAM_INPUTS] = { "program_inputs", PROGRAM_OF(inputs, program_inputs), 0, NO_CHAIN },
    [TFP_STORE_PROGRAM_NODES] = { "program_nodes", PROGRAM_OF(nodes, program_nodes), 0, NO_CHAIN },
    [TFP_STORE_PROGRAM_ARGS] = { "program_args", PROGRAM_OF(args, program_args), 0, NO_CHAIN },
    [TFP_STORE_PROGRAM_RESULTS] = { "program_results", PROGRAM_OF(results, program_results), 0, NO_CHAIN },
    [TFP_STORE_PROGRAM_BODIES] = { "program_bodies", PROGRAM_OF(bodies, program_bodies), 0, NO_CHAIN },
    [TFP_STORE_PROGRAM_VARIABLES] = { "program_variables", PROGRAM_OF(variables, program_variables), 0, NO_CHAIN },
    [TFP_STORE_PROGRAM_SIGNATURES] = { "program_signatures", PROGRAM_OF(signatures, program_signatures), 0, NO_CHAIN },
    [TFP_STORE_PROGRAM_OUTPUTS] = { "program_outputs", PROGRAM_OF(outputs, strings), 0, NO_CHAIN },
    [TFP_STORE_PROGRAM_CONTROLS] = { "program_controls", PROGRAM_OF(controls, strings), 0, NO_CHAIN },
    [TFP_STORE_DOUBTS] = { "doubts", ROWS_IN(tfp_event_tables, events, doubts, doubts), 0, NO_CHAIN },
};
/* clang-format on */

void *tfp_store_at(const tfp_store_table *t, const tfp_profile *p, const tfp_store_values *values)
{
    const void *home = t->home == TFP_STORE_IN_PROFILE  ? (const void *)p
                       : t->home == TFP_STORE_IN_VALUES ? (const void *)values
                                                        : (const void *)p->program;
    if (home && t->within) home = *(void *const *)(const void *)((const char *)home + t->within);
    return home ? (char *)(uintptr_t)home + t->at : NULL;
}

size_t tfp_store_count(const tfp_store_table *t, const void *at)
{
    if (!at) return 0;
    switch (t->form) {
    case TFP_STORE_ROWS: return ((const tfp_store_rows *)at)->size;
    case TFP_STORE_ARRAYS: return ((const tfp_span_columns *)at)->size;
    case TFP_STORE_ONE: break;
    }
    return 1;
}

size_t tfp_store_row_bytes(const tfp_store_table *t)
{
    size_t item = t->item + (t->chain.there ? sizeof(uint32_t) : 0);
    for (size_t k = 0; t->form == TFP_STORE_ARRAYS && k < t->column_count; k++) item += t->columns[k].width;
    return item;
}
