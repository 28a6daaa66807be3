// SPDX-License-Identifier: Apache-2.0
/* live/record/row.c: a recording as a row of the table, as a row of the manifest, and as a line. */
#include "live/record/capture.h"
#include "views/core/notes.h"
#include "views/core/handle.h"
#include "wire/json.h"

#include <stdio.h>

/* clang-format off */
const tfp_table_column tfp_capture_columns[] = {
    TFP_COLUMN(tfp_capture_row, "target", TEXT, LABEL, target, "As it was selected."),
    TFP_COLUMN(tfp_capture_row, "job", TEXT, LABEL, job, "Number and start time of the job's first process."),
    TFP_COLUMN(tfp_capture_row, "pid", INT, LABEL, pid, "The process."),
    TFP_COLUMN(tfp_capture_row, "framework", TEXT, LABEL, framework, "By the libraries that it has mapped."),
    TFP_COLUMN(tfp_capture_row, "via", TEXT, LABEL, via, "agent, grpc, attach, kineto"),
    TFP_COLUMN(tfp_capture_row, "status", TEXT, LABEL, status, "ok, partial, refused, failed, cancelled"),
    TFP_COLUMN(tfp_capture_row, "code", TEXT, LABEL, code, "Why it is not ok."),
    TFP_COLUMN(tfp_capture_row, "message", TEXT, LABEL, message, "The same as a sentence."),
    TFP_COLUMN(tfp_capture_row, "kind", TEXT, LABEL, kind, "xspace, kineto, tf1"),
    TFP_COLUMN(tfp_capture_row, "file", TEXT, LABEL, file, "Below the folder of results."),
    TFP_COLUMN(tfp_capture_row, "bytes", INT, SIZE, bytes, "Of all its files."),
    TFP_COLUMN(tfp_capture_row, "started_unix_micros", INT, LABEL, started_unix_micros, "When recording began."),
    TFP_COLUMN(tfp_capture_row, "window_micros", INT, MICROS, window_micros, "How long it was."),
    TFP_COLUMN(tfp_capture_row, "stopped_micros", INT, MICROS, stopped_micros, "How long the process was held by ptrace, in all."),
    TFP_COLUMN(tfp_capture_row, "stalled_micros", INT, MICROS, stalled_micros, "The longest time for which the job ran no Python because of the recording: stopped, or in its framework's profiler."),
    TFP_COLUMN(tfp_capture_row, "waited_micros", INT, MICROS, waited_micros, "Time spent waiting for another session to end."),
    TFP_COLUMN(tfp_capture_row, "started_us_late", INT, MICROS, started_us_late, "With --align: how long after the common start the recording began."),
    { NULL, TFP_CELL_INT, TFP_LABEL, 0, NULL, 0 },
};
static const tfp_table_column more[] = { /* columns of the manifest only */
    TFP_COLUMN(tfp_capture_row, "user", TEXT, LABEL, user, NULL),
    TFP_COLUMN(tfp_capture_row, "version", TEXT, LABEL, version, NULL),
    TFP_COLUMN(tfp_capture_row, "command", TEXT, LABEL, command, NULL),
    TFP_COLUMN(tfp_capture_row, "start_ticks", INT, LABEL, start_ticks, NULL),
    { NULL, TFP_CELL_INT, TFP_LABEL, 0, NULL, 0 },
};
/* clang-format on */

static void put_columns(tfp_json *j, const tfp_table_column *list, const tfp_capture_row *row)
{
    for (const tfp_table_column *c = list; c->name; c++) {
        const char *field = (const char *)row + c->offset;
        tfp_json_key(j, c->name);
        if (c->type == TFP_CELL_TEXT) {
            const tfp_str *text = (const tfp_str *)field;
            if (text->data)
                tfp_json_str(j, *text);
            else
                tfp_json_null(j);
        } else {
            const int64_t *n = (const int64_t *)field;
            if (*n != TFP_ABSENT)
                tfp_json_int(j, *n);
            else
                tfp_json_null(j);
        }
    }
}

static void put_json(tfp_json *j, const tfp_capture_row *row, bool manifest)
{
    int64_t rank;
    tfp_json_open(j, '{');
    put_columns(j, tfp_capture_columns, row);
    if (manifest) put_columns(j, more, row);
    if (manifest && row->rank.data && tfp_parse_int64(row->rank, &rank)) { tfp_json_int_at(j, "rank", rank); }
    tfp_json_close(j, '}');
}

