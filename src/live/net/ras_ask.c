// SPDX-License-Identifier: Apache-2.0
/* live/net/ras_ask.c: finds the RAS of a process and asks it. A process may name any address, but a port is only asked
 * without being named if the process itself listens there: another job's RAS is never asked. */
#include "live/net/ras.h"
#include "live/proc/proc.h"

#include <dirent.h>
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PORT = 28028, LISTENS = 0x0A, FDS_MOST = 4096 };

/* Whether one of the process's descriptors is this socket. */
static bool has_socket(int64_t pid, unsigned long inode)
{
    char path[64], want[64], link[64];
    snprintf(path, sizeof path, "/proc/%lld/fd", (long long)pid);
    snprintf(want, sizeof want, "socket:[%lu]", inode);
    DIR *d = opendir(path);
    bool found = false;
    size_t n = 0;
    for (struct dirent *e; d && !found && n++ < FDS_MOST && (e = readdir(d));) {
        ssize_t size = readlinkat(dirfd(d), e->d_name, link, sizeof link - 1);
        if (size > 0) link[size] = 0;
        found = size > 0 && !strcmp(link, want);
    }
    if (d) closedir(d);
    return found;
}

static bool listens_in(int64_t pid, const char *table)
{
    char path[64], line[512];
    bool found = false;
    snprintf(path, sizeof path, "/proc/%lld/net/%s", (long long)pid, table);
    FILE *f = fopen(path, "re");
    for (size_t n = 0; f && !found && n < 65536 && fgets(line, sizeof line, f); n++) {
        unsigned port, state;
        unsigned long inode;
        /* "0: 0100007F:6D7C 00000000:0000 0A tx:rx timer retransmits uid timeout inode" */
        if (sscanf(line, " %*d: %*[0-9A-Fa-f]:%x %*[0-9A-Fa-f]:%*x %x %*s %*s %*s %*s %*s %lu", &port, &state,
                   &inode) == 3)
            found = port == PORT && state == LISTENS && has_socket(pid, inode);
    }
    if (f) fclose(f);
    return found;
}

bool tfp_ras_address(int64_t pid, char *out, size_t room)
{
    if (tfp_proc_setting(pid, "NCCL_RAS_ADDR", out, room)) return *out != 0;
    snprintf(out, room, "localhost:" TFP_QUOTED(28028));
    return listens_in(pid, "tcp") || listens_in(pid, "tcp6");
}

static int left_ms(int64_t until_ns)
{
    int64_t left = (until_ns - tfp_now_ns()) / 1000000;
    return left > 0 ? (int)left + 1 : 0;
}

static bool wait_for(int fd, short what, int64_t until_ns)
{
    struct pollfd p = { fd, what, 0 };
    int n;
    do n = poll(&p, 1, left_ms(until_ns));
    while (n < 0 && errno == EINTR && left_ms(until_ns));
    return n > 0;
}

static int connect_to(const char *address, int64_t until_ns)
{
    char host[128];
    const char *colon = strrchr(address, ':');
    struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV }, *found = NULL;
    if (!colon || (size_t)(colon - address) >= sizeof host) return -1;
    snprintf(host, sizeof host, "%.*s", (int)(colon - address), address);
    size_t size = strlen(host);
    if (size > 1 && *host == '[' && host[size - 1] == ']') memmove(host, host + 1, size), host[size - 2] = 0;
    if (!*host || !strcmp(host, "localhost")) snprintf(host, sizeof host, "127.0.0.1");
    if (getaddrinfo(host, colon + 1, &hints, &found)) return -1;
    int fd = socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), error = 0;
    socklen_t length = sizeof error;
    bool ok = fd >= 0 && (connect(fd, found->ai_addr, found->ai_addrlen) == 0 ||
                          (errno == EINPROGRESS && wait_for(fd, POLLOUT, until_ns) &&
                           getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) == 0 && !error));
    freeaddrinfo(found);
    if (ok) return fd;
    if (fd >= 0) close(fd);
    return -1;
}

tfp_status tfp_ras_ask(const char *address, tfp_buf *out, tfp_error *err)
{
    static const char request[] = "VERBOSE STATUS\n";
    int64_t until_ns = tfp_now_ns() + TFP_RAS_NS;
    int fd = connect_to(address, until_ns);
    char room[16384];
    ssize_t n = -1;
    if (fd < 0) return tfp_fail(err, TFP_BADFILE, "%s: no RAS answers", address);
    bool sent = send(fd, request, sizeof request - 1, MSG_NOSIGNAL) == (ssize_t)sizeof request - 1 &&
                shutdown(fd, SHUT_WR) == 0;
    while (sent && n && out->size <= TFP_RAS_MOST && wait_for(fd, POLLIN, until_ns)) {
        n = recv(fd, room, sizeof room, 0);
        if (n > 0) tfp_buf_add(out, room, (size_t)n);
        if (n < 0 && errno != EAGAIN && errno != EINTR) break;
    }
    close(fd);
    if (out->failed) return tfp_nomem(err);
    if (out->size > TFP_RAS_MOST) return tfp_fail(err, TFP_LIMIT, "%s: the answer of RAS has more than 1 MB", address);
    return n ? tfp_fail(err, TFP_BADFILE, "%s: RAS did not answer within 2 s", address) : TFP_OK;
}
