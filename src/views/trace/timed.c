// SPDX-License-Identifier: Apache-2.0
/* views/trace/timed.c: rows of `transfer` for collectives for which only the duration was recorded (NCCL's inspector): sums by
 * rank, kind and group. Neither a device is known nor what ran in parallel. */
#include "model/files/collectives.h"
#include "model/tables/read.h"
#include "query/groups.h"
#include "views/core/handle.h"
#include "views/trace/tables.h"

#include <math.h>

static const tfp_sort_key longest_first[] = { TFP_UP(tfp_transfer_row, rank),
                                              TFP_DOWN(tfp_transfer_row, total_ns),
                                              { 0 } };

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
    const tfp_timed_collective *all = tfp_timed_of(p)->at;
    tfp_groups sums = { .row_size = sizeof **rows };
    for (const tfp_timed_collective *c = all; c < all + tfp_timed_of(p)->size; c++) {
        tfp_transfer_row *to = TFP_GROUP(&sums, (uint64_t)c->rank, c->kind, c->group);
        if (!to) break;
        if (sums.added) *to = row_of(p, c);
        to->count++;
        to->bytes = tfp_add(to->bytes, c->bytes, NULL);
        to->total_ns = tfp_add(to->total_ns, c->duration_ns, NULL);
    }
    *rows = tfp_groups_end(&sums, tfp_arena_of(r), longest_first, count);
    for (tfp_transfer_row *x = *rows; x && x < *rows + *count; x++) {
        x->gbps = x->total_ns ? (double)x->bytes / (double)x->total_ns : NAN;
        x->bus_gbps = x->group_size > 0 ? x->gbps * tfp_bus_factor(x->kind, x->group_size) : NAN;
    }
    return *rows != NULL;
}
