// SPDX-License-Identifier: Apache-2.0
/* sql/tables.c: the tables and columns of queries; docs/query.md shows them, and so does the table `columns`. */
#include "model/tables/code.h"
#include "model/tables/details.h"
#include "model/tables/devices.h"
#include "model/tables/events.h"
#include "model/tables/graph.h"
#include "model/tables/lanes.h"
#include "model/tables/processes.h"
#include "model/tables/profile.h"
#include "model/tables/runs.h"
#include "sql/cells.h"
#include "sql/grids.h"

#define KEY(name, help)                                                                                                \
    {                                                                                                                  \
        name, 'i', SQL_KEY, 0, 0, NULL, help                                                                           \
    }
#define OWNER(name, table, help)                                                                                       \
    {                                                                                                                  \
        name, 'i', SQL_OWNER, 0, table, NULL, help                                                                     \
    }
#define INT(name, field, help)                                                                                         \
    {                                                                                                                  \
        name, 'i', SQL_INT64, offsetof(ROW, field), 0, NULL, help                                                      \
    }
#define MICROS(name, field, help)                                                                                      \
    {                                                                                                                  \
        name, 'i', SQL_MICROS, offsetof(ROW, field), 0, NULL, help                                                     \
    }
#define SMALL(name, field, help)                                                                                       \
    {                                                                                                                  \
        name, 'i', SQL_INT32, offsetof(ROW, field), 0, NULL, help                                                      \
    }
#define INDEX(name, field, table, help)                                                                                \
    {                                                                                                                  \
        name, 'i', SQL_INDEX, offsetof(ROW, field), table, NULL, help                                                  \
    }
#define TEXT(name, field, help)                                                                                        \
    {                                                                                                                  \
        name, 's', SQL_TEXT, offsetof(ROW, field), 0, NULL, help                                                       \
    }
#define MADE(name, type, make, help)                                                                                   \
    {                                                                                                                  \
        name, type, SQL_MADE, 0, 0, sql_##make, help                                                                   \
    }
#define PROFILE                                                                                                        \
    {                                                                                                                  \
        "profile", 's', SQL_PROFILE, 0, 0, NULL, "the profile it is in: the file's name"                               \
    }
#define NODE OWNER("node", SQL_NODES, "-> nodes")
#define EXECUTION OWNER("execution", SQL_EXECUTIONS, "-> executions")
#define END                                                                                                            \
    {                                                                                                                  \
        NULL, 0, 0, 0, 0, NULL, NULL                                                                                   \
    }

/* clang-format off */
static const sql_column profiles[] = {
    PROFILE,
    MADE("nodes",      'i', profile_nodes,      "how many it has"),
    MADE("steps",      'i', profile_steps,      "how many it has"),
    MADE("executions", 'i', profile_executions, "how many it has"),
    END
};

#define ROW tfp_node
static const sql_column nodes[] = {
    KEY("node", "number, one for each node of all profiles"),
    PROFILE,
    TEXT("name",         name,         "full name, with its scopes"),
    TEXT("op",           op,           "operation type"),
    TEXT("device",       device,       "where it ran, NULL if it never did"),
    TEXT("host_device",  host_device,  "the host of that device"),
    TEXT("graph_device", graph_device, "device that the graph asks for"),
    TEXT("data_format",  data_format,  "of convolutions and their kind"),
    MADE("shape",        's', node_shape,        "of a variable, as 3x3x16"),
    MADE("input_shapes", 's', node_input_shapes, "as 0:32x10|1:unknown"),
    MADE("parameters",   'i', node_parameters,   "elements of a variable"),
    INT("float_ops",     float_ops,    "of one run"),
    INDEX("trace",       trace, SQL_TRACES, "-> traces, code: where it was made"),
    MADE("invented",     'i', node_invented,     "1: the graph does not have it, only runs do"),
    END
};
#undef ROW

#define ROW tfp_type
static const sql_column types[] = {
    KEY("type", "number"), PROFILE, NODE,
    TEXT("name", name, "a type of the node: its operation, device, or a user's"),
    END
};
#undef ROW

#define ROW tfp_input_edge
static const sql_column edges[] = {
    KEY("edge", "number"), PROFILE,
    OWNER("node", SQL_NODES, "-> nodes: who takes it"),
    SMALL("position",      position,     "which input of the node it is"),
    INDEX("source",        node, SQL_NODES, "-> nodes: where it comes from, NULL if the profile does not have it"),
    TEXT("source_name",    name,         "the source's name"),
    SMALL("source_output", output_index, "which output of the source it is"),
    MADE("shape", 's', edge_shape, "of the tensor, as 32x10, NULL if unknown"),
    END
};
#undef ROW

