// SPDX-License-Identifier: Apache-2.0
/* query/groups.c: a hash table from keys of several numbers to rows. */
#include "query/groups.h"

static void *add_row(tfp_groups *g, const uint64_t *key, size_t size)
{
    size_t count = g->count + 1, numbers = count * size;
    if (count >= TFP_NONE || (count > g->capacity && !tfp_grow(&g->rows, &g->capacity, count, g->row_size)) ||
        (numbers > g->key_capacity && !tfp_grow((void **)&g->keys, &g->key_capacity, numbers, sizeof *g->keys)))
        return NULL;
    memcpy(g->keys + g->count * size, key, size * sizeof *key);
    return memset((char *)g->rows + g->count++ * g->row_size, 0, g->row_size);
}

void *tfp_group(tfp_groups *g, const uint64_t *key, size_t size)
{
    g->added = false;
    if ((g->count + 1) * 2 > g->slot_count &&
        !tfp_slots_resize(&g->slots, &g->slot_count, g->slot_count ? g->slot_count * 2 : 64)) {
        g->failed = true;
        return NULL;
    }
    uint64_t hash = tfp_hash(key, size * sizeof *key) >> 32;
    size_t at = (size_t)hash & (g->slot_count - 1);
    for (uint64_t slot; (slot = g->slots[at]); at = (at + 1) & (g->slot_count - 1)) {
        uint32_t row = (uint32_t)slot - 1;
        if (slot >> 32 == hash && memcmp(g->keys + row * size, key, size * sizeof *key) == 0)
            return (char *)g->rows + row * g->row_size;
    }
    void *row = add_row(g, key, size);
    g->failed |= !row;
    g->added = row != NULL;
    if (row) g->slots[at] = hash << 32 | g->count;
    return row;
}

uint64_t tfp_group_text(tfp_groups *g, tfp_str text)
{
    bool ready = g->texts.slot_count || tfp_strtab_init(&g->texts, NULL) == TFP_OK;
    tfp_strid id = ready ? tfp_intern_kept(&g->texts, text) : TFP_NONE;
    g->failed |= id == TFP_NONE;
    return id;
}

void *tfp_groups_end(tfp_groups *g, tfp_arena *arena, const tfp_sort_key *order, size_t *count)
{
    static const tfp_sort_key none[] = { { 0 } };
    void *rows = g->failed ? NULL : tfp_ordered(arena, g->rows, g->row_size, g->count, order ? order : none);
    *count = g->count;
    tfp_groups_free(g);
    return rows;
}

void tfp_groups_free(tfp_groups *g)
{
    free(g->rows);
    free(g->keys);
    free(g->slots);
    tfp_strtab_free(&g->texts);
    *g = (tfp_groups){ .row_size = g->row_size };
}
