// SPDX-License-Identifier: Apache-2.0
/* views/core/lane_name.c: the name of a lane in texts. */
#include "model/tables/lanes.h"
#include "views/core/report.h"

/* The text in parentheses of "thread -1837281 (python)"; without parentheses the whole label. */
static tfp_str name_in(tfp_str label)
{
    size_t from = tfp_str_find(label, TFP_STR(" ("));
    if (from == SIZE_MAX || label.data[label.size - 1] != ')' || label.size - from < 4) return label;
    return (tfp_str){ label.data + from + 2, label.size - from - 3 };
}

/* Whether a number means nothing to people: negative, or an address. */
static bool is_odd(tfp_str number)
{
    enum { MOST = 10 }; /* more digits than the kernel's thread numbers have */
    return number.size && (*number.data == '-' || number.size > MOST);
}

void tfp_lane_put(const tfp_profile *p, uint32_t lane, tfp_buf *out)
{
    static const char mark[] = "thread:";
    const tfp_lane *l = &p->lanes.at[lane];
    tfp_str name = tfp_text(p, l->name), label = l->label ? name_in(tfp_text(p, l->label)) : TFP_STR("");
    size_t at = tfp_str_find(name, TFP_STR(mark)), end = at + sizeof mark - 1;
    bool odd = at != SIZE_MAX && is_odd((tfp_str){ name.data + end, name.size - end });
    if (!odd || !label.size || l->role != TFP_ROLE_THREAD) {
        tfp_escape(out, name);
        return;
    }
    tfp_escape(out, (tfp_str){ name.data, end });
    tfp_escape(out, label);
}
