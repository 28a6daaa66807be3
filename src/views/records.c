/* views/records.c: what was recorded, row by row: steps, what ran where and when, memory over time, a checkpoint's
 * variables. For who draws them. */
#include "views/records.h"
#include "views/flops.h"

#include <stdlib.h>

/* ---- steps ---- */

enum { STEP, NODES, RUNS, START, END, RUN_US, ACCELERATOR_US, CPU_US, REQUESTED, PEAK, RESIDUAL, OUTPUT, STEP_COLUMNS };

static const struct {
    const char *name;
    tfp_unit unit;
    bool nullable;
} step_columns[STEP_COLUMNS] = {
    [STEP] = { "step", TFP_NUMBER, false },
    [NODES] = { "nodes", TFP_NUMBER, false },
    [RUNS] = { "runs", TFP_NUMBER, false },
    [START] = { "start_us", TFP_MICROS, true },
    [END] = { "end_us", TFP_MICROS, true },
    [RUN_US] = { "run_us", TFP_MICROS, false },
    [ACCELERATOR_US] = { "accelerator_us", TFP_MICROS, false },
    [CPU_US] = { "cpu_us", TFP_MICROS, false },
    [REQUESTED] = { "requested_bytes", TFP_SIZE, false },
    [PEAK] = { "peak_bytes", TFP_SIZE, false },
    [RESIDUAL] = { "residual_bytes", TFP_SIZE, false },
    [OUTPUT] = { "output_bytes", TFP_SIZE, false },
};

typedef struct step_table {
    int64_t *at[STEP_COLUMNS];
    uint8_t *no_start, *no_end;
    uint32_t *row; /* by step; TFP_NONE: not listed */
} step_table;

static void add_exec(tfp_report *r, step_table *t, const tfp_exec *e)
{
    uint32_t row = t->row[e->step];
    if (row == TFP_NONE) return;
    const int64_t more[STEP_COLUMNS] = {
        [NODES] = 1,
        [RUNS] = e->run_count,
        [RUN_US] = tfp_micros(tfp_add(e->accelerator_ns, e->cpu_ns, &r->clamped)),
        [ACCELERATOR_US] = tfp_micros(e->accelerator_ns),
        [CPU_US] = tfp_micros(e->cpu_ns),
        [REQUESTED] = e->requested_bytes,
        [PEAK] = e->peak_bytes,
        [RESIDUAL] = e->residual_bytes,
        [OUTPUT] = e->output_bytes,
    };
    for (int c = 0; c < STEP_COLUMNS; c++) t->at[c][row] = tfp_add(t->at[c][row], more[c], &r->clamped);
    if (!e->start_ns) return;
    int64_t start_us = tfp_micros(e->start_ns), end_us = tfp_micros(e->end_ns);
    if (t->no_start[row] || start_us < t->at[START][row]) t->at[START][row] = start_us;
    if (t->no_end[row] || end_us > t->at[END][row]) t->at[END][row] = end_us;
    t->no_start[row] = t->no_end[row] = 0;
}

static tfp_status steps(tfp_report *r, tfp_error *err)
{
    const tfp_profile *p = r->profile;
    step_table t = { .row = TFP_NEW(&r->arena, uint32_t, p->steps.size) };
    r->grid.row_count = p->step_order.size;
    for (int c = 0; c < STEP_COLUMNS; c++) {
        tfp_grid_column *made =
            tfp_grid_add(r, &r->grid, step_columns[c].name, 'i', step_columns[c].unit, step_columns[c].nullable);
        if (!made) return tfp_nomem(err);
        t.at[c] = made->ints;
        if (c == START) t.no_start = made->absent;
        if (c == END) t.no_end = made->absent;
    }
    if (!t.row) return tfp_nomem(err);
    for (size_t i = 0; i < p->steps.size; i++) t.row[i] = TFP_NONE;
    for (uint32_t i = 0; i < p->step_order.size; i++) {
        t.row[p->step_order.at[i]] = i;
        t.at[STEP][i] = p->steps.at[p->step_order.at[i]].id;
        t.no_start[i] = t.no_end[i] = 1;
    }
    for (size_t i = 0; i < p->execs.size; i++) add_exec(r, &t, &p->execs.at[i]);
    return TFP_OK;
}

/* ---- spans ---- */

typedef struct placed {
    int64_t step;
    uint32_t lane, node, span; /* lane: its place by name */
} placed;

static int compare_placed(const void *a, const void *b, void *ctx)
{
    const placed *x = a, *y = b;
    const tfp_profile *p = ctx;
    if (x->step != y->step) return x->step < y->step ? -1 : 1;
    if (x->lane != y->lane) return x->lane < y->lane ? -1 : 1;
    const tfp_span *s = &p->spans.at[x->span], *t = &p->spans.at[y->span];
    if (s->start_ns != t->start_ns) return s->start_ns < t->start_ns ? -1 : 1;
    if (s->duration_ns != t->duration_ns) return s->duration_ns > t->duration_ns ? -1 : 1; /* outer spans first */
    return x->span < y->span ? -1 : x->span > y->span;
}

