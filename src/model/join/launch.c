// SPDX-License-Identifier: Apache-2.0
/* model/join/launch.c: finds the API call that launched each activity, the op that it belongs to, and its step. */
#include "base/threads.h"
#include "model/join/join.h"
#include "model/span_names.h"
#include "model/tables/profile.h"
#include "query/order.h"

#include <stdlib.h>

/* ---- spans by the number that joins them ---- */

#define PAGE_BITS 8 /* keys of a page, as a power of two */
#define PAGE ((size_t)1 << PAGE_BITS)
#define SPREAD 4 /* a table by number may have this many entries per span */

typedef struct key_range { /* the keys of one process */
    uint32_t low, high;    /* high 0: none */
    size_t first;          /* index in key_index.pages */
} key_range;

/* Finds spans of one kind by process and key. Writers count their keys up, sometimes from distant starting values. So a
 * table indexed by key, of which only pages that contain keys are stored, is nearly always small and is read in the
 * order of the file. In a hash table of a million spans each read would miss the cache. */
typedef struct key_index {
    const uint32_t *keys; /* one for each span */
    unsigned kind;
    bool earliest;     /* if spans share a key, take the first to start; otherwise the first in the file */
    key_range *ranges; /* one for each process */
    uint32_t *pages;   /* page number -> index in at, in pages; TFP_NONE: the page has no key */
    uint32_t *at;      /* NULL: the keys are too far apart for a table */
    tfp_map64 sparse;
} key_index;

/* The page of a key, within its process's range. */
static uint32_t *page_of(const key_index *k, uint32_t process, uint32_t key)
{
    const key_range *r = &k->ranges[process];
    return &k->pages[r->first + (key >> PAGE_BITS) - (r->low >> PAGE_BITS)];
}

static uint32_t index_get(const key_index *k, uint32_t process, uint32_t key)
{
    if (!k->at) return tfp_map64_get(&k->sparse, (uint64_t)process << 32 | key);
    const key_range *r = &k->ranges[process];
    if (key < r->low || key > r->high) return TFP_NONE;
    uint32_t page = *page_of(k, process, key);
    return page == TFP_NONE ? TFP_NONE : k->at[page * PAGE + key % PAGE];
}

static bool index_put(key_index *k, uint32_t process, uint32_t key, uint32_t span)
{
    if (!k->at) return tfp_map64_put(&k->sparse, (uint64_t)process << 32 | key, span);
    k->at[*page_of(k, process, key) * PAGE + key % PAGE] = span;
    return true;
}

static bool is_indexed(const tfp_join *x, const key_index *k, uint32_t i)
{
    return x->t->spans.kind[i] == k->kind && k->keys[i] && tfp_span_process(x, i) < x->t->processes.size;
}

/* The number of pages from the lowest to the highest key, for all processes. */
static size_t find_ranges(const tfp_join *x, key_index *k)
{
    size_t total = 0;
    for (uint32_t i = 0; i < x->count; i++) {
        if (!is_indexed(x, k, i)) continue;
        key_range *r = &k->ranges[tfp_span_process(x, i)];
        if (!r->high || k->keys[i] < r->low) r->low = k->keys[i];
        if (k->keys[i] > r->high) r->high = k->keys[i];
    }
    for (size_t p = 0; p < x->t->processes.size; p++) {
        key_range *r = &k->ranges[p];
        r->first = total;
        if (r->high) total += (size_t)(r->high >> PAGE_BITS) - (r->low >> PAGE_BITS) + 1;
    }
    return total;
}

/* Makes the table indexed by key, unless the keys are too far apart. False: out of memory. */
static bool make_pages(const tfp_join *x, key_index *k)
{
    k->ranges = calloc(x->t->processes.size + 1, sizeof *k->ranges);
    if (!k->ranges) return false;
    size_t total = find_ranges(x, k), used = 0, most = x->count * SPREAD;
    if (total > most) return true;
    k->pages = malloc((total + 1) * sizeof *k->pages);
    if (!k->pages) return false;
    memset(k->pages, 0xff, (total + 1) * sizeof *k->pages); /* TFP_NONE */
    for (uint32_t i = 0; i < x->count; i++) {
        if (!is_indexed(x, k, i)) continue;
        uint32_t *page = page_of(k, tfp_span_process(x, i), k->keys[i]);
        if (*page == TFP_NONE) *page = (uint32_t)used++;
    }
    if ((used - (used > 0)) * PAGE > most) return true; /* one page is always allowed */
    k->at = malloc((used + 1) * PAGE * sizeof *k->at);
    if (k->at) memset(k->at, 0xff, used * PAGE * sizeof *k->at); /* TFP_NONE */
    return k->at != NULL;
}

