// SPDX-License-Identifier: Apache-2.0
/* model/events.h: what a trace of events holds: processes, lanes, spans, steps, flows, counters, allocations.
 * Readers make two kinds of calls (at the end of this file): an event and a link. After the last file the join
 * (model/join/join.c) nests the spans of each lane, finds launches, steps and nodes, and sums executions.
 * What each number means is written in docs/traces.md. Times are nanoseconds. Knows no file format. */
#ifndef TFP_EVENTS_H
#define TFP_EVENTS_H

#include "model/lanes.h"
#include "model/graphs.h"
#include "model/slim.h"
#include "model/recorded.h"

/* One process of one host; with several ranks each is a process with a clock of its own. */
typedef struct tfp_process {
    tfp_strid host, name; /* 0: not known */
    int64_t pid;
    int32_t rank;            /* -1: none */
    int32_t rank_count;      /* of the job, as the file says; 0: not known */
    bool rank_guessed;       /* the file does not say it: the join took it from the file's name or place. Not stored */
    uint32_t source;         /* -> the profile's sources: the file it came from */
    int64_t clock_offset_ns; /* added to the file's times to compare with other processes; 0 when not known */
    int64_t tolerance_ns;    /* for nesting: 1,000 in files without fractions of microseconds, else 0 */
    bool tasks;    /* a job of several tasks: each has devices of its own, and one without activities has host rows */
    uint8_t steps; /* tfp_step_source: where its steps were found; set by the join */
    /* self times of what its windows are for, all and in a step: host ops, or activities where only devices have windows or
     * work; 0 where steps are marked. Set by the join. */
    int64_t work_ns, work_in_steps_ns;
    bool work_of_devices; /* it is that of activities */
} tfp_process;

/* The marks that steps are made of. Of a process's kinds of marks, the first one in this list counts. */
typedef enum tfp_step_source {
    TFP_STEPS_MARKED,    /* `ProfilerStep#N`, events with `step_num` */
    TFP_STEPS_KERAS,     /* calls of Keras's step functions: each step goes to the start of the next */
    TFP_STEPS_ROOTS,     /* `_r` = 1, outermost, of the thread where they take longest */
    TFP_STEPS_MODULES,   /* runs of the compiled module that takes longest, on each device by itself */
    TFP_STEPS_OPTIMIZER, /* each ends with `Optimizer.step#...` */
    TFP_STEPS_NONE       /* the whole trace is step 0 */
} tfp_step_source;
typedef struct tfp_step_mark {
    uint32_t span; /* -> spans; of any kind */
    tfp_step_source source;
    int64_t number;  /* of the step; -1: steps are counted from 0 */
    tfp_strid group; /* of modules: the module's name; of roots: the call around it, 0 where the join finds it */
    uint32_t run;    /* of modules: spans of one run share this number; 0: the span is a run by itself */
    int64_t end_ns,
        busy_ns; /* of runs: when the last span of the run ends, the sum of those that this mark stands for; end_ns of
                  * roots: when the call around it returns */
} tfp_step_mark;

typedef enum tfp_span_kind {
    TFP_SPAN_NONE,       /* of RunMetadata and ProfileProto, whose lanes say what counts */
    TFP_SPAN_OP,         /* host op: an operation of the framework, or of a module compiled for the host */
    TFP_SPAN_CALL,       /* API call of the device's runtime or driver; a host op too */
    TFP_SPAN_ANNOTATION, /* user annotation */
    TFP_SPAN_MODULE,     /* nn.Module frame */
    TFP_SPAN_FRAME,      /* Python function call */
    TFP_SPAN_STEP,       /* marker of a step */
    TFP_SPAN_ACTIVITY,   /* occupies a device: kernel, copy, set */
    TFP_SPAN_OTHER       /* in the timeline, `calls` of plain traces and SQL only */
} tfp_span_kind;
static inline bool tfp_is_host_op(unsigned kind) { return kind == TFP_SPAN_OP || kind == TFP_SPAN_CALL; }

typedef enum tfp_span_class { /* of activities, and of host ops where no device is */
                              TFP_CLASS_COMPUTE,
                              TFP_CLASS_COMMUNICATION,
                              TFP_CLASS_COPY,
                              TFP_CLASS_SET
} tfp_span_class;

