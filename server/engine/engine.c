// SPDX-License-Identifier: Apache-2.0
/* server/engine/engine.c: one recording by an engine: finds out which engine answers, starts its profiler, stops it, and waits for the
 * traces. Once the start was sent, every way out stops the profiler. */
#include "engine.h"
#include "http/clock.h"

#include <ctype.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ASK_MS 10000 /* longest wait for a question, and for the stop after an error */
#define LOOK_MS 250  /* time between two looks at the folder */
#define RANKS_MOST 1024

enum { DONE = 0, BAD = 1, USAGE = 2, NO_OUTPUT = 3, NO_MEMORY = 4, STOPPED = 130 };
enum { STEPS = 5, RECORD_MS = 1000 }; /* unless the user sets one */

typedef struct recording {
    const engine_settings *s;
    engine_kind kind;
    int64_t steps, record_ms; /* one of them is 0 */
    int64_t ranks;            /* the least number of traces */
    bool runs;                /* the profiler may be on */
    char *why;
    size_t room;
} recording;

#define PROFILER_OPTION                                                                                                \
    "vllm serve MODEL --profiler-config '{\"profiler\": \"torch\", \"torch_profiler_dir\": \"DIR\"}' "                 \
    "(vLLM before 0.13: VLLM_TORCH_PROFILER_DIR=DIR)"

static const char *name_of(engine_kind k)
{
    static const char *const names[] = { NULL, "SGLang", "vLLM", "TensorRT-LLM" };
    return names[k];
}

static int tell(recording *r, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));
static int tell(recording *r, int status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(r->why, r->room, format, args);
    va_end(args);
    return status;
}

/* The first line of an answer's body, in plain characters. */
static const char *text_of(const engine_reply *r, char out[200])
{
    size_t n = 0;
    for (const char *at = r->body; at && *at && *at != '\n' && *at != '\r' && n < 199; at++)
        out[n++] = *at >= ' ' && *at < 0x7f ? *at : '?';
    out[n] = '\0';
    return out;
}

/* What is wrong with an answer, whatever was asked; 0: nothing, or it depends on the question. */
static int tell_common(recording *r, const char *asked, const engine_exchange *x)
{
    char text[200];
    if (!x) return tell(r, NO_MEMORY, "out of memory");
    if (r->s->stopped() && *x->why) return tell(r, STOPPED, "interrupted");
    if (!x->sent) return tell(r, BAD, "no server answers: %s", x->why);
    if (*x->why) return tell(r, BAD, "%s: %s", asked, x->why);
    const engine_reply *p = &x->reply;
    if (p->redirects) return tell(r, BAD, "%s: it answers %d, a redirect, which is not followed", asked, p->status);
    if (p->status == 401 || p->status == 403)
        return tell(r, BAD, "%s: it answers %d: %s: the key of its API belongs into a --token-file", asked, p->status,
                    text_of(p, text));
    return 0;
}

/* ---- which engine ---- */

static bool is_object(const engine_reply *p)
{
    const char *at = p->body;
    while (at && isspace((unsigned char)*at)) at++;
    return p->status == 200 && at && *at == '{';
}

/* A number of SGLang's description of itself; it only decides how many traces are waited for. */
static int64_t number_of(const engine_reply *p, const char *name)
{
    char key[40];
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *at = strstr(p->body, key);
    long n = at ? strtol(at + strlen(key), NULL, 10) : 1;
    return n >= 1 && n <= RANKS_MOST ? n : 1;
}

