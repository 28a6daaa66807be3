// SPDX-License-Identifier: Apache-2.0
/* formats/xplane/line.c: the second pass over a plane: reads the events of a line in windows and adds them as spans.
 * Start and end are both rounded down to nanoseconds, so that nesting is kept. */
#include "formats/xplane/parts.h"
#include "model/event_builder.h"
#include "model/span_names.h"
#include "model/tables/profile.h"

#include <stdio.h>

#define WINDOW ((size_t)256 << 10)

/* ---- times ---- */

#define TIME_MOST INT64_C(9000000000000000000) /* 9e15 us */

static int64_t floor_ns(int64_t ps) { return ps / 1000 - (ps % 1000 < 0); }

/* Sets the times of an event. False: the event is left out. */
static bool times_of(tfp_xline_reader *lr, const tfp_xevent *e, tfp_event *out)
{
    tfp_xreader *r = lr->r;
    int64_t base = lr->l->timestamp_ns, duration = e->duration_ps;
    bool clamped = false;
    if (duration < 0) {
        tfp_xplane_tell(r, "warning", "events with a negative duration, taken as 0", TFP_STR(""));
        out->marks |= TFP_MARK_CLAMPED;
        duration = 0;
    }
    int64_t start = tfp_add(base, floor_ns(e->offset_ps), &clamped);
    int64_t end = tfp_add(base, floor_ns(tfp_add(e->offset_ps, duration, &clamped)), &clamped);
    if (clamped || start > TIME_MOST || end > TIME_MOST || start < -TIME_MOST) {
        tfp_xplane_tell(r, "warning", "events with absurd times, left out", TFP_STR(""));
        return false;
    }
    if (start < 0) {
        tfp_xplane_tell(r, "warning", "events with negative times, moved to 0", TFP_STR(""));
        start = 0;
        if (end < 0) end = 0;
    }
    out->start_ns = start;
    out->duration_ns = end - start;
    return true;
}

/* ---- numbers of single events ---- */

typedef struct own { /* what belongs to one event and not to its class */
    const tfp_xvalue *correlation, *run, *step, *root;
    const tfp_xvalue *bytes, *allocated, *reserved, *allocator, *address;
} own;

static void find_own(own *o, const tfp_xvalue *v)
{
    switch (v->known) {
    case XS_CORRELATION_ID: o->correlation = v; break;
    case XS_RUN_ID: o->run = v; break;
    case XS_STEP_NUM: o->step = v; break;
    case XS_ROOT: o->root = v; break;
    case XS_ALLOCATION_BYTES: o->bytes = v; break;
    case XS_BYTES_ALLOCATED: o->allocated = v; break;
    case XS_BYTES_RESERVED: o->reserved = v; break;
    case XS_ALLOCATOR: o->allocator = v; break;
    case XS_ADDRESS: o->address = v; break;
    }
}

static int64_t number_of(const tfp_xvalue *v, int64_t without)
{
    return v && v->type == TFP_STAT_INT ? v->number : without;
}

uint32_t tfp_xplane_stats(tfp_xreader *r, const tfp_xclass *c)
{
    r->event.stats.size = 0;
    for (size_t i = 0; i < r->event.values.size; i++) {
        tfp_stat s;
        const tfp_xvalue *v = &r->event.values.at[i];
        if (v->known == XS_OTHER && tfp_xplane_stat(r, v, &s)) tfp_build_keep(r->b, tfp_push(&r->event.stats, s));
    }
    if (!r->event.stats.size || r->b->status) return c->stats;
    size_t own_count = r->event.stats.size, count = own_count + c->stat_count;
    if (!tfp_build_keep(r->b, tfp_reserve(&r->event.stats, count))) return c->stats;
    if (c->stat_count)
        memcpy(r->event.stats.at + own_count, r->classes.stats.at + c->stat_first,
               c->stat_count * sizeof *r->event.stats.at);
    return tfp_build_stats(r->b, r->event.stats.at, count);
}

