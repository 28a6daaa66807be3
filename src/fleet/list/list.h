// SPDX-License-Identifier: Apache-2.0
/* fleet/list/list.h: the runs of an index, filtered and sorted, a page of them at a time. Two passes over the table `runs`: the first reads
 * the columns that filter and sort, and keeps 24 bytes of each run that fits; the second reads the runs of the page.
 *
 *     words.c   the filter: what a run must have
 *     pick.c    the first pass: which runs, in which order
 *     list.c    the second pass, and the report */
#ifndef TFP_FLEET_LIST_H
#define TFP_FLEET_LIST_H

#include "fleet/tables.h"

/* ---- words.c: words of a filter, with blanks between them, each of which a run must fit ---- */

typedef struct tfp_run_word {
    size_t column; /* index in the columns of `runs`; SIZE_MAX: any text column may match */
    char compare;  /* = < > */
    tfp_str text;  /* empty after "=": the cell must be absent */
    double number; /* the value for a column that is no text */
} tfp_run_word;

typedef TFP_VEC(tfp_run_word) tfp_run_words;

/* Parses the words of a filter text, which must outlive them. Errors: TFP_BADARG a value that its column cannot have;
 * TFP_NOMEM. */
tfp_status tfp_run_words_of(tfp_str text, tfp_run_words *out, tfp_error *err);
/* Marks the columns of `runs` that the words use. */
void tfp_run_words_mark(const tfp_run_words *words, bool *wanted);
/* Whether a run matches. b: has column i of `runs` at index place[i]. */
bool tfp_run_fits(const tfp_run_words *words, const tfp_batch *b, const size_t *place, size_t row);

/* ---- pick.c ---- */

typedef struct tfp_run_pick {
    uint64_t key; /* sort key: greater is later */
    uint32_t part, row;
    bool absent; /* it has no value to sort by, so it comes last */
} tfp_run_pick;

typedef struct tfp_run_picks {
    TFP_VEC(tfp_run_pick) found; /* sorted */
    size_t total;                /* number of runs in the index */
} tfp_run_picks;

typedef struct tfp_run_order {
    size_t column; /* index in the columns of `runs` */
    bool down;     /* descending */
} tfp_run_order;

/* parts: paths of the table's files. Errors: TFP_BADFILE, TFP_NOMEM. */
tfp_status tfp_run_pick_all(char *const *parts, size_t count, const tfp_run_words *words, tfp_run_order order,
                            tfp_run_picks *out, tfp_error *err);

/* ---- list.c ---- */

/* Makes the report. settings: names and values in turn, ended by NULL: filter, order, from, count; value NULL: the
 * default. Errors: TFP_BADARG, TFP_BADFILE, TFP_NOMEM. */
tfp_status tfp_run_list(const char *index, const char *const *settings, tfp_report **out, size_t *total, size_t *found,
                        tfp_error *err);

#endif
