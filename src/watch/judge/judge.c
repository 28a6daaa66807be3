// SPDX-License-Identifier: Apache-2.0
/* watch/judge/judge.c: the ranks that are watched, and the rules that look at them. */
#include "watch/judge/judge.h"

struct tfp_watch_judge {
    void (*found)(void *ctx, const tfp_watch_rank *rank, const tfp_watch_finding *f);
    void *ctx;
};

tfp_status tfp_watch_judge_new(void (*found)(void *ctx, const tfp_watch_rank *rank, const tfp_watch_finding *f),
                               void *ctx, tfp_watch_judge **out, tfp_error *err)
{
    tfp_watch_judge *j = calloc(1, sizeof *j);
    *out = j;
    if (!j) return tfp_nomem(err);
    j->found = found;
    j->ctx = ctx;
    return TFP_OK;
}

void tfp_watch_judge_free(tfp_watch_judge *j) { free(j); }

tfp_status tfp_watch_judge_step(tfp_watch_judge *j, const tfp_watch_rank *rank, const tfp_watch_step *step,
                                tfp_error *err)
{
    (void)j, (void)rank, (void)step, (void)err;
    return TFP_OK;
}

tfp_status tfp_watch_judge_tick(tfp_watch_judge *j, const tfp_watch_fact *facts, size_t count, int64_t now_us,
                                int64_t unix_us, tfp_error *err)
{
    (void)j, (void)facts, (void)count, (void)now_us, (void)unix_us, (void)err;
    return TFP_OK;
}
