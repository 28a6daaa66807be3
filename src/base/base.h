// SPDX-License-Identifier: Apache-2.0
/* base/base.h: what every room may use: memory, strings, errors, numbers.
 * Knows no profile and no file format. */
#ifndef TFP_BASE_H
#define TFP_BASE_H

#include "tfprof/tfprof.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The result depends on the values of the arguments alone, and lives as long as what they point to. */
#define TFP_CONST __attribute__((const))
#define TFP_PRINTF(a, b) __attribute__((format(printf, a, b)))
#define TFP_NONE UINT32_MAX /* no such index */

/* ---- strings by view: borrowed, not ended by NUL, never freed ---- */
typedef struct tfp_str {
    const char *data;
    size_t size;
} tfp_str;

#define TFP_STR(literal) ((tfp_str){ (literal), sizeof(literal) - 1 })
tfp_str tfp_str_of(const char *s); /* NULL gives the empty string */
static inline bool tfp_str_eq(tfp_str a, tfp_str b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}
static inline bool tfp_str_begins(tfp_str s, tfp_str begin)
{
    return s.size >= begin.size && (begin.size == 0 || memcmp(s.data, begin.data, begin.size) == 0);
}
static inline bool tfp_str_ends(tfp_str s, tfp_str end)
{
    return s.size >= end.size && (end.size == 0 || memcmp(s.data + s.size - end.size, end.data, end.size) == 0);
}
int tfp_str_cmp(tfp_str a, tfp_str b);        /* byte order, as std::string compares */
size_t tfp_str_find(tfp_str s, tfp_str part); /* SIZE_MAX when absent */
tfp_str tfp_str_last_part(tfp_str path);      /* what follows the last slash; all of it when there is none */
static inline bool tfp_is_digit(char c) { return c >= '0' && c <= '9'; }
bool tfp_is_word(tfp_str s, const char *words); /* whether s is one of the words, which blanks separate */
static inline bool tfp_str_has(tfp_str s, tfp_str part) { return tfp_str_find(s, part) != SIZE_MAX; }

bool tfp_str_has_caseless(tfp_str s, tfp_str part); /* ignores the case of ASCII letters */

/* Cuts the first line off a text and returns it without its line feed. The text must not be empty. */
tfp_str tfp_str_cut_line(tfp_str *text);

/* ---- limits ---- */
/* Dimensions of a shape, as TensorFlow limits them; no other framework has more. A shape is shown with every node that
 * takes it as input: without a limit a small file could become a huge report. */
#define TFP_RANK_MOST 254
#define TFP_QUOTED_TOKENS(tokens) #tokens
#define TFP_QUOTED(macro) TFP_QUOTED_TOKENS(macro) /* a limit in the text of a message */

/* ---- errors: a status, and a message that grows on the way up ---- */
#define TFP_ERROR_MAX 4000 /* an error line is at most 4,096 bytes with the program's name before it */
struct tfp_error {
    size_t size;
    int line, column; /* place in a text format; 0 when the fault has none */
    int number;       /* errno, 0 when no system call failed */
    char text[TFP_ERROR_MAX + 1];
};

/* Sets the message (escaped, cut with "…") and returns the status. err may be NULL. */
tfp_status tfp_fail(tfp_error *err, tfp_status s, const char *format, ...) TFP_PRINTF(3, 4);
/* The same with a place in a text file: "LINE:COLUMN: message". */
tfp_status tfp_fail_at(tfp_error *err, tfp_status s, int line, int column, const char *format, ...) TFP_PRINTF(5, 6);
/* On failure puts "where: " before the message; returns s. */
tfp_status tfp_within(tfp_error *err, tfp_status s, const char *format, ...) TFP_PRINTF(3, 4);
/* The same for a file's name: "FILE: message", or "FILE:LINE:COLUMN: message". */
tfp_status tfp_within_file(tfp_error *err, tfp_status s, const char *path);
tfp_status tfp_nomem(tfp_error *err);
/* On failure stores the errno that caused it; returns s. */
tfp_status tfp_with_errno(tfp_error *err, tfp_status s, int number);
/* "what: " and the system's text for errno; TFP_NOMEM when errno says so, otherwise TFP_BADFILE. */
tfp_status tfp_fail_errno(tfp_error *err, const char *what);
void tfp_error_clear(tfp_error *err); /* NULL is fine */

/* ---- numbers: saturating, never wrapping; *clamped (may be NULL) is set to true on saturation ---- */
static inline int64_t tfp_add(int64_t a, int64_t b, bool *clamped)
{
    int64_t r;
    if (!__builtin_add_overflow(a, b, &r)) return r;
    if (clamped) *clamped = true;
    return a < 0 ? INT64_MIN : INT64_MAX;
}
static inline int64_t tfp_mul(int64_t a, int64_t b, bool *clamped)
{
    int64_t r;
    if (!__builtin_mul_overflow(a, b, &r)) return r;
    if (clamped) *clamped = true;
    return (a < 0) == (b < 0) ? INT64_MAX : INT64_MIN;
}
/* Parses the whole text as a decimal number with optional sign and blanks around it, as absl's SimpleAtoi does. */
bool tfp_parse_int64(tfp_str s, int64_t *out);