/* "GPU_0_bfc" allocates on the device gpu:0. */
static tfp_strid allocator_device(tfp_xreader *r, const tfp_xvalue *allocator)
{
    tfp_str name = allocator ? tfp_xplane_text(r, allocator) : (tfp_str){ "", 0 };
    size_t at = tfp_str_find(name, TFP_STR("GPU_"));
    char device[24];
    if (at == SIZE_MAX) return tfp_build_string(r->b, TFP_STR("cpu"));
    unsigned number = 0;
    for (at += 4; at < name.size && name.data[at] >= '0' && name.data[at] <= '9' && number < 100000; at++)
        number = number * 10 + (unsigned)(name.data[at] - '0');
    int n = snprintf(device, sizeof device, "gpu:%u", number);
    return tfp_build_string(r->b, (tfp_str){ device, (size_t)n });
}

static void add_memory(tfp_xline_reader *lr, const own *o, const tfp_event *e, int8_t sign)
{
    tfp_memory_event m = { .at_ns = e->start_ns, .lane = lr->lane, .span = TFP_NONE };
    tfp_xplane_stop_compact(lr);
    m.bytes = tfp_mul(number_of(o->bytes, 0), sign, NULL);
    m.allocated_bytes = number_of(o->allocated, -1);
    m.reserved_bytes = number_of(o->reserved, -1);
    m.address = (uint64_t)number_of(o->address, 0);
    m.device = allocator_device(lr->r, o->allocator);
    tfp_build_memory_event(lr->r->b, &m);
}

/* ---- events ---- */

static uint32_t find_meta(tfp_xline_reader *lr, uint64_t id)
{
    if (lr->last_meta != TFP_NONE && lr->last_id == id) return lr->last_meta;
    lr->last_id = id;
    return lr->last_meta = tfp_xids_get(&lr->r->planes.at[lr->plane].meta_by_id, id);
}

/* The stream continues with another module. What was seen of the previous module in this stream is kept, because
 * modules alternate. */
static void change_module(tfp_xline_reader *lr, tfp_strid module)
{
    tfp_map64 *seen = &lr->r->only_by_module;
    uint64_t line = (uint64_t)lr->lane << 32;
    if (lr->module && lr->only != TFP_NONE) tfp_build_keep(lr->r->b, tfp_map64_put(seen, line | lr->module, lr->only));
    lr->only = module ? tfp_map64_get(seen, line | module) : TFP_NONE;
    lr->module = module;
    lr->instruction = 0;
}

/* A library call launches several kernels for one instruction, and they continue its run. A kernel that comes a second
 * time begins another run, unless the module runs other instructions in this stream: one of these would come between
 * two runs. */
unsigned tfp_xplane_run_marks(tfp_xline_reader *lr, const tfp_xclass *c, int64_t start_ns)
{
    if (c->module != lr->module) change_module(lr, c->module);
    bool again = c->instruction && c->instruction == lr->instruction && c->path == lr->path && start_ns >= lr->start_ns;
    bool goes_on = again && (c->name != lr->first || lr->only == TFP_SEVERAL);
    if (c->instruction && lr->only != c->instruction) lr->only = lr->only == TFP_NONE ? c->instruction : TFP_SEVERAL;
    lr->instruction = c->instruction;
    lr->path = c->path;
    lr->start_ns = start_ns;
    if (!goes_on) lr->first = c->name;
    return goes_on ? TFP_MARK_CONTINUES : 0;
}

uint32_t tfp_xplane_span(tfp_xline_reader *lr, tfp_xclass *c, tfp_event *e, const tfp_xown_numbers *n)
{
    tfp_xreader *r = lr->r;
    bool of_modules = lr->l->kind == XL_MODULES;
    e->lane = lr->lane;
    e->name = c->name;
    e->class = c->class;
    e->marks |= c->marks;
    e->trace = c->trace;
    if (n->correlation) e->correlation = tfp_build_key(r->b, r->process, 1, n->correlation);
    bool counts = !r->sums || (e->kind != TFP_SPAN_OTHER && (e->kind != TFP_SPAN_STEP || !lr->compact)) || of_modules;
    uint32_t span = TFP_NONE;
    if (n->may_be_step) tfp_xplane_beside_compact(lr, e);
    if (counts && (n->may_be_step || !tfp_xplane_compact(lr, c, e))) span = tfp_build_event(r->b, e);
    r->found.events = true;
    if (n->has_run && c->kind == TFP_SPAN_OP && c->module && !r->found.steps)
        tfp_xplane_thunk(lr, c, n->run, e->start_ns, e->duration_ns, span);
    else if (of_modules)
        tfp_xplane_run(lr, c, e, span);
    if (c->begins_step && e->kind == TFP_SPAN_ANNOTATION)
        tfp_xplane_mark(lr, e, &(tfp_step_mark){ .span = span, .source = TFP_STEPS_KERAS, .number = -1 });
    return span;
}

