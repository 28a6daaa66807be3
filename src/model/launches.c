// SPDX-License-Identifier: Apache-2.0
/* model/launches.c: builds the table of launches.h in three passes over the numbers: to find their range, to give pages
 * to those that occur, and to insert the calls. */
#include "model/launches.h"

#include "model/tables/compact.h"
#include "model/span_names.h"
#include "model/tables/events.h"
#include "model/tables/lanes.h"
#include "model/tables/profile.h"

#include <stdlib.h>

#define PAGE_BITS 8 /* numbers of a page, as a power of two */
#define PAGE ((size_t)1 << PAGE_BITS)
#define SPREAD 4 /* the table may have this many entries per call */
#define BIG_BIT 31

typedef struct maker {
    const tfp_profile *p;
    const uint32_t *cpu_op_above; /* for each span */
    tfp_launches *l;
    size_t count, used;
    bool ok;
} maker;

static tfp_launch_range *range_of(const tfp_launches *l, uint32_t process, uint32_t number)
{
    return &l->ranges[(size_t)process * 2 + (number >> BIG_BIT)];
}

static uint32_t *page_of(const tfp_launches *l, const tfp_launch_range *r, uint32_t number)
{
    return &l->pages[r->first + (number >> PAGE_BITS) - (r->low >> PAGE_BITS)];
}

static uint64_t key_of(uint32_t process, uint32_t number) { return (uint64_t)process << 32 | number; }

const tfp_launch *tfp_launch_of(const tfp_launches *l, uint32_t process, uint32_t number)
{
    if (!number || !l) return NULL;
    if (!l->paged) {
        uint32_t at = tfp_map64_get(&l->sparse, key_of(process, number));
        return at == TFP_NONE ? NULL : &l->at[at];
    }
    const tfp_launch_range *r = range_of(l, process, number);
    if (number < r->low || number > r->high) return NULL;
    uint32_t page = *page_of(l, r, number);
    if (page == TFP_NONE) return NULL;
    const tfp_launch *found = &l->at[page * PAGE + number % PAGE];
    return found->kind ? found : NULL;
}

int64_t tfp_launch_end(const tfp_profile *p, const tfp_launches *l, const tfp_launch *launch, uint64_t key)
{
    if (tfp_launch_kind(launch) == TFP_LAUNCH_SPAN) return tfp_span_end(&p->events->spans, launch->of);
    if (launch->of != TFP_LAUNCH_LONG) return launch->start_ns + launch->of;
    return l->ends.at[tfp_map64_get(&l->long_by_number, key)];
}

uint8_t tfp_launch_class(const tfp_launches *l, const tfp_launch *launch, uint8_t class)
{
    if (class != TFP_CLASS_COMPUTE) return class;
    if (launch->kind & TFP_LAUNCH_COLLECTIVE) return TFP_CLASS_COMMUNICATION;
    uint32_t kind = tfp_launch_kind(launch);
    return kind == TFP_LAUNCH_SPAN ? class : l->tells[kind];
}

/* ---- going through the calls ---- */

typedef void visitor(maker *m, uint32_t process, uint32_t number);

static void each_number(maker *m, visitor *visit)
{
    const tfp_event_tables *t = m->p->events;
    for (uint32_t i = 0; i < t->spans.size && m->ok; i++) {
        uint32_t process = m->p->lanes->at[t->spans.lane[i]].process;
        if (t->spans.kind[i] == TFP_SPAN_CALL && t->spans.correlation[i] && process < t->processes.size)
            visit(m, process, t->spans.correlation[i]);
    }
    for (size_t i = 0; i < t->compact->lanes.size; i++) {
        const tfp_compact_lane *f = &t->compact->lanes.at[i];
        uint32_t process = m->p->lanes->at[f->lane].process;
        for (size_t k = 0; k < f->calls.size && m->ok; k++)
            if (f->calls.at[k].correlation) visit(m, process, f->calls.at[k].correlation);
    }
}

static void stretch(maker *m, uint32_t process, uint32_t number)
{
    tfp_launch_range *r = range_of(m->l, process, number);
    if (!r->high || number < r->low) r->low = number;
    if (number > r->high) r->high = number;
    m->count++;
}

static void give_page(maker *m, uint32_t process, uint32_t number)
{
    uint32_t *page = page_of(m->l, range_of(m->l, process, number), number);
    if (*page == TFP_NONE) *page = (uint32_t)m->used++;
}

/* Makes the pages, unless the numbers are too far apart. */
static bool make_pages(maker *m)
{
    tfp_launches *l = m->l;
    size_t total = 0, most = m->count * SPREAD;
    for (size_t i = 0; i < m->p->events->processes.size * 2; i++) {
        tfp_launch_range *r = &l->ranges[i];
        r->first = total;
        if (r->high) total += (size_t)(r->high >> PAGE_BITS) - (r->low >> PAGE_BITS) + 1;
    }
    if (total > most) return true;
    l->pages = malloc((total + 1) * sizeof *l->pages);
    if (!l->pages) return false;
    memset(l->pages, 0xff, (total + 1) * sizeof *l->pages); /* TFP_NONE */
    each_number(m, give_page);
    l->paged = (m->used - (m->used > 0)) * PAGE <= most; /* one page is always allowed */
    return true;
}

