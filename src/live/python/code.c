// SPDX-License-Identifier: Apache-2.0
/* live/python/code.c: code objects of a running CPython: the names and lines of functions. */
#include "live/python/python.h"

#include <sys/uio.h>

#define NAME_MOST 1024 /* characters of a file's or function's name; longer ones are cut, and end in "…" */
#define CODE_MOST 208  /* bytes of a code object before its code, in any version */
#define LINES_MOST ((int64_t)1 << 20) /* most bytes of a line table */
#define TEXT_HEAD 40                  /* bytes of a str that hold its type, length and form */
#define TEXT_MOST (4 * NAME_MOST)

/* ---- names ---- */

static void put_character(tfp_buf *b, uint32_t c)
{
    if (c < 0x80) {
        tfp_buf_char(b, (char)c);
    } else if (c < 0x800) {
        tfp_buf_char(b, (char)(0xc0 | c >> 6));
        tfp_buf_char(b, (char)(0x80 | (c & 63)));
    } else if (c < 0x10000) {
        tfp_buf_char(b, (char)(0xe0 | c >> 12));
        tfp_buf_char(b, (char)(0x80 | (c >> 6 & 63)));
        tfp_buf_char(b, (char)(0x80 | (c & 63)));
    } else if (c < 0x110000) {
        tfp_buf_char(b, (char)(0xf0 | c >> 18));
        tfp_buf_char(b, (char)(0x80 | (c >> 12 & 63)));
        tfp_buf_char(b, (char)(0x80 | (c >> 6 & 63)));
        tfp_buf_char(b, (char)(0x80 | (c & 63)));
    }
}

/* Parses what the head of a str says about its characters. False: it is no str, or none that a code object has. */
static bool read_form(const tfp_python *p, const unsigned char head[TEXT_HEAD], tfp_text_copy *out)
{
    uint32_t state;
    memcpy(&state, head + 32, sizeof state);
    unsigned kind = state >> 2 & 7;
    if (tfp_word_at(head, 8) != p->text_type || (kind != 1 && kind != 2 && kind != 4) || !(state & 0x20)) return false;
    out->length = tfp_word_at(head, 16);
    out->kind = kind;
    out->at = (uint32_t)(state & 0x40 ? p->layout->text_ascii : p->layout->text_data);
    out->size = (uint32_t)(out->length < NAME_MOST ? out->length : NAME_MOST) * kind;
    return true;
}

/* The characters of a str as UTF-8. Lone surrogates are kept here and escaped where they are shown. */
static bool put_text(const tfp_text_copy *form, const unsigned char *data, tfp_buf *out)
{
    out->size = 0;
    for (size_t i = 0; i < form->size; i += form->kind) {
        uint32_t c = data[i];
        for (unsigned k = 1; k < form->kind; k++) c |= (uint32_t)data[i + k] << (8 * k);
        put_character(out, c);
    }
    if (form->length > NAME_MOST) tfp_buf_text(out, "…");
    return !out->failed;
}

bool tfp_python_text(const tfp_python *p, uint64_t address, tfp_buf *out)
{
    unsigned char head[TEXT_HEAD], data[TEXT_MOST];
    tfp_text_copy form;
    return address && tfp_python_read(p, address, head, sizeof head) && read_form(p, head, &form) &&
           tfp_python_read(p, address + form.at, data, form.size) && put_text(&form, data, out);
}

/* ---- code objects ---- */

static bool read_code(const tfp_python *p, tfp_code_copy *out)
{
    const tfp_python_layout *v = p->layout;
    unsigned char b[CODE_MOST], head[TEXT_HEAD];
    if (!tfp_python_read(p, out->address, b, (size_t)v->code.size) || tfp_word_at(b, 8) != p->code_type) return false;
    memcpy(&out->first_line, b + v->code.first, sizeof out->first_line);
    out->objects[TFP_CODE_FILE] = tfp_word_at(b, v->code.file);
    out->objects[TFP_CODE_NAME] = tfp_word_at(b, v->code.name);
    for (int i = 0; i < 2; i++)
        if (!tfp_python_read(p, out->objects[i], head, sizeof head) || !read_form(p, head, &out->texts[i]))
            return false;
    size_t first = out->texts[0].size, second = out->texts[1].size;
    return tfp_reserve(&out->bytes, first + second + 1) &&
           tfp_python_read(p, out->objects[0] + out->texts[0].at, out->bytes.at, first) &&
           tfp_python_read(p, out->objects[1] + out->texts[1].at, out->bytes.at + first, second);
}

bool tfp_python_copy_code(const tfp_python *p, uint64_t code, tfp_code_copy *out)
{
    out->address = code;
    if (read_code(p, out)) return true;
    memset(out->objects, 0, sizeof out->objects); /* a partial copy must not be compared */
    memset(out->texts, 0, sizeof out->texts);
    return false;
}

bool tfp_python_copied_text(const tfp_code_copy *copy, tfp_code_text which, tfp_buf *out)
{
    return put_text(&copy->texts[which], copy->bytes.at + (which ? copy->texts[0].size : 0), out);
}

/* Lists the memory of a code object and of its texts, to be read again; returns the number of bytes. */
static size_t add_pieces(const tfp_python *p, const tfp_code_copy *c, struct iovec *from)
{
    from[0] =
        (struct iovec){ (void *)(uintptr_t)c->address, (size_t)p->layout->code.size }; /* NOLINT: of another process */
    size_t size = from[0].iov_len;
    for (int i = 0; i < 2; i++) {
        from[1 + i].iov_base = (void *)(uintptr_t)c->objects[i]; /* NOLINT */
        from[1 + i].iov_len = (size_t)c->texts[i].at + c->texts[i].size;
        size += from[1 + i].iov_len;
    }
    return size;
}

