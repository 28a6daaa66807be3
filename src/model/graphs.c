// SPDX-License-Identifier: Apache-2.0
/* model/graphs.c: looks up how certain the place of an activity is. */
#include "model/graphs.h"
#include "model/tables/events.h"
#include "model/tables/lanes.h"
#include "model/tables/profile.h"

bool tfp_is_graph_launch(tfp_str call) { return tfp_str_has(call, TFP_STR("GraphLaunch")); }

bool tfp_begins_capture(tfp_str call) { return tfp_str_has(call, TFP_STR("StreamBeginCapture")); }

bool tfp_has_captures(const tfp_profile *p)
{
    const tfp_span_columns *s = &p->events->spans;
    for (uint32_t i = 0; i < s->size; i++)
        if (s->kind[i] == TFP_SPAN_CALL && tfp_begins_capture(tfp_text(p, s->name[i]))) return true;
    return false;
}

tfp_certainty tfp_certainty_of_own(const tfp_profile *p, uint32_t lane, tfp_strid path)
{
    return path && tfp_is_tpu(tfp_text(p, p->lanes->at[lane].device)) ? TFP_SURE_BY_ID : TFP_SURE_BY_LAUNCH;
}

tfp_attribution tfp_span_attribution(const tfp_profile *p, uint32_t span)
{
    const tfp_span_columns *s = &p->events->spans;
    if (s->attribution[span] != TFP_NONE) return p->events->attributions.at[s->attribution[span]];
    tfp_attribution a = tfp_attribution_none(TFP_NO_LAUNCH);
    if (!s->path[span] && s->owner[span] == TFP_NONE) return a;
    a.certainty = (uint8_t)tfp_certainty_of_own(p, s->lane[span], s->path[span]);
    a.reason = TFP_PLACE_KNOWN;
    return a;
}

uint32_t tfp_span_work(const tfp_profile *p, uint32_t span)
{
    const tfp_span_columns *s = &p->events->spans;
    uint32_t told = s->attribution[span];
    uint32_t stats = told == TFP_NONE ? TFP_NONE : p->events->attributions.at[told].stats;
    return stats == TFP_NONE ? s->stats[span] : stats;
}

void tfp_graphs_drop_own(tfp_graph_tables *g)
{
    g->captured.size = g->file_graphs;
    g->launches.size = g->file_launches;
    g->calls.size = g->file_calls;
}
