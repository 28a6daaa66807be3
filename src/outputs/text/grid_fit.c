// SPDX-License-Identifier: Apache-2.0
/* outputs/text/grid_fit.c: the widths of a grid's columns. At a terminal texts are cut to its width; if that is not enough,
 * columns are left out: first those without information, then from the last. Sentences and commands are not cut: they
 * continue on further lines. */
#include "outputs/text/grid_fit.h"
#include "options/options.h"
#include "outputs/text/grid_text.h"
#include "outputs/text/screen.h"
#include "views/core/rows.h"

#include <stdlib.h>

#define NARROWEST 10      /* a text column is never cut further */
#define NARROWEST_NAME 28 /* nor the first column, which names the row */
#define WIDEST 80         /* names are cut to this in a pipe, where -full_names keeps them whole */

void tfp_grid_lines_cell(tfp_grid_lines *w, size_t column, uint32_t row)
{
    w->cell.size = 0;
    if (w->g->tree && column == 0) {
        tfp_screen_depth(tfp_row_at(w->r, row)->depth, &w->cell);
        tfp_escape(&w->cell, tfp_screen_own_name(w->r, row));
        return;
    }
    tfp_grid_cell(&w->columns.at[column], &w->cells, row, &w->cell);
}

static tfp_said said_by_cell(tfp_grid_lines *w, size_t column, uint32_t row)
{
    const tfp_table_column *f = &w->columns.at[column];
    tfp_cell cell = { 0 };
    if (f->type == TFP_CELL_TEXT) return w->cell.size ? TFP_SOMETHING : TFP_NOTHING;
    if (!tfp_cell_at(&w->cells, f, row, &cell)) return TFP_NOTHING;
    return cell.real != 0 || cell.number ? TFP_SOMETHING : TFP_ZEROS;
}

static void measure(tfp_grid_lines *w)
{
    for (size_t c = 0; c < w->columns.size; c++) {
        tfp_grid_width *m = &w->of[c];
        w->cell.size = 0;
        tfp_grid_head(&w->columns.at[c], &w->cell);
        *m = (tfp_grid_width){ .width = tfp_screen_width((tfp_str){ w->cell.data, w->cell.size }) };
        for (uint32_t row = 0; row < w->rows && !w->cell.failed; row++) {
            tfp_grid_lines_cell(w, c, row);
            size_t n = tfp_screen_width((tfp_str){ w->cell.data, w->cell.size });
            if (n > m->width) m->width = n;
            if (m->said < TFP_SOMETHING && said_by_cell(w, c, row) > m->said) m->said = said_by_cell(w, c, row);
        }
    }
}

/* In a pipe no line is too long, but one long name must not push the numbers of all rows far to the right. */
static void cut_names(tfp_grid_lines *w)
{
    for (size_t c = 0; c < w->columns.size; c++)
        if (w->columns.at[c].type == TFP_CELL_TEXT && w->of[c].width > WIDEST) w->of[c].width = WIDEST;
    w->cut = true;
}

static size_t line_width(const tfp_grid_lines *w)
{
    size_t n = w->bar < w->columns.size ? TFP_GRID_GAP + TFP_BAR : 0;
    for (size_t c = 0; c < w->columns.size; c++) n += w->of[c].width + (c ? TFP_GRID_GAP : 0);
    return n;
}

/* The least width of a column: texts may be cut, numbers may not. */
static size_t narrowest(const tfp_grid_lines *w, size_t c)
{
    size_t least = c ? NARROWEST : NARROWEST_NAME, width = w->of[c].width;
    return w->columns.at[c].type == TFP_CELL_TEXT && width > least ? least : width;
}

/* The widest text column that can still become narrower. */
static size_t widest_text(const tfp_grid_lines *w)
{
    size_t best = w->columns.size;
    for (size_t c = 0; c < w->columns.size; c++)
        if (w->of[c].width > narrowest(w, c) && (best == w->columns.size || w->of[c].width > w->of[best].width))
            best = c;
    return best;
}

static bool is_order(const tfp_grid_lines *w, size_t c)
{
    const tfp_options *o = tfp_options_of(w->r);
    const char *order = o->order_column ? o->order_column : o->order.name;
    const tfp_table_column *f = &w->columns.at[c];
    return strcmp(f->name, order) == 0 || tfp_is_head(tfp_str_of(order), f->name, f->unit);
}

