// SPDX-License-Identifier: Apache-2.0
/* formats/json/kineto_lanes.c: the lanes of a Chrome trace: threads, streams of devices, and rows that are shown beside
 * them. A slot's lane gets a lane in the profile when the first event needs it. */
#include "formats/json/kineto.h"
#include "model/event_builder.h"
#include "model/tables/events.h"
#include "model/tables/profile.h"

tfp_strid tfp_kineto_new_global(tfp_kineto_reader *r, tfp_kineto_slot *s, uint32_t string)
{
    if (string >= s->words.known.size) return 0;
    tfp_kineto_string *k = &s->words.known.at[string];
    if (k->global == TFP_NONE) k->global = tfp_build_string(r->b, s->words.strings.strings[string]);
    return k->global;
}

static void add_word(tfp_kineto_reader *r, tfp_buf *b, uint64_t word, bool is_string)
{
    if (is_string)
        tfp_buf_str(b, tfp_text(r->b->p, (tfp_strid)word));
    else
        tfp_buf_int(b, (int64_t)word);
}

/* Lanes of a further array of events are told apart until it is known whether it is another rank. */
static void add_part(const tfp_kineto_reader *r, const tfp_kineto_lane *lane, tfp_buf *b)
{
    if (lane->part && !r->lanes.rank) tfp_buf_printf(b, "part:%u/", lane->part);
}

/* Makes a name such as "cpu/thread:7"; if a second process has a thread with the same number, its name includes the
 * pid. Kineto writes -1 as the pid where it knows only the thread. */
static void name_thread(tfp_kineto_reader *r, const tfp_kineto_lane *lane, tfp_buf *b)
{
    uint64_t tid = lane->b ^ (uint64_t)(r->lanes.rank ? 0 : lane->part) << 48 ^ (uint64_t)(lane->words & 2) << 62 ^
                   (uint64_t)r->lanes.rank << 40,
             pid = lane->a ^ (uint64_t)(lane->words & 1) << 63;
    uint32_t low = (uint32_t)tfp_hash(&pid, sizeof pid) >> 1, owner = tfp_map64_get(&r->lanes.thread_owner, tid);
    if (lane->a == UINT64_MAX && !(lane->words & 1)) owner = low;
    if (owner == TFP_NONE) tfp_build_keep(r->b, tfp_map64_put(&r->lanes.thread_owner, tid, owner = low));
    tfp_buf_text(b, "cpu/");
    add_part(r, lane, b);
    if (owner != low) {
        tfp_buf_text(b, "process:");
        add_word(r, b, lane->a, lane->words & 1);
        tfp_buf_char(b, '/');
    }
    tfp_buf_text(b, "thread:");
    add_word(r, b, lane->b, lane->words & 2);
}

/* Whether another process has a stream with the same device and number: its lanes are told apart until it is known
 * whether it is another rank. */
static bool is_shared(tfp_kineto_reader *r, const tfp_kineto_lane *lane)
{
    tfp_kineto_lane stream = *lane;
    uint64_t pid = tfp_kineto_pid(lane);
    stream.kind = TFP_KINETO_STREAM; /* it may have been a thread until now */
    stream.pid = r->lanes.rank;
    if (r->lanes.rank) stream.part = 0;
    stream.words &= 3;
    uint64_t hash = tfp_hash(&stream, sizeof stream);
    uint32_t low = (uint32_t)tfp_hash(&pid, sizeof pid) >> 1, owner = tfp_map64_get(&r->lanes.stream_owner, hash);
    if (owner == TFP_NONE) tfp_build_keep(r->b, tfp_map64_put(&r->lanes.stream_owner, hash, owner = low));
    r->lanes.shared |= owner != low;
    return owner != low;
}

