// SPDX-License-Identifier: Apache-2.0
/* options/rewrite.c: sed's `s` command on names. Patterns are RE2's, as in every filter. */
#include "options/rewrite.h"

#include <stdlib.h>

/* largest size of a changed name in bytes, because each of its characters may become a whole TEXT */
#define LONGEST ((size_t)64 << 20)

struct tfp_rewrite {
    tfp_regex *regex;
    char *given; /* the whole expression, ended by NUL */
    char *text;  /* TEXT: a byte below 10 stands for that group, 0 for the whole match */
    size_t text_size;
    bool everywhere; /* g */
};

/* ---- reading an expression ---- */

typedef struct parts {
    char mark;
    tfp_str pattern, text, flags;
} parts;

/* Takes the text up to the next unescaped delimiter; `rest` then begins after it. */
static bool take_part(tfp_str *rest, char mark, tfp_str *part)
{
    for (size_t i = 0; i < rest->size; i++) {
        if (rest->data[i] == '\\') {
            i++;
        } else if (rest->data[i] == mark) {
            *part = (tfp_str){ rest->data, i };
            rest->data += i + 1;
            rest->size -= i + 1;
            return true;
        }
    }
    return false;
}

static tfp_status take_apart(tfp_str given, parts *p, tfp_error *err)
{
    if (given.size < 2 || given.data[0] != 's')
        return tfp_fail(err, TFP_BADARG, "not of the form s/PATTERN/TEXT/ or s/PATTERN/TEXT/g");
    p->mark = given.data[1];
    if (p->mark == '\\' || p->mark == '\n')
        return tfp_fail(err, TFP_BADARG, "a backslash or newline cannot be the mark");
    if ((unsigned char)p->mark >= 0x80) return tfp_fail(err, TFP_BADARG, "the mark after s must be ASCII");
    tfp_str rest = { given.data + 2, given.size - 2 };
    if (!take_part(&rest, p->mark, &p->pattern)) return tfp_fail(err, TFP_BADARG, "no '%c' ends the pattern", p->mark);
    if (!take_part(&rest, p->mark, &p->text)) return tfp_fail(err, TFP_BADARG, "no '%c' ends the text", p->mark);
    p->flags = rest;
    return TFP_OK;
}

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Compiles the pattern: an escaped delimiter that is a letter or digit loses its backslash, which would otherwise give
 * it a special meaning; other delimiters mean the same with and without it. */
static tfp_status compile(tfp_rewrite *w, const parts *p, tfp_error *err)
{
    tfp_buf pattern = { 0 };
    for (size_t i = 0; i < p->pattern.size; i++) {
        char c = p->pattern.data[i];
        bool escaped = c == '\\' && i + 1 < p->pattern.size;
        if (escaped && !(p->pattern.data[i + 1] == p->mark && is_word(p->mark))) tfp_buf_char(&pattern, c);
        if (escaped) c = p->pattern.data[++i];
        tfp_buf_char(&pattern, c);
    }
    char why[256] = "";
    if (!pattern.failed) w->regex = tfp_regex_new((tfp_str){ pattern.data, pattern.size }, why, sizeof why);
    tfp_status s = TFP_OK;
    if (!w->regex && !why[0])
        s = tfp_nomem(err);
    else if (!w->regex)
        s = tfp_fail(err, TFP_BADARG, "invalid regex '%.*s': %s", (int)(pattern.size < 1000 ? pattern.size : 1000),
                     pattern.data, why);
    tfp_buf_free(&pattern);
    return s;
}

/* `\1` and `&` become bytes that stand for groups, so the text itself must not contain these bytes. */
static tfp_status read_text(tfp_rewrite *w, tfp_str text, tfp_error *err)
{
    int groups = tfp_regex_groups(w->regex);
    w->text = malloc(text.size + 1);
    if (!w->text) return tfp_nomem(err);
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if ((unsigned char)c <= TFP_REGEX_GROUPS) return tfp_fail(err, TFP_BADARG, "a control character in the text");
        bool escaped = c == '\\' && i + 1 < text.size;
        if (escaped) c = text.data[++i];
        if (escaped && c >= '0' && c <= '9') {
            if (c - '0' > groups)
                return tfp_fail(err, TFP_BADARG, "\\%c in the text, but the pattern has %d group%s", c, groups,
                                groups == 1 ? "" : "s");
            c = (char)(c - '0');
        } else if (!escaped && c == '&') {
            c = 0;
        }
        w->text[w->text_size++] = c;
    }
    return TFP_OK;
}

static tfp_status read_one(tfp_rewrite *w, tfp_str given, tfp_error *err)
{
    parts p = { 0 };
    w->given = calloc(1, given.size + 1);
    if (!w->given) return tfp_nomem(err);
    if (given.size) memcpy(w->given, given.data, given.size);
    tfp_status s = take_apart(given, &p, err);
    if (!s && p.flags.size && !tfp_str_eq(p.flags, TFP_STR("g")))
        s = tfp_fail(err, TFP_BADARG, "only g may follow the last '%c'", p.mark);
    if (s) return s;
    w->everywhere = p.flags.size > 0;
    s = compile(w, &p, err);
    return s ? s : read_text(w, p.text, err);
}

