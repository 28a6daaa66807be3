// SPDX-License-Identifier: Apache-2.0
/* advise/rule_limits.c: parses -rule_limits: "RULE=LIMIT,...". */
#include "advise/rules.h"

/* Parses "0.2" or "20%". */
static bool parse_limit(tfp_str text, double *out)
{
    char copy[32], *end;
    if (!text.size || text.size >= sizeof copy) return false;
    memcpy(copy, text.data, text.size);
    copy[text.size] = '\0';
    *out = strtod(copy, &end);
    if (end != copy && *end == '%') {
        *out /= 100;
        end++;
    }
    return end != copy && !*end && isfinite(*out) && *out >= 0;
}

/* Takes the next item of "RULE=LIMIT,..."; false at the end. */
static bool next_item(tfp_str *left, tfp_str *item)
{
    if (!left->size) return false;
    const char *comma = memchr(left->data, ',', left->size);
    *item = (tfp_str){ left->data, comma ? (size_t)(comma - left->data) : left->size };
    size_t used = item->size + (comma != NULL);
    *left = (tfp_str){ left->data + used, left->size - used };
    return true;
}

bool tfp_rule_limit_next(tfp_str *left, tfp_rule_limit *out)
{
    if (!next_item(left, &out->item)) return false;
    tfp_str item = out->item;
    const char *equals = item.size ? memchr(item.data, '=', item.size) : NULL;
    size_t size = equals ? (size_t)(equals - item.data) : item.size;
    out->name = (tfp_str){ item.data, size };
    out->known = equals && parse_limit((tfp_str){ equals + 1, item.size - size - 1 }, &out->limit);
    return true;
}
