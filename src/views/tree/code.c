// SPDX-License-Identifier: Apache-2.0
/* views/tree/code.c: nodes by the Python lines that created them, as the tree of their call stacks. A gradient is on the
 * stack of its forward node. */
#include "model/tables/code.h"
#include "model/tables/graph.h"
#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "model/tables/samples.h"
#include "options/options.h"
#include "views/core/coverage.h"
#include "views/core/engine.h"
#include "views/core/notes.h"
#include "views/core/report.h"
#include "views/core/rows.h"
#include "views/core/view.h"
#include "views/tree/trace_tree.h"

typedef struct source { /* one trace, used for forward nodes or for gradients */
    uint32_t trace;
    bool gradient;
    tfp_str first_name; /* the least name of a node that uses it: TensorFlow meets the traces in this order */
    uint32_t leaf;      /* item of its last frame */
} source;

typedef struct stacks {
    tfp_report *r;
    const tfp_profile *p;
    tfp_arena *arena;
    tfp_code_tree *code;       /* in the report's arena, except for its growing list */
    source *sources;           /* forward ones in order of traces, then those of gradients in order of traces */
    uint32_t *leaf_of;         /* for each node: index in sources, or TFP_NONE */
    tfp_strtab names;          /* names of frames */
    tfp_strid *frame_names[2]; /* for each frame, plain and as gradient; TFP_NONE: not made yet */
    tfp_map64 children;        /* parent item and name -> item */
} stacks;

/* ".../gradients/FORWARD_grad/..." names FORWARD: the text between the first "gradients/" and the first "_grad/". If "_grad/" comes first,
 * it is all that follows "gradients/". */
static bool gradient_of(tfp_str name, tfp_str *forward)
{
    size_t prefix = tfp_str_find(name, TFP_STR("gradients/")), suffix = tfp_str_find(name, TFP_STR("_grad/"));
    if (prefix == SIZE_MAX || suffix == SIZE_MAX) return false;
    size_t from = prefix + strlen("gradients/");
    if (suffix == from) return false;
    size_t to = suffix > from ? suffix : name.size;
    *forward = (tfp_str){ name.data + from, to - from };
    return true;
}

static void add_source(stacks *x, uint32_t node, uint32_t place, tfp_str name)
{
    source *s = &x->sources[place];
    if (!s->first_name.data || tfp_str_cmp(name, s->first_name) < 0) s->first_name = name;
    x->leaf_of[node] = place;
}

/* Finds the trace of each node. */
static tfp_status find_sources(stacks *x, tfp_error *err)
{
    const tfp_profile *p = x->p;
    tfp_map64 lost = { 0 };
    bool ok = true;
    for (uint32_t i = 0; i < tfp_graph_of(p)->nodes.size && ok; i++) {
        x->leaf_of[i] = TFP_NONE;
        uint32_t trace = tfp_graph_of(p)->nodes.at[i].trace;
        if (trace == TFP_NONE) continue;
        tfp_str name = tfp_text(p, tfp_graph_of(p)->nodes.at[i].name), forward, unused;
        if (!gradient_of(name, &forward)) {
            add_source(x, i, trace, name);
            continue;
        }
        uint32_t node = tfp_find_node(p, forward);
        if (node != TFP_NONE && tfp_graph_of(p)->nodes.at[node].trace != TFP_NONE && !gradient_of(forward, &unused))
            add_source(x, i, (uint32_t)tfp_code_of(p)->traces.size + tfp_graph_of(p)->nodes.at[node].trace, forward);
        else
            ok = tfp_map64_put(&lost, tfp_hash(forward.data, forward.size), 1);
    }
    size_t count = lost.count;
    tfp_map64_free(&lost);
    if (!ok) return tfp_nomem(err);
    return count ? tfp_report_note_add(x->r, TFP_NOTE_GRADIENTS_LEFT_OUT, err,
                                       "%s: %zu gradient nodes not accounted: their forward nodes have no trace",
                                       tfp_source_of_graph(x->p), count)
                 : TFP_OK;
}

