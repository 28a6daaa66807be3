// SPDX-License-Identifier: Apache-2.0
/* views/hang/hang.h: process groups over all dumps of a job, and what the first collective that does not end shows about
 * each. */
#ifndef TFP_HANG_H
#define TFP_HANG_H

#include "model/tables/types.h"
#include "views/core/grid.h"

typedef struct hang_member {
    int64_t rank;
    uint32_t dump;       /* index in the profile's dumps; TFP_NONE: none */
    int64_t first, last; /* numbers of its first and last collective in this group; -1: none */
} hang_member;

typedef struct hang_group { /* a group: a name and its members */
    tfp_str name, about;
    hang_member *members; /* sorted by rank */
    size_t member_count, with_dump;
    const uint32_t *entries; /* indexes in the profile's entries, sorted by number and rank */
    size_t entry_count;
} hang_group;

typedef struct hang_row {
    tfp_str finding, group, about, collective, ranks, others, have, want, state, line, cause;
    int64_t sequence; /* TFP_ABSENT: none */
    size_t group_at;
    int64_t *who, *waiting; /* the ranks of both lists, sorted, ended by -1 */
} hang_row;

typedef struct hang {
    tfp_report *r;
    hang_group *groups;
    size_t group_count, compared; /* compared: number of collectives in all groups */
    uint32_t *group_of;           /* for each entry: index in groups */
    uint32_t *last_of_dump;       /* for each dump: its last entry, in any group; TFP_NONE: none */
    TFP_VEC(hang_row) rows;
} hang;

bool hang_groups_of(hang *h);                        /* false: out of memory */
bool hang_find(hang *h);                             /* adds the rows; false: out of memory */
int64_t hang_rank_of(const hang *h, uint32_t entry); /* the rank of an entry's dump */

#endif
