// SPDX-License-Identifier: Apache-2.0
/* live/stacks/image.c: an ELF file for libdw: header, loaded segments and four sections (none, .eh_frame_hdr, .eh_frame, their names). libdw
 * follows offsets from .eh_frame_hdr to entries of .eh_frame and from these to others, and allocates what an entry asks for. So the size of
 * an entry is limited, and offsets that lead to no entry are removed. */
#include "live/stacks/image.h"

#include "live/proc/elf.h"

#include <sys/stat.h>

#define SECTIONS_MOST 4096
#define LOADS_MOST 256
#define ENTRY_MOST (128u << 10) /* most bytes of an entry; the biggest one seen, in cuFFT, has 60,768 */
/* most bytes of entries when there is no sorted table, because libdw then goes through all of them */
#define WITHOUT_MOST (4u << 20)
#define HEADER_KNOWN                                                                                                   \
    0x3b031b01u /* version 1, and encodings: relative 4 bytes; 4 bytes; relative to the table, 4 bytes. All linkers write these. */
#define NAMES "\0.eh_frame_hdr\0.eh_frame\0.shstrtab"

typedef TFP_VEC(uint32_t) offsets;

typedef struct found {
    Elf64_Ehdr head;
    Elf64_Shdr frame, sorted; /* sh_size 0: the section is missing */
    Elf64_Phdr loads[LOADS_MOST];
    size_t load_count;
} found;

/* ---- what the file has ---- */

static bool find_segments(int fd, found *f)
{
    Elf64_Phdr p;
    for (uint32_t i = 0; tfp_elf_segment(fd, &f->head, i, &p) && f->load_count < LOADS_MOST; i++)
        if (p.p_type == PT_LOAD) f->loads[f->load_count++] = p;
    return f->load_count > 0;
}

static bool find_sections(int fd, found *f)
{
    Elf64_Shdr s, names;
    char name[16];
    if (f->head.e_shnum > SECTIONS_MOST || !tfp_elf_section(fd, &f->head, f->head.e_shstrndx, &names)) return false;
    for (uint32_t i = 1; tfp_elf_section(fd, &f->head, i, &s); i++) {
        if (s.sh_type == SHT_NOBITS || s.sh_name >= names.sh_size || names.sh_size - s.sh_name < sizeof ".eh_frame")
            continue;
        size_t size = names.sh_size - s.sh_name < sizeof name ? (size_t)(names.sh_size - s.sh_name) : sizeof name;
        memset(name, 0, sizeof name);
        if (!tfp_elf_read(fd, name, size, names.sh_offset + s.sh_name)) return false;
        if (strncmp(name, ".eh_frame", sizeof name) == 0) f->frame = s;
        if (strncmp(name, ".eh_frame_hdr", sizeof name) == 0) f->sorted = s;
    }
    return true;
}

/* ---- entries ---- */

