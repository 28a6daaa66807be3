// SPDX-License-Identifier: Apache-2.0
/* watch/store/show.c: rows of watch's tables as a report, as JSON, and as a line for people. */
#include "watch/store/show.h"
#include "fleet/rows.h"
#include "views/core/grid.h"
#include "views/core/handle.h"
#include "views/core/notes.h"
#include "wire/json.h"

#include <math.h>
#include <stdio.h>

bool watch_rows_start(watch_rows *r, tfp_watch_table_id table)
{
    *r = (watch_rows){ .table = table };
    return tfp_texts_start(&r->texts);
}

void watch_rows_free(watch_rows *r)
{
    free(r->at);
    tfp_map64_free(&r->by_key);
    tfp_texts_free(&r->texts);
    *r = (watch_rows){ 0 };
}

static uint64_t key_of(tfp_watch_table_id table, const void *row)
{
    const tfp_watch_finding *f = row;
    const tfp_watch_job *j = row;
    if (table == TFP_WATCH_JOBS) return tfp_hash(j->run.data ? j->run.data : "", j->run.size);
    uint64_t parts[3] = { tfp_hash(f->run.data ? f->run.data : "", f->run.size),
                          tfp_hash(f->kind.data ? f->kind.data : "", f->kind.size), (uint64_t)f->since };
    return tfp_hash(parts, sizeof parts);
}

bool watch_rows_add(watch_rows *r, const void *row)
{
    const tfp_watch_schema *t = &tfp_watch_tables[r->table];
    uint64_t key = r->table == TFP_WATCH_STEPS ? 0 : key_of(r->table, row);
    uint32_t at = r->table == TFP_WATCH_STEPS ? TFP_NONE : tfp_map64_get(&r->by_key, key);
    if (at == TFP_NONE) {
        if (r->size == r->capacity && !tfp_grow((void **)&r->at, &r->capacity, r->size + 1, t->row_size)) return false;
        at = (uint32_t)r->size++;
        if (r->table != TFP_WATCH_STEPS && !tfp_map64_put(&r->by_key, key, at)) return false;
    }
    char *to = r->at + at * t->row_size;
    memcpy(to, row, t->row_size);
    for (const tfp_table_column *c = t->columns; c->name; c++) {
        tfp_str text;
        if (c->type != TFP_CELL_TEXT) continue;
        memcpy(&text, to + c->offset, sizeof text);
        if (!text.data) continue;
        tfp_strid id = tfp_intern(&r->texts.table, text);
        if (id == TFP_NONE) return false;
        text = tfp_strtab_get(&r->texts.table, id);
        memcpy(to + c->offset, &text, sizeof text);
    }
    return true;
}

/* ---- a report ---- */

static bool is_text(tfp_cell_type type)
{
    return type == TFP_CELL_TEXT || type == TFP_CELL_DATE || type == TFP_CELL_TIME;
}

static bool put_cell(tfp_report *r, tfp_table_column *out, const tfp_table_column *from, const char *row, size_t at)
{
    tfp_str text;
    int64_t number;
    memcpy(&number, row + from->offset, sizeof number);
    if (from->type == TFP_CELL_REAL) {
        memcpy(&out->reals[at], row + from->offset, sizeof(double));
        out->absent[at] = isnan(out->reals[at]);
    } else if (from->type == TFP_CELL_INT) {
        out->ints[at] = number;
        out->absent[at] = number == TFP_ABSENT;
    } else {
        char time[TFP_TIME_TEXT];
        memcpy(&text, row + from->offset, from->type == TFP_CELL_TEXT ? sizeof text : 0);
        if (from->type != TFP_CELL_TEXT)
            text = number == TFP_ABSENT ? (tfp_str){ NULL, 0 } : tfp_fleet_time(from->type, number, true, time);
        out->absent[at] = !text.data;
        out->texts[at] = TFP_STR("");
        if (!text.data) return true;
        out->texts[at] = (tfp_str){ tfp_arena_copy(tfp_arena_of(r), text), text.size };
        return out->texts[at].data != NULL;
    }
    return true;
}

