// SPDX-License-Identifier: Apache-2.0
/* outputs/grid_text.c: a grid as an aligned table: a header, a line a row, texts to the left and numbers to the right.
 * The names of a tree's rows are indented as in the views. */
#include "outputs/grid_text.h"
#include "outputs/screen.h"

#include <stdlib.h>

#define GAP 2
#define NARROWEST 10      /* a text column is never cut further */
#define NARROWEST_NAME 28 /* nor the first one, which is what a row is about */
#define WIDEST 80         /* a cell that is wider moves what follows it, and not the whole column */

static void put_int(const tfp_flat *f, int64_t n, tfp_buf *out)
{
    tfp_unit unit = tfp_flat_unit(f);
    if (f->type == 'b')
        tfp_buf_text(out, n ? "yes" : "no");
    else if (unit == TFP_LABEL || n == INT64_MIN)
        tfp_buf_int(out, n);
    else {
        if (n < 0) tfp_buf_char(out, '-');
        tfp_format_amount(out, unit, n < 0 ? -n : n);
    }
}

void tfp_grid_cell(const tfp_flat *f, tfp_cells *c, uint32_t row, tfp_buf *out)
{
    int64_t n;
    double x;
    if (f->type == 's')
        tfp_flat_text(f, c, row, out);
    else if (f->type == 'r' && tfp_flat_real(f, c->r, row, &x))
        tfp_format_real(out, tfp_flat_unit(f), x);
    else if (tfp_flat_int(f, c->r, row, &n))
        put_int(f, n, out);
}

bool tfp_grid_columns(const tfp_grid *g, tfp_flats *out)
{
    for (size_t i = 0; i < g->columns.size; i++)
        if (!tfp_push(out, tfp_flat_of(&g->columns.at[i]))) return false;
    return true;
}

size_t tfp_grid_few(const tfp_grid *g) { return g->few && g->few < g->row_count ? g->few : g->row_count; }

void tfp_fact_value(const tfp_fact *f, tfp_buf *out)
{
    if (f->absent)
        tfp_buf_text(out, "unknown");
    else if (f->type == 's')
        tfp_escape(out, f->text);
    else if (f->type == 'r')
        tfp_format_real(out, f->unit, f->real);
    else if (f->unit == TFP_LABEL)
        tfp_buf_int(out, f->number);
    else
        tfp_format_amount(out, f->unit, f->number);
}

typedef struct writer {
    const tfp_report *r;
    const tfp_grid *g;
    size_t rows;
    tfp_flats columns; /* in a tree the names come first */
    size_t *width;
    tfp_cells cells;
    tfp_buf cell;
    size_t bar; /* at a terminal: the column of shares that bars stand behind; past the last: none */
    bool cut;   /* texts are cut to their columns */
} writer;

/* Characters, each one column wide. */
static size_t width_of(tfp_str s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.size; i++) n += ((unsigned char)s.data[i] & 0xc0) != 0x80;
    return n;
}

static void make_cell(writer *w, size_t column, uint32_t row)
{
    w->cell.size = 0;
    if (w->g->tree && column == 0) tfp_buf_fill(&w->cell, ' ', 2 * (size_t)w->r->rows.at[row].depth);
    tfp_grid_cell(&w->columns.at[column], &w->cells, row, &w->cell);
}

static void measure(writer *w)
{
    for (size_t c = 0; c < w->columns.size; c++) {
        w->width[c] = width_of(tfp_str_of(w->columns.at[c].name));
        for (uint32_t row = 0; row < w->rows && !w->cell.failed; row++) {
            make_cell(w, c, row);
            size_t n = width_of((tfp_str){ w->cell.data, w->cell.size });
            if (n > w->width[c]) w->width[c] = n;
        }
        if (w->width[c] > WIDEST) w->width[c] = WIDEST;
    }
}

