// SPDX-License-Identifier: Apache-2.0
/* model/graphs/eager_join.c: the stage of the join that gives places from runs without graphs: to replays that no capture explains, and to
 * the launched activities of a trace that has neither frames nor modules, step by step. Equal sequences are placed once. */
#include "model/graphs/eager.h"

#include <stdio.h>

typedef struct joiner {
    tfp_builder *b;
    const tfp_graph_tables *g;
    tfp_span_columns *s;
    tfp_map64 phases, answer_by_key; /* answers: pattern and phase -> index in rows */
    TFP_VEC(tfp_eager_row) rows;
    TFP_VEC(tfp_graph_sign) signs; /* of a step */
    double least;                  /* the smallest share of a sequence that fits nothing */
    size_t unfit, too_big;
} joiner;

static unsigned phase_of(joiner *x, uint32_t launch)
{
    uint32_t step = x->s->step[launch], process = tfp_graph_process(x->b, launch);
    uint32_t phase = step == TFP_NONE ? TFP_NONE : tfp_map64_get(&x->phases, (uint64_t)process << 32 | step);
    return phase == TFP_NONE ? 0 : phase;
}

/* Places a sequence; index in rows, SIZE_MAX: out of memory. */
static size_t place(joiner *x, const tfp_graph_sign *signs, uint32_t count, unsigned phase)
{
    size_t first = x->rows.size;
    tfp_eager_fit fit;
    if (!tfp_reserve(&x->rows, first + count + 1)) return SIZE_MAX;
    x->rows.size = first + count;
    if (tfp_eager_place(x->b, signs, count, phase, x->rows.at + first, &fit) == SIZE_MAX) return SIZE_MAX;
    x->too_big += fit.too_big;
    if (!fit.too_big && fit.share < .5) x->least = x->unfit++ && x->least > fit.share ? x->least : fit.share;
    return first;
}

static tfp_attribution attribution_of(joiner *x, const tfp_eager_row *row)
{
    if (row->certainty == TFP_SURE_BY_NONE) return tfp_attribution_none((tfp_no_place)row->reason);
    if (row->launch == TFP_NONE) return tfp_attribution_partly(x->b, row->modules, NULL, 0, TFP_NONE);
    const tfp_captured_launch *l = &x->g->eager.at[row->launch];
    tfp_strid line = row->line ? l->line : 0;
    uint32_t trace = !line ? TFP_NONE : row->trace ? l->trace : tfp_graph_trace_of_line(x->b, l);
    tfp_attribution a = tfp_attribution_partly(x->b, row->modules, row->op ? &l->op : NULL, line, trace);
    if (row->certainty != TFP_SURE_BY_PARTIAL) {
        a.certainty = row->certainty;
        a.reason = TFP_PLACE_KNOWN;
        if (row->at) a.place = l->place;
    }
    return a;
}

/* ---- replays ---- */

static bool is_unplaced(const joiner *x, uint32_t span)
{
    return tfp_span_attribution(x->b->p, span).certainty == TFP_SURE_BY_NONE;
}

/* Whether no activity of the replay has a place by a capture. */
static bool is_open(const joiner *x, const tfp_replays *r, const tfp_replay *replay)
{
    for (uint32_t k = replay->first; k < replay->first + replay->count; k++) {
        unsigned sure = tfp_span_attribution(x->b->p, r->activity[k]).certainty;
        if (sure >= TFP_SURE_BY_UNIQUE && sure <= TFP_SURE_BY_PARTIAL) return false;
    }
    return true;
}

static bool join_replay(joiner *x, const tfp_replays *r, const tfp_replay *replay)
{
    const tfp_pattern *p = &r->patterns.at[replay->pattern];
    unsigned phase = phase_of(x, replay->launch);
    uint64_t key = (uint64_t)replay->pattern << 8 | phase;
    uint32_t known = tfp_map64_get(&x->answer_by_key, key);
    size_t first = known;
    if (known == TFP_NONE) {
        first = place(x, r->signs.at + p->first, p->count, phase);
        if (first == SIZE_MAX || !tfp_map64_put(&x->answer_by_key, key, (uint32_t)first)) return false;
    }
    for (uint32_t k = replay->first; k < replay->first + replay->count && !x->b->status; k++)
        if (is_unplaced(x, r->activity[k]))
            tfp_attribute(x->b, r->activity[k], true, attribution_of(x, &x->rows.at[first + r->position[k]]));
    return !x->b->status;
}

/* ---- steps of traces without stacks ---- */

