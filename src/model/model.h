// SPDX-License-Identifier: Apache-2.0
/* model/model.h: the one in-memory profile, whatever the framework.
 * Nodes, inputs, steps, executions (node x step), spans (what one execution did in which lane), memory, code, types.
 * Tables are growable arrays of plain rows; rows that belong to one owner are chained by index (`next`), in the order
 * in which they came. Strings are ids of one string table. Nothing here knows a file format or a view. */
#ifndef TFP_MODEL_H
#define TFP_MODEL_H

#include "model/types.h"
#include "model/events.h"
#include "model/files/allocator.h"
#include "model/files/collectives.h"
#include "model/files/flights.h"
#include "model/files/weights.h"
#include "model/recorded.h"

enum {
    TFP_NODE_INVENTED = 1, /* known only from run metadata */
    TFP_NODE_TRACED = 4,   /* made of events by the join */
    TFP_NODE_COVERED = 2   /* some run metadata had statistics for it when it was known already */
};

struct tfp_node {
    tfp_strid name, op;
    tfp_strid device; /* canonical: lower case, where it ran; 0 when it never did */
    tfp_strid host_device;
    tfp_strid graph_device;             /* as written in the graph */
    tfp_strid data_format;              /* attribute of convolutions and their kind; 0 when absent */
    uint32_t type_first, type_last;     /* -> types */
    uint32_t exec_first, exec_last;     /* -> execs */
    uint32_t input_first, input_last;   /* -> inputs, in order of position */
    uint32_t output_first, output_last; /* -> outputs, side by side in order of slots */
    uint32_t shape;                     /* -> shapes, the attribute `shape`; TFP_NONE when absent */
    uint32_t trace;                     /* -> traces; TFP_NONE when absent */
    uint32_t attrs;                     /* -> attrs, encoded; TFP_NONE when absent or not kept */
    uint32_t flags;
    int64_t id;
    int64_t float_ops; /* of one run */
    int64_t calls;     /* that were recorded without times, and made the node; else 0 */
};

typedef struct tfp_type { /* an extra op type: the op itself, user-defined ones, the device */
    tfp_strid name;
    uint32_t next;
} tfp_type;

struct tfp_input_edge {
    int32_t position;
    int32_t output_index; /* of the source */
    uint32_t node;        /* source; TFP_NONE when it is not in the profile */
    tfp_strid name;       /* of the source */
    uint32_t next;
};

typedef struct tfp_output {
    int32_t slot;
    uint32_t shape; /* -> shapes */
    uint32_t next;
} tfp_output;

typedef struct tfp_shape {
    uint32_t first, count; /* -> dims; a known scalar has the one dim 1 and `scalar` set; unknown rank has none */
    bool scalar;
} tfp_shape;

typedef struct tfp_run_shape { /* shape of an output at run time, when all runs agree */
    uint32_t node;
    int32_t slot;
    uint32_t shape; /* -> shapes; a dim of -1 differed, without dims the rank did */
} tfp_run_shape;

typedef struct tfp_step {
    int64_t id;
    bool listed;        /* may be asked for by -step */
    uint32_t exec_from; /* number of executions when it was added: all of its own come later */
} tfp_step;

struct tfp_exec { /* one node in one step, all its runs together */
    uint32_t step;        /* -> steps */
    uint32_t next;        /* the same node's next step */
    int64_t run_count;
    int64_t start_ns, end_ns;       /* earliest start, latest end; 0 when it has no time */
    int64_t cpu_ns, accelerator_ns; /* sums over its spans in lanes of that kind */
    int64_t requested_bytes, peak_bytes, residual_bytes, output_bytes; /* sums over its runs */
    int64_t float_ops; /* of traces: sum over its spans; 0: none was recorded */
};

struct tfp_exec_detail {        /* of the execution with the same number; kept with TFP_KEEP_MEMORY only */
    uint32_t span_first, span_last;     /* -> spans */
    uint32_t memory_first, memory_last; /* -> memories */
    uint32_t alloc_first, alloc_last;   /* -> allocations */
};

typedef struct tfp_span {
    uint32_t lane; /* -> lanes */
    uint32_t next;
    int64_t start_ns, duration_ns;
} tfp_span;

