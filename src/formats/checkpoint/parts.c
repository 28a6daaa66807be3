// SPDX-License-Identifier: Apache-2.0
/* formats/checkpoint/parts.c: what both versions of checkpoints have in common: shapes, slices, version numbers, and
 * the file that is open (one at a time). In: messages inside a checkpoint. Out: rows of a tfp_checkpoint. Uses base,
 * wire, model. Messages: tensorflow/core/framework/{tensor_shape,tensor_slice,versions}.proto. */
#include "formats/checkpoint/parts.h"

#include "wire/orderedcode.h"

#include <stdlib.h>

#define VERSION_READ 1 /* the newest checkpoint version that is understood here */

/* ---- messages ---- */

tfp_status tfp_checkpoint_keep(tfp_checkpoint *c, size_t bytes, tfp_error *err)
{
    if (bytes > c->keep_limit - c->kept) return tfp_fail(err, TFP_LIMIT, "unpacks to too many names and shapes");
    c->kept += bytes;
    return TFP_OK;
}

static tfp_status add_dim(tfp_checkpoint *c, tfp_str bytes, tfp_error *err)
{
    int64_t size = 0;
    tfp_wire w = tfp_wire_start(bytes);
    for (tfp_field f = { 0 }; tfp_wire_next(&w, &f);)
        if (f.number == 1) size = tfp_field_int(&w, &f);
    tfp_status s = tfp_wire_end(&w, err);
    if (!s) s = tfp_checkpoint_keep(c, sizeof size, err);
    if (!s && size < 0) s = tfp_fail(err, TFP_BADFILE, "negative dimension %lld", (long long)size);
    return s ? s : tfp_push(&c->dims, size) ? TFP_OK : tfp_nomem(err);
}

tfp_status tfp_checkpoint_shape(tfp_checkpoint *c, tfp_str bytes, tfp_error *err)
{
    size_t before = c->dims.size;
    tfp_status s = TFP_OK;
    tfp_wire w = tfp_wire_start(bytes);
    for (tfp_field f = { 0 }; s == TFP_OK && tfp_wire_next(&w, &f);) {
        if (f.number == 2)
            s = add_dim(c, tfp_field_bytes(&w, &f), err);
        else if (f.number == 3 && tfp_field_bool(&w, &f))
            s = tfp_fail(err, TFP_BADFILE, "unknown rank");
    }
    if (!s) s = tfp_wire_end(&w, err);
    if (!s && c->dims.size - before > TFP_RANK_MOST)
        s = tfp_fail(err, TFP_BADFILE, "more than %d dimensions", TFP_RANK_MOST);
    return tfp_within(err, s, "shape");
}

static tfp_status add_extent(tfp_checkpoint *c, tfp_str bytes, tfp_error *err)
{
    tfp_extent e = { .start = 0, .length = -1 };
    tfp_wire w = tfp_wire_start(bytes);
    for (tfp_field f = { 0 }; tfp_wire_next(&w, &f);) {
        if (f.number == 1)
            e.start = tfp_field_int(&w, &f);
        else if (f.number == 2)
            e.length = tfp_field_int(&w, &f);
    }
    tfp_status s = tfp_wire_end(&w, err);
    if (!s) s = tfp_checkpoint_keep(c, sizeof e, err);
    return s ? s : tfp_push(&c->extents, e) ? TFP_OK : tfp_nomem(err);
}

tfp_status tfp_checkpoint_slice(tfp_checkpoint *c, tfp_str bytes, const tfp_variable *v, tfp_error *err)
{
    size_t before = c->extents.size;
    tfp_status s = tfp_checkpoint_keep(c, sizeof(tfp_part), err);
    tfp_wire w = tfp_wire_start(bytes);
    for (tfp_field f = { 0 }; s == TFP_OK && tfp_wire_next(&w, &f);)
        if (f.number == 1) s = add_extent(c, tfp_field_bytes(&w, &f), err);
    if (!s) s = tfp_wire_end(&w, err);
    if (!s && c->extents.size - before != v->dim_count)
        s = tfp_fail(err, TFP_BADFILE, "%zu dimensions, where the variable has %u", c->extents.size - before,
                     v->dim_count);
    return s;
}

