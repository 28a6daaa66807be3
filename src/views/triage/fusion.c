// SPDX-License-Identifier: Apache-2.0
/* views/triage/fusion.c: what limits says of each phase: the efficiency of kernels, the chains that one kernel could do, and which kernels
 * read the result of the one before. */
#include "views/triage/fusion.h"
#include "model/tables/events.h"
#include "model/tables/runs.h"
#include "views/core/notes.h"
#include "views/core/report.h"
#include "views/limits/chains.h"
#include "views/limits/tables.h"

#include <math.h>

typedef struct judged { /* a kernel: of all ranks */
    double ideal_us;
    int64_t ns;
} judged;

typedef struct finder {
    tfp_triage *t;
    const tfp_triage_head *head;
    tfp_groups rows; /* of tfp_fusion_row */
} finder;

/* ---- kernels ---- */

static bool judge(const finder *f, const tfp_limits *l)
{
    tfp_limit_row *rows;
    size_t count;
    tfp_groups by_name = { .row_size = sizeof(judged) };
    bool ok = tfp_limit_rows(l, TFP_LIMITS_BY_KERNEL, &rows, &count);
    for (size_t i = 0; i < count && ok && l->peaks.known; i++) {
        if (!rows[i].calls) continue;
        judged *j = TFP_GROUP(&by_name, tfp_group_text(&by_name, rows[i].name));
        if (!(ok = j != NULL)) break;
        j->ideal_us += rows[i].ideal_us;
        j->ns = tfp_add(j->ns, tfp_add(rows[i].device_ns, -rows[i].not_judged_ns, NULL), NULL);
    }
    for (size_t i = 0; i < f->t->count && ok && by_name.count; i++) {
        tfp_triage_row *row = &f->t->rows[i];
        if (row->of != f->head->of) continue;
        const judged *j = TFP_GROUP(&by_name, tfp_group_text(&by_name, row->name));
        if (!(ok = j != NULL)) break;
        if (j->ns > 0) row->efficiency = j->ideal_us / ((double)j->ns / 1000);
    }
    tfp_groups_free(&by_name);
    return ok;
}

/* ---- chains ---- */

/* Adds the rows of all ranks together. */
static bool add_chains(finder *f, const tfp_limits *l, const tfp_limit_chains *c)
{
    const tfp_limit_chain_row *rows = tfp_limit_chain_rows(l, c, 0);
    bool ok = rows != NULL;
    for (size_t i = 0; i < c->rows.count && ok; i++) {
        const tfp_limit_chain_row *from = &rows[i];
        tfp_fusion_row *to = TFP_GROUP(&f->rows, f->head->of, tfp_group_text(&f->rows, from->chain),
                                       tfp_group_text(&f->rows, from->module), tfp_group_text(&f->rows, from->shape));
        if (!(ok = to != NULL)) break;
        if (f->rows.added)
            *to = (tfp_fusion_row){ .phase = f->head->phase,
                                    .chain = from->chain,
                                    .module = from->module,
                                    .shape = from->shape,
                                    .certainty = from->certainty,
                                    .of = f->head->of };
        to->calls = tfp_add(to->calls, from->calls, NULL);
        to->device_ns = tfp_add(to->device_ns, from->device_ns, NULL);
        to->bytes_saved = tfp_add(to->bytes_saved, from->bytes_saved, NULL);
        to->gain_us += from->gain_us;
    }
    return ok;
}

static tfp_str *depends_of(const finder *f, const tfp_limits *l, uint32_t part)
{
    uint32_t row = f->t->row_of[l->parts.at[part].span];
    return row == TFP_NONE ? NULL : &f->t->rows[row].beside.depends;
}

/* By ids: whether activities read the result of the one before on their stream; once is enough. */
static void find_readers_by_ids(const finder *f, const tfp_limits *l)
{
    for (uint32_t i = 0; i + 1 < l->parts.size && l->ids; i++) {
        const tfp_limit_part *part = &l->parts.at[i], *next = &l->parts.at[i + 1];
        bool follows = l->s->lane[part->span] == l->s->lane[next->span] && part->call != next->call;
        tfp_str *depends = follows ? depends_of(f, l, i) : NULL;
        if (!depends || !tfp_limits_has_ids(l, part->call) || !tfp_limits_has_ids(l, next->call)) continue;
        if (tfp_limits_reads_result(l, next->call, part->call))
            *depends = TFP_STR("yes");
        else if (!depends->data)
            *depends = TFP_STR("no");
    }
}

