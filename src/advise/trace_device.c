// SPDX-License-Identifier: Apache-2.0
/* advise/trace_device.c: rules on kernels, transfers, ranks and memory of a trace. */
#include "advise/rules.h"
#include "model/tables/spans.h"
#include "names/copies.h"

#include <math.h>

static double least(double a, double b) { return a < b ? a : b; }

/* ---- what remedies change ---- */

static bool is_of_sort(const tfp_ruling *x, uint32_t span, unsigned waits)
{
    (void)waits;
    return x->f->x.s->kind[span] == TFP_SPAN_ACTIVITY && x->f->sorts[span] & 1u << x->sort;
}

static bool is_of_class(const tfp_ruling *x, uint32_t span, tfp_span_class class)
{
    return x->f->x.s->kind[span] == TFP_SPAN_ACTIVITY && x->f->x.s->class[span] == class;
}

static bool copies(const tfp_ruling *x, uint32_t span, unsigned waits)
{
    (void)waits;
    return is_of_class(x, span, TFP_CLASS_COPY) && tfp_copy_needs_link(tfp_span_name(x->f->x.p, span));
}

static bool communicates(const tfp_ruling *x, uint32_t span, unsigned waits)
{
    (void)waits;
    return is_of_class(x, span, TFP_CLASS_COMMUNICATION);
}

static bool is_the_kernel(const tfp_ruling *x, uint32_t span, unsigned waits)
{
    (void)waits;
    return is_of_class(x, span, x->kernel->class) && tfp_str_eq(tfp_span_name(x->f->x.p, span), x->kernel->name);
}

/* ---- what moves ---- */

typedef struct small_sums {
    double count, saving; /* per step */
    double mean_bytes;
    uint32_t longest; /* index in spans */
} small_sums;

/* The longer of two spans; if one is TFP_NONE, the other. */
static uint32_t longer(const tfp_trace_facts *f, uint32_t a, uint32_t b)
{
    const int64_t *ns = f->x.s->duration_ns;
    return a == TFP_NONE || (b != TFP_NONE && ns[b] > ns[a]) ? b : a;
}

static small_sums sum_small(const tfp_trace_facts *f, double limit)
{
    int64_t count = 0, bytes = 0, ns = 0;
    uint32_t longest = TFP_NONE;
    for (size_t i = 0; i < f->transfer_count; i++) {
        const tfp_transfer_row *t = &f->transfers[i];
        if (!t->group.size || t->bytes == TFP_ABSENT || !t->count || t->bytes / t->count > 1 << 20) continue;
        count += t->count;
        bytes = tfp_add(bytes, t->bytes, NULL);
        ns = tfp_add(ns, t->exposed_ns, NULL);
        longest = longer(f, longest, t->longest);
    }
    double steps = (double)f->step_count;
    small_sums s = { (double)count / steps, least((double)ns / steps, f->mean.exposed_communication_ns),
                     count ? (double)bytes / (double)count : 0, longest };
    if (s.count < 10 || tfp_part(s.saving, f->mean.judged_ns) < limit) s.count = 0;
    return s;
}

bool tfp_ruling_small_collectives(tfp_ruling *x)
{
    small_sums s = sum_small(x->f, x->limit);
    if (s.count <= 0) return false;
    tfp_buf_printf(&x->text, "%.0f collectives a step move ", s.count);
    tfp_format_real(&x->text, TFP_SIZE, s.mean_bytes);
    tfp_buf_text(&x->text, " each; ");
    tfp_ruling_us(x, s.saving);
    tfp_buf_printf(&x->text, " of a step (%.0f%%) is theirs alone", 100 * tfp_part(s.saving, x->f->mean.judged_ns));
    x->touches = communicates;
    x->saving_ns = s.saving;
    x->evidence = s.longest;
    return true;
}

/* Time that ranks wait for the last one and that no straggler explains. */
static double skew_ns(const tfp_trace_facts *f)
{
    double ns = f->ranks.skew_ns - (f->ranks.straggler >= 0 ? f->ranks.straggler_ns : 0);
    return ns > 0 ? least(ns, f->mean.exposed_communication_ns) : 0;
}

bool tfp_ruling_collective_skew(tfp_ruling *x)
{
    double ns = skew_ns(x->f);
    if (x->f->ranks.awaited < 0 || tfp_part(ns, x->f->mean.judged_ns) < x->limit) return false;
    tfp_ruling_part(x, "waiting in collectives for the last rank", ns);
    tfp_buf_printf(&x->text, "; mostly for rank %lld, longest in ", (long long)x->f->ranks.awaited);
    tfp_ruling_span(x, x->f->ranks.worst);
    x->saving_ns = ns;
    x->evidence = x->f->ranks.worst;
    return true;
}

