// SPDX-License-Identifier: Apache-2.0
/* formats/pickle/snapshot.c: a memory snapshot of PyTorch (torch.cuda.memory._dump_snapshot): what the caching
 * allocator recorded for each device, and its segments at the end. In: a pickle of plain values. Out: the allocator's
 * tables of the profile. Fields: docstring of torch.cuda.memory._snapshot. The pickle is read once: entries, blocks and
 * segments become rows as soon as they are complete, so that memory holds only rows, not the values. */
#include "formats/pickle/pickles.h"
#include "model/builder.h"
#include "model/files/allocator.h"
#include "model/tables/devices.h"
#include "model/tables/profile.h"
#include "model/tables/sources.h"

#include <stdio.h>

typedef struct taken_block { /* a block whose segment is not complete yet */
    tfp_pvalue list;
    int64_t address, size, requested;
    uint32_t trace, next; /* next: the block before it in the same list, as 1 + its index in blocks; 0: none */
    bool active, allocated;
} taken_block;

typedef struct reader {
    tfp_builder *b;
    tfp_pickle *m;
    tfp_status status;
    tfp_error *err;
    pickle_words words;
    tfp_frames frames;
    TFP_VEC(tfp_pvalue) lists; /* the lists in device_traces, in order of appearance */
    tfp_map64 list_by_value;   /* list -> index in lists */
    tfp_pvalue last_list;      /* the list that was looked up last, and its number */
    uint32_t last_number;
    TFP_VEC(taken_block) blocks;          /* blocks whose segments are not complete yet */
    tfp_map64 blocks_of;                  /* list -> 1 + the index of its last block; 0: its blocks were added */
    tfp_map64 device_by_number;           /* device number -> index in the profile's devices */
    tfp_map64 segment_by_hash;            /* hash -> index in the profile's segments */
    size_t first_entry, skipped, waiting; /* waiting: number of blocks without a segment so far */
    int64_t first_us;
} reader;

static bool keep(reader *r, bool ok)
{
    if (!ok && !r->status) r->status = tfp_nomem(r->err);
    return !r->status;
}

static tfp_pvalue member(const reader *r, tfp_pvalue of, pickle_word word)
{
    return tfp_pickle_member(r->m, of, r->words.at[word]);
}

/* Reads a whole number that must be there. */
static int64_t needed(reader *r, tfp_pvalue of, pickle_word word)
{
    int64_t n = 0;
    if (!r->status) r->status = tfp_pickle_number_of(r->m, of, &r->words, word, &n, r->err);
    return n;
}

static bool is(const reader *r, tfp_pvalue v, pickle_word word) { return v && v == r->words.at[word]; }

/* The row of device number D: "gpu:D". */
static uint32_t device_of(reader *r, int64_t number)
{
    tfp_allocator_tables *t = r->b->p->allocator;
    uint32_t at = tfp_map64_get(&r->device_by_number, (uint64_t)number);
    if (at != TFP_NONE || r->status) return at == TFP_NONE ? 0 : at;
    char name[40];
    snprintf(name, sizeof name, "gpu:%lld", (long long)number);
    tfp_allocator_device d = { .name = tfp_build_made_string(r->b, tfp_str_of(name)),
                               .source = (uint32_t)r->b->p->files->sources.size - 1,
                               .origin_us = -1 };
    at = (uint32_t)t->devices.size;
    if (keep(r, tfp_push(&t->devices, d))) keep(r, tfp_map64_put(&r->device_by_number, (uint64_t)number, at));
    return r->status ? 0 : at;
}

/* ---- entries of device_traces ---- */

/* The number of a list of entries. Its device is known only at the end of the file; until then `device` holds the
 * list's number. */
static uint32_t number_of_list(reader *r, tfp_pvalue list)
{
    if (r->lists.size && list == r->last_list) return r->last_number;
    uint32_t at = tfp_map64_get(&r->list_by_value, list);
    if (at == TFP_NONE) {
        at = (uint32_t)r->lists.size;
        if (keep(r, tfp_push(&r->lists, list))) keep(r, tfp_map64_put(&r->list_by_value, list, at));
    }
    r->last_list = list;
    return r->last_number = at;
}

