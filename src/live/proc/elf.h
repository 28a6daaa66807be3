// SPDX-License-Identifier: Apache-2.0
/* live/proc/elf.h: finds a function in a library by its symbol tables, and code by its bytes. The file belongs to another process and may say
 * anything: every offset is checked, and whatever its tables claim, only a limited number of bytes is read and memory is of a fixed size. The
 * descriptor must be that of a plain file (tfp_inside_file) and stays the caller's. */
#ifndef TFP_LIVE_ELF_H
#define TFP_LIVE_ELF_H

#include "base/base.h"

#include <elf.h>

/* Most bytes of tables, or of code, that are read for one question. TensorFlow's library needs most, with 300 MB of symbols and names;
 * CPython and libc need a hundredth of that. The limit matters because a capture's loop over all jobs waits for these reads. */
#define TFP_ELF_MOST ((uint64_t)400 << 20)
#define TFP_ELF_TOO_BIG "has more than 400 MB of symbols, which are not searched"
#define TFP_ELF_SMALL ((uint64_t)48 << 20)
#define TFP_ELF_NOT_SMALL "has more than 48 MB of symbols, which are not searched"

typedef struct tfp_elf_facts {
    bool moves;   /* it may be loaded anywhere: addresses are relative */
    bool too_big; /* the search ended at the limit */
} tfp_elf_facts;

/* Addresses of symbols in a 64-bit x86-64 file, 0 for those not found; reads at most TFP_ELF_SMALL. False: it is no such
 * file. */
bool tfp_elf_symbols(int fd, const char *const *names, uint64_t *values, size_t count, tfp_elf_facts *facts);
/* File offsets of the first functions whose names begin with each prefix, 0 for those not found; reads at most TFP_ELF_MOST. Cold parts that
 * compilers split off are skipped. */
void tfp_elf_functions(int fd, const char *const *prefixes, uint64_t *offsets, size_t count, tfp_elf_facts *facts);
/* The address of code that consists of these bytes, in an executable segment; 0: there is none; reads at most
 * TFP_ELF_SMALL. */
uint64_t tfp_elf_code(int fd, tfp_str bytes, tfp_elf_facts *facts);
/* Read bytes, the header, section i or segment i of an ELF file, for code that reads other tables of the file. False: it is no 64-bit ELF
 * file, has no such section or segment, or ends within it. */
bool tfp_elf_read(int fd, void *out, size_t size, uint64_t at);
bool tfp_elf_head(int fd, Elf64_Ehdr *out);
bool tfp_elf_section(int fd, const Elf64_Ehdr *head, uint32_t i, Elf64_Shdr *out);
bool tfp_elf_segment(int fd, const Elf64_Ehdr *head, uint32_t i, Elf64_Phdr *out);

#endif
