// SPDX-License-Identifier: Apache-2.0
/* model/files/flights.h: the records of PyTorch's flight recorder for each rank: its process groups and the collectives
 * that it entered. */
#ifndef TFP_FLIGHTS_H
#define TFP_FLIGHTS_H

#include "model/tables/types.h"

typedef struct tfp_flight_dump {
    uint32_t source; /* index in the profile's sources */
    int64_t rank;    /* the number in the file's name, otherwise the index of the file */
} tfp_flight_dump;

typedef struct tfp_flight_group { /* a process group as one dump describes it */
    uint32_t dump;                /* index in dumps */
    tfp_strid name, about;        /* name 0: only its number is known */
    tfp_strid members;            /* such as "[0, 1]"; 0: unknown */
    int64_t number;               /* pg_id; -1: unknown */
    int64_t last;                 /* number of the last collective that was enqueued; -1: unknown */
} tfp_flight_group;

typedef struct tfp_flight_entry { /* a collective, in the order in which the rank entered them */
    uint32_t group;               /* index in groups */
    uint32_t trace;               /* index in traces, or TFP_NONE */
    tfp_strid name, state;        /* "all_reduce", "started" */
    tfp_strid sizes;              /* sizes of inputs and outputs, to be shown */
    tfp_strid must_agree;         /* the part of the sizes that all ranks must have in common */
    tfp_strid types;              /* the types, if all ranks must have the same: "Float" */
    int64_t sequence;
    uint8_t done;
} tfp_flight_entry;

typedef struct tfp_flight_tables {
    TFP_VEC(tfp_flight_dump) dumps;
    TFP_VEC(tfp_flight_group) groups;
    TFP_VEC(tfp_flight_entry) entries;
} tfp_flight_tables;

TFP_CONST const tfp_flight_tables *tfp_flights_of(const tfp_profile *p);

#endif
