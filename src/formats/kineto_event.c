/* formats/kineto_event.c: one event of a Chrome trace at a time becomes a row. Runs on any thread: it touches its slot only.
 * Layout: docs of Chrome's trace event format; the args are those that PyTorch's Kineto writes. */
#include "formats/kineto.h"

#define ABSURD_NS (INT64_C(9000000000000000) * 1000) /* 285 years */

bool tfp_kineto_slot_start(tfp_kineto_slot *s)
{
    *s = (tfp_kineto_slot){ .last_lane = TFP_NONE };
    return tfp_strtab_init(&s->strings, &s->arena) == TFP_OK;
}

void tfp_kineto_slot_free(tfp_kineto_slot *s)
{
    tfp_strtab_free(&s->strings);
    tfp_vec_free(&s->known);
    tfp_vec_free(&s->lanes);
    tfp_vec_free(&s->lane_global);
    tfp_map64_free(&s->lane_by_hash);
    tfp_vec_free(&s->stats);
    tfp_vec_free(&s->sets);
    tfp_vec_free(&s->set_global);
    tfp_map64_free(&s->set_by_hash);
    tfp_vec_free(&s->rows);
    tfp_vec_free(&s->memory);
    tfp_vec_free(&s->one);
    tfp_buf_free(&s->text);
    tfp_buf_free(&s->own);
    tfp_buf_free(&s->first_unreadable);
    tfp_buf_free(&s->first_absurd);
    tfp_arena_free(&s->arena);
}

static bool keep(tfp_kineto_slot *s, bool ok)
{
    s->failed |= !ok;
    return !s->failed;
}

/* ---- strings, lanes, stats of the slot ---- */

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

static uint32_t lane_of(tfp_kineto_slot *s, const tfp_kineto_lane *lane)
{
    if (s->last_lane != TFP_NONE && memcmp(&s->lanes.at[s->last_lane], lane, sizeof *lane) == 0) return s->last_lane;
    for (uint64_t hash = tfp_hash(lane, sizeof *lane);; hash++) {
        uint32_t at = tfp_map64_get(&s->lane_by_hash, hash);
        if (at != TFP_NONE && memcmp(&s->lanes.at[at], lane, sizeof *lane) == 0) return s->last_lane = at;
        if (at != TFP_NONE) continue;
        at = (uint32_t)s->lanes.size;
        bool ok = tfp_push(&s->lanes, *lane) && tfp_push(&s->lane_global, TFP_NONE) &&
                  tfp_map64_put(&s->lane_by_hash, hash, at);
        return keep(s, ok) ? (s->last_lane = at) : TFP_NONE;
    }
}

static uint32_t set_of(tfp_kineto_slot *s)
{
    size_t count = s->one.size, bytes = count * sizeof *s->one.at;
    if (!count || s->failed) return TFP_NONE;
    for (uint64_t hash = tfp_hash(s->one.at, bytes);; hash++) {
        uint32_t at = tfp_map64_get(&s->set_by_hash, hash);
        if (at != TFP_NONE && s->sets.at[at].count == count &&
            memcmp(s->stats.at + s->sets.at[at].first, s->one.at, bytes) == 0)
            return at;
        if (at != TFP_NONE) continue;
        size_t first = s->stats.size;
        if (!keep(s, first + count < TFP_NONE && tfp_reserve(&s->stats, first + count))) return TFP_NONE;
        memcpy(s->stats.at + first, s->one.at, bytes);
        s->stats.size += count;
        at = (uint32_t)s->sets.size;
        bool ok = tfp_push(&s->sets, ((tfp_stat_set){ (uint32_t)first, (uint32_t)count })) &&
                  tfp_push(&s->set_global, TFP_NONE) && tfp_map64_put(&s->set_by_hash, hash, at);
        return keep(s, ok) ? at : TFP_NONE;
    }
}

/* ---- categories ---- */

static bool ends_with(tfp_str s, tfp_str end)
{
    return s.size >= end.size && memcmp(s.data + s.size - end.size, end.data, end.size) == 0;
}

static bool begins_with(tfp_str s, tfp_str begin)
{
    return s.size >= begin.size && memcmp(s.data, begin.data, begin.size) == 0;
}

