// SPDX-License-Identifier: Apache-2.0
/* model/join/compact_doubts.c: whether rows of compact lanes (model/tables/compact.h) may hold what the join doubts (doubts.c, times.c),
 * which it finds in spans only. Lanes that are spans already, because their events cross, are looked at too. */
#include "model/build.h"
#include "model/join/doubts.h"
#include "model/span_names.h"
#include "model/tables/events.h"
#include "model/tables/lanes.h"
#include "model/tables/processes.h"
#include "model/tables/profile.h"

#include <stdlib.h>

#define DAY_NS ((int64_t)86400 * 1000000000)
#define SECOND_NS 1000000000
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
    uint8_t *means; /* for each string that names a call what it does (tfp_call_meaning) plus one, or COPIES */
    bool failed;    /* out of memory */
    looked_at *processes;
} looker;

static void widen(extent *e, int64_t start_ns, int64_t end_ns)
{
    if (start_ns < e->start_ns) e->start_ns = start_ns;
    if (end_ns > e->end_ns) e->end_ns = end_ns;
}

static bool is_stream(const looker *l, const tfp_compact_lane *f)
{
    const tfp_lane *lane = &l->p->lanes->at[f->lane];
    return lane->role == TFP_ROLE_STREAM && f->nesting == TFP_NESTING_FLAT && lane->process < l->t->processes.size;
}

static looked_at *of_lane(const looker *l, const tfp_compact_lane *f)
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
    return start_ns < next_ns && over > TFP_EARLY_NS && over > (own < next ? own : next) / 2;
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
    return ns > TFP_LONG_NS && since / TFP_LEAD <= ns;
}

/* Looks at the activities of a stream: the numbers that ran, and times that cannot be. */
static bool look_at_stream(looker *l, const tfp_compact_lane *f)
{
    looked_at *x = of_lane(l, f);
    int64_t start = 0, end = INT64_MIN;
    bool first = true;
    for (tfp_lane_rows r = tfp_lane_rows_of(l->t, f); tfp_lane_rows_next(&r);) {
        if (r.kind->kind != TFP_SPAN_ACTIVITY) continue;
        int64_t at = r.start_ns, until = at + r.duration_ns;
        if (!first && is_odd(start, end, at, until)) return true;
        if (first) l->failed |= !keep_first(x, r.correlation, at);
        if (first || until >= end || at < start) start = at, end = until;
        first = false;
        x->keyless += !r.correlation && r.kind->class != TFP_CLASS_COPY;
        if (x->ran && r.correlation >= x->low && r.correlation <= x->high)
            x->ran[(r.correlation - x->low) >> 3] |= (uint8_t)(1u << ((r.correlation - x->low) & 7));
    }
    return false;
}

/* Adds the spans of lanes that have no rows to the times of their processes. Returns whether they are activities of streams, in which
 * nothing is looked for here. */
static bool widen_by_spans(looker *l)
{
    const tfp_span_columns *s = &l->t->spans;
    uint32_t at = TFP_NONE;
    const tfp_lane *lane = NULL;
    for (size_t i = 0; i < s->size; i++) {
        if (s->kind[i] == TFP_SPAN_OTHER) continue;
        if (s->lane[i] != at) lane = &l->p->lanes->at[at = s->lane[i]]; /* a lane's spans mostly follow each other */
        if (lane->process >= l->t->processes.size) continue;
        if (s->kind[i] == TFP_SPAN_ACTIVITY) {
            const tfp_compact_lane *of = tfp_compact_lane_of(l->t, s->lane[i]);
            bool flat = !of || of->nesting == TFP_NESTING_FLAT;
            if (flat && lane->role == TFP_ROLE_STREAM) return true;
        } else {
            widen(&l->processes[lane->process].host, s->start_ns[i], tfp_add(s->start_ns[i], s->duration_ns[i], NULL));
        }
    }
    return false;
}

