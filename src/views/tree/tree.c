// SPDX-License-Identifier: Apache-2.0
/* views/tree/tree.c: makes the rows that the options select from a tree of items: account, sum up, find the start,
 * choose what is shown, sort, emit. Every stage is a loop over indexes, so trees may have any depth. */
#include "model/tables/graph.h"
#include "options/options.h"
#include "options/regex.h"
#include "views/core/statistics.h"

#include <stdlib.h>

#define NAMES_MAX ((size_t)128 << 20)   /* most bytes for the names of made-up scopes */
#define MATCHED_MAX ((size_t)256 << 20) /* most bytes of these names that patterns are matched with */

bool tfp_tree_new(tfp_tree *t, tfp_report *r, tfp_arena *arena, size_t count)
{
    *t = (tfp_tree){ .arena = arena, .count = count };
    t->name = TFP_NEW(arena, tfp_str, count);
    t->node = TFP_NEW(arena, uint32_t, count);
    t->accounted = TFP_NEW(arena, uint8_t, count);
    t->kept = TFP_NEW(arena, uint8_t, count);
    bool by_start = tfp_options_of(r)->order.by == TFP_BY_START;
    t->first_ns = by_start ? TFP_NEW(arena, int64_t, count) : NULL;
    if (by_start && !t->first_ns) return false;
    for (size_t i = 0; i < count && by_start; i++) t->first_ns[i] = INT64_MAX;
    return t->name && t->node && t->accounted && t->kept && tfp_values_new(r, &t->own, tfp_arena_of(r), count) &&
           tfp_values_new(r, &t->total, tfp_arena_of(r), count);
}

bool tfp_tree_link(tfp_tree *t, const uint32_t *parent)
{
    t->child_start = TFP_NEW(t->arena, uint32_t, t->count + 2);
    t->children = TFP_NEW(t->arena, uint32_t, t->count);
    if (!t->child_start || !t->children) return false;
    uint32_t *start = t->child_start + 1; /* counts are stored one index further, because filling moves them back */
    for (size_t i = 1; i < t->count; i++)
        if (parent[i] != TFP_NONE) start[parent[i] + 1]++;
    for (size_t i = 1; i <= t->count; i++) start[i] += start[i - 1];
    for (size_t i = 1; i < t->count; i++)
        if (parent[i] != TFP_NONE) t->children[start[parent[i]]++] = (uint32_t)i;
    return true;
}

typedef struct place {
    uint32_t item;
    uint32_t next; /* the child to continue with */
} place;

typedef struct walk {
    tfp_tree *t;
    tfp_report *r;
    tfp_tree_rules rules;
    uint32_t *order; /* items in preorder */
    size_t order_size;
    tfp_shown_items shown;
    bool redo;        /* totals include only the shown entries */
    tfp_values total; /* then indexed by entry */
    const tfp_options *o;
    int64_t max_depth;
    uint32_t own_minimums; /* bits of tfp_value */
} walk;

/* Lists items in preorder, using an explicit stack. */
static bool preorder(walk *w)
{
    tfp_tree *t = w->t;
    uint32_t *stack = TFP_NEW(t->arena, uint32_t, t->count + 1);
    w->order = TFP_NEW(t->arena, uint32_t, t->count);
    if (!stack || !w->order) return false;
    size_t depth = 0;
    stack[depth++] = 0;
    while (depth) {
        uint32_t item = stack[--depth];
        w->order[w->order_size++] = item;
        for (uint32_t c = t->child_start[item + 1]; c-- > t->child_start[item];) stack[depth++] = t->children[c];
    }
    return true;
}

static void starts_below(tfp_tree *t, uint32_t item, uint32_t child)
{
    if (t->first_ns && t->first_ns[child] < t->first_ns[item]) t->first_ns[item] = t->first_ns[child];
}

