// SPDX-License-Identifier: Apache-2.0
/* cli/watch/after.h: captures of processes after a finding, each by `tfprof capture` in a process of its own, so that watching goes on. */
#ifndef CLI_AFTER_H
#define CLI_AFTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct after {
    bool attach; /* starts the recording by an attach, where no agent is */
    pid_t child; /* 0: none */
    size_t failed, refused;
} after;

/* Starts a capture, if none is going on. A tfp_watch_capture_fn. */
void after_start(void *ctx, const int64_t *pids, size_t count, const char *folder);
/* Takes notice of a capture that has ended. */
void after_look(after *a);
/* Waits for the last one, at most 15 s. Returns a note, valid until the next call, or NULL. */
const char *after_end(after *a);

#endif
