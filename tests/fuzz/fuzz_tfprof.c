// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/fuzz_tfprof.c: files of `tfprof convert`, as they are, and with checksums that fit what was changed: behind
 * these no number may be trusted either. */
#include "drive.h"

#include "base/crc32c.h"
#include "store/store.h"

static void mend(uint8_t *data, size_t size)
{
    tfp_store_head head = { .version = TFP_STORE_VERSION, .order = TFP_STORE_ORDER };
    tfp_store_foot foot;
    if (size < sizeof head + sizeof foot) return;
    memcpy(head.magic, tfp_store_magic, sizeof head.magic);
    memcpy(data, &head, sizeof head);
    size_t end = size - sizeof foot;
    memcpy(&foot, data + end, sizeof foot);
    if (foot.directory > end) return;
    memcpy(foot.magic, tfp_store_magic, sizeof foot.magic);
    foot.entries = (end - foot.directory) / sizeof(tfp_store_entry);
    for (size_t i = 0; i < foot.entries; i++) {
        tfp_store_entry e;
        uint8_t *at = data + foot.directory + i * sizeof e;
        memcpy(&e, at, sizeof e);
        if (e.offset > foot.directory || e.size > foot.directory - e.offset) continue;
        e.crc = tfp_crc32c(0, data + e.offset, (size_t)e.size);
        memcpy(at, &e, sizeof e);
    }
    foot.crc = tfp_crc32c(tfp_crc32c(0, &head, sizeof head), data + foot.directory, end - (size_t)foot.directory);
    foot.crc = tfp_crc32c(foot.crc, &foot, offsetof(tfp_store_foot, crc));
    memcpy(data + end, &foot, sizeof foot);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    drive_part part = { "tfprof", data, size };
    drive_bytes(&part, 1);
    uint8_t *mended = malloc(size + 1);
    if (!mended) return 0;
    memcpy(mended, data, size);
    mend(mended, size);
    part.data = mended;
    drive_bytes(&part, 1);
    free(mended);
    return 0;
}
