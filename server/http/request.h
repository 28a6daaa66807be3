// SPDX-License-Identifier: Apache-2.0
/* server/http/request.h: a path and its parameters, from a browser (http.c) or from report.c. */
#ifndef TFP_SERVER_REQUEST_H
#define TFP_SERVER_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

enum { REQUEST_PARAMETERS = 200, REQUEST_BYTES = 16384, PATH_ROOM = 4096 };

typedef struct parameter {
    const char *name, *value; /* decoded, ended by NUL, without NUL inside; value "": none was given */
} parameter;

typedef struct request {
    const char *path; /* decoded */
    parameter parameters[REQUEST_PARAMETERS];
    size_t parameter_count;
    size_t bytes; /* size of all names and values */
    bool refused; /* too many parameters, or one with a NUL inside */
} request;

const char *request_value(const request *r, const char *name); /* the last value; NULL: none */
/* Reads a whole number in [least, most]; false: the parameter exists but is no such number. *out is unchanged when the
 * parameter is absent. */
bool request_int(const request *r, const char *name, long long least, long long most, long long *out);
bool request_flag(const request *r, const char *name, bool *out); /* 0 or 1, otherwise false */

#endif
