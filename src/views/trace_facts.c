// SPDX-License-Identifier: Apache-2.0
/* views/trace_facts.c: the facts of trace_facts.h, each from one pass over the spans or over the rows of a table. */
#include "views/trace_facts.h"

#include <math.h>

/* ---- the mean step ---- */

static bool is_all(const tfp_step_row *s) { return *s->step.data == 'a'; }

static void add_steps(tfp_trace_facts *f)
{
    double sum = 0, squares = 0;
    f->step_count = 0;
    for (size_t i = 0; i < f->step_row_count; i++) {
        const tfp_step_row *s = &f->steps[i];
        if (is_all(s)) continue;
        f->step_count++;
        f->step_ns += (double)s->duration_ns;
        f->busy_ns += (double)s->busy_ns;
        f->compute_ns += (double)s->compute_ns;
        f->communication_ns += (double)s->communication_ns;
        f->copy_ns += (double)s->copy_ns;
        f->exposed_communication_ns += (double)s->exposed_communication_ns;
        f->exposed_copy_ns += (double)s->exposed_copy_ns;
        f->idle_ns += (double)s->idle_ns;
        f->kernels_per_step += (double)s->kernels;
        sum += (double)s->duration_ns;
        squares += (double)s->duration_ns * (double)s->duration_ns;
    }
    double n = f->step_count ? (double)f->step_count : 1, mean = sum / n;
    double *means[] = { &f->step_ns,          &f->busy_ns, &f->compute_ns,
                        &f->communication_ns, &f->copy_ns, &f->exposed_communication_ns,
                        &f->exposed_copy_ns,  &f->idle_ns, &f->kernels_per_step };
    for (size_t i = 0; i < sizeof means / sizeof *means; i++) *means[i] /= n;
    double variance = squares / n - mean * mean;
    f->step_cv = f->step_count >= 3 && mean > 0 ? sqrt(variance > 0 ? variance : 0) / mean : NAN;
    if (!f->step_count) f->step_count = 1;
}

static bool lasts_less(const void *ctx, uint32_t a, uint32_t b)
{
    const tfp_step_row *s = ctx;
    return s[a].duration_ns < s[b].duration_ns;
}

/* The median and the longest step of the first device: what a long one has more of says why steps vary. */
static bool find_odd_steps(tfp_report *r, tfp_trace_facts *f)
{
    uint32_t *rows = TFP_NEW(&r->arena, uint32_t, f->step_row_count + 1);
    size_t count = 0;
    f->median_step = f->longest_step = SIZE_MAX;
    for (uint32_t i = 0; rows && i < f->step_row_count; i++) {
        const tfp_step_row *s = &f->steps[i];
        if (!is_all(s) && s->unit == f->steps[0].unit && tfp_str_eq(s->device, f->steps[0].device)) rows[count++] = i;
    }
    if (!rows || !tfp_sort(rows, count, lasts_less, f->steps)) return false;
    if (count < 3) return true;
    f->median_step = rows[(count - 1) / 2];
    f->longest_step = rows[count - 1];
    return true;
}

/* Gaps in what a device does at all, by whether the activity that ends one was launched too late. */
static void add_gaps(tfp_trace_facts *f)
{
    const tfp_span_columns *s = f->x.s;
    double late = 0, all = 0;
    for (size_t i = 0; i < f->x.device_count; i++) {
        const tfp_trace_device *d = &f->x.devices[i];
        int64_t since = 0;
        if (d->host) continue;
        for (size_t k = 0; k < d->count; k++) {
            uint32_t span = f->x.items[d->first + k], launch = s->launch[span];
            int64_t start = s->start_ns[span], end = tfp_span_end(s, span);
            if (k && start > since) {
                all += (double)(start - since);
                if (launch != TFP_NONE && s->start_ns[launch] > since) late += (double)(start - since);
            }
            if (!k || end > since) since = end;
        }
    }
    f->late_share = all > 0 ? late / all : 0;
}

/* ---- kernels ---- */

static bool takes_longer(const void *ctx, uint32_t a, uint32_t b)
{
    const tfp_kernel_fact *k = ctx;
    return k[a].total_ns > k[b].total_ns;
}

static void add_kernel(tfp_trace_facts *f, tfp_kernel_fact *k, uint32_t span, tfp_strid occupancy)
{
    const tfp_stat *stat = tfp_span_stat(f->x.p, span, occupancy);
    int64_t ns = f->x.s->self_ns[span];
    k->count++;
    k->total_ns = tfp_add(k->total_ns, ns, NULL);
    if (ns > f->x.s->self_ns[k->longest]) k->longest = span;
    if (!stat || stat->type == TFP_STAT_TEXT) return;
    double percent = stat->type == TFP_STAT_INT ? (double)stat->value.number : stat->value.real;
    k->occupancy = (isnan(k->occupancy) ? 0 : k->occupancy) + percent * (double)ns;
    k->occupancy_ns = tfp_add(k->occupancy_ns, ns, NULL);
}

