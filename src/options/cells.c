// SPDX-License-Identifier: Apache-2.0
/* options/cells.c: memory for the cells of a column. */
#include "options/cells.h"

bool tfp_column_room(tfp_table_column *c, tfp_arena *arena, size_t rows)
{
    if (!c->whole && !(c->absent = TFP_NEW(arena, uint8_t, rows + 1))) return false;
    if (c->type == TFP_CELL_TEXT) return (c->texts = TFP_NEW(arena, tfp_str, rows + 1)) != NULL;
    if (c->type == TFP_CELL_REAL) return (c->reals = TFP_NEW(arena, double, rows + 1)) != NULL;
    return (c->ints = TFP_NEW(arena, int64_t, rows + 1)) != NULL;
}