/* Sums up. An unaccounted item of the graph view adds nothing of its own; in other views it does, once it is kept. */
static void sum_up(walk *w)
{
    tfp_tree *t = w->t;
    for (size_t i = w->order_size; i-- > 0;) {
        uint32_t item = w->order[i];
        bool keep = t->accounted[item];
        for (uint32_t c = t->child_start[item]; c < t->child_start[item + 1]; c++) {
            uint32_t child = t->children[c];
            keep |= t->kept[child] && w->rules != TFP_TREE_GRAPH;
            tfp_values_add(w->r, &t->total, item, &t->total, child);
            starts_below(t, item, child);
        }
        t->kept[item] = keep;
        if (keep && item != 0) tfp_values_add(w->r, &t->total, item, &t->own, item);
    }
}

static bool passes_minimums(const walk *w, uint32_t item)
{
    for (int v = 0; v < TFP_V_COUNT; v++) {
        if (w->o->min[v] <= 0) continue;
        if (v == TFP_V_RUNS && w->rules == TFP_TREE_CODE) continue;
        bool own = (w->own_minimums >> v & 1) && w->rules != TFP_TREE_CODE;
        const tfp_values *values = own ? &w->t->own : &w->t->total;
        if (values->at[v][item] < tfp_minimum(w->o, v)) return false;
    }
    return true;
}

static bool should_show(const walk *w, uint32_t item, int64_t depth)
{
    if (item == 0) return true;
    if (depth > w->max_depth || !passes_minimums(w, item)) return false;
    tfp_filter *const *f = w->o->filters;
    if (!tfp_filter_any(f[TFP_F_SHOW]) && !tfp_filter_matches(f[TFP_F_SHOW], w->t->name[item])) return false;
    return !tfp_filter_matches(f[TFP_F_HIDE], w->t->name[item]);
}

typedef struct visit {
    uint32_t item, parent; /* parent: the nearest shown entry above */
    int64_t depth;
} visit;
typedef TFP_VEC(visit) visits;

/* Pushes the children that take part, so that the first is popped first. In the graph view an unaccounted item is
 * replaced by its children. */
static bool push_children(const walk *w, visits *stack, uint32_t item, uint32_t parent, int64_t depth)
{
    const tfp_tree *t = w->t;
    for (uint32_t c = t->child_start[item + 1]; c-- > t->child_start[item];) {
        uint32_t child = t->children[c];
        if (!t->kept[child] && w->rules != TFP_TREE_GRAPH) continue;
        if (!tfp_push(stack, ((visit){ child, parent, depth }))) return false;
    }
    return true;
}

/* Finds the first matches on every branch, which become the root's children. */
static bool find_starts(walk *w, visits *starts)
{
    const tfp_filter *f = w->o->filters[TFP_F_START];
    visits stack = { 0 };
    bool ok = push_children(w, &stack, 0, 0, 2);
    while (ok && stack.size) {
        visit v = stack.at[--stack.size];
        bool takes_part = w->t->kept[v.item];
        if (takes_part && tfp_filter_matches(f, w->t->name[v.item]))
            ok = tfp_push(starts, v);
        else
            ok = push_children(w, &stack, v.item, 0, 2);
    }
    tfp_vec_free(&stack);
    for (size_t i = 0, j = starts->size; ok && i + 1 < j; i++) { /* they will be taken from the end */
        visit v = starts->at[i];
        starts->at[i] = starts->at[--j];
        starts->at[j] = v;
    }
    return ok;
}

static bool choose(walk *w)
{
    const tfp_filter *trim = w->o->filters[TFP_F_TRIM];
    visits stack = { 0 };
    bool ok = tfp_push(&w->shown, ((tfp_shown){ 0 }));
    bool trim_root = tfp_filter_matches(trim, w->t->name[0]);
    if (ok && !trim_root) {
        if (tfp_filter_any(w->o->filters[TFP_F_START]))
            ok = push_children(w, &stack, 0, 0, 2);
        else
            ok = find_starts(w, &stack);
    }
    while (ok && stack.size) {
        visit v = stack.at[--stack.size];
        if (!w->t->kept[v.item]) { /* graph view: passes its children on */
            ok = push_children(w, &stack, v.item, v.parent, v.depth);
            continue;
        }
        bool trimmed = tfp_filter_matches(trim, w->t->name[v.item]);
        if (w->rules == TFP_TREE_CODE && (trimmed || v.depth > w->max_depth)) continue;
        uint32_t parent = v.parent;
        if (should_show(w, v.item, v.depth)) {
            parent = (uint32_t)w->shown.size;
            ok = tfp_push(&w->shown, ((tfp_shown){ v.item, v.parent, w->shown.at[v.parent].depth + 1, 0 }));
        }
        if (ok && !trimmed && v.depth < w->max_depth) ok = push_children(w, &stack, v.item, parent, v.depth + 1);
    }
    tfp_vec_free(&stack);
    return ok;
}

