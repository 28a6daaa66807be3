// SPDX-License-Identifier: Apache-2.0
/* tests/unit/server/peer.h: a machine on the other end of the agent's connections: it takes requests one after another, keeps them, and
 * answers each with given bytes. */
#ifndef TFP_TEST_PEER_H
#define TFP_TEST_PEER_H

#include "support.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PEER_REQUESTS = 4 };

typedef struct peer_answer {
    const char *bytes;
    size_t size;    /* 0: bytes is a text */
    bool waits;     /* nothing more comes, but the connection stays open until the peer ends */
    bool in_pieces; /* each byte is sent by itself */
} peer_answer;

typedef struct peer {
    int listener, held; /* held: a connection that stays open; -1: none */
    int port;
    char address[32];
    const peer_answer *answers;
    size_t count;
    tfp_buf asked[PEER_REQUESTS]; /* each ended by NUL */
    pthread_t thread;
} peer;

/* Reads a request: its head, and as many bytes as its Content-Length says. */
static inline void peer_read(int fd, tfp_buf *to)
{
    char bytes[4096];
    size_t wanted = SIZE_MAX;
    for (ssize_t n; to->size < wanted && (n = read(fd, bytes, sizeof bytes)) > 0;) {
        tfp_buf_add(to, bytes, (size_t)n);
        const char *end = wanted == SIZE_MAX ? memmem(to->data, to->size, "\r\n\r\n", 4) : NULL;
        if (!end) continue;
        const char *length = memmem(to->data, to->size, "Content-Length: ", 16);
        wanted = (size_t)(end + 4 - (const char *)to->data) + (length ? strtoul(length + 16, NULL, 10) : 0);
    }
    tfp_buf_add(to, "", 1);
}

static inline void peer_send(int fd, const peer_answer *a)
{
    size_t size = a->size ? a->size : strlen(a->bytes);
    for (size_t at = 0; at < size;) {
        ssize_t n = send(fd, a->bytes + at, a->in_pieces ? 1 : size - at, MSG_NOSIGNAL);
        if (n <= 0) return; /* the other end has had enough */
        at += (size_t)n;
    }
}

static inline void *peer_work(void *ctx)
{
    peer *p = ctx;
    for (size_t i = 0; i < p->count; i++) {
        int fd = accept(p->listener, NULL, NULL);
        if (fd < 0) break;
        peer_read(fd, &p->asked[i]);
        peer_send(fd, &p->answers[i]);
        if (p->answers[i].waits)
            p->held = fd;
        else
            close(fd);
    }
    return NULL;
}

/* Listens at a free port of this machine. */
static inline void peer_begin(peer *p, const peer_answer *answers, size_t count)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
    socklen_t size = sizeof at;
    assert_true(count <= PEER_REQUESTS);
    *p = (peer){
        .listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), .held = -1, .answers = answers, .count = count
    };
    assert_int_equal(bind(p->listener, (struct sockaddr *)&at, size), 0);
    assert_int_equal(listen(p->listener, 8), 0);
    assert_int_equal(getsockname(p->listener, (struct sockaddr *)&at, &size), 0);
    p->port = ntohs(at.sin_port);
    snprintf(p->address, sizeof p->address, "127.0.0.1:%d", p->port);
    assert_int_equal(pthread_create(&p->thread, NULL, peer_work, p), 0);
}

/* The requests stay until peer_drop. */
static inline void peer_end(peer *p)
{
    shutdown(p->listener, SHUT_RDWR); /* a request that never came is not waited for */
    assert_int_equal(pthread_join(p->thread, NULL), 0);
    if (p->held >= 0) close(p->held);
    close(p->listener);
}

static inline const char *peer_asked(const peer *p, size_t i) { return p->asked[i].size ? p->asked[i].data : ""; }

static inline void peer_drop(peer *p)
{
    for (size_t i = 0; i < PEER_REQUESTS; i++) tfp_buf_free(&p->asked[i]);
}

#endif
