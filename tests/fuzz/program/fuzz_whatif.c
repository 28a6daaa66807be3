// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/program/fuzz_whatif.c: jobs of one to three ranks, or timelines of pipelines, and changes of them. The
 * bytes select spans and options that `whatif` can use, because mutated JSON would rarely be a job. A head of eight
 * bytes, then eight for each span. */
#include "drive.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 3, SPAN = 8, SPANS_MOST = 600, CHANGES = 4 };

typedef struct made { /* the text of each rank's file */
    drive_text ranks[RANKS];
    bool some[RANKS];
} made;

__attribute__((format(printf, 2, 3))) static void put(drive_text *t, const char *format, ...)
{
    char line[600];
    va_list args;
    va_start(args, format);
    int size = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (size < 0 || (size_t)size >= sizeof line || drive_take(t, line, (size_t)size)) abort();
}

/* ---- a span ---- */

typedef struct span {
    unsigned kind, lane, rank, key, name, more;
    double start, duration;
} span;

static span span_of(const uint8_t *b)
{
    span s = { b[0],
               b[1] & 3,
               b[1] >> 4,
               b[5],
               b[6],
               b[7],
               (double)(b[2] | b[3] << 8),
               (double)b[4] * (1 + (b[1] >> 2 & 3) * 40) };
    if (s.more == 255) s.duration = -s.duration;
    if (s.more == 254) s.start = -s.start * 1e12;
    if (s.more == 253) s.start *= 1e11;
    if (s.more == 252) s.duration *= 1e13;
    if (s.more == 251) s.start /= 1000;
    return s;
}

typedef struct shape {
    const char *cat;
    const char *names[4];
    enum { ON_HOST, ON_STREAM } where;
    bool keyed, grouped, wait;
} shape;

