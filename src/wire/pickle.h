// SPDX-License-Identifier: Apache-2.0
/* wire/pickle.h: reads Python's pickles (protocols 0 to 5) without Python. About 50 opcodes make plain values: numbers,
 * texts, lists, tuples, sets, dicts. The opcodes that call or load something make opaque values that remember names and
 * arguments: nothing is looked up, and nothing runs. Values are shared and never copied, so that a small file that
 * refers to itself (a memo bomb) stays small; callers walk only the shape that they expect. Knows no framework. Layout:
 * CPython's Lib/pickletools.py. */
#ifndef TFP_PICKLE_H
#define TFP_PICKLE_H

#include "base/io.h"

typedef enum tfp_pickle_kind {
    TFP_PICKLE_NOTHING, /* no such member, or no value */
    TFP_PICKLE_NONE,
    TFP_PICKLE_BOOL,
    TFP_PICKLE_INT,
    TFP_PICKLE_REAL,
    TFP_PICKLE_TEXT,
    TFP_PICKLE_BYTES, /* of long ones only the kind is kept */
    TFP_PICKLE_LIST,
    TFP_PICKLE_TUPLE,
    TFP_PICKLE_SET,
    TFP_PICKLE_DICT,
    /* opaque values */
    TFP_PICKLE_NAME, /* a class or function: "collections.OrderedDict" */
    TFP_PICKLE_CALL, /* a call that was not made: callee, arguments, state, and items and pairs added to its result */
    TFP_PICKLE_REF,  /* a persistent id: its argument */
    TFP_PICKLE_OTHER /* a code of copyreg's registry, a buffer outside the file, or a value that was taken */
} tfp_pickle_kind;

/* A value: valid as long as its machine exists, until it is taken. 0 is NOTHING. Equal texts are equal values. */
typedef uint64_t tfp_pvalue;

typedef struct tfp_pickle tfp_pickle;

/* Called for each item that is added to a list (`to`). True: the caller needs nothing more of it, so its memory may be
 * reused; the objects that it refers to stay, because later values may refer to them too. */
typedef bool (*tfp_pickle_take)(void *ctx, tfp_pickle *m, tfp_pvalue to, tfp_pvalue item);

/* limit: most bytes of memory; 0: 256 MB. NULL without memory. */
tfp_pickle *tfp_pickle_new(uint64_t limit);
void tfp_pickle_free(tfp_pickle *m);
void tfp_pickle_on_item(tfp_pickle *m, tfp_pickle_take take, void *ctx);
/* Reads one pickle from the current place up to its end (STOP). Errors: TFP_BADFILE with the byte, TFP_LIMIT,
 * TFP_NOMEM. */
tfp_status tfp_pickle_read(tfp_pickle *m, tfp_input *in, tfp_pvalue *root, tfp_error *err);

/* Reads the same values from JSON, all of which is in `text`: null is NONE, objects are dicts. */
tfp_status tfp_pickle_read_json(tfp_pickle *m, tfp_str text, tfp_pvalue *root, tfp_error *err);

/* ---- values ---- */
tfp_pickle_kind tfp_pickle_kind_of(tfp_pvalue v);
static inline bool tfp_pickle_is_opaque(tfp_pvalue v) { return tfp_pickle_kind_of(v) >= TFP_PICKLE_NAME; }
/* INT or BOOL; integers beyond 64 bits become the nearest 64-bit number. False for other kinds. */
bool tfp_pickle_int(const tfp_pickle *m, tfp_pvalue v, int64_t *out);
bool tfp_pickle_real(const tfp_pickle *m, tfp_pvalue v, double *out);  /* REAL, INT or BOOL */
bool tfp_pickle_text(const tfp_pickle *m, tfp_pvalue v, tfp_str *out); /* TEXT, NAME, short BYTES */
size_t tfp_pickle_count(const tfp_pickle *m,
                        tfp_pvalue v); /* items of lists, tuples and sets, pairs of dicts; else 0 */
tfp_pvalue tfp_pickle_item(const tfp_pickle *m, tfp_pvalue v, size_t i);              /* of lists, tuples and sets */
const tfp_pvalue *tfp_pickle_items(const tfp_pickle *m, tfp_pvalue v, size_t *count); /* the same, all of them */
/* Replaces a list by a number, so that its memory can be reused; all references to the list then find the number. */
void tfp_pickle_fold(tfp_pickle *m, tfp_pvalue list, uint32_t number);
bool tfp_pickle_folded(const tfp_pickle *m, tfp_pvalue list, uint32_t *number);
/* For dicts, and for calls to which pairs were added (OrderedDict). Items added to a call have the key NOTHING. */
size_t tfp_pickle_pairs(const tfp_pickle *m, tfp_pvalue v);
tfp_pvalue tfp_pickle_key(const tfp_pickle *m, tfp_pvalue v, size_t i);
tfp_pvalue tfp_pickle_value(const tfp_pickle *m, tfp_pvalue v, size_t i);
/* The value of a key, the last one if the key is repeated. NOTHING: there is none, or v has no pairs. */
tfp_pvalue tfp_pickle_member(const tfp_pickle *m, tfp_pvalue v, tfp_pvalue key);
tfp_pvalue tfp_pickle_named(tfp_pickle *m, tfp_pvalue of, const char *key); /* the same by the key's text */
/* The text as a value, for tfp_pickle_member. NOTHING without memory. */
tfp_pvalue tfp_pickle_word(tfp_pickle *m, tfp_str text);
/* For CALL: what is called (usually a NAME), its arguments (TUPLE), and its state (from BUILD), NOTHING if none. For
 * REF the arguments are its id. */
tfp_pvalue tfp_pickle_callee(const tfp_pickle *m, tfp_pvalue v);
tfp_pvalue tfp_pickle_args(const tfp_pickle *m, tfp_pvalue v);
tfp_pvalue tfp_pickle_state(const tfp_pickle *m, tfp_pvalue v);
/* For messages: "a dict", or "an opaque object of torch.Size". */
void tfp_pickle_describe(const tfp_pickle *m, tfp_pvalue v, tfp_buf *out);

#endif
