// SPDX-License-Identifier: Apache-2.0
/* formats/sqlite/leaves.h: reads the rows of a table from the leaf pages of its tree, in the file's own order, several
 * times as fast as SQLite's steps. SQLite opens the file and reads its schema (db.c); this reads only rows. Layout:
 * sqlite.org/fileformat2.html, "B-tree Pages" and "Record Format". */
#ifndef TFP_FORMATS_LEAVES_H
#define TFP_FORMATS_LEAVES_H

#include "base/base.h"

#define TFP_LEAF_COLUMNS 12   /* columns that are wanted of a row */
#define TFP_LEAF_DEPTH 20     /* levels of a tree, as in SQLite */
#define TFP_LEAF_POSITIONS 64 /* positions that a wanted column may have in its table */

typedef struct tfp_pages { /* the pages of a file; of a descriptor they are read in windows */
    int fd;
    const uint8_t *bytes; /* all of the file, if it is in memory */
    uint64_t size;
    uint32_t page, usable; /* bytes of a page; those that are not reserved */
    uint8_t *window;
    uint64_t base; /* offset of the window in the file */
    size_t filled, run;
    uint64_t *left; /* bytes that may still be read: a damaged tree may contain a page many times */
} tfp_pages;

/* Reads the file's header. False: its rows must be read by SQLite (texts are not UTF-8, or the header is odd). */
bool tfp_pages_open(tfp_pages *p, int fd, tfp_str bytes, uint64_t size, uint64_t *left);
void tfp_pages_close(tfp_pages *p);

typedef enum tfp_leaf_state { TFP_LEAF_ROW, TFP_LEAF_END, TFP_LEAF_BAD, TFP_LEAF_NOMEM } tfp_leaf_state;

typedef struct tfp_leaf_value {
    uint64_t type; /* SQLite's serial type */
    const uint8_t *at;
} tfp_leaf_value;

typedef struct tfp_leaf_level { /* an interior page; its rightmost child follows its cells */
    uint8_t *page;
    uint32_t header, next, count;
} tfp_leaf_level;

typedef struct tfp_leaves {
    tfp_pages *pages;
    uint8_t slot[TFP_LEAF_POSITIONS]; /* position in the table -> index in values + 1; 0: not wanted */
    int positions, rowid; /* positions up to the last wanted one; index of the value that is the rowid, or -1 */
    tfp_leaf_level levels[TFP_LEAF_DEPTH];
    size_t depth;
    const uint8_t *leaf;                  /* the current page, in the window */
    uint32_t number, header, next, count; /* header: where it begins, as page 1 begins with the file's */
    uint8_t key[8];                       /* the row's number, when a column is it */
    tfp_buf whole;                        /* a row that continues on overflow pages */
    tfp_leaf_state state;
    tfp_leaf_value values[TFP_LEAF_COLUMNS];
} tfp_leaves;

/* Starts at the tree's first row. The caller has filled slot, positions and rowid. False: the table is not a tree of
 * rows (one WITHOUT ROWID), or its root cannot be read. */
bool tfp_leaves_start(tfp_leaves *l, tfp_pages *p, uint32_t root);
bool tfp_leaves_next(tfp_leaves *l); /* reads the next row; false: see `state` */
void tfp_leaves_free(tfp_leaves *l);

static inline bool tfp_leaf_is_int(const tfp_leaf_value *v)
{
    return (v->type >= 1 && v->type <= 6) || v->type == 8 || v->type == 9;
}
static inline bool tfp_leaf_is_text(const tfp_leaf_value *v) { return v->type >= 13 && v->type & 1; }
static inline size_t tfp_leaf_size(const tfp_leaf_value *v) { return (size_t)((v->type - 12) / 2); } /* of a text */
int64_t tfp_leaf_int(const tfp_leaf_value *v);

#endif