/* ---- putting them in ---- */

static tfp_launch *place_of(maker *m, uint32_t process, uint32_t number)
{
    tfp_launches *l = m->l;
    if (l->paged) return &l->at[*page_of(l, range_of(l, process, number), number) * PAGE + number % PAGE];
    uint32_t at = tfp_map64_get(&l->sparse, key_of(process, number));
    if (at != TFP_NONE) return &l->at[at];
    m->ok = tfp_map64_put(&l->sparse, key_of(process, number), (uint32_t)m->used);
    return m->ok ? &l->at[m->used++] : NULL;
}

/* Inserts a call. If several calls have the same number, the first to start counts. */
static void put(maker *m, uint32_t process, uint32_t number, tfp_launch call, int64_t end_ns)
{
    tfp_launch *place = place_of(m, process, number);
    if (!place || (place->kind && place->start_ns <= call.start_ns)) return;
    *place = call;
    place->kind |= TFP_LAUNCH_THERE;
    if (tfp_launch_kind(&call) == TFP_LAUNCH_SPAN || call.of != TFP_LAUNCH_LONG) return;
    m->ok = tfp_map64_put(&m->l->long_by_number, key_of(process, number), (uint32_t)m->l->ends.size) &&
            tfp_push(&m->l->ends, end_ns);
}

static void put_spans(maker *m)
{
    const tfp_span_columns *s = &m->p->events->spans;
    for (uint32_t i = 0; i < s->size && m->ok; i++) {
        uint32_t process = m->p->lanes->at[s->lane[i]].process, owner = i;
        if (s->kind[i] != TFP_SPAN_CALL || !s->correlation[i] || process >= m->p->events->processes.size) continue;
        if (m->cpu_op_above && m->cpu_op_above[i] != TFP_NONE) owner = m->cpu_op_above[i];
        bool collective = s->marks[owner] & TFP_MARK_COLLECTIVE;
        tfp_launch call = { s->start_ns[i], i, TFP_LAUNCH_SPAN | (collective ? TFP_LAUNCH_COLLECTIVE : 0) };
        put(m, process, s->correlation[i], call, 0);
        m->l->any |= collective || tfp_class_of_call(tfp_text(m->p, s->name[i])) != TFP_CLASS_COMPUTE;
    }
}

static void put_lane(maker *m, const tfp_compact_lane *f)
{
    const tfp_event_tables *t = m->p->events;
    uint32_t process = m->p->lanes->at[f->lane].process;
    for (tfp_lane_rows r = tfp_lane_rows_of(t, f); r.calls < f->calls.size && m->ok && tfp_lane_rows_next(&r);) {
        if (r.kind->kind != TFP_SPAN_CALL || !r.correlation) continue;
        bool collective = t->compact->kinds.at[f->calls.at[r.calls - 1].owner].marks & TFP_MARK_COLLECTIVE;
        uint32_t of = r.duration_ns < TFP_LAUNCH_LONG ? (uint32_t)r.duration_ns : TFP_LAUNCH_LONG;
        tfp_launch call = { r.start_ns, of, r.kind_at | (collective ? TFP_LAUNCH_COLLECTIVE : 0) };
        put(m, process, r.correlation, call, r.start_ns + r.duration_ns);
        m->l->any |= collective || m->l->tells[r.kind_at] != TFP_CLASS_COMPUTE;
    }
}

static bool find_tells(maker *m)
{
    const tfp_event_tables *t = m->p->events;
    m->l->tells = calloc(t->compact->kinds.size + 1, 1);
    for (size_t i = 0; m->l->tells && i < t->compact->kinds.size; i++)
        if (t->compact->kinds.at[i].kind == TFP_SPAN_CALL)
            m->l->tells[i] = (uint8_t)tfp_class_of_call(tfp_text(m->p, t->compact->kinds.at[i].name));
    return m->l->tells != NULL;
}

static bool fill(maker *m)
{
    const tfp_profile *p = m->p;
    tfp_launches *l = m->l;
    l->ranges = calloc(p->events->processes.size * 2 + 1, sizeof *l->ranges);
    if (!l->ranges || !find_tells(m)) return false;
    each_number(m, stretch);
    if (!make_pages(m)) return false;
    /* fresh pages from the kernel are zero */
    l->at = calloc((l->paged ? m->used * PAGE : m->count) + 1, sizeof *l->at);
    if (!l->at) return false;
    if (!l->paged) m->used = 0;
    put_spans(m);
    for (size_t i = 0; i < p->events->compact->lanes.size && m->ok; i++) put_lane(m, &p->events->compact->lanes.at[i]);
    return m->ok;
}

tfp_launches *tfp_launches_new(const tfp_profile *p, const uint32_t *cpu_op_above)
{
    maker m = { .p = p, .cpu_op_above = cpu_op_above, .l = calloc(1, sizeof *m.l), .ok = true };
    if (m.l && fill(&m)) return m.l;
    tfp_launches_free(m.l);
    return NULL;
}

void tfp_launches_free(tfp_launches *l)
{
    if (!l) return;
    free(l->ranges);
    free(l->pages);
    free(l->at);
    free(l->tells);
    tfp_map64_free(&l->sparse);
    tfp_map64_free(&l->long_by_number);
    tfp_vec_free(&l->ends);
    free(l);
}
