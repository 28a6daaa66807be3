// SPDX-License-Identifier: Apache-2.0
/* formats/json/kineto_merge.c: adds the rows of pieces to the profile as events, in the order of the file. A slot's
 * strings, lanes and sets of stats get their numbers in the profile when the first event needs them, so the profile
 * does not depend on how the file was cut. */
#include "formats/json/kineto.h"
#include "model/event_builder.h"
#include "model/recorded.h"
#include "model/span_names.h"
#include "model/tables/code.h"
#include "model/tables/events.h"
#include "model/tables/profile.h"

#include <stdio.h>

#define NOT_YET (TFP_NONE - 1)
#define BACK_NS 1000000

/* ---- from the slot's tables to the profile's ---- */

static uint32_t sets(tfp_kineto_reader *r, tfp_kineto_slot *s, uint32_t set)
{
    if (set == TFP_NONE) return TFP_NONE;
    if (s->sets.global.at[set] != TFP_NONE) return s->sets.global.at[set];
    const tfp_stat_set *x = &s->sets.list.at[set];
    s->one.size = 0;
    if (!tfp_build_keep(r->b, tfp_reserve(&s->one, x->count))) return TFP_NONE;
    for (uint32_t i = 0; i < x->count; i++) {
        tfp_stat stat = s->sets.stats.at[x->first + i];
        stat.key = tfp_kineto_global(r, s, stat.key);
        if (stat.type == TFP_STAT_TEXT) stat.value.text = tfp_kineto_global(r, s, (uint32_t)stat.value.text);
        s->one.at[s->one.size++] = stat;
    }
    return s->sets.global.at[set] = tfp_build_stats(r->b, s->one.at, s->one.size);
}

/* ---- names ---- */

static uint8_t name_bits(tfp_kineto_slot *s, uint32_t string)
{
    uint8_t *bits = &s->words.known.at[string].name;
    if (*bits == 0xff) *bits = tfp_kineto_look_at_name(s->words.strings.strings[string]);
    return *bits;
}

static tfp_strid module_name(tfp_kineto_reader *r, tfp_kineto_slot *s, uint32_t string)
{
    uint32_t *id = &s->words.known.at[string].module;
    tfp_str name = s->words.strings.strings[string];
    size_t skip = sizeof "nn.Module: " - 1;
    if (*id == TFP_NONE) *id = tfp_build_string(r->b, (tfp_str){ name.data + skip, name.size - skip });
    return *id;
}

/* ---- call stacks ---- */

static bool take_frame(tfp_kineto_reader *r, tfp_str text, tfp_code_frame *f)
{
    tfp_python_frame p;
    while (text.size && text.data[0] == ' ') text.data++, text.size--;
    if (!tfp_python_frame_of(text, &p)) return false;
    *f = (tfp_code_frame){ .file = tfp_build_string(r->b, p.file),
                           .function = tfp_build_string(r->b, p.function),
                           .line = p.line };
    return true;
}

/* Parses "INNERMOST;...;OUTERMOST"; parts that are no line of Python are left out. */
static uint32_t trace_of(tfp_kineto_reader *r, tfp_str stack)
{
    TFP_VEC(tfp_code_frame) frames = { 0 };
    for (size_t end = stack.size; end > 0;) {
        size_t from = end;
        while (from > 0 && stack.data[from - 1] != ';') from--;
        tfp_code_frame f;
        if (take_frame(r, (tfp_str){ stack.data + from, end - from }, &f)) tfp_build_keep(r->b, tfp_push(&frames, f));
        end = from ? from - 1 : 0;
    }
    uint32_t trace = r->b->status ? TFP_NONE : tfp_build_trace(r->b, frames.at, frames.size);
    tfp_vec_free(&frames);
    if (trace != TFP_NONE) tfp_build_has(r->b, TFP_HAS_CODE);
    return trace;
}

static uint32_t stack_of(tfp_kineto_reader *r, tfp_kineto_slot *s, uint32_t string)
{
    if (!string || r->b->status) return TFP_NONE;
    uint32_t *trace = &s->words.known.at[string].trace;
    if (*trace == NOT_YET) *trace = trace_of(r, s->words.strings.strings[string]);
    return *trace;
}

/* ---- events ---- */

