// SPDX-License-Identifier: Apache-2.0
/* live/stacks/rank_processes.h: the processes of the ranks of a job. */
#ifndef TFP_LIVE_RANK_PROCESSES_H
#define TFP_LIVE_RANK_PROCESSES_H

#include "base/base.h"

typedef TFP_VEC(int64_t) tfp_rank_pids;
/* Numbers of processes that have ended, or never were. */
typedef struct tfp_rank_gone {
    size_t count;
    char why[120]; /* the error about the first one */
} tfp_rank_gone;
/* The processes that words mean; without words all ranks. gone: counts words instead of failing, if others mean
 * processes; NULL: fails. */
tfp_status tfp_rank_processes(const char *const *words, size_t count, tfp_rank_pids *out, tfp_rank_gone *gone,
                              tfp_error *err);

#endif
