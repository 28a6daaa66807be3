// SPDX-License-Identifier: Apache-2.0
/* formats/samples/pprof.c: sampled stacks in pprof's format: https://github.com/google/pprof, proto/profile.proto. In:
 * one message perftools.profiles.Profile. Out: a trace for each stack, with inlined functions as frames of their own,
 * and a sample for each number that is not 0. Its tables may come in any order, so they are found first, and the
 * samples are read afterwards. */
#include "formats/files/format.h"
#include "formats/samples/device_memory.h"
#include "model/files/allocator.h"
#include "model/event_builder.h"
#include "model/tables/code.h"
#include "model/tables/events.h"
#include "model/tables/graph.h"
#include "model/tables/profile.h"
#include "model/tables/samples.h"
#include "wire/proto.h"

/* limit for all samples together: a small file can repeat a location of many lines */
#define FRAMES_MOST ((uint64_t)16 << 20)

typedef struct mapping {
    tfp_strid label; /* such as "[libm.so.6]" */
} mapping;

typedef struct function {
    tfp_strid name, file;
    int32_t line;
} function;

typedef struct location {
    tfp_wire message;
    uint32_t first, count; /* index in frames: the innermost inlined function first; count 0: not read yet */
} location;

typedef struct reader {
    tfp_builder *b;
    tfp_wire file;
    TFP_VEC(tfp_str) texts;
    TFP_VEC(tfp_strid) strings; /* one for each text; TFP_NONE: not interned yet */
    TFP_VEC(uint32_t) types;    /* indexes in the profile's sample types */
    TFP_VEC(mapping) mappings;
    TFP_VEC(function) functions;
    TFP_VEC(location) locations;
    tfp_map64 mapping_by_id, function_by_id, location_by_id;
    TFP_VEC(tfp_code_frame) frames; /* frames of all locations */
    TFP_VEC(tfp_code_frame) stack;
    TFP_VEC(uint64_t) ids; /* locations of the sample, innermost first */
    TFP_VEC(int64_t) values;
    TFP_VEC(tfp_stat) labels;
    bool held; /* its types are those of JAX's profile of device memory */
    size_t first_device;
    uint64_t frame_count; /* frames in all stacks so far */
    size_t samples;
    bool bad_string; /* a string has a number that the table does not contain */
} reader;

/* ---- strings ---- */

static tfp_str text_of(reader *r, uint64_t number)
{
    r->bad_string |= number >= r->texts.size;
    return number < r->texts.size ? r->texts.at[number] : (tfp_str){ "", 0 };
}

static tfp_strid string_of(reader *r, uint64_t number)
{
    tfp_str text = text_of(r, number);
    if (!text.size) return 0;
    if (r->strings.at[number] == TFP_NONE) r->strings.at[number] = tfp_build_string(r->b, text);
    return r->strings.at[number];
}

/* ---- tables ---- */

static void read_mapping(reader *r, tfp_wire *w)
{
    uint64_t id = 0, file = 0;
    for (tfp_field f; tfp_wire_next(w, &f);) {
        if (f.number == 1) id = tfp_field_uint(w, &f);
        if (f.number == 5) file = tfp_field_uint(w, &f);
    }
    tfp_str library = tfp_str_last_part(text_of(r, file));
    mapping m = { 0 };
    tfp_buf label = { 0 };
    tfp_buf_char(&label, '[');
    tfp_buf_str(&label, library);
    tfp_buf_char(&label, ']');
    if (tfp_build_keep(r->b, !label.failed) && library.size)
        m.label = tfp_build_made_string(r->b, (tfp_str){ label.data, label.size });
    tfp_buf_free(&label);
    tfp_build_keep(r->b, tfp_map64_put(&r->mapping_by_id, id, (uint32_t)r->mappings.size) && tfp_push(&r->mappings, m));
}

