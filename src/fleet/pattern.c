// SPDX-License-Identifier: Apache-2.0
/* fleet/pattern.c: patterns of paths and of names. A part is matched without backtracking: text between two placeholders is searched
 * once, and text after the last one is compared with the end of the folder's name. */
#include "fleet/pattern.h"

/* A placeholder, or literal text. */
typedef struct piece {
    tfp_str text;
    bool takes, named;
} piece;

/* Cuts the next piece off a part of a pattern. */
static piece next_piece(tfp_str *part)
{
    piece p = { { part->data, 0 }, false, false };
    if (part->data[0] == '*') {
        p.takes = true;
        p.text.size = 1;
    } else if (part->data[0] == '{') {
        const char *end = memchr(part->data, '}', part->size);
        p.takes = p.named = true;
        p.text = (tfp_str){ part->data + 1, (size_t)(end - part->data - 1) };
    } else {
        while (p.text.size < part->size && part->data[p.text.size] != '*' && part->data[p.text.size] != '{')
            p.text.size++;
    }
    size_t size = p.named ? p.text.size + 2 : p.text.size;
    part->data += size;
    part->size -= size;
    return p;
}

static bool is_name(const char *at, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        char c = at[i] | 0x20;
        if (!(c >= 'a' && c <= 'z') && at[i] != '_' && !(i && at[i] >= '0' && at[i] <= '9')) return false;
    }
    return size > 0;
}

tfp_status tfp_pattern_check(const char *pattern, tfp_error *err)
{
    if (!*pattern) return tfp_fail(err, TFP_BADARG, "option --path: an empty pattern");
    for (const char *at = pattern; *at; at++) {
        if (*at == '}') return tfp_fail(err, TFP_BADARG, "option --path: '%s': a } without its {", pattern);
        if (*at != '{') continue;
        size_t size = strcspn(at + 1, "{}/");
        if (at[1 + size] != '}') return tfp_fail(err, TFP_BADARG, "option --path: '%s': a { without a }", pattern);
        if (!is_name(at + 1, size))
            return tfp_fail(err, TFP_BADARG, "option --path: '%s': {%.*s} is not a name", pattern, (int)size, at + 1);
        at += size + 1;
    }
    return TFP_OK;
}

typedef struct taker {
    bool (*take)(void *ctx, tfp_str name, tfp_str value);
    void *ctx;
    bool ok;
} taker;

static void give(taker *t, const piece *p, tfp_str value)
{
    if (t && p->named && t->ok) t->ok = t->take(t->ctx, p->text, value);
}

/* Matches one part with one folder. A placeholder takes at least one character. t: gets the values; may be NULL. */
static bool part_fits(tfp_str part, tfp_str name, taker *t)
{
    piece open = { { 0 }, false, false }; /* the placeholder whose end is still unknown */
    while (part.size) {
        piece p = next_piece(&part);
        if (p.takes && open.takes) { /* two adjacent placeholders: the first one takes one character */
            if (!name.size) return false;
            give(t, &open, (tfp_str){ name.data, 1 });
            name.data++, name.size--;
        }
        if (p.takes) {
            open = p;
            continue;
        }
        size_t at = 0, skip = open.takes ? 1 : 0;
        if (name.size < p.text.size + skip) return false;
        if (!part.size) { /* the last text must be at the end */
            at = name.size - p.text.size;
            if (!open.takes && at) return false;
            if (memcmp(name.data + at, p.text.data, p.text.size) != 0) return false;
        } else if (open.takes) {
            at = tfp_str_find((tfp_str){ name.data + 1, name.size - 1 }, p.text);
            if (at++ == SIZE_MAX) return false;
        } else if (memcmp(name.data, p.text.data, p.text.size) != 0) {
            return false;
        }
        if (open.takes) give(t, &open, (tfp_str){ name.data, at });
        open.takes = false;
        name.data += at + p.text.size;
        name.size -= at + p.text.size;
    }
    if (!open.takes) return !name.size;
    if (name.size) give(t, &open, name);
    return name.size > 0;
}

static tfp_str cut_part(tfp_str *rest)
{
    const char *slash = rest->size ? memchr(rest->data, '/', rest->size) : NULL;
    tfp_str part = { rest->data, slash ? (size_t)(slash - rest->data) : rest->size };
    size_t used = part.size + (slash ? 1 : 0);
    rest->data += used;
    rest->size -= used;
    return part;
}

static bool fits_here(tfp_str pattern, tfp_str path, taker *t)
{
    while (pattern.size) {
        if (!path.size) return false;
        if (!part_fits(cut_part(&pattern), cut_part(&path), t)) return false;
    }
    return true;
}

bool tfp_pattern_fits(const char *pattern, tfp_str path, bool (*take)(void *ctx, tfp_str name, tfp_str value),
                      void *ctx, bool *ok)
{
    taker t = { take, ctx, true };
    tfp_str all = tfp_str_of(pattern);
    while (all.size && all.data[0] == '/') all.data++, all.size--;
    for (; path.size; cut_part(&path)) {
        if (!fits_here(all, path, NULL)) continue;
        fits_here(all, path, &t);
        *ok = t.ok;
        return true;
    }
    return false;
}

/* Matches * and ?. After a mismatch the last * takes one more character; earlier ones need not be tried again. */
static bool glob_fits(tfp_str glob, tfp_str name)
{
    size_t g = 0, n = 0, star = SIZE_MAX, from = 0;
    while (n < name.size) {
        if (g < glob.size && glob.data[g] == '*') {
            star = g++;
            from = n;
        } else if (g < glob.size && (glob.data[g] == '?' || glob.data[g] == name.data[n])) {
            g++, n++;
        } else if (star != SIZE_MAX) {
            g = star + 1;
            n = ++from;
        } else {
            return false;
        }
    }
    while (g < glob.size && glob.data[g] == '*') g++;
    return g == glob.size;
}

bool tfp_glob_fits_one(const char *globs, tfp_str name)
{
    for (const char *at = globs; *at;) {
        size_t size = strcspn(at, ",");
        if (size && glob_fits((tfp_str){ at, size }, name)) return true;
        at += size + (at[size] == ',');
    }
    return false;
}
