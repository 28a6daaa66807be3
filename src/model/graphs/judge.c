// SPDX-License-Identifier: Apache-2.0
/* model/graphs/judge.c: finds the place of each replayed activity and how certain it is: from the nodes that it may be
 * in all candidate graphs, and in those that the order of the replays leaves. Replays with the same pattern and choice
 * share the answer. In: candidates and choices. Out: attributions. */
#include "model/graphs/parts.h"
#include "model/tables/code.h"
#include "model/tables/profile.h"

/* What the captured launches that an activity may be have in common. */
typedef struct shared {
    uint32_t first, modules; /* indexes in launches and places; first TFP_NONE: none yet */
    bool place, op, line, trace, dims;
    bool one; /* each graph has only one such launch */
} shared;

typedef struct answer { /* the answer for a pattern with a choice */
    uint32_t pattern;
    tfp_choice choice;
    size_t first; /* index in rows */
    bool crowded; /* too many graphs look alike */
} answer;

typedef struct judge {
    tfp_builder *b;
    const tfp_graph_tables *g;
    const tfp_matches *m;
    const tfp_replays *r;
    const tfp_choices *c;
    uint32_t *fit_of_signature; /* of the current pattern */
    TFP_VEC(answer) answers;
    tfp_map64 answer_by_hash;
    TFP_VEC(tfp_attribution) rows; /* rows of answers, in the order of the pattern */
    TFP_VEC(shared) all;           /* for each pattern, what all of its candidates have in common */
    tfp_map64 all_by_pattern;
    tfp_effort effort;
    tfp_map64 row_by_word; /* while a graph's answer is made: a word that occurs on several streams -> its row */
} judge;

typedef struct graph_list { /* a list of indexes in m->order */
    const uint32_t *at;
    size_t count;
} graph_list;

static graph_list all_of(const judge *j, uint32_t pattern)
{
    const tfp_candidates *c = &j->m->candidates.at[pattern];
    return (graph_list){ j->m->list.at + c->first, c->count };
}

static graph_list chosen_of(const judge *j, uint32_t pattern, tfp_choice c)
{
    return c.all ? all_of(j, pattern) : (graph_list){ j->c->list.at + c.first, c.count };
}

/* ---- what places share ---- */

static void add(judge *j, shared *s, uint32_t launch)
{
    const tfp_captured_launch *l = &j->g->launches.at[launch];
    if (s->first == TFP_NONE) {
        *s = (shared){ launch, l->modules, true, true, true, true, true, s->one };
        return;
    }
    const tfp_captured_launch *first = &j->g->launches.at[s->first];
    s->place &= l->place == first->place && l->line == first->line;
    s->op &= l->op == first->op;
    s->line &= l->line == first->line;
    s->trace &= l->trace == first->trace;
    s->dims &= l->dims == first->dims;
    uint64_t depths = (uint64_t)j->g->places.at[s->modules].depth + j->g->places.at[l->modules].depth;
    if (s->modules == l->modules || !tfp_effort_take(&j->effort, depths)) return;
    s->modules = tfp_graph_place_shared(j->g, s->modules, l->modules);
}

static shared share(judge *j, const tfp_pattern *p, uint32_t at, graph_list graphs)
{
    shared s = { .first = TFP_NONE, .one = true };
    const tfp_graph_sign *sign = &j->r->signs.at[p->first + at];
    for (size_t i = 0; i < graphs.count && tfp_effort_take(&j->effort, 1); i++) {
        uint32_t graph = j->m->order.at[graphs.at[i]], base = j->g->captured.at[graph].first, found = 0;
        const tfp_fit *fit = &j->m->fits.at[j->fit_of_signature[j->m->signature_of.at[graph]]];
        if (fit->ranges == SIZE_MAX) {
            add(j, &s, base + at);
            continue;
        }
        tfp_range32 range = j->m->ranges.at[fit->ranges + at];
        for (uint32_t node = range.low; node <= range.high && tfp_effort_take(&j->effort, 1); node++) {
            if (tfp_signs_agree(&j->g->launches.at[base + node].sign, sign) != TFP_AGREES) continue;
            add(j, &s, base + node);
            s.one &= !found++;
        }
    }
    return s;
}

/* ---- answers ---- */

