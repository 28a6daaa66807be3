// SPDX-License-Identifier: Apache-2.0
/* live/proc/elf.c: see elf.h. The table of names is searched for the wanted names in one window after another; then the symbols are
 * searched for those whose names begin at the places found. So memory does not depend on the file's size. */
#include "live/proc/elf.h"

#include <unistd.h>

#define CHUNK 4096               /* symbols that are read at a time */
#define WINDOW ((size_t)1 << 20) /* bytes of names or of code that are read at a time */
#define NAME_ROOM 4096           /* bytes of a name that are compared */
/* most places where a wanted name may begin: names share their ends with longer names */
#define PLACES 64

typedef struct elf {
    int fd;
    Elf64_Ehdr head;
    uint64_t left; /* bytes that may still be read */
    char *room;    /* WINDOW + NAME_ROOM */
} elf;

bool tfp_elf_read(int fd, void *out, size_t size, uint64_t at)
{
    if (at > INT64_MAX - size) return false;
    for (size_t done = 0; done < size;) {
        ssize_t n = pread(fd, (char *)out + done, size - done, (off_t)(at + done));
        if (n <= 0) return false;
        done += (size_t)n;
    }
    return true;
}

/* Reads a part of a table or of code, within the limit. */
static bool read_some(elf *e, void *out, size_t size, uint64_t at, tfp_elf_facts *facts)
{
    if (size > e->left) {
        facts->too_big = true;
        e->left = 0;
        return false;
    }
    e->left -= size;
    return tfp_elf_read(e->fd, out, size, at);
}

bool tfp_elf_head(int fd, Elf64_Ehdr *h)
{
    return fd >= 0 && tfp_elf_read(fd, h, sizeof *h, 0) && memcmp(h->e_ident, ELFMAG, SELFMAG) == 0 &&
           h->e_ident[EI_CLASS] == ELFCLASS64 && (!h->e_shnum || h->e_shentsize == sizeof(Elf64_Shdr)) &&
           (!h->e_phnum || h->e_phentsize == sizeof(Elf64_Phdr));
}

bool tfp_elf_section(int fd, const Elf64_Ehdr *h, uint32_t i, Elf64_Shdr *out)
{
    return i < h->e_shnum && tfp_elf_read(fd, out, sizeof *out, h->e_shoff + (uint64_t)i * sizeof *out);
}

bool tfp_elf_segment(int fd, const Elf64_Ehdr *h, uint32_t i, Elf64_Phdr *out)
{
    return i < h->e_phnum && tfp_elf_read(fd, out, sizeof *out, h->e_phoff + (uint64_t)i * sizeof *out);
}

static bool begin(elf *e, int fd, uint64_t most, tfp_elf_facts *facts)
{
    *facts = (tfp_elf_facts){ .moves = false };
    *e = (elf){ .fd = fd, .left = most };
    bool ok = tfp_elf_head(fd, &e->head);
    facts->moves = ok && e->head.e_type == ET_DYN;
    e->room = ok ? malloc(WINDOW + NAME_ROOM) : NULL;
    return e->room != NULL;
}

/* The file offset of an address, found by the loaded segments. */
static uint64_t offset_of(const elf *e, uint64_t address)
{
    Elf64_Phdr p;
    for (uint32_t i = 0; tfp_elf_segment(e->fd, &e->head, i, &p); i++)
        if (p.p_type == PT_LOAD && address >= p.p_vaddr && address - p.p_vaddr < p.p_filesz)
            return address - p.p_vaddr + p.p_offset;
    return 0;
}

/* ---- names ---- */

/* Where wanted names begin in a table of names. */
typedef struct places {
    uint64_t mask; /* one bit for the last six bits of each place: rules out most symbols quickly */
    struct {
        uint64_t at;
        size_t name;
    } of[PLACES];
    size_t count, cold;
} places;

typedef struct wanted {
    const char *const *names;
    size_t count;
    bool prefix; /* the names are beginnings; otherwise whole names */
} wanted;

/* Whether no more places are wanted. Cold parts have a limit of their own, because a hostile table with nothing but cold
 * parts would take too long. */
static bool is_full(const places *p) { return p->count == PLACES || p->cold > 16 * PLACES; }

static void add_place(places *p, uint64_t at, size_t name)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->of[i].at == at && p->of[i].name == name) return; /* found already, because windows overlap */
    if (p->count == PLACES) return;
    p->of[p->count].at = at;
    p->of[p->count++].name = name;
    p->mask |= (uint64_t)1 << (at & 63);
}

static void search_window(const wanted *w, const char *text, size_t size, uint64_t base, places *out)
{
    for (size_t i = 0; i < w->count; i++) {
        size_t length = strlen(w->names[i]) + !w->prefix; /* a whole name is compared with its NUL */
        const char *end = text + size;
        for (const char *at = text; (at = memmem(at, (size_t)(end - at), w->names[i], length)); at++) {
            size_t rest = (size_t)(end - at) < NAME_ROOM ? (size_t)(end - at) : NAME_ROOM;
            if (w->prefix && memmem(at, strnlen(at, rest), ".cold", 5))
                out->cold++;
            else
                add_place(out, base + (uint64_t)(at - text), i);
            if (is_full(out)) return;
        }
    }
}

