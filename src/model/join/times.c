// SPDX-License-Identifier: Apache-2.0
/* model/join/times.c: repairs times that cannot be, before spans are nested. Left out are events over a day from all
 * others of their process, work that was recorded twice, and merged ranks that have files of their own (merged.c). An
 * activity cannot go on for long after the next one of its stream began: it is cut there. In a sound trace this looks
 * at the ends of lanes and once at each activity. */
#include "model/join/doubts.h"
#include "model/recorded.h"
#include "model/tables/processes.h"
#include "model/tables/profile.h"
#include "model/tables/step_marks.h"

#include <stdlib.h>

#define DAY_NS ((int64_t)86400 * 1000000000)
#define SECOND_NS 1000000000
#define PAIRS 4096 /* of streams that are compared with each other */
#define CROWD 8    /* fewer overlaps may be those of a device with several queues in one lane */

typedef struct times {
    tfp_join *x;
    tfp_span_columns *s;
    uint8_t *out;   /* for each span: it is left out; NULL: none is */
    tfp_map64 rows; /* kind << 32 | process -> row; earlier joins have rows of their own */
    TFP_VEC(int64_t) starts;
} times;

static bool leave_out(times *t, uint32_t span)
{
    if (!t->out) t->out = calloc(t->x->count + 1, 1);
    if (!t->out) return false;
    t->out[span] = 1;
    return true;
}

/* Adds to the row of a kind and process. */
static void add(times *t, tfp_doubt_kind kind, uint32_t process, uint32_t span, int64_t ns)
{
    tfp_event_tables *e = t->x->t;
    uint64_t key = (uint64_t)kind << 32 | process;
    uint32_t at = tfp_map64_get(&t->rows, key);
    tfp_doubt row = { .kind = kind, .process = process, .step = TFP_NONE, .name = t->s->name[span] };
    if (at == TFP_NONE) {
        at = (uint32_t)e->doubts.size;
        if (!tfp_join_keep(t->x, tfp_map64_put(&t->rows, key, at) && tfp_push(&e->doubts, row))) return;
    }
    static const char *const said[TFP_DOUBT_CUT + 1] = {
        [TFP_DOUBT_FAR] = "events over a day from all others, left out",
        [TFP_DOUBT_TWICE] = "activities that were recorded twice, counted once",
        [TFP_DOUBT_OVERLAPS] = "activities that end long after the next one of their stream began, cut there"
    };
    tfp_build_warn(t->x->b, said[kind], tfp_text(t->x->p, t->s->name[span]));
    e->doubts.at[at].count++;
    e->doubts.at[at].ns = tfp_add(e->doubts.at[at].ns, ns, NULL);
}

/* ---- events far from all others ---- */

static bool is_of(const times *t, uint32_t lane, bool host)
{
    const tfp_lane *l = &t->x->p->lanes->at[lane];
    return (l->role == TFP_ROLE_THREAD) == host && t->x->lane_first[lane] < t->x->lane_first[lane + 1];
}

typedef struct range {
    int64_t first, last; /* starts; none if first is greater */
} range;

static range range_of(const times *t, uint32_t process, bool host)
{
    range r = { INT64_MAX, INT64_MIN };
    for (uint32_t lane = t->x->first_lane[process]; lane != TFP_NONE; lane = t->x->next_lane[lane]) {
        if (!is_of(t, lane, host)) continue;
        int64_t first = t->s->start_ns[t->x->order[t->x->lane_first[lane]]],
                last = t->s->start_ns[t->x->order[t->x->lane_first[lane + 1] - 1]];
        if (first < r.first) r.first = first;
        if (last > r.last) r.last = last;
    }
    return r;
}

static int64_t distance(int64_t a, int64_t b) { return tfp_add(b, -a, NULL); } /* from a to b */

static bool is_near(range a, range b)
{
    return a.first <= a.last && distance(a.last, b.first) <= DAY_NS && distance(b.last, a.first) <= DAY_NS;
}

/* Splits the starts where a day lies between two of them, and finds the part with most of them; of equal parts the one near the host's.
 * False: the others are too many to be mistakes. */
