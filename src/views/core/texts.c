// SPDX-License-Identifier: Apache-2.0
/* views/core/texts.c: parts of a profile as texts. */
#include "model/tables/about.h"
#include "model/tables/graph.h"
#include "model/tables/lanes.h"
#include "model/tables/read.h"
#include "views/core/texts.h"

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
    const tfp_lane *l = &tfp_lanes_of(p)->at[lane];
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

void tfp_shape_text(const tfp_profile *p, uint32_t shape, tfp_buf *out)
{
    if (shape == TFP_NONE) return;
    const tfp_shape *s = &tfp_graph_of(p)->shapes.at[shape];
    for (uint32_t i = 0; i < s->count; i++) {
        if (i) tfp_buf_char(out, 'x');
        tfp_buf_int(out, tfp_graph_of(p)->dims.at[s->first + i]);
    }
}

void tfp_node_input_shapes(const tfp_profile *p, uint32_t node, const char *separator, tfp_buf *out)
{
    size_t n = 0;
    for (TFP_EACH(tfp_graph_of(p)->inputs, i, tfp_graph_of(p)->nodes.at[node].input_first)) {
        const tfp_input_edge *e = &tfp_graph_of(p)->inputs.at[i];
        uint32_t shape = tfp_input_shape(p, e);
        if (n++) tfp_buf_text(out, separator);
        tfp_buf_int(out, e->position);
        tfp_buf_char(out, ':');
        if (shape == TFP_NONE || tfp_graph_of(p)->shapes.at[shape].count == 0)
            tfp_buf_text(out, "unknown");
        else
            tfp_shape_text(p, shape, out);
    }
}

bool tfp_fine_times(const tfp_profile *p) { return p && tfp_about_of(p)->time_grain_ns % 1000 != 0; }
