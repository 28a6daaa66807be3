// SPDX-License-Identifier: Apache-2.0
/* wire/sstable.h: LevelDB tables: sorted keys with values, in checksummed blocks. Knows no message. Reading only. */
#ifndef TFP_SSTABLE_H
#define TFP_SSTABLE_H

#include "base/base.h"
#include "base/source.h"

/* The place of a block and an upper bound of its keys. */
typedef struct tfp_sstable_block {
    tfp_str last_key;
    uint64_t offset, size;
} tfp_sstable_block;

/* A table's index. It keeps no source: each call names the one to read from, so that a file need not stay open. */
typedef struct tfp_sstable {
    TFP_VEC(tfp_sstable_block) blocks; /* ascending in the file and by key */
    tfp_arena arena;                   /* the keys */
    uint64_t file_size;
} tfp_sstable;

/* Whether the end of the source looks like that of a table. */
bool tfp_sstable_is(const tfp_source *source);
/* Reads and checks footer and index. Free with tfp_sstable_free, also after an error. */
tfp_status tfp_sstable_read(tfp_sstable *t, const tfp_source *source, tfp_error *err);
void tfp_sstable_free(tfp_sstable *t);

/* A walk over entries in order of their keys. After tfp_walk_next, key and value live until the next call on the
 * walk. */
typedef struct tfp_walk {
    const tfp_sstable *table;
    const tfp_source *source;
    size_t block;    /* the block in `bytes`; SIZE_MAX when there is none */
    uint64_t offset; /* the block's offset in the file */
    char *bytes;     /* entries, restart offsets, number of restarts */
    size_t capacity, entries_end, at, restart_count;
    tfp_buf key_bytes;
    bool fresh; /* key_bytes holds no key of this block yet */
    tfp_str key, value;
    tfp_status status; /* the first failure stays */
} tfp_walk;

tfp_walk tfp_walk_start(const tfp_sstable *t, const tfp_source *source);
/* The next entry, or false at the end or on a failure (w->status, described in err). */
bool tfp_walk_next(tfp_walk *w, tfp_error *err);
/* Finds the entry with that key: TFP_NOTFOUND (without a message) when absent. The walk can be reused for the
 * next search, also with another source of the same table: the block that it holds is not read again. */
tfp_status tfp_walk_find(tfp_walk *w, const tfp_source *source, tfp_str key, tfp_error *err);
void tfp_walk_free(tfp_walk *w);

#endif