/* b: the bytes that add_pieces listed. A reference count, a hash and a cached form of a text may have changed; they are
 * not compared. */
static bool is_same(const tfp_python *p, const tfp_code_copy *c, const unsigned char *b)
{
    const tfp_python_layout *v = p->layout;
    tfp_text_copy form;
    const unsigned char *bytes = c->bytes.at;
    if (tfp_word_at(b, 8) != p->code_type || memcmp(b + v->code.first, &c->first_line, sizeof c->first_line) != 0 ||
        tfp_word_at(b, v->code.file) != c->objects[TFP_CODE_FILE] ||
        tfp_word_at(b, v->code.name) != c->objects[TFP_CODE_NAME])
        return false;
    b += v->code.size;
    for (int i = 0; i < 2; i++) {
        const tfp_text_copy *text = &c->texts[i];
        if (text->at < TEXT_HEAD || !read_form(p, b, &form) || form.length != text->length || form.kind != text->kind ||
            form.at != text->at || memcmp(b + text->at, bytes, text->size) != 0)
            return false;
        b += (size_t)text->at + text->size;
        bytes += text->size;
    }
    return true;
}

void tfp_python_same_codes(const tfp_python *p, const tfp_code_copy *const *copies, bool *same, size_t count)
{
    enum { MANY = 100, ROOM = 32 << 10 };
    unsigned char b[ROOM];
    struct iovec from[3 * MANY];
    for (size_t done = 0, n, size; done < count; done += n) {
        for (n = size = 0; n < MANY && done + n < count; n++) {
            size_t more = add_pieces(p, copies[done + n], from + 3 * n);
            if (size + more > ROOM) break;
            size += more;
        }
        struct iovec to = { b, size };
        bool whole = process_vm_readv((pid_t)p->pid, &to, 1, from, 3 * n, 0) == (ssize_t)size;
        for (size_t i = 0, at = 0; i < n; i++) {
            same[done + i] = whole && is_same(p, copies[done + i], b + at);
            at += add_pieces(p, copies[done + i], from);
        }
    }
}

/* ---- lines ---- */

/* 3.8 and 3.9: pairs of a byte step and a signed line step. */
static int64_t line_of_lnotab(tfp_str t, int64_t line, int64_t at)
{
    int64_t place = 0;
    for (size_t i = 0; i + 1 < t.size; i += 2) {
        place += (unsigned char)t.data[i];
        if (place > at) break;
        line += (signed char)t.data[i + 1];
    }
    return line;
}

/* The table of CPython 3.10: pairs of a length and a signed line step that applies to that length; -128: no line. */
static int64_t line_of_pairs(tfp_str t, int64_t line, int64_t at)
{
    int64_t place = 0;
    for (size_t i = 0; i + 1 < t.size; i += 2) {
        int step = (signed char)t.data[i + 1];
        place += (unsigned char)t.data[i];
        if (step != -128) line += step;
        if (at < place) return step == -128 ? -1 : line;
    }
    return -1;
}

/* 3.11 and later: each entry begins with a byte whose first bit is set, which holds the kind and the number of code
 * units minus one. */
static int64_t line_of_locations(tfp_str t, int64_t line, int64_t at)
{
    const unsigned char *b = (const unsigned char *)t.data;
    int64_t place = 0;
    for (size_t i = 0; i < t.size;) {
        int kind = b[i] >> 3 & 15;
        size_t j = i + 1;
        if (kind >= 10 && kind <= 12) line += kind - 10;
        if ((kind == 13 || kind == 14) && j < t.size) { /* a signed number with six bits per byte */
            uint32_t v = b[j] & 63;
            for (unsigned shift = 6; j + 1 < t.size && (b[j] & 64) && shift < 32; shift += 6)
                v |= (uint32_t)(b[++j] & 63) << shift;
            line += v & 1 ? -(int64_t)(v >> 1) : (int64_t)(v >> 1);
        }
        place += 2 * ((b[i] & 7) + 1);
        if (at < place) return kind == 15 ? -1 : line;
        for (i++; i < t.size && !(b[i] & 128); i++) {}
    }
    return -1;
}

int64_t tfp_python_table_line(int minor, tfp_str table, int64_t first_line, int64_t at)
{
    if (at < 0) return first_line;
    if (minor <= 9) return line_of_lnotab(table, first_line, at);
    return minor == 10 ? line_of_pairs(table, first_line, at) : line_of_locations(table, first_line, at);
}

int64_t tfp_python_line(const tfp_python *p, uint64_t code, int64_t at)
{
    const tfp_python_layout *v = p->layout;
    unsigned char b[CODE_MOST];
    int32_t first;
    if (!tfp_python_read(p, code, b, (size_t)v->code.size)) return 0;
    memcpy(&first, b + v->code.first, sizeof first);
    uint64_t table = tfp_word_at(b, v->code.lines), length = 0;
    int64_t line = -1;
    int64_t size = tfp_python_read(p, table + 16, &length, sizeof length) ? (int64_t)length : 0;
    char *bytes = size > 0 && size <= LINES_MOST ? malloc((size_t)size) : NULL;
    if (bytes && tfp_python_read(p, table + 32, bytes, (size_t)size))
        line = tfp_python_table_line(v->minor, (tfp_str){ bytes, (size_t)size }, first, at);
    free(bytes);
    return line < 0 ? first : line;
}
