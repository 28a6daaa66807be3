// SPDX-License-Identifier: Apache-2.0
/* formats/xplane/tell.c: the reader's first fault, and its warnings about a file. */
#include "formats/xplane/parts.h"

void tfp_xplane_tell(tfp_xreader *r, const char *severity, const char *what, tfp_str example)
{
    tfp_build_warn(r->b, what, example);
    tfp_build_data_finding(r->b, severity, what, 1, example);
}
