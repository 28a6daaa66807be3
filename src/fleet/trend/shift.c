// SPDX-License-Identifier: Apache-2.0
/* fleet/trend/shift.c: finds a lasting change of level. Medians and distances from them are not affected by a single bad day;
 * noise is the days' distance from the median of their side. */
#include "fleet/trend/shift.h"
#include "compare/welch.h"
#include "query/order.h"

#include <math.h>

enum { CANDIDATES = 16 /* how many places are examined closely: those where smoothed days differ most */ };

typedef struct middle { /* the two middle values; equal for an odd count */
    double low, high;
} middle;

static middle middle_of(const double *values, size_t count, double *room)
{
    memcpy(room, values, count * sizeof *room);
    qsort(room, count, sizeof *room, tfp_by_real);
    return (middle){ room[(count - 1) / 2], room[count / 2] };
}

static double mean_of(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += values[i];
    return sum / (double)count;
}

/* ---- one place ---- */

typedef struct split {
    middle before, after;
    double cost; /* sum of the days' distances from their side's median */
} split;

static double median(middle m) { return m.low + (m.high - m.low) / 2; }

static split split_at(const double *values, size_t count, size_t at, double *room)
{
    split s = { middle_of(values, at, room), middle_of(values + at, count - at, room), 0 };
    for (size_t i = 0; i < count; i++) s.cost += fabs(values[i] - median(i < at ? s.before : s.after));
    return s;
}

/* The least distance between the sides: of two middle values the one nearer to the other side is used, so that one bad day of
 * two changes nothing. */
static double apart(const split *s)
{
    if (s->after.low > s->before.high) return s->after.low - s->before.high;
    if (s->after.high < s->before.low) return s->after.high - s->before.low;
    return 0;
}

/* The standard deviation of a day, estimated from the median distance, with a correction because the two medians come
 * from the same days. */
static double deviation(const double *values, size_t count, size_t at, const split *s, double *room)
{
    double *distances = room + count;
    for (size_t i = 0; i < count; i++) distances[i] = fabs(values[i] - median(i < at ? s->before : s->after));
    return 1.4826 * middle_of(distances, count, room).high * sqrt((double)count / (double)(count - 2));
}

/* Whether both of the last two days are closer to the level before the change. */
static bool went_back(const double *values, size_t count, const split *s)
{
    double halfway = (median(s->before) + median(s->after)) / 2;
    bool up = median(s->after) > median(s->before);
    for (size_t i = count - 2; i < count; i++)
        if (up ? values[i] > halfway : values[i] < halfway) return false;
    return true;
}

/* ---- the best place ---- */

static double smoothed(const double *values, size_t count, size_t i)
{
    if (i == 0 || i + 1 == count) return values[i];
    double a = values[i - 1], b = values[i], c = values[i + 1];
    return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

/* Finds the places where the means of smoothed days differ most, in the unit of t; returns how many. */
static size_t candidates(const double *values, size_t count, size_t places[CANDIDATES])
{
    double scores[CANDIDATES], sum = 0, all = 0;
    size_t found = 0;
    for (size_t i = 0; i < count; i++) all += smoothed(values, count, i);
    for (size_t at = 1; at + TFP_SHIFT_SIDE <= count; at++) {
        sum += smoothed(values, count, at - 1);
        if (at < TFP_SHIFT_SIDE) continue;
        double before = (double)at, after = (double)(count - at);
        double score = fabs((all - sum) / after - sum / before) * sqrt(before * after);
        size_t i = found < CANDIDATES ? found++ : CANDIDATES;
        if (i == CANDIDATES && !(score > scores[--i])) continue;
        for (; i > 0 && score > scores[i - 1]; i--) scores[i] = scores[i - 1], places[i] = places[i - 1];
        scores[i] = score;
        places[i] = at;
    }
    return found;
}

/* The best change in days [0, count); p is 1 if there is none. `room` has space for twice as many numbers. */
static tfp_shift best(const double *values, size_t count, double *room)
{
    size_t places[CANDIDATES], found = candidates(values, count, places);
    tfp_shift out = { 0, count, count, 0, 1 };
    split chosen = { 0 };
    for (size_t i = 0; i < found; i++) {
        split s = split_at(values, count, places[i], room);
        if (out.at < count && !(s.cost < chosen.cost)) continue;
        chosen = s;
        out.at = places[i];
    }
    if (out.at == count) return out;
    double before = mean_of(values, out.at), after = mean_of(values + out.at, count - out.at),
           gap = fabs(apart(&chosen));
    out.change = before > 0 ? after / before - 1 : 0;
    if (!(gap > 0) || went_back(values, count, &chosen)) return out;
    double shares = 1 / (double)out.at + 1 / (double)(count - out.at);
    /* 1.2533: the standard error of a median is larger than that of a mean by this factor */
    double error = 1.2533 * deviation(values, count, out.at, &chosen, room) * sqrt(shares);
    size_t tried = count - 2 * TFP_SHIFT_SIDE + 1;
    double p = error > 0 ? tfp_student_tail(gap / error, (double)(count - 2)) * (double)tried : 0;
    out.p = p < 1 ? p : 1;
    return out;
}

bool tfp_shift_find(const double *values, size_t count, const tfp_shift_rules *rules, tfp_shift *out)
{
    double *room = malloc((2 * count + 1) * sizeof *room);
    bool looked = false;
    *out = (tfp_shift){ 0, count, count, 0, 1 };
    for (size_t from = 0; room && count - from >= 2 * TFP_SHIFT_SIDE;) {
        tfp_shift s = best(values + from, count - from, room);
        bool counts = s.p <= rules->p && fabs(s.change) >= rules->least;
        s.from = from;
        s.at += from;
        s.end = count;
        if (!looked || counts) *out = s;
        looked = true;
        if (!counts) break;
        from = s.at;
    }
    free(room);
    return room != NULL;
}

/* ---- many tests at once ---- */

bool tfp_shift_rates(const double *p, double *q, size_t count)
{
    const tfp_sort_key by_p[] = { TFP_UP_IN(p), { 0 } };
    uint32_t *order = malloc((count + 1) * sizeof *order);
    double least = 1;
    for (size_t i = 0; order && i < count; i++) order[i] = (uint32_t)i;
    bool ok = order && tfp_order_items(order, count, by_p, NULL, 0);
    for (size_t i = count; ok && i > 0; i--) {
        double rate = p[order[i - 1]] * (double)count / (double)i;
        if (rate < least) least = rate;
        q[order[i - 1]] = least;
    }
    free(order);
    return ok;
}
