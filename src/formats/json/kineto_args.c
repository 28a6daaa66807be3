// SPDX-License-Identifier: Apache-2.0
/* formats/json/kineto_args.c: reads the args of an event. Some join events or describe memory, some are ignored, and
 * all others become stats. Runs on any thread: it touches only its slot. Layout: the args that PyTorch's Kineto
 * writes. */
#include "formats/json/kineto_event.h"

/* ---- values that were read before ---- */

/* Most events of a name repeat the shapes, types and sizes of earlier ones, and the same text of the same key gives the
 * same stat. Returns the entry in which the value at j->at would be cached; NULL: it cannot be looked up. */
static tfp_kineto_value *value_place(tfp_kineto_slot *s, const tfp_jscan *j, uint32_t key)
{
    uint64_t begin;
    if (j->end - j->at <= TFP_KINETO_VALUE) return NULL;
    memcpy(&begin, j->at, sizeof begin);
    begin = (begin ^ key) * UINT64_C(0x9e3779b97f4a7c15);
    return &s->words.values[begin >> 32 & (TFP_KINETO_VALUES - 1)];
}

/* Takes the value if it equals the cached one. */
static bool take_known(tfp_jscan *j, uint32_t key, const tfp_kineto_value *known)
{
    if (!known || !known->size || known->key != key || memcmp(j->at, known->text, known->size) != 0) return false;
    char c = known->text[0];
    bool ends = c == '"' || c == '[' || c == '{' || tfp_jscan_ends_value(j->at[known->size]);
    j->at += ends ? known->size : 0;
    return ends;
}

static void remember(tfp_kineto_value *place, uint32_t key, const char *from, const tfp_jscan *j, const tfp_stat *stat)
{
    size_t size = (size_t)(j->at - from);
    if (!place || j->fault || size > TFP_KINETO_VALUE) return;
    place->key = key;
    place->size = (uint32_t)size;
    place->stat = *stat;
    memcpy(place->text, from, size);
}

/* ---- stats ---- */

static bool make_stat(tfp_kineto_slot *s, const tfp_jscan_value *v, tfp_stat *stat)
{
    switch (v->kind) {
    case TFP_JSCAN_NULL: return false;
    case TFP_JSCAN_BOOL:
    case TFP_JSCAN_INT:
        stat->type = TFP_STAT_INT;
        stat->value.number = v->number;
        return true;
    case TFP_JSCAN_REAL:
        stat->type = TFP_STAT_REAL;
        stat->value.real = v->real;
        return true;
    default:
        stat->type = TFP_STAT_TEXT;
        stat->value.text = tfp_kineto_string_of(s, &v->text);
        return true;
    }
}

static void read_stat(tfp_kineto_slot *s, tfp_jscan *j, uint32_t key)
{
    tfp_stat stat = { .key = key, .type = TFP_STAT_INT };
    tfp_jscan_value v;
    uint64_t n;
    if (tfp_jscan_plain(j, &n)) {
        stat.value.number = (int64_t)n;
        keep(s, tfp_push(&s->one, stat));
        return;
    }
    tfp_kineto_value *place = value_place(s, j, key);
    if (take_known(j, key, place)) {
        keep(s, tfp_push(&s->one, place->stat));
        return;
    }
    const char *from = j->at;
    tfp_jscan_value_of(j, &v);
    if (j->fault || !make_stat(s, &v, &stat)) return;
    remember(place, key, from, j, &stat);
    keep(s, tfp_push(&s->one, stat));
}

/* Reads the first text of an array as a stat. */
static void read_first(tfp_kineto_slot *s, tfp_jscan *j, uint32_t key)
{
    tfp_stat stat = { .key = key };
    tfp_jscan_value v;
    j->at++;
    for (bool first = true; tfp_jscan_item(j, first); first = false) {
        tfp_jscan_value_of(j, &v);
        if (first && !j->fault && v.kind == TFP_JSCAN_STRING && make_stat(s, &v, &stat))
            keep(s, tfp_push(&s->one, stat));
    }
}

static void skip_noise(tfp_kineto_slot *s, tfp_jscan *j, uint32_t key)
{
    static const tfp_stat none = { 0 };
    uint64_t n;
    if (tfp_jscan_plain(j, &n)) return;
    tfp_kineto_value *place = value_place(s, j, key);
    if (take_known(j, key, place)) return;
    const char *from = j->at;
    tfp_jscan_skip(j);
    remember(place, key, from, j, &none);
}

/* ---- args ---- */

/* Takes the rank of the event's process, a number or a text with one. The value is also read again as a stat. */
static void take_rank(tfp_jscan *j, event *e, bool maybe_group)
{
    const char *from = j->at;
    tfp_jscan_value v;
    int64_t rank = -1;
    tfp_jscan_value_of(j, &v);
    if (j->fault) return;
    j->at = from;
    if (v.kind == TFP_JSCAN_INT) rank = v.number;
    if (v.kind == TFP_JSCAN_STRING && !tfp_parse_int64(v.text.raw, &rank)) rank = -1;
    if (rank < 0 || rank >= TFP_KINETO_RANKS || (e->rank && maybe_group)) return;
    e->rank = (uint32_t)rank + 1;
    e->have = maybe_group ? e->have | RANK_OR_GROUP : e->have & ~(unsigned)RANK_OR_GROUP;
}

