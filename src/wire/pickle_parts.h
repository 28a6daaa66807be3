// SPDX-License-Identifier: Apache-2.0
/* wire/pickle_parts.h: the machine of a pickle, shared by its files: pickle.c runs opcodes, pickle_values.c stores
 * values. */
#ifndef TFP_PICKLE_PARTS_H
#define TFP_PICKLE_PARTS_H

#include "wire/pickle.h"

/* A value has its kind in the low bits and a number above them: the value itself, or an index into a table. */
#define PV_BITS 5
enum {
    PV_BIG = TFP_PICKLE_OTHER + 1, /* an INT that needs the table of wide numbers */
    PV_MARK                        /* on the stack */
};
#define PV_KIND(v) ((unsigned)((v) & ((1u << PV_BITS) - 1)))
#define PV_AT(v) ((size_t)((v) >> PV_BITS))
static inline tfp_pvalue pv_make(unsigned kind, uint64_t at) { return at << PV_BITS | kind; }

/* A container of other values. Calls have callee, arguments and state first, then pairs. */
typedef struct pickle_box {
    size_t first; /* index in words */
    uint32_t count, capacity;
    uint32_t memo; /* its index in the memo; TFP_NONE: none */
    bool shared;   /* something else refers to it */
    bool left;     /* the caller was offered it and refused it */
    bool folded;   /* a list whose items were dropped; `first` is the number that replaces it */
} pickle_box;

#define CALL_HEAD 3
#define FREE_SIZES 65 /* boxes of up to 64 words are reused */

struct tfp_pickle {
    tfp_pickle_take take;
    void *take_ctx;
    uint64_t limit;
    tfp_arena arena;
    tfp_strtab texts;
    TFP_VEC(tfp_pvalue) stack;
    TFP_VEC(size_t) marks; /* places on the stack */
    TFP_VEC(tfp_pvalue) memo;
    TFP_VEC(tfp_pvalue) words;
    TFP_VEC(pickle_box) boxes;
    TFP_VEC(uint32_t) free_boxes;
    TFP_VEC(uint64_t) wide;        /* numbers of 64 bits, and reals */
    size_t free_words[FREE_SIZES]; /* by capacity: 1 + the first free one of a chain; 0: none */
    tfp_buf text;
    /* the input */
    tfp_input *in;
    const unsigned char *at, *end, *from; /* of the window */
    bool last;                            /* the window ends with the file */
    tfp_status status;
    tfp_error *err;
};

/* Remembers that memory ran out. */
static inline bool pickle_keep(tfp_pickle *m, bool ok)
{
    if (!ok && !m->status) m->status = tfp_nomem(m->err);
    return !m->status;
}

static inline void pickle_push(tfp_pickle *m, tfp_pvalue v) { (void)pickle_keep(m, tfp_push(&m->stack, v)); }

/* ---- pickle_scan.c ---- */
tfp_status pickle_fail(tfp_pickle *m, const char *what); /* with the place; the first fault stays */
/* Makes the window contain at least `size` bytes from the current position. False if the file ends before;
 * pickle_ensure then fails. */
bool pickle_need(tfp_pickle *m, size_t size);
bool pickle_read_more(tfp_pickle *m, size_t size); /* the same, but a file that ends before is a fault */
static inline bool pickle_ensure(tfp_pickle *m, size_t size)
{
    return (size_t)(m->end - m->at) >= size || pickle_read_more(m, size);
}
static inline uint64_t pickle_number(tfp_pickle *m, unsigned bytes) /* little-endian */
{
    uint64_t n = 0;
    if (!pickle_ensure(m, bytes)) return 0;
    for (unsigned i = 0; i < bytes; i++) n |= (uint64_t)m->at[i] << (8 * i);
    m->at += bytes;
    return n;
}
tfp_str pickle_line(tfp_pickle *m); /* a line of protocol 0, without its end; valid until the next read */
uint64_t pickle_index_line(tfp_pickle *m);
void pickle_push_string(tfp_pickle *m, unsigned kind, uint64_t size);
void pickle_push_long(tfp_pickle *m, uint64_t size);
void pickle_push_double(tfp_pickle *m);
void pickle_push_int_line(tfp_pickle *m);
void pickle_push_real_line(tfp_pickle *m);
void pickle_push_quoted(tfp_pickle *m);

/* ---- pickle_values.c ---- */
tfp_pvalue pickle_int(tfp_pickle *m, int64_t n);
tfp_pvalue pickle_real(tfp_pickle *m, double x);
tfp_pvalue pickle_string(tfp_pickle *m, unsigned kind, tfp_str s);
/* A new box with these items, which may be in m->stack. */
tfp_pvalue pickle_box_of(tfp_pickle *m, unsigned kind, const tfp_pvalue *items, size_t count);
void pickle_box_add(tfp_pickle *m, tfp_pvalue box, const tfp_pvalue *items, size_t count);
void pickle_release(tfp_pickle *m, tfp_pvalue item); /* after it was taken */
bool pickle_fits(tfp_pickle *m);                     /* whether memory is within the limit; fails otherwise */
static inline bool pv_is_box(tfp_pvalue v)
{
    unsigned kind = PV_KIND(v);
    return (kind >= TFP_PICKLE_LIST && kind <= TFP_PICKLE_DICT) || kind == TFP_PICKLE_CALL || kind == TFP_PICKLE_REF;
}

#endif
