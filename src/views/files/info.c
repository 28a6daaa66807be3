// SPDX-License-Identifier: Apache-2.0
/* views/files/info.c: the table `info`: what a profile contains, what it lacks, and which commands can be used. It should be
 * read before any numbers: which files, when and where they were recorded, and how much they contain. */
#include "flops/aten/aten.h"
#include "flops/core/parameters.h"
#include "model/files/allocator.h"
#include "model/files/collectives.h"
#include "model/files/flights.h"
#include "model/program.h"
#include "model/tables/about.h"
#include "model/tables/code.h"
#include "model/tables/details.h"
#include "model/tables/devices.h"
#include "model/tables/events.h"
#include "model/tables/graph.h"
#include "model/tables/instructions.h"
#include "model/tables/lanes.h"
#include "model/tables/processes.h"
#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "model/tables/samples.h"
#include "model/tables/sources.h"
#include "model/tables/span_kinds.h"
#include "model/tables/spans.h"
#include "model/tables/stats.h"
#include "model/tables/step_marks.h"
#include "model/tensors.h"
#include "views/core/grid.h"
#include "views/core/handle.h"
#include "views/core/view.h"
#include "views/files/info.h"
#include "views/flops/instructions.h"
#include "views/spans/doubts.h"
#include "views/timeline/timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct info_row {
    tfp_str part;
    bool there;
    int64_t count;
    tfp_str counted, commands, missing;
} info_row;

/* ---- facts ---- */

/* Adds a fact with the text of a buffer, which is freed; no fact when it is empty. */
static bool add_text(tfp_report *r, const char *name, const char *label, tfp_buf *b)
{
    if (b->size || b->failed) return tfp_fact_buf(r, name, label, b);
    tfp_buf_free(b);
    return true;
}

enum { FILES_SHOWN = 8, NAMES_SHOWN = 8 };

static bool say_files(tfp_report *r)
{
    const tfp_profile *p = tfp_profile_of(r);
    size_t told = 0, files = 0;
    bool ok = true;
    tfp_buf all = { 0 };
    for (size_t i = 0; i < tfp_sources_of(p)->sources.size; i++) {
        if (!tfp_sources_of(p)->formats.at[i]) continue; /* it is a folder, and its files follow */
        if (files++ >= FILES_SHOWN) continue;
        tfp_buf_printf(&all, "%s%s (%s)", told++ ? ", " : "", tfp_sources_of(p)->sources.at[i],
                       tfp_sources_of(p)->formats.at[i]);
    }
    if (files > told) tfp_buf_printf(&all, " and %zu more", files - told);
    return add_text(r, "files", "files", &all) && ok;
}

static bool is_told(const tfp_profile *p, const char *key)
{
    for (size_t i = 0; i < tfp_events_of(p)->about.size; i++)
        if (tfp_str_eq(tfp_text(p, tfp_events_of(p)->about.at[i].key), tfp_str_of(key))) return true;
    return false;
}

/* Whether PyTorch wrote the trace, and no other program that writes Chrome traces. */
static bool is_torch(const tfp_profile *p)
{
    return tfp_sources_of(p)->from & TFP_FROM_PYTORCH &&
           (is_told(p, "schemaVersion") || is_told(p, "deviceProperties"));
}

/* Only says what the files tell: an XPlane comes from TensorFlow or JAX, and does not tell which. */
static bool say_framework(tfp_report *r)
{
    const tfp_profile *p = tfp_profile_of(r);
    tfp_buf b = { 0 };
    if (tfp_sources_of(p)->from & TFP_FROM_TENSORFLOW) tfp_buf_text(&b, "TensorFlow");
    if (is_torch(p)) tfp_buf_text(&b, b.size ? ", PyTorch" : "PyTorch");
    return add_text(r, "framework", "framework", &b);
}

/* ---- when ---- */

typedef struct range {
    int64_t start_ns, end_ns; /* range of all spans; 0, 0: there are none */
    int64_t origin_ns;        /* Unix time of the trace's time 0 */
} range;

static void widen(range *x, int64_t start, int64_t end)
{
    if (x->end_ns == 0 || start < x->start_ns) x->start_ns = start;
    if (end > x->end_ns) x->end_ns = end;
}