tfp_status watch_rows_show(const watch_rows *rows, tfp_watch_table_id table, tfp_report *r, tfp_error *err)
{
    const tfp_watch_schema *t = &tfp_watch_tables[table];
    tfp_grid *g = tfp_table_of(r);
    size_t count = rows ? rows->size : 0;
    bool ok = true;
    for (size_t i = 0; i < t->count && ok; i++) {
        tfp_table_column c = t->columns[i];
        if (is_text(c.type)) c.type = TFP_CELL_TEXT;
        ok = tfp_column_room(&c, tfp_arena_of(r), count + 1) && tfp_push(&g->columns, c);
        for (size_t k = 0; k < count && ok; k++)
            ok = put_cell(r, &g->columns.at[i], &t->columns[i], rows->at + k * t->row_size, k);
    }
    g->row_count = count;
    return ok ? tfp_grid_arrange(r, err) : tfp_nomem(err);
}

tfp_status watch_show_notes(tfp_report *r, tfp_buf *notes, tfp_error *err)
{
    tfp_buf_char(notes, '\0');
    if (notes->failed) return tfp_nomem(err);
    for (char *at = notes->data; *at; at += strcspn(at, "\n"), at += *at == '\n')
        if (tfp_report_note_add(r, TFP_NOTE_RECORDING, err, "%.*s", (int)strcspn(at, "\n"), at)) return tfp_nomem(err);
    return TFP_OK;
}

bool watch_show_verdict(tfp_report *r, tfp_report *hang)
{
    tfp_str text = tfp_fact_last(hang)->text; /* its only fact */
    const char *copy = tfp_arena_copy(tfp_arena_of(r), text);
    bool fine = tfp_str_begins(text, TFP_STR("nothing hangs")) || tfp_str_begins(text, TFP_STR("unknown"));
    return copy && tfp_fact_text(r, "finding", "finding", fine ? (tfp_str){ NULL, 0 } : TFP_STR("hang")) &&
           tfp_fact_text(r, "verdict", "verdict", (tfp_str){ copy, text.size });
}

/* ---- JSON and text ---- */

void watch_row_json(tfp_watch_table_id table, const void *row, const char *head, tfp_buf *out)
{
    tfp_json j = tfp_json_start(out);
    tfp_json_open(&j, '{');
    if (head) tfp_json_text_at(&j, "schema", head);
    for (const tfp_table_column *c = tfp_watch_tables[table].columns; c->name; c++) {
        const char *field = (const char *)row + c->offset;
        int64_t number;
        double real;
        tfp_str text;
        char time[TFP_TIME_TEXT];
        memcpy(&number, field, sizeof number);
        memcpy(&real, field, sizeof real);
        tfp_json_key(&j, c->name);
        if (c->type == TFP_CELL_TEXT) {
            memcpy(&text, field, sizeof text);
            text.data ? tfp_json_str(&j, text) : tfp_json_null(&j);
        } else if (c->type == TFP_CELL_REAL ? isnan(real) : number == TFP_ABSENT) {
            tfp_json_null(&j);
        } else if (c->type == TFP_CELL_REAL) {
            tfp_json_double(&j, real);
        } else if (c->type == TFP_CELL_INT) {
            tfp_json_int(&j, number);
        } else {
            text = tfp_fleet_time(c->type, number, true, time);
            text.data ? tfp_json_str(&j, text) : tfp_json_null(&j);
        }
    }
    tfp_json_close(&j, '}');
}

void watch_finding_line(const tfp_watch_finding *f, tfp_buf *out)
{
    char time[TFP_TIME_TEXT];
    tfp_str when = tfp_fleet_time(TFP_CELL_TIME, f->ended != TFP_ABSENT ? f->ended : f->found, false, time);
    tfp_buf_str(out, when.data ? when : TFP_STR("-"));
    tfp_buf_char(out, ' ');
    tfp_escape(out, f->job);
    tfp_buf_text(out, ": ");
    if (f->rank != TFP_ABSENT) tfp_buf_printf(out, "rank %lld: ", (long long)f->rank);
    tfp_escape(out, f->kind);
    if (f->ended != TFP_ABSENT) tfp_buf_text(out, " has ended");
    if (f->cause.size) tfp_buf_printf(out, " (%.*s)", (int)f->cause.size, f->cause.data);
    if (f->line.size) {
        tfp_buf_text(out, " at ");
        tfp_escape(out, f->line);
    }
    if (f->evidence.size) {
        tfp_buf_text(out, ": ");
        tfp_escape(out, f->evidence);
    }
}
