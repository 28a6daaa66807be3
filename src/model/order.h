// SPDX-License-Identifier: Apache-2.0
/* model/order.h: sorting by 64-bit keys, and the order in which the spans of a lane nest. */
#ifndef TFP_ORDER_H
#define TFP_ORDER_H

#include "model/tables/types.h"

/* Sorts items by their keys; stable. Nearly sorted items take one pass. False: out of memory. */
bool tfp_sort_keys(uint32_t *items, size_t count, const uint64_t *keys);

/* Sorts all spans by lane, start, longest first, position in the file: containers come before their contents. `order`
 * has room for all spans. lane_first has room for two more than the lanes: where each lane begins, and one more at the
 * end. False: out of memory. */
bool tfp_order_spans(const tfp_profile *p, uint32_t *order, uint32_t *lane_first);

/* The same order for those that only read it. */
typedef struct tfp_span_order {
    const uint32_t *items, *lane_first;
    uint32_t *made; /* NULL: the profile has it */
} tfp_span_order;

/* Takes the order that the join left, or makes it. False: out of memory. */
bool tfp_span_order_of(const tfp_profile *p, tfp_span_order *out);
void tfp_span_order_free(tfp_span_order *o);

#endif
