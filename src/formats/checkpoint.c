/* formats/checkpoint.c: checkpoints of both versions: finding the files of one, and what the views ask of it.
 * In: a prefix, a file, or bytes. Out: the profile's `checkpoint`: names, types and shapes; values when they are asked for.
 * Uses base, wire, model. The two layouts are in checkpoint_v1.c and checkpoint_v2.c. */
#include "formats/checkpoint_parts.h"
#include "formats/format.h"
#include "wire/orderedcode.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#define VERSION_READ 1 /* the newest kind of checkpoint that is understood here */
#define KEEP_GROWTH 64 /* names, shapes and slices: this many times the files' bytes at most, and */
#define KEEP_SLACK ((size_t)16 << 20)
#define KEEP_MAX ((uint64_t)8 << 30) /* keeps indexes in 32 bits */
#define UNPACK_GROWTH 64 /* values in memory: this many times the files' bytes (zeros, packed by snappy: 42), and */
#define UNPACK_SLACK ((uint64_t)64 << 20)
#define SHARD_PATTERN                                                                                                  \
    "-?????"                                                                                                           \
    "-of-?????" /* in two, or it holds a trigraph */

/* ---- what both versions read alike ---- */

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
    if (!s && c->dims.size - before > TFP_RANK_MAX)
        s = tfp_fail(err, TFP_BADFILE, "more than %d dimensions", TFP_RANK_MAX);
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

static int64_t extent_length(tfp_extent e, int64_t dim) { return e.length < 0 ? dim : e.length; }

