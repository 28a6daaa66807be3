// SPDX-License-Identifier: Apache-2.0
/* compare/vendors.h: names that two vendors of devices give to the same thing: API calls, and the numbers of devices. */
#ifndef TFP_VENDORS_H
#define TFP_VENDORS_H

#include "query/groups.h"
#include "model/tables/types.h"

/* Whether one profile calls CUDA and the other HIP. */
bool tfp_vendors_differ(const tfp_profile *a, const tfp_profile *b);
/* A call without the vendor's prefix: cudaMemcpyAsync, hipMemcpyAsync, cuMemcpyAsync are MemcpyAsync, all that launch a kernel are
 * LaunchKernel; other names are as they are. */
tfp_str tfp_call_without_vendor(tfp_str name);

/* The nodes of a profile by name. */
typedef struct tfp_twins {
    const tfp_profile *of;
    tfp_groups calls; /* by path without the vendor's prefix; only where vendors differ */
} tfp_twins;
bool tfp_twins_of(const tfp_profile *p, bool vendors, tfp_arena *a, tfp_twins *out); /* false: out of memory */
/* The node with the name of another profile's node; TFP_NONE: none. */
uint32_t tfp_twin_of(tfp_twins *t, const tfp_profile *p, uint32_t node, tfp_arena *a);
void tfp_twins_free(tfp_twins *t);

/* The device of `to` that stands at the same place among its devices as that one does; the name itself if there is none, or if it is
 * no numbered device of a trace. */
tfp_str tfp_device_twin(const tfp_profile *from, tfp_str device, const tfp_profile *to);

#endif
