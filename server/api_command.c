/* server/api_command.c: a line of the prompt, run by the program over one profile; nothing of it is kept. */
#include "leased.h"

#include <stdlib.h>
#include <string.h>

#define LINE_MOST 4096

static void put_text(answer *a, const char *key, answer *text)
{
    answer_add(text, "", 1);
    if (text->failed)
        a->failed = true;
    else
        json_text_lines(a, key, text->data);
}

static void answer_command(catalog *c, const request *r, const route_words *w, answer *a)
{
    lease l;
    const char *id = request_value(r, "profile"), *line = request_value(r, "line");
    const serve_options *o = catalog_options(c);
    (void)w;
    if (!id || !line || strlen(line) > LINE_MOST || strpbrk(line, "\r\n")) {
        answer_error(a, 400, "a command needs the parameters 'profile' and 'line', one of at most %d bytes", LINE_MOST);
        return;
    }
    if (!o->command) {
        answer_error(a, 404, "there is no prompt here");
        return;
    }
    if (!lease_or_answer(c, id, &l, a)) return;
    answer output = { 0 }, error = { 0 };
    int status = o->command(o->ctx, l.profile, line, answer_write, &output, &error);
    catalog_give_back(c, &l);
    json_open(a, NULL, '{');
    put_text(a, "output", &output);
    put_text(a, "error", &error);
    json_int(a, "status", status);
    json_close(a, '}');
    answer_free(&output);
    answer_free(&error);
}

const route routes_command[] = { { "/api/v1/command", answer_command, "profile line", false }, { 0 } };
