// SPDX-License-Identifier: Apache-2.0
/* model/join/clocks.c: whether the clock of a process's devices is another one than its host's, in the whole recording or
 * in a part of it, as where one of them is faster. A clock is late if a device that does nothing lets launched work wait,
 * or works on after the host has waited for it; it is early if work begins before its launch. And whether the times have
 * another unit than they should. */
#include "model/join/timeline.h"

#include <math.h>

#define LATE_NS 1000000000 /* so long work may wait for what was launched before the recording */
#define WAIT_NS 1000000    /* so long launched work waits for an idle device only if the clocks differ */
#define DELAY_NS 100000    /* all kernels are so late only on a busy device, or if the clocks differ */
#define LINE_NS 20000      /* so far from their line delays may be */
#define THIRDS 3
#define SYNCS 3    /* fewer calls that wait say little of a third */
#define GAPS 3     /* fewer idle times say nothing */
#define LAUNCHES 8 /* the same */
#define KERNELS 8  /* fewer short ones say nothing of the unit */
#define CALLS 64   /* the same of long operators and calls */

typedef struct third {
    int64_t gaps, late;             /* idle times of the devices; those in which launched work waits */
    int64_t launched, early, syncs; /* syncs: calls that wait for everything */
    int64_t unsynced;               /* those after which what they waited for goes on */
    int64_t early_ns, least_ns, unsynced_ns;
    int64_t idle_ns; /* length of the gaps */
    int64_t delays,
        alike; /* first activities after idle times; those that are hardly later than the least late of all */
} third;

/* The first activity after an idle time: how long after its launch it started. */
typedef struct delay {
    int64_t at_ns, ns;
} delay;

typedef struct clocks {
    const tfp_timeline *t;
    third all[THIRDS];
    TFP_VEC(delay) delays; /* by time */
} clocks;

static third *third_of(clocks *c, size_t part) { return &c->all[part * THIRDS / c->t->count]; }

/* Devices whose work lies farther from the host's than either is long. Work that begins later may also have waited. */
static int64_t lies_apart(const tfp_timeline *t)
{
    const tfp_join *x = t->x;
    const tfp_span_columns *s = &x->t->spans;
    int64_t start[2] = { INT64_MAX, INT64_MAX }, end[2] = { INT64_MIN, INT64_MIN }; /* of the host, of devices */
    for (uint32_t lane = x->first_lane[t->process]; lane != TFP_NONE; lane = x->next_lane[lane]) {
        tfp_lane_role role = x->p->lanes->at[lane].role;
        if (role != TFP_ROLE_THREAD && role != TFP_ROLE_STREAM) continue;
        int device = role == TFP_ROLE_STREAM;
        int64_t first = s->start_ns[x->order[x->lane_first[lane]]],
                last = tfp_span_end(s, x->order[x->lane_first[lane + 1] - 1]);
        if (first < start[device]) start[device] = first;
        if (last > end[device]) end[device] = last;
    }
    if (end[0] < start[0] || end[1] < start[1]) return 0;
    int64_t late = tfp_add(start[1], -end[0], NULL), early = tfp_add(start[0], -end[1], NULL);
    int64_t length = tfp_add(end[0], -start[0], NULL), other = tfp_add(end[1], -start[1], NULL);
    if (other > length) length = other;
    int64_t ns = tfp_add(start[1], -start[0], NULL);
    return early > length || (late > length && late > LATE_NS) ? (ns < 0 ? -ns : ns) : 0;
}

/* A time in which no device works, up to an activity. */
static bool add_gap(clocks *c, third *of, int64_t idle_ns, uint32_t activity)
{
    const tfp_span_columns *s = &c->t->x->t->spans;
    uint32_t launch = s->launch[activity];
    if (launch == TFP_NONE) return true;
    int64_t start = s->start_ns[activity], launched = tfp_span_end(s, launch),
            since = launched > idle_ns ? launched : idle_ns, gap_ns = tfp_add(start, -idle_ns, NULL);
    if (!tfp_push(&c->delays, ((delay){ start, tfp_add(start, -launched, NULL) }))) return false;
    if (gap_ns < WAIT_NS) return true;
    of->gaps++;
    of->idle_ns = tfp_add(of->idle_ns, gap_ns, NULL);
    of->late += tfp_add(start, -since, NULL) >= WAIT_NS;
    return true;
}

