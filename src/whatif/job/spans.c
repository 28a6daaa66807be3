// SPDX-License-Identifier: Apache-2.0
/* whatif/job/spans.c: facts about a span of the trace that a job needs. */
#include "model/tables/lanes.h"
#include "model/tables/read.h"
#include "model/tables/spans.h"
#include "whatif/job/job.h"

uint32_t tfp_job_unit_of(const tfp_job *j, uint32_t span)
{
    uint32_t process = tfp_lanes_of(j->p)->at[j->s->lane[span]].process;
    return process == TFP_NONE ? TFP_NONE : j->unit_of_process[process];
}

bool tfp_job_is_host(const tfp_job *j, uint32_t span)
{
    return j->s->kind[span] >= TFP_SPAN_OP && j->s->kind[span] <= TFP_SPAN_STEP;
}

tfp_str tfp_job_name(const tfp_job *j, uint32_t span) { return tfp_text(j->p, j->s->name[span]); }
