// SPDX-License-Identifier: Apache-2.0
/* watch/record/flights.c: the connection to torch's WorkerServer in a process: found or started, asked now and then. */
#include "watch/record/flights.h"
#include "live/proc/namespace.h"

#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS ((int64_t)1000000000)
#define ATTACH_NS (15 * SECOND_NS) /* longest time until our thread is there, and until it has answered */
#define ANSWER_NS (2 * SECOND_NS)  /* longest time of an answer */
#define WAKE_NS (SECOND_NS / 20)   /* pause before the main thread is woken first; then twice as long each time */
#define EVERY_NS (5 * SECOND_NS)   /* between two answers where steps come from them */
#define SELDOM_NS (60 * SECOND_NS) /* where they do not */
#define HURRY_NS (2 * SECOND_NS)
#define ANSWER_MOST ((size_t)4 << 20)
enum { EMPTY_MOST = 3, TRIES = 64, AT_ONCE = 8 };

/* NCCL has a recorder of its own; gloo and others share one. */
static const char *const handlers[] = { "fr_trace_json", "dump_nccl_trace_json" };
enum { HANDLERS = sizeof handlers / sizeof *handlers };

/* ---- the begin and the end ---- */

static void shut(int *fd)
{
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

static void end(watch_process *p, const char *code, const char *message)
{
    p->layers &= ~(1u << WATCH_RECORDER);
    if (code) watch_refuse(p, code, message);
    watch_flights_close(p);
}

void watch_flights_close(watch_process *p)
{
    watch_flights *x = p->flights;
    if (!x) return;
    if (x->state == WATCH_FLIGHTS_STARTS) tfp_attach_empty(&x->attach);
    if (p->gone && *x->control_path) { /* its thread cannot remove them any more */
        unlink(x->control_path);
        unlink(x->server);
    }
    shut(&x->control);
    shut(&x->fd);
    tfp_attach_free(&x->attach);
    tfp_buf_free(&x->in);
    x->state = WATCH_FLIGHTS_OFF;
}

void watch_flights_leave(watch_recorder *r)
{
    int64_t until_ns = tfp_now_ns() + SECOND_NS;
    for (size_t i = 0; i < r->list.size; i++) watch_flights_close(r->list.at[i]);
    for (size_t i = 0; i < r->list.size; i++) {
        const watch_process *p = r->list.at[i];
        while (p->flights && *p->flights->control_path && !p->gone && tfp_now_ns() < until_ns &&
               tfp_attach_thread(p->rank.pid, &p->flights->namesakes))
            nanosleep(&(struct timespec){ 0, 5000000 }, NULL);
    }
}

/* Connects to a socket at which the process itself listens, without waiting; -1: there is none. */
static int connect_to(const char *path, int64_t pid)
{
    struct sockaddr_un to = { .sun_family = AF_UNIX };
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (strlen(path) >= sizeof to.sun_path) return -1;
    memcpy(to.sun_path, path, strlen(path) + 1);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof to) == 0 &&
        getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid == (pid_t)pid)
        return fd;
    shut(&fd);
    return -1;
}

/* Whether the job runs a server at a socket that its environment names. */
static bool has_own_server(watch_process *p)
{
    char path[108];
    watch_flights *x = p->flights;
    if (!tfp_proc_setting(p->rank.pid, "TORCH_WORKER_SERVER_SOCKET", path, sizeof path)) return false;
    int n = snprintf(x->server, sizeof x->server, "/proc/%lld/root%s", (long long)p->rank.pid, path);
    int fd = *path == '/' && n > 0 && (size_t)n < sizeof x->server ? connect_to(x->server, p->rank.pid) : -1;
    if (fd < 0) return false;
    close(fd);
    return true;
}

static void ready(watch_process *p)
{
    p->flights->state = WATCH_FLIGHTS_READY;
    p->flights->next_ns = 0;
}

static bool attach(watch_recorder *r, watch_process *p, tfp_method *refusal)
{
    watch_flights *x = p->flights;
    char theirs[TFP_RUN_PATH_MAX], ours[TFP_RUN_PATH_MAX];
    tfp_proc_stat own;
    tfp_buf text = { 0 };
    if (!tfp_attach_find(p->rank.pid, p->times.start_ticks, &x->attach, refusal)) return false;
    if (!tfp_attach_lock(&x->attach)) {
        tfp_method_refuse(refusal, "busy", "another tfprof is attached to it");
        return false;
    }
    tfp_attach_folders(&x->attach, r->settings->run_folder, theirs, ours);
    snprintf(x->control_path, sizeof x->control_path, "%.79s/%lld.watch", ours, (long long)x->attach.inner_pid);
    snprintf(x->server, sizeof x->server, "%.79s/%lld.flights", ours, (long long)x->attach.inner_pid);
    bool told = tfp_same_namespace(p->rank.pid, "pid") && tfp_proc_stat_read(getpid(), &own);
    tfp_attach_settings w = { .folder = theirs,
                              .watch_pid = told ? own.pid : 0,
                              .watch_ticks = told ? own.start_ticks : 0,
                              .until_unix_seconds = (tfp_unix_micros() * 1000 + ATTACH_NS) / SECOND_NS + 1,
                              .flights = true,
                              .ranked = p->rank.rank != TFP_ABSENT };
    tfp_attach_text(&w, &text);
    tfp_attach_namesakes(p->rank.pid, &x->namesakes);
    if (text.failed) tfp_method_refuse(refusal, "low-memory", "tfprof has no memory for the attach");
    bool queued = !text.failed && tfp_attach_queue(&x->attach, (tfp_str){ text.data, text.size }, refusal);
    tfp_buf_free(&text);
    x->state = WATCH_FLIGHTS_STARTS;
    x->until_ns = tfp_now_ns() + ATTACH_NS;
    x->wake_pause_ns = WAKE_NS;
    x->wake_ns = tfp_now_ns() + WAKE_NS;
    return queued;
}

