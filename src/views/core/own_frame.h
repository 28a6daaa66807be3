// SPDX-License-Identifier: Apache-2.0
/* views/core/own_frame.h: lines of code: which one a call stack is told by, and how a line is written. */
#ifndef TFP_OWN_FRAME_H
#define TFP_OWN_FRAME_H

#include "model/tables/types.h"

/* "FILE:LINE" of the innermost frame of the user's own Python code in a call stack (-> traces), else of the innermost of Python;
 * "(no line)": there is none. A new text stands in the arena; no data without memory. */
tfp_str tfp_own_line(const tfp_profile *p, uint32_t trace, tfp_arena *arena);

/* "FILE:LINE:FUNCTION"; without a function "FILE:LINE". */
void tfp_put_line(tfp_buf *out, tfp_str file, int64_t line, tfp_str function);

#endif
