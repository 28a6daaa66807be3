// SPDX-License-Identifier: Apache-2.0
/* views/tree/trace_tree.c: a tree of items found by parent and name, to which the times of spans are added by step. */
#include "views/tree/trace_tree.h"

#include "model/tables/read.h"
#include "model/tables/runs.h"
#include "model/tables/span_kinds.h"
#include "names/names.h"
#include "options/options.h"
#include "views/core/engine.h"
#include "views/core/report.h"
#include "views/core/rows.h"
#include "views/core/view.h"

#include <ctype.h>

void tfp_trace_tree_start(tfp_trace_tree *t, tfp_report *r)
{
    *t = (tfp_trace_tree){ .r = r };
    tfp_trace_item root = { .parent = TFP_NONE, .last_step = TFP_NONE, .first_ns = INT64_MAX };
    size_t strings = tfp_strings_of(r->profile)->count;
    t->name_of = malloc((strings + 1) * sizeof *t->name_of);
    t->failed = !t->name_of || tfp_strtab_init(&t->names, &r->arena) || !tfp_push(&t->items, root);
    if (t->name_of) memset(t->name_of, 0xff, strings * sizeof *t->name_of); /* TFP_NONE */
}

/* Removes the address at the end of an object's name: "<built-in method f of X object at 0x7f01>". */
static bool without_address(tfp_str name, tfp_buf *out)
{
    tfp_str mark = TFP_STR(" at 0x");
    size_t at = tfp_str_find(name, mark);
    if (at == SIZE_MAX) return false;
    for (; at != SIZE_MAX; at = tfp_str_find(name, mark)) {
        size_t end = at + mark.size;
        while (end < name.size && isxdigit((unsigned char)name.data[end])) end++;
        tfp_buf_add(out, name.data, at);
        name = (tfp_str){ name.data + end, name.size - end };
    }
    tfp_buf_str(out, name);
    return true;
}

tfp_strid tfp_trace_row_name(tfp_trace_tree *t, tfp_strid name)
{
    if (t->failed) return 0;
    if (t->name_of[name] != TFP_NONE) return t->name_of[name];
    tfp_str text = tfp_text(t->r->profile, name);
    tfp_buf clean = { 0 };
    if (without_address(text, &clean)) text = (tfp_str){ clean.data ? clean.data : "", clean.size };
    tfp_strid id = clean.failed ? TFP_NONE : tfp_intern(&t->names, text);
    tfp_buf_free(&clean);
    if (id == TFP_NONE) t->failed = true;
    return t->failed ? 0 : (t->name_of[name] = id);
}

uint32_t tfp_trace_item_below(tfp_trace_tree *t, uint32_t parent, tfp_strid name, unsigned kind)
{
    uint64_t key = (uint64_t)parent << 32 | name;
    uint32_t at = t->failed ? 0 : tfp_map64_get(&t->by_name, key);
    if (at != TFP_NONE) return at;
    at = (uint32_t)t->items.size;
    tfp_trace_item item = {
        .parent = parent, .name = name, .last_step = TFP_NONE, .first_ns = INT64_MAX, .kind = (uint8_t)kind
    };
    t->failed = t->items.size >= TFP_NONE - 1 || !tfp_push(&t->items, item) || !tfp_map64_put(&t->by_name, key, at);
    return t->failed ? 0 : at;
}

/* Counts each distinct step of an item. */
static void count_step(tfp_trace_tree *t, tfp_trace_item *x, uint32_t item, uint32_t step)
{
    uint64_t key = (uint64_t)item << 32 | step;
    if (step == x->last_step) return;
    x->last_step = step;
    if (tfp_map64_get(&t->by_step, key) != TFP_NONE) return;
    x->steps++;
    t->failed |= !tfp_map64_put(&t->by_step, key, 0);
}

void tfp_trace_tree_add(tfp_trace_tree *t, uint32_t item, tfp_trace_part part)
{
    tfp_report *r = t->r;
    uint32_t step = part.step;
    if (t->failed || !tfp_step_takes(r->step, step)) return;
    tfp_trace_item *x = &t->items.at[item];
    bool mean = r->step.which == TFP_STEP_MEAN,
         listed = step != TFP_NONE && tfp_executions_of(r->profile)->steps.at[step].listed;
    if (mean && !listed) return;
    if (mean) count_step(t, x, item, step);
    if (r->options->made.reach && listed)
        t->failed |=
            !tfp_push(&r->tree->line_runs, ((tfp_line_run){ item, step, part.cpu_ns, part.accelerator_ns, part.runs }));
    if (part.start_ns < x->first_ns) x->first_ns = part.start_ns;
    x->cpu_ns = tfp_add(x->cpu_ns, part.cpu_ns, NULL);
    x->accelerator_ns = tfp_add(x->accelerator_ns, part.accelerator_ns, NULL);
    x->runs = tfp_add(x->runs, part.runs, NULL);
}

