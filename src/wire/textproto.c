// SPDX-License-Identifier: Apache-2.0
/* wire/textproto.c: converts one message in protobuf's text format to its wire bytes.
 * In: words (texttoken.h) and the tables of the message. Out: wire bytes, or the first fault with its line and column.
 * Nested messages use an explicit stack. A message's length comes before its bytes but is known only after them: a
 * gap is left for it, and one last pass closes all gaps, so that the cost does not grow with the depth. */
#include "wire/textproto.h"

#include "wire/proto.h"
#include "wire/textvalue.h"

enum { GAP = 4 }; /* bytes reserved for a length, which is stored there in 32 bits until the last pass */

typedef struct frame {
    const tfp_message_schema *schema;
    const tfp_text_field *list; /* the field whose [list] contains this message */
    uint64_t seen;              /* one bit for each field that has a value */
    size_t next_field;          /* guess: fields of a text are mostly in order */
    size_t gap;                 /* index in the wire */
    size_t saved;               /* bytes that the last pass will remove inside */
    char close;
    bool oneof_seen, is_any;
} frame;

typedef struct parser {
    tfp_text_values v; /* the words, the wire and a scratch */
    TFP_VEC(frame) stack;
    TFP_VEC(size_t) gaps;
} parser;

static frame *top(parser *p) { return &p->stack.at[p->stack.size - 1]; }

static bool going(const parser *p) { return p->v.t.status == TFP_OK; }

static void no_memory(parser *p)
{
    if (!p->v.t.status) p->v.t.status = tfp_nomem(p->v.t.err);
}

/* ---- nested messages ---- */

static bool push(parser *p, const tfp_message_schema *schema, const tfp_text_field *list, char close)
{
    frame f = { .schema = schema, .list = list, .close = close };
    if (p->stack.size > TFP_TEXT_DEPTH_MAX) {
        tfp_token_fail_at(&p->v.t, p->v.t.now.text.data, TFP_LIMIT, "messages inside messages deeper than %d",
                          TFP_TEXT_DEPTH_MAX);
        return false;
    }
    if (!tfp_push(&p->stack, f)) no_memory(p);
    return going(p);
}

static void open_gap(parser *p, uint32_t number)
{
    static const char nothing[GAP] = { 0 };
    tfp_put_tag(p->v.wire, number, TFP_BYTES);
    top(p)->gap = p->v.wire->size;
    if (!tfp_push(&p->gaps, p->v.wire->size)) no_memory(p);
    tfp_buf_add(p->v.wire, nothing, GAP);
}

/* Goes past the opening brace; the main loop reads the message. */
static void open_message(parser *p, const tfp_message_schema *schema, const tfp_text_field *list, uint32_t number)
{
    char close = p->v.t.now.kind == '<' ? '>' : '}';
    if (p->v.t.now.kind != '{' && p->v.t.now.kind != '<') {
        tfp_token_expected(&p->v.t, "\"{\"");
        return;
    }
    if (!push(p, schema, list, close)) return;
    open_gap(p, number);
    tfp_token_next(&p->v.t);
}

static void skip_separator(parser *p)
{
    if (!tfp_token_sign(&p->v.t, ';')) tfp_token_sign(&p->v.t, ',');
}

/* After an item of a [list]: true when another follows. */
static bool next_item(parser *p)
{
    if (tfp_token_sign(&p->v.t, ']')) return false;
    if (p->v.t.now.kind != ',') tfp_token_expected(&p->v.t, "\",\" or \"]\"");
    tfp_token_next(&p->v.t);
    return going(p);
}

/* An Any has two fields of its own; [type] { } sets both. */
static void finish_any(parser *p, frame *above)
{
    if (above->seen) {
        tfp_token_fail_at(&p->v.t, p->v.t.now.text.data, TFP_BADFILE, "%s has more than one value",
                          above->schema->name.data);
    }
    above->seen = 3;
}

