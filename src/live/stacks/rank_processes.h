// SPDX-License-Identifier: Apache-2.0
/* live/stacks/rank_processes.h: the processes of the ranks of a job. */
#ifndef TFP_LIVE_RANK_PROCESSES_H
#define TFP_LIVE_RANK_PROCESSES_H

#include "base/base.h"

typedef TFP_VEC(int64_t) tfp_rank_pids;
/* The processes that words mean; without words all ranks. *whole: all ranks of a job on this machine were looked for. */
tfp_status tfp_rank_processes(const char *const *words, size_t count, tfp_rank_pids *out, bool *whole, tfp_error *err);

#endif
