// SPDX-License-Identifier: Apache-2.0
/* views/triage/head.c: what each phase is: engine, device, steps, tokens a second, and in one sentence what its time goes into. */
#include "views/triage/head.h"
#include "flops/core/devices.h"
#include "model/tables/devices.h"
#include "model/tables/events.h"
#include "model/tables/read.h"
#include "model/tables/sources.h"

#include <math.h>

enum { FAMILIES_SHOWN = 3 };
#define IDLE_OVER 0.2   /* of a step: it is said first */
#define ALONE_OVER 0.05 /* of the device's time: collectives beside which nothing runs are said */

/* ---- engine ---- */

/* By the markers of steps, otherwise by the files of frames. SGLang's steps may also have vLLM's marker. */
tfp_str tfp_triage_engine(const tfp_profile *p)
{
    static const struct {
        const char *marker, *file, *engine;
    } engines[] = { { "step[", "sglang/srt", "SGLang" },
                    { "_forward_step", "tensorrt_llm/", "TensorRT-LLM" },
                    { "[Executor]", "tensorrt_llm/", "TensorRT-LLM" },
                    { "executeStep:", "tensorrt_llm/", "TensorRT-LLM" },
                    { "prefill[bs=", "atom/model_engine", "ATOM" },
                    { "decode[bs=", "atom/model_engine", "ATOM" },
                    { "execute_", "vllm/v1/", "vLLM" } };
    const tfp_event_tables *e = tfp_events_of(p);
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++)
        for (size_t m = 0; m < e->step_marks.size; m++)
            if (tfp_str_begins(tfp_text(p, e->spans.name[e->step_marks.at[m].span]), tfp_str_of(engines[i].marker)))
                return tfp_str_of(engines[i].engine);
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++)
        for (size_t k = 0; k < e->spans.size; k++)
            if (e->spans.kind[k] == TFP_SPAN_FRAME &&
                tfp_str_has(tfp_text(p, e->spans.name[k]), tfp_str_of(engines[i].file)))
                return tfp_str_of(engines[i].engine);
    return (tfp_str){ NULL, 0 };
}

tfp_str tfp_triage_device(const tfp_profile *p)
{
    bool others = false;
    const tfp_device_info *d = tfp_named_device(p, &others);
    if (!d) return (tfp_str){ NULL, 0 };
    tfp_device_marks marks = { tfp_text(p, d->name), d->sm_count, d->memory_bytes, d->clock_khz };
    return tfp_device_label(&marks);
}

/* ---- what a phase is bound by ---- */

typedef struct part {
    tfp_str family;
    int64_t ns;
} part;

static const tfp_sort_key biggest_first[] = { TFP_DOWN(part, ns), TFP_UP(part, family), { 0 } };

static void put_share(tfp_buf *b, double share) { tfp_buf_printf(b, " %.0f %%", 100 * share); }

static bool put_bound(const tfp_triage *t, tfp_phase phase, double busy, tfp_buf *b)
{
    tfp_groups parts = { .row_size = sizeof(part) };
    int64_t alone_ns = 0;
    double all = (double)t->device_ns[phase];
    bool ok = true;
    for (size_t i = 0; i < t->count && ok; i++) {
        const tfp_triage_row *row = &t->rows[i];
        if (row->of != phase) continue;
        part *p = TFP_GROUP(&parts, tfp_group_text(&parts, row->family));
        if (!(ok = p != NULL)) break;
        *p = (part){ row->family, tfp_add(p->ns, row->ns.total, NULL) };
        if (row->of_class == TFP_CLASS_COMMUNICATION) alone_ns = tfp_add(alone_ns, row->beside.alone_ns, NULL);
    }
    ok = ok && tfp_order_rows(parts.rows, parts.row_size, parts.count, biggest_first);
    if (busy < 1 - IDLE_OVER) {
        tfp_buf_text(b, "the device is idle for");
        put_share(b, 1 - busy);
        tfp_buf_text(b, " of a step; ");
    }
    const part *p = parts.rows;
    for (size_t i = 0; i < parts.count && i < FAMILIES_SHOWN && all > 0 && ok; i++) {
        tfp_buf_text(b, i ? ", " : "");
        tfp_buf_str(b, p[i].family);
        put_share(b, (double)p[i].ns / all);
    }
    tfp_buf_text(b, " of the device's time");
    if (all > 0 && (double)alone_ns / all > ALONE_OVER) {
        tfp_buf_text(b, "; nothing runs beside collectives for");
        put_share(b, (double)alone_ns / all);
    }
    tfp_groups_free(&parts);
    return ok;
}

