// SPDX-License-Identifier: Apache-2.0
/* server/http/gate.c: one thread holds all connections whose request is not complete yet. It only peeks at the bytes, so that
 * libmicrohttpd can read the request from its start. Slow connections and malformed requests are answered and closed here. */
#include "gate.h"
#include "http.h"
#include "http/clock.h"

#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define ASKING_MOST_MS 8000
#define LINGER_MS 1500
#define PENDING_MOST 3000
/* a request that arrives in more pieces is refused, because peeking at all of them costs too much */
#define PEEKS_MOST 300
#define DRAIN_MOST ((size_t)1 << 20)

typedef struct pending { /* a connection whose request is not complete, or that was refused */
    struct pending *next, *previous;
    int socket;
    unsigned peeks, address_size;
    bool leaving; /* refused: the rest of its bytes is discarded, so that the client can read the refusal */
    size_t drained;
    int64_t since_ms;
    struct sockaddr_storage address;
} pending;

struct gate {
    int listener, epoll, wake;
    pthread_t thread;
    _Atomic bool stop;
    pending *first, *last; /* in the order in which they were accepted, or refused */
    size_t count;
    bool full; /* no descriptors are left: the listener is not polled */
    bool posts;
    char head[GATE_HEAD + 1];
    void (*let_in)(void *ctx, int socket, const struct sockaddr *from, unsigned size);
    void *ctx;
};

static void link_last(gate *g, pending *x)
{
    x->next = NULL;
    x->previous = g->last;
    *(g->last ? &g->last->next : &g->first) = x;
    g->last = x;
}

static void unlink_pending(gate *g, pending *x)
{
    *(x->next ? &x->next->previous : &g->last) = x->previous;
    *(x->previous ? &x->previous->next : &g->first) = x->next;
}

/* Removes it. `shut`: closes the socket; otherwise libmicrohttpd owns it from here on. */
static void drop_pending(gate *g, pending *x, bool shut)
{
    unlink_pending(g, x);
    g->count--;
    if (shut)
        close(x->socket);
    else
        epoll_ctl(g->epoll, EPOLL_CTL_DEL, x->socket, NULL);
    free(x);
}

static void send_refusal(int socket, int status, const char *why, bool body)
{
    char text[2048], data[256];
    int size = snprintf(data, sizeof data, "{\"error\":\"%s\"}", why), at = 0;
    at = snprintf(text, sizeof text, "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n",
                  status, http_reason(status), size);
    for (const http_header *h = http_always; h->name; h++)
        at += snprintf(text + at, sizeof text - (size_t)at, "%s: %s\r\n", h->name, h->value);
    at += snprintf(text + at, sizeof text - (size_t)at,
                   "%sCache-Control: private, no-cache\r\nConnection: close\r\n\r\n%s",
                   status == 405   ? "Allow: GET, HEAD\r\n"
                   : status == 503 ? "Retry-After: 1\r\n"
                                   : "",
                   body ? data : "");
    if (send(socket, text, (size_t)at, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) return;
}

static void drain(gate *g, pending *x)
{
    for (;;) {
        ssize_t n = recv(x->socket, g->head, sizeof g->head, MSG_DONTWAIT);
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) && x->drained < DRAIN_MOST) return;
        x->drained += n > 0 ? (size_t)n : 0;
        if (n > 0 && x->drained < DRAIN_MOST) continue;
        drop_pending(g, x, true);
        return;
    }
}

static void refuse_pending(gate *g, pending *x, int status, const char *why)
{
    send_refusal(x->socket, status, why, strncmp(g->head, "HEAD ", 5) != 0);
    shutdown(x->socket, SHUT_WR);
    x->leaving = true;
    x->since_ms = now_ms();
    unlink_pending(g, x);
    link_last(g, x);
    drain(g, x);
}

/* The size of the head including the empty line; 0: it is not complete. */
static size_t head_size(const char *text, size_t size)
{
    const char *end = memmem(text, size, "\r\n\r\n", 4);
    const char *bare = memmem(text, size, "\n\n", 2);
    if (bare && (!end || bare < end)) return (size_t)(bare - text) + 2;
    return end ? (size_t)(end - text) + 4 : 0;
}

/* Whether no request can begin like this, whatever follows. */
static bool is_garbage(const char *text) { return !isalpha((unsigned char)*text); }

