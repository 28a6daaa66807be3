// SPDX-License-Identifier: Apache-2.0
/* formats/hlo/hlo.c: an HLO module in memory: ids are turned into indexes, names can be looked up, types have sizes.
 * place.c adds its instructions to the profile. */
#include "formats/hlo/hlo.h"
#include "model/tables/instructions.h"

/* ---- links ---- */

/* When several computations have an instruction of one name, traces refer to the one outside fusions. */
static bool map_names(tfp_hlo_module *m)
{
    for (int fused = 0; fused < 2; fused++) {
        for (uint32_t i = 0; i < m->instructions.size; i++) {
            const tfp_hlo_instruction *n = &m->instructions.at[i];
            if (m->computations.at[n->computation].fused != (fused == 1)) continue;
            if (tfp_map64_get(&m->by_name, n->name) == TFP_NONE && !tfp_map64_put(&m->by_name, n->name, i))
                return false;
        }
    }
    return true;
}

static void resolve(tfp_hlo_module *m, const tfp_map64 *computations, const tfp_map64 *instructions)
{
    for (uint32_t i = 0; i < m->instructions.size; i++) {
        const tfp_hlo_instruction *n = &m->instructions.at[i];
        for (uint32_t k = n->operand_first; k < n->operand_first + n->operand_count; k++)
            m->links.at[k] = tfp_map64_get(instructions, (uint64_t)m->ids.at[k]);
        for (uint32_t k = n->called_first; k < n->called_first + n->called_count; k++)
            m->links.at[k] = tfp_map64_get(computations, (uint64_t)m->ids.at[k]);
    }
    for (uint32_t i = 0; i < m->computations.size; i++)
        m->computations.at[i].root = tfp_map64_get(instructions, (uint64_t)m->computations.at[i].root_id);
    for (uint32_t k = 0; k < m->schedule.size; k++) {
        uint32_t at = tfp_map64_get(instructions, (uint64_t)m->schedule.at[k]);
        if (at != TFP_NONE) m->instructions.at[at].scheduled = k + 1;
    }
    m->entry = tfp_map64_get(computations, (uint64_t)m->entry_id);
    /* the entry computation comes last */
    if (m->entry == TFP_NONE && m->computations.size) m->entry = (uint32_t)m->computations.size - 1;
}

/* Computations of loops and branches run instruction by instruction; other called computations are part of the
 * instruction that calls them. */
static void find_fused(const tfp_builder *b, tfp_hlo_module *m)
{
    for (uint32_t i = 0; i < m->instructions.size; i++) {
        const tfp_hlo_instruction *n = &m->instructions.at[i];
        if (tfp_hlo_is(b, n, "while") || tfp_hlo_is(b, n, "conditional")) continue;
        for (uint32_t k = 0; k < n->called_count; k++) {
            uint32_t c = m->links.at[n->called_first + k];
            if (c != TFP_NONE && c != m->entry) m->computations.at[c].fused = true;
        }
    }
}

static bool resolve_names(const tfp_builder *b, tfp_hlo_module *m)
{
    tfp_map64 computations = { 0 }, instructions = { 0 };
    bool fine = tfp_reserve(&m->links, m->ids.size);
    for (uint32_t i = 0; i < m->computations.size && fine; i++)
        fine = tfp_map64_put(&computations, (uint64_t)m->computations.at[i].id, i);
    for (uint32_t i = 0; i < m->instructions.size && fine; i++)
        fine = tfp_map64_put(&instructions, (uint64_t)m->instructions.at[i].id, i);
    if (fine) {
        m->links.size = m->ids.size;
        resolve(m, &computations, &instructions);
        tfp_vec_free(&m->ids);
        tfp_vec_free(&m->schedule);
        find_fused(b, m);
        fine = map_names(m);
    }
    tfp_map64_free(&computations);
    tfp_map64_free(&instructions);
    return fine;
}

tfp_status tfp_hlo_complete(tfp_builder *b, tfp_hlo_module *m, tfp_error *err)
{
    tfp_status s = tfp_builder_status(b, err);
    if (!s && !resolve_names(b, m)) s = tfp_nomem(err);
    if (!s) tfp_hlo_find_trips(b, m);
    if (!s && !tfp_hlo_count(b, m)) s = tfp_nomem(err);
    return s ? s : tfp_builder_status(b, err);
}

uint32_t tfp_hlo_find(const tfp_hlo_module *m, tfp_strid name) { return tfp_map64_get(&m->by_name, name); }

/* ---- memory ---- */

void tfp_hlo_free(tfp_hlo_module *m)
{
    tfp_vec_free(&m->instructions);
    tfp_vec_free(&m->computations);
    tfp_vec_free(&m->shapes);
    tfp_vec_free(&m->arrays);
    tfp_vec_free(&m->dims);
    tfp_vec_free(&m->numbers);
    tfp_vec_free(&m->links);
    tfp_vec_free(&m->ids);
    tfp_vec_free(&m->schedule);
    tfp_vec_free(&m->files);
    tfp_vec_free(&m->functions);
    tfp_vec_free(&m->places);
    tfp_vec_free(&m->frames);
    tfp_map64_free(&m->by_name);
    *m = (tfp_hlo_module){ .entry = TFP_NONE };
}
