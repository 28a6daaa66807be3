// SPDX-License-Identifier: Apache-2.0
/* views/trace/facts.c: gathers the facts of facts.h, each with one pass over the spans or over the rows of a table. */
#include "model/span_names.h"
#include "model/tables/events.h"
#include "model/tables/lanes.h"
#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "model/tables/stats.h"
#include "names/copies.h"
#include "options/options.h"
#include "query/groups.h"
#include "query/order.h"
#include "views/core/report.h"
#include "views/spans/waiting.h"
#include "views/trace/facts.h"

#include <math.h>

/* ---- kernels ---- */

static const tfp_sort_key longest_first[] = { TFP_DOWN(tfp_kernel_fact, total_ns), { 0 } };

static void add_kernel(tfp_trace_facts *f, tfp_kernel_fact *k, uint32_t span, const tfp_occupancy_keys *keys)
{
    int64_t ns = f->x.s->self_ns[span];
    double percent;
    k->total_ns = tfp_add(k->total_ns, ns, NULL);
    if (f->x.s->step[span] == TFP_NONE) return;
    k->steps_ns = tfp_add(k->steps_ns, ns, NULL);
    if (k->longest == TFP_NONE || ns > f->x.s->self_ns[k->longest]) k->longest = span;
    if (!tfp_stated_occupancy(f->x.p, f->x.s->stats[span], keys, &percent) || percent == 0) return; /* ROCm: unknown */
    k->occupancy = (isnan(k->occupancy) ? 0 : k->occupancy) + percent * (double)ns;
    k->occupancy_ns = tfp_add(k->occupancy_ns, ns, NULL);
}

static bool add_kernels(tfp_report *r, tfp_trace_facts *f)
{
    const tfp_span_columns *s = f->x.s;
    tfp_groups found = { .row_size = sizeof *f->kernels }; /* by name and class */
    tfp_occupancy_keys keys = tfp_occupancy_keys_of(f->x.p);
    for (uint32_t i = 0; i < s->size; i++) {
        if (s->kind[i] != TFP_SPAN_ACTIVITY || !tfp_span_in_step(r, i)) continue;
        tfp_kernel_fact *k = TFP_GROUP(&found, s->name[i], s->class[i]);
        if (!k) break;
        if (found.added)
            *k = (tfp_kernel_fact){
                .name = tfp_span_name(f->x.p, i), .class = s->class[i], .occupancy = NAN, .longest = TFP_NONE
            };
        add_kernel(f, k, i, &keys);
    }
    f->kernels = tfp_groups_end(&found, &r->arena, longest_first, &f->kernel_count);
    for (tfp_kernel_fact *k = f->kernels; k && k < f->kernels + f->kernel_count; k++)
        if (k->occupancy_ns) k->occupancy /= (double)k->occupancy_ns;
    return f->kernels != NULL;
}

/* ---- names ---- */

/* A cache of what names mean: each is looked at once. */
typedef struct namer {
    const tfp_profile *p;
    uint32_t *known; /* for each string */
} namer;

static unsigned flags_of(const namer *n, uint32_t span)
{
    tfp_strid name = tfp_events_of(n->p)->spans.name[span];
    if (!n->known[name]) n->known[name] = tfp_name_says(tfp_text(n->p, name));
    return n->known[name];
}

/* ---- tallies ---- */

#define TINY_NS 10000 /* longest duration: its launch takes as long as its work */

typedef struct gatherer {
    tfp_report *r;
    tfp_trace_facts *f;
    namer names;
    tfp_strid dims, types, blocks, details, retraced, traced_count;
    uint8_t *streams; /* for each lane: whether compute ran there */
    tfp_tally known;  /* times when the host is known to wait for something other than its own launches */
    tfp_tally own;    /* times when the profiler does its own work */
    tfp_waiting waiting;
    double small_ns,
        small_part_ns; /* kernels with small grids: their time, and this time multiplied by the share of multiprocessors that they use */
    bool failed;
} gatherer;

static int64_t judged_part(const tfp_trace_facts *f, uint32_t span)
{
    const tfp_span_columns *s = f->x.s;
    if (!f->begin.whole) return s->duration_ns[span];
    return tfp_union_within(&f->judged[tfp_trace_unit_of(&f->x, span)], s->start_ns[span], tfp_span_end(s, span));
}

static void tally(gatherer *g, tfp_tally *t, uint32_t span)
{
    if (!tfp_span_in_window(g->r, span) || tfp_span_left_out(g->f, span)) return;
    if (!t->count++ || judged_part(g->f, span) > judged_part(g->f, t->longest)) t->longest = span;
    g->failed |= !tfp_push(&t->spans, span);
}

