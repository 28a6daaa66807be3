/* outputs/labels.c: devices and op types of a row, sorted and each once. */
#include "outputs/labels.h"

#include <stdlib.h>

static bool add_device(const tfp_profile *p, uint32_t node, tfp_labels *out)
{
    tfp_strid device = p->nodes.at[node].device;
    return device == 0 || tfp_push(out, device);
}

static bool add_types(const tfp_profile *p, uint32_t node, tfp_labels *out)
{
    for (TFP_EACH(types, t, p->nodes.at[node].type_first, p))
        if (!tfp_push(out, p->types.at[t].name)) return false;
    return true;
}

/* Equal strings have equal ids, so after the sort they stand side by side. */
static bool sort_once(const tfp_profile *p, tfp_labels *out)
{
    if (out->size < 2) return true;
    if (!tfp_sort_strings(out->at, out->size, p->strings.strings)) return false;
    size_t kept = 1;
    for (size_t i = 1; i < out->size; i++)
        if (out->at[i] != out->at[kept - 1]) out->at[kept++] = out->at[i];
    out->size = kept;
    return true;
}

static bool collect(const tfp_report *r, uint32_t row, tfp_labels *out,
                    bool (*add)(const tfp_profile *p, uint32_t node, tfp_labels *out))
{
    const tfp_row *x = &r->rows.at[row];
    out->size = 0;
    if (x->node != TFP_NONE && !add(r->profile, x->node, out)) return false;
    for (uint32_t i = 0; i < x->member_count; i++)
        if (!add(r->profile, r->members[x->member_first + i], out)) return false;
    return sort_once(r->profile, out);
}

bool tfp_labels_devices(const tfp_report *r, uint32_t row, tfp_labels *out) { return collect(r, row, out, add_device); }

bool tfp_labels_op_types(const tfp_report *r, uint32_t row, tfp_labels *out) { return collect(r, row, out, add_types); }
