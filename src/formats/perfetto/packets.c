// SPDX-License-Identifier: Apache-2.0
/* formats/perfetto/packets.c: reads the packets of a Perfetto trace, keeps the state of each packet sequence, and
 * unpacks compressed packets. */
#include "formats/perfetto/perfetto.h"

#define ZLIB_CONST /* makes zlib declare its input as const */
#include <zlib.h>

#define PACKED_MOST 1000 /* a compressed packet may unpack to this many times its size */

/* Reads a row of any table: field 1 is the number, field 2 the text. A kernel's field 3 is its name without C++'s
 * encoding. */
static void intern_row(tfp_pf_reader *r, uint32_t sequence, tfp_pf_table table, tfp_str row)
{
    uint64_t id = 0;
    tfp_str text = { "", 0 };
    bool plain = false;
    tfp_wire w = tfp_wire_start(row);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 1 && f.type == TFP_VARINT) id = f.value;
        if (f.number == 2 && f.type == TFP_BYTES && !plain) text = f.bytes;
        if (f.number == 3 && f.type == TFP_BYTES && table == TFP_PF_KERNELS) text = f.bytes, plain = true;
    }
    tfp_pf_intern(r, sequence, table, id, text);
}

/* Reads an InternedData message. */
static void intern(tfp_pf_reader *r, uint32_t sequence, tfp_str data)
{
    tfp_wire w = tfp_wire_start(data);
    for (tfp_field f; tfp_wire_next(&w, &f) && !r->no_memory;) {
        if (f.type != TFP_BYTES) continue;
        switch (f.number) { /* InternedData */
        case 1: intern_row(r, sequence, TFP_PF_CATEGORIES, f.bytes); break;
        case 2: intern_row(r, sequence, TFP_PF_NAMES, f.bytes); break;
        case 3: intern_row(r, sequence, TFP_PF_KEYS, f.bytes); break;
        case 24: intern_row(r, sequence, TFP_PF_STAGES, f.bytes); break;
        case 29: intern_row(r, sequence, TFP_PF_STRINGS, f.bytes); break;
        case 47: tfp_pf_read_descriptor(r, sequence, f.bytes); break;
        case 1000: intern_row(r, sequence, TFP_PF_KERNELS, f.bytes); break;
        case 1001: intern_row(r, sequence, TFP_PF_LAUNCH_ARGS, f.bytes); break;
        }
    }
}

/* ---- packets ---- */

typedef struct packet { /* TracePacket; its fields come in any order */
    uint64_t time, sequence, clock, flags;
    bool has_time, cleared;
    tfp_str event, stage, counters, interned, defaults, track, snapshot, packed;
} packet;

static packet read_packet(tfp_wire *w)
{
    packet p = { 0 };
    for (tfp_field f; tfp_wire_next(w, &f);) {
        bool text = f.type == TFP_BYTES;
        switch (f.number) {
        case 6: p.snapshot = text ? f.bytes : p.snapshot; break;
        case 8: p.time = f.value, p.has_time = true; break;
        case 10: p.sequence = f.value; break;
        case 11: p.event = text ? f.bytes : p.event; break;
        case 12: p.interned = text ? f.bytes : p.interned; break;
        case 13: p.flags = f.value; break;
        case 41: p.cleared = f.value; break;
        case 50: p.packed = text ? f.bytes : p.packed; break;
        case 52: p.counters = text ? f.bytes : p.counters; break;
        case 53: p.stage = text ? f.bytes : p.stage; break;
        case 58: p.clock = f.value; break;
        case 59: p.defaults = text ? f.bytes : p.defaults; break;
        case 60: p.track = text ? f.bytes : p.track; break;
        }
    }
    return p;
}

static uint32_t sequence_of(tfp_pf_reader *r, uint64_t id)
{
    uint32_t at = tfp_map64_get(&r->sequence_by_id, id);
    if (at != TFP_NONE) return at;
    at = (uint32_t)r->sequences.size;
    bool ok = tfp_push(&r->sequences, (tfp_pf_sequence){ 0 }) && tfp_map64_put(&r->sequence_by_id, id, at);
    return tfp_pf_keep(r, ok) ? at : TFP_NONE;
}

