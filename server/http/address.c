// SPDX-License-Identifier: Apache-2.0
/* server/http/address.c: addresses in numbers, and sockets that listen at them. */
#include "address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

bool address_of(const char *host, int port, address *out, socklen_t *size, bool *loopback)
{
    memset(out, 0, sizeof *out);
    if (!host || strcmp(host, "localhost") == 0) host = "127.0.0.1";
    if (inet_pton(AF_INET, host, &out->v4.sin_addr) == 1) {
        out->v4.sin_family = AF_INET;
        out->v4.sin_port = htons((uint16_t)port);
        *size = sizeof out->v4;
        *loopback = ntohl(out->v4.sin_addr.s_addr) >> 24 == 127;
        return true;
    }
    if (inet_pton(AF_INET6, host, &out->v6.sin6_addr) != 1) return false;
    out->v6.sin6_family = AF_INET6;
    out->v6.sin6_port = htons((uint16_t)port);
    *size = sizeof out->v6;
    *loopback = IN6_IS_ADDR_LOOPBACK(&out->v6.sin6_addr);
    return true;
}

int address_listen(address *a, socklen_t size)
{
    int one = 1, fd = socket(a->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(fd, &a->any, size) == 0 && listen(fd, 1024) == 0 && getsockname(fd, &a->any, &size) == 0) return fd;
    int why = errno;
    close(fd);
    errno = why;
    return -1;
}

int address_port(const address *a) { return ntohs(a->any.sa_family == AF_INET ? a->v4.sin_port : a->v6.sin6_port); }
