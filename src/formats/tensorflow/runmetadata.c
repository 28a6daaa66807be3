// SPDX-License-Identifier: Apache-2.0
/* formats/tensorflow/runmetadata.c: one TensorFlow RunMetadata message becomes one step of the profile.
 * In: a file in windows. Out: calls on a tfp_builder; nothing is printed. Its parts are in files of their own:
 * runmetadata_pieces.c cuts the message, runmetadata_entry.c reads what one run of a node did, and runmetadata_shapes.c and
 * runmetadata_transfer.c what few commands need of it.
 * Uses base, wire, model. Message layout: tensorflow/core/protobuf/config.proto, framework/step_stats.proto. */
#include "formats/tensorflow/runmetadata.h"
#include "formats/files/format.h"
#include "formats/graph/sniff.h"
#include "wire/textproto.h"

#include <stdlib.h>

/* Every node carries its device's name into every output: a small file must not become a huge report by one long
 * name. */
#define DEVICE_NAME_BYTES ((size_t)256 << 20)

#define LOOK 32 /* entries between two looks at the memory that the profile takes */

/* The node of an entry, a new one when no graph has it; TFP_NONE for the runtime's own bookkeeping. */
static uint32_t find_node(tfp_run_reader *r, tfp_str name, uint32_t hash)
{
    uint32_t node = tfp_named_node(r->p, tfp_strtab_find_hashed(&r->p->strings, name, hash));
    if (node != TFP_NONE) {
        tfp_build_row(r->b, node)->flags |= TFP_NODE_COVERED;
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

/* The first canonical device that a node is seen on is its device; what it did on another one is not taken, as in
 * TensorFlow. Streams and the like are no canonical devices. */
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

/* Some are so quick that the clock of microseconds did not move. */
static int64_t duration_of(const tfp_run_stats *e) { return e->op_end_ns ? e->op_end_ns : 1000; }

static void add_time(tfp_run_reader *r, const tfp_run_stats *e, uint32_t exec)
{
    tfp_run_values v = { .b = r->b };
    int64_t duration = duration_of(e), end = tfp_run_end(&v, e->start_ns, duration);
    tfp_exec *x = &r->p->execs.at[exec];
    if (!x->start_ns || e->start_ns < x->start_ns) x->start_ns = e->start_ns;
    if (end > x->end_ns) x->end_ns = end;
    if (r->p->lanes.at[r->device.lane].kind == TFP_LANE_CPU) x->run_count++;
    tfp_build_span(r->b, exec, r->device.lane, e->start_ns, duration);
}

static void add_run_output_bytes(tfp_run_reader *r, uint32_t exec, int64_t bytes)
{
    while (r->p->run_output_bytes.size <= exec) {
        if (tfp_push(&r->p->run_output_bytes, 0)) continue;
        if (!r->b->status) r->b->status = TFP_NOMEM;
        return;
    }
    bool clamped = false;
    int64_t *total = &r->p->run_output_bytes.at[exec];
    *total = tfp_add(*total, bytes, &clamped);
    if (clamped) tfp_build_warn(r->b, "sums of bytes too big for 64 bits, clamped", TFP_STR(""));
}

static void add_transfer(tfp_run_reader *r, const tfp_run_stats *e, uint32_t node)
{
    const tfp_run_device *d = &r->device;
    tfp_run_entry t = { e->name, e->label, r->step, d->lane, node, e->start_ns, duration_of(e), e->run_output_bytes,
                        d->name };
    if ((r->p->keep & TFP_KEEP_MEMORY) && e->start_ns) tfp_read_transfer(r->b, &t);
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
    if (r->p->keep & TFP_KEEP_PROGRAM) tfp_read_run_shapes(r->b, tfp_wire_start(e->bytes), node);
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

/* ---- devices and steps ---- */

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

/* The share of all nodes that some run metadata had statistics for when it found them known; a hair less, as
 * TensorFlow's, which matters where two decimals are printed: 7 of 8 are 0.87. */
static double coverage(const tfp_profile *p)
{
    size_t covered = 0;
    for (size_t i = 0; i < p->nodes.size; i++) covered += (p->nodes.at[i].flags & TFP_NODE_COVERED) != 0;
    return (double)covered / ((double)p->nodes.size + 1e-10);
}

static void warn_about_all(tfp_run_reader *r, bool has_step)
{
    if (!has_step)
        tfp_build_warn(r->b, "run metadata without step_stats, which is no step", TFP_STR(""));
    else if (!r->entries)
        tfp_build_warn(r->b, "no data in it", TFP_STR(""));
    else if (tfp_has(r->p, TFP_HAS_GRAPH) && r->unknown * 2 > r->entries)
        tfp_build_warn(r->b, "perhaps run metadata of another graph: most of its nodes are not in the graph",
                       TFP_STR(""));
    if (r->has_gpu && !r->has_gpu_stream) r->p->miss_accelerator_stream = true;
}

static tfp_run_reader start_reading(tfp_builder *b)
{
    tfp_run_reader r = { .b = b, .p = b->p, .step = TFP_NONE };
    r.step_id = b->p->has_next_step ? b->p->next_step : (int64_t)b->p->coverage.size;
    b->p->has_next_step = false;
    if (r.step_id < 0) tfp_build_warn(b, "steps with a negative number, which cannot be asked for", TFP_STR(""));
    return r;
}

static tfp_status finish_reading(tfp_run_reader *r, tfp_status s, tfp_error *err)
{
    if (s) return s;
    warn_about_all(r, r->step != TFP_NONE);
    return tfp_push(&r->p->coverage, coverage(r->p)) ? TFP_OK : tfp_nomem(err);
}

static tfp_status read_binary(tfp_builder *b, tfp_input *in, tfp_kind kind, tfp_error *err)
{
    (void)kind; /* there is one only */
    tfp_run_reader r = start_reading(b);
    return finish_reading(&r, tfp_run_read_pieces(&r, in, err), err);
}

static tfp_status read_run_meta(tfp_builder *b, tfp_input *in, tfp_error *err)
{
    return tfp_read_message(b, in, TFP_KINDS(TFP_KIND_RUN_META), read_binary, err);
}

/* ---- ahead of its turn ---- */

typedef struct decoded {
    tfp_message message;
    tfp_run_decoded *run;
} decoded;

static void end_decoding(void *x)
{
    decoded *d = x;
    tfp_run_decoded_free(d->run);
    free(d);
}

static void *start_decoding(void)
{
    decoded *d = calloc(1, sizeof *d);
    if (d && (d->run = tfp_run_decoded_new())) return d;
    free(d);
    return NULL;
}

/* Texts are transcoded first, in their turn. */
static bool decode_ahead(void *x, tfp_input *in)
{
    decoded *d = x;
    if (tfp_looks_like_text((tfp_str){ in->buffer, in->filled })) return false;
    return !tfp_message_judge(in, TFP_KINDS(TFP_KIND_RUN_META), &d->message, NULL) && tfp_run_decode_ahead(d->run, in);
}

static tfp_status add_decoded(tfp_builder *b, void *x, tfp_error *err)
{
    decoded *d = x;
    tfp_run_reader r = start_reading(b);
    return tfp_message_end(b, &d->message, finish_reading(&r, tfp_run_add_decoded(&r, d->run, err), err), err);
}

static const tfp_ahead ahead = { start_decoding, decode_ahead, add_decoded, end_decoding };

static int probe(tfp_str head, uint64_t total) { return tfp_sniff_score(head, total, TFP_KINDS(TFP_KIND_RUN_META)); }

const tfp_format tfp_format_run_meta = {
    .name = "run_meta",
    .help = "RunMetadata: what ran in one step, where, when and with how much memory; several files are steps 0, 1, "
            "2 ...",
    .stands = TFP_FORMAT_IS(FOLLOWS) | TFP_FORMAT_IS(SEVERAL),
    .probe = probe,
    .read = read_run_meta,
    .ahead = &ahead,
};
