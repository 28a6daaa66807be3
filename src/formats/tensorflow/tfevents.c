// SPDX-License-Identifier: Apache-2.0
/* formats/tensorflow/tfevents.c: event files of TensorFlow's FileWriter (events.out.tfevents.*). Besides curves they may
 * hold a graph and the run metadata of steps, which are read by the readers of these messages. The file is a list of
 * records: length, checksum of the length, bytes, checksum of the bytes. Layout: tensorflow/core/lib/io/record_writer.h,
 * core/util/event.proto. */
#include "base/crc32c.h"
#include "formats/files/format.h"
#include "formats/files/unread.h"
#include "formats/tensorflow/runmetadata.h"
#include "model/tables/profile.h"
#include "model/tables/runs.h"
#include "model/tables/sources.h"

enum { HEADER = 12, CHECKSUM = 4 };

typedef struct event {
    tfp_str graph, meta_graph, tagged; /* tagged: a TaggedRunMetadata */
    int64_t step;
} event;

typedef struct reader {
    tfp_builder *b;
    tfp_input *in;
    tfp_map64 steps;                        /* numbers that are taken */
    int64_t runs, graphs, damaged, highest; /* highest: the highest number of a step */
    uint64_t records;
    bool cut, has_graph;
} reader;

static uint32_t number32(const char *at)
{
    uint32_t n = 0;
    for (int i = 4; i-- > 0;) n = n << 8 | (unsigned char)at[i];
    return n;
}

static uint64_t number64(const char *at) { return (uint64_t)number32(at + 4) << 32 | number32(at); }

static int probe(tfp_str head, uint64_t total)
{
    if (head.size < HEADER || number64(head.data) > total) return 0;
    return tfp_crc32c_mask(tfp_crc32c(0, head.data, 8)) == number32(head.data + 8) ? 96 : 0;
}

/* ---- records ---- */

/* Takes the next record's bytes; false at the end, also at that of a file that is cut short. They are valid until the
 * input moves on: the caller skips them, with the checksum. A record with a wrong checksum is empty. */
static bool next_record(reader *r, tfp_str *out, tfp_status *s, tfp_error *err)
{
    tfp_str head, bytes;
    unsigned long long at = (unsigned long long)tfp_input_at(r->in);
    *s = tfp_input_peek(r->in, HEADER, &head, err);
    if (*s || !head.size) return false;
    r->cut = head.size < HEADER;
    if (r->cut) return false;
    uint64_t size = number64(head.data);
    if (!tfp_checksum_fits(tfp_crc32c_mask(tfp_crc32c(0, head.data, 8)), number32(head.data + 8))) {
        *s = tfp_fail(err, TFP_BADFILE, "byte %llu: the length of a record does not have its checksum", at);
        return false;
    }
    r->cut = size > tfp_input_left(r->in) || tfp_input_left(r->in) - size < HEADER + CHECKSUM;
    if (r->cut) return false;
    *s = tfp_input_skip(r->in, HEADER, err);
    if (!*s) *s = tfp_input_peek(r->in, (size_t)size + CHECKSUM, &bytes, err);
    if (*s) return false;
    r->cut = bytes.size < size + CHECKSUM;
    if (r->cut) return false;
    *out = (tfp_str){ bytes.data, (size_t)size };
    r->records++;
    return true;
}

static event read_event(tfp_str bytes)
{
    event e = { .step = 0 };
    tfp_wire w = tfp_wire_start(bytes);
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        switch (f.number) {
        case 2: e.step = tfp_field_int(&w, &f); break;
        case 4: e.graph = tfp_field_bytes(&w, &f); break;
        case 8: e.tagged = tfp_field_bytes(&w, &f); break;
        case 9: e.meta_graph = tfp_field_bytes(&w, &f); break;
        }
    }
    return w.fault ? (event){ .step = 0 } : e;
}

/* ---- messages in them ---- */

static tfp_status read_message(reader *r, const tfp_format *format, tfp_str bytes, tfp_error *err)
{
    tfp_input in = { .fd = -1 };
    tfp_status s = tfp_input_memory(&in, r->in->name, bytes.data, bytes.size, err);
    if (!s) s = format->read(r->b, &in, err);
    tfp_input_close(&in);
    return s;
}

