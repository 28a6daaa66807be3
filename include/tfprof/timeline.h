// SPDX-License-Identifier: Apache-2.0
/* tfprof/timeline.h: recorded activity over time, in windows.
 * Threads: any number may ask one timeline at a time. */
#ifndef TFPROF_TIMELINE_H
#define TFPROF_TIMELINE_H

#include "tfprof/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Recorded activity indexed for fast answers about any window of time: lanes (threads, streams, devices), each
 *  with rows of spans that do not overlap; rows are numbered through all lanes. For RunMetadata and ProfileProto (read
 *  with TFP_KEEP_MEMORY) each step has its own lanes. Times count from the first start.
 *  A timeline refers to its profile, which must not change or be freed before it. Threads: any number may use one
 *  timeline.
 *  Errors: TFP_BADARG a profile without TFP_KEEP_MEMORY; TFP_NOMEM. */
typedef struct tfp_timeline tfp_timeline;
TFP_API tfp_status tfp_timeline_new(const tfp_profile *p, tfp_timeline **out, tfp_error *err);
TFP_API void tfp_timeline_free(tfp_timeline *t);             /**< NULL is allowed */
TFP_API uint64_t tfp_timeline_memory(const tfp_timeline *t); /**< bytes of memory besides the profile's */

/** The lanes: step, rank, process, device, lane, label, title, detail, kind, first_row, rows, spans, start_us, end_us,
 *  busy_us (a table, as are all answers below). step: only lanes of that step's executions; -1: all.
 *  Errors: TFP_NOMEM. */
TFP_API tfp_status tfp_timeline_lanes(const tfp_timeline *t, int64_t step, tfp_report **out, tfp_error *err);

/** The items visible in the window from_ns to to_ns, drawn `width` pixels wide, in these `rows` ("0-24,33"; NULL: all):
 *  row, span, count, start_us, duration_us, busy_us, name, kind, short, class, self_us, parent, launch, and with
 *  `search` (NULL: none) found. Spans narrower than a pixel that start in the same pixel are merged into one item with
 *  their `count` and busy time.
 *  Errors: TFP_BADARG no such window or list of rows; TFP_NOMEM. */
TFP_API tfp_status tfp_timeline_spans(const tfp_timeline *t, int64_t from_ns, int64_t to_ns, int width,
                                      const char *rows, const char *search, tfp_report **out, tfp_error *err);

/** The same for the whole timeline (executions: of one step; -1: all) in about `most` items: every span when they fit,
 *  otherwise neighbouring spans are merged, and a note says so. Errors: TFP_NOMEM. */
TFP_API tfp_status tfp_timeline_whole(const tfp_timeline *t, int64_t step, int64_t most, tfp_report **out,
                                      tfp_error *err);

/** The time of a window by name (executions: the type of the node), kind, lane or op (`by`; NULL: name): name, short,
 *  kind, device, count, total_us, mean_us, min_us, max_us, share, span; devices first, then most time first. Nothing
 *  counts twice: each moment of a thread counts for the innermost span, and activities of devices count in full; all
 *  are clipped to the window. device_us and host_us are the time of all spans in these rows; a share is relative to one
 *  of them. Times of devices and of the host are never added.
 *  search  only spans whose name contains it, ignoring case; by op also those whose op does; NULL: all
 *  rows    only lanes with one of these rows, such as "0-24,33"; NULL: all
 *  Errors: TFP_BADARG no such window, grouping or list of rows; TFP_NOMEM. */
TFP_API tfp_status tfp_timeline_sums(const tfp_timeline *t, int64_t from_ns, int64_t to_ns, const char *by,
                                     const char *search, const char *rows, tfp_report **out, tfp_error *err);

/** The span for which each moment counts in tfp_timeline_sums, for the whole timeline (executions: of one step; -1:
 *  all): span, name, op, start_us, duration_us. A row is a stretch of time that counts for the span; name is absent if
 *  sums use the span's own name; start and duration are absent if all of the span counts for it, and duration is 0 if
 *  nothing does. Spans without a row count in no sum. Programs that hold a recording without this library, such as a
 *  report's page, clip these rows to a window and add them up.
 *  most    TFP_LIMIT for more spans than that; 0: any number
 *  Errors: TFP_LIMIT; TFP_NOMEM. */
TFP_API tfp_status tfp_timeline_leaves(const tfp_timeline *t, int64_t step, int64_t most, tfp_report **out,
                                       tfp_error *err);

/** Counters of a trace, and the memory that devices held, over time: rank, name, unit, at_us, value, by counter and
 *  time. If a counter has more than some thousand samples, only the largest of each part of the time are returned.
 *  Errors: TFP_NOMEM. */
TFP_API tfp_status tfp_timeline_counters(const tfp_timeline *t, tfp_report **out, tfp_error *err);

/** The next span after `after` (-1: the first one; with `backward` the one before it) whose name contains `search`,
 *  ignoring case: span, row, start_us, duration_us, name; the number of matches (matches), and its place among them.
 *  When there is no further one the table is empty. Errors: TFP_NOMEM. */
TFP_API tfp_status tfp_timeline_find(const tfp_timeline *t, const char *search, int64_t first_row, int64_t last_row,
                                     int64_t after, int backward, tfp_report **out, tfp_error *err);

/** One span: name, kind, lane, times, step, place in the model, its arguments (args), and a row for each linked span:
 *  relation, span, row, name, start_us, duration_us. Errors: TFP_NOTFOUND no such span; TFP_NOMEM. */
TFP_API tfp_status tfp_timeline_span(const tfp_timeline *t, int64_t span, tfp_report **out, tfp_error *err);

#ifdef __cplusplus
}
#endif
#endif
