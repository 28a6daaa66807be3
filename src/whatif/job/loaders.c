// SPDX-License-Identifier: Apache-2.0
/* whatif/job/loaders.c: waits for the workers of a data loader. Taking a batch that is there is work of the host. A
 * longer wait means that the batch was late: its workers do not get faster, so a change shortens such a wait only as
 * far as it can have an effect on them. */
#include "query/order.h"
#include "whatif/job/job.h"

#include <math.h>

#define LATE_OVER_US 100 /* a batch is late if its wait is longer than this over taking one that is there, */
#define LATE_TIMES 2     /* and than so many times that */
/* Waits that are all long are no taking of batches that are there: all are late. */
#define ALL_LATE_US 3000
#define ALL_LATE_PART 0.1 /* of the time from a batch to the next */
#define LONG_PART 0.5     /* share of the usual time between batches: a longer delay is no other program's */
#define MUCH_PART 0.07    /* share of the time: shorter delays are the workers' if they sum up to this */

/* One wait: the anchors of its start and end. */
typedef struct wait {
    uint32_t start, end;
    double length;
    double idle; /* the part in Python's functions that only wait, such as poll */
    bool framed; /* the trace tells that part */
} wait;

typedef TFP_VEC(wait) waits;

static bool is_loading(const tfp_job *j, const tfp_job_anchor *a)
{
    return a->kind == TFP_ANCHOR_DATA && a->ends &&
           tfp_str_has(tfp_job_name(j, a->span), TFP_STR("MultiProcessingDataLoaderIter"));
}

/* Collects all waits by rank, thread and time; a wait inside another one is a part of that. */
static bool collect(const tfp_job *j, waits *out)
{
    for (uint32_t i = 0; i < j->anchors.count; i++) {
        const tfp_job_anchor *a = &j->anchors.list[i];
        if (!is_loading(j, a)) continue;
        uint32_t start = j->anchors.of_call[a->span];
        if (start >= i || a->data != start) continue;
        if (!tfp_push(out, ((wait){ .start = start, .end = i, .length = a->at - j->anchors.list[start].at })))
            return false;
    }
    return true;
}

static bool begins_by(const tfp_job_anchor *a, uint32_t unit, uint32_t lane, double at)
{
    if (a->unit != unit) return a->unit < unit;
    return a->lane != lane ? a->lane < lane : a->at <= at;
}

/* The wait around a time of a thread; NULL: none. */
static wait *wait_around(const tfp_job *j, const waits *w, uint32_t unit, uint32_t lane, double at)
{
    size_t later;
    TFP_LOWER_BOUND(later, 0, w->size, begins_by(&j->anchors.list[w->at[later].start], unit, lane, at));
    const tfp_job_anchor *end = later ? &j->anchors.list[w->at[later - 1].end] : NULL;
    return end && end->unit == unit && end->lane == lane && at < end->at ? &w->at[later - 1] : NULL;
}

static bool add_frames(const tfp_job *j, waits *w)
{
    uint32_t count = w->size ? tfp_job_span_count(j) : 0;
    uint8_t *known = TFP_NEW(j->arena, uint8_t, w->size ? tfp_job_name_count(j) : 1);
    for (uint32_t i = 0; known && i < count; i++) {
        tfp_job_frame frame;
        wait *around = tfp_job_frame_of(j, i, &frame) ? wait_around(j, w, frame.unit, frame.lane, frame.start) : NULL;
        if (!around) continue;
        around->framed = true;
        if (tfp_job_frame_waits(j, i, known)) around->idle += frame.length;
    }
    return known != NULL;
}

/* The time from the batch before to this one. NAN: there is none. */
static double period(const tfp_job *j, const waits *w, size_t i)
{
    const tfp_job_anchor *list = j->anchors.list;
    if (!i || list[w->at[i].end].lane != list[w->at[i - 1].end].lane) return NAN;
    return list[w->at[i].end].at - list[w->at[i - 1].end].at;
}

static double usual_period(const tfp_job *j, const waits *w, double *scratch)
{
    size_t count = 0;
    for (size_t i = 0; i < w->size; i++)
        if (!isnan(period(j, w, i))) scratch[count++] = period(j, w, i);
    return tfp_job_quantile(scratch, count, 0.5);
}