/* Appends a word; words of 20 bytes and more are cut to 17 and "...". */
static void add_cut(tfp_buf *b, tfp_str s)
{
    if (s.size < 20) {
        tfp_buf_str(b, s);
        return;
    }
    tfp_buf_add(b, s.data, 17);
    tfp_buf_text(b, "...");
}

/* Makes "basename:line:function", with -show_source also ":text", and for gradients " (gradient)". */
static tfp_strid frame_name(stacks *x, uint32_t frame, bool gradient)
{
    tfp_strid *id = &x->frame_names[gradient][frame];
    if (*id != TFP_NONE) return *id;
    const tfp_code_frame *f = &tfp_code_of(x->p)->frames.at[frame];
    tfp_str file = tfp_text(x->p, f->file), text = tfp_text(x->p, f->text);
    tfp_buf b = { 0 };
    tfp_buf_str(&b, tfp_str_last_part(file));
    tfp_buf_char(&b, ':');
    tfp_buf_int(&b, f->line);
    tfp_buf_char(&b, ':');
    add_cut(&b, tfp_text(x->p, f->function));
    if (x->r->options->show_source) {
        tfp_buf_char(&b, ':');
        add_cut(&b, text.size ? text : TFP_STR("none"));
    }
    if (gradient) tfp_buf_text(&b, " (gradient)");
    if (!b.failed) *id = tfp_intern(&x->names, (tfp_str){ b.data, b.size });
    tfp_buf_free(&b);
    return *id;
}

/* The child with that name, added if it is new. */
static uint32_t child_item(stacks *x, uint32_t parent, uint32_t frame, bool gradient)
{
    tfp_strid name = frame_name(x, frame, gradient);
    if (name == TFP_NONE) return TFP_NONE;
    uint64_t key = (uint64_t)parent << 32 | name;
    uint32_t item = tfp_map64_get(&x->children, key);
    if (item != TFP_NONE) return item;
    item = (uint32_t)x->code->items.size;
    tfp_code_item c = { .name = tfp_strtab_get(&x->names, name),
                        .parent = parent,
                        .child_first = TFP_NONE,
                        .child_last = TFP_NONE,
                        .sibling = TFP_NONE,
                        .frame = frame,
                        .gradient = gradient };
    if (!tfp_push(&x->code->items, c) || !tfp_map64_put(&x->children, key, item)) return TFP_NONE;
    tfp_code_item *above = &x->code->items.at[parent];
    if (above->child_first == TFP_NONE)
        above->child_first = item;
    else
        x->code->items.at[above->child_last].sibling = item;
    above->child_last = item;
    return item;
}

static bool add_stack(stacks *x, source *s)
{
    const tfp_trace *t = &tfp_code_of(x->p)->traces.at[s->trace];
    uint32_t item = 0;
    for (uint32_t i = 0; i < t->count && item != TFP_NONE; i++)
        item = child_item(x, item, tfp_code_of(x->p)->trace_frames.at[t->first + i], s->gradient);
    s->leaf = item;
    return item != TFP_NONE;
}

/* Adds forward traces first, then gradients, each in order of the first name: siblings come in this order. */
static bool build_items(stacks *x)
{
    size_t n = tfp_code_of(x->p)->traces.size;
    tfp_str *names = TFP_NEW(x->arena, tfp_str, 2 * n);
    uint32_t *order = TFP_NEW(x->arena, uint32_t, n);
    tfp_code_item root = {
        .name = TFP_ROOT_NAME, .child_first = TFP_NONE, .child_last = TFP_NONE, .sibling = TFP_NONE, .frame = TFP_NONE
    };
    if (!names || !order || !tfp_push(&x->code->items, root)) return false;
    for (size_t i = 0; i < 2 * n; i++) names[i] = x->sources[i].first_name;
    for (size_t half = 0; half < 2; half++) {
        size_t count = 0;
        for (size_t i = half * n; i < (half + 1) * n; i++)
            if (names[i].data) order[count++] = (uint32_t)i;
        if (!tfp_sort_strings(order, count, names)) return false;
        for (size_t i = 0; i < count; i++)
            if (!add_stack(x, &x->sources[order[i]])) return false;
    }
    return true;
}

