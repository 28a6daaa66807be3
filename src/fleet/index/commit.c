// SPDX-License-Identifier: Apache-2.0
/* fleet/index/commit.c: a commit is atomic: its renames are first written to a journal, and if the process is killed the next index
 * completes them. Parts with rows of replaced runs are rewritten without these rows, under the same name. */
#include "fleet/index/index.h"
#include "fleet/index/parts.h"
#include "fleet/index/stream.h"
#include "outputs/data/parquet.h"
#include "outputs/data/parquet_read.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#define JOURNAL "journal"

/* ---- the journal: lines "TABLE/NEW NAME<tab>NAME IN WORK" ---- */

static tfp_status rename_line(const tfp_index_folder *f, const char *work, const char *line, tfp_error *err)
{
    char from[PATH_MAX], to[PATH_MAX], name[NAME_MAX + 1];
    size_t size = strcspn(line, "\t");
    if (!line[size] || size > NAME_MAX || strstr(line, "..")) return TFP_OK; /* no index wrote this line */
    memcpy(name, line, size);
    name[size] = '\0';
    if (!tfp_index_path(from, work, NULL, line + size + 1) || !tfp_index_path(to, f->out, NULL, name)) return TFP_OK;
    if (rename(from, to) != 0 && errno != ENOENT) return tfp_index_fail_output(err, to);
    return TFP_OK;
}

/* Plays a journal. Renames that were done already fail with ENOENT, so a journal can be played again. */
static tfp_status play(const tfp_index_folder *f, const char *work, tfp_error *err)
{
    char path[PATH_MAX];
    tfp_buf text = { 0 };
    tfp_status s = TFP_OK;
    if (!tfp_index_path(path, work, NULL, JOURNAL) || !tfp_exists(path)) return TFP_OK;
    s = tfp_read_file(path, 1 << 26, &text, err);
    tfp_buf_char(&text, '\0');
    if (!s && text.failed) s = tfp_nomem(err);
    for (char *line = text.data, *end; !s && (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        s = rename_line(f, work, line, err);
    }
    if (!s && unlink(path) != 0) s = tfp_index_fail_output(err, path);
    tfp_buf_free(&text);
    return s;
}

/* Removes files that a killed index left. */
static void clear(const char *work)
{
    char path[PATH_MAX];
    DIR *dir = opendir(work);
    for (struct dirent *e; dir && (e = readdir(dir));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && tfp_index_path(path, work, NULL, e->d_name))
            unlink(path);
    if (dir) closedir(dir);
}

/* Plays the journals of all shards: the index of another shard was killed, or waits for the lock and has not begun to play its
 * own. */
static tfp_status play_all(const tfp_index_folder *f, tfp_error *err)
{
    char work[PATH_MAX];
    DIR *dir = opendir(f->out);
    tfp_status s = dir ? TFP_OK : tfp_index_fail_output(err, f->out);
    for (struct dirent *e; !s && (e = readdir(dir));)
        if (tfp_str_begins(tfp_str_of(e->d_name), TFP_STR("_work-")) && tfp_index_path(work, f->out, NULL, e->d_name))
            s = play(f, work, err);
    if (dir) closedir(dir);
    return s;
}

tfp_status tfp_index_recover(const tfp_index_folder *f, tfp_error *err)
{
    tfp_status s = play_all(f, err);
    if (!s) clear(f->work);
    return s;
}

/* ---- rows that go ---- */

typedef struct sifting {
    const tfp_dead *dead;
    bool failures; /* the table is failures, not another one */
    size_t gone;   /* rows of a part that are dropped */
    tfp_parquet kept;
} sifting;

static const tfp_table_column *column_of(const tfp_table_column *columns, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(columns[i].name, name) == 0) return &columns[i];
    return NULL;
}

static bool has(const tfp_map64 *hashes, uint64_t hash) { return tfp_map64_get(hashes, hash) != TFP_NONE; }

/* What happens to a row. GOES: it is dropped. AGAIN: it is dropped, and its file is read again, because it duplicates a
 * run that is dropped. */
