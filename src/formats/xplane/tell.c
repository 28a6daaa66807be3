// SPDX-License-Identifier: Apache-2.0
/* formats/xplane/tell.c: the reader's first fault, and its warnings about a file. */
#include "formats/xplane/parts.h"

bool tfp_xplane_ok(tfp_xreader *r, bool fine)
{
    if (!fine && !r->b->status) r->b->status = TFP_NOMEM;
    return !r->b->status;
}

void tfp_xplane_tell(tfp_xreader *r, const char *severity, const char *what, tfp_str example)
{
    tfp_build_warn(r->b, what, example);
    tfp_build_data_finding(r->b, severity, what, 1, example);
}
