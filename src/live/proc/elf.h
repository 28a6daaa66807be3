// SPDX-License-Identifier: Apache-2.0
/* live/proc/elf.h: the place of a function in a library, by its symbol tables, and of code, by its bytes. The file belongs to another process
 * and may say anything: every offset is checked, and whatever its tables claim to hold, only so many bytes are read and a fixed piece of
 * memory is used. The descriptor is a plain file's (tfp_inside_file) and stays the caller's. */
#ifndef TFP_LIVE_ELF_H
#define TFP_LIVE_ELF_H

#include "base/base.h"

#include <elf.h>

/* Bytes of tables, or of code, that are read for one question. Of frameworks TensorFlow's library has most, 300 MB of symbols and their
 * names; CPython and libc have a hundredth of that, and the loop over all jobs of a capture waits for theirs. */
#define TFP_ELF_MOST ((uint64_t)400 << 20)
#define TFP_ELF_TOO_BIG "has more than 400 MB of symbols, which are not searched"
#define TFP_ELF_SMALL ((uint64_t)48 << 20)
#define TFP_ELF_NOT_SMALL "has more than 48 MB of symbols, which are not searched"

typedef struct tfp_elf_facts {
    bool moves;   /* it is loaded anywhere: addresses are relative */
    bool too_big; /* the limit ended the search */
} tfp_elf_facts;

/* Addresses of symbols in a 64-bit x86-64 file, 0 of those not found; reads TFP_ELF_SMALL. False: it is no such file. */
bool tfp_elf_symbols(int fd, const char *const *names, uint64_t *values, size_t count, tfp_elf_facts *facts);
/* Offsets in the file of the first functions whose names begin so, 0 of those not found; reads TFP_ELF_MOST. Cold parts that compilers split
 * off are not taken. */
void tfp_elf_functions(int fd, const char *const *prefixes, uint64_t *offsets, size_t count, tfp_elf_facts *facts);
/* The address of code that consists of these bytes, in a segment that is executed; 0 without; reads TFP_ELF_SMALL. */
uint64_t tfp_elf_code(int fd, tfp_str bytes, tfp_elf_facts *facts);
/* Read bytes, the header, section i or segment i of an ELF file, for code that reads other tables of it. False: the file is no 64-bit ELF
 * file, has no such section or segment, or ends within it. */
bool tfp_elf_read(int fd, void *out, size_t size, uint64_t at);
bool tfp_elf_head(int fd, Elf64_Ehdr *out);
bool tfp_elf_section(int fd, const Elf64_Ehdr *head, uint32_t i, Elf64_Shdr *out);
bool tfp_elf_segment(int fd, const Elf64_Ehdr *head, uint32_t i, Elf64_Phdr *out);

#endif
