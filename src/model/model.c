// SPDX-License-Identifier: Apache-2.0
/* model/model.c: questions that every view asks of a profile. Reads only. */
#include "model/files/allocator.h"
#include "model/files/collectives.h"
#include "model/files/flights.h"
#include "model/files/weights.h"
#include "model/graphs.h"
#include "model/program.h"
#include "model/recorded.h"
#include "model/tables/code.h"
#include "model/tables/compact.h"
#include "model/tables/details.h"
#include "model/tables/devices.h"
#include "model/tables/events.h"
#include "model/tables/graph.h"
#include "model/tables/instructions.h"
#include "model/tables/lanes.h"
#include "model/tables/profile.h"
#include "model/tables/runs.h"
#include "model/tables/samples.h"
#include "model/tables/sources.h"
#include "model/tensors.h"
#include "query/order.h"

/* ---- parts of a profile ---- */

const tfp_strtab *tfp_strings_of(const tfp_profile *p) { return &p->strings; }
tfp_str tfp_text(const tfp_profile *p, tfp_strid id) { return p->strings.strings[id]; }
bool tfp_has(const tfp_profile *p, tfp_content what) { return p->about.has >> what & 1; }
bool tfp_is_finished(const tfp_profile *p) { return p->finished; }
unsigned tfp_reads_of(const tfp_profile *p) { return p->reads; }
const tfp_profile_about *tfp_about_of(const tfp_profile *p) { return &p->about; }
tfp_step_choice tfp_kept_choice(const tfp_profile *p) { return p->kept; }
#define PART(name, type, function)                                                                                     \
    const type *function(const tfp_profile *p) { return p->name; }
#include "schema/parts.def"
const tfp_checkpoint *tfp_checkpoint_of(const tfp_profile *p) { return p->checkpoint; }
const tfp_program *tfp_program_of(const tfp_profile *p) { return p->program; }

bool tfp_keeps_sums(const tfp_profile *p)
{
    return (p->reads & (TFP_READS_SUMS | TFP_READS_RUNS | TFP_READS_PROGRAM)) == TFP_READS_SUMS ||
           p->reads & TFP_READS_TIMES;
}

/* ---- what it holds ---- */

uint32_t tfp_named_node(const tfp_profile *p, tfp_strid name)
{
    return name < p->graph->node_by_name.size ? p->graph->node_by_name.at[name] : TFP_NONE;
}

uint32_t tfp_find_node(const tfp_profile *p, tfp_str name)
{
    tfp_strid id = tfp_strtab_find(&p->strings, name);
    return tfp_named_node(p, id);
}

const char *tfp_first_source(const tfp_profile *p)
{
    return p->files->sources.size ? p->files->sources.at[0] : "profile";
}

const char *tfp_source_of_graph(const tfp_profile *p)
{
    return p->about.graph_file ? p->about.graph_file : tfp_first_source(p);
}

bool tfp_ran_any(const tfp_profile *p)
{
    for (size_t i = 0; i < p->runs->execs.size; i++)
        if (p->runs->execs.at[i].run_count != 0) return true;
    return false;
}

bool tfp_ran_on_both(const tfp_profile *p) { return p->runs->on_both; }

const tfp_device_info *tfp_named_device(const tfp_profile *p, bool *others)
{
    const tfp_device_info *first = NULL;
    *others = false;
    for (size_t i = 0; i < p->events->devices.size; i++) {
        const tfp_device_info *d = &p->events->devices.at[i];
        if (!d->name) continue;
        if (!first) first = d;
        *others |= d->name != first->name;
    }
    return first;
}

bool tfp_only_sums(const tfp_profile *p) { return p->events->compact->lanes.size > 0; }

bool tfp_only_total(const tfp_profile *p) { return tfp_only_sums(p) && p->reads & TFP_READS_ONE_STEP; }

bool tfp_only_allocator(const tfp_profile *p)
{
    bool some = p->allocator->devices.size || p->flights->dumps.size || p->timed->size;
    return some && !p->graph->nodes.size && !p->events->processes.size && !p->sampled->samples.size;
}

