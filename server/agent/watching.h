// SPDX-License-Identifier: Apache-2.0
/* server/agent/watching.h: `tfprof agent --watch DIR`: the recorder of `tfprof watch` in a thread of the agent, and what it has found as
 * metrics. */
#ifndef TFP_SERVER_WATCHING_H
#define TFP_SERVER_WATCHING_H

#include "http/answer.h"
#include "tfprof/watch.h"

typedef struct watching watching;

/* Starts to watch these jobs, all without words. Returns when the store is open. NULL: `why` has a line. */
watching *watching_new(const char *dir, const char *const *words, size_t word_count, char *why, size_t room);
/* Ends it, and writes what is open. Returns a line about what went wrong, valid until the next call, or NULL. */
const char *watching_end(watching *w);

/* Prometheus's lines. names: with the names of programs. */
void watching_prometheus(watching *w, bool names, answer *out);
/* Takes the oldest finding that was not taken yet, a JSON object that the caller frees; NULL: there is none. */
char *watching_take(watching *w);

#endif
