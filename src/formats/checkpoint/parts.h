// SPDX-License-Identifier: Apache-2.0
/* formats/checkpoint/parts.h: what a checkpoint is made of, for the files that read one. */
#ifndef TFP_CHECKPOINT_PARTS_H
#define TFP_CHECKPOINT_PARTS_H

#include "base/source.h"
#include "formats/checkpoint/tensor.h"
#include "model/builder.h"
#include "wire/proto.h"
#include "wire/sstable.h"

#include <pthread.h>

/* One dimension of a slice; length -1: the whole of it. */
typedef struct tfp_extent {
    int64_t start, length;
} tfp_extent;

/* Some or all values of a variable, and where they are. */
typedef struct tfp_part {
    uint32_t file;         /* -> files; TFP_NONE when there is none to look into */
    uint32_t extent_first; /* -> extents, one per dimension; TFP_NONE: all of the variable */
    uint32_t crc;          /* version 2, as the next two: masked, of the bytes */
    uint64_t offset, size;
} tfp_part;

typedef struct tfp_variable {
    tfp_str name;
    int dtype;
    uint32_t dim_first, dim_count;   /* -> dims */
    uint32_t part_first, part_count; /* -> parts */
} tfp_variable;

/* Version 1: a table with the values in it; version 2: a file of values, one after another. */
typedef struct tfp_shard {
    char *path;    /* NULL: the bytes were given in memory */
    tfp_str bytes; /* in memory */
    uint64_t size;
    tfp_sstable table; /* version 1 */
} tfp_shard;

/* The file read last stays open and, of version 1, its block read last stays in memory: neighbours in a file are often
 * asked for one after another. */
typedef struct tfp_reader {
    pthread_mutex_t lock;
    uint32_t file; /* -> files; TFP_NONE: none is open */
    tfp_source source;
    tfp_walk walk;
} tfp_reader;

struct tfp_checkpoint {
    tfp_arena arena;
    char *path;                      /* as given */
    char *prefix;                    /* version 2: before .index and .data-...; NULL when it is not known */
    char *bytes;                     /* version 1 from memory: all of it */
    TFP_VEC(tfp_variable) variables; /* by name */
    TFP_VEC(tfp_part) parts;
    TFP_VEC(tfp_extent) extents;
    TFP_VEC(int64_t) dims;
    TFP_VEC(tfp_shard) files;
    uint64_t file_bytes;     /* of all files: bounds what they may unpack to */
    uint64_t wide_bytes;     /* of all values in memory */
    size_t kept, keep_limit; /* bytes of names, shapes and slices */
    int version;
    bool big_endian;
    tfp_reader *reader;
};

/* A part of a variable that is read: `count` values, which `to` takes; texts of strings belong to `owner`. */
typedef struct tfp_part_read {
    const tfp_variable *v;
    const tfp_part *part;
    size_t count;
    tfp_tensor *owner;
    void *to;
} tfp_part_read;
/* What a version does. Both are called with a part that fits the variable's shape. */
tfp_status tfp_checkpoint_read_part_v1(const tfp_checkpoint *c, const tfp_part_read *x, tfp_error *err);
tfp_status tfp_checkpoint_read_part_v2(const tfp_checkpoint *c, const tfp_part_read *x, tfp_error *err);

/* Version 1: one more table of values. Call tfp_checkpoint_end_v1 after the last one. */
tfp_status tfp_checkpoint_add_v1(tfp_checkpoint *c, tfp_builder *b, const tfp_shard *file, tfp_error *err);
tfp_status tfp_checkpoint_end_v1(tfp_checkpoint *c, tfp_error *err);

/* Version 2: the index. */
tfp_status tfp_checkpoint_read_v2(tfp_checkpoint *c, tfp_builder *b, const tfp_source *index, tfp_error *err);

/* ---- shared by both versions ---- */

/* Counts bytes that are kept of the file against a limit that only a file made to fill memory passes. */
tfp_status tfp_checkpoint_keep(tfp_checkpoint *c, size_t bytes, tfp_error *err);
/* Reads a TensorShapeProto onto the end of c->dims. */
tfp_status tfp_checkpoint_shape(tfp_checkpoint *c, tfp_str bytes, tfp_error *err);
/* Reads a TensorSliceProto of that variable onto the end of c->extents. */
tfp_status tfp_checkpoint_slice(tfp_checkpoint *c, tfp_str bytes, const tfp_variable *v, tfp_error *err);
/* VersionDef: is it one that can be read? */
tfp_status tfp_checkpoint_version(tfp_str bytes, tfp_error *err);
/* Says once that there are types without values, which are then only names. */
void tfp_checkpoint_warn_type(tfp_builder *b, int dtype, tfp_str name);
static inline int64_t tfp_extent_length(tfp_extent e, int64_t dim) { return e.length < 0 ? dim : e.length; }
/* Checks that a slice lies in the shape and counts its elements. */
tfp_status tfp_slice_count(const int64_t *dims, const tfp_extent *slice, size_t dim_count, uint64_t *count,
                           tfp_error *err);
/* The key under which a slice of a variable is kept. */
void tfp_slice_key(tfp_buf *key, tfp_str name, const tfp_extent *slice, size_t dim_count);
/* Opens one of c->files, which must be as long as it was. */
tfp_status tfp_shard_open(const tfp_shard *file, tfp_source *out, tfp_error *err);
/* Gives the reader to one thread, with that file open; the caller hands it back by tfp_reader_give. */
tfp_status tfp_reader_take(const tfp_checkpoint *c, uint32_t file, tfp_reader **out, tfp_error *err);
void tfp_reader_give(tfp_reader *r);
tfp_reader *tfp_reader_new(void); /* NULL without memory */
void tfp_reader_free(tfp_reader *r);

/* ---- files by name ---- */

/* The files that a path stands for: one index, or any number of tables. */
typedef struct tfp_file_set {
    tfp_arena arena;
    TFP_VEC(char *) tables;
    char *prefix; /* of version 2, NULL when the path does not say */
} tfp_file_set;

/* Errors are without the path. Free with tfp_file_set_free, also after an error. */
tfp_status tfp_file_set_find(tfp_file_set *set, const char *path, tfp_error *err);
void tfp_file_set_free(tfp_file_set *set);
/* Only regular files are opened: opening and closing a FIFO would end its writer. */
bool tfp_is_table_file(const char *path);
/* The last part of a path. */
const char *tfp_base_name(const char *path);

#endif
