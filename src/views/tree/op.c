// SPDX-License-Identifier: Apache-2.0
/* views/tree/op.c: nodes grouped by operation type, as a list in which each total includes all following types. */
#include "model/tables/graph.h"
#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "options/options.h"
#include "options/regex.h"
#include "views/core/report.h"
#include "views/core/statistics.h"
#include "views/core/view.h"

typedef struct types {
    tfp_arena *arena;
    size_t count;
    tfp_str *name;
    uint32_t *of_node;                /* for each node: its type */
    uint32_t *member_start, *members; /* accounted nodes of each type */
    int64_t *first_ns;                /* with -order_by start: the first start of a member; otherwise NULL */
    tfp_values own, total;
    uint32_t *order; /* accounted types in sorted order */
    size_t order_count;
    const tfp_report *r;
    const tfp_options *o;
} types;

/* Lists types in order of their names. */
static bool find_types(types *t, const tfp_profile *p)
{
    tfp_map64 by_op = { 0 };
    size_t n = tfp_graph_of(p)->nodes.size;
    uint32_t *raw = TFP_NEW(t->arena, uint32_t, n), *rank;
    tfp_str *names = TFP_NEW(t->arena, tfp_str, n);
    t->of_node = TFP_NEW(t->arena, uint32_t, n);
    bool ok = raw && names && t->of_node;
    for (size_t i = 0; ok && i < n; i++) {
        tfp_strid op = tfp_graph_of(p)->nodes.at[i].op;
        uint32_t type = tfp_map64_get(&by_op, op);
        if (type == TFP_NONE) {
            type = (uint32_t)t->count;
            raw[type] = type;
            names[t->count++] = tfp_text(p, op);
            ok = tfp_map64_put(&by_op, op, type);
        }
        t->of_node[i] = type;
    }
    tfp_map64_free(&by_op);
    rank = TFP_NEW(t->arena, uint32_t, t->count);
    t->name = TFP_NEW(t->arena, tfp_str, t->count);
    if (!ok || !rank || !t->name || !tfp_sort_strings(raw, t->count, names)) return false;
    for (uint32_t i = 0; i < t->count; i++) {
        rank[raw[i]] = i;
        t->name[i] = names[raw[i]];
    }
    for (size_t i = 0; i < n; i++) t->of_node[i] = rank[t->of_node[i]];
    return true;
}

static bool fill_starts(types *t, const tfp_report *r, const uint8_t *times)
{
    if (r->options->order.by != TFP_BY_START) return true;
    t->first_ns = TFP_NEW(t->arena, int64_t, t->count);
    if (!t->first_ns) return false;
    for (size_t i = 0; i < t->count; i++) t->first_ns[i] = INT64_MAX;
    for (uint32_t i = 0; i < tfp_graph_of(r->profile)->nodes.size; i++) {
        int64_t *first = &t->first_ns[t->of_node[i]],
                its = times[i] ? tfp_node_first_ns(r->profile, i, r->step) : INT64_MAX;
        if (its < *first) *first = its;
    }
    return true;
}

/* Fills members and sums. A node that matches several patterns is added several times. */
static bool fill(types *t, tfp_report *r)
{
    const tfp_profile *p = r->profile;
    size_t n = tfp_graph_of(p)->nodes.size;
    tfp_account account;
    uint8_t *times = TFP_NEW(t->arena, uint8_t, n);
    uint32_t *order = TFP_NEW(t->arena, uint32_t, n);
    t->member_start = TFP_NEW(t->arena, uint32_t, t->count + 2);
    r->tree->members = TFP_NEW(&r->arena, uint32_t, n);
    if (!times || !order || !t->member_start || !r->tree->members || !tfp_account_start(&account, r, t->arena) ||
        !tfp_values_new(r, &t->own, &r->arena, t->count + 1) || !tfp_values_new(r, &t->total, &r->arena, t->count + 1))
        return false;
    for (size_t i = 0; i < n; i++) {
        order[i] = (uint32_t)i;
        times[i] = (uint8_t)tfp_account_times(&account, (uint32_t)i);
        if (!times[i]) continue;
        t->member_start[t->of_node[i] + 2]++;
        tfp_values_add_node(r, &t->own, t->of_node[i], (uint32_t)i, times[i]);
        tfp_reach_item(r, (uint32_t)i, t->of_node[i], times[i]);
    }
    if (!fill_starts(t, r, times)) return false;
    for (size_t i = 2; i <= t->count + 1; i++) t->member_start[i] += t->member_start[i - 1];
    if ((r->values & TFP_V_ALL) == TFP_V_ALL && !tfp_name_order(p, order))
        return false; /* the protobuf lists members by name */
    for (size_t i = 0; i < n; i++)
        if (times[order[i]]) r->tree->members[t->member_start[t->of_node[order[i]] + 1]++] = order[i];
    return true;
}