/* The longest run of the collective with the most exposed time. */
static const tfp_transfer_row *most_exposed(const tfp_trace_facts *f)
{
    const tfp_transfer_row *most = NULL;
    for (size_t i = 0; i < f->transfer_count; i++) {
        const tfp_transfer_row *t = &f->transfers[i];
        if (f->x.s->class[t->longest] != TFP_CLASS_COMMUNICATION) continue;
        if (!most || t->exposed_ns > most->exposed_ns) most = t;
    }
    return most;
}

bool tfp_ruling_exposed_communication(tfp_ruling *x)
{
    small_sums s = sum_small(x->f, 0.03);
    double small = s.count > 0 ? s.saving : 0, ns = x->f->mean.exposed_communication_ns - small;
    double waiting = x->f->ranks.awaited >= 0 ? least(ns, x->f->ranks.skew_ns) : 0;
    ns -= waiting;
    if (!x->f->has_devices) return false; /* then HostCommunication reports it */
    if (ns <= 0 || tfp_part(ns, x->f->mean.judged_ns) < x->limit) return false;
    const tfp_transfer_row *most = most_exposed(x->f);
    tfp_ruling_part(x, "communication that does not overlap with compute", x->f->mean.exposed_communication_ns);
    tfp_ruling_share(x, "waiting for the last rank", waiting);
    tfp_ruling_share(x, "in collectives of few bytes", small);
    if (most) {
        tfp_buf_text(&x->text, "; most in ");
        tfp_ruling_name(x, most->kind);
        x->evidence = most->longest;
    }
    x->saving_ns = ns;
    return true;
}

static bool judge_copies(tfp_ruling *x, bool pageable)
{
    const tfp_trace_facts *f = x->f;
    int64_t ns = 0, count = 0, bytes = 0;
    bool tpu = false;
    for (size_t i = 0; i < f->transfer_count; i++) {
        const tfp_transfer_row *t = &f->transfers[i];
        tfp_direction direction = tfp_direction_at_start(t->kind);
        bool host = direction == TFP_HTOD || direction == TFP_DTOH;
        bool on_tpu = tfp_is_tpu(t->device) && f->x.s->class[t->longest] == TFP_CLASS_COPY;
        tpu |= on_tpu;
        if (!(host || on_tpu) || tfp_str_has(t->kind, TFP_STR("pageable")) != pageable) continue;
        ns = tfp_add(ns, t->exposed_ns, NULL);
        count += t->count;
        x->evidence = longer(f, x->evidence, t->longest);
        if (t->bytes != TFP_ABSENT) bytes = tfp_add(bytes, t->bytes, NULL);
    }
    double copying = least((double)ns / (double)f->step_count, f->mean.exposed_copy_ns);
    double saving = copying + (pageable ? f->host.pageable.idle_ns : 0);
    if (saving <= 0 || tfp_part(saving, f->mean.judged_ns) < x->limit) return false;
    tfp_ruling_part(x,
                    pageable ? "copying from or to pageable memory"
                    : tpu    ? "copying that nothing hides"
                             : "copying between host and device",
                    saving);
    if (tpu)
        x->remedy = "keep tensors in the device's memory, offload less to the host; start copies well before their use";
    tfp_buf_printf(&x->text, f->begin.whole ? "; %.0f copies, " : "; %.1f copies a step, ",
                   (double)count / (double)f->step_count);
    tfp_format_real(&x->text, TFP_SIZE, (double)bytes / (double)f->step_count);
    if (pageable) tfp_ruling_share(x, "with the device idle and the host in the call", f->host.pageable.idle_ns);
    x->touches = copies;
    x->saving_ns = saving;
    return true;
}

bool tfp_ruling_pageable_copies(tfp_ruling *x) { return judge_copies(x, true); }
bool tfp_ruling_exposed_copies(tfp_ruling *x) { return judge_copies(x, false); }

bool tfp_ruling_stragglers(tfp_ruling *x)
{
    const tfp_rank_facts *r = &x->f->ranks;
    if (r->straggler < 0 || r->over < x->limit) return false;
    tfp_buf_printf(&x->text, "rank %lld computes %.0f%% longer than the median rank, in %lld of %lld steps by over 5%%",
                   (long long)r->straggler, 100 * r->over, (long long)r->slow_steps, (long long)r->steps);
    if (r->others_wait)
        tfp_buf_printf(&x->text, "; the others, first of all rank %lld, wait for it", (long long)r->fastest);
    x->saving_ns = r->straggler_ns;
    if (r->slowest_step != TFP_NONE) x->evidence = tfp_step_marker(x->f, &x->f->steps[r->slowest_step]);
    return true;
}

