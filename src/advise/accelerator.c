// SPDX-License-Identifier: Apache-2.0
/* advise/accelerator.c: accelerators that ran kernels for less than half of their steps' time. */
#include "advise/checker.h"
#include "model/tables/events.h"
#include "model/tables/graph.h"
#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "options/units.h"
#include "query/groups.h"
#include "query/order.h"
#include "views/core/handle.h"

typedef struct usage { /* a device in one step; later the sums over all steps */
    tfp_strid id;
    uint32_t steps;
    tfp_str device;
    int64_t start_ns, end_ns; /* within one step */
    int64_t busy_ns, span_ns;
} usage;

static const tfp_sort_key by_device[] = { TFP_UP(usage, device), { 0 } };

static usage *usage_of(tfp_groups *all, const tfp_profile *p, tfp_strid device, uint32_t step)
{
    usage *u = TFP_GROUP(all, device, step);
    if (u && !u->steps) *u = (usage){ device, 1, tfp_text(p, device), INT64_MAX, 0, 0, 0 };
    return u;
}

static bool collect_steps(const tfp_profile *p, tfp_groups *all)
{
    for (uint32_t i = 0; i < tfp_graph_of(p)->nodes.size; i++) {
        tfp_strid device = tfp_graph_of(p)->nodes.at[i].device;
        if (!device || !(tfp_graph_of(p)->nodes.at[i].flags & TFP_NODE_ON_ACCELERATOR)) continue;
        for (TFP_EACH(tfp_executions_of(p)->execs, e, tfp_graph_of(p)->nodes.at[i].exec_first)) {
            const tfp_exec *x = &tfp_executions_of(p)->execs.at[e];
            if (!x->start_ns && !x->end_ns) continue;
            usage *step = usage_of(all, p, device, x->step);
            if (!step) return false;
            if (x->start_ns < step->start_ns) step->start_ns = x->start_ns;
            if (x->end_ns > step->end_ns) step->end_ns = x->end_ns;
            step->busy_ns = tfp_add(step->busy_ns, x->accelerator_ns, NULL);
        }
    }
    return true;
}

static bool add_up(const tfp_profile *p, const tfp_groups *steps, tfp_groups *devices)
{
    for (const usage *step = steps->rows, *end = step + steps->count; step < end; step++) {
        if (step->end_ns <= step->start_ns) continue;
        usage *device = usage_of(devices, p, step->id, 0);
        if (!device) return false;
        device->steps += device->span_ns != 0;
        device->span_ns = tfp_add(device->span_ns, step->end_ns - step->start_ns, NULL);
        device->busy_ns = tfp_add(device->busy_ns, step->busy_ns, NULL);
    }
    return true;
}

/* A device without any kernel time was not traced, so nothing is reported. */
static tfp_status report(tfp_report *r, uint32_t row, const usage *u, tfp_error *err)
{
    double share = (double)u->busy_ns / (double)u->span_ns;
    if (u->busy_ns <= 0 || share >= 0.5) return TFP_OK;
    tfp_buf b = { 0 };
    tfp_buf_text(&b, "device: ");
    tfp_escape(&b, u->device);
    tfp_buf_printf(&b, " low utilization: %.2f (kernels ran ", share);
    tfp_format_time(&b, tfp_micros(u->busy_ns) / u->steps);
    tfp_buf_text(&b, " of ");
    tfp_format_time(&b, tfp_micros(u->span_ns) / u->steps);
    tfp_buf_printf(&b, "%s)", u->steps > 1 ? ", mean of all steps" : "");
    tfp_status s = tfp_checker_find_text(r, row, &b, err);
    if (!s) tfp_checker_about(r, (double)(u->span_ns - u->busy_ns) / u->steps / 1e9, "tfprof steps");
    return s;
}

static tfp_status check(tfp_report *r, uint32_t row, tfp_error *err)
{
    const tfp_profile *p = tfp_profile_of(r), *runs = tfp_runs_of(r);
    if (runs && tfp_events_of(runs)->doubts.size) return TFP_OK; /* how long devices were busy is not known */
    tfp_groups steps = { .row_size = sizeof(usage) }, devices = steps;
    bool ok = collect_steps(p, &steps) && add_up(p, &steps, &devices) &&
              tfp_order_rows(devices.rows, devices.row_size, devices.count, by_device);
    tfp_status s = ok ? TFP_OK : tfp_nomem(err);
    for (const usage *u = devices.rows, *end = u + devices.count; !s && u < end; u++) s = report(r, row, u, err);
    tfp_groups_free(&steps);
    tfp_groups_free(&devices);
    return s;
}

const tfp_checker tfp_checker_accelerator = {
    "AcceleratorUtilizationChecker",
    "Accelerators whose kernels ran for less than half of the time between the first start and the last end of their "
    "steps.",
    check, tfp_tensorflow_accelerator
};
