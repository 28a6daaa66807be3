// SPDX-License-Identifier: Apache-2.0
/* views/timeline/names.c: the names that people see for the lanes and spans of a timeline: what a lane mostly does, a title for it
 * ("compute" with "stream 7", "main" with "4515"), and kernels by their meaning. The picture, the sums and the search use the same names. */
#include "model/tables/events.h"
#include "model/tables/graph.h"
#include "model/tables/lanes.h"
#include "model/tables/read.h"
#include "names/names.h"
#include "views/timeline/timeline.h"

#include <stdlib.h>

const char *tfp_track_kind_name(tfp_track_kind kind)
{
    static const char *const names[] = { [TFP_TRACK_COMPUTE] = "compute",
                                         [TFP_TRACK_COMMUNICATION] = "communication",
                                         [TFP_TRACK_COPY] = "copy",
                                         [TFP_TRACK_HOST] = "host",
                                         [TFP_TRACK_DERIVED] = "derived" };
    return names[kind];
}

const char *tfp_track_classes_name(uint32_t classes)
{
    enum { COMPUTE = 1 << TFP_TRACK_COMPUTE, COMMUNICATION = 1 << TFP_TRACK_COMMUNICATION, COPY = 1 << TFP_TRACK_COPY };
    static const char *const names[] = { [COMPUTE] = "compute",
                                         [COMMUNICATION] = "communication",
                                         [COMPUTE | COMMUNICATION] = "compute|communication",
                                         [COPY] = "copy",
                                         [COMPUTE | COPY] = "compute|copy",
                                         [COMMUNICATION | COPY] = "communication|copy",
                                         [COMPUTE | COMMUNICATION | COPY] = "compute|communication|copy" };
    return names[classes];
}

/* ---- kinds of lanes ---- */

bool tfp_timeline_occupies(const tfp_timeline *t, uint32_t place)
{
    return t->runs || tfp_events_of(t->p)->spans.kind[t->span[place]] == TFP_SPAN_ACTIVITY;
}

/* Whether it is an accelerator's lane of all streams, which repeats the lanes of single streams if these are there. */
static bool repeats_streams(const tfp_timeline *t, const tfp_timeline_lane *l)
{
    const tfp_lane *lane = &tfp_lanes_of(t->p)->at[l->lane];
    if (lane->use != TFP_USE_ALL) return false;
    for (size_t i = 0; i < t->lane_count; i++) {
        const tfp_lane *other = &tfp_lanes_of(t->p)->at[t->lanes[i].lane];
        if (t->lanes[i].step == l->step && other->use == TFP_USE_STREAM && other->place == lane->place) return true;
    }
    return false;
}

static tfp_track_kind kind_of_runs(const tfp_timeline *t, const tfp_timeline_lane *l)
{
    switch (tfp_lanes_of(t->p)->at[l->lane].use) {
    case TFP_USE_STREAM: return TFP_TRACK_COMPUTE;
    case TFP_USE_ALL: return repeats_streams(t, l) ? TFP_TRACK_DERIVED : TFP_TRACK_COMPUTE;
    case TFP_USE_MEMCPY: return TFP_TRACK_COPY;
    default: return TFP_TRACK_HOST;
    }
}

/* The class that took most of the lane's time; a lane without activities is a host lane. */
static tfp_track_kind kind_of_events(const tfp_timeline *t, tfp_timeline_lane *l)
{
    static const uint32_t bits[] = { [TFP_CLASS_COMPUTE] = 1 << TFP_TRACK_COMPUTE,
                                     [TFP_CLASS_COMMUNICATION] = 1 << TFP_TRACK_COMMUNICATION,
                                     [TFP_CLASS_COPY] = 1 << TFP_TRACK_COPY,
                                     [TFP_CLASS_SET] = 1 << TFP_TRACK_COPY };
    const tfp_span_columns *s = &tfp_events_of(t->p)->spans;
    int64_t time_ns[TFP_CLASS_SET + 1] = { 0 };
    bool any = false;
    if (tfp_lanes_of(t->p)->at[l->lane].role == TFP_ROLE_DERIVED) return TFP_TRACK_DERIVED;
    for (size_t i = l->first; i < l->first + l->count; i++) {
        uint32_t span = t->span[t->order[i]];
        if (s->kind[span] != TFP_SPAN_ACTIVITY) continue;
        any = true;
        l->classes |= bits[s->class[span]];
        time_ns[s->class[span]] = tfp_add(time_ns[s->class[span]], s->duration_ns[span], NULL);
    }
    if (!any) return tfp_lanes_of(t->p)->at[l->lane].role == TFP_ROLE_THREAD ? TFP_TRACK_HOST : TFP_TRACK_DERIVED;
    int64_t copies = tfp_add(time_ns[TFP_CLASS_COPY], time_ns[TFP_CLASS_SET], NULL);
    int64_t compute = time_ns[TFP_CLASS_COMPUTE], communication = time_ns[TFP_CLASS_COMMUNICATION];
    if (compute >= communication && compute >= copies) return TFP_TRACK_COMPUTE;
    return communication >= copies ? TFP_TRACK_COMMUNICATION : TFP_TRACK_COPY;
}

