// SPDX-License-Identifier: Apache-2.0
/* advise/device_limits.h: how far a trace's calls are from what their device can do, for the rules about that. */
#ifndef TFP_ADVISE_DEVICE_LIMITS_H
#define TFP_ADVISE_DEVICE_LIMITS_H

#include "views/limits/chains.h"
#include "views/limits/shapes.h"
#include "views/trace/facts.h"

typedef struct tfp_device_limits {
    tfp_limits l;
    bool borrowed; /* l is of the report around this one */
    tfp_limit_chains chains;
    tfp_limit_chain_row *chain_rows; /* biggest gain first */
    tfp_limit_shape_row *shape_rows; /* biggest loss first */
    size_t shape_count;
    double judged_share; /* of the device's time */
} tfp_device_limits;

/* Finds them in the report's arena; *out NULL: the trace has no shapes or no device. Freed by tfp_device_limits_free. */
tfp_status tfp_device_limits_of(tfp_report *r, const tfp_trace_facts *f, tfp_device_limits **out, tfp_error *err);
void tfp_device_limits_free(tfp_device_limits *d);

#endif
