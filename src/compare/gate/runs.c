// SPDX-License-Identifier: Apache-2.0
/* compare/gate/runs.c: the numbers of several runs: one row per name and measure, one value per run. */
#include "compare/gate/gate.h"
#include "compare/stats.h"
#include "options/columns.h"
#include "views/core/notes.h"
#include "views/core/handle.h"

enum { RUNS_MOST = 1000 };
#define VALUES_MOST ((size_t)4 << 20) /* 32 MB */

/* clang-format off */
const tfp_measure_about tfp_measures[TFP_M_COUNT] = {
    [TFP_M_STEP]       = { "step",       "us",    -1,               false },
    [TFP_M_PART]       = { "part",       "us",    -1,               false },
    [TFP_M_OP]         = { "op",         "us",    TFP_C_MICROS,     false },
    [TFP_M_LINE]       = { "line",       "us",    -1,               false },
    [TFP_M_LAUNCHES]   = { "launches",   "count", -1,               true },
    [TFP_M_CALLS]      = { "calls",      "count", TFP_C_OCCURRENCE, true },
    [TFP_M_FLOAT_OPS]  = { "float_ops",  "count", TFP_C_FLOAT_OPS,  true },
    [TFP_M_BYTES]      = { "bytes",      "bytes", TFP_C_BYTES,      true },
    [TFP_M_PEAK_BYTES] = { "peak_bytes", "bytes", TFP_C_PEAK_BYTES, true },
    [TFP_M_PARAMS]     = { "params",     "count", TFP_C_PARAMS,     true },
};
/* clang-format on */

tfp_measure tfp_measure_find(tfp_str name)
{
    int m = 0;
    while (m < TFP_M_COUNT && !tfp_str_eq(name, tfp_str_of(tfp_measures[m].name))) m++;
    return (tfp_measure)m;
}

tfp_status tfp_gate_runs_init(tfp_gate_runs *g, tfp_error *err)
{
    *g = (tfp_gate_runs){ 0 };
    return tfp_strtab_init(&g->names, &g->arena) ? tfp_nomem(err) : TFP_OK;
}

void tfp_gate_runs_free(tfp_gate_runs *g)
{
    for (size_t i = 0; i < g->rows.size; i++) tfp_vec_free(&g->rows.at[i].values);
    tfp_vec_free(&g->rows);
    tfp_vec_free(&g->runs);
    tfp_vec_free(&g->doubts);
    tfp_map64_free(&g->places);
    tfp_strtab_free(&g->names);
    tfp_arena_free(&g->arena);
}

tfp_status tfp_gate_run_add(tfp_gate_runs *g, tfp_str name, tfp_error *err)
{
    if (g->runs.size >= RUNS_MOST) return tfp_fail(err, TFP_LIMIT, "more than %d runs on a side", RUNS_MOST);
    tfp_strid id = tfp_intern(&g->names, name);
    return id != TFP_NONE && tfp_push(&g->runs, id) ? TFP_OK : tfp_nomem(err);
}

tfp_status tfp_gate_take_doubts(tfp_gate_runs *g, const tfp_report *r, tfp_error *err)
{
    tfp_str run = tfp_strtab_get(&g->names, g->runs.at[g->runs.size - 1]);
    tfp_buf text = { 0 };
    bool ok = true;
    const tfp_note *note;
    for (size_t i = 0; ok && (note = tfp_report_note_at(r, i)); i++) {
        if (note->code != TFP_NOTE_DOUBT) continue;
        text.size = 0;
        tfp_buf_str(&text, run);
        tfp_buf_printf(&text, ": %s", note->text);
        tfp_strid id = text.failed ? TFP_NONE : tfp_intern(&g->names, (tfp_str){ text.data, text.size });
        ok = id != TFP_NONE && tfp_push(&g->doubts, id);
    }
    tfp_buf_free(&text);
    return ok ? TFP_OK : tfp_nomem(err);
}

static uint64_t key_of(tfp_measure m, tfp_strid name) { return (uint64_t)m << 32 | name; }

/* The row, added if it is new; NULL: out of memory. */
static tfp_gate_row *row_of(tfp_gate_runs *g, tfp_measure m, tfp_str name)
{
    tfp_strid id = tfp_intern(&g->names, name);
    if (id == TFP_NONE) return NULL;
    uint32_t place = tfp_map64_get(&g->places, key_of(m, id));
    if (place != TFP_NONE) return &g->rows.at[place];
    tfp_gate_row row = { .name = id, .measure = m };
    if (!tfp_map64_put(&g->places, key_of(m, id), (uint32_t)g->rows.size) || !tfp_push(&g->rows, row)) return NULL;
    return &g->rows.at[g->rows.size - 1];
}

const tfp_gate_row *tfp_gate_row_find(const tfp_gate_runs *g, tfp_measure m, tfp_str name)
{
    tfp_strid id = tfp_strtab_find(&g->names, name);
    uint32_t place = id == TFP_NONE ? TFP_NONE : tfp_map64_get(&g->places, key_of(m, id));
    return place == TFP_NONE ? NULL : &g->rows.at[place];
}

/* Rounds to a nanosecond, so that files are short and a written value is read back unchanged. */
static double rounded(double value) { return value < 1e12 ? round(value * 1000) / 1000 : value; }

tfp_status tfp_gate_put(tfp_gate_runs *g, size_t run, tfp_measure m, tfp_str name, double value, tfp_error *err)
{
    if (!isfinite(value) || value < 0) return TFP_OK;
    tfp_gate_row *row = row_of(g, m, name);
    if (!row) return tfp_nomem(err);
    if (run >= row->values.size && (g->value_count += run + 1 - row->values.size) > VALUES_MOST)
        return tfp_fail(err, TFP_LIMIT, "more than %zu numbers of runs", VALUES_MOST);
    while (row->values.size <= run)
        if (!tfp_push(&row->values, (double)NAN)) return tfp_nomem(err);
    row->values.at[run] = rounded(value);
    return TFP_OK;
}

double tfp_gate_median(const tfp_gate_row *row)
{
    double there[RUNS_MOST];
    size_t count = 0;
    for (size_t i = 0; row && i < row->values.size && count < RUNS_MOST; i++)
        if (!isnan(row->values.at[i])) there[count++] = row->values.at[i];
    return count ? tfp_spread_of_reals(there, count).median : NAN;
}
