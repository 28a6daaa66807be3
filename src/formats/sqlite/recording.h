// SPDX-License-Identifier: Apache-2.0
/* formats/sqlite/recording.h: what the readers of recordings in SQLite share: lanes, times, names, ranges, and the list of
 * readers. Each reader knows the tables of one program. */
#ifndef TFP_FORMATS_RECORDING_H
#define TFP_FORMATS_RECORDING_H

#include "formats/sqlite/db.h"
#include "model/builder.h"
#include "model/event_builder.h"

typedef struct tfp_recording {
    tfp_builder *b;
    tfp_db db;
    uint32_t process;        /* the profile's: one a file */
    const char *device_kind; /* "gpu", as in the names of lanes */
    tfp_map64 owner_of_thread, lane_by_thread, lane_by_stream;
    tfp_map64 bits_of_name; /* tfp_kineto_look_at_name */
    tfp_strid bytes, dims;
    int64_t spans, unreadable;
    bool steps_told; /* a table says what the steps are, so no range does */
} tfp_recording;

/* False without memory, which the builder remembers, and after any fault of the builder. */
bool tfp_recording_keep(tfp_recording *r, bool ok);

/* ---- names ---- */
/* Adds a table of ids and texts to a map from ids to strings of the profile. columns: "id text". */
tfp_status tfp_recording_names(tfp_recording *r, const char *table, const char *columns, tfp_map64 *to,
                               tfp_error *err);
tfp_str tfp_recording_name(const tfp_recording *r, const tfp_map64 *names, int64_t id); /* empty: unknown id */
uint8_t tfp_recording_bits(tfp_recording *r, tfp_strid name);

/* ---- lanes ---- */
uint32_t tfp_recording_thread(tfp_recording *r, int64_t pid, int64_t tid);
/* stream: a number as text, or a word. */
uint32_t tfp_recording_stream(tfp_recording *r, int64_t device, tfp_str stream);
uint32_t tfp_recording_numbered_stream(tfp_recording *r, int64_t device, int64_t stream);
uint32_t tfp_recording_aside(tfp_recording *r, int64_t pid, int64_t tid); /* shown, never counted */

/* ---- spans ---- */
/* Start and end stand in the first two columns. False: the row is no span, and is counted as unreadable. */
bool tfp_recording_times(tfp_recording *r, const tfp_db_rows *rows, tfp_event *e);
uint32_t tfp_recording_add(tfp_recording *r, const tfp_event *e); /* -> spans */
uint32_t tfp_recording_bytes(tfp_recording *r, int64_t bytes);    /* a set of stats with the size of a copy */
uint32_t tfp_recording_shapes(tfp_recording *r, tfp_str shapes);  /* a set of stats with the shapes of an operator's inputs */
/* An error when a table that is there lacks one of these columns (a bit each). */
tfp_status tfp_recording_needs(const tfp_db_rows *rows, const char *table, unsigned columns, tfp_error *err);
/* A range: a step, an operator of PyTorch or an annotation, by its text. The lane and the times are set. */
typedef enum tfp_range_kind {
    TFP_RANGE_NVTX,   /* begins and ends on one thread */
    TFP_RANGE_MARKER, /* the same; a name such as aten::mm is no operator: people mark such ranges by hand, too */
    TFP_RANGE_CROSSES /* may end on another thread: it counts only as a step */
} tfp_range_kind;
void tfp_recording_range(tfp_recording *r, tfp_event *e, tfp_str text, tfp_range_kind kind);
void tfp_recording_step(tfp_recording *r, tfp_event *e, int64_t number);

/* ---- the readers ---- */
typedef struct tfp_recording_kind {
    const char *program;
    const char *const *words; /* texts of the schema, any of which says that a file may be its; NULL at the end */
    bool (*is)(const tfp_db *d);
    tfp_status (*read)(tfp_recording *r, tfp_error *err);
} tfp_recording_kind;
extern const tfp_recording_kind tfp_recording_nsys, tfp_recording_rocpd, tfp_recording_ascend;

#endif