/* Lists nodes by item, in order of name if an output lists them. */
static bool fill_members(stacks *x)
{
    size_t n = tfp_graph_of(x->p)->nodes.size, items = x->code->items.size;
    uint32_t *start = TFP_NEW(x->arena, uint32_t, items + 2), *order = TFP_NEW(x->arena, uint32_t, n);
    x->code->members = TFP_NEW(&x->r->arena, uint32_t, n);
    if (!start || !order || !x->code->members) return false;
    for (size_t i = 0; i < n; i++) order[i] = (uint32_t)i;
    bool listed = (x->r->values & TFP_V_ALL) == TFP_V_ALL || x->r->options->to.output == TFP_TO_PPROF;
    if (listed && !tfp_name_order(x->p, order)) return false;
    for (size_t i = 0; i < n; i++)
        if (x->leaf_of[i] != TFP_NONE) start[x->sources[x->leaf_of[i]].leaf + 2]++;
    for (size_t i = 2; i <= items + 1; i++) start[i] += start[i - 1];
    for (size_t i = 0; i < n; i++) {
        uint32_t node = order[i];
        if (x->leaf_of[node] != TFP_NONE) x->code->members[start[x->sources[x->leaf_of[node]].leaf + 1]++] = node;
    }
    for (size_t i = 0; i < items; i++) {
        x->code->items.at[i].member_first = start[i];
        x->code->items.at[i].member_count = start[i + 1] - start[i];
    }
    return true;
}

static bool start_stacks(stacks *x, tfp_report *r, tfp_arena *arena)
{
    const tfp_profile *p = r->profile;
    *x = (stacks){ .r = r, .p = p, .arena = arena };
    x->sources = TFP_NEW(arena, source, 2 * tfp_code_of(p)->traces.size);
    x->leaf_of = TFP_NEW(arena, uint32_t, tfp_graph_of(p)->nodes.size);
    x->code = r->tree->code = TFP_NEW(&r->arena, tfp_code_tree, 1);
    if (!x->sources || !x->leaf_of || !x->code || tfp_strtab_init(&x->names, &r->arena)) return false;
    for (size_t i = 0; i < 2 * tfp_code_of(p)->traces.size; i++) {
        x->sources[i].trace = (uint32_t)(i % tfp_code_of(p)->traces.size);
        x->sources[i].gradient = i >= tfp_code_of(p)->traces.size;
    }
    for (int g = 0; g < 2; g++) {
        x->frame_names[g] = TFP_NEW(arena, tfp_strid, tfp_code_of(p)->frames.size);
        if (!x->frame_names[g]) return false;
        if (tfp_code_of(p)->frames.size)
            memset(x->frame_names[g], 0xff, tfp_code_of(p)->frames.size * sizeof(tfp_strid));
    }
    return true;
}

static bool fill_tree(tfp_tree *t, stacks *x)
{
    tfp_report *r = x->r;
    tfp_account account;
    uint32_t *parent = TFP_NEW(t->arena, uint32_t, t->count);
    bool any = tfp_filter_any(r->options->filters[TFP_F_ACCOUNT]);
    r->tree->members = TFP_NEW(&r->arena, uint32_t, tfp_graph_of(x->p)->nodes.size);
    t->member_count = TFP_NEW(t->arena, uint32_t, t->count);
    if (!parent || !r->tree->members || !t->member_count || !tfp_account_start(&account, r, t->arena)) return false;
    uint32_t member_count = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        tfp_code_item *c = &x->code->items.at[i];
        t->name[i] = c->name;
        t->node[i] = TFP_NONE;
        parent[i] = c->parent;
        for (uint32_t m = 0; m < c->member_count; m++) {
            uint32_t node = x->code->members[c->member_first + m];
            int64_t times = tfp_account_times(&account, node);
            if (!times) continue;
            t->member_count[i]++;
            tfp_values_add_node(r, &t->own, i, node, times);
            tfp_reach_item(r, node, i, times);
            int64_t first_ns = t->first_ns ? tfp_node_first_ns(x->p, node, r->step) : INT64_MAX;
            if (t->first_ns && first_ns < t->first_ns[i]) t->first_ns[i] = first_ns;
            r->tree->members[member_count++] = node;
        }
        t->accounted[i] = i && (t->member_count[i] || any);
    }
    return tfp_tree_link(t, parent);
}

