// SPDX-License-Identifier: Apache-2.0
/* server/data/catalog_parts.h: the catalog as the files that make it see it: catalog.c finds profiles, catalog_read.c reads them. */
#ifndef TFP_SERVER_CATALOG_PARTS_H
#define TFP_SERVER_CATALOG_PARTS_H

#include "catalog.h"
#include "look.h"

#include <pthread.h>
#include <stdatomic.h>

enum { CATALOG_PARTS = 10000 }; /* of progress */
enum { CATALOG_READERS = 2 };   /* a profile that takes long to read does not hold up the others */

struct loaded { /* a profile in memory */
    tfp_profile *profile;
    pthread_mutex_t making; /* of the timeline */
    tfp_timeline *timeline; /* NULL: not asked for yet */
    uint64_t bytes;         /* of both */
    unsigned users;
    bool dropped; /* no entry has it any more: its last user frees it */
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
    bool present;        /* found by the look that goes on */
    bool gone;           /* not found by the last look */
    bool added;          /* by catalog_add: looks do not find it */
    struct entry *waits; /* the next one to be read */
} entry;

struct catalog {
    pthread_mutex_t lock;
    pthread_cond_t asked; /* a profile waits to be read */
    pthread_cond_t read;  /* one was read */
    pthread_t readers[CATALOG_READERS];
    size_t reader_count;
    _Atomic bool stop;
    const serve_options *options;
    char *start; /* the folder in which the program was started */
    look look;   /* changed only by the thread that looks; its roots stay as they are */
    _Atomic uint32_t cut_folders;
    int64_t look_ms; /* when to look again */
    entry **entries; /* they never move: the readers point at them */
    size_t entry_count, entry_room;
    uint32_t *slots; /* by id: the number of the entry + 1 */
    size_t slot_count;
    entry *first_waiting;
    uint64_t version;
    void (*changed)(void *ctx);
    void *changed_ctx;
};

int64_t catalog_now_ms(void);
entry *catalog_entry(const catalog *c, const char *id); /* NULL: none has it; the lock is held */
double catalog_progress(entry *e);

/* catalog_read.c */
void *catalog_read_all(void *ctx); /* a thread that reads the profiles asked for, until the catalog stops */
void catalog_drop(entry *e);       /* its profile is freed once no request uses it; the lock is held */

#endif
