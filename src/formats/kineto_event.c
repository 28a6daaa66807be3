// SPDX-License-Identifier: Apache-2.0
/* formats/kineto_event.c: the members of one event of a Chrome trace are read; kineto_row.c makes a row of them. Runs on any
 * thread: it touches its slot only.
 * Layout: docs of Chrome's trace event format; the args are those that PyTorch's Kineto writes. */
#include "formats/kineto_event.h"

/* ---- strings of the slot ---- */

static uint32_t new_string(tfp_kineto_slot *s, tfp_str text)
{
    uint32_t id = tfp_intern(&s->strings, text);
    if (!keep(s, id != TFP_NONE)) return 0;
    while (s->known.size <= id) {
        tfp_kineto_string none = { TFP_NONE, TFP_NONE, TFP_NONE - 1, 0xff, 0xff };
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

static uint32_t string_of(tfp_kineto_slot *s, const tfp_jscan_text *t)
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

/* ---- one event ---- */

/* A pid, tid or the like: a number or a word. A number that does not fit in 64 bits with a sign, such as the address of a
 * thread, is a word: its digits tell it from others. */
static uint64_t number_or_word(tfp_kineto_slot *s, tfp_jscan *j, uint32_t *words, uint32_t bit)
{
    tfp_jscan_value v;
    tfp_jscan_peek(j);
    const char *from = j->at;
    tfp_jscan_value_of(j, &v);
    *words &= ~bit;
    if (v.kind == TFP_JSCAN_INT) return (uint64_t)v.number;
    if (v.kind == TFP_JSCAN_NULL || v.kind == TFP_JSCAN_BOOL) return 0;
    if (v.kind == TFP_JSCAN_REAL) {
        if (v.real > -9e18 && v.real < 9e18) return (uint64_t)(int64_t)v.real;
        v.text = (tfp_jscan_text){ { from, (size_t)(j->at - from) }, false };
    }
    *words |= bit;
    return string_of(s, &v.text);
}

static void add_stat(tfp_kineto_slot *s, const tfp_jscan_text *key, const tfp_jscan_value *v)
{
    tfp_stat stat = { 0 };
    switch (v->kind) {
    case TFP_JSCAN_NULL: return;
    case TFP_JSCAN_BOOL:
    case TFP_JSCAN_INT:
        stat.type = TFP_STAT_INT;
        stat.value.number = v->number;
        break;
    case TFP_JSCAN_REAL:
        stat.type = TFP_STAT_REAL;
        stat.value.real = v->real;
        break;
    default: stat.type = TFP_STAT_TEXT; stat.value.text = string_of(s, &v->text);
    }
    stat.key = string_of(s, key);
    keep(s, tfp_push(&s->one, stat));
}

/* Numbers of one run that nothing is made of, and texts that are told elsewhere. Sorted by size. */
static bool is_noise(tfp_str key)
{
    switch (key.size) {
    case 4: return memcmp(key.data, "cbid", 4) == 0;
    case 6: return memcmp(key.data, "Ev Idx", 6) == 0 || memcmp(key.data, "queued", 6) == 0;
    case 7: return memcmp(key.data, "context", 7) == 0;
    case 9: return memcmp(key.data, "Python id", 9) == 0;
    case 10: return memcmp(key.data, "Trace name", 10) == 0;
    case 11: return memcmp(key.data, "external ts", 11) == 0;
    case 13: return memcmp(key.data, "Input Strides", 13) == 0 || memcmp(key.data, "Python thread", 13) == 0;
    case 15: return memcmp(key.data, "Trace iteration", 15) == 0;
    case 16:
        return memcmp(key.data, "Python parent id", 16) == 0 || memcmp(key.data, "Python module id", 16) == 0 ||
               memcmp(key.data, "Module Hierarchy", 16) == 0;
    case 20: return memcmp(key.data, "Profiler Event Index", 20) == 0;
    case 23: return memcmp(key.data, "memory bandwidth (GB/s)", 23) == 0;
    default: return false;
    }
}

#define IS(literal) (memcmp(k.data, literal, sizeof(literal) - 1) == 0)

/* Of an allocation. True when the key was one of its. */
static bool read_memory_arg(tfp_jscan *j, event *e, tfp_str k)
{
    tfp_kineto_memory *m = &e->memory;
    switch (k.size) {
    case 4: return IS("Addr") && (tfp_jscan_unsigned(j, &m->address), true);
    case 5:
        if (!IS("Bytes")) return false;
        if (tfp_jscan_integer(j, &m->bytes)) e->have |= MEMORY;
        return true;
    case 9: return IS("Device Id") && (tfp_jscan_integer(j, &m->device), true);
    case 11: return IS("Device Type") && (tfp_jscan_integer(j, &m->device_type), true);
    case 14: return IS("Total Reserved") && (tfp_jscan_integer(j, &m->reserved), true);
    case 15: return IS("Total Allocated") && (tfp_jscan_integer(j, &m->allocated), true);
    default: return false;
    }
}

/* Numbers that join events, and the device. True when the key was one of them. */
static bool read_joining_arg(tfp_kineto_slot *s, tfp_jscan *j, event *e, tfp_str k)
{
    uint64_t n;
    switch (k.size) {
    case 6:
        if (IS("device")) {
            e->stream.a = number_or_word(s, j, &e->stream.words, 1);
            e->have |= DEVICE;
            return true;
        }
        if (!IS("stream")) return false;
        e->stream.b = number_or_word(s, j, &e->stream.words, 2);
        e->have |= STREAM;
        return true;
    case 10:
        if (!IS("Call stack")) return false;
        if (tfp_jscan_peek(j) != '"') return false;
        tfp_jscan_text text;
        if (tfp_jscan_string(j, &text) && text.raw.size) e->row.extra = string_of(s, &text);
        return true;
    case 11:
        if (IS("correlation")) return tfp_jscan_unsigned(j, &e->row.correlation), true;
        if (!IS("External id") && !IS("external id")) return false;
        if (tfp_jscan_unsigned(j, &e->row.external)) e->row.flags |= TFP_KINETO_HAS_EXTERNAL;
        return true;
    case 13:
        if (!IS("Fwd thread id")) return false;
        if (tfp_jscan_unsigned(j, &n) && n) e->have |= FORWARD;
        return true;
    case 18: return IS("Record function id") && (tfp_jscan_unsigned(j, &e->row.call), true);
    case 15:
        if (!IS("Sequence number")) return false;
        if (tfp_jscan_unsigned(j, &n) && n <= INT64_MAX) {
            e->row.sequence = n;
            e->row.flags |= TFP_KINETO_HAS_SEQUENCE;
        }
        return true;
    default: return false;
    }
}

static void read_args(tfp_kineto_slot *s, tfp_jscan *j, event *e)
{
    tfp_jscan_text key;
    tfp_jscan_value v;
    if (tfp_jscan_peek(j) != '{') {
        tfp_jscan_skip(j);
        return;
    }
    j->at++;
    for (bool first = true; tfp_jscan_member(j, first, &key); first = false) {
        tfp_str k = key.raw;
        if (read_joining_arg(s, j, e, k) || read_memory_arg(j, e, k)) continue;
        if (is_noise(k)) {
            tfp_jscan_skip(j);
            continue;
        }
        tfp_jscan_value_of(j, &v);
        if (j->fault) return;
        if (e->row.phase == 'M' && v.kind == TFP_JSCAN_STRING &&
            (tfp_str_eq(k, TFP_STR("name")) || tfp_str_eq(k, TFP_STR("labels"))))
            e->row.extra = string_of(s, &v.text);
        else if (k.size == 15 && IS("Collective name"))
            e->row.flags |= TFP_KINETO_COLLECTIVE;
        add_stat(s, &key, &v);
    }
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

static void read_member(tfp_kineto_slot *s, tfp_jscan *j, event *e, tfp_str k)
{
    tfp_jscan_text text;
    switch (k.size) {
    case 2:
        if (IS("ph") && tfp_jscan_peek(j) == '"') {
            if (!tfp_jscan_string(j, &text)) return;
            e->row.phase = text.raw.size == 1 ? (uint8_t)text.raw.data[0] : 0;
            e->have |= PHASE;
            return;
        }
        if (IS("ts")) {
            e->ts = read_time(j);
            e->have |= TS;
            return;
        }
        if (IS("id")) {
            read_id(j, e);
            return;
        }
        break;
    case 3:
        if (IS("pid")) {
            e->thread.a = number_or_word(s, j, &e->thread.words, 1);
            e->have |= PID;
            return;
        }
        if (IS("tid")) {
            e->thread.b = number_or_word(s, j, &e->thread.words, 2);
            e->have |= TID;
            return;
        }
        if (IS("dur")) {
            e->dur = read_time(j);
            e->have |= DUR;
            return;
        }
        if (IS("cat") && tfp_jscan_peek(j) == '"') {
            if (tfp_jscan_string(j, &text)) e->row.category = string_of(s, &text);
            return;
        }
        break;
    case 4:
        if (IS("name") && tfp_jscan_peek(j) == '"') {
            if (tfp_jscan_string(j, &text)) e->row.name = string_of(s, &text);
            e->have |= NAME;
            return;
        }
        if (IS("args")) {
            read_args(s, j, e);
            return;
        }
        break;
    default: break;
    }
    tfp_jscan_skip(j);
}
#undef IS

static bool read_event(tfp_kineto_slot *s, tfp_jscan *j)
{
    tfp_jscan_text key;
    event e = { .row = { .stats = TFP_NONE, .lane = TFP_NONE },
                .memory = { .allocated = -1, .reserved = -1, .device = -1 } };
    size_t memory = s->memory.size;
    s->one.size = 0;
    j->at++;
    for (bool first = true; tfp_jscan_member(j, first, &key); first = false) read_member(s, j, &e, key.raw);
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
    s->fault = j.fault;
    s->wrong = j.wrong;
    s->wrong_at = j.at;
}