static tfp_span_kind kind_of(const tfp_kineto_row *x, uint8_t name)
{
    switch (x->what) {
    case TFP_KINETO_OP: return TFP_SPAN_OP;
    case TFP_KINETO_ANNOTATION: return TFP_SPAN_ANNOTATION;
    case TFP_KINETO_CALL:
    case TFP_KINETO_WAIT: return TFP_SPAN_CALL;
    case TFP_KINETO_FRAME: return name & TFP_KINETO_MODULE ? TFP_SPAN_MODULE : TFP_SPAN_FRAME;
    case TFP_KINETO_KERNEL:
    case TFP_KINETO_COPY:
    case TFP_KINETO_SET:
    case TFP_KINETO_UNKNOWN: return TFP_SPAN_ACTIVITY;
    default: return TFP_SPAN_OTHER;
    }
}

static tfp_span_class class_of(const tfp_kineto_row *x, uint8_t name)
{
    tfp_span_class class = TFP_CLASS_COMPUTE;
    uint8_t told = 0; /* as the event's name tells */
    switch (x->what) {
    case TFP_KINETO_COPY: return TFP_CLASS_COPY;
    case TFP_KINETO_SET: return TFP_CLASS_SET;
    case TFP_KINETO_KERNEL:
    case TFP_KINETO_UNKNOWN: class = tfp_kineto_kernel_class(name); break;
    case TFP_KINETO_OP: told = name & TFP_KINETO_COLLECTIVE_OP; break;
    case TFP_KINETO_ANNOTATION: told = name & TFP_KINETO_COLLECTIVE_RANGE; break;
    default: break;
    }
    return class == TFP_CLASS_COMPUTE && (told || x->flags & TFP_KINETO_COLLECTIVE) ? TFP_CLASS_COMMUNICATION : class;
}

enum { CORRELATION, EXTERNAL, SEQUENCE };

/* Whether the event may mark a step; gives what its name says. On a stream, markers of a server count where the host has none
 * (model/join/markers.c). */
static bool is_step(const tfp_kineto_slot *s, const tfp_kineto_row *x, uint8_t name, tfp_step_name *out)
{
    tfp_str text = s->words.strings.strings[x->name];
    tfp_step_phase phase;
    bool range = x->what == TFP_KINETO_OP || x->what == TFP_KINETO_ANNOTATION || x->what == TFP_KINETO_PLAIN;
    if (!(name & TFP_KINETO_STEP) || !(range || (x->what == TFP_KINETO_ON_STREAM && tfp_step_phase_of(text, &phase))))
        return false;
    return tfp_step_name_of(text, out) && (!out->profiler || x->what != TFP_KINETO_PLAIN);
}

static void add_mark(tfp_kineto_reader *r, uint32_t span, const tfp_step_name *step)
{
    tfp_step_mark m = { .span = span, .source = TFP_STEPS_OPTIMIZER, .number = -1 };
    if (step) m.source = step->profiler ? TFP_STEPS_MARKED : TFP_STEPS_NAMED;
    if (step && step->profiler) m.number = step->number;
    tfp_build_step_mark(r->b, &m);
}

