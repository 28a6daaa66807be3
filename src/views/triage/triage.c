// SPDX-License-Identifier: Apache-2.0
/* views/triage/triage.c: the view `triage`: for each phase of a server what it is bound by, and three tables: kernels with their lines, what
 * runs beside other work or alone, and chains that one kernel could do. Programs get each table whole, people a heading for each phase. */
#include "model/tables/read.h"
#include "names/names.h"
#include "model/tables/sources.h"
#include "options/units.h"
#include "query/mix.h"
#include "query/order.h"
#include "views/core/grid.h"
#include "views/core/notes.h"
#include "views/core/report.h"
#include "views/core/view.h"
#include "views/spans/doubts.h"
#include "views/triage/fusion.h"

#include <math.h>

enum { NAME_MOST = 44, LINE_MOST = 44, MODULE_MOST = 24, CHAIN_MOST = 72, FEW = 12 };

#define LOST_OVER 0.1 /* share of the device's time in replays: from here on a note says what gives their lines */

typedef struct triage {
    tfp_report *r;
    tfp_triage t;
    tfp_triage_head *heads;
    tfp_triage_row *kernels, *overlap;
    tfp_fusion_row *fusion;
    size_t head_count, kernel_count, overlap_count, fusion_count;
} triage;

/* clang-format off */
static const tfp_table_column head_columns[] = {
    TFP_COLUMN(tfp_triage_head, "phase", TEXT, LABEL, phase, "The phase."),
    TFP_COLUMN(tfp_triage_head, "engine", TEXT, LABEL, engine, "SGLang, vLLM, TensorRT-LLM or ATOM."),
    TFP_COLUMN(tfp_triage_head, "device", TEXT, LABEL, device, "Name of the device."),
    TFP_COLUMN(tfp_triage_head, "ranks", INT, NUMBER, ranks, "Ranks in the files."),
    TFP_COLUMN(tfp_triage_head, "steps", INT, NUMBER, steps, "Steps of the phase on the slowest rank."),
    TFP_COLUMN(tfp_triage_head, "requests", INT, NUMBER, requests, "Sum of the requests in them."),
    TFP_COLUMN(tfp_triage_head, "tokens", INT, NUMBER, tokens, "Sum of the tokens that they read or made."),
    TFP_COLUMN(tfp_triage_head, "step_us", REAL, MICROS, step_us, "Mean time of such a step."),
    TFP_COLUMN(tfp_triage_head, "tokens_per_second", REAL, NUMBER, tokens_per_second, "Tokens divided by the time of the steps."),
    TFP_COLUMN(tfp_triage_head, "busy_share", REAL, SHARE, busy_share, "Share of the steps' time in which a device works."),
    TFP_COLUMN(tfp_triage_head, "bound", TEXT, LABEL, bound, "What the time goes into."),
    { 0 },
};
static const tfp_table_column kernel_columns[] = {
    TFP_COLUMN(tfp_triage_row, "phase", TEXT, LABEL, phase, "The phase of the steps that launched it; empty: the trace has no phases."),
    TFP_COLUMN_KERNELS(tfp_triage_row, "name", name, "Kernel or copy."),
    TFP_COLUMN(tfp_triage_row, "class", TEXT, LABEL, class, "compute, communication, copy or set."),
    TFP_COLUMN(tfp_triage_row, "family", TEXT, LABEL, family, "What it does for the model, by its operator, else its module, else its name."),
    TFP_COLUMN(tfp_triage_row, "count", INT, NUMBER, ns.count, "How often it ran."),
    TFP_COLUMN(tfp_triage_row, "device_us", NANO, MICROS, ns.total, "Its time on the device."),
    TFP_COLUMN(tfp_triage_row, "share", REAL, SHARE, share, "Share of the phase's device time."),
    TFP_COLUMN(tfp_triage_row, "mean_us", REAL, MICROS, mean_us, "Its mean time."),
    TFP_COLUMN(tfp_triage_row, "lines", TEXT, LABEL, lines, "Lines of your code or the engine's that launched it, with their shares, most time first; at most three."),
    TFP_COLUMN(tfp_triage_row, "modules", TEXT, LABEL, modules, "Classes of the innermost modules, in the same form."),
    TFP_COLUMN(tfp_triage_row, "ops", TEXT, LABEL, ops, "Operators that launched it, the most frequent first; at most three."),
    TFP_COLUMN(tfp_triage_row, "certainty", TEXT, LABEL, certainty, "How the places are known, most time first."),
    TFP_COLUMN(tfp_triage_row, "efficiency", REAL, SHARE, efficiency, "Ideal time divided by its time (limits); empty: not judged."),
    { 0 },
};
static const tfp_table_column overlap_columns[] = {
    TFP_COLUMN(tfp_triage_row, "phase", TEXT, LABEL, phase, "The phase."),
    TFP_COLUMN_KERNELS(tfp_triage_row, "name", name, "Collective, copy, or kernel that ran beside others."),
    TFP_COLUMN(tfp_triage_row, "class", TEXT, LABEL, class, "compute, communication, copy or set."),
    TFP_COLUMN(tfp_triage_row, "device_us", NANO, MICROS, ns.total, "Its time on the device."),
    TFP_COLUMN(tfp_triage_row, "share", REAL, SHARE, share, "Share of the phase's device time."),
    TFP_COLUMN(tfp_triage_row, "alone_us", NANO, MICROS, beside.alone_ns, "Time in which nothing else runs on another stream of the device."),
    TFP_COLUMN(tfp_triage_row, "beside_us", NANO, MICROS, beside.beside_ns, "Time beside work of other streams."),
    TFP_COLUMN(tfp_triage_row, "beside_compute_us", NANO, MICROS, beside.beside_compute_ns, "Time beside compute of other streams."),
    TFP_COLUMN_KERNELS(tfp_triage_row, "previous", beside.previous, "The most frequent one before it on its stream, within 5 µs."),
    TFP_COLUMN_KERNELS(tfp_triage_row, "next", beside.next, "The most frequent one after it, within 5 µs."),
    TFP_COLUMN(tfp_triage_row, "depends", TEXT, LABEL, beside.depends, "Whether the next one reads its result; empty: not known."),
    TFP_COLUMN(tfp_triage_row, "verdict", TEXT, LABEL, beside.verdict, "hidden: beside other work for 80 % of its time; exposed: alone for 80 %; else partly."),
    { 0 },
};
static const tfp_table_column fusion_columns[] = {
    TFP_COLUMN(tfp_fusion_row, "phase", TEXT, LABEL, phase, "The phase."),
    TFP_COLUMN(tfp_fusion_row, "chain", TEXT, LABEL, chain, "Operators that one kernel could do, in order."),
    TFP_COLUMN(tfp_fusion_row, "module", TEXT, LABEL, module, "Type of the module around them."),
    TFP_COLUMN(tfp_fusion_row, "shape", TEXT, LABEL, shape, "Dimensions of the largest result."),
    TFP_COLUMN(tfp_fusion_row, "calls", INT, NUMBER, calls, "How often the chain ran."),
    TFP_COLUMN(tfp_fusion_row, "device_us", NANO, MICROS, device_ns, "Time on the device."),
    TFP_COLUMN(tfp_fusion_row, "share", REAL, SHARE, share, "Share of the phase's device time."),
    TFP_COLUMN(tfp_fusion_row, "bytes_saved", INT, SIZE, bytes_saved, "Bytes that one kernel would not move."),
    TFP_COLUMN(tfp_fusion_row, "gain_us", REAL, MICROS, gain_us, "The most that fusing could gain."),
    TFP_COLUMN(tfp_fusion_row, "gain_share", REAL, SHARE, gain_share, "That as a share of the phase's steps."),
    TFP_COLUMN(tfp_fusion_row, "certainty", TEXT, LABEL, certainty, "How it is known that each reads the result of the one before."),
    { 0 },
};
/* What people see: first lines, names cut; columns without a value in the phase are left out. */
enum { SHOWN_LINES = 1, SHOWN_MODULES = 2, SHOWN_EFFICIENCY = 4, SHOWN_DEPENDS = 8 };
static const tfp_table_column kernels_shown[] = {
    TFP_COLUMN(tfp_triage_row, "name", TEXT, LABEL, name, ""),
    TFP_COLUMN(tfp_triage_row, "family", TEXT, LABEL, family, ""),
    TFP_COLUMN(tfp_triage_row, "count", INT, NUMBER, ns.count, ""),
    TFP_COLUMN(tfp_triage_row, "device_us", NANO, MICROS, ns.total, ""),
    TFP_COLUMN(tfp_triage_row, "share", REAL, SHARE, share, ""),
    TFP_COLUMN(tfp_triage_row, "mean_us", REAL, MICROS, mean_us, ""),
    TFP_COLUMN_ONLY(tfp_triage_row, "line", TEXT, LABEL, line, "", SHOWN_LINES),
    TFP_COLUMN_ONLY(tfp_triage_row, "module or op", TEXT, LABEL, modules, "", SHOWN_MODULES),
    TFP_COLUMN_ONLY(tfp_triage_row, "efficiency", REAL, SHARE, efficiency, "", SHOWN_EFFICIENCY),
    { 0 },
};
static const tfp_table_column overlap_shown[] = {
    TFP_COLUMN(tfp_triage_row, "name", TEXT, LABEL, name, ""),
    TFP_COLUMN(tfp_triage_row, "verdict", TEXT, LABEL, beside.verdict, ""),
    TFP_COLUMN(tfp_triage_row, "device_us", NANO, MICROS, ns.total, ""),
    TFP_COLUMN(tfp_triage_row, "share", REAL, SHARE, share, ""),
    TFP_COLUMN(tfp_triage_row, "alone_us", NANO, MICROS, beside.alone_ns, ""),
    TFP_COLUMN(tfp_triage_row, "beside_us", NANO, MICROS, beside.beside_ns, ""),
    TFP_COLUMN(tfp_triage_row, "beside_compute_us", NANO, MICROS, beside.beside_compute_ns, ""),
    TFP_COLUMN(tfp_triage_row, "next", TEXT, LABEL, beside.next, ""),
    TFP_COLUMN_ONLY(tfp_triage_row, "depends", TEXT, LABEL, beside.depends, "", SHOWN_DEPENDS),
    { 0 },
};
static const tfp_table_column fusion_shown[] = {
    TFP_COLUMN(tfp_fusion_row, "chain", TEXT, LABEL, chain, ""),
    TFP_COLUMN(tfp_fusion_row, "module", TEXT, LABEL, module, ""),
    TFP_COLUMN(tfp_fusion_row, "shape", TEXT, LABEL, shape, ""),
    TFP_COLUMN(tfp_fusion_row, "calls", INT, NUMBER, calls, ""),
    TFP_COLUMN(tfp_fusion_row, "device_us", NANO, MICROS, device_ns, ""),
    TFP_COLUMN(tfp_fusion_row, "share", REAL, SHARE, share, ""),
    TFP_COLUMN(tfp_fusion_row, "gain_us", REAL, MICROS, gain_us, ""),
    TFP_COLUMN(tfp_fusion_row, "gain_share", REAL, SHARE, gain_share, ""),
    { 0 },
};
/* clang-format on */

