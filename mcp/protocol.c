// SPDX-License-Identifier: Apache-2.0
/* mcp/protocol.c: JSON-RPC 2.0 with one message per line, as the Model Context Protocol uses it over stdio. */
#include "parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct server {
    int root;
    const mcp_program *program;
    bool lost; /* stdout cannot be written to */
} server;

/* The newest first. */
static const char *const revisions[] = { "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05" };

static const char instructions[] =
    "Profiles of deep-learning jobs below one folder. Ask info of a file first, then the view summary or advise, then "
    "op, kernel, lines or query for details. Times are microseconds, sizes bytes. Each answer has the command that "
    "gives "
    "the same, and notes that say what its rows leave out.";

static void put_initialize(const message *m, const value *parameters, answer *a)
{
    const value *asked = message_member(m, parameters, "protocolVersion");
    const char *revision = revisions[0];
    for (size_t i = 0; value_is_text(asked) && i < sizeof revisions / sizeof *revisions; i++)
        if (strcmp(asked->text, revisions[i]) == 0) revision = revisions[i];
    json_open(a, "result", '{');
    json_text(a, "protocolVersion", revision);
    json_raw(a, "capabilities", "{\"tools\":{\"listChanged\":false}}");
    json_open(a, "serverInfo", '{');
    json_text(a, "name", "tfprof");
    json_text(a, "version", tfp_version());
    json_close(a, '}');
    json_text(a, "instructions", instructions);
    json_close(a, '}');
}

static void put_error(answer *a, int code, const char *why)
{
    json_open(a, "error", '{');
    json_int(a, "code", code);
    json_text(a, "message", why);
    json_close(a, '}');
}

static void put_call(const server *s, const message *m, const value *parameters, answer *a)
{
    mcp_command c;
    answer result = { .status = ANSWER_OK };
    mcp_command_of(m, parameters, s->root, &c);
    if (c.code) {
        put_error(a, c.code, c.why);
    } else {
        mcp_call(&c, s->root, s->program, &result);
        answer_add(&result, "", 1);
        json_raw(a, "result", answer_failed(&result) ? "null" : result.data);
        answer_free(&result);
    }
    mcp_command_free(&c);
}

static void put_result(const server *s, const message *m, const char *method, const value *parameters, answer *a)
{
    if (strcmp(method, "initialize") == 0) {
        put_initialize(m, parameters, a);
    } else if (strcmp(method, "ping") == 0) {
        json_raw(a, "result", "{}");
    } else if (strcmp(method, "tools/list") == 0) {
        json_open(a, "result", '{');
        mcp_list_tools(a);
        json_close(a, '}');
    } else if (strcmp(method, "tools/call") == 0) {
        put_call(s, m, parameters, a);
    } else {
        char why[120];
        snprintf(why, sizeof why, "no method '%.60s'", method);
        put_error(a, MCP_NO_METHOD, why);
    }
}

static bool is_id(const value *id) { return id->kind == VALUE_TEXT || id->kind == VALUE_NUMBER; }

static void put_id(answer *a, const value *id)
{
    char number[64];
    if (id && id->kind == VALUE_TEXT) {
        json_text_lines(a, "id", id->text);
    } else if (id && id->kind == VALUE_NUMBER && id->size < sizeof number) {
        snprintf(number, sizeof number, "%.*s", (int)id->size, id->text);
        json_raw(a, "id", number);
    } else {
        json_text(a, "id", NULL);
    }
}

/* Answers a message. A notification has no id and gets no answer. A client's own answers have no method, and are
 * ignored because nothing was asked. */
static void answer_one(const server *s, const message *m, const value *v, answer *a)
{
    const value *id = message_member(m, v, "id"), *method = message_member(m, v, "method"),
                *version = message_member(m, v, "jsonrpc");
    const value *parameters = message_member(m, v, "params");
    bool request =
        v->kind == VALUE_OBJECT && value_is_text(version) && strcmp(version->text, "2.0") == 0 && (!id || is_id(id));
    if (request && value_is_text(method) && !id) return;
    if (request && !method && id && (message_member(m, v, "result") || message_member(m, v, "error"))) return;
    json_open(a, NULL, '{');
    json_text(a, "jsonrpc", "2.0");
    put_id(a, request ? id : NULL);
    if (!request || !value_is_text(method))
        put_error(a, MCP_BAD_REQUEST, "not a request of JSON-RPC 2.0");
    else if (parameters && parameters->kind != VALUE_OBJECT)
        put_error(a, MCP_BAD_PARAMETERS, "params is not an object");
    else
        put_result(s, m, method->text, parameters, a);
    json_close(a, '}');
}

/* Revision 2025-03-26 allows several messages in a list. */
static void answer_list(const server *s, const message *m, answer *a)
{
    const value *v = message_first(m, m->values);
    answer each = { .status = ANSWER_OK };
    if (!v) answer_one(s, m, m->values, a);
    for (size_t i = 0; v && i < m->values->count; i++, v = message_next(m, v)) answer_one(s, m, v, &each);
    if (each.size) {
        answer_text(a, "[");
        answer_add(a, each.data, each.size);
        answer_text(a, "]");
    }
    a->no_memory |= answer_failed(&each);
    answer_free(&each);
}

static void send_answer(server *s, answer *a)
{
    size_t at = 0;
    if (answer_failed(a)) s->lost = true;
    if (a->size) answer_text(a, "\n");
    while (!s->lost && at < a->size) {
        ssize_t n = write(STDOUT_FILENO, a->data + at, a->size - at);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0)
            s->lost = true;
        else
            at += (size_t)n;
    }
    answer_free(a);
}

static void refuse(server *s, int code, const char *why)
{
    answer a = { .status = ANSWER_OK };
    json_open(&a, NULL, '{');
    json_text(&a, "jsonrpc", "2.0");
    json_text(&a, "id", NULL);
    put_error(&a, code, why);
    json_close(&a, '}');
    send_answer(s, &a);
}

static void take_line(server *s, char *line, size_t size)
{
    message m;
    answer a = { .status = ANSWER_OK };
    if (strspn(line, " \t\r") == size) return;
    if (!message_read(&m, line, size)) {
        refuse(s, MCP_PARSE_ERROR, m.wrong);
    } else if (m.values->kind == VALUE_LIST) {
        answer_list(s, &m, &a);
        send_answer(s, &a);
    } else {
        answer_one(s, &m, m.values, &a);
        send_answer(s, &a);
    }
    message_free(&m);
}

int mcp_serve(int root, const mcp_program *program)
{
    server s = { .root = root, .program = program };
    char *line = malloc(MCP_LINE_MOST + 1);
    size_t size = 0;
    bool skips = false; /* skips the rest of a line that is too long */
    if (!line) return 4;
    for (;;) {
        char *end = memchr(line, '\n', size);
        if (end) {
            size_t n = (size_t)(end - line), rest = size - n - 1;
            *end = '\0';
            if (!skips) take_line(&s, line, n);
            skips = false;
            memmove(line, end + 1, rest);
            size = rest;
            if (s.lost) break;
            continue;
        }
        if (size == MCP_LINE_MOST) {
            if (!skips) refuse(&s, MCP_BAD_REQUEST, "a message is longer than 1 MiB");
            skips = true;
            size = 0;
        }
        ssize_t n = read(STDIN_FILENO, line + size, MCP_LINE_MOST - size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        size += (size_t)n;
    }
    if (size && !skips && !s.lost) { /* a last line without a line end */
        line[size] = '\0';
        take_line(&s, line, size);
    }
    free(line);
    return s.lost ? 3 : 0;
}
