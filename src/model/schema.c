// SPDX-License-Identifier: Apache-2.0
/* model/schema.c: the tables and columns of a profile as data, made of the lists of schema/. */
#include "schema/schema.h"
#include "model/files/allocator.h"
#include "model/files/collectives.h"
#include "model/files/flights.h"
#include "model/files/weights.h"
#include "model/graphs.h"
#include "model/program.h"
#include "model/recorded.h"
#include "model/tables/code.h"
#include "model/tables/details.h"
#include "model/tables/devices.h"
#include "model/tables/doubts.h"
#include "model/tables/events.h"
#include "model/tables/graph.h"
#include "model/tables/instructions.h"
#include "model/tables/lanes.h"
#include "model/tables/memory_events.h"
#include "model/tables/processes.h"
#include "model/tables/profile.h"
#include "model/tables/runs.h"
#include "model/tables/samples.h"
#include "model/tables/sources.h"
#include "model/tables/stats.h"
#include "model/tables/step_marks.h"

/* clang-format off */

/* ---- columns ---- */

/* Texts have no width. */
#define WIDTH(rule, type) (TFP_RULE_##rule >= TFP_RULE_TEXT ? 0 : sizeof(type))
#define FIRST_OF(first, ...) first
#define COLUMNS_OF(row) columns_of_##row
#define COLUMNS_OF_STRUCT(row) COLUMNS_OF(row)

