// SPDX-License-Identifier: Apache-2.0
/* views/files/lines.c: the table `lines`: time by line of the user's own code. Time in library frames is counted for the user's
 * line that called them. In: the rows of the code view. Out: one row per line: its own time, and the time with everything that it
 * calls. */
#include "model/span_names.h"
#include "model/tables/code.h"
#include "model/tables/read.h"
#include "model/tables/samples.h"
#include "options/columns.h"
#include "options/options.h"
#include "query/groups.h"
#include "views/core/coverage.h"
#include "views/core/engine.h"
#include "views/core/grid.h"
#include "views/core/notes.h"
#include "views/core/own_frame.h"
#include "views/core/report.h"
#include "views/core/rows.h"
#include "views/core/view.h"

#include <math.h>

typedef struct line_row {
    tfp_str line, file;
    int64_t self_ns, total_ns, accelerator_ns, total_accelerator_ns, gradient_ns, bytes, runs;
    int64_t host_ns, total_host_ns, waiting_ns;
    double self_share, total_share, all_share, device_share;
    uint32_t active; /* how many of its rows are above the current one: a recursive line counts once */
} line_row;

typedef struct table {
    tfp_report *r;
    const tfp_report *code;
    bool waiting; /* the own time of frames is known, so some of it is waiting */
    tfp_own_lines *own;
    tfp_groups rows;      /* line_row by name and file */
    tfp_stack_line *line; /* for each row of the code view: its line as an index in rows */
} table;

enum { NEW_LINE = TFP_NONE - 1 }; /* a row is the line itself */

static const char gradient_mark[] = " (gradient)";

/* The name without marks, such as "nets.py:57:dense", also for a gradient. */
static tfp_str plain_name(tfp_str name, bool *gradient)
{
    size_t n = sizeof gradient_mark - 1;
    *gradient = name.size > n && memcmp(name.data + name.size - n, gradient_mark, n) == 0;
    return *gradient ? (tfp_str){ name.data, name.size - n } : name;
}

typedef struct row_code { /* the code of a row */
    tfp_str file, function;
    bool frame; /* of a file; else another row, such as that of replays */
} row_code;

/* From its frame, or for a trace from the row's name FILE:LINE:FUNCTION. */
static row_code code_of_row(const tfp_report *code, uint32_t row)
{
    const tfp_profile *p = code->profile;
    tfp_str none = { "", 0 };
    if (code->tree->code) {
        uint32_t at = code->tree->code->items.at[code->tree->rows.at[row].item].frame;
        if (at == TFP_NONE) return (row_code){ none, none, false };
        const tfp_code_frame *f = &tfp_code_of(p)->frames.at[at];
        return (row_code){ tfp_text(p, f->file), tfp_text(p, f->function), true };
    }
    tfp_str name = code->tree->rows.at[row].name;
    if (tfp_str_eq(name, TFP_STR(TFP_REPLAY_ROW))) return (row_code){ none, none, false };
    const char *slash = name.size ? memrchr(name.data, '/', name.size) : NULL;
    size_t at = slash ? (size_t)(slash - name.data) : 0;
    for (; at + 1 < name.size; at++) { /* skips the colon of "C:\..." */
        if (name.data[at] != ':' || name.data[at + 1] < '0' || name.data[at + 1] > '9') continue;
        const char *colon = memchr(name.data + at + 1, ':', name.size - at - 1);
        size_t end = colon ? (size_t)(colon + 1 - name.data) : name.size;
        return (row_code){ { name.data, at }, { name.data + end, name.size - end }, true };
    }
    return (row_code){ name, none, true };
}

static line_row *row_at(const table *t, size_t i) { return (line_row *)t->rows.rows + i; }

static uint32_t find_line(table *t, tfp_str name, tfp_str file)
{
    line_row *row = TFP_GROUP(&t->rows, tfp_group_text(&t->rows, name), tfp_group_text(&t->rows, file));
    if (t->rows.added) row->line = name, row->file = file;
    return row ? tfp_group_index(&t->rows, row) : TFP_NONE;
}

/* ---- self and total ---- */

static int64_t own(const table *t, uint32_t row, tfp_value v) { return tfp_own(t->code, row, v); }

static void add_own(table *t, uint32_t row, bool gradient)
{
    line_row *x = row_at(t, t->line[row].at);
    bool *clamped = &t->r->clamped;
    x->self_ns = tfp_add(x->self_ns, own(t, row, TFP_V_MICROS), clamped);
    x->accelerator_ns = tfp_add(x->accelerator_ns, own(t, row, TFP_V_ACCELERATOR_MICROS), clamped);
    x->bytes = tfp_add(x->bytes, own(t, row, TFP_V_BYTES), clamped);
    x->runs = tfp_add(x->runs, own(t, row, TFP_V_RUNS), clamped);
    if (t->waiting && tfp_frame_waits(t->code->tree->rows.at[row].name))
        x->waiting_ns = tfp_add(x->waiting_ns, own(t, row, TFP_V_CPU_MICROS), clamped);
    if (gradient) x->gradient_ns = tfp_add(x->gradient_ns, own(t, row, TFP_V_MICROS), clamped);
}

