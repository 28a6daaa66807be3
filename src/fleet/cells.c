// SPDX-License-Identifier: Apache-2.0
/* fleet/cells.c: the first columns of every table of the fleet. */
#include "fleet/rows.h"

void tfp_fleet_put_key(tfp_batch *b, const tfp_fleet_run *run)
{
    tfp_batch_text(b, run->id);
    tfp_batch_text(b, run->job);
    tfp_batch_int_if(b, run->dated, run->date);
    tfp_batch_text(b, run->host);
    tfp_batch_int_if(b, run->ranked, run->rank);
}
