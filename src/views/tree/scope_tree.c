// SPDX-License-Identifier: Apache-2.0
/* views/tree/scope_tree.c: the tree of scopes: nodes by the parts of their names between slashes, made-up parents included. */
#include "base/threads.h"
#include "model/tables/graph.h"
#include "model/tables/read.h"
#include "options/options.h"
#include "views/core/engine.h"
#include "views/core/handle.h"
#include "views/core/view.h"

#include <stdatomic.h>

typedef struct level { /* the first `end` bytes of a name, and the item for them */
    size_t end;
    uint32_t item;
} level;

/* All items: the root, then every part of every name in order of appearance. An item is found by its parent and its own
 * part, never by its whole name, so a name of a million parts takes linear time, not quadratic. */
typedef struct scopes {
    const tfp_profile *p;
    TFP_VEC(tfp_str) name;
    TFP_VEC(uint32_t) parent;
    TFP_VEC(uint32_t) node; /* TFP_NONE: a made-up parent */
    /* open addressing: the hash of parent and part in the upper half, item + 1 in the lower; 0 is free */
    uint64_t *slots;
    size_t slot_count;
    tfp_str last;         /* the previous name */
    TFP_VEC(level) above; /* the items of its parts */
} scopes;

/* Siblings share everything up to the last slash, so what follows it determines their order. */
typedef struct sorting {
    tfp_tree *t;
    tfp_str *tail; /* for each item */
    atomic_bool failed;
} sorting;

static uint32_t hash_of(uint32_t parent, tfp_str part)
{
    uint64_t hash = tfp_hash(part.data, part.size) ^ parent * UINT64_C(0x9E3779B97F4A7C15);
    return (uint32_t)(hash >> 32 ^ hash);
}

/* Finds a slot. Names below one parent have the same beginning, so they are equal if their lengths and ends are
 * equal. */
static size_t find_slot(const scopes *x, uint32_t hash, uint32_t parent, tfp_str name, tfp_str part)
{
    size_t at = hash & (x->slot_count - 1);
    for (; x->slots[at]; at = (at + 1) & (x->slot_count - 1)) {
        if (x->slots[at] >> 32 != hash) continue;
        uint32_t item = (uint32_t)x->slots[at] - 1;
        tfp_str other = x->name.at[item];
        if (x->parent.at[item] != parent || other.size != name.size) continue;
        if (memcmp(other.data + other.size - part.size, part.data, part.size) == 0) break;
    }
    return at;
}

/* Doubles the slots; the first time it makes room for all nodes. */
static bool grow(scopes *x)
{
    size_t count = x->slot_count ? x->slot_count * 2 : 1024;
    while (!x->slot_count && count / 2 < tfp_graph_of(x->p)->nodes.size) count *= 2;
    return tfp_slots_resize(&x->slots, &x->slot_count, count);
}

static uint32_t add_item(scopes *x, tfp_str name, uint32_t parent)
{
    if (x->name.size >= TFP_NONE - 1) return TFP_NONE;
    if (!tfp_push(&x->name, name) || !tfp_push(&x->parent, parent) || !tfp_push(&x->node, TFP_NONE)) return TFP_NONE;
    return (uint32_t)x->name.size - 1;
}

/* The item with that name below `parent`, added if it is new. */
static uint32_t item_below(scopes *x, uint32_t parent, tfp_str name, tfp_str part)
{
    if ((x->name.size + 1) * 2 > x->slot_count && !grow(x)) return TFP_NONE;
    uint32_t hash = hash_of(parent, part);
    size_t at = find_slot(x, hash, parent, name, part);
    if (x->slots[at]) return (uint32_t)x->slots[at] - 1;
    uint32_t item = add_item(x, name, parent);
    if (item != TFP_NONE) x->slots[at] = (uint64_t)hash << 32 | (item + 1);
    return item;
}

static size_t common_size(tfp_str a, tfp_str b)
{
    size_t i = 0, n = a.size < b.size ? a.size : b.size;
    for (uint64_t x, y; i + 8 <= n; i += 8) {
        memcpy(&x, a.data + i, 8);
        memcpy(&y, b.data + i, 8);
        if (x != y) break;
    }
    while (i < n && a.data[i] == b.data[i]) i++;
    return i;
}

