// SPDX-License-Identifier: Apache-2.0
/* server/http/clock.h: the time, for the server, mcp/ and cli/. */
#ifndef TFP_SERVER_CLOCK_H
#define TFP_SERVER_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Monotonic. */
static inline int64_t now_ms(void)
{
    struct timespec t = { 0, 0 };
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Since 1970. */
static inline int64_t unix_micros(void)
{
    struct timespec t = { 0, 0 };
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

#endif
