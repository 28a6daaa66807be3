// SPDX-License-Identifier: Apache-2.0
/* views/memory/blocks.c: `memory -by tensor`: the single allocations that a device held at its peak, or at the time of -at: their
 * lifetimes and owners. And the category of an allocation: the part of a step in which it was made, from the place of its op. */
#include "model/tables/graph.h"
#include "model/tables/read.h"
#include "options/options.h"
#include "query/order.h"
#include "views/core/handle.h"
#include "views/memory/blocks.h"

#include <math.h>

/* ---- categories ---- */

/* Whether a level of the path is `word`, or begins with it followed by a character that is no letter, as
 * Optimizer.step#SGD.step does. */
static bool has_level(tfp_str path, tfp_str word)
{
    for (size_t i = 0, begin = 0; i <= path.size; i++) {
        if (i < path.size && path.data[i] != '/') continue;
        tfp_str level = { path.data + begin, i - begin };
        bool begins = level.size >= word.size && memcmp(level.data, word.data, word.size) == 0;
        if (begins && (level.size == word.size || strchr("#. (", level.data[word.size]))) return true;
        begin = i + 1;
    }
    return false;
}

static bool is_variable(tfp_str op)
{
    static const char *const ops[] = { "Variable", "VariableV2", "VarHandleOp", "AutoReloadVariable", NULL };
    size_t at = 0;
    return tfp_word_find(op, ops, &at);
}

tfp_str tfp_memory_category(const tfp_profile *p, uint32_t owner)
{
    if (owner == TFP_NONE) return TFP_STR("other");
    const tfp_node *n = &tfp_graph_of(p)->nodes.at[owner];
    tfp_str path = tfp_text(p, n->name);
    if (is_variable(tfp_text(p, n->op))) return TFP_STR("variables");
    if (has_level(path, TFP_STR("backward")) || has_level(path, TFP_STR("gradients"))) return TFP_STR("backward");
    if (has_level(path, TFP_STR("Optimizer.step")) || has_level(path, TFP_STR("Optimizer.zero_grad")))
        return TFP_STR("optimizer");
    return TFP_STR("forward");
}

/* ---- single allocations ---- */

typedef struct block_row {
    tfp_str device, name, op, category;
    int64_t bytes, from_ns, until_ns, lasts_ns, at_ns, span;
    double share;
    uint32_t device_at;
} block_row;

/* clang-format off */
static const tfp_table_column block_columns[] = {
    TFP_COLUMN(block_row, "device", TEXT, LABEL, device, "Where the memory is."),
    TFP_COLUMN(block_row, "name", TEXT, LABEL, name, "What allocated it."),
    TFP_COLUMN(block_row, "op", TEXT, LABEL, op, "Its operation."),
    TFP_COLUMN(block_row, "category", TEXT, LABEL, category, "The part of a step in which that was."),
    TFP_COLUMN(block_row, "bytes", INT, SIZE, bytes, "Its size."),
    TFP_COLUMN(block_row, "share", REAL, SHARE, share, "Share of all that was held then."),
    TFP_COLUMN(block_row, "from_us", NANO, MICROS, from_ns, "When it was allocated, from the start of the first that ran."),
    TFP_COLUMN(block_row, "until_us", NANO, MICROS, until_ns, "When it was freed; absent where it was held at the end."),
    TFP_COLUMN(block_row, "lifetime_us", NANO, MICROS, lasts_ns, "How long it was held; absent where the end is not known."),
    TFP_COLUMN(block_row, "at_us", NANO, MICROS, at_ns, "When the device held most, or the time of -at."),
    TFP_COLUMN(block_row, "span", INT, NUMBER, span, "The number of the span around the allocation."),
    { 0 }
};
/* clang-format on */

typedef struct lists {
    tfp_report *r;
    const tfp_holding *held;
    uint32_t *freed; /* for each block: the event that freed it */
    TFP_VEC(block_row) rows;
    bool ok;
} lists;

