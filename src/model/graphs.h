// SPDX-License-Identifier: Apache-2.0
/* model/graphs.h: what CUDA and HIP graphs replay, and the places in the model where the captures of these graphs
 * launched it. A replay has one launch for all its kernels. A capture is a trace of the time in which the graph was
 * recorded: its launches ran nothing, but they are inside modules, ops and frames. Readers fill the tables below; the
 * join finds the captured launch of each replayed activity, and says how sure it is. XLA makes graphs too, its command
 * buffers. For those the programs in the file replace a capture, because they list the instructions in the order in
 * which they run. */
#ifndef TFP_GRAPHS_H
#define TFP_GRAPHS_H

#include "model/tables/types.h"

/* How certain the place of an activity is. */
typedef enum tfp_certainty {
    TFP_SURE_BY_LAUNCH,  /* it has a launch of its own, or an op */
    TFP_SURE_BY_ID,      /* its event names the module or the operation: it needs no launch */
    TFP_SURE_BY_UNIQUE,  /* all captured launches that fit are at one place */
    TFP_SURE_BY_ORDER,   /* the order of the replays leaves only one place */
    TFP_SURE_BY_PARTIAL, /* several places remain: only their common part is known */
    TFP_SURE_BY_NAME,    /* Inductor recorded the source line for the kernel's name */
    TFP_SURE_BY_NONE,
    TFP_SURE_BY_ANNOTATION, /* its event has the name that the program gave it when the graph was captured */
    TFP_SURE_BY_EAGER,      /* a run without graphs launches the same sequence of kernels: its names are at one place */
    TFP_SURE_BY_SIMILAR,    /* another kernel stands at its place in that sequence, which agrees in kind */
    TFP_CERTAINTIES
} tfp_certainty;
typedef enum tfp_no_place { /* why there is no place */
                            TFP_PLACE_KNOWN,
                            TFP_NO_CAPTURE,
                            TFP_NO_MATCH,  /* no captured graph fits the replay */
                            TFP_AMBIGUOUS, /* several places are possible, and they have nothing in common */
                            TFP_NO_LAUNCH,
                            TFP_NO_PLACES
} tfp_no_place;
typedef enum tfp_line_from { TFP_LINE_NOWHERE, TFP_LINE_OF_FRAME, TFP_LINE_OF_INDUCTOR } tfp_line_from;

#include "schema/traces/graphs.def"

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

/* A name below another place; row 0 is the root. */
typedef struct tfp_graph_place {
    uint32_t parent, depth;
    tfp_strid name;
} tfp_graph_place;

enum { TFP_LAUNCHES_KERNEL, TFP_LAUNCHES_COPY, TFP_LAUNCHES_SET };

/* The features of a captured launch, or of a replayed activity, that are compared. */
typedef struct tfp_graph_sign {
    tfp_strid kernel; /* its name without ".kd"; 0: not known */
    uint8_t kind, family, pad[2];
} tfp_graph_sign;

typedef struct tfp_captured_launch {
    tfp_graph_sign sign;
    uint32_t modules;   /* index in places: the modules around it */
    uint32_t place;     /* index in places: modules, ops and annotations around it, ending with the op or the call */
    tfp_strid op, line; /* the innermost op, otherwise the call; 0: unknown */
    uint32_t trace;     /* index in traces, or TFP_NONE */
    tfp_strid dims;     /* the shapes of the nearest op that has some, as the trace writes them; 0: none */
    uint32_t span;      /* span in the profile in which it was captured */
    /* index in captured calls: the operator around it; launches of one operator share it; TFP_NONE: none */
    uint32_t call;
} tfp_captured_launch;
enum { TFP_CALL_TYPES = 6, TFP_CALL_STATES = 6 }; /* number of values in tfp_float_type and tfp_aten_state */
typedef struct tfp_captured_graph {
    uint32_t first, count; /* index in launches */
    uint32_t owner; /* a rank; or the process, when the trace contains its own capture; TFP_NONE: no rank is known */
} tfp_captured_graph;

/* A pass of a run of the model without graphs. */
typedef struct tfp_eager_pass {
    uint32_t first, count; /* index in eager */
    uint8_t phase;         /* tfp_phase */
} tfp_eager_pass;

/* The source line of a kernel that Inductor made, found by its name or by the call stack in its event. */
typedef struct tfp_kernel_line {
    tfp_strid line; /* 0: calls of the kernel have different lines, or none */
    uint32_t trace; /* index in traces */
} tfp_kernel_line;