static uint32_t word_at(const char *data, size_t at)
{
    uint32_t word;
    memcpy(&word, data + at, sizeof word);
    return word;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static bool has(const offsets *o, uint32_t at) { return o->size && bsearch(&at, o->at, o->size, sizeof at, by_number); }

/* Checks the entries of .eh_frame, one after another, up to the entry of length 0. Collects the offsets of the entries of functions; sets
 * *size to the end of the last entry. False: an entry is damaged, or no memory. */
static bool check_entries(const char *data, size_t *size, offsets *functions)
{
    offsets commons = { 0 };
    bool ok = true;
    size_t at = 0;
    while (ok && at + 8 <= *size && word_at(data, at)) {
        uint32_t length = word_at(data, at), common = word_at(data, at + 4);
        ok = length >= 4 && length <= ENTRY_MOST && length <= *size - at - 4;
        if (ok && !common) /* the distance back to the common entry, which every function's entry refers to */
            ok = tfp_push(&commons, (uint32_t)at);
        else if (ok)
            ok = common <= at + 4 && has(&commons, (uint32_t)(at + 4 - common)) && tfp_push(functions, (uint32_t)at);
        at += (size_t)length + 4;
    }
    if (ok) *size = at < *size ? at : *size;
    tfp_vec_free(&commons);
    return ok;
}

/* Whether all offsets of the sorted table lead to entries, and the table has the stated length. */
static bool is_sorted_known(const char *table, const found *f, const offsets *functions)
{
    size_t size = (size_t)f->sorted.sh_size;
    if (size < 12 || word_at(table, 0) != HEADER_KNOWN || word_at(table, 8) > (size - 12) / 8) return false;
    for (uint32_t i = 0; i < word_at(table, 8); i++) {
        uint64_t at = f->sorted.sh_addr + (uint64_t)(int64_t)(int32_t)word_at(table, 12 + 8 * (size_t)i + 4);
        if (at < f->frame.sh_addr || at - f->frame.sh_addr > UINT32_MAX ||
            !has(functions, (uint32_t)(at - f->frame.sh_addr)))
            return false;
    }
    return true;
}

/* ---- the image ---- */

static bool spend(tfp_image_budget *left, uint64_t size)
{
    if (size > left->held || size > left->read) return false;
    left->held -= size;
    left->read -= size;
    return true;
}

static bool read_tables(int fd, tfp_image_budget *left, found *f, char **frame, char **sorted)
{
    if (!f->frame.sh_size || !spend(left, f->frame.sh_size)) return false;
    *frame = malloc((size_t)f->frame.sh_size);
    if (!*frame || !tfp_elf_read(fd, *frame, (size_t)f->frame.sh_size, f->frame.sh_offset)) return false;
    if (!f->sorted.sh_size) return true;
    if (!spend(left, f->sorted.sh_size)) return false;
    *sorted = malloc((size_t)f->sorted.sh_size);
    return *sorted && tfp_elf_read(fd, *sorted, (size_t)f->sorted.sh_size, f->sorted.sh_offset);
}

static void put(found *f, const char *frame, const char *sorted, tfp_buf *out)
{
    Elf64_Ehdr h = f->head;
    h.e_phoff = sizeof h;
    h.e_phnum = (uint16_t)f->load_count;
    h.e_shoff = h.e_phoff + f->load_count * sizeof *f->loads;
    h.e_shnum = 4;
    h.e_shstrndx = 3;
    h.e_phentsize = sizeof(Elf64_Phdr);
    h.e_shentsize = sizeof(Elf64_Shdr);
    uint64_t at = h.e_shoff + 4 * sizeof(Elf64_Shdr);
    Elf64_Shdr names = { .sh_name = 25, .sh_type = SHT_STRTAB, .sh_offset = at, .sh_size = sizeof NAMES };
    Elf64_Shdr table = { .sh_name = 1, .sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC, .sh_addralign = 1 };
    Elf64_Shdr entries = table, none = { 0 };
    table.sh_addr = f->sorted.sh_addr;
    table.sh_offset = at + sizeof NAMES;
    table.sh_size = sorted ? f->sorted.sh_size : 0;
    entries.sh_name = 15;
    entries.sh_addr = f->frame.sh_addr;
    entries.sh_offset = table.sh_offset + table.sh_size;
    entries.sh_size = f->frame.sh_size;
    if (!sorted) table.sh_name = 0;
    tfp_buf_add(out, &h, sizeof h);
    tfp_buf_add(out, f->loads, f->load_count * sizeof *f->loads);
    const Elf64_Shdr *all[] = { &none, &table, &entries, &names };
    for (size_t i = 0; i < 4; i++) tfp_buf_add(out, all[i], sizeof *all[i]);
    tfp_buf_add(out, NAMES, sizeof NAMES);
    if (sorted) tfp_buf_add(out, sorted, (size_t)table.sh_size);
    tfp_buf_add(out, frame, (size_t)entries.sh_size);
}

bool tfp_image_make(int fd, tfp_image_budget *left, tfp_buf *out)
{
    found *f = calloc(1, sizeof *f);
    char *frame = NULL, *sorted = NULL;
    offsets functions = { 0 };
    bool ok = f && tfp_elf_head(fd, &f->head) && f->head.e_machine == EM_X86_64 && find_segments(fd, f) &&
              find_sections(fd, f) && read_tables(fd, left, f, &frame, &sorted);
    size_t size = ok ? (size_t)f->frame.sh_size : 0;
    ok = ok && size <= UINT32_MAX && check_entries(frame, &size, &functions);
    if (ok) {
        f->frame.sh_size = size;
        bool known = sorted && is_sorted_known(sorted, f, &functions);
        /* libdw keeps a record of each entry */
        ok = known || (size <= WITHOUT_MOST && spend(left, 8 * (uint64_t)size));
        if (ok) put(f, frame, known ? sorted : NULL, out);
    }
    tfp_vec_free(&functions);
    free(sorted);
    free(frame);
    free(f);
    return ok && !out->failed;
}

bool tfp_image_base(int fd, uint64_t *out)
{
    Elf64_Ehdr h;
    Elf64_Phdr p;
    if (!tfp_elf_head(fd, &h)) return false;
    for (uint32_t i = 0; tfp_elf_segment(fd, &h, i, &p); i++)
        if (p.p_type == PT_LOAD) {
            *out = p.p_align ? p.p_vaddr & -p.p_align : p.p_vaddr;
            return true;
        }
    return false;
}
