// SPDX-License-Identifier: Apache-2.0
/* tests/fuzz/program/fuzz_http.c: what clients, collectors, engines and users send: the head of a request, the
 * beginning of an answer, a URL, a line of an agent, a whole answer. The first byte selects which. */
#include "agent/agent.h"
#include "engine/engine.h"
#include "http/gate.h"

#include <stdlib.h>
#include <string.h>

static void heads_of_requests(const char *text, size_t size)
{
    static const char *const names[] = { "Host", "Authorization", "X" };
    const char *why, *end = memmem(text, size, "\r\n\r\n", 4);
    for (int posts = 0; posts < 2; posts++) {
        int status = gate_check(text, size, posts, &why);
        if (status && (status < 400 || status > 599 || !*why)) abort();
        for (size_t i = 0; !status && end && i < 3; i++) {
            size_t n;
            const char *value = http_header_value(text, names[i], &n);
            if (value && (value < text || value + n > text + size || memchr(value, '\n', n))) abort();
        }
    }
    gate_same_token(text, size, "0123456789abcdef");
}

/* The parsed answer must not depend on how the bytes are split. */
static void answers(const char *text, size_t size)
{
    int whole = http_status_of(text, size);
    if (whole > 0 && (whole < 100 || whole > 599)) abort();
    for (size_t n = 0; n < size; n++) {
        int part = http_status_of(text, n);
        if (part && part != whole) abort();
    }
}

static void urls(const char *text)
{
    http_url u;
    const char *why = NULL;
    if (http_url_of(text, "80", &u, &why)) {
        if (!*u.host || !*u.port || *u.path != '/' || strpbrk(u.path, " \r\n") || strpbrk(u.authority, "/ \r\n"))
            abort();
    } else if (!why || !*why) {
        abort();
    }
}

/* A file's name must not lead outside the folder of its job. */
static void lines_of_agents(const char *text)
{
    archive_entry e;
    if (!archive_line(text, &e)) return;
    if (e.size < 0 || e.status < 0 || e.status > 255) abort();
    if (e.kind == ARCHIVE_FILE &&
        (!*e.name || *e.name == '/' || *e.name == '.' || strstr(e.name, "/.") || strstr(e.name, "//")))
        abort();
}

/* The answer of an engine must not depend on how its bytes are split. */
static void replies(const char *text, size_t size)
{
    engine_reply all = { 0 }, parts = { 0 };
    engine_reply_feed(&all, text, size);
    engine_reply_end(&all);
    for (size_t i = 0; i < size; i++) engine_reply_feed(&parts, text + i, 1);
    engine_reply_end(&parts);
    if (all.whole != parts.whole || all.status != parts.status || all.size != parts.size) abort();
    if (all.whole == (all.wrong != NULL) || (all.whole && (all.status < 100 || all.status > 599))) abort();
    if (all.size && (memcmp(all.body, parts.body, all.size) != 0 || all.body[all.size])) abort();
    engine_reply_free(&all);
    engine_reply_free(&parts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size || size > GATE_HEAD) return 0;
    char *text = malloc(size);
    if (!text) return 0;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    switch (data[0] % 5) {
    case 0: heads_of_requests(text, strnlen(text, size)); break;
    case 1: answers(text, size - 1); break;
    case 3: lines_of_agents(text); break;
    case 4: replies(text, size - 1); break;
    default: urls(text);
    }
    free(text);
    return 0;
}
