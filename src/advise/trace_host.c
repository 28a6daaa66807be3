// SPDX-License-Identifier: Apache-2.0
/* advise/trace_host.c: rules about what the host does within a trace's steps. */
#include "advise/rules.h"
#include "model/tables/spans.h"
#include "views/core/texts.h"

#include <math.h>

static double least(double a, double b) { return a < b ? a : b; }
static double rest(double a) { return a > 0 ? a : 0; }

/* The cost of a host's wait: at most the time that the device idles because of the host. Nothing can be gained while the device
 * is busy, or idles between activities that were launched in time. */
static double felt_ns(const tfp_trace_facts *f, const tfp_tally *t)
{
    return f->has_devices ? least(t->ns, f->gaps.host_cost_ns) : t->ns;
}

/* ---- what remedies change ---- */

static unsigned kind_of(const tfp_ruling *x, uint32_t span) { return x->f->x.s->kind[span]; }

static bool reads_value(const tfp_ruling *x, uint32_t span, unsigned waits)
{
    (void)x, (void)span;
    return waits == TFP_WAITS_ITEM;
}

static bool blocks(const tfp_ruling *x, uint32_t span, unsigned waits)
{
    return waits == TFP_WAITS_SYNCHRONIZE ||
           (kind_of(x, span) == TFP_SPAN_CALL && tfp_ruling_says(x, span) & TFP_NAME_COPY_CALL);
}

static bool allocates(const tfp_ruling *x, uint32_t span, unsigned waits)
{
    (void)waits;
    return kind_of(x, span) == TFP_SPAN_CALL && tfp_ruling_says(x, span) & TFP_NAME_ALLOCATES;
}

static bool compiles(const tfp_ruling *x, uint32_t span, unsigned waits)
{
    unsigned kind = kind_of(x, span);
    (void)waits;
    return (kind == TFP_SPAN_OP || kind == TFP_SPAN_ANNOTATION) && tfp_ruling_says(x, span) & TFP_NAME_COMPILES;
}

static bool communicates(const tfp_ruling *x, uint32_t span, unsigned waits)
{
    (void)waits;
    return x->f->x.s->class[span] == TFP_CLASS_COMMUNICATION || tfp_ruling_says(x, span) & TFP_NAME_COMMUNICATES;
}

/* The optimizer's own kernels and the host's time in it. */
static bool optimizes(const tfp_ruling *x, uint32_t span, unsigned waits)
{
    (void)waits;
    if (kind_of(x, span) == TFP_SPAN_ACTIVITY) return x->f->sorts[span] & 1u << TFP_SORT_OPTIMIZER;
    return tfp_ruling_says(x, span) & TFP_NAME_OPTIMIZER;
}

/* ---- rules ---- */

bool tfp_ruling_input_bound(tfp_ruling *x)
{
    const tfp_tally *t = &x->f->host.data;
    double felt = x->f->has_devices ? felt_ns(x->f, t) : t->alone_ns;
    if (!t->count || tfp_part(felt, x->f->mean.judged_ns) < x->limit) return false;
    tfp_ruling_part(x, "waiting for input", t->ns);
    x->saving_ns = felt;
    x->evidence = t->longest;
    return true;
}

bool tfp_optimizer_is_unfused(const tfp_trace_facts *f, double kernels)
{
    return f->device.optimizer.a_step >= kernels && f->device.optimizer.a_step >= 0.3 * f->mean.kernels_per_step;
}

/* The host's time for an optimizer with many small kernels, while the device waits. */
static double optimizer_host_ns(const tfp_trace_facts *f)
{
    return tfp_optimizer_is_unfused(f, 50) ? f->gaps.late_ns * f->device.optimizer.a_step / f->mean.kernels_per_step
                                           : 0;
}

/* Late launches that no other rule about the host explains, in short and long gaps. */
static double unexplained_ns(const tfp_trace_facts *f)
{
    double explained =
        f->host.data.ns + f->host.item.ns + f->host.synchronize.ns + f->host.allocations.ns + f->host.compilations.ns;
    return rest(f->gaps.late_ns - rest(explained - f->gaps.stall_known_ns) - optimizer_host_ns(f));
}

static double stalled_ns(const tfp_trace_facts *f) { return rest(f->gaps.stall_ns - f->gaps.stall_known_ns); }