/* ---- short names ---- */

/* Collects the distinct names of activities, as strings of the profile. */
static bool find_names(tfp_timeline *t, uint32_t **names, size_t *count)
{
    const tfp_span_columns *s = &tfp_events_of(t->p)->spans;
    TFP_VEC(uint32_t) met = { 0 };
    bool ok = true;
    for (size_t i = 0; ok && i < t->count; i++) {
        uint32_t name = tfp_timeline_name(t, (uint32_t)i);
        if (s->kind[t->span[i]] != TFP_SPAN_ACTIVITY || tfp_map64_get(&t->short_at, name) != TFP_NONE) continue;
        ok = tfp_map64_put(&t->short_at, name, (uint32_t)met.size) && tfp_push(&met, name);
    }
    *names = met.at;
    *count = met.size;
    return ok;
}

static bool shorten_names(tfp_timeline *t)
{
    uint32_t *names = NULL;
    size_t count = 0;
    bool ok = find_names(t, &names, &count);
    tfp_str *full = ok ? malloc((count + 1) * sizeof *full) : NULL;
    t->shorts = full ? TFP_NEW(&t->arena, tfp_str, count + 1) : NULL;
    for (size_t i = 0; full && i < count; i++) full[i] = tfp_text(t->p, names[i]);
    ok = full && t->shorts && tfp_kernel_shorts(&t->arena, full, count, t->shorts);
    free(full);
    free(names);
    return ok;
}

tfp_str tfp_timeline_short(const tfp_timeline *t, tfp_strid name)
{
    static const tfp_str none = { 0 };
    uint32_t at = tfp_map64_get(&t->short_at, name);
    if (at == TFP_NONE || t->shorts[at].data == tfp_text(t->p, name).data) return none;
    return t->shorts[at];
}

bool tfp_timeline_set_names(tfp_timeline *t)
{
    for (size_t i = 0; i < t->lane_count; i++) {
        tfp_timeline_lane *l = &t->lanes[i];
        l->kind = t->runs ? kind_of_runs(t, l) : kind_of_events(t, l);
        if (t->runs && l->kind <= TFP_TRACK_COPY) l->classes = 1u << l->kind;
    }
    return t->runs || shorten_names(t);
}

/* ---- titles of lanes ---- */

enum { LOOKED_AT = 200 }; /* how many spans of a thread are looked at to guess its use */

/* The use of a thread: the one that runs the steps is the main thread; PyTorch's autograd engine is known by the names
 * of its spans. */
static const char *use_of_thread(const tfp_timeline *t, const tfp_timeline_lane *l)
{
    const tfp_span_columns *s = &tfp_events_of(t->p)->spans;
    for (size_t i = l->first; i < l->first + l->count && i < l->first + LOOKED_AT; i++) {
        uint32_t span = t->span[t->order[i]];
        tfp_str name = tfp_text(t->p, s->name[span]);
        if (s->kind[span] == TFP_SPAN_STEP) return "main";
        if (tfp_str_begins(name, TFP_STR("autograd::engine::"))) return "autograd";
    }
    return NULL;
}

/* In "tf_XLAPjRtCpuClient/-852113" the number after the slash is the thread's. */
static tfp_str without_number(tfp_str label)
{
    size_t end = label.size;
    while (end && (label.data[end - 1] == '-' || (label.data[end - 1] >= '0' && label.data[end - 1] <= '9'))) end--;
    return end > 1 && end < label.size && label.data[end - 1] == '/' ? (tfp_str){ label.data, end - 1 } : label;
}

/* The text in parentheses of "thread 4515 (python3.8)"; a label without parentheses is a name, unless it only repeats the
 * number. */
