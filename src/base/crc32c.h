// SPDX-License-Identifier: Apache-2.0
/* base/crc32c.h: the checksum of LevelDB tables and checkpoints (CRC-32C, Castagnoli). */
#ifndef TFP_CRC32C_H
#define TFP_CRC32C_H

#include "base/base.h"

/* The checksum of the bytes that `crc` is of (0: none) followed by these. */
uint32_t tfp_crc32c(uint32_t crc, const void *data, size_t size);
/* The same without the processor's own instruction: for tests. */
uint32_t tfp_crc32c_table(uint32_t crc, const void *data, size_t size);
/* The form in which files keep it: a checksum stored beside its data would otherwise be weak over both. */
static inline uint32_t tfp_crc32c_mask(uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xa282ead8u; }

/* Whether data have the checksum that a file keeps of them. In a build for fuzzing all have it, so that changed bytes get to
 * what lies behind: what a checksum guards may still be wrong, because whoever makes a file makes its checksums too. */
static inline bool tfp_checksum_fits(uint32_t computed, uint32_t kept)
{
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    return (void)computed, (void)kept, true;
#else
    return computed == kept;
#endif
}

#endif