/* Time of Python frames outside all ops. */
static double python_ns(const tfp_trace_facts *f)
{
    return f->host.python.count ? rest(f->host.python.ns - f->host.ops.ns - f->host.data.ns - f->host.own.ns) : 0;
}

static bool is_python(const tfp_trace_facts *f, double limit)
{
    return f->has_devices && python_ns(f) > 0 && tfp_part(python_ns(f), f->mean.judged_ns) >= limit &&
           unexplained_ns(f) + stalled_ns(f) > 0.1 * f->mean.judged_ns;
}

bool tfp_ruling_python_time(tfp_ruling *x)
{
    const tfp_trace_facts *f = x->f;
    if (!is_python(f, x->limit)) return false;
    tfp_ruling_part(x, "Python outside of all operators", python_ns(f));
    if (tfp_part(f->gaps.lead_ns, f->mean.judged_ns) > 0.1) {
        tfp_buf_text(&x->text, "; the device's first activity begins after ");
        tfp_ruling_us(x, f->gaps.lead_ns);
    }
    x->saving_ns = least(least(python_ns(f), unexplained_ns(f) + stalled_ns(f)), f->gaps.host_cost_ns);
    x->evidence = f->host.python.longest;
    return true;
}

/* The part of both that Python explains, if the rule about Python has a finding. */
static double python_part(const tfp_trace_facts *f) { return is_python(f, 0.3) ? python_ns(f) : 0; }

bool tfp_ruling_host_bound(tfp_ruling *x)
{
    const tfp_trace_facts *f = x->f;
    double late = rest(unexplained_ns(f) - python_part(f));
    if (!f->has_devices || late <= 0 || tfp_part(late, f->mean.judged_ns) < x->limit) return false;
    tfp_ruling_part(x, "the device's wait for launches, in gaps of up to a millisecond,", f->gaps.late_ns);
    tfp_ruling_share(x, "explained by waits, Python or the optimizer", f->gaps.late_ns - late);
    tfp_ruling_rate(x, f->mean.kernels_per_step, "kernel");
    if (f->mean.kernels_per_step > 0) {
        tfp_buf_text(&x->text, ", on average of ");
        tfp_ruling_us(x, f->mean.busy_ns / f->mean.kernels_per_step);
    }
    x->saving_ns = least(late, f->gaps.host_cost_ns);
    x->evidence = f->gaps.late_launch;
    return true;
}

/* Writes what covers the longest gap: "in which the host spends 83% in X". */
static void put_cause(tfp_ruling *x)
{
    const tfp_trace_facts *f = x->f;
    double share = 100 * least(f->gaps.stall_share, 1);
    switch (f->gaps.stall_cover) {
    case TFP_STALL_ITSELF: tfp_buf_printf(&x->text, ", in which the host spends %.0f%% in ", share); break;
    case TFP_STALL_AROUND:
        tfp_buf_printf(&x->text, ", in which the host runs many short operations, %.0f%% of it in ", share);
        break;
    case TFP_STALL_SHORT:
        tfp_buf_printf(&x->text, ", of which %.0f%% are short spans of the launching thread, the longest ", share);
        break;
    case TFP_STALL_OTHER:
        tfp_buf_printf(&x->text, ", in which the thread that goes on after it recorded nothing, and ");
        tfp_lane_put(f->x.p, f->x.s->lane[f->gaps.stall_span], &x->text);
        tfp_buf_printf(&x->text, " spends %.0f%% in ", share);
        break;
    case TFP_STALL_NOTHING:
        tfp_buf_text(&x->text, ", in which nothing of the host was recorded");
        x->remedy = "record Python's stacks to see what it is; move that out of the steps";
        return;
    }
    tfp_ruling_span(x, f->gaps.stall_span);
}

/* Whether the trace has nothing but API calls: nobody recorded operations, so time between the calls is no gap. */
static bool has_only_calls(const tfp_trace_facts *f)
{
    for (size_t i = 0; i < f->x.s->size; i++)
        if (f->x.s->kind[i] != TFP_SPAN_CALL && f->x.s->kind[i] != TFP_SPAN_OTHER) return false;
    return true;
}