/* ---- the rows of the tables ---- */

static const tfp_sort_key biggest_first[] = { TFP_UP(tfp_triage_row, of),
                                              TFP_DOWN(tfp_triage_row, ns.total),
                                              TFP_UP(tfp_triage_row, name),
                                              TFP_UP(tfp_triage_row, class),
                                              { 0 } };

static bool is_shown(const triage *t, double share) { return share >= tfp_options_of(t->r)->verb.min_share; }

static bool in_overlap(const triage *t, const tfp_triage_row *row)
{
    return !t->t.one_stream && (row->of_class != TFP_CLASS_COMPUTE || row->beside.beside_ns > 0);
}

static bool select_rows(triage *t)
{
    tfp_arena *a = tfp_arena_of(t->r);
    tfp_triage_row *all = tfp_ordered(a, t->t.rows, sizeof *all, t->t.count, biggest_first);
    t->kernels = TFP_NEW(a, tfp_triage_row, t->t.count + 1);
    t->overlap = TFP_NEW(a, tfp_triage_row, t->t.count + 1);
    if (!all || !t->kernels || !t->overlap) return false;
    size_t chains = 0;
    for (size_t i = 0; i < t->t.count; i++) {
        if (!is_shown(t, all[i].share)) continue;
        t->kernels[t->kernel_count++] = all[i];
        if (in_overlap(t, &all[i])) t->overlap[t->overlap_count++] = all[i];
    }
    for (size_t i = 0; i < t->fusion_count; i++)
        if (is_shown(t, t->fusion[i].share)) t->fusion[chains++] = t->fusion[i];
    t->fusion_count = chains;
    return true;
}

