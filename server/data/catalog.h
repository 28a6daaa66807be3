// SPDX-License-Identifier: Apache-2.0
/* server/data/catalog.h: the profiles in the folders and files given at the start: found by looking, read on demand, and dropped
 * from memory when others need it. */
#ifndef TFP_SERVER_CATALOG_H
#define TFP_SERVER_CATALOG_H

#include "server.h"

#include <stdint.h>

typedef struct catalog catalog;

typedef enum entry_state { ENTRY_UNREAD, ENTRY_LOADING, ENTRY_READY, ENTRY_FAILED } entry_state;

typedef struct entry_view { /* a copy of an entry's data */
    char id[24];
    const char *name, *folder, *format; /* live as long as the catalog */
    uint64_t bytes;
    int64_t modified; /* seconds since 1970 */
    entry_state state;
    double progress;  /* 0 to 1 */
    char error[1024]; /* for a failed one */
    size_t steps, nodes;
    char *files; /* file names as a user would type them, each ended by NUL, the list by two; NULL: out of memory */
} entry_view;
void entry_view_free(entry_view *v);

/* Opens the folders and finds the profiles in them. NULL: `why` has the reason. */
catalog *catalog_new(const serve_options *o, char *why, size_t room);
int catalog_status(const char *why);                                   /* the exit status for that */
bool catalog_start(catalog *c, void (*changed)(void *ctx), void *ctx); /* starts the threads that read */
void catalog_stop(catalog *c);                                         /* `changed` is not called after it */
void catalog_free(catalog *c);
int catalog_stopping(void *c, uint64_t done, uint64_t total); /* a tfp_progress_fn: nonzero after catalog_stop began */
size_t catalog_folders(const catalog *c, int *out,
                       size_t most); /* returns how many folders are open, and their descriptors */
const serve_options *catalog_options(const catalog *c);

/* Looks again for new and changed files, when it is time to. One thread only. */
void catalog_look(catalog *c);
uint64_t catalog_version(catalog *c); /* grows whenever the list changes */
size_t catalog_count(catalog *c);
bool catalog_view(catalog *c, size_t i, entry_view *out);       /* false: it is gone */
bool catalog_find(catalog *c, const char *id, entry_view *out); /* false: there is none */
const char *catalog_cut_folder(const catalog *c,
                               size_t i); /* folders with too many files to look at all of them; NULL past the end */

/* A profile in use: it stays in memory until it is given back. */
typedef struct loaded loaded;
typedef struct lease {
    const tfp_profile *profile;
    const char *name; /* lives as long as the catalog */
    loaded *held;
} lease;
typedef enum lease_result { LEASE_OK, LEASE_LOADING, LEASE_FAILED, LEASE_UNKNOWN, LEASE_FULL } lease_result;
typedef struct lease_fault {
    double progress;  /* while LOADING: 0 to 1 */
    char error[1024]; /* for one that FAILED */
} lease_fault;
/* Begins to read the profile if it is not in memory; never waits. */
lease_result catalog_take(catalog *c, const char *id, lease *out, lease_fault *fault);
/* Waits until it is read, or until stopped() says to give up: then the result is LOADING. */
lease_result catalog_wait(catalog *c, const char *id, bool (*stopped)(void *ctx), void *ctx, lease *out,
                          lease_fault *fault);
void catalog_give_back(catalog *c, lease *l);
/* The timeline of a leased profile: made for the first request, kept with the profile. */
tfp_status catalog_timeline(catalog *c, const lease *l, const tfp_timeline **out, tfp_error *err);

/* Adds a trace of an index by its path in the index, below one of the folders of traces, and gives its id. False: it does not exist, or is
 * no trace. */
bool catalog_add(catalog *c, const char *path, char id[24]);

/* Opens a file below one of the folders given at the start, by its path from any of them or its full path; returns a
 * descriptor, -1: there is no such file. */
int catalog_open_text(catalog *c, const char *path);
bool catalog_has_folders(const catalog *c);

#endif
