// SPDX-License-Identifier: Apache-2.0
/* mcp/message.c: reads a JSON message in one pass, with recursion limited to MESSAGE_DEPTH; texts are unescaped in place. */
#include "message.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
    message *m;
    char *at, *end; /* *end is a NUL of ours */
} reader;

static bool fail(reader *r, const char *why)
{
    if (!r->m->wrong) r->m->wrong = why;
    return false;
}

static void skip_blanks(reader *r)
{
    while (r->at < r->end && memchr(" \t\r\n", *r->at, 4)) r->at++;
}

/* Adds a value and returns its index; SIZE_MAX: out of memory. */
static size_t add(reader *r, value_kind kind)
{
    message *m = r->m;
    if (m->count == m->room) {
        size_t room = m->room ? m->room * 2 : 32;
        value *more = realloc(m->values, room * sizeof *more);
        if (!more) {
            fail(r, "out of memory");
            return SIZE_MAX;
        }
        m->values = more;
        m->room = room;
    }
    m->values[m->count] = (value){ .kind = kind, .text = r->at, .after = m->count + 1 };
    return m->count++;
}

/* ---- texts ---- */

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The four digits of \uNNNN; -1: not four digits. */
static int32_t take_unit(reader *r)
{
    int32_t n = 0;
    for (int i = 0; i < 4; i++) {
        int digit = r->at < r->end ? hex_digit(*r->at) : -1;
        if (digit < 0) return -1;
        n = n * 16 + digit;
        r->at++;
    }
    return n;
}

static char *put_utf8(char *to, uint32_t c)
{
    if (c < 0x80) {
        *to++ = (char)c;
        return to;
    }
    int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const unsigned char heads[] = { 0, 0xc0, 0xe0, 0xf0 };
    *to++ = (char)(heads[more] | c >> 6 * more);
    while (more--) *to++ = (char)(0x80 | (c >> 6 * more & 0x3f));
    return to;
}

/* Reads the character after \u; a pair of surrogates is one character, half of one is U+FFFD. */
static bool take_character(reader *r, char **to)
{
    int32_t unit = take_unit(r), low = -1;
    if (unit < 0) return fail(r, "a \\u without four digits");
    if (unit == 0) return fail(r, "a text with a NUL");
    uint32_t c = (uint32_t)unit;
    if (unit >= 0xd800 && unit < 0xdc00 && r->end - r->at > 1 && r->at[0] == '\\' && r->at[1] == 'u') {
        char *behind = r->at;
        r->at += 2;
        low = take_unit(r);
        if (low >= 0xdc00 && low < 0xe000)
            c = 0x10000 + ((uint32_t)(unit - 0xd800) << 10) + (uint32_t)(low - 0xdc00);
        else
            r->at = behind;
    }
    if (c >= 0xd800 && c < 0xe000) c = 0xfffd;
    *to = put_utf8(*to, c);
    return true;
}

