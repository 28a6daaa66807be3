/* server/http.h: one request as routes see it, and what every answer carries. */
#ifndef TFP_SERVER_HTTP_H
#define TFP_SERVER_HTTP_H

#include "answer.h"

enum { REQUEST_PARAMETERS = 200, REQUEST_BYTES = 16384, PATH_ROOM = 4096 };

typedef struct parameter {
    const char *name, *value; /* decoded, ended by NUL, no NUL inside; value "" without one */
} parameter;

typedef struct request {
    const char *path; /* decoded */
    parameter parameters[REQUEST_PARAMETERS];
    size_t parameter_count;
    size_t bytes; /* of all names and values */
    bool refused; /* too many, or one with a NUL inside */
} request;

typedef struct http_header {
    const char *name, *value;
} http_header;
extern const http_header http_always[]; /* on every answer; ends with an empty one */
const char *http_reason(int status);

const char *request_value(const request *r, const char *name); /* the last one; NULL without */
/* A whole number in [least, most]; false when the parameter is there and is none. *out keeps its value when it is absent. */
bool request_int(const request *r, const char *name, long long least, long long most, long long *out);

#endif
