// SPDX-License-Identifier: Apache-2.0
/* live/record/hosts.c: joins the tables of several machines into one, with a column `host`. They arrive as comma-separated values from
 * agents that may send anything: rows, cells and bytes are bounded, numbers are parsed as numbers, and columns are recognized by their
 * names. */
#include "live/record/capture.h"
#include "live/stacks/ranks.h"
#include "views/core/engine.h"

#include <math.h>
#include <stdio.h>

#define CELLS_MOST 64        /* most cells of a row */
#define ROWS_MOST 10000      /* most rows of a machine */
#define ALL_ROWS_MOST 100000 /* most rows of all hosts together */

/* Cuts the next cell off a text and removes its quotes. *last: it is the last one of the row. */
static tfp_str cut_cell(char **at, char *end, bool *last)
{
    char *from = *at, *to = from, *c = from;
    bool quoted = c < end && *c == '"';
    tfp_str cell = { from, 0 };
    for (c += quoted; c < end && (quoted || (*c != ',' && *c != '\n')); c++) {
        if (quoted && *c == '"' && !(c + 1 < end && c[1] == '"')) {
            quoted = false;
            continue;
        }
        c += quoted && *c == '"';
        *to++ = *c;
    }
    *last = c >= end || *c == '\n';
    *at = c < end ? c + 1 : end;
    if (*last && to > from && to[-1] == '\r') to--;
    cell.size = (size_t)(to - from);
    /* the apostrophe that keeps a spreadsheet from reading a text as a formula */
    if (cell.size > 1 && *from == '\'' && memchr("=+-@", from[1], 4)) cell.data++, cell.size--;
    return cell;
}

/* Cuts one row into cells; returns how many there are. Cells beyond CELLS_MOST are counted but not kept. */
static size_t cut_row(char **at, char *end, tfp_str cells[CELLS_MOST])
{
    size_t count = 0;
    for (bool last = false; !last; count++) {
        tfp_str cell = cut_cell(at, end, &last);
        if (count < CELLS_MOST) cells[count] = cell;
    }
    return count;
}

typedef struct joined {
    tfp_arena *arena;
    const tfp_table_column *columns; /* the table's own columns, which follow the host in each row */
    TFP_VEC(char *) rows;
    size_t row_size;
    bool files; /* it is the table capture */
    bool ranks; /* it is the table hang */
} joined;

static bool put_cell(joined *j, char *row, const tfp_table_column *c, tfp_str cell)
{
    void *field = row + c->offset;
    char number[64], *end;
    if (c->type == TFP_CELL_TEXT) {
        if (!cell.size) return true;
        tfp_str *text = field;
        *text = (tfp_str){ tfp_arena_copy(j->arena, cell), cell.size };
        return text->data != NULL;
    }
    if (c->type == TFP_CELL_INT) {
        *(int64_t *)field = TFP_ABSENT;
        if (cell.size) tfp_parse_int64(cell, field);
        return true;
    }
    *(double *)field = NAN;
    if (!cell.size || cell.size >= sizeof number) return true;
    memcpy(number, cell.data, cell.size);
    number[cell.size] = '\0';
    double x = strtod(number, &end);
    if (!*end) *(double *)field = x;
    return true;
}

/* Puts the machine's own folder before the names of its files. */
static bool put_folder(joined *j, char *row, const char *folder)
{
    tfp_buf path = { 0 };
    tfp_str *file = &((tfp_capture_row *)(void *)(row + sizeof(tfp_str)))->file;
    if (!folder || !file->data) return true;
    tfp_buf_printf(&path, "%s/%.*s", folder, (int)(file->size < 4096 ? file->size : 4096), file->data);
    *file = tfp_buf_move(&path, j->arena);
    return file->data != NULL;
}

static tfp_status add_row(joined *j, const tfp_live_host *host, const uint32_t *places, const tfp_str *cells,
                          tfp_error *err)
{
    char *row = tfp_arena_zero(j->arena, 1, j->row_size);
    if (!row || !tfp_push(&j->rows, row)) return tfp_nomem(err);
    char *name = tfp_arena_copy(j->arena, tfp_str_of(host->host));
    if (!name) return tfp_nomem(err);
    *(tfp_str *)(void *)row = tfp_str_of(name);
    for (size_t i = 1; j->columns[i].name; i++)
        if (!put_cell(j, row, &j->columns[i], places[i] == TFP_NONE ? (tfp_str){ "", 0 } : cells[places[i]]))
            return tfp_nomem(err);
    return j->files && !put_folder(j, row, host->folder) ? tfp_nomem(err) : TFP_OK;
}