static tfp_kineto_what what_of(tfp_str c)
{
    static const struct {
        const char *category;
        tfp_kineto_what what;
    } rows[] = {
        { "cpu_op", TFP_KINETO_OP },
        { "Operator", TFP_KINETO_OP },
        { "Runtime", TFP_KINETO_CALL },
        { "user_annotation", TFP_KINETO_ANNOTATION },
        { "python_function", TFP_KINETO_FRAME },
        { "kernel", TFP_KINETO_KERNEL },
        { "Kernel", TFP_KINETO_KERNEL },
        { "gpu_memcpy", TFP_KINETO_COPY },
        { "Memcpy", TFP_KINETO_COPY },
        { "gpu_memset", TFP_KINETO_SET },
        { "Memset", TFP_KINETO_SET },
        { "gpu_user_annotation", TFP_KINETO_ON_STREAM },
        { "cuda_sync", TFP_KINETO_ON_STREAM },
        { "Trace", TFP_KINETO_SHOWN },
        { "overhead", TFP_KINETO_SHOWN },
        { "cuda_profiler_range", TFP_KINETO_SHOWN },
        { "mtia_ccp_events", TFP_KINETO_SHOWN },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (tfp_str_eq(c, tfp_str_of(rows[i].category))) return rows[i].what;
    if (ends_with(c, TFP_STR("_runtime")) || ends_with(c, TFP_STR("_driver"))) return TFP_KINETO_CALL;
    return begins_with(c, TFP_STR("xpu_")) || begins_with(c, TFP_STR("privateuse1_")) ? TFP_KINETO_SHOWN
                                                                                      : TFP_KINETO_PLAIN;
}

static uint8_t category(tfp_kineto_slot *s, uint32_t string)
{
    if (string >= s->known.size) return TFP_KINETO_PLAIN;
    uint8_t *what = &s->known.at[string].what;
    if (*what == 0xff) *what = (uint8_t)what_of(s->strings.strings[string]);
    return *what;
}

/* ---- one event ---- */

typedef struct event {
    tfp_kineto_row row;
    tfp_jscan_time ts, dur;
    tfp_kineto_lane thread, stream; /* stream: of args */
    tfp_kineto_memory memory;
    unsigned have; /* bits below */
} event;
enum {
    PHASE = 1,
    NAME = 2,
    TS = 4,
    DUR = 8,
    DEVICE = 16,
    STREAM = 32,
    FORWARD = 64,
    MEMORY = 128,
    PID = 256,
    TID = 512
};

/* A pid, tid or the like: a number or a word. */
static uint64_t number_or_word(tfp_kineto_slot *s, tfp_jscan *j, uint32_t *words, uint32_t bit)
{
    tfp_jscan_value v;
    tfp_jscan_value_of(j, &v);
    *words &= ~bit;
    if (v.kind == TFP_JSCAN_INT) return (uint64_t)v.number;
    if (v.kind == TFP_JSCAN_REAL) return v.real > -9e18 && v.real < 9e18 ? (uint64_t)(int64_t)v.real : 0;
    if (v.kind == TFP_JSCAN_NULL || v.kind == TFP_JSCAN_BOOL) return 0;
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
    case 18: return memcmp(key.data, "Record function id", 18) == 0;
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
            e->ts = tfp_jscan_micros(j);
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
            e->dur = tfp_jscan_micros(j);
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

/* ---- from members to a row ---- */

static void leave_out(tfp_kineto_slot *s, const event *e, int64_t *count, tfp_buf *first, const char *without)
{
    if (!(*count)++) {
        first->size = 0;
        if (e->have & NAME)
            tfp_buf_str(first, s->strings.strings[e->row.name]);
        else
            tfp_buf_text(first, without);
        keep(s, !first->failed);
    }
}

/* Start and end are each rounded down, so that what nests in the file does so here. */
static bool set_times(tfp_kineto_slot *s, event *e)
{
    tfp_kineto_row *r = &e->row;
    int64_t end;
    s->fraction |= e->ts.fraction || e->dur.fraction;
    r->start_ns = e->ts.ns;
    if (e->ts.ns > ABSURD_NS || e->ts.ns < -ABSURD_NS || e->dur.beyond) return false;
    if (e->ts.ns < 0) r->flags |= TFP_KINETO_EARLY;
    if (!e->dur.known) {
        r->flags |= TFP_KINETO_NO_DUR;
        return true;
    }
    if (e->dur.ns < 0) {
        if (e->dur.ns < -ABSURD_NS) return false;
        r->flags |= TFP_KINETO_NEGATIVE;
        return true;
    }
    if (e->dur.ns > ABSURD_NS) return false;
    r->duration_ns = e->dur.ns + (e->ts.rest + (uint64_t)e->dur.rest >= 1000000000u);
    return !__builtin_add_overflow(r->start_ns, r->duration_ns, &end) && end <= ABSURD_NS;
}

static void set_lane(tfp_kineto_slot *s, event *e)
{
    tfp_kineto_lane *lane = &e->thread;
    tfp_kineto_row *r = &e->row;
    if (r->what >= TFP_KINETO_KERNEL && r->what <= TFP_KINETO_ON_STREAM) {
        if (!(e->have & DEVICE)) {
            e->stream.a = e->thread.a;
            e->stream.words |= e->thread.words & 1;
        }
        if (!(e->have & STREAM)) {
            e->stream.b = e->thread.b;
            e->stream.words |= e->thread.words & 2;
        }
        lane = &e->stream;
        lane->kind = TFP_KINETO_STREAM;
    } else if (r->what == TFP_KINETO_SHOWN || r->phase == 'b' || r->phase == 'e' || r->phase == 'n') {
        lane->kind = TFP_KINETO_ASIDE;
    }
    r->lane = lane_of(s, lane);
}

static void finish_event(tfp_kineto_slot *s, event *e)
{
    tfp_kineto_row *r = &e->row;
    bool meta = r->phase == 'M', named = e->have & NAME || r->phase == 'E' || r->phase == 'e';
    if (!(e->have & PHASE) || (!meta && !e->ts.known && !e->ts.beyond) || !named) {
        leave_out(s, e, &s->unreadable, &s->first_unreadable, "without a name");
        return;
    }
    if (!meta && (e->ts.beyond || !set_times(s, e))) {
        leave_out(s, e, &s->absurd, &s->first_absurd, "without a name");
        return;
    }
    r->what = category(s, r->category);
    set_lane(s, e);
    if (e->have & FORWARD && r->flags & TFP_KINETO_HAS_SEQUENCE) r->flags |= TFP_KINETO_BACKWARD;
    if (e->have & MEMORY && (r->phase == 'i' || r->phase == 'I') &&
        tfp_str_eq(s->strings.strings[r->name], TFP_STR("[memory]"))) {
        r->extra = (uint32_t)s->memory.size;
        r->phase = 'm';
        keep(s, tfp_push(&s->memory, e->memory));
    } else {
        r->stats = meta ? TFP_NONE : set_of(s);
    }
    keep(s, tfp_push(&s->rows, *r));
}

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
    finish_event(s, &e);
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