static bool add_parts(clocks *c)
{
    int64_t idle_ns = INT64_MIN; /* since when no device works; INT64_MIN: there was no work yet */
    int64_t busy = 0;
    bool idle = false;
    for (size_t i = 0; i < c->t->count; i++) {
        const tfp_time_part *p = &c->t->parts[i];
        third *of = third_of(c, i);
        bool begins = idle && p->first != TFP_NONE && idle_ns != INT64_MIN;
        if (begins && !add_gap(c, of, idle_ns, p->first)) return false;
        busy += p->busy;
        idle = busy <= 0;
        if (p->end_ns > idle_ns) idle_ns = p->end_ns;
        of->launched += p->launched;
        of->early += p->early;
        if (p->early_ns > of->early_ns) of->early_ns = p->early_ns;
        if (p->least_ns < of->least_ns) of->least_ns = p->least_ns;
        of->syncs += p->blocking;
        of->unsynced += p->over;
        if (p->over_ns > of->unsynced_ns) of->unsynced_ns = p->over_ns;
    }
    return true;
}

/* Looks at calls that wait for everything that was launched in earlier parts. */
static void add_syncs(clocks *c, const uint32_t *syncs, size_t count)
{
    const tfp_timeline *t = c->t;
    const tfp_span_columns *s = &t->x->t->spans;
    int64_t done_ns = INT64_MIN;
    for (size_t i = 0, k = 0; i < t->count && k < count; i++) {
        for (; k < count && tfp_timeline_at(t, s->start_ns[syncs[k]]) <= i; k++) { /* by start */
            third *of = third_of(c, i);
            int64_t over = done_ns == INT64_MIN ? 0 : tfp_add(done_ns, -tfp_span_end(s, syncs[k]), NULL);
            of->syncs += done_ns != INT64_MIN;
            of->unsynced += over > TFP_SYNC_NS;
            if (over > of->unsynced_ns) of->unsynced_ns = over;
        }
        if (t->parts[i].done_ns > done_ns) done_ns = t->parts[i].done_ns;
    }
}

/* ---- delays on one line ---- */

/* From the first delay to another one. */
static double since(const clocks *c, size_t i)
{
    return (double)tfp_add(c->delays.at[i].at_ns, -c->delays.at[0].at_ns, NULL);
}

/* The line through the delays, by least squares: how long they are at the first and at the last of them. */
static void fit(const clocks *c, double *first, double *last)
{
    double n = (double)c->delays.size, x = 0, y = 0, xx = 0, xy = 0;
    for (size_t i = 0; i < c->delays.size; i++) {
        double at = since(c, i), ns = (double)c->delays.at[i].ns;
        x += at / n;
        y += ns / n;
    }
    for (size_t i = 0; i < c->delays.size; i++) {
        double at = since(c, i) - x;
        xx += at * at;
        xy += at * ((double)c->delays.at[i].ns - y);
    }
    double slope = xx > 0 ? xy / xx : 0;
    *first = y - slope * x;
    *last = *first + slope * since(c, c->delays.size - 1);
}

/* Whether some work starts far sooner after its launch than the line says: then it is not the clock that is late. Copies whose calls
 * stage their data first are alike. */
static bool is_undercut(const clocks *c, double first, double last)
{
    const tfp_timeline *t = c->t;
    double length = since(c, c->delays.size - 1), most = fabs(first) > fabs(last) ? fabs(first) : fabs(last);
    size_t parts = 0, under = 0;
    for (size_t i = 0; i < t->count && length > 0; i++) {
        const tfp_time_part *p = &t->parts[i];
        if (p->least_ns == INT64_MAX) continue;
        double at = (double)tfp_add(p->first_ns, -c->delays.at[0].at_ns, NULL);
        parts++;
        under += (double)p->least_ns < first + (last - first) * at / length - LINE_NS - most / 20;
    }
    return under * 10 > parts;
}

/* Work that follows idle times starts a few microseconds after its launch. If it starts later, and all delays lie on one line, they are
 * those of the clock: delays of queues differ. Returns the longest; 0: they do not. */
static int64_t on_a_line(const clocks *c)
{
    double first, last, length, near = 0;
    if (c->delays.size < LAUNCHES) return 0;
    fit(c, &first, &last);
    double most = fabs(first) > fabs(last) ? fabs(first) : fabs(last);
    if (most < DELAY_NS) return 0;
    length = since(c, c->delays.size - 1);
    for (size_t i = 0; i < c->delays.size && length > 0; i++) {
        double at = since(c, i);
        double off = (double)c->delays.at[i].ns - first - (last - first) * at / length;
        near += fabs(off) <= LINE_NS + most / 20;
    }
    return near * 10 >= (double)c->delays.size * 9 && !is_undercut(c, first, last) ? (int64_t)most : 0;
}

