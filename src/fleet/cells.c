// SPDX-License-Identifier: Apache-2.0
/* fleet/cells.c: the columns that all rows of the fleet's tables begin with. */
#include "fleet/rows.h"

static void put_known(tfp_batch *b, bool known, int64_t n)
{
    if (known)
        tfp_batch_int(b, n);
    else
        tfp_batch_none(b);
}

void tfp_fleet_put_key(tfp_batch *b, const tfp_fleet_run *run)
{
    tfp_batch_text(b, run->id);
    tfp_batch_text(b, run->job);
    put_known(b, run->dated, run->date);
    tfp_batch_text(b, run->host);
    put_known(b, run->ranked, run->rank);
}