/* Finds the line of a row, given that of the row above. False: out of memory. */
static bool find_row_line(table *t, uint32_t row, tfp_str name, tfp_stack_line above)
{
    row_code code = code_of_row(t->code, row);
    unsigned bits = code.frame ? tfp_frame_here(t->own, code.file, code.function) : TFP_FRAME_OWN;
    tfp_stack_line *line = &t->line[row];
    *line = tfp_stack_below(above, bits, NEW_LINE);
    if (line->at == NEW_LINE) line->at = find_line(t, name, code.file);
    return !t->rows.failed;
}

/* Adds all rows. Parents come first, directly followed by the rows below them. */
static bool add_rows(table *t)
{
    const tfp_report *c = t->code;
    TFP_VEC(uint32_t) path = { 0 }; /* the rows from the root to the current one */
    bool ok = true;
    t->line = TFP_NEW(&t->r->arena, tfp_stack_line, c->tree->rows.size + 1);
    if (!t->line) return false;
    t->line[0] = TFP_STACK_TOP;
    for (uint32_t i = 1; ok && i < c->tree->rows.size; i++) {
        bool gradient;
        tfp_str name = plain_name(c->tree->rows.at[i].name, &gradient);
        while (path.size && c->tree->rows.at[path.at[path.size - 1]].depth >= c->tree->rows.at[i].depth) {
            uint32_t left = path.at[--path.size];
            if (t->line[left].at != TFP_NONE) row_at(t, t->line[left].at)->active--;
        }
        ok = find_row_line(t, i, name, t->line[c->tree->rows.at[i].parent]) && tfp_push(&path, i);
        if (!ok || t->line[i].at == TFP_NONE) continue;
        line_row *x = row_at(t, t->line[i].at);
        if (!x->active++) {
            int64_t device = tfp_total(c, i, TFP_V_ACCELERATOR_MICROS);
            x->total_ns = tfp_add(x->total_ns, tfp_total(c, i, TFP_V_MICROS), &t->r->clamped);
            x->total_accelerator_ns = tfp_add(x->total_accelerator_ns, device, &t->r->clamped);
        }
        add_own(t, i, gradient);
    }
    tfp_vec_free(&path);
    return ok;
}

/* If rows are means: the number of steps, because the coverage is for all steps together. */
static double times_of(const table *t)
{
    double rows = (double)tfp_total(t->code, 0, TFP_V_MICROS);
    return rows > 0 ? (double)t->code->covered->coverage.rows_ns / rows : 0;
}

/* All time of the host and the devices, including what no line explains; 0: unknown. */
static double all_time(const table *t)
{
    const tfp_coverage *c = &t->code->covered->coverage;
    double times = times_of(t);
    return c->known && times > 0 ? ((double)c->host.all_ns + (double)c->device.all_ns) / times : 0;
}

/* The time in library rows that no user's line called; these are in no row. */
static tfp_explained lost(const table *t)
{
    const tfp_report *c = t->code;
    int64_t device = tfp_total(c, 0, TFP_V_ACCELERATOR_MICROS);
    int64_t host = tfp_add(tfp_total(c, 0, TFP_V_MICROS), -device, NULL);
    double times = times_of(t);
    for (size_t i = 0; i < t->rows.count; i++) {
        const line_row *row = row_at(t, i);
        device = tfp_add(device, -row->accelerator_ns, NULL);
        host = tfp_add(host, tfp_add(row->accelerator_ns, -row->self_ns, NULL), NULL);
    }
    return (tfp_explained){ .host_ns = (int64_t)((double)host * times),
                            .device_ns = (int64_t)((double)device * times),
                            .why_not = "in libraries that no line called" };
}

/* Drops lines without cost if some lines have a cost. Returns how many are left. */
static size_t finish(table *t)
{
    double all = (double)tfp_total(t->code, 0, TFP_V_MICROS);
    double everything = all_time(t), device = (double)tfp_total(t->code, 0, TFP_V_ACCELERATOR_MICROS);
    bool has_bytes = tfp_total(t->code, 0, TFP_V_BYTES) != 0; /* frames of a trace have no memory */
    size_t kept = 0;
    for (size_t i = 0; i < t->rows.count; i++) {
        line_row *x = row_at(t, i);
        x->self_share = all > 0 ? (double)x->self_ns / all : NAN;
        x->total_share = all > 0 ? (double)x->total_ns / all : NAN;
        x->all_share = everything > 0 ? (double)x->self_ns / everything : NAN;
        x->device_share = device > 0 ? (double)x->accelerator_ns / device : NAN;
        x->host_ns = tfp_add(x->self_ns, -x->accelerator_ns, NULL);
        x->total_host_ns = tfp_add(x->total_ns, -x->total_accelerator_ns, NULL);
        if (all > 0 && !x->self_ns && !x->total_ns && !x->bytes) continue;
        if (!has_bytes) x->bytes = TFP_ABSENT;
        *row_at(t, kept++) = *x;
    }
    return kept;
}

