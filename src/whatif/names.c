// SPDX-License-Identifier: Apache-2.0
/* whatif/names.c: finds the spans that a pattern matches: by their names (modules also without PyTorch's prefix,
 * Python frames also by FILE:LINE), spans inside of these, and activities by the op, module or line that they belong
 * to. */
#include "model/graphs.h"
#include "model/span_names.h"
#include "model/tables/code.h"
#include "model/tables/graph.h"
#include "model/tables/read.h"
#include "model/tables/spans.h"
#include "whatif/change.h"

enum { UNKNOWN, NO, YES };

bool tfp_named_new(const tfp_job *j, tfp_str pattern, tfp_named *out)
{
    char why[8];
    *out = (tfp_named){ .j = j, .regex = tfp_regex_new(pattern, why, sizeof why) };
    return out->regex != NULL;
}

void tfp_named_free(tfp_named *n)
{
    tfp_regex_free(n->regex);
    free(n->known);
    free(n->inside);
    free(n->stacks);
    *n = (tfp_named){ 0 };
}

static bool matches_place(const tfp_named *n, tfp_str file, int number)
{
    tfp_buf line = { 0 };
    tfp_buf_str(&line, file);
    tfp_buf_printf(&line, ":%d", number);
    bool found = !line.failed && tfp_regex_full_match(n->regex, (tfp_str){ line.data, line.size });
    tfp_buf_free(&line);
    return found;
}

static bool matches_line(const tfp_named *n, tfp_str name)
{
    tfp_python_frame frame;
    return tfp_python_frame_of(name, &frame) && matches_place(n, frame.file, frame.line);
}

static bool matches(const tfp_named *n, tfp_str name)
{
    tfp_str module = TFP_STR("nn.Module: ");
    if (tfp_regex_full_match(n->regex, name)) return true;
    if (tfp_str_begins(name, module))
        return tfp_regex_full_match(n->regex, (tfp_str){ name.data + module.size, name.size - module.size });
    return matches_line(n, name);
}

static bool has_name(tfp_named *n, tfp_strid name)
{
    if (!n->known) n->known = calloc(tfp_strings_of(n->j->p)->count + 1, 1);
    if (!n->known) return false;
    if (!n->known[name]) n->known[name] = matches(n, tfp_text(n->j->p, name)) ? YES : NO;
    return n->known[name] == YES;
}

bool tfp_named_has(tfp_named *n, uint32_t span) { return has_name(n, n->j->s->name[span]); }

bool tfp_named_frame(tfp_named *n)
{
    for (uint32_t i = 0; i < n->j->s->size; i++)
        if (n->j->s->kind[i] == TFP_SPAN_FRAME && tfp_named_has(n, i)) return true;
    return false;
}

static uint32_t around_of(const tfp_named *n, uint32_t span)
{
    const tfp_job *j = n->j;
    uint32_t parent = n->parent ? n->parent[span] : j->s->parent[span];
    return parent == TFP_NONE && j->around ? j->around[span] : parent;
}

/* Results are stored for all spans on the way, so each span is examined once. */
bool tfp_named_inside(tfp_named *n, uint32_t span)
{
    if (!n->inside) n->inside = calloc(n->j->s->size + 1, 1);
    if (!n->inside || span == TFP_NONE) return false;
    uint32_t at = span;
    uint8_t found = NO;
    for (; at != TFP_NONE; at = around_of(n, at)) {
        if (n->inside[at]) {
            found = n->inside[at];
            break;
        }
        if (tfp_named_has(n, at)) {
            found = YES;
            break;
        }
    }
    for (uint32_t i = span; i != at; i = around_of(n, i)) n->inside[i] = found;
    if (at != TFP_NONE) n->inside[at] = found;
    return found == YES;
}

/* ---- what an activity computes ---- */

static bool stack_has(const tfp_named *n, uint32_t trace)
{
    const tfp_code_tables *c = tfp_code_of(n->j->p);
    const tfp_trace *t = &c->traces.at[trace];
    for (uint32_t i = t->first; i < t->first + t->count; i++) {
        const tfp_code_frame *f = &c->frames.at[c->trace_frames.at[i]];
        if (matches_place(n, tfp_text(n->j->p, f->file), f->line)) return true;
    }
    return false;
}

/* Many activities have the same stack, so each stack is examined only once. */
static bool has_stack(tfp_named *n, uint32_t trace)
{
    if (!n->regex || trace == TFP_NONE) return false;
    if (!n->stacks) n->stacks = calloc(tfp_code_of(n->j->p)->traces.size + 1, 1);
    if (!n->stacks) return false;
    if (!n->stacks[trace]) n->stacks[trace] = stack_has(n, trace) ? YES : NO;
    return n->stacks[trace] == YES;
}

/* Modules, ops and annotations around a captured launch, or around an instruction. */
static bool has_place(tfp_named *n, uint32_t place)
{
    const tfp_graph_tables *g = tfp_captures_of(n->j->p);
    for (; place != TFP_NONE && place; place = g->places.at[place].parent)
        if (has_name(n, g->places.at[place].name)) return true;
    return false;
}

tfp_strid tfp_named_by_type(const tfp_job *j, uint32_t activity)
{
    uint32_t node = j->s->path[activity] ? j->s->node[activity] : TFP_NONE;
    tfp_strid type = node == TFP_NONE ? 0 : tfp_graph_of(j->p)->nodes.at[node].op;
    return type && tfp_str_begins(tfp_text(j->p, type), TFP_STR("(")) ? 0 : type; /* "(no op)" */
}

bool tfp_named_computes(tfp_named *n, uint32_t activity)
{
    const tfp_span_columns *s = n->j->s;
    const tfp_profile *p = n->j->p;
    tfp_strid type = tfp_named_by_type(n->j, activity);
    if (type && has_name(n, type)) return true;
    if (has_stack(n, s->trace[activity])) return true;
    if (s->attribution[activity] == TFP_NONE) return false;
    tfp_attribution a = tfp_span_attribution(p, activity);
    return (a.op && has_name(n, a.op)) || has_place(n, a.place);
}

tfp_strid tfp_named_after(const tfp_job *j, uint32_t activity)
{
    const tfp_span_columns *s = j->s;
    uint32_t owner = s->owner[activity];
    tfp_strid type = tfp_named_by_type(j, activity);
    tfp_strid captured = s->attribution[activity] == TFP_NONE ? 0 : tfp_span_attribution(j->p, activity).op;
    if (captured) return captured;
    if (type) return type;
    return owner != TFP_NONE && s->kind[owner] == TFP_SPAN_OP ? s->name[owner] : s->name[activity];
}
