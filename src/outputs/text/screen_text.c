// SPDX-License-Identifier: Apache-2.0
/* outputs/text/screen_text.c: texts at a terminal: their width, cut or wrapped to it, and bars. */
#include "outputs/text/screen.h"
#include "views/core/rows.h"

size_t tfp_screen_width(tfp_str s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.size; i++) n += ((unsigned char)s.data[i] & 0xc0) != 0x80;
    return n;
}

/* The byte after the first n characters. */
static size_t behind(const tfp_buf *text, size_t n)
{
    size_t at = 0;
    for (; at < text->size && n; n--) {
        at++;
        while (at < text->size && ((unsigned char)text->data[at] & 0xc0) == 0x80) at++;
    }
    return at;
}

#define ELLIPSIS "\xe2\x80\xa6"

void tfp_screen_cut(tfp_buf *text, size_t width)
{
    if (tfp_screen_width((tfp_str){ text->data, text->size }) <= width) return;
    text->size = behind(text, width ? width - 1 : 0);
    tfp_buf_text(text, ELLIPSIS);
}

/* Cuts the arguments and the "void" off a C++ function: they differ less than its name and its template's types. */
static void cut_signature(tfp_buf *text)
{
    static const char result[] = "void ";
    size_t size = text->size, depth = 0, at = size;
    if (!size || text->data[size - 1] != ')') return;
    while (at-- > 0) {
        if (text->data[at] == ')') depth++;
        if (text->data[at] == '(' && --depth == 0) break;
    }
    if (at == 0 || at > size || text->data[at - 1] == ' ' || text->data[at - 1] == ':') return;
    text->size = at;
    if (at < sizeof result || memcmp(text->data, result, sizeof result - 1) != 0) return;
    text->size = at - (sizeof result - 1);
    memmove(text->data, text->data + sizeof result - 1, text->size);
}

void tfp_screen_cut_name(tfp_buf *text, size_t width)
{
    enum { LEAST = 8 }; /* fewer letters on a side tell nothing */
    size_t all = tfp_screen_width((tfp_str){ text->data, text->size }), indent = 0;
    if (all <= width) return;
    cut_signature(text);
    all = tfp_screen_width((tfp_str){ text->data, text->size });
    if (all <= width) return;
    while (indent < text->size && text->data[indent] == ' ') indent++;
    if (width < indent + LEAST) {
        tfp_screen_cut(text, width);
        return;
    }
    size_t letters = width - indent - 1, last = letters / 2, first = indent + letters - last;
    size_t to = behind(text, first), from = behind(text, all - last), size = text->size;
    tfp_buf rest = { 0 };
    tfp_buf_add(&rest, text->data + from, size - from);
    text->size = to;
    tfp_buf_text(text, ELLIPSIS);
    if (rest.size) tfp_buf_add(text, rest.data, rest.size);
    text->failed |= rest.failed;
    tfp_buf_free(&rest);
}

/* Whether this is the blank between a number and its unit, where a line must not break: "16.6 ms", "2.04 s,". */
static bool is_in_amount(tfp_str text, size_t at)
{
    static const char *const units[] = { "ns", "\xc2\xb5s", "ms", "s", "B", "kB", "MB", "GB", "TB", "M", "G", "T" };
    if (!at || text.data[at - 1] < '0' || text.data[at - 1] > '9') return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        size_t n = strlen(units[i]), end = at + 1 + n;
        if (end <= text.size && memcmp(text.data + at + 1, units[i], n) == 0 &&
            (end == text.size || memchr(" ,;.:)", text.data[end], 6)))
            return true;
    }
    return false;
}

void tfp_screen_depth(uint32_t depth, tfp_buf *out)
{
    enum { DEEPEST = 100 };
    tfp_buf_fill(out, ' ', 2 * (size_t)(depth < DEEPEST ? depth : DEEPEST));
    if (depth > DEEPEST) tfp_buf_printf(out, "[%u] ", depth);
}

tfp_str tfp_screen_own_name(const tfp_report *r, uint32_t row)
{
    const tfp_row *x = tfp_row_at(r, row), *above = tfp_row_at(r, x->parent);
    tfp_str name = tfp_shown_name(r, row);
    bool below = row && x->parent && name.size > above->name.size + 1 && name.data[above->name.size] == '/' &&
                 memcmp(name.data, above->name.data, above->name.size) == 0;
    return below ? (tfp_str){ name.data + above->name.size + 1, name.size - above->name.size - 1 } : name;
}

void tfp_screen_wrap(tfp_buf *b, tfp_str text, size_t indent, int64_t width)
{
    enum { LEAST = 24 }; /* on narrower screens wrapping makes no sense */
    size_t screen = width > 0 ? (size_t)width : 0, column = indent;
    if (screen < indent + LEAST) {
        tfp_buf_add(b, text.data, text.size);
        return;
    }
    for (size_t at = 0, end; at < text.size; at = end + 1) {
        for (end = at; end < text.size && (text.data[end] != ' ' || is_in_amount(text, end));) end++;
        size_t n = tfp_screen_width((tfp_str){ text.data + at, end - at });
        if (at && column + 1 + n > screen) {
            tfp_buf_char(b, '\n');
            tfp_buf_fill(b, ' ', indent);
            column = indent;
        } else if (at) {
            tfp_buf_char(b, ' ');
            column++;
        }
        tfp_buf_add(b, text.data + at, end - at);
        column += n;
    }
}

tfp_str tfp_screen_line(tfp_str text, size_t width, size_t *at)
{
    while (*at < text.size && text.data[*at] == ' ') ++*at;
    size_t from = *at, i = from, n = 0, space = 0;
    for (; i < text.size && n <= width; i++) {
        if (text.data[i] == ' ' && !is_in_amount(text, i)) space = i;
        n += ((unsigned char)text.data[i] & 0xc0) != 0x80;
    }
    if (n > width) i = space > from ? space : i - 1; /* a longer word is broken */
    *at = i;
    return (tfp_str){ text.data + from, i - from };
}

void tfp_screen_bar(tfp_buf *out, double share, bool colours)
{
    static const char *const eighths[] = { "",
                                           "\xe2\x96\x8f",
                                           "\xe2\x96\x8e",
                                           "\xe2\x96\x8d",
                                           "\xe2\x96\x8c",
                                           "\xe2\x96\x8b",
                                           "\xe2\x96\x8a",
                                           "\xe2\x96\x89" };
    int parts = share > 0 ? (int)((share < 1 ? share : 1) * 8 * TFP_BAR + 0.5) : 0;
    const char *colour = share >= 0.3 ? "\033[31m" : share >= 0.1 ? "\033[33m" : "\033[32m";
    if (colours && parts) tfp_buf_text(out, colour);
    for (int i = 0; i < parts / 8; i++) tfp_buf_text(out, "\xe2\x96\x88");
    tfp_buf_text(out, eighths[parts % 8]);
    if (colours && parts) tfp_buf_text(out, TFP_PLAIN);
    tfp_buf_fill(out, ' ', (size_t)(TFP_BAR - (parts + 7) / 8));
}
