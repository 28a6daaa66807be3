// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/drive/drive.h: what every fuzz target does with an opened profile: every view to every output. */
#ifndef TFP_DRIVE_H
#define TFP_DRIVE_H

#include "tfprof/tfprof.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Finishes the profile and uses all of it: warnings, views, outputs, the profile written and read again. In a replay,
 * an input gets all option sets and its changed copies a few; in the fuzzer's build, an input gets one view or one
 * other check, selected by `pick`. Aborts the program if a promise of tfprof.h is broken: a message of two lines,
 * output after a failure, a view that differs when repeated. */
void drive_profile(tfp_profile *p, uint64_t pick);

/* Prints one view with these options to every output (in a fuzzer: to text and one that `pick` selects). */
void drive_view(const tfp_profile *p, const char *view, const tfp_options *o, uint64_t pick, tfp_error *err);

/* Prints a table in every form: always as text, and in the others unless they return "no such form". */
void drive_table(const tfp_report *r, tfp_error *err);

/* Adds the bytes as this format, uses what was opened, and frees everything. `before` (may be NULL) is added first. */
typedef struct drive_part {
    const char *format;
    const void *data;
    size_t size;
} drive_part;
void drive_bytes(const drive_part *parts, size_t count);

/* Checks that the parts, added and finished one by one, give the same profile as when added at once. */
void drive_grown(const drive_part *parts, size_t count);

/* A small valid graph (text) for formats that refer to the nodes of a graph. */
extern const drive_part drive_graph;

/* A hash of the input, which selects the option sets. */
uint64_t drive_pick(const void *data, size_t size);

/* Set by the replay program: all option sets instead of a few. */
extern bool drive_everything;

/* The bytes that an output wrote: `ctx` of drive_take is a drive_text, empty at first; the caller frees its data. */
typedef struct drive_text {
    char *data;
    size_t size, capacity;
} drive_text;
int drive_take(void *ctx, const void *data, size_t size);

/* Splits an input into at most `most` parts, each after a length of two bytes; the formats are given. Returns the
 * number of parts. */
size_t drive_split(const char *const *formats, size_t most, const uint8_t *data, size_t size, drive_part *parts);

/* A temporary folder for formats that must be files; removed at exit. */
const char *drive_folder(void);
void drive_file(const char *name, const void *data, size_t size);
void drive_remove(const char *name);

#endif
