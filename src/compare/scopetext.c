// SPDX-License-Identifier: Apache-2.0
/* compare/scopetext.c: reads what a scope view printed, TensorFlow's or ours: any lines, possibly a line of legends, then
 * the tree: a line "PATH (CELL, CELL ...)" for each row, up to the first other line. In: the bytes of a file. Out: paths
 * and totals. Indentation only distinguishes rows from text that people and programs print around the tree; the path gives
 * a row's place. */
#include "compare/scopetext.h"

#include <stdio.h>
#include <stdlib.h>

#define ROOT TFP_STR("_TFProfRoot")

typedef struct reader {
    tfp_scopetext *t;
    tfp_str rest;   /* text after the current line */
    tfp_str line;   /* current line without blanks at both ends */
    const char *at; /* beginning of the line, including blanks */
    bool indented;
    size_t number;
    int cells[TFP_COLUMNS_MAX + 3]; /* tfp_column_id of each cell, in the order of the legends */
    size_t cell_count;
    tfp_error *err;
} reader;

static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static tfp_str trimmed(tfp_str s)
{
    while (s.size && is_blank(s.data[0])) s.data++, s.size--;
    while (s.size && is_blank(s.data[s.size - 1])) s.size--;
    return s;
}

/* A line ends at \n, \r\n or \r. */
static bool next_line(reader *r)
{
    if (!r->rest.size) return false;
    tfp_str all = r->rest, line = tfp_str_cut_line(&r->rest);
    const char *back = line.size ? memchr(line.data, '\r', line.size) : NULL;
    size_t before = back ? (size_t)(back - line.data) : line.size;
    if (before + 1 < line.size) {
        line.size = before;
        r->rest = (tfp_str){ back + 1, all.size - before - 1 };
    }
    r->at = line.data;
    r->indented = line.size && is_blank(*r->at) && *r->at != '\r';
    r->line = trimmed(line);
    r->number++;
    return true;
}

static tfp_status wrong(const reader *r, const char *at, const char *what)
{
    int column = (int)((at ? at : r->line.size ? r->line.data : r->at) - r->at) + 1;
    return tfp_fail_at(r->err, TFP_BADFILE, (int)(r->number < INT32_MAX ? r->number : INT32_MAX), column, "%s", what);
}

/* ---- a row ---- */

/* "NAME (CELLS)": whether the line has that form. */
static bool split_row(tfp_str line, tfp_str *name, tfp_str *cells)
{
    const char *open = line.data;
    if (!line.size || line.data[line.size - 1] != ')') return false;
    do {
        open = memchr(open + 1, '(', line.size - (size_t)(open + 1 - line.data));
    } while (open && !is_blank(open[-1]));
    if (!open) return false;
    *name = trimmed((tfp_str){ line.data, (size_t)(open - line.data) });
    *cells = trimmed((tfp_str){ open + 1, line.size - (size_t)(open - line.data) - 2 });
    return name->size > 0;
}

/* Cells are separated by a comma and a blank. */
static tfp_str next_cell(tfp_str *cells)
{
    const char *comma = cells->size ? memchr(cells->data, ',', cells->size) : NULL;
    size_t at = comma ? tfp_str_find(*cells, TFP_STR(", ")) : SIZE_MAX;
    tfp_str cell = { cells->data, at == SIZE_MAX ? cells->size : at };
    size_t used = at == SIZE_MAX ? cells->size : at + 2;
    cells->data += used;
    cells->size -= used;
    return cell;
}

static bool cut_end(tfp_str *s, tfp_str end)
{
    if (s->size < end.size || memcmp(s->data + s->size - end.size, end.data, end.size) != 0) return false;
    s->size -= end.size;
    return true;
}

typedef struct suffix {
    tfp_str text;
    double times;
    tfp_unit unit;
} suffix;

