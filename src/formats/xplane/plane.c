// SPDX-License-Identifier: Apache-2.0
/* formats/xplane/plane.c: the first pass over a plane of tsl/profiler/protobuf/xplane.proto: names, metadata, stats of
 * the plane, and offsets of its lines. */
#include "formats/xplane/parts.h"
#include "model/event_builder.h"
#include "model/graphs.h"
#include "model/tables/events.h"
#include "model/tables/profile.h"

#include <libdeflate.h>

/* clang-format off */
static const struct {
    const char *name;
    uint8_t known;
} known_stats[] = {
    { "tf_op", XS_TF_OP }, { "hlo_op", XS_HLO_OP }, { "hlo_module", XS_HLO_MODULE }, { "program_id", XS_PROGRAM_ID },
    { "device_ordinal", XS_DEVICE_ORDINAL }, { "run_id", XS_RUN_ID }, { "step_num", XS_STEP_NUM }, { "_r", XS_ROOT },
    { "correlation_id", XS_CORRELATION_ID }, { "Hlo Proto", XS_HLO_PROTO }, { "source", XS_SOURCE },
    { "source_stack", XS_SOURCE_STACK }, { "flops", XS_FLOPS }, { "bytes_accessed", XS_BYTES_ACCESSED },
    { "kernel_details", XS_KERNEL_DETAILS }, { "memcpy_details", XS_COPY_DETAILS },
    { "memset_details", XS_SET_DETAILS }, { "Memset_details", XS_SET_DETAILS }, { "name", XS_NAME },
    { "allocation_bytes", XS_ALLOCATION_BYTES }, { "bytes_allocated", XS_BYTES_ALLOCATED },
    { "bytes_reserved", XS_BYTES_RESERVED }, { "allocator_name", XS_ALLOCATOR }, { "addr", XS_ADDRESS },
    { "profile_start_time", XS_PROFILE_START }, { "process_id", XS_PROCESS_ID },
    { "device_type_string", XS_DEVICE_TYPE }, { "device_vendor", XS_DEVICE_VENDOR },
    { "peak_teraflops_per_second", XS_PEAK_TERAFLOPS },
    { "peak_hbm_bw_gigabytes_per_second", XS_PEAK_BANDWIDTH }, { "clock_rate", XS_CLOCK_RATE },
    { "core_count", XS_CORE_COUNT }, { "memory_bandwidth", XS_MEMORY_BANDWIDTH }, { "memory_size", XS_MEMORY_SIZE },
    { "_src", XS_NOISE }, { "_pt", XS_NOISE }, { "_p", XS_NOISE }, { "_ct", XS_NOISE }, { "_c", XS_NOISE },
    { "_a", XS_NOISE }, { "flow", XS_NOISE }, { "device_offset_ps", XS_NOISE }, { "device_duration_ps", XS_NOISE },
    { "id", XS_NOISE }, { "iter_num", XS_NOISE }, { "element_id", XS_NOISE }, { "parent_id", XS_NOISE },
    { "all_reduce_unique_id", XS_NOISE }, { "bytes_available", XS_NOISE }, { "requested_bytes", XS_NOISE },
    { "peak_bytes_in_use", XS_NOISE }, { "fragmentation", XS_NOISE },
};
/* clang-format on */

static tfp_xstat_id known_stat(tfp_str name)
{
    for (size_t i = 0; i < sizeof known_stats / sizeof *known_stats; i++)
        if (tfp_str_eq(name, tfp_str_of(known_stats[i].name))) return (tfp_xstat_id)known_stats[i].known;
    return XS_OTHER;
}

/* ---- values ---- */

#define TEXT_MOST ((size_t)1 << 20) /* most bytes that a compressed text may unpack to */

/* Unpacks a gzip text; empty if that fails. Texts of one event are stored one after another. */
static tfp_str unpack(tfp_xreader *r, tfp_str packed)
{
    static const tfp_str none = { "", 0 };
    size_t got = 0, room = TEXT_MOST;
    struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
    if (!tfp_build_keep(r->b, d && tfp_grow((void **)&r->event.unpacked.data, &r->event.unpacked.capacity, room, 1))) {
        libdeflate_free_decompressor(d);
        return none;
    }
    enum libdeflate_result result =
        libdeflate_gzip_decompress(d, packed.data, packed.size, r->event.unpacked.data, room, &got);
    libdeflate_free_decompressor(d);
    if (result != LIBDEFLATE_SUCCESS) {
        tfp_xplane_tell(r, "warning", "compressed texts that cannot be unpacked", TFP_STR(""));
        return none;
    }
    tfp_strid id = tfp_build_string(r->b, (tfp_str){ r->event.unpacked.data, got });
    return tfp_text(r->p, id);
}

