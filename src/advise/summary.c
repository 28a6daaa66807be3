// SPDX-License-Identifier: Apache-2.0
/* advise/summary.c: the view `summary`: on one screen what a profile is, how its steps' time is spent, what takes
 * longest and what could be improved; each part names the command that shows all of it. */
#include "advise/checker.h"
#include "advise/tops.h"
#include "model/files/allocator.h"
#include "model/tables/graph.h"
#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "model/tables/samples.h"
#include "model/tables/sources.h"
#include "options/columns.h"
#include "views/core/coverage.h"
#include "views/core/engine.h"
#include "views/core/report.h"
#include "views/core/rows.h"
#include "views/limits/limits.h"
#include "views/memory/allocator.h"
#include "views/spans/trace.h"
#include "views/trace/facts.h"
#include "whatif/gains.h"

#include <math.h>
#include <stdio.h>

enum { FINDINGS = 3 };

#define CAPTURE_MISSED 0.1 /* share of the device's time: from here on the summary asks for the capture's trace */

/* ---- facts ---- */

static bool say_files(tfp_report *r)
{
    const tfp_profile *p = r->profile;
    tfp_buf b = { 0 };
    size_t told = 0;
    for (size_t i = 0; i < tfp_sources_of(p)->sources.size; i++) {
        if (!tfp_sources_of(p)->formats.at[i]) continue; /* it is a folder, and its files follow */
        if (told++ < 4) tfp_buf_printf(&b, "%s%s", told > 1 ? ", " : "", tfp_sources_of(p)->sources.at[i]);
    }
    if (told > 4) tfp_buf_printf(&b, " and %zu more", told - 4);
    return tfp_fact_buf(r, "files", "files", &b);
}

/* ---- steps ---- */

static double value_at(const void *values, size_t i) { return ((const double *)values)[i]; }

typedef struct durations { /* of steps, in microseconds */
    double *us;
    size_t count, steps;
    bool none;                    /* the trace has no steps: the one duration is from its first activity to its last */
    const tfp_trace_facts *ahead; /* NULL: the host runs ahead of no device */
    double host_us;               /* the mean on the host */
} durations;

/* "20.0 ms of gpu:0; the host takes 10.0 ms and is 60.0 ms ahead at the end" */
static bool say_pace(tfp_report *r, const durations *d, double mean)
{
    const tfp_trace_device *device = &d->ahead->x.devices[d->ahead->mean.ahead_of];
    tfp_buf b = { 0 };
    tfp_format_real(&b, TFP_MICROS, mean);
    tfp_buf_text(&b, " of ");
    if (d->ahead->x.unit_count > 1) tfp_buf_printf(&b, "rank %lld's ", (long long)d->ahead->x.units[device->unit].rank);
    tfp_buf_str(&b, device->name);
    tfp_buf_text(&b, "; the host takes ");
    tfp_format_real(&b, TFP_MICROS, d->host_us);
    tfp_buf_text(&b, " and is ");
    tfp_format_real(&b, TFP_MICROS, d->ahead->mean.lag_ns / 1000);
    tfp_buf_text(&b, " ahead at the end");
    return tfp_fact_buf(r, "step_pace", "step, mean", &b) &&
           tfp_fact_real(r, "host_step_mean_us", NULL, TFP_MICROS, d->host_us);
}

static bool say_whole(tfp_report *r, double us)
{
    tfp_buf b = { 0 };
    tfp_buf_text(&b, "no steps: ");
    tfp_format_real(&b, TFP_MICROS, us);
    tfp_buf_text(&b, " from the first activity to the last");
    return tfp_fact_buf(r, "no_steps", "steps", &b);
}

/* Mean, median, 95th percentile and coefficient of variation. */
static bool say_durations(tfp_report *r, const durations *d)
{
    double sum = 0, squares = 0, n = (double)d->count;
    if (!d->count) return tfp_fact_int(r, "steps", "steps", TFP_LABEL, 0);
    qsort(d->us, d->count, sizeof *d->us, tfp_by_real);
    for (size_t i = 0; i < d->count; i++) {
        sum += d->us[i];
        squares += d->us[i] * d->us[i];
    }
    double mean = sum / n, variance = squares / n - mean * mean;
    double cv = mean > 0 ? sqrt(variance > 0 ? variance : 0) / mean : NAN;
    double median = tfp_quantile(value_at, d->us, d->count, 0.5), p95 = tfp_quantile(value_at, d->us, d->count, 0.95);
    bool whole = d->none && d->count == 1;
    return tfp_fact_int(r, "steps", whole ? NULL : "steps", TFP_LABEL, (int64_t)d->steps) &&
           (!whole || say_whole(r, mean)) && (!d->ahead || say_pace(r, d, mean)) &&
           tfp_fact_real(r, "step_mean_us", whole || d->ahead ? NULL : "step, mean", TFP_MICROS, mean) &&
           tfp_fact_real(r, "step_median_us", whole ? NULL : "step, median", TFP_MICROS, median) &&
           tfp_fact_real(r, "step_p95_us", whole ? NULL : "step, p95", TFP_MICROS, p95) &&
           tfp_fact_real(r, "step_cv", whole ? NULL : "step, CV", TFP_SHARE, cv);
}

