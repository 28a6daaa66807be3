// SPDX-License-Identifier: Apache-2.0
/* compare/gate/baseline.c: the numbers of one side as a small file for a repository: JSON with a line for each row, so that a
 * review shows what changed.
 *
 *     {"tfprof_baseline": 1,
 *      "runs": ["a.json.gz", "b.json.gz"],
 *      "rows": [
 *       {"measure": "step", "name": "step", "values": [1203.5, 1198.25]},
 *       {"measure": "float_ops", "name": "aten::mm", "same": 524288}]}
 *
 * `same` stands for a value that every run has; null in `values` for a run without the row. `tfprof gate calibrate` adds
 * "false_alarms" at the top, which is read, and a "limit" to rows for people, which is not. */
#include "compare/gate/gate.h"
#include "wire/json.h"
#include "wire/jsonscan.h"

#include <stdlib.h>
#include <string.h>

enum { VERSION = 1 };
#define MARK "tfprof_baseline"
#define RATE "false_alarms"

/* ---- writing ---- */

static bool is_same(const tfp_gate_runs *g, const tfp_gate_row *row)
{
    for (size_t i = 0; i < g->runs.size; i++)
        if (tfp_gate_value(row, i) != tfp_gate_value(row, 0)) return false;
    return g->runs.size > 0; /* for a run without the row the value is NAN, which equals nothing */
}

static void write_row(const tfp_gate_runs *g, const tfp_gate_row *row, tfp_json *j)
{
    bool same = is_same(g, row);
    tfp_json_open(j, '{');
    tfp_json_text_at(j, "measure", tfp_measures[row->measure].name);
    tfp_json_str_at(j, "name", tfp_strtab_get(&g->names, row->name));
    tfp_json_key(j, same ? "same" : "values");
    if (!same) tfp_json_open(j, '[');
    for (size_t i = 0; i < (same ? 1 : g->runs.size); i++) {
        double value = tfp_gate_value(row, i);
        if (isnan(value))
            tfp_json_null(j);
        else
            tfp_json_double(j, value);
    }
    if (!same) tfp_json_close(j, ']');
    if (row->limit > 0) {
        tfp_json_key(j, "limit");
        tfp_json_double(j, row->limit);
    }
    tfp_json_close(j, '}');
}

void tfp_gate_write(const tfp_gate_runs *g, tfp_buf *out)
{
    tfp_json j = tfp_json_start(out);
    tfp_json_open(&j, '{');
    tfp_json_key(&j, MARK);
    tfp_json_int(&j, VERSION);
    if (g->rate > 0) {
        tfp_json_key(&j, RATE);
        tfp_json_double(&j, g->rate);
    }
    tfp_json_key(&j, "runs");
    tfp_json_open(&j, '[');
    for (size_t i = 0; i < g->runs.size; i++) tfp_json_str(&j, tfp_strtab_get(&g->names, g->runs.at[i]));
    tfp_json_close(&j, ']');
    tfp_json_key(&j, "rows");
    tfp_json_open(&j, '[');
    for (size_t i = 0; i < g->rows.size; i++) {
        if (i) tfp_buf_char(out, ',');
        tfp_buf_char(out, '\n');
        j.comma = false;
        write_row(g, &g->rows.at[i], &j);
    }
    tfp_json_close(&j, ']');
    tfp_json_close(&j, '}');
    tfp_buf_char(out, '\n');
}

/* ---- reading ---- */

bool tfp_gate_is_baseline(tfp_str text)
{
    tfp_jscan j = tfp_jscan_start(text);
    tfp_jscan_text key;
    return tfp_jscan_peek(&j) == '{' && tfp_jscan_take(&j, '{', "") && tfp_jscan_member(&j, true, &key) &&
           tfp_str_eq(key.raw, TFP_STR(MARK));
}

typedef struct reader {
    tfp_jscan scan;
    tfp_gate_runs *g;
    const char *start;
    size_t first, count; /* the range of this file's runs among all runs */
    tfp_buf name;
} reader;

