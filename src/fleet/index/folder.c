// SPDX-License-Identifier: Apache-2.0
/* fleet/index/folder.c: the folder of an index: creates or recognizes it, locks it for one index process per shard, and names its
 * parts. */
#include "fleet/duckdb.h"
#include "fleet/index/index.h"
#include "fleet/index/parts.h"
#include "fleet/index/stream.h"
#include "outputs/data/parquet_read.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#define MARK "{\"schema\":\"tfprof.fleet\",\"version\":1}\n"

bool tfp_index_path(char out[PATH_MAX], const char *folder, const char *table, const char *name)
{
    int n = snprintf(out, PATH_MAX, "%s%s%s/%s", folder, table ? "/" : "", table ? table : "", name);
    return n > 0 && n < PATH_MAX;
}

/* ---- parts ---- */

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

tfp_status tfp_part_names_read(tfp_part_names *names, const char *out, const char *table, tfp_error *err)
{
    char path[PATH_MAX];
    bool fits = tfp_index_path(path, out, table, ".");
    DIR *dir = fits ? opendir(path) : NULL;
    bool ok = true;
    if (!dir && fits && errno != ENOENT && errno != ENOTDIR)
        return tfp_within_file(err, tfp_fail_errno(err, "cannot open"), path);
    if (!dir) return TFP_OK;
    for (struct dirent *e; ok && (e = readdir(dir));) {
        if (e->d_name[0] == '.' || e->d_name[0] == '_' || !tfp_str_ends(tfp_str_of(e->d_name), TFP_STR(".parquet")))
            continue;
        char *copy = strdup(e->d_name);
        ok = copy && tfp_push(names, copy);
        if (!ok) free(copy);
    }
    closedir(dir);
    if (names->size) qsort(names->at, names->size, sizeof *names->at, by_text);
    return ok ? TFP_OK : tfp_nomem(err);
}

tfp_status tfp_parts_each(const char *out, const tfp_part_columns *x, void *ctx, tfp_error *err)
{
    tfp_part_names names = { 0 };
    const char *table = x->name ? x->name : tfp_fleet_tables[x->table].name;
    char path[PATH_MAX];
    tfp_status s = tfp_part_names_read(&names, out, table, err);
    for (size_t i = 0; i < names.size && !s; i++)
        if (tfp_index_path(path, out, table, names.at[i]))
            s = tfp_parquet_each(path, x->columns, x->count, x->take, ctx, err);
    tfp_part_names_free(&names);
    return s;
}

void tfp_part_names_free(tfp_part_names *names)
{
    for (size_t i = 0; i < names->size; i++) free(names->at[i]);
    tfp_vec_free(names);
}

/* ---- the folder ---- */

tfp_status tfp_index_fail_output(tfp_error *err, const char *path)
{
    return tfp_fail(err, TFP_BADOUTPUT, "%s: cannot write: %s", path, strerror(errno));
}

tfp_status tfp_index_write(const char *path, const tfp_buf *text, tfp_error *err)
{
    tfp_outfile f;
    tfp_status s = text->failed ? tfp_nomem(err) : tfp_outfile_open(&f, path, err);
    if (s) return s;
    if (text->size) tfp_outfile_write(&f, text->data, text->size);
    s = tfp_outfile_finish(&f, err);
    tfp_outfile_abandon(&f);
    return s;
}

static bool is_index(const char *out)
{
    char path[PATH_MAX];
    tfp_buf mark = { 0 };
    bool ok = tfp_index_path(path, out, NULL, "_tfprof.json") && !tfp_read_file(path, 4096, &mark, NULL) && mark.size &&
              tfp_str_has((tfp_str){ mark.data, mark.size }, TFP_STR("\"tfprof.fleet\""));
    tfp_buf_free(&mark);
    return ok;
}

/* Whether the folder is empty. Hidden names do not count, because an index that was killed at its start leaves a
 * temporary file. */
static bool is_empty(const char *out)
{
    DIR *dir = opendir(out);
    bool empty = dir != NULL;
    for (struct dirent *e; empty && (e = readdir(dir));) empty = e->d_name[0] == '.';
    if (dir) closedir(dir);
    return empty;
}

static tfp_status mark_index(const char *out, tfp_error *err)
{
    char path[PATH_MAX];
    tfp_buf mark = { 0 };
    if (is_index(out)) return TFP_OK;
    if (!is_empty(out)) return tfp_fail(err, TFP_BADFILE, "%s: not empty, and not an index of tfprof", out);
    if (!tfp_index_path(path, out, NULL, "_tfprof.json")) return tfp_fail(err, TFP_BADOUTPUT, "%s: too long", out);
    tfp_buf_text(&mark, MARK);
    tfp_status s = tfp_index_write(path, &mark, err);
    tfp_buf_free(&mark);
    return s;
}

/* Makes a folder an index by adding a file that marks it. Several processes may start on a new folder at once. They lock the folder itself, as
 * there is no file yet, so that one makes the mark and the others find it. */
