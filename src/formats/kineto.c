/* formats/kineto.c: traces of PyTorch (Kineto), and any other trace in Chrome's trace event format. In: an object with
 * `traceEvents`, or an array of events. Out: events of one process, with its rank and its devices. The file is read in
 * windows; a window is cut into pieces behind events, and each piece is parsed by itself (kineto_event.c). A file that
 * ends in the middle gives what is whole, with a warning: its writer was killed. */
#include "formats/format.h"
#include "formats/kineto.h"

#define WINDOW ((size_t)4 << 20)
#define PIECE ((size_t)1 << 20)
#define MEMBER ((size_t)64 << 10) /* of the object around the events */
#define EVENT_MAX ((size_t)256 << 20)

typedef struct file {
    tfp_builder *b;
    tfp_input *in;
    tfp_kineto_reader r;
    tfp_kineto_slot slot;
    bool has_events; /* there was an array of events */
    bool cut;        /* the file ends in the middle */
    int64_t rank, rank_count;
} file;

/* ---- probe ---- */

/* Some editors and scripts leave a byte order mark before the text. */
static size_t mark_size(tfp_str head) { return head.size >= 3 && memcmp(head.data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0; }

static int probe(tfp_str head, uint64_t total)
{
    (void)total;
    head = (tfp_str){ head.data + mark_size(head), head.size - mark_size(head) };
    tfp_json j = tfp_json_start(head);
    unsigned char c = tfp_json_peek(&j);
    if (c != '{' && c != '[') return 0;
    j.at++;
    unsigned char next = tfp_json_peek(&j);
    if (c == '[') return next == '{' && tfp_str_has(head, TFP_STR("\"ph\"")) ? 90 : next == '{' ? 20 : 0;
    if (next != '"' && next != '}') return 0;
    if (tfp_str_has(head, TFP_STR("\"traceEvents\""))) return 95;
    return tfp_str_has(head, TFP_STR("\"schemaVersion\"")) ? 90 : 40;
}

/* ---- errors ---- */

static tfp_status fail_at(const file *f, const char *what, size_t offset, tfp_error *err)
{
    return tfp_fail(err, TFP_BADFILE, "byte %llu: %s", (unsigned long long)(tfp_input_at(f->in) + offset), what);
}

/* ---- what stands beside the events ---- */

static void read_rank(file *f, tfp_str object)
{
    tfp_json j = tfp_json_start(object);
    tfp_json_text key;
    j.at++;
    for (bool first = true; tfp_json_member(&j, first, &key); first = false) {
        if (tfp_str_eq(key.raw, TFP_STR("rank")))
            tfp_json_integer(&j, &f->rank);
        else if (tfp_str_eq(key.raw, TFP_STR("world_size")))
            tfp_json_integer(&j, &f->rank_count);
        else
            tfp_json_skip(&j);
    }
}

static void read_device(file *f, tfp_json *j)
{
    tfp_json_text key, name = { { "", 0 }, false };
    tfp_device_info d = { .process = f->r.process };
    tfp_buf device = { 0 };
    int64_t id = 0;
    j->at++;
    for (bool first = true; tfp_json_member(j, first, &key); first = false) {
        if (tfp_str_eq(key.raw, TFP_STR("id")))
            tfp_json_integer(j, &id);
        else if (tfp_str_eq(key.raw, TFP_STR("totalGlobalMem")))
            tfp_json_integer(j, &d.memory_bytes);
        else if (tfp_str_eq(key.raw, TFP_STR("numSms")))
            tfp_json_integer(j, &d.sm_count);
        else if (tfp_str_eq(key.raw, TFP_STR("name")) && tfp_json_peek(j) == '"')
            tfp_json_string(j, &name);
        else
            tfp_json_skip(j);
    }
    tfp_buf_text(&device, "gpu:");
    tfp_buf_int(&device, id);
    d.device = tfp_build_string(f->b, (tfp_str){ device.data, device.failed ? 0 : device.size });
    device.size = 0;
    tfp_json_decode(name.raw, &device);
    d.name = tfp_build_string(f->b, (tfp_str){ device.data, device.failed ? 0 : device.size });
    if (device.failed && !f->b->status) f->b->status = TFP_NOMEM;
    tfp_buf_free(&device);
    if (!j->fault) tfp_build_device(f->b, &d);
}

static void read_devices(file *f, tfp_str array)
{
    tfp_json j = tfp_json_start(array);
    j.at++;
    for (bool first = true; tfp_json_item(&j, first); first = false) {
        if (tfp_json_peek(&j) == '{')
            read_device(f, &j);
        else
            tfp_json_skip(&j);
    }
}

/* Facts about the recording are kept as they are told. */
static void keep_fact(file *f, const tfp_json_text *key, const tfp_json_value *v)
{
    tfp_buf text = { 0 };
    tfp_stat fact = { .type = TFP_STAT_INT, .value.number = v->number };
    tfp_json_decode(key->raw, &text);
    fact.key = tfp_build_string(f->b, (tfp_str){ text.data, text.failed ? 0 : text.size });
    if (v->kind == TFP_JSON_REAL) {
        fact.type = TFP_STAT_REAL;
        fact.value.real = v->real;
    } else if (v->kind >= TFP_JSON_STRING) {
        text.size = 0;
        if (v->kind == TFP_JSON_STRING)
            tfp_json_decode(v->text.raw, &text);
        else
            tfp_buf_str(&text, v->text.raw);
        fact.type = TFP_STAT_TEXT;
        fact.value.text = tfp_build_string(f->b, (tfp_str){ text.data, text.failed ? 0 : text.size });
    }
    if (text.failed && !f->b->status) f->b->status = TFP_NOMEM;
    tfp_buf_free(&text);
    if (v->kind != TFP_JSON_NULL) tfp_build_about(f->b, &fact);
}

static void keep_member(file *f, const tfp_json_text *key, const tfp_json_value *v)
{
    if (tfp_str_eq(key->raw, TFP_STR("distributedInfo")) && v->kind == TFP_JSON_OBJECT) read_rank(f, v->text.raw);
    if (tfp_str_eq(key->raw, TFP_STR("deviceProperties")) && v->kind == TFP_JSON_ARRAY) {
        read_devices(f, v->text.raw);
        return;
    }
    if (tfp_str_eq(key->raw, TFP_STR("baseTimeNanoseconds")) && v->kind == TFP_JSON_INT)
        f->b->p->events.origin_unix_ns = v->number;
    keep_fact(f, key, v);
}

/* ---- events ---- */

/* Reads the array's events; its '[' was taken. */
static tfp_status read_events(file *f, tfp_error *err)
{
    tfp_kineto_slot *s = &f->slot;
    f->has_events = true;
    s->first = true;
    s->closed = false;
    for (size_t want = WINDOW; !s->closed && !f->cut;) {
        tfp_str window;
        tfp_status status = tfp_input_peek(f->in, want, &window, err);
        if (status) return status;
        bool whole = window.size == tfp_input_left(f->in);
        s->window = window;
        s->from = window.data;
        s->soft = window.data + (window.size < PIECE ? window.size : PIECE);
        tfp_kineto_parse(s);
        tfp_kineto_merge(&f->r, s);
        if (s->fault == TFP_JSON_WRONG) return fail_at(f, s->wrong, (size_t)(s->wrong_at - window.data), err);
        size_t used = (size_t)(s->end - window.data);
        if (used == 0 && !s->closed) { /* one event is longer than the window, or the file ends here */
            f->cut = whole;
            want *= 2;
            if (!whole && want > EVENT_MAX) return fail_at(f, "an event of more than 256 MB", 0, err);
            continue;
        }
        want = WINDOW;
        status = tfp_input_skip(f->in, used, err);
        if (!status) status = tfp_builder_status(f->b, err);
        if (status) return status;
    }
    return TFP_OK;
}

/* One member of the object around the events. */
static tfp_status read_member(file *f, bool first, bool *closed, tfp_error *err)
{
    for (size_t want = MEMBER;; want *= 2) {
        tfp_str window;
        tfp_json_text key;
        tfp_json_value v;
        tfp_status s = tfp_input_peek(f->in, want, &window, err);
        if (s) return s;
        bool whole = window.size == tfp_input_left(f->in), events = false;
        tfp_json j = tfp_json_start(window);
        *closed = !tfp_json_member(&j, first, &key) && !j.fault;
        if (!*closed) {
            events = tfp_str_eq(key.raw, TFP_STR("traceEvents")) && tfp_json_peek(&j) == '[';
            if (events)
                j.at++;
            else
                tfp_json_value_of(&j, &v);
        }
        if (j.fault == TFP_JSON_WRONG) return fail_at(f, j.wrong, (size_t)(j.at - window.data), err);
        if (j.fault == TFP_JSON_MORE && !whole) continue;
        if (j.fault) {
            f->cut = true;
            return TFP_OK;
        }
        if (!*closed && !events) keep_member(f, &key, &v);
        s = tfp_input_skip(f->in, (size_t)(j.at - window.data), err);
        return s || !events ? s : read_events(f, err);
    }
}

static tfp_status read_rest(file *f, tfp_error *err)
{
    while (tfp_input_left(f->in)) {
        tfp_str window;
        tfp_status s = tfp_input_peek(f->in, MEMBER, &window, err);
        if (s) return s;
        tfp_json j = tfp_json_start(window);
        if (tfp_json_peek(&j)) return fail_at(f, "text behind the end of the trace", (size_t)(j.at - window.data), err);
        s = tfp_input_skip(f->in, window.size, err);
        if (s) return s;
    }
    return TFP_OK;
}

static tfp_status read_all(file *f, tfp_error *err)
{
    tfp_str window;
    tfp_status s = tfp_input_peek(f->in, MEMBER, &window, err);
    if (s) return s;
    tfp_json j = tfp_json_start(window);
    j.at += mark_size(window);
    unsigned char c = tfp_json_peek(&j);
    if (c != '{' && c != '[') return fail_at(f, "no JSON object or array", (size_t)(j.at - window.data), err);
    s = tfp_input_skip(f->in, (size_t)(j.at - window.data) + 1, err);
    if (s) return s;
    bool closed = false;
    if (c == '[')
        s = read_events(f, err);
    else
        for (bool first = true; !s && !closed && !f->cut; first = false) s = read_member(f, first, &closed, err);
    if (s) return s;
    if (!f->has_events)
        return tfp_fail(err, TFP_BADFILE, "no `traceEvents`: not a trace%s", f->cut ? ", or cut short" : "");
    return f->cut ? TFP_OK : read_rest(f, err);
}

static tfp_status read_trace(tfp_builder *b, tfp_input *in, tfp_error *err)
{
    file f = { .b = b, .in = in, .r = { .b = b }, .rank = -1 };
    tfp_profile *p = b->p;
    tfp_process process = { .rank = -1, .source = (uint32_t)p->sources.size - 1 };
    f.r.process = tfp_build_process(b, &process);
    tfp_status s = tfp_kineto_slot_start(&f.slot) ? tfp_builder_status(b, err) : tfp_nomem(err);
    if (!s) s = read_all(&f, err);
    if (!s) {
        tfp_kineto_end(&f.r);
        if (f.cut) {
            tfp_build_data_finding(b, "error", "the file is cut short: what is whole was read", 1, TFP_STR(""));
            tfp_build_warn(b, "the file is cut short; what is whole was read", TFP_STR(""));
        }
        if (!f.r.events) tfp_build_warn(b, "no events in the trace", TFP_STR(""));
        tfp_process *made = &p->events.processes.at[f.r.process];
        made->tolerance_ns = f.r.fraction ? 0 : 1000;
        if (f.rank >= 0 && f.rank <= INT32_MAX) made->rank = (int32_t)f.rank;
        if (f.rank_count > 0 && f.rank_count <= INT32_MAX) made->rank_count = (int32_t)f.rank_count;
        s = tfp_builder_status(b, err);
    }
    tfp_kineto_reader_free(&f.r);
    tfp_kineto_slot_free(&f.slot);
    return s;
}

const tfp_format tfp_format_kineto = {
    "kineto",
    "trace of PyTorch (Kineto), or another one in Chrome's trace event format: spans, steps, kernels, memory",
    50,
    probe,
    read_trace,
    NULL,
    NULL
};
