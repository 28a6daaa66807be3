/* wire/textproto.c: one message in protobuf's text format becomes its wire bytes.
 * In: words (texttoken.h) and the tables of the message. Out: wire bytes, or the first fault with its line and column.
 * Nested messages stand on a stack of our own. A message's length comes before its bytes but is known after them: a
 * gap is left for it and remembered, and one last pass closes the gaps, so the cost does not grow with the depth. */
#include "wire/textproto.h"

#include "wire/proto.h"
#include "wire/texttoken.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { GAP = 4 }; /* bytes left for a length, which stands there as 32 bits until the last pass */

typedef struct frame {
    const tfp_message_schema *schema;
    const tfp_text_field *list; /* the field whose [list] of messages this is one of */
    uint64_t seen;              /* bits: fields that have a value */
    size_t next_field;          /* the fields of a text mostly come in order */
    size_t gap;                 /* -> wire */
    size_t saved;               /* bytes by which the last pass will shorten what is inside */
    char close;
    bool oneof_seen, is_any;
} frame;

typedef struct parser {
    tfp_scanner t;
    tfp_buf *wire;
    tfp_buf scratch;
    TFP_VEC(frame) stack;
    TFP_VEC(size_t) gaps;
} parser;

static frame *top(parser *p) { return &p->stack.at[p->stack.size - 1]; }

static bool going(const parser *p) { return p->t.status == TFP_OK; }

static void no_memory(parser *p)
{
    if (!p->t.status) p->t.status = tfp_nomem(p->t.err);
}

/* ---- nested messages ---- */

static bool push(parser *p, const tfp_message_schema *schema, const tfp_text_field *list, char close)
{
    frame f = { .schema = schema, .list = list, .close = close };
    if (p->stack.size > TFP_TEXT_DEPTH_MAX) {
        tfp_scan_fail_at(&p->t, p->t.now.text.data, TFP_LIMIT, "messages inside messages deeper than %d",
                         TFP_TEXT_DEPTH_MAX);
        return false;
    }
    if (!tfp_push(&p->stack, f)) no_memory(p);
    return going(p);
}

static void open_gap(parser *p, uint32_t number)
{
    static const char nothing[GAP] = { 0 };
    tfp_put_tag(p->wire, number, TFP_BYTES);
    top(p)->gap = p->wire->size;
    if (!tfp_push(&p->gaps, p->wire->size)) no_memory(p);
    tfp_buf_add(p->wire, nothing, GAP);
}

/* Goes past the opening brace; what is inside is read by the main loop. */
static void open_message(parser *p, const tfp_message_schema *schema, const tfp_text_field *list, uint32_t number)
{
    char close = p->t.now.kind == '<' ? '>' : '}';
    if (p->t.now.kind != '{' && p->t.now.kind != '<') {
        tfp_scan_expected(&p->t, "\"{\"");
        return;
    }
    if (!push(p, schema, list, close)) return;
    open_gap(p, number);
    tfp_scan_next(&p->t);
}

static void skip_separator(parser *p)
{
    if (!tfp_scan_sign(&p->t, ';')) tfp_scan_sign(&p->t, ',');
}

/* Behind one item of a [list]: true when another follows. */
static bool next_item(parser *p)
{
    if (tfp_scan_sign(&p->t, ']')) return false;
    if (p->t.now.kind != ',') tfp_scan_expected(&p->t, "\",\" or \"]\"");
    tfp_scan_next(&p->t);
    return going(p);
}

/* An Any has two fields of its own, which a [type] { } sets both. */
static void finish_any(parser *p, frame *above)
{
    if (above->seen) {
        tfp_scan_fail_at(&p->t, p->t.now.text.data, TFP_BADFILE, "%s has more than one value",
                         above->schema->name.data);
    }
    above->seen = 3;
}

static void close_message(parser *p)
{
    frame f = *top(p);
    if (p->t.now.kind != f.close) {
        tfp_scan_expected(&p->t, f.close == '}' ? "\"}\"" : "\">\"");
        return;
    }
    tfp_scan_next(&p->t);
    size_t size = p->wire->size - f.gap - GAP - f.saved;
    uint32_t length = (uint32_t)size;
    if (!p->wire->failed) memcpy(p->wire->data + f.gap, &length, GAP);
    p->stack.size--;
    top(p)->saved += f.saved + GAP - tfp_varint_size(size);
    if (f.is_any) finish_any(p, top(p));
    if (f.list && next_item(p)) {
        open_message(p, f.schema, f.list, f.list->number);
        return;
    }
    skip_separator(p);
}