/* tfprof and TensorFlow's tool write the function `layer` of model.py as "model:layer". */
static tfp_strid without_file(reader *r, tfp_strid name, tfp_str file)
{
    tfp_str text = tfp_text(r->b->p, name);
    file = tfp_str_last_part(file);
    const char *dot = file.size ? memrchr(file.data, '.', file.size) : NULL;
    size_t n = dot ? (size_t)(dot - file.data) : file.size;
    bool prefix = n && text.size > n + 1 && memcmp(text.data, file.data, n) == 0 && text.data[n] == ':';
    if (!prefix || text.data[n + 1] == ':') return name; /* in C++ "file::function" is the function's own name */
    return tfp_build_string(r->b, (tfp_str){ text.data + n + 1, text.size - n - 1 });
}

static int32_t line_of(int64_t line) { return line < 0 ? 0 : line > INT32_MAX ? INT32_MAX : (int32_t)line; }

static void read_function(reader *r, tfp_wire *w)
{
    uint64_t id = 0, name = 0, system_name = 0, file = 0;
    int64_t line = 0;
    for (tfp_field f; tfp_wire_next(w, &f);) {
        switch (f.number) {
        case 1: id = tfp_field_uint(w, &f); break;
        case 2: name = tfp_field_uint(w, &f); break;
        case 3: system_name = tfp_field_uint(w, &f); break;
        case 4: file = tfp_field_uint(w, &f); break;
        case 5: line = tfp_field_int(w, &f); break;
        }
    }
    function x = { string_of(r, name), string_of(r, file), line_of(line) };
    if (!x.name) x.name = string_of(r, system_name);
    if (!r->b->status) x.name = without_file(r, x.name, text_of(r, file));
    tfp_build_keep(r->b,
                   tfp_map64_put(&r->function_by_id, id, (uint32_t)r->functions.size) && tfp_push(&r->functions, x));
}

static void find_location(reader *r, tfp_wire w)
{
    location x = { .message = w };
    uint64_t id = 0;
    for (tfp_field f; tfp_wire_next(&w, &f);)
        if (f.number == 1) id = tfp_field_uint(&w, &f);
    tfp_wire_join(&r->file, &w, "location");
    tfp_build_keep(r->b,
                   tfp_map64_put(&r->location_by_id, id, (uint32_t)r->locations.size) && tfp_push(&r->locations, x));
}

static void read_line(reader *r, tfp_wire *w)
{
    uint64_t id = 0;
    tfp_code_frame frame = { 0 };
    for (tfp_field f; tfp_wire_next(w, &f);) {
        if (f.number == 1) id = tfp_field_uint(w, &f);
        if (f.number == 2) frame.line = line_of(tfp_field_int(w, &f));
    }
    uint32_t at = tfp_map64_get(&r->function_by_id, id);
    if (at == TFP_NONE) {
        tfp_build_warn(r->b, "lines of functions that the file does not have", TFP_STR(""));
        return;
    }
    const function *x = &r->functions.at[at];
    frame.file = x->file;
    frame.function = x->name;
    frame.function_line = x->line;
    tfp_build_keep(r->b, tfp_push(&r->frames, frame));
}

/* Reads a location. One without a function is named after the file that contains its address. */
static void read_location(reader *r, location *x)
{
    uint64_t mapping_id = 0;
    tfp_wire w = x->message;
    x->first = (uint32_t)r->frames.size;
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 2) mapping_id = tfp_field_uint(&w, &f);
        if (f.number != 4) continue;
        tfp_wire line = tfp_field_message(&w, &f);
        read_line(r, &line);
        tfp_wire_join(&w, &line, "line");
    }
    tfp_wire_join(&r->file, &w, "location");
    if (r->frames.size == x->first) {
        uint32_t at = tfp_map64_get(&r->mapping_by_id, mapping_id);
        tfp_strid label = at == TFP_NONE ? 0 : r->mappings.at[at].label;
        if (!label) label = tfp_build_string(r->b, TFP_STR("[unknown]"));
        tfp_build_keep(r->b, tfp_push(&r->frames, ((tfp_code_frame){ .function = label })));
    }
    tfp_build_keep(r->b, r->frames.size < TFP_NONE);
    x->count = (uint32_t)(r->frames.size - x->first);
}

/* ---- samples ---- */

