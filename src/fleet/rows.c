// SPDX-License-Identifier: Apache-2.0
/* fleet/rows.c: the rows that a trace adds to the fleet's tables: the row of the run itself, with facts from the trace (host, rank,
 * framework, device, when it was recorded), and the other rows from views. */
#include "fleet/views.h"
#include "model/tables/about.h"
#include "model/tables/details.h"
#include "model/tables/devices.h"
#include "model/tables/events.h"
#include "model/tables/lanes.h"
#include "model/tables/processes.h"
#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "model/tables/sources.h"
#include "model/tables/stats.h"

#include <math.h>

/* ---- what a trace says of itself ---- */

#define EARLIEST_NS ((int64_t)946684800 * 1000000000) /* the year 2000: smaller numbers are not Unix times */

static bool is_recorded(const tfp_profile *p, tfp_str key)
{
    for (size_t i = 0; i < tfp_events_of(p)->about.size; i++)
        if (tfp_str_eq(tfp_text(p, tfp_events_of(p)->about.at[i].key), key)) return true;
    return false;
}

static bool begins_with_one(tfp_str s, const char *const *words)
{
    for (; *words; words++)
        if (tfp_str_begins(s, tfp_str_of(*words))) return true;
    return false;
}

/* An XPlane does not tell its framework: it is recognised by names that only one of the two uses. */
static tfp_str framework_of(const tfp_profile *p)
{
    static const char *const jax[] = { "jit(", "jit_", "pjit(", "pmap(", "PjitFunction(", NULL };
    static const char *const tensorflow[] = { "EagerLocalExecute", "ExecutorState::", "Iterator::", "SessionRun",
                                              "KernelAndDevice",   "tf_data_",        "TfrtKernel", NULL };
    bool is_jax = false;
    if (is_recorded(p, TFP_STR("schemaVersion")) || is_recorded(p, TFP_STR("deviceProperties")))
        return TFP_STR("pytorch");
    if (tfp_sources_of(p)->from & TFP_FROM_TENSORFLOW) return TFP_STR("tensorflow");
    if (!tfp_has(p, TFP_HAS_TRACE)) return (tfp_str){ 0 };
    for (size_t i = 0; i < tfp_strings_of(p)->count; i++) {
        if (begins_with_one(tfp_strings_of(p)->strings[i], tensorflow)) return TFP_STR("tensorflow");
        is_jax |= begins_with_one(tfp_strings_of(p)->strings[i], jax);
    }
    return is_jax ? TFP_STR("jax") : (tfp_str){ 0 };
}

typedef struct range {
    int64_t start_ns, end_ns;
    bool any;
} range;

static void widen(range *x, int64_t start_ns, int64_t end_ns)
{
    if (!x->any || start_ns < x->start_ns) x->start_ns = start_ns;
    if (!x->any || end_ns > x->end_ns) x->end_ns = end_ns;
    x->any = true;
}

/* The range from the first start to the last end. Spans of TFP_SPAN_OTHER count only if there are no others. */
static range range_of(const tfp_profile *p)
{
    const tfp_span_columns *s = &tfp_events_of(p)->spans;
    range x = { 0 };
    for (int plain = 0; plain < 2 && !x.any; plain++)
        for (uint32_t i = 0; i < s->size; i++)
            if (plain || s->kind[i] != TFP_SPAN_OTHER) widen(&x, s->start_ns[i], tfp_span_end(s, i));
    for (size_t i = 0; !s->size && i < tfp_executions_of(p)->execs.size; i++)
        if (tfp_executions_of(p)->execs.at[i].start_ns)
            widen(&x, tfp_executions_of(p)->execs.at[i].start_ns, tfp_executions_of(p)->execs.at[i].end_ns);
    return x;
}

static void add_times(const tfp_profile *p, tfp_fleet_about *out)
{
    range x = range_of(p);
    /* times of day need no origin */
    int64_t at = x.start_ns >= EARLIEST_NS ? x.start_ns : tfp_add(tfp_about_of(p)->origin_unix_ns, x.start_ns, NULL);
    if (!x.any) return;
    out->duration_us = (double)tfp_add(x.end_ns, -x.start_ns, NULL) / 1000;
    if (at >= EARLIEST_NS && at < INT64_MAX) out->started_us = at / 1000;
}

static int64_t count_devices(const tfp_profile *p)
{
    tfp_map64 seen = { 0 };
    for (size_t i = 0; i < tfp_lanes_of(p)->size; i++) {
        const tfp_lane *l = &tfp_lanes_of(p)->at[i];
        if (l->role == TFP_ROLE_STREAM && l->device)
            (void)tfp_map64_put(&seen, (uint64_t)l->process << 32 | l->device,
                                1); /* when memory is out, the count is too low */
    }
    int64_t n = (int64_t)seen.count;
    tfp_map64_free(&seen);
    return n;
}

/* Whether the trace is truncated: the reader adds a finding that says so. */
static bool is_cut_short(const tfp_profile *p)
{
    for (size_t i = 0; i < tfp_events_of(p)->findings.size; i++)
        if (strncmp(tfp_events_of(p)->findings.at[i].what, "the file is cut short", 21) == 0) return true;
    return false;
}

