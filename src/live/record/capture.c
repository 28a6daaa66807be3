// SPDX-License-Identifier: Apache-2.0
/* live/record/capture.c: many recordings at once: one loop that starts as many as may run together, waits for all their connections, and ends
 * those whose time is over. Whatever happens, the manifest is written last. */
#include "live/record/capture.h"
#include "views/core/handle.h"

#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#define ALIGN_LEAD_MICROS 400000 /* time from the announcement of the shared start to that start */
/* a session that has not answered for this long does not count against the limit of concurrent sessions */
#define SILENT_NS ((int64_t)1000000000)

#define FILES_A_SESSION                                                                                                \
    8 /* descriptors: the connection, the process's memory, a lock, files that are read on the way */

typedef struct polled {
    struct pollfd *fds;
    uint32_t *sessions;
    size_t count;
} polled;

static bool is_running(const tfp_session *s) { return s->state != TFP_SESSION_WAITS && s->state != TFP_SESSION_DONE; }

static size_t count_left(const tfp_capture *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->sessions.size; i++) n += c->sessions.at[i]->state != TFP_SESSION_DONE;
    return n;
}

/* The number of sessions that count against --parallel. One that does not answer must not keep the others waiting. */
static size_t count_busy(const tfp_capture *c)
{
    int64_t now = tfp_now_ns();
    size_t n = 0;
    for (size_t i = 0; i < c->sessions.size; i++) {
        const tfp_session *s = c->sessions.at[i];
        n += is_running(s) && (s->row.started_unix_micros != TFP_ABSENT || now - s->times.begun_ns < SILENT_NS);
    }
    return n;
}

static bool any_in(const tfp_capture *c, tfp_session_state state)
{
    for (size_t i = 0; i < c->sessions.size; i++)
        if (c->sessions.at[i]->state == state) return true;
    return false;
}

static void start_more(tfp_capture *c)
{
    size_t running = count_busy(c), most = (size_t)c->settings->parallel;
    if (c->settings->align || c->settings->via)
        most = SIZE_MAX; /* such sessions wait for each other, or for the next poll */
    for (size_t i = 0; i < c->sessions.size && running < most; i++) {
        tfp_session *s = c->sessions.at[i];
        if (s->state != TFP_SESSION_WAITS || (c->settings->align && !c->align_unix_micros && *s->server.host)) continue;
        if (running && !c->settings->align && !tfp_files_left(FILES_A_SESSION))
            return; /* this session waits until others have closed their files */
        tfp_session_start(c, s);
        running++;
    }
}

/* With --align: whether a process is still getting ready. A process that needs more than a third of --timeout is no
 * longer waited for. */
static bool is_preparing(const tfp_capture *c, const tfp_session *s, int64_t now)
{
    bool begins = s->state == TFP_SESSION_ATTACHES || s->state == TFP_SESSION_STANDS || s->state == TFP_SESSION_RUNS;
    return begins && !*s->server.host && !s->ready && s->row.started_unix_micros == TFP_ABSENT && !c->settings->via &&
           !c->settings->steps && now - s->times.begun_ns < (int64_t)(c->settings->timeout / 3 * 1e9);
}

/* Chooses the shared moment to start when all are ready. If the caller waits for others too, the caller chooses it. */
static void settle_start(tfp_capture *c)
{
    int64_t now = tfp_now_ns(), told = 0;
    for (size_t i = 0; i < c->sessions.size; i++)
        if (c->sessions.at[i]->state == TFP_SESSION_WAITS ? !*c->sessions.at[i]->server.host
                                                          : is_preparing(c, c->sessions.at[i], now))
            return;
    if (c->live->start && (told = c->live->start(c->live->start_ctx)) == 0) return;
    c->align_unix_micros = told > 0 ? told : tfp_unix_micros() + ALIGN_LEAD_MICROS + 2000 * (int64_t)c->sessions.size;
}

/* Sends requests to the agents that answer. */
static void ask_agents(tfp_capture *c)
{
    if (c->settings->align && !c->align_unix_micros) settle_start(c);
    for (size_t i = 0; i < c->sessions.size; i++) {
        tfp_session *s = c->sessions.at[i];
        if (s->state == TFP_SESSION_STANDS) tfp_session_ask(c, s);
        if (s->state == TFP_SESSION_RUNS && s->ready && c->align_unix_micros) tfp_session_go(c, s);
    }
}

