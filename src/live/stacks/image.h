// SPDX-License-Identifier: Apache-2.0
/* live/stacks/image.h: the parts of a mapped file that are used. For libdw we make an ELF file in memory that has only the checked unwind
 * tables; the addresses and names of functions we look up ourselves. The file belongs to another process, may have any contents, and may be
 * cut or written while it is read; libdw would map it, so libdw never sees it. The descriptor stays the caller's. */
#ifndef TFP_LIVE_IMAGE_H
#define TFP_LIVE_IMAGE_H

#include "base/base.h"

/* Limits for all files of a process: bytes kept in memory, and bytes read. TensorFlow's library has 37 MB of unwind tables and 30 MB of
 * symbols. */
#define TFP_IMAGE_HELD ((uint64_t)96 << 20)
#define TFP_IMAGE_READ ((uint64_t)1 << 30)

typedef struct tfp_image_budget {
    uint64_t held, read; /* bytes that may still be kept and read */
} tfp_image_budget;

/* False: the file is no ELF file, has no sections, has damaged tables, the budget is used up, or memory is out. */
bool tfp_image_make(int fd, tfp_image_budget *left, tfp_buf *out);
/* The address, within the file, of its first loaded segment, which is mapped lowest. */
bool tfp_image_base(int fd, uint64_t *out);

typedef struct tfp_function { /* 16 bytes, because TensorFlow has a million of these */
    uint64_t low;
    uint32_t size;
    uint32_t name : 31, is_global : 1; /* name: its offset in the table of names */
} tfp_function;

typedef struct tfp_functions {
    TFP_VEC(tfp_function) all; /* sorted by address; of several at one address a global one is last */
    uint64_t names, names_size;
} tfp_functions;

bool tfp_functions_read(int fd, tfp_image_budget *left, tfp_functions *out);
void tfp_functions_free(tfp_functions *f, tfp_image_budget *left);
/* The name of the function that contains an address. A function without a size (assembler) reaches to the next one. At most room -
 * 1 bytes; false: none. */
bool tfp_functions_name(const tfp_functions *f, int fd, uint64_t address, char *out, size_t room);
/* First address and end of each function whose name begins with the prefix; returns how many. */
size_t tfp_functions_ranges(const tfp_functions *f, int fd, const char *prefix, uint64_t (*out)[2], size_t room);

#endif
