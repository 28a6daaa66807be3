// SPDX-License-Identifier: Apache-2.0
/* advise/trace_device.c: rules on kernels, transfers, ranks and memory of a trace. */
#include "advise/rules.h"

#include <math.h>

static double least(double a, double b) { return a < b ? a : b; }

/* ---- what moves ---- */

typedef struct small_sums {
    double count, saving; /* a step */
    double mean_bytes;
} small_sums;

static small_sums sum_small(const tfp_trace_facts *f, double limit)
{
    int64_t count = 0, bytes = 0, ns = 0;
    for (size_t i = 0; i < f->transfer_count; i++) {
        const tfp_transfer_row *t = &f->transfers[i];
        if (!t->group.size || t->bytes == TFP_ABSENT || !t->count || t->bytes / t->count > 1 << 20) continue;
        count += t->count;
        bytes = tfp_add(bytes, t->bytes, NULL);
        ns = tfp_add(ns, t->exposed_ns, NULL);
    }
    double steps = (double)f->step_count;
    small_sums s = { (double)count / steps, least((double)ns / steps, f->exposed_communication_ns),
                     count ? (double)bytes / (double)count : 0 };
    if (s.count < 10 || tfp_part(s.saving, f->step_ns) < limit) s.count = 0;
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
    tfp_buf_printf(&x->text, " of a step (%.0f%%) is theirs alone", 100 * tfp_part(s.saving, x->f->step_ns));
    x->saving_ns = s.saving;
    return true;
}

/* Time that ranks wait for the last one, which no straggler explains. */
static double skew_ns(const tfp_trace_facts *f)
{
    double ns = f->ranks.skew_ns - (f->ranks.straggler >= 0 ? f->ranks.straggler_ns : 0);
    return ns > 0 ? least(ns, f->communication_ns) : 0;
}

bool tfp_ruling_collective_skew(tfp_ruling *x)
{
    double ns = skew_ns(x->f);
    if (x->f->ranks.awaited < 0 || tfp_part(ns, x->f->step_ns) < x->limit) return false;
    tfp_ruling_part(x, "waiting in collectives for the last rank", ns);
    tfp_buf_printf(&x->text, "; mostly for rank %lld, longest in ", (long long)x->f->ranks.awaited);
    tfp_ruling_span(x, x->f->ranks.worst);
    x->saving_ns = ns;
    x->evidence = x->f->ranks.worst;
    return true;
}

bool tfp_ruling_exposed_communication(tfp_ruling *x)
{
    small_sums s = sum_small(x->f, 0.03);
    double ns = x->f->exposed_communication_ns - (s.count > 0 ? s.saving : 0);
    if (x->f->ranks.awaited >= 0) ns -= least(ns, x->f->ranks.skew_ns);
    if (ns <= 0 || tfp_part(ns, x->f->step_ns) < x->limit) return false;
    tfp_ruling_part(x, "communication that nothing computes beside", ns);
    x->saving_ns = ns;
    return true;
}

static bool judge_copies(tfp_ruling *x, bool pageable)
{
    const tfp_trace_facts *f = x->f;
    int64_t ns = 0, count = 0, bytes = 0;
    for (size_t i = 0; i < f->transfer_count; i++) {
        const tfp_transfer_row *t = &f->transfers[i];
        bool host = tfp_str_has(t->kind, TFP_STR("HtoD")) || tfp_str_has(t->kind, TFP_STR("DtoH"));
        if (!host || tfp_str_has(t->kind, TFP_STR("pageable")) != pageable) continue;
        ns = tfp_add(ns, t->exposed_ns, NULL);
        count += t->count;
        if (t->bytes != TFP_ABSENT) bytes = tfp_add(bytes, t->bytes, NULL);
    }
    double saving = least((double)ns / (double)f->step_count, f->copy_ns);
    if (saving <= 0 || tfp_part(saving, f->step_ns) < x->limit) return false;
    tfp_ruling_part(x, pageable ? "copying from or to pageable memory" : "copying between host and device", saving);
    tfp_buf_printf(&x->text, "; %.1f copies a step, ", (double)count / (double)f->step_count);
    tfp_format_real(&x->text, TFP_SIZE, (double)bytes / (double)f->step_count);
    x->saving_ns = saving;
    return true;
}

bool tfp_ruling_pageable_copies(tfp_ruling *x) { return judge_copies(x, true); }
bool tfp_ruling_exposed_copies(tfp_ruling *x) { return judge_copies(x, false); }