/* Makes a name such as "gpu:0/stream:7"; for a device of an unknown category the category is the kind of device. */
static void name_stream(tfp_kineto_reader *r, const tfp_kineto_lane *lane, tfp_buf *b)
{
    tfp_str category = tfp_text(r->b->p, lane->category);
    for (size_t i = 0; lane->category && i < category.size; i++)
        tfp_buf_char(b, category.data[i] == '/' ? '_'
                                                : category.data[i]); /* the name of a device ends at the first slash */
    tfp_buf_text(b, lane->category ? ":" : "gpu:");
    add_word(r, b, lane->a, lane->words & 1);
    tfp_buf_char(b, '/');
    add_part(r, lane, b);
    if (is_shared(r, lane)) {
        tfp_buf_text(b, "process:");
        add_word(r, b, lane->pid, lane->words & 4);
        tfp_buf_char(b, '/');
    }
    tfp_buf_text(b, "stream:");
    add_word(r, b, lane->b, lane->words & 2);
}

static void name_aside(tfp_kineto_reader *r, const tfp_kineto_lane *lane, tfp_buf *b)
{
    tfp_buf_text(b, "shown/");
    add_part(r, lane, b);
    add_word(r, b, lane->a, lane->words & 1);
    tfp_buf_char(b, '/');
    add_word(r, b, lane->b, lane->words & 2);
}

static tfp_lane_role name_lane(tfp_kineto_reader *r, const tfp_kineto_lane *lane, tfp_buf *name)
{
    if (lane->kind == TFP_KINETO_THREAD) {
        name_thread(r, lane, name);
        return TFP_ROLE_THREAD;
    }
    if (lane->kind == TFP_KINETO_STREAM) {
        name_stream(r, lane, name);
        return TFP_ROLE_STREAM;
    }
    name_aside(r, lane, name);
    return TFP_ROLE_DERIVED;
}

static uint32_t new_lane(tfp_kineto_reader *r, const tfp_kineto_lane *lane)
{
    tfp_buf name = { 0 };
    tfp_lane_role role = name_lane(r, lane, &name);
    uint32_t at = TFP_NONE;
    if (tfp_build_keep(r->b, !name.failed))
        at = tfp_build_event_lane(r->b, r->process, role, (tfp_str){ name.data, name.size }, TFP_STR(""));
    tfp_buf_free(&name);
    return at;
}

void tfp_kineto_name_lane(tfp_kineto_reader *r, uint32_t place)
{
    tfp_buf name = { 0 };
    tfp_lane_role role = name_lane(r, &r->lanes.list.at[place], &name);
    if (tfp_build_keep(r->b, !name.failed))
        tfp_build_lane_again(r->b, r->lanes.of.at[place], role, (tfp_str){ name.data, name.size });
    tfp_buf_free(&name);
}

/* The index of a lane in r->lanes; a new one has no lane of the profile yet. */
static uint32_t place_of(tfp_kineto_reader *r, const tfp_kineto_lane *lane)
{
    for (uint64_t hash = tfp_hash(lane, sizeof *lane);; hash++) {
        uint32_t at = tfp_map64_get(&r->lanes.by_hash, hash);
        if (at != TFP_NONE && memcmp(&r->lanes.list.at[at], lane, sizeof *lane) == 0) return at;
        if (at != TFP_NONE) continue;
        at = (uint32_t)r->lanes.list.size;
        bool ok = tfp_push(&r->lanes.list, *lane) && tfp_push(&r->lanes.of, TFP_NONE) &&
                  tfp_map64_put(&r->lanes.by_hash, hash, at);
        return tfp_build_keep(r->b, ok) ? at : TFP_NONE;
    }
}

static tfp_kineto_lane global_lane(tfp_kineto_reader *r, tfp_kineto_slot *s, uint32_t lane)
{
    tfp_kineto_lane x = s->lanes.list.at[lane];
    if (x.words & 1) x.a = tfp_kineto_global(r, s, (uint32_t)x.a);
    if (x.words & 2) x.b = tfp_kineto_global(r, s, (uint32_t)x.b);
    r->lanes.ranked |= x.part > 0;
    x.part = tfp_kineto_part(r->lanes.part, x.part);
    if (x.words & 4) x.pid = tfp_kineto_global(r, s, (uint32_t)x.pid);
    if (x.category) x.category = tfp_kineto_global(r, s, x.category);
    return x;
}

