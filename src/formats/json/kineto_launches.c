// SPDX-License-Identifier: Apache-2.0
/* formats/json/kineto_launches.c: finds the launches of activities that have no correlation, as PyTorch on ROCm, RPD and
 * PyTorch's first profiler write them. First the arrow (of any category) that ends at the activity tells the call in
 * which it begins, otherwise the operator; then a call with the same `External id` is the launch, because that number may
 * be the launch's own, and not the operator's. A found call and its activities get one correlation, by which the join
 * finds them. Files whose activities all have a correlation pay for the stored arrows only. */
#include "formats/json/kineto.h"
#include "model/event_builder.h"
#include "model/span_names.h"
#include "model/tables/events.h"
#include "model/tables/lanes.h"
#include "model/tables/profile.h"

#include <stdlib.h>

#define OWN_NUMBERS (UINT64_C(3) << 62) /* numbers that are in no file; kineto_flows.c has others */
#define NEAR_NS 1000                    /* an arrow may end this long before its activity begins: files round times */

void tfp_kineto_keep_arrow(tfp_kineto_reader *r, tfp_kineto_slot *s, const tfp_kineto_row *x)
{
    tfp_str category = s->words.strings.strings[x->category];
    tfp_kineto_arrow a = { .id = x->correlation,
                           .at_ns = x->start_ns,
                           .place = tfp_kineto_place(r, s, x->lane),
                           .category = (uint32_t)tfp_hash(category.data, category.size),
                           .begins = x->phase == 's' };
    if (a.place != TFP_NONE) tfp_build_keep(r->b, tfp_push(&r->links.arrows, a));
}

/* ---- spans at the ends of arrows ---- */

typedef struct point { /* the begin of a span, or an end of an arrow */
    int64_t at_ns, end_ns;
    uint32_t lane, of; /* of: index in spans, or in arrows */
    bool is_arrow;
} point;
typedef TFP_VEC(point) points;

typedef struct finder {
    tfp_kineto_reader *r;
    tfp_span_columns *s;
    uint32_t *process; /* for each arrow's end: its rank's process; TFP_NONE: none */
    uint32_t *span;    /* for each arrow's end: the call, operator or activity there; TFP_NONE: none */
    uint32_t *first;   /* for each arrow's end: the first one in the file with its process, category and id */
    uint8_t *wanted;   /* for each lane of the profile: whether an arrow begins (1) or ends (2) there */
    uint8_t *joined;   /* for each span: whether it is an activity whose launch was found */
    points at;
} finder;

/* Longer spans first, so that the innermost of those that start together comes last; then the arrows. */
static int by_place(const void *a, const void *b)
{
    const point *x = a, *y = b;
    if (x->lane != y->lane) return x->lane < y->lane ? -1 : 1;
    if (x->at_ns != y->at_ns) return x->at_ns < y->at_ns ? -1 : 1;
    if (x->is_arrow != y->is_arrow) return x->is_arrow ? 1 : -1;
    if (x->end_ns != y->end_ns) return x->end_ns > y->end_ns ? -1 : 1;
    return x->of < y->of ? -1 : x->of > y->of;
}

/* The lane at an end of an arrow: a thread where it begins, a stream where it ends. */
static uint32_t lane_of(const finder *f, const tfp_kineto_arrow *a)
{
    return a->begins ? f->r->lanes.of.at[a->place] : tfp_kineto_stream_at(f->r, a->place);
}

static bool is_wanted(const finder *f, uint32_t span)
{
    uint8_t wanted = f->wanted[f->s->lane[span]];
    return f->s->kind[span] == TFP_SPAN_ACTIVITY ? wanted & 2 : wanted & 1 && tfp_is_host_op(f->s->kind[span]);
}

