// SPDX-License-Identifier: Apache-2.0
/* model/graphs.h: what CUDA and HIP graphs replay, and where the captures of these graphs say that it comes from. A replay
 * has one launch for all its kernels. A capture is a trace of the moment in which the graph was recorded: its launches
 * ran nothing, and stand inside modules, ops and frames. Readers fill the tables below; the join finds for each activity of a replay
 * the captured launch, and tells how sure it is. XLA makes graphs, too, its command buffers: there the programs in the file take
 * the place of a capture, as they list the instructions in the order in which they run. */
#ifndef TFP_GRAPHS_H
#define TFP_GRAPHS_H

#include "model/tables/types.h"

/* How sure the place of an activity is. */
typedef enum tfp_certainty {
    TFP_SURE_BY_LAUNCH,  /* it has a launch of its own, or an op */
    TFP_SURE_BY_ID,      /* its event names the module */
    TFP_SURE_BY_UNIQUE,  /* all captured launches that fit stand at one place */
    TFP_SURE_BY_ORDER,   /* the order of the replays leaves one place */
    TFP_SURE_BY_PARTIAL, /* several places are left: what they share */
    TFP_SURE_BY_NAME,    /* Inductor knows the line of the kernel's name */
    TFP_SURE_BY_NONE,
    TFP_CERTAINTIES
} tfp_certainty;
typedef enum tfp_no_place { /* why there is none */
                            TFP_PLACE_KNOWN,
                            TFP_NO_CAPTURE,
                            TFP_NO_MATCH,  /* no captured graph fits the replay */
                            TFP_AMBIGUOUS, /* several places are possible, and they have nothing in common */
                            TFP_NO_LAUNCH,
                            TFP_NO_PLACES
} tfp_no_place;
typedef enum tfp_line_from { TFP_LINE_NOWHERE, TFP_LINE_OF_FRAME, TFP_LINE_OF_INDUCTOR } tfp_line_from;

/* What an activity was found to be. Equal ones are stored once. */
struct tfp_attribution {
    tfp_strid module, op; /* modules around it, joined by slashes; 0: not known */
    tfp_strid line;       /* FILE:LINE:FUNCTION, of the user's code; 0: not known */
    uint32_t trace;       /* -> traces: the call stack of the line; TFP_NONE: none */
    uint32_t place;       /* -> the graphs' places: in the model, below the annotations around the launch. TFP_NONE: where
                           * the launch is */
    uint32_t captured;    /* -> captured launches: the one that it is; TFP_NONE: none */
    uint32_t call;        /* -> captured calls: the operator that launched it; TFP_NONE: none */
    uint32_t stats;       /* -> stat_sets: of the instruction that it runs, instead of its own; TFP_NONE: none */
    tfp_strid path;       /* where that instruction is in the model, `op` being its type; 0: `place` tells it */
    uint8_t certainty, reason, line_from; /* tfp_certainty, tfp_no_place, tfp_line_from */
    uint8_t outright;                     /* `place` begins at the root of the model, whatever is around the launch */
};

static inline tfp_attribution tfp_attribution_none(tfp_no_place why)
{
    return (tfp_attribution){ .trace = TFP_NONE,
                              .place = TFP_NONE,
                              .captured = TFP_NONE,
                              .call = TFP_NONE,
                              .stats = TFP_NONE,
                              .certainty = TFP_SURE_BY_NONE,
                              .reason = (uint8_t)why };
}

/* A name below another place; the first row is the root. */
typedef struct tfp_graph_place {
    uint32_t parent, depth;
    tfp_strid name;
} tfp_graph_place;

enum { TFP_LAUNCHES_KERNEL, TFP_LAUNCHES_COPY, TFP_LAUNCHES_SET };

/* What a captured launch says of the activity that it becomes, or an activity of itself. */
typedef struct tfp_graph_sign {
    tfp_strid kernel; /* its name without ".kd"; 0: not known */
    uint8_t kind, family, pad[2];
} tfp_graph_sign;