/* False: the names cannot be read. */
static bool find_places(elf *e, const Elf64_Shdr *table, const wanted *w, places *out, tfp_elf_facts *facts)
{
    Elf64_Shdr names;
    size_t kept = 0;
    *out = (places){ .count = 0 };
    if (!tfp_elf_section(e->fd, &e->head, table->sh_link, &names)) return false;
    for (uint64_t at = 0; at < names.sh_size && !is_full(out);) {
        size_t n = names.sh_size - at < WINDOW ? (size_t)(names.sh_size - at) : WINDOW;
        if (!read_some(e, e->room + kept, n, names.sh_offset + at, facts)) return false;
        search_window(w, e->room, kept + n, at - kept, out);
        size_t have = kept + n;
        at += n;
        kept = have < NAME_ROOM ? have : NAME_ROOM;
        memmove(e->room, e->room + have - kept, kept);
    }
    return true;
}

/* ---- symbols ---- */

typedef bool (*take_fn)(void *ctx, const Elf64_Sym *s, size_t name); /* returns true when no further symbol is wanted */

static bool visit_table(elf *e, const Elf64_Shdr *table, const wanted *w, take_fn take, void *ctx, tfp_elf_facts *facts)
{
    uint64_t count = table->sh_size / sizeof(Elf64_Sym);
    Elf64_Sym *symbols = (Elf64_Sym *)(void *)e->room;
    places p;
    if (!find_places(e, table, w, &p, facts) || !p.count) return false;
    for (uint64_t at = 0; at < count; at += CHUNK) {
        size_t n = count - at < CHUNK ? (size_t)(count - at) : CHUNK;
        if (!read_some(e, symbols, n * sizeof *symbols, table->sh_offset + at * sizeof *symbols, facts)) return false;
        for (size_t i = 0; i < n; i++) {
            if (!(p.mask >> (symbols[i].st_name & 63) & 1)) continue;
            for (size_t k = 0; k < p.count; k++)
                if (p.of[k].at == symbols[i].st_name && take(ctx, &symbols[i], p.of[k].name)) return true;
        }
    }
    return false;
}

/* Passes all symbols that have a wanted name to `take`, table by table, until it returns true. */
static void visit(elf *e, const wanted *w, take_fn take, void *ctx, tfp_elf_facts *facts)
{
    Elf64_Shdr s;
    for (uint32_t i = 0; e->left && tfp_elf_section(e->fd, &e->head, i, &s); i++)
        if ((s.sh_type == SHT_DYNSYM || s.sh_type == SHT_SYMTAB) && visit_table(e, &s, w, take, ctx, facts)) return;
}

typedef struct collected {
    uint64_t *values;
    size_t left;
} collected;

static bool take_value(void *ctx, const Elf64_Sym *s, size_t name)
{
    collected *c = ctx;
    if (!s->st_value || s->st_shndx == SHN_UNDEF || c->values[name]) return false;
    c->values[name] = s->st_value;
    return --c->left == 0;
}

static bool take_function(void *ctx, const Elf64_Sym *s, size_t name)
{
    return ELF64_ST_TYPE(s->st_info) == STT_FUNC && take_value(ctx, s, name);
}

void tfp_elf_functions(int fd, const char *const *prefixes, uint64_t *offsets, size_t count, tfp_elf_facts *facts)
{
    elf e;
    collected c = { offsets, count };
    memset(offsets, 0, count * sizeof *offsets);
    if (begin(&e, fd, TFP_ELF_MOST, facts)) {
        visit(&e, &(wanted){ prefixes, count, true }, take_function, &c, facts);
        for (size_t i = 0; i < count; i++)
            if (offsets[i]) offsets[i] = offset_of(&e, offsets[i]);
    }
    free(e.room);
}

bool tfp_elf_symbols(int fd, const char *const *names, uint64_t *values, size_t count, tfp_elf_facts *facts)
{
    elf e;
    collected c = { values, count };
    memset(values, 0, count * sizeof *values);
    bool ok = begin(&e, fd, TFP_ELF_SMALL, facts) && e.head.e_machine == EM_X86_64;
    if (ok) visit(&e, &(wanted){ names, count, false }, take_value, &c, facts);
    free(e.room);
    return ok;
}

/* ---- code by its bytes ---- */

/* The first place of `bytes` in a loaded, executable segment. */
static uint64_t search_segment(elf *e, const Elf64_Phdr *p, tfp_str bytes, tfp_elf_facts *facts)
{
    for (uint64_t at = 0; at < p->p_filesz && p->p_filesz - at >= bytes.size;) {
        size_t n = p->p_filesz - at < WINDOW ? (size_t)(p->p_filesz - at) : WINDOW;
        if (!read_some(e, e->room, n, p->p_offset + at, facts)) return 0;
        const char *found = memmem(e->room, n, bytes.data, bytes.size);
        if (found) return p->p_vaddr + at + (uint64_t)(found - e->room);
        at += n - (bytes.size - 1); /* the bytes may cross the border of two windows */
    }
    return 0;
}

uint64_t tfp_elf_code(int fd, tfp_str bytes, tfp_elf_facts *facts)
{
    elf e;
    Elf64_Phdr p;
    uint64_t found = 0;
    bool ok = begin(&e, fd, TFP_ELF_SMALL, facts);
    for (uint32_t i = 0; ok && !found && e.left && tfp_elf_segment(fd, &e.head, i, &p); i++)
        if (p.p_type == PT_LOAD && (p.p_flags & PF_X)) found = search_segment(&e, &p, bytes, facts);
    free(e.room);
    return found;
}
