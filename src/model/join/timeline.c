// SPDX-License-Identifier: Apache-2.0
/* model/join/timeline.c: fills the timeline of a process. */
#include "model/join/timeline.h"
#include "model/tables/profile.h"

#include <stdlib.h>

#define PARTS_MOST 4096
#define PARTS_LEAST 1024
#define PARTS_OF_ALL ((size_t)1 << 17) /* so many for all processes together */
#define BRIEF_NS 200                   /* no kernel is shorter */
#define TINY_NS 150                    /* nearly all operators and calls are longer */
#define QUICK_NS 200000                /* most operators and calls of a job with a device are shorter */
#define EARLY_NS 100000                /* so much earlier than its launch an activity may seem to start */

static void stretch(tfp_timeline *t, const tfp_join *x, size_t *spans)
{
    const tfp_span_columns *s = &x->t->spans;
    for (uint32_t lane = x->first_lane[t->process]; lane != TFP_NONE; lane = x->next_lane[lane]) {
        tfp_lane_role role = x->p->lanes->at[lane].role;
        if (role != TFP_ROLE_THREAD && role != TFP_ROLE_STREAM) continue;
        int64_t first = s->start_ns[x->order[x->lane_first[lane]]],
                last = tfp_span_end(s, x->order[x->lane_first[lane + 1] - 1]);
        if (!*spans || first < t->start_ns) t->start_ns = first;
        if (!*spans || last > t->end_ns) t->end_ns = last;
        *spans += x->lane_first[lane + 1] - x->lane_first[lane];
    }
}

bool tfp_timeline_start(tfp_timeline *t, tfp_join *x, uint32_t process)
{
    size_t spans = 0, most = PARTS_OF_ALL / x->t->processes.size;
    *t = (tfp_timeline){ .x = x, .process = process };
    stretch(t, x, &spans);
    int64_t ns = tfp_add(t->end_ns, -t->start_ns, NULL);
    if (!spans || ns <= 0) return true;
    if (most > PARTS_MOST) most = PARTS_MOST;
    if (most > spans) most = spans;
    t->count = spans < PARTS_LEAST && most >= spans ? PARTS_LEAST : most < 64 ? 64 : most;
    t->part_ns = ns / (int64_t)t->count + 1;
    t->parts = malloc((t->count + 1) * sizeof *t->parts);
    if (!t->parts) return false;
    for (size_t i = 0; i <= t->count; i++)
        t->parts[i] = (tfp_time_part){ .first_ns = INT64_MAX,
                                       .last_ns = INT64_MIN,
                                       .first = TFP_NONE,
                                       .end_ns = INT64_MIN,
                                       .least_ns = INT64_MAX,
                                       .done_ns = INT64_MIN };
    return true;
}

size_t tfp_timeline_at(const tfp_timeline *t, int64_t at_ns)
{
    int64_t part = tfp_add(at_ns, -t->start_ns, NULL) / t->part_ns;
    return part < 0 ? 0 : part >= (int64_t)t->count ? t->count - 1 : (size_t)part;
}

/* Numbers that are keys of the profile (tfp_build_key) count no launches: they stand for rows of a file, arrows, or hashes. */
static void add_number(tfp_number_range *r, uint32_t number)
{
    if (!number || number & TFP_BIG_KEY) return;
    if (!r->high || number < r->low) r->low = number;
    if (number > r->high) r->high = number;
}

static void add_launch(tfp_timeline *t, tfp_time_part *part, uint32_t span)
{
    const tfp_span_columns *s = &t->x->t->spans;
    uint32_t launch = s->launch[span];
    int64_t start = s->start_ns[span], end = tfp_span_end(s, span), launched = s->start_ns[launch];
    int64_t early = tfp_add(launched, -start, NULL), waits = tfp_add(start, -tfp_span_end(s, launch), NULL);
    part->launched++;
    part->early += early > EARLY_NS;
    if (early > part->early_ns) part->early_ns = early;
    if (waits < part->least_ns && s->class[span] != TFP_CLASS_COPY) part->least_ns = waits;
    /* a call that only begins a copy into pageable memory is short: another one waits for it */
    if (s->class[span] == TFP_CLASS_COPY && s->duration_ns[launch] >= TFP_SYNC_NS &&
        tfp_str_has(tfp_text(t->x->p, s->name[span]), TFP_STR("-> Pageable)"))) {
        int64_t over = tfp_add(end, -tfp_span_end(s, launch), NULL);
        part->blocking++;
        part->over += over > TFP_SYNC_NS;
        if (over > part->over_ns) part->over_ns = over;
    }
    tfp_time_part *from = &t->parts[tfp_timeline_at(t, launched)];
    if (end > from->done_ns) from->done_ns = end;
}

static void add_length(tfp_lengths *l, const tfp_span_columns *s, uint32_t span)
{
    int64_t ns = s->duration_ns[span];
    l->fractions = l->fractions || ns % 1000;
    if (s->kind[span] != TFP_SPAN_ACTIVITY) {
        l->calls += ns > 0;
        l->quick += ns > 0 && ns < QUICK_NS;
        l->tiny += ns > 0 && ns < TINY_NS;
    } else if (s->class[span] == TFP_CLASS_COMPUTE) {
        l->kernels++;
        l->brief += ns < BRIEF_NS;
        l->short_kernels += ns < QUICK_NS;
    }
}

void tfp_timeline_add(tfp_timeline *t, uint32_t span)
{
    const tfp_span_columns *s = &t->x->t->spans;
    add_length(&t->lengths, s, span);
    if (!t->count) return;
    int64_t start = s->start_ns[span];
    size_t at = tfp_timeline_at(t, start);
    tfp_time_part *part = &t->parts[at];
    if (start < part->first_ns) part->first_ns = start;
    if (start > part->last_ns) part->last_ns = start;
    if (s->kind[span] == TFP_SPAN_CALL) add_number(&part->numbers[TFP_NUMBERS_OF_CALLS], s->correlation[span]);
    if (s->kind[span] == TFP_SPAN_OP) add_number(&part->numbers[TFP_NUMBERS_OF_OPS], s->external[span]);
    if (s->kind[span] != TFP_SPAN_ACTIVITY) return;
    int64_t end = tfp_span_end(s, span);
    size_t last = tfp_timeline_at(t, end);
    part->busy++;
    t->parts[last + 1].busy--;
    if (end > t->parts[last].end_ns) t->parts[last].end_ns = end;
    if (part->first == TFP_NONE || start < s->start_ns[part->first]) part->first = span;
    if (s->launch[span] != TFP_NONE) add_launch(t, part, span);
}
