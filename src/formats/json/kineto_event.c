// SPDX-License-Identifier: Apache-2.0
/* formats/json/kineto_event.c: the members of one event of a Chrome trace are read; kineto_args.c reads its args, and kineto_row.c
 * makes a row of them. Runs on any thread: it touches its slot only.
 * Layout: docs of Chrome's trace event format. */
#include "formats/json/kineto_event.h"

/* ---- strings of the slot ---- */

static uint32_t new_string(tfp_kineto_slot *s, tfp_str text)
{
    uint32_t id = tfp_intern(&s->strings, text);
    if (!keep(s, id != TFP_NONE)) return 0;
    while (s->known.size <= id) {
        tfp_kineto_string none = { TFP_NONE, TFP_NONE, TFP_NONE - 1, 0xff, 0xff, 0, { 0, 0 } };
        if (!keep(s, tfp_push(&s->known, none))) return 0;
    }
    return id;
}

/* Nearly all short strings are one of a few dozen keys, categories and types: the last one of each place is at hand. */
static inline uint32_t *recent_place(tfp_kineto_slot *s, tfp_str text)
{
    const unsigned char *at = (const unsigned char *)text.data;
    size_t mixed = text.size * 67 + at[0] * 31u + at[text.size / 2] * 7u + at[text.size - 1];
    return &s->recent[mixed % TFP_KINETO_RECENT];
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
    if (!tfp_str_eq(s->strings.strings[*recent], text)) *recent = new_string(s, text);
    return *recent;
}

/* ---- keys ---- */

enum {
    OTHER,
    PH_MEMBER,
    TS_MEMBER,
    ID_MEMBER,
    PID_MEMBER,
    TID_MEMBER,
    DUR_MEMBER,
    CAT_MEMBER,
    NAME_MEMBER,
    ARGS_MEMBER
};

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
    return OTHER;
}

static tfp_kineto_key make_key(uint32_t string, tfp_str text)
{
    return (tfp_kineto_key){ .string = string, .member = member_of(text), .arg = tfp_kineto_arg_of(text) };
}

/* Of a file with ever new keys the first ones are kept; all others share a row, which is that of the last one. */
static uint32_t shared_key(tfp_kineto_slot *s, uint32_t string, tfp_str text)
{
    s->keys.at[TFP_KINETO_SHARED_KEY] = make_key(string, text);
    return TFP_KINETO_SHARED_KEY;
}

/* The key of that text; 0 without memory. Of keys of args, which become stats, the string is known, too. */
static uint32_t key_of(tfp_kineto_slot *s, const tfp_jscan_text *text, bool args)
{
    bool full = s->keys.size >= TFP_KINETO_KEYS;
    if (full && !args && !text->escaped) return shared_key(s, 0, text->raw);
    uint32_t string = tfp_kineto_string_of(s, text);
    if (s->failed || s->known.at[string].key) return s->failed ? 0 : s->known.at[string].key;
    tfp_str key = s->strings.strings[string];
    if (full) return shared_key(s, string, key);
    if (!keep(s, tfp_push(&s->keys, make_key(string, key)))) return 0;
    return s->known.at[string].key = (uint32_t)s->keys.size - 1;
}

/* The row of a key in that layout. Where there are many, the last row is that of the one met lately. */
static uint32_t layout_of(tfp_kineto_slot *s, uint32_t key, tfp_str text, bool first)
{
    uint32_t at = key;
    if (key == TFP_KINETO_SHARED_KEY || text.size > sizeof s->keys.at->text) return key;
    for (unsigned layouts = 1; s->keys.at[at].size; layouts++) {
        const tfp_kineto_key *k = &s->keys.at[at];
        if (k->first == first && tfp_str_eq((tfp_str){ k->text, k->size }, text)) return at;
        if (!k->twin && (layouts == TFP_KINETO_LAYOUTS || s->keys.size >= TFP_KINETO_KEYS / 2)) break;
        if (!k->twin) {
            tfp_kineto_key twin = { .string = k->string, .member = k->member, .arg = k->arg };
            if (!keep(s, tfp_push(&s->keys, twin))) return key;
            s->keys.at[at].twin = (uint32_t)s->keys.size - 1;
        }
        at = s->keys.at[at].twin;
    }
    tfp_kineto_key *k = &s->keys.at[at];
    k->size = (uint8_t)text.size;
    k->first = first;
    memcpy(k->text, text.data, text.size);
    return at;
}

/* Events have their members in the order and layout of earlier ones: this one is remembered. */
bool tfp_kineto_other_key(tfp_kineto_slot *s, tfp_jscan *j, bool first, bool args, uint32_t before, uint32_t *key)
{
    tfp_jscan_text text;
    const char *from = j->at;
    *key = before;
    if (s->failed) return false;
    if (tfp_kineto_take_guess(s, j, first, before)) return true;
    if (!tfp_jscan_member(j, first, &text)) return false;
    *key = key_of(s, &text, args);
    if (s->failed || !tfp_jscan_peek(j)) return false;
    *key = layout_of(s, *key, (tfp_str){ from, (size_t)(j->at - from) }, first);
    return !s->failed;
}