static void wait_and_work(tfp_capture *c, polled *p)
{
    p->count = 0;
    for (uint32_t i = 0; i < c->sessions.size; i++) {
        const tfp_session *s = c->sessions.at[i];
        if ((s->state != TFP_SESSION_CONNECTS && s->state != TFP_SESSION_RUNS) || s->link.fd < 0) continue;
        p->fds[p->count] = (struct pollfd){ s->link.fd, tfp_session_events(s), 0 };
        p->sessions[p->count++] = i;
    }
    size_t sessions = p->count;
    if (c->daemon_fd >= 0) p->fds[p->count++] = (struct pollfd){ c->daemon_fd, POLLIN, 0 };
    bool soon = any_in(c, TFP_SESSION_ATTACHES) || any_in(c, TFP_SESSION_LEAVES);
    int ready = poll(p->fds, p->count, soon ? 5 : 50);
    for (size_t i = 0; i < sessions && ready > 0; i++)
        if (p->fds[i].revents) tfp_session_ready(c, c->sessions.at[p->sessions[i]], p->fds[i].revents);
    if (p->count > sessions && ready > 0 && p->fds[sessions].revents) tfp_capture_serve_kineto(c);
    for (size_t i = 0; i < c->sessions.size; i++) {
        tfp_session *s = c->sessions.at[i];
        if (is_running(s)) tfp_session_tick(c, s);
    }
}

static tfp_status record_all(tfp_capture *c, tfp_error *err)
{
    polled p = { calloc(c->sessions.size + 1, sizeof *p.fds), calloc(c->sessions.size + 1, sizeof *p.sessions), 0 };
    tfp_status status = p.fds && p.sessions ? TFP_OK : tfp_nomem(err);
    while (!status && !c->nomem && !c->cancelled && count_left(c)) {
        start_more(c);
        ask_agents(c);
        wait_and_work(c, &p);
        if (c->fn && c->fn(c->ctx, NULL, NULL, NULL)) c->cancelled = true;
    }
    for (size_t i = 0; i < c->sessions.size; i++) tfp_session_end(c, c->sessions.at[i], "cancelled", NULL, "%s", "");
    while (!status && any_in(c, TFP_SESSION_LEAVES)) wait_and_work(c, &p);
    free(p.fds);
    free(p.sessions);
    return status ? status : c->nomem ? tfp_nomem(err) : TFP_OK;
}

/* ---- the whole ---- */

static bool is(tfp_str text, const char *word) { return tfp_str_eq(text, tfp_str_of(word)); }

static tfp_capture_end end_of(const tfp_capture *c)
{
    bool other = false, too_big = false;
    for (size_t i = 0; i < c->sessions.size; i++) {
        const tfp_capture_row *row = &c->sessions.at[i]->row;
        bool big = row->code.data && is(row->code, "too-big");
        too_big |= big;
        other |= !big && !is(row->status, "ok");
    }
    if (c->cancelled) return TFP_CAPTURE_STOPPED;
    if (c->too_many_files) return TFP_CAPTURE_NO_DESCRIPTORS;
    if (c->bad_output) return TFP_CAPTURE_NO_OUTPUT;
    return other ? TFP_CAPTURE_SOME : too_big ? TFP_CAPTURE_TOO_BIG : TFP_CAPTURE_ALL;
}

static tfp_status add_note(tfp_capture *c, const char *text)
{
    char *copy = tfp_arena_copy(&c->arena, tfp_str_of(text));
    return copy && tfp_push(&c->notes, copy) ? TFP_OK : TFP_NOMEM;
}

/* Notes about recorders of profiler servers: what a snapshot lacks, and the remedy. */
static tfp_status note_recorders(tfp_capture *c)
{
    for (size_t i = 0; i < c->sessions.size; i++) {
        const tfp_capture_row *row = &c->sessions.at[i]->row;
        if (c->settings->snapshot && row->code.data && is(row->code, "grpc-5"))
            return add_note(c, "a recorder is started by tfprof capture --recorder start HOST:PORT");
    }
    return TFP_OK;
}