static bool find_suffix(tfp_str s, double *times, tfp_unit *unit)
{
#define SUFFIX(text, times, unit)                                                                                      \
    {                                                                                                                  \
        { text, sizeof(text) - 1 }, times, unit                                                                        \
    }
    static const suffix suffixes[] = {
        SUFFIX("", 1, TFP_NUMBER),     SUFFIX("k", 1e3, TFP_NUMBER),   SUFFIX("m", 1e6, TFP_NUMBER),
        SUFFIX("b", 1e9, TFP_NUMBER),  SUFFIX("B", 1, TFP_SIZE),       SUFFIX("KB", 1e3, TFP_SIZE),
        SUFFIX("MB", 1e6, TFP_SIZE),   SUFFIX("GB", 1e9, TFP_SIZE),    SUFFIX("us", 1, TFP_MICROS),
        SUFFIX("ms", 1e3, TFP_MICROS), SUFFIX("sec", 1e6, TFP_MICROS),
    };
#undef SUFFIX
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        if (!tfp_str_eq(s, suffixes[i].text)) continue;
        *times = suffixes[i].times;
        *unit = suffixes[i].unit;
        return true;
    }
    return false;
}

/* Reads digits, possibly with a point among them, at the beginning of s. A number with few digits is exact as an integer
 * divided by a power of ten, so the quotient is the nearest double; others are left to strtod. Returns their length, 0:
 * none. */
static size_t read_digits(tfp_str s, double *out)
{
    static const double powers[] = {
        1, 10, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15
    };
    uint64_t n = 0;
    size_t at = 0, digits = 0, behind = 0;
    bool point = false;
    for (; at < s.size; at++) {
        if (s.data[at] == '.' && !point && digits) {
            point = true;
            continue;
        }
        if (s.data[at] < '0' || s.data[at] > '9') break;
        if (digits++ < 15) n = n * 10 + (uint64_t)(s.data[at] - '0');
        behind += point;
    }
    if (!digits || (point && !behind)) return 0;
    if (digits <= 15) {
        *out = (double)n / powers[behind];
        return at;
    }
    char text[400];
    if (at >= sizeof text) return 0;
    memcpy(text, s.data, at);
    text[at] = 0;
    *out = strtod(text, NULL);
    return at;
}

static bool read_number(tfp_str s, double *out, tfp_unit *unit)
{
    bool negative = s.size && s.data[0] == '-';
    double times;
    if (negative) s.data++, s.size--;
    size_t digits = read_digits(s, out);
    if (!digits || !find_suffix((tfp_str){ s.data + digits, s.size - digits }, &times, unit)) return false;
    *out *= negative ? -times : times;
    return true;
}

/* Reads the total of a cell: the text after its last slash; of "runs|definitions" only the first half. */
static bool read_total(tfp_str cell, double *out, tfp_unit *unit)
{
    const char *bar = cell.size ? memchr(cell.data, '|', cell.size) : NULL;
    if (bar) cell.size = (size_t)(bar - cell.data);
    return read_number(trimmed(tfp_str_last_part(cell)), out, unit);
}

static bool is_occurrence(tfp_str cell)
{
    bool starts = cell.size && ((cell.data[0] >= '0' && cell.data[0] <= '9') || cell.data[0] == '-');
    const char *bar = cell.size ? memchr(cell.data, '|', cell.size) : NULL;
    return starts && bar && memchr(cell.data, '/', (size_t)(bar - cell.data));
}

/* Finds the cell of a column. A shape may precede parameters, and labels may precede an occurrence. */
static bool find_cell(int column, tfp_str *cells, tfp_str *cell)
{
    bool more = true;
    tfp_str end = tfp_str_of(tfp_columns[column].text.suffix);
    while (more) {
        more = cells->size > 0;
        *cell = next_cell(cells);
        if (column == TFP_C_OCCURRENCE) {
            if (is_occurrence(*cell)) return true;
        } else if (column != TFP_C_PARAMS) {
            return more && (!end.size || cut_end(cell, end));
        } else if (cut_end(cell, end)) {
            return true;
        }
    }
    return false;
}

