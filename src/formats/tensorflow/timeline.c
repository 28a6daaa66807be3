// SPDX-License-Identifier: Apache-2.0
/* formats/tensorflow/timeline.c: the timeline.json of TensorFlow 1 (tensorflow.python.client.timeline) as the run
 * metadata that it was made of. A process "DEVICE Compute" has what ran on that device; all other processes show
 * tensors. In: JSON. Out: the bytes of a RunMetadata. Layout: Timeline._emit_op of timeline.py. */
#include "formats/tensorflow/runmetadata.h"
#include "wire/jsonscan.h"
#include "wire/proto.h"

#define INPUTS 64 /* most inputs of an operation that are kept */

typedef struct device {
    tfp_buf name, stats; /* stats: its DeviceStepStats */
} device;

typedef struct event {
    tfp_str phase, event, name, op; /* event: its own name; name, op: of its args */
    tfp_str inputs[INPUTS];
    size_t input_count;
    int64_t pid, thread, start, duration;
} event;

typedef struct reader {
    TFP_VEC(device) devices;
    tfp_map64 by_pid;
    tfp_buf text, label;
    tfp_jresync sync;
    int64_t commas;
    bool failed, cut;
} reader;

bool tfp_timeline_is(tfp_str head)
{
    size_t at = 0;
    while (at < head.size && (unsigned char)head.data[at] <= ' ') at++;
    return at < head.size && head.data[at] == '{' && tfp_str_has(head, TFP_STR("\"traceEvents\"")) &&
           tfp_str_has(head, TFP_STR("\"process_name\"")) && tfp_str_has(head, TFP_STR(" Compute\"")) &&
           (tfp_str_has(head, TFP_STR("\"Allocators\"")) || tfp_str_has(head, TFP_STR(" Tensors\"")));
}

/* ---- one event ---- */

static tfp_str text_of(tfp_jscan *j)
{
    tfp_jscan_value v;
    tfp_jscan_value_of(j, &v);
    return v.kind == TFP_JSCAN_STRING ? v.text.raw : (tfp_str){ "", 0 };
}

static void read_args(tfp_jscan *j, event *e)
{
    tfp_jscan_text key;
    if (tfp_jscan_peek(j) != '{') {
        tfp_jscan_skip(j);
        return;
    }
    j->at++;
    for (bool first = true; tfp_jscan_member(j, first, &key); first = false) {
        if (tfp_str_eq(key.raw, TFP_STR("name")))
            e->name = text_of(j);
        else if (tfp_str_eq(key.raw, TFP_STR("op")))
            e->op = text_of(j);
        else if (tfp_str_begins(key.raw, TFP_STR("input")) && e->input_count < INPUTS)
            e->inputs[e->input_count++] = text_of(j);
        else
            tfp_jscan_skip(j);
    }
}

static bool read_event(tfp_jscan *j, event *e)
{
    tfp_jscan_text key;
    *e = (event){ .pid = -1 };
    j->at++;
    for (bool first = true; tfp_jscan_member(j, first, &key); first = false) {
        if (tfp_str_eq(key.raw, TFP_STR("ph")))
            e->phase = text_of(j);
        else if (tfp_str_eq(key.raw, TFP_STR("name")))
            e->event = text_of(j);
        else if (tfp_str_eq(key.raw, TFP_STR("pid")))
            tfp_jscan_integer(j, &e->pid);
        else if (tfp_str_eq(key.raw, TFP_STR("tid")))
            tfp_jscan_integer(j, &e->thread);
        else if (tfp_str_eq(key.raw, TFP_STR("ts")))
            tfp_jscan_integer(j, &e->start);
        else if (tfp_str_eq(key.raw, TFP_STR("dur")))
            tfp_jscan_integer(j, &e->duration);
        else if (tfp_str_eq(key.raw, TFP_STR("args")))
            read_args(j, e);
        else
            tfp_jscan_skip(j);
    }
    return !j->fault;
}

/* ---- run metadata ---- */

static void add_device(reader *r, const event *e)
{
    tfp_str ending = TFP_STR(" Compute");
    device d = { 0 };
    tfp_jscan_decode(e->name, &d.name);
    tfp_str name = { d.name.data ? d.name.data : "", d.name.size };
    bool ours = tfp_str_ends(name, ending) && tfp_map64_get(&r->by_pid, (uint64_t)e->pid) == TFP_NONE;
    if (ours) {
        d.name.size -= ending.size;
        tfp_put_string(&d.stats, 1, (tfp_str){ d.name.data, d.name.size });
    }
    r->failed |= d.name.failed || d.stats.failed;
    if (ours && tfp_map64_put(&r->by_pid, (uint64_t)e->pid, (uint32_t)r->devices.size) && tfp_push(&r->devices, d))
        return;
    r->failed |= ours;
    tfp_buf_free(&d.name);
    tfp_buf_free(&d.stats);
}

static void add_label(reader *r, const event *e)
{
    r->label.size = 0;
    tfp_jscan_decode(e->name, &r->label);
    tfp_buf_text(&r->label, " = ");
    tfp_jscan_decode(e->op, &r->label);
    tfp_buf_char(&r->label, '(');
    for (size_t i = 0; i < e->input_count; i++) {
        if (i) tfp_buf_text(&r->label, ", ");
        tfp_jscan_decode(e->inputs[i], &r->label);
    }
    tfp_buf_char(&r->label, ')');
}

