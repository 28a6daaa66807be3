// SPDX-License-Identifier: Apache-2.0
/* model/types.h: the names of the model's types, for headers that only pass them on by pointer. Who looks inside includes
 * model.h, events.h or the header of that part: what changes there builds only those again. */
#ifndef TFP_MODEL_TYPES_H
#define TFP_MODEL_TYPES_H

#include "base/base.h"
#include "base/steps.h"

typedef struct tfp_node tfp_node;
typedef struct tfp_input_edge tfp_input_edge;
typedef struct tfp_exec tfp_exec;
typedef struct tfp_exec_detail tfp_exec_detail;
typedef struct tfp_lane tfp_lane;
typedef struct tfp_run_transfer tfp_run_transfer;
typedef struct tfp_memory tfp_memory;
typedef struct tfp_code_frame tfp_code_frame;
typedef struct tfp_instruction tfp_instruction;
typedef struct tfp_stack_sample tfp_stack_sample;
typedef struct tfp_node_stats tfp_node_stats;
typedef struct tfp_graph_tables tfp_graph_tables;       /* model/graphs.h */
typedef struct tfp_allocator_entry tfp_allocator_entry; /* model/allocator.h */
typedef struct tfp_builder tfp_builder;
typedef struct tfp_checkpoint tfp_checkpoint; /* model/tensors.h */
typedef struct tfp_program tfp_program;       /* model/program.h */
typedef struct tfp_tensor tfp_tensor;         /* model/tensors.h */

/* What the device of a node is, as the file's reader understands the name; among tfp_node.flags. */
enum { TFP_NODE_ON_CPU = 8, TFP_NODE_ON_ACCELERATOR = 16 };

/* Times are kept in nanoseconds and shown in whole microseconds. */
static inline int64_t tfp_micros(int64_t ns) { return ns / 1000; }

#endif
