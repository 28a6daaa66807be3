// SPDX-License-Identifier: Apache-2.0
/* views/hang/hang.h: process groups over all dumps of a job, and what the first collective that does not end shows about
 * each. */
#ifndef TFP_HANG_H
#define TFP_HANG_H

#include "model/tables/types.h"
#include "views/core/grid.h"

typedef TFP_VEC(int64_t) hang_ranks;

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
    bool known; /* its members are known; otherwise they are the ranks with entries */
} hang_group;

typedef struct hang_row {
    tfp_str finding, group, about, collective, ranks, others, have, want, state, line, cause;
    int64_t sequence; /* TFP_ABSENT: none */
    size_t group_at;
    int64_t *who, *waiting; /* the ranks of both lists, sorted, ended by -1 */
    size_t cause_at;        /* index of the row in which these ranks wait; SIZE_MAX: none */
    bool in_circle;         /* its causes lead back to it */
    bool has_cause;         /* set when rows are sorted */
} hang_row;

typedef struct hang {
    tfp_report *r;
    hang_group *groups;
    size_t group_count, compared; /* compared: number of collectives in all groups */
    uint32_t *group_of;           /* for each entry: index in groups */
    uint32_t *last_of_dump;       /* for each dump: its last entry, in any group; TFP_NONE: none */
    int64_t *rank_of_dump;        /* for each dump */
    bool inferred;                /* the ranks come from the members of the groups, not from the names */
    tfp_str unknown;              /* why the ranks are unknown; empty: they are known */
    TFP_VEC(hang_row) rows;
} hang;

/* Functions that return bool: false means out of memory. */
const char *hang_name_of(const hang *h, size_t dump);                /* ranks.c: the name of a dump's file */
bool hang_ranks_of(hang *h);                                         /* ranks.c: finds the rank of each dump */
bool hang_parse_ranks(tfp_str text, hang_ranks *out);                /* "[0, 1, 5]" */
bool hang_groups_of(hang *h);                                        /* groups.c */
int64_t hang_rank_of(const hang *h, uint32_t entry);                 /* the rank of an entry's dump */
bool hang_find(hang *h);                                             /* find.c: adds the rows */
bool hang_judge(hang *h);                                            /* judge.c: which finding is the cause of which */
tfp_str hang_list(hang *h, const hang_ranks *of, int64_t **numbers); /* "0|1|2", and the numbers ended by -1 */
tfp_str hang_told(hang *h, uint32_t entry); /* "GROUP#NUMBER NAME STATE"; entry may be TFP_NONE */
tfp_str hang_line_of(hang *h, uint32_t entry);
bool hang_say(hang *h, const hang_row *rows); /* verdict.c: adds the verdict about the sorted rows */

#endif