tfp_status tfp_checkpoint_version(tfp_str bytes, tfp_error *err)
{
    int64_t needs = 0;
    bool bad = false;
    uint64_t value;
    tfp_wire w = tfp_wire_start(bytes);
    for (tfp_field f = { 0 }; tfp_wire_next(&w, &f);) {
        if (f.number == 2) needs = tfp_field_int32(&w, &f); /* min_consumer */
        if (f.number != 3) continue;                        /* bad_consumers */
        for (tfp_packed p = tfp_packed_start(&w, &f, TFP_VARINT); tfp_packed_next(&w, &p, &value);)
            bad = bad || value == VERSION_READ;
    }
    tfp_status s = tfp_wire_end(&w, err);
    if (!s && needs > VERSION_READ)
        s = tfp_fail(err, TFP_BADFILE, "needs a reader of version %lld (min_consumer); this one is version %d",
                     (long long)needs, VERSION_READ);
    if (!s && bad) s = tfp_fail(err, TFP_BADFILE, "refuses readers of version %d (bad_consumers)", VERSION_READ);
    return s;
}

void tfp_checkpoint_warn_type(tfp_builder *b, int dtype, tfp_str name)
{
    if (tfp_dtype_of(dtype)->class == TFP_DTYPE_OPAQUE)
        tfp_build_warn(b, "tensors of a type whose values can not be shown", name);
}

/* ---- slices ---- */

tfp_status tfp_slice_count(const int64_t *dims, const tfp_extent *slice, size_t dim_count, uint64_t *count,
                           tfp_error *err)
{
    int64_t product = 1;
    bool zero = false, clamped = false;
    for (size_t i = 0; i < dim_count; i++) {
        tfp_extent e = slice[i];
        int64_t length = tfp_extent_length(e, dims[i]);
        if (e.length < -1 || e.start < 0 || e.start > dims[i] || length > dims[i] - e.start)
            return tfp_fail(err, TFP_BADFILE, "%lld elements from %lld on in a dimension of %lld", (long long)e.length,
                            (long long)e.start, (long long)dims[i]);
        if (length == 0)
            zero = true;
        else
            product = tfp_mul(product, length, &clamped);
    }
    *count = zero ? 0 : (uint64_t)product;
    return clamped ? tfp_fail(err, TFP_BADFILE, "impossible shape") : TFP_OK;
}

void tfp_slice_key(tfp_buf *key, tfp_str name, const tfp_extent *slice, size_t dim_count)
{
    tfp_put_ordered_uint(key, 0);
    tfp_put_ordered_bytes(key, name);
    tfp_put_ordered_uint(key, dim_count);
    for (size_t i = 0; i < dim_count; i++) {
        tfp_put_ordered_int(key, slice[i].start);
        tfp_put_ordered_int(key, slice[i].length);
    }
}

/* ---- files ---- */

tfp_status tfp_shard_open(const tfp_shard *file, tfp_source *out, tfp_error *err)
{
    if (!file->path) {
        *out = tfp_source_memory(file->bytes);
        return TFP_OK;
    }
    tfp_status s = tfp_source_open(out, file->path, err);
    if (!s && out->size != file->size) {
        tfp_source_close(out);
        s = tfp_fail(err, TFP_BADFILE, "changed since it was opened");
    }
    return s;
}

/* Takes the lock and opens the file, unless it is open already. */
tfp_status tfp_reader_take(const tfp_checkpoint *c, uint32_t file, tfp_reader **out, tfp_error *err)
{
    tfp_reader *r = c->reader;
    pthread_mutex_lock(&r->lock);
    *out = r;
    if (r->file == file) return TFP_OK;
    tfp_walk_free(&r->walk);
    tfp_source_close(&r->source);
    r->file = TFP_NONE;
    tfp_status s = tfp_shard_open(&c->files.at[file], &r->source, err);
    if (!s)
        r->file = file;
    else
        tfp_reader_give(r);
    return s;
}

void tfp_reader_give(tfp_reader *r) { pthread_mutex_unlock(&r->lock); }

void tfp_reader_free(tfp_reader *r)
{
    if (!r) return;
    tfp_walk_free(&r->walk);
    tfp_source_close(&r->source);
    pthread_mutex_destroy(&r->lock);
    free(r);
}

tfp_reader *tfp_reader_new(void)
{
    tfp_reader *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->file = TFP_NONE;
    r->source.fd = -1;
    pthread_mutex_init(&r->lock, NULL);
    return r;
}
