// SPDX-License-Identifier: Apache-2.0
/* watch/store/store.h: the folder of `tfprof watch`: its tables as Parquet parts, a journal of the rows that are in no part yet, and rings. The
 * folder is held as a descriptor and is an index of a fleet (fleet/index/index.h), too. */
#ifndef TFP_WATCH_STORE_H
#define TFP_WATCH_STORE_H

#include "watch/store/journal.h"

#include <limits.h>

#define WATCH_PART_NAME "part-watch-%016llx.parquet" /* with the number of the journal */

typedef struct watch_store {
    int folder, rings, lock; /* descriptors; -1: closed */
    char path[PATH_MAX];
    watch_journal journal;
    int64_t begun_ns;  /* when the journal was begun */
    int64_t keep_days; /* of rows of steps; 0: for ever */
} watch_store;
#define WATCH_STORE_NONE ((watch_store){ .folder = -1, .rings = -1, .lock = -1, .journal.fd = -1 })

/* Makes the folder or opens it. Errors: TFP_BADFILE it holds something else, or another watch is at work; TFP_BADOUTPUT; TFP_NOMEM. */
tfp_status watch_store_open(watch_store *s, const char *path, tfp_error *err);
bool watch_store_put(watch_store *s, tfp_watch_table_id table, const void *row); /* false: out of memory */
/* Each second: writes the journal, and makes a part of it when it is old or big. */
tfp_status watch_store_tick(watch_store *s, tfp_error *err);
/* Makes the last parts. TFP_BADOUTPUT: some rows could not be written. */
tfp_status watch_store_close(watch_store *s, tfp_error *err);

/* Makes parts of the journal in a folder, and removes it; nothing without one. */
tfp_status watch_parts_of_journal(int folder, const char *path, tfp_error *err);
/* Removes parts whose rows are older. */
void watch_parts_expire(int folder, int64_t days);

/* Makes the folder of captures, and room in it: the oldest ones go. False: it cannot be made. */
bool watch_captures_open(const watch_store *s, size_t most);
/* Removes the oldest files of a folder of rings. */
void watch_rings_expire(int folder, size_t most);

/* Reads a table of a store, also while it is written; of rows that were written again all. `fn` may keep texts of its rows only
 * as copies. *notes: what could not be read, one a line. */
tfp_status watch_store_read(const char *path, tfp_watch_table_id table, watch_journal_fn *fn, void *ctx, tfp_buf *notes,
                            tfp_error *err);

#endif
