// SPDX-License-Identifier: Apache-2.0
/* outputs/timeline/perfetto_spans.c: spans as slices of tracks. On a track an end closes the slice that began last, so
 * spans of a lane that overlap without nesting, and those without a duration, go to further tracks below the lane's
 * own. */
#include "model/tables/events.h"
#include "model/tables/lanes.h"
#include "model/tables/read.h"
#include "model/tables/stats.h"
#include "outputs/timeline/perfetto.h"
#include "views/spans/trace.h"

#include <stdlib.h>

#define ROWS 32 /* tracks of a lane that are tried before a new one */

typedef struct row { /* one of the tracks of a lane */
    uint64_t track;
    TFP_VEC(int64_t) ends; /* of its open slices; the innermost last */
} row;

typedef struct writer {
    tfp_pf_out *x;
    row rows[ROWS];
    size_t row_count, next; /* next: the row that is reused if none fits */
    uint64_t instants;      /* the track of spans without a duration; 0: none so far */
    bool nomem;
} writer;

/* ---- order ---- */

/* ---- slices ---- */

/* Writes a text once for the file: field 1 is its number, field 2 the text. */
static void intern(tfp_pf_out *x, uint32_t table, uint8_t *known, tfp_strid string)
{
    if (known[string]) return;
    known[string] = 1;
    tfp_put_int_always(&x->part, 1, (int64_t)string + 1);
    tfp_put_string(&x->part, 2, tfp_text(x->p, string));
    tfp_put_bytes_always(&x->interned, table, tfp_pf_bytes(&x->part));
    x->part.size = 0;
}

/* PyTorch's categories, so that a reader of its traces knows what each slice is. */
static const char *category_of(const tfp_span_columns *s, uint32_t span)
{
    static const char *const kinds[] = { [TFP_SPAN_NONE] = "other",
                                         [TFP_SPAN_OP] = "cpu_op",
                                         [TFP_SPAN_CALL] = "cuda_runtime",
                                         [TFP_SPAN_ANNOTATION] = "user_annotation",
                                         [TFP_SPAN_MODULE] = "python_function",
                                         [TFP_SPAN_FRAME] = "python_function",
                                         [TFP_SPAN_STEP] = "user_annotation",
                                         [TFP_SPAN_ACTIVITY] = "kernel",
                                         [TFP_SPAN_OTHER] = "other" };
    if (s->kind[span] != TFP_SPAN_ACTIVITY) return kinds[s->kind[span]];
    if (s->class[span] == TFP_CLASS_COPY) return "gpu_memcpy";
    return s->class[span] == TFP_CLASS_SET ? "gpu_memset" : "kernel";
}

static void put_number_arg(tfp_pf_out *x, const char *name, int64_t value)
{
    tfp_put_string(&x->part, 10, tfp_str_of(name));
    tfp_put_int_always(&x->part, 4, value);
    tfp_put_bytes_always(&x->event, 4, tfp_pf_bytes(&x->part));
    x->part.size = 0;
}

static void put_stat(tfp_pf_out *x, const tfp_stat *stat)
{
    tfp_strid text = stat->type == TFP_STAT_TEXT ? (tfp_strid)stat->value.text : 0;
    intern(x, 3, x->keys, stat->key);
    if (stat->type == TFP_STAT_TEXT) intern(x, 29, x->texts, text);
    tfp_put_int_always(&x->part, 1, (int64_t)stat->key + 1);
    if (stat->type == TFP_STAT_INT)
        tfp_put_int_always(&x->part, 4, stat->value.number);
    else if (stat->type == TFP_STAT_REAL)
        tfp_put_double(&x->part, 5, stat->value.real);
    else
        tfp_put_int_always(&x->part, 17, (int64_t)text + 1);
    tfp_put_bytes_always(&x->event, 4, tfp_pf_bytes(&x->part));
    x->part.size = 0;
}

/* The number after a word in the name of a lane: gpu:0/stream:7. */
static bool number_in(tfp_str name, const char *word, int64_t *out)
{
    size_t at = tfp_str_find(name, tfp_str_of(word)), digits = 0;
    if (at == SIZE_MAX) return false;
    tfp_str rest = { name.data + at + strlen(word), name.size - at - strlen(word) };
    while (digits < rest.size && rest.data[digits] >= '0' && rest.data[digits] <= '9') digits++;
    return tfp_parse_int64((tfp_str){ rest.data, digits }, out);
}

/* The id that connects an activity with its call, and its stream; both are numbers of this file. */
static void put_join(tfp_pf_out *x, uint32_t span)
{
    const tfp_span_columns *s = x->s;
    int64_t number;
    tfp_str lane = tfp_text(x->p, tfp_lanes_of(x->p)->at[s->lane[span]].name);
    uint32_t call = s->kind[span] == TFP_SPAN_CALL ? span : s->launch[span];
    bool activity = s->kind[span] == TFP_SPAN_ACTIVITY;
    if (activity && number_in(lane, ":", &number)) put_number_arg(x, "device", number);
    if (activity && number_in(lane, "/stream:", &number)) put_number_arg(x, "stream", number);
    if (s->sequence[span]) put_number_arg(x, "Sequence number", s->sequence[span]);
    if (s->marks[span] & TFP_MARK_BACKWARD) put_number_arg(x, "Fwd thread id", 1);
    if (call == TFP_NONE || (!activity && s->kind[span] != TFP_SPAN_CALL)) return;
    put_number_arg(x, "correlation", (int64_t)call + 1);
    tfp_put_fixed64(&x->event, 47, (uint64_t)call + 1);
}

/* Whether put_join writes this key. */
static bool is_joined(tfp_str key)
{
    static const char *const keys[] = { "device",          "stream",        "correlation",
                                        "Sequence number", "Fwd thread id", "External id" };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (tfp_str_eq(key, tfp_str_of(keys[i]))) return true;
    return false;
}

