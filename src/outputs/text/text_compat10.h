// SPDX-License-Identifier: Apache-2.0
/* outputs/text/text_compat10.h: the text of TensorFlow 1.0's scope and graph views. */
#ifndef TFP_TEXT_COMPAT10_H
#define TFP_TEXT_COMPAT10_H

#include "outputs/core/output.h"

tfp_status tfp_text_compat10(const tfp_report *r, tfp_sink *s, tfp_error *err);

#endif
