/* views/trace_facts.c: the facts of trace_facts.h, each from one pass over the spans or over the rows of a table. */
#include "views/trace_facts.h"

#include <math.h>

/* ---- the mean step ---- */

static void add_steps(tfp_trace_facts *f)
{
    double sum = 0, squares = 0;
    f->step_count = 0;
    for (size_t i = 0; i < f->step_row_count; i++) {
        const tfp_step_row *s = &f->steps[i];
        if (*s->step.data == 'a') continue; /* `all` */
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

static void add_wait(tfp_tally *to, const tfp_wait_row *w)
{
    if (!to->count || w->total_ns > to->total_ns) to->first = w->where;
    to->count = tfp_add(to->count, w->count, NULL);
    to->total_ns = tfp_add(to->total_ns, w->total_ns, NULL);
}

static void add_waits(tfp_trace_facts *f)
{
    for (size_t i = 0; i < f->wait_count; i++) {
        const tfp_wait_row *w = &f->waits[i];
        if (tfp_str_eq(w->cause, TFP_STR("data"))) add_wait(&f->data, w);
        if (tfp_str_eq(w->cause, TFP_STR("item"))) add_wait(&f->item, w);
        if (tfp_str_eq(w->cause, TFP_STR("synchronize"))) add_wait(&f->synchronize, w);
    }
    f->data_ns = (double)f->data.total_ns / (double)f->step_count;
    f->item_ns = (double)f->item.total_ns / (double)f->step_count;
    f->synchronize_ns = (double)f->synchronize.total_ns / (double)f->step_count;
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
            tfp_kernel_fact k = { .name = tfp_span_name(f->x.p, i), .class = s->class[i], .occupancy = NAN };
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

/* ---- calls and ops ---- */

static bool begins(tfp_str s, const char *word)
{
    size_t size = strlen(word);
    return s.size >= size && memcmp(s.data, word, size) == 0;
}

static bool is_any(tfp_str s, const char *const *words)
{
    for (; *words; words++)
        if (tfp_str_has(s, tfp_str_of(*words))) return true;
    return false;
}

static void tally(tfp_tally *t, tfp_str name, int64_t ns)
{
    if (!t->count++) t->first = name;
    t->total_ns = tfp_add(t->total_ns, ns, NULL);
}

static bool allocates(tfp_str name)
{
    static const char *const calls[] = { "cudaMalloc", "cudaFree",  "hipMalloc", "hipFree",
                                         "cuMemAlloc", "cuMemFree", NULL };
    for (size_t i = 0; calls[i]; i++)
        if (begins(name, calls[i])) return !tfp_str_has(name, TFP_STR("Async"));
    return false;
}

static bool compiles(tfp_str name)
{
    static const char *const words[] = { "XlaCompile",
                                         "backend_compile",
                                         "TorchDynamo",
                                         "compile_fx",
                                         "_compile.compile_inner",
                                         "create_aot_dispatcher",
                                         "CompileToLocalExecutable",
                                         "XLA compile",
                                         NULL };
    return is_any(name, words);
}

#define LEVELS 100 /* around an op that are looked at */

/* What launched an activity, by the op's name. */
static void add_launched(tfp_trace_facts *f, uint32_t span)
{
    static const char *const casts[] = { "aten::_to_copy", "aten::to", "Cast", "convert_element_type", NULL };
    static const char *const layouts[] = { "aten::contiguous", "aten::clone", "Transpose", "transpose", "NHWC", NULL };
    static const char *const products[] = { "sgemm", "s884gemm_f32", "simt_sgemm", NULL };
    const tfp_span_columns *s = f->x.s;
    tfp_str kernel = tfp_span_name(f->x.p, span), op = { "", 0 };
    int64_t ns = s->self_ns[span];
    if (s->class[span] == TFP_CLASS_COMPUTE && is_any(kernel, products)) tally(&f->plain_matmuls, kernel, ns);
    if (s->class[span] == TFP_CLASS_COMPUTE &&
        (tfp_str_has(kernel, TFP_STR("nchwToNhwc")) || tfp_str_has(kernel, TFP_STR("nhwcToNchw")))) {
        tally(&f->layouts, kernel, ns);
        return;
    }
    uint32_t at = s->owner[span];
    for (int level = 0; at != TFP_NONE && level < LEVELS; at = s->parent[at], level++) {
        op = tfp_span_name(f->x.p, at);
        if (begins(op, "Optimizer.step")) {
            tally(&f->optimizer, op, ns);
            return;
        }
        if (s->kind[at] != TFP_SPAN_OP || s->class[span] != TFP_CLASS_COMPUTE) continue;
        if (is_any(op, casts)) {
            tally(&f->casts, op, ns);
            return;
        }
        if (is_any(op, layouts) && level == 0) {
            tally(&f->layouts, op, ns);
            return;
        }
    }
}

static void add_spans(tfp_trace_facts *f)
{
    const tfp_span_columns *s = f->x.s;
    for (uint32_t i = 0; i < s->size; i++) {
        tfp_str name = tfp_span_name(f->x.p, i);
        bool in_step = s->step[i] != TFP_NONE;
        switch (s->kind[i]) {
        case TFP_SPAN_CALL:
            if (in_step && allocates(name)) tally(&f->allocations, name, s->duration_ns[i]);
            f->ops_ns += in_step ? (double)s->self_ns[i] : 0;
            break;
        case TFP_SPAN_OP: f->ops_ns += in_step ? (double)s->self_ns[i] : 0; break;
        case TFP_SPAN_ACTIVITY: add_launched(f, i); break;
        default: break;
        }
        bool host = s->kind[i] == TFP_SPAN_OP || s->kind[i] == TFP_SPAN_ANNOTATION;
        if (host && in_step && compiles(name)) tally(&f->compilations, name, s->duration_ns[i]);
    }
    f->ops_ns /= (double)f->step_count;
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

static bool fill(tfp_report *r, tfp_trace_facts *f, tfp_error *err)
{
    if (tfp_trace_index_new(r, &f->x, err)) return false;
    bool ok = tfp_step_rows(r, &f->x, &f->steps, &f->step_row_count) &&
              tfp_transfer_rows(r, &f->x, &f->transfers, &f->transfer_count) &&
              tfp_wait_rows(r, &f->x, &f->waits, &f->wait_count) && add_kernels(r, f);
    if (!ok) return tfp_nomem(err), false;
    for (size_t i = 0; i < f->x.unit_count; i++) f->has_devices |= f->x.units[i].has_devices;
    add_steps(f);
    add_gaps(f);
    add_waits(f);
    add_spans(f);
    add_memory(f);
    return true;
}

/* The trace that was made of the executions has steps of its own. */
static void use_runs(tfp_report *r)
{
    bool one = r->step != TFP_NONE && r->step != TFP_ALL_STEPS;
    if (one) r->step = tfp_find_step(r->runs, r->profile->steps.at[r->step].id);
    r->profile = r->runs;
}

const tfp_trace_facts *tfp_trace_facts_of(tfp_report *r, tfp_error *err)
{
    tfp_trace_facts *f = r->trace ? r->trace : TFP_NEW(&r->arena, tfp_trace_facts, 1);
    if (r->trace) return f;
    if (!f) return tfp_nomem(err), NULL;
    const tfp_profile *p = r->profile;
    uint32_t step = r->step;
    if (r->runs) use_runs(r);
    bool ok = fill(r, f, err);
    r->profile = p;
    r->step = step;
    if (!ok) return NULL;
    r->trace = f;
    return f;
}