/* `ended`: nothing more will come. */
static void read_head(gate *g, pending *x, bool ended)
{
    const char *why;
    ssize_t n = recv(x->socket, g->head, sizeof g->head, MSG_PEEK | MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return;
    if (n <= 0) {
        drop_pending(g, x, true);
        return;
    }
    size_t size = head_size(g->head, (size_t)n);
    const char *line = memchr(g->head, '\n', (size_t)n);
    if (size) {
        int status = gate_check(g->head, size, g->posts, &why);
        if (status) {
            refuse_pending(g, x, status, why);
            return;
        }
        int socket = x->socket;
        struct sockaddr_storage from = x->address;
        unsigned from_size = x->address_size;
        drop_pending(g, x, false);
        g->let_in(g->ctx, socket, (const struct sockaddr *)&from, from_size);
    } else if (is_garbage(g->head)) {
        refuse_pending(g, x, 400, "not an HTTP request");
    } else if (!line && n > GATE_LINE) {
        refuse_pending(g, x, 414, "the request line is too long");
    } else if (n > GATE_HEAD) {
        refuse_pending(g, x, 431, "the headers are too long");
    } else if (ended) {
        refuse_pending(g, x, 400, "the request is not complete");
    } else if (++x->peeks > PEEKS_MOST) {
        refuse_pending(g, x, 400, "the request comes in too many pieces");
    }
}

static bool add_pending(gate *g, int socket, const struct sockaddr_storage *from, unsigned size)
{
    pending *x = g->count < PENDING_MOST ? calloc(1, sizeof *x) : NULL;
    if (!x) return false;
    *x = (pending){ .socket = socket, .address = *from, .address_size = size, .since_ms = now_ms() };
    struct epoll_event e = { .events = EPOLLIN | EPOLLRDHUP | EPOLLET, .data.ptr = x };
    if (epoll_ctl(g->epoll, EPOLL_CTL_ADD, socket, &e)) {
        free(x);
        return false;
    }
    link_last(g, x);
    g->count++;
    return true;
}

static void poll_listener(gate *g, bool on)
{
    struct epoll_event e = { .events = on ? EPOLLIN : 0, .data.ptr = g };
    epoll_ctl(g->epoll, EPOLL_CTL_MOD, g->listener, &e);
    g->full = !on;
}

static void accept_new(gate *g)
{
    for (int i = 0; i < 64; i++) {
        struct sockaddr_storage from;
        socklen_t size = sizeof from;
        int socket = accept4(g->listener, (struct sockaddr *)&from, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (socket < 0 && (errno == EMFILE || errno == ENFILE)) poll_listener(g, false);
        if (socket < 0) return;
        if (add_pending(g, socket, &from, size)) continue;
        send_refusal(socket, 503, "too many connections: ask again", true);
        close(socket);
    }
}

static void cut_slow(gate *g)
{
    int64_t now = now_ms();
    for (pending *x = g->first, *next; x; x = next) {
        next = x->next;
        if (now - x->since_ms < (x->leaving ? LINGER_MS : ASKING_MOST_MS)) continue;
        bool said = x->peeks > 0;
        g->head[0] = '\0';
        if (!x->leaving && said)
            refuse_pending(g, x, 408, "the request did not come in time");
        else
            drop_pending(g, x, true);
    }
    if (g->full) poll_listener(g, true);
}

static void *watch(void *ctx)
{
    gate *g = ctx;
    struct epoll_event events[128];
    int64_t cut_ms = now_ms();
    while (!atomic_load(&g->stop)) {
        int n = epoll_wait(g->epoll, events, sizeof events / sizeof *events, 250);
        bool new = false;
        for (int i = 0; i < n; i++) {
            pending *x = events[i].data.ptr;
            if ((void *)x == (void *)g) new = true;
            if (!x || (void *)x == (void *)g) continue;
            if (x->leaving)
                drain(g, x);
            else
                read_head(g, x, events[i].events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR));
        }
        if (new) accept_new(g);
        if (now_ms() - cut_ms < 250) continue;
        cut_slow(g);
        cut_ms = now_ms();
    }
    return NULL;
}

static void close_all(gate *g)
{
    while (g->first) drop_pending(g, g->first, true);
    if (g->epoll >= 0) close(g->epoll);
    if (g->wake >= 0) close(g->wake);
    close(g->listener);
    free(g);
}

gate *gate_start(int listener, bool posts,
                 void (*let_in)(void *ctx, int socket, const struct sockaddr *from, unsigned size), void *ctx)
{
    gate *g = calloc(1, sizeof *g);
    if (!g) return NULL;
    g->listener = listener;
    g->posts = posts;
    g->let_in = let_in;
    g->ctx = ctx;
    g->epoll = epoll_create1(EPOLL_CLOEXEC);
    g->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    struct epoll_event here = { .events = EPOLLIN, .data.ptr = g }, wake = { .events = EPOLLIN };
    if (g->epoll >= 0 && g->wake >= 0 && !epoll_ctl(g->epoll, EPOLL_CTL_ADD, listener, &here) &&
        !epoll_ctl(g->epoll, EPOLL_CTL_ADD, g->wake, &wake) && !pthread_create(&g->thread, NULL, watch, g))
        return g;
    g->listener = -1;
    close_all(g);
    return NULL;
}

void gate_stop(gate *g)
{
    if (!g) return;
    uint64_t one = 1;
    atomic_store(&g->stop, true);
    if (write(g->wake, &one, sizeof one) < 0) atomic_store(&g->stop, true); /* it looks every 250 ms anyway */
    pthread_join(g->thread, NULL);
    close_all(g);
}