static int find_engine(recording *r)
{
    static const char *const asked[] = { "GET /get_server_info", "GET /version" };
    int statuses[2] = { 0, 0 };
    for (size_t i = 0; i < 2 && r->kind == ENGINE_ANY; i++) {
        engine_exchange *x = engine_ask(r->s, asked[i], NULL, now_ms() + ASK_MS, true);
        int status = tell_common(r, asked[i], x);
        if (status) {
            engine_exchange_free(x);
            return status;
        }
        statuses[i] = x->reply.status;
        if (is_object(&x->reply) && i == 0) {
            r->kind = ENGINE_SGLANG;
            r->ranks =
                number_of(&x->reply, "tp_size") * number_of(&x->reply, "pp_size") / number_of(&x->reply, "nnodes");
        } else if (is_object(&x->reply) && strstr(x->reply.body, "\"version\"")) {
            r->kind = ENGINE_VLLM;
        }
        engine_exchange_free(x);
    }
    if (r->kind != ENGINE_ANY) return 0;
    return tell(
        r, BAD,
        "neither SGLang nor vLLM nor TensorRT-LLM answers there (%s: %d, %s: %d); if it is one of them, say which "
        "with --engine",
        asked[0], statuses[0], asked[1], statuses[1]);
}

/* ---- start and stop ---- */

/* SGLang's start_profile; NULL: out of memory. */
static char *start_body(const recording *r)
{
    answer a = { .status = ANSWER_OK };
    json_open(&a, NULL, '{');
    json_text(&a, "output_dir", r->s->server_folder);
    if (r->steps) json_int(&a, "num_steps", r->steps);
    json_open(&a, "activities", '[');
    json_text(&a, NULL, "CPU");
    json_text(&a, NULL, "GPU");
    json_close(&a, ']');
    json_bool(&a, "with_stack", true);
    json_bool(&a, "record_shapes", true);
    json_close(&a, '}');
    char *text = answer_failed(&a) ? NULL : strndup(a.data, a.size);
    answer_free(&a);
    return text;
}

static int start(recording *r)
{
    static const char asked[] = "POST /start_profile";
    char text[200];
    char *body = r->kind == ENGINE_SGLANG ? start_body(r) : NULL;
    if (r->kind == ENGINE_SGLANG && !body) return tell(r, NO_MEMORY, "out of memory");
    engine_exchange *x = engine_ask(r->s, asked, body, now_ms() + r->s->timeout_ms, true);
    free(body);
    int status = tell_common(r, asked, x);
    r->runs = x && x->sent && (*x->why || x->reply.status < 300);
    if (!status && x->reply.status == 404 && r->kind == ENGINE_SGLANG)
        status = tell(r, BAD, "%s: it answers 404: this server has no profiler of SGLang", asked);
    else if (!status && x->reply.status == 404)
        status = tell(r, BAD,
                      "%s: it answers 404: its profiler is off; start it as " PROFILER_OPTION
                      "; TensorRT-LLM needs a version with /start_profile",
                      asked);
    else if (!status && x->reply.status >= 300)
        status = tell(r, BAD, "%s: it answers %d: %s", asked, x->reply.status, text_of(&x->reply, text));
    engine_exchange_free(x);
    return status;
}

/* Stops the profiler. False: `out` has the reason why it may still be on. */
static bool stop(recording *r, int64_t ms, bool stoppable, char out[300])
{
    char text[200];
    engine_exchange *x = engine_ask(r->s, "POST /stop_profile", NULL, now_ms() + ms, stoppable);
    bool ok = x && !*x->why && x->reply.status < 300;
    if (!x || *x->why)
        snprintf(out, 300, "POST /stop_profile: %.250s", x ? x->why : "out of memory");
    else if (!ok)
        snprintf(out, 300, "POST /stop_profile: it answers %d: %s", x->reply.status, text_of(&x->reply, text));
    r->runs = r->runs && !ok;
    engine_exchange_free(x);
    return ok;
}

/* ---- waiting ---- */

static void show(const engine_settings *s, const char *what, const engine_files *found)
{
    char text[200];
    int64_t bytes = 0;
    if (!s->progress) return;
    for (size_t i = 0; i < found->count; i++) bytes += found->at[i].size;
    if (found->count)
        snprintf(text, sizeof text, "%s: %zu trace%s, %.1f MB", what, found->count, found->count == 1 ? "" : "s",
                 (double)bytes / 1e6);
    else
        snprintf(text, sizeof text, "%s", what);
    s->progress(s->ctx, text);
}

static void nap(int64_t until_ms)
{
    int64_t left = until_ms - now_ms();
    if (left > 0) poll(NULL, 0, (int)(left < LOOK_MS ? left : LOOK_MS));
}

