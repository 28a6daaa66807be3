// SPDX-License-Identifier: Apache-2.0
/* views/limits/chains.h: chains: calls that follow one another on a stream, in one call of a module, each of which reads
 * the result of the one before, so that one kernel could do all of them without writing what is between. */
#ifndef TFP_VIEWS_LIMITS_CHAINS_H
#define TFP_VIEWS_LIMITS_CHAINS_H

#include "query/groups.h"
#include "views/limits/limits.h"

typedef struct tfp_limit_chain { /* one run of a chain */
    uint32_t first, count;       /* index in members */
    uint32_t row;                /* index in rows */
    int64_t moved, fused;        /* bytes today, and in one kernel */
    double fused_us, gain_us;    /* NAN: unknown */
} tfp_limit_chain;

typedef struct tfp_limit_chain_row { /* runs of the same chain */
    int64_t rank;
    tfp_str chain, module, shape, certainty;
    int64_t calls, kernels, device_ns, bytes_moved, bytes_fused, bytes_saved;
    double share, fused_us, gain_us, gain_share, same_rate_us;
    double order;       /* the gain; on an unknown device the bytes saved */
    uint32_t unit, run; /* run: the first one, as an index in runs */
} tfp_limit_chain_row;

typedef struct tfp_limit_chains {
    TFP_VEC(uint32_t) members; /* calls, run after run */
    TFP_VEC(tfp_limit_chain) runs;
    tfp_groups rows; /* of tfp_limit_chain_row, as they were found */
    double gain_us;  /* of all of them; NAN: unknown */
    int64_t bytes_saved;
} tfp_limit_chains;

static inline tfp_limit_chain_row *tfp_limit_chain_row_at(const tfp_limit_chains *c, uint32_t row)
{
    return (tfp_limit_chain_row *)c->rows.rows + row;
}

/* Finds the chains. Texts are in the report's arena. False: out of memory. */
bool tfp_limits_chains(const tfp_limits *l, tfp_limit_chains *out);
void tfp_limit_chains_free(tfp_limit_chains *c);
/* Rows in the report's arena, biggest gain first. `step_us`: of all steps together. NULL: out of memory. */
tfp_limit_chain_row *tfp_limit_chain_rows(const tfp_limits *l, const tfp_limit_chains *c, double steps_us);

/* ---- chain_bytes.c ---- */
/* Whether a tensor may be the other, by type and number of elements. */
bool tfp_same_tensor(const tfp_sized *a, const tfp_sized *b);
/* The memory of a call's result; `before`: that of the call before it in the run, TFP_NONE. */
uint32_t tfp_chain_block(const tfp_limits *l, uint32_t call, uint32_t before);
/* Whether storages are known of all of its calls. */
bool tfp_chain_has_ids(const tfp_limits *l, const uint32_t *members, uint32_t count);
/* Bytes that one kernel for all members would move. blocks: the memory of each member's result, or NULL. */
int64_t tfp_chain_bytes(const tfp_limits *l, const uint32_t *members, uint32_t count, const uint32_t *blocks);

#endif
