// SPDX-License-Identifier: Apache-2.0
/* views/memory/table.c: the table `memory`: who held memory when a device held most, by operation, scope, line and node, and how much
 * was held over time. In: views/memory/allocations.h. -by selects the report's own table; without it all tables but the last are
 * shown. */
#include "model/files/allocator.h"
#include "model/span_names.h"
#include "model/tables/code.h"
#include "model/tables/events.h"
#include "model/tables/graph.h"
#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "options/options.h"
#include "query/groups.h"
#include "query/order.h"
#include "views/core/engine.h"
#include "views/core/grid.h"
#include "views/core/own_frame.h"
#include "views/core/report.h"
#include "views/core/view.h"
#include "views/memory/allocations.h"
#include "views/memory/allocator.h"
#include "views/memory/blocks.h"
#include "views/spans/nest.h"
#include "views/spans/trace.h"

#include <math.h>

typedef enum grouping { BY_OP, BY_SCOPE, BY_LINE, BY_NODE, BY_CATEGORY, BY_TIME, BY_TENSOR, GROUPINGS } grouping;
static const char *const words[GROUPINGS + 1] = { "op", "scope", "line", "node", "category", "time", "tensor", NULL };

typedef struct holder_row {
    tfp_str device, name, op;
    int64_t bytes, holders, at_ns;
    double share;
    uint32_t device_at;
} holder_row;

typedef struct time_row {
    tfp_str device;
    int64_t at_ns, held, in_use, change;
} time_row;

typedef tfp_memory_peak peak;

typedef struct holding { /* bytes of one owner at the peak */
    uint32_t owner, span;
    int64_t bytes;
} holding;

typedef struct table {
    tfp_report *r;
    tfp_holding held;
    peak *peaks;            /* one for each device */
    int64_t *sums;          /* for each node, then for no owner and for allocations before the recording */
    uint32_t *spans;        /* for each owner likewise: the span around its last allocation */
    tfp_nest nest;          /* made when lines are needed */
    tfp_strid line_of_call; /* key of the stat with the line of a frame's call; TFP_NONE: none */
    bool functions;         /* lines come from Python frames, so they are functions */
    tfp_strtab names;       /* of the rows that are being made */
} table;

static size_t place(const table *t, uint32_t owner)
{
    size_t nodes = tfp_graph_of(t->r->profile)->nodes.size;
    return owner == TFP_NONE ? nodes : owner == TFP_OWNER_BEFORE ? nodes + 1 : owner;
}

/* ---- the peak of a device ---- */

static bool is_inside(const table *t, int64_t at_ns)
{
    return !t->held.to_ns || (at_ns >= t->held.from_ns && at_ns <= t->held.to_ns);
}

static void find_peak(table *t, uint32_t device, size_t first, size_t after)
{
    const tfp_held_event *e = t->held.events.at;
    int64_t held = t->held.devices[device].before;
    peak *p = &t->peaks[device];
    *p = (peak){ first, after, SIZE_MAX, 0, 0 };
    const tfp_moments *at = &t->r->options->part.at;
    int64_t until_ns = at->given ? tfp_add(t->held.origin_ns, at->from_ns, NULL) : INT64_MAX;
    for (size_t i = first; i < after; i++) {
        held = tfp_add(held, e[i].bytes, &t->r->clamped);
        bool last = i + 1 == after || e[i + 1].at_ns != e[i].at_ns;
        if (at->given && e[i].at_ns <= until_ns && held > 0) p->bytes = held, p->at = i;
        if (!at->given && last && held > p->bytes && is_inside(t, e[i].at_ns)) p->bytes = held, p->at = i;
    }
    p->end = held;
}

static void find_peaks(table *t)
{
    size_t n = t->held.events.size;
    for (uint32_t d = 0; d < t->held.device_count; d++) t->peaks[d].at = SIZE_MAX;
    for (size_t first = 0, i = 1; first < n; i++) {
        if (i < n && t->held.events.at[i].device == t->held.events.at[first].device) continue;
        find_peak(t, t->held.events.at[first].device, first, i);
        first = i;
    }
}

