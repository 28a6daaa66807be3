// SPDX-License-Identifier: Apache-2.0
/* views/trace/parts.c: divides a trace's mean step into parts, as rows. `summary` and `wait` both use this function, so they
 * show the same numbers. The parts of idle add up to idle. */
#include "model/tables/types.h"
#include "views/trace/facts.h"

#include <math.h>

/* clang-format off */
const tfp_table_column tfp_part_columns[] = {
    TFP_COLUMN(tfp_part_row, "part", TEXT, LABEL, part, "The kind of time."),
    TFP_COLUMN(tfp_part_row, "a_step_us", REAL, MICROS, a_step_us, "Mean over steps and devices."),
    TFP_COLUMN(tfp_part_row, "share", REAL, SHARE, share, "Share of the mean step."),
    TFP_COLUMN(tfp_part_row, "command", TEXT, LABEL, command, "The command that shows all of it."),
    { NULL, TFP_CELL_INT, TFP_LABEL, 0, NULL, 0 },
};
/* clang-format on */

typedef struct parts {
    const tfp_trace_facts *f;
    tfp_part_row *rows;
    size_t count;
} parts;

static void add(parts *x, const char *name, double ns, const char *command)
{
    double all = x->f->mean.step_ns;
    x->rows[x->count++] = (tfp_part_row){ tfp_str_of(name), ns / 1000, all > 0 ? ns / all : NAN, tfp_str_of(command) };
}

/* Why a device is idle: its next activity was launched late; or it was launched in time and waits in a queue; or the trace does not
 * have its launch, so the reason is unknown; or the profiler delayed the host. Gaps are measured in the windows of all steps, idle
 * only in steps in which the device has activities, so gaps may exceed idle and are limited to it. */
static void add_device_idle(parts *x)
{
    const tfp_trace_facts *f = x->f;
    double late = fmin(f->gaps.launched_late_ns, f->mean.idle_ns),
           untold = fmin(f->gaps.launch_untold_ns, f->mean.idle_ns - late);
    double profiling = fmin(f->gaps.profiling_ns, f->mean.idle_ns - late - untold);
    add(x, "  of it host-bound", late, "steps -critical_path");
    add(x, "  of it with work queued", f->mean.idle_ns - late - untold - profiling, "wait");
    if (untold > 0) add(x, "  of it before work whose launch is not told", untold, "steps -critical_path");
    if (profiling > 0) add(x, "  of it while the profiler starts or stops", profiling, "calls");
}

/* Without devices, gaps are times when no host operation runs: in long ones the host does something else, short ones are between
 * operations. */
static void add_host_idle(parts *x)
{
    const tfp_trace_facts *f = x->f;
    double profiling = fmin(f->gaps.profiling_ns, f->mean.idle_ns),
           before = fmin(f->gaps.before_ns, f->mean.idle_ns - profiling);
    double stalls = fmin(f->gaps.long_gaps_ns, f->mean.idle_ns - profiling - before);
    add(x, "  of it in gaps of over 1 ms", stalls, "wait");
    add(x, "  of it in shorter gaps", f->mean.idle_ns - stalls - profiling - before, "steps -critical_path");
    if (before > 0) add(x, "  of it before the first operation", before, "calls");
    if (profiling > 0) add(x, "  of it while the profiler starts or stops", profiling, "calls");
}

static void add_idle(parts *x)
{
    if (x->f->begin.doubted.most) return; /* the notes say why it is not known */
    add(x, "idle", x->f->mean.idle_ns, x->f->has_devices ? "wait" : "steps -critical_path");
    if (x->f->has_devices)
        add_device_idle(x);
    else if (x->f->gaps.long_gaps_ns > 0 || x->f->gaps.profiling_ns > 0)
        add_host_idle(x);
}

static void add_waits(parts *x)
{
    const tfp_trace_facts *f = x->f;
    if (f->has_devices || f->host.data.count) add(x, "host waits for data", f->host.data.step_ns, "wait");
    if (f->has_devices) add(x, "host waits for the device", f->host.item.step_ns + f->host.synchronize.step_ns, "wait");
}

bool tfp_host_is_limit(const tfp_trace_facts *f)
{
    if (f->begin.doubted.most) return false;
    return f->has_devices && fmin(f->gaps.launched_late_ns, f->mean.idle_ns) > f->mean.busy_ns;
}

size_t tfp_step_parts(const tfp_trace_facts *f, tfp_part_row rows[TFP_PARTS_MOST])
{
    parts x = { .f = f, .rows = rows };
    add(&x, "compute", f->mean.compute_ns, "steps");
    add(&x, "exposed communication", f->mean.exposed_communication_ns, "transfer");
    add(&x, "exposed copies", f->mean.exposed_copy_ns, "transfer");
    add_idle(&x);
    if (f->mean.between_ns > 0) add(&x, "between runs", f->mean.between_ns, "calls");
    add_waits(&x);
    return x.count;
}

size_t tfp_wait_parts(const tfp_trace_facts *f, tfp_part_row rows[TFP_PARTS_MOST])
{
    parts x = { .f = f, .rows = rows };
    add_idle(&x);
    add_waits(&x);
    return x.count;
}
