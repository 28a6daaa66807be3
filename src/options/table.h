// SPDX-License-Identifier: Apache-2.0
/* options/table.h: the option table, for the files that set and list options. */
#ifndef TFP_OPTIONS_TABLE_H
#define TFP_OPTIONS_TABLE_H

#include "options/options.h"

typedef enum option_kind {
    K_DEPTH,
    K_INT,
    K_STEP,
    K_BOOL,
    K_FILTER,
    K_ORDER,
    K_SELECT,
    K_OUTPUT,
    K_FORMAT,
    K_VIEW,
    K_TEXT,
    K_COMPAT,
    K_CHECKERS,
    K_REWRITE,
    K_REAL,
    K_AMOUNT,
    K_LIMIT, /* an amount or a percentage */
    K_SOURCE,
    K_BATCH,
    K_SHAPES,
    K_FLOPS,
    K_BANDWIDTH,
    K_RANGE,   /* two moments */
    K_MOMENT,  /* one moment */
    K_CHANGE,  /* for whatif: each use adds a change (changes.h) */
    K_SWITCH,  /* such a change, without a value */
    K_MINIMUMS /* represents the options -min_*, which come from the column table */
} option_kind;

typedef struct option {
    const char *name;
    option_kind kind;
    size_t at;                    /* offset of the field in tfp_options */
    const char *value, *value_10; /* defaults: today's, and -compat 1.0's (NULL: the same) */
    bool listed, listed_10;       /* in TensorFlow's listing, in that of TensorFlow 1.0 */
    const char *help;
    const char *commands; /* commands that it belongs to, separated by blanks; NULL: all commands that show views */
    const char *views;    /* of an option of all views: those whose answer it changes; NULL: all */
    tfp_unit unit;        /* unit of a minimum */
    uint8_t number;       /* index among all options: its bit in tfp_options.set */
} option;

/* Whether it was set explicitly. */
static inline bool tfp_option_was_set(const tfp_options *o, const option *row)
{
    return o->set[row->number / 64] >> row->number % 64 & 1;
}
bool tfp_option_find(const char *name, option *out); /* `-` and `_` are the same in names */
bool tfp_option_at(size_t i, option *out);           /* false past the end */

extern const char *const tfp_output_words[]; /* in the order of tfp_output_kind; these lists end with NULL */
extern const char *const tfp_format_words[];
extern const char *const tfp_source_words[]; /* in the order of tfp_flops_source */
/* Sets one option from text; the caller adds the option's name to the error. */
tfp_status tfp_option_apply(tfp_options *o, const option *row, const char *value, tfp_error *err);

/* texts.c: the texts that tfp_options_get returned. */
typedef struct tfp_option_texts tfp_option_texts;
tfp_option_texts *tfp_option_texts_new(void); /* NULL without memory */
/* returns a copy; any thread may call it; NULL if memory is out */
const char *tfp_option_texts_keep(tfp_option_texts *t, const char *text);
void tfp_option_texts_clear(tfp_option_texts *t), tfp_option_texts_free(tfp_option_texts *t);

#endif
