// SPDX-License-Identifier: Apache-2.0
/* live/python/dict.c: a local variable of a frame, the globals of its module, and the items of a dict, as addresses of
 * objects. From CPython 3.11 on: before, frames and dicts are laid out differently. */
#include "live/python/python.h"

#define TAGS ((uint64_t)3) /* 3.14 keeps flags in the lowest bits of references */
enum { OBJECT_SIZE = 16, DICT_KEYS = 32, DICT_VALUES = 40 };
enum { KEYS_HEAD = 32, KEYS_INDEX_BYTES = 9, KEYS_KIND = 10, KEYS_COUNT = 24, INDEX_BYTES_MOST = 24 };
enum { KIND_GENERAL = 0 }; /* entries begin with a hash; keys of the other kinds are texts */

static bool has_name(const tfp_python *p, uint64_t text, const char *name)
{
    tfp_buf b = { 0 };
    bool same = tfp_python_text(p, text, &b) && tfp_str_eq((tfp_str){ b.data, b.size }, tfp_str_of(name));
    tfp_buf_free(&b);
    return same;
}

uint64_t tfp_python_local(const tfp_python *p, const tfp_live_frame *frame, const char *name)
{
    enum { LOCALS_MOST = 64 };
    uint64_t names = tfp_python_word(p, frame->code + (uint64_t)p->layout->code.locals);
    uint64_t count = tfp_python_word(p, names + OBJECT_SIZE);
    if (p->layout->minor < 11) return 0;
    for (uint64_t i = 0; i < count && i < LOCALS_MOST; i++)
        if (has_name(p, tfp_python_word(p, names + (uint64_t)p->layout->tuple_items + 8 * i), name))
            return tfp_python_word(p, frame->address + (uint64_t)p->layout->frame.locals + 8 * i) & ~TAGS;
    return 0;
}

uint64_t tfp_python_globals(const tfp_python *p, const tfp_live_frame *frame)
{
    if (p->layout->minor < 11) return 0;
    return tfp_python_word(p, frame->address + (p->layout->minor == 11 ? 8 : 24)) & ~TAGS;
}

size_t tfp_python_items(const tfp_python *p, uint64_t dict, tfp_python_item *out, size_t room)
{
    unsigned char head[KEYS_HEAD];
    uint64_t keys = tfp_python_word(p, dict + DICT_KEYS), count;
    size_t n = 0;
    if (!dict || (dict & 7) || !keys || tfp_python_word(p, dict + DICT_VALUES))
        return 0; /* values of their own: an object's */
    if (!tfp_python_read(p, keys, head, sizeof head) || head[KEYS_INDEX_BYTES] > INDEX_BYTES_MOST) return 0;
    bool general = head[KEYS_KIND] == KIND_GENERAL;
    uint64_t at = keys + KEYS_HEAD + ((uint64_t)1 << head[KEYS_INDEX_BYTES]), size = general ? 24 : 16;
    memcpy(&count, head + KEYS_COUNT, sizeof count);
    for (uint64_t i = 0; i < count && i < TFP_PYTHON_ITEMS && n < room; i++, at += size) {
        uint64_t entry[3];
        if (!tfp_python_read(p, at, entry, size)) break;
        tfp_python_item x = { entry[general ? 1 : 0], entry[general ? 2 : 1] };
        if (x.key && x.value) out[n++] = x; /* a removed item has neither */
    }
    return n;
}

uint64_t tfp_python_item_named(const tfp_python *p, uint64_t dict, const char *name)
{
    tfp_python_item *items = calloc(TFP_PYTHON_ITEMS, sizeof *items);
    size_t n = items ? tfp_python_items(p, dict, items, TFP_PYTHON_ITEMS) : 0;
    uint64_t value = 0;
    for (size_t i = 0; i < n && !value; i++)
        if (has_name(p, items[i].key, name)) value = items[i].value;
    free(items);
    return value;
}

bool tfp_python_int(const tfp_python *p, uint64_t object, int64_t *out)
{
    uint64_t head[3];
    uint32_t digit = 0;
    if (!object || !tfp_python_read(p, object, head, sizeof head)) return false;
    uint64_t digits = p->layout->minor >= 12 ? head[2] >> 3 : head[2];
    if (digits > 1 || (digits && !tfp_python_read(p, object + 24, &digit, sizeof digit))) return false;
    *out = digit;
    return true;
}

bool tfp_python_is_none(const tfp_python *p, uint64_t object)
{
    enum { OBJECT_TYPE = 8, TYPE_NAME = 24 };
    char name[9];
    uint64_t type = object ? tfp_python_word(p, object + OBJECT_TYPE) : 0,
             at = type ? tfp_python_word(p, type + TYPE_NAME) : 0;
    return at && tfp_python_read(p, at, name, sizeof name) && !memcmp(name, "NoneType", sizeof name);
}
