// SPDX-License-Identifier: Apache-2.0
/* server/server.c: starts the server (address, token, threads), and stops it on a signal. */
#include "http/address.h"
#include "server_parts.h"

#include "http/confine.h"
#include "http/rights.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PORT 7007 /* the same port as TensorFlow's profiler-ui */
#define THREADS 4
#define CONNECTIONS 2400
#define DESCRIPTORS 4096
#define MEMORY_OF_CONNECTION ((size_t)56 << 10) /* every request that the gate passes on must fit */

enum { DONE = 0, BAD_INPUT = 1, BAD_USAGE = 2, LIMIT = 4 };

static volatile sig_atomic_t stopped;

/* A view that takes long must not delay the end. */
static void on_stop(int signal)
{
    (void)signal;
    if (stopped) _exit(0);
    stopped = 1;
    alarm(2);
}

static void on_alarm(int signal)
{
    (void)signal;
    _exit(0);
}

static void catch_signals(void)
{
    struct sigaction stop = { .sa_handler = on_stop }, late = { .sa_handler = on_alarm },
                     ignored = { .sa_handler = SIG_IGN };
    stopped = 0;
    sigaction(SIGTERM, &stop, NULL);
    sigaction(SIGINT, &stop, NULL);
    sigaction(SIGHUP, &stop, NULL);
    sigaction(SIGALRM, &late, NULL);
    sigaction(SIGPIPE, &ignored, NULL);
}

/* Whether other machines can reach the address. */
static bool leaves_machine(const serve_options *o)
{
    address a;
    socklen_t size;
    bool loopback;
    return address_of(o->host, 0, &a, &size, &loopback) && !loopback;
}

static int listen_at(const serve_options *o, server *s, char *why, size_t room)
{
    address a;
    socklen_t size;
    bool loopback;
    int wanted = o->port < 0 ? PORT : o->port;
    if (!address_of(o->host, wanted, &a, &size, &loopback)) {
        snprintf(why, room, "--host '%s': not an address such as 127.0.0.1 or ::1", o->host);
        return -1;
    }
    if (s->live && o->no_token) {
        snprintf(why, room, "--live needs the token: others of this machine could record its jobs");
        return -1;
    }
    if (!loopback && o->no_token) {
        snprintf(why, room, "--no-token works on loopback addresses only: others could read the profiles");
        return -1;
    }
    int fd = address_listen(&a, size);
    if (fd < 0) {
        snprintf(why, room,
                 errno == EADDRINUSE ? "port %d is in use; --port takes another one, 0 any that is free"
                                     : "port %d: cannot listen (%s)",
                 wanted, strerror(errno));
        return -1;
    }
    const char *host = !o->host || strcmp(o->host, "localhost") == 0 ? "127.0.0.1" : o->host;
    s->port = address_port(&a);
    snprintf(s->host_name, sizeof s->host_name, strchr(host, ':') ? "[%s]" : "%s", host);
    if (!loopback && o->say)
        o->say(
            o->ctx,
            "listening on an address that other machines may reach: anybody with the page's full URL sees all profiles "
            "given here, and it is not encrypted");
    if (!loopback && s->live && o->say) o->say(o->ctx, "it also sees the jobs of this machine, and can record them");
    return fd;
}

enum { TOKEN_ROOM = 33 };

static bool make_token(char out[TOKEN_ROOM])
{
    unsigned char bytes[(TOKEN_ROOM - 1) / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) return false;
    for (size_t i = 0; i < sizeof bytes; i++) snprintf(out + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

static void raise_limits(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) || files.rlim_cur >= DESCRIPTORS) return;
    files.rlim_cur = files.rlim_max < DESCRIPTORS ? files.rlim_max : DESCRIPTORS;
    setrlimit(RLIMIT_NOFILE, &files);
}

static bool start_answering(server *s, int fd)
{
    struct rlimit files;
    unsigned most = CONNECTIONS;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < CONNECTIONS + 200)
        most = files.rlim_cur > 400 ? (unsigned)files.rlim_cur - 200 : 200;
    s->daemon = s->mhd.MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL,
        http_request, s, MHD_OPTION_THREAD_POOL_SIZE, (unsigned)THREADS, MHD_OPTION_CONNECTION_LIMIT, most,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, MEMORY_OF_CONNECTION, MHD_OPTION_CONNECTION_TIMEOUT, 30u,
        MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_NOTIFY_CONNECTION, connections_notify, s,
        MHD_OPTION_NOTIFY_COMPLETED, connections_completed, s, MHD_OPTION_END);
    if (!s->daemon) return false;
    s->jobs.work = http_work;
    s->jobs.wake = http_wake;
    s->jobs.version = http_version;
    s->jobs.ctx = s;
    s->working = jobs_start(&s->jobs);
    s->gate = s->working ? gate_start(fd, s->live != NULL, http_let_in, s) : NULL;
    return s->gate != NULL;
}

