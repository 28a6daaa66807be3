// SPDX-License-Identifier: Apache-2.0
/* formats/checkpoint/values.c: reads a tensor's values from a checkpoint, whole or from its slices, and answers the
 * views' other questions. In: a name. Out: a tfp_tensor. Uses base, wire, model. */
#include "formats/checkpoint/parts.h"

#include <stdlib.h>

/* limit of values in memory: this many times the bytes of the files (zeros packed by snappy need 42), and a constant */
#define UNPACK_GROWTH 64
#define UNPACK_SLACK ((uint64_t)64 << 20)

/* ---- slices ---- */

/* State of assembling a variable from slices. */
typedef struct assembly {
    const tfp_tensor *t;
    size_t unit;
    char *to;
    uint8_t *seen; /* one bit per element: slices may not overlap */
} assembly;

static bool mark(uint8_t *seen, size_t first, size_t count)
{
    for (size_t i = first; i < first + count; i++) {
        if (seen[i / 8] & 1u << i % 8) return false;
        seen[i / 8] |= (uint8_t)(1u << i % 8);
    }
    return true;
}

/* Copies a slice to its place, row by row; at[] counts through all dimensions but the last. */
static tfp_status place_slice(assembly *a, const tfp_extent *slice, const char *from, size_t count, tfp_error *err)
{
    const int64_t *dims = a->t->dims;
    size_t rank = a->t->dim_count;
    int64_t at[TFP_RANK_MOST] = { 0 };
    size_t row = rank ? (size_t)tfp_extent_length(slice[rank - 1], dims[rank - 1]) : 1;
    for (size_t done = 0; done < count; done += row) {
        size_t place = 0;
        for (size_t i = 0; i < rank; i++) place = place * (size_t)dims[i] + (size_t)(slice[i].start + at[i]);
        if (!mark(a->seen, place, row)) return tfp_fail(err, TFP_BADFILE, "its slices overlap");
        memcpy(a->to + place * a->unit, from + done * a->unit, row * a->unit);
        for (size_t i = rank; i-- > 1;) {
            if (++at[i - 1] < tfp_extent_length(slice[i - 1], dims[i - 1])) break;
            at[i - 1] = 0;
        }
    }
    return TFP_OK;
}

/* ---- reading a variable ---- */

/* "FILE: VARIABLE: what is wrong" */
static tfp_status within(tfp_error *err, tfp_status s, const char *path, const tfp_variable *v)
{
    if (!s) return s;
    tfp_within(err, s, "%.*s", v->name.size > 1000 ? 1000 : (int)v->name.size, v->name.data);
    return tfp_within_file(err, s, path);
}

static tfp_status read_part(const tfp_checkpoint *c, const tfp_part_read *x, tfp_error *err)
{
    const char *path = x->part->file == TFP_NONE ? NULL : c->files.at[x->part->file].path;
    tfp_status s = c->version == 1 ? tfp_checkpoint_read_part_v1(c, x, err) : tfp_checkpoint_read_part_v2(c, x, err);
    return within(err, s, path ? path : c->path, x->v);
}

static tfp_status slice_count(const tfp_checkpoint *c, const tfp_variable *v, const tfp_part *part, uint64_t *count,
                              tfp_error *err)
{
    return tfp_slice_count(c->dims.at + v->dim_first, c->extents.at + part->extent_first, v->dim_count, count, err);
}

/* Checks that the slices have as many elements as the variable; as they do not overlap, they then cover it. */
static tfp_status check_slices(const tfp_checkpoint *c, const tfp_variable *v, uint64_t whole, tfp_error *err)
{
    uint64_t sum = 0, count;
    for (uint32_t i = 0; i < v->part_count; i++) {
        tfp_status s = slice_count(c, v, &c->parts.at[v->part_first + i], &count, err);
        if (s) return s;
        if (count == 0 && v->part_count > 1) return tfp_fail(err, TFP_BADFILE, "an empty slice beside others");
        if (count > whole - sum) return tfp_fail(err, TFP_BADFILE, "its slices overlap");
        sum += count;
    }
    return sum == whole && v->part_count ? TFP_OK : tfp_fail(err, TFP_BADFILE, "its slices do not make up all of it");
}

