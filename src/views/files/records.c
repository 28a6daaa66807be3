// SPDX-License-Identifier: Apache-2.0
/* views/files/records.c: tables of what was recorded, row by row: steps, what ran where and when, memory over time, a
 * checkpoint's variables. Programs that draw these data use these tables. */
#include "model/tables/code.h"
#include "model/tables/details.h"
#include "model/tables/graph.h"
#include "model/tables/lanes.h"
#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "model/tensors.h"
#include "query/groups.h"
#include "views/core/grid.h"
#include "views/core/notes.h"
#include "views/core/report.h"
#include "views/flops/flops.h"
#include "views/memory/records.h"

#include <stdlib.h>

/* ---- steps ---- */

typedef struct step_row {
    int64_t step, nodes, runs, start_us, end_us, run_us, accelerator_us, cpu_us;
    int64_t requested_bytes, peak_bytes, residual_bytes, output_bytes;
} step_row;

static const tfp_table_column step_columns[] = {
    TFP_COLUMN_WHOLE(step_row, "step", INT, NUMBER, step, "the number by which it is asked for"),
    TFP_COLUMN_WHOLE(step_row, "nodes", INT, NUMBER, nodes, "how many nodes ran"),
    TFP_COLUMN_WHOLE(step_row, "runs", INT, NUMBER, runs, "how often nodes ran"),
    TFP_COLUMN(step_row, "start_us", INT, MICROS, start_us, "when the first node started"),
    TFP_COLUMN(step_row, "end_us", INT, MICROS, end_us, "when the last node ended"),
    TFP_COLUMN_WHOLE(step_row, "run_us", INT, MICROS, run_us, "time of all nodes"),
    TFP_COLUMN_WHOLE(step_row, "accelerator_us", INT, MICROS, accelerator_us, "of it on accelerators"),
    TFP_COLUMN_WHOLE(step_row, "cpu_us", INT, MICROS, cpu_us, "of it on hosts"),
    TFP_COLUMN_WHOLE(step_row, "requested_bytes", INT, SIZE, requested_bytes, "memory that nodes asked for"),
    TFP_COLUMN_WHOLE(step_row, "peak_bytes", INT, SIZE, peak_bytes, "the most that each node held at once"),
    TFP_COLUMN_WHOLE(step_row, "residual_bytes", INT, SIZE, residual_bytes, "what nodes kept when they ended"),
    TFP_COLUMN_WHOLE(step_row, "output_bytes", INT, SIZE, output_bytes, "memory of the nodes' outputs"),
    { 0 }
};

static void add(int64_t *to, int64_t more, bool *clamped) { *to = tfp_add(*to, more, clamped); }

static void add_exec(tfp_report *r, step_row *t, const tfp_exec *e)
{
    bool *clamped = &r->clamped;
    add(&t->nodes, 1, clamped);
    add(&t->runs, tfp_exec_runs(e), clamped);
    add(&t->run_us, tfp_micros(tfp_add(e->accelerator_ns, e->cpu_ns, clamped)), clamped);
    add(&t->accelerator_us, tfp_micros(e->accelerator_ns), clamped);
    add(&t->cpu_us, tfp_micros(e->cpu_ns), clamped);
    add(&t->requested_bytes, e->requested_bytes, clamped);
    add(&t->peak_bytes, e->peak_bytes, clamped);
    add(&t->residual_bytes, e->residual_bytes, clamped);
    add(&t->output_bytes, e->output_bytes, clamped);
    if (!e->start_ns) return;
    int64_t start_us = tfp_micros(e->start_ns), end_us = tfp_micros(e->end_ns);
    if (t->start_us == TFP_ABSENT || start_us < t->start_us) t->start_us = start_us;
    if (t->end_us == TFP_ABSENT || end_us > t->end_us) t->end_us = end_us;
}

