// SPDX-License-Identifier: Apache-2.0
/* views/core/own_frame.h: lines of code: which one a call stack is told by, and how a line is written. */
#ifndef TFP_OWN_FRAME_H
#define TFP_OWN_FRAME_H

#include "model/model.h"

/* The innermost frame of the user's own Python code in a call stack (-> traces), else the innermost of Python; NULL: there is none. */
const tfp_code_frame *tfp_own_frame(const tfp_profile *p, uint32_t trace);

/* "FILE:LINE:FUNCTION"; without a function "FILE:LINE". */
void tfp_put_line(tfp_buf *out, tfp_str file, int64_t line, tfp_str function);

#endif