/* The last activity of each member but the last is followed by one that reads its result. */
static void find_readers(const finder *f, const tfp_limits *l, const tfp_limit_chains *c)
{
    for (size_t i = 0; i < c->runs.size; i++) {
        const tfp_limit_chain *run = &c->runs.at[i];
        bool sure = tfp_str_eq(tfp_limit_chain_row_at(c, run->row)->certainty, TFP_STR("memory"));
        for (uint32_t m = 0; sure && m + 1 < run->count; m++) {
            uint32_t part = l->calls.at[c->members.at[run->first + m]].last;
            tfp_str *depends = part == TFP_NONE ? NULL : depends_of(f, l, part);
            if (depends) *depends = TFP_STR("yes");
        }
    }
}

/* ---- phases ---- */

/* Limits the report to the steps of a phase; false: out of memory. */
static bool limit_to(tfp_report *r, tfp_phase phase)
{
    const tfp_event_tables *e = tfp_events_of(r->profile);
    bool *of = TFP_NEW(&r->arena, bool, tfp_executions_of(r->profile)->steps.size + 1);
    for (size_t i = 0; i < e->windows.size && of; i++)
        if (e->windows.at[i].phase == phase) of[e->windows.at[i].step] = true;
    r->step.phase = of;
    return of != NULL;
}

static tfp_status add_phase(finder *f, tfp_error *err)
{
    tfp_limits l = { 0 };
    tfp_limit_chains chains = { 0 };
    tfp_status s = tfp_limits_of(f->t->r, f->t->x, &l, err);
    if (!s && (!judge(f, &l) || !tfp_limits_chains(&l, &chains) || !add_chains(f, &l, &chains))) s = tfp_nomem(err);
    if (!s) find_readers_by_ids(f, &l);
    if (!s) find_readers(f, &l, &chains);
    tfp_limit_chains_free(&chains);
    tfp_limits_free(&l);
    return s;
}

tfp_status tfp_triage_fusion(tfp_triage *t, const tfp_triage_head *heads, size_t head_count, tfp_fusion_row **rows,
                             size_t *count, tfp_error *err)
{
    static const tfp_sort_key biggest_first[] = { TFP_UP(tfp_fusion_row, of),
                                                  TFP_DOWN(tfp_fusion_row, order),
                                                  TFP_DOWN(tfp_fusion_row, bytes_saved),
                                                  TFP_UP(tfp_fusion_row, chain),
                                                  { 0 } };
    finder f = { .t = t, .rows.row_size = sizeof(tfp_fusion_row) };
    tfp_step_choice step = t->r->step;
    tfp_status s = TFP_OK;
    for (size_t i = 0; i < head_count && !s; i++) {
        f.head = &heads[i];
        if (t->has_phases && !limit_to(t->r, heads[i].of)) s = tfp_nomem(err);
        if (!s) s = add_phase(&f, err);
    }
    t->r->step = step;
    if (s == TFP_BADFILE) { /* no shapes: nothing is judged */
        tfp_error_clear(err);
        s = tfp_report_note_add(t->r, TFP_NOTE_NO_SHAPES, err,
                                "no shapes of inputs: efficiency and chains need record_shapes=True");
    }
    for (size_t i = 0; i < f.rows.count; i++) {
        tfp_fusion_row *row = (tfp_fusion_row *)f.rows.rows + i;
        const tfp_triage_head *head = heads;
        while (head->of != row->of) head++;
        double steps_us = head->step_us * (double)head->steps, all = (double)t->device_ns[row->of];
        row->share = all > 0 ? (double)row->device_ns / all : NAN;
        row->gain_share = steps_us > 0 ? row->gain_us / steps_us : NAN;
        row->order = row->gain_us == row->gain_us ? row->gain_us : (double)row->bytes_saved;
    }
    *rows = tfp_groups_end(&f.rows, &t->r->arena, biggest_first, count);
    return s ? s : *rows ? TFP_OK : tfp_nomem(err);
}
