// SPDX-License-Identifier: Apache-2.0
/* whatif/gains.h: the gains of single changes, as `tfprof whatif` predicts them, for other views. */
#ifndef TFP_WHATIF_GAINS_H
#define TFP_WHATIF_GAINS_H

#include "views/core/handle.h"

/* For each change, as it is typed ("input 0"): by how much a step becomes shorter, in microseconds. NAN: the replay
 * cannot predict it, because it is off by over 5 %, there is no step, or the change compares ranks and there is only
 * one. */
tfp_status tfp_whatif_gains(tfp_report *r, const char *const *changes, size_t count, double *gains, tfp_error *err);

#endif