typedef struct tfp_captured_launch {
    tfp_graph_sign sign;
    uint32_t modules, place; /* -> places: the modules around it; modules, ops and annotations with the op, or the call */
    tfp_strid op, line;      /* the innermost op, else the call; 0 */
    uint32_t trace;          /* -> traces, TFP_NONE */
    tfp_strid dims;          /* the shapes of the nearest op that has some, as the trace wrote them; 0 */
    uint32_t span;           /* in the profile that it was captured in */
    uint32_t call;           /* -> captured calls: of the operator around it; launches of one share it; TFP_NONE: none */
} tfp_captured_launch;
enum { TFP_CALL_TYPES = 6, TFP_CALL_STATES = 6 }; /* how many there are of tfp_float_type and tfp_aten_state */
/* An operator that was called while a graph was captured: what each replay of it computes. */
typedef struct tfp_captured_call {
    int64_t float_ops, macs, bytes; /* -1: not known */
    uint32_t span;                  /* the operator in a trace that is its own capture; TFP_NONE: none */
    uint8_t type, state;            /* tfp_float_type, tfp_aten_state */
    uint8_t pad[2];
} tfp_captured_call;
typedef struct tfp_captured_graph {
    uint32_t first, count; /* -> launches */
    uint32_t owner;        /* a rank, or of the trace that is its own capture the process; TFP_NONE: no rank is told */
} tfp_captured_graph;

/* The line of a kernel that Inductor made, by its name or by the call stack that its event has. */
typedef struct tfp_kernel_line {
    tfp_strid line; /* 0: calls of the kernel have different ones, or none */
    uint32_t trace; /* -> traces */
} tfp_kernel_line;

/* What runs on the device for an instruction of XLA. */
typedef enum tfp_buffer_runs {
    TFP_RUNS_OWN,     /* a kernel that has the instruction's name, or that of an equal instruction before it */
    TFP_RUNS_LIBRARY, /* kernels of a library, one or more */
    TFP_RUNS_EITHER,
    TFP_RUNS_COPY
} tfp_buffer_runs;
typedef struct tfp_buffer_item { /* an instruction of a command buffer */
    tfp_strid kernel, stem;      /* "loop_add_fusion_1"; the same without its number */
    tfp_strid path, op, line;
    uint32_t modules, trace, stats; /* -> places, traces, stat_sets; TFP_NONE: none */
    uint32_t back, behind; /* of the last item of a loop its first, of the last of a loop's condition the one behind the loop: counted
                            * within the buffer; TFP_NONE: none */
    uint8_t runs, family;  /* tfp_buffer_runs */
    bool optional;         /* it may run nothing: of a branch, of a condition */
    bool loops;            /* it may run several times */
} tfp_buffer_item;
/* The instructions that one command buffer may have, in the order in which they are launched. */
typedef struct tfp_command_buffer {
    uint32_t process;
    tfp_strid module, name, caller; /* name: of the computation, without signs; caller: the instruction that calls it; 0 */
    uint64_t program;               /* number of the module in its process */
    uint32_t first, count;          /* -> items */
    bool whole, ordered;            /* it is all of the buffer, not a program of which buffers are parts; the order is told */
} tfp_command_buffer;

struct tfp_graph_tables {
    bool crowded; /* it was told that too many graphs look alike */
    bool given; /* files of captures were named: the trace is not its own capture */
    size_t file_graphs, file_launches, file_calls; /* the first ones are of files; those of the trace itself are made by each join */
    TFP_VEC(tfp_captured_graph) captured;
    TFP_VEC(tfp_captured_launch) launches;
    TFP_VEC(tfp_captured_call) calls;
    TFP_VEC(tfp_command_buffer) buffers; /* of XLA */
    TFP_VEC(tfp_buffer_item) items;      /* the items of the buffers */
    TFP_VEC(tfp_graph_place) places;
    tfp_map64 place_by_name;
    TFP_VEC(tfp_kernel_line) lines;
    tfp_map64 line_by_kernel;      /* name -> lines */
    tfp_map64 line_by_stack;       /* text of a call stack in the stats of activities -> lines */
    tfp_map64 text_by_place;       /* place -> its names joined, a string */
    tfp_map64 attribution_by_hash; /* -> the profile's attributions */
    size_t joined;                 /* how many spans the last join saw */
};
/* Whether some call of the trace begins a capture. */
bool tfp_has_captures(const tfp_profile *p);
/* By the name of a call. */
bool tfp_is_graph_launch(tfp_str call);
bool tfp_begins_capture(tfp_str call);
/* How sure the place of an activity is, and what the launch does not tell of it. */
tfp_attribution tfp_span_attribution(const tfp_profile *p, uint32_t span);
/* The stats that tell what a span computes: its own, or those of the instruction that it was found to run. -> stat_sets; TFP_NONE: none */
uint32_t tfp_span_work(const tfp_profile *p, uint32_t span);
void tfp_graphs_free(tfp_graph_tables *g);
void tfp_graphs_drop_own(tfp_graph_tables *g); /* graphs that are not of files */

#endif
