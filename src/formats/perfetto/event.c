// SPDX-License-Identifier: Apache-2.0
/* formats/perfetto/event.c: reads TrackEvents, and the annotations that are their args. */
#include "formats/perfetto/perfetto.h"

#include "wire/jsonscan.h"

#define DEPTH 16 /* levels of nested arrays and dicts in a value; deeper ones are written as null */

/* ---- values ---- */

typedef struct level {
    tfp_wire at;
    bool dict, first;
} level;

/* Writes JSON that the program stored as text; null when it is no JSON. */
static void put_legacy(tfp_buf *out, tfp_str text)
{
    tfp_jscan j = tfp_jscan_start(text);
    tfp_jscan_value v;
    tfp_jscan_value_of(&j, &v);
    bool whole = !j.fault && j.at == j.end && tfp_utf8_valid(text);
    tfp_buf_str(out, whole ? text : TFP_STR("null"));
}

static void put_double(tfp_buf *out, double d)
{
    tfp_json j = tfp_json_start(out);
    tfp_json_double(&j, d);
}

/* Writes a value without parts; false: it has parts, or there is none. */
static bool put_plain(tfp_pf_reader *r, uint32_t sequence, tfp_str annotation, tfp_buf *out)
{
    tfp_wire w = tfp_wire_start(annotation);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        bool number = f.type == TFP_VARINT, text = f.type == TFP_BYTES;
        if (f.number == 2 && number) return tfp_buf_text(out, f.value ? "true" : "false"), true;
        if ((f.number == 3 || f.number == 7) && number)
            return tfp_buf_int(out, f.value > INT64_MAX ? INT64_MAX : (int64_t)f.value), true;
        if (f.number == 4 && number) return tfp_buf_int(out, (int64_t)f.value), true;
        if (f.number == 5 && f.type == TFP_FIXED64) return put_double(out, tfp_field_double(&w, &f)), true;
        if (f.number == 6 && text) return tfp_pf_put_string(out, f.bytes), true;
        if (f.number == 9 && text) return put_legacy(out, f.bytes), true;
        if (f.number == 17 && number) {
            tfp_strid string = tfp_pf_interned(r, sequence, TFP_PF_STRINGS, f.value);
            return tfp_pf_put_string(out, tfp_strtab_get(&r->strings, string)), true;
        }
    }
    return false;
}

/* The name of an annotation: its own text, or an interned one. */
static tfp_str name_of(const tfp_pf_reader *r, uint32_t sequence, tfp_str annotation)
{
    tfp_str name = { "", 0 };
    tfp_wire w = tfp_wire_start(annotation);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 1 && f.type == TFP_VARINT)
            name = tfp_strtab_get(&r->strings, tfp_pf_interned(r, sequence, TFP_PF_KEYS, f.value));
        if (f.number == 10 && f.type == TFP_BYTES) name = f.bytes;
    }
    return name;
}

/* Whether the annotation is an array or a dict; also says which. */
static bool has_parts(tfp_str annotation, bool *dict)
{
    tfp_wire w = tfp_wire_start(annotation);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        *dict = f.number == 11;
        if ((f.number == 11 || f.number == 12) && f.type == TFP_BYTES) return true;
    }
    return false;
}

/* Takes the next part of an array or dict. */
static bool next_part(level *l, tfp_str *part)
{
    for (tfp_field f; tfp_wire_next(&l->at, &f);) {
        if (f.number != (l->dict ? 11u : 12u) || f.type != TFP_BYTES) continue;
        *part = f.bytes;
        return true;
    }
    return false;
}

/* Writes a value of a debug annotation as JSON. */
static void put_value(tfp_pf_reader *r, uint32_t sequence, tfp_str annotation, tfp_buf *out)
{
    level stack[DEPTH];
    size_t depth = 0;
    for (tfp_str value = annotation;;) {
        bool dict = false;
        if (!put_plain(r, sequence, value, out)) {
            if (depth < DEPTH && has_parts(value, &dict)) {
                stack[depth++] = (level){ tfp_wire_start(value), dict, true };
                tfp_buf_char(out, dict ? '{' : '[');
            } else {
                tfp_buf_text(out, "null");
            }
        }
        while (depth && !next_part(&stack[depth - 1], &value)) tfp_buf_char(out, stack[--depth].dict ? '}' : ']');
        if (!depth) return;
        level *l = &stack[depth - 1];
        if (!l->first) tfp_buf_char(out, ',');
        l->first = false;
        if (!l->dict) continue;
        tfp_pf_put_string(out, name_of(r, sequence, value));
        tfp_buf_char(out, ':');
    }
}

