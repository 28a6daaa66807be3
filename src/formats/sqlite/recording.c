// SPDX-License-Identifier: Apache-2.0
/* formats/sqlite/recording.c: what the readers of recordings in SQLite share: lanes, times, names and ranges. */
#include "formats/sqlite/recording.h"

#include "formats/json/kineto.h"
#include "formats/sqlite/range_text.h"
#include "model/span_names.h"
#include "model/tables/read.h"

#include <stdio.h>

/* ---- tables ---- */

#define TABLE_MOST 256 /* most bytes of a table's name with its ending */

tfp_status tfp_recording_read(tfp_recording *r, const tfp_recording_table *t, void *reader, tfp_error *err)
{
    char name[TABLE_MOST];
    tfp_db_rows rows;
    tfp_event e;
    snprintf(name, sizeof name, "%s%s", t->name, r->ending ? r->ending : "");
    if (r->versions) tfp_db_latest(&r->db, t->name, name, sizeof name);
    tfp_status s = tfp_db_start(&rows, &r->db, name, t->columns, err);
    if (!s && rows.statement && (rows.have & t->needs) != t->needs)
        s = tfp_fail(err, TFP_BADFILE, "table %s lacks a column of start, end or name", t->name);
    while (!s && tfp_db_next(&rows) && !r->b->status)
        if (!t->timed || tfp_recording_times(r, &rows, &e)) t->add(reader, &rows, &e);
    return tfp_db_end(&rows, s, err);
}

tfp_status tfp_recording_read_all(tfp_recording *r, const tfp_recording_table *t, size_t count, void *reader,
                                  tfp_error *err)
{
    tfp_status s = TFP_OK;
    for (size_t i = 0; i < count && !s; i++) s = tfp_recording_read(r, &t[i], reader, err);
    return s;
}

/* ---- names ---- */

typedef struct name_map {
    tfp_recording *r;
    tfp_map64 *to;
} name_map;

static void add_name(void *ctx, const tfp_db_rows *rows, tfp_event *e)
{
    const name_map *x = ctx;
    int64_t id;
    tfp_str text;
    (void)e;
    if (tfp_db_int(rows, 0, &id) && tfp_db_text(rows, 1, &text))
        tfp_build_keep(x->r->b, tfp_map64_put(x->to, (uint64_t)id, tfp_build_string(x->r->b, text)));
}

tfp_status tfp_recording_names(tfp_recording *r, const char *table, const char *columns, tfp_map64 *to, tfp_error *err)
{
    return tfp_recording_read(r, &(tfp_recording_table){ table, columns, 0, false, add_name }, &(name_map){ r, to },
                              err);
}

tfp_str tfp_recording_name(const tfp_recording *r, const tfp_map64 *names, int64_t id)
{
    uint32_t string = tfp_map64_get(names, (uint64_t)id);
    return string == TFP_NONE ? TFP_STR("") : tfp_text(r->b->p, string);
}

uint8_t tfp_recording_bits(tfp_recording *r, tfp_strid name)
{
    uint32_t bits = tfp_map64_get(&r->bits_of_name, name);
    if (bits != TFP_NONE) return (uint8_t)bits;
    uint8_t found = tfp_kineto_look_at_name(tfp_text(r->b->p, name));
    tfp_build_keep(r->b, tfp_map64_put(&r->bits_of_name, name, found));
    return found;
}

/* ---- lanes ---- */

/* The lane of a thread. Threads of several processes may have the same number: the first keeps its number as its name,
 * the others include their process. */
uint32_t tfp_recording_thread(tfp_recording *r, int64_t pid, int64_t tid)
{
    char name[80];
    const int64_t both[2] = { pid, tid };
    uint64_t key = tfp_hash(both, sizeof both);
    uint32_t lane = tfp_map64_get(&r->lane_by_thread, key);
    if (lane != TFP_NONE) return lane;
    uint32_t owner = tfp_map64_get(&r->owner_of_thread, (uint64_t)tid), folded = (uint32_t)pid & INT32_MAX;
    if (owner == TFP_NONE) tfp_build_keep(r->b, tfp_map64_put(&r->owner_of_thread, (uint64_t)tid, owner = folded));
    if (owner == folded)
        snprintf(name, sizeof name, "cpu/thread:%lld", (long long)tid);
    else
        snprintf(name, sizeof name, "cpu/process:%lld/thread:%lld", (long long)pid, (long long)tid);
    lane = tfp_build_event_lane(r->b, r->process, TFP_ROLE_THREAD, tfp_str_of(name), TFP_STR(""));
    tfp_build_keep(r->b, lane != TFP_NONE && tfp_map64_put(&r->lane_by_thread, key, lane));
    return lane;
}

uint32_t tfp_recording_stream(tfp_recording *r, int64_t device, tfp_str stream)
{
    char name[100];
    snprintf(name, sizeof name, "%s:%lld/stream:%.*s", r->device_kind, (long long)device,
             (int)(stream.size < 40 ? stream.size : 40), stream.data);
    uint64_t key = tfp_hash(name, strlen(name));
    uint32_t lane = tfp_map64_get(&r->lane_by_stream, key);
    if (lane != TFP_NONE) return lane;
    lane = tfp_build_event_lane(r->b, r->process, TFP_ROLE_STREAM, tfp_str_of(name), TFP_STR(""));
    tfp_build_keep(r->b, lane != TFP_NONE && tfp_map64_put(&r->lane_by_stream, key, lane));
    return lane;
}

