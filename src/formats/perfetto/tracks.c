// SPDX-License-Identifier: Apache-2.0
/* formats/perfetto/tracks.c: tracks and clocks of a Perfetto trace. */
#include "formats/perfetto/perfetto.h"

#define BOOT_CLOCK 6   /* the trace's clock, unless a packet names another one */
#define OF_SEQUENCE 64 /* clocks with this number or a higher one belong to a sequence */

/* ---- tracks ---- */

uint32_t tfp_pf_track_of(tfp_pf_reader *r, uint64_t uuid)
{
    uint32_t at = tfp_map64_get(&r->track_by_uuid, uuid);
    if (at != TFP_NONE) return at;
    at = (uint32_t)r->tracks.size;
    tfp_pf_track t = { .uuid = uuid, .factor = 1 };
    return tfp_pf_keep(r, tfp_push(&r->tracks, t) && tfp_map64_put(&r->track_by_uuid, uuid, at)) ? at : TFP_NONE;
}

static void read_owner(tfp_pf_reader *r, tfp_pf_track *t, tfp_str bytes, bool thread)
{
    tfp_wire w = tfp_wire_start(bytes);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 1 && f.type == TFP_VARINT) t->pid = (int64_t)f.value;
        if (f.number == 2 && f.type == TFP_VARINT && thread) t->tid = (int64_t)f.value;
        if (f.number == (thread ? 5 : 6) && f.type == TFP_BYTES) t->name = tfp_pf_text(r, f.bytes);
    }
    t->has_process = true;
    t->has_thread |= thread;
}

static void read_counter(tfp_pf_track *t, tfp_str bytes)
{
    t->is_counter = true;
    tfp_wire w = tfp_wire_start(bytes);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 4 && f.type == TFP_VARINT && f.value) t->factor = (int64_t)f.value;
        if (f.number == 5 && f.type == TFP_VARINT) t->adds = f.value;
    }
}

/* Reads a TrackDescriptor. One for a known track adds to what is known. */
void tfp_pf_read_track(tfp_pf_reader *r, tfp_str descriptor)
{
    uint64_t uuid = 0;
    tfp_wire w = tfp_wire_start(descriptor);
    for (tfp_field f; tfp_wire_next(&w, &f);)
        if (f.number == 1 && f.type == TFP_VARINT) uuid = f.value;
    uint32_t at = tfp_pf_track_of(r, uuid);
    if (at == TFP_NONE) return;
    tfp_pf_track *t = &r->tracks.at[at];
    w = tfp_wire_start(descriptor);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number == 5 && f.type == TFP_VARINT) t->parent = f.value;
        if (f.type != TFP_BYTES) continue;
        if ((f.number == 2 || f.number == 10) && f.bytes.size) t->name = tfp_pf_text(r, f.bytes);
        if (f.number == 3) read_owner(r, t, f.bytes, false);
        if (f.number == 4) read_owner(r, t, f.bytes, true);
        if (f.number == 8) read_counter(t, f.bytes);
    }
}

/* ---- clocks ---- */

static uint64_t clock_key(uint32_t sequence, uint64_t clock)
{
    const uint64_t parts[2] = { clock < OF_SEQUENCE ? UINT64_MAX : sequence, clock };
    return tfp_hash(parts, sizeof parts);
}

typedef struct reading { /* one clock in a snapshot */
    uint64_t clock, time, factor;
    bool incremental;
} reading;

static reading read_clock(tfp_str bytes)
{
    reading c = { .factor = 1 };
    tfp_wire w = tfp_wire_start(bytes);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.type != TFP_VARINT) continue;
        switch (f.number) {
        case 1: c.clock = f.value; break;
        case 2: c.time = f.value; break;
        case 3: c.incremental = f.value; break;
        case 4: c.factor = f.value ? f.value : 1; break;
        }
    }
    return c;
}

static int64_t scaled(uint64_t time, uint64_t factor)
{
    int64_t a = time > INT64_MAX ? INT64_MAX : (int64_t)time, b = factor > INT64_MAX ? INT64_MAX : (int64_t)factor;
    return tfp_mul(a, b, NULL);
}

static void put_clock(tfp_pf_reader *r, uint32_t sequence, const reading *c, int64_t boot_ns)
{
    uint64_t key = clock_key(sequence, c->clock);
    uint32_t at = tfp_map64_get(&r->clock_by_hash, key);
    int64_t now = scaled(c->time, c->factor);
    tfp_pf_clock clock = {
        .at_ns = now, .boot_ns = boot_ns, .factor = scaled(c->factor, 1), .last_ns = now, .incremental = c->incremental
    };
    if (at != TFP_NONE)
        r->clocks.at[at] = clock;
    else
        tfp_pf_keep(r,
                    tfp_push(&r->clocks, clock) && tfp_map64_put(&r->clock_by_hash, key, (uint32_t)r->clocks.size - 1));
}

/* Reads a ClockSnapshot: the same moment by several clocks. If the trace's clock is not among them, the first one takes
 * its place. */
void tfp_pf_read_snapshot(tfp_pf_reader *r, uint32_t sequence, tfp_str snapshot)
{
    int64_t boot_ns = -1, first_ns = -1;
    tfp_wire w = tfp_wire_start(snapshot);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        if (f.number != 1 || f.type != TFP_BYTES) continue;
        reading c = read_clock(f.bytes);
        if (first_ns < 0) first_ns = scaled(c.time, c.factor);
        if (c.clock == BOOT_CLOCK) boot_ns = scaled(c.time, c.factor);
    }
    if (boot_ns < 0) boot_ns = first_ns;
    w = tfp_wire_start(snapshot);
    for (tfp_field f; tfp_wire_next(&w, &f) && !r->no_memory;) {
        if (f.number != 1 || f.type != TFP_BYTES) continue;
        reading c = read_clock(f.bytes);
        if (c.clock != BOOT_CLOCK) put_clock(r, sequence, &c, boot_ns);
    }
}

int64_t tfp_pf_time(tfp_pf_reader *r, uint32_t sequence, uint64_t clock, uint64_t time)
{
    int64_t plain = scaled(time, 1);
    if (!clock || clock == BOOT_CLOCK) return plain;
    uint32_t at = tfp_map64_get(&r->clock_by_hash, clock_key(sequence, clock));
    if (at == TFP_NONE) return plain; /* without a snapshot there is nothing to convert with */
    tfp_pf_clock *c = &r->clocks.at[at];
    int64_t now = tfp_mul(plain, c->factor, NULL);
    if (c->incremental) now = c->last_ns = tfp_add(c->last_ns, now, NULL);
    return tfp_add(c->boot_ns, tfp_add(now, -c->at_ns, NULL), NULL);
}
