// SPDX-License-Identifier: Apache-2.0
/* views/limits/limits.c: finds and judges the calls of a trace, for the table `limits` and all that asks for limits. */
#include "views/limits/limits.h"
#include "views/spans/trace.h"
#include "model/tables/events.h"
#include "model/tables/read.h"
#include "views/core/handle.h"

static tfp_status refuse(const tfp_limits *l, const char *why, tfp_error *err)
{
    return tfp_within_file(err, tfp_fail(err, TFP_BADFILE, "%s", why), tfp_first_source(l->p));
}

int64_t tfp_limit_start(const tfp_limits *l, const tfp_limit_call *c)
{
    uint32_t span = c->op != TFP_NONE ? c->op : l->s->launch[l->parts.at[c->first].span];
    return span == TFP_NONE ? INT64_MAX : l->s->start_ns[span];
}

tfp_strid tfp_limit_part_name(const tfp_limits *l, uint32_t part) { return l->s->name[l->parts.at[part].span]; }

static bool find_forwards(tfp_limits *l)
{
    const tfp_event_tables *e = tfp_events_of(l->p);
    for (size_t i = 0; i < e->flows.size; i++) {
        const tfp_flow *f = &e->flows.at[i];
        if (f->kind == TFP_FLOW_BACKWARD && !tfp_map64_put(&l->forward_of, f->to, f->from)) return false;
    }
    return true;
}

uint32_t tfp_limits_forward(const tfp_limits *l, uint32_t span)
{
    enum { LEVELS = 256 };
    for (int i = 0; l->forward_of.count && span != TFP_NONE && i < LEVELS; i++, span = l->s->parent[span]) {
        uint32_t forward = tfp_map64_get(&l->forward_of, span);
        if (forward != TFP_NONE) return forward;
    }
    return TFP_NONE;
}

tfp_status tfp_limits_of_any(tfp_report *r, const tfp_trace_index *x, tfp_limits *out, tfp_error *err)
{
    const tfp_profile *p = tfp_profile_of(r);
    *out = (tfp_limits){ .r = r, .p = p, .s = &tfp_events_of(p)->spans, .x = x };
    tfp_status s = tfp_limit_peaks_of(r, &out->peaks, err);
    if (s) return s;
    if (!find_forwards(out) || !tfp_limits_find_memory(out) || !tfp_limits_find_calls(out) || !tfp_limits_find_ids(out))
        return tfp_nomem(err);
    int64_t ns = 0;
    for (size_t i = 0; i < out->calls.size; i++) ns = tfp_add(ns, out->calls.at[i].ns, NULL);
    if (!ns) return refuse(out, "no activity of a device: limits need a trace of a device", err);
    tfp_limits_judge(out);
    return TFP_OK;
}

tfp_status tfp_limits_of(tfp_report *r, const tfp_trace_index *x, tfp_limits *out, tfp_error *err)
{
    tfp_status s = tfp_limits_of_any(r, x, out, err);
    if (s || tfp_aten_has_shapes(out->p)) return s;
    return refuse(out, "no shapes of inputs: record with torch.profiler.profile(record_shapes=True)", err);
}

void tfp_limits_free(tfp_limits *l)
{
    tfp_vec_free(&l->parts);
    tfp_vec_free(&l->calls);
    tfp_vec_free(&l->kinds);
    tfp_vec_free(&l->inputs);
    tfp_vec_free(&l->dims);
    tfp_map64_free(&l->forward_of);
    tfp_limits_free_ids(l);
    free(l->call_of);
}
