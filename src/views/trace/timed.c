// SPDX-License-Identifier: Apache-2.0
/* views/trace/timed.c: rows of `transfer` for collectives for which only the duration was recorded (NCCL's inspector): sums by
 * rank, kind and group. Neither a device is known nor what ran in parallel. */
#include "model/files/collectives.h"
#include "model/tables/read.h"
#include "views/core/handle.h"
#include "views/trace/tables.h"

#include <math.h>

/* Sorts equal keys next to each other. */
static bool goes_before(const void *rows, uint32_t a, uint32_t b)
{
    const tfp_timed_collective *x = (const tfp_timed_collective *)rows + a, *y = (const tfp_timed_collective *)rows + b;
    if (x->rank != y->rank) return x->rank < y->rank;
    if (x->kind != y->kind) return x->kind < y->kind;
    return x->group < y->group;
}

static bool by_time(const void *rows, uint32_t a, uint32_t b)
{
    const tfp_transfer_row *x = (const tfp_transfer_row *)rows + a, *y = (const tfp_transfer_row *)rows + b;
    return x->rank != y->rank ? x->rank < y->rank : x->total_ns > y->total_ns;
}

static tfp_transfer_row row_of(const tfp_profile *p, const tfp_timed_collective *c)
{
    return (tfp_transfer_row){ .rank = c->rank,
                               .kind = tfp_text(p, c->kind),
                               .group = tfp_text(p, c->group),
                               .group_size = c->group_size < 0 ? TFP_ABSENT : c->group_size,
                               .overlapped_ns = TFP_ABSENT,
                               .exposed_ns = TFP_ABSENT,
                               .share = NAN };
}

bool tfp_timed_rows(tfp_report *r, tfp_transfer_row **rows, size_t *count)
{
    const tfp_profile *p = tfp_profile_of(r);
    size_t n = tfp_timed_of(p)->size;
    uint32_t *order = TFP_NEW(tfp_arena_of(r), uint32_t, n + 1);
    tfp_transfer_row *sums = TFP_NEW(tfp_arena_of(r), tfp_transfer_row, n + 1);
    *count = 0;
    if (!order || !sums) return false;
    for (size_t i = 0; i < n; i++) order[i] = (uint32_t)i;
    if (!tfp_sort(order, (uint32_t)n, goes_before, tfp_timed_of(p)->at)) return false;
    for (size_t i = 0; i < n; i++) {
        const tfp_timed_collective *c = &tfp_timed_of(p)->at[order[i]];
        if (!i || goes_before(tfp_timed_of(p)->at, order[i - 1], order[i])) sums[(*count)++] = row_of(p, c);
        tfp_transfer_row *to = &sums[*count - 1];
        to->count++;
        to->bytes = tfp_add(to->bytes, c->bytes, NULL);
        to->total_ns = tfp_add(to->total_ns, c->duration_ns, NULL);
    }
    for (size_t i = 0; i < *count; i++) {
        tfp_transfer_row *x = &sums[i];
        x->gbps = x->total_ns ? (double)x->bytes / (double)x->total_ns : NAN;
        x->bus_gbps = x->group_size > 0 ? x->gbps * tfp_bus_factor(x->kind, x->group_size) : NAN;
    }
    *rows = tfp_rows_sorted(tfp_arena_of(r), sums, sizeof *sums, *count, by_time);
    return *rows != NULL;
}
