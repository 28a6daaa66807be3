// SPDX-License-Identifier: Apache-2.0
/* wire/pickle_values.c: stores the values of a pickle: numbers and texts in one word each, lists and dicts as sequences
 * of words in one array. */
#include "wire/pickle_parts.h"

#define DEFAULT_LIMIT ((uint64_t)256 << 20)

tfp_pickle *tfp_pickle_new(uint64_t limit)
{
    tfp_pickle *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    m->limit = limit ? limit : DEFAULT_LIMIT;
    if (tfp_strtab_init(&m->texts, &m->arena) == TFP_OK) return m;
    tfp_pickle_free(m);
    return NULL;
}

void tfp_pickle_free(tfp_pickle *m)
{
    if (!m) return;
    tfp_vec_free(&m->stack);
    tfp_vec_free(&m->marks);
    tfp_vec_free(&m->memo);
    tfp_vec_free(&m->words);
    tfp_vec_free(&m->boxes);
    tfp_vec_free(&m->free_boxes);
    tfp_vec_free(&m->wide);
    tfp_buf_free(&m->text);
    tfp_strtab_free(&m->texts);
    tfp_arena_free(&m->arena);
    free(m);
}

void tfp_pickle_on_item(tfp_pickle *m, tfp_pickle_take take, void *ctx)
{
    m->take = take;
    m->take_ctx = ctx;
}

bool pickle_fits(tfp_pickle *m)
{
    uint64_t used = (uint64_t)m->words.capacity * sizeof *m->words.at + m->boxes.capacity * sizeof *m->boxes.at +
                    m->memo.capacity * sizeof *m->memo.at + m->stack.capacity * sizeof *m->stack.at +
                    m->wide.capacity * sizeof *m->wide.at + m->marks.capacity * sizeof *m->marks.at + m->arena.used;
    if (used > m->limit && !m->status)
        m->status = tfp_fail(m->err, TFP_LIMIT, "the values of this pickle need more than %llu MB of memory",
                             (unsigned long long)(m->limit >> 20));
    return !m->status;
}

/* ---- numbers and texts ---- */

#define SMALL_INT (INT64_C(1) << (63 - PV_BITS))

tfp_pvalue pickle_int(tfp_pickle *m, int64_t n)
{
    if (n >= -SMALL_INT && n < SMALL_INT) return pv_make(TFP_PICKLE_INT, (uint64_t)n);
    return pickle_keep(m, tfp_push(&m->wide, (uint64_t)n)) ? pv_make(PV_BIG, m->wide.size - 1) : 0;
}

tfp_pvalue pickle_real(tfp_pickle *m, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return pickle_keep(m, tfp_push(&m->wide, bits)) ? pv_make(TFP_PICKLE_REAL, m->wide.size - 1) : 0;
}

tfp_pvalue pickle_string(tfp_pickle *m, unsigned kind, tfp_str s)
{
    tfp_strid id = tfp_intern(&m->texts, s);
    return pickle_keep(m, id != TFP_NONE) ? pv_make(kind, id) : 0;
}

tfp_pvalue tfp_pickle_word(tfp_pickle *m, tfp_str text)
{
    tfp_strid id = tfp_intern(&m->texts, text);
    return id == TFP_NONE ? 0 : pv_make(TFP_PICKLE_TEXT, id);
}

/* ---- boxes ---- */

static void free_words(tfp_pickle *m, size_t first, uint32_t capacity)
{
    if (!capacity || capacity >= FREE_SIZES) return; /* long ones are not reused, because there are few */
    m->words.at[first] = m->free_words[capacity];
    m->free_words[capacity] = first + 1;
}

/* Allocates this many words and returns the index of the first; SIZE_MAX if memory is out. */
static size_t take_words(tfp_pickle *m, uint32_t capacity)
{
    if (capacity && capacity < FREE_SIZES && m->free_words[capacity]) {
        size_t first = m->free_words[capacity] - 1;
        m->free_words[capacity] = (size_t)m->words.at[first];
        return first;
    }
    size_t first = m->words.size;
    if (!pickle_keep(m, tfp_reserve(&m->words, first + capacity))) return SIZE_MAX;
    m->words.size += capacity;
    return first;
}

static bool make_room(tfp_pickle *m, pickle_box *b, size_t count)
{
    size_t need = b->count + count, capacity = b->count ? need + need / 2 : need;
    if (need <= b->capacity) return true;
    if (!pickle_keep(m, capacity < UINT32_MAX)) return false;
    if (b->capacity && b->first + b->capacity == m->words.size) { /* the last one can grow in place */
        if (!pickle_keep(m, tfp_reserve(&m->words, b->first + capacity))) return false;
        m->words.size = b->first + capacity;
    } else {
        size_t first = take_words(m, (uint32_t)capacity);
        if (first == SIZE_MAX) return false;
        if (b->count) memcpy(m->words.at + first, m->words.at + b->first, b->count * sizeof *m->words.at);
        free_words(m, b->first, b->capacity);
        b->first = first;
    }
    b->capacity = (uint32_t)capacity;
    return true;
}

