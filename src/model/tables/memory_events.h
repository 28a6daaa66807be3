// SPDX-License-Identifier: Apache-2.0
/* model/tables/memory_events.h: allocations of a trace on devices. */
#ifndef TFP_TABLES_MEMORY_EVENTS_H
#define TFP_TABLES_MEMORY_EVENTS_H

#include "model/tables/types.h"

#include "schema/traces/memory_events.def"

#endif
