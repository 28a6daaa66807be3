// SPDX-License-Identifier: Apache-2.0
/* watch/store/store.c: the folder of watch: made or recognized, locked for one watch, marked as an index. */
#include "watch/store/store.h"
#include "base/place.h"
#include "fleet/duckdb.h"
#include "fleet/index/stream.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#define MARK "{\"schema\":\"tfprof.fleet\",\"version\":1}\n"
#define JOURNAL_MOST ((uint64_t)16 << 20)
#define AGAIN_NS ((int64_t)10 * 1000000000) /* after a failure */
#define PART_NS ((int64_t)600 * 1000000000)

static tfp_status fail_write(const watch_store *s, const char *name, tfp_error *err)
{
    return tfp_fail(err, TFP_BADOUTPUT, "%s/%s: cannot write: %s", s->path, name, strerror(errno));
}

/* ---- the folder ---- */

static bool is_marked(int folder)
{
    tfp_buf mark = { 0 };
    bool ok = tfp_folder_read(folder, "_tfprof.json", 4096, &mark) && mark.size &&
              tfp_str_has((tfp_str){ mark.data, mark.size }, TFP_STR("\"tfprof.fleet\""));
    tfp_buf_free(&mark);
    return ok;
}

/* One watch at a time: the lock ends with its process. */
static tfp_status lock_store(watch_store *s, tfp_error *err)
{
    struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    char owner[24] = "";
    s->lock = openat(s->folder, "_lock-watch", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (s->lock < 0) return fail_write(s, "_lock-watch", err);
    if (fcntl(s->lock, F_SETLK, &l) != 0) {
        if (fcntl(s->lock, F_GETLK, &l) == 0 && l.l_type != F_UNLCK)
            snprintf(owner, sizeof owner, " (process %d)", (int)l.l_pid);
        return tfp_fail(err, TFP_BADFILE, "%s: another watch is at work there%s", s->path, owner);
    }
    return TFP_OK;
}

static tfp_status write_small(const watch_store *s, const char *name, const tfp_buf *text, tfp_error *err)
{
    char path[PATH_MAX + 32];
    snprintf(path, sizeof path, "%s/%s", s->path, name);
    return text->failed ? tfp_nomem(err)
                        : tfp_write_below(s->folder, name, path, (tfp_str){ text->data, text->size }, err);
}

/* The mark, and views.sql. */
static tfp_status write_marks(const watch_store *s, tfp_error *err)
{
    tfp_buf text = { 0 };
    tfp_status status = TFP_OK;
    if (!is_marked(s->folder)) {
        tfp_buf_text(&text, MARK);
        status = write_small(s, "_tfprof.json", &text, err);
    }
    text.size = 0;
    tfp_duckdb_put_views(&text, s->path);
    if (!status) status = write_small(s, "views.sql", &text, err);
    tfp_buf_free(&text);
    return status;
}

static tfp_status open_folder(watch_store *s, const char *path, tfp_error *err)
{
    tfp_place place;
    bool made;
    tfp_status status = tfp_place_find(path, &place, err);
    if (status) return status;
    status = tfp_folder_open(&place, path, &made, &s->folder, err);
    tfp_place_free(&place);
    if (!status) status = tfp_folder_path(s->folder, s->path, sizeof s->path, err);
    if (!status && !is_marked(s->folder) && !tfp_folder_is_empty(s->folder))
        status = tfp_fail(err, TFP_BADFILE, "%s: not empty, and not a store of tfprof watch", path);
    return status;
}

static tfp_status begin_journal(watch_store *s, tfp_error *err)
{
    s->begun_ns = tfp_now_ns();
    return watch_journal_new(&s->journal, s->folder, "_journal", (uint64_t)tfp_unix_micros(), err);
}

tfp_status watch_store_open(watch_store *s, const char *path, tfp_error *err)
{
    *s = WATCH_STORE_NONE;
    tfp_status status = open_folder(s, path, err);
    if (!status) status = lock_store(s, err);
    for (int t = 0; t < TFP_WATCH_TABLES && !status; t++) {
        int fd = tfp_folder_below(s->folder, tfp_watch_tables[t].name);
        if (fd < 0) return fail_write(s, tfp_watch_tables[t].name, err);
        close(fd);
    }
    if (!status && (s->rings = tfp_folder_below(s->folder, "rings")) < 0) return fail_write(s, "rings", err);
    if (!status) status = write_marks(s, err);
    if (!status) status = watch_parts_of_journal(s->folder, s->path, err); /* of a watch that was killed */
    return status ? status : begin_journal(s, err);
}

bool watch_store_put(watch_store *s, tfp_watch_table_id table, const void *row)
{
    if (s->folder < 0) return true;
    if (s->journal.fd >= 0) return watch_journal_put(&s->journal, table, row);
    s->journal.lost++; /* the parts of the last journal could not be written */
    return true;
}

/* Makes parts of the journal and begins the next one. Where that fails (a full disk) rows are lost until it works. */
static tfp_status make_parts(watch_store *s, tfp_error *err)
{
    int64_t lost = s->journal.lost;
    int error = s->journal.error;
    watch_journal_close(&s->journal);
    tfp_status status = watch_parts_of_journal(s->folder, s->path, err);
    if (!status && s->keep_days) watch_parts_expire(s->folder, s->keep_days);
    if (!status) status = begin_journal(s, err);
    if (status == TFP_BADOUTPUT) {
        if (!error) error = ENOSPC;
        watch_journal_close(&s->journal);
        s->begun_ns = tfp_now_ns() - PART_NS + AGAIN_NS;
        tfp_error_clear(err);
        status = TFP_OK;
    }
    tfp_memory_give_back();
    s->journal.lost = lost;
    s->journal.error = s->journal.error ? s->journal.error : error;
    return status;
}

tfp_status watch_store_tick(watch_store *s, tfp_error *err)
{
    if (s->folder < 0) return TFP_OK;
    watch_journal_flush(&s->journal);
    if (s->journal.bytes < JOURNAL_MOST && tfp_now_ns() - s->begun_ns < PART_NS) return TFP_OK;
    return make_parts(s, err);
}

tfp_status watch_store_close(watch_store *s, tfp_error *err)
{
    tfp_status status = TFP_OK;
    if (s->lock >= 0) {
        watch_journal_flush(&s->journal);
        if (s->journal.error) watch_journal_drop(&s->journal);
        if (s->journal.error)
            status = tfp_fail(err, TFP_BADOUTPUT, "%s: cannot write: %s (%lld rows are missing)", s->path,
                              strerror(s->journal.error), (long long)s->journal.lost);
        bool ours = s->journal.fd >= 0 || s->begun_ns;
        watch_journal_close(&s->journal);
        tfp_status parts = ours ? watch_parts_of_journal(s->folder, s->path, status ? NULL : err) : TFP_OK;
        if (!status) status = parts;
    }
    watch_journal_close(&s->journal);
    if (s->lock >= 0) close(s->lock);
    if (s->rings >= 0) close(s->rings);
    if (s->folder >= 0) close(s->folder);
    s->lock = s->rings = s->folder = -1;
    return status;
}
