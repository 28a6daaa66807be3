// SPDX-License-Identifier: Apache-2.0
/* model/profile.c: making and freeing a profile, options of what it keeps, and the questions that callers ask it. */
#include "model/build.h"
#include "model/files/allocator.h"
#include "model/files/collectives.h"
#include "model/files/flights.h"
#include "model/files/weights.h"
#include "model/graphs.h"
#include "model/launches.h"
#include "model/program.h"
#include "model/recorded.h"
#include "model/slim.h"
#include "model/tables/code.h"
#include "model/tables/details.h"
#include "model/tables/devices.h"
#include "model/tables/doubts.h"
#include "model/tables/events.h"
#include "model/tables/graph.h"
#include "model/tables/instructions.h"
#include "model/tables/lanes.h"
#include "model/tables/memory_events.h"
#include "model/tables/profile.h"
#include "model/tables/runs.h"
#include "model/tables/samples.h"
#include "model/tables/sources.h"
#include "model/tables/stats.h"
#include "model/tables/step_marks.h"
#include "model/tensors.h"

#include <stdlib.h>

bool tfp_profile_tables_new(tfp_profile *p)
{
    struct tables {
        tfp_node_tables graph;
        tfp_run_tables runs;
        tfp_detail_tables detail;
        tfp_code_tables code;
        tfp_event_tables events;
        tfp_slim_tables slim;
        tfp_graph_tables captures;
        tfp_sample_tables sampled;
        tfp_recorded_tables recorded;
        tfp_source_tables files;
        tfp_allocator_tables allocator;
        tfp_flight_tables flights;
        tfp_instruction_list instructions;
        tfp_timed_list timed;
        tfp_weight_list weights;
        tfp_lane_list lanes;
    } *t = calloc(1, sizeof *t);
    if (!t) return false;
    p->graph = &t->graph;
    p->runs = &t->runs;
    p->detail = &t->detail;
    p->code = &t->code;
    p->events = &t->events;
    p->events->slim = &t->slim;
    p->captures = &t->captures;
    p->sampled = &t->sampled;
    p->recorded = &t->recorded;
    p->files = &t->files;
    p->allocator = &t->allocator;
    p->flights = &t->flights;
    p->instructions = &t->instructions;
    p->timed = &t->timed;
    p->weights = &t->weights;
    p->lanes = &t->lanes;
    return true;
}

void tfp_profile_tables_free(tfp_profile *p)
{
    free(p->graph); /* graph is the first in the block of memory */
    p->graph = NULL;
}

tfp_profile *tfp_profile_new(void)
{
    tfp_profile *p = calloc(1, sizeof *p);
    if (!p || !tfp_profile_tables_new(p)) {
        free(p);
        return NULL;
    }
    tfp_profile_keep(p, TFP_KEEP_MEMORY | TFP_KEEP_PROGRAM);
    p->arena.limit = TFP_MEMORY_LEAST;
    p->about.time_grain_ns = 1000;
    if (tfp_strtab_init(&p->strings, &p->arena) == TFP_OK) return p;
    tfp_profile_free(p);
    return NULL;
}

static void free_events(tfp_event_tables *t)
{
#define FREE(type, field, none) free(t->spans.field);
    TFP_SPAN_IN_COLUMNS(FREE)
    TFP_SPAN_JOIN_COLUMNS(FREE)
#undef FREE
    tfp_vec_free(&t->processes);
    tfp_vec_free(&t->calls);
    tfp_vec_free(&t->flows);
    tfp_vec_free(&t->stats);
    tfp_vec_free(&t->stat_sets);
    tfp_vec_free(&t->memory);
    tfp_vec_free(&t->counters);
    tfp_vec_free(&t->attributions);
    tfp_vec_free(&t->joined_execs);
    tfp_vec_free(&t->twins);
    tfp_vec_free(&t->step_marks);
    tfp_vec_free(&t->windows);
    tfp_vec_free(&t->devices);
    tfp_vec_free(&t->findings);
    tfp_vec_free(&t->doubts);
    tfp_vec_free(&t->about);
    tfp_vec_free(&t->keys);
    tfp_map64_free(&t->key_by_hash);
    tfp_map64_free(&t->stat_set_by_hash);
    tfp_map64_free(&t->lane_by_name);
    tfp_slims_free(t);
    free(t->slim->mean_steps);
    tfp_launches_free(t->launches);
}

