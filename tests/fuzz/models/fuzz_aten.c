// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/models/fuzz_aten.c: the reader of an operator's arguments alone, with the formula that uses them. Four
 * lines: the operator, its shapes, types and values. */
#include "flops/aten/aten.h"

#include <stdlib.h>

static tfp_str next_line(tfp_str *rest)
{
    const char *end = rest->size ? memchr(rest->data, '\n', rest->size) : NULL;
    tfp_str line = { rest->data, end ? (size_t)(end - rest->data) : rest->size };
    rest->data += line.size + (end != NULL);
    rest->size -= line.size + (end != NULL);
    return line;
}

static bool is_cost(int64_t n) { return n == TFP_ATEN_UNKNOWN || n >= 0; }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static tfp_aten_call call;
    tfp_str rest = { (const char *)data, size };
    tfp_str name = next_line(&rest), dims = next_line(&rest), types = next_line(&rest);
    const tfp_aten_rule *rule = tfp_aten_find(name);
    if (!tfp_aten_read(&call, dims, types, next_line(&rest))) return 0;
    tfp_aten_cost cost = { tfp_aten_input_bytes(&call), 0, 0 };
    if (!is_cost(cost.flops) || tfp_aten_type(&call) >= TFP_FLOAT_TYPES) abort();
    if (rule && rule->count) cost = rule->count(&call, rule);
    if (!is_cost(cost.flops) || !is_cost(cost.macs) || !is_cost(cost.bytes)) abort();
    return 0;
}
