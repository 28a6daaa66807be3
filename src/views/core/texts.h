// SPDX-License-Identifier: Apache-2.0
/* views/core/texts.h: parts of a profile as texts, appended to a buffer. */
#ifndef TFP_VIEW_TEXTS_H
#define TFP_VIEW_TEXTS_H

#include "model/tables/types.h"

/* Whether times have digits below the microsecond. */
bool tfp_fine_times(const tfp_profile *p);
/* A lane as texts name it: of a thread whose number says nothing (negative, an address) the name that the file gives it. */
void tfp_lane_put(const tfp_profile *p, uint32_t lane, tfp_buf *out);
/* The input shapes of a node as "0:32x10|1:unknown", a shape as "3x3x16" ("" when unknown or absent). */
void tfp_node_input_shapes(const tfp_profile *p, uint32_t node, const char *separator, tfp_buf *out);
void tfp_shape_text(const tfp_profile *p, uint32_t shape, tfp_buf *out);

#endif