/* Aligns clocks of several machines as in the timeline, because the difference between two clocks is no time of the run. */
static void widen_by_span(range *x, const tfp_profile *p, const tfp_timeline *t, uint32_t i)
{
    const tfp_span_columns *s = &tfp_events_of(p)->spans;
    uint32_t process = tfp_lanes_of(p)->at[s->lane[i]].process;
    int64_t offset = process == TFP_NONE || !t->offset_ns ? 0 : t->offset_ns[process];
    widen(x, tfp_add(s->start_ns[i], offset, NULL), tfp_add(tfp_span_end(s, i), offset, NULL));
}

static bool range_of(const tfp_profile *p, range *out)
{
    const tfp_span_columns *s = &tfp_events_of(p)->spans;
    tfp_timeline t = { .p = p };
    range x = { 0, 0, tfp_about_of(p)->origin_unix_ns };
    bool ok = tfp_events_of(p)->processes.size < 2 || tfp_timeline_set_clocks(&t);
    for (uint32_t i = 0; i < s->size; i++)
        if (s->kind[i] != TFP_SPAN_OTHER) widen_by_span(&x, p, &t, i);
    bool plain = x.end_ns == 0; /* a trace of another program: none of its spans has a kind */
    for (uint32_t i = 0; plain && i < s->size; i++) widen_by_span(&x, p, &t, i);
    free(t.offset_ns);
    for (size_t i = 0; !s->size && i < tfp_executions_of(p)->execs.size; i++)
        if (tfp_executions_of(p)->execs.at[i].start_ns)
            widen(&x, tfp_executions_of(p)->execs.at[i].start_ns, tfp_executions_of(p)->execs.at[i].end_ns);
    *out = x;
    return ok;
}

#define EARLIEST_NS ((int64_t)946684800 * 1000000000) /* the year 2000: smaller numbers are no time of day */

static bool say_when(tfp_report *r)
{
    range x;
    if (!range_of(tfp_profile_of(r), &x)) return false;
    /* times of day need no origin */
    int64_t at = x.start_ns >= EARLIEST_NS ? x.start_ns : tfp_add(x.origin_ns, x.start_ns, NULL);
    time_t seconds = (time_t)(at / 1000000000);
    struct tm utc;
    char text[32];
    tfp_buf b = { 0 };
    if (!x.end_ns) return true;
    if (at >= EARLIEST_NS && at < INT64_MAX && gmtime_r(&seconds, &utc) &&
        strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &utc))
        tfp_buf_text(&b, text);
    if (!add_text(r, "recorded", "recorded", &b)) return false;
    return tfp_fact_int(r, "range_us", "from first to last", TFP_MICROS,
                        tfp_micros(tfp_add(x.end_ns, -x.start_ns, NULL)));
}

/* ---- where ---- */

/* A list of distinct names in order of appearance. */
typedef struct name_list {
    tfp_map64 seen;
    tfp_buf text;
    size_t count;
} name_list;

static void add_name(name_list *l, const tfp_profile *p, tfp_strid name)
{
    if (!name || tfp_map64_get(&l->seen, name) != TFP_NONE) return;
    if (!tfp_map64_put(&l->seen, name, 1)) l->text.failed = true;
    if (l->count++ >= NAMES_SHOWN) return;
    if (l->count > 1) tfp_buf_text(&l->text, ", ");
    tfp_buf_str(&l->text, tfp_text(p, name));
}

static bool say_names(tfp_report *r, const char *name, const char *label, name_list *l)
{
    if (l->count > NAMES_SHOWN) tfp_buf_printf(&l->text, " and %zu more", l->count - NAMES_SHOWN);
    tfp_map64_free(&l->seen);
    return add_text(r, name, label, &l->text);
}

