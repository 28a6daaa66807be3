// SPDX-License-Identifier: Apache-2.0
/* formats/tensorflow/runmetadata.c: one TensorFlow RunMetadata message becomes one step of the profile. In: a file in
 * windows. Out: calls on a tfp_builder; nothing is printed. Its parts are in files of their own: runmetadata_pieces.c
 * cuts the message, runmetadata_entry.c reads what one run of a node did, and runmetadata_shapes.c and
 * runmetadata_transfer.c read what only few commands need. Uses base, wire, model. Message layout:
 * tensorflow/core/protobuf/config.proto, framework/step_stats.proto. */
#include "formats/graph/sniff.h"
#include "formats/tensorflow/runmetadata.h"
#include "model/tables/graph.h"
#include "model/tables/profile.h"
#include "model/tables/runs.h"
#include "model/tables/sources.h"
#include "wire/textproto.h"

#define HEAD ((size_t)64 << 10) /* bytes in which a timeline is recognised */

/* The share of all nodes for which some run metadata had statistics, slightly reduced as in TensorFlow. The reduction
 * matters where two decimals are printed: 7 of 8 is 0.87. */
static double coverage(const tfp_profile *p)
{
    tfp_run_tables *t = p->runs;
    for (size_t i = 0; !t->covered_known && i < p->graph->nodes.size; i++)
        t->covered += (p->graph->nodes.at[i].flags & TFP_NODE_COVERED) != 0;
    t->covered_known = true;
    return (double)t->covered / ((double)p->graph->nodes.size + 1e-10);
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
    if (r->has_gpu && !r->has_gpu_stream) r->p->about.miss_accelerator_stream = true;
}

static tfp_run_reader start_reading(tfp_builder *b)
{
    tfp_run_reader r = { .b = b, .p = b->p, .step = TFP_NONE };
    r.step_id = b->p->runs->has_next_step ? b->p->runs->next_step : (int64_t)b->p->runs->coverage.size;
    b->p->runs->has_next_step = false;
    if (r.step_id < 0) tfp_build_warn(b, "steps with a negative number, which cannot be asked for", TFP_STR(""));
    return r;
}

static tfp_status finish_reading(tfp_run_reader *r, tfp_status s, tfp_error *err)
{
    if (s) return s;
    warn_about_all(r, r->step != TFP_NONE);
    return tfp_push(&r->p->runs->coverage, coverage(r->p)) ? TFP_OK : tfp_nomem(err);
}

static tfp_status read_binary(tfp_builder *b, tfp_input *in, tfp_kind kind, tfp_error *err)
{
    (void)kind; /* there is only one kind */
    tfp_run_reader r = start_reading(b);
    return finish_reading(&r, tfp_run_read_pieces(&r, in, err), err);
}

static tfp_status read_timeline(tfp_builder *b, tfp_input *in, tfp_error *err)
{
    tfp_str text;
    tfp_buf wire = { 0 };
    tfp_input bytes = { .fd = -1 };
    tfp_status s = tfp_input_all(in, &text, err);
    if (!s) s = tfp_timeline_to_wire(b, text, &wire, err);
    if (!s) s = tfp_input_memory(&bytes, in->name, wire.data, wire.size, err);
    if (!s) s = read_binary(b, &bytes, TFP_KIND_RUN_META, err);
    tfp_input_close(&bytes);
    tfp_buf_free(&wire);
    return s;
}

static tfp_status read_run_meta(tfp_builder *b, tfp_input *in, tfp_error *err)
{
    tfp_str head;
    tfp_status s = tfp_input_peek(in, HEAD, &head, err);
    if (s) return s;
    if (tfp_timeline_is(head)) return read_timeline(b, in, err);
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

/* Decodes a file ahead of its turn; text files are left for their turn, because they must be transcoded first. */
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

static int probe(tfp_str head, uint64_t total)
{
    if (tfp_timeline_is(head)) return 97;
    return tfp_sniff_score(head, total, TFP_KINDS(TFP_KIND_RUN_META));
}

const tfp_format tfp_format_run_meta = {
    .name = "run_meta",
    .from = TFP_FROM_TENSORFLOW,
    .help = "RunMetadata, or the timeline.json made of it: what ran in one step, where, when and with how much memory; "
            "several files are steps 0, 1, 2 ...",
    .stands = TFP_FORMAT_IS(FOLLOWS) | TFP_FORMAT_IS(SEVERAL),
    .probe = probe,
    .read = read_run_meta,
    .ahead = &ahead,
};
