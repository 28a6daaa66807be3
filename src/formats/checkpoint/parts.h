// SPDX-License-Identifier: Apache-2.0
/* formats/checkpoint/parts.h: the parts of a checkpoint in memory, shared by the files that read one. */
#ifndef TFP_CHECKPOINT_PARTS_H
#define TFP_CHECKPOINT_PARTS_H

#include "base/source.h"
#include "formats/checkpoint/tensor.h"
#include "model/builder.h"
#include "wire/proto.h"
#include "wire/sstable.h"

#include <pthread.h>

/* One dimension of a slice; length -1: all of it. */
typedef struct tfp_extent {
    int64_t start, length;
} tfp_extent;

/* Some or all values of a variable, and where they are. */
typedef struct tfp_part {
    uint32_t file;         /* index in files; TFP_NONE: there is no file */
    uint32_t extent_first; /* index in extents, one per dimension; TFP_NONE: the whole variable */
    uint32_t crc;          /* masked checksum of the bytes; this and the next two are for version 2 */
    uint64_t offset, size;
} tfp_part;

typedef struct tfp_variable {
    tfp_str name;
    int dtype;
    uint32_t dim_first, dim_count;   /* index in dims */
    uint32_t part_first, part_count; /* index in parts */
} tfp_variable;

/* A file of values. Version 1: a table that contains the values; version 2: values one after another. */
typedef struct tfp_shard {
    char *path;    /* NULL: the bytes were given in memory */
    tfp_str bytes; /* the bytes, when in memory */
    uint64_t size;
    tfp_sstable table; /* for version 1 */
} tfp_shard;

/* The last file stays open and, in version 1, the last block stays in memory: neighbours in a file are often read one
 * after another. */
typedef struct tfp_reader {
    pthread_mutex_t lock;
    uint32_t file; /* index in files; TFP_NONE: none is open */
    tfp_source source;
    tfp_walk walk;
} tfp_reader;

struct tfp_checkpoint {
    tfp_arena arena;
    char *path;                      /* as the caller gave it */
    char *prefix;                    /* version 2: the path before .index and .data-...; NULL: not known */
    char *bytes;                     /* version 1 from memory: the whole input */
    TFP_VEC(tfp_variable) variables; /* sorted by name */
    TFP_VEC(tfp_part) parts;
    TFP_VEC(tfp_extent) extents;
    TFP_VEC(int64_t) dims;
    TFP_VEC(tfp_shard) files;
    uint64_t file_bytes;     /* size of all files; limits what they may unpack to */
    uint64_t wide_bytes;     /* size of all values in memory */
    size_t kept, keep_limit; /* bytes of names, shapes and slices */
    int version;
    bool big_endian;
    tfp_reader *reader;
};

/* A request to read a part of a variable: `count` values are stored at `to`; texts of strings belong to `owner`. */
typedef struct tfp_part_read {
    const tfp_variable *v;
    const tfp_part *part;
    size_t count;
    tfp_tensor *owner;
    void *to;
} tfp_part_read;
/* The reader of each version. Both are called with a part that fits the variable's shape. */
tfp_status tfp_checkpoint_read_part_v1(const tfp_checkpoint *c, const tfp_part_read *x, tfp_error *err);
tfp_status tfp_checkpoint_read_part_v2(const tfp_checkpoint *c, const tfp_part_read *x, tfp_error *err);

/* Version 1: adds a table of values. Call tfp_checkpoint_end_v1 after the last one. */
tfp_status tfp_checkpoint_add_v1(tfp_checkpoint *c, tfp_builder *b, const tfp_shard *file, tfp_error *err);
tfp_status tfp_checkpoint_end_v1(tfp_checkpoint *c, tfp_error *err);

/* Version 2: reads the index. */
tfp_status tfp_checkpoint_read_v2(tfp_checkpoint *c, tfp_builder *b, const tfp_source *index, tfp_error *err);

/* ---- shared by both versions ---- */

/* Counts bytes that are kept in memory. Only a file that was made to exhaust memory exceeds the limit. */
tfp_status tfp_checkpoint_keep(tfp_checkpoint *c, size_t bytes, tfp_error *err);
/* Reads a TensorShapeProto and appends it to c->dims. */
tfp_status tfp_checkpoint_shape(tfp_checkpoint *c, tfp_str bytes, tfp_error *err);
/* Reads a TensorSliceProto of that variable and appends it to c->extents. */
tfp_status tfp_checkpoint_slice(tfp_checkpoint *c, tfp_str bytes, const tfp_variable *v, tfp_error *err);
/* Checks a VersionDef: whether this version can be read. */
tfp_status tfp_checkpoint_version(tfp_str bytes, tfp_error *err);
/* Warns once that values of this type cannot be read; only the names are. */
void tfp_checkpoint_warn_type(tfp_builder *b, int dtype, tfp_str name);
static inline int64_t tfp_extent_length(tfp_extent e, int64_t dim) { return e.length < 0 ? dim : e.length; }
/* Checks that a slice lies within the shape and counts its elements. */
tfp_status tfp_slice_count(const int64_t *dims, const tfp_extent *slice, size_t dim_count, uint64_t *count,
                           tfp_error *err);
/* Builds the key of a variable's slice in the table. */
void tfp_slice_key(tfp_buf *key, tfp_str name, const tfp_extent *slice, size_t dim_count);
/* Opens one of c->files, whose size must not have changed. */
tfp_status tfp_shard_open(const tfp_shard *file, tfp_source *out, tfp_error *err);
/* Locks the reader for one thread and opens that file; the caller releases it with tfp_reader_give. */
tfp_status tfp_reader_take(const tfp_checkpoint *c, uint32_t file, tfp_reader **out, tfp_error *err);
void tfp_reader_give(tfp_reader *r);
tfp_reader *tfp_reader_new(void); /* NULL: out of memory */
void tfp_reader_free(tfp_reader *r);

/* ---- files by name ---- */

/* The files of a path: one index, or any number of tables. */
typedef struct tfp_file_set {
    tfp_arena arena;
    TFP_VEC(char *) tables;
    char *prefix; /* prefix of version 2; NULL when the path does not show it */
} tfp_file_set;

/* Errors do not contain the path. Free with tfp_file_set_free, also after an error. */
tfp_status tfp_file_set_find(tfp_file_set *set, const char *path, tfp_error *err);
void tfp_file_set_free(tfp_file_set *set);
/* Only regular files are opened: opening and closing a FIFO would end its writer. */
bool tfp_is_table_file(const char *path);
/* The last part of a path. */
const char *tfp_base_name(const char *path);

#endif
