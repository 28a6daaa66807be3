// SPDX-License-Identifier: Apache-2.0
/* live/python/locals.c: the local variables of a frame as text, read from outside: numbers, texts, sizes and items of lists, shapes of NumPy's
 * arrays, types of everything else. No code of the process runs, so no object's repr is called. */
#include "live/python/python.h"

#include <stdio.h>

#define LOCALS_MOST 64  /* most variables of a frame */
#define TEXT_MOST 80    /* most bytes of a str */
#define ITEMS_MOST 8    /* most items of a list or tuple */
#define FRAME_MOST 2000 /* most bytes for all variables of a frame */
#define DIMENSIONS_MOST 8

/* Offsets that are the same in every version. */
enum { OBJECT_TYPE = 8, OBJECT_SIZE = 16, OBJECT_VALUE = 16, LIST_ITEMS = 24, LONG_DIGITS = 24 };
enum { TYPE_NAME = 24, TYPE_FLAGS = 168, TYPE_SIZE = 176 };
enum { ARRAY_DIMENSION_COUNT = 24, ARRAY_DIMENSIONS = 32 }; /* offsets in NumPy's arrays */
#define IS_LONG (1ULL << 24)                                /* Py_TPFLAGS_..._SUBCLASS */
#define IS_LIST (1ULL << 25)
#define IS_TUPLE (1ULL << 26)
#define IS_TEXT (1ULL << 28)
#define IS_DICT (1ULL << 29)

/* 3.14: a word of a frame is an address with a tag in its lowest bits, or a number. */
#define TAGS ((uint64_t)3)

typedef struct object {
    uint64_t address, flags; /* flags: those of its type */
    uint64_t words[5];       /* the words of the object that could be read */
    char type[64];
} object;

/* A C string, cut at the end of its page. */
static bool read_name(const tfp_python *p, uint64_t address, char *out, size_t room)
{
    size_t on_page = 4096 - (size_t)(address & 4095), size = room - 1 < on_page ? room - 1 : on_page;
    if (!address || !tfp_python_read(p, address, out, size)) return false;
    out[size] = '\0';
    return *out != '\0';
}

static bool read_object(const tfp_python *p, uint64_t address, object *out)
{
    unsigned char type[TYPE_SIZE];
    uint64_t name;
    *out = (object){ .address = address };
    if (!address || (address & 7) || !tfp_python_read(p, address, out->words, 2 * sizeof *out->words)) return false;
    for (size_t i = 2; i < 5; i++) out->words[i] = tfp_python_word(p, address + 8 * i);
    if (!tfp_python_read(p, out->words[OBJECT_TYPE / 8], type, sizeof type)) return false;
    memcpy(&name, type + TYPE_NAME, sizeof name);
    memcpy(&out->flags, type + TYPE_FLAGS, sizeof out->flags);
    return read_name(p, name, out->type, sizeof out->type);
}

static bool is(const object *o, const char *type) { return strcmp(o->type, type) == 0; }

/* Prints an int of at most two digits of 30 bits; for longer ones only the size. */
static void put_int(const tfp_python *p, const object *o, tfp_buf *out)
{
    int64_t size = (int64_t)o->words[OBJECT_SIZE / 8];
    bool tagged =
        p->layout->minor >=
        12; /* from 3.12 on the size holds the number of digits and two bits of sign: 0 positive, 1 zero, 2 negative */
    bool negative = tagged ? (size & 3) == 2 : size < 0;
    uint64_t digits = tagged     ? (size & 3) == 1 ? 0 : (uint64_t)size >> 3
                      : negative ? 0 - (uint64_t)size
                                 : (uint64_t)size;
    uint32_t digit[2] = { 0, 0 };
    if (digits > 2)
        tfp_buf_printf(out, "<int of about %llu bits>", (unsigned long long)(digits < 1 << 20 ? digits * 30 : digits));
    else if (digits && !tfp_python_read(p, o->address + LONG_DIGITS, digit, digits * sizeof *digit))
        tfp_buf_text(out, "<int>");
    else if (is(o, "bool"))
        tfp_buf_text(out, digit[0] ? "True" : "False");
    else
        tfp_buf_printf(out, "%s%llu", negative ? "-" : "", (unsigned long long)digit[1] << 30 | digit[0]);
}

static void put_str(const tfp_python *p, const object *o, tfp_buf *out)
{
    tfp_buf text = { 0 };
    if (!tfp_python_text(p, o->address, &text)) {
        tfp_buf_text(out, "<str>");
    } else {
        size_t size = text.size;
        if (size > TEXT_MOST)
            for (size = TEXT_MOST; size && ((unsigned char)text.data[size] & 0xc0) == 0x80;) size--;
        tfp_buf_char(out, '\'');
        tfp_buf_str(out, (tfp_str){ text.data, size });
        tfp_buf_text(out, size < text.size ? "…'" : "'");
    }
    tfp_buf_free(&text);
}

