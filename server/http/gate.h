// SPDX-License-Identifier: Apache-2.0
/* server/http/gate.h: accepts connections, and checks the head of their one request before libmicrohttpd sees it: only complete,
 * well-formed requests without a body are passed on. */
#ifndef TFP_SERVER_GATE_H
#define TFP_SERVER_GATE_H

#include <stdbool.h>
#include <stddef.h>

enum { GATE_LINE = 8192, GATE_HEAD = 16384, GATE_HEADERS = 100 };

/* 0: the head is well-formed; otherwise the status of the refusal, and `why`. `size` bytes, including the empty line.
 * posts: POST is allowed, also without a body. */
int gate_check(const char *head, size_t size, bool posts, const char **why);

/* Compares in constant time: the duration does not reveal how much of the token was right. */
bool gate_same_token(const char *given, size_t size, const char *token);

typedef struct gate gate;
struct sockaddr;

/* Starts to accept connections from `listener`; posts: as above; let_in() takes over the sockets. NULL: out of memory or threads. */
gate *gate_start(int listener, bool posts,
                 void (*let_in)(void *ctx, int socket, const struct sockaddr *from, unsigned size), void *ctx);
void gate_stop(gate *g); /* closes the listener and all connections that were not passed on */

#endif
