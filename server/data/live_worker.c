// SPDX-License-Identifier: Apache-2.0
/* server/data/live_worker.c: a process that looks at jobs, or records them, for the server. A request for stacks or a recording is
 * handled by a child with a time limit, so that an error there cannot end the worker. */
#include "http/clock.h"
#include "live.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define INTERVAL_MS 900     /* least time between two samples, however often the list is requested */
#define FORGET_MS 30000     /* after this time without a request, probes and other data about jobs are freed */
#define CAPTURE_SECONDS 120 /* in addition to the window: waiting for another session, and for data */

typedef struct worker {
    int socket;
    const serve_options *options;
    tfp_live *jobs; /* for the list: rates are computed between two samples */
    int64_t sampled_ms;
} worker;

static void nap(int64_t ms)
{
    struct timespec t = { ms / 1000, ms % 1000 * 1000000 };
    while (nanosleep(&t, &t) && errno == EINTR) {}
}

/* Whether the server has ended. */
static bool is_alone(int socket)
{
    struct pollfd p = { socket, POLLRDHUP, 0 };
    return poll(&p, 1, 0) > 0 && p.revents & (POLLRDHUP | POLLHUP | POLLERR);
}

bool live_read_all(int fd, void *data, size_t size)
{
    for (char *at = data; size;) {
        ssize_t n = read(fd, at, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

bool live_write_all(int fd, const void *data, size_t size)
{
    for (const char *at = data; size;) {
        ssize_t n = write(fd, at, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

static bool send_out(int fd, answer *a)
{
    bool ok = a->status == ANSWER_OK && !answer_failed(a) && a->size <= LIVE_ANSWER_MOST;
    const char *text = ok ? a->data : answer_why(a);
    size_t size = ok ? a->size : strlen(text);
    live_head head = { ok ? ANSWER_OK : a->status == ANSWER_OK ? ANSWER_BUSY : a->status, (uint32_t)size };
    return live_write_all(fd, &head, sizeof head) && live_write_all(fd, text ? text : "", size);
}

/* ---- tables ---- */

static void put_failure(answer *a, tfp_status s, const tfp_error *err)
{
    const char *why = tfp_error_message(err);
    answer_error(a, s == TFP_NOMEM ? ANSWER_BUSY : ANSWER_UNUSABLE, "%s", *why ? why : "out of memory");
}

static void put_report(answer *a, tfp_status s, tfp_report *r, tfp_error *err)
{
    if (!s) s = tfp_report_write(r, "json", answer_write, a, err);
    if (s && !answer_failed(a)) put_failure(a, s, err);
    tfp_report_free(r);
}

static tfp_live *new_live(const worker *w)
{
    tfp_live *l = tfp_live_new();
    if (l && w->options->hide_commands && tfp_live_set(l, "no_commands", NULL, NULL)) {
        tfp_live_free(l);
        return NULL;
    }
    return l;
}

static void forget_jobs(worker *w)
{
    tfp_live_free(w->jobs);
    w->jobs = NULL;
}

/* The first answer takes a second, because rates need two samples. */
static void list_jobs(worker *w, answer *a, tfp_error *err)
{
    tfp_report *r = NULL;
    tfp_status s = TFP_OK;
    bool fresh = !w->jobs;
    if (fresh) w->jobs = new_live(w);
    if (!w->jobs) s = TFP_NOMEM;
    if (!s && fresh) {
        s = tfp_live_sample(w->jobs, err);
        w->sampled_ms = now_ms();
        nap(1000);
    }
    if (!s && now_ms() - w->sampled_ms >= INTERVAL_MS) {
        s = tfp_live_sample(w->jobs, err);
        w->sampled_ms = now_ms();
    }
    if (!s) s = tfp_live_top(w->jobs, NULL, &r, err);
    put_report(a, s, r, err);
    if (s) forget_jobs(w);
}

/* ---- one job, or several ---- */

/* Whether the processes are still the requested ones: each has a row with its number and start time. */
static bool are_there(tfp_live *l, const live_settings *q, answer *a, tfp_error *err)
{
    char text[64], got[64];
    tfp_report *r = NULL;
    tfp_status s = tfp_live_set(l, "processes", NULL, err);
    for (size_t i = 0; i < q->job_count && !s; i++) {
        snprintf(text, sizeof text, "%lld", (long long)q->jobs[i].pid);
        s = tfp_live_select(l, text, err);
    }
    if (!s) s = tfp_live_sample(l, err);
    if (!s) s = tfp_live_top(l, NULL, &r, err);
    size_t found = 0;
    for (size_t i = 0; i < q->job_count && !s; i++) {
        bool there = false;
        snprintf(text, sizeof text, "%lld@%lld", (long long)q->jobs[i].pid, (long long)q->jobs[i].ticks);
        for (size_t row = 0; row < tfp_report_row_count(r) && !there; row++) {
            tfp_report_string(r, row, "job", got, sizeof got);
            there = strcmp(got, text) == 0;
        }
        if (there) found++;
        if (!there && !a->error) answer_error(a, ANSWER_UNUSABLE, "%s: it has ended", text);
    }
    tfp_report_free(r);
    if (s) put_failure(a, s, err);
    return !s && found == q->job_count;
}

static int stops_alone(void *ctx, uint64_t done, uint64_t total)
{
    const worker *w = ctx;
    (void)done, (void)total;
    return is_alone(w->socket);
}

static void read_stacks(worker *w, const live_settings *q, answer *a, tfp_error *err)
{
    char pid[24], seconds[24];
    tfp_report *r = NULL;
    tfp_live *l = new_live(w), *checked = new_live(w);
    if (!l || !checked) a->no_memory = true;
    if (l && checked && are_there(checked, q, a, err)) {
        snprintf(pid, sizeof pid, "%lld", (long long)q->jobs[0].pid);
        snprintf(seconds, sizeof seconds, "%lld", (long long)q->seconds);
        tfp_status s =
            q->what == LIVE_THREADS ? tfp_live_set(l, "once", NULL, err) : tfp_live_set(l, "seconds", seconds, err);
        if (!s && q->idle) s = tfp_live_set(l, "idle", NULL, err);
        if (!s) s = tfp_live_stacks(l, pid, NULL, stops_alone, w, &r, err);
        put_report(a, s, r, err);
    }
    tfp_live_free(l);
    tfp_live_free(checked);
}

static int on_row(void *ctx, const tfp_report *columns, const char *text, const char *json)
{
    const worker *w = ctx;
    (void)columns, (void)text, (void)json;
    return is_alone(w->socket);
}

static tfp_status set_number(tfp_live *l, const char *name, int64_t n, tfp_error *err)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)n);
    return n ? tfp_live_set(l, name, text, err) : TFP_OK;
}

static void record(worker *w, const live_settings *q, answer *a, tfp_error *err)
{
    char path[4200], pids[LIVE_JOBS_MOST][24];
    const char *selectors[LIVE_JOBS_MOST];
    tfp_report *r = NULL;
    int end = TFP_CAPTURE_ALL;
    tfp_live *l = new_live(w), *checked = new_live(w);
    /* through the descriptor, because the path may lead elsewhere by now */
    snprintf(path, sizeof path, "/proc/self/fd/%d/%s", w->options->live_fd, q->folder);
    for (size_t i = 0; i < q->job_count; i++) {
        snprintf(pids[i], sizeof pids[i], "%lld", (long long)q->jobs[i].pid);
        selectors[i] = pids[i];
    }
    if (!l || !checked) a->no_memory = true;
    if (l && checked && are_there(checked, q, a, err)) {
        tfp_status s = tfp_live_set(l, "dir", path, err);
        if (!s) s = set_number(l, "ms", q->ms, err);
        if (!s) s = set_number(l, "steps", q->steps, err);
        if (!s && q->attach) s = tfp_live_set(l, "attach", NULL, err);
        if (!s && q->align) s = tfp_live_set(l, "align", NULL, err);
        if (!s && q->stacks) s = tfp_live_set(l, "python_level", "1", err);
        if (!s) s = tfp_live_capture(l, selectors, q->job_count, NULL, on_row, w, &end, &r, err);
        put_report(a, s, r, err);
    }
    tfp_live_free(l);
    tfp_live_free(checked);
}

/* ---- a child that answers ---- */

static void answer_in_child(worker *w, const live_settings *q, int out)
{
    answer a = { .status = ANSWER_OK };
    tfp_error *err = tfp_error_new();
    alarm(q->what == LIVE_CAPTURE ? (unsigned)(q->ms / 1000) + CAPTURE_SECONDS : (unsigned)q->seconds + 10);
    if (q->what == LIVE_CAPTURE)
        record(w, q, &a, err);
    else
        read_stacks(w, q, &a, err);
    _exit(send_out(out, &a) ? 0 : 1);
}

/* Receives the child's complete answer before passing on any of it: if a child ends early, the answer is an error sentence,
 * not half an answer. */
static void take_answer(int in, pid_t child, answer *a)
{
    live_head head;
    int status = 0;
    bool whole = live_read_all(in, &head, sizeof head) && head.size <= LIVE_ANSWER_MOST;
    char *data = whole ? malloc((size_t)head.size + 1) : NULL;
    whole = data && live_read_all(in, data, head.size);
    close(in);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    if (!whole) {
        answer_error(a, ANSWER_BUSY,
                     WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? "it took too long"
                                                                        : "the process that looked at it ended");
    } else if (head.status == ANSWER_OK) {
        answer_add(a, data, head.size);
    } else {
        data[head.size] = '\0';
        answer_error(a, head.status, "%s", data);
    }
    free(data);
}

static void answer_by_child(worker *w, const live_settings *q, answer *a)
{
    int ends[2];
    if (pipe(ends)) {
        answer_error(a, ANSWER_BUSY, "no descriptors are left");
        return;
    }
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        answer_in_child(w, q, ends[1]);
    }
    close(ends[1]);
    if (child > 0) {
        take_answer(ends[0], child, a);
    } else {
        close(ends[0]);
        answer_error(a, ANSWER_BUSY, "no process can be started");
    }
}

/* ---- the worker ---- */

/* Checks a request. The server has checked it already; but if an attacker took over the server, he must not get more
 * from the worker than a request may ask for. */
static bool is_sound(const live_settings *q)
{
    if (q->what == LIVE_LIST) return true;
    bool one = q->what == LIVE_THREADS || q->what == LIVE_STACKS;
    return (one || q->what == LIVE_CAPTURE) && q->job_count && q->job_count <= (one ? 1 : LIVE_JOBS_MOST) &&
           q->seconds >= 0 && q->seconds <= LIVE_SECONDS_MOST && q->ms >= 0 && q->ms <= LIVE_MS_MOST && q->steps >= 0 &&
           q->steps <= LIVE_STEPS_MOST && memchr(q->folder, 0, sizeof q->folder) && !strchr(q->folder, '/') &&
           q->folder[0] != '.';
}

static bool wait_for_question(worker *w)
{
    struct pollfd p = { w->socket, POLLIN, 0 };
    for (;;) {
        int n = poll(&p, 1, w->jobs ? FORGET_MS : -1);
        if (n > 0) return true;
        if (n < 0 && errno != EINTR) return false;
        if (n == 0) forget_jobs(w);
    }
}

void live_work(int socket, const serve_options *o)
{
    worker w = { .socket = socket, .options = o };
    live_settings q;
    tfp_error *err = tfp_error_new();
    bool alive = true;
    while (alive && wait_for_question(&w) && live_read_all(socket, &q, sizeof q)) {
        answer a = { .status = ANSWER_OK };
        if (!is_sound(&q))
            answer_error(&a, ANSWER_WRONG, "no such question");
        else if (q.what == LIVE_LIST)
            list_jobs(&w, &a, err);
        else
            answer_by_child(&w, &q, &a);
        alive = send_out(socket, &a);
        answer_free(&a);
    }
    forget_jobs(&w);
    tfp_error_free(err);
}
