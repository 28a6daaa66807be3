// SPDX-License-Identifier: Apache-2.0
/* whatif/job/step_thread.c: finds the points of the thread of the steps. */
#include "whatif/job/step_thread.h"
#include "model/tables/spans.h"
#include "query/order.h"

/* Collects the spans of each unit's thread of the steps, unit by unit. */
static bool gather(tfp_step_thread *h)
{
    const tfp_job *j = h->j;
    size_t units = j->unit_count;
    h->first = calloc(units + 2, sizeof *h->first);
    uint32_t *at = calloc(units + 1, sizeof *at);
    for (uint32_t i = 0; h->first && i < j->s->size; i++) {
        uint32_t unit = tfp_job_is_host(j, i) ? tfp_job_unit_of(j, i) : TFP_NONE;
        if (unit != TFP_NONE && j->s->lane[i] == j->units[unit].step_lane) h->first[unit + 1]++;
    }
    for (size_t u = 0; h->first && u < units; u++) h->first[u + 1] += h->first[u];
    h->spans = h->first ? malloc(((size_t)h->first[units] + 1) * sizeof *h->spans) : NULL;
    for (uint32_t i = 0; h->spans && at && i < j->s->size; i++) {
        uint32_t unit = tfp_job_is_host(j, i) ? tfp_job_unit_of(j, i) : TFP_NONE;
        if (unit != TFP_NONE && j->s->lane[i] == j->units[unit].step_lane) h->spans[h->first[unit] + at[unit]++] = i;
    }
    bool ok = h->spans && at;
    free(at);
    return ok;
}

bool tfp_step_thread_new(const tfp_job *j, tfp_step_thread *h)
{
    *h = (tfp_step_thread){ .j = j, .closed = calloc(j->s->size + 1, 1) };
    return h->closed && gather(h);
}

void tfp_step_thread_free(tfp_step_thread *h)
{
    free(h->spans);
    free(h->first);
    free(h->closed);
    tfp_vec_free(&h->open);
    tfp_vec_free(&h->points);
}

/* At the same time ends come before starts, except the end of a span without duration; of several starts the longest
 * span comes first. */
static bool is_before(const void *ctx, uint32_t a, uint32_t b)
{
    const tfp_step_thread *h = ctx;
    const tfp_step_point *x = &h->points.at[a], *y = &h->points.at[b];
    const int64_t *ns = h->j->s->duration_ns;
    if (x->at != y->at) return x->at < y->at;
    bool x_ends = x->ends && ns[x->span], y_ends = y->ends && ns[y->span];
    if (x_ends != y_ends) return x_ends;
    if (!x->ends && !y->ends) return ns[x->span] > ns[y->span];
    return false;
}

static bool sort(tfp_step_thread *h)
{
    size_t count = h->points.size;
    uint32_t *order = malloc((count + 1) * sizeof *order);
    tfp_step_point *sorted = malloc((count + 1) * sizeof *sorted);
    bool ok = order && sorted;
    for (uint32_t i = 0; ok && i < count; i++) order[i] = i;
    ok = ok && tfp_sort(order, count, is_before, h);
    for (size_t i = 0; ok && i < count; i++) sorted[i] = h->points.at[order[i]];
    if (ok && count) memcpy(h->points.at, sorted, count * sizeof *sorted);
    free(order);
    free(sorted);
    return ok;
}

/* Removes ended spans from the stack of open spans. */
static void close_span(tfp_step_thread *h, uint32_t span)
{
    h->closed[span] = true;
    while (h->open.size && h->closed[h->open.at[h->open.size - 1]]) h->open.size--;
}

static bool tell_open(tfp_step_thread *h)
{
    int64_t ops = 0;
    bool ok = true;
    h->open.size = 0;
    for (size_t i = 0; ok && i < h->points.size; i++) {
        tfp_step_point *p = &h->points.at[i];
        if (tfp_is_host_op(h->j->s->kind[p->span])) ops += p->ends ? -1 : 1;
        if (p->ends)
            close_span(h, p->span);
        else
            ok = tfp_push(&h->open, p->span);
        p->around = h->open.size ? h->open.at[h->open.size - 1] : TFP_NONE;
        p->in_op = ops > 0;
    }
    return ok;
}

bool tfp_step_thread_read(tfp_step_thread *h, uint32_t unit)
{
    const tfp_span_columns *s = h->j->s;
    h->points.size = 0;
    for (uint32_t i = h->first[unit]; i < h->first[unit + 1]; i++) {
        uint32_t span = h->spans[i];
        if (!tfp_push(&h->points, ((tfp_step_point){ s->start_ns[span], span, TFP_NONE, false, false })) ||
            !tfp_push(&h->points, ((tfp_step_point){ tfp_span_end(s, span), span, TFP_NONE, true, false })))
            return false;
    }
    return sort(h) && tell_open(h);
}

size_t tfp_step_thread_until(const tfp_step_thread *h, int64_t at)
{
    size_t later;
    TFP_LOWER_BOUND(later, 0, h->points.size, h->points.at[later].at <= at);
    return later;
}