void tfp_profile_free(tfp_profile *p)
{
    if (!p) return;
    if (p->checkpoint && p->checkpoint_free) p->checkpoint_free(p->checkpoint);
    tfp_program_free(p->program);
    tfp_vec_free(&p->graph->nodes);
    tfp_vec_free(&p->graph->types);
    tfp_vec_free(&p->graph->inputs);
    tfp_vec_free(&p->graph->outputs);
    tfp_vec_free(&p->graph->shapes);
    tfp_vec_free(&p->graph->dims);
    tfp_vec_free(&p->graph->run_shapes);
    tfp_vec_free(p->instructions);
    tfp_vec_free(&p->runs->steps);
    tfp_vec_free(&p->runs->step_order);
    tfp_vec_free(&p->runs->execs);
    tfp_vec_free(p->lanes);
    tfp_vec_free(&p->detail->details);
    tfp_vec_free(&p->detail->spans);
    tfp_vec_free(&p->detail->run_transfers);
    tfp_vec_free(p->weights);
    tfp_vec_free(p->timed);
    tfp_vec_free(&p->flights->dumps);
    tfp_vec_free(&p->flights->groups);
    tfp_vec_free(&p->flights->entries);
    tfp_vec_free(&p->allocator->devices);
    tfp_vec_free(&p->allocator->entries);
    tfp_vec_free(&p->allocator->blocks);
    tfp_vec_free(&p->allocator->segments);
    tfp_vec_free(&p->recorded->ops);
    tfp_vec_free(&p->recorded->tensors);
    tfp_vec_free(&p->recorded->files);
    tfp_vec_free(&p->sampled->sample_types);
    tfp_vec_free(&p->sampled->samples);
    free_events(p->events);
    tfp_graphs_free(p->captures);
    tfp_vec_free(&p->detail->memories);
    tfp_vec_free(&p->detail->buffers);
    tfp_vec_free(&p->detail->allocations);
    tfp_vec_free(&p->code->frames);
    tfp_vec_free(&p->code->trace_frames);
    tfp_vec_free(&p->code->traces);
    tfp_vec_free(&p->graph->attrs);
    tfp_vec_free(&p->runs->run_output_bytes);
    tfp_vec_free(&p->runs->coverage);
    tfp_vec_free(&p->files->warnings);
    tfp_vec_free(&p->files->sources);
    tfp_vec_free(&p->files->formats);
    tfp_vec_free(&p->graph->node_by_name);
    tfp_map64_free(&p->graph->types_by_node);
    tfp_map64_free(&p->graph->run_shape_by_output);
    tfp_map64_free(&p->runs->step_by_id);
    tfp_map64_free(&p->runs->exec_by_step);
    tfp_map64_free(&p->detail->lane_by_name);
    tfp_map64_free(&p->code->frame_by_hash);
    tfp_map64_free(&p->code->trace_by_hash);
    tfp_strtab_free(&p->strings);
    tfp_arena_free(&p->arena);
    tfp_profile_tables_free(p);
    free(p);
}

tfp_status tfp_profile_keep(tfp_profile *p, unsigned keep)
{
    const unsigned known = TFP_KEEP_ALL | TFP_KEEP_FUNCTIONS | TFP_KEEP_PROGRAM | TFP_KEEP_GRAPHS | TFP_KEEP_SUMS |
                           TFP_KEEP_TOTAL | TFP_KEEP_ROWS;
    if (!p || keep & ~known) return TFP_BADARG;
    p->keep = keep;
    p->kept = (tfp_step_choice){ .id = -2, .which = TFP_STEP_ALL };
    p->about.functions = keep & TFP_KEEP_FUNCTIONS;
    return TFP_OK;
}

tfp_status tfp_profile_on_progress(tfp_profile *p, tfp_progress_fn fn, void *ctx)
{
    if (!p) return TFP_BADARG;
    p->files->progress = fn;
    p->files->progress_ctx = ctx;
    return TFP_OK;
}

tfp_status tfp_profile_tell_progress(const tfp_profile *p, uint64_t *told, uint64_t now, uint64_t total, tfp_error *err)
{
    if (!p->files->progress || (*told >> 20 == now >> 20 && now != total)) return TFP_OK;
    *told = now;
    return p->files->progress(p->files->progress_ctx, now, total) ? tfp_fail(err, TFP_CANCELLED, "cancelled") : TFP_OK;
}

tfp_status tfp_profile_next_step(tfp_profile *p, int64_t step)
{
    if (!p) return TFP_BADARG;
    p->runs->next_step = step;
    p->runs->has_next_step = true;
    return TFP_OK;
}

const char *tfp_profile_warning(const tfp_profile *p, size_t i)
{
    return p && i < p->files->warnings.size ? p->files->warnings.at[i].line : NULL;
}

double tfp_profile_coverage(const tfp_profile *p, size_t i)
{
    return p && i < p->runs->coverage.size ? p->runs->coverage.at[i] : -1;
}

static bool has_stacks(const tfp_profile *p)
{
    const tfp_span_columns *spans = &p->events->spans;
    if (p->code->traces.size || (tfp_has(p, TFP_HAS_CODE) && spans->size)) return true;
    for (size_t i = 0; i < spans->size; i++)
        if (spans->kind[i] == TFP_SPAN_FRAME) return true;
    return false;
}

int tfp_profile_has(const tfp_profile *p, tfp_content what)
{
    if (!p || (unsigned)what >= TFP_CONTENT_COUNT) return 0;
    /* the bit says that a file could contain it, so look whether it does */
    if (what == TFP_HAS_CODE && !p->code->traces.size) return 0;
    if (what == TFP_HAS_STACKS) return has_stacks(p);
    if (what == TFP_HAS_HEAP) return p->allocator->devices.size > 0;
    if (what == TFP_HAS_GRAPH && !p->graph->inputs.size) return 0;
    return tfp_has(p, what);
}

