// SPDX-License-Identifier: Apache-2.0
/* live/jobs/top.c: the table `top`: jobs and the resources that they use, and the public functions that sample and show
 * them. */
#include "live/jobs/top.h"
#include "query/order.h"
#include "views/core/grid.h"
#include "views/core/notes.h"
#include "views/core/handle.h"
#include "views/core/view.h"

#include <math.h>
#include <stdio.h>

#define THREADS_A_SAMPLE 100 /* in a table that is refreshed; a single table looks at all threads */

/* ---- steps ---- */

/* A constant text for what the agent counts: the agent's own text does not live long enough. */
static const char *steps_name(const char *told)
{
    return strcmp(told, "session runs") == 0 ? "session runs" : "optimizer steps";
}

/* The rate of steps since the previous sample, from the end of the last step then to the end of the last step now, because an interval
 * would cut off part of a step. While a step takes longer than the interval, the earlier rate is kept. */
static tfp_steps_of agent_rate(tfp_live_process *p, const tfp_agent *a, int64_t now)
{
    tfp_steps_of out = { a->steps - p->steps.count, (double)(now - p->steps.read_ns) / 1e9, steps_name(a->what), NULL };
    if (out.calls && p->steps.ended_ns && a->step_ns > p->steps.ended_ns)
        p->steps.period_ns = (a->step_ns - p->steps.ended_ns) / out.calls;
    if (p->steps.period_ns && now - a->step_ns <= 2 * p->steps.period_ns) {
        out.calls = 1;
        out.seconds = (double)p->steps.period_ns / 1e9;
    }
    return out;
}

/* The steps that the agent of a process has counted. False: no agent counts, or this is its first count. */
static bool agent_steps(const tfp_live *l, tfp_live_process *p, tfp_steps_of *out)
{
    tfp_agent a;
    if (!p->turn && p->steps.no_agent_ns == l->run_changed_ns)
        return false; /* no entry was added to the run folder since */
    if (!tfp_agent_find(l->run_folder, p->stat.pid, p->stat.start_ticks, -1, &a) || !a.counts) {
        p->steps.no_agent_ns = l->run_changed_ns;
        return false;
    }
    p->steps.no_agent_ns = -1;
    int64_t now = tfp_now_ns();
    if (p->steps.count >= 0 && a.steps >= p->steps.count) *out = agent_rate(p, &a, now);
    p->steps.count = a.steps;
    p->steps.ended_ns = a.step_ns;
    p->steps.read_ns = now;
    return out->calls >= 0;
}

/* Probes every framework that the process has mapped. One package may import another, so only the calls tell which of them
 * is used. */
static const char *probe(tfp_live *l, int64_t pid)
{
    static const tfp_framework order[] = { TFP_FRAMEWORK_JAX, TFP_FRAMEWORK_TENSORFLOW, TFP_FRAMEWORK_TORCH };
    const char *why = NULL;
    bool counted = false;
    tfp_proc_maps maps;
    if (!tfp_proc_maps_read(pid, &maps)) return "its maps may not be read";
    for (size_t i = 0; i < 3; i++) {
        if (!*maps.library[i]) continue;
        const char *this_why = tfp_probes_add(l->probes, pid, maps.library[i], order[i]);
        if (this_why == tfp_probes_later) return this_why;
        counted |= !this_why;
        if (!why) why = this_why;
    }
    if (counted) return tfp_probes_watch(l->probes, pid) ? NULL : "out of memory";
    return why ? why : "no function of its framework is known";
}

/* Calls in a process since the last sample, as counted by its agent or the kernel. */
static tfp_steps_of count_steps(tfp_live *l, tfp_live_process *p)
{
    tfp_steps_of out = { -1, 0, NULL, NULL };
    if (agent_steps(l, p, &out)) return out;
    bool first = !p->steps.probed;
    if (first) p->steps.unprobed = probe(l, p->stat.pid);
    p->steps.probed = p->steps.unprobed != tfp_probes_later;
    out.why = first && !p->steps.unprobed ? tfp_no_interval : p->steps.unprobed;
    if (out.why) return out;
    tfp_calls calls = tfp_probes_take(l->probes, p->stat.pid);
    return (tfp_steps_of){ calls.count, calls.seconds, calls.what, NULL };
}

