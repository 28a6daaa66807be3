// SPDX-License-Identifier: Apache-2.0
/* fleet/list/words.c: the filter of a list of runs: NAME=VALUE, NAME<VALUE and NAME>VALUE test a column; any other word must occur in some
 * text of the run, ignoring case. */
#include "fleet/identity.h"
#include "fleet/list/list.h"

#include <math.h>
#include <stdio.h>

#define RUNS (&tfp_fleet_tables[TFP_FLEET_RUNS])
#define DAY_US 86400000000.0

/* The column that a word begins with; SIZE_MAX: none. *end: index after its name. */
static size_t column_of(tfp_str word, size_t *end)
{
    *end = 0;
    while (*end < word.size && !strchr("=<>", word.data[*end])) ++*end;
    for (size_t i = 0; *end < word.size && i < RUNS->count; i++)
        if (tfp_str_eq(tfp_str_of(RUNS->columns[i].name), (tfp_str){ word.data, *end })) return i;
    return SIZE_MAX;
}

static bool number_of(tfp_str text, double *out)
{
    char copy[64], *end;
    if (tfp_str_eq(text, TFP_STR("true")) || tfp_str_eq(text, TFP_STR("false"))) {
        *out = text.data[0] == 't';
        return true;
    }
    if (!text.size || text.size >= sizeof copy) return false;
    memcpy(copy, text.data, text.size);
    copy[text.size] = '\0';
    *out = strtod(copy, &end);
    return !*end && isfinite(*out);
}

static bool value_of(tfp_cell_type type, tfp_str text, double *out)
{
    int64_t days;
    if (type == TFP_CELL_TEXT) return true;
    if (type != TFP_CELL_DATE && type != TFP_CELL_TIME) return number_of(text, out);
    if (!tfp_fleet_date(text, &days)) return false;
    *out = (double)days * (type == TFP_CELL_TIME ? DAY_US : 1);
    return true;
}

static tfp_status wrong(const tfp_run_word *w, tfp_error *err)
{
    const tfp_table_column *c = &RUNS->columns[w->column];
    bool day = c->type == TFP_CELL_DATE || c->type == TFP_CELL_TIME;
    return tfp_fail(err, TFP_BADARG, "filter '%s%c%.*s': the value must be %s", c->name, w->compare,
                    (int)(w->text.size < 60 ? w->text.size : 60), w->text.data,
                    day ? "a date, such as 2026-11-24" : "a number");
}

static tfp_status add_word(tfp_str word, tfp_run_words *out, tfp_error *err)
{
    size_t end;
    tfp_run_word w = { .column = column_of(word, &end), .text = word };
    if (w.column != SIZE_MAX) {
        w.compare = word.data[end];
        w.text = (tfp_str){ word.data + end + 1, word.size - end - 1 };
        bool absent = w.compare == '=' && !w.text.size;
        if (!absent && !value_of(RUNS->columns[w.column].type, w.text, &w.number)) return wrong(&w, err);
    }
    return tfp_push(out, w) ? TFP_OK : tfp_nomem(err);
}

tfp_status tfp_run_words_of(tfp_str text, tfp_run_words *out, tfp_error *err)
{
    tfp_status s = TFP_OK;
    for (size_t at = 0, end; at < text.size && !s; at = end) {
        while (at < text.size && (unsigned char)text.data[at] <= ' ') at++;
        for (end = at; end < text.size && (unsigned char)text.data[end] > ' ';) end++;
        if (end > at) s = add_word((tfp_str){ text.data + at, end - at }, out, err);
    }
    return s;
}

void tfp_run_words_mark(const tfp_run_words *words, bool *wanted)
{
    for (size_t w = 0; w < words->size; w++)
        for (size_t i = 0; i < RUNS->count; i++)
            if (words->at[w].column == SIZE_MAX ? RUNS->columns[i].type == TFP_CELL_TEXT : words->at[w].column == i)
                wanted[i] = true;
}

/* ---- a run ---- */

static bool any_text_has(const tfp_batch *b, size_t row, tfp_str text)
{
    for (size_t c = 0; c < b->column_count; c++) {
        const tfp_table_column *column = &b->columns[c];
        if (column->type == TFP_CELL_TEXT && !column->absent[row] &&
            tfp_str_has_caseless(tfp_cell_text(b, column->cells[row]), text))
            return true;
    }
    return false;
}

/* A time is equal to a day if it is within that day. */
static int order_of(const tfp_table_column *c, size_t row, double wanted)
{
    double x = c->type == TFP_CELL_REAL ? tfp_cell_real(c->cells[row]) : (double)(int64_t)c->cells[row];
    if (c->type == TFP_CELL_TIME && x >= wanted && x < wanted + DAY_US) return 0;
    return (x > wanted) - (x < wanted);
}

static bool word_fits(const tfp_run_word *w, const tfp_batch *b, const size_t *place, size_t row)
{
    if (w->column == SIZE_MAX) return any_text_has(b, row, w->text);
    const tfp_table_column *c = &b->columns[place[w->column]];
    if (w->compare == '=' && !w->text.size) return c->absent[row];
    if (c->absent[row]) return false;
    int order =
        c->type == TFP_CELL_TEXT ? tfp_str_cmp(tfp_cell_text(b, c->cells[row]), w->text) : order_of(c, row, w->number);
    return w->compare == '=' ? order == 0 : w->compare == '<' ? order < 0 : order > 0;
}

bool tfp_run_fits(const tfp_run_words *words, const tfp_batch *b, const size_t *place, size_t row)
{
    bool fits = true;
    for (size_t i = 0; i < words->size && fits; i++) fits = word_fits(&words->at[i], b, place, row);
    return fits;
}
