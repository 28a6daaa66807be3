// SPDX-License-Identifier: Apache-2.0
/* fleet/index/pool.c: a pool of processes, each of which reads one file at a time. A process that dies or takes too long is
 * replaced. The file that it read is tried once more, because something else may have killed the process. */
#include "fleet/index/index.h"
#include "fleet/index/stream.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

typedef struct member {
    pid_t pid;
    int jobs, answers; /* pipes; -1: it is not running */
    bool busy;
    uint64_t number;
    int64_t deadline_ms, attempts;
    tfp_buf job; /* the request, kept for another try */
    tfp_buf got; /* the part of its answer received so far */
} member;

struct tfp_pool {
    const tfp_index_settings *settings;
    member *members;
    size_t count;
    struct pollfd *polled;
};

enum { TRIES = 2 };

/* ---- processes ---- */

static void close_pipes(member *m)
{
    if (m->jobs >= 0) close(m->jobs);
    if (m->answers >= 0) close(m->answers);
    m->jobs = m->answers = -1;
}

/* Ends a process and returns the signal that it died of; 0: none. */
static int reap(member *m)
{
    int status = 0;
    close_pipes(m);
    if (m->pid <= 0) return 0;
    kill(m->pid, SIGKILL);
    while (waitpid(m->pid, &status, 0) < 0 && errno == EINTR) continue;
    m->pid = 0;
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static tfp_status start(tfp_pool *p, member *m, tfp_error *err)
{
    int jobs[2], answers[2];
    if (pipe2(jobs, O_CLOEXEC) != 0) return tfp_fail_errno(err, "cannot make a pipe");
    if (pipe2(answers, O_CLOEXEC) != 0) {
        tfp_fail_errno(err, "cannot make a pipe");
        close(jobs[0]), close(jobs[1]);
        return TFP_NOMEM;
    }
    m->pid = fork();
    if (m->pid == 0) {
        for (size_t i = 0; i < p->count; i++) close_pipes(&p->members[i]);
        close(jobs[1]), close(answers[0]);
        tfp_worker_run(p->settings, jobs[0], answers[1]);
    }
    close(jobs[0]), close(answers[1]);
    m->jobs = jobs[1];
    m->answers = answers[0];
    if (m->pid < 0) {
        close_pipes(m);
        return tfp_fail(err, TFP_NOMEM, "cannot start a process: %s", strerror(errno));
    }
    fcntl(m->answers, F_SETFL, O_NONBLOCK);
    return TFP_OK;
}

tfp_status tfp_pool_new(const tfp_index_settings *settings, tfp_pool **out, tfp_error *err)
{
    tfp_pool *p = calloc(1, sizeof *p);
    if (!p) return tfp_nomem(err);
    p->settings = settings;
    p->count = (size_t)settings->jobs;
    p->members = calloc(p->count, sizeof *p->members);
    p->polled = calloc(p->count, sizeof *p->polled);
    for (size_t i = 0; p->members && i < p->count; i++) p->members[i].jobs = p->members[i].answers = -1;
    *out = p;
    return p->members && p->polled ? TFP_OK : tfp_nomem(err);
}

void tfp_pool_free(tfp_pool *p)
{
    if (!p) return;
    for (size_t i = 0; p->members && i < p->count; i++) {
        reap(&p->members[i]);
        tfp_buf_free(&p->members[i].job);
        tfp_buf_free(&p->members[i].got);
    }
    free(p->members);
    free(p->polled);
    free(p);
}

bool tfp_pool_has_room(const tfp_pool *p)
{
    for (size_t i = 0; i < p->count; i++)
        if (!p->members[i].busy) return true;
    return false;
}

bool tfp_pool_is_busy(const tfp_pool *p)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->members[i].busy) return true;
    return false;
}

/* ---- jobs ---- */

static tfp_status send(tfp_pool *p, member *m, tfp_error *err)
{
    tfp_status s = m->pid > 0 ? TFP_OK : start(p, m, err);
    if (s) return s;
    m->busy = true;
    m->attempts++;
    m->got.size = 0;
    m->deadline_ms = tfp_add(tfp_now_ns() / 1000000, tfp_mul(p->settings->timeout_s, 1000, NULL), NULL);
    (void)!tfp_stream_write(m->jobs, m->job.data,
                            m->job.size); /* if the process died, its pipe of answers ends and this is noticed */
    return TFP_OK;
}

tfp_status tfp_pool_give(tfp_pool *p, uint64_t number, const tfp_index_walk_file *f, tfp_error *err)
{
    member *m = p->members;
    while (m->busy) m++;
    size_t file = strlen(f->file) + 1, path = strlen(f->path) + 1;
    tfp_worker_job head = { (uint32_t)(file + path), (uint32_t)file, f->size, f->mtime_us };
    m->job.size = 0;
    tfp_buf_add(&m->job, &head, sizeof head);
    tfp_buf_add(&m->job, f->file, file);
    tfp_buf_add(&m->job, f->path, path);
    m->number = number;
    m->attempts = 0;
    return m->job.failed ? tfp_nomem(err) : send(p, m, err);
}

