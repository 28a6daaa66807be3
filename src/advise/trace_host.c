// SPDX-License-Identifier: Apache-2.0
/* advise/trace_host.c: rules on what the host does within the steps of a trace. */
#include "advise/rules.h"

#include <math.h>

static double least(double a, double b) { return a < b ? a : b; }
static double rest(double a) { return a > 0 ? a : 0; }

/* Part of the step in which a device waits for launches. */
static double late_ns(const tfp_trace_facts *f) { return f->idle_ns * f->late_share; }

bool tfp_ruling_input_bound(tfp_ruling *x)
{
    const tfp_tally *t = &x->f->data;
    if (!t->count || tfp_part(t->ns, x->f->step_ns) < x->limit) return false;
    tfp_ruling_part(x, "waiting for input", t->ns);
    x->saving_ns = t->ns;
    x->evidence = t->longest;
    return true;
}

/* An optimizer of many small kernels: what the host takes for them, while the device waits. */
static double optimizer_host_ns(const tfp_trace_facts *f)
{
    double kernels = f->optimizer.a_step;
    if (kernels < 50 || kernels < 0.3 * f->kernels_per_step) return 0;
    return late_ns(f) * kernels / f->kernels_per_step;
}

/* What is left of late launches when the other rules of the host have told theirs. */
static double unexplained_ns(const tfp_trace_facts *f)
{
    double explained = f->data.ns + f->item.ns + f->synchronize.ns + f->allocations.ns + f->compilations.ns;
    return rest(late_ns(f) - explained - optimizer_host_ns(f));
}

/* Time of frames outside of all ops. */
static double python_ns(const tfp_trace_facts *f)
{
    return f->python.count ? rest(f->python.ns - f->ops.ns - f->data.ns) : 0;
}

static bool is_python(const tfp_trace_facts *f, double limit)
{
    return f->has_devices && python_ns(f) > 0 && tfp_part(python_ns(f), f->step_ns) >= limit &&
           unexplained_ns(f) > 0.1 * f->step_ns;
}

bool tfp_ruling_python_time(tfp_ruling *x)
{
    const tfp_trace_facts *f = x->f;
    if (!is_python(f, x->limit)) return false;
    tfp_ruling_part(x, "Python outside of all operators", python_ns(f));
    x->saving_ns = least(python_ns(f), unexplained_ns(f));
    x->evidence = f->python.longest;
    return true;
}

bool tfp_ruling_host_bound(tfp_ruling *x)
{
    const tfp_trace_facts *f = x->f;
    double late = unexplained_ns(f);
    if (is_python(f, 0.3)) late = rest(late - python_ns(f));
    if (!f->has_devices || late <= 0 || tfp_part(late, f->step_ns) < x->limit || f->late_share < 0.5) return false;
    tfp_ruling_part(x, "waiting of the device for launches", late);
    tfp_buf_printf(&x->text, "; %.0f kernels a step", f->kernels_per_step);
    if (f->kernels_per_step > 0) {
        tfp_buf_text(&x->text, " of ");
        tfp_ruling_us(x, f->busy_ns / f->kernels_per_step);
    }
    x->saving_ns = late;
    return true;
}

bool tfp_ruling_value_reads(tfp_ruling *x)
{
    const tfp_tally *t = &x->f->item;
    if (!x->f->has_devices || t->a_step < 0.5 || tfp_part(t->ns, x->f->step_ns) < x->limit) return false;
    tfp_ruling_part(x, "reading values from the device", t->ns);
    tfp_buf_printf(&x->text, "; %.1f reads a step, longest at ", t->a_step);
    tfp_ruling_path(x, t->longest);
    x->saving_ns = least(t->ns, x->f->idle_ns);
    x->evidence = t->longest;
    return true;
}