typedef TFP_VEC(placed) placed_spans;

static bool collect_spans(const tfp_report *r, const uint32_t *lane_place, placed_spans *out)
{
    const tfp_profile *p = r->profile;
    for (uint32_t n = 0; n < p->nodes.size; n++)
        for (TFP_EACH(execs, e, p->nodes.at[n].exec_first, p)) {
            uint32_t step = p->execs.at[e].step;
            if (!p->steps.at[step].listed || !tfp_step_takes(r->step, step)) continue;
            for (TFP_EACH(spans, s, tfp_detail(p, e)->span_first, p)) {
                const tfp_span *it = &p->spans.at[s];
                /* a lane that was named without a time is kept for who writes the profile, but is no span */
                if (!it->start_ns && !it->duration_ns) continue;
                placed x = { p->steps.at[step].id, lane_place[it->lane], n, s };
                if (!tfp_push(out, x)) return false;
            }
        }
    return true;
}

/* Lanes by name: `place` by lane, `order` the other way round. */
static bool order_lanes(const tfp_profile *p, uint32_t *order, uint32_t *place)
{
    size_t n = p->lanes.size;
    tfp_str *names = calloc(n + 1, sizeof *names);
    bool ok = names != NULL;
    for (uint32_t i = 0; ok && i < n; i++) {
        names[i] = tfp_text(p, p->lanes.at[i].name);
        order[i] = i;
    }
    ok = ok && tfp_sort_strings(order, n, names);
    for (uint32_t i = 0; ok && i < n; i++) place[order[i]] = i;
    free(names);
    return ok;
}

static bool put_spans(tfp_report *r, const placed_spans *all)
{
    static const char *const kinds[] = {
        [TFP_LANE_OTHER] = "other", [TFP_LANE_CPU] = "cpu", [TFP_LANE_ACCELERATOR] = "accelerator"
    };
    static const struct {
        const char *name;
        char type;
        tfp_unit unit;
    } columns[] = {
        { "step", 'i', TFP_NUMBER },     { "lane", 's', TFP_LABEL },         { "kind", 's', TFP_LABEL },
        { "name", 's', TFP_LABEL },      { "op", 's', TFP_LABEL },           { "node", 'i', TFP_NUMBER },
        { "start_us", 'i', TFP_MICROS }, { "duration_us", 'i', TFP_MICROS },
    };
    enum { COLUMNS = sizeof columns / sizeof *columns };
    const tfp_profile *p = r->profile;
    tfp_grid_column *c;
    r->grid.row_count = all->size;
    for (int i = 0; i < COLUMNS; i++)
        if (!tfp_grid_add(r, &r->grid, columns[i].name, columns[i].type, columns[i].unit, false)) return false;
    c = r->grid.columns.at;
    for (size_t i = 0; i < all->size; i++) {
        const placed *x = &all->at[i];
        const tfp_span *s = &p->spans.at[x->span];
        c[0].ints[i] = x->step;
        c[1].texts[i] = tfp_text(p, p->lanes.at[s->lane].name);
        c[2].texts[i] = tfp_str_of(kinds[p->lanes.at[s->lane].kind]);
        c[3].texts[i] = tfp_text(p, p->nodes.at[x->node].name);
        c[4].texts[i] = tfp_text(p, p->nodes.at[x->node].op);
        c[5].ints[i] = x->node;
        c[6].ints[i] = tfp_micros(s->start_ns);
        c[7].ints[i] = tfp_micros(s->duration_ns);
    }
    return true;
}

static tfp_status spans(tfp_report *r, tfp_error *err)
{
    const tfp_profile *p = r->profile;
    placed_spans all = { 0 };
    uint32_t *order = TFP_NEW(&r->arena, uint32_t, p->lanes.size), *place = TFP_NEW(&r->arena, uint32_t, p->lanes.size);
    bool ok = order && place && order_lanes(p, order, place) && collect_spans(r, place, &all);
    if (ok && all.size) qsort_r(all.at, all.size, sizeof *all.at, compare_placed, (void *)(uintptr_t)p);
    ok = ok && put_spans(r, &all);
    tfp_vec_free(&all);
    return ok ? TFP_OK : tfp_nomem(err);
}

/* ---- a checkpoint's variables ---- */

