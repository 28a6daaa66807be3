// SPDX-License-Identifier: Apache-2.0
/* live/net/ras.h: what the RAS of a job of NCCL says (2.24 and later): which ranks of which communicators are behind
 * the others, and which processes it has lost. In: its answer to VERBOSE STATUS as text, or as JSON (2.28). Not run
 * with NCCL; source: NCCL's user guide, "RAS". */
#ifndef TFP_LIVE_RAS_H
#define TFP_LIVE_RAS_H

#include "base/base.h"

typedef struct tfp_ras_rank { /* a rank that is behind, or lost */
    tfp_str communicator;     /* its hash */
    tfp_str kind;             /* of the operations that were counted: AllReduce, or "collective" */
    int64_t rank, pid;        /* rank: in the communicator; -1: unknown */
    int64_t count, ahead;     /* operations that it launched, and that most ranks launched; -1: unknown */
    bool lost;                /* the process does not answer */
} tfp_ras_rank;

typedef struct tfp_ras {
    tfp_arena arena;
    TFP_VEC(tfp_ras_rank) ranks;
} tfp_ras;

/* TFP_BADFILE: it is no answer of RAS. */
tfp_status tfp_ras_parse(tfp_ras *out, tfp_str answer, tfp_error *err);
void tfp_ras_free(tfp_ras *r);

#define TFP_RAS_MOST ((size_t)1 << 20)       /* most bytes of an answer */
#define TFP_RAS_NS ((int64_t)2 * 1000000000) /* longest time for asking */

/* HOST:PORT of the RAS of a process: NCCL_RAS_ADDR of its environment, or port 28028 if the process itself listens
 * there. False: none. */
bool tfp_ras_address(int64_t pid, char *out, size_t room);
/* Asks for VERBOSE STATUS. The host is a number or localhost: no name is looked up. */
tfp_status tfp_ras_ask(const char *address, tfp_buf *out, tfp_error *err);

#endif