static bool read_steps(tfp_live *l)
{
    l->lost = !tfp_probes_read(l->probes);
    l->steps.size = 0;
    l->new_jobs = false;
    for (size_t i = 0; i < l->jobs.processes.size; i++) {
        tfp_live_process *p = &l->jobs.processes.at[i];
        tfp_steps_of s = { -1, 0, NULL, NULL };
        if (p->root != TFP_NONE) s = count_steps(l, p);
        l->new_jobs |= p->root == i && (s.why == tfp_no_interval || s.why == tfp_probes_later);
        if (!tfp_push(&l->steps, s)) return false;
    }
    return true;
}

/* ---- names ---- */

static bool read_names(tfp_live *l)
{
    bool ok = true;
    for (size_t i = 0; i < l->jobs.roots.size && ok; i++)
        ok = tfp_live_names_read(l->run_folder, l->run_changed_ns, &l->jobs.processes.at[l->jobs.roots.at[i]]);
    return ok;
}

/* ---- the table ---- */

static bool root_before(const void *ctx, uint32_t a, uint32_t b)
{
    const tfp_live_process *p = ctx;
    return p[a].root < p[b].root;
}

typedef struct sorting {
    const tfp_top_row *rows;
    const tfp_table_column *by;
} sorting;

/* A cell as a number to sort by; absent cells come last. */
static double number_in(const tfp_top_row *r, const tfp_table_column *c)
{
    const void *field = (const char *)r + c->offset;
    if (c->type == TFP_CELL_REAL) return isnan(*(const double *)field) ? -INFINITY : *(const double *)field;
    int64_t n = *(const int64_t *)field;
    return n == TFP_ABSENT ? -INFINITY : (double)n;
}

/* Larger numbers come first, texts are in order from A to Z; equal ones are in order of process number. */
static bool goes_before(const void *ctx, uint32_t a, uint32_t b)
{
    const sorting *s = ctx;
    const tfp_top_row *x = &s->rows[a], *y = &s->rows[b];
    if (s->by->type == TFP_CELL_TEXT) {
        int order = tfp_str_cmp(*(const tfp_str *)((const char *)x + s->by->offset),
                                *(const tfp_str *)((const char *)y + s->by->offset));
        return order ? order < 0 : x->pid < y->pid;
    }
    double m = number_in(x, s->by), n = number_in(y, s->by);
    return m != n ? m > n : x->pid < y->pid;
}

/* Orders processes by job, so that those of a job are side by side. */
static bool make_rows(const tfp_live *l, tfp_report *r, tfp_top_row *rows, uint32_t *order)
{
    const tfp_jobs *j = &l->jobs;
    size_t count = 0;
    for (uint32_t i = 0; i < j->processes.size; i++)
        if (j->processes.at[i].root != TFP_NONE) order[count++] = i;
    if (!tfp_sort(order, count, root_before, j->processes.at)) return false;
    for (size_t i = 0; i < j->roots.size; i++) {
        size_t low, end;
        TFP_LOWER_BOUND(low, 0, count, j->processes.at[order[low]].root < j->roots.at[i]);
        for (end = low; end < count && j->processes.at[order[end]].root == j->roots.at[i]; end++) {}
        rows[i] = tfp_top_row_of(l, r, j->roots.at[i], order + low, end - low);
    }
    return true;
}

static tfp_status fill(const tfp_live *l, tfp_report *r, tfp_error *err)
{
    size_t count = l->jobs.roots.size;
    tfp_top_row *rows = TFP_NEW(tfp_arena_of(r), tfp_top_row, count + 1),
                *sorted = TFP_NEW(tfp_arena_of(r), tfp_top_row, count + 1);
    uint32_t *order = TFP_NEW(tfp_arena_of(r), uint32_t, l->jobs.processes.size + count + 1);
    if (!rows || !sorted || !order || !make_rows(l, r, rows, order)) return tfp_nomem(err);
    for (uint32_t i = 0; i < count; i++) order[i] = i;
    sorting by = { rows, l->sort ? l->sort : tfp_top_column("cpu") };
    if (!tfp_sort(order, count, goes_before, &by)) return tfp_nomem(err);
    for (size_t i = 0; i < count; i++) sorted[i] = rows[order[i]];
    if (*l->no_agents && tfp_report_note_add(r, TFP_NOTE_NO_AGENTS, err, "agents are not looked for: %s", l->no_agents))
        return tfp_nomem(err);
    if (l->lost && tfp_report_note_add(r, TFP_NOTE_RATES_TOO_LOW, err,
                                       "steps came faster than they could be counted: rates are too low"))
        return tfp_nomem(err);
    return tfp_grid_of(r, &(tfp_row_table){ tfp_top_columns, sorted, sizeof *sorted, count, 0 }, err);
}