static size_t line_width(const writer *w)
{
    size_t n = w->bar < w->columns.size ? GAP + TFP_BAR : 0;
    for (size_t c = 0; c < w->columns.size; c++) n += w->width[c] + (c ? GAP : 0);
    return n;
}

/* The widest text column that may still get narrower. */
static size_t widest_text(const writer *w)
{
    size_t best = w->columns.size;
    for (size_t c = 0; c < w->columns.size; c++)
        if (w->columns.at[c].type == 's' && w->width[c] > (c ? NARROWEST : NARROWEST_NAME) &&
            (best == w->columns.size || w->width[c] > w->width[best]))
            best = c;
    return best;
}

/* At a terminal: bars behind the first share where there is room, and texts cut until a line fits. */
static void fit(writer *w)
{
    const tfp_options *o = w->r->options;
    size_t c = 0;
    if (!tfp_for_screen(o)) return;
    while (c < w->columns.size && !(tfp_flat_unit(&w->columns.at[c]) == TFP_SHARE && w->columns.at[c].type == 'r')) c++;
    w->bar = c;
    if (line_width(w) > (size_t)o->screen && c + 1 == w->columns.size) w->bar = w->columns.size;
    while (line_width(w) > (size_t)o->screen) {
        size_t widest = widest_text(w);
        if (widest == w->columns.size) break;
        w->width[widest]--;
    }
    if (line_width(w) > (size_t)o->screen) w->bar = w->columns.size;
    w->cut = true;
}

/* The text in w->cell, in its column; nothing is padded behind the last. */
static void put_cell(writer *w, size_t column, tfp_buf *out)
{
    size_t n = width_of((tfp_str){ w->cell.data, w->cell.size });
    size_t pad = n < w->width[column] ? w->width[column] - n : 0;
    bool left = w->columns.at[column].type == 's';
    if (w->cut && n > w->width[column] && left) {
        tfp_screen_cut(&w->cell, w->width[column]);
        n = w->width[column];
    }
    if (column) tfp_buf_fill(out, ' ', GAP);
    if (!left) tfp_buf_fill(out, ' ', pad);
    tfp_buf_add(out, w->cell.data, w->cell.size);
    if (left && column + 1 < w->columns.size) tfp_buf_fill(out, ' ', pad);
}

static void put_bar(writer *w, size_t column, uint32_t row, tfp_buf *out)
{
    double share = 0;
    if (!tfp_flat_real(&w->columns.at[column], w->r, row, &share)) share = 0;
    tfp_buf_fill(out, ' ', GAP);
    tfp_screen_bar(out, share, w->r->options->colours);
}

static void put_lines(writer *w, tfp_sink *s)
{
    bool bold = w->cut && w->r->options->colours;
    if (bold) tfp_buf_text(&s->buf, TFP_BOLD);
    for (size_t c = 0; c < w->columns.size; c++) {
        w->cell.size = 0;
        tfp_escape(&w->cell, tfp_str_of(w->columns.at[c].name));
        put_cell(w, c, &s->buf);
        if (c == w->bar && c + 1 < w->columns.size) tfp_buf_fill(&s->buf, ' ', GAP + TFP_BAR);
    }
    if (w->bar + 1 == w->columns.size) tfp_buf_fill(&s->buf, ' ', GAP + TFP_BAR);
    if (bold) tfp_buf_text(&s->buf, TFP_PLAIN);
    tfp_buf_char(&s->buf, '\n');
    for (uint32_t row = 0; row < w->rows && !s->status && !w->cell.failed; row++) {
        for (size_t c = 0; c < w->columns.size; c++) {
            make_cell(w, c, row);
            put_cell(w, c, &s->buf);
            if (c == w->bar) put_bar(w, c, row, &s->buf);
        }
        tfp_buf_char(&s->buf, '\n');
        tfp_sink_flush_if_full(s);
    }
}

