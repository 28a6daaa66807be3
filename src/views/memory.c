/* views/memory.c: what devices held over a step: sums of the allocations that were recorded, and the allocators' own
 * counts. A device without such records is worked out: a node holds what it kept until the last node that reads it has
 * ended. */
#include "views/flops.h"
#include "views/records.h"

#include <stdlib.h>

typedef struct event {
    uint32_t device; /* its place by name */
    uint32_t node;
    int64_t at_ns, bytes; /* more, or with `counted` all that the allocator had */
    bool counted;
    uint32_t place; /* in the order of the profile */
} event;

typedef struct memory {
    tfp_report *r;
    const tfp_profile *p;
    uint32_t step;     /* -> steps; TFP_NONE: there is none */
    uint32_t *exec;    /* by node: in that step, TFP_NONE */
    int64_t *read_ns;  /* by node: when the last reader ended; 0: nobody reads it */
    tfp_map64 by_name; /* device -> devices */
    TFP_VEC(tfp_strid) devices;
    bool *recorded;  /* by device: it has allocations */
    uint32_t *place; /* by device: among the names */
    uint32_t *order; /* the other way round */
    TFP_VEC(event) events;
} memory;

static bool find_execs(memory *m)
{
    const tfp_profile *p = m->p;
    m->exec = TFP_NEW(&m->r->arena, uint32_t, p->nodes.size);
    m->read_ns = TFP_NEW(&m->r->arena, int64_t, p->nodes.size);
    if (!m->exec || !m->read_ns) return false;
    for (uint32_t n = 0; n < p->nodes.size; n++) {
        uint32_t e = m->exec[n] = m->step == TFP_NONE ? TFP_NONE : tfp_node_exec(p, n, m->step);
        if (e == TFP_NONE || tfp_map64_get(&m->by_name, p->nodes.at[n].device) != TFP_NONE) continue;
        if (!tfp_map64_put(&m->by_name, p->nodes.at[n].device, (uint32_t)m->devices.size) ||
            !tfp_push(&m->devices, p->nodes.at[n].device))
            return false;
    }
    return true;
}

static uint32_t device_of(const memory *m, uint32_t node)
{
    return tfp_map64_get(&m->by_name, m->p->nodes.at[node].device);
}

static bool order_devices(memory *m)
{
    size_t n = m->devices.size;
    tfp_str *names = calloc(n + 1, sizeof *names);
    m->place = TFP_NEW(&m->r->arena, uint32_t, n);
    m->order = TFP_NEW(&m->r->arena, uint32_t, n);
    m->recorded = TFP_NEW(&m->r->arena, bool, n);
    bool ok = names && m->place && m->order && m->recorded;
    for (uint32_t i = 0; ok && i < n; i++) {
        names[i] = tfp_text(m->p, m->devices.at[i]);
        m->order[i] = i;
    }
    ok = ok && tfp_sort_strings(m->order, n, names);
    for (uint32_t i = 0; ok && i < n; i++) m->place[m->order[i]] = i;
    free(names);
    for (uint32_t node = 0; ok && node < m->p->nodes.size; node++)
        if (m->exec[node] != TFP_NONE && tfp_detail(m->p, m->exec[node])->alloc_first != TFP_NONE)
            m->recorded[device_of(m, node)] = true;
    return ok;
}

/* When the last node that takes something of a node had ended. */
static void find_readers(memory *m)
{
    const tfp_profile *p = m->p;
    for (uint32_t n = 0; n < p->nodes.size; n++) {
        if (m->exec[n] == TFP_NONE) continue;
        int64_t end = p->execs.at[m->exec[n]].end_ns;
        for (TFP_EACH(inputs, i, p->nodes.at[n].input_first, p)) {
            uint32_t source = p->inputs.at[i].node;
            if (source != TFP_NONE && end > m->read_ns[source]) m->read_ns[source] = end;
        }
    }
}

static bool add_event(memory *m, uint32_t node, int64_t at_ns, int64_t bytes, bool counted)
{
    event x = { m->place[device_of(m, node)], node, at_ns, bytes, counted, (uint32_t)m->events.size };
    return tfp_push(&m->events, x);
}