static bool say_processes(tfp_report *r)
{
    const tfp_profile *p = tfp_profile_of(r);
    name_list hosts = { 0 };
    tfp_buf ranks = { 0 };
    int32_t of = 0;
    size_t count = tfp_events_of(p)->processes.size, told = 0;
    for (size_t i = 0; i < count; i++) {
        const tfp_process *x = &tfp_events_of(p)->processes.at[i];
        add_name(&hosts, p, x->host);
        if (x->rank_count > of) of = x->rank_count;
        if (x->rank >= 0 && told++ < NAMES_SHOWN) tfp_buf_printf(&ranks, "%s%d", told > 1 ? ", " : "", (int)x->rank);
    }
    if (told > NAMES_SHOWN) tfp_buf_printf(&ranks, " and %zu more", told - NAMES_SHOWN);
    if (told && of) tfp_buf_printf(&ranks, " of %d", (int)of);
    bool ok = say_names(r, "hosts", hosts.count > 1 ? "hosts" : "host", &hosts);
    if (count) ok = ok && tfp_fact_int(r, "processes", "processes", TFP_LABEL, (int64_t)count);
    if (told > 1 || of > 1)
        ok = ok && add_text(r, "ranks", "ranks", &ranks) &&
             tfp_fact_int(r, "rank_count", NULL, TFP_LABEL, (int64_t)told) &&
             (!of || tfp_fact_int(r, "ranks_of_job", NULL, TFP_LABEL, of));
    tfp_buf_free(&ranks);
    return ok;
}

static bool say_devices(tfp_report *r)
{
    const tfp_profile *p = tfp_profile_of(r);
    name_list devices = { 0 }, models = { 0 };
    for (size_t i = 0; i < tfp_lanes_of(p)->size; i++)
        if (tfp_lanes_of(p)->at[i].role == TFP_ROLE_THREAD || tfp_lanes_of(p)->at[i].role == TFP_ROLE_STREAM)
            add_name(&devices, p, tfp_lanes_of(p)->at[i].device);
    for (size_t i = 0; i < tfp_graph_of(p)->nodes.size; i++)
        if (!tfp_events_of(p)->processes.size) add_name(&devices, p, tfp_graph_of(p)->nodes.at[i].device);
    for (size_t i = 0; i < tfp_events_of(p)->devices.size; i++)
        add_name(&models, p, tfp_events_of(p)->devices.at[i].name);
    return say_names(r, "devices", "devices", &devices) && say_names(r, "device_models", "device models", &models);
}

/* ---- how much ---- */

/* Whether a trace has no steps: what is counted as one step is the whole recording. */
static bool is_one_whole(const tfp_profile *p)
{
    const tfp_event_tables *e = tfp_events_of(p);
    for (size_t i = 0; i < e->windows.size; i++)
        if (e->processes.at[e->windows.at[i].process].steps != TFP_STEPS_NONE) return false;
    return e->windows.size > 0;
}

static bool say_steps(tfp_report *r)
{
    const tfp_profile *p = tfp_profile_of(r);
    size_t n = tfp_executions_of(p)->step_order.size;
    tfp_buf b = { 0 };
    if (!n) return tfp_fact_int(r, "step_count", NULL, TFP_LABEL, 0);
    long long first = (long long)tfp_executions_of(p)->steps.at[tfp_executions_of(p)->step_order.at[0]].id;
    long long last = (long long)tfp_executions_of(p)->steps.at[tfp_executions_of(p)->step_order.at[n - 1]].id;
    if (is_one_whole(p))
        tfp_buf_text(&b, "none: times are of the whole recording");
    else if (n > 1)
        tfp_buf_printf(&b, "%zu, from %lld to %lld", n, first, last);
    else
        tfp_buf_printf(&b, "1, number %lld", first);
    return add_text(r, "steps", "steps", &b) && tfp_fact_int(r, "step_count", NULL, TFP_LABEL, (int64_t)n) &&
           tfp_fact_int(r, "first_step", NULL, TFP_LABEL, first) && tfp_fact_int(r, "last_step", NULL, TFP_LABEL, last);
}

