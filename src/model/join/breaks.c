// SPDX-License-Identifier: Apache-2.0
/* model/join/breaks.c: where a process's recording has a hole, where another recording was appended to it, and whether several are mixed. A
 * process counts its launches and operators up. While it is idle it counts nothing; in a hole the numbers go on; in another recording they begin
 * again. */
#include "model/join/timeline.h"
#include "model/tables/doubts.h"
#include "model/tables/profile.h"
#include "model/tables/runs.h"
#include "model/tables/step_marks.h"

#include <stdlib.h>

#define HOLE_NS 1000000
#define HOLE_NUMBERS 32 /* fewer numbers may be those of calls that profilers leave out */
#define LOOKS 8         /* at numbers that may begin again */
#define CALLS_OF 8      /* where only calls have numbers, one of eight must be missing */
#define REPEATS 8       /* fewer numbers that come again say nothing */
#define REPEATS_OF 16   /* and so do numbers of less than one in sixteen calls and operators */
#define CROSSINGS 24    /* fewer operators that overlap without one being in the other say nothing */
#define CROSSING_OF 8   /* one of so many may cross in a sound recording */

typedef enum verdict { UNKNOWN, SOUND, HOLE, AGAIN } verdict;

typedef struct numbers {        /* of one kind, on one side of a moment */
    tfp_number_range all, near; /* near: of the nearest part that has any */
} numbers;

typedef struct gap {    /* a time in which nothing was recorded */
    size_t last, first; /* the parts before and after it; the same: there is no gap */
    int64_t start_ns, end_ns;
} gap;

static int64_t length_of(gap g) { return tfp_add(g.end_ns, -g.start_ns, NULL); }

typedef struct breaks {
    const tfp_timeline *t;
    numbers *before, *after; /* for each part and kind: of all parts up to it, from it on */
    gap gap;                 /* the longest one since there were numbers */
    size_t later, again;     /* numbers after the gap; those that were there before it */
    size_t looks;
    bool found, failed; /* a break was found; out of memory */
} breaks;

static tfp_number_range unite(tfp_number_range a, tfp_number_range b)
{
    if (!a.high || !b.high) return a.high ? a : b;
    return (tfp_number_range){ a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high };
}

static numbers add(numbers n, tfp_number_range of) { return (numbers){ unite(n.all, of), of.high ? of : n.near }; }

static void sum_numbers(breaks *b)
{
    for (size_t kind = 0; kind < TFP_NUMBERS_KINDS; kind++) {
        numbers n = { 0 };
        for (size_t i = 0; i < b->t->count; i++)
            b->before[i * TFP_NUMBERS_KINDS + kind] = n = add(n, b->t->parts[i].numbers[kind]);
        n = (numbers){ 0 };
        for (size_t i = b->t->count; i-- > 0;)
            b->after[i * TFP_NUMBERS_KINDS + kind] = n = add(n, b->t->parts[i].numbers[kind]);
    }
}

/* Operators are all recorded, calls are not. */
static bool has_ops(const breaks *b)
{
    return b->before[(b->t->count - 1) * TFP_NUMBERS_KINDS + TFP_NUMBERS_OF_OPS].all.high > 0;
}

/* Whether the numbers go on across a gap, after which they would have come at the rate of the rest of the recording. */
static verdict judge_jump(const breaks *b, tfp_number_range before, tfp_number_range after, int64_t gap_ns,
                          bool of_calls)
{
    double missing = (double)after.low - before.high - 1,
           rest_ns = (double)b->t->end_ns - (double)b->t->start_ns - (double)gap_ns,
           counted = (double)after.high - before.low - missing;
    bool many = !of_calls || missing * CALLS_OF >= counted;
    return many && missing >= HOLE_NUMBERS && missing * rest_ns * 2 >= counted * (double)gap_ns ? HOLE : SOUND;
}

typedef bool visitor(breaks *b, tfp_map64 *seen, uint32_t span, uint32_t number);

static bool note_before(breaks *b, tfp_map64 *seen, uint32_t span, uint32_t number)
{
    return b->t->x->t->spans.start_ns[span] > b->gap.start_ns || tfp_map64_put(seen, number, 1);
}

static bool count_after(breaks *b, tfp_map64 *seen, uint32_t span, uint32_t number)
{
    if (b->t->x->t->spans.start_ns[span] < b->gap.end_ns) return true;
    b->later++;
    b->again += tfp_map64_get(seen, number) != TFP_NONE;
    return true;
}

static void visit(breaks *b, size_t kind, visitor *look, tfp_map64 *seen)
{
    const tfp_join *x = b->t->x;
    const tfp_span_columns *s = &x->t->spans;
    bool calls = kind == TFP_NUMBERS_OF_CALLS;
    const uint32_t *column = calls ? s->correlation : s->external;
    for (uint32_t lane = x->first_lane[b->t->process]; lane != TFP_NONE; lane = x->next_lane[lane])
        for (uint32_t k = x->lane_first[lane]; k < x->lane_first[lane + 1] && !b->failed; k++) {
            uint32_t span = x->order[k];
            if (s->kind[span] == (calls ? TFP_SPAN_CALL : TFP_SPAN_OP) && column[span])
                b->failed |= !look(b, seen, span, column[span]);
        }
}

