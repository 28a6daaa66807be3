// SPDX-License-Identifier: Apache-2.0
/* whatif/device.h: changes towards the limits of the device: ideal calls, and chains that become one kernel. */
#ifndef TFP_WHATIF_DEVICE_H
#define TFP_WHATIF_DEVICE_H

#include "views/limits/chains.h"
#include "whatif/change.h"

typedef struct tfp_whatif_device {
    tfp_limits l;
    tfp_limit_chains chains;
    uint32_t *activity; /* by span: index in the job's activities; TFP_NONE */
    bool *fused;        /* by call: it is in a chain that became one kernel */
    bool borrowed;      /* the limits and chains belong to somebody else */
} tfp_whatif_device;

/* Whether a change needs the limits of calls. */
bool tfp_change_of_device(const tfp_change *c);
/* Finds the limits, once; or takes those that are known. Errors: as tfp_limits_of. TFP_BADFILE: the device is unknown. */
tfp_status tfp_whatif_device_of(tfp_whatif *w, tfp_error *err);
tfp_status tfp_whatif_device_given(tfp_whatif *w, const tfp_limits *l, const tfp_limit_chains *chains, tfp_error *err);
void tfp_whatif_device_free(tfp_whatif *w);

/* Each activity of a judged call lasts as long as its part of the call's ideal time, unless it is shorter already. */
void tfp_apply_ideal_device(tfp_whatif *w);
/* Each chain of which the text, the type of module or the line matches becomes one activity; an empty pattern: every
 * chain. Sets changer.found. False: out of memory. */
bool tfp_apply_fuse(tfp_whatif *w, tfp_str pattern);

#endif
