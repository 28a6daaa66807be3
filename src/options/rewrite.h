// SPDX-License-Identifier: Apache-2.0
/* options/rewrite.h: names changed before they are shown, as sed changes lines: s/PATTERN/TEXT/g. */
#ifndef TFP_REWRITE_H
#define TFP_REWRITE_H

#include "options/regex.h"

typedef struct tfp_rewrite tfp_rewrite;

/* A list of changes as an option holds it, each working on what the one before left. Immutable once made; shared by
 * reference count. */
typedef struct tfp_rewrites {
    int refs;
    size_t count;
    tfp_rewrite *items;
    char *text; /* as they were given, a blank between them */
} tfp_rewrites;

/* Those of `before` (NULL: none) and then these. TFP_BADARG says what is wrong with one. */
tfp_status tfp_rewrites_new(const tfp_rewrites *before, const tfp_str *items, size_t count, tfp_rewrites **out,
                            tfp_error *err);
tfp_rewrites *tfp_rewrites_keep(tfp_rewrites *w);
void tfp_rewrites_free(tfp_rewrites *w);

/* Puts a name, changed, into `out` instead of what is there; out fails without memory, and past 64 MB. `scratch` is room for what comes between. */
void tfp_rewrites_apply(const tfp_rewrites *w, tfp_str name, tfp_buf *out, tfp_buf *scratch);
unsigned tfp_rewrites_failures(const tfp_rewrites *w); /* as tfp_filter_failures */

#endif
