// SPDX-License-Identifier: Apache-2.0
/* names/apart.c: the short names of a table's kernels: if different kernels have equal short names, the part in which their
 * full names differ is added. */
#include "names/names.h"

#include <stdlib.h>

typedef struct item {
    tfp_str full, text;
    size_t at;
} item;

static int by_short(const void *a, const void *b)
{
    const item *x = a, *y = b;
    int order = tfp_str_cmp(x->text, y->text);
    if (!order) order = tfp_str_cmp(x->full, y->full);
    return order ? order : x->at < y->at ? -1 : x->at > y->at;
}

static bool is_word(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/* The word of a name at an index, or a placeholder if there is none. */
static tfp_str word_at(tfp_str s, size_t at)
{
    enum { MOST = 24 };
    size_t from = at < s.size ? at : s.size, end = from;
    while (from && is_word(s.data[from - 1]) && from + MOST > at) from--;
    while (end < s.size && is_word(s.data[end]) && end < from + MOST) end++;
    return (tfp_str){ s.data + from, end - from };
}

static size_t common(tfp_str a, tfp_str b)
{
    size_t n = 0;
    while (n < a.size && n < b.size && a.data[n] == b.data[n]) n++;
    return n;
}

/* "SHORT (WORD)", or "SHORT (2)" if the words do not differ. */
static bool tell(tfp_arena *arena, item *x, tfp_str word, size_t number)
{
    tfp_buf text = { 0 };
    tfp_buf_str(&text, x->text);
    if (word.size)
        tfp_buf_printf(&text, " (%.*s)", (int)word.size, word.data);
    else
        tfp_buf_printf(&text, " (%zu)", number);
    tfp_str copy = tfp_buf_move(&text, arena);
    if (copy.data) x->text = copy;
    return copy.data != NULL;
}

/* items[0..count) have one short name; items with equal full names are adjacent. */
static bool tell_apart(tfp_arena *arena, item *items, size_t count)
{
    size_t same = items[0].full.size, number = 1;
    tfp_str first = items[0].full;
    for (size_t i = 1; i < count; i++) {
        size_t n = common(first, items[i].full);
        if (n < same) same = n;
    }
    if (same == first.size && items[count - 1].full.size == same) return true; /* all rows have the same full name */
    bool words = true;
    for (size_t i = 1; i < count && words; i++)
        words = tfp_str_eq(items[i].full, items[i - 1].full) ||
                !tfp_str_eq(word_at(items[i].full, same), word_at(items[i - 1].full, same));
    tfp_str before = { NULL, 0 };
    for (size_t i = 0; i < count; i++) {
        tfp_str full = items[i].full;
        if (i && !tfp_str_eq(full, before)) number++;
        before = full;
        if (!tell(arena, &items[i], words ? word_at(full, same) : (tfp_str){ NULL, 0 }, number)) return false;
    }
    return true;
}

bool tfp_kernel_shorts(tfp_arena *arena, const tfp_str *full, size_t count, tfp_str *shorts)
{
    item *items = malloc((count + 1) * sizeof *items);
    tfp_buf text = { 0 };
    bool ok = items != NULL;
    for (size_t i = 0; i < count && ok; i++) {
        text.size = 0;
        items[i] = (item){ full[i], full[i], i };
        if (!tfp_kernel_short(full[i], &text)) continue;
        items[i].text = tfp_buf_copy(&text, arena);
        ok = items[i].text.data != NULL;
    }
    ok = ok && !text.failed;
    if (ok) qsort(items, count, sizeof *items, by_short);
    for (size_t i = 0, end; i < count && ok; i = end) {
        for (end = i + 1; end < count && tfp_str_eq(items[end].text, items[i].text);) end++;
        if (end - i > 1) ok = tell_apart(arena, items + i, end - i);
    }
    for (size_t i = 0; i < count && ok; i++) shorts[items[i].at] = items[i].text;
    free(items);
    tfp_buf_free(&text);
    return ok;
}
