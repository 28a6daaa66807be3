// SPDX-License-Identifier: Apache-2.0
/* model/slim.c: slim rows, which stand for spans where only sums are needed. They are added with their nesting, as in
 * join/nest.c, or turned back into spans. */
#include "model/slim.h"

#include "model/build.h"
#include "model/event_builder.h"
#include "model/tables/events.h"
#include "model/span_names.h"
#include "model/tables/lanes.h"
#include "model/tables/processes.h"
#include "model/tables/profile.h"

#include <stdlib.h>

#define BLOCK_FIRST 64u  /* rows */
#define BLOCK_MOST 4096u /* a lane that ends leaves at most this many rows unused */

uint32_t tfp_build_slim_kind(tfp_builder *b, const tfp_slim_kind *k)
{
    if (b->status || !APPEND(b, events->slim->slim_kinds, *k)) return TFP_NONE;
    return (uint32_t)b->p->events->slim->slim_kinds.size - 1;
}

void tfp_slim_begin(tfp_slim_writer *f, tfp_builder *b, uint32_t lane, tfp_slim_nesting nesting)
{
    tfp_event_tables *t = b->p->events;
    f->b = b;
    f->slim = tfp_slim_of_lane(t, lane);
    f->start_ns = INT64_MIN;
    f->duration_ns = 0;
    f->holders.size = 0;
    if (b->status) return;
    if (f->slim != TFP_NONE) {
        f->lane = &t->slim->slims.at[f->slim];
        return;
    }
    tfp_slim_lane row = { .lane = lane, .nesting = nesting, .start_ns = INT64_MAX, .end_ns = INT64_MIN };
    f->slim = (uint32_t)t->slim->slims.size;
    if (!APPEND(b, events->slim->slims, row)) return;
    f->lane = &t->slim->slims.at[f->slim];
    check(b, tfp_map64_put(&t->slim->slim_by_lane, lane,
                           f->slim)); /* inserted last, so that it never refers beyond the table */
}

uint32_t tfp_slim_of_lane(const tfp_event_tables *t, uint32_t lane)
{
    return tfp_map64_get(&t->slim->slim_by_lane, lane);
}

/* ---- rows ---- */

static bool new_block(tfp_builder *b, tfp_slim_lane *x, int64_t base_ns)
{
    uint32_t capacity = x->last ? x->last->size * 2 : BLOCK_FIRST;
    capacity = capacity < BLOCK_FIRST ? BLOCK_FIRST : capacity > BLOCK_MOST ? BLOCK_MOST : capacity;
    size_t bytes = sizeof(tfp_slim_block) + capacity * sizeof(tfp_slim_row);
    tfp_slim_block *block = malloc(bytes);
    if (!block) return check(b, false);
    *block = (tfp_slim_block){ .base_ns = base_ns, .capacity = capacity };
    b->p->events->slim->slim_bytes += bytes;
    if (x->last)
        x->last->next = block;
    else
        x->first = block;
    x->last = block;
    return true;
}

static tfp_slim_row *new_row(tfp_builder *b, tfp_slim_lane *x, const tfp_slim_event *e)
{
    tfp_slim_block *block = x->last;
    if (!block || block->size == block->capacity || e->start_ns < block->base_ns ||
        e->start_ns - block->base_ns > UINT32_MAX) {
        if (!new_block(b, x, e->start_ns)) return NULL;
        block = x->last;
    }
    tfp_slim_row *row = &block->rows[block->size];
    *row = (tfp_slim_row){ (uint32_t)(e->start_ns - block->base_ns), TFP_SLIM_LONG, 0, e->kind };
    if (e->duration_ns < TFP_SLIM_LONG) {
        row->duration = (uint32_t)e->duration_ns;
        row->rest = x->nesting == TFP_SLIM_FLAT ? e->correlation : row->duration;
    } else {
        row->rest = (uint32_t)x->longs.size;
        tfp_slim_long l = { e->duration_ns, e->duration_ns, e->correlation };
        if (!check(b, x->longs.size < TFP_NONE - 1 && tfp_push(&x->longs, l))) return NULL;
    }
    block->size++;
    return row;
}