static tfp_status add_graph(reader *r, tfp_str bytes, tfp_error *err)
{
    r->graphs++;
    if (r->has_graph || !bytes.size) return TFP_OK;
    r->has_graph = true;
    return tfp_within(err, read_message(r, &tfp_format_graph, bytes, err), "graph");
}

/* The number of the step; of several with one number the later ones get numbers after all others so far. */
static int64_t step_of(reader *r, int64_t step)
{
    if (tfp_map64_get(&r->steps, (uint64_t)step) != TFP_NONE) step = tfp_add(r->highest, 1, NULL);
    if (step > r->highest) r->highest = step;
    tfp_build_keep(r->b, tfp_map64_put(&r->steps, (uint64_t)step, 0));
    return step;
}

static tfp_status add_run(reader *r, const event *e, tfp_error *err)
{
    tfp_str run = { "", 0 };
    tfp_wire w = tfp_wire_start(e->tagged);
    for (tfp_field f; tfp_wire_next(&w, &f);)
        if (f.number == 2) run = tfp_field_bytes(&w, &f);
    if (w.fault || !run.size) {
        r->damaged++;
        return TFP_OK;
    }
    r->runs++;
    r->b->p->runs->next_step = step_of(r, e->step);
    r->b->p->runs->has_next_step = true;
    return tfp_within(err, read_message(r, &tfp_format_run_meta, run, err), "step %lld", (long long)e->step);
}

typedef enum pass { GRAPHS, META_GRAPHS, RUNS } pass;

/* Graphs come first, because run metadata refers to their nodes; a MetaGraphDef repeats a graph that has no variables. */
static tfp_status read_pass(reader *r, pass what, tfp_error *err)
{
    tfp_str bytes;
    tfp_status s = tfp_input_seek(r->in, 0, err);
    r->records = 0;
    r->damaged = 0;
    while (!s && next_record(r, &bytes, &s, err)) {
        uint32_t kept = number32(bytes.data + bytes.size);
        bool fits = tfp_checksum_fits(tfp_crc32c_mask(tfp_crc32c(0, bytes.data, bytes.size)), kept);
        event e = fits ? read_event(bytes) : (event){ .step = 0 };
        r->damaged += !fits;
        if (what == META_GRAPHS && e.meta_graph.size && !r->has_graph) s = add_graph(r, e.meta_graph, err);
        if (what == GRAPHS && e.graph.size) s = add_graph(r, e.graph, err);
        if (what == RUNS && e.tagged.size) s = add_run(r, &e, err);
        if (!s) s = tfp_input_skip(r->in, bytes.size + CHECKSUM, err);
        if (!s) s = tfp_builder_status(r->b, err);
    }
    return s;
}

static tfp_status read_tfevents(tfp_builder *b, tfp_input *in, tfp_error *err)
{
    reader r = { .b = b, .in = in, .has_graph = tfp_has(b->p, TFP_HAS_GRAPH) };
    tfp_status s = read_pass(&r, GRAPHS, err);
    if (!s && !r.has_graph) s = read_pass(&r, META_GRAPHS, err);
    if (!s) s = read_pass(&r, RUNS, err);
    tfp_map64_free(&r.steps);
    if (s) return s;
    if (!r.records)
        return tfp_fail(err, TFP_BADFILE, "an event file of TensorBoard that is cut short in its first record");
    if (!r.runs && !r.graphs) return tfp_fail(err, TFP_BADFILE, TFP_UNREAD_CURVES);
    if (r.graphs > 1)
        tfp_build_warn_many(b, "graphs after the first one, left out", TFP_STR(""), (size_t)(r.graphs - 1));
    if (r.damaged) tfp_build_warn_many(b, "records that are damaged, left out", TFP_STR(""), (size_t)r.damaged);
    if (r.cut) tfp_build_warn(b, "the file is cut short; its complete records were read", TFP_STR(""));
    return TFP_OK;
}

const tfp_format tfp_format_tfevents = {
    .name = "tfevents",
    .from = TFP_FROM_TENSORFLOW,
    .help = "event file of TensorFlow 1 (events.out.tfevents.*): its graph and the run metadata of its steps",
    .probe = probe,
    .read = read_tfevents,
};
