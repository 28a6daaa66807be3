// SPDX-License-Identifier: Apache-2.0
/* server/agent_http.c: a small HTTP server for one path, /metrics: one request a connection, no body, strict heads (gate_check.c), a
 * time limit for each, and no thread. */
#include "agent.h"
#include "http.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#define ASKING_MOST_MS 5000
#define TAKING_MOST_MS 10000

typedef struct fetcher {
    int fd; /* -1: free */
    int64_t since_ms;
    size_t have; /* of the head */
    char head[GATE_HEAD + 1];
    answer out; /* once it is asked for */
    int stream; /* what follows `out`, until its end; -1 */
    size_t sent;
    bool answering, lingers; /* lingers: all is sent, its end is waited for */
} fetcher;

struct fetchers {
    int listener;
    fetch_rules rules;
    fetcher all[FETCHERS_MOST];
};

fetchers *fetchers_new(int listener, const fetch_rules *r)
{
    fetchers *f = calloc(1, sizeof *f);
    if (!f) return NULL;
    f->listener = listener;
    f->rules = *r;
    for (size_t i = 0; i < FETCHERS_MOST; i++) f->all[i] = (fetcher){ .fd = -1, .stream = -1 };
    return f;
}

static void drop(fetcher *x)
{
    if (x->fd >= 0) close(x->fd);
    if (x->stream >= 0) close(x->stream);
    answer_free(&x->out);
    *x = (fetcher){ .fd = -1, .stream = -1 };
}

void fetchers_free(fetchers *f)
{
    for (size_t i = 0; f && i < FETCHERS_MOST; i++) drop(&f->all[i]);
    if (f) close(f->listener);
    free(f);
}

/* ---- a request ---- */

/* Names of this machine, and the address that it listens at: a page of another name that leads here is no reader of ours. */
static bool host_fits(const fetch_rules *r, const char *head)
{
    const char *names[] = { "localhost", "127.0.0.1", "[::1]", r->host };
    char wanted[128];
    size_t size;
    const char *host = http_header_value(head, "Host", &size);
    for (size_t i = 0; host && i < sizeof names / sizeof *names; i++) {
        snprintf(wanted, sizeof wanted, "%s:%d", names[i], r->port);
        if (strlen(wanted) == size && strncasecmp(host, wanted, size) == 0) return true;
    }
    return false;
}

static bool token_fits(const fetch_rules *r, const char *head)
{
    size_t size;
    if (!r->token) return true;
    const char *given = http_header_value(head, "Authorization", &size);
    return given && size > 7 && strncasecmp(given, "Bearer ", 7) == 0 && gate_same_token(given + 7, size - 7, r->token);
}

/* The body, and its status. */
static int fill(const fetch_rules *r, const char *head, size_t size, answer *body, int *stream, const char **why)
{
    int status = gate_check(head, size, r->ask != NULL, why);
    const char *path = strchr(head, ' ');
    if (status) return status;
    if (r->ask) { /* under whatever name, but never without the token */
        *why = "the header 'Authorization: Bearer TOKEN' is needed";
        return r->token && token_fits(r, head) ? r->ask(r->ctx, head, body, stream, why) : 403;
    }
    *why = "the Host header must name this machine, with the port";
    if (!host_fits(r, head)) return 421;
    *why = "the header 'Authorization: Bearer TOKEN' is needed";
    if (!token_fits(r, head)) return 403;
    *why = "there is only /metrics";
    if (strncmp(path, " /metrics ", 10) != 0) return 404;
    r->fill(r->ctx, body);
    *why = body->error ? body->error : "no memory for it";
    return body->error || answer_failed(body) ? 503 : 200;
}

static void answer_request(fetchers *f, fetcher *x)
{
    char head[400], length[64] = "";
    const char *why = "";
    answer body = { .status = ANSWER_OK };
    int status = fill(&f->rules, x->head, x->have, &body, &x->stream, &why);
    bool ok = status == 200, no_body = strncmp(x->head, "HEAD ", 5) == 0;
    size_t size = ok ? body.size : strlen(why) + 1;
    if (x->stream < 0) snprintf(length, sizeof length, "Content-Length: %zu\r\n", size);
    snprintf(head, sizeof head,
             "HTTP/1.1 %d %s\r\nContent-Type: text/plain; %scharset=utf-8\r\n%s"
             "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n%sConnection: close\r\n\r\n",
             status, ok ? "OK" : http_reason(status), ok && f->rules.fill ? "version=0.0.4; " : "", length,
             status == 405 ? "Allow: GET, HEAD\r\n" : "");
    answer_text(&x->out, head);
    if (!no_body && ok) answer_add(&x->out, body.data, body.size);
    if (!no_body && !ok) {
        answer_text(&x->out, why);
        answer_text(&x->out, "\n");
    }
    answer_free(&body);
    x->answering = true;
    x->since_ms = agent_now_ms();
}

