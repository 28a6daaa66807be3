// SPDX-License-Identifier: Apache-2.0
/* tests/unit/options/options_asked.h: builds the options of a test, and reads what a view shows with them. */
#ifndef TFP_TEST_OPTIONS_ASKED_H
#define TFP_TEST_OPTIONS_ASKED_H

#include "support.h"

#include "options/options.h"

typedef struct asked {
    tfp_options *o;
    tfp_error err;
    tfp_buf bytes; /* the message being built */
} asked;

static inline void start(asked *a)
{
    memset(a, 0, sizeof *a);
    a->o = tfp_options_new();
    assert_non_null(a->o);
}

static inline void drop(asked *a)
{
    tfp_options_free(a->o);
    tfp_buf_free(&a->bytes);
}

static inline void is(const asked *a, const char *option, const char *wanted)
{
    const char *got = tfp_options_get(a->o, option);
    if (!got || strcmp(got, wanted) != 0) fail_msg("%s is \"%s\", not \"%s\"", option, got ? got : "(none)", wanted);
}

/* Names of the rows of a scope view of these nodes. */
static inline void shows(const asked *a, const char *lines, const char *wanted)
{
    tfp_profile *p = profile_of(lines);
    tfp_report *r = NULL;
    tfp_error err = { 0 };
    if (tfp_report_build(p, "scope", a->o, &r, &err)) fail_msg("report: %s", tfp_error_message(&err));
    char *rows = rows_of(r);
    assert_string_equal(rows, wanted);
    free(rows);
    drop_report(r);
}

static inline size_t findings(const asked *a, const char *name)
{
    tfp_profile *p = profile_of("a Conv2D 3us\n");
    tfp_report *r = NULL;
    tfp_error err = { 0 };
    if (tfp_report_build(p, "advise", a->o, &r, &err)) fail_msg("report: %s", tfp_error_message(&err));
    size_t n = 0;
    for (size_t i = 1; i < tfp_report_row_count(r); i++) n += !name || !strcmp(tfp_report_row_name(r, i), name);
    drop_report(r);
    return n;
}

#endif
