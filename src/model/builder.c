// SPDX-License-Identifier: Apache-2.0
/* model/builder.c: how the format readers fill a profile: strings, warnings, nodes, code and sampled stacks. Rows are appended and
 * chained, strings interned. Executions are built in executions.c, events of traces in events.c; join/finish.c is
 * called at the end. */
#include "model/build.h"
#include "model/program.h"
#include "model/tables/code.h"
#include "model/tables/graph.h"
#include "model/tables/profile.h"
#include "model/tables/samples.h"
#include "model/tables/sources.h"

tfp_strid tfp_build_string(tfp_builder *b, tfp_str s)
{
    if (s.size == 0) return 0;
    tfp_strid id = tfp_intern(&b->p->strings, s);
    return check(b, id != TFP_NONE) ? id : 0;
}

tfp_strid tfp_build_made_string(tfp_builder *b, tfp_str s)
{
    tfp_strtab *t = &b->p->strings;
    if (!t->arena && s.size && tfp_strtab_find(t, s) == TFP_NONE) {
        s.data = tfp_arena_copy(&b->p->arena, s);
        if (!check(b, s.data != NULL)) return 0;
    }
    return tfp_build_string(b, s);
}

tfp_strid tfp_build_composed(tfp_builder *b, tfp_buf *text)
{
    bool ok = tfp_build_keep(b, !text->failed);
    tfp_strid id = ok ? tfp_build_made_string(b, (tfp_str){ text->data ? text->data : "", text->size }) : 0;
    tfp_buf_free(text);
    return id;
}

tfp_strid tfp_build_lower(tfp_builder *b, tfp_str s)
{
    char small[256], *lower = s.size <= sizeof small ? small : malloc(s.size);
    if (!check(b, lower != NULL)) return 0;
    for (size_t i = 0; i < s.size; i++) lower[i] = s.data[i] >= 'A' && s.data[i] <= 'Z' ? s.data[i] + 32 : s.data[i];
    tfp_strid id = tfp_build_made_string(b, (tfp_str){ lower, s.size });
    if (lower != small) free(lower);
    return id;
}

void tfp_build_warn(tfp_builder *b, const char *what, tfp_str example) { tfp_build_warn_many(b, what, example, 1); }

void tfp_build_warn_many(tfp_builder *b, const char *what, tfp_str example, size_t count)
{
    tfp_profile *p = b->p;
    for (size_t i = p->files->warnings.size; i-- > 0;) {
        tfp_warning *w = &p->files->warnings.at[i];
        if (w->what == what && strcmp(w->file, b->file) == 0) {
            w->count += count;
            return;
        }
    }
    if (example.size > 200) example.size = 200;
    tfp_warning w = { .what = what, .count = count, .file = tfp_arena_copy(&p->arena, tfp_str_of(b->file)) };
    w.first = example.size ? tfp_arena_copy(&p->arena, example) : NULL;
    check(b, w.file && (!example.size || w.first) && tfp_push(&p->files->warnings, w));
}

void tfp_build_warn_source(tfp_builder *b, uint32_t source, const char *what)
{
    const char *file = b->file;
    if (source < b->p->files->sources.size) b->file = b->p->files->sources.at[source];
    tfp_build_warn(b, what, TFP_STR(""));
    b->file = file;
}

int64_t tfp_build_micros(tfp_builder *b, int64_t micros)
{
    bool clamped = false;
    int64_t ns = tfp_mul(micros, 1000, &clamped);
    if (!clamped) return ns;
    tfp_build_warn(b, "times too big for 64 bits, clamped", TFP_STR(""));
    return ns / 1000 * 1000;
}

/* ---- nodes ---- */

void tfp_build_name(tfp_builder *b, tfp_strid name, uint32_t node)
{
    tfp_profile *p = b->p;
    size_t size = p->graph->node_by_name.size;
    if (name >= size) {
        if (!check(b, tfp_reserve(&p->graph->node_by_name, (size_t)name + 1))) return;
        memset(p->graph->node_by_name.at + size, 0xff, ((size_t)name + 1 - size) * sizeof(uint32_t)); /* TFP_NONE */
        p->graph->node_by_name.size = (size_t)name + 1;
    }
    if (p->graph->node_by_name.at[name] != TFP_NONE) p->about.name_twice = true;
    p->graph->node_by_name.at[name] = node;
}

void tfp_build_has(tfp_builder *b, tfp_content what) { b->p->about.has |= 1u << what; }

tfp_node *tfp_build_row(tfp_builder *b, uint32_t node) { return &b->p->graph->nodes.at[node]; }

