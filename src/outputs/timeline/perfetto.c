// SPDX-License-Identifier: Apache-2.0
/* outputs/timeline/perfetto.c: writes a recorded trace as a Perfetto trace (.pftrace): processes, threads and streams are tracks, spans
 * are slices with their stats as annotations, launches are flows, counters and memory are counter tracks. */
#include "outputs/timeline/perfetto.h"

#include "model/tables/devices.h"
#include "model/tables/events.h"
#include "model/tables/lanes.h"
#include "model/tables/memory_events.h"
#include "model/tables/processes.h"
#include "model/tables/read.h"
#include "outputs/timeline/timeline.h"
#include "views/core/view.h"

/* ---- tracks ---- */

/* "gpu:0/stream:7" and "cpu/thread:7" have the number at their end; others are numbered by their lane. */
static int64_t thread_number(const tfp_pf_out *x, uint32_t lane)
{
    tfp_str name = tfp_text(x->p, tfp_lanes_of(x->p)->at[lane].name);
    size_t at = name.size;
    int64_t number;
    while (at && name.data[at - 1] >= '0' && name.data[at - 1] <= '9') at--;
    bool is = at && name.data[at - 1] == ':' && tfp_parse_int64((tfp_str){ name.data + at, name.size - at }, &number);
    return is && number <= INT32_MAX ? number : (int64_t)lane;
}

static void put_process(tfp_pf_out *x, uint32_t lane)
{
    const tfp_lane *l = &tfp_lanes_of(x->p)->at[lane];
    const tfp_event_tables *t = tfp_events_of(x->p);
    tfp_buf name = { 0 };
    if (l->process < t->processes.size && t->processes.size > 1 && t->processes.at[l->process].rank >= 0)
        tfp_buf_printf(&name, "rank:%d/", t->processes.at[l->process].rank);
    tfp_buf_str(&name, tfp_text(x->p, l->device));
    tfp_put_int_always(&x->part, 1, (int64_t)lane + 1); /* pid: an invented number, different for each lane */
    tfp_put_string(&x->part, 6, tfp_pf_bytes(&name));
    tfp_put_int_always(&x->event, 1, (int64_t)tfp_pf_process_track(lane));
    tfp_put_bytes_always(&x->event, 3, tfp_pf_bytes(&x->part));
    tfp_put_bytes_always(&x->packet, 60, tfp_pf_bytes(&x->event));
    x->packet.failed |= name.failed;
    tfp_pf_put_packet(x);
    tfp_buf_free(&name);
}

static void put_lane(tfp_pf_out *x, uint32_t lane)
{
    const tfp_lane *l = &tfp_lanes_of(x->p)->at[lane];
    tfp_put_int_always(&x->part, 1, (int64_t)x->process_of[lane] + 1);
    tfp_put_int_always(&x->part, 2, thread_number(x, lane));
    tfp_put_string(&x->part, 5, tfp_text(x->p, l->label ? l->label : l->name));
    tfp_put_int_always(&x->event, 1, (int64_t)tfp_pf_lane_track(lane));
    tfp_put_int_always(&x->event, 5, (int64_t)tfp_pf_process_track(x->process_of[lane]));
    tfp_put_bytes_always(&x->event, 4, tfp_pf_bytes(&x->part));
    tfp_put_bytes_always(&x->packet, 60, tfp_pf_bytes(&x->event));
    tfp_pf_put_packet(x);
}

static bool make_room(tfp_pf_out *x)
{
    x->names = calloc(tfp_strings_of(x->p)->count + 1, 1);
    x->keys = calloc(tfp_strings_of(x->p)->count + 1, 1);
    x->texts = calloc(tfp_strings_of(x->p)->count + 1, 1);
    x->tracks = tfp_pf_process_track((uint32_t)tfp_lanes_of(x->p)->size) + 1;
    return tfp_shown_lanes(x->r, &x->process_of, &x->used) && x->names && x->keys && x->texts;
}

static bool put_lanes(tfp_pf_out *x)
{
    size_t count = tfp_lanes_of(x->p)->size;
    uint8_t *written = calloc(count + 1, 1);
    for (uint32_t i = 0; written && i < count && !x->sink->status; i++) {
        if (!x->used[i]) continue;
        if (!written[x->process_of[i]]) put_process(x, x->process_of[i]);
        written[x->process_of[i]] = 1;
        put_lane(x, i);
    }
    free(written);
    return written != NULL;
}