/* The time to take a batch that is there: the part of a wait that is work, if frames tell. 0: no batch ever was. */
static double time_to_take(const waits *w, double usual, double *scratch)
{
    bool framed = w->size && w->at[w->size - 1].framed;
    for (size_t i = 0; i < w->size; i++)
        scratch[i] = w->at[i].length - (w->at[i].idle < w->at[i].length ? w->at[i].idle : w->at[i].length);
    double take = tfp_job_quantile(scratch, w->size, 0.25);
    if (framed) return take;
    return take > ALL_LATE_US && take > ALL_LATE_PART * usual ? 0 : take;
}

static bool is_late(const wait *w, double take)
{
    return w->length > LATE_TIMES * take && w->length > take + LATE_OVER_US;
}

static bool is_long(const wait *w, double take, double usual) { return w->length - take > LONG_PART * usual; }

/* Whether the workers are the reason for the shorter ones among the late batches, and not other programs on the machine. */
static bool delays_much(const waits *w, double take, double usual)
{
    double sum = 0;
    for (size_t i = 1; i < w->size; i++)
        if (is_late(&w->at[i], take) && !is_long(&w->at[i], take, usual)) sum += w->at[i].length - take;
    return sum >= MUCH_PART * usual * (double)w->size;
}

/* If workers set the pace, a late batch comes no earlier than recorded, and its wait has no more work than taking it.
 * Otherwise its wait keeps its length, and it comes no earlier than the workers could know of an earlier step. */
static void hold_late(tfp_job *j, const wait *w, double take, bool paced)
{
    tfp_job_anchor *a = &j->anchors.list[w->end];
    a->floor = a->at;
    a->floor_moves = !paced;
    for (uint32_t k = w->start + 1; paced && k <= w->end; k++) j->anchors.list[k].own *= take / w->length;
}

/* How much shorter than the mean period the shortest one with a batch in time was. */
static double slack_of(const tfp_job *j, const waits *w, double take)
{
    double sum = 0, least = INFINITY, count = 0;
    for (size_t i = 0; i < w->size; i++) {
        double us = period(j, w, i);
        if (isnan(us) || is_late(&w->at[i], take)) continue;
        sum += us;
        count++;
        if (us < least) least = us;
    }
    return count > 0 ? sum / count - least : 0;
}

static void hold(tfp_job *j, uint32_t unit, const waits *w, double *scratch)
{
    tfp_job_loader *l = &j->units[unit].loader;
    double usual = usual_period(j, w, scratch), take = time_to_take(w, usual, scratch);
    bool much = delays_much(w, take, usual);
    uint32_t longs = 0;
    for (size_t i = 0; i < w->size; i++) {
        l->late += is_late(&w->at[i], take);
        longs += is_long(&w->at[i], take, usual);
    }
    l->batches = (uint32_t)w->size;
    l->paces = 2 * (much ? l->late : longs) >= l->batches && l->late > 0;
    l->slack = slack_of(j, w, take);
    for (size_t i = 0; i < w->size; i++) {
        j->anchors.list[w->at[i].start].begins_step = i > 0;
        if (is_late(&w->at[i], take) && (much || l->paces || is_long(&w->at[i], take, usual)))
            hold_late(j, &w->at[i], take, l->paces);
    }
}

bool tfp_job_loaders(tfp_job *j)
{
    waits all = { 0 };
    bool ok = collect(j, &all) && add_frames(j, &all);
    double *scratch = ok ? malloc((all.size + 1) * sizeof *scratch) : NULL;
    for (size_t first = 0, end; scratch && first < all.size; first = end) {
        uint32_t unit = j->anchors.list[all.at[first].end].unit;
        for (end = first; end < all.size && j->anchors.list[all.at[end].end].unit == unit;) end++;
        hold(j, unit, &(waits){ .at = all.at + first, .size = end - first }, scratch);
    }
    ok = scratch != NULL;
    free(scratch);
    tfp_vec_free(&all);
    return ok;
}