/* A stat is a key and a value; equal sets of stats are stored once. */
typedef enum tfp_stat_type { TFP_STAT_INT, TFP_STAT_REAL, TFP_STAT_TEXT } tfp_stat_type;
typedef struct tfp_stat {
    tfp_strid key;
    uint32_t type; /* tfp_stat_type; a word, so that equal stats are equal bytes */
    union {
        int64_t number;
        double real;
        uint64_t text; /* a tfp_strid */
    } value;
} tfp_stat;
typedef struct tfp_stat_set {
    uint32_t first, count; /* -> stats */
} tfp_stat_set;

/* Links between spans. Launches are spans.launch; the join makes those of TFP_FLOW_BACKWARD (forward operator, backward one). */
typedef enum tfp_flow_kind { TFP_FLOW_LAUNCH, TFP_FLOW_BACKWARD, TFP_FLOW_PRODUCER, TFP_FLOW_OTHER } tfp_flow_kind;
typedef struct tfp_flow {
    uint32_t from, to; /* -> spans */
    tfp_flow_kind kind;
} tfp_flow;

/* An allocation (bytes above 0) or a free on a device, while a thread ran. */
typedef struct tfp_memory_event {
    int64_t at_ns, bytes;
    int64_t allocated_bytes, reserved_bytes; /* of the device after it; -1: not told */
    uint64_t address;
    uint32_t lane;    /* the thread */
    tfp_strid device; /* "cpu", "gpu:0" */
    uint32_t span;    /* the innermost host op around it, TFP_NONE: none; set by the join */
    bool asked_by_op; /* it happened in an API call: the op around the call holds it, where there is one; read by the join */
} tfp_memory_event;

typedef struct tfp_counter_sample {
    int64_t at_ns;
    double value;
    tfp_strid name, series;
    uint32_t process;
} tfp_counter_sample;

/* Marks of a span. */
enum {
    TFP_MARK_BACKWARD = 1, /* repeats a forward op's sequence number */
    TFP_MARK_CLAMPED = 2,  /* its duration was negative or missing */
    TFP_MARK_INSTANT = 4,
    TFP_MARK_COLLECTIVE = 8, /* the file says that it is a collective, whatever its name */
    TFP_MARK_CONTINUES = 16, /* an activity of the run of an operation that the one before it in its stream is of */
    TFP_MARK_WAITS = 32,     /* a call that the file says to wait for the device, whatever its name */
    TFP_MARK_OP_TOLD = 32,   /* of an activity: `external` tells its op, also where its call is known */
    TFP_MARK_HELD = 64,      /* an annotation that a row of its slim lane holds; set by the join */
    TFP_MARK_OUTSIDE = 128   /* not in the range of time that a report is of (model/join/cut.h) */
};

/* A finding of the reader or the join on the data (docs/traces.md, `check`). */
typedef struct tfp_data_finding {
    const char *severity, *what; /* literals */
    int64_t count;
    tfp_strid first; /* an example */
} tfp_data_finding;

/* The columns of a span: type, name, what stands where nothing is known. All code that goes through the columns (growing,
 * freeing, measuring, writing to a file) reads these two lists. The first is the readers', the second the join's. */
#define TFP_SPAN_IN_COLUMNS(X)                                                                                         \
    X(int64_t, start_ns, 0)                                                                                            \
    X(int64_t, duration_ns, 0)                                                                                         \
    X(uint32_t, lane, 0)            /* -> lanes */                                                                     \
    X(uint32_t, name, 0)            /* a strid */                                                                      \
    X(uint8_t, kind, TFP_SPAN_NONE) /* tfp_span_kind */                                                                \
    X(uint8_t, class, 0)            /* tfp_span_class */                                                               \
    X(uint8_t, marks, 0)            /* TFP_MARK_... */                                                                 \
    X(uint32_t, stats, TFP_NONE)    /* -> stat_sets */                                                                 \
    X(uint32_t, correlation, 0)     /* -> the launch, as tfp_build_key made it; 0 none */                              \
    X(uint32_t, external, 0)        /* Kineto's `External id` as tfp_build_key made it; 0 none */                      \
    X(uint32_t, sequence, 0)        /* number of autograd, as tfp_build_key made it; 0 none */                         \
    X(uint32_t, path, 0)            /* strid: where in the model, when the file says so; 0: follows from nesting */    \
    X(uint32_t, op, 0)              /* strid: its type, of spans with a path */                                        \
    X(uint32_t, trace, TFP_NONE)    /* -> traces: the call stack */
