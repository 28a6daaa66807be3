// SPDX-License-Identifier: Apache-2.0
/* views/triage/rows.c: the kernels of each phase with their place in the model: one pass over the activities of the devices. */
#include "model/tables/events.h"
#include "model/tables/graph.h"
#include "model/tables/lanes.h"
#include "model/tables/read.h"
#include "model/trace/scan.h"
#include "query/mix.h"
#include "query/order.h"
#include "views/core/coverage.h"
#include "views/spans/places.h"
#include "views/triage/triage.h"

#include <math.h>

enum { OPS_SHOWN = 3 };

typedef struct count { /* of a row: how often an op launched its activities, or the time of a family */
    uint32_t row;
    int64_t n;
    tfp_str text;
} count;

typedef struct known { /* activities of one op, module and kernel */
    const char *family;
} known;

typedef struct finder {
    tfp_triage *t;
    tfp_span_places places;
    tfp_groups rows, ops, families, known;
    tfp_mix lines, modules;
} finder;

bool tfp_triage_phase(const tfp_triage *t, uint32_t unit, uint32_t step, tfp_phase *out)
{
    *out = TFP_PHASE_NONE;
    if (!t->has_phases) return true;
    uint32_t at = step == TFP_NONE ? TFP_NONE : tfp_map64_get(&t->phase_of, (uint64_t)unit << 32 | step);
    if (at == TFP_NONE) return false;
    *out = (tfp_phase)at;
    return true;
}

/* ---- phases ---- */

static bool find_phases(tfp_triage *t)
{
    const tfp_event_tables *e = tfp_events_of(t->x->p);
    bool ok = true;
    for (size_t i = 0; i < e->windows.size && ok; i++) {
        const tfp_step_window *w = &e->windows.at[i];
        uint32_t unit = t->x->unit_of_process[w->process];
        if (!w->phase || unit >= t->x->unit_count) continue;
        t->has_phases = true;
        ok = tfp_map64_put(&t->phase_of, (uint64_t)unit << 32 | w->step, w->phase);
    }
    return ok;
}

/* ---- activities ---- */

static bool add_count(tfp_groups *g, uint32_t row, tfp_str text, int64_t n)
{
    if (!text.size) return true;
    count *c = TFP_GROUP(g, row, tfp_group_text(g, text));
    if (!c) return false;
    if (g->added) *c = (count){ .row = row, .text = text };
    c->n = tfp_add(c->n, n, NULL);
    return true;
}

static const char *family_of(finder *f, unsigned class, tfp_str op, tfp_str module, tfp_strid kernel)
{
    known *k = TFP_GROUP(&f->known, class, tfp_group_text(&f->known, op), tfp_group_text(&f->known, module), kernel);
    if (!k) return NULL;
    if (f->known.added) k->family = tfp_family_of(class, op, module, tfp_text(f->t->x->p, kernel));
    return k->family;
}

static bool add(finder *f, uint32_t span, tfp_phase phase)
{
    const tfp_span_columns *s = f->t->x->s;
    const tfp_profile *p = f->t->x->p;
    tfp_activity_place place = tfp_place_of_activity(&f->places, span);
    tfp_str module = tfp_module_class(place.module), op = place.op;
    if (!op.size && s->node[span] != TFP_NONE) op = tfp_text(p, tfp_graph_of(p)->nodes.at[s->node[span]].op);
    tfp_triage_row *row = TFP_GROUP(&f->rows, phase, s->class[span], s -> name[span]);
    if (!row) return false;
    if (f->rows.added)
        *row = (tfp_triage_row){ .name = tfp_text(p, s->name[span]),
                                 .class = tfp_str_of(tfp_span_class_name(s->class[span])),
                                 .of_class = s->class[span],
                                 .of = phase,
                                 .efficiency = NAN };
    uint32_t at = tfp_group_index(&f->rows, row);
    int64_t ns = s->self_ns[span];
    tfp_fold_add(&row->ns, ns);
    row->by_certainty[place.certainty] = tfp_add(row->by_certainty[place.certainty], ns, NULL);
    row->certainties |= 1u << place.certainty;
    f->t->row_of[span] = at;
    const char *family = family_of(f, s->class[span], op, module, s -> name[span]);
    return family && add_count(&f->families, at, tfp_str_of(family), ns) && add_count(&f->ops, at, op, 1) &&
           tfp_mix_add(&f->lines, at, place.line, ns) && tfp_mix_add(&f->modules, at, module, ns);
}

static bool add_row(finder *f, const tfp_scan_row *row)
{
    tfp_triage *t = f->t;
    tfp_phase phase;
    int64_t ns = row->self_ns.total;
    if (tfp_lanes_of(t->x->p)->at[row->lane].role == TFP_ROLE_ASYNC) return true;
    if (!tfp_triage_phase(t, t->x->unit_of_process[row->process], row->step, &phase)) {
        t->outside_ns = tfp_add(t->outside_ns, ns, NULL);
        return true;
    }
    t->device_ns[phase] = tfp_add(t->device_ns[phase], ns, NULL);
    return add(f, row->span, phase);
}

