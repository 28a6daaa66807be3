// SPDX-License-Identifier: Apache-2.0
/* server/http/http.h: headers of every answer over HTTP. */
#ifndef TFP_SERVER_HTTP_H
#define TFP_SERVER_HTTP_H

typedef struct http_header {
    const char *name, *value;
} http_header;
extern const http_header http_always[]; /* on every answer; ends with an empty one */
const char *http_reason(int status);

#endif