bool tfp_ruling_host_stalls(tfp_ruling *x)
{
    const tfp_trace_facts *f = x->f;
    if (!f->has_devices && has_only_calls(f)) return false;
    double stalled = rest(stalled_ns(f) - rest(python_part(f) - unexplained_ns(f)));
    if (stalled <= 0 || tfp_part(stalled, f->mean.judged_ns) < x->limit) return false;
    tfp_ruling_part(x,
                    f->has_devices ? "the device's wait for the host, in gaps of over a millisecond,"
                                   : "time in which no operation runs, in gaps of over a millisecond,",
                    f->gaps.stall_ns);
    tfp_ruling_share(x, "explained by waits, allocations, compilations or Python", f->gaps.stall_ns - stalled);
    if (f->has_devices)
        tfp_ruling_share(x, "before the device's first activity", least(f->gaps.lead_ns, f->gaps.stall_ns));
    tfp_ruling_rate(x, f->gaps.stalls, "such gap");
    tfp_buf_text(&x->text, ", the longest of ");
    tfp_ruling_us(x, (double)f->gaps.longest_stall_ns);
    put_cause(x);
    x->saving_ns = f->has_devices ? least(stalled, f->gaps.host_cost_ns) : stalled;
    x->evidence = f->gaps.stall_span == TFP_NONE ? f->gaps.stall_end : f->gaps.stall_span;
    return true;
}

bool tfp_ruling_value_reads(tfp_ruling *x)
{
    const tfp_tally *t = &x->f->host.item;
    double felt = felt_ns(x->f, t);
    if (!x->f->has_devices || t->a_step < 0.5 || tfp_part(felt, x->f->mean.judged_ns) < x->limit) return false;
    tfp_ruling_part(x, "reading values from the device", t->ns);
    tfp_ruling_rate(x, t->a_step, "read");
    tfp_buf_text(&x->text, ", longest at ");
    tfp_ruling_path(x, t->longest);
    x->touches = reads_value;
    x->saving_ns = felt;
    x->evidence = t->longest;
    return true;
}

/* Time in a copy or synchronisation that waits although the device is doing nothing. */
bool tfp_ruling_blocked_host(tfp_ruling *x)
{
    const tfp_tally *t = &x->f->host.blocked;
    double idle = rest(t->idle_ns - x->f->host.pageable.idle_ns); /* those are reported by PageableCopies */
    if (!x->f->has_devices || tfp_part(idle, x->f->mean.judged_ns) < x->limit) return false;
    tfp_ruling_part(x, "a device that does nothing while the host waits in copies or synchronisation", idle);
    tfp_buf_text(&x->text, "; the host is blocked there for ");
    tfp_ruling_us(x, t->ns);
    tfp_ruling_rate(x, t->a_step, "call");
    tfp_buf_text(&x->text, ", longest at ");
    tfp_ruling_path(x, t->longest);
    x->touches = blocks;
    x->saving_ns = idle;
    x->evidence = t->longest;
    return true;
}

bool tfp_ruling_host_communication(tfp_ruling *x)
{
    const tfp_tally *t = &x->f->host.communication;
    double felt = x->f->has_devices ? felt_ns(x->f, t) : least(t->alone_ns, x->f->mean.exposed_communication_ns);
    if (!t->count || tfp_part(felt, x->f->mean.judged_ns) < x->limit) return false;
    tfp_ruling_part(x, "communication by the host", t->ns);
    tfp_ruling_rate(x, t->a_step, "call");
    tfp_buf_text(&x->text, ", longest in ");
    tfp_ruling_span(x, t->longest);
    x->touches = communicates;
    x->saving_ns = felt;
    x->evidence = t->longest;
    return true;
}

bool tfp_ruling_retracing(tfp_ruling *x)
{
    const tfp_tally *t = &x->f->host.retraces;
    if (t->count < 2 || tfp_part(t->ns, x->f->mean.judged_ns) < x->limit) return false;
    tfp_ruling_part(x, "calling functions that are traced again", t->ns);
    tfp_buf_printf(&x->text, "; %lld such calls in the steps recorded, longest of ", (long long)t->count);
    tfp_ruling_span(x, t->longest);
    x->saving_ns = felt_ns(x->f, t);
    x->evidence = t->longest;
    return true;
}