/* ---- answers ---- */

typedef struct taker {
    tfp_status (*take)(void *ctx, const tfp_pool_result *r, tfp_error *err);
    void *ctx;
} taker;

static tfp_status give_failure(member *m, const taker *t, tfp_fleet_code code, int signal, const char *message,
                               tfp_error *err)
{
    tfp_pool_result r = { .number = m->number, .code = code, .signal = signal, .attempts = m->attempts };
    r.message = tfp_str_of(message);
    m->busy = false;
    m->got.size = 0;
    return t->take(t->ctx, &r, err);
}

static tfp_status take_death(tfp_pool *p, member *m, const taker *t, tfp_error *err)
{
    char text[120];
    int signal = reap(m);
    if (m->busy && m->attempts < TRIES) return send(p, m, err);
    if (signal)
        snprintf(text, sizeof text, "the process that read it died of signal %d (%s)", signal, strsignal(signal));
    else
        snprintf(text, sizeof text, "the process that read it ended without an answer");
    return m->busy ? give_failure(m, t, TFP_FLEET_CRASH, signal, text, err) : TFP_OK;
}

static tfp_status take_timeout(tfp_pool *p, member *m, const taker *t, tfp_error *err)
{
    char text[80];
    reap(m);
    snprintf(text, sizeof text, "it took longer than %lld s (--timeout)", (long long)p->settings->timeout_s);
    return give_failure(m, t, TFP_FLEET_TIMEOUT, 0, text, err);
}

/* Whether the complete answer has arrived; *bad: it is malformed. */
static bool is_whole(const member *m, tfp_worker_answer *head, bool *bad)
{
    if (m->got.size < sizeof *head) return false;
    memcpy(head, m->got.data, sizeof *head);
    *bad = head->code >= TFP_FLEET_CODES || memchr(head->run, 0, sizeof head->run) == NULL ||
           m->got.size - sizeof *head > head->size;
    return *bad || m->got.size - sizeof *head == head->size;
}

static tfp_status take_answer(member *m, const taker *t, const tfp_worker_answer *head, tfp_error *err)
{
    tfp_pool_result r = {
        .number = m->number, .code = (tfp_fleet_code)head->code, .attempts = m->attempts, .not_taken = head->not_taken
    };
    tfp_str rest = { m->got.data + sizeof *head, head->size };
    memcpy(r.run, head->run, sizeof r.run);
    if (r.code == TFP_FLEET_RUN)
        r.rows = rest;
    else
        r.message = rest.size ? rest : TFP_STR("not enough memory");
    m->busy = false;
    tfp_status s = t->take(t->ctx, &r, err);
    m->got.size = 0;
    if (m->got.capacity > (size_t)16 << 20) tfp_buf_free(&m->got);
    return s;
}

static tfp_status take_bytes(tfp_pool *p, member *m, const taker *t, tfp_error *err)
{
    enum { PIECE = 1 << 16 };
    tfp_worker_answer head;
    bool bad = false;
    for (;;) {
        size_t before = m->got.size;
        tfp_buf_fill(&m->got, 0, PIECE);
        if (m->got.failed) return tfp_nomem(err);
        ssize_t n = tfp_read_some(m->answers, m->got.data + before, PIECE);
        m->got.size = before + (size_t)(n > 0 ? n : 0);
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return TFP_OK;
        if (n <= 0 || !m->busy) return take_death(p, m, t, err);
        if (!is_whole(m, &head, &bad)) continue;
        return bad ? take_death(p, m, t, err) : take_answer(m, t, &head, err);
    }
}

tfp_status tfp_pool_wait(tfp_pool *p, tfp_status (*take)(void *ctx, const tfp_pool_result *r, tfp_error *err),
                         void *ctx, tfp_error *err)
{
    enum { WAIT_MS = 250 };
    taker t = { take, ctx };
    tfp_status s = TFP_OK;
    for (size_t i = 0; i < p->count; i++) p->polled[i] = (struct pollfd){ p->members[i].answers, POLLIN, 0 };
    int ready = poll(p->polled, p->count, WAIT_MS);
    int64_t now = tfp_now_ns() / 1000000;
    for (size_t i = 0; i < p->count && !s; i++) {
        member *m = &p->members[i];
        if (ready > 0 && p->polled[i].fd >= 0 && p->polled[i].revents)
            s = take_bytes(p, m, &t, err);
        else if (m->busy && now > m->deadline_ms)
            s = take_timeout(p, m, &t, err);
    }
    return s;
}
