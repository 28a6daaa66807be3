// SPDX-License-Identifier: Apache-2.0
/* formats/json/kineto_event.c: reads the members of one event of a Chrome trace; kineto_args.c reads its args, and
 * kineto_row.c makes a row of them. Runs on any thread: it touches only its slot. Layout: the documentation of Chrome's
 * trace event format. */
#include "formats/json/kineto_event.h"

/* ---- one event ---- */

static void read_id(tfp_jscan *j, event *e)
{
    tfp_jscan_value v;
    tfp_jscan_value_of(j, &v);
    e->row.flags |= TFP_KINETO_HAS_ID;
    /* a number is its own id; a word (such as "0x5f") is represented by its hash */
    e->row.correlation = v.kind == TFP_JSCAN_INT ? (uint64_t)v.number : tfp_hash(v.text.raw.data, v.text.raw.size);
}

/* Reads a number, or a text that is a number, as some writers have it. */
static tfp_jscan_time read_time(tfp_jscan *j)
{
    tfp_jscan_time none = { 0 };
    tfp_jscan_text text;
    if (tfp_jscan_peek(j) != '"') return tfp_jscan_micros(j);
    char number[64];
    if (!tfp_jscan_string(j, &text) || text.raw.size >= sizeof number) return none;
    memcpy(number, text.raw.data, text.raw.size);
    number[text.raw.size] = ' '; /* a separator ends the number */
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
    for (bool first = true; tfp_kineto_take_key(s, j, first, false, s->words.keys.at[before].next, &key);
         first = false, before = key) {
        tfp_kineto_learn(&s->words.keys.at[before].next, key);
        read_member(s, j, &e, &s->words.keys.at[key]);
    }
    if (j->fault) {
        s->memory.size = memory;
        return false;
    }
    tfp_kineto_finish_event(s, &e);
    return !s->failed;
}

/* Everything before j->at was read. */
static void keep_end(tfp_kineto_slot *s, const tfp_jscan *j)
{
    s->piece.end = j->at;
    s->commas = j->commas;
}

void tfp_kineto_parse(tfp_kineto_slot *s)
{
    tfp_jscan j = { .at = s->piece.from, .end = s->piece.window.data + s->piece.window.size, .lenient = true };
    bool first = s->piece.first;
    s->rows.size = s->memory.size = 0;
    s->unreadable = s->absurd = 0;
    s->piece.closed = s->fraction = false;
    keep_end(s, &j);
    while (s->piece.end < s->piece.soft && !s->failed) {
        if (!tfp_jscan_item(&j, first)) {
            s->piece.closed = !j.fault;
            if (s->piece.closed) keep_end(s, &j);
            break;
        }
        first = false;
        if (tfp_jscan_peek(&j) != '{') { /* something else than an event, such as null */
            tfp_jscan_skip(&j);
            s->unreadable += !j.fault;
        } else if (!read_event(s, &j)) {
            break;
        }
        if (j.fault) break;
        keep_end(s, &j);
    }
    s->piece.first = first;
    s->piece.fault = s->failed ? TFP_JSCAN_FINE : j.fault; /* without memory reading stops at the end of an event */
    s->piece.wrong = j.wrong;
    s->piece.wrong_at = j.at;
    if (s->commas) s->comma_at = s->piece.offset + (uint64_t)(j.comma_at - s->piece.window.data);
}
