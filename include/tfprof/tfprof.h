// SPDX-License-Identifier: Apache-2.0
/* tfprof.h: the public header of libtfprof, a profiler for deep-learning models. It includes one header for each
 * subject: base.h (statuses, errors, tables), profile.h, options.h, report.h, compare.h, gate.h, timeline.h and live.h.
 *
 * The life of an analysis:
 *
 *     tfp_profile *p = tfp_profile_new();
 *     tfp_profile_add_file(p, NULL, "profile_10", err);        any number of files; the content shows the format
 *     tfp_profile_finish(p, err);                              no more files: now many threads may read the profile
 *     tfp_options *o = tfp_options_new();
 *     tfp_options_set(o, "select", "micros,bytes", err);
 *     tfp_report_build(p, "scope", o, &r, err);                rows, in memory
 *     tfp_report_write(r, "text", write_to_stdout, NULL, err); rows, as bytes
 *     tfp_report_free(r); tfp_options_free(o); tfp_profile_free(p);
 *
 * Rules that hold everywhere:
 *  - Nothing here prints, exits, aborts or keeps global state.
 *  - Functions that can fail return a tfp_status (0 is success) and take a tfp_error last, which may be NULL.
 *  - A pointer argument may be NULL where its comment says so; elsewhere NULL gives TFP_BADARG, never a crash.
 *  - Strings are UTF-8 as found in the files, ended by NUL; a returned string lives as long as the object that it came
 *    from.
 *  - Units: times are microseconds (with decimals where a trace has them), sizes are bytes, everything else is a plain
 *    count.
 *  - An absent value is not 0: such a value comes by pointer, and the function returns 1 when there is one and 0 when
 *    not (tfp_report_int); an absent string is NULL. A function that returns a number directly says which number it has
 *    for "none" (-1 for a count or a share, 0 for an errno, a signal or a type); tfp_report_value, whose 0 may mean
 *    either, is deprecated.
 *  - Every tfp_..._free accepts NULL.
 *  - Threads: objects may be used from any thread; one object from several threads at a time only where the header's
 *    first comment, or a function's, says so.
 *  - Versions: as long as the major number is the same (the soname libtfprof.so.0 says it), a program runs with every
 *    newer library without being built again. Functions stay, with their arguments and meanings, if need be as
 *    deprecated ones (TFP_DEPRECATED); enums grow at their end, so a program meets values that it does not know; structs that a caller fills in do not change.
 *    TFP_VERSION_NUMBER and tfp_version_number() tell what is there; tools/abi.py compares each build with the last
 *    release.
 */
#ifndef TFPROF_TFPROF_H
#define TFPROF_TFPROF_H

#include "tfprof/base.h"
#include "tfprof/profile.h"
#include "tfprof/options.h"
#include "tfprof/report.h"
#include "tfprof/compare.h"
#include "tfprof/gate.h"
#include "tfprof/timeline.h"
#include "tfprof/live.h"

#endif