/* Rows list the accounted members of their frames, which are in r->members in the order of items. */
static bool set_members(tfp_report *r, const tfp_tree *t)
{
    uint32_t *first = TFP_NEW(t->arena, uint32_t, t->count + 1);
    if (!first) return false;
    for (size_t i = 0; i < t->count; i++) first[i + 1] = first[i] + t->member_count[i];
    for (size_t i = 0; i < r->tree->rows.size; i++) {
        tfp_row *row = &r->tree->rows.at[i];
        row->member_first = first[row->item];
        row->member_count = t->member_count[row->item];
    }
    return true;
}

/* Sets the time that runs of nodes with a stack explain. */
static void say_explained(const stacks *x)
{
    tfp_explained e = { .given = tfp_executions_of(x->p)->execs.size > 0,
                        .why_not = "in operations without a call stack" };
    for (size_t node = 0; node < tfp_graph_of(x->p)->nodes.size; node++) {
        if (x->leaf_of[node] == TFP_NONE) continue;
        for (TFP_EACH(tfp_executions_of(x->p)->execs, i, tfp_graph_of(x->p)->nodes.at[node].exec_first)) {
            const tfp_exec *run = &tfp_executions_of(x->p)->execs.at[i];
            if (!tfp_step_takes(x->r->step, run->step)) continue;
            e.host_ns = tfp_add(e.host_ns, run->cpu_ns, NULL);
            e.device_ns = tfp_add(e.device_ns, run->accelerator_ns, NULL);
        }
    }
    x->r->covered->explained = e;
}

static tfp_status build_code(tfp_report *r, tfp_error *err)
{
    tfp_arena arena = { 0 };
    stacks x;
    tfp_tree t;
    tfp_status s;
    if (tfp_samples_of(r->profile)->samples.size) return tfp_tree_of_samples(r, true, err);
    if (tfp_has(r->profile, TFP_HAS_TRACE)) return tfp_code_of_trace(r, err);
    if (!start_stacks(&x, r, &arena))
        s = tfp_nomem(err);
    else
        s = find_sources(&x, err);
    if (!s && r->options->account_displayed_op_only)
        s = tfp_report_note_add(r, TFP_NOTE_OPTION_IGNORED, err, "code view ignores account_displayed_op_only");
    if (!s && (!build_items(&x) || !fill_members(&x) || !tfp_tree_new(&t, r, &arena, x.code->items.size) ||
               !fill_tree(&t, &x)))
        s = tfp_nomem(err);
    if (!s) s = tfp_tree_show(&t, r, TFP_TREE_CODE, err);
    if (!s && !set_members(r, &t)) s = tfp_nomem(err);
    if (!s) say_explained(&x);
    tfp_map64_free(&x.children);
    tfp_strtab_free(&x.names);
    tfp_arena_free(&arena);
    return s;
}

const tfp_view tfp_view_code = {
    "code",
    "Nodes by the lines of Python that made them, or by the functions that a trace recorded (needs an op log, or a "
    "trace with stacks).",
    TFP_REPORT_GROUPS,
    "Rows are lines of Python, ordered by who calls whom.",
    "code",
    build_code,
    TFP_NEEDS_CODE,
    .rows_are = TFP_ROWS_OF_CODE,
    .row_traits = TFP_ADDS_COVERAGE | TFP_ADDS_ATTRIBUTION | TFP_NESTS,
    .compared = TFP_COMPARED_ROWS
};
