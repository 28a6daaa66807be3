// SPDX-License-Identifier: Apache-2.0
/* outputs/data/pprof.h: the parts of pprof's writer. */
#ifndef TFP_PPROF_H
#define TFP_PPROF_H

#include "outputs/core/output.h"

struct tfp_stacks;
/* Writes sampled stacks; fails when the sink does or memory runs out. */
tfp_status tfp_pprof_stacks(const struct tfp_stacks *all, tfp_sink *s, tfp_error *err);

#endif