static bool find_main(times *t, range host, range *out)
{
    size_t most = 0, count = t->starts.size;
    bool near = false;
    qsort(t->starts.at, count, sizeof *t->starts.at, tfp_by_int);
    for (size_t i = 0, end; i < count; i = end) {
        const int64_t *at = t->starts.at;
        for (end = i + 1; end < count && distance(at[end - 1], at[end]) <= DAY_NS; end++) {}
        range r = { at[i], at[end - 1] };
        bool better = end - i == most ? is_near(host, r) && !near : end - i > most;
        if (!better) continue;
        most = end - i;
        *out = r;
        near = is_near(host, r);
    }
    return (count - most) * 2 <= most;
}

/* Time 0 beside real times, which begin much later than they are apart, is no time. */
static void find_zeros(times *t, range *r)
{
    size_t zeros = 0, count = t->starts.size;
    if (r->first != 0) return;
    qsort(t->starts.at, count, sizeof *t->starts.at, tfp_by_int);
    while (zeros < count && t->starts.at[zeros] == 0) zeros++;
    if (zeros == count || zeros * 2 > count - zeros) return;
    int64_t first = t->starts.at[zeros], last = t->starts.at[count - 1];
    if (first > SECOND_NS && first / 10 > distance(first, last)) r->first = first;
}

static void leave_far_out(times *t, uint32_t process, bool host, range keep)
{
    for (uint32_t lane = t->x->first_lane[process]; lane != TFP_NONE && !t->x->b->status;
         lane = t->x->next_lane[lane]) {
        if (!is_of(t, lane, host)) continue;
        for (uint32_t k = t->x->lane_first[lane]; k < t->x->lane_first[lane + 1]; k++) {
            uint32_t span = t->x->order[k];
            if (t->s->start_ns[span] >= keep.first && t->s->start_ns[span] <= keep.last) continue;
            if (tfp_join_keep(t->x, leave_out(t, span))) add(t, TFP_DOUBT_FAR, process, span, 0);
        }
    }
}

static range check_range(times *t, uint32_t process, bool host, range hosts)
{
    range r = range_of(t, process, host), keep = r;
    if (r.first > r.last || (r.first != 0 && distance(r.first, r.last) <= DAY_NS)) return r;
    t->starts.size = 0;
    for (uint32_t lane = t->x->first_lane[process]; lane != TFP_NONE; lane = t->x->next_lane[lane]) {
        if (!is_of(t, lane, host)) continue;
        for (uint32_t k = t->x->lane_first[lane]; k < t->x->lane_first[lane + 1]; k++)
            if (!tfp_join_keep(t->x, tfp_push(&t->starts, t->s->start_ns[t->x->order[k]]))) return r;
    }
    if (distance(r.first, r.last) > DAY_NS && !find_main(t, hosts, &keep)) return r;
    find_zeros(t, &keep);
    if (keep.first != r.first || keep.last != r.last) leave_far_out(t, process, host, keep);
    return keep;
}

/* ---- activities of a stream ---- */

/* Whether a lane of TensorFlow 1 is one stream of a GPU, which its other lanes of devices are not. */
static bool is_stream_of_task(tfp_str name)
{
    tfp_str word = TFP_STR("stream:");
    size_t at = tfp_str_find(name, word);
    return at < name.size && at + word.size < name.size && name.data[at + word.size] <= '9';
}

static bool is_stream(const times *t, size_t lane)
{
    const tfp_lane *l = &t->x->p->lanes->at[lane];
    if (l->role != TFP_ROLE_STREAM || l->process >= t->x->t->processes.size) return false;
    if (t->x->t->processes.at[l->process].tasks) return is_stream_of_task(tfp_text(t->x->p, l->name));
    return !tfp_is_tpu(tfp_text(t->x->p, l->device));
}

/* Whether the same activity was recorded twice: alike in all, or, with the number of a launch, at nearly the same time. */
static bool is_twin(const tfp_span_columns *s, uint32_t a, uint32_t b)
{
    bool same = s->name[a] == s->name[b] && s->correlation[a] == s->correlation[b] && s->kind[a] == s->kind[b];
    if (!same || s->duration_ns[a] != s->duration_ns[b] || !s->duration_ns[a]) return false;
    return s->start_ns[a] == s->start_ns[b] || (s->correlation[a] && s->start_ns[b] < tfp_span_end(s, a));
}

static bool overlaps(const tfp_span_columns *s, uint32_t a, uint32_t b)
{
    int64_t over = distance(s->start_ns[b], tfp_span_end(s, a));
    if (over <= TFP_EARLY_NS || s->start_ns[a] == s->start_ns[b]) return false;
    int64_t shorter = s->duration_ns[a] < s->duration_ns[b] ? s->duration_ns[a] : s->duration_ns[b];
    return over > shorter / 2;
}

