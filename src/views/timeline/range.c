// SPDX-License-Identifier: Apache-2.0
/* views/timeline/range.c: a report of a part of the recording is the report of a cut of the profile (model/join/cut.h). Moments count from
 * the first start of the timeline, in which files with clocks of their own stand side by side. */
#include "views/timeline/range.h"
#include "views/core/engine.h"
#include "views/timeline/timeline.h"

#include <stdlib.h>

/* The first start, with what the timeline moves each process by. */
static int64_t origin_of(const tfp_timeline *t)
{
    const tfp_span_columns *s = &t->p->events.spans;
    int64_t first = INT64_MAX;
    for (uint32_t i = 0; i < s->size; i++) {
        uint32_t process = t->p->lanes.at[s->lane[i]].process;
        int64_t start = tfp_add(s->start_ns[i], process == TFP_NONE ? 0 : t->offset_ns[process], NULL);
        if (start < first) first = start;
    }
    return s->size ? first : 0;
}

tfp_status tfp_range_cut(const tfp_profile *whole, tfp_arena *a, int64_t from_ns, int64_t to_ns, tfp_cut *out,
                         tfp_error *err)
{
    tfp_timeline t = { .p = whole };
    size_t count = whole->events.processes.size;
    out->from_ns = TFP_NEW(a, int64_t, count + 1);
    out->to_ns = TFP_NEW(a, int64_t, count + 1);
    bool ok = tfp_timeline_set_clocks(&t) && out->from_ns && out->to_ns;
    int64_t origin = ok ? origin_of(&t) : 0;
    for (size_t i = 0; ok && i < count; i++) {
        int64_t zero = tfp_add(origin, -t.offset_ns[i], NULL);
        out->from_ns[i] = tfp_add(zero, from_ns, NULL);
        out->to_ns[i] = tfp_add(zero, to_ns, NULL);
    }
    ok = ok && tfp_cut_make(whole, a, out);
    free(t.offset_ns);
    return ok ? TFP_OK : tfp_nomem(err);
}

tfp_status tfp_report_cut(tfp_report *r, tfp_error *err)
{
    const tfp_moments *range = &r->options->range;
    if (!range->given) return TFP_OK;
    if (!r->profile->events.processes.size)
        return tfp_fail(err, TFP_NOTFOUND, "a range needs a trace of events: it has no times of single runs");
    if (tfp_only_sums(r->profile)) return tfp_no_spans(err);
    tfp_cut *cut = TFP_NEW(&r->arena, tfp_cut, 1);
    if (!cut) return tfp_nomem(err);
    tfp_status s = tfp_range_cut(r->profile, &r->arena, range->from_ns, range->to_ns, cut, err);
    if (s) return s;
    r->cut = cut;
    r->profile = &cut->p;
    return TFP_OK;
}