/* ---- values: each reader takes one value from the words and writes it; false means it was the zero value ---- */

/* OWNER WHAT "WORD", at the current word: protobuf reports most faults of a word behind it. */
static void bad_word(parser *p, const char *owner, const char *what, tfp_str word)
{
    const char *more = word.size > 60 ? "…" : "";
    tfp_scan_fail_at(&p->t, p->t.now.text.data, TFP_BADFILE, "%s%s \"%.*s%s\"", owner, what,
                     word.size > 60 ? 60 : (int)word.size, word.data, more);
}

static uint64_t take_uint(parser *p, uint64_t max)
{
    uint64_t n = 0;
    if (p->t.now.kind != TFP_T_INTEGER) {
        tfp_scan_expected(&p->t, "an integer");
    } else if (!tfp_token_uint(p->t.now.text, max, &n)) {
        bad_word(p, "", "out of range: the integer", p->t.now.text);
    }
    tfp_scan_next(&p->t);
    return n;
}

static uint64_t take_int(parser *p, uint64_t max)
{
    bool negative = tfp_scan_sign(&p->t, '-');
    uint64_t n = take_uint(p, max + negative);
    return negative ? 0 - n : n;
}

static double take_double(parser *p)
{
    bool negative = tfp_scan_sign(&p->t, '-');
    const tfp_token word = p->t.now;
    double value = 0;
    if (word.kind == TFP_T_NAME) {
        tfp_str t = word.text;
        if ((t.size == 3 && !strncasecmp(t.data, "inf", 3)) || (t.size == 8 && !strncasecmp(t.data, "infinity", 8))) {
            value = HUGE_VAL;
        } else if (t.size == 3 && !strncasecmp(t.data, "nan", 3)) {
            value = (double)NAN;
        } else {
            tfp_scan_expected(&p->t, "a number");
        }
    } else if (word.kind == TFP_T_FLOAT || (word.kind == TFP_T_INTEGER && tfp_token_is_decimal(word.text))) {
        value = tfp_token_double(word.text, &p->scratch);
    } else {
        tfp_scan_expected(&p->t, "a decimal number");
    }
    tfp_scan_next(&p->t);
    return negative ? -value : value;
}

static bool put_varint(parser *p, const tfp_text_field *f, uint64_t n)
{
    tfp_put_tag(p->wire, f->number, TFP_VARINT);
    tfp_put_varint(p->wire, n);
    return n != 0;
}

static bool read_int32(parser *p, const tfp_text_field *f) { return put_varint(p, f, take_int(p, INT32_MAX)); }

static bool read_int64(parser *p, const tfp_text_field *f) { return put_varint(p, f, take_int(p, INT64_MAX)); }

static bool read_uint32(parser *p, const tfp_text_field *f) { return put_varint(p, f, take_uint(p, UINT32_MAX)); }

static bool read_uint64(parser *p, const tfp_text_field *f) { return put_varint(p, f, take_uint(p, UINT64_MAX)); }

static bool read_sint64(parser *p, const tfp_text_field *f)
{
    uint64_t n = take_int(p, INT64_MAX);
    return put_varint(p, f, n >> 63 ? ~(n << 1) : n << 1);
}

static bool put_little_endian(parser *p, uint64_t bits, int bytes)
{
    for (int i = 0; i < bytes; i++) tfp_buf_char(p->wire, (char)(bits >> (8 * i)));
    return bits != 0;
}

static bool read_float(parser *p, const tfp_text_field *f)
{
    double value = take_double(p);
    uint32_t bits;
    float narrow = fabs(value) >= 0x1.ffffffp127 ? copysignf(HUGE_VALF, (float)copysign(1, value)) : (float)value;
    memcpy(&bits, &narrow, sizeof bits);
    tfp_put_tag(p->wire, f->number, TFP_FIXED32);
    return put_little_endian(p, bits, 4);
}

static bool read_fixed64(parser *p, const tfp_text_field *f)
{
    uint64_t n = take_uint(p, UINT64_MAX);
    tfp_put_tag(p->wire, f->number, TFP_FIXED64);
    return put_little_endian(p, n, 8);
}

static bool read_double(parser *p, const tfp_text_field *f)
{
    double value = take_double(p);
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    tfp_put_tag(p->wire, f->number, TFP_FIXED64);
    return put_little_endian(p, bits, 8);
}