/* Finds the bytes of each owner at the peak. Afterwards the sums are 0 again. */
typedef TFP_VEC(holding) holdings;
static bool holders_of(table *t, uint32_t device, holdings *out)
{
    const peak *p = &t->peaks[device];
    bool ok = true;
    out->size = 0;
    if (p->at == SIZE_MAX) return true;
    t->sums[place(t, TFP_OWNER_BEFORE)] = t->held.devices[device].before;
    for (size_t i = p->first; i <= p->at; i++) {
        const tfp_held_event *e = &t->held.events.at[i];
        size_t at = place(t, e->owner);
        t->sums[at] = tfp_add(t->sums[at], e->bytes, &t->r->clamped);
        if (e->bytes > 0) t->spans[at] = e->span;
    }
    if (t->sums[place(t, TFP_OWNER_BEFORE)] > 0)
        ok = tfp_push(out, ((holding){ TFP_OWNER_BEFORE, TFP_NONE, t->sums[place(t, TFP_OWNER_BEFORE)] }));
    t->sums[place(t, TFP_OWNER_BEFORE)] = 0;
    for (size_t i = p->first; i <= p->at; i++) {
        const tfp_held_event *e = &t->held.events.at[i];
        size_t at = place(t, e->owner);
        if (t->sums[at] > 0 && ok) ok = tfp_push(out, ((holding){ e->owner, t->spans[at], t->sums[at] }));
        t->sums[at] = 0;
    }
    return ok;
}

/* ---- names of groups ---- */

static tfp_str scope_of(tfp_str name)
{
    size_t levels = 0, end = 0;
    for (size_t i = 0; i < name.size && levels < 2; i++)
        if (name.data[i] == '/') end = i, levels++;
    return end ? (tfp_str){ name.data, end } : name;
}

/* The line of the user's own code that stands for the frames around a span; otherwise the node of autograd around it; otherwise the
 * line of a library. */
static tfp_str line_of_span(table *t, uint32_t span)
{
    const tfp_profile *p = t->r->profile;
    const tfp_span_columns *s = &tfp_events_of(p)->spans;
    tfp_own_lines *lines = tfp_own_lines_of(t->r, &t->nest);
    tfp_python_frame f;
    tfp_outward own = { 0 };
    uint32_t below = TFP_NONE, innermost = TFP_NONE; /* the last frame or module; the first frame with a line */
    tfp_str backward = TFP_STR("autograd::engine::evaluate_function: "), node = { 0 };
    for (uint32_t i = span; i != TFP_NONE && lines; i = t->nest.parent[i]) {
        tfp_str name = tfp_text(p, s->name[i]);
        if (s->trace[i] != TFP_NONE) return tfp_own_line(t->r, s->trace[i]);
        if (!node.data && tfp_str_begins(name, backward))
            node = (tfp_str){ name.data + backward.size, name.size - backward.size };
        bool frame = s->kind[i] == TFP_SPAN_FRAME && tfp_python_frame_of(name, &f);
        if (frame && innermost == TFP_NONE) innermost = i;
        if (frame) tfp_outward_add(&own, tfp_frame_here(lines, f.file, f.function), i);
    }
    uint32_t best = tfp_outward_best(&own), at = best == TFP_NONE && !node.data ? innermost : best;
    tfp_buf b = { 0 };
    if (!lines) return (tfp_str){ NULL, 0 };
    if (at == TFP_NONE && !node.data) return TFP_STR(TFP_NO_STACK);
    if (at != TFP_NONE) {
        tfp_python_frame_of(tfp_text(p, s->name[at]), &f);
        for (uint32_t i = span; i != at; i = t->nest.parent[i])
            if (s->kind[i] == TFP_SPAN_FRAME || s->kind[i] == TFP_SPAN_MODULE) below = i;
        if (best != TFP_NONE && below != TFP_NONE) tfp_line_of_call(p, t->line_of_call, below, at, &f);
        tfp_put_line(&b, f.file, f.line, f.function);
    } else {
        tfp_buf_text(&b, "backward ");
        tfp_buf_str(&b, node);
    }
    return tfp_buf_move(&b, &t->r->arena);
}

static tfp_str group_name(table *t, const holding *h, grouping by)
{
    const tfp_profile *p = t->r->profile;
    if (h->owner == TFP_OWNER_BEFORE) return TFP_STR("(held before the recording)");
    if (by == BY_CATEGORY) return tfp_memory_category(p, h->owner);
    if (by == BY_LINE && h->span != TFP_NONE) return line_of_span(t, h->span);
    if (h->owner == TFP_NONE) return TFP_STR("(no op)");
    const tfp_node *n = &tfp_graph_of(p)->nodes.at[h->owner];
    switch (by) {
    case BY_OP: return tfp_text(p, n->op);
    case BY_SCOPE: return scope_of(tfp_text(p, n->name));
    case BY_LINE: return n->trace == TFP_NONE ? TFP_STR(TFP_NO_STACK) : tfp_own_line(t->r, n->trace);
    default: return tfp_text(p, n->name);
    }
}