/* Lists the ends of arrows, and the spans on their lanes. */
static bool find_points(finder *f)
{
    const tfp_kineto_reader *r = f->r;
    for (uint32_t i = 0; i < r->links.arrows.size; i++) {
        const tfp_kineto_arrow *a = &r->links.arrows.at[i];
        point p = { a->at_ns, a->at_ns, lane_of(f, a), i, true };
        f->span[i] = f->process[i] = TFP_NONE;
        if (p.lane == TFP_NONE) continue;
        f->process[i] = r->b->p->lanes->at[p.lane].process;
        f->wanted[p.lane] |= a->begins ? 1 : 2;
        if (!tfp_push(&f->at, p)) return false;
    }
    for (uint32_t i = (uint32_t)r->first_span; i < f->s->size; i++) {
        point p = { f->s->start_ns[i], tfp_span_end(f->s, i), f->s->lane[i], i, false };
        if (is_wanted(f, i) && !tfp_push(&f->at, p)) return false;
    }
    if (f->at.size) qsort(f->at.at, f->at.size, sizeof *f->at.at, by_place);
    return true;
}

/* Spans that have begun on a lane and, as far as known, not ended: the last one is the innermost. */
typedef TFP_VEC(uint32_t) begun;

static uint32_t innermost(const finder *f, begun *spans, int64_t at_ns)
{
    while (spans->size && tfp_span_end(f->s, spans->at[spans->size - 1]) < at_ns) spans->size--;
    return spans->size ? spans->at[spans->size - 1] : TFP_NONE;
}

/* Gives the activity to the arrows that end shortly before it, and in no other. */
static void find_before(finder *f, const point *p)
{
    for (const point *a = p - 1; a >= f->at.at && a->is_arrow && a->lane == p->lane; a--)
        if (f->span[a->of] == TFP_NONE && p->at_ns - a->at_ns <= NEAR_NS && !f->r->links.arrows.at[a->of].begins)
            f->span[a->of] = p->of;
}

/* Finds the call, otherwise the operator, in which each arrow begins, and the activity at which it ends. */
static bool find_spans(finder *f)
{
    begun calls = { 0 }, others = { 0 };
    bool ok = true;
    for (size_t i = 0; ok && i < f->at.size; i++) {
        const point *p = &f->at.at[i];
        if (i && p->lane != f->at.at[i - 1].lane) calls.size = others.size = 0;
        if (!p->is_arrow) {
            ok = f->s->kind[p->of] == TFP_SPAN_CALL ? tfp_push(&calls, p->of) : tfp_push(&others, p->of);
            find_before(f, p);
            continue;
        }
        uint32_t call = innermost(f, &calls, p->at_ns), other = innermost(f, &others, p->at_ns);
        f->span[p->of] = call != TFP_NONE ? call : other;
    }
    tfp_vec_free(&calls);
    tfp_vec_free(&others);
    return ok;
}

/* ---- launches ---- */

static void join(finder *f, uint32_t from, uint32_t activity)
{
    tfp_builder *b = f->r->b;
    if (f->s->kind[from] == TFP_SPAN_CALL) {
        if (!f->s->correlation[from]) f->s->correlation[from] = tfp_build_key(b, f->r->process, 0, OWN_NUMBERS | from);
        f->s->correlation[activity] = f->s->correlation[from];
    } else {
        if (!f->s->external[from]) f->s->external[from] = tfp_build_key(b, f->r->process, 0, OWN_NUMBERS | from);
        f->s->external[activity] = f->s->external[from];
        f->s->marks[activity] |= TFP_MARK_OP_TOLD;
    }
    f->joined[activity] = 1;
}

static bool has_launch(const finder *f, uint32_t activity)
{
    bool numbered = f->s->correlation[activity] && f->r->links.numbered_calls;
    return numbered || f->joined[activity] || f->s->marks[activity] & TFP_MARK_OP_TOLD;
}

/* Ids that are texts, and categories, are hashed with another seed in each process: only equality counts. */
static bool by_id(const void *ctx, uint32_t a, uint32_t b)
{
    const finder *f = ctx;
    const tfp_kineto_arrow *x = &f->r->links.arrows.at[a], *y = &f->r->links.arrows.at[b];
    if (f->process[a] != f->process[b]) return f->process[a] < f->process[b];
    if (x->category != y->category) return x->category < y->category;
    return x->id != y->id ? x->id < y->id : a < b;
}

static bool same_id(const finder *f, uint32_t a, uint32_t b)
{
    const tfp_kineto_arrow *x = &f->r->links.arrows.at[a], *y = &f->r->links.arrows.at[b];
    return f->process[a] == f->process[b] && x->category == y->category && x->id == y->id;
}