/* ---- nesting ---- */

static void take_off(const tfp_slim_lane *x, tfp_slim_row *row, int64_t duration_ns)
{
    if (row->duration == TFP_SLIM_LONG) {
        int64_t *self = &x->longs.at[row->rest].self_ns;
        *self = duration_ns < *self ? *self - duration_ns : 0;
    } else {
        row->rest = duration_ns < row->rest ? row->rest - (uint32_t)duration_ns : 0;
    }
}

static void nest(tfp_slim_writer *f, tfp_slim_lane *x, tfp_slim_row *row, const tfp_slim_event *e)
{
    unsigned kind = f->b->p->events->slim->slim_kinds.at[e->kind].kind;
    int64_t end_ns = e->start_ns + e->duration_ns;
    size_t holding = tfp_spans_holding(f->holders.at, f->holders.size, sizeof *f->holders.at, end_ns);
    const tfp_slim_holder *above = holding ? &f->holders.at[holding - 1] : NULL;
    tfp_slim_holder own = { end_ns, above ? above->op : NULL, above ? above->cpu_op : TFP_NONE, e->kind };
    if (kind == TFP_SPAN_CALL) {
        uint32_t owner = own.cpu_op == TFP_NONE ? e->kind : own.cpu_op;
        check(f->b, tfp_push(&x->calls, ((tfp_slim_call){ e->correlation, owner })));
    }
    if (kind == TFP_SPAN_OP) own.cpu_op = e->kind;
    if (kind == TFP_SPAN_OP || kind == TFP_SPAN_CALL || x->nesting == TFP_SLIM_DEVICE) {
        if (own.op) take_off(x, own.op, e->duration_ns);
        own.op = row;
    }
    while (f->holders.size && f->holders.at[f->holders.size - 1].end_ns <= end_ns) f->holders.size--;
    check(f->b, tfp_push(&f->holders, own));
}

bool tfp_slim_pass(tfp_slim_writer *f, int64_t start_ns, int64_t duration_ns)
{
    bool early = start_ns < f->start_ns || (start_ns == f->start_ns && duration_ns > f->duration_ns);
    if (early && f->lane->nesting != TFP_SLIM_FLAT) return false;
    f->start_ns = start_ns;
    f->duration_ns = duration_ns;
    return true;
}

bool tfp_slim_add(tfp_slim_writer *f, const tfp_slim_event *e)
{
    if (f->b->status) return true;
    if (!tfp_slim_pass(f, e->start_ns, e->duration_ns)) return false;
    tfp_slim_lane *x = f->lane;
    if (e->start_ns < x->start_ns) x->start_ns = e->start_ns;
    if (e->start_ns + e->duration_ns > x->end_ns) x->end_ns = e->start_ns + e->duration_ns;
    tfp_slim_row *row = new_row(f->b, x, e);
    if (row && x->nesting != TFP_SLIM_FLAT) nest(f, x, row, e);
    return true;
}

size_t tfp_slim_around(const tfp_slim_writer *f, int64_t end_ns, const tfp_slim_holder **out, size_t most)
{
    size_t holding = tfp_spans_holding(f->holders.at, f->holders.size, sizeof *f->holders.at, end_ns);
    size_t count = holding < most ? holding : most;
    for (size_t i = 0; i < count; i++) out[i] = &f->holders.at[holding - 1 - i];
    return count;
}

void tfp_slim_writer_free(tfp_slim_writer *f) { tfp_vec_free(&f->holders); }

/* ---- back to spans ---- */

