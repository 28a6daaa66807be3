// SPDX-License-Identifier: Apache-2.0
/* formats/perfetto/slices.c: joins begins and ends of a track to slices, and writes everything as the text of a Chrome
 * trace. */
#include "formats/perfetto/perfetto.h"
#include "formats/sqlite/range_text.h"
#include "model/builder.h"
#include "model/event_builder.h"
#include "names/copies.h"

#define NESTED 16 /* slices of a sound trace that are open at its end */
/* Of the slices of a truncated trace in the order of time fewer lack their end. */
#define UNFINISHED_OF 20

#define WAIT_NUMBERS (UINT64_C(1) << 40) /* ids of arrows between stages, as in PyTorch's JSON */
#define PARENTS                                                                                                        \
    32 /* most parents of a track that are searched for its process; with a longer chain, or a circle, it has none */

/* ---- the order of events ---- */

/* Orders by track and time. At the same time ends come before begins: PyTorch writes all begins of a kind, then all
 * ends, and successive kernels share a time. */
static bool earlier(const void *ctx, uint32_t a, uint32_t b)
{
    const tfp_pf_event *all = ctx, *x = &all[a], *y = &all[b];
    if (x->track != y->track) return x->track < y->track;
    if (x->at_ns != y->at_ns) return x->at_ns < y->at_ns;
    return x->type == TFP_PF_END && y->type != TFP_PF_END;
}

/* ---- the lane of a track ---- */

typedef struct lane {
    int64_t pid, tid;
} lane;

/* The thread of the track or of a track above it; without one the process, with the track's own number as its
 * thread. */
static lane lane_of(const tfp_pf_reader *r, uint32_t track)
{
    const tfp_pf_track *t = &r->tracks.at[track];
    lane l = { 0, (int64_t)(t->uuid & INT64_MAX) };
    for (int i = 0; i < PARENTS; i++) {
        if (t->has_thread) return (lane){ t->pid, t->tid };
        if (t->has_process) return (lane){ t->pid, l.tid };
        uint32_t at = t->parent ? tfp_map64_get(&r->track_by_uuid, t->parent) : TFP_NONE;
        if (at == TFP_NONE) break;
        t = &r->tracks.at[at];
    }
    return l;
}

/* Whether the track is PyTorch's for the overhead of the profiler, whose slices have no category. */
static bool is_overhead(const tfp_pf_reader *r, uint32_t track)
{
    const tfp_pf_track *t = &r->tracks.at[track];
    uint32_t at = t->parent ? tfp_map64_get(&r->track_by_uuid, t->parent) : TFP_NONE;
    tfp_str name = tfp_strtab_get(&r->strings, at == TFP_NONE ? 0 : r->tracks.at[at].name);
    return tfp_str_eq(name, TFP_STR("Overhead"));
}

/* ---- what categories of other programs mean ---- */

typedef enum meaning { AS_IT_IS, IS_CALL, IS_RANGE, IS_COPY, IS_KERNEL } meaning;

static meaning meaning_of(tfp_str category, const char **mapped)
{
    static const struct {
        const char *category, *mapped;
        meaning what;
    } rows[] = { { "hip_api", "cuda_runtime", IS_CALL },
                 { "hsa_api", "cuda_runtime", IS_CALL },
                 { "hip_runtime_api", "cuda_runtime", IS_CALL },
                 { "hip_compiler_api", "cuda_runtime", IS_CALL },
                 { "rccl_api", "cuda_runtime", IS_CALL },
                 { "hip_runtime", "cuda_runtime", IS_CALL },
                 { "hip_runtime.debug", "cuda_runtime", IS_CALL },
                 { "cuda_runtime", NULL, IS_CALL },
                 { "cuda_runtime.debug", "cuda_runtime", IS_CALL },
                 { "cuda_driver", NULL, IS_CALL },
                 { "cuda_driver.debug", "cuda_driver", IS_CALL },
                 { "tx", "user_annotation", IS_RANGE },
                 { "marker_api", "user_annotation", IS_RANGE },
                 { "user_annotation", NULL, IS_RANGE },
                 { "kernel_dispatch", "kernel", IS_KERNEL },
                 { "memory_copy", "gpu_memcpy", IS_COPY },
                 { "kernel", NULL, IS_KERNEL },
                 { "gpu_memcpy", NULL, IS_COPY },
                 { "gpu_memset", NULL, IS_KERNEL } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!tfp_str_eq(category, tfp_str_of(rows[i].category))) continue;
        *mapped = rows[i].mapped;
        return rows[i].what;
    }
    return AS_IT_IS;
}

