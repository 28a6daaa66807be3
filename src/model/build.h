// SPDX-License-Identifier: Apache-2.0
/* model/build.h: what the files of the builder share. */
#ifndef TFP_BUILD_H
#define TFP_BUILD_H

#include "model/builder.h"

/* Remembers the first fault. */
static inline bool check(tfp_builder *b, bool ok)
{
    if (!ok && !b->status) b->status = TFP_NOMEM;
    return !b->status;
}

/* Whether there is room for a row: row numbers have 32 bits. */
#define ROOM(b, table) check((b), (b)->p->table.size < TFP_NONE - 1)

/* Appends `row` and links it to the end of the chain between the owner's FIRST and LAST. The owner may be in another
 * table, which does not move meanwhile. */
#define APPEND(b, table, row) (ROOM((b), table) && check((b), tfp_push(&(b)->p->table, (row))))
#define CHAIN(p, table, first, last)                                                                                   \
    do {                                                                                                               \
        uint32_t new_row = (uint32_t)(p)->table.size - 1;                                                              \
        if ((first) == TFP_NONE)                                                                                       \
            (first) = new_row;                                                                                         \
        else                                                                                                           \
            (p)->table.at[(last)].next = new_row;                                                                      \
        (last) = new_row;                                                                                              \
    } while (0)

#endif