static void tally_sort(gatherer *g, tfp_sort_of_work sort, uint32_t span)
{
    tfp_trace_facts *f = g->f;
    tfp_tally *const all[] = { [TFP_SORT_CASTS] = &f->device.casts,
                               [TFP_SORT_LAYOUTS] = &f->device.layouts,
                               [TFP_SORT_OPTIMIZER] = &f->device.optimizer,
                               [TFP_SORT_PLAIN] = &f->device.plain_matmuls,
                               [TFP_SORT_ODD] = &f->device.odd_matmuls,
                               [TFP_SORT_SMALL] = &f->device.small_grids,
                               [TFP_SORT_TINY] = &f->device.tiny };
    f->sorts[span] |= (uint8_t)(1u << sort);
    tally(g, all[sort], span);
}

/* "[[64, 1001], [1001, 512]]": some side of a matrix is no multiple of 8. A matrix is the last two numbers of an input; those before
 * them count the matrices. */
static bool has_odd_side(tfp_str dims)
{
    int64_t n = 0, last = 0, before = 0;
    bool odd = false, in = false;
    for (size_t i = 0; i <= dims.size; i++) {
        char c = i < dims.size ? dims.data[i] : ']';
        if (c >= '0' && c <= '9') {
            n = n < INT32_MAX ? n * 10 + (c - '0') : n;
            in = true;
            continue;
        }
        if (in) before = last, last = n;
        n = 0;
        in = false;
        if (c != ']') continue;
        odd |= (last > 16 && last % 8) || (before > 16 && before % 8);
        last = before = 0;
    }
    return odd;
}

/* Whether a product works on a 16-bit type, by its op or else its kernel's name. */
static bool is_half(const gatherer *g, uint32_t span, uint32_t op)
{
    const tfp_stat *types = tfp_span_stat(g->f->x.p, op, g->types);
    if (!types || types->type != TFP_STAT_TEXT) return flags_of(&g->names, span) & TFP_NAME_HALF;
    tfp_str text = tfp_text(g->f->x.p, (tfp_strid)types->value.text);
    return tfp_str_has(text, TFP_STR("Half")) || tfp_str_has(text, TFP_STR("BFloat16"));
}

static void add_product(gatherer *g, uint32_t span, uint32_t op)
{
    const tfp_stat *stat = tfp_span_stat(g->f->x.p, op, g->dims);
    if (stat && stat->type == TFP_STAT_TEXT && has_odd_side(tfp_text(g->f->x.p, (tfp_strid)stat->value.text)) &&
        is_half(g, span, op))
        tally_sort(g, TFP_SORT_ODD, span);
}

/* The sort of a kernel, from its own name, its operation or XLA's instruction; -1: none. */
static int own_sort(gatherer *g, uint32_t span)
{
    const tfp_span_columns *s = g->f->x.s;
    tfp_strid op = s->op[span];
    unsigned flags = flags_of(&g->names, span);
    tfp_str text = tfp_text(g->f->x.p, op);
    if (flags & TFP_NAME_TRANSPOSES) return TFP_SORT_LAYOUTS;
    if (op && flags & TFP_NAME_CASTS)
        return TFP_SORT_CASTS; /* of the instruction itself, without those fused with it */
    if (op && flags & TFP_NAME_MOVES) return TFP_SORT_LAYOUTS;
    if (tfp_str_eq(text, TFP_STR("Cast"))) return TFP_SORT_CASTS;
    return tfp_str_eq(text, TFP_STR("Transpose")) ? TFP_SORT_LAYOUTS : -1;
}

/* Finds the sort of a compute kernel from the ops around its launch: the innermost op of a known sort decides. */
static void add_launched(gatherer *g, uint32_t span)
{
    enum { LEVELS = 100 };
    const unsigned only = TFP_NAME_CASTS | TFP_NAME_MOVES | TFP_NAME_COPIES;
    const tfp_span_columns *s = g->f->x.s;
    uint32_t at = s->owner[span];
    int to = own_sort(g, span);
    bool said = to >= 0, copies = at != TFP_NONE && flags_of(&g->names, at) & only;
    if (said) tally_sort(g, (tfp_sort_of_work)to, span);
    for (int level = 0; at != TFP_NONE && level < LEVELS; at = s->parent[at], level++) {
        unsigned flags = flags_of(&g->names, at);
        if (flags & TFP_NAME_OPTIMIZER) {
            if (!(flags_of(&g->names, span) & TFP_NAME_JOINED)) tally_sort(g, TFP_SORT_OPTIMIZER, span);
            return;
        }
        if (s->kind[at] != TFP_SPAN_OP || said) continue;
        to = copies && flags & TFP_NAME_CASTS   ? TFP_SORT_CASTS
             : copies && flags & TFP_NAME_MOVES ? TFP_SORT_LAYOUTS
                                                : -1;
        if (to >= 0) tally_sort(g, (tfp_sort_of_work)to, span);
        if (flags & TFP_NAME_PRODUCT) add_product(g, span, at);
        said = to >= 0 || flags & TFP_NAME_PRODUCT;
    }
}

