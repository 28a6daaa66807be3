// SPDX-License-Identifier: Apache-2.0
/* model/graphs/eager_place.c: lays a sequence of activities over the pass of a run without graphs that fits best: by the longest common
 * subsequence of names, then gaps with as many launches as activities. Nothing is placed where longest common subsequences differ. */
#include "model/graphs/lcs.h"
#include "model/graphs/eager.h"

/* Pairs of names that are compared for one sequence: those of all passes, and those whose positions are found. */
#define PAIRS_COMPARED 40000000000.0
#define PAIRS_ALIGNED 2000000000.0
enum { TIED_MOST = 4 }; /* passes that fit equally well and are looked at */

typedef struct placer {
    tfp_builder *b;
    const tfp_graph_tables *g;
    const tfp_graph_sign *signs;
    uint32_t count;
    tfp_map64 number; /* of each name */
    uint32_t *names;  /* of the sequence, as numbers */
    TFP_VEC(uint32_t) pass_names;
    double compared, aligned; /* what is left of the limits */
    const tfp_eager_pass *pass;
    tfp_eager_row *rows;
} placer;

static const tfp_captured_launch *launch_at(const placer *x, uint32_t position)
{
    return &x->g->eager.at[x->pass->first + position];
}

/* ---- rows ---- */

static bool number_of(placer *x, tfp_strid name, uint32_t *out)
{
    *out = tfp_map64_get(&x->number, name);
    if (*out != TFP_NONE) return true;
    *out = (uint32_t)x->number.count;
    return tfp_map64_put(&x->number, name, *out);
}

static bool row_of_pass(placer *x, const tfp_eager_pass *p, tfp_row_of_names *out)
{
    x->pass_names.size = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        uint32_t n;
        if (!number_of(x, x->g->eager.at[p->first + i].sign.kernel, &n) || !tfp_push(&x->pass_names, n)) return false;
    }
    *out = (tfp_row_of_names){ x->pass_names.at, p->count };
    return true;
}

/* ---- the place of an item ---- */

static void put(placer *x, tfp_eager_row *row, uint32_t position)
{
    const tfp_captured_launch *l = launch_at(x, position), *first;
    if (row->launch == TFP_NONE) {
        *row = (tfp_eager_row){ .launch = x->pass->first + position,
                                .modules = l->modules,
                                .low = position,
                                .high = position,
                                .certainty = TFP_SURE_BY_EAGER,
                                .op = true,
                                .line = true,
                                .trace = true,
                                .at = true };
        return;
    }
    first = &x->g->eager.at[row->launch];
    row->high = position;
    row->op &= l->op == first->op;
    row->line &= l->line == first->line;
    row->trace &= l->trace == first->trace;
    row->at &= l->place == first->place;
    if (l->modules != first->modules || !row->op || !row->line) row->certainty = TFP_SURE_BY_PARTIAL;
    if (row->modules != l->modules) row->modules = tfp_graph_place_shared(x->g, row->modules, l->modules);
}

static bool take(void *ctx, uint32_t item, uint32_t position)
{
    placer *x = ctx;
    put(x, &x->rows[item], position);
    return true;
}

/* ---- gaps ---- */

static tfp_agreement agree(const placer *x, uint32_t position, uint32_t item)
{
    tfp_graph_sign launch = launch_at(x, position)->sign, activity = x->signs[item];
    launch.kernel = 0; /* names are known to differ */
    return tfp_signs_agree(&launch, &activity);
}

static bool is_sure(const tfp_eager_row *row) { return row->low == row->high; }

/* What the neighbours of a gap share. */
static void put_partly(placer *x, uint32_t from, uint32_t end)
{
    uint32_t modules = 0;
    if (from && end < x->count) modules = tfp_graph_place_shared(x->g, x->rows[from - 1].modules, x->rows[end].modules);
    for (uint32_t i = from; i < end; i++) {
        x->rows[i].modules = modules;
        x->rows[i].certainty = modules ? TFP_SURE_BY_PARTIAL : TFP_SURE_BY_NONE;
        x->rows[i].reason = modules ? TFP_PLACE_KNOWN : TFP_AMBIGUOUS;
    }
}

/* Fills the gap of items from..end, between neighbours. */
static void fill_gap(placer *x, uint32_t from, uint32_t end)
{
    bool before = from > 0, behind = end < x->count;
    uint32_t k = end - from, low = before ? x->rows[from - 1].high + 1 : 0,
             high = behind ? x->rows[end].low : x->pass->count;
    bool sure = (before || behind) && (!before || is_sure(&x->rows[from - 1])) && (!behind || is_sure(&x->rows[end])) &&
                high >= low;
    tfp_agreement least = TFP_CONTRADICTS;
    if (sure && high - low > k && before != behind) { /* the pass goes on: the launches beside the neighbour */
        if (before) high = low + k;
        low = high - k;
        least = TFP_SAYS_NOTHING;
    }
    sure = sure && high - low == k;
    for (uint32_t i = 0; i < k && sure; i++) sure = agree(x, low + i, from + i) > least;
    if (!sure) {
        put_partly(x, from, end);
        return;
    }
    for (uint32_t i = 0; i < k; i++) {
        put(x, &x->rows[from + i], low + i);
        x->rows[from + i].certainty = TFP_SURE_BY_SIMILAR;
    }
}