/* Converts the number of slots that each slot contains, itself included, to the end of its range. */
static bool fill_statistics(const walk *w, tfp_run_slots *slots, uint32_t *size, tfp_values *total)
{
    for (size_t i = 0; i < slots->count; i++) size[i] += (uint32_t)i;
    slots->end = size;
    return tfp_statistics_fill(w->r, slots, &w->t->own, total);
}

/* Statistics over the runs of all items, in preorder. */
static bool statistics_of_items(const walk *w)
{
    tfp_tree *t = w->t;
    tfp_run_slots slots = { .item = w->order, .count = w->order_size, .counts = t->kept, .items = t->count };
    if (!tfp_tree_of(w->r)->statistics) return true;
    uint32_t *below = TFP_NEW(t->arena, uint32_t, t->count + 1), *size = TFP_NEW(t->arena, uint32_t, slots.count + 1);
    if (!below || !size) return false;
    for (size_t i = slots.count; i-- > 0;) {
        uint32_t item = w->order[i];
        below[item] = 1;
        for (uint32_t c = t->child_start[item]; c < t->child_start[item + 1]; c++) below[item] += below[t->children[c]];
        size[i] = below[item];
    }
    return fill_statistics(w, &slots, size, &t->total);
}

/* Statistics over the runs of the shown items only, which are in preorder. */
static bool statistics_of_shown(walk *w)
{
    size_t n = w->shown.size;
    tfp_run_slots slots = { .count = n, .counts = w->t->kept, .items = w->t->count, .total_by_slot = true };
    if (!tfp_tree_of(w->r)->statistics) return true;
    uint32_t *item = TFP_NEW(w->t->arena, uint32_t, n + 1), *size = TFP_NEW(w->t->arena, uint32_t, n + 1);
    if (!item || !size) return false;
    for (size_t i = n; i-- > 0;) {
        item[i] = w->shown.at[i].item;
        size[i]++;
        if (i) size[w->shown.at[i].parent] += size[i];
    }
    slots.item = item;
    return fill_statistics(w, &slots, size, &w->total);
}

/* Totals of the shown entries only, indexed by entry. */
static bool shown_totals(walk *w)
{
    size_t n = w->shown.size;
    if (!tfp_values_new(w->r, &w->total, tfp_arena_of(w->r), n)) return false;
    for (size_t i = n; i-- > 0;) {
        const tfp_shown *e = &w->shown.at[i];
        tfp_values_add(w->r, &w->total, i, &w->t->own, e->item);
        if (i) tfp_values_add(w->r, &w->total, e->parent, &w->total, i);
    }
    /* TensorFlow adds the root to its own total here, which has nothing else to add */
    if (n && w->total.at[TFP_V_DEFINITIONS]) w->total.at[TFP_V_DEFINITIONS][0]++;
    return statistics_of_shown(w);
}

/* The totals of an entry: those of shown entries, or of all items. */
static const tfp_values *totals(const walk *w) { return w->redo ? &w->total : &w->t->total; }
static uint32_t total_at(const walk *w, uint32_t e) { return w->redo ? e : w->shown.at[e].item; }

static bool less_by_total(const void *ctx, uint32_t a, uint32_t b)
{
    const walk *w = ctx;
    const int64_t *by = totals(w)->at[w->o->order.by], *next = totals(w)->at[TFP_V_CPU_MICROS];
    uint32_t x = total_at(w, a), y = total_at(w, b);
    bool tie = by[x] == by[y] && w->o->made.apart && w->o->order.by == TFP_V_ACCELERATOR_MICROS;
    return tie && next ? next[x] > next[y] : by[x] > by[y];
}