void tfp_slim_widen(tfp_builder *b, uint32_t slim)
{
    tfp_event_tables *t = b->p->events;
    if (b->status) return;
    tfp_slim_lane *x = &t->slim->slims.at[slim];
    size_t calls = 0;
    for (const tfp_slim_block *block = x->first; block; block = block->next) {
        for (uint32_t i = 0; i < block->size; i++) {
            const tfp_slim_row *row = &block->rows[i];
            const tfp_slim_kind *k = &t->slim->slim_kinds.at[row->kind];
            bool call = k->kind == TFP_SPAN_CALL;
            tfp_event e = { .lane = x->lane,
                            .name = k->name,
                            .start_ns = tfp_slim_start_of(block, row),
                            .duration_ns = tfp_slim_duration(x, row),
                            .kind = (tfp_span_kind)k->kind,
                            .class = (tfp_span_class)k->class,
                            .marks = k->marks,
                            .stats = k->stats,
                            .correlation = call ? x->calls.at[calls].correlation : tfp_slim_correlation(x, row),
                            .path = k->path,
                            .op = k->op,
                            .trace = k->trace };
            calls += call;
            tfp_build_event(b, &e);
        }
    }
    tfp_slim_free_rows(t, x);
    x->wide = true;
}

bool tfp_slims_have_rows(const tfp_event_tables *t)
{
    for (size_t i = 0; i < t->slim->slims.size; i++)
        if (!t->slim->slims.at[i].wide) return true;
    return false;
}

/* ---- rows that may be in doubt ---- */

#define EARLY_NS 20000 /* as in join/times.c */
#define DAY_NS ((int64_t)86400 * 1000000000)
#define SECOND_NS 1000000000
#define LONG_NS 1000000 /* as in join/doubts.c */
#define LEAD 4          /* as in join/unrecorded.c */
#define BITS_MOST ((size_t)1 << 28)

typedef struct extent {
    int64_t start_ns, end_ns; /* none if the end is first */
} extent;

/* What is looked at of a process that has streams of rows. */
typedef struct looked_at {
    extent host, device;
    bool streams;
    uint32_t low, high; /* numbers of its launches; high 0: none */
    size_t keyless;     /* activities without a number */
    size_t lost;        /* launches whose number no activity has */
    uint8_t *ran;       /* a bit for each number from low on: an activity has it */
    tfp_map64 firsts;   /* number of the first activity of a stream -> its start in us after the host's */
} looked_at;

#define COPIES 0xff

typedef struct looker {
    const tfp_profile *p;
    const tfp_event_tables *t;
    uint8_t *means; /* for each kind what a call does (tfp_call_meaning), or COPIES */
    bool failed;    /* out of memory */
    looked_at *processes;
} looker;

static void widen(extent *e, int64_t start_ns, int64_t end_ns)
{
    if (start_ns < e->start_ns) e->start_ns = start_ns;
    if (end_ns > e->end_ns) e->end_ns = end_ns;
}

static bool is_stream(const looker *l, const tfp_slim_lane *f)
{
    const tfp_lane *lane = &l->p->lanes->at[f->lane];
    return lane->role == TFP_ROLE_STREAM && f->nesting == TFP_SLIM_FLAT && lane->process < l->t->processes.size;
}

static looked_at *of_lane(const looker *l, const tfp_slim_lane *f)
{
    uint32_t process = l->p->lanes->at[f->lane].process;
    return process < l->t->processes.size ? &l->processes[process] : NULL;
}

/* Whether the clocks of a process's hosts and devices, or its times, are far apart. */
static bool is_far(const looked_at *x)
{
    int64_t host = tfp_add(x->host.end_ns, -x->host.start_ns, NULL),
            device = tfp_add(x->device.end_ns, -x->device.start_ns, NULL), longer = host > device ? host : device;
    bool zero = (x->host.start_ns == 0 && host > SECOND_NS) || (x->device.start_ns == 0 && device > SECOND_NS);
    if (host > DAY_NS || device > DAY_NS || zero) return true;
    return tfp_add(x->host.start_ns, -x->device.end_ns, NULL) > longer ||
           tfp_add(x->device.start_ns, -x->host.end_ns, NULL) > longer;
}