static tfp_status steps(tfp_report *r, tfp_error *err)
{
    const tfp_profile *p = r->profile;
    size_t count = tfp_executions_of(p)->step_order.size;
    step_row *rows = TFP_NEW(&r->arena, step_row, count + 1);
    uint32_t *row_of =
        TFP_NEW(&r->arena, uint32_t, tfp_executions_of(p)->steps.size + 1); /* for each step; TFP_NONE: not listed */
    if (!rows || !row_of) return tfp_nomem(err);
    for (size_t i = 0; i < tfp_executions_of(p)->steps.size; i++) row_of[i] = TFP_NONE;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t step = tfp_executions_of(p)->step_order.at[i];
        row_of[step] = i;
        rows[i] =
            (step_row){ .step = tfp_executions_of(p)->steps.at[step].id, .start_us = TFP_ABSENT, .end_us = TFP_ABSENT };
    }
    for (size_t i = 0; i < tfp_executions_of(p)->execs.size; i++) {
        uint32_t row = row_of[tfp_executions_of(p)->execs.at[i].step];
        if (row != TFP_NONE) add_exec(r, &rows[row], &tfp_executions_of(p)->execs.at[i]);
    }
    return tfp_grid_of(r, &(tfp_row_table){ step_columns, rows, sizeof *rows, count, 0 }, err);
}

/* ---- spans ---- */

typedef struct placed {
    int64_t step;
    uint32_t lane, node, span; /* lane: its index when sorted by name */
} placed;

static int compare_placed(const void *a, const void *b, void *ctx)
{
    const placed *x = a, *y = b;
    const tfp_profile *p = ctx;
    if (x->step != y->step) return x->step < y->step ? -1 : 1;
    if (x->lane != y->lane) return x->lane < y->lane ? -1 : 1;
    const tfp_span *s = &tfp_details_of(p)->spans.at[x->span], *t = &tfp_details_of(p)->spans.at[y->span];
    if (s->start_ns != t->start_ns) return s->start_ns < t->start_ns ? -1 : 1;
    if (s->duration_ns != t->duration_ns) return s->duration_ns > t->duration_ns ? -1 : 1; /* longer spans first */
    return x->span < y->span ? -1 : x->span > y->span;
}

typedef TFP_VEC(placed) placed_spans;

static bool collect_spans(const tfp_report *r, const uint32_t *lane_place, placed_spans *out)
{
    const tfp_profile *p = r->profile;
    for (uint32_t n = 0; n < tfp_graph_of(p)->nodes.size; n++)
        for (TFP_EACH(tfp_executions_of(p)->execs, e, tfp_graph_of(p)->nodes.at[n].exec_first)) {
            uint32_t step = tfp_executions_of(p)->execs.at[e].step;
            if (!tfp_executions_of(p)->steps.at[step].listed || !tfp_step_takes(r->step, step)) continue;
            for (TFP_EACH(tfp_details_of(p)->spans, s, tfp_detail(p, e)->span_first)) {
                const tfp_span *it = &tfp_details_of(p)->spans.at[s];
                /* a lane without a time is kept for tfp_profile_write, but it is no span */
                if (!it->start_ns && !it->duration_ns) continue;
                placed x = { tfp_executions_of(p)->steps.at[step].id, lane_place[it->lane], n, s };
                if (!tfp_push(out, x)) return false;
            }
        }
    return true;
}

typedef struct span_row {
    int64_t step, node, start_us, duration_us;
    tfp_str lane, kind, name, op;
} span_row;

static const tfp_table_column span_columns[] = {
    TFP_COLUMN_WHOLE(span_row, "step", INT, NUMBER, step, "in which step"),
    TFP_COLUMN_WHOLE(span_row, "lane", TEXT, LABEL, lane, "device, or a stream of one"),
    TFP_COLUMN_WHOLE(span_row, "kind", TEXT, LABEL, kind, "kind of the lane: cpu, accelerator or other"),
    TFP_COLUMN_WHOLE(span_row, "name", TEXT, LABEL, name, "of the node"),
    TFP_COLUMN_WHOLE(span_row, "op", TEXT, LABEL, op, "of the node"),
    TFP_COLUMN_WHOLE(span_row, "node", INT, NUMBER, node, "its number"),
    TFP_COLUMN_WHOLE(span_row, "start_us", INT, MICROS, start_us, "when it started"),
    TFP_COLUMN_WHOLE(span_row, "duration_us", INT, MICROS, duration_us, "how long it took"),
    { 0 }
};

