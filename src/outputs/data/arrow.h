// SPDX-License-Identifier: Apache-2.0
/* outputs/data/arrow.h: the structures of the Arrow C data and C stream interfaces, and a report as such a stream.
 * Their layout is an ABI: https://arrow.apache.org/docs/format/CDataInterface.html and CStreamInterface.html. The guards
 * are the ones given there, so that another header with the same structures may be included as well. */
#ifndef TFP_ARROW_H
#define TFP_ARROW_H

#include "model/tables/types.h"

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema { /* the type of a column, or of a batch, whose children are its columns */
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *); /* NULL: released, or moved elsewhere */
    void *private_data;
};

struct ArrowArray { /* the values of such a type */
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};
#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out); /* 0 or an errno */
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);    /* at the end a released array */
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};
#endif

/* Exports the flat table of a report (views/core/table.h) in batches of at most `rows_most` rows; a batch also ends with the row at
 * which a text column reaches `text_most` bytes, because offsets have 32 bits. Everything is copied: the stream
 * outlives the report. On failure *out is a released stream. TFP_LIMIT: a cell is too long for such a batch. */
tfp_status tfp_arrow_export(const tfp_report *r, size_t rows_most, size_t text_most, struct ArrowArrayStream *out,
                            tfp_error *err);

enum { TFP_ARROW_ROWS = 1 << 16, TFP_ARROW_TEXT = 1 << 30 }; /* the limits that tfp_report_arrow sets */

#endif