static bool is_pageable(const gatherer *g, uint32_t span)
{
    const tfp_stat *details = tfp_span_stat(g->f->x.p, span, g->details);
    bool recorded = details && details->type == TFP_STAT_TEXT;
    tfp_str text = recorded ? tfp_text(g->f->x.p, (tfp_strid)details->value.text) : TFP_STR("");
    const char *memory = tfp_copy_memory(tfp_span_name(g->f->x.p, span), text);
    return memory && strcmp(memory, "pageable") == 0;
}

static void add_activity(gatherer *g, uint32_t span)
{
    const tfp_span_columns *s = g->f->x.s;
    if (s->class[span] == TFP_CLASS_COPY && s->launch[span] != TFP_NONE && is_pageable(g, span))
        tally(g, &g->f->host.pageable, s->launch[span]);
    if (s->class[span] != TFP_CLASS_COMPUTE) return;
    if (s->duration_ns[span] <= TINY_NS) tally_sort(g, TFP_SORT_TINY, span);
    g->streams[s->lane[span]] = 1;
    unsigned flags = flags_of(&g->names, span); /* a 16-bit product may compute in single precision inside */
    if (flags & TFP_NAME_PLAIN && !(flags & TFP_NAME_HALF)) tally_sort(g, TFP_SORT_PLAIN, span);
    const tfp_stat *blocks = tfp_span_stat(g->f->x.p, span, g->blocks);
    double per_sm = !blocks || blocks->type == TFP_STAT_TEXT ? 1
                    : blocks->type == TFP_STAT_INT           ? (double)blocks->value.number
                                                             : blocks->value.real;
    if (per_sm < 0.5) {
        tally_sort(g, TFP_SORT_SMALL, span);
        g->small_ns += (double)s->duration_ns[span];
        g->small_part_ns += (double)s->duration_ns[span] * (per_sm > 0 ? per_sm : 0);
    }
    add_launched(g, span);
}

/* Whether an op takes from a queue: it waits for its input, which another op puts there. */
static bool takes_from_queue(const gatherer *g, uint32_t span)
{
    const tfp_profile *p = g->f->x.p;
    tfp_str op = tfp_text(p, g->f->x.s->op[span]), of = op.size ? op : tfp_span_name(p, span);
    return !tfp_str_has(of, TFP_STR("Enqueue")) && !tfp_str_has(of, TFP_STR("enqueue"));
}

/* Whether a call of a tf.function traced it again. TensorFlow's stats of a call are "traced-nonXla" or "notTraced-nonXla", and
 * the number of traces so far. The first call may trace twice, once to create variables. */
static bool is_retrace(const gatherer *g, uint32_t span)
{
    const tfp_profile *p = g->f->x.p;
    const tfp_stat *call = tfp_span_stat(p, span, g->retraced), *count = tfp_span_stat(p, span, g->traced_count);
    return call && call->type == TFP_STAT_TEXT &&
           tfp_str_begins(tfp_text(p, (tfp_strid)call->value.text), TFP_STR("traced")) &&
           (!count || count->type != TFP_STAT_INT || count->value.number > 2);
}

/* Whether it is a copy or a synchronisation that is not part of another wait. */
static bool blocks(const gatherer *g, uint32_t span, const uint8_t *waits)
{
    const tfp_span_columns *s = g->f->x.s;
    enum { LEVELS = 100 };
    if (waits[span] == TFP_WAITS_SYNCHRONIZE) return true;
    if (s->kind[span] != TFP_SPAN_CALL || !(flags_of(&g->names, span) & TFP_NAME_COPY_CALL)) return false;
    uint32_t at = s->parent[span];
    for (int level = 0; at != TFP_NONE && level < LEVELS; level++, at = s->parent[at])
        if (waits[at]) return false;
    return true;
}

static bool communicates(const gatherer *g, uint32_t span)
{
    const tfp_span_columns *s = g->f->x.s;
    if (s->kind[span] != TFP_SPAN_OP && s->kind[span] != TFP_SPAN_ANNOTATION) return false;
    bool tensorflow = tfp_is_host_collective(tfp_text(g->f->x.p, s->op[span]));
    if (g->f->has_devices) return tensorflow || tfp_is_host_range(tfp_span_name(g->f->x.p, span));
    return s->class[span] == TFP_CLASS_COMMUNICATION || flags_of(&g->names, span) & TFP_NAME_COMMUNICATES || tensorflow;
}

