// SPDX-License-Identifier: Apache-2.0
/* formats/tensorflow/profileproto_end.c: the end of a ProfileProto. Nodes come before the strings that their traces
 * refer to, and inputs may refer to nodes that come later, so both are resolved when everything is read. Then
 * duplicates can be removed. */
#include "formats/tensorflow/profileproto_parts.h"
#include "model/tables/code.h"
#include "model/tables/graph.h"
#include "model/tables/profile.h"
#include "model/tables/runs.h"

/* The string with that id; by convention 0 is "none", whether the table has it or not. */
static tfp_strid string_of(tfp_profile_reader *r, int64_t id)
{
    tfp_strid text = tfp_map64_get(&r->traces.string_by_id, (uint64_t)id);
    if (text != TFP_NONE) return text;
    if (id) tfp_profile_warn(r, "strings of code traces that are missing, taken as none", id);
    return tfp_build_string(r->b, TFP_STR("none"));
}

static void read_frame(tfp_profile_reader *r, tfp_wire *outer, const tfp_field *field)
{
    tfp_code_frame frame = { 0 };
    int64_t file = 0, function = 0, text = 0;
    tfp_wire w = tfp_field_message(outer, field);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        switch (f.number) {
        case 2: frame.line = tfp_field_int32(&w, &f); break;
        case 5: frame.function_line = tfp_field_int32(&w, &f); break;
        case 6: file = tfp_field_int(&w, &f); break;
        case 7: function = tfp_field_int(&w, &f); break;
        case 8: text = tfp_field_int(&w, &f); break;
        }
    }
    tfp_wire_join(outer, &w, "trace");
    if (outer->fault) return;
    frame.file = string_of(r, file);
    frame.function = string_of(r, function);
    frame.text = text ? string_of(r, text) : 0;
    tfp_profile_ok(r, tfp_push(&r->traces.frames, frame));
}

static tfp_status read_trace(tfp_profile_reader *r, raw_trace *t, tfp_error *err)
{
    tfp_wire w = tfp_wire_start_at(t->bytes, t->base);
    r->traces.frames.size = 0;
    for (tfp_field f; tfp_wire_next(&w, &f);)
        if (f.number == 1) read_frame(r, &w, &f);
    tfp_status s = tfp_wire_end(&w, err);
    if (!s && r->traces.frames.size) t->row = tfp_build_trace(r->b, r->traces.frames.at, r->traces.frames.size);
    return s;
}

static tfp_status finish_traces(tfp_profile_reader *r, tfp_error *err)
{
    for (size_t i = 0; i < r->traces.list.size; i++) {
        raw_trace *t = &r->traces.list.at[i];
        tfp_status s = tfp_within(err, read_trace(r, t, err), "node %zu", t->node);
        if (s) return s;
    }
    for (size_t i = 0; i < r->nodes.size; i++) {
        uint32_t trace = r->nodes.at[i].trace;
        if (trace != TFP_NONE) r->p->graph->nodes.at[r->first_row + i].trace = r->traces.list.at[trace].row;
    }
    return r->no_memory ? tfp_nomem(err) : tfp_builder_status(r->b, err);
}

#define FETCHED 16 /* how many edges ahead the rows of sources are prefetched */

/* Replaces the numbers of sources by names, while every number still has its row. */
static void name_sources(tfp_profile_reader *r)
{
    for (size_t i = 0; i < r->edges.size; i++) {
        edge *e = &r->edges.at[i];
        if (i + FETCHED < r->edges.size) {
            uint32_t soon = tfp_profile_find_key(r, e[FETCHED].source);
            if (soon != TFP_NONE) __builtin_prefetch(&r->p->graph->nodes.at[r->first_row + soon].name);
        }
        uint32_t source = tfp_profile_find_key(r, e->source);
        if (source == TFP_NONE) tfp_profile_warn(r, "inputs that name no node", e->source);
        e->source = source == TFP_NONE ? -1 : (int64_t)r->p->graph->nodes.at[r->first_row + source].name;
    }
}

/* Among nodes with the same number the last is kept, as in a map; then among those with the same name the first. The
 * rows of the others are removed, so that no view sees them. */
static void drop_duplicates(tfp_profile_reader *r)
{
    tfp_profile *p = r->p;
    size_t kept = 0;
    if (!r->keys.twice && !p->about.name_twice) return;
    p->graph->node_by_name.size = 0;
    for (size_t i = 0; i < r->nodes.size; i++) {
        tfp_node *n = &p->graph->nodes.at[r->first_row + i];
        if (r->nodes.at[i].lost) continue;
        if (tfp_named_node(p, n->name) != TFP_NONE) {
            tfp_build_warn(r->b, "nodes of the same name, the first kept", tfp_text(p, n->name));
            continue;
        }
        tfp_build_name(r->b, n->name, (uint32_t)(r->first_row + kept));
        p->graph->nodes.at[r->first_row + kept] = *n;
        r->nodes.at[kept++] = r->nodes.at[i];
    }
    r->nodes.size = kept;
    p->graph->nodes.size = r->first_row + kept;
}

static void build_inputs(tfp_profile_reader *r)
{
    for (size_t i = 0; i < r->nodes.size; i++) {
        const node_ref *n = &r->nodes.at[i];
        for (uint32_t k = 0; k < n->edge_count; k++) {
            const edge *e = &r->edges.at[n->edge_first + k];
            if (e->source < 0) continue;
            tfp_build_input(r->b, (uint32_t)(r->first_row + i), e->position, (tfp_strid)e->source, e->output_index);
        }
    }
}

/* A file that was cut between two fields looks complete, except for what should come last in it. */
static void check_steps(tfp_profile_reader *r)
{
    for (size_t i = 0; i < r->p->runs->steps.size; i++) {
        const tfp_step *s = &r->p->runs->steps.at[i];
        if (!s->listed) tfp_profile_warn(r, "steps that ran but are not listed, which count in averages only", s->id);
    }
}

tfp_status tfp_profile_finish_reading(tfp_profile_reader *r, tfp_error *err)
{
    tfp_status s = finish_traces(r, err);
    if (s) return s;
    name_sources(r);
    drop_duplicates(r);
    build_inputs(r);
    check_steps(r);
    if (!r->nodes.size) tfp_build_warn(r->b, "no data in it", TFP_STR(""));
    return r->no_memory ? tfp_nomem(err) : tfp_builder_status(r->b, err);
}