typedef enum fate { STAYS, GOES, AGAIN } fate;

/* path: the column of failures; NULL in other tables. */
static fate fate_of(const tfp_dead *dead, const tfp_batch *b, const tfp_table_column *run, const tfp_table_column *path,
                    size_t row)
{
    bool failure = path && !path->absent[row];
    if (failure && has(&dead->paths, tfp_known_hash(tfp_cell_text(b, path->cells[row])))) return GOES;
    if (run->absent[row] || !has(&dead->runs, tfp_known_run(tfp_cell_text(b, run->cells[row])))) return STAYS;
    return failure ? AGAIN : GOES;
}

static tfp_status keep_rows(void *ctx, tfp_batch *b, tfp_error *err)
{
    sifting *x = ctx;
    const tfp_table_column *run = column_of(b->columns, b->column_count, "run");
    const tfp_table_column *path = x->failures ? column_of(b->columns, b->column_count, "path") : NULL;
    size_t kept = 0;
    bool ok = true;
    for (size_t i = 0; i < b->row_count && ok; i++) {
        fate f = fate_of(x->dead, b, run, path, i);
        if (f == AGAIN) ok = x->dead->again(x->dead->ctx, tfp_cell_text(b, path->cells[i]));
        if (f != STAYS) continue;
        for (size_t c = 0; c < b->column_count; c++) {
            b->columns[c].cells[kept] = b->columns[c].cells[i];
            b->columns[c].absent[kept] = b->columns[c].absent[i];
        }
        kept++;
    }
    if (!ok) return tfp_nomem(err);
    b->row_count = kept;
    return tfp_parquet_group(&x->kept, b, err);
}

static tfp_status count_gone(void *ctx, tfp_batch *b, tfp_error *err)
{
    sifting *x = ctx;
    const tfp_table_column *run = &b->columns[0], *path = x->failures ? &b->columns[1] : NULL;
    (void)err;
    for (size_t i = 0; i < b->row_count; i++) x->gone += fate_of(x->dead, b, run, path, i) != STAYS;
    return TFP_OK;
}

/* Counts the rows of a part that must be dropped. It reads only the columns that decide this, because most parts have
 * no such row. */
static tfp_status look(sifting *x, const tfp_fleet_schema *t, const char *from, tfp_error *err)
{
    tfp_table_column keys[2] = { *column_of(t->columns, t->count, "run") };
    if (x->failures) keys[1] = *column_of(t->columns, t->count, "path");
    x->gone = 0;
    return tfp_parquet_each(from, keys, x->failures ? 2 : 1, count_gone, x, err);
}

/* Copies a part without the dropped rows. */
static tfp_status sift(sifting *x, const tfp_fleet_schema *t, const char *from, int fd, tfp_error *err)
{
    tfp_batch none; /* its columns are those of the footer */
    if (!tfp_batch_start(&none, t->columns, t->count, NULL)) return tfp_nomem(err);
    tfp_status s = tfp_parquet_start(&x->kept, tfp_stream_put, &fd, err);
    if (!s) s = tfp_parquet_each(from, t->columns, t->count, keep_rows, x, err);
    if (!s) s = tfp_within_file(err, tfp_parquet_end(&x->kept, &none, err), from);
    if (!s && !tfp_stream_sync(fd)) s = tfp_index_fail_output(err, from);
    tfp_parquet_free(&x->kept);
    tfp_batch_free(&none);
    return s;
}

static tfp_status sift_part(sifting *x, const tfp_index_folder *f, const tfp_fleet_schema *t, const char *name,
                            tfp_buf *journal, tfp_error *err)
{
    char from[PATH_MAX], to[PATH_MAX], kept[NAME_MAX + 40];
    snprintf(kept, sizeof kept, "kept-%s-%.200s", t->name, name);
    if (!tfp_index_path(from, f->out, t->name, name) || !tfp_index_path(to, f->work, NULL, kept)) return TFP_OK;
    tfp_status s = look(x, t, from, err);
    if (s || !x->gone) return s;
    int fd = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0) return tfp_index_fail_output(err, to);
    s = sift(x, t, from, fd, err);
    close(fd);
    if (!s)
        tfp_buf_printf(journal, "%s/%s\t%s\n", t->name, name, kept);
    else
        unlink(to);
    return s;
}

