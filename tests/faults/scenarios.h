// SPDX-License-Identifier: Apache-2.0
/* tests/faults/scenarios.h: complete uses of a profile, from reading to freeing, small enough to be repeated for every
 * possible failure. */
#ifndef TFP_SCENARIOS_H
#define TFP_SCENARIOS_H

#include "tfprof/tfprof.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct scenario {
    char name[128];
    const char *formats[5], *files[5]; /* the inputs, in tests/data/sample; ended by NULL */
    const char *view, *output;         /* NULL: only loaded; "file" outputs go through tfp_show */
    const char *const *options;        /* name, value, ..., NULL; @ in a value means the folder */
    bool write_profile;                /* tfp_profile_write_file at the end */
    bool table;                        /* the report as an Arrow stream, and cell by cell */
    const char *const *lists;          /* name, "item|item", ..., NULL: for tfp_options_set_list */
    const char *message;               /* for tfp_options_read_proto; unknown values are not a failure */
    size_t message_size;
    const char *sql;     /* for the view "query" */
    bool texts;          /* for "diff": printed views in place of the profile */
    bool grow;           /* finished and shown after every file, not only after the last */
    const char *threads; /* TFPROF_THREADS; then the profile keeps nothing beyond what views need; NULL: one thread */
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

/* The outcome of one run of a scenario. */
typedef struct outcome {
    tfp_status status; /* status of the first call that failed */
    char message[4096];
    bytes out;                     /* warnings, notes and the bytes that the callback got */
    written_file files[FILE_MOST]; /* the files in the folder afterwards, by name */
    size_t file_count;
} outcome;

scenario *scenarios_make(size_t *count); /* the caller calls free() on it */

/* Runs one scenario. First `folder` is emptied and gets the file "old" with the content "old", which outputs to @/old
 * replace. */
void scenario_run(const scenario *s, const char *sample, const char *folder, outcome *out);
bool outcome_same(const outcome *a, const outcome *b);
void outcome_free(outcome *o);

/* One call of a fault program: [-v] [-e EVERY] [WORD]. */
typedef struct session {
    bool verbose;
    unsigned long every; /* one of this many failures is tried */
    const char *word;    /* only scenarios whose names contain it run */
    char folder[32];     /* an empty temporary folder */
} session;
bool session_begin(int argc, char **argv, session *out); /* false: a wrong option, or no folder */
bool session_end(const session *s);                      /* checks that the folder could be removed */

/* Called around the part in which failures may occur; each fault program defines them. */
void faults_begin(void);
void faults_end(void);

#endif