/* Whether a quarter of the numbers after the gap were there before it. Each look goes through all spans. */
static bool come_again(breaks *b, size_t kind)
{
    tfp_map64 seen = { 0 };
    if (b->looks++ >= LOOKS) return false;
    b->later = b->again = 0;
    visit(b, kind, note_before, &seen);
    visit(b, kind, count_after, &seen);
    tfp_map64_free(&seen);
    return b->again >= REPEATS && b->again * 4 >= b->later;
}

/* What a gap is, by the numbers of a kind. */
static verdict judge(breaks *b, size_t kind)
{
    const numbers *x = &b->before[b->gap.last * TFP_NUMBERS_KINDS + kind],
                  *y = &b->after[b->gap.first * TFP_NUMBERS_KINDS + kind];
    bool calls = kind == TFP_NUMBERS_OF_CALLS;
    if (!x->all.high || !y->all.high) return UNKNOWN;
    if (y->all.low > x->all.high) return judge_jump(b, x->all, y->all, length_of(b->gap), calls && !has_ops(b));
    uint32_t counted = x->all.high - x->all.low, later = y->all.high - y->all.low;
    bool begins = y->near.high - y->all.low <= later / 10, ended = x->all.high - x->near.low <= counted / 10;
    bool again = begins && ended && counted >= REPEATS && x->all.high - y->all.low >= counted / 4;
    return again && come_again(b, kind) ? AGAIN : UNKNOWN;
}

/* How much of a step lies in a break. One that ends before another recording begins is whole. */
static int64_t common(const tfp_step_window *w, tfp_doubt_kind kind, int64_t start_ns, int64_t end_ns)
{
    if (kind == TFP_DOUBT_APPENDED && w->end_ns < end_ns) return 0;
    int64_t from = w->start_ns > start_ns ? w->start_ns : start_ns, to = w->end_ns < end_ns ? w->end_ns : end_ns;
    return to > from ? tfp_add(to, -from, NULL) : 0;
}

/* Adds rows for the steps that a break touches, or one outside of all steps. */
static void add_rows(const breaks *b, tfp_doubt_kind kind, int64_t start_ns, int64_t end_ns, uint32_t name)
{
    tfp_join *x = b->t->x;
    tfp_doubt row = { kind, b->t->process, TFP_NONE, name, 1, 0, tfp_add(end_ns, -start_ns, NULL) };
    bool any = false;
    for (size_t i = 0; i < x->t->windows.size; i++) {
        const tfp_step_window *w = &x->t->windows.at[i];
        int64_t length = tfp_add(w->end_ns, -w->start_ns, NULL), part = common(w, kind, start_ns, end_ns);
        if (w->process != b->t->process || tfp_mul(part, 50, NULL) <= (length < row.ns ? length : row.ns) ||
            (any && w->device))
            continue;
        tfp_doubt of = row;
        of.step = w->step;
        if (any) of.ns = 0, of.count = 1; /* the time counts once */
        any = true;
        tfp_join_keep(x, tfp_push(&x->t->doubts, of));
    }
    if (!any) tfp_join_keep(x, tfp_push(&x->t->doubts, row));
}

static void judge_gap(breaks *b)
{
    const tfp_timeline *t = b->t;
    size_t found[AGAIN + 1] = { 0 };
    if (b->gap.last == b->gap.first) return;
    for (size_t kind = 0; kind < TFP_NUMBERS_KINDS; kind++) found[judge(b, kind)]++;
    if (found[SOUND] || !(found[HOLE] || found[AGAIN])) return;
    uint32_t activity = t->parts[b->gap.first].first;
    uint32_t name = activity == TFP_NONE ? 0 : t->x->t->spans.name[activity];
    b->found = true;
    add_rows(b, found[AGAIN] ? TFP_DOUBT_APPENDED : TFP_DOUBT_HOLE, b->gap.start_ns, b->gap.end_ns, name);
}

/* Whether a part has numbers. */
static bool counts(const tfp_time_part *p)
{
    return p->numbers[TFP_NUMBERS_OF_CALLS].high || p->numbers[TFP_NUMBERS_OF_OPS].high;
}

/* Goes through the gaps. Of several between the same numbers, in which devices still work, only the longest counts. */
static void find_breaks(breaks *b)
{
    const tfp_time_part *parts = b->t->parts;
    size_t last = b->t->count;
    for (size_t i = 0; i < b->t->count; i++) {
        if (parts[i].first_ns > parts[i].last_ns) continue;
        gap g = { last, i, last < i ? parts[last].last_ns : 0, parts[i].first_ns };
        bool is_long = last + 1 < i && length_of(g) >= HOLE_NS;
        if (is_long && length_of(g) > length_of(b->gap)) b->gap = g;
        if (counts(&parts[i])) {
            judge_gap(b);
            b->gap = (gap){ 0 };
        }
        last = i;
    }
}

/* ---- by numbers of steps ---- */

