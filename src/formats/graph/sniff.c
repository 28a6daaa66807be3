// SPDX-License-Identifier: Apache-2.0
/* formats/graph/sniff.c: recognizes which of TensorFlow's messages a file holds, and has the entry point that their
 * readers share. Protobuf files have no signature, and most of these messages begin with field 1 and a nested message.
 * So the head of the file is compared with each message's table (schema.c): fields that the table has count for the
 * message, others against it. */
#include "formats/graph/sniff.h"
#include "formats/graph/schema.h"
#include "model/builder.h"
#include "wire/proto.h"

#define HEAD ((size_t)64 << 10)
#define DEPTH 12    /* most levels of nested messages */
#define FIELDS 1500 /* most fields that are compared: enough to decide, and cheap for every kind */
#define SURE 60     /* a score from which the kind is certain */

typedef struct kind_row {
    const char *name; /* with its article, for error messages */
    const tfp_message_schema *schema;
} kind_row;

static const kind_row kind_rows[TFP_KIND_COUNT] = {
    [TFP_KIND_PROFILE] = { "a ProfileProto", &tfp_schema_profile },
    [TFP_KIND_GRAPH] = { "a GraphDef", &tfp_schema_graph_def },
    [TFP_KIND_META_GRAPH] = { "a MetaGraphDef", &tfp_schema_meta_graph },
    [TFP_KIND_SAVED_MODEL] = { "a SavedModel", &tfp_schema_saved_model },
    [TFP_KIND_RUN_META] = { "a RunMetadata", &tfp_schema_run_metadata },
    [TFP_KIND_OP_LOG] = { "an OpLogProto", &tfp_schema_op_log },
};

/* Fields that every real message of a type has, although they are optional in protobuf. They distinguish a graph's node
 * from an op log's entry, which both begin with a name. */
static const struct {
    const char *message;
    uint32_t number;
} usual_fields[] = {
    { "tensorflow.NodeDef", 2 },
    { "tensorflow.NodeExecStats", 2 },
    { "tensorflow.MetaGraphDef", 2 },
    { "tensorflow.SavedModel", 2 },
};

typedef struct evidence {
    unsigned good, bad;
} evidence;

typedef struct level {
    tfp_wire w;
    const tfp_message_schema *schema;
    uint64_t seen; /* fields met, by number below 64 */
    bool cut;      /* the message continues after the head */
} level;

static const tfp_text_field *field_of(const tfp_message_schema *schema, uint32_t number)
{
    for (size_t i = 0; i < schema->field_count; i++)
        if (schema->fields[i].number == number) return &schema->fields[i];
    return NULL;
}

static bool right_type(const tfp_text_field *row, uint32_t type)
{
    switch (row->kind) {
    case TFP_TEXT_STRING:
    case TFP_TEXT_BYTES:
    case TFP_TEXT_MESSAGE: return type == TFP_BYTES;
    default: break;
    }
    if (type == TFP_BYTES) return row->flags & TFP_TEXT_MANY; /* repeated numbers may be packed */
    bool wide = row->kind == TFP_TEXT_DOUBLE || row->kind == TFP_TEXT_FIXED64;
    return type == (uint32_t)(wide ? TFP_FIXED64 : row->kind == TFP_TEXT_FLOAT ? TFP_FIXED32 : TFP_VARINT);
}

static bool is_wordy(tfp_str s)
{
    for (size_t i = 0; i < s.size && i < 64; i++)
        if ((unsigned char)s.data[i] < ' ' && s.data[i] != '\t' && s.data[i] != '\n') return false;
    return true;
}

/* Shortens a length-delimited field that goes past the end of the head. Returns whether there was one. */
static bool next_cut(level *l, tfp_field *f)
{
    tfp_wire w = tfp_wire_start((tfp_str){ (const char *)l->w.at, (size_t)(l->w.end - l->w.at) });
    const uint8_t *at = w.at;
    uint64_t tag, size;
    if (!tfp_wire_varint(&w, &at, &tag) || (tag & 7) != TFP_BYTES || tag < 8 || tag > UINT32_MAX) return false;
    if (!tfp_wire_varint(&w, &at, &size) || size <= (uint64_t)(w.end - at)) return false;
    *f = (tfp_field){ (uint32_t)(tag >> 3), TFP_BYTES, 0, { (const char *)at, (size_t)(w.end - at) } };
    l->w.at = l->w.end;
    return true;
}

static unsigned missing_usual(const level *l)
{
    unsigned count = 0;
    for (size_t i = 0; i < sizeof usual_fields / sizeof *usual_fields; i++)
        if (tfp_str_eq(tfp_str_of(usual_fields[i].message), l->schema->name))
            count += !(l->seen >> usual_fields[i].number & 1);
    return count;
}

/* Scores one field. If it is a nested message to look into, it is put into *deeper and the result is true. */
static bool judge(evidence *e, level *l, const tfp_field *f, bool cut, level *deeper)
{
    const tfp_text_field *row = field_of(l->schema, f->number);
    if (f->number < 64) l->seen |= UINT64_C(1) << f->number;
    if (!row || !right_type(row, f->type) || (row->kind == TFP_TEXT_STRING && !is_wordy(f->bytes))) {
        e->bad++;
        return false;
    }
    e->good++;
    if (row->kind != TFP_TEXT_MESSAGE) return false;
    *deeper = (level){ .w = tfp_wire_start(f->bytes), .schema = row->message, .cut = cut };
    return true;
}