/* A copy, or a tensor that went from one device to another, as RunMetadata tells it; kept with TFP_KEEP_MEMORY only. */
struct tfp_run_transfer {
    uint32_t step, lane;  /* -> steps; lanes: where it was recorded, of a tensor that was sent the receiver */
    uint32_t node;        /* -> nodes: the op that received it; TFP_NONE: the runtime's own entry */
    tfp_strid kind, name; /* "RecvTensor", "MEMCPYHtoD"; the tensor or node */
    tfp_strid from, to;   /* devices, as tfp_lane.place names them; 0 of copies */
    int64_t start_ns, duration_ns, bytes; /* bytes: -1 when not told */
};

struct tfp_memory { /* one run's memory */
    uint32_t next;
    uint32_t buffer_first, buffer_last; /* -> buffers */
    int64_t at_ns;
    int64_t host_temp_bytes, host_persistent_bytes, accelerator_temp_bytes, accelerator_persistent_bytes;
    int64_t requested_bytes, peak_bytes, residual_bytes, output_bytes, allocator_bytes_in_use;
};

typedef struct tfp_buffer { /* one output of one run */
    int32_t slot;
    uint32_t next;
    int64_t bytes;
    uint64_t address;
} tfp_buffer;

typedef struct tfp_allocation {
    int64_t at_ns, bytes; /* negative: freed */
    uint32_t next;
} tfp_allocation;

struct tfp_code_frame {
    tfp_strid file, function, text; /* text: the source line, 0 when not recorded */
    int32_t line, function_line;
};

typedef struct tfp_trace { /* outermost frame first; equal traces are one */
    uint32_t first, count; /* -> trace_frames -> frames */
} tfp_trace;

/* Things that were dropped, clamped or guessed; the same one once per file, with a count. */
typedef struct tfp_warning {
    const char *what;   /* "inputs that name no node" */
    char *file, *first; /* the first example, may be NULL */
    size_t count, told; /* told: the count in `line` */
    char *line;         /* as told, made by tfp_profile_finish */
} tfp_warning;

/* An instruction of a compiled program (HLO), whose file tells all shapes, or calls of an operator that were recorded
 * without times; kept with TFP_KEEP_PROGRAM only. */
struct tfp_instruction {
    tfp_strid name, module;
    tfp_strid opcode; /* of HLO: "dot", "fusion(dot)" by what computes most inside; 0 of others */
    uint32_t node;    /* -> nodes: its place in the model */
    int64_t runs;     /* in one run of the module: iterations; 0 in a branch that is not the most expensive one */
    int64_t float_ops, macs; /* of one execution with the computations that it calls, unless these run by themselves */
    int64_t own_float_ops, own_macs; /* of one execution without instructions that are nodes too */
    int64_t bytes;                   /* that it reads and writes; -1 unknown */
    bool inside;                     /* of a fusion, which counts it */
    bool counted;                    /* its operation has a rule and all shapes for it */
    bool trips_unknown;              /* a loop with an unknown number of iterations: its body counts once */
};

/* A kind of number that a sampling profiler counted, such as "cpu" in "nanoseconds". */
typedef struct tfp_sample_type {
    tfp_strid type, unit;
} tfp_sample_type;
struct tfp_stack_sample {
    uint32_t trace;  /* -> traces: the stack that was found; TFP_NONE: none */
    uint32_t type;   /* -> sample_types; a sample of several types has a row for each */
    uint32_t labels; /* -> events.stat_sets, TFP_NONE */
    int64_t value;   /* not negative */
};

