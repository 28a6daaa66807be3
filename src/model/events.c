// SPDX-License-Identifier: Apache-2.0
/* model/events.c: how readers of traces add events: columns are appended to; keys and sets of stats are interned. */
#include "model/build.h"
#include "model/builder.h"
#include "model/event_builder.h"
#include "model/launches.h"
#include "model/tables/doubts.h"
#include "model/tables/events.h"
#include "model/tables/processes.h"
#include "model/tables/profile.h"
#include "model/tables/sources.h"

#include <stdlib.h>

/* Appends a row; gives its index, or TFP_NONE after a fault. */
#define ADD(b, table, row)                                                                                             \
    (check((b), (b)->p->events->table.size < TFP_NONE - 1 && tfp_push(&(b)->p->events->table, (row)))                  \
         ? (uint32_t)(b)->p->events->table.size - 1                                                                    \
         : TFP_NONE)

uint32_t tfp_build_process(tfp_builder *b, const tfp_process *process)
{
    return b->status ? TFP_NONE : ADD(b, processes, *process);
}

/* Whether a trace's lane is on a CPU or an accelerator. Known devices have the model's names "cpu", "gpu:0", "tpu:0";
 * unknown devices have the file's names. */
static unsigned on_what(tfp_str device, tfp_lane_role role)
{
    bool stream = role == TFP_ROLE_STREAM && !tfp_str_begins(device, TFP_STR("tpu:"));
    unsigned on = stream || tfp_str_has(device, TFP_STR("gpu")) ? TFP_NODE_ON_ACCELERATOR : 0;
    return on | (tfp_str_has(device, TFP_STR("cpu")) ? TFP_NODE_ON_CPU : 0);
}

/* Sets the device: the part of a lane's name before the first slash. */
static void set_device(tfp_builder *b, tfp_lane *lane, tfp_lane_role role, tfp_str name)
{
    const char *slash = memchr(name.data, '/', name.size);
    tfp_str device = { name.data, slash ? (size_t)(slash - name.data) : name.size };
    lane->role = role;
    lane->on = on_what(device, role);
    lane->device = tfp_build_string(b, device);
}

uint32_t tfp_build_event_lane(tfp_builder *b, uint32_t process, tfp_lane_role role, tfp_str name, tfp_str label)
{
    tfp_profile *p = b->p;
    tfp_strid id = tfp_build_string(b, name), label_id = tfp_build_string(b, label);
    if (b->status) return TFP_NONE;
    uint64_t key = (uint64_t)process << 32 | id;
    uint32_t lane = tfp_map64_get(&p->events->lane_by_name, key);
    if (lane != TFP_NONE) return lane;
    tfp_lane row = { .name = id, .kind = TFP_LANE_OTHER, .label = label_id, .process = process };
    set_device(b, &row, role, name);
    if (!check(b, p->lanes->size < TFP_NONE - 1 && tfp_push(p->lanes, row))) return TFP_NONE;
    lane = (uint32_t)p->lanes->size - 1;
    return check(b, tfp_map64_put(&p->events->lane_by_name, key, lane)) ? lane : TFP_NONE;
}

void tfp_build_lane_again(tfp_builder *b, uint32_t lane, tfp_lane_role role, tfp_str name)
{
    tfp_strid id = tfp_build_string(b, name);
    if (b->status) return;
    tfp_lane row = b->p->lanes->at[lane];
    row.name = id;
    set_device(b, &row, role, name);
    b->p->lanes->at[lane] = row;
}

/* Most numbers are small and are their own keys; bigger ones are looked up in a table. */

uint32_t tfp_build_key(tfp_builder *b, uint32_t process, unsigned space, uint64_t number)
{
    tfp_event_tables *t = b->p->events;
    tfp_event_key key = { number };
    (void)process, (void)space;
    if (b->status) return 0;
    if (number < TFP_BIG_KEY - 1) return (uint32_t)number + 1;
    for (uint64_t hash = tfp_hash(&key, sizeof key);; hash++) {
        uint32_t at = tfp_map64_get(&t->key_by_hash, hash);
        if (at != TFP_NONE && t->keys.at[at].number == number) return at | TFP_BIG_KEY;
        if (at != TFP_NONE) continue;
        if (!check(b, t->keys.size < TFP_BIG_KEY - 1)) return 0;
        at = ADD(b, keys, key);
        return at != TFP_NONE && check(b, tfp_map64_put(&t->key_by_hash, hash, at)) ? at | TFP_BIG_KEY : 0;
    }
}

const tfp_stat *tfp_typed_stat(const tfp_event_tables *t, uint32_t span, tfp_strid key, tfp_stat_type type)
{
    uint32_t set = t->spans.stats[span];
    if (set == TFP_NONE || key == TFP_NONE) return NULL;
    for (uint32_t i = 0; i < t->stat_sets.at[set].count; i++) {
        const tfp_stat *stat = &t->stats.at[t->stat_sets.at[set].first + i];
        if (stat->key == key && stat->type == type) return stat;
    }
    return NULL;
}

static bool same_stats(const tfp_event_tables *t, uint32_t set, const tfp_stat *stats, size_t count)
{
    const tfp_stat_set *s = &t->stat_sets.at[set];
    return s->count == count && memcmp(t->stats.at + s->first, stats, count * sizeof *stats) == 0;
}