void tfp_fleet_about_of(const tfp_profile *p, tfp_fleet_about *out)
{
    *out = (tfp_fleet_about){ .rank = -1, .ranks = -1, .started_us = INT64_MIN, .duration_us = NAN };
    for (size_t i = 0; i < tfp_sources_of(p)->formats.size && !out->format.data; i++)
        if (tfp_sources_of(p)->formats.at[i]) out->format = tfp_str_of(tfp_sources_of(p)->formats.at[i]);
    out->framework = framework_of(p);
    bool one_host = true, one_rank = true;
    for (size_t i = 0; i < tfp_events_of(p)->processes.size; i++) {
        const tfp_process *x = &tfp_events_of(p)->processes.at[i], *first = tfp_events_of(p)->processes.at;
        one_host &= x->host == first->host;
        one_rank &= x->rank == first->rank;
        if (x->rank_count > out->ranks) out->ranks = x->rank_count;
    }
    if (tfp_events_of(p)->processes.size && one_host && tfp_events_of(p)->processes.at[0].host)
        out->host = tfp_text(p, tfp_events_of(p)->processes.at[0].host);
    if (tfp_events_of(p)->processes.size && one_rank) out->rank = tfp_events_of(p)->processes.at[0].rank;
    if (tfp_events_of(p)->devices.size && tfp_events_of(p)->devices.at[0].name)
        out->model = tfp_text(p, tfp_events_of(p)->devices.at[0].name);
    out->devices = count_devices(p);
    out->truncated = is_cut_short(p);
    add_times(p, out);
}

/* ---- rows ---- */

bool tfp_fleet_rows_start(tfp_fleet_rows *r, unsigned wanted)
{
    *r = (tfp_fleet_rows){ .wanted = wanted };
    bool ok = tfp_texts_start(&r->texts);
    for (int i = 0; i < TFP_FLEET_TABLES && ok; i++)
        ok = tfp_fleet_batch(&r->tables[i], (tfp_fleet_table_id)i, &r->texts);
    return ok;
}

bool tfp_fleet_rows_clear(tfp_fleet_rows *r)
{
    for (int i = 0; i < TFP_FLEET_TABLES; i++) tfp_batch_clear(&r->tables[i]);
    return tfp_texts_clear(&r->texts);
}

void tfp_fleet_rows_free(tfp_fleet_rows *r)
{
    for (int i = 0; i < TFP_FLEET_TABLES; i++) tfp_batch_free(&r->tables[i]);
    tfp_texts_free(&r->texts);
}

static void put_run(tfp_batch *b, const tfp_profile *p, const tfp_fleet_run *run, const tfp_fleet_about *about)
{
    tfp_fleet_put_key(b, run);
    tfp_batch_text(b, run->path);
    tfp_batch_int_if(b, run->bytes != INT64_MIN, run->bytes);
    tfp_batch_int_if(b, run->mtime_us != INT64_MIN, run->mtime_us);
    tfp_batch_text(b, about->format);
    tfp_batch_text(b, run->framework);
    tfp_batch_int_if(b, about->ranks > 0, about->ranks);
    tfp_batch_int_if(b, about->started_us != INT64_MIN, about->started_us);
    tfp_batch_real(b, about->duration_us);
    tfp_batch_int(b, (int64_t)tfp_executions_of(p)->step_order.size);
    tfp_batch_int(b, about->devices);
    tfp_batch_text(b, about->model);
    tfp_batch_int(
        b, (int64_t)(tfp_events_of(p)->spans.size ? tfp_events_of(p)->spans.size : tfp_details_of(p)->spans.size));
    tfp_batch_int(b, about->truncated);
    tfp_batch_int(b, (int64_t)tfp_sources_of(p)->warnings.size);
    tfp_batch_text(b, run->labels);
    tfp_batch_text(b, run->identity);
    tfp_batch_text(b, tfp_str_of(tfp_version()));
    tfp_batch_int(b, run->indexed_us);
}

/* Adds the rows of one view. A trace without data for it adds none. */
static tfp_status add_view(tfp_fleet_rows *rows, const tfp_profile *p, const tfp_fleet_run *run,
                           const tfp_fleet_source *x, tfp_error *err)
{
    if (x->has && !x->has(p)) return TFP_OK;
    tfp_report *r = NULL;
    tfp_options *o = tfp_options_new();
    tfp_status s = o ? TFP_OK : tfp_nomem(err);
    for (const char *const *set = x->set; !s && set && *set; set += 2) s = tfp_options_set(o, set[0], set[1], err);
    if (!s) s = tfp_view_build(p, x->view, o, &r, err);
    tfp_options_free(o);
    if (!s && !x->put(rows, r, run)) s = tfp_nomem(err);
    tfp_report_free(r);
    if (s != TFP_NOTFOUND) return s;
    tfp_error_clear(err);
    return TFP_OK;
}

static tfp_status add_views(tfp_fleet_rows *rows, const tfp_profile *p, const tfp_fleet_run *run,
                            const tfp_fleet_source *x, tfp_error *err)
{
    tfp_status s = TFP_OK;
    for (; x->view && !s; x++)
        if (x->tables & rows->wanted) s = add_view(rows, p, run, x, err);
    return s;
}

tfp_status tfp_fleet_add(tfp_fleet_rows *r, const tfp_profile *p, const tfp_fleet_run *run,
                         const tfp_fleet_about *about, tfp_error *err)
{
    if (!tfp_has(p, TFP_HAS_TRACE) && !tfp_ran_any(p))
        return tfp_fail(err, TFP_BADFILE, "not a trace: nothing ran in it (format %.*s)", (int)about->format.size,
                        about->format.data);
    put_run(&r->tables[TFP_FLEET_RUNS], p, run, about);
    tfp_status s = add_views(r, p, run, tfp_fleet_of_tables, err);
    if (!s) s = add_views(r, p, run, tfp_fleet_of_trees, err);
    for (int i = 0; i < TFP_FLEET_TABLES && !s; i++)
        if (r->tables[i].failed) s = tfp_nomem(err);
    return s;
}
