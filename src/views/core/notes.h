// SPDX-License-Identifier: Apache-2.0
/* views/core/notes.h: notes of a report: a code for programs and a sentence for people. */
#ifndef TFP_NOTES_H
#define TFP_NOTES_H

#include "base/base.h"

struct tfp_report;

#define NOTE(id, name, help) TFP_NOTE_##id,
#define REMARK(id, name, help) TFP_NOTE_##id,
typedef enum tfp_note_code {
#include "views/core/notes.def"
    TFP_NOTE_CODES
} tfp_note_code;
#undef NOTE
#undef REMARK

typedef struct tfp_note_kind {
    const char *name, *help;
    bool remark; /* it does not put any number of the report in doubt */
} tfp_note_kind;
extern const tfp_note_kind tfp_note_kinds[]; /* indexed by tfp_note_code; the last has no name */

typedef struct tfp_note {
    tfp_note_code code;
    const char *text; /* escaped; in the report's arena */
} tfp_note;

tfp_status tfp_report_note_add(struct tfp_report *r, tfp_note_code code, tfp_error *err, const char *format, ...)
    TFP_PRINTF(4, 5);
/* Copies a note of another report, as "SIDE: TEXT" when it is about one side of a comparison. NULL: no side; then a
 * note that the report has is not added again. */
tfp_status tfp_report_note_copy(struct tfp_report *r, const char *side, const tfp_note *note, tfp_error *err);
/* Adds a note where sums were clamped, naming the files. */
tfp_status tfp_report_note_clamped(struct tfp_report *r, tfp_error *err);
const tfp_note *tfp_report_note_at(const struct tfp_report *r, size_t i); /* NULL: past the end */
/* The first note with that code; NULL: none. */
const tfp_note *tfp_report_note_of(const struct tfp_report *r, tfp_note_code code);

#endif
