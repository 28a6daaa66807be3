// SPDX-License-Identifier: Apache-2.0
/* options/regex.h: name filters: lists of RE2 patterns that match a whole name. */
#ifndef TFP_REGEX_H
#define TFP_REGEX_H

#include "base/base.h"

/* One pattern; its implementation is the C++ file regex.cc, which lets no exception of RE2 escape. */
typedef struct tfp_regex tfp_regex;
tfp_regex *tfp_regex_new(tfp_str pattern, char *why,
                         size_t why_size); /* NULL: invalid (why is the reason) or out of memory (why is empty) */
bool tfp_regex_full_match(const tfp_regex *r, tfp_str text); /* out of memory: false, and counted as a failure */
/* The first match at or after `from`, anywhere in the text: first the whole match, then `groups` capture groups (those
 * that did not take part have no data). */
enum { TFP_REGEX_GROUPS = 9 }; /* most groups */
bool tfp_regex_find(const tfp_regex *r, tfp_str text, size_t from, tfp_str *found, int groups);
int tfp_regex_groups(const tfp_regex *r); /* number of capture groups */
unsigned tfp_regex_failures(const tfp_regex *r);
void tfp_regex_free(tfp_regex *r);

/* A list of patterns as an option holds it. Immutable once made; shared by reference count. */
typedef struct tfp_filter {
    int refs;
    bool any;    /* exactly ".*": everything matches, so RE2 is not called */
    bool broken; /* one pattern is not a valid regex and matches nothing */
    size_t count;
    tfp_regex **regexes; /* NULL for broken ones */
    char *text;          /* joined by commas, as options list it */
} tfp_filter;

/* Makes a filter from patterns, each taken whole; the second function splits a list at commas and drops empty items. An
 * invalid regex: TFP_BADARG with the reason; `out` is then still a usable filter (the invalid pattern matches
 * nothing). */
tfp_status tfp_filter_of(const tfp_str *items, size_t count, tfp_filter **out, tfp_error *err);
tfp_status tfp_filter_new(tfp_str list, tfp_filter **out, tfp_error *err);
tfp_str tfp_filter_item(tfp_str *list); /* cuts the first item off such a list */
tfp_filter *tfp_filter_keep(tfp_filter *f);
void tfp_filter_free(tfp_filter *f);
bool tfp_filter_matches(const tfp_filter *f, tfp_str name); /* NULL or empty: no */
/* How many matches failed so far because memory ran out: callers that depend on matches compare the number before and
 * after. */
unsigned tfp_filter_failures(const tfp_filter *f);
static inline bool tfp_filter_any(const tfp_filter *f) { return f && f->any; }

#endif