static bool is_one_of(tfp_str word, const char *const *words)
{
    for (; *words; words++) {
        if (tfp_str_eq(word, tfp_str_of(*words))) return true;
    }
    return false;
}

static bool read_bool(parser *p, const tfp_text_field *f)
{
    static const char *const yes[] = { "true", "True", "t", NULL }, *const no[] = { "false", "False", "f", NULL };
    if (p->t.now.kind == TFP_T_INTEGER) return put_varint(p, f, take_uint(p, 1));
    tfp_str word = p->t.now.text;
    if (p->t.now.kind != TFP_T_NAME) tfp_scan_expected(&p->t, "true or false");
    tfp_scan_next(&p->t);
    if (going(p) && !is_one_of(word, yes) && !is_one_of(word, no)) { bad_word(p, "", "neither true nor false:", word); }
    return put_varint(p, f, is_one_of(word, yes));
}

static bool read_enum(parser *p, const tfp_text_field *f)
{
    if (p->t.now.kind == TFP_T_INTEGER || p->t.now.kind == '-') return read_int32(p, f);
    tfp_str word = p->t.now.text;
    if (p->t.now.kind != TFP_T_NAME) tfp_scan_expected(&p->t, "a name or an integer");
    tfp_scan_next(&p->t);
    for (size_t i = 0; i < f->values->count; i++) {
        const tfp_text_enum_value *v = &f->values->values[i];
        if (tfp_str_eq(v->name, word)) return put_varint(p, f, (uint64_t)(int64_t)v->value);
    }
    bad_word(p, f->name.data, " has no value", word);
    return false;
}

/* Strings that stand one after the other are one. */
static bool read_string(parser *p, const tfp_text_field *f)
{
    tfp_token first = p->t.now;
    if (first.kind != TFP_T_STRING) {
        tfp_scan_expected(&p->t, "a string");
        return false;
    }
    tfp_scan_next(&p->t);
    tfp_str value = { first.text.data + 1, first.text.size - 2 };
    if (first.escaped || p->t.now.kind == TFP_T_STRING) {
        p->scratch.size = 0;
        tfp_token_unescape(&first, &p->scratch);
        for (; p->t.now.kind == TFP_T_STRING; tfp_scan_next(&p->t)) tfp_token_unescape(&p->t.now, &p->scratch);
        value = (tfp_str){ p->scratch.data, p->scratch.size };
    }
    tfp_put_bytes_always(p->wire, f->number, value);
    return value.size != 0;
}

typedef bool (*value_reader)(parser *p, const tfp_text_field *f);
static const value_reader readers[] = {
    [TFP_TEXT_INT32] = read_int32,   [TFP_TEXT_INT64] = read_int64,   [TFP_TEXT_UINT32] = read_uint32,
    [TFP_TEXT_UINT64] = read_uint64, [TFP_TEXT_SINT64] = read_sint64, [TFP_TEXT_FIXED64] = read_fixed64,
    [TFP_TEXT_FLOAT] = read_float,   [TFP_TEXT_DOUBLE] = read_double, [TFP_TEXT_BOOL] = read_bool,
    [TFP_TEXT_STRING] = read_string, [TFP_TEXT_BYTES] = read_string,  [TFP_TEXT_ENUM] = read_enum,
};

/* ---- fields ---- */

static const tfp_text_field *find_field(const tfp_message_schema *s, tfp_str name, size_t hint)
{
    for (size_t i = 0; i < s->field_count; i++) {
        size_t at = i + hint < s->field_count ? i + hint : i + hint - s->field_count;
        if (tfp_str_eq(s->fields[at].name, name)) return &s->fields[at];
    }
    return NULL;
}

/* The field that a name stands for, when it may (still) have a value. Faults are placed behind the name. */
static const tfp_text_field *known_field(parser *p, frame *m, tfp_str name)
{
    const tfp_text_field *f = find_field(m->schema, name, m->next_field);
    if (!f) {
        bad_word(p, m->schema->name.data, " has no field", name);
        return NULL;
    }
    size_t place = (size_t)(f - m->schema->fields);
    m->next_field = place + !(f->flags & TFP_TEXT_MANY);
    if (m->next_field == m->schema->field_count) m->next_field = 0;
    if (f->flags & TFP_TEXT_MANY) return f;
    if (m->seen >> place & 1) {
        bad_word(p, m->schema->name.data, " may have only one", name);
    } else if (f->flags & TFP_TEXT_ONEOF && m->oneof_seen) {
        bad_word(p, m->schema->name.data, " already has another value than", name);
    }
    return f;
}