static void put_before(lists *l, uint32_t device, const tfp_memory_peak *p)
{
    int64_t bytes = l->held->devices[device].before;
    for (size_t i = p->first; i <= p->at; i++) {
        const tfp_held_event *e = &l->held->events.at[i];
        if (e->owner == TFP_OWNER_BEFORE) bytes = tfp_add(bytes, e->bytes, NULL);
    }
    if (bytes <= 0) return;
    block_row x = { .device = l->held->devices[device].name,
                    .device_at = device,
                    .name = TFP_STR("(held before the recording)"),
                    .category = TFP_STR("(held before the recording)"),
                    .bytes = bytes,
                    .from_ns = TFP_ABSENT,
                    .until_ns = TFP_ABSENT,
                    .lasts_ns = TFP_ABSENT,
                    .span = TFP_ABSENT };
    l->ok = l->ok && tfp_push(&l->rows, x);
}

static void put_block(lists *l, uint32_t device, const tfp_held_event *e, uint32_t freed)
{
    const tfp_profile *p = tfp_profile_of(l->r);
    int64_t until = freed == TFP_NONE ? TFP_ABSENT : l->held->events.at[freed].at_ns;
    block_row x = { .device = l->held->devices[device].name,
                    .device_at = device,
                    .name = TFP_STR("(no op)"),
                    .category = tfp_memory_category(p, e->owner),
                    .bytes = e->bytes,
                    .from_ns = e->at_ns - l->held->origin_ns,
                    .until_ns = freed == TFP_NONE ? TFP_ABSENT : until - l->held->origin_ns,
                    .lasts_ns = freed == TFP_NONE ? TFP_ABSENT : until - e->at_ns,
                    .span = e->span == TFP_NONE ? TFP_ABSENT : (int64_t)e->span };
    if (e->owner != TFP_NONE) {
        x.name = tfp_text(p, tfp_graph_of(p)->nodes.at[e->owner].name);
        x.op = tfp_text(p, tfp_graph_of(p)->nodes.at[e->owner].op);
    }
    l->ok = l->ok && tfp_push(&l->rows, x);
}

static void put_device(lists *l, uint32_t device, const tfp_memory_peak *p)
{
    size_t first = l->rows.size;
    put_before(l, device, p);
    for (size_t i = p->first; l->ok && i <= p->at; i++) {
        const tfp_held_event *e = &l->held->events.at[i];
        if (e->bytes <= 0 || e->block == TFP_NONE) continue;
        uint32_t freed = l->freed[e->block];
        if (freed == TFP_NONE || freed > p->at) put_block(l, device, e, freed);
    }
    int64_t at_ns = l->held->events.at[p->at].at_ns - l->held->origin_ns;
    for (size_t i = first; i < l->rows.size; i++) {
        block_row *x = &l->rows.at[i];
        x->at_ns = at_ns;
        x->share = p->bytes > 0 ? (double)x->bytes / (double)p->bytes : NAN;
    }
}

static const tfp_sort_key more_first[] = {
    TFP_UP(block_row, device_at), TFP_DOWN(block_row, bytes), TFP_UP(block_row, from_ns), { 0 }
};

/* Finds the event that frees each block. */
static bool find_freed(lists *l)
{
    const tfp_holding *h = l->held;
    l->freed = TFP_NEW(tfp_arena_of(l->r), uint32_t, h->block_count + 1);
    if (!l->freed) return false;
    for (size_t i = 0; i < h->block_count; i++) l->freed[i] = TFP_NONE;
    for (size_t i = 0; i < h->events.size; i++)
        if (h->events.at[i].bytes <= 0 && h->events.at[i].block != TFP_NONE)
            l->freed[h->events.at[i].block] = (uint32_t)i;
    return true;
}

tfp_status tfp_memory_blocks(tfp_report *r, tfp_grid *g, const tfp_holding *held, const tfp_memory_peak *peaks,
                             tfp_error *err)
{
    lists l = { .r = r, .held = held };
    if (!held->block_count)
        return tfp_fail(err, TFP_NOTFOUND, "single allocations were not recorded, only sums of nodes: -by node");
    l.ok = find_freed(&l);
    for (uint32_t d = 0; l.ok && d < held->device_count; d++)
        if (peaks[d].at != SIZE_MAX) put_device(&l, d, &peaks[d]);
    block_row *sorted =
        l.ok ? tfp_ordered(tfp_arena_of(r), l.rows.at, sizeof *l.rows.at, l.rows.size, more_first) : NULL;
    g->few = 10;
    tfp_row_table of = { block_columns, sorted, sizeof *sorted, l.rows.size, 0 };
    tfp_status s = sorted ? tfp_grid_fill(r, g, &of, err) : tfp_nomem(err);
    tfp_vec_free(&l.rows);
    return s;
}
