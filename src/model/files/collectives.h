// SPDX-License-Identifier: Apache-2.0
/* model/files/collectives.h: collectives for which only the duration was recorded: lines of NCCL's inspector. */
#ifndef TFP_COLLECTIVES_H
#define TFP_COLLECTIVES_H

#include "model/tables/types.h"

#include "schema/files/collectives.def"

typedef struct tfp_timed_list {
    TFP_VEC(tfp_timed_collective);
} tfp_timed_list;
TFP_CONST const tfp_timed_list *tfp_timed_of(const tfp_profile *p);

#endif
