// SPDX-License-Identifier: Apache-2.0
/* flops/engine/recursion.c: functions that call themselves, directly or through others: their cost is unknown. The
 * first such chain is reported. */
#include "flops/engine/machine.h"
#include "model/tables/read.h"

enum { NAMES_MAX = 8 }; /* longer chains are cut in the middle */

static void put_name(tfp_machine *m, tfp_buf *text, uint32_t body)
{
    tfp_str name = tfp_text(m->e->profile, m->e->program->bodies.at[body].name);
    if (text->size) tfp_buf_text(text, " -> ");
    tfp_buf_str(text, name.size < 100 ? name : (tfp_str){ name.data, 100 });
}

void tfp_calls_itself(tfp_machine *m, uint32_t body)
{
    tfp_flops *f = m->e->f;
    tfp_buf text = { 0 };
    size_t first = m->stack.size;
    if (f->recursive_calls++) return;
    while (first > 0 && m->e->instances.at[m->stack.at[first - 1].instance].body != body) first--;
    for (size_t i = first ? first - 1 : 0; i < m->stack.size; i++) {
        size_t from = i - (first ? first - 1 : 0), left = m->stack.size - i;
        if (from < NAMES_MAX / 2 || left <= NAMES_MAX / 2)
            put_name(m, &text, m->e->instances.at[m->stack.at[i].instance].body);
        else if (from == NAMES_MAX / 2)
            tfp_buf_text(&text, " -> ...");
    }
    put_name(m, &text, body);
    f->recursion = tfp_buf_move(&text, m->e->arena);
    if (!f->recursion.data) m->no_memory = true;
}
