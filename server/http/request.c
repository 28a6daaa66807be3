// SPDX-License-Identifier: Apache-2.0
/* server/http/request.c: the parameters of a request. */
#include "request.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const char *request_value(const request *r, const char *name)
{
    for (size_t i = r->parameter_count; i-- > 0;)
        if (strcmp(r->parameters[i].name, name) == 0) return r->parameters[i].value;
    return NULL;
}

bool request_int(const request *r, const char *name, long long least, long long most, long long *out)
{
    const char *text = request_value(r, name);
    char *end;
    if (!text) return true;
    if (!*text || strlen(text) > 19 || isspace((unsigned char)*text)) return false;
    long long n = strtoll(text, &end, 10);
    if (*end || n < least || n > most) return false;
    *out = n;
    return true;
}
