// SPDX-License-Identifier: Apache-2.0
/* mcp/result.c: writes a report as the result of a call: its rows as values and as text, cut to the size limit of an
 * answer. */
#include "parts.h"

#include <stdio.h>
#include <string.h>

enum { CELL_MOST = 2000, COLUMNS_MOST = 200, NOTES_MOST = 10, NOTE_MOST = 400, ROWS_ROOM = 36000, TEXT_ROOM = 10000 };

/* ---- the command, as a shell takes it ---- */

static void put_word(answer *a, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
    if (*word && strspn(word, plain) == strlen(word)) {
        answer_text(a, word);
        return;
    }
    answer_text(a, "'");
    for (; *word; word++)
        if (*word == '\'')
            answer_text(a, "'\\''");
        else
            answer_add(a, word, 1);
    answer_text(a, "'");
}

static void put_command(answer *a, const mcp_command *c)
{
    answer line = { .status = ANSWER_OK };
    answer_text(&line, "tfprof");
    for (size_t i = 0; i < c->count; i++) {
        answer_text(&line, " ");
        put_word(&line, c->words[i]);
    }
    answer_add(&line, "", 1);
    json_text_lines(a, "command", answer_failed(&line) ? "" : line.data);
    answer_free(&line);
}

/* ---- cells ---- */

/* Cuts at a whole character. */
static void cell_text(const tfp_report *r, size_t row, const char *column, char out[CELL_MOST + 8])
{
    size_t whole = tfp_report_string(r, row, column, out, CELL_MOST);
    if (whole != SIZE_MAX && whole >= CELL_MOST) strcat(out, "\xe2\x80\xa6");
}

static void put_cell(answer *a, const tfp_report *r, size_t row, const char *column)
{
    char text[CELL_MOST + 8];
    int64_t n;
    double x;
    char type = tfp_report_column_type(r, column);
    if (tfp_report_absent(r, row, column)) {
        json_text(a, NULL, NULL);
    } else if (type == 's') {
        cell_text(r, row, column, text);
        json_text_lines(a, NULL, text);
    } else if (type == 'b' && tfp_report_int(r, row, column, &n)) {
        json_bool(a, NULL, n != 0);
    } else if (type == 'i' && tfp_report_int(r, row, column, &n)) {
        json_int(a, NULL, n);
    } else if (tfp_report_real(r, row, column, &x)) {
        json_real(a, NULL, x);
    } else {
        json_text(a, NULL, NULL);
    }
}

/* The same as text. */
static void put_plain_cell(answer *a, const tfp_report *r, size_t row, const char *column)
{
    char text[CELL_MOST + 8] = "";
    int64_t n;
    double x;
    char type = tfp_report_column_type(r, column);
    if (type == 's')
        cell_text(r, row, column, text);
    else if (!tfp_report_absent(r, row, column) && type != 'r' && tfp_report_int(r, row, column, &n))
        snprintf(text, sizeof text, "%lld", (long long)n);
    else if (tfp_report_real(r, row, column, &x))
        snprintf(text, sizeof text, "%.15g", x);
    answer_text(a, text);
}

static void put_plain_row(answer *a, const tfp_report *r, size_t row, size_t columns)
{
    for (size_t i = 0; i < columns; i++) {
        if (i) answer_text(a, " | ");
        if (row == SIZE_MAX)
            answer_text(a, tfp_report_column(r, i));
        else
            put_plain_cell(a, r, row, tfp_report_column(r, i));
    }
    answer_text(a, "\n");
}

/* ---- the result ---- */

typedef struct shown {
    answer rows, text;
    size_t columns, count;
} shown;