static uint8_t meaning_of(tfp_str call)
{
    tfp_call_meaning means = tfp_call_means(call);
    return means == TFP_CALL_OTHER && tfp_class_of_call(call) != TFP_CLASS_COMPUTE ? COPIES : (uint8_t)(means + 1);
}

/* A call, from a row or from a span of an expanded lane. */
typedef struct called {
    uint32_t name, number;
    int64_t start_ns, duration_ns;
} called;

/* Called twice for each call. First (ran is false) it widens the range of launch numbers; then it counts launches whose
 * number no activity has. Returns true if the call is so long that work from before the recording may be in it. */
static bool look_at_call(const looker *l, looked_at *x, const called *c, bool ran)
{
    uint8_t *known = &l->means[c->name];
    if (!*known) *known = meaning_of(tfp_text(l->p, c->name));
    bool runs = *known == TFP_CALL_LAUNCHES + 1, launches = runs || *known == TFP_CALL_REPLAYS + 1;
    bool waits = *known == TFP_CALL_WAITS + 1 || *known == COPIES;
    int64_t since = c->start_ns - x->host.start_ns;
    if (c->duration_ns > TFP_LONG_NS && (runs || (waits && since / TFP_LEAD <= c->duration_ns))) return true;
    if (!launches || !c->number) return false;
    if (!ran) {
        if (!x->high || c->number < x->low) x->low = c->number;
        if (c->number > x->high) x->high = c->number;
    } else if (waits_in_queue(x, c->number, c->start_ns + c->duration_ns)) {
        return true;
    } else if (!x->ran || !(x->ran[(c->number - x->low) >> 3] >> ((c->number - x->low) & 7) & 1)) {
        x->lost++;
    }
    return false;
}

/* Goes through the calls of a host's lane (look_at_call). */
static bool look_at_calls(const looker *l, const tfp_compact_lane *f, bool ran)
{
    looked_at *x = of_lane(l, f);
    for (tfp_lane_rows r = tfp_lane_rows_of(l->t, f); r.calls < f->calls.size && tfp_lane_rows_next(&r);) {
        if (r.kind->kind != TFP_SPAN_CALL) continue;
        called c = { r.kind->name, r.correlation, r.start_ns, r.duration_ns };
        if (look_at_call(l, x, &c, ran)) return true;
    }
    return false;
}

/* The same for calls that are spans, because events of their lanes cross. */
static bool look_at_wide(const looker *l, bool ran)
{
    const tfp_span_columns *s = &l->t->spans;
    for (size_t i = 0; i < s->size; i++) {
        if (s->kind[i] != TFP_SPAN_CALL) continue;
        uint32_t process = l->p->lanes->at[s->lane[i]].process;
        if (process >= l->t->processes.size) continue;
        looked_at *x = &l->processes[process];
        called c = { s->name[i], s->correlation[i], s->start_ns[i], s->duration_ns[i] };
        if ((!ran || x->ran) && look_at_call(l, x, &c, ran)) return true;
    }
    return false;
}

