// SPDX-License-Identifier: Apache-2.0
/* views/core/own_frame.h: selects the line of code that represents a call stack, and writes it. */
#ifndef TFP_OWN_FRAME_H
#define TFP_OWN_FRAME_H

#include "views/core/own_lines.h"

/* How the report chooses lines; made on first use. n NULL: the nesting is made if it is needed. NULL: out of memory. */
tfp_own_lines *tfp_own_lines_of(tfp_report *r, const tfp_nest *n);
/* Adds a note about patterns of -home that no frame of the report's profile matches. */
tfp_status tfp_note_home(tfp_report *r, tfp_error *err);

#define TFP_NO_STACK "(no stack)"

/* "FILE:LINE" of the frame of the user's own Python code that stands for a call stack (index in traces); otherwise "backward NODE", the
 * node of autograd that a C++ frame names; otherwise the innermost Python frame of a library; TFP_NO_STACK: there is none. A new text
 * is in the report's arena; data NULL: out of memory. */
tfp_str tfp_own_line(tfp_report *r, uint32_t trace);

/* "FILE:LINE:FUNCTION"; without a function "FILE:LINE". */
void tfp_put_line(tfp_buf *out, tfp_str file, int64_t line, tfp_str function);

#endif
