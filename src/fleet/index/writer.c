// SPDX-License-Identifier: Apache-2.0
/* fleet/index/writer.c: writes rows of many traces into one part per table. A part is written group by group, so that few rows are in
 * memory. */
#include "fleet/index/index.h"
#include "fleet/index/stream.h"
#include "outputs/data/parquet.h"

#include <fcntl.h>

/* Cells and texts of a table that are collected for a row group. Bigger groups give smaller files, but need more
 * memory. */
#define GROUP_BYTES ((size_t)1 << 20)

typedef struct part {
    tfp_texts texts;
    tfp_parquet parquet;
    int fd; /* -1: not begun */
    int64_t rows;
} part;

struct tfp_index_writer {
    char work[PATH_MAX];
    unsigned tables;
    part parts[TFP_FLEET_TABLES];
    tfp_batch batches[TFP_FLEET_TABLES];
};

tfp_status tfp_index_writer_new(const char *work, unsigned tables, tfp_index_writer **out, tfp_error *err)
{
    tfp_index_writer *w = calloc(1, sizeof *w);
    if (!w) return tfp_nomem(err);
    snprintf(w->work, sizeof w->work, "%s", work);
    w->tables = tables;
    bool ok = true;
    for (int t = 0; t < TFP_FLEET_TABLES; t++) w->parts[t].fd = -1;
    for (int t = 0; t < TFP_FLEET_TABLES && ok; t++)
        ok = tfp_texts_start(&w->parts[t].texts) &&
             tfp_fleet_batch(&w->batches[t], (tfp_fleet_table_id)t, &w->parts[t].texts);
    *out = w;
    return ok ? TFP_OK : tfp_nomem(err);
}

static void close_part(part *p)
{
    tfp_parquet_free(&p->parquet);
    if (p->fd >= 0) close(p->fd);
    p->fd = -1;
    p->rows = 0;
}

void tfp_index_writer_free(tfp_index_writer *w)
{
    for (int t = 0; w && t < TFP_FLEET_TABLES; t++) {
        close_part(&w->parts[t]);
        tfp_batch_free(&w->batches[t]);
        tfp_texts_free(&w->parts[t].texts);
    }
    free(w);
}

/* ---- writing ---- */

static tfp_status within_table(tfp_error *err, tfp_status s, const tfp_index_writer *w, int table)
{
    if (s != TFP_BADOUTPUT) return s;
    return tfp_fail(err, s, "%s/%s.parquet: cannot write: %s", w->work, tfp_fleet_tables[table].name, strerror(errno));
}

static tfp_status begin_part(tfp_index_writer *w, int table, tfp_error *err)
{
    char path[PATH_MAX], name[80];
    part *p = &w->parts[table];
    snprintf(name, sizeof name, "%s.parquet", tfp_fleet_tables[table].name);
    if (!tfp_index_path(path, w->work, NULL, name)) return tfp_fail(err, TFP_BADOUTPUT, "the path is too long");
    p->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (p->fd < 0) return within_table(err, TFP_BADOUTPUT, w, table);
    return within_table(err, tfp_parquet_start(&p->parquet, tfp_stream_put, &p->fd, err), w, table);
}

static tfp_status write_group(tfp_index_writer *w, int table, tfp_error *err)
{
    part *p = &w->parts[table];
    tfp_batch *b = &w->batches[table];
    tfp_status s = p->fd < 0 ? begin_part(w, table, err) : TFP_OK;
    if (!s) s = within_table(err, tfp_parquet_group(&p->parquet, b, err), w, table);
    p->rows += (int64_t)b->row_count;
    tfp_batch_clear(b);
    if (!s && !tfp_texts_clear(&p->texts)) s = tfp_nomem(err);
    return s;
}

static tfp_status write_full_groups(tfp_index_writer *w, tfp_error *err)
{
    tfp_status s = TFP_OK;
    for (int t = 0; t < TFP_FLEET_TABLES && !s; t++) {
        const tfp_batch *b = &w->batches[t];
        if (b->failed) return tfp_nomem(err);
        if (b->row_count && tfp_batch_bytes(b) + b->texts->arena.used > GROUP_BYTES) s = write_group(w, t, err);
    }
    return s;
}

tfp_status tfp_index_writer_add(tfp_index_writer *w, tfp_str packed, tfp_error *err)
{
    tfp_status s = tfp_fleet_unpack(packed, w->batches, err);
    return s ? s : write_full_groups(w, err);
}

tfp_status tfp_index_writer_fail(tfp_index_writer *w, const tfp_fleet_failure *f, tfp_error *err)
{
    tfp_fleet_put_failure(&w->batches[TFP_FLEET_FAILURES], f);
    return write_full_groups(w, err);
}

uint64_t tfp_index_writer_bytes(const tfp_index_writer *w)
{
    uint64_t most = 0;
    for (int t = 0; t < TFP_FLEET_TABLES; t++)
        if (w->parts[t].parquet.written > most) most = w->parts[t].parquet.written;
    return most;
}

bool tfp_index_writer_is_empty(const tfp_index_writer *w)
{
    for (int t = 0; t < TFP_FLEET_TABLES; t++)
        if (w->parts[t].rows || w->batches[t].row_count) return false;
    return true;
}

static tfp_status end_part(tfp_index_writer *w, int table, tfp_error *err)
{
    part *p = &w->parts[table];
    tfp_status s = write_group(w, table, err);
    if (!s) s = within_table(err, tfp_parquet_end(&p->parquet, &w->batches[table], err), w, table);
    if (!s && !tfp_stream_sync(p->fd)) s = within_table(err, TFP_BADOUTPUT, w, table);
    close_part(p);
    return s;
}

tfp_status tfp_index_writer_end(tfp_index_writer *w, unsigned empty, unsigned *written, tfp_error *err)
{
    bool any = !tfp_index_writer_is_empty(w);
    tfp_status s = TFP_OK;
    *written = 0;
    for (int t = 0; t < TFP_FLEET_TABLES && !s; t++) {
        bool rows = w->parts[t].rows || w->batches[t].row_count;
        bool wanted = (w->tables | TFP_FLEET_BIT(TFP_FLEET_FAILURES)) & TFP_FLEET_BIT(t);
        if (!rows && !(wanted && empty & TFP_FLEET_BIT(t)) && !(any && t == TFP_FLEET_RUNS)) continue;
        s = end_part(w, t, err);
        *written |= TFP_FLEET_BIT(t);
    }
    return s;
}