/* Whether an activity is there twice, or goes on for long after the next one of its stream began. */
static bool is_odd(int64_t start_ns, int64_t end_ns, int64_t next_ns, int64_t next_end_ns)
{
    int64_t over = tfp_add(end_ns, -next_ns, NULL), own = tfp_add(end_ns, -start_ns, NULL),
            next = tfp_add(next_end_ns, -next_ns, NULL);
    if (start_ns == next_ns) return own == next && own > 0;
    return start_ns < next_ns && over > EARLY_NS && over > (own < next ? own : next) / 2;
}

static bool keep_first(looked_at *x, uint32_t number, int64_t start_ns)
{
    int64_t us = tfp_add(start_ns, -x->host.start_ns, NULL) / 1000;
    return us <= 0 || us >= UINT32_MAX || !number || tfp_map64_put(&x->firsts, number, (uint32_t)us);
}

/* Whether the first activity of a stream began so long after its launch that it may have waited for earlier work. */
static bool waits_in_queue(const looked_at *x, uint32_t number, int64_t launched_ns)
{
    uint32_t us = tfp_map64_get(&x->firsts, number);
    int64_t since = launched_ns - x->host.start_ns, ns = us == TFP_NONE ? 0 : us * INT64_C(1000) - since;
    return ns > LONG_NS && since / LEAD <= ns;
}

/* Looks at the activities of a stream: the numbers that ran, and times that cannot be. */
static bool look_at_stream(looker *l, const tfp_slim_lane *f)
{
    looked_at *x = of_lane(l, f);
    int64_t start = 0, end = INT64_MIN;
    bool first = true;
    for (const tfp_slim_block *b = f->first; b; b = b->next) {
        for (uint32_t i = 0; i < b->size; i++) {
            const tfp_slim_row *row = &b->rows[i];
            if (l->t->slim->slim_kinds.at[row->kind].kind != TFP_SPAN_ACTIVITY) continue;
            int64_t at = tfp_slim_start_of(b, row), until = at + tfp_slim_duration(f, row);
            if (!first && is_odd(start, end, at, until)) return true;
            uint32_t number = tfp_slim_correlation(f, row);
            if (first) l->failed |= !keep_first(x, number, at);
            if (first || until >= end || at < start) start = at, end = until;
            first = false;
            x->keyless += !number && l->t->slim->slim_kinds.at[row->kind].class != TFP_CLASS_COPY;
            if (x->ran && number >= x->low && number <= x->high)
                x->ran[(number - x->low) >> 3] |= (uint8_t)(1u << ((number - x->low) & 7));
        }
    }
    return false;
}

/* Goes through the calls of a host's lane. Counts launches that lack an activity if `ran` is known, else widens the range of
 * their numbers. Returns whether a call waits, or a launch takes, so long that the begin of the recording is in doubt. */
static bool look_at_calls(const looker *l, const tfp_slim_lane *f, bool ran)
{
    looked_at *x = of_lane(l, f);
    size_t k = 0;
    for (const tfp_slim_block *b = f->first; b && k < f->calls.size; b = b->next) {
        for (uint32_t i = 0; i < b->size; i++) {
            const tfp_slim_row *row = &b->rows[i];
            if (l->t->slim->slim_kinds.at[row->kind].kind != TFP_SPAN_CALL) continue;
            uint32_t number = f->calls.at[k++].correlation;
            unsigned means = l->means[row->kind];
            bool launches = means == TFP_CALL_LAUNCHES || means == TFP_CALL_REPLAYS;
            int64_t ns = tfp_slim_duration(f, row), since = tfp_slim_start_of(b, row) - x->host.start_ns;
            bool waits = means == TFP_CALL_WAITS || means == COPIES;
            if (ns > LONG_NS && (means == TFP_CALL_LAUNCHES || (waits && since / LEAD <= ns))) return true;
            if (!launches || !number) continue;
            if (!ran) {
                if (!x->high || number < x->low) x->low = number;
                if (number > x->high) x->high = number;
            } else if (waits_in_queue(x, number, tfp_slim_start_of(b, row) + ns)) {
                return true;
            } else if (!x->ran || !(x->ran[(number - x->low) >> 3] >> ((number - x->low) & 7) & 1)) {
                x->lost++;
            }
        }
    }
    return false;
}

