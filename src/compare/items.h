// SPDX-License-Identifier: Apache-2.0
/* compare/items.h: the aligned rows of all sides of a comparison: rows with the same name in the same place are one
 * item. */
#ifndef TFP_ITEMS_H
#define TFP_ITEMS_H

#include "base/base.h"

typedef struct tfp_item {
    tfp_str name;    /* whole name, as rows show it; borrowed */
    uint32_t parent; /* has a lower index; the root (item 0) is its own parent */
    uint32_t depth;
    uint32_t place;     /* the item within which its name is unique: the one above, or 0 if names alone identify rows */
    uint32_t part_size; /* length of the part at the end of its name that is unique there */
    uint32_t occurrence; /* it is the n-th with that name there */
} tfp_item;

typedef struct tfp_items {
    TFP_VEC(tfp_item) at;
    uint64_t *slots; /* hash in the upper half, item + 1 in the lower; open addressing */
    size_t slot_count;
    uint32_t guess; /* the item after the one found last, as sides often have the same order */
    bool fixed;     /* nothing is added any more: TFP_NONE instead */
    bool vendors;   /* names of API calls are the same without the prefix of their vendor (vendors.h) */
    /* The items on the path that was looked up last, because successive paths share most of them. */
    tfp_str last;
    TFP_VEC(uint32_t) ancestors;    /* items */
    TFP_VEC(size_t) ancestor_sizes; /* lengths of their names */
} tfp_items;

bool tfp_items_start(tfp_items *x, tfp_str root); /* false: out of memory, like TFP_NONE below */
void tfp_items_free(tfp_items *x);
void tfp_items_settle(tfp_items *x); /* frees the memory for lookups, as there will be no more */

/* The item that is unique in `place` by the last `part` bytes of its name. If it is new its parent is `parent`. */
uint32_t tfp_items_below(tfp_items *x, uint32_t parent, uint32_t place, tfp_str name, size_t part, uint32_t occurrence);
/* The item of a path, found part by part between slashes; missing ancestors are added. "" is the root. The path must
 * outlive the items. */
uint32_t tfp_items_path(tfp_items *x, tfp_str path);
/* The same, starting from an ancestor whose name is the first `done` bytes of the path. */
uint32_t tfp_items_path_below(tfp_items *x, uint32_t ancestor, tfp_str path, size_t done);

#endif