static tfp_status tensors(tfp_report *r, tfp_error *err)
{
    const tfp_checkpoint *k = r->profile->checkpoint;
    size_t n = k ? tfp_checkpoint_count(k) : 0;
    r->grid.row_count = n;
    if (!tfp_grid_add(r, &r->grid, "name", 's', TFP_LABEL, false) ||
        !tfp_grid_add(r, &r->grid, "dtype", 's', TFP_LABEL, false) ||
        !tfp_grid_add(r, &r->grid, "shape", 's', TFP_LABEL, false) ||
        !tfp_grid_add(r, &r->grid, "elements", 'i', TFP_NUMBER, false))
        return tfp_nomem(err);
    tfp_grid_column *c = r->grid.columns.at;
    tfp_buf shape = { 0 };
    for (size_t i = 0; i < n; i++) {
        size_t rank;
        const int64_t *dims = tfp_checkpoint_dims(k, i, &rank);
        int64_t elements = 1;
        shape.size = 0;
        for (size_t d = 0; d < rank; d++) {
            if (d) tfp_buf_char(&shape, 'x');
            tfp_buf_int(&shape, dims[d]);
            elements = tfp_mul(elements, dims[d], &r->clamped);
        }
        c[0].texts[i] = tfp_checkpoint_name(k, i);
        c[1].texts[i] = tfp_str_of(tfp_dtype_name(tfp_checkpoint_dtype(k, i)));
        c[2].texts[i] = (tfp_str){ tfp_arena_copy(&r->arena, (tfp_str){ shape.data, shape.size }), shape.size };
        c[3].ints[i] = elements;
        if (!c[2].texts[i].data) shape.failed = true;
        if (shape.failed) break;
    }
    bool failed = shape.failed;
    tfp_buf_free(&shape);
    return failed ? tfp_nomem(err) : TFP_OK;
}

/* ---- files that traces name ---- */

static tfp_status files(tfp_report *r, tfp_error *err)
{
    const tfp_profile *p = r->profile;
    tfp_map64 by_file = { 0 };
    TFP_VEC(tfp_strid) names = { 0 };
    uint32_t *lines = TFP_NEW(&r->arena, uint32_t, p->frames.size);
    bool ok = lines != NULL;
    for (size_t i = 0; ok && i < p->frames.size; i++) {
        tfp_strid file = p->frames.at[i].file;
        uint32_t at = tfp_map64_get(&by_file, file);
        if (!file) continue;
        if (at == TFP_NONE) {
            at = (uint32_t)names.size;
            ok = tfp_map64_put(&by_file, file, at) && tfp_push(&names, file);
        }
        if (ok) lines[at]++;
    }
    r->grid.row_count = names.size;
    ok = ok && tfp_grid_add(r, &r->grid, "file", 's', TFP_LABEL, false) &&
         tfp_grid_add(r, &r->grid, "lines", 'i', TFP_NUMBER, false);
    for (size_t i = 0; ok && i < names.size; i++) {
        r->grid.columns.at[0].texts[i] = tfp_text(p, names.at[i]);
        r->grid.columns.at[1].ints[i] = lines[i];
    }
    tfp_map64_free(&by_file);
    tfp_vec_free(&names);
    return ok ? TFP_OK : tfp_nomem(err);
}

/* ---- the tables ---- */

static const struct {
    const char *name;
    tfp_status (*make)(tfp_report *r, tfp_error *err);
    bool detail; /* of runs: a profile read with TFP_KEEP_MEMORY */
} tables[] = {
    { "steps", steps, false },          { "spans", spans, true },      { "memory", tfp_records_memory, true },
    { "peak", tfp_records_peak, true }, { "tensors", tensors, false }, { "files", files, false },
};

static tfp_status find_step(tfp_report *r, int64_t step, tfp_error *err)
{
    const tfp_profile *p = r->profile;
    r->step = tfp_step_of_id(step);
    if (step < 0) return TFP_OK;
    r->step.row = tfp_find_step(p, step);
    if (r->step.row != TFP_NONE && p->steps.at[r->step.row].listed) return TFP_OK;
    tfp_status s = tfp_fail(err, TFP_NOTFOUND, "step %lld not found", (long long)step);
    return tfp_within_file(err, s, tfp_first_source(p));
}

static tfp_status make(tfp_report *r, const char *what, int64_t step, tfp_error *err)
{
    size_t i = 0, count = sizeof tables / sizeof *tables;
    while (i < count && strcmp(tables[i].name, what) != 0) i++;
    if (i == count) return tfp_fail(err, TFP_NOTFOUND, "no records '%s'", what);
    r->view = tables[i].name;
    if (tables[i].detail && r->profile->details.size < r->profile->execs.size)
        return tfp_fail(err, TFP_BADARG, "%s need a profile read with TFP_KEEP_MEMORY", what);
    tfp_status s = find_step(r, step, err);
    if (!s) s = tables[i].make(r, err);
    if (!s && r->clamped)
        s = tfp_report_note_add(r, err, "%s: sums too big for 64 bits, clamped", tfp_first_source(r->profile));
    return s;
}

tfp_status tfp_records(const tfp_profile *p, const char *what, int64_t step, tfp_report **out, tfp_error *err)
{
    tfp_error_clear(err);
    if (out) *out = NULL;
    if (!p || !p->finished || !what || !out) return tfp_fail(err, TFP_BADARG, "no finished profile, or nothing asked");
    tfp_report *r = calloc(1, sizeof *r);
    if (!r) return tfp_nomem(err);
    r->profile = p;
    r->kind = TFP_REPORT_GRID;
    r->options = tfp_options_new();
    tfp_status s = r->options ? make(r, what, step, err) : tfp_nomem(err);
    if (s)
        tfp_report_free(r);
    else
        *out = r;
    return s;
}