static void close_message(parser *p)
{
    frame f = *top(p);
    if (p->v.t.now.kind != f.close) {
        tfp_token_expected(&p->v.t, f.close == '}' ? "\"}\"" : "\">\"");
        return;
    }
    tfp_token_next(&p->v.t);
    size_t size = p->v.wire->size - f.gap - GAP - f.saved;
    uint32_t length = (uint32_t)size;
    if (!p->v.wire->failed) memcpy(p->v.wire->data + f.gap, &length, GAP);
    p->stack.size--;
    top(p)->saved += f.saved + GAP - tfp_varint_size(size);
    if (f.is_any) finish_any(p, top(p));
    if (f.list && next_item(p)) {
        open_message(p, f.schema, f.list, f.list->number);
        return;
    }
    skip_separator(p);
}

/* ---- fields ---- */

static const tfp_text_field *find_field(const tfp_message_schema *s, tfp_str name, size_t hint)
{
    for (size_t i = 0; i < s->field_count; i++) {
        size_t at = i + hint < s->field_count ? i + hint : i + hint - s->field_count;
        if (tfp_str_eq(s->fields[at].name, name)) return &s->fields[at];
    }
    return NULL;
}

/* The field with that name, if it may (still) have a value. Faults are placed after the name. */
static const tfp_text_field *known_field(parser *p, frame *m, tfp_str name)
{
    const tfp_text_field *f = find_field(m->schema, name, m->next_field);
    if (!f) {
        tfp_text_bad_word(&p->v, m->schema->name.data, " has no field", name);
        return NULL;
    }
    size_t place = (size_t)(f - m->schema->fields);
    m->next_field = place + !(f->flags & TFP_TEXT_MANY);
    if (m->next_field == m->schema->field_count) m->next_field = 0;
    if (f->flags & TFP_TEXT_MANY) return f;
    if (m->seen >> place & 1) {
        tfp_text_bad_word(&p->v, m->schema->name.data, " may have only one", name);
    } else if (f->flags & TFP_TEXT_ONEOF && m->oneof_seen) {
        tfp_text_bad_word(&p->v, m->schema->name.data, " already has another value than", name);
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
    tfp_token_sign(&p->v.t, ':');
    mark_seen(top(p), f, true);
    if (f->flags & TFP_TEXT_MANY && tfp_token_sign(&p->v.t, '[')) {
        if (tfp_token_sign(&p->v.t, ']')) {
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
    if (p->v.t.now.kind != ':') tfp_token_expected(&p->v.t, "\":\"");
    tfp_token_next(&p->v.t);
    if (f->flags & TFP_TEXT_MANY && tfp_token_sign(&p->v.t, '[')) {
        if (!tfp_token_sign(&p->v.t, ']')) {
            do tfp_text_value(&p->v, f);
            while (going(p) && next_item(p));
        }
    } else {
        mark_seen(top(p), f, tfp_text_value(&p->v, f));
    }
    skip_separator(p);
}

/* "a.b.c" with or without blanks around the dots, appended to the scratch. */
static void take_dotted_name(parser *p)
{
    for (;;) {
        if (p->v.t.now.kind != TFP_T_NAME) tfp_token_expected(&p->v.t, "a name");
        tfp_buf_str(&p->v.scratch, p->v.t.now.text);
        tfp_token_next(&p->v.t);
        if (!tfp_token_sign(&p->v.t, '.')) return;
        tfp_buf_char(&p->v.scratch, '.');
    }
}

/* Finds a message by "type.googleapis.com/NAME": protobuf's parser knows no types with other prefixes. */
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
    p->v.scratch.size = 0;
    take_dotted_name(p);
    if (p->v.t.now.kind != '/') tfp_token_expected(&p->v.t, "\"/\"");
    tfp_token_next(&p->v.t);
    tfp_buf_char(&p->v.scratch, '/');
    size_t name_at = p->v.scratch.size;
    take_dotted_name(p);
    if (p->v.t.now.kind != ']') tfp_token_expected(&p->v.t, "\"]\"");
    tfp_token_next(&p->v.t);
    tfp_token_sign(&p->v.t, ':');
    if (p->v.scratch.failed || !going(p)) return;
    tfp_str url = { p->v.scratch.data, p->v.scratch.size };
    tfp_str prefix = { url.data, name_at }, name = { url.data + name_at, url.size - name_at };
    const tfp_message_schema *inside = find_message(schema->any_of, prefix, name);
    if (!inside) {
        tfp_text_bad_word(&p->v, schema->name.data, " holds the unknown type", url);
        return;
    }
    tfp_put_bytes_always(p->v.wire, TYPE_URL, url);
    open_message(p, inside, NULL, VALUE);
    if (going(p)) top(p)->is_any = true;
}

static void read_bracket(parser *p, const tfp_message_schema *schema)
{
    tfp_token_next(&p->v.t);
    if (schema->any_of) {
        read_any(p, schema);
        return;
    }
    p->v.scratch.size = 0;
    take_dotted_name(p);
    if (p->v.t.now.kind != ']') tfp_token_expected(&p->v.t, "\"]\"");
    tfp_token_next(&p->v.t);
    tfp_text_bad_word(&p->v, schema->name.data, " has no extension", (tfp_str){ p->v.scratch.data, p->v.scratch.size });
}

static void read_field(parser *p)
{
    frame *m = top(p);
    if (p->v.t.now.kind == '[') {
        read_bracket(p, m->schema);
        return;
    }
    if (p->v.t.now.kind != TFP_T_NAME) {
        tfp_token_expected(&p->v.t, "a field's name");
        return;
    }
    tfp_str name = p->v.t.now.text;
    tfp_token_next(&p->v.t);
    if (!going(p)) return;
    const tfp_text_field *f = known_field(p, m, name);
    if (!going(p) || !f) return;
    if (f->kind == TFP_TEXT_MESSAGE)
        read_messages(p, f);
    else
        read_values(p, f);
}

/* ---- the whole ---- */

/* Replaces each gap, from the first on, by the varint of the length stored in it. */
static void close_gaps(parser *p, size_t first)
{
    char *data = p->v.wire->data, *to = data + first;
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
    memmove(to, data + from, p->v.wire->size - from);
    p->v.wire->size = (size_t)(to - data) + (p->v.wire->size - from);
}

tfp_status tfp_text_to_wire(tfp_str text, const tfp_message_schema *schema, tfp_buf *wire, tfp_error *err)
{
    parser p = { .v.wire = wire };
    size_t first = wire->size;
    if (text.size > TFP_TEXT_SIZE_MAX) {
        return tfp_fail(err, TFP_LIMIT, "a text of %zu bytes (the limit is %zu)", text.size, TFP_TEXT_SIZE_MAX);
    }
    tfp_token_start(&p.v.t, text, err);
    if (going(&p)) push(&p, schema, NULL, '\0');
    while (going(&p) && !(p.stack.size == 1 && p.v.t.now.kind == TFP_T_END)) {
        bool at_close = p.v.t.now.kind == '}' || p.v.t.now.kind == '>';
        if (at_close && p.stack.size > 1)
            close_message(&p);
        else
            read_field(&p);
        if (wire->failed || p.v.scratch.failed) no_memory(&p);
    }
    if (going(&p) && p.gaps.size) close_gaps(&p, first);
    if (!going(&p)) wire->size = first;
    tfp_vec_free(&p.stack);
    tfp_vec_free(&p.gaps);
    tfp_buf_free(&p.v.scratch);
    return p.v.t.status;
}

/* ---- recognising text ---- */

/* The first name of a text, after blanks and comments; empty when the text begins otherwise. */
static tfp_str first_name(tfp_str head, int *sign)
{
    tfp_tokens t;
    tfp_token_start(&t, head, NULL);
    tfp_str name = t.now.kind == TFP_T_NAME ? t.now.text : (tfp_str){ "", 0 };
    tfp_token_next(&t);
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
 * name, but not with one of these signs after it; other binary files have a control byte near their start. */
bool tfp_looks_like_text(tfp_str head)
{
    enum { NEAR = 256 };
    int sign;
    /* at least two letters: the length of a binary GraphDef's first node can look like a name of one letter */
    if (first_name(head, &sign).size > 1 && (sign == ':' || sign == '{' || sign == '<' || sign == '[')) return true;
    tfp_str near = { head.data, head.size < NEAR ? head.size : NEAR };
    while (near.size) { /* lengths of long binary fields are bytes that are not UTF-8 */
        uint32_t c;
        size_t n = tfp_utf8(near, &c);
        if (n == 0) return near.size < 4 && head.size > NEAR; /* a character cut at the end of the examined part */
        if (c < ' ' && !(c >= '\t' && c <= '\r')) return false;
        near.data += n;
        near.size -= n;
    }
    return head.size > 0;
}