/* The number of overlaps in a lane, which are cut if `cut`. A lane with several queues may have many. */
static size_t check_overlaps(times *t, size_t lane, bool cut, size_t *count)
{
    tfp_span_columns *s = t->s;
    uint32_t open = TFP_NONE;
    size_t found = 0;
    *count = 0;
    for (uint32_t k = t->x->lane_first[lane]; k < t->x->lane_first[lane + 1] && !t->x->b->status; k++) {
        uint32_t span = t->x->order[k];
        if (s->kind[span] != TFP_SPAN_ACTIVITY || (t->out && t->out[span])) continue;
        ++*count;
        if (open != TFP_NONE && overlaps(s, open, span)) {
            found++;
            if (cut) {
                int64_t whole = s->duration_ns[open];
                s->duration_ns[open] = distance(s->start_ns[open], s->start_ns[span]);
                add(t, TFP_DOUBT_OVERLAPS, t->x->p->lanes->at[lane].process, open, whole - s->duration_ns[open]);
            }
            open = span;
        } else if (open == TFP_NONE || tfp_span_end(s, span) >= tfp_span_end(s, open)) {
            open = span;
        }
    }
    return found;
}

/* Notes a stream in which most activities overlap, so that none of their times can be believed. */
static void add_crowd(times *t, size_t lane, size_t found)
{
    uint32_t first = t->x->order[t->x->lane_first[lane]];
    tfp_doubt row = { .kind = TFP_DOUBT_CROWDED,
                      .process = t->x->p->lanes->at[lane].process,
                      .step = TFP_NONE,
                      .name = t->s->name[first],
                      .count = (int64_t)found };
    tfp_join_keep(t->x, tfp_push(&t->x->t->doubts, row));
}

/* ---- the same work in two lanes ---- */

static bool is_copy(const tfp_span_columns *s, uint32_t a, uint32_t b)
{
    return s->start_ns[a] == s->start_ns[b] && s->name[a] == s->name[b] && s->kind[a] == s->kind[b] &&
           s->duration_ns[a] == s->duration_ns[b] && s->duration_ns[a] && s->correlation[a] == s->correlation[b] &&
           s->external[a] == s->external[b] && (s->correlation[a] || s->external[a]);
}

/* The first span of a lane that does not start earlier than the moment. */
static uint32_t first_from(const times *t, size_t lane, int64_t at_ns)
{
    const uint32_t *order = t->x->order;
    size_t at;
    TFP_LOWER_BOUND(at, t->x->lane_first[lane], t->x->lane_first[lane + 1], t->s->start_ns[order[at]] < at_ns);
    return (uint32_t)at;
}

static bool has_copy(const times *t, size_t lane, uint32_t span)
{
    for (uint32_t k = first_from(t, lane, t->s->start_ns[span]);
         k < t->x->lane_first[lane + 1] && t->s->start_ns[t->x->order[k]] == t->s->start_ns[span]; k++)
        if (is_copy(t->s, t->x->order[k], span)) return true;
    return false;
}

/* Leaves out the work of a stream that another one has, too, if that is most of it. */
static void check_streams(times *t, size_t lane, size_t other)
{
    uint32_t first = t->x->lane_first[other], end = t->x->lane_first[other + 1], count = 0;
    const uint32_t looks[] = { first, first + (end - first) / 2, end - 1 };
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++)
        if (!has_copy(t, lane, t->x->order[looks[i]])) return;
    for (uint32_t k = first; k < end; k++) count += has_copy(t, lane, t->x->order[k]);
    for (uint32_t k = first; k < end && count * 2 > end - first && !t->x->b->status; k++) {
        uint32_t span = t->x->order[k];
        if (!has_copy(t, lane, span) || (t->out && t->out[span])) continue;
        if (tfp_join_keep(t->x, leave_out(t, span)))
            add(t, TFP_DOUBT_TWICE, t->x->p->lanes->at[lane].process, span, t->s->duration_ns[span]);
    }
}

/* Compares the streams of each device with each other; of many only the first. */
static void check_pairs(times *t, uint32_t process)
{
    const tfp_lane_list *lanes = t->x->p->lanes;
    size_t left = PAIRS;
    for (uint32_t a = t->x->first_lane[process]; a != TFP_NONE; a = t->x->next_lane[a])
        for (uint32_t b = t->x->next_lane[a]; b != TFP_NONE && left && is_stream(t, a) && !t->x->b->status;
             b = t->x->next_lane[b])
            if (is_stream(t, b) && lanes->at[a].device == lanes->at[b].device) check_streams(t, a, b), left--;
}

