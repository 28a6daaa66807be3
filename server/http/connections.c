// SPDX-License-Identifier: Apache-2.0
/* server/http/connections.c: limits the time of each connection. A request must be complete 8 s after the connection was made, and
 * an answer must be taken within 2 minutes; else the socket is shut down, and libmicrohttpd finds it closed. */
#include "http/clock.h"
#include "server_parts.h"

#include <stdlib.h>
#include <sys/socket.h>

#define ASKING_MOST_MS 8000 /* the gate only passes on complete requests, so this is more than enough */
#define TAKING_MOST_MS 120000

struct connection {
    connection *next, *previous;
    int socket;
    bool answering;
    int64_t since_ms;
};

static connection *context_of(server *s, struct MHD_Connection *c)
{
    const union MHD_ConnectionInfo *info = s->mhd.MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

static void set(server *s, connection *k, bool answering)
{
    if (!k) return;
    pthread_mutex_lock(&s->lock);
    k->answering = answering;
    k->since_ms = now_ms();
    pthread_mutex_unlock(&s->lock);
}

void connections_asks(server *s, struct MHD_Connection *c) { set(s, context_of(s, c), true); }

void connections_completed(void *cls, struct MHD_Connection *c, void **state, enum MHD_RequestTerminationCode why)
{
    job *j = *state;
    (void)why;
    if (j) answer_free(&j->answer);
    free(j);
    *state = NULL;
    set(cls, context_of(cls, c), false);
}

static void begin(server *s, struct MHD_Connection *c, void **context)
{
    const union MHD_ConnectionInfo *info = s->mhd.MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
    connection *k = info ? calloc(1, sizeof *k) : NULL;
    *context = k;
    if (!k) return;
    k->socket = info->connect_fd;
    k->since_ms = now_ms();
    pthread_mutex_lock(&s->lock);
    k->next = s->connections;
    if (k->next) k->next->previous = k;
    s->connections = k;
    pthread_mutex_unlock(&s->lock);
}

static void end(server *s, connection *k)
{
    if (!k) return;
    pthread_mutex_lock(&s->lock);
    if (k->next) k->next->previous = k->previous;
    if (k->previous)
        k->previous->next = k->next;
    else
        s->connections = k->next;
    pthread_mutex_unlock(&s->lock);
    free(k);
}

void connections_notify(void *cls, struct MHD_Connection *c, void **context, enum MHD_ConnectionNotificationCode what)
{
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        begin(cls, c, context);
    } else {
        end(cls, *context);
        *context = NULL;
    }
}

void connections_cut(server *s, bool all)
{
    int64_t now = now_ms();
    pthread_mutex_lock(&s->lock);
    for (connection *k = s->connections; k; k = k->next)
        if (all || now - k->since_ms > (k->answering ? TAKING_MOST_MS : ASKING_MOST_MS)) shutdown(k->socket, SHUT_RDWR);
    pthread_mutex_unlock(&s->lock);
}