static bool less_by_column(const void *ctx, uint32_t a, uint32_t b)
{
    const walk *w = ctx;
    tfp_column_id by = w->o->order.column;
    return tfp_place_number(w->r, by, totals(w), total_at(w, a)) >
           tfp_place_number(w->r, by, totals(w), total_at(w, b));
}

static bool less_by_name(const void *ctx, uint32_t a, uint32_t b)
{
    const walk *w = ctx;
    return tfp_str_cmp(w->t->name[w->shown.at[a].item], w->t->name[w->shown.at[b].item]) < 0;
}

static bool less_by_start(const void *ctx, uint32_t a, uint32_t b)
{
    const walk *w = ctx;
    return w->t->first_ns[w->shown.at[a].item] < w->t->first_ns[w->shown.at[b].item];
}

static bool less_by_members(const void *ctx, uint32_t a, uint32_t b)
{
    const walk *w = ctx;
    return w->t->member_count[w->shown.at[a].item] > w->t->member_count[w->shown.at[b].item];
}

/* Groups the entries by parent, in traversal order, then sorts each group. */
static bool sort_entries(walk *w, uint32_t *start, uint32_t *children)
{
    size_t n = w->shown.size;
    for (size_t i = 1; i < n; i++) start[w->shown.at[i].parent + 2]++;
    for (size_t i = 2; i <= n + 1; i++) start[i] += start[i - 1];
    for (size_t i = 1; i < n; i++) children[start[w->shown.at[i].parent + 1]++] = (uint32_t)i;
    int by = w->o->order.by;
    if (by == TFP_BY_TRAVERSAL) return true;
    bool (*less)(const void *, uint32_t, uint32_t) = by >= 0 ? less_by_total : less_by_name;
    if (by == TFP_BY_COLUMN) less = less_by_column;
    if (by == TFP_BY_START) less = less_by_start;
    if (by == TFP_BY_OCCURRENCE && w->t->member_count) less = less_by_members;
    for (size_t i = 0; i < n; i++) {
        size_t count = start[i + 1] - start[i];
        if (count > 1 && !tfp_sort(children + start[i], count, less, w)) return false;
    }
    return true;
}

static tfp_status emit(walk *w, tfp_error *err)
{
    tfp_report *r = w->r;
    size_t n = w->shown.size, depth = 0, copied = 0;
    uint32_t *start = TFP_NEW(w->t->arena, uint32_t, n + 2), *children = TFP_NEW(w->t->arena, uint32_t, n);
    uint32_t *stack = TFP_NEW(w->t->arena, uint32_t, n + 1), *row_of = TFP_NEW(w->t->arena, uint32_t, n);
    if (!start || !children || !stack || !row_of || !tfp_reserve(&tfp_tree_of(r)->rows, n) ||
        !sort_entries(w, start, children))
        return tfp_nomem(err);
    stack[depth++] = 0;
    while (depth) {
        uint32_t e = stack[--depth];
        const tfp_shown *x = &w->shown.at[e];
        tfp_row row = { .name = w->t->name[x->item],
                        .parent = row_of[x->parent],
                        .depth = x->depth,
                        .node = w->t->node[x->item],
                        .item = x->item,
                        .tensor = TFP_NONE,
                        .hidden = x->hidden,
                        .own_at = x->item,
                        .total_at = total_at(w, e),
                        .accounted = w->t->accounted[x->item] };
        tfp_status s = tfp_report_read_tensor(r, &row, err);
        if (s) return s;
        if (row.node == TFP_NONE) { /* it may be the beginning of a node's name, but rows' names end with NUL */
            /* the scopes of one long name take memory quadratic in its length */
            if ((copied += row.name.size) > NAMES_MAX)
                return tfp_fail(err, TFP_LIMIT, "names of scopes of more than %d MB; a smaller -max_depth shows fewer",
                                (int)(NAMES_MAX >> 20));
            char *copy = tfp_arena_copy(tfp_arena_of(r), row.name);
            if (!copy) return tfp_nomem(err);
            row.name.data = copy;
        }
        row_of[e] = tfp_report_add_row(r, &row);
        for (uint32_t c = start[e + 1]; c-- > start[e];) stack[depth++] = children[c];
    }
    tfp_report_take_values(r, &w->t->own, totals(w));
    return TFP_OK;
}