/* Reads a varint of at most 9 bytes with no bits left over. */
static bool short_varint(const uint8_t **at, const uint8_t *end, uint64_t *out)
{
    uint64_t value = 0;
    for (unsigned shift = 0; *at < end && shift < 63; shift += 7) {
        uint64_t byte = *(*at)++;
        value |= (byte & 127) << shift;
        if (byte < 128) return *out = value, true;
    }
    return false;
}

/* Whether a stat has the usual form: the id, then a number or a reference, nothing else. *number: the value's field. */
static bool is_short(const tfp_field *f, uint64_t *id, unsigned *number, uint64_t *value)
{
    if (f->type != TFP_BYTES || f->bytes.size < 4) return false;
    const uint8_t *at = (const uint8_t *)f->bytes.data, *end = at + f->bytes.size;
    if (*at++ != (1 << 3 | TFP_VARINT) || !short_varint(&at, end, id) || at == end) return false;
    unsigned tag = *at++;
    *number = tag >> 3;
    return (tag == (3 << 3 | TFP_VARINT) || tag == (4 << 3 | TFP_VARINT) || tag == (7 << 3 | TFP_VARINT)) &&
           short_varint(&at, end, value) && at == end;
}

static void refer(const tfp_xplane *p, tfp_xvalue *v, uint64_t id)
{
    uint32_t at = tfp_xids_get(&p->stat_by_id, id);
    v->type = TFP_STAT_TEXT;
    v->ref = at == TFP_NONE ? 0 : p->stat_names.at[at].name;
    v->text = (tfp_str){ "", 0 };
}

static bool name_value(const tfp_xplane *p, uint64_t id, tfp_xvalue *v)
{
    uint32_t at = tfp_xids_get(&p->stat_by_id, id);
    if (at == TFP_NONE) return false;
    v->key = p->stat_names.at[at].name;
    v->known = (uint8_t)p->stat_names.at[at].known;
    return true;
}

/* XStat */
bool tfp_xplane_value(tfp_xreader *r, const tfp_xplane *p, tfp_wire *outer, const tfp_field *field, tfp_xvalue *out)
{
    uint64_t id = 0, short_value;
    unsigned number;
    tfp_xvalue v = { .type = TFP_STAT_INT };
    if (is_short(field, &id, &number, &short_value)) {
        if (number == 7)
            refer(p, &v, short_value);
        else
            v.number = (int64_t)short_value;
        *out = v;
        return name_value(p, id, out);
    }
    id = 0;
    tfp_wire w = tfp_field_message(outer, field);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        switch (f.number) {
        case 1: id = tfp_field_uint(&w, &f); break;
        case 2:
            v.type = TFP_STAT_REAL;
            v.real = tfp_field_double(&w, &f);
            break;
        case 3:
        case 4:
            v.type = TFP_STAT_INT;
            v.number = tfp_field_int(&w, &f);
            break;
        case 5:
        case 6:
            v.type = TFP_STAT_TEXT;
            v.text = tfp_field_bytes(&w, &f);
            v.bytes = f.number == 6;
            break;
        case 7: refer(p, &v, tfp_field_uint(&w, &f)); break;
        case 8:
            v.type = TFP_STAT_TEXT;
            v.text = unpack(r, tfp_field_bytes(&w, &f));
            break;
        }
    }
    tfp_wire_join(outer, &w, "stats");
    *out = v;
    return name_value(p, id, out);
}

tfp_str tfp_xplane_text(const tfp_xreader *r, const tfp_xvalue *v)
{
    if (v->type != TFP_STAT_TEXT) return (tfp_str){ "", 0 };
    return v->ref ? tfp_text(r->p, v->ref) : v->text;
}

tfp_strid tfp_xplane_strid(tfp_xreader *r, const tfp_xvalue *v)
{
    if (v->type != TFP_STAT_TEXT) return 0;
    return v->ref ? v->ref : tfp_build_string(r->b, v->text);
}

/* Converts a stat to the model's form; false for bytes. */
bool tfp_xplane_stat(tfp_xreader *r, const tfp_xvalue *v, tfp_stat *out)
{
    if (v->bytes) return false;
    *out = (tfp_stat){ .key = v->key, .type = v->type };
    if (v->type == TFP_STAT_TEXT)
        out->value.text = tfp_xplane_strid(r, v);
    else if (v->type == TFP_STAT_REAL)
        out->value.real = v->real;
    else
        out->value.number = v->number;
    return true;
}

