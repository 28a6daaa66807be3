// SPDX-License-Identifier: Apache-2.0
/* registry.h: the lists of registry.c, each ended by NULL; the list of checkers is in advise/checker.h. */
#ifndef TFP_REGISTRY_H
#define TFP_REGISTRY_H

#include "advise/checker.h"
#include "formats/files/format.h"
#include "outputs/core/output.h"
#include "views/core/view.h"

extern const tfp_format *const tfp_formats[];
extern const tfp_view *const tfp_views[];
extern const tfp_output_format *const tfp_outputs[];

const tfp_format *tfp_format_find(const char *name);
const tfp_view *tfp_view_find(const char *name);
const tfp_output_format *tfp_output_find(const char *name);

#endif