static uint32_t member_count(const types *t, uint32_t type)
{
    return t->member_start[type + 1] - t->member_start[type];
}

static bool less(const void *ctx, uint32_t a, uint32_t b)
{
    const types *t = ctx;
    const tfp_order *order = &t->o->order;
    int by = order->by;
    if (by == TFP_BY_OCCURRENCE) return member_count(t, a) > member_count(t, b);
    bool next = by == TFP_V_ACCELERATOR_MICROS && t->o->made.apart && t->own.at[TFP_V_CPU_MICROS];
    if (next && t->own.at[by][a] == t->own.at[by][b]) by = TFP_V_CPU_MICROS;
    if (by >= 0) return t->own.at[by][a] > t->own.at[by][b];
    if (by == TFP_BY_COLUMN)
        return tfp_place_number(t->r, order->column, &t->own, a) > tfp_place_number(t->r, order->column, &t->own, b);
    if (by == TFP_BY_START && t->first_ns[a] != t->first_ns[b]) return t->first_ns[a] < t->first_ns[b];
    return a < b; /* types are numbered in order of name */
}

/* Sets the statistics of the root and the list's types; each includes all that follow. */
static bool fill_statistics(types *t, const tfp_report *r, const uint32_t *list, size_t n)
{
    tfp_run_slots slots = { .count = n + 1, .items = t->count + 1 };
    if (!r->tree->statistics) return true;
    uint32_t *item = TFP_NEW(t->arena, uint32_t, n + 1), *end = TFP_NEW(t->arena, uint32_t, n + 1);
    if (!item || !end) return false;
    for (size_t i = 0; i <= n; i++) {
        item[i] = i ? list[i - 1] : (uint32_t)t->count;
        end[i] = (uint32_t)n + 1;
    }
    slots.item = item;
    slots.end = end;
    return tfp_statistics_fill(r, &slots, &t->own, &t->total);
}

static bool sort_types(types *t, const tfp_report *r)
{
    t->order = TFP_NEW(t->arena, uint32_t, t->count);
    if (!t->order) return false;
    bool any = tfp_filter_any(t->o->filters[TFP_F_ACCOUNT]);
    for (uint32_t i = 0; i < t->count; i++)
        if (any || member_count(t, i)) t->order[t->order_count++] = i;
    if (!fill_statistics(t, r, t->order, t->order_count))
        return false; /* before sorting, because -order_by may name a statistic */
    return tfp_sort(t->order, t->order_count, less, t);
}

/* Each total includes all following types; index `count` is the root, which has no values of its own. */
static bool sum_up(types *t, tfp_report *r, const uint32_t *list, size_t n)
{
    for (int c = 0; c < TFP_V_COUNT; c++)
        if (t->total.at[c]) memset(t->total.at[c], 0, (t->count + 1) * sizeof(int64_t));
    for (size_t i = n; i-- > 0;) {
        tfp_values_add(r, &t->total, list[i], &t->own, list[i]);
        if (i + 1 < n) tfp_values_add(r, &t->total, list[i], &t->total, list[i + 1]);
    }
    if (n) tfp_values_add(r, &t->total, t->count, &t->total, list[0]);
    return fill_statistics(t, r, list, n);
}

static bool should_show(const types *t, uint32_t type)
{
    for (int v = 0; v < TFP_V_COUNT; v++) {
        if (t->o->min[v] <= 0) continue;
        int64_t have = v == TFP_V_RUNS ? (int64_t)member_count(t, type) : t->total.at[v][type];
        if (have < tfp_minimum(t->o, v)) return false;
    }
    tfp_filter *const *f = t->o->filters;
    return tfp_filter_matches(f[TFP_F_SHOW], t->name[type]) && !tfp_filter_matches(f[TFP_F_HIDE], t->name[type]);
}

/* Chooses the types from the first start name to the first trimmed one, at most max_depth + 1; -top has a limit of its
 * own, which cuts the rows afterwards. *left: number of types that only -max_depth leaves out. */