/* ---- rows ---- */

/* The rows of the names that held memory on a device. */
static bool group(table *t, uint32_t device, const holdings *all, grouping by, tfp_groups *rows)
{
    const tfp_node_tables *graph = tfp_graph_of(t->r->profile);
    int64_t held = t->peaks[device].bytes;
    for (size_t i = 0; i < all->size; i++) {
        const holding *h = &all->at[i];
        tfp_str name = group_name(t, h, by);
        tfp_strid id = name.data ? tfp_intern(&t->names, name) : TFP_NONE;
        holder_row *x = id == TFP_NONE ? NULL : TFP_GROUP(rows, device, id);
        if (!x) return false;
        if (!x->holders++) {
            *x =
                (holder_row){ .device = t->held.devices[device].name, .name = name, .device_at = device, .holders = 1 };
            x->at_ns = t->held.events.at[t->peaks[device].at].at_ns - t->held.origin_ns;
            if (h->owner < TFP_OWNER_BEFORE) x->op = tfp_text(t->r->profile, graph->nodes.at[h->owner].op);
        }
        x->bytes = tfp_add(x->bytes, h->bytes, &t->r->clamped);
        x->share = held > 0 ? (double)x->bytes / (double)held : NAN;
    }
    return true;
}

static const tfp_sort_key more_first[] = {
    TFP_UP(holder_row, device_at), TFP_DOWN(holder_row, bytes), TFP_UP(holder_row, name), { 0 }
};

/* clang-format off */
enum { SHOW_OP = 1 };
#define HOLDER_COLUMNS(label, what)                                                                                    \
    {                                                                                                                  \
        TFP_COLUMN(holder_row, "device", TEXT, LABEL, device, "Where the memory is."),                                 \
        TFP_COLUMN(holder_row, label, TEXT, LABEL, name, what),                                                        \
        TFP_COLUMN_ONLY(holder_row, "op", TEXT, LABEL, op, "Its operation.", SHOW_OP),                                 \
        TFP_COLUMN(holder_row, "bytes", INT, SIZE, bytes, "Held when the device held most."),                          \
        TFP_COLUMN(holder_row, "share", REAL, SHARE, share, "Share of all that was held then."),                             \
        TFP_COLUMN(holder_row, "holders", INT, NUMBER, holders, "Nodes that held it."),                                \
        TFP_COLUMN(holder_row, "at_us", NANO, MICROS, at_ns, "When that was, from the start of the first that ran."),                                        \
        { NULL, TFP_CELL_INT, TFP_LABEL, 0, NULL, 0 },                                                                    \
    }
static const tfp_table_column holder_columns[BY_TIME][8] = {
    [BY_OP] = HOLDER_COLUMNS("op", "The operation that allocated it."),
    [BY_SCOPE] = HOLDER_COLUMNS("scope", "The first two scopes of what allocated it."),
    [BY_LINE] = HOLDER_COLUMNS("line", "The line of the user's code that allocated it."),
    [BY_NODE] = HOLDER_COLUMNS("name", "What allocated it."),
    [BY_CATEGORY] = HOLDER_COLUMNS("category", "The part of a step in which it was allocated."),
};
static const tfp_table_column function_columns[8] =
    HOLDER_COLUMNS("function", "The function of the user's code that allocated it, by its first line.");
static const tfp_table_column time_columns[] = {
    TFP_COLUMN(time_row, "device", TEXT, LABEL, device, "Where the memory is."),
    TFP_COLUMN(time_row, "at_us", NANO, MICROS, at_ns, "When, from the start of the first that ran."),
    TFP_COLUMN(time_row, "held_bytes", INT, SIZE, held, "Held from then on."),
    TFP_COLUMN(time_row, "change_bytes", INT, SIZE, change, "More, or less, than before."),
    TFP_COLUMN(time_row, "in_use_bytes", INT, SIZE, in_use, "What the allocator counted itself."),
    { NULL, TFP_CELL_INT, TFP_LABEL, 0, NULL, 0 },
};
/* clang-format on */

enum { SHOWN = 10 };

