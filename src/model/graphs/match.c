// SPDX-License-Identifier: Apache-2.0
/* model/graphs/match.c: finds the captured graphs that a pattern of replays may be. Graphs that look alike are compared
 * once, and so are replays. In: replays and captured graphs. Out: the candidates of each pattern, and the nodes that
 * each of its activities may be. Patterns that fit the same graphs share their list. The total effort is limited:
 * patterns beyond the limit have no candidates. */
#include "model/graphs/parts.h"
#include "query/order.h"

static const tfp_captured_graph *graph_at(const tfp_matches *m, uint32_t graph) { return &m->g->captured.at[graph]; }
static uint32_t nodes_of(const tfp_matches *m, uint32_t signature)
{
    return graph_at(m, m->signatures.at[signature].graph)->count;
}
static const tfp_graph_sign *node_at(const tfp_matches *m, uint32_t graph, uint32_t node)
{
    return &m->g->launches.at[graph_at(m, graph)->first + node].sign;
}
static const tfp_graph_sign *sign_at(const tfp_matches *m, const tfp_pattern *p, uint32_t at)
{
    return &m->r->signs.at[p->first + at];
}

/* ---- effort: how much the matching may compare ---- */

/* Limit of comparisons. Real traces stay far below it: a server with 70 batch sizes and 60 pieces of a model needs some
 * millions. */
#define LEAST (UINT64_C(4) << 20)
enum { EACH = 64 }; /* further comparisons for each captured launch and replayed activity */

tfp_effort tfp_effort_of(const tfp_graph_tables *g, const tfp_replays *r)
{
    return (tfp_effort){ .left = LEAST + EACH * ((uint64_t)g->launches.size + r->count) };
}

bool tfp_effort_take(tfp_effort *e, uint64_t comparisons)
{
    if (e->spent || comparisons > e->left) e->spent = true;
    if (!e->spent) e->left -= comparisons;
    return !e->spent;
}

/* ---- a pattern and a signature ---- */

static bool fits_whole(tfp_matches *m, const tfp_pattern *p, uint32_t graph)
{
    uint32_t agreed = 0;
    for (uint32_t i = 0; i < p->count && tfp_effort_take(&m->effort, 1); i++) {
        tfp_agreement a = tfp_signs_agree(node_at(m, graph, i), sign_at(m, p, i));
        if (a == TFP_CONTRADICTS) return false;
        agreed += a == TFP_AGREES;
    }
    return agreed >= p->count - agreed;
}

static bool agrees(const tfp_matches *m, const tfp_pattern *p, uint32_t at, uint32_t graph, uint32_t node)
{
    return tfp_signs_agree(node_at(m, graph, node), sign_at(m, p, at)) == TFP_AGREES;
}

/* Finds for each activity the range of nodes that it may be, when some nodes of the graph did not run. False: the
 * pattern is no subsequence of the graph. */
static bool fits_in_part(const tfp_matches *m, const tfp_pattern *p, uint32_t graph, tfp_range32 *ranges)
{
    uint32_t nodes = graph_at(m, graph)->count, node = 0;
    for (uint32_t i = 0; i < p->count; i++, node++) {
        while (node < nodes && !agrees(m, p, i, graph, node)) node++;
        if (nodes - node < p->count - i) return false;
        ranges[i].low = node;
    }
    node = nodes;
    for (uint32_t i = p->count; i-- > 0;) {
        while (!agrees(m, p, i, graph, --node)) {}
        ranges[i].high = node;
    }
    return true;
}

/* ---- several streams ---- */

/* The word of a node or an activity: a kernel's name, or a copy or memset. */
static uint64_t word_of(const tfp_graph_sign *s)
{
    return s->kind == TFP_LAUNCHES_KERNEL ? s->kernel : UINT64_MAX - s->kind;
}

typedef struct sorted { /* sorted by word, then by order */
    uint32_t *at;
    uint64_t *word;
} sorted;

static bool sort_words(sorted *s, const tfp_graph_sign *first, size_t stride, uint32_t count)
{
    s->at = malloc((count + 1) * sizeof *s->at);
    s->word = malloc((count + 1) * sizeof *s->word);
    if (!s->at || !s->word) return false;
    for (uint32_t i = 0; i < count; i++) {
        s->at[i] = i;
        s->word[i] = word_of((const tfp_graph_sign *)((const char *)first + i * stride));
    }
    return tfp_sort_keys(s->at, count, s->word);
}