/* Arrows that belong together follow each other in the order of time, the first one of the file first. */
static bool comes_before(const void *ctx, uint32_t a, uint32_t b)
{
    const finder *f = ctx;
    const tfp_kineto_arrow *x = &f->r->links.arrows.at[a], *y = &f->r->links.arrows.at[b];
    if (f->first[a] != f->first[b]) return f->first[a] < f->first[b];
    if (x->at_ns != y->at_ns) return x->at_ns < y->at_ns;
    return x->begins != y->begins ? x->begins : a < b;
}

static bool sort_arrows(finder *f, uint32_t *order)
{
    size_t count = f->r->links.arrows.size;
    for (size_t i = 0; i < count; i++) order[i] = (uint32_t)i;
    if (!tfp_sort(order, count, by_id, f)) return false;
    for (size_t i = 0, begin = 0; i < count; i++) {
        if (!same_id(f, order[begin], order[i])) begin = i;
        f->first[order[i]] = order[begin];
    }
    return tfp_sort(order, count, comes_before, f);
}

/* Joins the ends of each arrow. A number may come again later: an end belongs to the last begin before it, or, when the
 * device's clock is behind, to the first one. */
static int64_t join_arrows(finder *f, uint32_t *order)
{
    const tfp_kineto_arrow *arrows = f->r->links.arrows.at;
    size_t count = f->r->links.arrows.size, begin = 0;
    int64_t joined = 0;
    if (!tfp_build_keep(f->r->b, sort_arrows(f, order))) return 0;
    for (size_t i = 0; i < count; i = begin) {
        uint32_t from = TFP_NONE;
        for (begin = i; begin < count && f->first[order[i]] == f->first[order[begin]]; begin++)
            if (from == TFP_NONE && arrows[order[begin]].begins) from = order[begin];
        for (size_t k = i; k < begin && from != TFP_NONE; k++) {
            uint32_t at = order[k], span = f->span[at];
            if (arrows[at].begins) from = at;
            if (arrows[at].begins || span == TFP_NONE || f->span[from] == TFP_NONE || has_launch(f, span)) continue;
            if (f->s->kind[span] != TFP_SPAN_ACTIVITY || f->s->kind[f->span[from]] == TFP_SPAN_ACTIVITY) continue;
            join(f, f->span[from], span);
            joined++;
        }
    }
    return joined;
}

/* ---- by `External id` ---- */

#define NO_LAUNCH UINT32_MAX /* above all classes */

typedef struct named { /* a call or an activity with an `External id` */
    uint64_t id;       /* process << 32 | id */
    uint32_t class;    /* of the activity, or of what the call launches */
    uint32_t span;
    int64_t at_ns;
} named;
typedef TFP_VEC(named) names;

static int by_name(const void *a, const void *b)
{
    const named *x = a, *y = b;
    if (x->id != y->id) return x->id < y->id ? -1 : 1;
    if (x->class != y->class) return x->class < y->class ? -1 : 1;
    if (x->at_ns != y->at_ns) return x->at_ns < y->at_ns ? -1 : 1;
    return x->span < y->span ? -1 : x->span > y->span;
}

static uint32_t class_of(const finder *f, uint32_t span)
{
    if (f->s->kind[span] == TFP_SPAN_ACTIVITY)
        return f->s->class[span] == TFP_CLASS_COMMUNICATION ? TFP_CLASS_COMPUTE : f->s->class[span];
    tfp_str name = tfp_text(f->r->b->p, f->s->name[span]);
    tfp_span_class class = tfp_class_of_call(name);
    tfp_call_meaning means = tfp_call_means(name);
    bool launches = means == TFP_CALL_LAUNCHES || means == TFP_CALL_REPLAYS || class != TFP_CLASS_COMPUTE;
    return launches ? class : NO_LAUNCH;
}