/* Adds an event, with everything that may be odd about it. */
static void add_event(tfp_xline_reader *lr, const tfp_xevent *x, uint32_t meta)
{
    tfp_xreader *r = lr->r;
    tfp_event e = { .lane = lr->lane, .stats = TFP_NONE, .trace = TFP_NONE };
    if (!times_of(lr, x, &e)) return;
    uint32_t at = tfp_xplane_classify(r, lr->plane, lr->l->kind, meta, e.start_ns);
    if (at == TFP_NONE) return;
    tfp_xclass *c = &r->classes.list.at[at];
    own o = { 0 };
    for (size_t i = 0; i < r->event.values.size; i++) find_own(&o, &r->event.values.at[i]);
    if (c->memory) {
        if (!r->rows) add_memory(lr, &o, &e, c->memory);
        return;
    }
    bool host = lr->l->kind == XL_HOST, step = host && number_of(o.step, -1) >= 0;
    tfp_xown_numbers n = { .has_run = o.run && !step && number_of(o.root, 0) != 1,
                           .run = (uint64_t)number_of(o.run, 0),
                           .correlation = o.correlation ? (uint64_t)o.correlation->number : 0 };
    e.marks |= tfp_xplane_run_marks(lr, c, e.start_ns);
    e.kind = step ? TFP_SPAN_STEP : c->kind;
    e.path = step ? 0 : c->path;
    e.op = step ? 0 : c->op;
    if (x->duration_ps <= 0 && (e.kind == TFP_SPAN_ANNOTATION || e.kind == TFP_SPAN_OTHER)) {
        e.kind = TFP_SPAN_OTHER;
        e.marks |= TFP_MARK_INSTANT;
    }
    e.stats = r->sums ? c->stats : tfp_xplane_stats(r, c);
    bool root = host && number_of(o.root, 0) == 1 && !tfp_is_input_thread(tfp_text(r->p, lr->l->label));
    bool named = host && c->names_step && e.kind == TFP_SPAN_ANNOTATION;
    n.may_be_step = (root || named) && e.kind == TFP_SPAN_ANNOTATION;
    tfp_step_mark mark = { .span = TFP_NONE, .source = TFP_STEPS_ROOTS, .number = -1 };
    if (step) {
        mark.source = TFP_STEPS_MARKED;
        mark.number = number_of(o.step, -1);
    } else if (named) {
        mark.source = TFP_STEPS_NAMED;
    } else if (root && lr->compact && e.kind != TFP_SPAN_OTHER) {
        tfp_xplane_call_around(r, e.start_ns + e.duration_ns, &mark);
    }
    mark.span = tfp_xplane_span(lr, c, &e, &n);
    if (!lr->compact) mark.group = 0, mark.end_ns = 0; /* the join looks at the spans around it */
    if (step || root || named) tfp_xplane_mark(lr, &e, &mark);
}

bool tfp_xplane_event(tfp_xline_reader *lr, tfp_wire *outer, const tfp_field *field, tfp_xevent *out)
{
    tfp_xreader *r = lr->r;
    const tfp_xplane *p = &r->planes.at[lr->plane];
    tfp_xevent e = { 0 };
    tfp_wire w = tfp_field_message(outer, field);
    r->event.values.size = 0;
    for (tfp_field f; tfp_wire_next(&w, &f);) {
        switch (f.number) {
        case 1: e.meta = tfp_field_uint(&w, &f); break;
        case 2: e.offset_ps = tfp_field_int(&w, &f); break;
        case 3: e.duration_ps = tfp_field_int(&w, &f); break;
        case 4: {
            tfp_xvalue v;
            if (tfp_xplane_value(r, p, &w, &f, &v) && v.known != XS_NOISE)
                tfp_build_keep(r->b, tfp_push(&r->event.values, v));
            break;
        }
        case 5:
            tfp_field_int(&w, &f);
            e.aggregated = true;
            break;
        }
    }
    tfp_wire_join(outer, &w, "event");
    *out = e;
    return !w.fault && !r->b->status;
}

