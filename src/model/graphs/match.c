// SPDX-License-Identifier: Apache-2.0
/* model/graphs/match.c: which captured graphs a pattern of replays may be of. Graphs that look alike are compared once, and so are
 * replays: the work does not grow with either's number. In: replays and captured graphs. Out: the candidates of each pattern,
 * and which nodes each of its activities may be. */
#include "model/graphs/parts.h"

static const tfp_captured_graph *graph_at(const tfp_matches *m, uint32_t graph) { return &m->g->captured.at[graph]; }
static const tfp_graph_sign *node_at(const tfp_matches *m, uint32_t graph, uint32_t node)
{
    return &m->g->launches.at[graph_at(m, graph)->first + node].sign;
}
static const tfp_graph_sign *sign_at(const tfp_matches *m, const tfp_pattern *p, uint32_t at)
{
    return &m->r->signs.at[p->first + at];
}

/* ---- graphs that look alike ---- */

static bool look_alike(const tfp_matches *m, uint32_t a, uint32_t b)
{
    uint32_t count = graph_at(m, a)->count;
    if (graph_at(m, b)->count != count) return false;
    for (uint32_t i = 0; i < count; i++)
        if (memcmp(node_at(m, a, i), node_at(m, b, i), sizeof(tfp_graph_sign)) != 0) return false;
    return true;
}

static uint64_t hash_of(const tfp_matches *m, uint32_t graph)
{
    uint64_t hash = graph_at(m, graph)->count;
    for (uint32_t i = 0; i < graph_at(m, graph)->count; i++)
        hash = (hash ^ tfp_hash(node_at(m, graph, i), sizeof(tfp_graph_sign))) * UINT64_C(0x9e3779b97f4a7c15);
    return hash;
}

static bool names_known(const tfp_matches *m, uint32_t graph)
{
    for (uint32_t i = 0; i < graph_at(m, graph)->count; i++)
        if (node_at(m, graph, i)->kind == TFP_LAUNCHES_KERNEL && !node_at(m, graph, i)->kernel) return false;
    return true;
}

static bool find_looks(tfp_matches *m)
{
    tfp_map64 by_hash = { 0 };
    bool ok = tfp_reserve(&m->look_of, m->g->captured.size + 1);
    for (uint32_t i = 0; ok && i < m->g->captured.size; i++) {
        uint32_t at = TFP_NONE;
        for (uint64_t key = hash_of(m, i);; key++) {
            at = tfp_map64_get(&by_hash, key);
            if (at != TFP_NONE && !look_alike(m, m->looks.at[at].graph, i)) continue;
            if (at != TFP_NONE) break;
            at = (uint32_t)m->looks.size;
            ok = tfp_push(&m->looks, ((tfp_look){ i, names_known(m, i) })) && tfp_map64_put(&by_hash, key, at);
            break;
        }
        m->look_of.at[m->look_of.size++] = at;
    }
    tfp_map64_free(&by_hash);
    return ok;
}

/* ---- a pattern and a look ---- */