static tfp_attribution whole(judge *j, const shared *s, tfp_certainty sure)
{
    const tfp_captured_launch *l = &j->g->launches.at[s->first];
    return (tfp_attribution){ .module = tfp_graph_place_text(j->b, l->modules),
                              .op = l->op,
                              .line = l->line,
                              .trace = l->trace,
                              .place = l->place,
                              .captured = s->dims ? s->first : TFP_NONE,
                              .call = TFP_NONE, /* found after the join */
                              .stats = TFP_NONE,
                              .certainty = (uint8_t)sure,
                              .line_from = l->line ? TFP_LINE_OF_FRAME : TFP_LINE_NOWHERE };
}

uint32_t tfp_graph_trace_of_line(tfp_builder *b, const tfp_captured_launch *l)
{
    const tfp_profile *p = b->p;
    const tfp_trace *t = &p->code->traces.at[l->trace];
    for (uint32_t i = t->count; i-- > 0;) {
        tfp_code_frame f = p->code->frames.at[p->code->trace_frames.at[t->first + i]];
        if (tfp_line_name(b, &f) == l->line) return tfp_build_trace(b, &f, 1);
    }
    return TFP_NONE;
}

static tfp_attribution partly(judge *j, const shared *s)
{
    const tfp_captured_launch *l = &j->g->launches.at[s->first];
    tfp_strid line = s->line ? l->line : 0;
    uint32_t trace = !line ? TFP_NONE : s->trace ? l->trace : tfp_graph_trace_of_line(j->b, l);
    return tfp_attribution_partly(j->b, s->modules, s->op ? &l->op : NULL, line, trace);
}

static tfp_attribution decide(judge *j, const answer *of, uint32_t at, shared all)
{
    const tfp_pattern *p = &j->r->patterns.at[of->pattern];
    shared chosen = all;
    if (!of->choice.all) chosen = share(j, p, at, chosen_of(j, of->pattern, of->choice));
    if (all.place) return whole(j, &chosen, TFP_SURE_BY_UNIQUE);
    if (all.one && chosen.place) return whole(j, &chosen, TFP_SURE_BY_ORDER);
    return partly(j, &chosen);
}

/* Activities of one name on several streams get the same answer, unless each has only one possible place. */
static bool decide_word(judge *j, const answer *of, uint32_t at, tfp_attribution *out)
{
    const tfp_pattern *p = &j->r->patterns.at[of->pattern];
    const tfp_graph_sign *sign = &j->r->signs.at[p->first + at];
    const tfp_fit *fit = &j->m->fits.at[j->m->candidates.at[of->pattern].fits];
    tfp_range32 range = j->m->ranges.at[fit->ranges + at];
    uint64_t word = (uint64_t)sign->kind << 32 | (sign->kind == TFP_LAUNCHES_KERNEL ? sign->kernel : 0);
    uint32_t known = range.low == range.high ? TFP_NONE : tfp_map64_get(&j->row_by_word, word);
    *out = known == TFP_NONE ? decide(j, of, at, share(j, p, at, all_of(j, of->pattern))) : j->rows.at[known];
    if (known != TFP_NONE || range.low == range.high) return true;
    return tfp_map64_put(&j->row_by_word, word, (uint32_t)j->rows.size);
}

/* What all candidates of a pattern have in common, for each of its positions; found once for all choices. SIZE_MAX: out
 * of memory. */
static size_t shared_by_all(judge *j, uint32_t pattern)
{
    const tfp_pattern *p = &j->r->patterns.at[pattern];
    uint32_t known = tfp_map64_get(&j->all_by_pattern, pattern);
    if (known != TFP_NONE) return known;
    size_t first = j->all.size;
    for (uint32_t i = 0; i < p->count; i++)
        if (!tfp_push(&j->all, share(j, p, i, all_of(j, pattern)))) return SIZE_MAX;
    return tfp_map64_put(&j->all_by_pattern, pattern, (uint32_t)first) ? first : SIZE_MAX;
}