static bool add_all(finder *f)
{
    tfp_triage *t = f->t;
    tfp_scan_ask activities = { .kinds = TFP_SPANS(ACTIVITY), .step = tfp_step_of(t->r) };
    for (tfp_scan s = tfp_scan_of(t->x->p, &activities); tfp_scan_next(&s);)
        for (size_t i = 0; i < s.count; i++)
            if (!add_row(f, &s.rows[i])) return false;
    return true;
}

/* ---- texts ---- */

static const tfp_sort_key most_first[] = { TFP_UP(count, row), TFP_DOWN(count, n), TFP_UP(count, text), { 0 } };

/* Joins each row's most frequent ops by '|'; its family is that of most time. */
static bool name_counts(finder *f, tfp_triage_row *rows)
{
    const count *c = f->ops.rows, *end = c + f->ops.count;
    if (!tfp_order_rows(f->ops.rows, sizeof *c, f->ops.count, most_first) ||
        !tfp_order_rows(f->families.rows, sizeof *c, f->families.count, most_first))
        return false;
    while (c < end) {
        uint32_t row = c->row;
        tfp_buf text = { 0 };
        for (int shown = 0; c < end && c->row == row; c++) {
            if (shown++ >= OPS_SHOWN) continue;
            if (shown > 1) tfp_buf_char(&text, '|');
            tfp_buf_str(&text, c->text);
        }
        rows[row].ops = tfp_buf_move(&text, tfp_arena_of(f->t->r));
        if (!rows[row].ops.data) return false;
    }
    c = f->families.rows;
    for (size_t i = 0; i < f->families.count; i++)
        if (!rows[c[i].row].family.data) rows[c[i].row].family = c[i].text;
    return true;
}

static bool finish(finder *f)
{
    tfp_triage *t = f->t;
    tfp_arena *a = tfp_arena_of(t->r);
    tfp_triage_row *rows = f->rows.rows;
    t->count = f->rows.count;
    tfp_str *lines = TFP_NEW(a, tfp_str, t->count + 1), *modules = TFP_NEW(a, tfp_str, t->count + 1),
            *first = TFP_NEW(a, tfp_str, t->count + 1);
    bool ok = lines && modules && first && tfp_mix_texts(&f->lines, a, t->count, lines, first) &&
              tfp_mix_texts(&f->modules, a, t->count, modules, NULL) && name_counts(f, rows);
    for (size_t i = 0; i < t->count && ok; i++) {
        tfp_triage_row *row = &rows[i];
        row->lines = lines[i];
        row->line = first[i];
        row->modules = modules[i];
        if (row->of) row->phase = tfp_str_of(tfp_phase_name(row->of));
        row->mean_us = (double)row->ns.total / 1000 / (double)row->ns.count;
        row->share = t->device_ns[row->of] ? (double)row->ns.total / (double)t->device_ns[row->of] : NAN;
        row->certainty = tfp_certainties_text(a, row->by_certainty, row->certainties);
        ok = row->certainty.data != NULL;
    }
    t->rows = ok ? tfp_ordered(a, rows, sizeof *rows, t->count, (tfp_sort_key[]){ { 0 } }) : NULL;
    return t->rows != NULL;
}

tfp_status tfp_triage_of(tfp_report *r, const tfp_trace_index *x, tfp_triage *out, tfp_error *err)
{
    *out = (tfp_triage){ .r = r, .x = x, .row_of = TFP_NEW(tfp_arena_of(r), uint32_t, x->s->size + 1) };
    finder f = { .t = out,
                 .rows.row_size = sizeof(tfp_triage_row),
                 .ops.row_size = sizeof(count),
                 .families.row_size = sizeof(count),
                 .known.row_size = sizeof(known) };
    bool ok = out->row_of && find_phases(out);
    if (ok) memset(out->row_of, 0xff, (x->s->size + 1) * sizeof *out->row_of); /* TFP_NONE */
    bool placed = ok && tfp_span_places_of(r, &f.places);
    ok = placed && add_all(&f) && finish(&f) && !f.places.failed;
    if (placed) tfp_span_places_free(&f.places);
    tfp_groups_free(&f.rows);
    tfp_groups_free(&f.ops);
    tfp_groups_free(&f.families);
    tfp_groups_free(&f.known);
    tfp_mix_free(&f.lines);
    tfp_mix_free(&f.modules);
    return ok ? tfp_phase_rows(r, x, !out->has_phases, &out->phases, &out->phase_count, err) : tfp_nomem(err);
}

void tfp_triage_free(tfp_triage *t) { tfp_map64_free(&t->phase_of); }