/* Counts each step of each rank once, however many devices there are. If devices have their own windows, their mean
 * counts; where the host runs ahead of devices, the time of the slowest one counts. */
static bool say_trace_steps(tfp_report *r, const tfp_trace_facts *f)
{
    double *us = TFP_NEW(&r->arena, double, f->step_row_count + 1), host_us = 0, rows = 0;
    uint32_t *devices = TFP_NEW(&r->arena, uint32_t, f->step_row_count + 1);
    tfp_map64 places = { 0 }; /* rank and step -> index in us */
    const tfp_run_tables *runs = tfp_executions_of(f->x.p);
    size_t count = 0, steps = 0;
    for (size_t i = 0; i < runs->step_order.size; i++) steps += tfp_step_takes(r->step, runs->step_order.at[i]);
    bool ok = us && devices;
    for (size_t i = 0; ok && i < f->step_row_count; i++) {
        const tfp_step_row *row = &f->steps[i];
        uint64_t key = tfp_hash(row->step.data, row->step.size) ^ (uint64_t)row->unit << 40;
        uint32_t at = tfp_map64_get(&places, key);
        if (*row->step.data == 'a' || row->paces <= 0 || tfp_row_left_out(f, row)) continue;
        if (at == TFP_NONE) ok = tfp_map64_put(&places, key, at = (uint32_t)count++);
        devices[at]++;
        us[at] += ((double)row->step_ns / 1000 - us[at]) / devices[at];
        host_us += ((double)row->duration_ns / 1000 - host_us) / ++rows;
    }
    tfp_map64_free(&places);
    return ok && say_durations(r, &(durations){ us, count, steps, f->begin.whole,
                                                f->mean.ahead_of == TFP_NONE ? NULL : f, host_us });
}

/* For executions: the time from a step's first start to its last end. */
static bool say_executed_steps(tfp_report *r)
{
    const tfp_profile *p = r->profile;
    size_t steps = tfp_executions_of(p)->steps.size, count = 0;
    int64_t *start = TFP_NEW(&r->arena, int64_t, steps + 1), *end = TFP_NEW(&r->arena, int64_t, steps + 1);
    double *us = TFP_NEW(&r->arena, double, steps + 1);
    if (!start || !end || !us) return false;
    for (size_t i = 0; i < tfp_executions_of(p)->execs.size; i++) {
        const tfp_exec *x = &tfp_executions_of(p)->execs.at[i];
        if (!x->start_ns) continue;
        if (!start[x->step] || x->start_ns < start[x->step]) start[x->step] = x->start_ns;
        if (x->end_ns > end[x->step]) end[x->step] = x->end_ns;
    }
    for (size_t i = 0; i < steps; i++)
        if (start[i] && tfp_executions_of(p)->steps.at[i].listed) us[count++] = (double)(end[i] - start[i]) / 1000;
    bool timed = tfp_has(p, TFP_HAS_TRACE) || tfp_samples_of(p)->samples.size;
    tfp_str none = timed ? TFP_STR("none of operators: tfprof info says what to ask of these files")
                         : TFP_STR("none: tfprof info says what to ask of these files");
    if (!steps && !tfp_fact_text(r, "times", "times", none)) return false;
    return say_durations(r, &(durations){ .us = us, .count = count, .steps = count });
}

/* ---- where a step goes ---- */

static tfp_status show_parts(tfp_report *r, const tfp_trace_facts *f, tfp_error *err)
{
    tfp_part_row rows[TFP_PARTS_MOST];
    size_t count = tfp_step_parts(f, rows);
    return tfp_grid_of(r, &(tfp_row_table){ tfp_part_columns, rows, sizeof *rows, count, 0 }, err);
}