static bool is_share(const tfp_grid_lines *w, size_t c)
{
    return w->columns.at[c].type == TFP_CELL_REAL && w->columns.at[c].unit == TFP_SHARE;
}

/* The column to leave out next: the last of those with the least information, where columns of shares come after all others;
 * 0 if there is none. The first column, the one that orders the rows, and the first number always stay. */
static size_t least_said(const tfp_grid_lines *w)
{
    size_t best = 0, number = 1;
    while (number < w->columns.size && w->columns.at[number].type == TFP_CELL_TEXT) number++;
    for (size_t c = w->columns.size; c-- > 1;) {
        if (c == number || w->of[c].left_out || is_order(w, c)) continue;
        unsigned worth = w->of[c].said + (is_share(w, c) && w->of[c].said == TFP_SOMETHING);
        if (!best || worth < w->of[best].said + (is_share(w, best) && w->of[best].said == TFP_SOMETHING)) best = c;
    }
    return best;
}

static void remove_left_out(tfp_grid_lines *w)
{
    size_t kept = 0;
    for (size_t c = 0; c < w->columns.size; c++) {
        if (w->of[c].left_out) {
            tfp_buf_text(&w->left_out, w->left_out.size ? ", " : "");
            tfp_grid_head(&w->columns.at[c], &w->left_out);
            continue;
        }
        w->columns.at[kept] = w->columns.at[c];
        w->of[kept++] = w->of[c];
    }
    w->columns.size = kept;
}

/* Leaves columns out until a line with shortened texts is no wider than the screen. */
static void leave_out(tfp_grid_lines *w, size_t screen)
{
    size_t width = 0;
    for (size_t c = 0; c < w->columns.size; c++) width += narrowest(w, c) + (c ? TFP_GRID_GAP : 0);
    for (size_t c; width > screen && (c = least_said(w)) != 0;) {
        width -= narrowest(w, c) + TFP_GRID_GAP;
        w->of[c].left_out = true;
    }
    remove_left_out(w);
}

static void choose_bar(tfp_grid_lines *w, size_t screen)
{
    size_t c = 0;
    while (c < w->columns.size && !is_share(w, c)) c++;
    w->bar = c;
    if (line_width(w) > screen && c + 1 == w->columns.size) w->bar = w->columns.size;
}

/* At a terminal: bars after the first share if there is room, and texts cut until a line fits. */
static void fit(tfp_grid_lines *w, size_t screen)
{
    bool sentences = w->g->sentences && line_width(w) > screen;
    w->below = sentences && w->columns.size == 2;
    w->wrap = sentences && !w->below;
    w->cut = !sentences;
    if (w->below) return;
    leave_out(w, screen);
    choose_bar(w, screen);
    while (line_width(w) > screen) {
        size_t widest = widest_text(w);
        if (widest == w->columns.size) break;
        w->of[widest].width--;
    }
    if (line_width(w) > screen) w->bar = w->columns.size;
}

tfp_status tfp_grid_lines_start(const tfp_report *r, const tfp_grid *g, size_t rows, tfp_grid_lines *out,
                                tfp_error *err)
{
    *out = (tfp_grid_lines){ .r = r, .g = g, .rows = rows, .cells = tfp_cells_of(r), .bar = SIZE_MAX };
    bool ok = !g->tree || tfp_push(&out->columns, *tfp_table_find(r, "name"));
    ok = ok && tfp_grid_columns(g, &out->columns);
    ok = ok && (out->of = calloc(out->columns.size + 1, sizeof *out->of)) != NULL;
    if (ok) measure(out);
    bool screen = tfp_for_screen(tfp_options_of(r));
    if (ok && screen) fit(out, (size_t)tfp_options_of(r)->to.screen);
    if (ok && !screen && !g->sentences && !tfp_options_of(r)->to.full_names) cut_names(out);
    /* everything fits without cutting */
    if (ok && !screen && tfp_is_aligned(r)) choose_bar(out, SIZE_MAX);
    if (ok && !out->cell.failed && !out->left_out.failed) return TFP_OK;
    tfp_grid_lines_free(out);
    return tfp_nomem(err);
}

void tfp_grid_lines_free(tfp_grid_lines *w)
{
    tfp_vec_free(&w->columns);
    free(w->of);
    tfp_buf_free(&w->cell);
    tfp_buf_free(&w->left_out);
    tfp_cells_free(&w->cells);
    *w = (tfp_grid_lines){ 0 };
}