/* ---- for people ---- */

/* The last two folders' part of a line, cut to so many characters. */
static tfp_str cut(tfp_arena *a, tfp_str text, size_t most, bool path)
{
    size_t from = text.size, slashes = 0;
    while (path && from && (text.data[from - 1] != '/' || slashes++ < 1)) from--;
    if (path) text = (tfp_str){ text.data + from, text.size - from };
    if (text.size <= most) return text;
    tfp_buf b = { 0 };
    size_t size = most - 1;
    while (size && ((unsigned char)text.data[size] & 0xc0) == 0x80) size--;
    tfp_buf_str(&b, (tfp_str){ text.data, size });
    tfp_buf_text(&b, "…");
    tfp_str out = tfp_buf_move(&b, a);
    return out.data ? out : TFP_STR("");
}

static tfp_str short_name(tfp_arena *a, tfp_str name)
{
    tfp_buf b = { 0 };
    if (!tfp_kernel_short(name, &b)) {
        tfp_buf_free(&b);
        return cut(a, name, NAME_MOST, false);
    }
    tfp_str full = tfp_buf_move(&b, a);
    return full.data ? cut(a, full, NAME_MOST, false) : TFP_STR("");
}

/* Operators say more than the module of a compiled graph, which has the whole model or a piece of it, and than no module. */
static tfp_str place(const tfp_triage_row *row)
{
    bool vague =
        tfp_str_begins(row->modules, TFP_STR("GraphModule")) || tfp_str_begins(row->modules, TFP_STR(TFP_MIX_NONE));
    if (!vague || !row->ops.size || *row->ops.data == '(') return row->modules; /* "(no op)" */
    const char *end = memchr(row->ops.data, '|', row->ops.size);
    return (tfp_str){ row->ops.data, end ? (size_t)(end - row->ops.data) : row->ops.size };
}