static void add_host(gatherer *g, uint32_t span, const uint8_t *waits)
{
    const tfp_span_columns *s = g->f->x.s;
    unsigned kind = s->kind[span], flags = flags_of(&g->names, span);
    bool start = s->step[span] == g->f->begin.warm_up || g->f->begin.whole; /* it is unknown whether it repeats */
    bool loads = s->marks[span] & TFP_MARK_LOADS, ranges = kind == TFP_SPAN_OP || kind == TFP_SPAN_ANNOTATION;
    bool compiles = ranges && !loads && flags & TFP_NAME_COMPILES;
    bool allocates = kind == TFP_SPAN_CALL && flags & TFP_NAME_ALLOCATES;
    if (flags & TFP_NAME_PROFILER) tally(g, &g->f->host.own, span);
    g->f->frameworks |= flags & (TFP_NAME_TORCH | TFP_NAME_TENSORFLOW | TFP_NAME_JAX);
    bool works = !g->waiting.waits || g->waiting.threads[s->lane[span]] != TFP_THREAD_WAITS;
    if (works && (kind == TFP_SPAN_FRAME || kind == TFP_SPAN_MODULE)) tally(g, &g->f->host.python, span);
    if (kind == TFP_SPAN_OP || kind == TFP_SPAN_CALL) tally(g, &g->f->host.ops, span);
    if (allocates && !start) tally(g, &g->f->host.allocations, span);
    if (compiles && !start) tally(g, &g->f->host.compilations, span);
    if (waits[span] == TFP_WAITS_DATA || (waits[span] == TFP_WAITS_QUEUE && takes_from_queue(g, span)))
        tally(g, &g->f->host.data, span);
    if (waits[span] == TFP_WAITS_ITEM) tally(g, &g->f->host.item, span);
    if (waits[span] == TFP_WAITS_SYNCHRONIZE) tally(g, &g->f->host.synchronize, span);
    bool joins = communicates(g, span), blocking = blocks(g, span, waits), retraces = is_retrace(g, span);
    if (joins) tally(g, &g->f->host.communication, span);
    if (blocking) tally(g, &g->f->host.blocked, span);
    if (retraces) tally(g, &g->f->host.retraces, span);
    if (loads) tally(g, &g->f->host.loading, span);
    if (waits[span] || loads || joins || blocking || retraces || (!start && (allocates || compiles)))
        tally(g, &g->known, span);
}

/* Finds whether each device computes in only one stream. */
static bool find_streams(gatherer *g)
{
    const tfp_trace_index *x = &g->f->x;
    uint32_t *found = TFP_NEW(&g->r->arena, uint32_t, x->device_count + 1);
    if (!found) return false;
    g->f->device.one_stream = true;
    for (size_t i = 0; i < tfp_lanes_of(x->p)->size; i++)
        if (g->streams[i] && x->device_of_lane[i] != TFP_NONE && found[x->device_of_lane[i]]++)
            g->f->device.one_stream = false;
    return true;
}

typedef struct tally_end {
    tfp_tally *tally;
    bool host;
} tally_end;

