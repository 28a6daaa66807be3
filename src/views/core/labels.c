// SPDX-License-Identifier: Apache-2.0
/* views/core/labels.c: devices and op types of a row, sorted, without duplicates. */
#include "model/tables/graph.h"
#include "model/tables/read.h"
#include "views/core/labels.h"
#include "views/core/rows.h"
#include "views/core/view.h"

#include <stdlib.h>

/* Many members have the same few labels, so each label is collected once. */
typedef struct collector {
    const tfp_profile *p;
    tfp_labels *out;
    tfp_map64 seen;
} collector;

static bool add(collector *c, tfp_strid label)
{
    if (tfp_map64_get(&c->seen, label) != TFP_NONE) return true;
    return tfp_map64_put(&c->seen, label, 1) && tfp_push(c->out, label);
}

static bool add_device(collector *c, uint32_t node) { return add(c, tfp_graph_of(c->p)->nodes.at[node].device); }

static bool add_types(collector *c, uint32_t node)
{
    for (TFP_EACH(tfp_graph_of(c->p)->types, t, tfp_graph_of(c->p)->nodes.at[node].type_first))
        if (!add(c, tfp_graph_of(c->p)->types.at[t].name)) return false;
    return true;
}

static bool collect(const tfp_report *r, uint32_t row, tfp_labels *out, bool (*add_node)(collector *c, uint32_t node))
{
    const tfp_row *x = tfp_row_at(r, row);
    collector c = { .p = tfp_profile_of(r), .out = out };
    out->size = 0;
    bool ok = x->node == TFP_NONE || add_node(&c, x->node);
    for (uint32_t i = 0; i < x->member_count && ok; i++)
        ok = add_node(&c, tfp_tree_of(r)->members[x->member_first + i]);
    tfp_map64_free(&c.seen);
    return ok && (out->size < 2 || tfp_sort_strings(out->at, out->size, tfp_strings_of(tfp_profile_of(r))->strings));
}

/* The empty name stands for "no device"; it sorts first. */
bool tfp_labels_devices(const tfp_report *r, uint32_t row, tfp_labels *out)
{
    if (!collect(r, row, out, add_device)) return false;
    if (out->size && out->at[0] == 0) memmove(out->at, out->at + 1, --out->size * sizeof *out->at);
    return true;
}

bool tfp_labels_op_types(const tfp_report *r, uint32_t row, tfp_labels *out) { return collect(r, row, out, add_types); }

static void join(const tfp_profile *p, tfp_labels *labels, bool ok, tfp_buf *out)
{
    for (size_t i = 0; i < labels->size && ok; i++) {
        if (i) tfp_buf_char(out, '|');
        tfp_buf_str(out, tfp_text(p, labels->at[i]));
    }
    if (!ok) out->failed = true;
    tfp_vec_free(labels);
}

void tfp_labels_join_devices(const tfp_report *r, uint32_t row, tfp_buf *out)
{
    tfp_labels labels = { 0 };
    join(tfp_profile_of(r), &labels, collect(r, row, &labels, add_device), out);
}

void tfp_labels_join_op_types(const tfp_report *r, uint32_t row, tfp_buf *out)
{
    tfp_labels labels = { 0 };
    const char *parent_type = tfp_view_of(r)->parent_type;
    if (parent_type && tfp_row_at(r, row)->node == TFP_NONE)
        tfp_buf_text(out, parent_type);
    else
        join(tfp_profile_of(r), &labels, tfp_labels_op_types(r, row, &labels), out);
}
