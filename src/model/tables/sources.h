// SPDX-License-Identifier: Apache-2.0
/* model/tables/sources.h: the files that were added, and what was odd in them. */
#ifndef TFP_TABLES_SOURCES_H
#define TFP_TABLES_SOURCES_H

#include "model/tables/types.h"

#include "schema/files/sources.def"

/* Who writes a file. Chrome traces are taken for PyTorch's, although others write them too. */
enum { TFP_FROM_TENSORFLOW = 1, TFP_FROM_PYTORCH = 2, TFP_FROM_XLA = 4 };

typedef struct tfp_source_tables {
    TFP_VEC(char *) sources;       /* names of the files added */
    TFP_VEC(const char *) formats; /* for each source, the name of its format; NULL: a folder, or not yet known */
    unsigned from;                 /* TFP_FROM_... of all files together; set by tfp_profile_finish */
    TFP_VEC(tfp_warning) warnings;
    tfp_progress_fn progress;
    void *progress_ctx;
    size_t adding;        /* index of the current one among files that are added together */
    bool finished_before; /* the next graph is the next state of a growing model: the same graph with more nodes */
    uint64_t stored;      /* size of all inputs as stored, perhaps compressed */
} tfp_source_tables;

TFP_CONST const tfp_source_tables *tfp_sources_of(const tfp_profile *p);

#endif
