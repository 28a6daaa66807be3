// SPDX-License-Identifier: Apache-2.0
/* formats/json/kineto_broken.h: passes events and other members of a Chrome trace that are no JSON. */
#ifndef TFP_KINETO_BROKEN_H
#define TFP_KINETO_BROKEN_H

#include "base/io.h"
#include "formats/json/kineto.h"
#include "model/builder.h"
#include "wire/jsonscan.h"

#define TFP_KINETO_WINDOW ((size_t)1 << 20)
#define TFP_KINETO_EVENT_MAX ((size_t)256 << 20)

/* A fault in the events, and what was left out because of such faults so far. */
typedef struct tfp_kineto_broken {
    uint64_t count;
    tfp_jresync sync;
    uint64_t skipped; /* bytes of broken events */
    uint64_t parsed;  /* bytes of broken events that were read in vain */
    uint64_t at;      /* the first fault */
    const char *wrong;
} tfp_kineto_broken;

/* At least `want` bytes, or all that are left, but not more: results do not depend on how the input is buffered. */
tfp_status tfp_kineto_window(tfp_input *in, size_t want, tfp_str *window, bool *whole, tfp_error *err);
/* Moves from the broken event at the current position to the next event, or to the end of the array. *found: there is
 * one. Looks at `want` bytes; `on`: and further, to the end of the input. */
tfp_status tfp_kineto_pass(tfp_kineto_broken *k, tfp_input *in, size_t want, bool on, bool *found, tfp_error *err);
/* Counts a broken event with its fault at byte `at`, after `rows` other events. Fails when there are too many. */
tfp_status tfp_kineto_note_broken(tfp_kineto_broken *k, uint64_t rows, const char *wrong, uint64_t at, tfp_error *err);
/* Passes the member beside the events at the current position, in which the scanner found a fault at byte `fault`.
 * *events: whether to look for `traceEvents`; afterwards whether it is the next member. If it is not there, that is an
 * error, unless the file is cut. */
tfp_status tfp_kineto_pass_member(tfp_builder *b, tfp_input *in, const tfp_jscan *j, uint64_t fault, bool *events,
                                  tfp_error *err);
/* Describes the broken events for warnings: their number and first place, and their size if they are big. */
void tfp_kineto_tell_broken(const tfp_kineto_broken *k, tfp_kineto_left_out *left);
/* Fails when more events are broken than not. */
tfp_status tfp_kineto_judge(const tfp_kineto_broken *k, uint64_t rows, tfp_error *err);
/* Reads what follows the trace: blanks, a bracket too many, and zeros at the end of a preallocated or damaged file. */
tfp_status tfp_kineto_read_rest(tfp_kineto_reader *r, tfp_input *in, tfp_error *err);

#endif