/* What runs on the device for an instruction of XLA. */
typedef enum tfp_buffer_runs {
    TFP_RUNS_OWN,     /* a kernel with the instruction's name, or with the name of an equal earlier instruction */
    TFP_RUNS_LIBRARY, /* one or more kernels of a library */
    TFP_RUNS_EITHER,
    TFP_RUNS_COPY
} tfp_buffer_runs;
typedef struct tfp_buffer_item { /* an instruction of a command buffer */
    tfp_strid kernel, stem;      /* such as "loop_add_fusion_1"; stem: the same without its number */
    tfp_strid path, op, line;
    uint32_t modules, trace, stats; /* indexes in places, traces, stat_sets; TFP_NONE: none */
    /* indexes in the buffer. back: for the last item of a loop, its first item; behind: for the last item of a loop's
     * condition, the item after the loop; TFP_NONE: none */
    uint32_t back, behind;
    uint8_t runs, family; /* tfp_buffer_runs */
    bool optional;        /* it may not run: it is in a branch, or depends on a condition */
    bool loops;           /* it may run several times */
} tfp_buffer_item;
/* The instructions that one command buffer may run, in launch order. */
typedef struct tfp_command_buffer {
    uint32_t process;
    /* name: of the computation, with letters, digits and _ only; caller: the instruction that calls it; 0: none */
    tfp_strid module, name, caller;
    uint64_t program;      /* number of the module in its process */
    uint32_t first, count; /* index in items */
    bool whole;            /* it is exactly the buffer, not a program whose parts become buffers */
    bool ordered;          /* the order of its instructions is known */
} tfp_command_buffer;

typedef struct tfp_graph_tables {
    bool crowded;      /* it was reported that too many graphs look alike */
    bool given;        /* files of captures were given, so the trace does not contain its own */
    bool eager_warned; /* it was reported that a run without graphs does not fit */
    size_t file_graphs, file_launches,
        file_calls; /* the first ones come from files; those of the trace itself are made again by each join */
    TFP_VEC(tfp_captured_graph) captured;
    TFP_VEC(tfp_captured_launch) launches;
    TFP_VEC(tfp_captured_call) calls;
    TFP_VEC(tfp_captured_launch) eager; /* launches of runs without graphs; their signs have the names of activities */
    TFP_VEC(tfp_eager_pass) passes;
    TFP_VEC(tfp_command_buffer) buffers; /* command buffers of XLA */
    TFP_VEC(tfp_buffer_item) items;      /* the items of all buffers */
    TFP_VEC(tfp_graph_place) places;
    tfp_map64 place_by_name;
    TFP_VEC(tfp_kernel_line) lines;
    tfp_map64 line_by_kernel;      /* name -> index in lines */
    tfp_map64 line_by_node;        /* graph's id << 32 | node's id -> index in lines */
    tfp_map64 line_by_stack;       /* text of a call stack in the stats of activities -> index in lines */
    tfp_map64 text_by_place;       /* place -> its names joined, as a string */
    tfp_map64 attribution_by_hash; /* hash -> index in the profile's attributions */
    size_t joined;                 /* how many spans the last join looked at */
} tfp_graph_tables;
/* Whether the trace has a call that begins a capture. */
bool tfp_has_captures(const tfp_profile *p);
/* Decides by the name of a call. */
bool tfp_is_graph_launch(tfp_str call);
bool tfp_begins_capture(tfp_str call);
/* How certain the place of an activity is, and what is known beyond its launch. */
tfp_attribution tfp_span_attribution(const tfp_profile *p, uint32_t span);
/* How certain the place of an activity is that no graph replayed: the event itself tells it on a TPU, which has no launches in
 * the trace; otherwise its launch. */
tfp_certainty tfp_certainty_of_own(const tfp_profile *p, uint32_t lane, tfp_strid path);
/* The stats that tell what a span computes: its own, or those of the instruction that it was found to run. Returns an
 * index in stat_sets; TFP_NONE: none. */
uint32_t tfp_span_work(const tfp_profile *p, uint32_t span);
void tfp_graphs_drop_own(tfp_graph_tables *g); /* removes graphs that are not from files */

TFP_CONST const tfp_graph_tables *tfp_captures_of(const tfp_profile *p);

#endif
