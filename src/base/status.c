// SPDX-License-Identifier: Apache-2.0
/* base/status.c: the version, and tfp_exit_status, which only programs built with version 0.1 use. */
#include "base/base.h"

#ifndef TFP_VERSION
#define TFP_VERSION "0"
#endif

const char *tfp_version(void) { return TFP_VERSION; }

int tfp_exit_status(tfp_status status)
{
    static const int exits[] = { [TFP_OK] = 0,        [TFP_BADFILE] = 1, [TFP_BADARG] = 2, [TFP_NOTFOUND] = 2,
                                 [TFP_BADOUTPUT] = 3, [TFP_NOMEM] = 4,   [TFP_LIMIT] = 4,  [TFP_CANCELLED] = 130 };
    return (size_t)status < sizeof exits / sizeof *exits ? exits[status] : 1;
}