static tfp_str name_in_label(tfp_str label, tfp_str number)
{
    size_t from = tfp_str_find(label, TFP_STR(" ("));
    if (from != SIZE_MAX && label.size > from + 3 && label.data[label.size - 1] == ')')
        return (tfp_str){ label.data + from + 2, label.size - from - 3 };
    if (tfp_str_begins(label, TFP_STR("thread ")) || tfp_str_eq(label, number)) return (tfp_str){ 0 };
    return without_number(label);
}

/* Whether a number means something to people: not an address, and not negative. */
static bool is_plain_number(tfp_str number)
{
    enum { MOST = 8 };
    for (size_t i = 0; i < number.size; i++)
        if (number.data[i] < '0' || number.data[i] > '9') return false;
    return number.size && number.size <= MOST;
}

static tfp_str after_colon(tfp_str name)
{
    for (size_t i = name.size; i; i--)
        if (name.data[i - 1] == ':') return (tfp_str){ name.data + i, name.size - i };
    return name;
}

static tfp_str after_slash(tfp_str name)
{
    const char *slash = name.size ? memchr(name.data, '/', name.size) : NULL;
    return slash ? (tfp_str){ slash + 1, (size_t)(name.data + name.size - slash) - 1 } : name;
}

static tfp_lane_title title_of_thread(const tfp_timeline *t, const tfp_timeline_lane *l)
{
    const tfp_lane *lane = &tfp_lanes_of(t->p)->at[l->lane];
    tfp_str number = after_colon(tfp_text(t->p, lane->name)), none = { 0 };
    tfp_str named = lane->label ? name_in_label(tfp_text(t->p, lane->label), number) : none;
    const char *use = use_of_thread(t, l);
    tfp_str title = use ? tfp_str_of(use) : named.size ? named : TFP_STR("thread");
    if (!use && !named.size && number.size && !is_plain_number(number) && *number.data != '-' &&
        (*number.data < '0' || *number.data > '9'))
        return (tfp_lane_title){ number, none };
    return (tfp_lane_title){ title, is_plain_number(number) ? number : none };
}

static tfp_lane_title title_of_stream(const tfp_timeline *t, const tfp_timeline_lane *l, tfp_arena *arena)
{
    static const char *const does[] = {
        [TFP_TRACK_COMPUTE] = "compute", [TFP_TRACK_COMMUNICATION] = "comm.", [TFP_TRACK_COPY] = "copies"
    };
    tfp_str line = after_slash(tfp_text(t->p, tfp_lanes_of(t->p)->at[l->lane].name)), none = { 0 };
    if (!tfp_str_begins(line, TFP_STR("stream:"))) return (tfp_lane_title){ line, none };
    char *detail = tfp_arena_copy(arena, line);
    if (detail) detail[strlen("stream")] = ' ';
    return (tfp_lane_title){ tfp_str_of(does[l->kind]), detail ? tfp_str_of(detail) : none };
}

/* "/job:localhost/replica:0/task:0/device:gpu:0/stream:13" -> "gpu:0/stream:13" */
static tfp_str after_device(tfp_str name)
{
    size_t at = tfp_str_find(name, TFP_STR("device:"));
    return at == SIZE_MAX ? name : (tfp_str){ name.data + at + 7, name.size - at - 7 };
}

tfp_lane_title tfp_timeline_title(const tfp_timeline *t, const tfp_timeline_lane *l, tfp_arena *arena)
{
    const tfp_lane *lane = &tfp_lanes_of(t->p)->at[l->lane];
    tfp_str name = tfp_text(t->p, lane->name), none = { 0 };
    if (t->runs) return (tfp_lane_title){ after_device(name), none };
    if (l->kind == TFP_TRACK_HOST) return title_of_thread(t, l);
    if (l->kind == TFP_TRACK_DERIVED)
        return (tfp_lane_title){ tfp_str_last_part(name), none }; /* "shown/Spans/PyTorch Profiler" */
    return lane->role == TFP_ROLE_THREAD ? title_of_thread(t, l) : title_of_stream(t, l, arena);
}

tfp_strid tfp_timeline_name(const tfp_timeline *t, uint32_t place)
{
    return t->runs ? tfp_graph_of(t->p)->nodes.at[t->node[place]].name
                   : tfp_events_of(t->p)->spans.name[t->span[place]];
}