#define ROW tfp_output
static const sql_column outputs[] = {
    KEY("output", "number"), PROFILE, NODE,
    SMALL("slot", slot, "which output of the node it is"),
    MADE("shape", 's', output_shape, "as 32x10, NULL if unknown"),
    END
};
#undef ROW

#define ROW tfp_step
static const sql_column steps[] = {
    PROFILE,
    INT("step", id, "number, as -step takes it"),
    MADE("listed", 'i', step_listed, "1: -step can ask for it"),
    END
};
#undef ROW

#define ROW tfp_exec
static const sql_column executions[] = {
    KEY("execution", "number: one node in one step, all its runs together"),
    PROFILE, NODE,
    MADE("step", 'i', exec_step, "number of the step"),
    MADE("runs", 'i', exec_runs, "how often it ran"),
    MICROS("start_us",        start_ns,        "earliest start"),
    MICROS("end_us",          end_ns,          "latest end"),
    MADE("run_us", 'i', exec_run_us, "time it took: accelerator plus CPU"),
    MICROS("accelerator_us",  accelerator_ns,  "time on accelerators"),
    MICROS("cpu_us",          cpu_ns,          "time on the host"),
    MADE("float_ops", 'i', exec_float_ops, "of all its runs"),
    INT("requested_bytes", requested_bytes, "memory asked for"),
    INT("peak_bytes",      peak_bytes,      "most memory held at once"),
    INT("residual_bytes",  residual_bytes,  "memory held when it was done"),
    INT("output_bytes",    output_bytes,    "memory of its outputs"),
    END
};
#undef ROW

/* Spans of executions (TensorFlow's files) come first, then those of traces: see span_cells.c. */
static const sql_column spans[] = {
    KEY("span", "number: one event in one lane"),
    PROFILE,
    MADE("execution",   'i', span_execution,   "-> executions"),
    MADE("node",        'i', span_node,        "-> nodes"),
    MADE("step",        'i', span_step,        "number of the step"),
    MADE("lane",        's', span_lane,        "device, a stream of one, or a thread"),
    MADE("kind",        's', span_kind,        "kind of the lane: cpu, accelerator or other; of traces: op, call, annotation, module, frame, step, activity or other"),
    MADE("start_us",    'i', span_start_us,    "start"),
    MADE("duration_us", 'i', span_duration_us, "time it took"),
    MADE("name",        's', span_name,        "of the node, or as the trace has it"),
    MADE("class",       's', span_class,       "of activities: compute, communication, copy or set"),
    MADE("start_ns",    'i', span_start_ns,    "start in nanoseconds"),
    MADE("duration_ns", 'i', span_duration_ns, "time it took in nanoseconds"),
    MADE("self_ns",     'i', span_self_ns,     "of host ops and activities: its time without those inside it, in nanoseconds"),
    MADE("parent",      'i', span_parent,      "-> spans: the op, annotation or module around it"),
    MADE("launch",      'i', span_launch,      "-> spans: of an activity the API call that launched it"),
    MADE("owner",       'i', span_owner,       "-> spans: of an activity the op that launched it"),
    MADE("lane_number", 'i', span_lane_number, "-> lanes"),
    MADE("trace",       'i', span_trace,       "-> traces, code: the call stack that the trace has of it"),
    END
};

#define ROW tfp_memory
static const sql_column memory[] = {
    KEY("memory", "number: the memory of one run"),
    PROFILE, EXECUTION,
    MADE("node", 'i', memory_node, "-> nodes"),
    MADE("step", 'i', memory_step, "number of the step"),
    MICROS("at_us", at_ns, "when"),
    INT("requested_bytes", requested_bytes, "memory asked for"),
    INT("peak_bytes", peak_bytes, "most memory held at once"),
    INT("residual_bytes", residual_bytes, "memory held when it was done"),
    INT("output_bytes", output_bytes, "memory of its outputs"),
    INT("host_temp_bytes", host_temp_bytes, "temporary, on the host"),
    INT("host_persistent_bytes", host_persistent_bytes, "kept, on the host"),
    INT("accelerator_temp_bytes", accelerator_temp_bytes, "temporary, on an accelerator"),
    INT("accelerator_persistent_bytes", accelerator_persistent_bytes, "kept, on an accelerator"),
    INT("allocator_bytes_in_use", allocator_bytes_in_use, "held by the whole allocator then"),
    END
};
#undef ROW

#define ROW tfp_buffer
static const sql_column buffers[] = {
    KEY("buffer", "number: one output of one run"),
    PROFILE,
    OWNER("memory", SQL_MEMORY, "-> memory"),
    SMALL("slot", slot, "which output of the node it is"),
    INT("bytes", bytes, "its size"),
    MADE("address", 's', buffer_address, "its address, as 0x7f00"),
    END
};
#undef ROW

