// SPDX-License-Identifier: Apache-2.0
/* formats/hlo/runs.c: how often one run of an HLO module executes each of its computations: once for each call, times
 * the iterations of loops. In a conditional the branch with the most float operations counts. Computations are visited
 * in topological order, callers before callees, so nothing recurses; computations that call themselves never run. */
#include "formats/hlo/hlo.h"
#include "model/tables/instructions.h"
#include "model/tables/profile.h"

bool tfp_hlo_is(const tfp_builder *b, const tfp_hlo_instruction *i, const char *opcode)
{
    return tfp_str_eq(tfp_text(b->p, i->opcode), tfp_str_of(opcode));
}

typedef struct walk {
    const tfp_builder *b;
    const tfp_hlo_module *m;
    tfp_hlo_runs *r;
    uint32_t *waits; /* for each computation: calls of it that are not visited yet */
    uint32_t *order; /* computations, callers before callees */
    int64_t *total;  /* for each computation: float operations of one execution, with everything that it calls */
    size_t count;
} walk;

/* The k-th computation that an instruction calls, or TFP_NONE. */
static uint32_t callee(const walk *w, const tfp_hlo_instruction *i, uint32_t k)
{
    return w->m->links.at[i->called_first + k];
}

static void find_callers(const walk *w)
{
    const tfp_hlo_module *m = w->m;
    for (uint32_t i = 0; i < m->instructions.size; i++) {
        const tfp_hlo_instruction *n = &m->instructions.at[i];
        for (uint32_t k = 0; k < n->called_count; k++) {
            uint32_t c = callee(w, n, k);
            if (c == TFP_NONE) continue;
            w->waits[c]++;
            if (w->r->caller[c] == TFP_NONE) w->r->caller[c] = i;
        }
    }
}

static void sort_computations(walk *w)
{
    const tfp_hlo_module *m = w->m;
    for (uint32_t c = 0; c < m->computations.size; c++)
        if (!w->waits[c]) w->order[w->count++] = c;
    for (size_t at = 0; at < w->count; at++) {
        const tfp_hlo_computation *c = &m->computations.at[w->order[at]];
        for (uint32_t i = c->first; i < c->first + c->count; i++) {
            const tfp_hlo_instruction *n = &m->instructions.at[i];
            for (uint32_t k = 0; k < n->called_count; k++) {
                uint32_t to = callee(w, n, k);
                if (to != TFP_NONE && --w->waits[to] == 0) w->order[w->count++] = to;
            }
        }
    }
}

/* ---- which branch of a conditional is taken ---- */

/* The number of the branch with the most float operations; TFP_NONE: there is no branch. */
static uint32_t expensive_branch(const walk *w, const tfp_hlo_instruction *n)
{
    uint32_t best = TFP_NONE;
    int64_t most = -1;
    for (uint32_t k = 0; k < n->called_count; k++) {
        uint32_t c = callee(w, n, k);
        if (c == TFP_NONE || w->total[c] <= most) continue;
        most = w->total[c];
        best = k;
    }
    return best;
}

/* Whether the instructions of a called computation run one by one, not as a part of the calling instruction. */
static bool runs_apart(const walk *w, const tfp_hlo_instruction *n)
{
    return tfp_hlo_is(w->b, n, "while") || tfp_hlo_is(w->b, n, "conditional") || tfp_hlo_is(w->b, n, "call");
}

/* How often one execution of an instruction executes the k-th computation that it calls. */
static int64_t times_of(const walk *w, const tfp_hlo_instruction *n, uint32_t k)
{
    if (tfp_hlo_is(w->b, n, "conditional")) return k == expensive_branch(w, n);
    return tfp_hlo_is(w->b, n, "while") && n->trips >= 0 ? n->trips : 1;
}

/* Adds up the totals, callees first. */
static void find_totals(const walk *w)
{
    const tfp_hlo_module *m = w->m;
    for (size_t at = w->count; at-- > 0;) {
        const tfp_hlo_computation *c = &m->computations.at[w->order[at]];
        int64_t sum = 0;
        for (uint32_t i = c->first; i < c->first + c->count; i++) {
            const tfp_hlo_instruction *n = &m->instructions.at[i];
            bool apart = runs_apart(w, n);
            if (!apart) sum = tfp_add(sum, n->cost.flops, NULL);
            for (uint32_t k = 0; apart && k < n->called_count; k++) {
                uint32_t to = callee(w, n, k);
                if (to != TFP_NONE) sum = tfp_add(sum, tfp_mul(w->total[to], times_of(w, n, k), NULL), NULL);
            }
        }
        w->total[w->order[at]] = sum;
    }
}

/* ---- runs ---- */

static void find_runs(const walk *w)
{
    const tfp_hlo_module *m = w->m;
    tfp_hlo_runs *r = w->r;
    for (size_t at = 0; at < w->count; at++) {
        uint32_t from = w->order[at];
        const tfp_hlo_computation *c = &m->computations.at[from];
        if (from == m->entry) r->runs[from] = 1;
        if (from == m->entry) r->alone[from] = true;
        for (uint32_t i = c->first; i < c->first + c->count; i++) {
            const tfp_hlo_instruction *n = &m->instructions.at[i];
            for (uint32_t k = 0; k < n->called_count; k++) {
                uint32_t to = callee(w, n, k);
                if (to == TFP_NONE) continue;
                r->runs[to] = tfp_add(r->runs[to], tfp_mul(r->runs[from], times_of(w, n, k), NULL), NULL);
                r->alone[to] |= r->alone[from] && runs_apart(w, n);
            }
        }
    }
}

bool tfp_hlo_runs_new(const tfp_builder *b, const tfp_hlo_module *m, tfp_hlo_runs *r)
{
    size_t n = m->computations.size + 1;
    walk w = { .b = b, .m = m, .r = r };
    *r = (tfp_hlo_runs){ malloc(n * sizeof *r->caller), calloc(n, sizeof *r->runs), calloc(n, sizeof *r->alone) };
    w.waits = calloc(n, sizeof *w.waits);
    w.order = calloc(n, sizeof *w.order);
    w.total = calloc(n, sizeof *w.total);
    bool fine = r->caller && r->runs && r->alone && w.waits && w.order && w.total;
    if (fine) {
        memset(r->caller, 0xff, n * sizeof *r->caller); /* TFP_NONE */
        find_callers(&w);
        sort_computations(&w);
        find_totals(&w);
        find_runs(&w);
    }
    free(w.waits);
    free(w.order);
    free(w.total);
    return fine;
}

void tfp_hlo_runs_free(tfp_hlo_runs *r)
{
    free(r->caller);
    free(r->runs);
    free(r->alone);
}