static void read_label(reader *r, tfp_wire *w)
{
    tfp_stat label = { .type = TFP_STAT_INT };
    uint64_t key = 0, text = 0;
    for (tfp_field f; tfp_wire_next(w, &f);) {
        switch (f.number) {
        case 1: key = tfp_field_uint(w, &f); break;
        case 2: text = tfp_field_uint(w, &f); break;
        case 3: label.value.number = tfp_field_int(w, &f); break;
        }
    }
    label.key = string_of(r, key);
    if (text) {
        label.type = TFP_STAT_TEXT;
        label.value.text = string_of(r, text);
    }
    tfp_build_keep(r->b, tfp_push(&r->labels, label));
}

static void read_sample(reader *r, tfp_wire *w)
{
    uint64_t n;
    r->ids.size = r->values.size = r->labels.size = 0;
    for (tfp_field f; tfp_wire_next(w, &f) && !r->b->status;) {
        if (f.number == 1) {
            for (tfp_packed p = tfp_packed_start(w, &f, TFP_VARINT); tfp_packed_next(w, &p, &n);)
                if (!tfp_build_keep(r->b, tfp_push(&r->ids, n))) return;
        } else if (f.number == 2) {
            for (tfp_packed p = tfp_packed_start(w, &f, TFP_VARINT); tfp_packed_next(w, &p, &n);)
                if (!tfp_build_keep(r->b, tfp_push(&r->values, (int64_t)n))) return;
        } else if (f.number == 3) {
            tfp_wire label = tfp_field_message(w, &f);
            read_label(r, &label);
            tfp_wire_join(w, &label, "label");
        }
    }
}

/* Collects the frames of the sample's locations, outermost first. */
static void make_stack(reader *r)
{
    r->stack.size = 0;
    for (size_t i = r->ids.size; i-- && !r->b->status;) {
        uint32_t at = tfp_map64_get(&r->location_by_id, r->ids.at[i]);
        if (at == TFP_NONE) {
            tfp_build_warn(r->b, "locations of samples that the file does not have", TFP_STR(""));
            continue;
        }
        location *x = &r->locations.at[at];
        if (!x->count) read_location(r, x);
        r->frame_count += x->count;
        if (r->frame_count > FRAMES_MOST) return;
        for (uint32_t k = x->count; k-- && !r->b->status;)
            tfp_build_keep(r->b, tfp_push(&r->stack, r->frames.at[x->first + k]));
    }
}

static void add_sample(reader *r)
{
    tfp_stack_sample s = { .labels = TFP_NONE };
    make_stack(r);
    if (r->b->status || r->frame_count > FRAMES_MOST) return;
    s.trace = tfp_build_trace(r->b, r->stack.at, r->stack.size);
    if (r->labels.size) s.labels = tfp_build_stats(r->b, r->labels.at, r->labels.size);
    for (size_t i = 0; i < r->values.size; i++) {
        s.type = r->types.at[i];
        s.value = r->values.at[i];
        if (s.value < 0) {
            tfp_build_warn(r->b, "values below 0, taken as 0",
                           tfp_text(r->b->p, r->b->p->sampled->sample_types.at[s.type].type));
        } else if (s.value) {
            tfp_build_sample(r->b, &s);
        }
    }
    if (r->held && r->labels.size && r->values.at[1] > 0) {
        tfp_pprof_held held = {
            s.trace, r->labels.at, r->labels.size, r->values.at[0], r->values.at[1], r->first_device
        };
        tfp_pprof_blocks(r->b, &held);
    }
}

static tfp_status read_samples(reader *r, tfp_str bytes, tfp_error *err)
{
    tfp_wire w = tfp_wire_start(bytes);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number != 2) continue;
        tfp_wire sample = tfp_field_message(&w, &f);
        uint64_t at = sample.base;
        read_sample(r, &sample);
        tfp_wire_join(&w, &sample, "sample");
        if (w.fault) break;
        if (r->values.size != r->types.size && !r->b->status)
            return tfp_fail(err, TFP_BADFILE, "byte %llu: a sample of %zu values where the file has %zu types",
                            (unsigned long long)at, r->values.size, r->types.size);
        add_sample(r);
        r->samples++;
        if (r->frame_count > FRAMES_MOST)
            return tfp_fail(err, TFP_LIMIT, "stacks of more than %llu frames in all", (unsigned long long)FRAMES_MOST);
        if (r->b->status) return tfp_builder_status(r->b, err);
    }
    tfp_wire_join(&w, &r->file, "location");
    return tfp_wire_end(&w, err);
}