#define TFP_SPAN_JOIN_COLUMNS(X)                                                                                       \
    X(uint32_t, parent, TFP_NONE) /* innermost host op, annotation, module or frame around it */                       \
    X(uint32_t, launch, TFP_NONE) /* of an activity: the API call */                                                   \
    X(uint32_t, owner, TFP_NONE)  /* of an activity: the op that launched it; TFP_NONE: no op */                       \
    X(uint32_t, node, TFP_NONE)   /* -> nodes */                                                                       \
    X(uint32_t, step, TFP_NONE)   /* -> steps; TFP_NONE: in none */                                                    \
    X(uint32_t, attribution, TFP_NONE) /* -> attributions: of an activity, where the launch does not tell its place */  \
    X(int64_t, self_ns, 0)

/* One array a column, equally long. The join's arrays are there once it ran. */
typedef struct tfp_span_columns {
    size_t size, capacity;
#define TFP_SPAN_FIELD(type, name, none) type *name;
    TFP_SPAN_IN_COLUMNS(TFP_SPAN_FIELD)
    TFP_SPAN_JOIN_COLUMNS(TFP_SPAN_FIELD)
#undef TFP_SPAN_FIELD
} tfp_span_columns;

static inline int64_t tfp_span_end(const tfp_span_columns *s, uint32_t span)
{
    return tfp_add(s->start_ns[span], s->duration_ns[span], NULL);
}

typedef struct tfp_step_window { /* one a step and process, or one a step and device; by process, device and start */
    uint32_t step, process;      /* -> steps, processes */
    tfp_strid device;            /* "tpu:0" of a window that only this device has (runs of modules); 0: of all */
    int64_t start_ns, end_ns;
} tfp_step_window;

/* Limits of a device for the roofline; 0 where they are not known. */
typedef struct tfp_device_info {
    tfp_strid device, name; /* "gpu:0", "NVIDIA A100-SXM4-80GB" */
    uint32_t process;
    double peak_flops, peak_bandwidth; /* per second */
    int64_t memory_bytes, sm_count, clock_khz;
} tfp_device_info;

typedef struct tfp_event_key { /* a number by which a file joins events, too big to be its own key */
    uint64_t number;
} tfp_event_key;

/* All of it; in tfp_profile as `events`. */
struct tfp_event_tables {
    TFP_VEC(tfp_process) processes;
    tfp_span_columns spans;
    TFP_VEC(tfp_flow) flows;
    TFP_VEC(tfp_stat) stats;
    TFP_VEC(tfp_stat_set) stat_sets;
    TFP_VEC(tfp_memory_event) memory;
    TFP_VEC(tfp_counter_sample) counters;
    TFP_VEC(tfp_step_mark) step_marks;
    TFP_VEC(tfp_step_window) windows;
    TFP_VEC(tfp_device_info) devices;
    TFP_VEC(tfp_data_finding) findings;
    TFP_VEC(tfp_stat) about;                               /* of the file: what was recorded, versions, host, times */
    TFP_VEC(tfp_recorded_call) calls;                      /* of spans that have such a number beside `External id` */
    TFP_VEC(tfp_event_key) keys;                           /* by tfp_build_key's number without its top bit */
    tfp_map64 key_by_hash, stat_set_by_hash, lane_by_name; /* lane_by_name: process << 32 | name */
    tfp_graph_tables graphs;                               /* captured graphs, and lines of kernels */
    TFP_VEC(tfp_attribution) attributions;                 /* of activities; made by the join */
    TFP_VEC(uint32_t) joined_execs;                        /* -> execs: what the last join summed */
    TFP_VEC(uint32_t) twins;                               /* -> nodes that have the name of another, and another op */
    size_t joined_events;                                  /* how many events it saw */
    TFP_VEC(tfp_slim_lane) slims;                          /* by lane; only with TFP_KEEP_SUMS */
    TFP_VEC(tfp_slim_kind) slim_kinds;
    tfp_map64 slim_by_lane;
    size_t slim_bytes; /* of their blocks */
    int64_t
        *slim_outer_ns;   /* by step, the first of none: how long spans of threads are that no other one holds; NULL */
    uint32_t *mean_steps; /* by node: in how many steps it ran, where only the mean is kept (TFP_KEEP_TOTAL); NULL */
    struct tfp_launches
        *launches; /* calls by number: while slim lanes are joined, with TFP_KEEP_ROWS for as long as the profile */
    int64_t origin_unix_ns; /* of time 0, when the file says so; else 0 */
};

/* ---- what readers call ---- */
typedef struct tfp_event {
    uint32_t lane;
    tfp_strid name;
    int64_t start_ns, duration_ns; /* both not negative; past 9e15 us: left out by the reader with a finding */
    tfp_span_kind kind;
    tfp_span_class class;
    unsigned marks;
    uint32_t stats;                           /* of tfp_build_stats, TFP_NONE */
    uint32_t correlation, external, sequence; /* of tfp_build_key, 0 none */
    tfp_strid path, op;                       /* 0: follows from nesting */
    uint32_t trace;                           /* of tfp_build_trace, TFP_NONE */
} tfp_event;

