// SPDX-License-Identifier: Apache-2.0
/* schema/reads.h: what is read of files beside the graph and its executions. A view's row declares the columns that it reads
 * (views/core/view.h), formats ask what to fill, and the store of spans (model/trace) chooses by them how a lane is kept. The bits
 * of tfp_profile_keep have the same numbers (model/profile.c). */
#ifndef TFP_SCHEMA_READS_H
#define TFP_SCHEMA_READS_H

enum {
    TFP_READS_RUNS = 1,       /* every run of an execution, its allocations and buffers */
    TFP_READS_ATTRS = 2,      /* attributes of nodes, as in the file */
    TFP_READS_FUNCTIONS = 4,  /* nodes of functions */
    TFP_READS_PROGRAM = 8,    /* the graph as a program: shapes, float operations */
    TFP_READS_GRAPHS = 16,    /* programs of graphs alone, for their parameters */
    TFP_READS_STRIDES = 256,  /* how inputs of recorded calls lie in memory */
    TFP_READS_SUMS = 32,      /* of spans: sums by node and step */
    TFP_READS_TIMES = 128,    /* of spans: sums by name, and times of activities and of their calls */
    TFP_READS_ONE_STEP = 64,  /* of these sums: those of one choice of steps (tfp_profile.kept) */
    TFP_READS_EACH_STEP = 512 /* not of a profile, but of a view: it shows sums of single steps */
};

#endif
