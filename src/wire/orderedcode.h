// SPDX-License-Identifier: Apache-2.0
/* wire/orderedcode.h: keys whose byte order is the order of their values. Checkpoints use them for the names of a
 * tensor's slices. */
#ifndef TFP_ORDEREDCODE_H
#define TFP_ORDEREDCODE_H

#include "base/base.h"

void tfp_put_ordered_uint(tfp_buf *b, uint64_t v);
void tfp_put_ordered_int(tfp_buf *b, int64_t v);
void tfp_put_ordered_bytes(tfp_buf *b, tfp_str s);

#endif