uint32_t tfp_kineto_lane_of(tfp_kineto_reader *r, uint32_t place)
{
    if (place == TFP_NONE) return TFP_NONE;
    tfp_kineto_lane x = r->lanes.list.at[place];
    if (r->lanes.of.at[place] == TFP_NONE) r->lanes.of.at[place] = new_lane(r, &x);
    return r->lanes.of.at[place];
}

uint32_t tfp_kineto_place_in(tfp_kineto_reader *r, uint32_t place, uint32_t part)
{
    tfp_kineto_lane x = r->lanes.list.at[place];
    x.part = tfp_kineto_part(part, tfp_kineto_rank_in(x.part));
    return place_of(r, &x);
}

uint32_t tfp_kineto_new_lane(tfp_kineto_reader *r, tfp_kineto_slot *s, uint32_t lane)
{
    if (lane == TFP_NONE) return TFP_NONE;
    if (s->lanes.global.at[lane] != TFP_NONE) return s->lanes.global.at[lane];
    tfp_kineto_lane x = global_lane(r, s, lane);
    return s->lanes.global.at[lane] = tfp_kineto_lane_of(r, place_of(r, &x));
}

uint32_t tfp_kineto_place(tfp_kineto_reader *r, tfp_kineto_slot *s, uint32_t lane)
{
    if (lane == TFP_NONE) return TFP_NONE;
    if (s->lanes.place.at[lane] != TFP_NONE) return s->lanes.place.at[lane];
    tfp_kineto_lane x = global_lane(r, s, lane);
    return s->lanes.place.at[lane] = place_of(r, &x);
}

static uint64_t row_of(const tfp_kineto_lane *lane)
{
    const uint64_t row[3] = { tfp_kineto_pid(lane), lane->b, lane->words & 2 };
    return tfp_hash(row, sizeof row);
}

void tfp_kineto_list_streams(tfp_kineto_reader *r)
{
    for (size_t i = 0; i < r->lanes.list.size; i++) {
        const tfp_kineto_lane *lane = &r->lanes.list.at[i];
        if (lane->kind != TFP_KINETO_STREAM || r->lanes.of.at[i] == TFP_NONE) continue;
        tfp_build_keep(r->b, tfp_map64_put(&r->lanes.stream_by_row, row_of(lane), r->lanes.of.at[i]));
    }
}

uint32_t tfp_kineto_stream_at(const tfp_kineto_reader *r, uint32_t place)
{
    return tfp_map64_get(&r->lanes.stream_by_row, row_of(&r->lanes.list.at[place]));
}

void tfp_kineto_check_part(tfp_kineto_reader *r, tfp_kineto_slot *s)
{
    if (s->lanes.part == r->lanes.part) return;
    for (size_t k = 0; k < s->lanes.list.size; k++) s->lanes.global.at[k] = s->lanes.place.at[k] = TFP_NONE;
    s->lanes.part = r->lanes.part;
}

static void next_part(tfp_kineto_reader *r, bool array)
{
    tfp_kineto_lane_table *l = &r->lanes;
    if (l->part + 1 >= TFP_KINETO_PARTS) return;
    if (!l->arrays.size && !tfp_build_keep(r->b, tfp_push(&l->arrays, 0))) return;
    uint32_t now = l->arrays.at[l->part] + array;
    if (!tfp_build_keep(r->b, tfp_push(&l->arrays, now))) return;
    l->part++;
    l->begun = r->events;
    l->placed |= !array;
}

void tfp_kineto_next_array(tfp_kineto_reader *r) { next_part(r, true); }

/* Notes what has been read up to here. */
static void note_end(tfp_kineto_reader *r, int64_t begun)
{
    const tfp_event_tables *t = r->b->p->events;
    r->lanes.end = (tfp_kineto_place_end){ .known = true,
                                           .events = r->events,
                                           .own = r->events - begun,
                                           .span = t->spans.size,
                                           .memory = t->memory.size,
                                           .counter = r->lanes.counters.size,
                                           .flow = r->links.flows.size,
                                           .arrow = r->links.arrows.size };
}

