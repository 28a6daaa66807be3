// SPDX-License-Identifier: Apache-2.0
/* base/strtab.c: interned strings, and maps of 64-bit keys: open addressing, xxHash. Hashes are seeded randomly in each
 * process, so that a file cannot be crafted to make all names collide. */
#include "base/io.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define XXH_INLINE_ALL
#ifdef __SANITIZE_ADDRESS__ /* with -Og GCC reports an error for functions that it cannot inline */
#define XXH_NO_INLINE_HINTS 1
#endif
#include <xxhash.h>

/* Chosen once; when threads race, the first one's choice counts. */
static uint64_t hash_seed(void)
{
    static _Atomic uint64_t chosen;
    uint64_t seed = atomic_load_explicit(&chosen, memory_order_relaxed), none = 0;
    if (seed) return seed;
    struct timespec now = { 0, 0 };
    if (!tfp_random(&seed)) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        seed = (uint64_t)(uintptr_t)&now * UINT64_C(0x9E3779B97F4A7C15) ^ (uint64_t)now.tv_nsec << 20;
    }
    seed |= 1;
    return atomic_compare_exchange_strong(&chosen, &none, seed) ? seed : none;
}

uint64_t tfp_hash(const void *data, size_t size) { return XXH3_64bits_withSeed(data, size, hash_seed()); }

static void put_digest(XXH128_hash_t h, char out[TFP_DIGEST])
{
    snprintf(out, TFP_DIGEST, "%016llx%016llx", (unsigned long long)h.high64, (unsigned long long)h.low64);
}

void tfp_digest(const void *data, size_t size, char out[TFP_DIGEST])
{
    XXH128_hash_t h = XXH3_128bits(data, size);
    put_digest(h, out);
}

bool tfp_digest_descriptor(int fd, char out[TFP_DIGEST])
{
    enum { PIECE = 1 << 20 };
    XXH3_state_t *state = XXH3_createState();
    char *piece = malloc(PIECE);
    ssize_t got = -1;
    if (state && piece && XXH3_128bits_reset(state) == XXH_OK)
        while ((got = tfp_read_some(fd, piece, PIECE)) > 0) XXH3_128bits_update(state, piece, (size_t)got);
    if (!got) put_digest(XXH3_128bits_digest(state), out);
    free(piece);
    XXH3_freeState(state);
    return !got;
}

uint32_t tfp_string_hash(tfp_str s) { return (uint32_t)tfp_hash(s.data, s.size); }

bool tfp_slots_resize(uint64_t **slots, size_t *slot_count, size_t now)
{
    uint64_t *moved = tfp_alloc_written(now, sizeof *moved);
    if (!moved) return false;
    for (size_t i = 0; i < *slot_count; i++) {
        if (!(*slots)[i]) continue;
        size_t at = (size_t)((*slots)[i] >> 32) & (now - 1);
        while (moved[at]) at = (at + 1) & (now - 1);
        moved[at] = (*slots)[i];
    }
    free(*slots);
    *slots = moved;
    *slot_count = now;
    return true;
}

tfp_status tfp_strtab_init(tfp_strtab *t, tfp_arena *arena)
{
    *t = (tfp_strtab){ .arena = arena };
    return tfp_slots_resize(&t->slots, &t->slot_count, 256) && tfp_intern(t, TFP_STR("")) == 0 ? TFP_OK : TFP_NOMEM;
}

/* The slot of s, or the free slot where it would go. */
static size_t find_slot(const tfp_strtab *t, tfp_str s, uint32_t hash)
{
    size_t at = hash & (t->slot_count - 1);
    for (uint64_t slot; (slot = t->slots[at]); at = (at + 1) & (t->slot_count - 1))
        if (slot >> 32 == hash && tfp_str_eq(t->strings[(uint32_t)slot - 1], s)) break;
    return at;
}

tfp_strid tfp_intern(tfp_strtab *t, tfp_str s) { return tfp_intern_hashed(t, s, tfp_string_hash(s)); }

tfp_strid tfp_intern_hashed(tfp_strtab *t, tfp_str s, uint32_t hash)
{
    size_t at = find_slot(t, s, hash);
    if (t->slots[at]) return (tfp_strid)t->slots[at] - 1;
    if (t->count >= TFP_NONE - 2) return TFP_NONE;
    if (t->count >= t->capacity && !tfp_grow((void **)&t->strings, &t->capacity, t->count + 1, sizeof *t->strings))
        return TFP_NONE;
    if ((t->count + 1) * 2 > t->slot_count) {
        if (!tfp_slots_resize(&t->slots, &t->slot_count, t->slot_count * 2)) return TFP_NONE;
        at = find_slot(t, s, hash);
    }
    const char *bytes = t->arena ? tfp_arena_copy(t->arena, s) : s.data;
    if (!bytes) return TFP_NONE;
    t->strings[t->count] = (tfp_str){ bytes, s.size };
    t->slots[at] = (uint64_t)hash << 32 | (uint32_t)++t->count;
    return (tfp_strid)(t->count - 1);
}

