// SPDX-License-Identifier: Apache-2.0
/* model/graphs/signatures.c: groups captured graphs that look alike, because all their launches have the same features, so
 * that each group is compared with replays once; and finds the graphs that an owner's replays may be. In: captured
 * graphs. Out: signatures, and for each owner its graphs and their signatures by size. */
#include "model/graphs/parts.h"
#include "query/order.h"

static const tfp_captured_graph *graph_at(const tfp_matches *m, uint32_t graph) { return &m->g->captured.at[graph]; }
static const tfp_graph_sign *node_at(const tfp_matches *m, uint32_t graph, uint32_t node)
{
    return &m->g->launches.at[graph_at(m, graph)->first + node].sign;
}

/* ---- graphs that look alike ---- */

static bool are_alike(const tfp_matches *m, uint32_t a, uint32_t b)
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

static bool find_signatures(tfp_matches *m)
{
    tfp_map64 by_hash = { 0 };
    bool ok = tfp_reserve(&m->signature_of, m->g->captured.size + 1);
    for (uint32_t i = 0; ok && i < m->g->captured.size; i++) {
        uint32_t at = TFP_NONE;
        for (uint64_t key = hash_of(m, i);; key++) {
            at = tfp_map64_get(&by_hash, key);
            if (at != TFP_NONE && !are_alike(m, m->signatures.at[at].graph, i)) continue;
            if (at != TFP_NONE) break;
            at = (uint32_t)m->signatures.size;
            ok = tfp_push(&m->signatures, ((tfp_signature){ i, TFP_NONE, names_known(m, i) })) &&
                 tfp_map64_put(&by_hash, key, at);
            break;
        }
        m->signature_of.at[m->signature_of.size++] = at;
    }
    tfp_map64_free(&by_hash);
    return ok;
}

/* ---- owners ---- */

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

bool tfp_signatures_find(tfp_matches *m) { return find_signatures(m) && order_graphs(m); }

/* Finds an owner's graphs, which are contiguous in `order`. */
static void find_piece(const tfp_matches *m, uint32_t owner, tfp_offer *o)
{
    size_t from = 0, end = m->order.size;
    const uint32_t *order = m->order.at;
    /* the first one that is not before it */
    TFP_LOWER_BOUND(from, from, end, graph_at(m, order[from])->owner < owner);
    for (end = from; end < m->order.size && graph_at(m, order[end])->owner == owner; end++) {}
    o->base = (uint32_t)from;
    o->all = (uint32_t)(end - from);
}

static bool smaller(const void *ctx, uint32_t a, uint32_t b)
{
    const tfp_matches *m = ctx;
    return graph_at(m, m->signatures.at[a].graph)->count < graph_at(m, m->signatures.at[b].graph)->count;
}

/* Adds the distinct signatures of an owner's graphs, sorted by number of nodes. */
static bool offer_signatures(tfp_matches *m, tfp_offer *o)
{
    o->first = m->offered.size;
    for (uint32_t i = o->base; i < o->base + o->all; i++) {
        uint32_t signature = m->signature_of.at[m->order.at[i]];
        if (m->signatures.at[signature].offered_to == o->base) continue;
        m->signatures.at[signature].offered_to = o->base;
        if (!tfp_push(&m->offered, signature)) return false;
    }
    o->count = m->offered.size - o->first;
    return tfp_sort(m->offered.at + o->first, o->count, smaller, m);
}

/* If there is only one capture it belongs to all owners. */
bool tfp_offer_of(tfp_matches *m, uint32_t owner, tfp_offer *o)
{
    size_t all = m->order.size;
    const uint32_t *order = m->order.at;
    bool alone = m->g->given && all && graph_at(m, order[0])->owner == graph_at(m, order[all - 1])->owner;
    if (alone) owner = graph_at(m, order[0])->owner;
    uint32_t known = tfp_map64_get(&m->offer_by_owner, owner);
    if (known != TFP_NONE) {
        *o = m->offers.at[known];
        return true;
    }
    *o = (tfp_offer){ 0 };
    find_piece(m, owner, o);
    if (o->all && !offer_signatures(m, o)) return false;
    known = (uint32_t)m->offers.size;
    return tfp_push(&m->offers, *o) && tfp_map64_put(&m->offer_by_owner, owner, known);
}
