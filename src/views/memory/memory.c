// SPDX-License-Identifier: Apache-2.0
/* views/memory/memory.c: what devices held over a step: sums of the allocations that were recorded, and the allocators' own
 * counts. For a device without such records memory is computed: a node holds its memory until the last node that reads it
 * has ended. */
#include "model/tables/details.h"
#include "model/tables/graph.h"
#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "query/order.h"
#include "views/core/grid.h"
#include "views/core/handle.h"
#include "views/core/notes.h"
#include "views/memory/allocations.h"
#include "views/memory/devices.h"
#include "views/memory/records.h"

#include <stdlib.h>

typedef struct event {
    uint32_t device;      /* its index when sorted by name */
    uint32_t node;        /* TFP_NONE: a count of the allocator */
    int64_t at_ns, bytes; /* bytes added; with `counted` the allocator's total */
    bool counted;
} event;

typedef struct memory {
    tfp_report *r;
    const tfp_profile *p;
    uint32_t step;            /* index in steps; TFP_NONE: there is none */
    uint32_t *exec;           /* for each node: its execution in that step, or TFP_NONE */
    int64_t *read_ns;         /* for each node: when the last reader ended; 0: no node reads it */
    tfp_used_devices devices; /* devices of the nodes that ran in it */
    bool *recorded;           /* for each device: whether it has allocations */
    TFP_VEC(event) events;
} memory;

static uint32_t device_of(const memory *m, uint32_t node)
{
    return tfp_map64_get(&m->devices.by_name, tfp_graph_of(m->p)->nodes.at[node].device);
}

static tfp_str device_name(const memory *m, uint32_t device) { return tfp_text(m->p, m->devices.at.at[device].name); }

static bool find_execs(memory *m)
{
    const tfp_profile *p = m->p;
    m->exec = TFP_NEW(tfp_arena_of(m->r), uint32_t, tfp_graph_of(p)->nodes.size);
    m->read_ns = TFP_NEW(tfp_arena_of(m->r), int64_t, tfp_graph_of(p)->nodes.size);
    bool ok = m->exec && m->read_ns;
    for (uint32_t n = 0; ok && n < tfp_graph_of(p)->nodes.size; n++) {
        m->exec[n] = m->step == TFP_NONE ? TFP_NONE : tfp_node_exec(p, n, m->step);
        if (m->exec[n] != TFP_NONE) ok = tfp_used_devices_add(&m->devices, p, n);
    }
    ok = ok && tfp_used_devices_sort(&m->devices, p);
    m->recorded = TFP_NEW(tfp_arena_of(m->r), bool, m->devices.at.size);
    ok = ok && m->recorded;
    for (uint32_t n = 0; ok && n < tfp_graph_of(p)->nodes.size; n++)
        if (m->exec[n] != TFP_NONE && tfp_detail(p, m->exec[n])->alloc_first != TFP_NONE)
            m->recorded[device_of(m, n)] = true;
    return ok;
}

/* Finds when the last node that reads a node's output ended. */
static void find_readers(memory *m)
{
    const tfp_profile *p = m->p;
    for (uint32_t n = 0; n < tfp_graph_of(p)->nodes.size; n++) {
        if (m->exec[n] == TFP_NONE) continue;
        int64_t end = tfp_executions_of(p)->execs.at[m->exec[n]].end_ns;
        for (TFP_EACH(tfp_graph_of(p)->inputs, i, tfp_graph_of(p)->nodes.at[n].input_first)) {
            uint32_t source = tfp_graph_of(p)->inputs.at[i].node;
            if (source != TFP_NONE && end > m->read_ns[source]) m->read_ns[source] = end;
        }
    }
}

static bool add_node(memory *m, uint32_t node)
{
    const tfp_profile *p = m->p;
    const tfp_exec *e = &tfp_executions_of(p)->execs.at[m->exec[node]];
    event x = { .device = device_of(m, node), .node = node };
    for (TFP_EACH(tfp_details_of(p)->allocations, i, tfp_detail(p, m->exec[node])->alloc_first)) {
        x.at_ns = tfp_details_of(p)->allocations.at[i].at_ns;
        x.bytes = tfp_details_of(p)->allocations.at[i].bytes;
        if (!tfp_push(&m->events, x)) return false;
    }
    if (m->recorded[x.device] || e->residual_bytes <= 0 || !e->start_ns) return true;
    x.at_ns = e->start_ns;
    x.bytes = e->residual_bytes;
    if (!tfp_push(&m->events, x)) return false;
    x.at_ns = m->read_ns[node];
    x.bytes = -x.bytes;
    return x.at_ns <= e->start_ns || tfp_push(&m->events, x);
}

static bool add_counts(memory *m, uint32_t device)
{
    tfp_memory_points points = { 0 };
    bool ok = tfp_device_memory(&m->devices.at.at[device], m->p, m->step, false, &points);
    for (size_t i = 0; ok && i < points.size; i++)
        ok = tfp_push(&m->events, ((event){ .device = device,
                                            .node = TFP_NONE,
                                            .at_ns = points.at[i].at_ns,
                                            .bytes = points.at[i].bytes,
                                            .counted = true }));
    tfp_vec_free(&points);
    return ok;
}

