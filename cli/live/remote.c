// SPDX-License-Identifier: Apache-2.0
/* cli/live/remote.c: capture --agent: records jobs of another machine through its `tfprof agent --listen`; and functions shared with top
 * --agent. */
#include "remote.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEXT_MOST ((size_t)64 << 20)

int cli_remote_keep(void *ctx, const void *data, size_t size)
{
    cli_remote_text *t = ctx;
    char *more = t->size + size <= TEXT_MOST ? realloc(t->data, t->size + size + 1) : NULL;
    if (!more) return 1;
    memcpy(more + t->size, data, size);
    t->data = more;
    t->size += size;
    more[t->size] = '\0';
    return 0;
}

/* ---- addresses ---- */

enum { LIST_MOST = 1 << 18 }; /* most bytes of a list of addresses */

static int read_list(cli *c, const char *path, char *out)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t n = fd >= 0 ? read(fd, out, LIST_MOST) : -1;
    int why = n == LIST_MOST ? EFBIG : errno;
    if (fd >= 0) close(fd);
    if (n < 0 || n == LIST_MOST) return cli_fault_set(&c->fault, CLI_BAD_INPUT, "--agent @%s: %s", path, strerror(why));
    out[n] = '\0';
    for (char *at = out; *at; at++) /* a comment begins with # */
        if (*at == '#')
            while (*at && *at != '\n') *at++ = ' ';
    return 0;
}

int cli_remote_agents(cli *c, const char *value, cli_agents *out)
{
    static const char between[] = " ,\t\r\n";
    *out = (cli_agents){ malloc(LIST_MOST + 1), calloc(CLI_AGENTS_MOST, sizeof *out->list), 0 };
    if (!out->words || !out->list) return cli_fault_set(&c->fault, CLI_LIMIT, "out of memory");
    bool file = *value == '@', fits = file || strlen(value) < LIST_MOST;
    int status = file ? read_list(c, value + 1, out->words) : 0;
    if (!file && fits) strcpy(out->words, value);
    if (!status && !file &&
        (!fits || !*value || strstr(value, ",,") || *value == ',' || value[strlen(value) - 1] == ','))
        status = cli_fault_set(&c->fault, CLI_BAD_USAGE, "--agent: HOST:PORT, several with commas between, or @FILE");
    for (char *rest = out->words, *word; !status && (word = strtok_r(rest, between, &rest));) {
        if (out->count == CLI_AGENTS_MOST)
            return cli_fault_set(&c->fault, CLI_BAD_USAGE, "--agent: at most %d addresses", CLI_AGENTS_MOST);
        out->list[out->count++] = word;
    }
    if (!status && !out->count) status = cli_fault_set(&c->fault, CLI_BAD_USAGE, "--agent %s: no address", value);
    return status;
}

void cli_remote_agents_free(cli_agents *a)
{
    free(a->words);
    free(a->list);
    *a = (cli_agents){ NULL, NULL, 0 };
}

int cli_remote_seconds(cli *c, const cli_call *call, cli_flag_id flag, double without, double *out)
{
    const char *text = call->flags[flag];
    char *end;
    *out = text ? strtod(text, &end) : without;
    if (text && (end == text || *end || !(*out >= 0 && *out <= 86400)))
        return cli_fault_set(&c->fault, CLI_BAD_USAGE, "--%s '%.100s': not between 0 and 86400 seconds",
                             cli_flags[flag].name, text);
    return 0;
}

/* The output form of the table; NULL: a form that tables of other machines do not have. */
static const char *form_of(const tfp_options *o)
{
    static const char *const all[] = { "text", "json", "jsonl", "csv", "md" };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(tfp_options_get(o, "format"), all[i]) == 0) return all[i];
    return NULL;
}

int cli_remote_begin(cli *c, const cli_call *call, const tfp_options *o, char token[CLI_TOKEN_ROOM], const char **form)
{
    int status = cli_find_token(c, call, token);
    if (status) return status;
    if (!*token)
        return cli_fault_set(&c->fault, CLI_BAD_USAGE, "--agent needs its token: --token-file, or TFPROF_TOKEN");
    *form = form_of(o);
    return *form ? 0 : cli_fault_set(&c->fault, CLI_BAD_USAGE, "-format: text, json, jsonl, csv or md with --agent");
}