static tfp_status read_values(reader *r, tfp_str cells, double *out)
{
    size_t n = 0;
    for (size_t i = 0; i < r->cell_count; i++) {
        tfp_str cell = cells;
        tfp_unit unit;
        const tfp_column *c = &tfp_columns[r->cells[i]];
        if (tfp_value_of(c) < 0) continue;
        if (!find_cell(r->cells[i], &cells, &cell)) return wrong(r, NULL, "fewer values than columns");
        if (!read_total(cell, &out[n++], &unit)) return wrong(r, cell.data, "not a value with a unit, such as 1.50MB");
        if (unit != c->unit) return wrong(r, cell.data, "a value of another unit than its column's");
    }
    bool labels = r->cell_count > r->t->column_count;
    if (cells.size && !labels) return wrong(r, cells.data, "more values than columns");
    return TFP_OK;
}

static bool has_control(tfp_str s)
{
    unsigned bad = 0;
    for (size_t i = 0; i < s.size; i++) bad |= (unsigned char)s.data[i] < ' ';
    return bad != 0;
}

static tfp_status add_row(reader *r, tfp_str name, tfp_str cells)
{
    tfp_scopetext *t = r->t;
    bool root = tfp_str_eq(name, ROOT);
    if (root && t->paths.size) return wrong(r, name.data, "a second tree: one file is one report");
    if (has_control(name)) return wrong(r, name.data, "a control character in a name");
    if (!tfp_reserve(&t->values, t->values.size + t->column_count)) return tfp_nomem(r->err);
    tfp_status s = read_values(r, cells, t->values.at + t->values.size);
    if (s) return s;
    t->values.size += t->column_count;
    return tfp_push(&t->paths, (root ? (tfp_str){ name.data, 0 } : name)) ? TFP_OK : tfp_nomem(r->err);
}

/* ---- what the cells are ---- */

static int column_of_legend(tfp_str legend)
{
    for (int i = 0; i < tfp_column_count; i++)
        if (tfp_columns[i].text.legend && tfp_str_eq(legend, tfp_str_of(tfp_columns[i].text.legend))) return i;
    return -1;
}

static void add_column(reader *r, int column)
{
    r->cells[r->cell_count++] = column;
    if (tfp_value_of(&tfp_columns[column]) >= 0) r->t->columns[r->t->column_count++] = column;
}

/* "node name | requested bytes | # parameters" */
static tfp_status read_legend(reader *r)
{
    tfp_str rest = r->line;
    uint64_t seen = 0;
    r->t->named = true;
    r->cell_count = r->t->column_count = 0;
    for (bool first = true; rest.size; first = false) {
        const char *bar = memchr(rest.data, '|', rest.size);
        size_t size = bar ? (size_t)(bar - rest.data) : rest.size, used = size + (bar != NULL);
        tfp_str legend = trimmed((tfp_str){ rest.data, size });
        /* "op count (run|defined)" contains a bar itself */
        tfp_str whole = { rest.data, rest.size };
        tfp_str runs = tfp_str_of(tfp_columns[TFP_C_OCCURRENCE].text.legend);
        if (tfp_str_begins(trimmed(whole), runs)) {
            legend = runs;
            used = (size_t)(trimmed(whole).data - rest.data) + runs.size;
            if (used < rest.size && rest.data[used] == ' ') used++;
            if (used < rest.size && rest.data[used] == '|') used++;
        }
        int column = first || !legend.size ? -1 : column_of_legend(legend);
        if (!first && legend.size && (column < 0 || (seen >> column & 1)))
            return wrong(r, legend.data, "no column of the scope view, or one twice");
        if (column >= 0) {
            seen |= UINT64_C(1) << column;
            add_column(r, column);
        }
        rest.data += used;
        rest.size -= used;
    }
    return TFP_OK;
}