#define BEGIN(help) static const tfp_schema_column COLUMNS_OF_STRUCT(STRUCT)[] = {
#define COLUMN(type, name, rule, arg, beside, ...) \
    { #name, offsetof(STRUCT, name), WIDTH(rule, type), TFP_RULE_##rule, arg, beside, FIRST_OF(__VA_ARGS__, 0) },
#define END { 0 } };
#define MEMORY_ONLY(type, name, ...)
#define HEADS(prefix, table)
#define NEXT
#include "schema/allocator.def"
#include "schema/collectives.def"
#include "schema/devices.def"
#include "schema/flights.def"
#include "schema/weights.def"
#undef BEGIN
#undef COLUMN
#undef END
#undef MEMORY_ONLY
#undef HEADS
#undef NEXT

/* Rows of one number or text. */
#define VALUE(id, type, rule, arg) \
    static const tfp_schema_column columns_of_##id[] = { { "value", 0, WIDTH(rule, type), TFP_RULE_##rule, arg, false, NULL }, { 0 } };
#define VALUES(id, name, part, member, rule, arg, keep, help) VALUE(id, __typeof__(*((tfp_profile *)0)->part->member.at), rule, arg)
#define MADE(id, name, type, rule, help) VALUE(id, type, rule, 0)
#include "schema/model.def"

#define NUMBER(row, field, rule, arg) { #field, offsetof(row, field), sizeof(((row *)0)->field), TFP_RULE_##rule, (arg), false, NULL }
#define ANY(row, field) NUMBER(row, field, ANY, 0)
#define BESIDE(row, field) { #field, offsetof(row, field), sizeof(((row *)0)->field), TFP_RULE_ANY, 0, true, NULL }
#define STRING(row, field) NUMBER(row, field, STRING, 0)
#define BELOW(row, field, limit) NUMBER(row, field, BELOW, (limit))
#define IN(row, field, table) NUMBER(row, field, ROW, TFP_TABLE_##table)
#define MAYBE_IN(row, field, table) NUMBER(row, field, ROW_OR_NONE, TFP_TABLE_##table)
#define RANGE(row, first, count, table) NUMBER(row, first, RANGE, TFP_TABLE_##table), ANY(row, count)
#define WORDS(row, field, rule) { #field, offsetof(row, field), 0, TFP_RULE_##rule, 0, false, NULL }
#define END_OF_LIST { 0 }

static const tfp_schema_column columns_of_tfp_profile_about[] = {
    BELOW(tfp_profile_about, functions, 2), ANY(tfp_profile_about, has), ANY(tfp_profile_about, time_grain_ns), ANY(tfp_profile_about, inputs_warned),
    BELOW(tfp_profile_about, miss_accelerator_stream, 2), BELOW(tfp_profile_about, name_twice, 2),
    { "events.origin_unix_ns", offsetof(tfp_profile_about, origin_unix_ns), sizeof(int64_t), TFP_RULE_ANY, 0, false, NULL }, ANY(tfp_profile_about, sample_type), WORDS(tfp_profile_about, graph_file, TEXT_OR_NULL), END_OF_LIST
};
static const tfp_schema_column columns_of_tfp_warning[] = {
    WORDS(tfp_warning, what, TEXT), WORDS(tfp_warning, file, TEXT), WORDS(tfp_warning, first, TEXT_OR_NULL),
    ANY(tfp_warning, count), END_OF_LIST
};

/* ---- the model ---- */
static const tfp_schema_column columns_of_tfp_node[] = {
    STRING(tfp_node, name), STRING(tfp_node, op), STRING(tfp_node, device), STRING(tfp_node, host_device),
    STRING(tfp_node, graph_device), STRING(tfp_node, data_format), MAYBE_IN(tfp_node, shape, SHAPES),
    MAYBE_IN(tfp_node, trace, TRACES), MAYBE_IN(tfp_node, attrs, ATTRS), ANY(tfp_node, flags), ANY(tfp_node, id),
    ANY(tfp_node, float_ops), NUMBER(tfp_node, calls, NOT_NEGATIVE, 0), END_OF_LIST
};
static const tfp_schema_column columns_of_tfp_type[] = { STRING(tfp_type, name), END_OF_LIST
};
static const tfp_schema_column columns_of_tfp_input_edge[] = {
    ANY(tfp_input_edge, position), ANY(tfp_input_edge, output_index), MAYBE_IN(tfp_input_edge, node, NODES),
    STRING(tfp_input_edge, name), END_OF_LIST
};
static const tfp_schema_column columns_of_tfp_output[] = { ANY(tfp_output, slot), MAYBE_IN(tfp_output, shape, SHAPES), END_OF_LIST
};
static const tfp_schema_column columns_of_tfp_shape[] = { RANGE(tfp_shape, first, count, DIMS), BELOW(tfp_shape, scalar, 2), END_OF_LIST
};
static const tfp_schema_column columns_of_tfp_run_shape[] = {
    IN(tfp_run_shape, node, NODES), ANY(tfp_run_shape, slot), IN(tfp_run_shape, shape, SHAPES), END_OF_LIST
};
static const tfp_schema_column columns_of_tfp_instruction[] = {
    STRING(tfp_instruction, name), STRING(tfp_instruction, module), STRING(tfp_instruction, opcode), IN(tfp_instruction, node, NODES),
    ANY(tfp_instruction, runs), ANY(tfp_instruction, float_ops), ANY(tfp_instruction, macs),
    ANY(tfp_instruction, own_float_ops), ANY(tfp_instruction, own_macs), ANY(tfp_instruction, bytes),
    BELOW(tfp_instruction, inside, 2), BELOW(tfp_instruction, counted, 2), BELOW(tfp_instruction, trips_unknown, 2), END_OF_LIST
};
static const tfp_schema_column columns_of_tfp_code_frame[] = {
    STRING(tfp_code_frame, file), STRING(tfp_code_frame, function), STRING(tfp_code_frame, text),
    ANY(tfp_code_frame, line), ANY(tfp_code_frame, function_line), END_OF_LIST
};
static const tfp_schema_column columns_of_tfp_trace[] = { RANGE(tfp_trace, first, count, TRACE_FRAMES), END_OF_LIST
};

/* runs */
static const tfp_schema_column columns_of_tfp_step[] = { ANY(tfp_step, id), BELOW(tfp_step, listed, 2), ANY(tfp_step, exec_from), END_OF_LIST
};
static const tfp_schema_column columns_of_tfp_exec[] = {
    IN(tfp_exec, step, STEPS), ANY(tfp_exec, run_count), ANY(tfp_exec, start_ns), BESIDE(tfp_exec, end_ns),
    ANY(tfp_exec, cpu_ns), ANY(tfp_exec, accelerator_ns), ANY(tfp_exec, requested_bytes), ANY(tfp_exec, peak_bytes),
    ANY(tfp_exec, residual_bytes), ANY(tfp_exec, output_bytes), ANY(tfp_exec, float_ops), END_OF_LIST
};
static const tfp_schema_column columns_of_tfp_lane[] = {
    STRING(tfp_lane, name), BELOW(tfp_lane, kind, TFP_LANE_ACCELERATOR + 1), BELOW(tfp_lane, role, TFP_ROLE_COUNTER + 1),
    BELOW(tfp_lane, use, TFP_USE_MEMCPY + 1), STRING(tfp_lane, place), BELOW(tfp_lane, is_device, 2), ANY(tfp_lane, on),
    STRING(tfp_lane, label), STRING(tfp_lane, device), MAYBE_IN(tfp_lane, process, PROCESSES), END_OF_LIST
};
static const tfp_schema_column columns_of_tfp_span[] = {
    IN(tfp_span, lane, LANES), ANY(tfp_span, start_ns), ANY(tfp_span, duration_ns), END_OF_LIST
};
static const tfp_schema_column columns_of_tfp_run_transfer[] = {
    IN(tfp_run_transfer, step, STEPS), IN(tfp_run_transfer, lane, LANES), MAYBE_IN(tfp_run_transfer, node, NODES),
    STRING(tfp_run_transfer, kind), STRING(tfp_run_transfer, name), STRING(tfp_run_transfer, from),
    STRING(tfp_run_transfer, to), ANY(tfp_run_transfer, start_ns), ANY(tfp_run_transfer, duration_ns),
    ANY(tfp_run_transfer, bytes), END_OF_LIST
};
static const tfp_schema_column columns_of_tfp_memory[] = {
    ANY(tfp_memory, at_ns), ANY(tfp_memory, host_temp_bytes), ANY(tfp_memory, host_persistent_bytes),
    ANY(tfp_memory, accelerator_temp_bytes), ANY(tfp_memory, accelerator_persistent_bytes),
    ANY(tfp_memory, requested_bytes), ANY(tfp_memory, peak_bytes), ANY(tfp_memory, residual_bytes),
    ANY(tfp_memory, output_bytes), ANY(tfp_memory, allocator_bytes_in_use), END_OF_LIST
};
static const tfp_schema_column columns_of_tfp_buffer[] = { ANY(tfp_buffer, slot), ANY(tfp_buffer, bytes), ANY(tfp_buffer, address), END_OF_LIST
};
static const tfp_schema_column columns_of_tfp_allocation[] = { ANY(tfp_allocation, at_ns), ANY(tfp_allocation, bytes), END_OF_LIST
};

static const tfp_schema_column columns_of_tfp_sample_type[] = { STRING(tfp_sample_type, type), STRING(tfp_sample_type, unit), END_OF_LIST
};
static const tfp_schema_column columns_of_tfp_stack_sample[] = {
    MAYBE_IN(tfp_stack_sample, trace, TRACES), IN(tfp_stack_sample, type, SAMPLE_TYPES),
    MAYBE_IN(tfp_stack_sample, labels, STAT_SETS), NUMBER(tfp_stack_sample, value, NOT_NEGATIVE, 0), END_OF_LIST
};

/* events of traces */
static const tfp_schema_column columns_of_tfp_process[] = {
    STRING(tfp_process, host), STRING(tfp_process, name), ANY(tfp_process, pid), ANY(tfp_process, rank),
    ANY(tfp_process, rank_count), MAYBE_IN(tfp_process, source, SOURCES), ANY(tfp_process, clock_offset_ns),
    NUMBER(tfp_process, tolerance_ns, NOT_NEGATIVE, 0), BELOW(tfp_process, tasks, 2), BELOW(tfp_process, steps, TFP_STEPS_NONE + 1),
    NUMBER(tfp_process, work_ns, NOT_NEGATIVE, 0), NUMBER(tfp_process, work_in_steps_ns, NOT_NEGATIVE, 0),
    BELOW(tfp_process, work_of_devices, 2), ANY(tfp_process, part), END_OF_LIST
};
#define SPAN(field, rule, arg)                                                                                         \
    { #field, offsetof(tfp_span_columns, field), sizeof *((tfp_span_columns *)0)->field, TFP_RULE_##rule, (arg), false, NULL }
#define SPAN_BESIDE(field) { #field, offsetof(tfp_span_columns, field), sizeof *((tfp_span_columns *)0)->field, TFP_RULE_ANY, 0, true, NULL }
static const tfp_schema_column columns_of_tfp_span_columns[] = {
    SPAN(start_ns, ANY, 0), SPAN(duration_ns, NOT_NEGATIVE, 0), SPAN_BESIDE(self_ns), SPAN(lane, ROW, TFP_TABLE_LANES),
    SPAN(name, STRING, 0), SPAN(kind, BELOW, TFP_SPAN_OTHER + 1), SPAN(class, BELOW, TFP_CLASS_SET + 1),
    SPAN(marks, ANY, 0), SPAN(stats, ROW_OR_NONE, TFP_TABLE_STAT_SETS), SPAN(correlation, ANY, 0), SPAN(external, ANY, 0),
    SPAN(sequence, ANY, 0), SPAN(path, STRING, 0), SPAN(op, STRING, 0), SPAN(trace, ROW_OR_NONE, TFP_TABLE_TRACES),
    SPAN(parent, ROW_OR_NONE, TFP_TABLE_SPANS), SPAN(launch, ROW_OR_NONE, TFP_TABLE_SPANS),
    SPAN(owner, ROW_OR_NONE, TFP_TABLE_SPANS), SPAN(node, ROW_OR_NONE, TFP_TABLE_NODES),
    SPAN(step, ROW_OR_NONE, TFP_TABLE_STEPS), SPAN(attribution, ROW_OR_NONE, TFP_TABLE_ATTRIBUTIONS), END_OF_LIST
};
#define ONE_COLUMN(type, name, none) +1
_Static_assert(sizeof columns_of_tfp_span_columns / sizeof *columns_of_tfp_span_columns == 1 TFP_SPAN_IN_COLUMNS(ONE_COLUMN) TFP_SPAN_JOIN_COLUMNS(ONE_COLUMN),
               "each column of a span has its rule here");
static const tfp_schema_column columns_of_tfp_attribution[] = {
    STRING(tfp_attribution, module), STRING(tfp_attribution, op), STRING(tfp_attribution, line),
    MAYBE_IN(tfp_attribution, trace, TRACES), MAYBE_IN(tfp_attribution, call, CAPTURED_CALLS),
    MAYBE_IN(tfp_attribution, stats, STAT_SETS), BELOW(tfp_attribution, certainty, TFP_CERTAINTIES),
    BELOW(tfp_attribution, reason, TFP_NO_PLACES), BELOW(tfp_attribution, line_from, TFP_LINE_OF_INDUCTOR + 1), END_OF_LIST
};
static const tfp_schema_column columns_of_tfp_captured_call[] = {
    ANY(tfp_captured_call, float_ops), ANY(tfp_captured_call, macs), ANY(tfp_captured_call, bytes),
    MAYBE_IN(tfp_captured_call, span, SPANS), BELOW(tfp_captured_call, type, TFP_CALL_TYPES), BELOW(tfp_captured_call, state, TFP_CALL_STATES), END_OF_LIST
};
static const tfp_schema_column columns_of_tfp_flow[] = {
    IN(tfp_flow, from, SPANS), IN(tfp_flow, to, SPANS), BELOW(tfp_flow, kind, TFP_FLOW_OTHER + 1), END_OF_LIST
};
static const tfp_schema_column columns_of_tfp_stat[] = {
    STRING(tfp_stat, key), BELOW(tfp_stat, type, TFP_STAT_TEXT + 1), ANY(tfp_stat, value), END_OF_LIST
};
static const tfp_schema_column columns_of_tfp_stat_set[] = { RANGE(tfp_stat_set, first, count, STATS), END_OF_LIST
};
static const tfp_schema_column columns_of_tfp_memory_event[] = {
    ANY(tfp_memory_event, at_ns), ANY(tfp_memory_event, bytes), ANY(tfp_memory_event, allocated_bytes),
    ANY(tfp_memory_event, reserved_bytes), ANY(tfp_memory_event, address), IN(tfp_memory_event, lane, LANES),
    STRING(tfp_memory_event, device), MAYBE_IN(tfp_memory_event, span, SPANS), END_OF_LIST
};
static const tfp_schema_column columns_of_tfp_step_mark[] = {
    IN(tfp_step_mark, span, SPANS), BELOW(tfp_step_mark, source, TFP_STEPS_NAMED + 1), ANY(tfp_step_mark, number),
    STRING(tfp_step_mark, group), ANY(tfp_step_mark, run), ANY(tfp_step_mark, end_ns), ANY(tfp_step_mark, busy_ns), END_OF_LIST
};
static const tfp_schema_column columns_of_tfp_step_window[] = {
    IN(tfp_step_window, step, STEPS), IN(tfp_step_window, process, PROCESSES), STRING(tfp_step_window, device),
    ANY(tfp_step_window, start_ns), ANY(tfp_step_window, end_ns), END_OF_LIST
};

static const tfp_schema_column columns_of_tfp_doubt[] = {
    BELOW(tfp_doubt, kind, TFP_DOUBT_KINDS), IN(tfp_doubt, process, PROCESSES), MAYBE_IN(tfp_doubt, step, STEPS),
    STRING(tfp_doubt, name), ANY(tfp_doubt, count), ANY(tfp_doubt, of), ANY(tfp_doubt, ns), END_OF_LIST
};

static const tfp_schema_column columns_of_tfp_exec_detail[] = { END_OF_LIST };

/* the program */
static const tfp_schema_column columns_of_tfp_program[] = {
    BELOW(tfp_program, has_objects, 2), BELOW(tfp_program, saved_model, 2), BELOW(tfp_program, onnx, 2), END_OF_LIST
};
static const tfp_schema_column columns_of_tfp_program_attr[] = {
    STRING(tfp_program_attr, name), BELOW(tfp_program_attr, kind, TFP_ATTR_FUNCTION + 1), END_OF_LIST
};
static const tfp_schema_column columns_of_tfp_program_input[] = {
    STRING(tfp_program_input, source), STRING(tfp_program_input, output), ANY(tfp_program_input, index),
    BELOW(tfp_program_input, control, 2), END_OF_LIST
};
static const tfp_schema_column columns_of_tfp_program_node[] = {
    STRING(tfp_program_node, name), STRING(tfp_program_node, op),
    RANGE(tfp_program_node, input_first, input_count, PROGRAM_INPUTS),
    RANGE(tfp_program_node, attr_first, attr_count, PROGRAM_ATTRS), END_OF_LIST
};
static const tfp_schema_column columns_of_tfp_program_arg[] = {
    STRING(tfp_program_arg, name), ANY(tfp_program_arg, dtype), MAYBE_IN(tfp_program_arg, shape, SHAPES),
    ANY(tfp_program_arg, handle_dtype), MAYBE_IN(tfp_program_arg, handle_shape, SHAPES), END_OF_LIST
};
static const tfp_schema_column columns_of_tfp_program_result[] = {
    STRING(tfp_program_result, name), STRING(tfp_program_result, from.source), STRING(tfp_program_result, from.output),
    ANY(tfp_program_result, from.index), BELOW(tfp_program_result, from.control, 2), END_OF_LIST
};
static const tfp_schema_column columns_of_tfp_program_body[] = {
    STRING(tfp_program_body, name), RANGE(tfp_program_body, node_first, node_count, PROGRAM_NODES),
    RANGE(tfp_program_body, arg_first, arg_count, PROGRAM_ARGS),
    RANGE(tfp_program_body, result_first, result_count, PROGRAM_RESULTS),
    RANGE(tfp_program_body, attr_first, attr_count, PROGRAM_ATTRS),
    RANGE(tfp_program_body, control_first, control_count, PROGRAM_CONTROLS), END_OF_LIST
};
static const tfp_schema_column columns_of_tfp_program_variable[] = {
    STRING(tfp_program_variable, name), ANY(tfp_program_variable, dtype),
    MAYBE_IN(tfp_program_variable, shape, SHAPES), BELOW(tfp_program_variable, trainable, TFP_TRAINABLE_YES + 1), END_OF_LIST
};
static const tfp_schema_column columns_of_tfp_program_signature[] = {
    STRING(tfp_program_signature, key), STRING(tfp_program_signature, node),
    RANGE(tfp_program_signature, output_first, output_count, PROGRAM_OUTPUTS), END_OF_LIST
};


/* ---- tables ---- */

#define ALWAYS 0
#define ALONE { 0, 0, 0, 0, false }
#define CHAIN(owner, owner_row, prefix, row) \
    { TFP_TABLE_##owner, offsetof(owner_row, prefix##_first), offsetof(owner_row, prefix##_last), offsetof(row, next), true }
#define PART(part) __typeof__(*((tfp_profile *)0)->part)
#define PLACE(part, member) offsetof(tfp_profile, part), offsetof(PART(part), member)
#define COLUMNS(list) columns_of_##list, sizeof columns_of_##list / sizeof *columns_of_##list - 1

const tfp_schema_table tfp_schema_tables[TFP_TABLES] = {
#define ROWS(id, name, part, member, row, keep, chain, help) \
    { name, TFP_FORM_ROWS, PLACE(part, member), sizeof(row), COLUMNS(row), keep, chain, help },
#define LIST(id, name, part, row, keep, help) \
    { name, TFP_FORM_ROWS, PLACE(part, at), sizeof(row), COLUMNS(row), keep, ALONE, help },
#define VALUES(id, name, part, member, rule, arg, keep, help) \
    { name, TFP_FORM_ROWS, PLACE(part, member), sizeof *((PART(part) *)0)->member.at, COLUMNS(id), keep, ALONE, help },
#define ARRAYS(id, name, part, member, row, help) \
    { name, TFP_FORM_ARRAYS, PLACE(part, member), 0, COLUMNS(row), 0, ALONE, help },
#define ONE(id, name, part, row, help) \
    { name, TFP_FORM_ONE, offsetof(tfp_profile, part), 0, sizeof(row), COLUMNS(row), 0, ALONE, help },
#define MADE(id, name, type, rule, help) \
    { name, TFP_FORM_ROWS, TFP_PART_NONE, 0, sizeof(type), COLUMNS(id), 0, ALONE, help },
#include "schema/model.def"
};

typedef struct member {
    size_t part, at, item;
} member;
static const member working[] = {
#define WORKING(part, member) { PLACE(part, member), sizeof *((PART(part) *)0)->member.at },
#include "schema/model.def"
};
static const member maps[] = {
#define MAP(part, member) { PLACE(part, member), 12 }, /* a slot: its key and its value */
#include "schema/model.def"
};
/* clang-format on */

void *tfp_table_at(const tfp_schema_table *t, const tfp_profile *p)
{
    const char *home = (const char *)p;
    if (t->part == offsetof(tfp_profile, about)) return (char *)(uintptr_t)home + t->part;
    home = t->part == TFP_PART_NONE ? NULL : *(const char *const *)(const void *)(home + t->part);
    return home ? (char *)(uintptr_t)home + t->at : NULL;
}

bool tfp_table_is_of_program(const tfp_schema_table *t)
{
    return t->part == offsetof(tfp_profile, program) || t->part == TFP_PART_NONE;
}

size_t tfp_table_count(const tfp_schema_table *t, const void *at)
{
    if (!at) return 0;
    return t->form == TFP_FORM_ONE      ? 1
           : t->form == TFP_FORM_ARRAYS ? ((const tfp_span_columns *)at)->size
                                        : ((const tfp_rows *)at)->size;
}

size_t tfp_table_row_bytes(const tfp_schema_table *t)
{
    size_t item = t->item + (t->chain.there ? sizeof(uint32_t) : 0);
    for (size_t k = 0; t->form == TFP_FORM_ARRAYS && k < t->column_count; k++) item += t->columns[k].width;
    return item;
}

/* The pointer to the array of a column, in a table of arrays. */
static void **array_at(void *table, const tfp_schema_column *c) { return (void **)(void *)((char *)table + c->at); }

static void *member_at(const tfp_profile *p, const member *m)
{
    char *part = *(char *const *)(const void *)((const char *)p + m->part);
    return part ? part + m->at : NULL;
}

#define EACH(m, list)                                                                                                  \
    const member *m = list;                                                                                            \
    m < list + sizeof list / sizeof *list;                                                                             \
    m++

static size_t bytes_of_arrays(const tfp_schema_table *t, const tfp_span_columns *s)
{
    size_t bytes = 0;
    for (size_t k = 0; k < t->column_count; k++)
        if (*array_at((void *)(uintptr_t)s, &t->columns[k])) bytes += s->capacity * t->columns[k].width;
    return bytes;
}

size_t tfp_tables_memory(const tfp_profile *p)
{
    size_t bytes = 0;
    for (const tfp_schema_table *t = tfp_schema_tables; t < tfp_schema_tables + TFP_TABLES; t++) {
        const void *at = tfp_table_at(t, p);
        if (at && t->form == TFP_FORM_ROWS) bytes += ((const tfp_rows *)at)->size * t->item;
        if (at && t->form == TFP_FORM_ARRAYS) bytes += bytes_of_arrays(t, at);
    }
    for (EACH(m, working)) {
        const tfp_rows *rows = member_at(p, m);
        if (rows) bytes += rows->size * m->item;
    }
    for (EACH(m, maps)) {
        const tfp_map64 *map = member_at(p, m);
        if (map) bytes += map->slot_count * m->item;
    }
    return bytes;
}

void tfp_tables_clear(tfp_profile *p)
{
    for (const tfp_schema_table *t = tfp_schema_tables; t < tfp_schema_tables + TFP_TABLES; t++) {
        tfp_rows *rows = t->form == TFP_FORM_ROWS ? tfp_table_at(t, p) : NULL;
        if (rows) rows->size = 0;
    }
    for (EACH(m, working)) {
        tfp_rows *rows = member_at(p, m);
        if (rows) rows->size = 0;
    }
    for (EACH(m, maps)) {
        tfp_map64 *map = member_at(p, m);
        if (map) tfp_map64_clear(map);
    }
}

void tfp_tables_free(tfp_profile *p)
{
    for (const tfp_schema_table *t = tfp_schema_tables; t < tfp_schema_tables + TFP_TABLES; t++) {
        void *at = tfp_table_at(t, p);
        if (at && t->form == TFP_FORM_ROWS) tfp_vec_free((tfp_rows *)at);
        for (size_t k = 0; at && t->form == TFP_FORM_ARRAYS && k < t->column_count; k++)
            free(*array_at(at, &t->columns[k]));
    }
    for (EACH(m, working)) {
        tfp_rows *rows = member_at(p, m);
        if (rows) tfp_vec_free(rows);
    }
    for (EACH(m, maps)) {
        tfp_map64 *map = member_at(p, m);
        if (map) tfp_map64_free(map);
    }
}
