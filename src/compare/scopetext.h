// SPDX-License-Identifier: Apache-2.0
/* compare/scopetext.h: a text file that a scope view printed, read back: paths, each with one number per column. */
#ifndef TFP_SCOPETEXT_H
#define TFP_SCOPETEXT_H

#include "base/io.h"
#include "options/options.h"

typedef struct tfp_scopetext {
    tfp_input input;              /* the bytes that the paths point into */
    int columns[TFP_COLUMNS_MAX]; /* tfp_column_id of each number, in the order of the cells */
    size_t column_count;
    bool named; /* a line of legends names the columns; otherwise there is one column, guessed from its unit */
    TFP_VEC(tfp_str) paths; /* the root's is "" */
    TFP_VEC(double) values; /* column_count for each path: its total, in bytes, microseconds or ones */
} tfp_scopetext;

/* Whether a text has a line that begins a scope view's tree; `whole`: the text is complete, so no more lines follow. */
bool tfp_scopetext_begins(tfp_str text, bool whole);
/* Reads t->input, which is open. Errors: TFP_BADFILE with "LINE:COLUMN: message"; callers add the name. */
tfp_status tfp_scopetext_read(tfp_scopetext *t, tfp_error *err);
void tfp_scopetext_free(tfp_scopetext *t);

#endif