/* Whether something may be in doubt; in most files two looks at each row of a thread and one at each of a stream. */
static bool look(looker *l)
{
    const struct tfp_compact_tables *s = l->t->compact;
    bool doubtful = look_at_wide(l, false);
    for (size_t i = 0; i < s->lanes.size && !doubtful; i++) {
        looked_at *x = of_lane(l, &s->lanes.at[i]);
        if (x && s->lanes.at[i].nesting == TFP_NESTING_HOST) doubtful = look_at_calls(l, &s->lanes.at[i], false);
    }
    for (size_t i = 0; i < l->t->processes.size && !doubtful && !l->failed; i++) {
        looked_at *x = &l->processes[i];
        size_t bytes = x->high ? ((size_t)(x->high - x->low) >> 3) + 1 : 0;
        doubtful = (x->streams && is_far(x)) || bytes > BITS_MOST;
        if (bytes && !doubtful) l->failed |= !(x->ran = calloc(bytes, 1));
    }
    for (size_t i = 0; i < s->lanes.size && !doubtful && !l->failed; i++)
        if (is_stream(l, &s->lanes.at[i])) doubtful = look_at_stream(l, &s->lanes.at[i]);
    for (size_t i = 0; i < s->lanes.size && !doubtful && !l->failed; i++) {
        looked_at *x = of_lane(l, &s->lanes.at[i]);
        if (x && x->ran && s->lanes.at[i].nesting == TFP_NESTING_HOST)
            doubtful = look_at_calls(l, &s->lanes.at[i], true);
    }
    if (!doubtful && !l->failed) doubtful = look_at_wide(l, true);
    for (size_t i = 0; i < l->t->processes.size && !doubtful; i++)
        doubtful = l->processes[i].lost > l->processes[i].keyless;
    return doubtful;
}

static bool may_compile(unsigned kind)
{
    return kind == TFP_SPAN_OP || kind == TFP_SPAN_ANNOTATION || kind == TFP_SPAN_FRAME;
}

/* Whether sums are asked for that leave out steps in which mostly kernels were compiled. */
static bool leaves_out_compiling(const tfp_profile *p)
{
    return p->reads & TFP_READS_TIMES || !(p->reads & TFP_READS_ONE_STEP) || p->kept.which == TFP_STEP_MEAN;
}

static bool compiles(looker *l)
{
    const struct tfp_compact_tables *k = l->t->compact;
    const tfp_span_columns *s = &l->t->spans;
    for (size_t i = 0; i < k->kinds.size; i++)
        if (may_compile(k->kinds.at[i].kind) && tfp_compiles(tfp_text(l->p, k->kinds.at[i].name))) return true;
    bool *seen = calloc(l->p->strings.count + 1, sizeof *seen), found = false; /* by name */
    l->failed |= !seen;
    for (size_t i = 0; seen && i < s->size && !found; i++) {
        if (s->duration_ns[i] <= TFP_LONG_NS || !may_compile(s->kind[i]) || seen[s->name[i]]) continue;
        seen[s->name[i]] = true;
        found = tfp_compiles(tfp_text(l->p, s->name[i]));
    }
    free(seen);
    return found;
}

bool tfp_compact_doubtful(tfp_builder *b)
{
    const tfp_event_tables *t = b->p->events;
    const struct tfp_compact_tables *s = t->compact;
    looker l = { .p = b->p,
                 .t = t,
                 .means = calloc(b->p->strings.count + 1, 1),
                 .processes = calloc(t->processes.size + 1, sizeof *l.processes) };
    bool ok = l.means && l.processes, any = false, doubtful = false;
    for (size_t i = 0; ok && i < t->processes.size; i++)
        l.processes[i].host = l.processes[i].device = (extent){ INT64_MAX, INT64_MIN };
    for (size_t i = 0; ok && i < s->lanes.size; i++) {
        const tfp_compact_lane *f = &s->lanes.at[i];
        looked_at *x = of_lane(&l, f);
        if (!x || f->start_ns > f->end_ns) continue;
        widen(f->nesting == TFP_NESTING_HOST ? &x->host : &x->device, f->start_ns, f->end_ns);
        x->streams |= is_stream(&l, f);
        any |= x->streams || f->calls.size;
    }
    if (ok && any) doubtful = widen_by_spans(&l);
    if (ok && any && !doubtful && leaves_out_compiling(b->p)) doubtful = compiles(&l);
    if (ok && any && !doubtful) doubtful = look(&l);
    for (size_t i = 0; l.processes && i < t->processes.size; i++) {
        free(l.processes[i].ran);
        tfp_map64_free(&l.processes[i].firsts);
    }
    free(l.processes);
    free(l.means);
    return check(b, ok && !l.failed) && doubtful;
}
