// SPDX-License-Identifier: Apache-2.0
/* formats/tensorflow/runmetadata_add.c: adds an entry of step_stats to the profile: executions, spans, transfers. */
#include "formats/tensorflow/runmetadata.h"
#include "model/tables/graph.h"
#include "model/tables/profile.h"
#include "model/tables/runs.h"

/* Every output repeats each node's device name, so a small file with one long name must not become a huge report. */
#define DEVICE_NAME_BYTES ((size_t)256 << 20)

#define LOOK 32 /* entries between two checks of the memory that the profile takes */

/* The node of an entry, a new one when no graph has it; TFP_NONE for the runtime's own bookkeeping. */
static uint32_t find_node(tfp_run_reader *r, tfp_str name, uint32_t hash)
{
    uint32_t node = tfp_named_node(r->p, tfp_strtab_find_hashed(&r->p->strings, name, hash));
    if (node != TFP_NONE) {
        tfp_node *row = tfp_build_row(r->b, node);
        r->p->runs->covered += r->p->runs->covered_known && !(row->flags & TFP_NODE_COVERED);
        row->flags |= TFP_NODE_COVERED;
    } else {
        if (tfp_str_eq(name, TFP_STR("RecvTensor")) || tfp_str_eq(name, TFP_STR("_SOURCE")) ||
            tfp_str_has(name, TFP_STR("MEMCPY")))
            return TFP_NONE;
        node = tfp_build_node(r->b, name, name, true);
        if (node != TFP_NONE) tfp_build_row(r->b, node)->flags |= TFP_NODE_INVENTED;
    }
    r->entries++;
    if (node != TFP_NONE && (tfp_build_row(r->b, node)->flags & TFP_NODE_INVENTED)) r->unknown++;
    return node;
}

/* A node's device is the first canonical device on which it is seen; what it did on another one is ignored, as in
 * TensorFlow. Streams and similar are no canonical devices. */
static bool settle_device(tfp_run_reader *r, uint32_t node, const tfp_run_device *d)
{
    tfp_node *n = tfp_build_row(r->b, node);
    if (!d->is.canonical || n->device == d->name) return true;
    if (n->device) {
        tfp_build_warn(r->b, "entries of nodes that ran on a second device, left out", tfp_text(r->p, n->name));
        return false;
    }
    tfp_build_node_device(r->b, node, d->name, d->is.on);
    n->host_device = d->host;
    tfp_build_type(r->b, node, d->name);
    return true;
}

/* Some entries are so short that the microsecond clock did not advance. */
static int64_t duration_of(const tfp_run_stats *e) { return e->op_end_ns ? e->op_end_ns : 1000; }

static void add_time(tfp_run_reader *r, const tfp_run_stats *e, uint32_t exec)
{
    tfp_run_values v = { .b = r->b };
    int64_t duration = duration_of(e), end = tfp_run_end(&v, e->start_ns, duration);
    tfp_exec *x = &r->p->runs->execs.at[exec];
    if (!x->start_ns || e->start_ns < x->start_ns) x->start_ns = e->start_ns;
    if (end > x->end_ns) x->end_ns = end;
    if (r->p->lanes->at[r->device.lane].kind == TFP_LANE_CPU) x->run_count++;
    tfp_build_span(r->b, exec, r->device.lane, e->start_ns, duration);
}

static void add_run_output_bytes(tfp_run_reader *r, uint32_t exec, int64_t bytes)
{
    while (r->p->runs->run_output_bytes.size <= exec) {
        if (tfp_push(&r->p->runs->run_output_bytes, 0)) continue;
        if (!r->b->status) r->b->status = TFP_NOMEM;
        return;
    }
    bool clamped = false;
    int64_t *total = &r->p->runs->run_output_bytes.at[exec];
    *total = tfp_add(*total, bytes, &clamped);
    if (clamped) tfp_build_warn(r->b, "sums of bytes too big for 64 bits, clamped", TFP_STR(""));
}

static void add_transfer(tfp_run_reader *r, const tfp_run_stats *e, uint32_t node)
{
    const tfp_run_device *d = &r->device;
    tfp_run_entry t = { e->name, e->label, r->step, d->lane, node, e->start_ns, duration_of(e), e->run_output_bytes,
                        d->name };
    if ((r->p->reads & TFP_READS_RUNS) && e->start_ns) tfp_read_transfer(r->b, &t);
}

static void add_entry(tfp_run_reader *r, tfp_run_stats *e)
{
    const tfp_run_device *d = &r->device;
    tfp_str name = e->node;
    uint32_t node = find_node(r, name, e->hash);
    add_transfer(r, e, node);
    if (node == TFP_NONE || !settle_device(r, node, d)) return;
    uint32_t exec = tfp_build_exec(r->b, node, r->step);
    if (exec == TFP_NONE) return;
    add_run_output_bytes(r, exec, e->run_output_bytes);
    if (r->p->reads & TFP_READS_PROGRAM) tfp_read_run_shapes(r->b, tfp_wire_start(e->bytes), node);
    if (!e->start_ns) {
        tfp_build_warn(r->b, "entries without a start time, whose time and memory are left out", name);
        return;
    }
    add_time(r, e, exec);
    if (d->is.canonical) tfp_run_add_memory(r->b, e, exec, (d->is.on & TFP_NODE_ON_CPU) != 0);
}

tfp_status tfp_run_add(tfp_run_reader *r, tfp_run_stats *e, tfp_error *err)
{
    add_entry(r, e);
    bool look = r->b->status || r->device.count % LOOK == 0;
    tfp_status s = look ? tfp_builder_status(r->b, err) : TFP_OK;
    if (s) return tfp_within(err, s, "node_stats %zu", r->device.count);
    const tfp_run_device *d = &r->device;
    if (++r->device.count <= DEVICE_NAME_BYTES / (d->text.size + 1)) return TFP_OK;
    return tfp_fail(err, TFP_LIMIT, "a device name of %zu bytes for more than %zu nodes", d->text.size, d->count - 1);
}

tfp_status tfp_run_start_step(tfp_run_reader *r, tfp_error *err)
{
    if (r->step == TFP_NONE) r->step = tfp_build_step(r->b, r->step_id, true);
    return tfp_builder_status(r->b, err);
}

tfp_status tfp_run_start_device(tfp_run_reader *r, tfp_str name, tfp_error *err)
{
    tfp_run_device *d = &r->device;
    *d = (tfp_run_device){ .name = tfp_build_lower(r->b, name), .lane = TFP_NONE };
    d->text = tfp_text(r->p, d->name);
    d->is = tfp_tf_device_of(d->text);
    d->host = d->is.canonical ? tfp_tf_host_of(r->b, d->text) : 0;
    d->lane = tfp_tf_lane(r->b, d->text, d->is.kind);
    bool gpu = d->is.on & TFP_NODE_ON_ACCELERATOR;
    r->has_gpu |= gpu;
    r->has_gpu_stream |= gpu && d->is.all_streams;
    return tfp_builder_status(r->b, err);
}