/* Without legends there is one number, whose unit determines its column. */
static tfp_status guess_column(reader *r, tfp_str cells)
{
    tfp_str cell, last = cells;
    tfp_unit unit;
    double value;
    int column = -1;
    while (cells.size) last = next_cell(&cells);
    cell = last;
    if (is_occurrence(cell))
        column = TFP_C_OCCURRENCE;
    else if (cut_end(&cell, TFP_STR(" params")))
        column = TFP_C_PARAMS;
    else if (cut_end(&cell, TFP_STR(" flops")))
        column = TFP_C_FLOAT_OPS;
    else if (read_total(cell, &value, &unit) && unit != TFP_NUMBER)
        column = unit == TFP_SIZE ? TFP_C_BYTES : TFP_C_MICROS;
    if (column < 0) return wrong(r, last.data, "not a value with a unit, such as 1.50MB");
    add_column(r, column);
    return TFP_OK;
}

/* ---- the file ---- */

static bool is_root(tfp_str line)
{
    tfp_str name = { line.data, line.size < ROOT.size ? line.size : ROOT.size };
    return tfp_str_eq(name, ROOT) && (line.size == ROOT.size || is_blank(line.data[ROOT.size]));
}

static tfp_status find_root(reader *r)
{
    static const char node_name[] = "node name |";
    while (next_line(r)) {
        if (is_root(r->line)) return TFP_OK;
        bool legend =
            r->line.size >= sizeof node_name - 1 && memcmp(r->line.data, node_name, sizeof node_name - 1) == 0;
        tfp_status s = legend ? read_legend(r) : TFP_OK;
        if (s) return s;
    }
    r->line.size = 0;
    return wrong(r, r->at,
                 r->number ? "the text of a scope view has a line that begins with _TFProfRoot, this one ends here"
                           : "empty");
}

/* After the tree anything may follow except more of it: then the line that ended it was no end, and rows would be
 * lost. */
static tfp_status read_end(reader *r)
{
    tfp_str name, cells;
    double values[TFP_COLUMNS_MAX];
    size_t ended = r->number;
    tfp_error *err = r->err;
    while (next_line(r)) {
        if (!split_row(r->line, &name, &cells)) continue;
        r->err = NULL;
        bool row = read_values(r, cells, values) == TFP_OK;
        r->err = err;
        if (!row && !is_root(r->line)) continue;
        char text[96];
        snprintf(text, sizeof text, "a row after the end of the tree, which is line %zu", ended);
        return wrong(r, NULL, is_root(r->line) ? "a second tree: one file is one report" : text);
    }
    return TFP_OK;
}

/* Values of tensors are in brackets on lines of their own. */
static bool is_tensor(const reader *r)
{
    return r->t->named && r->line.size && (r->line.data[0] == '[' || r->line.data[0] == ']');
}

static tfp_status read_tree(reader *r)
{
    tfp_str name, cells;
    tfp_status s;
    if (!split_row(r->line, &name, &cells)) return wrong(r, NULL, "not 'NAME (VALUE, VALUE ...)'");
    if (!r->t->named && (s = guess_column(r, cells))) return s;
    if (!r->t->column_count) return wrong(r, NULL, "no column of numbers");
    do {
        if (is_tensor(r)) continue;
        if (!r->line.size) return read_end(r);
        if (split_row(r->line, &name, &cells)) {
            if ((s = add_row(r, name, cells))) return s;
        } else if (!r->indented && !is_root(r->line)) {
            return read_end(r);
        } else {
            return wrong(r, NULL, "not 'NAME (VALUE, VALUE ...)': cut, or no line of a scope view");
        }
    } while (next_line(r));
    return TFP_OK;
}

tfp_status tfp_scopetext_read(tfp_scopetext *t, tfp_error *err)
{
    reader r = { .t = t, .err = err };
    tfp_status s = tfp_input_all(&t->input, &r.rest, err);
    r.at = r.rest.data;
    if (!s) s = find_root(&r);
    return s ? s : read_tree(&r);
}

bool tfp_scopetext_begins(tfp_str text, bool whole)
{
    reader r = { .rest = text };
    while (next_line(&r))
        if (is_root(r.line) && (whole || r.rest.size)) return true;
    return false;
}

void tfp_scopetext_free(tfp_scopetext *t)
{
    tfp_input_close(&t->input);
    tfp_vec_free(&t->paths);
    tfp_vec_free(&t->values);
    *t = (tfp_scopetext){ 0 };
}