static const tfp_sort_key by_time[] = { TFP_UP(event, device), TFP_UP(event, at_ns), { 0 } };

static tfp_status note_guesses(memory *m, tfp_error *err)
{
    tfp_status s = TFP_OK;
    for (uint32_t i = 0; i < m->devices.at.size && !s; i++) {
        if (m->recorded[i]) continue;
        tfp_str name = device_name(m, i);
        s = tfp_report_note_add(m->r, TFP_NOTE_BUFFERS_ASSUMED, err,
                                "%.*s: no allocations were recorded: a node is assumed to hold what it kept until the "
                                "last node that reads it has ended",
                                (int)(name.size < 1000 ? name.size : 1000), name.data);
    }
    return s;
}

/* Collects the events of a step, sorted by device and time. */
static tfp_status collect(memory *m, tfp_error *err)
{
    const tfp_profile *p = m->p;
    m->step = tfp_step_of(m->r).which == TFP_STEP_ONE ? tfp_step_of(m->r).row
              : tfp_executions_of(p)->step_order.size
                  ? tfp_executions_of(p)->step_order.at[tfp_executions_of(p)->step_order.size - 1]
                  : TFP_NONE;
    bool ok = find_execs(m);
    if (ok) find_readers(m);
    for (uint32_t i = 0; ok && i < m->devices.at.size; i++) ok = add_counts(m, i);
    for (uint32_t n = 0; ok && n < tfp_graph_of(p)->nodes.size; n++)
        if (m->exec[n] != TFP_NONE) ok = add_node(m, n);
    if (!ok || !tfp_order_rows(m->events.at, sizeof *m->events.at, m->events.size, by_time)) return tfp_nomem(err);
    return note_guesses(m, err);
}

static void end(memory *m)
{
    tfp_used_devices_free(&m->devices);
    tfp_vec_free(&m->events);
}

/* ---- over time: a row for each device and time ---- */

static bool same_row(const event *a, const event *b) { return a->device == b->device && a->at_ns == b->at_ns; }

typedef struct memory_row {
    tfp_str device;
    int64_t at_us, held_bytes, in_use_bytes;
    bool recorded;
} memory_row;

static const tfp_table_column memory_columns[] = {
    TFP_COLUMN_WHOLE(memory_row, "device", TEXT, LABEL, device, "which device"),
    TFP_COLUMN_WHOLE(memory_row, "at_us", INT, MICROS, at_us, "when"),
    TFP_COLUMN(memory_row, "held_bytes", INT, SIZE, held_bytes, "sum of allocations so far"),
    TFP_COLUMN(memory_row, "in_use_bytes", INT, SIZE, in_use_bytes, "what the allocator counted"),
    TFP_COLUMN_WHOLE(memory_row, "recorded", BOOL, LABEL, recorded,
                     "whether allocations were recorded; otherwise the numbers are computed"),
    { 0 }
};

static tfp_status put_memory(memory *m, tfp_error *err)
{
    memory_row *rows = calloc(m->events.size + 1, sizeof *rows);
    size_t count = 0;
    int64_t held = 0;
    if (!rows) return tfp_nomem(err);
    for (size_t i = 0; i < m->events.size; i++) {
        const event *x = &m->events.at[i], *before = i ? x - 1 : NULL;
        if (before && before->device != x->device) held = 0;
        if (!before || !same_row(before, x))
            rows[count++] = (memory_row){ device_name(m, x->device), tfp_micros(x->at_ns), TFP_ABSENT, TFP_ABSENT,
                                          m->recorded[x->device] };
        if (!x->counted) held = tfp_add(held, x->bytes, tfp_clamped_of(m->r));
        *(x->counted ? &rows[count - 1].in_use_bytes : &rows[count - 1].held_bytes) = x->counted ? x->bytes : held;
    }
    tfp_status s = tfp_grid_of(m->r, &(tfp_row_table){ memory_columns, rows, sizeof *rows, count, 0 }, err);
    free(rows);
    return s;
}

tfp_status tfp_records_memory(tfp_report *r, tfp_error *err)
{
    memory m = { .r = r, .p = tfp_profile_of(r) };
    tfp_status s = collect(&m, err);
    if (!s) s = put_memory(&m, err);
    end(&m);
    return s;
}

/* ---- at the peak: the nodes that held it ---- */

typedef struct holder {
    uint32_t device, node;
    int64_t at_ns, bytes;
} holder;
typedef TFP_VEC(holder) holders;

static const tfp_sort_key most_first[] = {
    TFP_UP(holder, device), TFP_DOWN(holder, bytes), TFP_UP(holder, node), { 0 }
};

