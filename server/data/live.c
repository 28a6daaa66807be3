// SPDX-License-Identifier: Apache-2.0
/* server/data/live.c: the server's side of running jobs: the worker processes that look at them, the requests to these, and the recordings
 * that were made. Each recording has a thread that waits for its end. */
#include "live.h"

#include "http/rights.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { KEPT = 20 };       /* most recordings that are remembered */
#define ANSWER_SECONDS 30 /* the longest answer takes 10 s of stacks; this is enough for it to be late */
#define LEAVE_MS 1500     /* longest wait for workers to end */

typedef struct worker {
    int socket;
    pthread_mutex_t lock; /* held during a request: one at a time */
    bool gone;            /* it has ended, or its answer is no longer awaited */
} worker;

typedef struct recording {
    uint32_t number;
    live_settings settings;
    int64_t began; /* seconds since 1970 */
    bool running;
    int status; /* ANSWER_OK: text is the table as JSON; otherwise a sentence */
    char *text;
} recording;

struct live {
    const serve_options *options;
    int keeper; /* socket of the process that starts workers */
    pid_t keeper_pid;
    worker workers[LIVE_WORKERS];
    atomic_bool leaving; /* set when the server ends */
    char token[33];
    pthread_mutex_t lock; /* protects the recordings */
    recording kept[KEPT]; /* oldest first */
    size_t kept_count;
    uint32_t last;
    pthread_t thread; /* thread of the current or last recording */
    bool has_thread, running;
};

const char *live_token(const live *l) { return l->token; }

bool live_job_of(const char *text, live_job *out)
{
    char *end;
    size_t pid = strspn(text, "0123456789");
    size_t ticks = text[pid] == '@' ? strspn(text + pid + 1, "0123456789") : 0;
    if (!pid || pid > 10 || !ticks || ticks > 18 || text[pid + 1 + ticks]) return false;
    out->pid = strtoll(text, &end, 10);
    out->ticks = strtoll(end + 1, NULL, 10);
    return out->pid > 0;
}

/* ---- the processes ---- */

static worker *worker_for(live *l, live_what what)
{
    return &l->workers[what == LIVE_LIST ? 0 : what == LIVE_CAPTURE ? 2 : 1];
}

/* Ignores signals from the terminal, which are for the server; when the server ends, so do these processes. */
static void ignore_signals(void)
{
    static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) signal(ignored[i], SIG_IGN);
    signal(SIGALRM, SIG_DFL);
}

/* Receives a worker's socket, sent as a descriptor with one byte. -1: the other side is closed. */
static int receive_socket(int from)
{
    char byte;
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int))];
    } beside;
    struct iovec data = { &byte, 1 };
    struct msghdr m = { .msg_iov = &data, .msg_iovlen = 1, .msg_control = &beside, .msg_controllen = sizeof beside };
    ssize_t n;
    do n = recvmsg(from, &m, MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    const struct cmsghdr *head = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;
    int fd = -1;
    if (head && head->cmsg_type == SCM_RIGHTS) memcpy(&fd, CMSG_DATA(head), sizeof fd);
    return fd;
}

static bool send_socket(int to, int fd)
{
    char byte = 0;
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int))];
    } beside = { .head = { .cmsg_len = CMSG_LEN(sizeof fd), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS } };
    struct iovec data = { &byte, 1 };
    struct msghdr m = { .msg_iov = &data, .msg_iovlen = 1, .msg_control = &beside, .msg_controllen = sizeof beside };
    memcpy(CMSG_DATA(&beside.head), &fd, sizeof fd);
    return sendmsg(to, &m, MSG_NOSIGNAL) == 1;
}

/* The process that starts workers, at first and when one has ended: the server itself may not look at processes, nor may its
 * children. */
static void keep(const live *l, int socket)
{
    ignore_signals();
    rights_of_lookers();
    for (int fd; (fd = receive_socket(socket)) >= 0; close(fd)) {
        while (waitpid(-1, NULL, WNOHANG) > 0) {}
        if (fork()) continue; /* if it cannot be started, the server sees a closed socket */
        close(socket);
        live_work(fd, l->options);
        _exit(0);
    }
    while (wait(NULL) > 0 || errno == EINTR) {}
    if (l->options->live_made) rmdir(l->options->live_folder); /* rmdir fails if the folder is not empty */
    _exit(0);
}

