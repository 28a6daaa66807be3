// SPDX-License-Identifier: Apache-2.0
/* server/engine/ask.c: sends one request to a server and receives the answer, each with a deadline. */
#include "engine.h"
#include "http/clock.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define HEAD_ROOM 2048
#define SLICE_MS 100 /* how often the user's wish to stop is looked at */

static void receive(const engine_settings *s, int fd, int64_t until_ms, bool stoppable, engine_exchange *x)
{
    static const char late[] = "it did not answer in time";
    char bytes[1 << 16];
    engine_reply *r = &x->reply;
    while (!r->whole && !r->wrong) {
        int64_t now = now_ms(), slice = now + SLICE_MS;
        if (stoppable && s->stopped()) r->wrong = "interrupted";
        if (now >= until_ms) r->wrong = late;
        if (r->wrong || !agent_wait_for(fd, POLLIN, slice < until_ms ? slice : until_ms)) continue;
        ssize_t n = recv(fd, bytes, sizeof bytes, 0);
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) continue;
        if (n > 0)
            engine_reply_feed(r, bytes, (size_t)n);
        else
            engine_reply_end(r);
    }
    if (r->wrong) snprintf(x->why, sizeof x->why, "%s", r->wrong);
}

static size_t write_head(const engine_settings *s, const char *target, const char *body, char head[HEAD_ROOM])
{
    char more[HEAD_ROOM / 2] = "";
    const char *path = strchr(target, '/');
    size_t method = (size_t)(path - target) - 1, base = strlen(s->url.path);
    if (base && s->url.path[base - 1] == '/') base--;
    if (s->token) snprintf(more, sizeof more, "Authorization: Bearer %s\r\n", s->token);
    size_t at = strlen(more);
    if (body) at += (size_t)snprintf(more + at, sizeof more - at, "Content-Type: application/json\r\n");
    if (*target == 'P') snprintf(more + at, sizeof more - at, "Content-Length: %zu\r\n", body ? strlen(body) : 0);
    int n = snprintf(
        head, HEAD_ROOM,
        "%.*s %.*s%s HTTP/1.1\r\nHost: %s\r\n%sUser-Agent: tfprof/%s\r\nAccept: */*\r\nConnection: close\r\n\r\n",
        (int)method, target, (int)base, s->url.path, path, s->url.authority, more, tfp_version());
    return n > 0 && n < HEAD_ROOM ? (size_t)n : 0;
}

engine_exchange *engine_ask(const engine_settings *s, const char *target, const char *body, int64_t until_ms,
                            bool stoppable)
{
    char head[HEAD_ROOM];
    const char *fault = NULL;
    engine_exchange *x = calloc(1, sizeof *x);
    size_t size = x ? write_head(s, target, body, head) : 0;
    if (!x) return NULL;
    int fd = size ? agent_connect(&s->url, until_ms, &fault) : -1;
    if (fd < 0) {
        snprintf(x->why, sizeof x->why, "%s", fault ? fault : "the request is too long");
        return x;
    }
    x->sent = true;
    if (!agent_send_all(fd, head, size, until_ms) || (body && !agent_send_all(fd, body, strlen(body), until_ms)))
        snprintf(x->why, sizeof x->why, "%s", strerror(errno));
    else
        receive(s, fd, until_ms, stoppable, x);
    close(fd);
    return x;
}

void engine_exchange_free(engine_exchange *x)
{
    if (x) engine_reply_free(&x->reply);
    free(x);
}
