// SPDX-License-Identifier: Apache-2.0
/* formats/samples/speedscope.c: files of speedscope, with sampled or evented profiles. In: JSON. Out: a trace for each
 * stack, and a sample for each weight, labelled by its profile's name (a thread). Members may come in any order, so
 * they are located first. Layout: https://www.speedscope.app/file-format-schema.json. */
#include "formats/files/format.h"
#include "formats/json/text.h"
#include "model/event_builder.h"
#include "model/tables/code.h"
#include "model/tables/events.h"
#include "model/tables/graph.h"
#include "model/tables/profile.h"
#include "model/tables/samples.h"

#define FRAMES_MOST                                                                                                    \
    ((uint64_t)16 << 20) /* limit for all stacks together: each event of a deep stack makes another stack */

typedef struct profile { /* members of a profile, as texts of the file */
    tfp_str samples, weights, events;
    tfp_strid name;
    double factor; /* converts its unit to that of the sample type */
    uint32_t type; /* index in sample_types */
} profile;

typedef struct reader {
    tfp_builder *b;
    TFP_VEC(tfp_code_frame) frames; /* frames of the file */
    TFP_VEC(tfp_code_frame) stack;
    uint64_t frame_count; /* frames in all stacks so far */
    uint64_t odd;         /* references to frames that the file does not have, and ends of frames that are not open */
    size_t profiles, samples;
    const char *wrong;
} reader;

static bool wrong(reader *r, const tfp_jscan *j)
{
    if (j->fault && !r->wrong) r->wrong = j->fault == TFP_JSCAN_MORE ? "it is cut short" : j->wrong;
    return r->wrong || r->b->status || r->frame_count > FRAMES_MOST;
}

/* ---- values ---- */

/* The text of the next value; the value is skipped. */
static tfp_str value_text(tfp_jscan *j)
{
    tfp_jscan_peek(j);
    const char *from = j->at;
    tfp_jscan_skip(j);
    return (tfp_str){ from, (size_t)(j->at - from) };
}

static double number_of(const tfp_jscan_value *v)
{
    return v->kind == TFP_JSCAN_INT ? (double)v->number : v->kind == TFP_JSCAN_REAL ? v->real : 0;
}

/* Takes a number of the array; false at its end. */
static bool next_number(reader *r, tfp_jscan *j, bool *first, double *out)
{
    tfp_jscan_value v = { 0 };
    if (!tfp_jscan_item(j, *first)) return false;
    *first = false;
    tfp_jscan_value_of(j, &v);
    *out = number_of(&v);
    return !wrong(r, j);
}

/* ---- frames ---- */

static void read_frame(reader *r, tfp_jscan *j)
{
    tfp_code_frame frame = { 0 };
    tfp_jscan_text key;
    tfp_jscan_take(j, '{', "a frame is no object");
    for (bool first = true; tfp_jscan_member(j, first, &key) && !wrong(r, j); first = false) {
        tfp_jscan_value v = { 0 };
        tfp_jscan_value_of(j, &v);
        bool text = v.kind == TFP_JSCAN_STRING;
        if (text && tfp_str_eq(key.raw, TFP_STR("name"))) frame.function = tfp_json_string(r->b, &v.text);
        if (text && tfp_str_eq(key.raw, TFP_STR("file"))) frame.file = tfp_json_string(r->b, &v.text);
        bool line = v.kind == TFP_JSCAN_INT && v.number > 0 && v.number <= INT32_MAX;
        if (line && tfp_str_eq(key.raw, TFP_STR("line"))) frame.line = (int32_t)v.number;
    }
    if (!wrong(r, j)) tfp_build_keep(r->b, tfp_push(&r->frames, frame));
}

static void read_shared(reader *r, tfp_str shared)
{
    tfp_jscan j = tfp_jscan_start(shared);
    tfp_jscan_text key;
    tfp_jscan_take(&j, '{', "`shared` is no object");
    for (bool first = true; tfp_jscan_member(&j, first, &key) && !wrong(r, &j); first = false) {
        if (!tfp_str_eq(key.raw, TFP_STR("frames"))) {
            tfp_jscan_skip(&j);
            continue;
        }
        tfp_jscan_take(&j, '[', "`frames` is no array");
        for (bool item = true; tfp_jscan_item(&j, item) && !wrong(r, &j); item = false) read_frame(r, &j);
    }
    wrong(r, &j);
}

/* ---- samples ---- */