static tfp_status fill_holders(table *t, tfp_grid *g, grouping by, tfp_error *err)
{
    tfp_groups rows = { .row_size = sizeof(holder_row) };
    holdings all = { 0 };
    bool ok = !tfp_strtab_init(&t->names, &t->r->arena) &&
              (by != BY_LINE || tfp_nest_of(t->r->profile, &t->r->arena, &t->nest));
    for (uint32_t d = 0; ok && d < t->held.device_count; d++)
        ok = holders_of(t, d, &all) && group(t, d, &all, by, &rows);
    holder_row *sorted = ok ? tfp_ordered(&t->r->arena, rows.rows, rows.row_size, rows.count, more_first) : NULL;
    bool functions = by == BY_LINE && t->functions;
    tfp_row_table of = { functions ? function_columns : holder_columns[by], sorted, sizeof *sorted, rows.count,
                         by == BY_NODE ? SHOW_OP : 0 };
    g->few = SHOWN;
    tfp_status s = sorted ? tfp_grid_fill(t->r, g, &of, err) : tfp_nomem(err);
    tfp_strtab_free(&t->names);
    tfp_groups_free(&rows);
    tfp_vec_free(&all);
    return s;
}

/* Adds a row for each device and time. */
static tfp_status fill_times(table *t, tfp_grid *g, tfp_error *err)
{
    size_t n = t->held.events.size, count = 0;
    time_row *rows = TFP_NEW(&t->r->arena, time_row, n + 1);
    int64_t held = 0;
    if (!rows) return tfp_nomem(err);
    for (size_t i = 0; i < n; i++) {
        const tfp_held_event *e = &t->held.events.at[i], *last = i ? e - 1 : NULL;
        if (!last || last->device != e->device) held = t->held.devices[e->device].before;
        held = tfp_add(held, e->bytes, &t->r->clamped);
        bool same = last && last->device == e->device && last->at_ns == e->at_ns && count;
        if (!is_inside(t, e->at_ns)) continue;
        if (!same)
            rows[count++] =
                (time_row){ t->held.devices[e->device].name, e->at_ns - t->held.origin_ns, 0, TFP_ABSENT, 0 };
        time_row *x = &rows[count - 1];
        x->held = held;
        x->change = tfp_add(x->change, e->bytes, NULL);
        if (e->in_use) x->in_use = e->in_use;
    }
    g->few = 40;
    return tfp_grid_fill(t->r, g, &(tfp_row_table){ time_columns, rows, sizeof *rows, count, 0 }, err);
}

/* ---- the report ---- */

static bool say_peak(table *t, uint32_t d, const char *label)
{
    const peak *p = &t->peaks[d];
    const tfp_held_device *x = &t->held.devices[d];
    tfp_buf b = { 0 };
    tfp_buf_printf(&b, t->r->options->part.at.given ? "held_bytes_%u" : "peak_bytes_%u", d + 1);
    tfp_str name = tfp_buf_move(&b, &t->r->arena);
    tfp_fact *f = name.data ? tfp_fact_add(t->r, name.data, label, 'i', TFP_SIZE) : NULL;
    if (!f) return false;
    f->number = p->bytes;
    tfp_buf_text(&b, "at ");
    tfp_format_real(&b, TFP_MICROS, (double)(t->held.events.at[p->at].at_ns - t->held.origin_ns) / 1000);
    tfp_buf_text(&b, ", at the end ");
    tfp_format_amount(&b, TFP_SIZE, p->end > 0 ? p->end : 0);
    if (x->reserved) tfp_buf_text(&b, ", reserved at most "), tfp_format_amount(&b, TFP_SIZE, x->reserved);
    if (!x->recorded) tfp_buf_text(&b, ", computed from what nodes kept");
    f->more = tfp_buf_move(&b, &t->r->arena);
    return f->more.data != NULL;
}

/* Adds a fact: what a trace's device held when the recording began, such as parameters, optimizer states, and memory
 * left by other steps. */
static bool say_before(table *t, uint32_t d)
{
    const tfp_held_device *x = &t->held.devices[d];
    if (!tfp_events_of(t->r->profile)->memory.size) return true;
    tfp_buf b = { 0 };
    tfp_buf_printf(&b, "before_bytes_%u", d + 1);
    tfp_str name = tfp_buf_move(&b, &t->r->arena);
    tfp_fact *f = name.data ? tfp_fact_add(t->r, name.data, "  before the recording", 'i', TFP_SIZE) : NULL;
    if (!f) return false;
    f->number = x->before;
    f->absent = !x->before_stated && x->before <= 0;
    if (f->absent)
        f->more = TFP_STR("not in the trace: parameters and whatever else was held come on top of the peak");
    else if (!x->before_stated)
        f->more = TFP_STR("at least: it was freed without an allocation in the recording");
    return true;
}

/* Adds a fact about the step. Each of TensorFlow's steps has memory of its own, and a mean makes no sense, so the last
 * step is shown. */