static void shorten_row(tfp_arena *a, tfp_triage_row *row)
{
    row->name = short_name(a, row->name);
    if (row->beside.next.data) row->beside.next = short_name(a, row->beside.next);
    row->line = cut(a, row->line, LINE_MOST, true);
    row->modules = cut(a, place(row), MODULE_MOST, false);
}

/* "aten::pow > aten::mean" becomes "pow > mean". */
static void shorten_chain(tfp_arena *a, tfp_fusion_row *row)
{
    tfp_buf b = { 0 };
    tfp_str at = row->chain;
    while (at.size) {
        if (tfp_str_begins(at, TFP_STR("aten::"))) at = (tfp_str){ at.data + 6, at.size - 6 };
        if (at.size) tfp_buf_char(&b, *at.data), at = (tfp_str){ at.data + 1, at.size - 1 };
    }
    tfp_str whole = tfp_buf_move(&b, a);
    row->chain = whole.data ? cut(a, whole, CHAIN_MOST, false) : TFP_STR("");
    row->module = cut(a, row->module, MODULE_MOST, false);
}

static tfp_status add_shown(triage *t, const char *phase, const char *what, tfp_row_table table, tfp_error *err)
{
    tfp_buf title = { 0 };
    tfp_buf_printf(&title, "%s%s%s", phase, *phase ? ": " : "", what);
    const char *text = tfp_buf_move(&title, tfp_arena_of(t->r)).data;
    if (!text) return tfp_nomem(err);
    if (!table.row_count) return TFP_OK;
    tfp_status s = tfp_grid_part(t->r, "shown", text, &table, 0, err);
    if (!s) t->r->parts.at[t->r->parts.size - 1].reader = TFP_PART_PEOPLE;
    return s;
}

/* Which columns have a value. */
static unsigned shown_of(const tfp_triage_row *rows, size_t count)
{
    unsigned shown = 0;
    tfp_str none = TFP_STR(TFP_MIX_NONE);
    for (size_t i = 0; i < count; i++)
        shown |= (tfp_str_eq(rows[i].line, none) ? 0 : SHOWN_LINES) |
                 (tfp_str_eq(place(&rows[i]), none) ? 0 : SHOWN_MODULES) |
                 (isnan(rows[i].efficiency) ? 0 : SHOWN_EFFICIENCY) | (rows[i].beside.depends.data ? SHOWN_DEPENDS : 0);
    return shown;
}