static uint32_t add_event(tfp_kineto_reader *r, tfp_kineto_slot *s, const tfp_kineto_row *x, unsigned marks)
{
    uint8_t name = name_bits(s, x->name);
    tfp_step_name step;
    bool marks_step = !(marks & TFP_MARK_INSTANT) && is_step(s, x, name, &step);
    tfp_event e = { .lane = tfp_kineto_lane_at(r, s, x->lane),
                    .start_ns = x->start_ns,
                    .duration_ns = x->duration_ns,
                    .kind = marks_step && step.profiler ? TFP_SPAN_STEP : kind_of(x, name),
                    .class = class_of(x, name),
                    .marks = marks,
                    .stats = sets(r, s, x->stats),
                    .trace = TFP_NONE };
    e.name = e.kind == TFP_SPAN_MODULE ? module_name(r, s, x->name) : tfp_kineto_global(r, s, x->name);
    if (x->phase == 'X' || x->phase == 'B') e.trace = stack_of(r, s, x->extra);
    if (x->flags & (TFP_KINETO_NO_DUR | TFP_KINETO_NEGATIVE) && x->phase == 'X') e.marks |= TFP_MARK_CLAMPED;
    if (x->flags & TFP_KINETO_BACKWARD && e.kind == TFP_SPAN_OP) e.marks |= TFP_MARK_BACKWARD;
    if (x->flags & TFP_KINETO_COLLECTIVE) e.marks |= TFP_MARK_COLLECTIVE;
    if (x->what == TFP_KINETO_WAIT) e.marks |= TFP_MARK_WAITS;
    if (x->what != TFP_KINETO_PLAIN) {
        if (x->correlation && x->correlation != UINT32_MAX) /* -1 in 32 bits */
            e.correlation = tfp_build_key(r->b, r->process, CORRELATION, x->correlation);
        if (x->flags & TFP_KINETO_HAS_EXTERNAL) e.external = tfp_build_key(r->b, r->process, EXTERNAL, x->external);
        if (x->flags & TFP_KINETO_HAS_SEQUENCE) e.sequence = tfp_build_key(r->b, r->process, SEQUENCE, x->sequence);
    }
    if (e.kind == TFP_SPAN_ACTIVITY) r->links.activities++, r->links.unnumbered += !e.correlation;
    if (e.kind == TFP_SPAN_CALL) r->links.numbered_calls |= e.correlation != 0;
    uint32_t span = tfp_build_event(r->b, &e);
    if (x->call && x->call != x->external && span != TFP_NONE)
        tfp_build_keep(r->b, tfp_push(&r->b->p->events->calls, ((tfp_recorded_call){ x->call, span })));
    if (marks_step || (e.kind == TFP_SPAN_ANNOTATION && name & TFP_KINETO_OPTIMIZER))
        add_mark(r, span, marks_step ? &step : NULL);
    r->events++;
    if (x->what == TFP_KINETO_UNKNOWN && r->unknown++ == 0) r->first_unknown = tfp_kineto_global(r, s, x->category);
    if (x->what == TFP_KINETO_PLAIN && !(marks & TFP_MARK_INSTANT) && r->plain++ == 0) r->first_plain = e.name;
    return span;
}

/* ---- rows ---- */

/* Events with one async id may overlap other events, so each category gets a row of its own, which is not counted. */
static uint64_t async_key(tfp_kineto_reader *r, tfp_kineto_slot *s, const tfp_kineto_row *x)
{
    const uint64_t key[2] = { x->correlation, tfp_kineto_global(r, s, x->category) };
    return tfp_hash(key, sizeof key);
}

/* The name of a series of a counter. PyTorch's counters of GPUs have a series without a name, and a process for each
 * GPU ("GPU 0 Counters"). */
static tfp_strid series_of(tfp_kineto_reader *r, tfp_kineto_slot *s, const tfp_kineto_row *x, tfp_strid key)
{
    const tfp_kineto_lane *lane = &s->lanes.list.at[x->lane];
    bool named = tfp_text(r->b->p, key).size || x->lane == TFP_NONE || !(lane->words & 1);
    return named ? key : tfp_kineto_global(r, s, (uint32_t)lane->a);
}

static void add_counter(tfp_kineto_reader *r, tfp_kineto_slot *s, const tfp_kineto_row *x)
{
    uint32_t set = sets(r, s, x->stats);
    if (set == TFP_NONE) return;
    const tfp_event_tables *t = r->b->p->events;
    for (uint32_t i = 0; i < t->stat_sets.at[set].count; i++) {
        const tfp_stat *stat = &t->stats.at[t->stat_sets.at[set].first + i];
        if (stat->type == TFP_STAT_TEXT) continue;
        tfp_counter_sample c = { .at_ns = x->start_ns,
                                 .name = tfp_kineto_global(r, s, x->name),
                                 .series = series_of(r, s, x, stat->key),
                                 .process = r->process };
        c.value = stat->type == TFP_STAT_INT ? (double)stat->value.number : stat->value.real;
        tfp_build_counter(r->b, &c);
        tfp_build_keep(r->b, tfp_push(&r->lanes.counters, tfp_kineto_place(r, s, x->lane)));
    }
}