tfp_status tfp_tree_emit(tfp_tree *t, tfp_report *r, const tfp_shown_items *shown, bool redo, tfp_error *err)
{
    walk w = { .t = t, .r = r, .o = tfp_options_of(r), .shown = *shown, .redo = redo };
    return !redo || shown_totals(&w) ? emit(&w, err) : tfp_nomem(err);
}

/* Sets the nearest rows of items. If totals include only shown items, nothing is counted in another row. */
static bool settle_reach(walk *w, bool redo)
{
    tfp_tree *t = w->t;
    tfp_report *r = w->r;
    if (!tfp_tree_of(r)->reach) return true;
    uint32_t *row = TFP_NEW(t->arena, uint32_t, t->count);
    if (!row) return false;
    memset(row, 0xff, t->count * sizeof *row); /* TFP_NONE */
    for (uint32_t i = 0; i < tfp_row_count(r); i++) row[tfp_row_at(r, i)->item] = i;
    for (size_t i = 0; i < w->order_size && !redo; i++)
        for (uint32_t c = t->child_start[w->order[i]]; c < t->child_start[w->order[i] + 1]; c++)
            if (row[t->children[c]] == TFP_NONE) row[t->children[c]] = row[w->order[i]];
    for (size_t i = 0; i < tfp_graph_of(tfp_profile_of(r))->nodes.size; i++) {
        uint32_t *at = &tfp_tree_of(r)->reach[i].row;
        if (*at != TFP_NONE) *at = t->kept[*at] ? row[*at] : TFP_NONE;
    }
    return true;
}

/* The scopes of one long name are quadratic in its length: patterns would be matched with gigabytes for a small
 * file. */
static tfp_status limit_matching(const walk *w, tfp_error *err)
{
    tfp_filter *const *f = w->o->filters;
    bool all = tfp_filter_any(f[TFP_F_START]) && tfp_filter_any(f[TFP_F_SHOW]);
    bool none_left_out = (!f[TFP_F_TRIM] || !f[TFP_F_TRIM]->count) && (!f[TFP_F_HIDE] || !f[TFP_F_HIDE]->count);
    if (all && none_left_out) return TFP_OK;
    size_t bytes = 0;
    for (size_t i = 1; i < w->t->count && bytes <= MATCHED_MAX; i++)
        if (w->t->node[i] == TFP_NONE) bytes += w->t->name[i].size;
    if (bytes <= MATCHED_MAX) return TFP_OK;
    return tfp_fail(err, TFP_LIMIT, "names of scopes of more than %d MB: patterns cannot be matched with them",
                    (int)(MATCHED_MAX >> 20));
}

tfp_status tfp_tree_show(tfp_tree *t, tfp_report *r, tfp_tree_rules rules, tfp_error *err)
{
    walk w = {
        .t = t, .r = r, .rules = rules, .o = tfp_options_of(r), .max_depth = tfp_options_depth(tfp_options_of(r))
    };
    if (w.max_depth < 1) w.max_depth = 1;
    for (int i = 0; i < tfp_column_count; i++)
        if (tfp_columns[i].min.own) w.own_minimums |= 1u << tfp_value_of(&tfp_columns[i]);
    tfp_status s = preorder(&w) ? TFP_OK : tfp_nomem(err);
    if (!s) {
        t->kept[0] = 1;
        sum_up(&w);
        t->kept[0] = 1;
        bool redo = w.o->account_displayed_op_only && rules != TFP_TREE_CODE;
        s = statistics_of_items(&w) ? limit_matching(&w, err) : tfp_nomem(err);
        if (!s) s = tfp_note_unmatched(r, t->name + 1, t->count - 1, err);
        if (!s) s = choose(&w) ? tfp_tree_emit(t, r, &w.shown, redo, err) : tfp_nomem(err);
        if (!s && !settle_reach(&w, redo)) s = tfp_nomem(err);
    }
    tfp_vec_free(&w.shown);
    return s;
}