static void add_alike(clocks *c)
{
    for (size_t i = 0; i < c->delays.size; i++) {
        third *of = third_of(c, tfp_timeline_at(c->t, c->delays.at[i].at_ns));
        of->delays++;
        of->alike += tfp_add(c->delays.at[i].ns, -of->least_ns, NULL) <= LINE_NS + of->least_ns / 10;
    }
}

/* ---- all of it ---- */

/* All work is late, though the device is idle between. */
static bool is_late(const third *of, int64_t third_ns)
{
    bool waits = of->gaps >= GAPS && of->late * 10 >= of->gaps * 9;
    bool idles = of->launched >= LAUNCHES && of->idle_ns >= third_ns / 5;
    return (waits || idles) && of->least_ns >= DELAY_NS;
}

/* everywhere: work is late in all thirds. Where it is not, a host that runs ahead of a device that waits for another one
 * looks the same, but for its delays, which differ. */
static int64_t apart_in(const third *of, int64_t third_ns, bool everywhere)
{
    bool is_early = of->early * 2 > of->launched && of->launched >= LAUNCHES;
    /* a late clock moves all work away from its launch */
    bool goes_on = of->syncs >= SYNCS && of->unsynced * 2 > of->syncs && of->least_ns >= -LINE_NS;
    bool late = is_late(of, third_ns) && (everywhere || (of->delays && of->alike * 10 >= of->delays * 9));
    int64_t ns = is_early ? of->early_ns : 0;
    if (late && of->least_ns > ns) ns = of->least_ns;
    return goes_on && of->unsynced_ns > ns ? of->unsynced_ns : ns;
}

/* On a device that is never idle, and for which the host waits once, as at the end of a recording: how long its work goes on after all
 * calls that waited for it; 0: it does not, or so shortly that it says little. */
static int64_t after_all_syncs(const clocks *c)
{
    int64_t syncs = 0, unsynced = 0, least = INT64_MAX, most = 0;
    for (int i = 0; i < THIRDS; i++) {
        const third *of = &c->all[i];
        syncs += of->syncs;
        unsynced += of->unsynced;
        if (of->least_ns < least) least = of->least_ns;
        if (of->unsynced_ns > most) most = of->unsynced_ns;
    }
    return syncs && unsynced * 2 > syncs && most >= WAIT_NS && least >= -LINE_NS ? most : 0;
}

bool tfp_clocks_apart(const tfp_timeline *t, const uint32_t *syncs, size_t sync_count, int64_t *ns)
{
    clocks c = { .t = t };
    int64_t launched = 0, early = 0, early_ns = 0;
    *ns = t->count ? lies_apart(t) : 0;
    if (!t->count || *ns) return true;
    for (int i = 0; i < THIRDS; i++) c.all[i] = (third){ .least_ns = INT64_MAX };
    bool ok = add_parts(&c);
    if (ok) add_syncs(&c, syncs, sync_count);
    if (ok) add_alike(&c);
    int64_t third_ns = t->part_ns * (int64_t)(t->count / THIRDS);
    bool everywhere = true;
    for (int i = 0; i < THIRDS; i++) everywhere = everywhere && is_late(&c.all[i], third_ns);
    for (int i = 0; i < THIRDS && ok; i++) {
        const third *of = &c.all[i];
        int64_t apart = apart_in(of, third_ns, everywhere);
        if (apart > *ns) *ns = apart;
        launched += of->launched;
        early += of->early;
        if (of->early_ns > early_ns) early_ns = of->early_ns;
    }
    if (early * 2 > launched && early_ns > *ns) *ns = early_ns;
    if (ok && !*ns) *ns = after_all_syncs(&c);
    if (ok && !*ns) *ns = on_a_line(&c);
    tfp_vec_free(&c.delays);
    return ok;
}

bool tfp_units_differ(const tfp_timeline *t)
{
    const tfp_lengths *l = &t->lengths;
    bool brief = l->brief >= KERNELS && l->brief * 2 > l->kernels;
    /* Nanoseconds that were read as microseconds have no fractions; where a queue is full, long kernels make long calls. */
    bool slow = !l->fractions && l->quick * 10 < l->calls && l->short_kernels * 10 < l->kernels;
    bool calls = slow || l->tiny * 10 > l->calls * 9;
    return brief || (l->kernels >= KERNELS && l->calls >= CALLS && calls);
}