static bool add_node(memory *m, uint32_t node)
{
    const tfp_profile *p = m->p;
    const tfp_exec *e = &p->execs.at[m->exec[node]];
    const tfp_exec_detail *d = tfp_detail(p, m->exec[node]);
    for (TFP_EACH(memories, i, d->memory_first, p)) {
        const tfp_memory *x = &p->memories.at[i];
        if (x->at_ns > 0 && x->allocator_bytes_in_use > 0 &&
            !add_event(m, node, x->at_ns, x->allocator_bytes_in_use, true))
            return false;
    }
    for (TFP_EACH(allocations, i, d->alloc_first, p))
        if (!add_event(m, node, p->allocations.at[i].at_ns, p->allocations.at[i].bytes, false)) return false;
    if (m->recorded[device_of(m, node)] || e->residual_bytes <= 0 || !e->start_ns) return true;
    int64_t end = m->read_ns[node];
    return add_event(m, node, e->start_ns, e->residual_bytes, false) &&
           (end <= e->start_ns || add_event(m, node, end, -e->residual_bytes, false));
}

static int compare_events(const void *a, const void *b)
{
    const event *x = a, *y = b;
    if (x->device != y->device) return x->device < y->device ? -1 : 1;
    if (x->at_ns != y->at_ns) return x->at_ns < y->at_ns ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static tfp_status note_guesses(memory *m, tfp_error *err)
{
    tfp_status s = TFP_OK;
    for (size_t i = 0; i < m->devices.size && !s; i++) {
        if (m->recorded[m->order[i]]) continue;
        tfp_str name = tfp_text(m->p, m->devices.at[m->order[i]]);
        s = tfp_report_note_add(m->r, err,
                                "%.*s: no allocations were recorded: a node counts with what it kept, until the last "
                                "node that reads it had ended",
                                (int)(name.size < 1000 ? name.size : 1000), name.data);
    }
    return s;
}

/* The events of a step, in order of device and time. */
static tfp_status collect(memory *m, tfp_error *err)
{
    const tfp_profile *p = m->p;
    m->step = m->r->step.which == TFP_STEP_ONE ? m->r->step.row
              : p->step_order.size             ? p->step_order.at[p->step_order.size - 1]
                                               : TFP_NONE;
    bool ok = find_execs(m) && order_devices(m);
    if (ok) find_readers(m);
    for (uint32_t n = 0; ok && n < p->nodes.size; n++)
        if (m->exec[n] != TFP_NONE) ok = add_node(m, n);
    if (!ok) return tfp_nomem(err);
    if (m->events.size) qsort(m->events.at, m->events.size, sizeof *m->events.at, compare_events);
    return note_guesses(m, err);
}

static void end(memory *m)
{
    tfp_map64_free(&m->by_name);
    tfp_vec_free(&m->devices);
    tfp_vec_free(&m->events);
}

/* ---- over time: a row for each device and time ---- */

static bool same_row(const event *a, const event *b) { return a->device == b->device && a->at_ns == b->at_ns; }

static tfp_status put_memory(memory *m, tfp_error *err)
{
    tfp_grid *g = &m->r->grid;
    size_t rows = 0;
    for (size_t i = 0; i < m->events.size; i++) rows += !i || !same_row(&m->events.at[i - 1], &m->events.at[i]);
    g->row_count = rows;
    if (!tfp_grid_add(m->r, g, "device", 's', TFP_LABEL, false) ||
        !tfp_grid_add(m->r, g, "at_us", 'i', TFP_MICROS, false) ||
        !tfp_grid_add(m->r, g, "held_bytes", 'i', TFP_SIZE, true) ||
        !tfp_grid_add(m->r, g, "in_use_bytes", 'i', TFP_SIZE, true) ||
        !tfp_grid_add(m->r, g, "recorded", 'b', TFP_LABEL, false))
        return tfp_nomem(err);
    tfp_grid_column *c = g->columns.at;
    for (size_t i = 0; i < rows; i++) c[2].absent[i] = c[3].absent[i] = 1;
    int64_t held = 0;
    for (size_t i = 0, row = 0; i < m->events.size; i++) {
        const event *x = &m->events.at[i], *before = i ? x - 1 : NULL;
        if (before && before->device != x->device) held = 0;
        if (before && !same_row(before, x)) row++;
        uint32_t device = m->order[x->device];
        c[0].texts[row] = tfp_text(m->p, m->devices.at[device]);
        c[1].ints[row] = tfp_micros(x->at_ns);
        c[4].ints[row] = m->recorded[device];
        if (!x->counted) held = tfp_add(held, x->bytes, &m->r->clamped);
        c[x->counted ? 3 : 2].ints[row] = x->counted ? x->bytes : held;
        c[x->counted ? 3 : 2].absent[row] = 0;
    }
    return TFP_OK;
}

tfp_status tfp_records_memory(tfp_report *r, tfp_error *err)
{
    memory m = { .r = r, .p = r->profile };
    tfp_status s = collect(&m, err);
    if (!s) s = put_memory(&m, err);
    end(&m);
    return s;
}

/* ---- at the peak: who held it ---- */

typedef struct holder {
    uint32_t device, node;
    int64_t at_ns, bytes;
} holder;
typedef TFP_VEC(holder) holders;

static int compare_holders(const void *a, const void *b)
{
    const holder *x = a, *y = b;
    if (x->device != y->device) return x->device < y->device ? -1 : 1;
    if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

/* Of the events of one device: the last one of the time at which most was held. */
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
        if (!x->counted) held[x->node] = tfp_add(held[x->node], x->bytes, &m->r->clamped);
    }
    bool ok = true;
    for (size_t i = first; i <= peak; i++) { /* each node once; the sums are 0 again for the next device */
        const event *x = &m->events.at[i];
        holder h = { x->device, x->node, m->events.at[peak].at_ns, held[x->node] };
        held[x->node] = 0;
        if (h.bytes > 0 && ok) ok = tfp_push(out, h);
    }
    return ok;
}

