// SPDX-License-Identifier: Apache-2.0
/* fleet/list/list.c: a page of an index's runs as a report: one row per run, with the columns of the table `runs`. */
#include "fleet/index/index.h"
#include "fleet/index/parts.h"
#include "fleet/list/list.h"
#include "outputs/data/parquet_read.h"
#include "query/order.h"
#include "views/core/engine.h"
#include "views/core/grid.h"

#include <time.h>

#define RUNS (&tfp_fleet_tables[TFP_FLEET_RUNS])
enum { COUNT_MOST = 1000 };

typedef struct page_settings {
    tfp_str filter;
    tfp_run_order order;
    int64_t from, count;
} page_settings;

static tfp_status set_order(page_settings *w, const char *value, tfp_error *err)
{
    const char *name = value + (*value == '-');
    w->order.down = *value == '-';
    for (w->order.column = 0; w->order.column < RUNS->count; w->order.column++)
        if (strcmp(RUNS->columns[w->order.column].name, name) == 0) return TFP_OK;
    return tfp_fail(err, TFP_BADARG, "order '%s': not a column of runs, such as duration_us or -started", value);
}

static tfp_status set(page_settings *w, const char *name, const char *value, tfp_error *err)
{
    int64_t n, *number = strcmp(name, "from") == 0 ? &w->from : strcmp(name, "count") == 0 ? &w->count : NULL;
    if (strcmp(name, "order") == 0) return set_order(w, value, err);
    if (strcmp(name, "filter") == 0) {
        w->filter = tfp_str_of(value);
        return TFP_OK;
    }
    if (!number) return tfp_fail(err, TFP_BADARG, "a list of runs has no setting '%s'", name);
    if (!tfp_parse_int64(tfp_str_of(value), &n) || n < 0)
        return tfp_fail(err, TFP_BADARG, "%s '%s': not a number from 0 on", name, value);
    *number = n;
    if (w->count > COUNT_MOST) w->count = COUNT_MOST;
    return TFP_OK;
}

/* ---- the second pass ---- */

typedef struct place { /* a run of the page */
    uint32_t part, row;
    size_t to; /* its row in the report */
} place;

static const tfp_sort_key by_place[] = { TFP_UP(place, part), TFP_UP(place, row), { 0 } };

static tfp_str time_text(tfp_report *r, tfp_cell_type type, int64_t n)
{
    char text[TFP_TIME_TEXT];
    tfp_str time = tfp_fleet_time(type, n, false, text);
    const char *copy = time.data ? tfp_arena_copy(tfp_arena_of(r), time) : NULL;
    return (tfp_str){ copy, copy ? time.size : 0 };
}

/* Copies a cell. False: out of memory. */
static bool put_cell(tfp_report *r, const tfp_batch *b, size_t column, size_t row, size_t to)
{
    const tfp_table_column *from = &b->columns[column];
    tfp_table_column *c = &tfp_table_of(r)->columns.at[column];
    uint64_t cell = from->cells[row];
    c->absent[to] = from->absent[row];
    if (c->absent[to]) return true;
    if (from->type == TFP_CELL_REAL) {
        c->reals[to] = tfp_cell_real(cell);
    } else if (from->type == TFP_CELL_INT || from->type == TFP_CELL_BOOL) {
        c->ints[to] = (int64_t)cell;
    } else if (from->type == TFP_CELL_TEXT) {
        tfp_str text = tfp_cell_text(b, cell);
        c->texts[to] = (tfp_str){ tfp_arena_copy(tfp_arena_of(r), text), text.size };
        return c->texts[to].data != NULL;
    } else {
        c->texts[to] = time_text(r, from->type, (int64_t)cell);
        c->absent[to] = !c->texts[to].data; /* the year is out of range */
    }
    return true;
}

static bool put_row(tfp_report *r, const tfp_batch *b, size_t row, size_t to)
{
    bool ok = true;
    for (size_t c = 0; c < RUNS->count && ok; c++) ok = put_cell(r, b, c, row, to);
    return ok;
}

/* Reads the groups of an open part that contain runs of the page. */
static tfp_status put_rows(tfp_report *r, const tfp_parquet_file *f, const place *p, size_t count, tfp_error *err)
{
    tfp_texts texts = { 0 };
    tfp_batch b = { 0 };
    tfp_status s = tfp_batch_start(&b, RUNS->columns, RUNS->count, &texts) ? TFP_OK : tfp_nomem(err);
    int64_t first = 0;
    for (size_t g = 0, i = 0; g < f->group_count && i < count && !s; first += f->rows[g++]) {
        if (p[i].row >= first + f->rows[g]) continue;
        tfp_batch_clear(&b);
        s = tfp_texts_clear(&texts) ? tfp_parquet_read_group(f, g, &b, err) : tfp_nomem(err);
        for (; !s && i < count && p[i].row < first + (int64_t)b.row_count; i++)
            if (!put_row(r, &b, (size_t)(p[i].row - first), p[i].to)) s = tfp_nomem(err);
    }
    tfp_batch_free(&b);
    tfp_texts_free(&texts);
    return s;
}

