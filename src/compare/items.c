// SPDX-License-Identifier: Apache-2.0
/* compare/items.c: finds items by name, with a hash table of places and parts; a path takes time linear in its length,
 * however deep it is. */
#include "compare/items.h"
#include "compare/vendors.h"

static tfp_str part_of(const tfp_item *i)
{
    return (tfp_str){ i->name.data + i->name.size - i->part_size, i->part_size };
}

static tfp_str known_as(const tfp_items *x, tfp_str part) { return x->vendors ? tfp_call_without_vendor(part) : part; }

static uint64_t hash_of(const tfp_items *x, uint32_t place, tfp_str part, uint32_t occurrence)
{
    part = known_as(x, part);
    uint64_t key = tfp_hash(part.data, part.size) ^ (place + UINT64_C(1)) * UINT64_C(0x9E3779B97F4A7C15);
    return key + occurrence * UINT64_C(0xD1B54A32D192ED03);
}

static bool is_item(const tfp_items *x, uint32_t i, uint32_t place, tfp_str part, uint32_t occurrence)
{
    const tfp_item *item = &x->at.at[i];
    return item->place == place && item->occurrence == occurrence &&
           tfp_str_eq(known_as(x, part_of(item)), known_as(x, part));
}

static size_t find_slot(const tfp_items *x, uint64_t hash, uint32_t place, tfp_str part, uint32_t occurrence)
{
    size_t at = (size_t)hash & (x->slot_count - 1);
    for (; x->slots[at]; at = (at + 1) & (x->slot_count - 1)) {
        if (x->slots[at] >> 32 != hash >> 32) continue;
        if (is_item(x, (uint32_t)x->slots[at] - 1, place, part, occurrence)) break;
    }
    return at;
}

static bool grow(tfp_items *x)
{
    size_t count = x->slot_count ? x->slot_count * 2 : 1024;
    uint64_t *slots = calloc(count, sizeof *slots);
    if (!slots) return false;
    free(x->slots);
    x->slots = slots;
    x->slot_count = count;
    for (uint32_t i = 1; i < x->at.size; i++) { /* the root is never looked up */
        const tfp_item *item = &x->at.at[i];
        uint64_t hash = hash_of(x, item->place, part_of(item), item->occurrence);
        x->slots[find_slot(x, hash, item->place, part_of(item), item->occurrence)] = hash >> 32 << 32 | (i + 1);
    }
    return true;
}

bool tfp_items_start(tfp_items *x, tfp_str root)
{
    *x = (tfp_items){ 0 };
    tfp_item item = { .name = root };
    return tfp_push(&x->at, item) && grow(x);
}

void tfp_items_settle(tfp_items *x)
{
    tfp_vec_free(&x->ancestors);
    tfp_vec_free(&x->ancestor_sizes);
    free(x->slots);
    x->slots = NULL;
}

void tfp_items_free(tfp_items *x)
{
    tfp_vec_free(&x->at);
    tfp_items_settle(x);
}

uint32_t tfp_items_below(tfp_items *x, uint32_t parent, uint32_t place, tfp_str name, size_t part, uint32_t occurrence)
{
    if (part > UINT32_MAX || x->at.size >= TFP_NONE - 1) return TFP_NONE;
    if ((x->at.size + 1) * 2 > x->slot_count && !grow(x)) return TFP_NONE;
    tfp_str own = { name.data + name.size - part, part };
    if (x->guess && x->guess < x->at.size && is_item(x, x->guess, place, own, occurrence)) return x->guess++;
    uint64_t hash = hash_of(x, place, own, occurrence);
    size_t at = find_slot(x, hash, place, own, occurrence);
    if (x->slots[at]) {
        x->guess = (uint32_t)x->slots[at];
        return x->guess - 1;
    }
    if (x->fixed) return TFP_NONE;
    tfp_item item = { name, parent, x->at.at[parent].depth + 1, place, (uint32_t)part, occurrence };
    if (!tfp_push(&x->at, item)) return TFP_NONE;
    x->slots[at] = hash >> 32 << 32 | x->at.size;
    return (uint32_t)x->at.size - 1;
}

/* The deepest item that this path shares with the previous one. `done`: length of the shared part of the path; SIZE_MAX: only
 * the root, which has no name. */
static uint32_t shared_ancestor(tfp_items *x, tfp_str path, size_t *done)
{
    size_t same = 0, most = path.size < x->last.size ? path.size : x->last.size;
    while (same + 16 <= most && memcmp(path.data + same, x->last.data + same, 16) == 0) same += 16;
    while (same < most && path.data[same] == x->last.data[same]) same++;
    while (x->ancestors.size) {
        size_t size = x->ancestor_sizes.at[x->ancestors.size - 1];
        if (size <= same && (size == path.size || path.data[size] == '/')) break;
        x->ancestors.size--;
        x->ancestor_sizes.size--;
    }
    *done = x->ancestors.size ? x->ancestor_sizes.at[x->ancestors.size - 1] : SIZE_MAX;
    return x->ancestors.size ? x->ancestors.at[x->ancestors.size - 1] : 0;
}

/* Goes one part further. `done` is the length of the name above (SIZE_MAX below the root) and becomes the item's. */
static uint32_t next_part(tfp_items *x, uint32_t above, tfp_str path, size_t *done)
{
    size_t from = *done + 1; /* SIZE_MAX wraps to 0 */
    const char *slash = from < path.size ? memchr(path.data + from, '/', path.size - from) : NULL;
    *done = slash ? (size_t)(slash - path.data) : path.size;
    return tfp_items_below(x, above, above, (tfp_str){ path.data, *done }, *done - from, 0);
}

uint32_t tfp_items_path(tfp_items *x, tfp_str path)
{
    size_t done;
    if (!path.size) return 0;
    uint32_t item = shared_ancestor(x, path, &done);
    x->last = path;
    while (item != TFP_NONE && done != path.size) {
        item = next_part(x, item, path, &done);
        if (item != TFP_NONE && (!tfp_push(&x->ancestors, item) || !tfp_push(&x->ancestor_sizes, done)))
            item = TFP_NONE;
    }
    if (item == TFP_NONE) x->last.size = x->ancestors.size = x->ancestor_sizes.size = 0;
    return item;
}

uint32_t tfp_items_path_below(tfp_items *x, uint32_t ancestor, tfp_str path, size_t done)
{
    if (!ancestor) done = SIZE_MAX;
    while (ancestor != TFP_NONE && done != path.size) ancestor = next_part(x, ancestor, path, &done);
    return ancestor;
}