static void add_memory(tfp_kineto_reader *r, tfp_kineto_slot *s, const tfp_kineto_row *x)
{
    const tfp_kineto_memory *m = &s->memory.at[x->extra];
    char device[40] = "cpu";
    if (m->device_type != 0) snprintf(device, sizeof device, "gpu:%lld", (long long)(m->device < 0 ? 0 : m->device));
    tfp_memory_event e = { .at_ns = x->start_ns,
                           .bytes = m->bytes,
                           .allocated_bytes = m->allocated,
                           .reserved_bytes = m->reserved,
                           .address = m->address,
                           .lane = tfp_kineto_lane_at(r, s, x->lane),
                           .device = tfp_build_string(r->b, tfp_str_of(device)),
                           .span = TFP_NONE };
    tfp_build_memory_event(r->b, &e);
}

/* Categories of the events that NCCL's profiler plugin writes. */
static bool is_of_nccl(tfp_str category)
{
    return tfp_str_eq(category, TFP_STR("COLL")) || tfp_str_eq(category, TFP_STR("COLL_API")) ||
           tfp_str_eq(category, TFP_STR("P2P")) || tfp_str_eq(category, TFP_STR("P2P_API"));
}

static void add_row(tfp_kineto_reader *r, tfp_kineto_slot *s, const tfp_kineto_row *x)
{
    uint32_t span;
    r->early += !!(x->flags & TFP_KINETO_EARLY);
    switch (x->phase) {
    case 'X':
        r->backward += x->start_ns < r->latest_ns && r->latest_ns - x->start_ns > BACK_NS;
        if (x->start_ns > r->latest_ns) r->latest_ns = x->start_ns;
        r->negative += !!(x->flags & TFP_KINETO_NEGATIVE);
        r->no_number += !!(x->flags & TFP_KINETO_NO_NUMBER);
        add_event(r, s, x, 0);
        break;
    case 'B':
        span = add_event(r, s, x, TFP_MARK_CLAMPED);
        tfp_kineto_begin(r, false, tfp_kineto_lane_at(r, s, x->lane), span);
        break;
    case 'E':
        tfp_kineto_end_of(r, false, tfp_kineto_lane_at(r, s, x->lane), x->start_ns, tfp_kineto_global(r, s, x->name));
        break;
    case 'b':
        r->nccl += is_of_nccl(s->words.strings.strings[x->category]);
        span = add_event(r, s, x, TFP_MARK_CLAMPED);
        tfp_kineto_begin(r, true, async_key(r, s, x), span);
        break;
    case 'e': tfp_kineto_end_of(r, true, async_key(r, s, x), x->start_ns, tfp_kineto_global(r, s, x->name)); break;
    case 'C': add_counter(r, s, x); break;
    case 'm': add_memory(r, s, x); break;
    case 'M': tfp_kineto_label(r, s, x); break;
    case 'i':
    case 'I':
    case 'R':
    case 'n':
        if (x->what == TFP_KINETO_PLAIN) add_event(r, s, x, TFP_MARK_INSTANT);
        break;
    case 's':
    case 'f':
        if (x->what == TFP_KINETO_OP_FLOW || x->what == TFP_KINETO_LAUNCH_FLOW)
            tfp_kineto_keep_flow(r, s, x);
        else if (x->what != TFP_KINETO_BACK_FLOW)
            tfp_kineto_keep_arrow(r, s, x);
        break;
    default: break; /* objects, samples: all other events are skipped */
    }
}

/* Counts events that are left out. They are reported at the end: earlier, their number and the order of strings would
 * depend on the pieces. */
static void leave_out(tfp_kineto_reader *r, tfp_kineto_left_out *all, int64_t count, const tfp_buf *first)
{
    if (count && !all->count) tfp_buf_str(&all->first, (tfp_str){ first->data ? first->data : "", first->size });
    all->count += count;
    tfp_build_keep(r->b, !all->first.failed);
}

void tfp_kineto_note_commas(tfp_kineto_reader *r, int64_t count, uint64_t at)
{
    if (count && !r->left.commas.count) tfp_buf_printf(&r->left.commas.first, "byte %llu", (unsigned long long)at);
    r->left.commas.count += count;
    tfp_build_keep(r->b, !r->left.commas.first.failed);
}

