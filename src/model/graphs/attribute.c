// SPDX-License-Identifier: Apache-2.0
/* model/graphs/attribute.c: stores the result for each activity: what the captures tell, otherwise what its event
 * names, and the line that Inductor recorded for its kernel. */
#include "model/graphs/parts.h"
#include "model/tables/profile.h"
#include "model/tables/stats.h"

#include <ctype.h>

/* The index of an equal row, which is added if it is new; TFP_NONE after a fault. */
static uint32_t row_of(tfp_builder *b, const tfp_attribution *a)
{
    tfp_map64 *by_hash = &b->p->captures->attribution_by_hash;
    for (uint64_t key = tfp_hash(a, sizeof *a);; key++) {
        uint32_t at = tfp_map64_get(by_hash, key);
        if (at != TFP_NONE && memcmp(&b->p->events->attributions.at[at], a, sizeof *a) == 0) return at;
        if (at != TFP_NONE) continue;
        at = (uint32_t)b->p->events->attributions.size;
        bool ok = tfp_push(&b->p->events->attributions, *a) && tfp_map64_put(by_hash, key, at);
        return tfp_build_keep(b, ok) ? at : TFP_NONE;
    }
}

/* The text of an activity's stat with that key; 0: none. */
static tfp_strid text_of(tfp_builder *b, uint32_t span, const char *key)
{
    tfp_strid id = tfp_strtab_find(&b->p->strings, tfp_str_of(key));
    const tfp_stat *stat = tfp_typed_stat(b->p->events, span, id, TFP_STAT_TEXT);
    return stat ? (tfp_strid)stat->value.text : 0;
}

/* Adds "layers.0.attention.wq" as places, one for each part. */
static uint32_t place_of_name(tfp_builder *b, tfp_str name)
{
    uint32_t place = 0;
    for (size_t from = 0, at = 0; at <= name.size; at++) {
        if (at < name.size && name.data[at] != '.') continue;
        tfp_str part = { name.data + from, at - from };
        if (part.size) place = tfp_graph_place_below(b, place, tfp_build_string(b, part));
        from = at + 1;
    }
    return place;
}

/* Whether the text is a module's name, "layers.0.attention.wq": words of letters, digits and underscores. */
static bool is_module(tfp_str name)
{
    for (size_t i = 0; i < name.size; i++) {
        bool dot = name.data[i] == '.', ends = !i || i + 1 == name.size || name.data[i - 1] == '.';
        if (dot ? ends : !isalnum((unsigned char)name.data[i]) && name.data[i] != '_') return false;
    }
    return name.size;
}

/* Whether the exporter says that it wrote annotations into the events. */
static bool is_annotated(const tfp_builder *b)
{
    tfp_strid key = tfp_strtab_find(&b->p->strings, TFP_STR("cudaGraphInlineAnnotated"));
    for (size_t i = 0; key != TFP_NONE && i < b->p->events->about.size; i++)
        if (b->p->events->about.at[i].key == key) return true;
    return false;
}

/* Takes the module that the event names: `name` is what PyTorch's mark_kernels was given, torchtitan gives it
 * `module_fqn`. */
static void take_name(tfp_builder *b, uint32_t span, tfp_attribution *a)
{
    tfp_strid module = text_of(b, span, "module_fqn"), named = module ? 0 : text_of(b, span, "name");
    tfp_strid text = module || named ? 0 : text_of(b, span, "str"), given = module ? module : named ? named : text;
    if (!given) return;
    bool parts = module || (named && is_module(tfp_text(b->p, named)));
    uint32_t place = parts ? place_of_name(b, tfp_text(b->p, given)) : tfp_graph_place_below(b, 0, given);
    if (!place) return;
    tfp_strid phase = text_of(b, span, "autograd_phase");
    a->certainty = named || is_annotated(b) ? TFP_SURE_BY_ANNOTATION : TFP_SURE_BY_ID;
    a->reason = TFP_PLACE_KNOWN;
    a->module = tfp_graph_place_text(b, place);
    a->place = phase ? tfp_graph_place_below(b, place, phase) : place;
}

tfp_attribution tfp_attribution_partly(tfp_builder *b, uint32_t modules, const tfp_strid *op, tfp_strid line,
                                       uint32_t trace)
{
    tfp_attribution a = tfp_attribution_none(TFP_PLACE_KNOWN);
    a.certainty = TFP_SURE_BY_PARTIAL;
    a.module = tfp_graph_place_text(b, modules);
    a.place = modules;
    if (op) a.place = tfp_graph_place_below(b, a.place, a.op = *op);
    a.line = line;
    if (line) a.line_from = TFP_LINE_OF_FRAME;
    if (line) a.trace = trace;
    return a.module || a.op || a.line ? a : tfp_attribution_none(TFP_AMBIGUOUS);
}