static void read_request(fetchers *f, fetcher *x)
{
    ssize_t n = recv(x->fd, x->head + x->have, GATE_HEAD - x->have, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0) {
        drop(x);
        return;
    }
    x->have += (size_t)n;
    x->head[x->have] = '\0';
    const char *end = memmem(x->head, x->have, "\r\n\r\n", 4);
    if (end) {
        x->have = (size_t)(end - x->head) + 4;
        x->head[x->have] = '\0';
    }
    if (end || x->have == GATE_HEAD) answer_request(f, x);
}

static void send_answer(fetcher *x)
{
    ssize_t n = send(x->fd, x->out.data + x->sent, x->out.size - x->sent, MSG_NOSIGNAL);
    if (answer_failed(&x->out) || (n < 0 && errno != EAGAIN && errno != EINTR)) {
        drop(x);
        return;
    }
    if (n > 0) x->sent += (size_t)n;
    if (n > 0) x->since_ms = x->stream >= 0 ? agent_now_ms() : x->since_ms; /* a stream takes as long as it moves */
    if (x->sent < x->out.size) return;
    x->out.size = x->sent = 0;
    if (x->stream >= 0) return;
    shutdown(x->fd, SHUT_WR); /* a close with bytes unread would take back what was sent */
    x->lingers = true;
}

/* The next bytes of the stream; its end is the answer's. */
static void read_stream(fetcher *x)
{
    char bytes[1 << 16];
    ssize_t n = read(x->stream, bytes, sizeof bytes);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n > 0) {
        answer_add(&x->out, bytes, (size_t)n);
        x->since_ms = agent_now_ms();
        return;
    }
    close(x->stream);
    x->stream = -1;
    shutdown(x->fd, SHUT_WR);
    x->lingers = true;
    x->since_ms = agent_now_ms();
}

static bool waits_for_stream(const fetcher *x) { return x->stream >= 0 && x->answering && x->sent == x->out.size; }

static void drain(fetcher *x)
{
    char bytes[4096];
    ssize_t n = recv(x->fd, bytes, sizeof bytes, 0);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) drop(x);
}

/* ---- all of them ---- */

static void accept_one(fetchers *f)
{
    for (size_t i = 0; i < FETCHERS_MOST; i++) {
        fetcher *x = &f->all[i];
        if (x->fd >= 0) continue;
        int fd = accept4(f->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0) {
            x->fd = fd;
            x->since_ms = agent_now_ms();
        }
        return;
    }
}

static void cut_slow(fetchers *f)
{
    int64_t now = agent_now_ms();
    for (size_t i = 0; i < FETCHERS_MOST; i++) {
        fetcher *x = &f->all[i];
        if (x->fd >= 0 && !waits_for_stream(x) && now - x->since_ms > (x->answering ? TAKING_MOST_MS : ASKING_MOST_MS))
            drop(x);
    }
}

/* A connection of which the poll said something; `came`: its stream has bytes, or ends. */
static void attend(fetchers *f, fetcher *x, short events, bool came)
{
    if (waits_for_stream(x)) {
        if (events)
            drop(x); /* nobody reads any more */
        else if (came)
            read_stream(x);
    } else if (!events) {
        return;
    } else if (x->lingers) {
        drain(x);
    } else if (x->answering) {
        send_answer(x);
    } else {
        read_request(f, x);
    }
}

void fetchers_wait(fetchers *f, int ms)
{
    enum { STREAMS = FETCHERS_MOST + 1, ALL = STREAMS + FETCHERS_MOST };
    struct pollfd p[ALL];
    bool room = false;
    for (size_t i = 0; i < FETCHERS_MOST; i++) {
        const fetcher *x = &f->all[i];
        bool waits = waits_for_stream(x);
        room |= x->fd < 0;
        p[i] = (struct pollfd){ x->fd, x->answering && !x->lingers ? POLLOUT : POLLIN, 0 };
        if (waits) p[i].events = POLLRDHUP;
        p[STREAMS + i] = (struct pollfd){ waits ? x->stream : -1, POLLIN, 0 };
    }
    p[FETCHERS_MOST] = (struct pollfd){ room ? f->listener : -1, POLLIN, 0 };
    int n = poll(p, ALL, ms);
    for (size_t i = 0; i < FETCHERS_MOST && n > 0; i++)
        if (f->all[i].fd >= 0) attend(f, &f->all[i], p[i].revents, p[STREAMS + i].revents != 0);
    if (n > 0 && p[FETCHERS_MOST].revents) accept_one(f);
    cut_slow(f);
}
