// SPDX-License-Identifier: Apache-2.0
/* live/stacks/ranks_looks.c: which ranks move, by several looks at each in a second. */
#include "live/stacks/ranks.h"

#include <ctype.h>

enum { LOOKS_LEAST = 4 }; /* before a loop is told from a step */

/* A hash of a stack's functions: ":LINE:" of each frame is left out. */
static uint64_t functions_of(tfp_str stack)
{
    uint64_t hash = stack.size != 0;
    for (size_t i = 0; i < stack.size;) {
        if (i && stack.data[i - 1] == ':')
            while (i < stack.size && isdigit((unsigned char)stack.data[i])) i++;
        if (i < stack.size) hash = hash * 1099511628211u + (unsigned char)stack.data[i++];
    }
    return hash;
}

void tfp_rank_add_look(tfp_rank_looks *all, const tfp_rank_row *row)
{
    all->inside |= row->collective.size != 0;
    if (all->count < TFP_RANK_LOOKS)
        all->at[all->count++] = (tfp_rank_look){ functions_of(row->stack), row->line, row->stack };
}

/* The look whose functions were seen most often. */
static const tfp_rank_look *most_often(const tfp_rank_looks *all, size_t *times)
{
    const tfp_rank_look *best = NULL;
    *times = 0;
    for (size_t i = 0; i < all->count; i++) {
        size_t n = 0;
        for (size_t k = 0; k < all->count; k++) n += all->at[k].functions == all->at[i].functions;
        if (n > *times) *times = n, best = &all->at[i];
    }
    return best;
}

/* Whether all other ranks of its job stand in a collective. */
static bool others_stand(const tfp_rank_row *rows, size_t count, const tfp_rank_row *row)
{
    size_t others = 0;
    for (const tfp_rank_row *other = rows; other < rows + count; other++) {
        if (other == row || other->job != row->job) continue;
        if (!other->collective.size || other->moved || other->runs) return false;
        others++;
    }
    return others > 0;
}

/* Says which ranks moved. One that others wait for, and whose functions differed in one look only, is in a loop that calls functions from
 * time to time; in an evaluation or a step functions differ more often. */
void tfp_ranks_settle(tfp_rank_row *rows, const tfp_rank_looks *looks, size_t count)
{
    size_t times;
    for (size_t i = 0; i < count; i++)
        if (most_often(&looks[i], &times)) rows[i].moved = looks[i].passed || times < looks[i].count;
    for (size_t i = 0; i < count; i++) {
        const tfp_rank_looks *all = &looks[i];
        const tfp_rank_look *usual = most_often(all, &times);
        bool rarely = !all->inside && all->count >= LOOKS_LEAST && times + 1 >= all->count;
        if (!rows[i].moved || !rarely || !others_stand(rows, count, &rows[i])) continue;
        rows[i].moved = false;
        rows[i].runs = true;
        rows[i].line = usual->line;
        rows[i].stack = usual->stack;
    }
}