static tfp_status read_slices(const tfp_checkpoint *c, const tfp_variable *v, tfp_tensor *t, char *to, tfp_error *err)
{
    assembly a = { .t = t, .unit = tfp_tensor_unit(v->dtype), .to = to };
    tfp_status s = TFP_OK;
    a.seen = calloc(t->count / 8 + 1, 1);
    char *one = malloc(t->count * a.unit + 1);
    if (!a.seen || !one) s = tfp_nomem(err);
    for (uint32_t i = 0; !s && i < v->part_count; i++) {
        const tfp_part *part = &c->parts.at[v->part_first + i];
        uint64_t count;
        s = slice_count(c, v, part, &count, err); /* cannot fail: check_slices has checked it */
        if (!s) s = read_part(c, &(tfp_part_read){ v, part, (size_t)count, t, one }, err);
        if (s) break;
        s = place_slice(&a, c->extents.at + part->extent_first, one, (size_t)count, err);
        s = within(err, s, c->path, v);
    }
    free(one);
    free(a.seen);
    return s;
}

/* Checks everything that can be checked before memory is allocated for the values. */
static tfp_status check_variable(const tfp_checkpoint *c, const tfp_variable *v, const tfp_part *only, tfp_tensor *t,
                                 tfp_error *err)
{
    tfp_status s = tfp_tensor_shape(t, v->dtype, c->dims.at + v->dim_first, v->dim_count, err);
    if (s || tfp_tensor_unit(v->dtype) == 0) return s;
    if (c->wide_bytes > UNPACK_SLACK && (c->wide_bytes - UNPACK_SLACK) / UNPACK_GROWTH > c->file_bytes)
        return tfp_fail(err, TFP_LIMIT, "all values together unpack to %llu MB",
                        (unsigned long long)(c->wide_bytes >> 20));
    if (only && only->extent_first == TFP_NONE) return TFP_OK;
    return check_slices(c, v, t->count, err);
}

static tfp_status read_variable(const tfp_checkpoint *c, const tfp_variable *v, tfp_tensor *t, tfp_error *err)
{
    const tfp_part *only = v->part_count == 1 ? &c->parts.at[v->part_first] : NULL;
    tfp_status s = check_variable(c, v, only, t, err);
    if (s) return within(err, s, c->path, v);
    if (tfp_tensor_unit(v->dtype) == 0) return TFP_OK;
    void *to = tfp_tensor_values(t);
    if (!to) return tfp_nomem(err);
    return only ? read_part(c, &(tfp_part_read){ v, only, t->count, t, to }, err) : read_slices(c, v, t, to, err);
}

/* ---- what the views ask ---- */

static int by_name(const void *name, const void *v)
{
    return tfp_str_cmp(*(const tfp_str *)name, ((const tfp_variable *)v)->name);
}

static const tfp_variable *find(const tfp_checkpoint *c, tfp_str name)
{
    bool any = c && c->variables.size;
    return any ? bsearch(&name, c->variables.at, c->variables.size, sizeof *c->variables.at, by_name) : NULL;
}

size_t tfp_checkpoint_count(const tfp_checkpoint *c) { return c ? c->variables.size : 0; }

int tfp_checkpoint_dtype(const tfp_checkpoint *c, size_t i)
{
    return i < tfp_checkpoint_count(c) ? c->variables.at[i].dtype : 0;
}

const int64_t *tfp_checkpoint_dims(const tfp_checkpoint *c, size_t i, size_t *count)
{
    bool is = i < tfp_checkpoint_count(c);
    *count = is ? c->variables.at[i].dim_count : 0;
    return is ? c->dims.at + c->variables.at[i].dim_first : NULL;
}

tfp_str tfp_checkpoint_name(const tfp_checkpoint *c, size_t i)
{
    return i < tfp_checkpoint_count(c) ? c->variables.at[i].name : (tfp_str){ "", 0 };
}

bool tfp_checkpoint_has(const tfp_checkpoint *c, tfp_str name) { return find(c, name) != NULL; }

tfp_status tfp_checkpoint_read(const tfp_checkpoint *c, tfp_str name, tfp_tensor *out, tfp_error *err)
{
    const tfp_variable *v = find(c, name);
    *out = (tfp_tensor){ 0 };
    if (v) return read_variable(c, v, out, err);
    int shown = name.size > 1000 ? 1000 : (int)name.size;
    return tfp_fail(err, TFP_NOTFOUND, "%.*s is not in the checkpoint", shown, name.data ? name.data : "");
}