/* ---- the file ---- */

static void read_type(reader *r, tfp_wire *w)
{
    uint64_t type = 0, unit = 0;
    for (tfp_field f; tfp_wire_next(w, &f);) {
        if (f.number == 1) type = tfp_field_uint(w, &f);
        if (f.number == 2) unit = tfp_field_uint(w, &f);
    }
    tfp_strid type_id = string_of(r, type), unit_id = string_of(r, unit);
    if (!r->b->status) tfp_build_keep(r->b, tfp_push(&r->types, tfp_build_sample_type(r->b, type_id, unit_id)));
}

static void keep_fact(reader *r, const char *key, int64_t number)
{
    tfp_stat fact = { .type = TFP_STAT_INT, .value.number = number };
    fact.key = tfp_build_string(r->b, tfp_str_of(key));
    if (number) tfp_build_about(r->b, &fact);
}

static bool is_type(const reader *r, size_t i, const char *type, const char *unit)
{
    const tfp_sample_type *t = &r->b->p->sampled->sample_types.at[r->types.at[i]];
    return tfp_str_eq(tfp_text(r->b->p, t->type), tfp_str_of(type)) &&
           tfp_str_eq(tfp_text(r->b->p, t->unit), tfp_str_of(unit));
}

static void choose_type(reader *r, uint64_t number)
{
    tfp_strid name = string_of(r, number);
    uint32_t chosen = r->types.size ? r->types.at[r->types.size - 1] : 0;
    for (size_t i = 0; name && i < r->types.size; i++)
        if (r->b->p->sampled->sample_types.at[r->types.at[i]].type == name) chosen = r->types.at[i];
    r->b->p->about.sample_type = chosen;
    r->held = r->types.size == 2 && is_type(r, 0, "allocations", "count") && is_type(r, 1, "space", "bytes");
}

/* Finds the strings first, because all other tables refer to them. */
static void find_strings(reader *r, tfp_str bytes)
{
    r->file = tfp_wire_start(bytes);
    for (tfp_field f; tfp_wire_next(&r->file, &f);)
        if (f.number == 6)
            tfp_build_keep(r->b, tfp_push(&r->texts, tfp_field_bytes(&r->file, &f)) && tfp_push(&r->strings, TFP_NONE));
}

static void read_tables(reader *r, tfp_str bytes)
{
    uint64_t shown = 0;
    r->file = tfp_wire_start(bytes);
    for (tfp_field f; tfp_wire_next(&r->file, &f) && !r->b->status;) {
        bool table = f.number == 1 || (f.number >= 3 && f.number <= 5);
        tfp_wire w = table ? tfp_field_message(&r->file, &f) : tfp_wire_start((tfp_str){ "", 0 });
        switch (f.number) {
        case 1: read_type(r, &w); break;
        case 3: read_mapping(r, &w); break;
        case 4: find_location(r, w); break;
        case 5: read_function(r, &w); break;
        case 9: keep_fact(r, "time_nanos", tfp_field_int(&r->file, &f)); break;
        case 10: keep_fact(r, "duration_nanos", tfp_field_int(&r->file, &f)); break;
        case 12: keep_fact(r, "period", tfp_field_int(&r->file, &f)); break;
        case 14: shown = tfp_field_uint(&r->file, &f); break;
        }
        tfp_wire_join(&r->file, &w, "table");
    }
    if (!r->b->status) choose_type(r, shown);
}

static tfp_status read_all(reader *r, tfp_str bytes, tfp_error *err)
{
    find_strings(r, bytes);
    tfp_status s = tfp_wire_end(&r->file, err);
    if (!s) s = tfp_builder_status(r->b, err);
    if (!s && (!r->texts.size || r->texts.at[0].size))
        return tfp_fail(err, TFP_BADFILE, "no pprof profile: its strings do not begin with the empty one");
    if (!s) read_tables(r, bytes);
    if (!s) s = tfp_wire_end(&r->file, err);
    if (!s) s = tfp_builder_status(r->b, err);
    if (!s && !r->types.size) return tfp_fail(err, TFP_BADFILE, "a pprof profile without sample types");
    if (!s) s = read_samples(r, bytes, err);
    if (!s && r->bad_string) s = tfp_fail(err, TFP_BADFILE, "a string's number is past the end of the table");
    return s;
}

