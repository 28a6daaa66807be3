// SPDX-License-Identifier: Apache-2.0
/* watch/record/rows.c: rows of watch_steps from steps, looks and totals. A look stands for the time since the look before it; at the boundary
 * of a step that time is divided, and counters are interpolated. */
#include "watch/record/process.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SUM_CPU, SUM_SWITCHES, SUM_FAULTS, SUM_READ, SUM_WRITE, SUM_RSS, SUM_THROTTLED };

static double between(int64_t a, int64_t b, double share)
{
    return a < 0 || b < 0 ? NAN : (double)a + (double)(b - a) * share;
}

static double share_of(int64_t from_ns, int64_t to_ns, int64_t at_ns)
{
    if (to_ns <= from_ns || at_ns >= to_ns) return 1;
    return at_ns <= from_ns ? 0 : (double)(at_ns - from_ns) / (double)(to_ns - from_ns);
}

/* The totals of the process at a time. */
static void totals_at(const watch_process *p, int64_t at_ns, double out[7])
{
    const watch_totals *a = &p->totals[0], *b = &p->totals[1];
    if (!a->at_ns) a = b;
    double s = share_of(a->at_ns, b->at_ns, at_ns);
    out[SUM_CPU] = between(a->cpu_ns, b->cpu_ns, s);
    out[SUM_SWITCHES] = between(a->switches, b->switches, s);
    out[SUM_FAULTS] = between(a->faults, b->faults, s);
    out[SUM_READ] = between(a->read_bytes, b->read_bytes, s);
    out[SUM_WRITE] = between(a->write_bytes, b->write_bytes, s);
    out[SUM_RSS] = between(b->rss_bytes, b->rss_bytes, s);
    out[SUM_THROTTLED] = between(a->throttled_ns, b->throttled_ns, s);
}

/* ---- lines ---- */

static void count_line(watch_sums *s, tfp_strid line)
{
    size_t i = 0;
    s->samples++;
    if (!line) return;
    while (i < s->line_count && s->lines[i].line != line) i++;
    if (i == WATCH_SLOTS) return;
    if (i == s->line_count) s->lines[s->line_count++] = (watch_line_count){ line, 0 };
    s->lines[i].count++;
}

static int by_count(const void *a, const void *b)
{
    const watch_line_count *x = a, *y = b;
    return x->count != y->count ? (x->count < y->count) - (x->count > y->count)
                                : (x->line > y->line) - (x->line < y->line);
}

static void write_lines(const watch_process *p, watch_sums *s, char *out, size_t room)
{
    size_t at = 0;
    *out = '\0';
    qsort(s->lines, s->line_count, sizeof *s->lines, by_count);
    for (size_t i = 0; i < s->line_count && i < 5; i++) {
        tfp_str line = tfp_strtab_get(&p->texts.table, s->lines[i].line);
        int n = snprintf(out + at, room - at, "%s%.*s %u", at ? "|" : "", (int)line.size, line.data, s->lines[i].count);
        if (n < 0 || (size_t)n >= room - at) {
            out[at] = '\0';
            return;
        }
        at += (size_t)n;
    }
}

/* ---- a row ---- */

static double micros(double ns) { return ns / 1000; }

/* Divides the step by what the main thread did. Where probes tell how long it waited, the looks divide the rest. */
static void fill_classes(const watch_process *p, const watch_step *step, const watch_sums *s, double throttled_ns,
                         tfp_watch_step *r)
{
    double whole = (double)(step->end_ns - step->start_ns), seen = 0, of[TFP_WATCH_CLASSES];
    bool told = step->number != TFP_ABSENT && p->marks.begun && p->layers >> WATCH_PROBES & 1;
    double wait = told ? (double)step->wait_ns : s->class_ns[TFP_WATCH_WAIT];
    if (wait > whole) wait = whole;
    for (int i = 0; i < TFP_WATCH_CLASSES; i++) seen += i == TFP_WATCH_WAIT ? 0 : s->class_ns[i];
    for (int i = 0; i < TFP_WATCH_CLASSES; i++) of[i] = seen > 0 ? s->class_ns[i] / seen * (whole - wait) : 0;
    if (!(seen > 0)) of[TFP_WATCH_COMPUTE] = whole - wait;
    if (throttled_ns > 0) {
        of[TFP_WATCH_THROTTLED] = throttled_ns < of[TFP_WATCH_COMPUTE] ? throttled_ns : of[TFP_WATCH_COMPUTE];
        of[TFP_WATCH_COMPUTE] -= of[TFP_WATCH_THROTTLED];
    }
    r->wait_us = micros(wait);
    r->input_us = micros(of[TFP_WATCH_INPUT]);
    r->gc_us = micros(of[TFP_WATCH_GC]);
    r->lock_us = micros(of[TFP_WATCH_LOCK]);
    r->storage_us = micros(of[TFP_WATCH_STORAGE]);
    r->throttled_us = micros(of[TFP_WATCH_THROTTLED]);
    r->compute_us = micros(of[TFP_WATCH_COMPUTE]);
}

/* The growth of a count: its whole numbers at both ends, so that the sum over steps is right. */
static int64_t grown(double from, double to)
{
    return isnan(from) || isnan(to) ? TFP_ABSENT : (int64_t)(floor(to) - floor(from));
}