/* ---- kernels ---- */

static bool is_kernel(const void *ctx, const tfp_trace_facts *f, uint32_t span)
{
    const tfp_kernel_fact *k = ctx;
    return f->x.s->class[span] == k->class && tfp_str_eq(tfp_span_name(f->x.p, span), k->name);
}

/* No finding if the work mostly overlaps with other work: with less than half of the limit outside the overlap, a remedy
 * gains nothing. Products and convolutions are meant to run with few warps, because their tiles fill the registers. */
bool tfp_ruling_low_occupancy(tfp_ruling *x)
{
    const tfp_trace_facts *f = x->f;
    for (size_t i = 0; i < f->kernel_count; i++) {
        const tfp_kernel_fact *k = &f->kernels[i];
        double ns = least((double)k->steps_ns / (double)f->step_count, f->mean.compute_ns);
        if (k->class != TFP_CLASS_COMPUTE || tfp_part(ns, f->mean.judged_ns) < x->limit) continue;
        if (isnan(k->occupancy) || k->occupancy >= 25 || tfp_name_says(k->name) & TFP_NAME_TILES) continue;
        double alone = tfp_alone_ns(f, is_kernel, k);
        if (tfp_part(alone, f->mean.judged_ns) < x->limit / 2) continue;
        tfp_ruling_part(x, "a kernel of low occupancy", ns);
        tfp_buf_printf(&x->text, "; %.0f%% occupied: ", k->occupancy);
        tfp_ruling_name(x, k->name);
        x->touches = is_the_kernel;
        x->kernel = k;
        x->left = (k->occupancy > 0 ? k->occupancy : 0) / 100;
        x->saving_ns = alone * (1 - x->left);
        x->evidence = k->longest;
        return true;
    }
    return false;
}

/* No finding if the device is idle for most of the step: running kernels in parallel would make it idle longer. */
bool tfp_ruling_one_stream(tfp_ruling *x)
{
    const tfp_trace_facts *f = x->f;
    const tfp_tally *t = &f->device.small_grids;
    if (!f->device.one_stream || t->count < 2 || tfp_part(t->ns, f->mean.judged_ns) < x->limit) return false;
    if (f->mean.idle_ns > 0.5 * f->mean.judged_ns) return false;
    tfp_ruling_part(x, "running small kernels one after the other in one stream", t->ns);
    tfp_buf_printf(&x->text, ", with blocks for %.0f%% of the multiprocessors, such as ",
                   100 * f->device.small_grids_part);
    tfp_ruling_span(x, t->longest);
    x->touches = is_of_sort;
    x->sort = TFP_SORT_SMALL;
    x->left = f->device.small_grids_part;
    x->saving_ns = tfp_sort_alone_ns(f, TFP_SORT_SMALL) * (1 - x->left);
    x->evidence = t->longest;
    return true;
}

/* Compute activities of a few microseconds, with the device's own gaps before them; waits for launches are reported by
 * HostBound. */
bool tfp_ruling_tiny_kernels(tfp_ruling *x)
{
    enum { FEW = 100 }; /* per step */
    const tfp_trace_facts *f = x->f;
    const tfp_tally *t = &f->device.tiny;
    double ns = t->ns + f->device.tiny_gaps_ns;
    if (t->a_step < FEW || tfp_part(ns, f->mean.judged_ns) < x->limit || tfp_optimizer_is_unfused(f, t->a_step / 2))
        return false;
    double saving = tfp_sort_alone_ns(f, TFP_SORT_TINY) + f->device.tiny_gaps_ns;
    if (tfp_part(saving, f->mean.judged_ns) < x->limit) return false;
    tfp_ruling_part(x, "running kernels of at most 10 us, with the gaps between them,", ns);
    tfp_buf_printf(&x->text, "; %.0f of the %.0f activities%s, on average of ", t->a_step, f->mean.kernels_per_step,
                   f->begin.whole ? "" : " of a step");
    tfp_ruling_us(x, t->ns / t->a_step);
    tfp_buf_text(&x->text, ", such as ");
    tfp_ruling_span(x, t->longest);
    x->touches = is_of_sort;
    x->sort = TFP_SORT_TINY;
    x->saving_ns = saving;
    x->evidence = t->longest;
    return true;
}

