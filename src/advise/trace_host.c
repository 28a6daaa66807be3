// SPDX-License-Identifier: Apache-2.0
/* advise/trace_host.c: rules on what the host does within the steps of a trace. */
#include "advise/rules.h"

#include <math.h>

static double least(double a, double b) { return a < b ? a : b; }
static double rest(double a) { return a > 0 ? a : 0; }

/* A wait of the host costs at most what the device idles for the host. Nothing is to gain with the device busy all the time, or
 * idle between activities that were launched before. */
static double felt_ns(const tfp_trace_facts *f, const tfp_tally *t)
{
    return f->has_devices ? least(t->ns, f->host_idle_ns) : t->ns;
}

bool tfp_ruling_input_bound(tfp_ruling *x)
{
    const tfp_tally *t = &x->f->data;
    double felt = felt_ns(x->f, t);
    if (!t->count || tfp_part(felt, x->f->step_ns) < x->limit) return false;
    tfp_ruling_part(x, "waiting for input", t->ns);
    x->saving_ns = felt;
    x->evidence = t->longest;
    return true;
}

/* An optimizer of many small kernels: the host's time for them while the device waits. */
static double optimizer_host_ns(const tfp_trace_facts *f)
{
    double kernels = f->optimizer.a_step;
    if (kernels < 50 || kernels < 0.3 * f->kernels_per_step) return 0;
    return f->late_ns * kernels / f->kernels_per_step;
}

/* Late launches that no other rule of the host explains, in short gaps and in long ones. */
static double unexplained_ns(const tfp_trace_facts *f)
{
    double explained = f->data.ns + f->item.ns + f->synchronize.ns + f->allocations.ns + f->compilations.ns;
    return rest(f->late_ns - rest(explained - f->stall_known_ns) - optimizer_host_ns(f));
}

static double stalled_ns(const tfp_trace_facts *f) { return rest(f->stall_ns - f->stall_known_ns); }

/* Time of frames outside of all ops. */
static double python_ns(const tfp_trace_facts *f)
{
    return f->python.count ? rest(f->python.ns - f->ops.ns - f->data.ns) : 0;
}

static bool is_python(const tfp_trace_facts *f, double limit)
{
    return f->has_devices && python_ns(f) > 0 && tfp_part(python_ns(f), f->step_ns) >= limit &&
           unexplained_ns(f) + stalled_ns(f) > 0.1 * f->step_ns;
}

bool tfp_ruling_python_time(tfp_ruling *x)
{
    const tfp_trace_facts *f = x->f;
    if (!is_python(f, x->limit)) return false;
    tfp_ruling_part(x, "Python outside of all operators", python_ns(f));
    x->saving_ns = least(python_ns(f), unexplained_ns(f) + stalled_ns(f));
    x->evidence = f->python.longest;
    return true;
}

/* The parts of both that Python explains, when its rule has a finding. */
static double python_part(const tfp_trace_facts *f) { return is_python(f, 0.3) ? python_ns(f) : 0; }

bool tfp_ruling_host_bound(tfp_ruling *x)
{
    const tfp_trace_facts *f = x->f;
    double late = rest(unexplained_ns(f) - python_part(f));
    if (!f->has_devices || late <= 0 || tfp_part(late, f->step_ns) < x->limit) return false;
    tfp_ruling_part(x, "the device's wait for launches", late);
    tfp_buf_printf(&x->text, "; %.0f kernel%s a step", f->kernels_per_step, f->kernels_per_step < 1.5 ? "" : "s");
    if (f->kernels_per_step > 0) {
        tfp_buf_text(&x->text, ", on average of ");
        tfp_ruling_us(x, f->busy_ns / f->kernels_per_step);
    }
    x->saving_ns = late;
    x->evidence = f->late_launch;
    return true;
}

bool tfp_ruling_host_stalls(tfp_ruling *x)
{
    const tfp_trace_facts *f = x->f;
    double stalled = rest(stalled_ns(f) - rest(python_part(f) - unexplained_ns(f)));
    if (stalled <= 0 || tfp_part(stalled, f->step_ns) < x->limit) return false;
    tfp_ruling_part(x,
                    f->has_devices ? "the device's wait for the host, in gaps of over a millisecond,"
                                   : "time in which no operation runs, in gaps of over a millisecond,",
                    stalled);
    tfp_buf_printf(&x->text,
                   f->whole ? "; %.0f such gap%s, the longest of " : "; %.1f such gap%s a step, the longest of ",
                   f->stalls, f->whole && f->stalls < 1.5 ? "" : "s");
    tfp_ruling_us(x, (double)f->longest_stall_ns);
    if (f->stall_span == TFP_NONE) {
        tfp_buf_text(&x->text, ", in which nothing of the host was recorded");
        x->remedy = "record Python's stacks to see what it is; move that out of the steps";
    } else {
        tfp_buf_text(&x->text, ", in which the host spends most time in ");
        tfp_ruling_span(x, f->stall_span);
    }
    x->saving_ns = stalled;
    x->evidence = f->stall_span == TFP_NONE ? f->stall_end : f->stall_span;
    return true;
}

