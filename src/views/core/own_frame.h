// SPDX-License-Identifier: Apache-2.0
/* views/core/own_frame.h: selects the line of code that represents a call stack, and writes it. */
#ifndef TFP_OWN_FRAME_H
#define TFP_OWN_FRAME_H

#include "model/tables/types.h"

/* "FILE:LINE" of the innermost frame of the user's own Python code in a call stack (index in traces), otherwise of the innermost
 * Python frame; "(no line)": there is none. A new text is in the arena; data NULL: out of memory. */
tfp_str tfp_own_line(const tfp_profile *p, uint32_t trace, tfp_arena *arena);

/* "FILE:LINE:FUNCTION"; without a function "FILE:LINE". */
void tfp_put_line(tfp_buf *out, tfp_str file, int64_t line, tfp_str function);

#endif
