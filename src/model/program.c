/* model/program.c: a program's memory. */
#include "model/program.h"

void tfp_program_free(tfp_program *g)
{
    if (!g) return;
    tfp_vec_free(&g->attrs);
    tfp_vec_free(&g->inputs);
    tfp_vec_free(&g->nodes);
    tfp_vec_free(&g->args);
    tfp_vec_free(&g->results);
    tfp_vec_free(&g->bodies);
    tfp_vec_free(&g->variables);
    tfp_vec_free(&g->signatures);
    tfp_map64_free(&g->body_by_name);
    tfp_arena_free(&g->arena);
    free(g);
}

size_t tfp_program_memory(const tfp_program *g)
{
    if (!g) return 0;
#define BYTES(table) (g->table.capacity * sizeof *g->table.at)
    return g->arena.used + BYTES(attrs) + BYTES(inputs) + BYTES(nodes) + BYTES(args) + BYTES(results) + BYTES(bodies) +
           BYTES(variables) + BYTES(signatures) + g->body_by_name.slot_count * 12;
#undef BYTES
}
