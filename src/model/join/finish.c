// SPDX-License-Identifier: Apache-2.0
/* model/join/finish.c: called after the last file: joins traces, finds the nodes of inputs, sorts steps, writes the
 * texts of warnings, and notes what the profile contains. */
#include "model/build.h"
#include "model/files/allocator.h"
#include "model/join/join.h"
#include "model/program.h"
#include "model/recorded.h"
#include "model/tables/details.h"
#include "model/tables/graph.h"
#include "model/tables/profile.h"
#include "model/tables/runs.h"
#include "model/tables/samples.h"
#include "model/tables/sources.h"
#include "query/order.h"

const char tfp_lost_inputs[] = "inputs that name no node";

static void resolve_inputs(tfp_builder *b)
{
    tfp_profile *p = b->p;
    for (size_t i = 0; i < p->graph->inputs.size; i++) {
        tfp_input_edge *e = &p->graph->inputs.at[i];
        if (e->node != TFP_NONE) continue;
        e->node = tfp_named_node(p, e->name);
        if (e->node == TFP_NONE && i >= p->about.inputs_warned)
            tfp_build_warn(b, tfp_lost_inputs, tfp_text(p, e->name));
    }
    p->about.inputs_warned = p->graph->inputs.size;
}

static void write_warnings(tfp_builder *b)
{
    tfp_profile *p = b->p;
    for (size_t i = 0; i < p->files->warnings.size; i++) {
        tfp_warning *w = &p->files->warnings.at[i];
        if (w->told == w->count) continue;
        tfp_buf line = { 0 };
        tfp_escape(&line, tfp_str_of(w->file));
        tfp_buf_printf(&line, ": %s", w->what);
        if (w->count > 1 || w->first) tfp_buf_printf(&line, ": %zu", w->count);
        if (w->first) {
            tfp_buf_text(&line, w->count > 1 ? " (first: " : " (");
            tfp_escape(&line, tfp_str_of(w->first));
            tfp_buf_char(&line, ')');
        }
        w->line = tfp_buf_move(&line, &p->arena).data;
        if (check(b, w->line != NULL)) w->told = w->count;
    }
}

static const tfp_sort_key by_id[] = { TFP_UP(tfp_step, id), { 0 } };

static void sort_steps(tfp_builder *b)
{
    tfp_profile *p = b->p;
    p->runs->step_order.size = 0;
    for (uint32_t i = 0; i < p->runs->steps.size; i++)
        if (p->runs->steps.at[i].listed) check(b, tfp_push(&p->runs->step_order, i));
    check(b, tfp_order_items(p->runs->step_order.at, p->runs->step_order.size, by_id, p->runs->steps.at,
                             sizeof(tfp_step)));
}

/* Whether there is data for memory over time: allocators' counts, allocations, or memory of executions. */
static bool has_memory(const tfp_profile *p)
{
    if (p->events->memory.size || p->detail->allocations.size || p->allocator->devices.size) return true;
    for (size_t i = 0; i < p->detail->memories.size; i++)
        if (p->detail->memories.at[i].at_ns > 0 && p->detail->memories.at[i].allocator_bytes_in_use > 0) return true;
    for (size_t i = 0; i < p->runs->execs.size; i++)
        if (p->runs->execs.at[i].residual_bytes > 0 && p->runs->execs.at[i].start_ns) return true;
    return false;
}

static bool ran_on_both(const tfp_profile *p)
{
    bool host = false, device = false;
    for (size_t i = 0; i < p->runs->execs.size && !(host && device); i++) {
        host |= p->runs->execs.at[i].cpu_ns > 0;
        device |= p->runs->execs.at[i].accelerator_ns > 0;
    }
    return host && device;
}

static void note_contents(tfp_builder *b)
{
    const tfp_profile *p = b->p;
    if (p->program) tfp_build_has(b, TFP_HAS_PROGRAM);
    if (p->runs->step_order.size) tfp_build_has(b, TFP_HAS_STEPS);
    if (p->detail->spans.size || p->events->spans.size || tfp_only_sums(p)) tfp_build_has(b, TFP_HAS_SPANS);
    if (p->events->processes.size) tfp_build_has(b, TFP_HAS_TRACE);
    if (has_memory(p)) tfp_build_has(b, TFP_HAS_MEMORY);
}

tfp_status tfp_build_finish(tfp_builder *b, tfp_error *err)
{
    tfp_profile *p = b->p;
    const char *file = b->file;
    if (!p->reopened) tfp_build_join(b);
    if (!p->reopened) tfp_build_recorded(b);
    if (p->events->spans.size || tfp_only_sums(p) || p->sampled->samples.size)
        p->about.time_grain_ns = 1; /* times of traces are finer than a microsecond */
    if (p->about.graph_file) b->file = p->about.graph_file;
    resolve_inputs(b);
    sort_steps(b);
    b->file = file;
    note_contents(b);
    p->runs->on_both = ran_on_both(p);
    write_warnings(b);
    p->finished = !b->status;
    p->files->finished_before = true;
    if (p->program) p->program->finished = true;
    return tfp_builder_status(b, err);
}
