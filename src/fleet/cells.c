// SPDX-License-Identifier: Apache-2.0
/* fleet/cells.c: what all rows of the fleet's tables need: the columns that they begin with, and the report that they are made of. */
#include "fleet/views.h"

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

tfp_status tfp_fleet_report(const tfp_profile *p, const tfp_view *view, const char *const *set, tfp_report **out,
                            tfp_error *err)
{
    tfp_options *o = tfp_options_new();
    tfp_status s = o ? TFP_OK : tfp_nomem(err);
    *out = NULL;
    for (; !s && set && *set; set += 2) s = tfp_options_set(o, set[0], set[1], err);
    if (!s) s = tfp_view_build(p, view, o, out, err);
    tfp_options_free(o);
    if (s != TFP_NOTFOUND) return s;
    tfp_error_clear(err); /* the trace has nothing that this view shows */
    return TFP_OK;
}