/* Whether a span without a number stands twice; nested ones of a name may do so too, where nothing else does. */
static bool is_alike(const tfp_span_columns *s, uint32_t a, uint32_t b)
{
    return s->name[a] == s->name[b] && s->kind[a] == s->kind[b] && s->duration_ns[a] == s->duration_ns[b] &&
           s->duration_ns[a] && s->kind[a] != TFP_SPAN_OTHER;
}

static void check_unnumbered(times *t, size_t lane)
{
    const tfp_span_columns *s = t->s;
    for (uint32_t k = t->x->lane_first[lane] + 1; k < t->x->lane_first[lane + 1] && !t->x->b->status; k++) {
        uint32_t span = t->x->order[k], before = t->x->order[k - 1];
        bool out = t->out && t->out[span];
        if (!out && s->start_ns[span] == s->start_ns[before] && is_alike(s, before, span))
            tfp_join_keep(t->x, leave_out(t, span));
    }
}

/* Leaves out operators and calls of a thread that stand twice; if many do, spans without a number, too. */
static void check_thread(times *t, size_t lane)
{
    const tfp_span_columns *s = t->s;
    size_t twice = 0, ops = 0;
    for (uint32_t k = t->x->lane_first[lane] + 1; k < t->x->lane_first[lane + 1] && !t->x->b->status; k++) {
        uint32_t span = t->x->order[k], before = t->x->order[k - 1];
        ops += tfp_is_host_op(s->kind[span]);
        if (s->start_ns[span] != s->start_ns[before] || !tfp_is_host_op(s->kind[span]) || !is_copy(s, before, span))
            continue;
        twice++;
        if (tfp_join_keep(t->x, leave_out(t, span)))
            add(t, TFP_DOUBT_TWICE, t->x->p->lanes->at[lane].process, span, s->duration_ns[span]);
    }
    if (twice * 4 > ops) check_unnumbered(t, lane);
}

/* Whether two activities of a stream start at once, as where a file has lost the last digits of times. */
static bool start_together(const tfp_span_columns *s, uint32_t a, uint32_t b)
{
    return s->start_ns[a] == s->start_ns[b] && s->duration_ns[a] && s->duration_ns[b] &&
           s->kind[a] == TFP_SPAN_ACTIVITY && s->kind[b] == TFP_SPAN_ACTIVITY;
}

static void check_stream(times *t, size_t lane)
{
    size_t count = 0, together = 0;
    for (uint32_t k = t->x->lane_first[lane] + 1; k < t->x->lane_first[lane + 1] && !t->x->b->status; k++) {
        uint32_t span = t->x->order[k], before = t->x->order[k - 1];
        if (t->out && t->out[span]) continue;
        together += start_together(t->s, before, span);
        if (t->s->kind[span] != TFP_SPAN_ACTIVITY || !is_twin(t->s, before, span)) continue;
        together -= t->s->start_ns[before] == t->s->start_ns[span];
        if (tfp_join_keep(t->x, leave_out(t, span)))
            add(t, TFP_DOUBT_TWICE, t->x->p->lanes->at[lane].process, before, t->s->duration_ns[span]);
    }
    size_t found = check_overlaps(t, lane, false, &count);
    if (found && found * 2 <= count) check_overlaps(t, lane, true, &count);
    found += together;
    if (found >= CROWD && found * 2 > count) add_crowd(t, lane, found);
}

/* ---- leaving out ---- */

/* Takes lanes without spans from the chains of their processes. */
static void unchain_empty(tfp_join *x)
{
    for (size_t i = 0; i < x->t->processes.size; i++) {
        uint32_t *at = &x->first_lane[i];
        while (*at != TFP_NONE) {
            if (x->lane_first[*at] == x->lane_first[*at + 1])
                *at = x->next_lane[*at];
            else
                at = &x->next_lane[*at];
        }
    }
}