static void collect(const mcp_command *c, const tfp_report *r, shown *s)
{
    size_t whole = tfp_report_table_rows(r), in_text = 0;
    while (s->columns < COLUMNS_MOST && tfp_report_column(r, s->columns)) s->columns++;
    put_plain_row(&s->text, r, SIZE_MAX, s->columns);
    json_open(&s->rows, NULL, '[');
    for (; s->count < whole && s->count < (size_t)c->max_rows; s->count++) {
        size_t before = s->rows.size, told = s->text.size;
        json_open(&s->rows, NULL, '[');
        for (size_t i = 0; i < s->columns; i++) put_cell(&s->rows, r, s->count, tfp_report_column(r, i));
        json_close(&s->rows, ']');
        if (s->rows.size > ROWS_ROOM) {
            s->rows.size = before;
            break;
        }
        if (in_text < s->count) continue;
        put_plain_row(&s->text, r, s->count, s->columns);
        if (s->text.size > TEXT_ROOM)
            s->text.size = told;
        else
            in_text++;
    }
    s->rows.comma = false;
    json_close(&s->rows, ']');
    char more[120];
    snprintf(more, sizeof more, "(%zu of %zu rows; structuredContent has %zu)\n", in_text, whole, s->count);
    if (in_text < whole) answer_text(&s->text, more);
    answer_add(&s->rows, "", 1);
    answer_add(&s->text, "", 1);
}

/* Writes the messages from reading the files, one per line, and the report's own notes; then the codes of these
 * notes. */
static void put_notes(answer *a, const tfp_report *r, const char *said)
{
    static const char *const heads[] = { "tfprof: warning: ", "tfprof: note: " };
    const char *note;
    char text[NOTE_MOST];
    json_open(a, "notes", '[');
    for (size_t i = 0; *said && i < NOTES_MOST; i++) {
        size_t n = strcspn(said, "\n");
        for (size_t k = 0; k < sizeof heads / sizeof *heads; k++) {
            size_t head = strlen(heads[k]);
            if (strncmp(said, heads[k], head) != 0) continue;
            said += head;
            n -= head;
        }
        snprintf(text, sizeof text, "%.*s", (int)n, said);
        if (n) json_text(a, NULL, text);
        said += n + (said[n] == '\n');
    }
    for (size_t i = 0; i < NOTES_MOST && (note = tfp_report_note(r, i)); i++) {
        snprintf(text, sizeof text, "%s", note);
        json_text(a, NULL, text);
    }
    json_close(a, ']');
    json_open(a, "note_codes", '[');
    for (size_t i = 0; i < NOTES_MOST && (note = tfp_report_note_code(r, i)); i++) json_text(a, NULL, note);
    json_close(a, ']');
}

static void put_content(answer *a, const char *text)
{
    json_open(a, "content", '[');
    json_open(a, NULL, '{');
    json_text(a, "type", "text");
    json_text_lines(a, "text", text);
    json_close(a, '}');
    json_close(a, ']');
}

void mcp_put_report(const mcp_command *c, const tfp_report *r, const char *said, answer *a)
{
    shown s = { .rows = { .status = ANSWER_OK }, .text = { .status = ANSWER_OK } };
    collect(c, r, &s);
    if (answer_failed(&s.rows) || answer_failed(&s.text)) {
        mcp_put_fault("out of memory", a);
    } else {
        json_open(a, NULL, '{');
        put_content(a, s.text.data);
        json_open(a, "structuredContent", '{');
        put_command(a, c);
        json_open(a, "columns", '[');
        for (size_t i = 0; i < s.columns; i++) json_text(a, NULL, tfp_report_column(r, i));
        json_close(a, ']');
        json_raw(a, "rows", s.rows.data);
        json_int(a, "total_rows", (int64_t)tfp_report_table_rows(r));
        json_bool(a, "truncated", s.count < tfp_report_table_rows(r));
        put_notes(a, r, said);
        json_close(a, '}');
        json_bool(a, "isError", false);
        json_close(a, '}');
    }
    answer_free(&s.rows);
    answer_free(&s.text);
}

void mcp_put_fault(const char *why, answer *a)
{
    json_open(a, NULL, '{');
    put_content(a, why);
    json_bool(a, "isError", true);
    json_close(a, '}');
}