struct tfp_profile {
    tfp_arena arena;
    tfp_strtab strings;
    TFP_VEC(tfp_node) nodes;
    TFP_VEC(tfp_type) types;
    TFP_VEC(tfp_input_edge) inputs;
    TFP_VEC(tfp_output) outputs;
    TFP_VEC(tfp_shape) shapes;
    TFP_VEC(int64_t) dims;
    TFP_VEC(tfp_run_shape) run_shapes;     /* kept with TFP_KEEP_PROGRAM only */
    TFP_VEC(tfp_instruction) instructions; /* of HLO modules that are files of their own */
    TFP_VEC(tfp_step) steps;
    TFP_VEC(uint32_t) step_order; /* the listed steps by ascending id; made by tfp_build_finish */
    TFP_VEC(tfp_exec) execs;
    TFP_VEC(tfp_exec_detail) details; /* of the first execs, or of none */
    TFP_VEC(tfp_lane) lanes;
    TFP_VEC(tfp_span) spans;
    TFP_VEC(tfp_run_transfer) run_transfers;
    tfp_event_tables events;
    tfp_recorded_tables recorded;
    tfp_allocator_tables allocator;
    tfp_flight_tables flights;
    TFP_VEC(tfp_weight) weights;
    TFP_VEC(tfp_timed_collective) timed;
    TFP_VEC(tfp_memory) memories;
    TFP_VEC(tfp_buffer) buffers;
    TFP_VEC(tfp_allocation) allocations;
    TFP_VEC(tfp_code_frame) frames;
    TFP_VEC(uint32_t) trace_frames;
    TFP_VEC(tfp_trace) traces;
    TFP_VEC(tfp_sample_type) sample_types; /* of sampled stacks */
    TFP_VEC(tfp_stack_sample) samples;
    uint32_t sample_type;   /* -> sample_types: the one that the last file shows unless asked for another */
    TFP_VEC(tfp_str) attrs; /* encoded repeated NodeDef.attr / ProfileNode.attrs entries, in the arena */
    TFP_VEC(int64_t)
    run_output_bytes;         /* per exec: sum of requested bytes of all outputs (`bytes` with -compat 1.0);
                                          empty when only a ProfileProto was read */
    TFP_VEC(double) coverage; /* one per run_meta */
    TFP_VEC(tfp_warning) warnings;
    char *graph_file;               /* the last one that brought inputs, for warnings about them; may be NULL */
    TFP_VEC(char *) sources;        /* names of the files added */
    TFP_VEC(const char *) formats;  /* of each: the name of its format; NULL: a folder, or not known yet */
    TFP_VEC(uint32_t) node_by_name; /* by strid: its node, or TFP_NONE; shorter than the string table */
    tfp_map64 types_by_node;        /* node << 32 | type -> 0: the types of nodes that have very many */
    tfp_map64 run_shape_by_output;  /* node << 32 | slot -> run_shapes */
    tfp_map64 step_by_id;           /* id -> steps */
    tfp_map64 exec_by_step;         /* tfp_exec_key -> execs; made when a file does not come step by step */
    size_t execs_indexed;           /* of the first of them; all, or the table is made anew */
    tfp_map64 lane_by_name;         /* strid -> lanes */
    tfp_map64 frame_by_hash, trace_by_hash;
    tfp_checkpoint *checkpoint; /* NULL when none was added */
    void (*checkpoint_free)(tfp_checkpoint *c);
    tfp_program *program; /* of the graphs; NULL when it was not kept, or no graph was added */
    tfp_progress_fn progress;
    void *progress_ctx;
    size_t adding; /* of files that are added together: which one */
    unsigned keep;
    tfp_step_choice kept;  /* with TFP_KEEP_TOTAL */
    uint64_t stored;       /* bytes of all inputs, as they were given */
    size_t inputs_warned;  /* of the inputs before this one it was said that they name no node */
    int64_t time_grain_ns; /* what times are multiples of: 1,000 in files of whole microseconds, else 1 */
    int64_t next_step;     /* of the next run_meta, if has_next_step */
    bool has_next_step;
    unsigned has; /* bits 1 << tfp_content: what the files said, completed by tfp_build_finish */
    bool miss_accelerator_stream;
    bool name_twice; /* two nodes of one name were built */
    bool finished;
    bool functions; /* nodes of functions are among the nodes: TFP_KEEP_FUNCTIONS */
    bool reopened;  /* read from a file of tables (store/), which are finished; nothing but a checkpoint is added */
    bool finished_before; /* what comes now is the next state of a growing model: a graph again, with more nodes */
};

/* Files that come now leave sums in place of the spans of a trace. */
static inline bool tfp_keeps_sums(const tfp_profile *p)
{
    return (p->keep & (TFP_KEEP_SUMS | TFP_KEEP_MEMORY | TFP_KEEP_PROGRAM)) == TFP_KEEP_SUMS || p->keep & TFP_KEEP_ROWS;
}
/* Spans of a trace were left out. */
static inline bool tfp_only_sums(const tfp_profile *p) { return p->events.slims.size > 0; }
/* Rows of steps are added up together, those of the choice `kept` apart: nothing is known of other ones. */
static inline bool tfp_only_total(const tfp_profile *p) { return tfp_only_sums(p) && p->keep & TFP_KEEP_TOTAL; }
static inline tfp_status tfp_no_spans(tfp_error *err)
{
    return tfp_fail(err, TFP_BADARG, "the profile was read without spans (TFP_KEEP_SUMS or TFP_KEEP_ROWS)");
}

