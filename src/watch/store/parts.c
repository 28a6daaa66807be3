// SPDX-License-Identifier: Apache-2.0
/* watch/store/parts.c: makes the rows of a journal a part of each table. A part has the journal's number in its name, so that rows are not
 * written twice when this is interrupted between the parts and the removal of the journal. */
#include "base/place.h"
#include "fleet/index/stream.h"
#include "outputs/data/parquet.h"
#include "watch/store/store.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

#define GROUP_BYTES ((size_t)1 << 20)

typedef struct part {
    int folder, fd; /* -1: closed */
    bool there;     /* it exists already */
    tfp_texts texts;
    tfp_batch batch;
    tfp_parquet parquet;
    bool begun;
} part;

typedef struct making {
    const char *path; /* of the store, for messages */
    char name[48];
    part parts[TFP_WATCH_TABLES];
} making;

static tfp_status fail_write(const making *m, tfp_error *err)
{
    return tfp_fail(err, TFP_BADOUTPUT, "%s: cannot write: %s", m->path, strerror(errno));
}

static tfp_status write_group(making *m, part *p, tfp_error *err)
{
    tfp_status s = TFP_OK;
    if (!p->begun) {
        p->fd = openat(p->folder, "_new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (p->fd < 0) return fail_write(m, err);
        s = tfp_parquet_start(&p->parquet, tfp_stream_put, &p->fd, err);
        p->begun = true;
    }
    if (!s && p->batch.row_count) s = tfp_parquet_group(&p->parquet, &p->batch, err);
    tfp_batch_clear(&p->batch);
    if (!s && !tfp_texts_clear(&p->texts)) s = tfp_nomem(err);
    return s == TFP_BADOUTPUT ? fail_write(m, err) : s;
}

static tfp_status take_row(void *ctx, tfp_watch_table_id table, const void *row, tfp_error *err)
{
    making *m = ctx;
    part *p = &m->parts[table];
    if (p->there) return TFP_OK;
    tfp_watch_put(&p->batch, table, row);
    if (p->batch.failed) return tfp_nomem(err);
    return tfp_batch_bytes(&p->batch) + p->texts.arena.used > GROUP_BYTES ? write_group(m, p, err) : TFP_OK;
}

static tfp_status begin(making *m, int folder, uint64_t number, tfp_error *err)
{
    snprintf(m->name, sizeof m->name, WATCH_PART_NAME, (unsigned long long)number);
    for (int t = 0; t < TFP_WATCH_TABLES; t++) {
        part *p = &m->parts[t];
        p->folder = tfp_folder_below(folder, tfp_watch_tables[t].name);
        if (p->folder < 0) return fail_write(m, err);
        p->there = faccessat(p->folder, m->name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
        if (!tfp_texts_start(&p->texts) ||
            !tfp_batch_start(&p->batch, tfp_watch_tables[t].columns, tfp_watch_tables[t].count, &p->texts))
            return tfp_nomem(err);
    }
    return TFP_OK;
}

static bool has_parts(int folder)
{
    DIR *d = tfp_folder_list(folder);
    bool found = false;
    for (struct dirent *e; d && !found && (e = readdir(d));)
        found = tfp_str_ends(tfp_str_of(e->d_name), TFP_STR(".parquet"));
    if (d) closedir(d);
    return found;
}

/* Completes a part and gives it its name. A table without any part gets an empty one, because engines need a file to know the columns. */
static tfp_status finish(making *m, part *p, tfp_error *err)
{
    if (p->there || (!p->begun && !p->batch.row_count && has_parts(p->folder))) return TFP_OK;
    tfp_status s = write_group(m, p, err);
    if (!s) s = tfp_parquet_end(&p->parquet, &p->batch, err);
    if (s) return s == TFP_BADOUTPUT ? fail_write(m, err) : s;
    if (!tfp_stream_sync(p->fd) || renameat(p->folder, "_new", p->folder, m->name) != 0) return fail_write(m, err);
    return TFP_OK;
}

static void release(making *m)
{
    for (int t = 0; t < TFP_WATCH_TABLES; t++) {
        part *p = &m->parts[t];
        if (p->fd >= 0) close(p->fd);
        if (p->begun) unlinkat(p->folder, "_new", 0);
        if (p->folder >= 0) close(p->folder);
        tfp_parquet_free(&p->parquet);
        tfp_batch_free(&p->batch);
        tfp_texts_free(&p->texts);
    }
}

tfp_status watch_parts_of_journal(int folder, const char *path, tfp_error *err)
{
    making m = { .path = path };
    tfp_input in;
    uint64_t number;
    bool cut;
    if (faccessat(folder, "_journal", F_OK, AT_SYMLINK_NOFOLLOW) != 0) return TFP_OK;
    for (int t = 0; t < TFP_WATCH_TABLES; t++) m.parts[t].fd = m.parts[t].folder = -1;
    tfp_status s = watch_journal_open(folder, "_journal", &in, &number, err);
    if (!s) s = begin(&m, folder, number, err);
    if (!s && number) s = watch_journal_read(&in, &cut, take_row, &m, err); /* 0: killed before its head was written */
    for (int t = 0; t < TFP_WATCH_TABLES && !s; t++) s = finish(&m, &m.parts[t], err);
    if (!s && unlinkat(folder, "_journal", 0) != 0) s = fail_write(&m, err);
    release(&m);
    tfp_input_close(&in);
    return s;
}

void watch_parts_expire(int folder, int64_t days)
{
    for (int t = 0; t < TFP_WATCH_TABLES; t++) {
        int below = tfp_folder_below(folder, tfp_watch_tables[t].name);
        DIR *d = below >= 0 ? tfp_folder_list(below) : NULL;
        for (struct dirent *e; d && t == TFP_WATCH_STEPS && (e = readdir(d));) {
            struct stat st;
            if (strncmp(e->d_name, "part-watch-", 11) != 0 || fstatat(below, e->d_name, &st, AT_SYMLINK_NOFOLLOW))
                continue;
            if (st.st_mtim.tv_sec < time(NULL) - days * 86400) unlinkat(below, e->d_name, 0);
        }
        if (d) closedir(d);
        if (below >= 0) close(below);
    }
}

/* The oldest file or folder in a folder whose name ends so. Returns how many there are. */
static size_t find_oldest(int folder, const char *ending, char oldest[NAME_MAX + 1])
{
    int64_t oldest_s = INT64_MAX;
    size_t count = 0;
    DIR *d = folder >= 0 ? tfp_folder_list(folder) : NULL;
    *oldest = '\0';
    for (struct dirent *e; d && (e = readdir(d));) {
        struct stat st;
        if (*e->d_name == '.' || !tfp_str_ends(tfp_str_of(e->d_name), tfp_str_of(ending)) ||
            fstatat(folder, e->d_name, &st, AT_SYMLINK_NOFOLLOW))
            continue;
        count++;
        if (st.st_mtim.tv_sec >= oldest_s) continue;
        oldest_s = st.st_mtim.tv_sec;
        snprintf(oldest, NAME_MAX + 1, "%s", e->d_name);
    }
    if (d) closedir(d);
    return count;
}

void watch_rings_expire(int folder, size_t most)
{
    char oldest[NAME_MAX + 1];
    while (find_oldest(folder, ".tfprof", oldest) > most && unlinkat(folder, oldest, 0) == 0) {}
}

bool watch_captures_open(const watch_store *s, size_t most)
{
    char oldest[NAME_MAX + 1];
    int fd = s->folder >= 0 ? tfp_folder_below(s->folder, "captures") : -1;
    bool room = fd >= 0;
    while (room && find_oldest(fd, "", oldest) >= most) {
        int old = openat(fd, oldest, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (old >= 0) {
            tfp_folder_clear(old);
            close(old);
        }
        room = unlinkat(fd, oldest, old >= 0 ? AT_REMOVEDIR : 0) == 0;
    }
    if (fd >= 0) close(fd);
    return room;
}
