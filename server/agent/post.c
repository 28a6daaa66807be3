// SPDX-License-Identifier: Apache-2.0
/* server/agent/post.c: makes one POST over HTTP/1.1 to a collector or a profile store, within five seconds in total. */
#include "agent.h"
#include "http/clock.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SEND_MS 5000
#define HEAD_ROOM 2048

bool agent_wait_for(int fd, short events, int64_t until_ms)
{
    struct pollfd p = { fd, events, 0 };
    int64_t left;
    while ((left = until_ms - now_ms()) > 0) {
        int n = poll(&p, 1, (int)left);
        if (n > 0) return true;
        if (n < 0 && errno != EINTR) return false;
    }
    errno = ETIMEDOUT;
    return false;
}

static int connect_to(const struct addrinfo *a, int64_t until_ms)
{
    int why = 0, fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    socklen_t size = sizeof why;
    if (fd < 0) return -1;
    if (connect(fd, a->ai_addr, a->ai_addrlen) == 0) return fd;
    if (errno != EINPROGRESS || !agent_wait_for(fd, POLLOUT, until_ms) ||
        getsockopt(fd, SOL_SOCKET, SO_ERROR, &why, &size) || why) {
        if (why) errno = why;
        why = errno;
        close(fd);
        errno = why;
        return -1;
    }
    return fd;
}

bool agent_send_all(int fd, const char *data, size_t size, int64_t until_ms)
{
    while (size) {
        ssize_t n = send(fd, data, size, MSG_NOSIGNAL);
        if (n < 0 && errno != EAGAIN && errno != EINTR) return false;
        if (n < 0 && !agent_wait_for(fd, POLLOUT, until_ms)) return false;
        if (n > 0) data += n, size -= (size_t)n;
    }
    return true;
}

/* Reads the status of the answer; -1: none came, or it is no HTTP. */
static int read_status(int fd, int64_t until_ms)
{
    char head[HEAD_ROOM];
    size_t have = 0;
    int status = 0;
    while (!status && have < sizeof head && agent_wait_for(fd, POLLIN, until_ms)) {
        ssize_t n = recv(fd, head + have, sizeof head - have, 0);
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) continue;
        if (n <= 0) return -1;
        have += (size_t)n;
        status = http_status_of(head, have);
    }
    return status ? status : -1;
}

static bool post(int fd, const http_url *u, const char *type, const answer *body, char *why, size_t room)
{
    char head[1200];
    int64_t until_ms = now_ms() + SEND_MS;
    int n = snprintf(head, sizeof head,
                     "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
                     "User-Agent: tfprof/%s\r\nConnection: close\r\n\r\n",
                     u->path, u->authority, type, body->size, tfp_version());
    if (!agent_send_all(fd, head, (size_t)n, until_ms) || !agent_send_all(fd, body->data, body->size, until_ms)) {
        snprintf(why, room, "%s", strerror(errno));
        return false;
    }
    int status = read_status(fd, until_ms);
    if (status >= 200 && status < 300) return true;
    if (status > 0)
        snprintf(why, room, "it answers with status %d", status);
    else
        snprintf(why, room, "no HTTP answer came in time");
    return false;
}

int agent_connect(const http_url *u, int64_t until_ms, const char **why)
{
    struct addrinfo hint = { .ai_socktype = SOCK_STREAM }, *all = NULL;
    int fd = -1, fault = getaddrinfo(u->host, u->port, &hint, &all);
    if (fault) {
        *why = gai_strerror(fault);
        return -1;
    }
    for (const struct addrinfo *a = all; a && fd < 0; a = a->ai_next) fd = connect_to(a, until_ms);
    if (fd < 0) *why = strerror(errno);
    freeaddrinfo(all);
    return fd;
}

bool agent_post(const http_url *u, const char *type, const answer *body, char *why, size_t room)
{
    const char *fault = "out of memory";
    int fd = answer_failed(body) ? -1 : agent_connect(u, now_ms() + SEND_MS, &fault);
    snprintf(why, room, "%s", fault);
    bool sent = fd >= 0 && post(fd, u, type, body, why, room);
    if (fd >= 0) close(fd);
    return sent;
}