/* ---- the public functions ---- */

tfp_live *tfp_live_new(void)
{
    tfp_live *l = calloc(1, sizeof *l);
    if (!l) return NULL;
    tfp_live_settings_start(l);
    l->run = TFP_RUN_NONE;
    if ((l->probes = tfp_probes_new())) return l;
    free(l);
    return NULL;
}

void tfp_live_free(tfp_live *l)
{
    if (!l) return;
    tfp_jobs_free(&l->jobs);
    tfp_gpus_free(&l->gpus);
    tfp_probes_free(l->probes);
    tfp_vec_free(&l->steps);
    tfp_arena_free(&l->arena);
    tfp_live_settings_free(l);
    tfp_run_free(&l->run);
    free(l);
}

tfp_status tfp_live_select(tfp_live *l, const char *selector, tfp_error *err)
{
    tfp_error_clear(err);
    if (!l || !selector || !*selector) return tfp_fail(err, TFP_BADARG, "no process is named");
    int64_t pid;
    tfp_proc_stat stat;
    if (strspn(selector, "0123456789") == strlen(selector)) {
        if (!tfp_parse_int64(tfp_str_of(selector), &pid) || !tfp_proc_stat_read(pid, &stat))
            return tfp_fail(err, TFP_BADFILE, "%s: no such process", selector);
        return tfp_push(&l->jobs.select.pids, pid) ? TFP_OK : tfp_nomem(err);
    }
    char *copy = tfp_arena_copy(&l->arena, tfp_str_of(selector));
    return copy && tfp_push(&l->jobs.select.names, copy) ? TFP_OK : tfp_nomem(err);
}

int tfp_live_sampled_once(const tfp_live *l) { return l && (!l->jobs.before_ns || l->new_jobs); }

int tfp_live_signal(const tfp_live *l) { return l ? (int)l->settings.signal : 0; }

tfp_status tfp_live_sample(tfp_live *l, tfp_error *err)
{
    tfp_error_clear(err);
    if (!l) return tfp_fail(err, TFP_BADARG, "nothing to sample");
    /* without a run folder there are no agents to ask; all other facts hold without them */
    *l->no_agents = '\0';
    tfp_status s = tfp_run_folder(l->run_folder, false, err);
    if (s == TFP_BADFILE) {
        snprintf(l->no_agents, sizeof l->no_agents, "%s", tfp_error_message(err));
        *l->run_folder = '\0';
        tfp_error_clear(err);
        s = TFP_OK;
    }
    if (!s) s = tfp_jobs_sample(&l->jobs, l->all_threads ? SIZE_MAX : THREADS_A_SAMPLE, err);
    if (s) return s;
    l->run_changed_ns = tfp_run_changed_ns(l->run_folder);
    tfp_gpus_read(&l->gpus);
    return read_names(l) && read_steps(l) ? TFP_OK : tfp_nomem(err);
}

tfp_status tfp_live_top(const tfp_live *l, const tfp_options *o, tfp_report **out, tfp_error *err)
{
    tfp_error_clear(err);
    if (out) *out = NULL;
    if (!l || !out) return tfp_fail(err, TFP_BADARG, "nothing to show, or nowhere to put it");
    tfp_report *r = tfp_report_new("top", o);
    if (!r) return tfp_nomem(err);
    tfp_status s = fill(l, r, err);
    if (!s) s = tfp_grid_arrange(r, err);
    return tfp_report_give(r, s, out);
}
