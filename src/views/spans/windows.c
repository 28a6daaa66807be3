// SPDX-License-Identifier: Apache-2.0
/* views/spans/windows.c: the windows of steps by unit and start. */
#include "model/tables/events.h"
#include "model/tables/step_marks.h"
#include "query/order.h"
#include "views/spans/trace.h"

bool tfp_windows_by_unit(tfp_arena *a, const tfp_trace_index *x, tfp_unit_windows *out)
{
    const tfp_event_tables *e = tfp_events_of(x->p);
    size_t count = e->windows.size, known = 0;
    uint32_t *unit = TFP_NEW(a, uint32_t, count + 1);
    *out = (tfp_unit_windows){ TFP_NEW(a, uint32_t, count + 1), TFP_NEW(a, size_t, x->unit_count + 2) };
    if (!unit || !out->order || !out->first) return false;
    for (uint32_t i = 0; i < count; i++) {
        unit[i] = x->unit_of_process[e->windows.at[i].process];
        if (unit[i] >= x->unit_count) continue;
        out->order[known++] = i;
        out->first[unit[i] + 1]++;
    }
    for (size_t i = 1; i <= x->unit_count; i++) out->first[i] += out->first[i - 1];
    tfp_sort_key by_start[] = { TFP_UP_IN(unit), TFP_UP(tfp_step_window, start_ns), { 0 } };
    return tfp_order_items(out->order, known, by_start, e->windows.at, sizeof *e->windows.at);
}
