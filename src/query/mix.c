// SPDX-License-Identifier: Apache-2.0
/* query/mix.c: the texts that take most of each row's time, in one cell. */
#include "query/mix.h"

#include <stdlib.h>

enum { SHOWN = 3 };

typedef struct part {
    uint32_t row;
    int64_t ns;
    tfp_str text;
} part;

static const tfp_sort_key longest_first[] = { TFP_UP(part, row), TFP_DOWN(part, ns), TFP_UP(part, text), { 0 } };

bool tfp_mix_add(tfp_mix *m, uint32_t row, tfp_str text, int64_t ns)
{
    if (!m->parts.row_size) m->parts.row_size = sizeof(part);
    if (!text.size) text = TFP_STR(TFP_MIX_NONE);
    part *p = TFP_GROUP(&m->parts, row, tfp_group_text(&m->parts, text));
    if (!p) return false;
    if (m->parts.added) *p = (part){ .row = row, .text = text };
    p->ns = tfp_add(p->ns, ns, NULL);
    return true;
}

static void put(tfp_buf *out, const part *p, double share, size_t n)
{
    if (n) tfp_buf_char(out, '|');
    tfp_buf_str(out, p->text);
    if (share <= .995) tfp_buf_printf(out, " %.0f%%", 100 * share);
}

bool tfp_mix_texts(tfp_mix *m, tfp_arena *arena, size_t count, tfp_str *cells, tfp_str *first)
{
    const part *p = m->parts.rows, *end = p + m->parts.count;
    for (size_t i = 0; i < count; i++) cells[i] = TFP_STR("");
    for (size_t i = 0; first && i < count; i++) first[i] = TFP_STR("");
    if (m->parts.count && !tfp_order_rows(m->parts.rows, sizeof *p, m->parts.count, longest_first)) return false;
    for (const part *next; p < end; p = next) {
        tfp_buf cell = { 0 };
        double all = 0;
        for (next = p; next < end && next->row == p->row; next++) all += (double)next->ns;
        size_t shown = 0;
        for (const part *at = p; at < next && shown < SHOWN; at++) {
            double share = all > 0 ? (double)at->ns / all : at + 1 == next ? 1 : 0;
            put(&cell, at, share, shown++);
            if (share > .995) break;
        }
        cells[p->row] = tfp_buf_move(&cell, arena);
        if (!cells[p->row].data) return false;
        if (first) first[p->row] = p->text;
    }
    return true;
}

void tfp_mix_free(tfp_mix *m) { tfp_groups_free(&m->parts); }