static bool action_of(const reader *r, tfp_pvalue action, uint8_t *out)
{
    static const struct {
        pickle_word word;
        uint8_t action;
    } known[] = { { WORD_ALLOC, TFP_ALLOCATOR_ALLOC },
                  { WORD_FREE_COMPLETED, TFP_ALLOCATOR_FREE },
                  { WORD_SEGMENT_ALLOC, TFP_ALLOCATOR_GROW },
                  { WORD_SEGMENT_MAP, TFP_ALLOCATOR_GROW },
                  { WORD_SEGMENT_FREE, TFP_ALLOCATOR_SHRINK },
                  { WORD_SEGMENT_UNMAP, TFP_ALLOCATOR_SHRINK },
                  { WORD_OOM, TFP_ALLOCATOR_OOM } };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (is(r, action, known[i].word)) return *out = known[i].action, true;
    return false;
}

static void take_entry(reader *r, tfp_pvalue list, tfp_pvalue entry, tfp_pvalue action)
{
    tfp_allocator_entry e = { .at_us = -1 };
    e.device = number_of_list(r, list);
    if (tfp_pickle_int(r->m, member(r, entry, WORD_TIME_US), &e.at_us) && e.at_us >= 0 &&
        (r->first_us < 0 || e.at_us < r->first_us))
        r->first_us = e.at_us;
    e.trace = tfp_frames_trace(&r->frames, member(r, entry, WORD_FRAMES));
    if (tfp_pickle_is_opaque(action)) r->status = tfp_pickle_refuse(r->m, action, "an entry's action", r->err);
    if (r->status || !action_of(r, action, &e.action)) return;
    e.bytes = needed(r, entry, WORD_SIZE);
    e.address = (uint64_t)needed(r, entry, e.action == TFP_ALLOCATOR_OOM ? WORD_DEVICE_FREE : WORD_ADDR);
    if (r->status) return;
    if (e.bytes < 0)
        r->skipped++;
    else
        keep(r, tfp_push(&r->b->p->allocator->entries, e));
}

/* ---- segments ---- */

static void take_block(reader *r, tfp_pvalue list, tfp_pvalue block)
{
    tfp_pvalue state = member(r, block, WORD_STATE);
    taken_block x = { .list = list, .address = -1, .size = needed(r, block, WORD_SIZE) };
    x.allocated = is(r, state, WORD_ACTIVE_ALLOCATED);
    x.active = x.allocated || is(r, state, WORD_ACTIVE_AWAITING_FREE) || is(r, state, WORD_ACTIVE_PENDING_FREE);
    if (!tfp_pickle_int(r->m, member(r, block, WORD_REQUESTED_SIZE), &x.requested)) x.requested = x.size;
    tfp_pickle_int(r->m, member(r, block, WORD_ADDRESS), &x.address);
    x.trace = tfp_frames_trace(&r->frames, member(r, block, WORD_FRAMES));
    x.next = tfp_map64_get(&r->blocks_of, list);
    if (x.next == TFP_NONE) x.next = 0;
    if (r->status || !keep(r, tfp_push(&r->blocks, x))) return;
    keep(r, tfp_map64_put(&r->blocks_of, list, (uint32_t)r->blocks.size));
    r->waiting++;
}

/* A pool such as "0,1"; empty when the snapshot has no pools. */
static tfp_strid pool_of(reader *r, tfp_pvalue pool)
{
    char text[64];
    int64_t a = 0, b = 0;
    if (tfp_pickle_count(r->m, pool) != 2 || !tfp_pickle_int(r->m, tfp_pickle_item(r->m, pool, 0), &a) ||
        !tfp_pickle_int(r->m, tfp_pickle_item(r->m, pool, 1), &b))
        return 0;
    snprintf(text, sizeof text, "%lld,%lld", (long long)a, (long long)b);
    return tfp_build_made_string(r->b, tfp_str_of(text));
}