/* Many activities have the same text, so it is parsed once. */
static tfp_kernel_line line_of_stack(tfp_builder *b, tfp_strid stack)
{
    tfp_graph_tables *g = b->p->captures;
    uint32_t at = tfp_map64_get(&g->line_by_stack, stack);
    if (at != TFP_NONE) return g->lines.at[at];
    tfp_kernel_line line = tfp_line_of_traceback(b, tfp_text(b->p, stack));
    at = (uint32_t)g->lines.size;
    tfp_build_keep(b, tfp_push(&g->lines, line) && tfp_map64_put(&g->line_by_stack, stack, at));
    return line;
}

/* The number of an activity's stat with that key; 0: none. */
static uint64_t number_of(tfp_builder *b, uint32_t span, const char *key)
{
    tfp_strid id = tfp_strtab_find(&b->p->strings, tfp_str_of(key));
    const tfp_stat *stat = tfp_typed_stat(b->p->events, span, id, TFP_STAT_INT);
    return stat && stat->value.number > 0 ? (uint64_t)stat->value.number : 0;
}

/* The line at which the node was captured. Kineto writes the whole number of a node, PyTorch's own exporter its low half. */
static tfp_kernel_line line_of_node(tfp_builder *b, uint32_t span)
{
    const tfp_graph_tables *g = b->p->captures;
    tfp_kernel_line line = { 0, TFP_NONE };
    if (!g->line_by_node.count) return line;
    uint64_t graph = number_of(b, span, "graph id"), node = number_of(b, span, "graph node id");
    if (node <= UINT32_MAX) node |= graph << 32;
    uint32_t at = node ? tfp_map64_get(&g->line_by_node, node) : TFP_NONE;
    return at == TFP_NONE ? line : g->lines.at[at];
}

/* The line that Inductor recorded for the kernel, in the event or in a file beside the trace. */
static tfp_kernel_line line_of(tfp_builder *b, uint32_t span)
{
    const tfp_graph_tables *g = b->p->captures;
    tfp_strid stack = text_of(b, span, "stack");
    tfp_kernel_line line = { 0, TFP_NONE };
    if (stack) line = line_of_stack(b, stack);
    if (line.line || !g->lines.size) return line;
    tfp_str name = tfp_text(b->p, b->p->events->spans.name[span]), plain = tfp_kernel_plain(name);
    tfp_strid id = plain.size == name.size ? b->p->events->spans.name[span] : tfp_strtab_find(&b->p->strings, plain);
    uint32_t at = id == TFP_NONE ? TFP_NONE : tfp_map64_get(&g->line_by_kernel, id);
    return at == TFP_NONE ? line : g->lines.at[at];
}

void tfp_attribute(tfp_builder *b, uint32_t span, bool replayed, tfp_attribution a)
{
    tfp_span_columns *s = &b->p->events->spans;
    if (replayed && a.certainty == TFP_SURE_BY_NONE) take_name(b, span, &a);
    tfp_kernel_line line = line_of(b, span), captured = replayed ? line_of_node(b, span) : (tfp_kernel_line){ 0, 0 };
    if (captured.line && a.certainty == TFP_SURE_BY_NONE) {
        a.certainty = TFP_SURE_BY_ANNOTATION;
        a.reason = TFP_PLACE_KNOWN;
        a.place = 0;
    }
    if (captured.line && !line.line) {
        a.line = captured.line;
        a.trace = captured.trace;
        a.line_from = TFP_LINE_OF_FRAME;
    }
    if (line.line && a.certainty == TFP_SURE_BY_NONE) {
        a.certainty = TFP_SURE_BY_NAME;
        a.reason = TFP_PLACE_KNOWN;
        a.place = replayed ? 0 : TFP_NONE;
    }
    if (line.line) {
        a.line = line.line;
        a.trace = line.trace;
        a.line_from = TFP_LINE_OF_INDUCTOR;
    } else if (!replayed && a.certainty != TFP_SURE_BY_EAGER && a.certainty != TFP_SURE_BY_SIMILAR) {
        return; /* its own launch has all the information */
    }
    s->attribution[span] = row_of(b, &a);
    if (a.trace == TFP_NONE || b->status) return;
    s->trace[span] = a.trace;
    tfp_build_has(b, TFP_HAS_CODE);
}