/* Whether the names of the current place end it: what was read since is of about the same size or smaller. */
static bool names_end(const tfp_kineto_reader *r)
{
    const tfp_kineto_place_end *e = &r->lanes.end;
    return e->known && r->events > e->events && r->events - e->events <= e->own * 4;
}

static void move_lanes(tfp_kineto_reader *r, const tfp_kineto_place_end *from)
{
    tfp_event_tables *t = r->b->p->events;
    size_t lanes = r->b->p->lanes->size, places = r->lanes.list.size;
    uint32_t *place = malloc((places + 1) * sizeof *place), *lane = malloc((lanes + 1) * sizeof *lane);
    bool ok = tfp_build_keep(r->b, place && lane);
    for (uint32_t i = 0; ok && i < lanes; i++) lane[i] = i;
    for (uint32_t i = 0; ok && i < places; i++) {
        bool moves = tfp_kineto_place_of(r->lanes.list.at[i].part) + 1 == r->lanes.part;
        uint32_t of = r->lanes.of.at[i];
        place[i] = moves ? tfp_kineto_place_in(r, i, r->lanes.part) : i;
        if (moves && of != TFP_NONE) lane[of] = tfp_kineto_lane_of(r, place[i]);
        ok = !r->b->status;
    }
#define MOVE(list, first, field, to)                                                                                   \
    for (size_t i = (first); ok && i < (list).size; i++)                                                               \
        if ((list).at[i] field != TFP_NONE) (list).at[i] field = (to)[(list).at[i] field]
    MOVE(t->memory, from->memory, .lane, lane);
    MOVE(r->links.flows, from->flow, .lane, lane);
    MOVE(r->links.arrows, from->arrow, .place, place);
    MOVE(r->lanes.counters, from->counter, , place);
#undef MOVE
    for (size_t i = from->span; ok && i < t->spans.size; i++) t->spans.lane[i] = lane[t->spans.lane[i]];
    free(place);
    free(lane);
}

/* A process that gets its name again after events: scripts that append the traces of several ranks keep what each begins
 * or ends with. */
static void note_name(tfp_kineto_reader *r, tfp_kineto_slot *s, const tfp_kineto_lane *lane)
{
    tfp_kineto_lane_table *l = &r->lanes;
    tfp_kineto_lane x = *lane;
    x.part = 0;
    uint64_t pid = tfp_kineto_pid(&x);
    if (tfp_map64_get(&l->named, pid) == l->part && r->events > l->begun) {
        tfp_kineto_place_end end = l->end;
        bool ends = names_end(r);
        next_part(r, false);
        if (ends && !r->b->status) move_lanes(r, &end);
        l->end.known = false;
        if (ends) note_end(r, end.events);
    } else if (l->has_names != l->part + 1 && r->events > l->begun) {
        note_end(r, l->begun);
    }
    l->has_names = l->part + 1;
    tfp_build_keep(r->b, tfp_map64_put(&l->named, pid, l->part));
    tfp_kineto_check_part(r, s);
}

/* ---- processes that are devices ---- */

/* Whether it is GPU and a number. */
static bool is_numbered(tfp_str name)
{
    if (name.size < 4 || !tfp_str_begins(name, TFP_STR("GPU"))) return false;
    for (size_t i = 3; i < name.size; i++)
        if (name.data[i] < '0' || name.data[i] > '9') return false;
    return true;
}

/* Keeps a process that may be a device, by its name. */
static void note_hardware(tfp_kineto_reader *r, const tfp_kineto_lane *lane, tfp_str name)
{
    if (tfp_str_eq(name, TFP_STR("Ascend Hardware")))
        tfp_build_keep(r->b, tfp_push(&r->lanes.hardware, tfp_kineto_pid(lane)));
    else if (is_numbered(name))
        tfp_build_keep(r->b, tfp_push(&r->lanes.numbered, tfp_kineto_pid(lane)));
}

