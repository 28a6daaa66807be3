// SPDX-License-Identifier: Apache-2.0
/* outputs/data/speedscope_stacks.c: sampled stacks in order of time, a profile a thread, for https://www.speedscope.app (its type "sampled"). A
 * thread that is seen in two looks, one after the other, ran in between; else a sample lasts for one period, and an empty stack fills the
 * time until the next one. */
#include "live/stacks/stacks.h"
#include "outputs/core/output.h"
#include "wire/json.h"

#include <stdio.h>

#define FRAMES_MOST ((uint64_t)64 << 20) /* limit of frames for all samples together */

typedef struct scope {
    const tfp_stacks *all;
    tfp_sink *sink;
    tfp_json json;
    uint32_t *order; /* indexes in moments, sorted by thread and time */
    size_t *first;   /* for each thread its first index in `order`; with one more element at the end */
} scope;

static bool sort_by_thread(scope *c)
{
    const tfp_stacks *all = c->all;
    c->order = calloc(all->moment_count + 1, sizeof *c->order);
    c->first = calloc(all->thread_count + 2, sizeof *c->first);
    if (!c->order || !c->first) return false;
    for (size_t i = 0; i < all->moment_count; i++) c->first[all->moments[i].thread + 2]++;
    for (size_t t = 2; t < all->thread_count + 2; t++) c->first[t] += c->first[t - 1];
    for (size_t i = 0; i < all->moment_count; i++) c->order[c->first[all->moments[i].thread + 1]++] = (uint32_t)i;
    return true;
}

static const tfp_stack_moment *moment(const scope *c, size_t i) { return &c->all->moments[c->order[i]]; }

static bool follows(const tfp_stack_moment *next, const tfp_stack_moment *m) { return next->look - m->look <= 1; }

/* The duration of the i-th sample; the thread's last sample is before `end`. *gap: the time until the next sample after
 * that. */
static int64_t weight_of(const scope *c, size_t i, size_t end, int64_t *gap)
{
    const tfp_stack_moment *m = moment(c, i), *next = i + 1 < end ? moment(c, i + 1) : NULL;
    int64_t period = c->all->period_ns, left = next ? next->at_ns - m->at_ns : period;
    *gap = 0;
    if (!next || follows(next, m) || left <= period) return left;
    *gap = left - period;
    return period;
}

static void put_stack(scope *c, const tfp_stack *stack)
{
    tfp_json_open(&c->json, '[');
    if (stack)
        for (size_t k = stack->depth; k-- > 0;) tfp_json_int(&c->json, stack->functions[k]);
    tfp_json_close(&c->json, ']');
    tfp_sink_flush_if_full(c->sink);
}

/* The time before a thread's first sample: none if the first look saw it. */
static int64_t before(const scope *c, size_t first)
{
    const tfp_stack_moment *m = moment(c, first);
    return m->look ? m->at_ns : 0;
}

static void put_samples(scope *c, size_t first, size_t end)
{
    int64_t gap;
    tfp_json_key(&c->json, "samples");
    tfp_json_open(&c->json, '[');
    if (before(c, first) > 0) put_stack(c, NULL);
    for (size_t i = first; i < end && !c->sink->status; i++) {
        put_stack(c, &c->all->stacks[moment(c, i)->stack]);
        weight_of(c, i, end, &gap);
        if (gap) put_stack(c, NULL);
    }
    tfp_json_close(&c->json, ']');
}

/* Writes the weights; returns their sum. */
static int64_t put_weights(scope *c, size_t first, size_t end)
{
    int64_t sum = before(c, first), gap;
    tfp_json_key(&c->json, "weights");
    tfp_json_open(&c->json, '[');
    if (sum > 0) tfp_json_int(&c->json, sum);
    for (size_t i = first; i < end && !c->sink->status; i++) {
        int64_t weight = weight_of(c, i, end, &gap);
        tfp_json_int(&c->json, weight);
        if (gap) tfp_json_int(&c->json, gap);
        sum += weight + gap;
        tfp_sink_flush_if_full(c->sink);
    }
    tfp_json_close(&c->json, ']');
    return sum;
}

static void put_thread(scope *c, size_t thread)
{
    const tfp_stack_thread *t = &c->all->threads[thread];
    char tid[32];
    tfp_buf name = { 0 };
    tfp_buf_str(&name, t->name);
    snprintf(tid, sizeof tid, " (%lld)", (long long)t->tid);
    if (t->tid) tfp_buf_text(&name, tid);
    tfp_json_open(&c->json, '{');
    tfp_json_text_at(&c->json, "type", "sampled");
    tfp_json_str_at(&c->json, "name", (tfp_str){ name.data, name.size });
    tfp_json_text_at(&c->json, "unit", "nanoseconds");
    tfp_json_int_at(&c->json, "startValue", 0);
    put_samples(c, c->first[thread], c->first[thread + 1]);
    int64_t sum = put_weights(c, c->first[thread], c->first[thread + 1]);
    tfp_json_int_at(&c->json, "endValue", sum);
    tfp_json_close(&c->json, '}');
    tfp_buf_free(&name);
}

static void put_functions(scope *c)
{
    tfp_json_key(&c->json, "shared");
    tfp_json_open(&c->json, '{');
    tfp_json_key(&c->json, "frames");
    tfp_json_open(&c->json, '[');
    for (size_t i = 0; i < c->all->function_count && !c->sink->status; i++) {
        const tfp_stack_function *f = &c->all->functions[i];
        tfp_json_open(&c->json, '{');
        tfp_json_str_at(&c->json, "name", f->function);
        tfp_json_str_at(&c->json, "file", f->file);
        if (f->line > 0) { tfp_json_int_at(&c->json, "line", f->line); }
        tfp_json_close(&c->json, '}');
        tfp_sink_flush_if_full(c->sink);
    }
    tfp_json_close(&c->json, ']');
    tfp_json_close(&c->json, '}');
}

static void put_file(scope *c)
{
    tfp_json_open(&c->json, '{');
    tfp_json_text_at(&c->json, "$schema", "https://www.speedscope.app/file-format-schema.json");
    tfp_json_text_at(&c->json, "exporter", "tfprof");
    put_functions(c);
    tfp_json_key(&c->json, "profiles");
    tfp_json_open(&c->json, '[');
    for (size_t t = 0; t < c->all->thread_count; t++)
        if (c->first[t + 1] > c->first[t]) put_thread(c, t);
    tfp_json_close(&c->json, ']');
    tfp_json_close(&c->json, '}');
    tfp_buf_char(&c->sink->buf, '\n');
}

tfp_status tfp_speedscope_stacks(const tfp_stacks *all, tfp_sink *s, tfp_error *err)
{
    uint64_t frames = 0;
    scope c = { .all = all, .sink = s, .json = tfp_json_start(&s->buf) };
    for (size_t i = 0; i < all->moment_count; i++) frames += all->stacks[all->moments[i].stack].depth;
    if (frames > FRAMES_MOST)
        return tfp_fail(err, TFP_LIMIT, "the samples pass %llu frames: try fewer --seconds, or -format folded",
                        (unsigned long long)FRAMES_MOST);
    tfp_status status = sort_by_thread(&c) ? TFP_OK : tfp_nomem(err);
    if (!status) put_file(&c);
    free(c.order);
    free(c.first);
    return status;
}