static tfp_status put_spans(tfp_report *r, const placed_spans *all, tfp_error *err)
{
    const tfp_profile *p = r->profile;
    span_row *rows = calloc(all->size + 1, sizeof *rows);
    if (!rows) return tfp_nomem(err);
    for (size_t i = 0; i < all->size; i++) {
        const placed *x = &all->at[i];
        const tfp_span *s = &tfp_details_of(p)->spans.at[x->span];
        const tfp_lane *lane = &tfp_lanes_of(p)->at[s->lane];
        const tfp_node *n = &tfp_graph_of(p)->nodes.at[x->node];
        rows[i] = (span_row){ .step = x->step,
                              .node = x->node,
                              .start_us = tfp_micros(s->start_ns),
                              .duration_us = tfp_micros(s->duration_ns),
                              .lane = tfp_text(p, lane->name),
                              .kind = tfp_str_of(tfp_lane_kind_name(lane->kind)),
                              .name = tfp_text(p, n->name),
                              .op = tfp_text(p, n->op) };
    }
    tfp_status s = tfp_grid_of(r, &(tfp_row_table){ span_columns, rows, sizeof *rows, all->size, 0 }, err);
    free(rows);
    return s;
}

static tfp_status spans(tfp_report *r, tfp_error *err)
{
    const tfp_profile *p = r->profile;
    placed_spans all = { 0 };
    uint32_t *order = TFP_NEW(&r->arena, uint32_t, tfp_lanes_of(p)->size),
             *place = TFP_NEW(&r->arena, uint32_t, tfp_lanes_of(p)->size);
    bool ok = order && place && tfp_rank_lanes(p, order, place) && collect_spans(r, place, &all);
    if (ok && all.size) qsort_r(all.at, all.size, sizeof *all.at, compare_placed, (void *)(uintptr_t)p);
    tfp_status s = ok ? put_spans(r, &all, err) : tfp_nomem(err);
    tfp_vec_free(&all);
    return s;
}

/* ---- a checkpoint's variables ---- */

typedef struct tensor_row {
    tfp_str name, dtype, shape;
    int64_t elements;
} tensor_row;

static const tfp_table_column tensor_columns[] = {
    TFP_COLUMN_WHOLE(tensor_row, "name", TEXT, LABEL, name, "of the variable"),
    TFP_COLUMN_WHOLE(tensor_row, "dtype", TEXT, LABEL, dtype, "type of its elements"),
    TFP_COLUMN_WHOLE(tensor_row, "shape", TEXT, LABEL, shape, "such as 3x3x64"),
    TFP_COLUMN_WHOLE(tensor_row, "elements", INT, NUMBER, elements, "how many it has"),
    { 0 }
};

/* Adds a row for a variable. False: out of memory. */
static bool tensor_of(tfp_report *r, size_t i, tfp_buf *shape, tensor_row *out)
{
    const tfp_checkpoint *k = tfp_checkpoint_of(r->profile);
    size_t rank;
    const int64_t *dims = tfp_checkpoint_dims(k, i, &rank);
    *out = (tensor_row){ .name = tfp_checkpoint_name(k, i),
                         .dtype = tfp_str_of(tfp_dtype_name(tfp_checkpoint_dtype(k, i))),
                         .elements = 1 };
    shape->size = 0;
    for (size_t d = 0; d < rank; d++) {
        if (d) tfp_buf_char(shape, 'x');
        tfp_buf_int(shape, dims[d]);
        out->elements = tfp_mul(out->elements, dims[d], &r->clamped);
    }
    out->shape = (tfp_str){ tfp_arena_copy(&r->arena, (tfp_str){ shape->data, shape->size }), shape->size };
    return !shape->failed && out->shape.data;
}

