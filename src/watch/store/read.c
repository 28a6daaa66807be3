// SPDX-License-Identifier: Apache-2.0
/* watch/store/read.c: the rows of a table: those of all parts, then those of the journal. */
#include "watch/store/store.h"
#include "base/place.h"
#include "fleet/duckdb.h"
#include "fleet/index/index.h"
#include "fleet/index/parts.h"
#include "outputs/data/parquet_read.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

typedef struct reader {
    tfp_watch_table_id table;
    watch_journal_fn *fn;
    void *ctx;
    char newest[48]; /* name of the part of the journal's rows */
    bool there;      /* it exists: the journal's rows are in it */
} reader;

typedef union any_row {
    tfp_watch_step step;
    tfp_watch_finding finding;
    tfp_watch_job job;
} any_row;

static tfp_status take_batch(void *ctx, tfp_batch *b, tfp_error *err)
{
    reader *r = ctx;
    tfp_status s = TFP_OK;
    any_row row;
    for (size_t i = 0; i < b->row_count && !s; i++) {
        tfp_watch_take(b, r->table, i, &row);
        s = r->fn(r->ctx, r->table, &row, err);
    }
    return s;
}

static tfp_status take_row(void *ctx, tfp_watch_table_id table, const void *row, tfp_error *err)
{
    reader *r = ctx;
    return table == r->table && !r->there ? r->fn(r->ctx, table, row, err) : TFP_OK;
}

static tfp_status read_parts(reader *r, const char *path, tfp_buf *notes, tfp_error *err)
{
    const tfp_watch_schema *t = &tfp_watch_tables[r->table];
    tfp_part_names names = { 0 };
    char part[PATH_MAX];
    tfp_status s = tfp_part_names_read(&names, path, t->name, err);
    for (size_t i = 0; i < names.size && !s; i++) {
        if (!tfp_index_path(part, path, t->name, names.at[i])) continue;
        r->there |= strcmp(names.at[i], r->newest) == 0;
        s = tfp_parquet_each(part, t->columns, t->count, take_batch, r, err);
        if (s != TFP_BADFILE) continue;
        if (access(part, F_OK) == 0)
            tfp_buf_printf(notes, "%s\n", err ? tfp_error_message(err) : part); /* else: removed meanwhile */
        tfp_error_clear(err);
        s = TFP_OK;
    }
    tfp_part_names_free(&names);
    return s;
}

tfp_status watch_store_read(const char *path, tfp_watch_table_id table, watch_journal_fn *fn, void *ctx, tfp_buf *notes,
                            tfp_error *err)
{
    reader r = { .table = table, .fn = fn, .ctx = ctx };
    char name[PATH_MAX];
    tfp_input journal = { .fd = -1 }; /* opened first: it becomes a part and is removed while the parts are read */
    uint64_t number = 0;
    bool cut;
    if (!tfp_duckdb_is_index(path)) return tfp_fail(err, TFP_BADFILE, "%s: not a store of tfprof watch", path);
    tfp_status s =
        tfp_index_path(name, path, NULL, "_journal") ? TFP_OK : tfp_fail(err, TFP_BADFILE, "%s: too long", path);
    if (!s) s = watch_journal_open(AT_FDCWD, name, &journal, &number, err);
    if (number) snprintf(r.newest, sizeof r.newest, WATCH_PART_NAME, (unsigned long long)number);
    if (!s) s = read_parts(&r, path, notes, err);
    if (!s && number) s = watch_journal_read(&journal, &cut, take_row, &r, err);
    tfp_input_close(&journal);
    return s;
}