/* ---- metadata ---- */

/* An entry of a map: key -> message. */
typedef struct map_entry {
    uint64_t key;
    tfp_wire value;
    bool has_key;
} map_entry;

static map_entry read_entry(tfp_wire *outer, const tfp_field *field)
{
    tfp_wire w = tfp_field_message(outer, field);
    map_entry e = { 0, tfp_wire_start((tfp_str){ "", 0 }), false };
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 1) {
            e.key = tfp_field_uint(&w, &f);
            e.has_key = true;
        } else if (f.number == 2) {
            e.value = tfp_field_message(&w, &f);
        }
    }
    tfp_wire_join(outer, &w, "metadata");
    return e;
}

/* XStatMetadata */
static void read_stat_name(tfp_xreader *r, tfp_xplane *p, tfp_wire *outer, const tfp_field *field)
{
    map_entry e = read_entry(outer, field);
    tfp_xstat_name n = { 0, XS_OTHER };
    uint64_t id = 0;
    for (tfp_field f; tfp_wire_next(&e.value, &f);) {
        if (f.number == 1) id = tfp_field_uint(&e.value, &f);
        if (f.number != 2) continue;
        tfp_str name = tfp_field_bytes(&e.value, &f);
        n = (tfp_xstat_name){ tfp_build_string(r->b, name), known_stat(name) };
    }
    tfp_wire_join(outer, &e.value, "stat_metadata");
    uint32_t at = (uint32_t)p->stat_names.size;
    tfp_build_keep(r->b, at < TFP_NONE - 1 && tfp_push(&p->stat_names, n) &&
                             tfp_xids_put(&p->stat_by_id, e.has_key ? e.key : id, at));
}

/* The instruction's name: "fusion.3" in "%fusion.3 = f32[8]{0} fusion(%x)". */
static tfp_str instruction_of(tfp_str name, tfp_str display)
{
    if (name.size && name.data[0] == '%') {
        size_t end = 1;
        while (end < name.size && name.data[end] != ' ' && name.data[end] != '=') end++;
        if (end > 1) return (tfp_str){ name.data + 1, end - 1 };
    }
    return display.size ? display : name;
}

/* Reads the stat `Hlo Proto` of a module. */
static void read_module(tfp_xreader *r, tfp_wire w, uint64_t program, tfp_str name)
{
    tfp_hlo_module m = { 0 };
    tfp_error fault;
    tfp_error_clear(&fault);
    tfp_status s = tfp_hlo_read_proto(r->b, w, &m, &fault);
    if (s == TFP_BADFILE) {
        tfp_error_clear(&fault);
        tfp_xplane_tell(r, "warning", "HLO modules that cannot be read", name);
        return;
    }
    if (!tfp_build_keep(r->b, s == TFP_OK)) return;
    uint32_t at = (uint32_t)r->programs.modules.size;
    if (!tfp_build_keep(r->b, tfp_push(&r->programs.numbers, program) && tfp_push(&r->programs.modules, m))) {
        tfp_hlo_free(&m);
        return;
    }
    tfp_build_keep(r->b, tfp_map64_put(&r->programs.by_number, program, at));
    if (tfp_map64_get(&r->programs.by_name, m.name) == TFP_NONE)
        tfp_build_keep(r->b, tfp_map64_put(&r->programs.by_name, m.name, at));
}