bool tfp_ruling_value_reads(tfp_ruling *x)
{
    const tfp_tally *t = &x->f->item;
    double felt = felt_ns(x->f, t);
    if (!x->f->has_devices || t->a_step < 0.5 || tfp_part(felt, x->f->step_ns) < x->limit) return false;
    tfp_ruling_part(x, "reading values from the device", t->ns);
    tfp_buf_printf(&x->text, "; %.1f reads a step, longest at ", t->a_step);
    tfp_ruling_path(x, t->longest);
    x->saving_ns = felt;
    x->evidence = t->longest;
    return true;
}

bool tfp_ruling_synchronization(tfp_ruling *x)
{
    const tfp_tally *t = &x->f->synchronize;
    double felt = felt_ns(x->f, t);
    if (t->a_step < 1.5 || tfp_part(felt, x->f->step_ns) < x->limit) return false;
    tfp_ruling_part(x, "waiting in synchronising calls", t->ns);
    tfp_buf_printf(&x->text, "; %.1f calls a step, longest at ", t->a_step);
    tfp_ruling_path(x, t->longest);
    x->saving_ns = felt;
    x->evidence = t->longest;
    return true;
}

bool tfp_ruling_allocations(tfp_ruling *x)
{
    const tfp_tally *t = &x->f->allocations;
    double felt = felt_ns(x->f, t);
    if (t->a_step < 0.5 || tfp_part(felt, x->f->step_ns) < x->limit) return false;
    tfp_ruling_part(x, "allocating device memory", t->ns);
    tfp_buf_printf(&x->text, "; %.1f calls a step, such as ", t->a_step);
    tfp_ruling_span(x, t->longest);
    x->saving_ns = felt;
    x->evidence = t->longest;
    return true;
}

bool tfp_ruling_compilations(tfp_ruling *x)
{
    const tfp_tally *t = &x->f->compilations;
    double felt = felt_ns(x->f, t);
    if (t->count < 2 || tfp_part(felt, x->f->step_ns) < x->limit) return false;
    tfp_ruling_part(x, "compiling or tracing", t->ns);
    tfp_buf_printf(&x->text, "; %lld times in the steps recorded, such as ", (long long)t->count);
    tfp_ruling_span(x, t->longest);
    x->saving_ns = felt;
    x->evidence = t->longest;
    return true;
}

static int64_t input_ns(const tfp_trace_facts *f, const tfp_step_row *row)
{
    int64_t start = row->start_ns + f->x.units[row->unit].origin_ns;
    return tfp_union_within(&f->inputs[row->unit], start, start + row->duration_ns);
}

/* The part with the largest share of the difference between two steps. */
static void put_reason(tfp_ruling *x, const tfp_step_row *longer, const tfp_step_row *shorter)
{
    int64_t input = input_ns(x->f, longer) - input_ns(x->f, shorter), idle = longer->idle_ns - shorter->idle_ns;
    if (input < 0) input = 0;
    if (input > idle) input = idle;
    const struct {
        const char *what;
        int64_t more;
    } parts[] = {
        { "compute", longer->compute_ns - shorter->compute_ns },
        { "communication that nothing hides", longer->exposed_communication_ns - shorter->exposed_communication_ns },
        { "copies that nothing hides", longer->exposed_copy_ns - shorter->exposed_copy_ns },
        { "waiting for input", input },
        { x->f->has_devices ? "an idle device" : "time outside of all operations", idle - input },
    };
    size_t most = 0;
    for (size_t i = 1; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].more > parts[most].more) most = i;
    double difference = (double)(longer->duration_ns - shorter->duration_ns);
    tfp_buf_printf(&x->text, ", and %.0f%% of the difference is %s",
                   100 * least(tfp_part((double)parts[most].more, difference), 1), parts[most].what);
}

bool tfp_ruling_uneven_steps(tfp_ruling *x)
{
    const tfp_trace_facts *f = x->f;
    if (isnan(f->step_cv) || f->step_cv < x->limit || f->median_step == SIZE_MAX) return false;
    const tfp_step_row *odd = &f->steps[f->odd_step], *median = &f->steps[f->median_step];
    bool is_long = odd->duration_ns > median->duration_ns;
    tfp_buf_text(&x->text, "steps ");
    if (f->x.unit_count > 1) tfp_buf_printf(&x->text, "of rank %lld ", (long long)odd->rank);
    tfp_buf_printf(&x->text, "differ by %.0f%% of their mean (standard deviation), which is ", 100 * f->step_cv);
    tfp_ruling_us(x, f->cv_mean_ns);
    if (f->warm_up != TFP_NONE) tfp_buf_text(&x->text, " without step 0");
    tfp_buf_printf(&x->text, "; step %.*s takes ", (int)odd->step.size, odd->step.data);
    tfp_ruling_us(x, (double)odd->duration_ns);
    tfp_buf_printf(&x->text, ", step %.*s, the median one, ", (int)median->step.size, median->step.data);
    tfp_ruling_us(x, (double)median->duration_ns);
    put_reason(x, is_long ? odd : median, is_long ? median : odd);
    x->evidence = tfp_step_marker(f, odd);
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
    x->saving_ns = t->ns + optimizer_host_ns(f);
    x->evidence = t->longest;
    return true;
}