bool watch_flights_open(watch_recorder *r, watch_process *p, unsigned frameworks)
{
    tfp_proc_stat stat;
    tfp_proc_status status;
    tfp_method method = { .code = NULL };
    if (!p->flights && !(p->flights = calloc(1, sizeof *p->flights))) return false;
    watch_flights *x = p->flights;
    *x = (watch_flights){ .attach = { .memory = -1, .inside = -1 }, .control = -1, .fd = -1, .record = -1 };
    bool known = tfp_proc_status_read(p->rank.pid, &status);
    if (!tfp_proc_stat_read(p->rank.pid, &stat)) return true;
    tfp_method_of("", &stat, known ? &status : NULL, frameworks, &method);
    if (strcmp(method.code, "attach") != 0 && strcmp(method.code, "agent") != 0) {
        end(p, method.code, method.message);
    } else if (!(frameworks & TFP_FRAMEWORK_TORCH)) {
        end(p, "no-recorder", "it is no job of PyTorch, which alone has a flight recorder");
    } else if (has_own_server(p)) {
        ready(p);
    } else if (!attach(r, p, &method)) {
        *x->control_path = '\0';
        end(p, method.code, method.message);
    }
    return true;
}

/* ---- our thread ---- */

static void look_for_thread(watch_process *p, int64_t now_ns)
{
    watch_flights *x = p->flights;
    x->control = connect_to(x->control_path, p->rank.pid);
    if (x->control >= 0) {
        int64_t thread = tfp_attach_thread(p->rank.pid, &x->namesakes);
        x->state = WATCH_FLIGHTS_ANSWERS;
        x->until_ns = now_ns + ATTACH_NS;
        if (thread) tfp_attach_unmap(&x->attach, thread);
        shut(&x->attach.memory); /* and its lock: others may attach from now on */
    } else if (now_ns >= x->until_ns) {
        end(p, "timeout", "its main thread ran no Python code in time");
    } else if (now_ns >= x->wake_ns) {
        x->wake_pause_ns *= 2;
        x->wake_ns = now_ns + x->wake_pause_ns;
        tfp_attach_wake(&x->attach);
    }
}

/* Takes the line in which our thread says that the server runs, or why not: CODE MESSAGE. */
static void take_line(watch_process *p, int64_t now_ns)
{
    watch_flights *x = p->flights;
    size_t size = strlen(x->line), room = sizeof x->line - 1 - size;
    ssize_t n = recv(x->control, x->line + size, room, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
        if (now_ns >= x->until_ns) end(p, "timeout", "torch's server did not start in time");
        return;
    }
    char *feed = strchr(x->line, '\n'), *blank;
    if (!feed && n > 0 && size + (size_t)n < sizeof x->line - 1) return;
    if (!feed) {
        end(p, "protocol", "the thread in it did not say whether torch's server started");
    } else if (strncmp(x->line, "ok\n", 3) == 0) {
        ready(p);
    } else {
        *feed = '\0';
        blank = strchr(x->line, ' ');
        if (blank) *blank = '\0';
        bool plain = strspn(x->line, "abcdefghijklmnopqrstuvwxyz-") == strlen(x->line) && strlen(x->line) < 20;
        end(p, plain ? x->line : "protocol", blank ? blank + 1 : "");
    }
}

/* ---- the server ---- */

static size_t asked_now(const watch_recorder *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->list.size; i++) n += r->list.at[i]->flights && r->list.at[i]->flights->fd >= 0;
    return n;
}

