// SPDX-License-Identifier: Apache-2.0
/* model/files/flights.h: the records of PyTorch's flight recorder for each rank: its process groups and the collectives
 * that it entered. */
#ifndef TFP_FLIGHTS_H
#define TFP_FLIGHTS_H

#include "model/tables/types.h"

#include "schema/files/flights.def"

typedef struct tfp_flight_tables {
    TFP_VEC(tfp_flight_dump) dumps;
    TFP_VEC(tfp_flight_group) groups;
    TFP_VEC(tfp_flight_entry) entries;
} tfp_flight_tables;

TFP_CONST const tfp_flight_tables *tfp_flights_of(const tfp_profile *p);

#endif