/* The part of the rows that is of a phase. */
#define OF_PHASE(rows, total, phase, first, count)                                                                     \
    do {                                                                                                               \
        for (first = 0; first < (total) && (rows)[first].of != (phase);) first++;                                      \
        for (count = 0; first + count < (total) && (rows)[first + count].of == (phase);) count++;                      \
    } while (0)

static tfp_status show_phase(triage *t, const tfp_triage_head *head, tfp_error *err)
{
    const char *phase = tfp_phase_name(head->of);
    size_t first, count;
    OF_PHASE(t->kernels, t->kernel_count, head->of, first, count);
    tfp_status s = add_shown(t, phase, "kernels, and the lines that launch them",
                             (tfp_row_table){ kernels_shown, t->kernels + first, sizeof *t->kernels, count,
                                              shown_of(t->kernels + first, count) },
                             err);
    OF_PHASE(t->overlap, t->overlap_count, head->of, first, count);
    if (!s)
        s = add_shown(t, phase, "what runs beside other streams, and what runs alone",
                      (tfp_row_table){ overlap_shown, t->overlap + first, sizeof *t->overlap, count,
                                       shown_of(t->overlap + first, count) },
                      err);
    OF_PHASE(t->fusion, t->fusion_count, head->of, first, count);
    if (!s)
        s = add_shown(t, phase, "chains that one kernel could do; gains are at most",
                      (tfp_row_table){ fusion_shown, t->fusion + first, sizeof *t->fusion, count, 0 }, err);
    return s;
}

/* "3 steps of 829 µs, 2413 tokens/s, busy 96 %; moe 30 %, ... of the device's time" */
static bool say_phase(tfp_report *r, const tfp_triage_head *h)
{
    tfp_buf b = { 0 };
    tfp_buf_printf(&b, "%lld step%s", (long long)h->steps, h->steps == 1 ? "" : "s");
    if (h->step_us == h->step_us) {
        tfp_buf_text(&b, " of ");
        tfp_format_real(&b, TFP_MICROS, h->step_us);
    }
    if (h->tokens_per_second == h->tokens_per_second) tfp_buf_printf(&b, ", %.0f tokens/s", h->tokens_per_second);
    if (h->busy_share == h->busy_share) tfp_buf_printf(&b, ", busy %.0f %%", 100 * h->busy_share);
    tfp_buf_text(&b, "; ");
    tfp_buf_str(&b, h->bound);
    const char *label = h->of ? tfp_phase_name(h->of) : "steps";
    return tfp_fact_buf(r, label, label, &b);
}

static tfp_status say_head(triage *t, tfp_error *err)
{
    tfp_report *r = t->r;
    tfp_str command = tfp_triage_command(r, &r->arena), engine = tfp_triage_engine(r->profile),
            device = tfp_triage_device(r->profile);
    bool ok = command.data && tfp_fact_text(r, "files", "files", tfp_triage_files(r, &r->arena)) &&
              tfp_fact_text(r, "engine", engine.data ? "engine" : NULL, engine) &&
              tfp_fact_text(r, "device", device.data ? "device" : NULL, device) &&
              tfp_fact_int(r, "ranks", t->t.x->unit_count > 1 ? "ranks" : NULL, TFP_LABEL, (int64_t)t->t.x->unit_count);
    for (size_t i = 0; i < t->head_count && ok; i++) ok = say_phase(r, &t->heads[i]);
    return ok && tfp_fact_text(r, "command", "command", command) ? TFP_OK : tfp_nomem(err);
}

static tfp_status show(triage *t, tfp_error *err)
{
    tfp_arena *a = tfp_arena_of(t->r);
    for (size_t i = 0; i < t->kernel_count; i++) shorten_row(a, &t->kernels[i]);
    for (size_t i = 0; i < t->overlap_count; i++) shorten_row(a, &t->overlap[i]);
    for (size_t i = 0; i < t->fusion_count; i++) shorten_chain(a, &t->fusion[i]);
    tfp_status s = TFP_OK;
    for (size_t i = 0; i < t->head_count && !s; i++) s = show_phase(t, &t->heads[i], err);
    return s;
}

/* ---- the view ---- */