/* ---- writing ---- */

static void put_text(tfp_buf *out, const char *key, tfp_str text)
{
    tfp_buf_text(out, key);
    tfp_pf_put_string(out, text);
}

static void put_head(tfp_buf *out, const char *phase, lane l)
{
    tfp_buf_text(out, ",\n{\"ph\":\"");
    tfp_buf_text(out, phase);
    tfp_buf_text(out, "\",\"pid\":");
    tfp_buf_int(out, l.pid);
    tfp_buf_text(out, ",\"tid\":");
    tfp_buf_int(out, l.tid);
}

/* Writes a range; by its text it may be an operator. */
static void put_range(tfp_buf *out, tfp_str category, tfp_str name, tfp_buf *more)
{
    tfp_range_op op;
    bool is_op = tfp_range_is_op(name, &op) && op.marked;
    put_text(out, ",\"cat\":", is_op ? TFP_STR("cpu_op") : category);
    put_text(out, ",\"name\":", is_op ? op.name : name);
    if (!is_op) return;
    if (op.sequence >= 0) tfp_buf_printf(more, ",\"Sequence number\":%lld", (long long)op.sequence);
    if (op.sequence >= 0 && op.backward) tfp_buf_text(more, ",\"Fwd thread id\":1");
    if (op.sizes.size) put_text(more, ",\"Input Dims\":", op.sizes);
}

static void put_slice(const tfp_pf_reader *r, const tfp_pf_event *e, int64_t end_ns, tfp_buf *out)
{
    tfp_str name = tfp_strtab_get(&r->strings, e->name), category = tfp_strtab_get(&r->strings, e->category);
    tfp_buf more = { 0 };
    const char *mapped = NULL;
    meaning what = meaning_of(category, &mapped);
    if (mapped) category = tfp_str_of(mapped);
    if (!category.size && is_overhead(r, e->track)) category = TFP_STR("overhead");
    put_head(out, e->type == TFP_PF_INSTANT ? "i" : "X", lane_of(r, e->track));
    if (what == IS_RANGE) {
        put_range(out, category, name, &more);
    } else {
        put_text(out, ",\"cat\":", category);
        put_text(out, ",\"name\":",
                 what == IS_CALL   ? tfp_api_name(name)
                 : what == IS_COPY ? tfp_copy_name(name)
                                   : name);
    }
    uint64_t joined = r->correlations[e - r->events.at];
    if (!joined && what != AS_IT_IS && what != IS_RANGE) joined = e->flow & INT64_MAX;
    if (joined && !e->has_correlation) tfp_buf_printf(&more, ",\"correlation\":%llu", (unsigned long long)joined);
    tfp_buf_text(out, ",\"ts\":");
    tfp_buf_thousandths(out, e->at_ns);
    if (e->type != TFP_PF_INSTANT) {
        tfp_buf_text(out, ",\"dur\":");
        tfp_buf_thousandths(out, end_ns - e->at_ns);
    }
    tfp_buf_text(out, ",\"args\":{");
    tfp_buf_add(out, r->args.data + e->args, e->args_size);
    if (more.size) tfp_buf_add(out, more.data + !e->args_size, more.size - !e->args_size);
    tfp_buf_text(out, "}}");
    out->failed |= more.failed;
    tfp_buf_free(&more);
}

static void put_counter(const tfp_pf_reader *r, const tfp_pf_event *e, tfp_buf *out)
{
    const tfp_pf_track *t = &r->tracks.at[e->track];
    tfp_json j = tfp_json_start(out);
    put_head(out, "C", lane_of(r, e->track));
    put_text(out, ",\"name\":", tfp_strtab_get(&r->strings, t->name ? t->name : e->name));
    tfp_buf_text(out, ",\"ts\":");
    tfp_buf_thousandths(out, e->at_ns);
    put_text(out, ",\"args\":{", t->series ? tfp_strtab_get(&r->strings, t->series) : TFP_STR("value"));
    tfp_buf_char(out, ':');
    tfp_json_double(&j, e->value);
    tfp_buf_text(out, "}}");
}