/* Lets the profiler run; returns 0, or the status if the user stopped it. */
static int record(recording *r)
{
    static const engine_files none;
    int64_t end = now_ms() + r->record_ms;
    while (now_ms() < end && !r->s->stopped()) {
        show(r->s, "recording", &none);
        nap(end);
    }
    return r->s->stopped() ? tell(r, STOPPED, "interrupted") : 0;
}

/* Says why the traces are not there. */
static int tell_missing(recording *r, const engine_result *out)
{
    const char *folder = r->s->folder;
    double seconds = (double)r->s->timeout_ms / 1e3;
    size_t whole = 0;
    const engine_file *bad = NULL;
    for (size_t i = 0; i < out->found.count; i++) {
        whole += engine_file_is_whole(&out->found.at[i]);
        if (!engine_file_is_whole(&out->found.at[i])) bad = &out->found.at[i];
    }
    if (bad)
        return tell(r, BAD, "%s/%s is not whole after %g s%s; a longer wait: --timeout", folder, bad->name, seconds,
                    bad->damaged ? ": it is damaged" : "");
    if (whole)
        return tell(r, BAD, "only %zu of %lld ranks wrote a trace into %s in %g s", whole, (long long)r->ranks, folder,
                    seconds);
    if (r->steps)
        return tell(
            r, BAD,
            "no trace appeared in %s in %g s: a server makes steps only while it answers requests; and -o must be "
            "the folder that the server writes to (--server-dir: its name there)",
            folder, seconds);
    return tell(r, BAD, "no trace appeared in %s in %g s: is it the folder that the server writes to?", folder,
                seconds);
}

static int wait_for_files(recording *r, const engine_files *before, int64_t until_ms, engine_result *out)
{
    while (!r->s->stopped()) {
        if (!engine_files_look(r->s->folder, before, &out->found, r->why, r->room)) return NO_OUTPUT;
        if ((int64_t)out->found.count >= r->ranks && engine_files_are_whole(&out->found)) {
            r->runs = false; /* it ended by itself, or was stopped */
            return DONE;
        }
        if (now_ms() >= until_ms) return tell_missing(r, out);
        show(r->s, r->steps ? "recording" : "waiting for the traces", &out->found);
        nap(until_ms);
    }
    return tell(r, STOPPED, "interrupted");
}

static int run(recording *r, const engine_files *before, engine_result *out)
{
    char text[300];
    int status = find_engine(r);
    if (status) return status;
    out->engine = name_of(r->kind);
    if (r->steps && r->kind != ENGINE_SGLANG)
        return tell(r, USAGE, "%s counts no steps: name a time with --seconds", out->engine);
    if (!r->steps && !r->record_ms && r->kind == ENGINE_SGLANG)
        r->steps = STEPS;
    else if (!r->steps && !r->record_ms)
        r->record_ms = RECORD_MS;
    if ((status = start(r))) return status;
    int64_t until = now_ms() + r->s->timeout_ms;
    if (!r->steps) {
        if ((status = record(r))) return status;
        until = now_ms() + r->s->timeout_ms;
        if (!stop(r, r->s->timeout_ms, true, text))
            snprintf(out->note, sizeof out->note, "%s; its traces were waited for all the same", text);
    }
    return wait_for_files(r, before, until, out);
}

int engine_capture(const engine_settings *s, engine_result *out, char *why, size_t room)
{
    char text[300];
    engine_files before;
    recording r = {
        .s = s, .kind = s->kind, .steps = s->steps, .record_ms = s->record_ms, .ranks = 1, .why = why, .room = room
    };
    *out = (engine_result){ .others = false };
    if (!engine_files_list(s->folder, &before, why, room)) return NO_OUTPUT;
    int status = run(&r, &before, out);
    if (status && r.runs) {
        size_t at = strlen(why);
        bool ok = stop(&r, ASK_MS, false, text);
        snprintf(why + at, room - at, ok ? "; its profiler was stopped" : "; its profiler may still be on: %s", text);
    }
    out->others = before.count > 0;
    engine_files_free(&before);
    return status;
}