static void add_frame(reader *r, double number)
{
    if (number >= 0 && number < (double)r->frames.size)
        tfp_build_keep(r->b, tfp_push(&r->stack, r->frames.at[(size_t)number]));
    else
        r->odd++;
}

/* Adds a sample of the stack with this weight, in the profile's unit. */
static void add_sample(reader *r, const profile *p, double weight)
{
    tfp_stack_sample s = { .type = p->type, .labels = TFP_NONE };
    double value = weight * p->factor;
    if (!(value >= 0.5) || !r->stack.size) return; /* an empty stack covers time in which the thread was not observed */
    r->frame_count += r->stack.size;
    if (r->frame_count > FRAMES_MOST) return;
    s.value = value >= 9e18 ? INT64_MAX : (int64_t)(value + 0.5);
    s.trace = tfp_build_trace(r->b, r->stack.at, r->stack.size);
    if (p->name) {
        tfp_stat label = { .key = tfp_build_string(r->b, TFP_STR("thread")), .type = TFP_STAT_TEXT };
        label.value.text = p->name;
        s.labels = tfp_build_stats(r->b, &label, 1);
    }
    tfp_build_sample(r->b, &s);
    r->samples++;
}

/* Reads stacks, outermost frame first, and the weight of each; without weights each counts as 1. */
static void read_sampled(reader *r, const profile *p)
{
    tfp_jscan samples = tfp_jscan_start(p->samples), weights = tfp_jscan_start(p->weights);
    bool weighed = p->weights.size && tfp_jscan_take(&weights, '[', "`weights` is no array"), first_weight = true;
    tfp_jscan_take(&samples, '[', "`samples` is no array");
    for (bool first = true; tfp_jscan_item(&samples, first) && !wrong(r, &samples); first = false) {
        double number, weight = 1;
        r->stack.size = 0;
        tfp_jscan_take(&samples, '[', "a sample is no array");
        for (bool item = true; next_number(r, &samples, &item, &number);) add_frame(r, number);
        if (weighed && !next_number(r, &weights, &first_weight, &weight)) weight = 0;
        if (!wrong(r, &samples)) add_sample(r, p, weight);
    }
    wrong(r, &samples);
}

typedef struct moment {
    double at, frame;
    char type;
} moment;

static moment read_moment(reader *r, tfp_jscan *j)
{
    moment m = { 0 };
    tfp_jscan_text key;
    tfp_jscan_take(j, '{', "an event is no object");
    for (bool first = true; tfp_jscan_member(j, first, &key) && !wrong(r, j); first = false) {
        tfp_jscan_value v = { 0 };
        tfp_jscan_value_of(j, &v);
        if (tfp_str_eq(key.raw, TFP_STR("at"))) m.at = number_of(&v);
        if (tfp_str_eq(key.raw, TFP_STR("frame"))) m.frame = number_of(&v);
        bool type = v.kind == TFP_JSCAN_STRING && v.text.raw.size == 1 && tfp_str_eq(key.raw, TFP_STR("type"));
        if (type) m.type = v.text.raw.data[0];
    }
    return m;
}

/* Reads opens and closes: the frames that are open between two events took the time between them. */
static void read_evented(reader *r, const profile *p)
{
    tfp_jscan j = tfp_jscan_start(p->events);
    double last = 0;
    r->stack.size = 0;
    tfp_jscan_take(&j, '[', "`events` is no array");
    for (bool first = true; tfp_jscan_item(&j, first) && !wrong(r, &j); first = false) {
        moment m = read_moment(r, &j);
        if (wrong(r, &j)) break;
        add_sample(r, p, m.at - last);
        last = m.at;
        if (m.type == 'O')
            add_frame(r, m.frame);
        else if (m.type == 'C' && r->stack.size)
            r->stack.size--;
        else
            r->odd++;
    }
    wrong(r, &j);
}

/* ---- profiles ---- */

static void set_unit(reader *r, profile *p, tfp_str unit)
{
    static const struct {
        const char *unit, *type, *told;
        double factor;
    } units[] = { { "nanoseconds", "time", "nanoseconds", 1 },
                  { "microseconds", "time", "nanoseconds", 1e3 },
                  { "milliseconds", "time", "nanoseconds", 1e6 },
                  { "seconds", "time", "nanoseconds", 1e9 },
                  { "bytes", "space", "bytes", 1 },
                  { "none", "samples", "count", 1 } };
    size_t which = sizeof units / sizeof *units - 1;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (tfp_str_eq(unit, tfp_str_of(units[i].unit))) which = i;
    p->factor = units[which].factor;
    tfp_strid type = tfp_build_string(r->b, tfp_str_of(units[which].type));
    p->type = tfp_build_sample_type(r->b, type, tfp_build_string(r->b, tfp_str_of(units[which].told)));
}