bool tfp_ruling_synchronization(tfp_ruling *x)
{
    const tfp_tally *t = &x->f->host.synchronize;
    double busy = rest(t->ns - t->idle_ns); /* waits while the device is idle are reported by BlockedHost */
    double felt = x->f->has_devices ? least(busy, x->f->gaps.host_cost_ns) : t->ns;
    if (t->a_step < 1.5 || tfp_part(felt, x->f->mean.judged_ns) < x->limit) return false;
    tfp_ruling_part(x, "waiting in synchronising calls", t->ns);
    if (x->f->has_devices) tfp_ruling_share(x, "while the device does nothing", least(t->idle_ns, t->ns));
    tfp_ruling_rate(x, t->a_step, "call");
    tfp_buf_text(&x->text, ", longest at ");
    tfp_ruling_path(x, t->longest);
    x->saving_ns = felt;
    x->evidence = t->longest;
    return true;
}

bool tfp_ruling_allocations(tfp_ruling *x)
{
    const tfp_tally *t = &x->f->host.allocations;
    double felt = felt_ns(x->f, t);
    if (t->a_step < 0.5 || tfp_part(felt, x->f->mean.judged_ns) < x->limit) return false;
    tfp_ruling_part(x, "allocating device memory", t->ns);
    tfp_ruling_rate(x, t->a_step, "call");
    tfp_buf_text(&x->text, ", such as ");
    tfp_ruling_span(x, t->longest);
    x->touches = allocates;
    x->saving_ns = felt;
    x->evidence = t->longest;
    return true;
}

bool tfp_ruling_compilations(tfp_ruling *x)
{
    const tfp_tally *t = &x->f->host.compilations;
    double felt = felt_ns(x->f, t);
    if (t->count < 2 || tfp_part(felt, x->f->mean.judged_ns) < x->limit) return false;
    tfp_ruling_part(x, "compiling or tracing", t->ns);
    tfp_buf_printf(&x->text, "; %lld times in the steps recorded, such as ", (long long)t->count);
    tfp_ruling_span(x, t->longest);
    x->touches = compiles;
    x->saving_ns = felt;
    x->evidence = t->longest;
    return true;
}

static int64_t input_ns(const tfp_trace_facts *f, const tfp_step_row *row)
{
    int64_t start = row->device_start_ns + f->x.units[row->unit].origin_ns;
    return tfp_union_within(&f->inputs[row->unit], start, start + row->device_ns);
}

/* Writes the part with the largest share of the difference between two steps. */
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
    double difference = (double)(longer->step_ns - shorter->step_ns);
    tfp_buf_printf(&x->text, ", and %.0f%% of the difference is %s",
                   100 * least(tfp_part((double)parts[most].more, difference), 1), parts[most].what);
}

/* The first activity after the longest idle time of a device; TFP_NONE: none. */
static uint32_t after_longest_idle(const tfp_trace_facts *f)
{
    const tfp_span_columns *s = f->x.s;
    int64_t longest = 0, end = 0;
    size_t device = 0;
    for (size_t d = 0; d < f->x.device_count; d++)
        for (size_t i = 0; i < f->idle[d].count; i++) {
            int64_t length = f->idle[d].end[i] - f->idle[d].start[i];
            if (length > longest) longest = length, end = f->idle[d].end[i], device = d;
        }
    const tfp_trace_device *of = f->x.device_count ? &f->x.devices[device] : NULL;
    for (size_t i = 0; longest && i < of->count; i++) {
        uint32_t span = f->x.items[of->first + i];
        if (s->start_ns[span] >= end) return span;
    }
    return TFP_NONE;
}

/* Idle time that no other rule explains. */
bool tfp_ruling_idle_device(tfp_ruling *x)
{
    const tfp_trace_facts *f = x->f;
    /* the last three are reported by PageableCopies, TinyKernels and FirstCalls */
    double elsewhere =
        x->host_ns + f->host.pageable.idle_ns + f->device.tiny_gaps_ns + least(f->host.loading.ns, f->mean.idle_ns);
    double explained = least(elsewhere, f->mean.idle_ns), idle = f->mean.idle_ns - explained;
    if (!f->has_devices || f->begin.whole || tfp_part(idle, f->mean.judged_ns) < x->limit) return false;
    tfp_ruling_part(x, "idle time of the device", f->mean.idle_ns);
    tfp_ruling_share(x, "told by other findings", explained);
    x->saving_ns = idle;
    x->evidence = after_longest_idle(f);
    return true;
}

