// SPDX-License-Identifier: Apache-2.0
/* live/stacks/image.h: what is used of a mapped file: for libdw an ELF file of our own making, in memory, with nothing but the checked unwind
 * tables; and the addresses and names of its functions, which we look up ourselves. The file belongs to another process, may say anything, and
 * may be cut or written while it is read: so libdw, which would map it, never sees it. The descriptor stays the caller's. */
#ifndef TFP_LIVE_IMAGE_H
#define TFP_LIVE_IMAGE_H

#include "base/base.h"

/* Of all files of a process: bytes that are held, and bytes that are read. TensorFlow's library has 37 MB of unwind tables and 30 of symbols. */
#define TFP_IMAGE_HELD ((uint64_t)96 << 20)
#define TFP_IMAGE_READ ((uint64_t)1 << 30)

typedef struct tfp_image_budget {
    uint64_t held, read; /* bytes that may still be held and read */
} tfp_image_budget;

/* False: the file is no ELF file, has no sections, its tables are damaged, or the budget is used up; or no memory. */
bool tfp_image_make(int fd, tfp_image_budget *left, tfp_buf *out);
/* The address in the file at which its first loaded segment begins: what is mapped lowest. */
bool tfp_image_base(int fd, uint64_t *out);

typedef struct tfp_function { /* 16 bytes: TensorFlow has a million */
    uint64_t low;
    uint32_t size;
    uint32_t name : 31, is_global : 1; /* where its name is, in the table of names */
} tfp_function;

typedef struct tfp_functions {
    TFP_VEC(tfp_function) all; /* sorted by address; of several at one address a global one stands last */
    uint64_t names, names_size;
} tfp_functions;

bool tfp_functions_read(int fd, tfp_image_budget *left, tfp_functions *out);
void tfp_functions_free(tfp_functions *f, tfp_image_budget *left);
/* The name of the function that holds an address; one without a size (assembler) holds all up to the next. At most room - 1 bytes;
 * false: none. */
bool tfp_functions_name(const tfp_functions *f, int fd, uint64_t address, char *out, size_t room);
/* First address and end of the functions whose names begin so; how many. */
size_t tfp_functions_ranges(const tfp_functions *f, int fd, const char *prefix, uint64_t (*out)[2], size_t room);

#endif