/* ---- counters ---- */

static void put_sample(tfp_pf_out *x, uint64_t track, int64_t at_ns, double value)
{
    tfp_put_int_always(&x->packet, 8, at_ns);
    tfp_put_int_always(&x->event, 9, 4); /* TYPE_COUNTER */
    tfp_put_int_always(&x->event, 11, (int64_t)track);
    tfp_put_double(&x->event, 44, value);
    tfp_put_bytes_always(&x->packet, 11, tfp_pf_bytes(&x->event));
    tfp_pf_put_packet(x);
}

/* The track of a counter. Its description is written with the counter's first sample. 0 when memory runs out. */
static uint64_t counter_track(tfp_pf_out *x, tfp_map64 *tracks, const uint64_t key[2], tfp_str name)
{
    uint64_t hash = tfp_hash(key, 2 * sizeof *key);
    uint32_t at = tfp_map64_get(tracks, hash);
    if (at != TFP_NONE) return at;
    if (x->tracks >= TFP_NONE || !tfp_map64_put(tracks, hash, (uint32_t)x->tracks)) return 0;
    tfp_pf_put_track(x, x->tracks, 0, name, true);
    return x->tracks++;
}

static bool put_counters(tfp_pf_out *x)
{
    const tfp_event_tables *t = tfp_events_of(x->p);
    tfp_map64 tracks = { 0 };
    tfp_buf name = { 0 };
    bool ok = true;
    for (size_t i = 0; ok && i < t->counters.size && !x->sink->status; i++) {
        const tfp_counter_sample *c = &t->counters.at[i];
        const uint64_t key[2] = { (uint64_t)c->name << 32 | c->series, c->process };
        name.size = 0;
        tfp_buf_str(&name, tfp_text(x->p, c->name));
        if (c->series && !tfp_str_eq(tfp_text(x->p, c->series), TFP_STR("value"))) {
            tfp_buf_char(&name, ' ');
            tfp_buf_str(&name, tfp_text(x->p, c->series));
        }
        uint64_t track = counter_track(x, &tracks, key, tfp_pf_bytes(&name));
        ok = track && !name.failed;
        if (ok) put_sample(x, track, c->at_ns, c->value);
    }
    for (size_t i = 0; ok && i < t->memory.size && !x->sink->status; i++) {
        const tfp_memory_event *m = &t->memory.at[i];
        const uint64_t key[2] = { m->device, UINT64_MAX };
        if (m->allocated_bytes < 0) continue;
        name.size = 0;
        tfp_buf_text(&name, "memory of ");
        tfp_buf_str(&name, tfp_text(x->p, m->device));
        uint64_t track = counter_track(x, &tracks, key, tfp_pf_bytes(&name));
        ok = track && !name.failed;
        if (ok) put_sample(x, track, m->at_ns, (double)m->allocated_bytes);
    }
    tfp_map64_free(&tracks);
    tfp_buf_free(&name);
    return ok;
}

/* ---- the file ---- */

static tfp_status write_perfetto(const tfp_report *r, tfp_sink *sink, tfp_error *err)
{
    if (tfp_view_of(r)->timeline != TFP_TIMELINE_OF_SPANS)
        return tfp_fail(err, TFP_BADARG, "%s view has no Perfetto trace: use calls, which has what ran when",
                        tfp_name_of(r));
    tfp_pf_out x = {
        .r = r, .p = tfp_profile_of(r), .s = &tfp_events_of(tfp_profile_of(r))->spans, .sink = sink, .first = true
    };
    tfp_status s = make_room(&x) && put_lanes(&x) ? TFP_OK : tfp_nomem(err);
    if (!s) s = tfp_pf_put_spans(&x, err);
    if (!s && !put_counters(&x)) s = tfp_nomem(err);
    free(x.process_of);
    free(x.used);
    free(x.names);
    free(x.keys);
    free(x.texts);
    tfp_buf *const all[] = { &x.packet, &x.event, &x.part, &x.interned };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tfp_buf_free(all[i]);
    return s;
}

const tfp_output_format tfp_output_perfetto = {
    .name = "perfetto",
    .help =
        "A Perfetto trace (.pftrace) of the calls view: tracks, slices with their values, flows of launches, counters.",
    .in_format_option = false,
    .write = write_perfetto,
};