/* Adds the rows of an answer that has candidates. */
static bool decide_all(judge *j, const answer *of)
{
    const tfp_pattern *p = &j->r->patterns.at[of->pattern];
    const tfp_candidates *c = &j->m->candidates.at[of->pattern];
    for (size_t i = 0; i < c->fit_count; i++)
        j->fit_of_signature[j->m->fits.at[c->fits + i].signature] = (uint32_t)(c->fits + i);
    size_t all = p->streams ? 0 : shared_by_all(j, of->pattern);
    tfp_map64_clear(&j->row_by_word);
    for (uint32_t i = 0; i < p->count && all != SIZE_MAX; i++) {
        tfp_attribution a;
        if (!p->streams) a = decide(j, of, i, j->all.at[all + i]);
        if (p->streams && !decide_word(j, of, i, &a)) return false;
        if (!tfp_push(&j->rows, a)) return false;
    }
    return all != SIZE_MAX;
}

static bool make_answer(judge *j, answer *of)
{
    const tfp_pattern *p = &j->r->patterns.at[of->pattern];
    const tfp_candidates *c = &j->m->candidates.at[of->pattern];
    of->first = j->rows.size;
    of->crowded = c->crowded;
    if (c->count && !decide_all(j, of)) return false;
    if (c->count && j->effort.spent)
        of->crowded = true; /* the search was cut short, so there may be further candidates */
    if (c->count && !of->crowded) return !j->b->status;
    tfp_no_place why = of->crowded ? TFP_AMBIGUOUS : c->all ? TFP_NO_MATCH : TFP_NO_CAPTURE;
    j->rows.size = of->first;
    for (uint32_t i = 0; i < p->count; i++)
        if (!tfp_push(&j->rows, tfp_attribution_none(why))) return false;
    return !j->b->status;
}

static bool same_choice(const judge *j, const answer *a, uint32_t pattern, tfp_choice c)
{
    if (a->pattern != pattern || a->choice.all != c.all || a->choice.count != c.count) return false;
    size_t bytes = c.count * sizeof *j->c->list.at;
    return c.all || memcmp(j->c->list.at + a->choice.first, j->c->list.at + c.first, bytes) == 0;
}

/* The answer for a replay, shared by patterns with the same candidates; NULL: out of memory. */
static const answer *answer_of(judge *j, size_t replay)
{
    uint32_t pattern = j->m->candidates.at[j->r->at.at[replay].pattern].like;
    tfp_choice c = j->c->at.at[replay];
    graph_list chosen = chosen_of(j, pattern, c);
    uint64_t words[] = { pattern, c.all, c.all ? 0 : tfp_hash(chosen.at, chosen.count * sizeof *chosen.at) };
    for (uint64_t key = tfp_hash(words, sizeof words);; key++) {
        uint32_t at = tfp_map64_get(&j->answer_by_hash, key);
        if (at != TFP_NONE && same_choice(j, &j->answers.at[at], pattern, c)) return &j->answers.at[at];
        if (at != TFP_NONE) continue;
        answer a = { .pattern = pattern, .choice = c };
        at = (uint32_t)j->answers.size;
        bool ok = make_answer(j, &a) && tfp_push(&j->answers, a) && tfp_map64_put(&j->answer_by_hash, key, at);
        return ok ? &j->answers.at[at] : NULL;
    }
}

bool tfp_replays_judge(tfp_builder *b, const tfp_matches *m, const tfp_choices *c, size_t *crowded)
{
    judge j = { .b = b, .g = m->g, .m = m, .r = m->r, .c = c, .effort = tfp_effort_of(m->g, m->r) };
    j.fit_of_signature = calloc(m->signatures.size + 1, sizeof *j.fit_of_signature);
    bool ok = j.fit_of_signature != NULL;
    for (size_t i = 0; ok && i < m->r->at.size; i++) {
        const tfp_replay *replay = &m->r->at.at[i];
        const answer *a = answer_of(&j, i);
        ok = a != NULL;
        *crowded += ok && a->crowded;
        for (uint32_t k = replay->first; ok && k < replay->first + replay->count; k++)
            tfp_attribute(b, m->r->activity[k], true, j.rows.at[a->first + m->r->position[k]]);
    }
    free(j.fit_of_signature);
    tfp_vec_free(&j.answers);
    tfp_map64_free(&j.answer_by_hash);
    tfp_vec_free(&j.rows);
    tfp_map64_free(&j.row_by_word);
    tfp_vec_free(&j.all);
    tfp_map64_free(&j.all_by_pattern);
    return ok && !b->status;
}