/* For executions: the time of operations on hosts and on accelerators, where overlaps count twice. */
static tfp_status show_sums(tfp_report *r, tfp_error *err)
{
    const tfp_profile *p = r->profile;
    double host = 0, accelerator = 0,
           steps = tfp_executions_of(p)->step_order.size ? (double)tfp_executions_of(p)->step_order.size : 1;
    for (size_t i = 0; i < tfp_executions_of(p)->execs.size; i++) {
        host += (double)tfp_executions_of(p)->execs.at[i].cpu_ns;
        accelerator += (double)tfp_executions_of(p)->execs.at[i].accelerator_ns;
    }
    const tfp_part_row all[] = { { TFP_STR("operations on hosts, summed"), host / 1000 / steps, NAN,
                                   TFP_STR("op -order_by cpu_micros") },
                                 { TFP_STR("operations on accelerators, summed"), accelerator / 1000 / steps, NAN,
                                   TFP_STR("op -order_by accelerator_micros") } };
    size_t count = tfp_executions_of(p)->execs.size ? 2 : 0;
    return tfp_grid_of(r, &(tfp_row_table){ tfp_part_columns, all, sizeof *all, count, 0 }, err);
}

/* ---- findings ---- */

/* Notes that replayed kernels are counted at the launch of their graph, because the capture's trace is missing. */
static bool say_capture(tfp_report *r, bool *said)
{
    double share = tfp_share_without_capture(r);
    tfp_buf b = { 0 };
    if (!(*said = share > CAPTURE_MISSED)) return true;
    bool xla = tfp_stat_key(r->profile, "hlo_module") != TFP_NONE;
    tfp_buf_printf(
        &b,
        "%.1f %% of the device's time is in replays of CUDA or HIP graphs, whose kernels have no op, module or line of "
        "their own; %s (tfprof check)",
        100 * share,
        xla ? "the file does not hold the programs of these command buffers of XLA: record without command buffers"
            : "give the trace in which the graphs were captured (--capture_path FILE or FOLDER) or a run without "
              "graphs (--eager_path "
              "FILE or FOLDER)");
    return tfp_fact_buf(r, "finding_capture", "findings", &b);
}

/* Adds each finding as a fact; people see its first clause. */
static tfp_status add_findings(tfp_report *r, const tfp_limits *limits, tfp_error *err)
{
    static const char *const names[FINDINGS] = { "finding_1", "finding_2", "finding_3" };
    tfp_report *v = NULL;
    bool said;
    tfp_status s = say_capture(r, &said) ? tfp_checker_findings(r, limits, &v, err) : tfp_nomem(err);
    for (size_t i = 0; !s && i < v->findings.size && i < FINDINGS; i++) {
        const tfp_finding *f = &v->findings.at[i];
        tfp_buf b = { 0 };
        tfp_buf_str(&b, v->tree->rows.at[f->checker].name);
        tfp_buf_text(&b, ": ");
        tfp_buf_str(&b, f->text);
        if (!tfp_fact_buf(r, names[i], i || said ? "" : "findings", &b)) s = tfp_nomem(err);
    }
    tfp_report_free(v);
    return s;
}

/* ---- doubts ---- */

/* Adds a fact for each kind of doubt. */
static bool say_doubts(tfp_report *r)
{
    const tfp_profile *p = r->runs ? r->runs : r->profile;
    bool said = false;
    for (unsigned kind = 0; kind < TFP_DOUBT_KINDS; kind++) {
        tfp_doubt_sum sum;
        tfp_buf b = { 0 };
        if (!tfp_doubt_is_said(kind) || !tfp_doubt_sum_of(p, r->step, kind, &sum)) continue;
        tfp_doubt_put(p, kind, &sum, &b);
        if (!tfp_fact_buf(r, tfp_doubt_name(kind), said ? "" : "warning", &b)) return false;
        said = true;
    }
    return true;
}

/* ---- the view ---- */

static bool say_ranks(tfp_report *r, const tfp_trace_facts *f)
{
    static const char *const names[TFP_RANKS_TOLD][3] = {
        { "rank_fastest", "rank_fastest_compute_us", "rank, fastest" },
        { "rank_median", "rank_median_compute_us", "rank, median" },
        { "rank_slowest", "rank_slowest_compute_us", "rank, slowest" },
    };
    tfp_rank_census c;
    bool ok = tfp_rank_census_of(r, &f->x, &c);
    if (ok && c.missing) ok = tfp_fact_int(r, "ranks_missing", "ranks without a file", TFP_LABEL, c.missing);
    if (ok && c.doubles) ok = tfp_fact_int(r, "ranks_double", "files of a rank twice", TFP_LABEL, c.doubles);
    for (size_t i = 0; ok && i < TFP_RANKS_TOLD && f->ranks.compared > 1; i++)
        ok = tfp_fact_int(r, names[i][0], names[i][2], TFP_LABEL, f->ranks.told[i]) &&
             tfp_fact_real(r, names[i][1], "  computes a step", TFP_MICROS, f->ranks.told_ns[i] / 1000);
    if (ok && f->ranks.compared > 1)
        ok = tfp_fact_int(r, "stragglers", "stragglers", TFP_LABEL, f->ranks.straggler_count);
    return ok;
}

