// SPDX-License-Identifier: Apache-2.0
/* views/memory/allocations.c: the allocations and frees of a trace, by device and time. A free is counted for the owner of the
 * allocation. The allocator's own sum shows what was held before the recording began. */
#include "model/tables/devices.h"
#include "model/tables/events.h"
#include "model/tables/lanes.h"
#include "model/tables/memory_events.h"
#include "model/tables/read.h"
#include "model/tables/step_marks.h"
#include "query/order.h"
#include "views/core/handle.h"
#include "views/memory/allocations.h"

typedef struct live {
    uint32_t owner, span, block;
} live;

typedef struct tracer {
    tfp_report *r;
    const tfp_profile *p;
    tfp_holding *out;
    tfp_map64 device_of; /* process << 32 | device -> index in devices */
    tfp_map64 live_of;   /* hash of device and address -> index in lives */
    TFP_VEC(tfp_held_device) devices;
    TFP_VEC(live) lives;
    uint32_t *order, *device; /* for each event */
} tracer;

static uint32_t process_of(const tracer *t, const tfp_memory_event *m)
{
    return tfp_lanes_of(t->p)->at[m->lane].process;
}

/* "gpu:0"; with several processes "gpu:0 of rank 1". */
static tfp_str device_name(tracer *t, const tfp_memory_event *m)
{
    tfp_str name = tfp_text(t->p, m->device);
    uint32_t process = process_of(t, m);
    if (tfp_events_of(t->p)->processes.size < 2 || process == TFP_NONE) return name;
    tfp_buf b = { 0 };
    int32_t rank = tfp_events_of(t->p)->processes.at[process].rank;
    tfp_buf_str(&b, name);
    tfp_buf_printf(&b, " of %s %d", rank >= 0 ? "rank" : "process", rank >= 0 ? (int)rank : (int)process);
    return tfp_buf_move(&b, tfp_arena_of(t->r));
}

static uint32_t find_device(tracer *t, const tfp_memory_event *m)
{
    uint64_t key = (uint64_t)process_of(t, m) << 32 | m->device;
    uint32_t at = tfp_map64_get(&t->device_of, key);
    if (at != TFP_NONE) return at;
    tfp_held_device d = { .name = device_name(t, m), .recorded = true, .before = -1 };
    bool ok =
        d.name.data && tfp_push(&t->devices, d) && tfp_map64_put(&t->device_of, key, (uint32_t)t->devices.size - 1);
    return ok ? (uint32_t)t->devices.size - 1 : TFP_NONE;
}

static bool sort_events(tracer *t)
{
    size_t n = tfp_events_of(t->p)->memory.size;
    t->order = TFP_NEW(tfp_arena_of(t->r), uint32_t, n + 1);
    t->device = TFP_NEW(tfp_arena_of(t->r), uint32_t, n + 1);
    bool ok = t->order && t->device;
    for (uint32_t i = 0; ok && i < n; i++) {
        t->order[i] = i;
        t->device[i] = find_device(t, &tfp_events_of(t->p)->memory.at[i]);
        ok = t->device[i] != TFP_NONE;
    }
    const tfp_sort_key by_device[] = { TFP_UP_IN(t->device), TFP_UP(tfp_memory_event, at_ns), { 0 } };
    return ok && tfp_order_items(t->order, n, by_device, tfp_events_of(t->p)->memory.at, sizeof(tfp_memory_event));
}

/* Finds what was held before. On GPUs the allocator's sum begins with the process; on CPUs PyTorch's begins with the recording
 * and does not show it. */
static void find_before(tracer *t, tfp_held_device *d, const tfp_memory_event *m)
{
    if (d->before >= 0) return;
    bool more = m->allocated_bytes >= 0 && m->allocated_bytes > m->bytes;
    bool host = tfp_str_eq(tfp_text(t->p, m->device), TFP_STR("cpu"));
    d->before = more ? m->allocated_bytes - m->bytes : 0;
    d->before_stated = more || (m->allocated_bytes >= 0 && !host);
}

