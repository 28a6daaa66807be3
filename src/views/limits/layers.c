// SPDX-License-Identifier: Apache-2.0
/* views/limits/layers.c: names of modules without the numbers of layers, so that the rows of equal layers can be added up. */
#include "views/limits/tables.h"

/* Whether a number stands between separators, or ends a part of a path: "_0/", ".0.", "_0" at the end. */
static size_t number_at(tfp_str path, size_t at)
{
    size_t end = at;
    if (!at || (path.data[at - 1] != '_' && path.data[at - 1] != '.')) return 0;
    while (end < path.size && tfp_is_digit(path.data[end])) end++;
    bool whole = end == path.size || path.data[end] == '/' || path.data[end] == '.';
    return end > at && whole ? end - at : 0;
}

tfp_str tfp_limits_layer(tfp_str path, tfp_arena *a)
{
    tfp_buf b = { 0 };
    for (size_t i = 0; i < path.size;) {
        size_t digits = number_at(path, i);
        tfp_buf_char(&b, digits ? '*' : path.data[i]);
        i += digits ? digits : 1;
    }
    return tfp_buf_move(&b, a);
}