/* Reads an XEventMetadata; its stats may contain a module. */
static void read_meta(tfp_xreader *r, tfp_xplane *p, tfp_wire *outer, const tfp_field *field)
{
    map_entry e = read_entry(outer, field);
    tfp_str name = { "", 0 }, display = { "", 0 };
    tfp_xmeta m = { .value_first = (uint32_t)p->values.size, .last_class = TFP_NONE };
    uint64_t id = 0, program = 0;
    bool has_program = false;
    tfp_wire module = tfp_wire_start((tfp_str){ "", 0 });
    for (tfp_field f; tfp_wire_next(&e.value, &f);) {
        tfp_xvalue v;
        switch (f.number) {
        case 1: id = tfp_field_uint(&e.value, &f); break;
        case 2: name = tfp_field_bytes(&e.value, &f); break;
        case 4: display = tfp_field_bytes(&e.value, &f); break;
        case 5:
            if (!tfp_xplane_value(r, p, &e.value, &f, &v)) break;
            if (v.known == XS_PROGRAM_ID && v.type == TFP_STAT_INT) program = (uint64_t)v.number, has_program = true;
            if (v.known == XS_HLO_PROTO && v.text.size) {
                module =
                    tfp_wire_start_at(v.text, e.value.base + (uint64_t)((const uint8_t *)v.text.data - e.value.start));
                break;
            }
            if (v.known == XS_NOISE || v.bytes) break;
            v.ref = tfp_xplane_strid(r, &v);
            v.text = (tfp_str){ "", 0 };
            if (tfp_build_keep(r->b, tfp_push(&p->values, v))) m.value_count++;
            break;
        }
    }
    tfp_wire_join(outer, &e.value, "event_metadata");
    if (outer->fault) return;
    if (!has_program) program = e.has_key ? e.key : id; /* many writers have a program's id only in the key */
    if (module.at < module.end) read_module(r, module, program, name);
    if (p->kind == XP_METADATA) return;
    bool host = p->kind == XP_HOST;
    if (!host) m.instruction = tfp_build_string(r->b, instruction_of(name, display));
    /* the full text of an instruction is long and of no use */
    m.name = host || name.size == 0 || name.data[0] != '%' ? tfp_build_string(r->b, name) : m.instruction;
    if (host) tfp_xplane_op_of(r, name, &m);
    r->found.graph_launches |= host && tfp_is_graph_launch(name);
    uint32_t at = (uint32_t)p->metas.size;
    tfp_build_keep(r->b, at < TFP_NONE - 1 && tfp_push(&p->metas, m) &&
                             tfp_xids_put(&p->meta_by_id, e.has_key ? e.key : id, at));
}

/* ---- stats of a plane ---- */

static double as_real(const tfp_xvalue *v) { return v->type == TFP_STAT_REAL ? v->real : (double)v->number; }
static int64_t as_int(const tfp_xvalue *v)
{
    if (v->type != TFP_STAT_REAL) return v->number;
    return v->real > -9e18 && v->real < 9e18 ? (int64_t)v->real : 0;
}

/* Reads a stat of the plane. Numbers become properties of the device; each stat becomes a fact about the recording. */
static void read_plane_stat(tfp_xreader *r, const tfp_xplane *p, const tfp_xvalue *v, tfp_device_info *device)
{
    tfp_stat fact;
    switch (v->known) {
    case XS_PROFILE_START: r->found.profile_start_ns = as_int(v); break;
    case XS_PROCESS_ID: r->found.pid = as_int(v); break;
    case XS_DEVICE_TYPE: device->name = tfp_xplane_strid(r, v); break;
    case XS_DEVICE_VENDOR:
        if (!device->name) device->name = tfp_xplane_strid(r, v);
        break;
    case XS_PEAK_TERAFLOPS: device->peak_flops = as_real(v) * 1e12; break;
    case XS_PEAK_BANDWIDTH: device->peak_bandwidth = as_real(v) * 1e9; break;
    case XS_CLOCK_RATE: device->clock_khz = as_int(v); break;
    case XS_CORE_COUNT: device->sm_count = as_int(v); break;
    case XS_MEMORY_BANDWIDTH: device->peak_bandwidth = as_real(v); break;
    case XS_MEMORY_SIZE: device->memory_bytes = as_int(v); break;
    }
    if (p->kind != XP_GPU && p->kind != XP_TPU && v->text.size <= 4096 && tfp_xplane_stat(r, v, &fact))
        tfp_build_about(r->b, &fact);
}

static void add_device(tfp_xreader *r, const tfp_xplane *p, tfp_device_info *device)
{
    if (p->kind != XP_GPU && p->kind != XP_TPU) return;
    device->device = tfp_build_string(r->b, tfp_str_of(p->device));
    device->process = TFP_NONE; /* set later, when the process is known */
    tfp_build_keep(r->b, tfp_push(&r->p->events->devices, *device));
}

/* ---- the plane ---- */

typedef struct piece { /* a field of the plane */
    uint64_t at;
    uint64_t size;
} piece;
typedef TFP_VEC(piece) pieces;