static tfp_status fault(const reader *x, const char *what, tfp_error *err)
{
    const char *why = what ? what : x->scan.wrong;
    if (!what && x->scan.fault == TFP_JSCAN_MORE) why = "the text ends too early";
    return tfp_fail(err, TFP_BADFILE, "%s at byte %zu", why, (size_t)(x->scan.at - x->start));
}

static bool is_key(tfp_jscan_text key, const char *name) { return tfp_str_eq(key.raw, tfp_str_of(name)); }

static tfp_status take_string(reader *x, tfp_str *out, tfp_error *err)
{
    tfp_jscan_text text;
    x->name.size = 0;
    if (!tfp_jscan_string(&x->scan, &text)) return fault(x, x->scan.fault ? NULL : "no string", err);
    tfp_jscan_decode(text.raw, &x->name);
    if (x->name.failed) return tfp_nomem(err);
    *out = (tfp_str){ x->name.data ? x->name.data : "", x->name.size };
    return TFP_OK;
}

/* A number, or null: NAN. */
static tfp_status take_value(reader *x, double *out, tfp_error *err)
{
    tfp_jscan_value v = { 0 };
    tfp_jscan_value_of(&x->scan, &v);
    if (x->scan.fault) return fault(x, NULL, err);
    *out = v.kind == TFP_JSCAN_INT ? (double)v.number : v.kind == TFP_JSCAN_REAL ? v.real : NAN;
    bool number = (v.kind == TFP_JSCAN_INT || v.kind == TFP_JSCAN_REAL) && isfinite(*out) && *out >= 0;
    return number || v.kind == TFP_JSCAN_NULL ? TFP_OK : fault(x, "no number of 0 or more before it", err);
}

static tfp_status take_runs(reader *x, tfp_error *err)
{
    tfp_status s = TFP_OK;
    tfp_str name;
    if (x->count) return fault(x, "runs are listed twice", err);
    x->first = x->g->runs.size;
    if (!tfp_jscan_take(&x->scan, '[', "no list of runs")) return fault(x, NULL, err);
    for (bool first = true; !s && tfp_jscan_item(&x->scan, first); first = false) {
        if (!(s = take_string(x, &name, err))) s = tfp_gate_run_add(x->g, name, err);
        x->count++;
    }
    return s ? s : x->scan.fault ? fault(x, NULL, err) : TFP_OK;
}

/* ---- one row ---- */

typedef struct row {
    tfp_measure measure;
    char *name;
    size_t name_size, count;
    double *values; /* room for the values of all runs of the file */
} row;

static tfp_status take_values(reader *x, row *r, bool same, tfp_error *err)
{
    tfp_status s = TFP_OK;
    if (r->count) return fault(x, "a row has its values twice", err);
    if (same) {
        if ((s = take_value(x, &r->values[0], err))) return s;
        for (r->count = 1; r->count < x->count; r->count++) r->values[r->count] = r->values[0];
        return TFP_OK;
    }
    if (!tfp_jscan_take(&x->scan, '[', "no list of values")) return fault(x, NULL, err);
    for (bool first = true; !s && tfp_jscan_item(&x->scan, first); first = false) {
        if (r->count == x->count) return fault(x, "more values than runs", err);
        s = take_value(x, &r->values[r->count++], err);
    }
    return s ? s : x->scan.fault ? fault(x, NULL, err) : TFP_OK;
}

static tfp_status take_name(reader *x, row *r, tfp_error *err)
{
    tfp_str name;
    tfp_status s = take_string(x, &name, err);
    if (s) return s;
    free(r->name);
    r->name = malloc(name.size + 1);
    if (!r->name) return tfp_nomem(err);
    if (name.size) memcpy(r->name, name.data, name.size);
    r->name_size = name.size;
    return TFP_OK;
}