tfp_status tfp_slice_count(const int64_t *dims, const tfp_extent *slice, size_t dim_count, uint64_t *count,
                           tfp_error *err)
{
    int64_t product = 1;
    bool zero = false, clamped = false;
    for (size_t i = 0; i < dim_count; i++) {
        tfp_extent e = slice[i];
        int64_t length = extent_length(e, dims[i]);
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

/* Assembling a variable from slices. */
typedef struct assembly {
    const tfp_tensor *t;
    size_t unit;
    char *to;
    uint8_t *seen; /* a bit per element: slices may not overlap */
} assembly;

static bool mark(uint8_t *seen, size_t first, size_t count)
{
    for (size_t i = first; i < first + count; i++) {
        if (seen[i / 8] & 1u << i % 8) return false;
        seen[i / 8] |= (uint8_t)(1u << i % 8);
    }
    return true;
}

/* Copies a slice, row by row, to its place; at[] counts through all dimensions but the last. */
static tfp_status place_slice(assembly *a, const tfp_extent *slice, const char *from, size_t count, tfp_error *err)
{
    const int64_t *dims = a->t->dims;
    size_t rank = a->t->dim_count;
    int64_t at[TFP_RANK_MAX] = { 0 };
    size_t row = rank ? (size_t)extent_length(slice[rank - 1], dims[rank - 1]) : 1;
    for (size_t done = 0; done < count; done += row) {
        size_t place = 0;
        for (size_t i = 0; i < rank; i++) place = place * (size_t)dims[i] + (size_t)(slice[i].start + at[i]);
        if (!mark(a->seen, place, row)) return tfp_fail(err, TFP_BADFILE, "its slices overlap");
        memcpy(a->to + place * a->unit, from + done * a->unit, row * a->unit);
        for (size_t i = rank; i-- > 1;) {
            if (++at[i - 1] < extent_length(slice[i - 1], dims[i - 1])) break;
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

static tfp_status read_part(const tfp_checkpoint *c, const tfp_variable *v, const tfp_part *part, size_t count,
                            tfp_tensor *t, void *to, tfp_error *err)
{
    const char *path = part->file == TFP_NONE ? NULL : c->files.at[part->file].path;
    tfp_status s = c->version == 1 ? tfp_checkpoint_read_part_v1(c, v, part, count, t, to, err)
                                   : tfp_checkpoint_read_part_v2(c, v, part, count, t, to, err);
    return within(err, s, path ? path : c->path, v);
}

static tfp_status slice_count(const tfp_checkpoint *c, const tfp_variable *v, const tfp_part *part, uint64_t *count,
                              tfp_error *err)
{
    return tfp_slice_count(c->dims.at + v->dim_first, c->extents.at + part->extent_first, v->dim_count, count, err);
}

/* As many elements in the slices as in the variable: with no overlap, all of it. */
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
        s = slice_count(c, v, part, &count, err); /* succeeds: check_slices was here */
        if (!s) s = read_part(c, v, part, (size_t)count, t, one, err);
        if (s) break;
        s = place_slice(&a, c->extents.at + part->extent_first, one, (size_t)count, err);
        s = within(err, s, c->path, v);
    }
    free(one);
    free(a.seen);
    return s;
}

/* Checks all that can be checked before there is memory for the values. */
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
    return only ? read_part(c, v, only, t->count, t, to, err) : read_slices(c, v, t, to, err);
}

/* ---- what the views ask ---- */

static const tfp_variable *find(const tfp_checkpoint *c, tfp_str name)
{
    size_t low = 0, high = c ? c->variables.size : 0;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        int order = tfp_str_cmp(c->variables.at[mid].name, name);
        if (order == 0) return &c->variables.at[mid];
        if (order < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return NULL;
}

size_t tfp_checkpoint_count(const tfp_checkpoint *c) { return c ? c->variables.size : 0; }

tfp_str tfp_checkpoint_name(const tfp_checkpoint *c, size_t i)
{
    return i < tfp_checkpoint_count(c) ? c->variables.at[i].name : (tfp_str){ "", 0 };
}

bool tfp_checkpoint_has(const tfp_checkpoint *c, tfp_str name) { return find(c, name) != NULL; }

const char *tfp_checkpoint_path(const tfp_checkpoint *c) { return c ? c->path : ""; }

tfp_status tfp_checkpoint_read(const tfp_checkpoint *c, tfp_str name, tfp_tensor *out, tfp_error *err)
{
    const tfp_variable *v = find(c, name);
    *out = (tfp_tensor){ 0 };
    if (v) return read_variable(c, v, out, err);
    int shown = name.size > 1000 ? 1000 : (int)name.size;
    return tfp_fail(err, TFP_NOTFOUND, "%.*s is not in the checkpoint", shown, name.data ? name.data : "");
}

/* ---- files ---- */

const char *tfp_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

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

/* Takes the lock, and opens the file unless it is the one that is open. */
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

static void free_reader(tfp_reader *r)
{
    if (!r) return;
    tfp_walk_free(&r->walk);
    tfp_source_close(&r->source);
    pthread_mutex_destroy(&r->lock);
    free(r);
}

static tfp_reader *new_reader(void)
{
    tfp_reader *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->file = TFP_NONE;
    r->source.fd = -1;
    pthread_mutex_init(&r->lock, NULL);
    return r;
}

/* Ends the path in -NNNNN-of-NNNNN? Gives what stands before that. */
static bool is_shard(tfp_str path, size_t *before)
{
    static const char form[] = "-00000-of-00000";
    size_t n = sizeof form - 1;
    if (path.size <= n) return false;
    const char *at = path.data + path.size - n;
    for (size_t i = 0; i < n; i++)
        if (form[i] == '0' ? at[i] < '0' || at[i] > '9' : at[i] != form[i]) return false;
    *before = path.size - n;
    return true;
}

static bool ends_with(tfp_str s, tfp_str end)
{
    return s.size >= end.size && memcmp(s.data + s.size - end.size, end.data, end.size) == 0;
}

/* Only regular files are opened: who opens a FIFO to look at it ends its writer. */
static bool is_table_file(const char *path)
{
    tfp_source source;
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode)) return false;
    if (tfp_source_open(&source, path, NULL) != TFP_OK) return false;
    bool is = tfp_sstable_is(&source);
    tfp_source_close(&source);
    return is;
}

/* The files that a path stands for: one index, or any number of tables. */
typedef struct file_set {
    tfp_arena arena;
    TFP_VEC(char *) tables;
    char *prefix; /* of version 2, NULL when the path does not say */
} file_set;

static char *join_text(tfp_arena *a, tfp_str start, const char *end)
{
    char *s = tfp_arena_alloc(a, start.size + strlen(end) + 1);
    if (!s) return NULL;
    memcpy(s, start.data, start.size);
    memcpy(s + start.size, end, strlen(end) + 1);
    return s;
}

static void free_set(file_set *set)
{
    tfp_vec_free(&set->tables);
    tfp_arena_free(&set->arena);
}

static tfp_status add_table(file_set *set, char *path, tfp_error *err)
{
    return path && tfp_push(&set->tables, path) ? TFP_OK : tfp_nomem(err);
}

/* PREFIX.index, if it is there. */
static tfp_status try_prefix(file_set *set, tfp_str prefix, tfp_error *err)
{
    char *index = join_text(&set->arena, prefix, ".index");
    if (!index) return tfp_nomem(err);
    if (!tfp_exists(index)) return TFP_OK;
    set->prefix = tfp_arena_copy(&set->arena, prefix);
    return set->prefix ? add_table(set, index, err) : tfp_nomem(err);
}

static bool name_before(const void *ctx, uint32_t a, uint32_t b)
{
    char *const *names = ctx;
    return strcmp(names[a], names[b]) < 0;
}

static tfp_status list_shards(file_set *set, const char *path, tfp_error *err)
{
    const char *base = tfp_base_name(path);
    tfp_str folder = { path, (size_t)(base - path) };
    errno = 0;
    char *folder_path = folder.size ? tfp_arena_copy(&set->arena, folder) : join_text(&set->arena, TFP_STR("."), "");
    DIR *d = folder_path && *base ? opendir(folder_path) : NULL;
    tfp_status s = folder_path && (d || errno != ENOMEM) ? TFP_OK : tfp_nomem(err);
    size_t before;
    for (struct dirent *e; d && !s && (e = readdir(d));)
        if (is_shard(tfp_str_of(e->d_name), &before) && before == strlen(base) && !memcmp(e->d_name, base, before))
            s = add_table(set, join_text(&set->arena, folder, e->d_name), err);
    if (d) closedir(d);
    return s;
}

/* PATH-?????-of-?????, all of them or an error. */
static tfp_status try_shards(file_set *set, const char *path, tfp_error *err)
{
    tfp_status s = list_shards(set, path, err);
    size_t count = set->tables.size;
    if (s || count == 0) return s;
    uint32_t *order = calloc(count, sizeof *order);
    char **sorted = calloc(count, sizeof *sorted);
    for (size_t i = 0; order && i < count; i++) order[i] = (uint32_t)i;
    if (!order || !sorted || !tfp_sort(order, count, name_before, set->tables.at)) s = tfp_nomem(err);
    for (size_t i = 0; !s && i < count; i++) sorted[i] = set->tables.at[order[i]];
    if (!s) memcpy(set->tables.at, sorted, count * sizeof *sorted);
    free(sorted);
    free(order);
    for (size_t i = 0; !s && i < count; i++) {
        const char *name = set->tables.at[i], *end = name + strlen(name);
        if (strtoul(end - 14, NULL, 10) != i || strtoul(end - 5, NULL, 10) != count)
            s = tfp_fail(err, TFP_BADFILE, "shard %zu is missing (there is %s)", i, tfp_base_name(name));
    }
    return s;
}

/* The same, asked for as TensorFlow 1 did. */
static tfp_status try_pattern(file_set *set, tfp_str prefix, tfp_error *err)
{
    char *path = tfp_arena_copy(&set->arena, prefix);
    return path ? try_shards(set, path, err) : tfp_nomem(err);
}

static tfp_status find_files(file_set *set, const char *path, tfp_error *err)
{
    tfp_str p = tfp_str_of(path);
    size_t before;
    tfp_status s = try_prefix(set, p, err);
    if (!s && !set->tables.size && ends_with(p, TFP_STR(".index")))
        s = try_prefix(set, (tfp_str){ p.data, p.size - strlen(".index") }, err);
    if (!s && !set->tables.size && is_shard(p, &before) && ends_with((tfp_str){ p.data, before }, TFP_STR(".data")))
        s = try_prefix(set, (tfp_str){ p.data, before - strlen(".data") }, err);
    if (s || set->tables.size) return s;
    if (tfp_exists(path) && !tfp_is_folder(path)) return add_table(set, tfp_arena_copy(&set->arena, p), err);
    s = try_shards(set, path, err);
    if (!s && !set->tables.size && ends_with(p, TFP_STR(SHARD_PATTERN)))
        s = try_pattern(set, (tfp_str){ p.data, p.size - strlen(SHARD_PATTERN) }, err);
    if (s || set->tables.size) return s;
    if (tfp_is_folder(path)) return tfp_fail(err, TFP_BADFILE, "is a folder, not a checkpoint's prefix");
    return tfp_fail(err, TFP_BADFILE, "no such checkpoint: neither %s.index nor %s is there", tfp_base_name(path),
                    tfp_base_name(path));
}

/* ---- the format ---- */

static void free_checkpoint(tfp_checkpoint *c)
{
    if (!c) return;
    for (size_t i = 0; i < c->files.size; i++) tfp_sstable_free(&c->files.at[i].table);
    tfp_vec_free(&c->variables);
    tfp_vec_free(&c->parts);
    tfp_vec_free(&c->extents);
    tfp_vec_free(&c->dims);
    tfp_vec_free(&c->files);
    free_reader(c->reader);
    tfp_arena_free(&c->arena);
    free(c->bytes);
    free(c);
}

static tfp_status new_checkpoint(tfp_checkpoint **out, const tfp_builder *b, const char *path, tfp_error *err)
{
    *out = NULL;
    if (b->p->checkpoint) return tfp_fail(err, TFP_BADARG, "a second checkpoint: there may be one");
    tfp_checkpoint *c = calloc(1, sizeof *c);
    if (!c) return tfp_nomem(err);
    c->path = tfp_arena_copy(&c->arena, tfp_str_of(path));
    c->reader = new_reader();
    /* never empty, so that a place in them is never an offset from NULL */
    if (!c->path || !c->reader || !tfp_reserve(&c->dims, 1) || !tfp_reserve(&c->extents, 1) ||
        !tfp_reserve(&c->parts, 1)) {
        free_checkpoint(c);
        return tfp_nomem(err);
    }
    *out = c;
    return TFP_OK;
}

static void count_bytes(tfp_checkpoint *c, uint64_t size)
{
    c->file_bytes += size;
    uint64_t limit = c->file_bytes > KEEP_MAX / KEEP_GROWTH ? KEEP_MAX : c->file_bytes * KEEP_GROWTH + KEEP_SLACK;
    c->keep_limit = (size_t)limit;
}

/* Version 1 starts with a message in field 1, version 2 with a number. */
static tfp_status find_version(const tfp_source *source, int *version, tfp_error *err)
{
    tfp_sstable table;
    tfp_status s = tfp_sstable_read(&table, source, err);
    tfp_walk w = tfp_walk_start(&table, source);
    *version = 2;
    if (!s && tfp_walk_next(&w, err) && w.key.size == 0) {
        tfp_wire wire = tfp_wire_start(w.value);
        for (tfp_field f = { 0 }; tfp_wire_next(&wire, &f);)
            if (f.number <= 2 && f.type == TFP_BYTES) *version = 1;
    } else if (!s) {
        s = w.status ? w.status : tfp_fail(err, TFP_BADFILE, "not a checkpoint (no entry for what there is)");
    }
    tfp_walk_free(&w);
    tfp_sstable_free(&table);
    return s;
}

/* One table: an index, or values. `file` says where its bytes are. */
static tfp_status read_table(tfp_checkpoint *c, tfp_builder *b, const tfp_shard *file, tfp_error *err)
{
    tfp_source source;
    int version = 0;
    tfp_status s = tfp_shard_open(file, &source, err);
    if (s) return s;
    count_bytes(c, source.size);
    s = find_version(&source, &version, err);
    if (!s && c->version && version != c->version) s = tfp_fail(err, TFP_BADFILE, "files of different versions");
    if (!s) s = version == 1 ? tfp_checkpoint_add_v1(c, b, file, err) : tfp_checkpoint_read_v2(c, b, &source, err);
    tfp_source_close(&source);
    return s;
}

/* What all values would take: a small file in which that is much was made to fill memory. */
static uint64_t wide_bytes(const tfp_checkpoint *c)
{
    int64_t sum = 0;
    for (size_t i = 0; i < c->variables.size; i++) {
        const tfp_variable *v = &c->variables.at[i];
        uint64_t count;
        if (!tfp_dims_count(c->dims.at + v->dim_first, v->dim_count, &count)) count = INT64_MAX;
        sum = tfp_add(sum, tfp_mul((int64_t)count, (int64_t)tfp_tensor_unit(v->dtype), NULL), NULL);
    }
    return (uint64_t)sum;
}

/* Hands a read checkpoint to the profile, or frees it. */
static tfp_status finish(tfp_checkpoint *c, tfp_builder *b, tfp_status s, tfp_error *err)
{
    if (!s && c->version == 1) s = tfp_checkpoint_end_v1(c, err);
    if (!s) s = tfp_builder_status(b, err);
    if (s) {
        free_checkpoint(c);
        return s;
    }
    c->wide_bytes = wide_bytes(c);
    if (c->variables.size == 0) tfp_build_warn(b, "no variables", TFP_STR(""));
    b->p->checkpoint = c;
    b->p->checkpoint_free = free_checkpoint;
    return TFP_OK;
}

static tfp_status read_bytes(tfp_checkpoint *c, tfp_builder *b, tfp_input *in, tfp_error *err)
{
    tfp_str all;
    tfp_status s = tfp_input_all(in, &all, err);
    if (s) return s;
    c->bytes = malloc(all.size + 1);
    if (!c->bytes) return tfp_nomem(err);
    if (all.size) memcpy(c->bytes, all.data, all.size);
    tfp_shard file = { .bytes = { c->bytes, all.size }, .size = all.size };
    return read_table(c, b, &file, err);
}

static tfp_status read_input(tfp_builder *b, tfp_input *in, tfp_error *err)
{
    tfp_checkpoint *c;
    tfp_status s = new_checkpoint(&c, b, in->name, err);
    return s ? s : finish(c, b, read_bytes(c, b, in, err), err);
}

/* A table that is a regular file stays where it is; a pipe or a gzip file is taken into memory. */
static tfp_status read_one_file(tfp_checkpoint *c, tfp_builder *b, const char *path, tfp_error *err)
{
    tfp_source source;
    if (is_table_file(path)) {
        tfp_shard file = { .path = tfp_arena_copy(&c->arena, tfp_str_of(path)) };
        tfp_status s = file.path ? tfp_source_open(&source, path, err) : tfp_nomem(err);
        if (s) return s;
        file.size = source.size;
        tfp_source_close(&source);
        return read_table(c, b, &file, err);
    }
    tfp_input in = { .fd = -1 };
    tfp_status s = tfp_input_open(&in, path, err);
    if (!s) s = read_bytes(c, b, &in, err);
    tfp_input_close(&in);
    return s;
}

static tfp_status read_path(tfp_builder *b, const char *path, tfp_error *err)
{
    file_set set = { 0 };
    tfp_checkpoint *c = NULL;
    tfp_status s = find_files(&set, path, err);
    if (!s) s = new_checkpoint(&c, b, path, err);
    if (!s && set.prefix && !(c->prefix = tfp_arena_copy(&c->arena, tfp_str_of(set.prefix)))) s = tfp_nomem(err);
    for (size_t i = 0; !s && i < set.tables.size; i++) {
        const char *table = set.tables.at[i];
        s = read_one_file(c, b, table, err);
        if (strcmp(table, path) != 0) s = tfp_within(err, s, "%s", tfp_base_name(table));
    }
    free_set(&set);
    return c ? finish(c, b, s, err) : s;
}

/* A prefix is no file, so whatever stands beside it, damaged or not, is meant. A file is known by its last bytes. */
static bool probe_path(const char *path)
{
    file_set set = { 0 };
    tfp_status s = find_files(&set, path, NULL);
    bool is = set.tables.size && (!tfp_exists(path) || (s == TFP_OK && is_table_file(set.tables.at[0])));
    free_set(&set);
    return is;
}

static int probe(tfp_str head, uint64_t total)
{
    tfp_source source = tfp_source_memory(head);
    return head.size == total && tfp_sstable_is(&source) ? 100 : 0;
}

const tfp_format tfp_format_checkpoint = {
    .name = "checkpoint",
    .help = "values of variables: a V2 checkpoint's prefix (P.index is there) or index, or a V1 checkpoint",
    .order = 4,
    .probe = probe,
    .read = read_input,
    .read_path = read_path,
    .probe_path = probe_path,
};
