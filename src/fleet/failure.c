// SPDX-License-Identifier: Apache-2.0
/* fleet/failure.c: the rows for files from which no run could be read. */
#include "fleet/read.h"

const char *const tfp_fleet_codes[TFP_FLEET_CODES] = { "",           "empty", "format",  "damaged", "missing",
                                                       "unreadable", "limit", "timeout", "crash",   "duplicate" };

void tfp_fleet_put_failure(tfp_batch *b, const tfp_fleet_failure *f)
{
    tfp_batch_text(b, f->path);
    tfp_batch_int_if(b, f->size != INT64_MIN, f->size);
    tfp_batch_int_if(b, f->mtime_us != INT64_MIN, f->mtime_us);
    tfp_batch_text(b, tfp_str_of(tfp_fleet_codes[f->code]));
    tfp_batch_text(b, f->message);
    tfp_batch_int_if(b, f->signal != 0, f->signal);
    tfp_batch_int(b, f->attempts);
    tfp_batch_text(b, f->run);
    tfp_batch_int(b, tfp_unix_micros());
}
