// SPDX-License-Identifier: Apache-2.0
/* model/tables/read.h: what every reader of a profile asks, whatever tables it reads. It has functions only: a change of
 * the profile's struct (profile.h) or of a table does not rebuild those who include it. */
#ifndef TFP_TABLES_READ_H
#define TFP_TABLES_READ_H

#include "model/tables/types.h"
#include "schema/reads.h"

TFP_CONST const tfp_strtab *tfp_strings_of(const tfp_profile *p);
tfp_str tfp_text(const tfp_profile *p, tfp_strid id); /* a string of the profile; it lives as long as the profile */
bool tfp_has(const tfp_profile *p, tfp_content what);
bool tfp_is_finished(const tfp_profile *p);  /* whether reports can be made of it */
unsigned tfp_reads_of(const tfp_profile *p); /* bits TFP_READS_... (schema/reads.h) */
const char *tfp_reads_name(unsigned bit);    /* what callers of the library call one of them */

/* Whether files added now leave sums instead of a trace's spans. */
bool tfp_keeps_sums(const tfp_profile *p);
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

/* Iterates over a chain: for (TFP_EACH(tfp_executions_of(p)->execs, e, node->exec_first)). */
#define TFP_EACH(table, index, first)                                                                                  \
    uint32_t index = (first);                                                                                          \
    index != TFP_NONE;                                                                                                 \
    index = (table).at[index].next

#endif
