// SPDX-License-Identifier: Apache-2.0
/* views/core/own_frame.h: selects the line of code that represents a call stack, and writes it. */
#ifndef TFP_OWN_FRAME_H
#define TFP_OWN_FRAME_H

#include "model/tables/types.h"

/* Whether a file is a library's or generated, as -library_regexes or our own list has it. */
bool tfp_is_library_here(const tfp_report *r, tfp_str file);

#define TFP_NO_STACK "(no stack)"

/* "FILE:LINE" of the innermost frame of the user's own Python code in a call stack (index in traces); otherwise "backward NODE", the
 * node of autograd that a C++ frame names; otherwise the innermost Python frame of a library; TFP_NO_STACK: there is none. A new text
 * is in the report's arena; data NULL: out of memory. */
tfp_str tfp_own_line(tfp_report *r, uint32_t trace);

/* "FILE:LINE:FUNCTION"; without a function "FILE:LINE". */
void tfp_put_line(tfp_buf *out, tfp_str file, int64_t line, tfp_str function);

#endif
