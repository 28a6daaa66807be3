// SPDX-License-Identifier: Apache-2.0
/* model/join/loading.c: finds launches that take long because they load the code of a kernel: no kernel of that name was
 * launched before in the process (lazy loading of modules; libraries that search for the fastest kernel do it then, too).
 * Also compilers and searches for kernels at the start of the program. */
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

typedef struct loader {
    tfp_join *x;
    tfp_span_columns *s;
    tfp_map64 rows; /* process, step and kind -> row */
} loader;

static uint64_t key_of(uint32_t process, uint32_t step, tfp_doubt_kind kind)
{
    return (uint64_t)(process << 1 | (kind == TFP_DOUBT_COMPILING)) << 32 | step;
}

static tfp_doubt *row_at(const loader *l, uint32_t process, uint32_t step, tfp_doubt_kind kind)
{
    uint32_t at = tfp_map64_get(&l->rows, key_of(process, step, kind));
    return at == TFP_NONE ? NULL : &l->x->t->doubts.at[at];
}

/* Adds a span to the row of its step. False: out of memory. */
static bool add(loader *l, tfp_doubt_kind kind, uint32_t span)
{
    uint32_t process = tfp_span_process(l->x, span), step = l->s->step[span];
    tfp_event_tables *t = l->x->t;
    if (!row_at(l, process, step, kind)) {
        tfp_doubt row = { .kind = kind, .process = process, .step = step, .name = l->s->name[span] };
        if (!tfp_map64_put(&l->rows, key_of(process, step, kind), (uint32_t)t->doubts.size) ||
            !tfp_push(&t->doubts, row))
            return false;
    }
    tfp_doubt *row = row_at(l, process, step, kind);
    row->count++;
    row->ns = tfp_add(row->ns, l->s->duration_ns[span], NULL);
    l->s->marks[span] |= TFP_MARK_LOADS;
    return true;
}

/* ---- compilers ---- */

static bool comes_before(const void *ctx, uint32_t a, uint32_t b)
{
    const tfp_span_columns *s = ctx;
    if (s->lane[a] != s->lane[b]) return s->lane[a] < s->lane[b];
    return s->start_ns[a] != s->start_ns[b] ? s->start_ns[a] < s->start_ns[b] : s->duration_ns[a] > s->duration_ns[b];
}

/* Keeps the spans that are in no other one. False: out of memory. */
static bool keep_outermost(const loader *l, tfp_waits *spans)
{
    size_t kept = 0;
    if (spans->size && !tfp_sort(spans->at, spans->size, comes_before, l->s)) return false;
    for (size_t i = 0; i < spans->size; i++) {
        uint32_t span = spans->at[i], last = kept ? spans->at[kept - 1] : TFP_NONE;
        bool inside =
            last != TFP_NONE && l->s->lane[last] == l->s->lane[span] && l->s->start_ns[span] < tfp_span_end(l->s, last);
        if (!inside) spans->at[kept++] = span;
    }
    spans->size = kept;
    return true;
}

/* Whether a call is in one of the spans, which are sorted and disjoint. */
static bool is_inside(const loader *l, const tfp_waits *spans, uint32_t call)
{
    size_t low = 0, high = spans->size;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (comes_before(l->s, call, spans->at[middle]))
            high = middle;
        else
            low = middle + 1;
    }
    uint32_t span = low ? spans->at[low - 1] : TFP_NONE;
    return span != TFP_NONE && l->s->lane[span] == l->s->lane[call] && l->s->start_ns[call] < tfp_span_end(l->s, span);
}