#define ROW tfp_allocation
static const sql_column allocations[] = {
    KEY("allocation", "number"),
    PROFILE, EXECUTION,
    MADE("node", 'i', allocation_node, "-> nodes"),
    MADE("step", 'i', allocation_step, "number of the step"),
    MICROS("at_us", at_ns, "when"),
    INT("bytes", bytes, "how much; negative: freed"),
    END
};
#undef ROW

#define ROW tfp_trace
static const sql_column traces[] = {
    KEY("trace", "number of a call stack: lines of code, each called by the one before; nodes made by the same stack have the same number"),
    PROFILE,
    SMALL("lines", count, "how many it has"),
    END
};
#undef ROW

static const sql_column code[] = {
    PROFILE,
    OWNER("trace", SQL_TRACES, "-> traces, nodes.trace"),
    MADE("position",      'i', code_position,      "0 is the outermost"),
    MADE("file",          's', code_file,          "source file"),
    MADE("line",          'i', code_line,          "line that was running"),
    MADE("function",      's', code_function,      "function that contains it"),
    MADE("function_line", 'i', code_function_line, "first line of that function"),
    MADE("text",          's', code_text,          "source text of the line, NULL when not recorded"),
    END
};

#define ROW tfp_process
static const sql_column processes[] = {
    KEY("process", "number: one process of a trace"),
    PROFILE,
    MADE("rank",  'i', process_rank,  "of the job, NULL if it has none"),
    MADE("ranks", 'i', process_ranks, "how many the job has, NULL if the file does not say"),
    INT("pid", pid, "process number of the operating system"),
    TEXT("host", host, "machine"),
    TEXT("name", name, "as the trace has it"),
    MADE("file",  's', process_file,  "where it was read from"),
    INT("clock_offset_ns", clock_offset_ns, "what is added to its times to compare them with those of other processes"),
    END
};
#undef ROW

#define ROW tfp_lane
static const sql_column lanes[] = {
    KEY("lane_number", "number: a device, a stream of one, or a host thread"),
    PROFILE,
    INDEX("process", process, SQL_PROCESSES, "-> processes, NULL for devices of TensorFlow's files"),
    TEXT("lane",   name,   "its name, as in spans"),
    TEXT("device", device, "of traces: as gpu:0 or cpu"),
    MADE("role",   's', lane_role, "of traces: thread, stream, async, derived or counter"),
    TEXT("label",  label,  "what the file calls it"),
    END
};
#undef ROW

static const sql_column span_args[] = {
    PROFILE,
    MADE("span",  'i', arg_span,  "-> spans: of a trace"),
    MADE("key",   's', arg_key,   "name of the argument, as the trace has it"),
    MADE("value", 'v', arg_value, "a number or a text; lists are texts as JSON"),
    END
};

#define ROW tfp_counter_sample
static const sql_column counters[] = {
    KEY("counter", "number: one sample"),
    PROFILE,
    INDEX("process", process, SQL_PROCESSES, "-> processes"),
    TEXT("name",   name,   "the counter"),
    TEXT("series", series, "which of its values"),
    INT("at_ns",   at_ns,  "when, in nanoseconds"),
    MADE("value", 'r', counter_value, "the value"),
    END
};
#undef ROW

static const sql_column columns[] = {
    MADE("table_name", 's', columns_table, "the table"),
    MADE("name", 's', columns_name,  "the column"),
    MADE("type", 's', columns_type,  "integer, real, text or any"),
    MADE("help", 's', columns_help,  "what it holds; times are microseconds (*_ns: nanoseconds), sizes bytes; -> names a table"),
    END
};