bool tfp_ruling_synchronization(tfp_ruling *x)
{
    const tfp_tally *t = &x->f->synchronize;
    double most = least(t->ns, x->f->idle_ns);
    if (t->a_step < 1.5 || tfp_part(most, x->f->step_ns) < x->limit) return false;
    tfp_ruling_part(x, "waiting in synchronising calls", t->ns);
    tfp_buf_printf(&x->text, "; %.1f calls a step, longest at ", t->a_step);
    tfp_ruling_path(x, t->longest);
    x->saving_ns = most;
    x->evidence = t->longest;
    return true;
}

bool tfp_ruling_allocations(tfp_ruling *x)
{
    const tfp_tally *t = &x->f->allocations;
    if (t->a_step < 0.5 || tfp_part(t->ns, x->f->step_ns) < x->limit) return false;
    tfp_ruling_part(x, "allocating device memory", t->ns);
    tfp_buf_printf(&x->text, "; %.1f calls a step, such as ", t->a_step);
    tfp_ruling_span(x, t->longest);
    x->saving_ns = t->ns;
    x->evidence = t->longest;
    return true;
}

bool tfp_ruling_compilations(tfp_ruling *x)
{
    const tfp_tally *t = &x->f->compilations;
    if (t->count < 2 || tfp_part(t->ns, x->f->step_ns) < x->limit) return false;
    tfp_ruling_part(x, "compiling or tracing", t->ns);
    tfp_buf_printf(&x->text, "; %lld times in the steps recorded, such as ", (long long)t->count);
    tfp_ruling_span(x, t->longest);
    x->saving_ns = t->ns;
    x->evidence = t->longest;
    return true;
}

/* Which part of the longest step is most of what it has more than the median one. */
static void put_reason(tfp_ruling *x, const tfp_step_row *longest, const tfp_step_row *median)
{
    const struct {
        const char *what;
        int64_t more;
    } parts[] = { { "compute", longest->compute_ns - median->compute_ns },
                  { "communication that nothing hides",
                    longest->exposed_communication_ns - median->exposed_communication_ns },
                  { "copies that nothing hides", longest->exposed_copy_ns - median->exposed_copy_ns },
                  { "an idle device", longest->idle_ns - median->idle_ns } };
    size_t most = 0;
    for (size_t i = 1; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].more > parts[most].more) most = i;
    double difference = (double)(longest->duration_ns - median->duration_ns);
    tfp_buf_printf(&x->text, "; step %.*s takes ", (int)longest->step.size, longest->step.data);
    tfp_ruling_us(x, (double)longest->duration_ns);
    tfp_buf_text(&x->text, ", the median ");
    tfp_ruling_us(x, (double)median->duration_ns);
    tfp_buf_printf(&x->text, ", and %.0f%% of the difference is %s",
                   100 * least(tfp_part((double)parts[most].more, difference), 1), parts[most].what);
}

bool tfp_ruling_uneven_steps(tfp_ruling *x)
{
    const tfp_trace_facts *f = x->f;
    if (isnan(f->step_cv) || f->step_cv < x->limit || f->median_step == SIZE_MAX) return false;
    const tfp_step_row *longest = &f->steps[f->longest_step], *median = &f->steps[f->median_step];
    tfp_buf_printf(&x->text, "steps differ by %.0f%% of their mean (standard deviation), which is ", 100 * f->step_cv);
    tfp_ruling_us(x, f->step_ns);
    put_reason(x, longest, median);
    return true;
}

bool tfp_ruling_unfused_optimizer(tfp_ruling *x)
{
    const tfp_trace_facts *f = x->f;
    const tfp_tally *t = &f->optimizer;
    if (t->a_step < 50 || t->a_step < x->limit * f->kernels_per_step) return false;
    tfp_buf_printf(&x->text, "the optimizer launches %.0f of the %.0f kernels of a step, which take ", t->a_step,
                   f->kernels_per_step);
    tfp_ruling_us(x, t->ns);
    x->saving_ns = t->ns / 2 + optimizer_host_ns(f);
    x->evidence = t->longest;
    return true;
}
