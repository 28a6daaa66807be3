// SPDX-License-Identifier: Apache-2.0
/* live/stacks/ranks_ras.c: what NCCL's RAS tells of the ranks of a running job. Launches of NCCL return at once, so
 * that no frame shows in which collective a rank waits: if none does, the ranks that launched fewer operations than the
 * others are those that are waited for. */
#include "live/net/ras.h"
#include "live/stacks/ranks_ras.h"

#include <stdio.h>

/* The rank of this process that is behind; NULL: it is not. */
static const tfp_ras_rank *behind(const tfp_ras *ras, int64_t pid)
{
    for (size_t i = 0; i < ras->ranks.size; i++)
        if (ras->ranks.at[i].pid == pid && !ras->ranks.at[i].lost) return &ras->ranks.at[i];
    return NULL;
}

/* Names the operation in which the other ranks wait: the next one of the first rank that is behind. */
static bool apply(const tfp_ras *ras, tfp_rank_row *rows, size_t count, uint64_t job, tfp_arena *a)
{
    const tfp_ras_rank *first = NULL;
    size_t late = 0, all = 0;
    for (size_t i = 0; i < count; i++) {
        if (rows[i].job != job || rows[i].pid == TFP_ABSENT) continue;
        const tfp_ras_rank *x = behind(ras, rows[i].pid);
        all++;
        late += x != NULL;
        if (x && !first) first = x;
    }
    if (!first || late == all) return true;
    tfp_buf text = { 0 };
    tfp_buf_str(&text, first->kind);
    tfp_buf_printf(&text, " %lld of communicator ", (long long)first->count + 1);
    tfp_buf_str(&text, first->communicator);
    tfp_str name = tfp_buf_move(&text, a);
    for (size_t i = 0; i < count && name.data; i++) {
        tfp_rank_row *row = &rows[i];
        row->by_count = row->job == job;
        if (row->job == job && row->pid != TFP_ABSENT && !behind(ras, row->pid)) row->collective = name;
    }
    return name.data != NULL;
}

tfp_status tfp_ranks_ask_ras(tfp_rank_row *rows, size_t count, tfp_arena *a, tfp_error *err)
{
    tfp_status s = TFP_OK;
    for (size_t i = 0; i < count && !s; i++) {
        bool told = rows[i].pid == TFP_ABSENT;
        char address[256];
        for (size_t k = 0; k < count && !told; k++)
            told = rows[k].job == rows[i].job && (rows[k].collective.size || rows[k].moved || (k < i && rows[k].asked));
        if (told || !tfp_ras_address(rows[i].pid, address, sizeof address)) continue;
        tfp_buf answer = { 0 };
        tfp_ras ras = { 0 };
        rows[i].asked = true;
        s = tfp_ras_ask(address, &answer, err);
        if (!s) s = tfp_ras_parse(&ras, (tfp_str){ answer.data ? answer.data : "", answer.size }, err);
        if (!s && !apply(&ras, rows, count, rows[i].job, a)) s = tfp_nomem(err);
        if (s != TFP_NOMEM) tfp_error_clear(err), s = TFP_OK; /* no RAS, or none that can be read: frames alone tell */
        tfp_ras_free(&ras);
        tfp_buf_free(&answer);
    }
    return s;
}
