// SPDX-License-Identifier: Apache-2.0
/* views/memory/devices.c: the devices that nodes ran on, by name, and their allocators' own counts over time. */
#include "model/tables/details.h"
#include "model/tables/graph.h"
#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "query/order.h"
#include "views/memory/devices.h"

#include <stdlib.h>

bool tfp_used_devices_add(tfp_used_devices *d, const tfp_profile *p, uint32_t node)
{
    const tfp_node *n = &tfp_graph_of(p)->nodes.at[node];
    uint32_t at = tfp_map64_get(&d->by_name, n->device);
    if (at == TFP_NONE) {
        tfp_used_device device = { .name = n->device, .on = n->flags & (TFP_NODE_ON_CPU | TFP_NODE_ON_ACCELERATOR) };
        at = (uint32_t)d->at.size;
        if (!tfp_push(&d->at, device) || !tfp_map64_put(&d->by_name, n->device, at)) return false;
    }
    return tfp_push(&d->at.at[at].nodes, node);
}

bool tfp_used_devices_sort(tfp_used_devices *d, const tfp_profile *p)
{
    size_t n = d->at.size;
    uint32_t *order = malloc((n + 1) * sizeof *order);
    tfp_str *names = calloc(n + 1, sizeof *names);
    tfp_used_device *sorted = malloc((n + 1) * sizeof *sorted);
    bool ok = order && names && sorted;
    for (uint32_t i = 0; ok && i < n; i++) {
        order[i] = i;
        names[i] = tfp_text(p, d->at.at[i].name);
    }
    ok = ok && tfp_sort_strings(order, n, names);
    for (size_t i = 0; ok && i < n; i++) sorted[i] = d->at.at[order[i]];
    if (ok && n) memcpy(d->at.at, sorted, n * sizeof *sorted);
    for (uint32_t i = 0; ok && i < n; i++) ok = tfp_map64_put(&d->by_name, d->at.at[i].name, i);
    free(order);
    free(names);
    free(sorted);
    return ok;
}

void tfp_used_devices_free(tfp_used_devices *d)
{
    for (size_t i = 0; i < d->at.size; i++) tfp_vec_free(&d->at.at[i].nodes);
    tfp_vec_free(&d->at);
    tfp_map64_free(&d->by_name);
}

/* ---- memory ---- */

static const tfp_sort_key by_time[] = { TFP_UP(tfp_memory_point, at_ns), { 0 } };

bool tfp_device_memory(const tfp_used_device *d, const tfp_profile *p, uint32_t step, bool with_zeros,
                       tfp_memory_points *out)
{
    tfp_memory_points all = { 0 };
    bool ok = true;
    for (size_t i = 0; ok && i < d->nodes.size; i++) {
        uint32_t exec = tfp_node_exec(p, d->nodes.at[i], step);
        for (TFP_EACH(tfp_details_of(p)->memories, m, tfp_detail(p, exec)->memory_first)) {
            const tfp_memory *x = &tfp_details_of(p)->memories.at[m];
            tfp_memory_point point = { x->at_ns, x->allocator_bytes_in_use };
            bool counts = x->at_ns > 0 && (with_zeros || x->allocator_bytes_in_use > 0);
            if (counts && !(ok = tfp_push(&all, point))) break;
        }
    }
    ok = ok && tfp_order_rows(all.at, sizeof *all.at, all.size, by_time);
    for (size_t i = 0; ok && i < all.size; i++)
        if (i + 1 == all.size || all.at[i + 1].at_ns != all.at[i].at_ns) ok = tfp_push(out, all.at[i]);
    tfp_vec_free(&all);
    return ok;
}
