// SPDX-License-Identifier: Apache-2.0
/* server/agent/message.h: a protobuf message written into an answer. (The library's own writer is not in tfprof.h.) */
#ifndef TFP_SERVER_MESSAGE_H
#define TFP_SERVER_MESSAGE_H

#include "http/answer.h"

/* A nested message: at = message_open(a, 4); ... message_close(a, at). The answer must keep its bytes. */
size_t message_open(answer *a, uint32_t field);
void message_close(answer *a, size_t at);
void message_text(answer *a, uint32_t field, const char *text); /* escaped as in reports, so that it is UTF-8 */
void message_fixed(answer *a, uint32_t field, uint64_t value);  /* fixed64 */
void message_double(answer *a, uint32_t field, double value);
void message_int(answer *a, uint32_t field, int64_t value); /* a varint */

/* ---- OTLP: common.proto, resource.proto ---- */
/* KeyValue, with a string. */
void message_attribute(answer *a, uint32_t field, const char *key, const char *text);
/* The resource tfprof on this host (field 1), and the begin of what its scope has (field 2, open: *of). */
void message_origin(answer *a, size_t *of);

#endif
