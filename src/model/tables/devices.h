// SPDX-License-Identifier: Apache-2.0
/* model/tables/devices.h: limits of devices, counters, and findings about a trace's data. */
#ifndef TFP_TABLES_DEVICES_H
#define TFP_TABLES_DEVICES_H

#include "model/tables/types.h"

#include "schema/traces/devices.def"

/* The first device with a name, or NULL; *others: devices of another name follow, whose peaks differ. */
const tfp_device_info *tfp_named_device(const tfp_profile *p, bool *others);

#endif