/* The row for all segments with the same device, stream, pool and type. NULL after a fault. */
static tfp_allocator_segment *row_of(reader *r, tfp_pvalue segment)
{
    tfp_allocator_tables *t = r->b->p->allocator;
    tfp_allocator_segment s = { .device = device_of(r, needed(r, segment, WORD_DEVICE)),
                                .type = tfp_pickle_string(r->b, r->m, member(r, segment, WORD_SEGMENT_TYPE)) };
    s.pool = pool_of(r, member(r, segment, WORD_SEGMENT_POOL_ID));
    tfp_pickle_int(r->m, member(r, segment, WORD_STREAM), &s.stream);
    uint64_t key[] = { s.device, (uint64_t)s.pool << 32 | s.type, (uint64_t)s.stream };
    uint64_t hash = tfp_hash(key, sizeof key);
    uint32_t at = tfp_map64_get(&r->segment_by_hash, hash);
    if (r->status || r->b->status) return NULL;
    if (at != TFP_NONE) return &t->segments.at[at];
    bool ok = keep(r, tfp_push(&t->segments, s)) &&
              keep(r, tfp_map64_put(&r->segment_by_hash, hash, (uint32_t)t->segments.size - 1));
    return ok ? &t->segments.at[t->segments.size - 1] : NULL;
}

static void add_block(reader *r, tfp_allocator_segment *s, const taken_block *x, int64_t *address)
{
    tfp_allocator_block block = { .address = (uint64_t)(x->address >= 0 ? x->address : *address),
                                  .bytes = x->requested,
                                  .trace = x->trace,
                                  .device = s->device };
    *address = tfp_add((int64_t)block.address, x->size, NULL);
    if (x->size < 0 || x->requested < 0) {
        r->skipped++;
    } else if (x->active) {
        s->active_bytes = tfp_add(s->active_bytes, x->size, NULL);
        if (x->allocated) s->allocated_bytes = tfp_add(s->allocated_bytes, x->size, NULL);
        keep(r, tfp_push(&r->b->p->allocator->blocks, block));
    } else {
        s->free_bytes = tfp_add(s->free_bytes, x->size, NULL);
        if (x->size > s->largest_free_bytes) s->largest_free_bytes = x->size;
    }
}

/* Adds the blocks of a list in order. They are chained from the last one to the first, so the chain is reversed
 * first. */
static void add_blocks(reader *r, tfp_allocator_segment *s, tfp_pvalue list, int64_t address)
{
    uint32_t last = tfp_map64_get(&r->blocks_of, list), after = 0;
    if (last == TFP_NONE || !last) return;
    for (uint32_t at = last, next; at; at = next) {
        next = r->blocks.at[at - 1].next;
        r->blocks.at[at - 1].next = after;
        after = at;
    }
    for (uint32_t at = after; at && !r->status; at = r->blocks.at[at - 1].next, r->waiting--)
        add_block(r, s, &r->blocks.at[at - 1], &address);
    keep(r, tfp_map64_put(&r->blocks_of, list, 0));
}

static void take_segment(reader *r, tfp_pvalue segment)
{
    tfp_pvalue list = member(r, segment, WORD_BLOCKS);
    int64_t total = needed(r, segment, WORD_TOTAL_SIZE), address = 0;
    tfp_allocator_segment *s = row_of(r, segment);
    if (!s) return;
    tfp_pickle_int(r->m, member(r, segment, WORD_ADDRESS), &address);
    s->count++;
    s->total_bytes = tfp_add(s->total_bytes, total, NULL);
    int64_t *of_device = &r->b->p->allocator->devices.at[s->device].total_bytes;
    *of_device = tfp_add(*of_device, total, NULL);
    add_blocks(r, s, list, address);
    uint32_t number;
    if (!tfp_pickle_folded(r->m, list, &number)) tfp_pickle_fold(r->m, list, 0);
    tfp_frames_trace(&r->frames, member(r, segment, WORD_FRAMES)); /* also folds the frames */
    if (!r->waiting) r->blocks.size = 0;
}

static bool take(void *ctx, tfp_pickle *m, tfp_pvalue to, tfp_pvalue item)
{
    reader *r = ctx;
    (void)m;
    if (tfp_pickle_kind_of(item) != TFP_PICKLE_DICT || tfp_pickle_kind_of(to) != TFP_PICKLE_LIST) return false;
    if (r->status || r->b->status) return true; /* the fault is reported at the end */
    tfp_pvalue action = member(r, item, WORD_ACTION);
    if (action)
        take_entry(r, to, item, action);
    else if (member(r, item, WORD_BLOCKS))
        take_segment(r, item);
    else if (member(r, item, WORD_STATE) && member(r, item, WORD_SIZE))
        take_block(r, to, item);
    else
        return false;
    return true;
}

/* ---- the end ---- */

