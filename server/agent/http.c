// SPDX-License-Identifier: Apache-2.0
/* server/agent/http.c: a small HTTP server for metrics and for tfprof on other machines: one request per connection, no body, strict
 * heads (http/gate_check.c), a time limit for each connection, and no threads. Clients without a token cannot delay those that have one:
 * a connection that has not sent its head yet is replaced by a newer one, and answers to wrong tokens are delayed more and more. */
#include "agent.h"
#include "http/clock.h"
#include "http/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#define ASKING_MOST_MS 5000
#define TAKING_MOST_MS 10000
#define WRONG_FREE 3       /* how many wrong tokens from an address are answered at once */
#define WRONG_DELAY_MS 100 /* delay between two answers to such an address from then on */
#define WRONG_ADDRESSES 256
#define WRONG_TELL_MS 10000 /* least time between two messages about an address */

typedef struct fetcher {
    int fd; /* -1: unused */
    int64_t since_ms;
    size_t have; /* bytes of the head received so far */
    char head[GATE_HEAD + 1];
    answer out; /* valid once the answer was made */
    int stream; /* a stream that follows `out` until its end; -1: none */
    size_t sent;
    int64_t hold_until_ms;   /* the answer is delayed until then */
    char peer[48];           /* the client's address */
    bool answering, lingers; /* lingers: everything was sent, and the client's end is awaited */
} fetcher;

typedef struct guesser { /* an address that sent wrong tokens */
    char peer[48];
    size_t count;
    int64_t next_ms, told_ms; /* times of the next answer and of the last message */
} guesser;

struct fetchers {
    int listener;
    fetch_rules rules;
    guesser guessers[WRONG_ADDRESSES];
    size_t guesser_count;
    size_t fresh[FETCHERS_MOST], fresh_count; /* connections accepted in this turn */
    struct pollfd polls[2 * FETCHERS_MOST + 1];
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

/* Whether a name of `size` bytes is a numeric address: another site's page can make its own name resolve to us, but it
 * cannot do so with an address. */
static bool is_address(const char *name, size_t size)
{
    char text[64];
    struct in6_addr six;
    bool bracket = size > 2 && *name == '[' && name[size - 1] == ']';
    if (bracket) name++, size -= 2;
    if (size >= sizeof text) return false;
    memcpy(text, name, size);
    text[size] = '\0';
    return inet_pton(bracket ? AF_INET6 : AF_INET, text, &six) == 1;
}

static bool is_own_name(const fetch_rules *r, const char *name, size_t size)
{
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    const char *names[] = { "localhost", r->host, host };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == size && strncasecmp(name, names[i], size) == 0) return true;
    size_t first = strcspn(host, "."), given = 0; /* the host name matches with or without its domain */
    while (given < size && name[given] != '.') given++;
    return first && first == given && strncasecmp(name, host, first) == 0 && (given == size || !host[first]);
}

/* Whether the Host header has a name or address of this machine, and the port. */
static bool host_fits(const fetch_rules *r, const char *head)
{
    char port[16];
    size_t size;
    const char *host = http_header_value(head, "Host", &size), *colon = NULL;
    for (size_t i = 0; host && i < size; i++)
        if (host[i] == ':') colon = host + i;
    /* this colon is part of an IPv6 address */
    if (colon && memchr(colon, ']', (size_t)(host + size - colon))) colon = NULL;
    size_t name = host ? colon ? (size_t)(colon - host) : size : 0;
    int n = snprintf(port, sizeof port, ":%d", r->port);
    if (!colon || size - name != (size_t)n || memcmp(colon, port, (size_t)n) != 0) return false;
    return name && (is_address(host, name) || is_own_name(r, host, name));
}

/* Whether a browser's page sent the request: pages send their origin, and none of ours makes requests here. */
static bool has_origin(const char *head) { return strcasestr(head, "\r\nOrigin:") != NULL; }

static guesser *guesser_of(fetchers *f, const char *peer)
{
    guesser *oldest = f->guessers;
    for (size_t i = 0; i < f->guesser_count; i++) {
        if (strcmp(f->guessers[i].peer, peer) == 0) return &f->guessers[i];
        if (f->guessers[i].next_ms < oldest->next_ms) oldest = &f->guessers[i];
    }
    if (f->guesser_count < WRONG_ADDRESSES) oldest = &f->guessers[f->guesser_count++];
    *oldest = (guesser){ .count = 0 };
    snprintf(oldest->peer, sizeof oldest->peer, "%s", peer);
    return oldest;
}

