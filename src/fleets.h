// SPDX-License-Identifier: Apache-2.0
/* fleets.h: shared by the public functions of fleets. */
#ifndef TFP_FLEETS_H
#define TFP_FLEETS_H

#include "tfprof/fleet.h"
#include "fleet/index/index.h"

tfp_fleet_read_fn tfp_fleets_read;

struct tfp_index {
    tfp_index_settings settings;
    tfp_index_counts counts;
};

#endif
