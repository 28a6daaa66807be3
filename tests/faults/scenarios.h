// SPDX-License-Identifier: Apache-2.0
/* tests/faults/scenarios.h: complete uses of a profile, from reading to freeing, small enough to be run once for every
 * fault in them. */
#ifndef TFP_SCENARIOS_H
#define TFP_SCENARIOS_H

#include "tfprof/tfprof.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct scenario {
    char name[128];
    const char *formats[5], *files[5]; /* what is added, in tests/data/sample; ended by NULL */
    const char *view, *output;         /* NULL: only loaded; "file" outputs go through tfp_show */
    const char *const *options;        /* name, value, ..., NULL; a value's @ stands for the folder */
    bool write_profile;                /* tfp_profile_write_file at the end */
    bool table;                        /* the report as an Arrow stream, and cell by cell */
    const char *const *lists;          /* name, "item|item", ..., NULL: for tfp_options_set_list */
    const char *message;               /* for tfp_options_read_proto; values that are not known are no failure */
    size_t message_size;
    const char *sql;     /* for the view "query" */
    bool texts;          /* for "diff": printed views instead of the profile */
    bool grow;           /* finished and shown after every file, not only after the last */
    const char *threads; /* TFPROF_THREADS; nothing is kept beside what views need; NULL: one thread */
} scenario;

typedef struct bytes {
    char *data;
    size_t size, capacity;
} bytes;

typedef struct written_file {
    char name[64];
    bytes content;
} written_file;

enum { FILE_MOST = 32 };

/* What one run of a scenario came to. */
typedef struct outcome {
    tfp_status status; /* of the first call that failed */
    char message[4096];
    bytes out;                     /* warnings, notes and what was written to the callback */
    written_file files[FILE_MOST]; /* what the folder holds afterwards, by name */
    size_t file_count;
} outcome;

scenario *scenarios_make(size_t *count); /* free() it */

/* Runs one. `folder` is emptied first; the file "old" with the content "old" is put there, which outputs to @/old replace. */
void scenario_run(const scenario *s, const char *sample, const char *folder, outcome *out);
bool outcome_same(const outcome *a, const outcome *b);
void outcome_free(outcome *o);

/* One call of a fault program: [-v] [-e EVERY] [WORD]. */
typedef struct session {
    bool verbose;
    unsigned long every; /* of so many faults one is tried */
    const char *word;    /* in the names of the scenarios that run */
    char folder[32];     /* an empty one */
} session;
bool session_begin(int argc, char **argv, session *out); /* false: a wrong option, or no folder */
bool session_end(const session *s);                      /* the folder is gone */

/* Around the part in which faults may come; each fault program defines them. */
void faults_begin(void);
void faults_end(void);

#endif