static void mark_seen(frame *m, const tfp_text_field *f, bool has_value)
{
    if (!has_value && !(f->flags & (TFP_TEXT_ONEOF | TFP_TEXT_PRESENCE))) return;
    m->seen |= (uint64_t)1 << (f - m->schema->fields);
    if (f->flags & TFP_TEXT_ONEOF) m->oneof_seen = true;
}

static void read_messages(parser *p, const tfp_text_field *f)
{
    tfp_scan_sign(&p->t, ':');
    mark_seen(top(p), f, true);
    if (f->flags & TFP_TEXT_MANY && tfp_scan_sign(&p->t, '[')) {
        if (tfp_scan_sign(&p->t, ']')) {
            skip_separator(p);
            return;
        }
        open_message(p, f->message, f, f->number);
        return;
    }
    open_message(p, f->message, NULL, f->number);
}

static void read_values(parser *p, const tfp_text_field *f)
{
    if (p->t.now.kind != ':') tfp_scan_expected(&p->t, "\":\"");
    tfp_scan_next(&p->t);
    if (f->flags & TFP_TEXT_MANY && tfp_scan_sign(&p->t, '[')) {
        if (!tfp_scan_sign(&p->t, ']')) {
            do readers[f->kind](p, f);
            while (going(p) && next_item(p));
        }
    } else {
        mark_seen(top(p), f, readers[f->kind](p, f));
    }
    skip_separator(p);
}

/* "a.b.c" with or without blanks around the dots, appended to the scratch. */
static void take_dotted_name(parser *p)
{
    for (;;) {
        if (p->t.now.kind != TFP_T_NAME) tfp_scan_expected(&p->t, "a name");
        tfp_buf_str(&p->scratch, p->t.now.text);
        tfp_scan_next(&p->t);
        if (!tfp_scan_sign(&p->t, '.')) return;
        tfp_buf_char(&p->scratch, '.');
    }
}

/* By "type.googleapis.com/NAME": protobuf's parser knows no type under other prefixes. */
static const tfp_message_schema *find_message(const tfp_message_schema *const *all, tfp_str prefix, tfp_str name)
{
    if (!tfp_str_eq(prefix, TFP_STR("type.googleapis.com/")) && !tfp_str_eq(prefix, TFP_STR("type.googleprod.com/"))) {
        return NULL;
    }
    for (; *all; all++) {
        if (tfp_str_eq((*all)->name, name)) return *all;
    }
    return NULL;
}

/* [prefix/type] { ... } inside an Any: its two fields are the name and the bytes of the message. */
static void read_any(parser *p, const tfp_message_schema *schema)
{
    enum { TYPE_URL = 1, VALUE = 2 };
    p->scratch.size = 0;
    take_dotted_name(p);
    if (p->t.now.kind != '/') tfp_scan_expected(&p->t, "\"/\"");
    tfp_scan_next(&p->t);
    tfp_buf_char(&p->scratch, '/');
    size_t name_at = p->scratch.size;
    take_dotted_name(p);
    if (p->t.now.kind != ']') tfp_scan_expected(&p->t, "\"]\"");
    tfp_scan_next(&p->t);
    tfp_scan_sign(&p->t, ':');
    if (p->scratch.failed || !going(p)) return;
    tfp_str url = { p->scratch.data, p->scratch.size };
    tfp_str prefix = { url.data, name_at }, name = { url.data + name_at, url.size - name_at };
    const tfp_message_schema *inside = find_message(schema->any_of, prefix, name);
    if (!inside) {
        bad_word(p, schema->name.data, " holds the unknown type", url);
        return;
    }
    tfp_put_bytes_always(p->wire, TYPE_URL, url);
    open_message(p, inside, NULL, VALUE);
    if (going(p)) top(p)->is_any = true;
}

static void read_bracket(parser *p, const tfp_message_schema *schema)
{
    tfp_scan_next(&p->t);
    if (schema->any_of) {
        read_any(p, schema);
        return;
    }
    p->scratch.size = 0;
    take_dotted_name(p);
    if (p->t.now.kind != ']') tfp_scan_expected(&p->t, "\"]\"");
    tfp_scan_next(&p->t);
    bad_word(p, schema->name.data, " has no extension", (tfp_str){ p->scratch.data, p->scratch.size });
}