/* ---- events ---- */

/* The annotation's number; 0: it has none. */
static uint64_t number_of(tfp_str annotation)
{
    uint64_t number = 0;
    tfp_wire w = tfp_wire_start(annotation);
    for (tfp_field f; tfp_wire_next(&w, &f);)
        if ((f.number == 3 || f.number == 4) && f.type == TFP_VARINT) number = f.value;
    return number;
}

/* Adds an arg. rocprofv3 calls the correlation corr_id. PyTorch's synchronisations have no category. */
static void add_arg(tfp_pf_reader *r, uint32_t sequence, tfp_str annotation, tfp_pf_event *e)
{
    tfp_str name = name_of(r, sequence, annotation);
    if (tfp_str_eq(name, TFP_STR("corr_id"))) name = TFP_STR("correlation");
    r->torch |= tfp_str_eq(name, TFP_STR("Record function id"));
    if (tfp_str_eq(name, TFP_STR("cuda_sync_kind")) && !e->category) e->category = tfp_pf_text(r, TFP_STR("cuda_sync"));
    if (tfp_str_eq(name, TFP_STR("correlation"))) {
        e->has_correlation = true;
        e->correlation = number_of(annotation);
    }
    if (!tfp_pf_fits(r, 2 * (uint64_t)annotation.size)) return;
    if (r->args.size > e->args) tfp_buf_char(&r->args, ',');
    tfp_pf_put_string(&r->args, name);
    tfp_buf_char(&r->args, ':');
    put_value(r, sequence, annotation, &r->args);
}

/* Whether the field is a flow: a fixed number, or a varint in older files. */
static bool is_flow(const tfp_field *f)
{
    bool now = (f->number == 47 || f->number == 48) && f->type == TFP_FIXED64;
    return now || ((f->number == 36 || f->number == 42) && f->type == TFP_VARINT);
}

void tfp_pf_read_event(tfp_pf_reader *r, uint32_t sequence, tfp_str event, int64_t at_ns)
{
    tfp_pf_event e = { .at_ns = at_ns, .args = r->args.size };
    uint64_t track = r->sequences.at[sequence].track;
    tfp_wire w = tfp_wire_start(event);
    for (tfp_field f; tfp_wire_next(&w, &f) && !r->too_big && !r->no_memory;) {
        bool number = f.type == TFP_VARINT, text = f.type == TFP_BYTES;
        if (f.number == 3 && number && !e.category)
            e.category = tfp_pf_interned(r, sequence, TFP_PF_CATEGORIES, f.value);
        if (f.number == 4 && text) add_arg(r, sequence, f.bytes, &e);
        if (f.number == 9 && number) e.type = f.value < TFP_PF_WHOLE ? (uint8_t)f.value : 0;
        if (f.number == 10 && number) e.name = tfp_pf_interned(r, sequence, TFP_PF_NAMES, f.value);
        if (f.number == 11 && number) track = f.value;
        if (f.number == 22 && text && !e.category) e.category = tfp_pf_text(r, f.bytes);
        if (f.number == 23 && text) e.name = tfp_pf_text(r, f.bytes);
        if (f.number == 30 && number) e.value = (double)(int64_t)f.value;
        if (f.number == 44 && f.type == TFP_FIXED64) e.value = tfp_field_double(&w, &f);
        if (f.number == 3000 && text) tfp_pf_read_submission(r, f.bytes);
        if (is_flow(&f) && !e.flow) e.flow = f.value;
    }
    if (w.fault || !e.type) {
        r->unreadable++;
        return;
    }
    e.track = tfp_pf_track_of(r, track);
    if (e.track == TFP_NONE) return;
    tfp_pf_track *t = &r->tracks.at[e.track];
    if (e.type == TFP_PF_COUNTER) {
        t->is_counter = true;
        t->total = t->adds ? t->total + e.value : e.value;
        e.value = t->total * (double)t->factor;
    }
    tfp_pf_add_event(r, &e);
}