static bool fits_whole(const tfp_matches *m, const tfp_pattern *p, uint32_t graph)
{
    uint32_t agreed = 0;
    for (uint32_t i = 0; i < p->count; i++) {
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

/* The first and the last node that each activity may be, where nodes of the graph did not run. Their ranges are put; false:
 * the pattern is no subsequence. */
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

/* Nodes and activities by what they are: a kernel's name, or a copy or set. */
static uint64_t word_of(const tfp_graph_sign *s) { return s->kind == TFP_LAUNCHES_KERNEL ? s->kernel : UINT64_MAX - s->kind; }

typedef struct sorted { /* by word, then by their order */
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

/* Those of one word: in their order when they ran on one stream, else each may be any. */
static void range_word(const tfp_matches *m, const tfp_pattern *p, const uint32_t *activities, const uint32_t *nodes,
                       size_t count, tfp_range32 *ranges)
{
    bool several = false;
    const uint32_t *lanes = m->r->lanes.at + p->first;
    for (size_t i = 1; i < count; i++) several |= lanes[activities[i]] != lanes[activities[0]];
    for (size_t i = 0; i < count; i++)
        ranges[activities[i]] = several ? (tfp_range32){ nodes[0], nodes[count - 1] }
                                        : (tfp_range32){ nodes[i], nodes[i] };
}

/* Whether the same words come as often; *fits tells. False without memory. */
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

typedef enum way { WHOLE, BY_WORDS, IN_PART } way;

/* Whether the pattern fits a look in that way; the fit is added. */
static bool try_fit(tfp_matches *m, const tfp_pattern *p, uint32_t look, way w, bool *fits)
{
    uint32_t graph = m->looks.at[look].graph, nodes = graph_at(m, graph)->count;
    *fits = false;
    if (w == IN_PART ? nodes <= p->count || (uint64_t)nodes * 9 > (uint64_t)p->count * 10 : nodes != p->count) return true;
    if (w != WHOLE && !m->looks.at[look].named) return true;
    tfp_fit fit = { look, SIZE_MAX };
    if (w == WHOLE) {
        *fits = fits_whole(m, p, graph);
    } else {
        size_t from = m->ranges.size;
        if (!tfp_reserve(&m->ranges, from + p->count)) return false;
        fit.ranges = from;
        if (w == IN_PART) *fits = fits_in_part(m, p, graph, m->ranges.at + from);
        if (w == BY_WORDS && !fits_by_words(m, p, graph, m->ranges.at + from, fits)) return false;
        if (*fits) m->ranges.size = from + p->count;
    }
    return !*fits || tfp_push(&m->fits, fit);
}

/* The graphs of an owner are one piece of `order`. A capture that is alone belongs to all. */
static void find_owner(const tfp_matches *m, uint32_t owner, tfp_candidates *c)
{
    size_t all = m->order.size, from = 0, end = all;
    const uint32_t *order = m->order.at;
    bool alone = m->g->given && all && graph_at(m, order[0])->owner == graph_at(m, order[all - 1])->owner;
    if (!alone) {
        while (from < end) { /* the first that is not before it */
            size_t middle = from + (end - from) / 2;
            if (graph_at(m, order[middle])->owner < owner)
                from = middle + 1;
            else
                end = middle;
        }
        for (end = from; end < all && graph_at(m, order[end])->owner == owner; end++) {}
    }
    c->base = (uint32_t)from;
    c->all = (uint32_t)(end - from);
}

/* Adds the graphs of the owner that the pattern fits in that way. state: by look, whether it fits: each is tried once. */
static bool add_fitting(tfp_matches *m, const tfp_pattern *p, way w, uint8_t *state, tfp_candidates *c)
{
    enum { NOT_TRIED, FITS, DOES_NOT };
    for (uint32_t i = c->base; i < c->base + c->all; i++) state[m->look_of.at[m->order.at[i]]] = NOT_TRIED;
    for (uint32_t i = c->base; i < c->base + c->all; i++) {
        uint32_t look = m->look_of.at[m->order.at[i]];
        bool fits;
        if (state[look] == NOT_TRIED) {
            if (!try_fit(m, p, look, w, &fits)) return false;
            state[look] = fits ? FITS : DOES_NOT;
        }
        if (state[look] == FITS && !tfp_push(&m->list, i)) return false;
    }
    c->count = m->list.size - c->first;
    return true;
}

/* On several streams by words; else whole graphs, and only without such those of which nodes did not run. */
static bool find_candidates(tfp_matches *m, const tfp_pattern *p, uint8_t *state, tfp_candidates *c)
{
    c->fits = m->fits.size;
    c->first = m->list.size;
    if (!add_fitting(m, p, p->streams ? BY_WORDS : WHOLE, state, c)) return false;
    if (!c->count && !p->streams && !add_fitting(m, p, IN_PART, state, c)) return false;
    c->fit_count = m->fits.size - c->fits;
    return true;
}

static bool order_graphs(tfp_matches *m)
{
    size_t count = m->g->captured.size;
    uint64_t *owner = malloc((count + 1) * sizeof *owner);
    bool ok = owner && tfp_reserve(&m->order, count + 1);
    for (uint32_t i = 0; ok && i < count; i++) {
        owner[i] = graph_at(m, i)->owner;
        m->order.at[m->order.size++] = i;
    }
    ok = ok && tfp_sort_keys(m->order.at, count, owner);
    free(owner);
    return ok;
}

bool tfp_matches_find(const tfp_graph_tables *g, const tfp_replays *r, tfp_matches *m)
{
    *m = (tfp_matches){ .g = g, .r = r };
    bool ok = find_looks(m) && order_graphs(m);
    uint8_t *state = ok ? calloc(m->looks.size + 1, 1) : NULL;
    ok = ok && state;
    for (size_t i = 0; ok && i < r->patterns.size; i++) {
        tfp_candidates c = { 0 };
        find_owner(m, r->patterns.at[i].owner, &c);
        ok = find_candidates(m, &r->patterns.at[i], state, &c) && tfp_push(&m->candidates, c);
    }
    free(state);
    return ok;
}

void tfp_matches_free(tfp_matches *m)
{
    tfp_vec_free(&m->looks);
    tfp_vec_free(&m->look_of);
    tfp_vec_free(&m->order);
    tfp_vec_free(&m->fits);
    tfp_vec_free(&m->ranges);
    tfp_vec_free(&m->list);
    tfp_vec_free(&m->candidates);
}
