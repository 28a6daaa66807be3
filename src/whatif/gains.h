// SPDX-License-Identifier: Apache-2.0
/* whatif/gains.h: what `tfprof whatif` says that single changes gain, for other views. */
#ifndef TFP_WHATIF_GAINS_H
#define TFP_WHATIF_GAINS_H

#include "views/core/handle.h"

/* Of each change as it is typed ("input 0"): how much shorter a step gets, in microseconds; NAN where the replay cannot tell: it is
 * off by over 5 %, there is no step, or ranks are to be compared and there is one. */
tfp_status tfp_whatif_gains(tfp_report *r, const char *const *changes, size_t count, double *gains, tfp_error *err);

#endif