/* The last event of a device at the time when it held most. */
static size_t find_peak(const memory *m, size_t first, size_t after)
{
    int64_t held = 0, most = 0;
    size_t at = SIZE_MAX;
    for (size_t i = first; i < after; i++) {
        const event *x = &m->events.at[i];
        if (!x->counted) held = tfp_add(held, x->bytes, NULL);
        bool last = i + 1 == after || x[1].at_ns != x->at_ns;
        if (last && held > most) most = held, at = i;
    }
    return at;
}

static bool add_holders(memory *m, size_t first, size_t after, int64_t *held, holders *out)
{
    size_t peak = find_peak(m, first, after);
    if (peak == SIZE_MAX) return true;
    for (size_t i = first; i <= peak; i++) {
        const event *x = &m->events.at[i];
        if (!x->counted) held[x->node] = tfp_add(held[x->node], x->bytes, tfp_clamped_of(m->r));
    }
    bool ok = true;
    for (size_t i = first; i <= peak; i++) { /* each node once; this also resets the sums to 0 for the next device */
        const event *x = &m->events.at[i];
        if (x->counted) continue;
        holder h = { x->device, x->node, m->events.at[peak].at_ns, held[x->node] };
        held[x->node] = 0;
        if (h.bytes > 0 && ok) ok = tfp_push(out, h);
    }
    return ok;
}

typedef struct peak_row {
    tfp_str device, name, op;
    int64_t at_us, bytes, start_us;
} peak_row;

static const tfp_table_column peak_columns[] = {
    TFP_COLUMN_WHOLE(peak_row, "device", TEXT, LABEL, device, "which device"),
    TFP_COLUMN_WHOLE(peak_row, "at_us", INT, MICROS, at_us, "when it held most"),
    TFP_COLUMN_WHOLE(peak_row, "name", TEXT, LABEL, name, "of the node"),
    TFP_COLUMN_WHOLE(peak_row, "op", TEXT, LABEL, op, "of the node"),
    TFP_COLUMN_WHOLE(peak_row, "bytes", INT, SIZE, bytes, "what the node held then"),
    TFP_COLUMN_WHOLE(peak_row, "start_us", INT, MICROS, start_us, "when the node started"),
    { 0 }
};

static tfp_status put_peak(memory *m, const holders *all, tfp_error *err)
{
    peak_row *rows = calloc(all->size + 1, sizeof *rows);
    if (!rows) return tfp_nomem(err);
    for (size_t i = 0; i < all->size; i++) {
        const holder *h = &all->at[i];
        const tfp_node *n = &tfp_graph_of(m->p)->nodes.at[h->node];
        rows[i] = (peak_row){ .device = device_name(m, h->device),
                              .name = tfp_text(m->p, n->name),
                              .op = tfp_text(m->p, n->op),
                              .at_us = tfp_micros(h->at_ns),
                              .bytes = h->bytes,
                              .start_us = tfp_micros(tfp_executions_of(m->p)->execs.at[m->exec[h->node]].start_ns) };
    }
    tfp_status s = tfp_grid_of(m->r, &(tfp_row_table){ peak_columns, rows, sizeof *rows, all->size, 0 }, err);
    free(rows);
    return s;
}

tfp_status tfp_records_peak(tfp_report *r, tfp_error *err)
{
    memory m = { .r = r, .p = tfp_profile_of(r) };
    holders all = { 0 };
    tfp_status s = collect(&m, err);
    int64_t *held = s ? NULL : calloc(tfp_graph_of(tfp_profile_of(r))->nodes.size + 1, sizeof *held);
    bool ok = held != NULL;
    for (size_t first = 0, i = 1; ok && first < m.events.size; i++) {
        if (i < m.events.size && m.events.at[i].device == m.events.at[first].device) continue;
        ok = add_holders(&m, first, i, held, &all);
        first = i;
    }
    ok = ok && tfp_order_rows(all.at, sizeof *all.at, all.size, most_first);
    if (!s) s = ok ? put_peak(&m, &all, err) : tfp_nomem(err);
    free(held);
    tfp_vec_free(&all);
    end(&m);
    return s;
}

/* ---- for the table `memory` ---- */

tfp_status tfp_held_of_records(tfp_report *r, tfp_holding *out, tfp_error *err)
{
    memory m = { .r = r, .p = tfp_profile_of(r) };
    tfp_status s = collect(&m, err);
    size_t n = s ? 0 : m.devices.at.size;
    out->devices = TFP_NEW(tfp_arena_of(r), tfp_held_device, n);
    out->device_count = n;
    bool ok = !s && out->devices;
    for (uint32_t i = 0; ok && i < n; i++)
        out->devices[i] = (tfp_held_device){ .name = device_name(&m, i), .recorded = m.recorded[i] };
    for (size_t i = 0; ok && i < m.events.size; i++) {
        const event *x = &m.events.at[i];
        tfp_held_event e = {
            .device = x->device, .owner = x->node, .at_ns = x->at_ns, .span = TFP_NONE, .block = TFP_NONE
        };
        if (x->counted)
            e.in_use = x->bytes;
        else
            e.bytes = x->bytes;
        ok = tfp_push(&out->events, e);
    }
    end(&m);
    return s ? s : ok ? TFP_OK : tfp_nomem(err);
}
