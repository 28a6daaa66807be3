// SPDX-License-Identifier: Apache-2.0
/* views/flops/sums.c: functions that the tables of float operations use for a node: its own counts, its runs, and their
 * sums. */
#include "model/tables/graph.h"
#include "views/flops/flops.h"

#include <stdio.h>

/* TensorFlow's op log and the files have only nodes of the main graph. */
tfp_own_count tfp_flops_own(const tfp_flops_table *w, uint32_t node)
{
    const tfp_node_flops *n = &w->f->nodes[node];
    tfp_own_count none = { TFP_NO_FORMULA, TFP_UNKNOWN, TFP_UNKNOWN }, out = { n->state, n->flops, n->macs };
    if (w->source != TFP_FLOPS_OWN && w->body[node]) return none;
    if (w->source == TFP_FLOPS_FILES) {
        uint32_t at = w->profile_node[node];
        int64_t given = at == TFP_NONE ? 0 : tfp_graph_of(w->p)->nodes.at[at].float_ops;
        return given > 0 ? (tfp_own_count){ TFP_COUNTED, given, TFP_UNKNOWN } : none;
    }
    if (out.state != TFP_COUNTED) out.flops = TFP_UNKNOWN; /* TensorFlow's counts may be negative even then */
    if (out.state != TFP_COUNTED || w->source != TFP_FLOPS_OWN) out.macs = TFP_UNKNOWN; /* an op log has no macs */
    return out;
}

int64_t tfp_flops_runs(const tfp_flops_table *w, uint32_t node)
{
    return w->source == TFP_FLOPS_OWN ? w->f->nodes[node].runs : !w->body[node];
}

bool tfp_flops_reached(const tfp_flops_table *w, uint32_t node)
{
    return w->source == TFP_FLOPS_OWN ? w->f->nodes[node].reached : !w->body[node];
}

tfp_run_sums tfp_flops_sums(const tfp_flops_table *w, uint32_t node)
{
    const tfp_node_flops *n = &w->f->nodes[node];
    if (w->source == TFP_FLOPS_OWN) return (tfp_run_sums){ n->run_flops, n->run_macs, n->run_bytes };
    tfp_own_count c = tfp_flops_own(w, node);
    bool runs = !w->body[node];
    return (tfp_run_sums){ runs && c.flops > 0 ? c.flops : 0, 0, runs ? n->bytes : 0 };
}

bool tfp_flops_has_macs(const tfp_flops_table *w, uint32_t node)
{
    return tfp_flops_own(w, node).macs >= 0 || (w->source == TFP_FLOPS_OWN && w->f->nodes[node].varies);
}

void tfp_flops_shape_text(tfp_buf *b, tfp_dims d)
{
    if (d.rank < 0) tfp_buf_text(b, "unknown");
    for (int i = 0; i < d.rank; i++) {
        if (i) tfp_buf_char(b, 'x');
        if (d.at[i] < 0)
            tfp_buf_char(b, '?');
        else
            tfp_buf_int(b, d.at[i]);
    }
}

/* Writes 7754331136 as 7,754,331,136. */
void tfp_flops_exact(char *out, int64_t n)
{
    char digits[32];
    int size = snprintf(digits, sizeof digits, "%lld", (long long)n), to = 0;
    for (int i = 0; i < size; i++) {
        if (i && (size - i) % 3 == 0) out[to++] = ',';
        out[to++] = digits[i];
    }
    out[to] = 0;
}