/* Adds a NodeExecStats. On streams and copy engines names are NODE:OP, elsewhere the label tells the operation. */
static void add_run(reader *r, const event *e)
{
    uint32_t at = tfp_map64_get(&r->by_pid, (uint64_t)e->pid);
    if (at == TFP_NONE || !e->name.size) return;
    device *d = &r->devices.at[at];
    tfp_str where = { d->name.data, d->name.size };
    bool traced = tfp_str_has(where, TFP_STR("/stream:")) || tfp_str_has(where, TFP_STR("/memcpy"));
    r->text.size = 0;
    tfp_jscan_decode(e->name, &r->text);
    if (traced) tfp_buf_char(&r->text, ':');
    if (traced) tfp_jscan_decode(e->op, &r->text);
    size_t run = tfp_put_open(&d->stats, 2);
    tfp_put_string(&d->stats, 1, (tfp_str){ r->text.data, r->text.size });
    tfp_put_int(&d->stats, 2, e->start);
    tfp_put_int(&d->stats, 4, e->duration);
    tfp_put_int(&d->stats, 5, e->duration);
    add_label(r, e);
    if (!traced) tfp_put_string(&d->stats, 8, (tfp_str){ r->label.data, r->label.size });
    tfp_put_int(&d->stats, 10, e->thread);
    tfp_put_close(&d->stats, run);
    r->failed |= r->text.failed || r->label.failed || d->stats.failed;
}

static void take_event(reader *r, const event *e, bool names)
{
    bool name = tfp_str_eq(e->phase, TFP_STR("M")) && tfp_str_eq(e->event, TFP_STR("process_name"));
    if (names && name) add_device(r, e);
    if (!names && tfp_str_eq(e->phase, TFP_STR("X"))) add_run(r, e);
}

/* Reads all events; broken ones are left out and counted. names: takes the names of processes; otherwise what ran in
 * them. */
static void read_events(reader *r, tfp_str text, tfp_jscan *j, bool names)
{
    r->sync.broken = 0;
    j->at++;
    for (bool first = true; !r->failed;) {
        event e;
        const char *item = j->at;
        if (!tfp_jscan_item(j, first) && !j->fault) return;
        bool object = !j->fault && tfp_jscan_peek(j) == '{';
        if (object && read_event(j, &e)) take_event(r, &e, names);
        if (!object) tfp_jscan_skip(j);
        first = j->fault;
        if (j->fault && !tfp_jresync_recover(&r->sync, j, text, item)) return;
    }
}

static tfp_status read_object(reader *r, tfp_str text, bool names, tfp_error *err)
{
    tfp_jscan j = tfp_jscan_start(text);
    tfp_jscan_text key;
    bool events = false;
    j.lenient = true;
    tfp_jscan_take(&j, '{', "no JSON object");
    for (bool first = true; tfp_jscan_member(&j, first, &key); first = false) {
        bool ours = tfp_str_eq(key.raw, TFP_STR("traceEvents")) && tfp_jscan_peek(&j) == '[';
        events |= ours;
        if (ours)
            read_events(r, text, &j, names);
        else
            tfp_jscan_skip(&j);
    }
    if (r->failed) return tfp_nomem(err);
    if (!events || (j.fault == TFP_JSCAN_WRONG && !r->sync.broken))
        return tfp_fail(err, TFP_BADFILE, "byte %zu: %s", (size_t)(j.at - text.data), j.fault ? j.wrong : "no events");
    r->cut = j.fault == TFP_JSCAN_MORE;
    r->commas = j.commas;
    return TFP_OK;
}

static void free_reader(reader *r)
{
    for (size_t i = 0; i < r->devices.size; i++) {
        tfp_buf_free(&r->devices.at[i].name);
        tfp_buf_free(&r->devices.at[i].stats);
    }
    tfp_vec_free(&r->devices);
    tfp_map64_free(&r->by_pid);
    tfp_buf_free(&r->text);
    tfp_buf_free(&r->label);
}

tfp_status tfp_timeline_to_wire(tfp_builder *b, tfp_str text, tfp_buf *out, tfp_error *err)
{
    reader r = { .sync = { .needs = "ph" } };
    tfp_status s = read_object(&r, text, true, err);
    if (!s) s = read_object(&r, text, false, err);
    if (!s) {
        size_t stats = tfp_put_open(out, 1);
        for (size_t i = 0; i < r.devices.size; i++) {
            const tfp_buf *d = &r.devices.at[i].stats;
            tfp_put_bytes_always(out, 1, (tfp_str){ d->data ? d->data : "", d->size });
        }
        tfp_put_close(out, stats);
        if (out->failed) s = tfp_nomem(err);
    }
    if (!s && r.sync.broken)
        tfp_build_warn_many(b, "broken events (no JSON), left out", TFP_STR(""), (size_t)r.sync.broken);
    if (!s && r.commas) tfp_build_warn_many(b, "commas too many or missing", TFP_STR(""), (size_t)r.commas);
    if (!s && r.cut) tfp_build_warn(b, "the file is cut short; its complete events were read", TFP_STR(""));
    free_reader(&r);
    return s;
}
