// SPDX-License-Identifier: Apache-2.0
/* formats/checkpoint/files.c: finds the files of a checkpoint. In: a path: a prefix, an index, a shard, a file. Out:
 * the index, or the tables of version 1. Uses base, wire. */
#include "formats/checkpoint/parts.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

/* clang-format off */
#define SHARD_PATTERN "-?????" "-of-?????" /* in two literals, because one would contain a trigraph */
/* clang-format on */

const char *tfp_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Whether the path ends in -NNNNN-of-NNNNN; *before: the length of the rest. */
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

bool tfp_is_table_file(const char *path)
{
    tfp_source source;
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode)) return false;
    if (tfp_source_open(&source, path, NULL) != TFP_OK) return false;
    bool is = tfp_sstable_is(&source);
    tfp_source_close(&source);
    return is;
}

static char *join_text(tfp_arena *a, tfp_str start, const char *end)
{
    char *s = tfp_arena_alloc(a, start.size + strlen(end) + 1);
    if (!s) return NULL;
    memcpy(s, start.data, start.size);
    memcpy(s + start.size, end, strlen(end) + 1);
    return s;
}

void tfp_file_set_free(tfp_file_set *set)
{
    tfp_vec_free(&set->tables);
    tfp_arena_free(&set->arena);
}

static tfp_status add_table(tfp_file_set *set, char *path, tfp_error *err)
{
    return path && tfp_push(&set->tables, path) ? TFP_OK : tfp_nomem(err);
}

/* Takes PREFIX.index, if it exists. */
static tfp_status try_prefix(tfp_file_set *set, tfp_str prefix, tfp_error *err)
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

static tfp_status list_shards(tfp_file_set *set, const char *path, tfp_error *err)
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

/* Takes PATH-?????-of-?????: all of them, or it is an error. */
static tfp_status try_shards(tfp_file_set *set, const char *path, tfp_error *err)
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

/* The same, for a name with question marks as TensorFlow 1 took it. */
static tfp_status try_pattern(tfp_file_set *set, tfp_str prefix, tfp_error *err)
{
    char *path = tfp_arena_copy(&set->arena, prefix);
    return path ? try_shards(set, path, err) : tfp_nomem(err);
}

tfp_status tfp_file_set_find(tfp_file_set *set, const char *path, tfp_error *err)
{
    tfp_str p = tfp_str_of(path);
    size_t before;
    tfp_status s = try_prefix(set, p, err);
    if (!s && !set->tables.size && tfp_str_ends(p, TFP_STR(".index")))
        s = try_prefix(set, (tfp_str){ p.data, p.size - strlen(".index") }, err);
    if (!s && !set->tables.size && is_shard(p, &before) && tfp_str_ends((tfp_str){ p.data, before }, TFP_STR(".data")))
        s = try_prefix(set, (tfp_str){ p.data, before - strlen(".data") }, err);
    if (s || set->tables.size) return s;
    if (tfp_exists(path) && !tfp_is_folder(path)) return add_table(set, tfp_arena_copy(&set->arena, p), err);
    s = try_shards(set, path, err);
    if (!s && !set->tables.size && tfp_str_ends(p, TFP_STR(SHARD_PATTERN)))
        s = try_pattern(set, (tfp_str){ p.data, p.size - strlen(SHARD_PATTERN) }, err);
    if (s || set->tables.size) return s;
    if (tfp_is_folder(path)) return tfp_fail(err, TFP_BADFILE, "is a folder, not a checkpoint's prefix");
    const char *name = tfp_base_name(path);
    s = tfp_fail(err, TFP_BADFILE, "no such checkpoint: neither %s.index nor %s is there", name, name);
    return tfp_with_errno(err, s, ENOENT);
}