/* Members and measures that only a newer tfprof knows are skipped. */
static tfp_status take_member(reader *x, row *r, tfp_jscan_text key, tfp_error *err)
{
    tfp_str text;
    tfp_status s = TFP_OK;
    if (is_key(key, "measure")) {
        s = take_string(x, &text, err);
        if (!s) r->measure = tfp_measure_find(text);
    } else if (is_key(key, "name")) {
        s = take_name(x, r, err);
    } else if (is_key(key, "values") || is_key(key, "same")) {
        s = take_values(x, r, is_key(key, "same"), err);
    } else {
        tfp_jscan_skip(&x->scan);
    }
    return s;
}

static tfp_status keep_row(reader *x, const row *r, tfp_error *err)
{
    tfp_str name = { r->name, r->name_size };
    tfp_status s = TFP_OK;
    if (!r->name || !r->count) return fault(x, "a row without name or values before it", err);
    if (r->measure == TFP_M_COUNT) return TFP_OK;
    const tfp_gate_row *there = tfp_gate_row_find(x->g, r->measure, name);
    if (there && there->values.size > x->first) return fault(x, "a row that was there before ends", err);
    for (size_t i = 0; i < r->count && !s; i++)
        s = tfp_gate_put(x->g, x->first + i, r->measure, name, r->values[i], err);
    return s;
}

static tfp_status take_row(reader *x, double *room, tfp_error *err)
{
    row r = { .measure = TFP_M_COUNT, .values = room };
    tfp_jscan_text key;
    tfp_status s = TFP_OK;
    if (!tfp_jscan_take(&x->scan, '{', "no row")) return fault(x, NULL, err);
    for (bool first = true; !s && tfp_jscan_member(&x->scan, first, &key); first = false)
        s = take_member(x, &r, key, err);
    if (!s && x->scan.fault) s = fault(x, NULL, err);
    if (!s) s = keep_row(x, &r, err);
    free(r.name);
    return s;
}

static tfp_status take_rows(reader *x, tfp_error *err)
{
    tfp_status s = TFP_OK;
    if (!x->count) return fault(x, "rows come before any run", err);
    double *room = malloc(x->count * sizeof *room);
    if (!room) return tfp_nomem(err);
    if (!tfp_jscan_take(&x->scan, '[', "no list of rows")) s = fault(x, NULL, err);
    for (bool first = true; !s && tfp_jscan_item(&x->scan, first); first = false) s = take_row(x, room, err);
    if (!s && x->scan.fault) s = fault(x, NULL, err);
    free(room);
    return s;
}

/* ---- the file ---- */

static tfp_status take_version(reader *x, tfp_error *err)
{
    int64_t version = 0;
    if (!tfp_jscan_integer(&x->scan, &version)) return fault(x, x->scan.fault ? NULL : "no version of the format", err);
    if (version == VERSION) return TFP_OK;
    return tfp_fail(err, TFP_BADFILE, "a baseline of version %lld; this tfprof reads version %d", (long long)version,
                    VERSION);
}

static tfp_status take_all(reader *x, tfp_error *err)
{
    tfp_jscan_text key;
    tfp_status s = TFP_OK;
    if (!tfp_jscan_take(&x->scan, '{', "no object")) return fault(x, NULL, err);
    for (bool first = true; !s && tfp_jscan_member(&x->scan, first, &key); first = false) {
        if (is_key(key, MARK))
            s = take_version(x, err);
        else if (is_key(key, "runs"))
            s = take_runs(x, err);
        else if (is_key(key, "rows"))
            s = take_rows(x, err);
        else if (is_key(key, RATE))
            s = take_value(x, &x->g->rate, err);
        else
            tfp_jscan_skip(&x->scan);
    }
    if (!s && x->scan.fault) s = fault(x, NULL, err);
    if (!s && !x->count) s = fault(x, "no runs", err);
    return s;
}

tfp_status tfp_gate_read(tfp_gate_runs *g, tfp_str text, tfp_error *err)
{
    reader x = { .scan = tfp_jscan_start(text), .g = g, .start = text.data };
    tfp_status s = take_all(&x, err);
    if (!s && (size_t)(x.scan.at - x.start) < text.size && tfp_jscan_blanks(&x.scan))
        s = fault(&x, "more after the end", err);
    tfp_buf_free(&x.name);
    return s;
}