/* Sets the ranges for activities with one word: in order if they ran on one stream, otherwise each may be any of the
 * nodes. */
static void range_word(const tfp_matches *m, const tfp_pattern *p, const uint32_t *activities, const uint32_t *nodes,
                       size_t count, tfp_range32 *ranges)
{
    bool several = false;
    const uint32_t *lanes = m->r->lanes.at + p->first;
    for (size_t i = 1; i < count; i++) several |= lanes[activities[i]] != lanes[activities[0]];
    for (size_t i = 0; i < count; i++)
        ranges[activities[i]] =
            several ? (tfp_range32){ nodes[0], nodes[count - 1] } : (tfp_range32){ nodes[i], nodes[i] };
}

/* Whether graph and pattern have the same words equally often, in *fits. False: out of memory. */
static bool fits_by_words(const tfp_matches *m, const tfp_pattern *p, uint32_t graph, tfp_range32 *ranges, bool *fits)
{
    sorted a = { 0 }, n = { 0 };
    bool ok = sort_words(&a, sign_at(m, p, 0), sizeof(tfp_graph_sign), p->count) &&
              sort_words(&n, node_at(m, graph, 0), sizeof(tfp_captured_launch), p->count);
    *fits = ok;
    for (uint32_t i = 0; ok && *fits && i < p->count; i++) *fits = a.word[a.at[i]] == n.word[n.at[i]];
    for (uint32_t i = 0, end; ok && *fits && i < p->count; i = end) {
        for (end = i; end < p->count && a.word[a.at[end]] == a.word[a.at[i]]; end++) {}
        range_word(m, p, a.at + i, n.at + i, end - i, ranges);
    }
    free(a.at);
    free(a.word);
    free(n.at);
    free(n.word);
    return ok;
}

/* ---- candidates ---- */

enum { FIT = 8 }; /* how many comparisons the memory of a fit counts as */

typedef enum method { WHOLE, BY_WORDS, IN_PART } method;

/* Tries whether the pattern fits a signature in that way, and adds the fit. */
static bool try_fit(tfp_matches *m, const tfp_pattern *p, uint32_t signature, method w, bool *fits)
{
    uint32_t graph = m->signatures.at[signature].graph, nodes = nodes_of(m, signature);
    tfp_fit fit = { signature, SIZE_MAX };
    *fits = false;
    if (w == WHOLE) {
        *fits = fits_whole(m, p, graph);
    } else if (m->signatures.at[signature].named && tfp_effort_take(&m->effort, (uint64_t)nodes + p->count)) {
        size_t from = m->ranges.size;
        if (!tfp_reserve(&m->ranges, from + p->count)) return false;
        fit.ranges = from;
        if (w == IN_PART) *fits = fits_in_part(m, p, graph, m->ranges.at + from);
        if (w == BY_WORDS && !fits_by_words(m, p, graph, m->ranges.at + from, fits)) return false;
        if (*fits) m->ranges.size = from + p->count;
    }
    return !*fits || (tfp_effort_take(&m->effort, FIT), tfp_push(&m->fits, fit));
}

/* The first of an owner's signatures, sorted by size, that has at least this many nodes. */
static size_t first_signature(const tfp_matches *m, const tfp_offer *o, uint64_t nodes)
{
    size_t from;
    TFP_LOWER_BOUND(from, o->first, o->first + o->count, nodes_of(m, m->offered.at[from]) < nodes);
    return from;
}

/* Adds the signatures that the pattern fits in that way. */
static bool add_fitting(tfp_matches *m, const tfp_pattern *p, method w, const tfp_offer *o, tfp_candidates *c)
{
    uint64_t least = w == IN_PART ? (uint64_t)p->count + 1 : p->count,
             most = w == IN_PART ? (uint64_t)p->count * 10 / 9 : p->count;
    for (size_t i = first_signature(m, o, least); i < o->first + o->count && nodes_of(m, m->offered.at[i]) <= most;
         i++) {
        bool fits;
        if (!tfp_effort_take(&m->effort, 1)) break;
        if (!try_fit(m, p, m->offered.at[i], w, &fits)) return false;
    }
    c->fit_count = m->fits.size - c->fits;
    return true;
}

