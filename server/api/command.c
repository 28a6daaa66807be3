// SPDX-License-Identifier: Apache-2.0
/* server/api/command.c: runs a line of the prompt over one profile, in the program itself; no state is kept. */
#include "routes.h"

#include <string.h>

#define LINE_MOST 4096

static void put_text(answer *a, const char *key, answer *text)
{
    answer_add(text, "", 1);
    a->no_memory |= text->no_memory;
    a->too_long |= text->too_long;
    if (!answer_failed(a)) json_text_lines(a, key, text->data);
}

static void run(const question *q, const lease *l, const char *line, answer *a)
{
    const serve_options *o = catalog_options(q->catalog);
    answer output = { 0 }, error = { 0 };
    int status = o->command(o->ctx, l->profile, line, answer_write, &output, &error);
    json_open(a, NULL, '{');
    put_text(a, "output", &output);
    put_text(a, "error", &error);
    json_int(a, "status", status);
    json_close(a, '}');
    answer_free(&output);
    answer_free(&error);
}

static void answer_command(const question *q, answer *a)
{
    lease l;
    const char *id = request_value(q->request, "profile"), *line = request_value(q->request, "line");
    if (!id || !line || strlen(line) > LINE_MOST || strpbrk(line, "\r\n")) {
        answer_error(a, ANSWER_WRONG,
                     "a command needs the parameters 'profile' and 'line', one line of at most %d bytes", LINE_MOST);
    } else if (!catalog_options(q->catalog)->command) {
        answer_error(a, ANSWER_UNKNOWN, "there is no prompt here");
    } else if (question_lease(q, id, &l, a)) {
        run(q, &l, line, a);
        catalog_give_back(q->catalog, &l);
    }
}

const route routes_command[] = { { "/api/v1/command", answer_command, "profile line", 0 }, { 0 } };
