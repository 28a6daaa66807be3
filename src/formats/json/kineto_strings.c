// SPDX-License-Identifier: Apache-2.0
/* formats/json/kineto_strings.c: strings and keys of a piece; most events repeat those of earlier ones. */
#include "formats/json/kineto_event.h"

static uint32_t new_string(tfp_kineto_slot *s, tfp_str text)
{
    uint32_t id = tfp_intern(&s->words.strings, text);
    if (!keep(s, id != TFP_NONE)) return 0;
    while (s->words.known.size <= id) {
        tfp_kineto_string none = { TFP_NONE, TFP_NONE, TFP_NONE - 1, 0xff, 0xff, 0, { 0, 0 } };
        if (!keep(s, tfp_push(&s->words.known, none))) return 0;
    }
    return id;
}

/* Nearly all short strings are one of a few dozen keys, categories and types, so a small cache holds the last string
 * for each hash. */
static inline uint32_t *recent_place(tfp_kineto_slot *s, tfp_str text)
{
    const unsigned char *at = (const unsigned char *)text.data;
    size_t mixed = text.size * 67 + at[0] * 31u + at[text.size / 2] * 7u + at[text.size - 1];
    return &s->words.recent[mixed % TFP_KINETO_RECENT];
}

uint32_t tfp_kineto_string_of(tfp_kineto_slot *s, const tfp_jscan_text *t)
{
    tfp_str text = t->raw;
    if (t->escaped) {
        s->text.size = 0;
        tfp_jscan_decode(t->raw, &s->text);
        text = (tfp_str){ s->text.data ? s->text.data : "", s->text.size };
        if (!keep(s, !s->text.failed)) return 0;
    }
    if (!text.size || text.size > TFP_KINETO_SHORT) return new_string(s, text);
    uint32_t *recent = recent_place(s, text);
    if (!tfp_str_eq(s->words.strings.strings[*recent], text)) *recent = new_string(s, text);
    return *recent;
}