static void show_in_browser(const char *url)
{
    if (fork() != 0) return;
    int nothing = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3 && nothing >= 0; fd++) dup2(nothing, fd);
    setsid();
    execlp("xdg-open", "xdg-open", url, (char *)NULL);
    _exit(1);
}

static void tell(const serve_options *o, const server *s)
{
    char line[320];
    snprintf(line, sizeof line, "http://%s:%d/%s%s", s->host_name, s->port, *s->token ? "?token=" : "", s->token);
    if (o->open) show_in_browser(line);
    if (o->say) o->say(o->ctx, line);
}

static void on_change(void *ctx)
{
    server *s = ctx;
    jobs_look(&s->jobs);
}

static void answer_until_stopped(server *s)
{
    struct timespec nap = { 0, 250000000 };
    while (!stopped) {
        nanosleep(&nap, NULL);
        connections_cut(s, false);
        catalog_look(s->catalog);
        jobs_look(&s->jobs);
        waitpid(-1, NULL, WNOHANG);
    }
}

/* Loads SQLite while opening files is still allowed; without it there are no queries. */
static void load_libraries(void)
{
    tfp_profile *p = tfp_profile_new();
    const tfp_profile *one = p;
    tfp_report *r = NULL;
    if (p && tfp_profile_finish(p, NULL) == TFP_OK && tfp_query(&one, NULL, 1, "SELECT 1", NULL, &r, NULL) == TFP_OK)
        tfp_report_free(r);
    tfp_profile_free(p);
}

static bool give_up_rights(const server *s)
{
    size_t count = catalog_folders(s->catalog, NULL, 0);
    int *folders = calloc(count + 1, sizeof *folders);
    if (!folders) return false;
    catalog_folders(s->catalog, folders, count);
    load_libraries();
    rights_of_server();
    confine(folders, count);
    free(folders);
    return chdir("/") == 0;
}

static void stop(server *s, int fd)
{
    gate_stop(s->gate);
    if (s->live) live_wake(s->live);
    if (!s->gate && fd >= 0) close(fd);
    catalog_stop(s->catalog);
    if (s->working) jobs_stop(&s->jobs);
    if (s->daemon) {
        connections_cut(s, true);
        s->mhd.MHD_stop_daemon(s->daemon);
    }
    if (s->live) live_stop(s->live);
    catalog_free(s->catalog);
    mhd_unload(&s->mhd);
    pthread_mutex_destroy(&s->lock);
}

static int start(server *s, const serve_options *o, int *fd, char *why, size_t room)
{
    if (!mhd_load(&s->mhd, why, room)) return BAD_INPUT;
    char page_token[TOKEN_ROOM];
    if (!make_token(page_token) || (!o->no_token && !make_token(s->token))) {
        snprintf(why, room, "no random numbers for a token");
        return BAD_INPUT;
    }
    /* started first, so that its processes inherit nothing of the server */
    if (o->live_folder && !(s->live = live_start(o, page_token, why, room))) return BAD_INPUT;
    s->catalog = catalog_new(o, why, room);
    if (!s->catalog) return catalog_status(why);
    *fd = listen_at(o, s, why, room);
    if (*fd < 0) return BAD_USAGE;
    tell(o, s);
    /* before threads are started, because only later threads inherit the restriction */
    if (give_up_rights(s) && catalog_start(s->catalog, on_change, s) && start_answering(s, *fd)) return DONE;
    snprintf(why, room, "serve cannot start: no memory or no threads");
    return LIMIT;
}

int serve(const serve_options *o, char *why, size_t room)
{
    server s = { 0 };
    int fd = -1;
    serve_options own = *o;
    own.hide_commands = leaves_machine(o) && !o->commands;
    *why = 0;
    pthread_mutex_init(&s.lock, NULL);
    catch_signals();
    raise_limits();
    int status = start(&s, &own, &fd, why, room);
    if (!status) answer_until_stopped(&s);
    stop(&s, fd);
    return status;
}
