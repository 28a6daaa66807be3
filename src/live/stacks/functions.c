// SPDX-License-Identifier: Apache-2.0
/* live/stacks/functions.c: the functions of a mapped file by address (image.h). Only addresses are kept in memory; a name is read from the
 * file when it is needed, because a framework has 200 MB of names. */
#include "live/proc/elf.h"
#include "live/stacks/image.h"
#include "query/order.h"

#define CHUNK 4096              /* symbols that are read at a time */
#define TABLE_MOST (96u << 20)  /* most bytes of symbols that are read of a file */
#define NAMES_MOST (256u << 20) /* most bytes of names that are searched for a prefix */
#define WINDOW (64u << 10)
#define PLACES 64 /* most places where a wanted name may begin */
#define SAME 16   /* most functions with the same address that are compared */

/* ---- reading ---- */

/* Finds the full symbol table if there is one, otherwise the one for dynamic linking. */
static bool find_table(int fd, const Elf64_Ehdr *h, Elf64_Shdr *out)
{
    Elf64_Shdr s;
    bool found = false;
    for (uint32_t i = 1; i < 4096 && tfp_elf_section(fd, h, i, &s); i++) {
        if (s.sh_type != SHT_SYMTAB && (s.sh_type != SHT_DYNSYM || found)) continue;
        *out = s;
        found = true;
        if (s.sh_type == SHT_SYMTAB) break;
    }
    return found && out->sh_entsize == sizeof(Elf64_Sym);
}

static bool is_function(const Elf64_Sym *s)
{
    int type = ELF64_ST_TYPE(s->st_info);
    return (type == STT_FUNC || type == STT_GNU_IFUNC) && s->st_value && s->st_name && s->st_shndx != SHN_UNDEF &&
           s->st_name < (uint32_t)1 << 31;
}

static int by_address(const void *a, const void *b)
{
    const tfp_function *x = a, *y = b;
    if (x->low != y->low) return x->low < y->low ? -1 : 1;
    return (x->is_global > y->is_global) - (x->is_global < y->is_global);
}

static bool push(tfp_functions *f, const Elf64_Sym *s, tfp_image_budget *left)
{
    size_t room = f->all.capacity;
    tfp_function one = { s->st_value, s->st_size < UINT32_MAX ? (uint32_t)s->st_size : UINT32_MAX,
                         s->st_name & INT32_MAX, ELF64_ST_BIND(s->st_info) != STB_LOCAL };
    if (!tfp_push(&f->all, one)) return false;
    uint64_t more = (f->all.capacity - room) * sizeof one;
    bool fits = more <= left->held;
    left->held -= fits ? more : left->held;
    return fits;
}

bool tfp_functions_read(int fd, tfp_image_budget *left, tfp_functions *out)
{
    Elf64_Ehdr h;
    Elf64_Shdr table, names;
    if (!tfp_elf_head(fd, &h) || !find_table(fd, &h, &table) || !tfp_elf_section(fd, &h, table.sh_link, &names))
        return false;
    if (table.sh_size > TABLE_MOST || table.sh_size > left->read) return false;
    left->read -= table.sh_size;
    out->names = names.sh_offset;
    out->names_size = names.sh_size;
    Elf64_Sym *room = malloc(CHUNK * sizeof *room);
    bool ok = room != NULL;
    uint64_t count = table.sh_size / sizeof *room;
    for (uint64_t at = 0; ok && at < count; at += CHUNK) {
        size_t n = count - at < CHUNK ? (size_t)(count - at) : CHUNK;
        ok = tfp_elf_read(fd, room, n * sizeof *room, table.sh_offset + at * sizeof *room);
        for (size_t i = 0; ok && i < n; i++)
            if (is_function(&room[i])) ok = push(out, &room[i], left);
    }
    free(room);
    if (out->all.size) qsort(out->all.at, out->all.size, sizeof *out->all.at, by_address);
    return ok;
}

void tfp_functions_free(tfp_functions *f, tfp_image_budget *left)
{
    uint64_t held = left->held + f->all.capacity * sizeof *f->all.at;
    left->held = held < TFP_IMAGE_HELD ? held : TFP_IMAGE_HELD;
    tfp_vec_free(&f->all);
}

/* ---- names ---- */

static bool read_name(const tfp_functions *f, int fd, uint32_t name, char *out, size_t room)
{
    if (name >= f->names_size) return false;
    size_t size = f->names_size - name < room - 1 ? (size_t)(f->names_size - name) : room - 1;
    out[size] = '\0';
    return tfp_elf_read(fd, out, size, f->names + name) && *out;
}

static bool holds(const tfp_function *f, uint64_t address) { return address - f->low < f->size; }

/* The last function that begins at or before an address and either contains it or has no size; SIZE_MAX: none. */
static size_t at_address(const tfp_functions *f, uint64_t address)
{
    size_t later;
    TFP_LOWER_BOUND(later, 0, f->all.size, f->all.at[later].low <= address);
    for (size_t i = later, tries = 0; i-- > 0 && tries < SAME; tries++)
        if (holds(&f->all.at[i], address) || (!f->all.at[i].size && !tries)) return i;
    return SIZE_MAX;
}

bool tfp_functions_name(const tfp_functions *f, int fd, uint64_t address, char *out, size_t room)
{
    size_t i = at_address(f, address);
    if (i == SIZE_MAX || !read_name(f, fd, f->all.at[i].name, out, room)) return false;
    const tfp_function *best = &f->all.at[i];
    char *other = malloc(room);
    for (size_t tries = 0; other && i-- > 0 && tries < SAME; tries++) { /* of several names the shortest is used */
        const tfp_function *one = &f->all.at[i];
        if (one->low != best->low || one->is_global != best->is_global || one->size != best->size) break;
        if (!read_name(f, fd, one->name, other, room)) continue;
        size_t m = strlen(other), n = strlen(out);
        if (m < n || (m == n && strcmp(other, out) < 0)) memcpy(out, other, m + 1);
    }
    free(other);
    return true;
}

/* ---- by the beginning of a name ---- */

/* Finds where the prefix occurs in the table of names. */
static size_t find_places(const tfp_functions *f, int fd, const char *prefix, uint32_t places[PLACES])
{
    size_t count = 0, size = strlen(prefix);
    char *room = malloc(WINDOW);
    uint64_t end = f->names_size < NAMES_MOST ? f->names_size : NAMES_MOST;
    for (uint64_t at = 0; room && at + size < end && count < PLACES; at += WINDOW - size) {
        size_t n = end - at < WINDOW ? (size_t)(end - at) : WINDOW;
        if (!tfp_elf_read(fd, room, n, f->names + at)) break;
        for (const char *p = room; count < PLACES && (p = memmem(p, n - (size_t)(p - room), prefix, size)); p++)
            places[count++] = (uint32_t)(at + (uint64_t)(p - room));
    }
    free(room);
    return count;
}

size_t tfp_functions_ranges(const tfp_functions *f, int fd, const char *prefix, uint64_t (*out)[2], size_t room)
{
    uint32_t places[PLACES];
    size_t place_count = find_places(f, fd, prefix, places), count = 0;
    for (size_t i = 0; place_count && i < f->all.size && count < room; i++)
        for (size_t k = 0; k < place_count; k++) {
            if (f->all.at[i].name != places[k]) continue;
            out[count][0] = f->all.at[i].low;
            out[count++][1] = f->all.at[i].low + f->all.at[i].size;
            break;
        }
    return count;
}