/* Handles a wrong token: reports it, without the token. After several of them answers are delayed one after the other,
 * whatever connections they use. */
static int note_wrong(fetchers *f, fetcher *x, const char **why)
{
    char line[200];
    int64_t now = now_ms();
    guesser *g = guesser_of(f, x->peer);
    g->count++;
    if (f->rules.warn && (g->count == 1 || g->count == WRONG_FREE + 1 || now - g->told_ms >= WRONG_TELL_MS)) {
        snprintf(line, sizeof line, "port %d: a wrong token from %s (%zu so far)%s", f->rules.port, x->peer, g->count,
                 g->count > WRONG_FREE ? ": its answers are delayed" : "");
        f->rules.warn(f->rules.warn_ctx, line);
        g->told_ms = now;
    }
    if (g->count <= WRONG_FREE) return 403;
    g->next_ms = (g->next_ms > now ? g->next_ms : now) + WRONG_DELAY_MS;
    x->hold_until_ms = g->next_ms;
    *why = "too many wrong tokens came from this address";
    return 429;
}

/* Returns 0: the token is right, or none is required. */
static int check_token(fetchers *f, fetcher *x, const char **why)
{
    const char *token = f->rules.token;
    size_t size;
    if (!token && !f->rules.ask) return 0;
    *why = "the header 'Authorization: Bearer TOKEN' is needed";
    const char *given = http_header_value(x->head, "Authorization", &size);
    if (!token || !given) return 403;
    bool right = size > 7 && strncasecmp(given, "Bearer ", 7) == 0 && gate_same_token(given + 7, size - 7, token);
    return right ? 0 : note_wrong(f, x, why);
}

static int check_names(const fetch_rules *r, const char *head, const char **why)
{
    *why = "the Host header must name this machine, with the port";
    if (!host_fits(r, head)) return 421;
    *why = "pages of other sites are refused (Origin)";
    return has_origin(head) ? 403 : 0;
}

/* Makes the body; returns its status. */
static int fill(fetchers *f, fetcher *x, answer *body, const char **why)
{
    const fetch_rules *r = &f->rules;
    int status = gate_check(x->head, x->have, r->ask != NULL, why);
    const char *path = strchr(x->head, ' ');
    if (!status && !r->ask) status = check_names(r, x->head, why);
    if (!status) status = check_token(f, x, why);
    if (!status && r->ask) status = check_names(r, x->head, why);
    if (status) return status;
    if (r->ask) return r->ask(r->ctx, x->head, body, &x->stream, why);
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
    int status = fill(f, x, &body, &why);
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
    x->since_ms = now_ms();
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
    /* a stream may last as long as data moves */
    if (n > 0) x->since_ms = x->stream >= 0 ? now_ms() : x->since_ms;
    if (x->sent < x->out.size) return;
    x->out.size = x->sent = 0;
    if (x->stream >= 0) return;
    shutdown(x->fd, SHUT_WR); /* closing with unread bytes would discard what was sent */
    x->lingers = true;
}

/* Reads the next bytes of the stream; when it ends the answer ends. */
static void read_stream(fetcher *x)
{
    char bytes[1 << 16];
    ssize_t n = read(x->stream, bytes, sizeof bytes);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n > 0) {
        answer_add(&x->out, bytes, (size_t)n);
        x->since_ms = now_ms();
        return;
    }
    close(x->stream);
    x->stream = -1;
    shutdown(x->fd, SHUT_WR);
    x->lingers = true;
    x->since_ms = now_ms();
}

static bool waits_for_stream(const fetcher *x) { return x->stream >= 0 && x->answering && x->sent == x->out.size; }

static void drain(fetcher *x)
{
    char bytes[4096];
    ssize_t n = recv(x->fd, bytes, sizeof bytes, 0);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) drop(x);
}

/* ---- all of them ---- */