static const char *text_of(tfp_str s) { return s.data ? s.data : "-"; }

static void put_line(tfp_buf *b, const tfp_capture_row *row, int64_t took_ns)
{
    char pid[24];
    tfp_buf bytes = { 0 };
    snprintf(pid, sizeof pid, "%lld", (long long)row->pid);
    if (row->bytes != TFP_ABSENT) tfp_format_amount(&bytes, TFP_SIZE, row->bytes);
    tfp_buf_char(&bytes, 0);
    tfp_buf_printf(b, "%-7s  %-10s  %-5s  %-9s  %6.2fs  %9s  ", row->pid == TFP_ABSENT ? text_of(row->target) : pid,
                   text_of(row->framework), text_of(row->via), text_of(row->status), (double)took_ns / 1e9,
                   !bytes.failed && *bytes.data ? bytes.data : "-");
    tfp_buf_free(&bytes);
    if (!row->code.data && row->file.data) tfp_escape(b, row->file);
    if (row->code.data) tfp_buf_printf(b, "%s: ", row->code.data);
    if (!row->code.data && row->message.data) tfp_buf_text(b, ": ");
    if (row->message.data) tfp_escape(b, row->message);
}

void tfp_capture_tell(tfp_capture *c, const tfp_session *s)
{
    tfp_buf line = { 0 }, json = { 0 };
    tfp_json j = tfp_json_start(&json);
    put_line(&line, &s->row, s->times.begun_ns ? tfp_now_ns() - s->times.begun_ns : 0);
    put_json(&j, &s->row, false);
    tfp_buf_char(&line, 0);
    tfp_buf_char(&json, 0);
    if (line.failed || json.failed)
        c->nomem = true;
    else if (c->fn && c->fn(c->ctx, NULL, line.data, json.data))
        c->cancelled = true;
    tfp_buf_free(&line);
    tfp_buf_free(&json);
}

tfp_status tfp_capture_manifest(tfp_capture *c, tfp_error *err)
{
    tfp_buf rows = { 0 };
    tfp_json j = tfp_json_start(&rows);
    for (size_t i = 0; i < c->sessions.size; i++) {
        tfp_capture_row row = c->sessions.at[i]->row;
        if (c->live->no_commands) row.command = row.message = (tfp_str){ NULL, 0 };
        put_json(&j, &row, true);
    }
    tfp_manifest m = { &c->results,
                       c->started_unix_micros,
                       c->settings->steps || c->settings->snapshot || c->settings->recorder ? -1 : c->settings->ms,
                       c->settings->steps ? c->settings->steps : -1,
                       { rows.data, rows.size },
                       c->notes.at,
                       c->notes.size };
    tfp_status s = rows.failed ? tfp_nomem(err) : tfp_manifest_write(&m, err);
    tfp_buf_free(&rows);
    return s;
}

static bool keep_text(tfp_report *r, tfp_str *text)
{
    if (!text->data) return true;
    text->data = tfp_arena_copy(tfp_arena_of(r), *text);
    return text->data != NULL;
}

tfp_status tfp_capture_table(tfp_capture *c, tfp_report *r, tfp_error *err)
{
    tfp_capture_row *rows = TFP_NEW(tfp_arena_of(r), tfp_capture_row, c->sessions.size + 1);
    if (!rows) return tfp_nomem(err);
    for (size_t i = 0; i < c->sessions.size; i++) {
        rows[i] = c->sessions.at[i]->row;
        /* the message may contain a line of the job's source */
        if (c->live->no_commands) rows[i].message = (tfp_str){ NULL, 0 };
        for (const tfp_table_column *k = tfp_capture_columns; k->name; k++)
            if (k->type == TFP_CELL_TEXT && !keep_text(r, (tfp_str *)((char *)&rows[i] + k->offset)))
                return tfp_nomem(err);
    }
    for (size_t i = 0; i < c->notes.size; i++)
        if (tfp_report_note_add(r, TFP_NOTE_RECORDING, err, "%s", c->notes.at[i])) return tfp_nomem(err);
    return tfp_grid_of(r, &(tfp_row_table){ tfp_capture_columns, rows, sizeof *rows, c->sessions.size, 0 }, err);
}