static uint8_t member_of(tfp_str key)
{
    static const struct {
        const char *key;
        uint8_t member;
    } rows[] = {
        { "ph", PH_MEMBER },   { "ts", TS_MEMBER },     { "id", ID_MEMBER },
        { "pid", PID_MEMBER }, { "tid", TID_MEMBER },   { "dur", DUR_MEMBER },
        { "cat", CAT_MEMBER }, { "name", NAME_MEMBER }, { "args", ARGS_MEMBER },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (tfp_str_eq(key, tfp_str_of(rows[i].key))) return rows[i].member;
    return OTHER_MEMBER;
}

static tfp_kineto_key make_key(uint32_t string, tfp_str text)
{
    return (tfp_kineto_key){ .string = string, .member = member_of(text), .arg = tfp_kineto_arg_of(text) };
}

/* The row for further keys: if a file has ever new keys, only the first ones are kept, and all others share this row,
 * which holds the last of them. */
static uint32_t shared_key(tfp_kineto_slot *s, uint32_t string, tfp_str text)
{
    s->words.keys.at[TFP_KINETO_SHARED_KEY] = make_key(string, text);
    return TFP_KINETO_SHARED_KEY;
}

/* The row of the key with this text; 0: out of memory. For keys of args, which become stats, the string is added
 * too. */
static uint32_t key_of(tfp_kineto_slot *s, const tfp_jscan_text *text, bool args)
{
    bool full = s->words.keys.size >= TFP_KINETO_KEYS;
    if (full && !args && !text->escaped) return shared_key(s, 0, text->raw);
    uint32_t string = tfp_kineto_string_of(s, text);
    if (s->failed || s->words.known.at[string].key) return s->failed ? 0 : s->words.known.at[string].key;
    tfp_str key = s->words.strings.strings[string];
    if (full) return shared_key(s, string, key);
    if (!keep(s, tfp_push(&s->words.keys, make_key(string, key)))) return 0;
    return s->words.known.at[string].key = (uint32_t)s->words.keys.size - 1;
}

/* The row of a key in this layout. When there are too many layouts, the last row is reused for the current one. */
static uint32_t layout_of(tfp_kineto_slot *s, uint32_t key, tfp_str text, bool first)
{
    uint32_t at = key;
    if (key == TFP_KINETO_SHARED_KEY || text.size > sizeof s->words.keys.at->text) return key;
    for (unsigned layouts = 1; s->words.keys.at[at].size; layouts++) {
        const tfp_kineto_key *k = &s->words.keys.at[at];
        if (k->first == first && tfp_str_eq((tfp_str){ k->text, k->size }, text)) return at;
        if (!k->twin && (layouts == TFP_KINETO_LAYOUTS || s->words.keys.size >= TFP_KINETO_KEYS / 2)) break;
        if (!k->twin) {
            tfp_kineto_key twin = { .string = k->string, .member = k->member, .arg = k->arg };
            if (!keep(s, tfp_push(&s->words.keys, twin))) return key;
            s->words.keys.at[at].twin = (uint32_t)s->words.keys.size - 1;
        }
        at = s->words.keys.at[at].twin;
    }
    tfp_kineto_key *k = &s->words.keys.at[at];
    k->size = (uint8_t)text.size;
    k->first = first;
    memcpy(k->text, text.data, text.size);
    return at;
}

/* Events have their members in the same order and layout as earlier ones, so this key is remembered as the next
 * guess. */
bool tfp_kineto_other_key(tfp_kineto_slot *s, tfp_jscan *j, bool first, bool args, uint32_t before, uint32_t *key)
{
    tfp_jscan_text text;
    const char *from = j->at;
    *key = before;
    if (s->failed) return false;
    if (tfp_kineto_take_guess(s, j, first, before)) return true;
    int64_t commas = j->commas;
    if (!tfp_jscan_member(j, first, &text)) return false;
    *key = key_of(s, &text, args);
    if (s->failed || !tfp_jscan_peek(j)) return false;
    if (j->commas != commas) return true; /* a layout with wrong commas is not remembered: each one is counted */
    *key = layout_of(s, *key, (tfp_str){ from, (size_t)(j->at - from) }, first);
    return !s->failed;
}

/* Reads a pid, tid or similar: a number or a word. A number that does not fit into a signed 64-bit integer, such as the
 * address of a thread, is kept as a word. */
uint64_t tfp_kineto_number_or_word(tfp_kineto_slot *s, tfp_jscan *j, uint32_t *words, uint32_t bit)
{
    tfp_jscan_value v;
    uint64_t n;
    *words &= ~bit;
    if (tfp_jscan_plain(j, &n)) return n;
    const char *from = j->at;
    tfp_jscan_value_of(j, &v);
    if (v.kind == TFP_JSCAN_INT) return (uint64_t)v.number;
    if (v.kind == TFP_JSCAN_NULL || v.kind == TFP_JSCAN_BOOL) return 0;
    if (v.kind == TFP_JSCAN_REAL) {
        if (v.real > -9e18 && v.real < 9e18) return (uint64_t)(int64_t)v.real;
        v.text = (tfp_jscan_text){ { from, (size_t)(j->at - from) }, false };
    }
    *words |= bit;
    return tfp_kineto_string_of(s, &v.text);
}

uint8_t tfp_kineto_arg_of(tfp_str key)
{
    static const struct {
        const char *key;
        uint8_t arg;
    } rows[] = {
        { "Addr", TFP_ARG_ADDRESS },
        { "Bytes", TFP_ARG_BYTES },
        { "Call stack", TFP_ARG_STACK },
        { "Collective name", TFP_ARG_COLLECTIVE },
        { "Device Id", TFP_ARG_MEMORY_DEVICE },
        { "Device Type", TFP_ARG_MEMORY_KIND },
        { "Ev Idx", TFP_ARG_NOISE },
        { "External id", TFP_ARG_EXTERNAL },
        { "Fwd thread id", TFP_ARG_FORWARD_THREAD },
        { "Input Strides", TFP_ARG_STRIDES },
        { "Module Hierarchy", TFP_ARG_NOISE },
        { "Profiler Event Index", TFP_ARG_NOISE },
        { "Python id", TFP_ARG_NOISE },
        { "Python module id", TFP_ARG_NOISE },
        { "Python parent id", TFP_ARG_NOISE },
        { "Python thread", TFP_ARG_NOISE },
        { "Rank", TFP_ARG_RANK_OR_GROUP },
        { "Record function id", TFP_ARG_CALL },
        { "Sequence number", TFP_ARG_SEQUENCE },
        { "Total Allocated", TFP_ARG_ALLOCATED },
        { "Total Reserved", TFP_ARG_RESERVED },
        { "Trace iteration", TFP_ARG_NOISE },
        { "Trace name", TFP_ARG_NOISE },
        { "cbid", TFP_ARG_NOISE },
        { "context", TFP_ARG_NOISE },
        { "correlation", TFP_ARG_CORRELATION },
        { "device", TFP_ARG_DEVICE_WORD },
        { "device rank", TFP_ARG_RANK_OR_GROUP },
        { "device_rank", TFP_ARG_RANK_OR_GROUP },
        { "external id", TFP_ARG_EXTERNAL },
        { "external ts", TFP_ARG_NOISE },
        { "labels", TFP_ARG_LABEL },
        { "memory bandwidth (GB/s)", TFP_ARG_NOISE },
        { "name", TFP_ARG_LABEL },
        { "global_rank", TFP_ARG_RANK },
        { "queue", TFP_ARG_QUEUE_WORD },
        { "queued", TFP_ARG_NOISE },
        { "rank", TFP_ARG_RANK },
        { "stack", TFP_ARG_STACKS },
        { "stream", TFP_ARG_STREAM_WORD },
        { "sycl queue", TFP_ARG_QUEUE_WORD },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (tfp_str_eq(key, tfp_str_of(rows[i].key))) return rows[i].arg;
    return TFP_ARG_STAT;
}