bool tfp_ruling_stragglers(tfp_ruling *x)
{
    const tfp_rank_facts *r = &x->f->ranks;
    if (r->straggler < 0 || r->over < x->limit) return false;
    tfp_buf_printf(
        &x->text,
        "rank %lld computes %.0f%% longer than the median rank, in %lld of %lld steps by over 5%%; the others, "
        "first of all rank %lld, wait for it",
        (long long)r->straggler, 100 * r->over, (long long)r->slow_steps, (long long)r->steps, (long long)r->fastest);
    x->saving_ns = r->straggler_ns;
    return true;
}

/* ---- kernels ---- */

bool tfp_ruling_low_occupancy(tfp_ruling *x)
{
    const tfp_trace_facts *f = x->f;
    for (size_t i = 0; i < f->kernel_count; i++) {
        const tfp_kernel_fact *k = &f->kernels[i];
        double ns = least((double)k->total_ns / (double)f->step_count, f->compute_ns);
        if (k->class != TFP_CLASS_COMPUTE || tfp_part(ns, f->step_ns) < x->limit) continue;
        if (isnan(k->occupancy) || k->occupancy >= 25) continue;
        tfp_ruling_part(x, "a kernel of low occupancy", ns);
        tfp_buf_printf(&x->text, "; %.0f%% occupied: ", k->occupancy);
        tfp_ruling_name(x, k->name);
        x->saving_ns = ns / 2;
        x->evidence = k->longest;
        return true;
    }
    return false;
}

bool tfp_ruling_one_stream(tfp_ruling *x)
{
    const tfp_tally *t = &x->f->small_grids;
    if (!x->f->one_stream || t->count < 2 || tfp_part(t->ns, x->f->step_ns) < x->limit) return false;
    tfp_ruling_part(x, "kernels that leave over half of the multiprocessors idle, one after the other in one stream,",
                    t->ns);
    tfp_buf_printf(&x->text, "; %.0f kernels a step, such as ", t->a_step);
    tfp_ruling_span(x, t->longest);
    x->saving_ns = t->ns / 2;
    x->evidence = t->longest;
    return true;
}

static bool judge_kernels(tfp_ruling *x, const tfp_tally *t, const char *what, double worth)
{
    const tfp_trace_facts *f = x->f;
    if (!t->count || tfp_part(t->ns, f->step_ns) < x->limit || tfp_part(t->ns, f->busy_ns) < x->limit) return false;
    tfp_ruling_part(x, what, t->ns);
    tfp_buf_printf(&x->text, "; %.0f kernels a step, such as ", t->a_step);
    uint32_t owner = f->x.s->owner[t->longest];
    tfp_ruling_span(x, owner == TFP_NONE ? t->longest : owner);
    x->saving_ns = t->ns * worth;
    x->evidence = t->longest;
    return true;
}

bool tfp_ruling_casts(tfp_ruling *x) { return judge_kernels(x, &x->f->casts, "converting types on the device", 1); }
bool tfp_ruling_layouts(tfp_ruling *x)
{
    return judge_kernels(x, &x->f->layouts, "moving tensors into another layout", 1);
}
bool tfp_ruling_odd_shapes(tfp_ruling *x)
{
    return judge_kernels(x, &x->f->odd_matmuls, "multiplying matrices with sides that are no multiples of 8", 0.5);
}

bool tfp_ruling_plain_matmuls(tfp_ruling *x)
{
    const tfp_tally *t = &x->f->plain_matmuls;
    if (!t->count || tfp_part(t->ns, x->f->step_ns) < x->limit) return false;
    tfp_ruling_part(x, "multiplying matrices in single precision without tensor cores", t->ns);
    tfp_buf_text(&x->text, "; ");
    tfp_ruling_span(x, t->longest);
    x->saving_ns = t->ns / 2;
    x->evidence = t->longest;
    return true;
}

/* ---- memory ---- */

bool tfp_ruling_memory_limit(tfp_ruling *x)
{
    const tfp_trace_facts *f = x->f;
    int64_t held = f->reserved_peak > f->memory_peak ? f->reserved_peak : f->memory_peak;
    if (!f->memory_limit || (double)held < x->limit * (double)f->memory_limit) return false;
    tfp_format_memory(&x->text, held);
    tfp_buf_text(&x->text, " of the device's ");
    tfp_format_memory(&x->text, f->memory_limit);
    tfp_buf_text(&x->text, " were reserved");
    return true;
}

bool tfp_ruling_fragmentation(tfp_ruling *x)
{
    const tfp_trace_facts *f = x->f;
    int64_t lost = f->reserved_peak - f->memory_peak;
    if (!f->memory_peak || lost < (int64_t)1 << 30 || (double)lost < x->limit * (double)f->reserved_peak) return false;
    tfp_format_memory(&x->text, lost);
    tfp_buf_text(&x->text, " of ");
    tfp_format_memory(&x->text, f->reserved_peak);
    tfp_buf_text(&x->text, " reserved bytes were never in use at once");
    return true;
}
