// SPDX-License-Identifier: Apache-2.0
/* views/hang/hang.h: process groups over all dumps of a job, and what the first collective that does not end tells of each. */
#ifndef TFP_HANG_H
#define TFP_HANG_H

#include "model/tables/types.h"
#include "views/core/grid.h"

typedef struct hang_member {
    int64_t rank;
    uint32_t dump; /* -> the profile's dumps; TFP_NONE: there is none */
    int64_t first, last; /* of its collectives in this group: numbers; -1: none */
} hang_member;

typedef struct hang_group { /* a name and its members */
    tfp_str name, about;
    hang_member *members; /* by rank */
    size_t member_count, with_dump;
    const uint32_t *entries; /* -> the profile's entries, by number and rank */
    size_t entry_count;
} hang_group;

typedef struct hang_row {
    tfp_str finding, group, about, collective, ranks, others, have, want, state, line, cause;
    int64_t sequence; /* TFP_ABSENT: of none */
    size_t group_at;
    int64_t *who, *waiting; /* the ranks of both lists in order, ended by -1 */
} hang_row;

typedef struct hang {
    tfp_report *r;
    hang_group *groups;
    size_t group_count, compared; /* compared: collectives of all groups */
    uint32_t *group_of;           /* by entry -> groups */
    uint32_t *last_of_dump;       /* its last entry, in whichever group; TFP_NONE: none */
    TFP_VEC(hang_row) rows;
} hang;

bool hang_groups_of(hang *h);                   /* false without memory */
bool hang_find(hang *h);                        /* adds the rows; the same */
tfp_str hang_text(hang *h, tfp_buf *b);         /* a copy in the report's arena; frees the buffer */
int64_t hang_rank_of(const hang *h, uint32_t entry); /* of an entry's dump */

#endif