/* Moves the spans that are kept together, with all that refers to them by number. */
static void compact(times *t)
{
    tfp_event_tables *e = t->x->t;
    uint32_t *now = malloc((t->x->count + 1) * sizeof *now), size = 0;
    if (!now) {
        tfp_join_keep(t->x, false);
        return;
    }
    for (uint32_t i = 0; i < t->x->count; i++) now[i] = t->out[i] ? TFP_NONE : size++;
    for (uint32_t i = 0; i < t->x->count; i++) {
        if (t->out[i]) continue;
#define JOIN(column)
#define COLUMN(type, name, ...) t->s->name[now[i]] = t->s->name[i];
#include "schema/traces/spans.def"
#undef COLUMN
    }
    size_t kept = 0;
    for (size_t i = 0; i < e->flows.size; i++) {
        tfp_flow f = e->flows.at[i];
        if (now[f.from] == TFP_NONE || now[f.to] == TFP_NONE) continue;
        e->flows.at[kept++] = (tfp_flow){ now[f.from], now[f.to], f.kind };
    }
    e->flows.size = kept;
    kept = 0;
    for (size_t i = 0; i < e->step_marks.size; i++) {
        tfp_step_mark m = e->step_marks.at[i];
        m.span = now[m.span];
        if (m.span != TFP_NONE) e->step_marks.at[kept++] = m;
    }
    e->step_marks.size = kept;
    kept = 0;
    for (size_t i = 0; i < e->calls.size; i++) {
        tfp_recorded_call c = e->calls.at[i];
        c.span = now[c.span];
        if (c.span != TFP_NONE) e->calls.at[kept++] = c;
    }
    e->calls.size = kept;
    for (size_t i = 0; i < t->x->p->recorded->ops.size; i++) {
        uint32_t *span = &t->x->p->recorded->ops.at[i].span;
        if (*span) *span = now[*span - 1] + 1; /* TFP_NONE + 1: none */
    }
    free(now);
    t->s->size = t->x->count = size;
    if (tfp_join_keep(t->x, tfp_order_spans(t->x->p, t->x->order, t->x->lane_first))) unchain_empty(t->x);
}

/* Steps of TensorFlow 1 go from the first start to the last end of the executions in the file: now of those that were
 * kept, up to the next step. */
static void shrink_steps(times *t)
{
    const tfp_event_tables *e = t->x->t;
    for (size_t i = 0; i < e->step_marks.size; i++) {
        uint32_t mark = e->step_marks.at[i].span, process = tfp_span_process(t->x, mark);
        uint32_t next = i + 1 < e->step_marks.size ? e->step_marks.at[i + 1].span : mark;
        int64_t from = t->s->start_ns[mark], until = t->s->start_ns[next], first = INT64_MAX, last = INT64_MIN;
        if (process >= e->processes.size || !e->processes.at[process].tasks) continue;
        if (until <= from) until = INT64_MAX;
        for (uint32_t lane = t->x->first_lane[process]; lane != TFP_NONE; lane = t->x->next_lane[lane]) {
            for (uint32_t k = first_from(t, lane, from); k < t->x->lane_first[lane + 1]; k++) {
                uint32_t span = t->x->order[k];
                if (t->s->start_ns[span] >= until) break;
                if (t->s->kind[span] != TFP_SPAN_ACTIVITY && !tfp_is_host_op(t->s->kind[span])) continue;
                if (t->s->start_ns[span] < first) first = t->s->start_ns[span];
                if (tfp_span_end(t->s, span) > last) last = tfp_span_end(t->s, span);
            }
        }
        if (first > last) continue;
        t->s->start_ns[mark] = first;
        t->s->duration_ns[mark] = last - first;
    }
}

void tfp_join_times(tfp_join *x)
{
    times t = { .x = x, .s = &x->t->spans };
    tfp_join_keep(x, tfp_join_merged(x, &t.out));
    for (uint32_t i = 0; i < x->t->processes.size && !x->b->status; i++) {
        range host = check_range(&t, i, true, (range){ 0, -1 });
        check_range(&t, i, false, host);
    }
    for (uint32_t i = 0; i < x->t->processes.size && !x->b->status; i++) check_pairs(&t, i);
    for (size_t lane = 0; lane < x->p->lanes->size && !x->b->status; lane++) {
        if (is_stream(&t, lane)) check_stream(&t, lane);
        if (x->p->lanes->at[lane].role == TFP_ROLE_THREAD) check_thread(&t, lane);
    }
    if (t.out && !x->b->status) compact(&t);
    if (t.rows.count && !x->b->status) shrink_steps(&t);
    free(t.out);
    tfp_map64_free(&t.rows);
    tfp_vec_free(&t.starts);
}