static bool take_escape(reader *r, char **to)
{
    static const char names[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    char c = r->at < r->end ? *r->at++ : '\0';
    const char *name = c ? strchr(names, c) : NULL;
    if (c == 'u') return take_character(r, to);
    if (!name) return fail(r, "an unknown escape in a text");
    *(*to)++ = meant[name - names];
    return true;
}

/* Unescapes a text in place, since an escape is longer than the character it stands for. */
static bool take_text(reader *r)
{
    size_t v = add(r, VALUE_TEXT);
    if (v == SIZE_MAX) return false;
    char *start = ++r->at, *to = start;
    for (;;) {
        if (r->at >= r->end) return fail(r, "a text without an end");
        unsigned char c = (unsigned char)*r->at++;
        if (c == '"') break;
        if (c < ' ') return fail(r, "a control character in a text");
        if (c != '\\')
            *to++ = (char)c;
        else if (!take_escape(r, &to))
            return false;
    }
    *to = '\0';
    r->m->values[v].text = start;
    r->m->values[v].size = (size_t)(to - start);
    return true;
}

/* ---- words and numbers ---- */

static size_t count_digits(const char *at) { return strspn(at, "0123456789"); }

/* The length of a number by JSON's grammar; 0: it is none. */
static size_t number_size(const char *start)
{
    const char *at = start + (*start == '-');
    size_t whole = count_digits(at);
    if (!whole || (*at == '0' && whole > 1)) return 0;
    at += whole;
    if (*at == '.') {
        size_t part = count_digits(at + 1);
        if (!part) return 0;
        at += 1 + part;
    }
    if (*at == 'e' || *at == 'E') {
        at += 1 + (at[1] == '+' || at[1] == '-');
        size_t power = count_digits(at);
        if (!power) return 0;
        at += power;
    }
    return (size_t)(at - start);
}

static bool take_word(reader *r)
{
    static const struct {
        const char *text;
        value_kind kind;
        double number;
    } words[] = { { "true", VALUE_BOOL, 1 }, { "false", VALUE_BOOL, 0 }, { "null", VALUE_NULL, 0 } };
    size_t v = add(r, VALUE_NUMBER), size = number_size(r->at);
    if (v == SIZE_MAX) return false;
    value *x = &r->m->values[v];
    for (size_t i = 0; i < sizeof words / sizeof *words && !size; i++) {
        if (strncmp(r->at, words[i].text, strlen(words[i].text)) != 0) continue;
        size = strlen(words[i].text);
        x->kind = words[i].kind;
        x->number = words[i].number;
    }
    if (!size) return fail(r, "a value was expected");
    if (x->kind == VALUE_NUMBER) x->number = strtod(r->at, NULL);
    x->size = size;
    r->at += size;
    return true;
}

/* ---- lists and objects ---- */

static bool take_value(reader *r, int depth);

static bool take_member(reader *r, int depth)
{
    if (*r->at != '"') return fail(r, "a key was expected");
    if (!take_text(r)) return false;
    skip_blanks(r);
    if (*r->at != ':') return fail(r, "a ':' was expected");
    r->at++;
    return take_value(r, depth);
}

static bool take_items(reader *r, bool object, int depth)
{
    char close = object ? '}' : ']';
    size_t v = add(r, object ? VALUE_OBJECT : VALUE_LIST);
    if (v == SIZE_MAX) return false;
    if (depth == MESSAGE_DEPTH) return fail(r, "lists and objects are nested too deep");
    r->at++;
    skip_blanks(r);
    while (*r->at != close) {
        if (r->m->values[v].count++) {
            if (*r->at != ',') return fail(r, object ? "a ',' or '}' was expected" : "a ',' or ']' was expected");
            r->at++;
            skip_blanks(r);
        }
        if (!(object ? take_member(r, depth + 1) : take_value(r, depth + 1))) return false;
        skip_blanks(r);
    }
    r->at++;
    value *x = &r->m->values[v];
    x->after = r->m->count;
    x->size = (size_t)(r->at - x->text);
    return true;
}

static bool take_value(reader *r, int depth)
{
    skip_blanks(r);
    switch (*r->at) {
    case '"': return take_text(r);
    case '{': return take_items(r, true, depth);
    case '[': return take_items(r, false, depth);
    default: return take_word(r);
    }
}

bool message_read(message *m, char *line, size_t size)
{
    reader r = { .m = m, .at = line, .end = line + size };
    *m = (message){ .values = NULL };
    if (memchr(line, '\0', size)) return fail(&r, "a NUL byte");
    if (!take_value(&r, 0)) return false;
    skip_blanks(&r);
    return r.at == r.end || fail(&r, "text after the end of the message");
}

void message_free(message *m)
{
    free(m->values);
    *m = (message){ .values = NULL };
}

const value *message_first(const message *m, const value *v)
{
    return v && v->count ? &m->values[(size_t)(v - m->values) + 1] : NULL;
}

const value *message_next(const message *m, const value *v) { return &m->values[v->after]; }

const value *message_member(const message *m, const value *object, const char *key)
{
    const value *found = NULL;
    if (!object || object->kind != VALUE_OBJECT) return NULL;
    const value *k = message_first(m, object);
    for (size_t i = 0; i < object->count; i++) {
        const value *v = message_next(m, k);
        if (strcmp(k->text, key) == 0) found = v;
        if (i + 1 < object->count) k = message_next(m, v);
    }
    return found;
}
