// SPDX-License-Identifier: Apache-2.0
/* views/spans/trace.h: shared by the tables of a trace: the process and device of an activity, lengths of unions of intervals,
 * the path of a span, its stats. Made once per report, in the report's arena. Reads the events of the profile. */
#ifndef TFP_VIEWS_TRACE_H
#define TFP_VIEWS_TRACE_H

#include "model/tables/span_kinds.h"
#include "model/tables/types.h"
#include "query/intervals.h"

/* One rank or host: all processes that came from one file, or from one rank of a merged file. */
typedef struct tfp_trace_unit {
    int64_t rank;              /* from the file, otherwise the index of the file */
    bool named;                /* whether the file has the rank */
    int64_t origin_ns, end_ns; /* first start and last end of its spans */
    bool has_devices;
} tfp_trace_unit;

/* A device of a unit with its activities. A unit without devices has one named "cpu" with its host ops. */
typedef struct tfp_trace_device {
    uint32_t unit;
    tfp_str name;
    bool host;
    bool has_async;           /* one of its lanes has the role TFP_ROLE_ASYNC */
    size_t first, count;      /* index in items: those of its spans that are stored singly, by start */
    int64_t start_ns, end_ns; /* of its spans */
} tfp_trace_device;

typedef struct tfp_trace_index {
    const tfp_profile *p;
    const struct tfp_cut *cut; /* the time range; NULL: none */
    const tfp_span_columns *s;
    const tfp_lane_list *lanes;
    tfp_trace_unit *units;
    size_t unit_count;
    uint32_t *unit_of_process;
    bool one_file;            /* all units are of one file: ranks that were merged */
    uint32_t *device_of_lane; /* index in devices, or TFP_NONE */
    bool *lane_on_host;       /* for each lane: it has no device activity beside it, so its host ops count */
    tfp_trace_device *devices;
    size_t device_count;
    uint32_t *items; /* indexes in spans */
    size_t item_count;
} tfp_trace_index;

tfp_status tfp_trace_index_new(tfp_report *r, tfp_trace_index *x, tfp_error *err);
/* For tfp_row_table.shown: the column `rank` is present when there are several. */
#define TFP_SHOWN_RANKS 1u
static inline unsigned tfp_trace_shown(const tfp_trace_index *x) { return x->unit_count > 1 ? TFP_SHOWN_RANKS : 0; }
uint32_t tfp_trace_unit_of(const tfp_trace_index *x, uint32_t span);
/* The activities of a device by start (model/trace/scan.h). */
struct tfp_time_scan tfp_device_scan(const tfp_trace_index *x, uint32_t device);
/* Whether it was made from executions (model/join/runs.h). */
bool tfp_trace_is_runs(const tfp_trace_index *x);

/* Why the host waits in a span. */
enum {
    TFP_WAITS_NOT,
    TFP_WAITS_SYNCHRONIZE,
    TFP_WAITS_ITEM,
    TFP_WAITS_DATA,
    TFP_WAITS_QUEUE,
    TFP_WAITS_BARRIER,
    TFP_WAITS_LOCK
};
/* For each span why it waits; only outermost waits are set (trace/wait.c). NULL: out of memory. */
const uint8_t *tfp_host_waits(tfp_report *r, const tfp_trace_index *x);
/* Whether an API call waits for the device (trace/wait.c). */
bool tfp_trace_waits(const tfp_trace_index *x, uint32_t call);

/* The windows of steps: those of unit `u` are the windows order[first[u]] to before order[first[u + 1]], by start. */
typedef struct tfp_unit_windows {
    uint32_t *order;
    size_t *first;
} tfp_unit_windows;
bool tfp_windows_by_unit(tfp_arena *a, const tfp_trace_index *x, tfp_unit_windows *out); /* false: out of memory */

/* ---- steps that no mark tells (guessed_steps.c) ---- */
/* What `check` says about a source of steps; NULL: it is marks. */
const char *tfp_stand_in(unsigned source);
/* Whether guessed steps contain less than half of the work, so that no conclusion can be drawn from them. */
bool tfp_steps_hold_little(const tfp_profile *p);
/* Adds a note about guessed steps, with their share of the work; `side`: prefix in a comparison, or NULL. */
tfp_status tfp_note_guessed_steps(tfp_report *r, const tfp_profile *p, const char *side, tfp_error *err);

/* ---- unions of spans ---- */
/* The union of the device's spans (sorted by start) whose class is in `classes` (bits 1 << class). */
bool tfp_union_of(tfp_arena *a, const tfp_trace_index *x, const tfp_trace_device *d, unsigned classes, tfp_union *u);
/* The length of the union of a device's spans, except skipped ones, within another union. */
int64_t tfp_union_of_others(const tfp_trace_index *x, const tfp_trace_device *d, const tfp_union *within,
                            bool (*skip)(const void *ctx, uint32_t span), const void *ctx);

#define TFP_CLASS_BIT(class) (1u << (class))
#define TFP_CLASS_ALL 15u
#define TFP_CLASS_COPIES (TFP_CLASS_BIT(TFP_CLASS_COPY) | TFP_CLASS_BIT(TFP_CLASS_SET))

/* ---- spans ---- */
/* Converts a real number to int64: values outside the range are clamped, NaN is 0. */
static inline int64_t tfp_whole_of(double x)
{
    return x >= 0x1p63 ? INT64_MAX : x < -0x1p63 ? INT64_MIN : x == x ? (int64_t)x : 0;
}
/* Sorts spans by lane, then by start, the longer first. False: out of memory. */
bool tfp_order_nested(uint32_t *spans, size_t count, const tfp_span_columns *s);
/* Whether a span is a frame of Python: in XPlane an annotation whose name has the tracer's sign. */
bool tfp_is_frame(const tfp_profile *p, uint32_t span);
tfp_strid tfp_stat_key(const tfp_profile *p, const char *name); /* TFP_NONE: no span has it */
/* The stat of a span, or in a set of stats, with that key, or NULL. Look the key up once, with tfp_stat_key. */
const tfp_stat *tfp_span_stat(const tfp_profile *p, uint32_t span, tfp_strid key);
const tfp_stat *tfp_stat_in(const tfp_profile *p, uint32_t stats, tfp_strid key);
tfp_str tfp_span_name(const tfp_profile *p, uint32_t span);
/* Whether the span is within the report's step and time range; always true for a report of everything. */
bool tfp_span_in_step(const tfp_report *r, uint32_t span);
bool tfp_span_in_window(const tfp_report *r, uint32_t span); /* and within the window of a step */
/* The share of the devices' time in graph replays whose capture is in no file; 0: the report does not tell it
 * (attributed.c). */
double tfp_share_without_capture(const tfp_report *r);
/* Appends the path: annotations, modules and ops around the span, outermost first, then its name. */
void tfp_span_path(const tfp_profile *p, uint32_t span, tfp_buf *out);

#endif
