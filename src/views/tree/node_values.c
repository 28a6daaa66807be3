// SPDX-License-Identifier: Apache-2.0
/* views/tree/node_values.c: computes the nodes' own values in a tree with several threads, each item independently. */
#include "base/threads.h"
#include "model/tables/runs.h"
#include "options/columns.h"
#include "views/core/engine.h"
#include "views/core/report.h"
#include "views/core/rows.h"
#include "views/core/view.h"

typedef struct job {
    tfp_tree *t;
    const tfp_report *r;
    tfp_account *account;
    bool parents;
    bool clamped[TFP_THREADS_MOST];
} job;

static void fill_item(const job *j, tfp_report *r, size_t i)
{
    tfp_tree *t = j->t;
    uint32_t node = t->node[i];
    if (node == TFP_NONE) {
        t->accounted[i] = j->parents;
        if (t->own.at[TFP_V_DEFINITIONS]) t->own.at[TFP_V_DEFINITIONS][i] = 1;
        return;
    }
    t->accounted[i] = tfp_account_times(j->account, node) > 0;
    if (tfp_tree_of(r)->node_accounted) tfp_tree_of(r)->node_accounted[node] = t->accounted[i];
    tfp_values_add_node(r, &t->own, i, node, 1);
    if (t->first_ns) t->first_ns[i] = tfp_node_first_ns(tfp_profile_of(r), node, tfp_step_of(r));
    tfp_reach_item(r, node, i, 1);
}

/* Pages are written before they are read: reading a fresh page and writing to it later causes a second page fault,
 * which stops all threads. */
static void clear(const tfp_values *v, size_t first, size_t end)
{
    for (int c = 0; c < TFP_V_COUNT; c++)
        if (v->at[c]) memset(v->at[c] + first, 0, (end - first) * sizeof *v->at[c]);
}

static void fill_items(void *ctx, size_t worker, size_t first, size_t end)
{
    job *j = ctx;
    tfp_report mine = *j->r; /* a copy that shares everything except the flag */
    mine.clamped = false;
    clear(&j->t->own, first, end);
    clear(&j->t->total, first, end);
    for (size_t i = first ? first : 1; i < end; i++) fill_item(j, &mine, i);
    j->clamped[worker] |= mine.clamped;
}

bool tfp_tree_fill(tfp_tree *t, tfp_report *r, bool parents)
{
    tfp_account account;
    size_t threads = tfp_rows_threads(t->count);
    if (!tfp_account_start(&account, r, t->arena)) return false;
    if (threads > 1) tfp_account_all(&account);
    job j = { .t = t, .r = r, .account = &account, .parents = parents };
    tfp_rows_run(threads, t->count, fill_items, &j);
    for (size_t i = 0; i < threads; i++) *tfp_clamped_of(r) |= j.clamped[i];
    return true;
}
