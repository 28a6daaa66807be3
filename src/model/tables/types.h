// SPDX-License-Identifier: Apache-2.0
/* model/tables/types.h: names of the model's types, for headers that only pass pointers to them. Code that uses their
 * fields includes the table's own header, so a change there rebuilds only that code. */
#ifndef TFP_TABLES_TYPES_H
#define TFP_TABLES_TYPES_H

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
typedef struct tfp_process tfp_process;
typedef struct tfp_span_columns tfp_span_columns;
typedef struct tfp_flow tfp_flow;
typedef struct tfp_stat tfp_stat;
typedef struct tfp_stat_set tfp_stat_set;
typedef struct tfp_memory_event tfp_memory_event;
typedef struct tfp_counter_sample tfp_counter_sample;
typedef struct tfp_step_mark tfp_step_mark;
typedef struct tfp_step_window tfp_step_window;
typedef struct tfp_device_info tfp_device_info;
typedef struct tfp_data_finding tfp_data_finding;
typedef struct tfp_doubt tfp_doubt;
typedef struct tfp_recorded_call tfp_recorded_call;
typedef struct tfp_attribution tfp_attribution;
typedef struct tfp_weight tfp_weight;
typedef struct tfp_timed_collective tfp_timed_collective;

typedef struct tfp_allocator_entry tfp_allocator_entry; /* model/allocator.h */
typedef struct tfp_event_tables tfp_event_tables;
typedef struct tfp_compact_tables tfp_compact_tables; /* model/tables/compact.h */
typedef struct tfp_lane_list tfp_lane_list;
typedef struct tfp_builder tfp_builder;
typedef struct tfp_checkpoint tfp_checkpoint; /* model/tensors.h */
typedef struct tfp_program tfp_program;       /* model/program.h */
typedef struct tfp_tensor tfp_tensor;         /* model/tensors.h */

/* The kind of a node's device, as the file's reader understands its name; bits of tfp_node.flags. */
enum { TFP_NODE_ON_CPU = 8, TFP_NODE_ON_ACCELERATOR = 16 };

/* Times are kept in nanoseconds and shown in whole microseconds. */
static inline int64_t tfp_micros(int64_t ns) { return ns / 1000; }

#endif
