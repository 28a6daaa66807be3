// SPDX-License-Identifier: Apache-2.0
/* model/tables/details.h: details of single runs from TensorFlow's files: spans, memory, buffers, allocations; kept
 * only with TFP_KEEP_MEMORY. */
#ifndef TFP_TABLES_DETAILS_H
#define TFP_TABLES_DETAILS_H

#include "model/tables/types.h"

struct tfp_exec_detail {            /* details of the execution with the same index; kept only with TFP_KEEP_MEMORY */
    uint32_t span_first, span_last; /* indexes in spans */
    uint32_t memory_first, memory_last; /* indexes in memories */
    uint32_t alloc_first, alloc_last;   /* indexes in allocations */
};

typedef struct tfp_span {
    uint32_t lane; /* index in lanes */
    uint32_t next;
    int64_t start_ns, duration_ns;
} tfp_span;

/* A copy, or a tensor that went from one device to another, as recorded in RunMetadata; kept only with
 * TFP_KEEP_MEMORY. */
struct tfp_run_transfer {
    uint32_t step, lane;  /* index in steps; index in lanes: where it was recorded, for a tensor the receiver */
    uint32_t node;        /* index in nodes: the op that received it; TFP_NONE: the runtime's own entry */
    tfp_strid kind, name; /* kind: such as "RecvTensor", "MEMCPYHtoD"; name: of the tensor or node */
    tfp_strid from, to;   /* devices, as in tfp_lane.place; 0 for copies */
    int64_t start_ns, duration_ns, bytes; /* bytes: -1: unknown */
};

struct tfp_memory { /* memory of one run */
    uint32_t next;
    uint32_t buffer_first, buffer_last; /* indexes in buffers */
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
    int64_t at_ns, bytes; /* negative bytes: freed */
    uint32_t next;
} tfp_allocation;

typedef struct tfp_detail_tables {
    TFP_VEC(tfp_exec_detail) details; /* for the first execs, or empty */
    TFP_VEC(tfp_span) spans;
    TFP_VEC(tfp_run_transfer) run_transfers;
    TFP_VEC(tfp_memory) memories;
    TFP_VEC(tfp_buffer) buffers;
    TFP_VEC(tfp_allocation) allocations;
    tfp_map64 lane_by_name; /* name -> index in lanes that are not of a trace */
} tfp_detail_tables;

const tfp_exec_detail *tfp_detail(const tfp_profile *p,
                                  uint32_t exec); /* the details; one with empty chains when none were kept */

TFP_CONST const tfp_detail_tables *tfp_details_of(const tfp_profile *p);

#endif
