// SPDX-License-Identifier: Apache-2.0
/* formats/graph/attrs.h: AttrValue messages, decoded once when a graph is read. */
#ifndef TFP_FORMATS_ATTRS_H
#define TFP_FORMATS_ATTRS_H

#include "model/program.h"

/* Decodes an AttrValue into *out, whose name is kept; everything that it points to is in `arena`. A value that is cut
 * off or malformed becomes TFP_ATTR_NONE. False: out of memory. */
bool tfp_decode_attr(tfp_str value, tfp_arena *arena, tfp_program_attr *out);

#endif