static const shape shapes[] = {
    { "cpu_op", { "aten::mm", "aten::add", "c10d::allreduce_", "aten::item" }, ON_HOST, false, false, false },
    { "cuda_runtime",
      { "cudaLaunchKernel", "cudaLaunchKernel", "hipGraphLaunch", "cudaMemcpyAsync" },
      ON_HOST,
      true,
      false,
      false },
    { "cuda_runtime",
      { "cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaEventSynchronize", "cudaMemcpy" },
      ON_HOST,
      true,
      false,
      false },
    { "cuda_runtime",
      { "cudaEventRecord", "cudaStreamWaitEvent", "hipStreamBeginCapture", "hipStreamEndCapture" },
      ON_HOST,
      true,
      false,
      false },
    { "kernel", { "gemm_a", "gemm_b", "elementwise<float, 4>(float*)", "aten::mm" }, ON_STREAM, true, false, false },
    { "kernel",
      { "ncclDevKernel_AllReduce", "ncclDevKernel_Broadcast", "ncclDevKernel_SendRecv", "ncclDevKernel_AllGather" },
      ON_STREAM,
      true,
      true,
      false },
    { "gpu_memcpy", { "Memcpy HtoD", "Memcpy DtoH", "Memcpy DtoD", "Memset" }, ON_STREAM, true, false, false },
    { "cuda_sync", { "Stream Wait Event", "Event Sync", "Context Sync", "Stream Sync" }, ON_STREAM, true, false, true },
    { "user_annotation",
      { "gloo:all_reduce", "gloo:broadcast", "gloo:all_gather", "augment" },
      ON_HOST,
      false,
      false,
      false },
    { "user_annotation",
      { "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__",
        "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "Optimizer.step#SGD.step", "forward" },
      ON_HOST,
      false,
      false,
      false },
    { "python_function",
      { "nn.Module: Net_0", "nn.Module: Linear_1", "train.py(7): main", "net.py(20): forward" },
      ON_HOST,
      false,
      false,
      false },
    { "step",
      { "ProfilerStep#%u", "ProfilerStep#%u", "ProfilerStep#%u", "ProfilerStep#%u" },
      ON_HOST,
      false,
      false,
      false },
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void put_name(drive_text *t, const shape *x, const span *s)
{
    char name[80];
    if (x == &shapes[SHAPES - 1])
        snprintf(name, sizeof name, "ProfilerStep#%u", s->key % 5);
    else
        snprintf(name, sizeof name, "%s", x->names[s->name & 3]);
    put(t, ",\n{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\"", x == &shapes[SHAPES - 1] ? "user_annotation" : x->cat,
        name);
}

static void put_span(drive_text *t, const span *s)
{
    const shape *x = &shapes[s->kind % SHAPES];
    put_name(t, x, s);
    put(t, ",\"pid\":%d,\"tid\":%u,\"ts\":%.3f,\"dur\":%.3f,\"args\":{\"x\":1", x->where == ON_STREAM ? 0 : 1,
        x->where == ON_STREAM ? 7 + s->lane : s->lane, s->start, s->duration);
    if (x->where == ON_STREAM) put(t, ",\"device\":%u,\"stream\":%u", s->more >> 6 & 1, 7 + s->lane);
    if (x->keyed) put(t, ",\"correlation\":%u", s->key);
    if (x->wait)
        put(t, ",\"wait_on_stream\":%u,\"wait_on_cuda_event_record_corr_id\":%u", 7 + (s->more & 3), s->name >> 2);
    if (x->grouped && s->more & 1) put(t, ",\"Seq\":%u", s->name >> 2 & 7);
    if (x->grouped && s->more & 2)
        put(t,
            ",\"Collective name\":\"allreduce\",\"Process Group Name\":\"%u\",\"Process Group Ranks\":\"[0, 1, "
            "2]\",\"Group size\":%u",
            s->more >> 2 & 1, 1 + (s->more >> 3 & 3));
    if (x->grouped && s->more & 8) put(t, ",\"Src Rank\":%u,\"Dst Rank\":%u", s->more >> 4 & 3, s->name >> 5 & 3);
    put(t, "}}");
}

/* ---- files ---- */

static void make_job(made *m, const uint8_t *head, const uint8_t *spans, size_t count)
{
    unsigned ranks = 1 + head[1] % RANKS;
    for (unsigned r = 0; r < ranks; r++) {
        m->some[r] = true;
        put(&m->ranks[r], "{\"schemaVersion\":1,\"distributedInfo\":{\"rank\":%u,\"world_size\":%u},\"traceEvents\":[",
            r, ranks + head[1] / 128);
        put(&m->ranks[r],
            "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"tid\":0,\"args\":{\"name\":\"python\"}}");
    }
    for (size_t i = 0; i < count; i++) {
        span s = span_of(spans + i * SPAN);
        put_span(&m->ranks[s.rank % ranks], &s);
    }
    for (unsigned r = 0; r < ranks; r++) put(&m->ranks[r], "]}");
}

static void make_pipeline(made *m, const uint8_t *spans, size_t count)
{
    static const char *const types[] = { "forward-compute",
                                         "backward-compute",
                                         "forward-send",
                                         "forward-recv",
                                         "backward-send",
                                         "backward-recv",
                                         "params-all-gather",
                                         "grads-reduce-scatter",
                                         "gc",
                                         "layernorm-grads-all-reduce",
                                         "embedding-grads-all-reduce",
                                         "separate-grads-all-reduce",
                                         "optimizer-clip-main-grad",
                                         "optimizer",
                                         "forward-compute",
                                         "optimizer" };
    drive_text *t = &m->ranks[0];
    m->some[0] = true;
    put(t, "[{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":0,\"args\":{\"name\":\"x\"}}");
    for (unsigned rank = 0; rank < 2; rank++)
        for (unsigned stage = 0; stage < 4; stage++)
            put(t,
                ",\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"args\":{\"name\":\"PP rank %u, TP "
                "rank 0, compute\"}}",
                rank, 5 * (2 * stage + rank), stage);
    for (size_t i = 0; i < count; i++) {
        span s = span_of(spans + i * SPAN);
        unsigned rank = s.rank & 1, stage = s.lane;
        put(t,
            ",\n{\"name\":\"%s\",\"ph\":\"X\",\"cat\":\"x\",\"pid\":%u,\"tid\":%u,\"ts\":%.3f,\"dur\":%.3f,\"args\":{"
            "\"step\":%u,\"seq_id\":%d,"
            "\"mb_id\":%u,\"model_chunk\":%d}}",
            types[s.kind % 16], rank, 5 * (2 * stage + rank), s.start, s.duration, s.key & 3,
            s.more == 250 ? -1 : (int)(s.name & 15), s.name & 15, (int)(s.name >> 4) - 1);
    }
    put(t, "]");
}

/* ---- changes ---- */

static const char *const changes[][2] = {
    { "faster", "gemm.*=2" },
    { "faster", ".*=0" },
    { "faster", "aten::mm=0.5" },
    { "faster", "host:.*=0" },
    { "faster", "Net_0=3" },
    { "faster", "train.py:7=0" },
    { "faster", "rank:1/.*=2" },
    { "faster", "nccl.*=4" },
    { "faster", "host:aten.*=1e9" },
    { "faster", ".*:.*=1e-300" },
    { "faster", "augment=0" },
    { "faster", "Memcpy.*=0" },
    { "no_sync", "true" },
    { "overlap", "comm" },
    { "link", "2x" },
    { "link", "comm=1e300x" },
    { "link", "copy=0.25" },
    { "ideal", "stragglers" },
    { "keep", "rank:1" },
    { "keep", "stage:1" },
    { "keep", "op:optimizer" },
    { "keep", "dp:0" },
    { "launch", "2us" },
    { "launch", "graph" },
    { "launch", "0" },
    { "input", "0" },
    { "input", "50us" },
    { "step", "1" },
    { "step", "0" },
    { "format", "json" },
    { "order_by", "gain_us" },
    { "keep", "op:forward-pp-comm" },
};

static tfp_options *options_of(const uint8_t *head)
{
    tfp_options *o = tfp_options_new();
    unsigned count = head[2] % (CHANGES + 1);
    for (unsigned i = 0; o && i < count; i++) {
        const char *const *c = changes[head[3 + i] % (sizeof changes / sizeof *changes)];
        if (tfp_options_set(o, c[0], c[1], NULL)) abort();
    }
    return o;
}

/* ---- properties that must hold ---- */

static void broken(const char *what, double value)
{
    fprintf(stderr, "broken promise: %s: %g\n", what, value);
    abort();
}

static double number(const tfp_report *r, size_t row, const char *column)
{
    double x = NAN;
    if (tfp_report_real(r, row, column, &x) && !isfinite(x)) broken(column, x);
    return x;
}

static void check(const tfp_report *r)
{
    double today = number(r, 0, "step_us"), error = number(r, 0, "replay_error");
    if (!(today > 0)) broken("today's step has a length", today);
    if (!(fabs(error) <= 0.25 + 1e-9)) broken("a replay that is far off is refused", error);
    for (size_t i = 0; i < tfp_report_row_count(r); i++) {
        double step = number(r, i, "step_us"), share = number(r, i, "critical_path_share"),
               replay = number(r, i, "replay_us");
        number(r, i, "gain_us");
        if (!(number(r, i, "gain_share") <= 1 + 1e-9))
            broken("no gain is longer than the step", number(r, i, "gain_share"));
        if (!(step >= 0)) broken("no step is shorter than nothing", step);
        if (!(replay >= -1e-6 * today)) broken("no replay is shorter than nothing", replay);
        if (share < 0 || share > 1 + 1e-9) broken("a share of the path", share);
    }
}

static void ask(const tfp_profile *p, const tfp_options *o, uint64_t pick)
{
    tfp_error *err = tfp_error_new();
    tfp_report *r = NULL;
    if (err && tfp_report_build(p, "whatif", o, &r, err) == TFP_OK) check(r);
    tfp_report_free(r);
    if (err && pick % 4 == 0) drive_view(p, "whatif", o, pick / 4, err);
    tfp_error_free(err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    made m = { 0 };
    tfp_profile *p = tfp_profile_new();
    size_t count = size < SPAN ? 0 : size / SPAN - 1;
    if (size < SPAN || !p) return tfp_profile_free(p), 0;
    if (count > SPANS_MOST) count = SPANS_MOST;
    if (data[0] % 4 == 3)
        make_pipeline(&m, data + SPAN, count);
    else
        make_job(&m, data, data + SPAN, count);
    tfp_options *o = options_of(data);
    tfp_status s = o ? tfp_profile_keep(p, TFP_KEEP_ALL) : TFP_NOMEM;
    for (unsigned i = 0; i < RANKS && !s; i++)
        if (m.some[i]) s = tfp_profile_add_bytes(p, "kineto", "input", m.ranks[i].data, m.ranks[i].size, NULL);
    if (!s && tfp_profile_finish(p, NULL) == TFP_OK) ask(p, o, drive_pick(data, size));
    for (unsigned i = 0; i < RANKS; i++) free(m.ranks[i].data);
    tfp_options_free(o);
    tfp_profile_free(p);
    return 0;
}
