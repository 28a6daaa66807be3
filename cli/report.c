// SPDX-License-Identifier: Apache-2.0
/* cli/report.c: `tfprof report`: the page and its data as one file. */
#include "report.h"
#include "served.h"

#include <stdlib.h>
#include <string.h>

#define SIZE_MB 64 /* mails and browsers accept files of this size */

static void say(void *ctx, const char *line)
{
    (void)ctx;
    cli_warn(line);
}

static bool stopped(void *ctx)
{
    (void)ctx;
    return cli_interrupted != 0;
}

typedef struct made {
    report_options options;
    char *data;
    size_t size;
} made;

static int make(void *ctx, const serve_options *s, char *why, size_t room)
{
    made *m = ctx;
    m->options.inputs = *s;
    return report_make(&m->options, &m->data, &m->size, why, room);
}

static bool parse_size(const char *text, size_t *bytes)
{
    char *end;
    long n = strtol(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || strlen(text) > 4 || n < 1 || (size_t)n > REPORT_MOST >> 20) return false;
    *bytes = (size_t)n << 20;
    return true;
}

static int check(cli *c, const cli_call *call, const tfp_options *o, made *m)
{
    const char *size = call->flags[CLI_MAX_SIZE];
    bool named = call->word_count != 0;
    for (size_t i = 0; i < CLI_FORMAT_MAX; i++) named |= call->paths[i] != NULL;
    if (!named) return cli_fault_set(&c->fault, CLI_BAD_USAGE, "report needs FILE...: profiles to show");
    if (!call->flags[CLI_O] || !*call->flags[CLI_O])
        return cli_fault_set(&c->fault, CLI_BAD_USAGE, "report needs -o FILE (- for stdout)");
    for (size_t i = 0; i < call->option_count; i++)
        if (strcmp(call->options[i].name, "step") != 0)
            return cli_fault_set(&c->fault, CLI_BAD_USAGE, "report takes no option -%s, only -step",
                                 call->options[i].name);
    if (size && !parse_size(size, &m->options.size_most))
        return cli_fault_set(&c->fault, CLI_BAD_USAGE, "--max-size '%s': not a number of MB from 1 to %zu", size,
                             REPORT_MOST >> 20);
    m->options.source = call->flags[CLI_SOURCE];
    const char *step = tfp_options_get(o, "step");
    if (!step) return cli_fault_set(&c->fault, CLI_LIMIT, "out of memory");
    m->options.step = strtoll(step, NULL, 10);
    return 0;
}

static int write_out(cli *c, const char *path, const made *m)
{
    if (strcmp(path, "-") == 0) return cli_write(c->out, m->data, m->size) ? cli_stdout_fault(c) : 0;
    tfp_status s = tfp_write_file(path, m->data, m->size, c->err);
    return s ? cli_fault_from(&c->fault, s, c->err) : 0;
}

int cli_report(cli *c, const cli_call *call, tfp_options *o)
{
    made m = { .options = { .size_most = (size_t)SIZE_MB << 20, .say = say, .stopped = stopped } };
    serve_options s = { 0 };
    int status = check(c, call, o, &m);
    if (!status) status = cli_with_inputs(c, call, &s, make, &m);
    if (!status) status = write_out(c, call->flags[CLI_O], &m);
    free(m.data);
    return status;
}