/* A text that begins at the column `indent`; on a terminal its lines end between words, and all begin there. */
static void put_wrapped(const tfp_report *r, tfp_buf *b, tfp_str text, size_t indent)
{
    enum { LEAST = 24 }; /* columns that are worth the trouble */
    size_t screen = r->options->screen > 0 ? (size_t)r->options->screen : 0, column = indent;
    if (screen < indent + LEAST) {
        tfp_buf_add(b, text.data, text.size);
        return;
    }
    for (size_t at = 0, end; at < text.size; at = end + 1) {
        for (end = at; end < text.size && text.data[end] != ' ';) end++;
        size_t n = width_of((tfp_str){ text.data + at, end - at });
        if (at && column + 1 + n > screen) {
            tfp_buf_char(b, '\n');
            tfp_buf_fill(b, ' ', indent);
            column = indent;
        } else if (at) {
            tfp_buf_char(b, ' ');
            column++;
        }
        tfp_buf_add(b, text.data + at, end - at);
        column += n;
    }
}

/* What a reader must know before the numbers: that two sides are not the same work, say. */
static void put_notes(const tfp_report *r, tfp_buf *b)
{
    for (size_t i = 0; i < r->notes.size; i++) {
        tfp_buf_text(b, "note: ");
        put_wrapped(r, b, tfp_str_of(r->notes.at[i]), strlen("note: ")); /* escaped when it was made */
        tfp_buf_char(b, '\n');
    }
    if (r->notes.size) tfp_buf_char(b, '\n');
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
            size_t n = width_of((tfp_str){ text.data, text.size });
            if (strlen(f->label) > label) label = strlen(f->label);
            if (n > value) value = n;
            if (!turn) continue;
            tfp_buf_text(b, f->label);
            tfp_buf_fill(b, ' ', label - strlen(f->label) + GAP);
            if (!f->more.size) put_wrapped(r, b, (tfp_str){ text.data, text.size }, label + GAP);
            if (f->more.size) {
                tfp_buf_add(b, text.data, text.size);
                tfp_buf_fill(b, ' ', value - n + GAP);
                tfp_escape(b, f->more);
            }
            tfp_buf_char(b, '\n');
        }
    }
    if (r->facts.size) tfp_buf_char(b, '\n');
    b->failed |= text.failed;
    tfp_buf_free(&text);
}

static tfp_status put_grid(const tfp_report *r, const tfp_grid *g, tfp_sink *s, tfp_error *err)
{
    writer w = { .r = r, .g = g, .rows = tfp_grid_few(g), .cells = tfp_cells_of(r), .bar = SIZE_MAX };
    tfp_flat name;
    bool ok = !g->tree || (tfp_table_find(r, "name", &name) && tfp_push(&w.columns, name));
    ok = ok && tfp_grid_columns(g, &w.columns) && (w.width = calloc(w.columns.size + 1, sizeof *w.width)) != NULL;
    if (ok) {
        measure(&w);
        fit(&w);
        put_lines(&w, s);
        if (w.rows < g->row_count) tfp_buf_printf(&s->buf, "... and %zu more\n", g->row_count - w.rows);
    }
    ok = ok && !w.cell.failed;
    tfp_vec_free(&w.columns);
    free(w.width);
    tfp_buf_free(&w.cell);
    tfp_cells_free(&w.cells);
    return ok ? TFP_OK : tfp_nomem(err);
}

tfp_status tfp_grid_text(const tfp_report *r, tfp_sink *s, tfp_error *err)
{
    put_notes(r, &s->buf);
    put_facts(r, &s->buf);
    bool bare = r->facts.size && !r->grid.row_count; /* facts without a table of their own */
    tfp_status status = bare ? TFP_OK : put_grid(r, &r->grid, s, err);
    for (size_t i = 0; i < r->parts.size && !status; i++) {
        tfp_buf_printf(&s->buf, "%s%s\n\n", bare && !i ? "" : "\n", r->parts.at[i].title);
        status = put_grid(r, &r->parts.at[i].grid, s, err);
    }
    return status;
}