/* An earlier pattern that fits the same signatures as whole graphs, or TFP_NONE. *key: its key. */
static uint32_t like_of(const tfp_matches *m, const tfp_candidates *c, uint64_t *key)
{
    const tfp_fit *fits = m->fits.at + c->fits;
    *key = c->base;
    for (size_t i = 0; i < c->fit_count; i++) *key = (*key ^ fits[i].signature) * UINT64_C(0x9e3779b97f4a7c15);
    for (;; ++*key) {
        uint32_t at = tfp_map64_get(&m->like_by_hash, *key);
        if (at == TFP_NONE) return at;
        const tfp_candidates *other = &m->candidates.at[at];
        bool same = other->base == c->base && other->fit_count == c->fit_count;
        for (size_t i = 0; same && i < c->fit_count; i++)
            same = m->fits.at[other->fits + i].signature == fits[i].signature;
        if (same) return at;
    }
}

/* Lists the graphs with signatures that the pattern fits. state: one zero byte for each signature. */
static bool list_graphs(tfp_matches *m, uint8_t *state, tfp_candidates *c)
{
    bool ok = true;
    c->first = m->list.size;
    if (!tfp_effort_take(&m->effort, c->all)) return true;
    for (size_t i = 0; i < c->fit_count; i++) state[m->fits.at[c->fits + i].signature] = 1;
    for (uint32_t i = c->base; ok && i < c->base + c->all; i++)
        if (state[m->signature_of.at[m->order.at[i]]]) ok = tfp_push(&m->list, i);
    for (size_t i = 0; i < c->fit_count; i++) state[m->fits.at[c->fits + i].signature] = 0;
    c->count = m->list.size - c->first;
    return ok;
}

/* Finds candidates: on several streams by words; otherwise whole graphs, and only if there are none, graphs of which
 * some nodes did not run. */
static bool find_candidates(tfp_matches *m, const tfp_pattern *p, uint8_t *state, tfp_candidates *c)
{
    tfp_offer o;
    uint64_t key = 0;
    size_t ranges = m->ranges.size;
    if (!tfp_offer_of(m, p->owner, &o)) return false;
    *c = (tfp_candidates){ .base = o.base, .all = o.all, .fits = m->fits.size, .like = (uint32_t)m->candidates.size };
    if (!add_fitting(m, p, p->streams ? BY_WORDS : WHOLE, &o, c)) return false;
    if (!c->fit_count && !p->streams && !add_fitting(m, p, IN_PART, &o, c)) return false;
    bool whole = c->fit_count && m->fits.at[c->fits].ranges == SIZE_MAX;
    uint32_t like = whole && !m->effort.spent ? like_of(m, c, &key) : TFP_NONE;
    if (like != TFP_NONE) {
        m->fits.size = c->fits;
        *c = m->candidates.at[like];
        return true;
    }
    if (c->fit_count && !list_graphs(m, state, c)) return false;
    if (!m->effort.spent) return !whole || tfp_map64_put(&m->like_by_hash, key, c->like);
    m->fits.size = c->fits;
    m->ranges.size = ranges;
    c->fit_count = c->count = 0;
    return c->crowded = true;
}

bool tfp_matches_find(const tfp_graph_tables *g, const tfp_replays *r, tfp_matches *m)
{
    *m = (tfp_matches){ .g = g, .r = r, .effort = tfp_effort_of(g, r) };
    bool ok = tfp_signatures_find(m);
    uint8_t *state = ok ? calloc(m->signatures.size + 1, 1) : NULL;
    ok = ok && state;
    for (size_t i = 0; ok && i < r->patterns.size; i++) {
        tfp_candidates c;
        ok = find_candidates(m, &r->patterns.at[i], state, &c) && tfp_push(&m->candidates, c);
    }
    free(state);
    return ok;
}

void tfp_matches_free(tfp_matches *m)
{
    tfp_vec_free(&m->signatures);
    tfp_vec_free(&m->signature_of);
    tfp_vec_free(&m->order);
    tfp_vec_free(&m->offered);
    tfp_vec_free(&m->offers);
    tfp_map64_free(&m->offer_by_owner);
    tfp_map64_free(&m->like_by_hash);
    tfp_vec_free(&m->fits);
    tfp_vec_free(&m->ranges);
    tfp_vec_free(&m->list);
    tfp_vec_free(&m->candidates);
}
