// SPDX-License-Identifier: Apache-2.0
/* formats/checkpoint/v1.c: checkpoints of version 1: tables that contain the values themselves. In: a table's first
 * value (the list of variables), later the values of one slice. Out: variables with their parts; wide values. Uses
 * base, wire, model. Layout: tensorflow/core/util/saved_tensor_slice.proto. Keys: "" for the list of variables,
 * otherwise an ordered code of name and slice. */
#include "formats/checkpoint/parts.h"

#include <stdlib.h>

/* ---- the list of variables ---- */

/* SavedSliceMeta: fields come in any order, so slices are read after the shape is known. */
static tfp_status read_slices(tfp_checkpoint *c, tfp_variable *v, uint32_t file, tfp_str meta, tfp_error *err)
{
    tfp_status s = TFP_OK;
    uint64_t count;
    tfp_wire w = tfp_wire_start(meta);
    for (tfp_field f = { 0 }; s == TFP_OK && tfp_wire_next(&w, &f);) {
        if (f.number != 4) continue; /* slice */
        tfp_part part = { .file = file, .extent_first = (uint32_t)c->extents.size };
        s = tfp_checkpoint_slice(c, tfp_field_bytes(&w, &f), v, err);
        if (!s)
            s = tfp_slice_count(c->dims.at + v->dim_first, c->extents.at + part.extent_first, v->dim_count, &count,
                                err);
        if (!s && !tfp_push(&c->parts, part)) s = tfp_nomem(err);
        v->part_count++;
        s = tfp_within(err, s, "slice %u", v->part_count - 1);
    }
    return s ? s : tfp_wire_end(&w, err);
}

static tfp_status read_variable(tfp_checkpoint *c, tfp_builder *b, uint32_t file, tfp_str meta, tfp_error *err)
{
    tfp_variable v = { .dim_first = (uint32_t)c->dims.size, .part_first = (uint32_t)c->parts.size };
    tfp_str name = { 0 }, shape = { 0 };
    tfp_wire w = tfp_wire_start(meta);
    for (tfp_field f = { 0 }; tfp_wire_next(&w, &f);) {
        switch (f.number) { /* SavedSliceMeta */
        case 1: name = tfp_field_bytes(&w, &f); break;
        case 2: shape = tfp_field_bytes(&w, &f); break;
        case 3: v.dtype = tfp_field_int32(&w, &f); break;
        }
    }
    tfp_status s = tfp_wire_end(&w, err);
    if (!s && v.dtype <= 0) s = tfp_fail(err, TFP_BADFILE, "type %d", v.dtype);
    if (!s) s = tfp_checkpoint_keep(c, name.size + sizeof v, err);
    if (!s) s = tfp_checkpoint_shape(c, shape, err);
    v.dim_count = (uint32_t)c->dims.size - v.dim_first;
    v.name = (tfp_str){ tfp_arena_copy(&c->arena, name), name.size };
    if (!s && !v.name.data) s = tfp_nomem(err);
    if (!s) s = read_slices(c, &v, file, meta, err);
    if (!s && !tfp_push(&c->variables, v)) s = tfp_nomem(err);
    if (!s) tfp_checkpoint_warn_type(b, v.dtype, name);
    return tfp_within(err, s, "%.*s", name.size > 1000 ? 1000 : (int)name.size, name.size ? name.data : "");
}

static tfp_status read_meta(tfp_checkpoint *c, tfp_builder *b, uint32_t file, tfp_str bytes, tfp_error *err)
{
    tfp_status s = TFP_OK;
    tfp_wire w = tfp_wire_start(bytes);
    for (tfp_field f = { 0 }; s == TFP_OK && tfp_wire_next(&w, &f);) {
        switch (f.number) { /* SavedTensorSliceMeta */
        case 1: s = read_variable(c, b, file, tfp_field_bytes(&w, &f), err); break;
        case 2: s = tfp_checkpoint_version(tfp_field_bytes(&w, &f), err); break;
        }
    }
    return s ? s : tfp_wire_end(&w, err);
}

/* SavedTensorSlices: the meta or, elsewhere, the data. */
static tfp_status find_field(tfp_str bytes, uint32_t number, tfp_str *out, bool *found, tfp_error *err)
{
    *found = false;
    *out = (tfp_str){ "", 0 };
    tfp_wire w = tfp_wire_start(bytes);
    for (tfp_field f = { 0 }; tfp_wire_next(&w, &f);) {
        if (f.number != number) continue;
        *out = tfp_field_bytes(&w, &f);
        *found = true;
    }
    return tfp_wire_end(&w, err);
}

static tfp_status read_first(tfp_checkpoint *c, tfp_builder *b, uint32_t file, tfp_walk *w, tfp_error *err)
{
    tfp_str meta;
    bool found;
    if (!tfp_walk_next(w, err)) return w->status ? w->status : tfp_fail(err, TFP_BADFILE, "empty table");
    if (w->key.size) return tfp_fail(err, TFP_BADFILE, "no list of variables");
    tfp_status s = find_field(w->value, 1, &meta, &found, err); /* meta */
    if (!s && !found) s = tfp_fail(err, TFP_BADFILE, "no list of variables");
    return s ? s : tfp_within(err, read_meta(c, b, file, meta, err), "list of variables");
}

tfp_status tfp_checkpoint_add_v1(tfp_checkpoint *c, tfp_builder *b, const tfp_shard *file, tfp_error *err)
{
    tfp_source source;
    tfp_shard f = *file;
    tfp_status s = tfp_shard_open(&f, &source, err);
    if (s) return s;
    c->version = 1;
    s = tfp_sstable_read(&f.table, &source, err);
    if (!s) {
        tfp_walk w = tfp_walk_start(&f.table, &source);
        s = read_first(c, b, (uint32_t)c->files.size, &w, err);
        tfp_walk_free(&w);
    }
    tfp_source_close(&source);
    if (!s && !tfp_push(&c->files, f)) s = tfp_nomem(err);
    if (s) tfp_sstable_free(&f.table);
    return s;
}

