// SPDX-License-Identifier: Apache-2.0
/* live/net/kineto_daemon.c: datagrams of PyTorch's processes and answers to them. Everybody on the machine may write to the socket, so
 * the kernel is asked who sent each one. */
#include "live/net/kineto_daemon.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define HEAD_SIZE 40
#define TYPE_AT 8
#define TYPE_SIZE 32
#define ACTIVITIES 2 /* the bit for a trace in a poll's type; bit 1 would ask for counters */

static const char *const types[] = { [TFP_KINETO_NONE] = "", [TFP_KINETO_HELLO] = "ctxt", [TFP_KINETO_POLL] = "req" };

static int32_t int_at(tfp_str in, size_t at)
{
    int32_t n;
    memcpy(&n, in.data + at, sizeof n);
    return n;
}

tfp_kineto_kind tfp_kineto_datagram(tfp_str in, bool *activities)
{
    enum { BODY_LEAST = 16 }; /* least body of both kinds: two numbers of 32 bits and the job number of 64 */
    uint64_t size;
    *activities = false;
    if (in.size < HEAD_SIZE + BODY_LEAST) return TFP_KINETO_NONE;
    memcpy(&size, in.data, sizeof size);
    if (size != in.size - HEAD_SIZE || !memchr(in.data + TYPE_AT, 0, TYPE_SIZE)) return TFP_KINETO_NONE;
    if (strcmp(in.data + TYPE_AT, types[TFP_KINETO_HELLO]) == 0) return TFP_KINETO_HELLO;
    if (strcmp(in.data + TYPE_AT, types[TFP_KINETO_POLL]) != 0) return TFP_KINETO_NONE;
    int32_t type = int_at(in, HEAD_SIZE), count = int_at(in, HEAD_SIZE + 4);
    if (count < 1 || (uint64_t)count > (size - BODY_LEAST) / sizeof(int32_t)) return TFP_KINETO_NONE;
    *activities = type & ACTIVITIES;
    return TFP_KINETO_POLL;
}

/* An answer of that type, as it is sent. */
static void kineto_answer(tfp_kineto_kind kind, tfp_str body, tfp_buf *out)
{
    char head[HEAD_SIZE] = { 0 };
    uint64_t size = body.size;
    memcpy(head, &size, sizeof size);
    memcpy(head + TYPE_AT, types[kind], strlen(types[kind]));
    tfp_buf_add(out, head, sizeof head);
    tfp_buf_add(out, body.data, body.size);
}

void tfp_json_end_feed(tfp_json_end *j, tfp_str piece)
{
    for (size_t at = 0; at < piece.size && !j->wrong; at++) {
        char c = piece.data[at];
        if (j->ended)
            j->wrong = !memchr(" \t\r\n", c, 4);
        else if (j->escaped)
            j->escaped = false;
        else if (j->quoted && c == '\\')
            j->escaped = true;
        else if (c == '"' && j->depth)
            j->quoted = !j->quoted;
        else if (!j->quoted && (c == '{' || (c == '[' && j->depth)))
            j->depth++;
        else if (!j->quoted && (c == '}' || c == ']') && j->depth)
            j->ended = --j->depth == 0;
    }
}

/* Removes a socket file that no process serves any more. Keeps errno. */
static bool remove_left(const struct sockaddr_un *a)
{
    struct stat st;
    int why = errno;
    bool left = why == EADDRINUSE && *a->sun_path && lstat(a->sun_path, &st) == 0 && S_ISSOCK(st.st_mode);
    int fd = left ? socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0) : -1;
    left = fd >= 0 && connect(fd, (const struct sockaddr *)a, sizeof *a) && errno == ECONNREFUSED;
    if (fd >= 0) close(fd);
    left = left && unlink(a->sun_path) == 0;
    errno = why;
    return left;
}

int tfp_kineto_open(char path[TFP_KINETO_PATH])
{
    static const char name[] = "dynolog";
    struct sockaddr_un a = { .sun_family = AF_UNIX };
    socklen_t size = sizeof a;
    const char *folder = getenv("KINETO_IPC_SOCKET_DIR");
    int one = 1, why;
    *path = '\0';
    if (!folder || !*folder) { /* an abstract name: the NUL at its beginning counts */
        memcpy(a.sun_path + 1, name, sizeof name);
        size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + sizeof name);
    } else if (snprintf(a.sun_path, sizeof a.sun_path, "%s/%s", folder, name) >= (int)sizeof a.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -1;
    if (setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &one, sizeof one) == 0 &&
        (bind(fd, (struct sockaddr *)&a, size) == 0 ||
         (remove_left(&a) && bind(fd, (struct sockaddr *)&a, size) == 0))) {
        memcpy(path, a.sun_path, sizeof a.sun_path);
        /* processes of other users may write: the kernel tells who sent what */
        if (*path && geteuid() == 0) chmod(path, 0666);
        return fd;
    }
    why = errno;
    close(fd);
    errno = why;
    return -1;
}

static int64_t sender_of(struct msghdr *m)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
        struct ucred who;
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_CREDENTIALS || c->cmsg_len < CMSG_LEN(sizeof who))
            continue;
        memcpy(&who, CMSG_DATA(c), sizeof who);
        return who.pid;
    }
    return 0;
}

bool tfp_kineto_receive(int fd, tfp_kineto_from *out)
{
    char data[4096];
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(struct ucred))];
    } control;
    *out = (tfp_kineto_from){ .pid = 0 };
    struct iovec part = { data, sizeof data };
    struct msghdr m = { .msg_name = out->address,
                        .msg_namelen = sizeof out->address,
                        .msg_iov = &part,
                        .msg_iovlen = 1,
                        .msg_control = &control,
                        .msg_controllen = sizeof control };
    ssize_t n = recvmsg(fd, &m, MSG_CMSG_CLOEXEC);
    if (n < 0) return false;
    out->pid = sender_of(&m);
    out->address_size = m.msg_namelen <= sizeof out->address ? m.msg_namelen : 0;
    if (!(m.msg_flags & MSG_TRUNC)) out->kind = tfp_kineto_datagram((tfp_str){ data, (size_t)n }, &out->activities);
    return true;
}

void tfp_kineto_send(int fd, const tfp_kineto_from *to, tfp_str body)
{
    tfp_buf text = { 0 };
    kineto_answer(to->kind, body, &text);
    if (!text.failed && to->address_size > sizeof(sa_family_t) &&
        sendto(fd, text.data, text.size, MSG_NOSIGNAL | MSG_DONTWAIT, (const struct sockaddr *)to->address,
               to->address_size) < 0)
        errno = 0;
    tfp_buf_free(&text);
}