static bool find_loading(loader *l, const tfp_waits *slow, const tfp_waits *compilers)
{
    tfp_span_columns *s = l->s;
    tfp_map64 names = { 0 };
    int64_t *first_ns = malloc((slow->size + 1) * sizeof *first_ns);
    bool ok = first_ns && find_firsts(l->x, slow, &names, first_ns);
    for (size_t i = 0; ok && i < slow->size; i++) {
        uint32_t call = s->launch[slow->at[i]],
                 at = tfp_map64_get(&names, tfp_in_process(l->x, slow->at[i], s->name[slow->at[i]]));
        if (s->start_ns[call] <= first_ns[at] && !(s->marks[call] & TFP_MARK_LOADS) && !is_inside(l, compilers, call))
            ok = add(l, TFP_DOUBT_LOADING, call);
    }
    tfp_map64_free(&names);
    free(first_ns);
    return ok;
}

static int64_t ns_of(const tfp_doubt *d) { return d ? d->ns : 0; }

static int64_t length_of(const tfp_step_window *w) { return tfp_add(w->end_ns, -w->start_ns, NULL); }

/* Index of the first window of the same process, from `first` on, of which at most half is loading and compiling; `end`: there
 * is none. */
static size_t first_steady(const loader *l, size_t first, size_t end)
{
    const tfp_step_window *w = l->x->t->windows.at;
    size_t i = first;
    while (i < end &&
           tfp_add(ns_of(row_at(l, w[i].process, w[i].step, TFP_DOUBT_LOADING)),
                   ns_of(row_at(l, w[i].process, w[i].step, TFP_DOUBT_COMPILING)), NULL) > length_of(&w[i]) / 2)
        i++;
    return i;
}

/* Notes the steps of which over half is loading and compiling. Only compilers before the first other step count: a program
 * that compiles in all steps, or again later, pays for it. */
static void find_unsteady(loader *l)
{
    const tfp_event_tables *t = l->x->t;
    for (size_t i = 0, end; i < t->windows.size; i = end) {
        for (end = i + 1; end < t->windows.size && t->windows.at[end].process == t->windows.at[i].process;) end++;
        bool whole = t->processes.at[t->windows.at[i].process].steps == TFP_STEPS_NONE;
        size_t steady = first_steady(l, i, end);
        if (steady == end && !whole) steady = i;
        for (size_t k = i; k < end; k++) {
            const tfp_step_window *w = &t->windows.at[k];
            tfp_doubt *loads = row_at(l, w->process, w->step, TFP_DOUBT_LOADING),
                      *compiles = row_at(l, w->process, w->step, TFP_DOUBT_COMPILING);
            if (compiles && k >= steady && !whole) compiles->count = compiles->ns = 0;
            bool unsteady = tfp_add(ns_of(loads), ns_of(compiles), NULL) > length_of(w) / 2;
            if (loads) loads->of = unsteady;
            if (compiles) compiles->of = unsteady;
        }
    }
}

/* Forgets the marks of what compiles in steps that are steady, and rows without anything. */
static void drop_steady(loader *l, const tfp_waits *compilers)
{
    tfp_event_tables *t = l->x->t;
    size_t kept = 0;
    for (size_t i = 0; i < compilers->size; i++) {
        uint32_t span = compilers->at[i];
        const tfp_doubt *row = row_at(l, tfp_span_process(l->x, span), l->s->step[span], TFP_DOUBT_COMPILING);
        if (row && !row->count) l->s->marks[span] &= (uint8_t)~TFP_MARK_LOADS;
    }
    for (size_t i = 0; i < t->doubts.size; i++)
        if (t->doubts.at[i].kind != TFP_DOUBT_COMPILING || t->doubts.at[i].count)
            t->doubts.at[kept++] = t->doubts.at[i];
    t->doubts.size = kept;
}

void tfp_doubt_loading(tfp_join *x, const tfp_waits *slow, tfp_waits *compilers)
{
    loader l = { .x = x, .s = &x->t->spans };
    bool ok = keep_outermost(&l, compilers);
    for (size_t i = 0; ok && i < compilers->size; i++) ok = add(&l, TFP_DOUBT_COMPILING, compilers->at[i]);
    ok = ok && find_loading(&l, slow, compilers);
    if (ok) find_unsteady(&l);
    if (ok) drop_steady(&l, compilers);
    tfp_join_keep(x, ok);
    tfp_map64_free(&l.rows);
}