static bool add_kernels(tfp_report *r, tfp_trace_facts *f)
{
    const tfp_span_columns *s = f->x.s;
    tfp_map64 by_name = { 0 };
    TFP_VEC(tfp_kernel_fact) found = { 0 };
    tfp_strid occupancy = tfp_stat_key(f->x.p, "est. achieved occupancy %");
    bool ok = true;
    for (uint32_t i = 0; ok && i < s->size; i++) {
        if (s->kind[i] != TFP_SPAN_ACTIVITY) continue;
        uint64_t key = (uint64_t)s->name[i] << 8 | s->class[i];
        uint32_t at = tfp_map64_get(&by_name, key);
        if (at == TFP_NONE) {
            tfp_kernel_fact k = {
                .name = tfp_span_name(f->x.p, i), .class = s->class[i], .occupancy = NAN, .longest = i
            };
            at = (uint32_t)found.size;
            ok = tfp_push(&found, k) && tfp_map64_put(&by_name, key, at);
        }
        if (ok) add_kernel(f, &found.at[at], i, occupancy);
    }
    uint32_t *order = ok ? TFP_NEW(&r->arena, uint32_t, found.size + 1) : NULL;
    f->kernels = ok ? TFP_NEW(&r->arena, tfp_kernel_fact, found.size + 1) : NULL;
    ok = order && f->kernels;
    for (uint32_t i = 0; ok && i < found.size; i++) order[i] = i;
    ok = ok && tfp_sort(order, found.size, takes_longer, found.at);
    for (size_t i = 0; ok && i < found.size; i++) {
        f->kernels[i] = found.at[order[i]];
        if (f->kernels[i].occupancy_ns) f->kernels[i].occupancy /= (double)f->kernels[i].occupancy_ns;
    }
    f->kernel_count = found.size;
    tfp_vec_free(&found);
    tfp_map64_free(&by_name);
    return ok;
}

/* ---- names ---- */

/* What names say; each is looked at once. */
enum {
    KNOWN = 1,
    ALLOCATES = 2,
    COMPILES = 4,
    CASTS = 8,
    LAYOUTS = 16,
    PLAIN_PRODUCT = 32, /* a kernel */
    TRANSPOSES = 64,    /* a kernel */
    OPTIMIZER = 128,
    PRODUCT = 256 /* an op */
};

typedef struct namer {
    const tfp_profile *p;
    uint16_t *known; /* by string */
} namer;

static bool is_any(tfp_str s, const char *const *words)
{
    for (; *words; words++)
        if (tfp_str_has(s, tfp_str_of(*words))) return true;
    return false;
}

static bool begins_any(tfp_str s, const char *const *words)
{
    for (; *words; words++)
        if (tfp_str_begins(s, tfp_str_of(*words))) return true;
    return false;
}

static unsigned look_at(tfp_str name)
{
    static const char *const allocates[] = { "cudaMalloc", "cudaFree",  "hipMalloc", "hipFree",
                                             "cuMemAlloc", "cuMemFree", NULL };
    static const char *const compiles[] = { "XlaCompile",
                                            "backend_compile",
                                            "TorchDynamo",
                                            "compile_fx",
                                            "_compile.compile_inner",
                                            "create_aot_dispatcher",
                                            "CompileToLocalExecutable",
                                            "XLA compile",
                                            NULL };
    static const char *const casts[] = { "aten::_to_copy", "aten::to", "Cast", "convert_element_type", NULL };
    static const char *const layouts[] = { "aten::contiguous", "aten::clone", "Transpose", "transpose", "NHWC", NULL };
    static const char *const plain[] = { "sgemm", "s884gemm_f32", "simt_sgemm", NULL };
    static const char *const transposes[] = { "nchwToNhwc", "nhwcToNchw", NULL };
    static const char *const products[] = { "aten::mm",     "aten::addmm", "aten::bmm", "aten::baddbmm",
                                            "aten::linear", "dot_general", "MatMul",    NULL };
    unsigned flags = KNOWN;
    if (begins_any(name, allocates) && !tfp_str_has(name, TFP_STR("Async"))) flags |= ALLOCATES;
    if (is_any(name, compiles)) flags |= COMPILES;
    if (is_any(name, casts)) flags |= CASTS;
    if (is_any(name, layouts)) flags |= LAYOUTS;
    if (is_any(name, plain)) flags |= PLAIN_PRODUCT;
    if (is_any(name, transposes)) flags |= TRANSPOSES;
    if (tfp_str_begins(name, TFP_STR("Optimizer.step"))) flags |= OPTIMIZER;
    if (begins_any(name, products)) flags |= PRODUCT;
    return flags;
}