/* Whether something may be in doubt; in most files two looks at each row of a thread and one at each of a stream. */
static bool look(looker *l)
{
    const struct tfp_slim_tables *s = l->t->slim;
    bool doubtful = false;
    for (size_t i = 0; i < s->slims.size && !doubtful; i++) {
        looked_at *x = of_lane(l, &s->slims.at[i]);
        if (x && x->streams && s->slims.at[i].nesting == TFP_SLIM_HOST)
            doubtful = look_at_calls(l, &s->slims.at[i], false);
    }
    for (size_t i = 0; i < l->t->processes.size && !doubtful && !l->failed; i++) {
        looked_at *x = &l->processes[i];
        size_t bytes = x->high ? ((size_t)(x->high - x->low) >> 3) + 1 : 0;
        doubtful = (x->streams && is_far(x)) || bytes > BITS_MOST;
        if (bytes && !doubtful) l->failed |= !(x->ran = calloc(bytes, 1));
    }
    for (size_t i = 0; i < s->slims.size && !doubtful && !l->failed; i++)
        if (is_stream(l, &s->slims.at[i])) doubtful = look_at_stream(l, &s->slims.at[i]);
    for (size_t i = 0; i < s->slims.size && !doubtful && !l->failed; i++) {
        looked_at *x = of_lane(l, &s->slims.at[i]);
        if (x && x->ran && s->slims.at[i].nesting == TFP_SLIM_HOST)
            doubtful = look_at_calls(l, &s->slims.at[i], true) || x->lost > x->keyless;
    }
    return doubtful;
}

static uint8_t meaning_of(tfp_str call)
{
    tfp_call_meaning means = tfp_call_means(call);
    return means == TFP_CALL_OTHER && tfp_class_of_call(call) != TFP_CLASS_COMPUTE ? COPIES : (uint8_t)means;
}

static bool may_compile(const tfp_slim_kind *k)
{
    return k->kind == TFP_SPAN_OP || k->kind == TFP_SPAN_ANNOTATION || k->kind == TFP_SPAN_FRAME;
}

bool tfp_slims_doubtful(tfp_builder *b)
{
    const tfp_event_tables *t = b->p->events;
    const struct tfp_slim_tables *s = t->slim;
    looker l = { .p = b->p,
                 .t = t,
                 .means = calloc(s->slim_kinds.size + 1, 1),
                 .processes = calloc(t->processes.size + 1, sizeof *l.processes) };
    bool ok = l.means && l.processes, any = false, doubtful = false;
    for (size_t i = 0; ok && i < t->processes.size; i++)
        l.processes[i].host = l.processes[i].device = (extent){ INT64_MAX, INT64_MIN };
    for (size_t i = 0; ok && i < s->slims.size; i++) {
        const tfp_slim_lane *f = &s->slims.at[i];
        looked_at *x = of_lane(&l, f);
        if (!x || f->start_ns > f->end_ns) continue;
        widen(f->nesting == TFP_SLIM_HOST ? &x->host : &x->device, f->start_ns, f->end_ns);
        any |= x->streams |= is_stream(&l, f);
    }
    for (size_t i = 0; ok && any && i < s->slim_kinds.size; i++)
        if (s->slim_kinds.at[i].kind == TFP_SPAN_CALL)
            l.means[i] = meaning_of(tfp_text(b->p, s->slim_kinds.at[i].name));
    for (size_t i = 0; ok && any && b->p->keep & TFP_KEEP_ROWS && !doubtful && i < s->slim_kinds.size; i++)
        doubtful = may_compile(&s->slim_kinds.at[i]) && tfp_compiles(tfp_text(b->p, s->slim_kinds.at[i].name));
    if (ok && any && !doubtful) doubtful = look(&l);
    for (size_t i = 0; l.processes && i < t->processes.size; i++) {
        free(l.processes[i].ran);
        tfp_map64_free(&l.processes[i].firsts);
    }
    free(l.processes);
    free(l.means);
    return check(b, ok && !l.failed) && doubtful;
}
