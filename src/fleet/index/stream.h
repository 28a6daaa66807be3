// SPDX-License-Identifier: Apache-2.0
/* fleet/index/stream.h: sends complete messages through pipes, and complete parts to files. */
#ifndef TFP_FLEET_STREAM_H
#define TFP_FLEET_STREAM_H

#include "base/io.h"

#include <errno.h>
#include <unistd.h>

static inline bool tfp_stream_read(int fd, void *to, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = tfp_read_some(fd, (char *)to + done, size - done);
        if (n <= 0) return false;
        done += (size_t)n;
    }
    return true;
}

static inline bool tfp_stream_write(int fd, const void *from, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = write(fd, (const char *)from + done, size - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        done += (size_t)n;
    }
    return true;
}

/* A tfp_write_fn; ctx points to the descriptor. */
static inline int tfp_stream_put(void *ctx, const void *data, size_t size)
{
    return tfp_stream_write(*(const int *)ctx, data, size) ? 0 : 1;
}

/* Waits until a file is on the disk; true also for what cannot be synchronized, such as a pipe. */
static inline bool tfp_stream_sync(int fd) { return fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP; }

#endif