uint32_t tfp_build_stats(tfp_builder *b, const tfp_stat *stats, size_t count)
{
    tfp_event_tables *t = b->p->events;
    if (b->status || count == 0) return TFP_NONE;
    for (uint64_t hash = tfp_hash(stats, count * sizeof *stats);; hash++) {
        uint32_t at = tfp_map64_get(&t->stat_set_by_hash, hash);
        if (at != TFP_NONE && same_stats(t, at, stats, count)) return at;
        if (at != TFP_NONE) continue;
        size_t first = t->stats.size;
        if (!check(b, first + count < TFP_NONE && tfp_reserve(&t->stats, first + count))) return TFP_NONE;
        memcpy(t->stats.at + first, stats, count * sizeof *stats);
        t->stats.size += count;
        at = ADD(b, stat_sets, ((tfp_stat_set){ (uint32_t)first, (uint32_t)count }));
        return at != TFP_NONE && check(b, tfp_map64_put(&t->stat_set_by_hash, hash, at)) ? at : TFP_NONE;
    }
}

/* ---- spans ---- */

#define BLOCK ((size_t)4096)

/* Moves an array to a bigger one of zeros. Blocks of zeros are not written, so that they take no memory. */
static void *grow_rare(void *from, size_t size, size_t now)
{
    static const char zeros[BLOCK];
    char *to = calloc(now, 1);
    for (size_t at = 0; to && at < size; at += BLOCK) {
        size_t bytes = size - at < BLOCK ? size - at : BLOCK;
        if (memcmp((char *)from + at, zeros, bytes) != 0) memcpy(to + at, (char *)from + at, bytes);
    }
    if (to) free(from);
    return to;
}

/* Grows all columns together; a column that cannot grow keeps its memory, so nothing is lost. */
static bool grow(tfp_span_columns *s)
{
    size_t capacity = s->capacity ? s->capacity * 2 : 1024;
    if (capacity >= TFP_NONE) return false;
#define MOVE(name, call)                                                                                               \
    {                                                                                                                  \
        void *moved = call;                                                                                            \
        if (!moved) return false;                                                                                      \
        s->name = moved;                                                                                               \
    }
#define JOIN(column)
#define RARE(column)
#define COLUMN(type, name, ...) MOVE(name, realloc(s->name, capacity * sizeof(type)))
#include "schema/traces/spans.def"
#undef COLUMN
#define READ(column)
#define JOIN(column)
#define COLUMN(type, name, ...) MOVE(name, grow_rare(s->name, s->size * sizeof(type), capacity * sizeof(type)))
#include "schema/traces/spans.def"
#undef COLUMN
    s->capacity = capacity;
    s->used = s->size;
    return true;
}

uint32_t tfp_build_event(tfp_builder *b, const tfp_event *e)
{
    tfp_span_columns *s = &b->p->events->spans;
    if (b->status || !check(b, s->size < s->capacity || grow(s))) return TFP_NONE;
    size_t i = s->size++;
    bool again = i < s->used;
    if (!again) s->used = i + 1;
#define JOIN(column)
#define RARE(column)
#define COLUMN(type, name, ...) s->name[i] = (type)e->name;
#include "schema/traces/spans.def"
#undef COLUMN
#define READ(column)
#define JOIN(column)
#define COLUMN(type, name, ...)                                                                                        \
    if (e->name || again) s->name[i] = e->name;
#include "schema/traces/spans.def"
#undef COLUMN
    return (uint32_t)i;
}

/* ---- the other tables ---- */

void tfp_build_link(tfp_builder *b, tfp_flow_kind kind, uint32_t from, uint32_t to)
{
    if (b->status || from == TFP_NONE || to == TFP_NONE) return;
    ADD(b, flows, ((tfp_flow){ from, to, kind }));
}

void tfp_build_step_mark(tfp_builder *b, const tfp_step_mark *m)
{
    if (!b->status && m->span != TFP_NONE) ADD(b, step_marks, *m);
}

void tfp_build_memory_event(tfp_builder *b, const tfp_memory_event *m)
{
    if (!b->status) ADD(b, memory, *m);
}

void tfp_build_counter(tfp_builder *b, const tfp_counter_sample *c)
{
    if (!b->status) ADD(b, counters, *c);
}

void tfp_build_device(tfp_builder *b, const tfp_device_info *d)
{
    if (!b->status) ADD(b, devices, *d);
}

void tfp_build_about(tfp_builder *b, const tfp_stat *fact)
{
    if (!b->status) ADD(b, about, *fact);
}

void tfp_build_cut(tfp_builder *b)
{
    const tfp_event_tables *t = b->p->events;
    for (uint32_t i = 0; i < t->processes.size; i++) {
        tfp_doubt row = { .kind = TFP_DOUBT_CUT, .process = i, .step = TFP_NONE, .count = 1 };
        if (t->processes.at[i].source + 1 == b->p->files->sources.size) ADD(b, doubts, row);
    }
}

void tfp_build_data_finding(tfp_builder *b, const char *severity, const char *what, int64_t count, tfp_str first)
{
    tfp_event_tables *t = b->p->events;
    if (b->status) return;
    for (size_t i = 0; i < t->findings.size; i++) {
        if (t->findings.at[i].what != what) continue;
        t->findings.at[i].count = tfp_add(t->findings.at[i].count, count, NULL);
        return;
    }
    tfp_strid example = tfp_build_string(b, first);
    if (!b->status) ADD(b, findings, ((tfp_data_finding){ severity, what, count, example }));
}
