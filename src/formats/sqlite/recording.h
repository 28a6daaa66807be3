// SPDX-License-Identifier: Apache-2.0
/* formats/sqlite/recording.h: what the readers of recordings in SQLite share: lanes, times, names, ranges, and the list
 * of readers. Each reader knows the tables of one program. */
#ifndef TFP_FORMATS_RECORDING_H
#define TFP_FORMATS_RECORDING_H

#include "formats/sqlite/db.h"
#include "model/builder.h"
#include "model/event_builder.h"

typedef struct tfp_recording {
    tfp_builder *b;
    tfp_db db;
    const char *ending;      /* what follows the names of tables; NULL: nothing */
    bool versions;           /* names of tables may end in _V2, _V3 and so on */
    uint32_t process;        /* number in the profile: one process per file */
    const char *device_kind; /* "gpu"; part of the names of lanes */
    tfp_map64 owner_of_thread, lane_by_thread, lane_by_stream;
    tfp_map64 bits_of_name; /* cache of tfp_kineto_look_at_name */
    tfp_strid bytes, dims;
    int64_t spans, unreadable;
    bool steps_listed; /* a table lists the steps, so ranges are not taken as steps */
} tfp_recording;

/* ---- tables ---- */
typedef struct tfp_recording_table {
    const char *name, *columns; /* columns: names with blanks between them */
    unsigned needs;             /* an existing table that lacks one of these columns (one bit each) is an error */
    bool timed;                 /* a row without times in its first two columns is no span, and is not added */
    void (*add)(void *reader, const tfp_db_rows *rows, tfp_event *e); /* adds a row; e: has its times if `timed` */
} tfp_recording_table;
/* Reads all rows of one table; of some tables, one after the other. */
tfp_status tfp_recording_read(tfp_recording *r, const tfp_recording_table *t, void *reader, tfp_error *err);
tfp_status tfp_recording_read_all(tfp_recording *r, const tfp_recording_table *t, size_t count, void *reader,
                                  tfp_error *err);

/* ---- names ---- */
/* Reads a table of ids and texts into a map from id to string of the profile. columns: "id text". */
tfp_status tfp_recording_names(tfp_recording *r, const char *table, const char *columns, tfp_map64 *to, tfp_error *err);
tfp_str tfp_recording_name(const tfp_recording *r, const tfp_map64 *names, int64_t id); /* empty text: unknown id */
uint8_t tfp_recording_bits(tfp_recording *r, tfp_strid name);

/* ---- lanes ---- */
uint32_t tfp_recording_thread(tfp_recording *r, int64_t pid, int64_t tid);
/* stream: a number as text, or a word. */
uint32_t tfp_recording_stream(tfp_recording *r, int64_t device, tfp_str stream);
uint32_t tfp_recording_numbered_stream(tfp_recording *r, int64_t device, int64_t stream);
uint32_t tfp_recording_aside(tfp_recording *r, int64_t pid, int64_t tid); /* a lane that is shown but never counted */

/* ---- spans ---- */
/* Reads start and end from the first two columns. False: the row is no span, and is counted as unreadable. */
bool tfp_recording_times(tfp_recording *r, const tfp_db_rows *rows, tfp_event *e);
uint32_t tfp_recording_add(tfp_recording *r, const tfp_event *e); /* returns an index in spans */
/* Make a set of stats, with the size of a copy or the shapes of an operator's inputs, and return its index. */
uint32_t tfp_recording_bytes(tfp_recording *r, int64_t bytes);
uint32_t tfp_recording_shapes(tfp_recording *r, tfp_str shapes);
/* Adds a range: its text tells whether it is a step, an operator of PyTorch or an annotation. The lane and the times
 * must be set. */
typedef enum tfp_range_kind {
    TFP_RANGE_NVTX, /* begins and ends on one thread */
    /* also on one thread; a name such as aten::mm alone makes no operator, because people also mark such ranges by
     * hand */
    TFP_RANGE_MARKER,
    TFP_RANGE_CROSSES /* may end on another thread, so it is used only if it is a step */
} tfp_range_kind;
void tfp_recording_range(tfp_recording *r, tfp_event *e, tfp_str text, tfp_range_kind kind);
void tfp_recording_step(tfp_recording *r, tfp_event *e, int64_t number);

/* ---- the readers ---- */
typedef struct tfp_recording_kind {
    const char *program;
    const char *const
        *words; /* texts in the schema, any of which shows that a file may be this reader's; ended by NULL */
    bool (*is)(const tfp_db *d);
    tfp_status (*read)(tfp_recording *r, tfp_error *err);
} tfp_recording_kind;
extern const tfp_recording_kind tfp_recording_nsys, tfp_recording_rpd, tfp_recording_rocpd, tfp_recording_ascend;

#endif