static tfp_status make_index(const char *out, tfp_error *err)
{
    if (mkdir(out, 0777) != 0 && errno != EEXIST) return tfp_index_fail_output(err, out);
    int folder = open(out, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return tfp_index_fail_output(err, out);
    while (flock(folder, LOCK_EX) != 0 && errno == EINTR) {}
    tfp_status s = mark_index(out, err);
    close(folder);
    return s;
}

/* ---- locks: they end with the process, and are not inherited ---- */

static int set_lock(int fd, int command, struct flock *l)
{
    *l = (struct flock){ .l_type = F_WRLCK, .l_whence = SEEK_SET };
    return fcntl(fd, command, l);
}

static void tell_owner(int fd)
{
    char text[320], host[256] = "";
    gethostname(host, sizeof host - 1);
    int n = snprintf(text, sizeof text, "%ld %s\n", (long)getpid(), host);
    if (ftruncate(fd, 0) == 0) (void)!pwrite(fd, text, (size_t)n, 0);
}

static tfp_status lock_share(tfp_index_folder *f, const char *path, tfp_error *err)
{
    struct flock l;
    char owner[300] = "";
    f->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (f->lock < 0) return tfp_index_fail_output(err, path);
    if (set_lock(f->lock, F_SETLK, &l) == 0) {
        tell_owner(f->lock);
        return TFP_OK;
    }
    if (errno != EACCES && errno != EAGAIN) return tfp_index_fail_output(err, path);
    ssize_t n = pread(f->lock, owner, sizeof owner - 1, 0);
    owner[n > 0 ? n - 1 : 0] = '\0';
    return tfp_fail(err, TFP_BADFILE, "%s: another index is at work there (process %s)", f->out, owner);
}

tfp_status tfp_index_folder_open(tfp_index_folder *f, const char *out, int64_t shard, int64_t shards, unsigned tables,
                                 tfp_error *err)
{
    char path[PATH_MAX];
    size_t size = strlen(out);
    *f = (tfp_index_folder){ .lock = -1, .commit_lock = -1 };
    while (size > 1 && out[size - 1] == '/') size--;
    if (!size || size >= sizeof f->out)
        return tfp_fail(err, TFP_BADARG, "option -o: no folder, or a path that is too long");
    memcpy(f->out, out, size);
    tfp_status s = make_index(f->out, err);
    snprintf(path, sizeof path, "%s/_lock-%lld-of-%lld", f->out, (long long)shard, (long long)shards);
    if (!s) s = lock_share(f, path, err);
    snprintf(path, sizeof path, "%s/_lock", f->out);
    if (!s && (f->commit_lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666)) < 0)
        s = tfp_index_fail_output(err, path);
    if (!s) snprintf(f->work, sizeof f->work, "%s/_work-%lld-of-%lld", f->out, (long long)shard, (long long)shards);
    if (!s && mkdir(f->work, 0777) != 0 && errno != EEXIST) s = tfp_index_fail_output(err, f->work);
    for (int t = 0; t < TFP_FLEET_TABLES && !s; t++)
        if ((tables | TFP_FLEET_USUAL) & TFP_FLEET_BIT(t) &&
            tfp_index_path(path, f->out, NULL, tfp_fleet_tables[t].name) && mkdir(path, 0777) != 0 && errno != EEXIST)
            s = tfp_index_fail_output(err, path);
    if (s) tfp_index_folder_close(f);
    return s;
}

tfp_status tfp_index_folder_lock(tfp_index_folder *f, tfp_error *err)
{
    struct flock l;
    while (set_lock(f->commit_lock, F_SETLKW, &l) != 0)
        if (errno != EINTR) return tfp_index_fail_output(err, f->out);
    return TFP_OK;
}

void tfp_index_folder_unlock(tfp_index_folder *f)
{
    struct flock l = { .l_type = F_UNLCK, .l_whence = SEEK_SET };
    fcntl(f->commit_lock, F_SETLK, &l);
}

void tfp_index_folder_close(tfp_index_folder *f)
{
    if (*f->work) rmdir(f->work);
    if (f->lock >= 0) close(f->lock);
    if (f->commit_lock >= 0) close(f->commit_lock);
    f->lock = f->commit_lock = -1;
}

/* ---- views.sql ---- */

tfp_status tfp_index_write_views(const tfp_index_folder *f, unsigned tables, tfp_error *err)
{
    char whole[PATH_MAX], path[PATH_MAX];
    tfp_buf b = { 0 }, old = { 0 };
    if (!realpath(f->out, whole)) return tfp_index_fail_output(err, f->out);
    tfp_buf_text(&b, "-- The tables of an index of tfprof, for DuckDB: duckdb -init views.sql\n");
    for (int t = 0; t < TFP_FLEET_TABLES; t++)
        if (tables & TFP_FLEET_BIT(t)) tfp_duckdb_put_view(&b, whole, tfp_fleet_tables[t].name);
    tfp_status s = b.failed ? tfp_nomem(err) : TFP_OK;
    bool same = !s && tfp_index_path(path, f->out, NULL, "views.sql") && !tfp_read_file(path, 1 << 20, &old, NULL) &&
                tfp_str_eq((tfp_str){ old.data, old.size }, (tfp_str){ b.data, b.size });
    if (!s && !same) s = tfp_index_write(path, &b, err);
    tfp_buf_free(&b);
    tfp_buf_free(&old);
    return s;
}
