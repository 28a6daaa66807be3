// SPDX-License-Identifier: Apache-2.0
/* server/data/catalog_parts.h: the catalog's internals, shared by its files: catalog.c finds profiles, catalog_read.c reads them. */
#ifndef TFP_SERVER_CATALOG_PARTS_H
#define TFP_SERVER_CATALOG_PARTS_H

#include "catalog.h"
#include "look.h"

#include <pthread.h>
#include <stdatomic.h>

enum { CATALOG_PARTS = 10000 }; /* units of progress */
enum { CATALOG_READERS = 2 };   /* two, so that a profile that takes long to read does not delay others */

struct loaded { /* a profile in memory */
    tfp_profile *profile;
    pthread_mutex_t making; /* held while the timeline is made */
    tfp_timeline *timeline; /* NULL: not asked for yet */
    uint64_t bytes;         /* size of both */
    unsigned users;
    bool dropped; /* no entry refers to it any more: its last user frees it */
};

typedef struct entry {
    char id[24];
    char *name;
    part *parts;
    size_t part_count;
    entry_state state;
    _Atomic unsigned progress; /* in CATALOG_PARTS; set by the thread that reads it */
    char *error;
    loaded *loaded;
    unsigned torn;
    int64_t used_ms;
    bool stale;          /* its files changed since it was read */
    bool full;           /* there was no memory for it */
    bool present;        /* found by the current look */
    bool gone;           /* not found by the last look */
    bool added;          /* added by catalog_add, so looks do not find it */
    struct entry *waits; /* the next entry in the queue of those to read */
} entry;

struct catalog {
    pthread_mutex_t lock;
    pthread_cond_t asked; /* signalled when a profile waits to be read */
    pthread_cond_t read;  /* signalled when one was read */
    pthread_t readers[CATALOG_READERS];
    size_t reader_count;
    _Atomic bool stop;
    const serve_options *options;
    char *start; /* the folder in which the program was started */
    look look;   /* changed only by the thread that looks; its roots never change */
    _Atomic uint32_t cut_folders;
    int64_t look_ms; /* when to look next */
    entry **entries; /* they never move, because the readers point to them */
    size_t entry_count, entry_room;
    uint32_t *slots; /* found by id: the number of the entry + 1 */
    size_t slot_count;
    entry *first_waiting;
    uint64_t version;
    void (*changed)(void *ctx);
    void *changed_ctx;
};

entry *catalog_entry(const catalog *c, const char *id); /* NULL: no entry has this id; call with the lock held */
double catalog_progress(entry *e);

/* catalog_read.c */
void *catalog_read_all(void *ctx); /* a thread that reads the profiles asked for, until the catalog stops */
void catalog_drop(entry *e);       /* frees its profile once no request uses it; call with the lock held */

#endif
