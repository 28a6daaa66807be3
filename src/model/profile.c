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
#include "model/tables/compact.h"
#include "model/tables/code.h"
#include "model/tables/details.h"
#include "model/tables/events.h"
#include "model/tables/graph.h"
#include "model/tables/instructions.h"
#include "model/tables/lanes.h"
#include "model/tables/profile.h"
#include "model/tables/runs.h"
#include "model/tables/samples.h"
#include "model/tables/sources.h"
#include "model/tables/stats.h"
#include "model/tables/step_marks.h"
#include "model/tensors.h"
#include "schema/schema.h"

#include <stdlib.h>

bool tfp_profile_tables_new(tfp_profile *p)
{
    struct tables {
#define PART(name, type, function) type name;
#include "schema/parts.def"
        tfp_compact_tables compact;
    } *t = calloc(1, sizeof *t);
    if (!t) return false;
#define PART(name, type, function) p->name = &t->name;
#include "schema/parts.def"
    p->events->compact = &t->compact;
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

void tfp_profile_free(tfp_profile *p)
{
    if (!p) return;
    if (p->checkpoint && p->checkpoint_free) p->checkpoint_free(p->checkpoint);
    tfp_compact_free(p->events);
    free(p->runs->mean_steps);
    tfp_launches_free(p->events->launches);
    tfp_tables_free(p);
    tfp_program_free(p->program);
    tfp_strtab_free(&p->strings);
    tfp_arena_free(&p->arena);
    tfp_profile_tables_free(p);
    free(p);
}

/* The public bits, with the numbers of the internal ones. */
#define EACH_BIT(BIT)                                                                                                  \
    BIT(TFP_KEEP_MEMORY, TFP_READS_RUNS)                                                                               \
    BIT(TFP_KEEP_ATTRS, TFP_READS_ATTRS)                                                                               \
    BIT(TFP_KEEP_FUNCTIONS, TFP_READS_FUNCTIONS)                                                                       \
    BIT(TFP_KEEP_PROGRAM, TFP_READS_PROGRAM)                                                                           \
    BIT(TFP_KEEP_GRAPHS, TFP_READS_GRAPHS)                                                                             \
    BIT(TFP_KEEP_SUMS, TFP_READS_SUMS)                                                                                 \
    BIT(TFP_KEEP_TOTAL, TFP_READS_ONE_STEP)                                                                            \
    BIT(TFP_KEEP_ROWS, TFP_READS_TIMES)                                                                                \
    BIT(TFP_KEEP_STRIDES, TFP_READS_STRIDES)
#define IS_SAME(public, own) _Static_assert((unsigned)(public) == (unsigned)(own), #public);
EACH_BIT(IS_SAME)

const char *tfp_reads_name(unsigned bit)
{
#define NAME(public, own)                                                                                              \
    if (bit == (own)) return #public;
    EACH_BIT(NAME)
    return "";
}

tfp_status tfp_no_spans(tfp_error *err)
{
    return tfp_fail(err, TFP_BADARG, "the profile was read without spans (%s or %s)", tfp_reads_name(TFP_READS_SUMS),
                    tfp_reads_name(TFP_READS_TIMES));
}

tfp_status tfp_profile_keep(tfp_profile *p, unsigned keep)
{
#define KNOWN(public, own) | (own)
    if (!p || keep & ~(0u EACH_BIT(KNOWN))) return TFP_BADARG;
    p->reads = keep;
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

/* Shapes that limits can judge: those of a trace in which a device did something. */
static bool has_shapes(const tfp_profile *p)
{
    const tfp_span_columns *spans = &p->events->spans;
    if (!spans->size || tfp_strtab_find(&p->strings, TFP_STR("Input Dims")) == TFP_NONE) return false;
    for (size_t i = 0; i < spans->size; i++)
        if (spans->kind[i] == TFP_SPAN_ACTIVITY) return true;
    return false;
}

static bool has_phases(const tfp_profile *p)
{
    for (size_t i = 0; i < p->events->windows.size; i++)
        if (p->events->windows.at[i].phase) return true;
    return false;
}

int tfp_profile_has(const tfp_profile *p, tfp_content what)
{
    if (!p || (unsigned)what >= TFP_CONTENT_COUNT) return 0;
    /* the bit says that a file could contain it, so look whether it does */
    if (what == TFP_HAS_CODE && !p->code->traces.size) return 0;
    if (what == TFP_HAS_STACKS) return has_stacks(p);
    if (what == TFP_HAS_HEAP) return p->allocator->devices.size > 0;
    if (what == TFP_HAS_SHAPES) return has_shapes(p);
    if (what == TFP_HAS_PHASES) return has_phases(p);
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

size_t tfp_profile_memory(const tfp_profile *p)
{
    if (!p) return 0;
    return p->arena.used + (p->program ? p->program->arena.used : 0) + p->strings.count * 24 + tfp_tables_memory(p) +
           tfp_compact_memory(p->events);
}
