// SPDX-License-Identifier: Apache-2.0
/* watch/judge/history.c: the last units and looks of a rank, in rings, and what they are usually like. */
#include "watch/judge/parts.h"

#include <math.h>

static bool copy_text(tfp_arena *a, tfp_str *text)
{
    if (!text->data) return true;
    const char *copy = tfp_arena_copy(a, *text);
    text->data = copy;
    return copy != NULL;
}

member *judge_member_new(const tfp_watch_rank *who)
{
    member *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    m->who = *who;
    m->past = calloc(PAST, sizeof *m->past);
    m->looks = calloc(LOOKS, sizeof *m->looks);
    m->windows = calloc(WINDOWS, sizeof *m->windows);
    m->usual.late = NAN;
    if (m->past && m->looks && m->windows && tfp_strtab_init(&m->lines, &m->line_texts) == TFP_OK &&
        copy_text(&m->texts, &m->who.run) && copy_text(&m->texts, &m->who.name) && copy_text(&m->texts, &m->who.host))
        return m;
    judge_member_free(m);
    return NULL;
}

void judge_member_free(member *m)
{
    if (!m) return;
    free(m->past);
    free(m->looks);
    free(m->windows);
    tfp_strtab_free(&m->lines);
    tfp_arena_free(&m->line_texts);
    tfp_arena_free(&m->texts);
    free(m);
}

void judge_keep_unit(member *m, const unit *x) { m->past[m->units++ % PAST] = *x; }

/* Lines of a hostile job may all differ: a full table is emptied, and the looks with it. */
static bool empty_lines(member *m)
{
    tfp_strtab_free(&m->lines);
    tfp_arena_free(&m->line_texts);
    m->look_count = 0;
    return tfp_strtab_init(&m->lines, &m->line_texts) == TFP_OK;
}

bool judge_keep_look(member *m, int64_t now_us, tfp_watch_class doing, tfp_str line)
{
    enum { LINE_MOST = 200 };
    if (line.size > LINE_MOST) line = (tfp_str){ line.data + (line.size - LINE_MOST), LINE_MOST };
    if (m->lines.count >= LINES && !empty_lines(m)) return false;
    tfp_strid id = line.size ? tfp_intern(&m->lines, line) : 0;
    if (id == TFP_NONE) return false;
    m->looks[m->look_count++ % LOOKS] = (look){ now_us, id, (uint8_t)doing };
    return true;
}

unit *judge_unit(const member *m, size_t back)
{
    return back < m->units && back < PAST ? &m->past[(m->units - 1 - back) % PAST] : NULL;
}

void judge_mark_off(member *m, int64_t since_us)
{
    unit *x;
    for (size_t back = 0; (x = judge_unit(m, back)) && x->end > since_us; back++) x->off = true;
}

double judge_median(double *values, size_t count)
{
    if (!count) return 0;
    qsort(values, count, sizeof *values, tfp_by_real);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

bool judge_is_slower(double median, double *before, size_t count, double *was, double *largest)
{
    double off[EARLIER];
    *was = judge_median(before, count);
    *largest = before[count - 1]; /* sorted now */
    for (size_t i = 0; i < count; i++) off[i] = fabs(before[i] - *was);
    return median > *largest && median >= SLOWER * *was && median - *was >= MADS * judge_median(off, count);
}

static double median_of(const unit *const *of, size_t count, double (*value)(const unit *x))
{
    double values[PAST];
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        double v = value(of[i]);
        if (!isnan(v)) values[n++] = v;
    }
    return n ? judge_median(values, n) : NAN;
}

static double late_of(const unit *x) { return x->late; }
static double duration_of(const unit *x) { return x->duration; }
static double own_of(const unit *x) { return x->duration - x->wait; }
static double clean_of(const unit *x) { return x->duration - x->wait - (isnan(x->delay) ? 0 : x->delay); }
static double (*const values_of[])(const unit *x) = { late_of, duration_of, own_of, clean_of }; /* by judge_value */