/* ---- the system: what differs between Linux and others; system.c ---- */
int64_t tfp_now_ns(void);        /* monotonic */
int64_t tfp_unix_micros(void);   /* since 1970 */
bool tfp_random(uint64_t *out);  /* does not wait; false: no random bytes yet */
size_t tfp_processors(void);     /* number of processors that this process may use; at least 1 */
void tfp_memory_give_back(void); /* returns freed memory to the system */
bool tfp_is_proc(int folder);    /* whether the folder is in /proc */
void tfp_end_with_parent(void);  /* has this process killed (SIGKILL) when its parent ends */

/* ---- memory: one arena per owner ---- */
typedef struct tfp_arena_block tfp_arena_block;
typedef struct tfp_arena {
    tfp_arena_block *blocks;
    char *at, *end;
    size_t used;  /* bytes taken from malloc */
    size_t limit; /* 0: none; allocations beyond it fail */
    bool refused; /* some allocation did fail because of the limit */
} tfp_arena;

void *tfp_arena_alloc(tfp_arena *a, size_t size);              /* 16-aligned and cleared; NULL without memory */
void *tfp_arena_zero(tfp_arena *a, size_t count, size_t size); /* the same; NULL on overflow too */
char *tfp_arena_copy(tfp_arena *a, tfp_str s);                 /* ended by NUL */
void tfp_arena_free(tfp_arena *a);                             /* an empty (zeroed) arena is fine */
#define TFP_NEW(arena, type, count) ((type *)tfp_arena_zero((arena), (count), sizeof(type)))

/* Cleared memory that the caller frees, as calloc's, but already written. A page of calloc's that is read first maps
 * the shared zero page; the first write then costs a second fault, which stops every thread. For tables that are
 * searched before they are filled. NULL when memory runs out. */
void *tfp_alloc_written(size_t count, size_t size);

/* Growable array: TFP_VEC(int) v = {0}; if (!tfp_push(&v, 7)) out of memory. Freed with tfp_vec_free(&v). */
#define TFP_VEC(type)                                                                                                  \
    struct {                                                                                                           \
        type *at;                                                                                                      \
        size_t size, capacity;                                                                                         \
    }
bool tfp_grow(void **at, size_t *capacity, size_t need, size_t item); /* at least doubles; false without memory */
#define tfp_reserve(v, need)                                                                                           \
    ((need) <= (v)->capacity || tfp_grow((void **)&(v)->at, &(v)->capacity, (need), sizeof *(v)->at))
#define tfp_push(v, value) (tfp_reserve((v), (v)->size + 1) ? ((v)->at[(v)->size++] = (value), true) : false)
#define tfp_vec_free(v) (free((v)->at), (v)->at = NULL, (v)->size = (v)->capacity = 0)

/* Growable text: the buffer that outputs write into. Failure is remembered in `failed`; check it once at the end. */
typedef struct tfp_buf {
    char *data;
    size_t size, capacity;
    bool failed;
} tfp_buf;
void tfp_buf_add(tfp_buf *b, const void *data, size_t size);
static inline void tfp_buf_str(tfp_buf *b, tfp_str s) { tfp_buf_add(b, s.data, s.size); }
void tfp_buf_text(tfp_buf *b, const char *s);
static inline void tfp_buf_char(tfp_buf *b, char c)
{
    if (b->size < b->capacity)
        b->data[b->size++] = c;
    else
        tfp_buf_add(b, &c, 1);
}
void tfp_buf_fill(tfp_buf *b, char c, size_t count);
void tfp_buf_int(tfp_buf *b, int64_t n);                                   /* decimal, without printf */
void tfp_buf_thousandths(tfp_buf *b, int64_t n);                           /* n / 1000: "12", "12.5", "12.345" */
void tfp_buf_printf(tfp_buf *b, const char *format, ...) TFP_PRINTF(2, 3); /* not for hot paths */
void tfp_buf_free(tfp_buf *b);
/* Copies the text into an arena, ended by NUL. No data: the buffer failed, or memory is out. */
tfp_str tfp_buf_copy(const tfp_buf *b, tfp_arena *a);
tfp_str tfp_buf_move(tfp_buf *b, tfp_arena *a); /* the same, and frees the buffer */

/* ---- text shown to people and terminals: the one escaping function ---- */
/* Appends s with control characters and bad UTF-8 as \xNN and bidi controls and C1 as \u{NNNN}; a backslash stays. */
void tfp_escape(tfp_buf *b, tfp_str s);
/* Copies as much of a text as fits, in whole characters, and a NUL. */
void tfp_text_give(tfp_str all, char *out, size_t room);
bool tfp_is_plain(tfp_str s); /* nothing in it needs escaping */
/* Length (1 to 4) of the valid UTF-8 sequence at s, and its code point; 0 when it is not valid. */
size_t tfp_utf8(tfp_str s, uint32_t *code);
bool tfp_utf8_valid(tfp_str s);

