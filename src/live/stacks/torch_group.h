// SPDX-License-Identifier: Apache-2.0
/* live/stacks/torch_group.h: the process group of the collective that a process is in. */
#ifndef TFP_LIVE_TORCH_GROUP_H
#define TFP_LIVE_TORCH_GROUP_H

#include "base/base.h"

typedef struct tfp_torch_group {
    tfp_buf name;
    TFP_VEC(int64_t) ranks; /* its members, sorted */
} tfp_torch_group;

/* world: how many ranks the job has; TFP_ABSENT unknown. False: the group is unknown; `out` is to be freed in any case.
 */
bool tfp_torch_group_read(int64_t pid, int64_t world, tfp_torch_group *out);
void tfp_torch_group_free(tfp_torch_group *g);

#endif
