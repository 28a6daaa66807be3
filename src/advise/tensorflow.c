// SPDX-License-Identifier: Apache-2.0
/* advise/tensorflow.c: two checks exactly as TensorFlow's tool does them, including mistakes: -compat tensorflow. */
#include "advise/checker.h"
#include "model/tables/graph.h"
#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "query/groups.h"
#include "query/order.h"
#include "views/core/handle.h"

/* ---- AcceleratorUtilizationChecker: how busy each accelerator is between its first start and its last end ---- */

typedef struct usage {
    tfp_str device;
    int64_t start_ns, end_ns, busy_ns;
} usage;
static const tfp_sort_key by_device[] = { TFP_UP(usage, device), { 0 } };

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
    tfp_escape(&b, u->device);
    tfp_buf_printf(&b, " %sutilization: %.2f", share >= 0.5 ? "" : "low ", share);
    tfp_status s = b.failed ? tfp_nomem(err) : tfp_checker_find(r, row, (tfp_str){ b.data, b.size }, err);
    tfp_buf_free(&b);
    return s;
}

tfp_status tfp_tensorflow_accelerator(tfp_report *r, uint32_t row, tfp_error *err)
{
    const tfp_profile *p = tfp_profile_of(r);
    tfp_groups all = { .row_size = sizeof(usage) };
    bool ok = true;
    for (uint32_t i = 0; i < tfp_graph_of(p)->nodes.size && ok; i++) {
        uint32_t e = last_exec(p, i);
        tfp_strid device = tfp_graph_of(p)->nodes.at[i].device;
        if (e == TFP_NONE || !(tfp_graph_of(p)->nodes.at[i].flags & TFP_NODE_ON_ACCELERATOR)) continue;
        usage *u = TFP_GROUP(&all, device);
        if (!(ok = u != NULL)) break;
        u->device = tfp_text(p, device);
        add_exec(u, &tfp_executions_of(p)->execs.at[e]);
    }
    ok = ok && tfp_order_rows(all.rows, all.row_size, all.count, by_device);
    tfp_status s = ok ? TFP_OK : tfp_nomem(err);
    for (const usage *u = all.rows, *end = u + all.count; !s && u < end; u++) s = report(r, row, u, err);
    tfp_groups_free(&all);
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
