// SPDX-License-Identifier: Apache-2.0
/* base/arena.c: memory with one owner: allocated piece by piece, freed as a whole. Also growable arrays. */
#include "base/base.h"

#include <stdlib.h>

#define BLOCK_SIZE ((size_t)64 << 10)
#define BLOCK_MAX ((size_t)4 << 20)

/* AddressSanitizer knows only whole blocks, and a block holds many allocations. So each allocation gets poisoned bytes
 * around it, and a read or write past its end is reported. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define REDZONES 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define REDZONES 1
#endif
#ifdef REDZONES
#include <sanitizer/asan_interface.h>
enum { REDZONE = 16 };
#else
enum { REDZONE = 0 };
#define ASAN_POISON_MEMORY_REGION(at, size) ((void)0)
#define ASAN_UNPOISON_MEMORY_REGION(at, size) ((void)0)
#endif

struct tfp_arena_block {
    tfp_arena_block *next;
    max_align_t data[];
};

static bool add_block(tfp_arena *a, size_t need)
{
    /* blocks grow with the arena: a big profile needs few blocks, a small one little memory */
    size_t size = a->used / 4;
    if (size < BLOCK_SIZE) size = BLOCK_SIZE;
    if (size > BLOCK_MAX) size = BLOCK_MAX;
    if (size < need) size = need;
    bool over = a->limit && a->used + size > a->limit && a->used + need > a->limit;
    a->refused |= over;
    if (size > SIZE_MAX / 2 || over) return false;
    tfp_arena_block *b = calloc(1, sizeof *b + size); /* memory is never reused, so nothing else must clear it */
    if (!b) return false;
    b->next = a->blocks;
    a->blocks = b;
    a->at = (char *)b->data;
    a->end = a->at + size;
    a->used += size;
    ASAN_POISON_MEMORY_REGION(a->at, size);
    return true;
}

void *tfp_arena_alloc(tfp_arena *a, size_t size)
{
    if (size > SIZE_MAX / 4) return NULL;
    size_t room = ((size + 15) & ~(size_t)15) + REDZONE;
    if (room == 0) room = 16;
    if ((size_t)(a->end - a->at) < room && !add_block(a, room)) return NULL;
    void *p = a->at;
    a->at += room;
    ASAN_UNPOISON_MEMORY_REGION(p, size);
    return p;
}

void *tfp_arena_zero(tfp_arena *a, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) return NULL;
    return tfp_arena_alloc(a, bytes);
}

/* Strings are not aligned, because most allocations of an arena are strings. */
char *tfp_arena_copy(tfp_arena *a, tfp_str s)
{
    if (s.size > SIZE_MAX / 4) return NULL;
    size_t room = s.size + 1 + 16 + REDZONE;
    if ((size_t)(a->end - a->at) < room && !add_block(a, room)) return NULL;
    char *p = a->at;
    ASAN_UNPOISON_MEMORY_REGION(p, s.size + 1);
    if (s.size) memcpy(p, s.data, s.size);
    p[s.size] = 0;
    a->at += s.size + 1 + REDZONE;
    a->at += -(uintptr_t)a->at & 15; /* the next piece is aligned again */
    return p;
}

void tfp_arena_free(tfp_arena *a)
{
    for (tfp_arena_block *b = a->blocks, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    *a = (tfp_arena){ 0 };
}

void *tfp_alloc_written(size_t count, size_t size)
{
    size_t bytes;
    void *p = __builtin_mul_overflow(count, size, &bytes) ? NULL : malloc(bytes);
    __asm__ volatile("" : "+r"(p)); /* prevents the compiler from merging malloc and memset into calloc */
    if (p) memset(p, 0, bytes);
    return p;
}

bool tfp_grow(void **at, size_t *capacity, size_t need, size_t item)
{
    size_t bytes, wanted = *capacity + *capacity / 2;
    if (wanted < need) wanted = need;
    if (wanted < 16) wanted = 16;
    if (__builtin_mul_overflow(wanted, item, &bytes)) return false;
    void *p = realloc(*at, bytes);
    if (!p) return false;
    *at = p;
    *capacity = wanted;
    return true;
}
