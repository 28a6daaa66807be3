// SPDX-License-Identifier: Apache-2.0
/* model/tables/instructions.h: instructions of compiled programs, and calls that were recorded without times. */
#ifndef TFP_TABLES_INSTRUCTIONS_H
#define TFP_TABLES_INSTRUCTIONS_H

#include "model/tables/types.h"

/* An instruction of a compiled program (HLO), whose file has all shapes, or an operator whose calls were recorded
 * without times; kept only with TFP_KEEP_PROGRAM. */
struct tfp_instruction {
    tfp_strid name, module;
    /* for HLO: "dot", or "fusion(dot)", after the instruction that computes most inside; otherwise 0 */
    tfp_strid opcode;
    uint32_t node; /* index in nodes: its place in the model */
    /* executions in one run of the module: iterations; 0 in a branch that is not the most expensive one */
    int64_t runs;
    /* for one execution including the computations that it calls, unless these run by themselves */
    int64_t float_ops, macs;
    int64_t own_float_ops, own_macs; /* for one execution, without inner instructions that are nodes too */
    int64_t bytes;                   /* bytes read and written; -1: unknown */
    bool inside;                     /* it is in a fusion, which counts it */
    bool counted;                    /* there is a rule for its operation, and all shapes that the rule needs */
    bool trips_unknown;              /* a loop with an unknown number of iterations: its body is counted once */
};

typedef struct tfp_instruction_list {
    TFP_VEC(tfp_instruction);
} tfp_instruction_list;
TFP_CONST const tfp_instruction_list *tfp_instruction_rows_of(const tfp_profile *p);

#endif