static bool start_keeper(live *l)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) return false;
    l->keeper_pid = fork();
    if (l->keeper_pid == 0) {
        close(ends[0]);
        keep(l, ends[1]);
    }
    close(ends[1]);
    l->keeper = ends[0];
    return l->keeper_pid > 0;
}

/* Call with the worker's lock held, or when nobody else knows the worker. */
static bool start_worker(live *l, worker *w)
{
    int ends[2];
    struct timeval most = { ANSWER_SECONDS, 0 };
    if (l->leaving || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) return false;
    bool sent = send_socket(l->keeper, ends[1]);
    close(ends[1]);
    if (w->socket >= 0) close(w->socket);
    w->socket = ends[0];
    w->gone = !sent;
    /* a recording has its own time limits */
    if (w != &l->workers[LIVE_WORKERS - 1]) setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
    if (l->leaving) shutdown(ends[0], SHUT_RDWR);
    return sent;
}

live *live_start(const serve_options *o, const char *token, char *why, size_t room)
{
    live *l = calloc(1, sizeof *l);
    bool ok = l != NULL;
    if (l) {
        l->options = o;
        l->keeper = -1;
        snprintf(l->token, sizeof l->token, "%s", token);
        pthread_mutex_init(&l->lock, NULL);
        for (size_t i = 0; i < LIVE_WORKERS; i++) {
            l->workers[i].socket = -1;
            pthread_mutex_init(&l->workers[i].lock, NULL);
        }
        ok = start_keeper(l);
    }
    for (size_t i = 0; i < LIVE_WORKERS && ok; i++) ok = start_worker(l, &l->workers[i]);
    if (ok) return l;
    snprintf(why, room, "serve: no memory or processes with which to look at jobs");
    if (l) live_stop(l);
    return NULL;
}

/* ---- questions ---- */