/* Handles `runs` first: a query that joins runs then never sees rows of other tables whose run is gone. */
static tfp_status sift_all(const tfp_index_folder *f, const tfp_dead *dead, tfp_buf *journal, tfp_error *err)
{
    tfp_status s = TFP_OK;
    for (int t = 0; t < TFP_FLEET_TABLES && !s; t++) {
        sifting x = { .dead = dead, .failures = t == TFP_FLEET_FAILURES };
        tfp_part_names names = { 0 };
        if (!dead->runs.count && !(x.failures && dead->paths.count)) continue;
        s = tfp_part_names_read(&names, f->out, tfp_fleet_tables[t].name, err);
        for (size_t i = 0; i < names.size && !s; i++)
            s = sift_part(&x, f, &tfp_fleet_tables[t], names.at[i], journal, err);
        tfp_part_names_free(&names);
    }
    return s;
}

/* ---- the commit ---- */

static void new_name(char out[48])
{
    struct timespec t;
    uint64_t number = 0;
    clock_gettime(CLOCK_REALTIME, &t);
    if (!tfp_random(&number)) number = (uint64_t)getpid();
    snprintf(out, 48, "part-%010llx%010llx.parquet", (unsigned long long)t.tv_sec,
             (unsigned long long)(number & 0xffffffffff));
}

static unsigned without_parts(const tfp_index_folder *f, unsigned tables)
{
    unsigned none = 0;
    for (int t = 0; t < TFP_FLEET_TABLES; t++) {
        tfp_part_names names = { 0 };
        if (tables & TFP_FLEET_BIT(t) && !tfp_part_names_read(&names, f->out, tfp_fleet_tables[t].name, NULL) &&
            !names.size)
            none |= TFP_FLEET_BIT(t);
        tfp_part_names_free(&names);
    }
    return none;
}

static void put_new(tfp_buf *journal, unsigned written, unsigned which, const char *name, int64_t *parts)
{
    for (int t = 0; t < TFP_FLEET_TABLES; t++) {
        const char *table = tfp_fleet_tables[t].name;
        if (!(written & which & TFP_FLEET_BIT(t))) continue;
        tfp_buf_printf(journal, "%s/%s\t%s.parquet\n", table, name, table);
        ++*parts;
    }
}

/* Commits. The parts of `runs` get their names last, so that a visible run has all its rows. */
static tfp_status commit(const tfp_index_folder *f, tfp_index_writer *w, const tfp_dead *dead, unsigned tables,
                         int64_t *parts, tfp_error *err)
{
    unsigned written = 0, runs = TFP_FLEET_BIT(TFP_FLEET_RUNS);
    char name[48], path[PATH_MAX];
    tfp_buf journal = { 0 };
    tfp_status s = play_all(f, err);
    new_name(name);
    if (!s) s = tfp_index_writer_end(w, without_parts(f, tables | TFP_FLEET_BIT(TFP_FLEET_FAILURES)), &written, err);
    put_new(&journal, written, ~runs, name, parts);
    if (!s) s = sift_all(f, dead, &journal, err);
    put_new(&journal, written, runs, name, parts);
    if (!s && journal.failed) s = tfp_nomem(err);
    if (!s && journal.size && tfp_index_path(path, f->work, NULL, JOURNAL)) s = tfp_index_write(path, &journal, err);
    if (!s) s = play(f, f->work, err);
    tfp_buf_free(&journal);
    return s;
}

tfp_status tfp_index_commit(tfp_index_folder *f, tfp_index_writer *w, const tfp_dead *dead, unsigned tables,
                            int64_t *parts, tfp_error *err)
{
    tfp_status s = tfp_index_folder_lock(f, err);
    if (s) return s;
    s = commit(f, w, dead, tables, parts, err);
    tfp_index_folder_unlock(f);
    return s;
}