static const tfp_sort_key device_first[] = { TFP_DOWN(line_row, accelerator_ns),
                                             TFP_DOWN(line_row, self_ns),
                                             TFP_DOWN(line_row, total_ns),
                                             TFP_DOWN(line_row, runs), /* of stacks that were only counted */
                                             TFP_UP(line_row, line),
                                             { 0 } };
static const tfp_sort_key *const longest_first = device_first + 1;

/* ---- the table ---- */

enum { LINES_SHOWN = 40 };
enum {
    SHOW_LINES = 1,
    SHOW_FUNCTIONS = 2,
    SHOW_ALL = 4,
    SHOW_DEVICE = 8,
    SHOW_WAITING = 16,
    SHOW_CALLS = 32
}; /* bits: which columns are shown */

/* clang-format off */
static const tfp_table_column columns[] = {
    TFP_COLUMN_ONLY(line_row, "line", TEXT, LABEL, line, "File, line and function of the user's code.", SHOW_LINES),
    TFP_COLUMN_ONLY(line_row, "function", TEXT, LABEL, line, "File, first line and name of a function of the user's code: frames of a trace do not show which of its lines ran.", SHOW_FUNCTIONS),
    TFP_COLUMN_ONLY(line_row, "device_time_us", NANO, MICROS, accelerator_ns, "Time on devices of the line itself: of what it launched, or library code that it calls.", SHOW_DEVICE),
    TFP_COLUMN_ONLY(line_row, "device_share", REAL, SHARE, device_share, "Share of all device time that the code view counts.", SHOW_DEVICE),
    TFP_COLUMN_ONLY(line_row, "cpu_time_us", NANO, MICROS, host_ns, "Time on the host of the line itself.", SHOW_DEVICE),
    TFP_COLUMN_ONLY(line_row, "total_device_time_us", NANO, MICROS, total_accelerator_ns, "Time on devices with all lines that it calls.", SHOW_DEVICE),
    TFP_COLUMN_ONLY(line_row, "total_cpu_time_us", NANO, MICROS, total_host_ns, "Time on the host with all lines that it calls.", SHOW_DEVICE),
    TFP_COLUMN(line_row, "self_us", NANO, MICROS, self_ns, "Time of the line itself, including library code that it calls."),
    TFP_COLUMN(line_row, "self_share", REAL, SHARE, self_share, "Share of all that the code view counts."),
    TFP_COLUMN_ONLY(line_row, "all_share", REAL, SHARE, all_share, "Share of all time of the host and the devices, including time without a line.", SHOW_ALL),
    TFP_COLUMN(line_row, "total_us", NANO, MICROS, total_ns, "Time with all lines that it calls."),
    TFP_COLUMN(line_row, "total_share", REAL, SHARE, total_share, "Share of all that the code view counts."),
    TFP_COLUMN(line_row, "accelerator_us", NANO, MICROS, accelerator_ns, "The part of its own time on accelerators."),
    TFP_COLUMN_ONLY(line_row, "waiting_us", NANO, MICROS, waiting_ns, "The part of its own time in which it waits: for a lock, a queue, a time, a pipe.", SHOW_WAITING),
    TFP_COLUMN(line_row, "gradient_us", NANO, MICROS, gradient_ns, "The part of its own time that gradients took, if the files distinguish them."),
    TFP_COLUMN(line_row, "bytes", INT, SIZE, bytes, "Memory that it requested; empty if the files have no memory by line."),
    TFP_COLUMN(line_row, "runs", INT, NUMBER, runs, "How often the line or its operations ran."),
    TFP_COLUMN(line_row, "file", TEXT, LABEL, file, "The whole path."),
    TFP_COLUMN_PROGRAMS(line_row, "line", line, "The same as `function`.", SHOW_FUNCTIONS),
    TFP_COLUMN_PROGRAMS(line_row, "function", line, "The same as `line`: a line of a function, or a function by its first line, for its time outside of calls.", SHOW_CALLS),
    { NULL, TFP_CELL_INT, TFP_LABEL, 0, NULL, 0 },
};
/* clang-format on */