uint32_t tfp_build_process(tfp_builder *b, const tfp_process *p); /* -> processes */
/* A lane of a trace. `name` as people see it without the rank: "cpu/thread:7", "gpu:0/stream:20". -> lanes */
uint32_t tfp_build_event_lane(tfp_builder *b, uint32_t process, tfp_lane_role role, tfp_str name, tfp_str label);
/* Gives a lane another role and name. */
void tfp_build_lane_again(tfp_builder *b, uint32_t lane, tfp_lane_role role, tfp_str name);
/* A small number for a number of the file: within one process and space, equal for equal numbers and never 0. */
uint32_t tfp_build_key(tfp_builder *b, uint32_t process, unsigned space, uint64_t number);
uint32_t tfp_build_stats(tfp_builder *b, const tfp_stat *stats, size_t count); /* interned; -> stat_sets */
uint32_t tfp_build_event(tfp_builder *b, const tfp_event *e);                  /* -> spans */
void tfp_build_link(tfp_builder *b, tfp_flow_kind kind, uint32_t from, uint32_t to);
void tfp_build_step_mark(tfp_builder *b, const tfp_step_mark *m);
void tfp_build_memory_event(tfp_builder *b, const tfp_memory_event *m);
void tfp_build_counter(tfp_builder *b, const tfp_counter_sample *c);
void tfp_build_about(tfp_builder *b, const tfp_stat *fact); /* a fact about the file */
void tfp_build_data_finding(tfp_builder *b, const char *severity, const char *what, int64_t count, tfp_str first);

void tfp_build_device(tfp_builder *b, const tfp_device_info *d);

/* ---- names ---- */
/* The last number in a file's name; -1: none. */
int32_t tfp_number_in_name(const char *path);
/* A thread of tf.data, by its label: it prepares input beside the steps. */
bool tfp_is_input_thread(tfp_str label);
/* A call of a function in which Keras runs a step, or several. */
bool tfp_is_keras_step(tfp_str name);
/* "EagerLocalExecute: __inference_NAME_123", TensorFlow's span around a call of a function, gives NAME; false for others. */
bool tfp_function_called(tfp_str span, tfp_str *name);
/* A kernel that joins devices, by its name. */
bool tfp_is_collective_kernel(tfp_str name);
/* Annotations and operators of PyTorch that communicate on the host, or wait there for what does. */
bool tfp_is_collective_range(tfp_str name);
bool tfp_is_collective_op(tfp_str name);
/* What an API call launches, by its name: a copy, a set, or (of most) a kernel. ROCm copies by kernels. */
tfp_span_class tfp_class_of_call(tfp_str name);
/* A span of the host that communicates, by its name: of PyTorch's backends, or a collective of TensorFlow. */
bool tfp_is_host_collective(tfp_str name);
/* A range in which a host communicates, also where there are devices: there c10d's operators launch what devices do. */
bool tfp_is_host_range(tfp_str name);
/* The parts of "FILE(LINE): FUNCTION", the name of a Python frame's span; false for other names (a built-in, a module). */
typedef struct tfp_python_frame {
    tfp_str file, function;
    int32_t line;
} tfp_python_frame;
bool tfp_python_frame_of(tfp_str text, tfp_python_frame *out);
/* Whether a source file belongs to Python or to an installed package, not to the user's own code. */
bool tfp_is_library_file(tfp_str path);

/* The stat of a span with that key and type, or NULL. No span has the key TFP_NONE. */
const tfp_stat *tfp_typed_stat(const tfp_event_tables *t, uint32_t span, tfp_strid key, tfp_stat_type type);
size_t tfp_events_memory(const tfp_event_tables *t);
void tfp_events_free(tfp_event_tables *t);

/* How many rows of a stack end at or behind `end_ns`: the last of them is the innermost span that holds one up to there. The
 * rows are of `size` bytes and begin with their ends, which rise towards the bottom. */
static inline size_t tfp_spans_holding(const void *rows, size_t count, size_t size, int64_t end_ns)
{
#define END_OF(i) (*(const int64_t *)((const char *)rows + (i)*size))
    size_t low = 0, high = count;
    if (high && END_OF(high - 1) >= end_ns) return high;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (END_OF(middle) >= end_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
#undef END_OF
}

#endif
