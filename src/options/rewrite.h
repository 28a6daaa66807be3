// SPDX-License-Identifier: Apache-2.0
/* options/rewrite.h: changes names before they are shown, as sed changes lines: s/PATTERN/TEXT/g. */
#ifndef TFP_REWRITE_H
#define TFP_REWRITE_H

#include "options/regex.h"

typedef struct tfp_rewrite tfp_rewrite;

/* The list of changes of one option, each applied to the result of the one before. Immutable once made; shared by
 * reference count. */
typedef struct tfp_rewrites {
    int refs;
    size_t count;
    tfp_rewrite *items;
    char *text; /* as given, separated by blanks */
} tfp_rewrites;

/* The changes of `before` (NULL: none), followed by these. On TFP_BADARG the message is the reason. */
tfp_status tfp_rewrites_new(const tfp_rewrites *before, const tfp_str *items, size_t count, tfp_rewrites **out,
                            tfp_error *err);
tfp_rewrites *tfp_rewrites_keep(tfp_rewrites *w);
void tfp_rewrites_free(tfp_rewrites *w);

/* Replaces the contents of `out` by the changed name; out fails if memory runs out, and beyond 64 MB. `scratch` holds
 * intermediate names. */
void tfp_rewrites_apply(const tfp_rewrites *w, tfp_str name, tfp_buf *out, tfp_buf *scratch);
unsigned tfp_rewrites_failures(const tfp_rewrites *w); /* as tfp_filter_failures */

#endif