/* The item of a full name, found part by part from the root. Successive names mostly share scopes, and the shared part
 * is not looked up again. */
static uint32_t item_named(scopes *x, tfp_str name)
{
    size_t common = common_size(x->last, name);
    const level *above = x->above.at;
    while (x->above.size) {
        size_t end = above[x->above.size - 1].end;
        if (end <= common && (end == name.size || name.data[end] == '/')) break;
        x->above.size--;
    }
    x->last = name;
    uint32_t item = x->above.size ? above[x->above.size - 1].item : 0;
    size_t from = x->above.size ? above[x->above.size - 1].end + 1 : 0;
    while (from <= name.size) {
        const char *slash = memchr(name.data + from, '/', name.size - from);
        size_t end = slash ? (size_t)(slash - name.data) : name.size;
        item = item_below(x, item, (tfp_str){ name.data, end }, (tfp_str){ name.data + from, end - from });
        if (item == TFP_NONE || !tfp_push(&x->above, ((level){ end, item }))) return TFP_NONE;
        from = end + 1;
    }
    return item;
}

static bool find_items(scopes *x)
{
    if (add_item(x, TFP_ROOT_NAME, TFP_NONE) == TFP_NONE) return false;
    for (uint32_t node = 0; node < tfp_graph_of(x->p)->nodes.size; node++) {
        uint32_t item = item_named(x, tfp_text(x->p, tfp_graph_of(x->p)->nodes.at[node].name));
        if (item == TFP_NONE) return false;
        x->node.at[item] = node;
    }
    return true;
}

static void find_tails(void *ctx, size_t worker, size_t first, size_t end)
{
    sorting *s = ctx;
    (void)worker;
    for (size_t i = first; i < end; i++) s->tail[i] = tfp_str_last_part(s->t->name[i]);
}

/* Sorts children; each item's children are a separate part of `children`. */
static void sort_below(void *ctx, size_t worker, size_t first, size_t end)
{
    sorting *s = ctx;
    (void)worker;
    for (size_t i = first; i < end; i++) {
        uint32_t *children = s->t->children + s->t->child_start[i];
        uint32_t count = s->t->child_start[i + 1] - s->t->child_start[i];
        if (count > 1 && !tfp_sort_strings(children, count, s->tail)) atomic_store(&s->failed, true);
    }
}

static bool sort_children(tfp_tree *t)
{
    size_t threads = tfp_rows_threads(t->count);
    sorting s = { .t = t, .tail = TFP_NEW(t->arena, tfp_str, t->count) };
    if (!s.tail) return false;
    tfp_rows_run(threads, t->count, find_tails, &s);
    tfp_rows_run(threads, t->count, sort_below, &s);
    return !s.failed;
}

/* Made-up parents are accounted as if they had a type with their name. */
static bool fill(tfp_tree *t, tfp_report *r)
{
    return tfp_tree_fill(
        t, r, tfp_filter_matches(tfp_options_of(r)->filters[TFP_F_ACCOUNT], tfp_str_of(tfp_view_of(r)->parent_type)));
}

tfp_status tfp_scope_tree(tfp_tree *t, tfp_report *r, tfp_arena *arena, tfp_error *err)
{
    scopes x = { .p = tfp_profile_of(r) };
    bool ok = find_items(&x) && tfp_tree_new(t, r, arena, x.name.size);
    if (ok) {
        memcpy(t->name, x.name.at, t->count * sizeof *t->name);
        memcpy(t->node, x.node.at, t->count * sizeof *t->node);
        ok = tfp_tree_link(t, x.parent.at) && sort_children(t) && fill(t, r);
    }
    tfp_vec_free(&x.name);
    tfp_vec_free(&x.parent);
    tfp_vec_free(&x.node);
    tfp_vec_free(&x.above);
    free(x.slots);
    return ok ? TFP_OK : tfp_nomem(err);
}