void pickle_box_add(tfp_pickle *m, tfp_pvalue box, const tfp_pvalue *items, size_t count)
{
    pickle_box *b = &m->boxes.at[PV_AT(box)];
    if (m->status || !count) return;
    if (b->folded) { /* the items were counted when the list was folded, so it cannot grow again */
        m->status = tfp_fail(m->err, TFP_BADFILE, "an item for a list that is in use already");
        return;
    }
    if (!make_room(m, b, count)) return;
    memcpy(m->words.at + b->first + b->count, items, count * sizeof *items);
    b->count += (uint32_t)count;
    b->left = false;
}

tfp_pvalue pickle_box_of(tfp_pickle *m, unsigned kind, const tfp_pvalue *items, size_t count)
{
    pickle_box none = { .memo = TFP_NONE };
    size_t at = m->boxes.size;
    if (m->free_boxes.size) {
        at = m->free_boxes.at[--m->free_boxes.size];
        m->boxes.at[at] = none;
    } else if (!pickle_keep(m, at < TFP_NONE && tfp_push(&m->boxes, none))) {
        return 0;
    }
    tfp_pvalue made = pv_make(kind, at);
    pickle_box_add(m, made, items, count);
    return made;
}

/* Frees one box and its words, but not the boxes in it; clears its memo entry. The caller makes sure that nothing else
 * refers to it. */
static void release_box(tfp_pickle *m, tfp_pvalue v)
{
    pickle_box *b = &m->boxes.at[PV_AT(v)];
    if (b->memo != TFP_NONE) m->memo.at[b->memo] = pv_make(TFP_PICKLE_OTHER, 0);
    free_words(m, b->first, b->capacity);
    *b = (pickle_box){ .memo = TFP_NONE };
    (void)pickle_keep(m, tfp_push(&m->free_boxes, (uint32_t)PV_AT(v)));
}

void pickle_release(tfp_pickle *m, tfp_pvalue item)
{
    if (!pv_is_box(item) || m->boxes.at[PV_AT(item)].shared) return;
    release_box(m, item);
}

void tfp_pickle_fold(tfp_pickle *m, tfp_pvalue list, uint32_t number)
{
    if (PV_KIND(list) != TFP_PICKLE_LIST) return;
    pickle_box *b = &m->boxes.at[PV_AT(list)];
    if (!b->folded) free_words(m, b->first, b->capacity);
    b->first = number;
    b->count = b->capacity = 0;
    b->folded = true;
}

bool tfp_pickle_folded(const tfp_pickle *m, tfp_pvalue list, uint32_t *number)
{
    if (PV_KIND(list) != TFP_PICKLE_LIST || !m->boxes.at[PV_AT(list)].folded) return false;
    *number = (uint32_t)m->boxes.at[PV_AT(list)].first;
    return true;
}

/* ---- reading values ---- */

tfp_pickle_kind tfp_pickle_kind_of(tfp_pvalue v)
{
    unsigned kind = PV_KIND(v);
    return kind == PV_BIG ? TFP_PICKLE_INT : kind == PV_MARK ? TFP_PICKLE_OTHER : (tfp_pickle_kind)kind;
}

bool tfp_pickle_int(const tfp_pickle *m, tfp_pvalue v, int64_t *out)
{
    switch (PV_KIND(v)) {
    case TFP_PICKLE_BOOL:
    case TFP_PICKLE_INT: *out = (int64_t)v >> PV_BITS; return true;
    case PV_BIG: *out = (int64_t)m->wide.at[PV_AT(v)]; return true;
    default: return false;
    }
}

bool tfp_pickle_real(const tfp_pickle *m, tfp_pvalue v, double *out)
{
    int64_t n;
    if (PV_KIND(v) == TFP_PICKLE_REAL) {
        memcpy(out, &m->wide.at[PV_AT(v)], sizeof *out);
        return true;
    }
    if (!tfp_pickle_int(m, v, &n)) return false;
    *out = (double)n;
    return true;
}

bool tfp_pickle_text(const tfp_pickle *m, tfp_pvalue v, tfp_str *out)
{
    unsigned kind = PV_KIND(v);
    if (kind != TFP_PICKLE_TEXT && kind != TFP_PICKLE_NAME && kind != TFP_PICKLE_BYTES) return false;
    *out = tfp_strtab_get(&m->texts, (tfp_strid)PV_AT(v));
    return true;
}

static const pickle_box *box_at(const tfp_pickle *m, tfp_pvalue v)
{
    return pv_is_box(v) ? &m->boxes.at[PV_AT(v)] : NULL;
}