/* Sampled stacks: the number of samples, and their kinds. */
static bool say_samples(tfp_report *r)
{
    const tfp_profile *p = tfp_profile_of(r);
    tfp_buf kinds = { 0 };
    if (!tfp_samples_of(p)->sample_types.size) return true;
    for (uint32_t i = 0; i < tfp_samples_of(p)->sample_types.size && i < NAMES_SHOWN; i++) {
        const tfp_sample_type *t = &tfp_samples_of(p)->sample_types.at[i];
        tfp_buf_text(&kinds, i ? ", " : "");
        tfp_buf_str(&kinds, tfp_text(p, t->type));
        tfp_buf_text(&kinds, " (");
        tfp_buf_str(&kinds, tfp_text(p, t->unit));
        tfp_buf_text(&kinds, i == tfp_about_of(p)->sample_type ? ", shown)" : ")");
    }
    if (tfp_samples_of(p)->sample_types.size > NAMES_SHOWN)
        tfp_buf_printf(&kinds, " and %zu more", tfp_samples_of(p)->sample_types.size - NAMES_SHOWN);
    return add_text(r, "sample_types", "kinds of samples", &kinds) &&
           tfp_fact_int(r, "samples", "samples", TFP_LABEL, (int64_t)tfp_samples_of(p)->samples.size);
}

static bool say_parameters(tfp_report *r, const tfp_parameter_counts *c)
{
    return !c->total || tfp_fact_int(r, "parameters", "parameters", TFP_LABEL, c->total);
}

/* ---- contents that are there and contents that are absent ---- */

/* clang-format off */
static const tfp_table_column info_columns[] = {
    TFP_COLUMN(info_row, "part", TEXT, LABEL, part, "What a profile may hold."),
    TFP_COLUMN(info_row, "there", BOOL, LABEL, there, "Whether this one does."),
    TFP_COLUMN(info_row, "count", INT, LABEL, count, "How many."),
    TFP_COLUMN(info_row, "of", TEXT, LABEL, counted, "What is counted."),
    TFP_COLUMN(info_row, "commands", TEXT, LABEL, commands, "The commands that need it."),
    TFP_COLUMN(info_row, "missing", TEXT, LABEL, missing, "What to add where it is absent."),
    { NULL, TFP_CELL_INT, TFP_LABEL, 0, NULL, 0 },
};
/* clang-format on */

static info_row part(const char *name, bool there, int64_t count, const char *of, const char *commands,
                     const char *missing)
{
    info_row x = { tfp_str_of(name),   there, there ? count : TFP_ABSENT, tfp_str_of(of), tfp_str_of(commands),
                   tfp_str_of(missing) };
    if (!there) x.counted.data = NULL;
    if (there) x.missing.data = NULL;
    return x;
}

static int64_t memory_records(const tfp_profile *p)
{
    size_t pool = tfp_allocator_of(p)->entries.size + tfp_allocator_of(p)->blocks.size;
    return (int64_t)(pool                            ? pool
                     : tfp_events_of(p)->memory.size ? tfp_events_of(p)->memory.size
                                                     : tfp_details_of(p)->allocations.size);
}

static int64_t run_count(const tfp_profile *p)
{
    int64_t n = 0;
    for (size_t i = 0; i < tfp_executions_of(p)->execs.size; i++)
        n = tfp_add(n, tfp_exec_runs(&tfp_executions_of(p)->execs.at[i]), NULL);
    return n;
}

static int64_t program_count(const tfp_profile *p)
{
    if (tfp_program_of(p)) return (int64_t)tfp_program_of(p)->nodes.size;
    return tfp_instruction_rows_of(p)->size ? (int64_t)tfp_instruction_rows_of(p)->size
                                            : TFP_ABSENT; /* the trace's spans tell it, without a number */
}

/* The source of float operations: a graph, XLA's instructions, or the arguments of PyTorch's operators. */
static info_row program_part(const tfp_profile *p)
{
    bool there = tfp_has(p, TFP_HAS_PROGRAM) || tfp_has_instructions(p);
    bool calls = !tfp_program_of(p) && (tfp_aten_recorded(p) || tfp_has_recorded_calls(p));
    const char *of = tfp_program_of(p) ? "nodes, those of functions too"
                     : calls           ? "shapes of the inputs of operators"
                                       : "instructions of a compiled program";
    return part("program", there, program_count(p), of,
                there && !tfp_program_of(p) ? "flops, op -select float_ops" : "flops, params, -float_ops_source own",
                "a GraphDef, MetaGraphDef or SavedModel (--graph_path)");
}

static info_row collectives_part(const tfp_profile *p)
{
    int64_t count = (int64_t)(tfp_flights_of(p)->entries.size + tfp_timed_of(p)->size);
    return part("collectives", count, count, "collectives", tfp_timed_of(p)->size ? "transfer" : "hang",
                "dumps of PyTorch's flight recorder");
}