static bool add_spans(tfp_report *r, tfp_trace_facts *f)
{
    const tfp_profile *p = f->x.p;
    gatherer g = { .r = r, .f = f, .names = { p, TFP_NEW(&r->arena, uint32_t, tfp_strings_of(p)->count + 1) } };
    const uint8_t *waits = tfp_host_waits(r, &f->x);
    g.dims = tfp_stat_key(p, "Input Dims");
    g.types = tfp_stat_key(p, "Input type");
    g.blocks = tfp_stat_key(p, "blocks per SM");
    g.details = tfp_stat_key(p, "memcpy_details");
    g.retraced = tfp_stat_key(p, "tf_function_call");
    g.traced_count = tfp_stat_key(p, "tracing_count");
    f->sorts = TFP_NEW(&r->arena, uint8_t, f->x.s->size + 1);
    g.streams = TFP_NEW(&r->arena, uint8_t, tfp_lanes_of(p)->size + 1);
    bool ok = g.names.known && waits && g.streams && f->sorts;
    ok = ok && tfp_waiting_of(p, r->cut, &r->arena, &g.waiting);
    for (uint32_t i = 0; ok && i < f->x.s->size; i++) {
        if (tfp_trace_unit_of(&f->x, i) == TFP_NONE) continue;
        if (f->x.s->kind[i] == TFP_SPAN_ACTIVITY)
            add_activity(&g, i);
        else
            add_host(&g, i, waits);
    }
    const tally_end all[] = {
        { &f->host.item, true },
        { &f->host.synchronize, true },
        { &f->host.data, true },
        { &f->host.allocations, true },
        { &f->host.compilations, true },
        { &f->host.loading, true },
        { &f->host.python, true },
        { &f->host.ops, true },
        { &f->device.casts, false },
        { &f->device.layouts, false },
        { &f->device.optimizer, false },
        { &f->device.plain_matmuls, false },
        { &f->device.odd_matmuls, false },
        { &f->device.small_grids, false },
        { &g.known, true },
        { &f->host.own, true },
        { &f->host.blocked, true },
        { &f->host.pageable, true },
        { &f->host.communication, true },
        { &f->host.retraces, true },
        { &f->device.tiny, false },
    };
    ok = ok && !g.failed && find_streams(&g);
    const tfp_union *known = ok ? tfp_tally_unions(r, f, &g.known) : NULL;
    const tfp_union *own = ok ? tfp_tally_unions(r, f, &f->host.own) : NULL;
    f->inputs = ok ? tfp_tally_unions(r, f, &f->host.data) : NULL;
    ok = known && own && f->inputs && tfp_idle_of(r, f, own) && tfp_gaps_of(f, known, own);
    tfp_tally *const effects[] = { &f->host.data, &f->host.synchronize, &f->host.blocked, &f->host.pageable,
                                   &f->host.communication };
    for (size_t i = 0; i < sizeof effects / sizeof *effects; i++) ok = ok && tfp_tally_effect(r, f, effects[i]);
    f->device.small_grids_part = g.small_ns > 0 ? g.small_part_ns / g.small_ns : 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        ok = ok && tfp_tally_end(r, f, all[i].tally, all[i].host);
        tfp_vec_free(&all[i].tally->spans);
    }
    return ok;
}

/* ---- all of it ---- */

/* The capability, such as "7.0", of the first device that states it. */
static double capability_of(const tfp_trace_facts *f)
{
    const tfp_profile *p = f->x.p;
    tfp_strid key = tfp_stat_key(p, "compute_capability");
    for (size_t i = 0; i < tfp_events_of(p)->about.size && key != TFP_NONE; i++) {
        const tfp_stat *a = &tfp_events_of(p)->about.at[i];
        char text[16];
        tfp_str recorded = a->type == TFP_STAT_TEXT ? tfp_text(p, (tfp_strid)a->value.text) : TFP_STR("");
        if (a->key != key || recorded.size >= sizeof text) continue;
        memcpy(text, recorded.data, recorded.size);
        text[recorded.size] = '\0';
        return strtod(text, NULL);
    }
    return 0;
}

static tfp_status fill(tfp_report *r, tfp_trace_facts *f, tfp_error *err)
{
    tfp_status s = tfp_mean_step_of(r, f, err);
    if (s) return s;
    if (f->begin.start != TFP_NONE) r->step.without = f->begin.start + 1;
    bool ok = tfp_steps_cover(r, f) && tfp_judged_of(r, f) &&
              tfp_transfer_rows(r, &f->x, true, &f->transfers, &f->transfer_count) && add_kernels(r, f) &&
              add_spans(r, f) && tfp_rank_facts_of(r, f) && tfp_reserved_of(f);
    if (!ok) return tfp_nomem(err);
    f->capability = capability_of(f);
    if (tfp_trace_is_runs(&f->x)) f->frameworks = TFP_NAME_TENSORFLOW;
    return TFP_OK;
}

/* Uses the trace that was made from the executions, which has its own steps. */
static void use_runs(tfp_report *r)
{
    if (r->step.which == TFP_STEP_ONE) r->step.row = tfp_find_step(r->runs, r->step.id);
    r->profile = r->runs;
}

tfp_status tfp_trace_facts_of(tfp_report *r, const tfp_trace_facts **out, tfp_error *err)
{
    const tfp_profile *p = r->profile;
    tfp_step_choice step = r->step;
    if (r->options->made.facts) {
        *out = r->options->made.facts;
        return TFP_OK;
    }
    if (!r->trace) {
        tfp_trace_facts *f = TFP_NEW(&r->arena, tfp_trace_facts, 1);
        if (!f) return tfp_nomem(err);
        if (r->runs) use_runs(r);
        tfp_status s = fill(r, f, err);
        r->profile = p;
        r->step = step;
        if (s) return s;
        r->trace = f;
    }
    *out = r->trace;
    return TFP_OK;
}