static double mean_of(const unit *const *of, size_t count, size_t field)
{
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        double v;
        memcpy(&v, (const char *)of[i] + field, sizeof v);
        if (!isnan(v)) sum += v, n++;
    }
    return n ? sum / (double)n : NAN;
}

base judge_base(const member *m, int64_t until_us)
{
    const unit *of[BASE] = { 0 };
    base b = { 0 };
    double off[BASE];
    size_t n = 0;
    for (size_t back = 0; b.units < BASE; back++) {
        const unit *x = judge_unit(m, back);
        if (!x) break;
        if (!x->off && x->end <= until_us) of[b.units++] = x;
    }
    b.late = median_of(of, b.units, late_of);
    b.duration = median_of(of, b.units, duration_of);
    b.own = median_of(of, b.units, own_of);
    b.clean = median_of(of, b.units, clean_of);
    b.delay = mean_of(of, b.units, offsetof(unit, delay));
    b.throttled = mean_of(of, b.units, offsetof(unit, throttled));
    b.bytes = mean_of(of, b.units, offsetof(unit, bytes));
    b.cpu = mean_of(of, b.units, offsetof(unit, cpu));
    b.clock = mean_of(of, b.units, offsetof(unit, clock));
    for (size_t i = 0; i < b.units; i++)
        if (!isnan(of[i]->late)) off[n++] = fabs(of[i]->late - b.late);
    b.mad = judge_median(off, n);
    return b;
}

bool judge_base_is_enough(const base *b, const member *m)
{
    const unit *x = judge_unit(m, 0);
    if (!x || isnan(b->late)) return false;
    return x->steps > 1 ? b->units >= WINDOWS_LEAST && (int64_t)b->units * x->steps >= BASE_LEAST
                        : b->units >= BASE_LEAST;
}

static size_t units_since(const member *m, int64_t since_us, const unit *of[PAST])
{
    size_t n = 0;
    for (size_t back = 0; back < PAST; back++) {
        const unit *x = judge_unit(m, back);
        if (!x || x->end <= since_us) break;
        of[n++] = x;
    }
    return n;
}

double judge_mean_since(const member *m, size_t field, int64_t since_us)
{
    const unit *of[PAST] = { 0 };
    return mean_of(of, units_since(m, since_us, of), field);
}

double judge_median_since(const member *m, judge_value value, int64_t since_us)
{
    const unit *of[PAST] = { 0 };
    return median_of(of, units_since(m, since_us, of), values_of[value]);
}

double judge_median_before(const member *m, judge_value value, int64_t until_us)
{
    const unit *of[PAST] = { 0 };
    size_t n = 0;
    const unit *x;
    for (size_t back = 0; (x = judge_unit(m, back)); back++)
        if (!x->off && x->end <= until_us) of[n++] = x;
    return median_of(of, n, values_of[value]);
}

bool judge_is_outlier(const unit *x, const double medians[2], int64_t since_us)
{
    return !(own_of(x) <= OUTLIER * medians[x->end > since_us]);
}

void judge_own_means(const member *m, int64_t since_us, double medians[2], double means[2])
{
    double sums[2] = { 0, 0 }, counts[2] = { 0, 0 };
    const unit *x;
    medians[0] = judge_median_before(m, JUDGE_OWN, since_us);
    medians[1] = judge_median_since(m, JUDGE_OWN, since_us);
    for (size_t back = 0; (x = judge_unit(m, back)); back++) {
        bool since = x->end > since_us;
        if ((x->off && !since) || judge_is_outlier(x, medians, since_us)) continue;
        sums[since] += own_of(x);
        counts[since]++;
    }
    for (int i = 0; i < 2; i++) means[i] = counts[i] > 0 ? sums[i] / counts[i] : 0;
}

double judge_least_lateness(const member *m) { return fmax(STEP_SHARE * m->usual.duration, MADS * m->usual.mad); }
