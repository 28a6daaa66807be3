// SPDX-License-Identifier: Apache-2.0
/* views/trace/reserved.c: how much memory each device held and reserved at most, and which device comes nearest to its limit. */
#include "model/tables/devices.h"
#include "model/tables/events.h"
#include "model/tables/lanes.h"
#include "model/tables/memory_events.h"
#include "model/tables/read.h"
#include "query/groups.h"
#include "views/trace/facts.h"

typedef struct held {
    uint32_t process;
    tfp_strid device;
    int64_t allocated, reserved, limit;
    uint32_t span; /* op during which it reserved, or otherwise held, most */
} held;

static int64_t most_of(const held *h) { return h->reserved > h->allocated ? h->reserved : h->allocated; }

/* Collects each device's limit by process and name; limits for any process are under TFP_NONE. */
static bool add_limits(const tfp_profile *p, tfp_map64 *limits)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < tfp_events_of(p)->devices.size; i++) {
        const tfp_device_info *d = &tfp_events_of(p)->devices.at[i];
        if (d->memory_bytes <= 0) continue;
        ok = tfp_map64_put(limits, (uint64_t)d->process << 32 | d->device, i) &&
             tfp_map64_put(limits, (uint64_t)TFP_NONE << 32 | d->device, i);
    }
    return ok;
}

static int64_t limit_of(const tfp_profile *p, const tfp_map64 *limits, const held *h)
{
    uint32_t at = tfp_map64_get(limits, (uint64_t)h->process << 32 | h->device);
    if (at == TFP_NONE) at = tfp_map64_get(limits, (uint64_t)TFP_NONE << 32 | h->device);
    return at == TFP_NONE ? 0 : tfp_events_of(p)->devices.at[at].memory_bytes;
}

static double part_of(const held *h) { return h->limit ? (double)most_of(h) / (double)h->limit : 0; }

static bool nearer(const held *a, const held *b)
{
    double x = part_of(a), y = part_of(b);
    return x > y || (x >= y && most_of(a) > most_of(b));
}

static void add_event(held *h, const tfp_memory_event *m)
{
    int64_t before = most_of(h);
    if (m->allocated_bytes > h->allocated) h->allocated = m->allocated_bytes;
    if (m->reserved_bytes > h->reserved) h->reserved = m->reserved_bytes;
    if (most_of(h) > before) h->span = m->span;
}

bool tfp_reserved_of(tfp_trace_facts *f)
{
    const tfp_profile *p = f->x.p;
    tfp_groups devices = { .row_size = sizeof(held) }; /* by process and device */
    tfp_map64 limits = { 0 };
    bool ok = add_limits(p, &limits);
    f->memory.memory_span = TFP_NONE;
    for (size_t i = 0; ok && i < tfp_events_of(p)->memory.size; i++) {
        const tfp_memory_event *m = &tfp_events_of(p)->memory.at[i];
        uint32_t process = tfp_lanes_of(p)->at[m->lane].process;
        if (m->device && tfp_str_eq(tfp_text(p, m->device), TFP_STR("cpu"))) continue;
        held *h = TFP_GROUP(&devices, process, m->device);
        if (!(ok = h != NULL)) break;
        if (devices.added) *h = (held){ .process = process, .device = m->device, .span = TFP_NONE };
        add_event(h, m);
    }
    const held *nearest = NULL;
    for (held *h = devices.rows; ok && h < (held *)devices.rows + devices.count; h++) {
        h->limit = limit_of(p, &limits, h);
        if (!nearest || nearer(h, nearest)) nearest = h;
    }
    if (ok && nearest) {
        f->memory.memory_peak = nearest->allocated;
        f->memory.reserved_peak = nearest->reserved;
        f->memory.memory_limit = nearest->limit;
        f->memory.memory_span = nearest->span;
    }
    tfp_groups_free(&devices);
    tfp_map64_free(&limits);
    return ok;
}
