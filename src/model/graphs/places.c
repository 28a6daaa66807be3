// SPDX-License-Identifier: Apache-2.0
/* model/graphs/places.c: places in a captured model: names below names, each stored once. */
#include "model/graphs/parts.h"
#include "model/tables/profile.h"

enum { TEXT_MOST = 16 << 10 };
enum { DEPTH_MOST = 256 }; /* most names of a place; deeper names are put beside the last one */

static bool start(tfp_graph_tables *g)
{
    return g->places.size || tfp_push(&g->places, ((tfp_graph_place){ 0, 0, 0 }));
}

uint32_t tfp_graph_place_below(tfp_builder *b, uint32_t parent, tfp_strid name)
{
    tfp_graph_tables *g = b->p->captures;
    if (parent && g->places.at[parent].depth >= DEPTH_MOST) parent = g->places.at[parent].parent;
    uint64_t key = (uint64_t)parent << 32 | name;
    uint32_t at = tfp_map64_get(&g->place_by_name, key);
    if (at != TFP_NONE || b->status) return at == TFP_NONE ? 0 : at;
    bool ok = start(g) && g->places.size < TFP_NONE - 1;
    at = (uint32_t)g->places.size;
    ok = ok && tfp_push(&g->places, ((tfp_graph_place){ parent, g->places.at[parent].depth + 1, name })) &&
         tfp_map64_put(&g->place_by_name, key, at);
    if (!ok) b->status = TFP_NOMEM;
    return ok ? at : 0;
}

uint32_t tfp_graph_place_shared(const tfp_graph_tables *g, uint32_t a, uint32_t b)
{
    while (a != b) {
        const tfp_graph_place *x = &g->places.at[a], *y = &g->places.at[b];
        if (x->depth >= y->depth) a = x->parent;
        if (y->depth >= x->depth) b = y->parent;
    }
    return a;
}

static tfp_strid join_names(tfp_builder *b, uint32_t place)
{
    const tfp_graph_tables *g = b->p->captures;
    size_t length = 0;
    tfp_buf text = { 0 };
    for (uint32_t i = place; i; i = g->places.at[i].parent) length += tfp_text(b->p, g->places.at[i].name).size + 1;
    /* a text that is too long keeps only its outer names */
    while (length > TEXT_MOST + 1 && g->places.at[place].parent) {
        length -= tfp_text(b->p, g->places.at[place].name).size + 1;
        place = g->places.at[place].parent;
    }
    tfp_buf_fill(&text, '/', length - 1);
    size_t at = length - 1;
    for (uint32_t i = place; i && !text.failed; i = g->places.at[i].parent) {
        tfp_str name = tfp_text(b->p, g->places.at[i].name);
        at -= name.size;
        if (name.size) memcpy(text.data + at, name.data, name.size);
        at -= at > 0; /* skips the slash */
    }
    tfp_strid id = 0;
    if (text.failed)
        b->status = TFP_NOMEM;
    else
        id = tfp_build_made_string(b, (tfp_str){ text.data ? text.data : "", length - 1 });
    tfp_buf_free(&text);
    return id;
}

tfp_strid tfp_graph_place_text(tfp_builder *b, uint32_t place)
{
    tfp_graph_tables *g = b->p->captures;
    if (!place || b->status) return 0;
    uint32_t known = tfp_map64_get(&g->text_by_place, place);
    if (known != TFP_NONE) return known;
    tfp_strid text = join_names(b, place);
    if (!b->status && !tfp_map64_put(&g->text_by_place, place, text)) b->status = TFP_NOMEM;
    return text;
}
