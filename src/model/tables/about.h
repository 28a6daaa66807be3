// SPDX-License-Identifier: Apache-2.0
/* model/tables/about.h: single values of a profile. */
#ifndef TFP_TABLES_ABOUT_H
#define TFP_TABLES_ABOUT_H

#include "model/tables/types.h"

#include "schema/about.def"

TFP_CONST const tfp_profile_about *tfp_about_of(const tfp_profile *p);
tfp_step_choice tfp_kept_choice(const tfp_profile *p); /* with TFP_READS_ONE_STEP */

#endif
