// SPDX-License-Identifier: Apache-2.0
/* fleet/index/parts.h: the names of the parts of a table. */
#ifndef TFP_FLEET_PARTS_H
#define TFP_FLEET_PARTS_H

#include "base/base.h"

typedef TFP_VEC(char *) tfp_part_names;

/* The names in OUT/TABLE that end with .parquet, sorted; none when there is no such folder. */
tfp_status tfp_part_names_read(tfp_part_names *names, const char *out, const char *table, tfp_error *err);
void tfp_part_names_free(tfp_part_names *names);

#endif
