// SPDX-License-Identifier: Apache-2.0
/* model/trace/scan.c: scans for sums: first the spans in columns, then the groups of compact rows. */
#include "model/trace/scan.h"

#include "model/graphs.h"
#include "model/tables/compact.h"
#include "model/tables/events.h"
#include "model/tables/lanes.h"
#include "model/tables/profile.h"
#include "model/tables/runs.h"

#include <stdlib.h>

tfp_scan tfp_scan_of(const tfp_profile *p, const tfp_scan_ask *ask)
{
    tfp_scan s = { .p = p, .ask = *ask };
    if (!s.ask.kinds) s.ask.kinds = ~0u;
    if (ask->runs) s.failed = !(s.open = calloc(p->lanes->size + 1, sizeof *s.open));
    return s;
}

void tfp_scan_end(tfp_scan *s)
{
    free(s->open);
    s->open = NULL;
}

/* Whether a run of an instruction begins with a span; asked of each span of a lane in turn, whether it counts or not. */
static bool begins_run(tfp_scan *s, uint32_t span)
{
    const tfp_span_columns *c = &s->p->events->spans;
    bool async = s->p->lanes->at[c->lane[span]].role == TFP_ROLE_ASYNC;
    bool work = c->node[span] != TFP_NONE && !async && tfp_is_work(c->kind[span], c->class[span]);
    return tfp_run_begins(c->marks[span], work, &s->open[c->lane[span]]);
}

static bool counts(const tfp_scan *s, unsigned kind, uint32_t lane, uint32_t step)
{
    return s->ask.kinds >> kind & 1 && tfp_step_takes(s->ask.step, step) && s->p->lanes->at[lane].process != TFP_NONE;
}

static void add_span(tfp_scan *s, uint32_t i)
{
    const tfp_span_columns *c = &s->p->events->spans;
    bool begins = s->open && begins_run(s, i);
    if (!counts(s, c->kind[i], c->lane[i], c->step[i]) || (c->marks[i] & TFP_MARK_OUTSIDE && !s->ask.outside)) return;
    uint32_t step = c->step[i], launch = c->launch[i];
    s->rows[s->count++] =
        (tfp_scan_row){ .span = i,
                        .process = s->p->lanes->at[c->lane[i]].process,
                        .lane = c->lane[i],
                        .step = step,
                        .node = c->node[i],
                        .name = c->name[i],
                        .path = c->path[i],
                        .stats = c->stats[i],
                        .work_stats = tfp_span_work(s->p, i),
                        .call_stats = launch == TFP_NONE ? TFP_NONE : c->stats[launch],
                        .trace = c->trace[i],
                        .kind = c->kind[i],
                        .class = c->class[i],
                        .marks = c->marks[i],
                        .self_ns = tfp_fold_of(c->self_ns[i]),
                        .runs = begins,
                        .step_runs = begins && step != TFP_NONE && s->p->runs->steps.at[step].listed };
}

static void add_group(tfp_scan *s, uint32_t lane, const tfp_compact_sum *g)
{
    const tfp_compact_kind *kinds = s->p->events->compact->kinds.at, *k = &kinds[g->kind];
    if (!counts(s, k->kind, lane, g->step)) return;
    s->rows[s->count++] = (tfp_scan_row){ .span = TFP_NONE,
                                          .process = s->p->lanes->at[lane].process,
                                          .lane = lane,
                                          .step = g->step,
                                          .node = g->node,
                                          .name = k->name,
                                          .path = k->path,
                                          .stats = k->stats,
                                          .work_stats = k->stats,
                                          .call_stats = g->call == TFP_NONE ? TFP_NONE : kinds[g->call].stats,
                                          .trace = k->trace,
                                          .kind = k->kind,
                                          .class = g->class,
                                          .marks = k->marks,
                                          .self_ns = { g->count, g->self_ns, g->min_ns, g->max_ns },
                                          .runs = g->runs,
                                          .step_runs = g->step_runs };
}

bool tfp_scan_next(tfp_scan *s)
{
    const tfp_event_tables *t = s->p->events;
    s->count = 0;
    while (!s->failed && s->count < TFP_SCAN_BATCH && s->span < t->spans.size) add_span(s, s->span++);
    while (!s->failed && s->count < TFP_SCAN_BATCH && s->lane < t->compact->lanes.size) {
        const tfp_compact_lane *f = &t->compact->lanes.at[s->lane];
        if (!f->expanded && s->group < f->sums.size) {
            add_group(s, f->lane, &f->sums.at[s->group++]);
        } else {
            s->lane++;
            s->group = 0;
        }
    }
    return s->count > 0;
}

unsigned tfp_scan_certainty(const tfp_profile *p, const tfp_scan_row *row)
{
    return row->span == TFP_NONE ? tfp_certainty_of_own(p, row->lane, row->path)
                                 : tfp_span_attribution(p, row->span).certainty;
}

int64_t tfp_scan_outer_ns(const tfp_profile *p, uint32_t step)
{
    const int64_t *by_step = p->events->compact->outer_ns;
    return by_step ? by_step[step + 1] : 0; /* TFP_NONE + 1 is 0 */
}
