// SPDX-License-Identifier: Apache-2.0
/* model/graphs/lcs.c: longest common subsequences by rows of bits (Hyyrö's form of the bit-parallel table): bit j of row i says
 * that the table does not grow from column j to j + 1. The rows of the reversed names are kept, those of the names
 * themselves are made one by one beside them; both together say which pairs lie on a longest common subsequence. */
#include "model/graphs/lcs.h"

#include <stdlib.h>

typedef struct matcher { /* for each name that b has: where it is, as bits */
    uint64_t *bits;
    uint32_t *set_of; /* by name: index of its bits, plus 1; 0: b lacks it */
    uint32_t names;
    size_t words;
} matcher;

static bool is_known(const matcher *m, uint32_t name) { return name < m->names && m->set_of[name]; }

static bool match(matcher *m, tfp_row_of_names b, bool reversed)
{
    uint32_t sets = 0;
    *m = (matcher){ .words = (b.count + 63) / 64 };
    for (uint32_t j = 0; j < b.count; j++)
        if (b.at[j] >= m->names) m->names = b.at[j] + 1;
    m->set_of = calloc((size_t)m->names + 1, sizeof *m->set_of);
    if (!m->set_of) return false;
    for (uint32_t j = 0; j < b.count; j++)
        if (!m->set_of[b.at[j]]) m->set_of[b.at[j]] = ++sets;
    m->bits = calloc(sets * m->words + 1, sizeof *m->bits);
    for (uint32_t j = 0; m->bits && j < b.count; j++) {
        uint32_t at = reversed ? b.count - 1 - j : j;
        m->bits[(m->set_of[b.at[j]] - 1) * m->words + at / 64] |= UINT64_C(1) << at % 64;
    }
    return m->bits != NULL;
}

static void end(matcher *m)
{
    free(m->bits);
    free(m->set_of);
}

/* The row after one more name of a. */
static void next_row(const matcher *m, uint32_t name, const uint64_t *from, uint64_t *to)
{
    const uint64_t *is = is_known(m, name) ? m->bits + (m->set_of[name] - 1) * m->words : NULL;
    uint64_t carry = 0;
    for (size_t w = 0; w < m->words; w++) {
        uint64_t v = from[w], u = is ? v & is[w] : 0, sum = v + u;
        uint64_t over = sum < v;
        sum += carry;
        over |= sum < carry;
        to[w] = sum | (v - u);
        carry = over;
    }
}

/* How far the table has grown over the whole row. */
static uint32_t length_of(const uint64_t *row, uint32_t columns)
{
    uint32_t n = 0;
    for (uint32_t j = 0; j < columns; j += 64) {
        uint64_t grown = ~row[j / 64];
        if (columns - j < 64) grown &= (UINT64_C(1) << (columns - j)) - 1;
        n += (uint32_t)__builtin_popcountll(grown);
    }
    return n;
}

static void first_row(uint64_t *row, size_t words) { memset(row, 0xff, words * sizeof *row); }

uint32_t tfp_lcs_length(tfp_row_of_names a, tfp_row_of_names b)
{
    matcher m;
    uint32_t length = UINT32_MAX;
    bool ok = match(&m, b, false);
    uint64_t *row = ok ? malloc((m.words + 1) * sizeof *row) : NULL;
    if (row) {
        first_row(row, m.words);
        for (uint32_t i = 0; i < a.count; i++) next_row(&m, a.at[i], row, row);
        length = length_of(row, b.count);
    }
    free(row);
    end(&m);
    return length;
}

static bool has_bit(const uint64_t *row, uint32_t j) { return row[j / 64] >> j % 64 & 1; }

typedef struct aligner {
    tfp_row_of_names a, b;
    size_t words;
    uint32_t all;          /* the length */
    const uint64_t *after; /* rows of the reversed names: the k-th is of the last k names of a */
} aligner;

/* Takes the positions of item i, given the row of the names before it. */
static bool take_item(const aligner *x, uint32_t i, const uint64_t *before, bool (*take)(void *, uint32_t, uint32_t),
                      void *ctx)
{
    const uint64_t *after = x->after + (size_t)(x->a.count - 1 - i) * x->words;
    uint32_t left = 0, right = length_of(after, x->b.count), columns = x->b.count;
    for (uint32_t j = 0; j < columns; j++) { /* a path that leaves the item out */
        if (left + right == x->all) return true;
        left += !has_bit(before, j);
        right -= !has_bit(after, columns - 1 - j);
    }
    if (left + right == x->all) return true;
    left = 0;
    right = length_of(after, columns);
    for (uint32_t j = 0; j < columns; j++) {
        right -= !has_bit(after, columns - 1 - j); /* of the names behind j */
        if (x->b.at[j] == x->a.at[i] && left + right + 1 == x->all && !take(ctx, i, j)) return false;
        left += !has_bit(before, j);
    }
    return true;
}

bool tfp_lcs_align(tfp_row_of_names a, tfp_row_of_names b, bool (*take)(void *ctx, uint32_t item, uint32_t position),
                   void *ctx)
{
    matcher forward, back = { 0 };
    bool ok = match(&forward, b, false) && match(&back, b, true);
    size_t words = forward.words;
    uint64_t *rows = ok ? malloc(((size_t)a.count + 1) * words * sizeof *rows + 1) : NULL,
             *row = ok ? malloc((words + 1) * sizeof *row) : NULL;
    ok = rows && row;
    if (ok) first_row(rows, words);
    for (uint32_t k = 0; ok && k < a.count; k++)
        next_row(&back, a.at[a.count - 1 - k], rows + (size_t)k * words, rows + ((size_t)k + 1) * words);
    if (ok) {
        aligner x = { a, b, words, length_of(rows + (size_t)a.count * words, b.count), rows };
        first_row(row, words);
        for (uint32_t i = 0; ok && i < a.count; i++) {
            ok = take_item(&x, i, row, take, ctx);
            next_row(&forward, a.at[i], row, row);
        }
    }
    free(rows);
    free(row);
    end(&forward);
    end(&back);
    return ok;
}
