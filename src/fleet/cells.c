// SPDX-License-Identifier: Apache-2.0
/* fleet/cells.c: the first columns of every table of the fleet; dates and times as text. */
#include "fleet/rows.h"

#include <stdio.h>
#include <time.h>

void tfp_fleet_put_key(tfp_batch *b, const tfp_fleet_run *run)
{
    tfp_batch_text(b, run->id);
    tfp_batch_text(b, run->job);
    tfp_batch_int_if(b, run->dated, run->date);
    tfp_batch_text(b, run->host);
    tfp_batch_int_if(b, run->ranked, run->rank);
}

tfp_str tfp_fleet_time(tfp_cell_type type, int64_t n, bool fine, char out[TFP_TIME_TEXT])
{
    int64_t seconds = type == TFP_CELL_DATE ? tfp_mul(n, 86400, NULL) : n / 1000000 - (n % 1000000 < 0);
    time_t at = (time_t)seconds;
    struct tm utc;
    if (!gmtime_r(&at, &utc)) return (tfp_str){ 0 };
    size_t size = strftime(out, TFP_TIME_TEXT, type == TFP_CELL_DATE ? "%Y-%m-%d" : "%Y-%m-%dT%H:%M:%S", &utc);
    if (type == TFP_CELL_TIME && fine)
        size += (size_t)snprintf(out + size, TFP_TIME_TEXT - size, ".%06d", (int)(n - seconds * 1000000));
    if (type == TFP_CELL_TIME) size += (size_t)snprintf(out + size, TFP_TIME_TEXT - size, "Z");
    return (tfp_str){ out, size };
}