static void read_profile(reader *r, tfp_str text)
{
    profile p = { 0 };
    tfp_str unit = { "", 0 };
    tfp_jscan j = tfp_jscan_start(text);
    tfp_jscan_text key;
    tfp_jscan_take(&j, '{', "a profile is no object");
    for (bool first = true; tfp_jscan_member(&j, first, &key) && !wrong(r, &j); first = false) {
        tfp_str value = value_text(&j);
        bool text_value = value.size > 1 && value.data[0] == '"';
        tfp_jscan in = tfp_jscan_start(value);
        tfp_jscan_text inside = { { "", 0 }, false };
        if (text_value) tfp_jscan_string(&in, &inside);
        if (tfp_str_eq(key.raw, TFP_STR("samples"))) p.samples = value;
        if (tfp_str_eq(key.raw, TFP_STR("weights"))) p.weights = value;
        if (tfp_str_eq(key.raw, TFP_STR("events"))) p.events = value;
        if (text_value && tfp_str_eq(key.raw, TFP_STR("unit"))) unit = inside.raw;
        if (text_value && tfp_str_eq(key.raw, TFP_STR("name"))) p.name = tfp_json_string(r->b, &inside);
    }
    if (wrong(r, &j)) return;
    r->profiles++;
    set_unit(r, &p, unit);
    if (!r->b->status && r->profiles == 1) r->b->p->about.sample_type = p.type;
    if (p.samples.size) read_sampled(r, &p);
    if (p.events.size) read_evented(r, &p);
}

static void read_all(reader *r, tfp_str text)
{
    tfp_str shared = { "", 0 }, profiles = { "", 0 };
    tfp_jscan j = tfp_jscan_start(text);
    tfp_jscan_text key;
    tfp_jscan_take(&j, '{', "it is no object");
    for (bool first = true; tfp_jscan_member(&j, first, &key) && !wrong(r, &j); first = false) {
        tfp_str value = value_text(&j);
        if (tfp_str_eq(key.raw, TFP_STR("shared"))) shared = value;
        if (tfp_str_eq(key.raw, TFP_STR("profiles"))) profiles = value;
    }
    if (wrong(r, &j)) return;
    if (shared.size) read_shared(r, shared);
    j = tfp_jscan_start(profiles);
    tfp_jscan_take(&j, '[', "`profiles` is no array");
    for (bool first = true; tfp_jscan_item(&j, first) && !wrong(r, &j); first = false) read_profile(r, value_text(&j));
    wrong(r, &j);
}

static tfp_status read_speedscope(tfp_builder *b, tfp_input *in, tfp_error *err)
{
    reader r = { .b = b };
    tfp_str text;
    if (b->p->graph->nodes.size || b->p->events->spans.size)
        return tfp_fail(err, TFP_BADARG, "sampled stacks stand alone, or with others of their kind");
    tfp_status s = tfp_input_all(in, &text, err);
    if (!s) read_all(&r, text);
    if (!s) s = tfp_builder_status(b, err);
    if (!s && r.wrong) s = tfp_fail(err, TFP_BADFILE, "no file of speedscope: %s", r.wrong);
    if (!s && r.frame_count > FRAMES_MOST)
        s = tfp_fail(err, TFP_LIMIT, "stacks of more than %llu frames in all", (unsigned long long)FRAMES_MOST);
    if (!s && !r.profiles) s = tfp_fail(err, TFP_BADFILE, "a file of speedscope without profiles");
    if (!s && !r.samples) tfp_build_warn(b, "no samples in the profile", TFP_STR(""));
    if (!s && r.odd) tfp_build_warn_many(b, "frames that the file does not have, left out", TFP_STR(""), r.odd);
    if (!s) tfp_build_has(b, TFP_HAS_CODE);
    tfp_vec_free(&r.frames);
    tfp_vec_free(&r.stack);
    return s;
}

static int probe(tfp_str head, uint64_t total)
{
    (void)total;
    if (!head.size || (head.data[0] != '{' && (unsigned char)head.data[0] > ' ')) return 0;
    return tfp_str_has(head, TFP_STR("speedscope.app/file-format-schema")) ? 90 : 0;
}

const tfp_format tfp_format_speedscope = {
    .name = "speedscope",
    .help = "file of speedscope (speedscope.app): sampled or evented stacks",
    .probe = probe,
    .read = read_speedscope,
};