static void read_event(tfp_xline_reader *lr, tfp_wire *outer, const tfp_field *field)
{
    tfp_xreader *r = lr->r;
    tfp_xevent e;
    if (!tfp_xplane_event(lr, outer, field, &e)) return;
    if (e.aggregated) {
        static const char what[] = "aggregated events, which have no times";
        tfp_build_data_finding(r->b, "info", what, 1, TFP_STR(""));
        return;
    }
    uint32_t meta = find_meta(lr, e.meta);
    if (meta == TFP_NONE) {
        char id[24];
        int n = snprintf(id, sizeof id, "%llu", (unsigned long long)e.meta);
        tfp_xplane_tell(r, "warning", "events whose metadata is missing, left out as unreadable",
                        (tfp_str){ id, (size_t)n });
        return;
    }
    add_event(lr, &e, meta);
}

/* ---- windows ---- */

bool tfp_xplane_is_whole(const tfp_wire *w, size_t *need)
{
    tfp_wire copy = *w;
    const uint8_t *at = copy.at;
    uint64_t tag, size;
    *need = 0;
    if (!tfp_wire_varint(&copy, &at, &tag)) return false;
    if ((tag & 7) == TFP_VARINT) return tfp_wire_varint(&copy, &at, &size);
    if ((tag & 7) != TFP_BYTES) return copy.end - at >= 8 && (tag & 7) != TFP_GROUP;
    if (!tfp_wire_varint(&copy, &at, &size)) return false;
    if (size <= (uint64_t)(copy.end - at)) return true;
    *need = size < (uint64_t)1 << 62 ? (size_t)(at - w->at) + (size_t)size : 0;
    return false;
}

void tfp_xplane_line_field(tfp_xline_reader *lr, tfp_wire *w, const tfp_field *f)
{
    tfp_xreader *r = lr->r;
    if (f->number == 4) {
        read_event(lr, w, f);
    } else if (f->number == 11 && lr->lane != TFP_NONE) {
        tfp_strid label = tfp_build_string(r->b, tfp_field_bytes(w, f));
        if (label) r->p->lanes->at[lr->lane].label = label;
    }
}

/* The part of a line's bytes that is in memory. */
typedef struct window {
    tfp_str seen;
    uint64_t at; /* its offset in the file */
    bool last;
    /* used: bytes of the fields that were read; need: bytes of the next field, when it does not fit into the window */
    size_t used, need;
} window;

/* Reads the fields that are completely in the window. */
static tfp_status read_window(tfp_xline_reader *lr, window *x, tfp_error *err)
{
    tfp_wire w = tfp_wire_start_at(x->seen, x->at);
    for (tfp_field f; w.at < w.end && (x->last || tfp_xplane_is_whole(&w, &x->need));) {
        if (!tfp_wire_next(&w, &f)) break;
        tfp_xplane_line_field(lr, &w, &f);
        if (lr->r->b->status) break;
    }
    x->used = (size_t)(w.at - w.start);
    tfp_status s = tfp_wire_end(&w, err);
    return s ? s : tfp_builder_status(lr->r->b, err);
}

tfp_status tfp_xplane_read_rest(tfp_xline_reader *lr, uint64_t at, tfp_error *err)
{
    tfp_input *in = lr->r->in;
    uint64_t end = lr->l->at + lr->l->size;
    size_t want = WINDOW;
    tfp_status s = tfp_builder_status(lr->r->b, err);
    while (!s && at < end) {
        window x = { .at = at };
        if (want > end - at) want = (size_t)(end - at);
        s = tfp_input_seek(in, at, err);
        if (!s) s = tfp_input_peek(in, want, &x.seen, err);
        if (s) break;
        if (x.seen.size > end - at) x.seen.size = (size_t)(end - at);
        x.last = at + x.seen.size == end;
        s = read_window(lr, &x, err);
        at += x.used;
        want = x.used ? WINDOW : x.need > x.seen.size ? x.need : x.seen.size * 2;
        if (!s) s = tfp_input_seek(in, at, err);
    }
    return s;
}