/* Sets the devices of entries: the index of a list in device_traces is its device number. */
static void place_entries(reader *r, tfp_pvalue traces)
{
    tfp_allocator_tables *t = r->b->p->allocator;
    uint32_t *device = calloc(r->lists.size + 1, sizeof *device);
    if (!keep(r, device != NULL)) return;
    for (size_t i = 0; i < r->lists.size; i++) device[i] = TFP_NONE;
    for (size_t d = 0; d < tfp_pickle_count(r->m, traces); d++) {
        uint32_t list = tfp_map64_get(&r->list_by_value, tfp_pickle_item(r->m, traces, d));
        if (list != TFP_NONE && device[list] == TFP_NONE) device[list] = device_of(r, (int64_t)d);
    }
    size_t kept = r->first_entry;
    for (size_t i = r->first_entry; i < t->entries.size && !r->status; i++) {
        tfp_allocator_entry e = t->entries.at[i];
        e.device = device[e.device];
        if (e.device != TFP_NONE) t->entries.at[kept++] = e;
    }
    t->entries.size = kept;
    free(device);
}

static tfp_status finish(reader *r, tfp_pvalue root, tfp_error *err)
{
    tfp_allocator_tables *t = r->b->p->allocator;
    tfp_pvalue traces = member(r, root, WORD_DEVICE_TRACES), segments = member(r, root, WORD_SEGMENTS);
    if (r->status) return r->status;
    if (tfp_pickle_kind_of(root) != TFP_PICKLE_DICT) return tfp_pickle_refuse(r->m, root, "the snapshot", err);
    if (tfp_pickle_kind_of(segments) != TFP_PICKLE_LIST)
        return tfp_pickle_refuse(r->m, segments, "its `segments`", err);
    if (tfp_pickle_kind_of(traces) != TFP_PICKLE_LIST && traces)
        return tfp_pickle_refuse(r->m, traces, "its `device_traces`", err);
    place_entries(r, traces);
    uint32_t source = (uint32_t)r->b->p->files->sources.size - 1;
    for (size_t i = 0; i < t->devices.size; i++)
        if (t->devices.at[i].source == source) t->devices.at[i].origin_us = r->first_us;
    if (r->skipped)
        tfp_build_warn_many(r->b, "entries and blocks of negative sizes, left out", TFP_STR(""), r->skipped);
    if (r->status) return r->status;
    if (!t->devices.size) return tfp_fail(err, TFP_BADFILE, "a memory snapshot without segments and entries");
    return tfp_builder_status(r->b, err);
}

static tfp_status read_snapshot(tfp_builder *b, tfp_input *in, tfp_error *err)
{
    reader r = { .b = b, .err = err, .first_us = -1, .first_entry = b->p->allocator->entries.size };
    tfp_pvalue root = 0;
    r.m = tfp_pickle_new(tfp_pickle_memory(in));
    tfp_status s = r.m && tfp_pickle_words(r.m, &r.words) ? TFP_OK : tfp_nomem(err);
    r.frames = (tfp_frames){ .b = b, .m = r.m, .words = &r.words };
    if (!s) {
        tfp_pickle_on_item(r.m, take, &r);
        s = tfp_pickle_read(r.m, in, &root, err);
    }
    if (!s) s = finish(&r, root, err);
    tfp_pickle_free(r.m);
    tfp_frames_free(&r.frames);
    tfp_vec_free(&r.lists);
    tfp_vec_free(&r.blocks);
    tfp_map64 *const maps[] = { &r.list_by_value, &r.blocks_of, &r.device_by_number, &r.segment_by_hash };
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) tfp_map64_free(maps[i]);
    return s;
}

static int probe(tfp_str head, uint64_t total)
{
    (void)total;
    if (!tfp_is_pickle(head)) return 0;
    return tfp_str_has(head, TFP_STR("segments")) || tfp_str_has(head, TFP_STR("device_traces")) ? 90 : 0;
}

const tfp_format tfp_format_snapshot = {
    .name = "snapshot",
    .help = "memory snapshot of PyTorch, of torch.cuda.memory._dump_snapshot: who held memory on each GPU, and which "
            "allocation failed",
    .probe = probe,
    .read = read_snapshot,
    .in_windows = true,
    .stands = TFP_FORMAT_IS(RANKS),
};
