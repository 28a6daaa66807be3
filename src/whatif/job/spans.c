// SPDX-License-Identifier: Apache-2.0
/* whatif/job/spans.c: facts about a span of the trace that a job needs. */
#include "model/span_names.h"
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

uint32_t tfp_job_span_count(const tfp_job *j) { return (uint32_t)j->s->size; }

uint32_t tfp_job_name_count(const tfp_job *j) { return (uint32_t)tfp_strings_of(j->p)->count + 1; }

bool tfp_job_frame_of(const tfp_job *j, uint32_t span, tfp_job_frame *out)
{
    uint32_t unit = j->s->kind[span] == TFP_SPAN_FRAME ? tfp_job_unit_of(j, span) : TFP_NONE;
    if (unit == TFP_NONE) return false;
    *out = (tfp_job_frame){ unit, j->s->lane[span], tfp_job_time(j, unit, j->s->start_ns[span]),
                            (double)j->s->duration_ns[span] / 1000 };
    return true;
}

bool tfp_job_frame_waits(const tfp_job *j, uint32_t span, uint8_t *known)
{
    enum { WORKS = 1, WAITS };
    uint8_t *says = &known[j->s->name[span]];
    tfp_str name = tfp_job_name(j, span);
    if (!*says) *says = name.size && name.data[0] == '<' && tfp_frame_waits(name) ? WAITS : WORKS;
    return *says == WAITS;
}
