// SPDX-License-Identifier: Apache-2.0
/* options/changes.h: the changes that `whatif` simulates. Options store them as one text, a line for each in the order
 * given, as typed but without dashes: "faster gemm.*=2". */
#ifndef TFP_CHANGES_H
#define TFP_CHANGES_H

#include "base/base.h"

typedef enum tfp_change_kind {
    TFP_CHANGE_FASTER,
    TFP_CHANGE_NO_SYNC,
    TFP_CHANGE_OVERLAP,
    TFP_CHANGE_LINK,
    TFP_CHANGE_IDEAL,
    TFP_CHANGE_KEEP,
    TFP_CHANGE_LAUNCH,
    TFP_CHANGE_INPUT,
    TFP_CHANGE_FUSE
} tfp_change_kind;

enum { TFP_KEPT_NOTHING, TFP_KEPT_RANK, TFP_KEPT_STAGE, TFP_KEPT_DP, TFP_KEPT_OP };

typedef struct tfp_change {
    tfp_change_kind kind;
    tfp_str typed; /* the line */
    tfp_str
        pattern; /* fuse: a regular expression, empty: all; faster: a regular expression; keep: the name after `op:` */
    double number;   /* faster, link: the factor; launch, input: microseconds; keep: the rank, stage or DP rank */
    int64_t rank;    /* faster: only on this rank; -1: on all */
    uint8_t keep;    /* TFP_KEPT_... */
    bool host;       /* faster: host time within spans of that name */
    bool comm, copy; /* link: which transfers become faster */
    bool device;     /* ideal: the value is the word device, not stragglers */
    bool graph;      /* launch: the value is the word graph, not a time */
} tfp_change;

/* Takes the next change from the front of `rest`; false at the end. The lines must come from tfp_changes_set. */
bool tfp_change_next(tfp_str *rest, tfp_change *out);
/* Adds a change to the text of an options' field; an empty value removes those of that name. TFP_BADARG: the value is
 * invalid. */
tfp_status tfp_changes_set(char **field, const char *name, tfp_str value, tfp_error *err);
/* The values of a name, joined by commas. */
void tfp_changes_get(const char *field, const char *name, tfp_buf *out);

#endif
