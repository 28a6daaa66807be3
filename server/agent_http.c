// SPDX-License-Identifier: Apache-2.0
/* server/agent_http.c: a small HTTP server for one path, /metrics: one request a connection, no body, strict heads (gate_check.c), a
 * time limit for each, and no thread. */
#include "agent.h"
#include "gate.h"
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
    for (size_t i = 0; i < FETCHERS_MOST; i++) f->all[i].fd = -1;
    return f;
}

static void drop(fetcher *x)
{
    if (x->fd >= 0) close(x->fd);
    answer_free(&x->out);
    *x = (fetcher){ .fd = -1 };
}

void fetchers_free(fetchers *f)
{
    for (size_t i = 0; f && i < FETCHERS_MOST; i++) drop(&f->all[i]);
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
static int fill(const fetch_rules *r, const char *head, size_t size, answer *body, const char **why)
{
    int status = gate_check(head, size, false, why);
    const char *path = strchr(head, ' ');
    if (status) return status;
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
    char head[400];
    const char *why = "";
    answer body = { .status = ANSWER_OK };
    int status = fill(&f->rules, x->head, x->have, &body, &why);
    bool ok = status == 200, no_body = strncmp(x->head, "HEAD ", 5) == 0;
    size_t size = ok ? body.size : strlen(why) + 1;
    snprintf(head, sizeof head,
             "HTTP/1.1 %d %s\r\nContent-Type: text/plain; %scharset=utf-8\r\nContent-Length: %zu\r\n"
             "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n%sConnection: close\r\n\r\n",
             status, ok ? "OK" : http_reason(status), ok ? "version=0.0.4; " : "", size,
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
    if (x->sent < x->out.size) return;
    shutdown(x->fd, SHUT_WR); /* a close with bytes unread would take back what was sent */
    x->lingers = true;
}

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
        if (x->fd >= 0 && now - x->since_ms > (x->answering ? TAKING_MOST_MS : ASKING_MOST_MS)) drop(x);
    }
}

void fetchers_wait(fetchers *f, int ms)
{
    struct pollfd p[FETCHERS_MOST + 1];
    bool room = false;
    for (size_t i = 0; i < FETCHERS_MOST; i++) {
        const fetcher *x = &f->all[i];
        room |= x->fd < 0;
        p[i] = (struct pollfd){ x->fd, x->answering && !x->lingers ? POLLOUT : POLLIN, 0 };
    }
    p[FETCHERS_MOST] = (struct pollfd){ room ? f->listener : -1, POLLIN, 0 };
    int n = poll(p, FETCHERS_MOST + 1, ms);
    for (size_t i = 0; i < FETCHERS_MOST && n > 0; i++) {
        fetcher *x = &f->all[i];
        if (x->fd < 0 || !p[i].revents) continue;
        if (x->lingers)
            drain(x);
        else if (x->answering)
            send_answer(x);
        else
            read_request(f, x);
    }
    if (n > 0 && p[FETCHERS_MOST].revents) accept_one(f);
    cut_slow(f);
}