static void ask(watch_process *p, int64_t now_ns)
{
    watch_flights *x = p->flights;
    char request[200], byte;
    if (x->control >= 0 && recv(x->control, &byte, 1, MSG_PEEK) == 0) {
        end(p, "gone", "the thread in it that ran torch's server has ended");
        return;
    }
    x->fd = connect_to(x->server, p->rank.pid);
    int n = snprintf(request, sizeof request,
                     "POST /handler/%s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
                     handlers[x->handler]);
    if (x->fd >= 0 && send(x->fd, request, (size_t)n, MSG_NOSIGNAL) != n) shut(&x->fd);
    x->until_ns = now_ns + ANSWER_NS;
    x->next_ns = now_ns + EVERY_NS;
    x->asked_ns = now_ns;
    if (x->fd < 0) watch_refuse(p, "unreachable", "torch's server does not take connections");
}

typedef struct taking {
    watch_recorder *r;
    watch_process *p;
} taking;

static bool take_flight(void *ctx, const watch_flight *f)
{
    taking *t = ctx;
    watch_flights *x = t->p->flights;
    if (f->record <= x->record) return true;
    x->record = f->record;
    tfp_probe_hit hit = { .pid = t->p->rank.pid,
                          .tid = t->p->rank.pid,
                          .at_ns = f->created_ns - t->r->unix_offset_ns,
                          .function = (uint32_t)(f->what ^ f->what >> 32),
                          .role = TFP_PROBE_COLLECTIVE };
    /* what is older than the watch, or not in order, marks no step */
    bool counts = watch_flights_count(t->p) && hit.at_ns >= t->p->times.began_ns && hit.at_ns >= t->p->marks.last_ns;
    if (counts && hit.at_ns <= tfp_now_ns()) watch_take_hit(t->r, &hit);
    return true;
}

static void take_answer(watch_recorder *r, watch_process *p, int64_t now_ns)
{
    watch_flights *x = p->flights;
    taking t = { r, p };
    const char *why;
    tfp_str body = watch_flights_body((tfp_str){ x->in.data ? x->in.data : "", x->in.size }, &why);
    size_t count = body.data ? watch_flights_read(body, take_flight, &t, &why) : 0;
    if (count) {
        x->empty = 0;
        x->answered_ns = x->asked_ns;
        p->layers |= 1u << WATCH_RECORDER;
        x->next_ns = now_ns + (p->layers >> WATCH_PROBES & 1 ? SELDOM_NS : EVERY_NS);
        return;
    }
    if (x->record >= 0) return; /* it had some */
    x->handler = (x->handler + 1) % HANDLERS;
    x->next_ns = x->handler ? now_ns : now_ns + HURRY_NS;
    if (++x->empty < EMPTY_MOST * HANDLERS) return;
    watch_refuse(p, "no-recorder", why ? why : "it has recorded no collective: none was made, or it is switched off");
}

static bool receive(watch_recorder *r, watch_process *p, int64_t now_ns)
{
    static _Thread_local char room[1 << 16];
    watch_flights *x = p->flights;
    ssize_t n = 1;
    for (int i = 0; i < TRIES && n > 0 && x->in.size <= ANSWER_MOST; i++)
        if ((n = recv(x->fd, room, sizeof room, 0)) > 0) tfp_buf_add(&x->in, room, (size_t)n);
    bool more = n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
    bool failed = x->in.failed;
    if (more && x->in.size <= ANSWER_MOST && now_ns < x->until_ns && !failed) return true;
    shut(&x->fd);
    if (x->in.size > ANSWER_MOST)
        watch_refuse(p, "too-big", "the answer of torch's server has more than 4 MB");
    else if (more)
        watch_refuse(p, "timeout", "torch's server did not answer within 2 s");
    else
        take_answer(r, p, now_ns);
    tfp_buf_free(&x->in);
    x->in = (tfp_buf){ 0 };
    return !failed;
}

bool watch_flights_count(const watch_process *p)
{
    return p->flights && p->layers >> WATCH_RECORDER & 1 && !(p->layers >> WATCH_PROBES & 1);
}

int64_t watch_flights_until(const watch_process *p, int64_t read_ns)
{
    const watch_flights *x = p->flights;
    bool fresh = watch_flights_count(p) && x->answered_ns && read_ns - x->answered_ns < 3 * EVERY_NS;
    if (!fresh) return read_ns;
    /* the end of the open step is known only by the begin of the next one */
    int64_t known_ns = p->marks.open.start_ns ? p->marks.open.start_ns : x->answered_ns;
    return known_ns < read_ns ? known_ns : read_ns;
}

bool watch_flights_step(watch_recorder *r, watch_process *p)
{
    watch_flights *x = p->flights;
    int64_t now_ns = tfp_now_ns();
    if (!x || p->gone) return true;
    switch (x->state) {
    case WATCH_FLIGHTS_OFF: break;
    case WATCH_FLIGHTS_STARTS: look_for_thread(p, now_ns); break;
    case WATCH_FLIGHTS_ANSWERS: take_line(p, now_ns); break;
    case WATCH_FLIGHTS_READY:
        if (x->fd >= 0) return receive(r, p, now_ns);
        if (now_ns >= x->next_ns && asked_now(r) < AT_ONCE) ask(p, now_ns);
        break;
    }
    return true;
}