static void refuse_processes(tfp_capture *c)
{
    for (size_t i = 0; i < c->sessions.size; i++) {
        tfp_session *s = c->sessions.at[i];
        if (!*s->server.host)
            tfp_session_end(c, s, "refused", "unprepared", "only a profiler server has a recorder: name its HOST:PORT");
    }
}

/* Passes on an empty table, for output forms that begin before there are rows. */
static tfp_status tell_columns(tfp_capture *c, const tfp_options *o, tfp_error *err)
{
    if (!c->fn) return TFP_OK;
    tfp_report *r = tfp_report_new("capture", o);
    tfp_status s = r ? tfp_capture_table(c, r, err) : tfp_nomem(err);
    if (!s && c->fn(c->ctx, r, NULL, NULL)) c->cancelled = true;
    tfp_report_free(r);
    return s;
}

static void release(tfp_capture *c)
{
    for (size_t i = 0; i < c->sessions.size; i++) tfp_session_free(c->sessions.at[i]);
    tfp_vec_free(&c->sessions);
    tfp_vec_free(&c->notes);
    tfp_arena_free(&c->arena);
    tfp_results_close(&c->results);
    if (c->daemon_fd >= 0) close(c->daemon_fd);
    if (*c->daemon_path) unlink(c->daemon_path);
}

static bool has_files(const tfp_capture *c)
{
    for (size_t i = 0; i < c->sessions.size; i++)
        if (c->sessions.at[i]->row.file.size) return true;
    return false;
}

static tfp_status capture(tfp_capture *c, const char *const *selectors, size_t count, const tfp_options *o,
                          tfp_report **out, tfp_error *err)
{
    tfp_status s = tfp_need_files(FILES_A_SESSION, err);
    if (!s) s = tfp_run_folder(c->run_folder, c->settings->attach, err);
    if (!s) s = tfp_results_open(c->settings, "capture", &c->results, err);
    if (!s) s = tell_columns(c, o, err);
    if (!s) s = tfp_capture_select(c, selectors, count, err);
    if (!s && !c->sessions.size) s = add_note(c, "no job was found");
    if (!s && (c->settings->snapshot || c->settings->recorder)) refuse_processes(c);
    if (!s) s = record_all(c, err);
    if (!s && note_recorders(c)) s = tfp_nomem(err);
    if (s) return s;
    if (c->settings->dir || has_files(c))
        s = tfp_capture_manifest(c, err);
    else
        rmdir(c->results.path); /* nothing was recorded and the folder's name was not given, so it is removed */
    if (!s && !(*out = tfp_report_new("capture", o))) s = tfp_nomem(err);
    if (!s) s = tfp_capture_table(c, *out, err);
    if (!s) s = tfp_grid_arrange(*out, err);
    return s;
}

tfp_status tfp_live_capture(tfp_live *l, const char *const *selectors, size_t count, const tfp_options *o,
                            tfp_live_row_fn fn, void *ctx, int *end, tfp_report **out, tfp_error *err)
{
    tfp_error_clear(err);
    if (out) *out = NULL;
    if (!l || !out || !end || (count && !selectors) || (!count && !l->settings.all))
        return tfp_fail(err, TFP_BADARG, "no process is named: PID, NAME, HOST:PORT or --all");
    tfp_capture c = { .live = l,
                      .settings = &l->settings,
                      .started_unix_micros = tfp_unix_micros(),
                      .daemon_fd = -1,
                      .results = { .folder = -1 },
                      .fn = fn,
                      .ctx = ctx };
    bool there = l->settings.dir && access(l->settings.dir, F_OK) == 0;
    tfp_status s = capture(&c, selectors, count, o, out, err);
    if (s && !there && *c.results.path)
        rmdir(c.results.path); /* of a refused capture: removes the folder only if it is empty */
    *end = end_of(&c);
    snprintf(l->run.results.path, sizeof l->run.results.path, "%s", c.results.path);
    release(&c);
    if (s && *out) {
        tfp_report_free(*out);
        *out = NULL;
    }
    return s;
}

void tfp_live_on_start(tfp_live *l, tfp_live_start_fn fn, void *ctx)
{
    if (!l) return;
    l->start = fn;
    l->start_ctx = ctx;
}

const char *tfp_live_results(const tfp_live *l) { return l ? l->run.results.path : ""; }