size_t tfp_pickle_count(const tfp_pickle *m, tfp_pvalue v)
{
    unsigned kind = PV_KIND(v);
    if (kind == TFP_PICKLE_DICT) return m->boxes.at[PV_AT(v)].count / 2;
    return kind >= TFP_PICKLE_LIST && kind <= TFP_PICKLE_SET ? m->boxes.at[PV_AT(v)].count : 0;
}

const tfp_pvalue *tfp_pickle_items(const tfp_pickle *m, tfp_pvalue v, size_t *count)
{
    unsigned kind = PV_KIND(v);
    bool list = kind >= TFP_PICKLE_LIST && kind <= TFP_PICKLE_SET;
    *count = list ? m->boxes.at[PV_AT(v)].count : 0;
    return *count ? m->words.at + m->boxes.at[PV_AT(v)].first : NULL;
}

tfp_pvalue tfp_pickle_item(const tfp_pickle *m, tfp_pvalue v, size_t i)
{
    unsigned kind = PV_KIND(v);
    bool list = kind >= TFP_PICKLE_LIST && kind <= TFP_PICKLE_SET;
    return list && i < m->boxes.at[PV_AT(v)].count ? m->words.at[m->boxes.at[PV_AT(v)].first + i] : 0;
}

/* The words with the pairs of a dict or a call. */
static const tfp_pvalue *pairs_of(const tfp_pickle *m, tfp_pvalue v, size_t *count)
{
    unsigned kind = PV_KIND(v);
    *count = 0;
    if (kind != TFP_PICKLE_DICT && kind != TFP_PICKLE_CALL) return NULL;
    const pickle_box *b = &m->boxes.at[PV_AT(v)];
    size_t head = kind == TFP_PICKLE_CALL ? CALL_HEAD : 0;
    if (b->count <= head) return NULL;
    *count = (b->count - head) / 2;
    return m->words.at + b->first + head;
}

size_t tfp_pickle_pairs(const tfp_pickle *m, tfp_pvalue v)
{
    size_t count;
    pairs_of(m, v, &count);
    return count;
}

tfp_pvalue tfp_pickle_key(const tfp_pickle *m, tfp_pvalue v, size_t i)
{
    size_t count;
    const tfp_pvalue *pairs = pairs_of(m, v, &count);
    return i < count ? pairs[2 * i] : 0;
}

tfp_pvalue tfp_pickle_value(const tfp_pickle *m, tfp_pvalue v, size_t i)
{
    size_t count;
    const tfp_pvalue *pairs = pairs_of(m, v, &count);
    return i < count ? pairs[2 * i + 1] : 0;
}

tfp_pvalue tfp_pickle_member(const tfp_pickle *m, tfp_pvalue v, tfp_pvalue key)
{
    size_t count;
    const tfp_pvalue *pairs = pairs_of(m, v, &count);
    for (size_t i = count; i-- > 0 && key;)
        if (pairs[2 * i] == key) return pairs[2 * i + 1];
    return 0;
}

tfp_pvalue tfp_pickle_named(tfp_pickle *m, tfp_pvalue of, const char *key)
{
    return tfp_pickle_member(m, of, tfp_pickle_word(m, tfp_str_of(key)));
}

static tfp_pvalue head_of(const tfp_pickle *m, tfp_pvalue v, size_t i)
{
    const pickle_box *b = box_at(m, v);
    return b && i < b->count ? m->words.at[b->first + i] : 0;
}

tfp_pvalue tfp_pickle_callee(const tfp_pickle *m, tfp_pvalue v)
{
    return PV_KIND(v) == TFP_PICKLE_CALL ? head_of(m, v, 0) : 0;
}

tfp_pvalue tfp_pickle_args(const tfp_pickle *m, tfp_pvalue v)
{
    if (PV_KIND(v) == TFP_PICKLE_REF) return head_of(m, v, 0);
    return PV_KIND(v) == TFP_PICKLE_CALL ? head_of(m, v, 1) : 0;
}

tfp_pvalue tfp_pickle_state(const tfp_pickle *m, tfp_pvalue v)
{
    return PV_KIND(v) == TFP_PICKLE_CALL ? head_of(m, v, 2) : 0;
}

void tfp_pickle_describe(const tfp_pickle *m, tfp_pvalue v, tfp_buf *out)
{
    static const char *const kinds[] = {
        "nothing",        "None",    "a truth value", "a number", "a number", "a text",    "bytes",
        "a list",         "a tuple", "a set",         "a dict",   "a name",   "an object", "a persistent object",
        "an opaque value"
    };
    tfp_str name;
    tfp_pvalue named = PV_KIND(v) == TFP_PICKLE_CALL ? tfp_pickle_callee(m, v) : v;
    if (tfp_pickle_is_opaque(v) && tfp_pickle_text(m, named, &name)) {
        tfp_buf_text(out, PV_KIND(v) == TFP_PICKLE_CALL ? "an opaque object of " : "the opaque name ");
        tfp_buf_str(out, name);
    } else {
        tfp_buf_text(out, kinds[tfp_pickle_kind_of(v)]);
    }
}
