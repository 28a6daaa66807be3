// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/drive.h: what every fuzz target does with what opened: every view to every output. */
#ifndef TFP_DRIVE_H
#define TFP_DRIVE_H

#include "tfprof/tfprof.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Finishes the profile and drives all of it: warnings, views, outputs, the profile written and read again. A replay
 * gets all option sets, changed copies in it a few, and an input of the fuzzer's build one view or one other thing, chosen
 * by `pick`. Ends the program (abort) when a
 * promise of tfprof.h is broken: a message of two lines, output after a failure, a view that differs when repeated. */
void drive_profile(tfp_profile *p, uint64_t pick);

/* One view with those options in every output (a fuzzer: text and one that `pick` chooses). */
void drive_view(const tfp_profile *p, const char *view, const tfp_options *o, uint64_t pick, tfp_error *err);

/* A table in every form that it has: text always, of the others those that do not answer "no such form". */
void drive_table(const tfp_report *r, tfp_error *err);

/* Adds bytes as that format, drives what opened, frees all. `before` (may be NULL) is added first. */
typedef struct drive_part {
    const char *format;
    const void *data;
    size_t size;
} drive_part;
void drive_bytes(const drive_part *parts, size_t count);

/* The same parts added and finished one by one must make the profile that they make at once. */
void drive_grown(const drive_part *parts, size_t count);

/* A small valid graph (text) for formats that speak about the nodes of one. */
extern const drive_part drive_graph;

/* A hash of the input: which option sets it meets. */
uint64_t drive_pick(const void *data, size_t size);

/* Set by the replay program: all option sets instead of a few. */
extern bool drive_everything;

/* What an output wrote: `ctx` of drive_take is a drive_text that begins empty; free its data. */
typedef struct drive_text {
    char *data;
    size_t size, capacity;
} drive_text;
int drive_take(void *ctx, const void *data, size_t size);

/* Cuts an input into at most `most` parts, each behind a length of two bytes; the formats are given. Returns how many there are. */
size_t drive_split(const char *const *formats, size_t most, const uint8_t *data, size_t size, drive_part *parts);

/* A folder of this process for formats that are files; removed at exit. */
const char *drive_folder(void);
void drive_file(const char *name, const void *data, size_t size);
void drive_remove(const char *name);

#endif