static bool say_step(table *t)
{
    const tfp_profile *p = t->r->profile;
    if (tfp_events_of(p)->memory.size || !tfp_executions_of(p)->step_order.size) return true;
    bool one = t->r->step.which == TFP_STEP_ONE;
    uint32_t step =
        one ? t->r->step.row : tfp_executions_of(p)->step_order.at[tfp_executions_of(p)->step_order.size - 1];
    tfp_fact *f = step < tfp_executions_of(p)->steps.size ? tfp_fact_add(t->r, "step", "step", 'i', TFP_LABEL) : NULL;
    if (f) f->number = tfp_executions_of(p)->steps.at[step].id;
    return f || step >= tfp_executions_of(p)->steps.size;
}

static bool say_peaks(table *t)
{
    bool ok = say_step(t);
    for (uint32_t d = 0, shown = 0; ok && d < t->held.device_count && shown < 8; d++) {
        if (t->peaks[d].at == SIZE_MAX) continue;
        tfp_buf b = { 0 };
        tfp_buf_text(&b, t->r->options->part.at.given ? "held by " : "peak of ");
        tfp_escape(&b, t->held.devices[d].name);
        const char *label = tfp_buf_move(&b, &t->r->arena).data;
        ok = label && say_peak(t, d, label) && say_before(t, d);
        shown++;
    }
    return ok;
}

static tfp_status add_part(table *t, const char *name, const char *title, grouping by, tfp_error *err)
{
    tfp_grid *g = tfp_grid_part_add(t->r, name, title);
    return g ? fill_holders(t, g, by, err) : tfp_nomem(err);
}

static tfp_status show(table *t, tfp_error *err)
{
    const char *by = t->r->options->verb.by;
    size_t chosen = BY_OP;
    if (by && !tfp_word_find(tfp_str_of(by), words, &chosen))
        return tfp_fail(err, TFP_BADARG,
                        "option -by: value '%s': must be op, scope, line, node, category, tensor or time", by);
    t->peaks = TFP_NEW(&t->r->arena, peak, t->held.device_count + 1);
    t->sums = TFP_NEW(&t->r->arena, int64_t, tfp_graph_of(t->r->profile)->nodes.size + 2);
    t->spans = TFP_NEW(&t->r->arena, uint32_t, tfp_graph_of(t->r->profile)->nodes.size + 2);
    if (!t->peaks || !t->sums || !t->spans) return tfp_nomem(err);
    find_peaks(t);
    if (!say_peaks(t)) return tfp_nomem(err);
    if (chosen == BY_TIME) return fill_times(t, t->r->grid, err);
    if (chosen == BY_TENSOR) return tfp_memory_blocks(t->r, t->r->grid, &t->held, t->peaks, err);
    tfp_status s = fill_holders(t, t->r->grid, (grouping)chosen, err);
    if (by || s) return s;
    s = add_part(t, "scopes", "by scope (-by scope)", BY_SCOPE, err);
    if (!s && (tfp_code_of(t->r->profile)->traces.size || t->functions))
        s = add_part(t, "lines", t->functions ? "by function (-by line)" : "by line (-by line)", BY_LINE, err);
    return s ? s : add_part(t, "nodes", "by node (-by node); over time: -by time", BY_NODE, err);
}

static tfp_status build(tfp_report *r, tfp_error *err)
{
    if (tfp_allocator_of(r->profile)->devices.size) return tfp_memory_of_allocator(r, err);
    table t = { .r = r, .line_of_call = tfp_stat_key(r->profile, TFP_LINE_OF_CALL) };
    t.functions = tfp_lines_are_functions(r->profile) && !tfp_has_lines_of_calls(r->profile);
    if (!tfp_has(r->profile, TFP_HAS_MEMORY)) {
        tfp_fail(
            err, TFP_NOTFOUND,
            "no memory was recorded: give run metadata, a trace recorded with memory, or a memory snapshot of PyTorch");
        return tfp_within_file(err, TFP_NOTFOUND, tfp_first_source(r->profile));
    }
    tfp_status s = tfp_holding_new(r, &t.held, err);
    if (!s) s = show(&t, err);
    tfp_holding_free(&t.held);
    return s;
}

const tfp_view tfp_view_memory = {
    "memory",
    "Memory at its peak on each device: who held it, by operation, scope, line and node; and over time.",
    TFP_REPORT_GRID,
    NULL,
    NULL,
    build,
    TFP_TAKES_SNAPSHOTS,
    .reads = TFP_READS_RUNS,
};