/* Keeps the name of a process, or its label, if it tells a rank. */
static void note_process(tfp_kineto_reader *r, tfp_kineto_slot *s, const tfp_kineto_lane *lane, uint32_t text)
{
    note_hardware(r, lane, s->words.strings.strings[text]);
    if (!tfp_kineto_tells_rank(s->words.strings.strings[text])) return;
    tfp_kineto_name name = { tfp_kineto_pid(lane), tfp_kineto_place_of(lane->part), tfp_kineto_global(r, s, text) };
    tfp_build_keep(r->b, tfp_push(&r->lanes.names, name));
}

void tfp_kineto_make_stream(tfp_kineto_reader *r, uint32_t place)
{
    tfp_kineto_lane *lane = &r->lanes.list.at[place];
    lane->kind = TFP_KINETO_STREAM;
    lane->pid = lane->a;
    lane->words |= (lane->words & 1) << 2;
    tfp_kineto_name_lane(r, place);
}

/* ---- names ---- */

/* Takes names of threads and streams; they may come before or after the events of their lane. */
void tfp_kineto_label(tfp_kineto_reader *r, tfp_kineto_slot *s, const tfp_kineto_row *x)
{
    tfp_str what = s->words.strings.strings[x->name];
    if (!x->extra) return;
    tfp_kineto_lane lane = global_lane(r, s, x->lane);
    if (tfp_str_eq(what, TFP_STR("process_name"))) {
        note_name(r, s, &lane);
        lane = global_lane(r, s, x->lane);
    }
    bool of_process = tfp_str_begins(what, TFP_STR("process_"));
    if (of_process) note_process(r, s, &lane, x->extra);
    if (!tfp_str_eq(what, TFP_STR("thread_name"))) return;
    tfp_strid label = tfp_kineto_global(r, s, x->extra);
    for (uint32_t kind = TFP_KINETO_THREAD; kind <= TFP_KINETO_ASIDE && !r->b->status; kind++) {
        lane.kind = kind;
        lane.pid = kind == TFP_KINETO_STREAM ? lane.a : 0;
        lane.words = (lane.words & 3) | (kind == TFP_KINETO_STREAM ? (lane.words & 1) << 2 : 0);
        uint32_t place = place_of(r, &lane);
        if (place != TFP_NONE) tfp_build_keep(r->b, tfp_map64_put(&r->lanes.label, place, label));
    }
}

/* What places of one lane share that were told apart only while the file was read, or whose name is without a rank. */
static uint64_t shared_key(const tfp_kineto_reader *r, uint32_t place)
{
    tfp_kineto_lane lane = r->lanes.list.at[place];
    lane.part = tfp_kineto_place_of(lane.part);
    return tfp_hash(&lane, sizeof lane);
}

void tfp_kineto_lanes_end(tfp_kineto_reader *r)
{
    tfp_map64 shared = { 0 }; /* -> label */
    bool ok = true;
    for (uint32_t i = 0; i < r->lanes.list.size && ok; i++) {
        uint32_t label = tfp_map64_get(&r->lanes.label, i);
        if (label != TFP_NONE) ok = tfp_map64_put(&shared, shared_key(r, i), label);
    }
    for (uint32_t i = 0; i < r->lanes.list.size && tfp_build_keep(r->b, ok); i++) {
        uint32_t label = tfp_map64_get(&r->lanes.label, i);
        if (label == TFP_NONE) label = tfp_map64_get(&shared, shared_key(r, i));
        if (label != TFP_NONE && r->lanes.of.at[i] != TFP_NONE) r->b->p->lanes->at[r->lanes.of.at[i]].label = label;
    }
    tfp_map64_free(&shared);
}

void tfp_kineto_lanes_free(tfp_kineto_lane_table *l)
{
    tfp_map64_free(&l->by_hash);
    tfp_vec_free(&l->list);
    tfp_vec_free(&l->of);
    tfp_map64_free(&l->label);
    tfp_map64_free(&l->thread_owner);
    tfp_map64_free(&l->stream_owner);
    tfp_map64_free(&l->stream_by_row);
    tfp_vec_free(&l->hardware);
    tfp_vec_free(&l->numbered);
    tfp_vec_free(&l->names);
    tfp_vec_free(&l->counters);
    tfp_vec_free(&l->arrays);
    tfp_map64_free(&l->named);
}