/* Adds the table of one machine. TFP_BADFILE: the text is no such table. */
static tfp_status add_table(joined *j, const tfp_live_host *host, tfp_str csv, tfp_error *err)
{
    tfp_str cells[CELLS_MOST];
    uint32_t places[CELLS_MOST];
    char *text = malloc(csv.size + 1), *at = text, *end = text + csv.size;
    tfp_status s = text ? TFP_OK : tfp_nomem(err);
    bool any = false;
    if (!s && csv.size) memcpy(text, csv.data, csv.size);
    size_t heads = s || !csv.size ? 0 : cut_row(&at, end, cells), rows = 0;
    for (size_t i = 1; !s && j->columns[i].name; i++) {
        places[i] = TFP_NONE;
        for (uint32_t k = 0; k < heads && k < CELLS_MOST; k++)
            if (tfp_str_eq(cells[k], tfp_str_of(j->columns[i].name))) places[i] = k;
        if (places[i] != TFP_NONE && strcmp(j->columns[i].name, "pid") == 0) any = true;
    }
    if (!s && (!any || memchr(csv.data, '\0', csv.size)))
        s = tfp_fail(err, TFP_BADFILE, "its answer is no table of jobs");
    while (!s && at < end) {
        if (rows++ == ROWS_MOST)
            s = tfp_fail(err, TFP_BADFILE, "its table has more than %d rows", ROWS_MOST);
        else if (cut_row(&at, end, cells) != heads)
            s = tfp_fail(err, TFP_BADFILE, "its answer is no table: rows have different lengths");
        else
            s = add_row(j, host, places, cells, err);
    }
    free(text);
    return s;
}

/* The columns of a table with `host` before them. */
static tfp_table_column *with_host(tfp_arena *a, const tfp_table_column *of)
{
    size_t count = 0;
    while (of[count].name) count++;
    tfp_table_column *all = count < CELLS_MOST ? TFP_NEW(a, tfp_table_column, count + 2) : NULL;
    if (!all) return NULL;
    all[0] = (tfp_table_column){ "host", TFP_CELL_TEXT, TFP_LABEL, 0, "The agent's address.", 0, false };
    for (size_t i = 0; i < count; i++) {
        all[i + 1] = of[i];
        all[i + 1].offset += sizeof(tfp_str);
    }
    return all;
}

static tfp_status fill(tfp_report *r, joined *j, tfp_live_host *hosts, size_t count, tfp_error *err)
{
    tfp_status s = TFP_OK;
    for (size_t i = 0; i < count && !s; i++) {
        size_t before = j->rows.size;
        tfp_str csv = { hosts[i].csv, hosts[i].csv ? hosts[i].size : 0 };
        s = csv.data ? add_table(j, &hosts[i], csv, err) : TFP_OK;
        if (!s && j->rows.size > ALL_ROWS_MOST)
            s = tfp_fail(err, TFP_BADFILE, "the tables have more than %d rows in all", ALL_ROWS_MOST);
        hosts[i].bad = s == TFP_BADFILE;
        if (s == TFP_BADFILE) { /* tables of the other machines are still shown */
            j->rows.size = before;
            snprintf(hosts[i].why, sizeof hosts[i].why, "%s", tfp_error_message(err));
            tfp_error_clear(err);
            s = TFP_OK;
        }
        hosts[i].rows = j->rows.size - before;
    }
    char *rows = s ? NULL : tfp_arena_zero(tfp_arena_of(r), j->rows.size + 1, j->row_size);
    if (!s && !rows) s = tfp_nomem(err);
    for (size_t i = 0; i < j->rows.size && !s; i++) memcpy(rows + i * j->row_size, j->rows.at[i], j->row_size);
    const tfp_rank_rows all = { rows, j->row_size, sizeof(tfp_str), j->rows.size };
    if (!s && j->ranks) s = tfp_ranks_judge(r, &all, err);
    return s ? s : tfp_grid_of(r, &(tfp_row_table){ j->columns, rows, j->row_size, j->rows.size, 0 }, err);
}

tfp_status tfp_live_hosts(const char *table, tfp_live_host *hosts, size_t count, const tfp_options *o, tfp_report **out,
                          tfp_error *err)
{
    const struct {
        const char *name;
        const tfp_table_column *columns;
        size_t row_size;
    } tables[] = { { "top", tfp_top_columns, sizeof(tfp_top_row) },
                   { "capture", tfp_capture_columns, sizeof(tfp_capture_row) },
                   { "hang", tfp_rank_columns, sizeof(tfp_rank_row) } };
    enum { TABLES = sizeof tables / sizeof *tables, CAPTURE = 1, HANG };
    size_t which = 0;
    tfp_error_clear(err);
    if (out) *out = NULL;
    while (table && which < TABLES && strcmp(table, tables[which].name) != 0) which++;
    if (!out || !hosts || !table || which == TABLES)
        return tfp_fail(err, TFP_BADARG, "only top, capture and hang have tables of several machines");
    tfp_report *r = tfp_report_new(tables[which].name, o);
    if (!r) return tfp_nomem(err);
    tfp_table_of(r)->sentences = which == HANG;
    joined j = { .arena = tfp_arena_of(r),
                 .columns = with_host(tfp_arena_of(r), tables[which].columns),
                 .row_size = sizeof(tfp_str) + tables[which].row_size,
                 .files = which == CAPTURE,
                 .ranks = which == HANG };
    tfp_status s = j.columns ? fill(r, &j, hosts, count, err) : tfp_nomem(err);
    if (!s) s = tfp_grid_arrange(r, err);
    tfp_vec_free(&j.rows);
    return tfp_report_give(r, s, out);
}