/* Whether nothing starts for most of a time. */
static bool is_empty(const tfp_timeline *t, int64_t start_ns, int64_t end_ns)
{
    size_t first = tfp_timeline_at(t, start_ns) + 1, end = tfp_timeline_at(t, end_ns), empty = 0;
    for (size_t i = first; i < end; i++) empty += t->parts[i].first_ns > t->parts[i].last_ns;
    return end > first + 1 && empty * 2 > end - first;
}

/* Whether another recording begins there, after such a time. Between epochs the time is shorter. */
static bool begins_again(const breaks *b, int64_t start_ns, int64_t gap_ns)
{
    const tfp_join *x = b->t->x;
    int64_t rest_ns = tfp_add(tfp_add(b->t->end_ns, -b->t->start_ns, NULL), -gap_ns, NULL);
    for (size_t i = 0; i < x->restarts.size; i++)
        if (x->restarts.at[i].process == b->t->process && x->restarts.at[i].start_ns == start_ns)
            return !x->restarts.at[i].epoch || gap_ns > rest_ns / 2;
    return false;
}

/* From when nothing was recorded up to a step. */
static int64_t empty_since(const tfp_timeline *t, int64_t at_ns)
{
    for (size_t i = tfp_timeline_at(t, at_ns) + 1; i-- > 0;)
        if (t->parts[i].first_ns <= t->parts[i].last_ns && t->parts[i].last_ns < at_ns) return t->parts[i].last_ns;
    return at_ns;
}

static int64_t skipped(const breaks *b, const tfp_step_window *w)
{
    const tfp_run_tables *runs = b->t->x->p->runs;
    return tfp_add(tfp_add(runs->steps.at[w[1].step].id, -runs->steps.at[w[0].step].id, NULL), -1, NULL);
}

/* Without numbers of launches and operators those of steps tell breaks: of steps that mostly have the next number some are skipped, or
 * the numbers begin again, and nothing was recorded between them. */
static void check_steps(breaks *b, bool numbered)
{
    tfp_join *x = b->t->x;
    size_t first = 0, end, next = 0, skips = 0;
    while (first < x->t->windows.size && x->t->windows.at[first].process != b->t->process) first++;
    for (end = first; end < x->t->windows.size && x->t->windows.at[end].process == b->t->process;) end++;
    const tfp_step_window *w = x->t->windows.at;
    for (size_t i = first; i + 1 < end; i++) {
        if (w[i].device || w[i + 1].device) return;
        next += !skipped(b, &w[i]);
        skips += skipped(b, &w[i]) > 0;
    }
    for (size_t i = first; i + 1 < end && !x->b->status; i++) {
        int64_t from = w[i].end_ns, to = w[i + 1].start_ns;
        int64_t gap_ns = tfp_add(to, -from, NULL);
        bool again = begins_again(b, to, gap_ns), skip = !numbered && skips * 2 < next && skipped(b, &w[i]) > 0;
        if ((again || skip) && gap_ns >= HOLE_NS && is_empty(b->t, from, to))
            add_rows(b, again ? TFP_DOUBT_APPENDED : TFP_DOUBT_HOLE, again ? from : empty_since(b->t, from), to, 0);
    }
}

bool tfp_doubt_breaks(const tfp_timeline *t)
{
    breaks b = { .t = t };
    size_t size = (t->count + 1) * TFP_NUMBERS_KINDS;
    if (!t->count) return true;
    b.before = malloc(size * sizeof *b.before);
    b.after = malloc(size * sizeof *b.after);
    bool ok = b.before && b.after;
    if (ok) sum_numbers(&b);
    if (ok) find_breaks(&b);
    bool numbered = false;
    for (size_t kind = 0; ok && kind < TFP_NUMBERS_KINDS; kind++) numbered |= b.after[kind].all.high > 0;
    if (ok && !(numbered && b.found)) check_steps(&b, numbered);
    free(b.before);
    free(b.after);
    return ok && !b.failed;
}

/* ---- several recordings at once ---- */

/* Whether numbers come again while the first ones still come, as where the recordings of two ranks lie over each other. */
static bool numbers_mix(const tfp_join *x, uint32_t process, size_t host_ops)
{
    const tfp_repeat *all = x->repeats.at;
    const tfp_span_columns *s = &x->t->spans;
    size_t pairs = 0, within = 0;
    int64_t last_ns = INT64_MIN;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < x->repeats.size; i++) {
            bool first = !i || all[i - 1].process != all[i].process || all[i - 1].number != all[i].number;
            if (all[i].process != process || !first) continue;
            if (pass) {
                within += all[i].start_ns < last_ns;
                continue;
            }
            pairs++;
            if (s->start_ns[all[i].first] > last_ns) last_ns = s->start_ns[all[i].first];
        }
    }
    return pairs >= REPEATS && pairs * REPEATS_OF >= host_ops && within * 2 >= pairs;
}

bool tfp_is_mixed(const tfp_join *x, uint32_t process, size_t host_ops)
{
    size_t crossings = x->crossings ? x->crossings[process] : 0;
    return (crossings >= CROSSINGS && crossings * CROSSING_OF >= host_ops) ||
           (x->repeats.size && numbers_mix(x, process, host_ops));
}
