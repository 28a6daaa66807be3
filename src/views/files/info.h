// SPDX-License-Identifier: Apache-2.0
/* views/files/info.h: the parts of the view info that have files of their own. */
#ifndef TFP_INFO_H
#define TFP_INFO_H

#include "views/core/handle.h"

/* Adds the commands that fit these files, and the questions that they answer, as a part of the report. `parameters`: the files
 * have parameters. TFP_NOMEM. */
tfp_status tfp_info_next(tfp_report *r, bool parameters, tfp_error *err);

#endif
