// SPDX-License-Identifier: Apache-2.0
/* cli/watch/webhook.h: sends findings as JSON or by OTLP to an address from a thread of its own, so that a server
 * that does not answer delays nothing. */
#ifndef CLI_WEBHOOK_H
#define CLI_WEBHOOK_H

#include <stdbool.h>

typedef struct webhook webhook;
/* Starts the thread. otlp: the address is a collector's. NULL: `why` has the reason; of a wrong address *usage is
 * true. */
webhook *webhook_new(const char *url, bool otlp, bool *usage, const char **why);
/* Adds a finding, a JSON object; when too many wait, it is dropped and counted. */
void webhook_add(webhook *w, const char *json);
/* Waits for what is still to be sent, at most 16 s, and ends the thread. Returns a note, valid until the next
 * call, or NULL. */
const char *webhook_end(webhook *w);

#endif
