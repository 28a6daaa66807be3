// SPDX-License-Identifier: Apache-2.0
/* fleet/index/known.c: the files of which an index has rows: 32 bytes each, found by a hash of the path. */
#include "fleet/index/index.h"
#include "fleet/index/parts.h"
#include "query/order.h"

uint64_t tfp_known_run(tfp_str digest)
{
    uint64_t n = 0;
    for (size_t i = 0; i < 16 && i < digest.size; i++) {
        char c = digest.data[i];
        n = n << 4 | (uint64_t)(c >= 'a' ? c - 'a' + 10 : c - '0');
    }
    return n ? n : 1; /* 0 means no run */
}

uint64_t tfp_known_hash(tfp_str s)
{
    char digest[TFP_DIGEST];
    tfp_digest(s.data, s.size, digest);
    return tfp_known_run(tfp_str_of(digest));
}

uint64_t tfp_known_stamp(int64_t size, int64_t mtime_us)
{
    int64_t both[2] = { size, mtime_us };
    return size == INT64_MIN ? 0 : tfp_known_hash((tfp_str){ (const char *)both, sizeof both });
}

/* ---- reading ---- */

#define PLAIN(title, kind)                                                                                             \
    {                                                                                                                  \
        .name = title, .type = TFP_CELL_##kind, .unit = TFP_LABEL                                                      \
    }
static const tfp_table_column columns[] = {
    PLAIN("path", TEXT), PLAIN("bytes", INT),    PLAIN("mtime", TIME),
    PLAIN("run", TEXT),  PLAIN("attempts", INT), /* runs do not have these columns */
};
enum { PATH, BYTES, MTIME, RUN, ATTEMPTS };

static int64_t int_cell(const tfp_batch *b, size_t column, size_t row)
{
    return b->columns[column].absent[row] ? INT64_MIN : (int64_t)b->columns[column].cells[row];
}

static bool add_row(tfp_known *k, const tfp_batch *b, size_t row, bool failed)
{
    tfp_known_file f = { .failed = failed };
    if (b->columns[PATH].absent[row]) return true;
    f.path = tfp_known_hash(tfp_cell_text(b, b->columns[PATH].cells[row]));
    f.stamp = tfp_known_stamp(int_cell(b, BYTES, row), int_cell(b, MTIME, row));
    if (!b->columns[RUN].absent[row]) {
        f.run = tfp_known_run(tfp_cell_text(b, b->columns[RUN].cells[row]));
        f.duplicate = failed;
    }
    if (failed) f.attempts = (uint32_t)int_cell(b, ATTEMPTS, row);
    return tfp_push(&k->files, f) && (failed || tfp_map64_put(&k->runs, f.run, 1));
}

typedef struct reading {
    tfp_known *known;
    bool failed; /* the table is failures, otherwise runs */
} reading;

static tfp_status add_rows(void *ctx, tfp_batch *b, tfp_error *err)
{
    const reading *x = ctx;
    bool ok = true;
    for (size_t i = 0; i < b->row_count && ok; i++) ok = add_row(x->known, b, i, x->failed);
    return ok ? TFP_OK : tfp_nomem(err);
}

static tfp_status read_table(tfp_known *k, const char *out, bool failed, tfp_error *err)
{
    const tfp_part_columns wanted = { failed ? TFP_FLEET_FAILURES : TFP_FLEET_RUNS, NULL, columns,
                                      sizeof columns / sizeof *columns, add_rows };
    reading x = { k, failed };
    return tfp_parts_each(out, &wanted, &x, err);
}

/* A run is preferred to a failure of another shard. */
static const tfp_sort_key by_path[] = { TFP_UP(tfp_known_file, path), TFP_UP(tfp_known_file, failed), { 0 } };

tfp_status tfp_known_read(tfp_known *k, const char *out, tfp_error *err)
{
    tfp_status s = read_table(k, out, false, err);
    if (!s) s = read_table(k, out, true, err);
    if (!s && !tfp_order_rows(k->files.at, sizeof *k->files.at, k->files.size, by_path)) s = tfp_nomem(err);
    return s;
}

const tfp_known_file *tfp_known_find(const tfp_known *k, uint64_t path)
{
    size_t i;
    TFP_LOWER_BOUND(i, 0, k->files.size, k->files.at[i].path < path);
    return i < k->files.size && k->files.at[i].path == path ? &k->files.at[i] : NULL;
}

void tfp_known_free(tfp_known *k)
{
    tfp_vec_free(&k->files);
    tfp_map64_free(&k->runs);
}