static size_t choose(const types *t, uint32_t *shown, size_t *left)
{
    tfp_filter *const *f = t->o->filters;
    bool top = t->o->top || tfp_options_chosen(t->o, "top"); /* 0 means all */
    int64_t most = top && !tfp_options_chosen(t->o, "max_depth") ? INT64_MAX : t->o->max_depth;
    size_t i = 0, n = 0;
    *left = 0;
    if (!tfp_filter_any(f[TFP_F_START]) && f[TFP_F_START] && f[TFP_F_START]->count)
        while (i < t->order_count && !tfp_filter_matches(f[TFP_F_START], t->name[t->order[i]])) i++;
    for (int64_t depth = 0; i < t->order_count; i++, depth++) {
        if (tfp_filter_matches(f[TFP_F_TRIM], t->name[t->order[i]])) break;
        if (!should_show(t, t->order[i])) continue;
        if (depth <= most)
            shown[n++] = t->order[i];
        else
            ++*left;
    }
    return n;
}

static bool emit(const types *t, tfp_report *r, const uint32_t *shown, size_t n)
{
    tfp_row root = { .name = TFP_ROOT_NAME,
                     .node = TFP_NONE,
                     .item = TFP_NONE,
                     .tensor = TFP_NONE,
                     .own_at = (uint32_t)t->count,
                     .total_at = (uint32_t)t->count };
    if (!tfp_reserve(&r->tree->rows, n + 1) || tfp_report_add_row(r, &root) == TFP_NONE) return false;
    for (size_t i = 0; i < n; i++) {
        char *name = tfp_arena_copy(&r->arena, t->name[shown[i]]);
        tfp_row row = { .name = { name, t->name[shown[i]].size },
                        .depth = 1,
                        .node = TFP_NONE,
                        .item = shown[i],
                        .member_first = t->member_start[shown[i]],
                        .member_count = member_count(t, shown[i]),
                        .tensor = TFP_NONE,
                        .own_at = shown[i],
                        .total_at = shown[i],
                        .accounted = true };
        if (!name || tfp_report_add_row(r, &row) == TFP_NONE) return false;
    }
    tfp_report_take_values(r, &t->own, &t->total);
    return true;
}

/* Sets the rows of nodes, through the rows of their types. */
static bool settle_reach(const types *t, tfp_report *r)
{
    if (!r->tree->reach) return true;
    uint32_t *row = TFP_NEW(t->arena, uint32_t, t->count);
    if (!row) return false;
    for (uint32_t i = 1; i < r->tree->rows.size; i++) row[r->tree->rows.at[i].item] = i;
    for (size_t i = 0; i < tfp_graph_of(r->profile)->nodes.size; i++)
        if (r->tree->reach[i].row != TFP_NONE) r->tree->reach[i].row = row[r->tree->reach[i].row];
    return true;
}

static tfp_status build_op(tfp_report *r, tfp_error *err)
{
    tfp_arena arena = { 0 };
    types t = { .arena = &arena, .r = r, .o = r->options };
    uint32_t *shown = NULL;
    size_t left = 0;
    bool ok = find_types(&t, r->profile) && fill(&t, r) && sort_types(&t, r) &&
              (shown = TFP_NEW(&arena, uint32_t, t.count)) != NULL;
    if (ok) {
        ok = sum_up(&t, r, t.order, t.order_count);
        size_t n = choose(&t, shown, &left);
        if (t.o->account_displayed_op_only) ok = ok && sum_up(&t, r, shown, n);
        ok = ok && emit(&t, r, shown, n) && settle_reach(&t, r);
    }
    tfp_status s = ok ? tfp_note_unmatched(r, t.name, t.count, err) : tfp_nomem(err);
    tfp_arena_free(&arena);
    return s ? s : tfp_note_left(r, left, err);
}

const tfp_view tfp_view_op = { "op",
                               "Nodes by operation type: which operations cost most.",
                               TFP_REPORT_LIST,
                               "Nodes are grouped by operation type, such as MatMul or Conv2D.",
                               "op",
                               build_op,
                               TFP_NEEDS_NODES,
                               .row_traits = TFP_ADDS_COVERAGE | TFP_ADDS_ATTRIBUTION,
                               .reads = TFP_READS_SUMS,
                               .compared = TFP_COMPARED_ROWS };