static void fill_row(watch_process *p, const watch_step *step, const watch_sums *to, int64_t unix_offset_ns,
                     watch_row *out)
{
    tfp_watch_step *r = &out->row;
    const watch_sums *s = &p->sums;
    bool counted = step->number != TFP_ABSENT;
    tfp_watch_clear(TFP_WATCH_STEPS, r);
    r->run = p->rank.run;
    r->job = p->rank.name;
    r->host = p->rank.host;
    r->rank = p->rank.rank;
    r->pid = p->rank.pid;
    r->step = step->number;
    if (counted) r->steps = 1;
    r->start = (step->start_ns + unix_offset_ns) / 1000;
    r->date = r->start / 86400000000;
    r->duration_us = micros((double)(step->end_ns - step->start_ns));
    r->steps_are = tfp_str_of(p->marks.are);
    if (counted) r->fit = round(p->marks.fit * 1000) / 1000;
    if (p->layers >> WATCH_PROBES & 1 || step->collectives) r->collectives = step->collectives;
    fill_classes(p, step, s, to->totals[SUM_THROTTLED] - s->totals[SUM_THROTTLED], r);
    r->cpu_us = micros(to->cpu_ns - s->cpu_ns);
    double all_us = micros(to->totals[SUM_CPU] - s->totals[SUM_CPU]);
    r->other_cpu_us = all_us > r->cpu_us ? all_us - r->cpu_us : isnan(all_us - r->cpu_us) ? NAN : 0;
    r->run_delay_us = micros(to->run_delay_ns - s->run_delay_ns);
    r->switches = grown(s->totals[SUM_SWITCHES], to->totals[SUM_SWITCHES]);
    r->faults = grown(s->totals[SUM_FAULTS], to->totals[SUM_FAULTS]);
    r->read_bytes = grown(s->totals[SUM_READ], to->totals[SUM_READ]);
    r->write_bytes = grown(s->totals[SUM_WRITE], to->totals[SUM_WRITE]);
    if (!isnan(to->totals[SUM_RSS])) r->rss_bytes = (int64_t)to->totals[SUM_RSS];
    r->samples = s->samples;
    if (p->layers & 1u << WATCH_NVML) {
        r->gpu = p->nvidia.gpu.use;
        r->gpu_power_w = p->nvidia.gpu.power_w;
        r->gpu_clock_mhz = p->nvidia.gpu.clock_mhz;
    }
    out->end_ns = step->end_ns;
    out->arrival_ns = step->arrival_ns;
    out->leave_ns = step->leave_ns;
}

static bool add_row(watch_process *p, const watch_step *step, const watch_sums *to, int64_t unix_offset_ns)
{
    if (p->rows.size >= WATCH_ROWS) {
        p->counts.dropped++;
        return true;
    }
    if (!tfp_reserve(&p->rows, p->rows.size + 1)) return false;
    watch_row *row = &p->rows.at[p->rows.size++];
    fill_row(p, step, to, unix_offset_ns, row);
    write_lines(p, &p->sums, row->lines, sizeof row->lines);
    p->counts.steps += step->number != TFP_ABSENT;
    return true;
}

/* ---- sums ---- */

/* The counters at a boundary between two looks. */
static void counters_at(const watch_process *p, const watch_look *a, const watch_look *b, int64_t at_ns,
                        watch_sums *out)
{
    double s = share_of(a->at_ns, b->at_ns, at_ns);
    *out = (watch_sums){ .start_ns = at_ns,
                         .cpu_ns = between(a->cpu_ns, b->cpu_ns, s),
                         .run_delay_ns = between(a->run_delay_ns, b->run_delay_ns, s) };
    totals_at(p, at_ns, out->totals);
}

/* Takes a look: the time since the one before it belongs to the steps in which it lies. */
static bool take_look(watch_process *p, const watch_look *l, size_t *next, int64_t unix_offset_ns)
{
    const watch_look *before = &p->before;
    int64_t from_ns = before->at_ns;
    for (; *next < p->ended.size && p->ended.at[*next].end_ns <= l->at_ns; ++*next) {
        const watch_step *step = &p->ended.at[*next];
        watch_sums to;
        if (step->start_ns > from_ns) { /* the first one, or one after a gap */
            counters_at(p, before, l, step->start_ns, &p->sums);
            from_ns = step->start_ns;
        }
        bool whole = p->sums.start_ns == step->start_ns && step->end_ns > step->start_ns;
        p->sums.class_ns[l->doing] += (double)(step->end_ns - from_ns);
        counters_at(p, before, l, step->end_ns, &to);
        if (whole && !add_row(p, step, &to, unix_offset_ns)) return false;
        p->sums = to;
        from_ns = step->end_ns;
    }
    p->sums.class_ns[l->doing] += (double)(l->at_ns - from_ns);
    count_line(&p->sums, l->line);
    p->before = *l;
    return true;
}

bool watch_rows_sum(watch_process *p, int64_t until_ns, int64_t unix_offset_ns)
{
    size_t next = 0, taken = 0;
    bool ok = true;
    for (; taken < p->looks.size && p->looks.at[taken].at_ns <= until_ns && ok; taken++) {
        if (!p->before.at_ns) {
            p->before = p->looks.at[taken];
            p->sums = (watch_sums){ .start_ns = 0 };
            continue;
        }
        ok = take_look(p, &p->looks.at[taken], &next, unix_offset_ns);
    }
    if (taken) memmove(p->looks.at, p->looks.at + taken, (p->looks.size - taken) * sizeof *p->looks.at);
    p->looks.size -= taken;
    if (next) memmove(p->ended.at, p->ended.at + next, (p->ended.size - next) * sizeof *p->ended.at);
    p->ended.size -= next;
    return ok;
}