static unsigned flags_of(const namer *n, uint32_t span)
{
    uint16_t *flags = &n->known[n->p->events.spans.name[span]];
    if (!*flags) *flags = (uint16_t)look_at(tfp_span_name(n->p, span));
    return *flags;
}

/* ---- tallies ---- */

typedef struct gatherer {
    tfp_report *r;
    tfp_trace_facts *f;
    namer names;
    tfp_strid dims, blocks;
    uint8_t *streams; /* by lane: compute ran there */
    bool failed;
} gatherer;

static void tally(gatherer *g, tfp_tally *t, uint32_t span)
{
    const tfp_span_columns *s = g->f->x.s;
    if (s->step[span] == TFP_NONE || !tfp_span_in_step(g->r, span)) return;
    if (!t->count++ || s->duration_ns[span] > s->duration_ns[t->longest]) t->longest = span;
    g->failed |= !tfp_push(&t->spans, span);
}

/* Numbers of "[[64, 1001], [1001, 512]]": some side that matters is no multiple of 8. */
static bool has_odd_side(tfp_str dims)
{
    int64_t n = 0;
    bool odd = false, in = false;
    for (size_t i = 0; i <= dims.size; i++) {
        char c = i < dims.size ? dims.data[i] : ' ';
        if (c >= '0' && c <= '9' && n < INT32_MAX) {
            n = n * 10 + (c - '0');
            in = true;
        } else if (in) {
            odd |= n > 16 && n % 8;
            n = 0;
            in = false;
        }
    }
    return odd;
}

static void add_product(gatherer *g, uint32_t span, uint32_t op)
{
    const tfp_stat *stat = tfp_span_stat(g->f->x.p, op, g->dims);
    if (stat && stat->type == TFP_STAT_TEXT && has_odd_side(tfp_text(g->f->x.p, (tfp_strid)stat->value.text)))
        tally(g, &g->f->odd_matmuls, span);
}

/* What launched a compute kernel, by the ops around; the innermost that says something counts. */
static void add_launched(gatherer *g, uint32_t span)
{
    enum { LEVELS = 100 };
    const tfp_span_columns *s = g->f->x.s;
    uint32_t at = s->owner[span];
    bool said = flags_of(&g->names, span) & TRANSPOSES;
    if (said) tally(g, &g->f->layouts, span);
    for (int level = 0; at != TFP_NONE && level < LEVELS; at = s->parent[at], level++) {
        unsigned flags = flags_of(&g->names, at);
        if (flags & OPTIMIZER) {
            tally(g, &g->f->optimizer, span);
            return;
        }
        if (s->kind[at] != TFP_SPAN_OP || said) continue;
        tfp_tally *to = flags & CASTS ? &g->f->casts : flags & LAYOUTS && level == 0 ? &g->f->layouts : NULL;
        if (to) tally(g, to, span);
        if (flags & PRODUCT) add_product(g, span, at);
        said = to || flags & PRODUCT;
    }
}

static void add_activity(gatherer *g, uint32_t span)
{
    const tfp_span_columns *s = g->f->x.s;
    if (s->class[span] != TFP_CLASS_COMPUTE) return;
    g->streams[s->lane[span]] = 1;
    if (flags_of(&g->names, span) & PLAIN_PRODUCT) tally(g, &g->f->plain_matmuls, span);
    const tfp_stat *blocks = tfp_span_stat(g->f->x.p, span, g->blocks);
    double per_sm = !blocks || blocks->type == TFP_STAT_TEXT ? 1
                    : blocks->type == TFP_STAT_INT           ? (double)blocks->value.number
                                                             : blocks->value.real;
    if (per_sm < 0.5) tally(g, &g->f->small_grids, span);
    add_launched(g, span);
}

static void add_host(gatherer *g, uint32_t span, const uint8_t *waits)
{
    const tfp_span_columns *s = g->f->x.s;
    unsigned kind = s->kind[span], flags = flags_of(&g->names, span);
    if (kind == TFP_SPAN_FRAME || kind == TFP_SPAN_MODULE) tally(g, &g->f->python, span);
    if (kind == TFP_SPAN_OP || kind == TFP_SPAN_CALL) tally(g, &g->f->ops, span);
    if (kind == TFP_SPAN_CALL && flags & ALLOCATES) tally(g, &g->f->allocations, span);
    if ((kind == TFP_SPAN_OP || kind == TFP_SPAN_ANNOTATION) && flags & COMPILES) tally(g, &g->f->compilations, span);
    if (waits[span] == TFP_WAITS_DATA) tally(g, &g->f->data, span);
    if (waits[span] == TFP_WAITS_ITEM) tally(g, &g->f->item, span);
    if (waits[span] == TFP_WAITS_SYNCHRONIZE) tally(g, &g->f->synchronize, span);
}