static void put_array(const tfp_python *p, const object *o, tfp_buf *out)
{
    int32_t count = (int32_t)o->words[ARRAY_DIMENSION_COUNT / 8];
    uint64_t at = o->words[ARRAY_DIMENSIONS / 8];
    tfp_buf_printf(out, "<%s", o->type);
    for (int32_t i = 0; i < count && i < DIMENSIONS_MOST; i++)
        tfp_buf_printf(out, "%s%lld", i ? "x" : " ", (long long)tfp_python_word(p, at + 8 * (uint64_t)i));
    tfp_buf_text(out, count > DIMENSIONS_MOST ? "x…>" : ">");
}

static void put_value(const tfp_python *p, uint64_t address, bool inside, tfp_buf *out);

static void put_items(const tfp_python *p, const object *o, tfp_buf *out)
{
    bool list = o->flags & IS_LIST;
    uint64_t count = o->words[OBJECT_SIZE / 8];
    uint64_t at = list ? o->words[LIST_ITEMS / 8] : o->address + (uint64_t)p->layout->tuple_items;
    tfp_buf_char(out, list ? '[' : '(');
    for (uint64_t i = 0; i < count && i < ITEMS_MOST; i++) {
        if (i) tfp_buf_text(out, ", ");
        put_value(p, tfp_python_word(p, at + 8 * i), true, out);
    }
    if (count > ITEMS_MOST) tfp_buf_printf(out, ", … %llu more", (unsigned long long)(count - ITEMS_MOST));
    tfp_buf_text(out, list ? "]" : count == 1 ? ",)" : ")");
}

/* inside: it is an item of a list or tuple; of its own items only the number is shown. */
static void put_value(const tfp_python *p, uint64_t address, bool inside, tfp_buf *out)
{
    object o;
    double number;
    if (!read_object(p, address, &o)) {
        tfp_buf_text(out, "?");
    } else if (o.flags & IS_LONG) {
        put_int(p, &o, out);
    } else if (is(&o, "float")) {
        memcpy(&number, &o.words[OBJECT_VALUE / 8], sizeof number);
        tfp_buf_printf(out, "%.12g", number);
    } else if (is(&o, "NoneType")) {
        tfp_buf_text(out, "None");
    } else if (o.flags & IS_TEXT) {
        put_str(p, &o, out);
    } else if (is(&o, "numpy.ndarray")) {
        put_array(p, &o, out);
    } else if (o.flags & (IS_LIST | IS_TUPLE) && !inside) {
        put_items(p, &o, out);
    } else if (o.flags & (IS_LIST | IS_TUPLE | IS_DICT)) {
        tfp_buf_printf(out, "<%s of %llu>", o.type, (unsigned long long)o.words[OBJECT_SIZE / 8]);
    } else {
        tfp_buf_printf(out, "<%s>", o.type);
    }
}

/* Prints a variable. A variable that inner functions use is stored in a cell. */
static void put_local(const tfp_python *p, uint64_t name, uint64_t value, tfp_buf *out)
{
    tfp_buf text = { 0 };
    object o;
    if (p->layout->minor >= 14 && (value & TAGS) == TAGS) value = 0; /* a tagged number for the interpreter's own use */
    value &= ~TAGS;
    if (value && read_object(p, value, &o) && is(&o, "cell")) value = o.words[OBJECT_VALUE / 8];
    if (value && tfp_python_text(p, name, &text)) {
        if (out->size) tfp_buf_text(out, ", ");
        tfp_buf_str(out, (tfp_str){ text.data, text.size });
        tfp_buf_char(out, '=');
        put_value(p, value, false, out);
    }
    tfp_buf_free(&text);
}

bool tfp_python_locals(const tfp_python *p, const tfp_live_frame *frame, tfp_buf *out)
{
    const tfp_python_layout *v = p->layout;
    const int tuples[] = { v->code.locals, v->code.cells, v->code.free };
    uint64_t at = frame->address + (uint64_t)v->frame.locals;
    size_t left = LOCALS_MOST;
    out->size = 0;
    for (size_t t = 0; t < 3 && tuples[t] >= 0; t++) {
        uint64_t names = tfp_python_word(p, frame->code + (uint64_t)tuples[t]),
                 count = tfp_python_word(p, names + OBJECT_SIZE);
        for (uint64_t i = 0; i < count; i++, at += 8) {
            if (!left || out->size > FRAME_MOST) {
                tfp_buf_text(out, ", …");
                return !out->failed;
            }
            put_local(p, tfp_python_word(p, names + (uint64_t)v->tuple_items + 8 * i), tfp_python_word(p, at), out);
            left--;
        }
    }
    return !out->failed && (tfp_python_word(p, frame->address + (uint64_t)v->frame.code) & ~TAGS) == frame->code;
}