static void read_arg(tfp_kineto_slot *s, tfp_jscan *j, event *e, const tfp_kineto_key *k)
{
    uint32_t key = k->string;
    tfp_kineto_memory *m = &e->memory;
    tfp_jscan_text text;
    uint64_t n;
    switch (k->arg) {
    case TFP_ARG_STRIDES:
        if (s->strides)
            read_stat(s, j, key);
        else
            skip_noise(s, j, key);
        return;
    case TFP_ARG_NOISE: skip_noise(s, j, key); return;
    case TFP_ARG_DEVICE_WORD:
        e->stream.a = tfp_kineto_number_or_word(s, j, &e->stream.words, 1);
        e->have |= DEVICE;
        return;
    case TFP_ARG_STREAM_WORD:
        e->stream.b = tfp_kineto_number_or_word(s, j, &e->stream.words, 2);
        e->have |= STREAM;
        return;
    case TFP_ARG_QUEUE_WORD: /* Intel's word for a stream */
        if (e->have & STREAM) break;
        e->stream.b = tfp_kineto_number_or_word(s, j, &e->stream.words, 2);
        e->have |= QUEUE;
        return;
    case TFP_ARG_STACK:
        if (tfp_jscan_peek(j) != '"') break;
        if (tfp_jscan_string(j, &text) && text.raw.size) e->row.extra = tfp_kineto_string_of(s, &text);
        return;
    case TFP_ARG_STACKS:
        if (tfp_jscan_peek(j) != '[') break;
        read_first(s, j, key);
        return;
    case TFP_ARG_CORRELATION: tfp_jscan_unsigned(j, &e->row.correlation); return;
    case TFP_ARG_EXTERNAL:
        if (tfp_jscan_unsigned(j, &e->row.external)) e->row.flags |= TFP_KINETO_HAS_EXTERNAL;
        return;
    case TFP_ARG_FORWARD_THREAD:
        if (tfp_jscan_unsigned(j, &n) && n) e->have |= FORWARD;
        return;
    case TFP_ARG_CALL: tfp_jscan_unsigned(j, &e->row.call); return;
    case TFP_ARG_SEQUENCE:
        if (tfp_jscan_unsigned(j, &n) && n <= INT64_MAX) {
            e->row.sequence = n;
            e->row.flags |= TFP_KINETO_HAS_SEQUENCE;
        }
        return;
    case TFP_ARG_ADDRESS: tfp_jscan_unsigned(j, &m->address); return;
    case TFP_ARG_BYTES:
        if (tfp_jscan_integer(j, &m->bytes)) e->have |= MEMORY;
        return;
    case TFP_ARG_MEMORY_DEVICE: tfp_jscan_integer(j, &m->device); return;
    case TFP_ARG_MEMORY_KIND: tfp_jscan_integer(j, &m->device_type); return;
    case TFP_ARG_RESERVED: tfp_jscan_integer(j, &m->reserved); return;
    case TFP_ARG_ALLOCATED: tfp_jscan_integer(j, &m->allocated); return;
    case TFP_ARG_LABEL:
        if ((e->row.phase == 'M' || !(e->have & PHASE)) && tfp_jscan_peek(j) == '"') {
            const char *from = j->at;
            if (tfp_jscan_string(j, &text)) e->label = tfp_kineto_string_of(s, &text);
            if (!j->fault) j->at = from; /* the value is also read again as a stat */
        }
        break;
    case TFP_ARG_RANK:
    case TFP_ARG_RANK_OR_GROUP: take_rank(j, e, k->arg == TFP_ARG_RANK_OR_GROUP); break;
    case TFP_ARG_COLLECTIVE: e->row.flags |= TFP_KINETO_COLLECTIVE; break;
    default: break;
    }
    read_stat(s, j, key);
}

void tfp_kineto_read_args(tfp_kineto_slot *s, tfp_jscan *j, event *e)
{
    if (tfp_jscan_peek(j) != '{') {
        tfp_jscan_skip(j);
        return;
    }
    j->at++;
    uint32_t key = 0, before = 0, name = e->row.name;
    for (bool first = true;; first = false, before = key) {
        tfp_kineto_guess guess = first ? s->words.known.at[name].first : s->words.keys.at[before].next;
        if (!tfp_kineto_take_key(s, j, first, true, guess, &key)) return;
        tfp_kineto_learn(first ? &s->words.known.at[name].first : &s->words.keys.at[before].next, key);
        read_arg(s, j, e, &s->words.keys.at[key]);
    }
}