/* ---- interned strings: same id, same string ---- */
typedef uint32_t tfp_strid; /* 0 is the empty string */
typedef struct tfp_strtab {
    tfp_arena *arena; /* owns the strings, each ended by NUL; NULL: they are borrowed, without NUL */
    tfp_str *strings;
    uint64_t *slots; /* open addressing: high half the string's hash, low half its id + 1; 0 is free */
    size_t count, capacity, slot_count;
} tfp_strtab;
/* Moves the slots of a hash table to `now` ones, a power of two: a slot is 0, or has its key's hash in the high half. False
 * without memory. */
bool tfp_slots_resize(uint64_t **slots, size_t *slot_count, size_t now);
tfp_status tfp_strtab_init(tfp_strtab *t, tfp_arena *arena);
tfp_strid tfp_intern(tfp_strtab *t, tfp_str s); /* TFP_NONE without memory */
uint32_t tfp_string_hash(tfp_str s);
tfp_strid tfp_intern_hashed(tfp_strtab *t, tfp_str s, uint32_t hash); /* the same with hash = tfp_string_hash(s) */
tfp_strid tfp_intern_kept(tfp_strtab *t, tfp_str s); /* the same without a copy: the bytes must outlive the table */
void tfp_strtab_hashes(const tfp_strtab *t, uint32_t *hashes); /* the hash of each string, by id */
void tfp_strtab_clear(tfp_strtab *t);                          /* for borrowed strings: forgets all of them */
tfp_strid tfp_strtab_find(const tfp_strtab *t, tfp_str s);     /* TFP_NONE when absent */
tfp_strid tfp_strtab_find_hashed(const tfp_strtab *t, tfp_str s, uint32_t hash);
/* Prefetches for a later tfp_strtab_find_hashed, because big tables do not fit in the cache. The first call, with
 * `near` false, prefetches the slot; the second call, with `near` true and a few strings later, prefetches the string
 * that the slot names. */
static inline void tfp_strtab_fetch(const tfp_strtab *t, uint32_t hash, bool near)
{
    const uint64_t *slot = &t->slots[hash & (t->slot_count - 1)];
    __builtin_prefetch(near && *slot ? (const void *)&t->strings[(uint32_t)*slot - 1] : (const void *)slot);
}
static inline tfp_str tfp_strtab_get(const tfp_strtab *t, tfp_strid id) { return t->strings[id]; }
void tfp_strtab_free(tfp_strtab *t);

/* ---- sets and maps of 64-bit keys ---- */
typedef struct tfp_map64 {
    uint64_t *keys;
    uint32_t *values; /* value + 1; 0 marks a free slot */
    size_t count, slot_count;
} tfp_map64;
uint32_t tfp_map64_get(const tfp_map64 *m, uint64_t key);       /* TFP_NONE when absent */
bool tfp_map64_put(tfp_map64 *m, uint64_t key, uint32_t value); /* replaces, never by TFP_NONE; false without memory */
void tfp_map64_clear(tfp_map64 *m);                             /* empties it and keeps its memory */
/* The same for a map whose values may be TFP_NONE. The two pairs of functions must not be mixed on one map. */
static inline uint32_t tfp_map64_get_any(const tfp_map64 *m, uint64_t key)
{
    uint32_t above = tfp_map64_get(m, key); /* the value plus one, which is 0 for TFP_NONE */
    return above == TFP_NONE ? TFP_NONE : above - 1;
}
static inline bool tfp_map64_put_any(tfp_map64 *m, uint64_t key, uint32_t value)
{
    return tfp_map64_put(m, key, value + 1);
}
void tfp_map64_free(tfp_map64 *m);

uint64_t tfp_hash(const void *data, size_t size);
/* A 128-bit hash of bytes in hexadecimal, the same in every process; not secure against an attacker. */
#define TFP_DIGEST 33
void tfp_digest(const void *data, size_t size, char out[TFP_DIGEST]);

/* Sorts indexes into `strings` by the byte order of the strings; stable. False when memory runs out. */
bool tfp_sort_strings(uint32_t *items, size_t count, const tfp_str *strings);

/* Stable merge sort of 32-bit items. less(ctx, a, b) is true when a goes before b. */
bool tfp_sort(uint32_t *items, size_t count, bool (*less)(const void *ctx, uint32_t a, uint32_t b), const void *ctx);
/* The quantile of `count` (at least 1) sorted values `at(values, i)`, interpolated linearly: numpy's percentile of
 * 100 * share. */
double tfp_quantile(double (*at)(const void *values, size_t i), const void *values, size_t count, double share);
int tfp_by_real(const void *a, const void *b); /* for qsort: ascending doubles, none of them NAN */
int tfp_by_int(const void *a, const void *b);  /* the same for int64_t */

#endif