static tfp_status tensors(tfp_report *r, tfp_error *err)
{
    size_t count = tfp_checkpoint_of(r->profile) ? tfp_checkpoint_count(tfp_checkpoint_of(r->profile)) : 0;
    tensor_row *rows = calloc(count + 1, sizeof *rows);
    tfp_buf shape = { 0 };
    bool ok = rows != NULL;
    for (size_t i = 0; ok && i < count; i++) ok = tensor_of(r, i, &shape, &rows[i]);
    tfp_row_table table = { tensor_columns, rows, sizeof *rows, count, 0 };
    tfp_status s = ok ? tfp_grid_of(r, &table, err) : tfp_nomem(err);
    tfp_buf_free(&shape);
    free(rows);
    return s;
}

/* ---- files that traces name ---- */

typedef struct file_row {
    tfp_str file;
    int64_t lines;
} file_row;

static const tfp_table_column file_columns[] = {
    TFP_COLUMN_WHOLE(file_row, "file", TEXT, LABEL, file, "as call stacks name it"),
    TFP_COLUMN_WHOLE(file_row, "lines", INT, NUMBER, lines, "how many lines of it are in call stacks"),
    { 0 }
};

static tfp_status files(tfp_report *r, tfp_error *err)
{
    const tfp_profile *p = r->profile;
    tfp_groups rows = { .row_size = sizeof(file_row) }; /* by file */
    for (size_t i = 0; i < tfp_code_of(p)->frames.size; i++) {
        tfp_strid file = tfp_code_of(p)->frames.at[i].file;
        file_row *row = file ? TFP_GROUP(&rows, file) : NULL;
        if (row) *row = (file_row){ tfp_text(p, file), row->lines + 1 };
    }
    tfp_row_table table = { file_columns, rows.rows, sizeof(file_row), rows.count, 0 };
    tfp_status s = rows.failed ? tfp_nomem(err) : tfp_grid_of(r, &table, err);
    tfp_groups_free(&rows);
    return s;
}

/* ---- the tables ---- */

static const struct {
    const char *name;
    tfp_status (*make)(tfp_report *r, tfp_error *err);
    bool detail; /* runs: only if the profile was read with TFP_READS_RUNS */
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
    if (r->step.row != TFP_NONE && tfp_executions_of(p)->steps.at[r->step.row].listed) return TFP_OK;
    tfp_status s = tfp_fail(err, TFP_NOTFOUND, "step %lld not found", (long long)step);
    return tfp_within_file(err, s, tfp_first_source(p));
}

static tfp_status make(tfp_report *r, const char *what, int64_t step, tfp_error *err)
{
    size_t i = 0, count = sizeof tables / sizeof *tables;
    while (i < count && strcmp(tables[i].name, what) != 0) i++;
    if (i == count) return tfp_fail(err, TFP_NOTFOUND, "no records '%s'", what);
    r->view = tables[i].name;
    if (tables[i].detail && tfp_details_of(r->profile)->details.size < tfp_executions_of(r->profile)->execs.size)
        return tfp_fail(err, TFP_BADARG, "%s need a profile read with %s", what, tfp_reads_name(TFP_READS_RUNS));
    tfp_status s = find_step(r, step, err);
    if (!s) s = tables[i].make(r, err);
    if (!s) s = tfp_report_note_clamped(r, err);
    return s;
}

tfp_status tfp_records(const tfp_profile *p, const char *what, int64_t step, tfp_report **out, tfp_error *err)
{
    tfp_error_clear(err);
    if (out) *out = NULL;
    if (!p || !tfp_is_finished(p) || !what || !out)
        return tfp_fail(err, TFP_BADARG, "no finished profile, or nothing asked");
    tfp_report *r = tfp_report_of_table(p, NULL);
    if (!r) return tfp_nomem(err);
    tfp_status s = make(r, what, step, err);
    return tfp_report_give(r, s, out);
}