size_t tfp_profile_step_count(const tfp_profile *p) { return p ? p->runs->step_order.size : 0; }

int64_t tfp_profile_step(const tfp_profile *p, size_t i)
{
    return p && i < p->runs->step_order.size ? p->runs->steps.at[p->runs->step_order.at[i]].id : -1;
}

size_t tfp_profile_node_count(const tfp_profile *p) { return p ? p->graph->nodes.size : 0; }

const char *tfp_profile_node_name(const tfp_profile *p, size_t i)
{
    return p && i < p->graph->nodes.size ? tfp_text(p, p->graph->nodes.at[i].name).data : NULL;
}

tfp_status tfp_builder_status(tfp_builder *b, tfp_error *err)
{
    const tfp_profile *p = b->p;
    bool refused = p->arena.refused || (p->program && p->program->arena.refused);
    if (!b->status && p->arena.limit && tfp_profile_memory(p) > p->arena.limit) b->status = TFP_LIMIT;
    if (b->status && refused) b->status = TFP_LIMIT; /* memory ended at our limit, not at the system's */
    if (b->status == TFP_LIMIT)
        return tfp_fail(err, TFP_LIMIT, "needs more than %zu MB of memory", b->p->arena.limit >> 20);
    return b->status ? tfp_nomem(err) : TFP_OK;
}

static size_t events_memory(const tfp_event_tables *t)
{
    size_t bytes = 0;
#define SIZE(type, field, none) +sizeof(type)
    bytes += t->spans.capacity * (0 TFP_SPAN_IN_COLUMNS(SIZE));
    if (t->spans.parent) bytes += t->spans.size * (0 TFP_SPAN_JOIN_COLUMNS(SIZE));
#undef SIZE
#define BYTES(table) (t->table.capacity * sizeof *t->table.at)
    return bytes + BYTES(flows) + BYTES(stats) + BYTES(stat_sets) + BYTES(memory) + BYTES(counters) + BYTES(windows) +
           BYTES(step_marks) + BYTES(keys) + tfp_slims_memory(t) +
           (t->key_by_hash.slot_count + t->stat_set_by_hash.slot_count) * 12;
#undef BYTES
}

size_t tfp_profile_memory(const tfp_profile *p)
{
    if (!p) return 0;
/* bytes in use: memory that was never touched takes no room */
#define BYTES(table) (p->table.size * sizeof *p->table.at)
#define LIST(list) (p->list->size * sizeof *p->list->at)
    return p->arena.used + BYTES(graph->nodes) + BYTES(graph->types) + BYTES(graph->inputs) + BYTES(graph->outputs) +
           BYTES(graph->shapes) + BYTES(graph->dims) + LIST(instructions) + BYTES(runs->execs) +
           BYTES(detail->details) + BYTES(detail->spans) + BYTES(detail->run_transfers) + BYTES(sampled->samples) +
           BYTES(recorded->ops) + BYTES(recorded->tensors) + BYTES(allocator->entries) + BYTES(allocator->blocks) +
           BYTES(allocator->segments) + BYTES(flights->groups) + BYTES(flights->entries) + LIST(weights) + LIST(timed) +
           BYTES(detail->memories) + BYTES(detail->buffers) + BYTES(detail->allocations) + BYTES(code->frames) +
           BYTES(code->trace_frames) + BYTES(code->traces) + p->strings.count * 24 + BYTES(graph->node_by_name) +
           p->runs->exec_by_step.slot_count * 12 + events_memory(p->events) + tfp_program_memory(p->program);
#undef LIST
#undef BYTES
}

void tfp_slim_free_rows(tfp_event_tables *t, tfp_slim_lane *x)
{
    for (tfp_slim_block *b = x->first, *next; b; b = next) {
        next = b->next;
        t->slim->slim_bytes -= sizeof *b + b->capacity * sizeof *b->rows;
        free(b);
    }
    x->first = x->last = NULL;
    tfp_vec_free(&x->longs);
    tfp_vec_free(&x->calls);
}

size_t tfp_slims_memory(const tfp_event_tables *t)
{
    size_t bytes = t->slim->slim_bytes + t->slim->slims.capacity * sizeof *t->slim->slims.at +
                   t->slim->slim_kinds.capacity * sizeof *t->slim->slim_kinds.at;
    for (size_t i = 0; i < t->slim->slims.size; i++) {
        const tfp_slim_lane *x = &t->slim->slims.at[i];
        bytes += x->longs.capacity * sizeof *x->longs.at + x->calls.capacity * sizeof *x->calls.at;
    }
    return bytes;
}

void tfp_slims_free(tfp_event_tables *t)
{
    for (size_t i = 0; i < t->slim->slims.size; i++) {
        tfp_slim_free_rows(t, &t->slim->slims.at[i]);
        tfp_vec_free(&t->slim->slims.at[i].groups);
        tfp_vec_free(&t->slim->slims.at[i].ran);
    }
    tfp_vec_free(&t->slim->slims);
    tfp_vec_free(&t->slim->slim_kinds);
    tfp_map64_free(&t->slim->slim_by_lane);
    free(t->slim->slim_outer_ns);
}