static void put_labels(tfp_pf_reader *r, tfp_buf *out)
{
    for (uint32_t i = 0; i < r->tracks.size; i++) {
        const tfp_pf_track *t = &r->tracks.at[i];
        if (!t->name || t->is_counter) continue;
        put_head(out, "M", lane_of(r, i));
        tfp_buf_text(out,
                     t->has_process && !t->has_thread ? ",\"name\":\"process_name\"" : ",\"name\":\"thread_name\"");
        put_text(out, ",\"args\":{\"name\":", tfp_strtab_get(&r->strings, t->name));
        tfp_buf_text(out, "}}");
    }
}

/* ---- pairs ---- */

/* The end of a run of events with this type. */
static size_t run_end(const tfp_pf_reader *r, size_t from, tfp_pf_type type)
{
    while (from < r->events.size && r->events.at[from].type == type) from++;
    return from;
}

/* Whether the ends are those of the begins, in the same order. Other programs write events as they happen: their ends
 * rise, and the last begin has the first end. */
static bool is_in_order(const tfp_pf_reader *r, const tfp_pf_event *begins, const tfp_pf_event *ends, size_t count)
{
    bool rises = true;
    for (size_t i = 0; i < count; i++) {
        if (ends[i].track != begins[i].track || ends[i].at_ns < begins[i].at_ns) return false;
        if (i && ends[i].track == ends[i - 1].track && ends[i].at_ns < ends[i - 1].at_ns) rises = false;
    }
    return r->torch || !rises;
}

/* PyTorch writes all begins of a kind, then all their ends in the same order: so slices that begin at the same time, or
 * cross, have their ends. */
static void pair(tfp_pf_reader *r)
{
    for (size_t i = 0, middle; i < r->events.size; i = middle) {
        middle = run_end(r, i, TFP_PF_BEGIN);
        size_t count = middle - i, end = run_end(r, middle, TFP_PF_END);
        if (!count) middle++;
        if (count < 2 || end - middle != count) continue;
        tfp_pf_event *begins = &r->events.at[i], *ends = &r->events.at[middle];
        if (!is_in_order(r, begins, ends, count)) continue;
        for (size_t k = 0; k < count; k++) {
            begins[k].type = TFP_PF_WHOLE;
            begins[k].duration_ns = ends[k].at_ns - begins[k].at_ns;
            ends[k].type = TFP_PF_LEFT_OUT;
        }
        middle = end;
    }
}

/* ---- waits ---- */

/* Writes the end of an arrow. */
static void put_arrow(const tfp_pf_reader *r, const tfp_pf_event *e, bool begins, size_t number, tfp_buf *out)
{
    put_head(out, begins ? "s" : "f", lane_of(r, e->track));
    tfp_buf_printf(out, ",\"id\":%llu,\"ts\":", (unsigned long long)(WAIT_NUMBERS + number));
    tfp_buf_thousandths(out, begins ? tfp_add(e->at_ns, e->duration_ns, NULL) : e->at_ns);
    tfp_buf_text(out, ",\"cat\":\"ac2g\",\"name\":\"ac2g\"");
    tfp_buf_text(out, begins ? "}" : ",\"bp\":\"e\"}");
}

/* Writes an arrow from each stage that another one waits for, as PyTorch's JSON has them. */
static void put_waits(tfp_pf_reader *r, tfp_buf *out)
{
    tfp_map64 event_of = { 0 };
    bool ok = true;
    for (size_t i = 0; i < r->stages.size && r->waits.size && ok; i++)
        ok = tfp_map64_put(&event_of, r->stages.at[i].stage, r->stages.at[i].event);
    for (size_t i = 0; i < r->waits.size && tfp_pf_keep(r, ok) && tfp_pf_fits(r, out->size); i++) {
        uint32_t from = tfp_map64_get(&event_of, r->waits.at[i].stage), to = r->waits.at[i].event;
        if (from == TFP_NONE || from >= r->events.size || to >= r->events.size) continue;
        put_arrow(r, &r->events.at[from], true, i, out);
        put_arrow(r, &r->events.at[to], false, i, out);
    }
    tfp_map64_free(&event_of);
}

/* ---- slices ---- */

