// SPDX-License-Identifier: Apache-2.0
/* model/builder.h: the functions with which format readers fill a profile. The builder remembers its first fault (out
 * of memory, over the limit) in `status`, so a reader can go on reading and check once at the end. After a fault all
 * functions do nothing. */
#ifndef TFP_BUILDER_H
#define TFP_BUILDER_H

#include "model/tables/types.h"

struct tfp_builder {
    tfp_profile *p;
    const char *file; /* file name for warnings */
    tfp_status status;
};

/* Notes that memory is out if `ok` is false. Whether there was no fault so far. */
static inline bool tfp_build_keep(tfp_builder *b, bool ok)
{
    if (!ok && !b->status) b->status = TFP_NOMEM;
    return !b->status;
}
/* The first fault; readers check it about once per node. */
tfp_status tfp_builder_status(tfp_builder *b, tfp_error *err);

tfp_strid tfp_build_string(tfp_builder *b, tfp_str s); /* interns the text; 0 after a fault */
/* The same for a text that does not stay in memory, so it is always copied. Other strings of a piece are not copied:
 * they point into the bytes of the file. */
tfp_strid tfp_build_made_string(tfp_builder *b, tfp_str s);
tfp_strid tfp_build_composed(tfp_builder *b, tfp_buf *text); /* the same, and frees the buffer */
tfp_strid tfp_build_lower(tfp_builder *b, tfp_str s);        /* lower-cased (ASCII) and interned */

extern const char tfp_lost_inputs[]; /* the warning about edges whose source node was in no file */
/* Adds a warning, shown once per file with a count. `what` is a plural literal, such as "inputs that name no node". */
void tfp_build_warn(tfp_builder *b, const char *what, tfp_str example);
void tfp_build_warn_many(tfp_builder *b, const char *what, tfp_str example, size_t count);
/* After the last file: a warning about the source with that index. */
void tfp_build_warn_source(tfp_builder *b, uint32_t source, const char *what);

/* Notes that files with this kind of content were given. Readers call it for a graph, code traces, types and events of
 * a trace; tfp_build_finish adds the rest. */
void tfp_build_has(tfp_builder *b, tfp_content what);

/* Converts a file's time in microseconds to nanoseconds; times past 292 years are clamped, with a warning. */
int64_t tfp_build_micros(tfp_builder *b, int64_t micros);

/* ---- nodes ---- */
uint32_t tfp_build_find(tfp_builder *b, tfp_str name); /* TFP_NONE: there is none */
/* Adds a node with that name; the caller has checked that there is none. with_type: its op is also its first type;
 * false when the file lists the types itself. Its id is the number of nodes before it. TFP_NONE after a fault. */
uint32_t tfp_build_node(tfp_builder *b, tfp_str name, tfp_str op, bool with_type);
void tfp_build_name(tfp_builder *b, tfp_strid name,
                    uint32_t node); /* makes it the node of that name; TFP_NONE removes the name */
tfp_node *tfp_build_row(tfp_builder *b, uint32_t node);
/* A node has each type once. A few types are searched one by one; with more, a table finds them, because a hostile file
 * could make the search quadratic. */
#define TFP_FEW_TYPES 32
void tfp_build_type(tfp_builder *b, uint32_t node, tfp_strid type);
/* Sets the lane on which a node ran; on: TFP_NODE_ON_... */
void tfp_build_node_device(tfp_builder *b, uint32_t node, tfp_strid device, unsigned on);
void tfp_build_input(tfp_builder *b, uint32_t node, int32_t position, tfp_strid source, int32_t output_index);
/* Unknown rank: count 0 and scalar false. A scalar: count 0 and scalar true; it is stored as a single dim of 1. */
uint32_t tfp_build_shape(tfp_builder *b, const int64_t *dims, size_t count, bool scalar);
/* A node's outputs must all be added together, in order of their slots, no slot twice. */
void tfp_build_output(tfp_builder *b, uint32_t node, int32_t slot, uint32_t shape);
/* The shape that an output had in a run; after several runs, only the dimensions that were equal in all. */
void tfp_build_run_shape(tfp_builder *b, uint32_t node, int32_t slot, const int64_t *dims, size_t count);
void tfp_build_attrs(tfp_builder *b, uint32_t node, tfp_str encoded); /* copied; only with TFP_READS_ATTRS */

/* ---- steps and executions ---- */
uint32_t tfp_build_step(tfp_builder *b, int64_t id, bool listed); /* finds or adds the step */
uint32_t tfp_build_exec(tfp_builder *b, uint32_t node,
                        /* finds or adds the execution; returns an index in execs, TFP_NONE after a fault */
                        uint32_t step);
/* adds one: the caller knows that there is none */
uint32_t tfp_build_new_exec(tfp_builder *b, uint32_t node, uint32_t step);
/* a lane that is not of a trace; TFP_NONE: there is none */
uint32_t tfp_build_find_lane(tfp_builder *b, tfp_strid name);
/* adds a lane; named: it is found by its name */
uint32_t tfp_build_lane(tfp_builder *b, const tfp_lane *row, bool named);
/* empties an execution whose step came a second time */
void tfp_build_exec_again(tfp_builder *b, uint32_t exec);
void tfp_build_span(tfp_builder *b, uint32_t exec, uint32_t lane, int64_t start_ns, int64_t duration_ns);
void tfp_build_run_transfer(tfp_builder *b, const tfp_run_transfer *t); /* only with TFP_READS_RUNS */
/* Copies *m (its chain fields are set here) and adds its sums to the exec. Returns an index in memories; TFP_NONE after
 * a fault or when memory is not kept. */
uint32_t tfp_build_memory(tfp_builder *b, uint32_t exec, const tfp_memory *m);
void tfp_build_buffer(tfp_builder *b, uint32_t memory, int32_t slot, int64_t bytes, uint64_t address);
void tfp_build_allocation(tfp_builder *b, uint32_t exec, int64_t at_ns, int64_t bytes);

/* ---- code ---- */
/* Adds a trace of frames, outermost first; equal traces are one. Returns an index in traces; TFP_NONE after a fault or
 * when it is empty. */
uint32_t tfp_build_trace(tfp_builder *b, const tfp_code_frame *frames, size_t count);

/* ---- sampled stacks ---- */
/* finds or adds; returns an index in sample_types */
uint32_t tfp_build_sample_type(tfp_builder *b, tfp_strid type, tfp_strid unit);
void tfp_build_sample(tfp_builder *b, const tfp_stack_sample *s);

/* ---- progress: for readers that take their input in pieces ---- */
/* Reports to the profile's callback that `now` of `total` bytes are read, at most once per MiB; `told` holds the last
 * reported value. Must be called on the thread that called the reader. Errors: TFP_CANCELLED. */
tfp_status tfp_profile_tell_progress(const tfp_profile *p, uint64_t *told, uint64_t now, uint64_t total,
                                     tfp_error *err);

/* ---- after the last file: joins traces, finds the nodes of inputs, writes the texts of warnings ---- */
tfp_status tfp_build_finish(tfp_builder *b, tfp_error *err);

#endif