/* Finds the allocation that a free ends. An address may be allocated again after its free. */
static bool settle(tracer *t, uint32_t i, tfp_held_event *e)
{
    const tfp_memory_event *m = &tfp_events_of(t->p)->memory.at[i];
    uint64_t words[] = { m->address, t->device[i] };
    uint64_t key = tfp_hash(words, sizeof words);
    uint32_t at = tfp_map64_get(&t->live_of, key);
    if (m->bytes > 0) {
        live x = { e->owner, e->span, (uint32_t)t->out->block_count++ };
        e->block = x.block;
        if (at == TFP_NONE) {
            at = (uint32_t)t->lives.size;
            if (!tfp_push(&t->lives, x) || !tfp_map64_put(&t->live_of, key, at)) return false;
        }
        t->lives.at[at] = x;
        return true;
    }
    bool known = at != TFP_NONE && t->lives.at[at].owner != TFP_OWNER_BEFORE;
    e->owner = known ? t->lives.at[at].owner : TFP_OWNER_BEFORE;
    e->span = known ? t->lives.at[at].span : TFP_NONE;
    e->block = known ? t->lives.at[at].block : TFP_NONE;
    if (known) t->lives.at[at].owner = TFP_OWNER_BEFORE;
    return true;
}

static bool add(tracer *t, uint32_t i)
{
    const tfp_memory_event *m = &tfp_events_of(t->p)->memory.at[i];
    tfp_held_device *d = &t->devices.at[t->device[i]];
    uint32_t node = m->span == TFP_NONE ? TFP_NONE : tfp_events_of(t->p)->spans.node[m->span];
    tfp_held_event e = { t->device[i], node,     m->span,
                         m->at_ns,     m->bytes, m->allocated_bytes > 0 ? m->allocated_bytes : 0,
                         TFP_NONE };
    find_before(t, d, m);
    if (m->reserved_bytes > d->reserved) d->reserved = m->reserved_bytes;
    bool ok = settle(t, i, &e) && tfp_push(&t->out->events, e);
    if (e.owner == TFP_OWNER_BEFORE && e.bytes < 0) d->freed = tfp_add(d->freed, -e.bytes, NULL);
    return ok;
}

/* Finds the window of the step, from its first start to its last end. */
static void find_window(const tfp_report *r, tfp_holding *out)
{
    const tfp_event_tables *x = tfp_events_of(tfp_profile_of(r));
    if (tfp_step_of(r).which != TFP_STEP_ONE) return;
    for (size_t i = 0; i < x->windows.size; i++) {
        const tfp_step_window *w = &x->windows.at[i];
        if (w->step != tfp_step_of(r).row) continue;
        if (!out->to_ns || w->start_ns < out->from_ns) out->from_ns = w->start_ns;
        if (w->end_ns > out->to_ns) out->to_ns = w->end_ns;
    }
}

static tfp_status of_trace(tfp_report *r, tfp_holding *out, tfp_error *err)
{
    tracer t = { .r = r, .p = tfp_profile_of(r), .out = out };
    bool ok = sort_events(&t);
    for (size_t i = 0; ok && i < tfp_events_of(t.p)->memory.size; i++) ok = add(&t, t.order[i]);
    for (size_t i = 0; ok && i < t.devices.size; i++)
        if (!t.devices.at[i].before_stated && t.devices.at[i].freed > t.devices.at[i].before)
            t.devices.at[i].before = t.devices.at[i].freed;
    out->devices = ok ? TFP_NEW(tfp_arena_of(r), tfp_held_device, t.devices.size + 1) : NULL;
    ok = ok && out->devices;
    if (ok && t.devices.size) memcpy(out->devices, t.devices.at, t.devices.size * sizeof *t.devices.at);
    out->device_count = t.devices.size;
    tfp_map64_free(&t.device_of);
    tfp_map64_free(&t.live_of);
    tfp_vec_free(&t.devices);
    tfp_vec_free(&t.lives);
    find_window(r, out);
    return ok ? TFP_OK : tfp_nomem(err);
}

static int64_t origin_of(const tfp_profile *p, const tfp_holding *h)
{
    const tfp_span_columns *s = &tfp_events_of(p)->spans;
    int64_t first = INT64_MAX;
    for (size_t i = 0; i < s->size; i++)
        if (s->start_ns[i] < first) first = s->start_ns[i];
    for (size_t i = 0; i < h->events.size; i++)
        if (h->events.at[i].at_ns < first) first = h->events.at[i].at_ns;
    return first == INT64_MAX ? 0 : first;
}

tfp_status tfp_holding_new(tfp_report *r, tfp_holding *out, tfp_error *err)
{
    *out = (tfp_holding){ 0 };
    tfp_status s =
        tfp_events_of(tfp_profile_of(r))->memory.size ? of_trace(r, out, err) : tfp_held_of_records(r, out, err);
    out->origin_ns = origin_of(tfp_profile_of(r), out);
    return s;
}

void tfp_holding_free(tfp_holding *h) { tfp_vec_free(&h->events); }
