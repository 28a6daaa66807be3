// SPDX-License-Identifier: Apache-2.0
/* model/launches.h: finds the API calls of a trace with compact lanes (model/tables/compact.h) by the number that joins them to
 * activities. Writers count these numbers up, so a table by number, of which only pages with calls are stored, is
 * nearly always small and is read in the order of the file. Numbers that are far apart are found by hash. */
#ifndef TFP_LAUNCHES_H
#define TFP_LAUNCHES_H

#include "model/tables/types.h"

typedef struct tfp_profile tfp_profile;

#define TFP_LAUNCH_COLLECTIVE (UINT32_C(1) << 31) /* bit of `kind`: the op around the call is a collective */
/* bit of `kind`: the entry holds a call; an entry of zeros is empty */
#define TFP_LAUNCH_THERE (UINT32_C(1) << 30)
#define TFP_LAUNCH_SPAN (UINT32_MAX >> 2) /* value of the other bits of `kind`: `of` is a span */
#define TFP_LAUNCH_LONG UINT32_MAX
typedef struct tfp_launch {
    int64_t start_ns;
    uint32_t of;   /* the duration of a compact row; TFP_LAUNCH_LONG: its end is in `ends` */
    uint32_t kind; /* index in kinds, and the bits above; 0: there is no call */
} tfp_launch;

/* the range of a process's numbers: of small ones, or of those in tfp_build_key's table */
typedef struct tfp_launch_range {
    uint32_t low, high; /* high 0: none */
    size_t first;       /* index in pages */
} tfp_launch_range;

typedef struct tfp_launches {
    tfp_launch_range *ranges; /* two for each process */
    uint32_t *pages;          /* page number -> index in at, in pages; TFP_NONE: no number there */
    tfp_launch *at;           /* entries of pages; with `sparse`, indexed by its values */
    bool paged;
    tfp_map64 sparse, long_by_number; /* process << 32 | number -> index in at, ends */
    TFP_VEC(int64_t) ends;
    uint8_t *tells; /* for each compact kind: the class of an activity that such a call launched (tfp_class_of_call) */
    bool any;       /* some calls of this trace tell the class of their activities, or that these are collectives */
} tfp_launches;

/* NULL: out of memory. */
tfp_launches *tfp_launches_new(const tfp_profile *p, const uint32_t *cpu_op_above);
void tfp_launches_free(tfp_launches *l);
/* The call with that number that starts first; NULL: there is none, the number is 0, or there are no calls at all. */
const tfp_launch *tfp_launch_of(const tfp_launches *l, uint32_t process, uint32_t number);
int64_t tfp_launch_end(const tfp_profile *p, const tfp_launches *l, const tfp_launch *launch, uint64_t key);
/* The class of an activity with that call. */
uint8_t tfp_launch_class(const tfp_launches *l, const tfp_launch *launch, uint8_t class);
static inline uint32_t tfp_launch_kind(const tfp_launch *l) { return l->kind & TFP_LAUNCH_SPAN; }

#endif
