// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/models/fuzz_checkpoint.c: checkpoints, V1 (one table) and V2 (index and data). The first byte: 0 V1, 1 V2,
 * followed by the unchanged bytes of the table; 2 V1, 3 V2, followed by its blocks, each after a length of two bytes,
 * from which a table with correct checksums is made, because a fuzzer seldom guesses a CRC. The profile also has a
 * graph whose nodes have the names in the seeds, so that values are read. */
#include "drive.h"

#include "base/crc32c.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRAILER = 5, FOOTER = 48 };

static size_t put_varint(uint8_t *to, uint64_t v)
{
    size_t n = 0;
    for (; v > 127; v >>= 7) to[n++] = (uint8_t)(v | 128);
    to[n++] = (uint8_t)v;
    return n;
}

static void put32(uint8_t *to, uint32_t v)
{
    for (int i = 0; i < 4; i++) to[i] = (uint8_t)(v >> 8 * i);
}

/* Writes the blocks one after another, each followed by its type and checksum; the footer refers to the last two. */
static size_t table_of_blocks(const uint8_t *data, size_t size, uint8_t *out)
{
    size_t at = 0, last[2][2] = { { 0, 0 }, { 0, 0 } };
    while (size >= 2) {
        size_t block = (size_t)data[0] | (size_t)data[1] << 8;
        data += 2;
        size -= 2;
        if (block > size) block = size;
        memcpy(out + at, data, block);
        out[at + block] = 0;
        uint32_t crc = tfp_crc32c(0, out + at, block + 1);
        put32(out + at + block + 1, tfp_crc32c_mask(crc));
        memcpy(last[0], last[1], sizeof last[0]);
        last[1][0] = at;
        last[1][1] = block;
        at += block + TRAILER;
        data += block;
        size -= block;
    }
    uint8_t *footer = out + at;
    memset(footer, 0, FOOTER);
    size_t n = 0;
    for (int i = 0; i < 2; i++) {
        n += put_varint(footer + n, last[i][0]);
        n += put_varint(footer + n, last[i][1]);
    }
    memcpy(footer + 40, "\x57\xfb\x80\x8b\x24\x75\x47\xdb", 8);
    return at + FOOTER;
}

static void open_checkpoint(const char *path, uint64_t pick)
{
    static const char graph[] =
        "node { name: 'w' op: 'VariableV2' attr { key: 'shape' value { shape { dim { size: 2 } } } } }\n"
        "node { name: 'scope/b' op: 'VariableV2' } node { name: 'global_step' op: 'VarHandleOp' }\n";
    tfp_profile *p = tfp_profile_new();
    tfp_error *err = tfp_error_new();
    if (p && tfp_profile_add_bytes(p, "graph", "graph", graph, sizeof graph - 1, err) == TFP_OK &&
        tfp_profile_add_file(p, "checkpoint", path, err) == TFP_OK)
        drive_profile(p, pick);
    else if (!*tfp_error_message(err))
        abort();
    tfp_profile_free(p);
    tfp_error_free(err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2 || size > 1 << 20) return 0;
    bool v2 = data[0] & 1, blocks = data[0] & 2;
    uint8_t *table = malloc(size * 4 + FOOTER), zeros[4096] = { 0 };
    if (!table) return 0;
    size_t table_size = size - 1;
    if (blocks)
        table_size = table_of_blocks(data + 1, size - 1, table);
    else
        memcpy(table, data + 1, table_size);
    const char *name = v2 ? "c.index" : "c";
    drive_file(name, table, table_size);
    if (v2) drive_file("c.data-00000-of-00001", zeros, sizeof zeros);
    char path[128];
    snprintf(path, sizeof path, "%s/c", drive_folder());
    open_checkpoint(path, drive_pick(data, size));
    drive_remove(name);
    if (v2) drive_remove("c.data-00000-of-00001");
    free(table);
    return 0;
}