uint32_t tfp_recording_numbered_stream(tfp_recording *r, int64_t device, int64_t stream)
{
    char text[24];
    const int64_t both[2] = { device, stream };
    uint64_t key = tfp_hash(both, sizeof both); /* found without composing the name again */
    uint32_t lane = tfp_map64_get(&r->lane_by_stream, key);
    if (lane != TFP_NONE) return lane;
    snprintf(text, sizeof text, "%lld", (long long)stream);
    lane = tfp_recording_stream(r, device, tfp_str_of(text));
    tfp_build_keep(r->b, lane != TFP_NONE && tfp_map64_put(&r->lane_by_stream, key, lane));
    return lane;
}

uint32_t tfp_recording_aside(tfp_recording *r, int64_t pid, int64_t tid)
{
    char name[80];
    snprintf(name, sizeof name, "shown/%lld/%lld", (long long)pid, (long long)tid);
    return tfp_build_event_lane(r->b, r->process, TFP_ROLE_DERIVED, tfp_str_of(name), TFP_STR(""));
}

/* ---- spans ---- */

#define ABSURD_NS (INT64_C(9000000000000000) * 1000) /* 285 years */

bool tfp_recording_times(tfp_recording *r, const tfp_db_rows *rows, tfp_event *e)
{
    int64_t end;
    *e = (tfp_event){ .stats = TFP_NONE, .trace = TFP_NONE };
    bool ok = tfp_db_int(rows, 0, &e->start_ns) && tfp_db_int(rows, 1, &end) && e->start_ns >= 0 &&
              e->start_ns <= ABSURD_NS && end <= ABSURD_NS;
    r->unreadable += !ok;
    if (!ok) return false;
    e->duration_ns = end > e->start_ns ? end - e->start_ns : 0;
    if (end < e->start_ns) e->marks |= TFP_MARK_CLAMPED;
    return true;
}

uint32_t tfp_recording_add(tfp_recording *r, const tfp_event *e)
{
    r->spans++;
    return tfp_build_event(r->b, e);
}

uint32_t tfp_recording_bytes(tfp_recording *r, int64_t bytes)
{
    const tfp_stat stat = { .key = r->bytes, .type = TFP_STAT_INT, .value.number = bytes };
    return tfp_build_stats(r->b, &stat, 1);
}

uint32_t tfp_recording_shapes(tfp_recording *r, tfp_str shapes)
{
    /* the key is made with the first shapes: its presence says that the recording has shapes */
    if (!r->dims) r->dims = tfp_build_string(r->b, TFP_STR("Input Dims"));
    const tfp_stat stat = { .key = r->dims, .type = TFP_STAT_TEXT, .value.text = tfp_build_string(r->b, shapes) };
    return tfp_build_stats(r->b, &stat, 1);
}

/* ---- ranges ---- */

void tfp_recording_step(tfp_recording *r, tfp_event *e, int64_t number)
{
    char name[40];
    snprintf(name, sizeof name, TFP_PROFILER_STEP "%lld", (long long)number);
    e->kind = TFP_SPAN_STEP;
    e->name = tfp_build_string(r->b, tfp_str_of(name));
    tfp_step_mark m = { .span = tfp_recording_add(r, e), .source = TFP_STEPS_MARKED, .number = number };
    tfp_build_step_mark(r->b, &m);
}

static void add_op(tfp_recording *r, tfp_event *e, const tfp_range_op *op)
{
    e->kind = TFP_SPAN_OP;
    e->name = tfp_build_string(r->b, op->name);
    if (tfp_recording_bits(r, e->name) & TFP_KINETO_COLLECTIVE_OP) e->class = TFP_CLASS_COMMUNICATION;
    if (op->sequence >= 0) e->sequence = tfp_build_key(r->b, r->process, 2, (uint64_t)op->sequence);
    if (op->sequence >= 0 && op->backward) e->marks |= TFP_MARK_BACKWARD;
    if (op->sizes.size) e->stats = tfp_recording_shapes(r, op->sizes);
    tfp_recording_add(r, e);
}

static void add_annotation(tfp_recording *r, tfp_event *e, tfp_str text, bool crosses)
{
    e->kind = crosses ? TFP_SPAN_OTHER : TFP_SPAN_ANNOTATION;
    e->name = tfp_build_string(r->b, text);
    uint8_t bits = tfp_recording_bits(r, e->name);
    if (!crosses && bits & TFP_KINETO_COLLECTIVE_RANGE) e->class = TFP_CLASS_COMMUNICATION;
    tfp_step_mark m = { .span = tfp_recording_add(r, e), .source = TFP_STEPS_OPTIMIZER, .number = -1 };
    if (bits & TFP_KINETO_STEP) m.source = TFP_STEPS_NAMED;
    if (bits & TFP_KINETO_STEP || (!crosses && bits & TFP_KINETO_OPTIMIZER)) tfp_build_step_mark(r->b, &m);
}

void tfp_recording_range(tfp_recording *r, tfp_event *e, tfp_str text, tfp_range_kind kind)
{
    tfp_range_op op;
    tfp_step_name step;
    bool is_step = tfp_step_name_of(text, &step);
    if (is_step && r->steps_listed) {
        e->kind = TFP_SPAN_STEP; /* the table of steps has it too */
        e->name = tfp_build_string(r->b, text);
        tfp_recording_add(r, e);
    } else if (is_step && step.profiler) {
        tfp_recording_step(r, e, step.number);
    } else if (is_step) {
        add_annotation(r, e, text, kind == TFP_RANGE_CROSSES);
    } else if (kind != TFP_RANGE_CROSSES && tfp_range_is_op(text, &op) && (op.marked || kind == TFP_RANGE_NVTX)) {
        add_op(r, e, &op);
    } else {
        add_annotation(r, e, text, kind == TFP_RANGE_CROSSES);
    }
}
