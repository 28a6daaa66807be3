// SPDX-License-Identifier: Apache-2.0
/* model/tables/profile.h: the one in-memory profile, whatever the framework, as a list of its tables. The rows of a
 * table, and the functions on them, are in the table's own header, so that a change there rebuilds only its readers.
 * Tables are growable arrays of plain rows; rows that belong to one owner are chained by index (`next`), in the order
 * in which they came. Strings are ids of one string table. Nothing here knows a file format or a view. */
#ifndef TFP_TABLES_PROFILE_H
#define TFP_TABLES_PROFILE_H

#include "model/tables/types.h"

/* Single values, stored with the tables. */
typedef struct tfp_profile_about {
    unsigned has;           /* bits 1 << tfp_content: as the readers set them, completed by tfp_build_finish */
    int64_t time_grain_ns;  /* all times are multiples of this: 1,000 in files with whole microseconds, otherwise 1 */
    int64_t origin_unix_ns; /* Unix time of time 0 in a trace, if the file has it; otherwise 0 */
    size_t inputs_warned;   /* inputs before this index were reported already as naming no node */
    uint32_t sample_type;   /* index in sample_types: the one that the last file shows by default */
    char *graph_file;       /* the last file with inputs, for warnings about them; may be NULL */
    bool functions;         /* nodes of functions are among the nodes: TFP_KEEP_FUNCTIONS */
    bool miss_accelerator_stream;
    bool name_twice; /* two nodes with the same name were added */
} tfp_profile_about;

struct tfp_profile {
    tfp_arena arena;
    tfp_strtab strings;
    tfp_profile_about about;
    tfp_node_tables *graph;                /* graph.h */
    tfp_run_tables *runs;                  /* runs.h */
    tfp_detail_tables *detail;             /* details.h */
    TFP_VEC(tfp_lane) lanes;               /* lanes.h */
    tfp_code_tables *code;                 /* code.h */
    tfp_event_tables *events;              /* events.h */
    tfp_graph_tables *captures;            /* graphs.h: captured graphs, and lines of kernels */
    tfp_sample_tables *sampled;            /* samples.h */
    tfp_recorded_tables *recorded;         /* recorded.h */
    tfp_source_tables *files;              /* sources.h */
    tfp_allocator_tables *allocator;       /* files/allocator.h */
    tfp_flight_tables *flights;            /* files/flights.h */
    TFP_VEC(tfp_weight) weights;           /* files/weights.h */
    TFP_VEC(tfp_timed_collective) timed;   /* files/collectives.h */
    TFP_VEC(tfp_instruction) instructions; /* instructions.h */
    tfp_checkpoint *checkpoint;            /* NULL: none was added */
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

static inline bool tfp_has(const tfp_profile *p, tfp_content what) { return p->about.has >> what & 1; }
static inline tfp_str tfp_text(const tfp_profile *p, tfp_strid id) { return p->strings.strings[id]; }

/* Whether files added now leave sums instead of a trace's spans. */
static inline bool tfp_keeps_sums(const tfp_profile *p)
{
    return (p->keep & (TFP_KEEP_SUMS | TFP_KEEP_MEMORY | TFP_KEEP_PROGRAM)) == TFP_KEEP_SUMS || p->keep & TFP_KEEP_ROWS;
}
bool tfp_only_sums(const tfp_profile *p); /* whether spans of a trace were left out */
/* Whether only sums over steps are known, with the choice `kept` apart: other steps are not known singly. */
bool tfp_only_total(const tfp_profile *p);
tfp_status tfp_no_spans(tfp_error *err); /* returns the error for a profile that has only sums */

const char *tfp_first_source(const tfp_profile *p);    /* the file to name when the profile lacks something */
const char *tfp_source_of_graph(const tfp_profile *p); /* the same for what only the graph has */
/* Whether the profile has only snapshots of PyTorch's allocator, dumps of its flight recorder, or lines of NCCL's
 * inspector: no graph, trace or samples. */
bool tfp_only_allocator(const tfp_profile *p);
/* Whether it has something that TensorFlow's tool cannot read: a trace, sampled stacks, an HLO module, an execution
 * trace. */
bool tfp_is_beyond_tensorflow(const tfp_profile *p);

/* Memory limit of a new profile, before the size of its first file is known. */
#define TFP_MEMORY_LEAST ((size_t)160 << 20)

/* Iterates over a chain: for (TFP_EACH(runs->execs, e, node->exec_first, p)). */
#define TFP_EACH(table, index, first, p)                                                                               \
    uint32_t index = (first);                                                                                          \
    index != TFP_NONE;                                                                                                 \
    index = (p)->table.at[index].next

#endif