#define IN(tables, name, vector) offsetof(struct tfp_profile, name), offsetof(tables, vector), sizeof(((tables *)0)->vector.at[0])
#define IN_PROFILE(list) offsetof(struct tfp_profile, list), 0, sizeof(((struct tfp_profile *)0)->list->at[0])
#define ALONE -1, 0, 0, 0, 0, 0
#define CHAINED(owner, tables, name, heads, head, next) owner, IN(tables, name, heads), head, next
const sql_table sql_tables[SQL_TABLE_COUNT] = {
    [SQL_PROFILES]    = { "profiles",    0, 0, 0, ALONE, false, "the files", profiles },
    [SQL_NODES]       = { "nodes",       IN(tfp_node_tables, graph, nodes), ALONE, false, "the nodes of the graph", nodes },
    [SQL_TYPES]       = { "types",       IN(tfp_node_tables, graph, types), CHAINED(SQL_NODES, tfp_node_tables, graph, nodes, offsetof(tfp_node, type_first), offsetof(tfp_type, next)), false, "the types of nodes; a node may have several", types },
    [SQL_EDGES]       = { "edges",       IN(tfp_node_tables, graph, inputs), CHAINED(SQL_NODES, tfp_node_tables, graph, nodes, offsetof(tfp_node, input_first), offsetof(tfp_input_edge, next)), false, "which node takes which output of which node", edges },
    [SQL_OUTPUTS]     = { "outputs",     IN(tfp_node_tables, graph, outputs), CHAINED(SQL_NODES, tfp_node_tables, graph, nodes, offsetof(tfp_node, output_first), offsetof(tfp_output, next)), false, "the shapes of the nodes' outputs", outputs },
    [SQL_STEPS]       = { "steps",       IN(tfp_run_tables, runs, steps), ALONE, false, "the steps that were recorded", steps },
    [SQL_EXECUTIONS]  = { "executions",  IN(tfp_run_tables, runs, execs), CHAINED(SQL_NODES, tfp_node_tables, graph, nodes, offsetof(tfp_node, exec_first), offsetof(tfp_exec, next)), false, "a row for each node and step in which it ran", executions },
    [SQL_SPANS]       = { "spans",       IN(tfp_detail_tables, detail, spans), CHAINED(SQL_EXECUTIONS, tfp_detail_tables, detail, details, offsetof(tfp_exec_detail, span_first), offsetof(tfp_span, next)), true, "what ran where and when: executions, and the events of traces", spans },
    [SQL_MEMORY]      = { "memory",      IN(tfp_detail_tables, detail, memories), CHAINED(SQL_EXECUTIONS, tfp_detail_tables, detail, details, offsetof(tfp_exec_detail, memory_first), offsetof(tfp_memory, next)), true, "the memory of each run", memory },
    [SQL_BUFFERS]     = { "buffers",     IN(tfp_detail_tables, detail, buffers), CHAINED(SQL_MEMORY, tfp_detail_tables, detail, memories, offsetof(tfp_memory, buffer_first), offsetof(tfp_buffer, next)), true, "the outputs of each run", buffers },
    [SQL_ALLOCATIONS] = { "allocations", IN(tfp_detail_tables, detail, allocations), CHAINED(SQL_EXECUTIONS, tfp_detail_tables, detail, details, offsetof(tfp_exec_detail, alloc_first), offsetof(tfp_allocation, next)), true, "allocations and frees, in order", allocations },
    [SQL_TRACES]      = { "traces",      IN(tfp_code_tables, code, traces), ALONE, false, "how nodes were made", traces },
    [SQL_CODE]        = { "code",        IN(tfp_code_tables, code, trace_frames), CHAINED(SQL_TRACES, tfp_code_tables, code, traces, offsetof(tfp_trace, first), SQL_RANGE), false, "the lines of code that made nodes", code },
    [SQL_PROCESSES]   = { "processes",   IN(tfp_event_tables, events, processes), ALONE, false, "the processes of traces", processes },
    [SQL_LANES]       = { "lanes",       IN_PROFILE(lanes), ALONE, false, "devices, streams and threads", lanes },
    [SQL_SPAN_ARGS]   = { "span_args",   0, 0, 0, ALONE, false, "the arguments of spans in traces", span_args },
    [SQL_COUNTERS]    = { "counters",    IN(tfp_event_tables, events, counters), ALONE, false, "counters over time", counters },
    [SQL_COLUMNS]     = { "columns",     0, 0, 0, ALONE, false, "all tables and their columns", columns },
};
/* clang-format on */

enum part { TABLE, NAME, TYPE, HELP };

/* A part of column `at`, numbered through all tables, those of grids.c last. */
static const char *part_of(uint32_t at, enum part part)
{
    const char *table = "";
    tfp_table_column more = { .name = "", .help = "" };
    for (const sql_table *t = sql_tables; t < sql_tables + SQL_TABLE_COUNT; t++)
        for (const sql_column *c = t->columns; c->name; c++)
            if (!at--) return (const char *[]){ t->name, c->name, sql_type_name(c->type), c->help }[part];
    sql_grid_column_at(at, &table, &more);
    return (const char *[]){ table, more.name, sql_type_name((char)more.type), more.help }[part];
}

void sql_columns_table(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    (void)b;
    sql_put_text(out, part_of(row->at, TABLE));
}

void sql_columns_name(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    (void)b;
    sql_put_text(out, part_of(row->at, NAME));
}

void sql_columns_type(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    (void)b;
    sql_put_text(out, part_of(row->at, TYPE));
}

void sql_columns_help(const sql_row *row, tfp_buf *b, sql_cell *out)
{
    (void)b;
    sql_put_text(out, part_of(row->at, HELP));
}
