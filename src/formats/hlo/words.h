// SPDX-License-Identifier: Apache-2.0
/* formats/hlo/words.h: the reader of an HLO module's text, and the words of a line: names, numbers, parts in brackets.
 * text.c interprets the words. */
#ifndef TFP_HLO_WORDS_H
#define TFP_HLO_WORDS_H

#include "formats/hlo/hlo.h"

typedef struct reader {
    tfp_builder *b;
    tfp_hlo_module *m;
    tfp_str line; /* the rest of the line; an instruction may take several lines of the text */
    const char *line_start;
    int line_number;
    bool in_computation;
    tfp_hlo_computation computation;
    /* which table before the computations is being read: N(ames of files), F(unctions), L(ocations), S(tack frames) */
    char section;
} reader;

static inline tfp_status fail(const reader *r, tfp_error *err, const char *what)
{
    if (r->b->status) return tfp_builder_status(r->b, err); /* out of memory: nothing was read */
    const char *start = r->line_start;
    int number = r->line_number;
    for (const char *at = start; at < r->line.data; at++)
        if (*at == '\n') number++, start = at + 1;
    return tfp_fail_at(err, TFP_BADFILE, number, (int)(r->line.data - start) + 1, "%s", what);
}

/* ---- words ---- */

static inline void skip(reader *r, size_t n) { r->line = (tfp_str){ r->line.data + n, r->line.size - n }; }

static inline bool take(reader *r, const char *word)
{
    size_t n = strlen(word);
    if (r->line.size < n || memcmp(r->line.data, word, n) != 0) return false;
    skip(r, n);
    return true;
}

static inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

static inline void skip_blanks(reader *r)
{
    while (r->line.size && is_blank(r->line.data[0])) skip(r, 1);
    while (r->line.size > 1 && r->line.data[0] == '/' && (r->line.data[1] == '*' || r->line.data[1] == '/')) {
        bool block = r->line.data[1] == '*'; /* a comment */
        size_t end = tfp_str_find(r->line, block ? TFP_STR("*/") : TFP_STR("\n"));
        skip(r, end == SIZE_MAX ? r->line.size : end + (block ? 2 : 1));
        while (r->line.size && is_blank(r->line.data[0])) skip(r, 1);
    }
}

/* Takes a word after blanks. */
static inline bool take_next(reader *r, const char *word)
{
    skip_blanks(r);
    return take(r, word);
}

static inline bool in_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '-';
}

/* Takes a name, without its percent sign. */
static inline tfp_str take_name(reader *r)
{
    take(r, "%");
    size_t n = 0;
    while (n < r->line.size && in_name(r->line.data[n])) n++;
    tfp_str name = { r->line.data, n };
    skip(r, n);
    return name;
}

static inline int64_t take_number(reader *r)
{
    int64_t n = 0;
    bool minus = take(r, "-");
    while (r->line.size && r->line.data[0] >= '0' && r->line.data[0] <= '9') {
        n = tfp_add(tfp_mul(n, 10, NULL), r->line.data[0] - '0', NULL);
        skip(r, 1);
    }
    return minus ? -n : n;
}

/* text_lines.c: the same text without the blanks at its end. */
tfp_str tfp_hlo_trimmed(tfp_str s);
/* Lengthens the line as far as its instruction, header or comment goes. Returns how many lines of the text it got. */
int tfp_hlo_take_open_lines(reader *r, tfp_str *text);

/* Takes the text up to one of `ends` outside brackets and quotes. */
static inline tfp_str take_until(reader *r, const char *ends)
{
    size_t depth = 0, n = 0;
    bool quoted = false;
    for (; n < r->line.size; n++) {
        char c = r->line.data[n];
        if (quoted) {
            if (c == '\\' && n + 1 < r->line.size)
                n++;
            else if (c == '"')
                quoted = false;
            continue;
        }
        if (!depth && c && strchr(ends, c)) break;
        if (c == '"') quoted = true;
        if (c == '(' || c == '[' || c == '{') depth++;
        if (depth && (c == ')' || c == ']' || c == '}')) depth--;
    }
    tfp_str part = { r->line.data, n };
    skip(r, n);
    return part;
}

#endif
