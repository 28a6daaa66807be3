// SPDX-License-Identifier: Apache-2.0
/* views/timeline/clocks.c: shifts the times of processes so that files of one job can be viewed side by side. If a file's time
 * range does not overlap the first file's, their clocks are unrelated: the file is shifted as a whole so that the first step that
 * both have begins at the same time. Only drawings are shifted; every table keeps the file's times. */
#include "model/tables/events.h"
#include "model/tables/lanes.h"
#include "model/tables/runs.h"
#include "model/tables/sources.h"
#include "model/tables/step_marks.h"
#include "views/timeline/timeline.h"

typedef struct recording { /* what one file recorded */
    int64_t start_ns, end_ns;
    uint32_t step; /* index in steps: the first one that the first file also has; TFP_NONE: none */
    int64_t step_ns;
    bool there;
} recording;

typedef struct clocks {
    tfp_timeline *t;
    recording *files; /* one for each source */
    int64_t *steps;   /* for each step: where its window in the first file begins; INT64_MAX: none */
    uint32_t first;   /* index in files */
} clocks;

static recording *file_of(const clocks *c, uint32_t process)
{
    uint32_t source = tfp_events_of(c->t->p)->processes.at[process].source;
    return source < tfp_sources_of(c->t->p)->sources.size ? &c->files[source] : NULL;
}

static int64_t known_offset(const clocks *c, uint32_t process)
{
    return tfp_events_of(c->t->p)->processes.at[process].clock_offset_ns;
}

static void find_ranges(clocks *c)
{
    const tfp_profile *p = c->t->p;
    const tfp_span_columns *s = &tfp_events_of(p)->spans;
    for (uint32_t i = 0; i < s->size; i++) {
        uint32_t process = tfp_lanes_of(p)->at[s->lane[i]].process;
        recording *f = process == TFP_NONE ? NULL : file_of(c, process);
        if (!f) continue;
        int64_t start = tfp_add(s->start_ns[i], known_offset(c, process), NULL);
        int64_t end = tfp_add(start, s->duration_ns[i], NULL);
        if (!f->there || start < f->start_ns) f->start_ns = start;
        if (!f->there || end > f->end_ns) f->end_ns = end;
        f->there = true;
    }
}

/* Finds the first file's steps, then in every other file the first step that is among them. */
static void find_steps(clocks *c)
{
    const tfp_profile *p = c->t->p;
    const tfp_step_window *w = tfp_events_of(p)->windows.at;
    for (size_t i = 0; i < tfp_executions_of(p)->steps.size; i++) c->steps[i] = INT64_MAX;
    for (size_t i = 0; i < tfp_events_of(p)->windows.size; i++) {
        int64_t start = tfp_add(w[i].start_ns, known_offset(c, w[i].process), NULL);
        if (file_of(c, w[i].process) == &c->files[c->first] && start < c->steps[w[i].step]) c->steps[w[i].step] = start;
    }
    for (size_t i = 0; i < tfp_events_of(p)->windows.size; i++) {
        recording *f = file_of(c, w[i].process);
        int64_t start = tfp_add(w[i].start_ns, known_offset(c, w[i].process), NULL);
        if (!f || c->steps[w[i].step] == INT64_MAX) continue;
        int64_t id = tfp_executions_of(p)->steps.at[w[i].step].id,
                best = f->step == TFP_NONE ? INT64_MAX : tfp_executions_of(p)->steps.at[f->step].id;
        if (id > best || (f->step == w[i].step && start >= f->step_ns)) continue;
        f->step = w[i].step;
        f->step_ns = start;
    }
}

static void move(clocks *c)
{
    const tfp_event_tables *e = tfp_events_of(c->t->p);
    const recording *first = &c->files[c->first];
    for (uint32_t i = 0; i < e->processes.size; i++) {
        const recording *f = file_of(c, i);
        c->t->offset_ns[i] = e->processes.at[i].clock_offset_ns;
        if (!f || !f->there || f == first) continue;
        if (f->start_ns <= first->end_ns && first->start_ns <= f->end_ns) continue; /* both use one clock */
        int64_t to = f->step == TFP_NONE ? first->start_ns : c->steps[f->step];
        int64_t from = f->step == TFP_NONE ? f->start_ns : f->step_ns, by;
        if (__builtin_sub_overflow(to, from, &by)) continue;
        c->t->offset_ns[i] = tfp_add(c->t->offset_ns[i], by, NULL);
        c->t->moved = true;
    }
}

bool tfp_timeline_set_clocks(tfp_timeline *t)
{
    const tfp_profile *p = t->p;
    clocks c = { .t = t, .files = calloc(tfp_sources_of(p)->sources.size + 1, sizeof *c.files) };
    c.steps = calloc(tfp_executions_of(p)->steps.size + 1, sizeof *c.steps);
    t->offset_ns = calloc(tfp_events_of(p)->processes.size + 1, sizeof *t->offset_ns);
    bool ok = c.files && c.steps && t->offset_ns;
    for (size_t i = 0; ok && i < tfp_sources_of(p)->sources.size; i++) c.files[i].step = TFP_NONE;
    if (ok) find_ranges(&c);
    while (ok && c.first < tfp_sources_of(p)->sources.size && !c.files[c.first].there) c.first++;
    if (ok) find_steps(&c);
    if (ok) move(&c);
    free(c.files);
    free(c.steps);
    return ok;
}
