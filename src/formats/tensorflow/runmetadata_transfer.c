// SPDX-License-Identifier: Apache-2.0
/* formats/tensorflow/runmetadata_transfer.c: finds the entries of RunMetadata that are transfers, by their names and
 * labels: received tensors (`RecvTensor` of a worker, `_Recv` of an executor) and copies of a GPU (`...:MEMCPYHtoD`).
 * Labels: tensorflow/core/common_runtime/step_stats_collector.cc, distributed_runtime/worker_cache_logger.cc. */
#include "formats/graph/tfdevice.h"
#include "formats/tensorflow/runmetadata.h"
#include "model/tables/profile.h"

#include <ctype.h>

static tfp_str rest_from(tfp_str s, size_t at) { return (tfp_str){ s.data + at, s.size - at }; }

/* Splits the text at the last occurrence of a word; false when there is none. */
static bool split(tfp_str s, tfp_str word, tfp_str *before, tfp_str *behind)
{
    for (size_t at = s.size < word.size ? 0 : s.size - word.size + 1; at-- > 0;) {
        if (memcmp(s.data + at, word.data, word.size) != 0) continue;
        *before = (tfp_str){ s.data, at };
        *behind = rest_from(s, at + word.size);
        return true;
    }
    return false;
}

/* The number before " bytes", or after "bytes:"; -1: none. */
static int64_t bytes_in(tfp_str label)
{
    tfp_str before, behind;
    int64_t n = -1;
    if (split(label, TFP_STR("bytes:"), &before, &behind)) {
        size_t digits = 0;
        while (digits < behind.size && isdigit((unsigned char)behind.data[digits])) digits++;
        if (tfp_parse_int64((tfp_str){ behind.data, digits }, &n)) return n;
    }
    if (!split(label, TFP_STR(" bytes"), &before, &behind)) return -1;
    size_t first = before.size;
    while (first && isdigit((unsigned char)before.data[first - 1])) first--;
    return tfp_parse_int64(rest_from(before, first), &n) ? n : -1;
}

/* What an entry's texts tell about a transfer. */
typedef struct stated {
    tfp_str kind, name, from, to;
    int64_t bytes;
} stated;

static void add(tfp_builder *b, const tfp_run_entry *e, const stated *x)
{
    tfp_run_transfer t = { .step = e->step, .lane = e->lane, .node = e->node, .bytes = x->bytes };
    t.start_ns = e->start_ns;
    t.duration_ns = e->duration_ns;
    t.kind = tfp_build_string(b, x->kind);
    t.name = tfp_build_string(b, x->name);
    t.from = x->from.size ? tfp_tf_place(b, tfp_text(b->p, tfp_build_lower(b, x->from))) : 0;
    t.to = x->to.size ? tfp_tf_place(b, tfp_text(b->p, tfp_build_lower(b, x->to))) : 0;
    tfp_build_run_transfer(b, &t);
}

/* "[5632B] [80.9Mb/s] edge_216_gates/read from /job:ps/task:0 to /job:worker/task:0" */
static void read_received(tfp_builder *b, const tfp_run_entry *e)
{
    tfp_str name, pair, from, to, rest;
    if (!split(e->label, TFP_STR(" from "), &name, &pair) || !split(pair, TFP_STR(" to "), &from, &to)) return;
    if (split(name, TFP_STR("] "), &rest, &pair)) name = pair;
    add(b, e, &(stated){ e->name, name, from, to, e->bytes });
}

/* "[1.2KB] edge_3_x = _Recv(edge_3_x @/job:ps/task:0/device:CPU:0)" */
static void read_recv_op(tfp_builder *b, const tfp_run_entry *e)
{
    tfp_str before, call, tensor, device;
    if (!split(e->label, TFP_STR(" = "), &before, &call) || !split(call, TFP_STR(" @"), &tensor, &device)) return;
    size_t open = tfp_str_find(tensor, TFP_STR("("));
    tfp_str op = { tensor.data, open == SIZE_MAX ? 0 : open };
    if (!tfp_str_eq(op, TFP_STR("_Recv")) && !tfp_str_eq(op, TFP_STR("_HostRecv"))) return;
    while (device.size && strchr(") ", device.data[device.size - 1])) device.size--;
    add(b, e, &(stated){ op, rest_from(tensor, open + 1), device, tfp_text(b->p, e->device), e->bytes });
}

void tfp_read_transfer(tfp_builder *b, const tfp_run_entry *e)
{
    size_t copy = tfp_str_find(e->name, TFP_STR("MEMCPY")), set = tfp_str_find(e->name, TFP_STR("MEMSET"));
    if (copy == SIZE_MAX) copy = set;
    if (tfp_str_eq(e->name, TFP_STR("RecvTensor"))) {
        read_received(b, e);
    } else if (copy != SIZE_MAX) {
        tfp_str name = { e->name.data, copy && strchr(":_", e->name.data[copy - 1]) ? copy - 1 : copy };
        add(b, e, &(stated){ rest_from(e->name, copy), name, TFP_STR(""), TFP_STR(""), bytes_in(e->label) });
    } else if (e->node != TFP_NONE) {
        read_recv_op(b, e);
    }
}
