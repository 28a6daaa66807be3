// SPDX-License-Identifier: Apache-2.0
/* views/flops/instructions.h: the float operations of compiled programs: of an HLO module's instructions as one run executes
 * them, of an execution trace's calls, or of what ran in a trace whose spans tell their float operations. */
#ifndef TFP_FLOPS_INSTRUCTIONS_H
#define TFP_FLOPS_INSTRUCTIONS_H

#include "flops/core/devices.h"
#include "model/tables/types.h"

typedef struct tfp_instruction_sum {
    tfp_strid name, module; /* module: 0 without */
    tfp_strid opcode;       /* of HLO; 0: not known */
    uint32_t node;          /* -> nodes */
    int64_t runs;
    int64_t float_ops, macs, bytes;                /* sums of all runs; bytes: only of runs whose bytes are known */
    int64_t step_float_ops, step_macs, step_bytes; /* of a trace: of these what ran in the windows of steps */
    int64_t ns;                                    /* of a trace */
    int64_t device_ns;                             /* the part of it on accelerators */
    int64_t of_type[TFP_FLOAT_TYPES];              /* float_ops by the type of the inputs, where the trace tells it */
    bool counted, moves;                           /* moves: its bytes are known */
    bool tf32;                                     /* one of its kernels is named by it */
    bool trips_unknown;                            /* a loop with an unknown number of iterations */
} tfp_instruction_sum;
typedef TFP_VEC(tfp_instruction_sum) tfp_instruction_sums;

/* Whether the profile has float operations of instructions: of an HLO module, or of the spans of a trace. */
bool tfp_has_instructions(const tfp_profile *p);

/* Whether these are calls of PyTorch's operators that were recorded without times. */
bool tfp_has_recorded_calls(const tfp_profile *p);

/* Whether a span belongs to a step that can be asked for, and what it adds to those. */
bool tfp_in_a_step(const tfp_profile *p, uint32_t span);
void tfp_instruction_step(tfp_instruction_sum *sum, int64_t flops, int64_t macs, int64_t bytes);

/* The same of PyTorch's traces, a row a node (calls.c): of all steps, or of the report's; false without memory. */
bool tfp_calls_collect(const tfp_report *r, bool every, tfp_instruction_sums *out);

/* What runs by itself, in the report's step; fusions with what they hold. */
tfp_status tfp_instructions_of(const tfp_report *r, tfp_instruction_sums *out, tfp_error *err);

struct tfp_counts;
/* What each node counts, for the columns of all views: r->tree->counts, and `out`. */
tfp_status tfp_instruction_counts(tfp_report *r, struct tfp_counts **out, tfp_error *err);

/* The report `flops`. */
tfp_status tfp_flops_instructions(tfp_report *r, tfp_error *err);

#endif