/* Whether one of the calls is in the other, as the driver's call in the runtime's. */
static bool is_nested(const tfp_span_columns *s, uint32_t a, uint32_t b)
{
    int64_t a_end = tfp_span_end(s, a), b_end = tfp_span_end(s, b);
    return s->lane[a] == s->lane[b] && ((s->start_ns[a] <= s->start_ns[b] && b_end <= a_end) ||
                                        (s->start_ns[b] <= s->start_ns[a] && a_end <= b_end));
}

static bool index_by_key(tfp_join *x, key_index *k)
{
    const tfp_span_columns *s = &x->t->spans;
    if (!make_pages(x, k)) return false;
    for (uint32_t i = 0; i < x->count; i++) {
        if (!is_indexed(x, k, i)) continue;
        uint32_t process = tfp_span_process(x, i), known = index_get(k, process, k->keys[i]), later = i;
        if (known != TFP_NONE && !k->earliest) continue;
        if (known == TFP_NONE || s->start_ns[i] < s->start_ns[known]) {
            if (!index_put(k, process, k->keys[i], i)) return false;
            later = known;
        }
        if (known == TFP_NONE || is_nested(s, known, i)) continue;
        tfp_repeat r = { process, k->keys[i], s->start_ns[later], later, TFP_NONE };
        if (!tfp_push(&x->repeats, r)) return false;
    }
    return true;
}

/* Sorts the repeats, and drops calls inside of others. */
static bool sort_repeats(tfp_join *x, const key_index *k)
{
    static const tfp_sort_key by_number[] = {
        TFP_UP(tfp_repeat, process), TFP_UP(tfp_repeat, number), TFP_UP(tfp_repeat, start_ns), { 0 }
    };
    size_t kept = 0;
    if (!tfp_order_rows(x->repeats.at, sizeof *x->repeats.at, x->repeats.size, by_number)) return false;
    for (size_t i = 0; i < x->repeats.size; i++) {
        tfp_repeat r = x->repeats.at[i];
        const tfp_repeat *last = kept ? &x->repeats.at[kept - 1] : NULL;
        bool same = last && last->process == r.process && last->number == r.number;
        r.first = index_get(k, r.process, r.number);
        if (same ? !is_nested(&x->t->spans, last->call, r.call) : !is_nested(&x->t->spans, r.first, r.call))
            x->repeats.at[kept++] = r;
    }
    x->repeats.size = kept;
    return true;
}

static void index_free(key_index *k)
{
    free(k->ranges);
    free(k->pages);
    free(k->at);
    tfp_map64_free(&k->sparse);
}

/* ---- launches ---- */

struct tfp_join_index {
    key_index calls, ops;
    uint8_t *call_class; /* for each name of a call: what it launches; NULL: all calls launch kernels */
    bool any;            /* there are activities */
};

/* Finds the names of calls that copy or set memory. */
static bool class_calls(const tfp_join *x, tfp_join_index *l)
{
    const tfp_span_columns *s = &x->t->spans;
    uint8_t *known = calloc(x->p->strings.count + 1, 1);
    bool any = false;
    for (size_t i = 0; known && i < x->count; i++) {
        uint8_t *name = &known[s->name[i]];
        if (s->kind[i] != TFP_SPAN_CALL || *name) continue;
        tfp_span_class class = tfp_class_of_call(tfp_text(x->p, s->name[i]));
        *name = (uint8_t)(class + 1);
        any |= class != TFP_CLASS_COMPUTE;
    }
    if (any)
        l->call_class = known;
    else
        free(known);
    return known != NULL;
}

bool tfp_join_index_spans(tfp_join *x)
{
    const tfp_span_columns *s = &x->t->spans;
    tfp_join_index *l = x->index = calloc(1, sizeof *l);
    bool external = false, ok = true;
    if (!l) return false;
    l->calls = (key_index){ .keys = s->correlation, .kind = TFP_SPAN_CALL, .earliest = true };
    l->ops = (key_index){ .keys = s->external, .kind = TFP_SPAN_OP };
    for (size_t i = 0; i < x->count; i++) {
        l->any |= s->kind[i] == TFP_SPAN_ACTIVITY;
        external |= s->kind[i] == TFP_SPAN_ACTIVITY && s->external[i];
    }
    if (l->any && !tfp_only_sums(x->p)) ok = index_by_key(x, &l->calls);
    if (x->repeats.size) ok = ok && sort_repeats(x, &l->calls);
    if (l->any && external) ok = ok && index_by_key(x, &l->ops);
    if (l->any) ok = ok && class_calls(x, l);
    return ok;
}

void tfp_join_index_free(tfp_join *x)
{
    if (!x->index) return;
    index_free(&x->index->calls);
    index_free(&x->index->ops);
    free(x->index->call_class);
    free(x->index);
    x->index = NULL;
}

typedef struct call_found { /* the call of an activity */
    uint32_t span;          /* TFP_NONE: there is none, or it is a compact row */
    bool any, collective;
    int64_t start_ns;
} call_found;