static tfp_status read_pprof(tfp_builder *b, tfp_input *in, tfp_error *err)
{
    reader r = { .b = b, .first_device = b->p->allocator->devices.size };
    tfp_str bytes;
    if (b->p->graph->nodes.size || b->p->events->spans.size)
        return tfp_fail(err, TFP_BADARG, "sampled stacks stand alone, or with others of their kind");
    tfp_status s = tfp_input_all(in, &bytes, err);
    if (!s) s = read_all(&r, bytes, err);
    if (!s && !r.samples) tfp_build_warn(b, "no samples in the profile", TFP_STR(""));
    if (!s) tfp_build_has(b, TFP_HAS_CODE);
    tfp_vec_free(&r.texts);
    tfp_vec_free(&r.strings);
    tfp_vec_free(&r.types);
    tfp_vec_free(&r.mappings);
    tfp_vec_free(&r.functions);
    tfp_vec_free(&r.locations);
    tfp_map64_free(&r.mapping_by_id);
    tfp_map64_free(&r.function_by_id);
    tfp_map64_free(&r.location_by_id);
    tfp_vec_free(&r.frames);
    tfp_vec_free(&r.stack);
    tfp_vec_free(&r.ids);
    tfp_vec_free(&r.values);
    tfp_vec_free(&r.labels);
    return s;
}

/* ---- probe ---- */

/* Compares the wire types of a nested message's fields; a field that is not in the list means that it is another
 * message. */
static bool looks_like(tfp_str bytes, uint32_t varints, uint32_t messages)
{
    tfp_wire w = tfp_wire_start(bytes);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        uint32_t list = f.type == TFP_VARINT ? varints : f.type == TFP_BYTES ? messages : 0;
        if (f.number > 15 || !(list >> f.number & 1)) return false;
    }
    return !w.fault;
}

#define BIT(n) (1u << (n))

static int probe(tfp_str head, uint64_t total)
{
    tfp_wire w = tfp_wire_start(head);
    int types = 0, fields = 0;
    for (tfp_field f; fields < 200 && tfp_wire_next(&w, &f); fields++) {
        bool ok = true;
        switch (f.number) {
        case 1: ok = f.type == TFP_BYTES && looks_like(f.bytes, BIT(1) | BIT(2), 0), types++; break;
        case 2: ok = f.type == TFP_BYTES && looks_like(f.bytes, BIT(1) | BIT(2), BIT(1) | BIT(2) | BIT(3)); break;
        case 3: ok = f.type == TFP_BYTES && looks_like(f.bytes, BIT(11) - 2, 0); break;
        case 4: ok = f.type == TFP_BYTES && looks_like(f.bytes, BIT(1) | BIT(2) | BIT(3) | BIT(5), BIT(4)); break;
        case 5: ok = f.type == TFP_BYTES && looks_like(f.bytes, BIT(6) - 2, 0); break;
        case 6: ok = f.type == TFP_BYTES; break;
        case 11: ok = f.type == TFP_BYTES && looks_like(f.bytes, BIT(1) | BIT(2), 0); break;
        case 13: ok = f.type == TFP_VARINT || f.type == TFP_BYTES; break;
        default: ok = f.number <= 15 && f.type == TFP_VARINT;
        }
        if (!ok) return 0;
    }
    if (w.fault && head.size == total && fields < 200)
        return types && fields > 4 ? 60 : 0;  /* a truncated file is recognized, and refused later */
    bool more = w.fault && head.size < total; /* the second field may be longer than the head, as one deep stack is */
    return types && (fields > 1 || more) ? 97 : 0;
}

const tfp_format tfp_format_pprof = {
    .name = "pprof",
    .help = "pprof profile (profile.pb.gz) of any program: sampled stacks with their numbers",
    .probe = probe,
    .read = read_pprof,
};
