// SPDX-License-Identifier: Apache-2.0
/* outputs/data/csv.c: a report as a table of comma-separated values (RFC 4180), for spreadsheets and scripts; docs/json.md
 * describes the columns. Numbers are raw. A text cell that a spreadsheet would take for a formula (it begins with
 * = + - @) gets an apostrophe before it, which spreadsheets hide. */
#include "outputs/core/output.h"
#include "views/core/table.h"
#include "wire/json.h"

typedef struct writer {
    tfp_cells cells;
    tfp_buf *out;
    tfp_buf cell; /* a text cell before quoting */
} writer;

static bool needs_quotes(tfp_str s)
{
    for (size_t i = 0; i < s.size; i++)
        if (s.data[i] == ',' || s.data[i] == '"' || s.data[i] == '\n' || s.data[i] == '\r') return true;
    return s.size && (s.data[0] == ' ' || s.data[s.size - 1] == ' ');
}

/* The text in w->cell becomes one cell. */
static void put_text(writer *w)
{
    tfp_str s = { w->cell.data, w->cell.size };
    bool quoted = needs_quotes(s);
    if (quoted) tfp_buf_char(w->out, '"');
    if (s.size && memchr("=+-@", s.data[0], 4)) tfp_buf_char(w->out, '\'');
    for (size_t i = 0; i < s.size; i++) {
        if (s.data[i] == '"') tfp_buf_char(w->out, '"');
        tfp_buf_char(w->out, s.data[i]);
    }
    if (quoted) tfp_buf_char(w->out, '"');
    w->cell.size = 0;
}

/* An absent value leaves its cell empty. */
static void put_cell(writer *w, const tfp_table_column *f, uint32_t row)
{
    tfp_cell cell = { .text = &w->cell };
    if (!tfp_cell_at(&w->cells, f, row, &cell)) return;
    switch (f->type) {
    case TFP_CELL_TEXT: put_text(w); break;
    case TFP_CELL_REAL: tfp_put_shortest(w->out, cell.real); break;
    default: tfp_buf_int(w->out, cell.number);
    }
}

static tfp_status write_csv(const tfp_report *r, tfp_sink *s, tfp_error *err)
{
    tfp_column_vec columns = { 0 };
    bool nomem = !tfp_table_columns(r, false, &columns);
    size_t count = columns.size, rows = nomem ? 0 : tfp_table_of(r)->row_count;
    writer w = { .cells = tfp_cells_of(r), .out = &s->buf };
    for (size_t i = 0; i < count; i++) {
        if (i) tfp_buf_char(w.out, ',');
        tfp_escape(&w.cell, tfp_str_of(columns.at[i].name));
        put_text(&w);
    }
    tfp_buf_add(w.out, "\r\n", 2);
    for (uint32_t row = 0; row < rows && !s->status && !w.cell.failed; row++) {
        for (size_t i = 0; i < count; i++) {
            if (i) tfp_buf_char(w.out, ',');
            put_cell(&w, &columns.at[i], row);
        }
        tfp_buf_add(w.out, "\r\n", 2);
        tfp_sink_flush_if_full(s);
    }
    nomem |= w.cell.failed;
    tfp_vec_free(&columns);
    tfp_buf_free(&w.cell);
    tfp_cells_free(&w.cells);
    return nomem ? tfp_nomem(err) : TFP_OK;
}

const tfp_output_format tfp_output_csv = {
    .name = "csv",
    .help = "Comma-separated values (RFC 4180), a line a row, raw numbers, for spreadsheets and scripts.",
    .in_format_option = true,
    .write = write_csv,
};