/* Of several calls with one number the last that starts before the activity. */
static uint32_t repeated_call(const tfp_join *x, uint32_t process, uint32_t number, int64_t at_ns, uint32_t first)
{
    const tfp_repeat *all = x->repeats.at;
    size_t later;
    TFP_LOWER_BOUND(later, 0, x->repeats.size,
                    all[later].process < process || (all[later].process == process &&
                                                     (all[later].number < number ||
                                                      (all[later].number == number && all[later].start_ns <= at_ns))));
    bool found = later && all[later - 1].process == process && all[later - 1].number == number;
    return found ? all[later - 1].call : first;
}

static call_found find_call(const tfp_join *x, uint32_t process, uint32_t correlation, int64_t at_ns)
{
    call_found c = { .span = TFP_NONE };
    if (tfp_only_sums(x->p)) {
        const tfp_launch *found = tfp_launch_of(x->t->launches, process, correlation);
        if (!found) return c;
        uint32_t span = tfp_launch_kind(found) == TFP_LAUNCH_SPAN ? found->of : TFP_NONE;
        return (call_found){ span, true, found->kind & TFP_LAUNCH_COLLECTIVE, found->start_ns };
    }
    c.span = correlation ? index_get(&x->index->calls, process, correlation) : TFP_NONE;
    if (c.span == TFP_NONE) return c;
    if (x->repeats.size) c.span = repeated_call(x, process, correlation, at_ns, c.span);
    uint32_t owner = x->cpu_op_above[c.span] == TFP_NONE ? c.span : x->cpu_op_above[c.span];
    return (call_found){ c.span, true, x->t->spans.marks[owner] & TFP_MARK_COLLECTIVE, x->t->spans.start_ns[c.span] };
}

bool tfp_join_launch_start(const tfp_join *x, uint32_t process, uint32_t correlation, int64_t *start_ns)
{
    call_found c = find_call(x, process, correlation, INT64_MIN);
    if (c.any) *start_ns = c.start_ns;
    return c.any;
}

bool tfp_join_map_calls(tfp_join *x)
{
    if (x->t->launches || !tfp_only_sums(x->p)) return true;
    x->t->launches = tfp_launches_new(x->p, x->cpu_op_above);
    return x->t->launches != NULL;
}

static void launch(const tfp_join *x, uint32_t i)
{
    const tfp_join_index *l = x->index;
    tfp_span_columns *s = &x->t->spans;
    uint32_t process = tfp_span_process(x, i);
    call_found call = find_call(x, process, s->correlation[i], s->start_ns[i]);
    s->launch[i] = call.span;
    if (call.span != TFP_NONE)
        s->owner[i] = x->cpu_op_above[call.span] == TFP_NONE ? call.span : x->cpu_op_above[call.span];
    else if (s->external[i] && !call.any)
        s->owner[i] = index_get(&l->ops, process, s->external[i]);
    uint32_t told = s->marks[i] & TFP_MARK_OP_TOLD ? index_get(&l->ops, process, s->external[i]) : TFP_NONE;
    if (told != TFP_NONE) s->owner[i] = told;
    uint32_t owner = s->owner[i];
    bool collective =
        call.any && told == TFP_NONE ? call.collective : owner != TFP_NONE && s->marks[owner] & TFP_MARK_COLLECTIVE;
    if (s->class[i] == TFP_CLASS_COMPUTE && collective) s->class[i] = TFP_CLASS_COMMUNICATION;
    if (s->class[i] == TFP_CLASS_COMPUTE && call.span != TFP_NONE && l->call_class)
        s->class[i] = (uint8_t)(l->call_class[s->name[call.span]] - 1);
    tfp_strid device = x->p->lanes->at[s->lane[i]].device;
    if (tfp_join_has_steps(x, process, device))
        s->step[i] = tfp_join_step_at(x, process, device, s->start_ns[i]);
    else
        s->step[i] = tfp_join_step_at(x, process, 0, call.any ? call.start_ns : s->start_ns[i]);
}

/* Runs in parallel: each activity writes only its own row. */
static void launch_rows(void *ctx, size_t worker, size_t first, size_t end)
{
    const tfp_join *x = ctx;
    (void)worker;
    for (size_t i = first; i < end; i++)
        if (x->t->spans.kind[i] == TFP_SPAN_ACTIVITY && tfp_span_process(x, (uint32_t)i) < x->t->processes.size)
            launch(x, (uint32_t)i);
}

void tfp_join_launches(tfp_join *x)
{
    if (tfp_join_keep(x, tfp_join_map_calls(x)) && x->index->any)
        tfp_rows_run(tfp_rows_threads(x->count), x->count, launch_rows, x);
    free(x->cpu_op_above);
    x->cpu_op_above = NULL;
    tfp_join_index_free(x);
}
