// SPDX-License-Identifier: Apache-2.0
/* model/tables/details.h: details of single runs from TensorFlow's files: spans, memory, buffers, allocations; kept
 * only with TFP_READS_RUNS. */
#ifndef TFP_TABLES_DETAILS_H
#define TFP_TABLES_DETAILS_H

#include "model/tables/types.h"

#include "schema/details.def"

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
