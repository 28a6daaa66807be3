// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/program/fuzz_tfprof.c: files of `tfprof convert`, unchanged, and with checksums and sizes recomputed after
 * a change, because numbers cannot be trusted even if checksums and deflate are right. A file marked as version 3 is
 * one of version 2 whose directory is not packed yet, so that its bytes can be changed one by one (seeds.py makes
 * them). */
#include "drive.h"

#include "base/crc32c.h"
#include "store/store.h"

#include <libdeflate.h>

enum { NOT_PACKED_YET = 3 };

/* Recomputes the checksums of version 1 in place. */
static void mend_columns(uint8_t *data, const tfp_store_foot *foot)
{
    for (size_t i = 0; i < foot->entries; i++) {
        tfp_store_unpacked_entry e;
        uint8_t *at = data + foot->directory + i * sizeof e;
        memcpy(&e, at, sizeof e);
        if (e.offset > foot->directory || e.size > foot->directory - e.offset) continue;
        e.crc = tfp_crc32c(0, data + e.offset, (size_t)e.size);
        memcpy(at, &e, sizeof e);
    }
}

/* Packs the directory at `at` in place; the buffer has room for it. */
static size_t pack_directory(uint8_t *at, size_t size)
{
    struct libdeflate_compressor *d = libdeflate_alloc_compressor(1);
    size_t room = libdeflate_deflate_compress_bound(d, size);
    uint8_t *packed = malloc(room + 1);
    size_t got = packed ? libdeflate_deflate_compress(d, at, size, packed, room) : 0;
    if (packed) memcpy(at, packed, got);
    libdeflate_free_compressor(d);
    free(packed);
    return got;
}

/* Recomputes checksums and sizes; returns the new size. */
static size_t mend(uint8_t *data, size_t size)
{
    tfp_store_head head;
    tfp_store_foot foot;
    if (size < sizeof head + sizeof foot) return size;
    size_t end = size - sizeof foot;
    memcpy(&head, data, sizeof head);
    memcpy(&foot, data + end, sizeof foot);
    if (foot.directory > end) return size;
    memcpy(head.magic, tfp_store_magic, sizeof head.magic);
    memcpy(foot.magic, tfp_store_magic, sizeof foot.magic);
    head.order = foot.order = TFP_STORE_ORDER;
    if (head.version == NOT_PACKED_YET) {
        foot.entries = end - foot.directory;
        end = (size_t)foot.directory + pack_directory(data + foot.directory, (size_t)foot.entries);
        head.version = TFP_STORE_VERSION;
    } else {
        head.version = TFP_STORE_VERSION_UNPACKED;
        foot.entries = (end - foot.directory) / sizeof(tfp_store_unpacked_entry);
        mend_columns(data, &foot);
    }
    memcpy(data, &head, sizeof head);
    foot.crc = tfp_crc32c(tfp_crc32c(0, &head, sizeof head), data + foot.directory, end - (size_t)foot.directory);
    foot.crc = tfp_crc32c(foot.crc, &foot, offsetof(tfp_store_foot, crc));
    memcpy(data + end, &foot, sizeof foot);
    return end + sizeof foot;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    drive_part part = { "tfprof", data, size };
    drive_bytes(&part, 1);
    uint8_t *mended = malloc(size + size / 1000 + 4096); /* deflate may make bytes slightly longer */
    if (!mended) return 0;
    memcpy(mended, data, size);
    part.size = mend(mended, size);
    part.data = mended;
    drive_bytes(&part, 1);
    free(mended);
    return 0;
}
