// SPDX-License-Identifier: Apache-2.0
/* store/pack.h: columns as few bytes, and back. A block has up to 8,192 numbers: each, or its distance to the one before, is
 * split into its bytes; the first bytes of all numbers stand together, then the second ones, and so on. Bytes that are the same
 * in all numbers are written once. Blocks, and texts piece by piece, are deflated where that makes them smaller. Uses base. */
#ifndef TFP_STORE_PACK_H
#define TFP_STORE_PACK_H

#include "base/base.h"

#define TFP_PACK_ROWS ((size_t)8192)                /* numbers of a block, at most */
#define TFP_PACK_BYTES (8 * TFP_PACK_ROWS)          /* bytes of a piece of texts, at most */
#define TFP_PACK_HEAD ((size_t)2)                   /* of a block: how its numbers were changed, and which bytes differ */
#define TFP_PACK_MOST (TFP_PACK_HEAD + TFP_PACK_BYTES) /* bytes of a block, at most */
#define TFP_PACK_RATIO 1032 /* deflate cannot make bytes more times smaller: a bigger size is forged */

/* How the numbers of a block were changed. */
typedef enum tfp_pack_way {
    TFP_PACK_PLAIN,  /* not at all */
    TFP_PACK_SIGNED, /* 0, -1, 1, -2 ... are 0, 1, 2, 3 ... */
    TFP_PACK_DELTA,  /* the distance to the number before, as a signed one */
    TFP_PACK_BESIDE, /* the distance to the number of another column in the same row, as a signed one; of 8 bytes */
    TFP_PACK_WAYS
} tfp_pack_way;

/* The numbers of a block. */
typedef struct tfp_pack_numbers {
    const void *at;
    const int64_t *beside; /* the other column's; NULL: there is none */
    size_t count, width;   /* width: 1, 4 or 8 bytes */
} tfp_pack_numbers;

/* A block without deflate. Returns the bytes in `out`, which has room for TFP_PACK_MOST. */
size_t tfp_pack_split(const tfp_pack_numbers *n, tfp_pack_way way, unsigned char *out);
/* The bytes of a block that begins so, its head included; 0: no head says that. */
size_t tfp_pack_size(const unsigned char head[TFP_PACK_HEAD], size_t count, size_t width);

struct libdeflate_compressor;
struct libdeflate_decompressor;

typedef struct tfp_packer {
    struct libdeflate_compressor *deflate;
    unsigned char *split, *packed, *other; /* room for a block each */
} tfp_packer;

/* False without memory. Freed with tfp_packer_free, also then. */
bool tfp_packer_start(tfp_packer *p);
void tfp_packer_free(tfp_packer *p);
/* Results stay until the next call. A block whose way is TFP_PACK_WAYS gets the way that makes it smallest, which is returned. */
tfp_str tfp_pack_block(tfp_packer *p, const tfp_pack_numbers *n, tfp_pack_way *way);
tfp_str tfp_pack_plain(tfp_packer *p, const tfp_pack_numbers *n); /* all bytes of all numbers */
tfp_str tfp_pack_piece(tfp_packer *p, tfp_str bytes); /* at most TFP_PACK_BYTES */

typedef struct tfp_unpacker {
    struct libdeflate_decompressor *inflate;
    unsigned char *packed, *plain; /* room for a block each; the caller reads into the first */
} tfp_unpacker;

bool tfp_unpacker_start(tfp_unpacker *u);
void tfp_unpacker_free(tfp_unpacker *u);
/* False: these bytes are no block of so many numbers, which it writes to `to`; no piece of that size. */
bool tfp_unpack_block(tfp_unpacker *u, tfp_str block, const tfp_pack_numbers *n, void *to);
bool tfp_unpack_piece(tfp_unpacker *u, tfp_str piece, void *to, size_t size);

#endif
