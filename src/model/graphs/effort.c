// SPDX-License-Identifier: Apache-2.0
/* model/graphs/effort.c: how much the matching may compare. Real traces stay far below the limit: a server of 70 batch sizes and 60 pieces of
 * a model compares some millions. */
#include "model/graphs/parts.h"

#define LEAST (UINT64_C(4) << 20)
enum { EACH = 64 }; /* comparisons for a captured launch and a replayed activity */

tfp_effort tfp_effort_of(const tfp_graph_tables *g, const tfp_replays *r)
{
    return (tfp_effort){ .left = LEAST + EACH * ((uint64_t)g->launches.size + r->count) };
}

bool tfp_effort_take(tfp_effort *e, uint64_t comparisons)
{
    if (e->spent || comparisons > e->left) e->spent = true;
    if (!e->spent) e->left -= comparisons;
    return !e->spent;
}
