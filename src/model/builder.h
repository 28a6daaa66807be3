// SPDX-License-Identifier: Apache-2.0
/* model/builder.h: how the format readers fill a profile.
 * The builder remembers its first fault (no memory, over the limit) in `status`, so that a reader can go on reading
 * like the .proto beside it and check once. All functions are harmless after a fault. */
#ifndef TFP_BUILDER_H
#define TFP_BUILDER_H

#include "model/tables/types.h"
#include "model/tensors.h"

struct tfp_builder {
    tfp_profile *p;
    const char *file; /* in force for warnings */
    tfp_status status;
};

/* Checked by readers at the end of each node or so. */
tfp_status tfp_builder_status(tfp_builder *b, tfp_error *err);

tfp_strid tfp_build_string(tfp_builder *b, tfp_str s); /* interned; 0 after a fault */
/* The same of a text that does not stay: the strings of a piece are the bytes of the file, and are not copied. */
tfp_strid tfp_build_made_string(tfp_builder *b, tfp_str s);
tfp_strid tfp_build_lower(tfp_builder *b, tfp_str s); /* lower-cased (ASCII) and interned */

extern const char tfp_lost_inputs[]; /* the warning of edges whose node no file had when they were finished */
/* Same kind of warning, once per file with a count. `what` is a plural literal, such as "inputs that name no node". */
void tfp_build_warn(tfp_builder *b, const char *what, tfp_str example);
void tfp_build_warn_many(tfp_builder *b, const char *what, tfp_str example, size_t count);
/* After the last file: about the one with that number among the profile's sources. */
void tfp_build_warn_source(tfp_builder *b, uint32_t source, const char *what);

/* Files of this kind of content were given. Readers say it of a graph, code traces, types and events of a trace;
 * tfp_build_finish adds the rest. */
void tfp_build_has(tfp_builder *b, tfp_content what);

/* A time of a file in microseconds, as nanoseconds: past 292 years it is clamped, with a warning. */
int64_t tfp_build_micros(tfp_builder *b, int64_t micros);

/* ---- nodes ---- */
uint32_t tfp_build_find(tfp_builder *b, tfp_str name); /* TFP_NONE when absent */
/* A new node of that name (the caller has looked that there is none); its op is also its first type (unless empty
 * `types` follow from the file: pass with_type false). id is the number of nodes before it. TFP_NONE after a fault. */
uint32_t tfp_build_node(tfp_builder *b, tfp_str name, tfp_str op, bool with_type);
void tfp_build_name(tfp_builder *b, tfp_strid name,
                    uint32_t node); /* makes it the node of that name (TFP_NONE: none) */
tfp_node *tfp_build_row(tfp_builder *b, uint32_t node);
/* Once per node. Nodes have a handful of types; past that a table finds them, or a file could take forever. */
#define TFP_FEW_TYPES 32
void tfp_build_type(tfp_builder *b, uint32_t node, tfp_strid type);
/* The lane on which a node ran; on: TFP_NODE_ON_... */
void tfp_build_node_device(tfp_builder *b, uint32_t node, tfp_strid device, unsigned on);
void tfp_build_input(tfp_builder *b, uint32_t node, int32_t position, tfp_strid source, int32_t output_index);
/* unknown rank: count 0 and scalar false; a known scalar: count 0 and scalar true (stored as the one dim 1). */
uint32_t tfp_build_shape(tfp_builder *b, const int64_t *dims, size_t count, bool scalar);
/* All of a node's outputs come at once, in order of their slots, no slot twice. */
void tfp_build_output(tfp_builder *b, uint32_t node, int32_t slot, uint32_t shape);
/* The shape that an output had when it ran; of several runs the dimensions that are equal in all. */
void tfp_build_run_shape(tfp_builder *b, uint32_t node, int32_t slot, const int64_t *dims, size_t count);
void tfp_build_attrs(tfp_builder *b, uint32_t node, tfp_str encoded); /* copied; only with TFP_KEEP_ATTRS */

/* ---- steps and executions ---- */
uint32_t tfp_build_step(tfp_builder *b, int64_t id, bool listed); /* finds or adds */
uint32_t tfp_build_exec(tfp_builder *b, uint32_t node,
                        uint32_t step); /* finds or adds; -> execs, TFP_NONE after a fault */
uint32_t tfp_build_new_exec(tfp_builder *b, uint32_t node, uint32_t step); /* the caller knows that there is none */
uint32_t tfp_build_find_lane(tfp_builder *b, tfp_strid name);              /* of no trace; TFP_NONE when absent */
uint32_t tfp_build_lane(tfp_builder *b, const tfp_lane *row, bool named);  /* adds; named: it is the lane of its name */
void tfp_build_exec_again(tfp_builder *b, uint32_t exec);                  /* empties it: its step came a second time */
void tfp_build_span(tfp_builder *b, uint32_t exec, uint32_t lane, int64_t start_ns, int64_t duration_ns);
void tfp_build_run_transfer(tfp_builder *b, const tfp_run_transfer *t); /* only with TFP_KEEP_MEMORY */
/* Copies *m (its chain fields are set here); -> memories, TFP_NONE after a fault or when not kept. Adds its sums to the exec. */
uint32_t tfp_build_memory(tfp_builder *b, uint32_t exec, const tfp_memory *m);
void tfp_build_buffer(tfp_builder *b, uint32_t memory, int32_t slot, int64_t bytes, uint64_t address);
void tfp_build_allocation(tfp_builder *b, uint32_t exec, int64_t at_ns, int64_t bytes);

/* ---- code ---- */
/* One trace from frames (outermost first); equal ones become one. -> traces, TFP_NONE after a fault or when empty. */
uint32_t tfp_build_trace(tfp_builder *b, const tfp_code_frame *frames, size_t count);

/* ---- sampled stacks ---- */
uint32_t tfp_build_sample_type(tfp_builder *b, tfp_strid type, tfp_strid unit); /* finds or adds; -> sample_types */
void tfp_build_sample(tfp_builder *b, const tfp_stack_sample *s);

/* ---- progress: for readers that take their input in pieces ---- */
/* Tells the profile's callback that `now` of `total` bytes are read, at most once a MiB: `told` is where it was told last.
 * Only on the thread that the reader was called on. Errors: TFP_CANCELLED. */
tfp_status tfp_profile_tell_progress(const tfp_profile *p, uint64_t *told, uint64_t now, uint64_t total,
                                     tfp_error *err);

/* ---- the end of adding: inputs find their nodes, checkpoint variables get their type, warnings their words ---- */
tfp_status tfp_build_finish(tfp_builder *b, tfp_error *err);

#endif
