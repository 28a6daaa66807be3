// SPDX-License-Identifier: Apache-2.0
/* live/elf.c: the place of a function in a library, by its symbol tables, and of code, by its bytes. Every offset and size in the file is checked. */
#include "live/probe.h"
#include "live/python.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK 4096 /* symbols at a time */
#define NAMES_MOST ((uint64_t)1 << 30)
#define WINDOW 65536 /* bytes of code at a time; more than are ever searched for */

static bool read_at(int fd, void *out, size_t size, uint64_t at)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = pread(fd, (char *)out + done, size - done, (off_t)(at + done));
        if (n <= 0) return false;
        done += (size_t)n;
    }
    return true;
}

typedef struct elf {
    int fd;
    Elf64_Ehdr head;
    const char *prefix;
} elf;

/* The file's offset of an address, by the segments that are loaded. */
static uint64_t offset_of(const elf *e, uint64_t address)
{
    for (uint32_t i = 0; i < e->head.e_phnum; i++) {
        Elf64_Phdr p;
        if (!read_at(e->fd, &p, sizeof p, e->head.e_phoff + (uint64_t)i * sizeof p)) return 0;
        if (p.p_type == PT_LOAD && address >= p.p_vaddr && address - p.p_vaddr < p.p_filesz)
            return address - p.p_vaddr + p.p_offset;
    }
    return 0;
}

/* All names of a symbol table, ended by NUL; NULL when it cannot be had. */
static char *read_names(const elf *e, const Elf64_Shdr *table, uint64_t *size)
{
    Elf64_Shdr names;
    if (table->sh_link >= e->head.e_shnum ||
        !read_at(e->fd, &names, sizeof names, e->head.e_shoff + (uint64_t)table->sh_link * sizeof names))
        return NULL;
    char *text = names.sh_size && names.sh_size < NAMES_MOST ? malloc(names.sh_size + 1) : NULL;
    if (text && !read_at(e->fd, text, names.sh_size, names.sh_offset)) {
        free(text);
        return NULL;
    }
    if (text) text[names.sh_size] = '\0';
    *size = names.sh_size;
    return text;
}

static bool is_wanted(const elf *e, const Elf64_Sym *s, const char *names, uint64_t size)
{
    if (!s->st_value || ELF64_ST_TYPE(s->st_info) != STT_FUNC || s->st_name >= size) return false;
    const char *name = names + s->st_name;
    return strncmp(name, e->prefix, strlen(e->prefix)) == 0 && !strstr(name, ".cold");
}

static uint64_t search_table(const elf *e, const Elf64_Shdr *table)
{
    uint64_t size = 0, found = 0, count = table->sh_size / sizeof(Elf64_Sym);
    char *names = read_names(e, table, &size);
    Elf64_Sym *symbols = names ? malloc(CHUNK * sizeof *symbols) : NULL;
    for (uint64_t at = 0; symbols && at < count && !found; at += CHUNK) {
        size_t n = count - at < CHUNK ? (size_t)(count - at) : CHUNK;
        if (!read_at(e->fd, symbols, n * sizeof *symbols, table->sh_offset + at * sizeof *symbols)) break;
        for (size_t i = 0; i < n && !found; i++)
            if (is_wanted(e, &symbols[i], names, size)) found = offset_of(e, symbols[i].st_value);
    }
    free(symbols);
    free(names);
    return found;
}

uint64_t tfp_elf_function(const char *path, const char *prefix)
{
    elf e = { .fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), .prefix = prefix };
    uint64_t found = 0;
    if (e.fd < 0) return 0;
    bool ok = read_at(e.fd, &e.head, sizeof e.head, 0) && memcmp(e.head.e_ident, ELFMAG, SELFMAG) == 0 &&
              e.head.e_ident[EI_CLASS] == ELFCLASS64 && e.head.e_shentsize == sizeof(Elf64_Shdr) &&
              e.head.e_phentsize == sizeof(Elf64_Phdr);
    for (uint32_t i = 0; ok && i < e.head.e_shnum && !found; i++) {
        Elf64_Shdr s;
        ok = read_at(e.fd, &s, sizeof s, e.head.e_shoff + (uint64_t)i * sizeof s);
        if (ok && (s.sh_type == SHT_DYNSYM || s.sh_type == SHT_SYMTAB)) found = search_table(&e, &s);
    }
    close(e.fd);
    return found;
}

