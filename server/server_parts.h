// SPDX-License-Identifier: Apache-2.0
/* server/server_parts.h: the running server, shared by its files. */
#ifndef TFP_SERVER_PARTS_H
#define TFP_SERVER_PARTS_H

#include "http/gate.h"
#include "data/jobs.h"
#include "http/mhd.h"
#include "api/routes.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct connection connection;

typedef struct server {
    mhd mhd;
    struct MHD_Daemon *daemon;
    catalog *catalog;
    live *live;         /* NULL: running jobs are not shown */
    char host_name[80]; /* as in a Host header: an IPv6 address in brackets */
    int port;
    char token[40];         /* "" without */
    _Atomic size_t bodies;  /* bytes of answers that are being sent */
    _Atomic bool reporting; /* set while a report is made, one at a time: it takes twice its size of memory */
    gate *gate;
    jobs jobs;
    bool working;         /* the jobs have threads */
    pthread_mutex_t lock; /* protects the connections */
    connection *connections;
} server;

/* http/http.c */
enum MHD_Result http_request(void *cls, struct MHD_Connection *c, const char *path, const char *method,
                             const char *version, const char *data, size_t *size, void **state);

void http_work(void *ctx, job *j);
void http_wake(void *ctx, job *j);
uint64_t http_version(void *ctx);
void http_let_in(void *ctx, int socket, const struct sockaddr *from, unsigned size);

/* http/send.c */
void send_prepare(answer *a, bool can_unpack);  /* makes the ETag, and compresses the bytes if that is worthwhile */
bool send_has_room(server *s, const answer *a); /* whether there is room beside the answers that are being sent */
enum MHD_Result send_answer(server *s, struct MHD_Connection *c, const char *match, answer *a, bool set_cookie);

/* http/connections.c: closes slow connections: libmicrohttpd's own time limit starts again with every byte. */
void connections_notify(void *cls, struct MHD_Connection *c, void **context, enum MHD_ConnectionNotificationCode what);
void connections_completed(void *cls, struct MHD_Connection *c, void **state, enum MHD_RequestTerminationCode why);
void connections_asks(server *s, struct MHD_Connection *c); /* its request is complete */
void connections_cut(server *s, bool all);                  /* called now and then */

#endif
