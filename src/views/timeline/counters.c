// SPDX-License-Identifier: Apache-2.0
/* views/timeline/counters.c: values over time in the timeline: counters of the trace, and memory that devices held. If there
 * are more samples than a picture has pixels, the largest value of each part of the time is kept. */
#include "model/order.h"
#include "model/tables/devices.h"
#include "model/tables/events.h"
#include "model/tables/lanes.h"
#include "model/tables/memory_events.h"
#include "model/tables/processes.h"
#include "model/tables/read.h"
#include "views/core/grid.h"
#include "views/core/handle.h"
#include "views/timeline/timeline.h"

#include <stdlib.h>

enum { PARTS = 4000 }; /* parts of the whole time, and so most samples of a counter */

typedef struct counter_key { /* for a counter: process, name and series; for memory: process, device, and no series */
    uint32_t process;
    tfp_strid name, series;
    bool memory;
} counter_key;

typedef struct sample {
    counter_key key;
    int64_t at_ns;
    double value;
} sample;

typedef struct counter_row {
    int64_t rank, at_ns;
    tfp_str name, unit;
    double value;
} counter_row;

static const tfp_table_column counter_columns[] = {
    TFP_COLUMN(counter_row, "rank", INT, NUMBER, rank, "of several ranks: which"),
    TFP_COLUMN_WHOLE(counter_row, "name", TEXT, LABEL, name, "of the counter; of memory the device"),
    TFP_COLUMN(counter_row, "unit", TEXT, LABEL, unit, "bytes: memory that the device held"),
    TFP_COLUMN_WHOLE(counter_row, "at_us", NANO, MICROS, at_ns, "from the start of the timeline"),
    TFP_COLUMN_WHOLE(counter_row, "value", REAL, NUMBER, value, "from then on"),
    { 0 }
};

typedef struct counting {
    const tfp_timeline *t;
    TFP_VEC(sample) samples;
    TFP_VEC(counter_row) rows;
    tfp_arena *arena;
} counting;

static int64_t on_timeline(const tfp_timeline *t, uint32_t process, int64_t at_ns)
{
    int64_t offset = process == TFP_NONE ? 0 : t->offset_ns[process];
    return tfp_add(tfp_add(at_ns, offset, NULL), -t->origin_ns, NULL);
}

static int compare_keys(const counter_key *a, const counter_key *b)
{
    if (a->memory != b->memory) return a->memory ? -1 : 1;
    if (a->process != b->process) return a->process < b->process ? -1 : 1;
    if (a->name != b->name) return a->name < b->name ? -1 : 1;
    return a->series == b->series ? 0 : a->series < b->series ? -1 : 1;
}

static bool sample_before(const void *samples, uint32_t a, uint32_t b)
{
    const sample *x = (const sample *)samples + a, *y = (const sample *)samples + b;
    int order = compare_keys(&x->key, &y->key);
    return order ? order < 0 : x->at_ns != y->at_ns ? x->at_ns < y->at_ns : a < b;
}

/* Takes samples. If an allocator reports no total, it is summed up here, in order of time. */
static bool take_samples(counting *c)
{
    const tfp_event_tables *e = tfp_events_of(c->t->p);
    bool ok = true;
    for (size_t i = 0; ok && i < e->memory.size; i++) {
        const tfp_memory_event *m = &e->memory.at[i];
        uint32_t process = tfp_lanes_of(c->t->p)->at[m->lane].process;
        sample s = { { process, m->device, m->allocated_bytes < 0, true }, on_timeline(c->t, process, m->at_ns), 0 };
        s.value = (double)(m->allocated_bytes < 0 ? m->bytes : m->allocated_bytes);
        ok = tfp_push(&c->samples, s);
    }
    for (size_t i = 0; ok && i < e->counters.size; i++) {
        const tfp_counter_sample *x = &e->counters.at[i];
        sample s = { { x->process, x->name, x->series, false }, on_timeline(c->t, x->process, x->at_ns), x->value };
        ok = tfp_push(&c->samples, s);
    }
    return ok;
}

static counter_row row_of(const counting *c, const sample *s)
{
    const tfp_profile *p = c->t->p;
    const tfp_process *process = s->key.process == TFP_NONE ? NULL : &tfp_events_of(p)->processes.at[s->key.process];
    tfp_str name = tfp_text(p, s->key.name), series = s->key.memory ? TFP_STR("") : tfp_text(p, s->key.series);
    counter_row row = { .rank = process && tfp_events_of(p)->processes.size > 1 && process->rank >= 0 ? process->rank
                                                                                                      : TFP_ABSENT,
                        .name = name,
                        .value = s->value };
    if (s->key.memory) row.unit = TFP_STR("bytes");
    if (!series.size || tfp_str_eq(series, name)) return row;
    tfp_buf both = { 0 };
    tfp_buf_printf(&both, "%.*s %.*s", (int)name.size, name.data, (int)series.size, series.data);
    tfp_str text = tfp_buf_move(&both, c->arena);
    if (text.data) row.name = text;
    return row;
}

/* Adds the samples of one counter, in order of time. */
static bool show_counter(counting *c, const uint32_t *order, size_t count)
{
    const sample *first = &c->samples.at[order[0]];
    counter_row row = row_of(c, first);
    bool sums = first->key.memory && first->key.series;
    double held = 0;
    int64_t part = c->t->whole_ns / PARTS + 1, last = INT64_MIN;
    for (size_t i = 0; i < count; i++) {
        const sample *s = &c->samples.at[order[i]];
        held = sums ? held + s->value : s->value;
        row.at_ns = s->at_ns;
        row.value = held;
        bool joins = count > PARTS && c->rows.size && s->at_ns / part == last;
        counter_row *before = joins ? &c->rows.at[c->rows.size - 1] : NULL;
        if (before && held > before->value) before->value = held;
        if (!before && !tfp_push(&c->rows, row)) return false;
        last = s->at_ns / part;
    }
    return true;
}

static bool show_counters(counting *c)
{
    uint32_t *order = malloc((c->samples.size + 1) * sizeof *order);
    bool ok = order != NULL;
    for (uint32_t i = 0; ok && i < c->samples.size; i++) order[i] = i;
    ok = ok && tfp_sort(order, c->samples.size, sample_before, c->samples.at);
    for (size_t i = 0, end; ok && i < c->samples.size; i = end) {
        const counter_key *key = &c->samples.at[order[i]].key;
        for (end = i + 1; end < c->samples.size && !compare_keys(key, &c->samples.at[order[end]].key);) end++;
        ok = show_counter(c, order + i, end - i);
    }
    free(order);
    return ok;
}

tfp_status tfp_timeline_counters(const tfp_timeline *t, tfp_report **out, tfp_error *err)
{
    tfp_report *r = NULL;
    tfp_status s = tfp_timeline_ask(t, "counters", &r, out, err);
    if (s) return s;
    counting c = { .t = t, .arena = tfp_arena_of(r) };
    bool ok = take_samples(&c) && show_counters(&c);
    s = ok ? tfp_grid_of(r, &(tfp_row_table){ counter_columns, c.rows.at, sizeof *c.rows.at, c.rows.size, 0 }, err)
           : tfp_nomem(err);
    tfp_vec_free(&c.samples);
    tfp_vec_free(&c.rows);
    return tfp_report_give(r, s, out);
}