/* ---- symbols by their whole names ---- */

typedef struct wanted {
    const char *const *names;
    uint64_t *values;
    size_t count, left;
} wanted;

static void match(wanted *w, const Elf64_Sym *s, const char *names, uint64_t size)
{
    if (!s->st_value || s->st_shndx == SHN_UNDEF || s->st_name >= size) return;
    for (size_t i = 0; i < w->count; i++) {
        if (w->values[i] || strcmp(names + s->st_name, w->names[i]) != 0) continue;
        w->values[i] = s->st_value;
        w->left--;
    }
}

static void collect(const elf *e, const Elf64_Shdr *table, wanted *w)
{
    uint64_t size = 0, count = table->sh_size / sizeof(Elf64_Sym);
    char *names = read_names(e, table, &size);
    Elf64_Sym *symbols = names ? malloc(CHUNK * sizeof *symbols) : NULL;
    for (uint64_t at = 0; symbols && at < count && w->left; at += CHUNK) {
        size_t n = count - at < CHUNK ? (size_t)(count - at) : CHUNK;
        if (!read_at(e->fd, symbols, n * sizeof *symbols, table->sh_offset + at * sizeof *symbols)) break;
        for (size_t i = 0; i < n && w->left; i++) match(w, &symbols[i], names, size);
    }
    free(symbols);
    free(names);
}

bool tfp_elf_symbols(const char *path, const char *const *names, uint64_t *values, size_t count, bool *moves)
{
    elf e = { .fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) };
    wanted w = { names, values, count, count };
    memset(values, 0, count * sizeof *values);
    if (e.fd < 0) return false;
    bool ok = read_at(e.fd, &e.head, sizeof e.head, 0) && memcmp(e.head.e_ident, ELFMAG, SELFMAG) == 0 &&
              e.head.e_ident[EI_CLASS] == ELFCLASS64 && e.head.e_machine == EM_X86_64 &&
              e.head.e_shentsize == sizeof(Elf64_Shdr);
    *moves = ok && e.head.e_type == ET_DYN;
    for (uint32_t i = 0; ok && i < e.head.e_shnum && w.left; i++) {
        Elf64_Shdr s;
        if (!read_at(e.fd, &s, sizeof s, e.head.e_shoff + (uint64_t)i * sizeof s)) break;
        if (s.sh_type == SHT_DYNSYM || s.sh_type == SHT_SYMTAB) collect(&e, &s, &w);
    }
    close(e.fd);
    return ok;
}

/* ---- code by its bytes ---- */

/* The first place of `bytes` in a loaded, executable segment. */
static uint64_t search_segment(int fd, const Elf64_Phdr *p, tfp_str bytes, char *room)
{
    for (uint64_t at = 0; at + bytes.size <= p->p_filesz && p->p_filesz < NAMES_MOST;) {
        size_t n = p->p_filesz - at < WINDOW ? (size_t)(p->p_filesz - at) : WINDOW;
        if (!read_at(fd, room, n, p->p_offset + at)) return 0;
        const char *found = memmem(room, n, bytes.data, bytes.size);
        if (found) return p->p_vaddr + at + (uint64_t)(found - room);
        at += n - (bytes.size - 1); /* they may stand across the border of two windows */
    }
    return 0;
}

uint64_t tfp_elf_code(const char *path, tfp_str bytes, bool *moves)
{
    elf e = { .fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) };
    char *room = e.fd >= 0 ? malloc(WINDOW) : NULL;
    uint64_t found = 0;
    bool ok = room && read_at(e.fd, &e.head, sizeof e.head, 0) && memcmp(e.head.e_ident, ELFMAG, SELFMAG) == 0 &&
              e.head.e_ident[EI_CLASS] == ELFCLASS64 && e.head.e_phentsize == sizeof(Elf64_Phdr);
    *moves = ok && e.head.e_type == ET_DYN;
    for (uint32_t i = 0; ok && i < e.head.e_phnum && !found; i++) {
        Elf64_Phdr p;
        ok = read_at(e.fd, &p, sizeof p, e.head.e_phoff + (uint64_t)i * sizeof p);
        if (ok && p.p_type == PT_LOAD && (p.p_flags & PF_X)) found = search_segment(e.fd, &p, bytes, room);
    }
    free(room);
    if (e.fd >= 0) close(e.fd);
    return found;
}