/* ---- rows ---- */

static void put(tfp_tree *t, tfp_value v, size_t i, int64_t n)
{
    if (t->own.at[v]) t->own.at[v][i] = n;
}

static bool fill(tfp_trace_tree *x, tfp_tree *t)
{
    const tfp_filter *account = x->r->options->filters[TFP_F_ACCOUNT];
    uint32_t *parent = TFP_NEW(t->arena, uint32_t, t->count);
    if (!parent) return false;
    for (size_t i = 0; i < t->count; i++) {
        const tfp_trace_item *item = &x->items.at[i];
        int64_t n = item->steps ? item->steps : 1;
        int64_t cpu_ns = item->cpu_ns / n, accelerator_ns = item->accelerator_ns / n;
        parent[i] = item->parent;
        if (t->first_ns) t->first_ns[i] = item->first_ns;
        t->node[i] = TFP_NONE;
        t->name[i] = i ? tfp_strtab_get(&x->names, item->name) : TFP_ROOT_NAME;
        t->accounted[i] =
            i && (tfp_filter_any(account) || tfp_filter_matches(account, tfp_str_of(tfp_span_op_type(item->kind))) ||
                  tfp_filter_matches(account, t->name[i]));
        put(t, TFP_V_CPU_MICROS, i, cpu_ns);
        put(t, TFP_V_ACCELERATOR_MICROS, i, accelerator_ns);
        put(t, TFP_V_MICROS, i, tfp_add(item->cpu_ns, item->accelerator_ns, NULL) / n);
        put(t, TFP_V_RUNS, i, item->runs / n);
        put(t, TFP_V_DEFINITIONS, i, 1);
        if (item->amount) put(t, x->amount_is, i, item->amount);
    }
    return tfp_tree_link(t, parent);
}

void tfp_trace_tree_free(tfp_trace_tree *t)
{
    tfp_vec_free(&t->items);
    free(t->name_of);
    tfp_strtab_free(&t->names);
    tfp_map64_free(&t->by_name);
    tfp_map64_free(&t->by_step);
}

/* Sets the nearest rows of items. Items that are not kept have none. */
static bool settle_runs(const tfp_trace_tree *x, const tfp_tree *t)
{
    tfp_report *r = x->r;
    uint32_t *row = r->tree->line_runs.size ? TFP_NEW(t->arena, uint32_t, t->count) : NULL;
    if (!row) return !r->tree->line_runs.size;
    memset(row, 0xff, t->count * sizeof *row); /* TFP_NONE */
    for (uint32_t i = 0; i < r->tree->rows.size; i++) row[r->tree->rows.at[i].item] = i;
    for (size_t i = 1; i < t->count; i++)
        if (row[i] == TFP_NONE) row[i] = row[x->items.at[i].parent];
    for (size_t i = 0; i < r->tree->line_runs.size; i++) {
        uint32_t *at = &r->tree->line_runs.at[i].row;
        *at = t->kept[*at] ? row[*at] : TFP_NONE;
    }
    return true;
}

/* Shows kernels by what they do. Equal names are one string of the tree. */
static bool shorten_kernels(const tfp_trace_tree *x)
{
    tfp_report *r = x->r;
    tfp_arena arena = { 0 };
    size_t count = 0, most = r->options->to.full_names ? 0 : r->tree->rows.size;
    tfp_str *full = TFP_NEW(&arena, tfp_str, most + 1);
    bool ok = full != NULL;
    for (size_t i = 0; ok && i < most; i++) {
        const tfp_row *row = &r->tree->rows.at[i];
        uint64_t key = (uintptr_t)row->name.data;
        if (x->items.at[row->item].kind != TFP_SPAN_ACTIVITY || tfp_map64_get(&r->tree->short_at, key) != TFP_NONE)
            continue;
        full[count] = row->name;
        ok = tfp_map64_put(&r->tree->short_at, key, (uint32_t)count++);
    }
    r->tree->shorts = TFP_NEW(&r->arena, tfp_str, count + 1);
    ok = ok && r->tree->shorts && tfp_kernel_shorts(&r->arena, full, count, r->tree->shorts);
    tfp_arena_free(&arena);
    return ok;
}

tfp_status tfp_trace_tree_show(tfp_trace_tree *x, tfp_error *err)
{
    tfp_arena arena = { 0 };
    tfp_tree t;
    tfp_status s =
        x->failed || !tfp_tree_new(&t, x->r, &arena, x->items.size) || !fill(x, &t) ? tfp_nomem(err) : TFP_OK;
    if (!s) s = tfp_tree_show(&t, x->r, TFP_TREE_CODE, err);
    if (!s && !(settle_runs(x, &t) && shorten_kernels(x))) s = tfp_nomem(err);
    tfp_arena_free(&arena);
    tfp_trace_tree_free(x);
    return s;
}
