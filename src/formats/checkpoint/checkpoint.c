// SPDX-License-Identifier: Apache-2.0
/* formats/checkpoint/checkpoint.c: reads checkpoints of both versions into the profile's `checkpoint`: names, types and
 * shapes at once, values on demand (values.c). In: a prefix, a file, or bytes. Uses base, wire, model. The two layouts
 * are in v1.c and v2.c. */
#include "formats/checkpoint/parts.h"
#include "formats/files/folder.h"
#include "formats/files/format.h"
#include "model/tables/profile.h"

#include <stdlib.h>

#define KEEP_GROWTH 64 /* limit for names, shapes and slices: this many times the bytes of the files, and KEEP_MAX */
#define KEEP_SLACK ((size_t)16 << 20)
#define KEEP_MAX ((uint64_t)8 << 30) /* so that indexes fit into 32 bits */

static void free_checkpoint(tfp_checkpoint *c)
{
    if (!c) return;
    for (size_t i = 0; i < c->files.size; i++) tfp_sstable_free(&c->files.at[i].table);
    tfp_vec_free(&c->variables);
    tfp_vec_free(&c->parts);
    tfp_vec_free(&c->extents);
    tfp_vec_free(&c->dims);
    tfp_vec_free(&c->files);
    tfp_reader_free(c->reader);
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
    c->reader = tfp_reader_new();
    /* never empty, so that no offset is added to NULL */
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

/* Finds the version: version 1 starts with a message in field 1, version 2 with a number. */
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
        s = w.status ? w.status : tfp_fail(err, TFP_BADFILE, "not a checkpoint (it has no list of variables)");
    }
    tfp_walk_free(&w);
    tfp_sstable_free(&table);
    return s;
}

/* Reads one table: an index, or values. `file` says where its bytes are. */
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

/* Limit of memory for all values: a small file that asks for much more was made to exhaust memory. */
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

/* Gives the checkpoint to the profile, or frees it. */
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

/* Reads one file. A regular file is read in place; a pipe or a gzip file is read into memory. */
static tfp_status read_one_file(tfp_checkpoint *c, tfp_builder *b, const char *path, tfp_error *err)
{
    tfp_source source;
    if (tfp_is_table_file(path)) {
        tfp_shard file = { .path = tfp_arena_copy(&c->arena, tfp_str_of(path)) };
        tfp_status s = file.path ? tfp_source_open(&source, path, err) : tfp_nomem(err);
        if (s) return s;
        file.size = source.size;
        tfp_source_close(&source);
        return read_table(c, b, &file, err);
    }
    tfp_input in = { .fd = -1 };
    tfp_status s = tfp_input_open(&in, path, err);
    if (!s) s = tfp_input_check_whole(&in, err);
    if (!s) s = read_bytes(c, b, &in, err);
    tfp_input_close(&in);
    return s;
}

static tfp_status read_path(tfp_builder *b, const char *path, tfp_error *err)
{
    tfp_file_set set = { 0 };
    tfp_checkpoint *c = NULL;
    tfp_status s = tfp_file_set_find(&set, path, err);
    if (!s) s = new_checkpoint(&c, b, path, err);
    if (!s && set.prefix && !(c->prefix = tfp_arena_copy(&c->arena, tfp_str_of(set.prefix)))) s = tfp_nomem(err);
    for (size_t i = 0; !s && i < set.tables.size; i++) {
        const char *table = set.tables.at[i];
        s = read_one_file(c, b, table, err);
        if (strcmp(table, path) != 0) s = tfp_within(err, s, "%s", tfp_base_name(table));
    }
    tfp_file_set_free(&set);
    return c ? finish(c, b, s, err) : s;
}

/* Whether this is the path of a checkpoint. A prefix is no file itself, so it is taken for a checkpoint if its files
 * exist, even damaged ones. A file is recognized by its last bytes. */
static bool probe_path(const char *path)
{
    if (tfp_is_folder(path)) return tfp_checkpoint_is_folder(path);
    tfp_file_set set = { 0 };
    tfp_status s = tfp_file_set_find(&set, path, NULL);
    bool none = s == TFP_NOMEM && !tfp_exists(path); /* perhaps a prefix: the reader will say what is wrong */
    bool is = none || (set.tables.size && (!tfp_exists(path) || (s == TFP_OK && tfp_is_table_file(set.tables.at[0]))));
    tfp_file_set_free(&set);
    return is;
}

static const char *const endings[] = { ".index", "-00000-of-00001", NULL };

/* Data and later shards are read through the index or the first shard; the file `checkpoint` names the latest
 * checkpoint. */
static bool name_is(const char *name, tfp_path_fact fact)
{
    const char *of = strstr(name, "-of-");
    bool later_shard = of && of - name >= 6 && of[-6] == '-' && strncmp(of - 5, "00000", 5) != 0;
    return fact == TFP_PATH_PART && (strstr(name, ".data-") || later_shard || strcmp(name, "checkpoint") == 0);
}

static int probe(tfp_str head, uint64_t total)
{
    tfp_source source = tfp_source_memory(head);
    return head.size == total && tfp_sstable_is(&source) ? 100 : 0;
}

const tfp_format tfp_format_checkpoint = {
    .name = "checkpoint",
    .help = "values of variables: a V2 checkpoint's prefix (P.index is there) or index, or a V1 checkpoint",
    .stands = TFP_FORMAT_IS(BESIDE_WHOLE),
    .probe = probe,
    .read = read_input,
    .read_path = read_path,
    .probe_path = probe_path,
    .list = tfp_checkpoint_list,
    .endings = endings,
    .name_is = name_is,
};