/* ---- one list of variables from those of all files ---- */

static tfp_status join(tfp_checkpoint *c, const tfp_variable *from, const tfp_part *parts, tfp_error *err)
{
    tfp_variable *last = c->variables.size ? &c->variables.at[c->variables.size - 1] : NULL;
    const char *name = from->name.data;
    int shown = from->name.size > 1000 ? 1000 : (int)from->name.size;
    tfp_variable v = *from;
    v.part_first = (uint32_t)c->parts.size;
    for (uint32_t i = 0; i < from->part_count; i++)
        if (!tfp_push(&c->parts, parts[from->part_first + i])) return tfp_nomem(err);
    if (!last || !tfp_str_eq(last->name, from->name)) return tfp_push(&c->variables, v) ? TFP_OK : tfp_nomem(err);
    if (last->dtype != v.dtype || last->dim_count != v.dim_count ||
        memcmp(c->dims.at + last->dim_first, c->dims.at + v.dim_first, v.dim_count * sizeof(int64_t)) != 0)
        return tfp_fail(err, TFP_BADFILE, "%.*s is listed twice, with different types or shapes", shown, name);
    if (last->part_count && v.part_count && c->parts.at[v.part_first - 1].file == c->parts.at[v.part_first].file)
        return tfp_fail(err, TFP_BADFILE, "%.*s is listed twice", shown, name);
    last->part_count += v.part_count;
    return TFP_OK;
}

tfp_status tfp_checkpoint_end_v1(tfp_checkpoint *c, tfp_error *err)
{
    size_t count = c->variables.size;
    tfp_variable *variables = c->variables.at;
    tfp_part *parts = c->parts.at;
    tfp_str *names = calloc(count + 1, sizeof *names);
    uint32_t *order = calloc(count + 1, sizeof *order);
    tfp_status s = names && order ? TFP_OK : tfp_nomem(err);
    memset(&c->variables, 0, sizeof c->variables);
    memset(&c->parts, 0, sizeof c->parts);
    for (size_t i = 0; !s && i < count; i++) {
        names[i] = variables[i].name;
        order[i] = (uint32_t)i;
    }
    if (!s && !tfp_sort_strings(order, count, names)) s = tfp_nomem(err);
    for (size_t i = 0; !s && i < count; i++) s = join(c, &variables[order[i]], parts, err);
    free(variables);
    free(parts);
    free(names);
    free(order);
    return s;
}

/* ---- values ---- */

/* The name in a value must be the one that its key was made of. */
static tfp_status check_name(tfp_str slice, const tfp_variable *v, tfp_str *data, tfp_error *err)
{
    tfp_str name = { 0 };
    bool found = false;
    tfp_wire w = tfp_wire_start(slice);
    for (tfp_field f = { 0 }; tfp_wire_next(&w, &f);) {
        switch (f.number) { /* SavedSlice; its field 2, the slice itself, repeats the key */
        case 1: name = tfp_field_bytes(&w, &f); break;
        case 3:
            *data = tfp_field_bytes(&w, &f);
            found = true;
            break;
        }
    }
    tfp_status s = tfp_wire_end(&w, err);
    if (!s && !tfp_str_eq(name, v->name)) s = tfp_fail(err, TFP_BADFILE, "its values belong to another variable");
    if (!s && !found) *data = (tfp_str){ "", 0 };
    return s;
}

/* Strings are views into the message, which must outlive the block that contains it. */
static tfp_status read_data(tfp_str value, const tfp_part_read *x, tfp_error *err)
{
    const tfp_variable *v = x->v;
    tfp_str slice, data;
    bool found;
    tfp_status s = find_field(value, 2, &slice, &found, err); /* data */
    if (!s && !found) s = tfp_fail(err, TFP_BADFILE, "its key has no values");
    if (!s) s = check_name(slice, v, &data, err);
    if (s) return s;
    if (tfp_dtype_of(v->dtype)->class == TFP_DTYPE_STRING) {
        char *copy = tfp_tensor_alloc(x->owner, data.size);
        if (!copy) return tfp_nomem(err);
        memcpy(copy, data.data, data.size);
        data.data = copy;
    }
    return tfp_widen_proto(v->dtype, data, x->count, x->to, err);
}

static tfp_status find_and_read(tfp_reader *r, const tfp_sstable *table, tfp_str key, const tfp_part_read *x,
                                tfp_error *err)
{
    if (r->walk.table != table) r->walk = tfp_walk_start(table, &r->source);
    tfp_status s = tfp_walk_find(&r->walk, &r->source, key, err);
    if (s == TFP_NOTFOUND) return tfp_fail(err, TFP_BADFILE, "its values are missing");
    return s ? s : read_data(r->walk.value, x, err);
}

tfp_status tfp_checkpoint_read_part_v1(const tfp_checkpoint *c, const tfp_part_read *x, tfp_error *err)
{
    const tfp_part *part = x->part;
    tfp_reader *r;
    tfp_buf key = { 0 };
    tfp_slice_key(&key, x->v->name, c->extents.at + part->extent_first, x->v->dim_count);
    tfp_status s = key.failed ? tfp_nomem(err) : tfp_reader_take(c, part->file, &r, err);
    if (!s) {
        s = find_and_read(r, &c->files.at[part->file].table, (tfp_str){ key.data, key.size }, x, err);
        tfp_reader_give(r);
    }
    tfp_buf_free(&key);
    return s;
}