/* Finds the plane's fields without reading its lines and metadata. */
static tfp_status find_fields(tfp_xreader *r, tfp_xplane *p, pieces *found, tfp_error *err)
{
    tfp_status s = TFP_OK;
    for (tfp_field f; !s && tfp_input_left(r->in) > 0;) {
        uint64_t at = tfp_input_at(r->in), size;
        if ((s = tfp_wire_peek_input(r->in, &f, &size, err))) break;
        if (f.type == TFP_BYTES && f.number >= 3 && f.number <= 6) {
            piece part = { at + size - f.bytes.size, f.bytes.size };
            tfp_xline line = { .at = part.at, .size = part.size };
            tfp_build_keep(r->b, f.number == 3 ? tfp_push(&p->lines, line) : tfp_push(&found[f.number], part));
            s = tfp_input_seek(r->in, at + size, err);
            continue;
        }
        if (!tfp_wire_next_input(r->in, &f, &s, err)) break;
        tfp_wire w = tfp_input_wire(r->in, &f);
        if (f.number == 2) p->name = tfp_build_string(r->b, tfp_field_bytes(&w, &f));
        if (f.number == 1) tfp_field_int(&w, &f);
        if (f.number >= 3 && f.number <= 6) tfp_field_bytes(&w, &f);
        s = tfp_wire_end(&w, err);
    }
    return s ? s : tfp_builder_status(r->b, err);
}

typedef void part_reader(tfp_xreader *r, tfp_xplane *p, tfp_wire *outer, const tfp_field *field);

static tfp_status read_pieces(tfp_xreader *r, tfp_xplane *p, const pieces *list, part_reader *read, const char *place,
                              tfp_error *err)
{
    tfp_status s = TFP_OK;
    for (size_t i = 0; i < list->size && !s; i++) {
        const piece *part = &list->at[i];
        tfp_str seen;
        s = tfp_input_seek(r->in, part->at, err);
        if (!s) s = tfp_input_peek(r->in, (size_t)part->size, &seen, err);
        if (s) break;
        seen.size = (size_t)part->size;
        tfp_wire w = tfp_wire_start_at(seen, part->at);
        tfp_field f = { 0, TFP_BYTES, 0, seen };
        read(r, p, &w, &f);
        s = tfp_within(err, tfp_wire_end(&w, err), "%s %zu", place, i);
        if (!s && i % 1024 == 0) s = tfp_builder_status(r->b, err);
    }
    return s;
}

static void read_stat(tfp_xreader *r, tfp_xplane *p, tfp_wire *outer, const tfp_field *field)
{
    tfp_xvalue v;
    if (!tfp_xplane_value(r, p, outer, field, &v)) return;
    v.ref = v.type == TFP_STAT_TEXT && !v.bytes ? tfp_xplane_strid(r, &v) : 0;
    v.text = (tfp_str){ "", 0 };
    tfp_build_keep(r->b, tfp_push(&r->event.values, v));
}

static tfp_status read_parts(tfp_xreader *r, tfp_xplane *p, const pieces *found, tfp_error *err)
{
    tfp_device_info device = { 0 };
    p->kind = tfp_xplane_kind_of(tfp_text(r->p, p->name), p->device, sizeof p->device);
    tfp_status s = read_pieces(r, p, &found[5], read_stat_name, "stat_metadata", err);
    r->event.values.size = 0;
    if (!s) s = read_pieces(r, p, &found[6], read_stat, "stat", err);
    for (size_t i = 0; i < r->event.values.size && !s; i++) read_plane_stat(r, p, &r->event.values.at[i], &device);
    if (!s) add_device(r, p, &device);
    if (!s) s = read_pieces(r, p, &found[4], read_meta, "event_metadata", err);
    for (size_t i = 0; i < p->lines.size && !s; i++)
        s = tfp_within(err, tfp_xplane_read_head(r, p, &p->lines.at[i], err), "line %zu", i);
    return s;
}

tfp_status tfp_xplane_read_plane(tfp_xreader *r, uint64_t at, uint64_t size, tfp_error *err)
{
    tfp_xplane p = { 0 };
    pieces found[7] = { { 0 } };
    uint64_t total = r->in->total;
    tfp_status s = tfp_input_seek(r->in, at, err);
    r->in->total = at + size; /* makes the loop that reads the plane's fields stop at its end */
    if (!s) s = find_fields(r, &p, found, err);
    if (!s) s = read_parts(r, &p, found, err);
    r->in->total = total;
    for (size_t i = 0; i < 7; i++) tfp_vec_free(&found[i]);
    if (!s) s = tfp_builder_status(r->b, err);
    if (!s && !tfp_push(&r->planes, p)) s = tfp_nomem(err);
    if (s) tfp_xplane_free(&p);
    return s ? s : tfp_input_seek(r->in, at + size, err);
}

void tfp_xplane_free(tfp_xplane *p)
{
    tfp_vec_free(&p->lines);
    tfp_vec_free(&p->metas);
    tfp_vec_free(&p->stat_names);
    tfp_vec_free(&p->values);
    tfp_vec_free(&p->runs);
    tfp_xids_free(&p->meta_by_id);
    tfp_xids_free(&p->stat_by_id);
}