/* Whether each device computes in one stream. */
static bool find_streams(gatherer *g)
{
    const tfp_trace_index *x = &g->f->x;
    uint32_t *found = TFP_NEW(&g->r->arena, uint32_t, x->device_count + 1);
    if (!found) return false;
    g->f->one_stream = true;
    for (size_t i = 0; i < x->p->lanes.size; i++)
        if (g->streams[i] && x->device_of_lane[i] != TFP_NONE && found[x->device_of_lane[i]]++)
            g->f->one_stream = false;
    return true;
}

typedef struct tally_end {
    tfp_tally *tally;
    bool host;
} tally_end;

static bool add_spans(tfp_report *r, tfp_trace_facts *f)
{
    const tfp_profile *p = f->x.p;
    gatherer g = { .r = r, .f = f, .names = { p, TFP_NEW(&r->arena, uint16_t, p->strings.count + 1) } };
    const uint8_t *waits = tfp_host_waits(r, &f->x);
    g.dims = tfp_stat_key(p, "Input Dims");
    g.blocks = tfp_stat_key(p, "blocks per SM");
    g.streams = TFP_NEW(&r->arena, uint8_t, p->lanes.size + 1);
    bool ok = g.names.known && waits && g.streams;
    for (uint32_t i = 0; ok && i < f->x.s->size; i++) {
        if (tfp_trace_unit_of(&f->x, i) == TFP_NONE) continue;
        if (f->x.s->kind[i] == TFP_SPAN_ACTIVITY)
            add_activity(&g, i);
        else
            add_host(&g, i, waits);
    }
    const tally_end all[] = {
        { &f->item, true },         { &f->synchronize, true },    { &f->data, true },
        { &f->allocations, true },  { &f->compilations, true },   { &f->python, true },
        { &f->ops, true },          { &f->casts, false },         { &f->layouts, false },
        { &f->optimizer, false },   { &f->plain_matmuls, false }, { &f->odd_matmuls, false },
        { &f->small_grids, false },
    };
    ok = ok && !g.failed && find_streams(&g);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        ok = ok && tfp_tally_end(r, f, all[i].tally, all[i].host);
        tfp_vec_free(&all[i].tally->spans);
    }
    return ok;
}

/* ---- memory ---- */

static void add_memory(tfp_trace_facts *f)
{
    const tfp_event_tables *e = &f->x.p->events;
    for (size_t i = 0; i < e->memory.size; i++) {
        const tfp_memory_event *m = &e->memory.at[i];
        if (m->device && tfp_str_eq(tfp_text(f->x.p, m->device), TFP_STR("cpu"))) continue;
        if (m->allocated_bytes > f->memory_peak) f->memory_peak = m->allocated_bytes;
        if (m->reserved_bytes > f->reserved_peak) f->reserved_peak = m->reserved_bytes;
    }
    for (size_t i = 0; i < e->devices.size; i++)
        if (e->devices.at[i].memory_bytes > 0 && (!f->memory_limit || e->devices.at[i].memory_bytes < f->memory_limit))
            f->memory_limit = e->devices.at[i].memory_bytes;
}

/* ---- all of it ---- */

static bool fill(tfp_report *r, tfp_trace_facts *f, tfp_error *err)
{
    if (tfp_trace_index_new(r, &f->x, err)) return false;
    for (size_t i = 0; i < f->x.unit_count; i++) f->has_devices |= f->x.units[i].has_devices;
    bool ok = tfp_step_rows(r, &f->x, &f->steps, &f->step_row_count) && tfp_steps_cover(r, f);
    if (ok) add_steps(f);
    ok = ok && find_odd_steps(r, f) && tfp_transfer_rows(r, &f->x, &f->transfers, &f->transfer_count) &&
         add_kernels(r, f);
    if (ok) add_gaps(f);
    ok = ok && add_spans(r, f) && tfp_rank_facts_of(r, f);
    if (!ok) return tfp_nomem(err), false;
    add_memory(f);
    return true;
}

/* The trace that was made of the executions has steps of its own. */
static void use_runs(tfp_report *r)
{
    if (r->step.which == TFP_STEP_ONE) r->step.row = tfp_find_step(r->runs, r->step.id);
    r->profile = r->runs;
}

const tfp_trace_facts *tfp_trace_facts_of(tfp_report *r, tfp_error *err)
{
    tfp_trace_facts *f = r->trace ? r->trace : TFP_NEW(&r->arena, tfp_trace_facts, 1);
    if (r->trace) return f;
    if (!f) return tfp_nomem(err), NULL;
    const tfp_profile *p = r->profile;
    tfp_step_choice step = r->step;
    if (r->runs) use_runs(r);
    bool ok = fill(r, f, err);
    r->profile = p;
    r->step = step;
    if (!ok) return NULL;
    r->trace = f;
    return f;
}