/* Builds the code view with all rows, independent of the table's own order. */
static tfp_status build_code(tfp_report *r, tfp_report **out, tfp_error *err)
{
    static const char *const set[] = { "order_by", "name",   "max_depth", "1000000", "top",
                                       "0",        "output", "stdout",    "select",  "micros,bytes,occurrence",
                                       NULL };
    tfp_options *o = tfp_options_copy(r->options);
    tfp_status s = o ? TFP_OK : tfp_nomem(err);
    for (size_t i = 0; !s && set[i]; i += 2) s = tfp_options_set(o, set[i], set[i + 1], err);
    if (o) o->made.replays_apart = true;
    if (!s) s = tfp_view_build(r->profile, &tfp_view_code, o, out, err);
    tfp_options_free(o);
    return s;
}

/* Copies the names, because those of the code view's rows die with its report. */
static bool keep_names(tfp_report *r, line_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *line = tfp_arena_copy(&r->arena, rows[i].line), *file = tfp_arena_copy(&r->arena, rows[i].file);
        if (!line || !file) return false;
        rows[i].line.data = line;
        rows[i].file.data = file;
    }
    return true;
}

static tfp_status show(table *t, tfp_error *err)
{
    static const char *const sums[] = { "self_us",     "self_share",     "all_share", "total_us",
                                        "total_share", "accelerator_us", NULL };
    const tfp_report *c = t->code;
    tfp_status s = TFP_OK;
    for (size_t i = 0; i < c->notes.size && !s; i++)
        if (c->notes.at[i].code != TFP_NOTE_COVERAGE) s = tfp_report_note_copy(t->r, NULL, &c->notes.at[i], err);
    if (s) return s;
    bool frames = tfp_lines_are_functions(c->profile), calls = frames && tfp_has_lines_of_calls(c->profile);
    bool functions = frames && !calls;
    t->waiting = frames || tfp_has_bare_frames(c->profile) || tfp_samples_of(c->profile)->samples.size;
    bool added = add_rows(t);
    tfp_explained no_row = added ? lost(t) : (tfp_explained){ 0 };
    if (added && (s = tfp_coverage_less(t->r, &c->covered->coverage, &no_row, err))) return s;
    size_t count = added ? finish(t) : SIZE_MAX;
    bool apart = t->r->options->made.apart;
    const tfp_sort_key *order = apart ? device_first : longest_first;
    line_row *rows = count == SIZE_MAX ? NULL : tfp_ordered(&t->r->arena, t->rows.rows, sizeof *rows, count, order);
    if (!rows || !keep_names(t->r, rows, count)) return tfp_nomem(err);
    if (!count && c->tree->rows.size > 1)
        s = tfp_report_note_add(t->r, TFP_NOTE_ALL_LIBRARIES, err,
                                "all %s are of libraries; -library_regexes says which files are",
                                functions ? "functions" : "lines");
    t->r->grid->few = LINES_SHOWN;
    unsigned shown = (functions ? SHOW_FUNCTIONS : SHOW_LINES) | (c->covered->coverage.known ? SHOW_ALL : 0);
    if (apart) shown |= SHOW_DEVICE;
    if (calls) shown |= SHOW_CALLS;
    int64_t waiting_ns = 0;
    for (size_t i = 0; rows && i < count; i++) waiting_ns = tfp_add(waiting_ns, rows[i].waiting_ns, NULL);
    if (waiting_ns > 0) shown |= SHOW_WAITING;
    if (!s) s = tfp_grid_of(t->r, &(tfp_row_table){ columns, rows, sizeof *rows, count, shown }, err);
    if (apart) tfp_grid_for_programs(t->r->grid, sums);
    if (100 * (double)waiting_ns < (double)tfp_total(c, 0, TFP_V_MICROS))
        tfp_grid_for_programs(t->r->grid, (const char *const[]){ "waiting_us", NULL });
    return s;
}

static tfp_status build(tfp_report *r, tfp_error *err)
{
    table t = { .r = r, .rows.row_size = sizeof(line_row) };
    tfp_report *code = NULL;
    tfp_status s = build_code(r, &code, err);
    t.code = code;
    if (code) r->lines = code->lines, code->lines = NULL; /* made while the code view had the nesting */
    if (!s && !(t.own = tfp_own_lines_of(r, NULL))) s = tfp_nomem(err);
    if (!s) s = show(&t, err);
    tfp_groups_free(&t.rows);
    tfp_report_free(code);
    return s;
}

const tfp_view tfp_view_lines = {
    "lines",
    "Time by line of your own code (by function if Python frames were recorded), by itself and with everything that it "
    "calls; library code counts for the line that called it.",
    TFP_REPORT_GRID,
    NULL,
    NULL,
    build,
    TFP_NEEDS_CODE | TFP_TAKES_LIMITS,
    .compared = TFP_COMPARED_MEANS,
};