static tfp_status add_part(triage *t, const char *name, tfp_row_table table, tfp_error *err)
{
    tfp_status s = tfp_grid_part(t->r, name, name, &table, 0, err);
    if (!s) t->r->parts.at[t->r->parts.size - 1].reader = TFP_PART_PROGRAMS;
    return s;
}

static tfp_status add_tables(triage *t, tfp_error *err)
{
    tfp_status s =
        tfp_grid_of(t->r, &(tfp_row_table){ kernel_columns, t->kernels, sizeof *t->kernels, t->kernel_count, 0 }, err);
    tfp_table_of(t->r)->key = "kernels";
    if (!s) s = add_part(t, "head", (tfp_row_table){ head_columns, t->heads, sizeof *t->heads, t->head_count, 0 }, err);
    if (!s)
        s = add_part(t, "overlap",
                     (tfp_row_table){ overlap_columns, t->overlap, sizeof *t->overlap, t->overlap_count, 0 }, err);
    if (!s)
        s = add_part(t, "fusion", (tfp_row_table){ fusion_columns, t->fusion, sizeof *t->fusion, t->fusion_count, 0 },
                     err);
    return s;
}

static tfp_status note(triage *t, tfp_error *err)
{
    double all = (double)t->t.outside_ns;
    for (int i = 0; i < TFP_PHASES; i++) all += (double)t->t.device_ns[i];
    tfp_status s = TFP_OK;
    if (t->t.one_stream)
        s = tfp_report_note_add(t->r, TFP_NOTE_ONE_STREAM, err,
                                "the device works on one stream only: nothing can run beside anything else");
    double lost = tfp_share_without_capture(t->r);
    if (!s && lost > LOST_OVER)
        s = tfp_report_note_add(
            t->r, TFP_NOTE_LINES_UNKNOWN, err,
            "%.0f %% of the device's time is in replays of graphs that no file explains: their lines come from the "
            "trace in "
            "which they were captured (--capture_path FILE or FOLDER) or from a run without graphs (--eager_path)",
            100 * lost);
    if (!s && (double)t->t.outside_ns > .01 * all && !tfp_options_phase(tfp_options_of(t->r)))
        s = tfp_report_note_add(t->r, TFP_NOTE_OUTSIDE_PHASES, err,
                                "%.0f %% of the device's time is in no step of a phase, and in no table",
                                100 * (double)t->t.outside_ns / all);
    return s;
}

static tfp_status build(tfp_report *r, tfp_error *err)
{
    triage t = { .r = r };
    tfp_trace_index x;
    tfp_status s = tfp_trace_index_new(r, &x, err);
    if (!s) s = tfp_note_recording(r, x.p, NULL, err);
    if (!s) s = tfp_triage_of(r, &x, &t.t, err);
    if (!s && !t.t.count)
        s = tfp_within_file(
            err, tfp_fail(err, TFP_BADFILE, "no activity of a device: triage needs a trace of one, as kernels have"),
            tfp_first_source(r->profile));
    if (!s && (!tfp_triage_beside(&t.t) || !tfp_triage_heads(&t.t, &t.heads, &t.head_count))) s = tfp_nomem(err);
    if (!s) s = tfp_triage_fusion(&t.t, t.heads, t.head_count, &t.fusion, &t.fusion_count, err);
    if (!s && !select_rows(&t)) s = tfp_nomem(err);
    if (!s) s = note(&t, err);
    if (!s) s = say_head(&t, err);
    if (!s) s = add_tables(&t, err);
    const char *format = tfp_options_of(r)->to.format;
    if (!s && (strcmp(format, "text") == 0 || strcmp(format, "md") == 0)) s = show(&t, err);
    tfp_triage_free(&t.t);
    return s;
}

const tfp_view tfp_view_triage = {
    .name = "triage",
    .help =
        "Of a server of language models, phase by phase: kernels with their lines, what overlaps, what could be fused.",
    .kind = TFP_REPORT_GRID,
    .build = build,
    .needs = TFP_NEEDS_SPANS | TFP_NEEDS_EVENTS,
    .columns = kernel_columns,
    .no_rows = "no kernel takes that share of a phase",
    .row_traits = TFP_ADDS_ATTRIBUTION,
    .reads = TFP_READS_STRIDES,
    .compared = TFP_COMPARED_FAMILIES,
};