/* Walks without recursion; of messages deeper than DEPTH only the outer field counts. */
static evidence weigh(tfp_str head, uint64_t total, const tfp_message_schema *schema)
{
    level levels[DEPTH];
    size_t depth = 1;
    evidence e = { 0, 0 };
    levels[0] = (level){ .w = tfp_wire_start(head), .schema = schema, .cut = head.size < total };
    while (depth && e.good + e.bad < FIELDS) {
        level *l = &levels[depth - 1], deeper;
        const uint8_t *before = l->w.at;
        tfp_field f = { 0 };
        bool cut = false, more = tfp_wire_next(&l->w, &f);
        if (!more && l->w.fault) { /* a truncated file is recognized too, and refused later */
            l->w.at = before;
            more = cut = (l->cut || depth == 1) && next_cut(l, &f);
            if (!more && !l->cut) e.bad += 2;
        }
        if (!more) {
            if (!l->cut) e.bad += missing_usual(l);
            depth--;
        } else if (judge(&e, l, &f, cut, &deeper) && depth < DEPTH) {
            levels[depth++] = deeper;
        }
    }
    return e;
}

static int score_binary(tfp_str head, uint64_t total, tfp_kind kind)
{
    evidence e = weigh(head, total, kind_rows[kind].schema);
    unsigned all = e.good + 4 * e.bad;
    if (!e.good || e.good * 5 < all * 3) return 0;
    unsigned most = e.good >= 9 ? 95 : 50 + 5 * e.good; /* a handful of fields proves little */
    return (int)(most * e.good / all);
}

static int score_one(tfp_str head, uint64_t total, bool text, tfp_kind kind)
{
    if (text) return tfp_text_begins_as(head, kind_rows[kind].schema) ? 90 : 0;
    return score_binary(head, total, kind);
}

/* The best of a set, and its score. */
static tfp_kind best_kind(tfp_str head, uint64_t total, unsigned kinds, int *score)
{
    bool text = tfp_looks_like_text(head);
    tfp_kind best = TFP_KIND_COUNT;
    *score = -1;
    if (head.size > HEAD) head.size = HEAD;
    for (unsigned k = 0; k < TFP_KIND_COUNT; k++) {
        int s = kinds >> k & 1 ? score_one(head, total, text, (tfp_kind)k) : -1;
        if (s > *score) *score = s, best = (tfp_kind)k;
    }
    return best;
}

int tfp_sniff_score(tfp_str head, uint64_t total, unsigned kinds)
{
    int score;
    if (!head.size) return 0;
    best_kind(head, total, kinds, &score);
    return score;
}

static tfp_status read_text(tfp_builder *b, tfp_input *in, tfp_kind kind, tfp_message_reader read, tfp_error *err)
{
    tfp_str text;
    tfp_buf wire = { 0 };
    tfp_input bytes = { .fd = -1 };
    tfp_status s = tfp_input_all(in, &text, err);
    if (!s) s = tfp_text_to_wire(text, kind_rows[kind].schema, &wire, err);
    if (!s && !wire.size) s = tfp_fail(err, TFP_BADFILE, "nothing but blanks and comments");
    if (!s) s = tfp_input_memory(&bytes, in->name, wire.data, wire.size, err);
    if (!s) s = read(b, &bytes, kind, err);
    tfp_input_close(&bytes);
    tfp_buf_free(&wire);
    return s;
}

tfp_status tfp_message_judge(tfp_input *in, unsigned kinds, tfp_message *m, tfp_error *err)
{
    tfp_str head;
    int own_score, other_score;
    tfp_status s = tfp_input_peek(in, HEAD, &head, err);
    if (s) return s;
    m->kind = best_kind(head, in->total, kinds, &own_score);
    tfp_kind other = best_kind(head, in->total, ~kinds, &other_score);
    if (other_score >= SURE && other_score > own_score + 30)
        return tfp_fail(err, TFP_BADFILE, "looks like %s, not %s", kind_rows[other].name, kind_rows[m->kind].name);
    if (head.size > HEAD) head.size = HEAD;
    m->known = weigh(head, in->total, kind_rows[m->kind].schema).good > 0;
    m->doubtful = other_score > own_score;
    return TFP_OK;
}

tfp_status tfp_message_end(tfp_builder *b, const tfp_message *m, tfp_status s, tfp_error *err)
{
    if (!s && !m->known) s = tfp_fail(err, TFP_BADFILE, "not %s: it has none of its fields", kind_rows[m->kind].name);
    if (!s && m->doubtful)
        tfp_build_warn(b, "perhaps a file of another kind: many of its fields are not known", TFP_STR(""));
    return s;
}

tfp_status tfp_read_message(tfp_builder *b, tfp_input *in, unsigned kinds, tfp_message_reader read, tfp_error *err)
{
    tfp_str head;
    int score;
    tfp_message m;
    tfp_status s = tfp_input_peek(in, HEAD, &head, err);
    if (s) return s;
    if (!head.size) return tfp_fail(err, TFP_BADFILE, "empty file");
    if (tfp_looks_like_text(head)) return read_text(b, in, best_kind(head, in->total, kinds, &score), read, err);
    s = tfp_message_judge(in, kinds, &m, err);
    return s ? s : tfp_message_end(b, &m, read(b, in, m.kind, err), err);
}
