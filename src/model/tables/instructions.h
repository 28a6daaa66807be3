// SPDX-License-Identifier: Apache-2.0
/* model/tables/instructions.h: instructions of compiled programs, and calls that were recorded without times. */
#ifndef TFP_TABLES_INSTRUCTIONS_H
#define TFP_TABLES_INSTRUCTIONS_H

#include "model/tables/profile.h"

/* An instruction of a compiled program (HLO), whose file tells all shapes, or calls of an operator that were recorded
 * without times; kept with TFP_KEEP_PROGRAM only. */
struct tfp_instruction {
    tfp_strid name, module;
    tfp_strid opcode; /* of HLO: "dot", "fusion(dot)" by what computes most inside; 0 of others */
    uint32_t node;    /* -> nodes: its place in the model */
    int64_t runs;     /* in one run of the module: iterations; 0 in a branch that is not the most expensive one */
    int64_t float_ops, macs; /* of one execution with the computations that it calls, unless these run by themselves */
    int64_t own_float_ops, own_macs; /* of one execution without instructions that are nodes too */
    int64_t bytes;                   /* that it reads and writes; -1 unknown */
    bool inside;                     /* of a fusion, which counts it */
    bool counted;                    /* its operation has a rule and all shapes for it */
    bool trips_unknown;              /* a loop with an unknown number of iterations: its body counts once */
};

#endif
