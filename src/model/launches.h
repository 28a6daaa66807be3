// SPDX-License-Identifier: Apache-2.0
/* model/launches.h: the API calls of a trace with slim lanes (model/slim.h), by the number that joins them to activities. Writers
 * count these numbers up, so nearly always a table by number of which only the pages with calls are kept is small, and is read
 * in the order of the file. Numbers that are far apart are found by hash. */
#ifndef TFP_LAUNCHES_H
#define TFP_LAUNCHES_H

#include "model/tables/types.h"

typedef struct tfp_profile tfp_profile;

#define TFP_LAUNCH_COLLECTIVE (UINT32_C(1) << 31) /* of `kind`: the op around the call is a collective */
#define TFP_LAUNCH_THERE (UINT32_C(1) << 30)      /* the entry holds a call; an entry of zeros is empty */
#define TFP_LAUNCH_SPAN (UINT32_MAX >> 2)         /* the other bits of `kind`: `of` is a span */
typedef struct tfp_launch {
    int64_t start_ns;
    uint32_t of;   /* of a row its duration; TFP_SLIM_LONG: it is in `ends` */
    uint32_t kind; /* -> slim_kinds, and the bits above; 0: there is no call */
} tfp_launch;

typedef struct tfp_launch_range { /* numbers of a process: small ones, or those of tfp_build_key's table */
    uint32_t low, high;           /* high 0: none */
    size_t first;                 /* -> pages */
} tfp_launch_range;

typedef struct tfp_launches {
    tfp_launch_range *ranges; /* two a process */
    uint32_t *pages;          /* -> at, in pages; TFP_NONE: no number there */
    tfp_launch *at;           /* by page; by place in `sparse` when that is in use */
    bool paged;
    tfp_map64 sparse, long_by_number; /* process << 32 | number -> at, ends */
    TFP_VEC(int64_t) ends;
    uint8_t
        *tells; /* by slim kind: the class that an activity has of being launched by such a call (tfp_class_of_call) */
    bool any;   /* some calls of this trace tell the class of what they launch, or that it is a collective */
} tfp_launches;

/* NULL without memory. */
tfp_launches *tfp_launches_new(const tfp_profile *p, const uint32_t *cpu_op_above);
void tfp_launches_free(tfp_launches *l);
/* The first to start of the calls with that number; NULL: there is none, the number is 0, or there are no calls at all. */
const tfp_launch *tfp_launch_of(const tfp_launches *l, uint32_t process, uint32_t number);
int64_t tfp_launch_end(const tfp_profile *p, const tfp_launches *l, const tfp_launch *launch, uint64_t key);
/* The class of an activity with that call. */
uint8_t tfp_launch_class(const tfp_launches *l, const tfp_launch *launch, uint8_t class);
static inline uint32_t tfp_launch_kind(const tfp_launch *l) { return l->kind & TFP_LAUNCH_SPAN; }

#endif