void tfp_build_node_device(tfp_builder *b, uint32_t node, tfp_strid device, unsigned on)
{
    tfp_node *n = tfp_build_row(b, node);
    n->device = device;
    n->flags = (n->flags & ~(unsigned)(TFP_NODE_ON_CPU | TFP_NODE_ON_ACCELERATOR)) | on;
}

uint32_t tfp_build_find(tfp_builder *b, tfp_str name) { return tfp_find_node(b->p, name); }

uint32_t tfp_build_node(tfp_builder *b, tfp_str name, tfp_str op, bool with_type)
{
    tfp_profile *p = b->p;
    tfp_node n = { .name = tfp_build_string(b, name),
                   .op = tfp_build_string(b, op),
                   .id = (int64_t)p->graph->nodes.size,
                   .type_first = TFP_NONE,
                   .exec_first = TFP_NONE,
                   .input_first = TFP_NONE,
                   .output_first = TFP_NONE,
                   .shape = TFP_NONE,
                   .trace = TFP_NONE,
                   .attrs = TFP_NONE };
    if (b->status || !APPEND(b, graph->nodes, n)) return TFP_NONE;
    uint32_t node = (uint32_t)p->graph->nodes.size - 1;
    tfp_build_name(b, n.name, node);
    if (with_type) tfp_build_type(b, node, n.op);
    return b->status ? TFP_NONE : node;
}

static bool has_type(tfp_builder *b, uint32_t node, tfp_strid type, size_t *count)
{
    *count = 0;
    for (TFP_EACH(b->p->graph->types, t, tfp_build_row(b, node)->type_first)) {
        if (b->p->graph->types.at[t].name == type) return true;
        if (++*count == TFP_FEW_TYPES)
            return tfp_map64_get(&b->p->graph->types_by_node, (uint64_t)node << 32 | type) != TFP_NONE;
    }
    return false;
}

void tfp_build_type(tfp_builder *b, uint32_t node, tfp_strid type)
{
    size_t count;
    if (b->status || has_type(b, node, type, &count)) return;
    tfp_node *n = tfp_build_row(b, node);
    if (!APPEND(b, graph->types, ((tfp_type){ type, TFP_NONE }))) return;
    CHAIN(b->p, graph->types, n->type_first, n->type_last);
    if (count == TFP_FEW_TYPES) check(b, tfp_map64_put(&b->p->graph->types_by_node, (uint64_t)node << 32 | type, 0));
}

void tfp_build_input(tfp_builder *b, uint32_t node, int32_t position, tfp_strid source, int32_t output_index)
{
    if (b->status) return;
    tfp_input_edge e = { position, output_index, TFP_NONE, source, TFP_NONE };
    tfp_node *n = tfp_build_row(b, node);
    if (APPEND(b, graph->inputs, e)) CHAIN(b->p, graph->inputs, n->input_first, n->input_last);
    /* checked often, because one node may have very many */
    if (b->p->graph->inputs.size % (1 << 16) == 0) tfp_builder_status(b, NULL);
}

uint32_t tfp_build_shape(tfp_builder *b, const int64_t *dims, size_t count, bool scalar)
{
    static const int64_t one = 1;
    tfp_profile *p = b->p;
    if (scalar && count == 0) dims = &one, count = 1;
    if (count > TFP_RANK_MOST) {
        tfp_build_warn(b, "shapes of more than " TFP_QUOTED(TFP_RANK_MOST) " dimensions, taken as unknown",
                       TFP_STR(""));
        count = 0;
    }
    if (b->status ||
        !check(b, p->graph->dims.size + count < TFP_NONE && tfp_reserve(&p->graph->dims, p->graph->dims.size + count)))
        return TFP_NONE;
    tfp_shape s = { (uint32_t)p->graph->dims.size, (uint32_t)count, scalar };
    if (count) memcpy(p->graph->dims.at + p->graph->dims.size, dims, count * sizeof *dims);
    p->graph->dims.size += count;
    return APPEND(b, graph->shapes, s) ? (uint32_t)p->graph->shapes.size - 1 : TFP_NONE;
}

void tfp_build_output(tfp_builder *b, uint32_t node, int32_t slot, uint32_t shape)
{
    if (b->status) return;
    tfp_node *n = tfp_build_row(b, node);
    if (APPEND(b, graph->outputs, ((tfp_output){ slot, shape, TFP_NONE })))
        CHAIN(b->p, graph->outputs, n->output_first, n->output_last);
}

/* Merges the shapes of two runs: dims that differ become -1; with different ranks the shape is unknown. */
static void join_run_shape(tfp_builder *b, tfp_run_shape *r, const int64_t *dims, size_t count, bool scalar)
{
    tfp_profile *p = b->p;
    tfp_shape *old = &p->graph->shapes.at[r->shape];
    if (old->count == 0) return;
    if (old->scalar && scalar) return;
    if (old->count != count || old->scalar != scalar) {
        *old = (tfp_shape){ old->first, 0, false };
        return;
    }
    for (size_t i = 0; i < count; i++)
        if (p->graph->dims.at[old->first + i] != dims[i]) p->graph->dims.at[old->first + i] = -1;
}

