// SPDX-License-Identifier: Apache-2.0
/* views/memory/allocator.c: replays the recording of an allocator. What was held before its first entry is computed backwards
 * from the blocks and segments at the end; the holders at some point follow from addresses. */
#include "model/files/allocator.h"
#include "model/span_names.h"
#include "model/tables/code.h"
#include "model/tables/devices.h"
#include "model/tables/read.h"
#include "model/tables/sources.h"
#include "options/options.h"
#include "query/groups.h"
#include "query/order.h"
#include "views/core/handle.h"
#include "views/core/own_frame.h"
#include "views/memory/allocator.h"

/* ---- entries and blocks by device ---- */

const tfp_allocator_entry *tfp_heap_entry(const tfp_heap *p, const tfp_heap_device *d, size_t i)
{
    return &tfp_allocator_of(tfp_profile_of(p->r))->entries.at[d->entries[i]];
}

int64_t tfp_heap_time(const tfp_heap *p, const tfp_allocator_entry *e)
{
    int64_t origin = tfp_allocator_of(tfp_profile_of(p->r))->devices.at[e->device].origin_us;
    return e->at_us < 0 || origin < 0 ? TFP_ABSENT : e->at_us - origin;
}

/* Row numbers sorted by device; `first` receives where those of each device begin. */
static uint32_t *by_device(tfp_arena *arena, const uint32_t *device, size_t row_size, size_t count, size_t *first,
                           size_t devices)
{
#define DEVICE(i) (*(const uint32_t *)((const char *)device + (i)*row_size))
    uint32_t *order = TFP_NEW(arena, uint32_t, count + 1);
    size_t *next = TFP_NEW(arena, size_t, devices + 1);
    if (!order || !next) return NULL;
    memset(first, 0, (devices + 1) * sizeof *first);
    for (size_t i = 0; i < count; i++) first[DEVICE(i) + 1]++;
    for (size_t d = 0; d < devices; d++) first[d + 1] += first[d];
    memcpy(next, first, (devices + 1) * sizeof *next);
    for (size_t i = 0; i < count; i++) order[next[DEVICE(i)]++] = (uint32_t)i;
    return order;
#undef DEVICE
}

/* "gpu:0"; with several files "gpu:0 of rank 1". */
static tfp_str name_of(tfp_report *r, const tfp_allocator_device *d)
{
    const tfp_profile *p = tfp_profile_of(r);
    tfp_str name = tfp_text(p, d->name);
    size_t files = 0;
    for (size_t i = 0; i < tfp_sources_of(p)->formats.size && files < 2; i++)
        files += tfp_sources_of(p)->formats.at[i] != NULL;
    if (files < 2 || d->source == TFP_NONE) return name;
    int32_t rank = tfp_number_in_name(tfp_sources_of(p)->sources.at[d->source]);
    tfp_buf b = { 0 };
    tfp_buf_str(&b, name);
    tfp_buf_printf(&b, " of rank %d", rank >= 0 ? (int)rank : (int)d->source);
    return tfp_buf_move(&b, tfp_arena_of(r));
}

/* ---- the replay ---- */

void tfp_heap_step(tfp_heap_point *at, const tfp_allocator_entry *e)
{
    at->done++;
    switch (e->action) {
    case TFP_ALLOCATOR_ALLOC: at->held = tfp_add(at->held, e->bytes, NULL); break;
    case TFP_ALLOCATOR_FREE: at->held = tfp_add(at->held, -e->bytes, NULL); break;
    case TFP_ALLOCATOR_GROW: at->reserved = tfp_add(at->reserved, e->bytes, NULL); break;
    case TFP_ALLOCATOR_SHRINK: at->reserved = tfp_add(at->reserved, -e->bytes, NULL); break;
    default: break;
    }
}