/* Lists the calls, and the activities without a launch. */
static bool list_names(const finder *f, names *calls, names *activities)
{
    uint32_t none = tfp_build_key(f->r->b, f->r->process, 0, 0);
    bool ok = true;
    for (uint32_t i = (uint32_t)f->r->first_span; ok && i < f->s->size; i++) {
        bool call = f->s->kind[i] == TFP_SPAN_CALL, activity = f->s->kind[i] == TFP_SPAN_ACTIVITY;
        if (!f->s->external[i] || f->s->external[i] == none || !(call || (activity && !has_launch(f, i)))) continue;
        uint64_t process = f->r->b->p->lanes->at[f->s->lane[i]].process;
        named n = { process << 32 | f->s->external[i], class_of(f, i), i, f->s->start_ns[i] };
        ok = tfp_push(call ? calls : activities, n);
    }
    if (calls->size) qsort(calls->at, calls->size, sizeof *calls->at, by_name);
    if (activities->size) qsort(activities->at, activities->size, sizeof *activities->at, by_name);
    return ok;
}

/* Of the calls [*first, *end) with one id, those that launch such an activity; otherwise those that launch any,
 * otherwise all. */
static void narrow(const names *calls, uint32_t class, size_t *first, size_t *end)
{
    size_t low, high, launching;
    TFP_LOWER_BOUND(low, *first, *end, calls->at[low].class < class);
    TFP_LOWER_BOUND(high, *first, *end, calls->at[high].class <= class);
    TFP_LOWER_BOUND(launching, *first, *end, calls->at[launching].class < NO_LAUNCH);
    if (low < high)
        *first = low, *end = high;
    else if (launching > *first)
        *end = launching;
}

/* Joins the activities of an id with the calls of that id, in the order of time: where the id is the operator's, which
 * launches several, there are as many of both. */
static int64_t join_externals(finder *f)
{
    names calls = { 0 }, activities = { 0 };
    int64_t joined = 0;
    size_t c = 0, last = 0;
    bool ok = tfp_build_keep(f->r->b, list_names(f, &calls, &activities));
    for (size_t i = 0, end; ok && i < activities.size; i = end) {
        const named *a = &activities.at[i];
        while (c < calls.size && calls.at[c].id < a->id) c++;
        for (last = last < c ? c : last; last < calls.size && calls.at[last].id == a->id;) last++;
        size_t first = c, until = last;
        if (first < until) narrow(&calls, a->class, &first, &until);
        for (end = i; end < activities.size && activities.at[end].id == a->id && activities.at[end].class == a->class;
             end++) {
            if (first == until) continue;
            size_t at = first + (end - i);
            join(f, calls.at[at < until ? at : until - 1].span, activities.at[end].span);
            joined++;
        }
    }
    tfp_vec_free(&calls);
    tfp_vec_free(&activities);
    return joined;
}

void tfp_kineto_join_launches(tfp_kineto_reader *r)
{
    const tfp_kineto_links *l = &r->links;
    bool all = l->numbered_calls && !l->unnumbered;
    if (!l->activities || all || r->b->status) return;
    finder f = { .r = r, .s = &r->b->p->events->spans };
    uint32_t *order = malloc((l->arrows.size + 1) * sizeof *order);
    f.span = malloc((l->arrows.size + 1) * sizeof *f.span);
    f.first = malloc((l->arrows.size + 1) * sizeof *f.first);
    f.process = malloc((l->arrows.size + 1) * sizeof *f.process);
    f.wanted = calloc(r->b->p->lanes->size + 1, 1);
    f.joined = calloc(f.s->size + 1, 1);
    tfp_kineto_list_streams(r);
    bool ok = order && f.span && f.first && f.process && f.wanted && f.joined && find_points(&f) && find_spans(&f);
    tfp_build_keep(r->b, ok);
    int64_t by_arrow = ok ? join_arrows(&f, order) : 0, by_number = ok ? join_externals(&f) : 0;
    tfp_vec_free(&f.at);
    free(f.span);
    free(f.first);
    free(f.process);
    free(f.wanted);
    free(f.joined);
    free(order);
    if (by_arrow)
        tfp_build_data_finding(r->b, "info", "activities without a correlation: arrows tell their launches", by_arrow,
                               TFP_STR(""));
    if (by_number)
        tfp_build_data_finding(r->b, "info", "activities without a correlation: `External id` tells their launches",
                               by_number, TFP_STR(""));
}