/* The slowest rank tells the steps of a phase. */
static const tfp_phase_row *slowest(const tfp_triage *t, tfp_phase phase)
{
    const tfp_phase_row *out = NULL;
    for (size_t i = 0; i < t->phase_count; i++) {
        const tfp_phase_row *row = &t->phases[i];
        if (row->of == phase && (!out || row->step_us > out->step_us)) out = row;
    }
    return out;
}

bool tfp_triage_heads(const tfp_triage *t, tfp_triage_head **out, size_t *count)
{
    tfp_arena *a = tfp_arena_of(t->r);
    tfp_str engine = tfp_triage_engine(t->x->p), device = tfp_triage_device(t->x->p);
    *count = 0;
    *out = TFP_NEW(a, tfp_triage_head, TFP_PHASES);
    for (int phase = 0; phase < TFP_PHASES && *out; phase++) {
        const tfp_phase_row *row = slowest(t, (tfp_phase)phase);
        if (!row) continue;
        tfp_buf bound = { 0 };
        bool ok = put_bound(t, (tfp_phase)phase, row->busy_share, &bound);
        (*out)[(*count)++] = (tfp_triage_head){ .phase = row->phase,
                                                .engine = engine,
                                                .device = device,
                                                .bound = tfp_buf_move(&bound, a),
                                                .ranks = (int64_t)t->x->unit_count,
                                                .steps = row->steps,
                                                .requests = row->requests,
                                                .tokens = row->tokens,
                                                .step_us = row->step_us,
                                                .tokens_per_second = row->tokens_per_second,
                                                .busy_share = row->busy_share,
                                                .of = (tfp_phase)phase };
        if (!ok || !(*out)[*count - 1].bound.data) return false;
    }
    return *out != NULL;
}

/* ---- the command ---- */

static void put_option(tfp_buf *b, const char *name, const char *value)
{
    if (value && *value) tfp_buf_printf(b, " %s%s%s", name, *name ? " " : "", value);
}

/* A folder stands for the files in it. */
static void put_files(tfp_buf *b, const tfp_report *r)
{
    const tfp_source_tables *f = tfp_sources_of(tfp_profile_of(r));
    const char *folder = NULL;
    for (size_t i = 0; i < f->sources.size; i++) {
        const char *file = f->sources.at[i], *format = f->formats.at[i];
        if (folder && strncmp(file, folder, strlen(folder)) == 0) continue;
        bool capture = format && strcmp(format, "capture") == 0, eager = format && strcmp(format, "eager") == 0;
        put_option(b, capture ? "--capture_path" : eager ? "--eager_path" : "", file);
        if (!format) folder = file;
    }
}

tfp_str tfp_triage_files(const tfp_report *r, tfp_arena *a)
{
    tfp_buf b = { 0 };
    put_files(&b, r);
    tfp_str out = tfp_buf_move(&b, a);
    return out.size ? (tfp_str){ out.data + 1, out.size - 1 } : out; /* without the first blank */
}

tfp_str tfp_triage_command(const tfp_report *r, tfp_arena *a)
{
    const tfp_options *o = tfp_options_of(r);
    tfp_buf b = { 0 };
    tfp_buf_text(&b, "tfprof triage");
    put_files(&b, r);
    put_option(&b, "-phase", o->part.phase);
    put_option(&b, "-ranks", o->part.ranks);
    if (tfp_options_chosen(o, "min_share")) tfp_buf_printf(&b, " -min_share %.15g", o->verb.min_share);
    return tfp_buf_move(&b, a);
}
