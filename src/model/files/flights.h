// SPDX-License-Identifier: Apache-2.0
/* model/files/flights.h: what PyTorch's flight recorder kept of each rank: its process groups and the collectives that it entered. */
#ifndef TFP_FLIGHTS_H
#define TFP_FLIGHTS_H

#include "model/tables/types.h"

typedef struct tfp_flight_dump {
    uint32_t source; /* -> the profile's sources */
    int64_t rank;    /* the number in the file's name, else its place */
} tfp_flight_dump;

typedef struct tfp_flight_group { /* as one dump knows it */
    uint32_t dump;         /* -> dumps */
    tfp_strid name, about; /* name 0: only its number is known */
    tfp_strid members;     /* "[0, 1]"; 0: not told */
    int64_t number;        /* pg_id; -1: not told */
    int64_t last;          /* number of the last collective that was enqueued; -1: not told */
} tfp_flight_group;

typedef struct tfp_flight_entry { /* a collective, in the order in which the rank entered them */
    uint32_t group;             /* -> groups */
    uint32_t trace;             /* -> traces, TFP_NONE */
    tfp_strid name, state;      /* "all_reduce", "started" */
    tfp_strid sizes, must_agree; /* of inputs and outputs as people see them, and what of them all ranks have alike */
    tfp_strid types;            /* the types, if all ranks have the same: "Float" */
    int64_t sequence;
    uint8_t done;
} tfp_flight_entry;

struct tfp_flight_tables {
    TFP_VEC(tfp_flight_dump) dumps;
    TFP_VEC(tfp_flight_group) groups;
    TFP_VEC(tfp_flight_entry) entries;
};

#endif
