// SPDX-License-Identifier: Apache-2.0
/* tests/unit/formats/checkpoint/checkpoint_tables.h: writes tables of checkpoints block by block. */
#ifndef TFP_TEST_CHECKPOINT_TABLES_H
#define TFP_TEST_CHECKPOINT_TABLES_H

#include "model/tables/profile.h"
#include "support.h"

#include "base/crc32c.h"
#include "formats/checkpoint/tensor.h"
#include "wire/proto.h"

typedef struct table {
    tfp_buf file, block, index;
    tfp_str index_key; /* of the next block; last_key if empty */
    char last_key[64];
    size_t last_size;
} table;

static inline void put32(tfp_buf *b, uint32_t v)
{
    for (int i = 0; i < 4; i++) tfp_buf_char(b, (char)(v >> 8 * i));
}

static inline void put_entry(tfp_buf *block, size_t shared, tfp_str key, tfp_str value)
{
    tfp_put_varint(block, shared);
    tfp_put_varint(block, key.size);
    tfp_put_varint(block, value.size);
    tfp_buf_str(block, key);
    tfp_buf_str(block, value);
}

static inline void add(table *t, tfp_str key, tfp_str value)
{
    put_entry(&t->block, 0, key, value);
    memcpy(t->last_key, key.data, key.size);
    t->last_size = key.size;
}

/* Appends a block, unchanged, and its trailer to the file, and stores its handle in `handle`. */
static inline void put_block(table *t, tfp_str block, char compression, tfp_buf *handle)
{
    size_t at = t->file.size;
    tfp_put_varint(handle, at);
    tfp_put_varint(handle, block.size);
    tfp_buf_str(&t->file, block);
    tfp_buf_char(&t->file, compression);
    put32(&t->file, tfp_crc32c_mask(tfp_crc32c(0, t->file.data + at, block.size + 1)));
}

static inline void end_block(table *t)
{
    tfp_buf handle = { 0 };
    put32(&t->block, 0);
    put32(&t->block, 1);
    put_block(t, (tfp_str){ t->block.data, t->block.size }, 0, &handle);
    tfp_str key = t->index_key.size ? t->index_key : (tfp_str){ t->last_key, t->last_size };
    put_entry(&t->index, 0, key, (tfp_str){ handle.data, handle.size });
    tfp_buf_free(&handle);
    t->block.size = 0;
}

static inline void end_table(table *t)
{
    tfp_buf handles = { 0 };
    put_block(t, TFP_STR("\0\0\0\0"), 0, &handles);
    put32(&t->index, 0);
    put32(&t->index, 1);
    put_block(t, (tfp_str){ t->index.data, t->index.size }, 0, &handles);
    tfp_buf_fill(&handles, 0, 40 - handles.size);
    tfp_buf_add(&handles, "\x57\xfb\x80\x8b\x24\x75\x47\xdb", 8);
    tfp_buf_str(&t->file, (tfp_str){ handles.data, handles.size });
    tfp_buf_free(&handles);
}

static inline void drop_table(table *t)
{
    tfp_buf_free(&t->file);
    tfp_buf_free(&t->block);
    tfp_buf_free(&t->index);
}

/* Checks that loading the table, or its first bad tensor, fails with that status and a message that contains the
 * text. */
static inline void assert_table_fails(const table *t, tfp_status wanted, const char *part)
{
    tfp_error *err = tfp_error_new();
    tfp_profile *p = tfp_profile_new();
    tfp_status s = tfp_profile_add_bytes(p, "checkpoint", "c", t->file.data, t->file.size, err);
    for (size_t i = 0; s == TFP_OK && i < tfp_checkpoint_count(p->checkpoint); i++) {
        tfp_tensor tensor;
        s = tfp_checkpoint_read(p->checkpoint, tfp_checkpoint_name(p->checkpoint, i), &tensor, err);
        tfp_tensor_free(&tensor);
    }
    if (s != wanted || !strstr(tfp_error_message(err), part))
        fail_msg("status %d and \"%s\", not %d and \"%s\"", s, tfp_error_message(err), wanted, part);
    tfp_profile_free(p);
    tfp_error_free(err);
}

#endif
