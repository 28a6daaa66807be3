// SPDX-License-Identifier: Apache-2.0
/* watch/record/ras.h: what NCCL's RAS tells of the ranks of a job. Not run with NCCL: tested with a server of our own. */
#ifndef TFP_WATCH_RAS_H
#define TFP_WATCH_RAS_H

#include "watch/record/record.h"

void watch_ras_tick(watch_recorder *r, int64_t now_ns); /* each second; sets `ras` of the processes */
void watch_ras_end(watch_recorder *r);                  /* waits for what was asked, at most 2 s */

#endif
