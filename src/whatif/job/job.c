// SPDX-License-Identifier: Apache-2.0
/* whatif/job/job.c: makes a job from a profile: first the ranks, then what each of them did, then what waited for
 * what. */
#include "model/tables/events.h"
#include "views/core/handle.h"
#include "views/spans/trace.h"
#include "whatif/job/job.h"

static bool build(tfp_job *j)
{
    return tfp_job_hosted_spans(j) && tfp_job_activities(j) && tfp_job_collectives(j) && tfp_job_windows(j) &&
           tfp_job_hosted_all(j) && tfp_job_handoffs(j) && tfp_job_anchors(j) && tfp_job_loaders(j) &&
           tfp_job_events(j);
}

static bool start(tfp_job *j, const tfp_trace_index *x)
{
    j->unit_count = x->unit_count;
    j->unit_of_process = x->unit_of_process;
    j->units = TFP_NEW(j->arena, tfp_job_unit, x->unit_count + 1);
    j->waits = tfp_host_waits(j->r, x);
    for (size_t i = 0; j->units && i < x->unit_count; i++) {
        j->units[i].rank = x->units[i].rank;
        j->units[i].origin_ns = x->units[i].origin_ns;
        j->units[i].end_ns = x->units[i].end_ns;
    }
    return j->units && j->waits;
}

tfp_status tfp_job_of(tfp_report *r, tfp_job *j, tfp_error *err)
{
    tfp_trace_index *x = TFP_NEW(tfp_arena_of(r), tfp_trace_index, 1);
    *j = (tfp_job){ .p = tfp_profile_of(r),
                    .s = &tfp_events_of(tfp_profile_of(r))->spans,
                    .arena = tfp_arena_of(r),
                    .step = tfp_step_of(r),
                    .r = r,
                    .x = x };
    tfp_status s = x ? tfp_trace_index_new(r, x, err) : tfp_nomem(err);
    if (s) return s;
    if (!start(j, x) || !build(j)) return tfp_nomem(err);
    uint64_t nodes = (uint64_t)j->activity_count + j->anchors.count + j->joints.size;
    if (nodes >= TFP_NONE - 2) return tfp_fail(err, TFP_LIMIT, "too many spans to replay");
    j->graph.node_count = (uint32_t)nodes;
    bool ok = tfp_job_device_edges(j) && tfp_job_hosted_edges(j) && tfp_job_sync_edges(j) && tfp_job_order(j);
    return ok ? TFP_OK : tfp_nomem(err);
}

void tfp_job_free(tfp_job *j)
{
    tfp_vec_free(&j->joints);
    tfp_vec_free(&j->graph.edges);
    tfp_map64_free(&j->events.call_by_key);
    tfp_map64_free(&j->events.stream_by_name);
}
