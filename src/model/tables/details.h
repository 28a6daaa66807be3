// SPDX-License-Identifier: Apache-2.0
/* model/tables/details.h: what TensorFlow's files tell of single runs: their spans, memory, buffers, allocations; kept with TFP_KEEP_MEMORY only. */
#ifndef TFP_TABLES_DETAILS_H
#define TFP_TABLES_DETAILS_H

#include "model/tables/profile.h"

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

struct tfp_detail_tables {
    TFP_VEC(tfp_exec_detail) details; /* of the first execs, or of none */
    TFP_VEC(tfp_span) spans;
    TFP_VEC(tfp_run_transfer) run_transfers;
    TFP_VEC(tfp_memory) memories;
    TFP_VEC(tfp_buffer) buffers;
    TFP_VEC(tfp_allocation) allocations;
    tfp_map64 lane_by_name; /* strid -> lanes of no trace */
};

const tfp_exec_detail *tfp_detail(const tfp_profile *p, uint32_t exec); /* one with empty chains when it was not kept */

#endif
