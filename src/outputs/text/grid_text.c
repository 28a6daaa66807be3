// SPDX-License-Identifier: Apache-2.0
/* outputs/text/grid_text.c: a grid as an aligned table: a header, a line for each row, texts to the left and numbers to the right.
 * Names of a tree's rows are indented as in the views. grid_fit.c fits the table to a terminal; a line below
 * the table names the columns that were left out. */
#include "outputs/text/grid_text.h"
#include "options/options.h"
#include "outputs/text/grid_fit.h"
#include "outputs/text/headline.h"
#include "outputs/text/screen.h"
#include "views/core/notes.h"
#include "views/core/report.h"

size_t tfp_grid_few(const tfp_grid *g) { return g->few && g->few < g->row_count ? g->few : g->row_count; }

/* Writes w->cell into its column; the last column is not padded. */
static void put_cell(tfp_grid_lines *w, size_t column, tfp_buf *out)
{
    bool left = w->columns.at[column].type == TFP_CELL_TEXT;
    if (w->cut && left) tfp_screen_cut_name(&w->cell, w->of[column].width);
    size_t n = tfp_screen_width((tfp_str){ w->cell.data, w->cell.size });
    size_t pad = n < w->of[column].width ? w->of[column].width - n : 0;
    if (column) tfp_buf_fill(out, ' ', TFP_GRID_GAP);
    if (!left) tfp_buf_fill(out, ' ', pad);
    tfp_buf_add(out, w->cell.data, w->cell.size);
    if (left && column + 1 < w->columns.size) tfp_buf_fill(out, ' ', pad);
}

static void put_bar(tfp_grid_lines *w, size_t column, uint32_t row, tfp_buf *out)
{
    tfp_cell share = { 0 };
    tfp_cell_at(&w->cells, &w->columns.at[column], row, &share);
    tfp_buf_fill(out, ' ', TFP_GRID_GAP);
    tfp_screen_bar(out, share.real, w->r->options->to.colours);
}

static void put_header(tfp_grid_lines *w, tfp_buf *out)
{
    bool bold = tfp_for_screen(w->r->options) && w->r->options->to.colours;
    if (bold) tfp_buf_text(out, TFP_BOLD);
    for (size_t c = 0; c < w->columns.size; c++) {
        w->cell.size = 0;
        tfp_grid_head(&w->columns.at[c], &w->cell);
        put_cell(w, c, out);
        if (c == w->bar && c + 1 < w->columns.size) tfp_buf_fill(out, ' ', TFP_GRID_GAP + TFP_BAR);
    }
    if (bold) tfp_buf_text(out, TFP_PLAIN);
    tfp_buf_char(out, '\n');
}

/* Ends a line without blanks at its end. */
static void end_line(tfp_buf *out)
{
    while (out->size && out->data[out->size - 1] == ' ') out->size--;
    tfp_buf_char(out, '\n');
}

static void put_row(tfp_grid_lines *w, uint32_t row, tfp_buf *out)
{
    for (size_t c = 0; c < w->columns.size; c++) {
        tfp_grid_lines_cell(w, c, row);
        put_cell(w, c, out);
        if (c == w->bar) put_bar(w, c, row, out);
    }
    end_line(out);
}

/* A row whose texts wrap within their columns. */
static void put_wrapped_row(tfp_grid_lines *w, uint32_t row, tfp_buf *out)
{
    for (size_t c = 0; c < w->columns.size; c++) w->of[c].told = 0;
    for (bool first = true, more = true; more && !w->cell.failed; first = false) {
        more = false;
        for (size_t c = 0; c < w->columns.size; c++) {
            size_t *told = &w->of[c].told;
            bool text = w->columns.at[c].type == TFP_CELL_TEXT;
            tfp_grid_lines_cell(w, c, row);
            tfp_str all = { w->cell.data, w->cell.size }, line = all;
            if (text) line = tfp_screen_line(all, w->of[c].width, told);
            more |= text && *told < all.size;
            if (!text && !first) line.size = 0;
            if (line.size) memmove(w->cell.data, line.data, line.size);
            w->cell.size = line.size;
            put_cell(w, c, out);
        }
        end_line(out);
    }
}

/* Writes a row of two texts on two lines; the first is a command to copy, so it is not broken. */
static void put_row_below(tfp_grid_lines *w, uint32_t row, tfp_buf *out)
{
    enum { INDENT = 4 };
    tfp_grid_lines_cell(w, 0, row);
    tfp_buf_add(out, w->cell.data, w->cell.size);
    tfp_buf_char(out, '\n');
    tfp_grid_lines_cell(w, 1, row);
    tfp_buf_fill(out, ' ', INDENT);
    tfp_screen_wrap(out, (tfp_str){ w->cell.data, w->cell.size }, INDENT, w->r->options->to.screen);
    tfp_buf_char(out, '\n');
}

static void put_lines(tfp_grid_lines *w, tfp_sink *s)
{
    if (!w->below) put_header(w, &s->buf);
    for (uint32_t row = 0; row < w->rows && !s->status && !w->cell.failed; row++) {
        if (w->below)
            put_row_below(w, row, &s->buf);
        else if (w->wrap)
            put_wrapped_row(w, row, &s->buf);
        else
            put_row(w, row, &s->buf);
        tfp_sink_flush_if_full(s);
    }
}

