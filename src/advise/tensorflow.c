// SPDX-License-Identifier: Apache-2.0
/* advise/tensorflow.c: two checks exactly as TensorFlow's tool does them, including mistakes: -compat tensorflow. */
#include "advise/checker.h"
#include "model/tables/graph.h"
#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "views/core/handle.h"

/* ---- AcceleratorUtilizationChecker: how busy each accelerator is between its first start and its last end ---- */

typedef struct usage {
    tfp_strid device;
    int64_t start_ns, end_ns, busy_ns;
} usage;
typedef TFP_VEC(usage) usages;

/* TensorFlow uses only the last step of each node. */
static uint32_t last_exec(const tfp_profile *p, uint32_t node)
{
    uint32_t last = TFP_NONE;
    for (TFP_EACH(tfp_executions_of(p)->execs, e, tfp_graph_of(p)->nodes.at[node].exec_first))
        if (last == TFP_NONE || tfp_executions_of(p)->steps.at[tfp_executions_of(p)->execs.at[e].step].id >
                                    tfp_executions_of(p)->steps.at[tfp_executions_of(p)->execs.at[last].step].id)
            last = e;
    return last;
}

static usage *usage_of(usages *all, tfp_map64 *by_device, tfp_strid device)
{
    uint32_t at = tfp_map64_get(by_device, device);
    if (at != TFP_NONE) return &all->at[at];
    if (!tfp_push(all, ((usage){ .device = device })) || !tfp_map64_put(by_device, device, (uint32_t)all->size - 1))
        return NULL;
    return &all->at[all->size - 1];
}

static void add_exec(usage *u, const tfp_exec *x)
{
    if (u->start_ns == 0 || (x->start_ns != 0 && x->start_ns < u->start_ns)) u->start_ns = x->start_ns;
    if (x->end_ns > u->end_ns) u->end_ns = x->end_ns;
    u->busy_ns = tfp_add(u->busy_ns, x->accelerator_ns, NULL);
}

static tfp_status report(tfp_report *r, uint32_t row, const usage *u, tfp_error *err)
{
    if (u->end_ns <= u->start_ns) return TFP_OK;
    double share = (double)u->busy_ns / (double)(u->end_ns - u->start_ns);
    tfp_buf b = { 0 };
    tfp_buf_text(&b, "device: ");
    tfp_escape(&b, tfp_text(tfp_profile_of(r), u->device));
    tfp_buf_printf(&b, " %sutilization: %.2f", share >= 0.5 ? "" : "low ", share);
    tfp_status s = b.failed ? tfp_nomem(err) : tfp_checker_find(r, row, (tfp_str){ b.data, b.size }, err);
    tfp_buf_free(&b);
    return s;
}

static bool less_by_device(const void *ctx, uint32_t a, uint32_t b)
{
    const tfp_report *r = ((const void *const *)ctx)[0];
    const usages *all = ((const void *const *)ctx)[1];
    return tfp_str_cmp(tfp_text(tfp_profile_of(r), all->at[a].device), tfp_text(tfp_profile_of(r), all->at[b].device)) <
           0;
}

tfp_status tfp_tensorflow_accelerator(tfp_report *r, uint32_t row, tfp_error *err)
{
    const tfp_profile *p = tfp_profile_of(r);
    usages all = { 0 };
    tfp_map64 by_device = { 0 };
    bool ok = true;
    for (uint32_t i = 0; i < tfp_graph_of(p)->nodes.size && ok; i++) {
        uint32_t e = last_exec(p, i);
        tfp_strid device = tfp_graph_of(p)->nodes.at[i].device;
        if (e == TFP_NONE || !(tfp_graph_of(p)->nodes.at[i].flags & TFP_NODE_ON_ACCELERATOR)) continue;
        usage *u = usage_of(&all, &by_device, device);
        if (u)
            add_exec(u, &tfp_executions_of(p)->execs.at[e]);
        else
            ok = false;
    }
    uint32_t *order = TFP_NEW(tfp_arena_of(r), uint32_t, all.size);
    for (uint32_t i = 0; order && i < all.size; i++) order[i] = i;
    ok = ok && order && tfp_sort(order, all.size, less_by_device, (const void *[]){ r, &all });
    tfp_status s = ok ? TFP_OK : tfp_nomem(err);
    for (size_t i = 0; i < all.size && !s; i++) s = report(r, row, &all.at[order[i]], err);
    tfp_map64_free(&by_device);
    tfp_vec_free(&all);
    return s;
}

/* ---- OperationChecker: operations that have a faster form ---- */

static bool has_type(const tfp_profile *p, uint32_t node, tfp_str type)
{
    for (TFP_EACH(tfp_graph_of(p)->types, t, tfp_graph_of(p)->nodes.at[node].type_first))
        if (tfp_str_eq(tfp_text(p, tfp_graph_of(p)->types.at[t].name), type)) return true;
    return false;
}

/* "FusedBatchNorm" exactly: TensorFlow's check does not know its later versions. */
tfp_status tfp_tensorflow_operation(tfp_report *r, uint32_t row, tfp_error *err)
{
    const tfp_profile *p = tfp_profile_of(r);
    bool batch_norm = false, fused = false, nhwc = false;
    for (uint32_t i = 0; i < tfp_graph_of(p)->nodes.size; i++) {
        const tfp_node *n = &tfp_graph_of(p)->nodes.at[i];
        batch_norm = batch_norm || tfp_str_has(tfp_text(p, n->name), TFP_STR("BatchNorm"));
        fused = fused || has_type(p, i, TFP_STR("FusedBatchNorm"));
        nhwc = nhwc || (n->data_format && tfp_str_eq(tfp_text(p, n->data_format), TFP_STR("NHWC")) &&
                        n->flags & TFP_NODE_ON_ACCELERATOR);
    }
    tfp_status s = TFP_OK;
    if (batch_norm && !fused)
        s = tfp_checker_find(r, row, TFP_STR("Maybe use faster FusedBatchNorm instead of BatchNorm"), err);
    if (nhwc && !s)
        s = tfp_checker_find(r, row, TFP_STR("Found operation using NHWC data_format on GPU. Maybe NCHW is faster."),
                             err);
    return s;
}