/* TracePacketDefaults */
static void read_defaults(tfp_pf_sequence *s, tfp_str defaults)
{
    s->clock = s->track = 0;
    tfp_wire w = tfp_wire_start(defaults);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 58 && f.type == TFP_VARINT) s->clock = f.value;
        if (f.number != 11 || f.type != TFP_BYTES) continue;
        tfp_wire event = tfp_wire_start(f.bytes);
        for (tfp_field g; tfp_wire_next(&event, &g);)
            if (g.number == 11 && g.type == TFP_VARINT) s->track = g.value;
    }
}

/* Unpacks packets that were compressed together by zlib. */
static void unpack(tfp_pf_reader *r, tfp_str packed)
{
    z_stream z = { 0 };
    tfp_buf out = { 0 };
    uint64_t most = (uint64_t)packed.size * PACKED_MOST;
    int rc = Z_OK;
    if (most > r->spare) most = r->spare;
    if (packed.size > UINT32_MAX || !tfp_pf_keep(r, inflateInit(&z) == Z_OK)) return;
    z.next_in = (const unsigned char *)packed.data;
    z.avail_in = (unsigned)packed.size;
    while (rc == Z_OK && out.size <= most && !out.failed) {
        unsigned char chunk[16384];
        z.next_out = chunk;
        z.avail_out = sizeof chunk;
        rc = inflate(&z, Z_NO_FLUSH);
        tfp_buf_add(&out, chunk, sizeof chunk - z.avail_out);
    }
    inflateEnd(&z);
    if (out.size > most) r->too_big = true;
    r->spare -= out.size < r->spare ? out.size : r->spare;
    r->unreadable += rc != Z_STREAM_END;
    if (tfp_pf_keep(r, !out.failed && tfp_push(&r->unpacked, out)))
        tfp_pf_read_packets(r, (tfp_str){ out.data ? out.data : "", out.size }, true);
    else
        tfp_buf_free(&out);
}

static void take_packet(tfp_pf_reader *r, const packet *p)
{
    uint32_t sequence = sequence_of(r, p->sequence);
    if (sequence == TFP_NONE) return;
    tfp_pf_sequence *s = &r->sequences.at[sequence];
    if (p->flags & 1 || p->cleared) *s = (tfp_pf_sequence){ .generation = s->generation + 1 };
    if (p->defaults.data) read_defaults(s, p->defaults);
    if (p->interned.data) intern(r, sequence, p->interned);
    if (p->track.data) tfp_pf_read_track(r, p->track);
    if (p->snapshot.data) tfp_pf_read_snapshot(r, sequence, p->snapshot);
    if (!p->event.data && !p->stage.data && !p->counters.data) return;
    uint64_t clock = p->clock ? p->clock : s->clock;
    int64_t at_ns = p->has_time ? tfp_pf_time(r, sequence, clock, p->time) : -1;
    if (at_ns < 0)
        r->unreadable++;
    else if (p->event.data)
        tfp_pf_read_event(r, sequence, p->event, at_ns);
    else if (p->stage.data)
        tfp_pf_read_stage(r, sequence, p->stage, at_ns);
    else
        tfp_pf_read_gpu_counters(r, sequence, p->counters, at_ns);
}

void tfp_pf_read_packets(tfp_pf_reader *r, tfp_str bytes, bool inside)
{
    tfp_wire w = tfp_wire_start(bytes);
    for (tfp_field f; tfp_wire_next(&w, &f) && !r->no_memory && !r->too_big;) {
        if (f.number != 1 || f.type != TFP_BYTES) continue;
        tfp_wire in = tfp_wire_start(f.bytes);
        packet p = read_packet(&in);
        r->unreadable += in.fault != NULL;
        if (in.fault) continue;
        if (p.packed.data && !inside) unpack(r, p.packed);
        take_packet(r, &p);
    }
    r->cut |= w.fault != NULL;
}