static tfp_status put_peak(memory *m, const holders *all, tfp_error *err)
{
    tfp_grid *g = &m->r->grid;
    g->row_count = all->size;
    if (!tfp_grid_add(m->r, g, "device", 's', TFP_LABEL, false) ||
        !tfp_grid_add(m->r, g, "at_us", 'i', TFP_MICROS, false) ||
        !tfp_grid_add(m->r, g, "name", 's', TFP_LABEL, false) || !tfp_grid_add(m->r, g, "op", 's', TFP_LABEL, false) ||
        !tfp_grid_add(m->r, g, "bytes", 'i', TFP_SIZE, false) ||
        !tfp_grid_add(m->r, g, "start_us", 'i', TFP_MICROS, false))
        return tfp_nomem(err);
    tfp_grid_column *c = g->columns.at;
    for (size_t i = 0; i < all->size; i++) {
        const holder *h = &all->at[i];
        c[0].texts[i] = tfp_text(m->p, m->devices.at[m->order[h->device]]);
        c[1].ints[i] = tfp_micros(h->at_ns);
        c[2].texts[i] = tfp_text(m->p, m->p->nodes.at[h->node].name);
        c[3].texts[i] = tfp_text(m->p, m->p->nodes.at[h->node].op);
        c[4].ints[i] = h->bytes;
        c[5].ints[i] = tfp_micros(m->p->execs.at[m->exec[h->node]].start_ns);
    }
    return TFP_OK;
}

tfp_status tfp_records_peak(tfp_report *r, tfp_error *err)
{
    memory m = { .r = r, .p = r->profile };
    holders all = { 0 };
    tfp_status s = collect(&m, err);
    int64_t *held = s ? NULL : calloc(r->profile->nodes.size + 1, sizeof *held);
    bool ok = held != NULL;
    for (size_t first = 0, i = 1; ok && first < m.events.size; i++) {
        if (i < m.events.size && m.events.at[i].device == m.events.at[first].device) continue;
        ok = add_holders(&m, first, i, held, &all);
        first = i;
    }
    if (all.size) qsort(all.at, all.size, sizeof *all.at, compare_holders);
    if (!s) s = ok ? put_peak(&m, &all, err) : tfp_nomem(err);
    free(held);
    tfp_vec_free(&all);
    end(&m);
    return s;
}
