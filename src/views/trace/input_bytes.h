// SPDX-License-Identifier: Apache-2.0
/* views/trace/input_bytes.h: bytes of what a call is given, and the rate of links. */
#ifndef TFP_TRACE_INPUT_BYTES_H
#define TFP_TRACE_INPUT_BYTES_H

#include "base/base.h"

/* The ratio of the links' rate to the plain rate, for a collective of `n` ranks. */
double tfp_bus_factor(tfp_str kind, int64_t n);

/* Bytes of an element, by torch's name of its type; 0: unknown. */
int64_t tfp_element_size(tfp_str type);
/* Bytes of all inputs of a call, from their recorded shapes and types; false: unknown, or several types. */
bool tfp_input_bytes(tfp_str dims, tfp_str types, int64_t *out);

#endif
