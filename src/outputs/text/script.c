// SPDX-License-Identifier: Apache-2.0
/* outputs/text/script.c: a comparison in the form of the public script that compared scope files: a head of three or four lines,
 * then a line for each row with three significant digits. Columns other than memory have their own units. */
#include "compare/diff.h"
#include "outputs/core/output.h"
#include "views/core/report.h"
#include "views/core/rows.h"
#include "wire/json.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const units[][3] = {
    [TFP_SIZE] = { "B", "KB", "MB" },
    [TFP_MICROS] = { "us", "ms", "sec" },
    [TFP_NUMBER] = { "", "k", "m" },
    [TFP_LABEL] = { "", "", "" },
};

/* Like put_size for whole numbers, without printf: three digits, ties to even like printf, then the unit. */
static void put_whole(tfp_buf *b, tfp_unit unit, int64_t n)
{
    int64_t step = 1, thousands = 1;
    size_t size = 0;
    while (n / step >= 1000) step *= 10;
    int64_t digits = n / step, rest = n % step;
    if (rest * 2 > step || (rest * 2 == step && digits % 2)) digits++;
    n = digits * step;
    for (; size < 2 && n / thousands >= 1000; size++) thousands *= 1000;
    tfp_buf_int(b, n / thousands);
    rest = n % thousands;
    if (rest) tfp_buf_char(b, '.');
    for (; rest; rest = rest * 10 % thousands) tfp_buf_char(b, (char)('0' + rest * 10 / thousands));
    tfp_buf_text(b, units[unit][size]);
}

/* Rounds to three digits first, then chooses the unit; the largest unit is 10^6. */
static void put_size(tfp_buf *b, tfp_unit unit, double x)
{
    char text[64];
    if (x >= 0 && x < 1e15 && x == floor(x)) {
        put_whole(b, unit, (int64_t)x);
        return;
    }
    snprintf(text, sizeof text, "%.3g", x);
    double n = strtod(text, NULL);
    size_t size = 0;
    for (; size < 2 && n >= 1000; size++) n /= 1000;
    snprintf(text, sizeof text, fabs(n) < 1e40 ? "%.6f" : "%g", n); /* %g: larger than any measured value */
    size_t length = strlen(text);
    if (strchr(text, '.') && !strchr(text, 'e')) {
        while (length && text[length - 1] == '0') length--;
        if (length && text[length - 1] == '.') length--;
    }
    tfp_buf_add(b, text, length);
    tfp_buf_text(b, units[unit][size]);
}

static void put_difference(tfp_buf *b, tfp_unit unit, double x)
{
    tfp_buf_char(b, x < 0 ? '-' : '+');
    put_size(b, unit, fabs(x));
}

/* Python's form of a float: whole numbers with ".0", exponents from 1e16 up and below 1e-4. */
static void put_python(tfp_buf *b, double x)
{
    char text[64];
    int digits = 1;
    do {
        snprintf(text, sizeof text, "%.*e", digits - 1, x);
    } while (strtod(text, NULL) != x && ++digits <= 17);
    int power = (int)strtol(strchr(text, 'e') + 1, NULL, 10);
    if (x != 0 && (power < -4 || power >= 16)) {
        tfp_buf_text(b, text);
        return;
    }
    int behind = digits - 1 - power;
    tfp_buf_printf(b, "%.*f", behind > 1 ? behind : 1, x);
}

/* The word for the numbers in the heading. */
static const char *word_for(tfp_column_id column)
{
    return column == TFP_C_BYTES || tfp_columns[column].unit == TFP_LABEL ? "memory" : tfp_columns[column].name;
}

static void put_head(const tfp_diff_script *s, tfp_buf *b)
{
    const char *word = word_for(s->column);
    tfp_buf_text(b, "Comparing scope files ");
    for (size_t i = 0; i < s->count; i++) {
        tfp_buf_text(b, i ? ", " : "");
        tfp_escape(b, tfp_str_of(s->labels[i]));
        tfp_buf_text(b, " (");
        tfp_escape(b, tfp_str_of(s->names[i]));
        tfp_buf_char(b, ')');
    }
    tfp_buf_text(b, "\n - Showing nodes with minimum size >= ");
    put_size(b, tfp_columns[s->column].unit, s->min_size);
    tfp_buf_printf(b, " and relative difference in %s >= ", word);
    put_python(b, s->delta * 100);
    tfp_buf_printf(b, "%% or such children\n - Showing absolute %s differences %s(", word, word);
    tfp_escape(b, tfp_str_of(s->names[s->to]));
    tfp_buf_printf(b, ") - %s(", word);
    tfp_escape(b, tfp_str_of(s->names[s->from]));
    tfp_buf_printf(b, ") and relative %s differences %s(", word, word);
    tfp_escape(b, tfp_str_of(s->names[s->to]));
    tfp_buf_printf(b, ") / %s(", word);
    tfp_escape(b, tfp_str_of(s->names[s->from]));
    tfp_buf_text(b, ")\n");
    if (s->max_depth > 0) tfp_buf_printf(b, " - Showing nodes up to depth %lld\n", (long long)s->max_depth);
    tfp_buf_char(b, '\n');
}

static void put_row(const tfp_report *r, const tfp_diff_script *s, uint32_t row, tfp_buf *b)
{
    const tfp_row *x = &r->tree->rows.at[row];
    tfp_unit unit = tfp_columns[s->column].unit;
    double to = s->values[s->to][row], from = s->values[s->from][row];
    tfp_buf_fill(b, ' ', 2 * (size_t)x->depth);
    if (row == 0)
        tfp_buf_text(b, "_TfProfRoot"); /* the script's own spelling */
    else
        tfp_escape(b, x->name);
    tfp_buf_text(b, " (");
    for (size_t i = 0, n = 0; i < s->count; i++) {
        if (isnan(s->values[i][row])) continue;
        if (n++) tfp_buf_char(b, ' ');
        tfp_escape(b, tfp_str_of(s->names[i]));
        tfp_buf_char(b, ':');
        put_size(b, unit, s->values[i][row]);
    }
    tfp_buf_text(b, ") ");
    put_difference(b, unit, (isnan(to) ? 0 : to) - (isnan(from) ? 0 : from));
    tfp_buf_char(b, ' ');
    if (!isnan(from) && from != 0) tfp_buf_printf(b, "x%.1f", (isnan(to) ? 0 : to) / from);
    tfp_buf_char(b, '\n');
}

static tfp_status write_script(const tfp_report *r, tfp_sink *s, tfp_error *err)
{
    if (!r->script) return tfp_fail(err, TFP_BADARG, "only diff has a script form, made with -format script");
    put_head(r->script, &s->buf);
    for (uint32_t row = 0; row < r->tree->rows.size && !s->status; row++) {
        put_row(r, r->script, row, &s->buf);
        tfp_sink_flush_if_full(s);
    }
    return TFP_OK;
}

const tfp_output_format tfp_output_script = { "script",
                                              "diff: the lines of the public script that compared scope files.", true,
                                              write_script };
