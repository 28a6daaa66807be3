// SPDX-License-Identifier: Apache-2.0
/* advise/accelerator.c: accelerators that ran kernels for less than half of their steps' time. */
#include "advise/checker.h"
#include "model/tables/graph.h"
#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "options/units.h"
#include "views/core/handle.h"

typedef struct usage { /* a device in one step; later the sums over all steps */
    tfp_strid device;
    uint32_t steps;
    int64_t start_ns, end_ns; /* within one step */
    int64_t busy_ns, span_ns;
} usage;

typedef struct usages {
    TFP_VEC(usage) all;
    tfp_map64 by_key;
    bool nomem;
} usages;

static usage *usage_of(usages *u, tfp_strid device, uint32_t step)
{
    uint64_t key = (uint64_t)device << 32 | step;
    uint32_t at = tfp_map64_get(&u->by_key, key);
    if (at != TFP_NONE) return &u->all.at[at];
    if (tfp_push(&u->all, ((usage){ .device = device, .steps = 1, .start_ns = INT64_MAX })) &&
        tfp_map64_put(&u->by_key, key, (uint32_t)u->all.size - 1))
        return &u->all.at[u->all.size - 1];
    u->nomem = true;
    return NULL;
}

static void collect_steps(const tfp_profile *p, usages *u)
{
    for (uint32_t i = 0; i < tfp_graph_of(p)->nodes.size; i++) {
        tfp_strid device = tfp_graph_of(p)->nodes.at[i].device;
        if (!device || !(tfp_graph_of(p)->nodes.at[i].flags & TFP_NODE_ON_ACCELERATOR)) continue;
        for (TFP_EACH(tfp_executions_of(p)->execs, e, tfp_graph_of(p)->nodes.at[i].exec_first)) {
            const tfp_exec *x = &tfp_executions_of(p)->execs.at[e];
            usage *step = x->start_ns || x->end_ns ? usage_of(u, device, x->step) : NULL;
            if (u->nomem) return;
            if (!step) continue;
            if (x->start_ns < step->start_ns) step->start_ns = x->start_ns;
            if (x->end_ns > step->end_ns) step->end_ns = x->end_ns;
            step->busy_ns = tfp_add(step->busy_ns, x->accelerator_ns, NULL);
        }
    }
}

static void add_up(const usages *steps, usages *devices)
{
    for (size_t i = 0; i < steps->all.size; i++) {
        const usage *step = &steps->all.at[i];
        if (step->end_ns <= step->start_ns) continue;
        usage *device = usage_of(devices, step->device, 0);
        if (!device) return;
        device->steps += device->span_ns != 0;
        device->span_ns = tfp_add(device->span_ns, step->end_ns - step->start_ns, NULL);
        device->busy_ns = tfp_add(device->busy_ns, step->busy_ns, NULL);
    }
}

/* A device without any kernel time was not traced, so nothing is reported. */
static tfp_status report(tfp_report *r, uint32_t row, const usage *u, tfp_error *err)
{
    double share = (double)u->busy_ns / (double)u->span_ns;
    if (u->busy_ns <= 0 || share >= 0.5) return TFP_OK;
    tfp_buf b = { 0 };
    tfp_buf_text(&b, "device: ");
    tfp_escape(&b, tfp_text(tfp_profile_of(r), u->device));
    tfp_buf_printf(&b, " low utilization: %.2f (kernels ran ", share);
    tfp_format_time(&b, tfp_micros(u->busy_ns) / u->steps);
    tfp_buf_text(&b, " of ");
    tfp_format_time(&b, tfp_micros(u->span_ns) / u->steps);
    tfp_buf_printf(&b, "%s)", u->steps > 1 ? ", mean of all steps" : "");
    tfp_status s = tfp_checker_find_text(r, row, &b, err);
    if (!s) tfp_checker_about(r, (double)(u->span_ns - u->busy_ns) / u->steps / 1e9, "tfprof steps");
    return s;
}

static bool less_by_device(const void *ctx, uint32_t a, uint32_t b)
{
    const tfp_report *r = ((const void *const *)ctx)[0];
    const usages *u = ((const void *const *)ctx)[1];
    return tfp_str_cmp(tfp_text(tfp_profile_of(r), u->all.at[a].device),
                       tfp_text(tfp_profile_of(r), u->all.at[b].device)) < 0;
}

static tfp_status check(tfp_report *r, uint32_t row, tfp_error *err)
{
    usages steps = { 0 }, devices = { 0 };
    collect_steps(tfp_profile_of(r), &steps);
    if (!steps.nomem) add_up(&steps, &devices);
    uint32_t *order = TFP_NEW(tfp_arena_of(r), uint32_t, devices.all.size);
    bool ok = order && !steps.nomem && !devices.nomem;
    for (uint32_t i = 0; ok && i < devices.all.size; i++) order[i] = i;
    ok = ok && tfp_sort(order, devices.all.size, less_by_device, (const void *[]){ r, &devices });
    tfp_status s = ok ? TFP_OK : tfp_nomem(err);
    for (size_t i = 0; i < devices.all.size && !s; i++) s = report(r, row, &devices.all.at[order[i]], err);
    tfp_map64_free(&steps.by_key);
    tfp_map64_free(&devices.by_key);
    tfp_vec_free(&steps.all);
    tfp_vec_free(&devices.all);
    return s;
}

const tfp_checker tfp_checker_accelerator = {
    "AcceleratorUtilizationChecker",
    "Accelerators whose kernels ran for less than half of the time between the first start and the last end of their "
    "steps.",
    check, tfp_tensorflow_accelerator
};