/* ---- the list ---- */

static tfp_status join(tfp_rewrites *w, tfp_error *err)
{
    tfp_buf text = { 0 };
    for (size_t i = 0; i < w->count; i++) {
        if (i) tfp_buf_char(&text, ' ');
        tfp_buf_text(&text, w->items[i].given);
    }
    tfp_buf_char(&text, 0);
    if (text.failed) {
        tfp_buf_free(&text);
        return tfp_nomem(err);
    }
    w->text = text.data;
    return TFP_OK;
}

tfp_status tfp_rewrites_new(const tfp_rewrites *before, const tfp_str *items, size_t count, tfp_rewrites **out,
                            tfp_error *err)
{
    size_t old = before ? before->count : 0;
    tfp_rewrites *w = calloc(1, sizeof *w);
    *out = NULL;
    if (!w || !(w->items = calloc(old + count, sizeof *w->items))) {
        free(w);
        return tfp_nomem(err);
    }
    w->refs = 1;
    tfp_status s = TFP_OK;
    for (; w->count < old + count && !s; w->count++)
        s = read_one(&w->items[w->count],
                     w->count < old ? tfp_str_of(before->items[w->count].given) : items[w->count - old], err);
    if (!s) s = join(w, err);
    if (s)
        tfp_rewrites_free(w);
    else
        *out = w;
    return s;
}

tfp_rewrites *tfp_rewrites_keep(tfp_rewrites *w)
{
    if (w) __atomic_add_fetch(&w->refs, 1, __ATOMIC_RELAXED);
    return w;
}

void tfp_rewrites_free(tfp_rewrites *w)
{
    if (!w || (w->refs > 0 && __atomic_sub_fetch(&w->refs, 1, __ATOMIC_ACQ_REL) > 0)) return;
    for (size_t i = 0; i < w->count; i++) {
        if (w->items[i].regex) tfp_regex_free(w->items[i].regex);
        free(w->items[i].given);
        free(w->items[i].text);
    }
    free(w->items);
    free(w->text);
    free(w);
}

unsigned tfp_rewrites_failures(const tfp_rewrites *w)
{
    unsigned n = 0;
    for (size_t i = 0; w && i < w->count; i++) n += tfp_regex_failures(w->items[i].regex);
    return n;
}

/* ---- changing a name ---- */

static void put_text(const tfp_rewrite *w, const tfp_str *found, tfp_buf *out)
{
    for (size_t i = 0; i < w->text_size; i++) {
        unsigned char c = (unsigned char)w->text[i];
        if (c <= TFP_REGEX_GROUPS)
            tfp_buf_str(out, found[c]);
        else
            tfp_buf_char(out, (char)c);
    }
}

/* The size of the character at `at`, or 1 for a byte that is not UTF-8. */
static size_t step_over(tfp_str name, size_t at)
{
    uint32_t code;
    size_t n = tfp_utf8((tfp_str){ name.data + at, name.size - at }, &code);
    return n ? n : 1;
}

/* An empty match directly after the previous match does not count, as in sed. */
static void change(const tfp_rewrite *w, tfp_str name, tfp_buf *out)
{
    tfp_str found[TFP_REGEX_GROUPS + 1];
    size_t from = 0, copied = 0;
    int groups = tfp_regex_groups(w->regex);
    if (groups > TFP_REGEX_GROUPS) groups = TFP_REGEX_GROUPS;
    bool first = true;
    while (from <= name.size && (first || w->everywhere) && out->size < LONGEST &&
           tfp_regex_find(w->regex, name, from, found, groups)) {
        size_t at = (size_t)(found[0].data - name.data), end = at + found[0].size;
        if (first || end > at || at > copied) {
            tfp_buf_add(out, name.data + copied, at - copied);
            put_text(w, found, out);
            copied = end;
        }
        from = end > at ? end : end < name.size ? end + step_over(name, end) : end + 1;
        first = false;
    }
    tfp_buf_add(out, name.data + copied, name.size - copied);
    if (out->size >= LONGEST) out->failed = true;
}

void tfp_rewrites_apply(const tfp_rewrites *w, tfp_str name, tfp_buf *out, tfp_buf *scratch)
{
    out->size = 0;
    tfp_buf_str(out, name);
    for (size_t i = 0; w && i < w->count && !out->failed; i++) {
        tfp_buf before = *out;
        *out = *scratch;
        *scratch = before;
        out->size = 0;
        change(&w->items[i], (tfp_str){ scratch->data ? scratch->data : "", scratch->size }, out);
    }
}
