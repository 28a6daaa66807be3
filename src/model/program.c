// SPDX-License-Identifier: Apache-2.0
/* model/program.c: looks up attributes by name, and frees a program. */
#include "model/program.h"
#include "model/tables/profile.h"
#include "query/order.h"
#include "schema/schema.h"

#define SCAN_MOST 12 /* attributes: comparing this many names is faster than looking up the name's id */

const tfp_program_attr *tfp_program_attr_find(const tfp_profile *p, const tfp_program *g, const tfp_program_node *n,
                                              const char *name)
{
    tfp_str wanted = tfp_str_of(name);
    if (!n->attr_count) return NULL;
    const tfp_program_attr *attrs = g->attrs.at + n->attr_first;
    if (n->attr_count <= SCAN_MOST) {
        for (uint32_t i = 0; i < n->attr_count; i++)
            if (tfp_str_eq(tfp_text(p, attrs[i].name), wanted)) return &attrs[i];
        return NULL;
    }
    tfp_strid id = tfp_strtab_find(&p->strings, wanted);
    uint32_t i;
    TFP_LOWER_BOUND(i, 0, n->attr_count, attrs[i].name < id);
    return i < n->attr_count && attrs[i].name == id ? &attrs[i] : NULL;
}

void tfp_program_free(tfp_program *g)
{
    if (!g) return;
    tfp_profile alone = { .program = g };
    tfp_tables_free(&alone);
    tfp_arena_free(&g->arena);
    free(g);
}