void tfp_kineto_merge(tfp_kineto_reader *r, tfp_kineto_slot *s)
{
    if (s->failed) tfp_build_keep(r->b, false);
    tfp_kineto_check_part(r, s);
    for (size_t i = 0; i < s->rows.size && !r->b->status; i++) add_row(r, s, &s->rows.at[i]);
    r->rows += s->rows.size;
    r->fraction |= s->fraction;
    tfp_kineto_note_commas(r, s->commas, s->comma_at);
    leave_out(r, &r->left.unreadable, s->unreadable, &s->first_unreadable);
    leave_out(r, &r->left.absurd, s->absurd, &s->first_absurd);
}

static void tell(tfp_kineto_reader *r, const char *severity, const char *what, int64_t count)
{
    if (!count) return;
    tfp_build_data_finding(r->b, severity, what, count, TFP_STR(""));
    tfp_build_warn_many(r->b, what, TFP_STR(""), (size_t)count);
}

typedef struct left_out_words {
    const char *severity, *finding, *warning;
} left_out_words;

static void tell_left_out(tfp_kineto_reader *r, const tfp_kineto_left_out *x, left_out_words words)
{
    tfp_str first = { x->first.data ? x->first.data : "", x->first.size };
    if (!x->count) return;
    tfp_build_data_finding(r->b, words.severity, words.finding, x->count, first);
    tfp_build_warn_many(r->b, words.warning, first, (size_t)x->count);
}

void tfp_kineto_tell_cut(tfp_kineto_reader *r)
{
    tfp_build_data_finding(r->b, "error", "the file is cut short: its complete events were read", 1, TFP_STR(""));
    tfp_build_warn(r->b, "the file is cut short; its complete events were read", TFP_STR(""));
    if (r->backward > r->events / 20) tfp_build_cut(r->b);
}

void tfp_kineto_end(tfp_kineto_reader *r)
{
    int64_t open = tfp_kineto_pairs_end(r);
    r->negative += r->pairs.negative;
    static const left_out_words unreadable = { "error", "events that cannot be read, left out",
                                               "events that cannot be read (no name, phase or time), left out" },
                                absurd = { "error", "absurd times (out of range), left out",
                                           "events with absurd times (beyond 9e15 us), left out" },
                                broken = { "error", "broken events (no JSON), left out",
                                           "broken events (no JSON), left out" },
                                commas = { "warning", "commas too many or missing", "commas too many or missing" };
    tell_left_out(r, &r->left.broken, broken);
    tell_left_out(r, &r->left.commas, commas);
    tell_left_out(r, &r->left.unreadable, unreadable);
    tell_left_out(r, &r->left.absurd, absurd);
    tfp_kineto_lanes_end(r);
    tfp_kineto_find_hardware(r);
    tfp_kineto_find_ranks(r);
    tfp_kineto_join_flows(r);
    tfp_kineto_join_launches(r);
    tell(r, "info", "asynchronous events of NCCL's profiler plugin (collectives): only in the timeline and SQL",
         r->nccl);
    tell(r, "warning", "negative durations, taken as 0", r->negative);
    tell(r, "warning", "durations that are no numbers, taken as 0", r->no_number);
    tell(r, "warning", "times before 0", r->early);
    tell(r, "warning", "events that end without a begin, left out", r->pairs.alone);
    tell(r, "warning", "events that begin and never end, without duration", open);
    if (r->plain && r->plain < r->events)
        tfp_build_data_finding(r->b, "info", "events whose category is none of Kineto's: only in the timeline and SQL",
                               r->plain, tfp_text(r->b->p, r->first_plain));
    if (!r->unknown) return;
    tfp_str category = tfp_text(r->b->p, r->first_unknown);
    tfp_build_data_finding(r->b, "info", "activities of a category that is not known: a device of its own", r->unknown,
                           category);
    tfp_build_warn_many(r->b, "device activities of categories that tfprof does not know: devices of their own",
                        category, (size_t)r->unknown);
}

void tfp_kineto_reader_free(tfp_kineto_reader *r)
{
    tfp_kineto_lanes_free(&r->lanes);
    tfp_buf_free(&r->left.unreadable.first);
    tfp_buf_free(&r->left.absurd.first);
    tfp_buf_free(&r->left.broken.first);
    tfp_buf_free(&r->left.commas.first);
    tfp_kineto_pairs_free(&r->pairs);
    tfp_vec_free(&r->links.flows);
    tfp_vec_free(&r->links.arrows);
}