/* `worth`: the share of their time that could be saved at most. */
static bool judge_kernels(tfp_ruling *x, tfp_sort_of_work sort, const tfp_tally *t, const char *what, double worth)
{
    const tfp_trace_facts *f = x->f;
    if (!t->count || tfp_part(t->ns, f->mean.judged_ns) < x->limit || tfp_part(t->ns, f->mean.busy_ns) < x->limit)
        return false;
    double alone = tfp_sort_alone_ns(f, sort);
    if (tfp_part(alone, f->mean.judged_ns) < x->limit / 2) return false;
    tfp_ruling_part(x, what, t->ns);
    tfp_ruling_rate(x, t->a_step, "kernel");
    tfp_buf_text(&x->text, ", such as ");
    uint32_t owner = f->x.s->owner[t->longest];
    tfp_ruling_span(x, owner == TFP_NONE ? t->longest : owner);
    x->touches = is_of_sort;
    x->sort = sort;
    x->left = 1 - worth;
    x->saving_ns = alone * worth;
    x->evidence = t->longest;
    return true;
}

/* The share of a product's time that tensor cores save at best: with 16 bits they are 8 times as fast as other cores on Volta and
 * Turing, and 16 times from Ampere on (data sheets of V100: 15.7 and 125 teraflops, of A100: 19.5 and 312). */
static double tensor_cores(const tfp_trace_facts *f)
{
    return f->capability > 0 && f->capability < 8 ? 1 - 1.0 / 8 : 1 - 1.0 / 16;
}

bool tfp_ruling_casts(tfp_ruling *x)
{
    return judge_kernels(x, TFP_SORT_CASTS, &x->f->device.casts, "converting types on the device", 1);
}
bool tfp_ruling_layouts(tfp_ruling *x)
{
    return judge_kernels(x, TFP_SORT_LAYOUTS, &x->f->device.layouts,
                         "only copying tensors on the device, into another layout or as they are,", 1);
}
bool tfp_ruling_odd_shapes(tfp_ruling *x)
{
    return judge_kernels(x, TFP_SORT_ODD, &x->f->device.odd_matmuls,
                         "multiplying matrices of 16 bits with sides that are no multiples of 8", tensor_cores(x->f));
}

bool tfp_ruling_plain_matmuls(tfp_ruling *x)
{
    const tfp_trace_facts *f = x->f;
    const tfp_tally *t = &f->device.plain_matmuls;
    bool has_cores = f->capability <= 0 || f->capability >= 7, has_tf32 = f->capability <= 0 || f->capability >= 8;
    if (!has_cores || !t->count || tfp_part(t->ns, f->mean.judged_ns) < x->limit) return false;
    double alone = tfp_sort_alone_ns(f, TFP_SORT_PLAIN);
    if (tfp_part(alone, f->mean.judged_ns) < x->limit / 2) return false;
    tfp_ruling_part(x, "multiplying matrices in single precision, at the slow rate of this device,", t->ns);
    tfp_buf_text(&x->text, "; ");
    tfp_ruling_span(x, t->longest);
    if (!has_tf32)
        x->remedy =
            "use float16 with loss scaling (autocast, GradScaler): this device has tensor cores for it, and no TF32";
    x->touches = is_of_sort;
    x->sort = TFP_SORT_PLAIN;
    x->left = 1 - tensor_cores(f);
    x->saving_ns = alone * tensor_cores(f);
    x->evidence = t->longest;
    return true;
}

/* ---- memory ---- */

bool tfp_ruling_memory_limit(tfp_ruling *x)
{
    const tfp_trace_facts *f = x->f;
    int64_t held = f->memory.reserved_peak > f->memory.memory_peak ? f->memory.reserved_peak : f->memory.memory_peak;
    if (!f->memory.memory_limit || (double)held < x->limit * (double)f->memory.memory_limit) return false;
    tfp_format_amount(&x->text, TFP_SIZE, held);
    tfp_buf_text(&x->text, " of the device's ");
    tfp_format_amount(&x->text, TFP_SIZE, f->memory.memory_limit);
    tfp_buf_text(&x->text, " were reserved");
    x->evidence = f->memory.memory_span;
    return true;
}

/* While the device has memory left, fragmentation does no harm. */
bool tfp_ruling_fragmentation(tfp_ruling *x)
{
    const tfp_trace_facts *f = x->f;
    int64_t lost = f->memory.reserved_peak - f->memory.memory_peak;
    if (!f->memory.memory_peak || lost < (int64_t)1 << 30 || (double)lost < x->limit * (double)f->memory.reserved_peak)
        return false;
    if (f->memory.memory_limit && (double)f->memory.reserved_peak < 0.6 * (double)f->memory.memory_limit) return false;
    tfp_format_amount(&x->text, TFP_SIZE, lost);
    tfp_buf_text(&x->text, " of ");
    tfp_format_amount(&x->text, TFP_SIZE, f->memory.reserved_peak);
    tfp_buf_text(&x->text, " that were reserved were not in use at any time recorded");
    x->evidence = f->memory.memory_span;
    return true;
}