static tfp_status put_part(tfp_report *r, const char *path, const place *p, size_t count, tfp_error *err)
{
    tfp_parquet_file f;
    tfp_status s = tfp_parquet_open(&f, path, RUNS->columns, RUNS->count, err);
    if (s) return tfp_within_file(err, s, path);
    s = tfp_within_file(err, put_rows(r, &f, p, count, err), path);
    tfp_parquet_close(&f);
    return s;
}

static bool add_column(tfp_report *r, size_t i, size_t rows)
{
    const tfp_table_column *from = &RUNS->columns[i];
    bool text = from->type == TFP_CELL_TEXT || from->type == TFP_CELL_DATE || from->type == TFP_CELL_TIME;
    tfp_table_column c = *from;
    if (text) c.type = TFP_CELL_TEXT;
    if (!tfp_column_room(&c, tfp_arena_of(r), rows)) return false;
    memset(c.absent, 1, rows);
    return tfp_push(&tfp_table_of(r)->columns, c);
}

static tfp_status fill(tfp_report *r, char *const *parts, const tfp_run_picks *picks, const page_settings *w,
                       tfp_error *err)
{
    size_t from = (uint64_t)w->from < picks->found.size ? (size_t)w->from : picks->found.size;
    size_t count = picks->found.size - from < (size_t)w->count ? picks->found.size - from : (size_t)w->count;
    place *places = tfp_arena_zero(tfp_arena_of(r), count + 1, sizeof *places);
    bool ok = places != NULL;
    for (size_t i = 0; i < RUNS->count && ok; i++) ok = add_column(r, i, count);
    for (size_t i = 0; i < count && ok; i++)
        places[i] = (place){ picks->found.at[from + i].part, picks->found.at[from + i].row, i };
    if (!ok || !tfp_order_rows(places, sizeof *places, count, by_place)) return tfp_nomem(err);
    tfp_table_of(r)->row_count = count;
    tfp_status s = TFP_OK;
    for (size_t i = 0, end; i < count && !s; i = end) {
        for (end = i; end < count && places[end].part == places[i].part;) end++;
        s = put_part(r, parts[places[i].part], places + i, end - i, err);
    }
    return s;
}

/* ---- both ---- */

/* Turns the names of the parts into their paths. */
static tfp_status find_parts(const char *index, tfp_part_names *parts, tfp_error *err)
{
    char path[PATH_MAX];
    tfp_status s = tfp_part_names_read(parts, index, RUNS->name, err);
    for (size_t i = 0; i < parts->size && !s; i++) {
        char *whole = tfp_index_path(path, index, RUNS->name, parts->at[i]) ? strdup(path) : NULL;
        if (!whole) return tfp_nomem(err);
        free(parts->at[i]);
        parts->at[i] = whole;
    }
    return s;
}

static tfp_status make(const char *index, const page_settings *w, tfp_report *r, size_t *total, size_t *found,
                       tfp_error *err)
{
    tfp_part_names parts = { 0 };
    tfp_run_picks picks = { 0 };
    tfp_run_words words = { 0 };
    tfp_status s = tfp_run_words_of(w->filter, &words, err);
    if (!s) s = find_parts(index, &parts, err);
    if (!s) s = tfp_run_pick_all(parts.at, parts.size, &words, w->order, &picks, err);
    if (!s) s = fill(r, parts.at, &picks, w, err);
    if (total) *total = picks.total;
    if (found) *found = picks.found.size;
    tfp_vec_free(&picks.found);
    tfp_vec_free(&words);
    tfp_part_names_free(&parts);
    return s;
}

tfp_status tfp_run_list(const char *index, const char *const *settings, tfp_report **out, size_t *total, size_t *found,
                        tfp_error *err)
{
    page_settings w = { .count = 100 };
    tfp_status s = set_order(&w, "-started", err);
    for (size_t i = 0; settings && settings[i] && !s; i += 2)
        if (settings[i + 1]) s = set(&w, settings[i], settings[i + 1], err);
    tfp_report *r = s ? NULL : tfp_report_of_table(NULL, "runs");
    if (!s) s = r ? make(index, &w, r, total, found, err) : tfp_nomem(err);
    return tfp_report_give(r, s, out);
}
