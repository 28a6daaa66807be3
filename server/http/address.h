// SPDX-License-Identifier: Apache-2.0
/* server/http/address.h: addresses to listen at; only this machine can connect, unless another address is named. */
#ifndef TFP_SERVER_ADDRESS_H
#define TFP_SERVER_ADDRESS_H

#include <netinet/in.h>
#include <stdbool.h>

typedef union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
} address;

/* host: NULL, "localhost", or a numeric address; false: it is none of these. */
bool address_of(const char *host, int port, address *out, socklen_t *size, bool *loopback);
/* Opens a non-blocking socket; -1: errno has the reason. *a receives the port if it was 0. */
int address_listen(address *a, socklen_t size);
int address_port(const address *a);

#endif
