// SPDX-License-Identifier: Apache-2.0
/* server/http/answer.c: bytes of an answer, and JSON. */
#include "answer.h"
#include "tfprof/tfprof.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool answer_failed(const answer *a) { return a->no_memory || a->too_long; }

void answer_free(answer *a)
{
    free(a->data);
    free(a->error);
    a->data = a->error = NULL;
    a->size = a->room = 0;
}

static bool make_room(answer *a, size_t size)
{
    if (a->size + size <= a->room) return true;
    size_t room = a->room * 2 > a->size + size ? a->room * 2 : a->size + size + 4096;
    char *more = realloc(a->data, room);
    if (!more) return false;
    a->data = more;
    a->room = room;
    return true;
}

void answer_add(answer *a, const void *data, size_t size)
{
    if (answer_failed(a) || !size) return;
    a->too_long = size > ANSWER_MOST - a->size;
    if (a->too_long) return;
    if (a->pass)
        a->no_memory = a->pass(a->pass_ctx, data, size) != 0;
    else if (make_room(a, size))
        memcpy(a->data + a->size, data, size);
    else
        a->no_memory = true;
    if (!a->no_memory) a->size += size;
}

int answer_write(void *a, const void *data, size_t size)
{
    answer_add(a, data, size);
    return answer_failed(a);
}

void answer_text(answer *a, const char *text) { answer_add(a, text, strlen(text)); }

void plain_paths(char *text)
{
    static const char held[] = "/proc/self/fd/";
    for (char *at = text; (at = strstr(at, held));) {
        char *rest = at + sizeof held - 1;
        rest += strspn(rest, "0123456789");
        if (*rest == '/') rest++;
        memmove(at, rest, strlen(rest) + 1);
    }
}

void answer_error(answer *a, int status, const char *format, ...)
{
    char text[4200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    plain_paths(text);
    answer_free(a);
    *a = (answer){ .status = status, .type = "application/json", .error = strdup(text) };
}

const char *answer_why(const answer *a)
{
    if (a->too_long) return "the answer is longer than 192 MB: ask for fewer rows or columns";
    return a->error ? a->error : "out of memory";
}

/* ---- JSON ---- */

static void add_escaped(answer *a, const char *safe)
{
    for (const char *at = safe; *at;) {
        size_t plain = strcspn(at, "\"\\");
        answer_add(a, at, plain);
        at += plain;
        if (!*at) break;
        answer_add(a, "\\", 1);
        answer_add(a, at++, 1);
    }
}

static void add_quoted(answer *a, const char *text)
{
    size_t size = strlen(text), shown = tfp_text_escape(text, size, NULL, 0);
    char *safe = shown == SIZE_MAX ? NULL : malloc(shown + 1);
    if (!safe) {
        a->no_memory = true;
        return;
    }
    tfp_text_escape(text, size, safe, shown + 1);
    answer_text(a, "\"");
    add_escaped(a, safe);
    answer_text(a, "\"");
    free(safe);
}

/* Several lines: each escaped by itself. */
static void add_quoted_lines(answer *a, const char *text)
{
    size_t size = strlen(text), shown = 0;
    for (const char *at = text;; at++) { /* escaping works on what ends by NUL or by its size */
        size_t n = strcspn(at, "\n");
        size_t need = tfp_text_escape(at, n, NULL, 0);
        if (need == SIZE_MAX) a->no_memory = true;
        if (answer_failed(a)) return;
        if (need > shown) shown = need;
        at += n;
        if (!*at) break;
    }
    char *safe = malloc(shown + 1);
    if (!safe) a->no_memory = true;
    answer_text(a, "\"");
    for (const char *at = text; safe && size; at++) {
        size_t n = strcspn(at, "\n");
        tfp_text_escape(at, n, safe, shown + 1);
        add_escaped(a, safe);
        at += n;
        if (!*at) break;
        answer_text(a, "\\n");
    }
    answer_text(a, "\"");
    free(safe);
}

static void start_value(answer *a, const char *key)
{
    if (a->comma) answer_text(a, ",");
    a->comma = true;
    if (!key) return;
    add_quoted(a, key);
    answer_text(a, ":");
}

void json_open(answer *a, const char *key, char bracket)
{
    start_value(a, key);
    answer_add(a, &bracket, 1);
    a->comma = false;
}

void json_close(answer *a, char bracket)
{
    answer_add(a, &bracket, 1);
    a->comma = true;
}

void json_text(answer *a, const char *key, const char *text)
{
    start_value(a, key);
    if (text)
        add_quoted(a, text);
    else
        answer_text(a, "null");
}

void json_text_lines(answer *a, const char *key, const char *text)
{
    start_value(a, key);
    add_quoted_lines(a, text);
}

void json_int(answer *a, const char *key, int64_t n)
{
    char text[32];
    start_value(a, key);
    snprintf(text, sizeof text, "%lld", (long long)n);
    answer_text(a, text);
}

void json_real(answer *a, const char *key, double x)
{
    char text[40];
    start_value(a, key);
    snprintf(text, sizeof text, "%.17g", x);
    answer_text(a, isfinite(x) ? text : "null");
}

void json_bool(answer *a, const char *key, bool b)
{
    start_value(a, key);
    answer_text(a, b ? "true" : "false");
}

void json_raw(answer *a, const char *key, const char *json)
{
    start_value(a, key);
    answer_text(a, json);
}