static bool has_stacks(const tfp_profile *p)
{
    const tfp_span_columns *s = &p->events->spans;
    for (uint32_t i = 0; i < s->size; i++)
        if (s->kind[i] == TFP_SPAN_FRAME || s->kind[i] == TFP_SPAN_MODULE ||
            (s->kind[i] != TFP_SPAN_ACTIVITY && s->trace[i] != TFP_NONE))
            return true;
    return false;
}

static bool is_launched(const joiner *x, uint32_t span)
{
    uint32_t launch = x->s->launch[span];
    return x->s->kind[span] == TFP_SPAN_ACTIVITY && launch != TFP_NONE && x->s->attribution[span] == TFP_NONE &&
           !x->s->path[span] && !tfp_is_graph_launch(tfp_text(x->b->p, x->s->name[launch]));
}

static bool join_step(joiner *x, const uint32_t *items, size_t count)
{
    x->signs.size = 0;
    for (size_t i = 0; i < count; i++) {
        tfp_str name = tfp_text(x->b->p, x->s->name[items[i]]);
        tfp_graph_sign sign = { .kernel = x->s->name[items[i]],
                                .kind = (uint8_t)tfp_kind_of_name(name),
                                .family = (uint8_t)tfp_family_of_kernel(name) };
        if (!tfp_push(&x->signs, sign)) return false;
    }
    size_t first = place(x, x->signs.at, (uint32_t)count, phase_of(x, x->s->launch[items[0]]));
    for (size_t i = 0; first != SIZE_MAX && i < count; i++) {
        const tfp_eager_row *row = &x->rows.at[first + i];
        if (row->certainty == TFP_SURE_BY_EAGER || row->certainty == TFP_SURE_BY_SIMILAR)
            tfp_attribute(x->b, items[i], false, attribution_of(x, row));
    }
    x->rows.size = first == SIZE_MAX ? 0 : first;
    return first != SIZE_MAX && !x->b->status;
}

static bool join_steps(joiner *x)
{
    size_t spans = x->s->size + 1, count = 0;
    uint32_t *items = malloc(spans * sizeof *items);
    uint64_t *start = malloc(spans * sizeof *start), *step = malloc(spans * sizeof *step);
    bool ok = items && start && step;
    for (uint32_t i = 0; ok && i < x->s->size; i++) {
        if (!is_launched(x, i)) continue;
        uint32_t launch = x->s->launch[i];
        start[i] = (uint64_t)x->s->start_ns[launch] ^ UINT64_C(1) << 63;
        step[i] = (uint64_t)tfp_graph_process(x->b, launch) << 32 | x->s->step[launch];
        items[count++] = i;
    }
    ok = ok && tfp_sort_keys(items, count, start) && tfp_sort_keys(items, count, step);
    for (size_t i = 0, end; ok && i < count; i = end) {
        for (end = i; end < count && step[items[end]] == step[items[i]]; end++) {}
        ok = join_step(x, items + i, end - i);
    }
    free(items);
    free(start);
    free(step);
    return ok;
}

static void warn(joiner *x)
{
    char share[32];
    tfp_graph_tables *g = x->b->p->captures;
    if (g->eager_warned) return;
    g->eager_warned = x->unfit || x->too_big;
    snprintf(share, sizeof share, "at most %.0f %% of the names fit", 100 * x->least);
    if (x->unfit)
        tfp_build_warn_many(
            x->b,
            "sequences of activities fit no pass of the run without graphs (--eager_path): is it of another "
            "model or version?",
            tfp_str_of(share), x->unfit);
    if (x->too_big)
        tfp_build_warn_many(
            x->b,
            "sequences of activities are not joined with the run without graphs (--eager_path): too many "
            "pairs of launches",
            TFP_STR(""), x->too_big);
}

bool tfp_eager_join(tfp_builder *b, const tfp_replays *r)
{
    joiner x = { .b = b, .g = b->p->captures, .s = &b->p->events->spans };
    if (!x.g->passes.size) return true;
    bool stacks = has_stacks(b->p), ok = tfp_eager_phases(b->p, &x.phases);
    for (size_t i = 0; ok && i < r->at.size; i++)
        if (is_open(&x, r, &r->at.at[i])) ok = join_replay(&x, r, &r->at.at[i]);
    if (ok && !stacks) ok = join_steps(&x);
    if (ok) warn(&x);
    tfp_map64_free(&x.phases);
    tfp_map64_free(&x.answer_by_key);
    tfp_vec_free(&x.rows);
    tfp_vec_free(&x.signs);
    return ok && !b->status;
}