bool tfp_is_beyond_tensorflow(const tfp_profile *p)
{
    return tfp_has(p, TFP_HAS_TRACE) || p->sampled->samples.size || p->instructions->size || p->recorded->ops.size ||
           tfp_counts_calls(p) || p->files->from & TFP_FROM_XLA;
}

uint32_t tfp_find_step(const tfp_profile *p, int64_t id) { return tfp_map64_get(&p->runs->step_by_id, (uint64_t)id); }

bool tfp_counts_calls(const tfp_profile *p) { return p->graph->nodes.size && p->graph->nodes.at[0].calls; }

uint32_t tfp_run_shape_of(const tfp_profile *p, uint32_t node, uint32_t slot)
{
    uint32_t at = tfp_map64_get(&p->graph->run_shape_by_output, (uint64_t)node << 32 | slot);
    return at == TFP_NONE ? TFP_NONE : p->graph->run_shapes.at[at].shape;
}

uint32_t tfp_node_exec(const tfp_profile *p, uint32_t node, uint32_t step)
{
    if (p->runs->execs_indexed && p->runs->execs_indexed == p->runs->execs.size)
        return tfp_map64_get(&p->runs->exec_by_step, tfp_exec_key(node, step));
    for (TFP_EACH(p->runs->execs, e, p->graph->nodes.at[node].exec_first))
        if (p->runs->execs.at[e].step == step) return e;
    return TFP_NONE;
}

bool tfp_rank_lanes(const tfp_profile *p, uint32_t *order, uint32_t *rank)
{
    size_t n = p->lanes->size;
    tfp_str *names = calloc(n + 1, sizeof *names);
    bool ok = names != NULL;
    for (uint32_t i = 0; ok && i < n; i++) {
        names[i] = tfp_text(p, p->lanes->at[i].name);
        order[i] = i;
    }
    ok = ok && tfp_sort_strings(order, n, names);
    for (uint32_t i = 0; ok && i < n; i++) rank[order[i]] = i;
    free(names);
    return ok;
}

const tfp_exec_detail *tfp_detail(const tfp_profile *p, uint32_t exec)
{
    static const tfp_exec_detail none = { TFP_NONE, TFP_NONE, TFP_NONE, TFP_NONE, TFP_NONE, TFP_NONE };
    return exec < p->detail->details.size ? &p->detail->details.at[exec] : &none;
}

static void add_exec(const tfp_exec *x, tfp_node_stats *s)
{
    s->cpu_ns = tfp_add(s->cpu_ns, x->cpu_ns, NULL);
    s->accelerator_ns = tfp_add(s->accelerator_ns, x->accelerator_ns, NULL);
    /* runs on devices only count if it ran on the host in none of the steps */
    if (x->run_count > 0)
        s->run_count = tfp_add(s->run_count > 0 ? s->run_count : 0, x->run_count, NULL);
    else if (s->run_count <= 0)
        s->run_count += x->run_count;
    s->float_ops = tfp_add(s->float_ops, x->float_ops, NULL);
    s->requested_bytes = tfp_add(s->requested_bytes, x->requested_bytes, NULL);
    s->peak_bytes = tfp_add(s->peak_bytes, x->peak_bytes, NULL);
    s->residual_bytes = tfp_add(s->residual_bytes, x->residual_bytes, NULL);
    s->output_bytes = tfp_add(s->output_bytes, x->output_bytes, NULL);
}

void tfp_exec_stats_at(const tfp_profile *p, uint32_t node, uint32_t exec, tfp_node_stats *out)
{
    *out = (tfp_node_stats){ 0 };
    add_exec(&p->runs->execs.at[exec], out);
    if (out->run_count < 0) out->run_count = -out->run_count;
    out->total_ns = tfp_add(out->cpu_ns, out->accelerator_ns, NULL);
    out->float_ops = p->runs->execs.at[exec].float_ops;
    if (!out->float_ops) out->float_ops = tfp_mul(p->graph->nodes.at[node].float_ops, out->run_count, NULL);
}