static void read_field(parser *p)
{
    frame *m = top(p);
    if (p->t.now.kind == '[') {
        read_bracket(p, m->schema);
        return;
    }
    if (p->t.now.kind != TFP_T_NAME) {
        tfp_scan_expected(&p->t, "a field's name");
        return;
    }
    tfp_str name = p->t.now.text;
    tfp_scan_next(&p->t);
    if (!going(p)) return;
    const tfp_text_field *f = known_field(p, m, name);
    if (!going(p) || !f) return;
    if (f->kind == TFP_TEXT_MESSAGE)
        read_messages(p, f);
    else
        read_values(p, f);
}

/* ---- the whole ---- */

/* Replaces each gap, from the first on, by the varint of the length that stands in it. */
static void close_gaps(parser *p, size_t first)
{
    char *data = p->wire->data, *to = data + first;
    size_t from = first;
    for (size_t i = 0; i < p->gaps.size; i++) {
        size_t part = p->gaps.at[i] - from;
        memmove(to, data + from, part);
        to += part;
        from = p->gaps.at[i] + GAP;
        uint32_t length;
        memcpy(&length, data + p->gaps.at[i], GAP);
        for (; length >= 0x80; length >>= 7) *to++ = (char)(length | 0x80);
        *to++ = (char)length;
    }
    memmove(to, data + from, p->wire->size - from);
    p->wire->size = (size_t)(to - data) + (p->wire->size - from);
}

tfp_status tfp_text_to_wire(tfp_str text, const tfp_message_schema *schema, tfp_buf *wire, tfp_error *err)
{
    parser p = { .wire = wire };
    size_t first = wire->size;
    if (text.size > TFP_TEXT_SIZE_MAX) {
        return tfp_fail(err, TFP_LIMIT, "a text of %zu bytes (the limit is %zu)", text.size, TFP_TEXT_SIZE_MAX);
    }
    tfp_scan_start(&p.t, text, err);
    if (going(&p)) push(&p, schema, NULL, '\0');
    while (going(&p) && !(p.stack.size == 1 && p.t.now.kind == TFP_T_END)) {
        bool at_close = p.t.now.kind == '}' || p.t.now.kind == '>';
        if (at_close && p.stack.size > 1)
            close_message(&p);
        else
            read_field(&p);
        if (wire->failed || p.scratch.failed) no_memory(&p);
    }
    if (going(&p) && p.gaps.size) close_gaps(&p, first);
    if (!going(&p)) wire->size = first;
    tfp_vec_free(&p.stack);
    tfp_vec_free(&p.gaps);
    tfp_buf_free(&p.scratch);
    return p.t.status;
}

/* ---- knowing a text ---- */

/* The first name of a text: what stands behind blanks and comments; empty when it is something else. */
static tfp_str first_name(tfp_str head, int *sign)
{
    tfp_scanner t;
    tfp_scan_start(&t, head, NULL);
    tfp_str name = t.now.kind == TFP_T_NAME ? t.now.text : (tfp_str){ "", 0 };
    tfp_scan_next(&t);
    *sign = t.now.kind;
    return name;
}

bool tfp_text_begins_as(tfp_str head, const tfp_message_schema *schema)
{
    int sign;
    tfp_str name = first_name(head, &sign);
    return name.size && find_field(schema, name, 0);
}

/* A binary GraphDef may begin with bytes that are blanks in a text (0x0a, lengths below 14 or 32) and then a node's
 * name, but not with one of these signs behind it; a binary file of any size has a control byte near its start. */
bool tfp_looks_like_text(tfp_str head)
{
    enum { NEAR = 256 };
    int sign;
    /* Of two letters and more: the length of a binary GraphDef's first node can look like a name of one. */
    if (first_name(head, &sign).size > 1 && (sign == ':' || sign == '{' || sign == '<' || sign == '[')) return true;
    tfp_str near = { head.data, head.size < NEAR ? head.size : NEAR };
    while (near.size) { /* lengths of long binary fields are bytes that no UTF-8 has */
        uint32_t c;
        size_t n = tfp_utf8(near, &c);
        if (n == 0) return near.size < 4 && head.size > NEAR; /* a character cut where we stop looking */
        if (c < ' ' && !(c >= '\t' && c <= '\r')) return false;
        near.data += n;
        near.size -= n;
    }
    return head.size > 0;
}