/* Finds a free place, or that of the oldest connection that has not sent its head; NULL: all are being answered. */
static fetcher *find_place(fetchers *f)
{
    fetcher *longest = NULL;
    for (size_t i = 0; i < FETCHERS_MOST; i++) {
        fetcher *x = &f->all[i];
        if (x->fd < 0) return x;
        bool gives_way = !x->answering || x->lingers || x->hold_until_ms;
        if (gives_way && (!longest || x->since_ms < longest->since_ms)) longest = x;
    }
    if (longest) drop(longest);
    return longest;
}

static void accept_all(fetchers *f)
{
    struct sockaddr_storage from;
    for (int i = 0; i < FETCHERS_MOST; i++) {
        socklen_t size = sizeof from;
        int fd = accept4(f->listener, (struct sockaddr *)&from, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0) return;
        fetcher *x = find_place(f);
        if (!x) {
            close(fd);
            continue;
        }
        x->fd = fd;
        x->since_ms = now_ms();
        if (getnameinfo((struct sockaddr *)&from, size, x->peer, sizeof x->peer, NULL, 0, NI_NUMERICHOST))
            snprintf(x->peer, sizeof x->peer, "?");
        if (f->fresh_count < FETCHERS_MOST) f->fresh[f->fresh_count++] = (size_t)(x - f->all);
    }
}

static void cut_slow(fetchers *f)
{
    int64_t now = now_ms();
    for (size_t i = 0; i < FETCHERS_MOST; i++) {
        fetcher *x = &f->all[i];
        if (x->fd >= 0 && !waits_for_stream(x) && now - x->since_ms > (x->answering ? TAKING_MOST_MS : ASKING_MOST_MS))
            drop(x);
    }
}

/* Handles a connection for which poll reported events; `came`: its stream has bytes, or ended. */
static void attend(fetchers *f, fetcher *x, short events, bool came)
{
    if (waits_for_stream(x)) {
        if (events)
            drop(x); /* the client no longer reads */
        else if (came)
            read_stream(x);
    } else if (!events) {
        return;
    } else if (x->answering && now_ms() < x->hold_until_ms) {
        drop(x); /* the client did not wait for its answer */
    } else if (x->lingers) {
        drain(x);
    } else if (x->answering) {
        send_answer(x);
    } else {
        read_request(f, x);
    }
}

/* The events that a connection waits for; one with a delayed answer waits only for the time. */
static short events_of(const fetcher *x, int64_t now)
{
    if (waits_for_stream(x)) return POLLRDHUP;
    if (x->answering && !x->lingers) return now < x->hold_until_ms ? 0 : POLLOUT;
    return POLLIN;
}

static int next_hold(const fetchers *f, int64_t now, int ms)
{
    for (size_t i = 0; i < FETCHERS_MOST; i++) {
        int64_t left = f->all[i].fd >= 0 ? f->all[i].hold_until_ms - now : 0;
        if (left > 0 && left < ms) ms = (int)left;
    }
    return ms;
}

void fetchers_wait(fetchers *f, int ms)
{
    enum { STREAMS = FETCHERS_MOST + 1, ALL = STREAMS + FETCHERS_MOST };
    struct pollfd *p = f->polls;
    int64_t now = now_ms();
    for (size_t i = 0; i < FETCHERS_MOST; i++) {
        const fetcher *x = &f->all[i];
        p[i] = (struct pollfd){ x->fd, events_of(x, now), 0 };
        p[STREAMS + i] = (struct pollfd){ waits_for_stream(x) ? x->stream : -1, POLLIN, 0 };
    }
    p[FETCHERS_MOST] = (struct pollfd){ f->listener, POLLIN, 0 };
    int n = poll(p, ALL, next_hold(f, now, ms));
    for (size_t i = 0; i < FETCHERS_MOST && n > 0; i++)
        if (f->all[i].fd >= 0) attend(f, &f->all[i], p[i].revents, p[STREAMS + i].revents != 0);
    f->fresh_count = 0;
    if (n > 0 && p[FETCHERS_MOST].revents) accept_all(f);
    for (size_t i = 0; i < f->fresh_count; i++) { /* most connections have sent their head already */
        fetcher *x = &f->all[f->fresh[i]];
        if (x->fd >= 0 && !x->have && !x->answering) read_request(f, x);
    }
    cut_slow(f);
}
