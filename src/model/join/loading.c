// SPDX-License-Identifier: Apache-2.0
/* model/join/loading.c: finds launches that take long because they load the code of a kernel: no kernel of that name was
 * launched before in the process (lazy loading of modules; libraries that search for the fastest kernel do it then, too). */
#include "model/join/doubts.h"
#include "model/tables/profile.h"
#include "model/tables/step_marks.h"

#include <stdlib.h>

/* The first start of a launch for each name of a slow kernel in its process. */
static bool find_firsts(const tfp_join *x, const tfp_waits *slow, tfp_map64 *names, int64_t *first_ns)
{
    const tfp_span_columns *s = &x->t->spans;
    bool ok = true;
    for (uint32_t i = 0; i < slow->size && ok; i++) {
        uint64_t key = tfp_in_process(x, slow->at[i], s->name[slow->at[i]]);
        first_ns[i] = INT64_MAX;
        if (tfp_map64_get(names, key) == TFP_NONE) ok = tfp_map64_put(names, key, i);
    }
    for (uint32_t i = 0; i < x->count && ok; i++) {
        if (s->kind[i] != TFP_SPAN_ACTIVITY) continue;
        uint32_t at = tfp_map64_get(names, tfp_in_process(x, i, s->name[i]));
        int64_t ns = s->start_ns[s->launch[i] == TFP_NONE ? i : s->launch[i]];
        if (at != TFP_NONE && ns < first_ns[at]) first_ns[at] = ns;
    }
    return ok;
}

static tfp_doubt *row_of(tfp_join *x, uint32_t call, tfp_map64 *rows)
{
    uint64_t key = tfp_in_process(x, call, x->t->spans.step[call]);
    uint32_t at = tfp_map64_get(rows, key);
    if (at == TFP_NONE) {
        tfp_doubt row = { .kind = TFP_DOUBT_LOADING,
                          .process = tfp_span_process(x, call),
                          .step = x->t->spans.step[call],
                          .name = x->t->spans.name[call] };
        at = (uint32_t)x->t->doubts.size;
        if (!tfp_join_keep(x, tfp_map64_put(rows, key, at) && tfp_push(&x->t->doubts, row))) return NULL;
    }
    return &x->t->doubts.at[at];
}

/* Notes the steps of which over half is loading. */
static void find_unsteady(tfp_join *x, tfp_map64 *rows)
{
    for (size_t i = 0; i < x->t->windows.size; i++) {
        const tfp_step_window *w = &x->t->windows.at[i];
        uint32_t at = tfp_map64_get(rows, (uint64_t)w->process << 32 | w->step);
        tfp_doubt *d = at == TFP_NONE ? NULL : &x->t->doubts.at[at];
        if (d && d->ns > (w->end_ns - w->start_ns) / 2) d->of = 1;
    }
}

void tfp_doubt_loading(tfp_join *x, const tfp_waits *slow)
{
    tfp_span_columns *s = &x->t->spans;
    tfp_map64 names = { 0 }, rows = { 0 };
    int64_t *first_ns = malloc((slow->size + 1) * sizeof *first_ns);
    bool ok = first_ns && find_firsts(x, slow, &names, first_ns);
    for (size_t i = 0; ok && i < slow->size && !x->b->status; i++) {
        uint32_t call = s->launch[slow->at[i]],
                 at = tfp_map64_get(&names, tfp_in_process(x, slow->at[i], s->name[slow->at[i]]));
        if (s->start_ns[call] > first_ns[at]) continue;
        s->marks[call] |= TFP_MARK_LOADS;
        tfp_doubt *row = row_of(x, call, &rows);
        if (!row) break;
        row->count++;
        row->ns = tfp_add(row->ns, s->duration_ns[call], NULL);
    }
    tfp_join_keep(x, ok);
    if (!x->b->status) find_unsteady(x, &rows);
    tfp_map64_free(&names);
    tfp_map64_free(&rows);
    free(first_ns);
}