static inline bool tfp_has(const tfp_profile *p, tfp_content what) { return p->has >> what & 1; }

/* Memory limit of a new profile, before the size of its first file is known. */
#define TFP_MEMORY_LEAST ((size_t)160 << 20)

static inline tfp_str tfp_text(const tfp_profile *p, tfp_strid id) { return p->strings.strings[id]; }
static inline uint32_t tfp_named_node(const tfp_profile *p, tfp_strid name) /* TFP_NONE when absent */
{
    return name < p->node_by_name.size ? p->node_by_name.at[name] : TFP_NONE;
}
uint32_t tfp_find_node(const tfp_profile *p, tfp_str name);  /* TFP_NONE when absent */
bool tfp_ran_any(const tfp_profile *p);                      /* whether a node ran in some step */
bool tfp_has_format(const tfp_profile *p, const char *name); /* whether one of its files is of this format */
const char *tfp_first_source(const tfp_profile *p);          /* the file to name when something is not in the profile */
const char *tfp_source_of_graph(const tfp_profile *p);       /* the same for what only the graph has */

/* Whether the profile has only snapshots of PyTorch's allocator dumps of its flight recorder, or lines of NCCL's inspector: no graph, trace or samples. */
static inline bool tfp_only_allocator(const tfp_profile *p)
{
    return (p->allocator.devices.size || p->flights.dumps.size || p->timed.size) && !p->nodes.size && !p->events.processes.size && !p->samples.size;
}

/* Its operations come from an execution trace, which counts their calls. */
static inline bool tfp_counts_calls(const tfp_profile *p) { return p->nodes.size && p->nodes.at[0].calls; }

/* It has what TensorFlow's tool could not read: a trace, sampled stacks, an HLO module, an execution trace. */
static inline bool tfp_is_beyond_tensorflow(const tfp_profile *p)
{
    return tfp_has(p, TFP_HAS_TRACE) || p->samples.size || p->instructions.size || p->recorded.ops.size ||
           tfp_counts_calls(p) || tfp_has_format(p, "hlo");
}

static inline uint64_t tfp_exec_key(uint32_t node, uint32_t step) { return (uint64_t)node << 32 | step; }
uint32_t tfp_find_step(const tfp_profile *p, int64_t id); /* TFP_NONE when absent */
/* The shape that an output had when it ran (-> shapes), TFP_NONE when it was not recorded. */
uint32_t tfp_run_shape_of(const tfp_profile *p, uint32_t node, uint32_t slot);

/* Lanes in the order of their names: `order` holds them, `rank` the place of each. */
bool tfp_rank_lanes(const tfp_profile *p, uint32_t *order, uint32_t *rank); /* false without memory */

const tfp_exec_detail *tfp_detail(const tfp_profile *p, uint32_t exec); /* one with empty chains when it was not kept */

#define TFP_EACH(table, index, first, p)                                                                               \
    uint32_t index = (first);                                                                                          \
    index != TFP_NONE;                                                                                                 \
    index = (p)->table.at[index].next

/* The values of a node's columns at a step, as the mean over the steps with statistics of the node, or as the sum
 * over all steps. */
struct tfp_node_stats {
    int64_t run_count, total_ns, accelerator_ns, cpu_ns; /* of a mean: whole multiples of the profile's time_grain_ns */
    int64_t requested_bytes, peak_bytes, residual_bytes, output_bytes;
    int64_t float_ops;
};
void tfp_node_stats_at(const tfp_profile *p, uint32_t node, tfp_step_choice step, tfp_node_stats *out);
/* When the node first started in these steps; INT64_MAX when it has no time in them. */
int64_t tfp_node_first_ns(const tfp_profile *p, uint32_t node, tfp_step_choice step);
void tfp_exec_stats_at(const tfp_profile *p, uint32_t node, uint32_t exec,
                       tfp_node_stats *out);                                /* of one of its steps */
uint32_t tfp_node_exec(const tfp_profile *p, uint32_t node, uint32_t step); /* -> execs, TFP_NONE */
int64_t tfp_node_parameters(const tfp_profile *p, uint32_t node,
                            bool *clamped); /* product of the shape; 0 if unknown */
/* The shape of the source's output that feeds this input; TFP_NONE when unknown. */
uint32_t tfp_input_shape(const tfp_profile *p, const tfp_input_edge *e);

#endif