static void find_before(tfp_heap *p, tfp_heap_device *d, int64_t reserved)
{
    const tfp_profile *profile = tfp_profile_of(p->r);
    tfp_heap_point all = { 0 };
    for (size_t i = 0; i < d->entry_count; i++) tfp_heap_step(&all, tfp_heap_entry(p, d, i));
    int64_t held = 0;
    for (size_t i = 0; i < d->block_count; i++)
        held = tfp_add(held, tfp_allocator_of(profile)->blocks.at[p->blocks[d->first_block + i]].bytes, NULL);
    d->before =
        (tfp_heap_point){ 0, tfp_add(held, -all.held, NULL), tfp_add(reserved, -all.reserved, NULL), TFP_ABSENT };
    if (d->entry_count) d->before.at_us = tfp_heap_time(p, tfp_heap_entry(p, d, 0));
}

/* Finds the first time of the highest value, or with -at the last point up to then. */
static void find_peak(tfp_heap *p, tfp_heap_device *d)
{
    const tfp_moments *at = &tfp_options_of(p->r)->part.at;
    tfp_heap_point now = d->before;
    d->peak = now;
    for (size_t i = 0; i < d->entry_count; i++) {
        const tfp_allocator_entry *e = tfp_heap_entry(p, d, i);
        tfp_heap_step(&now, e);
        now.at_us = tfp_heap_time(p, e);
        bool wanted = at->given ? now.at_us != TFP_ABSENT && now.at_us <= at->from_ns / 1000 : now.held > d->peak.held;
        if (wanted) d->peak = now;
        if (e->action == TFP_ALLOCATOR_OOM) d->oom = now, d->oom_entry = d->entries[i];
    }
    d->end = now;
}

tfp_status tfp_heap_new(tfp_report *r, tfp_heap *out, tfp_error *err)
{
    const tfp_allocator_tables *t = tfp_allocator_of(tfp_profile_of(r));
    size_t n = t->devices.size;
    *out = (tfp_heap){ .r = r, .device_count = n };
    out->devices = TFP_NEW(tfp_arena_of(r), tfp_heap_device, n + 1);
    out->line_of_trace = TFP_NEW(tfp_arena_of(r), tfp_str, tfp_code_of(tfp_profile_of(r))->traces.size + 1);
    size_t *entries = TFP_NEW(tfp_arena_of(r), size_t, n + 1), *blocks = TFP_NEW(tfp_arena_of(r), size_t, n + 1);
    if (!out->devices || !out->line_of_trace || !entries || !blocks) return tfp_nomem(err);
    uint32_t *order = by_device(tfp_arena_of(r), t->entries.at ? &t->entries.at->device : NULL, sizeof *t->entries.at,
                                t->entries.size, entries, n);
    out->blocks = by_device(tfp_arena_of(r), t->blocks.at ? &t->blocks.at->device : NULL, sizeof *t->blocks.at,
                            t->blocks.size, blocks, n);
    if (!order || !out->blocks) return tfp_nomem(err);
    for (size_t i = 0; i < n; i++) {
        tfp_heap_device *d = &out->devices[i];
        *d = (tfp_heap_device){ .name = name_of(r, &t->devices.at[i]),
                                .entries = order + entries[i],
                                .entry_count = entries[i + 1] - entries[i],
                                .first_block = blocks[i],
                                .block_count = blocks[i + 1] - blocks[i] };
        if (!d->name.data) return tfp_nomem(err);
        find_before(out, d, t->devices.at[i].total_bytes);
        find_peak(out, d);
    }
    return TFP_OK;
}

/* ---- who holds it ---- */

/* Replays an entry. live: address -> 1 + the number of the entry that allocated it; 0: freed. unknown: it frees what no entry allocated. */
static bool replay(const tfp_heap *p, const tfp_heap_device *d, size_t i, tfp_map64 *live, bool *unknown)
{
    const tfp_allocator_entry *e = tfp_heap_entry(p, d, i);
    *unknown = false;
    if (e->action == TFP_ALLOCATOR_ALLOC) return tfp_map64_put(live, e->address, (uint32_t)i + 1);
    if (e->action != TFP_ALLOCATOR_FREE) return true;
    uint32_t at = tfp_map64_get(live, e->address);
    *unknown = at == TFP_NONE;
    return tfp_map64_put(live, e->address, 0);
}