/* Whether the worker has ended: it sends nothing before it is asked. */
static bool has_ended(const worker *w)
{
    char byte;
    ssize_t n = recv(w->socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return n >= 0 || (errno != EAGAIN && errno != EINTR);
}

/* Sends a request and receives the answer; call with the worker's lock held. If the worker has ended another one is asked. Returns the answer's
 * bytes, ended by NUL, which the caller frees; NULL: there is none. */
static char *exchange(live *l, worker *w, const live_settings *q, live_head *head)
{
    char *text = NULL;
    if ((w->gone || has_ended(w)) && !start_worker(l, w)) return NULL;
    errno = 0;
    bool ok = live_write_all(w->socket, q, sizeof *q) && live_read_all(w->socket, head, sizeof *head) &&
              head->size <= LIVE_ANSWER_MOST && (text = malloc((size_t)head->size + 1)) &&
              live_read_all(w->socket, text, head->size);
    if (ok) {
        text[head->size] = '\0';
        return text;
    }
    free(text);
    w->gone = true; /* the rest of this answer may still come, so the next request would get the wrong one */
    shutdown(w->socket, SHUT_RDWR);
    return NULL;
}

void live_ask(live *l, const live_settings *q, answer *a)
{
    worker *w = worker_for(l, q->what);
    live_head head;
    pthread_mutex_lock(&w->lock);
    char *text = exchange(l, w, q, &head);
    if (!text && errno != EAGAIN) text = exchange(l, w, q, &head); /* it ended meanwhile, and was not only late */
    pthread_mutex_unlock(&w->lock);
    if (!text)
        answer_error(a, ANSWER_UNUSABLE, "the process that looks at jobs ended, or took longer than %d seconds",
                     ANSWER_SECONDS);
    else if (head.status == ANSWER_OK)
        answer_add(a, text, head.size);
    else
        answer_error(a, head.status, "%s", text);
    free(text);
}

/* ---- recordings ---- */

/* Call with the lock held. */
static recording *find(live *l, uint32_t number)
{
    for (size_t i = 0; i < l->kept_count; i++)
        if (l->kept[i].number == number) return &l->kept[i];
    return NULL;
}

static void *wait_for_recording(void *ctx)
{
    live *l = ctx;
    live_head head = { ANSWER_BUSY, 0 };
    worker *w = worker_for(l, LIVE_CAPTURE);
    pthread_mutex_lock(&l->lock);
    uint32_t number = l->last;
    live_settings settings = find(l, number)->settings;
    pthread_mutex_unlock(&l->lock);
    pthread_mutex_lock(&w->lock);
    char *text = exchange(l, w, &settings, &head);
    pthread_mutex_unlock(&w->lock);
    pthread_mutex_lock(&l->lock);
    recording *r = find(l, number);
    r->running = l->running = false;
    r->status = text ? head.status : ANSWER_BUSY;
    r->text = text;
    pthread_mutex_unlock(&l->lock);
    return NULL;
}

/* Call with the lock held. */
static recording *new_recording(live *l)
{
    if (l->kept_count == KEPT) {
        free(l->kept[0].text);
        memmove(l->kept, l->kept + 1, (KEPT - 1) * sizeof *l->kept);
        l->kept_count--;
    }
    recording *r = &l->kept[l->kept_count++];
    *r = (recording){ .number = ++l->last, .began = time(NULL), .running = true };
    return r;
}

/* Call with the lock held. */
static bool begin(live *l, live_settings *settings)
{
    struct tm t;
    if (l->has_thread) pthread_join(l->thread, NULL);
    l->has_thread = false;
    recording *r = new_recording(l);
    time_t began = (time_t)r->began;
    localtime_r(&began, &t);
    size_t n = strftime(settings->folder, sizeof settings->folder, "%Y%m%d-%H%M%S", &t);
    snprintf(settings->folder + n, sizeof settings->folder - n, "-%u", r->number);
    r->settings = *settings;
    l->running = true;
    l->has_thread = pthread_create(&l->thread, NULL, wait_for_recording, l) == 0;
    if (l->has_thread) return true;
    l->running = false;
    l->kept_count--;
    return false;
}

void live_record(live *l, live_settings *settings, answer *a)
{
    pthread_mutex_lock(&l->lock);
    bool busy = l->running, began = !busy && begin(l, settings);
    uint32_t number = l->last;
    pthread_mutex_unlock(&l->lock);
    if (!began) {
        answer_error(a, ANSWER_BUSY, busy ? "a recording runs already: wait for its end" : "no thread can be started");
        return;
    }
    json_open(a, NULL, '{');
    json_int(a, "recording", number);
    json_close(a, '}');
}

static void put_recording(answer *a, const recording *r)
{
    char job[48];
    json_open(a, NULL, '{');
    json_int(a, "recording", r->number);
    json_text(a, "state", r->running ? "running" : r->status == ANSWER_OK ? "done" : "failed");
    json_int(a, "began", r->began);
    json_text(a, "folder", r->settings.folder);
    json_open(a, "jobs", '[');
    for (size_t i = 0; i < r->settings.job_count; i++) {
        snprintf(job, sizeof job, "%lld@%lld", (long long)r->settings.jobs[i].pid,
                 (long long)r->settings.jobs[i].ticks);
        json_text(a, NULL, job);
    }
    json_close(a, ']');
    bool done = !r->running && r->status == ANSWER_OK;
    json_text(a, "error",
              r->running || done ? NULL
              : r->text          ? r->text
                                 : "the process that records has ended: start tfprof serve again");
    json_raw(a, "table", done ? r->text : "null");
    json_close(a, '}');
}

void live_recordings(live *l, answer *a)
{
    pthread_mutex_lock(&l->lock);
    json_open(a, "recordings", '[');
    for (size_t i = l->kept_count; i--;) put_recording(a, &l->kept[i]);
    json_close(a, ']');
    pthread_mutex_unlock(&l->lock);
}

/* ---- the end ---- */

void live_wake(live *l)
{
    l->leaving = true;
    for (size_t i = 0; i < LIVE_WORKERS; i++) shutdown(l->workers[i].socket, SHUT_RDWR);
}

void live_stop(live *l)
{
    struct timespec nap = { 0, 10000000 };
    live_wake(l);
    if (l->has_thread) pthread_join(l->thread, NULL);
    for (size_t i = 0; i < LIVE_WORKERS; i++) {
        if (l->workers[i].socket >= 0) close(l->workers[i].socket);
        pthread_mutex_destroy(&l->workers[i].lock);
    }
    if (l->keeper >= 0) close(l->keeper);
    for (int ms = 0; ms < LEAVE_MS && l->keeper_pid > 0 && waitpid(l->keeper_pid, NULL, WNOHANG) == 0; ms += 10)
        nanosleep(&nap, NULL);
    for (size_t i = 0; i < l->kept_count; i++) free(l->kept[i].text);
    pthread_mutex_destroy(&l->lock);
    free(l);
}