tfp_strid tfp_intern_kept(tfp_strtab *t, tfp_str s)
{
    tfp_arena *arena = t->arena;
    t->arena = NULL;
    tfp_strid id = tfp_intern(t, s);
    t->arena = arena;
    return id;
}

tfp_strid tfp_strtab_find(const tfp_strtab *t, tfp_str s) { return tfp_strtab_find_hashed(t, s, tfp_string_hash(s)); }

tfp_strid tfp_strtab_find_hashed(const tfp_strtab *t, tfp_str s, uint32_t hash)
{
    if (!t->slot_count) return TFP_NONE;
    uint32_t id = (uint32_t)t->slots[find_slot(t, s, hash)];
    return id ? id - 1 : TFP_NONE;
}

void tfp_strtab_clear(tfp_strtab *t)
{
    if (t->count < 2) return;
    memset(t->slots, 0, t->slot_count * sizeof *t->slots);
    t->count = 0;
    tfp_intern(t, TFP_STR("")); /* there is room for it */
}

void tfp_strtab_hashes(const tfp_strtab *t, uint32_t *hashes)
{
    for (size_t i = 0; i < t->slot_count; i++)
        if (t->slots[i]) hashes[(uint32_t)t->slots[i] - 1] = (uint32_t)(t->slots[i] >> 32);
}

void tfp_strtab_free(tfp_strtab *t)
{
    free(t->strings);
    free(t->slots);
    *t = (tfp_strtab){ 0 };
}

/* ---- 64-bit keys ---- */

/* Keys are often two ids side by side, or ids chosen by a file: every bit must affect the slot. The table's address is
 * mixed in, so that a file cannot be crafted to make all keys collide. */
static uint64_t mix(uint64_t key, const void *salt)
{
    key ^= (uint64_t)(uintptr_t)salt >> 4 ^ hash_seed();
    key = (key ^ key >> 33) * 0xff51afd7ed558ccdu;
    key = (key ^ key >> 33) * 0xc4ceb9fe1a85ec53u;
    return key ^ key >> 33;
}

static size_t key_slot(const tfp_map64 *m, uint64_t key)
{
    size_t at = (size_t)mix(key, m->keys) & (m->slot_count - 1);
    while (m->values[at] && m->keys[at] != key) at = (at + 1) & (m->slot_count - 1);
    return at;
}

uint32_t tfp_map64_get(const tfp_map64 *m, uint64_t key)
{
    if (!m->slot_count) return TFP_NONE;
    return m->values[key_slot(m, key)] - 1; /* 0 - 1 is TFP_NONE */
}

static bool grow_map(tfp_map64 *m)
{
    tfp_map64 bigger = { .slot_count = m->slot_count ? m->slot_count * 2 : 64, .count = m->count };
    bigger.keys = malloc(bigger.slot_count * sizeof *bigger.keys);
    bigger.values = tfp_alloc_written(bigger.slot_count, sizeof *bigger.values);
    if (!bigger.keys || !bigger.values) {
        tfp_map64_free(&bigger);
        return false;
    }
    for (size_t i = 0; i < m->slot_count; i++) {
        if (!m->values[i]) continue;
        size_t at = key_slot(&bigger, m->keys[i]);
        bigger.keys[at] = m->keys[i];
        bigger.values[at] = m->values[i];
    }
    tfp_map64_free(m);
    *m = bigger;
    return true;
}

bool tfp_map64_put(tfp_map64 *m, uint64_t key, uint32_t value)
{
    if ((m->count + 1) * 2 > m->slot_count && !grow_map(m)) return false;
    size_t at = key_slot(m, key);
    if (!m->values[at]) m->count++;
    m->keys[at] = key;
    m->values[at] = value + 1;
    return true;
}

void tfp_map64_clear(tfp_map64 *m)
{
    if (m->count) memset(m->values, 0, m->slot_count * sizeof *m->values);
    m->count = 0;
}

void tfp_map64_free(tfp_map64 *m)
{
    free(m->keys);
    free(m->values);
    *m = (tfp_map64){ 0 };
}