static bool add_live(const tfp_heap *p, const tfp_heap_device *d, size_t done, const tfp_map64 *live,
                     tfp_heap_holders *out)
{
    bool ok = true;
    for (size_t i = 0; i < done && ok; i++) {
        const tfp_allocator_entry *e = tfp_heap_entry(p, d, i);
        if (e->action == TFP_ALLOCATOR_ALLOC && tfp_map64_get(live, e->address) == i + 1)
            ok = tfp_push(out, ((tfp_heap_holder){ e->bytes, e->trace, true, false }));
    }
    return ok;
}

/* Adds what existed before the recording and still exists at its end. */
static bool add_blocks(const tfp_heap *p, const tfp_heap_device *d, const tfp_map64 *live, tfp_heap_holders *out)
{
    bool ok = true;
    for (size_t i = 0; i < d->block_count && ok; i++) {
        const tfp_allocator_block *b =
            &tfp_allocator_of(tfp_profile_of(p->r))->blocks.at[p->blocks[d->first_block + i]];
        uint32_t at = tfp_map64_get(live, b->address);
        if (at == TFP_NONE) ok = tfp_push(out, ((tfp_heap_holder){ b->bytes, b->trace, false, false }));
    }
    return ok;
}

bool tfp_heap_holders_at(const tfp_heap *p, const tfp_heap_device *d, size_t done, tfp_heap_holders *out)
{
    tfp_map64 live = { 0 };
    bool ok = true, unknown;
    out->size = 0;
    for (size_t i = 0; i < done && ok; i++) ok = replay(p, d, i, &live, &unknown);
    ok = ok && add_live(p, d, done, &live, out);
    for (size_t i = done; i < d->entry_count && ok; i++) {
        const tfp_allocator_entry *e = tfp_heap_entry(p, d, i);
        ok = replay(p, d, i, &live, &unknown);
        if (ok && unknown) ok = tfp_push(out, ((tfp_heap_holder){ e->bytes, TFP_NONE, false, true }));
    }
    ok = ok && add_blocks(p, d, &live, out);
    tfp_map64_free(&live);
    return ok;
}

/* ---- lines ---- */

tfp_str tfp_heap_line_of(tfp_heap *p, uint32_t trace)
{
    if (trace == TFP_NONE) return TFP_STR(TFP_NO_STACK);
    tfp_str *known = &p->line_of_trace[trace];
    if (!known->data) *known = tfp_own_line(p->r, trace);
    return *known;
}

static const tfp_sort_key more_first[] = { TFP_DOWN(tfp_heap_line, bytes), TFP_UP(tfp_heap_line, line), { 0 } };

bool tfp_heap_add_lines(tfp_heap *p, const tfp_heap_device *d, const tfp_heap_point *at, const tfp_heap_holders *of,
                        tfp_heap_lines *rows)
{
    tfp_groups lines = { .row_size = sizeof(tfp_heap_line) };
    tfp_strtab names = { 0 };
    bool ok = !tfp_strtab_init(&names, tfp_arena_of(p->r));
    for (size_t i = 0; i < of->size && ok; i++) {
        const tfp_heap_holder *h = &of->at[i];
        bool before = d->entry_count && !h->recorded && h->trace == TFP_NONE; /* without entries nothing was recorded */
        tfp_str line = before ? TFP_STR("(held before the recording)") : tfp_heap_line_of(p, h->trace);
        tfp_strid id = line.data ? tfp_intern(&names, line) : TFP_NONE;
        tfp_heap_line *x = id == TFP_NONE ? NULL : TFP_GROUP(&lines, id);
        if (!(ok = x != NULL)) break;
        if (!x->holders++) *x = (tfp_heap_line){ d->name, line, 0, 1, at->at_us, 0 };
        x->bytes = tfp_add(x->bytes, h->bytes, tfp_clamped_of(p->r));
        x->share = at->held > 0 ? (double)x->bytes / (double)at->held : 0;
    }
    ok = ok && tfp_order_rows(lines.rows, lines.row_size, lines.count, more_first);
    for (size_t i = 0; i < lines.count && ok; i++) ok = tfp_push(rows, ((tfp_heap_line *)lines.rows)[i]);
    tfp_groups_free(&lines);
    tfp_strtab_free(&names);
    return ok;
}