bool tfp_ruling_uneven_steps(tfp_ruling *x)
{
    const tfp_trace_facts *f = x->f;
    if (isnan(f->mean.step_cv) || f->mean.step_cv < x->limit || f->mean.median_step == SIZE_MAX) return false;
    const tfp_step_row *odd = &f->steps[f->mean.odd_step], *median = &f->steps[f->mean.median_step];
    bool is_long = odd->step_ns > median->step_ns;
    /* a server's steps do as much work as their requests need */
    if (!tfp_str_eq(odd->served.phase, median->served.phase) || odd->served.tokens != median->served.tokens)
        return false;
    tfp_buf_text(&x->text, "steps ");
    if (f->x.unit_count > 1) tfp_buf_printf(&x->text, "of rank %lld ", (long long)odd->rank);
    tfp_buf_printf(&x->text, "differ by %.0f%% of their mean (standard deviation), which is ", 100 * f->mean.step_cv);
    tfp_ruling_us(x, f->mean.cv_mean_ns);
    if (f->begin.warm_up != TFP_NONE) tfp_buf_text(&x->text, " without step 0");
    tfp_buf_printf(&x->text, "; step %.*s takes ", (int)odd->step.size, odd->step.data);
    tfp_ruling_us(x, (double)odd->step_ns);
    tfp_buf_printf(&x->text, ", step %.*s, the median one, ", (int)median->step.size, median->step.data);
    tfp_ruling_us(x, (double)median->step_ns);
    put_reason(x, is_long ? odd : median, is_long ? median : odd);
    x->evidence = tfp_step_marker(f, odd);
    return true;
}

/* The time of the recording that launches take to load code, in and outside of steps. */
bool tfp_ruling_first_calls(tfp_ruling *x)
{
    const tfp_trace_facts *f = x->f;
    const tfp_span_columns *s = f->x.s;
    const tfp_step_choice all = { .which = TFP_STEP_ALL };
    tfp_doubt_sum loads, compiles;
    double recorded = 0;
    bool any = tfp_doubt_sum_of(f->x.p, all, TFP_DOUBT_LOADING, &loads);
    if (!(tfp_doubt_sum_of(f->x.p, all, TFP_DOUBT_COMPILING, &compiles) || any)) return false;
    double ns = (double)loads.ns + (double)compiles.ns;
    for (size_t i = 0; i < f->x.unit_count; i++) recorded += (double)(f->x.units[i].end_ns - f->x.units[i].origin_ns);
    if (tfp_part(ns, recorded) < x->limit) return false;
    for (uint32_t i = 0; i < s->size; i++) {
        bool first = s->marks[i] & TFP_MARK_LOADS;
        if (first && (x->evidence == TFP_NONE || s->duration_ns[i] > s->duration_ns[x->evidence])) x->evidence = i;
    }
    if (loads.count) {
        tfp_buf_printf(&x->text, "%lld kernel%s ran for the first time: ", (long long)loads.count,
                       loads.count == 1 ? "" : "s");
        tfp_ruling_us(x, (double)loads.ns);
        tfp_buf_text(&x->text, " of loading code in their launches");
    }
    if (compiles.count) {
        tfp_buf_printf(&x->text, "%s%lld compilation%s or search%s for kernels: ", loads.count ? "; " : "",
                       (long long)compiles.count, compiles.count == 1 ? "" : "s", compiles.count == 1 ? "" : "es");
        tfp_ruling_us(x, (double)compiles.ns);
    }
    tfp_buf_printf(&x->text, ", %.0f%% of the recording", 100 * tfp_part(ns, recorded));
    x->about_ns = ns;
    return true;
}

bool tfp_ruling_unfused_optimizer(tfp_ruling *x)
{
    const tfp_trace_facts *f = x->f;
    const tfp_tally *t = &f->device.optimizer;
    if (t->a_step < 50 || t->a_step < x->limit * f->mean.kernels_per_step) return false;
    tfp_buf_printf(&x->text, "the optimizer launches %.0f of the %.0f kernels of a step, which take ", t->a_step,
                   f->mean.kernels_per_step);
    tfp_ruling_us(x, t->ns);
    x->touches = optimizes;
    x->saving_ns = tfp_sort_alone_ns(f, TFP_SORT_OPTIMIZER) + least(optimizer_host_ns(f), f->gaps.host_cost_ns);
    x->evidence = t->longest;
    return true;
}
