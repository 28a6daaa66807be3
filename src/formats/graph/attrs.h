// SPDX-License-Identifier: Apache-2.0
/* formats/graph/attrs.h: AttrValue messages, decoded once when a graph is read. */
#ifndef TFP_FORMATS_ATTRS_H
#define TFP_FORMATS_ATTRS_H

#include "model/program.h"

/* Decodes an AttrValue into *out, whose name stays; what it points to is in `arena`. A value that is cut or malformed
 * inside becomes TFP_ATTR_NONE. False without memory. */
bool tfp_decode_attr(tfp_str value, tfp_arena *arena, tfp_program_attr *out);

#endif
