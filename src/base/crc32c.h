// SPDX-License-Identifier: Apache-2.0
/* base/crc32c.h: the checksum of LevelDB tables and checkpoints (CRC-32C, Castagnoli). */
#ifndef TFP_CRC32C_H
#define TFP_CRC32C_H

#include "base/base.h"

/* Extends the checksum `crc` (0: none) by these bytes. */
uint32_t tfp_crc32c(uint32_t crc, const void *data, size_t size);
/* The same without the processor's own instruction: for tests. */
uint32_t tfp_crc32c_table(uint32_t crc, const void *data, size_t size);
/* The masked form in which files store it: the checksum of data that contain their own plain checksum would be weak. */
static inline uint32_t tfp_crc32c_mask(uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xa282ead8u; }

/* Whether data have the checksum that the file stores. In a build for fuzzing always true, so that changed bytes reach
 * the code behind the check: attackers can compute checksums, too. */
static inline bool tfp_checksum_fits(uint32_t computed, uint32_t kept)
{
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    return (void)computed, (void)kept, true;
#else
    return computed == kept;
#endif
}

#endif