void tfp_build_run_shape(tfp_builder *b, uint32_t node, int32_t slot, const int64_t *dims, size_t count)
{
    tfp_profile *p = b->p;
    if (b->status || slot < 0) return;
    uint64_t key = (uint64_t)node << 32 | (uint32_t)slot;
    uint32_t at = tfp_map64_get(&p->graph->run_shape_by_output, key);
    if (at != TFP_NONE) {
        join_run_shape(b, &p->graph->run_shapes.at[at], dims, count, count == 0);
        return;
    }
    uint32_t shape = tfp_build_shape(b, dims, count, count == 0);
    if (shape == TFP_NONE || !APPEND(b, graph->run_shapes, ((tfp_run_shape){ node, slot, shape }))) return;
    check(b, tfp_map64_put(&p->graph->run_shape_by_output, key, (uint32_t)p->graph->run_shapes.size - 1));
}

void tfp_build_attrs(tfp_builder *b, uint32_t node, tfp_str encoded)
{
    if (b->status || !(b->p->reads & TFP_READS_ATTRS)) return;
    char *copy = tfp_arena_copy(&b->p->arena, encoded);
    if (!check(b, copy != NULL) || !APPEND(b, graph->attrs, ((tfp_str){ copy, encoded.size }))) return;
    tfp_build_row(b, node)->attrs = (uint32_t)b->p->graph->attrs.size - 1;
}

/* ---- code ---- */

static bool same_trace(const tfp_profile *p, uint32_t trace, const uint32_t *frames, size_t count)
{
    const tfp_trace *t = &p->code->traces.at[trace];
    return t->count == count && memcmp(p->code->trace_frames.at + t->first, frames, count * sizeof *frames) == 0;
}

/* The row of an equal frame; a new row if there is none. */
static uint32_t build_frame(tfp_builder *b, const tfp_code_frame *f)
{
    tfp_profile *p = b->p;
    for (uint64_t key = tfp_hash(f, sizeof *f);; key++) {
        uint32_t at = tfp_map64_get(&p->code->frame_by_hash, key);
        if (at != TFP_NONE && memcmp(&p->code->frames.at[at], f, sizeof *f) == 0) return at;
        if (at != TFP_NONE) continue;
        if (!APPEND(b, code->frames, *f)) return TFP_NONE;
        at = (uint32_t)p->code->frames.size - 1;
        return check(b, tfp_map64_put(&p->code->frame_by_hash, key, at)) ? at : TFP_NONE;
    }
}

uint32_t tfp_build_trace(tfp_builder *b, const tfp_code_frame *frames, size_t count)
{
    tfp_profile *p = b->p;
    if (b->status || count == 0) return TFP_NONE;
    size_t first = p->code->trace_frames.size;
    if (!check(b, first + count < TFP_NONE && tfp_reserve(&p->code->trace_frames, first + count))) return TFP_NONE;
    uint32_t *rows = p->code->trace_frames.at + first;
    for (size_t i = 0; i < count; i++) rows[i] = build_frame(b, &frames[i]);
    if (b->status) return TFP_NONE;
    for (uint64_t key = tfp_hash(rows, count * sizeof *rows);; key++) {
        uint32_t at = tfp_map64_get(&p->code->trace_by_hash, key);
        if (at != TFP_NONE && same_trace(p, at, rows, count)) return at;
        if (at != TFP_NONE) continue;
        if (!APPEND(b, code->traces, ((tfp_trace){ (uint32_t)first, (uint32_t)count }))) return TFP_NONE;
        p->code->trace_frames.size += count;
        at = (uint32_t)p->code->traces.size - 1;
        return check(b, tfp_map64_put(&p->code->trace_by_hash, key, at)) ? at : TFP_NONE;
    }
}

/* ---- sampled stacks ---- */

uint32_t tfp_build_sample_type(tfp_builder *b, tfp_strid type, tfp_strid unit)
{
    tfp_profile *p = b->p;
    for (uint32_t i = 0; i < p->sampled->sample_types.size; i++)
        if (p->sampled->sample_types.at[i].type == type && p->sampled->sample_types.at[i].unit == unit) return i;
    return APPEND(b, sampled->sample_types, ((tfp_sample_type){ type, unit }))
               ? (uint32_t)p->sampled->sample_types.size - 1
               : TFP_NONE;
}

void tfp_build_sample(tfp_builder *b, const tfp_stack_sample *s)
{
    if (!b->status) (void)APPEND(b, sampled->samples, *s);
}