typedef struct slices {
    tfp_pf_reader *r;
    tfp_buf *out;
    TFP_VEC(uint32_t) open; /* begins of the track that have no end so far, as indexes in events */
    int64_t last_ns;
    uint64_t unfinished, loose; /* loose: ends without a begin */
} slices;

/* Extends slices that are still open at the end of their track to the end of the trace. */
static void close_track(slices *s)
{
    for (; s->open.size; s->unfinished++) {
        uint32_t begin = s->open.at[--s->open.size];
        put_slice(s->r, &s->r->events.at[begin], s->last_ns, s->out);
    }
}

/* Takes a begin. If an end at the same time closed nothing, the slice took no time, and its end was sorted before
 * it. */
static void take(slices *s, uint32_t at, int64_t *empty_ns, uint64_t *empty)
{
    const tfp_pf_event *e = &s->r->events.at[at];
    if (e->type == TFP_PF_LEFT_OUT) return;
    if (e->at_ns != *empty_ns) s->loose += *empty, *empty = 0;
    *empty_ns = e->at_ns;
    if (e->type == TFP_PF_COUNTER) {
        put_counter(s->r, e, s->out);
    } else if (e->type == TFP_PF_INSTANT || e->type == TFP_PF_WHOLE) {
        put_slice(s->r, e, tfp_add(e->at_ns, e->duration_ns, NULL), s->out);
    } else if (e->type == TFP_PF_END) {
        if (s->open.size)
            put_slice(s->r, &s->r->events.at[s->open.at[--s->open.size]], e->at_ns, s->out);
        else
            ++*empty;
    } else if (*empty) {
        --*empty;
        put_slice(s->r, e, e->at_ns, s->out);
    } else {
        tfp_pf_keep(s->r, tfp_push(&s->open, at));
    }
}

static void put_events(slices *s, const uint32_t *order)
{
    size_t count = s->r->events.size;
    int64_t empty_ns = -1;
    uint64_t empty = 0;
    for (size_t i = 0; i < count && tfp_pf_fits(s->r, s->out->size); i++) {
        const tfp_pf_event *e = &s->r->events.at[order[i]];
        if (i && e->track != s->r->events.at[order[i - 1]].track) {
            close_track(s);
            s->loose += empty, empty = 0;
        }
        take(s, order[i], &empty_ns, &empty);
    }
    close_track(s);
    s->loose += empty;
}

void tfp_pf_tell(const tfp_pf_reader *r, const char *severity, const char *what, uint64_t count)
{
    if (!count) return;
    tfp_build_data_finding(r->b, severity, what, (int64_t)count, TFP_STR(""));
    tfp_build_warn_many(r->b, what, TFP_STR(""), count);
}

void tfp_pf_write_trace(tfp_pf_reader *r, tfp_buf *out)
{
    slices s = { .r = r, .out = out };
    size_t count = r->events.size;
    uint32_t *order = malloc((count + 1) * sizeof *order);
    for (uint32_t i = 0; order && i < count; i++) {
        order[i] = i;
        int64_t end_ns = tfp_add(r->events.at[i].at_ns, r->events.at[i].duration_ns, NULL);
        if (end_ns > s.last_ns) s.last_ns = end_ns;
    }
    pair(r);
    tfp_pf_join_launches(r);
    tfp_buf_text(out, r->torch ? "{\"schemaVersion\":1,\"traceEvents\":[" : "{\"traceEvents\":[");
    tfp_buf_text(out, "{\"ph\":\"M\",\"name\":\"trace\",\"args\":{}}");
    if (tfp_pf_keep(r, order && r->correlations && tfp_sort(order, count, earlier, r->events.at))) {
        put_labels(r, out);
        put_events(&s, order);
        put_waits(r, out);
    }
    tfp_buf_text(out, "]}");
    tfp_pf_keep(r, !out->failed);
    r->unfinished = s.unfinished;
    tfp_pf_tell(r, "warning", "slices without an end, which go on to the end of the trace", s.unfinished);
    tfp_pf_tell(r, "warning", "ends of slices that have no begin, left out", s.loose);
    free(order);
    tfp_vec_free(&s.open);
}

void tfp_pf_doubt_cut(tfp_pf_reader *r)
{
    bool many = r->unfinished > NESTED && r->unfinished > r->events.size / UNFINISHED_OF;
    if (r->cut && many) tfp_build_cut(r->b);
}
