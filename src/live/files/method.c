// SPDX-License-Identifier: Apache-2.0
/* live/files/method.c: reasons why a process cannot be recorded. */
#include "live/files/method.h"

#include <stdio.h>
#include <unistd.h>

void tfp_method_refuse(tfp_method *w, const char *code, const char *format, ...)
{
    va_list args;
    w->code = code;
    va_start(args, format);
    vsnprintf(w->message, sizeof w->message, format, args);
    va_end(args);
}

bool tfp_method_is_ours(const tfp_proc_status *s)
{
    if (geteuid() == 0) return true;
    for (size_t i = 0; i < 3; i++)
        if (s->uid[i] != (int64_t)geteuid() || s->gid[i] != (int64_t)getegid()) return false;
    return true;
}