/* Notes that a reader must know before the numbers, for example that two sides did different work. */
static void put_notes(const tfp_report *r, tfp_buf *b)
{
    for (size_t i = 0; i < r->notes.size; i++) {
        tfp_buf_text(b, "note: ");
        tfp_screen_wrap(b, tfp_str_of(r->notes.at[i].text), strlen("note: "),
                        r->options->to.screen); /* escaped already */
        tfp_buf_char(b, '\n');
    }
    if (r->notes.size && (r->facts.size || r->grid->row_count || r->parts.size || !tfp_is_aligned(r)))
        tfp_buf_char(b, '\n');
}

/* The remark after a fact's value, aligned at a column; on separate lines if the terminal is too narrow. */
static void put_more(tfp_buf *b, tfp_str more, size_t gap, size_t column, int64_t screen)
{
    enum { ROOM = 24, BELOW = 4 };
    tfp_buf text = { 0 };
    tfp_escape(&text, more);
    if (screen && column + ROOM > (size_t)screen) {
        tfp_buf_char(b, '\n');
        tfp_buf_fill(b, ' ', column = BELOW);
    } else {
        tfp_buf_fill(b, ' ', gap);
    }
    tfp_screen_wrap(b, (tfp_str){ text.data, text.size }, column, screen);
    b->failed |= text.failed;
    tfp_buf_free(&text);
}

static void put_facts(const tfp_report *r, tfp_buf *b)
{
    size_t label = 0, value = 0;
    tfp_buf text = { 0 };
    for (int turn = 0; turn < 2; turn++) {
        for (size_t i = 0; i < r->facts.size && !text.failed; i++) {
            const tfp_fact *f = &r->facts.at[i];
            if (!f->label) continue;
            text.size = 0;
            tfp_fact_value(f, &text);
            size_t n = tfp_screen_width((tfp_str){ text.data, text.size });
            if (strlen(f->label) > label) label = strlen(f->label);
            if (n > value) value = n;
            if (!turn) continue;
            tfp_buf_text(b, f->label);
            tfp_buf_fill(b, ' ', label - strlen(f->label) + TFP_GRID_GAP);
            if (!f->more.size)
                tfp_screen_wrap(b, (tfp_str){ text.data, text.size }, label + TFP_GRID_GAP, r->options->to.screen);
            if (f->more.size) {
                tfp_buf_add(b, text.data, text.size);
                put_more(b, f->more, value - n + TFP_GRID_GAP, label + value + 2 * TFP_GRID_GAP, r->options->to.screen);
            }
            tfp_buf_char(b, '\n');
        }
    }
    if (r->facts.size) tfp_buf_char(b, '\n');
    b->failed |= text.failed;
    tfp_buf_free(&text);
}

static void put_left_out(const tfp_grid_lines *w, tfp_buf *out)
{
    if (!w->left_out.size) return;
    tfp_buf line = { 0 };
    tfp_buf_printf(&line, "no room for %.*s" TFP_NO_ROOM, (int)w->left_out.size, w->left_out.data);
    tfp_screen_wrap(out, (tfp_str){ line.data, line.size }, 0, w->r->options->to.screen);
    tfp_buf_char(out, '\n');
    out->failed |= line.failed;
    tfp_buf_free(&line);
}

static tfp_status put_grid(const tfp_report *r, const tfp_grid *g, tfp_sink *s, tfp_error *err)
{
    tfp_grid_lines w;
    tfp_status status = tfp_grid_lines_start(r, g, tfp_grid_few(g), &w, err);
    if (status) return status;
    put_lines(&w, s);
    if (w.rows < g->row_count) tfp_buf_printf(&s->buf, "... and %zu more\n", g->row_count - w.rows);
    put_left_out(&w, &s->buf);
    if (w.cell.failed) status = tfp_nomem(err);
    tfp_grid_lines_free(&w);
    return status;
}

static tfp_status put_below_headline(const tfp_report *r, tfp_sink *s, tfp_error *err)
{
    tfp_grid g = { 0 };
    tfp_headline_put(r, &s->buf);
    tfp_status status = tfp_headline_grid(r, &g) ? TFP_OK : tfp_nomem(err);
    if (!status && g.row_count) {
        tfp_buf_char(&s->buf, '\n');
        status = put_grid(r, &g, s, err);
    }
    tfp_vec_free(&g.columns);
    return status;
}

tfp_status tfp_grid_text(const tfp_report *r, tfp_sink *s, tfp_error *err)
{
    put_notes(r, &s->buf);
    put_facts(r, &s->buf);
    /* facts without a table, or a note that says why there are no rows */
    bool noted = tfp_is_aligned(r) && r->notes.size;
    bool bare = (r->facts.size || noted) && (!r->grid->row_count || r->grid->key);
    tfp_status status = TFP_OK;
    for (size_t i = 0; i < r->parts.size && !status; i++) {
        if (!r->parts.at[i].leads) continue;
        tfp_buf_printf(&s->buf, "%s\n\n", r->parts.at[i].title);
        status = put_grid(r, &r->parts.at[i].grid, s, err);
        tfp_buf_char(&s->buf, '\n');
    }
    if (r->headline && !status) status = put_below_headline(r, s, err);
    if (!bare && !r->headline && !status) status = put_grid(r, r->grid, s, err);
    for (size_t i = 0, shown = 0; i < r->parts.size && !status; i++) {
        if (r->parts.at[i].leads || r->parts.at[i].reader == TFP_PART_PROGRAMS) continue;
        tfp_buf_printf(&s->buf, "%s%s\n\n", bare && !shown++ ? "" : "\n", r->parts.at[i].title);
        status = put_grid(r, &r->parts.at[i].grid, s, err);
    }
    return status;
}
