// SPDX-License-Identifier: Apache-2.0
/* views/flops/instructions.h: the float operations of compiled programs: of an HLO module's instructions in one run of the
 * module, of an execution trace's calls, or of a trace whose spans state their float operations. */
#ifndef TFP_FLOPS_INSTRUCTIONS_H
#define TFP_FLOPS_INSTRUCTIONS_H

#include "flops/core/devices.h"
#include "model/tables/types.h"
#include "query/groups.h"

typedef struct tfp_instruction_sum {
    tfp_strid name, module; /* module: 0: none */
    tfp_strid opcode;       /* for HLO; 0: unknown */
    uint32_t node;          /* index in nodes */
    int64_t runs;
    int64_t float_ops, macs, bytes;                /* sums over all runs; bytes: only over runs whose bytes are known */
    int64_t step_float_ops, step_macs, step_bytes; /* for a trace: the part within windows of steps */
    int64_t ns;                                    /* for a trace */
    int64_t device_ns;                             /* the part of this time on accelerators */
    int64_t of_type[TFP_FLOAT_TYPES];              /* float_ops by type of the inputs, if the trace tells it */
    bool counted, moves;                           /* moves: whether bytes are known */
    bool tf32;                                     /* the name of one of its kernels shows tf32 */
    bool trips_unknown;                            /* a loop with an unknown number of iterations */
} tfp_instruction_sum;
typedef struct tfp_instruction_sums {
    tfp_instruction_sum *at; /* in the report's arena */
    size_t size;
} tfp_instruction_sums;

/* Whether the profile has float operations of instructions, from an HLO module or a trace's spans. */
bool tfp_has_instructions(const tfp_profile *p);

/* Whether these are calls of PyTorch's operators recorded without times. */
bool tfp_has_recorded_calls(const tfp_profile *p);

/* Whether a span belongs to a step that can be selected, and its part of the sums of those steps. */
bool tfp_in_a_step(const tfp_profile *p, uint32_t span);
void tfp_instruction_step(tfp_instruction_sum *sum, int64_t flops, int64_t macs, int64_t bytes);

/* The same for PyTorch's traces, one tfp_instruction_sum per node (calls.c): for all steps, or for the report's; false:
 * out of memory. */
bool tfp_calls_collect(const tfp_report *r, bool every, tfp_groups *sums);

/* The instructions that run by themselves, in the report's step; a fusion includes its contents. */
tfp_status tfp_instructions_of(tfp_report *r, tfp_instruction_sums *out, tfp_error *err);

struct tfp_counts;
/* Sets the counts of each node for the columns of all views: r->tree->counts, and `out`. */
tfp_status tfp_instruction_counts(tfp_report *r, struct tfp_counts **out, tfp_error *err);

/* Builds the report `flops`. */
tfp_status tfp_flops_instructions(tfp_report *r, tfp_error *err);

#endif
