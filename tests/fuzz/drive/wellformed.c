// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/drive/wellformed.c: checks outputs; it shares no code with the library that writes them. */
#include "wellformed.h"

#include <stdint.h>
#include <string.h>

/* Length of the UTF-8 sequence at data, or 0 if it is invalid; *code gets the code point. */
static size_t sequence(const unsigned char *data, size_t size, uint32_t *code)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    size_t n = data[0] < 0x80 ? 1 : data[0] >> 5 == 6 ? 2 : data[0] >> 4 == 14 ? 3 : data[0] >> 3 == 30 ? 4 : 0;
    if (n == 0 || n > size) return 0;
    *code = n == 1 ? data[0] : data[0] & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) {
        if (data[i] >> 6 != 2) return 0;
        *code = *code << 6 | (data[i] & 63);
    }
    return *code < least[n] || *code > 0x10ffff || (*code >> 11) == 27 ? 0 : n;
}

bool safe_text(const char *data, size_t size, const char *allowed)
{
    const unsigned char *at = (const unsigned char *)data;
    for (size_t n; size; at += n, size -= n) {
        uint32_t c = 0;
        n = sequence(at, size, &c);
        if (n == 0 || c == 0x7f || (c >= 0x80 && c < 0xa0)) return false;
        if (c < 0x20 && (c == 0 || !strchr(allowed, (int)c))) return false;
        if ((c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0x200e || c == 0x200f || c == 0x61c)
            return false;
    }
    return true;
}

typedef struct text {
    const char *at, *end;
} text;

static void blanks(text *t)
{
    while (t->at < t->end && strchr(" \n\r\t", *t->at) && *t->at) t->at++;
}

static bool word(text *t, const char *w)
{
    size_t n = strlen(w);
    if ((size_t)(t->end - t->at) < n || memcmp(t->at, w, n) != 0) return false;
    t->at += n;
    return true;
}

static size_t digits(text *t)
{
    const char *start = t->at;
    while (t->at < t->end && *t->at >= '0' && *t->at <= '9') t->at++;
    return (size_t)(t->at - start);
}

static bool number(text *t)
{
    word(t, "-");
    bool zero = t->at < t->end && *t->at == '0';
    size_t n = digits(t);
    if (n == 0 || (zero && n > 1)) return false;
    if (word(t, ".") && digits(t) == 0) return false;
    if (word(t, "e") || word(t, "E")) {
        if (!word(t, "+")) word(t, "-");
        return digits(t) > 0;
    }
    return true;
}

static bool string(text *t)
{
    if (!word(t, "\"")) return false;
    while (t->at < t->end && *t->at != '"') {
        if ((unsigned char)*t->at < 0x20) return false;
        if (*t->at++ != '\\') continue;
        if (t->at == t->end) return false;
        char c = *t->at++;
        if (c == 'u') {
            for (int i = 0; i < 4; i++, t->at++)
                if (t->at == t->end || !strchr("0123456789abcdefABCDEF", *t->at) || !*t->at) return false;
        } else if (!strchr("\"\\/bfnrt", c) || !c) {
            return false;
        }
    }
    return word(t, "\"");
}

/* The kind of each open container: one bit for each level. */
enum { LEVELS = 64000 };
typedef struct levels {
    unsigned char bits[LEVELS / 8];
    size_t count;
} levels;

static bool in_object(const levels *l) { return l->count && (l->bits[(l->count - 1) / 8] >> ((l->count - 1) % 8) & 1); }

static bool enter(levels *l, bool object)
{
    if (l->count == LEVELS) return false;
    unsigned char bit = (unsigned char)(1u << (l->count % 8));
    unsigned char *b = &l->bits[l->count++ / 8];
    *b = (unsigned char)(object ? *b | bit : *b & ~bit);
    return true;
}

static bool key(text *t)
{
    blanks(t);
    if (!string(t)) return false;
    blanks(t);
    return word(t, ":");
}

/* After a value: closes the containers that end here, and goes to the next value. False on an error; *done at the
 * end. */
static bool after_value(text *t, levels *l, bool *done)
{
    for (;;) {
        blanks(t);
        if (l->count == 0) return *done = true, t->at == t->end;
        if (word(t, ",")) return !in_object(l) || key(t);
        if (!word(t, in_object(l) ? "}" : "]")) return false;
        l->count--;
    }
}

bool wellformed_json(const char *data, size_t size)
{
    text t = { data, data + size };
    levels l = { .count = 0 };
    const unsigned char *u = (const unsigned char *)data;
    for (size_t i = 0, n; i < size; i += n) {
        uint32_t code;
        if (!(n = sequence(u + i, size - i, &code))) return false;
    }
    for (bool done = false; !done;) {
        blanks(&t);
        if (t.at == t.end) return false;
        bool object = *t.at == '{';
        if (object || *t.at == '[') {
            t.at++;
            if (!enter(&l, object)) return false;
            blanks(&t);
            bool empty = t.at < t.end && *t.at == (object ? '}' : ']');
            if (!empty) {
                if (object && !key(&t)) return false;
                continue;
            }
        } else if (*t.at == '"' ? !string(&t)
                                : !word(&t, "true") && !word(&t, "false") && !word(&t, "null") && !number(&t)) {
            return false;
        }
        if (!after_value(&t, &l, &done)) return false;
    }
    return true;
}

bool wellformed_csv(const char *data, size_t size)
{
    size_t fields = 1, width = 0;
    bool quoted = false;
    for (size_t i = 0; i < size; i++) {
        char c = data[i];
        if (c == '"') quoted = !quoted;
        if (quoted) continue;
        if (c == ',') fields++;
        if (c != '\n') continue;
        if (width && fields != width) return false;
        width = fields;
        fields = 1;
    }
    return !quoted && (size == 0 || data[size - 1] == '\n');
}