static bool has_graph(const tfp_profile *p) { return tfp_has(p, TFP_HAS_GRAPH) && tfp_graph_of(p)->nodes.size; }

static tfp_status show_parts(tfp_report *r, tfp_error *err)
{
    const tfp_profile *p = tfp_profile_of(r);
    int64_t records = memory_records(p);
    const info_row all[] = {
        part("nodes", tfp_graph_of(p)->nodes.size > 0, (int64_t)tfp_graph_of(p)->nodes.size, "nodes",
             "scope, op, query",
             tfp_events_of(p)->spans.size ? "a trace of PyTorch, TensorFlow 2 or JAX; tfprof calls shows spans by name"
                                          : "any file that this program reads"),
        part("graph", has_graph(p), (int64_t)tfp_graph_of(p)->inputs.size, "inputs of nodes", "graph",
             is_torch(p) ? "PyTorch's execution trace (--execution_trace_path)"
                         : "a GraphDef, MetaGraphDef or SavedModel (--graph_path)"),
        program_part(p),
        part("runs", tfp_ran_any(p), run_count(p), "runs of nodes",
             "summary, op -select micros, steps, wait, stats, advise, diff",
             "run metadata (--run_meta_path), a profile, or a trace"),
        part("code", tfp_profile_has(p, TFP_HAS_STACKS),
             tfp_code_of(p)->traces.size ? (int64_t)tfp_code_of(p)->traces.size : TFP_ABSENT, "call stacks",
             tfp_only_allocator(p) && !tfp_timed_of(p)->size ? "memory -by line" : "lines, code",
             "an op log (--op_log_path), or a trace recorded with stacks"),
        part("trace", tfp_has(p, TFP_HAS_TRACE), (int64_t)tfp_events_of(p)->spans.size, "spans",
             "kernel, calls, transfer, check",
             "a trace of PyTorch (--kineto_path), of TensorFlow 2 or JAX (--xplane_path)"),
        part("memory", tfp_has(p, TFP_HAS_MEMORY), records ? records : TFP_ABSENT,
             records ? "records" : "computed from what nodes kept", "memory, op -select bytes",
             "run metadata, a trace recorded with memory, or a memory snapshot of PyTorch"),
        part("tensors", tfp_has(p, TFP_HAS_TENSORS),
             tfp_checkpoint_of(p) ? (int64_t)tfp_checkpoint_count(tfp_checkpoint_of(p)) : 0, "variables",
             "scope -select tensor_value", "a checkpoint (--checkpoint_path)"),
        collectives_part(p),
    };
    size_t count =
        sizeof all / sizeof *all -
        !(tfp_flights_of(p)->dumps.size || tfp_timed_of(p)->size); /* shown only if they exist, as few jobs have them */
    tfp_table_of(r)->sentences = true;
    return tfp_grid_of(r, &(tfp_row_table){ info_columns, all, sizeof *all, count, 0 }, err);
}

static tfp_status build(tfp_report *r, tfp_error *err)
{
    const tfp_profile *p = tfp_profile_of(r);
    tfp_parameter_counts counts;
    tfp_status s = tfp_parameters(p, tfp_arena_of(r), &counts, err);
    if (s) return s;
    bool ok = say_files(r) && say_framework(r) && say_when(r) && say_processes(r) && say_devices(r);
    ok = ok && say_steps(r) && say_samples(r) &&
         tfp_fact_int(r, "nodes", "nodes", TFP_LABEL, (int64_t)tfp_graph_of(p)->nodes.size) &&
         say_parameters(r, &counts);
    s = ok ? tfp_note_recording(r, p, NULL, err) : tfp_nomem(err);
    if (!s) s = show_parts(r, err);
    return s ? s : tfp_info_next(r, counts.total != 0, err);
}

const tfp_view tfp_view_info = { "info",
                                 "What is in the files: format, when and where they were recorded, steps, devices; "
                                 "what is absent; which commands can be used.",
                                 TFP_REPORT_GRID,
                                 NULL,
                                 NULL,
                                 build,
                                 TFP_TAKES_SNAPSHOTS,
                                 .reads = TFP_READS_PROGRAM | TFP_READS_RUNS };