static void fill_gaps(placer *x)
{
    uint8_t *placed = calloc(x->count + 1, 1); /* before gaps are filled */
    if (!placed) {
        x->b->status = TFP_NOMEM;
        return;
    }
    for (uint32_t i = 0; i < x->count; i++) placed[i] = x->rows[i].launch != TFP_NONE;
    for (uint32_t i = 0, end; i < x->count; i = end + 1) {
        for (end = i; end < x->count && !placed[end]; end++) {}
        if (end > i) fill_gap(x, i, end);
    }
    free(placed);
}

/* ---- passes ---- */

static void clear(placer *x, tfp_no_place why)
{
    for (uint32_t i = 0; i < x->count; i++)
        x->rows[i] = (tfp_eager_row){
            .launch = TFP_NONE, .low = TFP_NONE, .high = TFP_NONE, .certainty = TFP_SURE_BY_NONE, .reason = (uint8_t)why
        };
}

/* Lays the sequence over a pass. Returns how many places are whole; SIZE_MAX: out of memory, or too many pairs. */
static size_t lay(placer *x, uint32_t pass)
{
    tfp_row_of_names row, names = { x->names, x->count };
    size_t placed = 0;
    x->pass = &x->g->passes.at[pass];
    clear(x, TFP_AMBIGUOUS);
    double pairs = (double)x->count * x->pass->count;
    x->aligned -= pairs;
    if (pairs > TFP_ALIGN_CELLS_MOST || x->aligned < 0) return SIZE_MAX;
    if (!row_of_pass(x, x->pass, &row) || !tfp_lcs_align(names, row, take, x)) {
        x->b->status = TFP_NOMEM;
        return SIZE_MAX;
    }
    fill_gaps(x);
    for (uint32_t i = 0; i < x->count; i++)
        placed += x->rows[i].certainty == TFP_SURE_BY_EAGER || x->rows[i].certainty == TFP_SURE_BY_SIMILAR;
    return placed;
}

typedef struct tied { /* the passes that fit best */
    uint32_t at[TIED_MOST], count, length;
} tied;

/* Finds the best passes of the phase, or of the others. False: out of memory. */
static bool find_best(placer *x, unsigned phase, bool others, tied *best)
{
    tfp_row_of_names row, names = { x->names, x->count };
    for (uint32_t i = 0; i < x->g->passes.size; i++) {
        const tfp_eager_pass *p = &x->g->passes.at[i];
        if ((p->phase == phase) == others) continue;
        x->compared -= (double)x->count * p->count;
        if (x->compared < 0) return true;
        if (!row_of_pass(x, p, &row)) return false;
        uint32_t length = tfp_lcs_length(names, row);
        if (length == UINT32_MAX) return false;
        if (length > best->length || !best->count) best->count = 0, best->length = length;
        if (length == best->length && best->count < TIED_MOST) best->at[best->count++] = i;
    }
    return true;
}

static bool fits(const placer *x, const tied *best) { return best->count && 2 * (uint64_t)best->length >= x->count; }

/* Takes the first of the passes that place most. */
static size_t lay_best(placer *x, const tied *best)
{
    size_t most = 0;
    uint32_t which = 0, last = 0;
    for (uint32_t i = 0; i < best->count; i++) {
        size_t placed = lay(x, best->at[last = i]);
        if (placed == SIZE_MAX) return SIZE_MAX;
        if (!i || placed > most) most = placed, which = i;
        if (placed == x->count) break;
    }
    return which == last ? most : lay(x, best->at[which]);
}

size_t tfp_eager_place(tfp_builder *b, const tfp_graph_sign *signs, uint32_t count, unsigned phase, tfp_eager_row *out,
                       tfp_eager_fit *fit)
{
    placer x = { .b = b,
                 .g = b->p->captures,
                 .signs = signs,
                 .count = count,
                 .rows = out,
                 .compared = PAIRS_COMPARED,
                 .aligned = PAIRS_ALIGNED,
                 .names = malloc((count + 1) * sizeof *x.names) };
    tied best = { .count = 0 };
    bool ok = x.names != NULL;
    size_t placed = 0;
    for (uint32_t i = 0; ok && i < count; i++) {
        tfp_strid name = tfp_eager_name(b, tfp_text(b->p, signs[i].kernel));
        ok = !b->status && number_of(&x, name, &x.names[i]);
    }
    ok = ok && find_best(&x, phase, false, &best);
    if (ok && !fits(&x, &best)) {
        tied others = { .count = 0 };
        ok = find_best(&x, phase, true, &others);
        if (others.length > best.length) best = others;
    }
    *fit = (tfp_eager_fit){ .share = count ? (double)best.length / count : 0, .too_big = x.compared < 0 };
    if (ok) clear(&x, fit->too_big ? TFP_AMBIGUOUS : TFP_NO_MATCH);
    if (ok && !fit->too_big && fits(&x, &best)) {
        placed = lay_best(&x, &best);
        fit->too_big = placed == SIZE_MAX && !b->status;
        if (fit->too_big) clear(&x, TFP_AMBIGUOUS);
    }
    free(x.names);
    tfp_map64_free(&x.number);
    tfp_vec_free(&x.pass_names);
    return ok && !b->status ? placed : SIZE_MAX;
}
