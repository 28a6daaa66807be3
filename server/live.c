// SPDX-License-Identifier: Apache-2.0
/* server/live.c: the server's side of running jobs: the processes that look at them, what they are asked, and the recordings that were
 * made. A recording has a thread that waits for its end. */
#include "live.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { KEPT = 20 };       /* recordings that are told of */
#define ANSWER_SECONDS 30 /* the longest that a list or stacks take is 10 s of stacks, twice */
#define LEAVE_MS 1500     /* for workers to end */

typedef struct worker {
    int socket;
    pid_t pid;
    pthread_mutex_t lock; /* one question at a time */
    bool gone;
} worker;

typedef struct recording {
    uint32_t number;
    live_wish wish;
    int64_t began; /* seconds since 1970 */
    bool running;
    int status; /* ANSWER_OK: the table, as JSON; else a sentence */
    char *text;
} recording;

struct live {
    const serve_options *options;
    worker workers[LIVE_WORKERS];
    size_t worker_count;
    char token[33];
    bool made;            /* the folder was not there before */
    pthread_mutex_t lock; /* of the recordings */
    recording kept[KEPT]; /* the oldest first */
    size_t kept_count;
    uint32_t last;
    pthread_t thread; /* of the recording that runs, or of the last one */
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

/* Signals of the terminal are for the server; when it ends, so do its workers. */
static void work(live *l, int socket)
{
    static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) signal(ignored[i], SIG_IGN);
    signal(SIGALRM, SIG_DFL);
    for (size_t i = 0; i < l->worker_count; i++) close(l->workers[i].socket);
    bool records = l->worker_count == 2;
    live_work(socket, l->options);
    if (records && l->made)
        rmdir(l->options->live_folder); /* the server may not; nothing happens when there is something in it */
    _exit(0);
}

static bool start_worker(live *l)
{
    int ends[2];
    struct timeval most = { ANSWER_SECONDS, 0 };
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) return false;
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        work(l, ends[1]);
    }
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return false;
    }
    /* a recording has time limits of its own, and ends with them */
    if (l->worker_count != 2) setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
    worker *w = &l->workers[l->worker_count++];
    *w = (worker){ .socket = ends[0], .pid = pid };
    pthread_mutex_init(&w->lock, NULL);
    return true;
}

static bool make_folder(const char *path, bool *made, char *why, size_t room)
{
    struct stat st;
    *made = mkdir(path, 0700) == 0;
    if (!*made && errno != EEXIST) {
        snprintf(why, room, "%s: %s", path, strerror(errno));
        return false;
    }
    if (stat(path, &st) || !S_ISDIR(st.st_mode) || st.st_uid != geteuid() || access(path, W_OK)) {
        snprintf(why, room, "%s: no folder of this user's that can be written", path);
        return false;
    }
    return true;
}

live *live_start(const serve_options *o, const char *token, char *why, size_t room)
{
    bool made;
    if (!make_folder(o->live_folder, &made, why, room)) return NULL;
    live *l = calloc(1, sizeof *l);
    bool ok = l != NULL;
    if (l) l->options = o;
    if (l) l->made = made;
    if (l) snprintf(l->token, sizeof l->token, "%s", token);
    if (l) pthread_mutex_init(&l->lock, NULL);
    while (ok && l->worker_count < LIVE_WORKERS) ok = start_worker(l);
    if (ok) return l;
    snprintf(why, room, "serve: no memory or processes to look at jobs with");
    if (l) live_stop(l);
    return NULL;
}

/* ---- questions ---- */

/* The lock of the worker is held. The answer's bytes, ended by NUL and freed by the caller; NULL: there is none. */
static char *exchange(worker *w, const live_wish *q, live_head *head)
{
    char *text = NULL;
    bool ok = !w->gone && live_write_all(w->socket, q, sizeof *q) && live_read_all(w->socket, head, sizeof *head) &&
              head->size <= LIVE_ANSWER_MOST && (text = malloc((size_t)head->size + 1)) &&
              live_read_all(w->socket, text, head->size);
    if (ok) {
        text[head->size] = '\0';
        return text;
    }
    free(text);
    w->gone = true; /* half an answer may still come: no other question would get its own */
    shutdown(w->socket, SHUT_RDWR);
    return NULL;
}

void live_ask(live *l, const live_wish *q, answer *a)
{
    worker *w = worker_for(l, q->what);
    live_head head;
    pthread_mutex_lock(&w->lock);
    char *text = exchange(w, q, &head);
    pthread_mutex_unlock(&w->lock);
    if (!text)
        answer_error(a, ANSWER_UNUSABLE, "the process that looks at jobs has ended: start tfprof serve again");
    else if (head.status == ANSWER_OK)
        answer_add(a, text, head.size);
    else
        answer_error(a, head.status, "%s", text);
    free(text);
}

/* ---- recordings ---- */

/* The lock is held. */
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
    live_wish wish = find(l, number)->wish;
    pthread_mutex_unlock(&l->lock);
    pthread_mutex_lock(&w->lock);
    char *text = exchange(w, &wish, &head);
    pthread_mutex_unlock(&w->lock);
    pthread_mutex_lock(&l->lock);
    recording *r = find(l, number);
    r->running = l->running = false;
    r->status = text ? head.status : ANSWER_BUSY;
    r->text = text;
    pthread_mutex_unlock(&l->lock);
    return NULL;
}

/* The lock is held. */
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

/* The lock is held. */
static bool begin(live *l, live_wish *wish)
{
    struct tm t;
    if (l->has_thread) pthread_join(l->thread, NULL);
    l->has_thread = false;
    recording *r = new_recording(l);
    time_t began = (time_t)r->began;
    localtime_r(&began, &t);
    size_t n = strftime(wish->folder, sizeof wish->folder, "%Y%m%d-%H%M%S", &t);
    snprintf(wish->folder + n, sizeof wish->folder - n, "-%u", r->number);
    r->wish = *wish;
    l->running = true;
    l->has_thread = pthread_create(&l->thread, NULL, wait_for_recording, l) == 0;
    if (l->has_thread) return true;
    l->running = false;
    l->kept_count--;
    return false;
}

void live_record(live *l, live_wish *wish, answer *a)
{
    pthread_mutex_lock(&l->lock);
    bool busy = l->running, began = !busy && begin(l, wish);
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
    json_text(a, "folder", r->wish.folder);
    json_open(a, "jobs", '[');
    for (size_t i = 0; i < r->wish.job_count; i++) {
        snprintf(job, sizeof job, "%lld@%lld", (long long)r->wish.jobs[i].pid, (long long)r->wish.jobs[i].ticks);
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
    for (size_t i = 0; i < l->worker_count; i++) shutdown(l->workers[i].socket, SHUT_RDWR);
}

void live_stop(live *l)
{
    struct timespec nap = { 0, 10000000 };
    live_wake(l);
    if (l->has_thread) pthread_join(l->thread, NULL);
    for (size_t i = 0; i < l->worker_count; i++) {
        worker *w = &l->workers[i];
        close(w->socket);
        for (int ms = 0; ms < LEAVE_MS && waitpid(w->pid, NULL, WNOHANG) == 0; ms += 10) nanosleep(&nap, NULL);
        pthread_mutex_destroy(&w->lock);
    }
    for (size_t i = 0; i < l->kept_count; i++) free(l->kept[i].text);
    pthread_mutex_destroy(&l->lock);
    free(l);
}