/* A mean of times is truncated to the resolution of the files' clocks, like everything that is summed from it. */
static int64_t mean_time(const tfp_profile *p, int64_t sum_ns, int64_t count)
{
    int64_t mean = sum_ns / count;
    return mean - mean % p->about.time_grain_ns;
}

static bool takes_exec(const tfp_profile *p, tfp_step_choice step, uint32_t exec)
{
    uint32_t row = p->runs->execs.at[exec].step;
    bool only_listed = step.which == TFP_STEP_MEAN && p->events->processes.size > 0;
    return tfp_step_takes(step, row) && (!only_listed || p->runs->steps.at[row].listed);
}

/* The mean is over the steps in which this node has statistics; each column is divided and truncated separately. */
void tfp_node_stats_at(const tfp_profile *p, uint32_t node, tfp_step_choice step, tfp_node_stats *out)
{
    const tfp_node *n = &p->graph->nodes.at[node];
    tfp_node_stats s = { 0 };
    int64_t count = 0;
    bool mean = step.which == TFP_STEP_MEAN;
    for (TFP_EACH(p->runs->execs, e, n->exec_first)) {
        if (!takes_exec(p, step, e)) continue;
        add_exec(&p->runs->execs.at[e], &s);
        count++;
    }
    if (s.run_count < 0) s.run_count = -s.run_count;
    s.total_ns = tfp_add(s.cpu_ns, s.accelerator_ns, NULL);
    if (mean && count && p->runs->mean_steps) count = p->runs->mean_steps[node];
    if (count > 1 && mean) {
        bool ran = p->events->processes.size && s.run_count > 0; /* in a trace what has time ran */
        s.run_count = ran && s.run_count < count ? 1 : s.run_count / count;
        s.float_ops /= count;
        s.total_ns = mean_time(p, s.total_ns, count);
        s.cpu_ns = mean_time(p, s.cpu_ns, count);
        s.accelerator_ns = mean_time(p, s.accelerator_ns, count);
        s.requested_bytes /= count;
        s.peak_bytes /= count;
        s.residual_bytes /= count;
        s.output_bytes /= count;
    }
    if (n->exec_first == TFP_NONE) s.run_count = n->calls;
    /* a node that never ran keeps its static number; one that ran, but not in this step, has 0 */
    if (!s.float_ops) s.float_ops = n->exec_first == TFP_NONE ? n->float_ops : tfp_mul(n->float_ops, s.run_count, NULL);
    *out = s;
}

int64_t tfp_node_first_ns(const tfp_profile *p, uint32_t node, tfp_step_choice step)
{
    int64_t first = INT64_MAX;
    for (TFP_EACH(p->runs->execs, e, p->graph->nodes.at[node].exec_first)) {
        const tfp_exec *x = &p->runs->execs.at[e];
        bool timed = x->start_ns || x->end_ns;
        if (timed && x->start_ns < first && takes_exec(p, step, e)) first = x->start_ns;
    }
    return first;
}

int64_t tfp_node_parameters(const tfp_profile *p, uint32_t node, bool *clamped)
{
    uint32_t shape = p->graph->nodes.at[node].shape;
    if (shape == TFP_NONE || p->graph->shapes.at[shape].count == 0) return 0;
    const tfp_shape *s = &p->graph->shapes.at[shape];
    int64_t product = 1;
    for (uint32_t i = 0; i < s->count; i++) {
        int64_t d = p->graph->dims.at[s->first + i];
        if (d < 0) return 0;
        product = tfp_mul(product, d, clamped);
    }
    return product;
}

uint32_t tfp_input_shape(const tfp_profile *p, const tfp_input_edge *e)
{
    if (e->node == TFP_NONE) return TFP_NONE;
    const tfp_node *n = &p->graph->nodes.at[e->node];
    if (n->output_first == TFP_NONE) return TFP_NONE;
    uint32_t low; /* rows are in order of their slots */
    TFP_LOWER_BOUND(low, n->output_first, n->output_last, p->graph->outputs.at[low].slot < e->output_index);
    return p->graph->outputs.at[low].slot == e->output_index ? p->graph->outputs.at[low].shape : TFP_NONE;
}
