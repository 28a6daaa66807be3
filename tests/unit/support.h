// SPDX-License-Identifier: Apache-2.0
/* tests/unit/support.h: helpers of the unit tests: make inputs in a line or two, and read results as plain values. */
#ifndef TFP_TEST_SUPPORT_H
#define TFP_TEST_SUPPORT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/base.h"
#include "base/io.h"
#include "model/builder.h"
#include "model/tables/types.h"
#include "views/core/engine.h"
#include "views/core/report.h"

/* A finished profile from text, one node a line: NAME OP and then, in any order,
 *     3us   a run of that time on /device:cpu:0 in step 0      2x3    its shape (parameters)
 *     5B    requested bytes of that run                        7f     float operations
 *     <a/x  an input                                           @1     the step of the run (write it before the time)
 *     +type an extra op type
 * Freed with tfp_profile_free. */
tfp_profile *profile_of(const char *lines);

/* A report of such a profile; `options` are words "name value name value". Freed, with its profile, by drop_report. */
tfp_report *report_of(const char *view, const char *lines, const char *options);
/* Finds or adds the lane of one of TensorFlow's devices or streams, classified by its name, and adds where a node
 * ran. */
uint32_t lane_named(tfp_builder *b, const char *name);
void runs_on(tfp_builder *b, uint32_t node, const char *device);

void drop_report(tfp_report *r);
int64_t own(const tfp_report *r, const char *row, const char *column); /* fails the test if there is no such row */
int64_t total(const tfp_report *r, const char *row, const char *column);
bool has_row(const tfp_report *r, const char *row);
char *rows_of(const tfp_report *r);                     /* "_TFProfRoot a a/x": names in order; freed by the caller */
char *written(const tfp_report *r, const char *output); /* what tfp_report_write gives, ended by NUL */

/* Fails the test if the processor time of the work grows faster than its size. For ten times the size a linear pass
 * takes 10 to 20 times as long (tables outgrow the caches), a quadratic one 100 times; the limit is 30. The best of
 * several attempts counts. `size` should take a millisecond at least. */
void assert_linear(void (*work)(void *ctx, size_t size), void *ctx, size_t size);

/* Collects what is written to it; a tfp_write_fn whose ctx is a tfp_buf. */
int collect(void *ctx, const void *data, size_t size);

/* A new temporary folder, and files in it; drop_folder removes it and everything in it. */
char *new_folder(void);
void drop_folder(char *folder);
char *file_in(const char *folder, const char *name, const void *data, size_t size); /* its path, freed by the caller */

/* The bytes of a file of tests/data/sample; freed by the caller. */
tfp_buf sample_file(const char *file);
/* The finished profile of a file or folder at that path; freed with tfp_profile_free. */
tfp_profile *profile_in_file(const char *path);

/* The same bytes as gzip; freed by the caller. */
tfp_buf gzip_of(const void *data, size_t size);

/* Checks that the call returns `status` and a message that contains `part`. */
#define assert_fails(call, err, wanted, part)                                                                          \
    do {                                                                                                               \
        assert_int_equal((call), (wanted));                                                                            \
        if (!strstr(tfp_error_message(err), (part)))                                                                   \
            fail_msg("message \"%s\" lacks \"%s\"", tfp_error_message(err), (part));                                   \
    } while (0)

#define assert_str(s, literal)                                                                                         \
    do {                                                                                                               \
        tfp_str s_ = (s);                                                                                              \
        assert_int_equal(s_.size, sizeof(literal) - 1);                                                                \
        if (s_.size) assert_memory_equal(s_.data, literal, s_.size);                                                   \
    } while (0)

#endif
