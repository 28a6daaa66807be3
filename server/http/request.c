// SPDX-License-Identifier: Apache-2.0
/* server/http/request.c: the parameters of a request. */
#include "request.h"

#include <errno.h>
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
    if (!text) return true;
    const char *digits = text + (*text == '-');
    if (!*digits || digits[strspn(digits, "0123456789")]) return false;
    errno = 0;
    long long n = strtoll(text, NULL, 10);
    if (errno || n < least || n > most) return false;
    *out = n;
    return true;
}

bool request_flag(const request *r, const char *name, bool *out)
{
    long long n = *out;
    if (!request_int(r, name, 0, 1, &n)) return false;
    *out = n != 0;
    return true;
}