/* Adds the distinct names of all ranks' devices. */
static bool say_devices(tfp_report *r, const tfp_trace_facts *f)
{
    enum { SHOWN = 16 };
    tfp_buf text = { 0 };
    tfp_map64 seen = { 0 };
    size_t count = 0;
    for (size_t i = 0; i < f->x.device_count && !text.failed; i++) {
        tfp_str name = f->x.devices[i].name;
        uint64_t key = tfp_hash(name.data, name.size);
        if (tfp_map64_get(&seen, key) != TFP_NONE) continue;
        if (!tfp_map64_put(&seen, key, 1)) text.failed = true;
        if (count++ >= SHOWN) continue;
        if (count > 1) tfp_buf_text(&text, ", ");
        tfp_buf_str(&text, name);
    }
    if (count > SHOWN) tfp_buf_printf(&text, " and %zu more", count - SHOWN);
    tfp_map64_free(&seen);
    return tfp_fact_buf(r, "devices", "devices", &text);
}

/* The step that holds the start of the program, and is in no mean. */
static bool say_start(tfp_report *r, const tfp_trace_facts *f)
{
    int64_t id = tfp_executions_of(f->x.p)->steps.at[f->begin.start].id;
    tfp_buf text = { 0 };
    tfp_buf_printf(&text, "step %lld, start", (long long)id);
    const char *label = tfp_buf_move(&text, &r->arena).data;
    return label &&
           tfp_fact_real(r, id ? "start_step_us" : "step_0_us", label, TFP_MICROS, (double)f->begin.start_ns / 1000);
}

static bool say_trace(tfp_report *r, const tfp_trace_facts *f)
{
    bool ok = tfp_fact_int(r, "ranks", f->x.unit_count > 1 ? "ranks" : NULL, TFP_LABEL, (int64_t)f->x.unit_count);
    if (f->x.unit_count > 1) ok = ok && say_ranks(r, f);
    ok = ok && say_devices(r, f) && say_trace_steps(r, f);
    if (f->begin.start != TFP_NONE) ok = ok && say_start(r, f);
    if (tfp_host_is_limit(f))
        ok = ok && tfp_fact_text(r, "limited_by", "limited by",
                                 TFP_STR("the host: devices wait for launches longer than they work"));
    if (f->memory.memory_peak)
        ok = ok && tfp_fact_int(r, "device_memory_peak_bytes", "device memory", TFP_SIZE, f->memory.memory_peak);
    return ok;
}

static tfp_status build(tfp_report *r, tfp_error *err)
{
    const tfp_profile *p = r->profile;
    const tfp_trace_facts *f = NULL;
    tfp_limits limits = { 0 };
    bool has_limits = false;
    if (tfp_only_allocator(p) && tfp_allocator_of(p)->devices.size)
        return say_files(r) ? tfp_memory_of_allocator(r, err) : tfp_nomem(err);
    tfp_status s = tfp_has(p, TFP_HAS_TRACE) || r->runs ? tfp_trace_facts_of(r, &f, err) : TFP_OK;
    if (s) return s;
    bool ok = say_files(r) && tfp_fact_int(r, "nodes", "nodes", TFP_LABEL, (int64_t)tfp_graph_of(p)->nodes.size);
    ok = ok && (f && f->step_row_count ? say_trace(r, f) : say_executed_steps(r));
    s = ok ? tfp_note_guessed_steps(r, p, NULL, err) : tfp_nomem(err);
    if (!s && !say_doubts(r)) s = tfp_nomem(err);
    if (!s) s = tfp_attributed_note(r, err);
    if (!s && f && f->has_devices && tfp_has(p, TFP_HAS_TRACE))
        s = tfp_limits_fact(r, &f->x, &limits, &has_limits, err);
    if (!s) s = add_findings(r, has_limits ? &limits : NULL, err);
    tfp_limits_free(&limits);
    if (!s) s = f && f->step_row_count ? show_parts(r, f, err) : show_sums(r, err);
    return s ? s : tfp_summary_tops(r, f, err);
}

const tfp_view tfp_view_summary = {
    "summary",
    "One screen: what the profile is, where the time of its steps goes, what takes longest, what could be better.",
    TFP_REPORT_GRID,
    NULL,
    NULL,
    build,
    TFP_USES_SPANS | TFP_TAKES_LIMITS | TFP_TAKES_SNAPSHOTS,
    .reads = TFP_READS_STRIDES,
};
