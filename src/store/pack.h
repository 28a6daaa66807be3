// SPDX-License-Identifier: Apache-2.0
/* store/pack.h: packs columns into few bytes, and unpacks them. A block has up to 8,192 numbers: each number, or its
 * difference to the previous one, is split into its bytes; the first bytes of all numbers come first, then the second
 * ones, and so on. A byte that is the same in all numbers is written once. Blocks, and texts piece by piece, are
 * deflated if that makes them smaller. Uses base. */
#ifndef TFP_STORE_PACK_H
#define TFP_STORE_PACK_H

#include "base/base.h"

#define TFP_PACK_ROWS ((size_t)8192)       /* numbers of a block, at most */
#define TFP_PACK_BYTES (8 * TFP_PACK_ROWS) /* bytes of a piece of texts, at most */
#define TFP_PACK_HEAD ((size_t)2)          /* head of a block: how its numbers were changed, and which bytes differ */
#define TFP_PACK_MOST (TFP_PACK_HEAD + TFP_PACK_BYTES) /* bytes of a block, at most */
#define TFP_PACK_RATIO 1032 /* deflate cannot shrink bytes by a larger factor: a larger size is forged */

/* How the numbers of a block were changed. */
typedef enum tfp_pack_method {
    TFP_PACK_PLAIN,  /* unchanged */
    TFP_PACK_SIGNED, /* 0, -1, 1, -2 ... are 0, 1, 2, 3 ... */
    TFP_PACK_DELTA,  /* the difference to the previous number, stored as signed */
    TFP_PACK_BESIDE, /* the difference to the 8-byte number of another column in the same row, stored as signed */
    TFP_PACK_METHODS
} tfp_pack_method;

/* The numbers of a block. */
typedef struct tfp_pack_numbers {
    const void *at;
    const int64_t *beside; /* numbers of the other column; NULL: there is none */
    size_t count, width;   /* width: 1, 4 or 8 bytes */
} tfp_pack_numbers;

/* A block without deflate. Returns the bytes in `out`, which has room for TFP_PACK_MOST. */
size_t tfp_pack_split(const tfp_pack_numbers *n, tfp_pack_method method, unsigned char *out);
/* The size of a block with this head, including the head; 0: the head is invalid. */
size_t tfp_pack_size(const unsigned char head[TFP_PACK_HEAD], size_t count, size_t width);

struct libdeflate_compressor;
struct libdeflate_decompressor;

typedef struct tfp_packer {
    struct libdeflate_compressor *deflate;
    unsigned char *split, *packed, *other; /* each has room for a block */
} tfp_packer;

/* False if memory is out. Call tfp_packer_free in both cases. */
bool tfp_packer_start(tfp_packer *p);
void tfp_packer_free(tfp_packer *p);
/* Results are valid until the next call. If the method is TFP_PACK_METHODS, the one with the smallest result is chosen,
 * and returned. */
tfp_str tfp_pack_block(tfp_packer *p, const tfp_pack_numbers *n, tfp_pack_method *method);
tfp_str tfp_pack_plain(tfp_packer *p, const tfp_pack_numbers *n); /* all bytes of all numbers */
tfp_str tfp_pack_piece(tfp_packer *p, tfp_str bytes);             /* at most TFP_PACK_BYTES */

typedef struct tfp_unpacker {
    struct libdeflate_decompressor *inflate;
    unsigned char *packed, *plain; /* each has room for a block; the caller reads into the first */
} tfp_unpacker;

bool tfp_unpacker_start(tfp_unpacker *u);
void tfp_unpacker_free(tfp_unpacker *u);
/* False if the bytes are not a block of this many numbers (written to `to`), or not a piece of this size. */
bool tfp_unpack_block(tfp_unpacker *u, tfp_str block, const tfp_pack_numbers *n, void *to);
bool tfp_unpack_piece(tfp_unpacker *u, tfp_str piece, void *to, size_t size);

#endif
