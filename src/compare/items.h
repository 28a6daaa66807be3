// SPDX-License-Identifier: Apache-2.0
/* compare/items.h: the rows of all sides of a comparison, aligned: what has the same name in the same place is one item. */
#ifndef TFP_ITEMS_H
#define TFP_ITEMS_H

#include "base/base.h"

typedef struct tfp_item {
    tfp_str name;    /* whole, as rows show it; borrowed */
    uint32_t parent; /* comes before it; the root (item 0) stands under itself */
    uint32_t depth;
    uint32_t place;     /* its name is unique in this item: the one above, or 0 where names alone tell rows apart */
    uint32_t part_size; /* of the end of its name, which is unique there */
    uint32_t turn;      /* the n-th of that name there */
} tfp_item;

typedef struct tfp_items {
    TFP_VEC(tfp_item) at;
    uint64_t *slots; /* half of the hash above, item + 1 below; open addressing */
    size_t slot_count;
    uint32_t guess; /* the item behind the one found last: sides often come in one order */
    bool fixed;     /* nothing new is made: TFP_NONE instead */
    /* The way to the path that was asked for last: neighbours share most of theirs. */
    tfp_str last;
    TFP_VEC(uint32_t) way;     /* items */
    TFP_VEC(size_t) way_sizes; /* of their names */
} tfp_items;

bool tfp_items_start(tfp_items *x, tfp_str root); /* false without memory, as TFP_NONE below */
void tfp_items_free(tfp_items *x);
void tfp_items_settle(tfp_items *x); /* nothing will be looked for any more: gives back the memory for that */

/* The item below `parent` (which it gets when it is new) that is unique in `place` by the last `part` bytes of its name. */
uint32_t tfp_items_below(tfp_items *x, uint32_t parent, uint32_t place, tfp_str name, size_t part, uint32_t turn);
/* The item of a path, reached part by part between slashes; ancestors are made. "" is the root. The path must outlive the
 * items. */
uint32_t tfp_items_path(tfp_items *x, tfp_str path);
/* The same from an ancestor down, whose name is the first `done` bytes of the path. */
uint32_t tfp_items_path_below(tfp_items *x, uint32_t ancestor, tfp_str path, size_t done);

#endif
