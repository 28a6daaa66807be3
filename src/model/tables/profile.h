// SPDX-License-Identifier: Apache-2.0
/* model/tables/profile.h: the one in-memory profile, whatever the framework, as a list of its tables, for the code that
 * makes one: formats/, model/, store/. Code that only reads a profile includes model/tables/read.h and the headers of
 * the tables that it reads, each of which has a function that returns its table (tfp_graph_of in graph.h), so that a
 * change of this list does not rebuild it.
 * Tables are growable arrays of plain rows; rows that belong to one owner are chained by index (`next`), in the order
 * in which they came. Strings are ids of one string table. Nothing here knows a file format or a view. */
#ifndef TFP_TABLES_PROFILE_H
#define TFP_TABLES_PROFILE_H

#include "model/tables/about.h"
#include "model/tables/read.h"

struct tfp_profile {
    tfp_arena arena;
    tfp_strtab strings;
    tfp_profile_about about;
    struct tfp_node_tables *graph;             /* graph.h */
    struct tfp_run_tables *runs;               /* runs.h */
    struct tfp_detail_tables *detail;          /* details.h */
    tfp_lane_list *lanes;                      /* lanes.h */
    struct tfp_code_tables *code;              /* code.h */
    tfp_event_tables *events;                  /* events.h */
    struct tfp_graph_tables *captures;         /* graphs.h: captured graphs, and lines of kernels */
    struct tfp_sample_tables *sampled;         /* samples.h */
    struct tfp_recorded_tables *recorded;      /* recorded.h */
    struct tfp_source_tables *files;           /* sources.h */
    struct tfp_allocator_tables *allocator;    /* files/allocator.h */
    struct tfp_flight_tables *flights;         /* files/flights.h */
    struct tfp_weight_list *weights;           /* files/weights.h */
    struct tfp_timed_list *timed;              /* files/collectives.h */
    struct tfp_instruction_list *instructions; /* instructions.h */
    tfp_checkpoint *checkpoint;                /* NULL: none was added */
    void (*checkpoint_free)(tfp_checkpoint *c);
    tfp_program *program; /* program of the graphs; NULL: not kept, or no graph was added */
    unsigned keep;
    tfp_step_choice kept; /* with TFP_KEEP_TOTAL */
    bool finished;
    bool reopened; /* it was read from a .tfprof file (store/) and is complete; only a checkpoint may be added */
};

/* Makes empty tables in one block of memory; false: out of memory. tfp_profile_new calls it. */
bool tfp_profile_tables_new(tfp_profile *p);
void tfp_profile_tables_free(tfp_profile *p); /* frees the tables, not their contents */

/* Memory limit of a new profile, before the size of its first file is known. */
#define TFP_MEMORY_LEAST ((size_t)160 << 20)

#endif
