// SPDX-License-Identifier: Apache-2.0
/* model/tables/sources.h: the files that were added, and what was odd in them. */
#ifndef TFP_TABLES_SOURCES_H
#define TFP_TABLES_SOURCES_H

#include "model/tables/profile.h"

/* Things that were dropped, clamped or guessed; the same one once per file, with a count. */
typedef struct tfp_warning {
    const char *what;   /* "inputs that name no node" */
    char *file, *first; /* the first example, may be NULL */
    size_t count, told; /* told: the count in `line` */
    char *line;         /* as told, made by tfp_profile_finish */
} tfp_warning;

struct tfp_source_tables {
    TFP_VEC(char *) sources;       /* names of the files added */
    TFP_VEC(const char *) formats; /* of each: the name of its format; NULL: a folder, or not known yet */
    TFP_VEC(tfp_warning) warnings;
    tfp_progress_fn progress;
    void *progress_ctx;
    size_t adding;   /* of files that are added together: which one */
    bool finished_before; /* what comes now is the next state of a growing model: a graph again, with more nodes */
    uint64_t stored; /* bytes of all inputs, as they were given */
};

bool tfp_has_format(const tfp_profile *p, const char *name); /* whether one of its files is of this format */

#endif
