// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/program/fuzz_elf.c: a file that another process has mapped: the image of it that is passed to libdw, its
 * functions and their names. */
#include "live/stacks/image.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void names_of(const tfp_functions *f, int fd, uint64_t address)
{
    char name[64];
    if (tfp_functions_name(f, fd, address, name, sizeof name) && strlen(name) >= sizeof name) abort();
}

static void functions_of(int fd, tfp_image_budget *left)
{
    tfp_functions f = { .names = 0 };
    uint64_t ranges[8][2];
    bool ok = tfp_functions_read(fd, left, &f);
    for (size_t i = 0; ok && i < f.all.size && i < 64; i++) {
        if (i && f.all.at[i].low < f.all.at[i - 1].low) abort();
        names_of(&f, fd, f.all.at[i].low);
        names_of(&f, fd, f.all.at[i].low + f.all.at[i].size);
    }
    names_of(&f, fd, UINT64_MAX);
    if (ok && tfp_functions_ranges(&f, fd, "_PyEval", ranges, 8) > 8) abort();
    tfp_functions_free(&f, left);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tfp_image_budget left = { (uint64_t)8 << 20, (uint64_t)8 << 20 };
    tfp_buf image = { 0 };
    uint64_t base;
    int fd = memfd_create("elf", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size) abort();
    bool made = tfp_image_make(fd, &left, &image);
    if (made && (image.size < 4 || memcmp(image.data, "\177ELF", 4) != 0 || image.size > size + 65536)) abort();
    tfp_image_base(fd, &base);
    functions_of(fd, &left);
    if (left.held > (uint64_t)TFP_IMAGE_HELD) abort();
    tfp_buf_free(&image);
    close(fd);
    return 0;
}