static void put_stats(tfp_pf_out *x, uint32_t set)
{
    if (set == TFP_NONE) return;
    const tfp_stat_set *found = &tfp_events_of(x->p)->stat_sets.at[set];
    for (uint32_t i = 0; i < found->count; i++) {
        const tfp_stat *stat = &tfp_events_of(x->p)->stats.at[found->first + i];
        if (!is_joined(tfp_text(x->p, stat->key))) put_stat(x, stat);
    }
}

/* Restores PyTorch's name of a module, whose prefix the model removes. */
static void put_module(tfp_pf_out *x, uint32_t span)
{
    tfp_buf name = { 0 };
    tfp_buf_text(&name, "nn.Module: ");
    tfp_buf_str(&name, tfp_text(x->p, x->s->name[span]));
    tfp_put_string(&x->event, 23, tfp_pf_bytes(&name));
    x->event.failed |= name.failed;
    tfp_buf_free(&name);
}

static void put_begin(tfp_pf_out *x, uint32_t span, uint64_t track)
{
    const tfp_span_columns *s = x->s;
    bool instant = s->marks[span] & TFP_MARK_INSTANT, module = s->kind[span] == TFP_SPAN_MODULE;
    if (!module) intern(x, 2, x->names, s->name[span]);
    put_stats(x, s->stats[span]);
    put_join(x, span);
    tfp_put_int_always(&x->event, 9, instant ? 3 : 1); /* TYPE_INSTANT, TYPE_SLICE_BEGIN */
    if (module)
        put_module(x, span);
    else
        tfp_put_int_always(&x->event, 10, (int64_t)s->name[span] + 1);
    tfp_put_int_always(&x->event, 11, (int64_t)track);
    tfp_put_string(&x->event, 22, tfp_str_of(category_of(s, span)));
    tfp_put_int_always(&x->packet, 8, s->start_ns[span]);
    tfp_put_bytes_always(&x->packet, 11, tfp_pf_bytes(&x->event));
    if (x->interned.size) tfp_put_bytes_always(&x->packet, 12, tfp_pf_bytes(&x->interned));
    tfp_pf_put_packet(x);
}

static void put_end(tfp_pf_out *x, uint64_t track, int64_t at_ns)
{
    tfp_put_int_always(&x->event, 9, 2); /* TYPE_SLICE_END */
    tfp_put_int_always(&x->event, 11, (int64_t)track);
    tfp_put_int_always(&x->packet, 8, at_ns);
    tfp_put_bytes_always(&x->packet, 11, tfp_pf_bytes(&x->event));
    tfp_pf_put_packet(x);
}

/* ---- rows ---- */

/* Ends the slices of a row that end at `now` or before. */
static void close_until(writer *w, row *r, int64_t now)
{
    while (r->ends.size && r->ends.at[r->ends.size - 1] <= now) put_end(w->x, r->track, r->ends.at[--r->ends.size]);
}

static void close_lane(writer *w)
{
    for (size_t i = 0; i < w->row_count; i++) {
        close_until(w, &w->rows[i], INT64_MAX);
        w->rows[i].ends.size = 0;
    }
    w->row_count = w->next = 0;
    w->instants = 0;
}

static uint64_t new_track(writer *w, uint32_t lane)
{
    uint64_t track = w->x->tracks++;
    tfp_pf_put_track(w->x, track, tfp_pf_lane_track(lane), TFP_STR(""), false);
    return track;
}

/* The first row in which a slice from `now` to `end` nests; the lane's own track is the first. */
static row *row_for(writer *w, uint32_t lane, int64_t now, int64_t end)
{
    for (size_t i = 0; i < w->row_count; i++) {
        row *r = &w->rows[i];
        close_until(w, r, now);
        if (!r->ends.size || r->ends.at[r->ends.size - 1] >= end) return r;
    }
    row *r = &w->rows[w->row_count < ROWS ? w->row_count++ : 1 + w->next++ % (ROWS - 1)];
    close_until(w, r, INT64_MAX);
    r->track = r == w->rows ? tfp_pf_lane_track(lane) : new_track(w, lane);
    return r;
}

static void put_span(writer *w, uint32_t span)
{
    const tfp_span_columns *s = w->x->s;
    uint32_t lane = s->lane[span];
    int64_t start = s->start_ns[span], end = tfp_span_end(s, span);
    if (end == start) {
        if (!w->instants) w->instants = new_track(w, lane);
        put_begin(w->x, span, w->instants);
        if (!(s->marks[span] & TFP_MARK_INSTANT)) put_end(w->x, w->instants, end);
        return;
    }
    row *r = row_for(w, lane, start, end);
    put_begin(w->x, span, r->track);
    w->nomem |= !tfp_push(&r->ends, end);
}

tfp_status tfp_pf_put_spans(tfp_pf_out *x, tfp_error *err)
{
    writer w = { .x = x };
    uint32_t *order = malloc((x->s->size + 1) * sizeof *order), count = 0;
    for (uint32_t i = 0; order && i < x->s->size; i++)
        if (tfp_pf_shown(x, i)) order[count++] = i;
    w.nomem = !order || !tfp_order_nested(order, count, x->s);
    for (uint32_t i = 0; i < count && !w.nomem && !x->sink->status; i++) {
        if (i && x->s->lane[order[i]] != x->s->lane[order[i - 1]]) close_lane(&w);
        put_span(&w, order[i]);
    }
    close_lane(&w);
    for (size_t i = 0; i < ROWS; i++) tfp_vec_free(&w.rows[i].ends);
    free(order);
    return w.nomem ? tfp_nomem(err) : TFP_OK;
}