/* ---- one event ---- */

/* A pid, tid or the like: a number or a word. A number that does not fit in 64 bits with a sign, such as the address of a
 * thread, is a word: its digits tell it from others. */
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

static void read_id(tfp_jscan *j, event *e)
{
    tfp_jscan_value v;
    tfp_jscan_value_of(j, &v);
    e->row.flags |= TFP_KINETO_HAS_ID;
    /* numbers are themselves, words (such as "0x5f") are told by their hash */
    e->row.correlation = v.kind == TFP_JSCAN_INT ? (uint64_t)v.number : tfp_hash(v.text.raw.data, v.text.raw.size);
}

/* A number, or a text that is one, as some writers have it. */
static tfp_jscan_time read_time(tfp_jscan *j)
{
    tfp_jscan_time none = { 0 };
    tfp_jscan_text text;
    if (tfp_jscan_peek(j) != '"') return tfp_jscan_micros(j);
    char number[64];
    if (!tfp_jscan_string(j, &text) || text.raw.size >= sizeof number) return none;
    memcpy(number, text.raw.data, text.raw.size);
    number[text.raw.size] = ' '; /* a number ends where something else begins */
    tfp_jscan inner = tfp_jscan_start((tfp_str){ number, text.raw.size + 1 });
    tfp_jscan_time time = tfp_jscan_micros(&inner);
    return tfp_jscan_peek(&inner) ? none : time;
}

static void read_member(tfp_kineto_slot *s, tfp_jscan *j, event *e, const tfp_kineto_key *key)
{
    tfp_jscan_text text;
    switch (key->member) {
    case PH_MEMBER:
        if (tfp_jscan_peek(j) != '"') break;
        if (!tfp_jscan_string(j, &text)) return;
        e->row.phase = text.raw.size == 1 ? (uint8_t)text.raw.data[0] : 0;
        e->have |= PHASE;
        return;
    case TS_MEMBER:
        e->ts = read_time(j);
        e->have |= TS;
        return;
    case ID_MEMBER: read_id(j, e); return;
    case PID_MEMBER:
        e->thread.a = tfp_kineto_number_or_word(s, j, &e->thread.words, 1);
        e->have |= PID;
        return;
    case TID_MEMBER:
        e->thread.b = tfp_kineto_number_or_word(s, j, &e->thread.words, 2);
        e->have |= TID;
        return;
    case DUR_MEMBER:
        e->dur = read_time(j);
        e->have |= DUR;
        return;
    case CAT_MEMBER:
        if (tfp_jscan_peek(j) != '"') break;
        if (tfp_jscan_string(j, &text)) e->row.category = tfp_kineto_string_of(s, &text);
        return;
    case NAME_MEMBER:
        if (tfp_jscan_peek(j) != '"') break;
        if (tfp_jscan_string(j, &text)) e->row.name = tfp_kineto_string_of(s, &text);
        e->have |= NAME;
        return;
    case ARGS_MEMBER: tfp_kineto_read_args(s, j, e); return;
    default: break;
    }
    tfp_jscan_skip(j);
}

static bool read_event(tfp_kineto_slot *s, tfp_jscan *j)
{
    event e = { .row = { .stats = TFP_NONE, .lane = TFP_NONE },
                .memory = { .allocated = -1, .reserved = -1, .device = -1 } };
    size_t memory = s->memory.size;
    s->one.size = 0;
    j->at++;
    uint32_t key = 0, before = 0;
    for (bool first = true; tfp_kineto_take_key(s, j, first, false, s->keys.at[before].next, &key);
         first = false, before = key) {
        tfp_kineto_learn(&s->keys.at[before].next, key);
        read_member(s, j, &e, &s->keys.at[key]);
    }
    if (j->fault) {
        s->memory.size = memory;
        return false;
    }
    tfp_kineto_finish_event(s, &e);
    return !s->failed;
}

void tfp_kineto_parse(tfp_kineto_slot *s)
{
    tfp_jscan j = { .at = s->from, .end = s->window.data + s->window.size };
    bool first = s->first;
    s->rows.size = s->memory.size = 0;
    s->unreadable = s->absurd = 0;
    s->closed = s->fraction = false;
    s->end = s->from;
    while (s->end < s->soft && !s->failed) {
        if (!tfp_jscan_item(&j, first)) {
            s->closed = !j.fault;
            if (s->closed) s->end = j.at;
            break;
        }
        first = false;
        if (tfp_jscan_peek(&j) != '{') { /* null and the like between events */
            tfp_jscan_skip(&j);
            s->unreadable += !j.fault;
        } else if (!read_event(s, &j)) {
            break;
        }
        if (j.fault) break;
        s->end = j.at;
    }
    s->first = first;
    s->fault = s->failed ? TFP_JSCAN_FINE : j.fault; /* without memory an event ends anywhere */
    s->wrong = j.wrong;
    s->wrong_at = j.at;
}
