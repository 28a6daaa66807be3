// SPDX-License-Identifier: Apache-2.0
/* model/trace/scan.h: the one way to read the spans of a trace for sums and for times. It hides how a lane is stored: each span in
 * columns, or compact rows of which sums are kept. A scan decodes rows in batches, and applies its filters.
 *
 *     for (tfp_scan s = tfp_scan_of(p, &(tfp_scan_ask){ .kinds = TFP_SPANS(ACTIVITY), .step = step }); tfp_scan_next(&s);)
 *         for (const tfp_scan_row *row = s.rows; row < s.rows + s.count; row++) ... row->self_ns ...
 *
 * A loop that ends early, or a scan with `runs`, is followed by tfp_scan_end. */
#ifndef TFP_SCAN_H
#define TFP_SCAN_H

#include "model/tables/span_kinds.h"
#include "model/tables/types.h"
#include "query/groups.h"

#define TFP_SPANS(kind) (1u << TFP_SPAN_##kind)
enum { TFP_SCAN_BATCH = 32 };

/* ---- sums ---- */

/* One span, or spans of a lane that are alike and stored as their sum: same name, place, stats, step and class. */
typedef struct tfp_scan_row {
    uint32_t span; /* of one span: its index in the columns; TFP_NONE: a stored sum */
    uint32_t process, lane, step, node;
    tfp_strid name, path;
    /* indexes in stat_sets and traces. work: the stats that tell what it computes; call: those of its launch */
    uint32_t stats, work_stats, call_stats, trace;
    uint8_t kind, class, marks;
    tfp_fold self_ns;
    int64_t runs,
        step_runs; /* runs of an instruction that begin here; those of them in a listed step. Only with `runs` */
} tfp_scan_row;

typedef struct tfp_scan_ask {
    unsigned kinds;       /* bits TFP_SPANS(kind); 0: all */
    tfp_step_choice step; /* the steps that count */
    bool outside;         /* spans outside of the time range, too */
    bool runs;
} tfp_scan_ask;

typedef struct tfp_scan {
    size_t count; /* rows of the batch */
    tfp_scan_row rows[TFP_SCAN_BATCH];
    bool failed; /* out of memory */
    /* where the scan goes on */
    const tfp_profile *p;
    tfp_scan_ask ask;
    uint32_t span;
    size_t lane, group;
    bool *open; /* by lane: its last activity began a run that nothing counted yet */
} tfp_scan;

tfp_scan tfp_scan_of(const tfp_profile *p, const tfp_scan_ask *ask);
bool tfp_scan_next(tfp_scan *s); /* false: there is no row left, or no memory */
void tfp_scan_end(tfp_scan *s);
/* How certain the place of a row's activities is (tfp_certainty). */
unsigned tfp_scan_certainty(const tfp_profile *p, const tfp_scan_row *row);
/* The time of threads in the outermost ones of a step's spans that are stored as sums; step TFP_NONE: outside of all steps. */
int64_t tfp_scan_outer_ns(const tfp_profile *p, uint32_t step);

/* ---- times ---- */

/* The kinds of spans that make a device busy: activities; where there is no device, host ops stand in for them. */
static inline unsigned tfp_device_kinds(bool host)
{
    return host ? TFP_SPANS(OP) | TFP_SPANS(CALL) : TFP_SPANS(ACTIVITY);
}

typedef struct tfp_time_row { /* an activity, and the call that launched it */
    int64_t start_ns, end_ns, call_start_ns, call_end_ns;
    uint8_t class;
    bool launched; /* the call is known */
} tfp_time_row;

typedef struct tfp_time_ask {
    uint32_t device;
    const uint32_t *device_of_lane; /* for each lane its device */
    const bool *lane_on_host;
    const uint32_t *spans; /* the device's spans that are stored singly, by start */
    size_t span_count;
} tfp_time_ask;

/* A scan of a device's activities by start. It is used as tfp_scan is, and always followed by tfp_time_scan_end. */
typedef struct tfp_time_scan {
    size_t count;
    tfp_time_row rows[TFP_SCAN_BATCH];
    bool failed; /* out of memory */
    /* where the scan goes on */
    const tfp_profile *p;
    tfp_time_ask ask;
    bool compact;
    size_t next;                     /* index in the spans */
    struct tfp_time_stream *streams; /* of compact lanes: a heap */
    size_t stream_count;
} tfp_time_scan;

tfp_time_scan tfp_time_scan_of(const tfp_profile *p, const tfp_time_ask *ask);
bool tfp_time_scan_next(tfp_time_scan *s);
void tfp_time_scan_end(tfp_time_scan *s);

/* From the first start to the last end of a lane's spans of these kinds (0: of all) that are not stored singly. The end comes first
 * if there are none. */
typedef struct tfp_extent {
    int64_t start_ns, end_ns;
} tfp_extent;
tfp_extent tfp_scan_extent(const tfp_profile *p, uint32_t lane, unsigned kinds);

#endif
