// SPDX-License-Identifier: Apache-2.0
/* fleet/list/pick.c: finds the runs that match a filter and sorts them. Each distinct text is kept once while runs are
 * sorted by it. */
#include "fleet/list/list.h"
#include "outputs/data/parquet_read.h"
#include "query/order.h"

#define RUNS (&tfp_fleet_tables[TFP_FLEET_RUNS])
enum { COLUMNS_MOST = 32 };

typedef struct picking {
    const tfp_run_words *words;
    tfp_run_order order;
    tfp_run_picks *out;
    size_t place[COLUMNS_MOST]; /* index of a column of `runs` among those that are read */
    uint32_t part, rows;        /* number of this part, and its rows so far */
    tfp_texts texts;            /* the texts that the runs are sorted by */
} picking;

/* Converts signed numbers and reals to unsigned ones with the same order. */
static uint64_t key_of(tfp_cell_type type, uint64_t cell)
{
    const uint64_t sign = UINT64_C(1) << 63;
    return type == TFP_CELL_REAL && cell & sign ? ~cell : cell ^ sign;
}

static bool pick_row(picking *x, const tfp_batch *b, size_t row)
{
    const tfp_table_column *c = &b->columns[x->place[x->order.column]];
    tfp_run_pick p = { .part = x->part, .row = x->rows, .absent = c->absent[row] };
    if (!p.absent && c->type == TFP_CELL_TEXT) {
        p.key = tfp_intern(&x->texts.table, tfp_cell_text(b, c->cells[row]));
        if (p.key == TFP_NONE) return false;
    } else if (!p.absent) {
        p.key = key_of(c->type, c->cells[row]);
    }
    return tfp_push(&x->out->found, p);
}

static tfp_status pick_rows(void *ctx, tfp_batch *b, tfp_error *err)
{
    picking *x = ctx;
    for (size_t i = 0; i < b->row_count; i++, x->rows++)
        if (tfp_run_fits(x->words, b, x->place, i) && !pick_row(x, b, i)) return tfp_nomem(err);
    x->out->total += b->row_count;
    return TFP_OK;
}

/* ---- the order ---- */

static int by_text(const void *a, const void *b, void *ctx)
{
    const tfp_strtab *t = ctx;
    return tfp_str_cmp(tfp_strtab_get(t, *(const tfp_strid *)a), tfp_strtab_get(t, *(const tfp_strid *)b));
}

/* Replaces the keys of texts by their ranks in byte order. */
static bool rank_texts(picking *x)
{
    const tfp_strtab *t = &x->texts.table;
    size_t count = t->count;
    tfp_strid *order = malloc((count + 1) * sizeof *order), *rank = malloc((count + 1) * sizeof *rank);
    for (size_t i = 0; order && i < count; i++) order[i] = (tfp_strid)i;
    if (order && rank && count) qsort_r(order, count, sizeof *order, by_text, &x->texts.table);
    for (size_t i = 0; order && rank && i < count; i++) rank[order[i]] = (tfp_strid)i;
    bool ok = order && rank;
    for (size_t i = 0; ok && i < x->out->found.size; i++)
        if (!x->out->found.at[i].absent) x->out->found.at[i].key = rank[x->out->found.at[i].key];
    free(order);
    free(rank);
    return ok;
}

/* Rows with equal keys stay in the order of the files, ascending or descending. */
static const tfp_sort_key ascending[] = { TFP_UP(tfp_run_pick, absent), TFP_UP(tfp_run_pick, key), { 0 } };
static const tfp_sort_key descending[] = { TFP_UP(tfp_run_pick, absent), TFP_DOWN(tfp_run_pick, key), { 0 } };

static bool sort_all(picking *x)
{
    tfp_run_picks *p = x->out;
    if (RUNS->columns[x->order.column].type == TFP_CELL_TEXT && !rank_texts(x)) return false;
    return tfp_order_rows(p->found.at, sizeof *p->found.at, p->found.size, x->order.down ? descending : ascending);
}

tfp_status tfp_run_pick_all(char *const *parts, size_t count, const tfp_run_words *words, tfp_run_order order,
                            tfp_run_picks *out, tfp_error *err)
{
    picking x = { .words = words, .order = order, .out = out };
    bool wanted[COLUMNS_MOST] = { [0] = false };
    tfp_table_column columns[COLUMNS_MOST];
    size_t column_count = 0;
    tfp_run_words_mark(words, wanted);
    wanted[order.column] = true;
    for (size_t i = 0; i < RUNS->count; i++) {
        if (!wanted[i]) continue;
        x.place[i] = column_count;
        columns[column_count++] = RUNS->columns[i];
    }
    tfp_status s = tfp_texts_start(&x.texts) ? TFP_OK : tfp_nomem(err);
    for (size_t i = 0; i < count && !s; i++) {
        x.part = (uint32_t)i;
        x.rows = 0;
        s = tfp_parquet_each(parts[i], columns, column_count, pick_rows, &x, err);
    }
    if (!s && !sort_all(&x)) s = tfp_nomem(err);
    tfp_texts_free(&x.texts);
    return s;
}
